//! Small sets in machine words.

/// The `n`th member of a set, the lowest first; there must be more than `n`.
#[inline]
pub fn nth(mut set: u64, n: usize) -> u32 {
    for _ in 0..n {
        set &= set.wrapping_sub(1);
    }
    set.trailing_zeros()
}
