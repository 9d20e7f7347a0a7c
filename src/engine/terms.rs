//! Sets and conditions that a term needs and that do not depend on the member: they are found once, before the sum or
//! the like goes through its members.

use super::ahead::MAX_BINDS;
use super::fallback::Fallback;
use super::ir::{Bind, Cond, Filter, Flow, Joined, Mask, Num, Over, Rule, SetE, Shared};
use super::leaf::{Group, Leaf};
use super::lower::Lower;
use super::tree::{Part, of, walk_through};

type Low<T> = Result<T, Fallback>;

/// The maximum number of shared trees that are looked into for one sum.
const MAX_LOOKS: u32 = 64;

/// The largest set of constants that is gone through without anything taken out.
const FEW: u32 = 2;

/// A term of a sum or the like, while what it needs for all members alike is taken out of it.
struct Terms<'l, 'a> {
    low: &'l mut Lower<'a>,
    /// The slots that are bound by the sum and inside its term.
    inner: Vec<u16>,
    /// The slots of sets that are bound inside the term.
    inner_sets: Vec<u16>,
    /// How many more shared trees may be looked into.
    looks: u32,
    binds: Vec<Bind>,
    /// How often something was taken out.
    taken: u32,
    /// The slots of shared sets that are bound already.
    known: Vec<(u32, u16)>,
}

impl Lower<'_> {
    /// A sum or the like, with what is the same for all members bound before.
    pub fn of_terms(&mut self, over: Over, make: impl FnOnce(Box<Over>) -> Num) -> Low<Num> {
        let few = matches!(&over.set, SetE::Const(set) if set.count() <= FEW);
        if few || self.shared.is_tight() {
            return Ok(make(Box::new(over)));
        }
        let mut terms = Terms {
            low: self,
            inner: vec![over.slot],
            inner_sets: Vec::new(),
            looks: MAX_LOOKS,
            binds: Vec::new(),
            taken: 0,
            known: Vec::new(),
        };
        let term = terms.num(over.term)?;
        let binds = terms.binds;
        let made = make(Box::new(Over { term, ..over }));
        Ok(binds.chunks(MAX_BINDS).rfold(made, |made, some| Num::flow(Flow::Let(some.into(), made))))
    }
}

impl Terms<'_, '_> {
    /// Whether a tree is the same for all members, cannot fail, and goes through sets.
    fn is_settled<T: Part>(&self, t: &T) -> bool {
        let s = of(&self.low.shared, t);
        let same = !s.slots.iter().any(|slot| self.inner.contains(slot))
            && !s.sets.iter().any(|slot| self.inner_sets.contains(slot));
        same && !s.risky && is_costly(&self.low.shared, t)
    }

    fn num(&mut self, n: Num) -> Low<Num> {
        Ok(match n {
            Num::At(place, n) => Num::At(place, Box::new(self.num(*n)?)),
            Num::Neg(n) => Num::Neg(Box::new(self.num(*n)?)),
            Num::Abs(n) => Num::Abs(Box::new(self.num(*n)?)),
            Num::Default(ab) => Num::Default(self.both(*ab, Self::num)?),
            Num::Arith(op, ab) => Num::Arith(op, self.both(*ab, Self::num)?),
            Num::Size(set) => Num::Size(Box::new(self.set(*set)?)),
            Num::First(set, lo) => Num::First(Box::new(self.set(*set)?), lo),
            Num::Bool(c) => Num::Bool(Box::new(self.cond(*c)?)),
            Num::Sum(over) => Num::Sum(Box::new(self.over(*over)?)),
            Num::Product(over) => Num::Product(Box::new(self.over(*over)?)),
            Num::Best(most, over) => Num::Best(most, Box::new(self.over(*over)?)),
            Num::Flow(flow) => self.flow(*flow, Self::num)?,
            n => n,
        })
    }

    fn cond(&mut self, c: Cond) -> Low<Cond> {
        Ok(match c {
            Cond::Not(c) => Cond::Not(Box::new(self.cond(*c)?)),
            Cond::All(cs) => Cond::All(self.each(cs, Self::cond)?),
            Cond::Any(cs) => Cond::Any(self.each(cs, Self::cond)?),
            Cond::Is(n, i) => Cond::Is(self.num(n)?, i),
            Cond::Truth(n) => Cond::Truth(self.num(n)?),
            Cond::Equal(ab) => Cond::Equal(self.both(*ab, Self::num)?),
            Cond::Compare(order, ab) => Cond::Compare(order, self.both(*ab, Self::num)?),
            Cond::Same(ab) => Cond::Same(self.both(*ab, Self::set)?),
            Cond::In(n, set, lo) => Cond::In(Box::new(self.num(*n)?), Box::new(self.set(*set)?), lo),
            Cond::Empty(set) => Cond::Empty(Box::new(self.set(*set)?)),
            Cond::Some(..) | Cond::Every(..) if self.is_settled(&c) => {
                let slot = self.low.slot_within(0, 2)?;
                self.taken += 1;
                self.binds.push(Bind::Num(slot, Num::Bool(Box::new(c)), false));
                Cond::Truth(Num::Slot(slot))
            }
            Cond::Some(those, slot, lo) => Cond::Some(self.asked(*those, slot)?, slot, lo),
            Cond::Every(those, slot, lo) => Cond::Every(self.asked(*those, slot)?, slot, lo),
            Cond::Flow(flow) => self.flow(*flow, Self::cond)?,
            c => c,
        })
    }

