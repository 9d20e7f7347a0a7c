//! Who wins how often, and how long games are.

use std::collections::BTreeMap;

use super::Side;
use crate::game::Outcome;
use crate::lexicon::Lexicon;
use crate::simulate::{self, Finish, MAX_PLIES};

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
    plies: Vec<f64>,
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
    let z = normal_quantile(1.0 - 0.025 / comparisons as f64);
    let share = |(name, games): (String, [usize; 2])| {
        let difference = between((games[0], old.games), (games[1], new.games), z);
        Share { name, games, difference }
    };
    Play {
        games: [old.games, new.games],
        faulty: [old.faulty, new.faulty],
        shares: rows.into_iter().map(share).collect(),
        length: length(&old.plies, &new.plies, z),
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
            tally.plies.push(plies as f64);
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

/// The difference of two shares, with Newcombe's interval (R. G. Newcombe, "Interval estimation for the difference
/// between independent proportions", *Statistics in Medicine* 17, 1998, method 10), for this many standard deviations.
fn between(was: (usize, usize), now: (usize, usize), z: f64) -> (f64, f64, f64) {
    let share = |(hits, of): (usize, usize)| hits as f64 / (of as f64).max(1.0);
    let ((p, low_p, high_p), (q, low_q, high_q)) = (
        {
            let (low, high) = wilson(was, z);
            (share(was), low, high)
        },
        {
            let (low, high) = wilson(now, z);
            (share(now), low, high)
        },
    );
    let root = |a: f64, b: f64| (a * a + b * b).sqrt();
    (q - p, (q - p) - root(q - low_q, high_p - p), (q - p) + root(high_q - q, p - low_p))
}

/// Wilson's interval for a share, for this many standard deviations.
fn wilson((hits, of): (usize, usize), z: f64) -> (f64, f64) {
    let n = (of as f64).max(1.0);
    let p = hits as f64 / n;
    let scale = 1.0 + z * z / n;
    let middle = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (((middle - spread) / scale).max(0.0), ((middle + spread) / scale).min(1.0))
}

/// The difference of two means, with the interval of the normal approximation.
fn length(was: &[f64], now: &[f64], z: f64) -> Length {
    let mean = |all: &[f64]| all.iter().sum::<f64>() / (all.len() as f64).max(1.0);
    let error = |all: &[f64]| {
        let (n, mean) = (all.len() as f64, mean(all));
        all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0).max(1.0) / n.max(1.0)
    };
    let difference = mean(now) - mean(was);
    let spread = z * (error(was) + error(now)).sqrt();
    Length { means: [mean(was), mean(now)], difference: (difference, difference - spread, difference + spread) }
}

/// The number of standard deviations below which a share of a normal distribution lies, for shares from a half up.
fn normal_quantile(share: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 40.0_f64);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if upper_tail(middle) > 1.0 - share { low = middle } else { high = middle }
    }
    low
}

/// The share of a normal distribution above `x` standard deviations (M. Abramowitz, I. Stegun, *Handbook of
/// Mathematical Functions*, 26.2.17; the error is below 7.5e-8).
fn upper_tail(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x);
    let terms = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = terms.iter().rev().fold(0.0, |sum, term| t * (sum + term));
    sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        assert!((normal_quantile(0.975) - 1.959_964).abs() < 1e-4);
        assert!((normal_quantile(0.995) - 2.575_829).abs() < 1e-4);
        // Newcombe 1998, table II, example (a): 56/70 against 48/80, method 10: 0.0524 to 0.3339.
        let (difference, low, high) = between((48, 80), (56, 70), 1.959_964);
        assert!((difference - 0.2).abs() < 1e-9, "{difference}");
        assert!((low - 0.0524).abs() < 5e-5 && (high - 0.3339).abs() < 5e-5, "{low} {high}");
    }
}
