//! The ruling on a list that a seat brings.

use super::{Considered, Derived, Fault, ReadingEffect, Seen, SeenValue, Verdict};
use crate::model::BringId;

/// One thing in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Brought {
    /// The member that it is.
    pub member: u16,
    /// The section it stands in; 0 if the list has none.
    pub section: u16,
}

/// A list with which a game begins: whose it is, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartingList {
    /// What is brought.
    pub bring: BringId,
    /// Whose it is.
    pub seat: u16,
    /// What is in it, in order.
    pub things: Vec<Brought>,
}

/// The ruling on a list. It covers all clauses, not only the first that the list breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRuling {
    /// What is brought.
    pub bring: BringId,
    /// Whose it is.
    pub seat: u16,
    /// Legal if no clause is broken; undecided if none is broken, but one cannot be decided.
    pub verdict: Verdict,
    /// What the things in it cost, if the rules say so.
    pub costs: Option<ListCosts>,
    /// The clauses, in the order of the rules.
    pub demands: Vec<ListDemand>,
    /// The readings on which the verdict depends.
    pub readings: Vec<ReadingEffect>,
}

/// What the things in a list cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListCosts {
    /// Each thing once, in the order of the list: the member, how many of it, and the cost of one.
    pub each: Vec<(u16, usize, i32)>,
    /// The cost of all.
    pub sum: i64,
    /// What all may cost.
    pub most: Option<i32>,
}

/// One clause on a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListDemand {
    /// The clause, and whether it applies.
    pub by: Considered,
    /// Whether it is kept; `None` if it does not apply or cannot be decided.
    pub kept: Option<bool>,
    /// What it asks, up to the first condition that fails.
    pub asked: Vec<Seen>,
    /// The members that break it, if the condition that fails is about each member of a set.
    pub against: Vec<(SeenValue, usize)>,
    /// Definitions on the way that some clause changed.
    pub derived: Vec<Derived>,
    /// Why it cannot be decided.
    pub fault: Option<Fault>,
}
