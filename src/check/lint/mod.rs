//! The checked game as a whole: what certainly clashes, is not covered, cannot happen, goes round, or is of no use.

mod conflict;
mod hidden;
mod reach;
mod unused;

use super::Checker;
use crate::check::Diagnostic;
use crate::check::names::Symbol;
use crate::model::{ClauseId, DefId};
use crate::syntax::tree::Decl;

impl Checker {
    /// Looks the whole over. Only what names and types left sound is looked at, so that one fault is not reported twice.
    pub(super) fn lint(&mut self, decls: &[Decl]) {
        self.recursive_definitions();
        self.certain_conflicts();
        self.uncovered_definitions();
        self.never_permitted();
        self.dead_clauses();
        self.endless_loops();
        self.endless_games();
        self.uncited();
        self.unseen_dependence();
        self.unused(decls);
    }

    fn recursive_definitions(&mut self) {
        let calls = self.def_calls.clone();
        let mut told: Vec<DefId> = Vec::new();
        for start in (0..self.model.defs.len()).map(|i| DefId(i as u16)) {
            if told.contains(&start) {
                continue;
            }
            let mut path = Vec::new();
            if !self.way_back(start, start, &calls, &mut path, &mut Vec::new()) {
                continue;
            }
            let mut d: Option<Diagnostic> = None;
            for (from, to, span) in &path {
                told.push(*from);
                let words = format!("`{}` asks `{}`", self.model.defs[from.i()].name, self.model.defs[to.i()].name);
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
                self.report(d.help(
                    "use `reach(LINKS, FROM, x where ...)` for what goes on and on, or take one of the calls away",
                ));
            }
        }
    }

    fn way_back(
        &self,
        at: DefId,
        goal: DefId,
        calls: &[(DefId, DefId, crate::span::Span)],
        path: &mut Vec<(DefId, DefId, crate::span::Span)>,
        seen: &mut Vec<DefId>,
    ) -> bool {
        for call in calls.iter().filter(|c| c.0 == at) {
            path.push(*call);
            if call.1 == goal {
                return true;
            }
            if !seen.contains(&call.1) {
                seen.push(call.1);
                if self.way_back(call.1, goal, calls, path, seen) {
                    return true;
                }
            }
            path.pop();
        }
        false
    }

    fn uncited(&mut self) {
        if self.model.register.is_empty() {
            return;
        }
        let clauses: Vec<ClauseId> = (0..self.model.clauses.len()).map(|i| ClauseId(i as u16)).collect();
        for id in clauses {
            let c = &self.model.clauses[id.i()];
            let free = c.head == "choice"
                || c.head == "never"
                || c.head.starts_with("define")
                || c.head.starts_with("action")
                || c.head.starts_with("seen");
            if c.cites.is_empty() && !free {
                let (title, span) = (self.model.clause_title(id, ""), c.span);
                self.report(
                    Diagnostic::warning(
                        "law::uncited",
                        format!("`{title}` cites no clause of the rulebook"),
                        span,
                        "why is it so?",
                    )
                    .help("write `cite ID` with an id of the register"),
                );
            }
        }
    }

    fn never_permitted(&mut self) {
        for i in 0..self.model.actions.len() {
            let a = &self.model.actions[i];
            if !a.may.is_empty() {
                continue;
            }
            let (name, span) = (a.name.clone(), self.model.clauses[a.clause.i()].span);
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

    /// Whether a symbol is used, counting what the checker itself noted.
    pub(super) fn used(&self, s: Symbol) -> bool {
        match s {
            Symbol::Action(a) => self.offered.contains(&a),
            Symbol::Procedure(c) => self.called.contains(&c),
            Symbol::Ability(a) => !self.model.abilities[a.i()].holders.is_empty(),
            s => self.names.is_used(s),
        }
    }
}
