//! Odds by sampling, for when there are too many ways to follow them all.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::halt::Halt;
use super::odds::{Odds, Step};
use super::policy::Table;
use super::{Otherwise, Query, Ratio};
use crate::game::{Evaluator as _, Position};
use crate::model::Value;
use crate::players::{Dice, derived};
use crate::stats::Confidence;

/// How often each answer came.
#[derive(Clone, Debug, Default)]
pub struct Sampled {
    /// The answers that came, and how often.
    pub of: BTreeMap<Value, usize>,
    /// How often there was no answer within the bounds.
    pub rest: usize,
    /// The number of tries.
    pub tries: usize,
}

impl Sampled {
    /// The mean of the answers that are numbers, and how far it may be off (95 %).
    #[must_use]
    pub fn mean(&self) -> Option<(f64, f64)> {
        let n = self.of.values().sum::<usize>() as f64;
        let (mut sum, mut squares) = (0.0, 0.0);
        for (value, count) in &self.of {
            let (value, count) = (f64::from(value.int()?), *count as f64);
            sum += value * count;
            squares += value * value * count;
        }
        let mean = sum / n;
        let spread = (squares / n - mean * mean).max(0.0);
        (n > 0.0).then(|| (mean, Confidence::USUAL.z() * (spread / n).sqrt()))
    }
}

/// So many tries are made before progress is told.
const BLOCK: usize = 128;

/// Tries so many times; try `i` has the seed [`derived`]`(seed, i)`.
///
/// # Errors
/// As for [`Odds::ask`]; also if a seat is to play `best` or `worst`.
pub fn sample(
    odds: &Odds,
    from: &[(Position, Ratio)],
    query: &Query,
    (tries, seed): (usize, u64),
) -> Result<Sampled, Halt> {
    let table = Table::new(odds.engine.explainer(), odds.players);
    if odds.players.iter().any(|p| matches!(p.otherwise, Otherwise::Best | Otherwise::Worst)) {
        return Err(Halt::BestSampled);
    }
    let mut sampled = Sampled { tries, ..Sampled::default() };
    let tried = |i: usize| {
        let mut dice = Dice::new(derived(seed, i as u64));
        // Positions to begin with are equally likely.
        let start = from.get(dice.below(from.len()));
        start.map(|(start, _)| one(odds, start, query, &table, &mut dice)).transpose().map(Option::flatten)
    };
    for first in (0..tries).step_by(BLOCK) {
        let block = first..tries.min(first + BLOCK);
        let answers: Vec<Result<Option<Value>, Halt>> = block.clone().into_par_iter().map(tried).collect();
        for answer in answers {
            match answer? {
                Some(answer) => *sampled.of.entry(answer).or_default() += 1,
                None => sampled.rest += 1,
            }
        }
        (odds.watch)(block.end);
    }
    match table.idle().filter(|_| sampled.rest == 0 && tries > 0) {
        Some(idle) => Err(idle),
        None => Ok(sampled),
    }
}

fn one(odds: &Odds, start: &Position, query: &Query, table: &Table, dice: &mut Dice) -> Result<Option<Value>, Halt> {
    let mut position = start.clone();
    for ply in 0..=odds.plies {
        match odds.step(&position, ply == 0, table)? {
            Step::Asked => return Ok(Some(query.value(&position)?)),
            Step::Even(options) | Step::Weigh(_, options) => {
                let Some(choice) = options.get(dice.below(options.len())).filter(|_| ply < odds.plies) else {
                    return Ok(None);
                };
                odds.engine.apply(&mut position, *choice)?;
            }
        }
    }
    Ok(None)
}
