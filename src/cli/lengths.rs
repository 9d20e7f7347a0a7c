//! How long games were, counted without keeping the games.

use std::collections::BTreeMap;

/// How many games had how many plies.
#[derive(Debug, Default)]
pub struct Lengths(BTreeMap<usize, usize>);

impl Lengths {
    /// Counts a game.
    pub fn add(&mut self, plies: usize) {
        *self.0.entry(plies).or_default() += 1;
    }

    /// How many games were counted.
    pub fn games(&self) -> usize {
        self.0.values().sum()
    }

    /// The shortest.
    pub fn least(&self) -> usize {
        self.0.keys().next().copied().unwrap_or(0)
    }

    /// The longest.
    pub fn most(&self) -> usize {
        self.0.keys().next_back().copied().unwrap_or(0)
    }

    /// The one in the middle; of an even number of games the longer of the two there.
    pub fn median(&self) -> usize {
        let middle = self.games() / 2;
        let mut before = 0;
        let found = self.0.iter().find(|(_, n)| {
            before += **n;
            before > middle
        });
        found.map_or(0, |(plies, _)| *plies)
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        let all: u128 = self.0.iter().map(|(plies, n)| *plies as u128 * *n as u128).sum();
        all as f64 / self.games().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_sorted_games() {
        for games in [&[][..], &[3], &[9, 2, 2, 7], &[5, 1, 1, 8, 5]] {
            let mut lengths = Lengths::default();
            games.iter().for_each(|plies| lengths.add(*plies));
            let mut sorted = games.to_vec();
            sorted.sort_unstable();
            let at = |i: usize| sorted.get(i).copied().unwrap_or(0);
            let wanted = [at(0), at(sorted.len() / 2), at(sorted.len().saturating_sub(1)), sorted.len()];
            assert_eq!([lengths.least(), lengths.median(), lengths.most(), lengths.games()], wanted);
            let mean = sorted.iter().sum::<usize>() as f64 / sorted.len().max(1) as f64;
            assert!((lengths.mean() - mean).abs() < 1e-9);
        }
    }
}
