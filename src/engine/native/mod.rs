//! Lowered rules as machine code, made with Cranelift when a game is played often.
//!
//! Each decision has a function that writes down all options, in groups that differ only in their last argument; one
//! function takes a choice and plays on to the next decision point; the endings, the effects run to look ahead, and
//! shared definitions have one each. Their meaning is that of the trees: if a tree fails, the function says so, and the
//! explaining evaluator is asked.

// Machine code is called here and in `advance.rs`, and nowhere else. It is given a position of the size it was made
// for, whose stack is one that play comes to, and a context whose lists have the lengths it knows. All other bytes may
// be anything: every place computed from them is held within bounds by the code itself.
#![allow(unsafe_code)]

mod access;
mod act;
mod advance;
mod along;
mod before;
mod bitset;
mod branches;
mod buffer;
mod build;
mod by_value;
mod calls;
mod cells;
mod change;
mod choice;
mod combined;
mod compiler;
mod cond;
mod constants;
mod decision;
mod ends;
mod entries;
mod flow;
mod frames;
#[cfg(test)]
mod guard;
mod inlined;
mod inlining;
mod int;
mod kept;
mod legal;
mod mask;
mod memory;
mod num;
mod obligations;
mod option_groups;
mod option_writer;
mod parts;
mod play;
mod reach;
mod regions;
mod reread;
mod rows;
mod run;
mod scratch;
mod set;
mod set_var;
mod several;
mod stack;
mod steps;
mod store;
#[cfg(test)]
mod tests;
mod tree_call;
mod tree_steps;
mod unit;
mod value_index;
mod watched;

use std::collections::HashMap;
use std::mem::offset_of;
use std::num::NonZeroU64;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cranelift_jit::JITModule;

use super::ask::Ask;
use super::fallback::Fallback;
use super::ir::NONE;
use super::legal::Act;
use super::program::{Op, Program};
use super::report::EngineNote;
use crate::game::{MAX_OPTIONS, MAX_WORK, Position};
use crate::model::{MAX_ARGS, MAX_BAG_MEMBERS};
use act::groups_of;
use buffer::Buffer;
use cells::Cells;
use option_groups::{Group, helpers};
use scratch::Context;
pub(super) use scratch::Machine;
use unit::{Job, Tables, Unit};
use value_index::ValueIndex;

/// The maximum number of random words handed in at once.
const WORDS: usize = 128;
/// The maximum number of groups of options that are written down.
const MAX_GROUPS: usize = 65_536;

const FAILED: i32 = offset_of!(Context, failed) as i32;
const PLAYS: i32 = offset_of!(Context, plays) as i32;
const CHOSEN: i32 = offset_of!(Context, chosen) as i32;
const BROKEN: i32 = offset_of!(Context, broken) as i32;
const LENGTH: i32 = offset_of!(Context, length) as i32;
const GROUPS: i32 = offset_of!(Context, groups) as i32;
const SCRATCH: i32 = offset_of!(Context, scratch) as i32;
const KEPT: i32 = offset_of!(Context, kept) as i32;
const SEAT: i32 = offset_of!(Context, seat) as i32;
const RESUME: i32 = offset_of!(Context, resume) as i32;
const KIND: i32 = offset_of!(Context, kind) as i32;
const ACTION: i32 = offset_of!(Context, action) as i32;
const VALUE: i32 = offset_of!(Context, value) as i32;
const ARGS: i32 = offset_of!(Context, args) as i32;
const TOTAL: i32 = offset_of!(Context, total) as i32;
const NEXT: i32 = offset_of!(Context, next) as i32;
const END: i32 = offset_of!(Context, end) as i32;
const PLIES: i32 = offset_of!(Context, plies) as i32;
const MAX_PLIES_OFFSET: i32 = offset_of!(Context, most) as i32;
const DECISIONS: i32 = offset_of!(Context, decisions) as i32;
const WORK: i32 = offset_of!(Context, work) as i32;
const GROUP_SIZE: usize = size_of::<Group>();

type Site = unsafe extern "C" fn(*const u8, *mut Context) -> i32;
type Go = unsafe extern "C" fn(*mut u8, *mut Context) -> i32;
type Worth = unsafe extern "C" fn(*const u8, *mut Context, i32) -> i32;

