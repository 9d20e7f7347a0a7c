//! Properties of lowered trees: what they depend on, and simpler forms.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::along::{along, none_along, none_beside};
use super::bits::{Bits, each};
use super::counted::{linked, tally};
use super::eval::{Ev, Scratch, Tree};
use super::ir::{Cond, Filter, Flow, Joined, Lin, Mask, NONE, Num, SetE, Shared};
use super::leaf::Leaf;
use super::pairs::none_of_pair;
use super::place::Place;
use super::tabled::{printed, printed_among, read_in_table, tabled, tabulate_bits, together};

/// What a tree depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    pub slots: Vec<u16>,
    pub sets: Vec<u16>,
    pub dynamic: bool,
    /// Bytes of the position that are read: the first of each part, and how many.
    pub reads: Vec<(u32, u32)>,
    /// The variables of one byte among them: where, the lowest value, and how many.
    pub bytes: Vec<(u32, i32, u32)>,
    /// Whether it depends on more of the position than those.
    pub beyond: bool,
    /// Whether it goes through sets.
    pub loops: bool,
    pub risky: bool,
    pub size: usize,
}

/// The maximum number of parts of trees that are examined for optimization, with so many more for each clause; after
/// that trees are made as they come, and beyond the factor not at all.
const EAGER: u64 = 3_000_000;
const EAGER_PER_CLAUSE: u64 = 5_000;
const MAX_VISITED_FACTOR: u64 = 4;

impl Shared {
    fn eager(&self) -> u64 {
        EAGER + EAGER_PER_CLAUSE * self.clauses
    }

    /// Whether much has been looked at already.
    pub fn is_tight(&self) -> bool {
        self.looked.load(Ordering::Relaxed) > self.eager()
    }

    /// Whether a table of so many entries may be computed: a small one always, large ones up to a number in all.
    pub fn may_table(&self, entries: usize) -> bool {
        if entries <= MAX_SMALL_TABLE {
            return true;
        }
        let before = self.tabled.fetch_add(entries as u64, Ordering::Relaxed);
        let fits = before + entries as u64 <= MAX_TABLED;
        if !fits {
            self.tabled.fetch_sub(entries as u64, Ordering::Relaxed);
        }
        fits
    }

    /// Whether too much has been looked at.
    pub fn is_too_much(&self) -> bool {
        self.looked.load(Ordering::Relaxed) > MAX_VISITED_FACTOR * self.eager()
    }
}

/// The maximum number of entries of a small table, and of large ones together.
pub(super) const MAX_SMALL_TABLE: usize = 16_384;
const MAX_TABLED: u64 = 1 << 20;

/// Largest tree that is copied rather than shared.
pub(super) const SMALL: usize = 24;

/// A tree that can be built by the parts that all kinds have.
pub(super) trait Part: Tree {
    fn flow(flow: Flow<Self>) -> Self;
    fn constant(value: Self::Out) -> Self;
    fn as_constant(&self) -> Option<Self::Out>;
    fn visit(&self, f: &mut dyn FnMut(Leaf));
    fn share(self, shared: &mut Shared) -> u32;
}

impl Part for Num {
    fn flow(flow: Flow<Num>) -> Num {
        Num::Flow(Box::new(flow))
    }
    fn constant(value: i32) -> Num {
        Num::Const(value)
    }
    fn as_constant(&self) -> Option<i32> {
        if let Num::Const(i) = self { Some(*i) } else { None }
    }
    fn visit(&self, f: &mut dyn FnMut(Leaf)) {
        self.walk(f);
    }
    fn share(self, shared: &mut Shared) -> u32 {
        shared.nums.push(self);
        shared.nums.len() as u32 - 1
    }
}

