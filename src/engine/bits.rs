//! Sets of members as bits: up to 256 inline, any number.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, SubAssign};
use std::sync::Arc;

/// A part of a set: 128 members.
pub(super) type Narrow = u128;

/// Members of a part.
pub(super) const NARROW: usize = Narrow::BITS as usize;

/// Members that need no memory of their own.
const INLINE: u32 = 2 * Narrow::BITS;

/// A set: bit `i` stands for the i-th member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Bits {
    low: Narrow,
    high: Narrow,
    /// The members from 256 on; it never ends in an empty part, so that equal sets are equal values.
    more: Option<Arc<[Narrow]>>,
}

impl Bits {
    pub const NONE: Bits = Bits { low: 0, high: 0, more: None };

    /// The set of one member.
    #[inline]
    pub fn one(i: u32) -> Bits {
        match i {
            0..128 => Bits { low: 1 << i, high: 0, more: None },
            128..256 => Bits { low: 0, high: 1 << (i - 128), more: None },
            _ => std::iter::once(i).collect(),
        }
    }

    /// The first `n`.
    pub fn below(n: usize) -> Bits {
        let part = |n: usize| if n >= NARROW { Narrow::MAX } else { (1 << n) - 1 };
        let more = (2..n.div_ceil(NARROW)).map(|i| part(n - i * NARROW)).collect();
        Bits { low: part(n), high: part(n.saturating_sub(NARROW)), more: None }.with(more)
    }

    /// The set with these parts from 256 on.
    fn with(self, mut more: Vec<Narrow>) -> Bits {
        while more.last() == Some(&0) {
            more.pop();
        }
        Bits { more: (!more.is_empty()).then(|| more.into()), ..self }
    }

    /// A set as it is stored, little-endian.
    #[inline]
    pub fn from_bytes(bytes: &[u8]) -> Bits {
        let part = |b: &[u8]| b.iter().rev().fold(0, |n, b| n << 8 | Narrow::from(*b));
        let Some((low, rest)) = bytes.split_at_checked(NARROW / 8) else {
            return Bits { low: part(bytes), high: 0, more: None };
        };
        let Some((high, rest)) = rest.split_at_checked(NARROW / 8) else {
            return Bits { low: part(low), high: part(rest), more: None };
        };
        let set = Bits { low: part(low), high: part(high), more: None };
        if rest.is_empty() { set } else { set.with(rest.chunks(NARROW / 8).map(part).collect()) }
    }

    /// As it is stored, in as many bytes as there are; `false`: it does not fit.
    #[inline]
    pub fn to_bytes(&self, bytes: &mut [u8]) -> bool {
        let fits = self.top().is_none_or(|top| (top as usize) < 8 * bytes.len());
        for (i, to) in bytes.chunks_mut(NARROW / 8).enumerate() {
            to.iter_mut().zip(self.part(i).to_le_bytes()).for_each(|(to, from)| *to = from);
        }
        fits
    }

    /// The members from 128 times a number on, as bits.
    #[inline]
    pub fn part(&self, i: usize) -> Narrow {
        match i {
            0 => self.low,
            1 => self.high,
            _ => self.beyond().get(i - 2).copied().unwrap_or(0),
        }
    }

    /// The parts from 256 on.
    #[inline]
    fn beyond(&self) -> &[Narrow] {
        self.more.as_deref().unwrap_or(&[])
    }

    /// A part, to be changed to one that is not empty.
    #[inline]
    fn part_mut(&mut self, i: usize) -> &mut Narrow {
        match i {
            0 => &mut self.low,
            1 => &mut self.high,
            _ => {
                if self.beyond().len() < i - 1 {
                    let mut longer = self.beyond().to_vec();
                    longer.resize(i - 1, 0);
                    self.more = Some(longer.into());
                }
                let parts = self.more.get_or_insert_with(|| vec![0; i - 1].into());
                &mut Arc::make_mut(parts)[i - 2]
            }
        }
    }

