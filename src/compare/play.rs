//! Who wins how often, how long games are, and how much there is to choose.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use super::Side;
use crate::game::Outcome;
use crate::lexicon::{Lexicon, fill};
use crate::players::{self, Bot};
use crate::rules::Evaluators;
use crate::search::Sight;
use crate::simulate::{self, Finish, MAX_PLIES, Played, Tally};
use crate::stats::{Confidence, Counts, Estimate, Moments, Precision};

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

/// What came of games under both rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// Games that ended, under each.
    pub games: [usize; 2],
    /// Games in which the rules failed, or that did not end.
    pub faulty: [usize; 2],
    /// Wins by seat, draws, then endings.
    pub shares: Vec<Share>,
    /// Plies; for each seat its decisions, and the options that it has at one.
    pub means: Vec<Mean>,
    /// The number of games that ended in which decisions and options were counted, under each.
    pub watched: [usize; 2],
    /// The number of comparisons that the intervals are made for, so that all of them hold together at 95 %.
    pub comparisons: usize,
    /// Whether the shares of the seats are as precise as was wanted; `None` if no precision was.
    pub precise: Option<bool>,
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

/// What came of the games under one set of rules.
#[derive(Default)]
struct Came {
    tally: Tally,
    /// The plies of the games that ended.
    lengths: Counts,
    /// For each seat the decisions of each game that was watched, and its options at one of them.
    decisions: BTreeMap<u16, Vec<f64>>,
    options: BTreeMap<u16, Vec<f64>>,
    watched: usize,
}

impl Came {
    fn add(&mut self, finish: Finish, plies: usize) {
        if matches!(finish, Finish::Over(_)) {
            self.lengths.add(plies);
        }
        self.tally.add(finish, plies);
    }

    /// Counts decisions and options of a game, if it ended.
    fn watch(&mut self, played: &Played, seats: usize) {
        if !matches!(played.finish, Finish::Over(_)) {
            return;
        }
        self.watched += 1;
        for seat in 0..seats as u16 {
            let own = played.plies.iter().filter(|ply| ply.seat == Some(seat));
            let (n, options) = own.fold((0, 0), |(n, all), ply| (n + 1, all + ply.options));
            self.decisions.entry(seat).or_default().push(f64::from(n));
            if n > 0 {
                self.options.entry(seat).or_default().push(options as f64 / f64::from(n));
            }
        }
    }
}

/// Games under both rules with the same seeds.
#[must_use]
pub fn play(before: &Side, after: &Side, wanted: &Games, lang: &str) -> Play {
    let mut came = [Came::default(), Came::default()];
    let Some(half) = wanted.precision else {
        let all = 0..wanted.games;
        go_on([before, after], wanted, all, &mut came);
        return told([before, after], &came, (wanted, Confidence::USUAL), lang);
    };
    // The difference of two shares is as precise as this if each of them is so.
    let seats = before.rules.seats() + 1;
    let each = half / std::f64::consts::SQRT_2;
    let precision = Precision::new(each, Confidence::USUAL.for_all(seats * wanted.sets), wanted.games);
    let mut from = 0;
    for look in precision.numbers() {
        go_on([before, after], wanted, from..*look, &mut came);
        from = *look;
        let over = |i: usize| came.get(i).map_or(0, |came| came.tally.winners.over);
        let won = |i: usize, seat: usize| came.get(i).map_or(0, |came| came.tally.winners.of(seat));
        let difference = |seat| precision.confidence().difference((won(0, seat), over(0)), (won(1, seat), over(1)));
        if (0..before.rules.seats()).all(|seat| difference(seat).half_width() <= half) {
            let told = told([before, after], &came, (wanted, looked(&precision)), lang);
            return Play { precise: Some(true), ..told };
        }
    }
    let told = told([before, after], &came, (wanted, looked(&precision)), lang);
    Play { precise: Some(false), ..told }
}

/// How sure a single interval is when it is looked at several times.
fn looked(precision: &Precision) -> Confidence {
    Confidence::USUAL.for_all(precision.numbers().len())
}

