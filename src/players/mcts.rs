//! Information-set Monte-Carlo tree search: one tree for the seat that decides, over worlds that it cannot tell apart
//! (Cowling, Powley, Whitehouse 2012). `docs/bots.md` describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::budget::Budget;
use super::{Dice, Look, Player};
use crate::game::{Choice, Evaluator, Fault, Position, SeenOption, Status, Turn};

/// How much a choice that was tried seldom is favoured.
const EXPLORATION: f64 = 0.7;

/// The most worlds that are drawn for one choice; playouts take them in turn.
const WORLDS: usize = 128;

/// The most plies of one playout. A game that is longer counts as a draw.
const MAX_PLIES: usize = 10_000;

/// The most nodes of a tree. When it is full, playouts begin at its leaves.
const MAX_NODES: usize = 1 << 20;

/// A bot that searches a tree. It is given no position in play: it asks its [`Look`] for worlds.
#[derive(Clone, Debug)]
pub struct Mcts<E> {
    evaluator: E,
    budget: Budget,
    dice: Dice,
}

impl<E: Evaluator> Mcts<E> {
    /// A bot that plays ahead with an evaluator, with a budget for each choice and a seed.
    #[must_use]
    pub fn new(evaluator: E, budget: Budget, seed: u64) -> Mcts<E> {
        Mcts { evaluator, budget, dice: Dice::new(seed) }
    }

    /// The text of the option that is best, as the seat reads it. `None` if no world can be drawn, or none played.
    fn best(&mut self, look: &Look<'_>) -> Option<String> {
        let began = Instant::now();
        let count = match self.budget {
            Budget::Playouts(n) => WORLDS.min(n as usize),
            Budget::Time(_) => WORLDS,
        };
        let mut texts: BTreeSet<String> = BTreeSet::new();
        let mut seen = Vec::new();
        for position in look.worlds(count, &mut self.dice) {
            let options = look.options_in(&position);
            texts.extend(options.iter().map(|option| option.text.clone()));
            seen.push((position, options));
        }
        let texts: Vec<String> = texts.into_iter().collect();
        let worlds: Vec<World> =
            seen.into_iter().map(|(p, o)| World::new(p, o, &texts)).filter(|w| !w.first.is_empty()).collect();
        let mut tree = Tree::new(&self.evaluator, &mut self.dice);
        for (played, world) in worlds.iter().cycle().enumerate() {
            let enough = match self.budget {
                Budget::Playouts(n) => played >= n as usize,
                Budget::Time(time) => played > 0 && began.elapsed() >= time,
            };
            if enough {
                break;
            }
            // A playout that meets a fault teaches nothing, but counts, so that the search ends.
            let _ = tree.playout(world);
        }
        tree.best().and_then(|best| texts.get(best).cloned())
    }
}

impl<E: Evaluator + Send> Player for Mcts<E> {
    fn choose(&mut self, look: &Look<'_>, options: &[Choice]) -> usize {
        if options.len() < 2 {
            return 0;
        }
        let texts = look.texts(options);
        let alike: Vec<usize> = match self.best(look) {
            Some(best) => (0..options.len()).filter(|i| texts.get(*i) == Some(&best)).collect(),
            None => Vec::new(),
        };
        match alike.is_empty() {
            true => self.dice.below(options.len()),
            false => alike.get(self.dice.below(alike.len())).copied().unwrap_or(0),
        }
    }
}

/// A position that the seat considers possible, with its options there: the number of each text, in order, and what it
/// stands for.
struct World {
    position: Position,
    first: Vec<(usize, Vec<Choice>)>,
}

impl World {
    /// `texts` are the texts of the options in all worlds, in order.
    fn new(position: Position, options: Vec<SeenOption>, texts: &[String]) -> World {
        let numbered = |option: SeenOption| Some((texts.binary_search(&option.text).ok()?, option.choices));
        let mut first: Vec<(usize, Vec<Choice>)> = options.into_iter().filter_map(numbered).collect();
        first.sort();
        World { position, first }
    }
}

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

struct Tree<'t, E> {
    evaluator: &'t E,
    dice: &'t mut Dice,
    nodes: Vec<Node>,
    /// The nodes that the playout came through.
    path: Vec<usize>,
    options: Vec<Choice>,
}

impl<'t, E: Evaluator> Tree<'t, E> {
    fn new(evaluator: &'t E, dice: &'t mut Dice) -> Tree<'t, E> {
        Tree { evaluator, dice, nodes: vec![Node::default()], path: Vec::new(), options: Vec::new() }
    }

    /// Goes down the tree in a world, adds a node, plays on at random, and counts the result.
    fn playout(&mut self, world: &World) -> Result<(), Fault> {
        let mut position = world.position.clone();
        self.path.clear();
        self.path.push(0);
        let mut at = 0;
        let mut grown = false;
        while !grown && self.path.len() < MAX_PLIES {
            let turn = self.evaluator.turn(&position)?;
            if turn == Turn::Over {
                break;
            }
            let (edge, choice) = if at == 0 {
                let Some((said, choices)) = self.first(world, turn) else { break };
                let Some(choice) = choices.get(self.dice.below(choices.len())) else { break };
                (Edge::Said(*said), *choice)
            } else {
                let Some(choice) = self.further(&position, turn, at)? else { break };
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

    /// The choice that is tried at a node further on.
    fn further(&mut self, position: &Position, turn: Turn, at: usize) -> Result<Option<Choice>, Fault> {
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
        self.options = options;
        listed.map(|()| choice)
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

    /// Plays on at random; returns for each seat what the end is worth to it.
    fn play_on(&mut self, position: &mut Position) -> Result<Vec<f64>, Fault> {
        let before = position.clone();
        let dice = &mut *self.dice;
        let mut draws = |words: &mut [u64]| words.iter_mut().for_each(|w| *w = dice.bits());
        if self.evaluator.playout(position, &mut draws, MAX_PLIES).is_none() {
            position.bytes_mut().copy_from_slice(before.bytes());
            for _ in 0..MAX_PLIES {
                if self.evaluator.turn(position)? == Turn::Over {
                    break;
                }
                let count = self.evaluator.count(position)?;
                let Some(choice) = self.evaluator.nth(position, self.dice.below(count))? else { break };
                self.evaluator.apply(position, choice)?;
            }
        }
        let seats = self.evaluator.model().kinds.first().map_or(0, |seats| seats.members.len());
        Ok(match self.evaluator.status(position)? {
            Status::Over(outcome) if !outcome.winners.is_empty() => {
                let wins = |seat: usize| outcome.winners.iter().any(|winner| usize::from(*winner) == seat);
                (0..seats).map(|seat| f64::from(u8::from(wins(seat)))).collect()
            }
            _ => vec![0.5; seats],
        })
    }

    /// The number of the option at the root that was tried most often; of several, the first.
    fn best(&self) -> Option<usize> {
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
