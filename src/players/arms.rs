//! The options of a node that are all known, side by side: their upper confidence bounds are computed in a row.

use std::num::NonZeroU32;

use super::bound::{KeptRoots, bound, rarity, root, value};
use super::judge::{Prospect, Scale, Tally};

/// Stands for the value of an option of which nothing is proved.
const UNPROVED: f64 = -1.0;

/// What was found out about the options of a node, for the seat that chooses among them. It stands among the
/// [`Numbers`] of a tree, in rows of a number for each option:
///
/// - the mean of the values of the playouts that went through them, or the value of what is proved of them; that is not
///   looked at where gains are counted;
/// - how rare these playouts are; 0 where something is proved;
/// - how often they could have been taken, less how many playouts came through the node: the bits of a whole number;
/// - the value of what is proved of them, else [`UNPROVED`];
/// - how many playouts went through them, with those that judging them counts for;
/// - the sums of a [`Tally`]: values, and where gains are counted their number and the gains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arms {
    /// The first of the numbers.
    first: u32,
    /// How many options there are.
    count: NonZeroU32,
}

/// The numbers of all arms of a tree.
pub(super) type Numbers = Vec<f64>;

/// What is known of an option when all of them are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    /// How many playouts went through it, with those that judging it counts for: at least one.
    pub visits: u32,
    /// How often it could have been taken, less how many playouts came through the node; the difference wraps around.
    pub available: u32,
    /// Who wins behind it, if that is proved.
    pub proved: Option<u32>,
    /// What was counted for the seat that chooses.
    pub tally: Tally,
}

/// The rows.
const MEANS: usize = 0;
const RARITIES: usize = 1;
const AVAILABLE: usize = 2;
const PROVED: usize = 3;
const VISITS: usize = 4;
const VALUES: usize = 5;
const GAINED: usize = 6;
const GAINS: usize = 7;

impl Arms {
    /// The arms of a node, for the seat that chooses. `weighs` says whether gains are counted. `None` if there are too
    /// many numbers, or no arms.
    pub fn new(
        arms: impl Iterator<Item = Arm> + Clone,
        seat: usize,
        weighs: bool,
        numbers: &mut Numbers,
    ) -> Option<Arms> {
        let first = u32::try_from(numbers.len()).ok()?;
        let count = u32::try_from(arms.clone().count()).ok().and_then(NonZeroU32::new)?;
        let made = Arms { first, count };
        numbers.resize(made.place(if weighs { GAINS + 1 } else { VALUES + 1 }, 0), 0.0);
        for (i, arm) in arms.enumerate() {
            let visits = f64::from(arm.visits);
            let [values, gained, gains] = arm.tally.sums();
            let mut set = |row: usize, number: f64| {
                if let Some(to) = numbers.get_mut(made.place(row, i)) {
                    *to = number;
                }
            };
            let proved = arm.proved.map(|winners| value(winners, seat));
            set(MEANS, proved.unwrap_or(values / visits));
            set(RARITIES, if proved.is_some() { 0.0 } else { rarity(arm.visits) });
            set(PROVED, proved.unwrap_or(UNPROVED));
            set(AVAILABLE, f64::from_bits(arm.available.into()));
            set(VISITS, visits);
            set(VALUES, values);
            if weighs {
                set(GAINED, gained);
                set(GAINS, gains);
            }
        }
        Some(made)
    }

    /// Where a number of an option stands, or of the first.
    fn place(self, row: usize, arm: usize) -> usize {
        self.first as usize + row * self.count.get() as usize + arm
    }

    fn row(self, numbers: &[f64], row: usize) -> &[f64] {
        numbers.get(self.place(row, 0)..self.place(row + 1, 0)).unwrap_or_default()
    }

    /// Changes a number of an option.
    fn change(self, numbers: &mut [f64], (row, arm): (usize, usize), f: impl FnOnce(f64) -> f64) -> f64 {
        let Some(number) = numbers.get_mut(self.place(row, arm)) else { return 0.0 };
        *number = f(*number);
        *number
    }

