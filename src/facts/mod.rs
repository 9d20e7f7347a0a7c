//! A position as text: the `given` part of a case.

mod error;
mod fact;
mod guess;
mod names;
mod notation;
mod over;
pub(crate) mod parse;
mod scene;
mod settings;
mod writer;

pub use crate::lexicon::unique_name;
pub use error::{FactError, MoveError};
pub use fact::{Fact, resolve};
pub(crate) use fact::{member as member_named, not_a as no_member, spelt};
pub use names::{Names, seat_named};
pub use notation::{Noted, read_noted, write_noted};
pub use scene::{Given, Scene, play_moves, read};
pub(crate) use scene::{check_move, scene_line};
pub use settings::{SeatList, SettingError, Settings, config_of, header, seats_of};
pub(crate) use writer::written;
pub use writer::{save, write};

use std::fmt;

use crate::plain::clip;

/// An error in a position, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactFault {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// How many characters it is about; 0 for the word that begins at the column.
    pub width: usize,
    /// In words.
    pub message: String,
}

/// The maximum number of characters of a message, which may quote a whole file.
const MAX_LINE_CHARACTERS: usize = 4000;

/// The number of errors after which the rest of a text is not examined.
pub(crate) const MAX_FAULTS: usize = 1000;

impl FactFault {
    /// An error at a place. A very long message is cut.
    #[must_use]
    pub fn new(line: usize, column: usize, message: impl Into<String>) -> FactFault {
        let message = message.into();
        let message = clip(&message, MAX_LINE_CHARACTERS).into_owned();
        FactFault { line, column, width: 0, message }
    }

    /// The same about so many characters.
    #[must_use]
    pub fn over(self, width: usize) -> FactFault {
        FactFault { width, ..self }
    }
}

impl fmt::Display for FactFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for FactFault {}

/// A fact as it is written, not yet checked against the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl Piece {
    pub(crate) fn fault(&self, message: impl Into<String>) -> FactFault {
        FactFault::new(self.line, self.column, message).over(self.text.chars().count())
    }
}

/// A move as it is written: `Dark: Orcs to Fangorn`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Move {
    /// The seat, or `chance`.
    pub who: String,
    /// What is done.
    pub text: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl Move {
    pub(crate) fn fault(&self, message: impl Into<String>) -> FactFault {
        let width = self.who.chars().count() + 2 + self.text.chars().count();
        FactFault::new(self.line, self.column, message).over(width)
    }
}
