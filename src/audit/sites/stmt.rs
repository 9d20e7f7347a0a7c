//! Statements.

use super::{Kind, Sites};
use crate::syntax::tree::{AssignOp, Choose, ChooseWhat, Stmt, StmtKind};

impl Sites<'_> {
    pub(super) fn block(&mut self, body: &[Stmt]) {
        body.iter().for_each(|s| self.stmt(s));
    }

    fn drop_stmt(&mut self, s: &Stmt) {
        let line = self.line(s.span);
        self.replace(Kind::Drop, s.span, "", &format!("`{line}`"));
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Assign { place, op, value } => {
                self.drop_stmt(s);
                let gap = (place.span.end, value.span.start);
                match op {
                    AssignOp::Set => {}
                    AssignOp::Add => self.swap(Kind::Shift, gap, ("+=", "-="), s.span),
                    AssignOp::Sub => self.swap(Kind::Shift, gap, ("-=", "+="), s.span),
                }
                self.value(value);
            }
            StmtKind::Let { value, .. } => self.value(value),
            StmtKind::Call { args, .. } => {
                self.drop_stmt(s);
                args.iter().for_each(|a| self.value(a));
            }
            StmtKind::When { arms } => {
                for (cond, body) in arms {
                    if let Some(cond) = cond {
                        self.condition(cond);
                    }
                    self.block(body);
                }
            }
            StmtKind::While { cond, body } => {
                // `while true` only keeps play going and is not a condition.
                if !matches!(cond.kind, crate::syntax::tree::ExprKind::Bool(true)) {
                    self.condition(cond);
                }
                self.block(body);
            }
            StmtKind::For { set, by, body, .. } => {
                self.expr(set);
                by.iter().for_each(|e| self.expr(e));
                self.block(body);
            }
            StmtKind::Put { item, .. } | StmtKind::Take { item, .. } | StmtKind::Move { item, .. } => {
                self.drop_stmt(s);
                self.expr(item);
            }
            StmtKind::MoveAll { .. } | StmtKind::Shuffle { .. } | StmtKind::Finish { .. } => self.drop_stmt(s),
            StmtKind::Choose(choose) => {
                self.drop_stmt(s);
                self.choose(choose);
            }
            StmtKind::Secretly { body } => self.block(body),
            StmtKind::Pick { set, cond, .. } => {
                self.expr(set);
                cond.iter().for_each(|c| self.condition(c));
            }
            StmtKind::Roll { lo, hi, into, .. } => {
                self.expr(lo);
                self.expr(hi);
                into.iter().for_each(|i| self.expr(&i.times));
            }
        }
    }

    fn choose(&mut self, choose: &Choose) {
        match &choose.what {
            ChooseWhat::One { set, cond, .. } => {
                self.expr(set);
                cond.iter().for_each(|c| self.condition(c));
            }
            ChooseWhat::Several { lo, hi, set, cond, .. } => {
                [lo, hi, set].into_iter().for_each(|e| self.expr(e));
                cond.iter().for_each(|c| self.condition(c));
            }
            ChooseWhat::Number { lo, hi, .. } => [lo, hi].into_iter().for_each(|e| self.expr(e)),
            ChooseWhat::Act { .. } | ChooseWhat::Yes { .. } => {}
        }
        self.block(&choose.body);
    }
}
