//! Clauses that can never apply, and loops and games that need not end.

use std::collections::BTreeSet;

use crate::check::{Checker, Diagnostic, logic};
use crate::model::{CallGraph, ClauseId, CodeId, CodeKind, Expr, ExprKind, InstrKind, Value, VarId, VarOwner};
use crate::span::Span;

impl Checker {
    /// Clauses whose condition can never hold, abilities that nobody has, hooks on procedures that never run.
    pub(super) fn dead_clauses(&mut self) {
        let mut found = Vec::new();
        for (i, c) in self.model.clauses.iter().enumerate() {
            if let Some((never, other)) = logic::never(&c.when) {
                found.push((self.model.whole_title(crate::model::ClauseId(i as u16)), never, other));
            }
        }
        for (title, never, other) in found {
            let message = format!("`{title}` can never apply");
            let d = match other {
                None => Diagnostic::warning("law::dead", message, never, "this can never hold"),
                Some(other) => Diagnostic::warning("law::dead", message, never, "this can never hold")
                    .and(other, "it contradicts this"),
            };
            self.report(d.help("change its condition, or remove the clause"));
        }
        let nobody: Vec<_> = self
            .model
            .abilities
            .iter()
            .filter(|a| a.holders.is_empty() && !self.out.iter().any(|d| d.labels.iter().any(|l| l.0 == a.span)))
            .map(|a| (a.label.text.clone(), a.span))
            .collect();
        for (label, span) in nobody {
            self.report(
                Diagnostic::warning(
                    "law::dead",
                    format!("the ability \"{label}\" can never apply"),
                    self.head(span),
                    "nobody has it",
                )
                .help("write `has NAME` in the block of a member, or remove the ability"),
            );
        }
    }

    /// Loops that contain neither a decision nor chance.
    pub(super) fn endless_loops(&mut self) {
        let deciding = CallGraph::new(&self.model).deciding(&self.model);
        for (code, start, end, span) in self.whiles.clone() {
            let body = &self.model.codes[code.i()].instrs;
            let body = body.get(start as usize..end as usize).unwrap_or(&[]);
            if body.iter().any(|i| i.kind.decides() || i.kind.begins(&self.model).iter().any(|c| deciding.contains(c)))
            {
                continue;
            }
            self.report(
                Diagnostic::error(
                    "law::endless-loop",
                    "this loop need not end",
                    span,
                    "no decision and no chance inside",
                )
                .help("use `for x in SET`, which ends, or let someone decide inside"),
            );
        }
    }

    /// A game that can go on for ever must have an ending that some counter brings about.
    pub(super) fn endless_games(&mut self) {
        let lost = self.lost_endings();
        for (clause, at, var) in &lost {
            if self.is_told_dead(*clause) {
                continue;
            }
            let title = self.model.clause_title(*clause, "");
            let name = self.model.vars[var.i()].name.clone();
            self.report(
                Diagnostic::warning(
                    "law::dead",
                    format!("`{title}` can never apply"),
                    *at,
                    format!("this does not hold at the start, and nothing changes `{name}`"),
                )
                .help(format!("change `{name}` somewhere in the rules, or the condition")),
            );
        }
        let Some((.., span)) = self.whiles.iter().find(|(code, start, ..)| self.forever(*code, *start)).copied() else {
            return;
        };
        if self.model.ends.iter().all(|e| self.is_lost(e.clause, &lost)) {
            self.report(
                Diagnostic::warning("law::endless-game", "this game can never end", span, "this repeats for ever")
                    .help("write an ending that play can bring about: `ends draw \"...\" when turns >= 500`"),
            );
            return;
        }
        let counters = self.counters();
        let bounded = self.model.ends.iter().any(|e| {
            self.model.clauses[e.clause.i()].when.iter().any(|w| {
                let mut hit = false;
                w.walk(&mut |e| {
                    if let ExprKind::Compare(_, a, b) = &e.kind {
                        hit |= [a, b]
                            .iter()
                            .any(|x| matches!(&x.kind, ExprKind::Var { var, .. } if counters.contains(var)));
                    }
                });
                hit
            })
        });
        if !bounded {
            self.report(
                Diagnostic::warning("law::endless-game", "this game may never end", span, "this may repeat for ever")
                    .help("count the turns and write `ends draw \"...\" when turns >= 500`"),
            );
        }
    }

