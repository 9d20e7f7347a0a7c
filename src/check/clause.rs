//! Clauses: definitions with their exceptions, permissions, prohibitions, obligations, silences; and the labels by
//! which they refer to each other.

use std::sync::Arc;

use super::Checker;
use super::declare::text;
use super::labels::{Among, How, Wanted};
use super::names::Symbol;
use super::scope::{Ahead, Scope};
use crate::check::Diagnostic;
use crate::model::{
    self, AbilityId, ActionId, Base, ClauseId, DefClause, Expr, Goal, KindId, Layer, Ty, Value, VarOwner,
};
use crate::span::Span;
use crate::syntax::tree::{self, Ability, ClauseKind, Decl, DeclKind, Mods, Word};

/// The ability a clause stands in.
#[derive(Clone, Debug)]
pub(super) struct Within {
    pub(super) ability: AbilityId,
    pub(super) name: Option<String>,
    pub(super) when: Option<tree::Expr>,
}

impl Checker {
    /// Resolves the general values of all definitions.
    pub(super) fn definitions(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            let DeclKind::Define { name, value: Some(value), .. } = &d.kind else {
                continue;
            };
            let Some(Symbol::Def(id)) = self.names.get(&name.text) else {
                continue;
            };
            if self.unclear.names.contains(&name.text) {
                continue;
            }
            let mut sc = Scope::default();
            let ty = self.bind_defined(id, &mut sc);
            for (p, ty) in self.model.defs[id.i()].params.clone() {
                sc.bind(&p, ty);
            }
            self.in_def = Some(id);
            let general = self.expr(value, &mut sc).and_then(|e| self.fit_result(e, &ty, &name.text));
            self.in_def = None;
            let general = general.map(|general| self.while_active(id, general));
            if general.is_none() {
                self.unclear.meant.insert(name.text.clone());
            }
            let def = &mut self.model.defs[id.i()];
            def.general = general;
            def.locals = def.locals.max(sc.most());
        }
    }

    fn fit_result(&mut self, expr: Expr, ty: &Ty, name: &str) -> Option<Expr> {
        self.fit_or(expr, ty, &format!("the value of `{name}`"), |c, e| c.ask_or_declare(e, ty))
    }

    /// Resolves all clauses except the blocks of hooks.
    pub(super) fn clauses(&mut self, decls: &[Arc<Decl>]) {
        self.bearing_fields(decls);
        self.holders(decls);
        for d in decls {
            match &d.kind {
                DeclKind::Clause(c) => self.clause(c, None),
                DeclKind::Ability(a) => self.shared_ability(a),
                DeclKind::Members { also, kind, names, abilities, .. } => {
                    let Some(Symbol::Kind(k)) = self.names.get(&kind.text) else {
                        continue;
                    };
                    if *also {
                        self.declared_elsewhere(k, names);
                    }
                    for a in abilities {
                        self.own_ability(k, names, a);
                    }
                }
                _ => {}
            }
        }
        self.resolve_spares();
    }

    /// The members of a `Card A, B also { ... }` must be declared, each named once.
    fn declared_elsewhere(&mut self, kind: KindId, names: &[(Word, Option<tree::Label>)]) {
        for (i, (name, _)) in names.iter().enumerate() {
            if self.member_of(kind, name).is_some()
                && let Some((before, _)) = names[..i].iter().find(|(n, _)| n.text == name.text)
            {
                let message = format!("`{}` stands twice here", name.text);
                self.report(
                    Diagnostic::error("law::duplicate", message, name.span, "the second time")
                        .and(before.span, "the first time")
                        .help("leave it out"),
                );
            }
        }
    }

    fn holders(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            if let DeclKind::Members { also: true, kind, .. } = &d.kind {
                self.kind_named(kind);
            }
            let (DeclKind::Members { has, .. } | DeclKind::Kind { has, .. }) = &d.kind else {
                continue;
            };
            for word in has {
                let Some(Symbol::Ability(id)) = self.names.get(&word.text) else {
                    let known: Vec<String> = self
                        .names
                        .all()
                        .filter(|(_, s, _)| matches!(s, Symbol::Ability(_)))
                        .map(|(n, ..)| n.to_string())
                        .collect();
                    self.unknown_among("ability", word, known.iter().map(String::as_str));
                    continue;
                };
                self.names.mark(Symbol::Ability(id));
                match &d.kind {
                    DeclKind::Members { names, .. } => {
                        for (n, _) in names {
                            match self.names.get(&n.text) {
                                Some(Symbol::Member(k, m)) => self.endow(id, word.span, &n.text, (k, m..m + 1)),
                                _ => continue,
                            }
                        }
                    }
                    DeclKind::Kind { name, .. } => {
                        if let Some(Symbol::Kind(k)) = self.names.get(&name.text) {
                            let all = 0..self.model.kinds[k.i()].members.len() as u16;
                            self.endow(id, word.span, &name.text, (k, all));
                        }
                    }
                    _ => {}
                }
            }
        }
        for id in 0..self.model.abilities.len() {
            self.settle(AbilityId(id as u16));
        }
    }

    /// An ability that stands in the block of members: theirs, or of those that have a field that holds one of them.
    fn own_ability(&mut self, kind: KindId, names: &[(Word, Option<tree::Label>)], a: &Ability) {
        let Some(of) = a.holder.as_ref().map_or(Some(kind), |holder| self.ability_kind(holder)) else {
            return;
        };
        let at = a.holder.as_ref().map_or(a.span, |holder| holder.ty.span);
        let (label, found) = (text(a.label.as_ref()), self.out.len());
        let mut members = Vec::new();
        for (name, _) in names {
            if let Some(Symbol::Member(k, m)) = self.names.get(&name.text)
                && k == kind
            {
                members.push((&name.text, m));
            }
        }
        if members.is_empty() {
            return;
        }
        let id = self.new_ability(label, of, Vec::new(), &a.mods.cite, a.span);
        for (name, m) in members {
            self.endow(id, at, name, (kind, m..m + 1));
        }
        if self.out.len() == found {
            self.settle(id);
            self.ability_clauses(a, id);
        }
    }

    fn shared_ability(&mut self, a: &Ability) {
        let Some(Symbol::Ability(id)) = a.name.as_ref().and_then(|n| self.names.get(&n.text)) else {
            return;
        };
        self.ability_clauses(a, id);
    }

    fn ability_clauses(&mut self, a: &Ability, id: AbilityId) {
        self.model.abilities[id.i()].openly = a.mods.openly;
        if let Some(per) = &a.mods.once_per
            && let Some(var) = self.limit(per, Some(id))
        {
            self.ability_limits.insert(id, var);
        }
        let within =
            Within { ability: id, name: a.holder.as_ref().map(|h| h.name.text.clone()), when: a.mods.when.clone() };
        for c in &a.clauses {
            self.clause(c, Some(&within));
        }
    }

    /// A limit that is reset when a procedure begins, or never.
    fn limit(&mut self, per: &Word, ability: Option<AbilityId>) -> Option<model::VarId> {
        let code = if per.text == "game" { None } else { Some(self.procedure_named(per)?) };
        if let Some(shared) = ability.and_then(|ability| self.shared_limit(ability, code)) {
            return Some(shared);
        }
        let kind = ability.map(|ability| self.model.abilities[ability.i()].kind);
        let var = self.new_var(&format!("_limit{}", self.model.vars.len()), per.span, VarOwner::Limit);
        let v = &mut self.model.vars[var.i()];
        v.index = kind;
        v.ty = Ty::of(Base::Range(0, 1));
        v.init = Some(super::expr::constant(Value::Int(0), Ty::of(Base::Range(0, 1)), per.span));
        if let Some(code) = code {
            self.limits.entry(code).or_default().push(var);
        }
        ability.into_iter().for_each(|ability| self.share_limit(ability, code, var));
        Some(var)
    }

    fn clause(&mut self, c: &tree::Clause, within: Option<&Within>) {
        match &c.kind {
            ClauseKind::Layer { layer, name, args, value } => self.def_clause(c, within, *layer, (name, args, value)),
            ClauseKind::May { actions } => self.action_clauses(c, within, actions, model::ClauseKind::May),
            ClauseKind::MayNot { actions } => self.action_clauses(c, within, actions, model::ClauseKind::MayNot),
            ClauseKind::MustSo { action, .. } | ClauseKind::MustPrefer { action, .. } => {
                match self.names.get(&action.text) {
                    Some(Symbol::Bring(id)) => self.demand(c, within, id),
                    _ => self.action_clauses(c, within, std::slice::from_ref(action), model::ClauseKind::Must),
                }
            }
            ClauseKind::Hook { time, procedure, step, .. } => self.hook(c, within, *time, procedure, step.as_ref()),
            ClauseKind::Silence { which, holder } => self.silence(c, within, which.as_ref(), holder),
            ClauseKind::Spare { which } => self.spare(c, within, which),
        }
    }

    /// Makes a clause with its limit, and with the citations of its ability added to its own; the condition comes
    /// later.
    pub(super) fn identity(
        &mut self,
        (kind, subject): (model::ClauseKind, &str),
        label: Option<&tree::Label>,
        mods: &Mods,
        span: Span,
        within: Option<&Within>,
    ) -> ClauseId {
        let id = self.new_clause((kind, subject), text(label), &mods.cite, span, within.map(|w| w.ability));
        if let (Some(per), false) = (&mods.once_per, kind.can_be_limited()) {
            self.report(
                Diagnostic::error("law::type", "this clause cannot have a limit", per.span, "nothing is used up")
                    .help("write `once per` on a `may`, a hook or an ability"),
            );
        }
        let own = mods.once_per.as_ref().and_then(|per| self.limit(per, within.map(|w| w.ability)));
        let shared = within.and_then(|w| self.ability_limits.get(&w.ability).copied());
        let openly = within.is_some_and(|w| self.model.abilities[w.ability.i()].openly);
        let clause = &mut self.model.clauses[id.i()];
        clause.limit = own.or(shared);
        clause.openly = mods.openly || openly;
        id
    }

    /// Resolves the condition of a clause, after that of its ability.
    pub(super) fn condition(&mut self, id: ClauseId, mods: &Mods, within: Option<&Within>, sc: &mut Scope) {
        let mut when = self.unwritten(id, within, sc);
        self.model.clauses[id.i()].unwritten = when.len();
        let conditions = [within.and_then(|w| w.when.as_ref()), mods.when.as_ref()];
        for w in conditions.into_iter().flatten() {
            match self.conjuncts(w, sc) {
                Some(found) => when.extend(found),
                None => {
                    self.unclear.clauses.insert(id);
                }
            }
        }
        self.model.clauses[id.i()].when = when;
    }

    fn def_clause(
        &mut self,
        c: &tree::Clause,
        within: Option<&Within>,
        layer: Layer,
        (name, args, value): (&Word, &[Word], &tree::Expr),
    ) {
        if self.unclear.names.contains(&name.text) {
            return;
        }
        let Some(Symbol::Def(def)) = self.names.get(&name.text) else {
            let names: Vec<String> = self.model.defs.iter().map(|d| d.name.clone()).collect();
            self.unknown_among("definition", name, names.iter().map(String::as_str));
            return;
        };
        let mut sc = Scope::default();
        let (params, ty) = (self.model.defs[def.i()].params.clone(), self.bind_defined(def, &mut sc));
        if args.len() != params.len() {
            let params: Vec<&str> = params.iter().map(|(p, _)| p.as_str()).collect();
            self.arity(&name.text, &params, args.len(), name.span);
            return;
        }
        if !self.layer_fits(layer, &ty, c.span) {
            return;
        }
        let id =
            self.identity((model::ClauseKind::Layer(layer), &name.text), c.label.as_ref(), &c.mods, c.span, within);
        // The head names the parameters; where it has a member instead, the definition does.
        for (arg, (p, ty)) in args.iter().zip(&params) {
            let name = if arg.text.starts_with(|c: char| c.is_ascii_uppercase()) { p } else { &arg.text };
            sc.bind(name, ty.clone());
        }
        let mut patterns = Vec::new();
        for (arg, (_, ty)) in args.iter().zip(&params) {
            patterns.push(self.head_argument(arg, ty));
        }
        let holder = within.map_or(params.len() as u16, |w| w.bind(self, &mut sc));
        self.model.clauses[id.i()].holder = holder;
        self.in_def = Some(def);
        self.condition(id, &c.mods, within, &mut sc);
        self.narrow_by_clause(id, &mut sc);
        if layer == Layer::Instead {
            self.instead_while_active(def, id);
        }
        let value = self.expr(value, &mut sc).and_then(|e| self.fit_result(e, &ty, &name.text));
        self.in_def = None;
        let among = Among::Def(def);
        self.want(id, &c.mods, among, (layer == Layer::Instead).then_some(among));
        self.model.defs[def.i()].locals = self.model.defs[def.i()].locals.max(sc.most());
        match (value, patterns.into_iter().collect::<Option<Vec<_>>>()) {
            (Some(value), Some(args)) => {
                self.model.defs[def.i()].add(DefClause { clause: id, layer, args, value, beats: Vec::new() });
            }
            _ => {
                self.unclear.meant.insert(name.text.clone());
            }
        }
    }

    fn layer_fits(&mut self, layer: Layer, ty: &Ty, span: Span) -> bool {
        let numeric = matches!(ty.base, Base::Int | Base::Range(..));
        let set = matches!(ty.base, Base::Set(_));
        let fits = layer == Layer::Instead || if layer.is_of_sets() { set } else { numeric };
        if !fits {
            let words = self.words(ty);
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("`{}` does not go with {}", layer.keyword(), super::types::article(&words)),
                    span,
                    format!("the definition gives {words}"),
                )
                .help("use `instead`"),
            );
        }
        fits
    }

    // A capital letter names a member the clause is about, a small one names the parameter.
    fn head_argument(&mut self, arg: &Word, ty: &Ty) -> Option<Option<Value>> {
        if !arg.text.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Some(None);
        }
        match (self.names.get(&arg.text), &ty.base) {
            (Some(s @ Symbol::Member(k, m)), Base::Member(want)) if k == *want => {
                self.names.mark(s);
                Some(Some(Value::Int(i32::from(m))))
            }
            (_, base) => {
                let base = base.clone();
                let names: Vec<String> = match base {
                    Base::Member(k) => self.model.kinds[k.i()].members.iter().map(|m| m.id.clone()).collect(),
                    _ => Vec::new(),
                };
                let words = self.words(ty);
                self.unknown_among(&format!("{words} called"), arg, names.iter().map(String::as_str));
                None
            }
        }
    }

    /// The action a clause is about.
    pub(super) fn action_named(&mut self, word: &Word) -> Option<ActionId> {
        if self.unclear.names.contains(&word.text) {
            return None;
        }
        match self.names.get(&word.text) {
            Some(Symbol::Action(a)) => return Some(a),
            Some(Symbol::Bring(_)) => {
                self.no_action(word);
                return None;
            }
            _ => {}
        }
        let brings = self.model.brings.iter().map(|b| b.name.clone());
        let names: Vec<String> = self.model.actions.iter().map(|a| a.name.clone()).chain(brings).collect();
        self.unknown_among("action", word, names.iter().map(String::as_str));
        None
    }

    /// A clause about one action, or the same about several.
    fn action_clauses(&mut self, c: &tree::Clause, within: Option<&Within>, actions: &[Word], kind: model::ClauseKind) {
        let found: Vec<Option<ActionId>> = actions.iter().map(|action| self.action_named(action)).collect();
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else {
            return;
        };
        let mut first = None;
        for (i, (action, a)) in actions.iter().zip(&found).enumerate() {
            if let Some(before) = found[..i].iter().position(|b| b == a) {
                let message = format!("`{}` stands twice in this clause", action.text);
                self.report(
                    Diagnostic::error("law::duplicate", message, action.span, "the second time")
                        .and(actions[before].span, "the first time")
                        .help("leave it out"),
                );
                continue;
            }
            let id = self.action_clause(c, within, (action, *a), (&found, first), kind);
            first.get_or_insert(id);
        }
    }

    fn action_clause(
        &mut self,
        c: &tree::Clause,
        within: Option<&Within>,
        (action, a): (&Word, ActionId),
        (all, first): (&[ActionId], Option<ClauseId>),
        kind: model::ClauseKind,
    ) -> ClauseId {
        // All of them share one limit.
        let mods = Mods { once_per: c.mods.once_per.clone().filter(|_| first.is_none()), ..c.mods.clone() };
        let id = self.identity((kind, &action.text), c.label.as_ref(), &mods, c.span, within);
        if let Some(first) = first {
            self.model.clauses[id.i()].limit = self.model.clauses[first.i()].limit;
            self.model.clauses[id.i()].first = Some(first);
        }
        let mut sc = Scope::default();
        sc.ahead = Ahead::After(a);
        self.bind_around(self.model.actions[a.i()].code, &mut sc);
        for (p, ty) in self.model.actions[a.i()].params.clone() {
            let known =
                |other: &ActionId| self.model.actions[other.i()].params.iter().any(|(n, t)| *n == p && *t == ty);
            let name = if all.iter().all(known) { p.as_str() } else { "" };
            sc.bind(name, ty);
        }
        sc.unshared = self.unshared(all);
        let holder = within.map_or(0, |w| w.bind(self, &mut sc));
        self.model.clauses[id.i()].holder = holder;
        self.condition(id, &c.mods, within, &mut sc);
        let goal = match &c.kind {
            ClauseKind::MustSo { so_that, .. } => self.truth(so_that, &mut sc).map(Goal::SoThat),
            ClauseKind::MustPrefer { most, value, .. } => self.numeric(value, &mut sc).map(|v| Goal::Prefer(*most, v)),
            _ => None,
        };
        if kind != model::ClauseKind::May
            && let Some(d) = c.mods.despite.first()
        {
            self.report(
                Diagnostic::error(
                    "law::dangling-exception",
                    "only a `may` sets prohibitions aside",
                    d.span,
                    "not here",
                )
                .help("write it on the `may`"),
            );
        }
        for label in c.mods.despite.iter().filter(|_| kind == model::ClauseKind::May) {
            self.wanted.push(Wanted { by: id, label: label.clone(), how: How::Despite, among: Among::Prohibitions(a) });
        }
        self.want(id, &c.mods, Among::Prohibitions(a), None);
        let found = &mut self.model.actions[a.i()];
        found.locals = found.locals.max(sc.most());
        match (kind, goal) {
            (model::ClauseKind::May, _) => found.may.push(model::Permission { clause: id, despite: Vec::new() }),
            (model::ClauseKind::MayNot, _) => found.may_not.push(model::Prohibition { clause: id }),
            (_, Some(goal)) => found.must.push(model::Obligation { clause: id, goal }),
            _ => {}
        }
        id
    }

    /// The parameters that only some of several actions have, or not with the same type, and names known only in what
    /// some of them are in; each with an action that lacks it.
    fn unshared(&self, all: &[ActionId]) -> Vec<(String, String)> {
        let actions = || all.iter().map(|a| &self.model.actions[a.i()]);
        let mut found = Vec::new();
        for (name, ty) in actions().flat_map(|a| &a.params) {
            let lacking = actions().find(|a| !a.params.iter().any(|(n, t)| n == name && t == ty));
            found.extend(lacking.map(|a| (name.clone(), a.name.clone())));
        }
        found
    }

    /// Reports exceptions and ranks on hooks, silences and spares.
    pub(super) fn no_ranks(&mut self, mods: &Mods, what: &str, help: &str) {
        let wrong = [
            ("exception to", mods.exception_to.as_ref()),
            ("ranks above", mods.ranks_above.first()),
            ("despite", mods.despite.first()),
        ];
        for (word, label) in wrong {
            let Some(label) = label else { continue };
            let message = format!("`{word}` does not go with {what}");
            self.report(Diagnostic::error("law::dangling-exception", message, label.span, "not here").help(help));
        }
    }
}
