//! Expressions: names resolved, types found.

mod access;
mod ahead;
mod bags;
mod grid;
mod operators;
mod sets;
mod steps;

use super::Checker;
use super::names::Symbol;
use super::scope::Scope;
use super::types::join;
use crate::check::Diagnostic;
use crate::model::{Base, ClauseId, ConfigId, Expr, ExprKind, LEAST, Ty, Value, VarId, VarOwner, as_number};
use crate::span::Span;
use crate::syntax::tree::{self, ExprKind as T};
use bags::each_copy;
pub(super) use bags::{copies_of, unread};
pub(super) use sets::{bound, is_fixed};

impl Checker {
    /// Resolves an expression. `None` if it has an error, which is reported.
    pub(super) fn expr(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        // One report covers everything deeper.
        if self.depth >= MAX_EXPRESSION_DEPTH {
            if !std::mem::replace(&mut self.too_deep, true) {
                self.report(
                    Diagnostic::error(
                        "law::range",
                        format!("nested more than {MAX_EXPRESSION_DEPTH} deep"),
                        e.span,
                        "too deep",
                    )
                    .help("give an inner part a name of its own with `define` or `let`"),
                );
            }
            return None;
        }
        self.depth += 1;
        let found = self.form(e, sc);
        self.depth -= 1;
        let mut found = found?;
        if found.ty.optional && sc.is_narrowed(&found) {
            found.ty.optional = false;
        }
        Some(found)
    }

    fn form(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        let span = e.span;
        match &e.kind {
            T::Int(i) => self.number(*i, span),
            T::Bool(b) => Some(constant(Value::bool(*b), Ty::of(Base::Bool), span)),
            T::None => Some(constant(Value::None, Ty { base: Base::Nothing, optional: true }, span)),
            T::Text(t) => Some(constant(Value::Text(t.clone()), Ty::of(Base::Text), span)),
            T::Name(word) => self.name(word, sc),
            T::Field(of, field) => self.field(of, field, span, sc),
            T::Index(of, index) => self.index(of, index, span, sc),
            T::Call(name, args) => self.call(name, args, span, sc),
            T::Back(name, of) => self.linked(name, of, true, span, sc),
            T::Reach { link, from, var, cond } => self.reach(link, from, var.as_ref(), cond.as_deref(), span, sc),
            T::Grid(call) => self.grid_call(call, span, sc),
            T::Steps { from, to, steps } => self.steps(from, to.as_deref(), steps, span, sc),
            T::Not(of) => {
                let of = self.truth(of, sc)?;
                Some(typed(ExprKind::Not(Box::new(of)), Ty::of(Base::Bool), span))
            }
            T::Neg(of) => self.negate(of, span, sc),
            T::Binary(op, a, b) => self.binary(*op, a, b, span, sc),
            T::IsEmpty(of, positive) => {
                let set = self.set(of, sc)?;
                Some(typed(ExprKind::IsEmpty(Box::new(set), *positive), Ty::of(Base::Bool), span))
            }
            T::IsOn(word, positive) => {
                let code = self.procedure_named(word)?;
                self.asked.insert(code);
                Some(typed(ExprKind::IsOn(code, *positive), Ty::of(Base::Bool), span))
            }
            T::Wins(of) => self.wins(of, span, sc),
            T::If(c, a, b) => self.conditional(c, a, b, span, sc),
            T::Match { on, arms, otherwise } => self.match_(on, arms, otherwise.as_deref(), span, sc),
            T::Set(items) => self.set_of(items, span, sc),
            T::Pair(_, second) => {
                self.report(
                    Diagnostic::error("law::type", "this has one index", second.span, "the second")
                        .help("write one; only a variable declared with two has two"),
                );
                None
            }
            T::Bag(_) => {
                self.report(
                    Diagnostic::error("law::type", "numbers of copies are printed in a bag", span, "not a bag here")
                        .help("declare the field `bag of KIND`, or write a set in braces"),
                );
                None
            }
            T::Compr { map, var, set, cond } => self.comprehension(map.as_deref(), var, set, cond.as_deref(), span, sc),
            T::Quant { quant, var, set, cond } => {
                let (domain, _) = self.domain(var, set, Some(cond), sc, |_, _| Some(()))?;
                Some(typed(ExprKind::Quant(*quant, domain), Ty::of(Base::Bool), span))
            }
            T::Count { var, set, cond } => {
                let (domain, _) = self.domain(var, set, cond.as_deref(), sc, |_, _| Some(()))?;
                let count = match copies_of(&domain, span) {
                    Some(copies) => ExprKind::Sum(Box::new(copies), domain),
                    None => ExprKind::Count(domain),
                };
                Some(typed(count, Ty::of(Base::Int), span))
            }
            T::Sum { value, var, set, cond } => {
                let (domain, value) = self.domain(var, set, cond.as_deref(), sc, |c, sc| c.numeric(value, sc))?;
                let value = match copies_of(&domain, value.span) {
                    Some(copies) => each_copy(value, copies),
                    None => value,
                };
                Some(typed(ExprKind::Sum(Box::new(value), domain), Ty::of(Base::Int), span))
            }
            T::Best { most, value, var, set, cond } => {
                let (domain, value) = self.domain(var, set, cond.as_deref(), sc, |c, sc| c.numeric(value, sc))?;
                Some(typed(
                    ExprKind::Best(*most, Box::new(value), domain),
                    Ty { base: Base::Int, optional: true },
                    span,
                ))
            }
            T::The { var, set, cond } => {
                let (domain, _) = self.domain(var, set, cond.as_deref(), sc, |_, _| Some(()))?;
                let ty = Ty { base: domain.of.clone(), optional: true };
                Some(typed(ExprKind::The(domain), ty, span))
            }
            T::Top(of) => self.top(of, span, sc),
            T::Range(lo, hi) => self.range_set(lo, hi, span, sc),
            T::LegalAction(some) => self.legal_action(*some, span),
        }
    }

