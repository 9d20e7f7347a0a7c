//! What the effect of an action may write, said by the position before it.

use std::collections::BTreeSet;

use super::fallback::Fallback;
use super::ir::{Cond, NONE, Num, SetE};
use super::leaf::Leaf;
use super::lower::{Env, Lower};
use super::place::Place;
use super::tree::{Part, join, not, of};
use crate::model::{Arith, Base, Code, Expr, ExprKind, InstrKind, LEAST, Order, Target, VarId};

/// A change that may be made.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub place: Place,
    pub entry: Entry,
    /// When it may be made.
    pub when: Cond,
    /// What may stand there then; `None`: anything.
    pub values: Option<Vec<Num>>,
    /// The change, where it is known exactly. It is right only if no change is made that is not known so.
    pub certain: Option<Certain>,
}

/// A change that is made exactly when a condition holds before the effect.
#[derive(Clone, Debug)]
pub(super) struct Certain {
    pub place: Place,
    pub entry: Num,
    pub when: Cond,
    pub value: Num,
    /// What was read for the value: the first byte of each part, and how many.
    pub reads: Vec<(u32, u32)>,
}

/// The entries of a variable that may be written.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    One(Num),
    Any,
}

/// All that an effect may do.
#[derive(Clone, Debug)]
pub(super) struct Writes {
    pub list: Vec<Write>,
    /// When it may fail.
    pub fails: Cond,
}

impl Place {
    /// Whether it has some of these bytes.
    fn touches(&self, (at, len): (u32, u32)) -> bool {
        let (first, bytes) = self.range();
        first < at + len && at < first + bytes
    }
}

impl Write {
    /// Whether it may write these bytes.
    pub fn touches(&self, bytes: (u32, u32)) -> bool {
        self.place.touches(bytes)
    }
}

impl Certain {
    /// Whether it may write these bytes.
    pub fn touches(&self, bytes: (u32, u32)) -> bool {
        self.place.touches(bytes)
    }
}

/// What stands for a variable of an effect whose writes are found.
#[derive(Clone, Debug)]
pub(super) enum Standing {
    Num(Num),
    Set(SetE),
}

/// Goes through the instructions of an effect in order, as if all of them were carried out.
struct Reading<'r, 'a> {
    low: &'r mut Lower<'a>,
    code: &'a Code,
    facts: &'r [Cond],
    /// The variables that may have been written, or are known for no other reason.
    stale: BTreeSet<VarId>,
    /// Those among them that have certainly been written where a condition holds.
    changed: BTreeSet<VarId>,
    /// The variables that a loop gives to members, one after another.
    loops: BTreeSet<VarId>,
    /// The parts of the code around an instruction.
    regions: Vec<Region>,
    writes: Writes,
}

/// A part of the code.
struct Region {
    /// The first instruction behind it.
    end: usize,
    /// When it may be carried out; `None`: several times.
    when: Option<Cond>,
    /// Whether it is carried out exactly then.
    certain: bool,
}

/// That the writes of an effect are not known.
struct Unknown;

impl From<Fallback> for Unknown {
    fn from(_: Fallback) -> Unknown {
        Unknown
    }
}

type Read<T> = Result<T, Unknown>;

impl Lower<'_> {
    /// What an effect may write with these arguments; `None` if that is not known. `facts`: conditions that hold before
    /// it.
    pub fn writes(&mut self, code: usize, args: &[Num], facts: &[Cond]) -> Option<Writes> {
        let model = self.model;
        let code = model.codes.get(code).filter(|code| code.nested == 1 && code.params.len() == args.len())?;
        let given = code.params.iter().zip(args).map(|(var, arg)| (*var, Standing::Num(arg.clone()))).collect();
        let before = std::mem::replace(&mut self.standing, given);
        let writes = Writes { list: Vec::new(), fails: Cond::Const(false) };
        let (stale, changed, loops, regions) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), Vec::new());
        let mut reading = Reading { low: self, code, facts, stale, changed, loops, regions, writes };
        let found = (0..code.instrs.len()).try_for_each(|pc| reading.instr(pc)).map(|()| reading.writes);
        self.standing = before;
        found.ok()
    }
}

impl Lower<'_> {
    /// Whether a number is certainly not nothing.
    pub fn is_something(&self, n: &Num) -> bool {
        let is_in = |(n, lo, count): &(Num, i32, u32)| {
            let fits = match n {
                Num::Slot(slot) => {
                    let span = self.scratch.spans.get(usize::from(*slot)).copied().flatten();
                    span.is_some_and(|(first, n)| first == *lo && n <= *count as usize)
                }
                n => n.fits(*lo, *count as usize),
            };
            fits && self.is_something(n)
        };
        match n {
            Num::Const(i) => *i != NONE,
            Num::Slot(slot) => !self.maybe.contains(slot),
            Num::Bool(_) | Num::Size(_) => true,
            Num::Var(p) => p.always && p.active.is_none(),
            Num::Byte(at, ..) => self.is_there(*at),
            Num::Arith(Arith::Add | Arith::Sub | Arith::Min | Arith::Max, ab) => {
                self.is_something(&ab.0) && self.is_something(&ab.1)
            }
            Num::Table(values, lin) => !values.contains(&NONE) && lin.terms.iter().all(is_in),
            _ => false,
        }
    }
}

