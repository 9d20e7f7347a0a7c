//! Values in notations.

use super::Explainer;
pub(super) use crate::lexicon::{copies, member, value_text};
use crate::model::{Base, Template, TemplatePart, Value, language_of};

impl Template {
    /// The parts in a language and a style, in the style alone, in the language alone, or else those of the file.
    pub(crate) fn get(&self, tag: &str) -> &[TemplatePart] {
        let style = tag.find('+').and_then(|at| tag.get(at..)).unwrap_or("+");
        let find = |tag: &str| self.translations.iter().find(|(known, _)| known == tag);
        let found = find(tag).or_else(|| find(style)).or_else(|| find(language_of(tag)));
        found.map_or(&self.parts, |(_, parts)| parts)
    }
}

impl Explainer {
    /// A value of a base in words: names of members, `none`, `yes` and `no`, `{A, B}`; an ordered pile from the bottom
    /// up as `[A, B]`.
    #[must_use]
    pub fn value_text(&self, base: &Base, value: &Value, lang: &str) -> String {
        value_text(&self.model, base, value, lang)
    }
}