    fn number(&mut self, i: i64, span: Span) -> Option<Expr> {
        let Some(value) = as_number(i) else {
            self.report(
                Diagnostic::error("law::range", format!("{i} is out of range"), span, "more than 32 bits")
                    .help(format!("write a number from {LEAST} to {}", i32::MAX)),
            );
            return None;
        };
        Some(constant(Value::Int(value), Ty::of(Base::Int), span))
    }

    /// An expression that must be a truth value.
    pub(super) fn truth(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        let expr = self.expr(e, sc)?;
        self.fit(expr, &Ty::of(Base::Bool), "a condition")
    }

    /// An expression that must be a number or nothing.
    pub(super) fn numeric(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        let expr = self.expr(e, sc)?;
        self.fit(expr, &Ty { base: Base::Int, optional: true }, "this").map(|mut found| {
            if let ExprKind::Const(Value::Int(_)) = found.kind {
                found.ty.optional = false;
            }
            found
        })
    }

    /// An expression that must be a set.
    pub(super) fn set(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        let expr = super::types::as_set(self.expr(e, sc)?);
        if matches!(expr.ty.base, Base::Set(_)) {
            return Some(expr);
        }
        let words = self.words(&expr.ty);
        self.report(
            Diagnostic::error(
                "law::type",
                format!("this is {}, not a set", super::types::article(&words)),
                expr.span,
                "not a set",
            )
            .help("write a kind, a pile, a set in braces, or a definition that gives a set"),
        );
        None
    }

    /// An expression that must be a seat.
    pub(super) fn seat(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        let expr = self.expr(e, sc)?;
        self.fit(expr, &Ty::of(Base::Member(crate::model::PLAYER)), "who it is")
    }

