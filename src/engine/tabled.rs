//! Conditions on all members at once that are looked up by a few values.

use super::bits::Bits;
use super::eval::Scratch;
use super::ir::{Cond, Lin, Mask, NONE, Num, SetE, Shared};
use super::tree::{Part as _, Summary, choose, depends_only_on, evaluate, evaluate_in, join, of};

/// The maximum number of rows of a table that is looked up by more than one value, or for several conditions together.
const MAX_ROWS: usize = 1024;

/// The members that a condition is asked of: the slot, the lowest, how many there can be.
pub(super) type Members = (u16, i32, usize);

/// A value that a condition depends on.
enum Key {
    /// That of a slot: the lowest, and how many.
    Slot(u16, i32, usize),
    /// That of a variable of one byte: where, the lowest, and how many.
    Byte(u32, i32, u32),
}

impl Key {
    fn count(&self) -> usize {
        match self {
            Key::Slot(_, _, count) => *count,
            Key::Byte(_, _, count) => *count as usize,
        }
    }

    fn term(&self) -> (Num, i32, u32) {
        match *self {
            Key::Slot(slot, lo, count) => (Num::Slot(slot), lo, count as u32),
            Key::Byte(at, lo, count) => (Num::Byte(at, lo, count), lo, count),
        }
    }
}

/// The values that a condition depends on beside the member, if there are some and nothing else matters.
fn keys(scratch: &Scratch, s: &Summary, slot: u16) -> Option<Vec<Key>> {
    if s.beyond || !s.sets.is_empty() {
        return None;
    }
    // Those of the position first: in a loop over members they are the same.
    let mut keys: Vec<Key> = s.bytes.iter().map(|(at, lo, count)| Key::Byte(*at, *lo, *count)).collect();
    for other in s.slots.iter().filter(|other| **other != slot) {
        let (lo, count) = scratch.spans.get(usize::from(*other)).copied().flatten()?;
        keys.push(Key::Slot(*other, lo, count));
    }
    (!keys.is_empty()).then_some(keys)
}

/// Whether a condition that depends only on a few values, none of them nothing, always holds or never.
pub(super) fn always(shared: &Shared, scratch: &Scratch, c: &Cond) -> Option<bool> {
    let s = of(shared, c);
    if s.risky || shared.is_tight() {
        return None;
    }
    let slot = u16::MAX;
    let keys = keys(scratch, &s, slot)?;
    let rows = keys.iter().try_fold(1usize, |rows, key| rows.checked_mul(key.count()))?;
    if rows == 0 || rows > MAX_ROWS {
        return None;
    }
    let mut held = [false; 2];
    each_row(scratch, &keys, &mut Vec::new(), &mut |bytes| {
        held[usize::from(evaluate_in(bytes, shared, scratch, c)?)] = true;
        (held != [true; 2]).then_some(())
    })?;
    Some(held[1])
}

/// All values of some keys, none of them nothing, as they are in a position and in the slots.
fn each_row(
    scratch: &Scratch,
    keys: &[Key],
    bytes: &mut Vec<u8>,
    f: &mut impl FnMut(&[u8]) -> Option<()>,
) -> Option<()> {
    let Some((key, others)) = keys.split_first() else { return f(bytes) };
    for i in 0..key.count() {
        match *key {
            Key::Slot(slot, lo, _) => scratch.slots.get(usize::from(slot))?.set(lo + i as i32),
            Key::Byte(at, ..) => {
                let at = at as usize;
                bytes.resize(bytes.len().max(at + 1), 0);
                *bytes.get_mut(at)? = u8::try_from(i + 1).ok()?;
            }
        }
        each_row(scratch, others, bytes, f)?;
    }
    Some(())
}

