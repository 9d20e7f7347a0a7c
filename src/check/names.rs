//! The names of a game: one namespace.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{AbilityId, ActionId, BringId, CodeId, ConfigId, DefId, KindId, LinkId, VarId};
use crate::span::Span;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    Kind(KindId),
    Member(KindId, u16),
    /// A seat that does not play, because an option says that there are fewer.
    Absent,
    Config(ConfigId),
    Links(LinkId),
    Var(VarId),
    Def(DefId),
    Action(ActionId),
    Procedure(CodeId),
    Ability(AbilityId),
    Bring(BringId),
}

/// All names, where they were declared, and which are used.
#[derive(Debug, Default)]
pub(super) struct Names {
    table: BTreeMap<String, (Symbol, Span)>,
    used: BTreeSet<Symbol>,
}

impl Names {
    /// What a name stands for.
    pub(super) fn get(&self, name: &str) -> Option<Symbol> {
        self.table.get(name).map(|(s, _)| *s)
    }

    /// Declares a name; returns the place of an earlier declaration of it.
    pub(super) fn declare(&mut self, name: &str, symbol: Symbol, span: Span) -> Option<Span> {
        if let Some((_, earlier)) = self.table.get(name) {
            return Some(*earlier);
        }
        self.table.insert(name.to_string(), (symbol, span));
        None
    }

    /// Notes that something is used.
    pub(super) fn mark(&mut self, symbol: Symbol) {
        self.used.insert(symbol);
    }

    /// Whether something is used.
    pub(super) fn is_used(&self, symbol: Symbol) -> bool {
        self.used.contains(&symbol)
    }

    /// All names.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, Symbol, Span)> {
        self.table.iter().map(|(n, (s, p))| (n.as_str(), *s, *p))
    }
}
