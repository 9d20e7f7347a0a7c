//! How much both evaluators work out before they give up, so that they give up alike.

/// The most that is worked out for one question, or on the way from a choice to the next decision point: definitions
/// with their arguments, clauses looked at, members of sets gone through, values tried for the parameters of actions,
/// statements looked ahead at.
pub(crate) const MAX_WORK: u32 = 10_000_000;

/// The most options of a decision.
pub(crate) const MAX_OPTIONS: usize = 1_000_000;
