//! How well the cases and records of a game test its rules: which clauses they use, and whether they would fail if a
//! clause changed.

mod explanation;
mod log;
mod measure;
mod mutant;
mod run;
mod sites;
mod suite;

pub use explanation::{Explanation, explanation};
pub use log::{Fate, MutationLog};
pub use measure::{Measure, Part, PartKey, Tally, Through, clause_title, decided, game};
pub use mutant::{Kind, Mutant, Scope};
pub use run::MutationRun;
pub use sites::mutants;
pub use suite::{Suite, SuiteError, SuiteItem, Traced, suite};
