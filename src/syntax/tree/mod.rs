//! The tree of a `.law` file: what was written, with the place of every part, nothing yet resolved.

mod board;
mod grid;
mod stmt;

pub use board::{Mark, MarkAt, Shows};
pub use grid::{Grid, GridCall, SideBy};
pub use stmt::{AssignOp, Choose, ChooseWhat, RollInto, Stmt, StmtKind};

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
    pub decls: Vec<Decl>,
}

/// One declaration.
#[derive(Clone, Debug)]
pub struct Decl {
    /// What it declares.
    pub kind: DeclKind,
    /// The whole declaration.
    pub span: Span,
}

/// The kinds of declaration.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `game confrontation "..."`
    Game { name: Word, title: Option<Label> },
    /// `source rulebook "clauses.tsv"`
    Source { name: Word, file: Label },
    /// `players Good "Good", Dark`
    Players { seats: Vec<(Word, Option<Label>)> },
    /// `option name: Type = value "line" cite ...`
    Option { name: Word, ty: Type, value: Expr, label: Option<Label>, cite: Vec<Word> },
    /// `reading name "question" cite ... { value "grounds" default ... }`
    Reading { name: Word, label: Option<Label>, cite: Vec<Word>, choices: Vec<ReadingChoice> },
    /// `preset name "line" { option value ... }`
    Preset { name: Word, label: Option<Label>, settings: Vec<(Word, Expr)> },
    /// `kind Region owned by side members A, B { fields }`
    Kind { name: Word, owner: Option<Word>, members: Vec<(Word, Option<Label>)>, fields: Vec<Field>, has: Vec<Word> },
    /// `Region Shire "The Shire" cite ... { row 0 ability ... }`, one or several names
    Members {
        kind: Word,
        names: Vec<(Word, Option<Label>)>,
        cite: Vec<Word>,
        fields: Vec<(Word, Expr)>,
        has: Vec<Word>,
        abilities: Vec<Ability>,
    },
    /// `table Card from "cards.csv"`
    Table { kind: Word, file: Label },
    /// `links border between Region {...}` (undirected; `from` and `to` the same) or `from A to B {...}`
    Links { name: Word, from: Word, to: Word, directed: bool, cite: Vec<Word>, chains: Vec<Chain> },
    /// `grid hexes of Hex hexagonal row row column column shift odd facing Side { fields }`
    Grid(Grid),
    /// `edges hexes from "edges.csv"`
    Edges { grid: Word, file: Label, cite: Vec<Word> },
    /// `ordered pile spent[p: Player] of Card = {...}`
    Pile { name: Word, ordered: bool, index: Option<Index>, of: Word, start: Option<Expr>, cite: Vec<Word> },
    /// `var x[Player]: T = e`
    Var(Var),
    /// `define f(params) -> T = e cite ...`
    Define { name: Word, params: Vec<Param>, ty: Option<Type>, value: Option<Expr>, cite: Vec<Word> },
    /// `action ...`
    Action(Action),
    /// `procedure ...`
    Procedure(Procedure),
    /// An exception, permission, prohibition, hook, silence at the left margin.
    Clause(Clause),
    /// `ability Stealth of f: Figure "label" {...}` at the left margin.
    Ability(Ability),
    /// `seen Character c.field by p ...`, `seen hand[q] by p ...`
    Seen(Seen),
    /// `ends ...`
    Ends(Ends),
    /// `score p = e cite ...`
    Score { seat: Word, value: Expr, cite: Vec<Word> },
    /// `rounds "label" cite ... { First as Good, Second as Dark ... }`; one inner list a round
    Rounds { label: Option<Label>, cite: Vec<Word>, rounds: Vec<Vec<(Word, Word)>> },
    /// `bring army(p: Player) into Unit.figure "An army" cite ...`
    Bring(Bring),
    /// `entry "{p} to move" (p: Player) at play.turns { ... }`
    Entry { phrase: Label, params: Vec<Param>, procedure: Word, step: Word, body: Vec<Stmt> },
    /// `never "label" cite ... when cond`
    Never { label: Label, mods: Mods },
    /// `board Region row row column col shows Character at at facing facing`
    Board { kind: Word, row: Word, column: Word, shows: Option<Shows>, tells: Option<Vec<Word>> },
    /// `mark h: Hex "^" "high ground" when COND`
    Mark(Mark),
    /// `note id, id`
    Note { cite: Vec<Word> },
    /// `manners id, id "why"`
    Manners { cite: Vec<Word>, why: Option<Label> },
    /// `variant name "..." cite ...`
    Variant { name: Word, label: Option<Label>, cite: Vec<Word> },
    /// `remove "label"` or `remove char.frodo.2` (a citation) or `remove Name`
    Remove { what: RemoveTarget },
    /// `replace DECL`
    Replace { decl: Box<Decl> },
    /// `set Frodo.printed = 2`, `set option = value`
    Set { path: Vec<Word>, value: Expr },
}

