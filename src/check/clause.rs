//! Clauses: definitions with their exceptions, permissions, prohibitions, obligations, silences; and the labels they name each other by.

use std::collections::BTreeMap;

use super::Checker;
use super::declare::text;
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{self, AbilityId, ActionId, Base, ClauseId, DefClause, DefId, Expr, Goal, Ty, Value, VarOwner};
use crate::span::Span;
use crate::syntax::tree::{self, Ability, ClauseKind, Decl, DeclKind, Mods, Word};

/// A label that a clause names another by.
#[derive(Debug)]
pub(super) struct Wanted {
    by: ClauseId,
    label: tree::Label,
    how: How,
    among: Among,
}

/// In which way it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Exception,
    Rank,
    Despite,
}

/// Among which clauses it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Among {
    Def(DefId),
    Prohibitions(ActionId),
    Ends,
}

/// The ability a clause stands in.
#[derive(Clone, Debug)]
pub(super) struct Within {
    pub(super) ability: AbilityId,
    pub(super) name: Option<String>,
    pub(super) when: Option<tree::Expr>,
}

impl Within {
    /// Binds the holder, under both its names.
    pub(super) fn bind(&self, checker: &Checker, sc: &mut Scope) -> u16 {
        let ty = Ty::of(Base::Member(checker.model.abilities[self.ability.i()].kind));
        let local = sc.bind("holder", ty.clone());
        if let Some(name) = &self.name {
            sc.alias(name, local, ty);
        }
        local
    }
}

