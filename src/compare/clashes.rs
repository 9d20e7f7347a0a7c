//! Pairs of clauses that can contradict each other under only one of two sets of rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Side;
use crate::conflict::{self, Answer, Finder};
use crate::lexicon::Lexicon;

/// Two clauses that can contradict each other, or of which this is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Their titles, in order.
    pub clauses: [String; 2],
    /// What is known of them, in words, with an example.
    pub known: String,
    /// Whether an example was found: a position in which they contradict each other.
    pub found: bool,
}

/// What a search for contradictions finds in both sets of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clashes {
    /// The number of pairs that were examined, in each.
    pub pairs: [usize; 2],
    /// Those that only the second rules have, or that were not decided under the first.
    pub come: Vec<Clash>,
    /// Those that only the first rules have, as they were there.
    pub gone: Vec<Clash>,
    /// What the checker warns of in the second rules only: code and message.
    pub warned: Vec<String>,
    /// What it warns of in the first rules only.
    pub unwarned: Vec<String>,
}

/// Searches both rules, with as many tries for each pair: under all options and readings, unless one is set.
#[must_use]
pub fn clashes(before: &Side, after: &Side, tries: u32, lang: &str) -> Clashes {
    let is_set = |side: &&Side| side.settings.preset.is_some() || !side.settings.options.is_empty();
    let set = [before, after].iter().any(is_set);
    let [(all, was), (all_now, now)] = [before, after].map(|side| search(side, set, tries, lang));
    let is_new = |clash: &&Clash| was.get(&clash.clauses).is_none_or(|old| old.found != clash.found);
    let come = now.values().filter(is_new).cloned().collect();
    let gone = was.values().filter(|clash| !now.contains_key(&clash.clauses)).cloned().collect();
    let warnings = [before, after].map(warnings);
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect();
    let (warned, unwarned) = (only(&warnings[1], &warnings[0]), only(&warnings[0], &warnings[1]));
    Clashes { pairs: [all, all_now], come, gone, warned, unwarned }
}

/// What the checker warns of.
fn warnings(side: &Side) -> BTreeSet<String> {
    let all = side.rules.loaded().warnings.iter();
    all.map(|warning| format!("{}: {}", warning.code, warning.message)).collect()
}

/// The number of pairs, and those that are not proved apart; with `set`, under these options and readings alone.
fn search(side: &Side, set: bool, tries: u32, lang: &str) -> (usize, BTreeMap<[String; 2], Clash>) {
    let model = Arc::clone(&side.rules.loaded().model);
    let finder = Finder::new(&model, set.then(|| side.rules.config().clone()), tries);
    let found = finder.all(&|| ());
    let lexicon = Lexicon::new(&model, lang);
    let mut clashes = BTreeMap::new();
    for (pair, answer) in &found {
        if matches!(answer, Answer::Apart(_)) {
            continue;
        }
        let mut clauses = [pair.a, pair.b].map(|clause| lexicon.clause(clause));
        clauses.sort();
        let known = conflict::words(&lexicon, answer);
        let clash = Clash { clauses, known, found: matches!(answer, Answer::Conflict(_)) };
        // Of several pairs with the same titles, one that was found tells more.
        let entry = clashes.entry(clash.clauses.clone()).or_insert_with(|| clash.clone());
        if clash.found && !entry.found {
            *entry = clash;
        }
    }
    (found.len(), clashes)
}