impl Part for Cond {
    fn flow(flow: Flow<Cond>) -> Cond {
        Cond::Flow(Box::new(flow))
    }
    fn constant(value: bool) -> Cond {
        Cond::Const(value)
    }
    fn as_constant(&self) -> Option<bool> {
        if let Cond::Const(b) = self { Some(*b) } else { None }
    }
    fn visit(&self, f: &mut dyn FnMut(Leaf)) {
        self.walk(f);
    }
    fn share(self, shared: &mut Shared) -> u32 {
        shared.conds.push(self);
        shared.conds.len() as u32 - 1
    }
}

impl Part for SetE {
    fn flow(flow: Flow<SetE>) -> SetE {
        SetE::Flow(Box::new(flow))
    }
    fn constant(value: Bits) -> SetE {
        SetE::Const(value)
    }
    fn as_constant(&self) -> Option<Bits> {
        if let SetE::Const(b) = self { Some(b.clone()) } else { None }
    }
    fn visit(&self, f: &mut dyn FnMut(Leaf)) {
        self.walk(f);
    }
    fn share(self, shared: &mut Shared) -> u32 {
        shared.sets.push(self);
        shared.sets.len() as u32 - 1
    }
}

/// Tells what a walk meets, and what walks through the shared trees meet that it comes by, each of them once.
pub(super) fn walk_through(shared: &Shared, walk: impl FnOnce(&mut dyn FnMut(Leaf)), mut f: impl FnMut(Leaf)) {
    let mut insts = Vec::new();
    let mut visit = |leaf: Leaf, insts: &mut Vec<(u8, u32)>| {
        if let Leaf::Inst(kind, at) = leaf
            && !insts.contains(&(kind, at))
        {
            insts.push((kind, at));
        }
        f(leaf);
    };
    walk(&mut |leaf| visit(leaf, &mut insts));
    let mut next = 0;
    while let Some((kind, at)) = insts.get(next).copied() {
        shared.walk((kind, at as usize), &mut |leaf| visit(leaf, &mut insts));
        next += 1;
    }
}

/// What a walk comes by, shared trees included.
pub(super) fn summary(shared: &Shared, walk: impl FnOnce(&mut dyn FnMut(Leaf))) -> Summary {
    let mut all = Summary::default();
    let (mut bound, mut bound_sets) = (Vec::new(), Vec::new());
    walk_through(shared, walk, |leaf| match leaf {
        Leaf::Slot(s) => all.slots.push(s),
        Leaf::SetSlot(s) => all.sets.push(s),
        Leaf::Bind(s) => bound.push(s),
        Leaf::BindSet(s) => bound_sets.push(s),
        Leaf::Dynamic => (all.dynamic, all.beyond) = (true, true),
        Leaf::Reads(at, len) => {
            (all.dynamic, all.beyond) = (true, true);
            if !all.reads.contains(&(at, len)) {
                all.reads.push((at, len));
            }
        }
        Leaf::Byte(at, lo, count) => {
            all.dynamic = true;
            if !all.reads.contains(&(at, 1)) {
                all.reads.push((at, 1));
            }
            if !all.bytes.contains(&(at, lo, count)) {
                all.bytes.push((at, lo, count));
            }
        }
        Leaf::Risk => all.risky = true,
        Leaf::Node => all.size += 1,
        leaf => all.loops |= leaf.loops(),
    });
    shared.looked.fetch_add(1 + all.size as u64, Ordering::Relaxed);
    all.slots.retain(|s| !bound.contains(s));
    all.sets.retain(|s| !bound_sets.contains(s));
    all.slots.sort_unstable();
    all.slots.dedup();
    all
}

pub(super) fn of<T: Part>(shared: &Shared, t: &T) -> Summary {
    summary(shared, |f| t.visit(f))
}

/// Whether nothing but these slots matters to a tree.
pub(super) fn depends_only_on(s: &Summary, slots: &[u16]) -> bool {
    !s.dynamic && s.sets.is_empty() && s.slots.iter().all(|x| slots.contains(x))
}

