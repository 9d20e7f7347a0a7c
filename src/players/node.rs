//! A node of the tree of the bot that searches.

use super::arms::Arms;
use super::bound::{bound, rarity, root, value};
use super::judge::{Scale, Tally};
use super::known::{Behind, Known, number};
use crate::game::Choice;

/// What leads from a node to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edge {
    /// The number of an option's text, at the root.
    Said(usize),
    /// A choice further on.
    Made(Choice),
}

/// The edges of a node with the numbers of the nodes behind them, in order. What was entered since the node is known
/// is only there ([`Known`]), except at the root.
#[derive(Debug, Default)]
pub(super) struct Edges(Vec<(Edge, usize)>);

impl Edges {
    /// All, in order.
    pub fn all(&self) -> &[(Edge, usize)] {
        &self.0
    }

    /// The node behind an edge. `near` is where the search begins, and is left where the next edge belongs: edges are
    /// mostly asked for in order.
    pub fn behind(&self, edge: Edge, near: &mut usize) -> Option<usize> {
        let edge_at = |place: usize| self.0.get(place).map(|(edge, _)| edge);
        let found = match edge_at(*near) {
            Some(other) if *other == edge => Ok(*near),
            other => {
                let is_before = other.is_none_or(|other| edge < *other);
                let is_behind = near.checked_sub(1).and_then(edge_at).is_none_or(|last| *last < edge);
                if is_before && is_behind { Err(*near) } else { self.place(edge) }
            }
        };
        match found {
            Ok(place) => {
                *near = place + 1;
                self.0.get(place).map(|(_, node)| *node)
            }
            Err(place) => {
                *near = place;
                None
            }
        }
    }

    /// The node behind an edge; if there is none, the one of a number is put there. `None` if there is neither. Where
    /// an edge is the first, there is room for some more.
    pub fn enter(&mut self, edge: Edge, new: Option<usize>, room: usize) -> Option<usize> {
        match self.place(edge) {
            Ok(place) => self.0.get(place).map(|(_, node)| *node),
            Err(place) => {
                let new = new?;
                if self.0.is_empty() {
                    self.0.reserve(room);
                }
                self.0.insert(place, (edge, new));
                Some(new)
            }
        }
    }

    /// Where an edge stands, or belongs.
    fn place(&self, edge: Edge) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(&edge))
    }
}

/// What was found out behind an edge. A node fills one cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Node {
    pub visits: u32,
    /// How many of the visits were no playouts: it was judged.
    pub judged: u32,
    /// How often it could have been taken. Where the node before it is known, that is less by how many playouts have
    /// come through that one since; the difference wraps around.
    pub available: u32,
    /// Whether the options here were judged.
    pub options_judged: bool,
    /// What is known of it once a playout came through, if it is the same whenever one does.
    pub known: Option<Known>,
    /// Whether the game is over here, whenever a playout comes to it; `proved` says who wins.
    pub is_over: bool,
    /// Who wins if everybody goes on as well as possible, as in [`Position::winners`](crate::game::Position::winners),
    /// if that is proved.
    pub proved: Option<u32>,
}

const _: () = assert!(size_of::<Node>() == 64);

impl Node {
    /// What was found out about its options, if all of them have nodes.
    pub fn arms(&self) -> Option<Arms> {
        self.known?.arms
    }
}

/// Upper confidence bounds of nodes behind one.
pub(super) struct Upper<'n> {
    pub nodes: &'n [Node],
    pub tallies: &'n [Tally],
    pub seats: usize,
    pub scale: Scale,
    pub exploration: f64,
    /// How many playouts have come through the node before them since it is known.
    pub passed: u32,
}

impl Upper<'_> {
    /// The place of the highest for a seat; of several, the first.
    pub fn highest(&self, behind: &[Behind], seat: usize) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, child) in behind.iter().enumerate() {
            let Some(at) = child.map(number) else { continue };
            let Some(node) = self.nodes.get(at) else { continue };
            let sum = self.tallies.get(at * self.seats + seat).map_or(0.0, |tally| tally.sum(self.scale));
            let bound = match node.proved {
                Some(winners) => value(winners, seat),
                None if node.visits == 0 => f64::INFINITY,
                None => {
                    let visits = f64::from(node.visits);
                    let root = root(node.available.wrapping_add(self.passed));
                    bound(sum / visits, rarity(node.visits), root, self.exploration)
                }
            };
            if bound > best.1 {
                best = (i, bound);
            }
        }
        best.0
    }
}
