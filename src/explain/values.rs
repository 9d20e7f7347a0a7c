//! What values are to each other: sets and the bits in them, nothing where something is wanted, numbers reckoned
//! together.

use crate::game::{Fault, FaultDetail, FaultKind};
use crate::model::{Arith, Base, Set, Value};
use crate::span::Span;

/// A fault without clauses.
pub(super) fn fault(kind: FaultKind, span: Span, detail: FaultDetail) -> Box<Fault> {
    Box::new(Fault { kind, clauses: Vec::new(), span, detail })
}

/// A value as a set: an ordered pile is the set of its members, a bag of what it holds, nothing is empty.
pub(super) fn as_set(value: Value) -> Set {
    match value {
        Value::Set(set) => set,
        Value::Bag(counts) => counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, _)| i).collect(),
        Value::List(items) => items.into_iter().map(usize::from).collect(),
        _ => Set::new(),
    }
}

/// How many of the value with a bit a bag holds.
pub(super) fn copies(bag: &Value, bit: Option<usize>) -> i32 {
    match (bag, bit) {
        (Value::Bag(counts), Some(b)) => counts.get(b).map_or(0, |n| i32::from(*n)),
        _ => 0,
    }
}

/// The copies of two bags together.
pub(super) fn together(a: Value, b: Value) -> Vec<u16> {
    let counts = |value| if let Value::Bag(counts) = value { counts } else { Vec::new() };
    let (mut a, b) = (counts(a), counts(b));
    a.resize(a.len().max(b.len()), 0);
    a.iter_mut().zip(&b).for_each(|(n, more)| *n = n.saturating_add(*more));
    a
}

/// What nothing is where a base is wanted.
pub(super) fn nothing(base: &Base) -> Value {
    match base {
        Base::Bool => Value::Int(0),
        Base::Set(_) => Value::Set(Set::new()),
        Base::List(_) => Value::List(Vec::new()),
        Base::Bag(_) => Value::Bag(Vec::new()),
        _ => Value::None,
    }
}

/// A value made to fit a base: nothing as above, sets and ordered piles into each other.
pub(super) fn fit(base: &Base, value: Value) -> Value {
    match (base, value) {
        (base, Value::None) => nothing(base),
        (Base::Set(_), Value::List(items)) => Value::Set(as_set(Value::List(items))),
        (Base::List(_), Value::Set(set)) => Value::List(set.iter().map(|i| i as u16).collect()),
        (_, value) => value,
    }
}

/// Two numbers reckoned together; nothing where the result is too large or divides by zero.
pub(super) fn arith(op: Arith, a: i32, b: i32) -> Option<i32> {
    match op {
        Arith::Add => a.checked_add(b),
        Arith::Sub => a.checked_sub(b),
        Arith::Mul => a.checked_mul(b),
        Arith::Div => a.checked_div_euclid(b),
        Arith::Mod => a.checked_rem_euclid(b),
        Arith::Min => Some(a.min(b)),
        Arith::Max => Some(a.max(b)),
    }
}
