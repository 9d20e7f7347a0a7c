//! What stays the same from step to step, or for all values of an action's earlier parameters, is computed once, before
//! the first.

use super::bits::Bits;
use super::fallback::Fallback;
use super::ir::{Bind, Cond, Filter, Flow, Joined, Mask, Num, SetE, Steps};
use super::legal::Level;
use super::lower::Lower;
use super::tree::{Part, Summary, choose, join, not, of, summary};

/// The maximum number of values that trees bind at once.
pub(super) const MAX_BINDS: usize = 8;

type Low<T> = Result<T, Fallback>;

/// The maximum number of shared conditions that are looked into for what is the same each time: one may ask another
/// twice.
const MAX_LOOKS: u32 = 64;

/// A condition that is asked again and again, while what it needs each time is taken out of it.
struct Ahead<'l, 'a> {
    low: &'l mut Lower<'a>,
    /// The slots that change from time to time: of the member that a step begins at, or of the earlier parameters.
    outer: &'l [u16],
    /// The slot of the member that a step ends at, or of the last parameter; its lowest value, and how many there are.
    slot: u16,
    lo: i32,
    n: usize,
    /// The slots that are bound on the way to where something is asked.
    inner: Vec<u16>,
    /// How many more shared conditions may be looked into.
    looks: u32,
    /// What is the same each time and must hold for anything that is bound to matter.
    guards: Vec<Cond>,
    binds: Vec<Bind>,
}

impl Lower<'_> {
    /// Something that is made of steps, with the sets that all of them need bound before it.
    pub fn with_steps<T: Part>(&mut self, steps: Steps, make: impl FnOnce(Steps) -> T) -> Low<T> {
        let Steps { n, from, a, set, b, mask, cost } = steps;
        let mut ahead = Ahead {
            low: self,
            outer: &[a],
            slot: b,
            lo: 0,
            n,
            inner: Vec::new(),
            looks: MAX_LOOKS,
            guards: Vec::new(),
            binds: Vec::new(),
        };
        let set = ahead.of_each(set)?;
        let mask = ahead.taken_out(mask)?;
        let binds = ahead.binds;
        let made = make(Steps { n, from, a, set, b, mask, cost });
        Ok(binds.chunks(MAX_BINDS).fold(made, |made, some| T::flow(Flow::Let(some.into(), made))))
    }

    /// The conditions on the parameters of an action, none of which can fail: each is asked as soon as it can be. What
    /// they need for all values of the earlier parameters is bound.
    pub fn plan_ahead(&mut self, levels: &mut [Level], clauses: &mut [&mut Mask]) -> Low<Vec<Bind>> {
        let slots: Vec<u16> = levels.iter().map(|level| level.slot).collect();
        let mut binds = Vec::new();
        for i in (1..levels.len()).rev() {
            let (earlier, later) = levels.split_at_mut(i);
            let (Some(before), Some(level)) = (earlier.last_mut(), later.first_mut()) else { break };
            let (slot, lo, n) = (level.slot, level.lo, level.count());
            let outer = slots.get(..i).unwrap_or(&[]);
            let mut ahead =
                Ahead { low: self, outer, slot, lo, n, inner: Vec::new(), looks: MAX_LOOKS, guards: Vec::new(), binds };
            ahead.take_out(&mut level.mask)?;
            if i + 1 == slots.len() {
                clauses.iter_mut().try_for_each(|mask| ahead.take_out(mask))?;
            }
            binds = ahead.binds;
            self.raise(level, before, i == 1);
        }
        Ok(binds)
    }

    /// A condition that is asked for each of several members, with what is the same for all of them bound before it.
    pub fn loop_ahead(&mut self, cond: Cond, slot: u16) -> Low<(Cond, Vec<Bind>)> {
        let mut ahead = Ahead {
            low: self,
            outer: &[],
            slot,
            lo: 0,
            n: 0,
            inner: Vec::new(),
            looks: MAX_LOOKS,
            guards: Vec::new(),
            binds: Vec::new(),
        };
        let cond = ahead.in_cond(cond, true)?;
        Ok((cond, ahead.binds))
    }

    /// Moves the conditions on a parameter that do not depend on it to the parameter before, and asks there already for
    /// what one of several alternatives needs. The first parameter is gone through before anything is bound.
    fn raise(&self, level: &mut Level, before: &mut Level, is_first: bool) {
        let parts = match std::mem::replace(&mut level.mask, Mask::All) {
            Mask::And(parts) => flat(parts, true),
            part => vec![part],
        };
        // Whether all sets that it asks are bound where the parameter before is gone through.
        let is_known = |c: &Cond| !is_first || !of(&self.shared, c).sets.iter().any(|set| self.ahead.contains(set));
        let (mut earlier, mut own) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Mask::All => {}
                Mask::Scalar(c) if is_known(&c) => earlier.push(self.mask(&c, before.slot, before.lo, before.count())),
                part => {
                    if let Some(c) = needed(&part).filter(is_known) {
                        earlier.push(self.mask(&c, before.slot, before.lo, before.count()));
                    }
                    own.push(part);
                }
            }
        }
        let all = |mut parts: Vec<Mask>| match parts.len() {
            0 => Mask::All,
            1 => parts.swap_remove(0),
            _ => Mask::And(parts.into()),
        };
        if !earlier.is_empty() {
            let known = std::mem::replace(&mut before.mask, Mask::All);
            before.mask = all([known].into_iter().filter(|m| !matches!(m, Mask::All)).chain(earlier).collect());
        }
        level.mask = all(own);
    }
}

