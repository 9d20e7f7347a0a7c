//! What plays a game, and what is left to a slower evaluator, by place.

use std::sync::OnceLock;

use super::fallback::Fallback;
use super::native::Unmade;
use super::program::{Op, Program};
use super::{Engine, is_costly};
use crate::span::Span;

/// What went wrong when machine code was made, the first time in this process.
static TROUBLE: OnceLock<String> = OnceLock::new();

/// The first error in this process when machine code was made for any rules; `None` if there was none. The rules are
/// then played as trees, which is slower and otherwise the same.
#[must_use]
pub fn trouble() -> Option<&'static str> {
    TROUBLE.get().map(String::as_str)
}

/// Notes what went wrong when machine code was made.
pub(super) fn note_trouble(what: &str) {
    let _ = TROUBLE.set(what.to_owned());
}

/// Something that is left to a slower evaluator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineNote {
    /// What is left.
    pub what: LeftOver,
    /// Where it is written; `None` if it is not a single place.
    pub at: Option<Span>,
    /// Why.
    pub why: Fallback,
}

/// How much is left to a slower evaluator, and to which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOver {
    /// The whole game, to the explaining evaluator.
    Game,
    /// An instruction, to the explaining evaluator.
    Instruction,
    /// What the seats score, to the explaining evaluator.
    Score,
    /// Machine code: the rules stay trees.
    MachineCode,
    /// An expression: machine code asks the trees for its value.
    Expression,
    /// Whether the order of hooks makes a difference, where more than one applies: machine code asks the trees.
    Order,
}

impl LeftOver {
    /// Which evaluator it is left to.
    #[must_use]
    pub fn to(self) -> Plays {
        match self {
            LeftOver::Game | LeftOver::Instruction | LeftOver::Score => Plays::Explaining,
            LeftOver::MachineCode | LeftOver::Expression | LeftOver::Order => Plays::Trees,
        }
    }
}

/// What plays a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plays {
    /// Machine code.
    MachineCode,
    /// Lowered trees.
    Trees,
    /// The explaining evaluator.
    Explaining,
}

impl Engine {
    /// What plays the game once it is played often. It makes the machine code, so that it knows.
    #[must_use]
    pub fn plays(&self) -> Plays {
        match (self.compile(), self.leaves_all()) {
            (_, true) => Plays::Explaining,
            (true, false) => Plays::MachineCode,
            (false, false) => Plays::Trees,
        }
    }

    /// What is left to slower evaluators in these rules, as far as that is known before they are played, in the order
    /// of its places. What machine code leaves is among it once it was tried to make it.
    #[must_use]
    pub fn notes(&self) -> Vec<EngineNote> {
        let mut notes = match self.lowered() {
            Err(note) => vec![note.clone()],
            Ok(program) => self.left_in(program),
        };
        if self.lowered().as_ref().is_ok_and(is_costly) {
            notes.push(EngineNote { what: LeftOver::Game, at: None, why: Fallback::TooMuchWork });
        }
        match self.native.get() {
            Some(Err(Unmade::Left(why))) => {
                notes.push(EngineNote { what: LeftOver::MachineCode, at: None, why: *why });
            }
            Some(Err(Unmade::Trouble(_))) => {
                notes.push(EngineNote { what: LeftOver::MachineCode, at: None, why: Fallback::Trouble });
            }
            Some(Ok(native)) => notes.extend(native.notes().iter().cloned()),
            None => {}
        }
        notes.sort_by_key(|note| note.at.map(|at| (at.file, at.start)));
        notes.dedup();
        notes
    }

    /// What is left in lowered rules.
    fn left_in(&self, program: &Program) -> Vec<EngineNote> {
        let mut notes = Vec::new();
        for (code, lowered) in self.model.codes.iter().zip(&program.codes) {
            for (instr, op) in code.instrs.iter().zip(&lowered.ops) {
                if let Op::Other(why) = op {
                    notes.push(EngineNote { what: LeftOver::Instruction, at: Some(instr.span), why: *why });
                }
            }
        }
        if let Some(score) = self.model.score.as_ref().filter(|_| program.score.is_none()) {
            notes.push(EngineNote { what: LeftOver::Score, at: Some(score.span), why: Fallback::Form });
        }
        notes
    }
}
