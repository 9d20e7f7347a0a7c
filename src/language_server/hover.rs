//! What a word means and where it is declared.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::asked::Place;
use super::cases::{Meaning, Target};
use super::names::{Role, Word};
use super::place;
use crate::exceptions::{self, Branch, Note, Teller, Thing};
use crate::lexicon::Lexicon;
use crate::model::{ClauseId, FieldStore, KindId, Model, RegisterRow, Value};

/// The lines of a declaration that are shown of it.
const SHOWN_LINES: usize = 12;

/// The clauses that are listed of what they are about.
const SHOWN_CLAUSES: usize = 20;

/// The printed fields that are listed of a member.
const SHOWN_FIELDS: usize = 30;

impl<'g> Place<'g> {
    pub fn hover(&self) -> Json {
        let mut out = String::new();
        let at = match self.is_rule() {
            true => self.hover_in_rules(&mut out),
            false => self.hover_in_text(&mut out),
        };
        match at {
            Some(at) if !out.is_empty() => {
                let range = place::range(self.text(), at.start, at.end);
                json!({ "contents": { "kind": "markdown", "value": out }, "range": range })
            }
            _ => Json::Null,
        }
    }

    fn hover_in_rules(&self, out: &mut String) -> Option<std::ops::Range<usize>> {
        let word = self.word();
        if let Some(word) = word {
            if word.cited {
                tell(self.game.row(&word.text)?, out);
            }
            for declared in self.declared(word).take(3) {
                self.declaration(declared, out);
            }
            let member = self.game.model.as_ref().and_then(|model| member(model, &word.text));
            if let (Some(model), Some(of), false) = (&self.game.model, member, word.local || word.cited) {
                printed(model, of, out);
            }
            if !word.local && !word.cited {
                self.clauses(&word.text, out);
            }
        }
        let clause = self.clause();
        if let (Some(model), Some(id)) = (&self.game.model, clause) {
            relations(model, id, out);
        }
        match (word, clause) {
            (Some(word), _) => Some(word.start..word.end),
            (None, Some(_)) => Some(self.byte..self.byte),
            _ => None,
        }
    }

    fn hover_in_text(&self, out: &mut String) -> Option<std::ops::Range<usize>> {
        let model = self.game.model.as_ref()?;
        let seen = self.seen()?;
        match &seen.meaning {
            Meaning::Member(kind, m) => {
                let id = model.kinds.get(kind.i())?.members.get(usize::from(*m))?.id.clone();
                for declared in self.game.index.called(&id).filter(|w| w.declares.is_some()).take(1) {
                    self.declaration(declared, out);
                }
                printed(model, (*kind, *m), out);
            }
            Meaning::Cite(id) => tell(self.game.row(id)?, out),
            Meaning::Label(clauses) => {
                for id in clauses.iter().take(SHOWN_CLAUSES) {
                    let Some(clause) = model.clause(*id) else { continue };
                    let text = model.sources.text(clause.span);
                    let shown: Vec<&str> = text.lines().take(SHOWN_LINES).collect();
                    let _ = writeln!(out, "```law\n{}\n```", shown.join("\n"));
                    clause.cites.iter().filter_map(|id| self.game.row(id)).for_each(|row| tell(row, out));
                    relations(model, *id, out);
                }
            }
            Meaning::Name(name) => {
                for declared in self.game.index.called(name).filter(|w| w.declares.is_some()).take(3) {
                    self.declaration(declared, out);
                }
                self.clauses(name, out);
            }
        }
        Some(seen.at)
    }

