//! One handle on a rulebook.

mod evaluators;

pub use evaluators::Evaluators;
