//! Parts of instructions that stay with the trees: machine code calls them, and goes on.

use std::slice;
use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Switch;

use super::build::Build;
use super::int::{Bound, Int};
use super::run::{At, Now, Running};
use super::scratch::Context;
use crate::engine::fallback::Fallback;
use crate::engine::hook::{Group, Hook, Listed};
use crate::engine::ir::{Cond, Lin, Num};
use crate::engine::order::{HookAt, NextHook, NextStep};
use crate::engine::program::Op;
use crate::engine::report::{EngineNote, LeftOver};
use crate::engine::run::{Now as Stored, Run};
use crate::engine::tree::not;
use crate::engine::with_scratch;

/// What [`order_hooks`] says: that it is left to the explaining evaluator, that the hooks have been run or no hook is
/// next, which hook is next, or that a seat is asked about those that are written into the position.
const LEFT: u64 = 0;
const FINE: u64 = 1;
const SETTLED: u64 = 2;
const ASK: u64 = 3;

/// The bits of the answer that say which of these it is; behind them stands the next hook.
const TAG_BITS: u32 = 8;

/// Behind the next hook, if it is for whoever has its ability, stands the member.
const MEMBER_BITS: u32 = 32;

/// Runs hooks at an instruction whose order makes no difference, or finds which hook is next.
///
/// # Safety
/// Only the code calls this: with the context that it was given, whose program is the one that the code was made of,
/// and a position of its size.
pub(super) unsafe extern "C" fn order_hooks(
    context: *mut Context,
    position: *mut u8,
    code: u64,
    pc: u64,
    ahead: u64,
) -> u64 {
    // SAFETY: the caller promises it; nobody else has the context.
    let context = unsafe { &mut *context };
    // SAFETY: whoever called the code has lent the program for as long as it runs.
    let program = unsafe { &*context.program };
    // SAFETY: the caller promises a position of this size, which nobody else has meanwhile.
    let bytes = unsafe { slice::from_raw_parts_mut(position, program.layout.size as usize) };
    with_scratch(program, |scratch| {
        let mut run = Run::new(program, scratch, bytes).looking_ahead(ahead != 0);
        let answer = match program.op((code as usize, pc as u16)) {
            Some(Op::Unranked { hooks, groups }) => unranked(&mut run, hooks, groups),
            Some(Op::Instead(hooks, _)) => match run.applying(hooks, |_| true).as_deref() {
                Ok([]) => FINE,
                Ok([one]) => {
                    let member = one.turn.1.map_or(0, |(_, member)| member as u32);
                    SETTLED | (one.part as u64) << TAG_BITS | u64::from(member) << MEMBER_BITS
                }
                _ => LEFT,
            },
            Some(Op::NextHook(next)) => match run.next_hook(next) {
                Err(_) => LEFT,
                Ok(NextStep::End) => FINE,
                Ok(NextStep::Settled(i)) => SETTLED | (i as u64) << TAG_BITS,
                Ok(NextStep::Ask(open)) => run.write(&next.open, 0, Stored::Set(open)).map_or(LEFT, |()| ASK),
            },
            _ => LEFT,
        };
        context.work = context.work.saturating_add(scratch.work.get());
        answer
    })
}

fn unranked(run: &mut Run, hooks: &[Hook], groups: &[Group]) -> u64 {
    let Ok(applying) = run.taking_part(hooks, groups) else { return LEFT };
    if let [(hook, Some((_, member)))] = applying.as_slice() {
        let place = hooks.iter().position(|h| std::ptr::eq(h, *hook)).unwrap_or(hooks.len()) as u64;
        return SETTLED | place << TAG_BITS | u64::from(*member as u32) << MEMBER_BITS;
    }
    let stays = |run: &mut Run| run.agree(&applying, |_| Ok(false)).is_ok_and(|stays| stays);
    if stays(run) { FINE } else { LEFT }
}

