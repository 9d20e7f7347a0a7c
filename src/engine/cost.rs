//! Upper bounds on the cost of lowered trees, from their form: the parts evaluated if every member of every set is
//! visited.

use std::sync::atomic::Ordering;

use super::ask::Ask;
use super::ir::{Cond, Shared};
use super::leaf::{Group, Leaf, Visit};
use super::legal::{Act, Plan};
use super::program::{Op, Program};
use crate::game::MAX_WORK;

/// The assumed size of a set of which nothing is known.
const ASSUMED_ITERATIONS: u64 = 128;

/// The assumed cost of looking for the entries that have a value.
const LOOK_UP: u64 = 8;

/// The cost of trees, given the shared ones known already.
struct Costs<'a> {
    shared: &'a Shared,
    /// For each slot, how many values it can have, if that is known.
    spans: &'a [Option<(i32, usize)>],
    /// Whether all members of sets are visited, or one of each.
    all: bool,
    /// Of the shared numbers, conditions and sets.
    known: [Vec<Option<u64>>; 3],
}

/// What belongs together, while it is counted.
struct Open {
    group: Group,
    /// The cost of the alternatives that are done, at most.
    before: u64,
    cost: u64,
}

impl<'a> Costs<'a> {
    fn new(shared: &'a Shared, spans: &'a [Option<(i32, usize)>], all: bool) -> Costs<'a> {
        let known = [shared.nums.len(), shared.conds.len(), shared.sets.len()].map(|n| vec![None; n]);
        Costs { shared, spans, all, known }
    }

    /// How many members there can be of the one in a slot.
    fn members(&self, slot: Option<u16>) -> u64 {
        if !self.all {
            return 1;
        }
        let span = slot.and_then(|slot| self.spans.get(usize::from(slot)).copied().flatten());
        span.map_or(ASSUMED_ITERATIONS, |(_, n)| n as u64)
    }

    /// Of trees that a walk visits.
    fn of(&mut self, walk: impl FnOnce(Visit)) -> u64 {
        let mut open = vec![Open { group: Group::Either, before: 0, cost: 1 }];
        walk(&mut |leaf| self.note(leaf, &mut open));
        open.pop().map_or(1, |all| all.cost)
    }

    fn note(&mut self, leaf: Leaf, open: &mut Vec<Open>) {
        let members = |costs: &Self, open: &[Open]| {
            let slot = open.iter().rev().find_map(|o| if let Group::Mask(slot) = o.group { Some(slot) } else { None });
            costs.members(slot)
        };
        let cost = match leaf {
            Leaf::Node => 1,
            Leaf::Loop => ASSUMED_ITERATIONS,
            Leaf::Scan => members(self, open),
            Leaf::Field(_) | Leaf::Row => LOOK_UP,
            Leaf::Inst(kind, i) => self.of_shared(kind, i as usize),
            Leaf::Open(group) => return open.push(Open { group, before: 0, cost: 0 }),
            Leaf::Next => {
                if let Some(now) = open.last_mut() {
                    now.before = now.before.max(std::mem::take(&mut now.cost));
                }
                return;
            }
            Leaf::Close => match open.pop() {
                Some(Open { group, before, cost }) => match group {
                    Group::Either => before.max(cost),
                    Group::Mask(_) => cost,
                    Group::Each(slot) => self.members(Some(slot)).saturating_mul(cost.saturating_add(1)),
                    Group::Members => members(self, open).saturating_mul(cost.saturating_add(1)),
                    // Effects are counted as they run.
                    Group::After => cost.saturating_mul(2),
                },
                None => 0,
            },
            Leaf::Slot(_)
            | Leaf::SetSlot(_)
            | Leaf::Bind(_)
            | Leaf::BindSet(_)
            | Leaf::Dynamic
            | Leaf::FieldIs(..)
            | Leaf::Reads(..)
            | Leaf::Byte(..)
            | Leaf::Risk => 0,
        };
        if let Some(now) = open.last_mut() {
            now.cost = now.cost.saturating_add(cost);
        }
    }

    fn of_shared(&mut self, kind: u8, i: usize) -> u64 {
        let known = |costs: &mut Self| costs.known.get_mut(usize::from(kind)).and_then(|k| k.get_mut(i)).copied();
        if let Some(Some(known)) = known(self) {
            return known;
        }
        let shared = self.shared;
        let cost = self.of(|f| shared.walk((kind, i), f));
        if let Some(place) = self.known.get_mut(usize::from(kind)).and_then(|k| k.get_mut(i)) {
            *place = Some(cost);
        }
        cost
    }

    /// Listing an action.
    fn act(&mut self, act: &Act) -> u64 {
        let plans = act.plans.iter().map(|(_, p)| self.plan(p)).fold(0, u64::saturating_add);
        let musts = self.of(|f| act.walk_musts(f));
        // An obligation is weighed for each that is permitted.
        let tuples = act
            .plans
            .iter()
            .map(|(_, p)| p.levels.iter().fold(1, |n: u64, l| n.saturating_mul(u64::from(l.all.count()))));
        let tuples = if self.all { tuples.fold(0, u64::saturating_add) } else { 1 };
        let weighed = if act.musts.is_empty() { 0 } else { musts.saturating_mul(tuples) };
        self.of(|f| act.walk_head(f)).saturating_add(plans).saturating_add(weighed)
    }

    fn plan(&mut self, plan: &Plan) -> u64 {
        let mut inside = self.of(|f| plan.walk_last(f));
        for (i, level) in plan.levels.iter().enumerate().rev() {
            // All values of the last parameter are handled together.
            let times = if !self.all || i + 1 == plan.levels.len() { 1 } else { u64::from(level.all.count()) };
            let own = self.of(|f| level.mask.walk_of(level.slot, f));
            inside = own.saturating_add(times.saturating_mul(inside));
        }
        let once = self.of(|f| plan.binds.iter().for_each(|bind| bind.walk(f)));
        self.of(|f| plan.before.walk(f)).saturating_add(once).saturating_add(inside)
    }

    fn op(&mut self, program: &Program, op: &Op) -> u64 {
        let own = self.of(|f| op.walk(f));
        let ends = |costs: &mut Self| costs.of(|f| program.ends.iter().for_each(|e| e.walk(f)));
        let more = match op {
            Op::StepEnd => ends(self),
            Op::Choose { ask: Ask::Act { acts, .. }, .. } => {
                let acts = acts.iter().filter_map(|a| program.acts.get(*a)).map(|a| self.act(a));
                let acts = acts.fold(0, u64::saturating_add);
                ends(self).saturating_add(acts)
            }
            _ => 0,
        };
        own.saturating_add(more)
    }
}

