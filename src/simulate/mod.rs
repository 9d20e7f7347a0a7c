//! Games played at random or by bots: one, or many at once. The result depends on the rules, the settings and the seed,
//! not on the number of threads.

mod counted;
mod figures;
mod seen;
mod tally;

pub use counted::counted_until;
pub use figures::{Figures, First, FirstKey, Followed};
pub use seen::{Made, Observer, PlyKind, Seen};
pub use tally::{Tally, Winners};

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::game::{Choice, Evaluator, Fault, Length, Outcome, Position, Status, Turn};
use crate::model::{Base, Config, Model, scalar_span};
use crate::players::{Dice, Eyes, Look, Player, derived};

/// The maximum number of plies of a game.
pub const MAX_PLIES: usize = 100_000;

/// A choice that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The seat that made it; `None` for chance.
    pub seat: Option<u16>,
    /// The choice.
    pub choice: Choice,
    /// How many options there were.
    pub options: usize,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It ended.
    Over(Outcome),
    /// The rules failed.
    Fault(Fault),
    /// A decision without a single option.
    Stuck,
    /// It was given up after this many plies.
    GivenUp(usize),
}

impl Finish {
    /// Whether it is a fault that takes long to find.
    #[must_use]
    pub fn is_long(&self) -> bool {
        matches!(self, Finish::Fault(fault) if fault.is_long())
    }
}

/// A game played at random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its own seed: `one` with it plays the same game again.
    pub seed: u64,
    /// All that happened.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub finish: Finish,
    /// Digest of the last position; 0 if there never was one.
    pub digest: u64,
}

/// What looks on while a game is played.
pub trait Watch {
    /// A seat or chance (`None`) is about to make this choice, one of the options.
    fn ply(&mut self, position: &Position, seat: Option<u16>, options: &[Choice], choice: Choice);

    /// The game has come to its last position.
    fn end(&mut self, position: &Position);
}

/// Nobody looks on.
impl Watch for () {
    fn ply(&mut self, _: &Position, _: Option<u16>, _: &[Choice], _: Choice) {}

    fn end(&mut self, _: &Position) {}
}

/// Plays one game: every option of every decision and every outcome of chance is equally likely.
pub fn one(evaluator: &impl Evaluator, seed: u64, max_plies: usize) -> Played {
    one_from(evaluator, None, seed, max_plies)
}

/// The same from a position on; `None` is the start of the game.
pub fn one_from(evaluator: &impl Evaluator, from: Option<&Position>, seed: u64, max_plies: usize) -> Played {
    one_watched(evaluator, from, (seed, max_plies), &mut ())
}

/// The same, with its seed and maximum number of plies, while somebody looks on.
pub fn one_watched(
    evaluator: &impl Evaluator,
    from: Option<&Position>,
    (seed, max_plies): (u64, usize),
    watch: &mut impl Watch,
) -> Played {
    let mut dice = Dice::new(seed);
    play(evaluator, from, (seed, max_plies), watch, |_, _, options| dice.below(options.len()))
}

/// The position from which games are played: the one given, else the start of the game.
fn first(evaluator: &impl Evaluator, from: Option<&Position>) -> Result<Position, Fault> {
    from.map_or_else(|| evaluator.start(), |position| Ok(position.clone()))
}

/// Many games one after another, of which only the last position is kept.
#[derive(Debug)]
pub struct Playouts<'e, E> {
    evaluator: &'e E,
    start: Position,
    position: Position,
}

