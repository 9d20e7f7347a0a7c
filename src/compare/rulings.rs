//! Cases that come out otherwise.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::written::titles;
use super::{Deciding, Edits, Side, Written};
use crate::audit::{Suite, Traced};
use crate::explain::Mark;
use crate::model::{ClauseId, CodeId, Step};

/// A case that comes out otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherRuling {
    /// The case.
    pub case: String,
    /// File and line.
    pub place: String,
    /// What the case says.
    pub expected: String,
    /// What comes instead.
    pub got: String,
    /// Whether the case cannot be asked under the second rules: they cannot be loaded, or it means nothing there.
    pub unusable: bool,
    /// The changes that make it come out so; if none by itself or together with others does, those of the changed
    /// clauses that decided something in it, under either rules.
    pub deciding: Deciding,
}

/// What came of all cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rulings {
    /// How many there are.
    pub cases: usize,
    /// Cases that fail under the first rules too: nothing is said about them.
    pub failing: Vec<String>,
    /// Those that come out otherwise, in the order of the casebooks.
    pub others: Vec<OtherRuling>,
    /// In how many cases each change decided something.
    pub reached: Vec<(String, usize)>,
}

/// What came of one case.
enum Came {
    Same(BTreeSet<String>),
    Failing(String),
    Other(OtherRuling, BTreeSet<String>),
}

/// Those of some clauses and steps that decided something.
fn decided(traced: Option<Traced>, names: &BTreeSet<&str>) -> BTreeSet<String> {
    let Some((model, trace)) = traced else { return BTreeSet::new() };
    let clauses = titles(&model).into_iter().zip(0..);
    let clauses = clauses.filter(|(_, i)| trace.clause(ClauseId(*i)) == Mark::Decided).map(|(title, _)| title);
    let mut steps = Vec::new();
    for (code, i) in model.codes.iter().zip(0..) {
        let ran = |step: &&Step| (step.start..step.end).any(|pc| trace.instr(CodeId(i), pc) == Mark::Decided);
        steps.extend(code.steps.iter().filter(ran).map(|step| format!("step {}.{}", code.name, step.name)));
    }
    clauses.chain(steps).filter(|name| names.contains(name.as_str())).collect()
}

/// The cases of the first rules under both.
#[must_use]
pub fn rulings(before: &Side, after: &Side, suite: &Suite, written: &Written, edits: &Edits) -> Rulings {
    let names = written.names();
    let cases: Vec<_> = suite.all.iter().filter(|item| !item.is_record()).collect();
    let came: Vec<Came> = cases
        .par_iter()
        .filter_map(|item| {
            let (traced, now) = item.report(&after.book, &after.settings)?;
            let mut through = decided(traced, &names);
            let Some(failure) = now.failures.first() else { return Some(Came::Same(through)) };
            let (traced, was) = item.report(&before.book, &before.settings)?;
            if !was.passed {
                return Some(Came::Failing(item.place.clone()));
            }
            through.extend(decided(traced, &names));
            let passes = |side: &Side| item.report(&side.book, &side.settings).is_some_and(|(_, came)| came.passed);
            let mut deciding = edits.deciding(&through, &passes);
            if deciding.names.is_empty() {
                deciding.names = through.iter().cloned().collect();
            }
            let other = OtherRuling {
                case: item.name.clone(),
                place: item.place.clone(),
                expected: failure.expected.clone(),
                got: failure.got.clone(),
                unusable: failure.of_rules || failure.mistake.is_some(),
                deciding,
            };
            Some(Came::Other(other, through))
        })
        .collect();
    let mut rulings = Rulings { cases: came.len(), ..Rulings::default() };
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    for one in came {
        let through = match one {
            Came::Same(through) => through,
            Came::Failing(place) => {
                rulings.failing.push(place);
                continue;
            }
            Came::Other(other, mut through) => {
                through.extend(other.deciding.names.iter().cloned());
                rulings.others.push(other);
                through
            }
        };
        through.into_iter().for_each(|name| *reached.entry(name).or_default() += 1);
    }
    rulings.reached = reached.into_iter().collect();
    rulings
}
