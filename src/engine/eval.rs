//! Values of lowered trees at a position.
//!
//! Nothing is reported from here: if the rules fail, or something is left to the explaining evaluator, `failed` is set,
//! the result is unspecified, and the caller asks the explaining evaluator.

use std::cell::{Cell, RefCell};

use super::bits::{Bits, each};
use super::by_value::entry;
use super::ir::{After, Bind, Cond, Flow, LayerOp, Lin, NONE, Num, Over, Rule, SetE, Shared};
use super::place::Place;
use super::program::Program;
use super::run::Run;
use crate::game::MAX_WORK;
use crate::model::{Arith, LEAST, MAX_ARGS, Order};

/// Scratch for evaluating: slots for locals.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub slots: Vec<Cell<i32>>,
    pub sets: Vec<RefCell<Bits>>,
    pub failed: Cell<bool>,
    /// How much has been worked out.
    pub work: Cell<u32>,
    /// While rules are lowered, of each slot the lowest value and how many there can be, where that is known.
    pub spans: Vec<Option<(i32, usize)>>,
}

/// An evaluation at a position.
#[derive(Clone, Copy)]
pub(super) struct Ev<'a> {
    pub bytes: &'a [u8],
    pub shared: &'a Shared,
    pub scratch: &'a Scratch,
    pub any_legal: Option<bool>,
    pub winners: u32,
    /// Nothing while rules are lowered.
    pub program: Option<&'a Program>,
}

/// A little-endian number of up to four bytes.
#[inline]
pub(super) fn uint(bytes: &[u8], at: usize, width: u32) -> u32 {
    match width {
        1 => bytes.get(at).map_or(0, |b| u32::from(*b)),
        2 => bytes.get(at..at + 2).map_or(0, |b| u32::from(b[0]) | u32::from(b[1]) << 8),
        _ => bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes),
    }
}

/// The bits of a stored set.
#[inline]
pub(super) fn read_bits(bytes: &[u8], at: usize, width: u32) -> Bits {
    bytes.get(at..at + width as usize).map_or(Bits::NONE, Bits::from_bytes)
}

#[inline]
fn has(bits: &Bits, i: i32, lo: i32) -> bool {
    i != NONE && u32::try_from(i64::from(i) - i64::from(lo)).is_ok_and(|b| bits.has(b))
}

/// The maximum number that is counted in a [`Mask::Tally`].
pub(super) const MAX_TALLY: usize = 5;

/// A kind of tree.
pub(super) trait Tree: Sized + Clone {
    type Out: Clone + PartialEq;
    const NOTHING: Self::Out;
    fn value(&self, ev: &Ev) -> Self::Out;
    /// A tree that is used in several places, by its place.
    fn shared(shared: &Shared, at: u32) -> Option<&Self>;
}

impl Tree for Num {
    type Out = i32;
    const NOTHING: i32 = NONE;
    #[inline]
    fn value(&self, ev: &Ev) -> i32 {
        ev.num(self)
    }
    fn shared(shared: &Shared, at: u32) -> Option<&Num> {
        shared.nums.get(at as usize)
    }
}

impl Tree for Cond {
    type Out = bool;
    const NOTHING: bool = false;
    #[inline]
    fn value(&self, ev: &Ev) -> bool {
        ev.cond(self)
    }
    fn shared(shared: &Shared, at: u32) -> Option<&Cond> {
        shared.conds.get(at as usize)
    }
}

impl Tree for SetE {
    type Out = Bits;
    const NOTHING: Bits = Bits::NONE;
    #[inline]
    fn value(&self, ev: &Ev) -> Bits {
        ev.set(self)
    }
    fn shared(shared: &Shared, at: u32) -> Option<&SetE> {
        shared.sets.get(at as usize)
    }
}

