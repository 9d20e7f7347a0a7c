//! Which clauses decide something in play.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Side;
use crate::audit::{self, Measure, Through};
use crate::players::derived;
use crate::simulate::MAX_PLIES;

/// Clauses, steps and procedures that decided something in games under only one of two sets of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waking {
    /// The number of games under each.
    pub games: usize,
    /// Those that decided something only under the second rules, and in how many games.
    pub woke: Vec<(String, usize)>,
    /// The same under the first rules only.
    pub slept: Vec<(String, usize)>,
}

/// Plays random games under both rules with a ruling on each ply, up to `games`, or as many as there is time for.
#[must_use]
pub fn waking(before: &Side, after: &Side, games: u64, seed: u64, time: Duration) -> Waking {
    let began = Instant::now();
    let mut counts: [BTreeMap<String, usize>; 2] = Default::default();
    let mut played = 0;
    for game in 0..games {
        let seed = derived(seed, game);
        let both = [before, after].map(|side| decided(side, seed));
        let [Some(was), Some(now)] = both else { continue };
        played += 1;
        for (count, names) in counts.iter_mut().zip([was, now]) {
            names.into_iter().for_each(|name| *count.entry(name).or_default() += 1);
        }
        if began.elapsed() > time {
            break;
        }
    }
    let [was, now] = counts;
    let only = |these: &BTreeMap<String, usize>, others: &BTreeMap<String, usize>| {
        let only = these.iter().filter(|(name, _)| !others.contains_key(*name));
        only.map(|(name, games)| (name.clone(), *games)).collect()
    };
    Waking { games: played, woke: only(&now, &was), slept: only(&was, &now) }
}

/// What decided something in a game; `None` if the rules fail in it.
fn decided(side: &Side, seed: u64) -> Option<std::collections::BTreeSet<String>> {
    let model = &side.rules.loaded().model;
    let trace = audit::game(model, side.rules.config().clone(), seed, MAX_PLIES).ok()?;
    let mut measure = Measure::new(model);
    measure.add(model, &Arc::clone(&trace), Through::Games);
    let decided = measure.parts().into_iter().filter(|part| part.decided());
    Some(decided.map(|part| part.what.clone()).collect())
}