/// Plays more games under both rules.
fn go_on(sides: [&Side; 2], wanted: &Games, games: std::ops::Range<u64>, came: &mut [Came; 2]) {
    // Nobody stops them.
    let go = AtomicBool::new(false);
    for (side, came) in sides.iter().zip(came) {
        let engine = side.rules.evaluators();
        let seats = side.rules.seats();
        if wanted.bots.iter().all(|bot| *bot == Bot::Random) {
            engine.compile();
            for batch in simulate::batches_of(games.clone(), false) {
                let all =
                    simulate::outcomes(engine, None, batch, wanted.seed, MAX_PLIES, |finish, plies| (finish, plies));
                all.into_iter().for_each(|(finish, plies)| came.add(finish, plies));
            }
            let watched = games.start.min(WATCHED)..games.end.min(WATCHED);
            let play = |engine: &Evaluators, seed: u64| simulate::one(engine, seed, MAX_PLIES);
            let all = simulate::many(&go, |_| engine.clone(), (watched, wanted.seed), play, |_, _, played| played);
            all.iter().for_each(|played| came.watch(played, seats));
            continue;
        }
        let play = |engine: &Evaluators, seed: u64| {
            let bot = |seat: u16| wanted.bots.get(usize::from(seat)).copied().unwrap_or(Bot::Random);
            let seats = 0..seats as u16;
            let mut players: Vec<_> =
                seats.map(|seat| bot(seat).player(players::seed_of_seat(seed, seat), engine)).collect();
            simulate::between(engine, None, &mut players, &Sight::new(engine), seed, MAX_PLIES)
        };
        for batch in simulate::batches_of(games.clone(), true) {
            let all = simulate::many(&go, |_| engine.clone(), (batch, wanted.seed), play, |_, _, played| played);
            for played in all {
                came.watch(&played, seats);
                came.add(played.finish, played.plies.len());
            }
        }
    }
}

fn told(sides: [&Side; 2], came: &[Came; 2], (wanted, confidence): (&Games, Confidence), lang: &str) -> Play {
    let [old, new] = came;
    let words = Lexicon::new(sides[1].rules.model(), lang).words;
    let rows = [wins(sides[0], old, lang), wins(sides[1], new, lang)];
    let endings = [endings(sides[0], old, lang), endings(sides[1], new, lang)];
    let mut shares: Vec<(String, [usize; 2])> = Vec::new();
    for [was, now] in [rows, endings] {
        let names: BTreeSet<&String> = was.keys().chain(now.keys()).collect();
        let of = |all: &BTreeMap<String, usize>, name: &String| all.get(name).copied().unwrap_or(0);
        shares.extend(names.into_iter().map(|name| (name.clone(), [of(&was, name), of(&now, name)])));
    }
    let mut means: Vec<(String, [Moments; 2])> =
        vec![(words.compare.length.to_owned(), [old.lengths.moments(), new.lengths.moments()])];
    let moments = |all: &BTreeMap<u16, Vec<f64>>, seat: u16| {
        Moments::of(all.get(&seat).into_iter().flatten().map(|value| (*value, 1)))
    };
    for seat in 0..sides[1].rules.seats() as u16 {
        let name = Lexicon::new(sides[1].rules.model(), lang).seat(seat);
        let pairs = [
            (words.compare.decisions, [moments(&old.decisions, seat), moments(&new.decisions, seat)]),
            (words.compare.options, [moments(&old.options, seat), moments(&new.options, seat)]),
        ];
        means.extend(pairs.into_iter().map(|(phrase, moments)| (fill(phrase, &[&name]), moments)));
    }
    let comparisons = (shares.len() + means.len()) * wanted.sets;
    let confidence = confidence.for_all(comparisons);
    let over = [old.tally.winners.over, new.tally.winners.over];
    let share = |(name, games): (String, [usize; 2])| {
        let difference = confidence.difference((games[0], over[0]), (games[1], over[1]));
        Share { name, games, difference }
    };
    let mean = |(name, [was, now]): (String, [Moments; 2])| Mean {
        name,
        means: [was.mean(), now.mean()],
        difference: confidence.mean_difference(&was, &now),
    };
    Play {
        games: over,
        faulty: [old.tally.faulty, new.tally.faulty],
        shares: shares.into_iter().map(share).collect(),
        means: means.into_iter().map(mean).collect(),
        watched: [old.watched, new.watched],
        comparisons,
        precise: None,
    }
}

/// How often each seat won, several together, and nobody.
fn wins(side: &Side, came: &Came, lang: &str) -> BTreeMap<String, usize> {
    let lexicon = Lexicon::new(side.rules.model(), lang);
    let mut wins = BTreeMap::new();
    for (outcome, games) in came.tally.endings() {
        let winners: Vec<String> = outcome.winners.iter().map(|seat| lexicon.seat(*seat)).collect();
        let who = match winners.is_empty() {
            true => lexicon.words.play.draw.to_owned(),
            false => winners.join(lexicon.words.comma),
        };
        *wins.entry(who).or_default() += games;
    }
    wins
}

/// How often each ending came.
fn endings(side: &Side, came: &Came, lang: &str) -> BTreeMap<String, usize> {
    let lexicon = Lexicon::new(side.rules.model(), lang);
    let mut endings = BTreeMap::new();
    for (outcome, games) in came.tally.endings() {
        let bare = Outcome { scores: Vec::new(), ..outcome };
        *endings.entry(lexicon.outcome(&bare)).or_default() += games;
    }
    endings
}
