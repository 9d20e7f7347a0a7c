//! Whether what an effect writes may change a truth: `would(E)` is E now, where it may not.

use super::bits::Bits;
use super::ir::{Bind, Cond, Flow, Mask, NONE, Num, SetE};
use super::leaf::Leaf;
use super::lower::{Low, Lower};
use super::place::Place;
use super::tabled::always;
use super::tree::{Part, choose, filter, join, not, of, walk_through};
use super::writes::{Entry, Write, Writes};

/// The maximum number of parts of a truth that are looked at.
const MAX_PARTS: usize = 400;

/// In which direction something may change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A truth becomes true, a set gains a member.
    Up,
    /// A truth becomes false, a set loses a member.
    Down,
}

impl Way {
    fn back(self) -> Way {
        if self == Way::Up { Way::Down } else { Way::Up }
    }
}

/// Looks at a truth for what of it may change. All conditions are on the position before the effect; they may hold
/// where nothing changes, but not the other way round.
struct Touch<'t, 'a> {
    low: &'t mut Lower<'a>,
    writes: &'t Writes,
    /// What is bound around the part that is looked at.
    binds: Vec<Box<[Bind]>>,
    /// How many more parts may be looked at.
    left: usize,
}

/// The least and the greatest that a number can be, and whether it can be nothing.
#[derive(Clone, Copy)]
struct Known {
    least: i32,
    most: i32,
    may_be_nothing: bool,
}

impl Lower<'_> {
    /// Whether a variable of one byte always has a value.
    pub fn is_there(&self, at: u32) -> bool {
        let mut vars = self.model.vars.iter().zip(&self.always);
        vars.any(|(var, always)| *always && var.place.offset == at && var.index.is_none())
    }

    /// A condition, or whether it holds if that is always the same.
    fn settled(&self, c: Cond) -> Cond {
        let s = of(&self.shared, &c);
        let may_be_nothing = s.slots.iter().any(|slot| self.maybe.contains(slot));
        if may_be_nothing || !s.bytes.iter().all(|(at, ..)| self.is_there(*at)) {
            return c;
        }
        always(&self.shared, &self.scratch, &c).map_or(c, Cond::Const)
    }

    /// Whether two numbers are equal, if that is always the same.
    pub fn settled_equal(&self, a: &Num, b: &Num) -> Cond {
        self.settled(equal(a, b))
    }

    /// A condition that asks once whether a number is among several sets, where it asks that of each of them.
    fn united(&self, c: Cond) -> Cond {
        let Cond::Any(parts) = c else { return c };
        // What may fail keeps its turn: nothing that stands behind it is asked before.
        let (mut united, mut from): (Vec<Cond>, usize) = (Vec::new(), 0);
        for part in parts {
            let risky = of(&self.shared, &part).risky;
            let same = |other: &&mut Cond| !risky && is_of_same(other, &part);
            match (united.iter_mut().skip(from).find(same), part) {
                (Some(Cond::In(_, all, _)), Cond::In(_, set, _)) => {
                    **all = SetE::Union(Box::new((std::mem::replace(all, SetE::Const(Bits::NONE)), *set)));
                }
                (_, part) => united.push(part),
            }
            if risky {
                from = united.len();
            }
        }
        join(united, false)
    }

    /// The truth of a condition after an effect, which is asked only where the effect may change it.
    pub fn after(&mut self, now: Cond, after: Cond, writes: &Writes) -> Low<Cond> {
        if of(&self.shared, &now).risky {
            return Ok(after);
        }
        let mut touch = Touch { low: self, writes, binds: Vec::new(), left: MAX_PARTS };
        let wide = touch.wide(&now);
        let rises = touch.cond(&now, Way::Up);
        let falls = touch.cond(&now, Way::Down);
        let or_else = |change: Cond| any([writes.fails.clone(), wide.clone(), change]);
        let (rises, falls) = (self.united(or_else(rises)), self.united(or_else(falls)));
        if is_never(&rises) && is_never(&falls) {
            return Ok(now);
        }
        let is_certain = |c: &Cond| matches!(c, Cond::Const(true));
        if is_certain(&rises) && is_certain(&falls) {
            return Ok(after);
        }
        // What holds now is bound as a set: if it is the same for all arguments, that is done before them.
        let slot = self.set_slot(1)?;
        self.ahead.insert(slot);
        let one = |holds: bool| SetE::Const(if holds { Bits::one(0) } else { Bits::NONE });
        let bind = Bind::Set(slot, choose(now, one(true), one(false)));
        let holds = not(Cond::Empty(Box::new(SetE::Slot(slot))));
        // Where it may not change it is as it is now.
        let asked = any([both(holds.clone(), not(falls)), both(any([holds, rises]), after)]);
        Ok(Cond::Flow(Box::new(Flow::Let(Box::new([bind]), asked))))
    }
}

