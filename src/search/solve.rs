//! Whether a seat can force a win, whatever chance and the other seats do.
//!
//! The *belief* of the seat is the set of positions that it cannot tell apart. Where it decides, one choice must win in
//! all of them; everything else that can happen is followed, and divides the belief by what the seat then sees. The
//! bound on the plies grows from nothing, so the first win found is a shortest one. What is found is kept in a
//! [`tree`](super::tree).

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::forget::Forget;
use super::possible::{said, seen};
use super::tree::{NEVER, Offered, Tree};
use crate::game::{Choice, Evaluator, Fault, Packed, Position, Status, Turn};
use crate::lexicon::Lexicon;
use crate::model::{Base, Counter, Set, Value, VarId};
use crate::rules::Evaluators;

/// The maximum number of plies ahead.
pub const MAX_SOLVE_DEPTH: usize = 1000;

/// The most that a counter may grow in a ply to be left out of account.
const MAX_COUNTED: i32 = 8;

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
    pub(super) tree: Tree,
    /// Drops what nothing reads; `None` if what the seat sees must stay as it is.
    forget: Option<Forget<'a>>,
    /// The counters that cannot come to a number that matters, with the value that they have in all positions.
    still: Vec<(VarId, i32)>,
    /// Whether one of them grew faster than was thought.
    fast: Cell<bool>,
    /// Whether the search looks for what cannot be won at all, not only for what cannot be won in time.
    pub(super) thorough: bool,
    pub(super) most: usize,
    pub(super) positions: usize,
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

