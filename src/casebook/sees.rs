//! What a seat sees: `Dark sees Frodo`, `Dark does not see hand of Good`, `Dark does not see Frodo at`.

use super::complaint::{Complaint, complaint};
use super::expect::Bench;
use crate::facts::spelt;
use crate::model::{FieldStore, KindId, SeenWhat, VarId};
use crate::spelling::{fold, hint, nearest};

impl Bench<'_> {
    pub(super) fn sees(&self, seat: &str, wanted: bool, object: &str) -> Result<(), Complaint> {
        let seat = self.seat(seat)?;
        let text = fold(object);
        let entire = |rest: &str| rest.trim().is_empty();
        let (what, rest) = match text.split_once(" of ") {
            Some((var, index)) => (var, Some(index)),
            None => (text.as_str(), None),
        };
        let var = self.names.vars(what).find(|(_, r)| entire(r)).map(|v| v.0);
        let (what, index) = match (var, rest) {
            (Some(var), Some(index)) => {
                let kind = self.model().vars.get(var.i()).and_then(|v| v.index);
                let found = kind.and_then(|k| crate::facts::member_named(self.model(), self.names, k, index).ok());
                let (index, _) =
                    found.filter(|(_, rest)| entire(rest)).ok_or_else(|| format!("there is no `{object}`"))?;
                (SeenWhat::Var(var), index as u16)
            }
            (Some(var), None) if !self.names.members(&text).any(|(.., rest)| entire(rest)) => (SeenWhat::Var(var), 0),
            _ => match self.field(&text) {
                Some((var, member)) => (SeenWhat::Var(var), member),
                None => {
                    let (kind, member) = self.one_member(object)?;
                    (SeenWhat::Member(kind), member)
                }
            },
        };
        let sees = self.rules.explainer().sees(&self.position, what, usize::from(index), seat);
        match sees.map_err(|f| f.words(self.model()))? == wanted {
            true => Ok(()),
            false if wanted => Err(complaint!("{} does not see it", self.seat_name(seat))),
            false => Err(complaint!("{} sees it", self.seat_name(seat))),
        }
    }

    /// The field of a member that a text names as facts do: `Frodo at`.
    fn field(&self, text: &str) -> Option<(VarId, u16)> {
        self.names.members(text).find_map(|(kind, member, _, rest)| {
            let fields = &self.model().kinds.get(kind.i())?.fields;
            let var = fields.iter().find_map(|field| match field.store {
                FieldStore::Var(var) if spelt(self.model(), field).iter().any(|n| n == rest.trim()) => Some(var),
                _ => None,
            })?;
            Some((var, member))
        })
    }

    /// The member that a text names. Of several, in different kinds, the one that a `seen` clause is about.
    fn one_member(&self, object: &str) -> Result<(KindId, u16), Complaint> {
        let text = fold(object);
        let all = self.names.members(&text).filter(|(.., rest)| rest.trim().is_empty());
        let mut all: Vec<(KindId, u16)> = all.map(|(kind, member, ..)| (kind, member)).collect();
        all.sort_unstable();
        all.dedup();
        let model = self.model();
        let hidden = |kind: KindId| model.seen.iter().any(|s| s.what == SeenWhat::Member(kind));
        if all.len() > 1 && all.iter().any(|(kind, _)| hidden(*kind)) {
            all.retain(|(kind, _)| hidden(*kind));
        }
        match all.as_slice() {
            [] => {
                let near = nearest(object, self.names.known(None), 3);
                Err(complaint!("there is no `{object}`{}", hint(&near)))
            }
            [one] => Ok(*one),
            several => {
                let of = |(kind, member): &(KindId, u16)| {
                    let kind = model.kinds.get(kind.i())?;
                    Some(format!("the {} `{}`", kind.name, kind.members.get(usize::from(*member))?.id))
                };
                let several: Vec<String> = several.iter().filter_map(of).collect();
                Err(complaint!("`{object}` names {}: write the identifier of one", several.join(" and ")))
            }
        }
    }
}
