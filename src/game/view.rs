//! What one seat sees of a position. Everything is in words, so that a view can be shown, sent and compared as it is.

use serde::{Deserialize, Serialize};

/// What a seat sees. Two positions that it cannot tell apart give equal views.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct View {
    /// The seat that looks.
    pub seat: u16,
    /// The names of the seats that win, if the game is over; empty: a draw.
    pub winners: Option<Vec<String>>,
    /// Variables of the game and of the procedures under way.
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
