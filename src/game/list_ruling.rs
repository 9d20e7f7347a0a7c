//! What is said of a list that a seat brings.

use super::{Considered, Derived, Fault, Seen, SeenValue, Verdict};
use crate::model::{BringId, ConfigId};

/// What the clauses on a list say of it. All of them speak, not only the first that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRuling {
    /// What is brought.
    pub bring: BringId,
    /// Whose it is.
    pub seat: u16,
    /// Legal if no clause is broken; undecided if none is, but one cannot be told.
    pub verdict: Verdict,
    /// The clauses, in the order of the rules.
    pub demands: Vec<ListDemand>,
    /// The readings on which the verdict hangs: the alternative and the verdict under it.
    pub readings: Vec<(ConfigId, Vec<(i32, Verdict)>)>,
}

/// One clause on a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListDemand {
    /// The clause, and whether it applies.
    pub by: Considered,
    /// Whether it is kept; nothing where it does not apply or cannot be told.
    pub kept: Option<bool>,
    /// What it asks, up to the first condition that fails.
    pub asked: Vec<Seen>,
    /// What stands against it, and how many of each, if the condition that fails is about each of a set.
    pub against: Vec<(SeenValue, usize)>,
    /// Definitions on the way that some clause changed.
    pub derived: Vec<Derived>,
    /// Why it cannot be told.
    pub fault: Option<Fault>,
}
