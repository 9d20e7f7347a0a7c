//! Compiles statements to instructions.

use std::collections::BTreeSet;

use super::Checker;
use super::builder::{Builder, Mark};
use super::choose::self_log;
use super::declare::cites;
use super::during::{Begun, Site};
use super::expr::{typed, unread};
use super::types::as_set;
use crate::check::Diagnostic;
use crate::model::{
    Base, Chance, ChanceWhat, Change, ChooseWhat, CodeId, Domain, Expr, ExprKind, InstrKind, Target, Template, Ty,
    Value, VarId,
};
use crate::span::Span;
use crate::syntax::tree::{self, HowMany, StmtKind as S};

/// Blocks of which one happens.
struct Branches {
    /// The jumps behind the last.
    ends: Vec<usize>,
    /// The stale variables with which each begins.
    before: BTreeSet<VarId>,
    /// Those that each leaves.
    after: BTreeSet<VarId>,
}

impl Branches {
    fn new(builder: &Builder) -> Branches {
        Branches { ends: Vec::new(), before: builder.stale.clone(), after: BTreeSet::new() }
    }
}

impl Builder {
    /// The statements of a block, with its own names.
    pub(super) fn block(&mut self, c: &mut Checker, body: &[tree::Stmt]) {
        let mark = self.enter();
        for s in body {
            self.stmt(c, s);
        }
        self.leave(mark);
    }

    /// One statement.
    pub(super) fn stmt(&mut self, c: &mut Checker, s: &tree::Stmt) {
        let span = s.span;
        self.scope.here = Some(self.here());
        match &s.kind {
            S::Assign { place, op, value } => {
                self.assign(c, place, *op, value, span);
            }
            S::Let { name, value } => {
                let value = c.expr(value, &mut self.scope).map(as_set);
                match value {
                    Some(value) => self.let_(c, name, value, span),
                    None => self.scope.bind_broken(&name.text),
                }
            }
            S::Call { name, args } => self.call(c, name, args, span),
            S::When { arms } => self.when(c, arms, span),
            S::Match { on, cases, otherwise } => self.match_stmt(c, on, cases, otherwise.as_deref(), span),
            S::Repeat { times, body } => self.repeat(c, times, body, span),
            S::While { cond, body } => self.while_(c, cond, body, span),
            S::For { name, set, chosen_by: None, by: Some(by), body } => self.for_by(c, name, set, by, body, span),
            S::For { name, set, chosen_by, body, .. } => self.for_(c, name, set, chosen_by.as_ref(), body, span),
            S::Put { many: HowMany::Number(n), item, pile } => {
                self.put_copies(c, n, (item, pile), span);
            }
            S::Put { item, pile, .. } => {
                if let Some((item, pile)) = self.item_and_pile(c, item, pile) {
                    self.push(Change::Put(item, pile), span);
                }
            }
            S::Take { many: many @ (HowMany::Number(_) | HowMany::All), item, pile } => {
                self.take_copies(c, many.number(), (item, pile), span);
            }
            S::Take { item, pile, .. } => {
                if let Some((item, pile)) = self.item_and_pile(c, item, pile) {
                    self.push(Change::Take(item, pile), span);
                }
            }
            S::Move { many: many @ (HowMany::Number(_) | HowMany::All), item, from, to } => {
                self.move_copies(c, many.number(), item, (from, to), span);
            }
            S::Move { item, from, to, .. } => {
                let from = self.item_and_pile(c, item, from);
                let to = self.item_and_pile(c, item, to);
                if let (Some((item, from)), Some((again, to))) = (from, to) {
                    self.move_one(c, item, again, from, to, span);
                }
            }
            S::MoveAll { from, to } => {
                let (from, to) = (c.pile_target(from, &mut self.scope), c.pile_target(to, &mut self.scope));
                if let (Some((from, a)), Some((to, b))) = (from, to) {
                    let is_bag = |ty: &Ty| matches!(ty.base, Base::Bag(_));
                    if elements(&a.base) == elements(&b.base) && is_bag(&a) == is_bag(&b) {
                        self.push(Change::MoveAll(from, to), span);
                    } else {
                        c.report(
                            Diagnostic::error(
                                "law::type",
                                "these piles are of different kinds",
                                span,
                                format!("from {} to {}", c.words(&a), c.words(&b)),
                            )
                            .help("name two piles of one kind"),
                        );
                    }
                }
            }
            S::Shuffle { pile } => self.shuffle(c, pile, span),
            S::Choose(choose) => self.choose(c, choose, span),
            S::Secretly { body } => self.secretly(c, body, span),
            S::Pick { name, set, cond, log, cite } => self.pick(c, name, set, cond.as_ref(), log.as_ref(), cite, span),
            S::Draw { name, bag, cond, log, cite } => {
                if self.draw(c, name, (bag, cond.as_ref()), log.as_ref(), cite, span).is_none() {
                    self.scope.bind_broken(&name.text);
                }
            }
            S::Roll { name, lo, hi, into: Some(into), log, cite } => {
                self.roll_into(c, (name, lo, hi), into, log.as_ref(), cite, span);
            }
            S::Roll { name, lo, hi, into: None, log, cite } => {
                let (lo, hi) = (self.there(c, lo), self.there(c, hi));
                if lo.is_none() || hi.is_none() {
                    self.scope.bind_broken(&name.text);
                }
                if let (Some(lo), Some(hi)) = (lo, hi) {
                    let into = self.name(c, name, Ty { base: Base::Int, optional: false });
                    let log = self.notation(c, log.as_ref(), into, span);
                    self.push(
                        InstrKind::Chance(Box::new(Chance {
                            what: ChanceWhat::Roll { lo, hi, into },
                            log,
                            cites: cites(cite),
                        })),
                        span,
                    );
                }
            }
            S::Finish { procedure } => {
                if let Some(code) = c.procedure_named(procedure) {
                    self.push(InstrKind::Finish(code), span);
                }
            }
        }
    }

