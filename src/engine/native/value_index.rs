//! Value indexes: for a variable whose entries are searched by value, the set of entries that hold each value, kept
//! beside the bytes.

use std::cmp::Reverse;
use std::ops::Range;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::Build;
use super::int::{Bitset, Bound, Form, Int, Width};
use super::num::{Index, steady};
use crate::engine::bits::{Bits, each};
use crate::engine::ir::{Cond, Flow, Lin, NONE, Num, SetE};
use crate::engine::leaf::Leaf;
use crate::engine::place::Place;
use crate::engine::program::{Op, Program};

/// The maximum number of values, nothing included, of a variable that has a value index: where few places ask, and
/// where many do.
const MAX_VALUES: u64 = 40;
const MAX_VALUES_OF_MANY: u64 = 512;

/// From how many places on it is many.
const MANY: usize = 8;

/// The maximum number of bytes of all value indexes: where a position is copied, they are.
const MAX_BYTES: u32 = 1 << 16;

/// The maximum number of values, nothing included, for which every set is written, whatever the value was.
const MIN_LOOKUPS: u32 = 4;

/// The maximum number of values, nothing included, for which a part of every set is written anew where entries differ.
const MAX_ANEW: u32 = 4;

/// The maximum number of values of a table for which it is looked up where their sets begin, and of bytes of all such
/// tables.
const MAX_LOOKED_UP: usize = 1024;
const MAX_LOOKED_UP_BYTES: usize = 1 << 20;

/// For each set that is joined with others, so many entries would be compared in the same time.
const ENTRIES_OF_A_SET: u32 = 8;

/// Bytes that are compared together.
const WORD: usize = 8;

/// The value index of one variable: a set for each value, that of nothing first, then one for any other byte, and one
/// that is always empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueIndexes {
    /// First byte of the variable.
    at: u32,
    /// Entries.
    count: u32,
    /// Bytes of an entry: one or two.
    width: u32,
    /// Values, with nothing.
    values: u32,
    /// First byte of the sets, from the beginning of the position.
    from: u32,
    /// Whether its bytes are its own, so that all of them are values of it.
    single: bool,
}

impl ValueIndexes {
    /// The bits of a set, all entries.
    fn bound(&self) -> Bound {
        Bound::below(self.count.into())
    }

    /// Bytes of a set.
    fn step(&self) -> u32 {
        match self.bound().width() {
            Width::Word => 8,
            width => 16 * width.parts(),
        }
    }

    fn size(&self) -> u32 {
        self.step() * (self.values + 2)
    }

    /// The bytes of the variable.
    fn bytes(&self) -> Range<usize> {
        self.at as usize..(self.at + self.width * self.count) as usize
    }

    /// Builds the sets from the bytes of the variable.
    fn set(&self, room: &mut [u8]) {
        let Some((bytes, sets)) = room.split_at_mut_checked(self.from as usize) else {
            return;
        };
        sets.get_mut(..self.size() as usize).unwrap_or_default().fill(0);
        let entries = bytes.get(self.bytes()).unwrap_or_default().chunks_exact(self.width as usize);
        for (i, entry) in entries.enumerate() {
            self.mark(sets, i, entry, true);
        }
    }

    /// Brings the sets up to date for new bytes of the variable, which are not written.
    fn replace(&self, room: &mut [u8], new: &[u8]) {
        let Some((bytes, sets)) = room.split_at_mut_checked(self.from as usize) else {
            return;
        };
        let Some(old) = bytes.get(self.bytes()) else { return };
        if self.values <= MAX_ANEW && self.width == 1 {
            return self.replace_few(sets, old, new);
        }
        for (some, (old, new)) in old.chunks(WORD).zip(new.chunks(WORD)).enumerate() {
            // Most words are as they were, and in others most bytes.
            let mut differs = word(old) ^ word(new);
            while differs != 0 {
                let entry = differs.trailing_zeros() as usize / 8 / self.width as usize;
                let bytes = entry * self.width as usize..(entry + 1) * self.width as usize;
                differs &= u64::MAX.checked_shl(8 * bytes.end as u32).unwrap_or(0);
                let (Some(old), Some(new)) = (old.get(bytes.clone()), new.get(bytes)) else { break };
                let entry = some * WORD / self.width as usize + entry;
                self.mark(sets, entry, old, false);
                self.mark(sets, entry, new, true);
            }
        }
    }

