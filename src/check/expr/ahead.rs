//! `would(E)`: what a clause asks about the position that an action would lead to.

use super::typed;
use crate::check::scope::{Ahead, Scope};
use crate::check::types::article;
use crate::check::{Checker, Diagnostic};
use crate::model::{Base, Expr, ExprKind};
use crate::span::Span;
use crate::syntax::tree;

impl Checker {
    /// `would(E)`.
    pub(super) fn would(&mut self, args: &[tree::Expr], span: Span, sc: &mut Scope) -> Option<Expr> {
        let [of] = args else {
            self.arity("would", &["E"], args.len(), span);
            return None;
        };
        let action = match sc.ahead {
            Ahead::After(action) => action,
            Ahead::Nowhere => {
                self.would_nowhere(of, span);
                return None;
            }
            Ahead::Inside => {
                let text = self.model.sources.line(of.span);
                self.report(
                    Diagnostic::error(
                        "law::type",
                        "`would` inside `would`",
                        span,
                        "this is already about the position afterwards",
                    )
                    .help(format!("write `{text}` alone")),
                );
                return None;
            }
        };
        let known = sc.look_ahead();
        let found = self.expr(of, sc);
        sc.look_back(action, known);
        let of = found?;
        if !matches!(of.ty.base, Base::Bool | Base::Int | Base::Range(..) | Base::Member(_)) {
            let words = self.words(&of.ty);
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("`would` must give a Bool, a number or a member, not {}", article(&words)),
                    of.span,
                    format!("this is {}", article(&words)),
                )
                .help("put everything about the position afterwards inside: `would(x in S)`, `would(size(S))`"),
            );
            return None;
        }
        let ty = of.ty.clone();
        Some(typed(ExprKind::Would { action, of: Box::new(of) }, ty, span))
    }

    fn would_nowhere(&mut self, of: &tree::Expr, span: Span) {
        let text = self.model.sources.line(of.span);
        let help = match self.in_def {
            Some(def) => {
                let def = &self.model.defs[def.i()];
                let args = if def.params.is_empty() { "" } else { "..." };
                format!("write `{text}` here, and in the clause on the action `would({}({args}))`", def.name)
            }
            None => format!(
                "write `{text}` for the position as it is; ask what an action would lead to in a clause on that action"
            ),
        };
        self.report(
            Diagnostic::error(
                "law::type",
                "`would` can be asked only in a clause on an action",
                span,
                "no action is judged here",
            )
            .help(format!("it may stand in the `when`, `so that` and `prefer` of `may`, `may not` and `must`; {help}")),
        );
    }
}
