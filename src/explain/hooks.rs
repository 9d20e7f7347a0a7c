//! The hooks of a place: which apply, in which order they happen, and whether that makes a difference.

use super::coverage::Recorder;
use super::eval::{Res, as_set, fault};
use super::run::{Flow, Run, Stop};
use crate::game::{Fault, FaultDetail, FaultKind, Position, RulesPart};
use crate::model::{Attached, ClauseId, Model, NextHook, Set, Value, VarId};
use crate::span::Span;

/// The maximum number of unordered hooks that are tried in every order; more are tried only forwards and backwards.
const MAX_PERMUTED: usize = 3;

impl<'a> Run<'a> {
    fn hook_clause(&self, attached: Attached) -> Res<ClauseId> {
        let hook = self.model.hooks.get(attached.hook.i());
        hook.map(|h| h.clause).ok_or_else(|| {
            let detail = FaultDetail::Missing(RulesPart::Hook);
            fault(FaultKind::BadPosition, Span::default(), detail)
        })
    }

    pub(super) fn hook_applies(&self, position: &Position, attached: Attached) -> Res<bool> {
        let clause = self.hook_clause(attached)?;
        let attached = self.borne_by(position, attached);
        Ok(self.at(position).applies(clause, attached.holder)?.0)
    }

    /// A hook with the holder that is in a variable.
    fn borne_by(&self, position: &Position, attached: Attached) -> Attached {
        attached.at(self.model, position)
    }

    fn applying(&self, position: &Position, list: &[Attached]) -> Res<Vec<Attached>> {
        let mut found = Vec::new();
        for attached in list {
            if attached.bearer.is_some() {
                self.bearing(position, *attached, &mut found)?;
            } else if self.hook_applies(position, *attached)? {
                found.push(*attached);
            }
        }
        Ok(found)
    }

    /// A hook for each that has its ability now, where it applies.
    fn bearing(&self, position: &Position, attached: Attached, found: &mut Vec<Attached>) -> Res<()> {
        let clause = self.hook_clause(attached)?;
        let among: Vec<u16> = attached.holders(self.model).into_iter().flatten().collect();
        let mut ev = self.at(position);
        for holder in ev.speakers(clause)?.flatten() {
            if among.binary_search(&holder).is_ok() && ev.framed(|ev| ev.applies(clause, Some(holder)))?.0 {
                found.push(Attached::of(attached.hook, Some(holder)));
            }
        }
        Ok(())
    }

    pub(super) fn hook(&self, position: &mut Position, attached: Attached, span: Span) -> Res<()> {
        let clause = self.hook_clause(attached)?;
        let attached = self.borne_by(position, attached);
        self.decided(clause);
        if let Some(limit) = self.model.clause(clause).and_then(|c| c.limit) {
            let index = usize::from(attached.holder.unwrap_or(0));
            self.put(position, limit, index, Value::Int(1), span)?;
        }
        let code = self.model.hooks.get(attached.hook.i()).map(|h| h.code);
        let holder = attached.holder.map(|h| Value::Int(i32::from(h)));
        self.begin(position, code.unwrap_or_default(), holder.as_slice(), span)
    }

    fn conflict(&self, list: &[Attached], span: Span, detail: FaultDetail) -> Box<Fault> {
        let clauses = list.iter().filter_map(|a| self.hook_clause(*a).ok());
        Box::new(Fault { kind: FaultKind::Conflict, clauses: clauses.collect(), span, detail })
    }

    /// The hook that replaces a step, if one does.
    pub(super) fn replacing(&self, position: &Position, list: &[Attached], span: Span) -> Res<Option<Attached>> {
        let applying = self.applying(position, list)?;
        if applying.len() > 1 {
            return Err(self.conflict(&applying, span, FaultDetail::Replacing));
        }
        Ok(applying.first().copied())
    }

