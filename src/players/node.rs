//! A node of the tree of the bot that searches.

use super::judge::{Scale, Tally};
use crate::game::{Choice, Position};

/// How many logarithms are kept.
const MAX_LOGARITHMS: usize = 1 << 14;

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
    /// What is known once all its options have nodes, and are the same whenever a playout comes through.
    pub complete: Option<Box<Complete>>,
    /// Who wins if everybody goes on as well as possible, as in [`Position::winners`], if that is proved.
    pub proved: Option<u32>,
}

/// A node that playouts go through without looking at the position.
#[derive(Debug)]
pub(super) struct Complete {
    /// The position there.
    pub position: Position,
    /// Who decides.
    pub seat: usize,
    /// How many playouts have come through since it was complete.
    pub passed: u32,
}

impl Node {
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

    /// How many playouts have come through since it was complete.
    pub fn passed(&self) -> u32 {
        self.complete.as_ref().map_or(0, |complete| complete.passed)
    }

    /// The upper confidence bound of its value to a seat; `sum` is that of its values, `log` the logarithm of how often
    /// it was available.
    fn bound(&self, sum: f64, log: f64, exploration: f64) -> f64 {
        if self.visits == 0 {
            return f64::INFINITY;
        }
        let visits = f64::from(self.visits);
        let mean = sum / visits;
        mean + exploration * (log / visits).sqrt()
    }
}

/// Upper confidence bounds of nodes behind one.
pub(super) struct Upper<'n> {
    pub nodes: &'n [Node],
    pub tallies: &'n [Tally],
    pub seats: usize,
    pub scale: Scale,
    pub exploration: f64,
    /// How many playouts have come through the node before since it was complete.
    pub passed: u32,
}

impl Upper<'_> {
    /// The place of the highest for a seat; of several, the first.
    pub fn highest(&self, behind: impl Iterator<Item = Option<usize>>, seat: usize, logs: &mut Logarithms) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        // Most nodes were available equally often.
        let (mut available, mut log) = (1, 0.0);
        for (i, child) in behind.enumerate() {
            let Some((at, node)) = child.and_then(|at| Some((at, self.nodes.get(at)?))) else { continue };
            if node.available + self.passed != available {
                available = node.available + self.passed;
                log = logs.of(available);
            }
            let sum = self.tallies.get(at * self.seats + seat).map_or(0.0, |tally| tally.sum(self.scale));
            let bound = match node.proved.map(|winners| Proof::of(winners, seat)) {
                None => node.bound(sum, log, self.exploration),
                Some(Proof::Lost) => 0.0,
                Some(Proof::Drawn) => 0.5,
                Some(Proof::Won) => f64::INFINITY,
            };
            if bound > best.1 {
                best = (i, bound);
            }
        }
        best.0
    }
}

/// What is proved of a node to a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    Lost,
    Drawn,
    Won,
}

impl Proof {
    /// What it is to a seat that some win.
    pub fn of(winners: u32, seat: usize) -> Proof {
        match winners {
            0 => Proof::Drawn,
            _ if winners.checked_shr(seat as u32).unwrap_or(0) & 1 == 1 => Proof::Won,
            _ => Proof::Lost,
        }
    }
}

/// Natural logarithms; those of the first numbers are kept.
#[derive(Debug, Default)]
pub(super) struct Logarithms(Vec<f64>);

impl Logarithms {
    /// The natural logarithm of a number, at least of 1.
    pub fn of(&mut self, number: u32) -> f64 {
        let log = |number: usize| (number.max(1) as f64).ln();
        let number = number as usize;
        match self.0.get(number) {
            Some(kept) => *kept,
            None if number >= MAX_LOGARITHMS => log(number),
            None => {
                self.0.extend((self.0.len()..=number).map(log));
                log(number)
            }
        }
    }
}
