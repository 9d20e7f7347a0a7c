//! Values in notations.

use super::Explainer;
pub(super) use crate::lexicon::{copies, member, value_text};
use crate::model::{Base, Template, TemplatePart, Value};

impl Template {
    /// The parts in a language, or those of the file where it has none.
    pub(crate) fn get(&self, lang: &str) -> &[TemplatePart] {
        self.translations.iter().find(|(l, _)| l == lang).map_or(&self.parts, |(_, parts)| parts)
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