    // A number that must be there.
    pub(super) fn there(&mut self, c: &mut Checker, e: &tree::Expr) -> Option<Expr> {
        let e = c.expr(e, &mut self.scope)?;
        c.fit(e, &Ty::of(Base::Int), "a bound")
    }

    fn let_(&mut self, c: &mut Checker, name: &tree::Word, value: Expr, span: Span) {
        let ty = match value.ty.base {
            Base::Text => {
                self.scope.bind_broken(&name.text);
                c.report(
                    Diagnostic::error("law::type", "a text cannot be kept in play", value.span, "a text")
                        .help("write the text where it is used"),
                );
                return;
            }
            Base::Nothing => {
                self.scope.bind_broken(&name.text);
                c.report(
                    Diagnostic::error("law::type", "the type of this name is unknown", span, "always nothing")
                        .help("give it a value, or a `var` with a type"),
                );
                return;
            }
            Base::Set(ref of) if **of == Base::Nothing => {
                self.scope.bind_broken(&name.text);
                c.report(
                    Diagnostic::error("law::type", "the empty set of what?", span, "no kind")
                        .help("declare a `var` of type `set of KIND` in the procedure"),
                );
                return;
            }
            _ => value.ty.clone(),
        };
        if !ty.optional {
            c.need(&value);
        }
        let var = self.name(c, name, ty);
        self.push(InstrKind::Set(Target { var, index: None }, value), span);
    }

    fn target(&self, c: &mut Checker, place: &tree::Expr, expr: Expr) -> Option<(Target, Ty)> {
        match expr.kind {
            ExprKind::Var { var, index } => {
                c.can_change(var, index.as_deref(), place.span, &self.scope)?;
                let ty = c.model.vars[var.i()].ty.clone();
                Some((Target { var, index: index.map(|i| *i) }, ty))
            }
            ExprKind::Printed { .. } => {
                c.report(
                    Diagnostic::error("law::type", "a printed field does not change", place.span, "printed")
                        .help("mark the field `var` in its kind"),
                );
                None
            }
            _ => {
                c.report(
                    Diagnostic::error("law::type", "this cannot be changed", place.span, "not a variable")
                        .help("write a variable or a `var` field; a name given by `let` or `for` does not change"),
                );
                None
            }
        }
    }

    fn assign(
        &mut self,
        c: &mut Checker,
        place: &tree::Expr,
        op: tree::AssignOp,
        value: &tree::Expr,
        span: Span,
    ) -> Option<()> {
        let found = unread(c.expr(place, &mut self.scope)?);
        if matches!(found.kind, ExprKind::Copies { .. }) {
            return self.assign_copies(c, found, op, value, span);
        }
        let (target, ty) = self.target(c, place, found)?;
        if matches!(ty.base, Base::List(_)) {
            c.report(
                Diagnostic::error("law::type", "an ordered pile is not assigned", place.span, "an ordered pile")
                    .help("change it with `put`, `take` and `move`"),
            );
            return None;
        }
        if matches!(ty.base, Base::Bag(_)) {
            return self.assign_bag(c, (target, &ty), op, value, span);
        }
        let value = match op {
            tree::AssignOp::Set => c.expr(value, &mut self.scope)?,
            tree::AssignOp::Add | tree::AssignOp::Sub => {
                let bin = if op == tree::AssignOp::Add { tree::BinOp::Add } else { tree::BinOp::Sub };
                let kind = tree::ExprKind::Binary(bin, Box::new(place.clone()), Box::new(value.clone()));
                let sum = c.expr(&tree::Expr { kind, span }, &mut self.scope)?;
                if sum.ty.optional && !ty.optional {
                    sum_of_nothing(c, &sum, place.span);
                    return None;
                }
                sum
            }
        };
        let what = format!("`{}`", c.model.sources.line(place.span));
        let value = c.fit(value, &ty, &what)?;
        self.begin_limits_anew(c, &target, &value, span);
        self.push(InstrKind::Set(target, value), span);
        Some(())
    }