/// The machine code of a game under its options.
pub(super) struct Native {
    id: u64,
    /// Nothing once it is taken down.
    module: Mutex<Option<JITModule>>,
    /// What the code reads.
    _tables: Tables,
    /// What it asks the trees for.
    notes: Vec<EngineNote>,
    size: usize,
    /// What stands beside a position's bytes when the code is given it.
    value_index: ValueIndex,
    /// The bytes that say what is active.
    frames: Range<usize>,
    /// What single numbers can be.
    cells: Cells,
    groups: usize,
    /// The words that the code keeps for itself.
    kept: usize,
    functions: Functions,
}

/// What can be called.
struct Functions {
    /// By the number of the instruction.
    sites: Vec<Option<Site>>,
    run: Go,
    /// By action and obligation.
    worths: Vec<Vec<Worth>>,
    /// By action: whether an obligation may be in force; `None` if there are no obligations about it.
    duties: Vec<Option<Worth>>,
    /// What a position is worth to a seat, if the rules say it.
    position: Option<Worth>,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Native").field("id", &self.id).field("size", &self.size).finish_non_exhaustive()
    }
}

/// Why there is no machine code.
#[derive(Clone, Debug)]
pub(super) enum Unmade {
    /// It is left to the trees.
    Left(Fallback),
    /// Something went wrong.
    Trouble(String),
}

impl Drop for Native {
    fn drop(&mut self) {
        let module = self.module.get_mut().ok().and_then(Option::take);
        if let Some(module) = module {
            // SAFETY: whoever calls the code has borrowed this, so nobody does any more, and its addresses go with it.
            unsafe { module.free_memory() };
        }
    }
}

impl Native {
    /// Makes the code.
    pub fn new(program: &Program) -> Result<Native, Unmade> {
        static IDS: AtomicU64 = AtomicU64::new(1);
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        // Unfinished code is discarded as a whole, so a panic leaves nothing that is used again.
        match catch_unwind(AssertUnwindSafe(|| Native::made(program, id))) {
            Ok(made) => made,
            Err(panic) => Err(Unmade::Trouble(said(&*panic))),
        }
    }

    fn made(program: &Program, id: u64) -> Result<Native, Unmade> {
        #[cfg(test)]
        guard::strike()?;
        let groups = most_groups(program);
        let mut unit = Unit::new(program, groups as u32).map_err(|e| Unmade::Trouble(e.to_string()))?;
        let functions = match Functions::build(program, &mut unit) {
            Ok(functions) => functions,
            Err(why) => return Err(unit.trouble.map_or(Unmade::Left(why), |e| Unmade::Trouble(e.to_string()))),
        };
        Ok(Native {
            id,
            _tables: unit.tables,
            notes: unit.notes,
            module: Mutex::new(Some(unit.module)),
            size: program.layout.size as usize,
            value_index: unit.value_index,
            frames: frames::part(program),
            cells: unit.cells,
            groups,
            kept: unit.kept as usize / 8,
            functions,
        })
    }

    /// What it asks the trees for.
    pub fn notes(&self) -> &[EngineNote] {
        &self.notes
    }

    /// Buffer to play in, that of before if it is of this code.
    pub fn machine(&self, old: Option<Box<Machine>>) -> Box<Machine> {
        match old {
            Some(m) if m.id == self.id => m,
            _ => {
                let mut groups = Buffer::<Group>::new(self.groups);
                let room = self.value_index.room as usize;
                let mut scratch = Buffer::new(room);
                let mut kept = Buffer::new(self.kept);
                let mut of = Buffer::new(room);
                self.cells.begin(&mut of);
                self.value_index.set(&mut of);
                let context = Context {
                    failed: 0,
                    plays: 0,
                    chosen: 0,
                    broken: 0,
                    length: 0,
                    groups: groups.as_mut_ptr(),
                    scratch: scratch.as_mut_ptr(),
                    kept: kept.as_mut_ptr(),
                    seat: NONE,
                    resume: 0,
                    kind: 0,
                    action: 0,
                    value: 0,
                    args: [0; MAX_ARGS],
                    total: 0,
                    next: std::ptr::null(),
                    end: std::ptr::null(),
                    plies: 0,
                    most: 0,
                    decisions: 0,
                    work: 0,
                    program: std::ptr::null(),
                    native: std::ptr::null(),
                    narrowed: Vec::new(),
                };
                Box::new(Machine {
                    id: self.id,
                    context,
                    groups,
                    _scratch: scratch,
                    _kept: kept,
                    of,
                    work: Buffer::new(room),
                    drawn: vec![0; WORDS],
                    came_from: false,
                    unpacked: Vec::new(),
                    passing: false,
                    stamp: None,
                    stamps: 0..0,
                    listed: false,
                    total: 0,
                    words: 0,
                    narrowed: None,
                })
            }
        }
    }