/// The value of a tree that depends on no position, with its slots as they are in the scratch; `None` if it fails.
pub(super) fn evaluate<T: Part>(shared: &Shared, scratch: &Scratch, t: &T) -> Option<T::Out> {
    evaluate_in(&[], shared, scratch, t)
}

/// The same of a tree that depends on these bytes of a position at most.
pub(super) fn evaluate_in<T: Part>(bytes: &[u8], shared: &Shared, scratch: &Scratch, t: &T) -> Option<T::Out> {
    scratch.failed.set(false);
    let ev = Ev { bytes, shared, scratch, any_legal: None, winners: 0, program: None };
    let value = t.value(&ev);
    (!scratch.failed.replace(false)).then_some(value)
}

/// A tree, or its value if it is constant.
pub(super) fn fold<T: Part>(shared: &Shared, scratch: &Scratch, t: T) -> T {
    if t.as_constant().is_some() {
        return t;
    }
    if !shared.is_tight()
        && depends_only_on(&of(shared, &t), &[])
        && let Some(value) = evaluate(shared, scratch, &t)
    {
        return T::constant(value);
    }
    t
}

pub(super) fn not(c: Cond) -> Cond {
    match c {
        Cond::Const(b) => Cond::Const(!b),
        Cond::Not(c) => *c,
        c => Cond::Not(Box::new(c)),
    }
}

/// Conditions in turn: all (`true`) or any of them.
pub(super) fn join(list: impl IntoIterator<Item = Cond>, all: bool) -> Cond {
    let mut flat = Vec::new();
    for c in list {
        match c {
            Cond::Const(b) if b == all => {}
            Cond::Const(b) => {
                // What comes before it may fail, but then it is not for certain either.
                flat.push(Cond::Const(b));
                break;
            }
            Cond::All(cs) if all => flat.extend(cs),
            Cond::Any(cs) if !all => flat.extend(cs),
            c => flat.push(c),
        }
    }
    if matches!(flat.first(), Some(Cond::Const(_))) {
        return Cond::Const(!all);
    }
    if flat.len() == 1 {
        return flat.swap_remove(0);
    }
    match (flat.is_empty(), all) {
        (true, _) => Cond::Const(all),
        (_, true) => Cond::All(flat.into()),
        (_, false) => Cond::Any(flat.into()),
    }
}

pub(super) fn choose<T: Part>(c: Cond, a: T, b: T) -> T {
    match c {
        Cond::Const(true) => a,
        Cond::Const(false) => b,
        c => T::flow(Flow::If(c, a, b)),
    }
}

/// The members of a set that meet a condition.
pub(super) fn filter(set: SetE, slot: u16, lo: i32, mask: Mask) -> SetE {
    match mask {
        Mask::All => set,
        mask => SetE::Filter(Box::new(Filter { set, slot, lo, mask })),
    }
}

/// A condition on a member as one on all members at once. `n` is how many members there can be.
pub(super) fn mask(shared: &Shared, scratch: &Scratch, c: &Cond, slot: u16, lo: i32, n: usize) -> Mask {
    mask_of(shared, scratch, c, (slot, lo, n), &Cell::new(MAX_TABLED_PARTS))
}

