//! What a seat can tell of positions, and which worlds it cannot rule out.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::hash::Hash as _;

use super::scope::Scope;
use crate::explain::Sightings;
use crate::game::{Choice, Evaluator as _, Fault, Position, SeenOption, SeenQuestion};
use crate::model::{Asked, ClauseId, Model};
use crate::rules::Evaluators;

/// A hash of what a seat sees. Two positions that it cannot tell apart have the same hash. The order of the options
/// does not matter.
#[must_use]
pub fn seen(rules: &Evaluators, position: &Position, seat: u16, memory: u64) -> u64 {
    if !rules.model().hides() {
        return xxhash_rust::xxh3::xxh3_64_with_seed(&position.bytes(), memory);
    }
    let options = rules.own_options(position, seat).unwrap_or_default();
    hash_of(rules, position, seat, options, memory, &rules.sightings(position, seat))
}

fn hash_of(
    rules: &Evaluators,
    position: &Position,
    seat: u16,
    options: Vec<Choice>,
    memory: u64,
    found: &Sightings<'_>,
) -> u64 {
    let mut view = rules.explainer().view_with(position, seat, options, found);
    view.question = view.question.map(in_any_order);
    let mut hasher = xxhash_rust::xxh3::Xxh3::with_seed(memory);
    view.hash(&mut hasher);
    hasher.digest()
}

fn in_any_order(mut question: SeenQuestion) -> SeenQuestion {
    if let Some(options) = question.options.as_mut() {
        options.sort();
    }
    question
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
    position: &'a Position,
    seat: u16,
    scope: &'a Scope,
    /// What the seat sees of the position.
    found: Sightings<'a>,
    /// Whether it sees the same of all worlds.
    same: bool,
    options: Vec<Choice>,
    asked: Option<SeenQuestion>,
    /// A hash of all that it sees of the position.
    look: OnceCell<u64>,
    /// The `never`s that the position keeps, and that a world may break.
    kept: Vec<ClauseId>,
}

impl<'a> Possible<'a> {
    /// Worlds of a position in which this much may differ.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn new(
        rules: &'a Evaluators,
        position: &'a Position,
        seat: u16,
        scope: &'a Scope,
    ) -> Result<Possible<'a>, Fault> {
        let model = rules.model();
        let nevers = model.nevers.iter().map(|never| never.clause);
        let mut kept: Vec<ClauseId> = nevers.filter(|never| scope.may_change(model, *never)).collect();
        let broken = rules.nevers_of(position, kept.iter().copied())?;
        kept.retain(|never| !broken.contains(never));
        let found = rules.sightings(position, seat);
        let options = rules.own_options(position, seat).unwrap_or_default();
        let asked = rules.explainer().question_with(position, seat, options.clone(), &found).map(in_any_order);
        let (same, look) = (!sight_reads(model, scope), OnceCell::new());
        Ok(Possible { rules, position, seat, scope, found, same, options, asked, look, kept })
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
        let found = if self.same { &self.found } else { &here };
        Ok(options.map(|options| self.rules.explainer().as_seen(world, options, self.seat, "", found)))
    }

    /// The options in a world, unless the seat can rule it out; `here` is for what it sees there.
    fn options_found(&self, world: &Position, here: &Sightings<'_>) -> Result<Option<Vec<Choice>>, Fault> {
        if !self.rules.nevers_of(world, self.kept.iter().copied())?.is_empty() {
            return Ok(None);
        }
        let options = self.rules.own_options(world, self.seat).unwrap_or_default();
        Ok(self.looks_alike(world, &options, here).then_some(options))
    }

    /// Whether the seat sees the same in a world as in the position.
    fn looks_alike(&self, world: &Position, options: &[Choice], here: &Sightings<'_>) -> bool {
        let (rules, seat, found) = (self.rules.explainer(), self.seat, &self.found);
        if self.same || here.agrees(found, rules.model()) {
            return rules.looks_alike((self.position, world), seat, &self.scope.touched, found)
                && rules.question_with(world, seat, options.to_vec(), found).map(in_any_order) == self.asked;
        }
        let hash = |position, options, found| hash_of(self.rules, position, seat, options, 0, found);
        hash(world, options.to_vec(), here)
            == *self.look.get_or_init(|| hash(self.position, self.options.clone(), found))
    }
}

/// Whether what a seat may see depends on a variable that may differ.
fn sight_reads(model: &Model, scope: &Scope) -> bool {
    let mut reads = false;
    let mut defs = BTreeSet::new();
    let mut note = |asked: Asked<'_>| reads |= scope.touches(&asked);
    model.seen.iter().for_each(|seen| model.walk_clause(seen.clause, &mut defs, &mut note));
    for secret in &model.secrets {
        let parts = std::iter::once(&secret.seat).chain(&secret.until);
        parts.for_each(|e| model.walk_asked(e, &mut defs, &mut note));
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Value, VarId};
    use crate::players::Dice;
    use crate::rules::Rules;

    /// A position with two entries of one variable exchanged, or with something else in one entry, and the variable.
    fn changed(model: &Model, position: &Position, dice: &mut Dice) -> (Position, VarId) {
        let vars: Vec<usize> = (0..model.vars.len()).filter(|v| model.vars[*v].place.count > 0).collect();
        let var = VarId(vars[dice.below(vars.len())] as u16);
        let entries = model.vars[var.i()].place.count as usize;
        let (one, other) = (dice.below(entries), dice.below(entries));
        let read = |entry: usize| position.read(model, var, entry);
        let mut changed = position.clone();
        let put = match read(one) {
            Value::Int(_) if dice.below(3) == 0 => Value::Int(dice.below(4) as i32),
            Value::List(items) if dice.below(3) > 0 => Value::List(items.into_iter().rev().collect()),
            _ => {
                let _ = changed.write(model, var, other, &read(one));
                read(other)
            }
        };
        let _ = changed.write(model, var, one, &put);
        (changed, var)
    }

    #[test]
    fn positions_look_alike_where_their_views_are_equal() {
        let (mut alike, mut unlike) = (0, 0);
        for (game, games, plies) in [("leduc-holdem", 20, 8), ("confrontation", 4, 30), ("riddle", 2, 60)] {
            let rules = Rules::open(game).unwrap();
            let (model, both) = (rules.model(), rules.evaluators());
            let mut dice = Dice::new(3);
            for _ in 0..games {
                let mut position = rules.start().unwrap();
                for _ in 0..plies {
                    for turn in 0..60 {
                        let seat = turn % 2;
                        let (other, var) = changed(model, &position, &mut dice);
                        let (here, there) = (both.sightings(&position, seat), both.sightings(&other, seat));
                        if other == position || !here.agrees(&there, model) {
                            continue;
                        }
                        let views = [&position, &other].map(|p| both.explainer().view_with(p, seat, vec![], &here));
                        let equal = views[0].variables == views[1].variables
                            && views[0].piles == views[1].piles
                            && views[0].kinds == views[1].kinds;
                        let pair = (&position, &other);
                        let found = both.explainer().looks_alike(pair, seat, &BTreeSet::from([var]), &here);
                        assert_eq!(found, equal, "{game}: {}", model.vars[var.i()].name);
                        *if equal { &mut alike } else { &mut unlike } += 1;
                    }
                    let options = rules.options(&position).unwrap();
                    let Some(choice) = options.get(dice.below(options.len().max(1))) else { break };
                    rules.apply(&mut position, *choice).unwrap();
                }
            }
        }
        assert!(alike > 20 && unlike > 400, "{alike} {unlike}");
    }
}
