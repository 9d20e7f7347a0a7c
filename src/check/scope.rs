//! What bare names mean inside one expression or block, beyond the names of the game.

use crate::model::{ActionId, Base, CodeId, Expr, ExprKind, Ty, VarId};
use crate::span::Span;

/// What a local name stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A local of the expression.
    Local(u16, Ty),
    /// A variable of the code.
    Var(VarId),
    /// Something made of a local.
    Made(Box<Expr>),
    /// Its value has an error, which is reported.
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
    /// It is already about the position after an action.
    Inside,
}

/// Since when something is known in a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Since {
    /// It is a condition of what begins the code.
    Start,
    /// An instruction has tested it.
    At(u16),
}

/// An expression that counts as there at an instruction, because it was tested before.
#[derive(Clone, Debug)]
pub(super) struct Relied {
    pub(super) of: Expr,
    pub(super) since: Since,
    pub(super) at: u16,
}

/// What is known of the position.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The forms of the expressions that are there, and since when this is known.
    narrowed: Vec<(String, Option<Since>)>,
    /// The codes that are active.
    active: Vec<CodeId>,
}

/// The state of a scope, to be restored with [`Scope::leave`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    names: usize,
    narrowed: usize,
    active: usize,
    unclear: bool,
}

/// The names in force, innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: Vec<(String, Binding)>,
    next: u16,
    most: u16,
    known: Known,
    /// The code whose block this is.
    pub(super) code: Option<CodeId>,
    /// The next instruction to be written, in a code.
    pub(super) here: Option<u16>,
    /// Whether this is a condition of what begins the code.
    pub(super) entering: bool,
    /// What counted as there because of an instruction.
    pub(super) relied: Vec<Relied>,
    /// The condition around has an error of its own, so it is not known what it proves to be there.
    unclear: bool,
    /// Whether this is `score`, where `p wins` has a meaning.
    pub(super) scoring: bool,
    /// What `would` means here.
    pub(super) ahead: Ahead,
    /// In a clause about several actions: the parameters that not all of them have, each with an action that lacks it.
    pub(super) unshared: Vec<(String, String)>,
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

    /// Binds a name to what is made of a local.
    pub(super) fn bind_made(&mut self, name: &str, made: Expr) {
        self.names.push((name.to_string(), Binding::Made(Box::new(made))));
    }

    /// Binds a name whose value has an error.
    pub(super) fn bind_broken(&mut self, name: &str) {
        self.names.push((name.to_string(), Binding::Broken));
    }

    /// Whether a name stands for something with an error.
    pub(super) fn is_broken(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Binding::Broken))
    }

    /// Forgets the local bound last.
    pub(super) fn unbind(&mut self) {
        self.names.pop();
        self.next = self.next.saturating_sub(1);
    }

    /// The number of names, for [`Scope::leave`].
    pub(super) fn mark(&self) -> Mark {
        Mark {
            names: self.names.len(),
            narrowed: self.known.narrowed.len(),
            active: self.known.active.len(),
            unclear: self.unclear,
        }
    }

    /// Forgets the names bound since then; the places of the locals stay taken.
    pub(super) fn leave(&mut self, mark: Mark) {
        self.names.truncate(mark.names);
        self.known.narrowed.truncate(mark.narrowed);
        self.known.active.truncate(mark.active);
        self.unclear = mark.unclear;
    }

    /// What a name stands for.
    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.names.iter().rev().find(|(n, _)| n == name).map(|(_, b)| b)
    }

    /// The maximum number of locals in force at once.
    pub(super) fn most(&self) -> u16 {
        self.most
    }

    /// Notes that an expression is there, not nothing.
    pub(super) fn narrow(&mut self, e: &Expr) {
        let since = if self.entering { Some(Since::Start) } else { self.here.map(Since::At) };
        self.known.narrowed.push((e.form(), since));
    }

    /// Notes that a code is active. It stays so while what is evaluated here goes on.
    pub(super) fn note_active(&mut self, code: CodeId) {
        self.known.active.push(code);
    }

    /// Whether a code is known to be active.
    pub(super) fn is_active(&self, code: CodeId) -> bool {
        self.known.active.contains(&code)
    }

    /// The codes that are known to be active.
    pub(super) fn active(&self) -> &[CodeId] {
        &self.known.active
    }

    /// Notes that a variable of the code is there.
    pub(super) fn narrow_var(&mut self, var: VarId, span: Span) {
        let of = Expr { kind: ExprKind::Var { var, index: None }, ty: Ty::of(Base::Nothing), span };
        // The name of a choice or roll is known for as long as its variable holds something.
        self.known.narrowed.push((of.form(), None));
    }

    /// Notes that a condition has an error: what it proves to be there is unknown.
    pub(super) fn narrow_unclear(&mut self) {
        self.unclear = true;
    }

    /// Whether an expression is known to be there.
    pub(super) fn is_narrowed(&mut self, e: &Expr) -> bool {
        if self.unclear || self.known.narrowed.is_empty() {
            return self.unclear;
        }
        let form = e.form();
        let Some((_, since)) = self.known.narrowed.iter().rev().find(|(f, _)| *f == form) else {
            return false;
        };
        if let (Some(since), Some(at)) = (*since, self.here) {
            self.relied.push(Relied { of: e.clone(), since, at });
        }
        true
    }

    /// Whether a condition around may have proved an expression to be there.
    pub(super) fn is_tested(&self, e: &Expr) -> bool {
        let form = e.form();
        self.unclear || self.known.narrowed.iter().any(|(f, _)| *f == form)
    }

    /// Begins an expression about another position, of which nothing is known. Returns what was known, for
    /// [`Scope::look_back`].
    pub(super) fn look_ahead(&mut self) -> Known {
        self.ahead = Ahead::Inside;
        std::mem::take(&mut self.known)
    }

    /// Returns to the position itself.
    pub(super) fn look_back(&mut self, action: ActionId, known: Known) {
        self.ahead = Ahead::After(action);
        self.known = known;
    }

    /// The local names, for suggestions.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(n, _)| n.as_str())
    }
}