    /// The clause whose head or label is at the place, in rules that are as they were when they last had no error.
    fn clause(&self) -> Option<ClauseId> {
        let model = self.game.model.as_ref()?;
        let file = self.game.unchanged(model, self.file)?;
        let around = |c: &crate::model::Clause| {
            c.span.file == file && c.span.start as usize <= self.byte && self.byte <= c.span.end as usize
        };
        let found = model.clauses.iter().zip(0..).filter(|(c, _)| around(c));
        let (clause, id) = found.min_by_key(|(c, _)| c.span.end - c.span.start)?;
        let start = clause.span.start as usize;
        let before = self.text().get(start..self.byte)?;
        let after_label = before.matches('"').count() >= 2;
        let in_head = !before.contains(['=', '\n']) && !after_label;
        (in_head || !before.matches('"').count().is_multiple_of(2) && !before.contains("cite ")).then_some(ClauseId(id))
    }

    /// The declaration of a name, and the clauses of the rulebook that it cites.
    fn declaration(&self, word: &Word, out: &mut String) {
        let text = self.game.text(word.file);
        let Some(outline) = self.game.index.around(word.file, word.start) else { return };
        let shown = match word.local || outline.name != word.text {
            true => {
                let line = super::cases::line_around(text, word.start);
                text.get(line).unwrap_or("").trim().to_owned()
            }
            false => {
                let lines = text.get(outline.start..outline.end).unwrap_or("").lines();
                lines.take(SHOWN_LINES).collect::<Vec<_>>().join("\n")
            }
        };
        let _ = writeln!(out, "```law\n{shown}\n```");
        let own = self.game.index.of(word.file).iter();
        let cited =
            own.filter(|w| w.cited && outline.start <= w.start && w.end <= outline.end && outline.name == word.text);
        for row in cited.filter_map(|w| self.game.row(&w.text)).take(SHOWN_LINES) {
            tell(row, out);
        }
    }

    /// The clauses about what a name means.
    fn clauses(&self, name: &str, out: &mut String) {
        let Some(model) = &self.game.model else { return };
        let about: Vec<_> = model.clauses.iter().filter(|c| c.subject == name).collect();
        for clause in about.iter().take(SHOWN_CLAUSES) {
            let (file, line, _) = model.sources.place(clause.span);
            let label = &clause.label.text;
            let label = if label.is_empty() { String::new() } else { format!(" \"{label}\"") };
            let _ = writeln!(out, "- `{}`{label} ({file}:{line})", clause.head());
        }
        if let Some(more) = about.len().checked_sub(SHOWN_CLAUSES).filter(|n| *n > 0) {
            let _ = writeln!(out, "- and {more} more");
        }
    }

    pub fn definition(&self) -> Json {
        self.places_of_declaration().into_iter().collect()
    }

    fn places_of_declaration(&self) -> Vec<Json> {
        let declared = |name: &str| -> Vec<Json> {
            let words = self.game.index.called(name).filter(|w| w.declares.is_some());
            words.map(|w| self.game.location(w.file, w.start, w.end)).collect()
        };
        if self.is_rule() {
            let Some(word) = self.word() else { return Vec::new() };
            if word.cited {
                return self.register_row(&word.text).into_iter().collect();
            }
            let found: Vec<Json> = self.declared(word).map(|w| self.game.location(w.file, w.start, w.end)).collect();
            let row = |model: &Model| self.member_place(model, member(model, &word.text)?);
            return match (found.is_empty(), &self.game.model) {
                (true, Some(model)) => row(model).into_iter().collect(),
                _ => found,
            };
        }
        let (Some(model), Some(seen)) = (&self.game.model, self.seen()) else { return Vec::new() };
        match seen.meaning {
            Meaning::Member(kind, m) => {
                let id = model.kinds.get(kind.i()).and_then(|k| k.members.get(usize::from(m))).map(|m| &m.id);
                let found = id.map(|id| declared(id)).unwrap_or_default();
                if found.is_empty() { self.member_place(model, (kind, m)).into_iter().collect() } else { found }
            }
            Meaning::Cite(id) => {
                let citing = model.citations.iter().filter(|c| c.id == id);
                let citing = citing.filter_map(|c| self.game.placed(model, c.span));
                citing.chain(self.register_row(&id)).collect()
            }
            Meaning::Label(ids) => {
                let spans = ids.iter().filter_map(|id| Some(model.clause(*id)?.span));
                spans.filter_map(|span| self.game.placed(model, span)).collect()
            }
            Meaning::Name(name) => declared(&name),
        }
    }

