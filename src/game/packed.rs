//! A position as it is kept where many are: without the parts that are zero.

use super::{Position, sparse};
use crate::model::Model;

/// Most packed positions need at most so many bytes.
const ROOM: usize = 1024;

/// A position packed: all of it is kept sparse. Of the variables on the stack and of those that are seldom set, most is
/// zero.
///
/// Equality, order and hash are over these bytes. Two packed positions of the same rules are equal if the positions
/// are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Packed {
    bytes: Box<[u8]>,
}

impl Packed {
    /// Packs a position of these rules.
    #[must_use]
    pub fn new(position: &Position, model: &Model) -> Packed {
        let kept = position.bytes();
        let (plain, rest) = kept.split_at(kept.len().min(model.layout.plain as usize));
        let mut bytes = Vec::with_capacity(ROOM);
        sparse::pack(plain, &mut bytes);
        bytes.extend_from_slice(rest);
        Packed { bytes: bytes.into_boxed_slice() }
    }

    /// The position, of the same rules.
    #[must_use]
    pub fn unpack(&self, model: &Model) -> Position {
        let mut plain = vec![0; model.layout.plain as usize];
        let rest = sparse::unpack(&self.bytes, &mut plain);
        Position::of_parts(plain, rest)
    }

    /// The bytes kept.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
