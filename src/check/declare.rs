//! First pass: every name gets its number.

use std::sync::Arc;

use super::Checker;
use super::names::Symbol;
use crate::check::Diagnostic;
use crate::model::{
    self, AbilityId, ActionId, Base, BringId, ClauseKind, CodeId, ConfigId, DefId, KindId, LinkId, Member, Text, Ty,
    VarId, VarOwner,
};
use crate::span::Span;
use crate::syntax::tree::{Decl, DeclKind, Label, Word};

/// The maximum number of declarations of one sort.
const MAX_DECLARATIONS: usize = 65_535;

/// The maximum number of procedures, actions and hooks; their calls are examined pair by pair.
pub(super) const MAX_CODES: usize = 8_192;

/// A label as the model keeps it.
pub(super) fn text(label: Option<&Label>) -> Text {
    label.map_or_else(Text::default, |l| Text { text: l.text.clone(), translations: l.translations.clone() })
}

/// Citations as the model keeps them.
pub(super) fn cites(words: &[Word]) -> Vec<String> {
    words.iter().map(|w| w.text.clone()).collect()
}

impl Checker {
    /// Declares all names.
    pub(super) fn declare(&mut self, decls: &[Arc<Decl>]) {
        self.model.kinds.push(model::Kind { name: "Player".into(), ..model::Kind::default() });
        self.names.declare("Player", Symbol::Kind(model::PLAYER), Span::default());
        self.names.mark(Symbol::Kind(model::PLAYER));
        self.once(decls, "game", |k| matches!(k, DeclKind::Game { .. }), "game NAME \"TITLE\"");
        self.once(decls, "players", |k| matches!(k, DeclKind::Players { .. }), "players NAME, NAME");
        self.at_most_once(decls, "score", |k| matches!(k, DeclKind::Score { .. }));
        self.at_most_once(decls, "worth", |k| matches!(k, DeclKind::Worth { .. }));
        for d in decls {
            match &d.kind {
                DeclKind::Game { name, title } => {
                    self.model.name = name.text.clone();
                    self.model.title = text(title.as_ref());
                }
                DeclKind::Players { seats, by } => {
                    let playing = self.seats_playing(seats.len(), by.as_ref(), decls);
                    for (i, (name, label)) in seats.iter().enumerate() {
                        match i < playing {
                            true => self.member(model::PLAYER, name, label.as_ref(), &[]),
                            false => self.name_it(name, Symbol::Absent),
                        }
                    }
                    self.model.kinds[0].span = d.span;
                }
                DeclKind::Kind { name, label, members, .. } => self.kind((name, label.as_ref()), members, d.span),
                DeclKind::Grid(g) => self.directions(g, d.span),
                _ => {}
            }
        }
        for d in decls {
            match &d.kind {
                DeclKind::Members { also: false, kind, names, cite, .. } => {
                    if let Some(k) = self.kind_named(kind) {
                        for (name, label) in names {
                            self.member(k, name, label.as_ref(), cite);
                        }
                    } else {
                        self.unclear.names.extend(names.iter().map(|(n, _)| n.text.clone()));
                    }
                }
                DeclKind::Table(table) => self.table_members(table),
                _ => {}
            }
        }
        self.rows_not_gone();
        self.spell_members();
        for d in decls {
            self.declare_other(d);
        }
    }

    fn once(&mut self, decls: &[Arc<Decl>], what: &str, is: impl Fn(&DeclKind) -> bool, example: &str) {
        let mut found = decls.iter().filter(|d| is(&d.kind));
        let Some(first) = found.next() else {
            if decls.is_empty() && !self.out.is_empty() || self.unclear.names.contains(what) {
                return;
            }
            let span = decls.first().map_or(Span::default(), |d| d.span);
            self.report(
                Diagnostic::error(
                    "law::incomplete",
                    format!("the rules have no `{what}`"),
                    Span { end: span.start, ..span },
                    "one file must have it",
                )
                .help(format!("write `{example}` at the left margin")),
            );
            // What they would have declared is not known.
            self.unclear.names.insert(what.to_owned());
            return;
        };
        if let Some(second) = found.next() {
            self.twice(what, first, second);
        }
    }

    /// Reports what stands in the rules more than once, if it may stand there only once.
    fn at_most_once(&mut self, decls: &[Arc<Decl>], what: &str, is: impl Fn(&DeclKind) -> bool) {
        let mut found = decls.iter().filter(|d| is(&d.kind));
        if let (Some(first), Some(second)) = (found.next(), found.next()) {
            self.twice(what, first, second);
        }
    }

    fn twice(&mut self, what: &str, first: &Decl, second: &Decl) {
        self.report(
            Diagnostic::error("law::duplicate", format!("`{what}` appears twice"), second.span, "the second")
                .and(first.span, "the first")
                .help("remove one of them"),
        );
    }

