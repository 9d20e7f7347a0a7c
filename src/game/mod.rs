//! Positions, choices, rulings, views, and the trait that both evaluators implement.

mod bounds;
mod choice;
mod copies;
mod event;
mod fault;
mod history;
mod laps;
mod length;
mod list_ruling;
mod orders;
mod packed;
mod position;
mod positions;
mod ruling;
mod sensitivity;
mod sparse;
mod unread;
mod value;
mod view;
mod what_if;

pub(crate) use bounds::{MAX_OPTIONS, MAX_WORK};
pub use choice::{Args, Choice};
pub use copies::{NamedAlike, without_copies};
pub use event::{Event, EventKind, Events, Sum, Term, TermSubject};
pub use fault::{Applied, Fault, FaultDetail, FaultKind, Needed, RulesPart};
pub use history::History;
pub(crate) use laps::Laps;
pub use length::Length;
pub use list_ruling::{Brought, ListCosts, ListDemand, ListRuling, StartingList};
pub(crate) use orders::{After, Orders, in_every_order};
pub use packed::Packed;
pub use position::Position;
pub(crate) use positions::Positions;
pub use ruling::*;
pub use sensitivity::{Cover, ReadingEffect, Sensitivity, Together};
pub use unread::{Elsewhere, Unread};
pub use value::{SeenMember, SeenValue};
pub use view::*;
pub use what_if::{Change, WhatIf, WhatIfs};

use crate::model::{ActionId, Config, Model, Value, VarId};

/// How a game has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Index into [`Model::ends`].
    pub ending: usize,
    /// The seats that win; empty for a draw.
    pub winners: Vec<u16>,
    /// For each seat its score.
    pub scores: Vec<i32>,
}

impl Outcome {
    /// The outcome of a game without scores in its rules: 1 for a winner, 0 for the others.
    #[must_use]
    pub fn by_winners(ending: usize, winners: u32, seats: usize) -> Outcome {
        let wins = |seat: usize| winners.checked_shr(seat as u32).unwrap_or(0) & 1 == 1;
        Outcome {
            ending,
            winners: (0..seats).filter(|s| wins(*s)).map(|s| s as u16).collect(),
            scores: (0..seats).map(|s| i32::from(wins(s))).collect(),
        }
    }
}

/// A question to a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The seat that must decide.
    pub seat: u16,
    /// The code and instruction that ask.
    pub at: (crate::model::CodeId, u16),
    /// The actions to choose among, if it is a choice of an action.
    pub actions: Vec<ActionId>,
    /// Whether doing nothing is an option.
    pub optional: bool,
}

/// What a position waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The game is over.
    Over(Outcome),
    /// A seat decides.
    Decision(Question),
    /// Chance, at this code and instruction; all outcomes are equally likely.
    Chance((crate::model::CodeId, u16)),
}

/// Whose turn it is at a position: the status in brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nobody's: the game is over.
    Over,
    /// Nobody's: chance.
    Chance,
    /// A seat's.
    Seat(u16),
}

/// The meaning of the rules, implemented twice: by `explain`, clearly, and by `engine`, fast.
///
/// A position is always at a decision point: a decision, chance, or the end of the game. Every method is a function of
/// its arguments only; randomness never enters.
pub trait Evaluator {
    /// The rules.
    fn model(&self) -> &Model;

    /// The options and readings in force.
    fn config(&self) -> &Config;

    /// The first decision point.
    ///
    /// # Errors
    /// A fault of the rules.
    fn start(&self) -> Result<Position, Fault>;

    /// The position before anything has happened: all variables have their initial values, and nothing is active. Facts
    /// are written into it before [`Evaluator::enter`].
    ///
    /// # Errors
    /// A fault of the rules.
    fn blank(&self) -> Result<Position, Fault>;

    /// Plays on from an entry, with the arguments of its phrase, to the next decision point. `blank` is a blank
    /// position with facts written in.
    ///
    /// # Errors
    /// A fault of the rules.
    fn enter(&self, blank: Position, entry: usize, args: &[i32]) -> Result<Position, Fault>;

    /// What a position waits for.
    ///
    /// # Errors
    /// A fault of the rules.
    fn status(&self, position: &Position) -> Result<Status, Fault>;

