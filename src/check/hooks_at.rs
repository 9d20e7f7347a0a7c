//! The hooks of a place in a procedure, written down as instructions.

use std::collections::BTreeMap;

use super::Checker;
use super::builder::Builder;
use super::expr::typed;
use crate::model::{
    self, AbilityId, Attached, Base, Bearer, CodeId, Domain, ExprKind, HookId, HookTime, InstrKind, KindId, Set, Target,
    Ty, Value,
};
use crate::span::Span;

/// A place where hooks attach: a procedure, its step, and when.
pub(super) type Place = (CodeId, Option<usize>, HookTime);

impl Checker {
    /// The hooks that replace a step, one for each holder.
    pub(super) fn replacing_at(&self, place: &Place) -> Vec<Attached> {
        let mut all = Vec::new();
        for hook in self.attached.get(place).map_or(&[][..], Vec::as_slice) {
            let clause = self.model.hooks[hook.i()].clause;
            all.extend(self.model.holders(clause).map(|holder| Attached::of(*hook, holder)));
        }
        all
    }

    /// Writes the hooks of a place in the order that the step gives; hooks without an order go side by side.
    pub(super) fn hooks_at(&mut self, b: &mut Builder, place: Place, order: &[u16], span: Span) {
        let mut groups: BTreeMap<usize, Vec<Attached>> = BTreeMap::new();
        for hook in self.attached.get(&place).cloned().unwrap_or_default() {
            self.attach(hook, order, &mut groups);
        }
        for group in groups.into_values() {
            if group.len() > 1 || group.iter().any(|a| a.bearer.is_some()) {
                b.push(InstrKind::Unranked(group.clone()), span);
            }
            for a in group {
                match a.bearer {
                    Some(Bearer::Each(of)) => self.for_each_bearer(b, a.hook, of, span),
                    _ => _ = b.push(InstrKind::Hook(a), span),
                }
            }
        }
    }

    /// Adds a hook to the groups of a place, by the order of its step: for each holder, or for those of a group that
    /// have its ability when its turn comes.
    fn attach(&mut self, hook: HookId, order: &[u16], groups: &mut BTreeMap<usize, Vec<Attached>>) {
        let clause = self.model.hooks[hook.i()].clause;
        let Some(ability) = self.model.clauses[clause.i()].ability else {
            groups.entry(0).or_default().push(Attached::of(hook, None));
            return;
        };
        let changes = !self.model.abilities[ability.i()].borne.is_empty();
        let mut bearers: BTreeMap<usize, Set> = BTreeMap::new();
        for holder in self.model.abilities[ability.i()].holders.clone() {
            let rank = self.rank(ability, holder, order);
            if changes {
                bearers.entry(rank).or_default().insert(usize::from(holder));
            } else {
                groups.entry(rank).or_default().push(Attached::of(hook, Some(holder)));
            }
        }
        for (rank, members) in bearers {
            let all = &mut self.model.hooks[hook.i()].bearers;
            groups.entry(rank).or_default().push(Attached::borne(hook, Bearer::Each(all.len() as u16)));
            all.push(members);
        }
    }

    // Rules without a holder come first, then the seats in their order.
    fn rank(&self, ability: AbilityId, holder: u16, order: &[u16]) -> usize {
        let kind = &self.model.kinds[self.model.abilities[ability.i()].kind.i()];
        let owner = kind.owner.and_then(|f| kind.fields.get(f)).and_then(|f| match &f.store {
            model::FieldStore::Printed(values) => values.get(holder as usize).and_then(model::Value::int),
            model::FieldStore::Var(_) => None,
        });
        owner.and_then(|o| order.iter().position(|s| i32::from(*s) == o)).map_or(0, |i| i + 1)
    }

    /// A hook, for each member of a set that has its ability.
    fn for_each_bearer(&mut self, b: &mut Builder, hook: HookId, of: u16, span: Span) {
        let clause = self.model.hooks[hook.i()].clause;
        let Some(ability) = self.model.clauses[clause.i()].ability else { return };
        let kind = self.model.abilities[ability.i()].kind;
        let members = self.model.hooks[hook.i()].bearers[usize::from(of)].clone();
        let base = Base::Member(kind);
        let set_ty = Ty::of(Base::Set(Box::new(base.clone())));
        let now = self.bearing_now(ability, kind, members, span);
        b.clear_stale(span);
        let rest = b.helper(self, set_ty, span);
        b.push(InstrKind::Set(Target { var: rest, index: None }, now), span);
        let into = b.helper(self, Ty::of(base), span);
        let start = b.here();
        let leave = b.push(InstrKind::Next { set: rest, into, end: 0 }, span);
        b.push(InstrKind::Hook(Attached::borne(hook, Bearer::In(into))), span);
        b.push(InstrKind::Jump(start), span);
        b.land(leave);
        b.stale.insert(into);
    }

    /// Those of some members that have an ability now.
    fn bearing_now(&self, ability: AbilityId, kind: KindId, members: Set, span: Span) -> model::Expr {
        let base = Base::Member(kind);
        let ty = Ty::of(Base::Set(Box::new(base.clone())));
        let member = typed(ExprKind::Local(0), Ty::of(base.clone()), span);
        let cond = self.has_now(ability, &member).map(Box::new);
        let set = Box::new(typed(ExprKind::Const(Value::Set(members)), ty.clone(), span));
        let domain = Domain { local: 0, set, of: base.clone(), cond };
        typed(ExprKind::Compr { domain, map: None, of: base }, ty, span)
    }
}
