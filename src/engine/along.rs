//! Conditions on what is in line with a member, for all members in one pass.
//!
//! "Some x of these is in line with it, and all between the two are among those" asks about pairs of members. Where
//! the tables of what is in line and of what lies between are made of steps from number to number, as on a board, all
//! members go along one direction at once: a step is a shift of the bits.

use std::borrow::Cow;

use super::beyond::row_and_rest;
use super::bits::{Bits, NARROW, Narrow, each, moved};
use super::ir::{Bind, ByValue, Cond, Flow, Lin, Mask, Num, SetE, Shared};
use super::tree::{filter, of, only_slot};

/// The maximum number of directions, and of those of single steps.
const MAX_WAYS: usize = 16;
const MAX_STEPS: usize = 8;

/// The maximum number of values by which steps may differ.
const MAX_TABLES: u32 = 4;

/// From which members a line leads over members of one set to a member of another.
#[derive(Clone, Debug)]
pub(super) struct Along {
    /// The directions.
    pub ways: Box<[Way]>,
    /// The members that may lie between.
    pub over: SetE,
    /// The members at which a line may end.
    pub ends: SetE,
    /// Whether at least one has to lie between.
    pub some: bool,
}

/// A direction of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// By how much the number of the next member is higher.
    pub by: i32,
    /// The members that have a next one.
    pub which: Narrow,
    /// How many members can lie between the ends of a line.
    pub most: u32,
}

impl Along {
    /// The members from which a line leads over some members to some.
    pub fn found(&self, over: Narrow, ends: Narrow) -> Narrow {
        self.ways.iter().fold(0, |found, way| found | way.found(over, ends, self.some))
    }
}

impl Way {
    /// The members whose next one is among some.
    fn before(&self, those: Narrow) -> Narrow {
        self.which & moved(those, -i64::from(self.by))
    }

    fn found(&self, over: Narrow, ends: Narrow, some: bool) -> Narrow {
        let beside = self.before(ends);
        let mut line = over & beside;
        for _ in 1..self.most {
            line |= over & self.before(line);
        }
        let farther = self.before(line);
        if some { farther } else { farther | beside }
    }
}

/// "Some `one` of a set is in line with the member in `slot`, and what lies between is within a set", if it is that.
pub(super) fn along(
    shared: &Shared,
    (set, c): &(SetE, Cond),
    (one, one_lo): (u16, i32),
    (slot, lo, n): (u16, i32, usize),
) -> Option<Mask> {
    if lo != 0 || one_lo != 0 || n > NARROW {
        return None;
    }
    let Between { rows, count, over, some } = between(c, (slot, one), n)?;
    let (tables, ends) = tables(shared, set, slot);
    let rows = &*rows;
    let bound = let_in(c).map(|(slot, ..)| slot);
    let free = |s: &SetE| {
        let s = of(shared, s);
        !s.risky && !s.slots.contains(&slot) && !s.slots.contains(&one) && !bound.is_some_and(|b| s.sets.contains(&b))
    };
    if tables.is_empty() || !free(&ends) || !free(&over) {
        return None;
    }
    let in_line: Vec<Bits> = (0..n).map(|c| in_line(&tables, (rows, count), c, some)).collect();
    if !are_narrow(&in_line) {
        return None;
    }
    let some = some || (0..n).all(|c| !beside(&in_line, (rows, count), c));
    let ways = ways(&in_line, (rows, count), some)?;
    Some(Mask::Along(Box::new(Along { ways: ways.into(), over, ends, some })))
}

