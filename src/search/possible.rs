//! What a seat can tell of positions, and which worlds it cannot rule out.

use std::collections::BTreeSet;
use std::hash::Hash as _;

use crate::game::{Choice, Evaluator as _, Fault, Position, Turn};
use crate::model::{Asked, ClauseId, Expr, ExprKind, Model, VarId};
use crate::rules::Evaluators;

/// A hash of what a seat sees. Two positions that it cannot tell apart have the same hash. The order of the options
/// does not matter.
#[must_use]
pub fn seen(rules: &Evaluators, position: &Position, seat: u16, memory: u64) -> u64 {
    if !rules.model().hides() {
        return xxhash_rust::xxh3::xxh3_64_with_seed(position.bytes(), memory);
    }
    seen_of(rules, position, seat, memory, None)
}

/// The same of some variables only, and of the options.
fn seen_of(rules: &Evaluators, position: &Position, seat: u16, memory: u64, only: Option<&BTreeSet<VarId>>) -> u64 {
    let mut view = rules.explainer().view_with(position, seat, own_options(rules, position, seat), only);
    if let Some(options) = view.question.as_mut().and_then(|q| q.options.as_mut()) {
        options.sort();
    }
    let mut hasher = xxhash_rust::xxh3::Xxh3::with_seed(memory);
    view.hash(&mut hasher);
    hasher.digest()
}

/// The options of a seat in words, if it decides and anything is ever hidden.
pub(super) fn said(rules: &Evaluators, position: &Position, seat: u16) -> Vec<String> {
    match rules.model().hides() {
        true => rules.explainer().say_each(position, seat, &own_options(rules, position, seat), ""),
        false => Vec::new(),
    }
}

/// The options of a seat; none if it does not decide.
fn own_options(rules: &Evaluators, position: &Position, seat: u16) -> Vec<Choice> {
    match rules.turn(position) {
        Ok(Turn::Seat(own)) if own == seat => rules.options(position).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// What a world must share with a position, so that a seat cannot rule it out: what the seat sees, and that no `never`
/// is broken which the position keeps. Only what the variables that may differ bear on is compared.
pub struct Possible<'a> {
    rules: &'a Evaluators,
    seat: u16,
    /// The variables of which the seat's view is compared; all if `None`.
    only: Option<&'a BTreeSet<VarId>>,
    look: u64,
    /// The `never`s that the position keeps, and that a world may break.
    kept: Vec<ClauseId>,
}

impl<'a> Possible<'a> {
    /// Worlds that differ from a position only in some variables.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn new(
        rules: &'a Evaluators,
        position: &Position,
        seat: u16,
        touched: &'a BTreeSet<VarId>,
    ) -> Result<Possible<'a>, Fault> {
        let model = rules.model();
        let only = (!sight_reads(model, touched)).then_some(touched);
        let look = seen_of(rules, position, seat, 0, only);
        let read = model.nevers.iter().map(|never| never.clause).filter(|never| {
            let mut reads = Reads { touched, any: false };
            model.walk_clause(*never, &mut BTreeSet::new(), &mut |asked| reads.note(asked));
            reads.any
        });
        let mut kept: Vec<ClauseId> = read.collect();
        let broken = rules.nevers_of(position, kept.iter().copied())?;
        kept.retain(|never| !broken.contains(never));
        Ok(Possible { rules, seat, only, look, kept })
    }

    /// Whether the seat cannot rule out a world.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn allows(&self, world: &Position) -> Result<bool, Fault> {
        let broken = self.rules.nevers_of(world, self.kept.iter().copied())?;
        Ok(broken.is_empty() && seen_of(self.rules, world, self.seat, 0, self.only) == self.look)
    }
}

/// Whether what a seat may see depends on one of some variables.
fn sight_reads(model: &Model, touched: &BTreeSet<VarId>) -> bool {
    let mut reads = Reads { touched, any: false };
    let mut defs = BTreeSet::new();
    model.seen.iter().for_each(|seen| model.walk_clause(seen.clause, &mut defs, &mut |asked| reads.note(asked)));
    for secret in &model.secrets {
        let parts = std::iter::once(&secret.seat).chain(&secret.until);
        parts.for_each(|e| model.walk_asked(e, &mut defs, &mut |asked| reads.note(asked)));
    }
    reads.any
}

/// Whether something depends on one of some variables.
struct Reads<'t> {
    touched: &'t BTreeSet<VarId>,
    any: bool,
}

impl Reads<'_> {
    fn note(&mut self, asked: Asked<'_>) {
        self.any |= match asked {
            Asked::Limit(var) => self.touched.contains(&var),
            Asked::Expr(Expr { kind, .. }) => match kind {
                ExprKind::Var { var, .. } | ExprKind::Top(var, _) => self.touched.contains(var),
                kind => kind.looks_ahead(),
            },
        };
    }
}
