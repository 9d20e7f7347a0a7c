//! What was read of the files of a game before, and what was found then.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::{Checker, Diagnostic, UnknownVariant};
use crate::syntax::{self, Parsed};

/// What was read of rule files before: a check that is given it reads only those declarations again that have changed
/// since. Where only declarations that cannot be read have changed, what was found of the others still holds.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// By number and name of the file; places in a tree have the number.
    files: HashMap<(u32, String), Arc<Kept>>,
    /// By the last check whose rules could not all be read.
    found: Option<Arc<Found>>,
}

/// A file as it was read.
#[derive(Debug)]
pub(super) struct Kept {
    text: String,
    pub parsed: Parsed,
}

/// A rule file of the game: the variant it belongs to, and what was read.
pub(super) type Read = (Option<String>, Arc<Kept>);

/// What was found in rules of which some could not be read, besides the faults of reading.
#[derive(Debug)]
struct Found {
    variants: Vec<String>,
    seats: Option<usize>,
    /// The files that hold no rules.
    others: Vec<(String, String)>,
    rules: Vec<Read>,
    /// How many faults reading had.
    unread: usize,
    /// The names that faults of reading had made unclear, and those of which the check asked whether they are.
    unclear: [(BTreeSet<String>, BTreeSet<String>); 2],
    diagnostics: Vec<Diagnostic>,
    unknown_variant: Option<UnknownVariant>,
}

/// What a check begins with, where its findings are to be kept.
pub(super) struct Beginning {
    unread: usize,
    unclear: [BTreeSet<String>; 2],
}

impl Memory {
    /// Reads a file, or remembers it.
    pub(super) fn read(&mut self, file: u32, name: &str, text: &str) -> Arc<Kept> {
        let key = (file, name.to_owned());
        let kept = self.files.get(&key);
        if let Some(kept) = kept.filter(|kept| kept.text == text) {
            return Arc::clone(kept);
        }
        let kept = read(file, text, kept);
        self.files.insert(key, Arc::clone(&kept));
        kept
    }

    /// Reads files at once that are new or have changed. The number of each is its place among them.
    pub(super) fn read_ahead(&mut self, files: &[(String, String)]) {
        let key = |at: usize, name: &String| (at as u32, name.clone());
        let changed = |(at, (name, text)): &(usize, &(String, String))| {
            self.files.get(&key(*at, name)).is_none_or(|kept| kept.text != *text)
        };
        let new: Vec<(usize, &(String, String))> = files.iter().enumerate().filter(changed).collect();
        if new.len() < 2 {
            return;
        }
        let read = |(at, (name, text)): (usize, &(String, String))| {
            let key = key(at, name);
            (key.clone(), read(at as u32, text, self.files.get(&key)))
        };
        let read: Vec<((u32, String), Arc<Kept>)> = new.into_par_iter().map(read).collect();
        self.files.extend(read);
    }

    /// Forgets all but these files, by name.
    pub(super) fn keep(&mut self, files: &[(String, String)]) {
        self.files.retain(|(_, name), kept| files.iter().any(|(n, text)| n == name && *text == kept.text));
    }
}

/// Reads a file, with what was read of it before.
fn read(file: u32, text: &str, before: Option<&Arc<Kept>>) -> Arc<Kept> {
    let nothing = Parsed::default();
    let parsed = syntax::parse_again(file, text, before.map_or(&nothing, |kept| &kept.parsed));
    Arc::new(Kept { text: text.to_owned(), parsed })
}

fn others(files: &[(String, String)]) -> impl Iterator<Item = &(String, String)> {
    files.iter().filter(|(name, _)| !name.ends_with(".law"))
}

impl Checker {
    /// What a check of these rules begins with.
    pub(super) fn beginning(&self) -> Beginning {
        Beginning { unread: self.out.len(), unclear: [self.unclear.names.all(), self.unclear.meant.all()] }
    }

    /// Takes over what was found before, if these are the same rules but for what cannot be read.
    pub(super) fn recalls(&mut self, rules: &[Read], variants: &[String], begins: &Beginning) -> bool {
        let Some(found) = self.memory.found.clone() else { return false };
        let asked = (found.variants.as_slice(), found.seats, found.unread) == (variants, self.seats, begins.unread);
        let same = |(a, b): (&Read, &Read)| {
            a.0 == b.0 && (Arc::ptr_eq(&a.1, &b.1) || a.1.parsed.has_same_declarations(&b.1.parsed))
        };
        let clear = |(now, (then, asked)): (&BTreeSet<String>, &(BTreeSet<String>, BTreeSet<String>))| {
            asked.iter().all(|name| now.contains(name) == then.contains(name))
        };
        let recalled = asked
            && rules.len() == found.rules.len()
            && rules.iter().zip(&found.rules).all(same)
            && begins.unclear.iter().zip(&found.unclear).all(clear)
            && others(&self.files).eq(&found.others);
        if recalled {
            self.out.extend(found.diagnostics.iter().cloned());
            self.unknown_variant.clone_from(&found.unknown_variant);
        }
        recalled
    }

    /// Keeps what was found in these rules, if there are faults of reading among it.
    pub(super) fn remember(&mut self, rules: Vec<Read>, variants: &[String], begins: Beginning) {
        self.memory.found = None;
        if begins.unread == 0 {
            return;
        }
        let unclear = std::mem::take(&mut self.unclear);
        let [names, meant] = begins.unclear;
        self.memory.found = Some(Arc::new(Found {
            variants: variants.to_vec(),
            seats: self.seats,
            others: others(&self.files).cloned().collect(),
            rules,
            unread: begins.unread,
            unclear: [(names, unclear.names.asked()), (meant, unclear.meant.asked())],
            diagnostics: self.out.get(begins.unread..).unwrap_or_default().to_vec(),
            unknown_variant: self.unknown_variant.clone(),
        }));
    }
}
