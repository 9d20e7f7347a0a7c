//! Conditions on all members of a set at once.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::{Build, sound};
use super::int::{Bitset, Form, Int, needs_wide};
use crate::engine::code::{Bits, Mask, NONE, Place, SetE};
use crate::engine::eval::MAX_TALLY;
use crate::engine::tree::of;

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
                let those = self.field(p, n);
                self.meet(within, those)
            }
            Mask::Tally(p, set, by) => {
                let those = self.tally(p, set, by, lo);
                self.meet(within, those)
            }
            Mask::Loop(c) => {
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

    /// The entries of a variable of one byte that have a value.
    fn field(&mut self, p: &Place, value: Int) -> Bitset {
        let stored = match value.form {
            Form::Stored(by) if by == p.lo - 1 && value.hi - i64::from(by) < 255 => value.v,
            _ => {
                let v = self.plain(value);
                let by = self.i32(1 - i64::from(p.lo));
                let moved = self.b.ins().iadd(v, by);
                let zero = self.i32(0);
                let none = self.cmp(IntCC::Equal, v, i64::from(NONE));
                // A number that the variable cannot have is found nowhere: no entry is 255.
                let out = self.cmp(IntCC::UnsignedGreaterThan, moved, 254);
                let low = self.cmp(IntCC::SignedLessThanOrEqual, moved, 0);
                let out = self.b.ins().bor(out, low);
                let all = self.i32(255);
                let moved = self.b.ins().select(out, all, moved);
                self.b.ins().select(none, zero, moved)
            }
        };
        let stored = self.b.ins().ireduce(types::I8, stored);
        let pattern = self.b.ins().splat(types::I8X16, stored);
        let bound = if p.count >= 128 { Bits::MAX } else { (1 << p.count) - 1 };
        let wide = needs_wide(bound);
        let mut halves = [None, None];
        for from in (0..p.count).step_by(16) {
            let part = self.sixteen(p.at + from, (p.count - from).min(16), pattern);
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

    /// Which of up to sixteen bytes are those of a pattern, as the lowest of 64 bits.
    fn sixteen(&mut self, at: u32, n: u32, pattern: Value) -> Value {
        // Not beyond the block: where there is no room, the last sixteen bytes of it.
        let last = self.unit.size.saturating_sub(16);
        let from = at.min(last);
        let flags = if self.still { super::build::constant() } else { sound() };
        let bytes = self.b.ins().load(types::I8X16, flags, self.base, from as i32);
        let same = self.b.ins().icmp(IntCC::Equal, bytes, pattern);
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

    /// Makes the counts of a condition that depend on nothing but the position, for all that ask for them later.
    pub fn count_ahead(&mut self, m: &Mask) {
        match m {
            Mask::And(ms) | Mask::Or(ms) => ms.iter().for_each(|m| self.count_ahead(m)),
            Mask::Not(m) => self.count_ahead(m),
            Mask::Tally(p, set, by) => {
                let s = of(&self.unit.program.shared, &**set);
                let key = tally_key(p, set, by);
                if s.slots.is_empty() && s.sets.is_empty() && !s.risky && !self.tallies.contains_key(&key) {
                    let set = self.set(set);
                    let counts = self.counts(p, set, by, 0);
                    self.tallies.insert(key, counts);
                }
            }
            _ => {}
        }
    }

    /// The values whose count of a set, stored where, is right.
    fn tally(&mut self, p: &Place, set: &SetE, by: &[Bits], lo: i32) -> Bitset {
        let wide = needs_wide(by.iter().fold(0, |all, b| all | b));
        let levels = by.len().min(MAX_TALLY + 1);
        let more = match self.tallies.get(&tally_key(p, set, by)) {
            Some(counts) if lo == 0 => counts.clone(),
            _ => {
                let set = self.set(set);
                self.counts(p, set, by, lo)
            }
        };
        let mut found = self.const_set(0);
        for (k, right) in by.iter().enumerate().take(levels) {
            let right = right & if wide { Bits::MAX } else { u64::MAX.into() };
            let mut those = self.bits(right, wide);
            if k > 0 {
                those = self.b.ins().band(those, more[k - 1]);
            }
            if k + 1 < levels {
                those = self.b.ins().band_not(those, more[k]);
            }
            found = self.union(found, Bitset { v: those, wide, bound: right });
        }
        found
    }

    /// For each number but 0 the values that at least so many of a set have stored.
    fn counts(&mut self, p: &Place, set: Bitset, by: &[Bits], lo: i32) -> Vec<Value> {
        let bound = by.iter().fold(0, |all, b| all | b);
        let wide = needs_wide(bound);
        let none = self.bits(0, wide);
        let levels = by.len().min(MAX_TALLY + 1);
        let more: Vec<_> = (1..levels).map(|_| self.var(Self::set_type(wide), none)).collect();
        let members = self.const_set(if p.count >= 128 { Bits::MAX } else { (1 << p.count) - 1 });
        let set = self.meet(set, members);
        self.each(set, 0, |b, _, bit| {
            let address = b.b.ins().iadd(b.base, bit);
            let stored = b.read(address, p.at as i32, 1);
            let value = b.stored(stored, p);
            let (i, ok) = b.place(value, i64::from(lo), if wide { 128 } else { 64 });
            let one = b.single(i, wide);
            let one = match ok {
                Some(ok) => {
                    let none = b.bits(0, wide);
                    b.b.ins().select(ok, one, none)
                }
                None => one,
            };
            for k in (0..more.len()).rev() {
                let mut new = one;
                if k > 0 {
                    let below = b.b.use_var(more[k - 1]);
                    new = b.b.ins().band(new, below);
                }
                let now = b.b.use_var(more[k]);
                let now = b.b.ins().bor(now, new);
                b.b.def_var(more[k], now);
            }
        });
        more.into_iter().map(|v| self.b.use_var(v)).collect()
    }
}

/// What makes counts the same: where they are counted, of which set, how far, and how wide.
fn tally_key(p: &Place, set: &SetE, by: &[Bits]) -> String {
    format!("{} {set:?} {} {}", p.at, by.len(), needs_wide(by.iter().fold(0, |all, b| all | b)))
}
