//! Silences, which switch abilities off, and what they spare.

use super::Checker;
use super::clause::Within;
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{self, AbilityId, Base, ClauseId, ClauseKind, Ty};
use crate::span::Span;
use crate::syntax::tree;

impl Checker {
    pub(super) fn silence(
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
            self.error("law::type", "only members of a kind have abilities", holder.ty.span, "not a kind");
            return;
        };
        self.no_ranks(&c.mods, "`silence`", "narrow its condition instead, or `spare` an ability");
        let id = self.identity((ClauseKind::Silence, ""), c.label.as_ref(), &c.mods, c.span, within);
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
            // Abilities are known only when all clauses are, so they are looked up at the end.
            self.spares.push((which.clone(), id, None));
        }
    }

    pub(super) fn spare(&mut self, c: &tree::Clause, within: Option<&Within>, which: &tree::AbilityRef) {
        self.no_ranks(&c.mods, "`spare`", "remove it");
        let id = self.identity((ClauseKind::Spare, ""), c.label.as_ref(), &c.mods, c.span, within);
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

    pub(super) fn abilities_meant(
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
    pub(super) fn resolve_spares(&mut self) {
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
                let help = crate::spelling::closest(&name, labels.iter().map(String::as_str))
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

    pub(super) fn attach_spare(&mut self, clause: ClauseId, own: Option<AbilityId>, meant: Vec<AbilityId>, span: Span) {
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
}
