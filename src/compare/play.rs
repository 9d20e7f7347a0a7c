//! Who wins how often, how long games are, and how much there is to choose.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Side;
use crate::game::Outcome;
use crate::lexicon::{Lexicon, fill};
use crate::players::{self, Bot};
use crate::rules::Evaluators;
use crate::search::Sight;
use crate::simulate::{self, Finish, GO_ON, MAX_PLIES, Played};
use crate::stats::{Confidence, Estimate, Moments, Pairs, Precision};

/// How often something came about, and the difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// An ending in words; or who wins.
    pub name: String,
    /// In how many games.
    pub games: [usize; 2],
    /// The second share less the first, from -1 to 1, with its interval.
    pub difference: Estimate,
}

/// The mean of something over games, and the difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// What it is, in words.
    pub name: String,
    /// The means.
    pub means: [f64; 2],
    /// The second mean less the first, with its interval.
    pub difference: Estimate,
}

impl Share {
    /// Whether the interval leaves out 0.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.difference.leaves_out(0.0)
    }
}

impl Mean {
    /// Whether the interval leaves out 0.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.difference.leaves_out(0.0)
    }
}

/// What came of games under both rules. They are compared in pairs, of one seed each.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// Pairs. Shares are of all of them, means of those of which both games ended.
    pub games: usize,
    /// Games in which the rules failed, or that did not end, under each.
    pub faulty: [usize; 2],
    /// Wins by seat, draws, then endings.
    pub shares: Vec<Share>,
    /// Plies; for each seat its decisions, and the options that it has at one.
    pub means: Vec<Mean>,
    /// The number of pairs in which decisions and options were counted.
    pub watched: usize,
    /// The number of comparisons that the intervals are made for, so that all of them hold together at 95 %.
    pub comparisons: usize,
    /// Whether the shares of the seats are as precise as was wanted; `None` if no precision was.
    pub precise: Option<bool>,
}

impl Play {
    /// Whether a difference is sure.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.shares.iter().any(Share::is_sure) || self.means.iter().any(Mean::is_sure)
    }
}

/// Which games are played.
#[derive(Clone, Debug)]
pub struct Games {
    /// How many under each rules; with a precision, at most.
    pub games: u64,
    /// Until the difference of no seat's share has an interval wider than twice this, from 0 to 1.
    pub precision: Option<f64>,
    /// Their seed.
    pub seed: u64,
    /// Who plays: a bot for each seat; seats without one choose at random.
    pub bots: Vec<Bot>,
    /// The number of sets of rules that are compared with the first: intervals hold for all of them together.
    pub sets: usize,
}

/// The most games with bots that choose at random in which decisions and options are counted.
const WATCHED: u64 = 400;

/// An ending by its number, and the winners.
type Ending = (usize, Vec<u16>);

/// A number in both games of each pair, and the second less the first.
#[derive(Default)]
struct Paired {
    each: [Moments; 2],
    difference: Moments,
}

impl Paired {
    fn add(&mut self, values: [f64; 2]) {
        self.each.iter_mut().zip(values).for_each(|(each, value)| each.add(value));
        self.difference.add(values[1] - values[0]);
    }
}

/// What came of pairs of games, one under each rules, with the same seed. Memory does not grow with their number.
#[derive(Default)]
struct Came {
    /// How the two games of a pair ended; nothing of one that did not.
    endings: BTreeMap<[Option<Ending>; 2], usize>,
    /// Their plies.
    lengths: Paired,
    /// For each seat its decisions in a game, and its options at one of them, in the pairs that were watched.
    decisions: BTreeMap<u16, Paired>,
    options: BTreeMap<u16, Paired>,
    watched: usize,
}

impl Came {
    fn add(&mut self, games: [(Finish, usize); 2]) {
        let plies = [games[0].1 as f64, games[1].1 as f64];
        let endings = games.map(|(finish, _)| match finish {
            Finish::Over(outcome) => Some((outcome.ending, outcome.winners)),
            _ => None,
        });
        if endings.iter().all(Option::is_some) {
            self.lengths.add(plies);
        }
        *self.endings.entry(endings).or_default() += 1;
    }

