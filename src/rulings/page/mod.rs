//! A ruling as a document: Markdown, or a self-contained page of HTML.

mod html;
mod markdown;

use super::sensitivity::ReadingRow;
use super::sheet::{Line, Sheet};
use super::words::{Words, fill};
use crate::picture::Picture;

/// A ruling with all that a reader needs to follow and to repeat it.
#[derive(Clone, Debug)]
pub struct RulingPage<'a> {
    /// The ruling.
    pub sheet: &'a Sheet,
    /// What the game is called.
    pub game: String,
    /// Options, readings and variants that were set; empty if none was.
    pub settings: String,
    /// The position or record that it comes from; empty at the start of the game.
    pub from: String,
    /// The seat whose view it is; `None`: a referee, who sees all.
    pub viewer: Option<String>,
    /// The board.
    pub picture: Option<Picture>,
    /// The board as text, for where there are no pictures.
    pub map: String,
    /// The position as a file has it, if it can be written so.
    pub facts: Option<String>,
    /// The sensitivity of the verdict to readings, in sentences.
    pub sensitivity_words: Vec<String>,
    /// The table of the readings; empty if it is not wanted.
    pub readings: Vec<ReadingRow>,
    /// What would make it legal, in sentences, if that was asked.
    pub what_if_words: Option<Vec<String>>,
    /// What it leads to, a line each, indented; `None` if that was not asked or it cannot be done.
    pub outcome_words: Option<Vec<String>>,
    /// The digest of the rules with their options and readings, 16 hexadecimal digits.
    pub digest: String,
    /// The command that gives the same answer.
    pub command: String,
}

/// `game.record, before ply 12`.
#[must_use]
pub fn at_ply(file: &str, ply: usize, lang: &str) -> String {
    fill(Words::of(lang).heads.from, &[file, &ply.to_string()])
}

impl RulingPage<'_> {
    /// As Markdown, for a forum.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    /// As a page of HTML.
    #[must_use]
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The question in a sentence.
    fn question(&self) -> String {
        fill(self.sheet.words.question, &[&self.sheet.seat, &self.sheet.action])
    }

    /// Where it comes from and who looks.
    fn about(&self) -> Vec<String> {
        let heads = &self.sheet.words.heads;
        let mut about = vec![self.game.clone()];
        if !self.from.is_empty() {
            about.push(self.from.clone());
        }
        if !self.settings.is_empty() {
            about.push(fill(heads.settings, &[&self.settings]));
        }
        about.push(match &self.viewer {
            Some(seat) => fill(heads.seen_by, &[seat]),
            None => heads.seen_by_all.to_owned(),
        });
        about
    }

    /// The nearest permissions, where they are what there is to say.
    fn near(&self) -> &[Line] {
        if self.sheet.silenced { &[] } else { self.sheet.misses.get(..self.sheet.misses.len().min(1)).unwrap_or(&[]) }
    }

    /// The readings on which it depends, then how many combinations agree.
    fn sureness(&self) -> impl Iterator<Item = &String> {
        self.sheet.depends.iter().chain(&self.sensitivity_words)
    }
}
