//! A game on the table: its rules, the settings in force and the language to talk in.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{Choice, Evaluator as _, Fault, Outcome, Position};
use lawspeaker::library::{self, Loaded, Unusable};
use lawspeaker::model::{Model, PLAYER};
use lawspeaker::reading;
use lawspeaker::rules::Evaluators;
use lawspeaker::spelling::closest;

use super::Stop;

/// A game on the table.
pub struct Session {
    /// The rules and their files.
    pub loaded: Arc<Loaded>,
    /// The settings as written.
    pub settings: Settings,
    /// What answers.
    pub rules: Arc<Explainer>,
    /// The language of names and notation; empty for the rule file's own.
    pub lang: String,
    /// The fast one, once it was asked for.
    engine: OnceLock<Evaluators>,
}

impl Session {
    /// Opens a game by folder or shipped name.
    pub fn open(game: &str, settings: &Settings, lang: &str) -> Result<Session, Stop> {
        let loaded = Arc::new(library::open(game, &settings.variants)?);
        let config = facts::config_of(&loaded.model, settings).map_err(|message| Unusable::new(message, ""))?;
        let settings = Settings { game: loaded.model.name.clone(), ..settings.clone() };
        Ok(Session {
            rules: Arc::new(Explainer::new(Arc::clone(&loaded.model), config)),
            loaded,
            settings,
            lang: lang.to_owned(),
            engine: OnceLock::new(),
        })
    }

    /// With rules that are lowered already.
    pub fn with(engine: Evaluators, settings: Settings, loaded: Arc<Loaded>, lang: String) -> Session {
        Session { loaded, settings, rules: Arc::new(engine.explainer().clone()), lang, engine: OnceLock::from(engine) }
    }

    /// What answers where no reasons are wanted.
    pub fn engine(&self) -> Evaluators {
        self.engine.get_or_init(|| Evaluators::new(Arc::clone(&self.loaded.model), self.rules.config().clone())).clone()
    }

    /// The rules.
    pub fn model(&self) -> &Model {
        &self.loaded.model
    }

    /// The first position.
    pub fn start(&self) -> Result<Position, Stop> {
        self.rules.start().map_err(|fault| self.fault(&fault))
    }

    /// A fault of the rules, as a reason to stop.
    pub fn fault(&self, fault: &Fault) -> Stop {
        let help = "this is a fault of the rules, not of the move: correct the clause named";
        Unusable::new(fault.words(self.model()), help).into()
    }

    /// A choice in the game's notation.
    pub fn say(&self, position: &Position, choice: Choice) -> String {
        self.rules.say(position, choice, &self.lang)
    }

    /// How many seats there are.
    pub fn seats(&self) -> usize {
        self.model().kinds.get(PLAYER.i()).map_or(0, |k| k.members.len())
    }

    /// What a seat is called; nobody is chance.
    pub fn seat_name(&self, seat: Option<u16>) -> String {
        let Some(seat) = seat else {
            return String::from("chance");
        };
        let members = self.model().kinds.get(PLAYER.i()).map(|k| &k.members);
        let member = members.and_then(|m| m.get(seat as usize));
        let named = |m: &lawspeaker::model::Member| match m.name.get(&self.lang) {
            "" => m.id.clone(),
            name => name.to_owned(),
        };
        member.map_or_else(|| String::from("?"), named)
    }

    /// The seat of that name or identifier.
    pub fn seat(&self, name: &str) -> Result<u16, Unusable> {
        let members = self.model().kinds.get(PLAYER.i()).map_or(&[][..], |k| &k.members);
        let known = |m: &lawspeaker::model::Member| {
            m.id.eq_ignore_ascii_case(name) || m.name.text == name || m.name.get(&self.lang) == name
        };
        if let Some(seat) = members.iter().position(known) {
            return Ok(u16::try_from(seat).unwrap_or(u16::MAX));
        }
        let names: Vec<&str> = members.iter().map(|m| m.id.as_str()).collect();
        let help = match closest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the seats are {}", names.join(", ")),
        };
        Err(Unusable::new(format!("there is no seat {name}"), help))
    }

    /// How a game ended, in words: `Good wins: the Ring is destroyed (2 : 0)`.
    pub fn outcome(&self, outcome: &Outcome) -> String {
        let end = self.model().ends.get(outcome.ending);
        let clause = end.and_then(|e| self.model().clause(e.clause));
        let label = clause.map_or("", |c| c.label.get(&self.lang));
        let winners: Vec<String> = outcome.winners.iter().map(|seat| self.seat_name(Some(*seat))).collect();
        let who = match winners.len() {
            0 => String::from("draw"),
            1 => format!("{} wins", winners.join("")),
            _ => format!("{} win", winners.join(", ")),
        };
        let why = if label.is_empty() { String::new() } else { format!(": {label}") };
        let scores: Vec<String> = outcome.scores.iter().map(i32::to_string).collect();
        if scores.is_empty() {
            return format!("{who}{why}");
        }
        format!("{who}{why} ({})", scores.join(" : "))
    }
}

/// The files below a folder with an ending, in order, three folders deep at the most.
pub fn files_below(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Unusable> {
    reading::walk(folder, 3, |path| path.extension().is_some_and(|e| e == ending))
}
