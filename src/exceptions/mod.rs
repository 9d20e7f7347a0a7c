//! What is said of one thing, all clauses in their order: the general rule, the exceptions to it, the exceptions to those, the layers, what forbids and what sets
//! that aside, and what switches clauses off.

mod find;
mod tree;

pub use find::{Thing, find, list};
pub use tree::{Branch, Tree, tree};
