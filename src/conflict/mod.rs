//! The search for conflicts: of two clauses that could disagree either a proof that they never do, or a position where they do.
//!
//! The checker reports what certainly clashes; what is left hangs on the position. Here the conditions of both clauses are asked on a position of which nothing
//! is settled yet (`explain::sketch`). Where something open is needed it is settled one way and then the other, until both clauses apply and disagree, or all
//! ways are tried. What is found is held against play at a whole position: the explaining evaluator must meet the conflict there.

mod calls;
mod effects;
mod ending_checks;
mod example;
mod pairs;
mod realize;
mod report;
mod search;

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

/// How many times conditions are looked at for one pair of clauses, if nobody says otherwise.
pub const TRIES: u32 = 20_000;

/// The code of what the search reports.
pub const CODE: &str = "law::possible-conflict";

/// Of how many games positions are taken to begin with, and of how many plies each.
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
    /// Neither changes what the other looks at or changes.
    Independent,
    /// Both cannot come about from one look at the endings to the next, and the game would be over before.
    EndingChecks,
    /// Their conditions exclude each other, whatever the definitions in them come to.
    Conditions,
    /// All positions are tried.
    Tried,
    /// Where they disagree a `never` of the rules is broken.
    Never(BTreeSet<ClauseId>),
}

/// What is known of two clauses.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They never disagree.
    Apart(Apart),
    /// They do here.
    Conflict(Box<Example>),
    /// Not decided: the search was too long, or asks for what it cannot say. The nearest: a position where they clash and which a `never` rules out.
    Open(Option<Box<Example>>),
}

/// A search over the rules of a game.
pub struct Finder {
    rules: Explainer,
    calls: Calls,
    looks: EndingChecks,
    /// Positions of games, to take from them what does not matter.
    seeds: Vec<Position>,
    tries: u32,
}

impl Finder {
    /// EndingChecks at conditions at most `tries` times for one pair.
    #[must_use]
    pub fn new(model: &Arc<Model>, tries: u32) -> Finder {
        let config = Config::defaults(model);
        let rules = Explainer::new(Arc::clone(model), config);
        let seeds = seeds(&rules);
        Finder { calls: Calls::new(model), looks: EndingChecks::new(&rules), rules, seeds, tries }
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

    /// What is known of all pairs, in order; `each` is called when one is answered.
    pub fn all(&self, each: &(dyn Fn() + Sync)) -> Vec<(Pair, Answer)> {
        let answered = |pair: Pair| {
            let answer = self.ask(&pair);
            each();
            (pair, answer)
        };
        self.pairs().into_par_iter().map(answered).collect()
    }

    /// What is known of a pair.
    #[must_use]
    pub fn ask(&self, pair: &Pair) -> Answer {
        if let Some(apart) = &pair.known {
            return Answer::Apart(apart.clone());
        }
        let mut why = None;
        let mut open = None;
        for conflict in &pair.ways {
            match self.search(conflict) {
                Answer::Conflict(example) => return Answer::Conflict(example),
                Answer::Open(nearest) => open = Some(open.flatten().or(nearest)),
                Answer::Apart(apart) => why = Some(weaker(why, apart)),
            }
        }
        match open {
            Some(nearest) => Answer::Open(nearest),
            None => Answer::Apart(why.unwrap_or(Apart::Members)),
        }
    }

    fn search(&self, conflict: &Conflict) -> Answer {
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
        if let End::Exhausted(_) = Search::new(self, conflict, first, 0).opaquely(self.tries / 4) {
            return Answer::Apart(Apart::Conditions);
        }
        let mut nearest = None;
        for (i, seed) in self.seeds.iter().enumerate() {
            let tries = if i == 0 { self.tries / 2 } else { self.tries / (2 * self.seeds.len() as u32) };
            match Search::new(self, conflict, seed, i).finely(tries) {
                End::Found(example) => return Answer::Conflict(example),
                End::Exhausted(nevers) if nevers.is_empty() => return Answer::Apart(Apart::Tried),
                End::Exhausted(nevers) => return Answer::Apart(Apart::Never(nevers)),
                End::Out(weak) => nearest = nearest.or(weak),
            }
        }
        Answer::Open(nearest)
    }
}

/// Of two reasons the one that leans on more.
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

/// Positions of a few games, the first one first: what is open where an example is found is taken from one of them, so that it looks like the game.
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
