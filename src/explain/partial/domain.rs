//! Domains: the values that something may still have.

/// A set of numbers, perhaps with nothing: what an entry of a position may still be. Members and truths are numbers
/// too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    nothing: bool,
    /// Ascending, apart from each other.
    spans: Vec<(i32, i32)>,
}

impl Domain {
    /// All numbers from `lo` to `hi`, and nothing if it may be that.
    #[must_use]
    pub fn new(lo: i32, hi: i32, nothing: bool) -> Domain {
        Domain { nothing, spans: if lo <= hi { vec![(lo, hi)] } else { Vec::new() } }
    }

    /// This number, or nothing.
    #[must_use]
    pub fn one(value: Option<i32>) -> Domain {
        match value {
            Some(i) => Domain::new(i, i, false),
            None => Domain { nothing: true, spans: Vec::new() },
        }
    }

    /// These numbers.
    #[must_use]
    pub fn of(numbers: impl IntoIterator<Item = i32>) -> Domain {
        let mut all: Vec<i32> = numbers.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        let mut spans: Vec<(i32, i32)> = Vec::new();
        for i in all {
            match spans.last_mut() {
                Some((_, hi)) if hi.checked_add(1) == Some(i) => *hi = i,
                _ => spans.push((i, i)),
            }
        }
        Domain { nothing: false, spans }
    }

    /// No or yes.
    #[must_use]
    pub fn truth() -> Domain {
        Domain::new(0, 1, false)
    }

    /// Whether no value is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.nothing && self.spans.is_empty()
    }

    /// Whether this value is among them.
    #[must_use]
    pub fn contains(&self, value: Option<i32>) -> bool {
        value.map_or(self.nothing, |i| self.spans.iter().any(|(lo, hi)| (*lo..=*hi).contains(&i)))
    }

    /// The only value, where there is but one.
    #[must_use]
    pub fn single(&self) -> Option<Option<i32>> {
        match (self.nothing, self.spans.as_slice()) {
            (true, []) => Some(None),
            (false, [(lo, hi)]) if lo == hi => Some(Some(*lo)),
            _ => None,
        }
    }

    /// How many values there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        let spans = self.spans.iter().map(|(lo, hi)| (i64::from(*hi) - i64::from(*lo) + 1) as u64);
        spans.sum::<u64>() + u64::from(self.nothing)
    }

    /// The values, numbers in ascending order and nothing last, up to a maximum.
    #[must_use]
    pub fn values(&self, most: usize) -> Vec<Option<i32>> {
        let numbers = self.spans.iter().flat_map(|(lo, hi)| (*lo..=*hi).map(Some));
        numbers.chain(self.nothing.then_some(None)).take(most).collect()
    }

    /// The ends of its spans, and nothing if it may be that.
    #[must_use]
    pub fn ends(&self) -> Vec<Option<i32>> {
        let numbers = self.spans.iter().flat_map(|(lo, hi)| [Some(*lo), Some(*hi)]);
        let mut all: Vec<Option<i32>> = numbers.chain(self.nothing.then_some(None)).collect();
        all.dedup();
        all
    }

    /// What is in both.
    #[must_use]
    pub fn both(&self, other: &Domain) -> Domain {
        let mut spans = Vec::new();
        for (a, b) in &self.spans {
            for (c, d) in &other.spans {
                let (lo, hi) = (*a.max(c), *b.min(d));
                if lo <= hi {
                    spans.push((lo, hi));
                }
            }
        }
        spans.sort_unstable();
        Domain { nothing: self.nothing && other.nothing, spans }
    }

    /// What is in this one and not in the other.
    #[must_use]
    pub fn without(&self, other: &Domain) -> Domain {
        let mut left = self.clone();
        left.nothing &= !other.nothing;
        for (c, d) in &other.spans {
            let mut spans = Vec::new();
            for (a, b) in left.spans {
                if let Some(end) = c.checked_sub(1).filter(|_| a < *c) {
                    spans.push((a, b.min(end)));
                }
                if let Some(start) = d.checked_add(1).filter(|_| b > *d) {
                    spans.push((a.max(start), b));
                }
            }
            // What lies whole on one side was added by one of the two only.
            spans.retain(|(lo, hi)| lo <= hi);
            spans.dedup();
            left.spans = spans;
        }
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
