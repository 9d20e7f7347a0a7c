//! The bot that takes the option after which its position is worth most.

use super::guess::{Guess, World};
use super::{Dice, Look, Player, derived};
use crate::game::{Choice, Evaluator, Fault, Position, Status, Turn};

/// The most worlds that are drawn for one choice.
const WORLDS: usize = 16;

/// The most plies of chance and of single options that follow a choice before the position is judged.
const FOLLOWING: usize = 100;

/// What a won game is worth; a lost one is worth as much less than nothing.
const WON: f64 = 1e12;

/// A bot that looks one decision ahead.
#[derive(Clone, Debug)]
pub struct Greedy<E> {
    evaluator: E,
    seed: u64,
    /// How many choices it has made. Each has dice of its own.
    made: u64,
}

impl<E: Evaluator> Greedy<E> {
    /// A bot that judges positions with an evaluator, and draws with a seed among options that are equal.
    #[must_use]
    pub fn new(evaluator: E, seed: u64) -> Greedy<E> {
        Greedy { evaluator, seed, made: 0 }
    }

    /// The number of the text of the best option; of several that are equal one at random.
    fn best(&self, guess: &Guess, seat: u16, dice: &mut Dice) -> Option<usize> {
        let mut sums = vec![(0.0, 0_u32); guess.texts.len()];
        for world in &guess.worlds {
            for (text, choices) in &world.first {
                let choice = choices.get(dice.below(choices.len()));
                let value = choice.and_then(|choice| self.value(world, *choice, seat, dice).ok());
                if let (Some(value), Some((sum, count))) = (value, sums.get_mut(*text)) {
                    (*sum, *count) = (*sum + value, *count + 1);
                }
            }
        }
        let means = sums.iter().map(|(sum, n)| (*n > 0).then(|| sum / f64::from(*n)));
        let means: Vec<Option<f64>> = means.collect();
        let most = means.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let best: Vec<usize> = (0..means.len()).filter(|n| means.get(*n) == Some(&Some(most))).collect();
        best.get(dice.below(best.len())).copied()
    }

    /// What a choice is worth in a world: what the position is worth in which somebody next has something to decide.
    fn value(&self, world: &World, choice: Choice, seat: u16, dice: &mut Dice) -> Result<f64, Fault> {
        let mut position = world.position.clone();
        self.evaluator.apply(&mut position, choice)?;
        for _ in 0..FOLLOWING {
            let turn = self.evaluator.turn(&position)?;
            let count = if turn == Turn::Over { 0 } else { self.evaluator.count(&position)? };
            if turn != Turn::Chance && count != 1 {
                break;
            }
            let Some(choice) = self.evaluator.nth(&position, dice.below(count))? else { break };
            self.evaluator.apply(&mut position, choice)?;
        }
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
        let guess = Guess::new(look, WORLDS, &mut dice);
        let best = self.best(&guess, look.seat(), &mut dice);
        guess.option(best, look, options, &mut dice)
    }
}
