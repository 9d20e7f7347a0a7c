//! The compiled evaluator: the same meaning as [`explain`](crate::explain), without reasons, fast.
//!
//! The rules are lowered once, under the options in force: definitions are made for the arguments they are given, what
//! depends on nothing is computed, clauses that cannot apply are dropped, conditions on members of a set become
//! operations on sets of bits. A position is read and changed in its bytes.
//!
//! There are two ways to carry out lowered rules: as trees, at once and on any machine, and, when a game is played
//! often, as machine code ([`Engine::compile`]).
//!
//! Where the rules fail this evaluator does not go on but answers with a [`Fallback`]: whoever asks it then asks the
//! explaining evaluator about the same position ([`Evaluators`](crate::rules::Evaluators) does). So a fault is found
//! by both and told by one. Machine code asks the trees for two things and goes on: the value of an expression about a
//! line over a grid, and whether the order of hooks makes a difference where nothing ranks them and more than one
//! applies. [`Engine::plays`] says what plays some rules, [`Engine::notes`] what is left in them.
//!
//! A set may have any number of members. In trees 256 are inline. In machine code up to 128 are values in registers;
//! larger sets are in memory, and an operation is given where they are, so that the code does not grow with them.

// Tables and lists are made in the same step as the numbers that look into them.
#![allow(clippy::indexing_slicing)]
// Some of what is lowered is read by machine code only.
#![cfg_attr(not(feature = "jit"), allow(dead_code))]

mod ahead;
mod along;
mod apart;
mod ask;
mod bags;
mod bearers;
mod beyond;
mod bits;
mod borne_layers;
mod by_value;
mod change;
mod cost;
mod counted;
mod define;
mod endings;
mod eval;
mod fallback;
mod fills;
mod foreseen;
mod grid;
mod hook;
mod ir;
mod leaf;
mod legal;
mod lower;
mod masks;
#[cfg(feature = "jit")]
mod native;
#[cfg(not(feature = "jit"))]
#[path = "no_native.rs"]
mod native;
mod order;
mod pairs;
mod place;
mod playing;
mod program;
mod report;
mod run;
mod sets;
mod several;
mod steps;
mod tabled;
mod terms;
mod told_apart;
mod touched;
mod tree;
mod writes;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use crate::game::{Choice, Outcome, Position, Question, Status, Turn, without_copies};
use crate::model::{
    ChooseWhat, ClauseId, CodeId, Config, InstrKind, LARGE_STACK, MAX_LOWERED_DEPTH, Model, PLAYER, SMALL_STACK_DEPTH,
    SeenWhat,
};
use apart::Apart;
use ask::Ask;
use eval::Scratch;
pub use fallback::Fallback;
use ir::NONE;
use native::{Machine, Native, Unmade};
pub use playing::Onward;
use program::{How, Op, Program};
pub use report::{EngineNote, LeftOver, Plays, trouble};
use run::MAX_NUMBERS;

/// The number of choices carried out as trees before machine code is made.
const COMPILE_AFTER_CHOICES: u32 = 20_000;

/// The number of questions that took too much work, after which all are left to the explaining evaluator.
const MAX_COSTLY_QUESTIONS: u32 = 4;

/// The compiled evaluator of a game: it answers, or says why another one is to be asked.
#[derive(Clone, Debug)]
pub struct Engine {
    model: Arc<Model>,
    config: Config,
    /// The lowered rules, once anything is asked, or the reason why they cannot be lowered.
    program: Arc<OnceLock<Result<Program, EngineNote>>>,
    /// The lowered `never`s, once one is asked about.
    apart: Arc<OnceLock<Apart>>,
    /// The machine code, once it has been made, or the reason why there is none.
    native: Arc<OnceLock<Result<Native, Unmade>>>,
    /// The number of choices carried out as trees so far; [`u32::MAX`] if it stays with trees.
    played: Arc<AtomicU32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    static MACHINE: Cell<Option<Box<Machine>>> = const { Cell::new(None) };
}

/// Makes machine code, and notes what goes wrong.
fn made(program: &Program) -> Result<Native, Unmade> {
    let native = Native::new(program);
    if let Err(Unmade::Trouble(what)) = &native {
        report::note_trouble(what);
    }
    native
}

