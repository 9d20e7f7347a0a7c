//! How a verdict depends on the readings of the rules.

use super::Verdict;
use crate::model::ConfigId;

/// How many combinations of readings were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// All combinations.
    All,
    /// Each alternative by itself and each pair, the other readings as they are in force.
    Pairs,
}

/// How sensitive a verdict is to the readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// The verdict under the readings in force.
    pub verdict: Verdict,
    /// For each reading the verdict under each of its alternatives, the other readings as they are in force.
    pub table: Vec<(ConfigId, Vec<Verdict>)>,
    /// What was covered.
    pub cover: Cover,
    /// The number of combinations, saturating.
    pub combinations: u64,
    /// The number of combinations under which the verdict differs.
    pub differing: u64,
    /// The smallest sets of alternatives that together change the verdict.
    pub others: Vec<(Vec<(ConfigId, i32)>, Verdict)>,
}

impl Sensitivity {
    /// A verdict that was not examined under other readings.
    #[must_use]
    pub fn certain(verdict: Verdict) -> Sensitivity {
        Sensitivity { verdict, table: Vec::new(), cover: Cover::All, combinations: 1, differing: 0, others: Vec::new() }
    }

    /// Whether the verdict is the same under all combinations covered.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.differing == 0
    }
}
