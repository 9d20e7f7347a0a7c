//! Sets in memory: more than 128 bits, in parts of 128. A few parts are handled in a row, more in a loop.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, StackSlot, StackSlotData, StackSlotKind, Value, types};

use super::build::Build;
use super::int::{Bitset, Bound, Width};
use super::regions::Region;
use crate::engine::bits::{Bits, Narrow};

/// Bytes of a part.
const PART: u32 = Narrow::BITS / 8;

/// The maximum number of parts that are handled in a row.
const MAX_IN_A_ROW: u32 = 8;

/// Places for sets on the stack of a function. Those in use are a row from the first on.
#[derive(Debug, Default)]
pub(super) struct Temps {
    slots: Vec<StackSlot>,
    used: usize,
}

/// Which part.
#[derive(Clone, Copy)]
enum At {
    Known(u32),
    /// Its first byte.
    Byte(Value),
}

impl Build<'_, '_, '_> {
    /// Room for a set. What is there is what was left there.
    fn temp(&mut self, parts: u32) -> Value {
        let temps = &mut self.temps;
        if temps.used == temps.slots.len() {
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 0, PART.trailing_zeros() as u8);
            temps.slots.push(self.b.create_sized_stack_slot(data));
        }
        let slot = temps.slots[temps.used];
        temps.used += 1;
        let size = &mut self.b.func.sized_stack_slots[slot].size;
        *size = (*size).max(PART * parts);
        self.b.ins().stack_addr(types::I64, slot, 0)
    }

    /// Builds what leaves no set behind: the room of those that it makes is free then.
    pub fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let used = self.temps.used;
        let result = f(self);
        self.temps.used = used;
        result
    }

    /// No set is wanted any more.
    pub fn free_all(&mut self) {
        self.temps.used = 0;
    }

    /// Does something with each part from one on up to another.
    fn each_part(&mut self, from: u32, to: u32, mut f: impl FnMut(&mut Self, At)) {
        if to.saturating_sub(from) <= MAX_IN_A_ROW {
            return (from..to).for_each(|i| f(self, At::Known(i)));
        }
        let (head, done) = (self.block(), self.block());
        let at = self.b.append_block_param(head, types::I64);
        let first = self.i64(u64::from(PART * from));
        self.jump(head, &[first]);
        self.to(head);
        f(self, At::Byte(at));
        let by = self.i64(u64::from(PART));
        let next = self.b.ins().iadd(at, by);
        let more = self.cmp(IntCC::UnsignedLessThan, next, i64::from(PART * to));
        self.b.ins().brif(more, head, &[next.into()], done, &[]);
        self.to(done);
    }

    fn address_of(&mut self, v: Value, at: At) -> (Value, i32) {
        match at {
            At::Known(i) => (v, (PART * i) as i32),
            At::Byte(at) => (self.b.ins().iadd(v, at), 0),
        }
    }

    fn load_part(&mut self, v: Value, at: At) -> Value {
        let (address, offset) = self.address_of(v, at);
        let locals = self.in_region(Region::Locals);
        self.b.ins().load(types::I64X2, locals, address, offset)
    }

    fn store_part(&mut self, part: Value, v: Value, at: At) {
        let (address, offset) = self.address_of(v, at);
        let locals = self.in_region(Region::Locals);
        self.b.ins().store(locals, part, address, offset);
    }

    /// The first part of a set.
    fn first_part(&mut self, s: Bitset) -> Value {
        let (low, high) = match s.width {
            Width::Parts(_) => return self.load_part(s.v, At::Known(0)),
            Width::Pair => self.b.ins().isplit(s.v),
            Width::Word => (s.v, self.i64(0)),
        };
        let low = self.b.ins().splat(types::I64X2, low);
        self.b.ins().insertlane(low, high, 1)
    }

    fn no_part(&mut self) -> Value {
        let zero = self.i64(0);
        self.b.ins().splat(types::I64X2, zero)
    }

    /// An empty set to be changed.
    pub fn zeros(&mut self, parts: u32) -> Value {
        let to = self.temp(parts);
        self.clear_in_memory(to, parts);
        to
    }

    pub fn clear_in_memory(&mut self, to: Value, parts: u32) {
        let none = self.no_part();
        self.each_part(0, parts, |b, at| b.store_part(none, to, at));
    }

    /// Copies parts from one address to another.
    pub fn copy_parts(&mut self, from: Value, to: Value, first: u32, end: u32) {
        self.each_part(first, end, |b, at| {
            let part = b.load_part(from, at);
            b.store_part(part, to, at);
        });
    }

    /// A copy of a set in so many parts.
    pub fn spread(&mut self, s: Bitset, parts: u32) -> Value {
        let to = self.temp(parts);
        let own = s.width.parts().min(parts);
        if s.width.in_memory() {
            self.copy_parts(s.v, to, 0, own);
        } else {
            let part = self.first_part(s);
            self.store_part(part, to, At::Known(0));
        }
        if own < parts {
            let none = self.no_part();
            self.each_part(own, parts, |b, at| b.store_part(none, to, at));
        }
        to
    }

    // -- joined --

    /// The parts that both of two sets have, joined, in a new place of so many parts.
    fn joined(&mut self, a: Bitset, b: Bitset, parts: u32, op: impl Fn(&mut Self, Value, Value) -> Value) -> Value {
        let to = self.temp(parts);
        if a.width.in_memory() && b.width.in_memory() {
            self.each_part(0, a.width.parts().min(b.width.parts()), |gn, at| {
                let (x, y) = (gn.load_part(a.v, at), gn.load_part(b.v, at));
                let part = op(gn, x, y);
                gn.store_part(part, to, at);
            });
        } else {
            let (x, y) = (self.first_part(a), self.first_part(b));
            let part = op(self, x, y);
            self.store_part(part, to, At::Known(0));
        }
        to
    }

    pub fn union_in_memory(&mut self, a: Bitset, b: Bitset) -> Bitset {
        let (long, short) = if a.width >= b.width { (a, b) } else { (b, a) };
        let parts = long.width.parts();
        let v = self.joined(long, short, parts, |gn, x, y| gn.b.ins().bor(x, y));
        self.copy_parts(long.v, v, short.width.parts(), parts);
        Bitset { v, ..long }
    }

    pub fn meet_in_memory(&mut self, a: Bitset, b: Bitset) -> Bitset {
        let width = a.width.min(b.width);
        let v = self.joined(a, b, width.parts(), |gn, x, y| gn.b.ins().band(x, y));
        Bitset { v, width, bound: a.bound }
    }

    pub fn minus_in_memory(&mut self, a: Bitset, b: Bitset) -> Bitset {
        let parts = a.width.parts();
        let v = self.joined(a, b, parts, |gn, x, y| gn.b.ins().band_not(x, y));
        self.copy_parts(a.v, v, b.width.parts(), parts);
        Bitset { v, ..a }
    }

    /// Adds a set to one of so many parts, in its place; what does not fit is dropped.
    pub fn add_in_memory(&mut self, to: Value, parts: u32, s: Bitset) {
        if !s.width.in_memory() {
            let (now, more) = (self.load_part(to, At::Known(0)), self.first_part(s));
            let part = self.b.ins().bor(now, more);
            return self.store_part(part, to, At::Known(0));
        }
        self.each_part(0, parts.min(s.width.parts()), |gn, at| {
            let (now, more) = (gn.load_part(to, at), gn.load_part(s.v, at));
            let part = gn.b.ins().bor(now, more);
            gn.store_part(part, to, at);
        });
    }

    // -- asked --

    /// Whether all bits of all parts are 0. `part` makes the parts, in order.
    fn all_zero(&mut self, parts: u32, part: impl Fn(&mut Self, At) -> Value) -> Value {
        let none = self.no_part();
        let all = self.var(types::I64X2, none);
        self.each_part(0, parts, |gn, at| {
            let (now, part) = (gn.b.use_var(all), part(gn, at));
            let now = gn.b.ins().bor(now, part);
            gn.b.def_var(all, now);
        });
        let all = self.b.use_var(all);
        let (low, high) = (self.b.ins().extractlane(all, 0), self.b.ins().extractlane(all, 1));
        let all = self.b.ins().bor(low, high);
        self.cmp(IntCC::Equal, all, 0)
    }

    pub fn none_in_memory(&mut self, s: Bitset) -> Value {
        self.all_zero(s.width.parts(), |gn, at| gn.load_part(s.v, at))
    }

    pub fn same_in_memory(&mut self, a: Bitset, b: Bitset) -> Value {
        let (long, short) = if a.width >= b.width { (a, b) } else { (b, a) };
        let parts = long.width.parts();
        let short = self.fit(short, Width::Parts(parts));
        self.all_zero(parts, |gn, at| {
            let (x, y) = (gn.load_part(long.v, at), gn.load_part(short, at));
            gn.b.ins().bxor(x, y)
        })
    }

    /// How many bits, 64 bits.
    pub fn size_in_memory(&mut self, s: Bitset) -> Value {
        let zero = self.i64(0);
        let total = self.var(types::I64, zero);
        self.each_part(0, s.width.parts(), |gn, at| {
            let (address, offset) = gn.address_of(s.v, at);
            let (low, high) = (gn.load_word(address, offset), gn.load_word(address, offset + 8));
            let (low, high) = (gn.b.ins().popcnt(low), gn.b.ins().popcnt(high));
            let both = gn.b.ins().iadd(low, high);
            let now = gn.b.use_var(total);
            let now = gn.b.ins().iadd(now, both);
            gn.b.def_var(total, now);
        });
        self.b.use_var(total)
    }

    // -- words --

    pub fn load_word(&mut self, address: Value, offset: i32) -> Value {
        let locals = self.in_region(Region::Locals);
        self.b.ins().load(types::I64, locals, address, offset)
    }

    pub fn store_word(&mut self, word: Value, address: Value) {
        let locals = self.in_region(Region::Locals);
        self.b.ins().store(locals, word, address, 0);
    }

    /// The address of the word that a bit is in.
    pub fn word_of(&mut self, v: Value, bit: Value) -> Value {
        let (six, three) = (self.b.ins().iconst(types::I32, 6), self.b.ins().iconst(types::I32, 3));
        let word = self.b.ins().ushr(bit, six);
        let at = self.b.ins().ishl(word, three);
        self.b.ins().iadd(v, at)
    }

    /// The number of a bit: of the word that begins at a byte, the one so far up.
    pub fn bit_of(&mut self, at: Value, up: Value) -> Value {
        let three = self.b.ins().iconst(types::I32, 3);
        let first = self.b.ins().ishl(at, three);
        self.b.ins().iadd(first, up)
    }

    /// Puts a bit in, given as a number of 64 bits below the width, where a condition holds.
    pub fn set_bit(&mut self, v: Value, bit: Value, c: Value) {
        let address = self.word_of(v, bit);
        let c = self.b.ins().uextend(types::I64, c);
        // Shifts go by the number modulo 64.
        let one = self.b.ins().ishl(c, bit);
        let now = self.load_word(address, 0);
        let now = self.b.ins().bor(now, one);
        self.store_word(now, address);
    }

    /// The first word that is not empty, and its first byte; the last word if all are.
    pub fn first_word(&mut self, s: Bitset) -> (Value, Value) {
        let (head, next, done) = (self.block(), self.block(), self.block());
        let at = self.b.append_block_param(head, types::I64);
        let (zero, by) = (self.i64(0), self.i64(8));
        self.jump(head, &[zero]);
        self.to(head);
        let address = self.b.ins().iadd(s.v, at);
        let word = self.load_word(address, 0);
        let last = self.cmp(IntCC::Equal, at, i64::from(PART * s.width.parts() - 8));
        let some = self.cmp(IntCC::NotEqual, word, 0);
        let stop = self.b.ins().bor(last, some);
        self.brif(stop, done, next);
        self.to(next);
        let after = self.b.ins().iadd(at, by);
        self.jump(head, &[after]);
        self.to(done);
        (at, word)
    }

    /// The word with the n-th bit, its first byte, and which bit of it that is. The set has more bits than that.
    pub fn nth_word(&mut self, s: Bitset, n: Value) -> (Value, Value, Value) {
        let (head, next, done) = (self.block(), self.block(), self.block());
        let at = self.b.append_block_param(head, types::I64);
        let left = self.b.append_block_param(head, types::I64);
        let (zero, by) = (self.i64(0), self.i64(8));
        self.jump(head, &[zero, n]);
        self.to(head);
        let address = self.b.ins().iadd(s.v, at);
        let word = self.load_word(address, 0);
        let count = self.b.ins().popcnt(word);
        let last = self.cmp(IntCC::Equal, at, i64::from(PART * s.width.parts() - 8));
        let here = self.b.ins().icmp(IntCC::UnsignedLessThan, left, count);
        let stop = self.b.ins().bor(last, here);
        self.brif(stop, done, next);
        self.to(next);
        let (after, less) = (self.b.ins().iadd(at, by), self.b.ins().isub(left, count));
        self.jump(head, &[after, less]);
        self.to(done);
        (word, at, left)
    }

    /// Does something with each part of a set as one of its own, with the number of its first bit (32 bits).
    pub fn each_pair(&mut self, s: Bitset, f: impl FnOnce(&mut Self, Bitset, Value)) {
        let (head, done) = (self.block(), self.block());
        let at = self.b.append_block_param(head, types::I64);
        let zero = self.i64(0);
        self.jump(head, &[zero]);
        self.to(head);
        let address = self.b.ins().iadd(s.v, at);
        let (low, high) = (self.load_word(address, 0), self.load_word(address, 8));
        let v = self.b.ins().iconcat(low, high);
        let first = self.bit_of(at, zero);
        let first = self.b.ins().ireduce(types::I32, first);
        f(self, Bitset { v, width: Width::Pair, bound: Bound::all(Width::Pair) }, first);
        let by = self.i64(u64::from(PART));
        let next = self.b.ins().iadd(at, by);
        let more = self.cmp(IntCC::UnsignedLessThan, next, i64::from(PART * s.width.parts()));
        self.b.ins().brif(more, head, &[next.into()], done, &[]);
        self.to(done);
    }

    // -- read and written --

    /// The first `n` bits at an offset of an address in the position, more than 128; the block has a part of bytes
    /// more than it needs.
    pub fn read_parts(&mut self, address: Value, offset: i32, n: u32) -> Bitset {
        let bound = Bound::below(u64::from(n));
        let width = bound.width();
        let parts = width.parts();
        let to = self.temp(parts);
        let by = self.i64(offset as u64);
        let from = self.b.ins().iadd(address, by);
        self.all_regions();
        self.copy_parts(from, to, 0, parts);
        if !n.is_multiple_of(Narrow::BITS) {
            // Of the last part only what is of the set.
            let last = At::Known(parts - 1);
            let few = self.const_bits(&Bits::below((n % Narrow::BITS) as usize));
            let (now, few) = (self.load_part(to, last), self.first_part(few));
            let now = self.b.ins().band(now, few);
            self.store_part(now, to, last);
        }
        Bitset { v: to, width, bound }
    }

    /// Takes the lowest of the first `n` bits of a variable out, and goes elsewhere where there is none; which it is,
    /// 64 bits.
    pub fn take_lowest(&mut self, (address, offset): (Value, i32), n: u32, none: Block) -> Value {
        let (head, next, found) = (self.block(), self.block(), self.block());
        let at = self.b.append_block_param(head, types::I64);
        let (zero, by) = (self.i64(0), self.i64(8));
        self.jump(head, &[zero]);
        self.to(head);
        let from = self.b.ins().iadd(address, at);
        let mut word = self.load_position(types::I64, from, offset);
        let last = self.cmp(IntCC::Equal, at, i64::from((n - 1) / 64 * 8));
        if !n.is_multiple_of(64) {
            // Of the last word only what is of the set.
            let few = self.i64((1 << (n % 64)) - 1);
            let part = self.b.ins().band(word, few);
            word = self.b.ins().select(last, part, word);
        }
        self.brif(word, found, next);
        self.to(next);
        let after = self.b.ins().iadd(at, by);
        self.b.ins().brif(last, none, &[], head, &[after.into()]);
        self.to(found);
        let bit = self.b.ins().ctz(word);
        let bit = self.bit_of(at, bit);
        let (from, one) = self.byte_of(address, bit);
        let byte = self.load_position(types::I8, from, offset);
        let byte = self.b.ins().band_not(byte, one);
        self.store_position(byte, from, offset);
        bit
    }

    /// Writes the first bytes of a set.
    pub fn store_parts(&mut self, address: Value, offset: i32, bytes: u32, s: Bitset) {
        let s = Bitset { v: self.fit(s, Width::Parts(bytes.div_ceil(PART))), ..s };
        let by = self.i64(offset as u64);
        let to = self.b.ins().iadd(address, by);
        let whole = bytes / PART;
        let locals = self.in_region(Region::Locals);
        self.copy_parts(s.v, to, 0, whole);
        let mut done = PART * whole;
        while done < bytes {
            let (step, ty) = match bytes - done {
                8.. => (8, types::I64),
                4.. => (4, types::I32),
                2.. => (2, types::I16),
                _ => (1, types::I8),
            };
            let v = self.b.ins().load(ty, locals, s.v, done as i32);
            self.b.ins().store(locals, v, to, done as i32);
            done += step;
        }
        self.all_regions();
    }

    /// The byte of a bit of a set at an address, and the bit in it (8 bits).
    pub fn byte_of(&mut self, address: Value, bit: Value) -> (Value, Value) {
        let three = self.b.ins().iconst(types::I32, 3);
        let byte = self.b.ins().ushr(bit, three);
        let address = self.b.ins().iadd(address, byte);
        let small = self.b.ins().ireduce(types::I8, bit);
        // Shifts go by the number modulo 8.
        let one = self.i8(true);
        (address, self.b.ins().ishl(one, small))
    }
}