/// A condition that depends only on the member and a few values.
pub(super) fn tabled(shared: &Shared, scratch: &Scratch, c: &Cond, s: &Summary, members: Members) -> Option<Mask> {
    let (slot, _, n) = members;
    let keys = keys(scratch, s, slot)?;
    let rows = keys.iter().try_fold(1usize, |rows, key| rows.checked_mul(key.count()))?;
    let plain = matches!(*keys, [Key::Slot(..)]) && !matches!(c, Cond::All(_));
    if !(plain || rows <= MAX_ROWS) || !shared.may_table(rows.checked_mul(n)?) {
        return None;
    }
    let bytes = keys.iter().filter_map(|key| if let Key::Byte(at, ..) = key { Some(*at as usize + 1) } else { None });
    let mut table = Table { shared, scratch, c, members, bytes: vec![0; bytes.max().unwrap_or(0)], rows: Vec::new() };
    table.fill(&keys, true)?;
    let terms = keys.iter().map(Key::term).collect();
    Some(Mask::In(SetE::Table(table.rows.into(), Lin { terms, strict: false })))
}

/// Conditions, of which all (`true`) or any are to hold, as masks. Those that can be looked up by the same few values
/// are looked up at once.
pub(super) fn together(
    shared: &Shared,
    scratch: &Scratch,
    (conds, all): (&[&Cond], bool),
    members: Members,
    mask: impl Fn(&Cond) -> Mask,
) -> Vec<Mask> {
    let (slot, ..) = members;
    let is_looked_up = |c: &Cond| {
        let s = of(shared, c);
        // What can be looked up never fails.
        let is_safe = || !s.risky || tabled(shared, scratch, c, &s, members).is_some();
        !shared.is_tight() && s.slots.contains(&slot) && keys(scratch, &s, slot).is_some() && is_safe()
    };
    let (looked_up, others): (Vec<&Cond>, Vec<&Cond>) = conds.iter().partition(|c| is_looked_up(c));
    if looked_up.len() > 1 {
        let joined = join(looked_up.into_iter().cloned(), all);
        if let Some(found) = tabled(shared, scratch, &joined, &of(shared, &joined), members) {
            return std::iter::once(found).chain(others.into_iter().map(mask)).collect();
        }
    }
    conds.iter().map(|c| mask(c)).collect()
}

/// A table that is being filled.
struct Table<'t> {
    shared: &'t Shared,
    scratch: &'t Scratch,
    c: &'t Cond,
    members: Members,
    /// The bytes of a position that are read.
    bytes: Vec<u8>,
    rows: Vec<Bits>,
}

impl Table<'_> {
    /// Adds the rows for all values of keys, the last of which changes first. `there` says that none of those before is
    /// nothing. `None` if the condition fails somewhere, or holds where a value is nothing: there it will be false.
    fn fill(&mut self, keys: &[Key], there: bool) -> Option<()> {
        let Some((key, others)) = keys.split_first() else {
            let row = tabulate_bits(self.shared, self.scratch, (self.c, &self.bytes), self.members)?;
            if !there {
                return row.is_empty().then_some(());
            }
            self.rows.push(row);
            return Some(());
        };
        match *key {
            Key::Slot(slot, lo, count) => {
                for i in 0..count {
                    self.scratch.slots.get(usize::from(slot))?.set(lo + i as i32);
                    self.fill(others, there)?;
                }
            }
            Key::Byte(at, _, count) => {
                for stored in 0..=count {
                    *self.bytes.get_mut(at as usize)? = u8::try_from(stored).ok()?;
                    self.fill(others, there && stored > 0)?;
                }
            }
        }
        Some(())
    }
}

/// The members that meet a condition that depends on nothing else but these bytes and the slots that are set.
pub(super) fn tabulate_bits(
    shared: &Shared,
    scratch: &Scratch,
    (c, bytes): (&Cond, &[u8]),
    (slot, lo, n): Members,
) -> Option<Bits> {
    let mut bits = Bits::NONE;
    for i in 0..n {
        scratch.slots.get(usize::from(slot))?.set(lo + i as i32);
        if evaluate_in(bytes, shared, scratch, c)? {
            bits.add(i as u32);
        }
    }
    Some(bits)
}

