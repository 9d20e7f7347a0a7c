//! Variables that are kept only in a procedure: `var used[u: Unit]: Bool in turn = false`.
//!
//! Where the procedure is left, they have their first values again. Where it is not active nothing changes them, so
//! they still have them when it begins.

use std::collections::BTreeMap;

use super::Checker;
use super::builder::Builder;
use super::during::{Certain, Site};
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{CallGraph, CodeId, InstrKind, VarId};
use crate::span::Span;
use crate::syntax::tree::Word;

/// A variable that is kept only in a procedure.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) var: VarId,
    pub(super) code: CodeId,
    /// Where the procedure is named.
    span: Span,
}

/// A change of one.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) var: VarId,
    /// Where it is changed.
    pub(super) at: Site,
}

impl Checker {
    /// Notes that a variable is kept only in a procedure.
    pub(super) fn keep(&mut self, var: VarId, during: Option<&Word>) {
        let Some(word) = during else { return };
        let Some(code) = self.procedure_named(word) else { return };
        self.kept.push(Kept { var, code, span: word.span });
    }

    /// Reports a variable of a procedure, or a printed field, with `in PROCEDURE` after its type.
    pub(super) fn not_kept(&mut self, during: Option<&Word>, what: &str, help: &str) {
        let Some(word) = during else { return };
        let message = format!("{what} cannot be kept in a procedure");
        self.report(Diagnostic::error("law::type", message, word.span, "not here").help(help));
    }

    /// The variables that are kept in a procedure.
    fn those_kept_in(&self, code: CodeId) -> Vec<VarId> {
        self.kept.iter().filter(|kept| kept.code == code).map(|kept| kept.var).collect()
    }

    /// Notes a change of a variable that is kept in a procedure.
    pub(super) fn note_change(&mut self, var: VarId, span: Span, sc: &Scope) {
        if let Some(code) = sc.code
            && self.kept.iter().any(|kept| kept.var == var)
        {
            self.changed.push(Changed { var, at: Site { code, active: sc.active().to_vec(), span } });
        }
    }

    /// Reports what would not have its first value where its procedure is not active.
    pub(super) fn kept_elsewhere(&mut self, certain: &[Certain]) {
        for Kept { var, code, span } in self.kept.clone() {
            let (name, of) = (self.model.vars[var.i()].name.clone(), self.model.codes[code.i()].name.clone());
            if self.model.codes[code.i()].nested > 1 {
                let message = format!("`{of}` can be active several times, and `{name}` is kept only once");
                let help = format!("declare the variable in the block of `{of}`: then each has its own");
                self.report(Diagnostic::error("law::type", message, span, "the inner one would end it").help(help));
            }
            if let Some(init) = self.model.vars[var.i()].init.clone()
                && !self.model.read_by(&init).is_empty()
            {
                let message = format!("the first value of `{name}` depends on what changes");
                let help = format!("write a constant, and set the variable where `{of}` begins");
                self.report(Diagnostic::error("law::type", message, init.span, "not a constant").help(help));
            }
            let elsewhere = |c: &&Changed| c.var == var && c.at.may_lack(certain, code);
            let places: Vec<Site> = self.changed.iter().filter(elsewhere).map(|c| c.at.clone()).collect();
            for place in places {
                let message = format!("`{name}` is kept only in `{of}`, which may not be active here");
                let label = format!("is `{of}` active?");
                let mut d = Diagnostic::error("law::nothing", message, place.span, label);
                if let Some((span, words)) = self.also_begun(certain, place.code, code) {
                    d = d.and(span, words);
                }
                let help = self.ask_whether_on(code);
                self.report(d.help(help));
            }
        }
    }

    /// Where a procedure is left by `finish` although others are active inside it, these are left without an end of
    /// their own. What is kept in them ends there.
    pub(super) fn end_kept(&mut self) {
        if self.kept.is_empty() {
            return;
        }
        let calls = CallGraph::new(&self.model);
        let mut found: BTreeMap<CodeId, Vec<VarId>> = BTreeMap::new();
        for (i, code) in self.model.codes.iter().enumerate() {
            let from = CodeId(i as u16);
            let finished = code.instrs.iter().filter_map(|instr| match instr.kind {
                InstrKind::Finish(of) => Some(of),
                _ => None,
            });
            for of in finished {
                let left = self.kept.iter().filter(|kept| {
                    let between = kept.code != of && calls.reaches(of, kept.code);
                    between && (from == kept.code || calls.reaches(kept.code, from))
                });
                found.entry(of).or_default().extend(left.map(|kept| kept.var));
            }
        }
        for (of, mut vars) in found {
            vars.sort_unstable();
            vars.dedup();
            let code = &mut self.model.codes[of.i()];
            if let Some(instr) = code.instrs.get_mut(usize::from(code.finally))
                && let InstrKind::Reset(reset) = &mut instr.kind
            {
                reset.extend(vars);
            }
        }
    }
}

impl Builder {
    /// The place where what is kept in inner procedures ends; see [`Checker::end_kept`].
    pub(super) fn end_inner(&mut self, c: &Checker, span: Span) {
        if !c.kept.is_empty() {
            self.push(InstrKind::Reset(Vec::new()), span);
        }
    }

    /// What is kept in a procedure ends with it.
    pub(super) fn end_own(&mut self, c: &Checker, code: CodeId, span: Span) {
        let vars = c.those_kept_in(code);
        if !vars.is_empty() {
            self.push(InstrKind::Reset(vars), span);
        }
    }
}

/// Whether a name is that of a procedure: `in` stands in a wrong place.
pub(super) fn is_procedure(c: &Checker, word: &Word, sc: &Scope) -> bool {
    sc.get(&word.text).is_none() && matches!(c.names.get(&word.text), Some(Symbol::Procedure(_)))
}
