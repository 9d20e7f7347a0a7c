//! Tic-tac-toe.

use super::bits::draw;
use super::{Board, End};

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// Which sets of cells hold a line: a bit each.
static WON: [u64; 8] = {
    let mut won = [0; 8];
    let mut set = 0;
    while set < 512 {
        let mut i = 0;
        while i < 8 {
            if set & LINES[i] == LINES[i] {
                won[set as usize / 64] |= 1 << (set % 64);
            }
            i += 1;
        }
        set += 1;
    }
    won
};

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct TicTacToe {
    /// The cells of the seat to move, and those of the other.
    marks: [u16; 2],
    /// The free cells in order, a nibble each.
    free: u64,
    /// How many they are.
    left: u8,
}

impl Board for TicTacToe {
    type Moves = usize;
    const GAME: &'static str = "classics/tic-tac-toe";

    fn start() -> TicTacToe {
        TicTacToe { marks: [0; 2], free: 0x8_7654_3210, left: 9 }
    }

    #[inline]
    fn moves(&self) -> usize {
        usize::from(self.left)
    }

    #[inline]
    fn count(moves: &usize) -> usize {
        *moves
    }

    #[inline]
    fn make(&mut self, _: &usize, i: usize) -> Option<End> {
        let seat = u16::from(self.left.is_multiple_of(2));
        let mine = self.marks[0] | 1 << draw(&mut self.free, i);
        self.marks = [self.marks[1], mine];
        self.left -= 1;
        if WON[usize::from(mine / 64) & 7] >> (mine % 64) & 1 == 1 {
            Some(End { label: "three in a row", winner: Some(seat) })
        } else {
            (self.left == 0).then(|| self.stuck())
        }
    }

    fn stuck(&self) -> End {
        End { label: "the board is full", winner: None }
    }
}
