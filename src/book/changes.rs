//! What the settings change, and where that stands.

use std::collections::{BTreeMap, BTreeSet};

use super::units::Units;
use crate::compare::{self, Change, Side, Sort, Written};
use crate::lexicon::Lexicon;
use crate::model::Model;
use crate::span::Span;

/// What is written otherwise than in the game by itself.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// All of it.
    pub written: Written,
    sorts: BTreeMap<String, Sort>,
    /// What no longer holds where it stands: file, first byte and the name it has there.
    gone: BTreeMap<(String, u32), String>,
    cited: BTreeSet<String>,
}

impl Changes {
    pub fn new(before: &Side, after: &Side) -> Changes {
        let written = compare::written(before, after);
        let sorts: BTreeMap<String, Sort> = written.changes.iter().map(|c| (c.what.clone(), c.sort)).collect();
        let (old, new) = (before.rules.model(), after.rules.model());
        let place = |sources: &crate::span::Sources, span: Span| {
            sources.files.get(span.file as usize).map(|f| (f.name.clone(), span.start))
        };
        let (was, now) = (Units::new(&Lexicon::new(old, "")), Units::new(&Lexicon::new(new, "")));
        let stays: BTreeSet<_> = now.all.iter().filter_map(|u| Some((place(&new.sources, u.span)?, &u.name))).collect();
        let mut gone = BTreeMap::new();
        for unit in was.all.iter().filter(|u| matches!(sorts.get(&u.name), Some(Sort::Removed | Sort::Changed))) {
            if let Some(at) = place(&old.sources, unit.span).filter(|at| !stays.contains(&(at.clone(), &unit.name))) {
                gone.insert(at, unit.name.clone());
            }
        }
        let cited = written.changes.iter().flat_map(|c| &c.cites).chain(&written.lost).chain(&written.gained);
        Changes { cited: cited.cloned().collect(), sorts, gone, written }
    }

    /// How a thing is changed, by the name that it has where rules are compared.
    pub fn of(&self, name: &str) -> Option<Sort> {
        self.sorts.get(name).copied()
    }

    /// What stands within a stretch of a file and no longer holds: the names of what is written otherwise elsewhere, or
    /// left out.
    pub fn gone(&self, file: &str, span: Span) -> impl Iterator<Item = &str> {
        let at = |start: u32| (file.to_owned(), start);
        self.gone.range(at(span.start)..at(span.end)).map(|(_, name)| name.as_str())
    }

    /// Whether a rule that cites a clause of the register is changed.
    pub fn concern(&self, id: &str) -> bool {
        self.cited.contains(id)
    }

    /// Whether a member is new, or anything that is printed on it or leads from it is changed.
    pub fn touch(&self, model: &Model, kind: &str, id: &str) -> bool {
        let fields = format!("{id}.");
        let of = self.sorts.range(fields.clone()..).next().is_some_and(|(name, _)| name.starts_with(&fields));
        let leads = || model.links.iter().any(|links| self.of(&format!("{} from {id}", links.name)).is_some());
        of || self.of(&format!("{kind} {id}")).is_some() || leads()
    }

    /// All changes.
    pub fn all(&self) -> &[Change] {
        &self.written.changes
    }
}
