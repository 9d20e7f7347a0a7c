//! The compiled evaluator: the same meaning as [`explain`](crate::explain), without reasons, fast.
//!
//! The rules are lowered once, under the options in force: definitions are made for the arguments they are given, what
//! depends on nothing is computed, clauses that cannot apply are dropped, conditions on members of a set become
//! operations on sets of bits. A position is read and changed in its bytes.
//!
//! There are two ways to carry out lowered rules: as trees, at once and on any machine, and, when a game is played
//! often, as machine code ([`Engine::compile`]).
//!
//! If the rules fail, or something rare is met, this evaluator asks the explaining one from the same position. So a
//! fault is found by both and reported by one; [`Engine::asked`] says how often that happened. Left to the explaining
//! evaluator are choices of several members, shuffles, hooks without an order of which more than one applies, endings
//! that hold together and may beat each other, and sets of more than 256 members. Rules with sets of more than 128
//! members, or with steps, are not turned into machine code: they stay trees.

mod bags;
mod bits;
mod cost;
mod define;
mod eval;
mod grid;
mod ir;
mod legal;
mod lower;
mod masks;
mod native;
mod piles;
mod program;
mod run;
mod sets;
mod steps;
mod tree;
mod walk;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::explain::Explainer;
use crate::game::{Choice, Evaluator, Fault, Outcome, Position, Question, Status, Turn};
use crate::model::{
    ChooseWhat, CodeId, Config, InstrKind, LARGE_STACK, MAX_LOWERED_DEPTH, Model, PLAYER, SMALL_STACK_DEPTH,
};
use bits::Bits;
use eval::Scratch;
use ir::NONE;
use native::{Machine, Native, Unmade};
use program::{Ask, Op, Program};
use run::{MAX_NUMBERS, Run};

/// The number of choices carried out as trees before machine code is made.
const COMPILE_AFTER_CHOICES: u32 = 20_000;

/// The number of questions that took too much work, after which all are left to the explaining evaluator.
const MAX_COSTLY_QUESTIONS: u32 = 4;

/// The compiled evaluator of a game.
#[derive(Clone, Debug)]
pub struct Engine {
    explainer: Explainer,
    /// `None` if the rules contain something that only the explaining evaluator handles.
    program: Option<Arc<Program>>,
    /// The first position, or the fault there, once it has been asked for.
    start: Arc<OnceLock<Result<Position, Fault>>>,
    /// The machine code, once it has been made, or the reason why there is none.
    native: Arc<OnceLock<Result<Native, Unmade>>>,
    /// The number of choices carried out as trees so far; [`u32::MAX`] if it stays with trees.
    played: Arc<AtomicU32>,
    asked: Arc<AtomicU64>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    static MACHINE: Cell<Option<Box<Machine>>> = const { Cell::new(None) };
}

/// What went wrong when machine code was made, the first time in this process.
static TROUBLE: OnceLock<String> = OnceLock::new();

/// The first error in this process when machine code was made for any rules; `None` if there was none. The rules are
/// then played as trees, which is slower and otherwise the same.
#[must_use]
pub fn trouble() -> Option<&'static str> {
    TROUBLE.get().map(String::as_str)
}

