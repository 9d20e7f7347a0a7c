//! In place of machine code where the program is built without it (feature `jit`): there is none, for any rules.

use super::program::Program;
use crate::game::Choice;

/// Machine code, of which there is none.
#[derive(Debug)]
pub(super) enum Native {}

/// What machine code plays in.
pub(super) enum Machine {}

/// The explaining evaluator is to be asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left;

/// Why there is no machine code.
#[derive(Clone, Debug)]
pub(super) enum Unmade {
    /// The program cannot make any.
    Rules,
    /// Something went wrong, which it cannot here.
    #[allow(dead_code)]
    Trouble(String),
}

impl Native {
    pub fn new(_: &Program) -> Result<Native, Unmade> {
        Err(Unmade::Rules)
    }

    pub fn machine(&self, _: Option<Box<Machine>>) -> Box<Machine> {
        match *self {}
    }

    pub fn list(&self, _: &Program, _: &mut Machine, _: &[u8]) -> Result<(), Left> {
        match *self {}
    }

    pub fn apply(&self, _: &Program, _: &mut Machine, _: &mut [u8], _: Choice) -> Result<(), Left> {
        match *self {}
    }

    pub fn playout(
        &self,
        _: &Program,
        _: &mut Machine,
        _: &mut [u8],
        _: &mut dyn FnMut(&mut [u64]),
        _: usize,
    ) -> Option<usize> {
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