    /// Counts what a playout through one came to. `weighs` says whether gains are counted.
    #[inline]
    pub fn count(self, numbers: &mut [f64], arm: usize, prospect: Prospect, weighs: bool) {
        let visits = self.change(numbers, (VISITS, arm), |visits| visits + 1.0);
        let mut tally = Tally::default();
        tally.add(prospect, 1.0);
        let [values, gained, gains] = tally.sums();
        let values = self.change(numbers, (VALUES, arm), |sum| sum + values);
        if weighs {
            self.change(numbers, (GAINED, arm), |sum| sum + gained);
            self.change(numbers, (GAINS, arm), |sum| sum + gains);
        }
        if numbers.get(self.place(PROVED, arm)) == Some(&UNPROVED) {
            self.change(numbers, (MEANS, arm), |_| values / visits);
            self.change(numbers, (RARITIES, arm), |_| rarity(visits as u32));
        }
    }

    /// Notes who wins behind one, for the seat that chooses.
    pub fn prove(self, numbers: &mut [f64], arm: usize, winners: u32, seat: usize) {
        let value = value(winners, seat);
        for (row, number) in [(PROVED, value), (MEANS, value), (RARITIES, 0.0)] {
            self.change(numbers, (row, arm), |_| number);
        }
    }

    /// The one with the highest upper confidence bound; of several, the first. Where gains are counted they are on a
    /// scale. `passed` playouts have come through the node.
    pub fn highest(self, numbers: &[f64], scale: Option<Scale>, exploration: f64, passed: u32) -> usize {
        let row = |row| self.row(numbers, row).iter().copied();
        let Some(scale) = scale else {
            let highest = self.highest_by_pairs(numbers, exploration, passed);
            return highest.unwrap_or_else(|| self.highest_of(numbers, row(MEANS), exploration, passed));
        };
        let sums = row(VALUES).zip(row(GAINED).zip(row(GAINS)));
        let sums = sums.map(|(values, (gained, gains))| scale.sum([values, gained, gains]));
        let means = sums.zip(row(VISITS).zip(row(PROVED)));
        let means = means.map(|(sum, (visits, proved))| if proved >= 0.0 { proved } else { sum / visits });
        self.highest_of(numbers, means, exploration, passed)
    }

    /// The same by the means of the values; where something is proved, by its value.
    fn highest_of(self, numbers: &[f64], means: impl Iterator<Item = f64>, exploration: f64, passed: u32) -> usize {
        let (rarities, available) = (self.row(numbers, RARITIES), self.row(numbers, AVAILABLE));
        let mut best = (0, f64::NEG_INFINITY);
        for (i, (mean, (rarity, available))) in means.zip(rarities.iter().zip(available)).enumerate() {
            let bound = bound(mean, *rarity, root(available_in_all(*available, passed)), exploration);
            if bound > best.1 {
                best = (i, bound);
            }
        }
        best.0
    }

    /// The same by the means that are kept; `None` if a root is not. The options are compared in pairs, so that two
    /// bounds are computed at a time.
    fn highest_by_pairs(self, numbers: &[f64], exploration: f64, passed: u32) -> Option<usize> {
        let count = self.count.get() as usize;
        let rows = numbers.get(self.place(MEANS, 0)..self.place(AVAILABLE + 1, 0))?;
        let (means, rows) = rows.split_at(count);
        let (rarities, available) = rows.split_at(count);
        let roots = KeptRoots::new();
        let mut all = 0;
        let mut bound = |mean: f64, rarity: f64, available: f64| {
            let available = available_in_all(available, passed);
            all |= available;
            bound(mean, rarity, roots.of(available), exploration)
        };
        let (mut best, mut next) = ((0, f64::NEG_INFINITY), 0);
        let (means, last_mean) = means.as_chunks();
        let (rarities, last_rarity) = rarities.as_chunks();
        let (available, last_available) = available.as_chunks();
        for ([mean, mean_2], ([rarity, rarity_2], [available, available_2])) in
            means.iter().zip(rarities.iter().zip(available))
        {
            let (first, second) = (bound(*mean, *rarity, *available), bound(*mean_2, *rarity_2, *available_2));
            let higher = if second > first { (next + 1, second) } else { (next, first) };
            if higher.1 > best.1 {
                best = higher;
            }
            next += 2;
        }
        if let ([mean], [rarity], [available]) = (last_mean, last_rarity, last_available) {
            let last = bound(*mean, *rarity, *available);
            if last > best.1 {
                best = (next, last);
            }
        }
        roots.have(all).then_some(best.0)
    }
}

/// How often an option could have been taken, from what is kept of it.
fn available_in_all(kept: f64, passed: u32) -> u32 {
    (kept.to_bits() as u32).wrapping_add(passed)
}
