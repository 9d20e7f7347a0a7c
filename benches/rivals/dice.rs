//! The project's stream of random numbers, in a form that is compiled into the loop of a playout.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The same numbers as `lawspeaker::players::Dice` of the same seed.
pub struct Dice {
    rng: Xoshiro256PlusPlus,
}

impl Dice {
    /// From a seed.
    pub fn new(seed: u64) -> Dice {
        Dice { rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// A number below `n`, each equally likely.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        if n < 2 {
            return 0;
        }
        loop {
            let product = u128::from(self.rng.next_u64()) * u128::from(n);
            // What is to be skipped is less than n, so that the division is hardly ever needed.
            if product as u64 >= n || product as u64 >= n.wrapping_neg() % n {
                return (product >> 64) as usize;
            }
        }
    }
}
