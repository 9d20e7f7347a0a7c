//! Grids.

use super::{Field, Word};
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
