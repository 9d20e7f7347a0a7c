//! What is known of a variable or local at a place: the members that it can be, or have.

use std::collections::BTreeMap;

use crate::model::{Base, Domain, Expr, ExprKind, Set, SetOp, Value, VarId};

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Known {
    /// It is one of these members, or nothing.
    One(Set),
    /// It is a set of members, these at most; if `true`, it has them all.
    All(Set, bool),
}

/// What is known of the variables of a code. Of the others nothing is known.
pub type Facts = BTreeMap<VarId, Known>;

/// What is known of all that an expression can name.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Of variables.
    pub vars: Facts,
    /// Of locals.
    pub locals: BTreeMap<u16, Known>,
}

impl Known {
    /// What is known of a variable of a type that holds a value.
    #[must_use]
    pub fn value(base: &Base, value: &Value) -> Option<Known> {
        match (base, value) {
            (Base::Member(_), Value::Int(i)) => Some(Known::One(usize::try_from(*i).ok().into_iter().collect())),
            (Base::Member(_), Value::None) => Some(Known::One(Set::new())),
            (Base::Set(of), Value::Set(set)) if matches!(**of, Base::Member(_)) => Some(Known::All(set.clone(), true)),
            (_, Value::Set(set)) if set.is_empty() => Some(Known::All(Set::new(), true)),
            _ => None,
        }
    }

    /// The member that it is, unless it is nothing.
    #[must_use]
    pub fn single(&self) -> Option<usize> {
        match self {
            Known::One(set) if set.len() == 1 => set.first(),
            _ => None,
        }
    }

    /// What holds of both.
    fn or(self, other: Known) -> Option<Known> {
        match (self, other) {
            (Known::One(a), Known::One(b)) => Some(Known::One(a.union(&b))),
            (Known::All(a, x), Known::All(b, y)) => {
                let exact = x && y && a == b;
                Some(Known::All(a.union(&b), exact))
            }
            _ => None,
        }
    }
}

impl Scope {
    /// What is known of the value of an expression.
    #[must_use]
    pub fn of(&self, e: &Expr) -> Option<Known> {
        match &e.kind {
            ExprKind::Const(value) => Known::value(&e.ty.base, value),
            ExprKind::Local(local) => self.locals.get(local).cloned(),
            ExprKind::Var { var, index: None } => self.vars.get(var).cloned(),
            ExprKind::AsSet(of) => self.of(of),
            ExprKind::Default(a, b) | ExprKind::If(_, a, b) => self.of(a)?.or(self.of(b)?),
            ExprKind::The(domain) => self.member(domain),
            ExprKind::Compr { domain, map: None, .. } => match self.of(&domain.set)? {
                Known::All(set, exact) => Some(Known::All(set, exact && domain.cond.is_none())),
                Known::One(_) => None,
            },
            ExprKind::SetOp(op, a, b) => self.joined(*op, a, b),
            ExprKind::SetOf { items, of: Base::Member(_) } => {
                let mut all = Set::new();
                for item in items {
                    let Known::One(set) = self.of(item)? else { return None };
                    all = all.union(&set);
                }
                let exact = items.iter().all(|item| matches!(item.kind, ExprKind::Const(_)));
                Some(Known::All(all, exact))
            }
            _ => None,
        }
    }

    fn joined(&self, op: SetOp, a: &Expr, b: &Expr) -> Option<Known> {
        let (Known::All(a, x), b) = (self.of(a)?, self.of(b)) else { return None };
        match (op, b) {
            (SetOp::Union, Some(Known::All(b, y))) => Some(Known::All(a.union(&b), x && y)),
            (SetOp::Minus, Some(Known::All(b, true))) => Some(Known::All(a.difference(&b), x)),
            (SetOp::Intersect, Some(Known::All(b, y))) => Some(Known::All(a.intersection(&b), x && y)),
            (SetOp::Minus | SetOp::Intersect, _) => Some(Known::All(a, false)),
            (SetOp::Union, _) => None,
        }
    }

    /// What is known of a member of a domain.
    #[must_use]
    pub fn member(&self, domain: &Domain) -> Option<Known> {
        match self.of(&domain.set)? {
            Known::All(set, _) => Some(Known::One(set)),
            Known::One(_) => None,
        }
    }

    /// Whether a condition holds, where that is known.
    #[must_use]
    pub fn truth(&self, e: &Expr) -> Option<bool> {
        match &e.kind {
            ExprKind::Const(Value::Int(i)) => Some(*i != 0),
            ExprKind::Not(a) => self.truth(a).map(|holds| !holds),
            ExprKind::And(a, b) => match (self.truth(a), self.truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => Some(a? && b?),
            },
            ExprKind::Or(a, b) => match (self.truth(a), self.truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => Some(a? || b?),
            },
            ExprKind::Equal(a, b, positive) => self.differ(a, b).then_some(!positive),
            ExprKind::In { item, set, positive, .. } => match (self.of(item)?, self.of(set)?) {
                (Known::One(one), Known::All(all, _)) if one.clone().intersection(&all).is_empty() => Some(!positive),
                _ => None,
            },
            ExprKind::IsEmpty(of, positive) => match self.of(of)? {
                Known::All(set, _) if set.is_empty() => Some(*positive),
                Known::All(_, true) => Some(!positive),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether two values are certainly different: they have no member in common, and one is certainly a member.
    fn differ(&self, a: &Expr, b: &Expr) -> bool {
        let is_there = |e: &Expr| matches!(e.kind, ExprKind::Const(Value::Int(_)));
        match (self.of(a), self.of(b)) {
            (Some(Known::One(x)), Some(Known::One(y))) => (is_there(a) || is_there(b)) && x.intersection(&y).is_empty(),
            _ => false,
        }
    }
}