    pub(super) fn name_it(&mut self, word: &Word, symbol: Symbol) {
        if let Some(earlier) = self.names.declare(&word.text, symbol, word.span) {
            self.unclear.second.insert(word.span);
            self.unclear.names.insert(word.text.clone());
            let help = match self.is_overlay(word.span) && !self.is_overlay(earlier) {
                true => {
                    "write `replace` before the declaration if it takes the place of the other; else choose another \
                     name"
                }
                false => "choose another name: a game has one namespace",
            };
            self.report(
                Diagnostic::error(
                    "law::duplicate",
                    format!("the name `{}` is taken", word.text),
                    word.span,
                    "declared again",
                )
                .and(earlier, "declared first")
                .help(help),
            );
        }
    }

    pub(super) fn kind(
        &mut self,
        (name, label): (&Word, Option<&Label>),
        members: &[(Word, Option<Label>)],
        span: Span,
    ) {
        let id = KindId(self.place(self.model.kinds.len(), "kinds", span));
        self.name_it(name, Symbol::Kind(id));
        self.model.kinds.push(model::Kind {
            name: name.text.clone(),
            label: text(label),
            span,
            ..model::Kind::default()
        });
        for (m, label) in members {
            self.member(id, m, label.as_ref(), &[]);
        }
    }

    /// The kind with this name.
    pub(super) fn kind_named(&mut self, word: &Word) -> Option<KindId> {
        match self.names.get(&word.text) {
            Some(s @ Symbol::Kind(k)) => {
                self.names.mark(s);
                Some(k)
            }
            _ => {
                let kinds: Vec<String> = self.model.kinds.iter().map(|k| k.name.clone()).collect();
                self.unknown_among("kind", word, kinds.iter().map(String::as_str));
                None
            }
        }
    }

    pub(super) fn member(&mut self, kind: KindId, name: &Word, label: Option<&Label>, cite: &[Word]) {
        let i = self.place(self.model.kinds[kind.i()].members.len(), "members of a kind", name.span);
        let taken = self.names.get(&name.text).is_some();
        self.name_it(name, Symbol::Member(kind, i));
        if !taken {
            // Without a label, the identifier is shown.
            let mut called = text(label);
            if called.text.is_empty() {
                called.text.clone_from(&name.text);
            }
            let members = &mut self.model.kinds[kind.i()].members;
            members.push(Member { id: name.text.clone(), name: called, span: name.span, cites: cites(cite) });
        }
    }

    /// The index of the next thing of a sort; reports when there are too many.
    pub(super) fn place(&mut self, n: usize, what: &str, span: Span) -> u16 {
        let most = if what == "procedures, actions and hooks" { MAX_CODES } else { MAX_DECLARATIONS };
        if n >= most {
            let told = self.out.iter().any(|d| d.code == "law::range" && d.message.contains(what));
            if !told {
                self.report(
                    Diagnostic::error("law::range", format!("there are too many {what}"), span, "one too many")
                        .help(format!("a game has at most {most}")),
                );
            }
        }
        u16::try_from(n).unwrap_or(u16::MAX)
    }

    fn declare_other(&mut self, d: &Decl) {
        match &d.kind {
            DeclKind::Option { name, label, cite, .. } | DeclKind::Reading { name, label, cite, .. } => {
                let id = ConfigId(self.place(self.model.config.len(), "options and readings", d.span));
                self.name_it(name, Symbol::Config(id));
                self.model.config.push(model::ConfigItem {
                    name: name.text.clone(),
                    text: text(label.as_ref()),
                    ty: Ty::of(Base::Bool),
                    default: 0,
                    choices: Vec::new(),
                    excludes: Vec::new(),
                    cites: cites(cite),
                    span: d.span,
                });
            }
            DeclKind::Links { name, .. } => {
                self.new_links(name, d.span);
            }
            DeclKind::Grid(g) => {
                let links = self.new_links(&g.name, d.span);
                self.new_grid(links, d.span);
            }
            DeclKind::Pile { name, label, .. } => {
                let id = self.new_var(&name.text, name.span, VarOwner::Pile);
                self.call_var(id, label.as_ref());
                self.model.piles.push(id);
                self.name_it(name, Symbol::Var(id));
            }
            DeclKind::Var(v) => {
                let id = self.new_var(&v.name.text, v.name.span, VarOwner::Game);
                self.call_var(id, v.label.as_ref());
                self.name_it(&v.name, Symbol::Var(id));
            }
            DeclKind::Define { name, cite, .. } => {
                let id = DefId(self.place(self.model.defs.len(), "definitions", d.span));
                self.name_it(name, Symbol::Def(id));
                let clause = self.new_clause((ClauseKind::Define, &name.text), Text::default(), cite, d.span, None);
                self.model.defs.push(model::Def {
                    name: name.text.clone(),
                    params: Vec::new(),
                    ty: Ty::of(Base::Nothing),
                    clause,
                    general: None,
                    clauses: Vec::new(),
                    locals: 0,
                });
            }
            DeclKind::Action(a) => {
                let id = ActionId(self.place(self.model.actions.len(), "actions", d.span));
                self.name_it(&a.name, Symbol::Action(id));
                let clause =
                    self.new_clause((ClauseKind::Action, &a.name.text), Text::default(), &a.cite, d.span, None);
                self.model.clauses[clause.i()].openly = a.openly;
                let code = self.new_code(&a.name.text, model::CodeKind::Action(id), d.span, &a.cite);
                self.model.actions.push(model::Action {
                    name: a.name.text.clone(),
                    params: Vec::new(),
                    by: super::expr::constant(model::Value::Int(0), Ty::of(Base::Member(model::PLAYER)), d.span),
                    domain: Vec::new(),
                    log: model::Template::default(),
                    until: None,
                    clause,
                    code,
                    may: Vec::new(),
                    may_not: Vec::new(),
                    must: Vec::new(),
                    locals: 0,
                });
            }
            DeclKind::Procedure(p) => {
                let id = self.new_code(&p.name.text, model::CodeKind::Procedure, d.span, &p.cite);
                self.model.codes[id.i()].asks = text(p.asks.as_ref());
                self.name_it(&p.name, Symbol::Procedure(id));
            }
            DeclKind::Ability(a) => {
                if let (Some(name), Some(holder)) = (&a.name, &a.holder) {
                    let kind = self.ability_kind(holder);
                    let id = self.new_ability(
                        text(a.label.as_ref()),
                        kind.unwrap_or_default(),
                        Vec::new(),
                        &a.mods.cite,
                        a.span,
                    );
                    if a.label.is_none() {
                        self.model.abilities[id.i()].label.text = name.text.clone();
                    }
                    self.name_it(name, Symbol::Ability(id));
                }
            }
            DeclKind::Bring(b) => {
                let id = BringId(self.place(self.model.brings.len(), "lists that seats bring", d.span));
                self.name_it(&b.name, Symbol::Bring(id));
                let subject = (ClauseKind::Bring, b.name.text.as_str());
                let clause = self.new_clause(subject, text(b.label.as_ref()), &b.cite, d.span, None);
                self.model.brings.push(model::Bring {
                    name: b.name.text.clone(),
                    clause,
                    seat: b.seat.name.text.clone(),
                    kind: model::PLAYER,
                    field: VarId::default(),
                    of: model::PLAYER,
                    costs: None,
                    sections: Vec::new(),
                    demands: Vec::new(),
                });
            }
            _ => {}
        }
    }

