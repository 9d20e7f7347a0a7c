//! Trees by the value of a number.

use cranelift_codegen::ir::{Block, Value};
use cranelift_frontend::Switch;

use super::build::Build;
use super::flow::Kind;
use super::int::{Bitset, Bound};
use super::set_var::SetVar;
use crate::engine::ir::{ByValue, Mask, Num};

impl Build<'_, '_, '_> {
    /// Goes on by the value of a number: to a block for each of these, or to another.
    fn switch(&mut self, n: &Num, values: impl Iterator<Item = i32>, otherwise: Block) -> Vec<Block> {
        let n = self.num(n);
        let v = self.plain(n);
        let mut switch = Switch::new();
        let blocks: Vec<Block> = values
            .map(|value| {
                let block = self.block();
                switch.set_entry(u128::from(value as u32), block);
                block
            })
            .collect();
        switch.emit(&mut self.b, v, otherwise);
        blocks
    }

    /// The tree for the value of a number.
    pub fn by_value<T: Kind>(&mut self, n: &Num, arms: &[(i32, T)], otherwise: &T) -> T::Val {
        let trees = || arms.iter().map(|(_, t)| t).chain([otherwise]);
        let bound = trees().fold(Bound::NONE, |all, t| all.or(T::bound(self, t)));
        let (other, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, T::ty(bound));
        let blocks = self.switch(n, arms.iter().map(|(value, _)| *value), other);
        let mut vals = Vec::new();
        for (block, t) in blocks.into_iter().chain([other]).zip(trees()) {
            self.to(block);
            let val = T::build(self, t);
            let v: Value = T::raw(self, val, bound);
            self.jump(done, &[v]);
            vals.push(val);
        }
        self.to(done);
        T::merged(result, bound, &vals)
    }

    /// Those of `within` that meet one of the conditions for the value of a number.
    pub fn masks_by_value(&mut self, by: &ByValue, slot: u16, lo: i32, within: Bitset) -> Bitset {
        let none = self.const_set(0);
        let found = self.set_var(within.bound, none);
        if by.each {
            self.each(within, lo, |gn, member, bit| {
                let one = gn.alone(within.bound, bit);
                gn.with_slot(slot, member, |gn| gn.add_by_value(by, (slot, lo), one, found));
            });
        } else {
            self.add_by_value(by, (slot, lo), within, found);
        }
        self.now(found)
    }

    fn add_by_value(&mut self, by: &ByValue, (slot, lo): (u16, i32), within: Bitset, found: SetVar) {
        let done = self.block();
        let blocks = self.switch(&by.key, by.arms.iter().map(|(value, _)| *value), done);
        for (block, (_, masks)) in blocks.into_iter().zip(&by.arms) {
            self.to(block);
            for m in masks {
                self.scoped(|gn| {
                    let those = gn.mask(m as &Mask, slot, lo, within);
                    gn.add(found, those);
                });
            }
            self.jump(done, &[]);
        }
        self.to(done);
    }
}
