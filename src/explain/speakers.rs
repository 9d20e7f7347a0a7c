//! Whom a clause is asked for: the holders of its ability that can have it now.

use std::sync::Arc;

use super::eval::{Eval, Res, fault};
use super::note::Notes;
use crate::game::{FaultDetail, FaultKind, RulesPart};
use crate::model::{Borne, ClauseId, Value, VarId};
use crate::span::Span;

/// The members whose field holds a member, for each member of that kind.
type Bearing = Arc<Vec<Vec<u16>>>;

/// What is known of fields that say who has an ability.
#[derive(Default)]
pub(super) struct BearingNow(Vec<(VarId, Bearing)>);

/// Those for whom a clause is asked, in order.
pub(super) enum Speakers<'a> {
    One(Option<Option<u16>>),
    All(std::slice::Iter<'a, u16>),
    These(std::vec::IntoIter<u16>),
}

impl Iterator for Speakers<'_> {
    type Item = Option<u16>;

    fn next(&mut self) -> Option<Option<u16>> {
        match self {
            Speakers::One(one) => one.take(),
            Speakers::All(all) => all.next().map(|h| Some(*h)),
            Speakers::These(these) => these.next().map(Some),
        }
    }
}

impl<'a, N: Notes> Eval<'a, N> {
    /// Those for whom a clause is asked: `None` where it is not an ability's. For others it does not apply: they do not
    /// have the ability, or a parameter is somebody else.
    pub fn speakers(&mut self, id: ClauseId) -> Res<Speakers<'a>> {
        let model = self.model;
        let clause = model
            .clause(id)
            .ok_or_else(|| fault(FaultKind::BadPosition, Span::default(), FaultDetail::Missing(RulesPart::Clause)))?;
        let Some(ability) = clause.ability.and_then(|a| model.abilities.get(a.i())) else {
            return Ok(Speakers::One(Some(None)));
        };
        if clause.unwritten > 0
            && let Some(param) = clause.holder_is()
        {
            let holder = self.local(param).int().and_then(|h| u16::try_from(h).ok());
            let holder = holder.filter(|h| ability.holders.binary_search(h).is_ok());
            return Ok(Speakers::One(holder.map(Some)));
        }
        self.bearers(id)
    }

    /// The same without regard to parameters.
    pub fn bearers(&mut self, id: ClauseId) -> Res<Speakers<'a>> {
        let model = self.model;
        let ability = model.clause(id).and_then(|c| c.ability).and_then(|a| model.abilities.get(a.i()));
        let Some(ability) = ability else { return Ok(Speakers::One(Some(None))) };
        // What is filled in as it is read, or not seen, is asked for one by one.
        if ability.borne.is_empty() || self.draft.is_some() || self.within.is_some() {
            return Ok(Speakers::All(ability.holders.iter()));
        }
        let mut found = ability.always.clone();
        for borne in &ability.borne {
            let bearing = self.bearing(borne)?;
            let those = borne.givers.iter().filter_map(|g| bearing.get(usize::from(*g)));
            those.for_each(|members| found.extend(members));
        }
        if ability.borne.len() + ability.always.len() > 1 || ability.borne.iter().any(|b| b.givers.len() > 1) {
            found.sort_unstable();
            found.dedup();
        }
        Ok(Speakers::These(found.into_iter()))
    }

    /// Who holds what in a field now.
    fn bearing(&mut self, borne: &Borne) -> Res<Bearing> {
        if let Some((_, known)) = self.bearing_now.0.iter().find(|(var, _)| *var == borne.var) {
            return Ok(Arc::clone(known));
        }
        let count = self.model.vars.get(borne.var.i()).map_or(0, |v| v.place.count as usize);
        let mut found: Vec<Vec<u16>> = Vec::new();
        let mut add = |giver: usize, member: usize| {
            if found.len() <= giver {
                found.resize_with(giver + 1, Vec::new);
            }
            if let Some(members) = found.get_mut(giver) {
                members.push(member as u16);
            }
        };
        for member in 0..count {
            match self.entry(borne.var, member)? {
                Value::Int(i) => add(usize::try_from(i).unwrap_or_default(), member),
                Value::Set(set) => set.iter().for_each(|giver| add(giver, member)),
                _ => {}
            }
        }
        let found = Arc::new(found);
        self.bearing_now.0.push((borne.var, Arc::clone(&found)));
        Ok(found)
    }
}
