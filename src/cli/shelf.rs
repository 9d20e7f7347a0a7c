//! The rules that casebooks, positions and records name, each loaded once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lawspeaker::engine::Engine;
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::library::{self, Folder, LoadError, Loaded, Unusable, same_name};
use lawspeaker::model::Config;
use lawspeaker::record::Replayer;
use lawspeaker::report;

/// Rules, or in words why there are none.
type Fetched = Result<Arc<Loaded>, String>;
/// Rules under some options: the address of the model, and the options.
type Key = (usize, Vec<i32>);
/// Compiled rules, once whoever asked first has made them.
type Making = Arc<OnceLock<Arc<Engine>>>;

/// Rules by the name a text gives them.
#[derive(Default)]
pub struct Shelf {
    /// Where to look first: a folder or a shipped name.
    home: Option<String>,
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

/// Shelves, one for each home.
#[derive(Default)]
pub struct Shelves(HashMap<Option<String>, Arc<Shelf>>);

impl Shelves {
    /// The shelf that looks into a game first.
    pub fn of(&mut self, home: Option<String>) -> Arc<Shelf> {
        Arc::clone(self.0.entry(home).or_insert_with_key(|home| Arc::new(Shelf::new(home.clone()))))
    }

    /// The shelf for a text in a file.
    pub fn beside(&mut self, file: &Path) -> Arc<Shelf> {
        self.of(home_of(file).map(|p| p.display().to_string()))
    }
}

impl Shelf {
    /// A shelf that looks into a game first, then among the shipped ones.
    pub fn new(home: Option<String>) -> Shelf {
        Shelf { home, loaded: Mutex::default(), ready: Mutex::default(), compiled: Mutex::default() }
    }

    /// The rules under some settings.
    ///
    /// # Errors
    /// In words.
    pub fn referee(&self, settings: &Settings) -> Result<Arc<Explainer>, String> {
        let loaded = self.rules(settings)?;
        let config = facts::config_of(&loaded.model, settings)?;
        Ok(Arc::new(Explainer::new(Arc::clone(&loaded.model), config)))
    }

    /// The same, compiled. They are kept on the shelf.
    ///
    /// # Errors
    /// In words.
    pub fn compiled(&self, settings: &Settings) -> Result<Arc<Engine>, String> {
        let loaded = self.rules(settings)?;
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
    /// In words.
    pub fn rules(&self, settings: &Settings) -> Fetched {
        let mut key = vec![settings.game.clone()];
        key.extend(settings.variants.iter().cloned());
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let found = loaded.entry(key).or_insert_with(|| self.fetch(settings));
        found.clone()
    }

    fn fetch(&self, settings: &Settings) -> Fetched {
        let folder = self.find(&settings.game).map_err(|e| words(&e))?;
        match library::load(folder, &settings.variants) {
            Ok(loaded) if same_name(&loaded.model.name, &settings.game) || settings.game.is_empty() => {
                Ok(Arc::new(loaded))
            }
            Ok(loaded) => {
                let (found, wanted) = (&loaded.model.name, &settings.game);
                Err(format!("this is about the game {wanted}, and the rules here are of {found}"))
            }
            Err(LoadError::Files(error)) => Err(words(&error)),
            Err(error @ LoadError::Rules { .. }) => Err(first_fault(&error)),
        }
    }

    /// The game's folder: the home if it is called so or its rules say so, else a shipped game, else the home whatever it is called.
    fn find(&self, name: &str) -> Result<Folder, Unusable> {
        let Some(home) = &self.home else {
            return library::find(name);
        };
        let folder = library::find(home)?;
        if name.is_empty() || declares(&folder, name) {
            return Ok(folder);
        }
        if library::shipped_name(name).is_some() {
            return library::find(name);
        }
        Ok(folder)
    }
}

fn declares(folder: &Folder, name: &str) -> bool {
    let says = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("game") && words.next().is_some_and(|own| same_name(own, name))
    };
    folder.rules().iter().any(|(_, text)| text.lines().any(says))
}

/// An error and its advice on one line.
pub fn words(error: &Unusable) -> String {
    match &error.help {
        Some(help) => format!("{error} ({help})"),
        None => error.to_string(),
    }
}

fn first_fault(error: &LoadError) -> String {
    match error {
        LoadError::Rules { checked, name } => {
            let first = checked.diagnostics.first();
            // That is a fault of the one who asks for it, not of the rules.
            if let Some(missing) = first.filter(|d| d.message.starts_with("there is no variant")) {
                let help = missing.help.as_ref().map_or_else(String::new, |h| format!("; {h}"));
                return format!("{}{help}", missing.message);
            }
            let first = first.map_or(String::new(), |d| format!(": {}: {}", d.code, d.message));
            let count = report::count_words(&checked.diagnostics);
            format!("the rules of {name} have {count}{first} (`lawspeaker check {name}` shows all)")
        }
        LoadError::Files(files) => words(files),
    }
}

/// The game in whose folder a file lies: beside it, or one or two folders up.
pub fn home_of(file: &Path) -> Option<PathBuf> {
    let file = std::fs::canonicalize(file).ok()?;
    let found = file.ancestors().skip(1).take(3).find(|p| library::is_game(p))?;
    let here = std::env::current_dir().ok().and_then(|d| d.canonicalize().ok());
    let short = here.and_then(|d| found.strip_prefix(d).ok().map(Path::to_owned));
    Some(short.filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| found.to_owned()))
}
