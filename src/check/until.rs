//! Choices of which others are told only once a condition holds.

use super::Checker;
use super::builder::Builder;
use crate::check::Diagnostic;
use crate::model::{ActionId, CodeId, CodeKind, Expr, ExprKind, Secret, VarId};
use crate::syntax::tree;

impl Builder {
    /// The condition of a choice by a seat, which goes into a variable; others do not see it before.
    pub(super) fn until(
        &mut self,
        c: &mut Checker,
        cond: Option<&tree::Expr>,
        (seat, into): (&Expr, Option<VarId>),
    ) -> Option<Expr> {
        let until = c.truth(cond?, &mut self.scope)?;
        c.outlasts(self.code, &until);
        if let Some(var) = into {
            c.hide(self.code, var, seat, &until);
        }
        Some(until)
    }

    /// The condition of an action; others do not see its arguments before.
    pub(super) fn hide_action(&mut self, c: &mut Checker, id: ActionId, a: &tree::Action) {
        let Some(cond) = &a.until else { return };
        let (until, seat) = (c.truth(cond, &mut self.scope), c.expr(&a.by, &mut self.scope));
        let (Some(until), Some(seat)) = (until, seat) else { return };
        for var in c.model.codes[self.code.i()].params.clone() {
            c.hide(self.code, var, &seat, &until);
        }
        c.model.actions[id.i()].until = Some(until);
    }
}

impl Checker {
    fn hide(&mut self, code: CodeId, var: VarId, seat: &Expr, until: &Expr) {
        let (seat, until) = (seat.clone(), Some(until.clone()));
        self.model.secrets.push(Secret { code, var, from: 0, to: u16::MAX, seat, until });
    }

    /// Reports what a condition asks that is gone when the procedure is over. The names of its blocks are kept.
    fn outlasts(&mut self, code: CodeId, until: &Expr) {
        if !matches!(self.model.codes[code.i()].kind, CodeKind::Procedure) {
            return;
        }
        let params = self.model.codes[code.i()].params.clone();
        let own = self.procedures.get(&code).map_or(&[][..], |o| &o.names);
        let own: Vec<VarId> = own.iter().map(|(_, var)| *var).filter(|var| !params.contains(var)).collect();
        let mut found = None;
        until.walk(&mut |e| match &e.kind {
            ExprKind::Var { var, .. } if own.contains(var) => found = Some((e.span, *var)),
            _ => {}
        });
        let Some((span, var)) = found else { return };
        let (var, code) = (self.model.vars[var.i()].name.clone(), self.model.codes[code.i()].name.clone());
        let name = var.rsplit('.').next().unwrap_or("").to_owned();
        self.report(
            Diagnostic::error(
                "law::type",
                format!("`{name}` is gone when `{code}` is over"),
                span,
                "the choice may still be hidden then",
            )
            .help(format!("ask a variable of the game, or write `hidden until {code} is not on`")),
        );
    }
}
