//! The positions that play can be in after so many plies, each once, with its chance.

use std::hash::{BuildHasherDefault, Hash, Hasher};

use indexmap::IndexMap;
use xxhash_rust::xxh3::xxh3_64;

use super::Ratio;
use crate::game::Packed;

/// Positions with their chances, in the order in which they were first added.
#[derive(Default)]
pub(super) struct Layer {
    chances: IndexMap<Key, Ratio, BuildHasherDefault<Known>>,
}

impl Layer {
    /// Adds a chance to that of a position.
    pub(super) fn add(&mut self, position: Packed, chance: Ratio) {
        self.join(Key::new(position), chance);
    }

    /// Adds what another layer has.
    pub(super) fn append(&mut self, other: Layer) {
        other.chances.into_iter().for_each(|(key, chance)| self.join(key, chance));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chances.is_empty()
    }

    /// The positions, in their order.
    pub(super) fn into_positions(self) -> Vec<(Packed, Ratio)> {
        self.chances.into_iter().map(|(key, chance)| (key.position, chance)).collect()
    }

    fn join(&mut self, key: Key, chance: Ratio) {
        let sum = self.chances.entry(key).or_insert(Ratio::ZERO);
        *sum = sum.plus(chance);
    }
}

/// A position with the hash of its bytes, which is computed once.
#[derive(PartialEq, Eq)]
struct Key {
    hash: u64,
    position: Packed,
}

impl Key {
    fn new(position: Packed) -> Key {
        Key { hash: xxh3_64(position.bytes()), position }
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Passes on the hash that a key brings.
#[derive(Default)]
struct Known(u64);

impl Hasher for Known {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
