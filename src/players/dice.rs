//! The stream of random numbers: the same on every machine, now and later.
//!
//! The generator is xoshiro256++ whose state is the first four outputs of SplitMix64 started at the seed. A number
//! below `n` is made of one or more 64-bit outputs `x`: it is the high half of the 128-bit product `x * n`; an `x` for
//! which the low half is less than `2^64 mod n` is skipped.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A seeded source of chance.
#[derive(Clone, Debug)]
pub struct Dice {
    rng: Xoshiro256PlusPlus,
}

impl Dice {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Dice {
        // The same state as of `seed_from_u64`, without a call.
        let mut state = [0; 32];
        for (i, part) in state.as_chunks_mut().0.iter_mut().enumerate() {
            *part = derived(seed, i as u64).to_le_bytes();
        }
        Dice { rng: Xoshiro256PlusPlus::from_seed(state) }
    }

    /// A number below `n`, each equally likely; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        if n < 2 {
            return 0;
        }
        let skip = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.rng.next_u64()) * u128::from(n);
            if product as u64 >= skip {
                return (product >> 64) as usize;
            }
        }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.rng.next_u64()
    }
}

/// The seed of game `i` among many: the output of SplitMix64 number `i + 1` when started at `seed`.
#[must_use]
pub fn derived(seed: u64, i: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i.wrapping_add(1)));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_documented_one() {
        // Known outputs of SplitMix64 from the seed 0.
        assert_eq!(derived(0, 0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(derived(0, 1), 0x6e78_9e6a_a1b9_65f4);
        let mut dice = Dice::new(0);
        assert_eq!(dice.bits(), 0x5317_5d61_490b_23df);
    }

    #[test]
    fn all_numbers_come_about_equally_often() {
        let mut dice = Dice::new(7);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[dice.below(6)] += 1;
        }
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
        assert_eq!((dice.below(0), dice.below(1)), (0, 0));
    }
}
