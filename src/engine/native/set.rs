//! Sets.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::bitset::Gather;
use super::build::Build;
use super::int::{Bitset, Bound, Int, Width};
use super::num::Index;
use super::set_var::SetVar;
use crate::engine::bits::moved;
use crate::engine::bits::{Bits, Narrow};
use crate::engine::ir::{Cond, Joined, Mask, NONE, Num, Over, SetE};
use crate::engine::place::Place;

/// The maximum number of changes of a set that are all computed, whether or not they apply.
const MAX_AT_ONCE: usize = 3;

/// The maximum number of differences between the numbers of neighbours for which a flood goes by shifting.
const MAX_SHIFTS: usize = 12;

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
            SetE::Both(ab) => {
                let (a, b) = (self.set(&ab.0), self.set(&ab.1));
                self.meet(a, b)
            }
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

    /// A row of a table with so many empty ones more at its end.
    pub fn row(&mut self, table: &Arc<[Bits]>, (at, more): (Value, usize), ok: Option<Value>) -> Bitset {
        let bound = Bound::of(table.iter());
        let width = bound.width();
        let address = self.unit.rows(table, width, more);
        let at = self.or_last(at, ok, table.len());
        match width {
            Width::Word => return Bitset { v: self.look_up(address, at, types::I64), width, bound },
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

    // -- floods --

    fn reach(&mut self, rows: &Arc<[Bits]>, from: &Num, slot: u16, mask: &Mask) -> Bitset {
        let bound = Bound::of(rows.iter());
        let width = bound.width();
        let from = self.num(from);
        let (start, ok) = self.place(from, 0, rows.len().max(1) as u64);
        let first = self.row(rows, (start, 1), ok);
        let all = match bound {
            Bound::Few(all) => all,
            Bound::First(_) => return self.reach_in_memory(rows, first, (start, ok), slot, mask),
        };
        let home = self.single(start, width);
        let mut home = self.only_if_some(ok, Bitset { v: home, width, bound });
        if width == Width::Word && rows.len() > 64 {
            // A start beyond the word has no neighbour, so it is not in the set.
            let low = self.cmp(IntCC::UnsignedLessThan, start, 64);
            home = self.only_if(low, home);
        }
        match shifts(rows) {
            Some(shifts) if !mask.loops() => {
                let all = self.const_set(all);
                let open = self.mask(mask, slot, 0, all);
                let open = self.minus(open, home);
                let through = self.flood(&shifts, first, open);
                let v = self.shifted(&shifts, through);
                self.union(first, Bitset { v, width, bound })
            }
            _ => self.inline_plan(rows, first, home, slot, mask),
        }
    }

    /// Those of an open set that are come to from some, from neighbour to neighbour.
    fn flood(&mut self, shifts: &[(i32, Narrow)], first: Bitset, open: Bitset) -> Bitset {
        let start = self.meet(first, open);
        let Bound::Few(all) = first.bound else {
            return first;
        };
        let (head, done) = (self.block(), self.block());
        let before = self.b.append_block_param(head, Self::set_type(first.width));
        let start = self.fit(start, first.width);
        let open = self.fit(open, first.width);
        let mut opens = Vec::new();
        for (by, which) in shifts {
            // Where one may come to by this one; those who have no neighbour there must not come to another's.
            let to = moved(*which, i64::from(*by));
            let stray = moved(all & !which, i64::from(*by)) & all;
            opens.push(if stray == 0 {
                open
            } else {
                let to = self.bits(to, first.width);
                self.b.ins().band(open, to)
            });
        }
        self.jump(head, &[start]);
        self.to(head);
        let mut now = before;
        for ((by, _), open) in shifts.iter().zip(opens) {
            // Each shift starts from what the shifts before it have found.
            let moved = self.moved_by(now, *by);
            let fresh = self.b.ins().band(moved, open);
            now = self.b.ins().bor(now, fresh);
        }
        let grown = self.b.ins().bxor(now, before);
        let stop = self.none_of(Bitset { v: grown, ..first });
        self.b.ins().brif(stop, done, &[], head, &[now.into()]);
        self.to(done);
        Bitset { v: now, ..first }
    }

    /// The same, neighbour by neighbour, with a condition that is asked of each member.
    fn inline_plan(&mut self, rows: &Arc<[Bits]>, first: Bitset, home: Bitset, slot: u16, mask: &Mask) -> Bitset {
        let Bitset { width, bound, .. } = first;
        let none = self.bits(0, width);
        let reached = self.var(Self::set_type(width), none);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        let new = self.b.append_block_param(head, Self::set_type(width));
        self.jump(head, &[first.v]);
        self.to(head);
        let new = Bitset { v: new, width, bound };
        let stop = self.none_of(new);
        self.brif(stop, done, inside);
        self.to(inside);
        let now = self.b.use_var(reached);
        let now = self.b.ins().bor(now, new.v);
        self.b.def_var(reached, now);
        let through = self.mask(mask, slot, 0, new);
        let through = self.minus(through, home);
        let none = self.bits(0, width);
        let all = self.var(Self::set_type(width), none);
        self.each(through, 0, |gn, member, _| {
            let (at, ok) = gn.place(member, 0, rows.len().max(1) as u64);
            let row = gn.row(rows, (at, 1), ok);
            let now = gn.b.use_var(all);
            let v = gn.fit(row, width);
            let next = gn.b.ins().bor(now, v);
            gn.b.def_var(all, next);
        });
        let next = self.b.use_var(all);
        let now = self.b.use_var(reached);
        let fresh = self.b.ins().band_not(next, now);
        self.jump(head, &[fresh]);
        self.to(done);
        Bitset { v: self.b.use_var(reached), width, bound }
    }

    /// The same for sets in memory.
    fn reach_in_memory(
        &mut self,
        rows: &Arc<[Bits]>,
        first: Bitset,
        (start, ok): (Value, Option<Value>),
        slot: u16,
        mask: &Mask,
    ) -> Bitset {
        let Bitset { width, bound, .. } = first;
        let reached = self.gather(width);
        // What is found in a turn: those found in the turn before are in another place.
        let (new, next) = (self.gather(width), self.gather(width));
        let home = self.gather(Bound::below(rows.len() as u64).width().max(width));
        self.gather_bit(home, start, ok);
        let home = self.gathered(home, Bound::below(rows.len() as u64));
        self.gather_set(new, first);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.jump(head, &[]);
        self.to(head);
        let now = self.gathered(new, bound);
        let stop = self.none_of(now);
        self.brif(stop, done, inside);
        self.to(inside);
        self.gather_set(reached, now);
        let through = self.mask(mask, slot, 0, now);
        let through = self.minus(through, home);
        self.clear_gathered(next);
        self.each(through, 0, |gn, member, _| {
            let (at, ok) = gn.place(member, 0, rows.len().max(1) as u64);
            let row = gn.row(rows, (at, 1), ok);
            gn.gather_set(next, row);
        });
        let (found, known) = (self.gathered(next, bound), self.gathered(reached, bound));
        let fresh = self.minus(found, known);
        self.clear_gathered(new);
        self.gather_set(new, fresh);
        self.jump(head, &[]);
        self.to(done);
        self.gathered(reached, bound)
    }

    fn only_if_some(&mut self, c: Option<Value>, s: Bitset) -> Bitset {
        match c {
            Some(c) => self.only_if(c, s),
            None => s,
        }
    }

    /// Those of a set that have a neighbour so much further on, moved there.
    fn shift(&mut self, by: i32, which: Narrow, s: Bitset) -> Value {
        let which = self.bits(which, s.width);
        let those = self.b.ins().band(s.v, which);
        self.moved_by(those, by)
    }

    /// The neighbours of a set, each difference between the numbers of neighbours at once.
    fn shifted(&mut self, shifts: &[(i32, Narrow)], s: Bitset) -> Value {
        let mut all = self.bits(0, s.width);
        for (by, which) in shifts {
            let moved = self.shift(*by, *which, s);
            all = self.b.ins().bor(all, moved);
        }
        all
    }
}

/// The differences between the numbers of neighbours, and the cells with a neighbour at each; `None` if there are many.
fn shifts(rows: &[Bits]) -> Option<Vec<(i32, Narrow)>> {
    let mut all: Vec<(i32, Narrow)> = Vec::new();
    for (x, row) in rows.iter().enumerate() {
        let mut row = row.narrow();
        while row != 0 {
            let by = row.trailing_zeros() as i32 - x as i32;
            row &= row - 1;
            match all.iter().position(|(d, _)| *d == by) {
                Some(i) => all[i].1 |= 1 << x,
                None if all.len() == MAX_SHIFTS => return None,
                None => all.push((by, 1 << x)),
            }
        }
    }
    Some(all)
}
