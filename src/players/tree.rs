//! The tree of the bot that searches: what was found out by playing on from positions.

use std::collections::BTreeMap;

use super::Dice;
use super::guess::World;
use crate::game::{Choice, Evaluator, Fault, Position, Status, Turn};

/// How much a choice that was tried seldom is favoured.
const EXPLORATION: f64 = 0.7;

/// The most plies of one playout. A game that is longer counts as a draw.
const MAX_PLIES: usize = 10_000;

/// The most plies that are played at random where the rules say what a position is worth.
const MAX_PLIES_WITH_WORTH: usize = 4;

/// The most nodes of a tree. When it is full, playouts begin at its leaves.
const MAX_NODES: usize = 1 << 20;

/// How far the value of a position that is judged by its worth stays from those of a loss and of a win.
const MARGIN: f64 = 0.05;

/// What leads from a node to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    /// The number of an option's text, at the root.
    Said(usize),
    /// A choice further on.
    Made(Choice),
}

/// What was found out behind an edge.
#[derive(Debug, Default)]
struct Node {
    next: BTreeMap<Edge, usize>,
    visits: u32,
    /// How often it could have been taken.
    available: u32,
    /// For each seat the sum of the values.
    values: Vec<f64>,
}

/// A tree that grows with each playout.
pub struct Tree<'t, E> {
    evaluator: &'t E,
    dice: &'t mut Dice,
    nodes: Vec<Node>,
    /// The nodes that the playout came through.
    path: Vec<usize>,
    options: Vec<Choice>,
    /// The least and the greatest worth of a position at which playouts were broken off.
    worths: Option<(i32, i32)>,
}

