//! Sets.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::Build;
use super::int::{Bitset, Int, needs_wide};
use super::mask::moved;
use crate::engine::bits::{Bits, Narrow};
use crate::engine::ir::{Mask, NONE, Num, Over, SetE};
use crate::engine::place::Place;

/// The maximum number of differences between the numbers of neighbours for which a flood goes by shifting.
const MAX_SHIFTS: usize = 12;

impl Build<'_, '_, '_> {
    /// A set.
    pub fn set(&mut self, s: &SetE) -> Bitset {
        match s {
            SetE::Const(bits) => self.const_set(bits.narrow()),
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
                let (at, ok) = self.lin(lin, table.len());
                self.row(table, at, ok)
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
            SetE::Of(items, lo, n) => {
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
            SetE::Reach(rows, from, slot, mask) => self.reach(rows, from, *slot, mask),
            SetE::Passed(_) => self.set_by_tree(s),
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

    /// A row of a table.
    pub fn row(&mut self, table: &Arc<[Bits]>, at: Value, ok: Option<Value>) -> Bitset {
        let bound = table.iter().fold(0, |all, row| all | row.narrow());
        let wide = needs_wide(bound);
        let address = self.unit.rows(table, wide);
        let at = self.or_last(at, ok, table.len());
        if !wide {
            return Bitset { v: self.look_up(address, at, types::I64), wide, bound };
        }
        let one = self.b.ins().iconst(types::I32, 1);
        let at = self.b.ins().ishl(at, one);
        let low = self.look_up(address, at, types::I64);
        let high = self.look_up(address.wrapping_add(8), at, types::I64);
        Bitset { v: self.b.ins().iconcat(low, high), wide, bound }
    }

    /// The set of one number, of nothing none; one out of bounds fails.
    pub fn bit(&mut self, item: Int, lo: i32, n: usize) -> Bitset {
        let n = n.clamp(1, 128) as u64;
        let bound = if n == 128 { Narrow::MAX } else { (1 << n) - 1 };
        let wide = needs_wide(bound);
        let (i, ok) = self.place(item, i64::from(lo), n);
        let v = self.single(i, wide);
        let s = Bitset { v, wide, bound };
        let Some(ok) = ok else {
            return s;
        };
        let mut out = self.flip(ok);
        if let Some(there) = self.there(item) {
            out = self.b.ins().band(out, there);
        }
        if item.lo < i64::from(lo) || item.hi >= i64::from(lo) + n as i64 {
            self.fail_if(out);
        }
        self.only_if(ok, s)
    }

    fn map(&mut self, over: &Over, lo: i32, n: usize) -> Bitset {
        let n = n.clamp(1, 128);
        let bound = if n == 128 { Narrow::MAX } else { (1 << n) - 1 };
        let wide = needs_wide(bound);
        let none = self.bits(0, wide);
        let all = self.var(Self::set_type(wide), none);
        let set = self.set(&over.set);
        self.each(set, over.lo, |gn, member, _| {
            let term = gn.with_slot(over.slot, member, |gn| gn.num(&over.term));
            let bit = gn.bit(term, lo, n);
            let now = gn.b.use_var(all);
            let next = gn.b.ins().bor(now, bit.v);
            gn.b.def_var(all, next);
        });
        Bitset { v: self.b.use_var(all), wide, bound }
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
        let bound = super::build::set_bound(&Place { width: 16, ..*p });
        let wide = needs_wide(bound);
        let none = self.bits(0, wide);
        let all = self.var(Self::set_type(wide), none);
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
        let v = self.b.ins().uextend(types::I64, v);
        let bit = self.single(v, wide);
        let sum = self.b.use_var(all);
        let sum = self.b.ins().bor(sum, bit);
        self.b.def_var(all, sum);
        let one = self.i32(1);
        let next = self.b.ins().iadd(now, one);
        self.b.def_var(i, next);
        self.jump(head, &[]);
        self.to(done);
        let v = self.b.use_var(all);
        let s = Bitset { v, wide, bound: if wide { Narrow::MAX } else { u64::MAX.into() } };
        let bound = self.const_set(bound);
        self.meet(s, bound)
    }

    // -- floods --

    fn reach(&mut self, rows: &Arc<[Bits]>, from: &Num, slot: u16, mask: &Mask) -> Bitset {
        let bound = rows.iter().fold(0, |all, row| all | row.narrow());
        let wide = needs_wide(bound);
        let from = self.num(from);
        let (start, ok) = self.place(from, 0, rows.len().max(1) as u64);
        let first = self.row(rows, start, ok);
        let home = self.single(start, wide);
        let mut home = self.only_if_some(ok, Bitset { v: home, wide, bound });
        if !wide && rows.len() > 64 {
            // One that is no neighbour of any is none of the set.
            let low = self.cmp(IntCC::UnsignedLessThan, start, 64);
            home = self.only_if(low, home);
        }
        match shifts(rows) {
            Some(shifts) if !mask.loops() => {
                let all = self.const_set(bound);
                let open = self.mask(mask, slot, 0, all);
                let open = self.minus(open, home);
                let through = self.flood(&shifts, first, open);
                let v = self.shifted(&shifts, through);
                self.union(first, Bitset { v, wide, bound })
            }
            _ => self.inline_plan(rows, first, home, slot, mask),
        }
    }

    /// Those of an open set that are come to from some, from neighbour to neighbour.
    fn flood(&mut self, shifts: &[(i32, Narrow)], first: Bitset, open: Bitset) -> Bitset {
        let start = self.meet(first, open);
        let (head, done) = (self.block(), self.block());
        let before = self.b.append_block_param(head, Self::set_type(first.wide));
        let start = self.fit(start, first.wide);
        let open = self.fit(open, first.wide);
        let mut opens = Vec::new();
        for (by, which) in shifts {
            // Where one may come to by this one; those who have no neighbour there must not come to another's.
            let to = moved(*which, i64::from(*by));
            let stray = moved(first.bound & !which, i64::from(*by)) & first.bound;
            opens.push(if stray == 0 {
                open
            } else {
                let to = self.bits(to, first.wide);
                self.b.ins().band(open, to)
            });
        }
        self.jump(head, &[start]);
        self.to(head);
        let mut now = before;
        for ((by, _), open) in shifts.iter().zip(opens) {
            // One after the other: what is found by one goes on by the next.
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
        let Bitset { wide, bound, .. } = first;
        let none = self.bits(0, wide);
        let reached = self.var(Self::set_type(wide), none);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        let new = self.b.append_block_param(head, Self::set_type(wide));
        self.jump(head, &[first.v]);
        self.to(head);
        let new = Bitset { v: new, wide, bound };
        let stop = self.none_of(new);
        self.brif(stop, done, inside);
        self.to(inside);
        let now = self.b.use_var(reached);
        let now = self.b.ins().bor(now, new.v);
        self.b.def_var(reached, now);
        let through = self.mask(mask, slot, 0, new);
        let through = self.minus(through, home);
        let none = self.bits(0, wide);
        let all = self.var(Self::set_type(wide), none);
        self.each(through, 0, |gn, member, _| {
            let (at, ok) = gn.place(member, 0, rows.len().max(1) as u64);
            let row = gn.row(rows, at, ok);
            let now = gn.b.use_var(all);
            let v = gn.fit(row, wide);
            let next = gn.b.ins().bor(now, v);
            gn.b.def_var(all, next);
        });
        let next = self.b.use_var(all);
        let now = self.b.use_var(reached);
        let fresh = self.b.ins().band_not(next, now);
        self.jump(head, &[fresh]);
        self.to(done);
        Bitset { v: self.b.use_var(reached), wide, bound }
    }

    fn only_if_some(&mut self, c: Option<Value>, s: Bitset) -> Bitset {
        match c {
            Some(c) => self.only_if(c, s),
            None => s,
        }
    }

    /// Those of a set that have a neighbour so much further on, moved there.
    fn shift(&mut self, by: i32, which: Narrow, s: Bitset) -> Value {
        let which = self.bits(which, s.wide);
        let those = self.b.ins().band(s.v, which);
        self.moved_by(those, by)
    }

    /// The neighbours of a set, each difference between the numbers of neighbours at once.
    fn shifted(&mut self, shifts: &[(i32, Narrow)], s: Bitset) -> Value {
        let mut all = self.bits(0, s.wide);
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
