//! Games played by chance: one, or many at once. The result depends on the rules, the settings and the seed, not on the number of threads.

use rayon::prelude::*;

use crate::game::{Choice, Evaluator, Fault, Outcome, Position, Status, Turn};
use crate::model::{Base, Config, Model, scalar_span};
use crate::players::{Dice, derived};

/// A game that is longer than this is given up.
pub const MAX_PLIES: usize = 100_000;

/// A choice that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The seat that made it; nobody: chance.
    pub seat: Option<u16>,
    /// The choice.
    pub choice: Choice,
    /// How many options there were.
    pub options: usize,
}

/// How a game went out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It ended.
    Over(Outcome),
    /// The rules failed.
    Fault(Fault),
    /// A decision without a single option.
    Stuck,
    /// It was given up after so many plies.
    GivenUp(usize),
}

/// A game played by chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its own seed: `one` with it plays the same game again.
    pub seed: u64,
    /// All that happened.
    pub plies: Vec<Ply>,
    /// How it went out.
    pub finish: Finish,
    /// Digest of the last position; 0 if there never was one.
    pub digest: u64,
}

/// Plays one game: every option of every decision and every outcome of chance is equally likely.
pub fn one(evaluator: &impl Evaluator, seed: u64, max_plies: usize) -> Played {
    let mut dice = Dice::new(seed);
    let mut plies = Vec::new();
    let mut digest = 0;
    let finish = run(evaluator, &mut dice, max_plies, &mut plies, &mut digest);
    Played { seed, plies, finish: finish.unwrap_or_else(Finish::Fault), digest }
}

/// Many games one after the other, of which only the last position is kept.
#[derive(Debug)]
pub struct Playouts<'e, E> {
    evaluator: &'e E,
    start: Position,
    position: Position,
}

impl<'e, E: Evaluator> Playouts<'e, E> {
    /// Games from the first position of the rules.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn new(evaluator: &'e E) -> Result<Playouts<'e, E>, Fault> {
        let start = evaluator.start()?;
        Ok(Playouts { evaluator, position: start.clone(), start })
    }

    /// Plays the game that [`one`] plays with this seed, to its end or to `max_plies`; how many plies it were.
    ///
    /// # Errors
    /// A fault of the rules; then the last position is the one before it.
    pub fn play(&mut self, seed: u64, max_plies: usize) -> Result<usize, Fault> {
        let mut dice = Dice::new(seed);
        let mut draws = |words: &mut [u64]| words.iter_mut().for_each(|w| *w = dice.bits());
        self.position.bytes_mut().copy_from_slice(self.start.bytes());
        if let Some(plies) = self.evaluator.playout(&mut self.position, &mut draws, max_plies) {
            return Ok(plies);
        }
        self.position.bytes_mut().copy_from_slice(self.start.bytes());
        let mut plies = Vec::new();
        rounds(self.evaluator, &mut Dice::new(seed), max_plies, &mut plies, &mut self.position)?;
        Ok(plies.len())
    }

    /// The last position of the game played last.
    #[must_use]
    pub fn last(&self) -> &Position {
        &self.position
    }

    /// Plays a game: how it went out, after how many plies.
    pub fn outcome(&mut self, seed: u64, max_plies: usize) -> (Finish, usize) {
        let plies = match self.play(seed, max_plies) {
            Ok(plies) => plies,
            Err(fault) => return (Finish::Fault(fault), one(self.evaluator, seed, max_plies).plies.len()),
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

/// The outcomes of many games at once by one evaluator; game `i` has the seed [`derived`]`(seed, i)`. `look` is called as each is over (in any order); the
/// results are in the order of the games.
pub fn outcomes<E: Evaluator + Sync, T: Send>(
    evaluator: &E,
    games: u64,
    seed: u64,
    max_plies: usize,
    look: impl Fn(Finish, usize) -> T + Sync,
) -> Vec<T> {
    let table = || Playouts::new(evaluator);
    (0..games)
        .into_par_iter()
        .map_init(table, |table, i| {
            let (finish, plies) = match table {
                Ok(table) => table.outcome(derived(seed, i), max_plies),
                Err(fault) => (Finish::Fault(fault.clone()), 0),
            };
            look(finish, plies)
        })
        .collect()
}

fn run(
    evaluator: &impl Evaluator,
    dice: &mut Dice,
    max_plies: usize,
    plies: &mut Vec<Ply>,
    digest: &mut u64,
) -> Result<Finish, Fault> {
    let mut position: Position = evaluator.start()?;
    let result = rounds(evaluator, dice, max_plies, plies, &mut position);
    *digest = position.digest();
    result
}

/// From choice to choice; where the rules fail the position is the last before.
fn rounds(
    evaluator: &impl Evaluator,
    dice: &mut Dice,
    max_plies: usize,
    plies: &mut Vec<Ply>,
    position: &mut Position,
) -> Result<Finish, Fault> {
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
        let options = evaluator.count(position)?;
        let Some(choice) = evaluator.nth(position, dice.below(options))? else {
            return Ok(Finish::Stuck);
        };
        plies.push(Ply { seat, choice, options });
        before.bytes_mut().copy_from_slice(position.bytes());
        if let Err(fault) = evaluator.apply(position, choice) {
            *position = before;
            return Err(fault);
        }
    }
    match evaluator.status(position)? {
        Status::Over(outcome) => Ok(Finish::Over(outcome)),
        _ => Ok(Finish::Stuck),
    }
}

/// Plays many games at once; game `i` has the seed [`derived`]`(seed, i)`. `make` makes the evaluator of a game, `look` is called with each game as it is over
/// (in any order) and its result is kept in the order of the games.
pub fn many<E: Evaluator, T: Send>(
    make: impl Fn(u64) -> E + Sync,
    games: u64,
    seed: u64,
    max_plies: usize,
    look: impl Fn(&E, u64, Played) -> T + Sync,
) -> Vec<T> {
    (0..games)
        .into_par_iter()
        .map(|i| {
            let evaluator = make(i);
            let played = one(&evaluator, derived(seed, i), max_plies);
            look(&evaluator, i, played)
        })
        .collect()
}

/// Options and readings drawn by a seed, each alternative equally likely: truths, readings and members; numbers stay as they are.
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
    varied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Question;
    use crate::model::{CodeId, Config, Model};

    /// A bag of tokens: each takes one to three, whoever takes the last wins.
    struct Nim {
        model: Model,
        config: Config,
    }

    impl Nim {
        fn new() -> Nim {
            let mut model = Model::default();
            model.layout.size = 2;
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
            Ok(())
        }
    }

    #[test]
    fn the_same_seed_plays_the_same_game_on_any_number_of_threads() {
        let play = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            pool.install(|| many(|_| Nim::new(), 50, 9, 1000, |_, _, played| played))
        };
        let games = play(1);
        assert_eq!(games, play(3));
        assert_eq!(games[17], one(&Nim::new(), derived(9, 17), 1000));
        assert!(games.iter().any(|g| g.plies.len() != games[0].plies.len()));
    }

    #[test]
    fn a_game_that_is_too_long_is_given_up() {
        let played = one(&Nim::new(), 1, 2);
        assert_eq!(played.finish, Finish::GivenUp(2));
    }
}