    /// A condition, split at its `and`s.
    pub(super) fn conjuncts(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Vec<Expr>> {
        let parts = e.operands(tree::BinOp::And);
        let found: Vec<Option<Expr>> = parts.into_iter().map(|p| self.truth(p, sc)).collect();
        found.into_iter().collect()
    }

    /// Notes what is known to be there wherever a condition holds. `None` if the condition has an error.
    pub(super) fn narrow_by(&self, cond: Option<&Expr>, sc: &mut Scope) {
        let Some(cond) = cond else {
            return sc.narrow_unclear();
        };
        match &cond.kind {
            ExprKind::And(a, b) => {
                self.narrow_by(Some(a), sc);
                self.narrow_by(Some(b), sc);
            }
            ExprKind::Not(of) => self.narrow_by_not(Some(of), sc),
            ExprKind::Equal(a, b, false) if is_none(b) => self.narrow_to(a, sc),
            ExprKind::Equal(a, b, true) if self.is_there(b, sc) => self.narrow_to(a, sc),
            ExprKind::Equal(a, b, true) if self.is_there(a, sc) => self.narrow_to(b, sc),
            ExprKind::Compare(_, a, b) => {
                self.narrow_to(a, sc);
                self.narrow_to(b, sc);
            }
            ExprKind::In { item, positive: true, .. } => self.narrow_to(item, sc),
            ExprKind::IsEmpty(set, false) => self.narrow_to_some(set, sc),
            ExprKind::IsOn(code, true) => self.note_active(*code, sc),
            ExprKind::Var { .. } | ExprKind::Printed { .. } => self.narrow_to(cond, sc),
            _ => {}
        }
    }

    /// Notes what is known to be there wherever a condition does not hold.
    pub(super) fn narrow_by_not(&self, cond: Option<&Expr>, sc: &mut Scope) {
        let Some(cond) = cond else {
            return sc.narrow_unclear();
        };
        match &cond.kind {
            ExprKind::Or(a, b) => {
                self.narrow_by_not(Some(a), sc);
                self.narrow_by_not(Some(b), sc);
            }
            ExprKind::Not(of) => self.narrow_by(Some(of), sc),
            ExprKind::Equal(a, b, true) if is_none(b) => self.narrow_to(a, sc),
            ExprKind::In { item, positive: false, .. } => self.narrow_to(item, sc),
            ExprKind::IsEmpty(set, true) => self.narrow_to_some(set, sc),
            ExprKind::IsOn(code, false) => self.note_active(*code, sc),
            _ => {}
        }
    }

    /// Notes that an expression is there, with the parts without which it would be nothing.
    fn narrow_to(&self, e: &Expr, sc: &mut Scope) {
        if matches!(e.kind, ExprKind::Const(_)) {
            return;
        }
        sc.narrow(e);
        match &e.kind {
            ExprKind::Var { var, index } => {
                if let VarOwner::Code(code) = self.model.vars[var.i()].owner {
                    self.note_active(code, sc);
                }
                index.iter().for_each(|index| self.narrow_to(index, sc));
            }
            ExprKind::Printed { of, .. } | ExprKind::AsSet(of) | ExprKind::Neg(of) | ExprKind::Abs(of) => {
                self.narrow_to(of, sc);
            }
            ExprKind::Arith(_, a, b) => {
                self.narrow_to(a, sc);
                self.narrow_to(b, sc);
            }
            _ => {}
        }
    }

    /// Notes that a set is there and not empty; if it is an ordered pile, it has a top.
    fn narrow_to_some(&self, set: &Expr, sc: &mut Scope) {
        self.narrow_to(set, sc);
        let pile = if let ExprKind::AsSet(of) = &set.kind { of } else { set };
        if let (Base::List(kind), ExprKind::Var { var, index }) = (&pile.ty.base, &pile.kind) {
            let ty = Ty { base: Base::Member(*kind), optional: true };
            self.narrow_to(&typed(ExprKind::Top(*var, index.clone()), ty, set.span), sc);
        }
    }

    /// What the condition of a clause proves to be there is there in the rest of the clause.
    pub(super) fn narrow_by_clause(&self, id: ClauseId, sc: &mut Scope) {
        if self.unclear.clauses.contains(&id) {
            sc.narrow_unclear();
        }
        for e in &self.model.clauses[id.i()].when {
            self.narrow_by(Some(e), sc);
        }
    }

    // The variables of a procedure are nothing while it is not active, whatever their type says.
    fn is_there(&self, e: &Expr, sc: &Scope) -> bool {
        let mut foreign = false;
        e.walk(&mut |e| {
            foreign |= matches!(e.kind, ExprKind::Var { var, .. } if !self.is_active(var, sc));
        });
        !e.ty.optional && e.ty.base != Base::Nothing && !foreign
    }

    pub(super) fn is_of_code(&self, var: VarId) -> bool {
        matches!(self.model.vars[var.i()].owner, VarOwner::Code(_))
    }

    /// Whether what a variable belongs to is known to be active.
    pub(super) fn is_active(&self, var: VarId, sc: &Scope) -> bool {
        match self.model.vars[var.i()].owner {
            VarOwner::Code(code) => sc.is_active(code),
            _ => true,
        }
    }

    fn conditional(
        &mut self,
        c: &tree::Expr,
        a: &tree::Expr,
        b: &tree::Expr,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        let cond = self.truth(c, sc);
        let mark = sc.mark();
        self.narrow_by(cond.as_ref(), sc);
        let yes = self.expr(a, sc);
        sc.leave(mark);
        self.narrow_by_not(cond.as_ref(), sc);
        let no = self.expr(b, sc);
        sc.leave(mark);
        let (cond, yes, no) = (cond?, super::types::as_set(yes?), super::types::as_set(no?));
        let ty = self.joined(&yes, &no)?;
        let (yes, no) = (self.fit(yes, &ty, "this branch")?, self.fit(no, &ty, "this branch")?);
        Some(typed(ExprKind::If(Box::new(cond), Box::new(yes), Box::new(no)), ty, span))
    }

    /// The type that two expressions share.
    pub(super) fn joined(&mut self, a: &Expr, b: &Expr) -> Option<Ty> {
        let ty = join(&a.ty, &b.ty);
        if ty.is_none() {
            let (x, y) = (self.words(&a.ty), self.words(&b.ty));
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("one is {}, the other {}", super::types::article(&x), super::types::article(&y)),
                    b.span,
                    format!("this is {}", super::types::article(&y)),
                )
                .and(a.span, format!("this is {}", super::types::article(&x)))
                .help("both must be of one type"),
            );
        }
        ty
    }

    fn match_(
        &mut self,
        on: &tree::Expr,
        arms: &[(Vec<tree::Expr>, tree::Expr)],
        otherwise: Option<&tree::Expr>,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        let subject = self.expr(on, sc)?;
        let reading = self.reading_of(&subject);
        let mut found: Vec<(Vec<Value>, Expr)> = Vec::new();
        for (patterns, value) in arms {
            let playing: Vec<&tree::Expr> = patterns.iter().filter(|p| !self.is_absent(p)).collect();
            if playing.is_empty() {
                continue;
            }
            let values: Vec<Option<Value>> =
                playing.into_iter().map(|p| self.pattern(p, &subject, reading, sc)).collect();
            let value = self.expr(value, sc);
            found.push((values.into_iter().collect::<Option<_>>()?, value?));
        }
        let rest = match otherwise {
            Some(e) => Some(self.expr(e, sc)?),
            None => None,
        };
        self.covers(&subject, &found, rest.is_some(), span)?;
        self.need(&subject);
        let mut all = found.iter().map(|(_, v)| v).chain(rest.as_ref());
        let mut ty = all.next().cloned()?;
        for v in all {
            ty.ty = self.joined(&ty, v)?;
        }
        let ty = ty.ty;
        let mut fitted = Vec::new();
        for (values, v) in found {
            fitted.push((values, self.fit(v, &ty, "this value")?));
        }
        let rest = match rest {
            Some(v) => Some(Box::new(self.fit(v, &ty, "this value")?)),
            None => None,
        };
        Some(typed(ExprKind::Match { on: Box::new(subject), arms: fitted, otherwise: rest }, ty, span))
    }

    pub(super) fn pattern(
        &mut self,
        p: &tree::Expr,
        subject: &Expr,
        reading: Option<ConfigId>,
        sc: &mut Scope,
    ) -> Option<Value> {
        if let (Some(c), T::Name(word)) = (reading, &p.kind) {
            return self.choice_of(c, word).map(Value::Int);
        }
        let expr = self.expr(p, sc)?;
        let expr = self.fit(expr, &subject.ty, "a pattern")?;
        match expr.kind {
            ExprKind::Const(v) => Some(v),
            ExprKind::Neg(_) => None,
            _ => {
                self.report(
                    Diagnostic::error("law::type", "a pattern is a member or a number", expr.span, "not a constant")
                        .help("compare with `if ... then ... else` instead"),
                );
                None
            }
        }
    }

    fn covers(&mut self, subject: &Expr, arms: &[(Vec<Value>, Expr)], otherwise: bool, span: Span) -> Option<()> {
        if otherwise {
            return Some(());
        }
        let (lo, n) = match &subject.ty.base {
            Base::Int | Base::Text | Base::Set(_) | Base::List(_) | Base::Bag(_) | Base::Nothing => (0, None),
            b => {
                let (lo, n) = crate::model::scalar_span(b, &self.model.kinds);
                (lo, Some(n as i64))
            }
        };
        let covered = |v: &Value| arms.iter().any(|(vs, _)| vs.contains(v));
        // There are only as many patterns as are written, so an uncovered value of a wide range is soon found.
        let mut missing: Vec<String> = match n {
            None => vec!["other values".into()],
            Some(n) => (lo..lo + n)
                .map(|i| Value::Int(i as i32))
                .filter(|v| !covered(v))
                .map(|v| self.value_words(&v, &subject.ty.base))
                .take(MAX_MISSING)
                .collect(),
        };
        if subject.ty.optional && !covered(&Value::None) {
            missing.push("none".into());
        }
        if missing.is_empty() {
            return Some(());
        }
        let shown = missing.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
        let more = match missing.len() {
            0..=4 => String::new(),
            MAX_MISSING.. => " and many more".to_string(),
            n => format!(" and {} more", n - 4),
        };
        self.report(
            Diagnostic::error(
                "law::gap",
                "this match does not cover all cases",
                span,
                format!("there is no value for {shown}{more}"),
            )
            .help("add what is missing, or `else: VALUE`"),
        );
        None
    }

    /// A constant in words.
    pub(super) fn value_words(&self, v: &Value, base: &Base) -> String {
        match (v, base) {
            (Value::Int(i), Base::Member(k)) => {
                self.model.kinds[k.i()].members.get(*i as usize).map_or_else(|| i.to_string(), |m| m.id.clone())
            }
            (Value::Int(i), Base::Bool) => (*i != 0).to_string(),
            (Value::Int(i), _) => i.to_string(),
            (Value::Text(t), _) => format!("\"{t}\""),
            (Value::None, _) => "none".into(),
            (Value::Set(s), Base::Set(of)) => {
                let items: Vec<String> = s.iter().map(|i| self.value_words(&Value::Int(i as i32), of)).collect();
                format!("{{{}}}", items.join(", "))
            }
            _ => "a set".into(),
        }
    }

    /// The reading an expression is, if it is one.
    pub(super) fn reading_of(&self, e: &Expr) -> Option<ConfigId> {
        match e.kind {
            ExprKind::Config(c) if self.model.config[c.i()].is_reading() => Some(c),
            _ => None,
        }
    }

    /// The number of an alternative of a reading.
    pub(super) fn choice_of(&mut self, config: ConfigId, word: &tree::Word) -> Option<i32> {
        let names: Vec<String> = self.model.config[config.i()].choices.iter().map(|c| c.name.clone()).collect();
        if let Some(i) = names.iter().position(|n| *n == word.text) {
            return Some(i as i32);
        }
        let what = format!("alternative of the reading `{}` called", self.model.config[config.i()].name);
        self.unknown_among(&what, word, names.iter().map(String::as_str));
        None
    }

    fn wins(&mut self, of: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        if !sc.scoring {
            self.report(
                Diagnostic::error(
                    "law::type",
                    "`wins` can be asked only in `score`",
                    span,
                    "the game is not over here",
                )
                .help("in an ending write `ends SEAT wins \"...\" when ...`"),
            );
            return None;
        }
        let seat = self.seat(of, sc)?;
        Some(typed(ExprKind::Wins(Box::new(seat)), Ty::of(Base::Bool), span))
    }

    fn name(&mut self, word: &tree::Word, sc: &mut Scope) -> Option<Expr> {
        if let Some(expr) = self.local(word, sc) {
            return Some(expr);
        }
        let span = word.span;
        if sc.is_broken(&word.text) || sc.get(&word.text).is_none() && self.unclear.names.contains(&word.text) {
            return None;
        }
        if let Some((name, action)) = sc.unshared.iter().find(|(name, _)| *name == word.text) {
            let message = format!("`{name}` is not a parameter of all actions that this clause is about");
            let help = format!("write a clause of its own for `{action}`, which has no `{name}` of this type");
            self.report(Diagnostic::error("law::unknown-name", message, span, "which action's?").help(help));
            return None;
        }
        let Some(symbol) = self.names.get(&word.text) else {
            // Of the constants, those with the same letters: `flase`, but not `tree` for `true`.
            let sorted = |word: &str| {
                let mut letters: Vec<char> = word.chars().collect();
                letters.sort_unstable();
                letters
            };
            let constants = ["true", "false", "none"].into_iter().filter(|c| sorted(c) == sorted(&word.text));
            let names = self.names.all().map(|(n, ..)| n.to_string());
            let candidates: Vec<String> = sc.all().chain(constants).map(String::from).chain(names).collect();
            self.unknown_among("name", word, candidates.iter().map(String::as_str));
            return None;
        };
        self.names.mark(symbol);
        match symbol {
            Symbol::Member(k, i) => Some(constant(Value::Int(i32::from(i)), Ty::of(Base::Member(k)), span)),
            Symbol::Absent => {
                let seat = Ty { base: Base::Member(crate::model::PLAYER), optional: true };
                Some(constant(Value::None, seat, span))
            }
            Symbol::Kind(k) => {
                let all = crate::model::Set::full(self.model.kinds[k.i()].members.len());
                Some(constant(Value::Set(all), Ty::of(Base::Set(Box::new(Base::Member(k)))), span))
            }
            Symbol::Config(c) => Some(typed(ExprKind::Config(c), self.model.config[c.i()].ty.clone(), span)),
            Symbol::Var(var) => self.whole(var, word, span),
            Symbol::Def(_) => self.call(word, &[], span, sc),
            Symbol::Links(_) | Symbol::Action(_) | Symbol::Procedure(_) | Symbol::Ability(_) | Symbol::Bring(_) => {
                self.report(
                    Diagnostic::error(
                        "law::type",
                        format!("`{}` cannot be used as a value", word.text),
                        span,
                        "not a value",
                    )
                    .help(self.usage(symbol, &word.text)),
                );
                None
            }
        }
    }

    fn usage(&self, symbol: Symbol, name: &str) -> String {
        match symbol {
            Symbol::Links(_) => format!("write `{name}(x)` for what is linked to x"),
            Symbol::Procedure(_) => format!("write `{name} is on`, or `{name}.VARIABLE`"),
            Symbol::Action(_) => "name actions in `may`, `may not`, `must` and `chooses an action among`".into(),
            Symbol::Bring(_) => format!("say what is asked of it: `must {name} so that CONDITION`"),
            _ => "name abilities in `has`, `silence` and `spare`".into(),
        }
    }
}

/// The maximum number of missing values that are counted.
const MAX_MISSING: usize = 100;

/// The maximum nesting of an expression.
const MAX_EXPRESSION_DEPTH: u32 = 192;

fn is_none(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Const(Value::None))
}

/// A constant.
pub(super) fn constant(value: Value, ty: Ty, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(value), ty, span }
}

/// An expression of a type.
pub(super) fn typed(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty, span }
}