    /// The same for few values and entries of one byte.
    fn replace_few(&self, sets: &mut [u8], old: &[u8], new: &[u8]) {
        let ((old, last_old), (new, last_new)) = (old.as_chunks::<WORD>(), new.as_chunks::<WORD>());
        for (number, (old, new)) in old.iter().zip(new).enumerate() {
            let (old, new) = (u64::from_le_bytes(*old), u64::from_le_bytes(*new));
            if old != new {
                self.mark_anew(sets, number, new, u8::MAX);
            }
        }
        let (old, last) = (word(last_old), word(last_new));
        if old != last {
            let there = u8::MAX.checked_shr(WORD.saturating_sub(last_new.len()) as u32).unwrap_or(0);
            self.mark_anew(sets, new.len(), last, there);
        }
    }

    /// Writes for each value which of some entries of one byte hold it: of a word, the one of a number, those that are
    /// there.
    fn mark_anew(&self, sets: &mut [u8], number: usize, entries: u64, there: u8) {
        for value in 0..self.values {
            if let Some(byte) = sets.get_mut((value * self.step()) as usize + number) {
                *byte = equal_bytes(entries, value as u8) & there;
            }
        }
    }

    /// Takes an entry into the set of the value stored, or out of it.
    fn mark(&self, sets: &mut [u8], i: usize, entry: &[u8], there: bool) {
        let value = entry.iter().rev().fold(0, |n, byte| n << 8 | usize::from(*byte));
        if value < self.values as usize
            && let Some(byte) = sets.get_mut(value * self.step() as usize + i / 8)
        {
            let bit = 1 << (i % 8);
            *byte = if there { *byte | bit } else { *byte & !bit };
        }
    }
}

