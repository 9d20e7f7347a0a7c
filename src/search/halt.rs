//! Why there is no answer to a question about what lies ahead.

use crate::game::Fault;
use crate::spelling::{hint, list};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// The rules fail on the way.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A seat must decide and has no policy.
    #[error("{name} must decide: {}", list(options, MAX_TOLD_OPTIONS))]
    Unsaid {
        /// The seat.
        seat: u16,
        /// Its name.
        name: String,
        /// What it can do.
        options: Vec<String>,
    },
    /// An answer given for a seat never was an option.
    #[error("\"{answer}\" never was an option of {name}{}", hint(near))]
    Idle {
        /// The seat.
        seat: u16,
        /// Its name.
        name: String,
        /// The answer.
        answer: String,
        /// What may have been meant.
        near: Vec<String>,
    },
    /// A seat is to play what is best or worst for an answer that is neither a number nor a truth.
    #[error("`{0}` is neither a number nor yes or no, so nothing is best for it")]
    NothingIsBest(String),
    /// Several seats are to play `best` or `worst`.
    #[error("only one seat can play `best` or `worst`; say how the others play")]
    SeveralBest,
    /// The best choice is not known within the bounds.
    #[error("the best choice is not known within {positions} positions and {plies} plies")]
    BestUnknown {
        /// The maximum number of positions.
        positions: usize,
        /// The maximum number of plies.
        plies: usize,
    },
    /// What is best cannot be found by sampling.
    #[error("what is best cannot be found by sampling")]
    BestSampled,
}

/// The options that are told of a seat that must decide.
const MAX_TOLD_OPTIONS: usize = 6;
