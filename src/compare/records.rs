//! Recorded games that go otherwise.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{Deciding, Edits, Side};
use crate::audit::{Suite, SuiteItem};
use crate::record::{ReplayEnd, Stop};

/// A recorded game that goes otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherRecord {
    /// Its file.
    pub record: String,
    /// How.
    pub goes: Goes,
    /// The changes that make it go so.
    pub deciding: Deciding,
}

/// How a recorded game goes under the second rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goes {
    /// It stops at this ply, from 1 (0: it cannot begin): why, in words that name the ply.
    Stops(usize, String),
    /// All plies can be made, and it ends otherwise: how, in words.
    Ends(String),
    /// It goes on to its end, and at this ply, from 1, another number of options is there for the first time.
    Options(usize),
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

/// How a record goes; `None` if as recorded, or if it is none.
fn goes(item: &SuiteItem, side: &Side, lang: &str) -> Option<Goes> {
    let (rules, replay) = match item.replayed(&side.book, &side.settings)? {
        Ok(played) => played,
        Err(error) => return Some(Goes::Stops(0, error.to_string())),
    };
    match (&replay.end, replay.first_difference) {
        (ReplayEnd::Stopped { ply, reason, .. }, _) => {
            let why = replay.reason(rules.explainer(), lang).unwrap_or_default();
            Some(if let Stop::WrongResult(_) = reason { Goes::Ends(why) } else { Goes::Stops(*ply, why) })
        }
        (ReplayEnd::Complete(_), Some(ply)) => Some(Goes::Options(ply)),
        (ReplayEnd::Complete(_), None) => None,
    }
}

/// The records of the first rules under both.
#[must_use]
pub fn records(before: &Side, after: &Side, suite: &Suite, edits: &Edits, lang: &str) -> Records {
    let all: Vec<_> = suite.all.iter().filter(|item| item.is_record()).collect();
    let came: Vec<Result<OtherRecord, String>> = all
        .par_iter()
        .filter_map(|item| {
            let other = goes(item, after, lang)?;
            let was = goes(item, before, lang);
            if let Some(Goes::Stops(..) | Goes::Ends(_)) = was {
                return Some(Err(item.name.clone()));
            }
            let restored = |side: &Side| match (&other, goes(item, side, lang)) {
                (Goes::Options(_), now) => now == was,
                (_, now) => !matches!(now, Some(Goes::Stops(..) | Goes::Ends(_))),
            };
            let deciding = edits.deciding(&BTreeSet::new(), &restored);
            Some(Ok(OtherRecord { record: item.name.clone(), goes: other, deciding }))
        })
        .collect();
    let mut records = Records { records: all.len(), ..Records::default() };
    for one in came {
        match one {
            Ok(other) => records.others.push(other),
            Err(name) => records.failing.push(name),
        }
    }
    records
}
