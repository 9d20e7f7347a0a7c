//! What seats bring to the game, and the clauses on it.

use std::sync::Arc;

use super::Checker;
use super::clause::Within;
use super::declare::text;
use super::names::Symbol;
use super::scope::Scope;
use super::types::article;
use crate::check::Diagnostic;
use crate::model::{self, Base, BringId, FieldStore, KindId, Ty, VarId, VarOwner};
use crate::syntax::tree::{self, ClauseKind, Decl, DeclKind, Word};

impl Checker {
    /// Resolves the places into which seats bring things.
    pub(super) fn brings(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            let DeclKind::Bring(b) = &d.kind else { continue };
            let Some(Symbol::Bring(id)) = self.names.get(&b.name.text) else {
                continue;
            };
            let seat = self.bringing_seat(b);
            match self.taken_by(b, decls) {
                Some((kind, field, of)) => {
                    let sections = self.sections(b, kind);
                    let bring = &mut self.model.brings[id.i()];
                    (bring.kind, bring.field, bring.of) = (kind, field, of);
                    bring.sections = sections;
                }
                None => {
                    self.unclear.names.insert(b.name.text.clone());
                }
            }
            if seat.is_none() {
                self.unclear.names.insert(b.name.text.clone());
            }
        }
    }

    /// Resolves what the things in lists cost.
    pub(super) fn prices(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            let DeclKind::Bring(tree::Bring { name, seat, costs: Some(costs), .. }) = &d.kind else { continue };
            let Some(Symbol::Bring(id)) = self.names.get(&name.text) else { continue };
            if self.unclear.names.contains(&name.text) {
                continue;
            }
            let mut sc = Scope::default();
            sc.bind(&seat.name.text, Ty::of(Base::Member(model::PLAYER)));
            let most = costs.most.as_ref().map(|most| self.amount(most, &mut sc));
            sc.bind(&costs.thing.text, Ty::of(Base::Member(self.model.brings[id.i()].of)));
            if let (Some(cost), None | Some(Some(_))) = (self.amount(&costs.cost, &mut sc), &most) {
                let label = text(costs.label.as_ref());
                self.model.brings[id.i()].costs = Some(model::Costs { cost, most: most.flatten(), label });
            }
        }
    }

    fn amount(&mut self, e: &tree::Expr, sc: &mut Scope) -> Option<model::Expr> {
        let e = self.expr(e, sc)?;
        self.fit(e, &Ty::of(Base::Int), "what it costs")
    }

    fn bringing_seat(&mut self, b: &tree::Bring) -> Option<()> {
        let ty = self.ty(&b.seat.ty)?;
        if ty == Ty::of(Base::Member(model::PLAYER)) {
            return Some(());
        }
        let (words, name) = (self.words(&ty), &b.name.text);
        self.report(
            Diagnostic::error("law::type", format!("`{name}` is brought by a seat"), b.seat.ty.span, words)
                .help(format!("write `bring {name}({}: Player)`", b.seat.name.text)),
        );
        None
    }

    /// The kind whose members take what is brought, their field, and the kind of what is brought.
    fn taken_by(&mut self, b: &tree::Bring, decls: &[Arc<Decl>]) -> Option<(KindId, VarId, KindId)> {
        let kind = self.kind_named(&b.kind)?;
        let owned = self.owned(kind, &b.kind, decls);
        let place = self.board_field(kind, &b.field)?;
        let field = &self.model.kinds[kind.i()].fields[place];
        match (&field.store, &field.ty) {
            (FieldStore::Var(var), Ty { base: Base::Member(of), optional: true }) => owned.then_some((kind, *var, *of)),
            (store, ty) => {
                let words = match store {
                    FieldStore::Printed(_) => String::from("what is printed does not change"),
                    FieldStore::Var(_) => article(&self.words(ty)),
                };
                let message = format!("`{}.{}` cannot take what is brought", b.kind.text, b.field.text);
                self.report(
                    Diagnostic::error("law::type", message, b.field.span, words)
                        .help(format!("declare it in the kind as `var {}: KIND?`", b.field.text)),
                );
                None
            }
        }
    }

    fn owned(&mut self, kind: KindId, name: &Word, decls: &[Arc<Decl>]) -> bool {
        if self.model.kinds[kind.i()].owner.is_some() {
            return true;
        }
        // An owner that is written but not found is reported at its place.
        let written =
            |d: &Decl| matches!(&d.kind, DeclKind::Kind { name: n, owner: Some(_), .. } if n.text == name.text);
        if !decls.iter().any(|d| written(d)) {
            let message = format!("nobody owns {}", article(&name.text));
            self.report(
                Diagnostic::error("law::type", message, name.span, "whose would it be?")
                    .help(format!("write `kind {} owned by FIELD` with a field of type Player", name.text)),
            );
        }
        false
    }

    /// The sections of a list, each with its pile of the kind that takes what is brought.
    fn sections(&mut self, b: &tree::Bring, kind: KindId) -> Vec<model::Section> {
        let mut sections: Vec<model::Section> = Vec::new();
        for s in &b.sections {
            if sections.iter().any(|known| known.name == s.name.text) {
                let message = format!("a second section `{}`", s.name.text);
                self.report(
                    Diagnostic::error("law::duplicate", message, s.name.span, "this name is taken")
                        .help("give it another name"),
                );
            } else if let Some(pile) = self.section_pile(b, s, kind) {
                let (name, label) = (s.name.text.clone(), text(s.label.as_ref()));
                sections.push(model::Section { name, label, pile, indexed: s.index.is_some() });
            }
        }
        sections
    }

    fn section_pile(&mut self, b: &tree::Bring, s: &tree::Section, kind: KindId) -> Option<VarId> {
        let Some(Symbol::Var(var)) = self.names.get(&s.pile.text) else {
            let piles = self.model.vars.iter().filter(|v| v.owner == VarOwner::Pile);
            let piles: Vec<String> = piles.map(|v| v.name.clone()).collect();
            self.unknown_among("pile called", &s.pile, piles.iter().map(String::as_str));
            return None;
        };
        if self.unclear.names.contains(&s.pile.text) {
            return None;
        }
        let (seat, pile) = (&b.seat.name.text, &s.pile.text);
        let v = &self.model.vars[var.i()];
        let holds = match &v.ty.base {
            Base::List(of) => *of == kind,
            Base::Set(of) => **of == Base::Member(kind),
            _ => false,
        };
        if v.owner != VarOwner::Pile || !holds {
            let of = &self.model.kinds[kind.i()].name;
            let message = format!("a section lies on a pile of {of}, and `{pile}` is none");
            self.report(
                Diagnostic::error("law::type", message, s.pile.span, "no such pile")
                    .help(format!("declare it: `pile {pile}[Player] of {of}`")),
            );
            return None;
        }
        let (of_seats, named) = (v.index == Some(model::PLAYER), s.index.as_ref());
        let right = match named {
            Some(index) => of_seats && index.text == *seat,
            None => v.index.is_none(),
        };
        if !right {
            let place = named.map_or(s.pile.span, |index| index.span);
            let wanted = if of_seats { format!("{pile}[{seat}]") } else { pile.clone() };
            let (words, help) = match v.index.is_none() || of_seats {
                true => ("whose?", format!("write `{} into {wanted}`", s.name.text)),
                false => ("not by seats", format!("declare it for each seat: `pile {pile}[Player] of ...`")),
            };
            let message = format!("the pile of section `{}` is that of the seat that brings it", s.name.text);
            self.report(Diagnostic::error("law::type", message, place, words).help(help));
            return None;
        }
        Some(var)
    }

    /// `must army so that ...`.
    pub(super) fn demand(&mut self, c: &tree::Clause, within: Option<&Within>, bring: BringId) {
        let name = self.model.brings[bring.i()].name.clone();
        if self.unclear.names.contains(&name) {
            return;
        }
        let asked = match &c.kind {
            ClauseKind::MustSo { so_that, .. } => so_that,
            ClauseKind::MustPrefer { value, .. } => {
                self.report(
                    Diagnostic::error(
                        "law::type",
                        "a clause on a list cannot use `prefer`",
                        value.span,
                        "there is no greatest and no least",
                    )
                    .help(format!("write `must {name} \"LABEL\" so that CONDITION`")),
                );
                return;
            }
            _ => return,
        };
        let id = self.identity((crate::model::ClauseKind::Must, &name), c.label.as_ref(), &c.mods, c.span, within);
        self.no_ranks(&c.mods, "what is asked of a list", "say in a `when` where it does not hold");
        let mut sc = Scope::default();
        let seat = self.model.brings[bring.i()].seat.clone();
        sc.bind(&seat, Ty::of(Base::Member(model::PLAYER)));
        if let Some(within) = within {
            self.model.clauses[id.i()].holder = within.bind(self, &mut sc);
        }
        self.condition(id, &c.mods, within, &mut sc);
        self.narrow_by_clause(id, &mut sc);
        if let Some(goal) = self.conjuncts(asked, &mut sc) {
            self.model.brings[bring.i()].demands.push(model::Demand { clause: id, goal });
        }
    }

    /// Reports the name of a `bring` where an action is wanted.
    pub(super) fn no_action(&mut self, word: &Word) {
        let name = &word.text;
        self.report(
            Diagnostic::error(
                "law::type",
                format!("`{name}` is what a seat brings, not what it does"),
                word.span,
                "no action",
            )
            .help(format!("write `must {name} \"LABEL\" so that CONDITION`")),
        );
    }
}
