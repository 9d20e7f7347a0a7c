//! Names followed by something: fields, indexes, calls, links.

use super::super::Checker;
use super::super::names::Symbol;
use super::super::scope::{Binding, Scope};
use super::super::types::as_set;
use super::bags::{read, size, unread};
use super::{constant, typed};
use crate::check::Diagnostic;
use crate::model::{Arith, Base, CodeId, Expr, ExprKind, FieldStore, Ty, VarId, VarOwner};
use crate::span::Span;
use crate::syntax::tree::{self, ExprKind as T};

impl Checker {
    /// A local name: a parameter, a bound variable, a variable of the procedure.
    pub(super) fn local(&mut self, word: &tree::Word, sc: &Scope) -> Option<Expr> {
        match sc.get(&word.text)?.clone() {
            Binding::Local(i, ty) => Some(read(ExprKind::Local(i), ty, word.span)),
            Binding::Var(var) => {
                let expr = self.whole(var, word, word.span)?;
                Some(self.unless_active(var, expr, sc))
            }
            Binding::Made(made) => {
                let Expr { kind, ty, .. } = *made;
                Some(read(kind, ty, word.span))
            }
            Binding::Broken => None,
        }
    }

    /// A variable without index.
    pub(super) fn whole(&mut self, var: VarId, word: &tree::Word, span: Span) -> Option<Expr> {
        let v = &self.model.vars[var.i()];
        if let Some(k) = v.index {
            let (kinds, index) = self.index_words(k);
            self.report(
                Diagnostic::error("law::type", format!("`{}` is kept for each {kinds}", word.text), span, "whose?")
                    .help(format!("write `{}{index}", word.text)),
            );
            return None;
        }
        Some(read(ExprKind::Var { var, index: None }, v.ty.clone(), span))
    }

    /// `e.field` and `procedure.variable`.
    pub(super) fn field(&mut self, of: &tree::Expr, field: &tree::Word, span: Span, sc: &mut Scope) -> Option<Expr> {
        if let Some(code) = self.procedure_before_dot(of, sc) {
            let var = self.procedure_var(code, field)?;
            let expr = self.whole(var, field, span)?;
            return Some(self.unless_active(var, expr, sc));
        }
        let of = self.expr(of, sc)?;
        let Base::Member(kind) = of.ty.base else {
            let words = self.words(&of.ty);
            self.report(Diagnostic::error(
                "law::type",
                format!("{} has no fields", super::super::types::article(&words)),
                field.span,
                format!("asked of {}", super::super::types::article(&words)),
            ));
            return None;
        };
        let fields = &self.model.kinds[kind.i()].fields;
        let Some(i) = fields.iter().position(|f| f.name == field.text) else {
            if self.unclear.fields.contains(&(kind, field.text.clone())) {
                return None;
            }
            let names: Vec<String> = fields.iter().map(|f| f.name.clone()).collect();
            let what = format!("field of {} called", self.model.kinds[kind.i()].name);
            self.unknown_among(&what, field, names.iter().map(String::as_str));
            return None;
        };
        let found = &fields[i];
        let ty = if of.ty.optional { found.ty.clone().maybe() } else { found.ty.clone() };
        let kind = match found.store {
            FieldStore::Printed(_) => ExprKind::Printed { kind, field: i, of: Box::new(of) },
            FieldStore::Var(var) => ExprKind::Var { var, index: Some(Box::new(of)) },
        };
        Some(read(kind, ty, span))
    }

    /// A variable of a procedure is nothing while the procedure is not active.
    fn unless_active(&self, var: VarId, expr: Expr, sc: &Scope) -> Expr {
        if self.is_active(var, sc) { expr } else { Expr { ty: expr.ty.clone().maybe(), ..expr } }
    }

    fn procedure_before_dot(&mut self, of: &tree::Expr, sc: &Scope) -> Option<CodeId> {
        let T::Name(word) = &of.kind else { return None };
        if sc.get(&word.text).is_some() {
            return None;
        }
        match self.names.get(&word.text) {
            Some(Symbol::Procedure(code)) => Some(code),
            _ => None,
        }
    }

    /// The variable of a procedure by name.
    pub(in crate::check) fn procedure_var(&mut self, code: CodeId, name: &tree::Word) -> Option<VarId> {
        let names = self.procedures.get(&code).map(|s| s.names.clone()).unwrap_or_default();
        if let Some((_, var)) = names.iter().find(|(n, _)| *n == name.text) {
            return Some(*var);
        }
        if self.procedures.get(&code).is_some_and(|s| s.broken.contains(&name.text)) {
            return None;
        }
        let what = format!("parameter or variable of the procedure `{}` called", self.model.codes[code.i()].name);
        self.unknown_among(&what, name, names.iter().map(|(n, _)| n.as_str()));
        None
    }

