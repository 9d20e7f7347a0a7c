//! Sets as bits in one word or two, or in memory where there are more: made, joined, gone through.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, DataFlowGraph, InstBuilder, InstructionData, Opcode, Type, Value, types};
use cranelift_frontend::Variable;

use super::build::{Build, set_bound};
use super::constants::known_word;
use super::int::{Bitset, Bound, Int, Width};
use crate::engine::bits::{Bits, Narrow};
use crate::engine::place::Place;

/// A set that is being put together.
#[derive(Clone, Copy)]
pub(super) struct Gather {
    width: Width,
    /// Its bits, or the address where they are.
    var: Variable,
}

impl Build<'_, '_, '_> {
    pub fn set_type(width: Width) -> Type {
        match width {
            Width::Word | Width::Parts(_) => types::I64,
            Width::Pair => types::I128,
        }
    }

    /// The bits of a set, given those of its first 128.
    pub fn bits(&mut self, bits: Narrow, width: Width) -> Value {
        let low = match width {
            Width::Word => return self.i64(bits as u64),
            Width::Pair => self.i64(bits as u64),
            Width::Parts(parts) => {
                let all = std::iter::once(bits).chain(std::iter::repeat(0)).take(parts as usize);
                let at = self.unit.parts(&all.collect::<Vec<Narrow>>());
                return self.i64(at as usize as u64);
            }
        };
        let high = self.i64((bits >> 64) as u64);
        self.b.ins().iconcat(low, high)
    }

    pub fn const_set(&mut self, bits: Narrow) -> Bitset {
        let bound = Bound::Few(bits);
        let width = bound.width();
        Bitset { v: self.bits(bits, width), width, bound }
    }

    pub fn const_bits(&mut self, bits: &Bits) -> Bitset {
        let bound = Bound::of([bits]);
        let width = bound.width();
        if !width.in_memory() {
            return self.const_set(bits.narrow());
        }
        let parts: Vec<Narrow> = (0..width.parts() as usize).map(|i| bits.part(i)).collect();
        let at = self.unit.parts(&parts);
        Bitset { v: self.i64(at as usize as u64), width, bound }
    }

    /// All bits of a bound.
    fn all_of(&mut self, bound: Bound) -> Bitset {
        match bound {
            Bound::Few(bits) => self.const_set(bits),
            Bound::First(n) => self.const_bits(&Bits::below(n as usize)),
        }
    }

    /// The empty set, as wide as another.
    pub fn only_none(&mut self, s: Bitset) -> Bitset {
        Bitset { v: self.bits(0, s.width), ..s }
    }

    /// The same set held as wanted; what does not fit is dropped.
    pub fn fit(&mut self, s: Bitset, width: Width) -> Value {
        match (s.width, width) {
            (Width::Word, Width::Pair) => {
                let high = self.i64(0);
                self.b.ins().iconcat(s.v, high)
            }
            (Width::Pair, Width::Word) => self.b.ins().isplit(s.v).0,
            (Width::Parts(_), Width::Word) => self.load_word(s.v, 0),
            (Width::Parts(_), Width::Pair) => {
                let (low, high) = (self.load_word(s.v, 0), self.load_word(s.v, 8));
                self.b.ins().iconcat(low, high)
            }
            (from, Width::Parts(parts)) if !from.in_memory() || from.parts() < parts => self.spread(s, parts),
            _ => s.v,
        }
    }

    /// Two sets held alike: as the wider, or for `narrow` as the narrower.
    pub fn alike(&mut self, a: Bitset, b: Bitset, narrow: bool) -> (Value, Value, Width) {
        let width = if narrow { a.width.min(b.width) } else { a.width.max(b.width) };
        (self.fit(a, width), self.fit(b, width), width)
    }

    pub fn union(&mut self, a: Bitset, b: Bitset) -> Bitset {
        let bound = a.bound.or(b.bound);
        if a.width.in_memory() || b.width.in_memory() {
            return Bitset { bound, ..self.union_in_memory(a, b) };
        }
        if let Some(found) = self.combined(a, b, |a, b| a | b) {
            return found;
        }
        let (x, y, width) = self.alike(a, b, false);
        Bitset { v: self.b.ins().bor(x, y), width, bound }
    }

    pub fn meet(&mut self, a: Bitset, b: Bitset) -> Bitset {
        let bound = a.bound.and(b.bound);
        if a.width.in_memory() && b.width.in_memory() {
            return Bitset { bound, ..self.meet_in_memory(a, b) };
        }
        if let Some(found) = self.combined(a, b, |a, b| a & b) {
            return found;
        }
        let (x, y, width) = self.alike(a, b, true);
        Bitset { v: self.b.ins().band(x, y), width, bound }
    }

    /// What a set has in common with one that has no bits beyond its bound, whatever bytes the position has.
    pub fn meet_sound(&mut self, a: Bitset, sound: Bitset) -> Bitset {
        let covered = sound.width <= a.width && sound.bound.is_within(a.bound) && is_whole(&self.b.func.dfg, a);
        if covered { sound } else { self.meet(a, sound) }
    }

    pub fn minus(&mut self, a: Bitset, b: Bitset) -> Bitset {
        if a.width.in_memory() {
            return self.minus_in_memory(a, b);
        }
        if let Some(found) = self.combined(a, b, |a, b| a & !b) {
            return found;
        }
        let y = self.fit(b, a.width);
        Bitset { v: self.b.ins().band_not(a.v, y), ..a }
    }

    /// Whether two sets are the same.
    pub fn same(&mut self, a: Bitset, b: Bitset) -> Value {
        if a.width.in_memory() || b.width.in_memory() {
            return self.same_in_memory(a, b);
        }
        let (x, y, width) = self.alike(a, b, false);
        let differ = self.b.ins().bxor(x, y);
        self.none_of(Bitset { v: differ, width, bound: a.bound.or(b.bound) })
    }

    pub fn none_of(&mut self, s: Bitset) -> Value {
        match s.width {
            Width::Word => self.cmp(IntCC::Equal, s.v, 0),
            Width::Pair => {
                let (low, high) = self.b.ins().isplit(s.v);
                let all = self.b.ins().bor(low, high);
                self.cmp(IntCC::Equal, all, 0)
            }
            Width::Parts(_) => self.none_in_memory(s),
        }
    }

    /// Those of a set that are among these bits.
    pub fn within(&mut self, s: Bitset, bound: Bound) -> Bitset {
        if s.bound.is_within(bound) {
            return s;
        }
        let bound = self.all_of(bound);
        self.meet(s, bound)
    }

    /// Whether a set has a bit that is not among these; `None`: certainly not.
    pub fn beyond(&mut self, s: Bitset, bound: Bound) -> Option<Value> {
        if s.bound.is_within(bound) {
            return None;
        }
        let all = self.all_of(bound);
        let over = self.minus(s, all);
        let none = self.none_of(over);
        Some(self.flip(none))
    }

    /// The set, or the empty one where a condition fails.
    pub fn only_if(&mut self, c: Value, s: Bitset) -> Bitset {
        let zero = self.bits(0, s.width);
        Bitset { v: self.b.ins().select(c, s.v, zero), ..s }
    }

    pub fn size(&mut self, s: Bitset) -> Value {
        let n = match s.width {
            Width::Word => self.b.ins().popcnt(s.v),
            Width::Pair => {
                let (low, high) = self.b.ins().isplit(s.v);
                let (low, high) = (self.b.ins().popcnt(low), self.b.ins().popcnt(high));
                self.b.ins().iadd(low, high)
            }
            Width::Parts(_) => self.size_in_memory(s),
        };
        self.b.ins().ireduce(types::I32, n)
    }

    /// The lowest bit of a set that is not empty, 64 bits.
    pub fn lowest(&mut self, s: Bitset) -> Value {
        match s.width {
            Width::Word => self.b.ins().ctz(s.v),
            Width::Pair => {
                let (low, high) = self.b.ins().isplit(s.v);
                let (a, b) = (self.b.ins().ctz(low), self.b.ins().ctz(high));
                let more = self.i64(64);
                let b = self.b.ins().iadd(b, more);
                let none = self.cmp(IntCC::Equal, low, 0);
                self.b.ins().select(none, b, a)
            }
            Width::Parts(_) => {
                let (at, word) = self.first_word(s);
                let bit = self.b.ins().ctz(word);
                self.bit_of(at, bit)
            }
        }
    }

    /// The set of one bit, given as a number of 64 bits below the width.
    pub fn single(&mut self, i: Value, width: Width) -> Value {
        if let Width::Parts(parts) = width {
            let (at, yes) = (self.zeros(parts), self.i8(true));
            self.set_bit(at, i, yes);
            return at;
        }
        let one = self.i64(1);
        // Shifts go by the number modulo 64.
        let bit = self.b.ins().ishl(one, i);
        if width == Width::Word {
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
    pub fn rest(&mut self, s: Bitset) -> Bitset {
        if let Width::Parts(parts) = s.width {
            let copy = Bitset { v: self.spread(s, parts), ..s };
            let (at, word) = self.first_word(copy);
            let rest = self.word_rest(word);
            let address = self.b.ins().iadd(copy.v, at);
            self.store_word(rest, address);
            return copy;
        }
        let one = self.bits(1, s.width);
        let less = self.b.ins().isub(s.v, one);
        Bitset { v: self.b.ins().band(s.v, less), ..s }
    }

    /// A word without its lowest bit.
    fn word_rest(&mut self, word: Value) -> Value {
        let one = self.i64(1);
        let less = self.b.ins().isub(word, one);
        self.b.ins().band(word, less)
    }

    /// Whether a set has a bit, given as a number of 64 bits; below 128, or in memory not above the highest.
    pub fn has(&mut self, s: Bitset, i: Value) -> Value {
        let word = match s.width {
            Width::Word => s.v,
            Width::Pair => {
                let (low, high) = self.b.ins().isplit(s.v);
                let is_low = self.cmp(IntCC::UnsignedLessThan, i, 64);
                self.b.ins().select(is_low, low, high)
            }
            Width::Parts(_) => {
                let address = self.word_of(s.v, i);
                self.load_word(address, 0)
            }
        };
        let found = self.has_bit(word, i);
        if s.width != Width::Word {
            return found;
        }
        let small = self.cmp(IntCC::UnsignedLessThan, i, 64);
        self.b.ins().band(found, small)
    }

    /// Whether a word has a bit, given as a number modulo 64.
    fn has_bit(&mut self, word: Value, i: Value) -> Value {
        let shifted = self.b.ins().ushr(word, i);
        let low = self.b.ins().ireduce(types::I8, shifted);
        let one = self.i8(true);
        self.b.ins().band(low, one)
    }

    /// Whether a set has a bit that is not above its highest.
    pub fn has_within(&mut self, s: Bitset, i: Value) -> Value {
        if s.width == Width::Word { self.has_bit(s.v, i) } else { self.has(s, i) }
    }

    /// Those bytes from an offset of an address on, as bits of a set.
    pub fn read_set(&mut self, address: Value, at: i32, width: u32, bound: Bound) -> Bitset {
        if let Bound::First(n) = bound {
            return self.read_parts(address, at, n);
        }
        let flags = self.in_position();
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
        let form = bound.width();
        let v = if form == Width::Pair {
            let high = part(self, 8, width.saturating_sub(8));
            self.b.ins().iconcat(low, high)
        } else {
            low
        };
        let s = Bitset { v, width: form, bound };
        if Bound::below(u64::from(8 * width)).is_within(bound) {
            return s;
        }
        let bound = self.all_of(bound);
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

    // -- put together --

    /// A set to be put together, empty at first.
    pub fn gather(&mut self, width: Width) -> Gather {
        let none = match width {
            Width::Parts(parts) => self.zeros(parts),
            width => self.bits(0, width),
        };
        Gather { width, var: self.var(Self::set_type(width), none) }
    }

    /// Adds a bit, given as a number of 64 bits below the width, where a condition holds.
    pub fn gather_bit(&mut self, to: Gather, bit: Value, c: Option<Value>) {
        let now = self.b.use_var(to.var);
        if to.width.in_memory() {
            let c = c.unwrap_or_else(|| self.i8(true));
            return self.set_bit(now, bit, c);
        }
        let mut one = self.single(bit, to.width);
        if let Some(c) = c {
            let none = self.bits(0, to.width);
            one = self.b.ins().select(c, one, none);
        }
        let now = self.b.ins().bor(now, one);
        self.b.def_var(to.var, now);
    }

    /// Adds a set; what does not fit is dropped.
    pub fn gather_set(&mut self, to: Gather, s: Bitset) {
        let now = self.b.use_var(to.var);
        if let Width::Parts(parts) = to.width {
            return self.add_in_memory(now, parts, s);
        }
        let v = self.fit(s, to.width);
        let now = self.b.ins().bor(now, v);
        self.b.def_var(to.var, now);
    }

    /// Gives a set in registers another value.
    pub fn regather(&mut self, of: Gather, v: Value) {
        self.b.def_var(of.var, v);
    }

    /// Takes all out again.
    pub fn clear_gathered(&mut self, of: Gather) {
        let none = self.bits(0, of.width);
        match of.width {
            Width::Parts(parts) => {
                let to = self.b.use_var(of.var);
                self.clear_in_memory(to, parts);
            }
            _ => self.b.def_var(of.var, none),
        }
    }

    /// What was put together, all of it within a bound.
    pub fn gathered(&mut self, of: Gather, bound: Bound) -> Bitset {
        Bitset { v: self.b.use_var(of.var), width: of.width, bound }
    }

    // -- gone through --

    /// Goes through the bits of a set, lowest first. `body` is given the member, with bit 0 as `lo`, and leaves by
    /// falling through.
    pub fn each(&mut self, s: Bitset, lo: i32, body: impl FnOnce(&mut Self, Int, Value)) {
        self.depth += 1;
        self.one_after_another(s, lo, body);
        self.depth -= 1;
    }

    fn one_after_another(&mut self, s: Bitset, lo: i32, body: impl FnOnce(&mut Self, Int, Value)) {
        if s.width != Width::Word {
            return self.each_wide(s, lo, body);
        }
        let (head, inside, done) = (self.block(), self.block(), self.block());
        let left = self.b.append_block_param(head, types::I64);
        self.jump(head, &[s.v]);
        self.to(head);
        let here = Bitset { v: left, ..s };
        let none = self.none_of(here);
        self.brif(none, done, inside);
        self.to(inside);
        self.count_turn(done);
        let bit = self.lowest(here);
        let rest = self.rest(here);
        let member = self.member(bit, &s, lo);
        body(self, member, bit);
        self.jump(head, &[rest.v]);
        self.to(done);
    }

    /// Counts a turn of a loop, where that may become too much; then it goes on there.
    pub fn count_turn(&mut self, done: Block) {
        if self.unit.counted {
            let over = self.count_work();
            let on = self.block();
            self.brif(over, done, on);
            self.to(on);
        }
    }

    /// The same, of several words, the first one first.
    fn each_wide(&mut self, s: Bitset, lo: i32, body: impl FnOnce(&mut Self, Int, Value)) {
        let (head, inside, out, over, done) = (self.block(), self.block(), self.block(), self.block(), self.block());
        let left = self.b.append_block_param(head, types::I64);
        // The first bit of the word.
        let first = self.b.append_block_param(head, types::I64);
        let zero = self.i64(0);
        let by = self.i64(64);
        match s.width {
            Width::Parts(parts) => {
                let word = self.load_word(s.v, 0);
                self.jump(head, &[word, zero]);
                self.to(head);
                self.brif(left, inside, out);
                self.to(out);
                let next = self.b.ins().iadd(first, by);
                let more = self.cmp(IntCC::UnsignedLessThan, next, i64::from(parts * Narrow::BITS));
                self.brif(more, over, done);
                self.to(over);
                let address = self.word_of(s.v, next);
                let word = self.load_word(address, 0);
                self.jump(head, &[word, next]);
            }
            _ => {
                let (low, high) = self.b.ins().isplit(s.v);
                self.jump(head, &[low, zero]);
                self.to(head);
                self.brif(left, inside, out);
                self.to(out);
                self.brif(first, done, over);
                self.to(over);
                self.jump(head, &[high, by]);
            }
        }
        self.to(inside);
        self.count_turn(done);
        let bit = self.b.ins().ctz(left);
        let bit = self.b.ins().iadd(bit, first);
        let rest = self.word_rest(left);
        let member = self.member(bit, &s, lo);
        body(self, member, bit);
        self.jump(head, &[rest, first]);
        self.to(done);
    }

    /// The member that a bit of a set stands for.
    pub fn member(&mut self, bit: Value, s: &Bitset, lo: i32) -> Int {
        self.member_of(bit, s.bound, lo)
    }

    /// The same of any set with this bound.
    pub fn member_of(&mut self, bit: Value, bound: Bound, lo: i32) -> Int {
        let mut v = self.b.ins().ireduce(types::I32, bit);
        if lo != 0 {
            let by = self.i32(i64::from(lo));
            v = self.b.ins().iadd(v, by);
        }
        // Proof: the bit is one that the set has, so one of its bound.
        Int::plain(v, i64::from(lo) + i64::from(bound.least()), i64::from(lo) + i64::from(bound.top()))
    }
}

/// The bits of a set of one word or two, if they are known.
pub(super) fn constant_bits(dfg: &DataFlowGraph, s: Bitset) -> Option<Narrow> {
    let word = |v: Value| known_word(dfg, v).map(Narrow::from);
    match s.width {
        Width::Word => word(s.v),
        Width::Pair => match dfg.insts[dfg.value_def(s.v).inst()?] {
            InstructionData::Binary { opcode: Opcode::Iconcat, args: [low, high] } => {
                Some(word(low)? | word(high)? << 64)
            }
            _ => None,
        },
        Width::Parts(_) => None,
    }
}

/// Whether a set is known to have all bits that it can have.
fn is_whole(dfg: &DataFlowGraph, s: Bitset) -> bool {
    constant_bits(dfg, s).is_some_and(|bits| s.bound == Bound::Few(bits))
}