    fn call(&mut self, c: &mut Checker, name: &tree::Word, args: &[tree::Expr], span: Span) {
        let Some(code) = c.procedure_named(name) else {
            return;
        };
        c.called.insert(code);
        let params = c.model.codes[code.i()].params.clone();
        if c.procedures.get(&code).is_some_and(|s| !s.broken.is_empty()) || c.unclear.names.contains(&name.text) {
            return;
        }
        if params.len() != args.len() {
            let names: Vec<String> = params.iter().map(|v| c.model.vars[v.i()].name.clone()).collect();
            let names: Vec<&str> = names.iter().map(|n| n.rsplit('.').next().unwrap_or(n)).collect();
            c.arity(&name.text, &names, args.len(), span);
            return;
        }
        let mut found = Vec::new();
        for (arg, var) in args.iter().zip(&params) {
            let ty = c.model.vars[var.i()].ty.clone();
            let own = c.model.vars[var.i()].name.rsplit('.').next().unwrap_or("").to_string();
            let what = format!("`{own}` of `{}`", name.text);
            found.push(c.expr(arg, &mut self.scope).and_then(|e| c.fit(e, &ty, &what)));
        }
        if let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() {
            self.begins(c, code, span);
            let mut made = Vec::new();
            let found = found.into_iter().map(|e| self.bag_argument(c, e, &mut made)).collect();
            self.push(InstrKind::Call(code, found), span);
            self.stale.extend(made);
        }
    }

    fn when(&mut self, c: &mut Checker, arms: &[(Option<tree::Expr>, Vec<tree::Stmt>)], span: Span) {
        let mut branches = Branches::new(self);
        let whole = self.enter();
        for (i, (cond, body)) in arms.iter().enumerate() {
            let mark = self.enter();
            self.scope.here = Some(self.here());
            let found = cond.as_ref().and_then(|e| c.truth(e, &mut self.scope));
            let met = found.clone();
            self.branch(c, &mut branches, (found, mark), (body, i + 1 == arms.len()), span);
            c.narrow_by_not(met.as_ref(), &mut self.scope);
        }
        self.leave(whole);
        self.join(branches);
    }

    /// Notes that a code is begun here.
    pub(super) fn begins(&self, c: &mut Checker, to: CodeId, span: Span) {
        let at = Site { code: self.code, active: self.scope.active().to_vec(), span };
        c.begun.push(Begun { to, at });
    }

    /// Blocks of which the first happens whose condition holds, or else the last.
    pub(super) fn cases(
        &mut self,
        c: &mut Checker,
        arms: Vec<(Option<Expr>, &[tree::Stmt])>,
        otherwise: Option<&[tree::Stmt]>,
        span: Span,
    ) {
        let mut branches = Branches::new(self);
        let last = arms.len();
        for (i, (cond, body)) in arms.into_iter().enumerate() {
            let mark = self.enter();
            self.branch(c, &mut branches, (cond, mark), (body, i + 1 == last && otherwise.is_none()), span);
        }
        if let Some(body) = otherwise {
            let mark = self.enter();
            self.branch(c, &mut branches, (None, mark), (body, true), span);
        }
        self.join(branches);
    }

    fn branch(
        &mut self,
        c: &mut Checker,
        branches: &mut Branches,
        (cond, mark): (Option<Expr>, Mark),
        (body, last): (&[tree::Stmt], bool),
        span: Span,
    ) {
        c.narrow_by(cond.as_ref(), &mut self.scope);
        let skip = cond.map(|f| self.push(InstrKind::Unless(f, 0), span));
        self.block(c, body);
        self.leave(mark);
        branches.after.append(&mut std::mem::replace(&mut self.stale, branches.before.clone()));
        if !last {
            branches.ends.push(self.push(InstrKind::Jump(0), span));
        }
        if let Some(skip) = skip {
            self.land(skip);
        }
    }

