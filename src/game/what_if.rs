//! What-ifs: changes of a position that would make an action legal.

use crate::model::{Value, VarId};

/// One entry of a variable with another value than it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The variable.
    pub var: VarId,
    /// The entry of an indexed one, else 0.
    pub index: u16,
    /// The values that make it legal, in order.
    pub values: Vec<Value>,
    /// How many other values the entry could have.
    pub of: usize,
}

/// Changes of a position that together make an action legal: each value of the one with each of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The changes, one or two.
    pub changes: Vec<Change>,
}

/// The what-ifs that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhatIfs {
    /// The smallest ones, the simplest first.
    pub found: Vec<WhatIf>,
    /// The number of positions judged; 0 if only what a seat sees counts, because the number might give the rest away.
    pub tried: usize,
    /// The maximum number of positions to judge.
    pub most: usize,
    /// Whether some possible changes were not tried.
    pub bounded: bool,
    /// Whether all changes of one fact were tried and none is enough.
    pub none_alone: bool,
}