    fn set(&mut self, s: SetE) -> Low<SetE> {
        if self.is_settled(&s)
            && let Some(n) = breadth(self.low, &s)
        {
            return self.bound(s, n);
        }
        Ok(match s {
            SetE::Union(ab) => SetE::Union(self.both(*ab, Self::set)?),
            SetE::Minus(ab) => SetE::Minus(self.both(*ab, Self::set)?),
            SetE::Both(ab) => SetE::Both(self.both(*ab, Self::set)?),
            SetE::Filter(filter) => {
                let Filter { set, slot, lo, mask } = *filter;
                let set = self.set(set)?;
                let mask = self.within(slot, |terms| terms.mask(mask))?;
                SetE::Filter(Box::new(Filter { set, slot, lo, mask }))
            }
            SetE::Map(over, lo, n) => SetE::Map(Box::new(self.over(*over)?), lo, n),
            SetE::Joined(joined) => {
                let Joined { set, slot, lo, of } = *joined;
                let set = self.set(set)?;
                let of = self.within(slot, |terms| terms.set(of))?;
                SetE::Joined(Box::new(Joined { set, slot, lo, of }))
            }
            SetE::Reach(rows, from, slot, mask) => SetE::Reach(rows, Box::new(self.set(*from)?), slot, mask),
            SetE::Steps(mut steps, within) => {
                steps.from = self.set(steps.from)?;
                SetE::Steps(steps, within)
            }
            SetE::Flow(flow) => self.flow(*flow, Self::set)?,
            s => s,
        })
    }

    fn mask(&mut self, m: Mask) -> Low<Mask> {
        Ok(match m {
            Mask::And(ms) => Mask::And(self.each(ms, Self::mask)?),
            Mask::Or(ms) => Mask::Or(self.each(ms, Self::mask)?),
            Mask::Either(of) => {
                let (c, a, b) = *of;
                Mask::Either(Box::new((self.mask(c)?, self.mask(a)?, self.mask(b)?)))
            }
            Mask::Not(m) => Mask::Not(Box::new(self.mask(*m)?)),
            Mask::Scalar(c) => Mask::Scalar(self.cond(c)?),
            Mask::In(set) => Mask::In(self.set(set)?),
            Mask::Loop(c) => Mask::Loop(self.cond(c)?),
            m => m,
        })
    }

    fn flow<T: Part>(&mut self, flow: Flow<T>, each: fn(&mut Self, T) -> Low<T>) -> Low<T> {
        Ok(T::flow(match flow {
            Flow::If(c, a, b) => Flow::If(self.cond(c)?, each(self, a)?, each(self, b)?),
            Flow::ByValue(n, arms, otherwise) => {
                let n = self.num(n)?;
                let arms = arms.into_iter().map(|(i, t)| Ok((i, each(self, t)?))).collect::<Low<_>>()?;
                Flow::ByValue(n, arms, each(self, otherwise)?)
            }
            Flow::Pick(rules, general) => {
                let rule = |terms: &mut Self, Rule { cond, value, beaten }| {
                    Ok(Rule { cond: terms.cond(cond)?, value: each(terms, value)?, beaten })
                };
                let rules = rules.into_iter().map(|r| rule(self, r)).collect::<Low<_>>()?;
                Flow::Pick(rules, general.map(|t| each(self, t)).transpose()?)
            }
            Flow::Let(binds, body) => {
                let (slots, sets) = (self.inner.len(), self.inner_sets.len());
                let binds = binds.into_iter().map(|bind| self.bind(bind)).collect::<Low<_>>()?;
                let body = each(self, body)?;
                self.inner.truncate(slots);
                self.inner_sets.truncate(sets);
                Flow::Let(binds, body)
            }
            Flow::Inst(i) => return self.opened(i, each),
        }))
    }