    /// Counts decisions and options of a pair, if both games ended.
    fn watch(&mut self, games: [&Played; 2], seats: usize) {
        if games.iter().any(|played| !matches!(played.finish, Finish::Over(_))) {
            return;
        }
        self.watched += 1;
        for seat in 0..seats as u16 {
            let made = games.map(|played| {
                let own = played.plies.iter().filter(|ply| ply.seat == Some(seat));
                own.fold((0, 0), |(n, all), ply| (n + 1, all + ply.options))
            });
            self.decisions.entry(seat).or_default().add(made.map(|(n, _)| f64::from(n)));
            if made.iter().all(|(n, _)| *n > 0) {
                let options = made.map(|(n, all)| all as f64 / f64::from(n));
                self.options.entry(seat).or_default().add(options);
            }
        }
    }

    /// The games that did not end, under the rules of this number.
    fn faulty(&self, rules: usize) -> usize {
        let all = self.endings.iter().filter(|(both, _)| both.get(rules).is_some_and(Option::is_none));
        all.map(|(_, games)| games).sum()
    }

    /// In how many pairs something came about, which depends on how a game ended.
    fn pairs(&self, of: impl Fn(usize, &Ending) -> bool) -> Pairs {
        let mut pairs = Pairs::default();
        for ([was, now], games) in &self.endings {
            let came = [was, now].map(Option::as_ref);
            pairs.add([came[0].is_some_and(|e| of(0, e)), came[1].is_some_and(|e| of(1, e))], *games);
        }
        pairs
    }
}

/// Games under both rules with the same seeds.
#[must_use]
pub fn play(before: &Side, after: &Side, wanted: &Games, lang: &str) -> Play {
    let mut came = Came::default();
    let Some(half) = wanted.precision else {
        go_on([before, after], wanted, 0..wanted.games, &mut came);
        return told([before, after], &came, (wanted, Confidence::USUAL), lang);
    };
    let seats = before.rules.seats();
    // The last look is at as many games as are enough if each game of a pair goes against the other.
    let precision = Precision::new(half / 2.0, Confidence::USUAL.for_all((seats + 1) * wanted.sets), wanted.games);
    let looked = Confidence::USUAL.for_all(precision.numbers().len());
    let mut from = 0;
    for look in precision.numbers() {
        go_on([before, after], wanted, from..*look, &mut came);
        from = *look;
        let known = |seat: usize| {
            let pairs = came.pairs(|_, (_, winners)| winners.iter().any(|winner| usize::from(*winner) == seat));
            precision.confidence().paired_difference(&pairs).half_width() <= half
        };
        if (0..seats).all(known) {
            let told = told([before, after], &came, (wanted, looked), lang);
            return Play { precise: Some(true), ..told };
        }
    }
    Play { precise: Some(false), ..told([before, after], &came, (wanted, looked), lang) }
}

/// Plays more games under both rules.
fn go_on(sides: [&Side; 2], wanted: &Games, games: Range<u64>, came: &mut Came) {
    let seats = sides[0].rules.seats().max(sides[1].rules.seats());
    if wanted.bots.iter().all(|bot| *bot == Bot::Random) {
        for side in sides {
            side.rules.evaluators().compile();
        }
        for batch in simulate::batches_of(games.clone(), false) {
            let [was, now] = sides.map(|side| {
                let both = |finish, plies| (finish, plies);
                simulate::outcomes(side.rules.evaluators(), None, batch.clone(), wanted.seed, MAX_PLIES, both)
            });
            was.into_iter().zip(now).for_each(|(was, now)| came.add([was, now]));
        }
        let watched = games.start.min(WATCHED)..games.end.min(WATCHED);
        let [was, now] = sides.map(|side| {
            let play = |engine: &Evaluators, seed: u64| simulate::one(engine, seed, MAX_PLIES);
            played(side, watched.clone(), wanted.seed, play)
        });
        was.iter().zip(&now).for_each(|(was, now)| came.watch([was, now], seats));
        return;
    }
    for batch in simulate::batches_of(games, true) {
        let [was, now] = sides.map(|side| {
            let play = |engine: &Evaluators, seed: u64| {
                let bot = |seat: u16| wanted.bots.get(usize::from(seat)).copied().unwrap_or(Bot::Random);
                let seats = 0..side.rules.seats() as u16;
                let mut players: Vec<_> =
                    seats.map(|seat| bot(seat).player(players::seed_of_seat(seed, seat), engine)).collect();
                simulate::between(engine, None, &mut players, &Sight::new(engine), seed, MAX_PLIES)
            };
            played(side, batch.clone(), wanted.seed, play)
        });
        for (was, now) in was.into_iter().zip(now) {
            came.watch([&was, &now], seats);
            came.add([was, now].map(|played| (played.finish, played.plies.len())));
        }
    }
}

