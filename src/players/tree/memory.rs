//! The memory of a tree, which the next tree uses again.

use crate::players::judge::Tally;
use crate::players::known::KnownNodes;
use crate::players::node::{Edges, Node};

/// The most nodes, and the most bytes of known ones, of which the memory is kept.
const MAX_NODES: usize = 1 << 14;
const MAX_BYTES: usize = 1 << 23;

/// What a tree has, in lists that grow with it.
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) nodes: Vec<Node>,
    /// For each node what leads on from it.
    pub(super) edges: Vec<Edges>,
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
        self.edges.clear();
        self.tallies.clear();
        self.known.clear();
        self
    }

    /// Adds a node that nothing is counted of, in a game of so many seats.
    pub(super) fn add(&mut self, node: Node, seats: usize) {
        self.nodes.push(node);
        self.edges.push(Edges::default());
        self.tallies.resize(self.nodes.len() * seats, Tally::default());
    }

    /// Makes room for so many nodes.
    pub(super) fn reserve(&mut self, nodes: usize, seats: usize) {
        self.nodes.reserve(nodes);
        self.edges.reserve(nodes);
        self.tallies.reserve(nodes * seats);
    }
}
