//! Options that differ only in which of several alike members they name.

use std::collections::HashMap;

use super::{Args, Choice, Position};
use crate::model::{
    ActionId, Base, Choose, ChooseWhat, Copies, InstrKind, KindId, Model, Var, VarId, VarOwner, exchanged,
    holds_members,
};

/// Leaves of options that lead to one position, up to an exchange of members that nothing tells apart, only the first.
/// What chance brings stays as it is: each copy is an outcome of its own.
pub fn without_copies(model: &Model, position: &Position, options: &mut Vec<Choice>) {
    if model.copies.is_empty() || options.len() < 2 {
        return;
    }
    let Some(choose) = asked(model, position) else {
        return;
    };
    let mut listed = options.clone();
    listed.sort_unstable();
    let mut exchange = Exchange { model, position, known: HashMap::new() };
    options.retain(|choice| !exchange.has_earlier(choose, &listed, *choice));
}

/// What choices have in common that differ only in members of kinds that are called by what they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedAlike {
    action: Option<ActionId>,
    /// The values that are named; `None` for each member of such a kind.
    values: Vec<Option<i32>>,
}

impl NamedAlike {
    /// Of a choice at a position; `None` if it names no such member.
    #[must_use]
    pub fn new(model: &Model, position: &Position, choice: Choice) -> Option<NamedAlike> {
        let choose = asked(model, position)?;
        let called =
            |kind: Option<KindId>| kind.and_then(|k| model.kinds.get(k.i())).is_some_and(|k| k.called.is_some());
        let (kinds, values) = named(model, choose, choice);
        let action = match choice {
            Choice::Act(id, _) => Some(id),
            _ => None,
        };
        let values = kinds.iter().zip(values).map(|(kind, value)| (!called(*kind)).then_some(value));
        let values: Vec<Option<i32>> = values.collect();
        values.contains(&None).then_some(NamedAlike { action, values })
    }
}

/// The decision of a position; `None` if it is at none.
fn asked<'m>(model: &'m Model, position: &Position) -> Option<&'m Choose> {
    if position.ending(model).is_some() {
        return None;
    }
    let (code, pc) = position.top(model)?;
    match &model.codes.get(code.i())?.instrs.get(usize::from(pc))?.kind {
        InstrKind::Choose(choose) => Some(choose),
        _ => None,
    }
}

/// The values that a choice names, each with the kind that it is a member of, if it is one.
fn named(model: &Model, choose: &Choose, choice: Choice) -> (Vec<Option<KindId>>, Vec<i32>) {
    let kind = |base: &Base| match base {
        Base::Member(kind) => Some(*kind),
        _ => None,
    };
    match choice {
        Choice::Act(id, args) => {
            let params = model.actions.get(id.i()).map_or(&[][..], |a| &a.params);
            let values = args.as_slice().iter().map(|v| i32::from(*v));
            (params.iter().map(|(_, ty)| kind(&ty.base)).collect(), values.collect())
        }
        Choice::Value(value) => match &choose.what {
            ChooseWhat::One { of, .. } | ChooseWhat::Several { of, .. } => (vec![kind(of)], vec![value]),
            _ => (vec![None], vec![value]),
        },
        Choice::Yes | Choice::Pass => (Vec::new(), Vec::new()),
    }
}

/// Exchanges of two members at a position.
struct Exchange<'a> {
    model: &'a Model,
    position: &'a Position,
    /// Whether the position is the same after an exchange.
    known: HashMap<(KindId, u16, u16), bool>,
}

