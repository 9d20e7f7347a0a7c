//! The rules that casebooks, positions and records name, each loaded once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lawspeaker::check::{Checked, UnknownVariant};
use lawspeaker::engine::Engine;
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::library::{self, Folder, LoadError, Loaded, Unusable, same_name};
use lawspeaker::model::Config;
use lawspeaker::record::Replayer;
use lawspeaker::report;

/// Rules, or why there are none.
type Fetched = Result<Arc<Loaded>, NoRules>;

/// Why there are no rules of a name.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NoRules {
    /// The game has no such variant: a fault of the one who asks for it, not of the rules.
    #[error(transparent)]
    Variant(UnknownVariant),
    /// The rules have errors.
    #[error("the rules of {name} have {count}{first} (`lawspeaker check {name}` shows all)")]
    Faulty {
        /// The game.
        name: String,
        /// How many.
        count: String,
        /// The first of them, after a colon.
        first: String,
    },
    /// The rules that were found are of another game.
    #[error("this is about the game {wanted}, and the rules here are of {found}")]
    Other {
        /// What was asked for.
        wanted: String,
        /// What the rules are of.
        found: String,
    },
    /// Nothing is found, or it cannot be read.
    #[error("{}", words(.0))]
    Files(Unusable),
}
/// Rules under some options: the address of the model, and the options.
type Key = (usize, Vec<i32>);
/// Compiled rules, once whoever asked first has made them.
type Making = Arc<OnceLock<Arc<Engine>>>;

/// Rules by the name a text gives them.
#[derive(Default)]
pub struct RulesCache {
    /// Where to look first.
    home: Home,
    loaded: Mutex<HashMap<Vec<String>, Fetched>>,
    /// Rules made ready.
    ready: Mutex<HashMap<Key, Ready>>,
    compiled: Mutex<HashMap<Key, Making>>,
}

/// Rules under some options, ready for many records.
#[derive(Clone)]
pub struct Ready {
    /// Lowered.
    pub engine: Engine,
    /// For playing records again.
    pub replayer: Arc<Replayer>,
}

/// Where rules are looked for before the shipped games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Home {
    /// A folder or a shipped name that was given: its rules are meant even if they do not say so.
    given: Option<String>,
    /// The folders around the text that hold rules, the innermost first: each is meant if its rules are called as the
    /// text says.
    around: Vec<PathBuf>,
    /// The folder of the text itself, if it holds rules: it is meant in doubt.
    own: Option<PathBuf>,
}

impl Home {
    /// A game that was named.
    pub fn given(game: &str) -> Home {
        Home { given: Some(game.to_owned()), ..Home::default() }
    }

    /// That of a text in a file: beside it, or one or two folders up, as in `GAME/records/old/first.record`.
    pub fn beside(file: &Path) -> Home {
        let Ok(file) = std::fs::canonicalize(file) else {
            return Home::default();
        };
        let here = std::env::current_dir().ok().and_then(|d| d.canonicalize().ok());
        let short = |folder: &Path| {
            let inner = here.as_ref().and_then(|d| folder.strip_prefix(d).ok());
            inner.filter(|p| !p.as_os_str().is_empty()).unwrap_or(folder).to_owned()
        };
        let around: Vec<&Path> = file.ancestors().skip(1).take(3).filter(|folder| library::is_game(folder)).collect();
        let own = around.first().filter(|first| file.parent() == Some(**first)).map(|own| short(own));
        Home { given: None, around: around.into_iter().map(short).collect(), own }
    }

    /// The same in a folder that was named.
    pub fn within(self, folder: &Path) -> Home {
        let given = library::is_game(folder).then(|| folder.display().to_string());
        Home { given, ..self }
    }

    /// The folder around whose rules are called so.
    fn called(&self, name: &str) -> Option<&PathBuf> {
        self.around.iter().find(|folder| library::declares(folder, name))
    }

    /// The home whatever its rules are called.
    fn anyway(&self) -> Option<String> {
        self.given.clone().or_else(|| self.own.as_ref().map(|own| own.display().to_string()))
    }
}

/// RulesCaches, one for each home.
#[derive(Default)]
pub struct RulesCaches(HashMap<Home, Arc<RulesCache>>);

