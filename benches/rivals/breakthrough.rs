//! Breakthrough.

use super::bits::nth_of_many;
use super::{Board, End};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Breakthrough {
    /// The men of White and of Black; the lowest bit is A1.
    men: [u64; 2],
    /// The seat to move.
    seat: u8,
}

/// Where the men go to: towards A, ahead, towards H.
pub struct Moves {
    to: [u64; 3],
    sums: [usize; 3],
}

impl Breakthrough {
    /// From and to.
    #[inline]
    fn squares(&self, moves: &Moves, i: usize) -> (u32, u32) {
        let way = usize::from(i >= moves.sums[0]) + usize::from(i >= moves.sums[1]);
        let before = if way == 0 { 0 } else { moves.sums[way - 1] };
        let to = nth_of_many(moves.to[way], i - before);
        let step = 7 + way as u32;
        (if self.seat == 0 { to - step } else { to + 16 - step }, to)
    }
}

impl Board for Breakthrough {
    type Moves = Moves;
    const IN_ORDER: bool = false;
    const GAME: &'static str = "classics/breakthrough";

    fn start() -> Breakthrough {
        Breakthrough { men: [0xffff, 0xffff << 48], seat: 0 }
    }

    #[inline]
    fn moves(&self) -> Moves {
        let [white, black] = self.men;
        let empty = !(white | black);
        let to = if self.seat == 0 {
            [(white & !FILE_A) << 7 & !white, white << 8 & empty, (white & !FILE_H) << 9 & !white]
        } else {
            [(black & !FILE_A) >> 9 & !black, black >> 8 & empty, (black & !FILE_H) >> 7 & !black]
        };
        let n = to.map(|t| t.count_ones() as usize);
        Moves { to, sums: [n[0], n[0] + n[1], n[0] + n[1] + n[2]] }
    }

    #[inline]
    fn count(moves: &Moves) -> usize {
        moves.sums[2]
    }

    #[inline]
    fn make(&mut self, moves: &Moves, i: usize) -> Option<End> {
        let (from, to) = self.squares(moves, i);
        let seat = usize::from(self.seat & 1);
        self.men[seat] ^= 1 << from | 1 << to;
        self.men[1 - seat] &= !(1 << to);
        self.seat ^= 1;
        let last = if seat == 0 { to >= 56 } else { to < 8 };
        if last {
            return Some(End { label: "on the last row", winner: Some(seat as u16) });
        }
        (self.men[1 - seat] == 0).then(|| self.stuck())
    }

    fn stuck(&self) -> End {
        End { label: "no men left", winner: Some(u16::from(self.seat ^ 1)) }
    }

    fn key(&self, moves: &Moves, i: usize) -> u64 {
        let (from, to) = self.squares(moves, i);
        u64::from(64 * from + to)
    }
}
