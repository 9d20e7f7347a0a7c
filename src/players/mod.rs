//! Players and chance. Randomness enters a game here and nowhere else.

mod dice;

pub use dice::{Dice, derived};

use std::cell::OnceCell;

use crate::game::{Choice, View};

/// What a player may look at. The view is made only when it is asked for, so that it costs nothing otherwise.
pub struct Look<'a> {
    see: &'a dyn Fn() -> View,
    view: OnceCell<View>,
}

impl<'a> Look<'a> {
    /// A look at the result of a function, which is called at most once.
    #[must_use]
    pub fn new(see: &'a dyn Fn() -> View) -> Look<'a> {
        Look { see, view: OnceCell::new() }
    }

    /// What the seat sees.
    #[must_use]
    pub fn view(&self) -> &View {
        self.view.get_or_init(self.see)
    }
}

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

/// The name of the bot that chooses every option with equal probability.
pub const RANDOM: &str = "random";

/// The names of the bots.
pub const BOTS: [&str; 2] = [RANDOM, "first"];

/// A bot by its name.
#[must_use]
pub fn bot(name: &str, seed: u64) -> Option<Box<dyn Player>> {
    match name {
        RANDOM => Some(Box::new(Random::new(seed))),
        "first" => Some(Box::new(First)),
        _ => None,
    }
}

/// The seed of the bot at a seat, in a game of which chance has a seed.
#[must_use]
pub fn seed_of_seat(game: u64, seat: u16) -> u64 {
    derived(!game, u64::from(seat))
}
