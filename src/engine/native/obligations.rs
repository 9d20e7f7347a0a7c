//! Obligations: of the permitted actions those that meet all that are in force.

use std::slice;

use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::Build;
use super::run::{At, Running};
use super::scratch::Context;
use super::unit::Job;
use super::{Native, SEAT, Worth};
use crate::engine::ask::Ask;
use crate::engine::fallback::Fallback;
use crate::engine::ir::NONE;
use crate::engine::legal::Act;
use crate::engine::program::{Op, Program};
use crate::game::Choice;

/// The actions about which an obligation may be in force, whichever of its kind is chosen.
///
/// # Safety
/// The context is one of this code, and nobody else has it meanwhile; the position is as large as the code was made
/// for, with a sound stack.
pub(super) unsafe fn in_force(
    native: &Native,
    context: *mut Context,
    position: *const u8,
    acts: &[usize],
) -> Vec<usize> {
    // SAFETY: as the caller promises. Functions of this type write to the context and its lists only.
    let in_force = |duty: Worth| unsafe { duty(position, context, (*context).seat) } != 0;
    let obliged = |act: &&usize| native.functions.duties.get(**act).copied().flatten().is_some_and(in_force);
    acts.iter().filter(obliged).copied().collect()
}

/// Of the options that are written down those that meet all obligations in force; `None` where the rules fail.
///
/// # Safety
/// The context is one of this code, with the groups that it wrote, and nobody else has it meanwhile; the position is as
/// large as the code was made for, with a sound stack.
pub(super) unsafe fn weigh(
    native: &Native,
    program: &Program,
    context: *mut Context,
    position: *const u8,
    (acts, optional): (&[usize], bool),
) -> Option<Vec<Choice>> {
    let mut all = Vec::new();
    // SAFETY: the caller promises it: the code wrote so many groups there.
    let groups = unsafe { slice::from_raw_parts((*context).groups, (*context).length as usize) };
    groups.iter().for_each(|g| g.each(|c| all.push(c)));
    let passes = if optional { all.pop() } else { None };
    let mut kept = vec![true; all.len()];
    for act in acts {
        let (a, worths) = (program.acts.get(*act)?, native.functions.worths.get(*act)?);
        for (must, worth) in a.musts.iter().zip(worths) {
            // SAFETY: as the caller promises.
            let worth = |c: &Choice| unsafe { worth_of(context, position, a, *worth, c) };
            let worth: Vec<Option<i32>> = all.iter().map(worth).collect();
            // SAFETY: nobody else has it.
            if unsafe { (*context).failed } != 0 {
                return None;
            }
            must.keep_best(&worth, &mut kept);
        }
    }
    if !all.is_empty() && !kept.contains(&true) {
        return None;
    }
    Some(all.into_iter().zip(kept).filter(|(_, k)| *k).map(|(c, _)| c).chain(passes).collect())
}

/// What an option is worth to an obligation; `None` if it does not speak of it.
///
/// # Safety
/// As for [`weigh`].
unsafe fn worth_of(
    context: *mut Context,
    position: *const u8,
    act: &Act,
    worth: Worth,
    choice: &Choice,
) -> Option<i32> {
    let Choice::Act(id, args) = choice else {
        return None;
    };
    if *id != act.id {
        return None;
    }
    // SAFETY: the caller promises it. Functions of this type write to the context and its lists only.
    let worth = unsafe {
        for (to, arg) in (*context).args.iter_mut().zip(args.as_slice()) {
            *to = i32::from(*arg);
        }
        worth(position, context, (*context).seat)
    };
    Some(worth).filter(|w| *w != NONE)
}

