//! How much a bot searches.

use std::fmt;
use std::time::Duration;

/// How much a bot searches for one choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// So many playouts. The same seed gives the same choice.
    Playouts(u32),
    /// So long. How many playouts that gives depends on the machine.
    Time(Duration),
}

/// The budget where none is named.
pub const USUAL: Budget = Budget::Playouts(1000);

/// The most playouts for one choice.
pub const MOST_PLAYOUTS: u32 = 100_000_000;

/// The longest time for one choice, in seconds.
pub const LONGEST: f64 = 3600.0;

impl Budget {
    /// From a number of playouts (`2000`) or a time (`500ms`, `1.5s`). `None` if it is neither, or out of bounds.
    #[must_use]
    pub fn parse(text: &str) -> Option<Budget> {
        let (number, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
            (Some(number), _) => (number, 0.001),
            (None, Some(number)) => (number, 1.0),
            (None, None) => {
                let playouts = text.parse().ok().filter(|n| (1..=MOST_PLAYOUTS).contains(n))?;
                return Some(Budget::Playouts(playouts));
            }
        };
        let plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
        let seconds = number.parse::<f64>().ok().filter(|_| plain)? * unit;
        (0.001..=LONGEST).contains(&seconds).then(|| Budget::Time(Duration::from_secs_f64(seconds)))
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Playouts(n) => write!(f, "{n}"),
            Budget::Time(time) => write!(f, "{}ms", time.as_millis()),
        }
    }
}
