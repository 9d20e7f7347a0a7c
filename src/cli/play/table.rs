//! A game in progress: its positions, the choices made, and its record on disk.

use std::path::{Path, PathBuf};

use lawspeaker::game::{Choice, Evaluator as _, Position, Question, Status};
use lawspeaker::library::Unusable;
use lawspeaker::model::{ClauseId, Member};
use lawspeaker::players::{Dice, derived};
use lawspeaker::record::{self, Ply, Record, RecordedEnd, RecordedPly, RecordedResult, Replay, ReplayEnd};
use lawspeaker::writing::{self, Held, Refusal};

use crate::cli::Stop;
use crate::cli::games::{self, Begun};
use crate::cli::session::Session;

/// A choice that was made and the position in which it was.
#[derive(Clone, Debug)]
pub struct Done {
    /// The position.
    pub before: Position,
    /// What was asked; `None` for chance.
    pub question: Option<Question>,
    /// The choice.
    pub choice: Choice,
    /// The line of the record.
    pub recorded: RecordedPly,
}

/// Where a record is kept.
#[derive(Debug)]
pub enum Spot {
    /// In a new file of that name, or with a number behind it.
    Free(PathBuf),
    /// In this file.
    At(Held),
}

/// A game in progress.
pub struct Table<'a> {
    /// Its rules.
    pub session: &'a Session,
    /// The position now.
    pub position: Position,
    /// All that was done.
    pub done: Vec<Done>,
    /// Seed of chance.
    pub seed: u64,
    /// What the record says before its plies.
    header: Record,
    /// The record that is gone on with.
    begun: Option<Begun>,
    /// How many of the first plies stand in it.
    standing: usize,
    spot: Spot,
    /// Something was done that is not on disk yet.
    unkept: bool,
    /// Whether positions are looked at, and what the last one broke.
    checked: Option<Vec<ClauseId>>,
    /// Whether any of them broke something.
    pub broke: bool,
    /// The seat that gave up.
    resigned: Option<u16>,
    /// Whether people play on where the record cannot be written for now.
    pub patient: bool,
    /// Why it could not be written last.
    trouble: Option<String>,
}

impl<'a> Table<'a> {
    /// A game where it was opened.
    pub fn new(session: &'a Session, opened: games::Opened, spot: Spot) -> Result<Table<'a>, Stop> {
        let games::Opened { position, seed, header, plies, begun } = opened;
        let standing = if begun.is_some() { plies.len() } else { 0 };
        let done = Vec::with_capacity(plies.len());
        let mut table = Table {
            session,
            position,
            done,
            seed,
            header,
            begun,
            standing,
            spot,
            unkept: false,
            checked: None,
            broke: false,
            resigned: None,
            patient: false,
            trouble: None,
        };
        for (question, choice) in plies {
            table.advance(question, choice)?;
        }
        Ok(table)
    }

    /// From here on positions are looked at whether they break a `never`.
    pub fn check(&mut self) {
        self.checked = Some(Vec::new());
    }

    /// What the position breaks that the one before did not.
    pub fn broken(&mut self) -> Result<Vec<ClauseId>, Stop> {
        let Some(before) = &mut self.checked else { return Ok(Vec::new()) };
        let now = self.session.broken(&self.position).map_err(|fault| self.session.fault(&fault))?;
        let new: Vec<ClauseId> = now.iter().filter(|id| !before.contains(id)).copied().collect();
        *before = now;
        self.broke |= !new.is_empty();
        Ok(new)
    }

    /// The game so far as a record and as what was replayed of it.
    pub fn replayed(&self) -> (Record, Replay) {
        let beginning = self.done.first().map_or(&self.position, |first| &first.before).clone();
        let ply = |done: &Done| Ply { seat: done.question.as_ref().map(|q| q.seat), choice: done.choice };
        let replay = Replay {
            beginning: Some(beginning),
            plies: self.done.iter().map(ply).collect(),
            position: Some(self.position.clone()),
            end: ReplayEnd::Complete(None),
            other_rules: false,
            first_difference: None,
        };
        (self.header.clone(), replay)
    }

    /// Where the record is kept.
    pub fn file(&self) -> &Path {
        match &self.spot {
            Spot::Free(path) => path,
            Spot::At(held) => held.path(),
        }
    }

    /// Whether this file is where the record is kept.
    pub fn keeps_in(&self, path: &Path) -> bool {
        matches!((self.file().canonicalize(), path.canonicalize()), (Ok(own), Ok(other)) if own == other)
    }

    /// Whether the record stays where it is written.
    pub fn is_kept(&self) -> bool {
        !matches!(&self.spot, Spot::At(held) if held.is_stream())
    }

    /// Where it stands.
    pub fn status(&self) -> Result<Status, Stop> {
        let status = self.session.rules.evaluators().status(&self.position);
        status.map_err(|fault| self.session.fault(&fault))
    }

    /// The options, or the outcomes of chance.
    pub fn options(&self) -> Result<Vec<Choice>, Stop> {
        let options = self.session.rules.evaluators().options(&self.position);
        options.map_err(|fault| self.session.fault(&fault))
    }

    /// Makes a choice and writes the record.
    pub fn choose(&mut self, question: Option<Question>, choice: Choice) -> Result<(), Stop> {
        self.advance(question, choice)?;
        self.unkept = true;
        self.keep()
    }

    /// Makes a choice.
    pub fn advance(&mut self, question: Option<Question>, choice: Choice) -> Result<(), Stop> {
        let before = self.position.clone();
        let recorded = record::ply((self.session.rules.evaluators(), self.session.rules.explainer()), &before, choice);
        let applied = self.session.rules.evaluators().apply(&mut self.position, choice);
        if let Err(fault) = applied {
            self.position = before;
            return Err(self.session.fault(&fault));
        }
        self.done.push(Done { before, question, choice, recorded });
        Ok(())
    }

    /// An outcome of chance. It depends only on the seed and the number of the ply, so taking back and playing on does
    /// not change it.
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

    /// Takes back to before a ply, and gives what was played since.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn back_to(&mut self, ply: usize) -> Result<Vec<(Option<Question>, Choice)>, Stop> {
        let Some(done) = self.done.get(ply) else { return Ok(Vec::new()) };
        self.position = done.before.clone();
        let undone = self.done.drain(ply..).map(|d| (d.question, d.choice)).collect();
        self.standing = self.standing.min(ply);
        self.unkept = true;
        self.keep()?;
        Ok(undone)
    }