/// Bytes as a word, the lowest first; what is missing is zero.
fn word(bytes: &[u8]) -> u64 {
    match bytes.try_into() {
        Ok(word) => u64::from_le_bytes(word),
        Err(_) => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Which bytes of a word are equal to one, as bits, the lowest first.
fn equal_bytes(word: u64, byte: u8) -> u8 {
    const LOW: u64 = u64::from_le_bytes([0x7f; 8]);
    let differs = word ^ u64::from_le_bytes([byte; 8]);
    // The highest bit of each byte that does not differ.
    let equal = !((differs & LOW).wrapping_add(LOW) | differs | LOW);
    // The product has them side by side in its highest byte.
    ((equal >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// All value indexes of a game, and the size of a position with them.
#[derive(Clone, Debug)]
pub(super) struct ValueIndex {
    all: Vec<ValueIndexes>,
    pub room: u32,
}

impl ValueIndex {
    /// For the variables of the table whose entries are asked for by value somewhere.
    pub fn new(program: &Program) -> ValueIndex {
        let mut fields: Vec<(Place, usize)> = Vec::new();
        let mut rows = false;
        program.walk(&mut |_, leaf| {
            rows |= matches!(leaf, Leaf::Row);
            if let Leaf::Field(p) = leaf {
                match fields.iter_mut().find(|(f, _)| f.at == p.at) {
                    Some((_, places)) => *places += 1,
                    None => fields.push((p, 1)),
                }
            }
        });
        // What is read of a set in memory, of a row, or of numbers of two bytes, may end a part of bytes further on.
        let beyond = if program.wide || rows || fields.iter().any(|(p, _)| p.width > 1) { 16 } else { 0 };
        let as_a_whole = changed_as_a_whole(program);
        fields.retain(|(p, places)| {
            let end = p.at + p.width * p.count;
            let whole = as_a_whole.iter().any(|(at, len)| p.at < at + len && *at < end);
            let plain = p.width <= 2 && p.level == 0 && p.active.is_none() && p.count > 1;
            plain && !whole && p.span < if *places < MANY { MAX_VALUES } else { MAX_VALUES_OF_MANY }
        });
        // Those of few values take little room; of the others those come first that most places ask for.
        fields.sort_by_key(|(p, places)| (p.span >= MAX_VALUES).then_some(Reverse(*places)));
        let mut room = program.layout.size.next_multiple_of(16);
        let most = room + MAX_BYTES;
        let all = fields.iter().filter_map(|(p, _)| {
            let (at, count, width) = (p.at, p.count, p.width);
            let value_indexes =
                ValueIndexes { at, count, width, values: p.span as u32 + 1, from: room, single: p.single };
            let fits = room + value_indexes.size() <= most;
            room += if fits { value_indexes.size() } else { 0 };
            fits.then_some(value_indexes)
        });
        let all = all.collect();
        room += beyond;
        ValueIndex { all, room }
    }

    /// The value index of a variable, if it has one.
    pub fn of(&self, p: &Place) -> Option<ValueIndexes> {
        self.all.iter().find(|s| s.at == p.at && s.count == p.count).copied()
    }

    /// Writes the value indexes of the position in a buffer for both.
    pub fn set(&self, room: &mut [u8]) {
        self.all.iter().for_each(|value_indexes| value_indexes.set(room));
    }

    /// Replaces the position in a buffer, whose value indexes are right, and the value indexes of what differs.
    pub fn replace(&self, room: &mut [u8], bytes: &[u8]) {
        for value_indexes in &self.all {
            if let Some(new) = bytes.get(value_indexes.bytes()) {
                value_indexes.replace(room, new);
            }
        }
        if let Some(to) = room.get_mut(..bytes.len()) {
            to.copy_from_slice(bytes);
        }
    }
}

/// Bytes that are changed without a look at each entry: bags, what belongs to a code, and what is reset.
fn changed_as_a_whole(program: &Program) -> Vec<(u32, u32)> {
    let mut all = program.bags.clone();
    for code in &program.codes {
        all.extend(code.clear.iter().map(|(at, len, _)| (*at, *len)));
        for op in &code.ops {
            match op {
                Op::Reset(fills, _) => all.extend(fills.iter().map(|(at, len, _)| (*at, *len))),
                Op::HookAt(hook) => all.push((hook.clear.0, hook.clear.1)),
                _ => {}
            }
        }
    }
    all
}

impl Build<'_, '_, '_> {
    /// The entries of a variable that hold a value, from its value index.
    pub fn value_set(&mut self, value_indexes: &ValueIndexes, p: &Place, value: Int) -> Bitset {
        let (address, at) = match self.known_value_set(value_indexes, p, value) {
            Some(value_set) => (self.base, value_indexes.from + value_set * value_indexes.step()),
            None => (self.value_set_of(value_indexes, p, value), value_indexes.from),
        };
        self.value_set_from(value_indexes, address, at)
    }

    /// The entries that hold a value from a table: where the set of each value begins is looked up in its place.
    pub fn value_set_by_table(&mut self, value_indexes: &ValueIndexes, p: &Place, value: &Num) -> Option<Bitset> {
        let Num::Table(table, lin) = value else { return None };
        if table.len() > MAX_LOOKED_UP || self.known_entry(table, lin).is_some() {
            return None;
        }
        let first = |value: i32| {
            let stored = if value == NONE { 0 } else { i64::from(value) - i64::from(p.lo) + 1 };
            let held = u32::try_from(stored).ok().filter(|s| value == NONE || (1..value_indexes.values).contains(s));
            u64::from(held.unwrap_or(value_indexes.values + 1) * value_indexes.step())
        };
        let all: Vec<u64> = table.iter().map(|value| first(*value)).collect();
        let address = self.by_table(&all, first(NONE), lin)?;
        Some(self.value_set_from(value_indexes, address, value_indexes.from))
    }

    /// The address of the first set of a row of a table, without the offset of the first of all, given how far each row
    /// is from that.
    fn by_table(&mut self, rows: &[u64], none: u64, lin: &Lin) -> Option<Value> {
        let Index { at, ok, more, own } = self.padded(lin, rows.len());
        let from = match steady(rows.iter().map(|row| *row as i64)) {
            Some((least, step)) if own => {
                let (least, step) = (self.i64(least as u64), self.i64(step as u64));
                let from = self.b.ins().imul(at, step);
                self.b.ins().iadd(from, least)
            }
            _ => {
                let all = rows.iter().copied().chain(std::iter::repeat_n(none, more)).collect();
                let all = self.unit.combined(&all, MAX_LOOKED_UP_BYTES)?;
                let at = self.or_last(at, ok, rows.len());
                self.look_up(all, at, types::I64)
            }
        };
        Some(self.b.ins().iadd(self.base, from))
    }

    /// The entries that hold one of a few values: of a set that is known, or of a row of a table with as many values in
    /// each, one behind the other. `set` has a bit for each value as it is stored.
    pub fn value_sets(&mut self, value_indexes: &ValueIndexes, set: &SetE) -> Option<Bitset> {
        let step = value_indexes.step();
        let held = |value: u32| if value < value_indexes.values { value } else { value_indexes.values + 1 };
        let few = |n: u32| n > 0 && n <= value_indexes.count / ENTRIES_OF_A_SET;
        let places: Vec<(Value, u32)> = match set {
            _ if value_indexes.bound().width().in_memory() => return None,
            SetE::Const(bits) if few(bits.count()) => {
                let mut places = Vec::new();
                each(bits, |value| places.push((self.base, held(value))));
                places
            }
            SetE::Table(rows, lin) => {
                let n = rows.first()?.count();
                let first = |row: &Bits| {
                    let (low, top) = (row.first()?, row.top()?);
                    let whole = row.count() == n && top - low + 1 == n;
                    (whole && top < value_indexes.values).then_some(low)
                };
                let firsts: Option<Vec<u64>> = rows.iter().map(|row| Some(u64::from(first(row)? * step))).collect();
                let certain = lin.terms.iter().all(|(n, lo, count)| self.is_within(n, *lo, *count));
                let firsts = firsts.filter(|_| few(n) && certain)?;
                let address = self.by_table(&firsts, 0, lin)?;
                (0..n).map(|value| (address, value)).collect()
            }
            SetE::Flow(flow) => match &**flow {
                Flow::If(Cond::Is(n, NONE), _, there) if self.is_there(n) => {
                    return self.value_sets(value_indexes, there);
                }
                _ => return None,
            },
            _ => return None,
        };
        let sets = places.into_iter().map(|(address, value)| (address, value_indexes.from + value * step));
        let sets: Vec<Bitset> = sets.map(|(address, at)| self.value_set_from(value_indexes, address, at)).collect();
        sets.into_iter().reduce(|a, b| self.union(a, b))
    }

    /// Whether a number is certainly there.
    fn is_there(&mut self, n: &Num) -> bool {
        let n = self.num(n);
        n.sure && !n.maybe
    }

    /// Whether a number is certainly one of so many from a number on.
    fn is_within(&mut self, n: &Num, lo: i32, count: u32) -> bool {
        let n = self.num(n);
        n.sure && !n.maybe && n.lo >= i64::from(lo) && n.hi < i64::from(lo) + i64::from(count)
    }

    /// The set that begins at an address.
    fn value_set_from(&mut self, value_indexes: &ValueIndexes, address: Value, at: u32) -> Bitset {
        let bound = value_indexes.bound();
        let width = bound.width();
        if let Width::Parts(parts) = width {
            let by = self.i64(u64::from(at));
            let v = self.b.ins().iadd(address, by);
            let s = Bitset { v, width, bound };
            // Where the position changes, as it is now.
            if self.still {
                return s;
            }
            self.all_regions();
            return Bitset { v: self.spread(s, parts), ..s };
        }
        let low = self.load_position(types::I64, address, at as i32);
        let v = if width == Width::Pair {
            let high = self.load_position(types::I64, address, at as i32 + 8);
            self.b.ins().iconcat(low, high)
        } else {
            low
        };
        Bitset { v, width, bound }
    }

    /// Which set, if that is known beforehand.
    fn known_value_set(&self, value_indexes: &ValueIndexes, p: &Place, value: Int) -> Option<u32> {
        if !value.sure || value.lo != value.hi || value.form != Form::Plain {
            return None;
        }
        if value.maybe {
            return (value.lo == i64::from(NONE)).then_some(0);
        }
        let stored =
            u32::try_from(value.lo - i64::from(p.lo) + 1).ok().filter(|s| (1..value_indexes.values).contains(s));
        Some(stored.unwrap_or(value_indexes.values + 1))
    }

    /// The address of the set of a value, without the offset of the first.
    fn value_set_of(&mut self, value_indexes: &ValueIndexes, p: &Place, value: Int) -> Value {
        let hi = i64::from(p.lo) + i64::from(value_indexes.values) - 2;
        let stored = self.as_stored(p, value);
        let which = if value.sure && value.lo >= i64::from(p.lo) && value.hi <= hi {
            // Proof: that of the number; nothing is stored as 0.
            self.proved(stored, i64::from(value_indexes.values))
        } else {
            let within = self.cmp(IntCC::UnsignedLessThan, stored, i64::from(value_indexes.values));
            let empty = self.i32(i64::from(value_indexes.values) + 1);
            self.b.ins().select(within, stored, empty)
        };
        let which = self.b.ins().uextend(types::I64, which);
        self.value_set_at(value_indexes, which)
    }

    fn value_set_at(&mut self, value_indexes: &ValueIndexes, which: Value) -> Value {
        let which = self.times(which, value_indexes.step());
        self.b.ins().iadd(self.base, which)
    }

    /// Updates the value index for a byte about to be written: the address of the entry without its offset, and what is
    /// stored (32 bits). The entry is one of the variable: its address is that which `writable` gave.
    pub fn move_value_set(&mut self, value_indexes: &ValueIndexes, address: Value, stored: Value, before: Option<i64>) {
        let mut i = self.b.ins().isub(address, self.base);
        if value_indexes.width == 2 {
            let one = self.b.ins().iconst(types::I32, 1);
            i = self.b.ins().ushr(i, one);
        }
        let one = self.i64(1);
        // Shifts go by the number modulo 64.
        let bit = self.b.ins().ishl(one, i);
        let word = (value_indexes.count > 64).then(|| {
            let (six, three) = (self.b.ins().iconst(types::I32, 6), self.b.ins().iconst(types::I32, 3));
            let word = self.b.ins().ushr(i, six);
            self.b.ins().ishl(word, three)
        });
        if before.is_none() && value_indexes.values <= MIN_LOOKUPS {
            return self.move_few(value_indexes, word, bit, stored);
        }
        let entered = self.stored_value_set(value_indexes, stored);
        let known = before.and_then(|before| u32::try_from(before).ok());
        match known.map(|before| before.min(value_indexes.values) * value_indexes.step()) {
            Some(of) if value_indexes.bound().width() == Width::Pair => self.leave_pair(value_indexes.from + of, i),
            Some(of) => self.move_bit(self.base, value_indexes.from + of, (word, bit, false)),
            None => {
                let before = self.read(address, value_indexes.at as i32, value_indexes.width);
                let left = self.stored_value_set(value_indexes, before);
                self.move_bit(left, value_indexes.from, (word, bit, false));
            }
        }
        self.move_bit(entered, value_indexes.from, (word, bit, true));
    }

    /// Puts a bit into a set in memory, or takes it out.
    fn move_bit(&mut self, at: Value, from: u32, (word, bit, there): (Option<Value>, Value, bool)) {
        let at = word.map_or(at, |word| self.b.ins().iadd(at, word));
        let now = self.load_position(types::I64, at, from as i32);
        let now = if there { self.b.ins().bor(now, bit) } else { self.b.ins().band_not(now, bit) };
        self.store_position(now, at, from as i32);
    }

    /// Takes a bit out of a set of two words. Both are written: where they are does not depend on the bit, so that they
    /// are at hand before it is known.
    fn leave_pair(&mut self, from: u32, bit: Value) {
        let single = self.single(bit, Width::Pair);
        let (low, high) = self.b.ins().isplit(single);
        for (bit, at) in [(low, from), (high, from + 8)] {
            self.move_bit(self.base, at, (None, bit, false));
        }
    }

    /// The address of the set of a stored value, without the offset of the first.
    fn stored_value_set(&mut self, value_indexes: &ValueIndexes, stored: Value) -> Value {
        let which = if value_indexes.single {
            // Proof: `Cells` of the position held, and of what is written.
            self.proved(stored, i64::from(value_indexes.values))
        } else {
            let most = self.i32(i64::from(value_indexes.values));
            self.b.ins().umin(stored, most)
        };
        let which = self.b.ins().uextend(types::I64, which);
        self.value_set_at(value_indexes, which)
    }

    /// The same for few values: each set in turn, so that nothing depends on the old value.
    fn move_few(&mut self, value_indexes: &ValueIndexes, word: Option<Value>, bit: Value, stored: Value) {
        let at = word.map_or(self.base, |word| self.b.ins().iadd(self.base, word));
        let none = self.i64(0);
        for value in 0..value_indexes.values {
            let from = (value_indexes.from + value * value_indexes.step()) as i32;
            let now = self.load_position(types::I64, at, from);
            let without = self.b.ins().band_not(now, bit);
            let is = self.cmp(IntCC::Equal, stored, i64::from(value));
            let new = self.b.ins().select(is, bit, none);
            let now = self.b.ins().bor(without, new);
            self.store_position(now, at, from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Dice;

    #[test]
    fn sets_are_brought_up_to_date_as_they_are_made() {
        let mut dice = Dice::new(5);
        for (count, width, values) in
            [(9_u32, 1_u32, 3_u32), (64, 1, 4), (42, 1, 4), (70, 1, 13), (20, 2, 3), (131, 1, 2)]
        {
            let from = (width * count).next_multiple_of(16);
            let of = ValueIndexes { at: 0, count, width, values, from, single: true };
            let mut draw = |room: &mut [u8]| {
                for entry in room[of.bytes()].chunks_exact_mut(width as usize) {
                    if dice.below(3) > 0 {
                        entry[0] = dice.below(values as usize + 1) as u8;
                    }
                }
            };
            let mut kept = vec![0; (from + of.size()) as usize];
            of.set(&mut kept);
            for _ in 0..50 {
                let mut made = kept.clone();
                draw(&mut made);
                of.set(&mut made);
                of.replace(&mut kept, &made[of.bytes()]);
                kept[of.bytes()].copy_from_slice(&made[of.bytes()]);
                assert_eq!(kept, made, "{count} {width} {values}");
            }
        }
    }
}
