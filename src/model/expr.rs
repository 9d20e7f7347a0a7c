//! Expressions, resolved and typed.
//!
//! An expression is evaluated against a position, the options in force, and *locals*: the arguments of the definition
//! or action it belongs to, the holder of its ability, and the variables its own quantifiers bind, each at a fixed
//! index.
//!
//! Nothing is handled strictly: an operation on nothing gives nothing, which counts as the empty set where a set is
//! wanted and as no where a truth is wanted. The exceptions are `==`, `!=`, `or` with a default, and arguments whose
//! parameter is optional.

use std::fmt;

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

    /// Whether two numbers are in this order.
    #[must_use]
    pub fn holds(self, a: i32, b: i32) -> bool {
        match self {
            Order::Lt => a < b,
            Order::Le => a <= b,
            Order::Gt => a > b,
            Order::Ge => a >= b,
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
    /// Whether an action is to be chosen and some (`true`), or none, is legal.
    LegalAction(bool),
    /// The set of the members of an ordered pile or of a set variable: an ordered pile read as a set; of a bag variable
    /// what it holds.
    AsSet(Box<Expr>),
    /// How many of an item a bag variable holds; of nothing there is nothing. `of` is the base of the items.
    Copies { bag: Box<Expr>, item: Box<Expr>, of: Base },
    /// In a clause on an action, whose arguments are the first locals: the value in the position that the action would
    /// lead to, at the end of its effect, or at the first decision, chance or ending in it. The locals keep their
    /// values; there is no other `would` in it.
    Would { action: ActionId, of: Box<Expr> },
    /// In a notation: whether an action with these arguments is legal for whoever decides now.
    Legal { action: ActionId, args: Vec<Expr> },
    /// In the notation of an action: whether the action is legal, and what it leads to, at the next decision or chance,
    /// is so. The locals keep their values.
    Leads(Box<Expr>),
    /// Whether the game has ended, by an ending with this label if there is one here.
    Over(Option<String>),
}

/// Is told what an expression is made of, in order. `head` and what is absent determine the expression together with
/// its parts.
pub trait Visitor<'e> {
    /// What the expression is, apart from its parts.
    fn head(&mut self, _head: fmt::Arguments<'_>) {}
    /// A part that is left out.
    fn absent(&mut self) {}
    /// A local that the expression binds; it precedes the parts.
    fn bind(&mut self, _local: u16) {}
    /// What the expression runs over; its own parts follow as others do.
    fn domain(&mut self, _domain: &'e Domain) {}
    /// A part with the locals around the expression.
    fn outside(&mut self, part: &'e Expr);
    /// A part that may depend on what the expression binds, or of which only one is evaluated.
    fn inside(&mut self, part: &'e Expr);
}

/// The parts of an expression.
#[derive(Default)]
struct Parts<'e> {
    all: Vec<&'e Expr>,
    /// Those with the locals around the expression.
    free: Vec<&'e Expr>,
    domain: Option<&'e Domain>,
}

impl<'e> Visitor<'e> for Parts<'e> {
    fn domain(&mut self, domain: &'e Domain) {
        self.domain = Some(domain);
    }

    fn outside(&mut self, part: &'e Expr) {
        self.all.push(part);
        self.free.push(part);
    }

    fn inside(&mut self, part: &'e Expr) {
        self.all.push(part);
    }
}

fn outside<'e>(part: Option<&'e Expr>, v: &mut impl Visitor<'e>) {
    match part {
        Some(part) => v.outside(part),
        None => v.absent(),
    }
}

fn inside<'e>(part: Option<&'e Expr>, v: &mut impl Visitor<'e>) {
    match part {
        Some(part) => v.inside(part),
        None => v.absent(),
    }
}

fn unary<'e>(head: &str, a: &'e Expr, v: &mut impl Visitor<'e>) {
    v.head(format_args!("{head}"));
    v.outside(a);
}

fn binary<'e>(head: &dyn fmt::Debug, a: &'e Expr, b: &'e Expr, v: &mut impl Visitor<'e>) {
    v.head(format_args!("{head:?}"));
    v.outside(a);
    v.outside(b);
}

