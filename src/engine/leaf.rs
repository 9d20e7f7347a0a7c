//! What a walk through lowered trees meets.

use super::place::Place;

/// What a walk through a tree meets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    /// A slot is read.
    Slot(u16),
    /// A set slot is read.
    SetSlot(u16),
    /// A slot is bound.
    Bind(u16),
    /// A set slot is bound.
    BindSet(u16),
    /// It depends on the position.
    Dynamic,
    /// It depends on these bytes: the first, and how many.
    Reads(u32, u32),
    /// It depends on a variable of one byte: where, its lowest value, how many values.
    Byte(u32, i32, u32),
    /// It goes through a set of which nothing is known.
    Loop,
    /// It goes through all members that the slot of the mask can be.
    Scan,
    /// It may fail.
    Risk,
    /// A shared tree: kind (0 number, 1 truth, 2 set) and place.
    Inst(u8, u32),
    /// The entries of a variable that have a value are looked for.
    Field(Place),
    /// Of a variable that is read next, and looked through, it matters only which entries are this number.
    FieldIs(Place, i32),
    /// The items of a row of bytes that there are any of are looked for.
    Row,
    /// Anything.
    Node,
    /// What follows belongs together, up to `Close`.
    Open(Group),
    /// The next alternative of a group.
    Next,
    Close,
}

/// How what belongs together is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// For each value that a slot can have.
    Each(u16),
    /// As a condition on all members of the set that a slot runs over.
    Mask(u16),
    /// For each member of the set of the innermost mask.
    Members,
    /// One of the alternatives.
    Either,
    /// After an effect.
    After,
}

impl Leaf {
    /// Whether it goes through a set, or runs an effect.
    pub fn loops(self) -> bool {
        matches!(self, Leaf::Loop | Leaf::Open(Group::Each(_) | Group::Members | Group::After))
    }
}

/// Is told what a walk meets.
pub(super) type Visit<'v> = &'v mut dyn FnMut(Leaf);
