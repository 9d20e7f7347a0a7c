//! Conditions on all members of a set at once.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Endianness, InstBuilder, InstructionData, MemFlagsData, Opcode, StackSlotData, StackSlotKind, Value, ValueDef,
    types,
};

use super::build::{Build, sound};
use super::int::{Bitset, Form, Int, needs_wide};
use crate::engine::bits::{Bits, Narrow};
use crate::engine::eval::MAX_TALLY;
use crate::engine::ir::{Cond, Mask, SetE};
use crate::engine::place::Place;
use crate::engine::tree::of;

/// The maximum number of members for each of which a condition has code of its own.
const MAX_UNROLLED_MEMBERS: u32 = 8;
/// The maximum number of members that are counted one by one, without a loop.
const UNROLLED: u32 = 24;

impl Build<'_, '_, '_> {
    /// Those of `within` that meet the condition; `slot` is the member, bit 0 stands for `lo`.
    pub fn mask(&mut self, m: &Mask, slot: u16, lo: i32, within: Bitset) -> Bitset {
        match m {
            Mask::All => within,
            Mask::And(ms) => {
                let mut left = within;
                for m in ms {
                    left = if self.is_small(|f| m.walk(f)) {
                        self.mask(m, slot, lo, left)
                    } else {
                        self.unless_empty(left, |b| b.mask(m, slot, lo, left))
                    };
                }
                left
            }
            Mask::Or(ms) => {
                let mut found = Bitset { bound: 0, ..self.only_none(within) };
                for m in ms {
                    let more = if self.is_small(|f| m.walk(f)) {
                        self.mask(m, slot, lo, within)
                    } else {
                        let left = self.minus(within, found);
                        self.unless_empty(left, |b| b.mask(m, slot, lo, left))
                    };
                    found = self.union(found, more);
                }
                found
            }
            Mask::Not(m) => {
                let those = self.mask(m, slot, lo, within);
                self.minus(within, those)
            }
            Mask::Scalar(c) => {
                let c = self.cond(c);
                self.only_if(c, within)
            }
            Mask::In(s) => {
                let s = self.set(s);
                self.meet(within, s)
            }
            Mask::Is(n) => {
                let n = self.num(n);
                let (i, ok) = self.place(n, i64::from(lo), u64::from(within.top()) + 1);
                let bit = Bitset { v: self.single(i, within.wide), ..within };
                let those = self.meet(within, bit);
                match ok {
                    Some(ok) => self.only_if(ok, those),
                    None => those,
                }
            }
            Mask::Field(p, n) => {
                let n = self.num(n);
                let those = match self.unit.value_index.of(p) {
                    Some(value_indexes) => self.value_set(&value_indexes, p, n),
                    None => self.field(p, n),
                };
                self.meet(within, those)
            }
            Mask::Stored(p, set) => {
                let set = self.set(set);
                let those = self.stored_in(p, set);
                self.meet(within, those)
            }
            Mask::Tally(p, set, by) => {
                let those = self.tally(p, set, by, lo);
                self.meet(within, those)
            }
            Mask::ByValue(by) => self.masks_by_value(by, slot, lo, within),
            Mask::Loop(c) => {
                if within.bound.count_ones() <= MAX_UNROLLED_MEMBERS && self.is_short(c) {
                    return self.one_by_one(c, slot, lo, within);
                }
                let none = self.bits(0, within.wide);
                let found = self.var(Self::set_type(within.wide), none);
                self.each(within, lo, |b, member, bit| {
                    let c = b.with_slot(slot, member, |b| b.cond(c));
                    let one = b.single(bit, within.wide);
                    let none = b.bits(0, within.wide);
                    let one = b.b.ins().select(c, one, none);
                    let now = b.b.use_var(found);
                    let now = b.b.ins().bor(now, one);
                    b.b.def_var(found, now);
                });
                Bitset { v: self.b.use_var(found), ..within }
            }
        }
    }

    /// Those of a few members that meet a condition that cannot fail.
    fn one_by_one(&mut self, c: &Cond, slot: u16, lo: i32, within: Bitset) -> Bitset {
        let mut found = self.only_none(within);
        crate::engine::bits::each_narrow(within.bound, |bit| {
            let member = self.number(lo + bit as i32);
            let c = self.with_slot(slot, member, |b| b.cond(c));
            let one = self.bits(1 << bit, within.wide);
            let none = self.bits(0, within.wide);
            let one = self.b.ins().select(c, one, none);
            found.v = self.b.ins().bor(found.v, one);
        });
        self.meet(within, found)
    }

    /// The empty set, as wide as another.
    fn only_none(&mut self, s: Bitset) -> Bitset {
        Bitset { v: self.bits(0, s.wide), ..s }
    }

    /// Part of a set, found only if there is anything in it.
    pub fn unless_empty(&mut self, s: Bitset, part: impl FnOnce(&mut Self) -> Bitset) -> Bitset {
        let (some, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, Self::set_type(s.wide));
        let none = self.none_of(s);
        self.b.ins().brif(none, done, &[s.v.into()], some, &[]);
        self.to(some);
        let part = part(self);
        let v = self.fit(part, s.wide);
        self.jump(done, &[v]);
        self.to(done);
        Bitset { v: result, wide: s.wide, bound: s.bound }
    }

    /// What a variable of one byte has stored where it has a value, 32 bits; 255, which none has, for a number that it
    /// cannot have.
    pub fn as_stored(&mut self, p: &Place, value: Int) -> Value {
        match value.form {
            Form::Stored(by) if by == p.lo - 1 && value.hi - i64::from(by) < 255 => value.v,
            _ => {
                let bare = self.bare(value);
                let by = self.i32(1 - i64::from(p.lo));
                let mut moved = self.b.ins().iadd(bare, by);
                if value.lo < i64::from(p.lo) || value.hi > i64::from(p.lo) + 253 {
                    // A number that the variable cannot have is found nowhere: no entry is 255.
                    let one = self.i32(1);
                    let off = self.b.ins().isub(moved, one);
                    let out = self.cmp(IntCC::UnsignedGreaterThan, off, 253);
                    let all = self.i32(255);
                    moved = self.b.ins().select(out, all, moved);
                }
                match self.there(value) {
                    Some(there) => {
                        let zero = self.i32(0);
                        self.b.ins().select(there, moved, zero)
                    }
                    None => moved,
                }
            }
        }
    }

    /// The entries of a variable of one byte that have a value.
    fn field(&mut self, p: &Place, value: Int) -> Bitset {
        let stored = self.as_stored(p, value);
        let stored = self.b.ins().ireduce(types::I8, stored);
        let pattern = self.b.ins().splat(types::I8X16, stored);
        self.entries(p, |b, bytes| b.b.ins().icmp(IntCC::Equal, bytes, pattern))
    }

    /// The entries of a variable of one byte whose byte is in a set of numbers below 16.
    fn stored_in(&mut self, p: &Place, set: Bitset) -> Bitset {
        let bits = self.fit(set, false);
        // Each of sixteen bytes is all ones if its number is in the set: the byte of the set with its bit, and that bit
        // alone.
        let every = self.i64(0x0101_0101_0101_0101);
        let byte = self.i64(0xff);
        let eight = self.b.ins().iconst(types::I32, 8);
        let low = self.b.ins().band(bits, byte);
        let high = self.b.ins().ushr(bits, eight);
        let high = self.b.ins().band(high, byte);
        let (low, high) = (self.b.ins().imul(low, every), self.b.ins().imul(high, every));
        let both = self.b.ins().splat(types::I64X2, low);
        let both = self.b.ins().insertlane(both, high, 1);
        let single = self.i64(0x8040_2010_0804_0201);
        let single = self.b.ins().splat(types::I64X2, single);
        let order = MemFlagsData::new().with_endianness(Endianness::Little);
        let (both, single) =
            (self.b.ins().bitcast(types::I8X16, order, both), self.b.ins().bitcast(types::I8X16, order, single));
        let found = self.b.ins().band(both, single);
        let table = self.b.ins().icmp(IntCC::Equal, found, single);
        self.entries(p, |b, bytes| b.b.ins().swizzle(table, bytes))
    }

    /// The entries of a variable of one byte for which a test, given sixteen of them, gives a byte with its highest bit
    /// set.
    fn entries(&mut self, p: &Place, test: impl Fn(&mut Self, Value) -> Value) -> Bitset {
        let bound = if p.count >= 128 { Narrow::MAX } else { (1 << p.count) - 1 };
        let wide = needs_wide(bound);
        let mut halves = [None, None];
        for from in (0..p.count).step_by(16) {
            let part = self.sixteen(p.at + from, (p.count - from).min(16), &test);
            let by = from % 64;
            let part = match by {
                0 => part,
                by => {
                    let by = self.b.ins().iconst(types::I32, i64::from(by));
                    self.b.ins().ishl(part, by)
                }
            };
            let half = &mut halves[(from / 64) as usize % 2];
            *half = Some(match half.take() {
                Some(h) => self.b.ins().bor(h, part),
                None => part,
            });
        }
        let zero = self.i64(0);
        let low = halves[0].unwrap_or(zero);
        let v = if wide { self.b.ins().iconcat(low, halves[1].unwrap_or(zero)) } else { low };
        Bitset { v, wide, bound }
    }

    /// Which of up to sixteen bytes meet a test, as the lowest of 64 bits.
    fn sixteen(&mut self, at: u32, n: u32, test: impl Fn(&mut Self, Value) -> Value) -> Value {
        // Not beyond the block: where there is no room, the last sixteen bytes of it.
        let last = self.unit.value_index.room.saturating_sub(16);
        let from = at.min(last);
        let flags = if self.still { super::build::constant() } else { sound() };
        let bytes = self.b.ins().load(types::I8X16, flags, self.base, from as i32);
        let same = test(self, bytes);
        let mut bits = self.b.ins().vhigh_bits(types::I32, same);
        if from < at {
            let by = self.b.ins().iconst(types::I32, i64::from(at - from));
            bits = self.b.ins().ushr(bits, by);
        }
        if n < 16 {
            let which = self.i32((1 << n) - 1);
            bits = self.b.ins().band(bits, which);
        }
        self.b.ins().uextend(types::I64, bits)
    }

    /// Makes the counts that conditions ask for and that depend on nothing but the position, once for all of them.
    pub fn count_ahead(&mut self, masks: &[(&Mask, i32)]) {
        let mut wanted: Vec<Wanted> = Vec::new();
        for (m, lo) in masks {
            self.tallies_of(m, *lo, &mut wanted);
        }
        for Wanted { key, p, set, numbers, levels } in wanted {
            let set = self.set(set);
            let counts = self.counts(p, set, numbers, levels);
            counts.iter().for_each(|v| self.pin(*v));
            self.tallies.insert(key, counts);
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
            Mask::Not(m) => self.tallies_of(m, lo, wanted),
            Mask::Tally(p, set, by) => {
                let s = of(&self.unit.program.shared, &**set);
                if !s.slots.is_empty() || !s.sets.is_empty() || s.risky {
                    return;
                }
                let (numbers, levels) = (Numbers::new(p, by, lo), levels_of(by));
                let key = tally_key(p, set, numbers);
                match wanted.iter_mut().find(|w| w.key == key) {
                    Some(w) => w.levels = levels.max(w.levels),
                    None => wanted.push(Wanted { key, p, set, numbers, levels }),
                }
            }
            _ => {}
        }
    }

    /// The values whose count of a set, stored where, is right; bit 0 stands for `lo`.
    fn tally(&mut self, p: &Place, set: &SetE, by: &[Bits], lo: i32) -> Bitset {
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
            let mut those = self.bits(bound, numbers.wide);
            if let Some(at_least) = k.checked_sub(1).and_then(|k| more.get(k)) {
                those = self.b.ins().band(those, *at_least);
            }
            if let Some(beyond) = more.get(k).filter(|_| k + 1 < levels) {
                those = self.b.ins().band_not(those, *beyond);
            }
            found = self.union(found, Bitset { v: those, wide: numbers.wide, bound });
        }
        let v = self.moved_by(found.v, -(numbers.up as i32));
        Bitset { v, bound: moved(found.bound, -i64::from(numbers.up)), ..found }
    }

    /// For each number from 1 to `levels - 1`, the values that at least that many of a set have stored.
    fn counts(&mut self, p: &Place, set: Bitset, numbers: Numbers, levels: usize) -> Vec<Value> {
        let wide = numbers.wide;
        let mut more = vec![self.bits(0, wide); levels.saturating_sub(1)];
        let members = if p.count >= 128 { Narrow::MAX } else { (1 << p.count) - 1 };
        let known = self.known(set);
        if let Some(bits) = known.filter(|b| b.count_ones() <= UNROLLED) {
            // Members that are known, one by one.
            crate::engine::bits::each_narrow(bits & members, |bit| {
                let at = self.i64(u64::from(bit));
                self.count_one(p, at, numbers, &mut more);
            });
            return more;
        }
        let vars: Vec<_> = more.iter().map(|v| self.var(Self::set_type(wide), *v)).collect();
        let members = self.const_set(members);
        let set = self.meet(set, members);
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
            None => self.single(stored, numbers.wide),
            Some((first, n)) => {
                // Those that are not asked about have no bit.
                let first = self.i64(first as u64);
                let bit = self.b.ins().isub(stored, first);
                let mut ok = self.cmp(IntCC::UnsignedLessThan, bit, i64::from(n));
                let some = self.cmp(IntCC::NotEqual, stored, 0);
                ok = self.b.ins().band(ok, some);
                let one = self.single(bit, numbers.wide);
                let bound = if numbers.wide { Narrow::MAX } else { u64::MAX.into() };
                self.only_if(ok, Bitset { v: one, wide: numbers.wide, bound }).v
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
        let dfg = &self.b.func.dfg;
        let constant = |v: Value| match dfg.value_def(v) {
            ValueDef::Result(inst, _) => match dfg.insts[inst] {
                InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits() as u64),
                _ => None,
            },
            _ => None,
        };
        if s.wide { None } else { constant(s.v).map(Narrow::from) }
    }
}

