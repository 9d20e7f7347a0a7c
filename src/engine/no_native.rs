//! In place of machine code where the program is built without it (feature `jit`): there is none, for any rules.

use super::fallback::Fallback;
use super::program::Program;
use super::report::EngineNote;
use crate::game::{Choice, Length, Position};

/// Machine code, of which there is none.
#[derive(Debug)]
pub(super) enum Native {}

/// What machine code plays in.
pub(super) enum Machine {}

/// Why there is no machine code.
#[derive(Clone, Debug)]
pub(super) enum Unmade {
    /// It is left to the trees.
    Left(Fallback),
    /// Something went wrong, which it cannot here.
    #[allow(dead_code)]
    Trouble(String),
}

impl Native {
    pub fn new(_: &Program) -> Result<Native, Unmade> {
        Err(Unmade::Left(Fallback::NoMachineCode))
    }

    pub fn notes(&self) -> &[EngineNote] {
        match *self {}
    }

    pub fn machine(&self, _: Option<Box<Machine>>) -> Box<Machine> {
        match *self {}
    }

    pub fn list(&self, _: &Program, _: &mut Machine, _: &Position) -> Result<(), Fallback> {
        match *self {}
    }

    pub fn worth(&self, _: &Program, _: &mut Machine, _: &Position, _: u16) -> Result<Option<i32>, Fallback> {
        match *self {}
    }

    pub fn apply(&self, _: &Program, _: &mut Machine, _: &mut Position, _: (Choice, bool)) -> Result<(), Fallback> {
        match *self {}
    }

    pub fn playout(
        &self,
        _: &Program,
        _: &mut Machine,
        _: &mut Position,
        _: &mut dyn FnMut(&mut [u64]),
        _: (Option<&Choice>, Length),
    ) -> Result<usize, Fallback> {
        match *self {}
    }
}

impl Machine {
    pub fn seat(&self) -> Option<u16> {
        match *self {}
    }

    pub fn count(&self) -> usize {
        match *self {}
    }

    pub fn nth(&self, _: usize) -> Option<Choice> {
        match *self {}
    }

    pub fn options(&self, _: &mut Vec<Choice>) {
        match *self {}
    }
}
