//! All clauses about one subject in order: the general rule, the exceptions to it, the exceptions to those, the layers,
//! prohibitions and what sets them aside, and silences.

mod find;
mod tree;
mod words;

pub use find::{Thing, find, list};
pub use tree::{Branch, Note, Role, Says, tree};
pub use words::Teller;
