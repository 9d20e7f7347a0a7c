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

/// A reading, and each of its alternatives that changes the answer, with the verdict under it; no verdict where the
/// position would not have come about.
pub type ReadingEffect = (ConfigId, Vec<(i32, Option<Verdict>)>);

/// Alternatives of readings, and the verdict under all of them together; no verdict where the position would not have
/// come about.
pub type Together = (Vec<(ConfigId, i32)>, Option<Verdict>);

/// How sensitive a verdict is to the readings. Where the moves that led to the position are known, they are made again
/// under each reading; no verdict means that one of them could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// The verdict under the readings in force.
    pub verdict: Verdict,
    /// For each reading the verdict under each of its alternatives, the other readings as they are in force.
    pub table: Vec<(ConfigId, Vec<Option<Verdict>>)>,
    /// What was covered.
    pub cover: Cover,
    /// Whether the moves that led to the position are known. Otherwise it is taken as it stands.
    pub played: bool,
    /// The number of combinations, saturating.
    pub combinations: u64,
    /// The number of combinations under which the verdict differs.
    pub differing: u64,
    /// The number of combinations under which the position would not have come about.
    pub unreached: u64,
    /// The smallest sets of alternatives that together change the answer.
    pub others: Vec<Together>,
}

impl Sensitivity {
    /// A verdict that was not examined under other readings.
    #[must_use]
    pub fn certain(verdict: Verdict) -> Sensitivity {
        Sensitivity {
            verdict,
            table: Vec::new(),
            cover: Cover::All,
            played: false,
            combinations: 1,
            differing: 0,
            unreached: 0,
            others: Vec::new(),
        }
    }

    /// Whether the verdict is the same under all combinations covered, and the position comes about under all.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.differing == 0 && self.unreached == 0
    }
}
