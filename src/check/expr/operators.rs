//! Operators with two sides.

use super::super::Checker;
use super::super::kept::is_procedure;
use super::super::scope::Scope;
use super::super::types::{article, as_set, base_fits, literal_as};
use super::bags::read;
use super::{constant, typed};
use crate::check::Diagnostic;
use crate::model::{Arith, Base, Expr, ExprKind, Order, SetOp, Ty, Value};
use crate::span::Span;
use crate::syntax::tree::{self, BinOp, ExprKind as T};

impl Checker {
    /// `a op b`.
    pub(super) fn binary(
        &mut self,
        op: BinOp,
        a: &tree::Expr,
        b: &tree::Expr,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        match op {
            BinOp::And => self.both(a, b, span, sc),
            BinOp::Or => self.either(a, b, span, sc),
            BinOp::Is => self.equal(a, b, true, span, sc),
            BinOp::IsNot => self.equal(a, b, false, span, sc),
            BinOp::Lt => self.order(Order::Lt, a, b, span, sc),
            BinOp::Le => self.order(Order::Le, a, b, span, sc),
            BinOp::Gt => self.order(Order::Gt, a, b, span, sc),
            BinOp::Ge => self.order(Order::Ge, a, b, span, sc),
            BinOp::In => self.membership(a, b, true, span, sc),
            BinOp::NotIn => self.membership(a, b, false, span, sc),
            BinOp::Add => self.sum(Arith::Add, Some(SetOp::Union), a, b, span, sc),
            BinOp::Sub => self.sum(Arith::Sub, Some(SetOp::Minus), a, b, span, sc),
            BinOp::Mul => self.sum(Arith::Mul, Some(SetOp::Intersect), a, b, span, sc),
            BinOp::Div => self.sum(Arith::Div, None, a, b, span, sc),
            BinOp::Mod => self.sum(Arith::Mod, None, a, b, span, sc),
        }
    }

    fn both(&mut self, a: &tree::Expr, b: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        let (a, b) = (self.truth(a, sc), self.truth(b, sc));
        Some(typed(ExprKind::And(Box::new(a?), Box::new(b?)), Ty::of(Base::Bool), span))
    }

    // `x or y` is a choice between truth values, or a default for what may be nothing; the type of x decides which.
    fn either(&mut self, a: &tree::Expr, b: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        let (a, b) = (self.expr(a, sc), self.expr(b, sc));
        let (a, b) = (a?, b?);
        // A default for what is there is of no use, but does no harm.
        let tested = !a.ty.optional && (self.is_frame(&a) || sc.is_tested(&a));
        if a.ty.base == Base::Bool || !a.ty.optional && !tested {
            let bool = Ty::of(Base::Bool);
            let a = self.fit(a, &bool, "the left side of `or`");
            let b = self.fit(b, &bool, "the right side of `or`");
            return Some(typed(ExprKind::Or(Box::new(a?), Box::new(b?)), bool, span));
        }
        let ty = Ty { optional: b.ty.optional, base: a.ty.base.clone() };
        let ty = match (&ty.base, &b.ty.base) {
            (Base::Range(..), Base::Int | Base::Range(..)) => Ty { base: Base::Int, ..ty },
            _ => ty,
        };
        let b = self.fit(b, &ty, "the default")?;
        Some(typed(ExprKind::Default(Box::new(a), Box::new(b)), ty, span))
    }

    fn equal(&mut self, a: &tree::Expr, b: &tree::Expr, positive: bool, span: Span, sc: &mut Scope) -> Option<Expr> {
        let left = self.expr(a, sc)?;
        let right = match (self.reading_of(&left), &b.kind) {
            (Some(reading), T::Name(word)) => {
                let choice = self.choice_of(reading, word)?;
                constant(Value::Int(choice), left.ty.clone(), b.span)
            }
            _ => self.expr(b, sc)?,
        };
        let (left, right) = alike(as_set(left), as_set(right));
        if !base_fits(&right.ty.base, &left.ty.base) && !base_fits(&left.ty.base, &right.ty.base) {
            let (x, y) = (self.words(&left.ty), self.words(&right.ty));
            let mut d = Diagnostic::error(
                "law::type",
                format!("{} is never {}", article(&x), article(&y)),
                right.span,
                format!("this is {}", article(&y)),
            )
            .and(left.span, format!("this is {}", article(&x)));
            if matches!(&right.ty.base, Base::Set(of) if **of == left.ty.base) {
                d = d.help("write `in` to ask whether it is one of them");
            } else {
                d = d.help(self.fitting(&right, &left.ty));
            }
            self.report(d);
            return None;
        }
        if left.ty.base == Base::Nothing || right.ty.base == Base::Nothing {
            let known = if left.ty.base == Base::Nothing { &right } else { &left };
            if !known.ty.optional
                && !matches!(known.ty.base, Base::Set(_) | Base::Nothing)
                && !self.is_frame(known)
                && !sc.is_tested(known)
            {
                let text = self.model.sources.line(known.span);
                self.report(
                    Diagnostic::warning(
                        "law::dead",
                        format!("`{text}` is never nothing"),
                        known.span,
                        format!("always {}", article(&self.words(&known.ty))),
                    )
                    .help("remove the comparison"),
                );
            }
        }
        Some(typed(ExprKind::Equal(Box::new(left), Box::new(right), positive), Ty::of(Base::Bool), span))
    }

