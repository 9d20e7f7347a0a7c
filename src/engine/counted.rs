//! Conditions on how many of a set have something to do with a member, for all members in one pass.

use super::bits::{Bits, NARROW};
use super::eval::{MAX_TALLY, Scratch};
use super::ir::{Cond, Flow, Mask, Num, SetE, Shared};
use super::place::Place;
use super::tabled::tabulate_bits;
use super::tree::{depends_only_on, filter, fold, of, only_slot, turned};

/// A condition on how many of a set have the member as their stored value, for all members in one pass.
pub(super) fn tally(shared: &Shared, scratch: &Scratch, c: &Cond, slot: u16, lo: i32, n: usize) -> Option<Mask> {
    let (place, set) = having(shared, scratch, counted(c)?, slot)?;
    let by = by_count(shared, scratch, c, place.count, (slot, lo, n))?;
    Some(Mask::Tally(place, Box::new(set), by))
}

/// A condition on how many of a set each member leads to, by a table of sets, for all members in one pass: not of few
/// members, which are soon gone through.
pub(super) fn linked(shared: &Shared, scratch: &Scratch, c: &Cond, slot: u16, lo: i32, n: usize) -> Option<Mask> {
    let f = match counted(c)? {
        SetE::Filter(f) if n > NARROW => f,
        _ => return None,
    };
    let (rows, row_lo) = match &f.set {
        SetE::Table(rows, lin) if only_slot(lin, slot) && !lin.strict => (rows, lin.terms.first()?.1),
        _ => return None,
    };
    let back = turned(rows, row_lo, lo, n);
    let all = SetE::Const(Bits::below(back.len()));
    let set = fold(shared, scratch, filter(all, f.slot, f.lo, f.mask.clone()));
    let s = of(shared, &set);
    if f.mask.loops() || s.risky || s.slots.contains(&slot) {
        return None;
    }
    let most = rows.iter().map(Bits::count).max()?;
    let by = by_count(shared, scratch, c, most, (slot, lo, n))?;
    Some(Mask::Linked(back.into(), Box::new(set), by))
}

/// The set whose size a condition is about.
fn counted(c: &Cond) -> Option<&SetE> {
    match c {
        Cond::Empty(s) | Cond::Is(Num::Size(s), _) => Some(s),
        Cond::Compare(_, ab) => match &**ab {
            (Num::Size(s), _) | (_, Num::Size(s)) => Some(s),
            _ => None,
        },
        _ => None,
    }
}

/// For each size of the set that a condition is about, the last also for larger ones up to `largest`, the members for
/// which it holds then; `None` if that depends on something else, or more sizes have to be told apart.
fn by_count(
    shared: &Shared,
    scratch: &Scratch,
    c: &Cond,
    largest: u32,
    (slot, lo, n): (u16, i32, usize),
) -> Option<Box<[Bits]>> {
    // With so many it is as with more: the only number it is compared with is below, or it is compared by order.
    let most = largest.min(MAX_TALLY as u32);
    if most < largest && matches!(c, Cond::Is(_, i) if (i64::from(most)..=largest.into()).contains(&(*i).into())) {
        return None;
    }
    // The condition with a set of `k` members in place of it, for each `k` and each member.
    let mut rows = Vec::new();
    for k in (0..=most).chain([largest]) {
        let some = || Box::new(SetE::Const(Bits::below(k as usize)));
        let c = match c {
            Cond::Empty(_) => Cond::Empty(some()),
            Cond::Is(_, i) => Cond::Is(Num::Size(some()), *i),
            Cond::Compare(order, ab) => match &**ab {
                (Num::Size(_), b) => Cond::Compare(*order, Box::new((Num::Size(some()), b.clone()))),
                (a, _) => Cond::Compare(*order, Box::new((a.clone(), Num::Size(some())))),
            },
            _ => return None,
        };
        if !depends_only_on(&of(shared, &c), &[slot]) {
            return None;
        }
        rows.push(tabulate_bits(shared, scratch, (&c, &[]), (slot, lo, n))?);
    }
    while rows.len() > 1 && rows.last() == rows.get(rows.len() - 2) {
        rows.pop();
    }
    (rows.len() <= MAX_TALLY + 1).then(|| rows.into())
}

/// The set of which those count whose stored value is the member in `slot`, and where it is stored.
fn having(shared: &Shared, scratch: &Scratch, s: &SetE, slot: u16) -> Option<(Place, SetE)> {
    let f = match s {
        SetE::Filter(f) if f.lo == 0 => f,
        SetE::Flow(flow) => match &**flow {
            Flow::Inst(i) => return having(shared, scratch, shared.sets.get(*i as usize)?, slot),
            _ => return None,
        },
        _ => return None,
    };
    let parts = match &f.mask {
        Mask::And(parts) => &**parts,
        one => std::slice::from_ref(one),
    };
    let is = |m: &Mask| matches!(m, Mask::Field(_, Num::Slot(s)) if *s == slot);
    let (mut own, rest): (Vec<&Mask>, Vec<&Mask>) = parts.iter().partition(|m| is(m));
    let Some(Mask::Field(place, _)) = own.pop().filter(|_| own.is_empty()) else {
        return None;
    };
    let rest: Vec<Mask> = rest.into_iter().cloned().collect();
    let mask = if rest.is_empty() { Mask::All } else { Mask::And(rest.into()) };
    let set = filter(f.set.clone(), f.slot, f.lo, mask);
    let set = fold(shared, scratch, set);
    (!of(shared, &set).slots.contains(&slot)).then_some((*place, set))
}
