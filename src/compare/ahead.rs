//! The shortest game that shows a difference.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::time::{Duration, Instant};

use super::{Deciding, Edits, Side};
use crate::game::{Choice, Evaluator as _, Fault, Position, Status};
use crate::lexicon::{Lexicon, fill};
use crate::players::{Dice, derived};
use crate::rules::Rules;
use crate::simulate::MAX_PLIES;

/// How two positions that were reached by the same choices differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// In the options: those that only the first rules have, and those that only the second have.
    Options(Vec<String>, Vec<String>),
    /// In how the game stands, in words: over, or whose decision it is.
    Standing(String, String),
}

/// A game that both rules allow, up to where they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Who chose what: the seat (or chance) and the choice, as text.
    pub plies: Vec<(String, String)>,
    /// What is different then.
    pub difference: Difference,
    /// The changes that make it so.
    pub deciding: Deciding,
}

impl Fork {
    pub(super) fn new(plies: Vec<(String, String)>, difference: Difference) -> Fork {
        Fork { plies, difference, deciding: Deciding::default() }
    }
}

/// What was found ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The number of positions compared, breadth first.
    pub positions: usize,
    /// To this depth, in plies, there is no difference.
    pub same_to: usize,
    /// Whether these are all positions that there are.
    pub all: bool,
    /// The number of random games compared besides.
    pub games: u64,
    /// The difference, if there is one.
    pub fork: Option<Fork>,
    /// Whether no shorter game shows a difference.
    pub shortest: bool,
}

/// A position under both rules, with the choices that led there.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) positions: [Position; 2],
    pub(super) plies: Vec<(String, String)>,
}

/// What may be chosen, or how it ended, as texts.
struct Stands {
    standing: String,
    who: String,
    options: Vec<(String, Choice)>,
}

/// How a position stands; where the rules fail at it, that is how.
fn stands(rules: &Rules, position: &Position, lang: &str) -> Stands {
    listed(rules, position, lang).unwrap_or_else(|fault| Stands {
        standing: failing(rules, &fault, lang),
        who: String::new(),
        options: Vec::new(),
    })
}

fn failing(rules: &Rules, fault: &Fault, lang: &str) -> String {
    let lexicon = Lexicon::new(rules.model(), lang);
    fill(lexicon.words.compare.fails, &[&lexicon.fault(fault)])
}

fn listed(rules: &Rules, position: &Position, lang: &str) -> Result<Stands, Fault> {
    let explainer = rules.explainer();
    let lexicon = Lexicon::new(rules.model(), lang);
    let evaluators = rules.evaluators();
    let who = match evaluators.status(position)? {
        Status::Over(outcome) => {
            return Ok(Stands { standing: lexicon.outcome(&outcome), who: String::new(), options: Vec::new() });
        }
        Status::Decision(question) => lexicon.who(Some(question.seat)),
        Status::Chance(..) => lexicon.who(None),
    };
    let listed = evaluators.options(position)?;
    let notations = explainer.notations(position, lang).among(&listed);
    let mut options: Vec<(String, Choice)> = listed.iter().map(|choice| (notations.of(*choice), *choice)).collect();
    options.sort();
    options.dedup_by(|a, b| a.0 == b.0);
    Ok(Stands { standing: who.clone(), who, options })
}

/// Who decides, and for each option its choice under either rules and its text.
pub(super) type Same = (String, Vec<[Choice; 2]>, Vec<String>);

/// How the two positions of a pair differ, or else who decides and what both allow.
pub(super) fn compared(rules: [&Rules; 2], pair: &Pair, lang: &str) -> Result<Same, Difference> {
    let [was, now] = [stands(rules[0], &pair.positions[0], lang), stands(rules[1], &pair.positions[1], lang)];
    if was.standing != now.standing {
        return Err(Difference::Standing(was.standing, now.standing));
    }
    let names = |stands: &Stands| -> BTreeSet<String> { stands.options.iter().map(|(text, _)| text.clone()).collect() };
    let (old, new) = (names(&was), names(&now));
    if old != new {
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect();
        return Err(Difference::Options(only(&old, &new), only(&new, &old)));
    }
    let both = was.options.iter().zip(&now.options).map(|((_, a), (_, b))| [*a, *b]).collect();
    Ok((was.who, both, old.into_iter().collect()))
}

/// What a choice leads to under both rules.
pub(super) enum Next {
    /// To these positions.
    Pair(Pair),
    /// The rules of one fail, or they fail in different ways.
    Fork(Fork),
    /// Both fail in the same way.
    Nowhere,
}

pub(super) fn next(
    rules: [&Rules; 2],
    pair: &Pair,
    (who, text): (&str, &str),
    choices: [Choice; 2],
    lang: &str,
) -> Next {
    let mut pair = pair.clone();
    let mut came: Vec<Option<String>> = Vec::new();
    for ((rules, position), choice) in rules.iter().zip(&mut pair.positions).zip(choices) {
        let done = rules.evaluators().apply(position, choice);
        came.push(done.err().map(|fault| failing(rules, &fault, lang)));
    }
    pair.plies.push((who.to_owned(), text.to_owned()));
    let goes_on = || Lexicon::new(rules[1].model(), lang).words.compare.goes_on.to_owned();
    match came.as_slice() {
        [None, None] => Next::Pair(pair),
        [was, now] if was != now => {
            let said = |came: &Option<String>| came.clone().unwrap_or_else(goes_on);
            Next::Fork(Fork::new(pair.plies, Difference::Standing(said(was), said(now))))
        }
        _ => Next::Nowhere,
    }
}

