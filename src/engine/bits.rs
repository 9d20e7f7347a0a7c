//! Sets of up to 256 members as bits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// Half of a set, which is all of one that machine code handles: up to 128 members.
pub(super) type Narrow = u128;

/// Members that a set can have in machine code.
pub(super) const NARROW: usize = Narrow::BITS as usize;

/// Members a set can have here; rules with more are left to the explaining evaluator.
pub(super) const MAX_BITS: usize = 2 * NARROW;

/// A set: bit `i` stands for the i-th member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Bits {
    low: Narrow,
    high: Narrow,
}

impl Bits {
    pub const NONE: Bits = Bits { low: 0, high: 0 };
    pub const ALL: Bits = Bits { low: Narrow::MAX, high: Narrow::MAX };

    /// The set of one member; of none that a set can have it is empty.
    #[inline]
    pub fn one(i: u32) -> Bits {
        match i {
            0..128 => Bits { low: 1 << i, high: 0 },
            128..256 => Bits { low: 0, high: 1 << (i - 128) },
            _ => Bits::NONE,
        }
    }

    /// The first `n`.
    #[inline]
    pub fn below(n: usize) -> Bits {
        let half = |n: usize| if n >= NARROW { Narrow::MAX } else { (1 << n) - 1 };
        Bits { low: half(n), high: half(n.saturating_sub(NARROW)) }
    }

    /// A set as it is stored, little-endian.
    #[inline]
    pub fn from_bytes(bytes: &[u8]) -> Bits {
        let half = |b: &[u8]| b.iter().rev().fold(0, |n, b| n << 8 | Narrow::from(*b));
        match bytes.split_at_checked(NARROW / 8) {
            Some((low, high)) => Bits { low: half(low), high: half(high) },
            None => Bits { low: half(bytes), high: 0 },
        }
    }

    /// As it is stored, in as many bytes as there are; `false`: it does not fit.
    #[inline]
    pub fn to_bytes(self, bytes: &mut [u8]) -> bool {
        let fits = bytes.len() >= MAX_BITS / 8 || (self & !Bits::below(8 * bytes.len())).is_empty();
        let all = self.low.to_le_bytes().into_iter().chain(self.high.to_le_bytes());
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        fits
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.low | self.high == 0
    }

    #[inline]
    pub fn has(self, i: u32) -> bool {
        match i {
            0..128 => self.low >> i & 1 == 1,
            128..256 => self.high >> (i - 128) & 1 == 1,
            _ => false,
        }
    }

    /// How many.
    #[inline]
    pub fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    /// The lowest; of the empty set 256.
    #[inline]
    pub fn first(self) -> u32 {
        if self.low != 0 { self.low.trailing_zeros() } else { 128 + self.high.trailing_zeros() }
    }

    /// All but the lowest.
    #[inline]
    pub fn rest(self) -> Bits {
        match self.low {
            0 => Bits { low: 0, high: self.high & self.high.wrapping_sub(1) },
            low => Bits { low: low & (low - 1), high: self.high },
        }
    }

    /// Those below 128.
    #[inline]
    pub fn narrow(self) -> Narrow {
        self.low
    }

    /// Whether there are some from 128 on.
    pub fn is_wide(self) -> bool {
        self.high != 0
    }

    /// Adds eight, from number `at` on, which is one of each eighth.
    #[inline]
    pub fn add_eight(&mut self, at: usize, eight: u8) {
        match at {
            0..128 => self.low |= Narrow::from(eight) << at,
            128..256 => self.high |= Narrow::from(eight) << (at - 128),
            _ => {}
        }
    }
}

impl From<Narrow> for Bits {
    fn from(low: Narrow) -> Bits {
        Bits { low, high: 0 }
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(items: I) -> Bits {
        items.into_iter().fold(Bits::NONE, |set, i| set | Bits::one(i))
    }
}

impl BitOr for Bits {
    type Output = Bits;
    #[inline]
    fn bitor(self, other: Bits) -> Bits {
        Bits { low: self.low | other.low, high: self.high | other.high }
    }
}

impl BitAnd for Bits {
    type Output = Bits;
    #[inline]
    fn bitand(self, other: Bits) -> Bits {
        Bits { low: self.low & other.low, high: self.high & other.high }
    }
}

impl Not for Bits {
    type Output = Bits;
    #[inline]
    fn not(self) -> Bits {
        Bits { low: !self.low, high: !self.high }
    }
}

impl BitOrAssign for Bits {
    #[inline]
    fn bitor_assign(&mut self, other: Bits) {
        *self = *self | other;
    }
}

impl BitAndAssign for Bits {
    #[inline]
    fn bitand_assign(&mut self, other: Bits) {
        *self = *self & other;
    }
}

/// The members of a set, lowest first.
#[inline]
pub(super) fn each(bits: Bits, mut f: impl FnMut(u32)) {
    each_narrow(bits.low, &mut f);
    each_narrow(bits.high, |i| f(NARROW as u32 + i));
}

/// The same of half a set.
#[inline]
pub(super) fn each_narrow(mut bits: Narrow, mut f: impl FnMut(u32)) {
    while bits != 0 {
        let b = bits.trailing_zeros();
        bits &= bits - 1;
        f(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_set_is_a_set() {
        let items = [0, 1, 63, 64, 127, 128, 129, 200, 255];
        let set: Bits = items.into_iter().collect();
        let mut found = Vec::new();
        each(set, |i| found.push(i));
        assert_eq!(found, items);
        assert_eq!(set.count() as usize, items.len());
        assert!((0..300).all(|i| set.has(i) == items.contains(&i)));
        assert!(set.is_wide() && !Bits::below(128).is_wide());
        assert!((set & !set).is_empty() && (set | !set) == Bits::ALL);
        let (mut left, mut firsts) = (set, Vec::new());
        while !left.is_empty() {
            firsts.push(left.first());
            left = left.rest();
        }
        assert_eq!(firsts, items);
        assert_eq!(Bits::NONE.first(), 256);
    }

    #[test]
    fn the_first_so_many() {
        for n in [0, 1, 127, 128, 129, 255, 256] {
            assert_eq!(Bits::below(n), (0..n as u32).collect(), "{n}");
        }
    }

    #[test]
    fn stored_and_read() {
        let set: Bits = [0, 9, 130, 255].into_iter().collect();
        let mut bytes = [0u8; 32];
        assert!(set.to_bytes(&mut bytes));
        assert_eq!(Bits::from_bytes(&bytes), set);
        assert!(!set.to_bytes(&mut bytes[..17]));
        assert_eq!(Bits::from_bytes(&bytes[..17]), [0, 9, 130].into_iter().collect());
        let mut two = Bits::NONE;
        two.add_eight(8, 2);
        two.add_eight(248, 128);
        assert_eq!(two, [9, 255].into_iter().collect());
    }
}
