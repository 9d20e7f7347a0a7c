//! Confidence intervals: all that the program gives are made here.
//!
//! Shares have Wilson's interval, differences of two shares Newcombe's, means that of the normal approximation. Several
//! intervals that are to hold together are widened by Bonferroni's inequality.

use statrs::distribution::{ContinuousCDF, Normal};

/// What is estimated, with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Half the width of the interval.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether the interval leaves out a value.
    #[must_use]
    pub fn leaves_out(&self, value: f64) -> bool {
        self.low > value || self.high < value
    }
}

impl From<Estimate> for (f64, f64, f64) {
    fn from(estimate: Estimate) -> (f64, f64, f64) {
        (estimate.value, estimate.low, estimate.high)
    }
}

/// How sure intervals are: the probability that they hold what they estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// The probability that an interval misses, from 0 to 1.
    alpha: f64,
    /// Half the width of an interval in standard deviations.
    z: f64,
}

impl Confidence {
    /// 95 % for one interval.
    pub const USUAL: Confidence = Confidence { alpha: 0.05, z: 1.959_963_984_540_054 };

    /// So sure that `n` such intervals hold together with the probability that one holds now (Bonferroni).
    #[must_use]
    pub fn for_all(self, n: usize) -> Confidence {
        let alpha = self.alpha / n.max(1) as f64;
        match n {
            0 | 1 => self,
            _ => Confidence { alpha, z: -Normal::standard().inverse_cdf(alpha / 2.0) },
        }
    }

    /// Half the width of an interval in standard deviations.
    #[must_use]
    pub fn z(self) -> f64 {
        self.z
    }

    /// A share, given the number of hits and tries (E. B. Wilson, "Probable inference, the law of succession, and
    /// statistical inference", *Journal of the American Statistical Association* 22, 1927).
    #[must_use]
    pub fn share(self, hits: usize, of: usize) -> Estimate {
        self.points(hits as f64, of as f64)
    }

    /// A mean of points between 0 and 1, given their sum and number. The interval is Wilson's. It is too wide rather
    /// than too narrow, since no points vary more than hits and misses with the same mean.
    #[must_use]
    pub fn points(self, points: f64, of: f64) -> Estimate {
        let (n, z) = (of.max(1.0), self.z);
        let p = points / n;
        let middle = p + z * z / (2.0 * n);
        let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        let (low, high) = (((middle - spread) / scale).max(0.0), ((middle + spread) / scale).min(1.0));
        Estimate { value: p, low, high }
    }

    /// The second share less the first, each given as hits and tries (R. G. Newcombe, "Interval estimation for the
    /// difference between independent proportions", *Statistics in Medicine* 17, 1998, method 10).
    #[must_use]
    pub fn difference(self, was: (usize, usize), now: (usize, usize)) -> Estimate {
        let (p, q) = (self.share(was.0, was.1), self.share(now.0, now.1));
        let root = |a: f64, b: f64| (a * a + b * b).sqrt();
        let value = q.value - p.value;
        let low = value - root(q.value - q.low, p.high - p.value);
        Estimate { value, low, high: value + root(q.high - q.value, p.value - p.low) }
    }

    /// The second share less the first, of tries that come in pairs (R. G. Newcombe, "Improved confidence intervals
    /// for the difference between binomial proportions based on paired data", *Statistics in Medicine* 17, 1998,
    /// method 10).
    #[must_use]
    pub fn paired_difference(self, pairs: &Pairs) -> Estimate {
        let [both, first, second, neither] =
            [pairs.both, pairs.first, pairs.second, pairs.neither].map(|pairs| pairs as f64);
        let of = pairs.both + pairs.first + pairs.second + pairs.neither;
        let (p, q) = (self.share(pairs.both + pairs.first, of), self.share(pairs.both + pairs.second, of));
        // How much the two shares go together, nearer to 0 by a correction for continuity.
        let product = (both + first) * (second + neither) * (both + second) * (first + neither);
        let excess = both * neither - first * second;
        let excess = if excess > 0.0 { (excess - of as f64 / 2.0).max(0.0) } else { excess };
        let phi = if product > 0.0 { excess / product.sqrt() } else { 0.0 };
        let root = |a: f64, b: f64| (a * a - 2.0 * phi * a * b + b * b).max(0.0).sqrt();
        let value = q.value - p.value;
        let low = value - root(q.value - q.low, p.high - p.value);
        Estimate { value, low, high: value + root(q.high - q.value, p.value - p.low) }
    }

    /// A mean.
    #[must_use]
    pub fn mean(self, of: &Moments) -> Estimate {
        let spread = self.z * of.error().sqrt();
        Estimate { value: of.mean(), low: of.mean() - spread, high: of.mean() + spread }
    }

    /// The number of tries at which a share of 0 has an interval of this half width.
    fn least_tries(self, half_width: f64) -> u64 {
        let z2 = self.z * self.z;
        (z2 / (2.0 * half_width) - z2).max(1.0).ceil() as u64
    }