impl<'e, E: Evaluator> Playouts<'e, E> {
    /// Games from a position on; `None` is the start of the game.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn new(evaluator: &'e E, from: Option<&Position>) -> Result<Playouts<'e, E>, Fault> {
        let start = first(evaluator, from)?;
        Ok(Playouts { evaluator, position: start.clone(), start })
    }

    /// Plays the game that [`one_from`] plays with this seed, to its end or to `max_plies`; returns the number of
    /// plies.
    ///
    /// # Errors
    /// A fault of the rules; then the last position is the one before it.
    pub fn play(&mut self, seed: u64, max_plies: usize) -> Result<usize, Fault> {
        let mut dice = Dice::new(seed);
        let mut draws = |words: &mut [u64]| words.iter_mut().for_each(|w| *w = dice.bits());
        self.position.clone_from(&self.start);
        if let Some(plies) = self.evaluator.playout(&mut self.position, None, &mut draws, Length::of(max_plies)) {
            return Ok(plies);
        }
        let (mut plies, mut dice) = (Vec::new(), Dice::new(seed));
        let choose = |_: &Position, _: Option<u16>, options: &[Choice]| dice.below(options.len());
        rounds(self.evaluator, max_plies, &mut plies, &mut self.position, &mut (), choose)?;
        Ok(plies.len())
    }

    /// The last position of the game played last.
    #[must_use]
    pub fn last(&self) -> &Position {
        &self.position
    }

    /// Plays a game; returns by which ending it ended, who won, as bits, and the number of plies; else what came of it
    /// instead.
    fn ended(&mut self, seed: u64, max_plies: usize) -> Result<(usize, u32, usize), (Finish, usize)> {
        let model = self.evaluator.model();
        if !self.evaluator.score_may_fail() {
            let plies = self.play(seed, max_plies).map_err(|fault| self.failed(fault, seed, max_plies))?;
            if let Some(ending) = self.position.ending(model) {
                return Ok((ending, self.position.winners(model), plies));
            }
        }
        // The rules may fail to tell the score.
        match self.outcome(seed, max_plies) {
            (Finish::Over(Outcome { ending, winners, .. }), plies) => {
                Ok((ending, winners.iter().fold(0, |bits, seat| bits | 1 << seat), plies))
            }
            other => Err(other),
        }
    }

    fn failed(&self, fault: Fault, seed: u64, max_plies: usize) -> (Finish, usize) {
        (Finish::Fault(fault), one_from(self.evaluator, Some(&self.start), seed, max_plies).plies.len())
    }

    /// Plays a game; returns how it ended and the number of plies.
    pub fn outcome(&mut self, seed: u64, max_plies: usize) -> (Finish, usize) {
        let plies = match self.play(seed, max_plies) {
            Ok(plies) => plies,
            Err(fault) => return self.failed(fault, seed, max_plies),
        };
        let finish = match self.evaluator.status(&self.position) {
            Ok(Status::Over(outcome)) => Finish::Over(outcome),
            Ok(_) if plies >= max_plies => Finish::GivenUp(plies),
            Ok(_) => Finish::Stuck,
            Err(fault) => Finish::Fault(fault),
        };
        (finish, plies)
    }
}

/// The number of games in a batch; the results of one batch are counted before the next.
const BATCH: u64 = 1 << 16;

/// The number of games in a batch of which much is noted.
const WATCHED_BATCH: u64 = 1 << 9;

/// Splits games into batches, so that memory does not grow with their number.
pub fn batches(games: u64) -> impl Iterator<Item = Range<u64>> {
    in_batches(0..games, BATCH)
}

/// Splits these games into batches; smaller ones if much is noted of each game.
pub fn batches_of(games: Range<u64>, watched: bool) -> impl Iterator<Item = Range<u64>> {
    in_batches(games, if watched { WATCHED_BATCH } else { BATCH })
}

fn in_batches(games: Range<u64>, size: u64) -> impl Iterator<Item = Range<u64>> {
    let first = games.clone().step_by(usize::try_from(size).unwrap_or(usize::MAX));
    first.map(move |first| first..games.end.min(first.saturating_add(size)))
}

/// Into how many pieces the games of a thread are cut at least: a thread that is done takes pieces from another.
const PIECES: usize = 16;

/// No reason to stop.
pub static GO_ON: AtomicBool = AtomicBool::new(false);

/// The outcomes of games at once by one evaluator, from a position or from the start; game `i` has the seed
/// [`derived`]`(seed, i)`. `look` is called as each is over (in any order); the results are in the order of the games.
/// They end with the first game that meets a fault that takes long to find.
pub fn outcomes<E: Evaluator + Sync, T: Send>(
    evaluator: &E,
    from: Option<&Position>,
    games: Range<u64>,
    seed: u64,
    max_plies: usize,
    look: impl Fn(Finish, usize) -> T + Sync,
) -> Vec<T> {
    let table = || Playouts::new(evaluator, from);
    at_once(&GO_ON, games, table, |table, i| {
        let (finish, plies) = match table {
            Ok(table) => table.outcome(derived(seed, i), max_plies),
            Err(fault) => (Finish::Fault(fault.clone()), 0),
        };
        let long = finish.is_long();
        (look(finish, plies), long)
    })
}

