//! How often each number came: what there is to say of many games without keeping them.

use std::collections::BTreeMap;

use super::Moments;

/// How often each number came. Memory grows with the number of different numbers, not with how many there were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<usize, usize>);

/// Numbers that are counted together in a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The least of them.
    pub from: usize,
    /// The greatest of them.
    pub to: usize,
    /// How many there were.
    pub count: usize,
}

impl Counts {
    /// Counts a number.
    pub fn add(&mut self, number: usize) {
        self.add_times(number, 1);
    }

    /// Counts a number that came so many times.
    pub fn add_times(&mut self, number: usize, times: usize) {
        *self.0.entry(number).or_default() += times;
    }

    /// Counts what another has counted.
    pub fn merge(&mut self, other: &Counts) {
        for (number, count) in &other.0 {
            *self.0.entry(*number).or_default() += count;
        }
    }

    /// Each number with how often it came, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.0.iter().map(|(number, count)| (*number, *count))
    }

    /// How many numbers were counted.
    #[must_use]
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// The least.
    #[must_use]
    pub fn least(&self) -> usize {
        self.0.keys().next().copied().unwrap_or(0)
    }

    /// The greatest.
    #[must_use]
    pub fn most(&self) -> usize {
        self.0.keys().next_back().copied().unwrap_or(0)
    }

    /// The one below which a share of them lies, from 0 to 1: that at the index of the share, rounded down.
    #[must_use]
    pub fn quantile(&self, share: f64) -> usize {
        let total = self.total();
        let index = ((total as f64 * share) as usize).min(total.saturating_sub(1));
        let mut before = 0;
        let found = self.0.iter().find(|(_, n)| {
            before += **n;
            before > index
        });
        found.map_or(0, |(number, _)| *number)
    }

    /// The one in the middle; of an even number the greater of the two there.
    #[must_use]
    pub fn median(&self) -> usize {
        self.quantile(0.5)
    }

    /// Number, mean and variance.
    #[must_use]
    pub fn moments(&self) -> Moments {
        Moments::of(self.iter().map(|(number, count)| (number as f64, count)))
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.moments().mean()
    }

    /// A histogram of at most so many bins of equal width, 1, 2 or 5 times a power of ten; empty bins between are kept.
    #[must_use]
    pub fn histogram(&self, most: usize) -> Vec<Bin> {
        let (Some(least), Some(greatest)) = (self.0.keys().next(), self.0.keys().next_back()) else {
            return Vec::new();
        };
        let widths = (0..18).flat_map(|power| [1, 2, 5].map(|times| times * 10_usize.pow(power)));
        let bins = |width: usize| greatest / width - least / width + 1;
        let mut widths = widths.skip_while(|width| bins(*width) > most.max(1));
        let width = widths.next().unwrap_or(usize::MAX);
        let first = least / width;
        let bin = |i: usize| Bin { from: (first + i) * width, to: (first + i) * width + (width - 1), count: 0 };
        let mut histogram: Vec<Bin> = (0..bins(width)).map(bin).collect();
        for (number, count) in &self.0 {
            if let Some(bin) = histogram.get_mut(number / width - first) {
                bin.count += count;
            }
        }
        histogram
    }
}

impl FromIterator<usize> for Counts {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Counts {
        let mut counts = Counts::default();
        numbers.into_iter().for_each(|number| counts.add(number));
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_that_of_the_sorted_numbers() {
        for numbers in [&[][..], &[3], &[9, 2, 2, 7], &[5, 1, 1, 8, 5]] {
            let counts: Counts = numbers.iter().copied().collect();
            let mut sorted = numbers.to_vec();
            sorted.sort_unstable();
            let at = |i: usize| sorted.get(i).copied().unwrap_or(0);
            let wanted = [at(0), at(sorted.len() / 2), at(sorted.len().saturating_sub(1)), sorted.len()];
            assert_eq!([counts.least(), counts.median(), counts.most(), counts.total()], wanted);
            assert_eq!([counts.quantile(0.0), counts.quantile(1.0)], [counts.least(), counts.most()]);
            let mean = sorted.iter().sum::<usize>() as f64 / sorted.len().max(1) as f64;
            assert!((counts.mean() - mean).abs() < 1e-9);
            let halves: (Counts, Counts) =
                (numbers.iter().take(2).copied().collect(), numbers.iter().skip(2).copied().collect());
            let mut both = halves.0;
            both.merge(&halves.1);
            assert_eq!(both, counts);
        }
    }

    #[test]
    fn bins_cover_all_numbers_and_are_few() {
        let counts: Counts = [3, 7, 7, 41].into_iter().collect();
        let bins = counts.histogram(10);
        assert_eq!(bins.len(), 9);
        assert_eq!(bins[0], Bin { from: 0, to: 4, count: 1 });
        assert_eq!(bins[1], Bin { from: 5, to: 9, count: 2 });
        assert_eq!(bins[8], Bin { from: 40, to: 44, count: 1 });
        assert_eq!(Counts::default().histogram(10), []);
        let one: Counts = std::iter::repeat_n(100_000, 3).collect();
        assert_eq!(one.histogram(10), [Bin { from: 100_000, to: 100_000, count: 3 }]);
        for most in 1..30 {
            let wide: Counts = [0, 12, 99_999].into_iter().collect();
            let bins = wide.histogram(most);
            assert!(bins.len() <= most && bins.iter().map(|b| b.count).sum::<usize>() == 3, "{most}");
        }
    }
}
