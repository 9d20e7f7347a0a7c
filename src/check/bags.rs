//! Compiles statements about bags to instructions.

use super::Checker;
use super::builder::Builder;
use super::declare::cites;
use super::expr::{constant, typed, unread};
use crate::check::Diagnostic;
use crate::model::{
    Arith, BagOp, Base, Chance, ChanceWhat, Change, Expr, ExprKind, InstrKind, Order, Target, Ty, Value, VarId,
};
use crate::span::Span;
use crate::syntax::tree;

impl Builder {
    /// `B := {}`, `B := C`, `B += C`, `B -= C`.
    pub(super) fn assign_bag(
        &mut self,
        c: &mut Checker,
        (target, ty): (Target, &Ty),
        op: tree::AssignOp,
        value: &tree::Expr,
        span: Span,
    ) -> Option<()> {
        let op = match op {
            tree::AssignOp::Set => BagOp::Become,
            tree::AssignOp::Add => BagOp::Add,
            tree::AssignOp::Sub => BagOp::Less,
        };
        let empty = matches!(&value.kind, tree::ExprKind::Set(items) if items.is_empty());
        if empty && op == BagOp::Become {
            self.push(Change::Bag(op, target, None), span);
            return Some(());
        }
        let other = unread(c.expr(value, &mut self.scope)?);
        match other.kind {
            ExprKind::Var { var, index } if other.ty.base == ty.base => {
                let other = Target { var, index: index.map(|i| *i) };
                self.push(Change::Bag(op, target, Some(other)), span);
                Some(())
            }
            _ => {
                let (wanted, got) = (c.words(ty), super::types::article(&c.words(&other.ty)));
                c.report(
                    Diagnostic::error(
                        "law::type",
                        "a bag is changed by another bag of its type",
                        value.span,
                        format!("this is {got}"),
                    )
                    .help(format!(
                        "name a `{wanted}`, or write `{{}}` to empty it, or `put x into` it, or `take x from` it"
                    )),
                );
                None
            }
        }
    }

    /// `roll d from A..B times N into BAG`: one die after another. The variable of the die is cleared before the next,
    /// so that rolls in another order give the same position.
    pub(super) fn roll_into(
        &mut self,
        c: &mut Checker,
        (name, lo, hi): (&tree::Word, &tree::Expr, &tree::Expr),
        into: &tree::RollInto,
        log: Option<&tree::Label>,
        cite: &[tree::Word],
        span: Span,
    ) -> Option<()> {
        let (lo, hi) = (self.there(c, lo), self.there(c, hi));
        let times = c.expr(&into.times, &mut self.scope);
        let times = times.and_then(|e| c.fit(e, &Ty::of(Base::Int), "how many are rolled"));
        let (bag, of) = self.bag_of_numbers(c, &into.bag)?;
        let (lo, hi, times) = (c.fit(lo?, &of, "a bound")?, c.fit(hi?, &of, "a bound")?, times?);
        let number = Ty::of(Base::Int);
        let left = self.helper(c, number.clone(), span);
        let set = |var: VarId, value: Expr| InstrKind::Set(Target { var, index: None }, value);
        let now = |var: VarId| typed(ExprKind::Var { var, index: None }, Ty::of(Base::Int), span);
        let int = |i: i32| Box::new(constant(Value::Int(i), Ty::of(Base::Int), span));
        self.clear_stale(span);
        self.push(set(left, times), span);
        let start = self.here();
        let more = ExprKind::Compare(Order::Gt, Box::new(now(left)), int(0));
        let leave = self.push(InstrKind::Unless(typed(more, Ty::of(Base::Bool), span), 0), span);
        let less = ExprKind::Arith(Arith::Sub, Box::new(now(left)), int(1));
        self.push(set(left, typed(less, number.clone(), span)), span);
        let mark = self.scope.mark();
        let maybe = Ty { optional: true, ..number };
        let die = self.name(c, name, maybe.clone());
        self.scope.narrow_var(die, span);
        let log = self.notation(c, log, die, span);
        let what = ChanceWhat::Roll { lo, hi, into: die };
        self.push(InstrKind::Chance(Box::new(Chance { what, log, cites: cites(cite) })), span);
        self.push(Change::Put(now(die), bag), span);
        self.push(set(die, constant(Value::None, maybe, span)), span);
        self.scope.leave(mark);
        self.push(InstrKind::Jump(start), span);
        self.land(leave);
        self.stale.insert(left);
        Some(())
    }

    /// The bag that dice are rolled into, and the type of what it holds.
    fn bag_of_numbers(&mut self, c: &mut Checker, e: &tree::Expr) -> Option<(Target, Ty)> {
        let (bag, ty) = c.pile_target(e, &mut self.scope)?;
        match &ty.base {
            Base::Bag(of) if matches!(**of, Base::Range(..)) => Some((bag, Ty::of((**of).clone()))),
            _ => {
                let got = super::types::article(&c.words(&ty));
                c.report(
                    Diagnostic::error(
                        "law::type",
                        "dice are rolled into a bag of numbers",
                        e.span,
                        format!("this is {got}"),
                    )
                    .help("declare it `var NAME: bag of 1..6`"),
                );
                None
            }
        }
    }
}

/// Reports a random draw from a bag. Returns whether it is one.
pub(super) fn drawn_from_bag(c: &mut Checker, set: &Expr, filtered: bool, at: Span) -> bool {
    let from = match &set.kind {
        ExprKind::Compr { domain, map: None, .. } if filtered => &domain.set,
        _ => set,
    };
    if from.bag().is_none() {
        return false;
    }
    let text = c.model.sources.line(at);
    c.report(
        Diagnostic::error(
            "law::type",
            "nothing is picked at random from a bag",
            at,
            "copies would make some likelier than others",
        )
        .help(format!("write `{{ x in {text} }}` to pick among what is in it, each equally likely")),
    );
    true
}
