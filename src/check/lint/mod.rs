//! Checks of the game as a whole: certain conflicts, gaps, clauses that cannot apply, cycles, unused names.

mod conflict;
mod depth;
mod hidden;
mod look;
mod reach;
mod shown;
mod skip;
mod unused;
mod withdrawn;

use std::collections::{BTreeMap, VecDeque};

use super::Checker;
use crate::check::Diagnostic;
use crate::check::names::Symbol;
use crate::model::{ClauseId, ClauseKind, DefId};
use crate::span::Span;

/// One definition uses another: from, to, where.
type Call = (DefId, DefId, Span);

/// The definitions that remain when those that use no remaining one are removed repeatedly: only these can be
/// recursive.
fn rings(n: usize, calls: &[Call]) -> Vec<DefId> {
    let (mut asks, mut asked_by) = (vec![0usize; n], vec![Vec::new(); n]);
    for (from, to, _) in calls {
        asks[from.i()] += 1;
        asked_by[to.i()].push(from.i());
    }
    let mut todo: Vec<usize> = (0..n).filter(|i| asks[*i] == 0).collect();
    while let Some(i) = todo.pop() {
        for j in &asked_by[i] {
            asks[*j] -= 1;
            if asks[*j] == 0 {
                todo.push(*j);
            }
        }
    }
    (0..n).filter(|i| asks[*i] > 0).map(|i| DefId(i as u16)).collect()
}

/// The shortest way from a definition back to itself.
fn way_back(start: DefId, calls: &BTreeMap<DefId, Vec<Call>>) -> Option<Vec<Call>> {
    let mut came: BTreeMap<DefId, Call> = BTreeMap::new();
    let mut todo = VecDeque::from([start]);
    while let Some(at) = todo.pop_front() {
        for call in calls.get(&at).map_or(&[][..], Vec::as_slice) {
            if came.contains_key(&call.1) {
                continue;
            }
            came.insert(call.1, *call);
            if call.1 == start {
                let mut path = vec![*call];
                while let Some(last) = path.last().filter(|c| c.0 != start) {
                    path.push(*came.get(&last.0)?);
                }
                path.reverse();
                return Some(path);
            }
            todo.push_back(call.1);
        }
    }
    None
}

impl Checker {
    /// Runs all checks. Parts with an error in names or types are left out, so that no mistake is reported twice.
    pub(super) fn lint(&mut self) {
        let sound = !self.out.iter().any(|d| d.severity == crate::check::Severity::Error);
        self.recursive_definitions();
        self.deep_definitions();
        self.certain_conflicts();
        self.uncovered_definitions();
        self.never_permitted();
        self.dead_clauses();
        self.seen_after_all();
        // The error may stand where the decision or the ending was.
        if sound {
            self.withdrawn();
            let certain = self.certain();
            self.begun_elsewhere(&certain);
            self.kept_elsewhere(&certain);
            self.endless_loops();
            self.endless_games();
        }
        self.uncited();
        self.unseen_dependence();
        self.telling_skips();
        self.unused();
    }

    fn recursive_definitions(&mut self) {
        let mut calls: BTreeMap<DefId, Vec<Call>> = BTreeMap::new();
        for call in &self.def_calls {
            calls.entry(call.0).or_default().push(*call);
        }
        let mut told: Vec<DefId> = Vec::new();
        for start in rings(self.model.defs.len(), &self.def_calls) {
            if told.contains(&start) {
                continue;
            }
            let Some(path) = way_back(start, &calls) else { continue };
            let mut d: Option<Diagnostic> = None;
            for (from, to, span) in &path {
                told.push(*from);
                let words = format!("`{}` uses `{}`", self.model.defs[from.i()].name, self.model.defs[to.i()].name);
                d = Some(match d {
                    None => Diagnostic::error(
                        "law::recursive-definition",
                        format!("`{}` is defined by itself", self.model.defs[start.i()].name),
                        *span,
                        words,
                    ),
                    Some(d) => d.and(*span, words),
                });
            }
            if let Some(d) = d {
                self.report(
                    d.help("use `reach(LINKS, FROM, x where ...)` for unbounded iteration, or remove one of the calls"),
                );
            }
        }
    }

    fn uncited(&mut self) {
        if self.model.register.is_empty() {
            return;
        }
        let clauses: Vec<ClauseId> = (0..self.model.clauses.len()).map(|i| ClauseId(i as u16)).collect();
        for id in clauses {
            let c = &self.model.clauses[id.i()];
            let free = matches!(
                c.kind,
                ClauseKind::Choice | ClauseKind::Never | ClauseKind::Define | ClauseKind::Action | ClauseKind::Seen
            );
            let house_rule = self.is_overlay(c.span);
            if c.cites.is_empty() && !free && !house_rule && c.first.is_none() {
                let (title, span) = (self.model.whole_title(id), self.head(c.span));
                self.report(
                    Diagnostic::warning(
                        "law::uncited",
                        format!("`{title}` cites no clause of the rulebook"),
                        span,
                        "no citation here",
                    )
                    .help("write `cite ID` with an id of the register"),
                );
            }
        }
    }

    fn never_permitted(&mut self) {
        for i in 0..self.model.actions.len() {
            let a = &self.model.actions[i];
            if !a.may.is_empty() || self.unclear.names.contains(&a.name) || self.unclear.meant.contains(&a.name) {
                continue;
            }
            let (name, span) = (a.name.clone(), self.head(self.model.clauses[a.clause.i()].span));
            self.report(
                Diagnostic::error(
                    "law::never-permitted",
                    format!("no `may` ever permits `{name}`"),
                    span,
                    "nobody may do it",
                )
                .help(format!("write `may {name} \"LABEL\" cite ID when CONDITION`")),
            );
        }
    }

    /// Whether a symbol is used, including uses that the checker itself noted.
    pub(super) fn used(&self, s: Symbol) -> bool {
        match s {
            Symbol::Action(a) => self.offered.contains(&a),
            Symbol::Procedure(c) => self.called.contains(&c),
            Symbol::Ability(a) => !self.model.abilities[a.i()].holders.is_empty(),
            s => self.names.is_used(s),
        }
    }
}
