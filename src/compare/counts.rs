//! How many positions lie ahead.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::ahead::{Fork, Next, Pair, compared, next};
use super::{Edits, Side};
use crate::facts::Scene;
use crate::game::{Evaluator as _, Fault, Position};
use crate::perft::{self, perft_while};
use crate::rules::Rules;

/// The numbers of positions ahead of one beginning, under both rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// `start`, or the name of a position of the game's table of counts.
    pub from: String,
    /// Under each rules, after 1, 2, ... plies. If they differ, the last do.
    pub depths: Vec<[u64; 2]>,
    /// The first position, in the order of the options, in which the options differ.
    pub fork: Option<Fork>,
}

/// Where counting begins.
#[derive(Clone)]
enum Beginning {
    Start,
    Scene(Box<Scene>),
}

impl Beginning {
    /// The rules with the settings of the beginning, and its position; `None` if there is none under these rules.
    fn open(&self, side: &Side) -> Option<(Rules, Position)> {
        match self {
            Beginning::Start => Some((side.rules.clone(), side.rules.evaluators().start().ok()?)),
            Beginning::Scene(scene) => {
                let mut settings = scene.settings.clone();
                settings.lay_over(&side.settings);
                let rules = side.book.rules(&settings).ok()?;
                let position = scene.opening(rules.explainer()).ok()?;
                Some((rules, position))
            }
        }
    }
}

/// Counts the positions ahead of the start, and of the positions of the first rules' table of counts, as deep as there
/// are at most so many, and as long as there is time for each beginning.
#[must_use]
pub fn counts(before: &Side, after: &Side, within: (u64, Duration), edits: &Edits, lang: &str) -> Vec<Counted> {
    let counted = |(from, beginning): (String, Beginning)| {
        let (depths, fork) = one(before, after, &beginning, within, lang).ok()??;
        let fork = fork.map(|fork| {
            let same = |side: &Side| {
                let found = both(before, side, &beginning);
                found.is_some_and(|both| {
                    same_ahead(&both, depths.len() as u32, Instant::now() + within.1).unwrap_or(false)
                })
            };
            Fork { deciding: edits.deciding(&BTreeSet::new(), &same), ..fork }
        });
        Some(Counted { from, depths, fork })
    };
    beginnings(before).into_iter().filter_map(counted).collect()
}

fn beginnings(side: &Side) -> Vec<(String, Beginning)> {
    let mut found = vec![(perft::START.to_owned(), Beginning::Start)];
    let rows = side.folder.text(perft::FILE).and_then(|text| perft::table(text).ok()).unwrap_or_default();
    for row in rows {
        let text = row.files().and_then(|files| files.iter().find_map(|file| side.folder.text(file)));
        let scene = text.and_then(|text| Scene::parse(text).ok()).filter(|scene| scene.moves.is_empty());
        if let Some(scene) = scene
            && found.iter().all(|(name, _)| *name != row.position)
        {
            found.push((row.position, Beginning::Scene(Box::new(scene))));
        }
    }
    found
}

/// A beginning under both rules.
struct Both {
    rules: [Rules; 2],
    pair: Pair,
}

impl Both {
    fn rules(&self) -> [&Rules; 2] {
        let [was, now] = &self.rules;
        [was, now]
    }
}

fn both(before: &Side, after: &Side, beginning: &Beginning) -> Option<Both> {
    let ((was, first), (now, second)) = (beginning.open(before)?, beginning.open(after)?);
    Some(Both { rules: [was, now], pair: Pair { positions: [first, second], plies: Vec::new() } })
}

/// The numbers at a depth; `None` if there is no time for them.
fn numbers(rules: [&Rules; 2], pair: &Pair, depth: u32, until: Instant) -> Result<Option<[u64; 2]>, Fault> {
    let [was, now] = &pair.positions;
    let go_on = || Instant::now() < until;
    let was = perft_while(rules[0].evaluators(), was, depth, &go_on)?;
    let now = perft_while(rules[1].evaluators(), now, depth, &go_on)?;
    Ok(was.zip(now).map(|(was, now)| [was, now]))
}

fn same_ahead(both: &Both, depth: u32, until: Instant) -> Result<bool, Fault> {
    let numbers = numbers(both.rules(), &both.pair, depth, until)?;
    Ok(numbers.is_some_and(|[was, now]| was == now))
}

/// The numbers after each number of plies, and where they begin to differ.
type Ahead = (Vec<[u64; 2]>, Option<Fork>);

fn one(
    before: &Side,
    after: &Side,
    beginning: &Beginning,
    (most, time): (u64, Duration),
    lang: &str,
) -> Result<Option<Ahead>, Fault> {
    let Some(both) = both(before, after, beginning) else { return Ok(None) };
    let began = Instant::now();
    let mut depths: Vec<[u64; 2]> = Vec::new();
    for depth in 1.. {
        // The next number is guessed from how the last ones grew.
        let at = |i: usize| depths.len().checked_sub(i).and_then(|at| depths.get(at)).map_or(1, |n| n[0].max(n[1]));
        let (last, before_it) = (at(1), at(2).max(1));
        let guess = last.saturating_mul(last.div_ceil(before_it));
        if last == 0 || depth > 1 && (guess > most || began.elapsed() > time) {
            break;
        }
        let Some(numbers) = numbers(both.rules(), &both.pair, depth, began + time)? else { break };
        depths.push(numbers);
        if numbers[0] != numbers[1] {
            return Ok(Some((depths, fork(both.rules(), both.pair.clone(), (depth, began + 2 * time), lang)?)));
        }
    }
    Ok(Some((depths, None)))
}

/// The first position ahead in which the two rules differ.
fn fork(rules: [&Rules; 2], pair: Pair, (depth, until): (u32, Instant), lang: &str) -> Result<Option<Fork>, Fault> {
    let (who, choices, texts) = match compared(rules, &pair, lang) {
        Err(difference) => return Ok(Some(Fork::new(pair.plies, difference))),
        Ok(same) => same,
    };
    for (choices, text) in choices.into_iter().zip(&texts).filter(|_| depth > 1) {
        let after = match next(rules, &pair, (&who, text), choices, lang) {
            Next::Pair(after) => after,
            Next::Fork(fork) => return Ok(Some(fork)),
            Next::Nowhere => continue,
        };
        match numbers(rules, &after, depth - 1, until)? {
            Some([was, now]) if was == now => {}
            Some(_) => return fork(rules, after, (depth - 1, until), lang),
            None => break,
        }
    }
    Ok(None)
}