/// The same, of at most so many parts: what is left then is looked at member by member.
fn mask_of(shared: &Shared, scratch: &Scratch, c: &Cond, (slot, lo, n): (u16, i32, usize), left: &Cell<u32>) -> Mask {
    let again = |c: &Cond| mask_of(shared, scratch, c, (slot, lo, n), left);
    left.set(left.get().saturating_sub(1));
    let free = |s: &Summary| !s.slots.contains(&slot);
    let s = of(shared, c);
    if free(&s) {
        return match c {
            Cond::Const(true) => Mask::All,
            c => Mask::Scalar(c.clone()),
        };
    }
    if shared.is_tight() || left.get() == 0 {
        return Mask::Loop(c.clone());
    }
    if depends_only_on(&s, &[slot])
        && let Some(bits) = tabulate_bits(shared, scratch, (c, &[]), (slot, lo, n))
    {
        return Mask::In(SetE::Const(bits));
    }
    if let Some(found) = read_in_table(shared, c, slot, lo, n) {
        return found;
    }
    if !matches!(c, Cond::All(_))
        && let Some(found) = tabled(shared, scratch, c, &s, (slot, lo, n))
    {
        return found;
    }
    let free_num = |x: &Num| free(&of(shared, x));
    let free_set = |x: &SetE| free(&of(shared, x));
    if let Some(found) = tally(shared, scratch, c, slot, lo, n).or_else(|| linked(shared, scratch, c, slot, lo, n)) {
        return found;
    }
    match c {
        Cond::All(_) => {
            let (quick, slow) = split_of(shared, scratch, c.clone(), (slot, lo, n), left);
            let parts = |c: &Cond| match c {
                Cond::All(cs) => cs.to_vec(),
                Cond::Const(true) => Vec::new(),
                c => vec![c.clone()],
            };
            let quick = parts(&quick);
            let quick: Vec<&Cond> = quick.iter().collect();
            let mut masks = together(shared, scratch, (&quick, true), (slot, lo, n), again);
            masks.extend(parts(&slow).iter().map(again));
            Mask::And(masks.into())
        }
        Cond::Any(cs) => Mask::Or(cs.iter().map(again).collect()),
        Cond::Not(c) => Mask::Not(Box::new(again(c))),
        Cond::Is(Num::Flow(flow), i) if matches!(**flow, Flow::If(..)) => match &**flow {
            Flow::If(c, a, b) => {
                let is = |n: &Num| Cond::Is(n.clone(), *i);
                again(&Cond::Flow(Box::new(Flow::If(c.clone(), is(a), is(b)))))
            }
            _ => Mask::Loop(c.clone()),
        },
        // A truth is 0 or 1.
        Cond::Truth(a @ Num::At(place, _)) if place.lo == 0 && place.span == 2 => again(&Cond::Is(a.clone(), 1)),
        Cond::Is(a, i) => {
            equal(shared, scratch, (a, &Num::Const(*i)), slot, lo, n).unwrap_or_else(|| Mask::Loop(c.clone()))
        }
        Cond::Equal(ab) => {
            let (a, b) = &**ab;
            let found = if free_num(b) {
                equal(shared, scratch, (a, b), slot, lo, n)
            } else if free_num(a) {
                equal(shared, scratch, (b, a), slot, lo, n)
            } else {
                None
            };
            found.unwrap_or_else(|| Mask::Loop(c.clone()))
        }
        Cond::In(item, set, set_lo) => match (&**item, &**set) {
            (Num::Slot(x), set) if *x == slot && *set_lo == lo && free_set(set) => Mask::In(set.clone()),
            (item, SetE::Table(rows, lin)) if free_num(item) && only_slot(lin, slot) && !lin.strict => {
                let Some((_, row_lo, _)) = lin.terms.first() else {
                    return Mask::Loop(c.clone());
                };
                let back = turned(rows, *row_lo, lo, n);
                let terms = Box::new([(item.clone(), *set_lo, back.len() as u32)]);
                Mask::In(SetE::Table(back.into(), Lin { terms, strict: false }))
            }
            (item, SetE::Reach(rows, from, ..)) if lo == 0 && *set_lo == 0 && is_slot_alone(from, slot) => {
                let back = leading_to(item, set);
                let known = back.filter(|back| free_set(back) && !of(shared, back).risky && n <= rows.len());
                known.map_or_else(|| Mask::Loop(c.clone()), Mask::In)
            }
            (item, set) => printed_among(shared, scratch, (item, set, *set_lo), (slot, lo, n))
                .unwrap_or_else(|| Mask::Loop(c.clone())),
        },
        Cond::Row(rows, at, row_lo, count) => match &at.1 {
            Num::Slot(x)
                if *x == slot
                    && *row_lo == lo
                    && n <= *count as usize
                    && !at.0.terms.iter().any(|(t, ..)| !free_num(t)) =>
            {
                Mask::In(SetE::Table(rows.clone(), at.0.clone()))
            }
            _ => Mask::Loop(c.clone()),
        },
        Cond::Empty(set) => {
            let found = none_along(shared, set, (slot, lo, n));
            let found = found.or_else(|| none_beside(shared, set, (slot, lo, n)));
            let found = found.or_else(|| none_of_pair(shared, (c, set), (slot, lo, n)));
            found.unwrap_or_else(|| Mask::Loop(c.clone()))
        }
        Cond::Some(sc, one, one_lo) => {
            let member = (slot, lo, n);
            let found = along(shared, sc, (*one, *one_lo), member);
            let found = found.or_else(|| joined(shared, scratch, sc, (*one, *one_lo), (slot, lo), left));
            found.unwrap_or_else(|| Mask::Loop(c.clone()))
        }
        Cond::Flow(flow) => match &**flow {
            Flow::If(c, a, b) => match (a, b) {
                (_, Cond::Const(false)) => Mask::And(Box::new([again(c), again(a)])),
                (Cond::Const(true), _) => Mask::Or(Box::new([again(c), again(b)])),
                (Cond::Const(false), _) => Mask::And(Box::new([again(&not(c.clone())), again(b)])),
                _ => Mask::Either(Box::new((again(c), again(a), again(b)))),
            },
            Flow::Inst(i) => shared.conds.get(*i as usize).map_or_else(|| Mask::Loop(c.clone()), again),
            Flow::Let(binds, body) if binds.iter().all(|bind| free(&summary(shared, |f| bind.walk(f)))) => {
                Mask::Let(binds.clone(), Box::new(again(body)))
            }
            _ => Mask::Loop(c.clone()),
        },
        _ => Mask::Loop(c.clone()),
    }
}

