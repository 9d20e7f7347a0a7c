//! Building one function: reading a position, sets, loops, failing.
//!
//! Memory is addressed by a number in few places: an entry of a variable ([`Build::entry`]), a table ([`Build::lin`]),
//! the planes beside a position, the items of a pile, the levels of a code, the list of options. In each the number is
//! held within bounds, or a proof stands there; those that rest on what is said of a number go through
//! [`Build::offset`].

use std::collections::{BTreeMap, HashMap};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::int::{Bitset, Form, Int, needs_wide};
use super::light::Register;
use super::listing::Listing;
use super::unit::Unit;
use super::{BROKEN, FAILED};
use crate::engine::bits::Narrow;
use crate::engine::code::{NONE, Place};

/// A function under construction.
pub(super) struct Build<'u, 'p, 'f> {
    pub unit: &'u mut Unit<'p>,
    pub b: FunctionBuilder<'f>,
    /// Address of the position.
    pub base: Value,
    /// Address of the context.
    pub ctx: Value,
    /// Whether the position stays as it is while the function runs.
    pub still: bool,
    pub slots: HashMap<u16, Int>,
    pub sets: HashMap<u16, Bitset>,
    /// In endings: whether there is no legal action.
    pub no_legal: Option<Value>,
    pub failed: Variable,
    /// Whether something in here can fail.
    pub can_fail: bool,
    /// Counts that were made beforehand, as `counts` gives them.
    pub tallies: HashMap<String, Vec<Value>>,
    /// Where options are written down.
    pub listing: Option<Listing>,
    /// The variables that are values where instructions stand now.
    pub registers: BTreeMap<u32, Register>,
}

/// Flags of an access that cannot trap.
pub(super) fn sound() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Flags of a read of what never changes.
pub(super) fn constant() -> MemFlagsData {
    MemFlagsData::new().with_notrap().with_readonly().with_can_move()
}

impl<'u, 'p, 'f> Build<'u, 'p, 'f> {
    /// At the entry of a function whose first parameters are the position and the context.
    pub fn new(unit: &'u mut Unit<'p>, mut b: FunctionBuilder<'f>, still: bool) -> (Build<'u, 'p, 'f>, Vec<Value>) {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let params = b.block_params(entry).to_vec();
        let failed = b.declare_var(types::I8);
        let no = b.ins().iconst(types::I8, 0);
        b.def_var(failed, no);
        let gn = Build {
            unit,
            base: params[0],
            ctx: params[1],
            b,
            still,
            slots: HashMap::new(),
            sets: HashMap::new(),
            no_legal: None,
            failed,
            can_fail: false,
            tallies: HashMap::new(),
            listing: None,
            registers: BTreeMap::new(),
        };
        (gn, params)
    }

    /// Ends the function: writes down whether something failed.
    pub fn leave(&mut self, results: &[Value]) {
        if self.can_fail {
            let now = self.b.use_var(self.failed);
            let before = self.b.ins().load(types::I8, sound(), self.ctx, FAILED);
            let both = self.b.ins().bor(now, before);
            self.b.ins().store(sound(), both, self.ctx, FAILED);
        }
        self.b.ins().return_(results);
    }

    // -- small things --

    pub fn i32(&mut self, i: i64) -> Value {
        self.b.ins().iconst(types::I32, i64::from(i as i32 as u32))
    }

    pub fn i64(&mut self, i: u64) -> Value {
        self.b.ins().iconst(types::I64, i as i64)
    }

    pub fn i8(&mut self, b: bool) -> Value {
        self.b.ins().iconst(types::I8, i64::from(b))
    }

    /// Compares with a constant.
    pub fn cmp(&mut self, cc: IntCC, v: Value, i: i64) -> Value {
        let ty = self.b.func.dfg.value_type(v);
        let i = match ty {
            types::I128 => self.bits(i as u64 as Narrow, true),
            types::I32 => self.i32(i),
            ty => self.b.ins().iconst(ty, i),
        };
        self.b.ins().icmp(cc, v, i)
    }

    pub fn flip(&mut self, c: Value) -> Value {
        let one = self.i8(true);
        self.b.ins().bxor(c, one)
    }

    pub fn block(&mut self) -> Block {
        self.b.create_block()
    }

    pub fn jump(&mut self, to: Block, args: &[Value]) {
        let args: Vec<BlockArg> = args.iter().map(|v| BlockArg::Value(*v)).collect();
        self.b.ins().jump(to, &args);
    }

