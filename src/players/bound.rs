//! Upper confidence bounds of values, and what proofs put in their place.

use std::sync::LazyLock;

/// How many logarithms are kept.
const MAX_LOGARITHMS: usize = 1 << 14;

/// The upper confidence bound of a value: the mean of some visits, and an allowance for how few they are. With 0
/// visits it is NaN.
pub(super) fn bound(sum: f64, visits: f64, log: f64, exploration: f64) -> f64 {
    sum / visits + exploration * (log / visits).sqrt()
}

/// The value to a seat of what is proved.
pub(super) fn value(winners: u32, seat: usize) -> f64 {
    match Proof::of(winners, seat) {
        Proof::Lost => 0.0,
        Proof::Drawn => 0.5,
        Proof::Won => f64::INFINITY,
    }
}

/// What is proved of a node to a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    Lost,
    Drawn,
    Won,
}

impl Proof {
    /// What it is to a seat that some win.
    pub fn of(winners: u32, seat: usize) -> Proof {
        match winners {
            0 => Proof::Drawn,
            _ if winners.checked_shr(seat as u32).unwrap_or(0) & 1 == 1 => Proof::Won,
            _ => Proof::Lost,
        }
    }
}

/// Natural logarithms of the first numbers.
static LOGARITHMS: LazyLock<Box<[f64]>> = LazyLock::new(|| (0..MAX_LOGARITHMS).map(computed).collect());

fn computed(number: usize) -> f64 {
    (number.max(1) as f64).ln()
}

/// The natural logarithms of numbers, at least of 1.
#[derive(Clone, Copy)]
pub(super) struct Logarithms(&'static [f64]);

impl Logarithms {
    pub fn new() -> Logarithms {
        Logarithms(&LOGARITHMS)
    }

    #[inline]
    pub fn of(self, number: u32) -> f64 {
        self.0.get(number as usize).copied().unwrap_or_else(|| computed(number as usize))
    }
}
