//! Which languages there are.

use std::fmt;

use super::words::{LANGUAGES, Words};
use crate::model::{InstrKind, Model, TemplatePart, Text};

/// A language that the program does not speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLanguage {
    /// What was asked for.
    pub wanted: String,
    /// The languages that there are.
    pub known: Vec<String>,
    /// It is a style of notation.
    pub style: bool,
}

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.style { "style" } else { "language" };
        let known = if self.known.is_empty() { String::from("none") } else { self.known.join(", ") };
        write!(f, "there is no {what} `{}`; there are {known}", self.wanted)
    }
}

impl std::error::Error for UnknownLanguage {}

/// The language that a tag means: of the program's words, or of the names of a game. The empty tag is the language of
/// the rule files; `ja-JP` means `ja` where there is no such language of its own.
///
/// # Errors
/// There is no such language.
pub fn language(model: &Model, wanted: &str) -> Result<String, UnknownLanguage> {
    if let Some((lang, style)) = wanted.split_once('+') {
        let known = styles(model);
        return match known.iter().any(|s| s == style) {
            true => Ok(format!("{}+{style}", language(model, lang)?)),
            false => Err(UnknownLanguage { wanted: style.to_owned(), known, style: true }),
        };
    }
    let mut known: Vec<String> = LANGUAGES.iter().map(|(tag, _)| (*tag).to_owned()).collect();
    for lang in languages(model).into_iter().skip(1).filter(|lang| !lang.contains('+')) {
        if !known.contains(&lang) {
            known.push(lang);
        }
    }
    let primary = wanted.split(['-', '_']).next().unwrap_or("");
    match [wanted, primary].into_iter().find(|tag| known.iter().any(|k| k == tag)) {
        _ if wanted.is_empty() => Ok(String::new()),
        Some(tag) => Ok(tag.to_owned()),
        None => Err(UnknownLanguage { wanted: wanted.to_owned(), known, style: false }),
    }
}

/// The program's own words in the language that a tag means, where no game is at hand.
///
/// # Errors
/// The program has no words in it.
pub fn program_words(wanted: &str) -> Result<&'static Words, UnknownLanguage> {
    let words = Words::of(wanted);
    let primary = wanted.split(['-', '_']).next().unwrap_or("");
    if wanted.is_empty() || words.tag == primary {
        return Ok(words);
    }
    let known = LANGUAGES.iter().map(|(tag, _)| (*tag).to_owned()).collect();
    Err(UnknownLanguage { wanted: wanted.to_owned(), known, style: false })
}

/// The styles of notation that a game has beside the usual one.
#[must_use]
pub fn styles(model: &Model) -> Vec<String> {
    model.styles()
}

/// The languages in which a game has names and notation: that of its files (the empty tag) first.
#[must_use]
pub fn languages(model: &Model) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut add = |lang: &str| {
        if !found.iter().any(|l| l == lang) {
            found.push(lang.to_owned());
        }
    };
    let tags = |text: &Text| -> Vec<String> { text.translations.iter().map(|(l, _)| l.clone()).collect() };
    let members = model.kinds.iter().flat_map(|k| &k.members);
    for lang in members.flat_map(|m| tags(&m.name)) {
        add(&lang);
    }
    let logs = |t: &[(String, Vec<TemplatePart>)]| -> Vec<String> { t.iter().map(|(l, _)| l.clone()).collect() };
    for lang in model.actions.iter().flat_map(|a| logs(&a.log.translations)) {
        add(&lang);
    }
    let decisions = model.codes.iter().flat_map(|c| &c.instrs).filter_map(|i| match &i.kind {
        InstrKind::Choose(choose) => Some(&choose.log),
        InstrKind::Chance(chance) => Some(&chance.log),
        _ => None,
    });
    for lang in decisions.flat_map(|log| logs(&log.translations)).filter(|tag| tag.contains('+')) {
        add(&lang);
    }
    for lang in model.clauses.iter().flat_map(|c| tags(&c.label)) {
        add(&lang);
    }
    found
}
