//! Where the variables of a position are.

use crate::model::{Base, Model};

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// First byte of the first entry.
    pub at: u32,
    /// Bytes of an entry.
    pub width: u32,
    /// Entries.
    pub count: u32,
    /// The value that is stored as 1.
    pub lo: i32,
    /// How many values it has; of a list how many members it can hold.
    pub span: u64,
    /// Whether it can be nothing.
    pub optional: bool,
    /// Bytes of an item, of a list.
    pub item: u32,
    /// For a variable of a code that need not be active when it is written: the byte that counts active instances.
    pub active: Option<u32>,
    /// For a code that can be active several times: bytes of a level.
    pub level: u32,
    /// How many times it can be active.
    pub nested: u32,
}

impl Place {
    /// Its bytes, all levels together: the first, and how many.
    pub fn range(&self) -> (u32, u32) {
        (self.at, self.width * self.count * if self.level > 0 { self.nested.max(1) } else { 1 })
    }
}

/// Where the bags of a game are, all entries and levels.
pub(super) fn bags(model: &Model) -> Vec<(u32, u32)> {
    let bags = model.vars.iter().filter(|v| matches!(v.ty.base, Base::Bag(_))).map(|v| v.place);
    bags.map(|p| (p.offset, p.width * p.count * p.levels)).collect()
}
