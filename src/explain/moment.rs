//! When something is asked for, if not now: where the rules ask for it, and what keeps it from being asked there.

use std::collections::HashSet;

use super::Explainer;
use super::eval::{Eval, Res};
use super::judge::illegal;
use super::note::{Notes, Written};
use super::observer::Observer;
use crate::game::{Elsewhere, Fate, Moment, Position, Reason, Ruling, Seen};
use crate::model::{
    AbilityId, ActionId, Attached, Base, ChooseWhat, ClauseId, Code, CodeId, CodeKind, Expr, ExprKind, InstrKind,
    Model, Set, Value, VarId,
};

/// An instruction: its code and place.
type At = (CodeId, u16);

/// The way from a code that is active to a question: each step begins the next.
struct Route {
    /// The question first, in the active code last.
    steps: Vec<At>,
    /// The hook that is attached at the last step but one, if one is.
    hook: Option<Attached>,
}

impl Explainer {
    /// The ruling on a text that is not a choice here, but would be one at other moments; with `seen` as the seat may
    /// read it.
    #[must_use]
    pub fn judge_elsewhere(&self, position: &Position, seat: u16, asked: &Elsewhere, seen: bool) -> Ruling {
        let unasked = illegal(self.unasked(position, seat));
        let mut ruling = Ruling { written: Some(asked.text.clone()), seen, ..unasked };
        if ruling.reason != Reason::GameOver {
            let mut ev = self.at::<Written>(position);
            ev.observer = seen.then(|| Observer::new(self, position, seat));
            ruling.moment = self.moment(&mut ev, position, asked.places.clone(), None).ok().flatten();
            ruling.derived = ev.notes.derived;
        }
        ruling
    }

    /// Those of some instructions that ask a seat.
    #[must_use]
    pub fn decisions_among(&self, mut places: Vec<(CodeId, u16)>) -> Vec<(CodeId, u16)> {
        places.retain(|(code, pc)| {
            let instr = self.model.codes.get(code.i()).and_then(|c| c.instrs.get(usize::from(*pc)));
            instr.is_some_and(|i| matches!(i.kind, InstrKind::Choose(_)))
        });
        places
    }

    /// Where an action is asked for that is not asked for now.
    pub(super) fn moment_of<'a, N: Notes>(
        &'a self,
        ev: &mut Eval<'a, N>,
        position: &'a Position,
        action: ActionId,
        near: Option<ClauseId>,
    ) -> Res<Option<Moment>> {
        self.moment(ev, position, asked_at(&self.model, action), near)
    }

    /// The one of some questions whose clauses belong with `near`, the clause that comes nearest to permitting what is
    /// asked about, or else the nearest question: where it stands, and what keeps it from being asked. `None` if play
    /// comes to none of them.
    fn moment<'a, N: Notes>(
        &'a self,
        ev: &mut Eval<'a, N>,
        position: &'a Position,
        places: Vec<At>,
        near: Option<ClauseId>,
    ) -> Res<Option<Moment>> {
        let model = &*self.model;
        let ability = near.and_then(|id| model.clause(id)).and_then(|c| c.ability);
        // What other seats are asked by hooks and actions may tell of what is hidden.
        let veiled = ev.observer.is_some_and(|observer| observer.may_miss_something());
        let routes = places.into_iter().filter_map(|at| route(model, position, at, veiled));
        let other = |r: &Route| near.is_some_and(|id| r.is_for_others(model, id));
        let far = |r: &Route| (!r.belongs_to(model, ability), other(r), r.is_past(model, position), r.steps.len());
        let Some(route) = routes.min_by_key(far) else {
            return Ok(None);
        };
        let Some((code, pc)) = route.steps.last().copied() else { return Ok(None) };
        // The place that a reader knows is in a procedure.
        let named = route.steps.iter().find(|(code, _)| is_procedure(model, *code)).copied().unwrap_or((code, pc));
        let step = step_at(model, named.0, named.1);
        let mut conditions = self.guards(ev, position, (code, pc))?;
        let mut hook = None;
        let near_hook = route.hook.filter(|a| a.bearers.is_none());
        if let Some(attached) = near_hook.filter(|_| route.steps.len() == 2 && conditions.is_empty())
            && let Some(clause) = model.hooks.get(attached.hook.i()).map(|h| h.clause)
        {
            let applies = |ev: &mut Eval<'a, N>| ev.framed(|ev| ev.applies(clause, attached.holder));
            hook = self.as_known(ev, position, applies)?.and_then(|(_, considered)| considered);
            // What stands around the question in the hook is evaluated only where the hook begins.
            if hook.as_ref().is_some_and(|c| c.fate == Fate::Applies)
                && let Some((inner, at)) = route.steps.first()
            {
                conditions = self.guards(ev, position, (*inner, *at))?;
            }
        }
        let mut moment = Moment { code: named.0, step, hook, conditions, certain: true };
        let own = ev.observer.is_some_and(|observer| self.decider(position) == Some(observer.seat()));
        let fails = moment.withheld().is_some() || !moment.conditions.is_empty();
        moment.certain = !veiled || own || fails || !route.may_be_here(model, position);
        Ok(Some(moment))
    }

    /// Evaluates something. `None` if it depends on what the observer, if there is one, does not see.
    fn as_known<'a, N: Notes, T>(
        &'a self,
        ev: &mut Eval<'a, N>,
        position: &'a Position,
        f: impl FnOnce(&mut Eval<'a, N>) -> Res<T>,
    ) -> Res<Option<T>> {
        let Some(observer) = ev.observer.filter(Observer::may_miss_something) else {
            return f(ev).map(Some);
        };
        let mut aside = self.at::<N>(position);
        (aside.observer, aside.within) = (Some(observer), Some(observer));
        let value = f(&mut aside).ok();
        Ok(value.filter(|_| !aside.missed))
    }

    /// The conditions around an instruction that do not hold now.
    fn guards<'a, N: Notes>(&'a self, ev: &mut Eval<'a, N>, position: &'a Position, (code, pc): At) -> Res<Vec<Seen>> {
        let Some(code) = self.model.codes.get(code.i()) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for cond in around(code, pc) {
            let seen = self.as_known(ev, position, |ev| ev.framed(|ev| ev.seen(cond)))?;
            found.extend(seen.filter(|seen| !seen.holds));
        }
        Ok(found)
    }
}