/// How values are numbered while it is counted how many have them stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    /// By the bit of what is stored, this much above the bit of the value; 0: by the bit of the value itself.
    up: u32,
    /// Where it is the bit of the value: what is stored for bit 0, and how many values are asked about.
    among: Option<(i64, u32)>,
    /// Whether the bits take 128.
    wide: bool,
}

impl Numbers {
    /// For a variable of one byte, and the values that are asked about, from `lo` on.
    fn new(p: &Place, by: &[Bits], lo: i32) -> Numbers {
        let asked = by.iter().fold(0, |all, right| all | right.narrow());
        let n = 128 - asked.leading_zeros();
        let first = i64::from(lo) - i64::from(p.lo) + 1;
        let highest = (first + i64::from(n) - 1).max(i64::try_from(p.span).unwrap_or(i64::MAX));
        match u32::try_from(first) {
            // As they are stored, without looking, where every value has a bit of its own, and nothing, which is stored
            // as 0, has one below them.
            Ok(up @ 1..) if highest < 128 => Numbers { up, among: None, wide: highest >= 64 },
            _ => Numbers { up: 0, among: Some((first, n)), wide: n > 64 },
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
}

/// How many numbers, from 0 on, are told apart.
fn levels_of(by: &[Bits]) -> usize {
    by.len().min(MAX_TALLY + 1)
}

/// Shifted bits; bits that are shifted out are lost.
pub(super) fn moved(bits: Narrow, by: i64) -> Narrow {
    let n = u32::try_from(by.unsigned_abs()).unwrap_or(u32::MAX);
    let moved = if by >= 0 { bits.checked_shl(n) } else { bits.checked_shr(n) };
    moved.unwrap_or(0)
}

/// What makes counts the same: where they are counted, of which set, and how they are numbered.
fn tally_key(p: &Place, set: &SetE, numbers: Numbers) -> String {
    format!("{} {numbers:?} {set:?}", p.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_out_is_lost() {
        assert_eq!(moved(1, 127), 1 << 127);
        assert_eq!(moved(Narrow::MAX, 128), 0);
        assert_eq!(moved(Narrow::MAX, -128), 0);
        assert_eq!(moved(0b110, -2), 1);
        assert_eq!(moved(Narrow::MAX, i64::MIN), 0);
    }
}