impl<'a> Reading<'_, 'a> {
    fn instr(&mut self, pc: usize) -> Read<()> {
        self.regions.retain(|region| pc < region.end);
        let code = self.code;
        match &code.instrs.get(pc).ok_or(Unknown)?.kind {
            InstrKind::Set(target, value) if self.is_own(target.var) => self.own(target, value),
            InstrKind::Set(target, value) => self.set(target, value),
            InstrKind::Unless(cond, to) => self.unless(cond, self.forward(pc, *to)?),
            InstrKind::Next { into, end, .. } => self.each(pc, *into, self.forward(pc, *end)?),
            InstrKind::Jump(to) => self.jump(pc, usize::from(*to)),
            InstrKind::Return => self.jump(pc, code.instrs.len()),
            InstrKind::Reset(vars) if vars.iter().all(|var| self.is_own(*var)) => Ok(()),
            _ => Err(Unknown),
        }
    }

    fn forward(&self, pc: usize, to: u16) -> Read<usize> {
        let to = usize::from(to);
        if pc < to { Ok(to) } else { Err(Unknown) }
    }

    /// What is jumped over may be carried out or not. Where the jump is the end of what is carried out if a condition
    /// holds, it is carried out if the condition does not hold. A loop over members goes back; any other that does is
    /// not known.
    fn jump(&mut self, pc: usize, to: usize) -> Read<()> {
        if to <= pc {
            let begins = self.code.instrs.get(to).is_some_and(|instr| matches!(instr.kind, InstrKind::Next { .. }));
            return if begins { Ok(()) } else { Err(Unknown) };
        }
        let otherwise = match self.regions.split_last() {
            Some((Region { end, when: Some(when), certain: true }, around))
                if *end == pc + 1 && around.iter().all(|region| to <= region.end) =>
            {
                Some(not(when.clone()))
            }
            _ => None,
        };
        let certain = otherwise.is_some();
        self.regions.push(Region { end: to, when: Some(otherwise.unwrap_or(Cond::Const(true))), certain });
        Ok(())
    }

    fn is_own(&self, var: VarId) -> bool {
        self.code.vars.contains(&var)
    }

    /// Whether the value of an expression may be another than before the effect.
    fn is_stale(&self, e: &Expr) -> Read<bool> {
        self.is_among(e, &self.stale)
    }

    /// Whether an expression reads one of some variables, or one of the effect that is not known.
    fn is_among(&self, e: &Expr, some: &BTreeSet<VarId>) -> Read<bool> {
        let mut named = BTreeSet::new();
        e.walk(&mut |e| {
            if let ExprKind::Var { var, .. } | ExprKind::Top(var, _) = &e.kind {
                named.insert(*var);
            }
        });
        let read = self.low.model.read_by(e);
        // What a definition reads of the effect's own is not put in its place.
        if read.iter().any(|var| self.is_own(*var) && !named.contains(var)) {
            return Err(Unknown);
        }
        let known = |var: &VarId| !self.is_own(*var) || self.low.standing.contains_key(var);
        Ok(read.iter().any(|var| some.contains(var) || !known(var)))
    }

    /// A tree, or nothing if it binds slots: those of the tree that it becomes a part of may be bound at the time.
    fn plain<T: Part>(&self, t: T) -> Option<T> {
        let mut plain = true;
        t.visit(&mut |leaf| plain &= !matches!(leaf, Leaf::Bind(_) | Leaf::BindSet(_) | Leaf::Inst(..)));
        plain.then_some(t)
    }

    /// When what is said now happens.
    fn when(&self) -> Cond {
        join(self.regions.iter().filter_map(|region| region.when.clone()), true)
    }

    fn fails(&mut self, cond: Cond) {
        if !matches!(cond, Cond::Const(false)) {
            let when = join([self.when(), cond], true);
            self.writes.fails = join([self.writes.fails.clone(), when], false);
        }
    }

    fn unless(&mut self, cond: &Expr, end: usize) -> Read<()> {
        let stale = self.is_stale(cond)?;
        let cond = self.low.cond(cond, &mut Env::default())?;
        if of(&self.low.shared, &cond).risky {
            return Err(Unknown);
        }
        let known = if stale { None } else { self.plain(cond) };
        let certain = known.is_some();
        self.regions.push(Region { end, when: Some(known.unwrap_or(Cond::Const(true))), certain });
        Ok(())
    }

    fn each(&mut self, pc: usize, into: VarId, end: usize) -> Read<()> {
        self.loops.insert(into);
        let inside = self.code.instrs.get(pc..end).unwrap_or(&[]);
        let written: Vec<VarId> = inside.iter().flat_map(|i| i.kind.writes()).collect();
        for var in written {
            self.low.standing.remove(&var);
            self.stale.insert(var);
        }
        self.regions.push(Region { end, when: None, certain: false });
        Ok(())
    }

    /// A variable of the effect gets a value.
    fn own(&mut self, target: &Target, value: &Expr) -> Read<()> {
        let stale = self.is_stale(value)? || !self.regions.is_empty() || target.index.is_some();
        let standing = if is_set(value) {
            let set = self.low.set(value, &mut Env::default())?;
            self.sure(&set)?;
            self.plain(set).map(Standing::Set)
        } else {
            let n = self.number(target.var, value, self.is_stale(value)?)?;
            self.plain(n).map(Standing::Num)
        };
        match standing.filter(|_| !stale) {
            Some(standing) => {
                self.low.standing.insert(target.var, standing);
                self.stale.remove(&target.var);
            }
            None => {
                self.low.standing.remove(&target.var);
                self.stale.insert(target.var);
            }
        }
        Ok(())
    }

    fn set(&mut self, target: &Target, value: &Expr) -> Read<()> {
        let when = self.when();
        if matches!(when, Cond::Const(false)) {
            return Ok(());
        }
        let (place, entry) = (self.low.place(target.var)?, self.entry(target)?);
        if let Some(active) = place.active {
            self.fails(not(Cond::On(active)));
        }
        let stale = self.is_stale(value)?;
        let (mut values, mut certain) = (None, None);
        if is_set(value) {
            let set = self.low.set(value, &mut Env::default())?;
            self.sure(&set)?;
        } else {
            let n = self.number(target.var, value, stale)?;
            if let (Entry::One(entry), true) = (&entry, self.regions.iter().all(|region| region.certain))
                && !self.is_among(value, &self.changed)?
                && let Some(value) = self.plain(n.clone())
            {
                let reads = of(&self.low.shared, &value).reads;
                let value = self.told(&value).unwrap_or(value);
                certain = Some(Certain { place, entry: entry.clone(), when: when.clone(), value, reads });
            }
            values = self.values(value, n, stale)?;
        }
        if certain.is_some() {
            self.changed.insert(target.var);
        }
        self.writes.list.push(Write { place, entry, when, values, certain });
        self.stale.insert(target.var);
        Ok(())
    }

    /// The entry that is written.
    fn entry(&mut self, target: &Target) -> Read<Entry> {
        let Some(index) = &target.index else { return Ok(Entry::One(Num::Const(0))) };
        // The members of a set are never nothing.
        if matches!(&index.kind, ExprKind::Var { var, index: None } if self.loops.contains(var)) {
            return Ok(Entry::Any);
        }
        let stale = self.is_stale(index)?;
        let n = self.low.num(index, &mut Env::default())?;
        self.sure(&n)?;
        // Parameters are never nothing.
        let is_there = matches!(n, Num::Const(i) if i != NONE) || matches!(n, Num::Slot(_));
        if !is_there && stale {
            return Err(Unknown);
        }
        if !is_there {
            self.fails(Cond::Is(n.clone(), NONE));
        }
        Ok(if stale { None } else { self.plain(n) }.map_or(Entry::Any, Entry::One))
    }

    fn sure<T: Part>(&self, t: &T) -> Read<()> {
        if of(&self.low.shared, t).risky { Err(Unknown) } else { Ok(()) }
    }

    /// The number that a variable gets. It may be out of bounds, but not fail otherwise.
    fn number(&mut self, var: VarId, value: &Expr, stale: bool) -> Read<Num> {
        let place = self.low.place(var)?;
        let n = self.low.num(value, &mut Env::default())?;
        let bounds = bounds(&n);
        if bounds.is_none() || !matches!(n, Num::Arith(..)) {
            self.sure(&n)?;
        }
        let (lo, hi) = (i64::from(place.lo), i64::from(place.lo).saturating_add_unsigned(place.span.saturating_sub(1)));
        // A member is always one of its kind.
        let fits = !matches!(value.ty.base, Base::Int | Base::Range(..))
            || n.fits(place.lo, usize::try_from(place.span).unwrap_or(usize::MAX))
            || bounds.is_some_and(|(least, most)| lo <= least && most <= hi)
            || hi >= i64::from(i32::MAX);
        let mut wrong = Vec::new();
        if !place.optional && !self.low.is_something(&n) {
            wrong.push(Cond::Is(n.clone(), NONE));
        }
        if !fits {
            if bounds.is_none_or(|(least, _)| least < lo) {
                wrong.push(past(Order::Lt, &n, lo));
            }
            if bounds.is_none_or(|(_, most)| most > hi) {
                wrong.push(past(Order::Gt, &n, hi));
            }
        }
        if !wrong.is_empty() && stale {
            return Err(Unknown);
        }
        self.fails(join(wrong, false));
        Ok(n)
    }

    /// What a number is by one of the facts.
    fn told(&self, n: &Num) -> Option<Num> {
        told(self.facts, n).and_then(|n| self.plain(n))
    }

    /// The values that may be written. One that is read after it may have been written is the one before, or one of
    /// those that were written.
    fn values(&mut self, value: &Expr, n: Num, stale: bool) -> Read<Option<Vec<Num>>> {
        let Some(n) = self.plain(n) else { return Ok(None) };
        let n = self.told(&n).unwrap_or(n);
        if !stale {
            return Ok(Some(vec![n]));
        }
        let ExprKind::Var { var, index } = &value.kind else { return Ok(None) };
        if self.is_own(*var) || index.as_ref().is_some_and(|e| self.is_stale(e).unwrap_or(true)) {
            return Ok(None);
        }
        let range = self.low.place(*var)?.range();
        let mut all = vec![n];
        for write in self.writes.list.iter().filter(|w| w.touches(range)) {
            match &write.values {
                Some(values) => all.extend(values.iter().cloned()),
                None => return Ok(None),
            }
        }
        // A loop may read what is written further on in it.
        let in_loop = self.regions.iter().any(|region| region.when.is_none());
        Ok((!in_loop).then_some(all))
    }
}