    /// Sees to it that the options of a position are written down. The position must not be over.
    pub fn list(&self, program: &Program, m: &mut Machine, position: &Position) -> Result<(), Fallback> {
        if self.hold(program, m, position)? && m.listed {
            return Ok(());
        }
        let place = program.top(position.plain()).ok_or(Fallback::Position)?;
        let site =
            self.functions.sites.get(program.number(place) as usize).copied().flatten().ok_or(Fallback::Failure)?;
        m.listed = false;
        (m.context.failed, m.context.work) = (0, 0);
        let ctx = &raw mut m.context;
        // SAFETY: the position is as large as the code was made for and its stack is sound, as it is held; the context
        // is one of this code, and nobody else has it meanwhile. Functions of this type write to the context and its
        // lists only.
        let count = unsafe { site(m.of.as_ptr(), ctx) };
        m.held_true();
        program.note_work(m.context.work);
        if m.context.work > MAX_WORK {
            return Err(Fallback::TooMuchWork);
        }
        // Of nothing to choose from the explaining evaluator says whether that may be.
        if m.context.total > MAX_OPTIONS as u64 {
            return Err(Fallback::ManyOptions);
        }
        if m.context.failed != 0 || count == 0 {
            return Err(Fallback::Failure);
        }
        self.keep(program, m, place)
    }

    /// What a position is worth to a seat, which must not be over; `None` if that is nothing.
    pub fn worth(
        &self,
        program: &Program,
        m: &mut Machine,
        position: &Position,
        seat: u16,
    ) -> Result<Option<i32>, Fallback> {
        let worth = self.functions.position.ok_or(Fallback::Form)?;
        self.hold(program, m, position)?;
        m.listed = false;
        (m.context.failed, m.context.work) = (0, 0);
        let ctx = &raw mut m.context;
        // SAFETY: as in `list`: functions of this type write to the context and its lists only.
        let worth = unsafe { worth(m.of.as_ptr(), ctx, i32::from(seat)) };
        m.held_true();
        program.note_work(m.context.work);
        if m.context.failed != 0 { Err(Fallback::Failure) } else { Ok(Some(worth).filter(|w| *w != NONE)) }
    }

    /// Holds a position that is not over, with its value indexes; returns whether it was held before. A position that
    /// play cannot reach is left alone.
    fn hold(&self, program: &Program, m: &mut Machine, position: &Position) -> Result<bool, Fallback> {
        (m.context.program, m.context.native) = (program, self);
        if m.stamp.is_some() && m.stamp == position.stamp() {
            return Ok(true);
        }
        if let Some(block) = position.whole(&program.layout) {
            return self.hold_block(program, m, block, position.stamp());
        }
        let mut block = std::mem::take(&mut m.unpacked);
        block.resize(self.size, 0);
        let held = match position.copy_to(&program.layout, &mut block) {
            true => self.hold_block(program, m, &block, position.stamp()),
            false => Err(Fallback::Position),
        };
        m.unpacked = block;
        held
    }

    /// The same for the block of a position and its stamp.
    fn hold_block(
        &self,
        program: &Program,
        m: &mut Machine,
        bytes: &[u8],
        stamp: Option<NonZeroU64>,
    ) -> Result<bool, Fallback> {
        if m.of.get(..self.size) == Some(bytes) {
            m.stamp = stamp.or(m.stamp);
            return Ok(true);
        }
        (m.stamp, m.passing) = (stamp, false);
        if m.came_from && m.work.get(..self.size) == Some(bytes) {
            std::mem::swap(&mut m.of, &mut m.work);
            m.listed = false;
            return Ok(false);
        }
        // What was held before has a sound stack.
        let alike = m.of.get(self.frames.clone()) == bytes.get(self.frames.clone());
        if !alike && !frames::are_sound(program, bytes) || !self.cells.are_sound(bytes, &m.of) {
            m.stamp = None;
            return Err(Fallback::Position);
        }
        m.listed = false;
        self.value_index.replace(&mut m.of, bytes);
        Ok(false)
    }

