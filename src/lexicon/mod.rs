//! Where ids and values become words: names of a game in a language, and the program's own words around them.
//!
//! All of the program's own words in rulings, faults and `play` stand in one table a language: a file of lines
//! `key TAB text` beside this module. Another language is another file and a line in [`words::LANGUAGES`].

mod counts;
mod events;
mod facts;
mod fault;
mod language;
mod play;
mod ruling;
mod values;
mod view;
pub mod words;

pub use counts::Counted;
pub use facts::unique_name;
pub(crate) use facts::{fact_value, folded};
pub use language::{UnknownLanguage, language, languages, program_words};
pub(crate) use values::{copies, member, value_text};
pub use words::{Engines, Words, fill, thousands};

use std::collections::BTreeMap;

use crate::model::{Base, ClauseId, KindId, Model, PLAYER, Text, Value, VarId, language_of};

/// What members that share names, such as the copies of a card, are called somewhere.
pub type Names = BTreeMap<(KindId, u16), String>;

/// What puts the ids and values of a game into words.
#[derive(Clone, Copy, Debug)]
pub struct Lexicon<'a> {
    /// The game.
    pub model: &'a Model,
    /// The language of its names; empty: that of its files.
    pub lang: &'a str,
    /// The program's own words.
    pub words: &'static Words,
    /// What members are called instead of by their own names.
    names: Option<&'a Names>,
}

impl<'a> Lexicon<'a> {
    /// Names and words in a language.
    #[must_use]
    pub fn new(model: &'a Model, lang: &'a str) -> Lexicon<'a> {
        Lexicon { model, lang, words: Words::of(lang), names: None }
    }

    /// For programs: names in a language, and the words always the same.
    #[must_use]
    pub fn for_data(model: &'a Model, lang: &'a str) -> Lexicon<'a> {
        Lexicon { model, lang, words: Words::english(), names: None }
    }

    /// The same, where some members are called so.
    #[must_use]
    pub fn calling(self, names: &'a Names) -> Lexicon<'a> {
        Lexicon { names: Some(names), ..self }
    }

    /// A member by its name, or its identifier where it has none.
    #[must_use]
    pub fn member(&self, kind: KindId, member: u16) -> String {
        values::member(self.model, kind, i32::from(member), self.lang)
    }

    /// A seat.
    #[must_use]
    pub fn seat(&self, seat: u16) -> String {
        self.member(PLAYER, seat)
    }

    /// What people call a member of a kind, or the kind's name in the rules.
    #[must_use]
    pub fn kind(&self, kind: KindId) -> &str {
        let declared = self.model.kinds.get(kind.i());
        match declared.map_or("", |declared| declared.label.get(self.lang)) {
            "" if kind == PLAYER => self.words.card.player,
            "" => declared.map_or("?", |declared| declared.name.as_str()),
            label => label,
        }
    }

    /// A seat by a name that means no other: as records write it where the language is that of the rule file.
    #[must_use]
    pub fn unique_seat(&self, seat: u16) -> String {
        if language_of(self.lang).is_empty() { unique_name(self.model, PLAYER, seat) } else { self.seat(seat) }
    }

    /// A variable: what it is called in the language, or its name in the rules.
    #[must_use]
    pub fn var(&self, var: VarId) -> &'a str {
        let var = self.model.vars.get(var.i());
        var.map_or("?", |v| match v.label.get(self.lang) {
            "" => &v.name,
            label => label,
        })
    }

    /// A value of which all is known.
    #[must_use]
    pub fn known(&self, base: &Base, value: &Value) -> String {
        self.value(&crate::game::SeenValue::known(base, value))
    }

    /// A clause: what it is called by the word with which it begins, and its label.
    #[must_use]
    pub fn clause(&self, id: ClauseId) -> String {
        let Some(clause) = self.model.clause(id) else {
            return String::from("?");
        };
        let title = self.words.clause(clause.kind, &clause.subject, clause.label.get(self.lang));
        if self.is_untranslated(&clause.label) { fill(self.words.untranslated, &[&title]) } else { title }
    }

    /// The label of a clause in quotes, after some words about the clause if there are any.
    #[must_use]
    pub fn labelled(&self, said: &str, id: ClauseId) -> String {
        let label = self.model.clause(id).map_or("", |c| c.label.get(self.lang));
        let words = match (said, label) {
            (said, "") => return said.to_owned(),
            ("", label) => fill(self.words.quoted, &[label]),
            (said, label) => fill(self.words.labelled, &[said, label]),
        };
        let untranslated = self.model.clause(id).is_some_and(|c| self.is_untranslated(&c.label));
        if untranslated { fill(self.words.untranslated, &[&words]) } else { words }
    }

    /// The label of a clause.
    #[must_use]
    pub fn label(&self, id: ClauseId) -> String {
        let Some(clause) = self.model.clause(id) else {
            return String::new();
        };
        let label = clause.label.get(self.lang);
        if self.is_untranslated(&clause.label) { fill(self.words.untranslated, &[label]) } else { label.to_owned() }
    }

    /// Whether a text stands in the language of the rule file where another one is wanted. Rules that have no English
    /// translations count as written in English.
    fn is_untranslated(&self, text: &Text) -> bool {
        let own = || self.lang == "en" && !languages(self.model).iter().any(|lang| lang == "en");
        !(language_of(self.lang).is_empty() || text.text.is_empty() || text.has(self.lang) || own())
    }
}
