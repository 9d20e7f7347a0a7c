//! The talk with the people at a table, whatever shows it: whose turn it is, what they are told, what they answer.

mod answer;
mod back;
mod steps;

use lawspeaker::game::{Choice, Evaluator as _, Outcome, Question, SeenOption, Status, Told};
use lawspeaker::lexicon::fill;
use lawspeaker::lexicon::words::Play;
use lawspeaker::library::Unusable;
use lawspeaker::players::{Dice, derived};

use super::seated::{PlayerAt, decide, seen_options};
use super::table::Table;
use super::view::Viewer;
use crate::cli::Stop;
use back::Asked;

/// Games at random, and plies of each, in which it is seen whose seats are taken.
const SAMPLES: u64 = 3;
const SAMPLED_PLIES: usize = 300;

/// How the talk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// The game is over.
    Over,
    /// Someone left, or the input ended.
    Gone,
}

/// What comes next at the table.
#[derive(Debug)]
pub enum Turn {
    /// Nothing: the game is over.
    Over(Outcome),
    /// Chance.
    Chance,
    /// A bot decides.
    Bot(Question),
    /// A person decides, and there is only this option.
    Only(Question, SeenOption),
    /// A person decides.
    Person(Question, Vec<SeenOption>),
}

/// Something that is said at the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A ply: who, and what was chosen.
    Ply {
        /// The seat that chose; `None` for chance.
        seat: Option<u16>,
        /// The line.
        text: String,
    },
    /// What a ply led to.
    Led(String),
    /// The same with how deep it stands under its reason.
    Why(usize, String),
    /// Something that is wrong.
    Bad(String),
    /// An answer to what was typed, of one line or several.
    Text(String),
}

/// What follows a line that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The same is asked again.
    Again,
    /// Play goes on.
    Go,
    /// Someone leaves.
    Leave,
    /// Something is to be shown.
    Show(Show),
}

/// What is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// The board around whatever the options name.
    Board,
    /// The board around a cell.
    Around(u16),
    /// The whole board.
    All,
    /// The piles and variables.
    Hand,
    /// The options.
    Options,
    /// What can be typed.
    Help,
    /// All that the last plies led to.
    Happened,
    /// All plies.
    Log,
}

/// A talk at a table.
pub struct Talk<'a, 'd> {
    /// The table.
    pub table: &'a mut Table<'d>,
    players: &'a mut [PlayerAt],
    /// The person who looks.
    pub looking: Option<u16>,
    /// Whether a decision with one option is taken at once.
    brief: bool,
    /// How many plies that person has been told of.
    pub told: usize,
    /// The first of the plies that that person was told of last.
    last: usize,
    /// Plies of which that person knows only that something was chosen.
    covered: Vec<usize>,
    /// What was said in answer to a line.
    said: Vec<Said>,
    /// What was taken back last, in the order in which it was played.
    undone: Vec<(Option<Question>, Choice)>,
    /// What somebody must say yes to.
    asked: Option<Asked>,
}

impl<'a, 'd> Talk<'a, 'd> {
    /// Before the first word. If the talk is `brief`, a decision with one option is taken without a question.
    pub fn new(table: &'a mut Table<'d>, players: &'a mut [PlayerAt], brief: bool) -> Talk<'a, 'd> {
        let told = table.done.len();
        Talk {
            table,
            players,
            brief,
            looking: None,
            told,
            last: told,
            covered: Vec::new(),
            said: Vec::new(),
            undone: Vec::new(),
            asked: None,
        }
    }

    /// What comes next.
    ///
    /// # Errors
    /// A fault of the rules, or a decision without an option.
    pub fn turn(&self) -> Result<Turn, Stop> {
        let question = match self.table.status()? {
            Status::Over(outcome) => return Ok(Turn::Over(outcome)),
            Status::Chance(_) => return Ok(Turn::Chance),
            Status::Decision(question) => question,
        };
        if let Some(PlayerAt::Bot(_)) = self.players.get(usize::from(question.seat)) {
            return Ok(Turn::Bot(question));
        }
        let mut seen = seen_options(self.table, question.seat)?;
        match seen.as_slice() {
            [] => Err(self.stuck()),
            [_] if self.brief => match seen.pop() {
                Some(only) => Ok(Turn::Only(question, only)),
                None => Err(self.stuck()),
            },
            _ => Ok(Turn::Person(question, seen)),
        }
    }

    /// Plays a turn that needs nobody's answer.
    ///
    /// # Errors
    /// A fault of the rules, or a record that cannot be written.
    pub fn play(&mut self, turn: &Turn) -> Result<(), Stop> {
        match turn {
            Turn::Over(_) | Turn::Person(..) => Ok(()),
            Turn::Chance => match self.table.roll()? {
                Some(outcome) => self.table.choose(None, outcome),
                None => Err(self.stuck()),
            },
            Turn::Only(question, option) => match self.table.draw(&option.choices) {
                Some(choice) => self.table.choose(Some(question.clone()), choice),
                None => Err(self.stuck()),
            },
            Turn::Bot(question) => {
                if self.table.options()?.is_empty() {
                    return Err(self.stuck());
                }
                match self.players.get_mut(usize::from(question.seat)) {
                    Some(PlayerAt::Bot(bot)) => decide(self.table, bot.as_mut(), question),
                    _ => Ok(()),
                }
            }
        }
    }

