//! The best choices of a seat, against chance and against seats whose policies are known.
//!
//! The ways ahead are laid out ply by ply, and then valued from their ends. Where the seat decides, all positions that
//! it cannot tell apart get the same choice. So positions count as equal only if the seat has seen and done the same on
//! the way to them. Where nothing is hidden, the position alone counts.

use std::collections::BTreeMap;

use super::forget::Forget;
use super::halt::Halt;
use super::odds::{Chances, Odds, Step, merge};
use super::policy::Table;
use super::possible::seen;
use super::{Otherwise, Query, Ratio};
use crate::game::{Choice, Evaluator as _, Packed, Position};
use crate::model::Value;

/// A position with what the seat remembers of the way to it.
type Key = (Packed, u64);

enum Kind {
    /// The question is answered here.
    Asked(Value),
    /// Each successor, in the next layer, is equally likely.
    Even(Vec<usize>),
    /// The seat decides, as in all nodes of its group; its choices lead to these.
    Mine(usize, Vec<usize>),
}

struct Node {
    kind: Kind,
    /// How likely the node is if the seat does all it can to reach it.
    reach: Ratio,
}

/// Nodes that the seat cannot tell apart, and the choices of the first of them in words.
struct Group {
    nodes: Vec<usize>,
    said: Vec<String>,
    options: usize,
    chosen: usize,
}

#[derive(Default)]
struct Layer {
    nodes: Vec<Node>,
    groups: Vec<Group>,
}

/// The chances if one of the seats plays what is best or worst for the answer.
pub(super) fn best<'f>(
    odds: &Odds,
    from: Vec<(Position, Ratio)>,
    query: &Query,
    (table, forget): (&Table, Option<&Forget<'f>>),
) -> Result<Chances, Halt> {
    if !query.is_number() {
        return Err(Halt::NothingIsBest(query.text().to_owned()));
    }
    let mut grown = Growing { odds, query, table, forget, layers: Vec::new(), positions: 0 };
    let roots = grown.grow(from)?;
    let worst = odds.players.iter().any(|p| p.otherwise == Otherwise::Worst);
    grown.choose(worst)?;
    let mut chances =
        Chances { positions: grown.positions, plies: grown.layers.len().saturating_sub(1), ..Chances::default() };
    chances.choice = grown.first_choice();
    grown.collect(roots, &mut chances);
    Ok(chances)
}

struct Growing<'a, 'f> {
    odds: &'a Odds<'a>,
    query: &'a Query,
    table: &'a Table<'a>,
    /// Drops what nothing reads; only where nothing is hidden.
    forget: Option<&'a Forget<'f>>,
    layers: Vec<Layer>,
    positions: usize,
}

/// The nodes of the layer that is being made, in the order of their places.
#[derive(Default)]
struct Next {
    places: BTreeMap<Key, usize>,
    keys: Vec<(Key, Ratio)>,
}

impl Next {
    fn place(&mut self, key: Key, reach: Ratio) -> usize {
        let next = self.keys.len();
        let place = *self.places.entry(key.clone()).or_insert(next);
        match self.keys.get_mut(place) {
            Some((_, sum)) => *sum = sum.plus(reach),
            None => self.keys.push((key, reach)),
        }
        place
    }
}

impl Growing<'_, '_> {
    /// Lays out all layers; the chances of the nodes of the first.
    fn grow(&mut self, from: Vec<(Position, Ratio)>) -> Result<Vec<Ratio>, Halt> {
        let mut next = Next::default();
        for (mut position, chance) in from {
            self.forget.iter().for_each(|forget| forget.forget(&mut position));
            next.place((Packed::new(&position, self.odds.engine.model()), 0), chance);
        }
        let roots = next.keys.iter().map(|(_, chance)| *chance).collect();
        while !next.keys.is_empty() {
            next = self.layer(next)?;
        }
        Ok(roots)
    }

