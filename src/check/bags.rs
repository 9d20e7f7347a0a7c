//! Compiles statements about bags to instructions.

use super::Checker;
use super::builder::Builder;
use super::declare::cites;
use super::expr::{constant, copies_of, typed, unread};
use crate::check::Diagnostic;
use crate::model::{
    Arith, BagOp, Base, Chance, ChanceWhat, Change, Count, CountOp, Expr, ExprKind, InstrKind, MAX_COPIES, Order,
    Target, Ty, Value, VarId,
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
        if other.ty.base == ty.base {
            self.change_bag(c, op, target, other, span);
            return Some(());
        }
        let (wanted, got) = (c.words(ty), super::types::article(&c.words(&other.ty)));
        c.report(
            Diagnostic::error(
                "law::type",
                "a bag is changed by another bag of its type",
                value.span,
                format!("this is {got}"),
            )
            .help(format!("name a `{wanted}`, or write `{{}}` to empty it, or `put x into` it, or `take x from` it")),
        );
        None
    }

    /// Changes a bag by another, or by several together. They are applied in turn; if one of them may depend on
    /// the bag that changes, they are added up first.
    fn change_bag(&mut self, c: &mut Checker, op: BagOp, to: Target, other: Expr, span: Span) {
        let mut parts = Vec::new();
        parts_of(other, &mut parts);
        if parts.len() > 1 && parts.iter().any(|part| depends_on(part, to.var)) {
            let ty = c.model.vars[to.var.i()].ty.clone();
            let (together, var) = self.bag_of(c, parts, ty, span);
            self.push(Change::Bag(op, to, Some(together)), span);
            self.stale.insert(var);
            return;
        }
        for (i, part) in parts.into_iter().enumerate() {
            let op = if i > 0 && op == BagOp::Become { BagOp::Add } else { op };
            self.push(Change::Bag(op, to.clone(), Some(part)), span);
        }
    }

    /// A variable that holds the copies of several bags together.
    fn bag_of(&mut self, c: &mut Checker, parts: Vec<Expr>, ty: Ty, span: Span) -> (Expr, VarId) {
        let var = self.helper(c, ty.clone(), span);
        for (i, part) in parts.into_iter().enumerate() {
            let op = if i > 0 { BagOp::Add } else { BagOp::Become };
            self.push(Change::Bag(op, Target { var, index: None }, Some(part)), span);
        }
        (typed(ExprKind::Var { var, index: None }, ty, span), var)
    }

    /// An argument of a procedure: a bag is a variable, so that it can be copied. What is made for it is added to the
    /// list.
    pub(super) fn bag_argument(&mut self, c: &mut Checker, arg: Expr, made: &mut Vec<VarId>) -> Expr {
        if !matches!(arg.ty.base, Base::Bag(_)) || matches!(arg.kind, ExprKind::Var { .. }) {
            return arg;
        }
        let (ty, span) = (arg.ty.clone(), arg.span);
        let mut parts = Vec::new();
        parts_of(arg, &mut parts);
        let (arg, var) = self.bag_of(c, parts, ty, span);
        made.push(var);
        arg
    }

    /// `B[x] := n`, `B[x] += n`, `B[x] -= n`.
    pub(super) fn assign_copies(
        &mut self,
        c: &mut Checker,
        copies: Expr,
        op: tree::AssignOp,
        value: &tree::Expr,
        span: Span,
    ) -> Option<()> {
        let number = self.copies_wanted(c, value);
        let ExprKind::Copies { bag, item, of } = copies.kind else { return None };
        let bag = changed_bag(c, *bag)?;
        let item = c.fit(*item, &Ty::of(of), "what is counted")?;
        let op = match op {
            tree::AssignOp::Set => CountOp::Become,
            tree::AssignOp::Add => CountOp::Add,
            tree::AssignOp::Sub => CountOp::Less,
        };
        self.push(Change::Count(Box::new(Count { op, number: number?, item, bag })), span);
        Some(())
    }

    fn copies_wanted(&mut self, c: &mut Checker, number: &tree::Expr) -> Option<Expr> {
        let number = c.expr(number, &mut self.scope)?;
        c.fit(number, &Ty::of(Base::Int), "the number of copies")
    }

    /// `put N x into B`.
    pub(super) fn put_copies(
        &mut self,
        c: &mut Checker,
        number: &tree::Expr,
        (item, bag): (&tree::Expr, &tree::Expr),
        span: Span,
    ) -> Option<()> {
        let number = self.copies_wanted(c, number);
        let (item, bag) = self.item_and_bag(c, item, bag)?;
        self.push(Change::Count(Box::new(Count { op: CountOp::Add, number: at_least_none(number?), item, bag })), span);
        Some(())
    }

    /// `take N x from B`, or without a number `take all x from B`.
    pub(super) fn take_copies(
        &mut self,
        c: &mut Checker,
        number: Option<&tree::Expr>,
        (item, bag): (&tree::Expr, &tree::Expr),
        span: Span,
    ) -> Option<()> {
        let (op, number) = match number {
            Some(number) => (CountOp::Less, self.copies_wanted(c, number).map(at_least_none)),
            None => (CountOp::Become, Some(constant(Value::Int(0), Ty::of(Base::Int), span))),
        };
        let (item, bag) = self.item_and_bag(c, item, bag)?;
        self.push(Change::Count(Box::new(Count { op, number: number?, item, bag })), span);
        Some(())
    }

    /// `move N x from B to C`, or without a number `move all x from B to C`. How many of what is settled before any is
    /// taken, because both may depend on what the bag holds.
    pub(super) fn move_copies(
        &mut self,
        c: &mut Checker,
        number: Option<&tree::Expr>,
        item: &tree::Expr,
        (from, to): (&tree::Expr, &tree::Expr),
        span: Span,
    ) -> Option<()> {
        let number = number.map(|number| self.copies_wanted(c, number));
        let from = self.item_and_bag(c, item, from);
        let to = self.item_and_bag(c, item, to);
        let ((item, from), (_, to)) = (from?, to?);
        let item = self.settled(c, item, span);
        let number = match number {
            Some(number) => at_least_none(number?),
            None => {
                let Base::Bag(of) = c.model.vars.get(from.var.i())?.ty.base.clone() else { return None };
                let of = *of;
                let bag = ExprKind::Var { var: from.var, index: from.index.clone().map(Box::new) };
                let bag = typed(bag, Ty::of(Base::Bag(Box::new(of.clone()))), span);
                let kind = ExprKind::Copies { bag: Box::new(bag), item: Box::new(item.clone()), of };
                typed(kind, Ty::of(Base::Range(0, i32::from(MAX_COPIES))), span)
            }
        };
        let number = self.settled(c, number, span);
        let count = |op, bag| Change::Count(Box::new(Count { op, number: number.clone(), item: item.clone(), bag }));
        self.push(count(CountOp::Less, from), span);
        self.push(count(CountOp::Add, to), span);
        Some(())
    }

    /// An expression that keeps its value while a bag changes.
    fn settled(&mut self, c: &mut Checker, e: Expr, span: Span) -> Expr {
        if matches!(e.kind, ExprKind::Const(_) | ExprKind::Var { index: None, .. }) {
            return e;
        }
        let ty = e.ty.clone();
        let var = self.helper(c, ty.clone(), span);
        self.push(InstrKind::Set(Target { var, index: None }, e), span);
        self.stale.insert(var);
        typed(ExprKind::Var { var, index: None }, ty, span)
    }

    /// What is counted, and the bag in which it is.
    fn item_and_bag(&mut self, c: &mut Checker, item: &tree::Expr, bag: &tree::Expr) -> Option<(Expr, Target)> {
        let at = bag.span;
        let item = c.expr(item, &mut self.scope);
        let (bag, ty) = c.pile_target(bag, &mut self.scope)?;
        let Base::Bag(of) = ty.base else {
            let got = super::types::article(&c.words(&ty));
            c.report(
                Diagnostic::error("law::type", "only a bag holds several copies", at, format!("this is {got}"))
                    .help("leave the number out, or declare it `bag of KIND`"),
            );
            return None;
        };
        let item = c.fit(item?, &Ty::of(*of), "what is counted")?;
        Some((item, bag))
    }

    /// `draw x from B where C`.
    pub(super) fn draw(
        &mut self,
        c: &mut Checker,
        name: &tree::Word,
        (bag, cond): (&tree::Expr, Option<&tree::Expr>),
        log: Option<&tree::Label>,
        cite: &[tree::Word],
        span: Span,
    ) -> Option<()> {
        let (domain, ()) = c.domain(name, bag, cond, &mut self.scope, |_, _| Some(()))?;
        let of = domain.of.clone();
        let Some(copies) = copies_of(&domain, bag.span) else {
            let got = super::types::article(&c.words(&domain.set.ty));
            let text = c.model.sources.line(bag.span);
            c.report(
                Diagnostic::error("law::type", "only from a bag is drawn", bag.span, format!("this is {got}"))
                    .help(format!("write `pick {} at random from {text}`: each equally likely", name.text)),
            );
            return None;
        };
        let total = typed(ExprKind::Sum(Box::new(copies), domain), Ty::of(Base::Int), bag.span);
        let into = self.name(c, name, Ty::of(of.clone()));
        let log = self.notation(c, log, into, span);
        let what = ChanceWhat::Draw { total, of, into };
        self.push(InstrKind::Chance(Box::new(Chance { what, log, cites: cites(cite) })), span);
        Some(())
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

/// The bags that are put together.
fn parts_of(bag: Expr, parts: &mut Vec<Expr>) {
    match bag.kind {
        ExprKind::SetOp(_, a, b) => {
            parts_of(*a, parts);
            parts_of(*b, parts);
        }
        _ => parts.push(bag),
    }
}

/// Whether which bag this is, or what it holds, may depend on a variable.
fn depends_on(bag: &Expr, var: VarId) -> bool {
    let mut calls = false;
    bag.walk(&mut |e| calls |= matches!(e.kind, ExprKind::Call { .. } | ExprKind::Would { .. }));
    calls || bag.reads(var)
}

/// The bag that changes where the number of copies of something in it does.
fn changed_bag(c: &mut Checker, bag: Expr) -> Option<Target> {
    if let ExprKind::Var { var, index } = bag.kind {
        return Some(Target { var, index: index.map(|i| *i) });
    }
    c.report(
        Diagnostic::error("law::type", "this bag does not change", bag.span, "not a variable")
            .help("name a `var` of type `bag of`"),
    );
    None
}

/// Fewer than no copies are none.
fn at_least_none(number: Expr) -> Expr {
    match &number.ty.base {
        Base::Range(lo, _) if *lo >= 0 => return number,
        _ if matches!(&number.kind, ExprKind::Const(Value::Int(i)) if *i >= 0) => return number,
        _ => {}
    }
    let base = match number.ty.base {
        Base::Range(_, hi) => Base::Range(0, hi.max(0)),
        _ => Base::Int,
    };
    let (ty, span) = (Ty::of(base), number.span);
    let none = constant(Value::Int(0), Ty::of(Base::Int), span);
    typed(ExprKind::Arith(Arith::Max, Box::new(number), Box::new(none)), ty, span)
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
        .help(format!(
            "write `draw x from {text}` so that each copy is equally likely, or `{{ x in {text} }}` so that each \
             value is"
        )),
    );
    true
}
