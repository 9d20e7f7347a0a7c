//! The options at a decision point: its question, and the legal actions, in groups that share all arguments but the
//! last.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::build::Build;
use super::int::{Bitset, Bound, Int, Width};
use super::option_groups::Head;
use super::unit::Job;
use super::{LENGTH, SEAT, TOTAL};
use crate::engine::ask::Ask;
use crate::engine::fallback::Fallback;
use crate::engine::ir::{NONE, Num};
use crate::engine::leaf::Leaf;
use crate::engine::legal::{Act, MustGoal, Not, Plan};
use crate::engine::program::{How, Op};
use crate::engine::run::MAX_NUMBERS;

impl<'p> Build<'_, 'p, '_> {
    // -- what is asked --

    /// Writes down all options of a decision or outcomes of chance; how many groups there are.
    pub fn site_function(&mut self, code: usize, pc: u16) -> Result<(), Fallback> {
        let op = self.unit.program.op((code, pc)).ok_or(Fallback::Form)?;
        let none = self.i32(0);
        self.store_context(none, LENGTH);
        let nothing = self.i64(0);
        self.store_context(nothing, TOTAL);
        let (ask, seat, how) = match op {
            Op::Choose { ask, seat, how } => (ask, Some(seat), *how),
            Op::Chance { ask } => (ask, None, How::default()),
            _ => return Err(Fallback::Form),
        };
        let seat = self.seat(seat);
        if !matches!(ask, Ask::Act { .. }) {
            self.begin_listing();
        }
        match ask {
            Ask::Act { acts, .. } => {
                for act in acts {
                    let called = self.unit.call(Job::Act(*act), self.b.func).ok_or(Fallback::Form)?;
                    self.b.ins().call(called, &[self.base, self.ctx, seat.v]);
                }
                self.begin_listing();
            }
            Ask::One { set, lo, .. } => {
                let s = self.set(set);
                self.list_values(s, *lo);
            }
            Ask::Draw { over, .. } => {
                let set = self.set(&over.set);
                self.each(set, over.lo, |gn, member, _| {
                    let copies = gn.with_slot(over.slot, member, |gn| gn.num(&over.term));
                    let (value, n) = (gn.bare(member), gn.bare(copies));
                    let n = gn.b.ins().uextend(types::I64, n);
                    let n = Bitset { v: n, width: Width::Word, bound: Bound::all(Width::Word) };
                    gn.group(Head::copies(), value, n, &[]);
                });
            }
            Ask::Several(_) | Ask::Shuffle(_) => self.list_next(ask),
            Ask::Number { lo, hi, .. } => {
                let (lo, hi) = (self.num(lo), self.num(hi));
                let count = self.how_many(lo, hi);
                let (some, done) = (self.block(), self.block());
                let any = self.cmp(IntCC::SignedGreaterThan, count, 0);
                self.brif(any, some, done);
                self.to(some);
                let lo = self.bare(lo);
                let count = Bitset { v: count, width: Width::Word, bound: Bound::all(Width::Word) };
                self.group(Head::range(), lo, count, &[]);
                self.jump(done, &[]);
                self.to(done);
            }
            Ask::Yes { .. } => {
                let (zero, one) = (self.i32(0), self.const_set(1));
                self.group(Head::yes(), zero, one, &[]);
                self.group(Head::pass(), zero, one, &[]);
            }
        }
        if how.optional && !matches!(ask, Ask::Yes { .. } | Ask::Several(_)) {
            let any = if how.anyway { self.i32(1) } else { self.any_listed() };
            self.list_pass(any);
        }
        let count = self.end_listing();
        self.leave(&[count]);
        Ok(())
    }

    /// Writes down values, if there are any; bit 0 stands for a number.
    pub fn list_values(&mut self, s: Bitset, lo: i32) {
        let lo = self.i32(i64::from(lo));
        self.found(Head::values(), lo, s, &[]);
    }

    /// Writes down doing nothing where that is an option.
    pub fn list_pass(&mut self, c: Value) {
        let (some, done) = (self.block(), self.block());
        self.brif(c, some, done);
        self.to(some);
        let (zero, one) = (self.i32(0), self.const_set(1));
        self.group(Head::pass(), zero, one, &[]);
        self.jump(done, &[]);
        self.to(done);
    }

    /// The seat that decides, written down; nobody for chance.
    pub fn seat(&mut self, seat: Option<&Num>) -> Int {
        let seat = match seat {
            Some(n) => {
                let n = self.num(n);
                let v = self.plain(n);
                if n.sure && !n.maybe && n.lo >= 0 && n.hi <= i64::from(u16::MAX) {
                    Int::plain(v, n.lo, n.hi)
                } else {
                    let out = self.cmp(IntCC::UnsignedGreaterThan, v, i64::from(u16::MAX));
                    self.fail_if(out);
                    Int { maybe: false, sure: false, ..Int::any(v) }
                }
            }
            None => self.number(NONE),
        };
        self.store_context(seat.v, SEAT);
        seat
    }

