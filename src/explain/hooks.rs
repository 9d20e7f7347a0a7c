//! The hooks of a place: which apply, in which order they happen, and whether that makes a difference.

use super::coverage::Recorder;
use super::eval::{Res, as_set, fault};
use super::events::Spot;
use super::run::{Flow, Run, Stop};
use crate::game::{After, Fault, FaultDetail, FaultKind, Orders, Position, RulesPart, in_every_order};
use crate::model::{Attached, ClauseId, InstrKind, Model, NextHook, Set, Value, VarId};
use crate::span::Span;

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
        Ok(self.at(position).applies(clause, attached.holder)?.0)
    }

    fn applying(&self, position: &Position, list: &[Attached]) -> Res<Vec<Attached>> {
        let mut found = Vec::new();
        for attached in list {
            if attached.bearers.is_some() {
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

    /// Runs those of some hooks that apply; if several do, the result must not depend on their order.
    pub(super) fn unranked(&mut self, position: &mut Position, list: &[Attached], span: Span) -> Res<Flow> {
        let applying = self.applying(position, list)?;
        match applying.as_slice() {
            [] => Ok(Flow::On),
            [one] => {
                let next = position.top(self.model).map_or(0, |(_, pc)| pc.saturating_add(1));
                position.set_pc(self.model, next);
                self.hook(position, *one, span)?;
                Ok(Flow::Set)
            }
            several => {
                self.agree(position, several, &[], span)?;
                let place = position.top(self.model);
                for attached in several {
                    if !matches!(self.in_turn(position, *attached, span)?, After::On(())) {
                        break;
                    }
                }
                Ok(if position.top(self.model) == place { Flow::On } else { Flow::Set })
            }
        }
    }

    /// Checks that the order of some hooks that apply makes no difference, nor makes any of `others` apply.
    pub(super) fn agree(
        &mut self,
        position: &Position,
        applying: &[Attached],
        others: &[Attached],
        span: Span,
    ) -> Res<()> {
        let watch = self.watch;
        // What is tried has not happened.
        self.watch = watch.map(Recorder::idle);
        let teller = self.teller.take();
        let ends: Res<_> = in_every_order(applying.len(), position.clone(), |now, i| {
            let Some(attached) = applying.get(i) else { return Ok(After::Interrupted) };
            let mut trial = now.clone();
            let after = self.in_turn(&mut trial, *attached, span)?;
            for other in others {
                if self.hook_applies(&trial, *other)? {
                    return Ok(After::Interrupted);
                }
            }
            Ok(match after {
                After::On(()) => After::On(trial),
                After::Over(()) => After::Over(trial),
                After::Interrupted => After::Interrupted,
            })
        });
        self.teller = teller;
        self.watch = watch;
        match ends? {
            Orders::Same(_) => Ok(()),
            Orders::Differ => Err(self.conflict(applying, span, FaultDetail::Order)),
            Orders::Interrupted => Err(self.conflict(applying, span, FaultDetail::OrderInterrupted)),
        }
    }

    /// Runs a hook to its end, if it still applies.
    fn in_turn(&mut self, position: &mut Position, attached: Attached, span: Span) -> Res<After<()>> {
        if !self.hook_applies(position, attached)? {
            return Ok(After::On(()));
        }
        let (depth, place) = (position.depth(self.model), position.top(self.model));
        let before = self.teller.as_ref().map(|_| position.clone());
        self.hook(position, attached, span)?;
        if let (Some(before), Some((code, pc))) = (before, place) {
            self.tell((&before, position), Spot { code, pc }, &InstrKind::Hook(attached));
        }
        if self.run(position, Some(depth))? == Stop::DecisionPoint {
            return Ok(After::Interrupted);
        }
        // Finishing the procedure takes it away from the hooks that would follow.
        let stays = position.depth(self.model) == depth && position.top(self.model) == place;
        Ok(if stays { After::On(()) } else { After::Over(()) })
    }

    /// Finds which hook is next: the only one that applies, or any if they may happen in any order; or else those that
    /// a seat is asked about.
    pub(super) fn next_hook(&mut self, position: &mut Position, next: &NextHook, span: Span) -> Res<Flow> {
        let left = as_set(position.read(self.model, next.left, 0));
        let mut open = Set::default();
        let (mut applying, mut others) = (Vec::new(), Vec::new());
        for (i, attached) in next.hooks.iter().enumerate().filter(|(i, _)| left.contains(*i)) {
            if self.hook_applies(position, *attached)? {
                open.insert(i);
                applying.push(*attached);
            } else {
                others.push(*attached);
            }
        }
        let Some(first) = open.first() else {
            return Ok(Flow::To(next.end));
        };
        if applying.len() > 1 && !self.commute(position, &applying, &others, span)? {
            self.put(position, next.open, 0, Value::Set(open), span)?;
            return Ok(Flow::On);
        }
        self.put(position, next.into, 0, Value::Int(first as i32), span)?;
        Ok(Flow::To(next.settled))
    }

    /// Whether these hooks lead to the same position in every order, without a decision or chance, and none of `others`
    /// applies on the way. If one order has a fault, they do not.
    fn commute(&mut self, position: &Position, applying: &[Attached], others: &[Attached], span: Span) -> Res<bool> {
        match self.agree(position, applying, others, span) {
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
