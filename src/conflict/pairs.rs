//! Which clauses could disagree at all.

use super::Apart;
use crate::explain::conflict::{Conflict, Side, Spot, choices_among};
use crate::model::{
    ActionId, Attached, ClauseId, CodeId, Def, DefClause, DefId, EndResult, ExprKind, InstrKind, Layer, Model, Value,
};

/// What two clauses are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A definition.
    Def(DefId),
    /// The end of the game.
    Ends,
    /// A step, or the beginning or end of a procedure.
    Step(Spot),
    /// An action; for two clauses on different actions, the first one's.
    Action(ActionId),
}

/// Two clauses that could disagree, or two holders of one clause.
#[derive(Clone, Debug)]
pub struct Pair {
    /// What they are about.
    pub subject: Subject,
    /// The one that is written first.
    pub a: ClauseId,
    /// The other, or the same.
    pub b: ClauseId,
    /// Why they never disagree, if that is plain.
    pub known: Option<Apart>,
    /// For each pair of holders, or place, the possible conflict.
    pub(super) ways: Vec<Conflict>,
}

/// All pairs, by what they are about.
pub fn all(model: &Model) -> Vec<Pair> {
    let mut found = Vec::new();
    for i in 0..model.defs.len() {
        on_def(model, DefId(i as u16), &mut found);
    }
    on_steps(model, &mut found);
    on_actions(model, &mut found);
    on_ends(model, &mut found);
    found
}

/// For each pair of holders of two clauses, both orders; for one clause, each pair once.
fn sides(model: &Model, a: ClauseId, b: ClauseId) -> Vec<[Side; 2]> {
    let side = |clause, holder| Side { clause, holder };
    let mut found = Vec::new();
    for (i, x) in model.holders(a).enumerate() {
        for (j, y) in model.holders(b).enumerate() {
            if a != b || i < j {
                found.push([side(a, x), side(b, y)]);
            }
        }
    }
    found
}

fn on_def(model: &Model, id: DefId, out: &mut Vec<Pair>) {
    let Some(def) = model.defs.get(id.i()) else { return };
    for (i, a) in def.layer(Layer::Instead).iter().enumerate() {
        for b in def.layer(Layer::Instead).iter().skip(i) {
            let same = a.clause == b.clause;
            if same && (model.holders(a.clause).count() < 2 || matches!(a.value.kind, ExprKind::Const(_))) {
                continue;
            }
            let known = plain(def, a, b);
            let ways = if known.is_some() { Vec::new() } else { sides(model, a.clause, b.clause) };
            let ways = ways.into_iter().map(|sides| Conflict::Values(id, sides)).collect();
            out.push(Pair { subject: Subject::Def(id), a: a.clause, b: b.clause, known, ways });
        }
    }
}

fn plain(def: &Def, a: &DefClause, b: &DefClause) -> Option<Apart> {
    if a.beats.contains(&b.clause) {
        return Some(Apart::Ranked(a.clause));
    }
    if b.beats.contains(&a.clause) {
        return Some(Apart::Ranked(b.clause));
    }
    let heads = a.args.iter().zip(&b.args).take(def.params.len());
    if heads.into_iter().any(|(x, y)| x.is_some() && y.is_some() && x != y) {
        return Some(Apart::Members);
    }
    match (&a.value.kind, &b.value.kind) {
        (ExprKind::Const(x), ExprKind::Const(y)) if x == y => Some(Apart::Agree),
        _ => None,
    }
}

fn on_ends(model: &Model, out: &mut Vec<Pair>) {
    for (i, a) in model.ends.iter().enumerate() {
        for b in model.ends.iter().skip(i) {
            let agree = fixed(&a.result).is_some() && fixed(&a.result) == fixed(&b.result);
            if a.clause == b.clause && (agree || model.holders(a.clause).count() < 2) {
                continue;
            }
            let known = if a.beats.contains(&b.clause) {
                Some(Apart::Ranked(a.clause))
            } else if b.beats.contains(&a.clause) {
                Some(Apart::Ranked(b.clause))
            } else {
                agree.then_some(Apart::Agree)
            };
            let ways = if known.is_some() { Vec::new() } else { sides(model, a.clause, b.clause) };
            let ways = ways.into_iter().map(Conflict::Ends).collect();
            out.push(Pair { subject: Subject::Ends, a: a.clause, b: b.clause, known, ways });
        }
    }
}

/// The result of an ending, if it does not depend on the position.
fn fixed(result: &EndResult) -> Option<(u8, Value)> {
    match result {
        EndResult::Draw => Some((0, Value::None)),
        EndResult::Wins(e) => matches!(&e.kind, ExprKind::Const(_)).then(|| (1, constant(e))),
        EndResult::Loses(e) => matches!(&e.kind, ExprKind::Const(_)).then(|| (2, constant(e))),
    }
}

fn constant(e: &crate::model::Expr) -> Value {
    if let ExprKind::Const(value) = &e.kind { value.clone() } else { Value::None }
}

fn on_steps(model: &Model, out: &mut Vec<Pair>) {
    for (c, code) in model.codes.iter().enumerate() {
        for (pc, instr) in code.instrs.iter().enumerate() {
            let spot = Spot { code: CodeId(c as u16), pc: pc as u16 };
            match &instr.kind {
                InstrKind::Instead(list, _) => hooks(model, spot, list, &Conflict::Replacing, out),
                InstrKind::Unranked(list, None) => hooks(model, spot, list, &Conflict::Order, out),
                // Only those of one holder are certainly in the set together.
                InstrKind::Unranked(list, Some(_)) => {
                    for together in list.chunk_by(|a, b| a.holder == b.holder) {
                        hooks(model, spot, together, &Conflict::Order, out);
                    }
                }
                _ => {}
            }
        }
    }
}

fn hooks(
    model: &Model,
    spot: Spot,
    list: &[Attached],
    conflict: &dyn Fn(Spot, [Attached; 2]) -> Conflict,
    out: &mut Vec<Pair>,
) {
    for (i, x) in list.iter().enumerate() {
        for y in list.iter().skip(i + 1) {
            let way = conflict(spot, [*x, *y]);
            let [a, b] = way.sides(model).map(|s| s.clause);
            add(out, Subject::Step(spot), (a, b), way);
        }
    }
}

fn on_actions(model: &Model, out: &mut Vec<Pair>) {
    for (spot, actions) in choices_among(model) {
        let mut musts: Vec<(ActionId, Side)> = Vec::new();
        for id in actions {
            for must in model.actions.get(id.i()).map_or(&[][..], |a| &a.must) {
                let all = model.holders(must.clause);
                musts.extend(all.map(|holder| (id, Side { clause: must.clause, holder })));
            }
        }
        for (i, x) in musts.iter().enumerate() {
            for y in musts.iter().skip(i + 1) {
                add(out, Subject::Action(x.0), (x.1.clause, y.1.clause), Conflict::Duties(spot, [*x, *y]));
            }
        }
    }
}

/// Adds a possible conflict between two clauses, to their pair if there is one.
fn add(out: &mut Vec<Pair>, subject: Subject, (a, b): (ClauseId, ClauseId), way: Conflict) {
    let (a, b) = (a.min(b), a.max(b));
    match out.iter_mut().find(|p| (p.a, p.b) == (a, b)) {
        Some(pair) => pair.ways.push(way),
        None => out.push(Pair { subject, a, b, known: None, ways: vec![way] }),
    }
}
