//! How likely each answer to a question is, over chance and the policies of the seats: all ways are followed, one ply
//! at a time, and equal positions are followed once, with the sum of their chances.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rayon::prelude::*;

use super::best;
use super::forget::Forget;
use super::halt::Halt;
use super::layer::Layer;
use super::policy::{Pick, Policy, Table, unsaid};
use super::{Otherwise, Query, Ratio};
use crate::game::{Choice, Evaluator, Fault, Packed, Position, Turn};
use crate::model::Value;
use crate::rules::Evaluators;

/// When the question is asked; at the latest when the game is over.
#[derive(Clone, Debug)]
pub enum Until {
    /// When everything that was begun is done: a seat must decide, and at most this many procedures, hooks and effects
    /// are active.
    Level(usize),
    /// As soon as any seat must decide.
    Decision,
    /// When the game is over.
    Over,
    /// As soon as this holds.
    Holds(Query),
}

/// The bounds of a question, and who decides on the way.
#[derive(Clone, Copy)]
pub struct Odds<'a> {
    /// The rules.
    pub engine: &'a Evaluators,
    /// When the question is asked.
    pub until: &'a Until,
    /// Whether something was done already, so that the question can be asked at once if that is finished.
    pub begun: bool,
    /// For each seat how it decides.
    pub players: &'a [Policy],
    /// The maximum number of plies.
    pub plies: usize,
    /// The maximum number of positions that are expanded.
    pub most: usize,
    /// Called now and then with the number of positions so far.
    pub watch: &'a (dyn Fn(usize) + Sync),
    /// The language of choices; empty for the rule file's own.
    pub lang: &'a str,
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

impl Chances {
    /// How likely the answer *yes* is.
    #[must_use]
    pub fn yes(&self) -> Ratio {
        let yes = self.of.iter().filter(|(value, _)| value.truth());
        yes.fold(Ratio::ZERO, |sum, (_, chance)| sum.plus(*chance))
    }

    /// The mean of the answers that are numbers, in proportion to all that were reached; `None` if an answer is not a
    /// number.
    #[must_use]
    pub fn mean(&self) -> Option<Ratio> {
        let mut mean = Ratio::ZERO;
        let mut all = Ratio::ZERO;
        for (value, chance) in &self.of {
            mean = mean.plus(chance.times(Ratio::from(value.int()?)));
            all = all.plus(*chance);
        }
        mean.over(all)
    }

    /// Whether nothing was rounded.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.rest.is_exact() && self.of.values().all(|c| c.is_exact())
    }
}

/// So many positions are gone on from before equal ones are merged, which bounds memory.
const BLOCK: usize = 4096;