/// The results of many games played at once, in their order. `begin` makes what the games of a thread share, and `play`
/// plays the game of a number. It also says whether the game met a fault that takes long to find: the games after the
/// first of these are not played. Once `stop` is set, no more games are begun.
pub fn at_once<S, T: Send>(
    stop: &AtomicBool,
    games: Range<u64>,
    begin: impl Fn() -> S + Sync + Send,
    play: impl Fn(&mut S, u64) -> (T, bool) + Sync,
) -> Vec<T> {
    let last = AtomicU64::new(u64::MAX);
    let play = |state: &mut S, i: u64| {
        if i > last.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed) {
            return None;
        }
        let (result, long) = play(state, i);
        if long {
            last.fetch_min(i, Ordering::Relaxed);
        }
        Some(result)
    };
    let first = games.start;
    let count = usize::try_from(games.end.saturating_sub(first)).unwrap_or(usize::MAX);
    let piece = (count / (PIECES * rayon::current_num_threads().max(1))).max(1);
    let numbers = (0..count).into_par_iter().with_max_len(piece);
    let all: Vec<Option<T>> = numbers.map_init(begin, |state, i| play(state, first + i as u64)).collect();
    let last = usize::try_from(last.into_inner().saturating_sub(first)).unwrap_or(usize::MAX);
    all.into_iter().take(last.saturating_add(1)).flatten().collect()
}

/// Plays one game between players, from a position or from the start; there is a player for each seat, in the order of
/// the seats. `eyes` say what a seat can know. All outcomes of chance are equally likely.
pub fn between(
    evaluator: &impl Evaluator,
    from: Option<&Position>,
    players: &mut [Box<dyn Player>],
    eyes: &impl Eyes,
    seed: u64,
    max_plies: usize,
) -> Played {
    between_watched(evaluator, from, (players, eyes), (seed, max_plies), &mut ())
}

/// The same, with its seed and maximum number of plies, while somebody looks on.
pub fn between_watched(
    evaluator: &impl Evaluator,
    from: Option<&Position>,
    (players, eyes): (&mut [Box<dyn Player>], &impl Eyes),
    (seed, max_plies): (u64, usize),
    watch: &mut impl Watch,
) -> Played {
    let mut dice = Dice::new(seed);
    play(evaluator, from, (seed, max_plies), watch, |position, seat, options| {
        let player = seat.and_then(|s| Some((s, players.get_mut(usize::from(s))?)));
        match player {
            Some((seat, player)) => player.choose(&Look::new(eyes, position, seat), options),
            None => dice.below(options.len()),
        }
    })
}

/// Plays one game; `choose` gives the index of one of the options, for a seat or for chance.
fn play(
    evaluator: &impl Evaluator,
    from: Option<&Position>,
    (seed, max_plies): (u64, usize),
    watch: &mut impl Watch,
    choose: impl FnMut(&Position, Option<u16>, &[Choice]) -> usize,
) -> Played {
    let mut plies = Vec::new();
    let mut digest = 0;
    let finish = first(evaluator, from).and_then(|mut position| {
        let finish = rounds(evaluator, max_plies, &mut plies, &mut position, watch, choose);
        watch.end(&position);
        digest = position.digest();
        finish
    });
    Played { seed, plies, finish: finish.unwrap_or_else(Finish::Fault), digest }
}

