//! The values of finite types: which there are, and the bits that stand for them in sets.

use std::ops::RangeInclusive;

use super::{Base, Model};

/// Largest bit that a set may have to hold.
const MAX_BIT: i64 = 65_535;

impl Base {
    /// The value that bit 0 of a set over the base stands for.
    #[must_use]
    pub fn lowest(&self) -> i32 {
        match self {
            Base::Range(lo, _) => *lo,
            _ => 0,
        }
    }

    /// The bit of a value in a set over the base; `None` if it cannot have one.
    #[must_use]
    pub fn bit(&self, value: i32) -> Option<usize> {
        let bit = i64::from(value) - i64::from(self.lowest());
        (0..=MAX_BIT).contains(&bit).then_some(bit as usize)
    }

    /// The value that a bit of a set over the base stands for.
    #[must_use]
    pub fn of_bit(&self, bit: usize) -> i32 {
        i32::try_from(bit).unwrap_or(i32::MAX).saturating_add(self.lowest())
    }
}

impl Model {
    /// The values of a base that is a truth, a range or a kind, in order; `None` for all others.
    #[must_use]
    pub fn values(&self, base: &Base) -> Option<RangeInclusive<i32>> {
        match base {
            Base::Bool => Some(0..=1),
            Base::Range(lo, hi) => Some(*lo..=*hi),
            Base::Member(kind) => {
                let n = self.kinds.get(kind.i()).map_or(0, |k| k.members.len());
                Some(0..=i32::try_from(n).unwrap_or(i32::MAX) - 1)
            }
            _ => None,
        }
    }
}
