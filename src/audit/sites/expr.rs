//! Conditions, numbers and comparisons.

use super::{Kind, Sites};
use crate::span::Span;
use crate::syntax::tree::{BinOp, Expr, ExprKind, Quantifier, Steps};

/// Whether an expression can only be a condition. `x or 0` is a number.
fn is_condition(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinOp::Or, a, b) => is_condition(a) || is_condition(b),
        ExprKind::Not(_)
        | ExprKind::IsEmpty(..)
        | ExprKind::IsOn(..)
        | ExprKind::Wins(_)
        | ExprKind::Quant { .. }
        | ExprKind::NoLegalAction => true,
        ExprKind::Binary(op, ..) => !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod),
        _ => false,
    }
}

/// The operands of a chain of one operator.
fn row<'e>(e: &'e Expr, op: BinOp, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(own, a, b) if *own == op => {
            row(a, op, out);
            row(b, op, out);
        }
        _ => out.push(e),
    }
}

impl Sites<'_> {
    /// A value that may be a condition.
    pub(super) fn value(&mut self, e: &Expr) {
        self.value_in(e, e.span);
    }

    /// The same, named after what it is part of.
    fn value_in(&mut self, e: &Expr, context: Span) {
        if is_condition(e) { self.condition(e) } else { self.expr_in(e, context) }
    }

    /// A condition: each of its parts can be ignored or negated.
    pub(super) fn condition(&mut self, e: &Expr) {
        let mut parts = Vec::new();
        row(e, BinOp::And, &mut parts);
        for part in parts {
            self.part(part, "true");
        }
    }

    /// A part of a condition, and its replacement when it is ignored.
    fn part(&mut self, e: &Expr, ignored: &str) {
        if let ExprKind::Bool(_) = e.kind {
            self.expr(e);
            return;
        }
        let line = format!("`{}`", self.line(e.span));
        self.replace(Kind::Ignore, e.span, ignored, &line);
        let turned = match &e.kind {
            ExprKind::Not(inner) => self.text(inner.span).to_owned(),
            _ => format!("not ({})", self.text(e.span)),
        };
        self.replace(Kind::Negate, e.span, &turned, &line);
        match &e.kind {
            ExprKind::Binary(BinOp::Or, ..) => {
                let mut either = Vec::new();
                row(e, BinOp::Or, &mut either);
                either.into_iter().for_each(|e| self.alternative(e));
            }
            ExprKind::Not(inner) => self.inside_not(inner),
            _ => self.expr(e),
        }
    }

    /// One side of an `or`.
    fn alternative(&mut self, e: &Expr) {
        let line = format!("`{}`", self.line(e.span));
        self.replace(Kind::Ignore, e.span, "false", &line);
        if let ExprKind::Binary(BinOp::And, ..) = e.kind {
            self.condition(e);
        } else {
            self.expr(e);
        }
    }

    /// The operand of `not`: by itself it is already negated.
    fn inside_not(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Binary(BinOp::And, ..) => self.condition(e),
            ExprKind::Binary(BinOp::Or, ..) => {
                let mut either = Vec::new();
                row(e, BinOp::Or, &mut either);
                either.into_iter().for_each(|e| self.alternative(e));
            }
            _ => self.expr(e),
        }
    }

    fn optional(&mut self, cond: Option<&Expr>) {
        if let Some(cond) = cond {
            self.condition(cond);
        }
    }

    /// An expression: its numbers, comparisons and the conditions in it.
    pub(super) fn expr(&mut self, e: &Expr) {
        self.expr_in(e, e.span);
    }

    fn both(&mut self, list: &[&Expr], context: Span) {
        for e in list {
            self.expr_in(e, context);
        }
    }

    /// The same, named after what it is part of.
    fn expr_in(&mut self, e: &Expr, context: Span) {
        match &e.kind {
            ExprKind::Int(n) => self.number(*n, e.span, context),
            ExprKind::Bool(b) => {
                let (old, new) = if *b { ("true", "false") } else { ("false", "true") };
                self.swap(Kind::Turn, (e.span.start, e.span.end), (old, new), context);
            }
            ExprKind::Binary(BinOp::And | BinOp::Or, ..) if is_condition(e) => self.condition(e),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.span),
            ExprKind::Not(a) => self.inside_not(a),
            ExprKind::If(c, a, b) => {
                self.condition(c);
                self.value_in(a, e.span);
                self.value_in(b, e.span);
            }
            ExprKind::Match { on, arms, otherwise } => {
                self.expr(on);
                let whole = e.span;
                arms.iter().for_each(|(_, e)| self.value_in(e, whole));
                otherwise.iter().for_each(|e| self.value_in(e, whole));
            }
            ExprKind::Compr { map, set, cond, .. } => {
                map.iter().for_each(|e| self.expr(e));
                self.expr(set);
                self.optional(cond.as_deref());
            }
            ExprKind::Quant { quant, set, cond, .. } => {
                let words = match quant {
                    Quantifier::Some => ("some", "every"),
                    Quantifier::Every => ("every", "some"),
                    Quantifier::No => ("no", "every"),
                };
                self.swap(Kind::Turn, (e.span.start, set.span.start), words, e.span);
                self.expr(set);
                self.condition(cond);
            }
            ExprKind::Count { set, cond, .. } | ExprKind::The { set, cond, .. } => {
                self.expr(set);
                self.optional(cond.as_deref());
            }
            ExprKind::Sum { value, set, cond, .. } => {
                self.both(&[value, set], e.span);
                self.optional(cond.as_deref());
            }
            ExprKind::Best { most, value, set, cond, .. } => {
                let words = if *most { ("most", "least") } else { ("least", "most") };
                self.swap(Kind::Turn, (e.span.start, value.span.start), words, e.span);
                self.both(&[value, set], e.span);
                self.optional(cond.as_deref());
            }
            ExprKind::Reach { from, cond, .. } => {
                self.expr(from);
                self.optional(cond.as_deref());
            }
            ExprKind::Steps { from, to, steps } => {
                self.expr(from);
                to.iter().for_each(|e| self.expr(e));
                self.steps(steps);
            }
            ExprKind::Grid(call) => {
                call.args.iter().for_each(|a| self.expr_in(a, e.span));
                self.optional(call.side.as_ref().map(|s| &s.cond));
            }
            ExprKind::Call(_, args) => args.iter().for_each(|a| self.expr_in(a, e.span)),
            ExprKind::Set(items) => items.iter().for_each(|a| self.expr_in(a, e.span)),
            ExprKind::Range(a, b) | ExprKind::Index(a, b) => self.both(&[a, b], e.span),
            ExprKind::Field(a, _)
            | ExprKind::Back(_, a)
            | ExprKind::Neg(a)
            | ExprKind::IsEmpty(a, _)
            | ExprKind::Wins(a)
            | ExprKind::Top(a) => self.expr_in(a, e.span),
            ExprKind::None | ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::IsOn(..) | ExprKind::NoLegalAction => {}
        }
    }

    fn steps(&mut self, steps: &Steps) {
        self.expr(&steps.set);
        self.optional(steps.cond.as_ref());
        steps.cost.iter().chain(&steps.within).for_each(|e| self.expr(e));
    }

    /// One more, and one less.
    pub(super) fn number(&mut self, n: i64, span: Span, context: Span) {
        let old = self.text(span).to_owned();
        for new in [n.saturating_add(1), n.saturating_sub(1)] {
            let new = if new < 0 && old.starts_with(|c: char| c.is_ascii_digit()) {
                format!("({new})")
            } else {
                new.to_string()
            };
            self.swap(Kind::Shift, (span.start, span.end), (&old, &new), context);
        }
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, whole: Span) {
        let gap = (a.span.end, b.span.start);
        match op {
            BinOp::Lt => self.swap(Kind::Compare, gap, ("<", "<="), whole),
            BinOp::Le => self.swap(Kind::Compare, gap, ("<=", "<"), whole),
            BinOp::Gt => self.swap(Kind::Compare, gap, (">", ">="), whole),
            BinOp::Ge => self.swap(Kind::Compare, gap, (">=", ">"), whole),
            BinOp::Add => self.swap(Kind::Shift, gap, ("+", "-"), whole),
            BinOp::Sub => self.swap(Kind::Shift, gap, ("-", "+"), whole),
            _ => {}
        }
        self.both(&[a, b], whole);
    }
}
