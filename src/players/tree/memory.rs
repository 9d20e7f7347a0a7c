//! The memory of a tree, which the next tree uses again.

use crate::players::judge::Tally;
use crate::players::known::KnownNodes;
use crate::players::node::Node;

/// The most nodes, and the most bytes of known ones, of which the memory is kept.
const MAX_NODES: usize = 1 << 14;
const MAX_BYTES: usize = 1 << 23;

/// What a tree has, in lists that grow with it.
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) nodes: Vec<Node>,
    /// For each node and seat what the playouts through it came to.
    pub(super) tallies: Vec<Tally>,
    /// What is kept of the nodes that are known.
    pub(super) known: KnownNodes,
}

/// A copy has memory of its own.
impl Clone for Memory {
    fn clone(&self) -> Memory {
        Memory::default()
    }
}

impl Memory {
    /// Empty, with room for what was there unless that was much.
    pub(super) fn emptied(mut self) -> Memory {
        if self.nodes.len() > MAX_NODES || self.known.bytes() > MAX_BYTES {
            return Memory::default();
        }
        self.nodes.clear();
        self.tallies.clear();
        self.known.clear();
        self
    }
}
