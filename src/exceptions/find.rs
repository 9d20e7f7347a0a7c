//! The subjects of clauses, and finding one by name.

use crate::conflict::Subject;
use crate::model::{ActionId, BringId, ClauseId, CodeId, CodeKind, DefId, InstrKind, Model};
use crate::spelling::{fold, nearest};

/// A subject of clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A definition.
    Def(DefId),
    /// An action.
    Action(ActionId),
    /// A procedure with the hooks at its steps.
    Procedure(CodeId),
    /// One step of a procedure, by its place.
    Step(CodeId, u16),
    /// What a seat brings.
    Bring(BringId),
    /// How the game ends.
    Ends,
}

/// What the endings are called.
const ENDS: &str = "ends";

impl Thing {
    /// Its name: `strength`, `battle.cards`, `ends`.
    #[must_use]
    pub fn name(&self, model: &Model) -> String {
        let code = |c: &CodeId| model.codes.get(c.i()).map_or("?", |c| &c.name);
        match self {
            Thing::Def(d) => model.defs.get(d.i()).map_or("?", |d| &d.name).to_owned(),
            Thing::Action(a) => model.actions.get(a.i()).map_or("?", |a| &a.name).to_owned(),
            Thing::Procedure(c) => code(c).to_owned(),
            Thing::Step(c, s) => {
                let step = model.codes.get(c.i()).and_then(|c| c.steps.get(usize::from(*s)));
                format!("{}.{}", code(c), step.map_or("?", |s| &s.name))
            }
            Thing::Bring(b) => model.brings.get(b.i()).map_or("?", |b| &b.name).to_owned(),
            Thing::Ends => String::from(ENDS),
        }
    }

    /// Whether the subject of two clauses is this one, or a part of it.
    #[must_use]
    pub fn covers(&self, model: &Model, subject: Subject) -> bool {
        match (self, subject) {
            (Thing::Def(d), Subject::Def(s)) => *d == s,
            (Thing::Action(a), Subject::Action(s)) => *a == s,
            (Thing::Procedure(c), Subject::Step(spot)) => *c == spot.code,
            (Thing::Step(c, s), Subject::Step(spot)) => {
                let step = model.codes.get(c.i()).and_then(|c| c.steps.get(usize::from(*s)));
                *c == spot.code && step.is_some_and(|s| (s.start..s.end).contains(&spot.pc))
            }
            (Thing::Ends, Subject::Ends) => true,
            _ => false,
        }
    }

    /// All clauses about it, including the general rule of a definition and the action itself.
    #[must_use]
    pub fn clauses(&self, model: &Model) -> Vec<ClauseId> {
        match self {
            Thing::Def(d) => model
                .defs
                .get(d.i())
                .map_or(Vec::new(), |d| std::iter::once(d.clause).chain(d.clauses.iter().map(|c| c.clause)).collect()),
            Thing::Action(a) => model.actions.get(a.i()).map_or(Vec::new(), |a| {
                let may = a.may.iter().map(|c| c.clause);
                let not = a.may_not.iter().map(|c| c.clause);
                let must = a.must.iter().map(|c| c.clause);
                std::iter::once(a.clause).chain(may).chain(not).chain(must).collect()
            }),
            Thing::Procedure(c) => hooks(model, *c, None),
            Thing::Step(c, s) => hooks(model, *c, Some(*s)),
            Thing::Bring(b) => model
                .brings
                .get(b.i())
                .map_or(Vec::new(), |b| std::iter::once(b.clause).chain(b.demands.iter().map(|d| d.clause)).collect()),
            Thing::Ends => model.ends.iter().map(|e| e.clause).collect(),
        }
    }

    /// Whether it has more than a general rule.
    fn has_exceptions(&self, model: &Model) -> bool {
        let least = match self {
            Thing::Procedure(_) | Thing::Step(..) => 0,
            Thing::Action(_) => 2,
            Thing::Def(_) | Thing::Bring(_) | Thing::Ends => 1,
        };
        self.clauses(model).len() > least
    }
}

/// The hooks of a procedure, or of one step of it, in the order in which they run.
pub(super) fn hooks(model: &Model, code: CodeId, step: Option<u16>) -> Vec<ClauseId> {
    let Some(c) = model.codes.get(code.i()) else { return Vec::new() };
    let range = step.map(|s| c.steps.get(usize::from(s)).map_or(0..0, |s| s.start..s.end));
    let mut found = Vec::new();
    for (pc, instr) in c.instrs.iter().enumerate() {
        if range.as_ref().is_some_and(|r| !r.contains(&(pc as u16))) {
            continue;
        }
        let list = match &instr.kind {
            InstrKind::Hook(a) => std::slice::from_ref(a),
            InstrKind::Unranked(list, _) | InstrKind::Instead(list, _) | InstrKind::HookAt(list, _) => list.as_slice(),
            _ => continue,
        };
        for hook in list.iter().filter_map(|a| model.hooks.get(a.hook.i())) {
            if !found.contains(&hook.clause) {
                found.push(hook.clause);
            }
        }
    }
    found
}

fn all(model: &Model) -> Vec<Thing> {
    let mut all: Vec<Thing> = (0..model.defs.len()).map(|i| Thing::Def(DefId(i as u16))).collect();
    all.extend((0..model.actions.len()).map(|i| Thing::Action(ActionId(i as u16))));
    let procedures = model.codes.iter().enumerate().filter(|(_, c)| c.kind == CodeKind::Procedure);
    all.extend(procedures.map(|(i, _)| Thing::Procedure(CodeId(i as u16))));
    all.extend((0..model.brings.len()).map(|i| Thing::Bring(BringId(i as u16))));
    all.push(Thing::Ends);
    all
}

/// All subjects with more than a general rule.
#[must_use]
pub fn list(model: &Model) -> Vec<Thing> {
    all(model).into_iter().filter(|t| t.has_exceptions(model)).collect()
}

/// The subject that a name means: a definition, action, procedure, list, a step such as `battle.cards`, `ends`, or the
/// label of a clause about it.
///
/// # Errors
/// There is none; the names that may have been meant, best first.
pub fn find(model: &Model, name: &str) -> Result<Thing, Vec<String>> {
    let mut things = all(model);
    let steps = model.codes.iter().enumerate().filter(|(_, c)| c.kind == CodeKind::Procedure);
    for (i, code) in steps {
        things.extend((0..code.steps.len()).map(|s| Thing::Step(CodeId(i as u16), s as u16)));
    }
    if let Some(found) = things.iter().find(|t| t.name(model) == name) {
        return Ok(*found);
    }
    let wanted = fold(name.trim_matches('"'));
    let labelled = |t: &&Thing| {
        t.clauses(model).iter().filter_map(|c| model.clause(*c)).any(|c| {
            let translations = c.label.translations.iter().map(|(_, t)| t);
            std::iter::once(&c.label.text).chain(translations).any(|l| !l.is_empty() && fold(l) == wanted)
        })
    };
    if let Some(found) = things.iter().find(labelled) {
        return Ok(*found);
    }
    let names: Vec<String> = things.iter().map(|t| t.name(model)).collect();
    let labels = things.iter().flat_map(|t| t.clauses(model));
    let labels = labels.filter_map(|c| model.clause(c)).map(|c| c.label.text.clone()).filter(|l| !l.is_empty());
    let known: Vec<String> = names.into_iter().chain(labels).collect();
    Err(nearest(name, known.iter().map(String::as_str), 3))
}