impl RulesCaches {
    /// The shelf that looks into a home first.
    pub fn of(&mut self, home: Home) -> Arc<RulesCache> {
        Arc::clone(self.0.entry(home).or_insert_with_key(|home| Arc::new(RulesCache::new(home.clone()))))
    }
}

impl RulesCache {
    /// A shelf that looks into a home first, then among the shipped games.
    pub fn new(home: Home) -> RulesCache {
        RulesCache { home, loaded: Mutex::default(), ready: Mutex::default(), compiled: Mutex::default() }
    }

    /// The rules under some settings.
    ///
    /// # Errors
    /// In words.
    pub fn referee(&self, settings: &Settings) -> Result<Arc<Explainer>, String> {
        let loaded = self.rules(settings).map_err(|e| e.to_string())?;
        let config = facts::config_of(&loaded.model, settings)?;
        Ok(Arc::new(Explainer::new(Arc::clone(&loaded.model), config)))
    }

    /// The same, compiled. They are kept on the shelf.
    ///
    /// # Errors
    /// In words.
    pub fn compiled(&self, settings: &Settings) -> Result<Arc<Engine>, String> {
        let loaded = self.rules(settings).map_err(|e| e.to_string())?;
        let config = facts::config_of(&loaded.model, settings)?;
        let key = (Arc::as_ptr(&loaded.model).addr(), config.0.clone());
        let slot = {
            let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(compiled.entry(key).or_default())
        };
        // Others go on meanwhile.
        Ok(Arc::clone(slot.get_or_init(|| Arc::new(Engine::new(Arc::clone(&loaded.model), config)))))
    }

    /// The rules under some options, made ready. They are kept on the shelf.
    pub fn ready(&self, loaded: &Loaded, config: Config) -> Ready {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Arc::as_ptr(&loaded.model).addr(), config.0.clone());
        let make = || {
            let replayer = Arc::new(Replayer::new(&loaded.model, &config));
            Ready { engine: Engine::new(Arc::clone(&loaded.model), config), replayer }
        };
        ready.entry(key).or_insert_with(make).clone()
    }

    /// The rules of a game with its variants.
    ///
    /// # Errors
    /// Why there are none.
    pub fn rules(&self, settings: &Settings) -> Fetched {
        let mut key = vec![settings.game.clone()];
        key.extend(settings.variants.iter().cloned());
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let found = loaded.entry(key).or_insert_with(|| self.fetch(settings));
        found.clone()
    }

    fn fetch(&self, settings: &Settings) -> Fetched {
        let folder = self.find(&settings.game).map_err(NoRules::Files)?;
        match library::load(folder, &settings.variants) {
            Ok(loaded) if same_name(&loaded.model.name, &settings.game) || settings.game.is_empty() => {
                Ok(Arc::new(loaded))
            }
            Ok(loaded) => {
                let (found, wanted) = (loaded.model.name.clone(), settings.game.clone());
                Err(NoRules::Other { wanted, found })
            }
            Err(LoadError::Files(error)) => Err(NoRules::Files(error)),
            Err(LoadError::Rules { name, checked }) => Err(faulty(name, &checked)),
        }
    }

    /// The game's folder: the home if its rules are called so, else a shipped game, else the home whatever it is
    /// called.
    fn find(&self, name: &str) -> Result<Folder, Unusable> {
        if let Some(folder) = self.home.called(name) {
            return library::read_folder(folder);
        }
        let anyway = self.home.anyway().map(|home| library::find(&home)).transpose()?;
        match anyway {
            Some(folder) if name.is_empty() || folder.declares(name) => Ok(folder),
            Some(folder) if library::shipped_name(name).is_none() => Ok(folder),
            _ => library::find(name),
        }
    }
}

/// An error and its advice on one line.
pub fn words(error: &Unusable) -> String {
    match &error.help {
        Some(help) => format!("{error} ({help})"),
        None => error.to_string(),
    }
}

fn faulty(name: String, checked: &Checked) -> NoRules {
    if let Some(unknown) = &checked.unknown_variant {
        return NoRules::Variant(unknown.clone());
    }
    let first = checked.diagnostics.first();
    let first = first.map_or(String::new(), |d| format!(": {}: {}", d.code, d.message));
    NoRules::Faulty { count: report::count_words(&checked.diagnostics), name, first }
}
