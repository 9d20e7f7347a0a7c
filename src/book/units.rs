//! The parts of the rules that links lead to: clauses, steps, abilities, settings and other declarations.

use std::collections::BTreeMap;
use std::ops::Range;

use super::doc::Anchor;
use crate::audit::{self, PartKey};
use crate::compare;
use crate::lexicon::{Lexicon, fill};
use crate::map;
use crate::model::{AbilityId, ClauseId, ClauseKind, CodeKind, ConfigId, Model};
use crate::span::Span;
use crate::syntax::{Sort, Token, declarations, tokens};

/// A part of the rules.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Where it stands, from its first word to its last.
    pub span: Span,
    /// What it is called.
    pub title: String,
    /// Where links to it lead. Parts that begin on one line share it.
    pub anchor: Anchor,
    /// What it is called where rules are compared; empty if it has no name there.
    pub name: String,
    /// What it is called where coverage is measured; `None` if it is not measured.
    pub part: Option<PartKey>,
    /// What it is.
    pub of: Of,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Clause(ClauseId),
    Ability(AbilityId),
    Setting(ConfigId),
    /// A procedure, or a step of one.
    Course,
    /// Another declaration.
    Declaration,
}

/// The parts of the rules, in the order of the files, and outer ones first.
#[derive(Debug, Default)]
pub(super) struct Units {
    pub all: Vec<Unit>,
    /// The words and signs of each file of rules; empty for tables.
    pub tokens: Vec<Vec<Token>>,
    /// The declarations of each.
    pub declarations: Vec<Vec<Range<usize>>>,
    /// For each clause its part.
    clauses: BTreeMap<ClauseId, usize>,
    /// For each part that is measured which it is.
    measured: BTreeMap<PartKey, usize>,
}

impl Units {
    pub fn new(lexicon: &Lexicon) -> Units {
        let model = lexicon.model;
        let files = &model.sources.files;
        let is_law = |name: &str| name.ends_with(".law");
        let read = |f: &crate::span::Source| if is_law(&f.name) { tokens(&f.text) } else { Vec::new() };
        let whole = |f: &crate::span::Source| if is_law(&f.name) { declarations(&f.text) } else { Vec::new() };
        let mut units = Units {
            tokens: files.iter().map(read).collect(),
            declarations: files.iter().map(whole).collect(),
            ..Units::default()
        };
        units.clauses(lexicon);
        units.courses(lexicon);
        units.others(lexicon);
        units.all.retain(|unit| unit.span.start < unit.span.end);
        units.whole_declarations(lexicon);
        units.all.sort_by_key(|u| (u.span.file, u.span.start, std::cmp::Reverse(u.span.end)));
        for (i, unit) in units.all.iter().enumerate() {
            units.measured.extend(unit.part.clone().map(|part| (part, i)));
            if let Of::Clause(id) = unit.of {
                let others = model.others(id).chain(std::iter::once(id));
                units.clauses.extend(others.map(|id| (id, i)));
            }
        }
        units
    }

    fn add(&mut self, model: &Model, span: Span, unit: Unit) {
        let anchor = anchor(model, span);
        self.all.push(Unit { span, anchor, ..unit });
    }

    fn clauses(&mut self, lexicon: &Lexicon) {
        let model = lexicon.model;
        for ((i, clause), name) in model.clauses.iter().enumerate().zip(compare::titles(model)) {
            if clause.first.is_some() || clause.kind == ClauseKind::Choice {
                continue;
            }
            let id = ClauseId(i as u16);
            let others = model.others(id).filter_map(|other| model.clause(other));
            let others: String = others.map(|other| format!(", {}", other.subject)).collect();
            let mut title = lexicon.clause(id);
            if let Some(at) = title.find(&clause.subject).filter(|_| !others.is_empty()) {
                title.insert_str(at + clause.subject.len(), &others);
            }
            let ability = clause.ability.and_then(|a| model.abilities.get(a.i()));
            if let Some(ability) = ability.filter(|a| !a.label.text.is_empty()) {
                let label = fill(lexicon.words.quoted, &[ability.label.get(lexicon.lang)]);
                title = format!("{label}{}{title}", lexicon.words.colon);
            }
            let part = key(model, clause.span, audit::clause_title(model, id));
            let own = Unit { name, part, ..unit(title, Of::Clause(id)) };
            self.add(model, clause.span, own);
        }
    }

    /// Procedures and their steps.
    fn courses(&mut self, lexicon: &Lexicon) {
        let (model, words) = (lexicon.model, &lexicon.words.tree);
        for code in model.codes.iter().filter(|c| c.kind == CodeKind::Procedure) {
            let name = format!("procedure {}", code.name);
            let title = format!("{} {}", words.procedure, code.name);
            let part = key(model, code.span, name.clone());
            self.add(model, code.span, Unit { part, name, ..unit(title, Of::Course) });
            for step in &code.steps {
                let name = format!("step {}.{}", code.name, step.name);
                let label = step.label.get(lexicon.lang);
                let mut title = format!("{} {}.{}", words.step, code.name, step.name);
                if !label.is_empty() {
                    title = fill(lexicon.words.labelled, &[&title, label]);
                }
                let part = key(model, step.span, name.clone());
                let own = Unit { part, name, ..unit(title, Of::Course) };
                self.add(model, self.step(model, step.span), own);
            }
        }
    }

