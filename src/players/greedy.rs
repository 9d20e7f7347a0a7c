//! The bot that takes the option after which its position is worth most.

use std::collections::BTreeMap;

use super::guess::{Guess, World, option_with};
use super::play_on::settle;
use super::taken::Taken;
use super::{Dice, Look, Player, derived};
use crate::game::{Choice, Evaluator, Fault, Position, Status};

/// The most worlds that are drawn for one choice.
const WORLDS: usize = 16;

/// How many are drawn at first. If no option is worth more in one of them than in another, these are enough.
const FIRST_WORLDS: usize = 4;

/// What a won game is worth; a lost one is worth as much less than nothing.
const WON: f64 = 1e12;

/// What an option is worth in the worlds in which it was tried.
#[derive(Clone, Copy, Debug)]
struct Worths {
    sum: f64,
    count: u32,
    least: f64,
    most: f64,
}

impl Default for Worths {
    fn default() -> Worths {
        Worths { sum: 0.0, count: 0, least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

impl Worths {
    fn add(&mut self, value: f64) {
        (self.sum, self.count) = (self.sum + value, self.count + 1);
        (self.least, self.most) = (self.least.min(value), self.most.max(value));
    }

    fn mean(&self) -> f64 {
        self.sum / f64::from(self.count.max(1))
    }
}

/// A bot that looks one decision ahead.
#[derive(Clone, Debug)]
pub struct Greedy<E> {
    evaluator: E,
    seed: u64,
    /// How many choices it has made. Each has dice of its own.
    made: u64,
    taken: Taken,
}

impl<E: Evaluator> Greedy<E> {
    /// A bot that judges positions with an evaluator, and draws with a seed among options that are equal.
    #[must_use]
    pub fn new(evaluator: E, seed: u64) -> Greedy<E> {
        Greedy { evaluator, seed, made: 0, taken: Taken::default() }
    }

    /// The text of the best option; of several that are equal one at random. One that was taken before when all looked
    /// the same comes last, unless the others lose.
    fn best(&self, look: &Look<'_>, taken: &[String], dice: &mut Dice) -> Option<String> {
        let mut found = BTreeMap::new();
        let tried = self.judge(look, FIRST_WORLDS, &mut found, dice);
        let settled = found.values().all(|worth: &Worths| worth.count == tried && worth.least == worth.most);
        if self.evaluator.model().hides() && !settled {
            self.judge(look, WORLDS - FIRST_WORLDS, &mut found, dice);
        }
        let is_new = |text: &String, worths: &Worths| !taken.contains(text) && worths.mean() > -WON;
        if found.iter().any(|(text, worths)| is_new(text, worths)) {
            found.retain(|text, worths| is_new(text, worths));
        }
        let most = found.values().map(Worths::mean).fold(f64::NEG_INFINITY, f64::max);
        let mut best: Vec<String> = found.into_iter().filter(|(_, w)| w.mean() == most).map(|(text, _)| text).collect();
        (!best.is_empty()).then(|| best.swap_remove(dice.below(best.len())))
    }

    /// Notes what each option is worth in some worlds that are drawn; in how many.
    fn judge(&self, look: &Look<'_>, worlds: usize, found: &mut BTreeMap<String, Worths>, dice: &mut Dice) -> u32 {
        let guess = Guess::new(look, worlds, dice);
        for world in &guess.worlds {
            for (text, choices) in &world.first {
                let choice = choices.get(dice.below(choices.len()));
                let value = choice.and_then(|choice| self.value(world, *choice, look.seat(), dice).ok());
                if let (Some(value), Some(text)) = (value, guess.texts.get(*text)) {
                    found.entry(text.clone()).or_default().add(value);
                }
            }
        }
        guess.worlds.len() as u32
    }

    /// What a choice is worth in a world: what the position is worth in which somebody next has something to decide.
    fn value(&self, world: &World, choice: Choice, seat: u16, dice: &mut Dice) -> Result<f64, Fault> {
        let mut position = world.position.clone();
        settle(&self.evaluator, &mut position, choice, dice)?;
        self.judged(&position, seat)
    }

    fn judged(&self, position: &Position, seat: u16) -> Result<f64, Fault> {
        if let Status::Over(outcome) = self.evaluator.status(position)?
            && !outcome.winners.is_empty()
        {
            return Ok(if outcome.winners.contains(&seat) { WON } else { -WON });
        }
        Ok(self.evaluator.worth(position, seat)?.map_or(0.0, f64::from))
    }
}

impl<E: Evaluator + Send> Player for Greedy<E> {
    fn choose(&mut self, look: &Look<'_>, options: &[Choice]) -> usize {
        let mut dice = Dice::new(derived(self.seed, self.made));
        self.made += 1;
        if options.len() < 2 {
            return 0;
        }
        let seen = look.seen();
        let best = self.best(look, self.taken.before(seen), &mut dice);
        best.iter().for_each(|text| self.taken.note(seen, text));
        option_with(best.as_deref(), look, options, &mut dice)
    }
}
