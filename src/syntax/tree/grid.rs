//! Grids.

use super::{Expr, Field, Word};
use crate::span::Span;

/// `grid ...`
#[derive(Clone, Debug)]
pub struct Grid {
    /// Its name.
    pub name: Word,
    /// The kind of its cells.
    pub of: Word,
    /// `square` rather than `hexagonal`.
    pub square: bool,
    /// The field with the row.
    pub row: Word,
    /// The field with the column.
    pub column: Word,
    /// `shift even` rather than odd, where it is said.
    pub shift: Option<(bool, Span)>,
    /// The kind of the directions, which this declares.
    pub facing: Option<Word>,
    /// Citations.
    pub cite: Vec<Word>,
    /// What is printed on the sides between neighbours.
    pub fields: Vec<Field>,
}

/// `hexes.distance(a, b)`, `hexes.crosses(a, i, b, j, x to y where C)`.
#[derive(Clone, Debug)]
pub struct GridCall {
    /// The grid.
    pub grid: Word,
    /// What is asked, or a field of the sides.
    pub what: Word,
    /// Arguments.
    pub args: Vec<Expr>,
    /// `x to y where C`.
    pub side: Option<SideBy>,
}

/// `x to y where C`: a condition on two neighbours.
#[derive(Clone, Debug)]
pub struct SideBy {
    /// The first in the order of the members.
    pub from: Word,
    /// The other.
    pub to: Word,
    /// The condition.
    pub cond: Expr,
    /// Where it stands.
    pub span: Span,
}