impl Route {
    /// Whether what is set before its question excludes a clause: each clause wants another value.
    fn is_for_others(&self, model: &Model, id: ClauseId) -> bool {
        let Some((code, pc)) = self.steps.first() else { return false };
        let before = model.codes.get(code.i()).map_or(&[][..], |c| &c.instrs).iter().take(usize::from(*pc)).rev();
        let set = |var: VarId| {
            let mut puts = before.clone().filter_map(|i| match &i.kind {
                InstrKind::Set(target, e) if target.var == var && target.index.is_none() => Some(e),
                _ => None,
            });
            puts.next().and_then(constant)
        };
        model.clause(id).is_some_and(|c| c.when.iter().any(|cond| excluded(cond, &set)))
    }

    /// Whether play has gone past where it begins.
    fn is_past(&self, model: &Model, position: &Position) -> bool {
        let Some((active, at)) = self.steps.last() else { return false };
        let mut frames = (0..position.depth(model)).rev().map(|d| position.frame(model, d));
        frames.find(|(code, _)| code == active).is_some_and(|(_, now)| *at < now)
    }

    /// Whether the procedures that are active leave open that its question is asked now.
    fn may_be_here(&self, model: &Model, position: &Position) -> bool {
        let Some(((active, _), inner)) = self.steps.split_last() else { return false };
        let procedures = (0..position.depth(model)).map(|d| position.frame(model, d).0);
        let innermost = procedures.rev().find(|code| is_procedure(model, *code));
        innermost == Some(*active) && !inner.iter().any(|(code, _)| is_procedure(model, *code))
    }

    fn belongs_to(&self, model: &Model, ability: Option<AbilityId>) -> bool {
        let clause = self.hook.and_then(|a| model.hooks.get(a.hook.i())).and_then(|h| model.clause(h.clause));
        ability.is_some() && clause.and_then(|c| c.ability) == ability
    }
}

/// Whether a condition certainly fails where variables without an index have these values, as far as they are known.
fn excluded(cond: &Expr, known: &dyn Fn(VarId) -> Option<Value>) -> bool {
    match &cond.kind {
        ExprKind::And(a, b) => excluded(a, known) || excluded(b, known),
        ExprKind::Or(a, b) => excluded(a, known) && excluded(b, known),
        ExprKind::Equal(a, b, true) => single(a).and_then(known).zip(constant(b)).is_some_and(|(now, c)| now != c),
        ExprKind::In { item, set, of, positive: true } => {
            let now = single(item).and_then(known).and_then(|value| of.bit(value.int()?));
            now.zip(constants(set, of)).is_some_and(|(now, all)| !all.contains(now))
        }
        _ => false,
    }
}