/// "One of them has the member in its set" as one set, put together of theirs.
fn joined(
    shared: &Shared,
    scratch: &Scratch,
    (set, c): &(SetE, Cond),
    (one, one_lo): (u16, i32),
    (slot, lo): (u16, i32),
    left: &Cell<u32>,
) -> Option<Mask> {
    let parts = if let Cond::All(cs) = c { cs } else { std::slice::from_ref(c) };
    let free = |s: Summary| !s.risky && !s.slots.contains(&slot);
    let of_one = |c: &Cond| match c {
        Cond::In(item, theirs, of_lo) if *of_lo == lo && matches!(**item, Num::Slot(x) if x == slot) => {
            Some((**theirs).clone()).filter(|theirs| free(of(shared, theirs)))
        }
        _ => None,
    };
    let (at, of_set) = parts.iter().enumerate().find_map(|(i, c)| Some((i, of_one(c)?)))?;
    let others = parts.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| c);
    if !free(of(shared, set)) || !others.clone().all(|c| free(of(shared, c))) {
        return None;
    }
    let others = join(others.cloned(), true);
    let span = scratch.spans.get(usize::from(one)).copied().flatten();
    let those = match (others, span) {
        (Cond::Const(true), _) => set.clone(),
        (others, Some((first, n))) if first == one_lo => {
            filter(set.clone(), one, one_lo, mask_of(shared, scratch, &others, (one, one_lo, n), left))
        }
        (others, _) => filter(set.clone(), one, one_lo, Mask::Loop(others)),
    };
    Some(Mask::In(SetE::Joined(Box::new(Joined { set: those, slot: one, lo: one_lo, of: of_set }))))
}

