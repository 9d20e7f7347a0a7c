//! Running trees: from a choice to the next decision point, on the bytes of a position.

use super::ask::Ask;
use super::bits::Bits;
use super::eval::{Ev, Scratch, read_bits, uint};
use super::fallback::Fallback;
use super::hook::Hook;
use super::ir::NONE;
use super::legal;
use super::order::NextStep;
use super::place::Place;
use super::program::{Holds, How, Op, Program, Store, Val};
use crate::game::{Choice, Laps};
use crate::model::{Answer, MAX_ARGS};

/// The maximum number of instructions between two decision points.
pub(super) const MAX_STEPS: u32 = 1_000_000;

/// The maximum size of a range to choose a number from.
pub(super) const MAX_NUMBERS: i64 = 65_536;

/// What was done, or why it is left to the explaining evaluator.
pub(super) type Res<T> = Result<T, Fallback>;

/// A value at hand.
#[derive(Clone, Debug)]
pub(super) enum Now {
    Num(i32),
    Set(Bits),
    /// A bag: where its bytes begin. `None` if it is not there.
    Bag(Option<usize>),
}

/// A run.
pub(super) struct Run<'a> {
    pub program: &'a Program,
    pub scratch: &'a Scratch,
    pub bytes: &'a mut [u8],
    steps: u32,
    /// Whether the endings were checked and nothing has changed since.
    pub clean: bool,
    /// The depth at which what is run on its own is over.
    floor: Option<u32>,
    /// Whether an effect is run on its own, to look ahead.
    ahead: bool,
}

/// Why a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It came to a decision point, or to the end of the game.
    DecisionPoint,
    /// What was run on its own is over.
    Returned,
}

/// What comes next.
pub(super) enum Flow {
    On,
    To(u16),
    Set,
    Rest,
}

pub(super) fn put_uint(bytes: &mut [u8], at: usize, width: u32, value: u32) {
    if let Some(place) = bytes.get_mut(at..at + width as usize) {
        place.copy_from_slice(value.to_le_bytes().get(..width as usize).unwrap_or(&[]));
    }
}

impl Program {
    /// An evaluation at a position.
    pub fn ev<'a>(&'a self, scratch: &'a Scratch, bytes: &'a [u8]) -> Ev<'a> {
        Ev { bytes, shared: &self.shared, scratch, any_legal: None, winners: 0, program: Some(self) }
    }

    /// The code and instruction a position is at; `None` if the game is over.
    pub fn top(&self, bytes: &[u8]) -> Option<(usize, u16)> {
        if uint(bytes, self.layout.over as usize, 2) != 0 {
            return None;
        }
        let depth = uint(bytes, self.layout.depth as usize, 1).checked_sub(1)?;
        let at = (self.layout.stack + 4 * depth) as usize;
        Some((uint(bytes, at, 2) as usize, uint(bytes, at + 2, 2) as u16))
    }

    /// The instruction at a place.
    pub fn op(&self, (code, pc): (usize, u16)) -> Option<&Op> {
        self.codes.get(code).and_then(|c| c.ops.get(usize::from(pc)))
    }
}

impl<'a> Run<'a> {
    pub fn new(program: &'a Program, scratch: &'a Scratch, bytes: &'a mut [u8]) -> Run<'a> {
        Run { program, scratch, bytes, steps: 0, clean: false, floor: None, ahead: false }
    }

    /// Runs an effect on its own: to its end, or to the first decision point in it.
    pub fn effect(&mut self, code: usize, args: &[i32]) -> Res<()> {
        self.floor = Some(uint(self.bytes, self.program.layout.depth as usize, 1));
        self.ahead = true;
        let mut values = [const { Now::Num(NONE) }; MAX_ARGS];
        for (to, arg) in values.iter_mut().zip(args) {
            *to = Now::Num(*arg);
        }
        self.begin(code, values.get(..args.len()).unwrap_or(&[]))?;
        self.run().map(|_| ())
    }

    /// The same on a copy of the position, down to the code that is active now.
    pub fn copied<'b>(&self, bytes: &'b mut [u8]) -> Run<'b>
    where
        'a: 'b,
    {
        let floor = Some(uint(self.bytes, self.program.layout.depth as usize, 1));
        let Run { program, scratch, steps, ahead, .. } = *self;
        Run { program, scratch, bytes, steps, clean: false, floor, ahead }
    }

