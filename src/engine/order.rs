//! Hooks that nothing ranks: those that apply are run if their order makes no difference.

use super::bits::{Bits, each};
use super::eval::uint;
use super::fallback::Fallback;
use super::fills::Fill;
use super::hook::{Group, Hook, Listed};
use super::ir::Num;
use super::program::Store;
use super::run::{Flow, Res, Run, Stop};
use crate::game::{After, Orders, in_every_order};

/// The instruction that finds which hook is next.
#[derive(Clone, Debug)]
pub(super) struct NextHook {
    pub hooks: Listed,
    pub left: Store,
    pub open: Store,
    pub into: Store,
    pub settled: u16,
    pub end: u16,
}

/// The instruction that runs the hook of a place.
#[derive(Clone, Debug)]
pub(super) struct HookAt {
    pub hooks: Listed,
    /// The variable that gives the place, and a slot for it.
    pub place: Num,
    pub slot: u16,
    /// The bytes of the variable, and what they are at first.
    pub clear: Fill,
}

/// A hook of a list that applies.
pub(super) struct Applying<'h> {
    /// Which part of the list it is in.
    pub part: usize,
    pub place: u32,
    pub turn: Turn<'h>,
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
                let stays = self.agree(several, |_| Ok(false))?;
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

    /// The hooks of a list that apply, of those whose places count.
    pub fn applying<'h>(&self, list: &'h Listed, counts: impl Fn(u32) -> bool) -> Res<Vec<Applying<'h>>> {
        let sets: Vec<Bits> = list.groups.iter().map(|g| self.ev().set(&g.set)).collect();
        let mut found = Vec::new();
        for (i, part) in list.parts.iter().enumerate() {
            let hook = &part.hook;
            let Some((slot, set)) = list.slot(part).zip(hook.group.and_then(|g| sets.get(g))) else {
                if counts(part.from) && self.ev().cond(&hook.applies) {
                    found.push(Applying { part: i, place: part.from, turn: (hook, None) });
                }
                continue;
            };
            if set.is_empty() {
                continue;
            }
            for (place, holder) in (part.from..).zip(part.holders.iter()) {
                let turn = (hook, Some((slot, *holder)));
                if set.has(*holder as u32) && counts(place) && self.holds(turn) {
                    found.push(Applying { part: i, place, turn });
                }
            }
        }
        self.sure(found)
    }

    fn holds(&self, (hook, member): Turn) -> bool {
        self.bind(member);
        self.ev().cond(&hook.applies)
    }

    pub fn hook_applies(&self, turn: Turn) -> Res<bool> {
        self.sure(self.holds(turn))
    }

    /// Begins the code of a hook.
    pub fn begin_hook(&mut self, (hook, member): Turn) -> Res<()> {
        self.bind(member);
        self.hook(hook)
    }

    /// Which hook is next.
    pub fn next_hook(&mut self, next: &NextHook) -> Res<NextStep> {
        let left = self.bits(&next.left.place, 0);
        let applying = self.applying(&next.hooks, |place| left.has(place))?;
        let first = match applying.as_slice() {
            [] => return Ok(NextStep::End),
            [one] => return Ok(NextStep::Settled(one.place as i32)),
            [first, ..] => first.place as i32,
        };
        let (mut open, mut others) = (Bits::NONE, left.clone());
        for one in &applying {
            open.add(one.place);
            others.remove(one.place);
        }
        let turns: Vec<Turn> = applying.iter().map(|one| one.turn).collect();
        let before = self.bytes.to_vec();
        let other = |run: &Run| Ok(!run.applying(&next.hooks, |place| others.has(place))?.is_empty());
        match self.agree(&turns, other) {
            Ok(_) => {
                self.bytes.copy_from_slice(&before);
                Ok(NextStep::Settled(first))
            }
            Err(Fallback::HookOrder) => Ok(NextStep::Ask(open)),
            Err(other) => Err(other),
        }
    }

    /// Goes where these hooks lead, if that is the same position in every order, without a decision or chance, and if
    /// no other applies on the way. Gives whether their procedure stands where it stood.
    pub fn agree(&mut self, applying: &[Turn], other: impl Fn(&Run) -> Res<bool>) -> Res<bool> {
        let place = self.program.top(self.bytes);
        let ends = in_every_order(applying.len(), self.bytes.to_vec(), |now, i| {
            let Some(turn) = applying.get(i) else { return Ok(After::Interrupted) };
            let mut bytes = now.clone();
            let mut trial = self.copied(&mut bytes);
            let after = trial.in_turn(*turn)?;
            let more = other(&trial)?;
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

    /// Runs a hook to its end, if it still applies.
    fn in_turn(&mut self, turn: Turn) -> Res<After<()>> {
        if !self.hook_applies(turn)? {
            return Ok(After::On(()));
        }
        let depth = uint(self.bytes, self.program.layout.depth as usize, 1);
        let place = self.program.top(self.bytes);
        self.begin_hook(turn)?;
        if self.run()? == Stop::DecisionPoint {
            return Ok(After::Interrupted);
        }
        // Finishing the procedure takes it away from the hooks that would follow.
        let now = uint(self.bytes, self.program.layout.depth as usize, 1);
        let stays = now == depth && self.program.top(self.bytes) == place;
        Ok(if stays { After::On(()) } else { After::Over(()) })
    }
}
