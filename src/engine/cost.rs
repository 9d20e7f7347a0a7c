//! Upper bounds on the cost of lowered trees, from their form: the parts evaluated if every member of every set is
//! visited.

use std::sync::atomic::Ordering;

use super::ir::{Bind, Cond, Filter, Flow, Lin, Mask, Num, Over, SetE, Shared, Steps};
use super::legal::{Act, MustGoal, Plan};
use super::program::{Ask, Ending, Hook, Op, Program, Store, Val, Winners};
use crate::game::MAX_WORK;

/// The assumed size of a set of which nothing is known.
const ASSUMED_ITERATIONS: u64 = 128;

/// The cost of trees, given the shared ones known already.
pub(super) struct Costs<'a> {
    shared: &'a Shared,
    /// For each slot, how many values it can have, if that is known.
    spans: &'a [Option<(i32, usize)>],
    /// Whether all members of sets are visited, or one of each.
    all: bool,
    nums: Vec<Option<u64>>,
    conds: Vec<Option<u64>>,
    sets: Vec<Option<u64>>,
}

/// A tree and its parts.
fn sum(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(1, u64::saturating_add)
}

impl<'a> Costs<'a> {
    fn new(shared: &'a Shared, spans: &'a [Option<(i32, usize)>], all: bool) -> Costs<'a> {
        let (nums, conds, sets) = (shared.nums.len(), shared.conds.len(), shared.sets.len());
        Costs { shared, spans, all, nums: vec![None; nums], conds: vec![None; conds], sets: vec![None; sets] }
    }

    /// How many members there can be of the one in a slot.
    fn members(&self, slot: u16) -> u64 {
        if !self.all {
            return 1;
        }
        self.spans.get(usize::from(slot)).copied().flatten().map_or(ASSUMED_ITERATIONS, |(_, n)| n as u64)
    }

    fn times(&self, slot: u16, each: u64) -> u64 {
        self.members(slot).saturating_mul(each.saturating_add(1))
    }

    fn lin(&mut self, lin: &Lin) -> u64 {
        sum(lin.terms.iter().map(|(n, ..)| self.num(n)))
    }

    pub fn num(&mut self, n: &Num) -> u64 {
        match n {
            Num::Const(_) | Num::Slot(_) | Num::Byte(..) | Num::Var(_) => 1,
            Num::At(_, n) | Num::Length(_, n) | Num::Top(_, n) | Num::Neg(n) | Num::Abs(n) => sum([self.num(n)]),
            Num::Table(_, lin) => self.lin(lin),
            Num::Default(ab) | Num::Arith(_, ab) => sum([self.num(&ab.0), self.num(&ab.1)]),
            Num::Size(s) | Num::First(s, _) => sum([self.set(s)]),
            Num::Bool(c) => sum([self.cond(c)]),
            Num::Sum(over) | Num::Best(_, over) => self.over(over),
            Num::Layer(_, n, list) => {
                let own = self.num(n);
                sum(list.iter().map(|(c, v)| self.cond(c).saturating_add(self.num(v))).chain([own]))
            }
            // Effects are counted as they run.
            Num::Would(after) => sum([self.num(&after.of)]).saturating_mul(2),
            Num::Way(steps, to) => sum([self.num(to), self.steps(steps)]),
            Num::Flow(flow) => match &**flow {
                Flow::Inst(i) => self.shared_num(*i),
                flow => self.flow(flow, Costs::num),
            },
        }
    }

    pub fn cond(&mut self, c: &Cond) -> u64 {
        match c {
            Cond::Const(_) | Cond::On(_) | Cond::NoLegal => 1,
            Cond::Not(c) => sum([self.cond(c)]),
            Cond::All(cs) | Cond::Any(cs) => sum(cs.iter().map(|c| self.cond(c))),
            Cond::Is(n, _) | Cond::Truth(n) => sum([self.num(n)]),
            Cond::Wins(n) => sum([self.num(n)]),
            Cond::Equal(ab) | Cond::Compare(_, ab) => sum([self.num(&ab.0), self.num(&ab.1)]),
            Cond::Same(ab) => sum([self.set(&ab.0), self.set(&ab.1)]),
            Cond::In(n, s, _) => sum([self.num(n), self.set(s)]),
            Cond::Empty(s) => sum([self.set(s)]),
            Cond::Row(_, at, ..) => sum([self.lin(&at.0), self.num(&at.1)]),
            Cond::Some(sc, slot, _) | Cond::Every(sc, slot, _) => {
                let each = self.cond(&sc.1);
                sum([self.set(&sc.0), self.times(*slot, each)])
            }
            Cond::Would(after) => sum([self.cond(&after.of)]).saturating_mul(2),
            Cond::Crosses(_) => ASSUMED_ITERATIONS,
            Cond::Flow(flow) => match &**flow {
                Flow::Inst(i) => self.shared_cond(*i),
                flow => self.flow(flow, Costs::cond),
            },
        }
    }

    pub fn set(&mut self, s: &SetE) -> u64 {
        match s {
            SetE::Const(_) | SetE::Slot(_) | SetE::Var(_) => 1,
            SetE::At(_, n) => sum([self.num(n)]),
            SetE::List(_, n) => sum([self.num(n), ASSUMED_ITERATIONS]),
            SetE::Table(_, lin) => self.lin(lin),
            SetE::Union(ab) | SetE::Minus(ab) | SetE::Both(ab) => sum([self.set(&ab.0), self.set(&ab.1)]),
            SetE::Of(items, ..) => sum(items.iter().map(|n| self.num(n))),
            SetE::Filter(f) => self.filter(f),
            SetE::Map(over, ..) => self.over(over),
            SetE::Reach(_, n, slot, mask) => {
                let each = self.mask(mask, *slot);
                sum([self.num(n), self.times(*slot, each)])
            }
            SetE::Passed(_) => ASSUMED_ITERATIONS,
            SetE::Steps(steps, within) => {
                let within = within.as_ref().map_or(0, |n| self.num(n));
                sum([within, self.steps(steps)])
            }
            SetE::Change(s, a, b) => {
                let own = self.set(s);
                sum(a.iter().chain(b).map(|(c, v)| self.cond(c).saturating_add(self.set(v))).chain([own]))
            }
            SetE::Flow(flow) => match &**flow {
                Flow::Inst(i) => self.shared_set(*i),
                flow => self.flow(flow, Costs::set),
            },
        }
    }

    /// Of a condition on all members that a slot can be.
    pub fn mask(&mut self, m: &Mask, slot: u16) -> u64 {
        match m {
            Mask::All => 1,
            Mask::And(ms) | Mask::Or(ms) => sum(ms.iter().map(|m| self.mask(m, slot))),
            Mask::Not(m) => sum([self.mask(m, slot)]),
            Mask::Scalar(c) => sum([self.cond(c)]),
            Mask::In(s) => sum([self.set(s)]),
            Mask::Is(n) => sum([self.num(n)]),
            Mask::Field(_, n) => sum([self.num(n), 8]),
            Mask::Stored(_, s) | Mask::Tally(_, s, _) => sum([self.set(s), self.members(slot)]),
            Mask::Loop(c) => {
                let each = self.cond(c);
                self.times(slot, each)
            }
        }
    }

    fn filter(&mut self, f: &Filter) -> u64 {
        sum([self.set(&f.set), self.mask(&f.mask, f.slot)])
    }

    fn over(&mut self, over: &Over) -> u64 {
        let each = self.num(&over.term);
        sum([self.set(&over.set), self.times(over.slot, each)])
    }

    fn steps(&mut self, steps: &Steps) -> u64 {
        let cost = steps.cost.as_ref().map_or(0, |n| self.num(n));
        let each = sum([self.set(&steps.set), self.mask(&steps.mask, steps.b), self.times(steps.b, cost)]);
        sum([self.set(&steps.from), self.times(steps.a, each)])
    }

    fn flow<T>(&mut self, flow: &Flow<T>, of: impl Fn(&mut Self, &T) -> u64) -> u64 {
        match flow {
            Flow::If(c, a, b) => sum([self.cond(c), of(self, a).max(of(self, b))]),
            Flow::Pick(rules, general) => {
                let general = general.as_ref().map_or(0, |g| of(self, g));
                sum(rules.iter().map(|r| self.cond(&r.cond).saturating_add(of(self, &r.value))).chain([general]))
            }
            Flow::Let(binds, body) => {
                let body = of(self, body);
                sum(binds
                    .iter()
                    .map(|b| match b {
                        Bind::Num(_, n, _) => self.num(n),
                        Bind::Set(_, s) => self.set(s),
                    })
                    .chain([body]))
            }
            Flow::Inst(_) => 1,
        }
    }

    fn shared_num(&mut self, i: u32) -> u64 {
        let i = i as usize;
        if let Some(Some(known)) = self.nums.get(i) {
            return *known;
        }
        let shared = self.shared;
        let cost = shared.nums.get(i).map_or(1, |n| self.num(n));
        self.nums[i] = Some(cost);
        cost
    }

    fn shared_cond(&mut self, i: u32) -> u64 {
        let i = i as usize;
        if let Some(Some(known)) = self.conds.get(i) {
            return *known;
        }
        let shared = self.shared;
        let cost = shared.conds.get(i).map_or(1, |c| self.cond(c));
        self.conds[i] = Some(cost);
        cost
    }

    fn shared_set(&mut self, i: u32) -> u64 {
        let i = i as usize;
        if let Some(Some(known)) = self.sets.get(i) {
            return *known;
        }
        let shared = self.shared;
        let cost = shared.sets.get(i).map_or(1, |s| self.set(s));
        self.sets[i] = Some(cost);
        cost
    }

    // -- what is asked as a whole --

    /// Listing an action.
    fn act(&mut self, act: &Act) -> u64 {
        let musts = sum(act.musts.iter().map(|m| {
            let goal = match &m.goal {
                MustGoal::SoThat(c) => self.cond(c),
                MustGoal::Prefer(_, n) => self.num(n),
            };
            self.cond(&m.applies).saturating_add(goal)
        }));
        let limits = sum(act.limits.iter().flatten().map(|(c, _)| self.cond(c)));
        let plans = act.plans.iter().map(|(_, p)| self.plan(p)).fold(0, u64::saturating_add);
        let early = self.cond(&act.early);
        // An obligation is weighed for each that is permitted.
        let tuples = act
            .plans
            .iter()
            .map(|(_, p)| p.levels.iter().fold(1, |n: u64, l| n.saturating_mul(u64::from(l.all.count()))));
        let tuples = if self.all { tuples.fold(0, u64::saturating_add) } else { 1 };
        let weighed = if act.musts.is_empty() { 0 } else { musts.saturating_mul(tuples) };
        sum([early, limits, plans, weighed])
    }

    fn plan(&mut self, plan: &Plan) -> u64 {
        let last = plan.levels.last().map_or(0, |l| l.slot);
        let mut inside = sum(plan.mays.iter().map(|m| self.mask(m, last)));
        inside = inside.saturating_add(sum(plan.nots.iter().map(|n| self.mask(&n.mask, last))));
        for (i, level) in plan.levels.iter().enumerate().rev() {
            // All values of the last parameter are handled together.
            let times = if !self.all || i + 1 == plan.levels.len() { 1 } else { u64::from(level.all.count()) };
            inside = sum([self.mask(&level.mask, level.slot), times.saturating_mul(inside)]);
        }
        sum([self.cond(&plan.before), inside])
    }

    fn val(&mut self, v: &Val) -> u64 {
        match v {
            Val::Num(n) => self.num(n),
            Val::Set(s) => self.set(s),
        }
    }

    fn store(&mut self, s: &Store) -> u64 {
        self.num(&s.index)
    }

    fn hook(&mut self, h: &Hook) -> u64 {
        self.cond(&h.applies)
    }

    fn end(&mut self, e: &Ending) -> u64 {
        let winners = match &e.winners {
            Winners::Wins(v) | Winners::Loses(v) => self.val(v),
            Winners::Draw => 0,
        };
        sum([self.cond(&e.applies), winners])
    }

    fn op(&mut self, program: &Program, op: &Op) -> u64 {
        match op {
            Op::Set(store, val) => sum([self.store(store), self.val(val)]),
            Op::Put(n, store) | Op::Take(n, store) => sum([self.num(n), self.store(store)]),
            Op::Call(_, args) => sum(args.iter().map(|v| self.val(v))),
            Op::Unless(c, _) => sum([self.cond(c)]),
            Op::Choose { ask, seat, .. } => sum([self.num(seat), self.ask(program, ask)]),
            Op::Chance { ask } => self.ask(program, ask),
            Op::Unranked(hooks) | Op::Instead(hooks, _) => sum(hooks.iter().map(|h| self.hook(h))),
            Op::Hook(hook) => self.hook(hook),
            Op::Reset(_, inits) => sum(inits.iter().map(|(_, v)| self.val(v))),
            Op::StepEnd => sum(program.ends.iter().map(|e| self.end(e))),
            _ => 1,
        }
    }

    fn ask(&mut self, program: &Program, ask: &Ask) -> u64 {
        match ask {
            Ask::One { set, .. } => self.set(set),
            Ask::Number { lo, hi, .. } => sum([self.num(lo), self.num(hi)]),
            Ask::Act { acts, .. } => {
                let ends = sum(program.ends.iter().map(|e| self.end(e)));
                let acts: Vec<&Act> = acts.iter().filter_map(|a| program.acts.get(*a)).collect();
                sum(acts.into_iter().map(|a| self.act(a)).chain([ends]))
            }
            Ask::Yes { .. } | Ask::Other(_) => 1,
        }
    }
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