/// Gives scratch for playing by machine code.
fn with_machine<T>(native: &Native, f: impl FnOnce(&mut Machine) -> T) -> T {
    let mut machine = native.machine(MACHINE.take());
    let result = f(&mut machine);
    MACHINE.set(Some(machine));
    result
}

/// Gives scratch for evaluating these rules.
fn with_scratch<T>(program: &Program, f: impl FnOnce(&Scratch) -> T) -> T {
    with_room((program.slots, program.sets), f)
}

/// Gives scratch for so many numbers and so many sets.
fn with_room<T>((slots, sets): (usize, usize), f: impl FnOnce(&Scratch) -> T) -> T {
    let ready = |scratch: &mut Scratch| {
        if scratch.slots.len() < slots {
            scratch.slots.resize(slots, Cell::new(NONE));
        }
        if scratch.sets.len() < sets {
            scratch.sets.resize(sets, RefCell::default());
        }
        scratch.failed.set(false);
        scratch.work.set(0);
    };
    SCRATCH.with(|kept| match kept.try_borrow_mut() {
        Ok(mut scratch) => {
            ready(&mut scratch);
            f(&scratch)
        }
        // It is in use further up.
        Err(_) => {
            let mut scratch = Scratch::default();
            ready(&mut scratch);
            f(&scratch)
        }
    })
}

/// Whether so much had to be worked out so often that all is left to the explaining evaluator: it works out nothing
/// twice.
fn is_costly(program: &Program) -> bool {
    program.passed.load(Ordering::Relaxed) >= MAX_COSTLY_QUESTIONS
}

/// The rules lowered. Where definitions ask each other deep, on a stack that is large enough for it.
fn lowered(model: &Model, config: &[i32]) -> Result<Program, EngineNote> {
    let note = |at, why| EngineNote { what: LeftOver::Game, at, why };
    let lower = || Program::new(model, config).map_err(|(at, why)| note(at, why));
    let levels = model.levels.iter().copied().max().unwrap_or(0);
    if levels > MAX_LOWERED_DEPTH {
        return Err(note(None, Fallback::TooDeep));
    }
    if levels <= SMALL_STACK_DEPTH {
        return lower();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(LARGE_STACK).spawn_scoped(scope, lower);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(lowered)) => lowered,
            _ => Err(note(None, Fallback::TooDeep)),
        }
    })
}

impl Engine {
    /// For these rules under these options and readings. They are lowered at the first question.
    #[must_use]
    pub fn new(model: Arc<Model>, config: &Config) -> Engine {
        let config = config.clone();
        let (program, apart) = (Arc::default(), Arc::default());
        Engine { model, config, program, apart, native: Arc::default(), played: Arc::default() }
    }

    /// The same evaluator without machine code, which is never made: slower, and alike in all else.
    #[must_use]
    pub fn as_trees(self) -> Engine {
        self.played.store(u32::MAX, Ordering::Relaxed);
        self
    }

    /// Makes the machine code now, instead of when much has been played; `false`: it cannot be made here.
    pub fn compile(&self) -> bool {
        match self.program() {
            Ok(program) => self.native.get_or_init(|| made(program)).is_ok(),
            Err(_) => false,
        }
    }

