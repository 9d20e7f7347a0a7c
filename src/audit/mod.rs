//! How far the cases and records of a game hold its rules to account: which clauses they come to, and whether they would notice if one were another.

mod excuse;
mod hunt;
mod journal;
mod measure;
mod mutant;
mod sites;
mod witness;

pub use excuse::{Excuse, excuses};
pub use hunt::Hunt;
pub use journal::{Fate, Journal};
pub use measure::{Measure, Part, Tally, Through, game};
pub use mutant::{Kind, Mutant, Scope};
pub use sites::mutants;
pub use witness::{Rulebook, Witness, Witnesses, witnesses};
