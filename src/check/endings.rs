//! The remaining declarations: who sees what, endings, scores, entries, the register.

use std::sync::Arc;

use super::Checker;
use super::builder::Builder;
use super::declare::{cites, text};
use super::names::Symbol;
use super::played::Asker;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{
    self, Base, Citation, CitationRole, ClauseKind, EndResult, Expr, ExprKind, FieldStore, SeenWhat, Ty,
};
use crate::span::Span;
use crate::syntax::tree::{self, Decl, DeclKind, Word};

impl Checker {
    /// Resolves the remaining declarations and lays out the position.
    pub(super) fn rest(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            match &d.kind {
                DeclKind::Seen(s) => self.seen(s, d.span),
                DeclKind::Ends(e) => self.ends(e, d.span),
                DeclKind::Score { seat, value, cite } => self.score(seat, value, cite),
                DeclKind::Worth { seat, value } => self.worth(seat, value),
                DeclKind::Rounds { label, cite, rounds } => self.rounds(label.as_ref(), cite, rounds),
                DeclKind::Entry { phrase, params, procedure, step, body } => {
                    self.entry(phrase, params, procedure, step, body, d.span)
                }
                DeclKind::Never { label, mods } => {
                    let id = self.identity((ClauseKind::Never, ""), Some(label), mods, d.span, None);
                    self.condition(id, mods, None, &mut Scope::default());
                    self.model.nevers.push(model::Never { clause: id });
                }
                DeclKind::MoreLinks { .. } | DeclKind::SetSide { .. } if self.is_overlay(d.span) => {}
                DeclKind::Remove { .. }
                | DeclKind::Replace { .. }
                | DeclKind::ReplaceStep { .. }
                | DeclKind::Set { .. }
                | DeclKind::SetSide { .. }
                | DeclKind::MoreLinks { .. }
                | DeclKind::MoreSteps { .. } => self.report(
                    Diagnostic::error(
                        "law::incomplete",
                        "only a variant can change other declarations",
                        d.span,
                        "not in a variant",
                    )
                    .help("begin the file with `variant NAME \"...\"`"),
                ),
                _ => {}
            }
        }
        self.pictures(decls);
        self.prices(decls);
        self.notations(decls);
        self.citations(decls);
        if self.model.codes.len() > super::declare::MAX_CODES || !self.fits_in_memory() {
            return;
        }
        let frames = self.frames();
        model::lay_out(&mut self.model, &frames);
    }

    fn seen(&mut self, s: &tree::Seen, span: Span) {
        let mut sc = Scope::default();
        let (what, subject) = match &s.what {
            tree::SeenWhat::Member { kind, name } => {
                let Some(k) = self.kind_named(kind) else {
                    return;
                };
                sc.bind(&name.text, Ty::of(Base::Member(k)));
                self.hidden_pairs(k, kind.span);
                (SeenWhat::Member(k), kind.text.clone())
            }
            tree::SeenWhat::Field { kind, name, field } => {
                let Some(k) = self.kind_named(kind) else {
                    return;
                };
                sc.bind(&name.text, Ty::of(Base::Member(k)));
                let found =
                    self.model.kinds[k.i()].fields.iter().find(|f| f.name == field.text).map(|f| f.store.clone());
                let Some(FieldStore::Var(var)) = found else {
                    let names: Vec<String> = self.model.kinds[k.i()].fields.iter().map(|f| f.name.clone()).collect();
                    self.unknown_among(
                        &format!("`var` field of {} called", kind.text),
                        field,
                        names.iter().map(String::as_str),
                    );
                    return;
                };
                (SeenWhat::Var(var), format!("{}.{}", kind.text, field.text))
            }
            tree::SeenWhat::Named { name, index, second } => {
                let Some(symbol @ Symbol::Var(var)) = self.names.get(&name.text) else {
                    self.unknown("variable or pile", name);
                    return;
                };
                self.names.mark(symbol);
                match self.model.vars[var.i()].index {
                    Some(kind) => {
                        self.bind_indices(kind, [index.as_ref(), second.as_ref()], name.span, &mut sc);
                    }
                    None => {
                        sc.bind(index.as_ref().map_or("", |w| w.text.as_str()), Ty::of(Base::Nothing));
                    }
                }
                (SeenWhat::Var(var), name.text.clone())
            }
        };
        if let Some(by) = &s.by {
            sc.bind(&by.text, Ty::of(Base::Member(model::PLAYER)));
        }
        let id = self.identity((ClauseKind::Seen, &subject), None, &s.mods, span, None);
        self.condition(id, &s.mods, None, &mut sc);
        self.model.seen.push(model::Seen { what, clause: id, nobody: s.by.is_none() });
    }

    fn ends(&mut self, e: &tree::Ends, span: Span) {
        let id = self.identity((ClauseKind::Ends, ""), Some(&e.label), &e.mods, span, None);
        let mut sc = Scope::default();
        self.played.asker = Asker::Ending;
        self.condition(id, &e.mods, None, &mut sc);
        self.played.asker = Asker::Another;
        self.narrow_by_clause(id, &mut sc);
        let result = match &e.result {
            tree::EndsResult::Draw => Some(EndResult::Draw),
            tree::EndsResult::Wins(seat) => self.seats(seat, &mut sc).map(EndResult::Wins),
            tree::EndsResult::Loses(seat) => self.seats(seat, &mut sc).map(EndResult::Loses),
        };
        self.want_ranks(id, &e.mods);
        if let Some(result) = result {
            self.model.ends.push(model::End { clause: id, result, beats: Vec::new() });
        }
    }

    // A seat, or a set of seats.
    fn seats(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        let expr = self.expr(e, sc)?;
        let set = Ty::of(Base::Set(Box::new(Base::Member(model::PLAYER))));
        if expr.ty.base == set.base {
            return Some(expr);
        }
        self.fit(expr, &Ty::of(Base::Member(model::PLAYER)), "who it is")
    }

    fn score(&mut self, seat: &Word, value: &tree::Expr, cite: &[Word]) {
        let mut sc = Scope::default();
        sc.scoring = true;
        sc.bind(&seat.text, Ty::of(Base::Member(model::PLAYER)));
        if let Some(e) = self.expr(value, &mut sc) {
            self.model.score = self.fit(e, &Ty::of(Base::Int), "the score");
        }
        self.model.score_cites = cites(cite);
    }

    fn worth(&mut self, seat: &Word, value: &tree::Expr) {
        let mut sc = Scope::default();
        sc.bind(&seat.text, Ty::of(Base::Member(model::PLAYER)));
        if let Some(e) = self.expr(value, &mut sc) {
            self.model.worth = self.fit(e, &Ty::of(Base::Int), "the worth");
        }
    }

    fn rounds(&mut self, label: Option<&tree::Label>, cite: &[Word], rounds: &[Vec<(Word, Word)>]) {
        let mut sides: Vec<String> = Vec::new();
        for (side, _) in rounds.iter().flatten() {
            if !sides.contains(&side.text) {
                sides.push(side.text.clone());
            }
        }
        let mut games = Vec::new();
        for round in rounds {
            let mut game = vec![-1; sides.len()];
            for (side, seat) in round {
                match self.names.get(&seat.text) {
                    Some(Symbol::Member(model::PLAYER, m)) => {
                        if let Some(i) = sides.iter().position(|s| *s == side.text) {
                            game[i] = i32::from(m);
                        }
                    }
                    _ => self.unknown("player", seat),
                }
            }
            if let (Some(i), Some((side, _))) = (game.iter().position(|s| *s < 0), round.first()) {
                self.report(
                    Diagnostic::error(
                        "law::incomplete",
                        format!("`{}` has no seat in this game", sides[i]),
                        side.span,
                        "this game",
                    )
                    .help(format!("write `{} as SEAT` too, after a comma", sides[i])),
                );
            }
            games.push(game);
        }
        self.model.rounds = Some(model::Rounds { text: text(label), sides, games, cites: cites(cite) });
    }

    fn entry(
        &mut self,
        phrase: &tree::Label,
        params: &[tree::Param],
        procedure: &Word,
        step: &Word,
        body: &[tree::Stmt],
        span: Span,
    ) {
        let Some(play) = self.procedure_named(procedure) else {
            return;
        };
        if procedure.text != "play" {
            self.report(
                Diagnostic::error(
                    "law::unknown-step",
                    "an entry is at a step of `play`",
                    procedure.span,
                    "another procedure",
                )
                .help("write `at play.STEP`"),
            );
            return;
        }
        let Some(pc) = self.model.codes[play.i()].steps.iter().find(|s| s.name == step.text).map(|s| s.start) else {
            let steps: Vec<String> = self.model.codes[play.i()].steps.iter().map(|s| s.name.clone()).collect();
            self.report(
                Diagnostic::error(
                    "law::unknown-step",
                    format!("`play` has no step `{}`", step.text),
                    step.span,
                    "nothing has this name",
                )
                .help(match crate::spelling::closest(&step.text, steps.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `play.{near}`?"),
                    None if steps.is_empty() => "`play` has no steps: write `step NAME { ... }` in it".to_string(),
                    None => format!("the steps of `play` are: {}", steps.join(", ")),
                }),
            );
            return;
        };
        let code = self.new_code("entry", model::CodeKind::Entry, span, &[]);
        let mut b = Builder::new(code);
        let mut found = Vec::new();
        for p in params {
            let Some(ty) = self.ty(&p.ty) else { continue };
            let var = self.code_var(code, &p.name.text, ty.clone(), p.name.span);
            self.model.codes[code.i()].params.push(var);
            b.scope.bind_var(&p.name.text, var);
            found.push((p.name.text.clone(), ty));
        }
        b.block(self, body);
        b.finish(self, span);
        self.model.entries.push(model::Entry { phrase: text(Some(phrase)), params: found, code, pc, span });
    }

    /// Collects every citation and reports those that are not in the register.
    fn citations(&mut self, decls: &[Arc<Decl>]) {
        let mut all = Vec::new();
        for d in decls {
            collect(d, &mut all);
        }
        let known: std::collections::BTreeSet<String> = self.model.register.iter().map(|r| r.id.clone()).collect();
        for (word, by, role) in all {
            if !known.is_empty() && !known.contains(&word.text) {
                let mut d = Diagnostic::error(
                    "law::unknown-citation",
                    format!("`{}` is not in the register", word.text),
                    word.span,
                    "cited here",
                );
                d = match crate::spelling::closest(&word.text, known.iter().map(String::as_str)) {
                    Some(near) => d.help(format!("did you mean `{near}`?")),
                    None => d.help("cite an id of the register that `source` names"),
                };
                self.report(d);
            }
            self.model.citations.push(Citation { id: word.text.clone(), span: word.span, by, role });
        }
    }

    /// The names of a checked game, for resolving an expression written elsewhere.
    pub(super) fn names_of_model(&mut self) {
        // What is read here is not what is written.
        let m = std::mem::take(&mut self.model);
        let at = Span::default();
        let mut put = |name: &str, s: Symbol| {
            self.names.declare(name, s, at);
        };
        for (k, kind) in m.kinds.iter().enumerate() {
            let id = model::KindId(k as u16);
            put(&kind.name, Symbol::Kind(id));
            for (i, member) in kind.members.iter().enumerate() {
                put(&member.id, Symbol::Member(id, i as u16));
            }
        }
        for (i, c) in m.config.iter().enumerate() {
            put(&c.name, Symbol::Config(model::ConfigId(i as u16)));
        }
        for (i, l) in m.links.iter().enumerate() {
            put(&l.name, Symbol::Links(model::LinkId(i as u16)));
        }
        for (i, v) in m.vars.iter().enumerate() {
            if matches!(v.owner, model::VarOwner::Game | model::VarOwner::Pile) {
                put(&v.name, Symbol::Var(model::VarId(i as u16)));
            }
        }
        for (i, d) in m.defs.iter().enumerate() {
            put(&d.name, Symbol::Def(model::DefId(i as u16)));
        }
        for (i, c) in m.codes.iter().enumerate() {
            if c.kind != model::CodeKind::Procedure {
                continue;
            }
            let id = model::CodeId(i as u16);
            put(&c.name, Symbol::Procedure(id));
            let names =
                c.vars.iter().map(|v| (m.vars[v.i()].name.rsplit('.').next().unwrap_or("").to_string(), *v)).collect();
            self.procedures.insert(id, super::procedure::Outline { names, ..Default::default() });
        }
        self.model = m;
    }
}

