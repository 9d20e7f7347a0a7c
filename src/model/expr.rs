//! Expressions, resolved and typed.
//!
//! An expression is evaluated against a position, the options in force, and *locals*: the arguments of the definition or action it
//! belongs to, the holder of its ability, and the variables its own quantifiers bind, each at a fixed index.
//!
//! Nothing is handled strictly: an operation on nothing gives nothing, which counts as the empty set where a set is wanted and as no where a
//! truth is wanted. The exceptions are `==`, `!=`, `or` with a default, and arguments whose parameter is optional.

use super::{Base, ConfigId, DefId, LinkId, Ty, Value, VarId};
use crate::span::Span;
pub use crate::syntax::tree::Quantifier;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its form.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// Where it is written.
    pub span: Span,
}

/// Order comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Order {
    Lt,
    Le,
    Gt,
    Ge,
}

/// Arithmetic. An overflow or a division by zero is a fault of the rules. Division and remainder are Euclid's: the remainder is never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
}

/// Operations on sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SetOp {
    Union,
    Minus,
    Intersect,
}

/// A set that a variable runs over, and the condition it must meet.
#[derive(Clone, Debug)]
pub struct Domain {
    /// The local the variable is.
    pub local: u16,
    /// The set.
    pub set: Box<Expr>,
    /// The base of its elements: bit `i` of the set is member `i`, or `lo + i` of a range.
    pub of: Base,
    /// The condition; none means all.
    pub cond: Option<Box<Expr>>,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant.
    Const(Value),
    /// A local.
    Local(u16),
    /// A variable of the position: of the game, of a member (`index` is the member), a pile, or of a procedure (nothing while it is not under way).
    Var {
        var: VarId,
        index: Option<Box<Expr>>,
    },
    /// A printed field, by kind, field and member.
    Printed {
        kind: super::KindId,
        field: usize,
        of: Box<Expr>,
    },
    /// An option or reading.
    Config(ConfigId),
    /// The members linked to one; `back` against the arrows.
    Linked {
        links: LinkId,
        back: bool,
        of: Box<Expr>,
    },
    /// All reachable through intermediates that satisfy a condition on `local`.
    Reach {
        links: LinkId,
        from: Box<Expr>,
        local: u16,
        cond: Option<Box<Expr>>,
    },
    /// A definition applied. `strict[i]`: parameter `i` is not optional, so nothing given to it gives nothing.
    Call { def: DefId, args: Vec<Expr> },
    /// Negation; of nothing it is yes, as nothing counts as no.
    Not(Box<Expr>),
    /// `-e`.
    Neg(Box<Expr>),
    /// `abs(e)`.
    Abs(Box<Expr>),
    /// Both (the second is not looked at if the first is no).
    And(Box<Expr>, Box<Expr>),
    /// Either.
    Or(Box<Expr>, Box<Expr>),
    /// The first, or the second where the first is nothing.
    Default(Box<Expr>, Box<Expr>),
    /// Equal, also nothing with nothing; `false`: different.
    Equal(Box<Expr>, Box<Expr>, bool),
    /// Order of numbers; no where one is nothing.
    Compare(Order, Box<Expr>, Box<Expr>),
    /// Arithmetic.
    Arith(Arith, Box<Expr>, Box<Expr>),
    /// Sets.
    SetOp(SetOp, Box<Expr>, Box<Expr>),
    /// Membership (`false`: not in). Nothing is in no set. `of` is the base of the elements.
    In {
        item: Box<Expr>,
        set: Box<Expr>,
        of: Base,
        positive: bool,
    },
    /// Whether a set has no members (`false`: has some).
    IsEmpty(Box<Expr>, bool),
    /// How many members a set has.
    Size(Box<Expr>),
    /// `if c then a else b`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// By value: each arm has constants; `otherwise` is there unless all are covered.
    Match {
        on: Box<Expr>,
        arms: Vec<(Vec<Value>, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    /// A set of given members; nothing among them is left out.
    SetOf { items: Vec<Expr>, of: Base },
    /// Those of a domain, or with `map` the values for them (`of` is the base of the result).
    Compr {
        domain: Domain,
        map: Option<Box<Expr>>,
        of: Base,
    },
    /// Some, every, no.
    Quant(Quantifier, Domain),
    /// How many of a domain.
    Count(Domain),
    /// A total over a domain; nothing counts 0.
    Sum(Box<Expr>, Domain),
    /// The greatest (`true`) or least value over a domain.
    Best(bool, Box<Expr>, Domain),
    /// The first of a domain.
    The(Domain),
    /// The member last put on an ordered pile.
    Top(VarId, Option<Box<Expr>>),
    /// Whether a procedure is under way (`false`: is not).
    IsOn(super::CodeId, bool),
    /// In `score`: whether the seat wins.
    Wins(Box<Expr>),
    /// Whether the seat that must choose an action has none.
    NoLegalAction,
    /// The set of the members of an ordered pile or of a set variable: an ordered pile read as a set.
    AsSet(Box<Expr>),
}
