//! Steps from member to member, as trees: the same order of steps as the explaining evaluator, so that what can fail is
//! met by both.

use super::bits::{Bits, each};
use super::eval::Ev;
use super::ir::{NONE, Num, Steps};

impl Ev<'_> {
    /// The members that steps lead to within a limit, if there is one; nothing as a limit: none.
    pub fn reached(&self, steps: &Steps, within: Option<&Num>) -> Bits {
        let start = self.set(&steps.from) & &Bits::below(steps.n);
        match (within.map(|n| self.num(n)), &steps.cost) {
            (Some(NONE), _) => Bits::NONE,
            (most, None) => self.flood(steps, start, most.unwrap_or(i32::MAX), None).0,
            (most, Some(cost)) => self.cheapest((steps, cost), start, most, None).0,
        }
    }

    /// What the cheapest steps to a member cost in all.
    pub fn way(&self, steps: &Steps, to: &Num) -> i32 {
        let start = self.set(&steps.from) & &Bits::below(steps.n);
        let Some(to) = u32::try_from(self.num(to)).ok().filter(|to| (*to as usize) < steps.n) else {
            return NONE;
        };
        match &steps.cost {
            None => self.flood(steps, start, i32::MAX, Some(to)).1,
            Some(cost) => self.cheapest((steps, cost), start, None, Some(to)).1,
        }
    }

    /// Those that one step leads to from a member, of all but some.
    fn next(&self, steps: &Steps, a: u32, but: &Bits) -> Bits {
        if !self.spend(1) {
            return Bits::NONE;
        }
        self.bind(steps.a, a as i32);
        self.mask(&steps.mask, steps.b, 0, (self.set(&steps.set) & &Bits::below(steps.n)).minus(but))
    }

    /// Steps that cost 1 each: all members reached within a number of steps, or the number of steps to one of them.
    fn flood(&self, steps: &Steps, start: Bits, most: i32, to: Option<u32>) -> (Bits, i32) {
        let mut level = start;
        if to.is_some_and(|to| level.has(to)) {
            return (Bits::NONE, 0);
        }
        let (mut done, mut reached, mut total) = (level.clone(), Bits::NONE, 0);
        while !level.is_empty() && total < most {
            total += 1;
            let before = reached.clone();
            each(&level, |a| reached |= &self.next(steps, a, &reached));
            if to.is_some_and(|to| reached.has(to)) {
                return (reached, total);
            }
            level = reached.clone().minus(&before).minus(&done);
            done |= &level;
        }
        (reached, NONE)
    }

    /// Steps with a price: all that are reached for at most so much, and what the cheapest way to one of them costs.
    fn cheapest(&self, (steps, cost): (&Steps, &Num), start: Bits, most: Option<i32>, to: Option<u32>) -> (Bits, i32) {
        if to.is_some_and(|to| start.has(to)) {
            return (Bits::NONE, 0);
        }
        let (mut open, mut done, mut reached) = (start.clone(), Bits::NONE, Bits::NONE);
        let mut totals: Vec<i32> = Vec::new();
        let total_of = |totals: &[i32], m: u32| totals.get(m as usize).copied().unwrap_or(0);
        loop {
            let mut nearest: Option<(u32, i32)> = None;
            each(&open, |m| {
                let total = total_of(&totals, m);
                if nearest.is_none_or(|(_, least)| total < least) {
                    nearest = Some((m, total));
                }
            });
            let Some((a, before)) = nearest else {
                return (reached, NONE);
            };
            if to == Some(a) {
                return (reached, before);
            }
            open.remove(a);
            done.add(a);
            let known = reached.clone() & &(done.clone() | &start);
            each(&self.next(steps, a, &known), |b| {
                self.bind(steps.b, b as i32);
                let price = self.num(cost);
                if price == NONE {
                    return;
                }
                let total = match before.checked_add(price) {
                    Some(total) if price >= 0 => total,
                    None if price >= 0 && most.is_some() => return,
                    _ => return self.fail(),
                };
                if most.is_some_and(|most| total > most) {
                    return;
                }
                reached.add(b);
                if !done.has(b) && (!open.has(b) || total < total_of(&totals, b)) {
                    totals.resize(totals.len().max(b as usize + 1), 0);
                    totals[b as usize] = total;
                    open.add(b);
                }
            });
            if self.scratch.failed.get() {
                return (reached, NONE);
            }
        }
    }
}