impl Ev<'_> {
    #[cold]
    pub fn fail(&self) {
        self.scratch.failed.set(true);
    }

    /// Counts work; returns whether to go on. If not, the explaining evaluator decides whether it is too much.
    #[inline]
    pub fn spend(&self, n: u32) -> bool {
        let before = self.scratch.work.get();
        self.scratch.work.set(before.saturating_add(n));
        before <= MAX_WORK && before + n <= MAX_WORK || self.spent(before)
    }

    #[cold]
    fn spent(&self, before: u32) -> bool {
        if let Some(program) = self.program
            && before <= MAX_WORK
        {
            program.note_work(u32::MAX);
        }
        self.fail();
        false
    }

    #[inline]
    pub fn slot(&self, slot: u16) -> i32 {
        self.scratch.slots.get(usize::from(slot)).map_or(NONE, Cell::get)
    }

    #[inline]
    pub fn bind(&self, slot: u16, value: i32) {
        if let Some(cell) = self.scratch.slots.get(usize::from(slot)) {
            cell.set(value);
        }
    }

    /// Where an entry is.
    #[inline]
    pub fn entry(&self, p: &Place, index: i32) -> Option<usize> {
        if index < 0 || index as u32 >= p.count {
            return None;
        }
        let mut at = p.at as usize + p.width as usize * index as usize;
        if p.level > 0 {
            let active = uint(self.bytes, p.active.unwrap_or(0) as usize, 1);
            at += p.level as usize * active.checked_sub(1)? as usize;
        }
        Some(at)
    }

    #[inline]
    pub fn scalar(&self, p: &Place, index: i32) -> i32 {
        match self.entry(p, index).map_or(0, |at| uint(self.bytes, at, p.width)) {
            0 => NONE,
            stored => (i64::from(stored) - 1 + i64::from(p.lo)) as i32,
        }
    }

    fn list(&self, p: &Place, index: i32) -> (usize, u32) {
        self.entry(p, index).map_or((0, 0), |at| (at + 2, uint(self.bytes, at, 2)))
    }

    #[inline]
    fn lin(&self, lin: &Lin) -> Option<usize> {
        let mut at = 0usize;
        for (num, lo, count) in &lin.terms {
            let value = self.num(num);
            if value == NONE {
                return None;
            }
            let i = i64::from(value) - i64::from(*lo);
            if i < 0 || i >= i64::from(*count) {
                if lin.strict {
                    self.fail();
                }
                return None;
            }
            at = at * *count as usize + i as usize;
        }
        Some(at)
    }

    fn within(&self, value: i64) -> i32 {
        if value < i64::from(LEAST) || value > i64::from(i32::MAX) {
            self.fail();
            return NONE;
        }
        value as i32
    }

    pub fn num(&self, n: &Num) -> i32 {
        match n {
            Num::Const(i) => *i,
            Num::Slot(s) => self.slot(*s),
            Num::Byte(at, lo, _) => match self.bytes.get(*at as usize) {
                None | Some(0) => NONE,
                Some(b) => i32::from(*b) - 1 + lo,
            },
            Num::Var(p) => self.scalar(p, 0),
            Num::At(p, i) => self.scalar(p, self.num(i)),
            Num::Table(table, lin) => self.lin(lin).and_then(|i| table.get(i)).copied().unwrap_or(NONE),
            Num::Neg(a) => match self.num(a) {
                NONE => NONE,
                a => self.within(-i64::from(a)),
            },
            Num::Abs(a) => match self.num(a) {
                NONE => NONE,
                a => self.within(i64::from(a).abs()),
            },
            Num::Default(ab) => match self.num(&ab.0) {
                NONE => self.num(&ab.1),
                a => a,
            },
            Num::Arith(op, ab) => {
                let (a, b) = (self.num(&ab.0), self.num(&ab.1));
                if a == NONE || b == NONE {
                    return NONE;
                }
                let (a, b) = (i64::from(a), i64::from(b));
                self.within(match op {
                    Arith::Add => a + b,
                    Arith::Sub => a - b,
                    Arith::Mul => a * b,
                    Arith::Div => a.checked_div_euclid(b).unwrap_or(i64::MAX),
                    Arith::Mod => a.checked_rem_euclid(b).unwrap_or(i64::MAX),
                    Arith::Min => a.min(b),
                    Arith::Max => a.max(b),
                })
            }
            Num::Size(s) => self.set(s).count() as i32,
            Num::Length(p, i) => self.list(p, self.num(i)).1 as i32,
            Num::Top(p, i) => match self.list(p, self.num(i)) {
                (_, 0) => NONE,
                (at, n) => uint(self.bytes, at + ((n - 1) * p.item) as usize, p.item) as i32,
            },
            Num::Bool(c) => i32::from(self.cond(c)),
            Num::Sum(over) => {
                let mut total = 0i32;
                self.over(over, |value| {
                    if value != NONE {
                        total = self.within(i64::from(total) + i64::from(value));
                        if total == NONE {
                            total = 0;
                        }
                    }
                });
                total
            }
            Num::Product(over) => {
                let mut total = 1i32;
                self.over(over, |value| {
                    if value != NONE {
                        total = self.within(i64::from(total) * i64::from(value));
                        if total == NONE {
                            total = 1;
                        }
                    }
                });
                total
            }
            Num::Best(most, over) => {
                let mut best = NONE;
                self.over(over, |value| {
                    if value != NONE && (best == NONE || (value > best) == *most) {
                        best = value;
                    }
                });
                best
            }
            Num::First(s, lo) => match self.set(s).first() {
                None => NONE,
                Some(first) => (first as i32).saturating_add(*lo),
            },
            Num::Layer(op, n, list) => self.layer(*op, self.num(n), list),
            Num::Would(after) => self.after(after),
            Num::Way(steps, to) => self.way(steps, to),
            Num::Flow(flow) => self.flow(flow),
        }
    }

    /// The value after an action's effect.
    fn after<T: Tree>(&self, after: &After<T>) -> T::Out {
        if !self.spend(1 + self.bytes.len() as u32 / 1024) {
            return T::NOTHING;
        }
        let mut bytes = self.bytes.to_vec();
        let mut args = [NONE; MAX_ARGS];
        for (to, arg) in args.iter_mut().zip(&after.args) {
            *to = self.num(arg);
        }
        let args = args.get(..after.args.len()).unwrap_or(&[]);
        let done = self.program.is_some_and(|p| Run::new(p, self.scratch, &mut bytes).effect(after.code, args).is_ok());
        if !done {
            self.fail();
            return T::NOTHING;
        }
        after.of.value(&Ev { bytes: &bytes, ..*self })
    }

    fn layer(&self, op: LayerOp, mut value: i32, list: &[(Cond, Num)]) -> i32 {
        if value == NONE {
            return NONE;
        }
        for (cond, k) in list {
            if !self.cond(cond) {
                continue;
            }
            let k = self.num(k);
            if k != NONE {
                value = match op {
                    LayerOp::Times => self.within(i64::from(value) * i64::from(k)),
                    LayerOp::Plus => self.within(i64::from(value) + i64::from(k)),
                    LayerOp::AtMost => value.min(k),
                    LayerOp::AtLeast => value.max(k),
                };
            }
        }
        value
    }

    fn over(&self, over: &Over, mut f: impl FnMut(i32)) {
        self.over_each(over, |_, term| f(term));
    }

    /// The same, with the value of each member.
    pub fn over_each(&self, over: &Over, mut f: impl FnMut(i32, i32)) {
        each(&self.set(&over.set), |b| {
            if !self.spend(1) {
                return;
            }
            let value = (b as i32).saturating_add(over.lo);
            self.bind(over.slot, value);
            f(value, self.num(&over.term));
        });
    }

    fn flow<T: Tree>(&self, flow: &Flow<T>) -> T::Out {
        match flow {
            Flow::If(c, a, b) => {
                if self.cond(c) {
                    a.value(self)
                } else {
                    b.value(self)
                }
            }
            Flow::Pick(rules, general) => self.pick(rules, general.as_ref()),
            Flow::Let(binds, body) => {
                if self.binds(binds) {
                    body.value(self)
                } else {
                    T::NOTHING
                }
            }
            Flow::ByValue(n, arms, otherwise) => entry(arms, self.num(n)).unwrap_or(otherwise).value(self),
            Flow::Inst(i) if self.spend(1) => T::shared(self.shared, *i).map_or(T::NOTHING, |t| t.value(self)),
            Flow::Inst(_) => T::NOTHING,
        }
    }

    fn pick<T: Tree>(&self, rules: &[Rule<T>], general: Option<&T>) -> T::Out {
        let mut applying: Vec<u32> = Vec::new();
        for (i, rule) in (0..).zip(rules) {
            if self.cond(&rule.cond) {
                applying.push(i);
            }
        }
        if applying.is_empty() {
            return match general {
                Some(g) => g.value(self),
                None => {
                    self.fail();
                    T::NOTHING
                }
            };
        }
        let mut found: Option<T::Out> = None;
        for rule in applying.iter().filter_map(|i| rules.get(*i as usize)) {
            if !rule.beaten.iter().any(|by| applying.contains(by)) {
                let value = rule.value.value(self);
                if found.as_ref().is_some_and(|f| *f != value) {
                    self.fail();
                }
                found = Some(value);
            }
        }
        found.unwrap_or_else(|| {
            self.fail();
            T::NOTHING
        })
    }

    /// Binds values; `false` if one that must be there is nothing.
    pub fn binds(&self, binds: &[Bind]) -> bool {
        let mut nums = [0i32; 8];
        let mut sets = [Bits::NONE; 8];
        for (i, bind) in binds.iter().enumerate().take(8) {
            match bind {
                Bind::Num(_, n, strict) => {
                    nums[i] = self.num(n);
                    if *strict && nums[i] == NONE {
                        return false;
                    }
                }
                Bind::Set(_, e) => sets[i] = self.set(e),
            }
        }
        for (i, bind) in binds.iter().enumerate().take(8) {
            match bind {
                Bind::Num(s, ..) => self.bind(*s, nums[i]),
                Bind::Set(s, _) => {
                    if let Some(cell) = self.scratch.sets.get(usize::from(*s)) {
                        cell.replace(std::mem::take(&mut sets[i]));
                    }
                }
            }
        }
        true
    }

    pub fn cond(&self, c: &Cond) -> bool {
        match c {
            Cond::Const(b) => *b,
            Cond::Not(c) => !self.cond(c),
            Cond::All(cs) => cs.iter().all(|c| self.cond(c)),
            Cond::Any(cs) => cs.iter().any(|c| self.cond(c)),
            Cond::Is(n, i) => self.num(n) == *i,
            Cond::Equal(ab) => self.num(&ab.0) == self.num(&ab.1),
            Cond::Same(ab) => self.set(&ab.0) == self.set(&ab.1),
            Cond::Compare(order, ab) => {
                let (a, b) = (self.num(&ab.0), self.num(&ab.1));
                a != NONE
                    && b != NONE
                    && match order {
                        Order::Lt => a < b,
                        Order::Le => a <= b,
                        Order::Gt => a > b,
                        Order::Ge => a >= b,
                    }
            }
            Cond::In(n, s, lo) => {
                let item = self.num(n);
                has(&self.set(s), item, *lo)
            }
            Cond::Empty(s) => self.set(s).is_empty(),
            Cond::Truth(n) => !matches!(self.num(n), 0 | NONE),
            Cond::Row(rows, at, lo, count) => {
                let last = self.num(&at.1);
                let Some(row) = self.lin(&at.0).and_then(|i| rows.get(i)) else {
                    return false;
                };
                if at.0.strict && last != NONE && !(0..i64::from(*count)).contains(&(i64::from(last) - i64::from(*lo)))
                {
                    self.fail();
                }
                has(row, last, *lo)
            }
            Cond::Some(sc, slot, lo) => self.one(sc, *slot, *lo, true),
            Cond::Every(sc, slot, lo) => !self.one(sc, *slot, *lo, false),
            Cond::On(at) => self.bytes.get(*at as usize).is_some_and(|b| *b > 0),
            Cond::Wins(n) => u32::try_from(self.num(n)).is_ok_and(|s| s < 32 && self.winners >> s & 1 == 1),
            Cond::AnyLegal(some) => self.any_legal == Some(*some),
            Cond::Would(after) => self.after(after),
            Cond::Crosses(c) => self.crosses(c),
            Cond::Flow(flow) => self.flow(flow),
        }
    }

    /// Whether one of a set has a condition hold, or fail.
    fn one(&self, sc: &(SetE, Cond), slot: u16, lo: i32, holds: bool) -> bool {
        let mut bits = self.set(&sc.0);
        while let Some(first) = bits.pop() {
            if !self.spend(1) {
                break;
            }
            self.bind(slot, (first as i32).saturating_add(lo));
            if self.cond(&sc.1) == holds {
                return true;
            }
        }
        false
    }

    pub fn set(&self, s: &SetE) -> Bits {
        match s {
            SetE::Const(bits) => bits.clone(),
            SetE::Slot(s) => self.scratch.sets.get(usize::from(*s)).map_or(Bits::NONE, |set| set.borrow().clone()),
            SetE::Var(p) => self.entry(p, 0).map_or(Bits::NONE, |at| read_bits(self.bytes, at, p.width)),
            SetE::At(p, i) => self.entry(p, self.num(i)).map_or(Bits::NONE, |at| read_bits(self.bytes, at, p.width)),
            SetE::List(p, i) => {
                let (at, n) = self.list(p, self.num(i));
                (0..n).map(|i| uint(self.bytes, at + (i * p.item) as usize, p.item)).collect()
            }
            SetE::Table(table, lin) => self.lin(lin).and_then(|i| table.get(i)).cloned().unwrap_or_default(),
            SetE::Union(ab) => self.set(&ab.0) | &self.set(&ab.1),
            SetE::Minus(ab) => self.set(&ab.0).minus(&self.set(&ab.1)),
            SetE::Both(ab) => self.set(&ab.0) & &self.set(&ab.1),
            SetE::Of(items, lo, n, _) => {
                let mut set = Bits::NONE;
                items.iter().for_each(|item| self.add(&mut set, self.num(item), *lo, *n));
                set
            }
            SetE::Filter(f) => {
                let within = self.set(&f.set);
                self.mask(&f.mask, f.slot, f.lo, within)
            }
            SetE::Map(over, lo, n) => {
                let mut set = Bits::NONE;
                self.over(over, |value| self.add(&mut set, value, *lo, *n));
                set
            }
            SetE::Joined(joined) => {
                let mut all = Bits::NONE;
                each(&self.set(&joined.set), |b| {
                    if self.spend(1) {
                        self.bind(joined.slot, (b as i32).saturating_add(joined.lo));
                        all |= &self.set(&joined.of);
                    }
                });
                all
            }
            SetE::Reach(rows, from, slot, mask) => {
                let start = self.set(from);
                let next = |from: &Bits| {
                    let mut next = Bits::NONE;
                    each(from, |x| next |= rows.get(x as usize).unwrap_or(&Bits::NONE));
                    next
                };
                let mut reached = Bits::NONE;
                let mut new = next(&start);
                while !new.is_empty() && self.spend(new.count()) {
                    reached |= &new;
                    let through = self.mask(mask, *slot, 0, new).minus(&start);
                    new = next(&through).minus(&reached);
                }
                reached
            }
            SetE::Passed(line) => self.passed(line),
            SetE::Steps(steps, within) => self.reached(steps, within.as_deref()),
            SetE::Change(s, also, except) => {
                let mut set = self.set(s);
                for (c, e) in also {
                    if self.cond(c) {
                        set |= &self.set(e);
                    }
                }
                for (c, e) in except {
                    if self.cond(c) {
                        set -= &self.set(e);
                    }
                }
                set
            }
            SetE::Flow(flow) => self.flow(flow),
        }
    }

    /// Adds a number to a set of up to `n` from `lo` on; nothing adds nothing.
    fn add(&self, set: &mut Bits, i: i32, lo: i32, n: usize) {
        if i == NONE {
            return;
        }
        match self.bit(i, lo, n) {
            Some(b) => set.add(b),
            None => self.fail(),
        }
    }

    /// The bit of a number in a set of up to `n` from `lo` on; `None` if it has none.
    pub fn bit(&self, i: i32, lo: i32, n: usize) -> Option<u32> {
        u32::try_from(i64::from(i) - i64::from(lo)).ok().filter(|b| (*b as usize) < n)
    }
}
