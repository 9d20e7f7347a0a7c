//! Conditions that cannot hold together, and conditions that certainly do: what can be decided without a position.
//!
//! Answers are given only if they are certain. A condition is a list of conjuncts; two expressions are the same if they
//! have the same form. The parameters of a definition or action are the same locals in each of its clauses.

use crate::model::{Expr, ExprKind, Order, Value};
use crate::span::Span;

/// A fact that a conjunct states about an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fact {
    Is(Value),
    IsNot(Value),
    AtLeast(i32),
    AtMost(i32),
    True,
    False,
}

/// The facts of one conjunct, by the form of the expression they are about.
fn facts(e: &Expr, out: &mut Vec<(String, Fact)>) {
    match &e.kind {
        ExprKind::And(a, b) => {
            facts(a, out);
            facts(b, out);
        }
        ExprKind::Equal(a, b, positive) => {
            let (of, value) = match (&a.kind, &b.kind) {
                (_, ExprKind::Const(v)) => (a, v),
                (ExprKind::Const(v), _) => (b, v),
                _ => return,
            };
            out.push((of.form(), if *positive { Fact::Is(value.clone()) } else { Fact::IsNot(value.clone()) }));
        }
        ExprKind::Compare(op, a, b) => {
            let (of, n, op) = match (&a.kind, &b.kind) {
                (_, ExprKind::Const(Value::Int(n))) => (a, *n, *op),
                (ExprKind::Const(Value::Int(n)), _) => (b, *n, op.mirrored()),
                _ => return,
            };
            out.push((
                of.form(),
                match op {
                    Order::Lt => Fact::AtMost(n.saturating_sub(1)),
                    Order::Le => Fact::AtMost(n),
                    Order::Gt => Fact::AtLeast(n.saturating_add(1)),
                    Order::Ge => Fact::AtLeast(n),
                },
            ));
        }
        ExprKind::Not(of) => out.push((of.form(), Fact::False)),
        _ => out.push((e.form(), Fact::True)),
    }
}

fn clash(a: &Fact, b: &Fact) -> bool {
    match (a, b) {
        (Fact::Is(x), Fact::Is(y)) => x != y,
        (Fact::Is(x), Fact::IsNot(y)) | (Fact::IsNot(y), Fact::Is(x)) => x == y,
        (Fact::AtLeast(x), Fact::AtMost(y)) | (Fact::AtMost(y), Fact::AtLeast(x)) => x > y,
        (Fact::Is(Value::Int(x)), Fact::AtLeast(y)) | (Fact::AtLeast(y), Fact::Is(Value::Int(x))) => x < y,
        (Fact::Is(Value::Int(x)), Fact::AtMost(y)) | (Fact::AtMost(y), Fact::Is(Value::Int(x))) => x > y,
        (Fact::True, Fact::False) | (Fact::False, Fact::True) => true,
        _ => false,
    }
}

/// Whether a list of conjuncts can certainly never hold: the conjunct that fails, and the one that it contradicts if
/// there are two.
pub(super) fn never<'e>(when: impl IntoIterator<Item = &'e Expr>) -> Option<(Span, Option<Span>)> {
    let mut known: Vec<(String, Fact, Span)> = Vec::new();
    for e in when {
        if super::endings::constant_truth(e) == Some(false) {
            return Some((e.span, None));
        }
        let mut found = Vec::new();
        facts(e, &mut found);
        for (of, fact) in found {
            if let Some((.., other)) = known.iter().find(|(o, f, _)| *o == of && clash(f, &fact)) {
                return Some((e.span, Some(*other)));
            }
            known.push((of, fact, e.span));
        }
    }
    None
}

/// Whether the first condition certainly holds wherever the second does: each of its conjuncts is also in the second.
pub(super) fn follows(first: &[Expr], second: &[Expr]) -> bool {
    first.iter().all(|a| super::endings::constant_truth(a) == Some(true) || second.iter().any(|b| a.same(b)))
}

/// The forms of the conjuncts that another condition must have too, if this one is to follow from it ([`follows`]).
pub(super) fn parts(when: &[Expr]) -> Vec<String> {
    when.iter().filter(|e| super::endings::constant_truth(e) != Some(true)).map(Expr::form).collect()
}

/// The value of an expression that depends only on printed fields and on parameters known to be constants.
pub(super) fn known(e: &Expr, args: &[Option<Value>], model: &crate::model::Model) -> Option<Value> {
    let inner = |e: &Expr| known(e, args, model);
    match &e.kind {
        ExprKind::Const(v) => Some(v.clone()),
        ExprKind::Local(i) => args.get(*i as usize).cloned().flatten(),
        ExprKind::Printed { kind, field, of } => {
            let of = inner(of)?.int()?;
            match &model.kinds.get(kind.i())?.fields.get(*field)?.store {
                crate::model::FieldStore::Printed(values) => values.get(of as usize).cloned(),
                crate::model::FieldStore::Var(_) => None,
            }
        }
        ExprKind::Not(of) => inner(of).map(|v| Value::bool(!v.truth())),
        ExprKind::Equal(a, b, positive) => Some(Value::bool((inner(a)? == inner(b)?) == *positive)),
        ExprKind::And(a, b) => match (inner(a), inner(b)) {
            (Some(x), _) | (_, Some(x)) if !x.truth() => Some(Value::bool(false)),
            (Some(_), Some(_)) => Some(Value::bool(true)),
            _ => None,
        },
        ExprKind::Or(a, b) => match (inner(a), inner(b)) {
            (Some(x), _) | (_, Some(x)) if x.truth() => Some(Value::bool(true)),
            (Some(_), Some(_)) => Some(Value::bool(false)),
            _ => None,
        },
        ExprKind::In { item, set, of, positive } => {
            let (Value::Set(set), item) = (inner(set)?, inner(item)?.int()?) else { return None };
            let lo = crate::model::scalar_span(of, &model.kinds).0;
            let index = usize::try_from(i64::from(item) - lo).ok();
            Some(Value::bool(index.is_some_and(|i| set.contains(i)) == *positive))
        }
        _ => None,
    }
}
