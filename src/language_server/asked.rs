//! A place that a request is about, and where things are.

use serde_json::{Value as Json, json};

use super::cases::Seen;
use super::names::Word;
use super::{Game, place};
use crate::model::{Model, RegisterRow};
use crate::span::Span;

impl Game {
    pub(super) fn location(&self, file: usize, start: usize, end: usize) -> Json {
        json!({ "uri": self.uri(self.name(file)), "range": place::range(self.text(file), start, end) })
    }

    /// The number of a file of the rules as they were when they last had no error.
    pub(super) fn number(&self, model: &Model, span: Span) -> Option<usize> {
        let name = &model.sources.files.get(span.file as usize)?.name;
        self.files.iter().position(|(n, _)| n == name)
    }

    /// Where something stood in the rules when they last had no error, in the text as it is.
    pub(super) fn placed(&self, model: &Model, span: Span) -> Option<Json> {
        Some(self.location(self.number(model, span)?, span.start as usize, span.end as usize))
    }

    /// Whether a file is as it was when the rules last had no error, and then its number there.
    pub(super) fn unchanged(&self, model: &Model, file: usize) -> Option<u32> {
        let (name, text) = self.files.get(file)?;
        let at = model.sources.files.iter().position(|f| f.name == *name && f.text == *text)?;
        u32::try_from(at).ok()
    }

    pub(super) fn row(&self, id: &str) -> Option<&RegisterRow> {
        self.model.as_ref()?.register.iter().find(|row| row.id == id)
    }
}

/// A place that a request is about.
pub(super) struct Place<'g> {
    pub game: &'g Game,
    pub file: usize,
    pub byte: usize,
}

impl<'g> Place<'g> {
    pub fn text(&self) -> &'g str {
        self.game.text(self.file)
    }

    /// Whether it is in a rule file; else it is in a casebook or a record.
    pub fn is_rule(&self) -> bool {
        self.game.name(self.file).ends_with(".law")
    }

    pub fn word(&self) -> Option<&'g Word> {
        self.game.index.at(self.file, self.byte)
    }

    /// What stands there in a casebook or record.
    pub fn seen(&self) -> Option<Seen> {
        let text = self.text();
        let name = self.game.name(self.file);
        let inside =
            super::cases::lines(name, text).iter().any(|(at, ..)| at.start <= self.byte && self.byte <= at.end);
        self.game.called.at(self.game.model.as_ref().filter(|_| inside)?, text, self.byte)
    }

    pub fn declared(&self, word: &'g Word) -> impl Iterator<Item = &'g Word> {
        self.game.index.same(word).filter(|w| w.declares.is_some())
    }
}
