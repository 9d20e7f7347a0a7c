//! What the cases and records decide.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::audit::{self, Measure, PartKey, SuiteItem, Through};
use crate::model::Model;
use crate::rules::Rulebook;

/// What the cases and records of a game decide.
#[derive(Debug, Default)]
pub struct Measured {
    /// How often each part of the rules decided something.
    pub(super) measure: Measure,
    /// For each case and record the parts that decided something in it, those first that do so in the fewest.
    pub(super) decided: Vec<Vec<PartKey>>,
    /// For each part the cases and records in which it decided something, those first in which the fewest others did.
    pub(super) deciding: BTreeMap<PartKey, Vec<usize>>,
    /// Cases and records that do not hold: where each begins, and why.
    pub faults: Vec<(String, String)>,
}

/// Runs the cases and records under the rules that they name, with everything explained. `done` is told of each.
#[must_use]
pub fn measure(model: &Model, rules: &Rulebook, suite: &[SuiteItem], done: &(dyn Fn() + Sync)) -> Measured {
    let traced: Vec<_> = suite
        .par_iter()
        .map(|item| {
            let traced = item.traced(rules);
            done();
            traced.map(|(model, trace)| (audit::decided(&model, &trace), model, trace))
        })
        .collect();
    let mut found = Measured { measure: Measure::new(model), ..Measured::default() };
    for (i, (item, traced)) in suite.iter().zip(traced).enumerate() {
        let through = if item.is_record() { Through::Records } else { Through::Cases };
        match traced {
            Ok((decided, model, trace)) => {
                found.measure.add(&model, &trace, through);
                decided.iter().for_each(|part| found.deciding.entry(part.clone()).or_default().push(i));
                found.decided.push(decided);
            }
            Err(why) => {
                found.faults.push((item.place.clone(), why.to_string()));
                found.decided.push(Vec::new());
            }
        }
    }
    // A case in which little else decides shows a rule best.
    let decided = &found.decided;
    for items in found.deciding.values_mut() {
        items.sort_by_key(|i| (decided.get(*i).map_or(0, Vec::len), *i));
    }
    let often = |part: &PartKey| found.deciding.get(part).map_or(0, Vec::len);
    for decided in &mut found.decided {
        decided.sort_by(|a, b| often(a).cmp(&often(b)).then_with(|| a.cmp(b)));
    }
    found
}