/// What a `remove` names.
#[derive(Clone, Debug)]
pub enum RemoveTarget {
    /// By label.
    Label(Label),
    /// By citation or name: `char.frodo.2`, `Frodo`.
    Path(Word),
}

/// One alternative of a reading.
#[derive(Clone, Debug)]
pub struct ReadingChoice {
    /// Its name.
    pub name: Word,
    /// Its reason.
    pub grounds: Option<Label>,
    /// Marked `default`.
    pub default: bool,
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
    /// Default or initial value.
    pub value: Option<Expr>,
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
    /// Initial value.
    pub value: Option<Expr>,
    /// Citations.
    pub cite: Vec<Word>,
}

/// `[p: Player]` or `[Player]`.
#[derive(Clone, Debug)]
pub struct Index {
    /// The name for the index in the initial value, if given.
    pub name: Option<Word>,
    /// The kind.
    pub kind: Word,
}

/// A list in a `links` block: `A - B, C` or `A -> B -> C`. Each element links to every member of the next.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The groups in turn.
    pub groups: Vec<Vec<Word>>,
    /// Where.
    pub span: Span,
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

/// `action ...`
#[derive(Clone, Debug)]
pub struct Action {
    /// Its name.
    pub name: Word,
    /// Parameters.
    pub params: Vec<Param>,
    /// Whose action it is.
    pub by: Expr,
    /// Which arguments make an action.
    pub domain: Option<Expr>,
    /// Notation.
    pub log: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
    /// `openly`.
    pub openly: bool,
    /// Effect.
    pub body: Vec<Stmt>,
}

/// `procedure ...`
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Word,
    /// Parameters.
    pub params: Vec<Param>,
    /// `nested N`.
    pub nested: Option<i64>,
    /// Citations.
    pub cite: Vec<Word>,
    /// Variables, steps and statements in the order written.
    pub items: Vec<ProcItem>,
    /// `finally { ... }`.
    pub finally: Option<Vec<Stmt>>,
}

/// A part of a procedure.
#[derive(Clone, Debug)]
pub enum ProcItem {
    /// A variable of the procedure.
    Var(Var),
    /// A named step.
    Step(Step),
    /// A statement outside a step.
    Stmt(Stmt),
}

/// `step texts cite ... when C order Dark, Good { ... }`
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub name: Word,
    /// Label for people.
    pub label: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
    /// Condition.
    pub when: Option<Expr>,
    /// Whose hooks go first.
    pub order: Vec<Word>,
    /// What happens.
    pub body: Vec<Stmt>,
    /// Where.
    pub span: Span,
}

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

