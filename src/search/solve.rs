//! Whether a seat can force a win, whatever chance and the other seats do.
//!
//! The *belief* of the seat is the set of positions that it cannot tell apart. Where it decides, one choice must win in
//! all of them; everything else that can happen is followed, and divides the belief by what the seat then sees. The
//! search deepens ply by ply, so the first win found is a shortest one, and it remembers beliefs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::worlds::seen;
use crate::game::{Choice, Evaluator, Fault, Position, Status, Turn};
use crate::lexicon::Lexicon;
use crate::model::{Base, Set, Value, VarId};
use crate::rules::Evaluators;

/// The maximum number of plies ahead.
pub const MAX_SOLVE_DEPTH: usize = 1000;

/// The number of plies up to which a search counts as short.
const SHALLOW_DEPTH: usize = 3;

/// A search for a forced win.
pub struct Solver<'a> {
    /// The rules.
    pub engine: &'a Evaluators,
    /// The seat that is to win.
    pub seat: u16,
    /// Whether it knows everything hidden, except what another seat chooses secretly from now on.
    pub open: bool,
    /// Called now and then with the number of positions so far.
    pub watch: &'a dyn Fn(usize),
    /// The language of choices, and the words around them.
    pub lexicon: Lexicon<'a>,
    most: usize,
    positions: usize,
    known: HashMap<u128, Known>,
}

/// What is known about a belief.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// A win within this many plies.
    won: Option<usize>,
    /// There is none, however long it takes.
    never: bool,
    /// None within this many plies.
    cut: usize,
    /// The option that came nearest.
    best: usize,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub enum Solved {
    /// A win is forced within a number of plies.
    Forced(usize),
    /// None is, however long the game lasts.
    Never,
    /// None is within a number of plies.
    NotWithin(usize),
    /// Not known: this many positions were not enough. Up to this many plies none is forced.
    Undecided(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Win,
    Never,
    Cut,
}

pub(super) enum Halted {
    Fault(Fault),
    Enough,
}

impl From<Fault> for Halted {
    fn from(fault: Fault) -> Halted {
        Halted::Fault(fault)
    }
}

/// An option as the seat knows it: its words, and for each of the seat's worlds the choices that are written so.
pub(super) type Offered = (String, Vec<Vec<Choice>>);

/// A position that the seat considers possible, with the words of its options if it decides.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub position: Position,
    pub said: Vec<String>,
}

/// A position on the way from one decision of the seat to the next, and how it came about.
pub(super) struct Node {
    pub position: Position,
    /// The node before, and the choice made there.
    pub from: Option<(usize, Choice)>,
}

/// What comes after a choice of the seat, up to its next one.
pub(super) struct After {
    pub nodes: Vec<Node>,
    /// The nodes in which the game is over and won.
    pub won: Vec<usize>,
    /// One in which it is over and not won.
    pub lost: Option<usize>,
    /// One at which the plies were used up.
    pub cut: Option<usize>,
    /// Where the seat decides: the positions it then considers possible, the nodes, and the plies left.
    pub beliefs: Vec<(Vec<World>, Vec<usize>, usize)>,
}