    /// From the word `step` to the end of its block, or to the next step.
    fn step(&self, model: &Model, name: Span) -> Span {
        let tokens = self.tokens.get(name.file as usize).map_or(&[][..], Vec::as_slice);
        let text = model.sources.files.get(name.file as usize).map_or("", |f| &f.text);
        let at = tokens.partition_point(|t| t.at.start < name.start as usize);
        let start = at.checked_sub(1).and_then(|i| tokens.get(i)).map_or(name.start as usize, |t| t.at.start);
        let (mut depth, mut end) = (0, name.end as usize);
        for token in tokens.get(at + 1..).unwrap_or_default().iter().filter(|t| t.sort != Sort::Comment) {
            let word = text.get(token.at.clone()).unwrap_or("");
            if depth == 0 && (word == "}" || token.sort == Sort::Keyword && matches!(word, "step" | "finally")) {
                break;
            }
            depth += i32::from(word == "{") - i32::from(word == "}");
            end = token.at.end;
            if depth == 0 && word == "}" {
                break;
            }
        }
        Span { file: name.file, start: start as u32, end: end as u32 }
    }

    /// Abilities, settings and entries.
    fn others(&mut self, lexicon: &Lexicon) {
        let (model, words) = (lexicon.model, lexicon.words);
        for (i, ability) in model.abilities.iter().enumerate() {
            let label = ability.label.get(lexicon.lang);
            let title = match label {
                "" => words.book.ability.to_owned(),
                label => fill(words.labelled, &[words.book.ability, label]),
            };
            let name = format!("who has \"{}\"", ability.label.text);
            let of = Of::Ability(AbilityId(i as u16));
            self.add(model, ability.span, Unit { name, ..unit(title, of) });
        }
        for (i, item) in model.config.iter().enumerate() {
            let (sort, word) = match item.is_reading() {
                true => ("reading", words.book.reading),
                false => ("option", words.book.option),
            };
            let own = Unit {
                name: format!("{sort} {}", item.name),
                ..unit(format!("{word} {}", item.name), Of::Setting(ConfigId(i as u16)))
            };
            self.add(model, item.span, own);
        }
        for entry in &model.entries {
            let title = fill(words.labelled, &[words.book.entry, entry.phrase.get(lexicon.lang)]);
            let name = format!("entry \"{}\"", entry.phrase.text);
            self.add(model, entry.span, Unit { name, ..unit(title, Of::Declaration) });
        }
    }

    /// Declarations that are none of these.
    fn whole_declarations(&mut self, lexicon: &Lexicon) {
        let model = lexicon.model;
        let known: std::collections::BTreeSet<(u32, u32)> =
            self.all.iter().map(|u| (u.span.file, u.span.start)).collect();
        for file in 0..self.declarations.len() {
            for at in self.declarations.get(file).cloned().unwrap_or_default() {
                let span = Span { file: file as u32, start: at.start as u32, end: at.end as u32 };
                if !known.contains(&(span.file, span.start)) {
                    let title = head(&model.sources.line(span));
                    self.add(model, span, unit(title, Of::Declaration));
                }
            }
        }
    }

    /// The innermost part around a place.
    pub fn around(&self, span: Span) -> Option<usize> {
        let before = self.all.partition_point(|u| (u.span.file, u.span.start) <= (span.file, span.start));
        let around = |u: &Unit| u.span.file == span.file && u.span.start <= span.start && span.end <= u.span.end;
        // Outer parts stand before inner ones, and no declaration is longer than a file.
        let all = self.all.get(..before)?.iter().enumerate().rev();
        all.take_while(|(_, u)| u.span.file == span.file).find(|(_, u)| around(u)).map(|(i, _)| i)
    }

    /// The part that is a clause.
    pub fn of_clause(&self, id: ClauseId) -> Option<&Unit> {
        self.clauses.get(&id).and_then(|i| self.all.get(*i))
    }

    /// The part that is measured under a name.
    pub fn measured(&self, part: &PartKey) -> Option<&Unit> {
        self.measured.get(part).and_then(|i| self.all.get(*i))
    }

    /// The parts within a place, and those that begin there.
    pub fn within(&self, span: Span) -> impl Iterator<Item = (usize, &Unit)> {
        let key = |u: &Unit| (u.span.file, u.span.start);
        let from = self.all.partition_point(|u| key(u) < (span.file, span.start));
        let to = self.all.partition_point(|u| key(u) < (span.file, span.end));
        self.all.get(from..to).unwrap_or_default().iter().enumerate().map(move |(i, u)| (from + i, u))
    }
}

fn unit(title: String, of: Of) -> Unit {
    Unit { span: Span::default(), title, anchor: Anchor::new("", ""), name: String::new(), part: None, of }
}

fn key(model: &Model, span: Span, what: String) -> Option<PartKey> {
    model.sources.files.get(span.file as usize).map(|f| (f.name.clone(), span.start, what))
}

/// A line of a file of rules.
pub(super) fn anchor(model: &Model, span: Span) -> Anchor {
    let (file, line, _) = model.sources.place(span);
    Anchor::new("rule", &format!("{file}.{line}"))
}

/// How a declaration begins, in at most so many columns.
fn head(line: &str) -> String {
    const COLUMNS: usize = 60;
    let ends = [" = ", " cite ", " {", " \""];
    let end = ends.iter().filter_map(|e| line.find(e)).min().unwrap_or(line.len());
    let head = line.get(..end).unwrap_or(line);
    map::fit(head, COLUMNS.min(map::columns(head)))
}
