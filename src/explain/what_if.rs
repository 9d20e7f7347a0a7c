//! What-ifs: changes of one fact, or else of two, that would make an action legal. They are found by trying.
//!
//! Whether a choice is legal depends only on the entries of variables that are read on the way, so only changing one of
//! those can change the verdict; after one change, only those that are read then. So nothing is left out except beyond
//! the bound.

use super::Explainer;
use super::decision::{DecisionPoint, rest};
use super::note::{Silent, Traced};
use super::observer::Observer;
use crate::game::{Change, Choice, Position, Verdict, WhatIf, WhatIfs};
use crate::model::{Base, ClauseId, Expr, KindId, Model, Value, VarId, VarOwner};

/// The maximum number of values that one entry is given.
const MAX_VALUES: i64 = 512;

/// The maximum number of what-ifs of two changes that are kept.
const MAX_PAIRS: usize = 64;

/// A search for what-ifs.
struct Search<'a> {
    rules: &'a Explainer,
    position: &'a Position,
    seat: u16,
    choice: Choice,
    /// Whether only what the seat sees may be changed or read.
    seen: bool,
    /// The `never`s that hold already.
    broken: Vec<ClauseId>,
    /// The game would be over already.
    over: bool,
    /// The members that what is active is about.
    bound: Vec<(KindId, u16)>,
    /// The conditions that what is active rests on.
    resting: Vec<&'a Expr>,
    most: usize,
    tried: usize,
}

/// An entry with another value.
struct Variant {
    var: VarId,
    index: u16,
    value: Value,
    position: Position,
}

impl Explainer {
    /// The smallest changes of a position that make a choice legal: the values of one entry of a variable, or of two.
    /// At most `most` changed positions are judged. Positions that a `never` rules out or where the game would be over
    /// do not count. With `seen` nothing is changed, and nothing counts, that the seat does not see. `watch` is told
    /// how many were tried.
    #[must_use]
    pub fn what_ifs(
        &self,
        position: &Position,
        seat: u16,
        choice: Choice,
        (most, seen): (usize, bool),
        watch: &mut dyn FnMut(usize),
    ) -> WhatIfs {
        let observer = seen.then(|| Observer::new(self, position, seat));
        let mut search = Search {
            rules: self,
            position,
            seat,
            choice,
            seen,
            broken: self.nevers(position).unwrap_or_default(),
            over: self.at::<Silent>(position).ending().is_ok_and(|e| e.is_some()),
            bound: self.bound_members(position, observer),
            resting: self.resting_on(position, observer),
            most,
            tried: 0,
        };
        let decides = matches!(rest(&self.model, position), Ok(DecisionPoint::Decision(..)));
        if !decides || (seen && self.is_about_the_unknown(position, seat, choice)) {
            return WhatIfs::default();
        }
        search.run(watch)
    }
}