/// "The set of those that are in line with the member in `slot`, and so on, is empty", if it is that.
pub(super) fn none_along(shared: &Shared, set: &SetE, member: (u16, i32, usize)) -> Option<Mask> {
    let filter = match set {
        SetE::Filter(filter) => filter,
        SetE::Flow(flow) => match &**flow {
            Flow::Inst(i) => match shared.sets.get(*i as usize)? {
                SetE::Filter(filter) => filter,
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let asked = (filter.set.clone(), filter.mask.asked()?);
    along(shared, &asked, (filter.slot, filter.lo), member).map(|some| Mask::Not(Box::new(some)))
}

/// "Nothing that is a step away from the member in `slot` is in a set", if a condition on it is that.
pub(super) fn none_beside(shared: &Shared, set: &SetE, (slot, lo, n): (u16, i32, usize)) -> Option<Mask> {
    if lo != 0 || n > NARROW {
        return None;
    }
    // The member and those of its row need not be of one kind: a step is a difference of numbers.
    let has_member = |lin: &Lin| lin.terms.iter().any(|(term, ..)| matches!(term, Num::Slot(x) if *x == slot));
    let (rows, lin, ends) = row_and_rest(shared, set, &has_member)?;
    let s = of(shared, &ends);
    if !are_narrow(rows) || lin.strict || s.risky || s.slots.contains(&slot) {
        return None;
    }
    let one_step = |row: &dyn Fn(usize) -> Narrow| {
        let ways = steps((0..n).map(row))?;
        Some(Mask::Along(Box::new(Along { ways, over: SetE::Const(Bits::NONE), ends: ends.clone(), some: false })))
    };
    let is_member = |(term, first, count): &(Num, i32, u32)| {
        matches!(term, Num::Slot(x) if *x == slot) && *first == 0 && *count as usize == n
    };
    let (key, outer, inner) = match &*lin.terms {
        [member] if is_member(member) => {
            let found = one_step(&|member| rows.get(member).map_or(0, Bits::narrow))?;
            return Some(Mask::Not(Box::new(found)));
        }
        [key, member] if is_member(member) => (key, n, 1),
        [member, key] if is_member(member) => (key, 1, key.2 as usize),
        _ => return None,
    };
    let (term, first, count) = key;
    let s = of(shared, term);
    if *count > MAX_TABLES || s.risky || s.slots.contains(&slot) {
        return None;
    }
    let arm = |i: i32| {
        let row = |member: usize| rows.get(i as usize * outer + member * inner).map_or(0, Bits::narrow);
        let found: Box<[Mask]> = Box::new([one_step(&row)?]);
        Some((first + i, found))
    };
    let arms = (0..*count as i32).map(arm).collect::<Option<_>>()?;
    Some(Mask::Not(Box::new(Mask::ByValue(Box::new(ByValue { key: term.clone(), arms, each: false })))))
}

/// Whether sets have few enough members for their bits to be shifted at once.
fn are_narrow(sets: &[Bits]) -> bool {
    sets.iter().filter_map(Bits::top).all(|top| (top as usize) < NARROW)
}

/// The directions of single steps from each member to those of its row; `None` if there are too many.
fn steps(rows: impl Iterator<Item = Narrow>) -> Option<Box<[Way]>> {
    let mut ways: Vec<Way> = Vec::new();
    for (member, row) in (0..).zip(rows) {
        each(&Bits::from(row), |to| {
            let by = to as i32 - member;
            match ways.iter_mut().find(|way| way.by == by) {
                Some(way) => way.which |= 1 << member,
                None => ways.push(Way { by, which: 1 << member, most: 0 }),
            }
        });
        if ways.len() > MAX_STEPS {
            return None;
        }
    }
    Some(ways.into())
}

/// The tables that say which of a set may be paired with a member, and the set without them.
fn tables<'s>(shared: &'s Shared, set: &'s SetE, slot: u16) -> (Vec<Vec<Bits>>, SetE) {
    let (mut tables, mut rest) = (Vec::new(), set.clone());
    while let Some((rows, _, ends)) = row_and_rest(shared, &rest, &|lin| is_row(lin, slot)) {
        tables.push(rows.to_vec());
        rest = ends;
    }
    (tables, rest)
}

/// Whether a row of a table is that of a member.
fn is_row(lin: &Lin, slot: u16) -> bool {
    only_slot(lin, slot) && !lin.strict && lin.terms.first().is_some_and(|(_, first, _)| *first == 0)
}

/// The members that are paired with one by all tables; if there have to be some between, only those.
fn in_line(tables: &[Vec<Bits>], (between, count): (&[Bits], usize), c: usize, some: bool) -> Bits {
    let mut paired = tables.first().and_then(|rows| rows.get(c)).cloned().unwrap_or_default();
    for rows in tables {
        paired &= rows.get(c).unwrap_or(&Bits::NONE);
    }
    let mut wanted = Bits::NONE;
    each(&paired, |x| {
        let inside = between.get(c * count + x as usize).unwrap_or(&Bits::NONE);
        if (x as usize) < count && !(some && inside.is_empty()) {
            wanted.add(x);
        }
    });
    wanted
}

/// Whether a member is paired with one so that none is between.
fn beside(in_line: &[Bits], (between, count): (&[Bits], usize), c: usize) -> bool {
    let mut found = false;
    each(in_line.get(c).unwrap_or(&Bits::NONE), |x| {
        found |= between.get(c * count + x as usize).is_none_or(Bits::is_empty);
    });
    found
}

/// What a condition says of those between two members.
struct Between<'c> {
    /// The members between two, by the first, then by the second.
    rows: Cow<'c, [Bits]>,
    /// How many second members the table has for each first.
    count: usize,
    /// The set of which all between must be.
    over: SetE,
    /// Whether there must be any.
    some: bool,
}

/// The slot to which a condition binds a set, the set, and what is asked of it.
fn let_in(c: &Cond) -> Option<(u16, &SetE, &Cond)> {
    let Cond::Flow(flow) = c else { return None };
    match &**flow {
        Flow::Let(binds, body) => match &**binds {
            [Bind::Set(slot, set)] => Some((*slot, set, body)),
            _ => None,
        },
        _ => None,
    }
}

/// What a condition asks of those between two members, if it asks nothing else.
fn between<'c>(c: &'c Cond, (slot, one): (u16, u16), n: usize) -> Option<Between<'c>> {
    let bound = let_in(c);
    let body = bound.map_or(c, |(.., body)| body);
    let table = |s: &'c SetE| match (s, bound) {
        (SetE::Slot(x), Some((b, set, _))) if *x == b => pairs(set, (slot, one)),
        (s, _) => pairs(s, (slot, one)),
    };
    let (mut known, mut over, mut some) = (None, None, false);
    for part in if let Cond::All(parts) = body { parts } else { std::slice::from_ref(body) } {
        let (asked, within) = asked(part, table, n)?;
        match &known {
            Some(known) if *known != asked => return None,
            _ => known = Some(asked),
        }
        match within {
            None => some = true,
            Some(_) if over.is_some() => return None,
            within => over = within,
        }
    }
    let (rows, count) = known?;
    Some(Between { rows, count, over: over?, some })
}

