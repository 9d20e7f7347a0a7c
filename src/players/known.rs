//! What is known of the nodes to which all playouts come in the same position.

use std::num::NonZeroU32;
use std::ops::Range;

use super::arms::{Arms, Numbers};
use crate::game::{Choice, Position, Positions};

/// The most bytes that positions and options of known nodes take.
const MAX_BYTES: usize = 1 << 28;

/// The number of the node behind an option, if it is there. It is never the root.
pub(super) type Behind = Option<NonZeroU32>;

/// The node of a number, as one behind an option.
pub(super) fn behind(node: usize) -> Behind {
    u32::try_from(node).ok().and_then(NonZeroU32::new)
}

/// The number of a node behind an option.
#[inline]
pub(super) fn number(child: NonZeroU32) -> usize {
    child.get() as usize
}

/// What is known of a node where a seat decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The number of its position.
    position: u32,
    /// Who decides.
    seat: u32,
    /// Where its options begin, and how many there are.
    first: u32,
    count: NonZeroU32,
    /// How many options have no node.
    pub missing: u32,
    /// How many playouts have come through since it is known.
    pub passed: u32,
    /// What was found out about the options once all of them have nodes: playouts then go through without a look at
    /// the position.
    pub arms: Option<Arms>,
}

impl Known {
    /// Who decides.
    pub fn seat(self) -> usize {
        self.seat as usize
    }

    /// Where its options stand.
    fn places(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.count.get() as usize
    }
}

/// What the known nodes of a tree have, side by side in a few lists.
#[derive(Debug, Default)]
pub(super) struct KnownNodes {
    positions: Positions,
    options: Vec<Choice>,
    behind: Vec<Behind>,
    pub numbers: Numbers,
    /// How many bytes the positions and options take.
    bytes: usize,
}

impl KnownNodes {
    /// Keeps the position of a node, and the options of a seat with the nodes behind them. `None` if there is no
    /// option, or no room.
    pub fn add(
        &mut self,
        position: &Position,
        seat: usize,
        options: impl ExactSizeIterator<Item = Choice>,
        behind: &[Behind],
    ) -> Option<Known> {
        let count = options.len();
        let bytes = position.bytes().len() + count * (size_of::<Choice>() + size_of::<Behind>());
        if count != behind.len() || self.bytes + bytes > MAX_BYTES {
            return None;
        }
        let small = |n: usize| u32::try_from(n).ok();
        let (seat, first, count) = (small(seat)?, small(self.options.len())?, small(count).and_then(NonZeroU32::new)?);
        let position = small(self.positions.keep(position))?;
        self.bytes += bytes;
        self.options.extend(options);
        self.behind.extend_from_slice(behind);
        let missing = behind.iter().filter(|child| child.is_none()).count() as u32;
        Some(Known { position, seat, first, count, missing, passed: 0, arms: None })
    }

    /// How many bytes the positions and options take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.options.clear();
        self.behind.clear();
        self.numbers.clear();
        self.bytes = 0;
    }

    /// Makes a position that of a node.
    pub fn copy_position(&self, known: Known, to: &mut Position) {
        self.positions.copy_to(known.position as usize, to);
    }

    /// The options of a node.
    pub fn options(&self, known: Known) -> &[Choice] {
        self.options.get(known.places()).unwrap_or_default()
    }

    /// The nodes behind the options of a node.
    pub fn behind(&self, known: Known) -> &[Behind] {
        self.behind.get(known.places()).unwrap_or_default()
    }

    /// The same; and the numbers of all arms, to be added to.
    pub fn behind_and_numbers(&mut self, known: Known) -> (&[Behind], &mut Numbers) {
        (self.behind.get(known.places()).unwrap_or_default(), &mut self.numbers)
    }

    /// An option of a node.
    pub fn option(&self, known: Known, arm: usize) -> Option<Choice> {
        self.options.get(known.first as usize + arm).copied()
    }

    /// The node behind an option of a node; `None` if there is no such option.
    #[inline]
    pub fn node_behind(&self, known: Known, arm: usize) -> Option<Behind> {
        self.behind.get(known.first as usize + arm).copied()
    }

    /// The node behind an option of a node, to be changed.
    pub fn behind_mut(&mut self, known: Known, arm: usize) -> Option<&mut Behind> {
        self.behind.get_mut(known.first as usize + arm)
    }
}
