//! Printed bags: how many copies of what.

use super::Checker;
use crate::check::Diagnostic;
use crate::model::{Base, MAX_COPIES, Ty, Value, scalar_span};
use crate::syntax::tree::{self, ExprKind as T};

impl Checker {
    /// `4 Regular + Elite`, `Elite`, or each copy by itself in braces.
    pub(super) fn printed_bag(&mut self, e: &tree::Expr, of: &Base, what: &str) -> Option<Value> {
        let written: Vec<(Option<&tree::Expr>, &tree::Expr)> = match &e.kind {
            T::Bag(items) => items.iter().map(|(n, item)| (n.as_ref(), item)).collect(),
            T::Set(items) => items.iter().map(|item| (None, item)).collect(),
            T::Name(_) => vec![(None, e)],
            _ => {
                self.report(
                    Diagnostic::error("law::type", format!("{what} must be a bag"), e.span, "not a bag")
                        .help("write `4 Regular + 1 Elite`, or each copy by itself in braces, `{}` for none"),
                );
                return None;
            }
        };
        let mut copies = Vec::new();
        for (number, item) in written {
            let item = self.constant_value(item, &Ty::of(of.clone()), "what is in a bag");
            let number = match number.map(|n| &n.kind) {
                Some(T::Int(n)) => *n,
                _ => 1,
            };
            copies.push(item.and_then(|item| item.int()).map(|item| (number, item)));
        }
        let copies: Vec<(i64, i32)> = copies.into_iter().collect::<Option<_>>()?;
        let found = self.counts(of, copies);
        if found.is_none() {
            let most = format!("a bag holds at most {MAX_COPIES} copies of one value");
            self.report(Diagnostic::error("law::range", most, e.span, "more than that").help("write fewer"));
        }
        found
    }

    /// A bag of so many copies; `None` if there are too many of one, or what is counted cannot be in it.
    pub(super) fn counts(&self, of: &Base, copies: Vec<(i64, i32)>) -> Option<Value> {
        let (lo, n) = scalar_span(of, &self.model.kinds);
        let mut counts = vec![0u16; n as usize];
        for (number, item) in copies {
            let place = usize::try_from(i64::from(item) - lo).ok()?;
            let count = counts.get_mut(place)?;
            let sum = i64::from(*count).checked_add(number)?;
            *count = u16::try_from(sum).ok().filter(|n| *n <= u16::from(MAX_COPIES))?;
        }
        Some(Value::Bag(counts))
    }
}
