//! From a choice to the next decision point.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::{Switch, Variable};

use super::before;
use super::build::{Build, set_bound};
use super::decision::ends_are_few;
use super::inlined::Instance;
use super::int::{Bitset, Bound, Int};
use super::unit::MAX_INSTRUCTIONS;
use super::{CHOSEN, END, NEXT, PLAYS, PLIES, RESUME, SCRATCH, WORK};
use crate::engine::ask::Ask;
use crate::engine::fallback::Fallback;
use crate::engine::program::{Holds, Op};
use crate::engine::run::MAX_STEPS;
use crate::game::MAX_WORK;

/// An instruction: its code and place.
pub(super) type At = (usize, u16);

/// A code, where it goes on, and whether it is known what entries hold when it begins.
pub(super) type Begun = (usize, Option<(usize, At)>, bool);

/// Where a function that runs codes stands while it is built.
pub(super) struct Running {
    /// Address of the innermost frame.
    pub frame: Variable,
    /// Whether something that endings read has changed since they were checked.
    pub dirty: Variable,
    /// Instructions so far, or more.
    steps: Variable,
    blocks: HashMap<(usize, At), Block>,
    waiting: Vec<(usize, At)>,
    /// The instance whose instructions are built; 0 is all that stands on the stack.
    pub inside: usize,
    pub instances: Vec<Instance>,
    /// The instances, by what they are of.
    pub known: HashMap<Begun, usize>,
    /// Where a choice is carried out.
    choices: HashMap<(usize, u16), Block>,
    /// Where a decision or chance in several parts goes on.
    parts: HashMap<(usize, u16), Block>,
    deciding: Vec<(usize, u16)>,
    pub left: Block,
    pub rest: Block,
    /// The code whose end is the end of all, when an effect is run on its own.
    pub root: Option<usize>,
    /// The frame around such an effect.
    pub floor: Option<Value>,
    most_steps: u32,
    /// Whether the checks of the endings are inlined.
    pub ends_here: bool,
    /// Where it decides by chance itself.
    pub play: Option<Play>,
}

/// Playing on by chance: the random words handed in, and plies.
#[derive(Clone, Copy)]
pub(super) struct Play {
    /// Whether it is to play.
    pub on: Value,
    pub next: Variable,
    pub end: Value,
    pub plies: Variable,
}

/// Where the numbers of copies of a bag are.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub address: Value,
    /// The offset of the first.
    pub at: i32,
    /// Whether they are there (`None`: certainly).
    pub there: Option<Value>,
    /// The bytes of one.
    pub width: u32,
}

/// A value at hand.
#[derive(Clone, Copy)]
pub(super) enum Now {
    Num(Int),
    Set(Bitset),
    Bag(Counts),
}