/// So many of them are one piece of work. It does not depend on the number of threads, so that chances that are rounded
/// are summed in the same order on every machine.
const PART: usize = 64;

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
    /// The rules fail, a seat must decide for which no policy is given, or an answer that was given for a seat never
    /// was an option.
    pub fn ask(&self, from: Vec<(Position, Ratio)>, query: &Query) -> Result<Chances, Halt> {
        let table = Table::new(self.engine, self.players);
        let weighs = |p: &Policy| matches!(p.otherwise, Otherwise::Best | Otherwise::Worst);
        let mut forget = Forget::new(self.engine.model(), false);
        forget.keep(query);
        if let Until::Holds(condition) = self.until {
            forget.keep(condition);
        }
        let chances = match self.players.iter().filter(|p| weighs(p)).count() {
            0 => self.forward(from, query, (&table, &forget))?,
            1 => {
                // What the seat sees tells it something of what is hidden, though nothing reads it.
                let forget = Some(forget).filter(|_| !self.engine.model().hides());
                best::best(self, from, query, (&table, forget.as_ref()))?
            }
            _ => return Err(Halt::SeveralBest),
        };
        // Where not all was looked at, what is idle may still come.
        match table.idle().filter(|_| chances.rest.is_zero()) {
            Some(idle) => Err(idle),
            None => Ok(chances),
        }
    }

    fn forward(
        &self,
        from: Vec<(Position, Ratio)>,
        query: &Query,
        (table, forget): (&Table, &Forget),
    ) -> Result<Chances, Halt> {
        let mut chances = Chances::default();
        let mut layer = Layer::default();
        for (mut position, chance) in from {
            forget.forget(&mut position);
            layer.add(Packed::new(&position, self.engine.model()), chance);
        }
        let mut rounds = Rounds::default();
        while !layer.is_empty() {
            let first = chances.plies == 0;
            let positions = layer.into_positions();
            let left = if chances.plies < self.plies { self.most.saturating_sub(chances.positions) } else { 0 };
            let on = positions.len() > Rounds::MAX_TOLD_BRANCHES && positions.len() <= left;
            let (mut next, mut live) = (Layer::default(), Vec::new());
            for block in positions.chunks(BLOCK) {
                let part = |part| self.part(part, query, (table, forget), (first, on));
                let parts: Vec<Result<Part, Halt>> = block.par_chunks(PART).map(part).collect();
                for part in parts {
                    let part = part?;
                    part.asked.into_iter().for_each(|(answer, chance)| merge(&mut chances.of, answer, chance));
                    live.extend(part.live);
                    next.append(part.next);
                }
                (self.watch)(chances.positions + live.len());
            }
            if rounds.close(&live, &mut chances) {
                break;
            }
            if on {
                chances.positions += live.len();
            } else {
                next = self.onward(live, left, forget, &mut chances)?;
            }
            layer = next;
            chances.plies += usize::from(!layer.is_empty());
        }
        Ok(chances)
    }

    /// What is asked and what goes on of some positions; with `on`, what comes next.
    fn part<'a>(
        &self,
        positions: &'a [(Packed, Ratio)],
        query: &Query,
        (table, forget): (&Table, &Forget),
        (first, on): (bool, bool),
    ) -> Result<Part<'a>, Halt> {
        let mut part = Part::default();
        for (packed, chance) in positions {
            let position = packed.unpack(self.engine.model());
            match self.step(&position, first, table)? {
                Step::Asked => part.asked.push((query.value(&position)?, *chance)),
                Step::Even(options) | Step::Weigh(_, options) => {
                    if on {
                        self.after(&position, (*chance, &options), forget, &mut part.next)?;
                    }
                    part.live.push((packed, *chance, options));
                }
            }
        }
        Ok(part)
    }

    /// What comes next, as far as the bounds allow.
    fn onward(&self, mut live: Vec<Live>, left: usize, forget: &Forget, chances: &mut Chances) -> Result<Layer, Halt> {
        if left < live.len() {
            // The likeliest tell the most.
            live.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal));
        }
        let rest = live.split_off(left.min(live.len()));
        chances.rest = rest.iter().fold(chances.rest, |sum, (_, chance, _)| sum.plus(*chance));
        let mut next = Layer::default();
        let model = self.engine.model();
        for block in live.chunks(BLOCK) {
            let after = |part: &[Live]| {
                let mut next = Layer::default();
                for (packed, chance, options) in part {
                    self.after(&packed.unpack(model), (*chance, options), forget, &mut next)?;
                }
                Ok(next)
            };
            let parts: Vec<Result<Layer, Halt>> = block.par_chunks(PART).map(after).collect();
            for part in parts {
                next.append(part?);
            }
            chances.positions += block.len();
            (self.watch)(chances.positions);
        }
        Ok(next)
    }

    /// Adds what comes after a position.
    fn after(
        &self,
        position: &Position,
        (chance, options): (Ratio, &[Choice]),
        forget: &Forget,
        next: &mut Layer,
    ) -> Result<(), Halt> {
        let share = chance.one_of(options.len());
        let mut after = position.clone();
        // The copies of one value that is drawn stand side by side.
        for copies in options.chunk_by(|a, b| a == b) {
            let Some(choice) = copies.first() else { continue };
            after.clone_from(position);
            self.engine.apply(&mut after, *choice)?;
            forget.forget(&mut after);
            let chance = if copies.len() == 1 { share } else { share.times(Ratio::from(copies.len() as i32)) };
            next.add(Packed::new(&after, self.engine.model()), chance);
        }
        Ok(())
    }

    /// What is to be done with a position; `first`: nothing has happened yet.
    pub(super) fn step(&self, position: &Position, first: bool, table: &Table) -> Result<Step, Halt> {
        let turn = self.engine.turn(position)?;
        let first = first && !self.begun;
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
            Pick::Unsaid => Err(unsaid(self.engine.explainer(), position, seat, self.lang)),
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

/// A position to go on from, its chance, and what may come.
type Live<'a> = (&'a Packed, Ratio, Vec<Choice>);