/// Weighs the obligations at a decision point; how many options are left, 0 where the rules fail.
///
/// # Safety
/// Only the code calls this: with the context that it was given, the position it plays on, and the place where options
/// of that position have just been written down.
pub(super) unsafe extern "C" fn narrow(context: *mut Context, position: *const u8, code: u64, pc: u64) -> u64 {
    // SAFETY: whoever called the code has lent both for as long as it runs.
    let (program, native) = unsafe { (&*(*context).program, &*(*context).native) };
    let kept = match program.op((code as usize, pc as u16)) {
        Some(Op::Choose { ask: Ask::Act { acts, .. }, how, .. }) => {
            // SAFETY: the caller promises it.
            unsafe { weigh(native, program, context, position, (acts, how.optional)) }
        }
        _ => None,
    };
    // SAFETY: nobody else has the context.
    let context = unsafe { &mut *context };
    context.failed |= u8::from(kept.is_none());
    context.narrowed = kept.unwrap_or_default();
    context.narrowed.len() as u64
}

/// Takes one of the options that are left as the choice.
///
/// # Safety
/// Only the code calls this, with the context that it was given.
pub(super) unsafe extern "C" fn pick_kept(context: *mut Context, n: u64) {
    // SAFETY: the caller promises it; nobody else has it.
    let context = unsafe { &mut *context };
    match usize::try_from(n).ok().and_then(|n| context.narrowed.get(n).copied()) {
        Some(choice) => context.choose(choice),
        None => context.failed = 1,
    }
}

impl Build<'_, '_, '_> {
    /// The actions asked for at a decision point about which there are obligations.
    pub fn obliged(&self, at: At) -> Vec<usize> {
        let program = self.unit.program;
        let Some(Op::Choose { ask: Ask::Act { acts, .. }, .. }) = program.op(at) else {
            return Vec::new();
        };
        let obliged = |act: &&usize| program.acts.get(**act).is_some_and(|a| !a.musts.is_empty());
        acts.iter().filter(obliged).copied().collect()
    }

    /// A draw among the actions that meet all obligations in force, of those that are written down.
    pub fn play_kept(&mut self, r: &mut Running, at: At) -> Result<(), Fallback> {
        let seat = self.load_context(types::I32, SEAT);
        let mut any = self.i32(0);
        for act in self.obliged(at) {
            let called = self.unit.call(Job::Duty(act), self.b.func).ok_or(Fallback::Form)?;
            let call = self.b.ins().call(called, &[self.base, self.ctx, seat]);
            let duty = self.b.inst_results(call)[0];
            any = self.b.ins().bor(any, duty);
        }
        let (weighs, free) = (self.block(), self.block());
        self.brif(any, weighs, free);
        self.to(free);
        self.play_listed(r, at);
        self.to(weighs);
        let [narrow, pick] = self.unit.weigh(self.b.func);
        let (code, pc) = (self.i64(at.0 as u64), self.i64(u64::from(at.1)));
        let call = self.b.ins().call(narrow, &[self.ctx, self.base, code, pc]);
        let total: Value = self.b.inst_results(call)[0];
        self.can_fail = true;
        self.sure(r);
        let n = self.draw(r, at, total);
        self.b.ins().call(pick, &[self.ctx, n]);
        let choice = self.choice(r, at);
        self.jump(choice, &[]);
        Ok(())
    }

    /// Whether an obligation about an action may be in force, whichever of its kind is chosen.
    pub fn duty_function(&mut self, act: usize, params: &[Value]) -> Result<(), Fallback> {
        let program = self.unit.program;
        let act = program.acts.get(act).ok_or(Fallback::Form)?;
        let seat = *params.get(2).ok_or(Fallback::Form)?;
        let seat = self.seat_given(seat);
        self.slots.insert(program.seat, seat);
        let mut any = self.i8(false);
        for duty in act.duties(&program.shared) {
            let c = match duty {
                Some(applies) => self.cond(applies),
                None => self.i8(true),
            };
            any = self.b.ins().bor(any, c);
        }
        let any = self.b.ins().uextend(types::I32, any);
        self.leave(&[any]);
        Ok(())
    }
}
