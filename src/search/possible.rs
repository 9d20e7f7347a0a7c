//! What a seat can tell of positions, and which worlds it cannot rule out.

use std::collections::BTreeSet;
use std::hash::Hash as _;

use crate::explain::Sightings;
use crate::game::{Choice, Evaluator as _, Fault, Position, SeenOption};
use crate::model::{Asked, ClauseId, Expr, ExprKind, Model, VarId};
use crate::rules::Evaluators;

/// A hash of what a seat sees. Two positions that it cannot tell apart have the same hash. The order of the options
/// does not matter.
#[must_use]
pub fn seen(rules: &Evaluators, position: &Position, seat: u16, memory: u64) -> u64 {
    if !rules.model().hides() {
        return xxhash_rust::xxh3::xxh3_64_with_seed(position.bytes(), memory);
    }
    let options = rules.own_options(position, seat).unwrap_or_default();
    hash_of(rules, position, seat, options, memory, None, &rules.sightings(position, seat))
}

/// The same of some variables only, and of the options.
fn hash_of(
    rules: &Evaluators,
    position: &Position,
    seat: u16,
    options: Vec<Choice>,
    memory: u64,
    only: Option<&BTreeSet<VarId>>,
    found: &Sightings<'_>,
) -> u64 {
    let mut view = rules.explainer().view_with(position, seat, options, only, found);
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
        true => {
            let options = rules.own_options(position, seat).unwrap_or_default();
            rules.explainer().say_each(position, seat, &options, "")
        }
        false => Vec::new(),
    }
}

/// What a world must share with a position, so that a seat cannot rule it out: what the seat sees, and that no `never`
/// is broken which the position keeps.
pub struct Possible<'a> {
    rules: &'a Evaluators,
    seat: u16,
    /// The variables in which worlds may differ.
    touched: &'a BTreeSet<VarId>,
    /// What the seat sees, if that is the same in all worlds: then only the view of `touched` is compared.
    same: Option<Sightings<'a>>,
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
        position: &'a Position,
        seat: u16,
        touched: &'a BTreeSet<VarId>,
    ) -> Result<Possible<'a>, Fault> {
        let model = rules.model();
        let same = (!sight_reads(model, touched)).then(|| rules.sightings(position, seat));
        let read = model.nevers.iter().map(|never| never.clause).filter(|never| {
            let mut reads = Reads { touched, any: false };
            model.walk_clause(*never, &mut BTreeSet::new(), &mut |asked| reads.note(asked));
            reads.any
        });
        let mut kept: Vec<ClauseId> = read.collect();
        let broken = rules.nevers_of(position, kept.iter().copied())?;
        kept.retain(|never| !broken.contains(never));
        let mut possible = Possible { rules, seat, touched, same, look: 0, kept };
        let options = rules.own_options(position, seat).unwrap_or_default();
        possible.look = possible.look(position, options, &rules.sightings(position, seat));
        Ok(possible)
    }

    /// Whether the seat cannot rule out a world.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn allows(&self, world: &Position) -> Result<bool, Fault> {
        Ok(self.options_found(world, &self.rules.sightings(world, self.seat))?.is_some())
    }

    /// The options in a world as the seat reads them; `None` if it can rule out the world.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn options(&self, world: &Position) -> Result<Option<Vec<SeenOption>>, Fault> {
        let here = self.rules.sightings(world, self.seat);
        let options = self.options_found(world, &here)?;
        let found = self.same.as_ref().unwrap_or(&here);
        Ok(options.map(|options| self.rules.explainer().as_seen(world, options, self.seat, "", found)))
    }

    /// The options in a world, unless the seat can rule it out; `here` is for what it sees there.
    fn options_found(&self, world: &Position, here: &Sightings<'_>) -> Result<Option<Vec<Choice>>, Fault> {
        if !self.rules.nevers_of(world, self.kept.iter().copied())?.is_empty() {
            return Ok(None);
        }
        let options = self.rules.own_options(world, self.seat).unwrap_or_default();
        Ok((self.look(world, options.clone(), here) == self.look).then_some(options))
    }

    /// A hash of what the seat sees of what worlds may differ in.
    fn look(&self, world: &Position, options: Vec<Choice>, here: &Sightings<'_>) -> u64 {
        let only = self.same.is_some().then_some(self.touched);
        hash_of(self.rules, world, self.seat, options, 0, only, self.same.as_ref().unwrap_or(here))
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