    /// Whether an effect is run on its own.
    pub fn looking_ahead(self, ahead: bool) -> Run<'a> {
        Run { ahead, ..self }
    }

    /// Instructions so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Counts the instructions of a trial.
    pub fn count_steps_of(&mut self, steps: u32) {
        self.steps = steps;
    }

    pub fn ev(&self) -> Ev<'_> {
        self.program.ev(self.scratch, self.bytes)
    }

    /// A result, unless something failed on the way to it.
    pub fn sure<T>(&self, value: T) -> Res<T> {
        if self.scratch.failed.get() { Err(Fallback::Failure) } else { Ok(value) }
    }

    pub fn set_pc(&mut self, pc: u16) {
        let depth = uint(self.bytes, self.program.layout.depth as usize, 1);
        if depth > 0 {
            put_uint(self.bytes, (self.program.layout.stack + 4 * (depth - 1)) as usize + 2, 2, u32::from(pc));
        }
    }

    /// Makes a choice and plays on to the next decision point.
    pub fn apply(&mut self, choice: Choice) -> Res<()> {
        let program = self.program;
        let place = program.top(self.bytes).ok_or(Fallback::Position)?;
        let how = match program.op(place) {
            Some(Op::Choose { how, .. }) => *how,
            _ => How::default(),
        };
        let (_, next) = how.after(choice.answer(), place);
        match (program.op(place), choice) {
            (Some(Op::Choose { ask: Ask::Act { .. }, .. }), Choice::Act(id, args)) => {
                let act = program.acts.get(id.i()).ok_or(Fallback::Failure)?;
                let limit = act.limit(&self.ev(), &args);
                if let Some((place, index)) = self.sure(limit)? {
                    self.scalar(&place, index, 1)?;
                }
                self.set_pc(next);
                let mut values = [const { Now::Num(NONE) }; 8];
                for (to, arg) in values.iter_mut().zip(args.as_slice()) {
                    *to = Now::Num(i32::from(*arg));
                }
                self.begin(act.code, values.get(..args.as_slice().len()).unwrap_or(&[]))?;
            }
            (Some(Op::Choose { ask, .. } | Op::Chance { ask }), choice) => {
                match (ask, choice) {
                    (Ask::Act { .. }, Choice::Pass) => {}
                    (Ask::One { into, .. } | Ask::Number { into, .. } | Ask::Draw { into, .. }, Choice::Value(v)) => {
                        self.write(into, 0, Now::Num(v))?;
                    }
                    (Ask::One { into, .. } | Ask::Number { into, .. }, Choice::Pass) => self.clear(&into.place)?,
                    (Ask::Yes { into }, Choice::Yes) => self.write(into, 0, Now::Num(1))?,
                    (Ask::Yes { into }, Choice::Pass) => self.write(into, 0, Now::Num(0))?,
                    (Ask::Several(_), Choice::Pass) => {}
                    (Ask::Several(several), Choice::Value(v)) => {
                        if self.add_one(several, v)? {
                            return Ok(());
                        }
                    }
                    (Ask::Shuffle(shuffle), Choice::Value(v)) => {
                        if self.draw_next(shuffle, v)? {
                            return Ok(());
                        }
                    }
                    _ => return Err(Fallback::Failure),
                }
                self.set_pc(next);
            }
            _ => return Err(Fallback::Failure),
        }
        self.run().map(|_| ())
    }

    pub fn run(&mut self) -> Res<Stop> {
        let program = self.program;
        let mut laps = Laps::default();
        loop {
            if uint(self.bytes, program.layout.over as usize, 2) != 0 {
                return Ok(Stop::DecisionPoint);
            }
            if self.floor.is_some_and(|floor| uint(self.bytes, program.layout.depth as usize, 1) <= floor) {
                return Ok(Stop::Returned);
            }
            let place = program.top(self.bytes).ok_or(Fallback::Failure)?;
            let op = program.op(place).ok_or(Fallback::Failure)?;
            self.steps += 1;
            if self.steps > MAX_STEPS || self.ahead && !self.ev().spend(1) {
                return Err(Fallback::Failure);
            }
            let next = place.1.saturating_add(1);
            let flow = self.step(op, next)?;
            if self.scratch.failed.get() {
                return Err(Fallback::Failure);
            }
            match flow {
                Flow::On => self.set_pc(next),
                Flow::To(pc) => {
                    self.set_pc(pc);
                    // The explaining evaluator says what comes round.
                    if pc < next && laps.again(self.bytes) {
                        return Err(Fallback::Failure);
                    }
                }
                Flow::Set => {}
                Flow::Rest => return Ok(Stop::DecisionPoint),
            }
        }
    }

    fn step(&mut self, op: &'a Op, next: u16) -> Res<Flow> {
        match op {
            Op::Set(store, val) => {
                let (index, value) = (self.index(store)?, self.value(val));
                self.write(store, index, value)?;
            }
            Op::Change(change) => self.change(change)?,
            Op::Call(code, args) => {
                let mut values = [const { Now::Num(NONE) }; 8];
                for (to, arg) in values.iter_mut().zip(args) {
                    *to = self.value(arg);
                }
                self.set_pc(next);
                self.begin(*code, values.get(..args.len()).unwrap_or(&[]))?;
                return Ok(Flow::Set);
            }
            Op::Jump(to) => return Ok(Flow::To(*to)),
            Op::Unless(c, to) => {
                if !self.ev().cond(c) {
                    return Ok(Flow::To(*to));
                }
            }
            Op::Next { set, into, end } => {
                let mut items = self.bits(&set.place, 0);
                let Some(first) = items.pop() else {
                    return Ok(Flow::To(*end));
                };
                let lo = if let Holds::Set(lo) = set.holds { lo } else { 0 };
                self.write(set, 0, Now::Set(items))?;
                self.write(into, 0, Now::Num(first as i32 + lo))?;
            }
            Op::Choose { ask, seat, how } => return self.arrive(ask, seat, *how),
            Op::Chance { ask } => match ask {
                Ask::One { set, lo, into } => {
                    let mut set = self.ev().set(set);
                    match set.pop() {
                        None => return Err(Fallback::Failure),
                        Some(only) if set.is_empty() => self.write(into, 0, Now::Num(only as i32 + lo))?,
                        Some(_) => return Ok(Flow::Rest),
                    }
                }
                Ask::Draw { over, into } => {
                    let mut set = self.ev().set(&over.set);
                    match set.pop() {
                        None => return Err(Fallback::Failure),
                        Some(only) if set.is_empty() => self.write(into, 0, Now::Num(only as i32 + over.lo))?,
                        Some(_) => return Ok(Flow::Rest),
                    }
                }
                Ask::Number { lo, hi, into } => {
                    let (lo, hi) = (self.ev().num(lo), self.ev().num(hi));
                    if lo == NONE || hi == NONE || hi < lo || i64::from(hi) - i64::from(lo) >= MAX_NUMBERS {
                        return Err(Fallback::Failure);
                    }
                    if lo < hi {
                        return Ok(Flow::Rest);
                    }
                    self.write(into, 0, Now::Num(lo))?;
                }
                Ask::Shuffle(shuffle) => {
                    if self.begin_shuffle(shuffle)? {
                        return Ok(Flow::Rest);
                    }
                }
                _ => return Err(Fallback::Failure),
            },
            Op::Unranked { hooks, groups } => return self.unranked(hooks, groups),
            Op::NextHook(next) => {
                let to = match self.next_hook(next)? {
                    NextStep::End => next.end,
                    NextStep::Settled(i) => {
                        self.write(&next.into, 0, Now::Num(i))?;
                        next.settled
                    }
                    NextStep::Ask(open) => {
                        self.write(&next.open, 0, Now::Set(open))?;
                        return Ok(Flow::On);
                    }
                };
                return Ok(Flow::To(to));
            }
            Op::Hook(hook) => {
                if self.ev().cond(&hook.applies) {
                    self.set_pc(next);
                    self.hook(hook)?;
                    return Ok(Flow::Set);
                }
            }
            Op::Instead(hooks, to) => match self.applying(hooks, |_| true)?.as_slice() {
                [] => {}
                [one] => {
                    self.set_pc(*to);
                    self.begin_hook(one.turn)?;
                    return Ok(Flow::Set);
                }
                _ => return Err(Fallback::HookOrder),
            },
            Op::HookAt(at) => {
                let place = self.ev().num(&at.place);
                let (from, len, byte) = at.clear;
                self.fill(from, len, byte);
                let turn = u32::try_from(place).ok().and_then(|place| at.hooks.at(place));
                if let Some(turn) = turn
                    && self.hook_applies(turn)?
                {
                    self.set_pc(next);
                    self.begin_hook(turn)?;
                    return Ok(Flow::Set);
                }
            }
            Op::StepEnd => {
                if self.endings(None)? {
                    return Ok(Flow::Rest);
                }
            }
            Op::Finish(code) => {
                let c = self.program.codes.get(*code).ok_or(Fallback::Failure)?;
                if c.active.is_none_or(|(at, _)| self.active(at) == 0) {
                    return Err(Fallback::Failure);
                }
                while self.program.top(self.bytes).is_some_and(|(top, _)| top != *code) {
                    self.pop();
                }
                return Ok(Flow::To(c.finally));
            }
            Op::Reset(clear, inits) => {
                for (at, len, byte) in clear {
                    self.fill(*at, *len, *byte);
                }
                for (store, val) in inits {
                    self.init(store, val)?;
                }
            }
            Op::Forget(places) => {
                for place in places {
                    self.clear(place)?;
                }
            }
            Op::Return => {
                self.pop();
                return Ok(Flow::Set);
            }
            Op::Other(why) => return Err(*why),
        }
        Ok(Flow::On)
    }

    /// Comes to a decision: stops there, or goes on where there is none to make.
    fn arrive(&mut self, ask: &'a Ask, seat: &super::ir::Num, how: How) -> Res<Flow> {
        let at = self.program.top(self.bytes).ok_or(Fallback::Position)?;
        let skip = Flow::To(how.after(Answer::Pass, at).1);
        match ask {
            Ask::Act { .. } if self.ahead => Ok(Flow::Rest),
            Ask::Act { acts, if_any } => {
                let seat = self.ev().num(seat);
                if u16::try_from(seat).is_err() {
                    return Err(Fallback::Failure);
                }
                let ev = self.ev();
                ev.bind(self.program.seat, seat);
                let any = acts.iter().any(|a| self.program.acts.get(*a).is_some_and(|a| legal::any(&ev, &[a])));
                let any = self.sure(any)?;
                if any || how.anyway {
                    self.endings(any.then_some(true))?;
                    return Ok(Flow::Rest);
                }
                if how.optional || *if_any {
                    return Ok(skip);
                }
                if self.endings(Some(false))? { Ok(Flow::Rest) } else { Err(Fallback::Failure) }
            }
            Ask::One { set, into, .. } => {
                if !self.ev().set(set).is_empty() || how.anyway {
                    return Ok(Flow::Rest);
                }
                if !how.optional {
                    return Err(Fallback::Failure);
                }
                self.clear(&into.place)?;
                Ok(skip)
            }
            Ask::Number { lo, hi, into } => {
                let (lo, hi) = (self.ev().num(lo), self.ev().num(hi));
                if lo == NONE || hi == NONE || i64::from(hi) - i64::from(lo) >= MAX_NUMBERS {
                    return Err(Fallback::Failure);
                }
                if lo <= hi || how.anyway {
                    return Ok(Flow::Rest);
                }
                if !how.optional {
                    return Err(Fallback::Failure);
                }
                self.clear(&into.place)?;
                Ok(skip)
            }
            Ask::Yes { .. } => Ok(Flow::Rest),
            Ask::Several(several) => Ok(if self.begin_several(several)? { Flow::Rest } else { Flow::On }),
            // These are chance.
            Ask::Draw { .. } | Ask::Shuffle(_) => Err(Fallback::Failure),
        }
    }

    // -- the stack --

    fn active(&self, at: u32) -> u8 {
        self.bytes.get(at as usize).copied().unwrap_or(0)
    }

    fn begin(&mut self, code: usize, args: &[Now]) -> Res<()> {
        let program = self.program;
        let c = program.codes.get(code).ok_or(Fallback::Failure)?;
        self.clean = false;
        let depth = uint(self.bytes, program.layout.depth as usize, 1);
        if depth >= program.layout.max_depth {
            return Err(Fallback::Failure);
        }
        if let Some((at, nested)) = c.active {
            let active = self.active(at);
            if active >= nested {
                return Err(Fallback::Failure);
            }
            put_uint(self.bytes, at as usize, 1, u32::from(active) + 1);
        }
        let at = (program.layout.stack + 4 * depth) as usize;
        put_uint(self.bytes, at, 2, code as u32);
        put_uint(self.bytes, at + 2, 2, 0);
        put_uint(self.bytes, program.layout.depth as usize, 1, depth + 1);
        for (store, value) in c.params.iter().zip(args) {
            self.write(store, 0, value.clone())?;
        }
        for (store, val) in &c.inits {
            self.init(store, val)?;
        }
        Ok(())
    }

    fn pop(&mut self) {
        let program = self.program;
        let Some((code, _)) = program.top(self.bytes) else {
            return;
        };
        self.clean = false;
        if let Some(c) = program.codes.get(code) {
            let mut level = 0;
            if let Some((at, _)) = c.active {
                level = u32::from(self.active(at)).saturating_sub(1);
                put_uint(self.bytes, at as usize, 1, level);
            }
            for (at, len, step) in &c.clear {
                self.fill(at + step * level, *len, 0);
            }
        }
        let depth = uint(self.bytes, program.layout.depth as usize, 1).saturating_sub(1);
        put_uint(self.bytes, (program.layout.stack + 4 * depth) as usize, 4, 0);
        put_uint(self.bytes, program.layout.depth as usize, 1, depth);
    }

    pub fn hook(&mut self, hook: &Hook) -> Res<()> {
        let holder = hook.holder.as_ref().map(|n| self.ev().num(n));
        if let Some((place, index)) = &hook.limit {
            let index = self.ev().num(index);
            self.scalar(place, index, 1)?;
        }
        let holder = holder.map(Now::Num);
        self.begin(hook.code, holder.as_slice())
    }

    // -- storing --

    /// Bytes are changed in place.
    pub fn touched(&mut self) {
        self.clean = false;
    }

    pub fn fill(&mut self, at: u32, len: u32, byte: u8) {
        self.clean = false;
        if let Some(bytes) = self.bytes.get_mut(at as usize..(at + len) as usize) {
            bytes.fill(byte);
        }
    }

    fn init(&mut self, store: &Store, val: &Val) -> Res<()> {
        let value = self.value(val);
        let index = self.index(store)?;
        if matches!(value, Now::Num(NONE)) { Ok(()) } else { self.write(store, index, value) }
    }

    fn value(&self, val: &Val) -> Now {
        match val {
            Val::Num(n) => Now::Num(self.ev().num(n)),
            Val::Set(s) => Now::Set(self.ev().set(s)),
            Val::Bag(store) => Now::Bag(self.ev().entry(&store.place, self.ev().num(&store.index))),
        }
    }

    pub fn index(&self, store: &Store) -> Res<i32> {
        match self.ev().num(&store.index) {
            NONE => Err(Fallback::Failure),
            i => Ok(i),
        }
    }

    /// The place of an entry; its code must be active.
    pub fn entry(&self, place: &Place, index: i32) -> Res<usize> {
        if place.active.is_some_and(|at| self.bytes.get(at as usize) == Some(&0)) {
            return Err(Fallback::Failure);
        }
        self.ev().entry(place, index).ok_or(Fallback::Failure)
    }

    pub fn bits(&self, place: &Place, index: i32) -> Bits {
        self.ev().entry(place, index).map_or(Bits::NONE, |at| read_bits(self.bytes, at, place.width))
    }

    fn scalar(&mut self, place: &Place, index: i32, value: i32) -> Res<()> {
        self.clean = false;
        let at = self.entry(place, index)?;
        let stored = if value == NONE {
            if !place.optional {
                return Err(Fallback::Failure);
            }
            0
        } else {
            let offset = i64::from(value) - i64::from(place.lo);
            if offset < 0 || offset as u64 >= place.span {
                return Err(Fallback::Failure);
            }
            offset as u32 + 1
        };
        put_uint(self.bytes, at, place.width, stored);
        Ok(())
    }

    pub fn write(&mut self, store: &Store, index: i32, value: Now) -> Res<()> {
        self.clean = false;
        self.sure(())?;
        match (store.holds, value) {
            (Holds::Scalar, Now::Num(value)) => self.scalar(&store.place, index, value),
            (Holds::Set(_), Now::Set(set)) => {
                let at = self.entry(&store.place, index)?;
                let width = store.place.width as usize;
                let bytes = self.bytes.get_mut(at..at + width).ok_or(Fallback::Failure)?;
                if set.top().is_some_and(|top| u64::from(top) >= store.place.span) {
                    return Err(Fallback::Failure);
                }
                if set.to_bytes(bytes) { Ok(()) } else { Err(Fallback::Failure) }
            }
            (Holds::Bag, Now::Bag(from)) => {
                let at = self.entry(&store.place, index)?;
                let width = store.place.width as usize;
                match from {
                    Some(from) => self.bytes.copy_within(from..from + width, at),
                    None => self.fill(at as u32, store.place.width, 0),
                }
                Ok(())
            }
            _ => Err(Fallback::Failure),
        }
    }

    /// Makes all entries nothing.
    pub fn clear(&mut self, place: &Place) -> Res<()> {
        for index in 0..place.count {
            let at = self.entry(place, index as i32)?;
            self.fill(at as u32, place.width, 0);
        }
        Ok(())
    }
}
