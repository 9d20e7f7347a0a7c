//! Choices made in the position that is held, and games played on from it at random.

use super::Native;
use super::scratch::Machine;
use crate::engine::fallback::Fallback;
use crate::engine::program::Program;
use crate::game::{Choice, Length, MAX_OPTIONS, MAX_WORK, Position};

/// How many random words are handed in, at least and at most, when those of a game did not suffice.
const FEW_WORDS: usize = 8;
const MORE_WORDS: usize = 32;

/// The number of words that games take is kept in sixteenths of a word. After a shorter game it falls by a 32nd of the
/// difference.
const PARTS: usize = 16;
const FALLS_BY: usize = 32;

impl Native {
    /// Makes a choice and plays on to the next decision point. If that is left to the explaining evaluator, the
    /// position is unchanged. With `back` the position before is kept at hand.
    pub fn apply(
        &self,
        program: &Program,
        m: &mut Machine,
        position: &mut Position,
        (choice, back): (Choice, bool),
    ) -> Result<(), Fallback> {
        let place = program.top(position.plain()).ok_or(Fallback::Position)?;
        self.hold(program, m, position)?;
        m.came_from = false;
        if back {
            m.work.copy_from_slice(&m.of);
            std::mem::swap(&mut m.of, &mut m.work);
        }
        self.make(program, m, (place, choice, back), position)?;
        (m.came_from, m.passing) = (back, !back);
        Ok(())
    }

    /// Makes a choice in the position held, which is this one; both change. If that is left to the explaining
    /// evaluator, they do not.
    fn make(
        &self,
        program: &Program,
        m: &mut Machine,
        (place, choice, back): ((usize, u16), Choice, bool),
        position: &mut Position,
    ) -> Result<(), Fallback> {
        m.context.resume = program.number(place);
        m.choose(choice);
        (m.context.failed, m.context.plays, m.context.chosen) = (0, 0, 1);
        (m.context.length, m.context.work) = (0, 0);
        m.listed = false;
        let ctx = &raw mut m.context;
        // SAFETY: the position is the one that is held: as large as the code was made for, with a sound stack. The
        // context is one of this code, and nobody else has it, or the position, meanwhile. It does not play, so it
        // reads no random words.
        let left = unsafe { (self.functions.run)(m.of.as_mut_ptr(), ctx) };
        m.held_true();
        program.note_work(m.context.work);
        let failure = if m.context.work > MAX_WORK {
            Some(Fallback::TooMuchWork)
        } else {
            (left != 0 || m.context.failed != 0).then_some(Fallback::Failure)
        };
        if let Some(failure) = failure {
            self.hold_anew(program, m, position);
            return Err(failure);
        }
        self.give(program, m, position, back)?;
        if m.context.length > 0
            && m.context.total <= MAX_OPTIONS as u64
            && let Some(place) = program.top(position.plain())
        {
            // What was written down on the way is of this position; what fails here fails again when it is asked.
            let _ = self.keep(program, m, place);
        }
        Ok(())
    }

    /// Holds the position that was held before code failed in the middle of changing it.
    fn hold_anew(&self, program: &Program, m: &mut Machine, position: &Position) {
        if let Some(to) = m.of.get_mut(..self.size) {
            position.copy_to(&program.layout, to);
        }
        self.value_index.set(&mut m.of);
        m.stamp = position.stamp();
    }

    /// Makes this position the one that is held: laid out, unless it is to be kept.
    fn give(&self, program: &Program, m: &mut Machine, position: &mut Position, keep: bool) -> Result<(), Fallback> {
        let stamp = m.new_stamp();
        m.stamp = Some(stamp);
        let bytes = m.of.get(..self.size).ok_or(Fallback::Position)?;
        if position.replace(&program.layout, bytes, (Some(stamp), keep)) { Ok(()) } else { Err(Fallback::Position) }
    }
}