/// A position that the seat considers possible, with the words of its options if it decides.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub position: Packed,
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
        let model = engine.model();
        let lexicon = Lexicon::new(model, "");
        let forget = (open || !model.hides()).then(|| Forget::new(model, false));
        Solver {
            engine,
            seat,
            open,
            watch,
            lexicon,
            tree: Tree::default(),
            forget,
            still: Vec::new(),
            fast: Cell::new(false),
            thorough: false,
            most,
            positions: 0,
        }
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
        self.still = self.counters(from, plies);
        let solved = self.settle(from, plies)?;
        if !self.fast.get() {
            return Ok(solved);
        }
        (self.tree, self.still, self.positions) = (Tree::default(), Vec::new(), 0);
        self.fast.set(false);
        self.settle(from, plies)
    }

    /// Searches for a win, and where there is none in time, for whether there is none at all.
    fn settle(&mut self, from: &[Position], plies: usize) -> Result<Solved, Fault> {
        let solved = self.deepen(from, plies)?;
        if !matches!(solved, Solved::NotWithin(_)) {
            return Ok(solved);
        }
        self.tree.reopen();
        self.thorough = true;
        let again = self.deepen(from, plies);
        self.thorough = false;
        Ok(match again? {
            Solved::Never => Solved::Never,
            _ => solved,
        })
    }

    /// The counters that do not come to a number that matters in so many plies, with their values.
    fn counters(&self, from: &[Position], plies: usize) -> Vec<(VarId, i32)> {
        let Some(first) = from.first().filter(|_| self.forget.is_some()) else { return Vec::new() };
        let model = self.engine.model();
        let most = i32::try_from(plies).unwrap_or(i32::MAX).saturating_mul(MAX_COUNTED);
        let still = |counter: Counter| {
            let now = first.read(model, counter.var, 0).int()?;
            let near = now..=now.saturating_add(most);
            let same = from.iter().all(|p| p.read(model, counter.var, 0) == Value::Int(now));
            (same && !counter.asked.iter().any(|number| near.contains(number))).then_some((counter.var, now))
        };
        model.counters(self.engine.config()).into_iter().filter_map(still).collect()
    }

    fn deepen(&mut self, from: &[Position], plies: usize) -> Result<Solved, Fault> {
        let mut depth = 0;
        loop {
            let needed = match self.plies_from(from, depth) {
                Ok(needed) => needed,
                Err(Halted::Fault(fault)) => return Err(fault),
                Err(Halted::Enough) => return Ok(Solved::Undecided(depth.saturating_sub(1))),
            };
            if needed <= depth {
                return Ok(Solved::Forced(needed));
            }
            if needed == NEVER {
                return Ok(Solved::Never);
            }
            if needed > plies {
                return Ok(Solved::NotWithin(plies));
            }
            depth = needed;
        }
    }

    /// How many plies a win takes from all of these positions, as [`Solver::plies_to_win`].
    fn plies_from(&mut self, from: &[Position], left: usize) -> Result<usize, Halted> {
        let from = from.iter().map(|position| self.lean(position.clone())).collect();
        let root = self.root(from)?;
        self.after_branch(root, 0, left)
    }

    /// Whether all that comes from these positions is won.
    pub(super) fn wins_all(&mut self, from: &[Position], left: usize) -> Result<Found, Halted> {
        Ok(match self.plies_from(from, left)? {
            NEVER => Found::Never,
            needed if needed > left => Found::Cut,
            _ => Found::Win,
        })
    }

    /// The place, among the options of a belief, of one that wins within some plies.
    pub(super) fn winning(&mut self, belief: &[World], left: usize) -> Result<Option<usize>, Halted> {
        let id = self.tree.node(belief.to_vec());
        let won = self.plies_to_win(id, left)? <= left;
        Ok(self.tree.best(id).filter(|_| won))
    }

    /// What the seat can choose, as far as it can tell its options apart.
    pub(super) fn options(&self, belief: &[World]) -> Result<Vec<Offered>, Halted> {
        if let [World { position, said }] = belief
            && said.is_empty()
        {
            let options = self.engine.options(&position.unpack(self.engine.model()))?;
            return Ok(options.into_iter().map(|choice| vec![vec![choice]]).collect());
        }
        let mut found: Vec<Offered> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (w, world) in belief.iter().enumerate() {
            let options = self.engine.options(&world.position.unpack(self.engine.model()))?;
            for (i, choice) in options.into_iter().enumerate() {
                let said = world.said.get(i).cloned().unwrap_or_else(|| format!("{choice:?}"));
                let place = *places.entry(said).or_insert_with(|| {
                    found.push(Vec::new());
                    found.len() - 1
                });
                if let Some(choices) = found.get_mut(place) {
                    choices.resize(w + 1, Vec::new());
                    choices.last_mut().into_iter().for_each(|here| here.push(choice));
                }
            }
        }
        found.retain(|choices| choices.len() == belief.len() && choices.iter().all(|c| !c.is_empty()));
        Ok(found)
    }

    pub(super) fn choices(&self, position: &Position) -> Result<Vec<Choice>, Fault> {
        self.engine.options(position)
    }

    pub(super) fn turn(&self, position: &Position) -> Result<Turn, Fault> {
        self.engine.turn(position)
    }

    /// The positions after an option, in all worlds.
    pub(super) fn made(&mut self, belief: &[World], choices: &[Vec<Choice>]) -> Result<Vec<Position>, Halted> {
        let mut made = BTreeSet::new();
        for (world, choices) in belief.iter().zip(choices) {
            for choice in choices {
                made.insert(self.apply(&world.position.unpack(self.engine.model()), *choice)?);
            }
        }
        Ok(made.into_iter().collect())
    }

    pub(super) fn apply(&mut self, position: &Position, choice: Choice) -> Result<Position, Halted> {
        if self.positions >= self.most {
            return Err(Halted::Enough);
        }
        self.positions += 1;
        if self.positions.is_multiple_of(1024) {
            (self.watch)(self.positions);
        }
        let mut after = position.clone();
        self.engine.apply(&mut after, choice)?;
        Ok(self.lean(after))
    }

    /// A position without what nothing reads. As long as something is hidden from the seat, all stays that could tell
    /// it something.
    pub(super) fn lean(&self, mut position: Position) -> Position {
        if let Some(forget) = &self.forget {
            let rules = self.engine.explainer();
            let mut secrets = self.engine.model().secrets.iter();
            if !secrets.any(|s| rules.secret(&position, s.var, self.seat)) {
                forget.forget(&mut position);
            }
            for (var, value) in &self.still {
                let now = position.read(self.engine.model(), *var, 0).int();
                if !now.is_some_and(|now| (*value..=value.saturating_add(MAX_COUNTED)).contains(&now)) {
                    self.fast.set(true);
                }
                // It fitted before.
                let _ = position.write(self.engine.model(), *var, 0, &Value::Int(*value));
            }
        }
        position
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
                        group.0.push(World { position: Packed::new(&position, self.engine.model()), said });
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

    pub(super) fn is_won(&self, position: &Position) -> Result<bool, Fault> {
        match self.engine.status(position)? {
            Status::Over(outcome) => Ok(outcome.winners.contains(&self.seat)),
            _ => Ok(false),
        }
    }

    /// What the seat can tell of a position where it decides.
    pub(super) fn look(&self, position: &Position) -> (u64, Vec<String>) {
        let rules = self.engine.explainer();
        if !self.open {
            return (seen(self.engine, position, self.seat, 0), said(self.engine, position, self.seat));
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
