//! What a truth will be after an effect, said by the position before it: where the effect writes an entry, what it
//! writes is read.

use super::bits::Bits;
use super::ir::{Bind, Cond, Flow, Joined, Lin, Mask, Num, SetE};
use super::leaf::Leaf;
use super::lower::Lower;
use super::place::Place;
use super::tree::{Part, choose, filter, join, not, of, walk_through};
use super::writes::{Certain, Write, Writes, told};

/// The maximum number of parts of a truth that are gone through.
const MAX_PARTS: usize = 400;

/// What a truth will be, and when that is right.
#[derive(Debug)]
pub(super) struct Foreseen {
    pub given: Cond,
    pub truth: Cond,
}

/// Goes through a truth.
struct Foresee<'f, 'a> {
    low: &'f mut Lower<'a>,
    /// What is certainly written, in order.
    made: Vec<Certain>,
    /// What is known of the position before the effect.
    facts: &'f [Cond],
    /// What has to hold before the effect for the result to be right.
    given: Vec<Cond>,
    /// What slots stand for.
    known: Vec<(u16, Num)>,
    /// Slots, each with a number that it certainly is not.
    apart: Vec<(u16, Num)>,
    /// The slots that are bound around the part that is gone through.
    bound: Vec<u16>,
    /// How many more parts may be gone through.
    left: usize,
}

impl Lower<'_> {
    /// What a truth that cannot fail will be after an effect; `None` if it cannot be said.
    /// `facts`: conditions that hold before it.
    pub fn foreseen(&mut self, now: &Cond, writes: &Writes, facts: &[Cond]) -> Option<Foreseen> {
        let mut reads = of(&self.shared, now).reads;
        let is_read = |reads: &[(u32, u32)], write: &Write| reads.iter().any(|range| write.touches(*range));
        let certain =
            writes.list.iter().filter(|write| is_read(&reads, write)).filter_map(|write| write.certain.clone());
        let made: Vec<Certain> = certain.collect();
        reads.extend(made.iter().flat_map(|write| write.reads.iter().copied()));
        let uncertain = writes.list.iter().filter(|write| write.certain.is_none() && is_read(&reads, write));
        let mut given = vec![not(writes.fails.clone())];
        given.extend(uncertain.map(|write| not(write.when.clone())));
        let mut foresee = Foresee {
            low: self,
            made,
            facts,
            given,
            known: Vec::new(),
            apart: Vec::new(),
            bound: Vec::new(),
            left: MAX_PARTS,
        };
        let truth = foresee.cond(now)?;
        let given = join(foresee.given, true);
        (!matches!(given, Cond::Const(false))).then_some(Foreseen { given, truth })
    }
}

