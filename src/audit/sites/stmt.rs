//! Statements.

use super::{Kind, Sites};
use crate::syntax::tree::{AssignOp, ExprKind, Part, Stmt, StmtKind};

impl Sites<'_> {
    pub(super) fn block(&mut self, body: &[Stmt]) {
        body.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            // `while true` only keeps play going and is not a condition.
            StmtKind::While { cond, body } if matches!(cond.kind, ExprKind::Bool(true)) => return self.block(body),
            // What names a value is used by others, and what has blocks loses their statements one by one.
            StmtKind::Let { .. }
            | StmtKind::Pick { .. }
            | StmtKind::Draw { .. }
            | StmtKind::Roll { .. }
            | StmtKind::When { .. }
            | StmtKind::Match { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::While { .. }
            | StmtKind::For { .. }
            | StmtKind::Secretly { .. } => {}
            _ => {
                let line = self.line(s.span);
                self.replace(Kind::Drop, s.span, "", &format!("`{line}`"));
            }
        }
        if let StmtKind::Assign { place, op, value } = &s.kind {
            let gap = (place.span.end, value.span.start);
            match op {
                AssignOp::Set => {}
                AssignOp::Add => self.swap(Kind::Shift, gap, ("+=", "-="), s.span),
                AssignOp::Sub => self.swap(Kind::Shift, gap, ("-=", "+="), s.span),
            }
        }
        if let StmtKind::Choose(choose) = &s.kind {
            choose.anyway.into_iter().for_each(|span| self.replace(Kind::Drop, span, "", "`asked anyway`"));
        }
        s.parts().into_iter().for_each(|part| self.part(part));
    }

    /// A part of something larger. Where things go and who decides stays.
    pub(super) fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Condition(e) => self.condition(e),
            Part::Any(e) => self.value(e),
            Part::Value(e) => self.expr(e),
            Part::Block(body) => self.block(body),
            Part::Place(_) | Part::Seat(_) => {}
        }
    }
}
