//! Procedures with their steps, and the hooks on them.

use std::sync::Arc;

use super::Checker;
use super::builder::Builder;
use super::clause::Within;
use super::declare::{cites, text};
use super::names::Symbol;
use super::played::Asker;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{self, Base, ClauseKind, CodeId, CodeKind, Hook, HookId, InstrKind, Ty, VarId, VarOwner};
use crate::span::Span;
use crate::syntax::tree::{self, Decl, DeclKind, HookTime, ProcItem, Word};

/// What is known about a procedure before its instructions are compiled.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// Parameters and variables.
    pub(super) names: Vec<(String, VarId)>,
    /// Its steps.
    pub(super) steps: Vec<String>,
    /// Parameters and variables that have an error.
    pub(super) broken: Vec<String>,
}

/// A hook before its block is resolved.
#[derive(Debug)]
pub(super) struct HookOutline {
    hook: HookId,
    procedure: CodeId,
    within: Option<Within>,
    /// The condition of its ability, and its own.
    when: Vec<tree::Expr>,
    body: Vec<tree::Stmt>,
}

impl Checker {
    /// Parameters, variables and steps of procedures, parameters of actions.
    pub(super) fn outline_procedures(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            match &d.kind {
                DeclKind::Procedure(p) => self.outline_procedure(p),
                DeclKind::Action(a) => self.outline_action(a, d.span),
                _ => {}
            }
        }
        // Initial values may use variables of other procedures, so they come second.
        for d in decls {
            if let DeclKind::Procedure(p) = &d.kind {
                self.procedure_vars(p);
            }
        }
    }

    fn outline_procedure(&mut self, p: &tree::Procedure) {
        let Some(Symbol::Procedure(code)) = self.names.get(&p.name.text) else {
            return;
        };
        self.outline_during(code, p.during.as_ref());
        let mut outline = Outline::default();
        for param in &p.params {
            let Some(ty) = self.var_ty(&param.ty) else {
                outline.broken.push(param.name.text.clone());
                continue;
            };
            let var = self.code_var(code, &param.name.text, ty, param.name.span);
            self.model.codes[code.i()].params.push(var);
            self.add_name(&mut outline, &param.name, var);
        }
        if let Some(n) = p.nested {
            match u8::try_from(n) {
                Ok(n) if (1..=32).contains(&n) => self.model.codes[code.i()].nested = n,
                _ => {
                    self.model.codes[code.i()].nested = 2;
                    self.report(
                        Diagnostic::error(
                            "law::range",
                            format!("`nested {n}` is out of range"),
                            p.name.span,
                            "must be 1..32",
                        )
                        .help("write how many of it can be active at a time: `nested 3`"),
                    );
                }
            }
        }
        for item in &p.items {
            match item {
                ProcItem::Var(v) => {
                    let help = "leave out `in`: it ends with the procedure that declares it";
                    self.not_kept(v.during.as_ref(), "a variable of a procedure", help);
                    let Some(ty) = self.var_ty(&v.ty) else {
                        outline.broken.push(v.name.text.clone());
                        continue;
                    };
                    let var = self.code_var(code, &v.name.text, ty, v.name.span);
                    self.call_var(var, v.label.as_ref());
                    let mut sc = Scope::default();
                    self.bind_index(var, v.index.as_ref(), &mut sc);
                    self.add_name(&mut outline, &v.name, var);
                }
                ProcItem::Step(s) => {
                    let first = p.items.iter().find_map(|i| match i {
                        ProcItem::Step(o) if o.name.text == s.name.text => Some(o.name.span),
                        _ => None,
                    });
                    if let Some(first) = first.filter(|f| *f != s.name.span) {
                        self.report(
                            Diagnostic::error(
                                "law::duplicate",
                                format!("the step `{}` is declared twice", s.name.text),
                                s.name.span,
                                "declared again",
                            )
                            .and(first, "declared first")
                            .help("give one of them another name"),
                        );
                    }
                    outline.steps.push(s.name.text.clone());
                }
                ProcItem::Stmt(_) => {}
            }
        }
        self.procedures.insert(code, outline);
    }

    fn add_name(&mut self, outline: &mut Outline, word: &Word, var: VarId) {
        if let Some((_, old)) = outline.names.iter().find(|(n, _)| *n == word.text) {
            let old = self.model.vars[old.i()].span;
            self.report(
                Diagnostic::error(
                    "law::duplicate",
                    format!("the name `{}` is taken", word.text),
                    word.span,
                    "declared again",
                )
                .and(old, "declared first")
                .help("choose another name for one of them"),
            );
            outline.broken.push(word.text.clone());
            return;
        }
        outline.names.push((word.text.clone(), var));
    }

    /// A new variable of a code.
    pub(super) fn code_var(&mut self, code: CodeId, name: &str, ty: Ty, span: Span) -> VarId {
        let full = format!("{}.{name}", self.model.codes[code.i()].name);
        let var = self.new_var(&full, span, VarOwner::Code(code));
        self.model.vars[var.i()].ty = ty;
        self.model.codes[code.i()].vars.push(var);
        var
    }

    fn procedure_vars(&mut self, p: &tree::Procedure) {
        let Some(Symbol::Procedure(code)) = self.names.get(&p.name.text) else {
            return;
        };
        for item in &p.items {
            let ProcItem::Var(v) = item else { continue };
            let Some(var) = self
                .procedures
                .get(&code)
                .and_then(|s| s.names.iter().find(|(n, _)| *n == v.name.text))
                .map(|(_, v)| *v)
            else {
                continue;
            };
            if self.procedures.get(&code).is_some_and(|s| s.broken.contains(&v.name.text)) {
                continue;
            }
            let mut sc = Scope::default();
            if let (Some(index), Some(kind)) = (&v.index, self.model.vars[var.i()].index) {
                self.bind_index_names(kind, index, &mut sc);
            }
            self.bind_procedure(code, &mut sc);
            self.initial(var, v.value.as_ref(), &mut sc, v.name.span);
        }
    }

    fn outline_action(&mut self, a: &tree::Action, span: Span) {
        let Some(id) = self.action_named(&a.name) else {
            return;
        };
        let code = self.model.actions[id.i()].code;
        self.outline_during(code, a.during.as_ref());
        if a.params.len() > model::MAX_ARGS {
            self.report(
                Diagnostic::error(
                    "law::range",
                    format!("an action has at most {} parameters", model::MAX_ARGS),
                    self.head(span),
                    format!("{} parameters", a.params.len()),
                )
                .help("let the rest be chosen in its block: `SEAT chooses x from SET`"),
            );
            self.unclear.names.insert(a.name.text.clone());
            return;
        }
        let mut sc = Scope::default();
        let mut params = Vec::new();
        for p in &a.params {
            let Some(ty) = self.ty(&p.ty) else {
                self.unclear.names.insert(a.name.text.clone());
                continue;
            };
            let wide = |b: &Base| model::scalar_span(b, &self.model.kinds).1 > 32_000;
            if ty.optional || !matches!(ty.base, Base::Member(_) | Base::Range(..) | Base::Bool) || wide(&ty.base) {
                self.report(
                    Diagnostic::error(
                        "law::type",
                        "a parameter of an action must be of a kind, a range or Bool",
                        p.ty.span,
                        "cannot be listed",
                    )
                    .help("write a kind, `0..9`, or Bool"),
                );
                self.unclear.names.insert(a.name.text.clone());
                continue;
            }
            // An argument is kept in 16 bits.
            if let Base::Range(lo, hi) = ty.base
                && (i16::try_from(lo).is_err() || i16::try_from(hi).is_err())
            {
                self.report(
                    Diagnostic::error(
                        "law::range",
                        "the numbers of an action lie between -32768 and 32767",
                        p.ty.span,
                        "too far from 0",
                    )
                    .help("write a range near 0 and add the rest in the block"),
                );
                self.unclear.names.insert(a.name.text.clone());
                continue;
            }
            let var = self.code_var(code, &p.name.text, ty.clone(), p.name.span);
            self.model.codes[code.i()].params.push(var);
            sc.bind(&p.name.text, ty.clone());
            params.push((p.name.text.clone(), ty));
        }
        self.model.actions[id.i()].params = params;
        self.action_sketches.push(a.clone());
    }

    /// `by`, `where` and notation of actions; they may use definitions.
    fn action_heads(&mut self) {
        for a in std::mem::take(&mut self.action_sketches) {
            let Some(id) = self.action_named(&a.name) else {
                continue;
            };
            let mut sc = Scope::default();
            let code = self.model.actions[id.i()].code;
            self.bind_around(code, &mut sc);
            let params = self.model.actions[id.i()].params.clone();
            for (name, ty) in &params {
                sc.bind(name, ty.clone());
            }
            if let Some(by) = self.seat(&a.by, &mut sc) {
                self.model.actions[id.i()].by = by;
            }
            let conjuncts = a.domain.as_ref().and_then(|d| self.conjuncts(d, &mut sc)).unwrap_or_default();
            let mut domain: Vec<Vec<model::Expr>> = vec![Vec::new(); params.len().max(1)];
            domain[0].extend(a.during.as_ref().and_then(|word| self.during_condition(code, word.span)));
            for c in conjuncts {
                domain[last_param(&c, params.len())].push(c);
            }
            self.model.actions[id.i()].domain = domain;
            if let Some(log) = &a.log {
                self.played.asker = Asker::Notation;
                self.model.actions[id.i()].log = self.template(log, &mut sc);
                self.played.asker = Asker::Another;
            } else {
                self.model.actions[id.i()].log = plain_log(&a.name.text, &params, a.name.span);
            }
            let found = &mut self.model.actions[id.i()];
            found.locals = found.locals.max(sc.most());
            self.build_action(id, &a);
        }
    }

    fn build_action(&mut self, id: model::ActionId, a: &tree::Action) {
        let code = self.model.actions[id.i()].code;
        let mut b = Builder::new(code);
        self.bind_around(code, &mut b.scope);
        for (p, var) in a.params.iter().zip(self.model.codes[code.i()].params.clone()) {
            b.scope.bind_var(&p.name.text, var);
        }
        b.given(self, a.domain.as_ref());
        b.hide_action(self, id, a);
        b.block(self, &a.body);
        b.finish(self, a.name.span);
    }

    /// Declares a hook; its block is resolved with the procedures.
    pub(super) fn hook(
        &mut self,
        c: &tree::Clause,
        within: Option<&Within>,
        time: HookTime,
        procedure: &Word,
        step: Option<&Word>,
    ) {
        let tree::ClauseKind::Hook { body, .. } = &c.kind else {
            return;
        };
        let Some(target) = self.procedure_named(procedure) else {
            return;
        };
        let step_index = match step {
            None => None,
            Some(word) => {
                let steps = self.procedures.get(&target).map(|s| s.steps.clone()).unwrap_or_default();
                let Some(i) = steps.iter().position(|s| *s == word.text) else {
                    self.unknown_step(procedure, word, &steps);
                    return;
                };
                Some(i)
            }
        };
        if step.is_none() && !matches!(time, HookTime::Before | HookTime::After) {
            self.report(
                Diagnostic::error("law::unknown-step", "a step is missing", procedure.span, "of which step?")
                    .help("write `before P`, `after P`, or `at P.STEP`"),
            );
            return;
        }
        let help = "say whose abilities go first with `order` in the step, or exclude one with `when`";
        self.no_ranks(&c.mods, "what attaches to a step", help);
        let place = step.map_or(procedure.text.clone(), |s| format!("{}.{}", procedure.text, s.text));
        let clause = self.identity((ClauseKind::Hook(time), &place), c.label.as_ref(), &c.mods, c.span, within);
        let mut sc = Scope::default();
        let local = within.map_or(0, |w| w.bind(self, &mut sc));
        self.bind_procedure(target, &mut sc);
        self.model.clauses[clause.i()].holder = local;
        self.condition(clause, &c.mods, within, &mut sc);
        let hook = HookId(self.model.hooks.len() as u16);
        let code = self.new_code(&format!("{} {place}", time.keyword()), CodeKind::Hook(hook), c.span, &[]);
        self.model.hooks.push(Hook { clause, code, bearers: Vec::new() });
        self.attached.entry((target, step_index, time)).or_default().push(hook);
        let when = within.and_then(|w| w.when.as_ref()).into_iter().chain(&c.mods.when).cloned().collect();
        self.hooks.push(HookOutline { hook, procedure: target, within: within.cloned(), when, body: body.clone() });
    }

    fn unknown_step(&mut self, procedure: &Word, word: &Word, steps: &[String]) {
        let help = match crate::spelling::closest(&word.text, steps.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{}.{near}`?", procedure.text),
            None if steps.is_empty() => format!("`{}` has no steps: write `before {0}` or `after {0}`", procedure.text),
            None => format!("the steps of `{}` are: {}", procedure.text, steps.join(", ")),
        };
        self.report(
            Diagnostic::error(
                "law::unknown-step",
                format!("`{}` has no step `{}`", procedure.text, word.text),
                word.span,
                "nothing has this name",
            )
            .help(help),
        );
    }

    /// Resolves all procedures, hooks and effects.
    pub(super) fn build_codes(&mut self, decls: &[Arc<Decl>]) {
        self.action_heads();
        for d in decls {
            if let DeclKind::Procedure(p) = &d.kind {
                self.build_procedure(p, d.span);
            }
        }
        for outline in std::mem::take(&mut self.hooks) {
            let code = self.model.hooks[outline.hook.i()].code;
            let mut b = Builder::new(code);
            self.bind_procedure(outline.procedure, &mut b.scope);
            if let Some(w) = &outline.within {
                let kind = self.model.abilities[w.ability.i()].kind;
                let var = self.code_var(code, "holder", Ty::of(Base::Member(kind)), Span::default());
                self.model.codes[code.i()].params.push(var);
                b.scope.bind_var("holder", var);
                if let Some(name) = &w.name {
                    b.scope.bind_var(name, var);
                }
            }
            let clause = self.model.hooks[outline.hook.i()].clause;
            b.cites.clone_from(&self.model.clauses[clause.i()].cites);
            let span = self.model.clauses[clause.i()].span;
            outline.when.iter().for_each(|when| b.given(self, Some(when)));
            b.block(self, &outline.body);
            b.finish(self, span);
        }
        self.end_kept();
        match self.names.get("play") {
            Some(Symbol::Procedure(code)) => {
                self.model.play = code;
                self.called.insert(code);
                if let Some(var) = self.model.codes[code.i()].params.first() {
                    let span = self.model.vars[var.i()].span;
                    self.report(
                        Diagnostic::error(
                            "law::arity",
                            "`play` cannot have parameters",
                            span,
                            "nobody would give it a value",
                        )
                        .help("declare it in the game: `var NAME: TYPE = VALUE`"),
                    );
                }
            }
            _ if self.unclear.names.contains("play") => {}
            _ => {
                let span = decls.first().map_or(Span::default(), |d| d.span);
                self.report(
                    Diagnostic::error(
                        "law::incomplete",
                        "the rules have no procedure `play`",
                        Span { end: span.start, ..span },
                        "where does the game begin?",
                    )
                    .help("write `procedure play { ... }`"),
                );
            }
        }
    }

    fn build_procedure(&mut self, p: &tree::Procedure, span: Span) {
        let Some(Symbol::Procedure(code)) = self.names.get(&p.name.text) else {
            return;
        };
        let mut b = Builder::new(code);
        self.bind_procedure(code, &mut b.scope);
        if let Some(limits) = self.limits.get(&code).cloned() {
            b.push(InstrKind::Reset(limits), span);
        }
        self.hooks_by_seats(&mut b, (code, None, HookTime::Before), &[], span);
        let mut step = 0;
        for item in &p.items {
            match item {
                ProcItem::Var(_) => {}
                ProcItem::Stmt(s) => b.stmt(self, s),
                ProcItem::Step(s) => {
                    self.build_step(&mut b, code, step, s);
                    step += 1;
                }
            }
        }
        b.left_anywhere(self);
        self.model.codes[code.i()].finally = b.here();
        b.end_inner(self, span);
        if let Some(finally) = &p.finally {
            b.block(self, finally);
        }
        self.hooks_by_seats(&mut b, (code, None, HookTime::After), &[], span);
        b.end_own(self, code, span);
        b.finish(self, span);
    }

    fn build_step(&mut self, b: &mut Builder, code: CodeId, index: usize, s: &tree::Step) {
        b.clear_stale(s.span);
        let start = b.here();
        let mark = b.enter();
        let mut skip = None;
        if let Some(when) = &s.when {
            b.scope.here = Some(b.here());
            let cond = self.truth(when, &mut b.scope);
            self.narrow_by(cond.as_ref(), &mut b.scope);
            skip = cond.map(|cond| b.push(InstrKind::Unless(cond, 0), s.span));
        }
        if let Some(order) = &s.order {
            self.check_order(b, order);
        }
        self.hooks_at(b, (code, Some(index), HookTime::Before), s);
        let instead = self.replacing_at(&(code, Some(index), HookTime::Instead));
        let jump = (!instead.is_empty()).then(|| b.push(InstrKind::Instead(instead, 0), s.span));
        b.block(self, &s.body);
        b.leave(mark);
        self.hooks_at(b, (code, Some(index), HookTime::At), s);
        if let Some(jump) = jump {
            b.land(jump);
        }
        self.hooks_at(b, (code, Some(index), HookTime::After), s);
        b.push(InstrKind::StepEnd(index as u16), s.span);
        if let Some(skip) = skip {
            b.land(skip);
        }
        let end = b.here();
        self.model.codes[code.i()].steps.push(model::Step {
            name: s.name.text.clone(),
            label: text(s.label.as_ref()),
            asks: text(s.asks.as_ref()),
            cites: cites(&s.cite),
            start,
            end,
            span: s.name.span,
            whole: s.span,
        });
    }
}

// The last parameter that an expression uses.
fn last_param(e: &model::Expr, params: usize) -> usize {
    let mut last = 0;
    e.walk(&mut |e| {
        if let model::ExprKind::Local(i) = e.kind
            && (i as usize) < params
        {
            last = last.max(i as usize);
        }
    });
    last
}

// `name(a, b)`: the notation of an action that gives none.
fn plain_log(name: &str, params: &[(String, Ty)], span: Span) -> model::Template {
    let mut parts = vec![model::TemplatePart::Text(name.replace('_', " "))];
    for (i, (_, ty)) in params.iter().enumerate() {
        parts.push(model::TemplatePart::Text(" ".into()));
        parts.push(model::TemplatePart::Value(model::Expr {
            kind: model::ExprKind::Local(i as u16),
            ty: ty.clone(),
            span,
        }));
    }
    model::Template { parts, translations: Vec::new() }
}
