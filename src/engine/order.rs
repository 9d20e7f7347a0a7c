//! Hooks that nothing ranks: those that apply are run if their order makes no difference.

use super::bits::{Bits, each};
use super::eval::uint;
use super::fallback::Fallback;
use super::hook::{Group, Hook};
use super::program::Store;
use super::run::{Flow, Res, Run, Stop};
use crate::game::{After, Orders, in_every_order};

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
pub(super) type Turn<'h> = (&'h Hook, Option<(u16, i32)>);

impl Run<'_> {
    fn members(&self, group: &Group) -> Vec<i32> {
        let mut members = Vec::new();
        each(&self.ev().set(&group.set), |member| members.push(member as i32));
        members
    }

    /// Runs those of some hooks that apply; if several do, the result must not depend on their order.
    pub fn unranked(&mut self, hooks: &[Hook], groups: &[Group]) -> Res<Flow> {
        let applying = self.taking_part(hooks, groups)?;
        match applying.as_slice() {
            [] => Ok(Flow::On),
            [(hook, member)] => {
                self.bind(*member);
                let pc = self.program.top(self.bytes).map_or(0, |(_, pc)| pc);
                self.set_pc(pc.saturating_add(1));
                self.hook(hook)?;
                Ok(Flow::Set)
            }
            several => {
                let stays = self.agree(several, &[])?;
                Ok(if stays { Flow::On } else { Flow::Set })
            }
        }
    }

    /// Those hooks that apply, with the members that they are for.
    pub fn taking_part<'h>(&self, hooks: &'h [Hook], groups: &[Group]) -> Res<Vec<Turn<'h>>> {
        let single = hooks.iter().filter(|h| h.group.is_none() && self.ev().cond(&h.applies));
        let mut applying: Vec<Turn> = single.map(|hook| (hook, None)).collect();
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
        self.sure(applying)
    }

    /// Which hook is next.
    pub fn next_hook(&mut self, next: &NextHook) -> Res<NextStep> {
        let left = self.bits(&next.left.place, 0);
        let applying = (0..next.hooks.len()).filter(|i| left.has(*i as u32) && self.ev().cond(&next.hooks[*i].applies));
        let places: Vec<usize> = applying.collect();
        self.sure(())?;
        let first = match places.as_slice() {
            [] => return Ok(NextStep::End),
            [one] => return Ok(NextStep::Settled(*one as i32)),
            [first, ..] => *first as i32,
        };
        let turns = |which: &dyn Fn(usize) -> bool| -> Vec<Turn> {
            let those = next.hooks.iter().enumerate().filter(|(i, _)| which(*i));
            those.map(|(_, hook)| (hook, None)).collect()
        };
        let applying = turns(&|i| places.contains(&i));
        let others = turns(&|i| left.has(i as u32) && !places.contains(&i));
        let before = self.bytes.to_vec();
        match self.agree(&applying, &others) {
            Ok(_) => {
                self.bytes.copy_from_slice(&before);
                Ok(NextStep::Settled(first))
            }
            Err(Fallback::HookOrder) => {
                let mut open = Bits::NONE;
                places.iter().for_each(|i| open.add(*i as u32));
                Ok(NextStep::Ask(open))
            }
            Err(other) => Err(other),
        }
    }

    /// Goes where these hooks lead, if that is the same position in every order, without a decision or chance, and if
    /// none of `others` applies on the way. Gives whether their procedure stands where it stood.
    pub fn agree(&mut self, applying: &[Turn], others: &[Turn]) -> Res<bool> {
        let place = self.program.top(self.bytes);
        let ends = in_every_order(applying.len(), self.bytes.to_vec(), |now, i| {
            let Some(turn) = applying.get(i) else { return Ok(After::Interrupted) };
            let mut bytes = now.clone();
            let mut trial = self.copied(&mut bytes);
            let after = trial.in_turn(*turn)?;
            let mut more = false;
            for other in others {
                more |= trial.applies(*other)?;
            }
            let steps = trial.steps();
            self.count_steps_of(steps);
            Ok(match after {
                _ if more => After::Interrupted,
                After::On(()) => After::On(bytes),
                After::Over(()) => After::Over(bytes),
                After::Interrupted => After::Interrupted,
            })
        })?;
        let Orders::Same(bytes) = ends else { return Err(Fallback::HookOrder) };
        self.bytes.copy_from_slice(&bytes);
        self.touched();
        Ok(self.program.top(self.bytes) == place)
    }

    fn bind(&self, member: Option<(u16, i32)>) {
        if let Some((slot, member)) = member {
            self.ev().bind(slot, member);
        }
    }

    fn applies(&self, (hook, member): Turn) -> Res<bool> {
        self.bind(member);
        self.sure(self.ev().cond(&hook.applies))
    }

    /// Runs a hook to its end, if it still applies.
    fn in_turn(&mut self, turn: Turn) -> Res<After<()>> {
        if !self.applies(turn)? {
            return Ok(After::On(()));
        }
        let depth = uint(self.bytes, self.program.depth as usize, 1);
        let place = self.program.top(self.bytes);
        self.hook(turn.0)?;
        if self.run()? == Stop::DecisionPoint {
            return Ok(After::Interrupted);
        }
        // Finishing the procedure takes it away from the hooks that would follow.
        let now = uint(self.bytes, self.program.depth as usize, 1);
        let stays = now == depth && self.program.top(self.bytes) == place;
        Ok(if stays { After::On(()) } else { After::Over(()) })
    }
}
