//! Exact numbers of chance.

use std::cmp::Ordering;
use std::fmt;

use num_rational::Ratio as Fraction;
use num_traits::{CheckedAdd as _, CheckedDiv as _, CheckedMul as _, CheckedSub as _};

/// A fraction, exact as long as it fits into 128 bits above and below; after that as near as a floating number is.
#[derive(Clone, Copy, Debug)]
pub enum Ratio {
    /// In lowest terms, the denominator positive.
    Exact(Fraction<i128>),
    /// No longer exact.
    Near(f64),
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Ratio = Ratio::Exact(Fraction::new_raw(0, 1));
    /// One.
    pub const ONE: Ratio = Ratio::Exact(Fraction::new_raw(1, 1));

    /// A fraction; a denominator of 0 counts as 1.
    #[must_use]
    pub fn new(over: i64, under: u64) -> Ratio {
        Ratio::Exact(Fraction::new(i128::from(over), i128::from(under.max(1))))
    }

    /// As a floating number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Ratio::Exact(exact) => *exact.numer() as f64 / *exact.denom() as f64,
            Ratio::Near(value) => value,
        }
    }

    /// Whether nothing was rounded.
    #[must_use]
    pub fn is_exact(self) -> bool {
        matches!(self, Ratio::Exact(..))
    }

    /// Tries the numbers as they are, then in lowest terms, then gives up exactness.
    fn meet(
        self,
        other: Ratio,
        exact: impl Fn(&Fraction<i128>, &Fraction<i128>) -> Option<Fraction<i128>>,
        near: impl Fn(f64, f64) -> f64,
    ) -> Ratio {
        if let (Ratio::Exact(a), Ratio::Exact(b)) = (self, other)
            && let Some(both) = exact(&a, &b)
            // The least number has no counterpart above zero, so it cannot be turned round.
            && *both.numer() != i128::MIN
        {
            return Ratio::Exact(both);
        }
        Ratio::Near(near(self.value(), other.value()))
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Ratio) -> Ratio {
        self.meet(other, Fraction::checked_add, |a, b| a + b)
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Ratio) -> Ratio {
        self.meet(other, Fraction::checked_mul, |a, b| a * b)
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, other: Ratio) -> Ratio {
        self.meet(other, Fraction::checked_sub, |a, b| a - b)
    }

    /// The quotient; `None` if the divisor is 0.
    #[must_use]
    pub fn over(self, other: Ratio) -> Option<Ratio> {
        let divisible = !(other.is_exact() && other.is_zero());
        divisible.then(|| self.meet(other, Fraction::checked_div, |a, b| a / b))
    }

    /// One of `n` equal shares.
    #[must_use]
    pub fn one_of(self, many: usize) -> Ratio {
        self.times(Ratio::Exact(Fraction::new_raw(1, many.max(1) as i128)))
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        match self {
            Ratio::Exact(exact) => *exact.numer() == 0,
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
        Ratio::Exact(Fraction::from_integer(i128::from(whole)))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Ratio) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        match (self, other) {
            (Ratio::Exact(a), Ratio::Exact(b)) => Some(a.cmp(b)),
            _ => self.value().partial_cmp(&other.value()),
        }
    }
}

impl fmt::Display for Ratio {
    /// `11/36`, `1`, or `about 0.305556`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ratio::Exact(exact) => exact.fmt(f),
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

    #[test]
    fn what_does_not_fit_is_near_and_nothing_overflows() {
        let whole = |n: i128| Ratio::Exact(Fraction::from_integer(n));
        let (least, largest) = (whole(i128::MIN + 1), whole(i128::MAX));
        assert!(!largest.plus(Ratio::ONE).is_exact() && !least.minus(Ratio::ONE).is_exact());
        assert!(!largest.times(largest).is_exact());
        assert_eq!(Ratio::ONE.over(least).map(|r| r.times(least)), Some(Ratio::ONE));
        assert!(Ratio::ONE.over(Ratio::ZERO).is_none());
        // Crosswise these products would not fit.
        let (a, b) = (Fraction::new(i128::MAX - 1, i128::MAX), Fraction::new(i128::MAX - 2, i128::MAX - 1));
        assert!(Ratio::Exact(b) < Ratio::Exact(a));
        // The factors cancel before they are multiplied.
        assert_eq!(largest.one_of(3).times(Ratio::new(3, 1)), largest);
        let half = Ratio::Exact(Fraction::new(1, 1 << 126));
        assert_eq!(half.plus(half), Ratio::Exact(Fraction::new(1, 1 << 125)));
    }
}
