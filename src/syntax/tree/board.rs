//! What is declared about the picture of a board.

use super::{Expr, Label, Word};

/// `board Region row row column col shows Character at at`
#[derive(Clone, Debug)]
pub struct Board {
    /// The kind drawn.
    pub kind: Word,
    /// How its members are arranged.
    pub arranged: Arranged,
    /// Their own fields that are told with them.
    pub with: Option<Vec<Shown>>,
    /// The pieces on them.
    pub shows: Vec<Shows>,
    /// The variables and piles told beside the picture.
    pub tells: Option<Vec<Shown>>,
}

/// How the members of the kind drawn are arranged.
#[derive(Clone, Debug)]
pub enum Arranged {
    /// `row row column col`
    Rows { row: Word, column: Word },
    /// `grouped by nation (stage, active)`; one group if there is no `grouped`.
    Groups(Option<GroupedBy>),
}

/// The field by which members are grouped.
#[derive(Clone, Debug)]
pub struct GroupedBy {
    /// The field.
    pub field: Word,
    /// What is told of the member that heads a group.
    pub told: Vec<Shown>,
}

/// A field or variable that is told: `taken_by "held by"`.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The field.
    pub field: Word,
    /// What is said before its value in place of its name.
    pub label: Option<Label>,
}

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
    pub with: Option<Vec<Shown>>,
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

/// `tell p: Player "{p} has {gold(p)} left" when COND`: a line beside the board.
#[derive(Clone, Debug)]
pub struct Tell {
    /// A name, and the kind of which it is each member.
    pub each: Option<(Word, Word)>,
    /// What is said.
    pub text: Label,
    /// When it is said.
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
