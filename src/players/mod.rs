//! Players and chance. Randomness enters a game here and nowhere else.

mod arms;
mod bot;
mod bound;
mod budget;
mod dice;
mod forced;
mod greedy;
mod guess;
mod judge;
mod known;
mod look;
mod mcts;
mod node;
mod play_on;
mod taken;
mod tree;

pub use bot::{BOTS, Bot, NoBot};
pub use budget::Budget;
pub use dice::{Dice, derived};
pub use greedy::Greedy;
pub use look::{Eyes, Look};
pub use mcts::Mcts;

use crate::game::Choice;

/// Someone who decides for a seat, from what that seat sees.
pub trait Player: Send {
    /// The index of the option chosen. `options` is not empty. Of options that the seat cannot tell apart it holds one.
    fn choose(&mut self, look: &Look<'_>, options: &[Choice]) -> usize;
}

/// Every option is equally likely.
#[derive(Clone, Debug)]
pub struct Random {
    dice: Dice,
}

impl Random {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { dice: Dice::new(seed) }
    }
}

impl Player for Random {
    fn choose(&mut self, _look: &Look<'_>, options: &[Choice]) -> usize {
        self.dice.below(options.len())
    }
}

/// Always the first option in the order of the rules: a deterministic baseline.
#[derive(Clone, Copy, Debug)]
pub struct First;

impl Player for First {
    fn choose(&mut self, _look: &Look<'_>, _options: &[Choice]) -> usize {
        0
    }
}

/// The seed of the bot at a seat, in a game of which chance has a seed.
#[must_use]
pub fn seed_of_seat(game: u64, seat: u16) -> u64 {
    derived(!game, u64::from(seat))
}