impl Ahead<'_, '_> {
    fn summary(&self, m: &Mask) -> Summary {
        summary(&self.low.shared, |f| m.walk(f))
    }

    /// Whether something is the same each time, and cannot fail.
    fn may_go_ahead(&self, s: &Summary) -> bool {
        let changes = |x: &u16| *x == self.slot || self.outer.contains(x) || self.inner.contains(x);
        !s.risky && !s.slots.iter().any(changes)
    }

    fn is_settled(&self, m: &Mask) -> bool {
        !m.loops() && self.may_go_ahead(&self.summary(m))
    }

    /// A condition with sets in place of shared ones that are the same each time. `own`: it is not a copy of a shared
    /// one, so that the sets that it binds before a loop are bound nowhere else.
    fn in_cond(&mut self, c: Cond, own: bool) -> Low<Cond> {
        Ok(match c {
            Cond::All(cs) => Cond::All(cs.into_iter().map(|c| self.in_cond(c, own)).collect::<Low<_>>()?),
            Cond::Any(cs) => Cond::Any(cs.into_iter().map(|c| self.in_cond(c, own)).collect::<Low<_>>()?),
            Cond::Not(c) => Cond::Not(Box::new(self.in_cond(*c, own)?)),
            Cond::Empty(set) => Cond::Empty(Box::new(self.in_set(*set)?)),
            Cond::Some(those, slot, lo) => {
                let (set, cond) = *those;
                self.inner.push(slot);
                let cond = self.in_cond(cond, own)?;
                self.inner.pop();
                Cond::Some(Box::new((set, cond)), slot, lo)
            }
            Cond::Flow(flow) => self.in_flow(*flow, own)?,
            c => c,
        })
    }

    fn in_flow(&mut self, flow: Flow<Cond>, own: bool) -> Low<Cond> {
        let flow = match flow {
            Flow::Inst(i) if self.looks > 0 => {
                self.looks -= 1;
                let inside = self.low.shared.conds.get(i as usize).cloned();
                let known = self.binds.len();
                match inside.map(|inside| self.in_cond(inside, false)).transpose()? {
                    Some(opened) if self.binds.len() > known => return Ok(opened),
                    _ => Flow::Inst(i),
                }
            }
            Flow::If(c, a, b) => Flow::If(c, self.in_cond(a, own)?, self.in_cond(b, own)?),
            Flow::Let(binds, body) if own && binds.iter().all(|bind| self.is_settled_set(bind)) => {
                self.binds.extend(binds);
                return self.in_cond(body, own);
            }
            Flow::Let(binds, body) if binds.iter().all(|bind| matches!(bind, Bind::Num(..))) => {
                let known = self.inner.len();
                self.inner.extend(binds.iter().filter_map(|bind| match bind {
                    Bind::Num(slot, ..) => Some(*slot),
                    Bind::Set(..) => None,
                }));
                let body = self.in_cond(body, own)?;
                self.inner.truncate(known);
                Flow::Let(binds, body)
            }
            flow => flow,
        };
        Ok(Cond::Flow(Box::new(flow)))
    }

    /// Whether a set is the same each time and is bound before a loop inside: its slot is bound nowhere else. That of a
    /// parameter is bound at each call.
    fn is_settled_set(&self, bind: &Bind) -> bool {
        matches!(bind, Bind::Set(slot, _) if self.low.ahead.contains(slot))
            && self.may_go_ahead(&summary(&self.low.shared, |f| bind.walk(f)))
    }