impl Build<'_, '_, '_> {
    /// From a choice in the context, or a decision point, to the next decision point or, if the context says so, on at
    /// random to the end or until there are no more random words: 0, or 1 if the explaining evaluator must do it.
    pub fn run_function(&mut self) -> Result<Running, Fallback> {
        let program = self.unit.program;
        let mut r = self.running(None);
        let play = self.player();
        r.play = Some(play);
        let depth = self.load_position(types::I8, self.base, program.layout.depth as i32);
        let depth = self.b.ins().uextend(types::I64, depth);
        let (go, left) = (self.block(), r.left);
        // Whatever the bytes are, the frame is one of the stack.
        let one = self.i64(1);
        let at = self.b.ins().isub(depth, one);
        let within = self.cmp(IntCC::UnsignedLessThan, at, i64::from(program.layout.max_depth));
        self.brif(within, go, left);
        self.to(go);
        self.put_frame(&mut r, at);
        let which = self.load_context(types::I32, RESUME);
        let made = self.load_context(types::I8, CHOSEN);
        let mut switch = Switch::new();
        let mut chosen = Vec::new();
        for (code, c) in program.codes.iter().enumerate() {
            for (pc, op) in c.ops.iter().enumerate() {
                if matches!(op, Op::Choose { .. } | Op::Chance { .. }) {
                    let block = self.block();
                    switch.set_entry(u128::from(program.number((code, pc as u16))), block);
                    chosen.push((code, pc as u16, block));
                }
            }
        }
        switch.emit(&mut self.b, which, left);
        for (code, pc, block) in chosen {
            self.to(block);
            let (begin, choice) = (self.goto(&mut r, (code, pc)), self.choice(&mut r, (code, pc)));
            let in_parts = match program.op((code, pc)) {
                Some(Op::Choose { ask, .. } | Op::Chance { ask }) => matches!(ask, Ask::Several(_) | Ask::Shuffle(_)),
                _ => false,
            };
            let on = if in_parts { self.again(&mut r, (code, pc)) } else { begin };
            self.brif(made, choice, on);
        }
        self.finish_run(r)
    }

    /// The state of playing on by chance.
    fn player(&mut self) -> Play {
        let next = self.load_context(types::I64, NEXT);
        let plies = self.load_context(types::I64, PLIES);
        Play {
            on: self.load_context(types::I8, PLAYS),
            next: self.lasting_var(types::I64, next),
            end: self.load_context(types::I64, END),
            plies: self.lasting_var(types::I64, plies),
        }
    }

    /// An action's effect in a copy of the position, to its end or the first decision point: 0, or 1 if it fails.
    pub fn effect_function(&mut self, code: usize, params: &[Value]) -> Result<Running, Fallback> {
        let program = self.unit.program;
        let copy = self.load_context(types::I64, SCRATCH);
        self.copy(self.base, copy);
        self.base = copy;
        let mut r = self.running(Some(code));
        let depth = self.load_position(types::I8, self.base, program.layout.depth as i32);
        let depth = self.b.ins().uextend(types::I64, depth);
        let one = self.i64(1);
        let at = self.b.ins().isub(depth, one);
        let within = self.cmp(IntCC::UnsignedLessThan, at, i64::from(program.layout.max_depth));
        let (go, left) = (self.block(), r.left);
        self.brif(within, go, left);
        self.to(go);
        self.put_frame(&mut r, at);
        r.floor = Some(self.b.use_var(r.frame));
        let args: Vec<Now> = params.iter().skip(2).map(|v| Now::Num(Int { sure: false, ..Int::any(*v) })).collect();
        if self.unit.inlined_codes.of(code).is_some() {
            self.step_code(&r, code);
        }
        let work = self.load_context(types::I32, WORK);
        let ok = self.cmp(IntCC::UnsignedLessThanOrEqual, work, i64::from(MAX_WORK));
        self.need(&r, ok);
        self.begin(&mut r, code, &args, None)?;
        self.finish_run(r)
    }

    fn running(&mut self, root: Option<usize>) -> Running {
        let (frame, all) = (self.base, self.all_parts());
        // An effect that is looked ahead at counts as work, also where it has no loop.
        let whole = self.unit.inlined_codes.inline_plan.whole.as_ref();
        let begun = root.zip(whole).and_then(|(root, whole)| whole.get(root)).copied().unwrap_or(0);
        let begun = self.i32(i64::from(begun));
        Running {
            frame: self.lasting_var(types::I64, frame),
            dirty: self.lasting_var(types::I8, all),
            steps: self.lasting_var(types::I32, begun),
            blocks: HashMap::new(),
            waiting: Vec::new(),
            inside: 0,
            instances: vec![Instance::default()],
            known: HashMap::new(),
            choices: HashMap::new(),
            parts: HashMap::new(),
            deciding: Vec::new(),
            left: self.block(),
            rest: self.block(),
            root,
            floor: None,
            // What is active when it begins goes on without being counted.
            most_steps: MAX_STEPS.saturating_sub(self.unit.inlined_codes.inline_plan.uncounted()),
            ends_here: ends_are_few(self.unit.program),
            play: None,
        }
    }

    fn put_frame(&mut self, r: &mut Running, at: Value) {
        let four = self.b.ins().iconst(types::I32, 2);
        let at = self.b.ins().ishl(at, four);
        let first = self.i64(u64::from(self.unit.program.layout.stack));
        let at = self.b.ins().iadd(at, first);
        let frame = self.b.ins().iadd(self.base, at);
        self.b.def_var(r.frame, frame);
    }

    /// Builds all instructions that are come to.
    fn finish_run(&mut self, mut r: Running) -> Result<Running, Fallback> {
        let program = self.unit.program;
        let mut built = HashSet::new();
        loop {
            while let Some(at) = r.deciding.pop() {
                self.enter(&mut r, 0);
                let block = self.choice(&mut r, at);
                self.free_all();
                self.free_loops();
                self.to(block);
                self.chosen(&mut r, at, program.op(at).ok_or(Fallback::Form)?)?;
            }
            let Some((inside, at)) = r.waiting.pop() else {
                break;
            };
            if !built.insert((inside, at)) {
                continue;
            }
            if self.b.func.dfg.num_insts() > MAX_INSTRUCTIONS {
                return Err(Fallback::Form);
            }
            self.enter(&mut r, inside);
            let block = self.goto(&mut r, at);
            self.to(block);
            match program.op(at) {
                Some(op) => self.op(&mut r, at, op)?,
                None => self.jump(r.left, &[]),
            }
        }
        self.to(r.rest);
        if r.root.is_some() {
            self.count_steps(&r);
        }
        // The stack as it is.
        self.put_depth(&r);
        if let Some(play) = &r.play {
            let (next, plies) = (self.b.use_var(play.next), self.b.use_var(play.plies));
            self.store_context(next, NEXT);
            self.store_context(plies, PLIES);
        }
        let zero = self.i32(0);
        self.b.ins().return_(&[zero]);
        self.to(r.left);
        let one = self.i32(1);
        self.b.ins().return_(&[one]);
        Ok(r)
    }

    /// The block of an instruction.
    pub fn goto(&mut self, r: &mut Running, at: (usize, u16)) -> Block {
        let at = (r.inside, at);
        if let Some(block) = r.blocks.get(&at) {
            return *block;
        }
        let block = self.block();
        r.blocks.insert(at, block);
        r.waiting.push(at);
        block
    }

    /// The block that carries out the choice in the context, made at an instruction.
    pub fn choice(&mut self, r: &mut Running, at: (usize, u16)) -> Block {
        if let Some(block) = r.choices.get(&at) {
            return *block;
        }
        let block = self.block();
        r.choices.insert(at, block);
        r.deciding.push(at);
        block
    }

    /// The block where a decision or chance in several parts goes on.
    pub fn again(&mut self, r: &mut Running, at: (usize, u16)) -> Block {
        if let Some(block) = r.parts.get(&at) {
            return *block;
        }
        let block = self.block();
        r.parts.insert(at, block);
        block
    }

    pub fn go(&mut self, r: &mut Running, at: (usize, u16)) {
        let block = self.goto(r, at);
        self.jump(block, &[]);
    }

    /// Goes on only where a condition holds.
    pub fn need(&mut self, r: &Running, c: Value) {
        let on = self.block();
        self.brif(c, on, r.left);
        self.to(on);
    }

    pub fn need_some(&mut self, r: &Running, c: Option<Value>) {
        if let Some(c) = c {
            self.need(r, c);
        }
    }

    /// Goes on only where nothing has failed, if something can have.
    pub fn sure(&mut self, r: &Running) {
        if self.can_fail {
            let failed = self.has_failed();
            let on = self.block();
            self.brif(failed, r.left, on);
            self.to(on);
            let no = self.i8(false);
            self.b.def_var(self.failed, no);
            self.can_fail = false;
        }
    }

    /// Counts instructions towards the maximum between two decision points: those of a code when it begins, those of a
    /// loop when it goes back. So none is missed; if there may have been too many, the explaining evaluator counts them
    /// one by one.
    fn step(&mut self, r: &Running, n: u32) {
        let now = self.b.use_var(r.steps);
        let n = self.i32(i64::from(n.min(MAX_STEPS)));
        let now = self.b.ins().iadd(now, n);
        self.b.def_var(r.steps, now);
        let ok = self.cmp(IntCC::UnsignedLessThan, now, i64::from(r.most_steps));
        self.need(r, ok);
    }

    /// Counts the instructions of a code that begins, unless only loops are counted.
    pub fn step_code(&mut self, r: &Running, code: usize) {
        if self.unit.inlined_codes.inline_plan.whole.is_some() {
            return;
        }
        self.step_left(r, code);
    }

    /// Counts the instructions of a code whose last part begins.
    pub fn step_left(&mut self, r: &Running, code: usize) {
        let plan = &self.unit.inlined_codes.inline_plan;
        let sizes = plan.whole.as_ref().unwrap_or(&plan.sizes);
        self.step(r, sizes.get(code).copied().unwrap_or(MAX_STEPS));
    }

    /// Counts the instructions of a loop that begins again.
    fn step_back(&mut self, r: &Running, at: At, to: u16) {
        let n = self.unit.inlined_codes.inline_plan.between(self.unit.program, at.0, to, at.1);
        self.step(r, n);
    }

    /// A choice is made: counting begins anew.
    pub fn rested(&mut self, r: &Running) {
        let none = self.i32(0);
        self.b.def_var(r.steps, none);
        self.store_context(none, WORK);
    }

    /// Looking ahead counts as work.
    fn count_steps(&mut self, r: &Running) {
        let steps = self.b.use_var(r.steps);
        let work = self.load_context(types::I32, WORK);
        let work = self.b.ins().iadd(work, steps);
        self.store_context(work, WORK);
    }

    pub fn set_pc(&mut self, r: &Running, pc: u16) {
        let frame = self.b.use_var(r.frame);
        let pc = self.b.ins().iconst(types::I16, i64::from(pc));
        self.store_frame(pc, frame, 2);
    }

    /// Rests at an instruction.
    pub fn rest_at(&mut self, r: &Running, pc: u16) {
        self.set_pc(r, pc);
        self.jump(r.rest, &[]);
    }

    // -- instructions --

    fn op(&mut self, r: &mut Running, at: (usize, u16), op: &Op) -> Result<(), Fallback> {
        self.free_all();
        self.free_loops();
        let next = (at.0, at.1.saturating_add(1));
        match op {
            Op::Set(store, val) => {
                let now = self.value(val);
                let certain = r.instances.get(r.inside).map(|i| i.before.as_slice()).unwrap_or_default();
                let before = before::found(self.unit.program, at, store, certain);
                self.write_over(r, store, now, before);
            }
            Op::Change(change) => self.change(r, change),
            Op::Call(code, args) => {
                let args: Vec<Now> = args.iter().map(|a| self.value(a)).collect();
                self.sure(r);
                return self.begin(r, *code, &args, Some(next));
            }
            Op::Jump(to) => {
                if *to <= at.1 {
                    self.step_back(r, at, *to);
                }
                self.go(r, (at.0, *to));
                return Ok(());
            }
            Op::Unless(c, to) => {
                let c = self.cond(c);
                self.sure(r);
                if *to <= at.1 {
                    self.step_back(r, at, *to);
                }
                let (on, off) = (self.goto(r, next), self.goto(r, (at.0, *to)));
                self.brif(c, on, off);
                return Ok(());
            }
            Op::Next { set, into, end } => {
                let first = self.number(0);
                let lo = if let Holds::Set(lo) = set.holds { lo } else { 0 };
                if let Bound::First(n) = set_bound(&set.place) {
                    let none = self.goto(r, (at.0, *end));
                    let (address, offset) = self.writable(r, &set.place, first);
                    let bit = self.take_lowest((address, offset), n, none);
                    let member = self.member_of(bit, Bound::First(n), lo);
                    self.write(r, into, Now::Num(member));
                    self.sure(r);
                    self.go(r, next);
                    return Ok(());
                }
                let items = self.set_entry(&set.place, first);
                let (some, none) = (self.block(), self.goto(r, (at.0, *end)));
                let empty = self.none_of(items);
                self.brif(empty, none, some);
                self.to(some);
                let bit = self.lowest(items);
                let rest = self.rest(items);
                self.write(r, set, Now::Set(rest));
                let member = self.member(bit, &items, lo);
                self.write(r, into, Now::Num(member));
            }
            Op::Choose { ask, how, .. } => return self.arrive(r, at, op, ask, *how),
            Op::Chance { ask } => return self.roll(r, at, ask),
            Op::Unranked { hooks, groups } => return self.unranked(r, at, hooks, groups),
            Op::NextHook(to) => return self.next_hook(r, at, to),
            Op::Hook(hook) => {
                let c = self.cond(&hook.applies);
                self.sure(r);
                let (yes, no) = (self.block(), self.goto(r, next));
                self.brif(c, yes, no);
                self.to(yes);
                return self.hook(r, hook, next);
            }
            Op::Instead(hooks, to) => return self.instead(r, at, hooks, *to),
            Op::HookAt(hook_at) => return self.hook_at(r, at, hook_at),
            Op::StepEnd => {
                self.look_before(r, at, None);
                self.go(r, next);
                return Ok(());
            }
            Op::Finish(code) => return self.leave_for(r, *code),
            Op::Reset(clear, inits) => {
                for (from, len, byte) in clear {
                    self.empty_all(*from, *len);
                    if !self.held(*from, *len) {
                        self.touch(r, *from, *len);
                        self.fill_with(self.base, (*from, *len, *byte));
                    }
                }
                for (store, val) in inits {
                    self.init(r, store, val);
                }
            }
            Op::Forget(places) => {
                for place in places {
                    self.forget(r, place);
                }
            }
            Op::Return => return self.give_back(r, at.0),
            Op::Other(_) => {
                self.jump(r.left, &[]);
                return Ok(());
            }
        }
        self.sure(r);
        self.go(r, next);
        Ok(())
    }
}
