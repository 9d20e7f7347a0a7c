//! A set of small numbers as bits.

/// A set of members or numbers of a range; bit `i` stands for the i-th. The first 128 need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Set {
    small: u128,
    // Never ends in a zero word, so that equal sets are equal values.
    large: Vec<u64>,
}

impl Set {
    /// The empty set.
    #[must_use]
    pub fn new() -> Set {
        Set::default()
    }

    /// `{0, 1, .. n - 1}`.
    #[must_use]
    pub fn full(n: usize) -> Set {
        if n <= 128 {
            let small = if n == 128 { u128::MAX } else { (1u128 << n) - 1 };
            return Set { small, large: Vec::new() };
        }
        let more = n - 128;
        let mut large = vec![u64::MAX; more / 64];
        if !more.is_multiple_of(64) {
            large.push((1 << (more % 64)) - 1);
        }
        Set { small: u128::MAX, large }
    }

    /// The set whose bits are those of bytes, the lowest first.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Set {
        let (small, large) = bytes.split_at(bytes.len().min(16));
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word: u128, byte| word << 8 | u128::from(*byte));
        let mut set = Set { small: word(small), large: large.chunks(8).map(|part| word(part) as u64).collect() };
        set.trim();
        set
    }

    /// Adds a number.
    pub fn insert(&mut self, i: usize) {
        if i < 128 {
            self.small |= 1 << i;
            return;
        }
        let (word, bit) = ((i - 128) / 64, (i - 128) % 64);
        if self.large.len() <= word {
            self.large.resize(word + 1, 0);
        }
        if let Some(word) = self.large.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    /// Takes a number out.
    pub fn remove(&mut self, i: usize) {
        if i < 128 {
            self.small &= !(1 << i);
        } else if let Some(word) = self.large.get_mut((i - 128) / 64) {
            *word &= !(1 << ((i - 128) % 64));
            self.trim();
        }
    }

    /// Whether a number is in.
    #[must_use]
    pub fn contains(&self, i: usize) -> bool {
        if i < 128 {
            return self.small >> i & 1 == 1;
        }
        self.large.get((i - 128) / 64).is_some_and(|w| w >> ((i - 128) % 64) & 1 == 1)
    }

    /// How many are in.
    #[must_use]
    pub fn len(&self) -> usize {
        let large: u32 = self.large.iter().map(|w| w.count_ones()).sum();
        (self.small.count_ones() + large) as usize
    }

    /// Whether none is in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.small == 0 && self.large.is_empty()
    }

    /// The lowest.
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let mut small = self.small;
        let low = std::iter::from_fn(move || {
            let bit = small.trailing_zeros() as usize;
            (small != 0).then(|| {
                small &= small - 1;
                bit
            })
        });
        let high = self.large.iter().enumerate().flat_map(|(w, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    128 + w * 64 + bit
                })
            })
        });
        low.chain(high)
    }

    /// Those in either.
    #[must_use]
    pub fn union(mut self, other: &Set) -> Set {
        self.small |= other.small;
        if self.large.len() < other.large.len() {
            self.large.resize(other.large.len(), 0);
        }
        for (a, b) in self.large.iter_mut().zip(&other.large) {
            *a |= b;
        }
        self
    }

    /// Those in both.
    #[must_use]
    pub fn intersection(mut self, other: &Set) -> Set {
        self.small &= other.small;
        self.large.truncate(other.large.len());
        for (a, b) in self.large.iter_mut().zip(&other.large) {
            *a &= b;
        }
        self.trim();
        self
    }

    /// Those of the first not in the second.
    #[must_use]
    pub fn difference(mut self, other: &Set) -> Set {
        self.small &= !other.small;
        for (a, b) in self.large.iter_mut().zip(&other.large) {
            *a &= !b;
        }
        self.trim();
        self
    }

    fn trim(&mut self) {
        while self.large.last() == Some(&0) {
            self.large.pop();
        }
    }
}

impl FromIterator<usize> for Set {
    fn from_iter<I: IntoIterator<Item = usize>>(items: I) -> Set {
        let mut set = Set::new();
        for i in items {
            set.insert(i);
        }
        set
    }
}