    /// Checks that the order of hooks that nothing ranks makes no difference.
    pub(super) fn unranked(&mut self, position: &Position, list: &[Attached], span: Span) -> Res<()> {
        let applying = self.applying(position, list)?;
        if applying.len() < 2 {
            return Ok(());
        }
        let mut results: Vec<Position> = Vec::new();
        let watch = self.watch;
        for order in orders(&applying) {
            let mut trial = position.clone();
            // What is tried has not happened.
            self.watch = watch.map(Recorder::idle);
            let teller = self.teller.take();
            let done = self.trial(&mut trial, &order, span);
            self.teller = teller;
            self.watch = watch;
            if !done? {
                return Err(self.conflict(&applying, span, FaultDetail::OrderInterrupted));
            }
            results.push(trial);
        }
        if results.windows(2).any(|w| w.first() != w.last()) {
            return Err(self.conflict(&applying, span, FaultDetail::Order));
        }
        Ok(())
    }

    /// Runs hooks in an order; `false` if one came to a decision point.
    fn trial(&mut self, position: &mut Position, order: &[Attached], span: Span) -> Res<bool> {
        let depth = position.depth(self.model);
        let place = position.top(self.model);
        for attached in order {
            if !self.hook_applies(position, *attached)? {
                continue;
            }
            self.hook(position, *attached, span)?;
            if self.run(position, Some(depth))? == Stop::DecisionPoint {
                return Ok(false);
            }
            // Finishing the procedure takes it away from the hooks that would follow.
            if position.depth(self.model) != depth || position.top(self.model) != place {
                break;
            }
        }
        Ok(true)
    }

    /// Finds which hook is next: the only one that applies, or any if they may happen in any order; or else those that
    /// a seat is asked about.
    pub(super) fn next_hook(&mut self, position: &mut Position, next: &NextHook, span: Span) -> Res<Flow> {
        let left = as_set(position.read(self.model, next.left, 0));
        let mut open = Set::default();
        let mut applying = Vec::new();
        for (i, attached) in next.hooks.iter().enumerate() {
            if left.contains(i) && self.hook_applies(position, *attached)? {
                open.insert(i);
                applying.push(*attached);
            }
        }
        let Some(first) = open.first() else {
            return Ok(Flow::To(next.end));
        };
        if applying.len() > 1 && !self.commute(position, &applying, span)? {
            self.put(position, next.open, 0, Value::Set(open), span)?;
            return Ok(Flow::On);
        }
        self.put(position, next.into, 0, Value::Int(first as i32), span)?;
        Ok(Flow::To(next.settled))
    }

    /// Whether these hooks lead to the same position in every order, without a decision or chance. If one order has a
    /// fault, they do not.
    fn commute(&mut self, position: &Position, applying: &[Attached], span: Span) -> Res<bool> {
        match self.unranked(position, applying, span) {
            Ok(()) => Ok(true),
            Err(fault) if matches!(fault.kind, FaultKind::TooLong | FaultKind::Endless) => Err(fault),
            Err(_) => Ok(false),
        }
    }
}

/// Those hooks of a list whose places are in a set, if there is one.
pub(super) fn counted<'m>(
    position: &Position,
    model: &Model,
    list: &'m [Attached],
    among: Option<VarId>,
) -> impl Iterator<Item = Attached> + use<'m> {
    let among = among.map(|var| as_set(position.read(model, var, 0)));
    let counts = move |i: usize| among.as_ref().is_none_or(|set| set.contains(i));
    list.iter().enumerate().filter(move |(i, _)| counts(*i)).map(|(_, a)| *a)
}

/// The orders to try.
fn orders(list: &[Attached]) -> Vec<Vec<Attached>> {
    if list.len() > MAX_PERMUTED {
        return vec![list.to_vec(), list.iter().rev().copied().collect()];
    }
    let mut orders = vec![Vec::new()];
    for attached in list {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<Attached>| {
                (0..=order.len()).map(move |i| {
                    let mut longer = order.clone();
                    longer.insert(i, *attached);
                    longer
                })
            })
            .collect();
    }
    orders
}
