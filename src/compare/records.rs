//! Recorded games that go otherwise.

use rayon::prelude::*;

use super::Side;
use crate::audit::Suite;
use crate::record::ReplayEnd;

/// A recorded game that goes otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherRecord {
    /// It stops: why, in words that name the ply.
    Stops(String, String),
    /// It goes on to its end, and at this ply, from 1, another number of options is there for the first time.
    Options(String, usize),
}

/// What came of all records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// How many there are.
    pub records: usize,
    /// Those that do not replay under the first rules: nothing is said about them.
    pub failing: Vec<String>,
    /// Those that go otherwise.
    pub others: Vec<OtherRecord>,
}

/// The records of the first rules under both.
#[must_use]
pub fn records(before: &Side, after: &Side, suite: &Suite, lang: &str) -> Records {
    let all: Vec<_> = suite.all.iter().filter(|item| item.is_record()).collect();
    let came: Vec<Result<Option<OtherRecord>, String>> = all
        .par_iter()
        .filter_map(|item| {
            let (rules, replay) = match item.replayed(&after.book, &after.settings)? {
                Ok(played) => played,
                Err(error) => return Some(Ok(Some(OtherRecord::Stops(item.name.clone(), error.to_string())))),
            };
            let other = match (&replay.end, replay.first_difference) {
                (ReplayEnd::Stopped { .. }, _) => {
                    let why = replay.reason(rules.explainer(), lang).unwrap_or_default();
                    OtherRecord::Stops(item.name.clone(), why)
                }
                (ReplayEnd::Complete(_), Some(ply)) => OtherRecord::Options(item.name.clone(), ply),
                (ReplayEnd::Complete(_), None) => return Some(Ok(None)),
            };
            let was = item.replayed(&before.book, &before.settings)?;
            let held = was.is_ok_and(|(_, replay)| matches!(replay.end, ReplayEnd::Complete(_)));
            Some(if held { Ok(Some(other)) } else { Err(item.name.clone()) })
        })
        .collect();
    let mut records = Records { records: came.len(), ..Records::default() };
    for one in came {
        match one {
            Ok(other) => records.others.extend(other),
            Err(name) => records.failing.push(name),
        }
    }
    records
}
