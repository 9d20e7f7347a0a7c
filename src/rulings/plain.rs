//! A ruling as text for a terminal: in short, or with all that it was derived from.

use std::fmt::Write;

use super::sensitivity::ReadingRow;
use super::sheet::{Held, Layer, Line, Sheet};
use super::words::{Words, fill};
use crate::map::columns;

/// The maximum number of clauses that lost which the short form names.
const MAX_LOSERS: usize = 2;

/// How much of a ruling is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The verdict, why, and the clause that decides it.
    Short,
    /// The same with all permissions that do not reach it, the nearest first.
    Misses,
    /// Everything that was considered, with the values it saw.
    Whole,
}

impl Sheet {
    /// The ruling as text.
    #[must_use]
    pub fn text(&self, depth: Depth) -> String {
        let mut out = self.headline() + "\n";
        self.decided(&mut out, depth);
        self.withheld(&mut out, depth);
        self.losers(&mut out, depth);
        self.near(&mut out, depth);
        if let Some(fault) = &self.fault {
            let _ = writeln!(out, "  {fault}");
        }
        if depth == Depth::Whole {
            self.derivation(&mut out);
        }
        for line in self.moment.iter().chain(&self.depends) {
            let _ = writeln!(out, "  {line}");
        }
        out
    }

    fn decided(&self, out: &mut String, depth: Depth) {
        let words = self.words;
        for line in &self.deciding {
            let phrase = if self.besides { words.forbidden_besides } else { words.by };
            let _ = writeln!(out, "  {}", fill(phrase, &[&placed(words, line)]));
            if depth == Depth::Whole {
                paraphrases(out, words, line);
            }
            for held in &line.conditions {
                if depth == Depth::Whole && !held.saw.is_empty() {
                    let _ = writeln!(out, "     {}", fill(words.seen, &[&held.said(words)]));
                }
                because(out, held, "     ");
            }
        }
        for held in &self.demands {
            let phrase = if self.obliged { words.asked } else { words.needs };
            let _ = writeln!(out, "  {}", fill(phrase, &[&held.said(words)]));
            because(out, held, "     ");
        }
    }

    /// The clause that would ask for the action.
    fn withheld(&self, out: &mut String, depth: Depth) {
        let words = self.words;
        let Some(line) = &self.withheld else { return };
        let _ = writeln!(out, "  {}", fill(words.withheld, &[&placed(words, line)]));
        if depth == Depth::Whole {
            paraphrases(out, words, line);
        }
        for held in line.conditions.iter().filter(|c| !c.holds) {
            let _ = writeln!(out, "     {}", fill(words.fails, &[&held.said(words)]));
            because(out, held, "        ");
        }
    }

    fn losers(&self, out: &mut String, depth: Depth) {
        let words = self.words;
        let shown = if depth == Depth::Whole { self.lost.len() } else { MAX_LOSERS };
        for line in self.lost.iter().take(shown) {
            let _ = writeln!(out, "  {} {}", fill(words.overruled, &[&placed(words, line)]), line.fate);
            if depth == Depth::Whole {
                paraphrases(out, words, line);
            }
        }
        if self.lost.len() > shown {
            let _ = writeln!(out, "  {}", fill(words.would_more, &[&(self.lost.len() - shown).to_string()]));
        }
    }

    fn near(&self, out: &mut String, depth: Depth) {
        let words = self.words;
        // Where a permission was silenced, that is the answer, not the next one.
        let shown = match depth {
            Depth::Misses => self.misses.len(),
            _ if self.silenced => 0,
            _ => 1,
        };
        for (i, line) in self.misses.iter().take(shown).enumerate() {
            let phrase = if i == 0 { words.nearest } else { words.farther_off };
            let _ = writeln!(out, "  {}", fill(phrase, &[&placed(words, line)]));
            if depth == Depth::Whole {
                paraphrases(out, words, line);
            }
            for held in line.conditions.iter().filter(|c| !c.holds) {
                let _ = writeln!(out, "     {}", fill(words.fails, &[&held.said(words)]));
                because(out, held, "        ");
            }
        }
        if shown > 0 {
            match self.misses.len().saturating_sub(shown) {
                0 => {}
                1 => {
                    let _ = writeln!(out, "     {}", words.farther_one);
                }
                n => {
                    let _ = writeln!(out, "     {}", fill(words.farther_many, &[&n.to_string()]));
                }
            }
        }
    }