impl Exchange<'_> {
    /// Whether an option that is listed becomes this one by an exchange of a member with a later one.
    fn has_earlier(&mut self, choose: &Choose, listed: &[Choice], choice: Choice) -> bool {
        let model = self.model;
        let (kinds, values) = named(model, choose, choice);
        for (i, (kind, value)) in kinds.iter().zip(&values).enumerate() {
            let copies = model.copies.iter().find(|c| Some(c.kind) == *kind);
            let (Some(copies), Ok(member)) = (copies, u16::try_from(*value)) else {
                continue;
            };
            let before = |m: u16| {
                let earlier = kinds.iter().zip(&values).take(i);
                earlier.into_iter().any(|(k, v)| k == kind && *v == i32::from(m))
            };
            let first = copies.first.get(usize::from(member)).copied().unwrap_or(member);
            if first == member || before(member) {
                continue;
            }
            for other in (first..member).filter(|m| copies.first.get(usize::from(*m)) == Some(&first)) {
                let two = (usize::from(other), usize::from(member));
                let moved = || {
                    let parts = kinds.iter().zip(&values).map(|(k, v)| match usize::try_from(*v) {
                        Ok(m) if k == kind => exchanged(two, m) as i32,
                        _ => *v,
                    });
                    let parts: Vec<i32> = parts.collect();
                    match choice {
                        Choice::Act(id, _) => Choice::Act(id, Args::new(&parts)),
                        _ => parts.first().map_or(choice, |v| Choice::Value(*v)),
                    }
                };
                if !before(other) && listed.binary_search(&moved()).is_ok() && self.same(copies, (other, member)) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the position is the same after two members were exchanged.
    fn same(&mut self, copies: &Copies, (a, b): (u16, u16)) -> bool {
        let key = (copies.kind, a, b);
        if let Some(same) = self.known.get(&key) {
            return *same;
        }
        let two = (usize::from(a), usize::from(b));
        let same = copies.vars.iter().all(|var| self.same_in(*var, copies.kind, two));
        self.known.insert(key, same);
        same
    }

    fn same_in(&self, var: VarId, kind: KindId, two: (usize, usize)) -> bool {
        let Some(v) = self.model.vars.get(var.i()) else {
            return true;
        };
        let levels = match v.owner {
            VarOwner::Code(code) => u32::from(self.position.active(self.model, code)).min(v.place.levels),
            _ => v.place.levels,
        };
        let moved = self.moved_index(v, kind, two);
        let names = holds_members(&v.ty.base, kind);
        (0..levels).all(|level| {
            let entry = |i: usize| {
                let at = v.place.offset + v.place.width * (v.place.count * level + i as u32);
                self.position.part(&self.model.layout, at as usize..(at + v.place.width) as usize)
            };
            match (names, v.index == Some(kind)) {
                (false, true) => entry(two.0) == entry(two.1),
                (false, false) => (0..v.place.count as usize).all(|i| moved(i) == i || entry(i) == entry(moved(i))),
                (true, _) => {
                    let members = self.model.kinds.get(kind.i()).map_or(0, |k| k.members.len());
                    let of = (&v.ty.base, members);
                    (0..v.place.count as usize).all(|i| same_entry(of, two, &entry(i), &entry(moved(i))))
                }
            }
        })
    }

    /// Where the entry of a variable is after the exchange.
    fn moved_index(&self, v: &Var, kind: KindId, two: (usize, usize)) -> impl Fn(usize) -> usize + use<> {
        let pair = v.index.and_then(|k| self.model.pair(k));
        let own = v.index == Some(kind);
        move |i| match pair {
            _ if own => exchanged(two, i),
            Some((first, second, n)) => {
                let n = n.max(1);
                let (x, y) = (i / n, i % n);
                let x = if first == kind { exchanged(two, x) } else { x };
                n * x + if second == kind { exchanged(two, y) } else { y }
            }
            None => i,
        }
    }
}

/// Whether an entry becomes another one by an exchange of two members that it names.
fn same_entry((base, members): (&Base, usize), two: (usize, usize), entry: &[u8], other: &[u8]) -> bool {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0usize, |n, b| n << 8 | usize::from(*b));
    match base {
        Base::Member(_) => match number(entry).checked_sub(1) {
            // A member is stored as its place and one.
            Some(m) => number(other) == exchanged(two, m) + 1,
            None => number(other) == 0,
        },
        Base::Set(_) => {
            let bit = |bytes: &[u8], m: usize| bytes.get(m / 8).is_some_and(|b| b >> (m % 8) & 1 == 1);
            let mut moved = entry.to_vec();
            for (to, from) in [(two.0, two.1), (two.1, two.0)] {
                if let Some(byte) = moved.get_mut(to / 8) {
                    *byte = *byte & !(1 << (to % 8)) | u8::from(bit(entry, from)) << (to % 8);
                }
            }
            moved == other
        }
        Base::Bag(_) => {
            let mut moved = entry.to_vec();
            if moved.len() > two.0.max(two.1) {
                moved.swap(two.0, two.1);
            }
            moved == other
        }
        Base::List(_) => {
            let (Some((length, items)), Some((others, theirs))) =
                (entry.split_at_checked(2), other.split_at_checked(2))
            else {
                return entry == other;
            };
            let n = number(length);
            let width = (items.len() / members.max(1)).max(1);
            let item = |bytes: &[u8], i: usize| bytes.get(i * width..(i + 1) * width).map(number);
            length == others && (0..n).all(|i| item(theirs, i) == item(items, i).map(|m| exchanged(two, m)))
        }
        _ => entry == other,
    }
}
