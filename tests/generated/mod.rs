//! Games made at random: small rule sets with every construct of the language, to be played by all evaluators in step.
#![allow(dead_code, missing_docs)]

mod clause;
pub mod constructs;
mod decl;
mod expr;
mod maker;
mod parts;
mod play;
pub mod shrink;
pub mod source;
pub mod step;
mod stmt;
mod things;
mod world;

pub use play::game;
pub use world::Game;
