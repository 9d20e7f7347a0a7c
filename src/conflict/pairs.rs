//! Which clauses could disagree at all.

use super::Apart;
use crate::explain::conflict::{Conflict, Side, Spot, choices_among};
use crate::model::{
    ActionId, Attached, Base, Clause, ClauseId, CodeId, Def, DefClause, DefId, EndResult, Expr, ExprKind, InstrKind,
    Layer, Model, Value, VarId,
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
    /// Whether there are more than are looked at.
    pub(super) more: bool,
}

/// The maximum number of pairs of holders that are looked at for two clauses of abilities that fields give.
const MAX_BEARER_WAYS: usize = 64;

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
    let same = same_holder(model, a, b);
    if same && exclude(model, a, b) {
        return found;
    }
    for (i, x) in model.holders(a).enumerate() {
        for (j, y) in model.holders(b).enumerate() {
            if (a != b || i < j) && (!same || x == y) {
                found.push([side(a, x), side(b, y)]);
            }
        }
    }
    found
}

/// Whether two clauses apply together only where their holder is the same, because it is one parameter of both, or one
/// variable holds it for both.
fn same_holder(model: &Model, a: ClauseId, b: ClauseId) -> bool {
    let param = |id| model.clause(id).filter(|c| c.unwritten > 0).and_then(Clause::holder_is);
    let kind = |id| model.clause(id).and_then(|c| c.ability).and_then(|a| model.abilities.get(a.i())).map(|a| a.kind);
    let one = || param(a).is_some() && param(a) == param(b) || Told::of(model, a).same_holder(&Told::of(model, b));
    kind(a).is_some() && kind(a) == kind(b) && one()
}

/// Whether no member has the abilities of two clauses at once: one field gives them, for different values.
fn exclude(model: &Model, a: ClauseId, b: ClauseId) -> bool {
    let ability = |id| model.clause(id).and_then(|c| c.ability).and_then(|a| model.abilities.get(a.i()));
    let (Some(a), Some(b)) = (ability(a), ability(b)) else { return false };
    let ([x], [y]) = (&a.borne[..], &b.borne[..]) else { return false };
    let one = model.vars.get(x.var.i()).is_some_and(|v| matches!(v.ty.base, Base::Member(_)));
    one && x.var == y.var
        && a.always.is_empty()
        && b.always.is_empty()
        && !x.givers.iter().any(|g| y.givers.contains(g))
}

fn on_def(model: &Model, id: DefId, out: &mut Vec<Pair>) {
    let Some(def) = model.defs.get(id.i()) else { return };
    let clauses = def.layer(Layer::Instead);
    let told: Vec<Told> = clauses.iter().map(|c| Told::of(model, c.clause)).collect();
    for (i, (a, p)) in clauses.iter().zip(&told).enumerate() {
        for (b, q) in clauses.iter().zip(&told).skip(i) {
            let same = a.clause == b.clause;
            if same && (model.holders(a.clause).count() < 2 || matches!(a.value.kind, ExprKind::Const(_))) {
                continue;
            }
            let known = plain(def, a, b).or_else(|| p.excludes(q).then_some(Apart::Conditions));
            let ways = if known.is_some() { Vec::new() } else { sides(model, a.clause, b.clause) };
            let (ways, more) = bounded(model, ways, a.clause);
            let ways = ways.into_iter().map(|sides| Conflict::Values(id, sides)).collect();
            out.push(Pair { subject: Subject::Def(id), a: a.clause, b: b.clause, known, ways, more });
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
            out.push(Pair { subject: Subject::Ends, a: a.clause, b: b.clause, known, ways, more: false });
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
                InstrKind::Unranked(list, _) => hooks(model, spot, list, &Conflict::Order, out),
                _ => {}
            }
        }
    }
}

/// Whether play may rank two hooks, so that their order is not open though both apply: only those of one holder
/// certainly have one rank.
pub(super) fn may_be_ranked(model: &Model, conflict: &Conflict) -> bool {
    let Conflict::Order(spot, [a, b]) = conflict else { return false };
    let code = model.codes.get(spot.code.i());
    let instr = code.and_then(|c| c.instrs.get(usize::from(spot.pc)));
    a.holder != b.holder && instr.is_some_and(|i| matches!(i.kind, InstrKind::Unranked(_, Some(_))))
}

fn hooks(
    model: &Model,
    spot: Spot,
    list: &[Attached],
    conflict: &dyn Fn(Spot, [Attached; 2]) -> Conflict,
    out: &mut Vec<Pair>,
) {
    let clause = |side: &Attached| model.hooks.get(side.hook.i()).map(|hook| hook.clause);
    let told: Vec<Told> = list.iter().map(|s| clause(s).map(|c| Told::of(model, c)).unwrap_or_default()).collect();
    for (i, (x, p)) in list.iter().zip(&told).enumerate() {
        if x.bearers.is_some() {
            borne(model, spot, [(*x, p), (*x, p)], conflict, out);
        }
        for (y, q) in list.iter().zip(&told).skip(i + 1) {
            if x.bearers.or(y.bearers).is_some() {
                borne(model, spot, [(*x, p), (*y, q)], conflict, out);
                continue;
            }
            let way = conflict(spot, [*x, *y]);
            let [a, b] = way.sides(model).map(|s| s.clause);
            let known = p.excludes(q).then_some(Apart::Conditions);
            add(out, Subject::Step(spot), (a, b), (way, known));
        }
    }
}

