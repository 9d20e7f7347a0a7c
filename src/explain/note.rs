//! Notes that an evaluation takes on its way: everything for a ruling, nothing for a list of options.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::memo::Mix;
use crate::game::{Considered, Derived};
use crate::model::{ConfigId, VarId};

/// In what part a clause was considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A `may`.
    Permission,
    /// A `may not`.
    Prohibition,
}

/// Takes notes. Where `ON` is false none are made, and making them costs nothing.
pub(super) trait Notes: Default + Send {
    /// Whether notes are wanted.
    const ON: bool;
    /// A clause was considered.
    fn clause(&mut self, role: Role, considered: Considered);
    /// A clause gave or changed the value of a definition.
    fn derived(&mut self, derived: Derived);
    /// What was noted at a position that an action would lead to.
    fn ahead(&mut self, notes: Self);
    /// Whether definitions that keep their general value are wanted too.
    fn general(&self) -> bool {
        false
    }
    /// An entry of a variable was read.
    fn entry(&mut self, _: VarId, _: usize) {}
    /// An option or reading was read.
    fn option(&mut self, _: ConfigId) {}
    /// Something ran that takes no notes: it may have read anything.
    fn blind(&mut self) {}
    /// What is noted where reasons are not wanted.
    type Aside: Notes;
    /// What was noted aside.
    fn aside(&mut self, _: Self::Aside) {}
    /// The permissions and prohibitions noted, taken out.
    fn take_clauses(&mut self) -> Vec<(Role, Considered)> {
        Vec::new()
    }
}

/// Takes none.
#[derive(Default)]
pub(super) struct Silent;

impl Notes for Silent {
    const ON: bool = false;
    fn clause(&mut self, _: Role, _: Considered) {}
    fn derived(&mut self, _: Derived) {}
    fn ahead(&mut self, _: Self) {}
    type Aside = Silent;
}

/// Notes what was read, and no reasons.
#[derive(Default)]
pub(super) struct Traced {
    /// The entries of variables, in the order in which they were first read.
    pub entries: Vec<(VarId, usize)>,
    /// The options and readings, in the same order.
    pub options: Vec<ConfigId>,
    /// Something was read besides that is not known.
    pub blind: bool,
    known: HashSet<(VarId, usize), BuildHasherDefault<Mix>>,
}

impl Notes for Traced {
    const ON: bool = false;
    fn clause(&mut self, _: Role, _: Considered) {}
    fn derived(&mut self, _: Derived) {}

    fn ahead(&mut self, notes: Traced) {
        self.aside(notes);
    }

    fn entry(&mut self, var: VarId, index: usize) {
        if self.known.insert((var, index)) {
            self.entries.push((var, index));
        }
    }

    fn option(&mut self, id: ConfigId) {
        if !self.options.contains(&id) {
            self.options.push(id);
        }
    }

    fn blind(&mut self) {
        self.blind = true;
    }

    type Aside = Traced;

    fn aside(&mut self, notes: Traced) {
        for (var, index) in notes.entries {
            self.entry(var, index);
        }
        for id in notes.options {
            self.option(id);
        }
        self.blind |= notes.blind;
    }
}

/// Keeps them all.
#[derive(Default)]
pub(super) struct Written {
    /// Permissions and prohibitions in the order in which they were asked.
    pub clauses: Vec<(Role, Considered)>,
    /// Definitions, each once.
    pub derived: Vec<Derived>,
    /// Also those that keep their general value.
    pub general: bool,
}

impl Notes for Written {
    const ON: bool = true;

    fn clause(&mut self, role: Role, considered: Considered) {
        self.clauses.push((role, considered));
    }

    fn derived(&mut self, derived: Derived) {
        if !self.derived.contains(&derived) {
            self.derived.push(derived);
        }
    }

    fn ahead(&mut self, notes: Written) {
        for derived in notes.derived {
            self.derived(Derived { after: true, ..derived });
        }
    }

    fn general(&self) -> bool {
        self.general
    }

    type Aside = Silent;

    fn take_clauses(&mut self) -> Vec<(Role, Considered)> {
        std::mem::take(&mut self.clauses)
    }
}
