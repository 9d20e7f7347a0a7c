//! The rules that casebooks, positions and records name, each loaded once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lawspeaker::check::{UnknownVariant, in_force};
use lawspeaker::facts::{SettingError, Settings};
use lawspeaker::library::{self, Folder, LoadError, Unusable, same_name};
use lawspeaker::record;
use lawspeaker::report;
use lawspeaker::rules::{Rulebook, Rules, RulesError};

/// The files of a game, once whoever asked first has them; or in words why there are none.
type Book = Arc<OnceLock<Result<Arc<Rulebook>, String>>>;

/// A game, its variants, and whether comments and layout count.
type Marked = (String, Vec<String>, bool);

/// Rules by the name a text gives them.
#[derive(Default)]
pub struct RulesCache {
    /// Where to look first.
    home: Home,
    /// By name.
    books: Mutex<HashMap<String, Book>>,
    /// What stands in the files.
    marks: Mutex<HashMap<Marked, u64>>,
}

/// Why there are no rules for a text.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NoRules {
    /// The game has no such variant: an error of the text, not of the rules.
    #[error(transparent)]
    Variant(UnknownVariant),
    /// A setting that the game does not have.
    #[error(transparent)]
    Setting(SettingError),
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
    #[error("this is about the game {wanted}, but these are the rules of {found}")]
    Other {
        /// The game of the text.
        wanted: String,
        /// The game of the rules.
        found: String,
    },
    /// Nothing is found, or it cannot be read.
    #[error("{0}")]
    Files(String),
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

    /// Whether rules are found for a text that names no game.
    pub fn is_some(&self) -> bool {
        self.given.is_some() || !self.around.is_empty()
    }

    /// The folder around whose rules are called so.
    fn called(&self, name: &str) -> Option<&PathBuf> {
        self.around.iter().find(|folder| library::declares(folder, name))
    }

    /// The folders in which rules may be found.
    pub fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.around.iter().chain(&self.own)
    }

    /// The home whatever its rules are called.
    fn anyway(&self) -> Option<String> {
        self.given.clone().or_else(|| self.own.as_ref().map(|own| own.display().to_string()))
    }
}

/// Caches, one for each home.
#[derive(Default)]
pub struct RulesCaches(HashMap<Home, Arc<RulesCache>>);

impl RulesCaches {
    /// The one that looks into a home first.
    pub fn of(&mut self, home: Home) -> Arc<RulesCache> {
        Arc::clone(self.0.entry(home).or_insert_with_key(|home| Arc::new(RulesCache::new(home.clone()))))
    }
}

impl RulesCache {
    /// One that looks into a home first, then among the shipped games.
    pub fn new(home: Home) -> RulesCache {
        RulesCache { home, ..RulesCache::default() }
    }

    /// The rules under some settings. They are kept.
    pub fn rules(&self, settings: &Settings) -> Result<Rules, NoRules> {
        let book = self.book(&settings.game).map_err(NoRules::Files)?;
        let loaded = book.loaded(&settings.variants).map_err(|error| no_rules(&error))?;
        let (found, wanted) = (&loaded.model.name, &settings.game);
        if !same_name(found, wanted) && !wanted.is_empty() {
            return Err(NoRules::Other { wanted: wanted.clone(), found: found.clone() });
        }
        book.rules(settings).map_err(|error| no_rules(&error))
    }

    /// A number that stays the same as long as the files say the same rules with these variants; with `layout`, as long
    /// as they say it in the same lines with the same comments. `None`: there are no such files.
    pub fn mark(&self, settings: &Settings, layout: bool) -> Option<u64> {
        let book = self.book(&settings.game).ok()?;
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (settings.game.clone(), settings.variants.clone(), layout);
        let mark = || record::files_digest(&in_force(&book.folder().rules(), &settings.variants), layout);
        Some(*marks.entry(key).or_insert_with(mark))
    }

    /// The files of the game of this name. They are kept.
    fn book(&self, name: &str) -> Result<Arc<Rulebook>, String> {
        let book = {
            let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(books.entry(name.to_owned()).or_default())
        };
        // Other games are read meanwhile.
        let read = || self.find(name).map(|folder| Arc::new(Rulebook::new(folder))).map_err(|e| words(&e));
        book.get_or_init(read).clone()
    }

    /// The game's folder: the home if its rules are called so, else a shipped game, else the home whatever it is
    /// called.
    fn find(&self, name: &str) -> Result<Folder, Unusable> {
        // A text that names no game is about that of the folder around it.
        if let (true, None, Some(folder)) = (name.is_empty(), &self.home.given, self.home.around.first()) {
            return library::read_folder(folder);
        }
        if let Some(folder) = self.home.called(name) {
            return library::read_folder(folder);
        }
        let shipped = library::shipped_name(name).is_some();
        // Rules around the text that are called otherwise are not read where a shipped game is meant: what is broken
        // in their folder does not matter.
        let anyway = self.home.anyway().filter(|_| self.home.given.is_some() || !shipped);
        match anyway.map(|home| library::find(&home)).transpose()? {
            Some(folder) if name.is_empty() || folder.declares(name) || !shipped => Ok(folder),
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

/// Why there are no rules, for a text that names them.
fn no_rules(error: &RulesError) -> NoRules {
    match error {
        RulesError::Settings(setting) => NoRules::Setting(setting.clone()),
        RulesError::Load(load) => match &**load {
            LoadError::Files(files) => NoRules::Files(words(files)),
            LoadError::Rules { checked, name } => {
                if let Some(variant) = &checked.unknown_variant {
                    return NoRules::Variant(variant.clone());
                }
                let first = checked.diagnostics.first();
                let first = first.map_or(String::new(), |d| format!(": {}: {}", d.code, d.message));
                NoRules::Faulty { name: name.clone(), count: report::count_words(&checked.diagnostics), first }
            }
        },
        other => NoRules::Files(other.to_string()),
    }
}
