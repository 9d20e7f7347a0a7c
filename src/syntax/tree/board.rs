//! What is declared about the picture of a board.

use super::{Expr, Label, Word};

/// The pieces that a board shows.
#[derive(Clone, Debug)]
pub struct Shows {
    /// Their kind.
    pub kind: Word,
    /// Their field that says where they are.
    pub at: Word,
    /// Their field that says in which direction they look.
    pub facing: Option<Word>,
    /// Their fields that are told with them.
    pub with: Option<Vec<Word>>,
}

/// `mark ...`: a sign on the board.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Where it may be drawn.
    pub at: MarkAt,
    /// The sign.
    pub sign: Word,
    /// What it means.
    pub label: Option<Label>,
    /// Where it is drawn.
    pub when: Option<Expr>,
}

/// Where a mark may be drawn.
#[derive(Clone, Debug)]
pub enum MarkAt {
    /// `h: Hex`: in the cells.
    Cells { name: Word, kind: Word },
    /// `a to b in hexes`: on the sides between them.
    Sides { from: Word, to: Word, grid: Word },
}
