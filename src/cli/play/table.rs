//! A game under way: its positions, what was chosen, and the record of it on disk.

use std::path::PathBuf;

use lawspeaker::game::{Choice, Evaluator as _, Position, Question, Status};
use lawspeaker::players::{Dice, derived};
use lawspeaker::record::{self, Record, RecordedPly};

use crate::cli::Stop;
use crate::cli::desk::{self, Desk};
use crate::cli::log;

/// A choice that was made and the position in which it was.
#[derive(Clone, Debug)]
pub struct Done {
    /// The position.
    pub before: Position,
    /// What was asked; nothing: chance.
    pub question: Option<Question>,
    /// The choice.
    pub choice: Choice,
    /// The line of the record.
    pub recorded: RecordedPly,
}

/// A game under way.
pub struct Table<'a> {
    /// Its rules.
    pub desk: &'a Desk,
    /// The position now.
    pub position: Position,
    /// All that was done.
    pub done: Vec<Done>,
    /// Seed of chance.
    pub seed: u64,
    /// Where the record is kept.
    pub file: PathBuf,
    /// What the record says before its plies.
    pub header: Record,
}

impl<'a> Table<'a> {
    /// A game at its first position.
    pub fn new(desk: &'a Desk, position: Position, seed: u64, file: PathBuf, header: Record) -> Table<'a> {
        Table { desk, position, done: Vec::new(), seed, file, header }
    }

    /// Where it stands.
    pub fn status(&self) -> Result<Status, Stop> {
        let status = self.desk.engine().status(&self.position);
        status.map_err(|fault| self.desk.fault(&fault))
    }

    /// The options, or the outcomes of chance.
    pub fn options(&self) -> Result<Vec<Choice>, Stop> {
        let options = self.desk.engine().options(&self.position);
        options.map_err(|fault| self.desk.fault(&fault))
    }

    /// Makes a choice and writes the record.
    pub fn choose(&mut self, question: Option<Question>, choice: Choice) -> Result<(), Stop> {
        self.advance(question, choice)?;
        self.keep()
    }

    /// Makes a choice.
    pub fn advance(&mut self, question: Option<Question>, choice: Choice) -> Result<(), Stop> {
        let before = self.position.clone();
        let recorded = record::ply(&*self.desk.rules, &before, choice);
        let applied = self.desk.engine().apply(&mut self.position, choice);
        if let Err(fault) = applied {
            self.position = before;
            return Err(self.desk.fault(&fault));
        }
        self.done.push(Done { before, question, choice, recorded });
        Ok(())
    }

    /// An outcome of chance. It hangs on the seed and the number of the ply alone, so taking back and playing on changes nothing of it.
    pub fn roll(&self) -> Result<Option<Choice>, Stop> {
        let options = self.options()?;
        let mut dice = Dice::new(derived(self.seed, self.done.len() as u64));
        Ok(options.get(dice.below(options.len())).copied())
    }

    /// One of several choices by lot; like chance it depends on the seed and the number of the ply alone.
    pub fn draw(&self, choices: &[Choice]) -> Option<Choice> {
        let mut dice = Dice::new(derived(derived(self.seed, self.done.len() as u64), 1));
        match choices {
            [_, _, ..] => choices.get(dice.below(choices.len())).copied(),
            _ => choices.first().copied(),
        }
    }

    /// Takes back to the last decision of a seat. `false`: it has made none.
    pub fn undo(&mut self, seat: u16) -> Result<bool, Stop> {
        let own = |d: &Done| d.question.as_ref().is_some_and(|q| q.seat == seat);
        let Some(at) = self.done.iter().rposition(own) else {
            return Ok(false);
        };
        self.position = self.done[at].before.clone();
        self.done.truncate(at);
        self.keep()?;
        Ok(true)
    }

    /// The record so far.
    pub fn record(&self) -> Result<Record, Stop> {
        let plies = self.done.iter().map(|d| d.recorded.clone()).collect();
        log::record(self.desk, &self.header, plies, &self.position)
    }

    /// Writes the record in its place.
    pub fn keep(&self) -> Result<(), Stop> {
        desk::write_file(&self.file, &record::write(&self.record()?))?;
        Ok(())
    }
}
