//! Numbers.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::Build;
use super::int::{Form, Int};
use crate::engine::ir::{Cond, LayerOp, Lin, NONE, Num, Over};
use crate::model::Arith;

/// The least and the greatest number: what 32 bits can hold, without the values that are no numbers.
const LEAST: i64 = crate::model::LEAST as i64;
const MAX_NUMBER: i64 = i32::MAX as i64;

/// The index of an entry of a table.
pub(super) struct Index {
    /// 64 bits.
    pub at: Value,
    /// Whether it is in bounds; `None`: certainly.
    pub ok: Option<Value>,
    /// How many entries must stand behind those of the table, at least one.
    pub more: usize,
    /// Whether it is certainly an entry of the table, and none behind.
    pub own: bool,
}

impl Build<'_, '_, '_> {
    pub fn number(&mut self, i: i32) -> Int {
        let v = self.i32(i64::from(i));
        // Proof: it is this number.
        let mut n = Int::plain(v, i64::from(i), i64::from(i));
        n.maybe = i == NONE;
        n
    }

    /// A number.
    pub fn num(&mut self, n: &Num) -> Int {
        self.scoped(|b| b.number_of(n))
    }

    fn number_of(&mut self, n: &Num) -> Int {
        match n {
            Num::Const(i) => self.number(*i),
            Num::Slot(s) => match self.slots.get(s) {
                Some(n) => *n,
                None => self.number(NONE),
            },
            Num::Byte(at, lo, span) => {
                if let Some(register) = self.register(*at) {
                    return self.get(&register);
                }
                let v = self.read(self.base, *at as i32, 1);
                let hi = i64::from(*lo) + i64::from(*span) - 1;
                let maybe = !self.unit.cells.is_always_there(*at);
                // Proof: `Cells` of the position held, and of what is written.
                Int { v, form: Form::Stored(lo - 1), lo: i64::from(*lo), hi, maybe, sure: true }
            }
            Num::Var(p) => {
                let first = self.number(0);
                self.scalar(p, first)
            }
            Num::At(p, i) => {
                let i = self.num(i);
                self.scalar(p, i)
            }
            Num::Table(table, lin) => {
                if let Some(entry) = self.known_entry(table, lin) {
                    return entry;
                }
                let (v, own) = self.entry_of(table, lin);
                let there = table.iter().filter(|v| **v != NONE);
                let (lo, hi) = (there.clone().min().copied().unwrap_or(0), there.max().copied().unwrap_or(0));
                let maybe = !own || table.contains(&NONE);
                // Proof: it is one of the entries, and nothing only if it may be none of them.
                Int { v, form: Form::Plain, lo: i64::from(lo), hi: i64::from(hi), maybe, sure: true }
            }
            Num::Neg(a) => {
                let a = self.num(a);
                let zero = self.number(0);
                self.arith(Arith::Sub, zero, a)
            }
            Num::Abs(a) => {
                let a = self.num(a);
                let zero = self.number(0);
                let neg = self.arith(Arith::Sub, zero, a);
                self.arith(Arith::Max, a, neg)
            }
            Num::Default(ab) => {
                let a = self.num(&ab.0);
                let Some(there) = self.there(a) else {
                    return a;
                };
                let x = self.bare(a);
                let (b, y) = self.lazily(there, x, &ab.1);
                let lo = a.lo.min(b.lo);
                let hi = a.hi.max(b.hi);
                // Proof: it is one of the two; of the first only where that is there.
                Int { v: y, form: Form::Plain, lo, hi, maybe: b.maybe, sure: a.sure && b.sure }
            }
            Num::Arith(op, ab) => {
                let (a, b) = (self.num(&ab.0), self.num(&ab.1));
                self.arith(*op, a, b)
            }
            Num::Size(s) => {
                let s = self.set(s);
                let v = self.size(s);
                // Proof: it has no bits but those of its bound.
                Int::plain(v, 0, i64::from(s.bound.count()))
            }
            Num::Length(p, i) => {
                let i = self.num(i);
                let (_, n) = self.list(p, i);
                Int { sure: false, ..Int::plain(n, 0, 65_535) }
            }
            Num::Top(p, i) => {
                let i = self.num(i);
                self.top(p, i)
            }
            Num::Bool(c) => {
                let c = self.cond(c);
                let v = self.b.ins().uextend(types::I32, c);
                // Proof: a truth is 0 or 1.
                Int::plain(v, 0, 1)
            }
            Num::Sum(over) => self.sum(over),
            Num::Product(over) => self.product(over),
            Num::Best(most, over) => self.best(*most, over),
            Num::Way(steps, to) => self.way(steps, to),
            Num::First(s, lo) => {
                let s = self.set(s);
                let bit = self.lowest(s);
                let member = self.member(bit, &s, *lo);
                let none = self.none_of(s);
                let nothing = self.i32(i64::from(NONE));
                let v = self.b.ins().select(none, nothing, member.v);
                Int { v, maybe: true, ..member }
            }
            Num::Layer(op, n, list) => {
                let n = self.num(n);
                self.layer(*op, n, list)
            }
            Num::Would(after) => self.after(after),
            Num::Flow(flow) => self.flow(flow),
        }
    }

    /// An entry of a table, and whether it is certainly one of them. One that goes up or down by the same from entry to
    /// entry is computed.
    fn entry_of(&mut self, table: &Arc<[i32]>, lin: &Lin) -> (Value, bool) {
        let Index { at, ok, more, own } = self.padded(lin, table.len());
        if let Some((first, step)) = steady(table.iter().map(|entry| i64::from(*entry)))
            && own
            && !table.contains(&NONE)
        {
            let v = self.b.ins().ireduce(types::I32, at);
            let (first, step) = (self.i32(first), self.i32(step));
            let v = self.b.ins().imul(v, step);
            return (self.b.ins().iadd(v, first), true);
        }
        let address = self.unit.numbers(table, (NONE, more));
        let at = self.or_last(at, ok, table.len());
        (self.look_up(address, at, types::I32), own)
    }

    /// An entry of a table whose place is known beforehand.
    pub fn known_entry(&mut self, table: &[i32], lin: &Lin) -> Option<Int> {
        let mut at = 0usize;
        for (num, lo, count) in &lin.terms {
            let i = match num {
                Num::Const(i) => *i,
                Num::Slot(s) => self.slots.get(s).and_then(Int::known)?,
                _ => return None,
            };
            let i = usize::try_from(i64::from(i) - i64::from(*lo)).ok().filter(|i| *i < *count as usize)?;
            at = at * *count as usize + i;
        }
        let entry = *table.get(at)?;
        Some(self.number(entry))
    }

    /// `x`, or where `there` does not hold another number: its description and the value that counts.
    fn lazily(&mut self, there: Value, x: Value, other: &Num) -> (Int, Value) {
        if self.is_small(|f| other.walk(f)) {
            let b = self.num(other);
            let y = self.plain(b);
            return (b, self.b.ins().select(there, x, y));
        }
        let (no, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, types::I32);
        self.b.ins().brif(there, done, &[x.into()], no, &[]);
        self.to(no);
        let b = self.num(other);
        let y = self.plain(b);
        self.jump(done, &[y]);
        self.to(done);
        (b, result)
    }

    /// The index in a table, 64 bits; and whether it is in bounds (`None`: certainly).
    pub fn lin(&mut self, lin: &Lin, len: usize) -> (Value, Option<Value>) {
        let Index { at, ok, .. } = self.table_index(lin, len, false);
        (at, ok)
    }

    /// The index in a table of so many entries, with more behind them. Where the first of several numbers is out of
    /// bounds, the index is that of one of these: so the test is not one of a loop in which that number stays the same.
    pub fn padded(&mut self, lin: &Lin, len: usize) -> Index {
        let entries = lin.terms.iter().try_fold(1usize, |n, (.., count)| n.checked_mul(*count as usize));
        self.table_index(lin, len, !lin.strict && lin.terms.len() > 1 && len > 0 && entries == Some(len))
    }

    fn table_index(&mut self, lin: &Lin, len: usize, pads: bool) -> Index {
        let mut at: Option<Value> = None;
        let mut all = None;
        let mut size = 1u64;
        let (mut more, mut own) = (1, true);
        for (place, (num, lo, count)) in lin.terms.iter().enumerate() {
            let n = self.num(num);
            let (mut i, mut ok) = self.offset(n, i64::from(*lo), u64::from(*count).max(1));
            own &= ok.is_none();
            if pads
                && place == 0
                && let Some(ok) = ok.take()
            {
                let last = self.i64(u64::from(*count));
                i = self.b.ins().select(ok, i, last);
                more = len / *count as usize;
            }
            if let Some(ok) = ok {
                if lin.strict {
                    // Nothing is not a failure.
                    let mut out = self.flip(ok);
                    if let Some(there) = self.there(n) {
                        out = self.b.ins().band(out, there);
                    }
                    self.fail_if(out);
                }
                all = Some(self.both(all, ok));
            }
            at = Some(match at {
                Some(at) => {
                    let by = self.i64(u64::from(*count));
                    let at = self.b.ins().imul(at, by);
                    self.b.ins().iadd(at, i)
                }
                None => i,
            });
            size = size.saturating_mul(u64::from((*count).max(1)));
        }
        let at = at.unwrap_or_else(|| self.i64(0));
        if size > len as u64 {
            let within = self.cmp(IntCC::UnsignedLessThan, at, len as i64);
            all = Some(self.both(all, within));
            own = false;
        }
        Index { at, ok: all, more, own }
    }

    /// A place in a table, or one past its end.
    pub fn or_last(&mut self, at: Value, ok: Option<Value>, len: usize) -> Value {
        let Some(ok) = ok else {
            return at;
        };
        let last = self.i64(len as u64);
        self.b.ins().select(ok, at, last)
    }

    /// A table's entry.
    pub fn look_up(&mut self, table: *const u8, at: Value, ty: cranelift_codegen::ir::Type) -> Value {
        let base = self.i64(table as usize as u64);
        let shift = self.b.ins().iconst(types::I32, i64::from(ty.bytes().trailing_zeros()));
        let at = self.b.ins().ishl(at, shift);
        let address = self.b.ins().iadd(base, at);
        self.b.ins().load(ty, super::build::constant(), address, 0)
    }

    /// Two numbers that may be nothing; the result is nothing if one of them is.
    pub fn arith(&mut self, op: Arith, a: Int, b: Int) -> Int {
        let there = match (self.there(a), self.there(b)) {
            (Some(x), Some(y)) => Some(self.b.ins().band(x, y)),
            (x, y) => x.or(y),
        };
        let (x, y) = (self.bare(a), self.bare(b));
        let (lo, hi) = bounds(op, a, b);
        let fits = lo >= LEAST && hi <= MAX_NUMBER;
        let simple = !matches!(op, Arith::Div | Arith::Mod);
        // Proof: the bounds are those of the result for any two numbers within theirs; what does not fit into 32 bits
        // is nothing.
        let sure = a.sure && b.sure;
        let mut v = if fits && simple {
            self.plainly(op, x, y)
        } else if !simple && a.lo >= 0 && b.lo == b.hi && b.lo > 0 && b.sure && !b.maybe {
            if op == Arith::Div { self.b.ins().udiv(x, y) } else { self.b.ins().urem(x, y) }
        } else {
            let (x, y) = (self.b.ins().sextend(types::I64, x), self.b.ins().sextend(types::I64, y));
            let wide = if simple { self.plainly(op, x, y) } else { self.divide(op, x, y, there) };
            return self.narrow(wide, there, (lo, hi), sure);
        };
        if let Some(there) = there {
            let none = self.i32(i64::from(NONE));
            v = self.b.ins().select(there, v, none);
        }
        Int { v, form: Form::Plain, lo, hi, maybe: there.is_some(), sure }
    }

    fn plainly(&mut self, op: Arith, x: Value, y: Value) -> Value {
        match op {
            Arith::Add => self.b.ins().iadd(x, y),
            Arith::Sub => self.b.ins().isub(x, y),
            Arith::Mul => self.b.ins().imul(x, y),
            Arith::Min => self.b.ins().smin(x, y),
            _ => self.b.ins().smax(x, y),
        }
    }

    /// Division that rounds so that the remainder is not negative; by 0 it fails.
    fn divide(&mut self, op: Arith, x: Value, y: Value, there: Option<Value>) -> Value {
        let zero = self.cmp(IntCC::Equal, y, 0);
        let fails = self.both(there, zero);
        self.fail_if(fails);
        let one = self.i64(1);
        let y = self.b.ins().select(zero, one, y);
        let q = self.b.ins().sdiv(x, y);
        let back = self.b.ins().imul(q, y);
        let r = self.b.ins().isub(x, back);
        let negative = self.cmp(IntCC::SignedLessThan, r, 0);
        let (down, up) = (self.b.ins().isub(q, one), self.b.ins().iadd(q, one));
        let positive = self.cmp(IntCC::SignedGreaterThan, y, 0);
        if op == Arith::Div {
            let other = self.b.ins().select(positive, down, up);
            return self.b.ins().select(negative, other, q);
        }
        let neg = self.b.ins().ineg(y);
        let size = self.b.ins().select(positive, y, neg);
        let other = self.b.ins().iadd(r, size);
        self.b.ins().select(negative, other, r)
    }

    /// 64 bits as a number; what does not fit fails.
    fn narrow(&mut self, wide: Value, there: Option<Value>, (lo, hi): (i64, i64), sure: bool) -> Int {
        let low = self.cmp(IntCC::SignedLessThan, wide, LEAST);
        let high = self.cmp(IntCC::SignedGreaterThan, wide, MAX_NUMBER);
        let out = self.b.ins().bor(low, high);
        let fails = self.both(there, out);
        self.fail_if(fails);
        let v = self.b.ins().ireduce(types::I32, wide);
        let ok = self.flip(out);
        let ok = self.both(there, ok);
        let none = self.i32(i64::from(NONE));
        let v = self.b.ins().select(ok, v, none);
        Int { v, form: Form::Plain, lo: lo.max(LEAST), hi: hi.min(MAX_NUMBER), maybe: true, sure }
    }

    fn layer(&mut self, op: LayerOp, first: Int, list: &[(Cond, Num)]) -> Int {
        let mut now = first;
        for (cond, k) in list {
            let before = self.plain(now);
            let c = self.cond(cond);
            let (yes, done) = (self.block(), self.block());
            let result = self.b.append_block_param(done, types::I32);
            self.b.ins().brif(c, yes, &[], done, &[before.into()]);
            self.to(yes);
            let k = self.num(k);
            let op = match op {
                LayerOp::Times => Arith::Mul,
                LayerOp::Plus => Arith::Add,
                LayerOp::AtMost => Arith::Min,
                LayerOp::AtLeast => Arith::Max,
            };
            let there = self.there(k);
            let new = self.arith(op, now, k);
            let mut v = self.plain(new);
            if let Some(there) = there {
                v = self.b.ins().select(there, v, before);
            }
            self.jump(done, &[v]);
            self.to(done);
            // Proof: it is the number before or the new one.
            now = Int {
                v: result,
                form: Form::Plain,
                lo: now.lo.min(new.lo),
                hi: now.hi.max(new.hi),
                maybe: now.maybe || new.maybe,
                sure: now.sure && new.sure,
            };
        }
        now
    }

    fn sum(&mut self, over: &Over) -> Int {
        let zero = self.i64(0);
        let total = self.var(types::I64, zero);
        let set = self.set(&over.set);
        let (mut lo, mut hi) = (0, 0);
        self.each(set, over.lo, |gn, member, _| {
            let term = gn.with_slot(over.slot, member, |gn| gn.num(&over.term));
            let n = i64::from(set.bound.count());
            (lo, hi) = (term.lo.min(0) * n, term.hi.max(0) * n);
            let v = gn.bare(term);
            let mut v = gn.b.ins().sextend(types::I64, v);
            if let Some(there) = gn.there(term) {
                let zero = gn.i64(0);
                v = gn.b.ins().select(there, v, zero);
            }
            let so_far = gn.b.use_var(total);
            let next = gn.b.ins().iadd(so_far, v);
            gn.b.def_var(total, next);
            if lo < LEAST || hi > MAX_NUMBER {
                // No sum on the way may be too large either.
                let low = gn.cmp(IntCC::SignedLessThan, next, LEAST);
                let high = gn.cmp(IntCC::SignedGreaterThan, next, MAX_NUMBER);
                let out = gn.b.ins().bor(low, high);
                gn.fail_if(out);
            }
        });
        let v = self.b.use_var(total);
        let v = self.b.ins().ireduce(types::I32, v);
        Int { sure: false, ..Int::plain(v, lo.max(LEAST), hi.min(MAX_NUMBER)) }
    }

    fn product(&mut self, over: &Over) -> Int {
        let one = self.i64(1);
        let total = self.var(types::I64, one);
        let set = self.set(&over.set);
        self.each(set, over.lo, |gn, member, _| {
            let term = gn.with_slot(over.slot, member, |gn| gn.num(&over.term));
            let (one, v) = (gn.i64(1), gn.bare(term));
            let mut v = gn.b.ins().sextend(types::I64, v);
            if let Some(there) = gn.there(term) {
                v = gn.b.ins().select(there, v, one);
            }
            let so_far = gn.b.use_var(total);
            let next = gn.b.ins().imul(so_far, v);
            let low = gn.cmp(IntCC::SignedLessThan, next, LEAST);
            let high = gn.cmp(IntCC::SignedGreaterThan, next, MAX_NUMBER);
            let out = gn.b.ins().bor(low, high);
            gn.fail_if(out);
            let next = gn.b.ins().select(out, one, next);
            gn.b.def_var(total, next);
        });
        let v = self.b.use_var(total);
        let v = self.b.ins().ireduce(types::I32, v);
        Int { sure: false, ..Int::plain(v, LEAST, MAX_NUMBER) }
    }

    fn best(&mut self, most: bool, over: &Over) -> Int {
        let none = self.i32(i64::from(NONE));
        let best = self.var(types::I32, none);
        let set = self.set(&over.set);
        let mut of = None;
        self.each(set, over.lo, |gn, member, _| {
            let term = gn.with_slot(over.slot, member, |gn| gn.num(&over.term));
            of = Some(term);
            let v = gn.plain(term);
            let now = gn.b.use_var(best);
            let first = gn.cmp(IntCC::Equal, now, i64::from(NONE));
            let cc = if most { IntCC::SignedGreaterThan } else { IntCC::SignedLessThan };
            let better = gn.b.ins().icmp(cc, v, now);
            let mut better = gn.b.ins().bor(better, first);
            if let Some(there) = gn.there(term) {
                better = gn.b.ins().band(better, there);
            }
            let next = gn.b.ins().select(better, v, now);
            gn.b.def_var(best, next);
        });
        let v = self.b.use_var(best);
        let (lo, hi, sure) = of.map_or((0, 0, true), |t| (t.lo, t.hi, t.sure));
        Int { v, form: Form::Plain, lo, hi, maybe: true, sure }
    }
}

