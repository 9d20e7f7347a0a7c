//! Types and values.

use super::{KindId, Set};

/// What a value can be, leaving aside whether it may be nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Truth: 0 or 1.
    Bool,
    /// A number of 32 bits.
    Int,
    /// A number between two bounds, both included.
    Range(i32, i32),
    /// A member of a kind, by its place in the kind's order.
    Member(KindId),
    /// A printed text.
    Text,
    /// A set of values of a finite base (a member, a range, truth).
    Set(Box<Base>),
    /// Members in an order, each at most once: an ordered pile.
    List(KindId),
    /// The number of copies of each value of a finite base, up to [`MAX_COPIES`] of each. Only variables have it;
    /// expressions read them as the set of the values with at least one copy, or ask for a number of copies.
    Bag(Box<Base>),
    /// The type of `none` and of the empty set before it is known.
    Nothing,
}

/// The maximum number of copies of one value that a bag can hold.
pub const MAX_COPIES: u8 = u8::MAX;

/// The maximum number of values that a bag can be of.
pub const MAX_BAG_MEMBERS: u32 = 255;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// What it can be.
    pub base: Base,
    /// Whether it can be nothing.
    pub optional: bool,
}

impl Ty {
    /// A type that is always there.
    #[must_use]
    pub fn of(base: Base) -> Ty {
        Ty { base, optional: false }
    }

    /// The same type, but it may be nothing. Sets and truth values stay as they are: their nothing is the empty set, or
    /// no.
    #[must_use]
    pub fn maybe(self) -> Ty {
        let optional = !matches!(self.base, Base::Set(_) | Base::Bag(_) | Base::Bool);
        Ty { optional, ..self }
    }
}

/// A value as the explaining evaluator handles it: truths are 0 and 1, members their place in their kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    None,
    /// A truth, number or member.
    Int(i32),
    /// A set: bit `i` is member `i`, or the number `lo + i` of a range.
    Set(Set),
    /// An ordered pile, from the bottom to the top.
    List(Vec<u16>),
    /// A bag: the number of copies of member `i`, or of the number `lo + i` of a range; none beyond its end.
    Bag(Vec<u16>),
    /// A printed text.
    Text(String),
}

impl Value {
    /// A truth.
    #[must_use]
    pub fn bool(b: bool) -> Value {
        Value::Int(i32::from(b))
    }

    /// Whether it counts as yes: a number other than 0. Nothing is no.
    #[must_use]
    pub fn truth(&self) -> bool {
        matches!(self, Value::Int(i) if *i != 0)
    }

    /// The number, if it is one.
    #[must_use]
    pub fn int(&self) -> Option<i32> {
        match self {
            Value::Int(i) => Some(*i),
            _ => None,
        }
    }
}

/// What a bag holds, each copy by itself, in order.
pub(crate) fn bag_items<'v>(of: &Base, bag: &'v Value) -> impl Iterator<Item = i32> + use<'v> {
    let counts = if let Value::Bag(counts) = bag { counts.as_slice() } else { &[] };
    let lo = of.lowest();
    let each = move |(i, n): (usize, &u16)| std::iter::repeat_n(lo.saturating_add(i as i32), usize::from(*n));
    counts.iter().enumerate().flat_map(each)
}
