//! Choices carried out, and games played on by chance.

use super::fallback::Fallback;
use super::run::Run;
use super::{Engine, with_machine, with_scratch};
use crate::game::{Choice, Length, Position, Turn, without_copies};

/// What became of a choice that was to be made and looked beyond.
pub enum Onward {
    /// It is made; whose turn it is then, and the options are written down.
    Listed(Turn),
    /// It is made, and no more.
    Made,
}

impl Engine {
    /// Makes the first choice, if there is one, and plays on by chance to the end of the game, or as far as `length`
    /// says; returns how many plies were played after the first choice.
    ///
    /// # Errors
    /// It is left to another evaluator; the position is as before.
    pub fn playout(
        &self,
        position: &mut Position,
        draws: &mut dyn FnMut(&mut [u64]),
        length: (Option<&Choice>, Length),
    ) -> Result<usize, Fallback> {
        self.counts_all()?;
        let (program, native) = self.native().ok_or(Fallback::NoMachineCode)?;
        with_machine(native, |m| native.playout(program, m, position, draws, length))
    }

    /// Makes a choice and plays on to the next decision point.
    ///
    /// # Errors
    /// It is left to the explaining evaluator; the position is as before.
    pub fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), Fallback> {
        self.make(position, (choice, true))
    }

    /// As [`Engine::apply`], for callers that will not ask about the position before again.
    ///
    /// # Errors
    /// It is left to the explaining evaluator; the position is as before.
    pub fn advance(&self, position: &mut Position, choice: Choice) -> Result<(), Fallback> {
        self.make(position, (choice, false))
    }

    /// Makes a choice as [`Engine::advance`] does; the options or outcomes after it are written into a list whose old
    /// contents are discarded, if machine code can list them.
    ///
    /// # Errors
    /// It is left to the explaining evaluator; the position is as before.
    pub fn advance_to(
        &self,
        position: &mut Position,
        choice: Choice,
        out: &mut Vec<Choice>,
    ) -> Result<Onward, Fallback> {
        let Some((program, native)) = self.native() else {
            return self.advance(position, choice).map(|()| Onward::Made);
        };
        out.clear();
        let done = with_machine(native, |m| {
            native.apply(program, m, position, (choice, false))?;
            if position.ending(&self.model).is_some() {
                return Ok(Onward::Listed(Turn::Over));
            }
            Ok(match native.list(program, m, position) {
                Ok(()) => {
                    m.options(out);
                    Onward::Listed(m.seat().map_or(Turn::Chance, Turn::Seat))
                }
                Err(_) => Onward::Made,
            })
        });
        match done {
            Ok(Onward::Listed(_)) => without_copies(&self.model, position, out),
            // The trees may carry out what machine code gives up.
            Err(Fallback::Failure) => return self.advance(position, choice).map(|()| Onward::Made),
            _ => {}
        }
        done
    }

    /// Makes a choice by machine code if there is some, else by the trees; whether its caller goes back.
    fn make(&self, position: &mut Position, (choice, back): (Choice, bool)) -> Result<(), Fallback> {
        const SMALL: usize = 1024;
        let program = self.program()?;
        match self.native() {
            Some((program, native)) => {
                let done = with_machine(native, |m| native.apply(program, m, position, (choice, back)));
                // The trees may carry out what machine code gives up.
                if !matches!(done, Err(Fallback::Failure)) {
                    return done;
                }
            }
            None => self.count_played(),
        }
        let mut small = [0u8; SMALL];
        let mut large = Vec::new();
        let size = self.model.layout.size as usize;
        let bytes = match small.get_mut(..size) {
            Some(small) => small,
            None => {
                large.resize(size, 0);
                large.as_mut_slice()
            }
        };
        let layout = &self.model.layout;
        if !position.copy_to(layout, bytes) {
            return Err(Fallback::Position);
        }
        with_scratch(program, |scratch| Run::new(program, scratch, &mut *bytes).apply(choice))?;
        position.replace(layout, bytes, (None, back));
        Ok(())
    }
}