    /// A procedure by name.
    pub(in crate::check) fn procedure_named(&mut self, word: &tree::Word) -> Option<CodeId> {
        match self.names.get(&word.text) {
            Some(Symbol::Procedure(code)) => Some(code),
            _ => {
                let names: Vec<String> = self
                    .names
                    .all()
                    .filter(|(_, s, _)| matches!(s, Symbol::Procedure(_)))
                    .map(|(n, ..)| n.to_string())
                    .collect();
                self.unknown_among("procedure", word, names.iter().map(String::as_str));
                None
            }
        }
    }

    /// The variable that an indexed or plain name stands for.
    fn variable(&mut self, of: &tree::Expr, sc: &Scope) -> Option<VarId> {
        match &of.kind {
            T::Name(word) => match sc.get(&word.text) {
                Some(Binding::Var(var)) => Some(*var),
                Some(Binding::Local(..) | Binding::Made(_) | Binding::Broken) => None,
                None => match self.names.get(&word.text) {
                    Some(s @ Symbol::Var(var)) => {
                        self.names.mark(s);
                        Some(var)
                    }
                    _ => None,
                },
            },
            T::Field(p, name) => {
                let code = self.procedure_before_dot(p, sc)?;
                self.procedure_var(code, name)
            }
            _ => None,
        }
    }

    /// `x[i]`.
    pub(super) fn index(&mut self, of: &tree::Expr, index: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        let faults = self.out.len();
        if let T::Name(word) = &of.kind
            && (sc.is_broken(&word.text) || sc.get(&word.text).is_none() && self.unclear.names.contains(&word.text))
        {
            return None;
        }
        let Some(var) = self.variable(of, sc) else {
            let is_bag = |ty: &Ty| matches!(ty.base, Base::Bag(_));
            let param =
                matches!(&of.kind, T::Name(w) if matches!(sc.get(&w.text), Some(Binding::Local(_, t)) if is_bag(t)));
            if self.out.len() == faults && (param || matches!(of.kind, T::Index(..) | T::Field(..))) {
                let found = self.expr(of, sc)?;
                if let Some(bag) = found.bag() {
                    return self.copies(bag.clone(), index, span, sc);
                }
            }
            if self.out.len() == faults {
                if let T::Name(word) = &of.kind
                    && self.names.get(&word.text).is_none()
                    && sc.get(&word.text).is_none()
                {
                    self.unknown("variable or pile", word);
                } else {
                    self.error("law::type", "only variables and piles have an index", of.span, "not one");
                }
            }
            return None;
        };
        let Some(kind) = self.model.vars[var.i()].index else {
            if matches!(self.model.vars[var.i()].ty.base, Base::Bag(_)) {
                let found = self.expr(of, sc)?;
                return self.copies(found.bag()?.clone(), index, span, sc);
            }
            let name = self.model.vars[var.i()].name.clone();
            self.report(
                Diagnostic::error("law::type", format!("`{name}` has no index"), index.span, "not wanted")
                    .help(format!("write `{name}` alone")),
            );
            return None;
        };
        let index = self.index_value(var, kind, index, sc)?;
        let ty = self.model.vars[var.i()].ty.clone();
        let ty = if !self.is_active(var, sc) || index.ty.optional && !matches!(index.kind, ExprKind::Const(_)) {
            ty.maybe()
        } else {
            ty
        };
        Some(read(ExprKind::Var { var, index: Some(Box::new(index)) }, ty, span))
    }

