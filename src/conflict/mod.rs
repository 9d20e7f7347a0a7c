//! The search for conflicts: of two clauses that could disagree either a proof that they never do, or a position where
//! they do.
//!
//! The checker reports certain conflicts; the others depend on the position. Here the conditions of both clauses are
//! evaluated on a partial position in which nothing is settled yet (`explain::partial`). If something open is needed,
//! it is settled one way and then another, until both clauses apply and disagree, or all ways are tried. The result is
//! checked in play at a whole position: the explaining evaluator must meet the conflict there.

mod calls;
mod effects;
mod ending_checks;
mod example;
mod pairs;
mod realize;
mod report;
mod search;
mod shrink;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

pub use example::Example;
pub use pairs::{Pair, Subject};
pub use report::{diagnostics, where_it_is, words};

use crate::explain::Explainer;
use crate::explain::conflict::Conflict;
use crate::game::{Evaluator as _, Position, Status};
use crate::model::{ClauseId, Config, Model};
use crate::players::Dice;
use calls::Calls;
use ending_checks::EndingChecks;
use search::{End, Search};

/// How many times conditions are evaluated for one pair of clauses, by default.
pub const TRIES: u32 = 20_000;

/// The code of the diagnostics of the search.
pub const CODE: &str = "law::possible-conflict";

/// The number of games from which positions are taken to begin with, and the number of plies of each.
const GAMES: u64 = 4;
const PLIES: usize = 40;

/// Why two clauses never disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart {
    /// This one beats the other.
    Ranked(ClauseId),
    /// They say the same.
    Agree,
    /// They are about different members.
    Members,
    /// Neither changes what the other reads or changes.
    Independent,
    /// They cannot both come to hold between one check of the endings and the next, so the game would be over before.
    EndingChecks,
    /// Their conditions exclude each other, whatever the values of the definitions in them.
    Conditions,
    /// All positions are tried.
    Tried,
    /// Wherever they disagree, a `never` of the rules is broken.
    Never(BTreeSet<ClauseId>),
}

/// What is known about two clauses.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They never disagree.
    Apart(Apart),
    /// They disagree here.
    Conflict(Box<Example>),
    /// Not decided: the search gave up, or met something that it cannot settle. With the nearest example: a position
    /// where they conflict, but which a `never` rules out.
    Open(Option<Box<Example>>),
}

/// A search over the rules of a game.
pub struct Finder {
    rules: Explainer,
    calls: Calls,
    looks: EndingChecks,
    /// Positions of games, from which everything that does not matter is taken.
    seeds: Vec<Position>,
    tries: u32,
    /// Whether the options and readings are given; otherwise all of them are searched.
    configured: bool,
}

impl Finder {
    /// Evaluates conditions at most `tries` times for one pair, under these options and readings or, without them,
    /// under all.
    #[must_use]
    pub fn new(model: &Arc<Model>, config: Option<Config>, tries: u32) -> Finder {
        let configured = config.is_some();
        let config = config.unwrap_or_else(|| Config(model.config.iter().map(|c| c.default).collect()));
        let rules = Explainer::new(Arc::clone(model), config);
        let seeds = seeds(&rules);
        Finder { calls: Calls::new(model), looks: EndingChecks::new(&rules), rules, seeds, tries, configured }
    }

    /// The rules searched.
    #[must_use]
    pub fn model(&self) -> &Model {
        self.rules.model()
    }

    /// All pairs of clauses that could disagree.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        pairs::all(self.model())
    }

    /// What is known about all pairs, in order; `each` is called when one is answered.
    pub fn all(&self, each: &(dyn Fn() + Sync)) -> Vec<(Pair, Answer)> {
        let answered = |pair: Pair| {
            let answer = self.ask(&pair);
            each();
            (pair, answer)
        };
        self.pairs().into_par_iter().map(answered).collect()
    }

    /// What is known about a pair.
    #[must_use]
    pub fn ask(&self, pair: &Pair) -> Answer {
        if let Some(apart) = &pair.known {
            return Answer::Apart(apart.clone());
        }
        let mut why = None;
        let mut open = None;
        let left = Cell::new(self.tries);
        for conflict in &pair.ways {
            match self.search(conflict, &left) {
                Answer::Conflict(_) if pairs::may_be_ranked(self.model(), conflict) => open = Some(open.flatten()),
                Answer::Conflict(example) => return Answer::Conflict(example),
                Answer::Open(nearest) => open = Some(open.flatten().or(nearest)),
                Answer::Apart(apart) => why = Some(weaker(why, apart)),
            }
        }
        match open {
            Some(nearest) => Answer::Open(nearest),
            None if pair.more => Answer::Open(None),
            None => Answer::Apart(why.unwrap_or(Apart::Members)),
        }
    }

    /// Searches one way in which two clauses could disagree; `left` is how often conditions may still be evaluated.
    fn search(&self, conflict: &Conflict, left: &Cell<u32>) -> Answer {
        if let Conflict::Order(_, hooks) = conflict
            && effects::independent(self.model(), hooks)
        {
            return Answer::Apart(Apart::Independent);
        }
        if let Conflict::Ends([a, b]) = conflict
            && !self.looks.together(self.model(), a.clause, b.clause)
        {
            return Answer::Apart(Apart::EndingChecks);
        }
        let Some(first) = self.seeds.first() else {
            return Answer::Open(None);
        };
        if let End::Exhausted(_) = Search::new(self, conflict, first, 0, left).opaquely(self.tries / 4) {
            return Answer::Apart(Apart::Conditions);
        }
        let mut nearest = None;
        for (i, seed) in self.seeds.iter().enumerate() {
            let tries = if i == 0 { self.tries / 2 } else { self.tries / (4 * self.seeds.len() as u32) };
            match Search::new(self, conflict, seed, i, left).finely(tries) {
                End::Found(example) => return Answer::Conflict(example),
                End::Exhausted(nevers) if nevers.is_empty() => return Answer::Apart(Apart::Tried),
                End::Exhausted(nevers) => return Answer::Apart(Apart::Never(nevers)),
                End::Out(weak) => nearest = nearest.or(weak),
            }
        }
        Answer::Open(nearest)
    }
}

/// Of two reasons, the one that assumes more.
fn weaker(a: Option<Apart>, b: Apart) -> Apart {
    match (a, b) {
        (Some(Apart::Never(mut all)), Apart::Never(more)) => {
            all.extend(more);
            Apart::Never(all)
        }
        (Some(never @ Apart::Never(_)), _) => never,
        (Some(Apart::Tried), other) if !matches!(other, Apart::Never(_)) => Apart::Tried,
        (_, other) => other,
    }
}

/// Positions of a few games: what is open in an example is taken from one of them, so that it looks like the game.
fn seeds(rules: &Explainer) -> Vec<Position> {
    let Ok(start) = rules.start() else {
        return rules.blank().into_iter().collect();
    };
    let mut seeds = vec![start.clone()];
    for game in 0..GAMES {
        let mut dice = Dice::new(game);
        let mut position = start.clone();
        for _ in 0..PLIES * (game as usize + 1) / GAMES as usize {
            let mut next = position.clone();
            let options = match rules.status(&next) {
                Ok(Status::Over(_)) | Err(_) => break,
                Ok(_) => rules.options(&next).unwrap_or_default(),
            };
            let Some(choice) = options.get(dice.below(options.len())) else { break };
            if rules.apply(&mut next, *choice).is_err() || next.ending(rules.model()).is_some() {
                break;
            }
            position = next;
        }
        if !seeds.contains(&position) {
            seeds.push(position);
        }
    }
    seeds
}
