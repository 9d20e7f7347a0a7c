//! What lies ahead of a position: how likely something is, whether a win is forced, whether something can come about at all.
//!
//! All of it goes by positions, and positions that are equal are one, however they were reached. Nothing here draws random numbers but
//! [`sample`] and [`find`], which ask [`players`](crate::players) for them.

mod best;
mod odds;
mod policy;
mod query;
mod ratio;
mod sample;

pub use odds::{Chances, Halt, Odds, Until};
pub use policy::{Otherwise, Policy, WORDS, make};
pub use query::{FORMS, Query};
pub use ratio::Ratio;
pub use sample::{Sampled, sample};