    /// Keeps what is written down as the options of the position held.
    fn keep(&self, program: &Program, m: &mut Machine, place: (usize, u16)) -> Result<(), Fallback> {
        m.narrowed = None;
        m.total = m.context.total as usize;
        if let Some(Op::Choose { ask: Ask::Act { acts, .. }, how, .. }) = program.op(place)
            && acts.iter().any(|a| program.acts.get(*a).is_some_and(|a| !a.musts.is_empty()))
        {
            let position = m.of.as_ptr();
            let context = &raw mut m.context;
            // SAFETY: the position is the one that is held, as large as the code was made for, with a sound stack; the
            // context is one of this code, and nobody else has it meanwhile.
            let acts = unsafe { obligations::in_force(self, context, position, acts) };
            if !acts.is_empty() {
                // SAFETY: as above.
                let kept = unsafe { obligations::weigh(self, program, context, position, (&acts, how.optional)) };
                let kept = kept.ok_or(Fallback::Failure)?;
                m.total = kept.len();
                m.narrowed = Some(kept);
            }
            m.held_true();
        }
        m.listed = true;
        Ok(())
    }
}

impl Functions {
    /// Makes all that can be called, and what that calls.
    fn build(program: &Program, unit: &mut Unit) -> Result<Functions, Fallback> {
        let mut places = Vec::new();
        for (code, c) in program.codes.iter().enumerate() {
            for (pc, op) in c.ops.iter().enumerate() {
                let site = Job::Site(code, pc as u16);
                let asks = matches!(op, Op::Choose { .. } | Op::Chance { .. });
                if asks {
                    unit.job(site)?;
                }
                places.push(asks.then_some(site));
            }
        }
        for (i, act) in program.acts.iter().enumerate() {
            for j in 0..act.musts.len() {
                unit.job(Job::Worth(i, j))?;
            }
            if !act.musts.is_empty() {
                unit.job(Job::Duty(i))?;
            }
        }
        if program.worth.is_some() {
            unit.job(Job::Position)?;
        }
        // The last is built first. It is the longest, so others are built while it is compiled.
        unit.job(Job::Run)?;
        unit.build()?;
        let address = |job| unit.address(job).ok_or(Fallback::Form);
        let site = |job| {
            // SAFETY: it is the address of a function whose signature is that of the type (`Unit::signature_of`), by
            // the C convention of this machine.
            address(job).map(|a| unsafe { std::mem::transmute::<*const u8, Site>(a) })
        };
        let worth = |job| {
            // SAFETY: as above.
            address(job).map(|a| unsafe { std::mem::transmute::<*const u8, Worth>(a) })
        };
        let run = address(Job::Run)?;
        let (mut worths, mut duties) = (Vec::new(), Vec::new());
        for (i, act) in program.acts.iter().enumerate() {
            duties.push(if act.musts.is_empty() { None } else { Some(worth(Job::Duty(i))?) });
            worths.push((0..act.musts.len()).map(|j| worth(Job::Worth(i, j))).collect::<Result<Vec<_>, Fallback>>()?);
        }
        Ok(Functions {
            sites: places.into_iter().map(|job| job.map(site).transpose()).collect::<Result<Vec<_>, Fallback>>()?,
            // SAFETY: as above.
            run: unsafe { std::mem::transmute::<*const u8, Go>(run) },
            worths,
            duties,
            position: program.worth.as_ref().map(|_| worth(Job::Position)).transpose()?,
        })
    }
}

/// What a panic says.
fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it stopped without a word").into()
}

/// The most groups that can be written down at once.
fn most_groups(program: &Program) -> usize {
    let of = |act: &Act| act.plans.iter().map(|(_, p)| groups_of(p)).fold(0usize, usize::saturating_add);
    let all = program.acts.iter().map(of).fold(0usize, usize::saturating_add);
    let draws = |op: &Op| matches!(op, Op::Chance { ask: Ask::Draw { .. } });
    let drawn = program.codes.iter().flat_map(|c| &c.ops).any(draws);
    let drawn = if drawn { MAX_BAG_MEMBERS as usize } else { 0 };
    let asked = program.codes.iter().flat_map(|c| &c.ops).filter_map(|op| match op {
        Op::Choose { ask: Ask::One { set, .. }, .. } | Op::Chance { ask: Ask::One { set, .. } } => Some(set),
        _ => None,
    });
    let parts = |set| flow::bound_with(program, &HashMap::new(), set, &mut HashMap::new()).width().parts() as usize;
    let asked = asked.map(parts).max().unwrap_or(0);
    all.max(drawn).saturating_add(asked + 8).min(MAX_GROUPS)
}