/// Plays from choice to choice; if the rules fail, the position is the last one before.
fn rounds(
    evaluator: &impl Evaluator,
    max_plies: usize,
    plies: &mut Vec<Ply>,
    position: &mut Position,
    watch: &mut impl Watch,
    mut choose: impl FnMut(&Position, Option<u16>, &[Choice]) -> usize,
) -> Result<Finish, Fault> {
    let mut options = Vec::new();
    let mut before = position.clone();
    loop {
        let seat = match evaluator.turn(position)? {
            Turn::Over => break,
            Turn::Seat(seat) => Some(seat),
            Turn::Chance => None,
        };
        if plies.len() >= max_plies {
            return Ok(Finish::GivenUp(plies.len()));
        }
        evaluator.options_into(position, &mut options)?;
        let Some(only) = options.first() else {
            return Ok(Finish::Stuck);
        };
        let choice = *options.get(choose(position, seat, &options)).unwrap_or(only);
        watch.ply(position, seat, &options, choice);
        plies.push(Ply { seat, choice, options: options.len() });
        before.clone_from(position);
        if let Err(fault) = evaluator.advance(position, choice) {
            *position = before;
            return Err(fault);
        }
    }
    match evaluator.status(position)? {
        Status::Over(outcome) => Ok(Finish::Over(outcome)),
        _ => Ok(Finish::Stuck),
    }
}

/// Plays games at once; game `i` has the seed [`derived`]`(seed, i)`. `make` makes the evaluator of a game, `play`
/// plays it with its seed, `look` is called with each game as it is over (in any order) and its result is kept in the
/// order of the games. They end with the first that meets a fault that takes long to find. Once `stop` is set, no more
/// games are begun.
pub fn many<E, T: Send>(
    stop: &AtomicBool,
    make: impl Fn(u64) -> E + Sync,
    (games, seed): (Range<u64>, u64),
    play: impl Fn(&E, u64) -> Played + Sync,
    look: impl Fn(&E, u64, Played) -> T + Sync,
) -> Vec<T> {
    at_once(
        stop,
        games,
        || (),
        |(), i| {
            let evaluator = make(i);
            let played = play(&evaluator, derived(seed, i));
            let long = played.finish.is_long();
            (look(&evaluator, i, played), long)
        },
    )
}

