//! What a condition told to be there, and what may be nothing again by the time it is used.

use std::collections::BTreeSet;

use crate::check::scope::Relied;
use crate::check::{Checker, Diagnostic};
use crate::model::{Code, CodeId, Expr, ExprKind, Instr, InstrKind, VarId};
use crate::span::Span;

impl Checker {
    /// Reports expressions that count as there because a condition says so, where something may have changed them since.
    pub(super) fn withdrawn(&mut self) {
        let mut found: Vec<(Span, Span)> = Vec::new();
        for (code, relied) in &self.relied {
            if let Some(change) = self.change_between(*code, relied)
                && !found.iter().any(|(span, _)| *span == relied.of.span)
            {
                found.push((relied.of.span, change));
            }
        }
        for (span, change) in found {
            let text = self.model.sources.line(span);
            self.report(
                Diagnostic::error(
                    "law::nothing",
                    format!("`{text}` may be nothing by then"),
                    span,
                    "relies on the condition",
                )
                .and(self.head(change), "this may change it first")
                .help(format!("keep it under a name before it changes: `let it = {text}`, or ask again")),
            );
        }
    }

    /// An instruction that may change what a condition told, on a way from the condition to the place that relies on it.
    fn change_between(&self, code: CodeId, relied: &Relied) -> Option<Span> {
        let code = self.model.codes.get(code.i())?;
        let reads = self.model.read_by(&relied.of);
        let after = self.reached(code, relied.since, relied.since);
        let changing = after.iter().filter_map(|at| Some((*at, code.instrs.get(usize::from(*at))?)));
        changing
            .filter(|(_, instr)| self.may_withdraw(instr, &relied.of, &reads))
            .find(|(at, _)| self.reached(code, *at, relied.since).contains(&relied.at))
            .map(|(_, instr)| instr.span)
    }

    /// The instructions that can come after one, without passing another again.
    fn reached(&self, code: &Code, from: u16, without: u16) -> BTreeSet<u16> {
        let next = |at: u16| code.instrs.get(usize::from(at)).map(|i| i.kind.next(at)).unwrap_or_default();
        let (mut seen, mut todo) = (BTreeSet::new(), next(from));
        while let Some(at) = todo.pop() {
            if at != without && seen.insert(at) {
                todo.extend(next(at));
            }
        }
        seen
    }

    fn may_withdraw(&self, instr: &Instr, of: &Expr, reads: &BTreeSet<VarId>) -> bool {
        if let (InstrKind::Set(to, value), ExprKind::Var { var, index }) = (&instr.kind, &of.kind)
            && to.var == *var
            && !value.ty.optional
            && index.as_ref().is_none_or(|i| !self.model.read_by(i).contains(var))
        {
            // Whichever entry it is, a value is there afterwards.
            return false;
        }
        let begun = instr.kind.begins(&self.model);
        instr.kind.writes().iter().any(|v| reads.contains(v))
            || begun.into_iter().any(|c| !self.model.written_by(c).is_disjoint(reads))
    }
}
