//! Conditions on what a table says of a member and something else, asked only of the members of which it says anything.

use super::beyond::beyond;
use super::bits::Bits;
use super::ir::{Cond, Flow, Lin, Mask, Num, SetE, Shared};
use super::tree::of;

/// "What a table says of the member in `slot` and of something else is empty, or nothing of it is such", if it is that:
/// of the members of which the table says nothing it holds without a look at each.
pub(super) fn none_of_pair(
    shared: &Shared,
    (c, set): (&Cond, &SetE),
    (slot, lo, n): (u16, i32, usize),
) -> Option<Mask> {
    let (rows, lin) = table_in(shared, set)?;
    // What can fail must be evaluated for all.
    if lin.strict || of(shared, c).risky {
        return None;
    }
    let is_member = |(term, ..): &(Num, i32, u32)| matches!(term, Num::Slot(s) if *s == slot);
    let at = lin.terms.iter().position(is_member)?;
    let mut others = lin.terms.to_vec();
    let (_, first, count) = others.remove(at);
    let free = |term: &Num| {
        let s = of(shared, term);
        !s.risky && !s.slots.contains(&slot)
    };
    if first != lo || count as usize != n || others.is_empty() || !others.iter().all(|(term, ..)| free(term)) {
        return None;
    }
    // How many rows there are for each value of the parts behind the member.
    let inner = others[at..].iter().map(|(.., count)| *count as usize).product::<usize>();
    let outer = others[..at].iter().map(|(.., count)| *count as usize).product::<usize>();
    let some = |outer: usize, inside: usize| -> Bits {
        let said = |member: &usize| rows.get((outer * n + member) * inner + inside).is_some_and(|row| !row.is_empty());
        (0..n).filter(said).map(|member| member as u32).collect()
    };
    let said: Vec<Bits> = (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))).map(|(o, i)| some(o, i)).collect();
    if said.iter().all(|row| row.count() as usize == n) {
        return None;
    }
    let those = SetE::Table(said.into(), Lin { terms: others.into(), strict: false });
    let not_so = beyond(shared, (c, set), (slot, lo, n)).unwrap_or_else(|| Mask::Not(Box::new(Mask::Loop(c.clone()))));
    Some(Mask::Not(Box::new(Mask::And(Box::new([Mask::In(those), not_so])))))
}

/// The table of which a set is a part.
fn table_in<'s>(shared: &'s Shared, set: &'s SetE) -> Option<(&'s [Bits], &'s Lin)> {
    match set {
        SetE::Table(rows, lin) => Some((rows, lin)),
        SetE::Filter(filter) => table_in(shared, &filter.set),
        SetE::Minus(ab) => table_in(shared, &ab.0),
        SetE::Both(ab) => table_in(shared, &ab.0).or_else(|| table_in(shared, &ab.1)),
        SetE::Flow(flow) => match &**flow {
            Flow::Inst(i) => table_in(shared, shared.sets.get(*i as usize)?),
            _ => None,
        },
        _ => None,
    }
}
