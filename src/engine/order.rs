//! Hooks that nothing ranks: whether the order of those that apply makes a difference.

use super::bits::{Bits, each};
use super::eval::uint;
use super::fallback::Fallback;
use super::hook::{Group, Hook};
use super::program::Store;
use super::run::{Res, Run, Stop};

/// The maximum number of hooks of which all orders are tried; of more only one order and its reverse.
const MAX_PERMUTED: usize = 3;

/// The instruction that finds which hook is next.
#[derive(Clone, Debug)]
pub(super) struct NextHook {
    pub hooks: Box<[Hook]>,
    pub left: Store,
    pub open: Store,
    pub into: Store,
    pub settled: u16,
    pub end: u16,
}

/// Which hook is next.
pub(super) enum NextStep {
    /// None applies.
    End,
    /// This one: the only one that applies, or their order makes no difference.
    Settled(i32),
    /// A seat is asked about these.
    Ask(Bits),
}

/// A hook, and the member it is for if it is for whoever has its ability.
type Turn<'h> = (&'h Hook, Option<(u16, i32)>);

impl Run<'_> {
    fn members(&self, group: &Group) -> Vec<i32> {
        let mut members = Vec::new();
        each(&self.ev().set(&group.set), |member| members.push(member as i32));
        members
    }

    /// Goes on only if the order of those hooks that apply makes no difference: it is tried out on copies.
    pub fn unranked(&mut self, hooks: &[Hook], groups: &[Group], among: Option<&Store>) -> Res<()> {
        let single = self.applying(hooks, among)?.into_iter().map(|(_, hook)| (hook, None));
        let mut applying: Vec<Turn> = single.collect();
        let members: Vec<Vec<i32>> = groups.iter().map(|g| self.members(g)).collect();
        for hook in hooks {
            let Some((group, members)) = hook.group.and_then(|g| groups.get(g).zip(members.get(g))) else { continue };
            for member in members {
                let ev = self.ev();
                ev.bind(group.slot, *member);
                if ev.cond(&hook.applies) {
                    applying.push((hook, Some((group.slot, *member))));
                }
            }
        }
        self.sure(())?;
        if self.commute(&applying)? { Ok(()) } else { Err(Fallback::HookOrder) }
    }

    /// Which hook is next.
    pub fn next_hook(&mut self, next: &NextHook) -> Res<NextStep> {
        let applying = self.applying(&next.hooks, Some(&next.left))?;
        let Some((first, _)) = applying.first() else {
            return Ok(NextStep::End);
        };
        let hooks: Vec<Turn> = applying.iter().map(|(_, hook)| (*hook, None)).collect();
        if self.commute(&hooks)? {
            return Ok(NextStep::Settled(*first as i32));
        }
        let mut open = Bits::NONE;
        applying.iter().for_each(|(i, _)| open.add(*i as u32));
        Ok(NextStep::Ask(open))
    }

    /// Those hooks that apply, with their places, of those whose places are in a set; hooks of bearers are left out.
    fn applying<'h>(&self, hooks: &'h [Hook], among: Option<&Store>) -> Res<Vec<(usize, &'h Hook)>> {
        let among = among.map(|store| self.bits(&store.place, 0));
        let counts = |i: usize| among.as_ref().is_none_or(|set| set.has(i as u32));
        let listed = hooks.iter().enumerate().filter(|(i, h)| h.group.is_none() && counts(*i));
        let applying = listed.filter(|(_, h)| self.ev().cond(&h.applies)).collect();
        self.sure(applying)
    }

    /// Whether these hooks lead to the same position in every order, without a decision or chance.
    fn commute(&mut self, applying: &[Turn]) -> Res<bool> {
        if applying.len() < 2 {
            return Ok(true);
        }
        let mut first: Option<Vec<u8>> = None;
        for order in orders(applying.len()) {
            let mut bytes = self.bytes.to_vec();
            let mut trial = self.copied(&mut bytes);
            let done = trial.in_turn(order.into_iter().filter_map(|i| applying.get(i).copied()));
            let steps = trial.steps();
            self.count_steps_of(steps);
            if !done? || first.as_ref().is_some_and(|first| *first != bytes) {
                return Ok(false);
            }
            first.get_or_insert(bytes);
        }
        Ok(true)
    }

    /// Runs hooks in an order, each to its end; `false` if one came to a decision point.
    fn in_turn<'h>(&mut self, order: impl Iterator<Item = Turn<'h>>) -> Res<bool> {
        let depth = uint(self.bytes, self.program.depth as usize, 1);
        let place = self.program.top(self.bytes);
        for (hook, member) in order {
            let ev = self.ev();
            if let Some((slot, member)) = member {
                ev.bind(slot, member);
            }
            let applies = ev.cond(&hook.applies);
            if !self.sure(applies)? {
                continue;
            }
            self.hook(hook)?;
            if self.run()? == Stop::DecisionPoint {
                return Ok(false);
            }
            // Finishing the procedure takes it away from the hooks that would follow.
            let now = uint(self.bytes, self.program.depth as usize, 1);
            if now != depth || self.program.top(self.bytes) != place {
                break;
            }
        }
        Ok(true)
    }
}

/// The orders to try.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n > MAX_PERMUTED {
        return vec![(0..n).collect(), (0..n).rev().collect()];
    }
    let mut orders = vec![Vec::new()];
    for next in 0..n {
        let longer = |order: &Vec<usize>, at: usize| {
            let mut longer = order.clone();
            longer.insert(at, next);
            longer
        };
        orders = orders.iter().flat_map(|order| (0..=order.len()).map(move |at| longer(order, at))).collect();
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_tried_in_all_orders() {
        let mut three = orders(3);
        three.sort_unstable();
        assert_eq!(three, [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]);
        assert_eq!(orders(4), [[0, 1, 2, 3], [3, 2, 1, 0]]);
    }
}
