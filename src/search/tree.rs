//! The graph of what a seat can come to, with bounds on the plies in which it can win.
//!
//! A node is a belief: the positions that the seat considers possible where it decides. Its branches are the seat's
//! options. After a branch everything is followed that can happen until the seat decides again. Each belief is laid out
//! once, however often the search comes to it and however deep it looks.
//!
//! Of each node it is known that a win takes so many plies at least, and, once one was found, that it takes no more
//! than so many. A search within a bound leaves out what these numbers settle, and makes the lower ones greater: by as
//! much as is proved, not only by one, so that the next bound can be that much greater.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::solve::{Halted, Solver, World};
use crate::game::{Choice, Evaluator as _, Packed, Position, Turn};

/// A number of plies that is never enough.
pub(super) const NEVER: usize = usize::MAX;

/// The number of plies up to which a search counts as short.
const SHALLOW_DEPTH: usize = 3;

/// The place of a node among all.
pub(super) type Id = usize;

/// An option, as far as the seat can tell its options apart: for each of its worlds the choices.
pub(super) type Offered = Vec<Vec<Choice>>;

/// The nodes found so far.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    ids: HashMap<u128, Id>,
    /// How often a choice was one that wins.
    merits: HashMap<Choice, u32>,
}

#[derive(Debug)]
struct Node {
    belief: Rc<[World]>,
    /// `None` until it is looked at.
    branches: Option<Vec<Branch>>,
    bounds: Bounds,
    /// The branch with which it is won.
    best: usize,
}

#[derive(Debug)]
struct Branch {
    choices: Offered,
    ahead: Option<Ahead>,
    /// What is known of the lower bound, the choice included.
    least: usize,
}

/// How many plies a win takes: at least, and at most.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: usize,
    most: usize,
}

/// What can happen after a choice of the seat, up to its next one; laid out ply by ply.
#[derive(Debug, Default)]
struct Ahead {
    /// Where somebody else decides, or chance, after this many plies.
    open: Vec<Packed>,
    plies: usize,
    /// Whether it can be lost before the seat decides.
    lost: bool,
    /// After how many plies it is won at the latest, where it is won before the seat decides.
    won: usize,
    /// Where the seat decides, by what it can tell, and after how many plies at the latest.
    groups: BTreeMap<u64, (Vec<World>, usize)>,
    /// The same as nodes, once all is laid out.
    beliefs: Rc<[(Id, usize)]>,
}

impl Ahead {
    /// What is known without a search.
    fn bounds(&self, tree: &Tree) -> Bounds {
        if self.lost {
            return Bounds { least: NEVER, most: NEVER };
        }
        let mut bounds = match self.open.is_empty() {
            true => Bounds { least: self.won, most: self.won },
            false => Bounds { least: self.plies + 1, most: NEVER },
        };
        for (id, plies) in self.beliefs.iter() {
            let Some(node) = tree.nodes.get(*id) else { continue };
            bounds.least = bounds.least.max(node.bounds.least.saturating_add(*plies));
            bounds.most = bounds.most.max(node.bounds.most.saturating_add(*plies));
        }
        bounds
    }
}

impl Tree {
    /// The node of a belief.
    pub fn node(&mut self, belief: Vec<World>) -> Id {
        let key = key(&belief);
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        self.nodes.push(Node {
            belief: belief.into(),
            branches: None,
            bounds: Bounds { least: 1, most: NEVER },
            best: 0,
        });
        let id = self.nodes.len() - 1;
        self.ids.insert(key, id);
        id
    }

    /// Takes back all lower bounds but those of what cannot be won; what is laid out stays.
    pub fn reopen(&mut self) {
        for node in &mut self.nodes {
            if node.bounds.least != NEVER {
                node.bounds.least = 1;
            }
            for branch in node.branches.iter_mut().flatten().filter(|branch| branch.least != NEVER) {
                branch.least = 0;
            }
        }
    }

    /// The branch with which a node is won, once it is.
    pub fn best(&self, id: Id) -> Option<usize> {
        self.nodes.get(id).filter(|n| n.bounds.most != NEVER).map(|n| n.best)
    }

    fn branch(&mut self, id: Id, i: usize) -> Option<&mut Branch> {
        self.nodes.get_mut(id)?.branches.as_mut()?.get_mut(i)
    }

    /// The beliefs after a branch, once all is laid out.
    fn beliefs(&self, id: Id, i: usize) -> Option<Rc<[(Id, usize)]>> {
        let ahead = self.nodes.get(id)?.branches.as_ref()?.get(i)?.ahead.as_ref()?;
        ahead.open.is_empty().then(|| Rc::clone(&ahead.beliefs))
    }

    /// What is known of a branch, the choice included.
    fn known(&self, id: Id, i: usize) -> Bounds {
        let branch = self.nodes.get(id).and_then(|n| n.branches.as_ref()?.get(i));
        let Some(branch) = branch else { return Bounds { least: NEVER, most: NEVER } };
        let ahead = branch.ahead.as_ref().map_or(Bounds { least: 0, most: NEVER }, |ahead| ahead.bounds(self));
        Bounds { least: ahead.least.saturating_add(1).max(branch.least), most: ahead.most.saturating_add(1) }
    }

