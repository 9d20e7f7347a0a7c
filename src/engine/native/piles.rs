//! Ordered piles: putting on, taking out, moving all.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::{Build, set_bound, sound};
use super::int::Int;
use super::run::Running;
use crate::engine::ir::Place;
use crate::engine::program::{Holds, Store};

impl Build<'_, '_, '_> {
    /// Goes through the items of a pile from a place on, in order; `body` is given the address of an item (without the offset) and its number, and
    /// says whether to go on.
    fn items(
        &mut self,
        p: &Place,
        address: Value,
        n: Value,
        body: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let (head, inside, next, done) = (self.block(), self.block(), self.block(), self.block());
        let i = self.b.append_block_param(head, types::I32);
        let zero = self.i32(0);
        self.jump(head, &[zero]);
        self.to(head);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, i, n);
        self.brif(more, inside, done);
        self.to(inside);
        let item = self.item(p, address, i);
        let on = body(self, item, i);
        self.brif(on, next, done);
        self.to(next);
        let one = self.i32(1);
        let i2 = self.b.ins().iadd(i, one);
        self.jump(head, &[i2]);
        self.to(done);
        i
    }

    /// Where an item is in a pile; its length where it is not there.
    fn position(&mut self, p: &Place, address: Value, at: i32, n: Value, item: Value) -> Value {
        self.items(p, address, n, |b, other, _| {
            let other = b.read(other, at, p.item);
            b.b.ins().icmp(IntCC::NotEqual, other, item)
        })
    }

    fn length(&mut self, r: &Running, p: &Place, index: Int) -> ((Value, i32), Value) {
        let (address, at) = self.writable(r, p, index);
        let n = self.read(address, at, 2);
        let most = self.i32(p.span.min(65_535) as i64);
        let ok = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, n, most);
        self.need(r, ok);
        ((address, at + 2), n)
    }

    fn set_length(&mut self, address: Value, at: i32, n: Value) {
        let n = self.b.ins().ireduce(types::I16, n);
        self.b.ins().store(sound(), n, address, at - 2);
    }

    fn store_item(&mut self, p: &Place, address: Value, at: i32, item: Value) {
        let ty = if p.item == 1 { types::I8 } else { types::I16 };
        let v = self.b.ins().ireduce(ty, item);
        self.b.ins().store(sound(), v, address, at);
    }

    /// Puts an item on a pile; one that is there stays where it is.
    pub fn push(&mut self, r: &Running, p: &Place, index: Int, item: Int) {
        let ((address, at), n) = self.length(r, p, index);
        let item = self.bare(item);
        let fits = self.cmp(IntCC::UnsignedLessThan, item, p.span.min(65_535) as i64);
        self.need(r, fits);
        let found = self.position(p, address, at, n, item);
        let (add, done) = (self.block(), self.block());
        let new = self.b.ins().icmp(IntCC::Equal, found, n);
        self.brif(new, add, done);
        self.to(add);
        // Of distinct items there are never more than there is room for.
        let room = self.cmp(IntCC::UnsignedLessThan, n, p.span.min(65_535) as i64);
        self.need(r, room);
        let place = self.item(p, address, n);
        self.store_item(p, place, at, item);
        let one = self.i32(1);
        let n = self.b.ins().iadd(n, one);
        self.set_length(address, at, n);
        self.jump(done, &[]);
        self.to(done);
    }

    /// Takes an item out of a pile.
    pub fn pull(&mut self, r: &Running, p: &Place, index: Int, item: Int) {
        let ((address, at), n) = self.length(r, p, index);
        let item = self.bare(item);
        let found = self.position(p, address, at, n, item);
        let there = self.b.ins().icmp(IntCC::UnsignedLessThan, found, n);
        self.need(r, there);
        let one = self.i32(1);
        let less = self.b.ins().isub(n, one);
        // Those above come down by one.
        let (head, inside, done) = (self.block(), self.block(), self.block());
        let i = self.b.append_block_param(head, types::I32);
        self.jump(head, &[found]);
        self.to(head);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, i, less);
        self.brif(more, inside, done);
        self.to(inside);
        let here = self.item(p, address, i);
        let v = self.read(here, at + p.item as i32, p.item);
        self.store_item(p, here, at, v);
        let i2 = self.b.ins().iadd(i, one);
        self.jump(head, &[i2]);
        self.to(done);
        let last = self.item(p, address, less);
        let zero = self.i32(0);
        self.store_item(p, last, at, zero);
        self.set_length(address, at, less);
    }

    /// All members of a set or pile to another.
    pub fn move_all(&mut self, r: &Running, from: &Store, to: &Store) {
        let a = self.index(r, &from.index);
        let b = self.index(r, &to.index);
        self.sure(r);
        let done = self.block();
        if from.place.at == to.place.at {
            // From one to itself nothing moves.
            let (x, y) = (self.bare(a), self.bare(b));
            let same = self.b.ins().icmp(IntCC::Equal, x, y);
            let other = self.block();
            self.brif(same, done, other);
            self.to(other);
        }
        match (from.holds, to.holds) {
            (Holds::Set(_), Holds::Set(_)) => {
                let those = self.set_entry(&from.place, a);
                let (address, at) = self.writable(r, &from.place, a);
                self.fill(address, at as u32, from.place.width);
                let there = self.set_entry(&to.place, b);
                let all = self.union(those, there);
                self.put_set(r, &to.place, b, all);
            }
            (Holds::Set(_), Holds::List) => {
                let those = self.set_entry(&from.place, a);
                let (address, at) = self.writable(r, &from.place, a);
                self.fill(address, at as u32, from.place.width);
                self.each(those, 0, |gn, member, _| gn.push(r, &to.place, b, member));
            }
            (Holds::List, Holds::Set(_)) => {
                let those = self.members(&from.place, a);
                let (address, at) = self.writable(r, &from.place, a);
                self.fill(address, at as u32, from.place.width);
                let there = self.set_entry(&to.place, b);
                let bound = set_bound(&to.place);
                let outside = self.const_set(!bound);
                let out = self.meet(those, outside);
                let none = self.none_of(out);
                self.need(r, none);
                let all = self.union(those, there);
                self.put_set(r, &to.place, b, all);
            }
            (Holds::List, Holds::List) => {
                let ((address, at), n) = self.length(r, &from.place, a);
                self.items(&from.place, address, n, |gn, item, _| {
                    let v = gn.read(item, at, from.place.item);
                    let item = Int { sure: false, ..Int::plain(v, 0, from.place.span.max(1) as i64 - 1) };
                    gn.push(r, &to.place, b, item);
                    gn.i8(true)
                });
                self.fill(address, (at - 2) as u32, from.place.width);
            }
            _ => {
                let no = self.i8(false);
                self.need(r, no);
            }
        }
        self.jump(done, &[]);
        self.to(done);
    }
}
