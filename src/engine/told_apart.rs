//! Conditions that look ahead, told apart by the first parameter of an action.
//!
//! What an effect leads to is often plain for one value of the first parameter: for the king among the pieces. Then it
//! is found for all values of the last parameter at once, while for the others it is asked of each.

use super::bearers::Speaker;
use super::ir::{Cond, Num};
use super::leaf::{Group, Leaf};
use super::legal::MAX_UNROLLED;
use super::lower::{Env, Local, Low, Lower};
use super::tree::{choose, walk_through};
use crate::model::ClauseId;

impl Lower<'_> {
    /// Whether a tree asks what an effect leads to.
    pub fn looks_ahead(&self, walk: impl FnOnce(&mut dyn FnMut(Leaf))) -> bool {
        let mut found = false;
        walk_through(&self.shared, walk, |leaf| found |= matches!(leaf, Leaf::Open(Group::After)));
        found
    }

    /// A condition that looks ahead, with that for one value of the first parameter apart where it is not asked of each
    /// value of the last parameter by itself.
    pub fn told_apart(
        &mut self,
        c: Cond,
        (clause, speaker): (ClauseId, Speaker),
        env: &Env,
        (slots, spans): (&[u16], &[(i32, usize)]),
    ) -> Low<Cond> {
        let ([first, .., last], [(lo, n), .., span]) = (slots, spans) else { return Ok(c) };
        let in_turn = |low: &Self, c: &Cond| low.mask(c, *last, span.0, span.1).in_turn();
        let asked = in_turn(self, &c);
        if asked == 0 || !self.looks_ahead(|f| c.walk(f)) || *n > MAX_UNROLLED || self.shared.is_tight() {
            return Ok(c);
        }
        let mut own = Vec::new();
        for value in *lo..lo.saturating_add(*n as i32) {
            let mut env = env.clone();
            env.set(0, Local::Const(value));
            let told = self.said(clause, speaker.clone(), &env)?;
            if in_turn(self, &told) < asked {
                own.push((value, told));
            }
        }
        let is_own = |value: i32| own.iter().any(|(own, _)| *own == value);
        let others: Vec<i32> = (*lo..lo.saturating_add(*n as i32)).filter(|value| !is_own(*value)).collect();
        let general = match (others.first(), others.last()) {
            (Some(least), Some(most)) if !own.is_empty() => {
                let count = usize::try_from(most.saturating_sub(*least)).unwrap_or(0) + 1;
                self.for_some(*first, (*least, count), |low| low.said(clause, speaker, env))?
            }
            _ => c,
        };
        let is = |value| Cond::Is(Num::Slot(*first), value);
        Ok(own.into_iter().fold(general, |general, (value, told)| choose(is(value), told, general)))
    }

    /// What is lowered for some of the values that a slot can have. It is right for no others.
    fn for_some<T>(&mut self, slot: u16, span: (i32, usize), lower: impl FnOnce(&mut Self) -> Low<T>) -> Low<T> {
        let at = usize::from(slot);
        let before = self.scratch.spans.get_mut(at).and_then(|all| all.replace(span));
        // What was lowered for a call is used again wherever the same is called.
        let calls = self.calls.clone();
        let lowered = lower(self);
        self.calls = calls;
        self.scratch.spans.get_mut(at).into_iter().for_each(|all| *all = before);
        lowered
    }
}
