//! A file as it is written: every word and sign in the order of the text, and the parts of the grammar that they make.
//!
//! Between two tokens stands nothing but white space and comments, so that whoever keeps the gaps keeps the text. The
//! parts are those of the grammar, under the names that they have there.

use std::ops::Range;

use pest::Parser;
use pest::iterators::Pair;

use super::fault::SyntaxFault;
use super::parse::{self, grammar};
use super::split::{self, Piece};

pub use super::parse::Rule;

/// A word or sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What the grammar calls it.
    pub rule: Rule,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// A part of the grammar. One without parts of its own is a single token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What the grammar calls it.
    pub rule: Rule,
    /// Which tokens it is made of.
    pub tokens: Range<usize>,
    /// Its parts, in the order of the text.
    pub parts: Vec<Node>,
}

impl Node {
    /// Whether it is a single token.
    #[must_use]
    pub fn is_token(&self) -> bool {
        self.parts.is_empty()
    }
}

/// A declaration, or what stands in the place of one.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// The declaration, or why it cannot be read.
    pub node: Result<Node, SyntaxFault>,
}

/// A file as it is written.
#[derive(Clone, Debug)]
pub struct Written<'t> {
    /// The whole text.
    pub text: &'t str,
    /// All tokens of the declarations that could be read.
    pub tokens: Vec<Token>,
    /// The declarations.
    pub stretches: Vec<Stretch>,
}

impl<'t> Written<'t> {
    /// Reads a text. What cannot be read is kept as a stretch of its own.
    #[must_use]
    pub fn new(text: &'t str) -> Written<'t> {
        parse::bound();
        let (pieces, _) = split::split(0, text);
        let mut written = Written { text, tokens: Vec::new(), stretches: Vec::new() };
        for piece in &pieces {
            let start = piece.base as usize;
            let before = written.tokens.len();
            let node = written.declaration(piece);
            if node.is_err() {
                written.tokens.truncate(before);
            }
            written.stretches.push(Stretch { range: start..start + piece.text.len(), node });
        }
        written
    }

    /// The text of a token; empty if there is no such.
    #[must_use]
    pub fn word(&self, token: usize) -> &'t str {
        self.tokens.get(token).and_then(|t| self.text.get(t.start..t.end)).unwrap_or("")
    }

    fn declaration(&mut self, piece: &Piece) -> Result<Node, SyntaxFault> {
        parse::survey(piece)?;
        let mut pairs = grammar::Law::parse(Rule::decl_entry, piece.text)
            .map_err(|error| super::fault::translate(piece, &error))?;
        let entry = pairs.next().ok_or_else(|| parse::broken(piece.whole()))?;
        let node = self.node(entry, piece.base as usize);
        match self.lost(piece) {
            None => Ok(node),
            Some(span) => Err(parse::broken(span)),
        }
    }

    fn node(&mut self, pair: Pair<Rule>, base: usize) -> Node {
        let (rule, span, first) = (pair.as_rule(), pair.as_span(), self.tokens.len());
        let mut inner = pair.into_inner().peekable();
        if inner.peek().is_none() && span.end() > span.start() {
            self.tokens.push(Token { rule, start: base + span.start(), end: base + span.end() });
            return Node { rule, tokens: first..first + 1, parts: Vec::new() };
        }
        let mut parts = Vec::new();
        for pair in inner {
            let part = self.node(pair, base);
            if !part.tokens.is_empty() {
                parts.push(part);
            }
        }
        Node { rule, tokens: first..self.tokens.len(), parts }
    }

    /// Text of a declaration that is neither in a token nor white space nor a comment. There is none.
    fn lost(&self, piece: &Piece) -> Option<crate::span::Span> {
        let base = piece.base as usize;
        let from = self.tokens.partition_point(|t| t.start < base);
        let mut at = base;
        let ends = base + piece.text.len();
        let starts = self.tokens.get(from..).unwrap_or(&[]).iter().map(|t| (t.start, t.end)).chain([(ends, ends)]);
        for (start, end) in starts {
            if !Gap::new(self.text.get(at..start).unwrap_or("?")).clean {
                return Some(piece.span(at - base, start - base));
            }
            at = end;
        }
        None
    }
}

/// What stands between two tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gap<'t> {
    /// The comments.
    pub comments: Vec<Comment<'t>>,
    /// Line ends after the last comment, or in all.
    pub lines: usize,
    /// Whether there is nothing else than white space and comments.
    pub clean: bool,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment<'t> {
    /// Its text, from the `//` to the end of the line.
    pub text: &'t str,
    /// Line ends before it: after the token, or after the comment above it.
    pub lines: usize,
}

impl<'t> Gap<'t> {
    /// Reads what stands between two tokens.
    #[must_use]
    pub fn new(text: &'t str) -> Gap<'t> {
        let mut gap = Gap { clean: true, ..Gap::default() };
        for (at, line) in text.split('\n').enumerate() {
            gap.lines += usize::from(at > 0);
            let line = line.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
            if line.starts_with("//") {
                gap.comments.push(Comment { text: line, lines: gap.lines });
                gap.lines = 0;
            } else if !line.is_empty() {
                gap.clean = false;
            }
        }
        gap
    }

    /// Whether the text goes on in another line.
    #[must_use]
    pub fn breaks(&self) -> bool {
        self.lines > 0 || !self.comments.is_empty()
    }
}
