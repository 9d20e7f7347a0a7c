//! Backtracking search over partial positions.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::Finder;
use super::example::Example;
use super::realize::{params, pick, spot};
use crate::explain::conflict::{Conflict, Side};
use crate::explain::partial::{Domain, Entry, Outlook, Partial, Split};
use crate::game::{Evaluator as _, Position};
use crate::model::{ClauseId, ConfigId, Layer, Model};

/// The maximum number of values that are tried one by one, if each makes a difference.
const MAX_VALUES: u64 = 512;

/// The maximum number of steps to see whether a `never` only says that the game is over.
const MAX_CHECKS: usize = 500;

/// How a search ended.
pub enum End {
    /// With a position.
    Found(Box<Example>),
    /// All ways are tried, with the `never`s that ruled positions out.
    Exhausted(BTreeSet<ClauseId>),
    /// The search gave up, or not all ways can be tried; with a position that is ruled out, if one was met.
    Out(Option<Box<Example>>),
}

/// A choice that was made, with the others still to make.
struct Frame {
    partial: Partial,
    entry: Entry,
    /// The next one last.
    parts: Vec<Domain>,
}

/// The result of examining a partial position.
enum Next {
    /// It contains no conflict.
    Dead,
    /// Something must be settled first; whether it is for a `never`, which should not hold.
    Split(Split, bool),
    /// The clauses conflict.
    Leaf,
}

/// One search.
pub struct Search<'f> {
    finder: &'f Finder,
    conflict: &'f Conflict,
    /// The position from which open entries are taken.
    seed: &'f Position,
    /// The number of this search; each tries values in another order.
    turn: usize,
    /// How many times this search may still evaluate conditions.
    left: u32,
    /// How many times all searches for these two clauses together may.
    left_of_all: &'f Cell<u32>,
    /// Whether some ways are left out.
    partial: bool,
    /// The `never`s that positions broke so far; all that follow must keep them.
    kept: Vec<ClauseId>,
    ruled_out: BTreeSet<ClauseId>,
    nearest: Option<Box<Example>>,
}