/// The parts of a condition that can be told of all members at once, and the others. What may fail, and all after it,
/// keeps its turn.
pub(super) fn split(shared: &Shared, scratch: &Scratch, c: Cond, slot: u16, lo: i32, n: usize) -> (Cond, Cond) {
    split_of(shared, scratch, c, (slot, lo, n), &Cell::new(MAX_TABLED_PARTS))
}

fn split_of(shared: &Shared, scratch: &Scratch, c: Cond, member: (u16, i32, usize), left: &Cell<u32>) -> (Cond, Cond) {
    let Cond::All(parts) = c else {
        return (Cond::Const(true), c);
    };
    let (mut quick, mut slow, mut in_turn) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        let s = of(shared, &part);
        let may_fail = || s.risky && tabled(shared, scratch, &part, &s, member).is_none();
        if !in_turn.is_empty() || may_fail() {
            in_turn.push(part);
        } else if mask_of(shared, scratch, &part, member, left).loops() {
            slow.push((s.size, part));
        } else {
            quick.push(part);
        }
    }
    // The smallest first, so that the others are asked about few members.
    slow.sort_by_key(|(size, _)| *size);
    let slow = slow.into_iter().map(|(_, part)| part);
    (join(quick, true), join(slow.chain(in_turn), true))
}

/// Whether a set is that of a slot's value, and of no other.
fn is_slot_alone(set: &SetE, slot: u16) -> bool {
    matches!(set, SetE::Of(items, 0, ..) if matches!(&**items, [Num::Slot(x)] if *x == slot))
}

/// The members from which a search would come to one: those that are come to from there the other way round. The
/// shortest way does not come back to where it begins, nor go through where it ends, so that it is the same whether
/// one may go through those.
fn leading_to(item: &Num, search: &SetE) -> Option<SetE> {
    let SetE::Reach(rows, _, slot, mask) = search else { return None };
    let n = rows.len();
    let mut back = turned(rows, 0, 0, n);
    back.resize(n.max(back.len()), Bits::NONE);
    let rows = if back[..] == **rows { Arc::clone(rows) } else { back.into() };
    let from = SetE::Of(Box::new([item.clone()]), 0, n, true);
    Some(SetE::Reach(rows, Box::new(from), *slot, mask.clone()))
}

/// A table the other way round: for each bit of its rows, the rows that have it, of `n` with bit 0 for `lo`.
pub(super) fn turned(rows: &[Bits], row_lo: i32, lo: i32, n: usize) -> Vec<Bits> {
    let size = rows.iter().filter_map(Bits::top).max().map_or(1, |top| top as usize + 1);
    let mut back = vec![Bits::NONE; size];
    for (x, row) in rows.iter().enumerate() {
        let b = x as i64 + i64::from(row_lo) - i64::from(lo);
        if (0..n as i64).contains(&b) {
            each(row, |y| back[y as usize].add(b as u32));
        }
    }
    back
}

pub(super) fn only_slot(lin: &Lin, slot: u16) -> bool {
    matches!(&*lin.terms, [(Num::Slot(s), ..)] if *s == slot)
}

/// The members for which `a` (of the member) is `b` (not of it).
fn equal(shared: &Shared, scratch: &Scratch, (a, b): (&Num, &Num), slot: u16, lo: i32, n: usize) -> Option<Mask> {
    match a {
        Num::Slot(_) => Some(Mask::Is(b.clone())),
        Num::At(p, index) if matches!(**index, Num::Slot(_)) => {
            let fits = lo == 0 && p.width <= 2 && p.level == 0;
            fits.then(|| Mask::Field(*p, b.clone()))
        }
        Num::At(p, index) => {
            let fits = p.width <= 2 && p.level == 0 && p.count <= 64;
            let first = Some(index).filter(|_| fits).and_then(|index| in_a_row(index, slot, lo, n))?;
            Some(Mask::FieldFrom(*p, first, b.clone()))
        }
        Num::Table(values, lin) => match &*lin.terms {
            [(Num::At(p, index), first, _)] if matches!(**index, Num::Slot(x) if x == slot) && !lin.strict => {
                stored(p, (values, *first), b, lo)
            }
            _ => printed(shared, scratch, (a, b), slot, lo, n),
        },
        _ => printed(shared, scratch, (a, b), slot, lo, n),
    }
}

