//! The stack of active codes: calls, returns, leaving.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use cranelift_frontend::Switch;

use super::build::Build;
use super::run::{At, Now, Running};
use super::unit::Job;
use crate::engine::fallback::Fallback;
use crate::engine::hook::Hook;
use crate::engine::program::CodeX;

impl Build<'_, '_, '_> {
    /// Begins a code, which goes on at an instruction when it ends, and goes to its first one.
    pub fn begin(&mut self, r: &mut Running, code: usize, args: &[Now], back: Option<At>) -> Result<(), Fallback> {
        if self.unit.inlined_codes.of(code).is_some() {
            return self.begin_inlined(r, code, args, back, Vec::new());
        }
        let program = self.unit.program;
        let c = program.codes.get(code).ok_or(Fallback::Form)?;
        if let Some((_, pc)) = back {
            self.set_pc(r, pc);
        }
        self.step_code(r, code);
        let frame = self.b.use_var(r.frame);
        let by = self.i64(4);
        let frame = self.b.ins().iadd(frame, by);
        // An effect that is looked ahead at begins where play may not.
        let sure = self.unit.inlined_codes.inline_plan.frames_fit && r.root.is_none();
        if !sure {
            let last = self.i64(u64::from(program.layout.stack + 4 * program.layout.max_depth.saturating_sub(1)));
            let last = self.b.ins().iadd(self.base, last);
            let room = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, frame, last);
            self.need(r, room);
        }
        if let Some((at, nested)) = c.active {
            let mut active = self.i8(true);
            if !(sure && nested == 1) {
                let before = self.load_position(types::I8, self.base, at as i32);
                let room = self.cmp(IntCC::UnsignedLessThan, before, i64::from(nested));
                self.need(r, room);
                active = self.b.ins().iadd(before, active);
            }
            self.store_position(active, self.base, at as i32);
            self.touch(r, at, 1);
        }
        self.b.def_var(r.frame, frame);
        let code_at = self.i32(code as i64);
        self.store_frame(code_at, frame, 0);
        self.first_values(r, c, args);
        self.go(r, (code, 0));
        Ok(())
    }

    /// The arguments of a code, and the first values of its other variables.
    pub fn first_values(&mut self, r: &Running, c: &CodeX, args: &[Now]) {
        for (store, value) in c.params.iter().zip(args) {
            self.write(r, store, *value);
        }
        for (store, val) in &c.inits {
            self.init(r, store, val);
        }
        self.sure(r);
    }

    pub fn hook(&mut self, r: &mut Running, hook: &Hook, back: At) -> Result<(), Fallback> {
        if let Some((place, index)) = &hook.limit {
            let (one, index) = (self.number(1), self.num(index));
            self.put(r, place, index, one, None);
        }
        let holder = hook.holder.as_ref().map(|h| Now::Num(self.num(h)));
        self.begin(r, hook.code, holder.as_slice(), Some(back))
    }

    /// Ends a code and goes to where it was begun.
    pub fn give_back(&mut self, r: &mut Running, code: usize) -> Result<(), Fallback> {
        if self.unit.inlined_codes.of(code).is_some() {
            return self.end_inlined(r, code);
        }
        let program = self.unit.program;
        let c = program.codes.get(code).ok_or(Fallback::Form)?;
        self.clear(c);
        for (at, len, step) in &c.clear {
            self.touch(r, *at, len + step * c.active.map_or(0, |(_, nested)| u32::from(nested.saturating_sub(1))));
        }
        if let Some((at, _)) = c.active {
            self.touch(r, at, 1);
        }
        self.drop_frame(r);
        if r.root == Some(code) {
            self.jump(r.rest, &[]);
            return Ok(());
        }
        let backs = program.returns.get(code).map_or(&[][..], Vec::as_slice);
        if let [back] = backs
            && code != program.play
        {
            // Proof: there is only one place where it can have begun, because the stack is one that play can reach
            // (`frames`) or that this code has built.
            self.go(r, *back);
            return Ok(());
        }
        if code == program.play {
            // Nothing stands below the lowest.
            let frame = self.b.use_var(r.frame);
            let first = self.i64(u64::from(program.layout.stack));
            let first = self.b.ins().iadd(self.base, first);
            let some = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, frame, first);
            self.need(r, some);
        }
        let frame = self.b.use_var(r.frame);
        // By halves, as they were written.
        let (low, high) = (self.load_frame(frame, 0), self.load_frame(frame, 2));
        let by = self.b.ins().iconst(types::I32, 16);
        let high = self.b.ins().ishl(high, by);
        let word = self.b.ins().bor(low, high);
        let mut switch = Switch::new();
        for (caller, pc) in backs {
            let block = self.goto(r, (*caller, *pc));
            switch.set_entry((*caller as u128) | u128::from(*pc) << 16, block);
        }
        switch.emit(&mut self.b, word, r.left);
        Ok(())
    }

    pub fn drop_frame(&mut self, r: &Running) {
        let frame = self.b.use_var(r.frame);
        let zero = self.i32(0);
        self.store_frame(zero, frame, 0);
        let by = self.i64(4);
        let frame = self.b.ins().isub(frame, by);
        self.b.def_var(r.frame, frame);
    }

    /// Leaves all codes down to one, which goes to its last part.
    pub fn leave_for(&mut self, r: &mut Running, code: usize) -> Result<(), Fallback> {
        let program = self.unit.program;
        let c = program.codes.get(code).ok_or(Fallback::Form)?;
        if let Some((at, _)) = c.active {
            let active = self.load_position(types::I8, self.base, at as i32);
            let on = self.cmp(IntCC::NotEqual, active, 0);
            self.need(r, on);
        }
        let (head, this, other) = (self.block(), self.block(), self.block());
        self.jump(head, &[]);
        self.to(head);
        let frame = self.b.use_var(r.frame);
        let first = self.i64(u64::from(program.layout.stack));
        let first = self.b.ins().iadd(self.base, first);
        let some = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, frame, first);
        self.need(r, some);
        let top = self.load_frame(frame, 0);
        let is = self.cmp(IntCC::Equal, top, code as i64);
        self.brif(is, this, other);
        self.to(other);
        let called = self.unit.call(Job::Clear, self.b.func).ok_or(Fallback::Form)?;
        let call = self.b.ins().call(called, &[self.base, self.ctx, top]);
        let result = self.b.inst_results(call)[0];
        let ok = self.cmp(IntCC::Equal, result, 0);
        self.need(r, ok);
        self.drop_frame(r);
        self.jump(head, &[]);
        self.to(this);
        if let Some(floor) = r.floor {
            // What stands around the effect is left, and the effect with it.
            let above = self.b.ins().icmp(IntCC::UnsignedGreaterThan, frame, floor);
            let on = self.block();
            self.brif(above, on, r.rest);
            self.to(on);
        }
        self.touch_all(r);
        // It may be left again from there.
        self.step_left(r, code);
        self.go(r, (code, c.finally));
        Ok(())
    }
}