    /// The number of tries at which any share has an interval of this half width, or a smaller one.
    fn most_tries(self, half_width: f64) -> u64 {
        let z2 = self.z * self.z;
        (z2 / (4.0 * half_width * half_width) - z2).max(1.0).ceil() as u64
    }
}

/// How often something came about in pairs of tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// In both tries of a pair.
    pub both: usize,
    /// In the first only.
    pub first: usize,
    /// In the second only.
    pub second: usize,
    /// In neither.
    pub neither: usize,
}

impl Pairs {
    /// Counts so many pairs in which it came about so.
    pub fn add(&mut self, came: [bool; 2], pairs: usize) {
        match came {
            [true, true] => self.both += pairs,
            [true, false] => self.first += pairs,
            [false, true] => self.second += pairs,
            [false, false] => self.neither += pairs,
        }
    }

    /// How often it came about in the first tries, and in the second.
    #[must_use]
    pub fn each(&self) -> [usize; 2] {
        [self.both + self.first, self.both + self.second]
    }
}

/// Number, mean and variance of values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    n: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    /// Of values, each with how often it came.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = (f64, usize)>) -> Moments {
        let mut moments = Moments::default();
        for (value, count) in values {
            let count = count as f64;
            moments.n += count;
            moments.sum += value * count;
            moments.squares += value * value * count;
        }
        moments
    }

    /// Counts a value.
    pub fn add(&mut self, value: f64) {
        self.n += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    /// The mean; 0 without values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum / self.n.max(1.0)
    }

    /// The variance, estimated without bias.
    #[must_use]
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        ((self.squares - self.n * mean * mean) / (self.n - 1.0).max(1.0)).max(0.0)
    }

    /// The variance of the mean.
    fn error(&self) -> f64 {
        self.variance() / self.n.max(1.0)
    }
}

/// When games are enough: at numbers of games that are fixed before the first is played, the intervals are looked at,
/// and play ends as soon as all shares have the half width that is wanted.
///
/// Who looks several times and stops when it suits stops too often where chance made an interval narrow or moved it.
/// So each look has an equal part of the probability to miss: the intervals hold at all looks together. The number of
/// games doubles from look to look. At the first look a share of 0 can have the half width; at the last one any share
/// has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    half_width: f64,
    looks: Vec<u64>,
    confidence: Confidence,
}

impl Precision {
    /// For a half width (0.005 is half a percentage point), intervals that hold so surely at all looks together, and
    /// at most so many games.
    #[must_use]
    pub fn new(half_width: f64, together: Confidence, most: u64) -> Precision {
        let mut looks = Precision::looks(half_width, together, most);
        loop {
            let confidence = together.for_all(looks.len());
            let next = Precision::looks(half_width, confidence, most);
            // More looks make wider intervals, which may need more looks, but never fewer.
            if next.len() <= looks.len() {
                return Precision { half_width, looks: next, confidence };
            }
            looks = next;
        }
    }

    fn looks(half_width: f64, confidence: Confidence, most: u64) -> Vec<u64> {
        let last = confidence.most_tries(half_width).min(most);
        let first = confidence.least_tries(half_width).max(2);
        let doubled = std::iter::successors(Some(first), |n| n.checked_mul(2));
        doubled.take_while(|n| *n < last).chain(std::iter::once(last)).collect()
    }

    /// The numbers of games at which the intervals are looked at, in order.
    #[must_use]
    pub fn numbers(&self) -> &[u64] {
        &self.looks
    }