    fn new_links(&mut self, name: &Word, span: Span) -> LinkId {
        let id = LinkId(self.place(self.model.links.len(), "links", span));
        self.name_it(name, Symbol::Links(id));
        self.model.links.push(model::Links {
            name: name.text.clone(),
            from: model::PLAYER,
            to: model::PLAYER,
            forward: Vec::new(),
            backward: Vec::new(),
        });
        id
    }

    /// A new variable, without a type yet.
    pub(super) fn new_var(&mut self, name: &str, span: Span, owner: VarOwner) -> VarId {
        let id = VarId(self.place(self.model.vars.len(), "variables", span));
        self.model.vars.push(model::Var {
            name: name.to_string(),
            label: Text::default(),
            index: None,
            ty: Ty::of(Base::Bool),
            owner,
            init: None,
            span,
            place: model::Place::default(),
        });
        id
    }

    /// Calls a variable by its label, if it has one.
    pub(super) fn call_var(&mut self, var: VarId, label: Option<&Label>) {
        self.model.vars[var.i()].label = text(label);
    }

    /// A new code without instructions.
    pub(super) fn new_code(&mut self, name: &str, kind: model::CodeKind, span: Span, cite: &[Word]) -> CodeId {
        let id = CodeId(self.place(self.model.codes.len(), "procedures, actions and hooks", span));
        self.model.codes.push(model::Code {
            name: name.to_string(),
            kind,
            params: Vec::new(),
            vars: Vec::new(),
            nested: 1,
            active: None,
            instrs: Vec::new(),
            finally: 0,
            steps: Vec::new(),
            asks: Text::default(),
            cites: cites(cite),
            span,
        });
        id
    }

    /// A new ability.
    pub(super) fn new_ability(
        &mut self,
        label: Text,
        kind: KindId,
        holders: Vec<u16>,
        cite: &[Word],
        span: Span,
    ) -> AbilityId {
        let id = AbilityId(self.place(self.model.abilities.len(), "abilities", span));
        self.model.abilities.push(model::Ability {
            label,
            kind,
            holders,
            borne: Vec::new(),
            always: Vec::new(),
            openly: false,
            cites: cites(cite),
            span,
        });
        id
    }

    /// A new clause that always applies.
    pub(super) fn new_clause(
        &mut self,
        (kind, subject): (ClauseKind, &str),
        label: Text,
        cite: &[Word],
        span: Span,
        ability: Option<AbilityId>,
    ) -> model::ClauseId {
        let id = model::ClauseId(self.place(self.model.clauses.len(), "clauses", span));
        let mut all = cites(cite);
        if let Some(a) = ability {
            let more =
                self.model.abilities[a.i()].cites.iter().filter(|c| !all.contains(c)).cloned().collect::<Vec<_>>();
            all.extend(more);
        }
        self.model.clauses.push(model::Clause {
            cites: all,
            ability,
            ..model::Clause::new(kind, subject, label, span)
        });
        id
    }
}
