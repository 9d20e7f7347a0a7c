//! What one seat sees of a position. Everything is in words, so that a view can be shown, sent and compared as it is.

use serde::{Deserialize, Serialize};

use super::Choice;

/// What a seat sees. Two positions that it cannot tell apart give equal views.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct View {
    /// The seat that looks.
    pub seat: u16,
    /// The names of the seats that win, if the game is over; empty: a draw.
    pub winners: Option<Vec<String>>,
    /// Variables of the game and of the active procedures.
    pub variables: Vec<SeenVariable>,
    /// Piles.
    pub piles: Vec<SeenPile>,
    /// Kinds whose members have fields that change, or may be hidden.
    pub kinds: Vec<SeenKind>,
    /// What is asked, if a seat must decide.
    pub question: Option<SeenQuestion>,
}

/// Where a mark of the board is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Marked {
    /// The mark's place among the marks of the rules.
    pub mark: usize,
    /// The cells, by their places in their kind.
    pub cells: Vec<u16>,
    /// The sides: a cell, and the number of its side, clockwise.
    pub sides: Vec<(u16, u8)>,
}

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SeenVariable {
    /// Its name: `active`, `battle.attacker`.
    pub name: String,
    /// The entry of an indexed one.
    pub index: Option<String>,
    /// Its value.
    pub value: String,
}

/// A pile.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SeenPile {
    /// Its name.
    pub name: String,
    /// The entry of an indexed one.
    pub index: Option<String>,
    /// How many it holds.
    pub size: usize,
    /// What it holds, if the seat sees that; an ordered pile from the bottom up.
    pub members: Option<Vec<String>>,
}

/// The members of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SeenKind {
    /// Its name.
    pub name: String,
    /// Those of whom the seat knows which they are, in order.
    pub known: Vec<KnownMember>,
    /// The others; their order says nothing of who they are.
    pub unknown: Vec<UnknownMember>,
}

/// A member that the seat knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KnownMember {
    /// Its identifier.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its fields that change, those that the seat sees.
    pub fields: Vec<(String, String)>,
}

/// A member of which the seat does not know which it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnknownMember {
    /// Its owner.
    pub owner: Option<String>,
    /// Its fields that change, those that the seat sees.
    pub fields: Vec<(String, String)>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SeenQuestion {
    /// The seat that must decide.
    pub seat: u16,
    /// Its options, in the evaluator's order, if it is the seat that looks.
    pub options: Option<Vec<String>>,
}

/// An option as the seat reads it that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenOption {
    /// Its notation.
    pub text: String,
    /// The options that it stands for: several, if the seat cannot tell apart what they name.
    pub choices: Vec<Choice>,
    /// It names a member that the seat does not know.
    pub veiled: bool,
}

/// What a seat means by a line that it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// One of its options.
    Option(SeenOption),
    /// A choice that is no option of its own.
    Other(Choice),
}

impl Meant {
    /// The choice, or the first of those that the seat cannot tell apart.
    #[must_use]
    pub fn choice(&self) -> Option<Choice> {
        match self {
            Meant::Option(option) => option.choices.first().copied(),
            Meant::Other(choice) => Some(*choice),
        }
    }
}

/// What a seat is told of a choice that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The choice in words.
    Said(String),
    /// That something was chosen, and not yet what.
    Secret,
}
