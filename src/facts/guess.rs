//! What was probably meant by a text that cannot be read as a fact.

use super::unique_name;
use crate::model::{Base, Model, Ty};
use crate::spelling::nearest;

/// A text of more words is not tried as two facts.
const MAX_WORDS: usize = 24;

/// The maximum number of phrases that a misspelt one is compared with.
const MAX_PHRASES: usize = 4000;

/// The number of words after which a (folded) text is two facts with one space between.
pub(super) fn two_facts(text: &str, is_fact: &dyn Fn(&str) -> bool) -> Option<usize> {
    if text.split(' ').count() > MAX_WORDS {
        return None;
    }
    let spaces = text.match_indices(' ').enumerate();
    let mut parts = spaces.filter_map(|(i, (at, _))| Some((i + 1, text.get(..at)?, text.get(at + 1..)?)));
    let found = parts.find(|(_, first, rest)| is_fact(first) && (is_fact(rest) || two_facts(rest, is_fact).is_some()));
    found.map(|(words, ..)| words)
}

/// The phrases with which play goes on that are like a text.
pub(super) fn phrases(model: &Model, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for entry in &model.entries {
        let translations = entry.phrase.translations.iter().map(|(_, t)| t);
        for phrase in std::iter::once(&entry.phrase.text).chain(translations) {
            fill(model, &entry.params, phrase, &mut all);
        }
    }
    nearest(text, all.iter().map(String::as_str), 2)
}

/// A phrase with each member in the place of its parameters.
fn fill(model: &Model, params: &[(String, Ty)], phrase: &str, all: &mut Vec<String>) {
    let open = phrase.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (name, after))) = open else {
        if all.len() < MAX_PHRASES {
            all.push(phrase.to_owned());
        }
        return;
    };
    let Some(Base::Member(kind)) = params.iter().find(|(n, _)| n == name).map(|(_, ty)| &ty.base) else {
        return;
    };
    let members = model.kinds.get(kind.i()).map_or(0, |k| k.members.len()).min(MAX_PHRASES - all.len());
    for member in 0..members as u16 {
        fill(model, params, &format!("{before}{}{after}", unique_name(model, *kind, member)), all);
    }
}
