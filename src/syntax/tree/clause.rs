//! Clauses and abilities.

use super::{Expr, HookTime, Label, Layer, Param, Part, Stmt, Word, labelled, row};
use crate::span::Span;

/// The words a clause may carry after its head.
#[derive(Clone, Debug, Default)]
pub struct Mods {
    /// Citations.
    pub cite: Vec<Word>,
    /// `exception to "label"`.
    pub exception_to: Option<Label>,
    /// `ranks above "label"`, any number.
    pub ranks_above: Vec<Label>,
    /// `despite "label", ...`.
    pub despite: Vec<Label>,
    /// `once per game` (`game` as the word) or `once per PROCEDURE`.
    pub once_per: Option<Word>,
    /// `openly`.
    pub openly: bool,
    /// `when COND`.
    pub when: Option<Expr>,
}

/// A clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// Its label.
    pub label: Option<Label>,
    /// Citations, condition and the rest.
    pub mods: Mods,
    /// Where.
    pub span: Span,
}

impl Clause {
    /// What it is called in lists: `may move "label"`.
    pub fn title(&self) -> String {
        labelled(&self.kind.head(), self.label.as_ref())
    }

    /// Its expressions and blocks, without its condition.
    pub fn parts(&self) -> Vec<Part<'_>> {
        match &self.kind {
            ClauseKind::Layer { value, .. } => vec![Part::Any(value)],
            ClauseKind::MustPrefer { value, .. } => vec![Part::Value(value)],
            ClauseKind::MustSo { so_that, .. } => vec![Part::Condition(so_that)],
            ClauseKind::Hook { body, .. } => vec![Part::Block(body)],
            ClauseKind::May { .. }
            | ClauseKind::MayNot { .. }
            | ClauseKind::Silence { .. }
            | ClauseKind::Spare { .. } => Vec::new(),
        }
    }
}

/// The kinds of clause.
#[derive(Clone, Debug)]
pub enum ClauseKind {
    /// `instead f(args) = e`, `times f(args) by e`, `at most f(args) e`, `also f(args) { set }`, ...
    Layer { layer: Layer, name: Word, args: Vec<Word>, value: Expr },
    /// `may move`, `may move, retreat`
    May { actions: Vec<Word> },
    /// `may not move`, `may not move, retreat`
    MayNot { actions: Vec<Word> },
    /// `must move so that COND`
    MustSo { action: Word, so_that: Expr },
    /// `must move prefer most E` / `least`
    MustPrefer { action: Word, most: bool, value: Expr },
    /// `before/at/after/instead of P.s { ... }`
    Hook { time: HookTime, procedure: Word, step: Option<Word>, body: Vec<Stmt> },
    /// `silence abilities of c: K` (`which` is `None`), `silence ability Name of f: K`, `silence ability "label" of c:
    /// K`
    Silence { which: Option<AbilityRef>, holder: Param },
    /// `spare "label"` / `spare Name`
    Spare { which: AbilityRef },
}

impl ClauseKind {
    /// What it says about what: `may move`, `instead strength`.
    pub fn head(&self) -> String {
        match self {
            Self::Layer { layer, name, .. } => format!("{} {}", layer.keyword(), name.text),
            Self::May { actions } => format!("may {}", row(actions, ", ")),
            Self::MayNot { actions } => format!("may not {}", row(actions, ", ")),
            Self::MustSo { action, .. } | Self::MustPrefer { action, .. } => format!("must {}", action.text),
            Self::Hook { time, procedure, step, .. } => {
                let step = step.as_ref().map_or(String::new(), |s| format!(".{}", s.text));
                format!("{} {}{step}", time.keyword(), procedure.text)
            }
            Self::Silence { .. } => "silence".into(),
            Self::Spare { .. } => "spare".into(),
        }
    }
}

/// An ability by name or label.
#[derive(Clone, Debug)]
pub enum AbilityRef {
    /// A shared ability's name.
    Name(Word),
    /// An ability's label.
    Label(Label),
}

/// An ability: of a member (no name, no holder) or shared (both).
#[derive(Clone, Debug)]
pub struct Ability {
    /// `Stealth`, of a shared ability.
    pub name: Option<Word>,
    /// `f: Figure`, of a shared ability.
    pub holder: Option<Param>,
    /// Its label.
    pub label: Option<Label>,
    /// `cite` and `once per`; an ability may have a `when` too, which all its clauses share.
    pub mods: Mods,
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// Where.
    pub span: Span,
}

impl Ability {
    /// What it is called in lists.
    pub fn title(&self) -> String {
        let label = self.label.as_ref().map(|l| &l.text);
        format!("ability \"{}\"", label.or(self.name.as_ref().map(|n| &n.text)).map_or("", String::as_str))
    }
}
