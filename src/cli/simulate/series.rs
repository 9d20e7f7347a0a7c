//! Games between bots under one set of rules, as many as are wanted.

use std::ops::Range;

use indicatif::ProgressBar;
use lawspeaker::game::Position;
use lawspeaker::model::Config;
use lawspeaker::players::{self, Bot, Player, derived};
use lawspeaker::rules::Evaluators;
use lawspeaker::search::Sight;
use lawspeaker::simulate::{self, Finish, MAX_PLIES, Observer, Seen, Tally};
use lawspeaker::stats::{Confidence, Precision};

use crate::cli::session::Session;
use crate::cli::varied::Deals;
use crate::cli::{Stop, interrupt};

/// Games between bots under one set of rules.
pub struct Series<'a> {
    /// The rules.
    pub session: &'a Session,
    /// Where games begin; `None` is the start of the game.
    pub from: Option<&'a Position>,
    /// For each seat its bot.
    pub bots: &'a [Bot],
    /// The seed.
    pub seed: u64,
    /// Options and readings are drawn for each game.
    pub vary: Option<&'a Deals>,
}

/// A game that was looked at ply by ply.
pub struct Game {
    /// Its number, from 0.
    pub number: u64,
    /// Its own seed.
    pub seed: u64,
    /// How it ended.
    pub finish: Finish,
    /// Its plies.
    pub plies: usize,
    /// What was noted.
    pub seen: Seen,
    /// Its options and readings, if they are drawn.
    pub config: Option<Config>,
}

/// How many games are played.
#[derive(Clone, Debug)]
pub enum Until {
    /// So many.
    Games(u64),
    /// Until the share of each seat is precise enough.
    Precision(Precision),
}

impl Until {
    /// How sure the intervals are.
    pub fn confidence(&self) -> Confidence {
        match self {
            Until::Games(_) => Confidence::USUAL,
            Until::Precision(precision) => precision.confidence(),
        }
    }

    /// The numbers of games after which the intervals are looked at, and those at the end.
    fn looks(&self) -> Vec<u64> {
        match self {
            Until::Games(games) => vec![*games],
            Until::Precision(precision) => precision.numbers().to_vec(),
        }
    }

    /// Whether these games are enough.
    fn suffice(&self, tally: &Tally, seats: usize) -> bool {
        match self {
            Until::Games(_) => false,
            Until::Precision(precision) => {
                let share = |seat| precision.confidence().share(tally.winners.of(seat), tally.winners.over);
                (0..seats).all(|seat| precision.suffices(&share(seat)))
            }
        }
    }

    /// The games that will be enough, as far as these tell.
    fn expected(&self, tally: &Tally, seats: usize) -> u64 {
        let looks = self.looks();
        let Until::Precision(precision) = self else { return looks.last().copied().unwrap_or(0) };
        let of = |n: f64, seat| {
            let share = tally.winners.of(seat) as f64 / tally.winners.over.max(1) as f64;
            precision.confidence().points(share * n, n)
        };
        let enough = |look: &&u64| {
            **look > tally.games() as u64 && (0..seats).all(|seat| precision.suffices(&of(**look as f64, seat)))
        };
        looks.iter().find(enough).or(looks.last()).copied().unwrap_or(0)
    }
}

/// Why no more games were played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All were played, or they are precise enough.
    Enough,
    /// All were played, and they are not precise enough.
    Imprecise,
    /// By Ctrl-C.
    Interrupted,
    /// A fault took long to find.
    Fault,
}

/// Why not all games were played.
fn cut_off() -> End {
    if interrupt::heard() { End::Interrupted } else { End::Fault }
}

