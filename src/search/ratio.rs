//! Exact numbers of chance.

use std::cmp::Ordering;
use std::fmt;

/// A fraction, exact as long as it fits into 128 bits above and below; after that as near as a floating number is.
#[derive(Clone, Copy, Debug)]
pub enum Ratio {
    /// Above and below the line; below is positive. Not always in lowest terms.
    Exact(i128, i128),
    /// No longer exact.
    Near(f64),
}

/// The exact result of an operation on two fractions, if it fits.
type Exactly = fn((i128, i128), (i128, i128)) -> Option<Ratio>;

fn divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1).max(1)
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Ratio = Ratio::Exact(0, 1);
    /// One.
    pub const ONE: Ratio = Ratio::Exact(1, 1);

    /// A fraction; a denominator of 0 counts as 1.
    #[must_use]
    pub fn new(over: i64, under: u64) -> Ratio {
        Ratio::Exact(i128::from(over), i128::from(under.max(1))).lowest()
    }

    /// In lowest terms.
    #[must_use]
    pub fn lowest(self) -> Ratio {
        match self {
            Ratio::Exact(over, under) => {
                let by = divisor(over, under);
                Ratio::Exact(over / by, under / by)
            }
            near @ Ratio::Near(_) => near,
        }
    }

    /// As a floating number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Ratio::Exact(over, under) => over as f64 / under as f64,
            Ratio::Near(value) => value,
        }
    }

    /// Whether nothing was rounded.
    #[must_use]
    pub fn is_exact(self) -> bool {
        matches!(self, Ratio::Exact(..))
    }

    /// Tries the numbers as they are, then in lowest terms, then gives up exactness.
    fn meet(self, other: Ratio, exact: Exactly, near: f64) -> Ratio {
        let (Ratio::Exact(a, b), Ratio::Exact(c, d)) = (self, other) else {
            return Ratio::Near(near);
        };
        if let Some(ratio) = exact((a, b), (c, d)) {
            return ratio;
        }
        match (self.lowest(), other.lowest()) {
            (Ratio::Exact(a, b), Ratio::Exact(c, d)) => exact((a, b), (c, d)).unwrap_or(Ratio::Near(near)),
            _ => Ratio::Near(near),
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Ratio) -> Ratio {
        let exact = |(a, b): (i128, i128), (c, d): (i128, i128)| {
            if b == d {
                return Some(Ratio::Exact(a.checked_add(c)?, b));
            }
            let by = divisor(b, d);
            let under = (b / by).checked_mul(d)?;
            let over = a.checked_mul(d / by)?.checked_add(c.checked_mul(b / by)?)?;
            Some(Ratio::Exact(over, under))
        };
        self.meet(other, exact, self.value() + other.value())
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Ratio) -> Ratio {
        let exact =
            |(a, b): (i128, i128), (c, d): (i128, i128)| Some(Ratio::Exact(a.checked_mul(c)?, b.checked_mul(d)?));
        self.meet(other, exact, self.value() * other.value())
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, other: Ratio) -> Ratio {
        self.plus(other.times(Ratio::from(-1)))
    }

    /// The quotient; `None` if the divisor is 0.
    #[must_use]
    pub fn over(self, other: Ratio) -> Option<Ratio> {
        match other.lowest() {
            Ratio::Exact(0, _) => None,
            Ratio::Exact(over, under) => Some(self.times(Ratio::Exact(over.signum() * under, over.wrapping_abs()))),
            Ratio::Near(value) => Some(Ratio::Near(self.value() / value)),
        }
    }

    /// One of `n` equal shares.
    #[must_use]
    pub fn one_of(self, many: usize) -> Ratio {
        self.times(Ratio::Exact(1, many.max(1) as i128))
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        match self {
            Ratio::Exact(over, _) => over == 0,
            Ratio::Near(value) => value == 0.0,
        }
    }
}

impl Default for Ratio {
    fn default() -> Ratio {
        Ratio::ZERO
    }
}

impl From<i32> for Ratio {
    fn from(whole: i32) -> Ratio {
        Ratio::Exact(i128::from(whole), 1)
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Ratio) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        if let (Ratio::Exact(a, b), Ratio::Exact(c, d)) = (self.lowest(), other.lowest()) {
            if (a, b) == (c, d) {
                return Some(Ordering::Equal);
            }
            if let (Some(left), Some(right)) = (a.checked_mul(d), c.checked_mul(b)) {
                return Some(left.cmp(&right));
            }
        }
        self.value().partial_cmp(&other.value())
    }
}

impl fmt::Display for Ratio {
    /// `11/36`, `1`, or `about 0.305556`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lowest() {
            Ratio::Exact(over, 1) => write!(f, "{over}"),
            Ratio::Exact(over, under) => write!(f, "{over}/{under}"),
            Ratio::Near(value) => write!(f, "about {value:.6}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact_as_long_as_they_fit() {
        let sixth = Ratio::ONE.one_of(6);
        assert_eq!(sixth.plus(sixth).to_string(), "1/3");
        assert_eq!(Ratio::new(1, 4).plus(sixth).to_string(), "5/12");
        assert_eq!(Ratio::from(-3).one_of(2).to_string(), "-3/2");
        assert!(Ratio::new(-1, 2) < Ratio::ZERO && Ratio::new(2, 4) == Ratio::new(1, 2));
        let small = (0..60).fold(Ratio::ONE, |r, _| r.one_of(7));
        assert!(!small.is_exact() && small.value() > 0.0);
    }
}
