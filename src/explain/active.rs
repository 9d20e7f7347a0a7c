//! What is active at a position: the members that active procedures are about, and the conditions that they rest on.

use super::Explainer;
use super::moment::around;
use super::note::Silent;
use super::observer::Observer;
use crate::game::Position;
use crate::model::{Base, Code, CodeKind, Expr, InstrKind, KindId, Model, PLAYER, Value, VarId, VarOwner};

impl Explainer {
    /// The members that active codes are about, seats and places of the board apart: those who fight, where a battle is
    /// active. Their parameters and variables name them, and variables of the game that they have set. Not those that
    /// an observer does not see.
    pub(super) fn bound_members(&self, position: &Position, observer: Option<Observer>) -> Vec<(KindId, u16)> {
        let model = &self.model;
        let mut found = Vec::new();
        for (code, pc) in self.active_codes_of(position) {
            for var in named_by(model, code, pc) {
                let base = model.vars.get(var.i()).map(|v| &v.ty.base);
                let value = position.read(model, var, 0);
                if observer.is_some_and(|observer| !observer.see_entry(var, 0, &value)) {
                    continue;
                }
                match (base, value) {
                    (Some(Base::Member(kind)), Value::Int(i)) => found.extend(u16::try_from(i).map(|m| (*kind, m))),
                    (Some(Base::Set(of)), Value::Set(set)) => {
                        let kind = if let Base::Member(kind) = **of { Some(kind) } else { None };
                        found.extend(kind.into_iter().flat_map(|k| set.iter().map(move |m| (k, m as u16))));
                    }
                    _ => {}
                }
            }
        }
        let place = model.board.as_ref().map(|b| b.kind);
        found.retain(|(kind, _)| *kind != PLAYER && Some(*kind) != place);
        found
    }

    /// The conditions around what is active that hold: of the statements, steps and hooks that have begun. Not those
    /// that depend on what an observer does not see.
    pub(super) fn resting_on<'a>(&'a self, position: &'a Position, observer: Option<Observer<'a>>) -> Vec<&'a Expr> {
        let mut found = Vec::new();
        for (code, pc) in self.active_codes_of(position) {
            let clause = match code.kind {
                CodeKind::Hook(id) => self.model.hooks.get(id.i()).and_then(|h| self.model.clause(h.clause)),
                _ => None,
            };
            // What a hook of an ability asks is about its holder.
            let of_hook = clause.filter(|c| c.ability.is_none()).map_or(&[][..], |c| &c.when);
            for cond in around(code, pc).chain(of_hook) {
                if self.known_to_hold(position, cond, observer) == Some(true) {
                    found.push(cond);
                }
            }
        }
        found
    }

    /// Whether a condition without locals holds. `None` if the rules do not say, or an observer cannot see it.
    pub(super) fn known_to_hold<'a>(
        &'a self,
        position: &'a Position,
        cond: &Expr,
        observer: Option<Observer<'a>>,
    ) -> Option<bool> {
        let mut ev = self.at::<Silent>(position);
        (ev.watch, ev.within) = (None, observer.filter(Observer::may_miss_something));
        let holds = ev.framed(|ev| ev.truth(cond)).ok()?;
        (!ev.missed).then_some(holds)
    }

    /// The active codes, the outermost first; of several instances the innermost, whose variables can be read.
    fn active_codes_of(&self, position: &Position) -> Vec<(&Code, u16)> {
        let frames: Vec<_> = (0..position.depth(&self.model)).map(|d| position.frame(&self.model, d)).collect();
        let innermost = |i: usize| frames.iter().skip(i + 1).all(|later| frames.get(i).is_some_and(|f| f.0 != later.0));
        let kept = frames.iter().enumerate().filter(|(i, _)| innermost(*i));
        kept.filter_map(|(_, (code, pc))| Some((self.model.codes.get(code.i())?, *pc))).collect()
    }
}

/// The variables that a code at an instruction has given a value: its own, and single ones of the game.
fn named_by(model: &Model, code: &Code, pc: u16) -> Vec<VarId> {
    let begun = code.instrs.iter().take(usize::from(pc)).map(|i| &i.kind);
    let given = begun.filter(|kind| !matches!(kind, InstrKind::Reset(_))).flat_map(InstrKind::writes);
    let of_game = |var: &VarId| model.vars.get(var.i()).is_some_and(|v| v.owner == VarOwner::Game && v.index.is_none());
    let mut found = code.params.clone();
    found.extend(given.filter(|var| code.vars.contains(var) || of_game(var)));
    found
}
