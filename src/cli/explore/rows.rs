//! What came of the games under each settings, figure by figure.

use lawspeaker::simulate::Tally;
use lawspeaker::stats::{Confidence, Estimate};

use super::{Even, Explored, points_of};
use crate::cli::session::Session;

/// What came of the games under one set of settings.
pub struct Cell {
    /// The values of the options and readings of the grid that vary.
    pub values: Vec<String>,
    /// The rules under these settings.
    pub session: Session,
    /// What came of the games.
    pub tally: Tally,
}

impl Cell {
    /// The share of the games that a seat won; `None` if there is no such seat.
    pub fn share(&self, name: &str, confidence: Confidence) -> Option<Estimate> {
        let winners = &self.tally.winners;
        self.seat(name).map(|seat| confidence.share(winners.of(seat), winners.over))
    }

    fn seat(&self, name: &str) -> Option<usize> {
        self.seats().iter().position(|seat| seat == name)
    }

    /// What its seats are called.
    pub fn seats(&self) -> Vec<String> {
        (0..self.session.rules.seats()).map(|seat| self.session.seat_name(Some(seat as u16))).collect()
    }

    /// The mean length of the games, in plies.
    pub fn length(&self, confidence: Confidence) -> Estimate {
        confidence.mean(&self.tally.lengths.moments())
    }

    /// The points of the seat that a search for an even value is about.
    pub fn points(&self, even: &Even) -> Estimate {
        points_of(&self.tally, even.seat.0, self.session.rules.seats(), even.confidence)
    }
}

impl Explored {
    /// The seats of all settings, each once.
    pub fn seats(&self) -> Vec<String> {
        let mut seats: Vec<String> = Vec::new();
        for seat in self.cells.iter().flat_map(Cell::seats) {
            if !seats.contains(&seat) {
                seats.push(seat);
            }
        }
        seats
    }

    /// The figures that intervals are made for.
    pub fn figures(&self) -> usize {
        self.cells.iter().map(|cell| cell.session.rules.seats() + 1).sum()
    }

    /// Whether a seat's share differs surely from that under the first settings, for all such differences together.
    pub fn differs(&self, cell: &Cell, seat: &str) -> bool {
        let compared: usize = self.cells.iter().skip(1).map(|cell| cell.session.rules.seats()).sum();
        let confidence = match &self.precision {
            Some(precision) => Confidence::USUAL.for_all(compared * precision.numbers().len()),
            None => Confidence::USUAL.for_all(compared),
        };
        let won = |cell: &Cell| Some((cell.tally.winners.of(cell.seat(seat)?), cell.tally.winners.over));
        let both = self.cells.first().and_then(won).zip(won(cell));
        both.is_some_and(|(was, now)| confidence.difference(was, now).leaves_out(0.0))
    }
}