    fn join(&mut self, mut branches: Branches) {
        for end in branches.ends {
            self.land(end);
        }
        self.stale.append(&mut branches.after);
    }

    fn while_(&mut self, c: &mut Checker, cond: &tree::Expr, body: &[tree::Stmt], span: Span) {
        self.clear_stale(span);
        let start = self.here();
        self.scope.here = Some(start);
        let Some(found) = c.truth(cond, &mut self.scope) else {
            self.block(c, body);
            return;
        };
        let skip = self.push(InstrKind::Unless(found.clone(), 0), span);
        let mark = self.enter();
        c.narrow_by(Some(&found), &mut self.scope);
        self.block(c, body);
        self.leave(mark);
        self.come_round(start, None, span);
        self.push(InstrKind::Jump(start), span);
        self.land(skip);
        c.whiles.push((self.code, start, self.here(), cond.span));
    }

    fn for_(
        &mut self,
        c: &mut Checker,
        name: &tree::Word,
        set: &tree::Expr,
        chosen_by: Option<&tree::Expr>,
        body: &[tree::Stmt],
        span: Span,
    ) {
        if let (tree::ExprKind::Range(lo, hi), None) = (&set.kind, chosen_by)
            && !super::expr::is_fixed(lo, hi)
        {
            return self.for_numbers(c, name, (lo, hi), body, span);
        }
        let Some(all) = c.any_set(set, &mut self.scope) else {
            return;
        };
        let Base::Set(of) = all.ty.base.clone() else {
            return;
        };
        self.clear_stale(span);
        let rest = self.helper(c, all.ty.clone(), span);
        let ty = all.ty.clone();
        self.push(InstrKind::Set(Target { var: rest, index: None }, all), span);
        let mark = self.enter();
        let start = self.here();
        let set_now = typed(ExprKind::Var { var: rest, index: None }, ty, span);
        let (leave, anew) = match chosen_by {
            None => {
                let into = self.name(c, name, Ty { base: (*of).clone(), optional: false });
                (self.push(InstrKind::Next { set: rest, into, end: 0 }, span), Some(into))
            }
            Some(seat) => {
                let more = typed(ExprKind::IsEmpty(Box::new(set_now.clone()), false), Ty::of(Base::Bool), span);
                let leave = self.push(InstrKind::Unless(more, 0), span);
                let Some(seat) = c.seat(seat, &mut self.scope) else {
                    return;
                };
                let into = self.name(c, name, Ty { base: (*of).clone(), optional: false });
                let what = ChooseWhat::One { set: set_now, of: (*of).clone(), into };
                self.decision(c, seat, what, false, self_log(c, into, span), Template::default(), &[], span);
                let item =
                    typed(ExprKind::Var { var: into, index: None }, Ty { base: (*of).clone(), optional: false }, span);
                self.push(Change::Take(item, Target { var: rest, index: None }), span);
                (leave, None)
            }
        };
        self.block(c, body);
        self.leave(mark);
        self.come_round(start, anew, span);
        self.push(InstrKind::Jump(start), span);
        self.land(leave);
    }

    // The least of the remaining members is found again before each turn.
    fn for_by(
        &mut self,
        c: &mut Checker,
        name: &tree::Word,
        set: &tree::Expr,
        by: &tree::Expr,
        body: &[tree::Stmt],
        span: Span,
    ) {
        let Some(all) = c.any_set(set, &mut self.scope) else {
            return;
        };
        let Base::Set(of) = all.ty.base.clone() else {
            return;
        };
        let of = *of;
        let local = self.scope.bind(&name.text, Ty::of(of.clone()));
        let order = c.numeric(by, &mut self.scope);
        self.scope.unbind();
        let (ty, optional) = (all.ty.clone(), Ty { base: Base::Int, optional: true });
        self.clear_stale(span);
        let (rest, least) = (self.helper(c, ty.clone(), span), self.helper(c, optional.clone(), span));
        let now = |var, ty: &Ty| typed(ExprKind::Var { var, index: None }, ty.clone(), span);
        let left = |cond| Domain { local, set: Box::new(now(rest, &ty)), of: of.clone(), cond };
        self.push(InstrKind::Set(Target { var: rest, index: None }, all), span);
        let mark = self.enter();
        let start = self.here();
        let more = typed(ExprKind::IsEmpty(Box::new(now(rest, &ty)), false), Ty::of(Base::Bool), span);
        let leave = self.push(InstrKind::Unless(more, 0), span);
        let into = self.name(c, name, Ty::of(of.clone()));
        if let Some(order) = order {
            let at = order.span;
            let best = typed(ExprKind::Best(false, Box::new(order.clone()), left(None)), optional.clone(), at);
            self.push(InstrKind::Set(Target { var: least, index: None }, best), span);
            // If the order of all that remain is nothing, so is the least: those members come last.
            let is = ExprKind::Equal(Box::new(order), Box::new(now(least, &optional)), true);
            let next = ExprKind::The(left(Some(Box::new(typed(is, Ty::of(Base::Bool), at)))));
            let next = typed(next, Ty { base: of.clone(), optional: true }, at);
            self.push(InstrKind::Set(Target { var: into, index: None }, next), span);
            self.push(Change::Take(now(into, &Ty::of(of)), Target { var: rest, index: None }), span);
            self.stale.insert(least);
        }
        self.block(c, body);
        self.leave(mark);
        self.come_round(start, Some(into), span);
        self.push(InstrKind::Jump(start), span);
        self.land(leave);
    }