/// The first of some numbers and by how much each is above the one before, if that is the same for all.
pub(super) fn steady(mut numbers: impl Iterator<Item = i64>) -> Option<(i64, i64)> {
    let (first, second) = (numbers.next()?, numbers.next()?);
    let step = second - first;
    let mut last = second;
    let same = |n: i64| n - std::mem::replace(&mut last, n) == step;
    numbers.all(same).then_some((first, step))
}

/// Between which the result is, whatever the numbers.
fn bounds(op: Arith, a: Int, b: Int) -> (i64, i64) {
    match op {
        Arith::Add => (a.lo + b.lo, a.hi + b.hi),
        Arith::Sub => (a.lo - b.hi, a.hi - b.lo),
        Arith::Mul => {
            let all = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
            (all.into_iter().min().unwrap_or(LEAST), all.into_iter().max().unwrap_or(MAX_NUMBER))
        }
        Arith::Min => (a.lo.min(b.lo), a.hi.min(b.hi)),
        Arith::Max => (a.lo.max(b.lo), a.hi.max(b.hi)),
        Arith::Div if a.lo >= 0 && b.lo > 0 => (0, a.hi),
        Arith::Mod if b.lo > 0 => (0, b.hi - 1),
        _ => (LEAST, MAX_NUMBER),
    }
}