    /// `f(args)`.
    pub(super) fn call(&mut self, name: &tree::Word, args: &[tree::Expr], span: Span, sc: &mut Scope) -> Option<Expr> {
        if self.unclear.names.contains(&name.text) {
            return None;
        }
        match (name.text.as_str(), self.names.get(&name.text)) {
            (_, Some(Symbol::Def(def))) => self.definition_call(def, args, span, sc),
            (_, Some(Symbol::Links(_))) => {
                let [of] = args else {
                    self.arity(&name.text, &["x"], args.len(), span);
                    return None;
                };
                self.linked(name, of, false, span, sc)
            }
            ("size", None) => {
                let [of] = args else {
                    self.arity("size", &["set"], args.len(), span);
                    return None;
                };
                let set = self.set(of, sc)?;
                Some(size(set, span, sc))
            }
            ("abs", None) => {
                let [of] = args else {
                    self.arity("abs", &["a"], args.len(), span);
                    return None;
                };
                let n = self.numeric(of, sc)?;
                let ty = n.ty.clone();
                Some(typed(ExprKind::Abs(Box::new(n)), ty, span))
            }
            (f @ ("min" | "max"), None) => {
                let [a, b] = args else {
                    self.arity(f, &["a", "b"], args.len(), span);
                    return None;
                };
                let (a, b) = (self.numeric(a, sc), self.numeric(b, sc));
                let (a, b) = (a?, b?);
                let ty = Ty { base: Base::Int, optional: a.ty.optional || b.ty.optional };
                let op = if f == "min" { Arith::Min } else { Arith::Max };
                Some(typed(ExprKind::Arith(op, Box::new(a), Box::new(b)), ty, span))
            }
            ("would", None) => self.would(args, span, sc),
            ("legal", None) => self.legal(args, span, sc),
            ("leads", None) => self.leads(args, span, sc),
            ("over", None) => self.over(args, span),
            _ => {
                let mut names: Vec<String> = self
                    .names
                    .all()
                    .filter(|(_, s, _)| matches!(s, Symbol::Def(_) | Symbol::Links(_)))
                    .map(|(n, ..)| n.to_string())
                    .collect();
                names.extend(["size", "min", "max", "abs", "would", "legal", "leads", "over"].map(String::from));
                self.unknown_among("definition", name, names.iter().map(String::as_str));
                None
            }
        }
    }

    pub(in crate::check) fn arity(&mut self, name: &str, params: &[&str], got: usize, span: Span) {
        let wanted = params.len();
        let plural = if wanted == 1 { "" } else { "s" };
        self.report(
            Diagnostic::error(
                "law::arity",
                format!("`{name}` takes {wanted} argument{plural}, not {got}"),
                span,
                format!("{got} given"),
            )
            .help(format!("write `{name}({})`", params.join(", "))),
        );
    }

    fn definition_call(
        &mut self,
        def: crate::model::DefId,
        args: &[tree::Expr],
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        self.names.mark(Symbol::Def(def));
        match self.in_def {
            Some(from) => self.def_calls.push((from, def, span)),
            None => self.played.asked.push((def, span, self.played.asker)),
        }
        let ty = self.type_asked(def, sc);
        let (name, params) = {
            let d = &self.model.defs[def.i()];
            (d.name.clone(), d.params.clone())
        };
        if params.len() != args.len() {
            let params: Vec<&str> = params.iter().map(|(p, _)| p.as_str()).collect();
            self.arity(&name, &params, args.len(), span);
            return None;
        }
        let mut found = Vec::new();
        let mut lifted = false;
        for (arg, (pname, pty)) in args.iter().zip(&params) {
            let arg = self.expr(arg, sc);
            let Some(arg) = arg else { continue };
            lifted |= arg.ty.optional && !pty.optional;
            let wanted = Ty { base: pty.base.clone(), optional: true };
            found.extend(self.fit(arg, &wanted, &format!("`{pname}` of `{name}`")));
        }
        if found.len() != args.len() {
            return None;
        }
        let ty = if lifted { ty.maybe() } else { ty };
        Some(typed(ExprKind::Call { def, args: found }, ty, span))
    }

    fn links_named(&mut self, name: &tree::Word) -> Option<crate::model::LinkId> {
        if self.unclear.names.contains(&name.text) {
            return None;
        }
        match self.names.get(&name.text) {
            Some(s @ Symbol::Links(id)) => {
                self.names.mark(s);
                Some(id)
            }
            _ => {
                let names: Vec<String> = self
                    .names
                    .all()
                    .filter(|(_, s, _)| matches!(s, Symbol::Links(_)))
                    .map(|(n, ..)| n.to_string())
                    .collect();
                self.unknown_among("links", name, names.iter().map(String::as_str));
                None
            }
        }
    }

    /// What is linked to a member.
    pub(super) fn linked(
        &mut self,
        name: &tree::Word,
        of: &tree::Expr,
        back: bool,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        let links = self.links_named(name)?;
        let (from, to) = (self.model.links[links.i()].from, self.model.links[links.i()].to);
        let (from, to) = if back { (to, from) } else { (from, to) };
        let of = self.expr(of, sc)?;
        let of = self.fit(
            of,
            &Ty { base: Base::Member(from), optional: true },
            &format!("what `{}` leads from", name.text),
        )?;
        Some(typed(
            ExprKind::Linked { links, back, of: Box::new(of) },
            Ty::of(Base::Set(Box::new(Base::Member(to)))),
            span,
        ))
    }