/// The kinds of clause.
#[derive(Clone, Debug)]
pub enum ClauseKind {
    /// `instead f(args) = e`, `times f(args) by e`, `at most f(args) e`, `also f(args) { set }`, ...
    Layer { layer: Layer, name: Word, args: Vec<Word>, value: Expr },
    /// `may move`
    May { action: Word },
    /// `may not move`
    MayNot { action: Word },
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

/// `seen ...`
#[derive(Clone, Debug)]
pub struct Seen {
    /// What is seen.
    pub what: SeenWhat,
    /// The name for the seat that looks.
    pub by: Word,
    /// Citations and condition.
    pub mods: Mods,
}

/// What a `seen` is about.
#[derive(Clone, Debug)]
pub enum SeenWhat {
    /// `Character c`: what c is.
    Member { kind: Word, name: Word },
    /// `Character c.wounds`: a field.
    Field { kind: Word, name: Word, field: Word },
    /// `hand[q]`, `deck`: a pile or variable.
    Named { name: Word, index: Option<Word> },
}

/// `bring ...`
#[derive(Clone, Debug)]
pub struct Bring {
    /// Its name.
    pub name: Word,
    /// The seat that brings it.
    pub seat: Param,
    /// The kind of those that take it.
    pub kind: Word,
    /// Their field.
    pub field: Word,
    /// Its label.
    pub label: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
}

/// `ends ...`
#[derive(Clone, Debug)]
pub struct Ends {
    /// Who.
    pub result: EndsResult,
    /// Its label.
    pub label: Label,
    /// Citations and condition.
    pub mods: Mods,
}

/// What an ending gives.
#[derive(Clone, Debug)]
pub enum EndsResult {
    /// `SEAT wins`.
    Wins(Expr),
    /// `SEAT loses`.
    Loses(Expr),
    /// `draw`.
    Draw,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its form.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinOp {
    Or,
    And,
    /// `is`, `==`
    Is,
    /// `is not`, `!=`
    IsNot,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// `a to b in S where C cost E within N`.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The member that a step leaves.
    pub a: Word,
    /// The member it leads to.
    pub b: Word,
    /// Where it may lead.
    pub set: Expr,
    /// When.
    pub cond: Option<Expr>,
    /// Its price.
    pub cost: Option<Expr>,
    /// The most that all steps of a way may cost.
    pub within: Option<Expr>,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// `true`, `false`.
    Bool(bool),
    /// `none`.
    None,
    /// `"text"`.
    Text(String),
    /// A name: of anything.
    Name(Word),
    /// `e.field` (also `procedure.variable`).
    Field(Box<Expr>, Word),
    /// `e[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `f(args)`: a definition, a link, `size`, `min`, `max`, `abs`.
    Call(Word, Vec<Expr>),
    /// `back anduin(r)`.
    Back(Word, Box<Expr>),
    /// `reach(link, from, x where cond)`; without condition all intermediates count.
    Reach { link: Word, from: Box<Expr>, var: Option<Word>, cond: Option<Box<Expr>> },
    /// `hexes.ahead(c, d)`: something asked of a grid.
    Grid(Box<GridCall>),
    /// `reach(from, a to b in S ...)` (no `to`), `way(from, to, a to b in S ...)`.
    Steps { from: Box<Expr>, to: Option<Box<Expr>>, steps: Box<Steps> },
    /// `not e`.
    Not(Box<Expr>),
    /// `-e`.
    Neg(Box<Expr>),
    /// A binary operation.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `e is empty` (`true`) or `e is not empty` (`false`).
    IsEmpty(Box<Expr>, bool),
    /// `P is on` (`true`), `P is not on` (`false`).
    IsOn(Word, bool),
    /// `p wins`.
    Wins(Box<Expr>),
    /// `if c then a else b`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `match e { A, B: v  else: w }`.
    Match { on: Box<Expr>, arms: Vec<(Vec<Expr>, Expr)>, otherwise: Option<Box<Expr>> },
    /// `{ A, B }`, `{}`.
    Set(Vec<Expr>),
    /// `{ x in S where C }` (no `map`), `{ f(x) for x in S where C }`.
    Compr { map: Option<Box<Expr>>, var: Word, set: Box<Expr>, cond: Option<Box<Expr>> },
    /// `some x in S: C`.
    Quant { quant: Quantifier, var: Word, set: Box<Expr>, cond: Box<Expr> },
    /// `count x in S where C`.
    Count { var: Word, set: Box<Expr>, cond: Option<Box<Expr>> },
    /// `sum E for x in S where C`.
    Sum { value: Box<Expr>, var: Word, set: Box<Expr>, cond: Option<Box<Expr>> },
    /// `most E for x in S where C` (`true`), `least` (`false`).
    Best { most: bool, value: Box<Expr>, var: Word, set: Box<Expr>, cond: Option<Box<Expr>> },
    /// `the x in S where C`.
    The { var: Word, set: Box<Expr>, cond: Option<Box<Expr>> },
    /// `the top of P`.
    Top(Box<Expr>),
    /// `1..6` as a set.
    Range(Box<Expr>, Box<Expr>),
    /// `no legal action`.
    NoLegalAction,
}
