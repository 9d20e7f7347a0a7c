//! Where the variables of a position are.

use crate::model::{Base, Model, scalar_span};

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
    /// Whether its entries are single numbers, and not bags, lists or sets, and no other variable has its bytes.
    pub single: bool,
    /// Whether it always has a value: see [`Model::always_there`].
    pub always: bool,
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

/// Entries of single numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Singles {
    /// First byte of the first entry.
    pub at: u32,
    /// Bytes of an entry.
    pub width: u32,
    /// Entries, all levels together.
    pub count: u32,
    /// What can be stored: the least and the greatest; nothing is 0.
    pub least: u32,
    pub most: u32,
}

/// For each variable whether its entries are single numbers and no other variable has its bytes, as variables of
/// procedures can have that never run at the same time.
pub(super) fn single(model: &Model) -> Vec<bool> {
    let place = |i: usize| model.vars.get(i).map(|v| v.place).unwrap_or_default();
    let mut order: Vec<usize> = (0..model.vars.len()).filter(|i| place(*i).bytes() > 0).collect();
    order.sort_unstable_by_key(|i| place(*i).offset);
    let mut single: Vec<bool> = model.vars.iter().map(|v| v.ty.base.is_single()).collect();
    let mut last: Option<(usize, u32)> = None;
    for i in order {
        let (p, mut end) = (place(i), place(i).offset + place(i).bytes());
        if let Some((before, before_end)) = last.filter(|(_, end)| p.offset < *end) {
            for shared in [i, before] {
                single.get_mut(shared).into_iter().for_each(|s| *s = false);
            }
            end = end.max(before_end);
        }
        last = Some((i, end));
    }
    single
}

/// Where the single numbers of a game are.
pub(super) fn singles(model: &Model) -> Vec<Singles> {
    let all = model.vars.iter().zip(single(model)).zip(model.always_there()).filter(|((_, single), _)| *single);
    let singles = all.map(|((v, _), always)| {
        let (_, span) = scalar_span(&v.ty.base, &model.kinds);
        let (p, most) = (v.place, u32::try_from(span).unwrap_or(u32::MAX));
        Singles { at: p.offset, width: p.width, count: p.count * p.levels, least: always.into(), most }
    });
    singles.collect()
}

/// Where the bags of a game are, all entries and levels.
pub(super) fn bags(model: &Model) -> Vec<(u32, u32)> {
    let bags = model.vars.iter().filter(|v| matches!(v.ty.base, Base::Bag(_))).map(|v| v.place);
    bags.map(|p| (p.offset, p.width * p.count * p.levels)).collect()
}
