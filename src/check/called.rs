//! What the members of a kind are called, and which of them are alike.

use super::Checker;
use super::names::Symbol;
use crate::check::Diagnostic;
use crate::model::{self, CalledPart, KindId};
use crate::span::Span;
use crate::syntax::tree::{self, Word};

impl Checker {
    /// `called "{print}" alike`
    pub(super) fn called(&mut self, kind: KindId, called: &tree::Called) -> model::Called {
        let span = called.label.span;
        let parts = self.called_parts(kind, &called.label.text, span);
        let translations = called.label.translations.iter();
        let translations = translations.map(|(l, text)| (l.clone(), self.called_parts(kind, text, span))).collect();
        model::Called { parts, translations, alike: called.alike }
    }

    fn called_parts(&mut self, kind: KindId, text: &str, span: Span) -> Vec<CalledPart> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((field, left)) = after.split_once('}') else {
                self.report(
                    Diagnostic::error("law::syntax", "a brace is not closed in this text", span, "in here")
                        .help("write `{field}`"),
                );
                return parts;
            };
            if !before.is_empty() {
                parts.push(CalledPart::Text(before.to_owned()));
            }
            let shown = self.model.sources.text(span).find(&format!("{{{field}}}")).map(|at| at as u32 + 1);
            let at = shown.map_or(span, |at| Span {
                start: span.start + at,
                end: span.start + at + field.len() as u32,
                ..span
            });
            let word = Word { text: field.trim().to_owned(), span: at };
            parts.extend(self.board_field(kind, &word).map(CalledPart::Field));
            rest = left;
        }
        if !rest.is_empty() {
            parts.push(CalledPart::Text(rest.to_owned()));
        }
        if !text.contains('{') {
            let name = self.model.kinds[kind.i()].name.clone();
            let words = "all would have one name";
            self.report(
                Diagnostic::error("law::type", format!("nothing says which {name} it is"), span, words)
                    .help("write a field of the kind in braces: `called \"{print}\"`"),
            );
        }
        parts
    }

    /// The members that the rules do not tell apart, when it is known which ones they name.
    pub(super) fn tell_apart(&mut self) {
        let kinds = (0..self.model.kinds.len()).map(|k| KindId(k as u16));
        let alike = |k: &KindId| self.model.kinds[k.i()].called.as_ref().is_some_and(|c| c.alike);
        let kinds: Vec<KindId> = kinds.filter(alike).collect();
        let copies =
            kinds.into_iter().map(|kind| self.model.copies_of(kind, |m| self.names.is_used(Symbol::Member(kind, m))));
        self.model.copies = copies.collect();
    }
}
