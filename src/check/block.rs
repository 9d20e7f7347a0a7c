//! The names of a block: what they hold is gone when the block is left.
//!
//! It is cleared only before something can see it: where play may rest, or other rules run. What a code still holds when it is left is cleared with it.

use super::stmt::Builder;
use super::{Checker, scope};
use crate::model::{Instr, InstrKind, VarId};
use crate::span::Span;

/// Where a block began.
pub(super) struct Mark {
    scope: scope::Mark,
    names: usize,
}

impl Builder {
    /// Begins a block.
    pub(super) fn enter(&self) -> Mark {
        Mark { scope: self.scope.mark(), names: self.names.len() }
    }

    /// Leaves a block: its names mean nothing any more.
    pub(super) fn leave(&mut self, mark: Mark) {
        self.scope.leave(mark.scope);
        self.stale.extend(self.names.drain(mark.names.min(self.names.len())..));
    }

    /// Clears what blocks that have been left may still hold.
    pub(super) fn clear_stale(&mut self, span: Span) {
        if !self.stale.is_empty() {
            let stale = std::mem::take(&mut self.stale).into_iter().collect();
            self.instrs.push(Instr { kind: InstrKind::Reset(stale), span });
        }
    }

    /// Ends the body of a loop that began at an instruction: the next time round sees nothing of this one, but for what is given anew at once.
    pub(super) fn come_round(&mut self, start: u16, anew: Option<VarId>, span: Span) {
        if self.instrs[usize::from(start)..].iter().any(|i| sees(&i.kind)) {
            let anew = anew.and_then(|var| self.stale.take(&var));
            self.clear_stale(span);
            self.stale.extend(anew);
        }
    }

    /// Here `finish` may come from anywhere: every block inside may have been left.
    pub(super) fn left_anywhere(&mut self, c: &Checker) {
        let known = |var: &VarId| {
            self.names.contains(var)
                || c.procedures.get(&self.code).is_some_and(|s| s.names.iter().any(|(_, own)| own == var))
        };
        let inside: Vec<VarId> = c.model.codes[self.code.i()].vars.iter().copied().filter(|v| !known(v)).collect();
        self.stale.extend(inside);
    }
}

/// Whether what the variables of a code hold can be seen at an instruction: play may rest at it, or other rules run.
pub(super) fn sees(kind: &InstrKind) -> bool {
    kind.decides() || kind.runs_rules() || matches!(kind, InstrKind::Call(..))
}
