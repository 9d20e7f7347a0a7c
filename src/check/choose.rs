//! Compiles decisions and chance to instructions.

use super::Checker;
use super::builder::{Builder, Mark};
use super::declare::{cites, text};
use super::expr::typed;
use super::repeat::Round;
use crate::check::Diagnostic;
use crate::model::{
    self, Base, Chance, ChanceWhat, Choose, ChooseWhat, ClauseKind, Expr, ExprKind, InstrKind, Leads, Template,
    TemplatePart, Text, Ty, Value, VarId,
};
use crate::span::Span;
use crate::syntax::tree::{self, StmtKind as S};

impl Builder {
    /// A set with a condition on its members.
    pub(super) fn filtered(
        &mut self,
        c: &mut Checker,
        name: &tree::Word,
        set: &tree::Expr,
        cond: Option<&tree::Expr>,
    ) -> Option<(Expr, Base)> {
        let found = match cond {
            None => c.any_set(set, &mut self.scope)?,
            Some(cond) => {
                let span = set.span.to(cond.span);
                let kind = tree::ExprKind::Compr {
                    map: None,
                    var: name.clone(),
                    set: Box::new(set.clone()),
                    cond: Some(Box::new(cond.clone())),
                };
                c.expr(&tree::Expr { kind, span }, &mut self.scope)?
            }
        };
        match found.ty.base.clone() {
            Base::Set(of) => Some((found, *of)),
            _ => None,
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn pick(
        &mut self,
        c: &mut Checker,
        name: &tree::Word,
        set: &tree::Expr,
        cond: Option<&tree::Expr>,
        log: Option<&tree::Label>,
        cite: &[tree::Word],
        span: Span,
    ) {
        let at = set.span;
        let Some((set, of)) = self.filtered(c, name, set, cond) else {
            self.scope.bind_broken(&name.text);
            return;
        };
        if super::bags::drawn_from_bag(c, &set, cond.is_some(), at) {
            self.scope.bind_broken(&name.text);
            return;
        }
        let into = self.name(c, name, Ty { base: of.clone(), optional: false });
        let log = self.notation(c, log, into, span);
        self.push(
            InstrKind::Chance(Box::new(Chance { what: ChanceWhat::Pick { set, of, into }, log, cites: cites(cite) })),
            span,
        );
    }

    pub(super) fn notation(&mut self, c: &mut Checker, log: Option<&tree::Label>, into: VarId, span: Span) -> Template {
        match log {
            Some(label) => c.template(label, &mut self.scope),
            None => self_log(c, into, span),
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn decision(
        &mut self,
        c: &mut Checker,
        seat: Expr,
        what: ChooseWhat,
        optional: bool,
        log: Template,
        otherwise: Template,
        cite: &[tree::Word],
        span: Span,
    ) -> usize {
        let clause = c.new_clause((ClauseKind::Choice, ""), Text::default(), cite, span, None);
        let own = &mut c.model.clauses[clause.i()].cites;
        own.extend(self.cites.iter().filter(|id| !cite.iter().any(|w| w.text == **id)).cloned());
        self.clear_stale(span);
        if let (Some(secrets), Some(into)) = (&mut self.secret, chosen(&what)) {
            secrets.push((into, self.instrs.len() as u16, seat.clone()));
        }
        let secret = self.secret.is_some();
        self.push(
            InstrKind::Choose(Box::new(Choose {
                seat,
                what,
                optional,
                leads: Leads::default(),
                anyway: false,
                secret,
                until: None,
                log,
                otherwise,
                asks: Text::default(),
                cites: cites(cite),
                clause,
            })),
            span,
        )
    }

    pub(super) fn choose(&mut self, c: &mut Checker, d: &tree::Choose, span: Span) {
        if let Some(repeated) = &d.repeated {
            return self.repeatedly(c, d, repeated.up_to.as_ref(), span);
        }
        self.once(c, d, None, span);
    }

    /// A decision that is made once; with `round`, or again from there each time.
    pub(super) fn once(&mut self, c: &mut Checker, d: &tree::Choose, round: Option<Round>, span: Span) {
        let mark = self.enter();
        if self.decide_at(c, d, round, span).is_some() {
            return;
        }
        if let tree::ChooseWhat::One { name, .. }
        | tree::ChooseWhat::Several { name, .. }
        | tree::ChooseWhat::Number { name, .. } = &d.what
        {
            self.scope.bind_broken(&name.text);
        }
        self.block(c, &d.body);
        if d.optional {
            self.leave(mark);
        }
    }

    /// A decision, and the instruction that makes it. `None` if it has an error, which is reported.
    fn decide_at(&mut self, c: &mut Checker, d: &tree::Choose, round: Option<Round>, span: Span) -> Option<usize> {
        let seat = c.seat(&d.seat, &mut self.scope)?;
        let otherwise = d.otherwise.as_ref().map(|label| c.template(label, &mut self.scope)).unwrap_or_default();
        let mark = self.enter();
        let (what, log) = match &d.what {
            tree::ChooseWhat::One { name, set, cond } => {
                let (set, of) = self.filtered(c, name, set, cond.as_ref())?;
                let into = self.name(c, name, Ty { base: of.clone(), optional: false });
                (ChooseWhat::One { set, of, into }, self.notation(c, d.log.as_ref(), into, span))
            }
            tree::ChooseWhat::Several { name, lo, hi, set, cond } => {
                let (lo, hi) = (self.there(c, lo), self.there(c, hi));
                let (set, of) = self.filtered(c, name, set, cond.as_ref())?;
                let (lo, hi) = (lo?, hi?);
                let into = self.name(c, name, set.ty.clone());
                let log = d.log.as_ref().map(|label| c.template(label, &mut self.scope)).unwrap_or_default();
                (ChooseWhat::Several { set, of, lo, hi, into }, log)
            }
            tree::ChooseWhat::Number { name, lo, hi } => {
                let (lo, hi) = (self.there(c, lo), self.there(c, hi));
                let (lo, hi) = (lo?, hi?);
                let into = self.name(c, name, Ty::of(Base::Int));
                (ChooseWhat::Number { lo, hi, into }, self.notation(c, d.log.as_ref(), into, span))
            }
            tree::ChooseWhat::Act { actions, if_any } => {
                let found: Option<Vec<model::ActionId>> = actions.iter().map(|a| c.action_named(a)).collect();
                let found = found?;
                c.offered.extend(&found);
                for (action, word) in found.iter().zip(actions) {
                    self.begins(c, c.model.actions[action.i()].code, word.span);
                }
                (ChooseWhat::Act { actions: found, if_any: *if_any }, Template::default())
            }
            tree::ChooseWhat::Yes { label } => {
                let log = c.template(label, &mut self.scope);
                let into = self.helper(c, Ty::of(Base::Bool), span);
                (ChooseWhat::Yes { into }, log)
            }
        };
        let into = chosen(&what);
        let until = self.until(c, d.until.as_ref(), (&seat, into));
        // Of a secret choice the name is known afterwards.
        let open = if self.secret.is_some() { self.enter() } else { mark };
        let test = d.optional.then(|| self.was_chosen(c, &what, span)).flatten();
        let at = self.decision(c, seat, what, d.optional, log, otherwise, &d.cite, span);
        if let Some(InstrKind::Choose(choose)) = self.instrs.get_mut(at).map(|i| &mut i.kind) {
            c.model.clauses[choose.clause.i()].openly = d.openly;
            choose.anyway = d.anyway.is_some();
            choose.until = until;
            choose.asks = text(d.asks.as_ref());
        }
        if !d.optional && round.is_none() {
            return Some(at);
        }
        if self.secret.is_some() {
            self.leave(open);
            self.follow = test.map(|test| (test, into));
            return Some(at);
        }
        let follows = !d.body.is_empty() || !d.declined.is_empty() || round.is_some();
        match test {
            Some(test) if follows => {
                let skip = self.push(InstrKind::Unless(test, 0), span);
                self.follows(c, skip, d, (open, round), span);
            }
            None if follows => self.follows(c, at, d, (open, round), span),
            _ => self.leave(open),
        }
        // The answer to a question has no name.
        self.stale.extend(into);
        Some(at)
    }

    /// What follows an optional choice, and what happens where nothing is chosen; an instruction leads there.
    fn follows(
        &mut self,
        c: &mut Checker,
        from: usize,
        d: &tree::Choose,
        (open, round): (Mark, Option<Round>),
        span: Span,
    ) {
        let before = self.stale.clone();
        if let Some(countdown) = round.as_ref().and_then(|round| round.countdown.as_ref()) {
            self.one_less(countdown, span);
        }
        self.block(c, &d.body);
        self.leave(open);
        if let Some(round) = round {
            self.come_round(round.start, None, span);
            self.push(InstrKind::Jump(round.start), span);
            if let Some(countdown) = round.countdown {
                self.land(countdown.leave);
                self.stale.insert(countdown.left);
            }
        }
        if d.declined.is_empty() {
            return self.land(from);
        }
        let mut after = std::mem::replace(&mut self.stale, before);
        let end = self.push(InstrKind::Jump(0), span);
        self.land(from);
        let mark = self.enter();
        self.block(c, &d.declined);
        self.leave(mark);
        self.land(end);
        self.stale.append(&mut after);
    }

    // Whether an optional decision was made: the variable is there, or yes.
    pub(super) fn was_chosen(&mut self, c: &mut Checker, what: &ChooseWhat, span: Span) -> Option<Expr> {
        let into = chosen(what)?;
        if !matches!(what, ChooseWhat::Yes { .. } | ChooseWhat::Several { .. }) {
            c.model.vars[into.i()].ty.optional = true;
        }
        let ty = c.model.vars[into.i()].ty.clone();
        let var = typed(ExprKind::Var { var: into, index: None }, ty.clone(), span);
        let bool = Ty::of(Base::Bool);
        if matches!(what, ChooseWhat::Yes { .. }) {
            return Some(var);
        }
        if matches!(what, ChooseWhat::Several { .. }) {
            return Some(typed(ExprKind::IsEmpty(Box::new(var), false), bool, span));
        }
        self.scope.narrow_var(into, span);
        let none = typed(ExprKind::Const(Value::None), ty, span);
        Some(typed(ExprKind::Equal(Box::new(var), Box::new(none), false), bool, span))
    }

    pub(super) fn secretly(&mut self, c: &mut Checker, body: &[tree::Stmt], span: Span) {
        if self.secret.is_some() {
            c.report(
                Diagnostic::error("law::type", "`secretly` does not nest", c.head(span), "inside another")
                    .help("remove the inner one: all choices in the outer one are secret"),
            );
            return;
        }
        self.secret = Some(Vec::new());
        // What follows an optional choice happens after all are made: it would tell of it.
        let mut follow = Vec::new();
        for s in body {
            match &s.kind {
                S::Choose(d) if !matches!(d.what, tree::ChooseWhat::Act { .. }) && d.repeated.is_none() => {
                    self.follow = None;
                    self.stmt(c, s);
                    follow.extend(self.follow.take().map(|chosen| (chosen, d, s.span)));
                }
                _ => c.report(
                    Diagnostic::error(
                        "law::type",
                        "only choices can be made secretly",
                        c.head(s.span),
                        not_secret(&s.kind),
                    )
                    .help("put it after the block"),
                ),
            }
        }
        let made = self.secret.take().unwrap_or_default();
        let last = made.iter().map(|m| m.1).max().unwrap_or(0);
        for (var, at, seat) in made {
            if at < last {
                let (code, from) = (self.code, at + 1);
                c.model.secrets.push(model::Secret { code, var, from, to: last, seat, until: None });
            }
        }
        for ((test, into), made, span) in follow {
            if !made.body.is_empty() || !made.declined.is_empty() {
                let mark = self.enter();
                into.into_iter().for_each(|var| self.scope.narrow_var(var, span));
                let skip = self.push(InstrKind::Unless(test, 0), span);
                self.follows(c, skip, made, (mark, None), span);
            }
            // The answer to a question has no name.
            if matches!(made.what, tree::ChooseWhat::Yes { .. }) {
                self.stale.extend(into);
            }
        }
    }
}

/// Why a statement cannot stand in `secretly`.
fn not_secret(kind: &S) -> &'static str {
    match kind {
        S::Choose(d) if d.repeated.is_some() => "asked again and again",
        S::Choose(_) => "an action",
        _ => "not a choice",
    }
}

pub(super) fn self_log(c: &Checker, into: VarId, span: Span) -> Template {
    let ty = c.model.vars[into.i()].ty.clone();
    let value = typed(ExprKind::Var { var: into, index: None }, ty, span);
    Template { parts: vec![TemplatePart::Value(value)], translations: Vec::new() }
}

/// The variable that stores the result of a decision.
pub(super) fn chosen(what: &ChooseWhat) -> Option<VarId> {
    match what {
        ChooseWhat::One { into, .. }
        | ChooseWhat::Several { into, .. }
        | ChooseWhat::Number { into, .. }
        | ChooseWhat::Yes { into } => Some(*into),
        ChooseWhat::Act { .. } => None,
    }
}
