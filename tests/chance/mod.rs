//! Exact chances: fractions, and what the outcomes of chance lead to with which probability.
#![allow(dead_code)]

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Div, Mul, Neg, Sub};

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Evaluator, Fault, Position, Status};
use lawspeaker::library::{self, Loaded};
use lawspeaker::model::Config;
use std::sync::Arc;

/// A fraction in lowest terms, its denominator positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    pub fn new(numerator: i128, denominator: i128) -> Fraction {
        assert_ne!(denominator, 0, "a fraction of nothing");
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let a = a * denominator.signum();
        Fraction { numerator: numerator / a, denominator: denominator / a }
    }

    /// One of so many.
    pub fn one_of(many: usize) -> Fraction {
        Fraction::new(1, many as i128)
    }
}

impl From<i32> for Fraction {
    fn from(whole: i32) -> Fraction {
        Fraction::new(i128::from(whole), 1)
    }
}

impl Add for Fraction {
    type Output = Fraction;
    fn add(self, other: Fraction) -> Fraction {
        Fraction::new(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )
    }
}

impl Neg for Fraction {
    type Output = Fraction;
    fn neg(self) -> Fraction {
        Fraction { numerator: -self.numerator, ..self }
    }
}

impl Sub for Fraction {
    type Output = Fraction;
    fn sub(self, other: Fraction) -> Fraction {
        self + -other
    }
}

impl Mul for Fraction {
    type Output = Fraction;
    fn mul(self, other: Fraction) -> Fraction {
        Fraction::new(self.numerator * other.numerator, self.denominator * other.denominator)
    }
}

impl Div for Fraction {
    type Output = Fraction;
    fn div(self, other: Fraction) -> Fraction {
        Fraction::new(self.numerator * other.denominator, self.denominator * other.numerator)
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<std::cmp::Ordering> {
        (self.numerator * other.denominator).partial_cmp(&(other.numerator * self.denominator))
    }
}

impl Sum for Fraction {
    fn sum<I: Iterator<Item = Fraction>>(items: I) -> Fraction {
        items.fold(Fraction::ZERO, Add::add)
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

/// A shipped game under its defaults, with the explaining evaluator.
pub fn shipped(name: &str) -> (Loaded, Explainer) {
    let game = library::open(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let config = Config::defaults(&game.model);
    let explainer = Explainer::new(Arc::clone(&game.model), config);
    (game, explainer)
}

/// The positions that the next outcomes of chance lead to, each with its probability; stops at decisions, at the end of the game, and after so many
/// outcomes one after the other. Equal positions are one.
pub fn thrown<E: Evaluator>(e: &E, from: &Position, throws: u32) -> Result<Vec<(Position, Fraction)>, Fault> {
    let mut reached = vec![(from.clone(), Fraction::ONE)];
    for _ in 0..throws {
        let mut next: Vec<(Position, Fraction)> = Vec::new();
        for (position, chance) in reached {
            if !matches!(e.status(&position)?, Status::Chance(_)) {
                merge(&mut next, position, chance);
                continue;
            }
            let outcomes = e.options(&position)?;
            let each = chance * Fraction::one_of(outcomes.len());
            for outcome in outcomes {
                let mut after = position.clone();
                e.apply(&mut after, outcome)?;
                merge(&mut next, after, each);
            }
        }
        reached = next;
    }
    Ok(reached)
}

fn merge(found: &mut Vec<(Position, Fraction)>, position: Position, chance: Fraction) {
    match found.iter_mut().find(|(p, _)| *p == position) {
        Some((_, sum)) => *sum = *sum + chance,
        None => found.push((position, chance)),
    }
}
