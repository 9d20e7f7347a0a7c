//! Expressions, resolved and typed.
//!
//! An expression is evaluated against a position, the options in force, and *locals*: the arguments of the definition
//! or action it belongs to, the holder of its ability, and the variables its own quantifiers bind, each at a fixed
//! index.
//!
//! Nothing is handled strictly: an operation on nothing gives nothing, which counts as the empty set where a set is
//! wanted and as no where a truth is wanted. The exceptions are `==`, `!=`, `or` with a default, and arguments whose
//! parameter is optional.

use super::{ActionId, Base, ConfigId, DefId, GridAsk, GridId, LinkId, Quantifier, Ty, Value, VarId};
use crate::span::Span;

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

impl Order {
    /// The order between the same two values in the other order of writing: `a < b` is `b > a`.
    #[must_use]
    pub fn mirrored(self) -> Order {
        match self {
            Order::Lt => Order::Gt,
            Order::Le => Order::Ge,
            Order::Gt => Order::Lt,
            Order::Ge => Order::Le,
        }
    }
}

/// Arithmetic. An overflow or a division by zero is a fault of the rules. Division and remainder are Euclid's: the
/// remainder is never negative.
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

/// Does the segment between two corners cross the side between two neighbours, or run along it, for which a condition
/// holds?
#[derive(Clone, Debug)]
pub struct Crosses {
    /// The grid.
    pub grid: GridId,
    /// A cell and its corner, another cell and its corner; no, where one is nothing.
    pub ends: Vec<Expr>,
    /// The local with the neighbour that is first in the order of the members.
    pub from: u16,
    /// The local with the other.
    pub to: u16,
    /// The condition.
    pub cond: Expr,
    /// Where the two are named.
    pub pair: Span,
}

/// Steps from member to member of one kind: from `a` one leads to each `b` of a set that meets a condition.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The kind.
    pub kind: super::KindId,
    /// Where they begin: a member, perhaps nothing, or a set of them.
    pub from: Box<Expr>,
    /// The local that the member is from which a step leads.
    pub a: u16,
    /// The local that the member is to which it leads.
    pub b: u16,
    /// Where a step may lead; it may look at `a`.
    pub set: Box<Expr>,
    /// When it does; it may look at both.
    pub cond: Option<Box<Expr>>,
    /// Its price, which may look at both: nothing means no such step, below 0 is a fault. Without it each step costs 1.
    pub cost: Option<Box<Expr>>,
}

impl Steps {
    /// All expressions but where they begin.
    fn each(&self) -> impl Iterator<Item = &Expr> {
        std::iter::once(&*self.set).chain(self.cond.as_deref()).chain(self.cost.as_deref())
    }
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant.
    Const(Value),
    /// A local.
    Local(u16),
    /// A variable of the position: of the game, of a member (`index` is the member), a pile, or of a procedure (nothing
    /// while it is not active).
    Var { var: VarId, index: Option<Box<Expr>> },
    /// A printed field, by kind, field and member.
    Printed { kind: super::KindId, field: usize, of: Box<Expr> },
    /// An option or reading.
    Config(ConfigId),
    /// The members linked to one; `back` against the arrows.
    Linked { links: LinkId, back: bool, of: Box<Expr> },
    /// All reachable through intermediates that satisfy a condition on `local`.
    Reach { links: LinkId, from: Box<Expr>, local: u16, cond: Option<Box<Expr>> },
    /// A question to a grid; it is nothing if one argument is. The arguments after the first that is nothing are not
    /// evaluated.
    Grid { grid: GridId, ask: GridAsk, args: Vec<Expr> },
    /// Whether a segment crosses a side of a grid that meets a condition.
    Crosses(Box<Crosses>),
    /// The members to which one or more steps lead, at a total price within a limit (`None`: no limit; a limit that is
    /// nothing reaches none).
    Reached { steps: Steps, within: Option<Box<Expr>> },
    /// The least total price of steps that lead to a member, 0 if they begin there; nothing if none do.
    Way { steps: Steps, to: Box<Expr> },
    /// A definition applied. `strict[i]`: parameter `i` is not optional, so nothing given to it gives nothing.
    Call { def: DefId, args: Vec<Expr> },
    /// Negation; of nothing it is yes, as nothing counts as no.
    Not(Box<Expr>),
    /// `-e`.
    Neg(Box<Expr>),
    /// `abs(e)`.
    Abs(Box<Expr>),
    /// Both (the second is not evaluated if the first is no).
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
    In { item: Box<Expr>, set: Box<Expr>, of: Base, positive: bool },
    /// Whether a set has no members (`false`: has some).
    IsEmpty(Box<Expr>, bool),
    /// How many members a set has.
    Size(Box<Expr>),
    /// `if c then a else b`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// By value: each arm has constants; `otherwise` is there unless all are covered.
    Match { on: Box<Expr>, arms: Vec<(Vec<Value>, Expr)>, otherwise: Option<Box<Expr>> },
    /// A set of given members; nothing among them is left out.
    SetOf { items: Vec<Expr>, of: Base },
    /// Those of a domain, or with `map` the values for them (`of` is the base of the result).
    Compr { domain: Domain, map: Option<Box<Expr>>, of: Base },
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
    /// Whether a procedure is active (`false`: is not).
    IsOn(super::CodeId, bool),
    /// In `score`: whether the seat wins.
    Wins(Box<Expr>),
    /// Whether the seat that must choose an action has none.
    NoLegalAction,
    /// The set of the members of an ordered pile or of a set variable: an ordered pile read as a set; of a bag variable
    /// what it holds.
    AsSet(Box<Expr>),
    /// How many of an item a bag variable holds; of nothing there is nothing. `of` is the base of the items.
    Copies { bag: Box<Expr>, item: Box<Expr>, of: Base },
    /// In a clause on an action, whose arguments are the first locals: the value in the position that the action would
    /// lead to, at the end of its effect, or at the first decision, chance or ending in it. The locals keep their
    /// values; there is no other `would` in it.
    Would { action: ActionId, of: Box<Expr> },
}