    pub fn brif(&mut self, c: Value, yes: Block, no: Block) {
        self.b.ins().brif(c, yes, &[], no, &[]);
    }

    pub fn to(&mut self, block: Block) {
        self.b.switch_to_block(block);
    }

    pub fn var(&mut self, ty: Type, first: Value) -> Variable {
        let var = self.b.declare_var(ty);
        self.b.def_var(var, first);
        var
    }

    /// Fails where a condition holds.
    pub fn fail_if(&mut self, c: Value) {
        self.can_fail = true;
        let now = self.b.use_var(self.failed);
        let now = self.b.ins().bor(now, c);
        self.b.def_var(self.failed, now);
    }

    pub fn fail(&mut self) {
        let yes = self.i8(true);
        self.fail_if(yes);
    }

    /// Whether something failed here or in a function called.
    pub fn has_failed(&mut self) -> Value {
        let now = self.b.use_var(self.failed);
        let before = self.b.ins().load(types::I8, sound(), self.ctx, FAILED);
        self.b.ins().bor(now, before)
    }

    // -- reading --

    pub fn flags(&self) -> MemFlagsData {
        if self.still { constant() } else { sound() }
    }

    /// Reads at an address and an offset, as 32 bits without sign.
    pub fn read(&mut self, address: Value, offset: i32, width: u32) -> Value {
        let ty = match width {
            1 => types::I8,
            2 => types::I16,
            _ => types::I32,
        };
        let flags = self.flags();
        let v = self.b.ins().load(ty, flags, address, offset);
        if width < 4 { self.b.ins().uextend(types::I32, v) } else { v }
    }

    /// A number as it is stored in a variable.
    pub fn stored(&self, v: Value, p: &Place) -> Int {
        let lo = i64::from(p.lo);
        let hi = lo.saturating_add(p.span as i64 - 1).min(i64::from(i32::MAX));
        Int { v, form: Form::Stored(p.lo.wrapping_sub(1)), lo, hi, maybe: true, sure: false }
    }

    /// The number without regard to nothing.
    pub fn bare(&mut self, n: Int) -> Value {
        match n.form {
            Form::Plain | Form::Stored(0) => n.v,
            Form::Stored(by) => {
                let by = self.i32(i64::from(by));
                self.b.ins().iadd(n.v, by)
            }
        }
    }

    /// The number as it is, nothing as [`NONE`].
    pub fn plain(&mut self, n: Int) -> Value {
        let bare = self.bare(n);
        match n.form {
            Form::Stored(_) if n.maybe => {
                let none = self.i32(i64::from(NONE));
                let there = self.cmp(IntCC::NotEqual, n.v, 0);
                self.b.ins().select(there, bare, none)
            }
            _ => bare,
        }
    }

    /// Whether there is a number; nothing: for certain.
    pub fn there(&mut self, n: Int) -> Option<Value> {
        if !n.maybe {
            return None;
        }
        Some(match n.form {
            Form::Plain => self.cmp(IntCC::NotEqual, n.v, i64::from(NONE)),
            Form::Stored(_) => self.cmp(IntCC::NotEqual, n.v, 0),
        })
    }

    /// A number as a place among `count` from `lo` on: 64 bits, in bounds; and whether it is one of them (nothing: for certain).
    pub fn place(&mut self, n: Int, lo: i64, count: u64) -> (Value, Option<Value>) {
        let (off, ok) = self.offset(n, lo, count);
        let Some(ok) = ok else {
            return (off, None);
        };
        let zero = self.i64(0);
        (self.b.ins().select(ok, off, zero), Some(ok))
    }

    /// The same, out of bounds where it is none of them.
    pub fn offset(&mut self, n: Int, lo: i64, count: u64) -> (Value, Option<Value>) {
        let by = match n.form {
            Form::Plain => -lo,
            Form::Stored(by) => i64::from(by) - lo,
        };
        let off = match by {
            0 => n.v,
            by => {
                let by = self.i32(by);
                self.b.ins().iadd(n.v, by)
            }
        };
        let within = n.lo >= lo && n.hi < lo.saturating_add_unsigned(count);
        if within && n.sure && !n.maybe {
            // Proof: that of the number.
            let off = self.proved(off, count as i64);
            return (self.b.ins().uextend(types::I64, off), None);
        }
        let mut ok = self.cmp(IntCC::UnsignedLessThan, off, count as i64);
        // Nothing, as it is held, may look like one of them.
        let nothing = match n.form {
            Form::Plain => i64::from(NONE).wrapping_sub(lo) as i32,
            Form::Stored(_) => by as i32,
        };
        if n.maybe
            && u64::from(nothing as u32) < count
            && let Some(there) = self.there(n)
        {
            ok = self.b.ins().band(ok, there);
        }
        (self.b.ins().uextend(types::I64, off), Some(ok))
    }

