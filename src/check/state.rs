//! Second pass: fields and their values, options, links, piles, variables, signatures.

use std::sync::Arc;

use super::Checker;
use super::declare::text;
use super::expr::typed;
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{self, Base, ExprKind, Field, FieldStore, KindId, Ty, Value, VarOwner};
use crate::span::Span;
use crate::syntax::tree::{self, Decl, DeclKind, Word};

impl Checker {
    /// Resolves the declarations that are neither clauses nor code.
    pub(super) fn things(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            if let DeclKind::Kind { name, owner, fields, called, .. } = &d.kind
                && let Some(Symbol::Kind(k)) = self.names.get(&name.text)
            {
                self.fields(k, owner.as_ref(), fields);
                self.model.kinds[k.i()].called = called.as_ref().map(|c| self.called(k, c));
            }
        }
        for d in decls {
            match &d.kind {
                DeclKind::Source { file, .. } => self.register(file),
                DeclKind::Grid(g) => self.grid_types(g),
                DeclKind::Option { name, ty, value, .. } => self.option(name, ty, value),
                DeclKind::Reading { name, choices, .. } => self.reading(name, choices, d.span),
                DeclKind::Define { name, params, ty, during, .. } => {
                    self.signature(name, params, ty.as_ref(), d.span);
                    self.define_during(name, during.as_ref());
                }
                _ => {}
            }
        }
        for d in decls {
            match &d.kind {
                DeclKind::Preset { name, label, settings } => self.preset(name, label.as_ref(), settings),
                DeclKind::Members { also: false, kind, names, fields, .. } => self.member_values(kind, names, fields),
                DeclKind::Table(table) => self.table_values(table),
                DeclKind::Links { name, from, to, directed, chains, file, .. } => {
                    self.links(name, (from, to), *directed, chains, file.as_ref());
                }
                DeclKind::Pile { name, ordered, index, of, start, .. } => {
                    self.pile(name, *ordered, index.as_ref(), of, start.as_ref())
                }
                DeclKind::Var(v) => self.game_var(v),
                _ => {}
            }
        }
        self.more_links(decls);
        self.exclusions(decls);
        self.set_members();
        self.fix_seats();
        self.missing_values(decls);
        for d in decls {
            match &d.kind {
                DeclKind::Grid(g) => self.lay_grid(g, decls),
                DeclKind::Edges { grid, .. } | DeclKind::SetSide { grid, .. } => self.edges_of_nothing(grid),
                _ => {}
            }
        }
        self.initial_fields(decls);
    }

    /// Reports a field whose name an earlier one of these has.
    pub(super) fn field_twice(&mut self, again: &Word, fields: &[tree::Field]) {
        let first = fields.iter().find(|o| o.name.text == again.text).map_or(again.span, |o| o.name.span);
        let message = format!("the field `{}` stands twice", again.text);
        self.report(
            Diagnostic::error("law::duplicate", message, again.span, "declared again")
                .and(first, "declared first")
                .help("leave one of them"),
        );
    }

    fn fields(&mut self, kind: KindId, owner: Option<&Word>, fields: &[tree::Field]) {
        for f in fields {
            let Some(ty) = self.var_ty(&f.ty) else {
                self.unclear.fields.insert((kind, f.name.text.clone()));
                continue;
            };
            if self.model.kinds[kind.i()].fields.iter().any(|o| o.name == f.name.text) {
                self.field_twice(&f.name, fields);
                continue;
            }
            let store = if f.var {
                let name = format!("{}.{}", self.model.kinds[kind.i()].name, f.name.text);
                let var = self.new_var(&name, f.name.span, VarOwner::Field(kind));
                self.model.vars[var.i()].index = Some(kind);
                self.model.vars[var.i()].ty = ty.clone();
                self.storable(&ty, f.ty.span);
                self.keep(var, f.during.as_ref());
                FieldStore::Var(var)
            } else {
                self.not_kept(f.during.as_ref(), "a printed field", "write `var` before its name");
                FieldStore::Printed(Vec::new())
            };
            self.model.kinds[kind.i()].fields.push(Field {
                name: f.name.text.clone(),
                label: super::declare::text(f.label.as_ref()),
                default: None,
                ty,
                store,
            });
        }
        if let Some(owner) = owner {
            let found = self.model.kinds[kind.i()]
                .fields
                .iter()
                .position(|f| f.name == owner.text && f.ty.base == Base::Member(model::PLAYER));
            if found.is_none() {
                self.report(
                    Diagnostic::error(
                        "law::unknown-name",
                        format!("there is no field `{}` of type Player", owner.text),
                        owner.span,
                        "the owner",
                    )
                    .help(format!("declare `{}: Player` in the kind", owner.text)),
                );
            }
            self.model.kinds[kind.i()].owner = found;
        }
    }

    fn storable(&mut self, ty: &Ty, span: Span) {
        if matches!(ty.base, Base::Text) {
            self.report(Diagnostic::error("law::type", "a text cannot change in play", span, "not stored").help(
                "leave `var` out of a field; for a variable, declare a `kind` whose members have these texts as labels",
            ));
        }
    }

    fn option(&mut self, name: &Word, ty: &tree::Type, value: &tree::Expr) {
        let Some(Symbol::Config(id)) = self.names.get(&name.text) else {
            return;
        };
        let written = ty.span;
        let Some(ty) = self.ty(ty) else {
            self.unclear.names.insert(name.text.clone());
            return;
        };
        if !matches!(ty.base, Base::Bool | Base::Range(..) | Base::Member(_)) || ty.optional {
            self.unclear.names.insert(name.text.clone());
            self.report(
                Diagnostic::error("law::type", "an option is Bool, a range or a kind", written, "of another type")
                    .help("write `Bool`, `0..9` or a kind"),
            );
            return;
        }
        if let Some(Value::Int(v)) = self.constant_value(value, &ty, &format!("the option `{}`", name.text)) {
            self.model.config[id.i()].default = v;
        }
        self.model.config[id.i()].ty = ty;
    }

    fn reading(&mut self, name: &Word, choices: &[tree::ReadingChoice], span: Span) {
        let Some(Symbol::Config(id)) = self.names.get(&name.text) else {
            return;
        };
        if choices.len() < 2 {
            self.report(
                Diagnostic::error("law::incomplete", "a reading has at least two alternatives", span, "too few")
                    .help("add `name \"its reason\"`"),
            );
        }
        let defaults: Vec<usize> = choices.iter().enumerate().filter(|(_, c)| c.default).map(|(i, _)| i).collect();
        if defaults.len() != 1 {
            self.report(
                Diagnostic::error(
                    "law::incomplete",
                    match defaults.len() {
                        0 => format!("the reading `{}` has no default", name.text),
                        n => format!("the reading `{}` has {n} defaults", name.text),
                    },
                    name.span,
                    "must have one",
                )
                .help("write `default` after one alternative"),
            );
        }
        let item = &mut self.model.config[id.i()];
        item.ty = Ty::of(Base::Range(0, choices.len().max(1) as i32 - 1));
        item.default = defaults.first().map_or(0, |d| *d as i32);
        item.choices = choices
            .iter()
            .map(|c| model::ReadingChoice { name: c.name.text.clone(), grounds: text(c.grounds.as_ref()) })
            .collect();
        if item.choices.is_empty() {
            item.choices.push(model::ReadingChoice { name: String::new(), grounds: model::Text::default() });
        }
    }

    fn preset(&mut self, name: &Word, label: Option<&tree::Label>, settings: &[(Word, tree::Expr)]) {
        let mut found = Vec::new();
        for (word, value) in settings {
            let Some(Symbol::Config(id)) = self.names.get(&word.text) else {
                let names: Vec<String> = self.model.config.iter().map(|c| c.name.clone()).collect();
                self.unknown_among("option or reading", word, names.iter().map(String::as_str));
                continue;
            };
            let item = self.model.config[id.i()].clone();
            let value = match (&value.kind, item.is_reading()) {
                (tree::ExprKind::Name(choice), true) => self.choice_of(id, choice),
                _ => self.constant_value(value, &item.ty, &format!("`{}`", word.text)).and_then(|v| v.int()),
            };
            found.extend(value.map(|v| (id, v)));
        }
        self.model.presets.push(model::Preset { name: name.text.clone(), text: text(label), settings: found });
    }

    fn initial_fields(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            let DeclKind::Kind { name, fields, .. } = &d.kind else {
                continue;
            };
            let Some(Symbol::Kind(k)) = self.names.get(&name.text) else {
                continue;
            };
            for f in fields.iter().filter(|f| f.var) {
                let found = self.model.kinds[k.i()].fields.iter().find(|o| o.name == f.name.text);
                let Some(FieldStore::Var(var)) = found.map(|o| o.store.clone()) else {
                    continue;
                };
                let mut sc = Scope::default();
                // Local 0 is the member. Its printed fields have their names, unless the game has such a name.
                let it = sc.bind("it", Ty::of(Base::Member(k)));
                self.bind_printed(k, it, &mut sc);
                self.initial(var, f.value.as_ref(), &mut sc, f.name.span);
            }
        }
    }

    fn bind_printed(&self, kind: KindId, member: u16, sc: &mut Scope) {
        let span = self.model.kinds[kind.i()].span;
        for (field, f) in self.model.kinds[kind.i()].fields.iter().enumerate() {
            if matches!(f.store, FieldStore::Printed(_)) && self.names.get(&f.name).is_none() {
                let of = Box::new(typed(ExprKind::Local(member), Ty::of(Base::Member(kind)), span));
                let made = typed(ExprKind::Printed { kind, field, of }, f.ty.clone(), span);
                sc.bind_made(&f.name, made);
            }
        }
    }

    /// Resolves the initial value of a variable, which is required if the variable cannot be nothing.
    pub(super) fn initial(&mut self, var: model::VarId, value: Option<&tree::Expr>, sc: &mut Scope, span: Span) {
        let ty = self.model.vars[var.i()].ty.clone();
        let name = self.model.vars[var.i()].name.clone();
        match value {
            Some(e) if matches!(ty.base, Base::Bag(_)) => self.bag_start(&name, e),
            Some(e) => {
                if let Some(expr) = self.expr(e, sc)
                    && let Some(expr) = self.fit(expr, &ty, &format!("the initial value of `{name}`"))
                {
                    self.model.vars[var.i()].init = Some(expr);
                }
            }
            None if ty.optional || matches!(ty.base, Base::Set(_) | Base::List(_) | Base::Bag(_)) => {}
            None => {
                let words = self.words(&ty);
                self.report(
                    Diagnostic::error(
                        "law::missing-field",
                        format!("`{name}` has no initial value"),
                        span,
                        format!("{} must have one", super::types::article(&words)),
                    )
                    .help(format!("write `= VALUE` after its type, or `{words}?` if it can be nothing")),
                );
            }
        }
    }

    /// The only initial value of a bag is `{}`.
    fn bag_start(&mut self, name: &str, value: &tree::Expr) {
        if !matches!(&value.kind, tree::ExprKind::Set(items) if items.is_empty()) {
            self.report(
                Diagnostic::error("law::type", format!("the bag `{name}` begins empty"), value.span, "not empty")
                    .help("leave this out, and fill the bag with `put` or `roll` in a step of `play`"),
            );
        }
    }

    pub(super) fn member_of(&mut self, kind: KindId, word: &Word) -> Option<usize> {
        match self.names.get(&word.text) {
            Some(Symbol::Member(k, m)) if k == kind => Some(m as usize),
            _ => {
                let names: Vec<String> = self.model.kinds[kind.i()].members.iter().map(|m| m.id.clone()).collect();
                let what = format!("{} called", self.model.kinds[kind.i()].name);
                self.unknown_among(&what, word, names.iter().map(String::as_str));
                None
            }
        }
    }

    fn pile(&mut self, name: &Word, ordered: bool, index: Option<&tree::Index>, of: &Word, start: Option<&tree::Expr>) {
        let Some(Symbol::Var(var)) = self.names.get(&name.text) else {
            return;
        };
        let Some(k) = self.kind_named(of) else {
            self.unclear.names.insert(name.text.clone());
            return;
        };
        let base = if ordered { Base::List(k) } else { Base::Set(Box::new(Base::Member(k))) };
        self.model.vars[var.i()].ty = Ty::of(base);
        let mut sc = Scope::default();
        self.bind_index(var, index, &mut sc);
        if let Some(e) = start
            && let Some(expr) = self.set(e, &mut sc)
            && let Some(expr) =
                self.fit(expr, &Ty::of(Base::Set(Box::new(Base::Member(k)))), "what the pile begins with")
        {
            self.model.vars[var.i()].init = Some(expr);
        }
    }

    fn game_var(&mut self, v: &tree::Var) {
        let Some(Symbol::Var(var)) = self.names.get(&v.name.text) else {
            return;
        };
        let Some(ty) = self.var_ty(&v.ty) else {
            self.unclear.names.insert(v.name.text.clone());
            return;
        };
        self.storable(&ty, v.ty.span);
        self.model.vars[var.i()].ty = ty;
        self.keep(var, v.during.as_ref());
        let mut sc = Scope::default();
        self.bind_index(var, v.index.as_ref(), &mut sc);
        self.initial(var, v.value.as_ref(), &mut sc, v.name.span);
    }

    fn signature(&mut self, name: &Word, params: &[tree::Param], ty: Option<&tree::Type>, span: Span) {
        let Some(Symbol::Def(id)) = self.names.get(&name.text) else {
            return;
        };
        let mut found = Vec::new();
        for p in params {
            if found.iter().any(|(n, _)| *n == p.name.text) {
                self.report(
                    Diagnostic::error(
                        "law::duplicate",
                        format!("the name `{}` is taken", p.name.text),
                        p.name.span,
                        "declared again",
                    )
                    .help("choose another name for one of them"),
                );
            }
            match self.var_ty(&p.ty) {
                Some(ty) => found.push((p.name.text.clone(), ty)),
                None => {
                    self.unclear.names.insert(name.text.clone());
                }
            }
        }
        self.model.defs[id.i()].params = found;
        match ty {
            Some(t) => match self.ty(t) {
                Some(ty) => self.model.defs[id.i()].ty = ty,
                None => {
                    self.unclear.names.insert(name.text.clone());
                }
            },
            None => {
                self.unclear.names.insert(name.text.clone());
                self.report(
                    Diagnostic::error(
                        "law::incomplete",
                        format!("`{}` does not say which type it has", name.text),
                        Span { end: name.span.end, ..span },
                        "no type",
                    )
                    .help("write `-> TYPE` after the parameters"),
                );
            }
        }
    }
}
