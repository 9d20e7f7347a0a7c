//! Who chooses: seats and chance. Randomness enters a game here and nowhere else.

mod dice;

pub use dice::{Dice, derived};

use crate::game::Choice;
use crate::game::View;

/// Someone who decides for a seat, from what that seat sees.
pub trait Player: Send {
    /// The index of the option chosen. `options` is not empty.
    fn choose(&mut self, view: &View, options: &[Choice]) -> usize;
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
    fn choose(&mut self, _view: &View, options: &[Choice]) -> usize {
        self.dice.below(options.len())
    }
}

/// The names of the players that are no persons.
pub const BOTS: [&str; 1] = ["random"];

/// A bot by its name.
#[must_use]
pub fn bot(name: &str, seed: u64) -> Option<Box<dyn Player>> {
    (name == "random").then(|| Box::new(Random::new(seed)) as Box<dyn Player>)
}
