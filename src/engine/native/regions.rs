//! Regions of memory. What is stored in one of them changes nothing that is read in another.

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// Random words, which nobody writes.
    Words,
    /// Options that are written down.
    Options,
    /// What is kept of what was found.
    Kept,
    /// What is on the stack of the function: sets in parts, totals.
    Locals,
    /// A position with its value indexes, but for the frames of active codes.
    Position,
    /// Those frames.
    Frames,
    /// A field of the context: its first byte.
    Context(i32),
}

impl Region {
    /// A number of its own.
    pub fn id(self) -> u32 {
        match self {
            Region::Words => 0,
            Region::Options => 1,
            Region::Kept => 2,
            Region::Locals => 3,
            Region::Position => 4,
            Region::Frames => 5,
            Region::Context(at) => at as u32 + 6,
        }
    }
}