/// Whether a condition uses so many definitions that trees would take too long even without any sets.
pub(super) fn takes_too_long(shared: &Shared, spans: &[Option<(i32, usize)>], cond: &Cond) -> bool {
    Costs::new(shared, spans, false).of(|f| cond.walk(f)) > u64::from(MAX_WORK)
}

impl Program {
    /// Notes when too much was worked out for a question.
    pub fn note_work(&self, work: u32) {
        if work > MAX_WORK {
            self.passed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether definitions use so many others that trees would take too long even without any sets. The explaining
    /// evaluator keeps their values.
    pub fn is_endless(&self) -> bool {
        let mut costs = Costs::new(&self.shared, &self.spans, false);
        let too_much = |n: u64| n > u64::from(MAX_WORK);
        self.codes.iter().flat_map(|c| &c.ops).any(|op| too_much(costs.op(self, op)))
    }

    /// What each instruction may cost at most, in thousands of parts.
    pub fn costs(&self) -> Vec<Vec<u32>> {
        let mut costs = Costs::new(&self.shared, &self.spans, true);
        let mut of = |op: &Op| u32::try_from(costs.op(self, op) / 1000).unwrap_or(u32::MAX);
        self.codes.iter().map(|c| c.ops.iter().map(&mut of).collect()).collect()
    }
}
