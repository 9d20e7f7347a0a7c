//! A win that nothing can prevent, looked for by iterative deepening where nothing is hidden.

use super::guess::World;
use super::play_on::play_on;
use crate::game::{Choice, Evaluator, Length, Position, Turn};

/// The most choices that are looked ahead, so that the search of an endless game ends.
const DEEPEST: usize = 40;

/// The most plies in a row with a single option that are followed.
const FOLLOWING: usize = 100;

/// The first option of a world, by its number, after which its seat wins whatever others choose and chance brings. It
/// is looked for one choice further ahead each time, until so many plies were made; single options do not count as
/// choices. `None` if none was found.
pub fn win<E: Evaluator>(evaluator: &E, world: &World, plies: usize) -> Option<usize> {
    let Ok(Turn::Seat(seat)) = evaluator.turn(&world.position) else { return None };
    let mut search = Search { evaluator, seat, left: plies, is_cut: false, spare: Vec::new() };
    for depth in 0..DEEPEST {
        search.is_cut = false;
        for (said, choices) in &world.first {
            let mut wins = !choices.is_empty();
            for choice in choices {
                wins = wins && search.wins_by_any(&world.position, false, &[*choice], depth)?;
            }
            if wins {
                return Some(*said);
            }
        }
        if !search.is_cut {
            break;
        }
    }
    None
}

struct Search<'e, E> {
    evaluator: &'e E,
    /// Who is to win.
    seat: u16,
    /// How many plies may still be made.
    left: usize,
    /// Whether a position was left undecided because it lies too far ahead.
    is_cut: bool,
    /// Positions and lists of options to be used again.
    spare: Vec<(Position, Vec<Choice>)>,
}

impl<E: Evaluator> Search<'_, E> {
    /// Whether the seat wins after a choice, within so many more of anybody, with a position and a list that may be
    /// written over. `None` if no plies are left, or at a fault of the rules.
    fn wins(
        &mut self,
        position: &mut Position,
        mut choice: Choice,
        options: &mut Vec<Choice>,
        depth: usize,
    ) -> Option<bool> {
        let model = self.evaluator.model();
        for _ in 0..=FOLLOWING {
            self.left = self.left.checked_sub(1)?;
            let turn = match depth {
                // What comes next need not be listed.
                0 => play_on(self.evaluator, position, (Some(&choice), 0), Length::of(0)).map(|()| None),
                _ => self.evaluator.advance_to(position, choice, options).map(Some),
            };
            let turn = turn.ok()?;
            if position.ending(model).is_some() {
                return Some(position.winners(model).checked_shr(u32::from(self.seat)).unwrap_or(0) & 1 == 1);
            }
            let Some(turn) = turn else {
                self.is_cut = true;
                return Some(false);
            };
            match options[..] {
                [] => return None,
                [only] => choice = only,
                _ => return self.wins_by_any(position, turn == Turn::Seat(self.seat), options, depth - 1),
            }
        }
        None
    }

    /// Whether the seat wins by one of some options, if they are its own; else by all.
    fn wins_by_any(&mut self, position: &Position, is_own: bool, options: &[Choice], depth: usize) -> Option<bool> {
        let (mut after, mut further) = self.spare.pop().unwrap_or_else(|| (position.clone(), Vec::new()));
        let mut decided = false;
        for choice in options {
            after.clone_from(position);
            decided = self.wins(&mut after, *choice, &mut further, depth)? == is_own;
            if decided {
                break;
            }
        }
        self.spare.push((after, further));
        Some(decided == is_own)
    }
}
