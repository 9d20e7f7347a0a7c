//! Limits the work between two decision points, so that rules whose answer would take for ever have a fault instead.

use std::sync::atomic::{AtomicU32, Ordering};

use super::eval::{Eval, Res, fault};
use super::note::Notes;
use crate::game::{Fault, FaultDetail, FaultKind, MAX_OPTIONS, MAX_WORK};
use crate::model::ClauseId;
use crate::span::Span;

/// The maximum number of steps at a partial position, where no values are kept and there is much to evaluate.
pub(super) const MAX_PARTIAL_WORK: u32 = 200_000;

/// What has been worked out so far.
#[derive(Debug)]
pub(super) enum Budget<'a> {
    /// For a question of its own.
    Own(u32),
    /// On a way of which other evaluations are a part too.
    Of(&'a AtomicU32),
}

impl Budget<'_> {
    /// How much it is.
    pub fn done(&self) -> u32 {
        match self {
            Budget::Own(n) => *n,
            Budget::Of(all) => all.load(Ordering::Relaxed),
        }
    }

    /// Says how much it is.
    pub fn set(&mut self, n: u32) {
        match self {
            Budget::Own(own) => *own = n,
            Budget::Of(all) => all.store(n, Ordering::Relaxed),
        }
    }
}

impl<N: Notes> Eval<'_, N> {
    /// Counts what is worked out.
    ///
    /// # Errors
    /// It is too much.
    #[inline]
    pub fn spend(&mut self, n: u32, span: Span) -> Res<()> {
        let done = self.work.done().saturating_add(n);
        self.work.set(done);
        if done > MAX_WORK { Err(too_long(span)) } else { Ok(()) }
    }
}

#[cold]
pub(super) fn too_long(span: Span) -> Box<Fault> {
    fault(FaultKind::TooLong, span, FaultDetail::TooMuchWork(MAX_WORK))
}

/// Too many options to list.
#[cold]
pub(super) fn too_many(clause: ClauseId, span: Span) -> Box<Fault> {
    Box::new(Fault {
        clauses: vec![clause],
        ..*fault(FaultKind::TooLong, span, FaultDetail::TooManyOptions(MAX_OPTIONS))
    })
}

/// Names the clause on account of which something took too long: in the end the one that was asked first.
pub(super) fn on_account_of(clause: ClauseId) -> impl Fn(Box<Fault>) -> Box<Fault> {
    move |mut fault| {
        if fault.kind == FaultKind::TooLong {
            fault.clauses = vec![clause];
        }
        fault
    }
}

/// The same, where no clause is named yet.
pub(super) fn at_least(clause: ClauseId) -> impl Fn(Box<Fault>) -> Box<Fault> {
    move |fault| if fault.clauses.is_empty() { on_account_of(clause)(fault) } else { fault }
}
