//! The notation of several choices at one position: where names are shared, its options are listed only once.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::Explainer;
use super::reader::Reader;
use super::say::numbered;
use crate::game::{Choice, Evaluator as _, NamedAlike, Position};

/// Writes choices at a position for one who sees all.
pub struct Notations<'a> {
    rules: &'a Explainer,
    position: &'a Position,
    reader: Reader<'a>,
    /// The options there, if the caller knows them.
    options: Option<&'a [Choice]>,
    /// The options, in their order, that differ only in members with shared names.
    groups: OnceCell<HashMap<NamedAlike, Vec<Choice>>>,
    /// What was written before.
    texts: RefCell<HashMap<Choice, String>>,
}

impl Explainer {
    /// Writes choices at a position, in a language.
    #[must_use]
    pub fn notations<'a>(&'a self, position: &'a Position, lang: &'a str) -> Notations<'a> {
        let reader = Reader::referee(self, lang);
        Notations { rules: self, position, reader, options: None, groups: OnceCell::new(), texts: RefCell::default() }
    }
}

impl<'a> Notations<'a> {
    /// The same where the options of the position are known, so that these need not be listed again.
    #[must_use]
    pub fn among(self, options: &'a [Choice]) -> Notations<'a> {
        Notations { options: Some(options), ..self }
    }

    /// How a choice is written. A choice that does not exist here is written as well as can be. Of options that differ
    /// only in members with shared names, and are written alike, all but the first are numbered.
    #[must_use]
    pub fn of(&self, choice: Choice) -> String {
        let model = self.rules.model();
        if model.copies.is_empty() {
            return self.rules.say_to(&self.reader, self.position, choice, &[]);
        }
        let text = self.unnumbered(choice);
        let Some(named) = NamedAlike::new(model, self.position, choice) else { return text };
        let Some(alike) = self.groups().get(&named) else { return text };
        let Some(at) = alike.iter().position(|other| *other == choice) else { return text };
        let same = alike.iter().take(at).filter(|other| self.unnumbered(**other) == text).count();
        if same > 0 { numbered(&text, same) } else { text }
    }

    /// How each of some choices is written.
    #[must_use]
    pub fn each(&self, choices: &[Choice]) -> Vec<String> {
        choices.iter().map(|choice| self.of(*choice)).collect()
    }

    fn unnumbered(&self, choice: Choice) -> String {
        if let Some(text) = self.texts.borrow().get(&choice) {
            return text.clone();
        }
        let text = self.rules.say_to(&self.reader, self.position, choice, &[]);
        self.texts.borrow_mut().insert(choice, text.clone());
        text
    }

    fn groups(&self) -> &HashMap<NamedAlike, Vec<Choice>> {
        self.groups.get_or_init(|| {
            let listed = || self.rules.options(self.position).unwrap_or_default();
            let options = self.options.map_or_else(listed, <[Choice]>::to_vec);
            let mut groups: HashMap<NamedAlike, Vec<Choice>> = HashMap::new();
            for option in options {
                if let Some(named) = NamedAlike::new(self.rules.model(), self.position, option) {
                    groups.entry(named).or_default().push(option);
                }
            }
            groups
        })
    }
}
