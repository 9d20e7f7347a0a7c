//! Sets and quantifiers over them.

use super::super::Checker;
use super::super::scope::Scope;
use super::super::types::{article, as_set};
use super::{constant, typed};
use crate::check::Diagnostic;
use crate::model::{Arith, Base, Domain, Expr, ExprKind, MAX_COPIES, Order, Set, Ty, Value, as_number};
use crate::span::Span;
use crate::syntax::tree::{self, ExprKind as T};

impl Checker {
    /// Resolves `var in set where cond`, and something else while the variable is bound.
    pub(in crate::check) fn domain<R>(
        &mut self,
        var: &tree::Word,
        set: &tree::Expr,
        cond: Option<&tree::Expr>,
        sc: &mut Scope,
        inner: impl FnOnce(&mut Checker, &mut Scope) -> Option<R>,
    ) -> Option<(Domain, R)> {
        let set = self.set(set, sc)?;
        let Base::Set(of) = set.ty.base.clone() else {
            return None;
        };
        let local = sc.bind(&var.text, Ty::of((*of).clone()));
        let cond = cond.map(|c| self.truth(c, sc));
        let inner = inner(self, sc);
        sc.unbind();
        let cond = match cond {
            Some(c) => Some(Box::new(c?)),
            None => None,
        };
        Some((Domain { local, set: Box::new(set), of: *of, cond }, inner?))
    }

    /// `{ A, B }`.
    pub(super) fn set_of(&mut self, items: &[tree::Expr], span: Span, sc: &mut Scope) -> Option<Expr> {
        let mut found = Vec::new();
        for item in items.iter().filter(|item| !self.is_absent(item)).collect::<Vec<_>>() {
            found.push(self.expr(item, sc));
        }
        let found: Vec<Expr> = found.into_iter().collect::<Option<_>>()?;
        let Some(first) = found.first() else {
            return Some(typed(
                ExprKind::SetOf { items: found, of: Base::Nothing },
                Ty::of(Base::Set(Box::new(Base::Nothing))),
                span,
            ));
        };
        let mut base = first.ty.base.clone();
        for item in &found {
            if item.ty.base != base {
                self.joined(first, item)?;
            }
        }
        if base == Base::Int || matches!(base, Base::Range(..)) {
            base = self.range_of(&found, span)?;
        }
        if !matches!(base, Base::Member(_) | Base::Range(..) | Base::Bool) {
            let words = self.words(&Ty::of(base));
            self.error(
                "law::type",
                format!("a set cannot hold {}", article(&words)),
                first.span,
                "not a thing or a small number",
            );
            return None;
        }
        Some(typed(ExprKind::SetOf { items: found, of: base.clone() }, Ty::of(Base::Set(Box::new(base))), span))
    }

    fn range_of(&mut self, items: &[Expr], span: Span) -> Option<Base> {
        let numbers: Option<Vec<i32>> =
            items.iter().map(|i| if let ExprKind::Const(v) = &i.kind { v.int() } else { None }).collect();
        let bounds = numbers.as_ref().and_then(|n| Some((*n.iter().min()?, *n.iter().max()?)));
        match bounds {
            Some((lo, hi)) if i64::from(hi) - i64::from(lo) < 4096 => Some(Base::Range(lo, hi)),
            _ => {
                self.report(
                    Diagnostic::error(
                        "law::type",
                        "a set of numbers must consist of constants",
                        span,
                        "not constant, or too far apart",
                    )
                    .help("write a range: `1..6`"),
                );
                None
            }
        }
    }

    /// `{ x in S where C }`, `{ f(x) for x in S where C }`.
    pub(super) fn comprehension(
        &mut self,
        map: Option<&tree::Expr>,
        var: &tree::Word,
        set: &tree::Expr,
        cond: Option<&tree::Expr>,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        let (domain, map) = self.domain(var, set, cond, sc, |c, sc| match map {
            Some(m) => c.expr(m, sc).map(|m| Some(Box::new(as_set(m)))),
            None => Some(None),
        })?;
        let of = match &map {
            Some(m) => m.ty.base.clone(),
            None => domain.of.clone(),
        };
        if !matches!(of, Base::Member(_) | Base::Range(..) | Base::Bool) {
            let words = self.words(&Ty::of(of));
            self.error(
                "law::type",
                format!("a set cannot hold {}", article(&words)),
                span,
                "not things or small numbers",
            );
            return None;
        }
        let ty = Ty::of(Base::Set(Box::new(of.clone())));
        Some(typed(ExprKind::Compr { domain, map, of }, ty, span))
    }

