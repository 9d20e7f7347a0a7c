//! Changes of what sets, ordered piles and bags hold.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::{Build, set_bound, sound};
use super::int::{Bitset, Int};
use super::run::{Counts, Running};
use crate::engine::change::Change;
use crate::engine::ir::{Lin, NONE, Num};
use crate::engine::place::Place;
use crate::engine::program::{Holds, Source, Store};
use crate::model::{BagOp, MAX_COPIES};

/// The maximum number of bytes that are copied without a loop.
const MAX_COPIED_IN_A_ROW: u32 = 2048;

impl Build<'_, '_, '_> {
    pub fn change(&mut self, r: &Running, change: &Change) {
        match change {
            Change::Put(item, store) => self.put_or_take(r, item, store, true),
            Change::Take(item, store) => self.put_or_take(r, item, store, false),
            Change::MoveAll(from, to) => self.move_all(r, from, to),
            Change::Bag(op, to, other) => self.bag(r, *op, to, other),
        }
    }

    /// Adds to a set or pile, or takes out.
    fn put_or_take(&mut self, r: &Running, item: &Num, store: &Store, adds: bool) {
        let item = self.num(item);
        if let Some(there) = self.there(item) {
            self.need(r, there);
        }
        let item = Int { maybe: false, sure: false, ..item };
        let index = self.index(r, &store.index);
        self.sure(r);
        match store.holds {
            Holds::Set(lo) => {
                let bound = set_bound(&store.place);
                let (i, ok) = self.place(item, i64::from(lo), u64::from(bound.top()) + 1);
                self.need_some(r, ok);
                if bound.width().in_memory() {
                    return self.put_bit(r, &store.place, index, i, adds);
                }
                let set = self.set_entry(&store.place, index);
                let bit = Bitset { v: self.single(i, set.width), ..set };
                let new = if adds {
                    self.union(set, bit)
                } else {
                    let has = self.meet(set, bit);
                    let none = self.none_of(has);
                    let some = self.flip(none);
                    self.need(r, some);
                    self.minus(set, bit)
                };
                self.put_set(r, &store.place, index, new);
            }
            Holds::List => {
                let (place, index) = (store.place, index);
                if adds {
                    self.push(r, &place, index, item);
                } else {
                    self.pull(r, &place, index, item);
                }
            }
            Holds::Scalar | Holds::Bag => {
                let no = self.i8(false);
                self.need(r, no);
            }
        }
    }

    /// Puts a bit into a variable for a set in memory, or takes one out that must be there.
    fn put_bit(&mut self, r: &Running, p: &Place, index: Int, bit: Value, adds: bool) {
        let (address, at) = self.writable(r, p, index);
        let (address, one) = self.byte_of(address, bit);
        let byte = self.load_position(types::I8, address, at);
        let new = if adds {
            self.b.ins().bor(byte, one)
        } else {
            let found = self.b.ins().band(byte, one);
            let there = self.cmp(IntCC::NotEqual, found, 0);
            self.need(r, there);
            self.b.ins().bxor(byte, one)
        };
        self.store_position(new, address, at);
    }

    /// Copies a whole position with its value indexes.
    pub fn copy(&mut self, from: Value, to: Value) {
        let size = self.unit.value_index.room;
        self.all_regions();
        let mut done = if size > MAX_COPIED_IN_A_ROW { size / 16 * 16 } else { 0 };
        if done > 0 {
            self.copy_parts(from, to, 0, done / 16);
        }
        while done < size {
            let (step, ty) = match size - done {
                16.. => (16, types::I8X16),
                8.. => (8, types::I64),
                4.. => (4, types::I32),
                2.. => (2, types::I16),
                _ => (1, types::I8),
            };
            let v = self.b.ins().load(ty, sound(), from, done as i32);
            self.b.ins().store(sound(), v, to, done as i32);
            done += step;
        }
        self.all_regions();
    }

    /// Goes through the items of a pile from a place on, in order; `body` is given the address of an item (without the
    /// offset) and its number, and says whether to go on.
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
        self.store_position(n, address, at - 2);
    }

    fn store_item(&mut self, p: &Place, address: Value, at: i32, item: Value) {
        let ty = if p.item == 1 { types::I8 } else { types::I16 };
        let v = self.b.ins().ireduce(ty, item);
        self.store_position(v, address, at);
    }

    /// Puts an item on a pile; one that is there stays where it is.
    fn push(&mut self, r: &Running, p: &Place, index: Int, item: Int) {
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

    /// Brings an item of a pile down to a place; those between come up by one. How many items there are. Goes on only
    /// where the item stands there or above.
    pub fn bring_down(&mut self, r: &Running, p: &Place, index: Int, (item, to): (Value, Value)) -> Value {
        let ((address, at), n) = self.length(r, p, index);
        let found = self.position(p, address, at, n, item);
        let there = self.b.ins().icmp(IntCC::UnsignedLessThan, found, n);
        let above = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, found, to);
        let ok = self.b.ins().band(there, above);
        self.need(r, ok);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        let i = self.b.append_block_param(head, types::I32);
        self.jump(head, &[found]);
        self.to(head);
        let more = self.b.ins().icmp(IntCC::UnsignedGreaterThan, i, to);
        self.brif(more, inside, done);
        self.to(inside);
        let one = self.i32(1);
        let below = self.b.ins().isub(i, one);
        let (from, here) = (self.item(p, address, below), self.item(p, address, i));
        let v = self.read(from, at, p.item);
        self.store_item(p, here, at, v);
        self.jump(head, &[below]);
        self.to(done);
        let place = self.item(p, address, to);
        self.store_item(p, place, at, item);
        n
    }

    /// Takes an item out of a pile.
    fn pull(&mut self, r: &Running, p: &Place, index: Int, item: Int) {
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
    fn move_all(&mut self, r: &Running, from: &Store, to: &Store) {
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
            (Holds::Bag, Holds::Bag) if from.place.width == to.place.width => {
                self.move_copies(r, (&from.place, a), (&to.place, b));
            }
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
                if let Some(out) = self.beyond(those, set_bound(&to.place)) {
                    let fits = self.flip(out);
                    self.need(r, fits);
                }
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

    /// Changes a bag by another.
    fn bag(&mut self, r: &Running, op: BagOp, to: &Store, other: &Source) {
        let width = to.place.width;
        let a = self.index(r, &to.index);
        let from: Counts = match other {
            Source::Empty => {
                self.sure(r);
                let (address, at) = self.writable(r, &to.place, a);
                if op == BagOp::Become {
                    self.fill(address, at as u32, width);
                }
                return;
            }
            Source::Var(other) => {
                let b = self.index(r, &other.index);
                self.sure(r);
                if other.place.width != width {
                    // Each byte of the one is for the same value as that of the other.
                    let no = self.i8(false);
                    return self.need(r, no);
                }
                let (address, at, there) = self.entry(&other.place, b);
                Counts { address, at, there, width: 1 }
            }
            Source::Printed(rows, member) => {
                let members = (rows.len() as u32 / width.max(1)).max(1);
                let lin = Lin { terms: Box::new([(member.clone(), 0, members)]), strict: false };
                let (row, ok) = self.lin(&lin, members as usize);
                self.sure(r);
                self.need_some(r, ok);
                let address = self.unit.numbers(rows, (NONE, 1));
                let first = self.b.ins().imul_imm_s(row, i64::from(4 * width));
                let base = self.i64(address as u64);
                Counts { address: self.b.ins().iadd(base, first), at: 0, there: None, width: 4 }
            }
        };
        let to = self.writable(r, &to.place, a);
        self.each_count(r, op, to, from, width);
    }

    /// All copies of a bag to another one.
    fn move_copies(&mut self, r: &Running, (from, a): (&Place, Int), (to, b): (&Place, Int)) {
        let (address, at) = self.writable(r, to, b);
        let (source, offset) = self.writable(r, from, a);
        let counts = Counts { address: source, at: offset, there: None, width: 1 };
        self.each_count(r, BagOp::Add, (address, at), counts, to.width);
        self.fill(source, offset as u32, from.width);
    }

    /// Makes a bag a copy of one that lies elsewhere.
    pub fn put_bag(&mut self, r: &Running, store: &Store, from: Counts) {
        let index = self.index(r, &store.index);
        self.sure(r);
        let to = self.writable(r, &store.place, index);
        self.each_count(r, BagOp::Become, to, from, store.place.width);
    }

    fn each_count(&mut self, r: &Running, op: BagOp, (address, at): (Value, i32), from: Counts, width: u32) {
        let (head, inside, end) = (self.block(), self.block(), self.block());
        let i = self.b.append_block_param(head, types::I64);
        let zero = self.i64(0);
        self.jump(head, &[zero]);
        self.to(head);
        let width = self.i64(u64::from(width));
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, i, width);
        self.brif(more, inside, end);
        self.to(inside);
        let by = self.b.ins().imul_imm_s(i, i64::from(from.width));
        let (x, y) = (self.b.ins().iadd(address, i), self.b.ins().iadd(from.address, by));
        let (n, mut by) = (self.read(x, at, 1), self.read(y, from.at, from.width));
        if let Some(there) = from.there {
            let none = self.i32(0);
            by = self.b.ins().select(there, by, none);
        }
        let new = match op {
            BagOp::Become => by,
            BagOp::Add => {
                let sum = self.b.ins().iadd(n, by);
                let fits = self.cmp(IntCC::UnsignedLessThanOrEqual, sum, i64::from(MAX_COPIES));
                self.need(r, fits);
                sum
            }
            BagOp::Less => {
                let by = self.b.ins().umin(n, by);
                self.b.ins().isub(n, by)
            }
        };
        let new = self.b.ins().ireduce(types::I8, new);
        self.store_position(new, x, at);
        let one = self.i64(1);
        let next = self.b.ins().iadd(i, one);
        self.jump(head, &[next]);
        self.to(end);
    }
}
