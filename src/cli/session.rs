//! A game on the table: its rules, the settings in force and the language to talk in.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use lawspeaker::engine::Engine;
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{Choice, Evaluator as _, Fault, Outcome, Position};
use lawspeaker::lexicon::{self, Lexicon};
use lawspeaker::library::{self, Loaded, Unusable};
use lawspeaker::model::{Model, PLAYER};
use lawspeaker::reading;
use lawspeaker::spelling::closest;

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
    engine: OnceLock<Engine>,
}

impl Session {
    /// Opens a game by folder or shipped name.
    pub fn open(game: &str, settings: &Settings, lang: &str) -> Result<Session, Stop> {
        let loaded = Arc::new(library::open(game, &settings.variants)?);
        let config = facts::config_of(&loaded.model, settings).map_err(|message| Unusable::new(message, ""))?;
        let lang = language(&loaded.model, lang)?;
        let settings = Settings { game: loaded.model.name.clone(), ..settings.clone() };
        Ok(Session {
            rules: Arc::new(Explainer::new(Arc::clone(&loaded.model), config)),
            loaded,
            settings,
            lang,
            engine: OnceLock::new(),
        })
    }

    /// With rules that are lowered already.
    pub fn with(engine: Engine, settings: Settings, loaded: Arc<Loaded>, lang: String) -> Session {
        Session { loaded, settings, rules: Arc::new(engine.explainer().clone()), lang, engine: OnceLock::from(engine) }
    }

    /// What answers where no reasons are wanted.
    pub fn engine(&self) -> Engine {
        self.engine.get_or_init(|| Engine::new(Arc::clone(&self.loaded.model), self.rules.config().clone())).clone()
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
        let lexicon = self.lexicon();
        Unusable::new(lexicon.fault(fault), lexicon.words.play.fault_help).into()
    }

    /// A choice in the game's notation.
    pub fn say(&self, position: &Position, choice: Choice) -> String {
        self.rules.say(position, choice, &self.lang)
    }

    /// How many seats there are.
    pub fn seats(&self) -> usize {
        self.model().kinds.get(PLAYER.i()).map_or(0, |k| k.members.len())
    }

    /// Names and the program's own words in the language of the session.
    pub fn lexicon(&self) -> Lexicon<'_> {
        Lexicon::new(self.model(), &self.lang)
    }

    /// What a seat is called; nobody is chance.
    pub fn seat_name(&self, seat: Option<u16>) -> String {
        self.lexicon().who(seat)
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
        self.lexicon().outcome(outcome)
    }
}

/// The language that `--lang` means.
pub fn language(model: &Model, wanted: &str) -> Result<String, Unusable> {
    let found = lexicon::language(model, wanted);
    found.map_err(|unknown| {
        let message = format!("there is no language `{}`", unknown.wanted);
        Unusable::new(message, format!("the languages are {}", unknown.known.join(", ")))
    })
}

/// The files below a folder with an ending, in order, three folders deep at the most.
pub fn files_below(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Unusable> {
    reading::walk(folder, 3, |path| path.extension().is_some_and(|e| e == ending))
}
