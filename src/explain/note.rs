//! What an evaluation writes down on its way: everything for a ruling, nothing for a list of options.

use crate::game::{Considered, Derived};

/// In what part a clause was considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A `may`.
    Permission,
    /// A `may not`.
    Prohibition,
}

/// Takes notes. Where `ON` is false none are made, and making them costs nothing.
pub(super) trait Notes: Default {
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
}

/// Takes none.
#[derive(Default)]
pub(super) struct Silent;

impl Notes for Silent {
    const ON: bool = false;
    fn clause(&mut self, _: Role, _: Considered) {}
    fn derived(&mut self, _: Derived) {}
    fn ahead(&mut self, _: Self) {}
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
}