impl Build<'_, '_, '_> {
    /// Runs those hooks that apply. One of them is begun here; several are run by the trees, which try their order.
    pub fn unranked(&mut self, r: &mut Running, at: At, hooks: &[Hook], groups: &[Group]) -> Result<(), Fallback> {
        if self.is_inlined() {
            return Err(Fallback::NoOrder);
        }
        let next = (at.0, at.1.saturating_add(1));
        let (applying, n) = self.applying(r, hooks, groups);
        let (some, none) = (self.block(), self.goto(r, next));
        self.brif(n, some, none);
        self.to(some);
        if hooks.len() > 1 || !groups.is_empty() {
            self.run_several(r, at, n);
        }
        for (hook, c) in applying {
            let (yes, no) = (self.block(), self.block());
            self.brif(c, yes, no);
            self.to(yes);
            self.hook(r, hook, next)?;
            self.to(no);
        }
        let grouped = || hooks.iter().enumerate().filter(|(_, h)| h.group.is_some());
        if grouped().next().is_none() {
            self.go(r, next);
            return Ok(());
        }
        let answer = self.ask_order(r, at);
        let tag = self.b.ins().band_imm_u(answer, (1 << TAG_BITS) - 1);
        let known = self.cmp(IntCC::Equal, tag, SETTLED as i64);
        self.need(r, known);
        let member = self.b.ins().ushr_imm_u(answer, i64::from(MEMBER_BITS));
        let member = self.b.ins().ireduce(types::I32, member);
        let which = self.b.ins().ireduce(types::I32, answer);
        let which = self.b.ins().ushr_imm_u(which, i64::from(TAG_BITS));
        let mut switch = Switch::new();
        let blocks: Vec<_> = grouped().map(|(i, hook)| (i, hook, self.block())).collect();
        blocks.iter().for_each(|(i, _, block)| switch.set_entry(*i as u128, *block));
        switch.emit(&mut self.b, which, r.left);
        for (_, hook, block) in blocks {
            self.to(block);
            if let Some(group) = hook.group.and_then(|g| groups.get(g)) {
                self.slots.insert(group.slot, Int { maybe: false, sure: true, ..Int::any(member) });
                self.hook(r, hook, next)?;
                self.slots.remove(&group.slot);
            }
        }
        Ok(())
    }

    /// Goes on only if not more than one hook applies; several are run by the trees.
    fn run_several(&mut self, r: &mut Running, at: At, n: Value) {
        let place = self.unit.program.codes.get(at.0).and_then(|c| c.spans.get(usize::from(at.1)).copied());
        self.unit.notes.push(EngineNote { what: LeftOver::Order, at: place, why: Fallback::NoOrder });
        let (several, one) = (self.block(), self.block());
        let many = self.cmp(IntCC::UnsignedGreaterThan, n, 1);
        self.b.set_cold_block(several);
        self.brif(many, several, one);
        self.to(several);
        let answer = self.ask_order(r, at);
        let fine = self.cmp(IntCC::Equal, answer, FINE as i64);
        self.need(r, fine);
        self.touch_all(r);
        self.go(r, (at.0, at.1.saturating_add(1)));
        self.to(one);
    }

    /// Asks the trees about the order of the hooks at an instruction.
    fn ask_order(&mut self, r: &Running, at: At) -> Value {
        // The trees see the position as it is now.
        self.set_pc(r, at.1);
        self.put_depth(r);
        self.spill();
        let (code, pc) = (self.i64(at.0 as u64), self.i64(u64::from(at.1)));
        let ahead = self.i64(u64::from(r.root.is_some()));
        let called = self.unit.order_hooks(self.b.func);
        let call = self.b.ins().call(called, &[self.ctx, self.base, code, pc, ahead]);
        let answer = self.b.inst_results(call)[0];
        self.clear_spilled();
        answer
    }

    /// Goes on with the hook that is next, or where a seat is asked, or behind the hooks if none is left that applies.
    pub fn next_hook(&mut self, r: &mut Running, at: At, next: &NextHook) -> Result<(), Fallback> {
        let place = self.unit.program.codes.get(at.0).and_then(|c| c.spans.get(usize::from(at.1)).copied());
        self.unit.notes.push(EngineNote { what: LeftOver::Order, at: place, why: Fallback::NoOrder });
        let any = self.some_may_apply(r, &next.hooks);
        let (some, there, settled, asked) = (self.block(), self.block(), self.block(), self.block());
        let end = self.goto(r, (at.0, next.end));
        self.brif(any, some, end);
        self.to(some);
        let answer = self.ask_order(r, at);
        let left = self.cmp(IntCC::NotEqual, answer, LEFT as i64);
        self.need(r, left);
        let tag = self.b.ins().band_imm_u(answer, (1 << TAG_BITS) - 1);
        let none = self.cmp(IntCC::Equal, tag, FINE as i64);
        self.brif(none, end, there);
        self.to(there);
        let known = self.cmp(IntCC::Equal, tag, SETTLED as i64);
        self.brif(known, settled, asked);
        self.to(settled);
        let first = self.b.ins().ushr_imm_u(answer, i64::from(TAG_BITS));
        let first = self.member_of(first, Bound::First(next.hooks.len()), 0);
        self.write(r, &next.into, Now::Num(first));
        self.go(r, (at.0, next.settled));
        self.to(asked);
        let (from, len) = next.open.place.range();
        self.touch(r, from, len);
        self.go(r, (at.0, at.1.saturating_add(1)));
        Ok(())
    }

    /// Whether some hooks may apply: of those in a group none does if its set is empty.
    fn some_may_apply(&mut self, r: &Running, hooks: &Listed) -> Value {
        let mut any = self.i8(false);
        for part in hooks.parts.iter().filter(|part| part.hook.group.is_none()) {
            let c = self.cond(&part.hook.applies);
            any = self.b.ins().bor(any, c);
        }
        for group in &hooks.groups {
            let c = self.cond(&not(Cond::Empty(Box::new(group.set.clone()))));
            any = self.b.ins().bor(any, c);
        }
        self.sure(r);
        any
    }

    /// Runs the hook that applies instead of a step. If many can bear its ability, the trees say which it is.
    pub fn instead(&mut self, r: &mut Running, at: At, hooks: &Listed, to: u16) -> Result<(), Fallback> {
        let (next, back) = ((at.0, at.1.saturating_add(1)), (at.0, to));
        if hooks.groups.is_empty() {
            return self.one_instead(r, hooks, (next, back));
        }
        let place = self.unit.program.codes.get(at.0).and_then(|c| c.spans.get(usize::from(at.1)).copied());
        self.unit.notes.push(EngineNote { what: LeftOver::Order, at: place, why: Fallback::NoOrder });
        let any = self.some_may_apply(r, hooks);
        let (some, one) = (self.block(), self.block());
        let none = self.goto(r, next);
        self.brif(any, some, none);
        self.to(some);
        let answer = self.ask_order(r, at);
        let tag = self.b.ins().band_imm_u(answer, (1 << TAG_BITS) - 1);
        let known = self.block();
        let fine = self.cmp(IntCC::Equal, tag, FINE as i64);
        self.brif(fine, none, known);
        self.to(known);
        let settled = self.cmp(IntCC::Equal, tag, SETTLED as i64);
        self.brif(settled, one, r.left);
        self.to(one);
        let member = self.b.ins().ushr_imm_u(answer, i64::from(MEMBER_BITS));
        let member = self.b.ins().ireduce(types::I32, member);
        let which = self.b.ins().ireduce(types::I32, answer);
        let which = self.b.ins().ushr_imm_u(which, i64::from(TAG_BITS));
        let mut switch = Switch::new();
        let blocks: Vec<_> = hooks.parts.iter().map(|part| (part, self.block())).collect();
        blocks.iter().enumerate().for_each(|(i, (_, block))| switch.set_entry(i as u128, *block));
        switch.emit(&mut self.b, which, r.left);
        for (part, block) in blocks {
            self.to(block);
            let slot = hooks.slot(part);
            slot.map(|slot| self.slots.insert(slot, Int { maybe: false, sure: true, ..Int::any(member) }));
            self.hook(r, &part.hook, back)?;
            slot.map(|slot| self.slots.remove(&slot));
        }
        Ok(())
    }

    /// Runs the hook that applies, if one does; goes on only if not more than one does.
    fn one_instead(&mut self, r: &mut Running, hooks: &Listed, (next, back): (At, At)) -> Result<(), Fallback> {
        let mut all = Vec::new();
        let mut n = self.i32(0);
        for part in &hooks.parts {
            let c = self.cond(&part.hook.applies);
            all.push(c);
            let c = self.b.ins().uextend(types::I32, c);
            n = self.b.ins().iadd(n, c);
        }
        self.sure(r);
        let ok = self.cmp(IntCC::UnsignedLessThan, n, 2);
        self.need(r, ok);
        for (part, c) in hooks.parts.iter().zip(all) {
            let (yes, no) = (self.block(), self.block());
            self.brif(c, yes, no);
            self.to(yes);
            self.hook(r, &part.hook, back)?;
            self.to(no);
        }
        self.go(r, next);
        Ok(())
    }

    /// Runs the hook whose place a variable gives, if it applies; the variable begins anew.
    pub fn hook_at(&mut self, r: &mut Running, at: At, hook_at: &HookAt) -> Result<(), Fallback> {
        let next = (at.0, at.1.saturating_add(1));
        let place = self.num(&hook_at.place);
        self.sure(r);
        let v = self.plain(place);
        let (from, len, _) = hook_at.clear;
        self.touch(r, from, len);
        self.fill_with(self.base, hook_at.clear);
        let mut switch = Switch::new();
        let blocks: Vec<_> = hook_at.hooks.parts.iter().map(|part| (part, self.block())).collect();
        for (part, block) in &blocks {
            (part.from..part.from + part.len()).for_each(|i| switch.set_entry(u128::from(i), *block));
        }
        switch.emit(&mut self.b, v, r.left);
        for (part, block) in blocks {
            self.to(block);
            let slot = hook_at.hooks.slot(part);
            if let Some(slot) = slot {
                self.slots.insert(hook_at.slot, Int { maybe: false, sure: true, ..Int::any(v) });
                let terms = Box::new([(Num::Slot(hook_at.slot), part.from as i32, part.len())]);
                let member = self.num(&Num::Table(Arc::clone(&part.holders), Lin { terms, strict: false }));
                let v = self.plain(member);
                self.slots.insert(slot, Int { maybe: false, sure: true, ..Int::any(v) });
            }
            let c = self.cond(&part.hook.applies);
            self.sure(r);
            let (yes, no) = (self.block(), self.goto(r, next));
            self.brif(c, yes, no);
            self.to(yes);
            self.hook(r, &part.hook, next)?;
            slot.map(|slot| self.slots.remove(&slot));
            self.slots.remove(&hook_at.slot);
        }
        Ok(())
    }

    /// Whether each hook that is for a holder applies, and how many apply.
    fn applying<'h>(&mut self, r: &Running, hooks: &'h [Hook], groups: &[Group]) -> (Vec<(&'h Hook, Value)>, Value) {
        let mut n = self.i32(0);
        let mut all = Vec::new();
        for hook in hooks.iter().filter(|h| h.group.is_none()) {
            let c = self.cond(&hook.applies);
            all.push((hook, c));
            let c = self.b.ins().uextend(types::I32, c);
            n = self.b.ins().iadd(n, c);
        }
        for count in groups.iter().flat_map(|g| &g.counts) {
            let count = self.num(count).v;
            n = self.b.ins().iadd(n, count);
        }
        self.sure(r);
        (all, n)
    }

    /// Writes down how many codes are active.
    pub fn put_depth(&mut self, r: &Running) {
        let frame = self.b.use_var(r.frame);
        let below = self.b.ins().isub(frame, self.base);
        let first = self.i64(u64::from(self.unit.program.layout.stack));
        let below = self.b.ins().isub(below, first);
        let two = self.b.ins().iconst(types::I32, 2);
        let at = self.b.ins().ushr(below, two);
        let one = self.i64(1);
        let depth = self.b.ins().iadd(at, one);
        let depth = self.b.ins().ireduce(types::I8, depth);
        self.store_position(depth, self.base, self.unit.program.layout.depth as i32);
    }
}
