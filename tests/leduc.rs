//! Leduc hold'em counted whole: its histories, the information sets that the seats' views amount to, and the exact values of play against a
//! uniformly random opponent, all as published.

use std::collections::HashMap;
use std::sync::Arc;

use crate::chance::{Fraction, shipped};
use lawspeaker::explain::Explainer;
use lawspeaker::game::{Evaluator, Position, Status, View};
use lawspeaker::rules::Evaluators;

/// What a seat has seen and done, decision by decision; the last one is still open.
type Memory = Vec<(View, Option<String>)>;

/// A history of the game.
enum Node {
    Over(Vec<i32>),
    Chance(Vec<Node>),
    Decision { seat: usize, set: usize, next: Vec<Node> },
}

impl Node {
    fn next(&self) -> &[Node] {
        match self {
            Node::Over(_) => &[],
            Node::Chance(next) | Node::Decision { next, .. } => next,
        }
    }

    /// Histories from here on, this one with them.
    fn histories(&self) -> usize {
        1 + self.next().iter().map(Node::histories).sum::<usize>()
    }

    /// What a seat can expect if all choose evenly.
    fn value(&self, seat: usize) -> Fraction {
        match self {
            Node::Over(scores) => Fraction::from(scores[seat]),
            Node::Chance(next) | Node::Decision { next, .. } => {
                next.iter().map(|n| n.value(seat)).sum::<Fraction>() * Fraction::one_of(next.len())
            }
        }
    }
}

/// Grows the whole tree. Who may choose what comes from `e`; what a seat sees, from its views.
struct Growing<'a, E> {
    e: &'a E,
    views: &'a Explainer,
    memories: [Memory; 2],
    /// The information sets with the number of options.
    sets: HashMap<(usize, Memory), (usize, usize)>,
}

impl<E: Evaluator> Growing<'_, E> {
    fn node(&mut self, position: &Position) -> Node {
        let status = self.e.status(position).unwrap_or_else(|f| panic!("{}", f.words(self.e.model())));
        match status {
            Status::Over(outcome) => Node::Over(outcome.scores),
            Status::Chance(_) => Node::Chance(self.after_each(position, None)),
            Status::Decision(question) => {
                let seat = usize::from(question.seat);
                self.memories[seat].push((self.views.view(position, question.seat), None));
                let options = self.e.options(position).map_or(0, |o| o.len());
                let new = self.sets.len();
                let key = (seat, self.memories[seat].clone());
                let (set, expected) = *self.sets.entry(key).or_insert((new, options));
                assert_eq!(expected, options, "one information set, one list of options");
                let next = self.after_each(position, Some(seat));
                self.memories[seat].pop();
                Node::Decision { seat, set, next }
            }
        }
    }

    fn after_each(&mut self, position: &Position, seat: Option<usize>) -> Vec<Node> {
        let options = self.e.options(position).unwrap_or_else(|f| panic!("{}", f.words(self.e.model())));
        let mut next = Vec::with_capacity(options.len());
        for choice in options {
            let mut after = position.clone();
            self.e.apply(&mut after, choice).unwrap_or_else(|f| panic!("{}", f.words(self.e.model())));
            if let Some((_, done)) = seat.and_then(|s| self.memories[s].last_mut()) {
                *done = Some(self.views.say(position, choice, ""));
            }
            next.push(self.node(&after));
            if let Some((_, done)) = seat.and_then(|s| self.memories[s].last_mut()) {
                *done = None;
            }
        }
        next
    }
}

struct Tree {
    root: Node,
    /// Of each seat.
    sets: [usize; 2],
}

fn tree<E: Evaluator>(e: &E, views: &Explainer) -> Tree {
    let mut growing = Growing { e, views, memories: [Vec::new(), Vec::new()], sets: HashMap::new() };
    let start = e.start().unwrap_or_else(|f| panic!("{}", f.words(e.model())));
    let root = growing.node(&start);
    let sets = [0, 1].map(|seat| growing.sets.keys().filter(|(s, _)| *s == seat).count());
    Tree { root, sets }
}

/// The best answer of a seat to an even opponent: in each information set one option for all its histories.
struct Best<'a> {
    seat: usize,
    /// Of each information set its histories, each with the probability that chance and the opponent lead there.
    sets: HashMap<usize, Vec<(&'a Node, Fraction)>>,
    chosen: HashMap<usize, usize>,
}

impl<'a> Best<'a> {
    fn value(root: &'a Node, seat: usize) -> Fraction {
        let mut best = Best { seat, sets: HashMap::new(), chosen: HashMap::new() };
        best.reach(root, Fraction::ONE);
        best.weighted(root, Fraction::ONE)
    }

    fn is_own(&self, node: &Node) -> Option<usize> {
        match node {
            Node::Decision { seat, set, .. } if *seat == self.seat => Some(*set),
            _ => None,
        }
    }

    fn reach(&mut self, node: &'a Node, chance: Fraction) {
        let own = self.is_own(node);
        if let Some(set) = own {
            self.sets.entry(set).or_default().push((node, chance));
        }
        let next = node.next();
        for n in next {
            self.reach(n, if own.is_some() { chance } else { chance * Fraction::one_of(next.len()) });
        }
    }

    fn weighted(&mut self, node: &'a Node, chance: Fraction) -> Fraction {
        match node {
            Node::Over(scores) => chance * Fraction::from(scores[self.seat]),
            Node::Decision { set, next, .. } if self.is_own(node).is_some() => {
                let option = self.choose(*set, next.len());
                self.weighted(&next[option], chance)
            }
            Node::Chance(next) | Node::Decision { next, .. } => {
                let each = chance * Fraction::one_of(next.len());
                next.iter().map(|n| self.weighted(n, each)).sum()
            }
        }
    }

    fn choose(&mut self, set: usize, options: usize) -> usize {
        if let Some(option) = self.chosen.get(&set) {
            return *option;
        }
        let histories = self.sets[&set].clone();
        let mut best: Option<(usize, Fraction)> = None;
        for option in 0..options {
            let value: Fraction = histories.iter().map(|(n, c)| self.weighted(&n.next()[option], *c)).sum();
            if best.is_none_or(|(_, b)| value > b) {
                best = Some((option, value));
            }
        }
        let option = best.map_or(0, |(o, _)| o);
        self.chosen.insert(set, option);
        option
    }
}

/// Histories are counted from the empty one to the last, with chance and ends; the two cards are dealt one after the other.
#[test]
fn the_game_is_as_large_and_as_good_as_published() {
    let (_, e) = shipped("classics/leduc-holdem");
    let tree = tree(&e, &e);
    assert_eq!(tree.root.histories(), 9457);
    assert_eq!(tree.sets, [468, 468], "936 information sets");
    assert_eq!(tree.root.value(0), Fraction::new(-5, 64), "evenly random play: -0.078125");
    assert_eq!(tree.root.value(1), Fraction::new(5, 64));
    let best = [0, 1].map(|seat| Best::value(&tree.root, seat));
    assert_eq!(best, [Fraction::new(167, 80), Fraction::new(383, 144)]);
    assert_eq!(best[0] + best[1], Fraction::new(1709, 360), "the distance of random play from equilibrium: 4.747222");
}

#[test]
fn the_compiled_evaluator_counts_the_same() {
    let (game, e) = shipped("classics/leduc-holdem");
    let fast = Evaluators::new(Arc::clone(&game.model), e.config().clone());
    let tree = tree(&fast, &e);
    assert_eq!((tree.root.histories(), tree.sets), (9457, [468, 468]));
    assert_eq!(tree.root.value(0), Fraction::new(-5, 64));
}
