//! Numbers and sets while a function is built.

use std::sync::Arc;

use cranelift_codegen::ir::Value;

use crate::engine::bits::{Bits, Narrow};
use crate::engine::ir::NONE;

/// A number, or nothing.
///
/// Its description decides whether an address computed from it is tested:
/// [`Build::offset`](super::build::Build::offset) leaves the test out if the number is `sure`, not `maybe`, and within
/// bounds. So `sure` is set only where a proof stands beside it that holds whatever bytes a position has, and also
/// where something failed on the way: a failure is only noted, and what follows it is computed all the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int {
    /// 32 bits.
    pub v: Value,
    pub form: Form,
    /// Bounds of the number, where there is one.
    pub lo: i64,
    pub hi: i64,
    /// Whether it can be nothing.
    pub maybe: bool,
    /// Whether the bounds and `maybe` hold whatever bytes a position has and whatever failed before.
    pub sure: bool,
}

/// How a number is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is; nothing is [`NONE`].
    Plain,
    /// As it is stored: the number less this; nothing is 0.
    Stored(i32),
}

impl Int {
    /// A number that is certainly there: a proof stands where this is called.
    pub fn plain(v: Value, lo: i64, hi: i64) -> Int {
        Int { v, form: Form::Plain, lo, hi, maybe: false, sure: true }
    }

    /// The number, if it is known beforehand.
    pub fn known(&self) -> Option<i32> {
        (self.sure && !self.maybe && self.form == Form::Plain && self.lo == self.hi).then_some(self.lo as i32)
    }

    /// A number of which nothing is known.
    pub fn any(v: Value) -> Int {
        // Proof: all that 32 bits can be.
        Int { v, form: Form::Plain, lo: i64::from(NONE) + 1, hi: i64::from(i32::MAX), maybe: true, sure: true }
    }
}

/// A set.
///
/// One that is in memory is there until the next instruction of the rules, or to the end of the condition or number it
/// is part of ([`Build::scoped`](super::build::Build::scoped)). What is computed in a loop again is in the same place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bitset {
    /// Its bits, or the address where they are.
    pub v: Value,
    pub width: Width,
    /// Bits that it can have, whatever bytes a position has and whatever failed before.
    pub bound: Bound,
}

impl Bitset {
    /// The highest bit it can have.
    pub fn top(&self) -> u32 {
        self.bound.top()
    }
}

/// A set looked up: the table, and with which index.
#[derive(Clone, Debug)]
pub(super) struct LookedUp {
    pub table: Arc<[u64]>,
    pub index: Value,
}

/// How a set is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Width {
    /// 64 bits.
    Word,
    /// 128 bits.
    Pair,
    /// In memory, so many times 128 bits.
    Parts(u32),
}

impl Width {
    /// So many times 128 bits, at least.
    pub fn parts(self) -> u32 {
        match self {
            Width::Word | Width::Pair => 1,
            Width::Parts(parts) => parts,
        }
    }

    /// The bytes of a set that is held so.
    pub fn bytes(self) -> usize {
        match self {
            Width::Word => 8,
            width => 16 * width.parts() as usize,
        }
    }

    pub fn in_memory(self) -> bool {
        matches!(self, Width::Parts(_))
    }
}

/// The bits that a set can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// These.
    Few(Narrow),
    /// The first so many, more than 128.
    First(u32),
}

impl Bound {
    pub const NONE: Bound = Bound::Few(0);

    /// The first `n`.
    pub fn below(n: u64) -> Bound {
        match n {
            0..128 => Bound::Few((1 << n) - 1),
            128 => Bound::Few(Narrow::MAX),
            n => Bound::First(u32::try_from(n).unwrap_or(u32::MAX)),
        }
    }

    /// Those of some sets.
    pub fn of<'s>(sets: impl IntoIterator<Item = &'s Bits>) -> Bound {
        let one = |set: &Bits| match set.top() {
            Some(top @ 128..) => Bound::First(top + 1),
            _ => Bound::Few(set.narrow()),
        };
        sets.into_iter().fold(Bound::NONE, |all, set| all.or(one(set)))
    }

    /// How many they are up to the highest.
    fn first(self) -> u32 {
        match self {
            Bound::Few(bits) => Narrow::BITS - bits.leading_zeros(),
            Bound::First(n) => n,
        }
    }

    pub fn or(self, other: Bound) -> Bound {
        match (self, other) {
            (Bound::Few(a), Bound::Few(b)) => Bound::Few(a | b),
            _ => Bound::First(self.first().max(other.first())),
        }
    }

    pub fn and(self, other: Bound) -> Bound {
        match (self, other) {
            (Bound::Few(a), Bound::Few(b)) => Bound::Few(a & b),
            (Bound::Few(few), Bound::First(_)) | (Bound::First(_), Bound::Few(few)) => Bound::Few(few),
            (Bound::First(a), Bound::First(b)) => Bound::First(a.min(b)),
        }
    }

    /// Whether all of them are among others.
    pub fn is_within(self, other: Bound) -> bool {
        match (self, other) {
            (Bound::Few(a), Bound::Few(b)) => a & !b == 0,
            _ => self.first() <= other.first() && matches!(other, Bound::First(_)),
        }
    }

    /// The highest; 0 of none.
    pub fn top(self) -> u32 {
        self.first().saturating_sub(1)
    }

    /// The lowest; 0 if that is not known.
    pub fn least(self) -> u32 {
        match self {
            Bound::Few(bits) => bits.trailing_zeros().min(Narrow::BITS - 1),
            Bound::First(_) => 0,
        }
    }

    /// How many.
    pub fn count(self) -> u32 {
        match self {
            Bound::Few(bits) => bits.count_ones(),
            Bound::First(n) => n,
        }
    }

    /// How a set of them is held.
    pub fn width(self) -> Width {
        match self {
            Bound::Few(bits) if bits >> 64 == 0 => Width::Word,
            Bound::Few(_) => Width::Pair,
            Bound::First(n) => Width::Parts(n.div_ceil(Narrow::BITS)),
        }
    }

    /// All that a set held so can have.
    pub fn all(width: Width) -> Bound {
        match width {
            Width::Word => Bound::Few(u64::MAX.into()),
            Width::Pair => Bound::Few(Narrow::MAX),
            Width::Parts(parts) => Bound::below(u64::from(parts * Narrow::BITS)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_joined() {
        let (few, first) = (Bound::Few(0b1100), Bound::below(300));
        assert_eq!((few.top(), few.least(), few.count(), few.width()), (3, 2, 2, Width::Word));
        assert_eq!((first.top(), first.least(), first.count(), first.width()), (299, 0, 300, Width::Parts(3)));
        assert_eq!(Bound::below(128), Bound::Few(Narrow::MAX));
        assert_eq!((few.or(first), few.and(first)), (first, few));
        assert_eq!((first.or(Bound::below(200)), first.and(Bound::below(200))), (first, Bound::below(200)));
        assert!(few.is_within(first) && !first.is_within(few) && first.is_within(first));
        assert!(!Bound::below(301).is_within(first) && Bound::NONE.is_within(few));
        assert_eq!(Bound::of(&[[3u32].into_iter().collect(), Bits::one(300)]), Bound::below(301));
    }
}
