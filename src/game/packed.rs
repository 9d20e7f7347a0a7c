//! A position as it is kept where many are: without the parts that are zero.

use super::Position;
use crate::model::Model;

/// Bytes that are left out together, if all of them are zero.
const WORD: usize = 8;

/// Words in a block. A byte says which of them are there.
const BLOCK: usize = 8;

/// The bytes that most packed positions need at most.
const ROOM: usize = 1024;

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
        let (blocks, rest) = position.bytes().as_chunks::<{ WORD * BLOCK }>();
        let rest = (!rest.is_empty()).then_some(rest);
        let mut there = Vec::with_capacity(blocks.len() + 1);
        let mut words = Vec::with_capacity(ROOM);
        for block in blocks {
            let any = block.iter().fold(0, |any, byte| any | byte);
            there.push(if any == 0 { 0 } else { pack(block, &mut words) });
        }
        there.extend(rest.map(|rest| pack(rest, &mut words)));
        there.extend_from_slice(&words);
        Packed { bytes: there.into_boxed_slice() }
    }

    /// The position, of the same rules.
    #[must_use]
    pub fn unpack(&self, model: &Model) -> Position {
        let mut position = Position::zero(model);
        let blocks = position.bytes_mut().chunks_mut(WORD * BLOCK);
        let (there, mut words) = self.bytes.split_at(blocks.len().min(self.bytes.len()));
        for (block, there) in blocks.zip(there).filter(|(_, there)| **there != 0) {
            for (_, to) in block.chunks_mut(WORD).enumerate().filter(|(bit, _)| there >> bit & 1 != 0) {
                let (word, rest) = words.split_at(to.len().min(words.len()));
                if to.len() == word.len() {
                    to.copy_from_slice(word);
                }
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

/// Writes down the words of a block that are not zero; returns which these are.
fn pack(block: &[u8], words: &mut Vec<u8>) -> u8 {
    let mut there = 0;
    for (bit, word) in block.chunks(WORD).enumerate() {
        let any = word.iter().fold(0, |any, byte| any | byte);
        if any != 0 {
            there |= 1 << bit;
            words.extend_from_slice(word);
        }
    }
    there
}
