//! What positions come to for the seats: won, lost, or by how much they became worth more, as values from 0 to 1.

use crate::game::{Evaluator, Fault, Position};

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
    /// Whether the rules say what a position is worth.
    weighs: bool,
    gains: Vec<Option<(i32, i32)>>,
}

impl<'t, E: Evaluator> Judge<'t, E> {
    /// A judge that has seen no position.
    pub fn new(evaluator: &'t E) -> Judge<'t, E> {
        let seats = evaluator.model().kinds.first().map_or(0, |seats| seats.members.len());
        Judge { evaluator, weighs: evaluator.model().worth.is_some(), gains: vec![None; seats] }
    }

    /// How many seats there are.
    pub fn seats(&self) -> usize {
        self.gains.len()
    }

    /// Whether the rules say what a position is worth.
    pub fn weighs(&self) -> bool {
        self.weighs
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

    /// What a position comes to for a seat. Its gain is counted from `before`, what the position was worth to it from
    /// which the search began: what differs between the worlds in which it begins is no gain.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn look(&mut self, position: &Position, seat: usize, before: i32) -> Result<Prospect, Fault> {
        self.weigh(position, self.ended(position), seat, before)
    }

    /// Who won, as in [`Position::winners`], if the game is over.
    pub fn ended(&self, position: &Position) -> Option<u32> {
        let model = self.evaluator.model();
        position.ending(model).map(|_| position.winners(model))
    }

    /// The same as [`Judge::look`], of a game of which it is known who won, if it is over; then the position is not
    /// looked at.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn weigh(
        &mut self,
        position: &Position,
        ended: Option<u32>,
        seat: usize,
        before: i32,
    ) -> Result<Prospect, Fault> {
        match ended {
            Some(winners) if winners != 0 => Ok(Prospect::Over(winners.checked_shr(seat as u32).unwrap_or(0) & 1 == 1)),
            None if self.weighs() => {
                let gain = self.worth(position, seat)?.saturating_sub(before);
                if let Some(seen) = self.gains.get_mut(seat) {
                    let (least, most) = seen.unwrap_or((gain, gain));
                    *seen = Some((least.min(gain), most.max(gain)));
                }
                Ok(Prospect::Gain(gain))
            }
            _ => Ok(Prospect::Even),
        }
    }

    /// How the gains of a seat become values: between those of a loss and of a win, by where a gain lies among those
    /// that the seat had so far. Who is far behind tells good from bad as finely as who is ahead.
    pub fn scale(&self, seat: usize) -> Scale {
        match self.gains.get(seat) {
            Some(Some((least, most))) if most > least => {
                let factor = (1.0 - 2.0 * MARGIN) / (f64::from(*most) - f64::from(*least));
                Scale { origin: MARGIN - factor * f64::from(*least), factor }
            }
            _ => Scale { origin: 0.5, factor: 0.0 },
        }
    }
}

/// How gains become values from 0 to 1: `origin + factor * gain`.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    origin: f64,
    factor: f64,
}

impl Scale {
    /// The sum of what a [`Tally`] has added up.
    pub fn sum(self, [values, gained, gains]: [f64; 3]) -> f64 {
        values + gained * self.origin + gains * self.factor
    }
}

/// What some playouts came to for a seat, added up. Gains are kept as such, since the least and the greatest of them
/// are not known before the end: a value made of them early would mean something else than one made late.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// The values of those that came to an end: 1 for a win, ½ for a draw.
    values: f64,
    /// How many were broken off.
    gained: f64,
    gains: f64,
}

impl Tally {
    /// Adds a prospect as so many playouts.
    pub fn add(&mut self, prospect: Prospect, weight: f64) {
        match prospect {
            Prospect::Gain(gain) => {
                self.gained += weight;
                self.gains += weight * f64::from(gain);
            }
            Prospect::Over(won) => self.values += if won { weight } else { 0.0 },
            Prospect::Even => self.values += 0.5 * weight,
        }
    }

    /// The sum of the values on a scale.
    pub fn sum(&self, scale: Scale) -> f64 {
        scale.sum(self.sums())
    }

    /// The values, the number of gains, and the gains, each added up.
    pub fn sums(&self) -> [f64; 3] {
        [self.values, self.gained, self.gains]
    }
}

/// How much differs what playouts came to for a seat.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    all: Tally,
    count: f64,
    value_squares: f64,
    gain_squares: f64,
}

impl Spread {
    /// Adds a prospect as so many playouts.
    pub fn add(&mut self, prospect: Prospect, weight: f64) {
        self.all.add(prospect, weight);
        self.count += weight;
        match prospect {
            Prospect::Gain(gain) => self.gain_squares += weight * f64::from(gain).powi(2),
            Prospect::Over(won) => self.value_squares += if won { weight } else { 0.0 },
            Prospect::Even => self.value_squares += 0.25 * weight,
        }
    }

    /// The standard deviation of the values on a scale; at most ½.
    pub fn deviation(&self, scale: Scale) -> f64 {
        let Scale { origin, factor } = scale;
        let Tally { gained, gains, .. } = self.all;
        let of_gains = gained * origin * origin + 2.0 * origin * factor * gains + factor * factor * self.gain_squares;
        let count = self.count.max(1.0);
        let mean = self.all.sum(scale) / count;
        ((self.value_squares + of_gains) / count - mean * mean).max(0.0).sqrt()
    }
}