    /// All that was considered, sort by sort; the exceptions; the definitions.
    fn derivation(&self, out: &mut String) {
        let words = self.words;
        for layer in &self.layers {
            considered(out, words, layer);
        }
        if !self.exceptions.is_empty() {
            let _ = writeln!(out, "  {}", words.heads.exceptions);
            for line in &self.exceptions {
                tree(out, words, line, 2);
            }
        }
        if !self.definitions.is_empty() {
            let _ = writeln!(out, "  {}", words.heads.definitions);
        }
        for defined in &self.definitions {
            let _ = writeln!(out, "    {}", defined.says);
            for line in &defined.lines {
                tree(out, words, line, 3);
            }
        }
    }
}

/// A clause with its place: `may move "forward" [move.2] (movement.law:42)`.
fn placed(words: &Words, line: &Line) -> String {
    if line.place.is_empty() { line.cited() } else { format!("{}{}", line.cited(), words.bracketed(&line.place)) }
}

fn paraphrases(out: &mut String, words: &Words, line: &Line) {
    for cite in line.cites.iter().chain(&line.by).filter(|c| !c.says.is_empty()) {
        let _ = writeln!(out, "     {}{}{}", cite.named(words), words.colon, cite.says);
        for doubt in &cite.doubts {
            let _ = writeln!(out, "        {doubt}");
        }
    }
}

/// Why a condition holds or fails.
fn because(out: &mut String, held: &Held, indent: &str) {
    for said in &held.because {
        let _ = writeln!(out, "{indent}{said}");
    }
}

fn considered(out: &mut String, words: &Words, layer: &Layer) {
    let _ = writeln!(out, "  {}", layer.title);
    for line in &layer.lines {
        let fate = if line.fate.is_empty() { words.applies } else { &line.fate };
        let _ = writeln!(out, "    {} {}{}", mark(line.stands), line.cited(), words.bracketed(fate));
        for held in &line.conditions {
            let _ = writeln!(out, "        {} {}", mark(held.holds), held.said(words));
        }
    }
}

/// A clause, and under it what overrules it.
fn tree(out: &mut String, words: &Words, line: &Line, depth: usize) {
    let indent = "  ".repeat(depth);
    let branch = if depth > 2 { "└ " } else { "" };
    let fate = if line.fate.is_empty() { String::new() } else { words.bracketed(&line.fate) };
    let _ = writeln!(out, "{indent}{branch}{}{fate}", line.cited());
    for below in &line.under {
        tree(out, words, below, depth + 1);
    }
}

fn mark(holds: bool) -> char {
    if holds { '+' } else { '-' }
}

/// The table of the readings as text, under its heading; the alternative in force has a `*`.
#[must_use]
pub fn reading_table(rows: &[ReadingRow], lang: &str) -> String {
    let words = Words::of(lang);
    let mut out = String::new();
    let width = |texts: &mut dyn Iterator<Item = &str>| texts.map(columns).max().unwrap_or(0);
    let names = width(&mut rows.iter().map(|r| r.reading.as_str()));
    let others = width(&mut rows.iter().flat_map(|r| r.alternatives.iter().map(|a| a.0.as_str())));
    for row in rows {
        for (i, (name, in_force, verdict)) in row.alternatives.iter().enumerate() {
            let reading = if i == 0 { row.reading.as_str() } else { "" };
            let star = if *in_force { '*' } else { ' ' };
            let pad = |text: &str, to: usize| " ".repeat(to.saturating_sub(columns(text)));
            let (a, b) = (pad(reading, names), pad(name, others));
            let _ = writeln!(out, "    {reading}{a}  {star} {name}{b}  {}", words.outcome(*verdict));
        }
    }
    out
}
