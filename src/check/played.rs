//! What can be asked in few places: what else is legal, and what an action leads to, in the notation of the action;
//! whether any action is legal, in endings.

use std::collections::BTreeSet;

use super::Checker;
use super::expr::typed;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{Base, DefId, Expr, ExprKind, Ty};
use crate::span::Span;
use crate::syntax::tree;

/// What asks, as far as that matters to what can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Asker {
    /// The notation of an action.
    Notation,
    /// An ending.
    Ending,
    /// Anything else.
    #[default]
    Another,
}

/// Who asks such things.
#[derive(Debug, Default)]
pub(super) struct Played {
    /// What is resolved now.
    pub(super) asker: Asker,
    /// The definitions that ask themselves what only notations can ask.
    defs: BTreeSet<DefId>,
    /// Those that ask themselves what only endings can ask.
    ending_defs: BTreeSet<DefId>,
    /// Where definitions are asked, except from definitions, and by what.
    pub(super) asked: Vec<(DefId, Span, Asker)>,
    /// The endings that are asked about by their labels.
    endings: Vec<(String, Span)>,
}

impl Checker {
    /// `legal(ACTION(...))`: whether another action is legal now.
    pub(super) fn legal(&mut self, args: &[tree::Expr], span: Span, sc: &mut Scope) -> Option<Expr> {
        self.asks_play("legal", span);
        let called = match args {
            [of] => match &of.kind {
                tree::ExprKind::Call(name, args) => Some((name, args)),
                _ => None,
            },
            _ => None,
        };
        let Some((name, args)) = called else {
            self.report(
                Diagnostic::error("law::type", "`legal` asks about an action", span, "no action is named here")
                    .help("write `legal(ACTION(...))` with the action's parameters"),
            );
            return None;
        };
        let action = self.action_named(name)?;
        let params = self.model.actions[action.i()].params.clone();
        if params.len() != args.len() {
            let names: Vec<&str> = params.iter().map(|(p, _)| p.as_str()).collect();
            self.arity(&name.text, &names, args.len(), span);
            return None;
        }
        let mut found = Vec::new();
        for (arg, (param, ty)) in args.iter().zip(&params) {
            let wanted = Ty { base: ty.base.clone(), optional: true };
            let arg = self.expr(arg, sc)?;
            found.push(self.fit(arg, &wanted, &format!("`{param}` of `{}`", name.text))?);
        }
        Some(typed(ExprKind::Legal { action, args: found }, Ty::of(Base::Bool), span))
    }

    /// `leads(C)`: whether C holds where the action leads.
    pub(super) fn leads(&mut self, args: &[tree::Expr], span: Span, sc: &mut Scope) -> Option<Expr> {
        self.asks_play("leads", span);
        let [of] = args else {
            self.arity("leads", &["C"], args.len(), span);
            return None;
        };
        let of = self.expr(of, sc)?;
        let of = self.fit(of, &Ty::of(Base::Bool), "what an action leads to")?;
        Some(typed(ExprKind::Leads(Box::new(of)), Ty::of(Base::Bool), span))
    }

    /// `over()`, `over("label")`: whether the game has ended, and by which ending.
    pub(super) fn over(&mut self, args: &[tree::Expr], span: Span) -> Option<Expr> {
        self.asks_play("over", span);
        let label = match args {
            [] => None,
            [tree::Expr { kind: tree::ExprKind::Text(label), span }] => {
                self.played.endings.push((label.clone(), *span));
                Some(label.clone())
            }
            _ => {
                self.report(
                    Diagnostic::error("law::type", "`over` asks about an ending", span, "not the label of one")
                        .help("write `over()`, or `over(\"LABEL\")` with the label of an ending"),
                );
                return None;
            }
        };
        Some(typed(ExprKind::Over(label), Ty::of(Base::Bool), span))
    }

    fn asks_play(&mut self, name: &str, span: Span) {
        match self.in_def {
            Some(def) => drop(self.played.defs.insert(def)),
            None if self.played.asker == Asker::Notation => {}
            None => self.report(only_in_notations(&format!("`{name}`"), span)),
        }
    }

    /// `some legal action`, `no legal action`.
    pub(super) fn legal_action(&mut self, some: bool, span: Span) -> Option<Expr> {
        match self.in_def {
            Some(def) => drop(self.played.ending_defs.insert(def)),
            None if self.played.asker == Asker::Ending => {}
            None => self.report(only_in_endings(if some { "`some legal action`" } else { "`no legal action`" }, span)),
        }
        Some(typed(ExprKind::LegalAction(some), Ty::of(Base::Bool), span))
    }

    /// Reports definitions that ask such things where these cannot be asked, and endings that there are not.
    pub(super) fn check_played(&mut self) {
        self.asked_elsewhere(self.played.defs.clone(), Asker::Notation, only_in_notations);
        self.asked_elsewhere(self.played.ending_defs.clone(), Asker::Ending, only_in_endings);
        for (label, span) in std::mem::take(&mut self.played.endings) {
            let labels: Vec<String> =
                self.model.ends.iter().map(|end| self.model.clauses[end.clause.i()].label.text.clone()).collect();
            if !labels.contains(&label) {
                let word = tree::Word { text: label, span };
                self.unknown_among("ending", &word, labels.iter().map(String::as_str));
            }
        }
    }

    /// Reports where definitions, or those that use them, are asked elsewhere than in one place.
    fn asked_elsewhere(&mut self, mut asking: BTreeSet<DefId>, asker: Asker, only_there: fn(&str, Span) -> Diagnostic) {
        loop {
            let more: Vec<DefId> =
                self.def_calls.iter().filter(|(_, to, _)| asking.contains(to)).map(|(from, ..)| *from).collect();
            let before = asking.len();
            asking.extend(more);
            if asking.len() == before {
                break;
            }
        }
        let is_wrong = |(def, _, at): &&(DefId, Span, Asker)| *at != asker && asking.contains(def);
        let wrong: Vec<(DefId, Span, Asker)> = self.played.asked.iter().filter(is_wrong).copied().collect();
        for (def, span, _) in wrong {
            let name = format!("`{}`", self.model.defs[def.i()].name);
            self.report(only_there(&name, span));
        }
    }
}

fn only_in_endings(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "law::type",
        format!("only an ending can ask {what}"),
        span,
        "it asks whether any action is legal, which is known where a seat chooses one",
    )
    .help(
        "say it in an ending, `ends active loses \"LABEL\" when no legal action`, or ask for what makes actions legal",
    )
}

fn only_in_notations(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "law::type",
        format!("only the notation of an action can ask {what}"),
        span,
        "it asks what is legal, or what an action leads to",
    )
    .help("a rule that depends on what is legal would ask itself; say the condition here, or use it after `log` alone")
}