impl Expr {
    /// The bag variable that is read as a set here, if one is.
    #[must_use]
    pub fn bag(&self) -> Option<&Expr> {
        match &self.kind {
            ExprKind::AsSet(of) if matches!(of.ty.base, Base::Bag(_)) => Some(of),
            _ => None,
        }
    }

    /// What a quantifier, a count, a sum or the like runs over; `None` for other expressions.
    #[must_use]
    pub fn domain(&self) -> Option<&Domain> {
        match &self.kind {
            ExprKind::Compr { domain, .. }
            | ExprKind::Quant(_, domain)
            | ExprKind::Count(domain)
            | ExprKind::Sum(_, domain)
            | ExprKind::Best(_, _, domain)
            | ExprKind::The(domain) => Some(domain),
            _ => None,
        }
    }

    /// The expressions it is made of, in order.
    #[must_use]
    pub fn children(&self) -> Vec<&Expr> {
        fn domain(d: &Domain) -> Vec<&Expr> {
            let mut all = vec![&*d.set];
            all.extend(d.cond.as_deref());
            all
        }
        match &self.kind {
            ExprKind::Const(_)
            | ExprKind::Local(_)
            | ExprKind::Config(_)
            | ExprKind::IsOn(..)
            | ExprKind::NoLegalAction => Vec::new(),
            ExprKind::Var { index, .. } | ExprKind::Top(_, index) => index.as_deref().into_iter().collect(),
            ExprKind::Printed { of, .. } | ExprKind::Linked { of, .. } => vec![of],
            ExprKind::Reach { from, cond, .. } => std::iter::once(&**from).chain(cond.as_deref()).collect(),
            ExprKind::Crosses(c) => c.ends.iter().chain([&c.cond]).collect(),
            ExprKind::Reached { steps, within: to } => {
                std::iter::once(&*steps.from).chain(to.as_deref()).chain(steps.each()).collect()
            }
            ExprKind::Way { steps, to } => [&*steps.from, to].into_iter().chain(steps.each()).collect(),
            ExprKind::Call { args, .. } | ExprKind::Grid { args, .. } => args.iter().collect(),
            ExprKind::SetOf { items, .. } => items.iter().collect(),
            ExprKind::Not(a)
            | ExprKind::Neg(a)
            | ExprKind::Abs(a)
            | ExprKind::IsEmpty(a, _)
            | ExprKind::Size(a)
            | ExprKind::Wins(a)
            | ExprKind::AsSet(a)
            | ExprKind::Would { of: a, .. } => vec![a],
            ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Default(a, b)
            | ExprKind::Equal(a, b, _)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Arith(_, a, b)
            | ExprKind::SetOp(_, a, b) => vec![a, b],
            ExprKind::In { item, set, .. } => vec![item, set],
            ExprKind::Copies { bag, item, .. } => vec![bag, item],
            ExprKind::If(a, b, c) => vec![a, b, c],
            ExprKind::Match { on, arms, otherwise } => {
                std::iter::once(&**on).chain(arms.iter().map(|(_, e)| e)).chain(otherwise.as_deref()).collect()
            }
            ExprKind::Compr { domain: d, map, .. } => {
                let mut all = domain(d);
                all.extend(map.as_deref());
                all
            }
            ExprKind::Quant(_, d) | ExprKind::Count(d) | ExprKind::The(d) => domain(d),
            ExprKind::Sum(e, d) | ExprKind::Best(_, e, d) => {
                let mut all = vec![&**e];
                all.extend(domain(d));
                all
            }
        }
    }

    /// Whether it certainly reads no local, so that it can be evaluated before the parameters of an action are known.
    /// Only the common forms are recognised.
    #[must_use]
    pub fn has_no_locals(&self) -> bool {
        match &self.kind {
            ExprKind::Const(_) | ExprKind::Config(_) | ExprKind::IsOn(..) => true,
            ExprKind::Var { .. } | ExprKind::Printed { .. } | ExprKind::Default(..) | ExprKind::If(..) => {
                self.children().into_iter().all(Expr::has_no_locals)
            }
            _ => false,
        }
    }

    /// Visits the expression and all its parts.
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }
}