/// Of an expression that runs over a domain; `value` is evaluated for each of its members.
fn over<'e>(head: fmt::Arguments<'_>, domain: &'e Domain, value: Option<&'e Expr>, v: &mut impl Visitor<'e>) {
    v.head(format_args!("{head} {:?}", domain.of));
    v.bind(domain.local);
    v.domain(domain);
    value.into_iter().for_each(|value| v.inside(value));
    v.outside(&domain.set);
    inside(domain.cond.as_deref(), v);
}

impl Steps {
    fn visit<'e>(&'e self, v: &mut impl Visitor<'e>) {
        v.inside(&self.set);
        inside(self.cond.as_deref(), v);
        inside(self.cost.as_deref(), v);
    }
}

/// Whether an action is legal, as a number: 0 where none is to be chosen, 1 where none is legal, 2 where one is.
#[must_use]
pub fn legal_state(any_legal: Option<bool>) -> i32 {
    any_legal.map_or(0, |any| 1 + i32::from(any))
}

/// What such a number says; `None` also where it is unknown.
#[must_use]
pub fn any_legal(state: Option<i32>) -> Option<bool> {
    match state {
        Some(1) => Some(false),
        Some(2) => Some(true),
        _ => None,
    }
}

impl ExprKind {
    /// Whether it asks what is legal, or what follows from an action. That may depend on anything.
    #[must_use]
    pub fn looks_ahead(&self) -> bool {
        matches!(self, ExprKind::Legal { .. } | ExprKind::Leads(_) | ExprKind::Would { .. } | ExprKind::LegalAction(_))
    }
}