    fn in_set(&mut self, set: SetE) -> Low<SetE> {
        let SetE::Filter(filter) = set else { return Ok(set) };
        let Filter { set, slot, lo, mask } = *filter;
        let span = self.low.scratch.spans.get(usize::from(slot)).copied().flatten();
        let mask = match span {
            Some((first, n)) if first == lo => self.in_mask(mask, (slot, lo, n))?,
            _ => mask,
        };
        Ok(SetE::Filter(Box::new(Filter { set, slot, lo, mask })))
    }

    fn in_mask(&mut self, m: Mask, member: (u16, i32, usize)) -> Low<Mask> {
        let is_shared = matches!(&m, Mask::In(SetE::Flow(flow)) if matches!(**flow, Flow::Inst(_)));
        Ok(match m {
            m if is_shared && self.is_settled(&m) && self.summary(&m).sets.is_empty() => {
                Mask::In(self.bound_of(m, member)?)
            }
            Mask::And(ms) => Mask::And(ms.into_iter().map(|m| self.in_mask(m, member)).collect::<Low<_>>()?),
            Mask::Or(ms) => Mask::Or(ms.into_iter().map(|m| self.in_mask(m, member)).collect::<Low<_>>()?),
            Mask::Either(of) => {
                let (c, a, b) = *of;
                let of = (self.in_mask(c, member)?, self.in_mask(a, member)?, self.in_mask(b, member)?);
                Mask::Either(Box::new(of))
            }
            Mask::Not(m) => Mask::Not(Box::new(self.in_mask(*m, member)?)),
            m => m,
        })
    }

    fn take_out(&mut self, mask: &mut Mask) -> Low<()> {
        *mask = self.taken_out(std::mem::replace(mask, Mask::All))?;
        Ok(())
    }

    /// The same condition with sets in place of what is the same each time.
    fn taken_out(&mut self, m: Mask) -> Low<Mask> {
        if self.is_settled(&m) {
            return if is_costly(&m) { Ok(Mask::In(self.bound(m)?)) } else { Ok(m) };
        }
        Ok(match m {
            Mask::And(ms) => {
                let parts = flat(ms, true);
                let known = self.guards.len();
                let guards: Vec<Cond> = parts.iter().filter_map(|m| self.guard(m)).collect();
                self.guards.extend(guards);
                let parts = self.parts(parts, Mask::And);
                self.guards.truncate(known);
                parts?
            }
            Mask::Or(ms) => {
                let parts = self.scalars_in_one(flat(ms, false));
                self.parts(parts, Mask::Or)?
            }
            Mask::Either(of) => {
                let (c, a, b) = *of;
                Mask::Either(Box::new((self.taken_out(c)?, self.taken_out(a)?, self.taken_out(b)?)))
            }
            Mask::Not(m) => Mask::Not(Box::new(self.taken_out(*m)?)),
            Mask::Scalar(c) => Mask::Scalar(self.of_first(c)?),
            Mask::Let(binds, m) if binds.iter().all(|bind| self.is_settled_set(bind)) => {
                self.binds.extend(binds);
                self.taken_out(*m)?
            }
            Mask::Let(binds, m)
                if binds.iter().all(is_read) && matches!(*m, Mask::And(_) | Mask::Or(_) | Mask::Either(_)) =>
            {
                self.taken_out(with_each(&binds, *m))?
            }
            m => m,
        })
    }

    /// A condition that is the same each time, if it is as simple as whether a set is empty that is bound already.
    fn guard(&self, m: &Mask) -> Option<Cond> {
        let Mask::Scalar(c) = m else { return None };
        let is_empty = |c: &Cond| matches!(c, Cond::Empty(s) if matches!(**s, SetE::Slot(_)));
        let is_simple = is_empty(c) || matches!(c, Cond::Not(c) if is_empty(c));
        (is_simple && self.is_settled(m)).then(|| c.clone())
    }

    /// Alternatives of which those that do not depend on the member are one, if none can fail.
    fn scalars_in_one(&self, ms: Vec<Mask>) -> Vec<Mask> {
        if ms.iter().any(|m| self.summary(m).risky) {
            return ms;
        }
        let (mut scalars, mut others) = (Vec::new(), Vec::new());
        for m in ms {
            match m {
                Mask::Scalar(c) => scalars.push(c),
                m => others.push(m),
            }
        }
        let scalars = (!scalars.is_empty()).then(|| Mask::Scalar(join(scalars, false)));
        scalars.into_iter().chain(others).collect()
    }

