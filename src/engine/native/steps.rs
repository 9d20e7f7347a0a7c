//! Steps from member to member: who is reached, and what the cheapest way costs. The order of steps is that of the
//! trees, so that what can fail is met by both.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, StackSlot, StackSlotData, StackSlotKind, Value, types};
use cranelift_frontend::Variable;

use super::build::Build;
use super::int::{Bitset, Bound, Int};
use super::regions::Region;
use crate::engine::ir::{NONE, Num, Steps};

/// Where steps are to lead to, and what is known once they do.
#[derive(Clone, Copy)]
struct Goal {
    /// The member, 64 bits.
    to: Value,
    /// What it costs to come there, or [`NONE`].
    total: Variable,
}

impl Build<'_, '_, '_> {
    /// The members that steps lead to within a limit, if there is one; nothing as a limit: none.
    pub fn reached(&mut self, steps: &Steps, within: Option<&Num>) -> Bitset {
        let mut start = self.set(&steps.from);
        let most = within.map(|within| {
            let most = self.num(within);
            if let Some(there) = self.there(most) {
                start = self.only_if(there, start);
            }
            self.plain(most)
        });
        self.go_on(steps, start, most, None)
    }

    /// What the cheapest steps to a member cost in all.
    pub fn way(&mut self, steps: &Steps, to: &Num) -> Int {
        let start = self.set(&steps.from);
        let to = self.num(to);
        let (to, ok) = self.place(to, 0, steps.n.max(1) as u64);
        let start = match ok {
            Some(ok) => self.only_if(ok, start),
            None => start,
        };
        let none = self.i32(i64::from(NONE));
        let total = self.var(types::I32, none);
        self.go_on(steps, start, None, Some(Goal { to, total }));
        Int::any(self.b.use_var(total))
    }

    fn go_on(&mut self, steps: &Steps, start: Bitset, most: Option<Value>, goal: Option<Goal>) -> Bitset {
        let start = self.within(start, Bound::below(steps.n as u64));
        match &steps.cost {
            None => self.by_levels(steps, start, most, goal),
            Some(cost) => self.by_price((steps, cost), start, most, goal),
        }
    }

    // -- steps --

    /// Those that one step leads to from a member, of all but some.
    fn next(&mut self, steps: &Steps, a: Int, but: Bitset) -> Bitset {
        self.with_slot(steps.a, a, |gn| {
            let all = gn.set(&steps.set);
            let all = gn.within(all, Bound::below(steps.n as u64));
            let all = gn.minus(all, but);
            gn.mask(&steps.mask, steps.b, 0, all)
        })
    }

    /// Steps that cost 1 each.
    fn by_levels(&mut self, steps: &Steps, start: Bitset, most: Option<Value>, goal: Option<Goal>) -> Bitset {
        let all = Bound::below(steps.n as u64);
        let none = self.const_set(0);
        let (level, done) = (self.set_var(all, start), self.set_var(all, start));
        let (reached, before) = (self.set_var(all, none), self.set_var(all, none));
        let zero = self.i32(0);
        let total = self.var(types::I32, zero);
        let (head, inside, end) = (self.block(), self.block(), self.block());
        if let Some(goal) = goal {
            self.arrived(goal, start, zero, end);
        }
        self.jump(head, &[]);
        self.to(head);
        let now = self.now(level);
        let mut stop = self.none_of(now);
        let so_far = self.b.use_var(total);
        if let Some(most) = most {
            let far = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, so_far, most);
            stop = self.b.ins().bor(stop, far);
        }
        self.brif(stop, end, inside);
        self.to(inside);
        let one = self.i32(1);
        let steps_made = self.b.ins().iadd(so_far, one);
        self.b.def_var(total, steps_made);
        let was = self.now(reached);
        self.become_set(before, was);
        self.each(now, 0, |gn, a, _| {
            let but = gn.now(reached);
            let next = gn.next(steps, a, but);
            gn.add(reached, next);
        });
        let found = self.now(reached);
        if let Some(goal) = goal {
            let so_far = self.b.use_var(total);
            self.arrived(goal, found, so_far, end);
        }
        let (was, gone_on) = (self.now(before), self.now(done));
        let new = self.minus(found, was);
        let new = self.minus(new, gone_on);
        self.become_set(level, new);
        self.add(done, new);
        self.jump(head, &[]);
        self.to(end);
        self.now(reached)
    }

    /// Goes to the end where a set has the goal.
    fn arrived(&mut self, goal: Goal, set: Bitset, total: Value, end: Block) {
        let there = self.has(set, goal.to);
        let (yes, no) = (self.block(), self.block());
        self.brif(there, yes, no);
        self.to(yes);
        self.b.def_var(goal.total, total);
        self.jump(end, &[]);
        self.to(no);
    }

    /// Steps with a price: goes on from the nearest, of these the first.
    fn by_price(
        &mut self,
        (steps, cost): (&Steps, &Num),
        start: Bitset,
        most: Option<Value>,
        goal: Option<Goal>,
    ) -> Bitset {
        let (n, all) = (steps.n, Bound::below(steps.n as u64));
        let none = self.const_set(0);
        let (open, done, reached) = (self.set_var(all, start), self.set_var(all, none), self.set_var(all, none));
        let size = 4 * n.max(1) as u32;
        let totals = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 2));
        self.each(start, 0, |gn, _, bit| {
            let zero = gn.i32(0);
            gn.put_total(totals, n, bit, zero);
        });
        let zero = self.i64(0);
        let (nearest, least) = (self.var(types::I64, zero), self.var(types::I64, zero));
        // What the member cost that was gone on from last: no open one costs less.
        let last = self.var(types::I64, zero);
        let (head, inside, end) = (self.block(), self.block(), self.block());
        if let Some(goal) = goal {
            let zero = self.i32(0);
            self.arrived(goal, start, zero, end);
        }
        self.jump(head, &[]);
        self.to(head);
        let now = self.now(open);
        let nothing = self.none_of(now);
        self.brif(nothing, end, inside);
        self.to(inside);
        let beyond = self.i64(i64::MAX as u64);
        self.b.def_var(least, beyond);
        let found = self.block();
        self.each(now, 0, |gn, _, bit| {
            let total = gn.total(totals, n, bit);
            let total = gn.b.ins().sextend(types::I64, total);
            let before = gn.b.use_var(least);
            let nearer = gn.b.ins().icmp(IntCC::SignedLessThan, total, before);
            let (to, by) = (gn.b.use_var(nearest), gn.b.ins().select(nearer, total, before));
            let to = gn.b.ins().select(nearer, bit, to);
            gn.b.def_var(nearest, to);
            gn.b.def_var(least, by);
            let lowest = gn.b.use_var(last);
            let settled = gn.b.ins().icmp(IntCC::Equal, total, lowest);
            let next = gn.block();
            gn.brif(settled, found, next);
            gn.to(next);
        });
        self.jump(found, &[]);
        self.to(found);
        let (a, before) = (self.b.use_var(nearest), self.b.use_var(least));
        self.b.def_var(last, before);
        // Proof: it is 0 or a bit of a set of `n` members.
        let a = self.proved(a, n.max(1) as i64);
        if let Some(goal) = goal {
            let is = self.b.ins().icmp(IntCC::Equal, a, goal.to);
            let (yes, no) = (self.block(), self.block());
            self.brif(is, yes, no);
            self.to(yes);
            let total = self.b.ins().ireduce(types::I32, before);
            self.b.def_var(goal.total, total);
            self.jump(end, &[]);
            self.to(no);
        }
        let this = self.alone(all, a);
        let left = self.minus(now, this);
        self.become_set(open, left);
        self.add(done, this);
        let (gone_on, known) = (self.now(done), self.now(reached));
        let settled = self.union(gone_on, start);
        let settled = self.meet(settled, known);
        let member = self.b.ins().ireduce(types::I32, a);
        // Proof: as above.
        let member = Int::plain(member, 0, n.max(1) as i64 - 1);
        let next = self.next(steps, member, settled);
        self.each(next, 0, |gn, b, bit| {
            let price = gn.with_slot(steps.a, member, |gn| gn.with_slot(steps.b, b, |gn| gn.num(cost)));
            let (add, skip) = (gn.block(), gn.block());
            let total = gn.total_with(before, price, most, add, skip);
            gn.to(add);
            gn.add_member(reached, bit, None);
            let (gone_on, waiting) = (gn.now(done), gn.now(open));
            let (gone_on, waits) = (gn.has(gone_on, bit), gn.has(waiting, bit));
            let known = gn.total(totals, n, bit);
            let cheaper = gn.b.ins().icmp(IntCC::SignedLessThan, total, known);
            let is_new = gn.flip(waits);
            let better = gn.b.ins().bor(is_new, cheaper);
            let worth = gn.b.ins().band_not(better, gone_on);
            let keep = gn.block();
            gn.brif(worth, keep, skip);
            gn.to(keep);
            gn.put_total(totals, n, bit, total);
            gn.add_member(open, bit, None);
            gn.jump(skip, &[]);
            gn.to(skip);
        });
        self.jump(head, &[]);
        self.to(end);
        self.now(reached)
    }

    /// The total with the price of one more step, 32 bits: goes to `add` where it is within the limit, else to `skip`.
    fn total_with(&mut self, before: Value, price: Int, most: Option<Value>, add: Block, skip: Block) -> Value {
        let bare = self.bare(price);
        let bare = self.b.ins().sextend(types::I64, bare);
        let total = self.b.ins().iadd(before, bare);
        let there = self.there(price);
        let negative = self.cmp(IntCC::SignedLessThan, bare, 0);
        let fails = self.both(there, negative);
        self.fail_if(fails);
        let large = self.cmp(IntCC::SignedGreaterThan, total, i64::from(i32::MAX));
        let mut out = self.b.ins().bor(negative, large);
        match most {
            Some(most) => {
                let most = self.b.ins().sextend(types::I64, most);
                let beyond = self.b.ins().icmp(IntCC::SignedGreaterThan, total, most);
                out = self.b.ins().bor(out, beyond);
            }
            None => {
                let fails = self.both(there, large);
                self.fail_if(fails);
            }
        }
        let ok = self.flip(out);
        let ok = self.both(there, ok);
        let total = self.b.ins().ireduce(types::I32, total);
        self.brif(ok, add, skip);
        total
    }

    fn total(&mut self, totals: StackSlot, n: usize, member: Value) -> Value {
        let at = self.total_at(totals, n, member);
        let locals = self.in_region(Region::Locals);
        self.b.ins().load(types::I32, locals, at, 0)
    }

    fn put_total(&mut self, totals: StackSlot, n: usize, member: Value, total: Value) {
        let at = self.total_at(totals, n, member);
        let locals = self.in_region(Region::Locals);
        self.b.ins().store(locals, total, at, 0);
    }

    fn total_at(&mut self, totals: StackSlot, n: usize, member: Value) -> Value {
        // Proof: it is a bit of a set of `n` members.
        let member = self.proved(member, n.max(1) as i64);
        let two = self.b.ins().iconst(types::I32, 2);
        let off = self.b.ins().ishl(member, two);
        let first = self.b.ins().stack_addr(types::I64, totals, 0);
        self.b.ins().iadd(first, off)
    }
}