    /// A seat that a function is given.
    pub fn seat_given(&mut self, v: Value) -> Int {
        let Some(last) = self.unit.program.seats.checked_sub(1) else {
            return Int { maybe: false, sure: false, ..Int::any(v) };
        };
        let last = self.i32(i64::from(last));
        let v = self.b.ins().umin(v, last);
        // Proof: it is not above the last seat.
        Int::plain(v, 0, i64::from(self.unit.program.seats) - 1)
    }

    /// How many numbers there are from one to another, 64 bits, below 1 if none; fails where one is nothing or there
    /// are too many.
    pub fn how_many(&mut self, lo: Int, hi: Int) -> Value {
        for n in [lo, hi] {
            if let Some(there) = self.there(n) {
                let none = self.flip(there);
                self.fail_if(none);
            }
        }
        let (x, y) = (self.bare(lo), self.bare(hi));
        let (x, y) = (self.b.ins().sextend(types::I64, x), self.b.ins().sextend(types::I64, y));
        let less = self.b.ins().isub(y, x);
        let many = self.cmp(IntCC::SignedGreaterThanOrEqual, less, MAX_NUMBERS);
        self.fail_if(many);
        let one = self.i64(1);
        self.b.ins().iadd(less, one)
    }

    // -- actions --

    /// Writes down what a plan permits from one of its parameters on, given the arguments before it.
    pub fn level(&mut self, act: &Act, plan: &Plan, level: usize, args: &mut Vec<Int>) {
        let Some(l) = plan.levels.get(level) else {
            let one = self.const_set(1);
            let open = self.permitted(plan, 0, 0, one, None);
            let zero = self.i32(0);
            self.found(Head::act(act.id.0, args.len(), false), zero, open, args);
            return;
        };
        let all = self.const_bits(&l.all);
        let within = self.mask(&l.mask, l.slot, l.lo, all);
        if level == 0 && !plan.binds.is_empty() {
            let (some, done) = (self.block(), self.block());
            let none = self.none_of(within);
            self.brif(none, done, some);
            self.to(some);
            // One may need those before.
            for bind in &plan.binds {
                self.bind(std::slice::from_ref(bind));
            }
            self.scoped(|b| b.level_within(act, plan, (level, within), args));
            self.jump(done, &[]);
            self.to(done);
            return;
        }
        self.level_within(act, plan, (level, within), args);
    }

    fn level_within(&mut self, act: &Act, plan: &Plan, (level, within): (usize, Bitset), args: &mut Vec<Int>) {
        let Some(l) = plan.levels.get(level) else {
            return;
        };
        if level + 1 < plan.levels.len() {
            self.each(within, l.lo, |b, member, _| {
                args.push(member);
                b.with_slot(l.slot, member, |b| b.level(act, plan, level + 1, args));
                args.pop();
            });
            return;
        }
        let done = self.block();
        let mut costly = false;
        plan.walk_last(&mut |leaf| costly |= leaf.loops() || matches!(leaf, Leaf::Inst(..) | Leaf::Risk));
        // One look more would cost as much as what it could spare.
        let is_some = costly || !self.looked_up.contains_key(&within.v);
        if is_some {
            let some = self.block();
            let none = self.none_of(within);
            self.brif(none, done, some);
            self.to(some);
        }
        let permitted = |b: &mut Self| b.permitted(plan, l.slot, l.lo, within, Some(done));
        let open = if is_some { self.where_some(within, permitted) } else { permitted(self) };
        let lo = self.i32(i64::from(l.lo));
        self.found(Head::act(act.id.0, args.len(), true), lo, open, args);
        self.jump(done, &[]);
        self.to(done);
    }

