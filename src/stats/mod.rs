//! Statistics of samples: intervals for what is estimated from games, and counts of numbers without the games.

mod counts;
mod interval;

pub use counts::{Bin, Counts};
pub use interval::{Confidence, Estimate, Moments, Pairs, Precision};