/// The rows of a table of pairs of members, by the first, then by the second, and how many second ones there are.
type Pairs<'p> = (Cow<'p, [Bits]>, usize);

/// The pairs of two members of which a table tells something.
fn pairs(s: &SetE, (slot, one): (u16, u16)) -> Option<Pairs<'_>> {
    let SetE::Table(rows, lin) = s else { return None };
    let [(Num::Slot(a), 0, first), (Num::Slot(b), 0, second)] = &*lin.terms else { return None };
    let (first, second) = (*first as usize, *second as usize);
    if lin.strict || rows.len() != first * second {
        return None;
    }
    if (*a, *b) == (slot, one) {
        return Some((Cow::Borrowed(rows), second));
    }
    let turned = || (0..second).flat_map(|b| (0..first).map(move |a| a * second + b));
    let rows = || turned().filter_map(|at| rows.get(at)).cloned().collect();
    ((*a, *b) == (one, slot)).then(|| (Cow::Owned(rows()), first))
}

/// The table that a part of a condition is about, and the set of which all must be; without one there must be any.
fn asked<'c>(
    part: &'c Cond,
    table: impl Fn(&'c SetE) -> Option<Pairs<'c>>,
    n: usize,
) -> Option<(Pairs<'c>, Option<SetE>)> {
    let empty = |c: &'c Cond| if let Cond::Empty(s) = c { Some(&**s) } else { None };
    let all = |(_, second): &Pairs| SetE::Const(Bits::below(n.max(*second)));
    if let Cond::Not(c) = part {
        return Some((table(empty(c)?)?, None));
    }
    match empty(part)? {
        SetE::Minus(ab) => Some((table(&ab.0)?, Some(ab.1.clone()))),
        SetE::Both(ab) => {
            let (asked, without) = match table(&ab.0) {
                Some(asked) => (asked, &ab.1),
                None => (table(&ab.1)?, &ab.0),
            };
            let over = SetE::Minus(Box::new((all(&asked), without.clone())));
            Some((asked, Some(over)))
        }
        SetE::Filter(f) if f.lo == 0 && !f.mask.loops() => {
            let over = match &f.mask {
                Mask::Not(mask) => (**mask).clone(),
                mask => Mask::Not(Box::new(mask.clone())),
            };
            let asked = table(&f.set)?;
            let over = filter(all(&asked), f.slot, 0, over);
            Some((asked, Some(over)))
        }
        _ => None,
    }
}