    /// Where a member is declared that has no declaration of its own: the table that it is a row of.
    fn member_place(&self, model: &Model, (kind, m): (KindId, u16)) -> Option<Json> {
        let member = model.kinds.get(kind.i())?.members.get(usize::from(m))?;
        self.game.placed(model, member.span)
    }

    /// The row of the register with an id.
    fn register_row(&self, id: &str) -> Option<Json> {
        let tables = self.game.files.iter().enumerate().filter(|(_, (name, _))| name.ends_with(".tsv"));
        tables.into_iter().find_map(|(file, (_, text))| {
            let mut start = 0;
            for line in text.split_inclusive('\n') {
                if line.split('\t').next() == Some(id) {
                    return Some(self.game.location(file, start, start + id.len()));
                }
                start += line.len();
            }
            None
        })
    }

    pub fn references(&self, params: &Json) -> Json {
        let asked = params.get("context").and_then(|c| c.get("includeDeclaration")).and_then(Json::as_bool);
        let wanted = |w: &&Word| asked != Some(false) || w.declares.is_none();
        let mut found: Vec<Json> = Vec::new();
        let mut target = None;
        if self.is_rule() {
            let Some(word) = self.word() else { return Json::Null };
            found.extend(self.game.index.same(word).filter(wanted).map(|w| self.game.location(w.file, w.start, w.end)));
            if !word.local && !word.cited {
                target = self.target(&word.text);
            }
        } else if let Some(name) = self.named() {
            let words = self.game.index.called(&name).filter(wanted);
            found.extend(words.map(|w| self.game.location(w.file, w.start, w.end)));
            target = self.target(&name);
        }
        if let (Some(target), Some(model)) = (target, &self.game.model) {
            for (file, (name, text)) in self.game.files.iter().enumerate().filter(|(_, (name, _))| is_text(name)) {
                let uses = self.game.called.uses(model, name, text, &target);
                found.extend(uses.into_iter().map(|at| self.game.location(file, at.start, at.end)));
            }
        }
        Json::Array(found)
    }

    /// The name in the rules of what stands at a place of a casebook or record.
    pub fn named(&self) -> Option<String> {
        match self.seen()?.meaning {
            Meaning::Member(kind, m) => {
                let model = self.game.model.as_ref()?;
                Some(model.kinds.get(kind.i())?.members.get(usize::from(m))?.id.clone())
            }
            Meaning::Name(name) => Some(name),
            Meaning::Cite(_) | Meaning::Label(_) => None,
        }
    }

    /// What casebooks and records may name by a name of the rules.
    pub fn target(&self, name: &str) -> Option<Target> {
        let model = self.game.model.as_ref()?;
        match (member(model, name), self.game.index.role(name)) {
            (Some((kind, m)), _) => Some(Target::Member(kind, m, name.to_owned())),
            (None, Some(Role::Field | Role::Variable | Role::Definition | Role::Option | Role::Kind)) => {
                Some(Target::Name(name.to_owned()))
            }
            (None, _) => None,
        }
    }
}

/// Whether a file is a casebook or a record, by its name.
pub(super) fn is_text(name: &str) -> bool {
    [".md", ".case", ".record"].iter().any(|ending| name.ends_with(ending))
}

/// The member with an identifier.
pub(super) fn member(model: &Model, id: &str) -> Option<(KindId, u16)> {
    let kinds = model.kinds.iter().enumerate().filter(|(_, kind)| kind.pair.is_none() && !kind.of_hooks);
    kinds.into_iter().find_map(|(k, kind)| {
        let m = kind.members.iter().position(|m| m.id == id)?;
        Some((KindId(u16::try_from(k).ok()?), u16::try_from(m).ok()?))
    })
}

