//! Reversi. All directions are filled at once, each by shifting.

use super::bits::nth_of_many;
use super::{Board, End};

/// The columns that a direction east or west may fill.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;
const ALL: u64 = !0;
/// Shift and columns, of two opposite directions each.
const WAYS: [(u32, u64); 4] = [(1, INNER), (7, INNER), (8, ALL), (9, INNER)];

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Reversi {
    /// The discs of the seat to move, and those of the other; the lowest bit is A1.
    discs: [u64; 2],
    /// The seat to move.
    seat: u8,
}

/// The rows of `theirs` next to `from`, upwards and downwards.
#[inline]
fn rows(from: u64, theirs: u64, step: u32) -> (u64, u64) {
    let (mut up, mut down) = (theirs & from << step, theirs & from >> step);
    up |= theirs & up << step;
    down |= theirs & down >> step;
    let (two_up, two_down) = (theirs & theirs << step, theirs & theirs >> step);
    up |= two_up & up << (2 * step);
    down |= two_down & down >> (2 * step);
    up |= two_up & up << (2 * step);
    down |= two_down & down >> (2 * step);
    (up, down)
}

/// Where a disc outflanks.
#[inline]
fn openings(mine: u64, theirs: u64) -> u64 {
    let mut open = 0;
    for (step, columns) in WAYS {
        let (up, down) = rows(mine, theirs & columns, step);
        open |= up << step | down >> step;
    }
    open & !(mine | theirs)
}

/// What a disc turns.
#[inline]
fn outflanked(disc: u64, mine: u64, theirs: u64) -> u64 {
    let mut turned = 0;
    for (step, columns) in WAYS {
        let (up, down) = rows(disc, theirs & columns, step);
        if up << step & mine != 0 {
            turned |= up;
        }
        if down >> step & mine != 0 {
            turned |= down;
        }
    }
    turned
}

/// Where the seat to move may place; nothing: it passes.
pub struct Moves {
    open: u64,
    n: usize,
}

impl Board for Reversi {
    type Moves = Moves;
    const GAME: &'static str = "classics/reversi";

    fn start() -> Reversi {
        Reversi { discs: [1 << 28 | 1 << 35, 1 << 27 | 1 << 36], seat: 0 }
    }

    #[inline]
    fn moves(&self) -> Moves {
        let open = openings(self.discs[0], self.discs[1]);
        if open != 0 {
            return Moves { open, n: open.count_ones() as usize };
        }
        Moves { open, n: usize::from(openings(self.discs[1], self.discs[0]) != 0) }
    }

    #[inline]
    fn count(moves: &Moves) -> usize {
        moves.n
    }

    #[inline]
    fn make(&mut self, moves: &Moves, i: usize) -> Option<End> {
        let [mut mine, mut theirs] = self.discs;
        if moves.open != 0 {
            let disc = 1 << nth_of_many(moves.open, i);
            let turned = outflanked(disc, mine, theirs);
            mine |= turned | disc;
            theirs &= !turned;
        }
        self.discs = [theirs, mine];
        self.seat ^= 1;
        None
    }

    fn stuck(&self) -> End {
        let [mine, theirs] = self.discs.map(u64::count_ones);
        let seat = u16::from(self.seat);
        match mine.cmp(&theirs) {
            std::cmp::Ordering::Equal => End { label: "as many discs each", winner: None },
            std::cmp::Ordering::Greater => End { label: "most discs", winner: Some(seat) },
            std::cmp::Ordering::Less => End { label: "most discs", winner: Some(1 - seat) },
        }
    }
}