    fn layer(&mut self, these: Next) -> Result<Next, Halt> {
        let mut next = Next::default();
        let mut layer = Layer::default();
        let mut groups: BTreeMap<u64, usize> = BTreeMap::new();
        let first = self.layers.is_empty();
        for ((position, memory), reach) in these.keys {
            let position = position.unpack(self.odds.engine.model());
            let step = self.odds.step(&position, first, self.table)?;
            if !matches!(step, Step::Asked) {
                self.count()?;
            }
            let kind = match step {
                Step::Asked => Kind::Asked(self.query.value(&position)?),
                Step::Even(options) => {
                    let share = reach.one_of(options.len());
                    let after = options.iter().map(|c| Ok(next.place((self.after(&position, *c)?, memory), share)));
                    Kind::Even(after.collect::<Result<_, Halt>>()?)
                }
                Step::Weigh(seat, options) => {
                    let seen = seen(self.odds.engine, &position, seat, memory);
                    let group = *groups.entry(seen).or_insert_with(|| {
                        let notations = self.odds.engine.explainer().notations(&position, self.odds.lang);
                        let said = notations.among(&options).each(&options);
                        layer.groups.push(Group { nodes: Vec::new(), said, options: options.len(), chosen: 0 });
                        layer.groups.len() - 1
                    });
                    if let Some(group) = layer.groups.get_mut(group) {
                        group.nodes.push(layer.nodes.len());
                        group.options = group.options.min(options.len());
                    }
                    let mut after = Vec::with_capacity(options.len());
                    for (i, choice) in options.iter().enumerate() {
                        // A seat to which nothing is hidden need not remember.
                        let memory = match self.forget {
                            Some(_) => 0,
                            None => seen.rotate_left(7) ^ (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                        };
                        after.push(next.place((self.after(&position, *choice)?, memory), reach));
                    }
                    Kind::Mine(group, after)
                }
            };
            layer.nodes.push(Node { kind, reach });
        }
        self.layers.push(layer);
        Ok(next)
    }

    fn count(&mut self) -> Result<(), Halt> {
        self.positions += 1;
        if self.positions.is_multiple_of(1024) {
            (self.odds.watch)(self.positions);
        }
        if self.positions > self.odds.most || self.layers.len() >= self.odds.plies {
            return Err(Halt::BestUnknown { positions: self.odds.most, plies: self.odds.plies });
        }
        Ok(())
    }

    fn after(&self, position: &Position, choice: Choice) -> Result<Packed, Halt> {
        let mut after = position.clone();
        self.odds.engine.apply(&mut after, choice)?;
        self.forget.iter().for_each(|forget| forget.forget(&mut after));
        Ok(Packed::new(&after, self.odds.engine.model()))
    }

    /// Makes the choices of all groups, the last ones first.
    fn choose(&mut self, worst: bool) -> Result<(), Halt> {
        let mut after: Vec<Ratio> = Vec::new();
        for layer in self.layers.iter_mut().rev() {
            let value = |i: &usize| after.get(*i).copied().unwrap_or(Ratio::ZERO);
            for group in &mut layer.groups {
                let worth = |option: usize| {
                    group.nodes.iter().fold(Ratio::ZERO, |sum, n| match layer.nodes.get(*n) {
                        Some(Node { kind: Kind::Mine(_, next), reach }) => {
                            sum.plus(reach.times(next.get(option).map_or(Ratio::ZERO, value)))
                        }
                        _ => sum,
                    })
                };
                let mut most = worth(0);
                for option in 1..group.options {
                    let now = worth(option);
                    if if worst { now < most } else { now > most } {
                        (group.chosen, most) = (option, now);
                    }
                }
            }
            let mut values = Vec::with_capacity(layer.nodes.len());
            for node in &layer.nodes {
                values.push(match &node.kind {
                    Kind::Asked(answer) => Ratio::from(answer.int().unwrap_or(0)),
                    Kind::Even(next) => next.iter().fold(Ratio::ZERO, |sum, n| sum.plus(value(n))).one_of(next.len()),
                    Kind::Mine(group, next) => {
                        let chosen = layer.groups.get(*group).map_or(0, |g| g.chosen);
                        next.get(chosen).map_or(Ratio::ZERO, value)
                    }
                });
            }
            after = values;
        }
        Ok(())
    }

    /// The seat's first choice, if it then knows where it is.
    fn first_choice(&self) -> Option<String> {
        let layer = self.layers.iter().find(|l| !l.groups.is_empty())?;
        match layer.groups.as_slice() {
            [group] => group.said.get(group.chosen).cloned(),
            _ => None,
        }
    }

    /// The chances of the answers under the choices made.
    fn collect(&self, roots: Vec<Ratio>, chances: &mut Chances) {
        let mut now = roots;
        for (i, layer) in self.layers.iter().enumerate() {
            let mut next = vec![Ratio::ZERO; self.layers.get(i + 1).map_or(0, |l| l.nodes.len())];
            for (node, chance) in layer.nodes.iter().zip(&now).filter(|(_, chance)| !chance.is_zero()) {
                let mut add = |to: &usize, chance: Ratio| {
                    if let Some(sum) = next.get_mut(*to) {
                        *sum = sum.plus(chance);
                    }
                };
                match &node.kind {
                    Kind::Asked(answer) => merge(&mut chances.of, answer.clone(), *chance),
                    Kind::Even(after) => after.iter().for_each(|to| add(to, chance.one_of(after.len()))),
                    Kind::Mine(group, after) => {
                        let chosen = layer.groups.get(*group).map_or(0, |g| g.chosen);
                        after.get(chosen).into_iter().for_each(|to| add(to, *chance));
                    }
                }
            }
            now = next;
        }
    }
}
