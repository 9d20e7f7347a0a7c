//! Sets as bits in one word or two: made, joined, gone through.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Type, Value, types};

use super::build::{Build, set_bound};
use super::int::{Bitset, Int, needs_wide};
use crate::engine::bits::Narrow;
use crate::engine::place::Place;

impl Build<'_, '_, '_> {
    pub fn set_type(wide: bool) -> Type {
        if wide { types::I128 } else { types::I64 }
    }

    pub fn bits(&mut self, bits: Narrow, wide: bool) -> Value {
        let low = self.i64(bits as u64);
        if !wide {
            return low;
        }
        let high = self.i64((bits >> 64) as u64);
        self.b.ins().iconcat(low, high)
    }

    pub fn const_set(&mut self, bits: Narrow) -> Bitset {
        let wide = needs_wide(bits);
        Bitset { v: self.bits(bits, wide), wide, bound: bits }
    }

    /// The same set as wide or as narrow as wanted; what does not fit is dropped.
    pub fn fit(&mut self, s: Bitset, wide: bool) -> Value {
        match (s.wide, wide) {
            (false, true) => {
                let high = self.i64(0);
                self.b.ins().iconcat(s.v, high)
            }
            (true, false) => self.b.ins().isplit(s.v).0,
            _ => s.v,
        }
    }

    /// Two sets of one width: the wider, or for `narrow` the narrower.
    pub fn alike(&mut self, a: Bitset, b: Bitset, narrow: bool) -> (Value, Value, bool) {
        let wide = if narrow { a.wide && b.wide } else { a.wide || b.wide };
        (self.fit(a, wide), self.fit(b, wide), wide)
    }

    pub fn union(&mut self, a: Bitset, b: Bitset) -> Bitset {
        let (x, y, wide) = self.alike(a, b, false);
        Bitset { v: self.b.ins().bor(x, y), wide, bound: a.bound | b.bound }
    }

    pub fn meet(&mut self, a: Bitset, b: Bitset) -> Bitset {
        let (x, y, wide) = self.alike(a, b, true);
        Bitset { v: self.b.ins().band(x, y), wide, bound: a.bound & b.bound }
    }

    pub fn minus(&mut self, a: Bitset, b: Bitset) -> Bitset {
        let y = self.fit(b, a.wide);
        Bitset { v: self.b.ins().band_not(a.v, y), ..a }
    }

    pub fn none_of(&mut self, s: Bitset) -> Value {
        if s.wide {
            let (low, high) = self.b.ins().isplit(s.v);
            let all = self.b.ins().bor(low, high);
            return self.cmp(IntCC::Equal, all, 0);
        }
        self.cmp(IntCC::Equal, s.v, 0)
    }

    /// Those of a set that are among these bits.
    pub fn within(&mut self, s: Bitset, bound: Narrow) -> Bitset {
        if s.bound & !bound == 0 {
            return s;
        }
        let bound = self.const_set(bound);
        self.meet(s, bound)
    }

    /// The set, or the empty one where a condition fails.
    pub fn only_if(&mut self, c: Value, s: Bitset) -> Bitset {
        let zero = self.bits(0, s.wide);
        Bitset { v: self.b.ins().select(c, s.v, zero), ..s }
    }

    pub fn size(&mut self, s: Bitset) -> Value {
        let n = if s.wide {
            let (low, high) = self.b.ins().isplit(s.v);
            let (low, high) = (self.b.ins().popcnt(low), self.b.ins().popcnt(high));
            self.b.ins().iadd(low, high)
        } else {
            self.b.ins().popcnt(s.v)
        };
        self.b.ins().ireduce(types::I32, n)
    }

    /// The lowest bit of a set that is not empty, 64 bits.
    pub fn lowest(&mut self, v: Value, wide: bool) -> Value {
        if wide {
            let (low, high) = self.b.ins().isplit(v);
            let (a, b) = (self.b.ins().ctz(low), self.b.ins().ctz(high));
            let more = self.i64(64);
            let b = self.b.ins().iadd(b, more);
            let none = self.cmp(IntCC::Equal, low, 0);
            return self.b.ins().select(none, b, a);
        }
        self.b.ins().ctz(v)
    }

    /// The set of one bit, given as a number of 64 bits below the width.
    pub fn single(&mut self, i: Value, wide: bool) -> Value {
        let one = self.i64(1);
        // Shifts go by the number modulo 64.
        let bit = self.b.ins().ishl(one, i);
        if !wide {
            return bit;
        }
        let none = self.i64(0);
        let is_low = self.cmp(IntCC::UnsignedLessThan, i, 64);
        let low = self.b.ins().select(is_low, bit, none);
        let high = self.b.ins().select(is_low, none, bit);
        self.b.ins().iconcat(low, high)
    }

    /// The bits of one or two words, shifted up; bits that are shifted out are lost.
    pub fn moved_by(&mut self, v: Value, by: i32) -> Value {
        let n = by.unsigned_abs();
        let ty = self.b.func.dfg.value_type(v);
        let shift = |b: &mut Self, v: Value, n: u32, up: bool| {
            let n = b.b.ins().iconst(types::I32, i64::from(n));
            if up { b.b.ins().ishl(v, n) } else { b.b.ins().ushr(v, n) }
        };
        let up = by >= 0;
        if ty != types::I128 || n == 0 {
            return if n >= ty.bits() { self.b.ins().iconst(ty, 0) } else { shift(self, v, n, up) };
        }
        let (low, high) = self.b.ins().isplit(v);
        let (from, to) = if up { (low, high) } else { (high, low) };
        let none = self.i64(0);
        let (from, to) = match n {
            0..64 => {
                let (kept, over) = (shift(self, to, n, up), shift(self, from, 64 - n, !up));
                (shift(self, from, n, up), self.b.ins().bor(kept, over))
            }
            64 => (none, from),
            65..128 => (none, shift(self, from, n - 64, up)),
            _ => (none, none),
        };
        if up { self.b.ins().iconcat(from, to) } else { self.b.ins().iconcat(to, from) }
    }

    /// The set without its lowest bit.
    pub fn rest(&mut self, v: Value, wide: bool) -> Value {
        let one = self.bits(1, wide);
        let less = self.b.ins().isub(v, one);
        self.b.ins().band(v, less)
    }

    /// Whether a set has a bit, given as a number of 64 bits below 128.
    pub fn has(&mut self, s: Bitset, i: Value) -> Value {
        let mut word = s.v;
        if s.wide {
            let (low, high) = self.b.ins().isplit(s.v);
            let is_low = self.cmp(IntCC::UnsignedLessThan, i, 64);
            word = self.b.ins().select(is_low, low, high);
        }
        // Shifts go by the number modulo 64.
        let shifted = self.b.ins().ushr(word, i);
        let low = self.b.ins().ireduce(types::I8, shifted);
        let one = self.i8(true);
        let mut found = self.b.ins().band(low, one);
        if !s.wide {
            let small = self.cmp(IntCC::UnsignedLessThan, i, 64);
            found = self.b.ins().band(found, small);
        }
        found
    }

    /// Those bytes from an offset of an address on, as bits of a set of `n`; `exact` where there is no room to read
    /// beyond.
    pub fn read_set(&mut self, address: Value, at: i32, width: u32, bound: Narrow) -> Bitset {
        let flags = self.flags();
        let part = |gn: &mut Self, from: u32, n: u32| -> Value {
            let mut all: Option<Value> = None;
            let mut done = 0;
            while done < n {
                let step = [8, 4, 2, 1].into_iter().find(|s| *s <= n - done).unwrap_or(1);
                let ty = match step {
                    8 => types::I64,
                    4 => types::I32,
                    2 => types::I16,
                    _ => types::I8,
                };
                let mut v = gn.b.ins().load(ty, flags, address, at + (from + done) as i32);
                if step < 8 {
                    v = gn.b.ins().uextend(types::I64, v);
                }
                if done > 0 {
                    let by = gn.b.ins().iconst(types::I32, i64::from(8 * done));
                    v = gn.b.ins().ishl(v, by);
                }
                all = Some(match all {
                    Some(a) => gn.b.ins().bor(a, v),
                    None => v,
                });
                done += step;
            }
            all.unwrap_or_else(|| gn.i64(0))
        };
        let low = part(self, 0, width.min(8));
        let wide = needs_wide(bound);
        let v = if wide {
            let high = part(self, 8, width.saturating_sub(8));
            self.b.ins().iconcat(low, high)
        } else {
            low
        };
        let full = if width >= 16 { Narrow::MAX } else { (1 << (8 * width)) - 1 };
        let s = Bitset { v, wide, bound };
        if bound & full == full || bound == full {
            return s;
        }
        let bound = self.const_set(bound);
        self.meet(s, bound)
    }

    /// A set variable's entry.
    pub fn set_entry(&mut self, p: &Place, index: Int) -> Bitset {
        if let Some(register) = self.register(p.at) {
            return self.get_set(&register);
        }
        let (address, at, ok) = self.entry(p, index);
        let s = self.read_set(address, at, p.width, set_bound(p));
        match ok {
            Some(ok) => self.only_if(ok, s),
            None => s,
        }
    }

    /// Goes through the bits of a set, lowest first. `body` is given the member, with bit 0 as `lo`, and leaves by
    /// falling through.
    pub fn each(&mut self, s: Bitset, lo: i32, body: impl FnOnce(&mut Self, Int, Value)) {
        if s.wide {
            return self.each_wide(s, lo, body);
        }
        let (head, inside, done) = (self.block(), self.block(), self.block());
        let left = self.b.append_block_param(head, Self::set_type(s.wide));
        self.jump(head, &[s.v]);
        self.to(head);
        let none = self.none_of(Bitset { v: left, ..s });
        self.brif(none, done, inside);
        self.to(inside);
        self.count_turn(done);
        let bit = self.lowest(left, s.wide);
        let rest = self.rest(left, s.wide);
        let member = self.member(bit, &s, lo);
        body(self, member, bit);
        self.jump(head, &[rest]);
        self.to(done);
    }

    /// Counts a turn of a loop, where that may become too much; then it goes on there.
    fn count_turn(&mut self, done: Block) {
        if self.unit.counted {
            let over = self.count_work();
            let on = self.block();
            self.brif(over, done, on);
            self.to(on);
        }
    }

    /// The same, of two words, the first one first.
    fn each_wide(&mut self, s: Bitset, lo: i32, body: impl FnOnce(&mut Self, Int, Value)) {
        let (head, inside, out, over, done) = (self.block(), self.block(), self.block(), self.block(), self.block());
        let left = self.b.append_block_param(head, types::I64);
        let first = self.b.append_block_param(head, types::I64);
        let (low, high) = self.b.ins().isplit(s.v);
        let zero = self.i64(0);
        self.jump(head, &[low, zero]);
        self.to(head);
        self.brif(left, inside, out);
        self.to(out);
        self.brif(first, done, over);
        self.to(over);
        let by = self.i64(64);
        self.jump(head, &[high, by]);
        self.to(inside);
        self.count_turn(done);
        let bit = self.lowest(left, false);
        let bit = self.b.ins().iadd(bit, first);
        let rest = self.rest(left, false);
        let member = self.member(bit, &s, lo);
        body(self, member, bit);
        self.jump(head, &[rest, first]);
        self.to(done);
    }

    /// The member that a bit of a set stands for.
    pub fn member(&mut self, bit: Value, s: &Bitset, lo: i32) -> Int {
        let mut v = self.b.ins().ireduce(types::I32, bit);
        if lo != 0 {
            let by = self.i32(i64::from(lo));
            v = self.b.ins().iadd(v, by);
        }
        // Proof: the bit is one that the set has, so one of its bound.
        Int::plain(v, i64::from(lo) + i64::from(s.bound.trailing_zeros().min(127)), i64::from(lo) + i64::from(s.top()))
    }
}