impl Expr {
    /// Tells a visitor what the expression is made of.
    pub fn visit<'e>(&'e self, v: &mut impl Visitor<'e>) {
        match &self.kind {
            ExprKind::Const(value) => match &self.ty.base {
                Base::Int | Base::Range(..) => v.head(format_args!("{value:?}")),
                base => v.head(format_args!("{value:?} {base:?}")),
            },
            ExprKind::Local(i) => v.head(format_args!("local {i}")),
            ExprKind::Var { var, index } => {
                v.head(format_args!("var {}", var.0));
                outside(index.as_deref(), v);
            }
            ExprKind::Printed { kind, field, of } => {
                v.head(format_args!("printed {} {field}", kind.0));
                v.outside(of);
            }
            ExprKind::Config(id) => v.head(format_args!("config {}", id.0)),
            ExprKind::Linked { links, back, of } => {
                v.head(format_args!("links {} {back}", links.0));
                v.outside(of);
            }
            ExprKind::Reach { links, from, local, cond } => {
                v.head(format_args!("reach {}", links.0));
                v.bind(*local);
                v.outside(from);
                inside(cond.as_deref(), v);
            }
            ExprKind::Grid { grid, ask, args } => {
                v.head(format_args!("grid {} {ask:?}", grid.0));
                args.iter().for_each(|arg| v.outside(arg));
            }
            ExprKind::Crosses(c) => {
                v.head(format_args!("crosses {}", c.grid.0));
                v.bind(c.from);
                v.bind(c.to);
                c.ends.iter().for_each(|end| v.outside(end));
                v.inside(&c.cond);
            }
            ExprKind::Reached { steps, within } => {
                v.head(format_args!("steps {}", steps.kind.0));
                v.bind(steps.a);
                v.bind(steps.b);
                v.outside(&steps.from);
                outside(within.as_deref(), v);
                steps.visit(v);
            }
            ExprKind::Way { steps, to } => {
                v.head(format_args!("way {}", steps.kind.0));
                v.bind(steps.a);
                v.bind(steps.b);
                v.outside(&steps.from);
                v.outside(to);
                steps.visit(v);
            }
            ExprKind::Call { def, args } => {
                v.head(format_args!("def {}", def.0));
                args.iter().for_each(|arg| v.outside(arg));
            }
            ExprKind::Not(a) => unary("not", a, v),
            ExprKind::Neg(a) => unary("neg", a, v),
            ExprKind::Abs(a) => unary("abs", a, v),
            ExprKind::Size(a) => unary("size", a, v),
            ExprKind::Wins(a) => unary("wins", a, v),
            ExprKind::AsSet(a) => unary("as set", a, v),
            ExprKind::IsEmpty(a, positive) => unary(if *positive { "empty" } else { "not empty" }, a, v),
            ExprKind::Would { action, of } => {
                v.head(format_args!("would {}", action.0));
                v.outside(of);
            }
            ExprKind::Legal { action, args } => {
                v.head(format_args!("legal {}", action.0));
                args.iter().for_each(|arg| v.outside(arg));
            }
            ExprKind::Leads(of) => unary("leads", of, v),
            ExprKind::Over(label) => v.head(format_args!("over {label:?}")),
            ExprKind::And(a, b) => binary(&"and", a, b, v),
            ExprKind::Or(a, b) => binary(&"or", a, b, v),
            ExprKind::Default(a, b) => binary(&"default", a, b, v),
            ExprKind::Equal(a, b, positive) => binary(if *positive { &"is" } else { &"is not" }, a, b, v),
            ExprKind::Compare(order, a, b) => binary(order, a, b, v),
            ExprKind::Arith(op, a, b) => binary(op, a, b, v),
            ExprKind::SetOp(op, a, b) => binary(op, a, b, v),
            ExprKind::In { item, set, of, positive } => {
                v.head(format_args!("in {of:?} {positive}"));
                v.outside(item);
                v.outside(set);
            }
            ExprKind::Copies { bag, item, of } => {
                v.head(format_args!("copies {of:?}"));
                v.outside(bag);
                v.outside(item);
            }
            ExprKind::If(a, b, c) => {
                v.head(format_args!("if"));
                [a, b, c].into_iter().for_each(|part| v.outside(part));
            }
            ExprKind::Match { on, arms, otherwise } => {
                let patterns: Vec<_> = arms.iter().map(|(values, _)| values).collect();
                v.head(format_args!("match {patterns:?}"));
                v.outside(on);
                arms.iter().for_each(|(_, value)| v.inside(value));
                inside(otherwise.as_deref(), v);
            }
            ExprKind::SetOf { items, of } => {
                v.head(format_args!("set {of:?}"));
                items.iter().for_each(|item| v.outside(item));
            }
            ExprKind::Compr { domain, map, of } => {
                over(format_args!("those {of:?}"), domain, None, v);
                inside(map.as_deref(), v);
            }
            ExprKind::Quant(quantifier, domain) => over(format_args!("{quantifier:?}"), domain, None, v),
            ExprKind::Count(domain) => over(format_args!("count"), domain, None, v),
            ExprKind::The(domain) => over(format_args!("the"), domain, None, v),
            ExprKind::Sum(value, domain) => over(format_args!("sum"), domain, Some(value), v),
            ExprKind::Best(most, value, domain) => over(format_args!("best {most}"), domain, Some(value), v),
            ExprKind::Top(var, index) => {
                v.head(format_args!("top {}", var.0));
                outside(index.as_deref(), v);
            }
            ExprKind::IsOn(code, positive) => v.head(format_args!("on {} {positive}", code.0)),
            ExprKind::LegalAction(some) => v.head(format_args!("legal action {some}")),
        }
    }

    /// The bag variable that is read as a set here, if one is.
    #[must_use]
    pub fn bag(&self) -> Option<&Expr> {
        match &self.kind {
            ExprKind::AsSet(of) if matches!(of.ty.base, Base::Bag(_)) => Some(of),
            _ => None,
        }
    }

    /// Whether it reads a variable itself. What definitions read that it applies does not count.
    #[must_use]
    pub fn reads(&self, var: VarId) -> bool {
        let mut found = false;
        self.walk(&mut |e| {
            found |= matches!(&e.kind, ExprKind::Var { var: of, .. } | ExprKind::Top(of, _) if *of == var);
        });
        found
    }

    fn parts(&self) -> Parts<'_> {
        let mut parts = Parts::default();
        self.visit(&mut parts);
        parts
    }

    /// The expressions it is made of, in order.
    #[must_use]
    pub fn children(&self) -> Vec<&Expr> {
        self.parts().all
    }

    /// The parts that are evaluated whenever it is, with the locals around it: not what depends on what it binds, and
    /// not the arms of a `match`.
    #[must_use]
    pub fn free_children(&self) -> Vec<&Expr> {
        self.parts().free
    }

    /// What a quantifier, a count, a sum or the like runs over; `None` for other expressions.
    #[must_use]
    pub fn domain(&self) -> Option<&Domain> {
        self.parts().domain
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