    pub(super) fn item_and_pile(
        &mut self,
        c: &mut Checker,
        item: &tree::Expr,
        pile: &tree::Expr,
    ) -> Option<(Expr, Target)> {
        let item = c.expr(item, &mut self.scope);
        let (pile, ty) = c.pile_target(pile, &mut self.scope)?;
        let base = elements(&ty.base)?;
        let item = c.fit(item?, &Ty::of(base), "what is moved")?;
        Some((item, pile))
    }

    // The item is evaluated before it is taken, because the expression may depend on where it is.
    fn move_one(&mut self, c: &mut Checker, item: Expr, again: Expr, from: Target, to: Target, span: Span) {
        if matches!(item.kind, ExprKind::Const(_)) || matches!(&item.kind, ExprKind::Var { index: None, .. }) {
            self.push(Change::Take(item, from), span);
            self.push(Change::Put(again, to), span);
            return;
        }
        let ty = item.ty.clone();
        let var = self.helper(c, ty.clone(), span);
        let fixed = || typed(ExprKind::Var { var, index: None }, ty.clone(), span);
        self.push(InstrKind::Set(Target { var, index: None }, item), span);
        self.push(Change::Take(fixed(), from), span);
        self.push(Change::Put(fixed(), to), span);
        self.stale.insert(var);
    }

    fn shuffle(&mut self, c: &mut Checker, pile: &tree::Expr, span: Span) {
        let Some((target, ty)) = c.pile_target(pile, &mut self.scope) else {
            return;
        };
        if !matches!(ty.base, Base::List(_)) {
            c.report(
                Diagnostic::error("law::type", "only an ordered pile is shuffled", pile.span, "has no order")
                    .help("declare it `ordered pile`"),
            );
            return;
        }
        let next = self.helper(c, Ty { base: Base::Range(0, 4096), optional: false }, span);
        let zero = typed(ExprKind::Const(Value::Int(0)), Ty::of(Base::Range(0, 4096)), span);
        self.push(InstrKind::Set(Target { var: next, index: None }, zero), span);
        let what = ChanceWhat::Shuffle { pile: target, next };
        self.push(InstrKind::Chance(Box::new(Chance { what, log: Template::default(), cites: Vec::new() })), span);
    }
}

/// Reports that the target of a change, or its value, may be nothing.
fn sum_of_nothing(c: &mut Checker, sum: &Expr, place: Span) {
    let added = match &sum.kind {
        ExprKind::Arith(_, _, b) if b.ty.optional => Some(b.span),
        _ => None,
    };
    let span = added.unwrap_or(place);
    let text = c.model.sources.line(span);
    let inside = match &sum.kind {
        ExprKind::Arith(_, a, b) => c.ask_first(if b.ty.optional { b } else { a }),
        _ => format!("put it inside `when {text} is not none {{ ... }}`"),
    };
    let help = match &sum.kind {
        ExprKind::Arith(_, _, b) if added.is_some() => format!("write `{} or DEFAULT`, or {inside}", c.operand(b)),
        _ => inside,
    };
    let message = format!("`{text}` may be nothing, which cannot be added");
    c.report(Diagnostic::error("law::nothing", message, span, "may be nothing").help(help));
}

/// What a set, pile or bag holds.
fn elements(base: &Base) -> Option<Base> {
    match base {
        Base::Set(of) => Some((**of).clone()),
        Base::Bag(of) => Some((**of).clone()),
        Base::List(k) => Some(Base::Member(*k)),
        _ => None,
    }
}
