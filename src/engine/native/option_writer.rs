//! Writing options down, in groups.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, ConstantData, InstBuilder, Value, types};
use cranelift_frontend::Variable;

use super::build::Build;
use super::constants::known_word;
use super::int::{Bitset, Int, Width};
use super::option_groups::Head;
use super::regions::Region;
use super::{GROUP_SIZE, GROUPS, LENGTH, TOTAL, WORK};
use crate::game::MAX_WORK;

/// How far the writing has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listing {
    /// Options so far.
    total: Variable,
    /// Addresses: of the first group, of the next one, and where there is no room for more.
    list: Value,
    at: Variable,
    end: Value,
    /// Whether there is room for all that may be written down.
    roomy: bool,
}

/// How many bytes of a group there are, as a power of two times an odd number, and by what to multiply that number to
/// come to 1.
const GROUP_SHIFT: u32 = GROUP_SIZE.trailing_zeros();
const ODD_INVERSE: u64 = inverse(GROUP_SIZE as u64 >> GROUP_SHIFT);

/// By what an odd number is multiplied to come to 1, modulo two to the power of 64.
const fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    // The lowest three bits are right, and each time twice as many.
    let mut right = 3;
    while right < u64::BITS {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        right *= 2;
    }
    x
}

impl Build<'_, '_, '_> {
    /// Counts what is worked out, and fails where it is too much; whether it is.
    pub fn count_work(&mut self) -> Value {
        let work = self.load_context(types::I32, WORK);
        let one = self.i32(1);
        let work = self.b.ins().iadd(work, one);
        self.store_context(work, WORK);
        let over = self.cmp(IntCC::UnsignedGreaterThan, work, i64::from(MAX_WORK));
        self.fail_if(over);
        over
    }

    /// Goes on writing where the context says.
    pub fn begin_listing(&mut self) {
        let count = self.load_context(types::I32, LENGTH);
        let total = self.load_context(types::I64, TOTAL);
        let list = self.load_context(types::I64, GROUPS);
        let by = self.i64(GROUP_SIZE as u64);
        let off = self.b.ins().uextend(types::I64, count);
        let off = self.b.ins().imul(off, by);
        let at = self.b.ins().iadd(list, off);
        let room = self.i64(GROUP_SIZE as u64 * u64::from(self.unit.max_groups));
        let end = self.b.ins().iadd(list, room);
        let (total, at) = (self.var(types::I64, total), self.var(types::I64, at));
        self.listing = Some(Listing { total, list, at, end, roomy: false });
    }

    /// Says in the context how far it came; how many groups there are.
    pub fn end_listing(&mut self) -> Value {
        let Some(listing) = self.listing.take() else {
            return self.load_context(types::I32, LENGTH);
        };
        let written = self.written(listing);
        let shift = self.b.ins().iconst(types::I32, i64::from(GROUP_SHIFT));
        let written = self.b.ins().ushr(written, shift);
        let by = self.i64(ODD_INVERSE);
        let count = self.b.ins().imul(written, by);
        let (count, total) = (self.b.ins().ireduce(types::I32, count), self.b.use_var(listing.total));
        self.store_context(count, LENGTH);
        self.store_context(total, TOTAL);
        count
    }

    /// Makes sure that there is room for so many groups more, which are all that are written until
    /// [`Build::end_room`]; fails and goes elsewhere if there is not.
    pub fn make_room(&mut self, n: usize, elsewhere: Block) {
        let Some(listing) = &mut self.listing else { return };
        listing.roomy = true;
        let (at, end) = (listing.at, listing.end);
        let (at, bytes) = (self.b.use_var(at), self.i64((GROUP_SIZE * n) as u64));
        let last = self.b.ins().iadd(at, bytes);
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, last, end);
        let (none, go) = (self.block(), self.block());
        self.b.set_cold_block(none);
        self.brif(full, none, go);
        self.to(none);
        self.fail();
        self.jump(elsewhere, &[]);
        self.to(go);
    }

    /// Takes back what [`Build::make_room`] made sure of.
    pub fn end_room(&mut self) {
        if let Some(listing) = &mut self.listing {
            listing.roomy = false;
        }
    }

    /// How many bytes are written, 64 bits.
    fn written(&mut self, listing: Listing) -> Value {
        let at = self.b.use_var(listing.at);
        self.b.ins().isub(at, listing.list)
    }

    /// Whether anything is written down, 64 bits.
    pub fn any_listed(&mut self) -> Value {
        match self.listing {
            Some(listing) => self.written(listing),
            None => self.i64(0),
        }
    }

    /// Writes down options: their head (tag, number of arguments), the number of bit 0 and the bits. Those of a set in
    /// memory are several groups, one for each part that is not empty.
    pub fn group(&mut self, head: u32, lo: Value, s: Bitset, args: &[Int]) {
        if !s.width.in_memory() {
            return self.one_group(head, lo, s, args);
        }
        self.each_pair(s, |b, part, first| {
            let (some, next) = (b.block(), b.block());
            let none = b.none_of(part);
            b.brif(none, next, some);
            b.to(some);
            let lo = b.b.ins().iadd(lo, first);
            b.one_group(head, lo, part, args);
            b.jump(next, &[]);
            b.to(next);
        });
    }

    fn one_group(&mut self, head: u32, lo: Value, s: Bitset, args: &[Int]) {
        let Some(listing) = self.listing else {
            return self.fail();
        };
        let done = self.block();
        if !listing.roomy {
            let at = self.b.use_var(listing.at);
            let full = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, at, listing.end);
            let (write, skip) = (self.block(), self.block());
            self.b.set_cold_block(skip);
            self.brif(full, skip, write);
            self.to(skip);
            let none = self.none_of(s);
            let some = self.flip(none);
            self.fail_if(some);
            self.jump(done, &[]);
            self.to(write);
        }
        self.put_group(listing, head, lo, s, args);
        self.jump(done, &[]);
        self.to(done);
    }

    fn put_group(&mut self, listing: Listing, head: u32, lo: Value, s: Bitset, args: &[Int]) {
        let at = self.b.use_var(listing.at);
        let list = self.in_region(Region::Options);
        let low = match (s.width, known_word(&self.b.func.dfg, lo)) {
            (Width::Word, Some(lo)) => {
                self.b.ins().store(list, s.v, at, 0);
                let same = self.same_in_all(lo as i32, head);
                self.b.ins().store(list, same, at, 8);
                s.v
            }
            _ => {
                let both = self.fit(s, Width::Pair);
                let (low, high) = self.b.ins().isplit(both);
                self.b.ins().store(list, low, at, 0);
                self.b.ins().store(list, high, at, 8);
                self.b.ins().store(list, lo, at, 16);
                let head = self.i32(i64::from(head));
                self.b.ins().store(list, head, at, 20);
                low
            }
        };
        let kind = head >> 24;
        for (i, arg) in args.iter().enumerate() {
            let v = self.plain(*arg);
            let v = self.b.ins().ireduce(types::I16, v);
            self.b.ins().store(list, v, at, 24 + 2 * i as i32);
        }
        let options = if matches!(kind, Head::RANGE | Head::COPIES) {
            low
        } else {
            let n = self.size(s);
            self.b.ins().uextend(types::I64, n)
        };
        let small = self.b.ins().ireduce(types::I32, options);
        self.b.ins().store(list, small, at, 36);
        let by = self.i64(GROUP_SIZE as u64);
        let mut next = self.b.ins().iadd(at, by);
        if !self.has_some(s) {
            // No branch: whether a set is empty is hard to foresee.
            let none = self.cmp(IntCC::Equal, options, 0);
            next = self.b.ins().select(none, at, next);
        }
        let total = self.b.use_var(listing.total);
        let total = self.b.ins().iadd(total, options);
        self.b.def_var(listing.at, next);
        self.b.def_var(listing.total, total);
    }

    /// What groups of options have in common that have no bits in the upper word: that word, the number of bit 0, and
    /// the head, as they stand in a group.
    fn same_in_all(&mut self, lo: i32, head: u32) -> Value {
        let bytes = [&0u64.to_ne_bytes()[..], &lo.to_ne_bytes(), &head.to_ne_bytes()].concat();
        let constant = self.b.func.dfg.constants.insert(ConstantData::from(&bytes[..]));
        self.b.ins().vconst(types::I8X16, constant)
    }
}