/// Makes machine code, and notes what goes wrong.
fn made(program: &Program) -> Result<Native, Unmade> {
    let native = Native::new(program);
    if let Err(Unmade::Trouble(what)) = &native {
        let _ = TROUBLE.set(what.clone());
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
    let mut scratch = SCRATCH.take();
    if scratch.slots.len() < program.slots {
        scratch.slots.resize(program.slots, Cell::new(NONE));
    }
    if scratch.sets.len() < program.sets {
        scratch.sets.resize(program.sets, Cell::new(Bits::NONE));
    }
    scratch.failed.set(false);
    scratch.work.set(0);
    let result = f(&scratch);
    SCRATCH.set(scratch);
    result
}

/// The rules lowered. Where definitions ask each other deep, on a stack that is large enough for it.
fn lowered(model: &Model, config: &[i32]) -> Option<Program> {
    let levels = model.levels.iter().copied().max().unwrap_or(0);
    if levels > MAX_LOWERED_DEPTH {
        return None;
    }
    if levels <= SMALL_STACK_DEPTH {
        return Program::new(model, config).ok();
    }
    std::thread::scope(|scope| {
        let lower = || Program::new(model, config).ok();
        let thread = std::thread::Builder::new().stack_size(LARGE_STACK).spawn_scoped(scope, lower);
        thread.ok()?.join().ok()?
    })
}

impl Engine {
    /// For these rules under these options and readings.
    #[must_use]
    pub fn new(model: Arc<Model>, config: Config) -> Engine {
        let explainer = Explainer::new(Arc::clone(&model), config.clone());
        let program = lowered(&model, &config.0);
        Engine {
            explainer,
            program: program.map(Arc::new),
            start: Arc::default(),
            native: Arc::default(),
            played: Arc::default(),
            asked: Arc::default(),
        }
    }

    /// For the rules, options and readings of an explaining evaluator.
    #[must_use]
    pub fn of(explainer: &Explainer) -> Engine {
        Engine::new(Arc::clone(explainer.shared()), explainer.config().clone())
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
            Some(program) => self.native.get_or_init(|| made(program)).is_ok(),
            None => false,
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

    /// The lowered rules; nothing where the explaining evaluator does all, also once it was asked too often because
    /// too much had to be worked out: it works out nothing twice.
    fn program(&self) -> Option<&Program> {
        self.program.as_deref().filter(|p| p.passed.load(Ordering::Relaxed) < MAX_COSTLY_QUESTIONS)
    }

    /// The rules and their machine code, if that is made.
    fn native(&self) -> Option<(&Program, &Native)> {
        let native = self.native.get()?.as_ref().ok()?;
        Some((self.program()?, native))
    }

    /// Asks something of the machine code at a position that is not over; nothing where the explaining evaluator is to
    /// say it.
    fn machine<T>(&self, position: &Position, f: impl FnOnce(&mut Machine) -> T) -> Option<T> {
        let (program, native) = self.native()?;
        with_machine(native, |m| native.list(program, m, position.bytes()).ok().map(|()| f(m)))
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

    /// The explaining evaluator of the same rules.
    #[must_use]
    pub fn explainer(&self) -> &Explainer {
        &self.explainer
    }

    /// How often the explaining evaluator was asked instead, and whether it always is.
    #[must_use]
    pub fn asked(&self) -> (u64, bool) {
        (self.asked.load(Ordering::Relaxed), self.program().is_none())
    }

    #[cold]
    fn ask(&self) -> &Explainer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        &self.explainer
    }

    /// What is asked, if it is a decision; chance; nothing where the explaining evaluator is to say it.
    fn at_rest(&self, position: &Position) -> Option<Status> {
        let program = self.program()?;
        let bytes = position.bytes();
        let (code, pc) = program.top(bytes)?;
        let at = (CodeId(code as u16), pc);
        match program.op((code, pc))? {
            Op::Chance { .. } => Some(Status::Chance(at)),
            Op::Choose { ask, seat, optional } => {
                let seat = match self.machine(position, |m| m.seat()) {
                    Some(seat) => seat?,
                    None => {
                        let ev = |scratch: &Scratch| (program.ev(scratch, bytes).num(seat), scratch.failed.get());
                        let (seat, failed) = with_scratch(program, ev);
                        u16::try_from(seat).ok().filter(|_| !failed)?
                    }
                };
                let (actions, optional) = match ask {
                    Ask::Other => return None,
                    Ask::Yes { .. } => (Vec::new(), true),
                    Ask::Act { .. } => {
                        let instr = self.model().codes.get(code).and_then(|c| c.instrs.get(usize::from(pc)))?;
                        match &instr.kind {
                            InstrKind::Choose(c) => match &c.what {
                                ChooseWhat::Act { actions, .. } => (actions.clone(), *optional),
                                _ => return None,
                            },
                            _ => return None,
                        }
                    }
                    _ => (Vec::new(), *optional),
                };
                Some(Status::Decision(Question { seat, at, actions, optional }))
            }
            _ => None,
        }
    }

    /// The outcome of a game that is over; nothing where the explaining evaluator is to tell it.
    fn outcome(&self, position: &Position) -> Option<Outcome> {
        let model = self.model();
        let ending = position.ending(model)?;
        let winners = position.winners(model);
        let seats = model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len()).min(32);
        let mut outcome = Outcome::by_winners(ending, winners, seats);
        if model.score.is_some() {
            let program = self.program()?;
            let (score, slot) = program.score.as_ref()?;
            with_scratch(program, |scratch| {
                let ev = eval::Ev { winners, ..program.ev(scratch, position.bytes()) };
                for (seat, to) in outcome.scores.iter_mut().enumerate() {
                    ev.bind(*slot, seat as i32);
                    *to = match ev.num(score) {
                        NONE => 0,
                        n => n,
                    };
                }
                (!scratch.failed.get()).then_some(())
            })?;
        }
        Some(outcome)
    }

    fn list(&self, position: &Position, out: &mut Vec<Choice>) -> Option<()> {
        if self.native().is_some() {
            return self.machine(position, |m| m.options(out));
        }
        let program = self.program()?;
        let bytes = position.bytes();
        let op = program.op(program.top(bytes)?)?;
        with_scratch(program, |scratch| {
            let ev = program.ev(scratch, bytes);
            let (ask, optional) = match op {
                Op::Choose { ask, seat, optional } => {
                    if let Ask::Act { .. } = ask {
                        let seat = ev.num(seat);
                        u16::try_from(seat).ok()?;
                        ev.bind(program.seat, seat);
                    }
                    (ask, *optional)
                }
                Op::Chance { ask } => (ask, false),
                _ => return None,
            };
            match ask {
                Ask::Act { acts, .. } => {
                    let acts: Vec<&legal::Act> = acts.iter().filter_map(|a| program.acts.get(*a)).collect();
                    legal::list(&ev, &acts, out);
                    if out.is_empty() {
                        return (!scratch.failed.get()).then_some(());
                    }
                }
                Ask::One { set, lo, .. } => bits::each(ev.set(set), |b| out.push(Choice::Value(b as i32 + lo))),
                Ask::Number { lo, hi, .. } => {
                    let (lo, hi) = (ev.num(lo), ev.num(hi));
                    if lo == NONE || hi == NONE || i64::from(hi) - i64::from(lo) >= MAX_NUMBERS {
                        return None;
                    }
                    out.extend((lo..=hi).map(Choice::Value));
                }
                Ask::Yes { .. } => out.extend([Choice::Yes, Choice::Pass]),
                Ask::Other => return None,
            }
            // Of nothing to choose from the explaining evaluator says whether that may be.
            if scratch.failed.get() || out.is_empty() {
                return None;
            }
            if optional && !matches!(ask, Ask::Yes { .. }) {
                out.push(Choice::Pass);
            }
            Some(())
        })
    }
}

impl Evaluator for Engine {
    fn model(&self) -> &Model {
        self.explainer.model()
    }

    fn config(&self) -> &Config {
        self.explainer.config()
    }

    fn start(&self) -> Result<Position, Fault> {
        self.start.get_or_init(|| self.explainer.start()).clone()
    }

    fn blank(&self) -> Result<Position, Fault> {
        self.explainer.blank()
    }

    fn enter(&self, blank: Position, entry: usize, args: &[i32]) -> Result<Position, Fault> {
        self.explainer.enter(blank, entry, args)
    }

    fn status(&self, position: &Position) -> Result<Status, Fault> {
        if let Some(outcome) = self.outcome(position) {
            return Ok(Status::Over(outcome));
        }
        match self.at_rest(position) {
            Some(status) => Ok(status),
            None if position.ending(self.model()).is_some() => self.explainer.status(position),
            None => self.ask().status(position),
        }
    }

    fn options(&self, position: &Position) -> Result<Vec<Choice>, Fault> {
        let mut out = Vec::new();
        self.options_into(position, &mut out)?;
        Ok(out)
    }

    fn options_into(&self, position: &Position, out: &mut Vec<Choice>) -> Result<(), Fault> {
        out.clear();
        if position.ending(self.model()).is_some() || self.list(position, out).is_some() {
            return Ok(());
        }
        out.clear();
        *out = self.ask().options(position)?;
        Ok(())
    }

    fn playout(&self, position: &mut Position, draws: &mut dyn FnMut(&mut [u64]), most: usize) -> Option<usize> {
        let (program, native) = self.native()?;
        with_machine(native, |m| native.playout(program, m, position.bytes_mut(), draws, most))
    }

    fn turn(&self, position: &Position) -> Result<Turn, Fault> {
        if position.ending(self.model()).is_some() {
            return Ok(Turn::Over);
        }
        if let Some(seat) = self.machine(position, |m| m.seat()) {
            return Ok(seat.map_or(Turn::Chance, Turn::Seat));
        }
        Ok(match self.status(position)? {
            Status::Over(_) => Turn::Over,
            Status::Chance(_) => Turn::Chance,
            Status::Decision(question) => Turn::Seat(question.seat),
        })
    }

    fn count(&self, position: &Position) -> Result<usize, Fault> {
        if position.ending(self.model()).is_some() {
            return Ok(0);
        }
        match self.machine(position, |m| m.count()) {
            Some(count) => Ok(count),
            None => Ok(self.options(position)?.len()),
        }
    }

    fn nth(&self, position: &Position, n: usize) -> Result<Option<Choice>, Fault> {
        if position.ending(self.model()).is_some() {
            return Ok(None);
        }
        match self.machine(position, |m| m.nth(n)) {
            Some(choice) => Ok(choice),
            None => Ok(self.options(position)?.get(n).copied()),
        }
    }

    fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
        const SMALL: usize = 1024;
        let Some(program) = self.program() else {
            return self.ask().apply(position, choice);
        };
        if let Some((program, native)) = self.native() {
            let done = with_machine(native, |m| native.apply(program, m, position.bytes_mut(), choice));
            return match done {
                Ok(()) => Ok(()),
                Err(native::Left) => self.ask().apply(position, choice),
            };
        }
        self.count_played();
        let bytes = position.bytes_mut();
        let mut small = [0u8; SMALL];
        let mut large = Vec::new();
        let before = match small.get_mut(..bytes.len()) {
            Some(small) => {
                small.copy_from_slice(bytes);
                &*small
            }
            None => {
                large.extend_from_slice(bytes);
                &*large
            }
        };
        let done = with_scratch(program, |scratch| Run::new(program, scratch, &mut *bytes).apply(choice));
        if done.is_ok() {
            return Ok(());
        }
        bytes.copy_from_slice(before);
        self.ask().apply(position, choice)
    }
}