/// Whether both conditions are that a slot is among the members of a set.
fn is_of_same(a: &Cond, b: &Cond) -> bool {
    match (a, b) {
        (Cond::In(x, _, lo), Cond::In(y, _, first)) => {
            lo == first && matches!((&**x, &**y), (Num::Slot(x), Num::Slot(y)) if x == y)
        }
        _ => false,
    }
}

fn any(list: impl IntoIterator<Item = Cond>) -> Cond {
    let list: Vec<Cond> = list.into_iter().collect();
    if list.iter().any(|c| matches!(c, Cond::Const(true))) { Cond::Const(true) } else { join(list, false) }
}

fn both(a: Cond, b: Cond) -> Cond {
    if matches!(a, Cond::Const(false)) || matches!(b, Cond::Const(false)) {
        return Cond::Const(false);
    }
    join([a, b], true)
}

fn is_never(c: &Cond) -> bool {
    matches!(c, Cond::Const(false))
}

fn within(these: Option<SetE>, set: SetE) -> SetE {
    match these {
        Some(these) => SetE::Both(Box::new((set, these))),
        None => set,
    }
}

impl Touch<'_, '_> {
    /// Counts a part; `false` if there are too many.
    fn may_go_on(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// Whether a write to more than one entry is made to what a truth reads. Where exactly is not asked.
    fn wide(&self, now: &Cond) -> Cond {
        let s = of(&self.low.shared, now);
        let is_read = |write: &&Write| s.reads.iter().any(|range| write.touches(*range));
        let wide = self.writes.list.iter().filter(|write| !matches!(write.entry, Entry::One(_)));
        any(wide.filter(is_read).map(|write| write.when.clone()))
    }

    /// A tree by itself, with what is bound around it as far as it needs it.
    fn closed<T: Part>(&self, t: T) -> T {
        let mut t = t;
        for binds in self.binds.iter().rev() {
            let s = of(&self.low.shared, &t);
            let needs = |bind: &Bind| match bind {
                Bind::Num(slot, ..) => s.slots.contains(slot),
                Bind::Set(slot, _) => s.sets.contains(slot),
            };
            let needed: Vec<Bind> = binds.iter().filter(|bind| needs(bind)).cloned().collect();
            if !needed.is_empty() {
                t = T::flow(Flow::Let(needed.into(), t));
            }
        }
        t
    }

    /// Whether an effect may write anything that a tree reads.
    fn is_read<T: Part>(&self, t: &T) -> Cond {
        let s = of(&self.low.shared, t);
        // It may depend on more than bytes.
        let mut other = false;
        walk_through(&self.low.shared, |f| t.visit(f), |leaf| other |= matches!(leaf, Leaf::Dynamic));
        let written = |range: &(u32, u32)| self.writes.list.iter().any(|write| write.touches(*range));
        Cond::Const(other || s.reads.iter().any(written))
    }

    /// Whether a number may change.
    fn num(&mut self, n: &Num) -> Cond {
        if !self.may_go_on() {
            return Cond::Const(true);
        }
        match n {
            Num::Const(_) | Num::Slot(_) => Cond::Const(false),
            Num::Byte(at, ..) => self.byte_written(*at),
            Num::At(p, index) if p.level == 0 => {
                let moved = self.num(index);
                let index = self.closed((**index).clone());
                let hit = self.each_write(p, |_, e| equal(e, &index));
                any([moved, hit])
            }
            Num::Table(_, lin) => {
                let terms: Vec<Cond> = lin.terms.iter().map(|(n, ..)| self.num(n)).collect();
                any(terms)
            }
            Num::Neg(n) | Num::Abs(n) => self.num(n),
            Num::Default(ab) | Num::Arith(_, ab) => any([self.num(&ab.0), self.num(&ab.1)]),
            Num::Size(s) | Num::First(s, _) => any([self.set(s, None, Way::Up), self.set(s, None, Way::Down)]),
            Num::Bool(c) => any([self.cond(c, Way::Up), self.cond(c, Way::Down)]),
            Num::Flow(flow) => match &**flow {
                Flow::Inst(i) => match self.low.shared.nums.get(*i as usize).cloned() {
                    Some(n) => self.num(&n),
                    None => Cond::Const(true),
                },
                flow => self.flow(flow, |touch, n| touch.num(n)),
            },
            n => self.is_read(n),
        }
    }

    /// Whether a number can be nothing.
    fn may_be_nothing(&self, n: &Num) -> bool {
        self.known(n, self.binds.len()).is_none_or(|known| known.may_be_nothing)
    }

    /// What is known of a number inside so many of the trees that bind slots, as far as that is plain to see.
    fn known(&self, n: &Num, within: usize) -> Option<Known> {
        let known = |least: i32, most: i32, may_be_nothing: bool| Some(Known { least, most, may_be_nothing });
        match n {
            Num::Const(i) => known(*i, *i, *i == NONE),
            Num::Byte(_, lo, count) => known(*lo, lo.checked_add_unsigned(*count)?.checked_sub(1)?, true),
            Num::Slot(slot) => {
                let bound = self.binds.iter().enumerate().take(within).rev().find_map(|(around, binds)| {
                    binds.iter().find_map(|bind| match bind {
                        Bind::Num(to, n, required) if to == slot => Some((n, *required, around)),
                        _ => None,
                    })
                });
                if let Some((n, required, around)) = bound {
                    let inside = self.known(n, around)?;
                    return known(inside.least, inside.most, inside.may_be_nothing && !required);
                }
                let (lo, n) = self.low.scratch.spans.get(usize::from(*slot)).copied().flatten()?;
                let most = lo.checked_add(i32::try_from(n).ok()?)?.checked_sub(1)?;
                known(lo, most, self.low.maybe.contains(slot))
            }
            Num::Table(values, lin) => {
                let is_in = |(n, lo, count): &(Num, i32, u32)| {
                    let end = i64::from(*lo) + i64::from(*count);
                    let inside = |k: Known| !k.may_be_nothing && *lo <= k.least && i64::from(k.most) < end;
                    self.known(n, within).is_some_and(inside)
                };
                let something = values.iter().filter(|v| **v != NONE);
                let nothing = values.contains(&NONE) || !lin.terms.iter().all(is_in);
                known(*something.clone().min()?, *something.max()?, nothing)
            }
            _ => None,
        }
    }

    /// The forms that all trees share.
    fn flow<T: Part>(&mut self, flow: &Flow<T>, mut each: impl FnMut(&mut Self, &T) -> Cond) -> Cond {
        match flow {
            Flow::If(c, a, b) => {
                let turns = any([self.cond(c, Way::Up), self.cond(c, Way::Down)]);
                let (a, b) = (each(self, a), each(self, b));
                let c = self.closed(c.clone());
                let inside = match (&a, &b) {
                    (Cond::Const(a), Cond::Const(b)) if a == b => Cond::Const(*a),
                    _ => choose(c, a, b),
                };
                any([turns, inside])
            }
            Flow::Let(binds, body) => {
                let mut changes = Vec::new();
                for bind in binds {
                    changes.push(match bind {
                        Bind::Num(_, n, _) => self.num(n),
                        Bind::Set(_, set) => any([self.set(set, None, Way::Up), self.set(set, None, Way::Down)]),
                    });
                }
                self.binds.push(binds.clone());
                changes.push(each(self, body));
                self.binds.pop();
                any(changes)
            }
            Flow::ByValue(n, arms, other) => {
                let mut all = vec![self.num(n)];
                for (_, arm) in arms {
                    all.push(each(self, arm));
                }
                all.push(each(self, other));
                any(all)
            }
            Flow::Pick(rules, general) => {
                let mut all = Vec::new();
                for rule in rules {
                    all.push(any([self.cond(&rule.cond, Way::Up), self.cond(&rule.cond, Way::Down)]));
                    all.push(each(self, &rule.value));
                }
                if let Some(general) = general {
                    all.push(each(self, general));
                }
                any(all)
            }
            Flow::Inst(_) => Cond::Const(true),
        }
    }

    /// Whether one of the writes to single entries of a variable is made, and more of it and its entry.
    fn each_write(&self, p: &Place, more: impl Fn(&Write, &Num) -> Cond) -> Cond {
        let mut all = Vec::new();
        for write in self.writes.list.iter().filter(|write| write.touches(p.range())) {
            let is_same = write.place.at == p.at && write.place.width == p.width && write.place.level == 0;
            let more = match &write.entry {
                Entry::One(e) if is_same => more(write, e),
                Entry::One(_) => Cond::Const(true),
                _ => Cond::Const(false),
            };
            all.push(both(write.when.clone(), more));
        }
        any(all)
    }

    fn byte_written(&mut self, at: u32) -> Cond {
        let mut all = Vec::new();
        for write in self.writes.list.iter().filter(|write| write.touches((at, 1))) {
            let entry = Num::Const(((at - write.place.at) / write.place.width.max(1)) as i32);
            let hit = match &write.entry {
                Entry::One(e) => equal(e, &entry),
                _ => Cond::Const(false),
            };
            all.push(both(write.when.clone(), hit));
        }
        any(all)
    }

    /// Whether a truth may become true, or false.
    fn cond(&mut self, c: &Cond, way: Way) -> Cond {
        if !self.may_go_on() {
            return Cond::Const(true);
        }
        match c {
            Cond::Const(_) | Cond::On(_) => Cond::Const(false),
            Cond::Not(c) => self.cond(c, way.back()),
            Cond::All(cs) | Cond::Any(cs) => {
                let parts: Vec<Cond> = cs.iter().map(|c| self.cond(c, way)).collect();
                any(parts)
            }
            Cond::Is(n, _) | Cond::Truth(n) => self.num(n),
            Cond::Equal(ab) | Cond::Compare(_, ab) => any([self.num(&ab.0), self.num(&ab.1)]),
            Cond::In(n, set, _) => any([self.num(n), self.set(set, None, way)]),
            Cond::Empty(set) => self.set(set, None, way.back()),
            Cond::Row(_, at, ..) => {
                let terms: Vec<Cond> = at.0.terms.iter().map(|(n, ..)| self.num(n)).collect();
                any([self.num(&at.1), any(terms)])
            }
            Cond::Some(sc, slot, lo) => self.some(sc, (*slot, *lo), way),
            Cond::Every(sc, slot, lo) => {
                let turned = (sc.0.clone(), not(sc.1.clone()));
                self.some(&turned, (*slot, *lo), way.back())
            }
            Cond::Flow(flow) => match &**flow {
                Flow::Inst(i) => match self.low.shared.conds.get(*i as usize).cloned() {
                    Some(c) => self.cond(&c, way),
                    None => Cond::Const(true),
                },
                flow => self.flow(flow, |touch, c| touch.cond(c, way)),
            },
            c => self.is_read(c),
        }
    }

    /// "Some of a set": may a member come into the set or leave it, or the condition on one change?
    fn some(&mut self, (set, c): &(SetE, Cond), (slot, lo): (u16, i32), way: Way) -> Cond {
        let span = self.low.scratch.spans.get(usize::from(slot)).copied().flatten();
        // What is lost is one of those that meet the condition.
        let these = match span {
            Some((first, n)) if way == Way::Down && first == lo => {
                let mask = self.low.mask(c, slot, lo, n);
                filter(set.clone(), slot, lo, mask)
            }
            _ => set.clone(),
        };
        let narrow = (way == Way::Down).then(|| these.clone());
        let members = self.set(set, narrow, way);
        let inside = self.cond(c, way);
        any([members, self.some_of(these, (slot, lo), inside)])
    }

    /// Whether a condition holds for one of a set.
    fn some_of(&mut self, set: SetE, (slot, lo): (u16, i32), c: Cond) -> Cond {
        let parts = match c {
            Cond::Const(false) => return Cond::Const(false),
            Cond::Any(cs) => {
                let parts: Vec<Cond> = cs.into_iter().map(|c| self.some_of(set.clone(), (slot, lo), c)).collect();
                return any(parts);
            }
            Cond::All(cs) => cs.into_vec(),
            c => vec![c],
        };
        let needs = |t: &Cond| of(&self.low.shared, t).slots.contains(&slot);
        let (own, free): (Vec<Cond>, Vec<Cond>) = parts.into_iter().partition(needs);
        let set = self.closed(set);
        let found = match <[Cond; 1]>::try_from(own) {
            Ok([Cond::In(item, theirs, of_lo)]) if !of(&self.low.shared, &*item).slots.contains(&slot) => {
                let joined = super::ir::Joined { set, slot, lo, of: *theirs };
                Cond::In(item, Box::new(SetE::Joined(Box::new(joined))), of_lo)
            }
            Ok([c]) => Cond::Some(Box::new((set, c)), slot, lo),
            Err(own) if own.is_empty() => not(Cond::Empty(Box::new(set))),
            Err(own) => Cond::Some(Box::new((set, join(own, true))), slot, lo),
        };
        both(join(free, true), found)
    }

    /// Whether a set may gain, or lose, one of `these`, or any.
    fn set(&mut self, s: &SetE, these: Option<SetE>, way: Way) -> Cond {
        if !self.may_go_on() {
            return Cond::Const(true);
        }
        match s {
            SetE::Const(_) | SetE::Slot(_) => Cond::Const(false),
            SetE::Table(_, lin) => {
                let terms: Vec<Cond> = lin.terms.iter().map(|(n, ..)| self.num(n)).collect();
                any(terms)
            }
            SetE::Of(items, ..) => {
                let items: Vec<Cond> = items.iter().map(|n| self.num(n)).collect();
                any(items)
            }
            SetE::Union(ab) => any([self.set(&ab.0, these.clone(), way), self.set(&ab.1, these, way)]),
            // If the first gains nothing, what the two have in common gains only what the first has.
            SetE::Both(ab) => {
                let first = self.set(&ab.0, these.clone(), way);
                let second = self.set(&ab.1, Some(within(these, ab.0.clone())), way);
                any([first, second])
            }
            SetE::Minus(ab) => {
                let first = self.set(&ab.0, these.clone(), way);
                let second = self.set(&ab.1, Some(within(these, ab.0.clone())), way.back());
                any([first, second])
            }
            SetE::Filter(f) => {
                let first = self.set(&f.set, these.clone(), way);
                let second = self.mask(&f.mask, (f.slot, f.lo), Some(within(these, f.set.clone())), way);
                any([first, second])
            }
            SetE::Joined(joined) => {
                let members = self.set(&joined.set, None, way);
                let inside = self.set(&joined.of, these, way);
                any([members, self.some_of(joined.set.clone(), (joined.slot, joined.lo), inside)])
            }
            SetE::Flow(flow) => match &**flow {
                Flow::Inst(i) => match self.low.shared.sets.get(*i as usize).cloned() {
                    Some(s) => self.set(&s, these, way),
                    None => Cond::Const(true),
                },
                flow => self.flow(flow, |touch, s| touch.set(s, these.clone(), way)),
            },
            s => self.is_read(s),
        }
    }

    /// Whether one of `these`, or any member, may begin to meet a condition, or no longer meet it.
    fn mask(&mut self, m: &Mask, (slot, lo): (u16, i32), these: Option<SetE>, way: Way) -> Cond {
        if !self.may_go_on() {
            return Cond::Const(true);
        }
        match m {
            Mask::All => Cond::Const(false),
            Mask::And(ms) => self.all(ms, (slot, lo), these, way),
            Mask::Or(ms) => {
                let parts: Vec<Cond> = ms.iter().map(|m| self.mask(m, (slot, lo), these.clone(), way)).collect();
                any(parts)
            }
            Mask::Either(of) => {
                let (c, a, b) = &**of;
                let turns = [Way::Up, Way::Down].map(|way| self.mask(c, (slot, lo), these.clone(), way));
                let inside = [a, b].map(|m| self.mask(m, (slot, lo), these.clone(), way));
                any(turns.into_iter().chain(inside))
            }
            Mask::Not(m) => self.mask(m, (slot, lo), these, way.back()),
            Mask::Scalar(c) => self.cond(c, way),
            Mask::Let(binds, m) => {
                let let_in = Flow::Let(binds.clone(), Cond::Const(true));
                self.flow(&let_in, |touch, _| touch.mask(m, (slot, lo), these.clone(), way))
            }
            Mask::In(s) => self.set(s, these, way),
            Mask::Is(n) => self.num(n),
            Mask::Field(p, n) if lo == 0 && p.level == 0 => {
                let key = self.num(n);
                let value = self.closed(n.clone());
                let may_be_nothing = self.may_be_nothing(n);
                let old = Mask::Field(*p, value.clone());
                let these = these.map(|these| self.closed(these));
                let hit = self.each_write(p, |write, e| match (way, &these) {
                    (Way::Up, None) => may_be(self.low, write, &value, may_be_nothing),
                    (Way::Up, Some(these)) => {
                        both(may_be(self.low, write, &value, may_be_nothing), is_among(e, these.clone()))
                    }
                    (Way::Down, these) => {
                        let all = || SetE::Const(Bits::below(p.count as usize));
                        let these = these.clone().unwrap_or_else(all);
                        is_among(e, filter(these, slot, lo, old.clone()))
                    }
                });
                any([key, hit])
            }
            Mask::Beyond(beyond) => self.mask(&Mask::Loop(beyond.each.clone()), (slot, lo), these, way),
            Mask::Loop(c) => {
                let inside = self.cond(c, way);
                let span = self.low.scratch.spans.get(usize::from(slot)).copied().flatten();
                let all = span.filter(|(first, _)| *first == lo).map(|(_, n)| SetE::Const(Bits::below(n)));
                match these.or(all) {
                    Some(these) => self.some_of(these, (slot, lo), inside),
                    None if is_never(&inside) => inside,
                    None => Cond::Const(true),
                }
            }
            m => {
                let all = SetE::Const(Bits::below(1));
                self.is_read(&filter(all, slot, lo, m.clone()))
            }
        }
    }

    /// Several conditions, all of which are to be met.
    fn all(&mut self, ms: &[Mask], (slot, lo): (u16, i32), these: Option<SetE>, way: Way) -> Cond {
        // Those that nobody begins to meet narrow down who begins to meet all.
        let steady: Vec<Mask> = match way {
            Way::Up => ms.iter().filter(|m| is_never(&self.mask(m, (slot, lo), these.clone(), way))).cloned().collect(),
            Way::Down => Vec::new(),
        };
        let these = match (steady.is_empty(), these) {
            (true, these) => these,
            (_, Some(these)) => Some(filter(these, slot, lo, Mask::And(steady.into()))),
            (_, None) => match &*steady {
                [Mask::In(set), ..] => Some(set.clone()),
                _ => None,
            },
        };
        let parts: Vec<Cond> = ms.iter().map(|m| self.mask(m, (slot, lo), these.clone(), way)).collect();
        any(parts)
    }
}

/// Whether two numbers are equal.
fn equal(a: &Num, b: &Num) -> Cond {
    match (a, b) {
        (Num::Const(a), Num::Const(b)) => Cond::Const(a == b),
        (n, Num::Const(i)) | (Num::Const(i), n) => Cond::Is(n.clone(), *i),
        (a, b) => Cond::Equal(Box::new((a.clone(), b.clone()))),
    }
}

/// Whether a write may put a value.
fn may_be(low: &Lower, write: &Write, value: &Num, may_be_nothing: bool) -> Cond {
    let is_nothing = |v: &Num| matches!(v, Num::Const(i) if *i == NONE);
    match &write.values {
        Some(values) => {
            let possible = values.iter().filter(|v| may_be_nothing || !is_nothing(v));
            any(possible.map(|v| low.settled_equal(v, value)))
        }
        None => Cond::Const(true),
    }
}

/// Whether an entry is one of a set.
fn is_among(entry: &Num, set: SetE) -> Cond {
    Cond::In(Box::new(entry.clone()), Box::new(set), 0)
}
