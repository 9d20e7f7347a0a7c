//! Partial positions, and evaluation on them.
//!
//! If an evaluation needs something that is open, it stops and says what; the search then settles it one way and
//! another. So entries that are never needed have no value, and an answer at a partial position holds for all positions
//! that match it.

mod domain;
mod eval;
mod opaque;

use std::collections::BTreeMap;

pub use domain::Domain;
pub(super) use eval::Draft;

use crate::model::{Base, CodeId, ConfigId, Model, Ty, VarId, VarOwner, any_legal, scalar_span};

/// What may be open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entry {
    /// An argument of what is asked.
    Arg(u16),
    /// An option or reading.
    Config(ConfigId),
    /// Whether a procedure is active.
    On(CodeId),
    /// A variable's entry that is a number, a member or a truth.
    Cell(VarId, u32),
    /// Of a set or pile whether this bit is in, of a bag how many there are of it.
    Item(VarId, u32, u32),
    /// Whether an action is to be chosen: 0 if not, 1 if one is to be but none is legal, 2 if some are.
    AnyLegal,
    /// What something bigger comes to that is not looked into.
    Whole(String),
}

/// A position of which only a part is settled.
#[derive(Clone, Debug, Default)]
pub struct Partial {
    /// What entries may still be, where that is less than their type allows.
    known: BTreeMap<Entry, Domain>,
    /// Definitions, counts and the like are not looked into: each may come to anything, the same ones to the same. What
    /// never holds then never holds at all.
    pub opaque: bool,
}

impl Partial {
    /// What an entry may be, where it was narrowed.
    #[must_use]
    pub fn known(&self, entry: &Entry) -> Option<&Domain> {
        self.known.get(entry)
    }

    /// Whether an action is legal, where one is to be chosen, as far as that is known.
    #[must_use]
    pub fn any_legal(&self) -> Option<bool> {
        any_legal(self.known(&Entry::AnyLegal).and_then(Domain::single).flatten())
    }

    /// All that was narrowed, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&Entry, &Domain)> {
        self.known.iter()
    }

    /// Narrows an entry.
    pub fn settle(&mut self, entry: Entry, domain: Domain) {
        self.known.insert(entry, domain);
    }

    /// Leaves an entry open again.
    pub fn forget(&mut self, entry: &Entry) {
        self.known.remove(entry);
    }
}

/// Where an evaluation stopped: at something open that it needs.
#[derive(Clone, Debug)]
pub struct Split {
    /// What is open.
    pub entry: Entry,
    /// What it may be.
    pub domain: Domain,
    /// The parts that make a difference, the one that is asked after first; empty: each value by itself does.
    pub parts: Vec<Domain>,
}

/// The answers at a partial position.
#[derive(Clone, Debug)]
pub enum Outlook {
    /// It holds, whatever the rest is.
    Yes,
    /// It does not.
    No,
    /// It depends on something open.
    Open(Split),
    /// The rules have another fault there.
    Fault,
    /// It needs something that a partial position cannot decide: what an action would lead to, the order of a pile.
    Beyond,
}

/// The values of a type that is a number, a member or a truth.
#[must_use]
pub fn domain_of(ty: &Ty, model: &Model) -> Option<Domain> {
    if matches!(ty.base, Base::Set(_) | Base::Bag(_) | Base::List(_) | Base::Text) {
        return None;
    }
    let (lo, n) = scalar_span(&ty.base, &model.kinds);
    let hi = lo + i64::try_from(n).unwrap_or(0) - 1;
    Some(Domain::new(lo as i32, hi.min(i64::from(i32::MAX)) as i32, ty.optional))
}

/// What an entry may be where nothing is known of it.
#[must_use]
pub fn full(entry: &Entry, model: &Model) -> Domain {
    match entry {
        Entry::Config(id) => {
            let ty = model.config.get(id.i()).map(|c| &c.ty);
            ty.and_then(|ty| domain_of(ty, model)).unwrap_or_else(Domain::truth)
        }
        Entry::Cell(var, _) => {
            let var = model.vars.get(var.i());
            // How often a limit was used is asked only as a truth.
            let limit = var.is_some_and(|v| v.owner == VarOwner::Limit);
            let domain = var.filter(|_| !limit).and_then(|v| domain_of(&v.ty, model));
            domain.unwrap_or_else(Domain::truth)
        }
        Entry::Item(var, ..) => match model.vars.get(var.i()).map(|v| &v.ty.base) {
            Some(Base::Bag(_)) => Domain::new(0, i32::from(crate::model::MAX_COPIES), false),
            _ => Domain::truth(),
        },
        Entry::AnyLegal => Domain::new(0, 2, false),
        Entry::On(_) | Entry::Arg(_) | Entry::Whole(_) => Domain::truth(),
    }
}
