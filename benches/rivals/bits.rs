//! Small sets in machine words.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The `n`th member of a small set, the lowest first; there must be more than `n`.
#[inline]
pub fn nth(mut set: u64, n: usize) -> u32 {
    for _ in 0..n {
        set &= set.wrapping_sub(1);
    }
    set.trailing_zeros()
}

/// For each byte where its `n`th bit is.
static IN_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut n, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][n] = bit;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The `n`th member of a large set, without a loop; there must be more than `n`.
#[inline]
pub fn nth_of_many(set: u64, n: usize) -> u32 {
    let n = n as u64;
    let pairs = set - (set >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    // How many there are up to each byte.
    let sums = ((fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES);
    let before = ((((n * ONES) | HIGH) - sums) & HIGH) >> 7;
    let at = before.wrapping_mul(ONES) >> 56 << 3;
    let rest = n - (sums << 8 >> at & 255);
    at as u32 + u32::from(IN_BYTE[(set >> at & 255) as usize][(rest & 7) as usize])
}

/// Takes the `i`th out of a row of nibbles.
#[inline]
pub fn draw(row: &mut u64, i: usize) -> usize {
    let below = (1 << (4 * i)) - 1;
    let drawn = *row >> (4 * i) & 15;
    *row = *row & below | *row >> 4 & !below;
    drawn as usize
}
