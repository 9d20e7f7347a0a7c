//! One of the two sets of rules.

use crate::facts::Settings;
use crate::library::Folder;
use crate::rules::{Rulebook, Rules, RulesError};

/// A set of rules: files, and the variants, options and readings in force.
pub struct Side {
    /// The files.
    pub folder: Folder,
    /// The settings, which come on top of those that a case or record names.
    pub settings: Settings,
    /// The files with all variants that are asked for.
    pub book: Rulebook,
    /// The rules with these settings.
    pub rules: Rules,
}

impl Side {
    /// Of these files, with these settings.
    ///
    /// # Errors
    /// The rules have errors; a setting that the game does not have.
    pub fn new(folder: Folder, settings: Settings) -> Result<Side, RulesError> {
        let book = Rulebook::new(folder.clone());
        let rules = book.rules(&settings)?;
        Ok(Side { folder, settings, book, rules })
    }
}