    /// A number below another by a proof, which is tested where assertions are on: then what is not proved is noted,
    /// and 0.
    pub fn proved(&mut self, off: Value, count: i64) -> Value {
        if !cfg!(debug_assertions) {
            return off;
        }
        let ok = self.cmp(IntCC::UnsignedLessThan, off, count);
        let out = self.flip(ok);
        let before = self.b.ins().load(types::I8, sound(), self.ctx, BROKEN);
        let now = self.b.ins().bor(out, before);
        self.b.ins().store(sound(), now, self.ctx, BROKEN);
        let ty = self.b.func.dfg.value_type(off);
        let zero = self.b.ins().iconst(ty, 0);
        self.b.ins().select(ok, off, zero)
    }

    /// The address of an entry of a variable, to which its offset is to be added; and whether there is such an entry.
    pub fn entry(&mut self, p: &Place, index: Int) -> (Value, i32, Option<Value>) {
        let (i, mut ok) = self.place(index, 0, u64::from(p.count.max(1)));
        let mut address = self.base;
        if p.count > 1 {
            let i = self.times(i, p.width);
            address = self.b.ins().iadd(address, i);
        }
        if p.level > 0 {
            let active = self.read(self.base, p.active.unwrap_or(0) as i32, 1);
            let on = self.cmp(IntCC::NotEqual, active, 0);
            let max = self.i32(i64::from(p.nested.max(1)));
            let active = self.b.ins().umin(active, max);
            let one = self.i32(1);
            let level = self.b.ins().isub(active, one);
            let zero = self.i32(0);
            let level = self.b.ins().select(on, level, zero);
            let level = self.b.ins().uextend(types::I64, level);
            let by = self.times(level, p.level);
            address = self.b.ins().iadd(address, by);
            ok = Some(self.both(ok, on));
        }
        (address, p.at as i32, ok)
    }

    pub fn both(&mut self, a: Option<Value>, b: Value) -> Value {
        match a {
            Some(a) => self.b.ins().band(a, b),
            None => b,
        }
    }

    fn times(&mut self, i: Value, by: u32) -> Value {
        if by == 1 {
            return i;
        }
        if by.is_power_of_two() {
            let n = self.b.ins().iconst(types::I32, i64::from(by.trailing_zeros()));
            return self.b.ins().ishl(i, n);
        }
        let by = self.i64(u64::from(by));
        self.b.ins().imul(i, by)
    }

    /// A scalar variable's entry.
    pub fn scalar(&mut self, p: &Place, index: Int) -> Int {
        if let Some(register) = self.register(p.at) {
            return self.get(&register);
        }
        let (address, at, ok) = self.entry(p, index);
        let mut v = self.read(address, at, p.width);
        if let Some(ok) = ok {
            let zero = self.i32(0);
            v = self.b.ins().select(ok, v, zero);
        }
        self.stored(v, p)
    }

    // -- sets --

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

    /// The bits of a word, or of two, moved to so much higher places; what is moved out is lost.
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

    /// Those bytes from an offset of an address on, as bits of a set of `n`; `exact` where there is no room to read beyond.
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

    /// Goes through the bits of a set, lowest first. `body` is given the member, with bit 0 as `lo`, and leaves by falling through.
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

    /// The same, of two words one after the other.
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

    /// Runs with a slot bound.
    pub fn with_slot<T>(&mut self, slot: u16, n: Int, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.slots.insert(slot, n);
        let result = f(self);
        match before {
            Some(b) => self.slots.insert(slot, b),
            None => self.slots.remove(&slot),
        };
        result
    }
}

/// The bits a set variable can have.
pub(super) fn set_bound(p: &Place) -> Narrow {
    let n = p.span.min(u64::from(p.width) * 8).min(128) as u32;
    if n >= 128 { Narrow::MAX } else { (1 << n) - 1 }
}
