//! The languages a game is written in.

use crate::model::{Model, TemplatePart, Text};

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
    for lang in model.clauses.iter().flat_map(|c| tags(&c.label)) {
        add(&lang);
    }
    found
}