    /// All options of a decision or outcomes of chance, in a fixed order; empty if the game is over.
    ///
    /// # Errors
    /// A fault of the rules.
    fn options(&self, position: &Position) -> Result<Vec<Choice>, Fault>;

    /// Writes the options into a list whose old contents are discarded, for callers that ask often.
    ///
    /// # Errors
    /// A fault of the rules.
    fn options_into(&self, position: &Position, out: &mut Vec<Choice>) -> Result<(), Fault> {
        *out = self.options(position)?;
        Ok(())
    }

    /// Whose turn it is: the status in brief, for callers that ask often.
    ///
    /// # Errors
    /// A fault of the rules.
    fn turn(&self, position: &Position) -> Result<Turn, Fault> {
        Ok(match self.status(position)? {
            Status::Over(_) => Turn::Over,
            Status::Chance(_) => Turn::Chance,
            Status::Decision(question) => Turn::Seat(question.seat),
        })
    }

    /// Whose turn it is; the options or outcomes are written into a list whose old contents are discarded.
    ///
    /// # Errors
    /// A fault of the rules.
    fn turn_and_options(&self, position: &Position, out: &mut Vec<Choice>) -> Result<Turn, Fault> {
        let turn = self.turn(position)?;
        self.options_into(position, out)?;
        Ok(turn)
    }

    /// Gets ready to play much: what takes a while to make, and saves more, is made now. Answers stay the same.
    fn make_ready(&self) {}

    /// How many options or outcomes there are; 0 if the game is over.
    ///
    /// # Errors
    /// A fault of the rules.
    fn count(&self, position: &Position) -> Result<usize, Fault> {
        Ok(self.options(position)?.len())
    }

    /// The option or outcome at an index; `None` if there are not so many.
    ///
    /// # Errors
    /// A fault of the rules.
    fn nth(&self, position: &Position, n: usize) -> Result<Option<Choice>, Fault> {
        Ok(self.options(position)?.get(n).copied())
    }

    /// Whether telling the score of a game that is over can be a fault of the rules. For callers that ask only who won.
    fn score_may_fail(&self) -> bool {
        self.model().score.is_some()
    }

    /// What a position of a game that is not over is worth to a seat, for bots: what the rules state as its `worth`,
    /// else its score, if nobody won. `None` if the rules state neither.
    ///
    /// # Errors
    /// A fault of the rules.
    fn worth(&self, _position: &Position, _seat: u16) -> Result<Option<i32>, Fault> {
        Ok(None)
    }

    /// Makes a choice that is one of [`Evaluator::options`] and plays on to the next decision point. With any other
    /// choice the result is unspecified, but it does not panic.
    ///
    /// # Errors
    /// A fault of the rules; the position is then unspecified.
    fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), Fault>;

    /// As [`Evaluator::apply`], for callers that will not ask about the position before again: it need not be kept at
    /// hand.
    ///
    /// # Errors
    /// A fault of the rules; the position is then unspecified.
    fn advance(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
        self.apply(position, choice)
    }

    /// As [`Evaluator::advance`]; returns whose turn it is then, and writes the options or outcomes into a list whose
    /// old contents are discarded.
    ///
    /// # Errors
    /// A fault of the rules; the position is then unspecified.
    fn advance_to(&self, position: &mut Position, choice: Choice, out: &mut Vec<Choice>) -> Result<Turn, Fault> {
        self.advance(position, choice)?;
        self.turn_and_options(position, out)
    }

    /// Makes the first choice, if there is one, as [`Evaluator::advance`] does, and plays on at random to the end of
    /// the game, or as far as the length says, with every option and outcome equally likely.
    /// Returns the number of plies played after the first choice, or `None` if this is unsupported here; the position
    /// is then as before.
    /// `draws` fills a list with random words; a number below `n` is drawn from them as [`Dice`](crate::players::Dice)
    /// does, and none is used for a single option.
    fn playout(
        &self,
        _position: &mut Position,
        _first: Option<&Choice>,
        _draws: &mut dyn FnMut(&mut [u64]),
        _length: Length,
    ) -> Option<usize> {
        None
    }

    /// The value of a variable, with the index for an indexed one.
    fn read(&self, position: &Position, var: VarId, index: usize) -> Value {
        position.read(self.model(), var, index)
    }
}
