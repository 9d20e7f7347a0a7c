//! How likely each answer to a question is, over chance and over what the seats may do: all ways are followed, one ply at a time, and equal positions
//! are followed once, with the sum of their chances.

use std::collections::BTreeMap;

use super::best;
use super::policy::{Pick, Policy, Table, offers};
use super::{Otherwise, Query, Ratio};
use crate::engine::Engine;
use crate::game::{Choice, Evaluator, Fault, Position, Turn};
use crate::model::Value;

/// When the question is asked; at the latest when the game is over.
#[derive(Clone, Debug)]
pub enum Until {
    /// When what was begun is done: where a seat must decide and no more is under way than this many procedures, hooks and effects.
    Level(usize),
    /// Where any seat must decide.
    Decision,
    /// When the game is over.
    Over,
    /// As soon as this holds.
    Holds(Query),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The rules fail on the way.
    Fault(Fault),
    /// A seat must decide and nobody says how; in words who and what.
    Unsaid(String),
    /// An answer given for a seat never was an option, in words.
    Idle(String),
    /// The best choice cannot be found; in words why.
    Best(String),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Fault(fault)
    }
}

/// How far a question looks, and who decides on the way.
#[derive(Clone, Copy)]
pub struct Odds<'a> {
    /// The rules.
    pub engine: &'a Engine,
    /// When the question is asked.
    pub until: &'a Until,
    /// For each seat how it decides.
    pub players: &'a [Policy],
    /// Most plies.
    pub plies: usize,
    /// Most positions that are gone on from.
    pub most: usize,
    /// Told now and then how many positions there were so far.
    pub watch: &'a dyn Fn(usize),
}

/// How likely each answer is.
#[derive(Clone, Debug, Default)]
pub struct Chances {
    /// The answers that can come, with their chances.
    pub of: BTreeMap<Value, Ratio>,
    /// How likely it is that the end was not reached within the bounds.
    pub rest: Ratio,
    /// Positions that were gone on from.
    pub positions: usize,
    /// Plies that were looked ahead.
    pub plies: usize,
    /// What the best, or the worst, choice is where the seat decides first, in words.
    pub choice: Option<String>,
}

impl Default for Ratio {
    fn default() -> Ratio {
        Ratio::ZERO
    }
}

impl Chances {
    /// How likely the answer *yes* is.
    #[must_use]
    pub fn yes(&self) -> Ratio {
        let yes = self.of.iter().filter(|(value, _)| value.truth());
        yes.fold(Ratio::ZERO, |sum, (_, chance)| sum.plus(*chance))
    }

    /// The mean of the answers that are numbers, in proportion to all that were reached; nothing if an answer is none.
    #[must_use]
    pub fn mean(&self) -> Option<Ratio> {
        let mut mean = Ratio::ZERO;
        let mut all = Ratio::ZERO;
        for (value, chance) in &self.of {
            mean = mean.plus(chance.times(Ratio::from(value.int()?)));
            all = all.plus(*chance);
        }
        match all.lowest() {
            Ratio::Exact(0, _) => None,
            Ratio::Exact(over, under) => Some(mean.times(Ratio::Exact(under, over))),
            Ratio::Near(all) => Some(Ratio::Near(mean.value() / all)),
        }
    }

    /// Whether nothing was rounded.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.rest.is_exact() && self.of.values().all(|c| c.is_exact())
    }
}

/// What is to be done with a position.
pub(super) enum Step {
    /// The question is asked.
    Asked,
    /// One of these comes next, each equally likely.
    Even(Vec<Choice>),
    /// A seat takes the one that is best for it.
    Weigh(u16, Vec<Choice>),
}

impl Odds<'_> {
    /// How likely each answer is, from positions with their chances.
    ///
    /// # Errors
    /// The rules fail, somebody must decide of whom nothing is said, or an answer that was given for a seat never was an option.
    pub fn ask(&self, from: Vec<(Position, Ratio)>, query: &Query) -> Result<Chances, Halt> {
        let table = Table::new(self.engine.explainer(), self.players);
        let weighs = |p: &Policy| matches!(p.otherwise, Otherwise::Best | Otherwise::Worst);
        let chances = match self.players.iter().filter(|p| weighs(p)).count() {
            0 => self.forward(from, query, &table)?,
            1 => best::best(self, from, query, &table)?,
            _ => {
                return Err(Halt::Best(String::from(
                    "only one seat can play `best` or `worst`; say how the others play",
                )));
            }
        };
        // Where not all was looked at, what is idle may still come.
        match table.idle().filter(|_| chances.rest.is_zero()) {
            Some(idle) => Err(Halt::Idle(idle)),
            None => Ok(chances),
        }
    }

    fn forward(&self, from: Vec<(Position, Ratio)>, query: &Query, table: &Table) -> Result<Chances, Halt> {
        let mut chances = Chances::default();
        let mut layer: BTreeMap<Position, Ratio> = BTreeMap::new();
        from.into_iter().for_each(|(position, chance)| merge(&mut layer, position, chance));
        while !layer.is_empty() {
            let mut next: BTreeMap<Position, Ratio> = BTreeMap::new();
            let first = chances.plies == 0;
            for (position, chance) in layer {
                let step = self.step(&position, first, table)?;
                let options = match step {
                    Step::Asked => {
                        merge(&mut chances.of, query.value(&position)?, chance);
                        continue;
                    }
                    Step::Weigh(_, options) | Step::Even(options) => options,
                };
                if chances.positions >= self.most || chances.plies >= self.plies {
                    chances.rest = chances.rest.plus(chance);
                    continue;
                }
                chances.positions += 1;
                if chances.positions.is_multiple_of(1024) {
                    (self.watch)(chances.positions);
                }
                let share = chance.one_of(options.len());
                for choice in options {
                    let mut after = position.clone();
                    self.engine.apply(&mut after, choice)?;
                    merge(&mut next, after, share);
                }
            }
            if !next.is_empty() {
                chances.plies += 1;
            }
            layer = next;
        }
        Ok(chances)
    }

    /// What is to be done with a position; `first`: nothing has happened yet.
    pub(super) fn step(&self, position: &Position, first: bool, table: &Table) -> Result<Step, Halt> {
        let turn = self.engine.turn(position)?;
        if turn == Turn::Over || self.is_reached(position, turn, first)? {
            return Ok(Step::Asked);
        }
        let options = self.engine.options(position)?;
        let Turn::Seat(seat) = turn else {
            return Ok(Step::Even(options));
        };
        match table.pick(position, seat, &options) {
            Pick::One(choice) => Ok(Step::Even(vec![choice])),
            Pick::Even => Ok(Step::Even(options)),
            Pick::Weigh => Ok(Step::Weigh(seat, options)),
            Pick::Unsaid => Err(Halt::Unsaid(offers(self.engine.explainer(), position, self.engine.model(), seat))),
        }
    }

    pub(super) fn is_reached(&self, position: &Position, turn: Turn, first: bool) -> Result<bool, Fault> {
        let decides = matches!(turn, Turn::Seat(_));
        Ok(match self.until {
            Until::Level(level) => !first && decides && position.depth(self.engine.model()) <= *level,
            Until::Decision => !first && decides,
            Until::Over => false,
            Until::Holds(query) => query.holds(position)?,
        })
    }
}

/// Adds a chance to what is known of the same thing.
pub(super) fn merge<K: Ord>(into: &mut BTreeMap<K, Ratio>, key: K, chance: Ratio) {
    let sum = into.entry(key).or_insert(Ratio::ZERO);
    *sum = sum.plus(chance);
}