impl Series<'_> {
    /// Plays without looking at more than how the games end.
    pub fn play(&self, until: &Until, bar: &ProgressBar) -> (Tally, End) {
        let mut tally = Tally::default();
        let count = |tally: &mut Tally, batch: Range<u64>| {
            let (more, played) = self.counted(batch, bar);
            tally.merge(more);
            Ok(played as usize)
        };
        let end = self.until(until, false, bar, &mut tally, count);
        (tally, end.unwrap_or(End::Fault))
    }

    /// Plays the same way, and asks after each of some numbers of games whether they are enough.
    pub fn play_until(&self, looks: &[u64], bar: &ProgressBar, mut enough: impl FnMut(&Tally) -> bool) -> (Tally, End) {
        let mut tally = Tally::default();
        for look in looks {
            bar.set_length(*look);
            for batch in simulate::batches_of(tally.games() as u64..*look, false) {
                let wanted = batch.end - batch.start;
                let (more, played) = self.counted(batch, bar);
                tally.merge(more);
                if played < wanted {
                    return (tally, cut_off());
                }
            }
            if enough(&tally) {
                return (tally, End::Enough);
            }
        }
        (tally, End::Imprecise)
    }

    /// Plays, and looks at each ply. Each game is told in the order of their numbers.
    ///
    /// # Errors
    /// Those of `told`.
    pub fn watch(
        &self,
        until: &Until,
        bar: &ProgressBar,
        mut told: impl FnMut(&Game) -> Result<(), Stop>,
    ) -> Result<(Tally, End), Stop> {
        let mut tally = Tally::default();
        let count = |tally: &mut Tally, batch: Range<u64>| {
            let games = self.games(batch, bar);
            let played = games.len();
            for game in games {
                told(&game)?;
                tally.add(game.finish, game.plies);
            }
            Ok(played)
        };
        let end = self.until(until, true, bar, &mut tally, count)?;
        Ok((tally, end))
    }

    /// Plays batches until it is enough; `count` plays one and returns how many of its games were played.
    fn until(
        &self,
        until: &Until,
        watched: bool,
        bar: &ProgressBar,
        tally: &mut Tally,
        mut count: impl FnMut(&mut Tally, Range<u64>) -> Result<usize, Stop>,
    ) -> Result<End, Stop> {
        let seats = self.session.rules.seats();
        let mut first = 0;
        for look in until.looks() {
            bar.set_length(until.expected(tally, seats));
            for batch in simulate::batches_of(first..look, watched) {
                let wanted = batch.end - batch.start;
                let played = count(tally, batch)?;
                if (played as u64) < wanted {
                    return Ok(cut_off());
                }
            }
            first = look;
            if until.suffice(tally, seats) {
                return Ok(End::Enough);
            }
        }
        Ok(if let Until::Games(_) = until { End::Enough } else { End::Imprecise })
    }

    /// What came of games, and how many were played.
    fn counted(&self, games: Range<u64>, bar: &ProgressBar) -> (Tally, u64) {
        let engine = self.session.rules.evaluators();
        let stop = interrupt::asked();
        let shown = !bar.is_hidden();
        let each = || {
            if shown {
                bar.inc(1);
            }
        };
        if self.vary.is_none() && self.bots.iter().all(|bot| *bot == Bot::Random) {
            return simulate::counted_until(stop, engine, self.from, (games, self.seed), MAX_PLIES, each);
        }
        let play = |(): &mut (), i| {
            let (session, seed) = self.dealt(i);
            let (finish, plies) = self.play_one(session.rules.evaluators(), seed, &mut ());
            each();
            let long = finish.is_long();
            ((finish, plies), long)
        };
        let all = simulate::at_once(stop, games, || (), play);
        let (mut tally, played) = (Tally::default(), all.len() as u64);
        all.into_iter().for_each(|(finish, plies)| tally.add(finish, plies));
        (tally, played)
    }

    fn games(&self, games: Range<u64>, bar: &ProgressBar) -> Vec<Game> {
        let play = |(): &mut (), number| {
            let (session, seed) = self.dealt(number);
            let engine = session.rules.evaluators();
            let mut observer = Observer::new(engine);
            let (finish, plies) = self.play_one(engine, seed, &mut observer);
            bar.inc(1);
            let (long, seen) = (finish.is_long(), observer.seen());
            let config = self.vary.map(|_| session.rules.config().clone());
            (Game { number, seed, finish, plies, seen, config }, long)
        };
        simulate::at_once(interrupt::asked(), games, || (), play)
    }

    /// The rules of a game, and its seed.
    fn dealt(&self, game: u64) -> (Session, u64) {
        let seed = derived(self.seed, game);
        match self.vary {
            Some(deals) => (deals.dealt(self.session, seed), seed),
            None => (self.session.clone(), seed),
        }
    }

    fn play_one(&self, engine: &Evaluators, seed: u64, watch: &mut impl simulate::Watch) -> (Finish, usize) {
        let played = if self.bots.iter().all(|bot| *bot == Bot::Random) {
            simulate::one_watched(engine, self.from, (seed, MAX_PLIES), watch)
        } else {
            let seats = self.bots.iter().zip(0..);
            let seated = seats.map(|(bot, seat)| bot.player(players::seed_of_seat(seed, seat), engine));
            let mut players: Vec<Box<dyn Player>> = seated.collect();
            let sight = Sight::new(engine);
            simulate::between_watched(engine, self.from, (players.as_mut_slice(), &sight), (seed, MAX_PLIES), watch)
        };
        (played.finish, played.plies.len())
    }
}
