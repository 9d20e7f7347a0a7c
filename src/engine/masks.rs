//! Conditions on all members of a set at once, as trees.

use super::bits::{Bits, MAX_BITS, each};
use super::by_value::entry;
use super::eval::{Ev, MAX_TALLY};
use super::ir::{Mask, NONE};
use super::place::Place;

impl Ev<'_> {
    /// Those of `within` that meet the condition; `slot` is the member, bit 0 stands for `lo`.
    pub fn mask(&self, m: &Mask, slot: u16, lo: i32, within: Bits) -> Bits {
        if within.is_empty() {
            return Bits::NONE;
        }
        match m {
            Mask::All => within,
            Mask::And(ms) => ms.iter().fold(within, |left, m| self.mask(m, slot, lo, left)),
            Mask::Or(ms) => ms.iter().fold(Bits::NONE, |found, m| found | self.mask(m, slot, lo, within & !found)),
            Mask::Not(m) => within & !self.mask(m, slot, lo, within),
            Mask::Scalar(c) => {
                if self.cond(c) {
                    within
                } else {
                    Bits::NONE
                }
            }
            Mask::In(s) => within & self.set(s),
            Mask::Is(n) => match i64::from(self.num(n)) - i64::from(lo) {
                b if (0..MAX_BITS as i64).contains(&b) => within & Bits::one(b as u32),
                _ => Bits::NONE,
            },
            Mask::Field(p, n) => within & self.field(p, self.num(n)),
            Mask::Stored(p, set) => {
                let (set, mut found) = (self.set(set).narrow(), Bits::NONE);
                let bytes = self.bytes.get(p.at as usize..(p.at + p.count) as usize).unwrap_or(&[]);
                each(within, |b| {
                    let stored = bytes.get(b as usize).copied().unwrap_or(0);
                    if set >> (stored & 127) & 1 == 1 {
                        found |= Bits::one(b);
                    }
                });
                found
            }
            Mask::Tally(p, set, by) => within & self.tally(p, self.set(set), by, lo),
            Mask::ByValue(by) if by.each => {
                let mut found = Bits::NONE;
                each(within, |b| {
                    if !self.spend(1) {
                        return;
                    }
                    self.bind(slot, (b as i32).saturating_add(lo));
                    for m in entry(&by.arms, self.num(&by.key)).into_iter().flatten() {
                        found |= self.mask(m, slot, lo, Bits::one(b));
                    }
                });
                found
            }
            Mask::ByValue(by) => {
                let masks = entry(&by.arms, self.num(&by.key)).into_iter().flatten();
                masks.fold(Bits::NONE, |found, m| found | self.mask(m, slot, lo, within))
            }
            Mask::Loop(c) => {
                let mut found = Bits::NONE;
                each(within, |b| {
                    if !self.spend(1) {
                        return;
                    }
                    self.bind(slot, (b as i32).saturating_add(lo));
                    if self.cond(c) {
                        found |= Bits::one(b);
                    }
                });
                found
            }
        }
    }

    /// Counts for each value how many of a set have it stored, and picks the values whose count is right.
    fn tally(&self, p: &Place, set: Bits, by: &[Bits], lo: i32) -> Bits {
        // `more[k]`: the values that at least `k` have.
        let mut more = [Bits::NONE; MAX_TALLY + 1];
        more[0] = Bits::ALL;
        let bytes = self.bytes.get(p.at as usize..(p.at + p.count) as usize).unwrap_or(&[]);
        each(set, |c| {
            let stored = bytes.get(c as usize).copied().unwrap_or(0);
            let b = i32::from(stored) - 1 + p.lo - lo;
            if stored != 0 && (0..MAX_BITS as i32).contains(&b) {
                for k in (1..by.len().min(MAX_TALLY + 1)).rev() {
                    more[k] |= more[k - 1] & Bits::one(b as u32);
                }
            }
        });
        let mut found = Bits::NONE;
        for (k, right) in by.iter().enumerate().take(MAX_TALLY + 1) {
            let beyond = if k + 1 < by.len() { more[k + 1] } else { Bits::NONE };
            found |= more[k] & !beyond & *right;
        }
        found
    }

    /// The entries of a variable of one byte that have a value.
    fn field(&self, p: &Place, value: i32) -> Bits {
        let wanted = if value == NONE { 0 } else { i64::from(value) - i64::from(p.lo) + 1 };
        let (Ok(wanted), true) = (u8::try_from(wanted), value == NONE || wanted > 0) else {
            return Bits::NONE;
        };
        let bytes = self.bytes.get(p.at as usize..(p.at + p.count) as usize).unwrap_or(&[]);
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let pattern = u64::from(wanted) * 0x0101_0101_0101_0101;
        let mut found = Bits::NONE;
        for (i, chunk) in bytes.chunks(8).enumerate() {
            let word = match <[u8; 8]>::try_from(chunk) {
                Ok(whole) => u64::from_le_bytes(whole) ^ pattern,
                Err(_) => {
                    let mut part = [!wanted; 8];
                    for (to, from) in part.iter_mut().zip(chunk) {
                        *to = *from;
                    }
                    u64::from_le_bytes(part) ^ pattern
                }
            };
            // The high bit of each byte that is zero, gathered into the lowest byte.
            let zero = !(((word & LOW) + LOW) | word | LOW);
            let bits = (zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            found.add_eight(8 * i, bits as u8);
        }
        found
    }
}