impl Checker {
    /// Resolves the general values of all definitions.
    pub(super) fn definitions(&mut self, decls: &[Decl]) {
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
            for (p, ty) in self.model.defs[id.i()].params.clone() {
                sc.bind(&p, ty);
            }
            self.in_def = Some(id);
            let ty = self.model.defs[id.i()].ty.clone();
            let general = self.expr(value, &mut sc).and_then(|e| self.fit_result(e, &ty, &name.text));
            self.in_def = None;
            if general.is_none() {
                self.unclear.meant.insert(name.text.clone());
            }
            let def = &mut self.model.defs[id.i()];
            def.general = general;
            def.locals = def.locals.max(sc.most());
        }
    }

    fn fit_result(&mut self, expr: Expr, ty: &Ty, name: &str) -> Option<Expr> {
        self.fit(expr, ty, &format!("the value of `{name}`"))
    }

    /// Resolves all clauses but the blocks of hooks.
    pub(super) fn clauses(&mut self, decls: &[Decl]) {
        self.holders(decls);
        for d in decls {
            match &d.kind {
                DeclKind::Clause(c) => self.clause(c, None),
                DeclKind::Ability(a) => self.shared_ability(a),
                DeclKind::Members { kind, names, abilities, .. } => {
                    let Some(Symbol::Kind(k)) = self.names.get(&kind.text) else {
                        continue;
                    };
                    let holders: Vec<u16> = names
                        .iter()
                        .filter_map(|(n, _)| match self.names.get(&n.text) {
                            Some(Symbol::Member(mk, m)) if mk == k => Some(m),
                            _ => None,
                        })
                        .collect();
                    for a in abilities {
                        let id = self.new_ability(text(a.label.as_ref()), k, holders.clone(), &a.mods.cite, a.span);
                        self.ability_clauses(a, id);
                    }
                }
                _ => {}
            }
        }
        self.resolve_spares();
    }

    fn holders(&mut self, decls: &[Decl]) {
        for d in decls {
            let DeclKind::Members { names, has, .. } = &d.kind else {
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
                for (n, _) in names {
                    match self.names.get(&n.text) {
                        Some(Symbol::Member(k, m)) if k == self.model.abilities[id.i()].kind => {
                            self.model.abilities[id.i()].holders.push(m)
                        }
                        Some(Symbol::Member(..)) => {
                            let kind = self.model.kinds[self.model.abilities[id.i()].kind.i()].name.clone();
                            self.error(
                                "law::type",
                                format!("`{}` is an ability of {kind}", word.text),
                                word.span,
                                format!("`{}` is none", n.text),
                            );
                        }
                        _ => {}
                    }
                }
            }
        }
        for a in &mut self.model.abilities {
            a.holders.sort_unstable();
            a.holders.dedup();
        }
    }

    fn shared_ability(&mut self, a: &Ability) {
        let Some(Symbol::Ability(id)) = a.name.as_ref().and_then(|n| self.names.get(&n.text)) else {
            return;
        };
        self.ability_clauses(a, id);
    }

    fn ability_clauses(&mut self, a: &Ability, id: AbilityId) {
        if let Some(per) = &a.mods.once_per {
            let kind = self.model.abilities[id.i()].kind;
            if let Some(var) = self.limit(per, Some(kind), &a.mods.cite) {
                self.ability_limits.insert(id, var);
            }
        }
        let within =
            Within { ability: id, name: a.holder.as_ref().map(|h| h.name.text.clone()), when: a.mods.when.clone() };
        for c in &a.clauses {
            self.clause(c, Some(&within));
        }
    }

    /// A limit that is reset when a procedure begins, or never.
    fn limit(&mut self, per: &Word, kind: Option<model::KindId>, _cite: &[Word]) -> Option<model::VarId> {
        let var = self.new_var(&format!("_limit{}", self.model.vars.len()), per.span, VarOwner::Limit);
        let v = &mut self.model.vars[var.i()];
        v.index = kind;
        v.ty = Ty::of(Base::Range(0, 1));
        v.init = Some(super::expr::constant(Value::Int(0), Ty::of(Base::Range(0, 1)), per.span));
        if per.text != "game" {
            let code = self.procedure_named(per)?;
            self.limits.entry(code).or_default().push(var);
        }
        Some(var)
    }

    fn clause(&mut self, c: &tree::Clause, within: Option<&Within>) {
        match &c.kind {
            ClauseKind::Instead { name, args, value } => {
                self.def_clause(c, within, "instead", name, args, value, |d| &mut d.instead);
            }
            ClauseKind::Times { name, args, value } => {
                self.def_clause(c, within, "times", name, args, value, |d| &mut d.times)
            }
            ClauseKind::Plus { name, args, value } => {
                self.def_clause(c, within, "plus", name, args, value, |d| &mut d.plus)
            }
            ClauseKind::AtMost { name, args, value } => {
                self.def_clause(c, within, "at most", name, args, value, |d| &mut d.at_most)
            }
            ClauseKind::AtLeast { name, args, value } => {
                self.def_clause(c, within, "at least", name, args, value, |d| &mut d.at_least)
            }
            ClauseKind::Also { name, args, value } => {
                self.def_clause(c, within, "also", name, args, value, |d| &mut d.also)
            }
            ClauseKind::Except { name, args, value } => {
                self.def_clause(c, within, "except", name, args, value, |d| &mut d.except)
            }
            ClauseKind::May { action } => self.action_clause(c, within, action, "may"),
            ClauseKind::MayNot { action } => self.action_clause(c, within, action, "may not"),
            ClauseKind::MustSo { action, .. } | ClauseKind::MustPrefer { action, .. } => {
                self.action_clause(c, within, action, "must")
            }
            ClauseKind::Hook { time, procedure, step, .. } => self.hook(c, within, *time, procedure, step.as_ref()),
            ClauseKind::Silence { which, holder } => self.silence(c, within, which.as_ref(), holder),
            ClauseKind::Spare { which } => self.spare(c, within, which),
        }
    }

    /// The identity of a clause, its citations those of its ability too, with its limit; its condition is still to come.
    pub(super) fn identity(
        &mut self,
        head: String,
        label: Option<&tree::Label>,
        mods: &Mods,
        span: Span,
        within: Option<&Within>,
    ) -> ClauseId {
        let begins = |words: &[&str]| words.iter().any(|w| head.starts_with(w));
        let counted = begins(&["may ", "before ", "at ", "after ", "instead of "])
            && !begins(&["may not ", "at most ", "at least "]);
        let id = self.new_clause(head, text(label), &mods.cite, span, within.map(|w| w.ability));
        let kind = within.map(|w| self.model.abilities[w.ability.i()].kind);
        if let (Some(per), false) = (&mods.once_per, counted) {
            self.report(
                Diagnostic::error("law::type", "only what is done can be limited", per.span, "nothing is used up")
                    .help("write `once per` on a `may`, a hook or an ability"),
            );
        }
        let own = mods.once_per.as_ref().and_then(|per| self.limit(per, kind, &mods.cite));
        let shared = within.and_then(|w| self.ability_limits.get(&w.ability).copied());
        let clause = &mut self.model.clauses[id.i()];
        clause.limit = own.or(shared);
        clause.openly = mods.openly;
        id
    }

    /// Resolves the condition of a clause, with that of its ability before it.
    pub(super) fn condition(&mut self, id: ClauseId, mods: &Mods, within: Option<&Within>, sc: &mut Scope) {
        let mut when = Vec::new();
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

    #[allow(clippy::too_many_arguments)]
    fn def_clause(
        &mut self,
        c: &tree::Clause,
        within: Option<&Within>,
        head: &str,
        name: &Word,
        args: &[Word],
        value: &tree::Expr,
        layer: fn(&mut model::Def) -> &mut Vec<DefClause>,
    ) {
        if self.unclear.names.contains(&name.text) {
            return;
        }
        let Some(Symbol::Def(def)) = self.names.get(&name.text) else {
            let names: Vec<String> = self.model.defs.iter().map(|d| d.name.clone()).collect();
            self.unknown_among("definition", name, names.iter().map(String::as_str));
            return;
        };
        let (params, ty) = (self.model.defs[def.i()].params.clone(), self.model.defs[def.i()].ty.clone());
        if args.len() != params.len() {
            let params: Vec<&str> = params.iter().map(|(p, _)| p.as_str()).collect();
            self.arity(&name.text, &params, args.len(), name.span);
            return;
        }
        if !self.layer_fits(head, &ty, c.span) {
            return;
        }
        let id = self.identity(format!("{head} {}", name.text), c.label.as_ref(), &c.mods, c.span, within);
        let mut sc = Scope::default();
        for (p, ty) in &params {
            sc.bind(p, ty.clone());
        }
        let mut patterns = Vec::new();
        for (i, (arg, (_, pty))) in args.iter().zip(&params).enumerate() {
            patterns.push(self.head_argument(arg, i as u16, pty, &mut sc));
        }
        let holder = within.map_or(params.len() as u16, |w| w.bind(self, &mut sc));
        self.model.clauses[id.i()].holder = holder;
        self.in_def = Some(def);
        self.condition(id, &c.mods, within, &mut sc);
        if let Some(when) = &c.mods.when {
            self.narrow_by(when, &mut sc);
        }
        let value = self.expr(value, &mut sc).and_then(|e| self.fit_result(e, &ty, &name.text));
        self.in_def = None;
        let among = Among::Def(def);
        self.want(id, &c.mods, among, if head == "instead" { Some(among) } else { None });
        self.model.defs[def.i()].locals = self.model.defs[def.i()].locals.max(sc.most());
        match (value, patterns.into_iter().collect::<Option<Vec<_>>>()) {
            (Some(value), Some(args)) => {
                layer(&mut self.model.defs[def.i()]).push(DefClause { clause: id, args, value, beats: Vec::new() });
            }
            _ => {
                self.unclear.meant.insert(name.text.clone());
            }
        }
    }

    fn layer_fits(&mut self, head: &str, ty: &Ty, span: Span) -> bool {
        let numeric = matches!(ty.base, Base::Int | Base::Range(..));
        let set = matches!(ty.base, Base::Set(_));
        let fits = match head {
            "instead" => true,
            "also" | "except" => set,
            _ => numeric,
        };
        if !fits {
            let words = self.words(ty);
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("`{head}` does not go with {}", super::types::article(&words)),
                    span,
                    format!("the definition gives {words}"),
                )
                .help("use `instead`"),
            );
        }
        fits
    }

    // A capital letter names a member the clause is about, a small one names the parameter.
    fn head_argument(&mut self, arg: &Word, local: u16, ty: &Ty, sc: &mut Scope) -> Option<Option<Value>> {
        if !arg.text.starts_with(|c: char| c.is_ascii_uppercase()) {
            sc.alias(&arg.text, local, ty.clone());
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

    fn want(&mut self, by: ClauseId, mods: &Mods, among: Among, exceptions: Option<Among>) {
        for label in &mods.ranks_above {
            self.wanted.push(Wanted { by, label: label.clone(), how: How::Rank, among });
        }
        match (&mods.exception_to, exceptions) {
            (Some(label), Some(among)) => {
                self.wanted.push(Wanted { by, label: label.clone(), how: How::Exception, among })
            }
            (Some(label), None) => self.report(
                Diagnostic::error(
                    "law::dangling-exception",
                    "only an `instead` is an exception to another",
                    label.span,
                    "not here",
                )
                .help(match among {
                    Among::Prohibitions(_) => "on a `may` write `despite \"LABEL\"`",
                    Among::Ends => "on an ending write `ranks above \"LABEL\"`",
                    Among::Def(_) => "take it away, or make the clause an `instead`",
                }),
            ),
            _ => {}
        }
    }

    /// Notes the ranks of an ending.
    pub(super) fn want_ranks(&mut self, by: ClauseId, mods: &Mods) {
        self.want(by, mods, Among::Ends, None);
    }

    /// The action a clause is about.
    pub(super) fn action_named(&mut self, word: &Word) -> Option<ActionId> {
        if self.unclear.names.contains(&word.text) {
            return None;
        }
        if let Some(Symbol::Action(a)) = self.names.get(&word.text) {
            return Some(a);
        }
        let names: Vec<String> = self.model.actions.iter().map(|a| a.name.clone()).collect();
        self.unknown_among("action", word, names.iter().map(String::as_str));
        None
    }

    fn action_clause(&mut self, c: &tree::Clause, within: Option<&Within>, action: &Word, head: &str) {
        let Some(a) = self.action_named(action) else {
            return;
        };
        let id = self.identity(format!("{head} {}", action.text), c.label.as_ref(), &c.mods, c.span, within);
        let mut sc = Scope::default();
        for (p, ty) in self.model.actions[a.i()].params.clone() {
            sc.bind(&p, ty);
        }
        let holder = within.map_or(0, |w| w.bind(self, &mut sc));
        self.model.clauses[id.i()].holder = holder;
        self.condition(id, &c.mods, within, &mut sc);
        let goal = match &c.kind {
            ClauseKind::MustSo { so_that, .. } => self.truth(so_that, &mut sc).map(Goal::SoThat),
            ClauseKind::MustPrefer { most, value, .. } => self.numeric(value, &mut sc).map(|v| Goal::Prefer(*most, v)),
            _ => None,
        };
        if head != "may"
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
        for label in c.mods.despite.iter().filter(|_| head == "may") {
            self.wanted.push(Wanted { by: id, label: label.clone(), how: How::Despite, among: Among::Prohibitions(a) });
        }
        self.want(id, &c.mods, Among::Prohibitions(a), None);
        let found = &mut self.model.actions[a.i()];
        found.locals = found.locals.max(sc.most());
        match (head, goal) {
            ("may", _) => found.may.push(model::Permission { clause: id, despite: Vec::new() }),
            ("may not", _) => found.may_not.push(model::Prohibition { clause: id }),
            (_, Some(goal)) => found.must.push(model::Obligation { clause: id, goal }),
            _ => {}
        }
    }

    /// Hooks, silences and spares are neither exceptions nor ranked.
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

    fn silence(
        &mut self,
        c: &tree::Clause,
        within: Option<&Within>,
        which: Option<&tree::AbilityRef>,
        holder: &tree::Param,
    ) {
        let Some(ty) = self.ty(&holder.ty) else {
            return;
        };
        let Base::Member(kind) = ty.base else {
            self.error("law::type", "abilities are of things", holder.ty.span, "not a kind");
            return;
        };
        self.no_ranks(&c.mods, "`silence`", "narrow its condition instead, or `spare` an ability");
        let id = self.identity("silence".into(), c.label.as_ref(), &c.mods, c.span, within);
        let mut sc = Scope::default();
        sc.bind(&holder.name.text, ty);
        let local = within.map_or(1, |w| w.bind(self, &mut sc));
        self.model.clauses[id.i()].holder = local;
        self.condition(id, &c.mods, within, &mut sc);
        let abilities = match which {
            Some(which) => self.abilities_meant(which, Some(kind), c.span),
            None => Vec::new(),
        };
        self.model.silences.push(model::Silence { clause: id, abilities, kind, spares: Vec::new() });
        if let Some(which) = which {
            // Abilities are known only when all clauses are: looked up again at the end.
            self.spares.push((which.clone(), id, None));
        }
    }

    fn spare(&mut self, c: &tree::Clause, within: Option<&Within>, which: &tree::AbilityRef) {
        self.no_ranks(&c.mods, "`spare`", "take it away");
        let id = self.identity("spare".into(), c.label.as_ref(), &c.mods, c.span, within);
        let mut sc = Scope::default();
        let kind = self
            .model
            .silences
            .iter()
            .rev()
            .find(|s| within.is_none_or(|w| self.model.clauses[s.clause.i()].ability == Some(w.ability)))
            .map(|s| s.kind);
        sc.bind("it", Ty::of(Base::Member(kind.unwrap_or_default())));
        let local = within.map_or(1, |w| w.bind(self, &mut sc));
        self.model.clauses[id.i()].holder = local;
        self.condition(id, &c.mods, within, &mut sc);
        self.spares.push((which.clone(), id, within.map(|w| w.ability)));
    }

    fn abilities_meant(
        &mut self,
        which: &tree::AbilityRef,
        kind: Option<model::KindId>,
        _span: Span,
    ) -> Vec<AbilityId> {
        let of_kind = |a: &model::Ability| kind.is_none_or(|k| a.kind == k);
        match which {
            tree::AbilityRef::Name(word) => match self.names.get(&word.text) {
                Some(s @ Symbol::Ability(id)) => {
                    self.names.mark(s);
                    vec![id]
                }
                _ => Vec::new(),
            },
            tree::AbilityRef::Label(label) => {
                let all = self.model.abilities.iter().enumerate();
                all.filter(|(_, a)| of_kind(a) && a.label.text == label.text)
                    .map(|(i, _)| AbilityId(i as u16))
                    .collect()
            }
        }
    }

    /// Finds the abilities that silences and spares name.
    fn resolve_spares(&mut self) {
        for (which, clause, own) in std::mem::take(&mut self.spares) {
            let meant = self.abilities_meant(&which, None, Span::default());
            let span = match &which {
                tree::AbilityRef::Name(w) => w.span,
                tree::AbilityRef::Label(l) => l.span,
            };
            if meant.is_empty() {
                let name = match &which {
                    tree::AbilityRef::Name(w) => w.text.clone(),
                    tree::AbilityRef::Label(l) => l.text.clone(),
                };
                let labels: Vec<String> = self.model.abilities.iter().map(|a| a.label.text.clone()).collect();
                let help = crate::suggest::closest(&name, labels.iter().map(String::as_str))
                    .map_or("write the label of an ability".into(), |n| format!("did you mean \"{n}\"?"));
                self.report(
                    Diagnostic::error(
                        "law::dangling-exception",
                        format!("there is no ability \"{name}\""),
                        span,
                        "names nothing",
                    )
                    .help(help),
                );
                continue;
            }
            if let Some(s) = self.model.silences.iter_mut().find(|s| s.clause == clause) {
                s.abilities = meant;
                continue;
            }
            self.attach_spare(clause, own, meant, span);
        }
    }

    fn attach_spare(&mut self, clause: ClauseId, own: Option<AbilityId>, meant: Vec<AbilityId>, span: Span) {
        let mut found = false;
        for s in &mut self.model.silences {
            let mine = own.is_none_or(|a| self.model.clauses[s.clause.i()].ability == Some(a));
            if mine && meant.iter().any(|m| s.abilities.is_empty() || s.abilities.contains(m)) {
                s.spares.push(model::Spare { clause, abilities: meant.clone() });
                found = true;
            }
        }
        if !found {
            self.report(
                Diagnostic::error(
                    "law::dangling-exception",
                    "nothing silences this ability",
                    span,
                    "spared from nothing",
                )
                .help("write `spare` where the `silence` stands, or leave it out"),
            );
        }
    }

    /// Finds the clauses that labels name, and what beats what.
    pub(super) fn resolve_wanted(&mut self) {
        let mut beats: BTreeMap<ClauseId, Vec<(ClauseId, Span)>> = BTreeMap::new();
        for w in std::mem::take(&mut self.wanted) {
            let pool = self.pool(w.among, w.how);
            let hits: Vec<ClauseId> = pool
                .iter()
                .copied()
                .filter(|c| *c != w.by && self.model.clauses[c.i()].label.text == w.label.text)
                .collect();
            match (hits.as_slice(), w.how) {
                ([], _) => self.dangling(&w, &pool),
                ([one], How::Exception | How::Rank) => beats.entry(w.by).or_default().push((*one, w.label.span)),
                (many, How::Despite) => {
                    let Among::Prohibitions(a) = w.among else {
                        continue;
                    };
                    if let Some(p) = self.model.actions[a.i()].may.iter_mut().find(|p| p.clause == w.by) {
                        p.despite.extend(many);
                    }
                }
                (many, _) => self.ambiguous(&w, many),
            }
        }
        self.close(&beats);
    }

    fn pool(&self, among: Among, how: How) -> Vec<ClauseId> {
        match (among, how) {
            (Among::Def(d), _) => self.model.defs[d.i()].instead.iter().map(|c| c.clause).collect(),
            (Among::Prohibitions(a), How::Despite) => {
                self.model.actions[a.i()].may_not.iter().map(|c| c.clause).collect()
            }
            (Among::Prohibitions(_), _) => Vec::new(),
            (Among::Ends, _) => self.model.ends.iter().map(|e| e.clause).collect(),
        }
    }

    fn dangling(&mut self, w: &Wanted, pool: &[ClauseId]) {
        self.unclear.clauses.insert(w.by);
        let labels: Vec<String> =
            pool.iter().map(|c| self.model.clauses[c.i()].label.text.clone()).filter(|l| !l.is_empty()).collect();
        let help = match crate::suggest::closest(&w.label.text, labels.iter().map(String::as_str)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None if labels.is_empty() => {
                "no clause that it could mean has a label: give that clause one in quotes after its head".into()
            }
            None => format!(
                "the clauses it could mean are: {}",
                labels.iter().map(|l| format!("\"{l}\"")).collect::<Vec<_>>().join(", ")
            ),
        };
        let what = match w.how {
            How::Exception => "this is an exception to nothing",
            How::Rank => "this ranks above nothing",
            How::Despite => "this sets nothing aside",
        };
        self.report(
            Diagnostic::error("law::dangling-exception", what, w.label.span, "no clause has this label").help(help),
        );
    }

    fn ambiguous(&mut self, w: &Wanted, many: &[ClauseId]) {
        self.unclear.clauses.insert(w.by);
        let mut d = Diagnostic::error(
            "law::ambiguous-exception",
            format!("\"{}\" could mean {} clauses", w.label.text, many.len()),
            w.label.span,
            "which one?",
        );
        for c in many {
            d = d.and(self.model.clauses[c.i()].span, "this one");
        }
        self.report(d.help("give the clauses different labels"));
    }

    // Ranks are followed all the way down, so that an evaluator need not.
    fn close(&mut self, beats: &BTreeMap<ClauseId, Vec<(ClauseId, Span)>>) {
        let mut rings: Vec<Vec<ClauseId>> = Vec::new();
        for from in beats.keys() {
            let mut reached: Vec<ClauseId> = Vec::new();
            let mut path: Vec<(ClauseId, ClauseId)> = Vec::new();
            let mut todo = vec![*from];
            while let Some(c) = todo.pop() {
                for (next, _) in beats.get(&c).map_or(&[][..], Vec::as_slice) {
                    path.push((*next, c));
                    if next == from {
                        rings.push(ring(&path, *from));
                    } else if !reached.contains(next) {
                        reached.push(*next);
                        todo.push(*next);
                    }
                }
            }
            for def in &mut self.model.defs {
                if let Some(c) = def.instead.iter_mut().find(|c| c.clause == *from) {
                    c.beats = reached.clone();
                }
            }
            if let Some(e) = self.model.ends.iter_mut().find(|e| e.clause == *from) {
                e.beats = reached.clone();
            }
            self.ranks.extend(reached.iter().map(|r| (*from, *r)));
        }
        self.report_rings(rings, beats);
    }

    fn report_rings(&mut self, rings: Vec<Vec<ClauseId>>, beats: &BTreeMap<ClauseId, Vec<(ClauseId, Span)>>) {
        let mut told: Vec<ClauseId> = Vec::new();
        for ring in rings {
            if ring.iter().any(|c| told.contains(c)) {
                continue;
            }
            let mut d: Option<Diagnostic> = None;
            for (i, c) in ring.iter().enumerate() {
                let next = ring[(i + 1) % ring.len()];
                let span = beats
                    .get(c)
                    .and_then(|b| b.iter().find(|(n, _)| *n == next))
                    .map_or(self.model.clauses[c.i()].span, |(_, s)| *s);
                let words =
                    format!("`{}` beats `{}`", self.model.clause_title(*c, ""), self.model.clause_title(next, ""));
                d = Some(match d {
                    None => {
                        Diagnostic::error("law::exception-ring", "these clauses beat each other in a ring", span, words)
                    }
                    Some(d) => d.and(span, words),
                });
            }
            told.extend(&ring);
            if let Some(d) = d {
                self.report(d.help("take one of the exceptions or ranks away"));
            }
        }
    }
}

/// The way back from the last step of a search to where it began.
fn ring(path: &[(ClauseId, ClauseId)], from: ClauseId) -> Vec<ClauseId> {
    let mut ring = Vec::new();
    let mut at = path.last().map_or(from, |(_, c)| *c);
    while at != from && ring.len() <= path.len() {
        ring.push(at);
        at = path.iter().find(|(n, _)| *n == at).map_or(from, |(_, c)| *c);
    }
    ring.push(from);
    ring.reverse();
    ring
}
