//! The options of a node that are all known, side by side: their upper confidence bounds are computed in a row.

use super::bound::{Logarithms, bound, value};
use super::judge::{Prospect, Scale, Tally};

/// Stands for the value of an option of which nothing is proved.
const UNPROVED: f64 = -1.0;

/// What was found out about the options of a node, for the seat that chooses among them. One list has it all, in rows
/// of a number for each option:
///
/// - how many playouts went through them, with those that judging them counts for;
/// - the value of what is proved of them, else [`UNPROVED`];
/// - how often they could have been taken before all of them were known;
/// - the sums of a [`Tally`]: values, and where gains are counted their number and the gains.
#[derive(Debug)]
pub(super) struct Arms {
    numbers: Box<[f64]>,
    /// How many options there are.
    count: usize,
}

/// What is known of an option when all of them are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    /// How many playouts went through it, with those that judging it counts for.
    pub visits: u32,
    /// How often it could have been taken.
    pub available: u32,
    /// Who wins behind it, if that is proved.
    pub proved: Option<u32>,
    /// What was counted for the seat that chooses.
    pub tally: Tally,
}

/// The rows.
const VISITS: usize = 0;
const PROVED: usize = 1;
const AVAILABLE: usize = 2;
const VALUES: usize = 3;
const GAINED: usize = 4;
const GAINS: usize = 5;

impl Arms {
    /// Of these options of a seat; `weighs` if gains are counted.
    pub fn new(arms: &[Arm], seat: usize, weighs: bool) -> Arms {
        let rows = if weighs { GAINS + 1 } else { VALUES + 1 };
        let mut numbers = Vec::with_capacity(rows * arms.len());
        numbers.extend(arms.iter().map(|arm| f64::from(arm.visits)));
        numbers.extend(arms.iter().map(|arm| arm.proved.map_or(UNPROVED, |winners| value(winners, seat))));
        numbers.extend(arms.iter().map(|arm| f64::from(arm.available)));
        for row in VALUES..rows {
            numbers.extend(arms.iter().filter_map(|arm| arm.tally.sums().get(row - VALUES).copied()));
        }
        Arms { numbers: numbers.into_boxed_slice(), count: arms.len() }
    }

    fn row(&self, row: usize) -> &[f64] {
        self.numbers.get(row * self.count..(row + 1) * self.count).unwrap_or_default()
    }

    fn number(&mut self, row: usize, arm: usize) -> Option<&mut f64> {
        self.numbers.get_mut(row * self.count + arm)
    }

    /// Counts what a playout through one came to.
    pub fn count(&mut self, arm: usize, prospect: Prospect) {
        let mut tally = Tally::default();
        tally.add(prospect, 1.0);
        for (row, more) in std::iter::once((VISITS, 1.0)).chain((VALUES..).zip(tally.sums())) {
            if let Some(sum) = self.number(row, arm) {
                *sum += more;
            }
        }
    }

    /// Notes who wins behind one, for the seat that chooses.
    pub fn prove(&mut self, arm: usize, winners: u32, seat: usize) {
        if let Some(proved) = self.number(PROVED, arm) {
            *proved = value(winners, seat);
        }
    }

    /// The one with the highest upper confidence bound; of several, the first. `passed` playouts have come through the
    /// node since all were known. `bounds` is a list to compute in.
    pub fn highest(&self, (scale, exploration): (Scale, f64), passed: u32, bounds: &mut Vec<f64>) -> usize {
        // Each step for all arms in turn, so that several are computed at a time.
        bounds.clear();
        bounds.extend_from_slice(self.row(VALUES));
        let gains = self.row(GAINED).iter().zip(self.row(GAINS));
        bounds.iter_mut().zip(gains).for_each(|(sum, (gained, gains))| *sum = scale.sum([*sum, *gained, *gains]));
        let logarithms = Logarithms::new();
        bounds.extend(self.row(AVAILABLE).iter().map(|available| logarithms.of(*available as u32 + passed)));
        let (bounds, logs) = bounds.split_at_mut_checked(self.count).unwrap_or_default();
        for ((sum, log), visits) in bounds.iter_mut().zip(logs).zip(self.row(VISITS)) {
            *sum = bound(*sum, *visits, *log, exploration);
        }
        let mut best = (0, f64::NEG_INFINITY);
        for (i, (bound, proved)) in bounds.iter().zip(self.row(PROVED)).enumerate() {
            let value = if *proved >= 0.0 { *proved } else { *bound };
            // An option that was never visited has no mean: its bound is NaN. It comes first.
            let value = if value.is_nan() { f64::INFINITY } else { value };
            if value > best.1 {
                best = (i, value);
            }
        }
        best.0
    }
}