impl Search<'_> {
    fn run(&mut self, watch: &mut dyn FnMut(usize)) -> WhatIfs {
        let (legal, read) = self.judge(self.position);
        if legal {
            return WhatIfs::default();
        }
        let mut found = WhatIfs { most: self.most, ..WhatIfs::default() };
        // The changes after which it is still not legal, with what was read then.
        let mut open: Vec<(Variant, Vec<(VarId, u16)>)> = Vec::new();
        for (var, index) in self.entries(&read) {
            let values = self.others(self.position, var, index);
            let mut change = Change { var, index, values: Vec::new(), of: values.len() };
            for value in values {
                if self.tried >= self.most {
                    found.bounded = true;
                    break;
                }
                let Some(variant) = self.variant(self.position, var, index, value) else {
                    continue;
                };
                watch(self.tried);
                let (legal, read) = self.judge(&variant.position);
                match legal {
                    true if self.is_sound(&variant.position) => change.values.push(variant.value),
                    true => {}
                    false => open.push((variant, self.entries(&read))),
                }
            }
            if !change.values.is_empty() {
                found.found.push(WhatIf { changes: vec![change] });
            }
        }
        if found.found.is_empty() {
            found.none_alone = !found.bounded;
            self.pairs(&open, &mut found, watch);
        }
        let place = |r: &WhatIf| r.changes.first().map_or((0, 0), |c| (c.var.0, c.index));
        let far = |r: &WhatIf| r.changes.iter().map(|c| self.far(c)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        found.found.sort_by_key(|r| (far(r), place(r)));
        // How much had to be tried may depend on what the seat does not see.
        found.tried = if self.seen { 0 } else { self.tried };
        found
    }

    fn pairs(&mut self, open: &[(Variant, Vec<(VarId, u16)>)], found: &mut WhatIfs, watch: &mut dyn FnMut(usize)) {
        let mut done: Vec<(VarId, u16)> = Vec::new();
        for (first, read) in open {
            let entry = (first.var, first.index);
            if !done.contains(&entry) {
                done.push(entry);
            }
            // What came before was tried with this one already.
            for (var, index) in read.iter().copied().filter(|e| !done.contains(e)) {
                for value in self.others(&first.position, var, index) {
                    if self.tried >= self.most || found.found.len() >= MAX_PAIRS {
                        found.bounded = true;
                        return;
                    }
                    let Some(second) = self.variant(&first.position, var, index, value) else {
                        continue;
                    };
                    watch(self.tried);
                    if self.judge(&second.position).0 && self.is_sound(&second.position) {
                        self.note(found, first, &second);
                    }
                }
            }
        }
    }

    /// Adds two changes: to one that begins with the same change and goes on with the same entry, if there is one.
    fn note(&self, found: &mut WhatIfs, first: &Variant, second: &Variant) {
        let change = |v: &Variant, from: &Position| Change {
            var: v.var,
            index: v.index,
            values: vec![v.value.clone()],
            of: self.others(from, v.var, v.index).len(),
        };
        let (one, two) = (change(first, self.position), change(second, &first.position));
        let same = |a: &Change, b: &Change| (a.var, a.index) == (b.var, b.index);
        for what_if in &mut found.found {
            if let [a, b] = what_if.changes.as_mut_slice()
                && *a == one
                && same(b, &two)
            {
                b.values.extend(two.values);
                return;
            }
        }
        found.found.push(WhatIf { changes: vec![one, two] });
    }

    fn judge(&mut self, position: &Position) -> (bool, Traced) {
        self.tried += 1;
        if self.seen {
            return self.rules.legal_within(position, self.seat, self.choice);
        }
        let (verdict, read) = self.rules.verdict(position, self.seat, self.choice);
        (verdict == Verdict::Legal, read)
    }

    /// The entries that may be changed, of those that were read, the nearest to the action first.
    fn entries(&self, read: &Traced) -> Vec<(VarId, u16)> {
        let model = &self.rules.model;
        let all = model
            .vars
            .iter()
            .enumerate()
            .flat_map(|(v, var)| (0..var.place.count).map(move |i| (VarId(v as u16), i as u16)));
        let read = read
            .entries
            .iter()
            .filter_map(|(var, i)| Some((*var, u16::try_from(*i).ok()?)))
            .chain(all.filter(|_| read.blind));
        let mut found: Vec<(VarId, u16)> = Vec::new();
        for (var, index) in read {
            if !found.contains(&(var, index)) && self.may_change(var, index) {
                found.push((var, index));
            }
        }
        found.sort_by_key(|(var, index)| !self.is_own(*var, *index));
        found
    }

    fn may_change(&self, var: VarId, index: u16) -> bool {
        let model = &self.rules.model;
        // The variables of an active procedure are not facts of the position.
        let fact = model.vars.get(var.i()).is_some_and(|v| !matches!(v.owner, VarOwner::Code(_)));
        let of_bound = model.vars.get(var.i()).and_then(|v| v.index).is_some_and(|k| self.bound.contains(&(k, index)));
        fact && !of_bound
            && (!self.seen || {
                let value = self.position.read(model, var, usize::from(index));
                Observer::new(self.rules, self.position, self.seat).see_entry(var, usize::from(index), &value)
            })
    }

    /// Whether an entry is of a member that the action names.
    fn is_own(&self, var: VarId, index: u16) -> bool {
        let model = &self.rules.model;
        let Choice::Act(id, args) = self.choice else {
            return false;
        };
        let params = model.actions.get(id.i()).map_or(&[][..], |a| &a.params);
        let kind = model.vars.get(var.i()).and_then(|v| v.index);
        let named = |(ty, value): (&Base, &i16)| {
            kind.is_some_and(|k| *ty == Base::Member(k)) && i32::from(*value) == i32::from(index)
        };
        params.iter().map(|(_, ty)| &ty.base).zip(args.as_slice()).any(named)
    }

    /// How far a change is from what one would think of first: of a thing that the action does not name; to a thing's
    /// being nowhere.
    fn far(&self, change: &Change) -> (usize, usize) {
        let placeholder = change.values.iter().all(|v| *v == Value::None);
        (usize::from(!self.is_own(change.var, change.index)), usize::from(placeholder))
    }

    /// The other values that an entry can have. Sets, bags and piles have one member more or less.
    fn others(&self, position: &Position, var: VarId, index: u16) -> Vec<Value> {
        let model = &self.rules.model;
        let Some(decl) = model.vars.get(var.i()) else {
            return Vec::new();
        };
        let now = position.read(model, var, usize::from(index));
        match (&decl.ty.base, &now) {
            (Base::Set(of), Value::Set(set)) => {
                let span = span(model, of).map_or(0, |(_, n)| n);
                let turned = |bit| {
                    let mut set = set.clone();
                    if set.contains(bit) {
                        set.remove(bit);
                    } else {
                        set.insert(bit);
                    }
                    Value::Set(set)
                };
                (0..span as usize).map(turned).collect()
            }
            (Base::Bag(_), Value::Bag(counts)) => {
                let changed = |i: usize, n: Option<u16>| {
                    let mut counts = counts.clone();
                    *counts.get_mut(i)? = n?;
                    Some(Value::Bag(counts))
                };
                let each = counts.iter().enumerate();
                each.flat_map(|(i, n)| [changed(i, n.checked_add(1)), changed(i, n.checked_sub(1))]).flatten().collect()
            }
            (Base::List(kind), Value::List(items)) => {
                let all = 0..model.kinds.get(kind.i()).map_or(0, |k| k.members.len() as u16);
                let less = (0..items.len())
                    .map(|i| items.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, m)| *m).collect());
                let more = all.filter(|m| !items.contains(m)).map(|m| items.iter().copied().chain([m]).collect());
                less.chain(more).map(Value::List).collect()
            }
            (base, now) => {
                let Some((lo, n)) = span(model, base) else {
                    return Vec::new();
                };
                let numbers = (0..n).map(|i| Value::Int((lo + i) as i32));
                let nothing = decl.ty.optional.then_some(Value::None);
                numbers.chain(nothing).filter(|v| v != now).collect()
            }
        }
    }

    fn variant(&self, from: &Position, var: VarId, index: u16, value: Value) -> Option<Variant> {
        let mut position = from.clone();
        position.write(&self.rules.model, var, usize::from(index), &value).then_some(Variant {
            var,
            index,
            value,
            position,
        })
    }

    /// Whether such a position can arise and is a decision point.
    fn is_sound(&self, position: &Position) -> bool {
        let observer = Observer::new(self.rules, position, self.seat);
        // What is active would not have come to this.
        let sight = self.seen.then_some(observer);
        if self.resting.iter().any(|cond| self.rules.known_to_hold(position, cond, sight) == Some(false)) {
            return false;
        }
        let mut ev = self.rules.at::<Silent>(position);
        ev.within = (self.seen && observer.may_miss_something()).then_some(observer);
        // What depends on something hidden is not told, and so not asked.
        match ev.ending() {
            Ok(Some(_)) | Err(_) if !ev.missed && !self.over => return false,
            _ => {}
        }
        let model = &self.rules.model;
        model.nevers.iter().filter(|n| !self.broken.contains(&n.clause)).all(|never| {
            ev.model.holders(never.clause).all(|holder| {
                ev.missed = false;
                let applies = ev.framed(|ev| Ok(ev.applies(never.clause, holder)?.0));
                !applies.unwrap_or(true) || ev.missed
            })
        })
    }
}

/// The lowest value of a finite base and the number of values; `None` if there are too many.
fn span(model: &Model, base: &Base) -> Option<(i64, i64)> {
    let values = model.values(base)?;
    let (lo, n) = (i64::from(*values.start()), i64::from(*values.end()) - i64::from(*values.start()) + 1);
    (n <= MAX_VALUES).then_some((lo, n))
}
