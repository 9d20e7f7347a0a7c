//! Sets and quantifiers over them.

use super::super::Checker;
use super::super::scope::Scope;
use super::super::types::{article, as_set};
use super::{constant, typed};
use crate::check::Diagnostic;
use crate::model::{Base, Domain, Expr, ExprKind, Set, Ty, Value, as_number};
use crate::span::Span;
use crate::syntax::tree::{self, ExprKind as T};

impl Checker {
    /// Resolves `var in set where cond`, and something else while the variable is bound.
    pub(super) fn domain<R>(
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
        for item in items {
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

    /// `1..6`.
    pub(super) fn range_set(&mut self, lo: &tree::Expr, hi: &tree::Expr, span: Span) -> Option<Expr> {
        let bound = |e: &tree::Expr| match &e.kind {
            T::Int(i) => as_number(*i),
            T::Neg(of) => match of.kind {
                T::Int(i) => as_number(i.checked_neg()?),
                _ => None,
            },
            _ => None,
        };
        match (bound(lo), bound(hi)) {
            (Some(lo), Some(hi)) if lo <= hi && i64::from(hi) - i64::from(lo) < 4096 => {
                let all = Set::full((hi - lo + 1) as usize);
                Some(constant(Value::Set(all), Ty::of(Base::Set(Box::new(Base::Range(lo, hi)))), span))
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        "law::range",
                        "a range of numbers must have two constant bounds",
                        span,
                        "not constant, empty, or longer than 4096",
                    )
                    .help("write `1..6`, with `where` for a condition"),
                );
                None
            }
        }
    }
}
