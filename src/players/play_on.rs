//! Playing on at random from a position.

use super::Dice;
use crate::game::{Evaluator, Fault, Length, Position, Turn};

/// The most plies of chance and of single options that are played on before a position is judged.
pub(super) const FOLLOWING: usize = 100;

/// Plays on at random so far, with dice of a seed: by machine code where there is some, else ply by ply.
///
/// # Errors
/// A fault of the rules.
pub(super) fn play_on<E: Evaluator>(
    evaluator: &E,
    position: &mut Position,
    seed: u64,
    length: Length,
) -> Result<(), Fault> {
    let mut dice = Dice::new(seed);
    let mut draws = |words: &mut [u64]| words.iter_mut().for_each(|w| *w = dice.bits());
    if evaluator.playout(position, &mut draws, length).is_some() {
        return Ok(());
    }
    let mut dice = Dice::new(seed);
    for played in 0..length.most() {
        let turn = evaluator.turn(position)?;
        if turn == Turn::Over {
            break;
        }
        let count = evaluator.count(position)?;
        if !length.goes_on(played, turn != Turn::Chance && count != 1) {
            break;
        }
        let Some(choice) = evaluator.nth(position, dice.below(count))? else { break };
        evaluator.advance(position, choice)?;
    }
    Ok(())
}

/// Plays on through chance and through decisions with a single option.
///
/// # Errors
/// A fault of the rules.
pub(super) fn settle<E: Evaluator>(evaluator: &E, position: &mut Position, dice: &mut Dice) -> Result<(), Fault> {
    // Machine code draws more words than it uses, so that what is played has dice of its own.
    play_on(evaluator, position, dice.bits(), Length { plies: 0, following: FOLLOWING })
}
