//! Whether a seat can tell two positions apart that differ in little.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Explainer;
use super::observer::Sightings;
use super::view::{ShownAs, ViewBuilder};
use crate::game::{Position, UnknownMember};
use crate::model::{FieldStore, Kind, KindId, SeenWhat, VarId};

/// Two positions, as one seat looks at them. It sees the same entries, and knows the same members, in both.
struct Pair<'a> {
    rules: &'a Explainer,
    views: [ViewBuilder<'a>; 2],
}

impl Explainer {
    /// Whether the views of a seat are equal at two positions, options left out. They differ only in these variables,
    /// and are at the same place of the same procedures; what the seat sees of them, `found`, holds at both. Only
    /// entries that differ and that it sees are looked at: the others look alike.
    #[must_use]
    pub fn looks_alike(
        &self,
        (one, other): (&Position, &Position),
        seat: u16,
        differ: &BTreeSet<VarId>,
        found: &Sightings<'_>,
    ) -> bool {
        let view = |position| ViewBuilder::new(self, position, Some(seat), None, found);
        let pair = Pair { rules: self, views: [view(one), view(other)] };
        let differ: BTreeSet<VarId> =
            differ.iter().copied().filter(|var| !pair.agrees(*var, 0..pair.count(*var))).collect();
        let mut kinds = self.model.kinds.iter().enumerate();
        differ.iter().all(|var| pair.variable_alike(*var))
            && kinds.all(|(k, kind)| pair.fields_alike(KindId(k as u16), kind, &differ))
    }
}

impl Pair<'_> {
    /// Whether these entries are the same in both.
    fn agrees(&self, var: VarId, entries: Range<usize>) -> bool {
        let [one, other] = &self.views;
        one.position.agrees(other.position, &self.rules.model, var, entries)
    }

    fn variable_alike(&self, var: VarId) -> bool {
        let [one, other] = &self.views;
        match (one.shown_as(var), other.shown_as(var)) {
            (None, None) => true,
            (Some(ShownAs::Variable), Some(ShownAs::Variable)) => {
                self.entries_alike(var, |view, entry| view.variable(var, entry))
            }
            (Some(ShownAs::Pile), Some(ShownAs::Pile)) => self.entries_alike(var, |view, entry| view.pile(var, entry)),
            // Something is secret here and not there. It is not seen either way if no entry is.
            _ => !(0..self.count(var)).any(|entry| one.variable(var, entry).is_some()),
        }
    }

    fn count(&self, var: VarId) -> usize {
        self.rules.model.vars.get(var.i()).map_or(0, |v| v.place.count as usize)
    }

    /// Whether what is shown of the entries that differ is the same: in place for known members, else in any order.
    fn entries_alike<T: Ord>(&self, var: VarId, shown: impl Fn(&ViewBuilder<'_>, usize) -> Option<T>) -> bool {
        let Some(v) = self.rules.model.vars.get(var.i()) else { return true };
        let mut hidden = [Vec::new(), Vec::new()];
        for entry in (0..self.count(var)).filter(|entry| !self.agrees(var, *entry..entry + 1)) {
            let [one, other] = self.views.each_ref().map(|view| shown(view, entry));
            match v.index.is_none_or(|kind| self.views[0].knows(kind, entry)) {
                true if one != other => return false,
                true => {}
                false => {
                    hidden[0].extend(one);
                    hidden[1].extend(other);
                }
            }
        }
        same_in_any_order(hidden)
    }

    fn fields_alike(&self, kind: KindId, of: &Kind, differ: &BTreeSet<VarId>) -> bool {
        let field = |store: &FieldStore| match store {
            FieldStore::Var(var) if differ.contains(var) => Some(*var),
            _ => None,
        };
        let fields: Vec<VarId> = of.fields.iter().filter_map(|f| field(&f.store)).collect();
        let members = if fields.is_empty() { 0 } else { of.members.len() };
        // Nothing is shown of what the seat does not see.
        let shows = |var: VarId, i: usize| self.views[0].sees(SeenWhat::Var(var), i) && !self.agrees(var, i..i + 1);
        let mut hidden = [Vec::new(), Vec::new()];
        for i in (0..members).filter(|i| fields.iter().any(|var| shows(*var, *i))) {
            let [one, other] = self.views.each_ref().map(|view| view.fields(kind, i));
            match self.views[0].knows(kind, i) {
                true if one != other => return false,
                true => {}
                false => {
                    let owner = self.views[0].owner(kind, i);
                    hidden[0].push(UnknownMember { owner, fields: one });
                    hidden[1].push(UnknownMember { owner, fields: other });
                }
            }
        }
        same_in_any_order(hidden)
    }
}

fn same_in_any_order<T: Ord>(mut these: [Vec<T>; 2]) -> bool {
    these.iter_mut().for_each(|these| these.sort());
    these[0] == these[1]
}