/// The members for which a number that depends on nothing else is `b`.
pub(super) fn printed(
    shared: &Shared,
    scratch: &Scratch,
    (a, b): (&Num, &Num),
    slot: u16,
    lo: i32,
    n: usize,
) -> Option<Mask> {
    if !depends_only_on(&of(shared, a), &[slot]) || b.as_constant().is_some() {
        return None;
    }
    let mut values = Vec::new();
    for i in 0..n {
        scratch.slots.get(usize::from(slot))?.set(lo + i as i32);
        values.push(evaluate(shared, scratch, a)?);
    }
    let least = *values.iter().filter(|v| **v != NONE).min()?;
    let most = *values.iter().max()?;
    let count = usize::try_from(i64::from(most) - i64::from(least) + 1).ok().filter(|c| *c <= 1024)?;
    let mut rows = vec![Bits::NONE; count];
    let mut without = Bits::NONE;
    for (i, v) in values.iter().enumerate() {
        match usize::try_from(i64::from(*v) - i64::from(least)) {
            Ok(row) => rows[row].add(i as u32),
            Err(_) => without.add(i as u32),
        }
    }
    let terms = Box::new([(b.clone(), least, count as u32)]);
    let table = SetE::Table(rows.into(), Lin { terms, strict: false });
    Some(Mask::In(match without.is_empty() {
        true => table,
        false => choose(Cond::Is(b.clone(), NONE), SetE::Const(without), table),
    }))
}

/// The members for which a number that depends on nothing else is in a set that it takes a search to find: the set is
/// found once, not for each member.
pub(super) fn printed_among(
    shared: &Shared,
    scratch: &Scratch,
    (number, set, first): (&Num, &SetE, i32),
    (slot, lo, n): Members,
) -> Option<Mask> {
    let s = of(shared, set);
    if !depends_only_on(&of(shared, number), &[slot]) || !s.loops || s.slots.contains(&slot) {
        return None;
    }
    let mut rows = vec![Bits::NONE];
    for i in 0..n {
        scratch.slots.get(usize::from(slot))?.set(lo + i as i32);
        let value = evaluate(shared, scratch, number)?;
        // Nothing, or a value below the first, is in no set.
        let Ok(row) = usize::try_from(i64::from(value) - i64::from(first)) else { continue };
        if row >= MAX_ROWS {
            return None;
        }
        rows.resize(rows.len().max(row + 1), Bits::NONE);
        rows[row].add(i as u32);
    }
    let by_count = [Bits::NONE, Bits::below(n)];
    Some(Mask::Linked(rows.into(), Box::new(set.clone()), Box::new(by_count)))
}

/// That a table has a value in the row or column of the member, which another number crosses.
pub(super) fn read_in_table(shared: &Shared, c: &Cond, slot: u16, lo: i32, n: usize) -> Option<Mask> {
    let Cond::Is(Num::Table(values, lin), value) = c else { return None };
    let [first, second] = &*lin.terms else { return None };
    if lin.strict || *value == NONE {
        return None;
    }
    let is_member = |(num, first, count): &(Num, i32, u32)| {
        matches!(num, Num::Slot(x) if *x == slot) && *first == lo && n <= *count as usize
    };
    let is_free = |(num, ..): &(Num, i32, u32)| !of(shared, num).slots.contains(&slot);
    let wide = second.2 as usize;
    let (other, step, by) = match (is_member(second), is_member(first)) {
        (true, _) if is_free(first) => (first, wide, 1),
        (_, true) if is_free(second) => (second, 1, wide),
        _ => return None,
    };
    let is = |row: usize, member: usize| values.get(row * step + member * by) == Some(value);
    let row = |row: usize| (0..n).filter(|member| is(row, *member)).map(|member| member as u32).collect();
    let rows: Vec<Bits> = (0..other.2 as usize).map(row).collect();
    let terms = Box::new([other.clone()]);
    Some(Mask::In(SetE::Table(rows.into(), Lin { terms, strict: false })))
}
