//! A win that nothing can prevent, looked for by iterative deepening where nothing is hidden.

use super::guess::World;
use crate::game::{Choice, Evaluator, Position, Turn};

/// The most choices ahead: a game that goes on and on is not followed further.
const DEEPEST: usize = 40;

/// The most plies in a row without a choice that are followed.
const FOLLOWING: usize = 100;

/// The first option of a world, by its number, after which its seat wins whatever others choose and chance brings. It
/// is looked for one choice further ahead each time, until so many plies were made. `None` if none was found.
pub fn win<E: Evaluator>(evaluator: &E, world: &World, plies: usize) -> Option<usize> {
    let Ok(Turn::Seat(seat)) = evaluator.turn(&world.position) else { return None };
    let mut search = Search { evaluator, seat, left: plies, is_cut: false };
    for depth in 0..DEEPEST {
        search.is_cut = false;
        for (said, choices) in &world.first {
            let mut wins = !choices.is_empty();
            for choice in choices {
                wins = wins && search.wins_by(&world.position, *choice, depth)?;
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
}

impl<E: Evaluator> Search<'_, E> {
    /// Whether the seat wins after a choice, within so many more of anybody. `None` if no plies are left, or at a fault
    /// of the rules.
    fn wins_by(&mut self, position: &Position, choice: Choice, depth: usize) -> Option<bool> {
        let mut after = position.clone();
        self.advance(&mut after, choice)?;
        self.wins(after, depth)
    }

    fn wins(&mut self, mut position: Position, depth: usize) -> Option<bool> {
        let turn = self.follow(&mut position)?;
        match turn {
            Turn::Over => {
                let winners = position.winners(self.evaluator.model());
                return Some(winners.checked_shr(u32::from(self.seat)).unwrap_or(0) & 1 == 1);
            }
            _ if depth == 0 => {
                self.is_cut = true;
                return Some(false);
            }
            Turn::Seat(_) | Turn::Chance => {}
        }
        let is_own = turn == Turn::Seat(self.seat);
        let options = self.evaluator.options(&position).ok().filter(|options| !options.is_empty())?;
        for choice in options {
            if self.wins_by(&position, choice, depth - 1)? == is_own {
                return Some(is_own);
            }
        }
        Some(!is_own)
    }

    /// Goes on where there is a single option; then whose turn it is.
    fn follow(&mut self, position: &mut Position) -> Option<Turn> {
        for _ in 0..FOLLOWING {
            let turn = self.evaluator.turn(position).ok()?;
            if turn == Turn::Over || self.evaluator.count(position).ok()? != 1 {
                return Some(turn);
            }
            let choice = self.evaluator.nth(position, 0).ok()??;
            self.advance(position, choice)?;
        }
        None
    }

    fn advance(&mut self, position: &mut Position, choice: Choice) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        self.evaluator.advance(position, choice).ok()
    }
}
