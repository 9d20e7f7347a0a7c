//! Numbers of the command line: each has bounds, and a number beyond them is refused in words that name them.

use std::ops::RangeInclusive;

/// Games, tries and the like that are asked for at once.
pub const LARGEST: u64 = 1_000_000_000;
/// Positions and the like that are kept in memory.
pub const MAX_KEPT: u64 = 100_000_000;
/// Plies of one game or way. Every one of them is kept while it is played.
pub const MAX_GAME_PLIES: u64 = 1_000_000;
/// Games played at a time.
pub const MAX_THREADS: u64 = 512;

/// A reader of numbers within bounds.
pub fn within<N: TryFrom<u64>>(bounds: RangeInclusive<u64>) -> impl Fn(&str) -> Result<N, String> + Clone {
    move |text| {
        let number = text.trim().parse::<u64>().ok().filter(|n| bounds.contains(n));
        let (least, most) = (bounds.start(), grouped(*bounds.end()));
        let allowed = format!("write a whole number from {least} to {most}");
        number.and_then(|n| N::try_from(n).ok()).ok_or(allowed)
    }
}

/// Reads a seed: any number will do.
pub fn seed(text: &str) -> Result<u64, String> {
    within(0..=u64::MAX)(text)
}

/// Reads percentage points, as half a width of intervals.
pub fn points(text: &str) -> Result<f64, String> {
    let points = text.trim().parse::<f64>().ok().filter(|points| (0.01..=25.0).contains(points));
    points.ok_or_else(|| String::from("write percentage points from 0.01 to 25, for example 0.5"))
}

/// `1000000` as `1,000,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|d| str::from_utf8(d).ok()).collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_bounds_is_refused_with_them() {
        let read = within::<usize>(1..=MAX_KEPT);
        assert_eq!(read("1"), Ok(1));
        assert_eq!(read("100000000"), Ok(100_000_000));
        for text in ["0", "100000001", "-1", "many", "99999999999999999999", ""] {
            assert_eq!(read(text), Err(String::from("write a whole number from 1 to 100,000,000")), "{text}");
        }
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!([1, 999, 1000, 1_234_567].map(grouped), ["1", "999", "1,000", "1,234,567"]);
    }
}
