//! Domains: the values that something may still have.

use rangemap::RangeInclusiveSet;

/// A set of numbers, perhaps with nothing: what an entry of a position may still be. Members and truths are numbers
/// too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    nothing: bool,
    numbers: RangeInclusiveSet<i32>,
}

impl Domain {
    /// All numbers from `lo` to `hi`, and nothing if it may be that.
    #[must_use]
    pub fn new(lo: i32, hi: i32, nothing: bool) -> Domain {
        Domain { nothing, numbers: (lo <= hi).then_some(lo..=hi).into_iter().collect() }
    }

    /// This number, or nothing.
    #[must_use]
    pub fn one(value: Option<i32>) -> Domain {
        Domain { nothing: value.is_none(), ..Domain::of(value) }
    }

    /// These numbers.
    #[must_use]
    pub fn of(numbers: impl IntoIterator<Item = i32>) -> Domain {
        Domain { nothing: false, numbers: numbers.into_iter().map(|i| i..=i).collect() }
    }

    /// No or yes.
    #[must_use]
    pub fn truth() -> Domain {
        Domain::new(0, 1, false)
    }

    /// Whether no value is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.nothing && self.numbers.is_empty()
    }

    /// Whether this value is among them.
    #[must_use]
    pub fn contains(&self, value: Option<i32>) -> bool {
        value.map_or(self.nothing, |i| self.numbers.contains(&i))
    }

    /// The only value, where there is but one.
    #[must_use]
    pub fn single(&self) -> Option<Option<i32>> {
        match self.values(2).as_slice() {
            [value] => Some(*value),
            _ => None,
        }
    }

    /// How many values there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        let spans = self.numbers.iter().map(|span| u64::from(span.end().abs_diff(*span.start())) + 1);
        spans.sum::<u64>() + u64::from(self.nothing)
    }

    /// The values, numbers in ascending order and nothing last, up to a maximum.
    #[must_use]
    pub fn values(&self, most: usize) -> Vec<Option<i32>> {
        let numbers = self.numbers.iter().cloned().flatten().map(Some);
        numbers.chain(self.nothing.then_some(None)).take(most).collect()
    }

    /// The ends of its spans, and nothing if it may be that.
    #[must_use]
    pub fn ends(&self) -> Vec<Option<i32>> {
        let numbers = self.numbers.iter().flat_map(|span| [Some(*span.start()), Some(*span.end())]);
        let mut all: Vec<Option<i32>> = numbers.chain(self.nothing.then_some(None)).collect();
        all.dedup();
        all
    }

    /// What is in both.
    #[must_use]
    pub fn both(&self, other: &Domain) -> Domain {
        let numbers = self.numbers.intersection(&other.numbers).collect();
        Domain { nothing: self.nothing && other.nothing, numbers }
    }

    /// What is in this one and not in the other.
    #[must_use]
    pub fn without(&self, other: &Domain) -> Domain {
        let mut left = self.clone();
        left.nothing &= !other.nothing;
        other.numbers.iter().for_each(|span| left.numbers.remove(span.clone()));
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_leaves_the_rest() {
        let all = Domain::new(0, 9, true);
        let even = Domain::of([0, 2, 4, 6, 8]);
        let odd = all.without(&even);
        assert_eq!(odd.values(20), [Some(1), Some(3), Some(5), Some(7), Some(9), None]);
        assert_eq!(odd.both(&even).size(), 0);
        assert!(all.without(&all).is_empty());
        assert_eq!(all.without(&Domain::new(1, 9, true)).single(), Some(Some(0)));
        assert_eq!(all.without(&Domain::new(i32::MIN, i32::MAX, false)).single(), Some(None));
    }

    #[test]
    fn the_ends_of_the_numbers_do_no_harm() {
        let all = Domain::new(i32::MIN, i32::MAX, false);
        assert_eq!(all.without(&Domain::one(Some(i32::MAX))).size(), u64::from(u32::MAX));
        assert_eq!(all.without(&Domain::one(Some(i32::MIN))).size(), u64::from(u32::MAX));
        assert_eq!(all.without(&Domain::one(Some(0))).ends().len(), 4);
    }
}
