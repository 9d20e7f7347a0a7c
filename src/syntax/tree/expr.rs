//! Expressions.

use super::{Part, Quantifier, Word};
use crate::span::Span;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its form.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
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
    /// `a, b` as an index.
    Pair(Box<Expr>, Box<Expr>),
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
    /// `4 Regular + Elite`: what a printed bag holds, each with its number.
    Bag(Vec<(Option<Expr>, Expr)>),
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
    /// `some legal action`, or `no legal action`.
    LegalAction(bool),
}

impl Expr {
    /// The expressions that it is evaluated from, in the order written. The patterns of a `match` are not evaluated.
    pub fn parts(&self) -> Vec<Part<'_>> {
        use ExprKind as E;
        use Part::{Any, Condition, Value};
        match &self.kind {
            E::Int(_) | E::Bool(_) | E::None | E::Text(_) | E::Name(_) | E::IsOn(..) | E::LegalAction(_) => Vec::new(),
            E::Field(a, _) | E::Back(_, a) | E::Neg(a) | E::IsEmpty(a, _) | E::Wins(a) | E::Top(a) => vec![Value(a)],
            E::Not(a) => vec![Condition(a)],
            E::Index(a, b) | E::Pair(a, b) | E::Range(a, b) | E::Binary(_, a, b) => vec![Value(a), Value(b)],
            E::Call(_, items) | E::Set(items) => items.iter().map(Value).collect(),
            E::Bag(items) => items.iter().flat_map(|(n, item)| n.iter().chain([item])).map(Value).collect(),
            E::If(c, a, b) => vec![Condition(c), Any(a), Any(b)],
            E::Match { on, arms, otherwise } => {
                let branches = arms.iter().map(|(_, e)| e).chain(otherwise.as_deref());
                [Value(on)].into_iter().chain(branches.map(Any)).collect()
            }
            E::Quant { set, cond, .. } => vec![Value(set), Condition(cond)],
            E::Count { set, cond, .. } | E::The { set, cond, .. } => filtered([&**set], cond.as_deref()),
            E::Reach { from, cond, .. } => filtered([&**from], cond.as_deref()),
            E::Compr { map, set, cond, .. } => filtered(map.as_deref().into_iter().chain([&**set]), cond.as_deref()),
            E::Sum { value, set, cond, .. } | E::Best { value, set, cond, .. } => {
                filtered([&**value, set], cond.as_deref())
            }
            E::Grid(call) => filtered(&call.args, call.side.as_ref().map(|s| &s.cond)),
            E::Steps { from, to, steps } => {
                let values = [&**from].into_iter().chain(to.as_deref()).chain([&steps.set]);
                let mut parts = filtered(values, steps.cond.as_ref());
                parts.extend(steps.cost.iter().chain(&steps.within).map(Value));
                parts
            }
        }
    }

    /// The word before its first part, and the word in its place that would ask the opposite.
    pub fn opposite(&self) -> Option<(&'static str, &'static str)> {
        match self.kind {
            ExprKind::Quant { quant: Quantifier::Some, .. } => Some(("some", "every")),
            ExprKind::Quant { quant: Quantifier::Every, .. } => Some(("every", "some")),
            ExprKind::Quant { quant: Quantifier::No, .. } => Some(("no", "every")),
            ExprKind::Best { most: true, .. } => Some(("most", "least")),
            ExprKind::Best { most: false, .. } => Some(("least", "most")),
            _ => None,
        }
    }

    /// The operands of a chain of one operator; the expression itself if it is none.
    pub fn operands(&self, op: BinOp) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Binary(own, a, b) if *own == op => [a.operands(op), b.operands(op)].concat(),
            _ => vec![self],
        }
    }
}

/// Values and the condition after them.
fn filtered<'t>(values: impl IntoIterator<Item = &'t Expr>, cond: Option<&'t Expr>) -> Vec<Part<'t>> {
    values.into_iter().map(Part::Value).chain(cond.map(Part::Condition)).collect()
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

/// `hexes.distance(a, b)`, `hexes.crosses(a, i, b, j, x to y where C)`.
#[derive(Clone, Debug)]
pub struct GridCall {
    /// The grid.
    pub grid: Word,
    /// What is asked, or a field of the sides.
    pub what: Word,
    /// Arguments.
    pub args: Vec<Expr>,
    /// `x to y where C`.
    pub side: Option<SideBy>,
}

/// `x to y where C`: a condition on two neighbours.
#[derive(Clone, Debug)]
pub struct SideBy {
    /// The first in the order of the members.
    pub from: Word,
    /// The other.
    pub to: Word,
    /// The condition.
    pub cond: Expr,
    /// Where it stands.
    pub span: Span,
}
