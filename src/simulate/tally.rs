//! What came of many games: who won, how they ended, how long they were.

use std::collections::BTreeMap;

use super::Finish;
use crate::game::Outcome;
use crate::stats::Counts;

/// The number of faults that are kept to be told.
const MAX_FAULTS: usize = 5;

/// Games, and who won them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Winners {
    /// Games that ended.
    pub over: usize,
    /// For each seat the games that it won, alone or with others.
    pub won: Vec<usize>,
    /// Games that nobody won.
    pub draws: usize,
}

impl Winners {
    /// Counts a game with these winners.
    pub fn add(&mut self, winners: &[u16]) {
        self.add_games(winners, 1);
    }

    fn add_games(&mut self, winners: &[u16], games: usize) {
        self.over += games;
        self.draws += if winners.is_empty() { games } else { 0 };
        for seat in winners {
            let seat = usize::from(*seat);
            if self.won.len() <= seat {
                self.won.resize(seat + 1, 0);
            }
            if let Some(won) = self.won.get_mut(seat) {
                *won += games;
            }
        }
    }

    /// Counts what others have counted.
    pub fn merge(&mut self, other: &Winners) {
        self.over += other.over;
        self.draws += other.draws;
        if self.won.len() < other.won.len() {
            self.won.resize(other.won.len(), 0);
        }
        self.won.iter_mut().zip(&other.won).for_each(|(won, more)| *won += more);
    }

    /// The games that a seat won.
    #[must_use]
    pub fn of(&self, seat: usize) -> usize {
        self.won.get(seat).copied().unwrap_or(0)
    }
}

/// What came of many games. Memory does not grow with their number.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The plies of all games.
    pub lengths: Counts,
    /// Who won.
    pub winners: Winners,
    /// How often each ending came with each winners.
    pub endings: BTreeMap<(usize, Vec<u16>), usize>,
    /// Who won the games of each length.
    pub by_length: BTreeMap<usize, Winners>,
    /// Games that did not end.
    pub faulty: usize,
    /// Why, of the first of them.
    pub faults: Vec<Finish>,
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, finish: Finish, plies: usize) {
        match finish {
            Finish::Over(Outcome { ending, winners, .. }) => self.add_games(ending, winners, plies, 1),
            finish => {
                self.lengths.add(plies);
                self.faulty += 1;
                if self.faults.len() < MAX_FAULTS {
                    self.faults.push(finish);
                }
            }
        }
    }

    /// Counts games that ended alike; the winners are bits.
    pub(super) fn ended(&mut self, ending: usize, winners: u32, plies: usize, games: usize) {
        let winners = (0..u32::BITS as u16).filter(|seat| winners >> seat & 1 == 1).collect();
        self.add_games(ending, winners, plies, games);
    }

    fn add_games(&mut self, ending: usize, winners: Vec<u16>, plies: usize, games: usize) {
        self.lengths.add_times(plies, games);
        self.winners.add_games(&winners, games);
        self.by_length.entry(plies).or_default().add_games(&winners, games);
        *self.endings.entry((ending, winners)).or_default() += games;
    }

    /// Counts what another has counted, after its own.
    pub fn merge(&mut self, other: Tally) {
        self.lengths.merge(&other.lengths);
        self.winners.merge(&other.winners);
        other.endings.into_iter().for_each(|(key, games)| *self.endings.entry(key).or_default() += games);
        other.by_length.iter().for_each(|(plies, more)| self.by_length.entry(*plies).or_default().merge(more));
        self.faulty += other.faulty;
        let room = MAX_FAULTS.saturating_sub(self.faults.len());
        self.faults.extend(other.faults.into_iter().take(room));
    }

    /// The games counted.
    #[must_use]
    pub fn games(&self) -> usize {
        self.winners.over + self.faulty
    }

    /// The endings with their winners and how often each came, the most frequent first.
    #[must_use]
    pub fn endings(&self) -> Vec<(Outcome, usize)> {
        let outcome = |(ending, winners): &(usize, Vec<u16>)| Outcome {
            ending: *ending,
            winners: winners.clone(),
            scores: Vec::new(),
        };
        let mut sorted: Vec<_> = self.endings.iter().map(|(key, games)| (outcome(key), *games)).collect();
        sorted.sort_by_key(|(_, games)| std::cmp::Reverse(*games));
        sorted
    }

    /// Who won the games of each of some ranges of lengths, in order: at most so many ranges, which are those of the
    /// histogram of the lengths.
    #[must_use]
    pub fn by_length(&self, ranges: usize) -> Vec<((usize, usize), Winners)> {
        let range = |bin: crate::stats::Bin| {
            let mut winners = Winners::default();
            self.by_length.range(bin.from..=bin.to).for_each(|(_, more)| winners.merge(more));
            ((bin.from, bin.to), winners)
        };
        self.lengths.histogram(ranges).into_iter().map(range).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(ending: usize, winners: &[u16]) -> Finish {
        Finish::Over(Outcome { ending, winners: winners.to_vec(), scores: vec![7] })
    }

    #[test]
    fn what_is_counted_in_parts_comes_to_the_same() {
        let games =
            [(over(1, &[0]), 5), (Finish::Stuck, 2), (over(0, &[]), 9), (over(1, &[0, 2]), 5), (Finish::Stuck, 1)];
        let mut whole = Tally::default();
        games.iter().for_each(|(finish, plies)| whole.add(finish.clone(), *plies));
        let mut parts = Tally::default();
        for part in games.chunks(2) {
            let mut few = Tally::default();
            part.iter().for_each(|(finish, plies)| few.add(finish.clone(), *plies));
            parts.merge(few);
        }
        assert_eq!(format!("{parts:?}"), format!("{whole:?}"));
        let mut alike = Tally::default();
        alike.ended(1, 0b101, 5, 2);
        let mut each = Tally::default();
        (0..2).for_each(|_| each.add(over(1, &[0, 2]), 5));
        assert_eq!(format!("{alike:?}"), format!("{each:?}"));
    }

    #[test]
    fn games_are_counted_by_winner_ending_and_length() {
        let mut tally = Tally::default();
        for (finish, plies) in
            [(over(1, &[0]), 5), (over(0, &[]), 12), (over(1, &[0]), 6), (over(1, &[0, 2]), 30), (Finish::Stuck, 2)]
        {
            tally.add(finish, plies);
        }
        assert_eq!((tally.games(), tally.faulty, tally.faults.len()), (5, 1, 1));
        assert_eq!(tally.winners, Winners { over: 4, won: vec![3, 0, 1], draws: 1 });
        let endings: Vec<(usize, usize)> = tally.endings().iter().map(|(o, games)| (o.ending, *games)).collect();
        assert_eq!(endings, [(1, 2), (0, 1), (1, 1)]);
        let ranges = tally.by_length(4);
        assert_eq!(ranges.len(), 4);
        assert_eq!(ranges[0], ((0, 9), Winners { over: 2, won: vec![2], draws: 0 }));
        assert_eq!(ranges[2].1, Winners::default());
        assert_eq!(ranges[3].1.of(2), 1);
    }
}