    /// Puts a member in.
    #[inline]
    pub fn add(&mut self, i: u32) {
        match i {
            0..128 => self.low |= 1 << i,
            128..256 => self.high |= 1 << (i - 128),
            _ => *self.part_mut(i as usize / NARROW) |= 1 << (i % Narrow::BITS),
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, i: u32) {
        if self.has(i) {
            *self.part_mut(i as usize / NARROW) &= !(1 << (i % Narrow::BITS));
            self.trim();
        }
    }

    fn trim(&mut self) {
        if self.beyond().last() == Some(&0) {
            let more = self.beyond().to_vec();
            *self = std::mem::take(self).with(more);
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low | self.high == 0 && self.more.is_none()
    }

    #[inline]
    pub fn has(&self, i: u32) -> bool {
        match i {
            0..128 => self.low >> i & 1 == 1,
            128..256 => self.high >> (i - 128) & 1 == 1,
            _ => self.part(i as usize / NARROW) >> (i % Narrow::BITS) & 1 == 1,
        }
    }

    /// How many.
    #[inline]
    pub fn count(&self) -> u32 {
        let more = self.beyond().iter().map(|part| part.count_ones()).sum::<u32>();
        self.low.count_ones() + self.high.count_ones() + more
    }

    /// The lowest; `None` of the empty set.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        if self.low != 0 {
            return Some(self.low.trailing_zeros());
        }
        if self.high != 0 {
            return Some(Narrow::BITS + self.high.trailing_zeros());
        }
        let (i, part) = self.beyond().iter().enumerate().find(|(_, part)| **part != 0)?;
        Some(INLINE + i as u32 * Narrow::BITS + part.trailing_zeros())
    }

    /// The highest; `None` of the empty set.
    #[inline]
    pub fn top(&self) -> Option<u32> {
        if let Some(last) = self.beyond().last() {
            return Some(INLINE + self.beyond().len() as u32 * Narrow::BITS - 1 - last.leading_zeros());
        }
        let (from, part) = if self.high != 0 { (Narrow::BITS, self.high) } else { (0, self.low) };
        (part != 0).then(|| from + Narrow::BITS - 1 - part.leading_zeros())
    }

    /// Takes the lowest out.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        let first = self.first()?;
        match first {
            0..128 => self.low &= self.low - 1,
            128..256 => self.high &= self.high - 1,
            i => self.remove(i),
        }
        Some(first)
    }

    /// Those below 128.
    #[inline]
    pub fn narrow(&self) -> Narrow {
        self.low
    }

    /// Those that are not in another.
    #[inline]
    pub fn minus(mut self, other: &Bits) -> Bits {
        self -= other;
        self
    }

    /// Adds eight, from number `at` on, which is one of each eighth.
    #[inline]
    pub fn add_eight(&mut self, at: usize, eight: u8) {
        match at {
            0..128 => self.low |= Narrow::from(eight) << at,
            128..256 => self.high |= Narrow::from(eight) << (at - 128),
            _ if eight == 0 => {}
            _ => *self.part_mut(at / NARROW) |= Narrow::from(eight) << (at % NARROW),
        }
    }

    #[cold]
    fn add_beyond(&mut self, other: &[Narrow]) {
        let mut parts = self.beyond().to_vec();
        parts.resize(parts.len().max(other.len()), 0);
        parts.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
        *self = std::mem::take(self).with(parts);
    }

    #[cold]
    fn meet_beyond(&mut self, other: &[Narrow]) {
        let parts = self.beyond().iter().zip(other).map(|(a, b)| a & b).collect();
        *self = std::mem::take(self).with(parts);
    }

    #[cold]
    fn subtract_beyond(&mut self, other: &[Narrow]) {
        let mut parts = self.beyond().to_vec();
        parts.iter_mut().zip(other).for_each(|(a, b)| *a &= !b);
        *self = std::mem::take(self).with(parts);
    }
}

