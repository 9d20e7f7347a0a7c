//! Choices that are not asked where nothing can be chosen, so that others learn of what they cannot see.
//!
//! This is decided from the form of the rules. Whether a pile is empty, all see; whether something of a kind is in it,
//! only those who see it.

use std::collections::BTreeSet;

use super::look::{Asked, Hidden, Look};
use crate::check::{Checker, Diagnostic};
use crate::model::{Action, Choose, ChooseWhat, ClauseId, CodeId, Expr, ExprKind, InstrKind};

/// Whether there is anything to choose, as others can tell.
struct Asks<'a> {
    checker: &'a Checker,
    hidden: &'a Hidden,
    seat: &'a Expr,
}

impl Checker {
    /// Reports choices that are skipped because of what others cannot see.
    pub(super) fn telling_skips(&mut self) {
        let hidden = Hidden::new(&self.model);
        if hidden.is_nothing() {
            return;
        }
        let mut found: Vec<(ClauseId, bool)> = Vec::new();
        for code in (0..self.model.codes.len()).map(|code| CodeId(code as u16)).filter(|code| !self.is_open(*code)) {
            for instr in &self.model.codes[code.i()].instrs {
                let InstrKind::Choose(choose) = &instr.kind else { continue };
                if choose.anyway || self.model.clauses[choose.clause.i()].openly {
                    continue;
                }
                let asks = Asks { checker: self, hidden: &hidden, seat: &choose.seat };
                if asks.tell(choose) {
                    found.push((choose.clause, choose.optional));
                }
            }
        }
        for (clause, optional) in found {
            let help = match optional {
                true => "write `asked anyway` in the choice, or `openly` if the rulebook means it so",
                false => "write `may choose an action among ... asked anyway`, or `openly` if the rulebook means it so",
            };
            let span = self.head(self.model.clauses[clause.i()].span);
            let title = "that this is not asked tells others what they cannot see";
            self.report(Diagnostic::warning("law::hidden", title, span, "skipped if nothing can be chosen").help(help));
        }
    }
}

impl Asks<'_> {
    fn tell(&self, choose: &Choose) -> bool {
        match &choose.what {
            ChooseWhat::One { set, .. } => choose.optional && self.set_tells(set),
            ChooseWhat::Number { lo, hi, .. } => choose.optional && (self.reads(lo) || self.reads(hi)),
            ChooseWhat::Act { actions, if_any, .. } => {
                let model = &self.checker.model;
                (choose.optional || *if_any) && actions.iter().all(|a| self.action_tells(&model.actions[a.i()]))
            }
            ChooseWhat::Several { .. } | ChooseWhat::Yes { .. } => false,
        }
    }

    /// Whether an expression reads what some seat does not see.
    fn reads(&self, e: &Expr) -> bool {
        let asked = Asked { by: self.seat, seat: None, action: None, about: BTreeSet::new(), by_others: true };
        let mut look = Look::new(&self.checker.model, self.hidden, asked);
        look.at(e);
        !look.found.is_empty()
    }

    /// Whether a set is a pile that some seat does not see: others know only whether it is empty.
    fn is_hidden_pile(&self, set: &Expr) -> bool {
        let of = if let ExprKind::AsSet(of) = &set.kind { of } else { set };
        match &of.kind {
            ExprKind::Var { var, index } => {
                self.checker.model.piles.contains(var)
                    && self.reads(of)
                    && !index.as_ref().is_some_and(|index| self.reads(index))
            }
            _ => false,
        }
    }

    /// Whether it tells of something hidden that a set is empty.
    fn set_tells(&self, set: &Expr) -> bool {
        match &set.kind {
            _ if self.is_hidden_pile(set) => false,
            ExprKind::Compr { domain, map: None, .. } => match &domain.cond {
                Some(cond) if self.is_hidden_pile(&domain.set) => narrows(self, cond, domain.local),
                Some(cond) => self.set_tells(&domain.set) || self.reads(cond),
                None => self.set_tells(&domain.set),
            },
            _ => self.reads(set),
        }
    }

    /// Whether it tells of something hidden that no such action is legal.
    fn action_tells(&self, action: &Action) -> bool {
        let conditions = || action.domain.iter().flatten();
        let drawn: Vec<u16> = conditions().filter_map(|cond| self.drawn(cond)).collect();
        let narrow = |e: &Expr| drawn.iter().any(|local| narrows(self, e, *local)) || self.reads(e);
        let when = |clause: ClauseId| self.checker.model.clauses[clause.i()].when.iter();
        let head = conditions().filter(|cond| self.drawn(cond).is_none()).any(narrow);
        let free = action.may.iter().any(|may| !when(may.clause).any(narrow));
        let forbidden = action.may_not.iter().any(|not| when(not.clause).any(narrow));
        head || !free || forbidden
    }

    /// The parameter that a condition takes from a hidden pile.
    fn drawn(&self, cond: &Expr) -> Option<u16> {
        match &cond.kind {
            ExprKind::In { item, set, positive: true, .. } if self.is_hidden_pile(set) => match item.kind {
                ExprKind::Local(local) => Some(local),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether a condition asks something of a thing in a hidden pile besides whose it is.
fn narrows(asks: &Asks<'_>, cond: &Expr, local: u16) -> bool {
    fn asked(asks: &Asks<'_>, e: &Expr, local: u16) -> bool {
        match &e.kind {
            ExprKind::Local(l) => *l == local,
            ExprKind::Printed { kind, field, .. } => {
                let kind = asks.checker.model.kinds.get(kind.i());
                let owner = kind.is_some_and(|k| k.owner == Some(*field));
                !owner && e.children().into_iter().any(|part| asked(asks, part, local))
            }
            _ => e.children().into_iter().any(|part| asked(asks, part, local)),
        }
    }
    asked(asks, cond, local) || asks.reads(cond)
}