    /// A seat gives up, which the record says.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn resign(&mut self, seat: u16) -> Result<(), Stop> {
        self.resigned = Some(seat);
        self.unkept = true;
        self.keep()
    }

    /// The text of the record so far. What stood in a record that is gone on with stays as it is.
    pub fn text(&self) -> Result<String, Stop> {
        let plies = self.done.iter().map(|d| d.recorded.clone()).collect();
        let Record { plies, result, .. } = &games::record(self.session, &self.header, plies, &self.position)?;
        let seats = self.session.model().kinds.first().map_or(&[][..], |kind| &kind.members);
        let loser = self.resigned.and_then(|seat| seats.get(usize::from(seat)));
        let resigned =
            |seat: &Member| RecordedResult { end: RecordedEnd::Resigns(seat.id.clone()), ..RecordedResult::default() };
        let result = &loser.map(resigned).or_else(|| result.clone());
        let Some(begun) = &self.begun else {
            let header = self.header.clone();
            return Ok(record::write(&Record { plies: plies.clone(), result: result.clone(), ..header }));
        };
        let more = plies.get(self.standing..).unwrap_or_default();
        let rules = self.header.rules.unwrap_or_default();
        Ok(record::continued(&begun.text, &begun.record, self.standing, more, result.as_ref(), rules))
    }

    /// Begins the record on disk, before the first word. One that is gone on with is copied, if it is to be kept
    /// elsewhere.
    pub fn begin(&mut self, elsewhere: bool) -> Result<(), Stop> {
        match &self.begun {
            None => self.keep(),
            Some(begun) if elsewhere && self.is_kept() => {
                let text = begun.text.clone();
                self.put(&text)
            }
            Some(_) => Ok(()),
        }
    }

    /// Writes the record in its place. A device or pipe has it once, at the end.
    fn keep(&mut self) -> Result<(), Stop> {
        if self.is_kept() {
            let text = self.text()?;
            match self.put(&text) {
                Err(Stop::Unusable(error)) if self.patient => {
                    self.trouble = Some(error.message);
                    return Ok(());
                }
                put => put?,
            }
        }
        self.unkept = false;
        self.trouble = None;
        Ok(())
    }

    /// Why the record could not be written, if that was not told yet.
    pub fn trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    fn put(&mut self, text: &str) -> Result<(), Stop> {
        match &mut self.spot {
            Spot::Free(path) => match writing::begin(path, text) {
                Ok(held) => self.spot = Spot::At(held),
                Err(refusal @ Refusal::System { .. }) => {
                    return Err(Unusable::new(refusal.to_string(), "choose another place with --record FILE").into());
                }
                Err(refusal) => return Err(refusal.into()),
            },
            Spot::At(held) => held.write(text)?,
        }
        Ok(())
    }

    /// Ends the record: to a device or pipe it goes now.
    pub fn end(&mut self) -> Result<(), Stop> {
        if self.is_kept() {
            self.patient = false;
            return if self.unkept { self.keep() } else { Ok(()) };
        }
        let text = self.text()?;
        self.put(&text)
    }

    /// Keeps what is not on disk under another name, since its own place fails. Gives the name, if anything was left to
    /// keep and could be.
    pub fn rescue(&mut self, other: PathBuf) -> Option<PathBuf> {
        if !self.unkept {
            return None;
        }
        let text = self.text().ok()?;
        let held = writing::begin(self.file(), &text).or_else(|_| writing::begin(&other, &text)).ok()?;
        let path = held.path().to_owned();
        self.spot = Spot::At(held);
        Some(path)
    }
}
