//! Statements that stand for several simpler ones: `match`, `repeat`, and choices that are made again and again.

use super::Checker;
use super::builder::Builder;
use super::expr::{bound, typed};
use crate::model::{Arith, Base, Expr, ExprKind, InstrKind, Order, Target, Ty, Value, VarId};
use crate::span::Span;
use crate::syntax::tree;

/// A loop that counts down.
pub(super) struct Countdown {
    pub(super) left: VarId,
    ty: Ty,
    /// The instruction that leaves it.
    pub(super) leave: usize,
}

/// A choice that is made again and again.
pub(super) struct Round {
    /// Where it begins.
    pub(super) start: u16,
    /// How often at the most.
    pub(super) countdown: Option<Countdown>,
}

impl Builder {
    /// `match E { V, W {..} else {..} }`: the first case that has the value.
    pub(super) fn match_stmt(
        &mut self,
        c: &mut Checker,
        on: &tree::Expr,
        cases: &[(Vec<tree::Expr>, Vec<tree::Stmt>)],
        otherwise: Option<&[tree::Stmt]>,
        span: Span,
    ) {
        let subject = c.expr(on, &mut self.scope);
        let mut arms = Vec::new();
        for (values, body) in cases {
            let cond = subject.as_ref().and_then(|on| c.is_one_of(on, values, &mut self.scope));
            arms.push((cond, body.as_slice()));
        }
        self.cases(c, arms, otherwise, span);
    }

    /// `repeat N times {..}`.
    pub(super) fn repeat(&mut self, c: &mut Checker, times: &tree::Expr, body: &[tree::Stmt], span: Span) {
        let times = self.there(c, times);
        self.clear_stale(span);
        let left = times.map(|times| self.count_from(c, times, span));
        let start = self.here();
        let Some((left, ty)) = left else {
            self.block(c, body);
            return;
        };
        let countdown = self.count_down(left, ty, span);
        self.block(c, body);
        self.again(start, &countdown, span);
    }

    /// `for i in A..B {..}` of bounds that depend on play: A first, then one more each time up to B; none if B is below
    /// A.
    pub(super) fn for_numbers(
        &mut self,
        c: &mut Checker,
        name: &tree::Word,
        (lo, hi): (&tree::Expr, &tree::Expr),
        body: &[tree::Stmt],
        span: Span,
    ) {
        let (lo, hi) = (self.there(c, lo), self.there(c, hi));
        let (Some(lo), Some(hi)) = (lo, hi) else {
            let mark = self.enter();
            self.scope.bind_broken(&name.text);
            self.block(c, body);
            return self.leave(mark);
        };
        let number = Ty::of(Base::Int);
        let arith = |op, a: Expr, b: Expr| typed(ExprKind::Arith(op, Box::new(a), Box::new(b)), number.clone(), span);
        let one = || typed(ExprKind::Const(Value::Int(1)), number.clone(), span);
        let bounds = (bound(&lo, false), bound(&hi, true));
        // As few bits as the numbers need.
        let of = match bounds {
            (Some(least), Some(most)) if least <= most => Base::Range(least, most),
            _ => Base::Int,
        };
        let many = match bounds {
            (Some(least), Some(most)) => {
                most.checked_sub(least).and_then(|n| n.checked_add(1)).map_or(Base::Int, |n| Base::Range(0, n.max(0)))
            }
            _ => Base::Int,
        };
        self.clear_stale(span);
        let last = self.helper(c, hi.ty.clone(), span);
        let last_now = typed(ExprKind::Var { var: last, index: None }, hi.ty.clone(), span);
        self.push(InstrKind::Set(Target { var: last, index: None }, hi), span);
        let times = arith(Arith::Add, arith(Arith::Sub, last_now.clone(), lo), one());
        let times = Expr { ty: Ty::of(many), ..times };
        let (left, ty) = self.count_from(c, times, span);
        let mark = self.enter();
        let start = self.here();
        let countdown = self.count_down(left, ty.clone(), span);
        let into = self.name(c, name, Ty::of(of));
        let left_now = typed(ExprKind::Var { var: left, index: None }, ty, span);
        self.push(InstrKind::Set(Target { var: into, index: None }, arith(Arith::Sub, last_now, left_now)), span);
        self.block(c, body);
        self.leave(mark);
        self.come_round(start, Some(into), span);
        self.push(InstrKind::Jump(start), span);
        self.land(countdown.leave);
        self.stale.extend([left, last]);
    }