fn constant(e: &Expr) -> Option<Value> {
    if let ExprKind::Const(value) = &e.kind { Some(value.clone()) } else { None }
}

/// The members of a set that is written out.
fn constants(e: &Expr, of: &Base) -> Option<Set> {
    match &e.kind {
        ExprKind::Const(Value::Set(set)) => Some(set.clone()),
        ExprKind::SetOf { items, .. } => items.iter().map(|i| of.bit(constant(i)?.int()?)).collect(),
        _ => None,
    }
}

/// A variable that is not indexed.
fn single(e: &Expr) -> Option<VarId> {
    if let ExprKind::Var { var, index: None } = e.kind { Some(var) } else { None }
}

fn is_procedure(model: &Model, code: CodeId) -> bool {
    model.codes.get(code.i()).is_some_and(|c| c.kind == CodeKind::Procedure)
}

/// The conditions of the statements that an instruction stands in. The test whether a `for` or `repeat` goes on is
/// left out: the rules do not write it, and its place is that of the whole statement.
pub(super) fn around(code: &Code, pc: u16) -> impl Iterator<Item = &Expr> {
    code.instrs.iter().take(usize::from(pc)).filter_map(move |i| match &i.kind {
        InstrKind::Unless(cond, to) if *to > pc && cond.span != i.span => Some(cond),
        _ => None,
    })
}

fn step_at(model: &Model, code: CodeId, pc: u16) -> Option<usize> {
    let steps = &model.codes.get(code.i())?.steps;
    steps.iter().position(|s| (s.start..s.end).contains(&pc))
}

/// The instructions that ask for an action.
fn asked_at(model: &Model, action: ActionId) -> Vec<At> {
    let asks = |kind: &InstrKind| {
        let InstrKind::Choose(choose) = kind else { return false };
        matches!(&choose.what, ChooseWhat::Act { actions, .. } if actions.contains(&action))
    };
    instructions(model).filter(|(_, kind)| asks(kind)).map(|(at, _)| at).collect()
}

fn instructions(model: &Model) -> impl Iterator<Item = (At, &InstrKind)> {
    model.codes.iter().enumerate().flat_map(|(c, code)| {
        let instrs = code.instrs.iter().enumerate();
        instrs.map(move |(pc, instr)| ((CodeId(c as u16), pc as u16), &instr.kind))
    })
}

/// The instructions that begin a code, with the hook if it is one.
fn begins(model: &Model, code: CodeId) -> Vec<(At, Option<Attached>)> {
    let mut found = Vec::new();
    for (at, kind) in instructions(model).filter(|(_, kind)| kind.begins(model).contains(&code)) {
        let is_of = |a: &&Attached| model.hooks.get(a.hook.i()).is_some_and(|h| h.code == code);
        match kind {
            InstrKind::Hook(a) => found.push((at, Some(*a))),
            InstrKind::Unranked(all, _) | InstrKind::Instead(all, _) | InstrKind::HookAt(all, _) => {
                found.extend(all.iter().filter(is_of).map(|a| (at, Some(*a))));
            }
            _ => found.push((at, None)),
        }
    }
    found
}

/// The shortest way to an instruction from a code that is active, or from a procedure that is.
fn route(model: &Model, position: &Position, to: At, of_procedure: bool) -> Option<Route> {
    let counts = |code: CodeId| !of_procedure || is_procedure(model, code);
    let active = |code: CodeId| counts(code) && (0..position.depth(model)).any(|d| position.frame(model, d).0 == code);
    let mut seen = HashSet::from([to.0]);
    let mut open = vec![Route { steps: vec![to], hook: None }];
    while !open.is_empty() {
        if let Some(i) = open.iter().position(|r| r.steps.last().is_some_and(|(code, _)| active(*code))) {
            return Some(open.swap_remove(i));
        }
        let mut next = Vec::new();
        for route in open {
            let Some((code, _)) = route.steps.last() else { continue };
            for (at, hook) in begins(model, *code) {
                if seen.insert(at.0) || active(at.0) {
                    let steps = route.steps.iter().copied().chain([at]).collect();
                    next.push(Route { steps, hook: route.hook.or(hook) });
                }
            }
        }
        open = next;
    }
    None
}
