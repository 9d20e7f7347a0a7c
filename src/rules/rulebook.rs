//! The rules of one game under all the settings that texts name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Rules, RulesError};
use crate::facts::{self, Settings};
use crate::library::{self, Folder, Loaded};

/// The rules with some variants, or why there are none.
type Variant = Result<Arc<Loaded>, RulesError>;
/// Something that is made once, by whoever asks first.
type Slot<T> = Arc<OnceLock<T>>;
/// The rules by their variants, and by the number of seats where it is another than usual.
type Known = HashMap<(Vec<String>, Option<usize>), Slot<Variant>>;
/// Rules by their variants and the values of their options and readings.
type Ready = HashMap<(Vec<String>, Vec<i32>), Rules>;

/// The files of a game: each set of variants is checked once, each set of options is lowered once.
///
/// ```
/// use lawspeaker::{Rulebook, Rules, Settings};
///
/// let book = Rulebook::new(Rules::open("confrontation")?.loaded().folder.clone());
/// let plain = book.rules(&Settings::default())?;
/// let cards = book.rules(&Settings { options: vec![("variant_cards".into(), None)], ..Settings::default() })?;
/// assert_ne!(plain.digest(), cards.digest());
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
#[derive(Debug)]
pub struct Rulebook {
    folder: Folder,
    variants: Mutex<Known>,
    rules: Mutex<Ready>,
}

impl Rulebook {
    /// Of these files.
    #[must_use]
    pub fn new(folder: Folder) -> Rulebook {
        Rulebook { folder, variants: Mutex::default(), rules: Mutex::default() }
    }

    /// Of rules that are loaded already.
    #[must_use]
    pub fn of(loaded: Arc<Loaded>) -> Rulebook {
        let known = Known::from([((loaded.variants.clone(), None), Arc::new(OnceLock::from(Ok(Arc::clone(&loaded)))))]);
        Rulebook { variants: Mutex::new(known), ..Rulebook::new(loaded.folder.clone()) }
    }

    /// Its files.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The rules with these variants laid over them.
    ///
    /// # Errors
    /// The rules have errors.
    pub fn loaded(&self, variants: &[String]) -> Result<Arc<Loaded>, RulesError> {
        self.loaded_for(variants, None)
    }

    /// The same for a number of seats, where an option says how many play.
    fn loaded_for(&self, variants: &[String], seats: Option<usize>) -> Result<Arc<Loaded>, RulesError> {
        let slot = {
            let mut known = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry((variants.to_vec(), seats)).or_default())
        };
        // Others are checked meanwhile.
        let load = || {
            Ok(Arc::new(match seats {
                None => library::load(self.folder.clone(), variants)?,
                Some(seats) => library::load_seated(self.folder.clone(), variants, seats)?,
            }))
        };
        slot.get_or_init(load).clone()
    }

    /// The rules under some settings. What is lowered for some is shared by all who ask for the same.
    ///
    /// # Errors
    /// The rules have errors; a setting that the game does not have.
    pub fn rules(&self, settings: &Settings) -> Result<Rules, RulesError> {
        let mut loaded = self.loaded(&settings.variants)?;
        if let Some(seats) = facts::seats_of(&loaded.model, settings) {
            loaded = self.loaded_for(&settings.variants, Some(seats))?;
        }
        let config = facts::config_of(&loaded.model, settings).map_err(RulesError::Settings)?;
        let settings = Settings { game: loaded.model.name.clone(), ..settings.clone() };
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (settings.variants.clone(), config.0.clone());
        let rules = known.entry(key).or_insert_with(|| Rules::configured(loaded, settings.clone(), config)).clone();
        // The same options can be written in several ways.
        Rules { settings, ..rules }.with_lists()
    }
}
