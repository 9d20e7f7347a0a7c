//! Parts of instructions that stay with the trees: machine code calls them, and goes on.

use std::slice;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};

use super::build::{Build, sound};
use super::run::{At, Running};
use super::scratch::Context;
use crate::engine::fallback::Fallback;
use crate::engine::program::{Group, Hook, Op};
use crate::engine::report::{EngineNote, LeftOver};
use crate::engine::run::Run;
use crate::engine::with_scratch;

/// Whether the order of the hooks at an instruction makes no difference.
///
/// # Safety
/// Only the code calls this: with the context that it was given, whose program is the one that the code was made of,
/// and a position of its size.
pub(super) unsafe extern "C" fn try_orders(
    context: *mut Context,
    position: *const u8,
    code: u64,
    pc: u64,
    ahead: u64,
) -> u64 {
    // SAFETY: the caller promises it; nobody else has the context.
    let context = unsafe { &mut *context };
    // SAFETY: whoever called the code has lent the program for as long as it runs.
    let program = unsafe { &*context.program };
    // SAFETY: the caller promises a position of this size, which does not change meanwhile.
    let bytes = unsafe { slice::from_raw_parts(position, program.size as usize) };
    let Some(Op::Unranked(hooks, groups)) = program.op((code as usize, pc as u16)) else {
        return 0;
    };
    let mut bytes = bytes.to_vec();
    with_scratch(program, |scratch| {
        let done = Run::new(program, scratch, &mut bytes).looking_ahead(ahead != 0).unranked(hooks, groups);
        context.work = context.work.saturating_add(scratch.work.get());
        u64::from(done.is_ok())
    })
}

impl Build<'_, '_, '_> {
    /// Goes on only if the order of those hooks that apply makes no difference.
    pub fn unranked(&mut self, r: &Running, at: At, hooks: &[Hook], groups: &[Group]) {
        if hooks.len() < 2 && groups.is_empty() {
            return;
        }
        let place = self.unit.program.codes.get(at.0).and_then(|c| c.spans.get(usize::from(at.1)).copied());
        self.unit.notes.push(EngineNote { what: LeftOver::Order, at: place, why: Fallback::NoOrder });
        let mut n = self.i32(0);
        for hook in hooks.iter().filter(|h| h.group.is_none()) {
            let c = self.cond(&hook.applies);
            let c = self.b.ins().uextend(types::I32, c);
            n = self.b.ins().iadd(n, c);
        }
        for count in groups.iter().flat_map(|g| &g.counts) {
            let count = self.num(count).v;
            n = self.b.ins().iadd(n, count);
        }
        self.sure(r);
        let (several, done) = (self.block(), self.block());
        let many = self.cmp(IntCC::UnsignedGreaterThan, n, 1);
        self.b.set_cold_block(several);
        self.brif(many, several, done);
        self.to(several);
        // The trees see the position as it is now.
        self.set_pc(r, at.1);
        self.put_depth(r);
        self.spill();
        let (code, pc) = (self.i64(at.0 as u64), self.i64(u64::from(at.1)));
        let ahead = self.i64(u64::from(r.root.is_some()));
        let called = self.unit.try_orders(self.b.func);
        let call = self.b.ins().call(called, &[self.ctx, self.base, code, pc, ahead]);
        let fine = self.b.inst_results(call)[0];
        self.clear_spilled();
        let fine = self.cmp(IntCC::NotEqual, fine, 0);
        self.need(r, fine);
        self.jump(done, &[]);
        self.to(done);
    }

    /// Writes down how many codes are active.
    pub fn put_depth(&mut self, r: &Running) {
        let frame = self.b.use_var(r.frame);
        let below = self.b.ins().isub(frame, self.base);
        let first = self.i64(u64::from(self.unit.program.stack));
        let below = self.b.ins().isub(below, first);
        let two = self.b.ins().iconst(types::I32, 2);
        let at = self.b.ins().ushr(below, two);
        let one = self.i64(1);
        let depth = self.b.ins().iadd(at, one);
        let depth = self.b.ins().ireduce(types::I8, depth);
        self.b.ins().store(sound(), depth, self.base, self.unit.program.depth as i32);
    }
}
