//! Hooks that nothing ranks: whether the order of those that apply makes a difference.

use super::bits::each;
use super::eval::uint;
use super::fallback::Fallback;
use super::program::{Group, Hook};
use super::run::{Res, Run, Stop};

/// The maximum number of hooks of which all orders are tried; of more only one order and its reverse.
const MAX_PERMUTED: usize = 3;

/// A hook, and the member it is for if it is for whoever has its ability.
type Turn<'h> = (&'h Hook, Option<(u16, i32)>);

impl Run<'_> {
    fn members(&self, group: &Group) -> Vec<i32> {
        let mut members = Vec::new();
        each(&self.ev().set(&group.set), |member| members.push(member as i32));
        members
    }

    /// Goes on only if the order of those hooks that apply makes no difference: it is tried out on copies.
    pub fn unranked(&mut self, hooks: &[Hook], groups: &[Group]) -> Res<()> {
        let mut applying: Vec<Turn> = Vec::new();
        let members: Vec<Vec<i32>> = groups.iter().map(|g| self.members(g)).collect();
        for hook in hooks {
            let Some((group, members)) = hook.group.and_then(|g| groups.get(g).zip(members.get(g))) else {
                if self.ev().cond(&hook.applies) {
                    applying.push((hook, None));
                }
                continue;
            };
            for member in members {
                let ev = self.ev();
                ev.bind(group.slot, *member);
                if ev.cond(&hook.applies) {
                    applying.push((hook, Some((group.slot, *member))));
                }
            }
        }
        self.sure(())?;
        if applying.len() < 2 {
            return Ok(());
        }
        let mut first: Option<Vec<u8>> = None;
        for order in orders(applying.len()) {
            let mut bytes = self.bytes.to_vec();
            let mut trial = self.copied(&mut bytes);
            trial.in_turn(order.into_iter().filter_map(|i| applying.get(i).copied()))?;
            self.count_steps_of(trial.steps());
            match &first {
                Some(first) if *first != bytes => return Err(Fallback::HookOrder),
                Some(_) => {}
                None => first = Some(bytes),
            }
        }
        Ok(())
    }

    /// Runs hooks in an order, each to its end.
    fn in_turn<'h>(&mut self, order: impl Iterator<Item = Turn<'h>>) -> Res<()> {
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
                return Err(Fallback::HookOrder);
            }
            // Finishing the procedure takes it away from the hooks that would follow.
            let now = uint(self.bytes, self.program.depth as usize, 1);
            if now != depth || self.program.top(self.bytes) != place {
                break;
            }
        }
        Ok(())
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
