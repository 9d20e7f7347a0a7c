//! The tree of a `.law` file: what was written, with the place of every part, nothing yet resolved.

mod board;
mod clause;
mod decl;
mod expr;
mod grid;
mod notation;
mod stmt;

use std::sync::Arc;

pub use board::{Arranged, Board, GroupedBy, Mark, MarkAt, Shown, Shows, Tell};
pub use clause::{Ability, AbilityRef, Clause, ClauseKind, Mods};
pub use decl::{
    Action, Beside, Bring, Called, Chain, Costs, Decl, DeclKind, Ends, EndsResult, HookOrder, NameColumns, ProcItem,
    Procedure, Ranks, ReadingChoice, RemoveTarget, Section, Seen, SeenWhat, Step, Table,
};
pub use expr::{BinOp, Expr, ExprKind, GridCall, SideBy, Steps};
pub use grid::Grid;
pub use notation::{Blank, EachPart, Notation, NotationPart, RowsPart, Transcript, Written, WrittenPart};
pub use stmt::{AssignOp, Choose, ChooseWhat, HowMany, Repeated, RollInto, Stmt, StmtKind};

use crate::span::Span;
pub use crate::terms::{HookTime, Layer, Quantifier};

/// A word with its place: an identifier, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The identifier.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A text for people, with translations: `"Witch-king" ja "指輪の幽鬼"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text, quotes and escapes removed.
    pub text: String,
    /// Language tag and text.
    pub translations: Vec<(String, String)>,
    /// Where, quotes included.
    pub span: Span,
}

/// One file, split into its declarations.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// In the order written. A declaration that could not be read is missing here and reported.
    pub decls: Vec<Arc<Decl>>,
}

/// A field of a kind.
#[derive(Clone, Debug)]
pub struct Field {
    /// Marked `var`.
    pub var: bool,
    /// Its name.
    pub name: Word,
    /// Its type.
    pub ty: Type,
    /// `in PROCEDURE`: it has its initial value wherever that procedure is not active.
    pub during: Option<Word>,
    /// Default or initial value.
    pub value: Option<Expr>,
    /// What people call it.
    pub label: Option<Label>,
}

/// `[p: Player]` or `[Player]`.
#[derive(Clone, Debug)]
pub struct Index {
    /// The name for the index in the initial value, if given.
    pub name: Option<Word>,
    /// The kind.
    pub kind: Word,
    /// A second index.
    pub second: Option<Box<Index>>,
}

/// `name: Type`.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Word,
    /// Its type.
    pub ty: Type,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its form.
    pub kind: TypeKind,
    /// `?` follows.
    pub optional: bool,
    /// Where.
    pub span: Span,
}

/// The forms of a type.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `Bool`, `Int`, `Text`, `Player`, a kind.
    Name(Word),
    /// `0..6`.
    Range(i64, i64),
    /// `set of T`.
    Set(Box<Type>),
    /// `bag of T`.
    Bag(Box<Type>),
}

/// `var card[Player]: Card? = e`, of the game or of a procedure.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: Word,
    /// The kind it is indexed by.
    pub index: Option<Index>,
    /// Its type.
    pub ty: Type,
    /// `in PROCEDURE`: it has its initial value wherever that procedure is not active.
    pub during: Option<Word>,
    /// Initial value.
    pub value: Option<Expr>,
    /// What people call it.
    pub label: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
}

/// A part of an expression, a statement or a declaration.
#[derive(Clone, Copy, Debug)]
pub enum Part<'t> {
    /// What must be true or false.
    Condition(&'t Expr),
    /// A value of any type, so perhaps a condition: a branch, what is assigned, what a procedure is called with.
    Any(&'t Expr),
    /// Another value.
    Value(&'t Expr),
    /// What a statement changes: a variable, a field, a pile.
    Place(&'t Expr),
    /// The seat that decides, wins or loses.
    Seat(&'t Expr),
    /// Statements.
    Block(&'t [Stmt]),
}

impl<'t> Part<'t> {
    /// The expression that it is; `None` for statements.
    pub fn expr(&self) -> Option<&'t Expr> {
        match self {
            Part::Condition(e) | Part::Any(e) | Part::Value(e) | Part::Place(e) | Part::Seat(e) => Some(e),
            Part::Block(_) => None,
        }
    }
}

/// Words in a row.
pub fn row<'t>(words: impl IntoIterator<Item = &'t Word>, between: &str) -> String {
    words.into_iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(between)
}

/// A heading with a label: `ends "by elimination"`.
pub fn labelled(head: &str, label: Option<&Label>) -> String {
    match label {
        Some(label) if !label.text.is_empty() => format!("{head} \"{}\"", label.text),
        _ => head.to_owned(),
    }
}
