//! Where rules can be mutated: places of the tree, as spans of text with their replacements.

mod decl;
mod expr;
mod judging;
mod stmt;

use std::collections::{BTreeSet, HashMap};

use super::mutant::{Kind, Mutant, Scope};
use crate::span::Span;
use crate::syntax::tree::DeclKind;
use crate::syntax::{self, tree};

/// The maximum number of characters of a changed text in the name of a mutant.
const MAX_QUOTED_CHARACTERS: usize = 70;

/// The number of words on each side that name a change in a long text.
const AROUND: usize = 4;

/// All mutants of a game's rule files, in the order of the files and of their places. What cannot be read has none.
#[must_use]
pub fn mutants(rules: &[(String, String)]) -> Vec<Mutant> {
    let mut all = Vec::new();
    let mut files: Vec<&(String, String)> = rules.iter().filter(|(name, _)| name.ends_with(".law")).collect();
    files.sort();
    let trees: Vec<tree::File> = files.iter().map(|(_, text)| syntax::parse(0, text).0).collect();
    let drawn = decl::drawn(&trees);
    let texts: Vec<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
    let judging = judging::judging(&texts, &trees);
    for ((name, text), tree) in files.iter().zip(&trees) {
        let mut sites = Sites { file: name, text, drawn: &drawn, out: Vec::new(), at: At::default() };
        // What only bots ask decides nothing.
        let decides =
            |d: &tree::Decl| !matches!(&d.kind, DeclKind::Define { name, .. } if judging.contains(name.text.as_str()));
        tree.decls.iter().filter(|d| decides(d)).for_each(|decl| sites.decl(decl));
        all.extend(sites.out);
    }
    number(&mut all);
    all
}

/// Mutants with the same name get a number.
fn number(all: &mut [Mutant]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for mutant in all {
        let n = seen.entry(mutant.id.clone()).or_default();
        *n += 1;
        if *n > 1 {
            mutant.id = format!("{} #{n}", mutant.id);
        }
    }
}

/// A text on one line, without comments.
fn line(text: &str) -> String {
    let bare = text.lines().map(|l| l.split("//").next().unwrap_or(""));
    bare.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The context of a place.
#[derive(Clone, Debug)]
struct At {
    owner: String,
    cites: Vec<String>,
    scope: Scope,
}

impl Default for At {
    fn default() -> At {
        At { owner: String::new(), cites: Vec::new(), scope: Scope::Game }
    }
}

/// The mutants of a file, while they are collected.
struct Sites<'t> {
    file: &'t str,
    text: &'t str,
    /// Fields that only the picture of the board needs: kind and field.
    drawn: &'t BTreeSet<(String, String)>,
    out: Vec<Mutant>,
    at: At,
}

impl<'t> Sites<'t> {
    fn text(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// A span of text on one line, cut off if it is long.
    fn line(&self, span: Span) -> String {
        let line = line(self.text(span));
        match line.char_indices().nth(MAX_QUOTED_CHARACTERS) {
            Some((at, _)) => format!("{}...", line.get(..at).unwrap_or("").trim_end()),
            None => line,
        }
    }

    /// The part of a span that names a change in it: all of it, or the words around the change if it is long.
    fn near(&self, context: Span, from: usize, to: usize) -> (usize, usize) {
        let (start, end) = (context.start as usize, context.end as usize);
        if line(self.text.get(start..end).unwrap_or("")).chars().count() <= MAX_QUOTED_CHARACTERS {
            return (start, end);
        }
        let before = self.text.get(start..from).unwrap_or("").rmatch_indices(char::is_whitespace).nth(AROUND);
        let after = self.text.get(to..end).unwrap_or("").match_indices(char::is_whitespace).nth(AROUND);
        (before.map_or(start, |(i, _)| start + i), after.map_or(end, |(i, _)| to + i))
    }

    /// Runs something in another context.
    fn within(&mut self, at: At, f: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.at, at);
        f(self);
        self.at = before;
    }

    /// The same context, for other evaluations.
    fn scoped(&mut self, scope: Scope, f: impl FnOnce(&mut Self)) {
        let at = At { scope, ..self.at.clone() };
        self.within(at, f);
    }

    /// Adds one mutant; `what` says what is changed, `None` for the whole clause.
    fn add(&mut self, kind: Kind, bytes: std::ops::Range<usize>, with: impl Into<String>, what: &str) {
        let what = if what.is_empty() { String::new() } else { format!(" {what}") };
        let id = format!("{}: {}: {}{what}", self.file, self.at.owner, kind.word());
        self.out.push(Mutant {
            id,
            file: self.file.to_owned(),
            owner: self.at.owner.clone(),
            kind,
            cites: self.at.cites.clone(),
            bytes,
            with: with.into(),
            scope: self.at.scope,
        });
    }

    /// Replaces a span.
    fn replace(&mut self, kind: Kind, span: Span, with: &str, what: &str) {
        let text = self.text(span);
        let start = span.start as usize + (text.len() - text.trim_start().len());
        self.add(kind, start..start + text.trim().len(), with, what);
    }

    /// Replaces a word between two places by another.
    fn swap(&mut self, kind: Kind, between: (u32, u32), (old, new): (&str, &str), context: Span) {
        let (from, to) = (between.0 as usize, between.1 as usize);
        let Some(at) = self.text.get(from..to).and_then(|gap| gap.find(old)).map(|at| from + at) else {
            return;
        };
        let (start, end) = self.near(context, at, at + old.len());
        let part = |from: usize, to: usize| self.text.get(from..to).unwrap_or("");
        let (before, after) = (part(start, at), part(at + old.len(), end));
        let what = format!("`{}` to `{}`", line(&[before, old, after].concat()), line(&[before, new, after].concat()));
        self.add(kind, at..at + old.len(), new, &what);
    }

    fn cites(words: &[tree::Word]) -> Vec<String> {
        words.iter().map(|w| w.text.clone()).collect()
    }
}
