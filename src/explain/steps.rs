//! Steps from member to member: who is reached, and what the cheapest way costs.

use std::collections::BTreeMap;

use super::eval::{Eval, Res, as_set, fault};
use super::note::Notes;
use crate::game::{FaultDetail, FaultKind, SeenMember};
use crate::model::{Expr, Set, Steps, Value};

/// The ways found so far.
#[derive(Default)]
struct Ways {
    /// Where they begin.
    start: Set,
    /// Still to be gone on from.
    open: Set,
    /// Gone on from.
    done: Set,
    /// Led to by a step.
    reached: Set,
    /// Of each that is reached the least total so far, and from where.
    by: BTreeMap<usize, (i32, usize)>,
}

impl Ways {
    fn new(start: Set) -> Ways {
        Ways { open: start.clone(), start, ..Ways::default() }
    }

    fn total(&self, member: usize) -> i32 {
        if self.start.contains(member) { 0 } else { self.by.get(&member).map_or(0, |(total, _)| *total) }
    }

    /// The next to go on from: the one with the least total, of these the first.
    fn nearest(&self) -> Option<usize> {
        self.open.iter().min_by_key(|m| (self.total(*m), *m))
    }

    /// Whether nothing is to be gained by another step there.
    fn is_settled(&self, member: usize, priced: bool) -> bool {
        let gone_on = self.done.contains(member) || self.start.contains(member);
        self.reached.contains(member) && (gone_on || !priced)
    }

    fn add(&mut self, from: usize, to: usize, total: i32) {
        if self.by.get(&to).is_none_or(|(before, _)| total < *before) {
            self.by.insert(to, (total, from));
        }
        self.reached.insert(to);
        if !self.done.contains(to) {
            self.open.insert(to);
        }
    }

    /// The members on the way to one that is reached: first where it begins.
    fn to(&self, member: usize) -> Vec<usize> {
        let mut way = vec![member];
        let mut at = member;
        while let Some((_, from)) = self.by.get(&at) {
            way.push(*from);
            at = *from;
            if self.start.contains(at) || way.len() > self.by.len() + 1 {
                break;
            }
        }
        way.reverse();
        way
    }
}

/// A way as a ruling shows it.
pub(super) struct ShownWay {
    /// Where it leads.
    pub to: SeenMember,
    /// The members on it, each but the first with the total up to there.
    pub members: Vec<(SeenMember, Option<i32>)>,
}

