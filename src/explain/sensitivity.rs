//! How a verdict depends on the readings.

use super::Explainer;
use crate::game::{Choice, Cover, Position, Sensitivity, Verdict};
use crate::model::{Config, ConfigId};

/// Verdicts under some readings, the others in force or indifferent.
struct Leaf {
    /// The readings that were evaluated, with their alternatives.
    chosen: Vec<(ConfigId, i32)>,
    verdict: Verdict,
}

impl Explainer {
    /// The readings each of which makes the verdict another one by itself: its alternatives and the verdict under them.
    pub(super) fn alone(
        &self,
        position: &Position,
        seat: u16,
        choice: Choice,
        verdict: Verdict,
    ) -> Vec<(ConfigId, Vec<(i32, Verdict)>)> {
        if !self.model.config.iter().any(|c| c.is_reading()) {
            return Vec::new();
        }
        let (_, read) = self.verdict(position, seat, choice);
        let mut found = Vec::new();
        for (id, choices) in self.readings() {
            // Readings that were not evaluated decide nothing.
            if !read.blind && !read.options.contains(&id) {
                continue;
            }
            let current = self.current(id);
            let others = (0..choices).filter(|v| *v != current);
            let others = others.map(|v| (v, self.under(&[(id, v)]).verdict(position, seat, choice).0));
            let others: Vec<(i32, Verdict)> = others.filter(|(_, v)| *v != verdict).collect();
            if !others.is_empty() {
                found.push((id, others));
            }
        }
        found
    }

    /// The verdict under other readings: under all combinations of them, or, where more than `most` had to be judged
    /// for that, under each alternative by itself and each pair.
    #[must_use]
    pub fn sensitivity(&self, position: &Position, seat: u16, choice: Choice, most: usize) -> Sensitivity {
        let (verdict, _) = self.verdict(position, seat, choice);
        let mut leaves = Vec::new();
        let cover = if self.grow(position, (seat, choice, most), &mut Vec::new(), &mut leaves) {
            Cover::All
        } else {
            leaves = self.pairs(position, seat, choice);
            Cover::Pairs
        };
        let weight = |leaf: &Leaf| match cover {
            Cover::All => self.combinations(&leaf.chosen),
            Cover::Pairs => 1,
        };
        let combinations = leaves.iter().map(weight).fold(0, u64::saturating_add);
        let differing = leaves.iter().filter(|l| l.verdict != verdict).map(weight).fold(0, u64::saturating_add);
        Sensitivity {
            verdict,
            table: self.table(position, seat, choice),
            cover,
            combinations,
            differing,
            others: self.fewest(&leaves, verdict),
        }
    }

    /// The readings with how many alternatives they have.
    fn readings(&self) -> impl Iterator<Item = (ConfigId, i32)> + '_ {
        let all = self.model.config.iter().enumerate().filter(|(_, item)| item.is_reading());
        all.map(|(i, item)| (ConfigId(i as u16), item.choices.len() as i32))
    }

    fn current(&self, id: ConfigId) -> i32 {
        self.config.0.get(id.i()).copied().unwrap_or(0)
    }

    /// The same rules under some other alternatives.
    fn under(&self, chosen: &[(ConfigId, i32)]) -> Explainer {
        let mut config: Config = self.config.clone();
        for (id, value) in chosen {
            if let Some(place) = config.0.get_mut(id.i()) {
                *place = *value;
            }
        }
        self.other(config)
    }

    /// How many combinations have these alternatives.
    fn combinations(&self, chosen: &[(ConfigId, i32)]) -> u64 {
        let free = self.readings().filter(|(id, _)| !chosen.iter().any(|(c, _)| c == id));
        free.fold(1, |n: u64, (_, choices)| n.saturating_mul(u64::try_from(choices).unwrap_or(1)))
    }

    /// Judges under all combinations of the readings that are evaluated on the way; others decide nothing. `false` if
    /// there are too many.
    fn grow(
        &self,
        position: &Position,
        (seat, choice, most): (u16, Choice, usize),
        chosen: &mut Vec<(ConfigId, i32)>,
        leaves: &mut Vec<Leaf>,
    ) -> bool {
        if leaves.len() >= most {
            return false;
        }
        let (verdict, read) = self.under(chosen).verdict(position, seat, choice);
        let open = |id: &ConfigId| !chosen.iter().any(|(c, _)| c == id);
        let looked = |id: &ConfigId| read.blind || read.options.contains(id);
        let Some((id, choices)) = self.readings().find(|(id, _)| open(id) && looked(id)) else {
            leaves.push(Leaf { chosen: chosen.clone(), verdict });
            return true;
        };
        (0..choices).all(|value| {
            chosen.push((id, value));
            let all = self.grow(position, (seat, choice, most), chosen, leaves);
            chosen.pop();
            all
        })
    }

    /// Judges under the readings in force, under each other alternative and under each two of them.
    fn pairs(&self, position: &Position, seat: u16, choice: Choice) -> Vec<Leaf> {
        let others = |(id, choices): (ConfigId, i32)| {
            let current = self.current(id);
            (0..choices).filter(move |v| *v != current).map(move |v| (id, v))
        };
        let single: Vec<(ConfigId, i32)> = self.readings().flat_map(others).collect();
        let mut sets = vec![Vec::new()];
        for (i, one) in single.iter().enumerate() {
            sets.push(vec![*one]);
            let after = single.iter().skip(i + 1).filter(|other| other.0 != one.0);
            sets.extend(after.map(|other| vec![*one, *other]));
        }
        let judged = |chosen: Vec<(ConfigId, i32)>| {
            let verdict = self.under(&chosen).verdict(position, seat, choice).0;
            Leaf { chosen, verdict }
        };
        sets.into_iter().map(judged).collect()
    }

    fn table(&self, position: &Position, seat: u16, choice: Choice) -> Vec<(ConfigId, Vec<Verdict>)> {
        let row = |(id, choices): (ConfigId, i32)| {
            let verdicts = (0..choices).map(|v| self.under(&[(id, v)]).verdict(position, seat, choice).0);
            (id, verdicts.collect())
        };
        self.readings().map(row).collect()
    }

    /// Of what makes the verdict another one, the sets of alternatives that contain no smaller one, the smallest first.
    fn fewest(&self, leaves: &[Leaf], verdict: Verdict) -> Vec<(Vec<(ConfigId, i32)>, Verdict)> {
        let other = |(id, value): &&(ConfigId, i32)| self.current(*id) != *value;
        let differing = leaves.iter().filter(|l| l.verdict != verdict);
        let mut sets: Vec<(Vec<(ConfigId, i32)>, Verdict)> =
            differing.map(|l| (l.chosen.iter().filter(other).copied().collect(), l.verdict)).collect();
        sets.sort_by_key(|(set, _)| (set.len(), set.clone()));
        let mut kept: Vec<(Vec<(ConfigId, i32)>, Verdict)> = Vec::new();
        for (set, verdict) in sets {
            let known = |(few, same): &(Vec<_>, Verdict)| *same == verdict && few.iter().all(|one| set.contains(one));
            if !kept.iter().any(known) {
                kept.push((set, verdict));
            }
        }
        kept
    }
}
