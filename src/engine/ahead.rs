//! What stays the same from step to step is computed once, before the first.

use super::bits::Bits;
use super::fallback::Fallback;
use super::ir::{Bind, Cond, Filter, Flow, Mask, Num, SetE, Steps};
use super::lower::Lower;
use super::tree::{Part, Summary, of, summary};

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
        Mask::Tally(..) | Mask::Linked(..) | Mask::Stored(..) | Mask::Held(..) => true,
        _ => false,
    }
}
