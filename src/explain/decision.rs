//! The options at a decision point.

use std::ops::ControlFlow;

use super::eval::{Eval, Res, as_set, fault};
use super::note::Notes;
use crate::game::{Choice, FaultDetail, FaultKind, Needed, Position};
use crate::model::{
    Base, Chance, ChanceWhat, Choose, ChooseWhat, CodeId, Expr, ExprKind, InstrKind, Model, Set, Target, Value, VarId,
};
use crate::span::Span;

/// The maximum size of a range to choose a number from.
const MAX_NUMBERS: i64 = 65_536;

/// A decision point.
#[derive(Clone, Copy)]
pub(super) enum DecisionPoint<'a> {
    /// The game is over.
    Over,
    /// A seat decides.
    Decision(&'a Choose, CodeId, u16),
    /// Chance.
    Chance(&'a Chance, CodeId, u16),
}

/// Finds the decision point of a position.
///
/// # Errors
/// It is not at a decision point, or not a position of these rules.
pub(super) fn rest<'a>(model: &'a Model, position: &Position) -> Res<DecisionPoint<'a>> {
    if position.ending(model).is_some() {
        return Ok(DecisionPoint::Over);
    }
    let bad = || fault(FaultKind::BadPosition, Span::default(), FaultDetail::NotAtDecision);
    let (code, pc) = position.top(model).ok_or_else(bad)?;
    let instrs = model.codes.get(code.i()).map_or(&[][..], |c| &c.instrs);
    match instrs.get(usize::from(pc)).map(|i| &i.kind) {
        Some(InstrKind::Choose(choose)) => Ok(DecisionPoint::Decision(choose, code, pc)),
        Some(InstrKind::Chance(chance)) => Ok(DecisionPoint::Chance(chance, code, pc)),
        _ => Err(bad()),
    }
}

/// The options of a decision. Where there is nothing to decide `choices` is empty.
#[derive(Default)]
pub(super) struct Offer {
    /// The options, without the one of doing nothing.
    pub choices: Vec<Choice>,
    /// Whether doing nothing is an option.
    pub pass: bool,
}

impl<'a, N: Notes> Eval<'a, N> {
    /// The seat that decides.
    pub fn seat(&mut self, choose: &Choose) -> Res<u16> {
        let seat = self.some_int(&choose.seat, Needed::Decider)?;
        u16::try_from(seat).map_err(|_| fault(FaultKind::OutOfRange, choose.seat.span, FaultDetail::NoSuchSeat))
    }

    /// The options of a decision that is not about actions; `None` if there is no such decision.
    ///
    /// # Errors
    /// Also where there must be one and is not.
    pub fn offer(&mut self, choose: &Choose) -> Res<Option<Offer>> {
        self.considered(choose.clause);
        let (choices, span) = match &choose.what {
            ChooseWhat::One { set, of, .. } => (numbers(&self.set(set)?, of), set.span),
            ChooseWhat::Number { lo, hi, .. } => {
                let span = lo.span.to(hi.span);
                (self.between(lo, hi)?.map(Choice::Value).collect(), span)
            }
            ChooseWhat::Several { set, of, lo, hi, into } => {
                return self.next_of(set, of, (lo, hi), *into, choose.optional);
            }
            ChooseWhat::Yes { .. } => {
                return Ok(Some(Offer { choices: vec![Choice::Yes], pass: true }));
            }
            ChooseWhat::Act { actions, .. } => {
                let seat = self.seat(choose)?;
                (self.legal(actions, seat)?, choose.seat.span)
            }
        };
        let act = matches!(choose.what, ChooseWhat::Act { .. });
        if choices.is_empty() && !choose.anyway {
            if choose.optional || act {
                return Ok(None);
            }
            return Err(fault(FaultKind::Nothing, span, FaultDetail::NothingToChoose));
        }
        Ok(Some(Offer { choices, pass: choose.optional }))
    }

    fn between(&mut self, lo: &Expr, hi: &Expr) -> Res<std::ops::RangeInclusive<i32>> {
        let (a, b) = (self.some_int(lo, Needed::Lowest)?, self.some_int(hi, Needed::Highest)?);
        if i64::from(b) - i64::from(a) >= MAX_NUMBERS {
            let detail = FaultDetail::TooManyNumbers(a, b);
            return Err(fault(FaultKind::OutOfRange, lo.span.to(hi.span), detail));
        }
        Ok(a..=b)
    }

