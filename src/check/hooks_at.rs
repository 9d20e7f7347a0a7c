//! The hooks of a place in a procedure, written down as instructions.

use std::collections::BTreeMap;

use super::Checker;
use super::builder::Builder;
use super::expr::typed;
use crate::model::{
    self, AbilityId, Attached, Base, Bearer, CodeId, Domain, ExprKind, HookId, HookTime, InstrKind, KindId, Set,
    Target, Ty, Value, VarId,
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

    /// Writes the hooks of a place in the order of some seats; hooks without an order go side by side.
    pub(super) fn hooks_by_seats(&mut self, b: &mut Builder, place: Place, order: &[u16], span: Span) {
        let mut groups: BTreeMap<usize, Vec<Attached>> = BTreeMap::new();
        for hook in self.attached.get(&place).cloned().unwrap_or_default() {
            self.attach(hook, order, &mut groups);
        }
        for group in groups.into_values() {
            if group.len() > 1 || group.iter().any(|a| a.bearer.is_some()) {
                b.push(InstrKind::Unranked(group.clone(), None), span);
            }
            let mut by_field: BTreeMap<VarId, Vec<(HookId, u16)>> = BTreeMap::new();
            for a in group {
                match (a.bearer, self.field_of(a.hook)) {
                    (Some(Bearer::Each(of)), Some(field)) => by_field.entry(field).or_default().push((a.hook, of)),
                    (Some(Bearer::Each(of)), None) => self.for_each_bearer(b, a.hook, of, span),
                    _ => _ = b.push(InstrKind::Hook(a), span),
                }
            }
            for (field, hooks) in by_field {
                self.for_each_by_field(b, field, &hooks, span);
            }
        }
    }

    /// The field that alone gives the ability of a hook, a single member at a time.
    fn field_of(&self, hook: HookId) -> Option<VarId> {
        let clause = self.model.hooks[hook.i()].clause;
        let ability = self.model.clauses[clause.i()].ability?;
        self.single_giver(ability).map(|(field, _)| field)
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
        let member = typed(ExprKind::Local(0), Ty::of(Base::Member(kind)), span);
        let now = those(members, kind, self.has_now(ability, &member), span);
        self.for_each_of(b, kind, now, span, |_, b, into, _| {
            b.push(InstrKind::Hook(Attached::borne(hook, Bearer::In(into))), span);
        });
    }

    /// Hooks of abilities that one field gives: for each member, those that its field asks for.
    fn for_each_by_field(&mut self, b: &mut Builder, field: VarId, hooks: &[(HookId, u16)], span: Span) {
        let Some(kind) = self.model.vars[field.i()].index else { return };
        let mut by_giver: BTreeMap<u16, Vec<HookId>> = BTreeMap::new();
        let mut members = Set::new();
        for (hook, of) in hooks {
            members = members.union(&self.model.hooks[hook.i()].bearers[usize::from(*of)]);
            let clause = self.model.hooks[hook.i()].clause;
            let ability = self.model.clauses[clause.i()].ability;
            let givers = ability.and_then(|ability| self.single_giver(ability)).map(|(_, givers)| givers.to_vec());
            givers.into_iter().flatten().for_each(|giver| by_giver.entry(giver).or_default().push(*hook));
        }
        let by_giver: Vec<(u16, Vec<HookId>)> = by_giver.into_iter().collect();
        let member = typed(ExprKind::Local(0), Ty::of(Base::Member(kind)), span);
        let now = those(members, kind, Some(self.holds_one(field, member, &by_giver)), span);
        self.for_each_of(b, kind, now, span, |c, b, into, start| c.by_giver(b, (field, into, start), &by_giver, span));
    }

    /// A loop over a set of members, and what is done with each; this knows where the loop begins.
    fn for_each_of(
        &mut self,
        b: &mut Builder,
        kind: KindId,
        set: model::Expr,
        span: Span,
        inside: impl FnOnce(&mut Checker, &mut Builder, VarId, u16),
    ) {
        b.clear_stale(span);
        let rest = b.helper(self, set.ty.clone(), span);
        b.push(InstrKind::Set(Target { var: rest, index: None }, set), span);
        let into = b.helper(self, Ty::of(Base::Member(kind)), span);
        let start = b.here();
        let leave = b.push(InstrKind::Next { set: rest, into, end: 0 }, span);
        inside(self, b, into, start);
        b.push(InstrKind::Jump(start), span);
        b.land(leave);
        b.stale.insert(into);
    }

    /// The hooks that the field of a member asks for, found by halves.
    fn by_giver(
        &mut self,
        b: &mut Builder,
        (field, into, start): (VarId, VarId, u16),
        all: &[(u16, Vec<HookId>)],
        span: Span,
    ) {
        let (lower, upper) = all.split_at(all.len() / 2);
        if lower.is_empty() {
            for hook in upper.iter().flat_map(|(_, hooks)| hooks) {
                b.push(InstrKind::Hook(Attached::borne(*hook, Bearer::In(into))), span);
            }
            return;
        }
        let ty = self.model.vars[into.i()].ty.clone();
        let member = typed(ExprKind::Var { var: into, index: None }, ty, span);
        let skip = b.push(InstrKind::Unless(self.holds_one(field, member, lower), 0), span);
        self.by_giver(b, (field, into, start), lower, span);
        b.push(InstrKind::Jump(start), span);
        b.land(skip);
        self.by_giver(b, (field, into, start), upper, span);
    }

    /// That the field of a member holds one of these.
    fn holds_one(&self, field: VarId, member: model::Expr, these: &[(u16, Vec<HookId>)]) -> model::Expr {
        let givers: Vec<u16> = these.iter().map(|(giver, _)| *giver).collect();
        let ty = self.model.vars[field.i()].ty.clone();
        let Base::Member(of) = ty.base else { return member };
        let span = member.span;
        let held = typed(ExprKind::Var { var: field, index: Some(Box::new(member)) }, ty, span);
        super::bearing::one_of(held, &givers, of)
    }
}

/// Those of some members for which a condition on local 0 holds.
fn those(members: Set, kind: KindId, cond: Option<model::Expr>, span: Span) -> model::Expr {
    let base = Base::Member(kind);
    let ty = Ty::of(Base::Set(Box::new(base.clone())));
    let set = Box::new(typed(ExprKind::Const(Value::Set(members)), ty.clone(), span));
    let domain = Domain { local: 0, set, of: base.clone(), cond: cond.map(Box::new) };
    typed(ExprKind::Compr { domain, map: None, of: base }, ty, span)
}
