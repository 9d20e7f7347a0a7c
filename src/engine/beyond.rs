//! Conditions on what lies between one member and each of the others, for all others at once.
//!
//! "Nothing stands between the two" asks about each pair by itself. A table of what lies between may be made of lines
//! that lead away from a member, with numbers that rise or fall along each line. Then it is enough to find the first
//! member of each line on which something stands: the members behind it do not meet the condition.

use super::bits::{Bits, NARROW, Narrow, each};
use super::ir::{Cond, Flow, Lin, Mask, Num, SetE, Shared};
use super::tree::{filter, not, of};

/// The maximum number of lines that lead away from a member.
const MAX_LINES: usize = 16;

/// The members that lie on lines behind the first member of a set.
#[derive(Clone, Debug)]
pub(super) struct Beyond {
    /// The lines whose members come in the order of their numbers.
    pub rising: Box<[SetE]>,
    /// The lines whose members come in the opposite order.
    pub falling: Box<[SetE]>,
    /// The set. What lies behind its first member on a line is found.
    pub stops: SetE,
    /// The same as a condition on one member.
    pub each: Cond,
}

/// The members of a line that lie behind its first one that is among some, where their numbers rise.
pub(super) fn behind_rising(line: Narrow, stops: Narrow) -> Narrow {
    let stops = line & stops;
    line & !(stops ^ stops.wrapping_sub(1))
}

/// The same where their numbers fall.
pub(super) fn behind_falling(line: Narrow, stops: Narrow) -> Narrow {
    let last = Narrow::BITS - 1 - (line & stops | 1).leading_zeros();
    line & ((1 << last) - 1)
}

/// The members in `slot` for which a set is not empty, if the set is a part of what a table says of the member and
/// something else, and the table is made of lines. `none` says that the set is empty.
pub(super) fn beyond(shared: &Shared, (none, set): (&Cond, &SetE), (slot, lo, n): (u16, i32, usize)) -> Option<Mask> {
    if lo != 0 || n > NARROW {
        return None;
    }
    let (rows, lin, stops) = row_and_rest(shared, set, &|_| true)?;
    let free = |s: super::tree::Summary| !s.risky && !s.slots.contains(&slot);
    let is_member = |(term, lowest, count): &(Num, i32, u32)| {
        matches!(term, Num::Slot(x) if *x == slot) && *lowest == 0 && *count as usize == n
    };
    let (other, step, by) = match &*lin.terms {
        [other, member] if is_member(member) => (other, n, 1),
        [member, other] if is_member(member) => (other, 1, other.2 as usize),
        _ => return None,
    };
    if lin.strict || !free(of(shared, &other.0)) || !free(of(shared, &stops)) {
        return None;
    }
    let (mut rising, mut falling) = (Vec::new(), Vec::new());
    for i in 0..other.2 as usize {
        let row = |member: usize| rows.get(i * step + member * by).map_or(0, Bits::narrow);
        let lines = lines((0..n).map(row).collect())?;
        note(&mut rising, i, lines.rising);
        note(&mut falling, i, lines.falling);
    }
    if rising.len() + falling.len() > MAX_LINES {
        return None;
    }
    let table = |mut rows: Vec<Bits>| {
        rows.resize(other.2 as usize, Bits::NONE);
        SetE::Table(rows.into(), Lin { terms: Box::new([other.clone()]), strict: false })
    };
    let [rising, falling] = [rising, falling].map(|lines| lines.into_iter().map(table).collect());
    Some(Mask::Beyond(Box::new(Beyond { rising, falling, stops, each: not(none.clone()) })))
}

/// Adds the lines of a member to tables, each of which has one line of every member at most.
fn note(tables: &mut Vec<Vec<Bits>>, member: usize, lines: Vec<Narrow>) {
    tables.resize(tables.len().max(lines.len()), Vec::new());
    for (table, line) in tables.iter_mut().zip(lines) {
        table.resize(member, Bits::NONE);
        table.push(line.into());
    }
}