impl<'a> Solver<'a> {
    /// A search that expands at most `most` positions.
    #[must_use]
    pub fn new(engine: &'a Evaluators, seat: u16, open: bool, most: usize, watch: &'a dyn Fn(usize)) -> Solver<'a> {
        let lexicon = Lexicon::new(engine.model(), "");
        Solver { engine, seat, open, watch, lexicon, most, positions: 0, known: HashMap::new() }
    }

    /// How many positions there were.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// Whether a win is forced from one of these positions, whichever it is, within a number of plies.
    ///
    /// # Errors
    /// The rules fail on the way.
    pub fn solve(&mut self, from: &[Position], plies: usize) -> Result<Solved, Fault> {
        let plies = plies.min(MAX_SOLVE_DEPTH);
        for depth in 0..=plies {
            match self.wins_all(from, depth) {
                Ok(Found::Win) => return Ok(Solved::Forced(depth)),
                Ok(Found::Never) => return Ok(Solved::Never),
                Ok(Found::Cut) => {}
                Err(Halted::Fault(fault)) => return Err(fault),
                Err(Halted::Enough) => return Ok(Solved::Undecided(depth.saturating_sub(1))),
            }
        }
        Ok(Solved::NotWithin(plies))
    }

    /// Whether all that comes from these positions is won.
    pub(super) fn wins_all(&mut self, from: &[Position], left: usize) -> Result<Found, Halted> {
        let mut after = self.after(from.to_vec(), left)?;
        if after.lost.is_some() {
            return Ok(Found::Never);
        }
        if after.cut.is_some() {
            return Ok(Found::Cut);
        }
        // The hardest ones first: the largest beliefs.
        after.beliefs.sort_by_key(|(worlds, _, left)| (std::cmp::Reverse(worlds.len()), *left));
        // One that cannot be won ends the search and is often found soon; searching another one deeply first would be
        // wasted.
        for (belief, _, left) in &after.beliefs {
            if self.wins(belief, (*left).min(SHALLOW_DEPTH))? == Found::Never {
                return Ok(Found::Never);
            }
        }
        for (belief, _, left) in &after.beliefs {
            let found = self.wins(belief, *left)?;
            if found != Found::Win {
                return Ok(found);
            }
        }
        Ok(Found::Win)
    }

    /// Whether one choice of the seat wins in all positions that it considers possible.
    fn wins(&mut self, belief: &[World], left: usize) -> Result<Found, Halted> {
        let key = key(belief);
        let known = self.known.get(&key).copied().unwrap_or_default();
        if known.won.is_some_and(|plies| plies <= left) {
            return Ok(Found::Win);
        }
        if known.never {
            return Ok(Found::Never);
        }
        if left == 0 || known.cut >= left {
            return Ok(Found::Cut);
        }
        let options = self.options(belief)?;
        let mut found = Found::Never;
        let mut best = known.best;
        let order = std::iter::once(known.best).chain((0..options.len()).filter(|i| *i != known.best));
        for i in order {
            let Some((_, choices)) = options.get(i) else {
                continue;
            };
            let children = self.made(belief, choices)?;
            match self.wins_all(&children, left - 1)? {
                Found::Win => {
                    self.known.insert(key, Known { won: Some(left), best: i, ..known });
                    return Ok(Found::Win);
                }
                Found::Cut if found == Found::Never => (found, best) = (Found::Cut, i),
                _ => {}
            }
        }
        let never = found == Found::Never;
        self.known.insert(key, Known { won: known.won, never, cut: left, best });
        Ok(found)
    }

    /// What the seat can choose, as far as it can tell its options apart: words, and the choices so written in each of
    /// its worlds.
    pub(super) fn options(&self, belief: &[World]) -> Result<Vec<Offered>, Halted> {
        let mut found: Vec<Offered> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (w, world) in belief.iter().enumerate() {
            let options = self.engine.options(&world.position)?;
            for (i, choice) in options.into_iter().enumerate() {
                let said = match world.said.get(i) {
                    Some(said) => said.clone(),
                    None => format!("{choice:?}"),
                };
                let place = *places.entry(said.clone()).or_insert_with(|| {
                    found.push((said, Vec::new()));
                    found.len() - 1
                });
                if let Some((_, choices)) = found.get_mut(place) {
                    choices.resize(w + 1, Vec::new());
                    if let Some(here) = choices.get_mut(w) {
                        here.push(choice);
                    }
                }
            }
        }
        found.retain(|(_, choices)| choices.len() == belief.len() && choices.iter().all(|c| !c.is_empty()));
        Ok(found)
    }

    /// The positions after an option, in all worlds.
    pub(super) fn made(&mut self, belief: &[World], choices: &[Vec<Choice>]) -> Result<Vec<Position>, Halted> {
        let mut made = BTreeSet::new();
        for (world, choices) in belief.iter().zip(choices) {
            for choice in choices {
                made.insert(self.apply(&world.position, *choice)?);
            }
        }
        Ok(made.into_iter().collect())
    }

    fn apply(&mut self, position: &Position, choice: Choice) -> Result<Position, Halted> {
        if self.positions >= self.most {
            return Err(Halted::Enough);
        }
        self.positions += 1;
        if self.positions.is_multiple_of(1024) {
            (self.watch)(self.positions);
        }
        let mut after = position.clone();
        self.engine.apply(&mut after, choice)?;
        Ok(after)
    }

    /// Follows all that can happen until the seat decides or the game is over. Stops at the first that is lost or takes
    /// too long.
    pub(super) fn after(&mut self, from: Vec<Position>, left: usize) -> Result<After, Halted> {
        let mut after = After { nodes: Vec::new(), won: Vec::new(), lost: None, cut: None, beliefs: Vec::new() };
        let mut groups: BTreeMap<u64, (Vec<World>, Vec<usize>, usize)> = BTreeMap::new();
        after.nodes.extend(from.into_iter().map(|position| Node { position, from: None }));
        let (mut start, mut left) = (0, left);
        while start < after.nodes.len() {
            let end = after.nodes.len();
            let mut layer: BTreeSet<Position> = BTreeSet::new();
            for at in start..end {
                let Some(position) = after.nodes.get(at).map(|n| n.position.clone()) else {
                    break;
                };
                match self.engine.turn(&position)? {
                    Turn::Over => match self.is_won(&position)? {
                        true => after.won.push(at),
                        false => {
                            after.lost = Some(at);
                            return Ok(after);
                        }
                    },
                    Turn::Seat(seat) if seat == self.seat => {
                        let (look, said) = self.look(&position);
                        let group = groups.entry(look).or_insert_with(|| (Vec::new(), Vec::new(), left));
                        group.0.push(World { position, said });
                        group.1.push(at);
                        group.2 = group.2.min(left);
                    }
                    _ if left == 0 => {
                        after.cut = Some(at);
                        return Ok(after);
                    }
                    _ => {
                        for choice in self.engine.options(&position)? {
                            let next = self.apply(&position, choice)?;
                            if layer.insert(next.clone()) {
                                after.nodes.push(Node { position: next, from: Some((at, choice)) });
                            }
                        }
                    }
                }
            }
            (start, left) = (end, left.saturating_sub(1));
        }
        after.beliefs = groups.into_values().collect();
        for (worlds, _, _) in &mut after.beliefs {
            worlds.sort_by(|a, b| a.position.cmp(&b.position));
            worlds.dedup_by(|a, b| a.position == b.position);
        }
        Ok(after)
    }

    fn is_won(&self, position: &Position) -> Result<bool, Fault> {
        match self.engine.status(position)? {
            Status::Over(outcome) => Ok(outcome.winners.contains(&self.seat)),
            _ => Ok(false),
        }
    }

    /// What the seat can tell of a position where it decides.
    fn look(&self, position: &Position) -> (u64, Vec<String>) {
        let rules = self.engine.explainer();
        if !self.open {
            return seen(rules, position, self.seat, 0);
        }
        let model = self.engine.model();
        let mut shown = position.clone();
        for secret in model.secrets.iter().filter(|s| rules.secret(position, s.var, self.seat)) {
            blank(&mut shown, model, secret.var);
        }
        (shown.digest(), Vec::new())
    }
}

/// Takes out what a variable holds.
fn blank(position: &mut Position, model: &crate::model::Model, var: VarId) {
    let nothing = match model.vars.get(var.i()).map(|v| &v.ty.base) {
        Some(Base::Set(_)) => Value::Set(Set::default()),
        Some(Base::List(_)) => Value::List(Vec::new()),
        Some(Base::Bag(_)) => Value::Bag(Vec::new()),
        _ => Value::None,
    };
    // Written also where it must hold something in play.
    let _ = position.write(model, var, 0, &nothing);
}

/// A number for a belief.
fn key(belief: &[World]) -> u128 {
    let digests: Vec<u8> = belief.iter().flat_map(|w| w.position.digest().to_le_bytes()).collect();
    let first = belief.first().map_or(0, |w| xxhash_rust::xxh3::xxh3_64_with_seed(w.position.bytes(), 7));
    xxhash_rust::xxh3::xxh3_128(&digests) ^ u128::from(first)
}
