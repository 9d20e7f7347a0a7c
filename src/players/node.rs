//! A node of the tree of the bot that searches.

use super::arms::Arms;
use super::bound::{Logarithms, bound, value};
use super::judge::{Scale, Tally};
use crate::game::{Choice, Position};

/// What leads from a node to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edge {
    /// The number of an option's text, at the root.
    Said(usize),
    /// A choice further on.
    Made(Choice),
}

/// What was found out behind an edge.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// In the order of the edges; where all are known, in that of the options.
    pub next: Vec<(Edge, usize)>,
    pub visits: u32,
    /// How many of the visits were no playouts: it was judged.
    pub judged: u32,
    /// How often it could have been taken before all options beside it had nodes.
    pub available: u32,
    /// Whether the options here were judged.
    pub options_judged: bool,
    /// What is known of it once a playout came through, if it is the same whenever one does.
    pub known: Option<Box<Known>>,
    /// Who wins if everybody goes on as well as possible, as in [`Position::winners`], if that is proved.
    pub proved: Option<u32>,
}

/// What is known of a node where a seat decides.
#[derive(Debug)]
pub(super) struct Known {
    /// The position there.
    pub position: Position,
    /// Who decides.
    pub seat: usize,
    /// The options, and the nodes behind them, if they are there. Nothing once all are there.
    pub options: Vec<Choice>,
    pub behind: Vec<Option<usize>>,
    /// What was found out about the options once all of them have nodes: playouts then go through without a look at
    /// the position.
    pub arms: Option<Arms>,
    /// How many playouts have come through since.
    pub passed: u32,
}

impl Node {
    /// What was found out about its options, if all of them have nodes.
    pub fn arms(&self) -> Option<&Arms> {
        self.known.as_ref()?.arms.as_ref()
    }

    /// The same, to be added to.
    pub fn arms_mut(&mut self) -> Option<&mut Arms> {
        self.known.as_mut()?.arms.as_mut()
    }

    /// The node behind an edge. `near` is where the search begins, and is left where the next edge belongs: edges are
    /// mostly asked for in order.
    pub fn behind(&self, edge: Edge, near: &mut usize) -> Option<usize> {
        let edge_at = |place: usize| self.next.get(place).map(|(edge, _)| edge);
        let found = match edge_at(*near) {
            Some(other) if *other == edge => Ok(*near),
            other => {
                let is_before = other.is_none_or(|other| edge < *other);
                let is_behind = near.checked_sub(1).and_then(edge_at).is_none_or(|last| *last < edge);
                if is_before && is_behind {
                    Err(*near)
                } else {
                    self.next.binary_search_by(|(other, _)| other.cmp(&edge))
                }
            }
        };
        match found {
            Ok(place) => {
                *near = place + 1;
                self.next.get(place).map(|(_, node)| *node)
            }
            Err(place) => {
                *near = place;
                None
            }
        }
    }
}

/// Upper confidence bounds of nodes behind one.
pub(super) struct Upper<'n> {
    pub nodes: &'n [Node],
    pub tallies: &'n [Tally],
    pub seats: usize,
    pub scale: Scale,
    pub exploration: f64,
}

impl Upper<'_> {
    /// The place of the highest for a seat; of several, the first.
    pub fn highest(&self, behind: impl Iterator<Item = Option<usize>>, seat: usize) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        let logarithms = Logarithms::new();
        // Most nodes were available equally often.
        let (mut available, mut log) = (1, 0.0);
        for (i, child) in behind.enumerate() {
            let Some((at, node)) = child.and_then(|at| Some((at, self.nodes.get(at)?))) else { continue };
            if node.available != available {
                available = node.available;
                log = logarithms.of(available);
            }
            let sum = self.tallies.get(at * self.seats + seat).map_or(0.0, |tally| tally.sum(self.scale));
            let bound = match node.proved {
                Some(winners) => value(winners, seat),
                None if node.visits == 0 => f64::INFINITY,
                None => bound(sum, f64::from(node.visits), log, self.exploration),
            };
            if bound > best.1 {
                best = (i, bound);
            }
        }
        best.0
    }
}