    /// Parts of which those that are the same each time become one, if nothing in them can fail.
    fn parts(&mut self, ms: Vec<Mask>, join: impl Fn(Box<[Mask]>) -> Mask) -> Low<Mask> {
        let safe = ms.iter().all(|m| !self.summary(m).risky);
        let (settled, others): (Vec<Mask>, Vec<Mask>) = ms.into_iter().partition(|m| safe && self.is_settled(m));
        let mut all = Vec::new();
        if !settled.is_empty() {
            let together = join(settled.into());
            all.push(self.taken_out(together)?);
        }
        for m in others {
            all.push(self.taken_out(m)?);
        }
        Ok(join(all.into()))
    }

    /// A condition on the one that changes alone: whether it is one of a set, if that takes as little work.
    fn of_first(&mut self, c: Cond) -> Low<Cond> {
        let s = of(&self.low.shared, &c);
        let mut needed = self.outer.iter().filter(|outer| s.slots.contains(outer));
        let (Some(&first), None) = (needed.next(), needed.next()) else { return Ok(c) };
        let Some((lo, n)) = self.low.scratch.spans.get(usize::from(first)).copied().flatten() else { return Ok(c) };
        if s.slots.contains(&self.slot) || s.risky {
            return Ok(c);
        }
        let mask = self.low.mask(&c, first, lo, n);
        let of_mask = self.summary(&mask);
        if mask.loops() || of_mask.slots.contains(&first) || !self.may_go_ahead(&of_mask) || !is_costly(&mask) {
            return Ok(c);
        }
        let set = self.bound_of(mask, (first, lo, n))?;
        Ok(Cond::In(Box::new(Num::Slot(first)), Box::new(set), lo))
    }

    /// The members that meet a condition, as a set that is bound.
    fn bound(&mut self, mask: Mask) -> Low<SetE> {
        self.bound_of(mask, (self.slot, self.lo, self.n))
    }

    fn bound_of(&mut self, mask: Mask, (member, lo, n): (u16, i32, usize)) -> Low<SetE> {
        let all = SetE::Const(Bits::below(n));
        let slot = self.low.set_slot(n)?;
        self.low.ahead.insert(slot);
        let found = SetE::Filter(Box::new(Filter { set: all, slot: member, lo, mask }));
        let found = choose(join(self.guards.clone(), true), found, SetE::Const(Bits::NONE));
        self.binds.push(Bind::Set(slot, found));
        Ok(SetE::Slot(slot))
    }

    /// What a step from the first member may lead to, with sets in place of what is the same for all steps.
    fn of_each(&mut self, set: SetE) -> Low<SetE> {
        Ok(match set {
            SetE::Filter(filter) => self.filtered(*filter)?,
            SetE::Joined(joined) => {
                let Joined { set, slot, lo, of } = *joined;
                SetE::Joined(Box::new(Joined { set: self.of_each(set)?, slot, lo, of }))
            }
            SetE::Union(both) => SetE::Union(self.of_both(*both)?),
            SetE::Minus(both) => SetE::Minus(self.of_both(*both)?),
            SetE::Both(both) => SetE::Both(self.of_both(*both)?),
            SetE::Change(base, more, fewer) => {
                let base = Box::new(self.of_each(*base)?);
                SetE::Change(base, self.changes(more)?, self.changes(fewer)?)
            }
            SetE::Flow(flow) => match *flow {
                Flow::Inst(i) => self.opened(i)?,
                flow => SetE::Flow(Box::new(flow)),
            },
            set => set,
        })
    }

    fn of_both(&mut self, (a, b): (SetE, SetE)) -> Low<Box<(SetE, SetE)>> {
        Ok(Box::new((self.of_each(a)?, self.of_each(b)?)))
    }

    /// A shared set, opened if something in it is the same for all steps.
    fn opened(&mut self, i: u32) -> Low<SetE> {
        let shared = SetE::Flow(Box::new(Flow::Inst(i)));
        let Some(inside) = self.low.shared.sets.get(i as usize).cloned() else { return Ok(shared) };
        let known = self.binds.len();
        let opened = self.of_each(inside)?;
        Ok(if self.binds.len() > known { opened } else { shared })
    }

    fn changes(&mut self, changes: Box<[(Cond, SetE)]>) -> Low<Box<[(Cond, SetE)]>> {
        changes.into_iter().map(|(cond, set)| Ok((self.of_any(cond)?, self.of_each(set)?))).collect()
    }

