//! A game on the table: its rules, the settings in force and the language to talk in.

use std::path::{Path, PathBuf};

use lawspeaker::facts::Settings;
use lawspeaker::game::{Choice, Fault, Outcome, Position};
use lawspeaker::library::Unusable;
use lawspeaker::model::Model;
use lawspeaker::reading;
use lawspeaker::rules::Rules;

use super::Stop;

/// A game on the table.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its rules.
    pub rules: Rules,
    /// The language of names and notation; empty for the rule file's own.
    pub lang: String,
}

impl Session {
    /// Opens a game by folder or shipped name.
    pub fn open(game: &str, settings: &Settings, lang: &str) -> Result<Session, Stop> {
        Ok(Session { rules: Rules::open_with(game, settings)?, lang: lang.to_owned() })
    }

    /// The rules.
    pub fn model(&self) -> &Model {
        self.rules.model()
    }

    /// A fault of the rules, as a reason to stop.
    pub fn fault(&self, fault: &Fault) -> Stop {
        of_rules(&fault.words(self.model()))
    }

    /// A choice in the game's notation.
    pub fn say(&self, position: &Position, choice: Choice) -> String {
        self.rules.explainer().say(position, choice, &self.lang)
    }

    /// What a seat is called; nobody is chance.
    pub fn seat_name(&self, seat: Option<u16>) -> String {
        seat.map_or_else(|| String::from("chance"), |seat| self.rules.seat_name(seat, &self.lang))
    }

    /// The seat of that name or identifier.
    pub fn seat(&self, name: &str) -> Result<u16, Unusable> {
        self.rules.seat(name, &self.lang)
    }

    /// How a game ended, in words.
    pub fn outcome(&self, outcome: &Outcome) -> String {
        self.rules.outcome_words(outcome, &self.lang)
    }
}

/// A fault of the rules in words, as a reason to stop.
pub fn of_rules(words: &str) -> Stop {
    Unusable::new(words, "this is a fault of the rules, not of the move: the clause named needs mending").into()
}

/// The files below a folder with an ending, in order, three folders deep at the most.
pub fn files_below(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Unusable> {
    reading::walk(folder, 3, |path| path.extension().is_some_and(|e| e == ending))
}