impl Native {
    /// Makes the first choice, if there is one, and plays on at random to the end of the game, or as far as `length`
    /// says; returns the number of plies after the first choice. Random words come from `draws`. If the explaining
    /// evaluator would have to be asked, the position is unchanged.
    pub fn playout(
        &self,
        program: &Program,
        m: &mut Machine,
        position: &mut Position,
        draws: &mut dyn FnMut(&mut [u64]),
        (first, length): (Option<&Choice>, Length),
    ) -> Result<usize, Fallback> {
        if !position.is_of(&program.layout) {
            return Err(Fallback::Position);
        }
        if program.top(position.plain()).is_none() {
            return Ok(0);
        }
        (m.context.program, m.context.native) = (program, self);
        self.hold(program, m, position)?;
        (m.listed, m.came_from) = (false, false);
        // Who makes a choice and plays on does not go back; who only makes it may try others.
        let is_left = if first.is_some() { length.most() > 0 } else { m.passing };
        if is_left {
            let played = self.play(program, m, draws, (first, length));
            match played {
                Ok(0) if first.is_none() => {}
                Ok(_) => self.give(program, m, position, false)?,
                Err(_) => self.hold_anew(program, m, position),
            }
            return played;
        }
        // Other games may begin here.
        m.work.copy_from_slice(&m.of);
        std::mem::swap(&mut m.of, &mut m.work);
        let played = self.play(program, m, draws, (first, length));
        std::mem::swap(&mut m.of, &mut m.work);
        let last = m.work.get(..self.size).ok_or(Fallback::Position)?;
        if played.is_ok_and(|plies| plies > 0 || first.is_some()) {
            position.replace(&program.layout, last, (None, false));
        }
        played
    }

    /// Makes the first choice and plays on at random from the position held, which changes; returns the number of plies
    /// after that.
    fn play(
        &self,
        program: &Program,
        m: &mut Machine,
        draws: &mut dyn FnMut(&mut [u64]),
        (first, length): (Option<&Choice>, Length),
    ) -> Result<usize, Fallback> {
        // Words left over are of no use to the next game, but to ask for more costs as much as some words: at first as
        // many as the longest of the last games took.
        let expected = m.words.div_ceil(PARTS);
        let mut wanted = match length.most() {
            0 => 0,
            _ => expected.clamp(FEW_WORDS, m.drawn.len().max(FEW_WORDS)),
        };
        let mut taken = 0;
        m.context.plays = 1;
        m.context.chosen = first.is_some().into();
        if let Some(first) = first {
            m.choose(*first);
        }
        m.context.plies = 0;
        (m.context.decisions, m.context.most) = (length.plies as u64, length.most() as u64);
        while let Some(place) = program.top(&m.of)
            && (m.context.chosen != 0 || m.context.plies < m.context.most)
        {
            let words = m.drawn.get_mut(..wanted).ok_or(Fallback::Failure)?;
            draws(words);
            let range = words.as_ptr_range();
            (m.context.next, m.context.end) = (range.start, range.end);
            m.context.resume = program.number(place);
            (m.context.failed, m.context.work) = (0, 0);
            let ctx = &raw mut m.context;
            // SAFETY: the position is the one that is held, or what the code made of it: as large as the code was made
            // for, with a sound stack. The context is one of this code, and nobody else has it, or the
            // position, meanwhile. The words outlive the call.
            let left = unsafe { (self.functions.run)(m.of.as_mut_ptr(), ctx) };
            m.held_true();
            if left != 0 || m.context.failed != 0 {
                return Err(Fallback::Failure);
            }
            m.context.chosen = 0;
            // Words are left, so it rests at a decision after enough plies.
            if m.context.plies >= m.context.decisions && m.context.next < m.context.end {
                break;
            }
            let used = (m.context.next.addr() - range.start.addr()) / size_of::<u64>();
            taken += used;
            let more = if used == 0 { 2 * wanted } else { expected / 2 };
            wanted = more.clamp(FEW_WORDS, MORE_WORDS).min(m.drawn.len());
        }
        let taken = PARTS * taken;
        m.words = taken.max(m.words - m.words.saturating_sub(taken) / FALLS_BY);
        Ok(m.context.plies as usize)
    }
}
