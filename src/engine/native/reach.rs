//! What links lead to, from member to member.
//!
//! Where the start depends on the position, what was reached is kept, with the start it was reached from: the next time
//! only what is new is gone through.

use std::sync::Arc;

use cranelift_codegen::ir::{InstBuilder, Value};

use super::bitset::Gather;
use super::build::Build;
use super::int::{Bitset, Bound, Width};
use crate::engine::bits::{Bits, Narrow, moved};
use crate::engine::ir::{Mask, SetE};
use crate::engine::tree::of;

/// The maximum number of differences between the numbers of neighbours for which a flood goes by shifting.
const MAX_SHIFTS: usize = 12;

/// The maximum number of values of a parameter for each of which what was reached is kept.
const MAX_KEPT: i64 = 16;

/// The sets that are kept of a search: the members gone through, their neighbours, and where it began.
const SETS: u32 = 3;

/// A search along links.
struct Search<'a> {
    /// For each member those that links lead to.
    rows: &'a Arc<[Bits]>,
    from: &'a SetE,
    slot: u16,
    /// Which members it may go through.
    mask: &'a Mask,
}

impl Build<'_, '_, '_> {
    /// Those that links lead to from some, through members that meet a condition.
    pub fn reach(&mut self, rows: &Arc<[Bits]>, from: &SetE, slot: u16, mask: &Mask) -> Bitset {
        let bound = Bound::of(rows.iter());
        let search = Search { rows, from, slot, mask };
        let Bound::Few(all) = bound else {
            return self.reach_in_memory(&search, bound);
        };
        let at_once = !mask.loops() && Bound::below(rows.len() as u64).width() == bound.width();
        if at_once && let Some(kept) = self.place_kept(&search, bound.width()) {
            return self.reach_on(&search, bound, kept);
        }
        let start = self.set(from);
        let first = self.neighbours_of(rows, from, start, bound);
        let home = self.fit(start, bound.width());
        let home = Bitset { v: home, width: bound.width(), bound: start.bound };
        match shifts(rows) {
            Some(shifts) if !mask.loops() => {
                let all = self.const_set(all);
                let open = self.mask(mask, slot, 0, all);
                let open = self.minus(open, home);
                let through = self.meet(first, open);
                let through = self.flood(&shifts, through, open, bound);
                let v = self.shifted(&shifts, through);
                self.union(first, Bitset { v, width: bound.width(), bound })
            }
            _ => self.reach_by_members(&search, first, home),
        }
    }

    /// The neighbours of where a search begins.
    fn neighbours_of(&mut self, rows: &Arc<[Bits]>, from: &SetE, start: Bitset, bound: Bound) -> Bitset {
        if let SetE::Of(items, 0, _, _) = from
            && let [item] = &**items
        {
            let item = self.num(item);
            let (at, ok) = self.place(item, 0, rows.len().max(1) as u64);
            return self.row(rows, (at, 1), ok);
        }
        let all = self.gather(bound.width());
        self.gather_neighbours(all, rows, start);
        self.gathered(all, bound)
    }

    /// Adds the neighbours of some members.
    fn gather_neighbours(&mut self, to: Gather, rows: &Arc<[Bits]>, of: Bitset) {
        self.each(of, 0, |gn, member, _| {
            let (at, ok) = gn.place(member, 0, rows.len().max(1) as u64);
            let row = gn.row(rows, (at, 1), ok);
            gn.gather_set(to, row);
        });
    }

    /// Those of an open set that are come to from some of them, from neighbour to neighbour.
    fn flood(&mut self, shifts: &[(i32, Narrow)], start: Bitset, open: Bitset, bound: Bound) -> Bitset {
        let width = bound.width();
        let Bound::Few(all) = bound else {
            return start;
        };
        let (head, done) = (self.block(), self.block());
        let before = self.b.append_block_param(head, Self::set_type(width));
        let start = self.fit(start, width);
        let open = self.fit(open, width);
        let mut opens = Vec::new();
        for (by, which) in shifts {
            // Where one may come to by this one; those who have no neighbour there must not come to another's.
            let to = moved(*which, i64::from(*by));
            let stray = moved(all & !which, i64::from(*by)) & all;
            opens.push(if stray == 0 {
                open
            } else {
                let to = self.bits(to, width);
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
        let stop = self.none_of(Bitset { v: grown, width, bound });
        self.b.ins().brif(stop, done, &[], head, &[now.into()]);
        self.to(done);
        Bitset { v: now, width, bound }
    }

    /// A search that asks each member that it comes to.
    fn reach_by_members(&mut self, search: &Search, first: Bitset, home: Bitset) -> Bitset {
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
        let through = self.mask(search.mask, search.slot, 0, new);
        let through = self.minus(through, home);
        let all = self.gather(width);
        self.gather_neighbours(all, search.rows, through);
        let next = self.gathered(all, bound);
        let now = self.b.use_var(reached);
        let fresh = self.b.ins().band_not(next.v, now);
        self.jump(head, &[fresh]);
        self.to(done);
        Bitset { v: self.b.use_var(reached), width, bound }
    }

    /// The same for sets in memory.
    fn reach_in_memory(&mut self, search: &Search, bound: Bound) -> Bitset {
        let Search { rows, from, slot, mask } = *search;
        let width = bound.width();
        let start = self.set(from);
        let reached = self.gather(width);
        // What is found in a turn: those found in the turn before are in another place.
        let (new, next) = (self.gather(width), self.gather(width));
        let home = self.gather(Bound::below(rows.len() as u64).width().max(width));
        let start = self.within(start, Bound::below(rows.len() as u64));
        self.gather_set(home, start);
        let home = self.gathered(home, Bound::below(rows.len() as u64));
        self.gather_neighbours(new, rows, start);
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
        self.gather_neighbours(next, rows, through);
        let (found, known) = (self.gathered(next, bound), self.gathered(reached, bound));
        let fresh = self.minus(found, known);
        self.clear_gathered(new);
        self.gather_set(new, fresh);
        self.jump(head, &[]);
        self.to(done);
        self.gathered(reached, bound)
    }

    // -- going on from what was reached before --

    /// Where to keep what a search reaches: a place for each value of the one parameter that it depends on. `None` if
    /// it begins at a single member, which is another one each time, or depends on more.
    fn place_kept(&mut self, search: &Search, width: Width) -> Option<Value> {
        if matches!(search.from, SetE::Of(items, ..) if items.len() == 1) {
            return None;
        }
        let whole = SetE::Reach(
            Arc::clone(search.rows),
            Box::new(search.from.clone()),
            search.slot,
            Box::new(search.mask.clone()),
        );
        let on = of(&self.unit.program.shared, &whole);
        if !on.sets.is_empty() || !on.dynamic {
            return None;
        }
        let by = match on.slots[..] {
            [] => None,
            [slot] => Some(*self.slots.get(&slot)?),
            _ => return None,
        };
        let (lo, count) = by.map_or((0, 1), |by| (by.lo, by.hi - by.lo + 1));
        if !(1..=MAX_KEPT).contains(&count) {
            return None;
        }
        let step = SETS * width.bytes() as u32;
        let kept = self.kept(format!("{whole:?} {lo} {count}"), step * count as u32)?;
        let Some(by) = by else { return Some(kept) };
        let (i, _) = self.place(by, lo, count as u64);
        let i = self.times(i, step);
        Some(self.b.ins().iadd(kept, i))
    }

    /// A search that goes on from what it reached before, where that was part of what it reaches now.
    fn reach_on(&mut self, search: &Search, bound: Bound, kept: Value) -> Bitset {
        let Search { rows, from, slot, mask } = *search;
        let width = bound.width();
        let cells = Bound::below(rows.len() as u64);
        let Bound::Few(all) = cells else { return self.const_set(0) };
        let start = self.set(from);
        let start = self.within(start, cells);
        let start = Bitset { v: self.fit(start, width), width, bound: cells };
        let all = self.const_set(all);
        let open = self.mask(mask, slot, 0, all);
        let open = self.union(open, start);
        let open = Bitset { v: self.fit(open, width), width, bound: cells };
        let [through, next] = self.load_kept(kept, width).map(|v| Bitset { v, width, bound: cells });
        let mut lost = self.minus(through, open);
        let follows = self.start_follows(search);
        if !follows {
            let [.., began] = self.load_kept::<{ SETS as usize }>(kept, width);
            let left = self.minus(Bitset { v: began, width, bound: cells }, start);
            lost = self.union(lost, left);
        }
        let keep = |b: &mut Self, [through, next]: [Value; 2]| match follows {
            true => b.store_kept(kept, width, [through, next]),
            false => b.store_kept(kept, width, [through, next, start.v]),
        };
        let near = self.union(start, next);
        let new = self.minus(open, through);
        let new = self.meet(new, near);
        let differs = self.union(lost, new);
        let same = self.none_of(differs);
        let (search_on, grow, anew, done) = (self.block(), self.block(), self.block(), self.block());
        let result = self.b.append_block_param(done, Self::set_type(width));
        self.b.ins().brif(same, done, &[next.v.into()], search_on, &[]);
        self.to(search_on);
        let intact = self.none_of(lost);
        self.brif(intact, grow, anew);
        self.to(grow);
        let grown = self.grow(rows, [through, next, new], open);
        keep(self, grown);
        self.jump(done, &[grown[1]]);
        self.to(anew);
        let found = match shifts(rows) {
            Some(shifts) => {
                let through = self.flood(&shifts, start, open, cells);
                [through.v, self.shifted(&shifts, through)]
            }
            None => {
                let none = self.only_none(start);
                self.grow(rows, [none, none, start], open)
            }
        };
        keep(self, found);
        self.jump(done, &[found[1]]);
        self.to(done);
        Bitset { v: result, width, bound }
    }

    /// Whether the start is those of some that are always the same which the search may go through: what leaves the
    /// start cannot be gone through any more.
    fn start_follows(&self, search: &Search) -> bool {
        // A condition on an entry of a variable has no slot of its own.
        if !matches!(search.mask, Mask::Field(..)) {
            return false;
        }
        let mask = format!("{:?}", search.mask);
        let is_fixed = |s: &SetE| !of(&self.unit.program.shared, s).dynamic;
        let meets = |s: &SetE| matches!(s, SetE::Filter(f) if is_fixed(&f.set) && format!("{:?}", f.mask) == mask);
        match search.from {
            SetE::Both(ab) => meets(&ab.0) && is_fixed(&ab.1) || is_fixed(&ab.0) && meets(&ab.1),
            from => meets(from),
        }
    }

    /// The members gone through and their neighbours, with new ones of an open set and all that these lead to.
    fn grow(&mut self, rows: &Arc<[Bits]>, [through, next, new]: [Bitset; 3], open: Bitset) -> [Value; 2] {
        let Bitset { width, bound, .. } = open;
        let set = |v: Value| Bitset { v, width, bound };
        let known = self.union(through, new);
        let known = self.var(Self::set_type(width), known.v);
        let all = self.gather(width);
        self.gather_set(all, next);
        // One loop over single members, and not one over those of each round: a processor foresees its end more often.
        let (head, inside, done) = (self.block(), self.block(), self.block());
        let left = self.b.append_block_param(head, Self::set_type(width));
        self.jump(head, &[new.v]);
        self.to(head);
        let left = set(left);
        let stop = self.none_of(left);
        self.brif(stop, done, inside);
        self.to(inside);
        self.count_turn(done);
        let bit = self.lowest(left);
        let member = self.member(bit, &left, 0);
        let (at, ok) = self.place(member, 0, rows.len().max(1) as u64);
        let row = self.row(rows, (at, 1), ok);
        self.gather_set(all, row);
        let before = self.b.use_var(known);
        let found = self.meet(row, open);
        let found = self.fit(found, width);
        let fresh = self.b.ins().band_not(found, before);
        let now = self.b.ins().bor(before, fresh);
        self.b.def_var(known, now);
        let rest = self.rest(left);
        let left = self.b.ins().bor(rest.v, fresh);
        self.jump(head, &[left]);
        self.to(done);
        let next = self.gathered(all, bound);
        [self.b.use_var(known), next.v]
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
