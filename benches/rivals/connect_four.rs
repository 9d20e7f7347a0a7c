//! Connect four: columns of seven bits, the highest of which stays free.

use super::bits::draw;
use super::{Board, End};

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct ConnectFour {
    /// The discs of the seat to move, and those of the other.
    discs: [u64; 2],
    /// The columns with room in order, a nibble each.
    open: u64,
    /// How many they are.
    columns: u8,
    /// How many discs lie.
    plies: u8,
}

/// Whether there are four in a row.
#[inline]
fn four(discs: u64) -> bool {
    let row = |step: u32| {
        let two = discs & discs >> step;
        two & two >> (2 * step)
    };
    row(1) | row(6) | row(7) | row(8) != 0
}

impl Board for ConnectFour {
    type Moves = usize;
    const GAME: &'static str = "classics/connect-four";

    fn start() -> ConnectFour {
        ConnectFour { discs: [0; 2], open: 0x654_3210, columns: 7, plies: 0 }
    }

    #[inline]
    fn moves(&self) -> usize {
        usize::from(self.columns)
    }

    #[inline]
    fn count(moves: &usize) -> usize {
        *moves
    }

    #[inline]
    fn make(&mut self, _: &usize, i: usize) -> Option<End> {
        let seat = u16::from(self.plies % 2);
        let column = 7 * (self.open >> (4 * i) & 15);
        let all = self.discs[0] | self.discs[1];
        let disc = (all + (1 << column)) & 63 << column;
        let mine = self.discs[0] | disc;
        self.discs = [self.discs[1], mine];
        self.plies += 1;
        if disc >> column == 32 {
            draw(&mut self.open, i);
            self.columns -= 1;
        }
        if four(mine) {
            Some(End { label: "four in a row", winner: Some(seat) })
        } else {
            (self.plies == 42).then(|| self.stuck())
        }
    }

    fn stuck(&self) -> End {
        End { label: "the board is full", winner: None }
    }
}
