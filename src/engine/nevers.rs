//! `never`s as trees, for whoever asks many positions whether one is broken: the bots that draw worlds.

use super::cost::takes_too_long;
use super::eval::{Ev, Scratch};
use super::fallback::Fallback;
use super::ir::{Cond, Shared};
use super::lower::{Env, Local, Low, Lower};
use crate::model::{Asked, ClauseId, Model, SMALL_STACK_DEPTH};

/// The `never`s of a game, lowered under its options and readings, apart from what plays the game: play asks none of
/// them.
#[derive(Debug)]
pub(super) struct Nevers {
    shared: Shared,
    slots: usize,
    sets: usize,
    /// For each `never` its condition for each holder; nothing if the explaining evaluator is to answer.
    all: Vec<(ClauseId, Option<Vec<Cond>>)>,
}

impl Nevers {
    /// All of them, lowered.
    pub fn new(model: &Model, config: &[i32]) -> Nevers {
        let mut low = Lower::new(model, config);
        let deep = model.levels.iter().copied().max().unwrap_or(0) > SMALL_STACK_DEPTH;
        let lowered: Vec<_> = (model.nevers.iter())
            .map(|never| never.clause)
            .map(|never| (never, (!deep && !looks_ahead(model, never)).then(|| low.never(never)).and_then(Result::ok)))
            .collect();
        let (shared, spans) = (std::mem::take(&mut low.shared), std::mem::take(&mut low.scratch.spans));
        let bearable = |conds: &Vec<Cond>| !conds.iter().any(|cond| takes_too_long(&shared, &spans, cond));
        let all = lowered.into_iter().map(|(never, conds)| (never, conds.filter(bearable))).collect();
        Nevers { slots: low.scratch.slots.len(), sets: low.scratch.sets.len(), shared, all }
    }

    /// How many numbers and how many sets it needs while it evaluates.
    pub fn room(&self) -> (usize, usize) {
        (self.slots, self.sets)
    }

    /// Whether the condition of a `never` holds.
    ///
    /// # Errors
    /// The explaining evaluator is to tell it.
    pub fn holds(&self, never: ClauseId, scratch: &Scratch, bytes: &[u8]) -> Result<bool, Fallback> {
        let of = self.all.iter().find(|(clause, _)| *clause == never);
        let conds = of.and_then(|(_, conds)| conds.as_ref()).ok_or(Fallback::Form)?;
        let ev = Ev { bytes, shared: &self.shared, scratch, no_legal: false, winners: 0, program: None };
        let holds = conds.iter().any(|cond| ev.cond(cond));
        if scratch.failed.get() { Err(Fallback::Failure) } else { Ok(holds) }
    }
}

impl Lower<'_> {
    fn never(&mut self, never: ClauseId) -> Low<Vec<Cond>> {
        let of = |low: &mut Self, holder: Option<u16>| {
            low.applies(never, holder.map(|h| Local::Const(i32::from(h))), &mut Env::default())
        };
        self.model.holders(never).map(|holder| of(self, holder)).collect()
    }
}

/// Whether a clause depends on what is legal or on what follows from an action. Only the trees that play the game know
/// that.
fn looks_ahead(model: &Model, clause: ClauseId) -> bool {
    let mut looks = false;
    model.walk_clause(clause, &mut std::collections::BTreeSet::new(), &mut |asked| {
        looks |= matches!(asked, Asked::Expr(expr) if expr.kind.looks_ahead());
    });
    looks
}
