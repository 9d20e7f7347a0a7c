//! Upper confidence bounds of values, and what proofs put in their place.

use std::sync::LazyLock;

/// For how many numbers roots are kept: a power of two.
const MAX_KEPT: usize = 1 << 14;
const _: () = assert!(MAX_KEPT.is_power_of_two());

/// The upper confidence bound of a value: its mean, and an allowance for how few visits it is the mean of. `root` is
/// that of the logarithm of how often they were possible ([`root`]). With 0 visits the bound is NaN.
#[inline]
pub(super) fn bound(mean: f64, rarity: f64, root: f64, exploration: f64) -> f64 {
    mean + exploration * (root * rarity)
}

/// The value to a seat of what is proved.
pub(super) fn value(winners: u32, seat: usize) -> f64 {
    match Proof::of(winners, seat) {
        Proof::Lost => 0.0,
        Proof::Drawn => 0.5,
        Proof::Won => f64::INFINITY,
    }
}

/// What is proved of a node to a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    Lost,
    Drawn,
    Won,
}

impl Proof {
    /// What it is to a seat that some win.
    pub fn of(winners: u32, seat: usize) -> Proof {
        match winners {
            0 => Proof::Drawn,
            _ if winners.checked_shr(seat as u32).unwrap_or(0) & 1 == 1 => Proof::Won,
            _ => Proof::Lost,
        }
    }
}

/// The square roots of the natural logarithms of the first numbers.
static ROOTS: LazyLock<Box<[f64; MAX_KEPT]>> = LazyLock::new(|| {
    let mut roots = Box::new([0.0; MAX_KEPT]);
    roots.iter_mut().enumerate().for_each(|(number, root)| *root = root_of(number));
    roots
});
/// How rare the first numbers of visits are.
static RARITIES: LazyLock<Box<[f64]>> = LazyLock::new(|| (0..MAX_KEPT).map(rarity_of).collect());

fn root_of(number: usize) -> f64 {
    (number.max(1) as f64).ln().sqrt()
}

fn rarity_of(visits: usize) -> f64 {
    1.0 / (visits as f64).sqrt()
}

/// How rare some visits are: 1 divided by the square root of their number.
pub(super) fn rarity(visits: u32) -> f64 {
    let visits = visits as usize;
    RARITIES.get(visits).copied().unwrap_or_else(|| rarity_of(visits))
}

/// The square root of the natural logarithm of a number, at least of 1.
pub(super) fn root(number: u32) -> f64 {
    ROOTS.get(number as usize).copied().unwrap_or_else(|| root_of(number as usize))
}

/// The roots that are kept.
#[derive(Clone, Copy)]
pub(super) struct KeptRoots(&'static [f64; MAX_KEPT]);

impl KeptRoots {
    pub fn new() -> KeptRoots {
        KeptRoots(&ROOTS)
    }

    /// That of a number, if it is kept ([`KeptRoots::have`]); else that of another.
    #[inline]
    pub fn of(self, number: u32) -> f64 {
        self.0.get(number as usize % MAX_KEPT).copied().unwrap_or(0.0)
    }

    /// Whether those of some numbers are kept, of which `all` has all bits.
    #[inline]
    pub fn have(self, all: u32) -> bool {
        (all as usize) < MAX_KEPT
    }
}