/// Games under one set of rules.
fn played(side: &Side, games: Range<u64>, seed: u64, play: impl Fn(&Evaluators, u64) -> Played + Sync) -> Vec<Played> {
    let engine = side.rules.evaluators();
    simulate::many(&GO_ON, |_| engine.clone(), (games, seed), play, |_, _, played| played)
}

fn told(sides: [&Side; 2], came: &Came, (wanted, confidence): (&Games, Confidence), lang: &str) -> Play {
    let lexicons = sides.map(|side| Lexicon::new(side.rules.model(), lang));
    let words = lexicons[1].words;
    let name = |of: fn(&Lexicon<'_>, &Ending) -> String, rules: usize, ending: &Ending| {
        lexicons.get(rules).map_or_else(String::new, |lexicon| of(lexicon, ending))
    };
    let mut shares: Vec<(String, Pairs)> = Vec::new();
    for of in [who_wins, how_it_ends] {
        let both = came.endings.keys().flat_map(|both| (0..).zip(both));
        let names: BTreeSet<String> =
            both.filter_map(|(rules, ending)| ending.as_ref().map(|ending| name(of, rules, ending))).collect();
        shares.extend(names.into_iter().map(|one| {
            let pairs = came.pairs(|rules, ending| name(of, rules, ending) == one);
            (one, pairs)
        }));
    }
    let none = Paired::default();
    let mut means: Vec<(String, &Paired)> = vec![(words.compare.length.to_owned(), &came.lengths)];
    for seat in 0..sides[1].rules.seats() as u16 {
        let whose = lexicons[1].seat(seat);
        for (phrase, of) in [(words.compare.decisions, &came.decisions), (words.compare.options, &came.options)] {
            means.push((fill(phrase, &[&whose]), of.get(&seat).unwrap_or(&none)));
        }
    }
    let comparisons = (shares.len() + means.len()) * wanted.sets;
    let confidence = confidence.for_all(comparisons);
    let share = |(name, pairs): (String, Pairs)| {
        let difference = confidence.paired_difference(&pairs);
        Share { name, games: pairs.each(), difference }
    };
    let mean = |(name, paired): (String, &Paired)| Mean {
        name,
        means: [paired.each[0].mean(), paired.each[1].mean()],
        difference: confidence.mean(&paired.difference),
    };
    Play {
        games: came.endings.values().sum(),
        faulty: [came.faulty(0), came.faulty(1)],
        shares: shares.into_iter().map(share).collect(),
        means: means.into_iter().map(mean).collect(),
        watched: came.watched,
        comparisons,
        precise: None,
    }
}

/// Who won, in words: a seat, several, or nobody.
fn who_wins(lexicon: &Lexicon<'_>, (_, winners): &Ending) -> String {
    let winners: Vec<String> = winners.iter().map(|seat| lexicon.seat(*seat)).collect();
    match winners.is_empty() {
        true => lexicon.words.play.draw.to_owned(),
        false => winners.join(lexicon.words.comma),
    }
}

/// How a game ended, in words.
fn how_it_ends(lexicon: &Lexicon<'_>, (ending, winners): &Ending) -> String {
    lexicon.outcome(&Outcome { ending: *ending, winners: winners.clone(), scores: Vec::new() })
}