    /// The next of several. Where the choice is optional, none at all is as good as enough.
    fn next_of(
        &mut self,
        set: &Expr,
        of: &Base,
        (lo, hi): (&Expr, &Expr),
        into: VarId,
        optional: bool,
    ) -> Res<Option<Offer>> {
        let lo = self.some_int(lo, Needed::Least)?.max(0) as usize;
        let hi = self.some_int(hi, Needed::Greatest)?.max(0) as usize;
        let all = self.set(set)?;
        self.notes.entry(into, 0);
        let chosen = as_set(self.position.read(self.model, into, 0));
        let n = chosen.len();
        if n >= hi {
            return Ok(None);
        }
        let last = chosen.iter().last();
        let rest: Vec<usize> = all.iter().filter(|b| last.is_none_or(|last| *b > last)).collect();
        // One is an option only if enough come after it to reach the least number.
        let open = rest.len().min((rest.len() + n + 1).saturating_sub(lo.max(n + 1)));
        let choices: Vec<Choice> = rest.iter().take(open).map(|b| Choice::Value(of.of_bit(*b))).collect();
        let enough = n >= lo || optional && n == 0;
        if choices.is_empty() {
            if enough {
                return Ok(None);
            }
            return Err(fault(FaultKind::Nothing, set.span, FaultDetail::TooFewToChoose(lo)));
        }
        Ok(Some(Offer { choices, pass: enough }))
    }

    /// What may be drawn from a bag: each copy by itself, in order.
    fn copies_to_draw(&mut self, total: &Expr) -> Res<Vec<Choice>> {
        let ExprKind::Sum(copies, domain) = &total.kind else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        self.each(domain, |ev, value| {
            let n = ev.int(copies)?.unwrap_or(0).max(0);
            found.extend(std::iter::repeat_n(Choice::Value(value), n as usize));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The outcomes of chance, equally likely: of a draw from a bag each copy by itself; of a shuffle none if it is
    /// done.
    ///
    /// # Errors
    /// Also where there is none.
    pub fn outcomes(&mut self, chance: &Chance) -> Res<Vec<Choice>> {
        let (choices, span) = match &chance.what {
            ChanceWhat::Pick { set, of, .. } => (numbers(&self.set(set)?, of), set.span),
            ChanceWhat::Draw { total, .. } => (self.copies_to_draw(total)?, total.span),
            ChanceWhat::Roll { lo, hi, .. } => {
                (self.between(lo, hi)?.map(Choice::Value).collect(), lo.span.to(hi.span))
            }
            ChanceWhat::Shuffle { pile, next } => {
                let next = usize::try_from(self.position.read(self.model, *next, 0).int().unwrap_or(0));
                let Value::List(items) = self.target(pile)? else {
                    return Ok(Vec::new());
                };
                let mut open = items.get(next.unwrap_or(0)..).unwrap_or(&[]).to_vec();
                open.sort_unstable();
                if open.len() < 2 {
                    open.clear();
                }
                let open = open.into_iter().map(|i| Choice::Value(i32::from(i)));
                return Ok(open.collect());
            }
        };
        if choices.is_empty() {
            return Err(fault(FaultKind::Nothing, span, FaultDetail::NothingToDraw));
        }
        Ok(choices)
    }

    /// The value of a target.
    pub fn target(&mut self, target: &Target) -> Res<Value> {
        let index = self.index(target)?;
        self.notes.entry(target.var, index);
        Ok(self.position.read(self.model, target.var, index))
    }

    /// The index of a target.
    ///
    /// # Errors
    /// Also where it is nothing.
    pub fn index(&mut self, target: &Target) -> Res<usize> {
        let Some(e) = &target.index else {
            return Ok(0);
        };
        let i = self.some_int(e, Needed::Index)?;
        usize::try_from(i).map_err(|_| fault(FaultKind::OutOfRange, e.span, FaultDetail::NoSuchIndex))
    }

    /// Whether a value is among a set.
    pub fn among(&mut self, set: &Expr, of: &Base, value: i32) -> Res<bool> {
        let set = self.set(set)?;
        Ok(of.bit(value).is_some_and(|b| set.contains(b)))
    }
}

fn numbers(set: &Set, of: &Base) -> Vec<Choice> {
    set.iter().map(|b| Choice::Value(of.of_bit(b))).collect()
}