impl<N: Notes> Eval<'_, N> {
    /// The members that steps lead to within a limit.
    pub fn reached(&mut self, steps: &Steps, within: Option<&Expr>) -> Res<Value> {
        let start = self.start(&steps.from)?;
        let most = match within {
            Some(within) => self.int(within)?,
            None => Some(i32::MAX),
        };
        Ok(Value::Set(match most {
            Some(most) => self.quietly(|ev| ev.go(steps, start, (most, within.is_some()), None))?.reached,
            None => Set::new(),
        }))
    }

    /// The least total that leads to a member.
    pub fn way(&mut self, steps: &Steps, to: &Expr) -> Res<Value> {
        let start = self.start(&steps.from)?;
        let Some(to) = self.int(to)?.and_then(|i| usize::try_from(i).ok()) else {
            return Ok(Value::None);
        };
        let ways = self.quietly(|ev| ev.go(steps, start, (i32::MAX, false), Some(to)))?;
        if !ways.start.contains(to) && !ways.reached.contains(to) {
            return Ok(Value::None);
        }
        if N::ON && !ways.start.contains(to) {
            // Of all that was looked at, the notes are about the way that was found.
            let way = ways.to(to);
            for (from, to) in way.iter().zip(way.iter().skip(1)) {
                self.step(steps, *from, *to)?;
            }
        }
        Ok(Value::Int(ways.total(to)))
    }

    /// The members on the cheapest way to one, each but the first with the total up to there; `None` where there is no
    /// way or it needs no step.
    pub fn way_shown(&mut self, steps: &Steps, within: Option<&Expr>, to: &Expr) -> Res<Option<ShownWay>> {
        let start = self.start(&steps.from)?;
        let most = match within {
            Some(within) => self.int(within)?,
            None => Some(i32::MAX),
        };
        let (Some(most), Some(to)) = (most, self.int(to)?.and_then(|i| usize::try_from(i).ok())) else {
            return Ok(None);
        };
        if within.is_none() && start.contains(to) {
            return Ok(None);
        }
        let limit = (most, within.is_some());
        let ways = self.quietly(|ev| ev.go(steps, start, limit, within.is_none().then_some(to)))?;
        if !ways.reached.contains(to) {
            return Ok(None);
        }
        let way = ways.to(to);
        if N::ON {
            for (from, to) in way.iter().zip(way.iter().skip(1)) {
                self.step(steps, *from, *to)?;
            }
        }
        let shown = |(i, m): (usize, &usize)| {
            let total = ways.by.get(m).map_or(0, |(total, _)| *total);
            let total = if steps.cost.is_some() { total } else { i as i32 };
            (self.seen_member(steps.kind, *m as u16), (i > 0).then_some(total))
        };
        let members = way.iter().enumerate().map(shown).collect();
        Ok(Some(ShownWay { to: self.seen_member(steps.kind, to as u16), members }))
    }

    /// Where steps begin.
    pub(super) fn start(&mut self, from: &Expr) -> Res<Set> {
        Ok(match self.eval(from)? {
            Value::Int(member) => usize::try_from(member).into_iter().collect(),
            value => as_set(value),
        })
    }

    /// Does something of which no notes are taken. What definitions are found to be on the way is forgotten then: asked
    /// again they are noted.
    fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        // Where no reasons are noted, all that is read counts.
        if !N::ON {
            return f(self);
        }
        let notes = std::mem::take(&mut self.notes);
        let known = self.memo.clone();
        let result = f(self);
        (self.notes, self.memo) = (notes, known);
        result
    }

    /// Goes on step by step as long as the total is at most `most`, or until the cheapest way to `to` is found. Without
    /// a limit a total that is too large for a number is a fault.
    fn go(&mut self, steps: &Steps, start: Set, (most, limited): (i32, bool), to: Option<usize>) -> Res<Ways> {
        let mut ways = Ways::new(start);
        if to.is_some_and(|to| ways.start.contains(to)) {
            return Ok(ways);
        }
        let priced = steps.cost.is_some();
        while let Some(a) = ways.nearest() {
            let before = ways.total(a);
            if to == Some(a) || !priced && before >= most {
                break;
            }
            ways.open.remove(a);
            ways.done.insert(a);
            // To find the nearest is to look at all that are open.
            self.spend(1 + ways.open.len() as u32 / 8, steps.set.span)?;
            self.set_local(steps.a, Value::Int(a as i32));
            for b in self.set(&steps.set)?.iter() {
                if ways.is_settled(b, priced) {
                    continue;
                }
                self.spend(1, steps.set.span)?;
                let Some(price) = self.step(steps, a, b)? else {
                    continue;
                };
                match before.checked_add(price) {
                    Some(total) if total <= most => ways.add(a, b, total),
                    None if !limited => {
                        let detail = FaultDetail::PriceTooLarge;
                        return Err(fault(FaultKind::OutOfRange, steps.set.span, detail));
                    }
                    _ => {}
                }
                if !priced && to == Some(b) {
                    return Ok(ways);
                }
            }
        }
        Ok(ways)
    }

    /// The price of a step; `None` if there is no such step.
    fn step(&mut self, steps: &Steps, a: usize, b: usize) -> Res<Option<i32>> {
        self.set_local(steps.a, Value::Int(a as i32));
        self.set_local(steps.b, Value::Int(b as i32));
        if let Some(cond) = &steps.cond
            && !self.truth(cond)?
        {
            return Ok(None);
        }
        let Some(cost) = &steps.cost else {
            return Ok(Some(1));
        };
        match self.int(cost)? {
            Some(price) if price < 0 => {
                let member = |m: usize| self.seen_member(steps.kind, m as u16);
                let detail = FaultDetail::NegativePrice(member(a), member(b), price);
                Err(fault(FaultKind::OutOfRange, cost.span, detail))
            }
            price => Ok(price),
        }
    }
}
