//! A position as it is kept where many are: without the parts that are zero.

use super::Position;
use crate::model::Model;

/// Bytes that are left out together, if all of them are zero.
const WORD: usize = 8;

/// Words in a block. A byte says which of them are there.
const BLOCK: usize = 8;

/// A position packed: for each block a byte with a bit for each of its words, set if the word is not zero; then the
/// words that are not zero. Most of a large position is bags, and most bags hold little.
///
/// Equality, order and hash are over these bytes. Two packed positions of the same rules are equal if the positions
/// are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Packed {
    bytes: Box<[u8]>,
}

impl Packed {
    /// Packs a position.
    #[must_use]
    pub fn new(position: &Position) -> Packed {
        let blocks = position.bytes().chunks(WORD * BLOCK);
        let mut bytes = vec![0; blocks.len()];
        for (at, block) in blocks.enumerate() {
            if block.iter().fold(0, |any, byte| any | byte) == 0 {
                continue;
            }
            let mut there = 0;
            for (bit, word) in block.chunks(WORD).enumerate().filter(|(_, word)| word.iter().any(|byte| *byte != 0)) {
                there |= 1 << bit;
                bytes.extend_from_slice(word);
            }
            if let Some(byte) = bytes.get_mut(at) {
                *byte = there;
            }
        }
        Packed { bytes: bytes.into_boxed_slice() }
    }

    /// The position, of the same rules.
    #[must_use]
    pub fn unpack(&self, model: &Model) -> Position {
        let mut position = Position::zero(model);
        let blocks = position.bytes_mut().chunks_mut(WORD * BLOCK);
        let (there, mut words) = self.bytes.split_at(blocks.len().min(self.bytes.len()));
        for (block, there) in blocks.zip(there) {
            for (_, to) in block.chunks_mut(WORD).enumerate().filter(|(bit, _)| there >> bit & 1 != 0) {
                let (word, rest) = words.split_at(to.len().min(words.len()));
                to.iter_mut().zip(word).for_each(|(to, byte)| *to = *byte);
                words = rest;
            }
        }
        position
    }

    /// The bytes kept.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