    fn stuck(&self) -> Stop {
        let help = "the rules leave a decision without an option; the record leads there";
        let message = format!("nothing can be chosen after ply {}", self.table.done.len());
        Unusable::new(message, help).into()
    }

    /// What is said in the language of the session.
    pub fn words(&self) -> &'static Play {
        &self.table.session.lexicon().words.play
    }

    /// What was said since this was last asked.
    pub fn said(&mut self) -> Vec<Said> {
        std::mem::take(&mut self.said)
    }

    fn say(&mut self, text: impl Into<String>) {
        self.said.push(Said::Text(text.into()));
    }

    /// That the record could not be written, if it could not.
    pub fn troubled(&mut self) -> Vec<Said> {
        let trouble = self.table.trouble();
        trouble.into_iter().map(|why| Said::Bad(fill(self.words().not_kept, &[&why]))).collect()
    }

    /// Says which `never`s the position breaks, if that is looked at.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn broken(&mut self) -> Result<Vec<Said>, Stop> {
        let broken = self.table.broken()?;
        let ply = self.table.done.len().to_string();
        let line = |never| fill(self.words().broken_at, &[&ply, &self.table.session.is_broken(never)]);
        Ok(broken.into_iter().map(|never| Said::Bad(line(never))).collect())
    }

    /// The eyes of a seat.
    pub fn viewer_of(&self, seat: u16) -> Viewer<'d> {
        Viewer::new(self.table.session, Some(seat))
    }

    /// Who is told what happens: the one who looks, else the first person; where there are only bots, nobody in
    /// particular.
    pub fn eyes(&self) -> Option<u16> {
        let person = self.players.iter().position(|s| matches!(s, PlayerAt::Person));
        self.looking.or(person.and_then(|p| u16::try_from(p).ok()))
    }

    /// The seats of persons.
    fn persons(&self) -> impl Iterator<Item = u16> + '_ {
        let seats = self.players.iter().zip(0..);
        seats.filter(|(player, _)| matches!(player, PlayerAt::Person)).map(|(_, seat)| seat)
    }

    /// Whether another person must come to the screen before a seat sees anything.
    pub fn hands_over(&self, seat: u16) -> bool {
        self.looking != Some(seat)
            && self.persons().count() > 1
            && self.table.session.model().hides()
            && (self.looking.is_some() || self.others_decide(seat))
    }

    /// Whether a person at another seat decides in some game from here: a seat can stand empty.
    fn others_decide(&self, seat: u16) -> bool {
        let evaluators = self.table.session.rules.evaluators();
        let persons: Vec<u16> = self.persons().filter(|person| *person != seat).collect();
        (0..SAMPLES).any(|sample| {
            let mut dice = Dice::new(derived(self.table.seed, sample));
            let mut position = self.table.position.clone();
            for _ in 0..SAMPLED_PLIES {
                match evaluators.status(&position) {
                    Ok(Status::Decision(question)) if persons.contains(&question.seat) => return true,
                    Ok(Status::Decision(_) | Status::Chance(_)) => {}
                    _ => break,
                }
                let options = evaluators.options(&position).unwrap_or_default();
                let Some(choice) = options.get(dice.below(options.len().max(1))) else { break };
                if evaluators.apply(&mut position, *choice).is_err() {
                    break;
                }
            }
            false
        })
    }

    /// A person looks; `handed` says that somebody else did before.
    pub fn look(&mut self, seat: u16, handed: bool) {
        if handed {
            self.told = self.last_own(seat);
            self.covered = self.still_covered(seat);
        }
        self.looking = Some(seat);
    }

    /// The plies of which a seat was not told yet when it last decided.
    fn still_covered(&self, seat: u16) -> Vec<usize> {
        let Some(last) = self.told.checked_sub(1).and_then(|last| self.table.done.get(last)) else {
            return Vec::new();
        };
        let done = self.table.done.iter().take(self.told - 1);
        let choices: Vec<_> = done.map(|d| (&d.before, d.choice)).collect();
        self.viewer_of(seat).not_told(&choices, &last.before)
    }

    /// The ply after the last decision of a seat: from there on it has something to be told.
    fn last_own(&self, seat: u16) -> usize {
        let own = |d: &super::table::Done| d.question.as_ref().is_some_and(|q| q.seat == seat);
        self.table.done.iter().rposition(own).map_or(0, |i| i + 1)
    }

    /// What has happened that the one who looks was not told yet, each with the number of plies before it.
    pub fn tell(&mut self) -> Vec<(usize, Said)> {
        let viewer = Viewer::new(self.table.session, self.eyes());
        if self.told < self.table.done.len() {
            self.last = self.told;
        }
        let mut said = Vec::new();
        for i in self.told..self.table.done.len() {
            let (mut ply, secret) = self.told_of(&viewer, i);
            // What is laid open stands before what it led to.
            let opened = self.uncover(&viewer, i + 1);
            ply.splice(1.min(ply.len())..1.min(ply.len()), opened);
            if secret {
                self.covered.push(i);
            }
            said.extend(ply.into_iter().map(|one| (i, one)));
        }
        self.told = self.table.done.len();
        let last = self.told.saturating_sub(1);
        said.extend(self.uncover(&viewer, self.told).into_iter().map(|one| (last, one)));
        said
    }

    /// What a seat is told of a ply and what it led to, and whether the choice is secret to it.
    fn told_of(&self, viewer: &Viewer<'_>, i: usize) -> (Vec<Said>, bool) {
        let Some(done) = self.table.done.get(i) else { return (Vec::new(), false) };
        let (words, secret) = self.choice_of(viewer, i);
        let led = viewer.outcome(&done.before, done.choice, &words);
        let mut said = vec![self.line(i, &words)];
        said.extend(led.into_iter().map(Said::Led));
        (said, secret)
    }

    /// What a seat is told of the choice of a ply, and whether it is secret.
    fn choice_of(&self, viewer: &Viewer<'_>, i: usize) -> (String, bool) {
        let Some(done) = self.table.done.get(i) else { return (String::new(), false) };
        let after = self.table.done.get(i + 1).map_or(&self.table.position, |d| &d.before);
        match viewer.told(&done.before, after, done.choice) {
            Told::Said(words) => (words, false),
            Told::Secret => (self.words().secret.to_owned(), true),
        }
    }

    /// A ply of the log, as the one who looks knows it now.
    pub fn logged(&self, i: usize) -> Vec<Said> {
        let viewer = Viewer::new(self.table.session, self.eyes());
        let (mut said, secret) = self.told_of(&viewer, i);
        if let (true, Some(words)) = (secret, self.opened(&viewer, i)) {
            said.insert(1, Said::Led(fill(self.words().it_was, &[&words])));
        }
        said
    }

    fn line(&self, i: usize, words: &str) -> Said {
        let question = self.table.done.get(i).and_then(|d| d.question.as_ref());
        let seat = question.map(|q| q.seat);
        let who = self.table.session.seat_name(seat);
        Said::Ply { seat, text: fill(self.words().ply, &[&format!("{:>4}", i + 1), &who, words]) }
    }

    /// Tells what secret choices were that are none any more after some plies.
    fn uncover(&mut self, viewer: &Viewer<'_>, plies: usize) -> Vec<Said> {
        let mut said = Vec::new();
        for i in std::mem::take(&mut self.covered) {
            match self.opened_by(viewer, i, plies) {
                Some(words) => said.push(self.line(i, &fill(self.words().it_was, &[&words]))),
                None => self.covered.push(i),
            }
        }
        said
    }

    /// What a secret choice was, if it was open at any time since.
    fn opened(&self, viewer: &Viewer<'_>, i: usize) -> Option<String> {
        self.opened_by(viewer, i, self.table.done.len())
    }

    /// What a secret choice was, if it was open at any time before so many plies were made, or right after.
    fn opened_by(&self, viewer: &Viewer<'_>, i: usize, plies: usize) -> Option<String> {
        let done = self.table.done.get(i)?;
        let positions = self.table.done.iter().map(|d| &d.before).chain([&self.table.position]);
        let since = positions.take(plies + 1).skip(i + 1);
        since.into_iter().find_map(|now| match viewer.told_later(&done.before, now, done.choice) {
            Told::Said(words) => Some(words),
            Told::Secret => None,
        })
    }

    /// All that the plies led to of which the one who looks was told last.
    pub fn happened(&self) -> Vec<Said> {
        let viewer = Viewer::new(self.table.session, self.eyes());
        let of = |i: usize| {
            let (words, _) = self.choice_of(&viewer, i);
            let events = self.table.done.get(i).map_or_else(Vec::new, |d| viewer.events(&d.before, d.choice));
            let deeper = |line: String| {
                let deep = line.len() - line.trim_start().len();
                Said::Why(deep, line.trim_start().to_owned())
            };
            [self.line(i, &words)].into_iter().chain(events.into_iter().map(deeper)).collect::<Vec<Said>>()
        };
        let plies = self.table.done.len();
        let said: Vec<Said> = (self.last.min(plies.saturating_sub(1))..plies).flat_map(of).collect();
        if said.is_empty() { vec![Said::Text(self.words().nothing_happened.to_owned())] } else { said }
    }

    /// Who decides, and on what.
    pub fn title(&self, question: &Question) -> String {
        let name = self.table.session.seat_name(Some(question.seat));
        match self.table.session.asked_in(question) {
            Some(asked) => fill(self.words().decides_on, &[&name, &asked]),
            None => fill(self.words().decides, &[&name]),
        }
    }
}