fn is_set(e: &Expr) -> bool {
    matches!(e.ty.base, Base::Set(_) | Base::List(_) | Base::Bag(_))
}

/// What a number is by one of the conditions that hold.
pub(super) fn told(facts: &[Cond], n: &Num) -> Option<Num> {
    let parts = |c: &Cond| if let Cond::All(cs) = c { cs.to_vec() } else { vec![c.clone()] };
    facts.iter().flat_map(parts).find_map(|fact| match fact {
        Cond::Is(m, i) if is_same_entry(n, &m) => Some(Num::Const(i)),
        Cond::Equal(ab) if is_same_entry(n, &ab.0) => Some(ab.1),
        Cond::Equal(ab) if is_same_entry(n, &ab.1) => Some(ab.0),
        _ => None,
    })
}

/// Whether two numbers are the same entry of a variable, that of a slot.
fn is_same_entry(a: &Num, b: &Num) -> bool {
    match (a, b) {
        (Num::At(p, i), Num::At(q, j)) => {
            p.at == q.at && p.width == q.width && matches!((&**i, &**j), (Num::Slot(i), Num::Slot(j)) if i == j)
        }
        _ => false,
    }
}

/// Whether a number is below, or above, a limit. So much more than another number is compared by that number.
fn past(order: Order, n: &Num, limit: i64) -> Cond {
    if let Num::Arith(op @ (Arith::Add | Arith::Sub), ab) = n
        && let (of, Num::Const(by)) = &**ab
        && *by != NONE
        && bounds(of).is_some()
    {
        let by = i64::from(*by);
        return past(order, of, if *op == Arith::Add { limit - by } else { limit + by });
    }
    let limit = limit.clamp(i64::from(LEAST), i64::from(i32::MAX));
    Cond::Compare(order, Box::new((n.clone(), Num::Const(limit as i32))))
}

/// The least and the greatest value of a number that cannot fail otherwise than by being out of bounds.
fn bounds(n: &Num) -> Option<(i64, i64)> {
    let span = |lo: i32, count: u64| (i64::from(lo), i64::from(lo).saturating_add_unsigned(count.saturating_sub(1)));
    let found = match n {
        Num::Const(i) if *i != NONE => (i64::from(*i), i64::from(*i)),
        Num::Byte(_, lo, count) => span(*lo, u64::from(*count)),
        Num::Var(p) => span(p.lo, p.span),
        Num::Bool(_) => (0, 1),
        Num::Arith(op, ab) => {
            let ((a, b), (c, d)) = (bounds(&ab.0)?, bounds(&ab.1)?);
            match op {
                Arith::Add => (a + c, b + d),
                Arith::Sub => (a - d, b - c),
                Arith::Min => (a.min(c), b.min(d)),
                Arith::Max => (a.max(c), b.max(d)),
                _ => return None,
            }
        }
        _ => return None,
    };
    let numbers = i64::from(LEAST)..=i64::from(i32::MAX);
    (numbers.contains(&found.0) && numbers.contains(&found.1)).then_some(found)
}