    /// `reach(link, from, x where cond)`.
    pub(super) fn reach(
        &mut self,
        link: &tree::Word,
        from: &tree::Expr,
        var: Option<&tree::Word>,
        cond: Option<&tree::Expr>,
        span: Span,
        sc: &mut Scope,
    ) -> Option<Expr> {
        let links = self.links_named(link)?;
        let (k, to) = (self.model.links[links.i()].from, self.model.links[links.i()].to);
        if k != to {
            self.error(
                "law::type",
                format!("`{}` leads from one kind to another", link.text),
                link.span,
                "cannot be followed twice",
            );
            return None;
        }
        let from = as_set(self.expr(from, sc)?);
        let base =
            if matches!(from.ty.base, Base::Set(_)) { Base::Set(Box::new(Base::Member(k))) } else { Base::Member(k) };
        let from = self.fit(from, &Ty { base, optional: true }, "where `reach` begins")?;
        let local = sc.bind(var.map_or("", |w| w.text.as_str()), Ty::of(Base::Member(k)));
        let found = cond.map(|c| self.truth(c, sc));
        sc.unbind();
        let cond = match found {
            Some(c) => Some(Box::new(c?)),
            None => None,
        };
        let kind = ExprKind::Reach { links, from: Box::new(from), local, cond };
        Some(typed(kind, Ty::of(Base::Set(Box::new(Base::Member(k)))), span))
    }

    /// `the top of P`.
    pub(super) fn top(&mut self, of: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        let pile = self.expr(of, sc)?;
        let (Base::List(k), ExprKind::Var { var, index }) = (pile.ty.base.clone(), pile.kind) else {
            self.report(
                Diagnostic::error("law::type", "only an ordered pile has a top", of.span, "not an ordered pile")
                    .help("declare it `ordered pile`"),
            );
            return None;
        };
        Some(typed(ExprKind::Top(var, index), Ty { base: Base::Member(k), optional: true }, span))
    }

    /// `-e`.
    pub(super) fn negate(&mut self, of: &tree::Expr, span: Span, sc: &mut Scope) -> Option<Expr> {
        let n = self.numeric(of, sc)?;
        if let ExprKind::Const(crate::model::Value::Int(i)) = n.kind {
            return Some(constant(crate::model::Value::Int(i.saturating_neg()), Ty::of(Base::Int), span));
        }
        let ty = n.ty.clone();
        Some(typed(ExprKind::Neg(Box::new(n)), ty, span))
    }

    /// Reports what is changed although it may be missing: a field or an entry of nothing, a variable of a procedure
    /// that is not active.
    pub(in crate::check) fn can_change(
        &mut self,
        var: VarId,
        index: Option<&Expr>,
        place: Span,
        sc: &Scope,
    ) -> Option<()> {
        if let Some(index) = index.filter(|index| index.ty.optional) {
            let text = self.model.sources.line(index.span);
            let (may_be, help) = match index.kind {
                ExprKind::Const(_) => ("is", "name what is changed".to_owned()),
                _ => ("may be", self.ask_first(index)),
            };
            let message = format!("`{text}` {may_be} nothing, and then there is nothing to change");
            self.report(Diagnostic::error("law::nothing", message, index.span, format!("{may_be} nothing")).help(help));
            return None;
        }
        if let VarOwner::Code(code) = self.model.vars[var.i()].owner
            && !sc.is_active(code)
        {
            let name = self.model.codes[code.i()].name.clone();
            let message = format!("`{name}` may not be active here, and then there is nothing to change");
            let label = format!("is `{name}` active?");
            let help = self.ask_whether_on(code);
            self.report(Diagnostic::error("law::nothing", message, place, label).help(help));
            return None;
        }
        index.into_iter().for_each(|index| self.need(index));
        self.note_change(var, place, sc);
        Some(())
    }

    /// A pile, set variable or bag that a statement changes.
    pub(in crate::check) fn pile_target(
        &mut self,
        e: &tree::Expr,
        sc: &mut Scope,
    ) -> Option<(crate::model::Target, Ty)> {
        let expr = unread(self.expr(e, sc)?);
        let ty = expr.ty.clone();
        match (expr.kind, &ty.base) {
            (ExprKind::Var { var, index }, Base::Set(_) | Base::List(_) | Base::Bag(_)) => {
                self.can_change(var, index.as_deref(), e.span, sc)?;
                Some((crate::model::Target { var, index: index.map(|i| *i) }, ty))
            }
            _ => {
                self.report(Diagnostic::error(
                    "law::type",
                    "this is not a pile",
                    e.span,
                    "a pile, a set variable or a bag is wanted here",
                ));
                None
            }
        }
    }

    /// An expression as a set, where a pile is one.
    pub(in crate::check) fn any_set(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        self.set(e, sc).map(as_set)
    }
}