/// What is printed on a member.
fn printed(model: &Model, (kind, m): (KindId, u16), out: &mut String) {
    let Some(of) = model.kinds.get(kind.i()) else { return };
    let lexicon = Lexicon::new(model, "");
    let _ = writeln!(out, "**{}** ({})\n", lexicon.member(kind, m), of.name);
    let values = of.fields.iter().filter_map(|field| {
        let FieldStore::Printed(values) = &field.store else { return None };
        let value = values.get(usize::from(m)).filter(|v| **v != Value::None)?;
        Some((field, value))
    });
    for (field, value) in values.take(SHOWN_FIELDS) {
        let _ = writeln!(out, "- {}: {}", field.name, lexicon.known(&field.ty.base, value));
    }
    let cites = of.members.get(usize::from(m)).map_or(&[][..], |m| &m.cites);
    let rows = cites.iter().filter_map(|id| model.register.iter().find(|row| row.id == *id));
    for row in rows.take(SHOWN_LINES) {
        out.push('\n');
        tell(row, out);
    }
}

/// A clause of the register in words.
fn tell(row: &RegisterRow, out: &mut String) {
    let _ = writeln!(out, "**{}** {}\n", row.id, row.paraphrase.text);
    if !row.ambiguity.is_empty() {
        let _ = writeln!(out, "*{}*\n", row.ambiguity);
    }
}

/// What a clause is about, as a subject of exceptions.
pub(super) fn thing(model: &Model, subject: &str) -> Option<Thing> {
    exceptions::find(model, if subject.is_empty() { "ends" } else { subject }).ok()
}

/// What a clause beats, and what beats, forbids or silences it.
fn relations(model: &Model, id: ClauseId, out: &mut String) {
    let Some(clause) = model.clause(id) else { return };
    let Some(thing) = thing(model, &clause.subject) else { return };
    let tree = exceptions::tree(model, thing);
    let teller = Teller(Lexicon::new(model, ""));
    let Some((above, branch)) = find(&tree, None, id) else { return };
    let titled = |id: ClauseId| {
        let place = model.clause(id).map(|c| model.sources.place(c.span));
        let place = place.map_or_else(String::new, |(file, line, _)| format!(" ({file}:{line})"));
        format!("{}{place}", teller.0.clause(id))
    };
    let mut lines = Vec::new();
    if let Some(above) = above {
        lines.push(format!("beats {}", titled(above.clause)));
    }
    for note in &branch.notes {
        lines.push(match note {
            Note::AlsoBeats(other) => format!("beats {}", titled(*other)),
            note => teller.note(*note),
        });
    }
    for inner in &branch.inside {
        lines.push(format!("{}: {}", teller.role(inner), titled(inner.clause)));
    }
    if clause.kind == crate::model::ClauseKind::May {
        let forbids = |b: &&Branch| {
            let kind = model.clause(b.clause).map(|c| c.kind);
            kind == Some(crate::model::ClauseKind::MayNot) && !b.inside.iter().any(|i| i.clause == id)
        };
        lines.extend(
            tree.iter().filter(forbids).take(SHOWN_CLAUSES).map(|b| format!("forbidden by {}", titled(b.clause))),
        );
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "\n`{}`{}:\n", clause.head(), teller.0.labelled("", id));
        lines.iter().for_each(|line| {
            let _ = writeln!(out, "- {line}");
        });
    }
}

/// A clause in a tree, and the one that it is an exception to.
pub(super) fn find<'t>(
    tree: &'t [Branch],
    above: Option<&'t Branch>,
    id: ClauseId,
) -> Option<(Option<&'t Branch>, &'t Branch)> {
    tree.iter().find_map(|branch| match branch.clause == id {
        true => Some((above, branch)),
        false => find(&branch.inside, Some(branch), id),
    })
}