    /// The branches of a node that could win within some plies, the most promising first, each with its lower bound.
    fn order(&self, id: Id) -> Vec<(usize, Bounds)> {
        let Some(branches) = self.nodes.get(id).and_then(|n| n.branches.as_ref()) else { return Vec::new() };
        let merit = |i: usize| {
            let choice = branches.get(i).and_then(|b| b.choices.first()?.first());
            choice.and_then(|choice| self.merits.get(choice)).copied().unwrap_or(0)
        };
        let mut order: Vec<(usize, Bounds)> = (0..branches.len()).map(|i| (i, self.known(id, i))).collect();
        order.sort_by_key(|(i, known)| (known.most, known.least, std::cmp::Reverse(merit(*i)), *i));
        order
    }
}

impl Solver<'_> {
    /// A node of its own for what comes from some positions, as if the seat had made a choice that leads to them.
    pub(super) fn root(&mut self, from: Vec<Position>) -> Result<Id, Halted> {
        let model = self.engine.model();
        let worlds = from
            .iter()
            .map(|position| World { position: Packed::new(position, model), said: vec![String::from("root")] });
        let id = self.tree.node(worlds.collect());
        if self.tree.nodes.get(id).is_some_and(|n| n.branches.is_none()) {
            let ahead = Some(self.begun(from)?);
            if let Some(node) = self.tree.nodes.get_mut(id) {
                node.branches = Some(vec![Branch { choices: Vec::new(), ahead, least: 0 }]);
            }
        }
        Ok(id)
    }

    /// How many plies a win takes at least, as far as a search within a bound shows: within the bound only if a win is
    /// forced within so many.
    pub(super) fn plies_to_win(&mut self, id: Id, left: usize) -> Result<usize, Halted> {
        let Some(node) = self.tree.nodes.get(id) else { return Ok(NEVER) };
        let bounds = node.bounds;
        if bounds.most <= left {
            return Ok(bounds.most);
        }
        if bounds.least > left {
            return Ok(bounds.least);
        }
        self.open(id)?;
        let mut least = NEVER;
        for (i, known) in self.tree.order(id) {
            let needed = match known {
                Bounds { most, .. } if most <= left => most,
                Bounds { least, .. } if least > left => least,
                _ => self.after_branch(id, i, left.saturating_sub(1))?.saturating_add(1),
            };
            if let Some(branch) = self.tree.branch(id, i) {
                branch.least = branch.least.max(needed);
            }
            if needed <= left {
                self.win(id, i, needed);
                return Ok(needed);
            }
            least = least.min(needed);
        }
        if let Some(node) = self.tree.nodes.get_mut(id) {
            node.bounds.least = node.bounds.least.max(least);
        }
        Ok(least)
    }

    fn win(&mut self, id: Id, i: usize, plies: usize) {
        let Some(node) = self.tree.nodes.get_mut(id) else { return };
        (node.bounds.most, node.best) = (plies, i);
        let choice = node.branches.as_ref().and_then(|b| b.get(i)?.choices.first()?.first());
        if let Some(choice) = choice {
            *self.tree.merits.entry(*choice).or_default() += 1;
        }
    }

    /// The same for a branch of a node, without the choice itself.
    pub(super) fn after_branch(&mut self, id: Id, i: usize, left: usize) -> Result<usize, Halted> {
        self.begin(id, i)?;
        loop {
            if self.thorough && self.is_lost_soon(id, i, left)? {
                return Ok(NEVER);
            }
            let known = self.tree.known(id, i);
            if known.most.saturating_sub(1) <= left {
                return Ok(known.most.saturating_sub(1));
            }
            if known.least.saturating_sub(1) > left {
                return Ok(if known.least == NEVER { NEVER } else { known.least - 1 });
            }
            if let Some(beliefs) = self.tree.beliefs(id, i) {
                let needed = self.all(&beliefs, left)?;
                return Ok(needed.max(known.least.saturating_sub(1)));
            }
            self.lay_out(id, i)?;
        }
    }

    /// Whether a short search shows that one of the beliefs after a branch cannot be won at all.
    fn is_lost_soon(&mut self, id: Id, i: usize, left: usize) -> Result<bool, Halted> {
        for (id, plies) in self.tree.beliefs(id, i).iter().flat_map(|beliefs| beliefs.iter()) {
            if self.plies_to_win(*id, left.saturating_sub(*plies).min(SHALLOW_DEPTH))? == NEVER {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How many plies it takes to win from all of some beliefs, each after so many plies.
    fn all(&mut self, beliefs: &[(Id, usize)], left: usize) -> Result<usize, Halted> {
        let mut order = beliefs.to_vec();
        // The hardest ones first.
        order.sort_by_key(|(id, plies)| {
            let node = self.tree.nodes.get(*id);
            let (least, size) = node.map_or((0, 0), |n| (n.bounds.least.saturating_add(*plies), n.belief.len()));
            std::cmp::Reverse((least, size))
        });
        let mut most = 0;
        for (id, plies) in &order {
            let needed = self.plies_to_win(*id, left.saturating_sub(*plies))?.saturating_add(*plies);
            most = most.max(needed);
            if needed > left {
                break;
            }
        }
        Ok(most)
    }

    /// Lays out the options of a node.
    fn open(&mut self, id: Id) -> Result<(), Halted> {
        let Some(node) = self.tree.nodes.get(id).filter(|n| n.branches.is_none()) else { return Ok(()) };
        let belief = Rc::clone(&node.belief);
        let options = self.options(&belief)?;
        if let Some(node) = self.tree.nodes.get_mut(id) {
            let branches = options.into_iter().map(|choices| Branch { choices, ahead: None, least: 1 });
            node.branches = Some(branches.collect());
        }
        Ok(())
    }

    /// Lays out what comes first after a branch.
    fn begin(&mut self, id: Id, i: usize) -> Result<(), Halted> {
        let Some(branch) = self.tree.branch(id, i).filter(|b| b.ahead.is_none()) else { return Ok(()) };
        let choices = branch.choices.clone();
        let belief = self.tree.nodes.get(id).map(|n| Rc::clone(&n.belief)).unwrap_or_default();
        let made = self.made(&belief, &choices)?;
        let ahead = self.begun(made)?;
        if let Some(branch) = self.tree.branch(id, i) {
            branch.ahead = Some(ahead);
        }
        Ok(())
    }

    /// Lays out one ply more after a branch.
    fn lay_out(&mut self, id: Id, i: usize) -> Result<(), Halted> {
        let Some(mut ahead) = self.tree.branch(id, i).and_then(|branch| branch.ahead.take()) else { return Ok(()) };
        let done = self.one_ply(&mut ahead);
        // What is laid out in part is begun anew.
        if done.is_ok()
            && let Some(branch) = self.tree.branch(id, i)
        {
            branch.ahead = Some(ahead);
        }
        done
    }

    fn begun(&mut self, from: Vec<Position>) -> Result<Ahead, Halted> {
        let mut ahead = Ahead::default();
        let model = self.engine.model();
        self.arrive(&mut ahead, from.iter().map(|position| Packed::new(position, model)))?;
        Ok(ahead)
    }

    fn one_ply(&mut self, ahead: &mut Ahead) -> Result<(), Halted> {
        let mut next: BTreeSet<Packed> = BTreeSet::new();
        let model = self.engine.model();
        for position in std::mem::take(&mut ahead.open) {
            let position = position.unpack(model);
            for choice in self.choices(&position)? {
                next.insert(Packed::new(&self.apply(&position, choice)?, model));
            }
        }
        ahead.plies += 1;
        self.arrive(ahead, next)
    }

    /// Sorts positions by who decides there. Stops at the first that is lost.
    fn arrive(&mut self, ahead: &mut Ahead, positions: impl IntoIterator<Item = Packed>) -> Result<(), Halted> {
        for packed in positions {
            let position = packed.unpack(self.engine.model());
            match self.turn(&position)? {
                Turn::Over if self.is_won(&position)? => ahead.won = ahead.plies,
                Turn::Over => {
                    *ahead = Ahead { lost: true, ..Ahead::default() };
                    return Ok(());
                }
                Turn::Seat(seat) if seat == self.seat => {
                    let (look, said) = self.look(&position);
                    let group = ahead.groups.entry(look).or_default();
                    group.0.push(World { position: packed, said });
                    group.1 = group.1.max(ahead.plies);
                }
                _ => ahead.open.push(packed),
            }
        }
        // A belief may grow as long as not all is laid out.
        if ahead.open.is_empty() {
            let groups = std::mem::take(&mut ahead.groups);
            let beliefs = groups.into_values().map(|(mut worlds, plies)| {
                worlds.sort_by(|a, b| a.position.cmp(&b.position));
                worlds.dedup_by(|a, b| a.position == b.position);
                (self.tree.node(worlds), plies)
            });
            ahead.beliefs = beliefs.collect();
        }
        Ok(())
    }
}

/// A number for a belief.
fn key(belief: &[World]) -> u128 {
    let digests: Vec<u8> =
        belief.iter().flat_map(|w| xxhash_rust::xxh3::xxh3_64(w.position.bytes()).to_le_bytes()).collect();
    let root = belief.first().is_some_and(|w| w.said.first().is_some_and(|s| s == "root"));
    let seed = if root { 11 } else { 7 };
    let first = belief.first().map_or(0, |w| xxhash_rust::xxh3::xxh3_64_with_seed(w.position.bytes(), seed));
    xxhash_rust::xxh3::xxh3_128(&digests) ^ u128::from(first)
}