impl<'f> Search<'f> {
    /// A search for a conflict.
    pub fn new(
        finder: &'f Finder,
        conflict: &'f Conflict,
        seed: &'f Position,
        turn: usize,
        left_of_all: &'f Cell<u32>,
    ) -> Search<'f> {
        Search {
            finder,
            conflict,
            seed,
            turn,
            left: 0,
            left_of_all,
            partial: false,
            kept: Vec::new(),
            ruled_out: BTreeSet::new(),
            nearest: None,
        }
    }

    /// A search with opaque definitions and counts: it gives a proof, or no answer.
    pub fn opaquely(mut self, tries: u32) -> End {
        self.left = tries;
        self.run(true)
    }

    /// A search that evaluates everything.
    pub fn finely(mut self, tries: u32) -> End {
        self.left = tries;
        self.run(false)
    }

    /// A partial position in which only what the conflict itself says is settled.
    fn first(&self) -> Partial {
        let mut partial = Partial::default();
        let model = self.finder.model();
        if self.finder.configured {
            for (i, value) in self.finder.rules.config().0.iter().enumerate() {
                partial.settle(Entry::Config(ConfigId(i as u16)), Domain::one(Some(*value)));
            }
        }
        if let Some(spot) = spot(self.conflict) {
            partial.settle(Entry::On(spot.code), Domain::one(Some(1)));
        }
        if let Conflict::Values(def, sides) = self.conflict
            && let Some(def) = model.defs.get(def.i())
        {
            for (i, _) in params(model, self.conflict).iter().enumerate() {
                let said = |c: &&crate::model::DefClause| sides.iter().any(|s| s.clause == c.clause);
                let mut heads = def.layer(Layer::Instead).iter().filter(said).filter_map(|c| c.args.get(i)?.clone());
                if let Some(value) = heads.next() {
                    partial.settle(Entry::Arg(i as u16), Domain::one(value.int()));
                }
            }
        }
        partial
    }

    fn run(&mut self, opaque: bool) -> End {
        let mut frames: Vec<Frame> = Vec::new();
        let mut partial = self.first();
        partial.opaque = opaque;
        loop {
            if self.left == 0 || self.left_of_all.get() == 0 {
                return End::Out(self.nearest.take());
            }
            match self.next(&partial) {
                Next::Leaf if opaque => return End::Out(None),
                Next::Leaf => match self.leaf(&partial) {
                    Some(end) => return end,
                    // Another `never` must be kept, so the search is repeated.
                    None if self.kept_more() => continue,
                    None => {}
                },
                Next::Split(split, avoid) => {
                    if let Some(on) = self.implied(&partial, &split) {
                        partial.settle(split.entry, Domain::one(Some(i32::from(on))));
                        continue;
                    }
                    let parts = self.parts(&split, avoid);
                    if opaque && self.partial {
                        return End::Out(None);
                    }
                    frames.push(Frame { partial, entry: split.entry, parts });
                }
                Next::Dead => {}
            }
            if opaque && self.partial {
                return End::Out(None);
            }
            loop {
                let Some(frame) = frames.last_mut() else {
                    if self.partial {
                        return End::Out(self.nearest.take());
                    }
                    return End::Exhausted(std::mem::take(&mut self.ruled_out));
                };
                let Some(part) = frame.parts.pop() else {
                    frames.pop();
                    continue;
                };
                partial = frame.partial.clone();
                partial.settle(frame.entry.clone(), part);
                break;
            }
        }
    }

    fn kept_more(&mut self) -> bool {
        let more = self.ruled_out.iter().any(|n| !self.kept.contains(n));
        self.kept.extend(self.ruled_out.iter().filter(|n| !self.kept.contains(n)).copied().collect::<Vec<_>>());
        more
    }

    /// Examines a partial position.
    fn next(&mut self, partial: &Partial) -> Next {
        self.left = self.left.saturating_sub(1);
        self.left_of_all.set(self.left_of_all.get().saturating_sub(1));
        let rules = &self.finder.rules;
        if is_excluded(rules.model(), partial) {
            return Next::Dead;
        }
        match rules.conflict_at(partial, self.conflict) {
            // With another fault, play does not get to this conflict.
            Outlook::No | Outlook::Fault => return Next::Dead,
            Outlook::Open(split) => return Next::Split(split, false),
            // Play can decide what a partial position cannot.
            Outlook::Beyond => self.partial = true,
            Outlook::Yes => {}
        }
        if partial.opaque {
            return Next::Leaf;
        }
        for never in &self.kept {
            match rules.never_at(partial, *never) {
                Outlook::Yes => return Next::Dead,
                Outlook::Open(split) => return Next::Split(split, true),
                Outlook::No | Outlook::Fault | Outlook::Beyond => {}
            }
        }
        Next::Leaf
    }

    /// Checks in play a partial position where the clauses conflict.
    fn leaf(&mut self, partial: &Partial) -> Option<End> {
        let Some((example, rules)) = self.finder.example(self.conflict, partial, self.seed) else {
            self.partial = true;
            return None;
        };
        let broken: Vec<ClauseId> = example.nevers.iter().filter(|n| self.counts(**n)).copied().collect();
        let more = broken.iter().any(|n| !self.kept.contains(n));
        if broken.is_empty() {
            let example = Example { partial: self.least(partial, &rules), ..example };
            return Some(End::Found(Box::new(self.finder.shrunk(example, &rules))));
        }
        if !more {
            // Kept at the partial position but broken at the whole one: the partial position cannot decide it.
            self.partial = true;
        }
        self.ruled_out.extend(broken);
        if self.nearest.is_none() {
            self.nearest = Some(Box::new(Example { partial: self.least(partial, &rules), ..example }));
        }
        None
    }

    /// Whether it matters that a `never` is broken. Endings are checked before a decision point, and a `never` that
    /// only says that the game is over already is about decision points.
    fn counts(&self, never: ClauseId) -> bool {
        match self.conflict {
            Conflict::Ends(sides) => !sides.iter().any(|side| self.says_the_end(never, *side)),
            _ => true,
        }
    }

    /// Whether a `never` certainly holds only where an ending does.
    fn says_the_end(&self, never: ClauseId, side: Side) -> bool {
        let mut first = Partial::default();
        first.opaque = true;
        let mut todo = vec![first];
        for _ in 0..MAX_CHECKS {
            let Some(mut partial) = todo.pop() else { return true };
            match self.finder.rules.never_without(&partial, never, side) {
                Outlook::No => {}
                Outlook::Open(split) => match self.implied(&partial, &split) {
                    Some(on) => {
                        partial.settle(split.entry, Domain::one(Some(i32::from(on))));
                        todo.push(partial);
                    }
                    None if split.parts.is_empty() && split.domain.size() > MAX_VALUES => return false,
                    None => {
                        let all = split.domain.values(MAX_CHECKS);
                        let each = || all.iter().map(|v| Domain::one(*v)).collect();
                        let parts: Vec<Domain> = if split.parts.is_empty() { each() } else { split.parts };
                        for part in parts {
                            let mut next = partial.clone();
                            next.settle(split.entry.clone(), part);
                            todo.push(next);
                        }
                    }
                },
                Outlook::Yes | Outlook::Fault | Outlook::Beyond => return false,
            }
        }
        false
    }

    /// The smallest part of a partial position that is needed for the conflict.
    fn least(&self, partial: &Partial, rules: &crate::explain::Explainer) -> Partial {
        let mut least = partial.clone();
        let entries: Vec<Entry> = partial.entries().map(|(e, _)| e.clone()).collect();
        for entry in entries.into_iter().rev() {
            let mut less = least.clone();
            less.forget(&entry);
            if matches!(rules.conflict_at(&less, self.conflict), Outlook::Yes) {
                least = less;
            }
        }
        least
    }

    /// Whether a procedure is active, if that follows.
    fn implied(&self, partial: &Partial, split: &Split) -> Option<bool> {
        let Entry::On(code) = split.entry else { return None };
        self.finder.calls.implied(partial, code, spot(self.conflict).map(|s| s.code))
    }

    /// The ways to settle something; the last one is tried first.
    fn parts(&mut self, split: &Split, avoid: bool) -> Vec<Domain> {
        let wanted = self.wanted(&split.entry);
        let mut parts = split.parts.clone();
        if parts.is_empty() {
            return self.values(split, wanted);
        }
        let setting = matches!(split.entry, Entry::Config(_));
        if avoid || setting || !self.is_bold() {
            // What holds in the game already.
            parts.sort_by_key(|p| !p.contains(wanted));
        }
        parts.reverse();
        parts
    }

    fn values(&mut self, split: &Split, wanted: Option<i32>) -> Vec<Domain> {
        let domain = &split.domain;
        let mut values = if domain.size() <= MAX_VALUES {
            domain.values(MAX_VALUES as usize)
        } else {
            self.partial = true;
            let near = [wanted, wanted.and_then(|w| w.checked_add(1)), wanted.and_then(|w| w.checked_sub(1))];
            let common = [Some(0), Some(1), Some(2), Some(-1), Some(10), None];
            let mut some: Vec<Option<i32>> = near.into_iter().chain(common).chain(domain.ends()).collect();
            some.retain(|v| domain.contains(*v));
            let mut once = Vec::new();
            some.retain(|v| {
                !once.contains(v) && {
                    once.push(*v);
                    true
                }
            });
            some
        };
        if !values.is_empty() {
            let turns = self.turn * 7 % values.len();
            values.rotate_left(turns);
        }
        let truth = *domain == Domain::truth() && !matches!(split.entry, Entry::Config(_));
        let first = if truth && self.is_bold() { Some(1) } else { wanted };
        values.sort_by_key(|v| *v != first);
        values.reverse();
        values.into_iter().map(Domain::one).collect()
    }

    /// Whether it first tries what is asked for rather than what holds already: the former finds a few of many, the
    /// latter all of many.
    fn is_bold(&self) -> bool {
        self.turn % 2 == 1
    }

    /// The state of an entry of which nothing is settled.
    fn wanted(&self, entry: &Entry) -> Option<i32> {
        let model = self.finder.model();
        match entry {
            Entry::Config(ConfigId(i)) => self.finder.rules.config().0.get(usize::from(*i)).copied(),
            Entry::Cell(var, index) => self.seed.read(model, *var, *index as usize).int(),
            Entry::Item(var, index, item) => Some(match self.seed.read(model, *var, *index as usize) {
                crate::model::Value::Set(set) => i32::from(set.contains(*item as usize)),
                crate::model::Value::List(list) => i32::from(list.iter().any(|i| u32::from(*i) == *item)),
                crate::model::Value::Bag(counts) => counts.get(*item as usize).map_or(0, |n| i32::from(*n)),
                _ => 0,
            }),
            Entry::On(_) | Entry::AnyLegal | Entry::Arg(_) | Entry::Whole(_) => pick(&Domain::truth(), Some(0)),
        }
    }
}

/// Whether options are on that exclude each other.
fn is_excluded(model: &Model, partial: &Partial) -> bool {
    let is_on = |id| partial.known(&Entry::Config(id)) == Some(&Domain::one(Some(1)));
    model.exclusions().any(|(a, b)| is_on(a) && is_on(b))
}