    fn is_frame(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Var { var, .. } if self.is_of_code(*var))
    }

    fn order(&mut self, op: Order, a: &tree::Expr, b: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        let (a, b) = (self.numeric(a, sc), self.numeric(b, sc));
        Some(typed(ExprKind::Compare(op, Box::new(a?), Box::new(b?)), Ty::of(Base::Bool), span))
    }

    fn membership(
        &mut self,
        a: &tree::Expr,
        b: &tree::Expr,
        positive: bool,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        let item = self.expr(a, sc);
        if let T::Name(word) = &b.kind
            && is_procedure(self, word, sc)
        {
            let name = &word.text;
            let message = format!("`{name}` is a procedure, not a set");
            let help = format!(
                "`in {name}` stands after the type of a variable or after the parameters of an action; to ask whether \
                 it is active write `{name} is on`"
            );
            self.report(Diagnostic::error("law::type", message, word.span, "a procedure").help(help));
            return None;
        }
        let set = self.set(b, sc);
        let (item, set) = (item?, set?);
        let Base::Set(of) = set.ty.base.clone() else {
            return None;
        };
        let item = self.fit(
            item,
            &Ty { base: if *of == Base::Nothing { Base::Nothing } else { (*of).clone() }, optional: true },
            "what is looked for",
        )?;
        Some(typed(
            ExprKind::In { item: Box::new(item), set: Box::new(set), of: *of, positive },
            Ty::of(Base::Bool),
            span,
        ))
    }

    fn sum(
        &mut self,
        op: Arith,
        set_op: Option<SetOp>,
        a: &tree::Expr,
        b: &tree::Expr,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        let (a, b) = (self.expr(a, sc), self.expr(b, sc));
        let (a, b) = alike(as_set(a?), as_set(b?));
        if let (Arith::Add, Some(x), Some(y)) = (op, a.bag(), b.bag())
            && x.ty.base == y.ty.base
        {
            let ty = x.ty.clone();
            return Some(read(ExprKind::SetOp(SetOp::Union, Box::new(x.clone()), Box::new(y.clone())), ty, span));
        }
        if let (Some(set_op), Base::Set(_), Base::Set(_)) = (set_op, &a.ty.base, &b.ty.base) {
            let ty = self.joined(&a, &b)?;
            let (a, b) = (self.fit(a, &ty, "this set")?, self.fit(b, &ty, "this set")?);
            return Some(typed(ExprKind::SetOp(set_op, Box::new(a), Box::new(b)), ty, span));
        }
        if set_op.is_some()
            && let Some((set, one)) = one_of(&a, &b)
        {
            let (set, one) = (set.ty.clone(), one.clone());
            self.fit(one, &set, "this")?;
        }
        let number = Ty { base: Base::Int, optional: true };
        let (a, b) = (self.fit(a, &number, "this"), self.fit(b, &number, "this"));
        let (a, b) = (a?, b?);
        if matches!(op, Arith::Div | Arith::Mod) && matches!(b.kind, ExprKind::Const(Value::Int(0))) {
            let told = Diagnostic::error("law::range", "nothing can be divided by 0", b.span, "always 0");
            self.report(told.help("divide by another number, or by something that is not always 0"));
            return None;
        }
        let ty = Ty { base: Base::Int, optional: a.ty.optional || b.ty.optional };
        Some(typed(ExprKind::Arith(op, Box::new(a), Box::new(b)), ty, span))
    }
}

/// A set and one that could be in it, where that is what two sides are.
fn one_of<'a>(a: &'a Expr, b: &'a Expr) -> Option<(&'a Expr, &'a Expr)> {
    let holds = |set: &Expr, one: &Expr| matches!(&set.ty.base, Base::Set(of) if **of == one.ty.base);
    [(a, b), (b, a)].into_iter().find(|(set, one)| holds(set, one))
}

/// Resolves two sides; a set of numbers written out takes the range of the other side.
fn alike(a: Expr, b: Expr) -> (Expr, Expr) {
    let a = literal_as(a, &b.ty.base);
    let b = literal_as(b, &a.ty.base);
    (a, b)
}