    /// Endings with a part of their condition that is false as the game begins and that nothing changes, with a
    /// variable in it.
    fn lost_endings(&self) -> Vec<(ClauseId, Span, VarId)> {
        let codes = self.model.codes.iter().filter(|c| c.kind != CodeKind::Entry);
        let instrs = codes.flat_map(|c| &c.instrs).filter(|i| !keeps(&i.kind));
        let written: BTreeSet<VarId> = instrs.flat_map(|i| i.kind.writes()).collect();
        let ends =
            self.model.ends.iter().flat_map(|e| self.model.clauses[e.clause.i()].when.iter().map(|w| (e.clause, w)));
        let mut found: Vec<(ClauseId, Span, VarId)> = Vec::new();
        for (clause, part) in ends {
            let mut read = None;
            let fails = self.fixed(part, &written, &mut read).is_some_and(|v| !v.truth());
            if let (true, Some(var)) = (fails && found.iter().all(|(c, ..)| *c != clause), read) {
                found.push((clause, part.span, var));
            }
        }
        found
    }

    /// Whether something in the clause was reported that can never hold.
    fn is_told_dead(&self, clause: ClauseId) -> bool {
        let whole = self.model.clauses[clause.i()].span;
        let inside = |at: &Span| at.file == whole.file && whole.start <= at.start && at.end <= whole.end;
        self.out.iter().any(|d| d.code == "law::dead" && d.labels.iter().any(|(at, _)| inside(at)))
    }

    fn is_lost(&self, ending: ClauseId, lost: &[(ClauseId, Span, VarId)]) -> bool {
        lost.iter().any(|(c, ..)| *c == ending) || logic::never(&self.model.clauses[ending.i()].when).is_some()
    }

    /// The value of an expression that rests only on variables that nothing writes; the last of them into `read`.
    fn fixed(&self, e: &Expr, written: &BTreeSet<VarId>, read: &mut Option<VarId>) -> Option<Value> {
        match &e.kind {
            ExprKind::Const(v) => Some(v.clone()),
            ExprKind::Var { var, index: None } if !written.contains(var) => {
                let variable = &self.model.vars[var.i()];
                let begins = match (&variable.owner, &variable.init) {
                    (VarOwner::Game, Some(init)) => init,
                    _ => return None,
                };
                *read = Some(*var);
                self.fixed(begins, written, read)
            }
            ExprKind::Not(of) => self.fixed(of, written, read).map(|v| Value::bool(!v.truth())),
            ExprKind::Equal(a, b, positive) => {
                let (a, b) = (self.fixed(a, written, read)?, self.fixed(b, written, read)?);
                Some(Value::bool((a == b) == *positive))
            }
            ExprKind::Compare(order, a, b) => {
                let (a, b) = (self.fixed(a, written, read)?.int()?, self.fixed(b, written, read)?.int()?);
                Some(Value::bool(order.holds(a, b)))
            }
            _ => None,
        }
    }

    fn forever(&self, code: CodeId, start: u16) -> bool {
        let instr = self.model.codes[code.i()].instrs.get(start as usize);
        let kind = instr.map(|i| &i.kind);
        matches!(kind, Some(InstrKind::Unless(e, _)) if crate::check::endings::constant_truth(e) == Some(true))
    }

    /// Variables that are only increased or set to constants.
    fn counters(&self) -> BTreeSet<VarId> {
        let mut up = BTreeSet::new();
        let mut other = BTreeSet::new();
        for instr in self.model.codes.iter().flat_map(|c| &c.instrs) {
            if let InstrKind::Set(target, value) = &instr.kind {
                if counts_up(target.var, value) {
                    up.insert(target.var);
                } else if !matches!(value.kind, ExprKind::Const(_)) {
                    other.insert(target.var);
                }
            }
        }
        up.difference(&other).copied().collect()
    }
}

/// Whether an instruction sets a variable to what it is.
fn keeps(kind: &InstrKind) -> bool {
    matches!(kind, InstrKind::Set(to, Expr { kind: ExprKind::Var { var, index: None }, .. }) if *var == to.var)
}

fn counts_up(var: VarId, value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Arith(crate::model::Arith::Add, a, b) => {
            matches!(&a.kind, ExprKind::Var { var: v, .. } if *v == var)
                && matches!(&b.kind, ExprKind::Const(Value::Int(n)) if *n > 0)
        }
        _ => false,
    }
}
