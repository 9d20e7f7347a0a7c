//! The hooks of a place in a procedure, written down as instructions.

use std::collections::BTreeMap;

use super::Checker;
use super::builder::Builder;
use crate::model::{self, AbilityId, Attached, CodeId, HookId, HookTime, Set};
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
            b.side_by_side(&group, None, span);
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
            groups.entry(rank).or_default().push(Attached::borne(hook, all.len() as u16));
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
}