type Found = (Word, String, CitationRole);

/// Every citation of a declaration, with the thing that cites.
fn collect(d: &Decl, all: &mut Vec<Found>) {
    let role = match d.kind {
        DeclKind::Note { .. } => CitationRole::Note,
        DeclKind::Manners { .. } => CitationRole::Manners,
        _ => CitationRole::Rule,
    };
    let mut rule = |cite: &[Word], by: String| all.extend(cite.iter().map(|w| (w.clone(), by.clone(), role)));
    match &d.kind {
        DeclKind::Clause(c) => return clause(c, &mut rule),
        DeclKind::Ability(a) => return ability(a, &mut rule),
        kind => rule(kind.cites(), kind.title()),
    }
    match &d.kind {
        DeclKind::Members { abilities, .. } => abilities.iter().for_each(|a| ability(a, &mut rule)),
        DeclKind::Procedure(p) => {
            for item in &p.items {
                match item {
                    tree::ProcItem::Step(s) => {
                        rule(&s.cite, format!("step {}.{}", p.name.text, s.name.text));
                        blocks(&s.body, &mut rule);
                    }
                    tree::ProcItem::Stmt(s) => blocks(std::slice::from_ref(s), &mut rule),
                    tree::ProcItem::Var(v) => rule(&v.cite, format!("var {}", v.name.text)),
                }
            }
            blocks(p.finally.as_deref().unwrap_or(&[]), &mut rule);
        }
        kind => inside(&kind.parts(), &mut rule),
    }
}

fn ability(a: &tree::Ability, rule: &mut impl FnMut(&[Word], String)) {
    rule(&a.mods.cite, a.title());
    a.clauses.iter().for_each(|c| clause(c, rule));
}

fn clause(c: &tree::Clause, rule: &mut impl FnMut(&[Word], String)) {
    inside(&c.parts(), rule);
    rule(&c.mods.cite, c.title());
}

fn blocks(body: &[tree::Stmt], rule: &mut impl FnMut(&[Word], String)) {
    for s in body {
        let (by, cite) = s.cites();
        rule(cite, by.into());
        inside(&s.parts(), rule);
    }
}

fn inside(parts: &[tree::Part<'_>], rule: &mut impl FnMut(&[Word], String)) {
    for part in parts {
        if let tree::Part::Block(body) = part {
            blocks(body, rule);
        }
    }
}

/// The constant truth value of an expression, if it is one.
pub(super) fn constant_truth(e: &Expr) -> Option<bool> {
    match &e.kind {
        ExprKind::Const(v) => Some(v.truth()),
        ExprKind::Not(of) => constant_truth(of).map(|b| !b),
        _ => None,
    }
}
