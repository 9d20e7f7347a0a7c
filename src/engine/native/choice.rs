//! Carrying out the choice made.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Switch;

use super::build::Build;
use super::int::Int;
use super::option_groups::Head;
use super::run::{Now, Running};
use super::{ACTION, ARGS, KIND, VALUE};
use crate::engine::ask::Ask;
use crate::engine::fallback::Fallback;
use crate::engine::ir::Num;
use crate::engine::place::Place;
use crate::engine::program::{How, Op};
use crate::model::Answer;

impl Build<'_, '_, '_> {
    pub fn chosen(&mut self, r: &mut Running, at: (usize, u16), op: &Op) -> Result<(), Fallback> {
        let program = self.unit.program;
        let (ask, how) = match op {
            Op::Choose { ask, how, .. } => (ask, *how),
            Op::Chance { ask } => (ask, How::default()),
            _ => return Err(Fallback::Form),
        };
        let kind = self.load_context(types::I32, KIND);
        let mut switch = Switch::new();
        let mut blocks = Vec::new();
        for k in [Head::ACT, Head::VALUE, Head::YES, Head::PASS] {
            let block = self.block();
            switch.set_entry(u128::from(k), block);
            blocks.push((k, block));
        }
        switch.emit(&mut self.b, kind, r.left);
        for (k, block) in blocks {
            self.to(block);
            let answer = if k == Head::PASS { Answer::Pass } else { Answer::Chosen };
            let next = how.after(answer, at);
            match (ask, k) {
                (Ask::Act { acts, .. }, Head::ACT) => {
                    let which = self.load_context(types::I32, ACTION);
                    for i in acts {
                        let act = program.acts.get(*i).ok_or(Fallback::Form)?;
                        let (this, other) = (self.block(), self.block());
                        let is = self.cmp(IntCC::Equal, which, i64::from(act.id.0));
                        self.brif(is, this, other);
                        self.to(this);
                        self.spend(r, act);
                        let args: Vec<Int> = (0..act.arity)
                            .map(|i| {
                                let v = self.load_context(types::I32, ARGS + 4 * i as i32);
                                Int { sure: false, ..Int::any(v) }
                            })
                            .collect();
                        self.need_before(r, act, &args);
                        let args: Vec<Now> = args.into_iter().map(Now::Num).collect();
                        self.begin_action(r, act, &args, next)?;
                        self.to(other);
                    }
                    self.jump(r.left, &[]);
                    continue;
                }
                (Ask::Act { .. }, Head::PASS) => {}
                (Ask::One { into, .. } | Ask::Number { into, .. } | Ask::Draw { into, .. }, Head::VALUE) => {
                    let v = self.load_context(types::I32, VALUE);
                    self.write(r, into, Now::Num(Int { sure: false, ..Int::any(v) }));
                }
                (Ask::One { into, .. } | Ask::Number { into, .. }, Head::PASS) => self.forget(r, &into.place),
                (Ask::Several(several), Head::VALUE) => {
                    let v = self.load_context(types::I32, VALUE);
                    self.chosen_several(r, at, several, v);
                    continue;
                }
                (Ask::Several(_), Head::PASS) => {}
                (Ask::Shuffle(shuffle), Head::VALUE) => {
                    let v = self.load_context(types::I32, VALUE);
                    self.draw_item(r, at, shuffle, v);
                    continue;
                }
                (Ask::Yes { into }, Head::YES | Head::PASS) => {
                    let v = self.number(i32::from(k == Head::YES));
                    self.write(r, into, Now::Num(v));
                }
                _ => {
                    self.jump(r.left, &[]);
                    continue;
                }
            }
            self.go(r, next);
        }
        Ok(())
    }

    /// Uses up the limit of the permission by which an action was chosen.
    pub fn spend(&mut self, r: &Running, act: &crate::engine::legal::Act) {
        let Some(limits) = &act.limits else {
            return;
        };
        self.chosen_args(act);
        let seat = self.load_context(types::I32, super::SEAT);
        let seat = self.seat_given(seat);
        self.slots.insert(self.unit.program.seat, seat);
        let done = self.block();
        let mut first: Vec<(Value, &(Place, Num))> = Vec::new();
        let mut free: Option<Value> = None;
        for (c, limit) in limits {
            let c = self.cond(c);
            match limit {
                Some(limit) => first.push((c, limit)),
                None => free = Some(free.map_or(c, |f| self.b.ins().bor(f, c))),
            }
        }
        self.sure(r);
        if let Some(free) = free {
            let paid = self.block();
            self.brif(free, done, paid);
            self.to(paid);
        }
        for (c, (place, index)) in first {
            let (this, other) = (self.block(), self.block());
            self.brif(c, this, other);
            self.to(this);
            let (one, index) = (self.number(1), self.num(index));
            self.put(r, place, index, one, None);
            self.jump(done, &[]);
            self.to(other);
        }
        self.jump(done, &[]);
        self.to(done);
    }
}
