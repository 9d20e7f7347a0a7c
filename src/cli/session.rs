//! A game on the table: its rules, the settings in force and the language to talk in.

use std::path::{Path, PathBuf};

use lawspeaker::facts::Settings;
use lawspeaker::game::{Choice, Fault, Outcome, Position};
use lawspeaker::library::Unusable;
use lawspeaker::model::Model;
use lawspeaker::reading;
use lawspeaker::rules::Rules;

use super::Stop;

/// Which rules are in force.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct RulesArgs {
    /// Lay this variant over the game (may be given several times).
    #[arg(long, value_name = "NAME")]
    pub variant: Vec<String>,
    /// Settings by the name of a bundle.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// An option or reading: `--with hand_size=7` (may be given several times).
    #[arg(long, value_name = "NAME=VALUE")]
    pub with: Vec<String>,
}

impl RulesArgs {
    /// As the settings of a position or record.
    pub fn settings(&self) -> Settings {
        let option = |text: &String| {
            let (name, value) = match text.split_once(['=', ' ']) {
                Some((name, value)) => (name, Some(value.trim().to_owned())),
                None => (text.as_str(), None),
            };
            (name.trim().to_owned(), value)
        };
        Settings {
            options: self.with.iter().map(option).collect(),
            preset: self.preset.clone(),
            variants: self.variant.clone(),
            ..Settings::default()
        }
    }
}

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