/// The directions, if the tables are made of steps: the members in line with each, those between it and each of them,
/// and whether only pairs with any between count.
fn ways(in_line: &[Bits], (between, count): (&[Bits], usize), some: bool) -> Option<Vec<Way>> {
    let row = |c: usize, x: u32| between.get(c * count + x as usize).filter(|_| (x as usize) < count);
    let mut ways: Vec<Way> = Vec::new();
    let mut pairs = 0_i64;
    for (c, line) in in_line.iter().enumerate() {
        let mut stepwise = true;
        each(line, |x| {
            let inside = row(c, x).unwrap_or(&Bits::NONE);
            if some && inside.is_empty() {
                return;
            }
            pairs += 1;
            stepwise &= note(&mut ways, c as i64, i64::from(x), inside).is_some();
        });
        if !stepwise || ways.len() > MAX_WAYS {
            return None;
        }
    }
    // What the steps make has to be what the tables say, and no more.
    let least = if some { 2 } else { 1 };
    for way in &ways {
        for (c, line) in in_line.iter().enumerate() {
            let (mut at, mut steps) = (c as i64, 0);
            while usize::try_from(at).is_ok_and(|at| at < NARROW) && way.which >> at & 1 == 1 {
                at += i64::from(way.by);
                steps += 1;
                let end = u32::try_from(at).ok()?;
                if steps >= least {
                    let same = row(c, end).map_or(0, Bits::count) + 1 == steps;
                    if !same || !line.has(end) {
                        return None;
                    }
                    pairs -= 1;
                }
            }
        }
    }
    (pairs == 0).then_some(ways)
}

/// Notes the steps from one member to another over some; `None` if these are not steps of one direction.
fn note(ways: &mut Vec<Way>, from: i64, to: i64, over: &Bits) -> Option<()> {
    let steps = i64::from(over.count()) + 1;
    let by = (to - from) / steps;
    let straight = by != 0 && from + by * steps == to;
    if !straight || !(1..steps).all(|k| u32::try_from(from + by * k).is_ok_and(|x| over.has(x))) {
        return None;
    }
    let by = i32::try_from(by).ok()?;
    let at = ways.iter().position(|way| way.by == by).unwrap_or_else(|| {
        ways.push(Way { by, which: 0, most: 0 });
        ways.len() - 1
    });
    let way = ways.get_mut(at)?;
    way.most = way.most.max(over.count());
    for k in 0..steps {
        way.which |= 1 << u32::try_from(from + i64::from(by) * k).ok().filter(|x| (*x as usize) < NARROW)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board so wide and high: the members in line with each, and those between any two in line.
    fn board(wide: i64, high: i64) -> (Vec<Bits>, Vec<Bits>) {
        let n = wide * high;
        let line = |a: i64, b: i64| -> Option<Vec<i64>> {
            let (x, y) = (b % wide - a % wide, b / wide - a / wide);
            let straight = (x != 0 || y != 0) && (x == 0 || y == 0 || x.abs() == y.abs());
            let by = x.signum() + wide * y.signum();
            straight.then(|| (1..x.abs().max(y.abs())).map(|k| a + by * k).collect())
        };
        let bits = |all: &mut dyn Iterator<Item = i64>| -> Bits { all.map(|x| x as u32).collect() };
        let in_line = (0..n).map(|a| bits(&mut (0..n).filter(|b| line(a, *b).is_some()))).collect();
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        (in_line, pairs.map(|(a, b)| bits(&mut line(a, b).unwrap_or_default().into_iter())).collect())
    }

    #[test]
    fn lines_of_boards_are_steps() {
        for (wide, high) in [(8, 8), (9, 9), (5, 3), (11, 11)] {
            let (in_line, between) = board(wide, high);
            for some in [false, true] {
                let ways = ways(&in_line, (&between, in_line.len()), some).unwrap();
                assert_eq!(ways.len(), 8);
                let along = Along { ways: ways.into(), over: SetE::Slot(0), ends: SetE::Slot(1), some };
                let mut word: Narrow = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834;
                for _ in 0..200 {
                    word = word.rotate_left(23).wrapping_mul(0x2545_f491_4f6c_dd1d_0000_0000_0000_0001) ^ 0x55;
                    let all = Bits::below(in_line.len()).narrow();
                    let (over, ends) = (all & (word | word.rotate_left(7)), all & word.rotate_left(61));
                    let mut wanted: Narrow = 0;
                    for (c, line) in in_line.iter().enumerate() {
                        each(line, |x| {
                            let inside = between[c * in_line.len() + x as usize].narrow();
                            let leads = ends >> x & 1 == 1 && inside & !over == 0 && !(some && inside == 0);
                            wanted |= Narrow::from(leads) << c;
                        });
                    }
                    assert_eq!(along.found(over, ends), wanted, "{wide} by {high}, some: {some}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_made_of_steps_is_left_as_it_is() {
        let (mut in_line, between) = board(5, 3);
        let n = in_line.len();
        in_line[0] = [2, 5].into_iter().collect();
        assert_eq!(ways(&in_line, (&between, n), false), None, "the next one is not in line, but the one after it is");
        let (in_line, mut between) = board(5, 3);
        between[2] = Bits::NONE;
        assert_eq!(ways(&in_line, (&between, n), false), None, "nothing is between two that are not beside each other");
    }
}
