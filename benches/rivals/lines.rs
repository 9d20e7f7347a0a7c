//! The lines of the chessboard, and how men go along them. The lowest bit is A1.

/// For each square the other squares of its file, diagonal and antidiagonal.
pub static LINES: [[u64; 3]; 64] = {
    let mut lines = [[0; 3]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let (files, ranks) = (b % 8 - a % 8, b / 8 - a / 8);
            if a != b {
                if files == 0 {
                    lines[a as usize][0] |= 1 << b;
                }
                if files == ranks {
                    lines[a as usize][1] |= 1 << b;
                }
                if files == -ranks {
                    lines[a as usize][2] |= 1 << b;
                }
            }
            b += 1;
        }
        a += 1;
    }
    lines
};

/// For each two squares in line those between them.
pub static BETWEEN: [[u64; 64]; 64] = {
    let mut between = [[0; 64]; 64];
    let mut a: i32 = 0;
    while a < 64 {
        let mut way = 0;
        while way < 8 {
            let (east, north) = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)][way];
            let (mut file, mut rank, mut set) = (a % 8 + east, a / 8 + north, 0u64);
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                between[a as usize][(8 * rank + file) as usize] = set;
                set |= 1 << (8 * rank + file);
                (file, rank) = (file + east, rank + north);
            }
            way += 1;
        }
        a += 1;
    }
    between
};

/// For each file and the inner squares of a rank that are taken, where a rook goes along the rank.
static RANK: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let taken = (inner as u32) << 1;
            let mut set = 0u32;
            let mut bit = file as i32 + 1;
            while bit < 8 {
                set |= 1 << bit;
                if taken >> bit & 1 == 1 {
                    break;
                }
                bit += 1;
            }
            bit = file as i32 - 1;
            while bit >= 0 {
                set |= 1 << bit;
                if taken >> bit & 1 == 1 {
                    break;
                }
                bit -= 1;
            }
            table[file][inner] = set as u8;
            inner += 1;
        }
        file += 1;
    }
    table
};

const fn leaps(steps: [(i32, i32); 8]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut a: i32 = 0;
    while a < 64 {
        let mut i = 0;
        while i < 8 {
            let (file, rank) = (a % 8 + steps[i].0, a / 8 + steps[i].1);
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[a as usize] |= 1 << (8 * rank + file);
            }
            i += 1;
        }
        a += 1;
    }
    table
}

/// For each square those a knight's leap away.
pub static LEAPS: [u64; 64] = leaps([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
/// For each square those around it.
pub static AROUND: [u64; 64] = leaps([(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);

/// Along a line through a square as far as the first man each way: what is taken less the square, twice, flips the bits up to the next one.
#[inline]
fn along(line: u64, square: u64, all: u64) -> u64 {
    let taken = all & line;
    let up = taken.wrapping_sub(square << 1);
    let down = taken.swap_bytes().wrapping_sub(square.swap_bytes() << 1).swap_bytes();
    (up ^ down) & line
}

/// Where a rook goes.
#[inline]
pub fn rook(at: usize, all: u64) -> u64 {
    let shift = at & 56;
    let rank = u64::from(RANK[at & 7][(all >> (shift + 1) & 63) as usize]) << shift;
    along(LINES[at & 63][0], 1 << at, all) | rank
}

/// Where a bishop goes.
#[inline]
pub fn bishop(at: usize, all: u64) -> u64 {
    let square = 1 << at;
    along(LINES[at & 63][1], square, all) | along(LINES[at & 63][2], square, all)
}

/// All that sliders reach northwards by `step`, without the columns `edge` that they would come round to.
#[inline]
pub fn fill(sliders: u64, empty: u64, step: u32, edge: u64) -> u64 {
    let (mut reach, mut free) = (sliders, empty & !edge);
    reach |= free & reach << step;
    free &= free << step;
    reach |= free & reach << (2 * step);
    free &= free << (2 * step);
    reach |= free & reach << (4 * step);
    reach << step & !edge
}

/// The same southwards.
#[inline]
pub fn fill_back(sliders: u64, empty: u64, step: u32, edge: u64) -> u64 {
    let (mut reach, mut free) = (sliders, empty & !edge);
    reach |= free & reach >> step;
    free &= free >> step;
    reach |= free & reach >> (2 * step);
    free &= free >> (2 * step);
    reach |= free & reach >> (4 * step);
    reach >> step & !edge
}

/// The line through two squares.
#[inline]
pub fn line(a: usize, b: usize) -> u64 {
    let through = |i: usize| if LINES[a & 63][i] >> b & 1 == 1 { LINES[a & 63][i] } else { 0 };
    let found = through(0) | through(1) | through(2);
    if found == 0 { 255 << (a & 56) } else { found }
}
