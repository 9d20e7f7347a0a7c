//! Runs the cases and records of a game against mutants.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use xxhash_rust::xxh3::xxh3_64;

use super::log::{Fate, MutationLog};
use super::mutant::{Mutant, Scope};
use super::sites;
use super::suite::{Place, Suite, SuiteError, SuiteItem, Touched, places, suite};
use crate::check;
use crate::facts::Settings;
use crate::library::{Folder, Unusable};
use crate::rules::{Rulebook, RulesError};

/// A game with its mutants, and all that could catch them.
pub struct MutationRun {
    /// All mutants, in the order of the rules.
    pub mutants: Vec<Mutant>,
    /// The cases and records to run.
    pub suite: Vec<SuiteItem>,
    /// Cases and records about other games.
    pub left_out: Vec<String>,
    /// Cases and records that do not pass with the settings of this run.
    pub failing: Vec<String>,
    /// Of the rules.
    pub rules: u64,
    /// Of all cases and records.
    pub digest: u64,
    files: Vec<(String, String)>,
    touched: Vec<Touched>,
    known: BTreeSet<Place>,
    variants: Vec<(String, String)>,
}

impl MutationRun {
    /// Prepares a run: all cases and records are run once under the unchanged rules, and what each reaches is noted.
    /// `over` are settings that are put over those of each; what does not pass with them is left out. `progress` gets
    /// the number done and the total.
    ///
    /// # Errors
    /// The rules have errors, or a case or record fails by itself.
    pub fn new(
        folder: &Folder,
        game: &str,
        over: &Settings,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<MutationRun, Unusable> {
        let files = folder.rules();
        let rulebook = Rulebook::new(folder.clone());
        let words = |e: RulesError| Unusable::new(e.brief(), format!("`lawspeaker check {}` shows all", folder.name));
        let mut known = places(&rulebook.loaded(&[]).map_err(words)?.model);
        let names = check::variants(&files);
        for name in &names {
            if let Ok(loaded) = rulebook.loaded(std::slice::from_ref(name)) {
                known.extend(places(&loaded.model));
            }
        }
        let Suite { all, left_out } = suite(folder, game, over)?;
        let done = AtomicUsize::new(0);
        let touched = |item: &SuiteItem| {
            let broken = |error: SuiteError| {
                let message = format!("{} fails already: {error}", item.place);
                Unusable::new(message, "fix it first: only a case or record that passes can catch a mutant")
            };
            let holds = || if item.is_record() { item.holds(&rulebook) } else { Ok(()) };
            let touched = item.touched(&rulebook).and_then(|touched| holds().map(|()| touched));
            progress(done.fetch_add(1, Ordering::Relaxed), all.len());
            match touched {
                Ok(touched) => Ok(Some(touched)),
                Err(_) if !over.list().is_empty() => Ok(None),
                Err(error) => Err(broken(error)),
            }
        };
        let touched = all.par_iter().map(touched).collect::<Result<Vec<_>, Unusable>>()?;
        let (mut passing, mut failing) = (Vec::new(), Vec::new());
        for (item, touched) in all.into_iter().zip(touched) {
            match touched {
                Some(touched) => passing.push((item, touched)),
                None => failing.push(item.place),
            }
        }
        let (all, touched): (Vec<SuiteItem>, Vec<Touched>) = passing.into_iter().unzip();
        let text: String = files.iter().map(|(name, text)| format!("{name}\0{text}\0")).collect();
        let digests: Vec<u8> = all.iter().flat_map(|w| w.digest.to_le_bytes()).collect();
        Ok(MutationRun {
            mutants: sites::mutants(&files),
            suite: all,
            left_out,
            failing,
            rules: xxh3_64(text.as_bytes()),
            digest: xxh3_64(&digests),
            variants: overlays(&files, &names),
            files,
            touched,
            known,
        })
    }

    /// The text of a rule file.
    #[must_use]
    pub fn text(&self, file: &str) -> &str {
        self.files.iter().find(|(name, _)| name == file).map_or("", |(_, text)| text)
    }

    /// The result of a mutant in a log, if it is still valid: the rules are the same, and so is the case or record that
    /// caught it, or all that it survived.
    #[must_use]
    pub fn known<'j>(&self, log: &'j MutationLog, mutant: &Mutant) -> Option<&'j Fate> {
        log.known(&mutant.id).filter(|fate| match fate {
            Fate::Refused(_) => true,
            Fate::Caught { item, .. } => self.suite.iter().any(|w| w.digest == *item),
            Fate::Survived { suite, .. } => *suite == self.digest,
        })
    }

    /// Runs the tests against one mutant. This finishes whatever the mutant does: cases and records are finite, and so
    /// are the steps between two decisions.
    #[must_use]
    pub fn hold(&self, mutant: &Mutant) -> Fate {
        let mutated = |(name, text): &(String, String)| {
            let text = if *name == mutant.file { mutant.apply(text) } else { text.clone() };
            (name.clone(), text)
        };
        let files = self.files.iter().map(mutated).collect();
        let rules = Rulebook::new(Folder { files, ..Folder::default() });
        let variant = self.variants.iter().find(|(file, _)| *file == mutant.file).map(|(_, name)| name.clone());
        if let Err(error) = rules.loaded(variant.as_slice()) {
            return Fate::Refused(error.brief());
        }
        let order = self.order(mutant);
        for i in &order {
            if let Some(item) = self.suite.get(*i)
                && item.holds(&rules).is_err()
            {
                return Fate::Caught { by: item.name.clone(), item: item.digest, record: item.is_record() };
            }
        }
        Fate::Survived { asked: order.len(), suite: self.digest }
    }

    /// The cases and records that reach a mutant, those most likely to catch it first: first those that are about the
    /// same clauses of the rulebook, then those in which the place decides something, the shorter before the longer;
    /// cases before records, and last the cases that look ahead. All others see unchanged rules.
    fn order(&self, mutant: &Mutant) -> Vec<usize> {
        let mut met = Vec::new();
        for (i, (touched, item)) in self.touched.iter().zip(&self.suite).enumerate() {
            if self.meets(mutant, &touched.any) {
                let about = item.cites().iter().any(|c| mutant.cites.contains(c));
                let decides = self.meets(mutant, &touched.decided);
                met.push((item.looks_ahead(), item.is_record(), !about, !decides, touched.any.len(), i));
            }
        }
        met.sort_unstable();
        met.into_iter().map(|(.., i)| i).collect()
    }

    fn meets(&self, mutant: &Mutant, places: &BTreeSet<Place>) -> bool {
        let at = |start: u32, code: bool| {
            let place = (mutant.file.clone(), start, code);
            // Places that the model does not know are run with all.
            !self.known.contains(&place) || places.contains(&place)
        };
        match mutant.scope {
            Scope::Game => true,
            Scope::Clause(start) => at(start, false),
            Scope::Code(start) => at(start, true),
            Scope::Between(from, to) => {
                let range = (mutant.file.clone(), from, false)..(mutant.file.clone(), to, false);
                places.range(range).next().is_some()
            }
        }
    }
}

/// The files of variants with their names.
fn overlays(files: &[(String, String)], names: &[String]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (file, text) in files.iter().filter(|(name, _)| name.ends_with(".law")) {
        let own = check::variants(&[(file.clone(), text.clone())]);
        found.extend(own.into_iter().filter(|n| names.contains(n)).map(|name| (file.clone(), name)));
    }
    found
}
