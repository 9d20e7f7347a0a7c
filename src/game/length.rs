//! How far a game is played on at random.

/// A number of plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// So many are played, whatever they are.
    pub plies: usize,
    /// After these so many more at most are played, to where a seat has several options: chance is drawn, and single
    /// options are taken.
    pub following: usize,
}

impl Length {
    /// So many plies, and none more.
    #[must_use]
    pub fn of(plies: usize) -> Length {
        Length { plies, following: 0 }
    }

    /// The most plies that are played.
    #[must_use]
    pub fn most(self) -> usize {
        self.plies.saturating_add(self.following)
    }

    /// Whether to play on after so many plies: through chance or a single option, or where there are several.
    #[must_use]
    pub fn goes_on(self, played: usize, is_decision: bool) -> bool {
        played < if is_decision { self.plies } else { self.most() }
    }
}
