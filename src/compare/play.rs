//! Who wins how often, and how long games are.

use std::collections::BTreeMap;

use super::Side;
use crate::game::Outcome;
use crate::lexicon::Lexicon;
use crate::simulate::{self, Finish, MAX_PLIES};
use crate::stats::{Confidence, Counts};

/// How often something came about, and the difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// An ending in words; or who wins.
    pub name: String,
    /// In how many games.
    pub games: [usize; 2],
    /// The second share less the first, from -1 to 1, with its interval.
    pub difference: (f64, f64, f64),
}

impl Share {
    /// Whether the interval leaves out 0.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.difference.1 > 0.0 || self.difference.2 < 0.0
    }
}

/// How long games are.
#[derive(Clone, Debug, PartialEq)]
pub struct Length {
    /// The means, in plies.
    pub means: [f64; 2],
    /// The second mean less the first, with its interval.
    pub difference: (f64, f64, f64),
}

impl Length {
    /// Whether the interval leaves out 0.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.difference.1 > 0.0 || self.difference.2 < 0.0
    }
}

/// What came of games between random bots under both rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// Games that ended, under each.
    pub games: [usize; 2],
    /// Games in which the rules failed.
    pub faulty: [usize; 2],
    /// Wins by seat, draws, then endings.
    pub shares: Vec<Share>,
    /// How long the games are.
    pub length: Length,
    /// The number of comparisons that the intervals are made for, so that all of them hold together at 95 %.
    pub comparisons: usize,
}

/// What came of the games under one set of rules.
#[derive(Default)]
struct Tally {
    games: usize,
    faulty: usize,
    wins: BTreeMap<String, usize>,
    endings: BTreeMap<String, usize>,
    plies: Counts,
}

/// Games under both rules, between bots that choose at random; the seeds are the same.
#[must_use]
pub fn play(before: &Side, after: &Side, games: u64, seed: u64, lang: &str) -> Play {
    let (old, new) = (tally(before, games, seed, lang), tally(after, games, seed, lang));
    let mut rows: Vec<(String, [usize; 2])> = Vec::new();
    for (was, now) in [(&old.wins, &new.wins), (&old.endings, &new.endings)] {
        let names: std::collections::BTreeSet<&String> = was.keys().chain(now.keys()).collect();
        let of = |all: &BTreeMap<String, usize>, name: &String| all.get(name).copied().unwrap_or(0);
        rows.extend(names.into_iter().map(|name| (name.clone(), [of(was, name), of(now, name)])));
    }
    let comparisons = rows.len() + 1;
    let confidence = Confidence::USUAL.for_all(comparisons);
    let share = |(name, games): (String, [usize; 2])| {
        let difference = confidence.difference((games[0], old.games), (games[1], new.games)).into();
        Share { name, games, difference }
    };
    Play {
        games: [old.games, new.games],
        faulty: [old.faulty, new.faulty],
        shares: rows.into_iter().map(share).collect(),
        length: Length {
            means: [old.plies.mean(), new.plies.mean()],
            difference: confidence.mean_difference(&old.plies.moments(), &new.plies.moments()).into(),
        },
        comparisons,
    }
}

fn tally(side: &Side, games: u64, seed: u64, lang: &str) -> Tally {
    let lexicon = Lexicon::new(side.rules.model(), lang);
    let engine = side.rules.evaluators();
    engine.compile();
    let look = |finish: Finish, plies: usize| match finish {
        Finish::Over(outcome) => Some((outcome, plies)),
        _ => None,
    };
    let mut tally = Tally::default();
    for batch in simulate::batches(games) {
        for one in simulate::outcomes(engine, None, batch, seed, MAX_PLIES, look) {
            let Some((outcome, plies)) = one else {
                tally.faulty += 1;
                continue;
            };
            tally.games += 1;
            tally.plies.add(plies);
            let winners: Vec<String> = outcome.winners.iter().map(|seat| lexicon.seat(*seat)).collect();
            let who = match winners.is_empty() {
                true => lexicon.words.play.draw.to_owned(),
                false => winners.join(lexicon.words.comma),
            };
            *tally.wins.entry(who).or_default() += 1;
            let bare = Outcome { scores: Vec::new(), ..outcome };
            *tally.endings.entry(lexicon.outcome(&bare)).or_default() += 1;
        }
    }
    tally
}
