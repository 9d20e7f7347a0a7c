//! Conditions on all members of a set at once.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Opcode, StackSlotData, StackSlotKind, Value, types};

use super::bitset::Gather;
use super::build::Build;
use super::constants::known_word;
use super::int::{Bitset, Bound, Width};
use crate::engine::beyond::Beyond;
use crate::engine::bits::{Bits, Narrow, moved};
use crate::engine::eval::MAX_TALLY;
use crate::engine::ir::{Cond, Mask, Num, SetE};
use crate::engine::place::Place;
use crate::engine::tree::of;

/// The maximum number of members for each of which a condition has code of its own.
const MAX_UNROLLED_MEMBERS: u32 = 8;
/// The maximum number of members that are counted one by one, without a loop.
const UNROLLED: u32 = 24;

impl Build<'_, '_, '_> {
    /// Those of `within` that meet the condition; `slot` is the member, bit 0 stands for `lo`.
    pub fn mask(&mut self, m: &Mask, slot: u16, lo: i32, within: Bitset) -> Bitset {
        let within = self.compact(within);
        match m {
            Mask::All => within,
            Mask::And(ms) => self.all(ms, slot, lo, within),
            Mask::Or(ms) => {
                let mut found = Bitset { bound: Bound::NONE, ..self.only_none(within) };
                for (i, m) in ms.iter().enumerate() {
                    let more = if self.is_small(|f| m.walk(f)) {
                        self.mask(m, slot, lo, within)
                    } else {
                        let left = if i == 0 { within } else { self.minus(within, found) };
                        self.unless_empty(left, |b| b.mask(m, slot, lo, left))
                    };
                    found = self.union(found, more);
                }
                found
            }
            Mask::Either(of) => {
                let (c, a, b) = &**of;
                if let Some(c) = self.decides(c, [a, b].into_iter(), within) {
                    let [a, b] = [a, b].map(std::slice::from_ref);
                    return self.one_of(c, within, |gn| gn.all(a, slot, lo, within), |gn| gn.all(b, slot, lo, within));
                }
                let those = self.mask(c, slot, lo, within);
                let others = self.minus(within, those);
                let those = self.all(std::slice::from_ref(a), slot, lo, those);
                let others = self.all(std::slice::from_ref(b), slot, lo, others);
                self.union(those, others)
            }
            Mask::Not(m) => {
                let those = self.mask(m, slot, lo, within);
                self.minus(within, those)
            }
            Mask::Scalar(c) => {
                let c = self.cond(c);
                self.only_if(c, within)
            }
            Mask::Let(binds, m) => match self.bind(binds) {
                None => self.mask(m, slot, lo, within),
                Some(there) => {
                    let left = self.only_if(there, within);
                    self.unless_empty(left, |b| b.mask(m, slot, lo, left))
                }
            },
            Mask::In(s) => {
                let s = self.set(s);
                self.meet(within, s)
            }
            Mask::Is(n) => {
                let n = self.num(n);
                let (i, ok) = self.place(n, i64::from(lo), u64::from(within.top()) + 1);
                if within.width.in_memory() {
                    let there = self.has(within, i);
                    let there = self.both(ok, there);
                    let found = self.gather(within.width);
                    self.gather_bit(found, i, Some(there));
                    return self.gathered(found, within.bound);
                }
                let bit = Bitset { v: self.single(i, within.width), ..within };
                let those = self.meet(within, bit);
                match ok {
                    Some(ok) => self.only_if(ok, those),
                    None => those,
                }
            }
            Mask::Field(p, n) => {
                let those = self.those_with(p, n);
                self.meet_sound(within, those)
            }
            Mask::FieldFrom(p, first, n) => {
                let those = self.those_with(p, n);
                let those = self.down(those, *first);
                self.meet(within, those)
            }
            Mask::Held(p, row) => {
                let row = self.num(row);
                let those = self.held_in_row(p, row);
                self.meet(within, those)
            }
            Mask::Stored(p, set) => {
                let those = self.those_with_any(p, set);
                self.meet(within, those)
            }
            Mask::Tally(p, set, by) => {
                let those = self.tally(p, set, by, lo);
                self.meet(within, those)
            }
            Mask::Along(along) => {
                let those = self.along(along);
                self.meet(within, those)
            }
            Mask::Beyond(beyond) => {
                let those = self.beyond_stops(beyond);
                self.meet(within, those)
            }
            Mask::ByValue(by) => self.masks_by_value(by, slot, lo, within),
            // The set may fail: it is found only if a member is asked about.
            Mask::Linked(back, set, by) => self.unless_empty(within, |b| {
                let those = b.linked(back, set, by);
                b.meet(within, those)
            }),
            Mask::Loop(c) => {
                if let Bound::Few(few) = within.bound
                    && few.count_ones() <= MAX_UNROLLED_MEMBERS
                    && self.is_short(c)
                {
                    return self.one_by_one(c, slot, lo, (within, few));
                }
                let found = self.gather(within.width);
                self.each(within, lo, |b, member, bit| {
                    let c = b.with_slot(slot, member, |b| b.cond(c));
                    b.gather_bit(found, bit, Some(c));
                });
                self.gathered(found, within.bound)
            }
        }
    }

    /// Those of a set that meet all of some conditions. Where none is left, nothing more is asked.
    fn all(&mut self, ms: &[Mask], slot: u16, lo: i32, within: Bitset) -> Bitset {
        let Some((m, more)) = ms.split_first() else { return within };
        if let Some(c) = self.decides(m, more.iter(), within) {
            return self.one_of(c, within, |gn| gn.all(more, slot, lo, within), |gn| gn.only_none(within));
        }
        let rest = |b: &mut Self| {
            let left = b.mask(m, slot, lo, within);
            b.all(more, slot, lo, left)
        };
        if self.is_small(|f| m.walk(f)) { rest(self) } else { self.unless_empty(within, rest) }
    }

    /// The condition to branch by, if it is not about the member, there certainly are members, and one of the other
    /// conditions is not small.
    fn decides<'m>(&mut self, m: &Mask, mut others: impl Iterator<Item = &'m Mask>, within: Bitset) -> Option<Value> {
        let Mask::Scalar(c) = m else { return None };
        let decides = self.has_some(within) && others.any(|m| !self.is_small(|f| m.walk(f)));
        decides.then(|| self.cond(c))
    }

    /// Those that one part gives, or another, by a condition. Each part gives some of `within`.
    fn one_of(
        &mut self,
        c: Value,
        within: Bitset,
        part: impl FnOnce(&mut Self) -> Bitset,
        other: impl FnOnce(&mut Self) -> Bitset,
    ) -> Bitset {
        let (yes, no, done) = (self.block(), self.block(), self.block());
        let result = self.b.append_block_param(done, Self::set_type(within.width));
        self.brif(c, yes, no);
        self.to(yes);
        let those = part(self);
        let v = self.fit(those, within.width);
        self.jump(done, &[v]);
        self.to(no);
        let those = other(self);
        let v = self.fit(those, within.width);
        self.jump(done, &[v]);
        self.to(done);
        Bitset { v: result, ..within }
    }

    /// The entries of a variable of one byte or two that have a value.
    fn those_with(&mut self, p: &Place, n: &Num) -> Bitset {
        let Some(value_indexes) = self.unit.value_index.of(p) else {
            let n = self.num(n);
            return self.field(p, n);
        };
        if let Some(found) = self.value_set_by_table(&value_indexes, p, n) {
            return found;
        }
        let n = self.num(n);
        self.value_set(&value_indexes, p, n)
    }

    /// The entries of a variable of one byte that have one of some values, given as they are stored.
    fn those_with_any(&mut self, p: &Place, set: &SetE) -> Bitset {
        let value_indexes = self.unit.value_index.of(p);
        let found = value_indexes.and_then(|value_indexes| self.value_sets(&value_indexes, set));
        found.unwrap_or_else(|| {
            let set = self.set(set);
            self.stored_in(p, set)
        })
    }

    /// The bits of a set of one word from one on, as the first ones.
    fn down(&mut self, s: Bitset, first: u32) -> Bitset {
        let by = self.b.ins().iconst(types::I32, i64::from(first));
        let bound = if let Bound::Few(few) = s.bound { Bound::Few(few >> first) } else { s.bound };
        Bitset { v: self.b.ins().ushr(s.v, by), bound, ..s }
    }

    /// Those on lines behind the first member of a set.
    fn beyond_stops(&mut self, beyond: &Beyond) -> Bitset {
        let lines = |b: &mut Self, lines: &[SetE]| lines.iter().map(|line| b.set(line)).collect::<Vec<_>>();
        let (rising, falling) = (lines(self, &beyond.rising), lines(self, &beyond.falling));
        let bound = rising.iter().chain(&falling).fold(Bound::NONE, |all, line| all.or(line.bound));
        let width = bound.width();
        let stops = self.set(&beyond.stops);
        let stops = self.fit(stops, width);
        let others = self.others(stops, bound);
        let one = self.bits(1, width);
        let mut found = self.bits(0, width);
        for line in rising {
            let line = self.fit(line, width);
            let stopped = self.without_or_with(line, others, stops);
            let less = self.b.ins().isub(stopped, one);
            let as_far = self.b.ins().bxor(stopped, less);
            let behind = self.b.ins().band_not(line, as_far);
            found = self.b.ins().bor(found, behind);
        }
        let top = self.bits(1 << (8 * width.bytes() - 1), width);
        for line in falling {
            let line = self.fit(line, width);
            let stopped = self.without_or_with(line, others, stops);
            // Where there is none, nothing lies behind the lowest bit.
            let stopped = self.b.ins().bor(stopped, one);
            let above = self.b.ins().clz(stopped);
            let as_far = self.b.ins().sshr(top, above);
            let behind = self.b.ins().band_not(line, as_far);
            found = self.b.ins().bor(found, behind);
        }
        Bitset { v: found, width, bound }
    }

    /// The set B, where a set of one word was computed as A without B, and A includes all of a bound.
    fn others(&self, s: Value, bound: Bound) -> Option<Value> {
        let dfg = &self.b.func.dfg;
        let args = |v: Value, of: Opcode| {
            let inst = dfg.value_def(v).inst()?;
            (dfg.insts[inst].opcode() == of).then(|| dfg.inst_args(inst))
        };
        let &[all, rest] = args(s, Opcode::Band)? else { return None };
        let &[others] = args(rest, Opcode::Bnot)? else { return None };
        let all = Bound::Few(known_word(dfg, all)?.into());
        bound.is_within(all).then_some(others)
    }

    /// The members of a line that are in a set: computed as those not in `others`, if these are known.
    fn without_or_with(&mut self, line: Value, others: Option<Value>, set: Value) -> Value {
        match others {
            Some(others) => self.b.ins().band_not(line, others),
            None => self.b.ins().band(line, set),
        }
    }

    /// A set held no wider than its bits want.
    fn compact(&mut self, s: Bitset) -> Bitset {
        let width = s.bound.width();
        if s.width.in_memory() && width < s.width { Bitset { v: self.fit(s, width), width, ..s } } else { s }
    }

    /// Those of a few members that meet a condition that cannot fail.
    fn one_by_one(&mut self, c: &Cond, slot: u16, lo: i32, (within, few): (Bitset, Narrow)) -> Bitset {
        let mut found = self.only_none(within);
        crate::engine::bits::each_narrow(few, |bit| {
            let member = self.number(lo + bit as i32);
            let c = self.with_slot(slot, member, |b| b.cond(c));
            let one = self.bits(1 << bit, within.width);
            let none = self.bits(0, within.width);
            let one = self.b.ins().select(c, one, none);
            found.v = self.b.ins().bor(found.v, one);
        });
        self.meet(within, found)
    }

    /// Part of a set, found only if there is anything in it.
    pub fn unless_empty(&mut self, s: Bitset, part: impl FnOnce(&mut Self) -> Bitset) -> Bitset {
        if self.has_some(s) {
            let part = part(self);
            return Bitset { v: self.fit(part, s.width), ..s };
        }
        let (some, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, Self::set_type(s.width));
        let none = self.none_of(s);
        self.b.ins().brif(none, done, &[s.v.into()], some, &[]);
        self.to(some);
        let part = self.where_some(s, part);
        let v = self.fit(part, s.width);
        self.jump(done, &[v]);
        self.to(done);
        Bitset { v: result, ..s }
    }

    /// Whether a set is known not to be empty.
    pub fn has_some(&self, s: Bitset) -> bool {
        self.some.contains(&s.v)
    }

    /// What is done where a set is not empty. A set in memory may change meanwhile.
    pub fn where_some<T>(&mut self, s: Bitset, part: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.some.len();
        self.some.extend((!s.width.in_memory()).then_some(s.v));
        let made = part(self);
        self.some.truncate(known);
        made
    }

    /// Makes the counts that conditions ask for and that depend on nothing but the position, once for all of them.
    pub fn count_ahead(&mut self, masks: &[(&Mask, i32)]) {
        let mut wanted: Vec<Wanted> = Vec::new();
        for (m, lo) in masks {
            self.tallies_of(m, *lo, &mut wanted);
        }
        for Wanted { key, p, set, numbers, levels, asked } in wanted {
            let those = self.set(set);
            let counts = self.counts(p, those, numbers, levels);
            // The highest first: with it all of them are found member by member, so that few values wait at a time.
            counts.iter().rev().for_each(|v| self.pin(*v));
            self.tallies.insert(key, counts);
            // What is asked of several is found here too.
            for (by, lo, _) in asked.into_iter().filter(|(.., times)| *times > 1) {
                let found = self.tally(p, set, by, lo);
                self.pin(found.v);
                self.tallied.insert(tallied_key(p, set, by, lo), found);
            }
        }
    }

    /// Has a value computed here, and not wherever it is wanted first on each way from here.
    fn pin(&mut self, v: Value) {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, self.b.func.dfg.value_type(v).bytes(), 3);
        let slot = self.b.create_sized_stack_slot(data);
        self.b.ins().stack_store(types::I64, v, slot, 0);
    }

    fn tallies_of<'m>(&self, m: &'m Mask, lo: i32, wanted: &mut Vec<Wanted<'m>>) {
        match m {
            Mask::And(ms) | Mask::Or(ms) => ms.iter().for_each(|m| self.tallies_of(m, lo, wanted)),
            Mask::Either(of) => [&of.0, &of.1, &of.2].into_iter().for_each(|m| self.tallies_of(m, lo, wanted)),
            Mask::Not(m) => self.tallies_of(m, lo, wanted),
            Mask::Tally(p, set, by) => {
                let s = of(&self.unit.program.shared, &**set);
                if !s.slots.is_empty() || !s.sets.is_empty() || s.risky || is_counted_in_memory(p, by) {
                    return;
                }
                let (numbers, levels) = (Numbers::new(p, by, lo), levels_of(by));
                let key = tally_key(p, set, numbers);
                let i = wanted.iter().position(|w| w.key == key).unwrap_or(wanted.len());
                if i == wanted.len() {
                    wanted.push(Wanted { key, p, set, numbers, levels, asked: Vec::new() });
                }
                let w = &mut wanted[i];
                w.levels = levels.max(w.levels);
                match w.asked.iter_mut().find(|(asked, from, _)| **asked == **by && *from == lo) {
                    Some((.., times)) => *times += 1,
                    None => w.asked.push((by, lo, 1)),
                }
            }
            _ => {}
        }
    }

    /// The values whose count of a set, stored where, is right; bit 0 stands for `lo`.
    fn tally(&mut self, p: &Place, set: &SetE, by: &[Bits], lo: i32) -> Bitset {
        if is_counted_in_memory(p, by) {
            return self.tally_in_memory(p, set, by, lo);
        }
        if !self.tallied.is_empty()
            && let Some(found) = self.tallied.get(&tallied_key(p, set, by, lo))
        {
            return *found;
        }
        let (numbers, levels) = (Numbers::new(p, by, lo), levels_of(by));
        let more = match self.tallies.get(&tally_key(p, set, numbers)) {
            Some(counts) if counts.len() + 1 >= levels => counts.clone(),
            _ => {
                let set = self.set(set);
                self.counts(p, set, numbers, levels)
            }
        };
        let mut found = self.const_set(0);
        for (k, right) in by.iter().enumerate().take(levels) {
            // A value that none has stored is counted 0 times.
            let bound = moved(right.narrow(), i64::from(numbers.up));
            let mut those = self.bits(bound, numbers.width);
            if let Some(at_least) = k.checked_sub(1).and_then(|k| more.get(k)) {
                those = self.b.ins().band(those, *at_least);
            }
            if let Some(beyond) = more.get(k).filter(|_| k + 1 < levels) {
                those = self.b.ins().band_not(those, *beyond);
            }
            found = self.union(found, Bitset { v: those, width: numbers.width, bound: Bound::Few(bound) });
        }
        let v = self.moved_by(found.v, -(numbers.up as i32));
        let bound = match found.bound {
            Bound::Few(bits) => Bound::Few(moved(bits, -i64::from(numbers.up))),
            first => first,
        };
        Bitset { v, bound, ..found }
    }

    /// The same for more than 128 values, or a variable of two bytes.
    fn tally_in_memory(&mut self, p: &Place, set: &SetE, by: &[Bits], lo: i32) -> Bitset {
        let asked = Bound::of(by);
        let (width, levels) = (asked.width(), levels_of(by));
        let counts: Vec<_> = (1..levels).map(|_| self.gather(width)).collect();
        let set = self.set(set);
        let set = self.within(set, Bound::below(u64::from(p.count)));
        self.each(set, 0, |b, _, bit| {
            // Proof: it is one of a set that has no bits beyond the entries.
            let member = b.proved(bit, i64::from(p.count));
            let at = b.times(member, p.width);
            let address = b.b.ins().iadd(b.base, at);
            let stored = b.read(address, p.at as i32, p.width);
            let stored = b.stored(stored, p);
            let (value, ok) = b.place(stored, i64::from(lo), u64::from(asked.top()) + 1);
            let yes = b.i8(true);
            let ok = b.both(ok, yes);
            for k in (0..counts.len()).rev() {
                let counted = match k.checked_sub(1) {
                    Some(below) => {
                        let below = b.gathered(counts[below], asked);
                        let more = b.has(below, value);
                        b.b.ins().band(ok, more)
                    }
                    None => ok,
                };
                b.gather_bit(counts[k], value, Some(counted));
            }
        });
        self.right(&counts, by, asked)
    }

    /// Those for which it is right how many of a set lead to them.
    fn linked(&mut self, back: &Arc<[Bits]>, set: &SetE, by: &[Bits]) -> Bitset {
        let all = Bound::of(by).or(Bound::of(back.iter()));
        let (width, levels) = (all.width(), levels_of(by));
        let counts: Vec<_> = (1..levels).map(|_| self.gather(width)).collect();
        let set = self.set(set);
        let set = self.within(set, Bound::below(back.len() as u64));
        self.each(set, 0, |b, _, bit| {
            // Proof: it is one of a set that has no bits beyond the table.
            let at = b.proved(bit, back.len() as i64);
            let row = b.row(back, (at, 1), None);
            for k in (0..counts.len()).rev() {
                let mut those = row;
                if let Some(below) = k.checked_sub(1) {
                    let below = b.gathered(counts[below], all);
                    those = b.meet(row, below);
                }
                b.gather_set(counts[k], those);
            }
        });
        self.right(&counts, by, all)
    }

    /// Those whose count is right, given for each number from 1 on those of which there are at least so many.
    fn right(&mut self, counts: &[Gather], by: &[Bits], all: Bound) -> Bitset {
        let found = self.gather(all.width());
        for (k, right) in by.iter().enumerate().take(counts.len() + 1) {
            let mut those = self.const_bits(right);
            if let Some(at_least) = k.checked_sub(1).and_then(|k| counts.get(k)) {
                let at_least = self.gathered(*at_least, all);
                those = self.meet(those, at_least);
            }
            if let Some(beyond) = counts.get(k) {
                let beyond = self.gathered(*beyond, all);
                those = self.minus(those, beyond);
            }
            self.gather_set(found, those);
        }
        self.gathered(found, all)
    }

    /// For each number from 1 to `levels - 1`, the values that at least that many of a set have stored.
    fn counts(&mut self, p: &Place, set: Bitset, numbers: Numbers, levels: usize) -> Vec<Value> {
        let mut more = vec![self.bits(0, numbers.width); levels.saturating_sub(1)];
        let known = self.known(set);
        if let Some(bits) = known.filter(|b| b.count_ones() <= UNROLLED) {
            // Members that are known, one by one.
            let entries = if p.count >= Narrow::BITS { Narrow::MAX } else { (1 << p.count) - 1 };
            crate::engine::bits::each_narrow(bits & entries, |bit| {
                let at = self.i64(u64::from(bit));
                self.count_one(p, at, numbers, &mut more);
            });
            return more;
        }
        let vars: Vec<_> = more.iter().map(|v| self.var(Self::set_type(numbers.width), *v)).collect();
        let set = self.within(set, Bound::below(u64::from(p.count)));
        self.each(set, 0, |b, _, bit| {
            let mut more: Vec<Value> = vars.iter().map(|v| b.b.use_var(*v)).collect();
            b.count_one(p, bit, numbers, &mut more);
            for (var, v) in vars.iter().zip(more) {
                b.b.def_var(*var, v);
            }
        });
        vars.into_iter().map(|v| self.b.use_var(v)).collect()
    }

    /// Counts what a member, one of the entries, has stored.
    fn count_one(&mut self, p: &Place, member: Value, numbers: Numbers, more: &mut [Value]) {
        // Proof: it is one of a set that has no bits beyond the entries, known or by the meet above.
        let member = self.proved(member, i64::from(p.count));
        let address = self.b.ins().iadd(self.base, member);
        let stored = self.read(address, p.at as i32, 1);
        let stored = self.b.ins().uextend(types::I64, stored);
        let one = match numbers.among {
            None => self.single(stored, numbers.width),
            Some((first, n)) => {
                // Those that are not asked about have no bit.
                let first = self.i64(first as u64);
                let bit = self.b.ins().isub(stored, first);
                let mut ok = self.cmp(IntCC::UnsignedLessThan, bit, i64::from(n));
                let some = self.cmp(IntCC::NotEqual, stored, 0);
                ok = self.b.ins().band(ok, some);
                let width = numbers.width;
                let one = self.single(bit, width);
                self.only_if(ok, Bitset { v: one, width, bound: Bound::all(width) }).v
            }
        };
        for k in (0..more.len()).rev() {
            let new = match k.checked_sub(1).and_then(|k| more.get(k)) {
                Some(below) => self.b.ins().band(one, *below),
                None => one,
            };
            more[k] = self.b.ins().bor(more[k], new);
        }
    }

    /// The members of a set that does not depend on the position.
    fn known(&self, s: Bitset) -> Option<Narrow> {
        if s.width == Width::Word { known_word(&self.b.func.dfg, s.v).map(Narrow::from) } else { None }
    }
}

