//! Conditions, numbers and comparisons.

use super::{Kind, Sites};
use crate::span::Span;
use crate::syntax::tree::{BinOp, Expr, ExprKind, Part};

/// Whether an expression can only be a condition. `x or 0` is a number.
fn is_condition(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinOp::Or, a, b) => is_condition(a) || is_condition(b),
        ExprKind::Not(_)
        | ExprKind::IsEmpty(..)
        | ExprKind::IsOn(..)
        | ExprKind::Wins(_)
        | ExprKind::Quant { .. }
        | ExprKind::LegalAction(_) => true,
        ExprKind::Binary(op, ..) => !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod),
        _ => false,
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
        e.operands(BinOp::And).into_iter().for_each(|e| self.conjunct(e));
    }

    /// A part of a condition.
    fn conjunct(&mut self, e: &Expr) {
        if let ExprKind::Bool(_) = e.kind {
            return self.expr(e);
        }
        let line = format!("`{}`", self.line(e.span));
        self.replace(Kind::Ignore, e.span, "true", &line);
        let turned = match &e.kind {
            ExprKind::Not(inner) => self.text(inner.span).to_owned(),
            _ => format!("not ({})", self.text(e.span)),
        };
        self.replace(Kind::Negate, e.span, &turned, &line);
        self.inside(e);
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

    /// What is in a condition that is already negated itself, as that of `not` is.
    fn inside(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Binary(BinOp::And, ..) => self.condition(e),
            ExprKind::Binary(BinOp::Or, ..) => e.operands(BinOp::Or).into_iter().for_each(|e| self.alternative(e)),
            _ => self.expr(e),
        }
    }

    /// An expression: its numbers, comparisons and the conditions in it.
    pub(super) fn expr(&mut self, e: &Expr) {
        self.expr_in(e, e.span);
    }

    /// The same, named after what it is part of.
    pub(super) fn expr_in(&mut self, e: &Expr, context: Span) {
        match &e.kind {
            ExprKind::Int(n) => self.number(*n, e.span, context),
            ExprKind::Bool(b) => self.turn(*b, (e.span.start, e.span.end), ("true", "false"), context),
            ExprKind::Binary(BinOp::And | BinOp::Or, ..) if is_condition(e) => return self.condition(e),
            ExprKind::Binary(op, a, b) => self.operator(*op, (a.span.end, b.span.start), e.span),
            ExprKind::Not(a) => return self.inside(a),
            _ => {}
        }
        if let (Some(words), Some(first)) = (e.opposite(), e.parts().first().and_then(Part::expr)) {
            self.swap(Kind::Turn, (e.span.start, first.span.start), words, e.span);
        }
        // What long searches cost and what a comprehension gives are named by themselves.
        let alone = matches!(e.kind, ExprKind::Steps { .. } | ExprKind::Compr { .. });
        for part in e.parts() {
            match part {
                Part::Value(of) => self.expr_in(of, if alone { of.span } else { e.span }),
                Part::Any(of) => self.value_in(of, e.span),
                other => self.part(other),
            }
        }
    }

    /// One of two words for the other: the first if `first`.
    pub(super) fn turn(&mut self, first: bool, between: (u32, u32), words: (&str, &str), context: Span) {
        let words = if first { words } else { (words.1, words.0) };
        self.swap(Kind::Turn, between, words, context);
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

    fn operator(&mut self, op: BinOp, gap: (u32, u32), whole: Span) {
        match op {
            BinOp::Lt => self.swap(Kind::Compare, gap, ("<", "<="), whole),
            BinOp::Le => self.swap(Kind::Compare, gap, ("<=", "<"), whole),
            BinOp::Gt => self.swap(Kind::Compare, gap, (">", ">="), whole),
            BinOp::Ge => self.swap(Kind::Compare, gap, (">=", ">"), whole),
            BinOp::Add => self.swap(Kind::Shift, gap, ("+", "-"), whole),
            BinOp::Sub => self.swap(Kind::Shift, gap, ("-", "+"), whole),
            _ => {}
        }
    }
}
