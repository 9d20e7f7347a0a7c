//! The names of a block: what they hold is gone when the block is left.
//!
//! They are cleared only before something can see them: before a decision point, or before other rules run. What a code
//! still holds when it is left is cleared with its frame.

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
    matches!(
        kind,
        InstrKind::Choose(_)
            | InstrKind::Chance(_)
            | InstrKind::Call(..)
            | InstrKind::Hook(_)
            | InstrKind::Unranked(_)
            | InstrKind::Instead(..)
            | InstrKind::StepEnd(_)
    )
}
