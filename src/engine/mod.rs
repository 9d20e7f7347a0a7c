//! The compiled evaluator: the same meaning as [`explain`](crate::explain), without reasons, fast.
//!
//! The rules are lowered once, under the options in force: definitions are made for the arguments they are given, what depends on nothing is
//! computed, clauses that cannot apply are dropped, conditions on members of a set become operations on sets of bits. A position is read and
//! changed in its bytes.
//!
//! Where the rules fail, and where something is rare, this evaluator does not go on but asks the explaining one from the same position. So a fault
//! is found by both and told by one; [`Engine::asked`] says how often that happened. What is left to it: several of a set, shuffles, hooks of open
//! order of which more than one applies, endings that hold together and may beat each other, sets of more than 128.

mod code;
mod define;
mod eval;
mod legal;
mod lower;
mod program;
mod run;
mod tree;

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::explain::Explainer;
use crate::game::{Choice, Evaluator, Fault, Position, Question, Status};
use crate::model::{ChooseWhat, CodeId, Config, InstrKind, Model};
use code::NONE;
use eval::Room;
use program::{Ask, Op, Program};
use run::{MAX_NUMBERS, Run};

/// The compiled evaluator of a game.
#[derive(Clone, Debug)]
pub struct Engine {
    explainer: Explainer,
    /// Nothing: the rules hold something that only the explaining evaluator handles.
    program: Option<Arc<Program>>,
    asked: Arc<AtomicU64>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Gives room for evaluating these rules.
fn with_room<T>(program: &Program, f: impl FnOnce(&Room) -> T) -> T {
    let mut room = ROOM.take();
    if room.slots.len() < program.slots {
        room.slots.resize(program.slots, Cell::new(NONE));
    }
    if room.sets.len() < program.sets {
        room.sets.resize(program.sets, Cell::new(0));
    }
    room.failed.set(false);
    let result = f(&room);
    ROOM.set(room);
    result
}

impl Engine {
    /// For these rules under these options and readings.
    #[must_use]
    pub fn new(model: Arc<Model>, config: Config) -> Engine {
        let explainer = Explainer::new(Arc::clone(&model), config.clone());
        let mut program = Program::new(&model, &config.0).ok();
        if let Some(program) = &mut program {
            program.start = explainer.start().ok();
        }
        Engine { explainer, program: program.map(Arc::new), asked: Arc::default() }
    }

    /// The explaining evaluator of the same rules.
    #[must_use]
    pub fn explainer(&self) -> &Explainer {
        &self.explainer
    }

    /// How often the explaining evaluator was asked instead, and whether it always is.
    #[must_use]
    pub fn asked(&self) -> (u64, bool) {
        (self.asked.load(Ordering::Relaxed), self.program.is_none())
    }

    #[cold]
    fn ask(&self) -> &Explainer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        &self.explainer
    }

    /// What is asked, if it is a decision; chance; nothing where the explaining evaluator is to say it.
    fn at_rest(&self, position: &Position) -> Option<Status> {
        let program = self.program.as_ref()?;
        let bytes = position.bytes();
        let (code, pc) = program.top(bytes)?;
        let at = (CodeId(code as u16), pc);
        match program.op((code, pc))? {
            Op::Chance { .. } => Some(Status::Chance(at)),
            Op::Choose { ask, seat, optional } => {
                let (seat, failed) = with_room(program, |room| (program.ev(room, bytes).num(seat), room.failed.get()));
                let seat = u16::try_from(seat).ok().filter(|_| !failed)?;
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

    fn list(&self, position: &Position, out: &mut Vec<Choice>) -> Option<()> {
        let program = self.program.as_ref()?;
        let bytes = position.bytes();
        let op = program.op(program.top(bytes)?)?;
        with_room(program, |room| {
            let ev = program.ev(room, bytes);
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
                        return (!room.failed.get()).then_some(());
                    }
                }
                Ask::One { set, lo, .. } => eval::each(ev.set(set), |b| out.push(Choice::Value(b as i32 + lo))),
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
            if room.failed.get() || out.is_empty() {
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
        match self.program.as_ref().and_then(|p| p.start.clone()) {
            Some(position) => Ok(position),
            None => self.explainer.start(),
        }
    }

    fn blank(&self) -> Result<Position, Fault> {
        self.explainer.blank()
    }

    fn enter(&self, blank: Position, entry: usize, args: &[i32]) -> Result<Position, Fault> {
        self.explainer.enter(blank, entry, args)
    }

    fn status(&self, position: &Position) -> Result<Status, Fault> {
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
        *out = self.ask().options(position)?;
        Ok(())
    }

    fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
        const SMALL: usize = 1024;
        let Some(program) = &self.program else {
            return self.ask().apply(position, choice);
        };
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
        let done =
            with_room(program, |room| Run { program, room, bytes: &mut *bytes, steps: 0, clean: false }.apply(choice));
        if done.is_ok() {
            return Ok(());
        }
        bytes.copy_from_slice(before);
        self.ask().apply(position, choice)
    }
}
