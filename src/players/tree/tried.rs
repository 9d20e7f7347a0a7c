//! Which option is tried at a node, and what is kept to tell.

use super::Tree;
use crate::game::{Choice, Evaluator, Position, Turn};
use crate::players::arms::{Arm, Arms};
use crate::players::guess::World;
use crate::players::node::{Edge, Known, Node, Upper};

/// How much a choice that was tried seldom is favoured, where a playout is won or lost.
const EXPLORATION: f64 = 0.7;

/// The least part of it that is left where playouts come to values that hardly differ.
const LEAST_EXPLORATION: f64 = 0.05;

/// The most bytes that known positions take, with their options.
const MAX_KEPT_BYTES: usize = 1 << 28;

/// What is tried at a node: the number of an option, and the node behind it, if that is known.
pub(super) type Tried = (usize, Option<usize>);

impl<E: Evaluator> Tree<'_, E> {
    /// The option that is tried at the root, and a choice that it stands for.
    pub(super) fn first(&mut self, world: &World) -> Option<(Edge, Choice, Tried)> {
        let edges = world.first.iter().map(|(said, _)| Edge::Said(*said));
        self.look_behind(0, edges.clone());
        let tried = self.select(self.seat);
        if self.is_open && self.is_complete(0) {
            self.know(0, &world.position, (self.seat, &[]));
            self.complete(0, edges);
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
                let edges = options.iter().map(|choice| Edge::Made(*choice));
                self.look_behind(at, edges.clone());
                let tried = self.select(seat);
                if self.is_open {
                    self.know(at, position, (seat, &options));
                    self.complete(at, edges);
                }
                tried
            }
            _ if options.is_empty() => (0, None),
            _ => (self.dice.below(options.len()), None),
        };
        self.options = options;
        tried
    }

    /// What is tried at a node whose position is known, with who makes the choice: there nothing need be asked of the
    /// position.
    pub(super) fn known(&mut self, at: usize, (world, number): (&World, usize)) -> Option<(usize, Choice, Tried)> {
        let seat = self.nodes.get(at)?.known.as_ref()?.seat;
        let by = (self.judge.scale(seat), self.exploration(seat));
        let node = self.nodes.get_mut(at)?;
        let known = node.known.as_mut()?;
        let Some(arms) = &known.arms else { return self.known_in_part(at, number) };
        known.passed += 1;
        let arm = arms.highest(by, known.passed, &mut self.bounds);
        let (edge, child) = node.next.get(arm)?;
        let choice = match edge {
            Edge::Made(choice) => *choice,
            Edge::Said(_) => *world.first.get(arm)?.1.first()?,
        };
        Some((seat, choice, (arm, Some(*child))))
    }

    /// The same where not all options have nodes.
    fn known_in_part(&mut self, at: usize, world: usize) -> Option<(usize, Choice, Tried)> {
        // It is put back below.
        let mut known = self.nodes.get_mut(at)?.known.take()?;
        if self.is_to_judge(at, known.options.len()) {
            self.judge_options(at, &known.position, &known.options, (world, known.seat));
            self.look_behind(at, known.options.iter().map(|choice| Edge::Made(*choice)));
            std::mem::swap(&mut self.behind, &mut known.behind);
        }
        std::mem::swap(&mut self.behind, &mut known.behind);
        let tried = self.select(known.seat);
        let (seat, choice) = (known.seat, known.options.get(tried.0).copied());
        if self.is_complete(at) {
            let options = std::mem::take(&mut known.options);
            self.nodes.get_mut(at)?.known = Some(known);
            self.complete(at, options.iter().map(|choice| Edge::Made(*choice)));
        } else {
            std::mem::swap(&mut self.behind, &mut known.behind);
            self.nodes.get_mut(at)?.known = Some(known);
        }
        Some((seat, choice?, tried))
    }

    /// Keeps the position of a node, and the options with the nodes that are found behind them, if there is room.
    fn know(&mut self, at: usize, position: &Position, (seat, options): (usize, &[Choice])) {
        let bytes = position.bytes().len() + options.len() * (size_of::<Choice>() + size_of::<Option<usize>>());
        let Some(node) = self.nodes.get_mut(at).filter(|_| self.kept_bytes + bytes <= MAX_KEPT_BYTES) else { return };
        self.kept_bytes += bytes;
        let (options, behind) = (options.to_vec(), self.behind.clone());
        node.known = Some(Box::new(Known { position: position.clone(), seat, options, behind, arms: None, passed: 0 }));
    }

    /// Whether all options of a node have nodes, and that stays so. `self.behind` has the nodes.
    fn is_complete(&self, at: usize) -> bool {
        let is_judged = |node: &Node| node.options_judged || !self.judge.weighs();
        !self.behind.contains(&None) && self.nodes.get(at).is_some_and(is_judged)
    }

    /// Notes that a node whose position is known is complete, if it is.
    fn complete(&mut self, at: usize, edges: impl Iterator<Item = Edge>) {
        if !self.is_complete(at) {
            return;
        }
        let Some(seat) = self.nodes.get(at).and_then(|node| node.known.as_ref()).map(|known| known.seat) else {
            return;
        };
        let arm = |at: &usize| {
            let Node { visits, available, proved, .. } = *self.nodes.get(*at)?;
            let tally = self.tallies.get(at * self.seats + seat).copied().unwrap_or_default();
            Some(Arm { visits, available, proved, tally })
        };
        let behind: Vec<Arm> = self.behind.iter().flatten().filter_map(arm).collect();
        let arms = Arms::new(&behind, seat, self.judge.weighs());
        let Some(node) = self.nodes.get_mut(at) else { return };
        node.next.clear();
        node.next.extend(edges.zip(self.behind.iter().copied().flatten()));
        if let Some(known) = &mut node.known {
            known.arms = Some(arms);
            (known.options, known.behind) = (Vec::new(), Vec::new());
        }
    }

    /// Looks for the nodes behind edges of a node.
    fn look_behind(&mut self, at: usize, edges: impl Iterator<Item = Edge>) {
        self.behind.clear();
        let Some(node) = self.nodes.get(at) else { return };
        let mut near = 0;
        self.behind.extend(edges.map(|edge| node.behind(edge, &mut near)));
    }

    /// Which option a seat tries, of those whose nodes `self.behind` has: one that was not tried yet, else the one with
    /// the highest upper confidence bound, which counts how often each was available.
    fn select(&mut self, seat: usize) -> Tried {
        let behind = std::mem::take(&mut self.behind);
        let mut new = 0;
        for child in &behind {
            match child.and_then(|child| self.nodes.get_mut(child)) {
                Some(child) => child.available += 1,
                None => new += 1,
            }
        }
        let chosen = if new > 0 {
            let nth = self.dice.below(new);
            (0..behind.len()).filter(|i| behind.get(*i) == Some(&None)).nth(nth).unwrap_or(0)
        } else {
            self.most_promising(&behind, seat)
        };
        let child = behind.get(chosen).copied().flatten();
        self.behind = behind;
        (chosen, child)
    }

    /// The place of the node with the highest upper confidence bound for a seat, of nodes behind one.
    fn most_promising(&mut self, behind: &[Option<usize>], seat: usize) -> usize {
        let exploration = self.exploration(seat);
        let Tree { nodes, tallies, seats, judge, .. } = self;
        let upper = Upper { nodes, tallies, seats: *seats, scale: judge.scale(seat), exploration };
        upper.highest(behind.iter().copied(), seat)
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