impl<'t, E: Evaluator> Tree<'t, E> {
    /// A tree without a node but its root.
    pub fn new(evaluator: &'t E, dice: &'t mut Dice) -> Tree<'t, E> {
        Tree { evaluator, dice, nodes: vec![Node::default()], path: Vec::new(), options: Vec::new(), worths: None }
    }

    /// Goes down the tree in a world, adds a node, plays on at random, and counts the result.
    ///
    /// # Errors
    /// A fault of the rules; then nothing is counted.
    pub fn playout(&mut self, world: &World) -> Result<(), Fault> {
        let mut position = world.position.clone();
        self.path.clear();
        self.path.push(0);
        let mut at = 0;
        let (mut grown, mut unbranched) = (false, 0);
        while !grown && self.path.len() + unbranched < MAX_PLIES {
            let turn = self.evaluator.turn(&position)?;
            if turn == Turn::Over {
                break;
            }
            let (edge, choice) = if at == 0 {
                let Some((said, choices)) = self.first(world, turn) else { break };
                let Some(choice) = choices.get(self.dice.below(choices.len())) else { break };
                (Edge::Said(*said), *choice)
            } else {
                let Some((choice, branches)) = self.further(&position, turn, at)? else { break };
                if !branches {
                    self.evaluator.apply(&mut position, choice)?;
                    unbranched += 1;
                    continue;
                }
                (Edge::Made(choice), choice)
            };
            self.evaluator.apply(&mut position, choice)?;
            match self.enter(at, edge) {
                Some((next, new)) => (at, grown) = (next, new),
                None => break,
            }
            self.path.push(at);
        }
        let values = self.play_on(&mut position)?;
        for node in &self.path {
            let Some(node) = self.nodes.get_mut(*node) else { continue };
            node.visits += 1;
            node.values.resize(values.len(), 0.0);
            node.values.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
        }
        Ok(())
    }

    /// The option that is tried at the root.
    fn first<'w>(&mut self, world: &'w World, turn: Turn) -> Option<&'w (usize, Vec<Choice>)> {
        let edges: Vec<Edge> = world.first.iter().map(|(said, _)| Edge::Said(*said)).collect();
        let chosen = self.select(0, turn, &edges);
        world.first.get(chosen)
    }

    /// The choice that is tried at a node further on, and whether there is a node behind it. There is none behind the
    /// only option, and none behind chance where the seat may not see what it brought.
    fn further(&mut self, position: &Position, turn: Turn, at: usize) -> Result<Option<(Choice, bool)>, Fault> {
        let mut options = std::mem::take(&mut self.options);
        let listed = self.evaluator.options_into(position, &mut options);
        let chosen = match turn {
            _ if listed.is_err() || options.is_empty() => None,
            Turn::Seat(_) if options.len() > 1 => {
                let edges: Vec<Edge> = options.iter().map(|choice| Edge::Made(*choice)).collect();
                Some(self.select(at, turn, &edges))
            }
            _ => Some(self.dice.below(options.len())),
        };
        let choice = chosen.and_then(|chosen| options.get(chosen).copied());
        let branches = options.len() > 1 && (turn != Turn::Chance || !self.evaluator.model().hides());
        self.options = options;
        listed.map(|()| choice.map(|choice| (choice, branches)))
    }

    /// Which of the edges is tried: one that was not tried yet, else the one with the highest upper confidence bound,
    /// which counts how often each was available.
    fn select(&mut self, at: usize, turn: Turn, edges: &[Edge]) -> usize {
        let Some(node) = self.nodes.get(at) else { return 0 };
        let children: Vec<Option<usize>> = edges.iter().map(|edge| node.next.get(edge).copied()).collect();
        for child in children.iter().flatten() {
            if let Some(child) = self.nodes.get_mut(*child) {
                child.available += 1;
            }
        }
        let new: Vec<usize> = (0..children.len()).filter(|i| children.get(*i) == Some(&None)).collect();
        if !new.is_empty() {
            return new.get(self.dice.below(new.len())).copied().unwrap_or(0);
        }
        let seat = match turn {
            Turn::Seat(seat) => usize::from(seat),
            Turn::Over | Turn::Chance => return self.dice.below(edges.len()),
        };
        let bound = |child: &Option<usize>| {
            let node = child.and_then(|child| self.nodes.get(child));
            node.map_or(f64::INFINITY, |node| node.bound(seat))
        };
        let mut best = (0, f64::NEG_INFINITY);
        for (i, child) in children.iter().enumerate() {
            let bound = bound(child);
            if bound > best.1 {
                best = (i, bound);
            }
        }
        best.0
    }

    /// The node behind an edge, and whether it is new. `None` if the tree is full.
    fn enter(&mut self, at: usize, edge: Edge) -> Option<(usize, bool)> {
        let new = self.nodes.len();
        let node = self.nodes.get_mut(at)?;
        if let Some(next) = node.next.get(&edge) {
            return Some((*next, false));
        }
        if new >= MAX_NODES {
            return None;
        }
        node.next.insert(edge, new);
        self.nodes.push(Node { available: 1, ..Node::default() });
        Some((new, true))
    }

    /// Plays on at random; returns for each seat what it came to: 1 for who wins, 0 for who does not, for all ½ in a
    /// draw. Where the rules say what a position is worth, it is broken off early and judged by that.
    fn play_on(&mut self, position: &mut Position) -> Result<Vec<f64>, Fault> {
        let judges = self.evaluator.model().worth.is_some();
        let most = if judges { MAX_PLIES_WITH_WORTH } else { MAX_PLIES };
        // Machine code draws more words than it uses, so that each playout has dice of its own.
        let seed = self.dice.bits();
        let mut dice = Dice::new(seed);
        let mut draws = |words: &mut [u64]| words.iter_mut().for_each(|w| *w = dice.bits());
        let before = position.clone();
        if self.evaluator.playout(position, &mut draws, most).is_none() {
            position.bytes_mut().copy_from_slice(before.bytes());
            self.step_on(position, most, &mut Dice::new(seed))?;
        }
        let seats = self.evaluator.model().kinds.first().map_or(0, |seats| seats.members.len());
        match self.evaluator.status(position)? {
            Status::Over(outcome) if !outcome.winners.is_empty() => {
                let wins = |seat: usize| outcome.winners.iter().any(|winner| usize::from(*winner) == seat);
                Ok((0..seats).map(|seat| f64::from(u8::from(wins(seat)))).collect())
            }
            Status::Decision(_) | Status::Chance(_) if judges => self.judged(position, seats),
            _ => Ok(vec![0.5; seats]),
        }
    }

    /// For each seat a value between those of a loss and of a win: where its worth lies among those seen so far.
    fn judged(&mut self, position: &Position, seats: usize) -> Result<Vec<f64>, Fault> {
        let worths = (0..seats).map(|seat| Ok(self.evaluator.worth(position, seat as u16)?.unwrap_or(0)));
        let worths: Vec<i32> = worths.collect::<Result<_, Fault>>()?;
        for worth in &worths {
            let (least, most) = self.worths.unwrap_or((*worth, *worth));
            self.worths = Some((least.min(*worth), most.max(*worth)));
        }
        let (least, most) = self.worths.unwrap_or_default();
        let span = f64::from(most) - f64::from(least);
        let value = |worth: &i32| match span > 0.0 {
            true => MARGIN + (1.0 - 2.0 * MARGIN) * (f64::from(*worth) - f64::from(least)) / span,
            false => 0.5,
        };
        Ok(worths.iter().map(value).collect())
    }

    /// Plays on at random, ply by ply.
    fn step_on(&self, position: &mut Position, most: usize, dice: &mut Dice) -> Result<(), Fault> {
        for _ in 0..most {
            if self.evaluator.turn(position)? == Turn::Over {
                break;
            }
            let count = self.evaluator.count(position)?;
            let Some(choice) = self.evaluator.nth(position, dice.below(count))? else { break };
            self.evaluator.apply(position, choice)?;
        }
        Ok(())
    }

    /// The number of the option at the root that was tried most often; of several, the first.
    #[must_use]
    pub fn best(&self) -> Option<usize> {
        let mut best: Option<(u32, usize)> = None;
        for (edge, child) in &self.nodes.first()?.next {
            let visits = self.nodes.get(*child).map_or(0, |node| node.visits);
            if let Edge::Said(said) = edge
                && visits > best.map_or(0, |(most, _)| most)
            {
                best = Some((visits, *said));
            }
        }
        best.map(|(_, said)| said)
    }
}

impl Node {
    /// The upper confidence bound of its value to a seat.
    fn bound(&self, seat: usize) -> f64 {
        if self.visits == 0 {
            return f64::INFINITY;
        }
        let visits = f64::from(self.visits);
        let mean = self.values.get(seat).copied().unwrap_or(0.0) / visits;
        mean + EXPLORATION * (f64::from(self.available.max(1)).ln() / visits).sqrt()
    }
}
