//! The rulebook of a game as a small set of pages and one file of Markdown, for players: the clauses of the register
//! with the rules that encode them, exceptions, readings, members, cases and records, all linked.

mod asked;
mod board;
mod cases;
mod changes;
mod clauses;
mod desk;
mod doc;
mod front;
mod html;
mod laws;
mod layout;
mod markdown;
mod measured;
mod members;
mod names;
mod records;
mod settings;
mod source;
mod trees;
mod units;

use crate::audit::SuiteItem;
use crate::compare::Side;
use crate::lexicon::Words;
use desk::Desk;
use doc::Chapter;
use layout::Layout;

pub use measured::{Measured, measure};

/// What a rulebook is made of.
pub struct About<'a> {
    /// The rules with their settings.
    pub side: &'a Side,
    /// The game by itself, where the settings are to be told from it.
    pub before: Option<&'a Side>,
    /// The cases and records.
    pub suite: &'a [SuiteItem],
    /// What they decide, if that was measured.
    pub measured: Option<&'a Measured>,
    /// The language; empty: that of the rule files.
    pub lang: &'a str,
}

/// A file of the rulebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name in the folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What all pages say.
struct Frame {
    words: &'static Words,
    /// What the game is called.
    game: String,
    /// The game, and what it is played with.
    about: Vec<String>,
}

/// The files of the rulebook, `index.html` first. The same rules, cases, records and settings give the same bytes.
#[must_use]
pub fn book(about: &About) -> Vec<File> {
    let desk = Desk::new(about);
    let chapters: Vec<Chapter> = [
        clauses::chapter(&desk),
        board::chapter(&desk),
        members::chapter(&desk),
        settings::chapter(&desk),
        trees::chapter(&desk),
        laws::chapter(&desk),
        cases::chapter(&desk),
        records::chapter(&desk),
        names::chapter(&desk),
    ]
    .into_iter()
    .flatten()
    .collect();
    let (frame, front) = (desk.frame(), front::blocks(&desk));
    let mut files = html::files(&frame, &front, &chapters, &Layout::new(&chapters));
    let text = crate::plain::plain(&markdown::file(&frame, &front, &chapters)).into_owned();
    files.push(File { name: String::from("book.md"), text });
    files
}
