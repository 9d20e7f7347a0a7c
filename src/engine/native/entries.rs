//! The entries of a variable that meet a test, sixteen at a time.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Value, types};

use super::build::Build;
use super::int::{Bitset, Bound, Form, Int, Width};
use super::regions::Region;
use crate::engine::place::Place;

/// Bytes, or pairs of bytes, that stand one behind the other.
#[derive(Clone, Copy)]
struct Row {
    /// To which `at` is to be added.
    address: Value,
    at: u32,
    /// Bytes of an entry, 1 or 2.
    width: u32,
    count: u32,
}

impl Row {
    /// All entries of a variable.
    fn of(p: &Place, base: Value) -> Row {
        Row { address: base, at: p.at, width: p.width, count: p.count }
    }
}

impl Build<'_, '_, '_> {
    /// What a variable of one byte or two has stored where it has a value, 32 bits; all ones, which none has, for a
    /// number that it cannot have.
    pub fn as_stored(&mut self, p: &Place, value: Int) -> Value {
        let none = if p.width == 1 { 0xff } else { 0xffff };
        match value.form {
            Form::Stored(by) if by == p.lo - 1 && value.hi - i64::from(by) < none => value.v,
            _ => {
                let bare = self.bare(value);
                let by = self.i32(1 - i64::from(p.lo));
                let mut moved = self.b.ins().iadd(bare, by);
                if value.lo < i64::from(p.lo) || value.hi > i64::from(p.lo) + none - 2 {
                    // A number that the variable cannot have is found nowhere.
                    let one = self.i32(1);
                    let off = self.b.ins().isub(moved, one);
                    let out = self.cmp(IntCC::UnsignedGreaterThan, off, none - 2);
                    let all = self.i32(none);
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

    /// The entries of a variable of one byte or two that have a value.
    pub fn field(&mut self, p: &Place, value: Int) -> Bitset {
        let stored = self.as_stored(p, value);
        let (one, all) = if p.width == 1 { (types::I8, types::I8X16) } else { (types::I16, types::I16X8) };
        let stored = self.b.ins().ireduce(one, stored);
        let pattern = self.b.ins().splat(all, stored);
        self.entries(Row::of(p, self.base), |b, bytes| b.b.ins().icmp(IntCC::Equal, bytes, pattern))
    }

    /// The entries of a variable of one byte whose byte is in a set of numbers below 16.
    pub fn stored_in(&mut self, p: &Place, set: Bitset) -> Bitset {
        let bits = self.fit(set, Width::Word);
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
        self.entries(Row::of(p, self.base), |b, bytes| b.b.ins().swizzle(table, bytes))
    }

    /// The items of a row of bytes that there are any of.
    pub fn held_in_row(&mut self, p: &Place, row: Int) -> Bitset {
        if p.width == 1 {
            // One byte may be a value of the machine code.
            let n = self.scalar(p, row);
            let one = self.const_set(1);
            return match self.there(n) {
                Some(there) => self.only_if(there, one),
                None => one,
            };
        }
        let (address, at, ok) = self.entry(p, row);
        let row = Row { address, at: at as u32, width: 1, count: p.width };
        let zero = self.b.ins().iconst(types::I8, 0);
        let none = self.b.ins().splat(types::I8X16, zero);
        let found = self.entries(row, |b, bytes| b.b.ins().icmp(IntCC::NotEqual, bytes, none));
        match ok {
            Some(ok) => self.only_if(ok, found),
            None => found,
        }
    }

    /// The entries for which a test, given sixteen bytes of them, gives an entry with its highest bit set.
    fn entries(&mut self, p: Row, test: impl Fn(&mut Self, Value) -> Value) -> Bitset {
        let bound = Bound::below(u64::from(p.count));
        let width = bound.width();
        if width.in_memory() {
            return self.entries_in_memory(p, test);
        }
        let mut halves = [None, None];
        for from in (0..p.count).step_by(16) {
            let part = self.sixteen(p, from, (p.count - from).min(16), &test);
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
        let v = if width == Width::Pair { self.b.ins().iconcat(low, halves[1].unwrap_or(zero)) } else { low };
        Bitset { v, width, bound }
    }

    /// The same of more than 128 entries: sixteen of them are two bytes of the set.
    fn entries_in_memory(&mut self, p: Row, test: impl Fn(&mut Self, Value) -> Value) -> Bitset {
        let bound = Bound::below(u64::from(p.count));
        let to = self.zeros(bound.width().parts());
        let (head, done) = (self.block(), self.block());
        let at = self.b.append_block_param(head, types::I64);
        let (zero, two) = (self.i64(0), self.i64(2));
        self.jump(head, &[zero]);
        self.to(head);
        let off = self.times(at, 8 * p.width);
        let address = self.b.ins().iadd(p.address, off);
        let bits = self.whole_sixteen(p.width, (address, p.at), 16, &test);
        let bits = self.b.ins().ireduce(types::I16, bits);
        let address = self.b.ins().iadd(to, at);
        let locals = self.in_region(Region::Locals);
        self.b.ins().store(locals, bits, address, 0);
        let next = self.b.ins().iadd(at, two);
        let more = self.cmp(IntCC::UnsignedLessThan, next, i64::from(2 * (p.count / 16)));
        self.b.ins().brif(more, head, &[next.into()], done, &[]);
        self.to(done);
        if !p.count.is_multiple_of(16) {
            let whole = p.count / 16 * 16;
            let last = self.sixteen(p, whole, p.count % 16, &test);
            let last = self.b.ins().ireduce(types::I16, last);
            self.b.ins().store(locals, last, to, (whole / 8) as i32);
        }
        Bitset { v: to, width: bound.width(), bound }
    }

    /// Which of up to sixteen entries from one on meet a test, as the lowest of 64 bits.
    fn sixteen(&mut self, p: Row, first: u32, n: u32, test: impl Fn(&mut Self, Value) -> Value) -> Value {
        let at = p.at + p.width * first;
        // Not beyond the block: where there is no room, the last sixteen bytes of it. Behind rows there is room.
        let last = self.unit.value_index.room.saturating_sub(16);
        let from = if p.width == 1 { at.min(last) } else { at };
        let mut bits = self.whole_sixteen(p.width, (p.address, from), n, &test);
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

    /// Which entries from an address on meet a test, of sixteen bytes or, where there are more than eight of two bytes,
    /// twice as many: 32 bits.
    fn whole_sixteen(
        &mut self,
        width: u32,
        (address, at): (Value, u32),
        n: u32,
        test: impl Fn(&mut Self, Value) -> Value,
    ) -> Value {
        let flags = self.in_position();
        let ty = if width == 1 { types::I8X16 } else { types::I16X8 };
        let bytes = self.b.ins().load(ty, flags, address, at as i32);
        let mut found = test(self, bytes);
        if width == 2 {
            let more = if n > 8 {
                let bytes = self.b.ins().load(ty, flags, address, at as i32 + 16);
                test(self, bytes)
            } else {
                found
            };
            found = self.b.ins().snarrow(found, more);
        }
        self.b.ins().vhigh_bits(types::I32, found)
    }
}
