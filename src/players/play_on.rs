//! Playing on at random from a position.

use super::Dice;
use crate::game::{Choice, Evaluator, Fault, Length, Position, Turn};

/// The most plies of chance and of single options that are played on before a position is judged.
pub(super) const FOLLOWING: usize = 100;

/// Makes the first choice, if there is one, and plays on at random as far as `length` says, with dice of a seed: by
/// machine code where there is some, else ply by ply, to the same position.
///
/// # Errors
/// A fault of the rules.
pub(super) fn play_on<E: Evaluator>(
    evaluator: &E,
    position: &mut Position,
    (first, seed): (Option<&Choice>, u64),
    length: Length,
) -> Result<(), Fault> {
    // Who only makes a choice seldom needs dice.
    let mut dice = None;
    let mut draws = |words: &mut [u64]| {
        if !words.is_empty() {
            let dice = dice.get_or_insert_with(|| Dice::new(seed));
            words.iter_mut().for_each(|w| *w = dice.bits());
        }
    };
    if evaluator.playout(position, first, &mut draws, length).is_some() {
        return Ok(());
    }
    if let Some(choice) = first {
        evaluator.advance(position, *choice)?;
        return play_on(evaluator, position, (None, seed), length);
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

/// Makes a choice and plays on through chance and through decisions with a single option.
///
/// # Errors
/// A fault of the rules.
pub(super) fn settle<E: Evaluator>(
    evaluator: &E,
    position: &mut Position,
    choice: Choice,
    dice: &mut Dice,
) -> Result<(), Fault> {
    // Machine code draws more words than it uses, so that what is played has dice of its own.
    play_on(evaluator, position, (Some(&choice), dice.bits()), Length { plies: 0, following: FOLLOWING })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::derived;
    use crate::rules::Rules;

    #[test]
    fn machine_code_and_single_plies_come_to_the_same_position() {
        let lengths = [(0, FOLLOWING), (4, FOLLOWING), (3, 2), (7, 0), (0, 0)];
        let mut rested = 0;
        for game in ["backgammon", "leduc-holdem", "breakthrough", "confrontation", "riddle"] {
            let rules = Rules::open(game).unwrap();
            let (compiled, single) = (rules.evaluators(), rules.evaluators().explainer());
            compiled.compile();
            for seed in 0..24 {
                let mut position = rules.start().unwrap();
                play_on(compiled, &mut position, (None, seed), Length::of(seed as usize)).unwrap();
                let options = rules.options(&position).unwrap();
                let first = options.get(derived(seed, 9) as usize % options.len().max(1));
                for (plies, following) in lengths {
                    let (length, seed) = (Length { plies, following }, derived(seed, plies as u64));
                    let (mut by_code, mut by_plies) = (position.clone(), position.clone());
                    let first = first.filter(|_| plies != 3);
                    play_on(compiled, &mut by_code, (first, seed), length).unwrap();
                    play_on(single, &mut by_plies, (first, seed), length).unwrap();
                    assert_eq!(by_code, by_plies, "{game} {seed} {length:?}");
                    assert_eq!(compiled.options(&by_code), single.options(&by_plies), "{game} {seed} {length:?}");
                    rested += usize::from(following == FOLLOWING && rules.options(&by_code).unwrap().len() > 1);
                }
            }
        }
        assert!(rested > 150, "{rested}");
    }
}
