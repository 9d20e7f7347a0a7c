//! Hooks as they are carried out: one for a holder, or for whoever has its ability.

use super::ir::{Cond, Num, SetE};
use super::leaf::{Leaf, Visit};
use super::place::Place;

/// A hook: when it applies, what it uses up, what it runs.
#[derive(Clone, Debug)]
pub(super) struct Hook {
    pub applies: Cond,
    pub limit: Option<(Place, Num)>,
    pub code: usize,
    pub holder: Option<Num>,
    /// If it is for whoever has its ability: the group, whose slot its condition and holder are about.
    pub group: Option<usize>,
}

/// Those for whom hooks of one place apply.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The slot of the one that is asked about.
    pub slot: u16,
    /// Everyone for whom one applies.
    pub set: SetE,
    /// How many do, to be added up.
    pub counts: Box<[Num]>,
}

impl Hook {
    pub fn walk(&self, f: Visit) {
        // What those of a group ask is in the group.
        if self.group.is_none() {
            self.applies.walk(f);
            self.holder.iter().for_each(|n| n.walk(f));
        }
    }
}

impl Group {
    pub fn walk(&self, f: Visit) {
        f(Leaf::Bind(self.slot));
        self.set.walk(f);
        self.counts.iter().for_each(|n| n.walk(f));
    }
}