/// Options and readings drawn by a seed, each alternative equally likely: truths, readings and members; numbers stay as
/// they are. Of two options that exclude each other at most one stays on.
#[must_use]
pub fn varied(model: &Model, config: &Config, seed: u64) -> Config {
    let mut dice = Dice::new(!seed);
    let mut varied = config.clone();
    for (value, item) in varied.0.iter_mut().zip(&model.config) {
        if item.is_reading() || matches!(item.ty.base, Base::Bool | Base::Member(_)) {
            let (lo, n) = scalar_span(&item.ty.base, &model.kinds);
            *value = lo as i32 + dice.below(n as usize) as i32;
        }
    }
    while let Some((a, b)) = varied.excluded(model) {
        let off = if dice.below(2) == 0 { a } else { b };
        if let Some(value) = varied.0.get_mut(off.i()) {
            *value = 0;
        }
    }
    varied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Question;
    use crate::game::{SeenValue, View};
    use crate::model::{CodeId, Config, Layout, Model};

    /// A bag of tokens: each takes one to three, whoever takes the last wins.
    struct Nim {
        model: Model,
        config: Config,
    }

    impl Nim {
        fn new() -> Nim {
            let layout = Layout { size: 8, plain: 8, over: 2, winners: 4, ..Layout::default() };
            let model = Model { layout, ..Model::default() };
            Nim { model, config: Config(Vec::new()) }
        }
    }

    impl Evaluator for Nim {
        fn model(&self) -> &Model {
            &self.model
        }
        fn config(&self) -> &Config {
            &self.config
        }
        fn start(&self) -> Result<Position, Fault> {
            let mut position = Position::zero(&self.model);
            position.bytes_mut()[0] = 21;
            Ok(position)
        }
        fn blank(&self) -> Result<Position, Fault> {
            self.start()
        }
        fn enter(&self, blank: Position, _: usize, _: &[i32]) -> Result<Position, Fault> {
            Ok(blank)
        }
        fn status(&self, position: &Position) -> Result<Status, Fault> {
            let seat = u16::from(position.bytes()[1]);
            Ok(if position.bytes()[0] == 0 {
                Status::Over(Outcome { ending: 0, winners: vec![1 - seat], scores: vec![0, 0] })
            } else {
                Status::Decision(Question { seat, at: (CodeId(0), 0), actions: Vec::new(), optional: false })
            })
        }
        fn options(&self, position: &Position) -> Result<Vec<Choice>, Fault> {
            let most = i32::from(position.bytes()[0]).min(3);
            Ok((1..=most).map(Choice::Value).collect())
        }
        fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
            if let Choice::Value(n) = choice {
                position.bytes_mut()[0] -= n as u8;
            }
            position.bytes_mut()[1] ^= 1;
            if position.bytes()[0] == 0 {
                let winner = 1 - position.bytes()[1];
                position.end(&self.model, 0, 1 << winner);
            }
            Ok(())
        }
    }

    #[test]
    fn games_that_are_counted_are_those_that_are_told() {
        let nim = Nim::new();
        let games = || (0..777, 5);
        let mut told = Tally::default();
        let all = outcomes(&nim, None, games().0, 5, 20, |finish, plies| (finish, plies));
        all.into_iter().for_each(|(finish, plies)| told.add(finish, plies));
        let seen = AtomicU64::new(0);
        let each = || _ = seen.fetch_add(1, Ordering::Relaxed);
        let (counted, played) = counted_until(&GO_ON, &nim, None, games(), 20, each);
        assert_eq!((played, seen.into_inner()), (777, 777));
        assert_eq!(format!("{counted:?}"), format!("{told:?}"));
        let stopped = counted_until(&AtomicBool::new(true), &nim, None, games(), 20, || ());
        assert_eq!(stopped.1, 0);
        // Of games that are given up each is told.
        let (given_up, _) = counted_until(&GO_ON, &nim, None, games(), 3, || ());
        assert_eq!((given_up.faulty, given_up.faults.len()), (777, 5));
    }

    #[test]
    fn the_same_seed_plays_the_same_game_on_any_number_of_threads() {
        let play = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            pool.install(|| {
                many(&GO_ON, |_| Nim::new(), (0..50, 9), |nim, seed| one(nim, seed, 1000), |_, _, played| played)
            })
        };
        let games = play(1);
        assert_eq!(games, play(3));
        assert_eq!(games[17], one(&Nim::new(), derived(9, 17), 1000));
        assert!(games.iter().any(|g| g.plies.len() != games[0].plies.len()));
    }

    #[test]
    fn batches_are_all_games_in_order() {
        for games in [0, 1, BATCH, BATCH + 1, 3 * BATCH - 1] {
            assert_eq!(batches(games).flatten().count() as u64, games);
            assert!(batches(games).flatten().eq(0..games));
            assert!(batches(games).all(|b| !b.is_empty() && b.end - b.start <= BATCH));
        }
        assert_eq!(batches(u64::MAX).next(), Some(0..BATCH));
    }

    #[test]
    fn a_game_that_is_too_long_is_given_up() {
        let played = one(&Nim::new(), 1, 2);
        assert_eq!(played.finish, Finish::GivenUp(2));
    }

    /// Leaves its opponent a multiple of four, as far as it can, by looking at what it sees.
    struct Counter;

    impl Player for Counter {
        fn choose(&mut self, look: &Look<'_>, options: &[Choice]) -> usize {
            let left = match look.view().variables.first().map(|v| &v.value) {
                Some(SeenValue::Number(left)) => *left as usize,
                _ => 0,
            };
            (left % 4).max(1).min(options.len()) - 1
        }
    }

    fn seen(position: &Position, seat: u16) -> View {
        let value = SeenValue::Number(position.bytes()[0].into());
        let left = crate::game::SeenVariable { var: crate::model::VarId(0), index: None, value };
        View { seat, variables: vec![left], ..View::default() }
    }

    #[test]
    fn bots_play_from_what_they_see() {
        let nim = Nim::new();
        for seed in 0..20 {
            let mut players: [Box<dyn Player>; 2] = [Box::new(Counter), Box::new(crate::players::Random::new(seed))];
            let played = between(&nim, None, &mut players, &seen, seed, 100);
            assert!(
                matches!(played.finish, Finish::Over(Outcome { ref winners, .. }) if *winners == [0]),
                "{played:?}"
            );
        }
    }

    #[test]
    fn what_nobody_looks_at_is_not_made() {
        let mut players: [Box<dyn Player>; 2] = [1, 2].map(|seed| Box::new(crate::players::Random::new(seed)) as _);
        let unseen = |_: &Position, _| -> View { panic!("random players do not look") };
        let played = between(&Nim::new(), None, &mut players, &unseen, 3, 100);
        assert!(matches!(played.finish, Finish::Over(_)));
    }
}