    /// `1..6`, and with bounds that depend on play `1..n`: the numbers between the least and the greatest that their
    /// types allow for which the bounds hold.
    pub(super) fn range_set(&mut self, lo: &tree::Expr, hi: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        if is_fixed(lo, hi) {
            return self.fixed_range(lo, hi, span);
        }
        // The local comes first: the bounds are evaluated while it is bound.
        let local = sc.bind("", Ty::of(Base::Int));
        let (a, b) = (self.numeric(lo, sc), self.numeric(hi, sc));
        sc.unbind();
        let (a, b) = (a?, b?);
        let (Some(least), Some(most)) = (bound(&a, false), bound(&b, true)) else {
            let open = if bound(&a, false).is_none() { lo } else { hi };
            self.report(
                Diagnostic::error("law::range", "how far do these numbers go?", open.span, "any number")
                    .help("give it a type like `0..9`, or write `min(..., 9)` or `max(..., 0)` around it"),
            );
            return None;
        };
        if i64::from(most) - i64::from(least) >= MAX_RANGE {
            let label = format!("up to {} numbers", i64::from(most) - i64::from(least) + 1);
            let told = Diagnostic::error("law::range", "this range is too wide", span, label);
            self.report(told.help(format!("a range has at most {MAX_RANGE} numbers: make the types narrower")));
            return None;
        }
        let most = most.max(least);
        let of = Base::Range(least, most);
        let bool = Ty::of(Base::Bool);
        let item = || Box::new(typed(ExprKind::Local(local), Ty::of(of.clone()), span));
        let from = typed(ExprKind::Compare(Order::Ge, item(), Box::new(a)), bool.clone(), span);
        let until = typed(ExprKind::Compare(Order::Le, item(), Box::new(b)), bool.clone(), span);
        let cond = typed(ExprKind::And(Box::new(from), Box::new(until)), bool, span);
        let ty = Ty::of(Base::Set(Box::new(of.clone())));
        let all = constant(Value::Set(Set::full((most - least + 1) as usize)), ty.clone(), span);
        let domain = Domain { local, set: Box::new(all), of: of.clone(), cond: Some(Box::new(cond)) };
        Some(typed(ExprKind::Compr { domain, map: None, of }, ty, span))
    }

    fn fixed_range(&mut self, lo: &tree::Expr, hi: &tree::Expr, span: Span) -> Option<Expr> {
        match (fixed(lo), fixed(hi)) {
            (Some(lo), Some(hi)) if lo <= hi && i64::from(hi) - i64::from(lo) < MAX_RANGE => {
                let all = Set::full((hi - lo + 1) as usize);
                Some(constant(Value::Set(all), Ty::of(Base::Set(Box::new(Base::Range(lo, hi)))), span))
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        "law::range",
                        "a range of numbers leads from the least to the greatest",
                        span,
                        format!("empty, or longer than {MAX_RANGE}"),
                    )
                    .help("write `1..6`, with `where` for a condition"),
                );
                None
            }
        }
    }
}

/// The maximum size of a range of numbers.
const MAX_RANGE: i64 = 4096;

/// Whether both bounds of a range are written as numbers.
pub(in crate::check) fn is_fixed(lo: &tree::Expr, hi: &tree::Expr) -> bool {
    let number = |e: &tree::Expr| match &e.kind {
        T::Int(_) => true,
        T::Neg(of) => matches!(of.kind, T::Int(_)),
        _ => false,
    };
    number(lo) && number(hi)
}

fn fixed(e: &tree::Expr) -> Option<i32> {
    match &e.kind {
        T::Int(i) => as_number(*i),
        T::Neg(of) => match of.kind {
            T::Int(i) => as_number(i.checked_neg()?),
            _ => None,
        },
        _ => None,
    }
}

/// The greatest number that an expression can be (`up`), or the least, as far as types say.
pub(in crate::check) fn bound(e: &Expr, up: bool) -> Option<i32> {
    let both = |a: &Expr, b: &Expr, up_b: bool| bound(a, up).zip(bound(b, up_b));
    let either = |a: &Expr, b: &Expr| match (bound(a, up), bound(b, up)) {
        (Some(a), Some(b)) => Some(if up { a.min(b) } else { a.max(b) }),
        (one, other) => one.or(other),
    };
    let widest = |a: &Expr, b: &Expr| both(a, b, up).map(|(a, b)| if up { a.max(b) } else { a.min(b) });
    match (&e.kind, &e.ty.base) {
        (ExprKind::Const(v), _) => v.int(),
        (ExprKind::Arith(op, a, b), _) => match op {
            Arith::Add => both(a, b, up).and_then(|(a, b)| a.checked_add(b)),
            Arith::Sub => both(a, b, !up).and_then(|(a, b)| a.checked_sub(b)),
            Arith::Min if up => either(a, b),
            Arith::Max if !up => either(a, b),
            Arith::Min | Arith::Max => widest(a, b),
            Arith::Mul | Arith::Div | Arith::Mod => None,
        },
        (ExprKind::Copies { .. }, _) => Some(if up { i32::from(MAX_COPIES) } else { 0 }),
        (ExprKind::If(_, a, b) | ExprKind::Default(a, b), _) => widest(a, b),
        (_, Base::Range(lo, hi)) => Some(if up { *hi } else { *lo }),
        (ExprKind::Size(_) | ExprKind::Count(_), _) if !up => Some(0),
        _ => None,
    }
}
