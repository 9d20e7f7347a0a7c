//! Places in the text of a game.

use serde::{Deserialize, Serialize};

/// A range of one source file, in bytes: `start..end` of the file numbered `file`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Index into [`Sources`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; `other` must be of the same file, else `self` is returned.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One text file of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Path as people should see it, relative to the game's folder: `battle.law`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// The files of a game, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The files; a [`Span::file`] is an index into them.
    pub files: Vec<Source>,
}

impl Sources {
    /// The text a span covers; empty if the span is not of these sources.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.files
            .get(span.file as usize)
            .and_then(|f| f.text.get(span.start as usize..span.end as usize))
            .unwrap_or("")
    }

    /// The text a span covers, on one line: comments dropped, runs of white space made one space. What stands in
    /// quotes stays as it is.
    #[must_use]
    pub fn line(&self, span: Span) -> String {
        let mut out = String::new();
        for line in self.text(span).lines() {
            let (mut quoted, mut gap) = (false, true);
            let mut chars = line.chars().peekable();
            while let Some(c) = chars.next() {
                match c {
                    '/' if !quoted && chars.peek() == Some(&'/') => break,
                    c if !quoted && c.is_whitespace() => gap = true,
                    c => {
                        if gap && !out.is_empty() {
                            out.push(' ');
                        }
                        gap = false;
                        out.push(c);
                        quoted ^= c == '"';
                        if quoted && c == '\\' {
                            out.extend(chars.next());
                        }
                    }
                }
            }
        }
        out
    }

    /// File name, line and column (both from 1, the column in characters) where a span starts.
    #[must_use]
    pub fn place(&self, span: Span) -> (&str, usize, usize) {
        let Some(file) = self.files.get(span.file as usize) else {
            return ("?", 0, 0);
        };
        let before = file.text.get(..span.start as usize).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (&file.name, line, column)
    }
}