/// The first entry, if an index is the next entry for each next member.
fn in_a_row(index: &Num, slot: u16, lo: i32, n: usize) -> Option<u32> {
    let Num::Table(values, lin) = index else { return None };
    let [(Num::Slot(x), lowest, _)] = &*lin.terms else { return None };
    let from = usize::try_from(i64::from(lo) - i64::from(*lowest)).ok()?;
    let entries = values.get(from..from.checked_add(n)?)?;
    let first = u32::try_from(*entries.first()?).ok()?;
    let is_next = |(i, entry): (i64, &i32)| i64::from(*entry) == i64::from(first) + i;
    (*x == slot && !lin.strict && (0..).zip(entries).all(is_next)).then_some(first)
}

/// The members whose stored value has `b` as its entry in a table.
fn stored(p: &Place, (values, first): (&[i32], i32), b: &Num, lo: i32) -> Option<Mask> {
    let fits = lo == 0 && p.width == 1 && p.level == 0 && p.span < 16;
    if !fits {
        return None;
    }
    let entry = |s: i64| match s {
        0 => NONE,
        s => usize::try_from(s - 1 + i64::from(p.lo) - i64::from(first))
            .ok()
            .and_then(|i| values.get(i))
            .copied()
            .unwrap_or(NONE),
    };
    let with = |v: i32| (0..=p.span as u32).filter(|s| entry(i64::from(*s)) == v).collect::<Bits>();
    if let Some(v) = b.as_constant() {
        return Some(Mask::Stored(*p, Box::new(SetE::Const(with(v)))));
    }
    let known = || (0..=p.span as i64).map(entry).filter(|v| *v != NONE);
    let (least, most) = (known().min()?, known().max()?);
    let count = u32::try_from(i64::from(most) - i64::from(least) + 1).ok().filter(|c| *c <= 1024)?;
    let rows: Vec<Bits> = (0..count as i32).map(|i| with(least + i)).collect();
    let terms = Box::new([(b.clone(), least, count)]);
    let table = SetE::Table(rows.into(), Lin { terms, strict: false });
    let set = choose(Cond::Is(b.clone(), NONE), SetE::Const(with(NONE)), table);
    Some(Mask::Stored(*p, Box::new(set)))
}

/// The maximum number of parts of a condition on all members at once.
const MAX_TABLED_PARTS: u32 = 4000;

impl Num {
    /// Whether it is certainly nothing or one of `n` numbers from `lo` on.
    pub fn fits(&self, lo: i32, n: usize) -> bool {
        let within = |first: i32, count: u64| {
            let end = i64::from(lo).saturating_add_unsigned(n as u64);
            first >= lo && i64::from(first).saturating_add_unsigned(count) <= end
        };
        match self {
            Num::Const(i) => *i == NONE || within(*i, 1),
            Num::Byte(_, first, count) => within(*first, u64::from(*count)),
            Num::Var(p) | Num::At(p, _) => within(p.lo, p.span),
            Num::First(set, first) => set.room().is_some_and(|count| within(*first, count)),
            _ => false,
        }
    }
}

impl SetE {
    /// How many bits it can have at most, if that is plain to see.
    fn room(&self) -> Option<u64> {
        match self {
            SetE::Const(bits) => Some(bits.top().map_or(0, |top| u64::from(top) + 1)),
            SetE::Var(p) | SetE::At(p, _) => Some(p.span),
            SetE::Filter(filter) => filter.set.room(),
            SetE::Minus(both) => both.0.room(),
            SetE::Union(both) => Some(both.0.room()?.max(both.1.room()?)),
            _ => None,
        }
    }
}
