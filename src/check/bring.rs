//! What seats bring to the game, and the clauses on it.

use super::Checker;
use super::clause::Within;
use super::names::Symbol;
use super::scope::Scope;
use super::types::article;
use crate::check::Diagnostic;
use crate::model::{self, Base, BringId, FieldStore, KindId, Ty, VarId};
use crate::syntax::tree::{self, ClauseKind, Decl, DeclKind, Word};

impl Checker {
    /// Resolves the places into which seats bring things.
    pub(super) fn brings(&mut self, decls: &[Decl]) {
        for d in decls {
            let DeclKind::Bring(b) = &d.kind else { continue };
            let Some(Symbol::Bring(id)) = self.names.get(&b.name.text) else {
                continue;
            };
            let seat = self.bringing_seat(b);
            match self.taken_by(b, decls) {
                Some((kind, field, of)) => {
                    let bring = &mut self.model.brings[id.i()];
                    (bring.kind, bring.field, bring.of) = (kind, field, of);
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
    fn taken_by(&mut self, b: &tree::Bring, decls: &[Decl]) -> Option<(KindId, VarId, KindId)> {
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

    fn owned(&mut self, kind: KindId, name: &Word, decls: &[Decl]) -> bool {
        if self.model.kinds[kind.i()].owner.is_some() {
            return true;
        }
        // An owner that is written but not found is reported at its place.
        let written =
            |d: &Decl| matches!(&d.kind, DeclKind::Kind { name: n, owner: Some(_), .. } if n.text == name.text);
        if !decls.iter().any(written) {
            let message = format!("nobody owns {}", article(&name.text));
            self.report(
                Diagnostic::error("law::type", message, name.span, "whose would it be?")
                    .help(format!("write `kind {} owned by FIELD` with a field of type Player", name.text)),
            );
        }
        false
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
