//! What would have to be otherwise for an action to be legal.

use crate::model::{Value, VarId};

/// One entry of a variable with another value than it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The variable.
    pub var: VarId,
    /// The entry of an indexed one, else 0.
    pub index: u16,
    /// The values each of which does it, in order.
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

/// What was found by trying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhatIfs {
    /// The smallest that there are, the plainest first.
    pub found: Vec<WhatIf>,
    /// How many positions were judged; 0 where only what a seat sees counts, as it might tell of the rest.
    pub tried: usize,
    /// How many may be judged at the most.
    pub most: usize,
    /// Not all that could be changed was tried.
    pub bounded: bool,
    /// All changes of one fact were tried, and none of them is enough.
    pub none_alone: bool,
}
