//! Which option is tried at a node, and what is kept to tell.

use super::{Memory, Tree};
use crate::game::{Choice, Evaluator, Position, Turn};
use crate::players::arms::{Arm, Arms};
use crate::players::guess::World;
use crate::players::known::{Behind, behind, number};
use crate::players::node::{Edge, Node, Upper};

/// How much a choice that was tried seldom is favoured, where a playout is won or lost.
const EXPLORATION: f64 = 0.7;

/// The least part of it that is left where playouts come to values that hardly differ.
const LEAST_EXPLORATION: f64 = 0.05;

/// What is tried at a node: the number of an option, and the node behind it, if that is known.
pub(super) type Tried = (usize, Option<usize>);

/// The place of one of the options that have no node.
fn nth_missing(behind: &[Behind], nth: usize) -> usize {
    behind.iter().enumerate().filter(|(_, child)| child.is_none()).nth(nth).map_or(0, |(place, _)| place)
}

impl<E: Evaluator> Tree<'_, E> {
    /// The option that is tried at the root, and a choice that it stands for.
    pub(super) fn first(&mut self, world: &World) -> Option<(Edge, Choice, Tried)> {
        let edges = world.first.iter().map(|(said, _)| Edge::Said(*said));
        self.look_behind(0, edges);
        let tried = self.select(self.seat);
        if self.is_open && !self.behind.contains(&None) {
            // Where nothing is hidden, each text stands for one choice.
            let choices = world.first.iter().filter_map(|(_, choices)| choices.first().copied());
            self.know(0, &world.position, self.seat, choices.collect::<Vec<_>>().into_iter());
            self.complete(0);
        }
        let (said, choices) = world.first.get(tried.0)?;
        let choice = choices.get(self.dice.below(choices.len()))?;
        Some((Edge::Said(*said), *choice, tried))
    }

    /// What is tried at a node further on, among the options at hand.
    pub(super) fn further(&mut self, position: &Position, turn: Turn, at: usize, world: usize) -> Tried {
        let options = std::mem::take(&mut self.options);
        let tried = match turn {
            Turn::Seat(seat) if options.len() > 1 => {
                let seat = usize::from(seat);
                if self.is_to_judge(at, options.len()) {
                    self.judge_options(at, position, &options, (world, seat));
                }
                self.look_behind(at, options.iter().map(|choice| Edge::Made(*choice)));
                let tried = self.select(seat);
                if self.is_open {
                    self.know(at, position, seat, options.iter().copied());
                    self.complete(at);
                }
                tried
            }
            _ if options.is_empty() => (0, None),
            _ => (self.dice.below(options.len()), None),
        };
        self.options = options;
        tried
    }

    /// What is tried at a node that is known, with who makes the choice: there nothing need be asked of the position.
    pub(super) fn known(&mut self, at: usize, world: usize) -> Option<(usize, Tried)> {
        let noted = self.memory.nodes.get_mut(at)?.known.as_mut()?;
        // To copy what was just written in parts is slow.
        let known = *noted;
        let Some(arms) = known.arms else { return self.known_in_part(at, world) };
        let (seat, passed) = (known.seat(), known.passed + 1);
        noted.passed = passed;
        let scale = self.judge.weighs().then(|| self.judge.scale(seat));
        let arm = arms.highest(&self.memory.known.numbers, scale, self.exploration(seat), passed);
        Some((seat, (arm, self.memory.known.node_behind(known, arm)?.map(number))))
    }

    /// The same where not all options have nodes.
    fn known_in_part(&mut self, at: usize, world: usize) -> Option<(usize, Tried)> {
        let known = self.memory.nodes.get(at)?.known?;
        let seat = known.seat();
        if self.is_to_judge(at, self.memory.known.options(known).len()) {
            let mut position = self.worlds.get(world)?.position.clone();
            self.memory.known.copy_position(known, &mut position);
            let options = self.memory.known.options(known).to_vec();
            self.judge_options(at, &position, &options, (world, seat));
        }
        let noted = self.memory.nodes.get_mut(at)?.known.as_mut()?;
        let known = *noted;
        let passed = known.passed + 1;
        noted.passed = passed;
        let chosen = if known.missing > 0 {
            let nth = self.dice.below(known.missing as usize);
            nth_missing(self.memory.known.behind(known), nth)
        } else {
            let chosen = self.most_promising(self.memory.known.behind(known), seat, passed);
            self.complete(at);
            chosen
        };
        Some((seat, (chosen, self.memory.known.node_behind(known, chosen)?.map(number))))
    }

    /// Keeps the position of a node, and the options of a seat with the nodes that are found behind them, if there is
    /// room.
    // In a function of its own, what is known is written where it belongs, and not copied there.
    #[inline(never)]
    fn know(&mut self, at: usize, position: &Position, seat: usize, options: impl ExactSizeIterator<Item = Choice>) {
        if let Some(node) = self.memory.nodes.get_mut(at) {
            node.known = self.memory.known.add(position, seat, options, &self.behind);
        }
    }

    /// Notes that a known node is complete, if it is: all its options have nodes and were visited, and none is to be
    /// judged any more.
    fn complete(&mut self, at: usize) {
        let is_judged = |node: &&Node| node.options_judged || !self.judge.weighs();
        let Some(known) = self.memory.nodes.get(at).filter(is_judged).and_then(|node| node.known) else { return };
        let seat = known.seat();
        let is_visited = |child: &Behind| {
            let node = child.and_then(|child| self.memory.nodes.get(number(child)));
            node.is_some_and(|node| node.visits > 0)
        };
        if !self.memory.known.behind(known).iter().all(is_visited) {
            return;
        }
        let arm = |child: Behind| {
            let at = number(child?);
            let Node { visits, available, proved, .. } = *self.memory.nodes.get(at)?;
            let tally = self.memory.tallies.get(at * self.seats + seat).copied().unwrap_or_default();
            Some(Arm { visits, available, proved, tally })
        };
        let (behind, numbers) = self.memory.known.behind_and_numbers(known);
        let arms = Arms::new(behind.iter().copied().filter_map(arm), seat, self.judge.weighs(), numbers);
        if let Some(known) = self.memory.nodes.get_mut(at).and_then(|node| node.known.as_mut()) {
            known.arms = arms;
        }
    }

    /// Looks for the nodes behind edges of a node.
    fn look_behind(&mut self, at: usize, edges: impl Iterator<Item = Edge>) {
        self.behind.clear();
        let Some(next) = self.memory.edges.get(at) else { return };
        let mut near = 0;
        self.behind.extend(edges.map(|edge| next.behind(edge, &mut near).and_then(behind)));
    }

    /// Which option a seat tries, of those whose nodes `self.behind` has: one that was not tried yet, else the one with
    /// the highest upper confidence bound, which counts how often each was available.
    fn select(&mut self, seat: usize) -> Tried {
        let behind = std::mem::take(&mut self.behind);
        let mut new = 0;
        for child in &behind {
            match child.and_then(|child| self.memory.nodes.get_mut(number(child))) {
                Some(child) => child.available += 1,
                None => new += 1,
            }
        }
        let chosen = match new {
            0 => self.most_promising(&behind, seat, 0),
            _ => nth_missing(&behind, self.dice.below(new)),
        };
        let child = behind.get(chosen).copied().flatten();
        self.behind = behind;
        (chosen, child.map(number))
    }

    /// The place of the node with the highest upper confidence bound for a seat, of nodes behind one. If that is known,
    /// so many playouts have come through it since.
    fn most_promising(&self, behind: &[Behind], seat: usize, passed: u32) -> usize {
        let exploration = self.exploration(seat);
        let Tree { memory: Memory { nodes, tallies, .. }, seats, judge, .. } = self;
        let upper = Upper { nodes, tallies, seats: *seats, scale: judge.scale(seat), exploration, passed };
        upper.highest(behind, seat)
    }

    /// How much a seat favours a choice that was tried seldom: where the rules say what a position is worth, the less,
    /// the less the values differ to which playouts come.
    fn exploration(&self, seat: usize) -> f64 {
        match self.judge.weighs() {
            true => {
                let scale = self.judge.scale(seat);
                let deviation = self.spreads.get(seat).map_or(0.5, |spread| spread.deviation(scale));
                EXPLORATION * (2.0 * deviation).clamp(LEAST_EXPLORATION, 1.0)
            }
            false => EXPLORATION,
        }
    }
}
