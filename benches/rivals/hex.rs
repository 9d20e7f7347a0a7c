//! Hex, eleven by eleven, A1 the lowest bit.

use super::{Board, End};

const CELLS: usize = 121;

/// The cells of the first row, of the first column.
const TOP: u128 = (1 << 11) - 1;
const LEFT: u128 = {
    let mut left = 0;
    let mut row = 0;
    while row < 11 {
        left |= 1 << (11 * row);
        row += 1;
    }
    left
};

/// For each seat where its chain begins and where it ends.
const EDGES: [(u128, u128); 2] = [(TOP, TOP << 110), (LEFT, LEFT << 10)];

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Hex {
    /// For each seat its stones that are joined to the edge where its chain begins.
    joined: [u128; 2],
    /// For each seat its other stones.
    loose: [u128; 2],
    /// The free cells, in any order.
    free: [u8; CELLS],
    /// How many they are.
    left: u8,
}

/// The cells around some cells.
#[inline]
const fn around(cells: u128) -> u128 {
    let (not_left, not_right) = (cells & !LEFT, cells & !(LEFT << 10));
    cells << 11 | cells >> 11 | not_left >> 1 | not_left << 10 | not_right << 1 | not_right >> 10
}

/// For each cell those around it.
static AROUND: [u128; 128] = {
    let mut table = [0; 128];
    let mut cell = 0;
    while cell < CELLS {
        table[cell] = around(1 << cell);
        cell += 1;
    }
    table
};

impl Board for Hex {
    type Moves = usize;
    const IN_ORDER: bool = false;
    const GAME: &'static str = "classics/hex";

    fn start() -> Hex {
        let free = std::array::from_fn(|i| i as u8);
        Hex { joined: [0; 2], loose: [0; 2], free, left: CELLS as u8 }
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
    fn make(&mut self, n: &usize, i: usize) -> Option<End> {
        let seat = usize::from(self.left.is_multiple_of(2));
        let at = usize::from(self.free[i] & 127);
        self.free[i] = self.free[n - 1];
        self.left -= 1;
        let (begin, end) = EDGES[seat];
        let cell = 1 << at;
        if (AROUND[at] & self.joined[seat] | cell & begin) == 0 {
            self.loose[seat] |= cell;
            return None;
        }
        let mut next = cell;
        while next != 0 {
            self.joined[seat] |= next;
            self.loose[seat] &= !next;
            next = around(next) & self.loose[seat];
        }
        (self.joined[seat] & end != 0).then_some(End { label: "sides joined", winner: Some(seat as u16) })
    }

    fn stuck(&self) -> End {
        End { label: "sides joined", winner: None }
    }

    fn key(&self, _: &usize, i: usize) -> u64 {
        u64::from(self.free[i])
    }
}