/// The table and the other set, if a set is what a row of a wanted table and another set share. The other set has what
/// rows of the table have, and maybe more.
pub(super) fn row_and_rest<'s>(
    shared: &'s Shared,
    set: &'s SetE,
    is_wanted: &dyn Fn(&Lin) -> bool,
) -> Option<(&'s [Bits], &'s Lin, SetE)> {
    let again = |set: &'s SetE| row_and_rest(shared, set, is_wanted);
    let all = |rows: &[Bits]| Bits::below(rows.iter().filter_map(Bits::top).max().map_or(0, |top| top as usize + 1));
    match set {
        SetE::Table(rows, lin) => is_wanted(lin).then(|| (&**rows, lin, SetE::Const(all(rows)))),
        SetE::Minus(ab) => {
            let (rows, lin, rest) = again(&ab.0)?;
            Some((rows, lin, SetE::Minus(Box::new((rest, ab.1.clone())))))
        }
        SetE::Both(ab) => match (again(&ab.0), &ab.1) {
            (Some((rows, lin, rest)), other) => Some((rows, lin, shared_by(rest, other.clone(), &all(rows)))),
            (None, other) => {
                let (rows, lin, rest) = again(other)?;
                Some((rows, lin, shared_by(rest, ab.0.clone(), &all(rows))))
            }
        },
        SetE::Filter(f) if f.lo == 0 && !f.mask.loops() => match (again(&f.set), &f.mask) {
            (Some((rows, lin, rest)), mask) => Some((rows, lin, filter(rest, f.slot, 0, mask.clone()))),
            (None, Mask::In(SetE::Table(rows, lin))) if is_wanted(lin) => Some((rows, lin, f.set.clone())),
            _ => None,
        },
        SetE::Flow(flow) => match &**flow {
            Flow::Inst(i) => again(shared.sets.get(*i as usize)?),
            _ => None,
        },
        _ => None,
    }
}

/// What two sets share, as far as it is among some.
fn shared_by(a: SetE, b: SetE, some: &Bits) -> SetE {
    match a {
        SetE::Const(all) if all == *some => b,
        a => SetE::Both(Box::new((a, b))),
    }
}

/// The lines that lead away from a member.
#[derive(Default)]
struct Lines {
    rising: Vec<Narrow>,
    falling: Vec<Narrow>,
}

/// The lines that lead away from a member, given for each other what lies between the two; `None` if that is not made
/// of lines.
fn lines(between: Vec<Narrow>) -> Option<Lines> {
    let mut all: Vec<Narrow> = Vec::new();
    for (to, between) in between.iter().enumerate().filter(|(_, between)| **between != 0) {
        all.push(between | 1 << to);
    }
    // Those that are a part of another are no lines of their own.
    all.sort_by_key(|line| std::cmp::Reverse(line.count_ones()));
    let mut lines: Vec<Narrow> = Vec::new();
    for line in all {
        if !lines.iter().any(|longer| line & !longer == 0) {
            lines.push(line);
        }
    }
    let mut found = Lines::default();
    for line in lines {
        let mut members = Vec::new();
        each(&Bits::from(line), |member| members.push(member));
        if is_in_order(&members, &between) {
            found.rising.push(line);
            continue;
        }
        members.reverse();
        if is_in_order(&members, &between) {
            found.falling.push(line);
        } else {
            return None;
        }
    }
    Some(found)
}

/// Whether before each member of a line lie those that are before it in a list, and no others.
fn is_in_order(line: &[u32], between: &[Narrow]) -> bool {
    let mut before = 0;
    line.iter().all(|member| {
        let fits = between.get(*member as usize) == Some(&before);
        before |= 1 << member;
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board so wide and high: of each pair of members in line what lies between.
    fn board(wide: i64, high: i64) -> Vec<Vec<Narrow>> {
        let between = |a: i64, b: i64| -> Narrow {
            let (x, y) = (b % wide - a % wide, b / wide - a / wide);
            let straight = x == 0 || y == 0 || x.abs() == y.abs();
            let by = x.signum() + wide * y.signum();
            let steps = if straight { x.abs().max(y.abs()) } else { 0 };
            (1..steps).fold(0, |all, k| all | 1 << (a + by * k))
        };
        let n = wide * high;
        (0..n).map(|a| (0..n).map(|b| between(a, b)).collect()).collect()
    }

    #[test]
    fn what_lies_behind_is_what_has_something_before_it() {
        for (wide, high) in [(8, 8), (5, 3), (11, 11), (1, 9)] {
            for between in board(wide, high) {
                let lines = lines(between.clone()).expect("lines");
                assert!(lines.rising.len() <= 4 && lines.falling.len() <= 4);
                let mut stops: Narrow = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834;
                for _ in 0..50 {
                    stops = stops.rotate_left(23).wrapping_mul(0x2545_f491_4f6c_dd1d_0000_0000_0000_0001) ^ 0x55;
                    let behind = lines.rising.iter().fold(0, |all, line| all | behind_rising(*line, stops));
                    let behind = lines.falling.iter().fold(behind, |all, line| all | behind_falling(*line, stops));
                    for (to, between) in between.iter().enumerate() {
                        assert_eq!(behind >> to & 1 == 1, between & stops != 0, "{wide} {high} {to}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_made_of_lines_is_not_taken_for_them() {
        // Two members have each other between.
        assert!(lines(vec![0b10, 0b01]).is_none());
        // What is between is not between what is before it.
        assert!(lines(vec![0, 0, 0b11]).is_none());
        // The order is neither that of the numbers nor the opposite one.
        assert!(lines(vec![0b100, 0b101, 0]).is_none());
        // Two lines with a common beginning.
        let two = lines(vec![0, 0b1, 0b1]).expect("lines");
        assert_eq!(two.rising, [0b11, 0b101]);
    }
}
