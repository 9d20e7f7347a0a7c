//! What a reported error left unclear, so that one mistake gives one report.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::model::{ClauseId, KindId, Shape};
use crate::span::Span;

/// Things about which nothing more is reported, because the reason has been reported already.
#[derive(Debug, Default)]
pub(super) struct Unclear {
    /// Names whose declaration has an error: their uses are not reported.
    pub(super) names: Noted,
    /// Names that an error elsewhere probably meant or stands next to: what they lack is not reported.
    pub(super) meant: Noted,
    /// Fields whose declaration has an error.
    pub(super) fields: BTreeSet<(KindId, String)>,
    /// Printed fields of members whose value has an error.
    pub(super) values: BTreeSet<(KindId, usize, u16)>,
    /// Clauses with an error in their condition, or in their reference to another clause.
    pub(super) clauses: BTreeSet<ClauseId>,
    /// Places that declare a name already taken.
    pub(super) second: BTreeSet<Span>,
}

/// Names that are noted, and those that were asked for: whoever notes others, but of those asked for the same, gets the
/// same answers.
#[derive(Debug, Default)]
pub(super) struct Noted {
    all: BTreeSet<String>,
    asked: RefCell<BTreeSet<String>>,
}

impl Noted {
    pub(super) fn contains(&self, name: &str) -> bool {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(name) {
            asked.insert(name.to_owned());
        }
        self.all.contains(name)
    }

    pub(super) fn insert(&mut self, name: String) -> bool {
        self.all.insert(name)
    }

    pub(super) fn extend(&mut self, names: impl IntoIterator<Item = String>) {
        self.all.extend(names);
    }

    /// The names noted so far.
    pub(super) fn all(&self) -> BTreeSet<String> {
        self.all.clone()
    }

    /// The names asked for so far.
    pub(super) fn asked(self) -> BTreeSet<String> {
        self.asked.into_inner()
    }
}

impl Unclear {
    /// Notes the names in a declaration that could not be read: those it declares and those it mentions.
    pub(super) fn note_broken(&mut self, text: &str, at: Span) {
        let at = at.start as usize;
        let begins = |line: &str| line.starts_with(|c: char| c.is_ascii_alphabetic());
        let mut offset = 0;
        let mut piece = 0..text.len();
        for line in text.split_inclusive('\n') {
            if begins(line) && offset <= at {
                piece.start = offset;
            } else if begins(line) && offset > at {
                piece.end = offset;
                break;
            }
            offset += line.len();
        }
        let broken = text.get(piece).unwrap_or("");
        let bare: Vec<&str> = broken.lines().map(|l| l.split("//").next().unwrap_or("")).collect();
        let bare = bare.join(" ");
        let words = |s: &str| -> Vec<String> {
            let all = s.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            all.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic())).map(str::to_string).collect()
        };
        let capital = |w: &String| w.starts_with(|c: char| c.is_ascii_uppercase());
        let all = words(&bare);
        let head = words(bare.split(['{', '"', '=', ':']).next().unwrap_or(""));
        match head.first().map(String::as_str) {
            Some(first @ ("game" | "players")) => {
                self.names.insert(first.to_string());
                self.names.extend(all.iter().filter(|w| capital(w)).cloned());
            }
            Some("kind") => self.names.extend(head.iter().filter(|w| capital(w)).cloned()),
            Some("grid") => {
                self.names.extend(head.get(1).cloned());
                let facing = head.iter().skip_while(|w| *w != "facing").nth(1);
                self.names.extend(facing.cloned());
                let directions = [Shape::Hexagonal, Shape::Square].into_iter().flat_map(Shape::directions);
                self.names.extend(directions.filter(|_| facing.is_some()).map(|d| d.0.to_string()));
            }
            Some("ordered") => self.names.extend(head.get(2).cloned()),
            Some(
                "instead" | "times" | "plus" | "at" | "also" | "except" | "may" | "must" | "ends" | "seen" | "silence",
            ) => {}
            Some(first) if first.starts_with(|c: char| c.is_ascii_uppercase()) => {
                self.names.extend(head.iter().skip(1).filter(|w| capital(w)).cloned())
            }
            Some(_) => self.names.extend(head.get(1).cloned()),
            None => {}
        }
        self.meant.extend(all);
    }
}