/// How much is compared.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The most positions near the start.
    pub positions: usize,
    /// The most random games, and their seed.
    pub games: (u64, u64),
    /// The longest time for each of the two.
    pub time: Duration,
}

/// Compares what may be chosen, position by position: first the positions near the start, then random games.
///
/// # Errors
/// A fault of the rules.
pub fn ahead(before: &Side, after: &Side, budget: Budget, edits: &Edits, lang: &str) -> Result<Ahead, Fault> {
    let mut found = searched([&before.rules, &after.rules], budget, lang)?;
    if let Some(fork) = &mut found.fork {
        let same = |side: &Side| same_there([&before.rules, &side.rules], &fork.plies, lang).unwrap_or(false);
        fork.deciding = edits.deciding(&BTreeSet::new(), &same);
    }
    Ok(found)
}

/// Whether the choices of a game are options under both rules, and the options after them are the same.
fn same_there(rules: [&Rules; 2], plies: &[(String, String)], lang: &str) -> Result<bool, Fault> {
    let mut pair = beginning(rules)?;
    for (_, wanted) in plies {
        let Ok((who, both, texts)) = compared(rules, &pair, lang) else { return Ok(false) };
        let at = texts.iter().position(|text| text == wanted);
        let Some(choices) = at.and_then(|at| both.get(at)) else { return Ok(false) };
        pair = match next(rules, &pair, (&who, wanted), *choices, lang) {
            Next::Pair(pair) => pair,
            Next::Fork(_) => return Ok(false),
            Next::Nowhere => return Ok(true),
        };
    }
    Ok(compared(rules, &pair, lang).is_ok())
}

fn beginning(rules: [&Rules; 2]) -> Result<Pair, Fault> {
    let positions = [rules[0].evaluators().start()?, rules[1].evaluators().start()?];
    Ok(Pair { positions, plies: Vec::new() })
}

fn searched(sides: [&Rules; 2], budget: Budget, lang: &str) -> Result<Ahead, Fault> {
    let start = beginning(sides)?;
    let mut found = Ahead { positions: 0, same_to: 0, all: false, games: 0, fork: None, shortest: false };
    let mut known: HashSet<[u64; 2]> = HashSet::new();
    let mut open = VecDeque::from([start.clone()]);
    let began = Instant::now();
    while let Some(pair) = open.pop_front() {
        if found.positions >= budget.positions || found.positions > 0 && began.elapsed() > budget.time {
            open.push_front(pair);
            break;
        }
        found.positions += 1;
        found.same_to = pair.plies.len();
        match compared(sides, &pair, lang) {
            Err(difference) => {
                found.fork = Some(Fork::new(pair.plies, difference));
                found.shortest = true;
                return Ok(found);
            }
            Ok((who, both, texts)) => {
                for (choices, text) in both.into_iter().zip(&texts) {
                    let after = match next(sides, &pair, (&who, text), choices, lang) {
                        Next::Pair(after) => after,
                        Next::Fork(fork) => {
                            (found.fork, found.shortest) = (Some(fork), true);
                            return Ok(found);
                        }
                        Next::Nowhere => continue,
                    };
                    if known.insert([after.positions[0].digest(), after.positions[1].digest()]) {
                        open.push_back(after);
                    }
                }
            }
        }
    }
    found.all = open.is_empty();
    if found.all {
        return Ok(found);
    }
    // The last depth was not looked at whole.
    found.same_to = found.same_to.saturating_sub(1);
    let (began, (games, seed)) = (Instant::now(), budget.games);
    for game in 0..games {
        let longest = found.fork.as_ref().map_or(MAX_PLIES, |fork| fork.plies.len().saturating_sub(1));
        let game = Game { seed: derived(seed, game), longest, until: began + budget.time };
        match random(sides, &start, game, lang) {
            Came::Late => break,
            Came::Same => {}
            Came::Fork(fork) => found.fork = Some(fork),
        }
        found.games += 1;
    }
    Ok(found)
}

/// A random game, and how far it is followed.
struct Game {
    seed: u64,
    /// In plies.
    longest: usize,
    until: Instant,
}

/// What came of a random game.
enum Came {
    /// There was no time to follow it.
    Late,
    /// No difference.
    Same,
    Fork(Fork),
}

/// A random game under both rules, up to where they differ.
fn random(sides: [&Rules; 2], start: &Pair, game: Game, lang: &str) -> Came {
    let (mut dice, mut pair) = (Dice::new(game.seed), start.clone());
    while pair.plies.len() <= game.longest {
        if Instant::now() > game.until {
            return Came::Late;
        }
        match compared(sides, &pair, lang) {
            Err(difference) => return Came::Fork(Fork::new(pair.plies, difference)),
            Ok((who, both, texts)) => {
                let i = dice.below(both.len());
                let (Some(choices), Some(text)) = (both.get(i), texts.get(i)) else { return Came::Same };
                pair = match next(sides, &pair, (&who, text), *choices, lang) {
                    Next::Pair(pair) => pair,
                    Next::Fork(fork) => return Came::Fork(fork),
                    Next::Nowhere => return Came::Same,
                };
            }
        }
    }
    Came::Same
}