impl From<Narrow> for Bits {
    fn from(low: Narrow) -> Bits {
        Bits { low, high: 0, more: None }
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(items: I) -> Bits {
        let mut set = Bits::NONE;
        items.into_iter().for_each(|i| set.add(i));
        set
    }
}

impl BitOrAssign<&Bits> for Bits {
    #[inline]
    fn bitor_assign(&mut self, other: &Bits) {
        self.low |= other.low;
        self.high |= other.high;
        if let Some(more) = &other.more {
            self.add_beyond(more);
        }
    }
}

impl BitAndAssign<&Bits> for Bits {
    #[inline]
    fn bitand_assign(&mut self, other: &Bits) {
        self.low &= other.low;
        self.high &= other.high;
        if self.more.is_some() {
            self.meet_beyond(other.beyond());
        }
    }
}

impl SubAssign<&Bits> for Bits {
    #[inline]
    fn sub_assign(&mut self, other: &Bits) {
        self.low &= !other.low;
        self.high &= !other.high;
        if self.more.is_some() && other.more.is_some() {
            self.subtract_beyond(other.beyond());
        }
    }
}

impl BitOr<&Bits> for Bits {
    type Output = Bits;
    #[inline]
    fn bitor(mut self, other: &Bits) -> Bits {
        self |= other;
        self
    }
}

impl BitAnd<&Bits> for Bits {
    type Output = Bits;
    #[inline]
    fn bitand(mut self, other: &Bits) -> Bits {
        self &= other;
        self
    }
}

/// The members of a set, lowest first.
#[inline]
pub(super) fn each(bits: &Bits, mut f: impl FnMut(u32)) {
    each_narrow(bits.low, &mut f);
    each_narrow(bits.high, |i| f(Narrow::BITS + i));
    for (i, part) in (2..).zip(bits.beyond()) {
        each_narrow(*part, |b| f(i * Narrow::BITS + b));
    }
}

/// The same of a part of a set.
#[inline]
pub(super) fn each_narrow(mut bits: Narrow, mut f: impl FnMut(u32)) {
    while bits != 0 {
        let b = bits.trailing_zeros();
        bits &= bits - 1;
        f(b);
    }
}

/// Shifted bits; bits that are shifted out are lost.
pub(super) fn moved(bits: Narrow, by: i64) -> Narrow {
    let n = u32::try_from(by.unsigned_abs()).unwrap_or(u32::MAX);
    let moved = if by >= 0 { bits.checked_shl(n) } else { bits.checked_shr(n) };
    moved.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEMS: [u32; 14] = [0, 1, 63, 64, 127, 128, 129, 200, 255, 256, 383, 384, 1000, 1023];

    #[test]
    fn a_wide_set_is_a_set() {
        for n in 0..=ITEMS.len() {
            let items = &ITEMS[..n];
            let set: Bits = items.iter().copied().collect();
            let mut found = Vec::new();
            each(&set, |i| found.push(i));
            assert_eq!(found, items);
            assert_eq!(set.count() as usize, items.len());
            assert!((0..1200).all(|i| set.has(i) == items.contains(&i)));
            assert_eq!((set.first(), set.top()), (items.first().copied(), items.last().copied()));
            let (mut left, mut firsts) = (set.clone(), Vec::new());
            while let Some(first) = left.pop() {
                firsts.push(first);
            }
            assert_eq!(firsts, items);
            assert_eq!(left, Bits::NONE, "an empty set has no parts left");
        }
    }

    #[test]
    fn sets_are_joined() {
        let of = |items: &[u32]| items.iter().copied().collect::<Bits>();
        for (i, j) in (0..=ITEMS.len()).flat_map(|i| (0..=ITEMS.len()).map(move |j| (i, j))) {
            let (a, b) = (of(&ITEMS[..i]), of(&ITEMS[j..]));
            let kept = |f: &dyn Fn(u32) -> bool| (0..1200).filter(|x| f(*x)).collect::<Bits>();
            assert_eq!(a.clone() | &b, kept(&|x| a.has(x) || b.has(x)));
            assert_eq!(a.clone() & &b, kept(&|x| a.has(x) && b.has(x)));
            assert_eq!(a.clone().minus(&b), kept(&|x| a.has(x) && !b.has(x)));
        }
    }

    #[test]
    fn the_first_so_many() {
        for n in [0, 1, 127, 128, 129, 255, 256, 257, 384, 385, 1024] {
            assert_eq!(Bits::below(n), (0..n as u32).collect(), "{n}");
        }
    }

    #[test]
    fn stored_and_read() {
        let set: Bits = [0, 9, 130, 255, 300, 486].into_iter().collect();
        let mut bytes = [0u8; 61];
        assert!(set.to_bytes(&mut bytes));
        assert_eq!(Bits::from_bytes(&bytes), set);
        assert!(!set.to_bytes(&mut bytes[..60]));
        assert!(!set.to_bytes(&mut bytes[..17]));
        assert_eq!(Bits::from_bytes(&bytes[..17]), [0, 9, 130].into_iter().collect());
        let mut two = Bits::NONE;
        two.add_eight(8, 2);
        two.add_eight(248, 128);
        two.add_eight(480, 64);
        assert_eq!(two, [9, 255, 486].into_iter().collect());
    }

    #[test]
    fn what_is_moved_out_is_lost() {
        assert_eq!(moved(1, 127), 1 << 127);
        assert_eq!(moved(Narrow::MAX, 128), 0);
        assert_eq!(moved(Narrow::MAX, -128), 0);
        assert_eq!(moved(0b110, -2), 1);
        assert_eq!(moved(Narrow::MAX, i64::MIN), 0);
    }
}
