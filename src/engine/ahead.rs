//! What stays the same from step to step is computed once, before the first.

use super::bits::Bits;
use super::fallback::Fallback;
use super::ir::{Bind, Cond, Filter, Flow, Joined, Mask, Num, SetE, Steps};
use super::lower::Lower;
use super::tree::{Part, Summary, not, of, summary};

/// The maximum number of values that trees bind at once.
const MAX_BINDS: usize = 8;

type Low<T> = Result<T, Fallback>;

/// The condition on steps from a member to others, while what it needs is taken out of it.
struct Ahead<'l, 'a> {
    low: &'l mut Lower<'a>,
    /// The slots of the member that a step begins at and of the one it ends at.
    a: u16,
    b: u16,
    /// How many members there are.
    n: usize,
    binds: Vec<Bind>,
}

impl Lower<'_> {
    /// Something that is made of steps, with the sets that all of them need bound before it.
    pub fn with_steps<T: Part>(&mut self, steps: Steps, make: impl FnOnce(Steps) -> T) -> Low<T> {
        let Steps { n, from, a, set, b, mask, cost } = steps;
        let mut ahead = Ahead { low: self, a, b, n, binds: Vec::new() };
        let set = ahead.of_each(set)?;
        let mask = ahead.taken_out(mask)?;
        let binds = ahead.binds;
        let made = make(Steps { n, from, a, set, b, mask, cost });
        Ok(binds.chunks(MAX_BINDS).fold(made, |made, some| T::flow(Flow::Let(some.into(), made))))
    }
}

impl Ahead<'_, '_> {
    fn summary(&self, m: &Mask) -> Summary {
        summary(&self.low.shared, |f| m.walk(f))
    }

    /// Whether something is the same whatever these slots are, and cannot fail.
    fn may_go_ahead(&self, s: &Summary, slots: &[u16]) -> bool {
        !s.risky && !s.slots.iter().any(|x| slots.contains(x))
    }

    fn is_settled(&self, m: &Mask) -> bool {
        !m.loops() && self.may_go_ahead(&self.summary(m), &[self.a, self.b])
    }

    /// The same condition with sets in place of what is the same for all steps.
    fn taken_out(&mut self, m: Mask) -> Low<Mask> {
        if self.is_settled(&m) {
            return if is_costly(&m) { Ok(Mask::In(self.bound(m, self.b)?)) } else { Ok(m) };
        }
        Ok(match m {
            Mask::And(ms) => self.parts(flat(ms, true), Mask::And)?,
            Mask::Or(ms) => self.parts(flat(ms, false), Mask::Or)?,
            Mask::Not(m) => Mask::Not(Box::new(self.taken_out(*m)?)),
            Mask::Scalar(c) => Mask::Scalar(self.of_first(c)?),
            m => m,
        })
    }

    /// Parts of which those that are the same for all steps become one, if nothing in them can fail.
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

    /// A condition on the first member alone: whether it is one of a set, if that takes as little work.
    fn of_first(&mut self, c: Cond) -> Low<Cond> {
        let s = of(&self.low.shared, &c);
        if !s.slots.contains(&self.a) || !self.may_go_ahead(&s, &[self.b]) {
            return Ok(c);
        }
        let mask = self.low.mask(&c, self.a, 0, self.n);
        if !self.is_settled(&mask) || !is_costly(&mask) {
            return Ok(c);
        }
        let set = self.bound(mask, self.a)?;
        Ok(Cond::In(Box::new(Num::Slot(self.a)), Box::new(set), 0))
    }

    /// The members that meet a condition, as a set that is bound.
    fn bound(&mut self, mask: Mask, member: u16) -> Low<SetE> {
        let all = SetE::Const(Bits::below(self.n));
        let slot = self.low.set_slot(self.n)?;
        self.binds.push(Bind::Set(slot, SetE::Filter(Box::new(Filter { set: all, slot: member, lo: 0, mask }))));
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
            Some((_, n)) if s.sets.is_empty() && self.may_go_ahead(&s, &[self.a, self.b]) => {
                let slot = self.low.set_slot(n)?;
                self.binds.push(Bind::Set(slot, found));
                Ok(SetE::Slot(slot))
            }
            _ => Ok(found),
        }
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
        Mask::Not(m) => is_costly(m),
        Mask::In(s) => !matches!(s, SetE::Const(_) | SetE::Slot(_) | SetE::Var(_) | SetE::Table(..)),
        Mask::Tally(..) | Mask::Linked(..) | Mask::Along(_) | Mask::Stored(..) | Mask::Held(..) => true,
        _ => false,
    }
}