/// Two hooks of which one is for whoever has its ability, for some of those who can have it; or one, for two of them.
fn borne(
    model: &Model,
    spot: Spot,
    [(x, p), (y, q)]: [(Attached, &Told); 2],
    conflict: &dyn Fn(Spot, [Attached; 2]) -> Conflict,
    out: &mut Vec<Pair>,
) {
    let same = p.same_holder(q);
    let excluded = || match [x, y].map(|side| model.hooks.get(side.hook.i())) {
        [Some(x), Some(y)] => same && exclude(model, x.clause, y.clause),
        _ => false,
    };
    let known = p.excludes(q).then_some(Apart::Conditions).or_else(|| excluded().then_some(Apart::Members));
    let same = same && known.is_none();
    let apart = known.is_some() || super::effects::independent(model, &[x, y]);
    let most = if apart { 1 } else { MAX_BEARER_WAYS };
    let mut ways = Vec::new();
    for (i, a) in x.holders(model).into_iter().enumerate() {
        for b in y.holders(model).into_iter().skip(if x == y { i + 1 } else { 0 }) {
            if same && a != b {
                continue;
            }
            ways.push(conflict(spot, [Attached::of(x.hook, a), Attached::of(y.hook, b)]));
            if ways.len() > most {
                break;
            }
        }
        if ways.len() > most {
            break;
        }
    }
    let more = ways.len() > most && !apart;
    ways.truncate(most);
    let Some([a, b]) = ways.first().map(|way| way.sides(model).map(|s| s.clause)) else { return };
    out.push(Pair { subject: Subject::Step(spot), a: a.min(b), b: a.max(b), known, ways, more });
}

/// What the conditions of a clause say about single variables, whatever else they ask.
#[derive(Default)]
struct Told {
    /// The variables that hold its holder.
    holder: Vec<VarId>,
    /// The variables that have a certain value.
    is: Vec<(VarId, Value)>,
}

impl Told {
    fn of(model: &Model, clause: ClauseId) -> Told {
        let mut told = Told::default();
        if let Some(clause) = model.clause(clause) {
            clause.when.iter().for_each(|e| told.conjunct(clause, e));
        }
        told
    }

    fn conjunct(&mut self, clause: &Clause, e: &Expr) {
        match &e.kind {
            ExprKind::And(a, b) => [a, b].into_iter().for_each(|e| self.conjunct(clause, e)),
            ExprKind::Equal(a, b, true) => match (&a.kind, &b.kind) {
                (ExprKind::Var { var, index: None }, other) | (other, ExprKind::Var { var, index: None }) => {
                    match other {
                        ExprKind::Local(h) if *h == clause.holder && clause.ability.is_some() => self.holder.push(*var),
                        ExprKind::Const(value) => self.is.push((*var, value.clone())),
                        _ => {}
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Whether two clauses that apply at once are of one holder.
    fn same_holder(&self, other: &Told) -> bool {
        self.holder.iter().any(|var| other.holder.contains(var))
    }

    /// Whether two clauses never apply at once, because a variable would have two values.
    fn excludes(&self, other: &Told) -> bool {
        self.is.iter().any(|(var, x)| other.is.iter().any(|(v, y)| v == var && x != y))
    }
}

/// Not too many of the pairs of holders, where fields say who they are; and whether these are not all.
fn bounded(model: &Model, mut ways: Vec<[Side; 2]>, clause: ClauseId) -> (Vec<[Side; 2]>, bool) {
    let ability = model.clause(clause).and_then(|c| c.ability).and_then(|a| model.abilities.get(a.i()));
    let more = ability.is_some_and(|a| !a.borne.is_empty()) && ways.len() > MAX_BEARER_WAYS;
    if more {
        ways.truncate(MAX_BEARER_WAYS);
    }
    (ways, more)
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
                let way = Conflict::Duties(spot, [*x, *y]);
                add(out, Subject::Action(x.0), (x.1.clause, y.1.clause), (way, None));
            }
        }
    }
}

/// Adds a possible conflict between two clauses, to their pair if there is one; and why they never disagree, if that is
/// plain.
fn add(out: &mut Vec<Pair>, subject: Subject, (a, b): (ClauseId, ClauseId), (way, known): (Conflict, Option<Apart>)) {
    let (a, b) = (a.min(b), a.max(b));
    match out.iter_mut().find(|p| (p.a, p.b) == (a, b)) {
        Some(pair) => pair.ways.push(way),
        None => out.push(Pair { subject, a, b, known, ways: vec![way], more: false }),
    }
}
