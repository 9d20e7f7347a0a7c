//! Hooks as they are carried out: one for a holder, or for whoever has its ability.

use std::sync::Arc;

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

/// Hooks that are known by their places in a list.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub parts: Box<[Part]>,
    /// The groups of the parts: outside of the set of its group no hook applies.
    pub groups: Box<[Group]>,
}

/// A hook for holders one by one, at consecutive places of a list.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The first place.
    pub from: u32,
    /// The holders, to be put into the slot of the hook's group; without a group there is one place.
    pub holders: Arc<[i32]>,
    pub hook: Hook,
}

impl Listed {
    pub fn walk(&self, f: Visit) {
        self.parts.iter().for_each(|part| part.hook.walk(f));
        self.groups.iter().for_each(|group| group.walk(f));
    }

    /// How many places there are.
    pub fn len(&self) -> u32 {
        self.parts.last().map_or(0, |part| part.from + part.len())
    }

    /// The codes of the hooks.
    pub fn codes(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().map(|part| part.hook.code)
    }

    /// The slot for the holders of a part.
    pub fn slot(&self, part: &Part) -> Option<u16> {
        part.hook.group.and_then(|g| self.groups.get(g)).map(|group| group.slot)
    }

    /// The hook at a place, with its holder and the slot for it.
    pub fn at(&self, place: u32) -> Option<(&Hook, Option<(u16, i32)>)> {
        let last = self.parts.partition_point(|part| part.from <= place).checked_sub(1)?;
        let part = self.parts.get(last)?;
        match self.slot(part) {
            Some(slot) => Some((&part.hook, Some((slot, *part.holders.get((place - part.from) as usize)?)))),
            None => Some((&part.hook, None)),
        }
    }
}

impl Part {
    /// How many places it takes.
    pub fn len(&self) -> u32 {
        if self.hook.group.is_some() { self.holders.len() as u32 } else { 1 }
    }
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
