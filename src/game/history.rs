//! How a position came about.

use super::{Choice, Position};

/// What a game began with, and what has been chosen since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The position that it began with, as it stands; `None`: the start of the game.
    pub opening: Option<Position>,
    /// What seats and chance chose, in order.
    pub choices: Vec<Choice>,
}

impl History {
    /// Of a position of which nothing is known but how it stands.
    #[must_use]
    pub fn of(position: Position) -> History {
        History { opening: Some(position), choices: Vec::new() }
    }

    /// Whether nothing is known of how the position came about.
    #[must_use]
    pub fn is_as_it_stands(&self) -> bool {
        self.opening.is_some() && self.choices.is_empty()
    }
}
