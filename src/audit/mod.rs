//! How far the cases and records of a game hold its rules to account: which clauses they come to, and whether they would notice if one were another.

mod explanation;
mod log;
mod measure;
mod mutant;
mod run;
mod sites;
mod suite;

pub use explanation::{Explanation, explanation};
pub use log::{Fate, MutationLog};
pub use measure::{Measure, Part, Tally, Through, game};
pub use mutant::{Kind, Mutant, Scope};
pub use run::MutationRun;
pub use sites::mutants;
pub use suite::{Suite, SuiteItem, suite};