    /// The error when machine code was made for these rules, which are then played as trees; `None` if there was none,
    /// or if no code was made.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        match self.native.get() {
            Some(Err(Unmade::Trouble(what))) => Some(what),
            _ => None,
        }
    }

    /// Whether all is left to the explaining evaluator.
    #[must_use]
    pub fn leaves_all(&self) -> bool {
        self.program().is_err()
    }

    /// The rules, lowered now if they were not before.
    fn lowered(&self) -> &Result<Program, EngineNote> {
        self.program.get_or_init(|| lowered(&self.model, &self.config.0))
    }

    /// The lowered rules, unless too much has to be worked out.
    fn program(&self) -> Result<&Program, Fallback> {
        match self.lowered() {
            Ok(program) if !is_costly(program) => Ok(program),
            Ok(_) => Err(Fallback::TooMuchWork),
            Err(note) => Err(note.why),
        }
    }

    /// The rules and their machine code, if that is made.
    fn native(&self) -> Option<(&Program, &Native)> {
        let native = self.native.get()?.as_ref().ok()?;
        Some((self.program().ok()?, native))
    }

    /// Asks something of the machine code at a position that is not over; nothing where the explaining evaluator is to
    /// say it.
    fn machine<T>(&self, position: &Position, f: impl FnOnce(&mut Machine) -> T) -> Result<T, Fallback> {
        let (program, native) = self.native().ok_or(Fallback::NoMachineCode)?;
        with_machine(native, |m| native.list(program, m, position).map(|()| f(m)))
    }

    /// Counts a choice carried out as trees.
    fn count_played(&self) {
        let played = self.played.load(Ordering::Relaxed);
        if played < COMPILE_AFTER_CHOICES {
            self.played.store(played + 1, Ordering::Relaxed);
        } else if played == COMPILE_AFTER_CHOICES {
            self.compile();
        }
    }

    /// What is asked, if it is a decision; chance.
    fn at_rest(&self, position: &Position) -> Result<Status, Fallback> {
        let program = self.program()?;
        let (code, pc) = program.top(position.plain()).ok_or(Fallback::Position)?;
        let at = (CodeId(code as u16), pc);
        match program.op((code, pc)).ok_or(Fallback::Position)? {
            Op::Chance { .. } => Ok(Status::Chance(at)),
            Op::Choose { ask, seat, how } => {
                let seat = match self.machine(position, |m| m.seat()) {
                    Ok(seat) => seat.ok_or(Fallback::Failure)?,
                    Err(_) => {
                        let bytes = position.block(&self.model.layout);
                        let ev = |scratch: &Scratch| (program.ev(scratch, &bytes).num(seat), scratch.failed.get());
                        let (seat, failed) = with_scratch(program, ev);
                        u16::try_from(seat).ok().filter(|_| !failed).ok_or(Fallback::Failure)?
                    }
                };
                let (actions, optional) = match ask {
                    Ask::Yes { .. } => (Vec::new(), true),
                    Ask::Several(several) => {
                        let bytes = position.block(&self.model.layout);
                        let next = |scratch: &Scratch| {
                            let (open, enough) = program.ev(scratch, &bytes).next_of(several);
                            (!open.is_empty() && enough, scratch.failed.get())
                        };
                        match with_scratch(program, next) {
                            (optional, false) => (Vec::new(), optional),
                            (_, true) => return Err(Fallback::Failure),
                        }
                    }
                    Ask::Act { .. } => {
                        let instr = self.model.codes.get(code).and_then(|c| c.instrs.get(usize::from(pc)));
                        match instr.map(|i| &i.kind) {
                            Some(InstrKind::Choose(c)) => match &c.what {
                                ChooseWhat::Act { actions, .. } => (actions.clone(), how.optional),
                                _ => return Err(Fallback::Form),
                            },
                            _ => return Err(Fallback::Form),
                        }
                    }
                    _ => (Vec::new(), how.optional),
                };
                Ok(Status::Decision(Question { seat, at, actions, optional }))
            }
            _ => Err(Fallback::Position),
        }
    }

    /// The outcome of a game that is over by this ending.
    fn outcome(&self, position: &Position, ending: usize) -> Result<Outcome, Fallback> {
        let model = &*self.model;
        let winners = position.winners(model);
        let seats = model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len()).min(32);
        let mut outcome = Outcome::by_winners(ending, winners, seats);
        if model.score.is_some() {
            let program = self.program()?;
            let (score, slot) = program.score.as_ref().ok_or(Fallback::Form)?;
            let bytes = position.block(&model.layout);
            with_scratch(program, |scratch| {
                let ev = eval::Ev { winners, ..program.ev(scratch, &bytes) };
                for (seat, to) in outcome.scores.iter_mut().enumerate() {
                    ev.bind(*slot, seat as i32);
                    *to = match ev.num(score) {
                        NONE => 0,
                        n => n,
                    };
                }
                if scratch.failed.get() { Err(Fallback::Failure) } else { Ok(()) }
            })?;
        }
        Ok(outcome)
    }

    /// Whether telling the score of a game that is over can be a fault, as far as is known.
    pub fn score_may_fail(&self) -> bool {
        self.program().map_or(self.model.score.is_some(), |program| program.score_may_fail)
    }

    /// What a position is worth to a seat while nobody has won; `None` if the rules do not say.
    ///
    /// # Errors
    /// The explaining evaluator is to tell it.
    pub fn worth(&self, position: &Position, seat: u16) -> Result<Option<i32>, Fallback> {
        if self.model.worth().is_none() {
            return Ok(None);
        }
        if let Some((program, native)) = self.native().filter(|_| position.ending(&self.model).is_none()) {
            let worth = with_machine(native, |m| native.worth(program, m, position, seat))?;
            return Ok(Some(worth.unwrap_or(0)));
        }
        let program = self.program()?;
        let (worth, slot) = program.worth.as_ref().ok_or(Fallback::Form)?;
        let bytes = position.block(&self.model.layout);
        with_scratch(program, |scratch| {
            let ev = program.ev(scratch, &bytes);
            ev.bind(*slot, i32::from(seat));
            let worth = match ev.num(worth) {
                NONE => 0,
                n => n,
            };
            if scratch.failed.get() { Err(Fallback::Failure) } else { Ok(Some(worth)) }
        })
    }

    /// Whether a position breaks a `never`: whether the condition of that clause holds.
    ///
    /// # Errors
    /// The explaining evaluator is to tell it.
    pub fn breaks(&self, position: &Position, never: ClauseId) -> Result<bool, Fallback> {
        let apart = self.apart();
        with_room(apart.room(), |scratch| apart.breaks(never, scratch, &position.block(&self.model.layout)))
    }

    /// For each entry whether a seat sees it: which member this is, or the entry of a variable. Some rule must say
    /// when.
    ///
    /// # Errors
    /// The explaining evaluator is to tell it.
    pub fn sees(&self, position: &Position, what: SeenWhat, seat: u16) -> Result<Box<[bool]>, Fallback> {
        let apart = self.apart();
        with_room(apart.room(), |scratch| apart.sees(what, seat, scratch, &position.block(&self.model.layout)))
    }

    fn apart(&self) -> &Apart {
        self.apart.get_or_init(|| Apart::new(&self.model, &self.config.0))
    }

    fn list(&self, position: &Position, out: &mut Vec<Choice>) -> Result<(), Fallback> {
        match self.machine(position, |m| m.options(out)) {
            // The trees may tell what machine code gives up.
            Err(Fallback::NoMachineCode | Fallback::Failure) => out.clear(),
            told => return told,
        }
        let program = self.program()?;
        let bytes = position.block(&self.model.layout);
        let op = program.top(&bytes).and_then(|place| program.op(place)).ok_or(Fallback::Position)?;
        with_scratch(program, |scratch| {
            let ev = program.ev(scratch, &bytes);
            let (ask, how) = match op {
                Op::Choose { ask, seat, how } => {
                    if let Ask::Act { .. } = ask {
                        let seat = ev.num(seat);
                        u16::try_from(seat).map_err(|_| Fallback::Failure)?;
                        ev.bind(program.seat, seat);
                    }
                    (ask, *how)
                }
                Op::Chance { ask } => (ask, How::default()),
                _ => return Err(Fallback::Position),
            };
            match ask {
                Ask::Act { acts, .. } => {
                    let acts: Vec<&legal::Act> = acts.iter().filter_map(|a| program.acts.get(*a)).collect();
                    legal::list(&ev, &acts, out);
                    if out.is_empty() && !how.anyway {
                        return if scratch.failed.get() { Err(Fallback::Failure) } else { Ok(()) };
                    }
                }
                Ask::One { set, lo, .. } => bits::each(&ev.set(set), |b| out.push(Choice::Value(b as i32 + lo))),
                Ask::Draw { over, .. } => ev.over_each(over, |value, n| {
                    out.extend(std::iter::repeat_n(Choice::Value(value), n.max(0) as usize));
                }),
                Ask::Number { lo, hi, .. } => {
                    let (lo, hi) = (ev.num(lo), ev.num(hi));
                    if lo == NONE || hi == NONE || i64::from(hi) - i64::from(lo) >= MAX_NUMBERS {
                        return Err(Fallback::Failure);
                    }
                    out.extend((lo..=hi).map(Choice::Value));
                }
                Ask::Yes { .. } => out.extend([Choice::Yes, Choice::Pass]),
                Ask::Several(several) => {
                    let (open, enough) = ev.next_of(several);
                    bits::each(&open, |b| out.push(Choice::Value(b as i32 + several.lo)));
                    if enough && !out.is_empty() {
                        out.push(Choice::Pass);
                    }
                }
                Ask::Shuffle(shuffle) => out.extend(ev.undrawn(shuffle).into_iter().map(Choice::Value)),
            }
            // Of nothing to choose from the explaining evaluator says whether that may be.
            if scratch.failed.get() || out.is_empty() && !how.anyway {
                return Err(Fallback::Failure);
            }
            if how.optional && !matches!(ask, Ask::Yes { .. } | Ask::Several(_)) {
                out.push(Choice::Pass);
            }
            Ok(())
        })
    }

    /// Where a position stands.
    ///
    /// # Errors
    /// It is left to the explaining evaluator.
    pub fn status(&self, position: &Position) -> Result<Status, Fallback> {
        match position.ending(&self.model) {
            Some(ending) => self.outcome(position, ending).map(Status::Over),
            None => self.at_rest(position),
        }
    }

    /// All options of a decision or outcomes of chance, in a fixed order; none if the game is over.
    ///
    /// # Errors
    /// It is left to the explaining evaluator; the list means nothing then.
    pub fn options_into(&self, position: &Position, out: &mut Vec<Choice>) -> Result<(), Fallback> {
        out.clear();
        if position.ending(&self.model).is_some() {
            return Ok(());
        }
        self.list(position, out)?;
        without_copies(&self.model, position, out);
        Ok(())
    }

    /// Whose turn it is.
    ///
    /// # Errors
    /// It is left to the explaining evaluator.
    pub fn turn(&self, position: &Position) -> Result<Turn, Fallback> {
        if position.ending(&self.model).is_some() {
            return Ok(Turn::Over);
        }
        if let Ok(seat) = self.machine(position, |m| m.seat()) {
            return Ok(seat.map_or(Turn::Chance, Turn::Seat));
        }
        Ok(match self.at_rest(position)? {
            Status::Over(_) => Turn::Over,
            Status::Chance(_) => Turn::Chance,
            Status::Decision(question) => Turn::Seat(question.seat),
        })
    }

    /// Whose turn it is; the options or outcomes are written into a list whose old contents are discarded.
    ///
    /// # Errors
    /// It is left to the explaining evaluator.
    pub fn turn_and_options(&self, position: &Position, out: &mut Vec<Choice>) -> Result<Turn, Fallback> {
        out.clear();
        if position.ending(&self.model).is_some() {
            return Ok(Turn::Over);
        }
        let asked = self.machine(position, |m| {
            m.options(out);
            m.seat()
        });
        match asked {
            Ok(seat) => {
                without_copies(&self.model, position, out);
                Ok(seat.map_or(Turn::Chance, Turn::Seat))
            }
            Err(_) => {
                let turn = self.turn(position)?;
                self.options_into(position, out)?;
                Ok(turn)
            }
        }
    }

    /// Whether what machine code lists are the options as they are: of alike members it lists each.
    fn counts_all(&self) -> Result<(), Fallback> {
        if self.model.copies.is_empty() { Ok(()) } else { Err(Fallback::NoMachineCode) }
    }

    /// How many options or outcomes there are, if machine code has counted them; 0 if the game is over.
    ///
    /// # Errors
    /// They have to be listed.
    pub fn count(&self, position: &Position) -> Result<usize, Fallback> {
        if position.ending(&self.model).is_some() {
            return Ok(0);
        }
        self.counts_all()?;
        self.machine(position, |m| m.count())
    }

    /// One of them, by its place in their order; `None` if there are not so many.
    ///
    /// # Errors
    /// They have to be listed.
    pub fn nth(&self, position: &Position, n: usize) -> Result<Option<Choice>, Fallback> {
        if position.ending(&self.model).is_some() {
            return Ok(None);
        }
        self.counts_all()?;
        self.machine(position, |m| m.nth(n))
    }
}