    /// A condition on whether there is anything of some kind, with a set in place of what is the same for all steps.
    fn of_any(&mut self, c: Cond) -> Low<Cond> {
        Ok(match c {
            Cond::Not(c) => Cond::Not(Box::new(self.of_any(*c)?)),
            Cond::Empty(set) => Cond::Empty(Box::new(self.of_each(*set)?)),
            Cond::Some(those, slot, lo) => {
                let known = self.binds.len();
                let (set, cond) = &*those;
                let n = self.low.scratch.spans.get(usize::from(slot)).copied().flatten().map_or(0, |(_, n)| n);
                let mask = self.low.mask(cond, slot, lo, n);
                let found = self.filtered(Filter { set: set.clone(), slot, lo, mask })?;
                match self.binds.len() > known {
                    true => not(Cond::Empty(Box::new(found))),
                    false => Cond::Some(those, slot, lo),
                }
            }
            c => c,
        })
    }

    /// Those of a set that meet a condition: a set that is bound if they are the same for all steps.
    fn filtered(&mut self, filter: Filter) -> Low<SetE> {
        let span = self.low.scratch.spans.get(usize::from(filter.slot)).copied().flatten();
        let found = SetE::Filter(Box::new(filter));
        let s = of(&self.low.shared, &found);
        match span {
            Some((_, n)) if s.sets.is_empty() && self.may_go_ahead(&s) => {
                let slot = self.low.set_slot(n)?;
                self.binds.push(Bind::Set(slot, found));
                Ok(SetE::Slot(slot))
            }
            _ => Ok(found),
        }
    }
}

/// What must hold, whatever the member is, for any to meet a condition; `None` if that is not known.
fn needed(m: &Mask) -> Option<Cond> {
    match m {
        Mask::Scalar(c) => Some(c.clone()),
        Mask::And(ms) => {
            let needed: Vec<Cond> = ms.iter().filter_map(needed).collect();
            (!needed.is_empty()).then(|| join(needed, true))
        }
        Mask::Or(ms) => Some(join(ms.iter().map(needed).collect::<Option<Vec<Cond>>>()?, false)),
        Mask::Either(of) => match (&of.0, needed(&of.1), needed(&of.2)) {
            (Mask::Scalar(c), Some(a), Some(b)) => Some(choose(c.clone(), a, b)),
            (_, Some(a), Some(b)) => Some(join([a, b], false)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether nothing but a value of the position is bound.
fn is_read(bind: &Bind) -> bool {
    match bind {
        Bind::Num(_, n, _) => matches!(n, Num::Const(_) | Num::Slot(_) | Num::Byte(..) | Num::Var(_)),
        Bind::Set(_, set) => matches!(set, SetE::Const(_) | SetE::Slot(_) | SetE::Var(_)),
    }
}

/// A condition in each part of which values are bound.
fn with_each(binds: &[Bind], m: Mask) -> Mask {
    match m {
        Mask::And(ms) => Mask::And(ms.into_iter().map(|m| with_each(binds, m)).collect()),
        Mask::Or(ms) => Mask::Or(ms.into_iter().map(|m| with_each(binds, m)).collect()),
        Mask::Either(of) => {
            let (c, a, b) = *of;
            Mask::Either(Box::new((with_each(binds, c), with_each(binds, a), with_each(binds, b))))
        }
        Mask::Scalar(c) => Mask::Scalar(Cond::Flow(Box::new(Flow::Let(binds.into(), c)))),
        m => Mask::Let(binds.into(), Box::new(m)),
    }
}

/// Parts of parts of the same form, all in one row.
fn flat(ms: Box<[Mask]>, all: bool) -> Vec<Mask> {
    let inside = |m| match m {
        Mask::And(ms) if all => flat(ms, all),
        Mask::Or(ms) if !all => flat(ms, all),
        m => vec![m],
    };
    ms.into_iter().flat_map(inside).collect()
}

/// Whether it is worth while to keep what a condition gives.
fn is_costly(m: &Mask) -> bool {
    match m {
        Mask::And(ms) | Mask::Or(ms) => ms.iter().any(is_costly),
        Mask::Either(of) => is_costly(&of.0) || is_costly(&of.1) || is_costly(&of.2),
        Mask::Not(m) | Mask::Let(_, m) => is_costly(m),
        Mask::In(s) => !matches!(s, SetE::Const(_) | SetE::Slot(_) | SetE::Var(_) | SetE::Table(..)),
        Mask::Tally(..) | Mask::Linked(..) | Mask::Along(_) | Mask::Beyond(_) | Mask::Stored(..) | Mask::Held(..) => {
            true
        }
        _ => false,
    }
}
