//! Bags in expressions: read as sets, or for numbers of copies.

use super::super::Checker;
use super::super::scope::Scope;
use super::typed;
use crate::model::{Arith, Base, Domain, Expr, ExprKind, Ty};
use crate::span::Span;
use crate::syntax::tree;

/// Reads a variable: a bag as the set of its values.
pub(super) fn read(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    let of = if let Base::Bag(of) = &ty.base { Some(of.clone()) } else { None };
    let var = typed(kind, ty, span);
    match of {
        Some(of) => typed(ExprKind::AsSet(Box::new(var)), Ty::of(Base::Set(of)), span),
        None => var,
    }
}

/// The bag variable if an expression reads one as a set; any other expression unchanged.
pub(in crate::check) fn unread(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::AsSet(of) if matches!(of.ty.base, Base::Bag(_)) => *of,
        kind => Expr { kind, ..expr },
    }
}

/// The number of copies of its variable, if a domain runs over a bag.
pub(in crate::check) fn copies_of(domain: &Domain, span: Span) -> Option<Expr> {
    let bag = domain.set.bag()?.clone();
    let item = typed(ExprKind::Local(domain.local), Ty::of(domain.of.clone()), span);
    let kind = ExprKind::Copies { bag: Box::new(bag), item: Box::new(item), of: domain.of.clone() };
    Some(typed(kind, Ty::of(Base::Int), span))
}

/// A term that counts for each copy. The term stands first: what names the bag may bind the locals that the term uses.
pub(super) fn each_copy(term: Expr, copies: Expr) -> Expr {
    let (ty, span) = (Ty { base: Base::Int, optional: term.ty.optional }, term.span);
    typed(ExprKind::Arith(Arith::Mul, Box::new(term), Box::new(copies)), ty, span)
}

/// `size(S)`: in a bag each copy counts.
pub(super) fn size(set: Expr, span: Span, sc: &mut Scope) -> Expr {
    let number = Ty::of(Base::Int);
    let (Some(_), Base::Set(of)) = (set.bag(), &set.ty.base) else {
        return typed(ExprKind::Size(Box::new(set)), number, span);
    };
    let of = (**of).clone();
    let local = sc.bind("", Ty::of(of.clone()));
    sc.unbind();
    let domain = Domain { local, set: Box::new(set), of, cond: None };
    match copies_of(&domain, span) {
        Some(copies) => typed(ExprKind::Sum(Box::new(copies), domain), number, span),
        None => typed(ExprKind::Size(domain.set), number, span),
    }
}

impl Checker {
    /// `B[x]` of a bag.
    pub(super) fn copies(&mut self, bag: Expr, item: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        let Base::Bag(of) = bag.ty.base.clone() else {
            return None;
        };
        let item = self.expr(item, sc)?;
        let item = self.fit(item, &Ty { base: (*of).clone(), optional: true }, "what is counted")?;
        let constant = matches!(&item.kind, ExprKind::Const(v) if v.int().is_some());
        let ty = Ty { base: Base::Int, optional: item.ty.optional && !constant };
        Some(typed(ExprKind::Copies { bag: Box::new(bag), item: Box::new(item), of: *of }, ty, span))
    }
}