    /// `p may repeatedly choose an action among A up to N`: asked again until it is declined, nothing can be chosen, or
    /// it was done N times; `p repeatedly chooses an action among A if any` until none is legal.
    pub(super) fn repeatedly(&mut self, c: &mut Checker, d: &tree::Choose, most: Option<&tree::Expr>, span: Span) {
        let most = most.map(|most| self.there(c, most));
        self.clear_stale(span);
        let left = match most {
            Some(Some(most)) => Some(self.count_from(c, most, span)),
            Some(None) => return,
            None => None,
        };
        let start = self.here();
        let countdown = left.map(|(left, ty)| self.limit(left, ty, span));
        let once = tree::Choose { repeated: None, ..d.clone() };
        self.once(c, &once, Some(Round { start, countdown }), span);
    }

    fn count_from(&mut self, c: &mut Checker, times: Expr, span: Span) -> (VarId, Ty) {
        // As few bits as the number needs.
        let base = match times.ty.base {
            Base::Range(_, hi) => Base::Range(0, hi.max(0)),
            _ => Base::Int,
        };
        let ty = Ty::of(base);
        let left = self.helper(c, ty.clone(), span);
        let zero = || typed(ExprKind::Const(Value::Int(0)), Ty::of(Base::Int), span);
        // Fewer than none is none.
        let least = ExprKind::Arith(Arith::Max, Box::new(times), Box::new(zero()));
        let times = typed(least, ty.clone(), span);
        self.push(InstrKind::Set(Target { var: left, index: None }, times), span);
        (left, ty)
    }

    fn limit(&mut self, left: VarId, ty: Ty, span: Span) -> Countdown {
        let now = typed(ExprKind::Var { var: left, index: None }, ty.clone(), span);
        let zero = typed(ExprKind::Const(Value::Int(0)), Ty::of(Base::Int), span);
        let more = ExprKind::Compare(Order::Gt, Box::new(now), Box::new(zero));
        let leave = self.push(InstrKind::Unless(typed(more, Ty::of(Base::Bool), span), 0), span);
        Countdown { left, ty, leave }
    }

    pub(super) fn one_less(&mut self, countdown: &Countdown, span: Span) {
        let Countdown { left, ty, .. } = countdown;
        let now = typed(ExprKind::Var { var: *left, index: None }, ty.clone(), span);
        let one = typed(ExprKind::Const(Value::Int(1)), Ty::of(Base::Int), span);
        let less = typed(ExprKind::Arith(Arith::Sub, Box::new(now), Box::new(one)), ty.clone(), span);
        self.push(InstrKind::Set(Target { var: *left, index: None }, less), span);
    }

    fn count_down(&mut self, left: VarId, ty: Ty, span: Span) -> Countdown {
        let countdown = self.limit(left, ty, span);
        self.one_less(&countdown, span);
        countdown
    }

    fn again(&mut self, start: u16, countdown: &Countdown, span: Span) {
        self.come_round(start, None, span);
        self.push(InstrKind::Jump(start), span);
        self.land(countdown.leave);
        self.stale.insert(countdown.left);
    }
}

impl Checker {
    /// Whether a value is one of some constants.
    fn is_one_of(&mut self, on: &Expr, values: &[tree::Expr], scope: &mut super::scope::Scope) -> Option<Expr> {
        let bool = Ty::of(Base::Bool);
        let mut found: Option<Expr> = None;
        let reading = self.reading_of(on);
        for value in values {
            let constant = self.pattern(value, on, reading, scope)?;
            let constant = typed(ExprKind::Const(constant), on.ty.clone(), value.span);
            let is = ExprKind::Equal(Box::new(on.clone()), Box::new(constant), true);
            let is = typed(is, bool.clone(), value.span);
            found = Some(match found {
                None => is,
                Some(other) => {
                    let span = other.span.to(is.span);
                    typed(ExprKind::Or(Box::new(other), Box::new(is)), bool.clone(), span)
                }
            });
        }
        found
    }
}
