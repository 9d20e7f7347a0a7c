//! Clauses that can never apply, and loops and games that need not end.

use std::collections::BTreeSet;

use crate::check::{Checker, Diagnostic, logic};
use crate::model::{CallGraph, CodeId, Expr, ExprKind, InstrKind, Value, VarId};

impl Checker {
    /// Clauses whose condition can never hold, abilities that nobody has, hooks on procedures that never run.
    pub(super) fn dead_clauses(&mut self) {
        let mut found = Vec::new();
        for (i, c) in self.model.clauses.iter().enumerate() {
            if let Some((never, other)) = logic::never(&c.when) {
                found.push((self.model.clause_title(crate::model::ClauseId(i as u16), ""), never, other));
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
        let Some((.., span)) = self.whiles.iter().find(|(code, start, ..)| self.forever(*code, *start)).copied() else {
            return;
        };
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

    fn forever(&self, code: CodeId, start: u16) -> bool {
        let instr = self.model.codes[code.i()].instrs.get(start as usize);
        matches!(instr.map(|i| &i.kind), Some(InstrKind::Unless(e, _)) if crate::check::endings::constant_truth(e) == Some(true))
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

fn counts_up(var: VarId, value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Arith(crate::model::Arith::Add, a, b) => {
            matches!(&a.kind, ExprKind::Var { var: v, .. } if *v == var)
                && matches!(&b.kind, ExprKind::Const(Value::Int(n)) if *n > 0)
        }
        _ => false,
    }
}