impl Foresee<'_, '_> {
    /// Counts a part; `None` if there are too many.
    fn go_on(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    /// A tree as it is, if the effect writes nothing that it reads, and no slot in it stands for something else.
    fn as_it_is<T: Part>(&self, t: &T) -> Option<T> {
        let s = of(&self.low.shared, t);
        // It may depend on more than bytes; a set that is bound before a loop is bound in one place only.
        let mut other = false;
        walk_through(
            &self.low.shared,
            |f| t.visit(f),
            |leaf| match leaf {
                Leaf::Dynamic => other = true,
                Leaf::BindSet(slot) => other |= self.low.ahead.contains(&slot),
                _ => {}
            },
        );
        let written = |(at, len): &(u32, u32)| self.made.iter().any(|write| write.touches((*at, *len)));
        let stands = |slot: &u16| self.known.iter().any(|(known, _)| known == slot);
        (!other && !s.reads.iter().any(written) && !s.slots.iter().any(stands)).then(|| t.clone())
    }

    // ---- what is written ----

    /// The entries of a variable that are written, in order.
    fn written(&self, p: &Place) -> Option<Vec<Certain>> {
        let touching = self.made.iter().filter(|write| write.touches(p.range()));
        let is_same = |write: &&Certain| {
            write.place.at == p.at && write.place.count == p.count && write.place.width == p.width && p.level == 0
        };
        touching.map(|write| Some(write).filter(is_same).cloned()).collect()
    }

    /// Whether two numbers are equal, as far as that is certain.
    fn equal(&self, a: &Num, b: &Num) -> Cond {
        match (a, b) {
            (Num::Slot(x), Num::Slot(y)) if x == y => Cond::Const(true),
            (Num::Slot(x), other) | (other, Num::Slot(x)) if self.are_apart(*x, other) => Cond::Const(false),
            (a, b) => self.low.settled_equal(a, b),
        }
    }

    fn are_apart(&self, slot: u16, n: &Num) -> bool {
        self.apart.iter().any(|(one, other)| *one == slot && is_same_plain(other, n))
    }

    /// Whether an entry held a value before the effect, by the facts.
    fn held(&self, p: &Place, entry: &Num, value: &Num) -> Cond {
        let before = Num::At(*p, Box::new(entry.clone()));
        self.low.settled_equal(&told(self.facts, &before).unwrap_or(before), value)
    }

    // ---- truths ----

    fn cond(&mut self, c: &Cond) -> Option<Cond> {
        self.go_on()?;
        Some(match c {
            Cond::Const(b) => Cond::Const(*b),
            Cond::Not(c) => not(self.cond(c)?),
            Cond::All(cs) => self.join(cs, true)?,
            Cond::Any(cs) => self.join(cs, false)?,
            Cond::Is(n, i) => {
                let n = self.num(n)?;
                self.equal(&n, &Num::Const(*i))
            }
            Cond::Equal(ab) => {
                let (a, b) = (self.num(&ab.0)?, self.num(&ab.1)?);
                self.equal(&a, &b)
            }
            Cond::Same(ab) => Cond::Same(Box::new((self.set(&ab.0)?, self.set(&ab.1)?))),
            Cond::Compare(order, ab) => Cond::Compare(*order, Box::new((self.num(&ab.0)?, self.num(&ab.1)?))),
            Cond::In(n, set, lo) => Cond::In(Box::new(self.num(n)?), Box::new(self.set(set)?), *lo),
            Cond::Empty(set) => match self.set(set)? {
                SetE::Const(bits) => Cond::Const(bits.is_empty()),
                SetE::Union(ab) => {
                    let (a, b) = *ab;
                    join([a, b].map(|set| Cond::Empty(Box::new(set))), true)
                }
                set => Cond::Empty(Box::new(set)),
            },
            Cond::Truth(n) => Cond::Truth(self.num(n)?),
            Cond::Row(rows, at, lo, count) => {
                Cond::Row(rows.clone(), Box::new((self.lin(&at.0)?, self.num(&at.1)?)), *lo, *count)
            }
            Cond::Some(sc, slot, lo) => self.some(sc, (*slot, *lo))?,
            Cond::Every(sc, slot, lo) => not(self.some(&(sc.0.clone(), not(sc.1.clone())), (*slot, *lo))?),
            Cond::Flow(flow) => self.flow(flow, Self::cond)?,
            c => self.as_it_is(c)?,
        })
    }

    fn join(&mut self, cs: &[Cond], all: bool) -> Option<Cond> {
        let parts = cs.iter().map(|c| self.cond(c)).collect::<Option<Vec<Cond>>>()?;
        Some(join(parts, all))
    }

    fn some(&mut self, (set, c): &(SetE, Cond), (slot, lo): (u16, i32)) -> Option<Cond> {
        let (first, n) = self.low.scratch.spans.get(usize::from(slot)).copied().flatten()?;
        if first != lo {
            return None;
        }
        let set = self.set(set)?;
        let parts = match set {
            SetE::Union(ab) => {
                let (a, b) = *ab;
                vec![a, b]
            }
            set => vec![set],
        };
        let mut found = Vec::new();
        for set in parts {
            let c = self.inside((slot, lo, &set), |foresee| foresee.cond(c))?;
            found.push(self.low.some_of(set, (slot, lo, n), c));
        }
        Some(join(found, false))
    }

    /// Something about each member of a set.
    fn inside<T>(
        &mut self,
        (slot, lo, set): (u16, i32, &SetE),
        make: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let known = self.apart.len();
        if lo == 0 {
            let others = self.never_in(set);
            self.apart.extend(others.into_iter().map(|other| (slot, other)));
        }
        self.bound.push(slot);
        let made = make(self);
        self.bound.pop();
        self.apart.truncate(known);
        made
    }

    /// Numbers that are certainly not in a set: those of which a table says that they are not in their own row.
    fn never_in(&self, set: &SetE) -> Vec<Num> {
        match set {
            SetE::Table(rows, lin) => never_in_row(rows, lin),
            SetE::Filter(filter) if filter.lo == 0 => self.never_in(&filter.set),
            SetE::Minus(ab) => self.never_in(&ab.0),
            SetE::Both(ab) => {
                let mut all = self.never_in(&ab.0);
                all.extend(self.never_in(&ab.1));
                all
            }
            SetE::Flow(flow) => match &**flow {
                Flow::Inst(i) => self.low.shared.sets.get(*i as usize).map_or(Vec::new(), |set| self.never_in(set)),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    // ---- numbers ----

    fn num(&mut self, n: &Num) -> Option<Num> {
        self.go_on()?;
        Some(match n {
            Num::Const(i) => Num::Const(*i),
            Num::Slot(slot) => match self.known.iter().rev().find(|(known, _)| known == slot) {
                Some((_, n)) => n.clone(),
                None => Num::Slot(*slot),
            },
            Num::At(p, index) => {
                let index = self.num(index)?;
                let mut now = Num::At(*p, Box::new(index.clone()));
                for write in self.written(p)? {
                    let hit = join([write.when, self.equal(&index, &write.entry)], true);
                    now = choose(hit, write.value, now);
                }
                now
            }
            Num::Table(values, lin) => Num::Table(values.clone(), self.lin(lin)?),
            Num::Neg(n) => Num::Neg(Box::new(self.num(n)?)),
            Num::Abs(n) => Num::Abs(Box::new(self.num(n)?)),
            Num::Default(ab) => Num::Default(Box::new((self.num(&ab.0)?, self.num(&ab.1)?))),
            Num::Arith(op, ab) => Num::Arith(*op, Box::new((self.num(&ab.0)?, self.num(&ab.1)?))),
            Num::Size(set) => Num::Size(Box::new(self.set(set)?)),
            Num::First(set, lo) => match self.only_one(set, *lo) {
                Some(one) => one,
                None => Num::First(Box::new(self.set(set)?), *lo),
            },
            Num::Bool(c) => Num::Bool(Box::new(self.cond(c)?)),
            Num::Flow(flow) => self.flow(flow, Self::num)?,
            n => self.as_it_is(n)?,
        })
    }

    fn lin(&mut self, lin: &Lin) -> Option<Lin> {
        let term = |(n, lo, count): &(Num, i32, u32)| Some((self.num(n)?, *lo, *count));
        Some(Lin { terms: lin.terms.iter().map(term).collect::<Option<_>>()?, strict: lin.strict })
    }

    /// The first entry that holds a value, where it is likely that there is one only: the entry to which the value is
    /// written if no other holds it, or that which holds it before if the effect does not touch it.
    fn only_one(&mut self, set: &SetE, lo: i32) -> Option<Num> {
        let SetE::Filter(f) = set else { return None };
        let (Mask::Field(p, value), SetE::Const(all)) = (&f.mask, &f.set) else { return None };
        if lo != 0 || f.lo != 0 || *all != Bits::below(p.count as usize) {
            return None;
        }
        let value = self.num(value)?;
        let is_inner = |slot: &u16| self.bound.contains(slot);
        let s = of(&self.low.shared, &value);
        if !s.sets.is_empty() || s.slots.iter().any(is_inner) {
            return None;
        }
        let (mut given, mut now, mut left) = (Vec::new(), None::<Num>, vec![Mask::Field(*p, value.clone())]);
        for write in self.written(p)? {
            let entered = self.low.settled_equal(&write.value, &value);
            match (entered, &write.when, &now) {
                (Cond::Const(true), Cond::Const(true), None) => now = Some(write.entry),
                (Cond::Const(false), _, _) => {
                    let again = now.as_ref().map_or(Cond::Const(false), |entry| self.equal(entry, &write.entry));
                    given.push(not(join([write.when.clone(), again], true)));
                    match (self.held(p, &write.entry, &value), &write.when) {
                        (Cond::Const(true), Cond::Const(true)) => {
                            left.push(Mask::Not(Box::new(Mask::Is(write.entry))));
                        }
                        (held, _) => given.push(not(join([write.when.clone(), held], true))),
                    }
                }
                _ => return None,
            }
        }
        let left = if left.len() == 1 { left.swap_remove(0) } else { Mask::And(left.into()) };
        let rest = filter(SetE::Const(all.clone()), f.slot, f.lo, left);
        let one = match now {
            Some(entry) => {
                given.push(Cond::Empty(Box::new(rest)));
                entry
            }
            None => Num::First(Box::new(rest), lo),
        };
        self.given.extend(given);
        Some(one)
    }

    // ---- sets ----

    fn set(&mut self, s: &SetE) -> Option<SetE> {
        self.go_on()?;
        Some(match s {
            SetE::Const(bits) => SetE::Const(bits.clone()),
            SetE::Slot(slot) => SetE::Slot(*slot),
            SetE::Table(rows, lin) => SetE::Table(rows.clone(), self.lin(lin)?),
            SetE::Union(ab) => SetE::Union(Box::new((self.set(&ab.0)?, self.set(&ab.1)?))),
            SetE::Minus(ab) => SetE::Minus(Box::new((self.set(&ab.0)?, self.set(&ab.1)?))),
            SetE::Both(ab) => SetE::Both(Box::new((self.set(&ab.0)?, self.set(&ab.1)?))),
            SetE::Of(items, lo, n, sure) => {
                let items = items.iter().map(|n| self.num(n)).collect::<Option<_>>()?;
                SetE::Of(items, *lo, *n, *sure)
            }
            SetE::Filter(f) => {
                let set = self.set(&f.set)?;
                let mask = self.inside((f.slot, f.lo, &set), |foresee| foresee.mask(&f.mask, (f.slot, f.lo)))?;
                filter(set, f.slot, f.lo, mask)
            }
            SetE::Joined(joined) => {
                let set = self.set(&joined.set)?;
                let of = self.inside((joined.slot, joined.lo, &set), |foresee| foresee.set(&joined.of))?;
                SetE::Joined(Box::new(Joined { set, slot: joined.slot, lo: joined.lo, of }))
            }
            SetE::Flow(flow) => self.flow(flow, Self::set)?,
            s => self.as_it_is(s)?,
        })
    }

    /// A condition on all members that a slot runs over.
    fn mask(&mut self, m: &Mask, (slot, lo): (u16, i32)) -> Option<Mask> {
        self.go_on()?;
        Some(match m {
            Mask::All => Mask::All,
            Mask::And(ms) => Mask::And(ms.iter().map(|m| self.mask(m, (slot, lo))).collect::<Option<_>>()?),
            Mask::Or(ms) => Mask::Or(ms.iter().map(|m| self.mask(m, (slot, lo))).collect::<Option<_>>()?),
            Mask::Either(of) => {
                let (c, a, b) = &**of;
                let of = (self.mask(c, (slot, lo))?, self.mask(a, (slot, lo))?, self.mask(b, (slot, lo))?);
                Mask::Either(Box::new(of))
            }
            Mask::Not(m) => Mask::Not(Box::new(self.mask(m, (slot, lo))?)),
            Mask::Scalar(c) => Mask::Scalar(self.cond(c)?),
            Mask::In(set) => Mask::In(self.set(set)?),
            Mask::Is(n) => Mask::Is(self.num(n)?),
            Mask::Field(p, value) if lo == 0 => {
                let value = self.num(value)?;
                self.entries(p, value, slot)?
            }
            Mask::Loop(c) => {
                let c = self.cond(c)?;
                let (first, n) = self.low.scratch.spans.get(usize::from(slot)).copied().flatten()?;
                (first == lo).then(|| self.low.mask(&c, slot, lo, n))?
            }
            _ => return None,
        })
    }

    /// The entries that will hold a value.
    fn entries(&mut self, p: &Place, value: Num, slot: u16) -> Option<Mask> {
        let mut now = Mask::Field(*p, value.clone());
        // Whether an entry may hold the value because of a write.
        let mut entered_before = false;
        for write in self.written(p)? {
            if self.are_apart(slot, &write.entry) {
                continue;
            }
            let hit = Mask::Is(write.entry.clone());
            let hit = match write.when.clone() {
                Cond::Const(true) => hit,
                when => Mask::And(Box::new([Mask::Scalar(when), hit])),
            };
            let left = |now| Mask::And(Box::new([now, Mask::Not(Box::new(hit.clone()))]));
            match self.low.settled_equal(&write.value, &value) {
                Cond::Const(false) => {
                    let held = self.held(p, &write.entry, &value);
                    if entered_before || !matches!(held, Cond::Const(false)) {
                        now = left(now);
                    }
                }
                Cond::Const(true) => (now, entered_before) = (Mask::Or(Box::new([now, hit])), true),
                entered => {
                    let entered = Mask::And(Box::new([hit.clone(), Mask::Scalar(entered)]));
                    (now, entered_before) = (Mask::Or(Box::new([left(now), entered])), true);
                }
            }
        }
        Some(now)
    }

    // ---- the forms that all trees share ----

    fn flow<T: Part>(&mut self, flow: &Flow<T>, each: fn(&mut Self, &T) -> Option<T>) -> Option<T> {
        Some(match flow {
            Flow::If(c, a, b) => match self.cond(c)? {
                Cond::Const(true) => each(self, a)?,
                Cond::Const(false) => each(self, b)?,
                c => choose(c, each(self, a)?, each(self, b)?),
            },
            Flow::Let(binds, body) => {
                let (known, bound) = (self.known.len(), self.bound.len());
                let made = self.let_in(binds, body, each);
                self.known.truncate(known);
                self.bound.truncate(bound);
                made?
            }
            Flow::ByValue(n, arms, other) => {
                let arm = |foresee: &mut Self, (value, arm): &(i32, T)| Some((*value, each(foresee, arm)?));
                match self.num(n)? {
                    Num::Const(i) => {
                        each(self, arms.iter().find(|(value, _)| *value == i).map_or(other, |(_, arm)| arm))?
                    }
                    n => {
                        let arms = arms.iter().map(|a| arm(self, a)).collect::<Option<_>>()?;
                        T::flow(Flow::ByValue(n, arms, each(self, other)?))
                    }
                }
            }
            Flow::Inst(i) => match self.as_it_is(&T::flow(Flow::Inst(*i))) {
                Some(shared) => shared,
                None => {
                    let inside = T::shared(&self.low.shared, *i)?.clone();
                    each(self, &inside)?
                }
            },
            Flow::Pick(..) => return None,
        })
    }

    fn let_in<T: Part>(&mut self, binds: &[Bind], body: &T, each: fn(&mut Self, &T) -> Option<T>) -> Option<T> {
        let mut kept = Vec::new();
        for bind in binds {
            match bind {
                Bind::Num(slot, n, required) => {
                    let n = self.num(n)?;
                    if is_short(&n) && self.low.is_something(&n) {
                        self.known.push((*slot, n));
                        continue;
                    }
                    self.known.push((*slot, Num::Slot(*slot)));
                    self.bound.push(*slot);
                    kept.push(Bind::Num(*slot, n, *required));
                }
                Bind::Set(slot, _) if self.low.ahead.contains(slot) => return None,
                Bind::Set(slot, set) => kept.push(Bind::Set(*slot, self.set(set)?)),
            }
        }
        let body = each(self, body)?;
        Some(if kept.is_empty() { body } else { T::flow(Flow::Let(kept.into(), body)) })
    }
}

/// Of a table the numbers of which no row has itself as a member.
fn never_in_row(rows: &[Bits], lin: &Lin) -> Vec<Num> {
    let mut all = Vec::new();
    // How many rows there are for each value of the terms from one on.
    let mut inner = 1;
    for (term, lo, count) in lin.terms.iter().rev() {
        let count = *count as usize;
        let has_itself = |(i, row): (usize, &Bits)| row.has((i / inner % count.max(1)) as u32);
        if *lo == 0 && !lin.strict && !rows.iter().enumerate().any(has_itself) {
            all.push(term.clone());
        }
        inner *= count.max(1);
    }
    all
}

/// Whether a number is read or looked up at once, so that it may be asked for several times.
fn is_short(n: &Num) -> bool {
    match n {
        Num::Const(_) | Num::Slot(_) | Num::Byte(..) | Num::Var(_) => true,
        Num::Table(_, lin) => lin.terms.iter().all(|(n, ..)| is_short(n)),
        _ => false,
    }
}

/// Whether two numbers are the same constant or slot.
fn is_same_plain(a: &Num, b: &Num) -> bool {
    match (a, b) {
        (Num::Const(a), Num::Const(b)) => a == b,
        (Num::Slot(a), Num::Slot(b)) => a == b,
        _ => false,
    }
}
