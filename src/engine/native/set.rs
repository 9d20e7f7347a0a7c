//! Sets.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::bitset::Gather;
use super::build::Build;
use super::int::{Bitset, Bound, Int, Width};
use super::num::Index;
use super::set_var::SetVar;
use crate::engine::bits::Bits;
use crate::engine::ir::{Cond, Joined, NONE, Over, SetE};
use crate::engine::place::Place;
use crate::engine::tree::of;

/// The maximum number of changes of a set that are all computed, whether or not they apply.
const MAX_AT_ONCE: usize = 3;

impl Build<'_, '_, '_> {
    /// A set.
    pub fn set(&mut self, s: &SetE) -> Bitset {
        match s {
            SetE::Const(bits) => self.const_bits(bits),
            SetE::Slot(s) => match self.sets.get(s) {
                Some(s) => *s,
                None => self.const_set(0),
            },
            SetE::Var(p) => {
                let first = self.number(0);
                self.set_entry(p, first)
            }
            SetE::At(p, i) => {
                let i = self.num(i);
                self.set_entry(p, i)
            }
            SetE::List(p, i) => {
                let i = self.num(i);
                self.members(p, i)
            }
            SetE::Table(table, lin) => {
                let Index { at, ok, more, .. } = self.padded(lin, table.len());
                self.row(table, (at, more), ok)
            }
            SetE::Union(ab) => {
                let (a, b) = (self.set(&ab.0), self.set(&ab.1));
                self.union(a, b)
            }
            SetE::Minus(ab) => {
                let (a, b) = (self.set(&ab.0), self.set(&ab.1));
                self.minus(a, b)
            }
            SetE::Both(ab) => self.common(&ab.0, &ab.1),
            SetE::Of(items, lo, n, _) => {
                let bound = Bound::below((*n).max(1) as u64);
                if bound.width().in_memory() {
                    let all = self.gather(bound.width());
                    for item in items {
                        let item = self.num(item);
                        self.gather_number(all, item, *lo, *n);
                    }
                    return self.gathered(all, bound);
                }
                let mut all = self.const_set(0);
                for item in items {
                    let item = self.num(item);
                    let bit = self.bit(item, *lo, *n);
                    all = self.union(all, bit);
                }
                all
            }
            SetE::Filter(f) => {
                let within = self.set(&f.set);
                self.mask(&f.mask, f.slot, f.lo, within)
            }
            SetE::Steps(steps, within) => self.reached(steps, within.as_deref()),
            SetE::Map(over, lo, n) => self.map(over, *lo, *n),
            SetE::Joined(joined) => self.join_all(joined),
            SetE::Reach(rows, from, slot, mask) => self.reach(rows, from, *slot, mask),
            SetE::Passed(line) => self.passed(line),
            SetE::Change(_, also, except) if also.len() + except.len() > MAX_AT_ONCE => {
                self.changed_by_many(s, also, except)
            }
            SetE::Change(s, also, except) => {
                let mut all = self.set(s);
                for (c, e) in also {
                    let c = self.cond(c);
                    let e = self.set(e);
                    let e = self.only_if(c, e);
                    all = self.union(all, e);
                }
                for (c, e) in except {
                    let c = self.cond(c);
                    let e = self.set(e);
                    let e = self.only_if(c, e);
                    all = self.minus(all, e);
                }
                all
            }
            SetE::Flow(flow) => self.flow(flow),
        }
    }

    /// What two sets have in common. One that is searched for is not, if the other is empty.
    fn common(&mut self, a: &SetE, b: &SetE) -> Bitset {
        let (a, b) = if searches(a) && !searches(b) { (b, a) } else { (a, b) };
        let first = self.set(a);
        if !searches(b) || first.width.in_memory() || of(&self.unit.program.shared, b).risky {
            let b = self.set(b);
            return self.meet(first, b);
        }
        self.unless_empty(first, |gn| {
            let b = gn.set(b);
            gn.meet(first, b)
        })
    }

    /// A row of a table with so many empty ones more at its end.
    pub fn row(&mut self, table: &Arc<[Bits]>, (at, more): (Value, usize), ok: Option<Value>) -> Bitset {
        let bound = Bound::of(table.iter());
        let width = bound.width();
        let address = self.unit.rows(table, width, more);
        let at = self.or_last(at, ok, table.len());
        match width {
            Width::Word => {
                let set = Bitset { v: self.look_up(address, at, types::I64), width, bound };
                self.looked_up(set, table, more, at);
                return set;
            }
            Width::Parts(parts) => {
                let first = self.i64(address as usize as u64);
                let at = self.times(at, 16 * parts);
                return Bitset { v: self.b.ins().iadd(first, at), width, bound };
            }
            Width::Pair => {}
        }
        let one = self.b.ins().iconst(types::I32, 1);
        let at = self.b.ins().ishl(at, one);
        let low = self.look_up(address, at, types::I64);
        let high = self.look_up(address.wrapping_add(8), at, types::I64);
        Bitset { v: self.b.ins().iconcat(low, high), width, bound }
    }

    /// The bit of a number in a set of up to `n`, and whether it has one; nothing has none, and one out of bounds
    /// fails.
    fn bit_in(&mut self, item: Int, lo: i32, n: usize) -> (Value, Option<Value>) {
        let n = n.max(1) as u64;
        let (i, ok) = self.place(item, i64::from(lo), n);
        if let Some(ok) = ok {
            let mut out = self.flip(ok);
            if let Some(there) = self.there(item) {
                out = self.b.ins().band(out, there);
            }
            if item.lo < i64::from(lo) || item.hi >= i64::from(lo) + n as i64 {
                self.fail_if(out);
            }
        }
        (i, ok)
    }

    /// The set of one number, of nothing none; one out of bounds fails.
    pub fn bit(&mut self, item: Int, lo: i32, n: usize) -> Bitset {
        let bound = Bound::below(n.max(1) as u64);
        let width = bound.width();
        if width.in_memory() {
            let all = self.gather(width);
            self.gather_number(all, item, lo, n);
            return self.gathered(all, bound);
        }
        let (i, ok) = self.bit_in(item, lo, n);
        let s = Bitset { v: self.single(i, width), width, bound };
        self.only_if_some(ok, s)
    }

    /// Adds a number to a set of up to `n` that is put together.
    fn gather_number(&mut self, to: Gather, item: Int, lo: i32, n: usize) {
        let (i, ok) = self.bit_in(item, lo, n);
        self.gather_bit(to, i, ok);
    }

    fn map(&mut self, over: &Over, lo: i32, n: usize) -> Bitset {
        let bound = Bound::below(n.max(1) as u64);
        let all = self.gather(bound.width());
        let set = self.set(&over.set);
        self.each(set, over.lo, |gn, member, _| {
            let term = gn.with_slot(over.slot, member, |gn| gn.num(&over.term));
            gn.gather_number(all, term, lo, n);
        });
        self.gathered(all, bound)
    }

    /// A set changed by many clauses, of which few apply: the sets of the others are not computed.
    fn changed_by_many(&mut self, whole: &SetE, also: &[(Cond, SetE)], except: &[(Cond, SetE)]) -> Bitset {
        let SetE::Change(s, ..) = whole else { return self.const_set(0) };
        let bound = self.bound_of(whole);
        let first = self.set(s);
        let first = self.within(first, bound);
        let all = self.set_var(bound, first);
        self.add_those(all, also);
        let all = self.now(all);
        if except.is_empty() {
            return all;
        }
        let none = self.const_set(0);
        let out = self.set_var(bound, none);
        self.add_those(out, except);
        let out = self.now(out);
        self.minus(all, out)
    }

    fn add_those(&mut self, to: SetVar, those: &[(Cond, SetE)]) {
        for (c, e) in those {
            let c = self.scoped(|gn| gn.cond(c));
            let (yes, done) = (self.block(), self.block());
            self.brif(c, yes, done);
            self.to(yes);
            self.scoped(|gn| {
                let e = gn.set(e);
                gn.add(to, e);
            });
            self.jump(done, &[]);
            self.to(done);
        }
    }

    fn join_all(&mut self, joined: &Joined) -> Bitset {
        let bound = self.bound_of(&joined.of);
        let none = self.const_set(0);
        let all = self.set_var(bound, none);
        let set = self.set(&joined.set);
        self.each(set, joined.lo, |gn, member, _| {
            gn.scoped(|gn| {
                let more = gn.with_slot(joined.slot, member, |gn| gn.set(&joined.of));
                gn.add(all, more);
            });
        });
        self.now(all)
    }

    // -- ordered piles --

    /// Where the items of an ordered pile are, with the offset of its entry, and how many there are.
    pub fn list(&mut self, p: &Place, index: Int) -> ((Value, i32), Value) {
        let (address, at, ok) = self.entry(p, index);
        let mut n = self.read(address, at, 2);
        let most = self.i32(p.span.min(65_535) as i64);
        n = self.b.ins().umin(n, most);
        if let Some(ok) = ok {
            let zero = self.i32(0);
            n = self.b.ins().select(ok, n, zero);
        }
        ((address, at + 2), n)
    }

    /// The address of an item, to which the offset is to be added.
    pub fn item(&mut self, p: &Place, address: Value, i: Value) -> Value {
        let i = self.b.ins().uextend(types::I64, i);
        let by = self.i64(u64::from(p.item));
        let i = self.b.ins().imul(i, by);
        self.b.ins().iadd(address, i)
    }

    pub fn top(&mut self, p: &Place, index: Int) -> Int {
        let ((address, at), n) = self.list(p, index);
        let none = self.cmp(IntCC::Equal, n, 0);
        let one = self.i32(1);
        let last = self.b.ins().isub(n, one);
        let zero = self.i32(0);
        let last = self.b.ins().select(none, zero, last);
        let item = self.item(p, address, last);
        let v = self.read(item, at, p.item);
        let nothing = self.i32(i64::from(NONE));
        let v = self.b.ins().select(none, nothing, v);
        Int { maybe: true, sure: false, ..Int::plain(v, 0, p.span.max(1) as i64 - 1) }
    }

    /// The members of an ordered pile.
    pub fn members(&mut self, p: &Place, index: Int) -> Bitset {
        let first = self.i32(0);
        self.members_from(p, index, first)
    }

    /// The members of an ordered pile from a place on, 32 bits.
    pub fn members_from(&mut self, p: &Place, index: Int, first: Value) -> Bitset {
        let ((address, at), n) = self.list(p, index);
        let bound = Bound::below(p.span);
        let width = bound.width();
        let all = self.gather(width);
        let i = self.var(types::I32, first);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.jump(head, &[]);
        self.to(head);
        let now = self.b.use_var(i);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, now, n);
        self.brif(more, inside, done);
        self.to(inside);
        let item = self.item(p, address, now);
        let v = self.read(item, at, p.item);
        let mut v = self.b.ins().uextend(types::I64, v);
        let mut ok = None;
        if width.in_memory() {
            // Whatever the bytes are, it is one of the set.
            let within = self.cmp(IntCC::UnsignedLessThan, v, i64::from(bound.count()));
            let zero = self.i64(0);
            v = self.b.ins().select(within, v, zero);
            ok = Some(within);
        }
        self.gather_bit(all, v, ok);
        let one = self.i32(1);
        let next = self.b.ins().iadd(now, one);
        self.b.def_var(i, next);
        self.jump(head, &[]);
        self.to(done);
        if width.in_memory() {
            return self.gathered(all, bound);
        }
        let s = self.gathered(all, Bound::all(width));
        self.within(s, bound)
    }

    pub fn only_if_some(&mut self, c: Option<Value>, s: Bitset) -> Bitset {
        match c {
            Some(c) => self.only_if(c, s),
            None => s,
        }
    }
}

/// Whether a set is found by going from member to member.
fn searches(s: &SetE) -> bool {
    match s {
        SetE::Reach(..) | SetE::Steps(..) => true,
        SetE::Union(ab) | SetE::Both(ab) | SetE::Minus(ab) => searches(&ab.0) || searches(&ab.1),
        _ => false,
    }
}