/// What becomes of some positions.
#[derive(Default)]
struct Part<'a> {
    /// The answers where the question is asked, with their chances.
    asked: Vec<(Value, Ratio)>,
    live: Vec<Live<'a>>,
    /// What comes after those to go on from, if that was wanted.
    next: Layer,
}

/// Positions that play came back to, as when dice are rolled again: what is left then goes round for ever, and the sum
/// of all rounds is known at once.
#[derive(Default)]
struct Rounds {
    seen: Vec<Round>,
}

/// What was left, and what was known of the answers then.
type Round = (Vec<(Packed, Ratio)>, BTreeMap<Value, Ratio>);

impl Rounds {
    /// More positions at once are not kept, nor more rounds.
    const MAX_TOLD_BRANCHES: usize = 8;
    const MAX_TOLD_DEPTH: usize = 64;

    /// Whether the same positions were left before, in the same proportions; then what the further rounds bring is
    /// added.
    fn close(&mut self, live: &[Live], chances: &mut Chances) -> bool {
        if live.is_empty() || live.len() > Rounds::MAX_TOLD_BRANCHES || self.seen.len() >= Rounds::MAX_TOLD_DEPTH {
            return false;
        }
        let mut now: Vec<(Packed, Ratio)> =
            live.iter().map(|(position, chance, _)| ((*position).clone(), *chance)).collect();
        now.sort_by(|a, b| a.0.cmp(&b.0));
        let again = self.seen.iter().find_map(|(before, of)| Some((again(before, &now)?, of)));
        let Some((share, before)) = again else {
            self.seen.push((now, chances.of.clone()));
            return false;
        };
        let all = Ratio::ONE.minus(share);
        if all.is_zero() {
            chances.rest = now.iter().fold(chances.rest, |rest, (_, chance)| rest.plus(*chance));
            return true;
        }
        for (answer, chance) in &mut chances.of {
            let old = before.get(answer).copied().unwrap_or(Ratio::ZERO);
            if let Some(sum) = chance.minus(old).over(all) {
                *chance = old.plus(sum);
            }
        }
        true
    }
}

/// Which share of some positions is left, if they are the same in the same proportions.
fn again(before: &[(Packed, Ratio)], now: &[(Packed, Ratio)]) -> Option<Ratio> {
    if before.len() != now.len() || before.iter().zip(now).any(|(a, b)| a.0 != b.0) {
        return None;
    }
    let mut shares = before.iter().zip(now).map(|(a, b)| b.1.over(a.1));
    let share = shares.next()??;
    (share.is_exact() && shares.all(|s| s == Some(share))).then_some(share)
}

/// Adds a chance to what is known of the same thing.
pub(super) fn merge<K: Ord>(into: &mut BTreeMap<K, Ratio>, key: K, chance: Ratio) {
    let sum = into.entry(key).or_insert(Ratio::ZERO);
    *sum = sum.plus(chance);
}
