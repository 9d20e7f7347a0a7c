//! What lies ahead of a position: how likely something is, whether a win is forced, whether something can come about at
//! all.
//!
//! All searches work on positions, and equal positions count as one, however they were reached. Only `sample`,
//! `find` and `eyes` draw random numbers, from [`players`](crate::players).

mod best;
mod eyes;
mod find;
mod forget;
mod halt;
mod layer;
mod odds;
mod plan;
mod policy;
mod possible;
mod query;
mod ratio;
mod sample;
mod scope;
mod solve;
mod tree;
mod worlds;

pub use eyes::Sight;
pub use find::{Finder, Sought, find};
pub use forget::Forget;
pub use halt::Halt;
pub use odds::{Chances, Odds, Until};
pub use plan::{Escape, Plan, escape_line, escape_words, lines};
pub use policy::{Otherwise, Policy, WORDS, make};
pub use possible::seen;
pub use query::{FORMS, Query, QueryError};
pub use ratio::Ratio;
pub use sample::{Sampled, sample};
pub use solve::{MAX_SOLVE_DEPTH, Solved, Solver};
pub use worlds::{Unclear, worlds};
