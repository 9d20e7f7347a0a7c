//! What positions come to for the seats: won, lost, or by how much they became worth more, as values from 0 to 1.

use super::Dice;
use crate::game::{Evaluator, Fault, Position, Turn};

/// The most plies of chance and of single options that are played on before a position is judged.
const FOLLOWING: usize = 100;

/// How far the value of a position that is judged by its worth stays from those of a loss and of a win.
const MARGIN: f64 = 0.05;

/// What a position comes to for a seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prospect {
    /// The seat won, or did not.
    Over(bool),
    /// Nobody won, or nothing says how the seat stands.
    Even,
    /// The game goes on, and the position is worth so much more to the seat than the one from which the search began.
    Gain(i32),
}

/// Judges positions, and knows the least and the greatest gain of each seat so far.
#[derive(Debug)]
pub struct Judge<'t, E> {
    evaluator: &'t E,
    gains: Vec<Option<(i32, i32)>>,
}

impl<'t, E: Evaluator> Judge<'t, E> {
    /// A judge that has seen no position.
    pub fn new(evaluator: &'t E) -> Judge<'t, E> {
        let seats = evaluator.model().kinds.first().map_or(0, |seats| seats.members.len());
        Judge { evaluator, gains: vec![None; seats] }
    }

    /// How many seats there are.
    pub fn seats(&self) -> usize {
        self.gains.len()
    }

    /// Whether the rules say what a position is worth.
    pub fn weighs(&self) -> bool {
        self.evaluator.model().worth.is_some()
    }

    /// What a position is worth to each seat: 0 where the rules do not say.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn worths(&self, position: &Position) -> Result<Vec<i32>, Fault> {
        (0..self.seats()).map(|seat| self.worth(position, seat)).collect()
    }

    fn worth(&self, position: &Position, seat: usize) -> Result<i32, Fault> {
        Ok(self.evaluator.worth(position, seat as u16)?.unwrap_or(0))
    }

    /// What a position comes to for each seat. Gains are counted from `before`, the worths of the position from which
    /// the search began: what differs between the worlds in which it begins is no gain.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn look(&mut self, position: &Position, before: &[i32], prospects: &mut Vec<Prospect>) -> Result<(), Fault> {
        let model = self.evaluator.model();
        prospects.clear();
        match position.ending(model).map(|_| position.winners(model)) {
            Some(winners) if winners != 0 => {
                let wins = |seat: usize| winners.checked_shr(seat as u32).unwrap_or(0) & 1 == 1;
                prospects.extend((0..self.seats()).map(|seat| Prospect::Over(wins(seat))));
            }
            None if self.weighs() => {
                for seat in 0..self.seats() {
                    let gain = self.worth(position, seat)?.saturating_sub(before.get(seat).copied().unwrap_or(0));
                    if let Some(seen) = self.gains.get_mut(seat) {
                        let (least, most) = seen.unwrap_or((gain, gain));
                        *seen = Some((least.min(gain), most.max(gain)));
                    }
                    prospects.push(Prospect::Gain(gain));
                }
            }
            _ => prospects.resize(self.seats(), Prospect::Even),
        }
        Ok(())
    }

    /// A prospect of a seat as a value: 1 for who wins, 0 for who does not, ½ in a draw, and between them by where a
    /// gain lies among those that the seat had so far. Who is far behind tells good from bad as finely as who is ahead.
    pub fn value(&self, seat: usize, prospect: Prospect) -> f64 {
        match (prospect, self.gains.get(seat)) {
            (Prospect::Over(won), _) => f64::from(u8::from(won)),
            (Prospect::Gain(gain), Some(Some((least, most)))) if most > least => {
                let span = f64::from(*most) - f64::from(*least);
                MARGIN + (1.0 - 2.0 * MARGIN) * (f64::from(gain) - f64::from(*least)) / span
            }
            _ => 0.5,
        }
    }
}

/// Plays on through chance and through decisions with a single option.
///
/// # Errors
/// A fault of the rules.
pub fn settle<E: Evaluator>(evaluator: &E, position: &mut Position, dice: &mut Dice) -> Result<(), Fault> {
    for _ in 0..FOLLOWING {
        let turn = evaluator.turn(position)?;
        let count = if turn == Turn::Over { 0 } else { evaluator.count(position)? };
        if turn != Turn::Chance && count != 1 {
            break;
        }
        let Some(choice) = evaluator.nth(position, dice.below(count))? else { break };
        evaluator.advance(position, choice)?;
    }
    Ok(())
}
