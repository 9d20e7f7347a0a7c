//! The instructions of one code while they are written.
//!
//! What the names of a block hold is gone when the block is left.
//!
//! It is cleared only before something can see it: at a decision point, or where other rules run. What a code still
//! holds when it is left is cleared with it.

use std::collections::BTreeSet;

use super::scope::Scope;
use super::{Checker, scope};
use crate::model::{self, Base, CodeId, Expr, Instr, InstrKind, Ty, VarId};
use crate::span::Span;
use crate::syntax::tree;

/// The instructions of one code while they are being written.
pub(super) struct Builder {
    pub(super) code: CodeId,
    pub(super) instrs: Vec<Instr>,
    pub(super) scope: Scope,
    pub(super) secret: Option<Vec<(VarId, u16, Expr)>>,
    /// Whether the last optional choice in `secretly` was made, and the variable it went into.
    pub(super) follow: Option<(Expr, Option<VarId>)>,
    /// Citations that its choices carry besides their own: those of its hook and ability.
    pub(super) cites: Vec<String>,
    /// The names of the enclosing blocks, innermost last.
    pub(super) names: Vec<VarId>,
    /// Variables that blocks already left may still hold.
    pub(super) stale: BTreeSet<VarId>,
}

/// Where a block began.
pub(super) struct Mark {
    scope: scope::Mark,
    names: usize,
}

impl Builder {
    /// Begins a code.
    pub(super) fn new(code: CodeId) -> Builder {
        let mut scope = Scope::default();
        scope.code = Some(code);
        scope.note_active(code);
        Builder {
            code,
            instrs: Vec::new(),
            scope,
            secret: None,
            follow: None,
            cites: Vec::new(),
            names: Vec::new(),
            stale: BTreeSet::new(),
        }
    }

    /// The index of the next instruction.
    pub(super) fn here(&self) -> u16 {
        self.instrs.len() as u16
    }

    /// Writes an instruction and returns its index.
    pub(super) fn push(&mut self, kind: impl Into<InstrKind>, span: Span) -> usize {
        let kind = kind.into();
        if sees(&kind) {
            self.clear_stale(span);
        }
        self.instrs.push(Instr { kind, span });
        self.instrs.len() - 1
    }

    /// Makes the jump at an index lead here.
    pub(super) fn land(&mut self, at: usize) {
        let here = self.here();
        if let Some(
            InstrKind::Jump(to)
            | InstrKind::Unless(_, to)
            | InstrKind::Instead(_, to)
            | InstrKind::Next { end: to, .. },
        ) = self.instrs.get_mut(at).map(|i| &mut i.kind)
        {
            *to = here;
        }
        if let Some(InstrKind::Choose(choose)) = self.instrs.get_mut(at).map(|i| &mut i.kind) {
            choose.leads.set_pass(here);
        }
    }

    /// Ends the code.
    pub(super) fn finish(mut self, c: &mut Checker, span: Span) {
        self.push(InstrKind::Return, span);
        c.relied.extend(self.scope.relied.drain(..).map(|r| (self.code, r)));
        if self.instrs.len() > usize::from(u16::MAX) {
            c.error("law::range", "this is too long to run", span, "more than 65,535 instructions");
            return;
        }
        let last = self.here() - 1;
        let code = &mut c.model.codes[self.code.i()];
        if !matches!(code.kind, model::CodeKind::Procedure) {
            code.finally = last;
        }
        code.instrs = self.instrs;
    }

    /// What a condition proves that holds when the code begins.
    pub(super) fn given(&mut self, c: &mut Checker, cond: Option<&tree::Expr>) {
        let Some(cond) = cond else { return };
        let found = c.truth(cond, &mut self.scope);
        self.scope.entering = true;
        c.narrow_by(found.as_ref(), &mut self.scope);
        self.scope.entering = false;
    }

    /// A name of the block, and the variable that it stands for.
    pub(super) fn name(&mut self, c: &mut Checker, word: &tree::Word, ty: Ty) -> VarId {
        let ty = Ty { optional: ty.optional && !matches!(ty.base, Base::Set(_) | Base::Bool), ..ty };
        let var = c.code_var(self.code, &word.text, ty, word.span);
        self.scope.bind_var(&word.text, var);
        self.names.push(var);
        var
    }

    /// A variable without a name.
    pub(super) fn helper(&mut self, c: &mut Checker, ty: Ty, span: Span) -> VarId {
        let n = c.model.vars.len();
        c.code_var(self.code, &format!("_{n}"), ty, span)
    }

    /// Begins a block.
    pub(super) fn enter(&self) -> Mark {
        Mark { scope: self.scope.mark(), names: self.names.len() }
    }

    /// Leaves a block: its names go out of scope.
    pub(super) fn leave(&mut self, mark: Mark) {
        self.scope.leave(mark.scope);
        self.stale.extend(self.names.drain(mark.names.min(self.names.len())..));
    }

    /// Clears variables of blocks that have been left.
    pub(super) fn clear_stale(&mut self, span: Span) {
        if !self.stale.is_empty() {
            let stale = std::mem::take(&mut self.stale).into_iter().collect();
            self.instrs.push(Instr { kind: InstrKind::Reset(stale), span });
        }
    }

    /// Ends the body of a loop that began at an instruction: the next iteration sees nothing of this one, except
    /// variables that it sets at once.
    pub(super) fn come_round(&mut self, start: u16, anew: Option<VarId>, span: Span) {
        if self.instrs[usize::from(start)..].iter().any(|i| sees(&i.kind)) {
            let anew = anew.and_then(|var| self.stale.take(&var));
            self.clear_stale(span);
            self.stale.extend(anew);
        }
    }

    /// `finish` may jump here from anywhere, so every inner block may have been left.
    pub(super) fn left_anywhere(&mut self, c: &Checker) {
        let known = |var: &VarId| {
            self.names.contains(var)
                || c.procedures.get(&self.code).is_some_and(|s| s.names.iter().any(|(_, own)| own == var))
        };
        let inside: Vec<VarId> = c.model.codes[self.code.i()].vars.iter().copied().filter(|v| !known(v)).collect();
        self.stale.extend(inside);
    }
}

/// Whether the variables of a code can be seen at an instruction: it may be a decision point, or other rules may run.
pub(super) fn sees(kind: &InstrKind) -> bool {
    kind.decides() || kind.runs_rules() || matches!(kind, InstrKind::Call(..))
}