    /// How sure the intervals are at each look.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        self.confidence
    }

    /// The half width that is wanted.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        self.half_width
    }

    /// Whether an interval is narrow enough.
    #[must_use]
    pub fn suffices(&self, estimate: &Estimate) -> bool {
        // What is computed twice may differ in the last digits.
        estimate.half_width() <= self.half_width * (1.0 + 1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Dice;

    fn near(a: f64, b: f64, by: f64) {
        assert!((a - b).abs() < by, "{a} is not {b}");
    }

    #[test]
    fn standard_deviations_are_those_of_the_tables() {
        near(Confidence::USUAL.for_all(1).z(), 1.959_964, 1e-6);
        near(Confidence::USUAL.for_all(5).z(), 2.575_829, 1e-6);
        near(Confidence::USUAL.for_all(50).z(), 3.290_527, 1e-6);
    }

    #[test]
    fn shares_have_wilsons_interval() {
        let s = Confidence::USUAL.share(8, 10);
        near(s.low, 0.4902, 1e-3);
        near(s.high, 0.9433, 1e-3);
        let none = Confidence::USUAL.share(0, 0);
        assert!(none.low >= 0.0 && none.high <= 1.0);
    }

    #[test]
    fn differences_of_shares_have_newcombes_interval() {
        // Newcombe 1998, table II, example (a): 56/70 against 48/80, method 10.
        let d = Confidence::USUAL.difference((48, 80), (56, 70));
        near(d.value, 0.2, 1e-9);
        near(d.low, 0.0524, 5e-5);
        near(d.high, 0.3339, 5e-5);
        assert!(d.leaves_out(0.0) && !d.leaves_out(0.3));
    }

    #[test]
    fn differences_of_paired_shares_have_newcombes_interval_for_pairs() {
        // The children of Bentur et al. in M. W. Fagerland, S. Lydersen, P. Laake, "Recommended tests and confidence
        // intervals for paired binomial proportions", Statistics in Medicine 33, 2014.
        let d = Confidence::USUAL.paired_difference(&Pairs { both: 1, first: 1, second: 7, neither: 12 });
        near(d.value, 6.0 / 21.0, 1e-9);
        near(d.low, 0.026, 5e-4);
        near(d.high, 0.507, 5e-4);
        // The same games under both rules: far narrower than without pairs.
        let same = Confidence::USUAL.paired_difference(&Pairs { both: 22, first: 0, second: 0, neither: 178 });
        assert!(
            same.value == 0.0
                && same.half_width() < 0.5 * Confidence::USUAL.difference((22, 200), (22, 200)).half_width()
        );
    }

    #[test]
    fn intervals_of_paired_shares_hold_as_often_as_they_say() {
        let n = 40;
        for chances in [[0.25, 0.25, 0.25, 0.25], [0.4, 0.05, 0.15, 0.4], [0.1, 0.1, 0.02, 0.78], [0.0, 0.5, 0.4, 0.1]]
        {
            let (mut dice, mut held, tries) = (Dice::new(7), 0, 4000);
            for _ in 0..tries {
                let mut pairs = Pairs::default();
                for _ in 0..n {
                    let at = dice.below(100) as f64 / 100.0;
                    let below = |i: usize| chances.iter().take(i).sum::<f64>();
                    let cell = (1..4).filter(|i| at >= below(*i) - 1e-9).count();
                    pairs.add([cell == 0 || cell == 1, cell == 0 || cell == 2], 1);
                }
                held += usize::from(!Confidence::USUAL.paired_difference(&pairs).leaves_out(chances[2] - chances[1]));
            }
            let share = f64::from(u32::try_from(held).unwrap()) / f64::from(tries);
            assert!(share > 0.935, "{chances:?}: {share}");
        }
    }

    #[test]
    fn means_have_the_interval_of_the_normal_approximation() {
        let few = Moments::of([(1.0, 1), (2.0, 2), (6.0, 1)]);
        near(few.mean(), 2.75, 1e-12);
        near(few.variance(), 59.0 / 12.0, 1e-12);
        near(Confidence::USUAL.mean(&few).half_width(), 1.959_964 * (59.0_f64 / 48.0).sqrt(), 1e-6);
        let mut one_by_one = Moments::default();
        [1.0, 2.0, 2.0, 6.0].into_iter().for_each(|value| one_by_one.add(value));
        assert_eq!(one_by_one, few);
        assert_eq!(Confidence::USUAL.mean(&Moments::default()), Estimate::default());
    }

    #[test]
    fn looks_are_fixed_beforehand_and_the_last_one_is_enough() {
        for half_width in [0.2, 0.05, 0.01, 0.005, 0.000_5] {
            let precision = Precision::new(half_width, Confidence::USUAL, u64::MAX);
            let looks = precision.numbers();
            assert_eq!(precision.confidence(), Confidence::USUAL.for_all(looks.len()));
            assert!(looks.windows(2).all(|two| two[0] < two[1]), "{looks:?}");
            let last = *looks.last().unwrap() as usize;
            assert!(precision.suffices(&precision.confidence().share(last / 2, last)), "{half_width}");
            assert!(precision.suffices(&precision.confidence().share(0, looks[0] as usize)), "{half_width}");
        }
        assert_eq!(Precision::new(0.005, Confidence::USUAL, 1000).numbers().last(), Some(&1000));
        assert_eq!(Precision::new(0.005, Confidence::USUAL, 3).numbers(), [3]);
    }

    #[test]
    fn intervals_at_which_play_ends_miss_seldom() {
        let precision = Precision::new(0.04, Confidence::USUAL, u64::MAX);
        for chance in [20, 150, 500] {
            let missed = (0..400_u64).filter(|seed| {
                let mut dice = Dice::new(*seed);
                let (mut hits, mut games) = (0, 0);
                let ends = precision.numbers().iter().find_map(|look| {
                    while games < *look as usize {
                        hits += usize::from(dice.below(1000) < chance);
                        games += 1;
                    }
                    Some(precision.confidence().share(hits, games)).filter(|share| precision.suffices(share))
                });
                ends.unwrap().leaves_out(chance as f64 / 1000.0)
            });
            // 5 % of 400 are 20.
            assert!(missed.count() <= 20, "{chance}");
        }
    }
}
