//! Random games that are only counted: nobody looks at any of them.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Finish, Playouts, Tally, at_once};
use crate::game::{Evaluator, Fault, Position};
use crate::players::derived;

/// The maximum number of games that a thread plays before what came of them is added up.
const MAX_GAMES: u64 = 256;

/// What came of a few games.
#[derive(Debug, Default)]
struct Few {
    games: u64,
    /// How often each ending came with these winners, as bits, after so many plies; in order.
    ends: Vec<(End, usize)>,
    /// Games that did not end, and their plies.
    others: Vec<(Finish, usize)>,
}

/// How a game ended: by which ending, who won, after how many plies.
type End = (usize, u32, usize);

impl Few {
    fn add(&mut self, end: End) {
        self.games += 1;
        match self.ends.binary_search_by(|(other, _)| other.cmp(&end)) {
            Ok(at) => self.ends.iter_mut().skip(at).take(1).for_each(|(_, games)| *games += 1),
            Err(at) => self.ends.insert(at, (end, 1)),
        }
    }
}

/// What came of games at once by one evaluator, from a position or from the start, and how many were played; game `i`
/// has the seed [`derived`]`(seed, i)`. `each` is called as each is over (in any order). They end with the first game
/// that meets a fault that takes long to find. Once `stop` is set, no more games are begun.
pub fn counted_until<E: Evaluator + Sync>(
    stop: &AtomicBool,
    evaluator: &E,
    from: Option<&Position>,
    (games, seed): (Range<u64>, u64),
    max_plies: usize,
    each: impl Fn() + Sync,
) -> (Tally, u64) {
    let all = games.end.saturating_sub(games.start);
    // Enough parts that no thread is without one for long.
    let part = (all / (16 * rayon::current_num_threads().max(1) as u64)).clamp(1, MAX_GAMES);
    let play = |table: &mut Result<Playouts<'_, E>, Fault>, number: u64| {
        let first = games.start + number * part;
        let (mut few, mut long) = (Few::default(), false);
        for i in first..games.end.min(first + part) {
            if stop.load(Ordering::Relaxed) || long {
                break;
            }
            let came = match table {
                Ok(table) => table.ended(derived(seed, i), max_plies),
                Err(fault) => Err((Finish::Fault(fault.clone()), 0)),
            };
            match came {
                Ok(end) => few.add(end),
                Err((finish, plies)) => {
                    long = finish.is_long();
                    few.games += 1;
                    few.others.push((finish, plies));
                }
            }
            each();
        }
        (few, long)
    };
    let parts = at_once(stop, 0..all.div_ceil(part), || Playouts::new(evaluator, from), play);
    let (mut tally, mut played) = (Tally::default(), 0);
    for few in parts {
        played += few.games;
        few.ends.into_iter().for_each(|((ending, winners, plies), games)| tally.ended(ending, winners, plies, games));
        few.others.into_iter().for_each(|(finish, plies)| tally.add(finish, plies));
    }
    (tally, played)
}
