//! What bare names mean inside one expression or block, beyond the names of the game.

use crate::model::{ActionId, Ty, VarId};

/// What a local name stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A local of the expression.
    Local(u16, Ty),
    /// A variable of the code.
    Var(VarId),
    /// What it stands for has a fault, which is reported.
    Broken,
}

/// What `would` means where an expression stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Nothing.
    #[default]
    Nowhere,
    /// The position after this action.
    After(ActionId),
    /// It is about the position after an action already.
    Inside,
}

/// The names in force, innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: Vec<(String, Binding)>,
    next: u16,
    most: u16,
    narrowed: Vec<String>,
    /// What is looked at is `score`, where `p wins` has a meaning.
    pub(super) scoring: bool,
    /// What `would` means here.
    pub(super) ahead: Ahead,
}

impl Scope {
    /// Binds a new local.
    pub(super) fn bind(&mut self, name: &str, ty: Ty) -> u16 {
        let local = self.next;
        self.names.push((name.to_string(), Binding::Local(local, ty)));
        self.next = self.next.saturating_add(1);
        self.most = self.most.max(self.next);
        local
    }

    /// Another name for a local.
    pub(super) fn alias(&mut self, name: &str, local: u16, ty: Ty) {
        self.names.push((name.to_string(), Binding::Local(local, ty)));
    }

    /// Binds a variable of the code.
    pub(super) fn bind_var(&mut self, name: &str, var: VarId) {
        self.names.push((name.to_string(), Binding::Var(var)));
    }

    /// Binds a name that is not clear.
    pub(super) fn bind_broken(&mut self, name: &str) {
        self.names.push((name.to_string(), Binding::Broken));
    }

    /// Whether a name stands for something that has a fault.
    pub(super) fn is_broken(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Binding::Broken))
    }

    /// Forgets the local bound last.
    pub(super) fn unbind(&mut self) {
        self.names.pop();
        self.next = self.next.saturating_sub(1);
    }

    /// How many names there are, to go back to with [`Scope::leave`].
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.names.len(), self.narrowed.len())
    }

    /// Forgets the names bound since; the locals' places stay taken.
    pub(super) fn leave(&mut self, mark: (usize, usize)) {
        self.names.truncate(mark.0);
        self.narrowed.truncate(mark.1);
    }

    /// What a name stands for.
    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.names.iter().rev().find(|(n, _)| n == name).map(|(_, b)| b)
    }

    /// The most locals that were in force at once.
    pub(super) fn most(&self) -> u16 {
        self.most
    }

    /// Notes that the expression so written is there, not nothing.
    pub(super) fn narrow(&mut self, text: String) {
        self.narrowed.push(text);
    }

    /// Whether the expression so written is known to be there.
    pub(super) fn is_narrowed(&self, text: &str) -> bool {
        self.narrowed.iter().any(|t| t == text)
    }

    /// Begins what is asked of another position: nothing is known to be there. Gives what was known, for [`Scope::look_back`].
    pub(super) fn look_ahead(&mut self) -> Vec<String> {
        self.ahead = Ahead::Inside;
        std::mem::take(&mut self.narrowed)
    }

    /// Back to the position itself.
    pub(super) fn look_back(&mut self, action: ActionId, narrowed: Vec<String>) {
        self.ahead = Ahead::After(action);
        self.narrowed = narrowed;
    }

    /// The local names, for suggestions.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(n, _)| n.as_str())
    }
}
