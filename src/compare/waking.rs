//! Which clauses decide something in play.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Side;
use crate::audit::{self, Measure, Through};
use crate::players::derived;
use crate::simulate::MAX_PLIES;

/// A clause, step or procedure that decided something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name, as in [`super::Written`].
    pub name: String,
    /// In how many games, under each rules.
    pub games: [usize; 2],
}

/// Clauses, steps and procedures that decided something in games under two sets of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waking {
    /// The number of games under each.
    pub games: usize,
    /// By their names.
    pub parts: Vec<Part>,
}

impl Waking {
    /// Those that decided something only under the second rules (`now`), or only under the first, and in how many
    /// games; those of most games first.
    #[must_use]
    pub fn only(&self, now: bool) -> Vec<(&str, usize)> {
        let games = |part: &Part| if now { part.games } else { [part.games[1], part.games[0]] };
        let only = self.parts.iter().filter_map(|part| match games(part) {
            [0, n] => Some((part.name.as_str(), n)),
            _ => None,
        });
        let mut only: Vec<(&str, usize)> = only.collect();
        only.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        only
    }
}

/// Plays random games under both rules with a ruling on each ply, up to `games`, or as many as there is time for.
#[must_use]
pub fn waking(before: &Side, after: &Side, games: u64, seed: u64, time: Duration) -> Waking {
    let began = Instant::now();
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut played = 0;
    for game in 0..games {
        let seed = derived(seed, game);
        let both = [before, after].map(|side| decided(side, seed));
        let [Some(was), Some(now)] = both else { continue };
        played += 1;
        was.into_iter().for_each(|name| counts.entry(name).or_default()[0] += 1);
        now.into_iter().for_each(|name| counts.entry(name).or_default()[1] += 1);
        if began.elapsed() > time {
            break;
        }
    }
    let parts = counts.into_iter().map(|(name, games)| Part { name, games }).collect();
    Waking { games: played, parts }
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
