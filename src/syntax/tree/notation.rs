//! Notations of positions and of whole games.

use super::{Expr, Label, Word};

/// `notation fen "Forsyth-Edwards Notation" at play.turns { ... }`
#[derive(Clone, Debug)]
pub struct Notation {
    /// Its name.
    pub name: Word,
    /// What it is called.
    pub label: Option<Label>,
    /// The procedure at a step of which play goes on.
    pub procedure: Word,
    /// The step.
    pub step: Word,
    /// What is written, in order.
    pub parts: Vec<NotationPart>,
}

/// A part of a notation.
#[derive(Clone, Debug)]
pub enum NotationPart {
    /// `" {quiet}"`, `p { White "w"  Black "b" }`
    Written(Written),
    /// `rows s in Square by row, file split "/" { ... }`
    Rows(RowsPart),
    /// `each c in Castling when COND { ... }`
    Each(EachPart),
}

/// Each member of a kind, in rows.
#[derive(Clone, Debug)]
pub struct RowsPart {
    /// What the member is called in it.
    pub var: Word,
    /// The kind.
    pub kind: Word,
    /// Which members.
    pub filter: Option<Expr>,
    /// The field of the row and the field of the order in it; or only the second.
    pub by: Vec<Word>,
    /// What stands between two rows.
    pub split: Option<Word>,
    /// What is written of each.
    pub cell: Written,
}

/// Those members of a kind of which something holds.
#[derive(Clone, Debug)]
pub struct EachPart {
    /// What the member is called in it.
    pub var: Word,
    /// The kind.
    pub kind: Word,
    /// What holds.
    pub when: Expr,
    /// What is written of each.
    pub written: Written,
}

/// Ways of writing something: the first that has a value.
#[derive(Clone, Debug)]
pub struct Written {
    /// The ways.
    pub ways: Vec<WrittenPart>,
    /// What is written where none has a value.
    pub blank: Option<Blank>,
}

/// One way of writing something.
#[derive(Clone, Debug)]
pub enum WrittenPart {
    /// `"{quiet}"`: a text with values in braces.
    Text(Word),
    /// `p { White "w"  Black "b" }`: a value, and how each is written.
    Codes(Expr, Vec<(Expr, Word)>),
}

/// What is written where there is no value.
#[derive(Clone, Debug)]
pub enum Blank {
    /// A text.
    Text(Word),
    /// How many follow each other.
    Counted,
}

/// `transcript pgn "Portable Game Notation" style san from fen { White "1-0"  draw "1/2-1/2" }`
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Its name.
    pub name: Word,
    /// What it is called.
    pub label: Option<Label>,
    /// The style in which moves are written.
    pub style: Option<Word>,
    /// The notation of positions in which its beginning is written.
    pub from: Option<Word>,
    /// How results are written: of the seat that wins, and with no seat of a draw.
    pub results: Vec<(Option<Word>, Word)>,
}
