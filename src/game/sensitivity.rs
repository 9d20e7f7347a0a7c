//! How a verdict hangs on the readings of the rules.

use super::Verdict;
use crate::model::ConfigId;

/// How many combinations of readings were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// All that there are.
    All,
    /// Each alternative by itself and each pair, the other readings as they are in force.
    Pairs,
}

/// What becomes of a verdict under other readings than those in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// The verdict under the readings in force.
    pub verdict: Verdict,
    /// For each reading the verdict under each of its alternatives, the other readings as they are in force.
    pub table: Vec<(ConfigId, Vec<Verdict>)>,
    /// What was covered.
    pub cover: Cover,
    /// How many combinations that is; of very many, the largest number there is.
    pub combinations: u64,
    /// Under how many of them the verdict is another one.
    pub differing: u64,
    /// The alternatives that make the verdict another one: as few together as can be, and no fewer of them do it.
    pub others: Vec<(Vec<(ConfigId, i32)>, Verdict)>,
}

impl Sensitivity {
    /// A verdict of which nothing is said under other readings.
    #[must_use]
    pub fn certain(verdict: Verdict) -> Sensitivity {
        Sensitivity { verdict, table: Vec::new(), cover: Cover::All, combinations: 1, differing: 0, others: Vec::new() }
    }

    /// Whether the verdict is the same under all that was covered.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.differing == 0
    }
}