/// Whether it is counted in sets in memory how many have a value.
fn is_counted_in_memory(p: &Place, by: &[Bits]) -> bool {
    p.width > 1 || Bound::of(by).width().in_memory()
}

/// How values are numbered while it is counted how many have them stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    /// By the bit of what is stored, this much above the bit of the value; 0: by the bit of the value itself.
    up: u32,
    /// Where it is the bit of the value: what is stored for bit 0, and how many values are asked about.
    among: Option<(i64, u32)>,
    /// How the bits are held: in one word or two.
    width: Width,
}

impl Numbers {
    /// For a variable of one byte, and the values that are asked about, from `lo` on.
    fn new(p: &Place, by: &[Bits], lo: i32) -> Numbers {
        let asked = by.iter().fold(0, |all, right| all | right.narrow());
        let n = 128 - asked.leading_zeros();
        let first = i64::from(lo) - i64::from(p.lo) + 1;
        let held = |n: i64| if n > 64 { Width::Pair } else { Width::Word };
        let highest = (first + i64::from(n) - 1).max(i64::try_from(p.span).unwrap_or(i64::MAX));
        match u32::try_from(first) {
            // As they are stored, without looking, where every value has a bit of its own, and nothing, which is stored
            // as 0, has one below them.
            Ok(up @ 1..) if highest < 128 => Numbers { up, among: None, width: held(highest + 1) },
            _ => Numbers { up: 0, among: Some((first, n)), width: held(n.into()) },
        }
    }
}

/// Counts that are made beforehand.
struct Wanted<'m> {
    key: String,
    p: &'m Place,
    set: &'m SetE,
    numbers: Numbers,
    levels: usize,
    /// What is asked of them: what is right for each count, from which value on, and in how many places.
    asked: Vec<(&'m [Bits], i32, usize)>,
}

/// How many numbers, from 0 on, are told apart.
fn levels_of(by: &[Bits]) -> usize {
    by.len().min(MAX_TALLY + 1)
}

/// What makes counts the same: where they are counted, of which set, and how they are numbered.
fn tally_key(p: &Place, set: &SetE, numbers: Numbers) -> String {
    format!("{} {numbers:?} {set:?}", p.at)
}

fn tallied_key(p: &Place, set: &SetE, by: &[Bits], lo: i32) -> String {
    format!("{} {lo} {by:?} {set:?}", p.at)
}
