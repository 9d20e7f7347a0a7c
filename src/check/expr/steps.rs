//! Steps from member to member: `reach(FROM, a to b in SET ...)` and `way(FROM, TO, a to b in SET ...)`.

use super::typed;
use crate::check::scope::Scope;
use crate::check::types::{article, as_set};
use crate::check::{Checker, Diagnostic};
use crate::model::{Base, Expr, ExprKind, KindId, Steps, Ty};
use crate::span::Span;
use crate::syntax::tree;

impl Checker {
    /// `reach` by steps, or `way` if there is a `to`.
    pub(super) fn steps(
        &mut self,
        from: &tree::Expr,
        to: Option<&tree::Expr>,
        steps: &tree::Steps,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        let name = if to.is_some() { "way" } else { "reach" };
        let from = as_set(self.expr(from, sc)?);
        let kind = self.begins(&from, name)?;
        let member = Ty::of(Base::Member(kind));
        let to = match to {
            Some(to) => {
                let to = self.expr(to, sc)?;
                Some(self.fit(to, &Ty { optional: true, ..member.clone() }, "where `way` ends")?)
            }
            None => None,
        };
        let within = match &steps.within {
            Some(within) => Some(Box::new(self.numeric(within, sc)?)),
            None => None,
        };
        if steps.a.text == steps.b.text {
            self.report(
                Diagnostic::error(
                    "law::duplicate",
                    "both ends of a step have the same name",
                    steps.b.span,
                    "the same again",
                )
                .help("write two names: `a to b in SET`"),
            );
            return None;
        }
        let a = sc.bind(&steps.a.text, member.clone());
        let set = self.set(&steps.set, sc);
        let set = set.and_then(|s| {
            self.fit(s, &Ty::of(Base::Set(Box::new(member.base.clone()))), &format!("where a step of `{name}` leads"))
        });
        let b = sc.bind(&steps.b.text, member.clone());
        let cond = steps.cond.as_ref().map(|c| self.truth(c, sc));
        let cost = steps.cost.as_ref().map(|c| self.numeric(c, sc));
        sc.unbind();
        sc.unbind();
        let boxed = |e: Option<Option<Expr>>| match e {
            Some(e) => Some(Some(Box::new(e?))),
            None => Some(None),
        };
        let (set, cond, cost) = (Box::new(set?), boxed(cond)?, boxed(cost)?);
        let steps = Steps { kind, from: Box::new(from), a, b, set, cond, cost };
        Some(match to {
            Some(to) => {
                let ty = Ty { base: Base::Int, optional: true };
                typed(ExprKind::Way { steps, to: Box::new(to) }, ty, span)
            }
            None => typed(ExprKind::Reached { steps, within }, Ty::of(Base::Set(Box::new(member.base))), span),
        })
    }

    /// The kind of the members that steps begin at.
    fn begins(&mut self, from: &Expr, name: &str) -> Option<KindId> {
        let kind = match &from.ty.base {
            Base::Member(kind) => Some(*kind),
            Base::Set(of) => match **of {
                Base::Member(kind) => Some(kind),
                _ => None,
            },
            _ => None,
        };
        if kind.is_none() {
            let words = self.words(&from.ty);
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("`{name}` begins at a member or a set of members, not at {}", article(&words)),
                    from.span,
                    format!("this is {}", article(&words)),
                )
                .help("name a member, a set or a pile: `reach(FROM, a to b in SET)`"),
            );
        }
        kind
    }
}