    /// The only action that is asked for, if it has one parameter, one plan for it, and nothing to be weighed or used
    /// up.
    pub fn simple(&self, ask: &Ask) -> Option<&'p Act> {
        let program = self.unit.program;
        let Ask::Act { acts, .. } = ask else {
            return None;
        };
        let [act] = acts[..] else {
            return None;
        };
        let act = program.acts.get(act)?;
        let single = act.plans.len() == 1 && act.plans.iter().all(|(_, p)| p.levels.len() == 1);
        (act.arity == 1 && single && !act.unrolled && act.musts.is_empty() && act.limits.is_none()).then_some(act)
    }

    /// The permitted values of such an action; the slot of the seat must be bound.
    pub fn open(&mut self, act: &Act) -> Option<(Bitset, i32)> {
        let (_, plan) = act.plans.first()?;
        let l = plan.levels.first()?;
        let early = self.cond(&act.early);
        let before = self.cond(&plan.before);
        let go = self.b.ins().band(early, before);
        let all = self.const_bits(&l.all);
        let all = self.only_if(go, all);
        let within = self.mask(&l.mask, l.slot, l.lo, all);
        Some((self.permitted(plan, l.slot, l.lo, within, None), l.lo))
    }

    fn found(&mut self, head: u32, lo: Value, open: Bitset, args: &[Int]) {
        // In a loop over members a group of no options is written down, too, and then written over.
        let in_loop = args.iter().any(|arg| arg.known().is_none());
        if in_loop && !open.width.in_memory() {
            return self.group(head, lo, open, args);
        }
        let (some, done) = (self.block(), self.block());
        let none = self.none_of(open);
        self.brif(none, done, some);
        self.to(some);
        self.where_some(open, |b| b.group(head, lo, open, args));
        self.jump(done, &[]);
        self.to(done);
    }

    /// The permitted values of the last parameter among these. `none`: where it goes on if there are none, instead of
    /// here.
    fn permitted(&mut self, plan: &Plan, slot: u16, lo: i32, within: Bitset, none: Option<Block>) -> Bitset {
        let mut by = Vec::new();
        let mut open = self.only_none(within);
        for may in &plan.mays {
            let those = self.mask(may, slot, lo, within);
            by.push(those);
            open = Bitset { bound: within.bound, ..self.union(open, those) };
        }
        if !open.width.in_memory() {
            return self.without_all(&plan.nots, &by, (slot, lo), open, none);
        }
        // One place in memory, however many prohibitions there are.
        let left = self.set_var(open.bound, open);
        for not in &plan.nots {
            self.scoped(|gn| {
                let open = gn.now(left);
                let open = gn.without(not, &by, slot, lo, open);
                gn.become_set(left, open);
            });
        }
        self.now(left)
    }

    /// Those of an open set that some prohibitions leave. Where none is left, nothing more is asked.
    fn without_all(
        &mut self,
        nots: &[Not],
        by: &[Bitset],
        (slot, lo): (u16, i32),
        open: Bitset,
        none: Option<Block>,
    ) -> Bitset {
        let Some((not, more)) = nots.split_first() else { return open };
        let rest = |b: &mut Self| {
            let left = b.without(not, by, slot, lo, open);
            b.without_all(more, by, (slot, lo), left, none)
        };
        match none {
            _ if self.is_small(|f| not.mask.walk(f)) => rest(self),
            Some(done) => {
                let some = self.block();
                let is_none = self.none_of(open);
                self.brif(is_none, done, some);
                self.to(some);
                self.where_some(open, rest)
            }
            None => self.unless_empty(open, rest),
        }
    }

    /// Those of an open set that a prohibition leaves; `by` are those that each permission permits.
    fn without(&mut self, not: &Not, by: &[Bitset], slot: u16, lo: i32, open: Bitset) -> Bitset {
        let mut exempt: Option<Bitset> = None;
        for (i, by) in by.iter().enumerate() {
            if not.despite.contains(&(i as u32)) {
                exempt = Some(match exempt {
                    Some(e) => self.union(e, *by),
                    None => *by,
                });
            }
        }
        let over = match exempt {
            Some(e) => self.minus(open, e),
            None => open,
        };
        let those = if self.is_small(|f| not.mask.walk(f)) {
            self.mask(&not.mask, slot, lo, over)
        } else {
            self.unless_empty(over, |b| b.mask(&not.mask, slot, lo, over))
        };
        self.minus(open, those)
    }

    /// What an action is worth to an obligation, nothing where that does not apply; the arguments are the slots' values
    /// in the context.
    pub fn worth_function(&mut self, act: usize, must: usize, params: &[Value]) -> Result<(), Fallback> {
        let program = self.unit.program;
        let act = program.acts.get(act).ok_or(Fallback::Form)?;
        let must = act.musts.get(must).ok_or(Fallback::Form)?;
        let seat = *params.get(2).ok_or(Fallback::Form)?;
        let seat = self.seat_given(seat);
        self.slots.insert(program.seat, seat);
        self.chosen_args(act);
        let (yes, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, types::I32);
        let nothing = self.i32(i64::from(NONE));
        let applies = self.cond(&must.applies);
        self.b.ins().brif(applies, yes, &[], done, &[nothing.into()]);
        self.to(yes);
        let v = match &must.goal {
            MustGoal::SoThat(c) => {
                let c = self.cond(c);
                let (one, nothing) = (self.i32(1), self.i32(i64::from(NONE)));
                self.b.ins().select(c, one, nothing)
            }
            MustGoal::Prefer(_, n) => {
                let n = self.num(n);
                self.plain(n)
            }
        };
        self.jump(done, &[v]);
        self.to(done);
        self.leave(&[result]);
        Ok(())
    }

    /// What a position is worth to a seat.
    pub fn position_function(&mut self, params: &[Value]) -> Result<(), Fallback> {
        let (worth, slot) = self.unit.program.worth.as_ref().ok_or(Fallback::Form)?;
        let seat = *params.get(2).ok_or(Fallback::Form)?;
        let seat = self.seat_given(seat);
        self.slots.insert(*slot, seat);
        let n = self.num(worth);
        let worth = self.plain(n);
        self.leave(&[worth]);
        Ok(())
    }

    /// The arguments of the choice made, as the slots of an action.
    pub fn chosen_args(&mut self, act: &Act) -> Vec<Int> {
        let mut args = Vec::new();
        for (i, slot) in act.slots.iter().enumerate() {
            let v = self.load_context(types::I32, super::ARGS + 4 * i as i32);
            let n = Int { maybe: false, sure: false, ..Int::any(v) };
            self.slots.insert(*slot, n);
            args.push(n);
        }
        args
    }
}
