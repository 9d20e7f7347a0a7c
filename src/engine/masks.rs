//! Conditions on all members of a set at once, as trees.

use super::beyond::{behind_falling, behind_rising};
use super::bits::{Bits, Narrow, each};
use super::by_value::entry;
use super::eval::{Ev, MAX_TALLY, uint};
use super::ir::{Cond, Mask, NONE, Num, SetE, group, reads};
use super::leaf::{Group, Leaf, Visit};
use super::place::Place;
use super::tree::{choose, join, not};

impl Ev<'_> {
    /// Those of `within` that meet the condition; `slot` is the member, bit 0 stands for `lo`.
    pub fn mask(&self, m: &Mask, slot: u16, lo: i32, within: Bits) -> Bits {
        if within.is_empty() {
            return Bits::NONE;
        }
        match m {
            Mask::All => within,
            Mask::And(ms) => ms.iter().fold(within, |left, m| self.mask(m, slot, lo, left)),
            Mask::Or(ms) => ms.iter().fold(Bits::NONE, |found, m| {
                let left = within.clone().minus(&found);
                found | &self.mask(m, slot, lo, left)
            }),
            Mask::Either(of) => {
                let (c, a, b) = &**of;
                let those = self.mask(c, slot, lo, within.clone());
                let others = within.minus(&those);
                self.mask(a, slot, lo, those) | &self.mask(b, slot, lo, others)
            }
            Mask::Not(m) => {
                let those = self.mask(m, slot, lo, within.clone());
                within.minus(&those)
            }
            Mask::Scalar(c) => {
                if self.cond(c) {
                    within
                } else {
                    Bits::NONE
                }
            }
            Mask::Let(binds, m) => match self.binds(binds) {
                true => self.mask(m, slot, lo, within),
                false => Bits::NONE,
            },
            Mask::In(s) => within & &self.set(s),
            Mask::Is(n) => match u32::try_from(i64::from(self.num(n)) - i64::from(lo)) {
                Ok(b) if within.has(b) => Bits::one(b),
                _ => Bits::NONE,
            },
            Mask::Field(p, n) => within & &self.field(p, self.num(n)),
            Mask::FieldFrom(p, first, n) => {
                let mut found = Bits::NONE;
                each(&self.field(p, self.num(n)), |b| b.checked_sub(*first).into_iter().for_each(|b| found.add(b)));
                within & &found
            }
            Mask::Held(p, row) => within & &self.held(p, self.num(row)),
            Mask::Stored(p, set) => {
                let (set, mut found) = (self.set(set).narrow(), Bits::NONE);
                let bytes = self.bytes.get(p.at as usize..(p.at + p.count) as usize).unwrap_or(&[]);
                each(&within, |b| {
                    let stored = bytes.get(b as usize).copied().unwrap_or(0);
                    if set >> (stored & 127) & 1 == 1 {
                        found.add(b);
                    }
                });
                found
            }
            Mask::Tally(p, set, by) => self.tally(p, &self.set(set), by, lo, within),
            Mask::ByValue(by) if by.each => {
                let mut found = Bits::NONE;
                each(&within, |b| {
                    if !self.spend(1) {
                        return;
                    }
                    self.bind(slot, (b as i32).saturating_add(lo));
                    for m in entry(&by.arms, self.num(&by.key)).into_iter().flatten() {
                        found |= &self.mask(m, slot, lo, Bits::one(b));
                    }
                });
                found
            }
            Mask::ByValue(by) => {
                let mut found = Bits::NONE;
                for m in entry(&by.arms, self.num(&by.key)).into_iter().flatten() {
                    found |= &self.mask(m, slot, lo, within.clone());
                }
                found
            }
            Mask::Along(along) => {
                let (over, ends) = (self.set(&along.over), self.set(&along.ends));
                within & &Bits::from(along.found(over.narrow(), ends.narrow()))
            }
            Mask::Beyond(beyond) => {
                let stops = self.set(&beyond.stops).narrow();
                let behind = |lines: &[SetE], of: fn(Narrow, Narrow) -> Narrow| {
                    lines.iter().fold(0, |all, line| all | of(self.set(line).narrow(), stops))
                };
                let found = behind(&beyond.rising, behind_rising) | behind(&beyond.falling, behind_falling);
                within & &Bits::from(found)
            }
            // The set may fail: it is found only if a member is asked about.
            Mask::Linked(..) if within.is_empty() => within,
            Mask::Linked(back, set, by) => {
                let levels = by.len().min(MAX_TALLY + 1);
                let mut more = [Bits::NONE; MAX_TALLY + 1];
                more[0] = within;
                each(&self.set(set), |b| {
                    let row = back.get(b as usize).unwrap_or(&Bits::NONE);
                    for k in (1..levels).rev() {
                        let those = more[k - 1].clone() & row;
                        more[k] |= &those;
                    }
                });
                right(&more, by)
            }
            Mask::Loop(c) => {
                let mut found = Bits::NONE;
                each(&within, |b| {
                    if !self.spend(1) {
                        return;
                    }
                    self.bind(slot, (b as i32).saturating_add(lo));
                    if self.cond(c) {
                        found.add(b);
                    }
                });
                found
            }
        }
    }

    /// Counts for each value how many of a set have it stored, and picks those of `within` whose count is right.
    fn tally(&self, p: &Place, set: &Bits, by: &[Bits], lo: i32, within: Bits) -> Bits {
        // `more[k]`: those of the values that at least `k` have.
        let mut more = [Bits::NONE; MAX_TALLY + 1];
        more[0] = within;
        each(set, |c| {
            let stored = if c < p.count { uint(self.bytes, (p.at + p.width * c) as usize, p.width) } else { 0 };
            let b = i64::from(stored) - 1 + i64::from(p.lo) - i64::from(lo);
            if stored != 0
                && let Ok(b) = u32::try_from(b)
            {
                for k in (1..by.len().min(MAX_TALLY + 1)).rev() {
                    if more[k - 1].has(b) {
                        more[k].add(b);
                    }
                }
            }
        });
        right(&more, by)
    }

    /// The items of a row of bytes that there are any of.
    fn held(&self, p: &Place, row: i32) -> Bits {
        let Some(at) = self.entry(p, row) else {
            return Bits::NONE;
        };
        let bytes = self.bytes.get(at..at + p.width as usize).unwrap_or(&[]);
        bytes.iter().zip(0..).filter(|(n, _)| **n != 0).map(|(_, i)| i).collect()
    }

    /// The entries of a variable of one byte or two that have a value.
    fn field(&self, p: &Place, value: i32) -> Bits {
        let wanted = if value == NONE { 0 } else { i64::from(value) - i64::from(p.lo) + 1 };
        if wanted < 0 || value != NONE && wanted == 0 {
            return Bits::NONE;
        }
        if p.width == 2 {
            let bytes = self.bytes.get(p.at as usize..(p.at + 2 * p.count) as usize).unwrap_or(&[]);
            let found = bytes.chunks(2).zip(0..).filter(|(b, _)| i64::from(uint(b, 0, 2)) == wanted);
            return found.map(|(_, i)| i).collect();
        }
        let Ok(wanted) = u8::try_from(wanted) else {
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

/// Those whose count is right, given for each number those of which there are at least so many.
fn right(more: &[Bits; MAX_TALLY + 1], by: &[Bits]) -> Bits {
    let mut found = Bits::NONE;
    for (k, right) in by.iter().enumerate().take(MAX_TALLY + 1) {
        let mut those = more[k].clone() & right;
        if k + 1 < by.len() {
            those -= &more[k + 1];
        }
        found |= &those;
    }
    found
}

impl Mask {
    /// Visits a condition on all members of the set that a slot runs over.
    pub fn walk_of(&self, slot: u16, f: Visit) {
        group(Group::Mask(slot), f, |f| self.walk(f));
    }

    pub fn walk(&self, f: Visit) {
        f(Leaf::Node);
        match self {
            Mask::All => {}
            Mask::And(ms) | Mask::Or(ms) => ms.iter().for_each(|m| m.walk(f)),
            Mask::Either(of) => [&of.0, &of.1, &of.2].into_iter().for_each(|m| m.walk(f)),
            Mask::Not(m) => m.walk(f),
            Mask::Scalar(c) => c.walk(f),
            Mask::Let(binds, m) => {
                binds.iter().for_each(|bind| bind.walk(f));
                m.walk(f);
            }
            Mask::Loop(c) => group(Group::Members, f, |f| c.walk(f)),
            Mask::ByValue(by) if by.each => group(Group::Members, f, |f| by.walk(f)),
            Mask::ByValue(by) => by.walk(f),
            Mask::In(s) => s.walk(f),
            Mask::Is(n) => n.walk(f),
            Mask::Tally(p, s, _) => {
                group(Group::Members, f, |_| {});
                reads(p, f);
                s.walk(f);
            }
            Mask::Linked(_, s, _) => {
                group(Group::Members, f, |_| {});
                s.walk(f);
            }
            Mask::Along(along) => {
                along.over.walk(f);
                along.ends.walk(f);
            }
            Mask::Beyond(beyond) => {
                beyond.rising.iter().chain(&beyond.falling).for_each(|line| line.walk(f));
                beyond.stops.walk(f);
            }
            Mask::Field(p, n) | Mask::FieldFrom(p, _, n) => {
                if let Num::Const(i) = n {
                    f(Leaf::FieldIs(*p, *i));
                }
                f(Leaf::Field(*p));
                reads(p, f);
                n.walk(f);
            }
            Mask::Held(p, row) => {
                f(Leaf::Row);
                reads(p, f);
                row.walk(f);
            }
            Mask::Stored(p, s) => {
                f(Leaf::Scan);
                reads(p, f);
                s.walk(f);
            }
        }
    }

    /// The condition, if it is asked of each member on its own.
    pub fn asked(&self) -> Option<Cond> {
        match self {
            Mask::Loop(c) => Some(c.clone()),
            Mask::Not(m) => m.asked().map(not),
            Mask::And(ms) => Some(join(ms.iter().map(Mask::asked).collect::<Option<Vec<_>>>()?, true)),
            Mask::Or(ms) => Some(join(ms.iter().map(Mask::asked).collect::<Option<Vec<_>>>()?, false)),
            Mask::Either(of) => Some(choose(of.0.asked()?, of.1.asked()?, of.2.asked()?)),
            _ => None,
        }
    }

    /// How many conditions are asked of members one by one.
    pub fn in_turn(&self) -> usize {
        match self {
            Mask::Loop(_) => 1,
            Mask::ByValue(by) => by.arms.iter().flat_map(|(_, ms)| ms).map(Mask::in_turn).sum(),
            Mask::And(ms) | Mask::Or(ms) => ms.iter().map(Mask::in_turn).sum(),
            Mask::Either(of) => of.0.in_turn() + of.1.in_turn() + of.2.in_turn(),
            Mask::Not(m) | Mask::Let(_, m) => m.in_turn(),
            _ => 0,
        }
    }

    /// Whether members are examined one by one somewhere, or as much is done as for a few of them.
    pub fn loops(&self) -> bool {
        match self {
            Mask::Loop(_) | Mask::Beyond(_) => true,
            Mask::ByValue(by) => by.each || by.arms.iter().flat_map(|(_, ms)| ms).any(Mask::loops),
            Mask::And(ms) | Mask::Or(ms) => ms.iter().any(Mask::loops),
            Mask::Either(of) => of.0.loops() || of.1.loops() || of.2.loops(),
            Mask::Not(m) | Mask::Let(_, m) => m.loops(),
            _ => false,
        }
    }
}