    /// What is bound inside, from now on.
    fn bind(&mut self, bind: Bind) -> Low<Bind> {
        Ok(match bind {
            Bind::Num(slot, n, required) => {
                let n = self.num(n)?;
                self.inner.push(slot);
                Bind::Num(slot, n, required)
            }
            Bind::Set(slot, set) => {
                let set = self.set(set)?;
                self.inner_sets.push(slot);
                Bind::Set(slot, set)
            }
        })
    }

    /// A shared tree, copied if something in it is the same for all members.
    fn opened<T: Part>(&mut self, i: u32, each: fn(&mut Self, T) -> Low<T>) -> Low<T> {
        let shared = T::flow(Flow::Inst(i));
        let Some(inside) = T::shared(&self.low.shared, i).filter(|_| self.looks > 0).cloned() else {
            return Ok(shared);
        };
        self.looks -= 1;
        let before = self.taken;
        let opened = each(self, inside)?;
        Ok(if self.taken > before { opened } else { shared })
    }

    fn over(&mut self, over: Over) -> Low<Over> {
        let Over { set, slot, lo, term } = over;
        let set = self.set(set)?;
        let term = self.within(slot, |terms| terms.num(term))?;
        Ok(Over { set, slot, lo, term })
    }

    fn asked(&mut self, (set, cond): (SetE, Cond), slot: u16) -> Low<Box<(SetE, Cond)>> {
        Ok(Box::new((self.set(set)?, self.within(slot, |terms| terms.cond(cond))?)))
    }

    /// What is done where one more slot is bound.
    fn within<T>(&mut self, slot: u16, f: impl FnOnce(&mut Self) -> Low<T>) -> Low<T> {
        self.inner.push(slot);
        let made = f(self);
        self.inner.pop();
        made
    }

    fn both<T>(&mut self, (a, b): (T, T), each: fn(&mut Self, T) -> Low<T>) -> Low<Box<(T, T)>> {
        Ok(Box::new((each(self, a)?, each(self, b)?)))
    }

    fn each<T>(&mut self, list: Box<[T]>, each: fn(&mut Self, T) -> Low<T>) -> Low<Box<[T]>> {
        list.into_iter().map(|t| each(self, t)).collect()
    }

    /// A set of up to `n` members, bound before the members are gone through; a shared one once only.
    fn bound(&mut self, set: SetE, n: usize) -> Low<SetE> {
        self.taken += 1;
        let inst = match &set {
            SetE::Flow(flow) if let Flow::Inst(i) = **flow => Some(i),
            _ => None,
        };
        if let Some((_, slot)) = self.known.iter().find(|(i, _)| Some(*i) == inst) {
            return Ok(SetE::Slot(*slot));
        }
        let slot = self.low.set_slot(n)?;
        self.known.extend(inst.map(|i| (i, slot)));
        self.binds.push(Bind::Set(slot, set));
        Ok(SetE::Slot(slot))
    }
}

/// How many members a set can have, if that is known.
fn breadth(low: &Lower, s: &SetE) -> Option<usize> {
    let of_slot = |slot: u16| low.scratch.spans.get(usize::from(slot)).copied().flatten().map(|(_, n)| n);
    match s {
        SetE::Slot(slot) => low.set_spans.get(usize::from(*slot)).map(|n| *n as usize),
        SetE::Union(ab) | SetE::Minus(ab) | SetE::Both(ab) => Some(breadth(low, &ab.0)?.max(breadth(low, &ab.1)?)),
        SetE::Of(_, _, n, _) | SetE::Map(_, _, n) => Some(*n),
        SetE::Filter(filter) => of_slot(filter.slot),
        SetE::Joined(joined) => breadth(low, &joined.of),
        SetE::Reach(rows, ..) => Some(rows.len()),
        SetE::Steps(steps, _) => Some(steps.n),
        SetE::Flow(flow) => match &**flow {
            Flow::If(_, a, b) => Some(breadth(low, a)?.max(breadth(low, b)?)),
            Flow::Let(_, body) => breadth(low, body),
            Flow::Inst(i) => breadth(low, low.shared.sets.get(*i as usize)?),
            Flow::Pick(..) | Flow::ByValue(..) => None,
        },
        _ => None,
    }
}

/// Whether a tree, or a shared one that it uses, goes through the members of sets or the bytes of variables.
fn is_costly<T: Part>(shared: &Shared, t: &T) -> bool {
    let mut costly = false;
    walk_through(
        shared,
        |f| t.visit(f),
        |leaf| {
            costly |= match leaf {
                Leaf::Loop | Leaf::Scan | Leaf::Field(_) | Leaf::Row => true,
                Leaf::Open(group) => matches!(group, Group::Each(_) | Group::Mask(_) | Group::Members | Group::After),
                _ => false,
            }
        },
    );
    costly
}
