//! Finds a position that can come about in play and in which a condition holds, with the way to it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Query, Sight};
use crate::game::{Choice, Evaluator as _, Fault, Packed, Position, Turn};
use crate::players::{Bot, Dice, Look, Player, derived, seed_of_seat};
use crate::rules::Evaluators;

/// The bounds of the search.
#[derive(Clone, Copy)]
pub struct Finder<'a> {
    /// The rules.
    pub engine: &'a Evaluators,
    /// The condition.
    pub wanted: &'a Query,
    /// The maximum number of positions of the breadth-first search.
    pub most: usize,
    /// The number of games played at random after it.
    pub games: u64,
    /// Who plays them, a bot for each seat; every option is equally likely where none is named.
    pub bots: &'a [Bot],
    /// Their seed; game `i` has the seed [`derived`]`(seed, i)`.
    pub seed: u64,
    /// The maximum number of plies of a game.
    pub plies: usize,
    /// Called now and then with the number of positions so far.
    pub watch: &'a (dyn Fn(usize) + Sync),
}

/// What was found, and how much was searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// The choices that lead there from the first position.
    pub way: Option<Vec<Choice>>,
    /// The random game in which it came about, from 0; `None` if the breadth-first search found it.
    pub game: Option<u64>,
    /// The number of different positions examined by the breadth-first search.
    pub positions: usize,
    /// The number of plies up to which all positions were examined.
    pub depth: usize,
    /// Whether these are all that can come about at all.
    pub all: bool,
    /// The number of random games played.
    pub games: u64,
    /// The number of positions in these games.
    pub played: usize,
}

/// A position of the search, and how it came about.
struct Node {
    position: Packed,
    from: Option<(usize, Choice)>,
}

/// Looks for a position: breadth-first from the first position within the bounds, then in games played at random, many
/// at a time.
///
/// # Errors
/// The rules fail on the way.
pub fn find(finder: &Finder) -> Result<Sought, Fault> {
    let mut sought = Sought::default();
    let start = finder.engine.start()?;
    all_ways(finder, &start, &mut sought)?;
    if sought.way.is_none() && !sought.all {
        by_chance(finder, &start, &mut sought)?;
    }
    Ok(sought)
}

fn all_ways(finder: &Finder, start: &Position, sought: &mut Sought) -> Result<(), Fault> {
    if finder.wanted.holds(start)? {
        sought.way = Some(Vec::new());
        return Ok(());
    }
    let mut known: HashSet<u64> = HashSet::from([start.digest()]);
    let mut nodes = vec![Node { position: Packed::new(start, finder.engine.model()), from: None }];
    let mut begin = 0;
    while begin < nodes.len() {
        let end = nodes.len();
        for at in begin..end {
            let Some(position) = nodes.get(at).map(|n| n.position.unpack(finder.engine.model())) else {
                break;
            };
            for choice in finder.engine.options(&position)? {
                sought.positions = nodes.len();
                if nodes.len() >= finder.most {
                    return Ok(());
                }
                let mut next = position.clone();
                finder.engine.apply(&mut next, choice)?;
                if !known.insert(next.digest()) {
                    continue;
                }
                let holds = finder.wanted.holds(&next)?;
                nodes.push(Node { position: Packed::new(&next, finder.engine.model()), from: Some((at, choice)) });
                if nodes.len().is_multiple_of(1024) {
                    (finder.watch)(nodes.len());
                }
                if holds {
                    sought.positions = nodes.len();
                    sought.way = Some(way(&nodes, nodes.len() - 1));
                    return Ok(());
                }
            }
        }
        begin = end;
        sought.depth += usize::from(nodes.len() > end);
    }
    sought.positions = nodes.len();
    sought.all = true;
    Ok(())
}

fn way(nodes: &[Node], last: usize) -> Vec<Choice> {
    let mut way = Vec::new();
    let mut at = last;
    while let Some((from, choice)) = nodes.get(at).and_then(|n| n.from) {
        way.push(choice);
        at = from;
    }
    way.reverse();
    way
}

/// The number of games played at a time; the first success in order counts, on any number of threads.
const TOGETHER: u64 = 64;

fn by_chance(finder: &Finder, start: &Position, sought: &mut Sought) -> Result<(), Fault> {
    let played = AtomicUsize::new(0);
    let mut first = 0;
    while first < finder.games {
        let last = finder.games.min(first + TOGETHER);
        let games: Vec<Option<Vec<Choice>>> = (first..last)
            .into_par_iter()
            .map(|game| {
                let way = one(finder, start, game, &played);
                (finder.watch)(sought.positions + played.load(Ordering::Relaxed));
                way
            })
            .collect::<Result<_, Fault>>()?;
        sought.games = last;
        sought.played = played.load(Ordering::Relaxed);
        if let Some((at, way)) = games.into_iter().enumerate().find_map(|(at, way)| Some((at, way?))) {
            sought.game = Some(first + at as u64);
            sought.way = Some(way);
            return Ok(());
        }
        first = last;
    }
    Ok(())
}

fn one(finder: &Finder, start: &Position, game: u64, played: &AtomicUsize) -> Result<Option<Vec<Choice>>, Fault> {
    let seed = derived(finder.seed, game);
    let mut dice = Dice::new(seed);
    let sight = Sight::new(finder.engine);
    let seats = finder.bots.iter().zip(0..);
    let mut players: Vec<Option<Box<dyn Player>>> = seats
        .map(|(bot, seat)| (*bot != Bot::Random).then(|| bot.player(seed_of_seat(seed, seat), finder.engine)))
        .collect();
    let mut position = start.clone();
    let mut way = Vec::new();
    let mut options = Vec::new();
    while way.len() < finder.plies {
        let turn = finder.engine.turn(&position)?;
        if turn == Turn::Over {
            break;
        }
        finder.engine.options_into(&position, &mut options)?;
        let player = match turn {
            Turn::Seat(seat) if !options.is_empty() => players.get_mut(usize::from(seat)).and_then(Option::as_mut),
            _ => None,
        };
        let chosen = match (player, turn) {
            (Some(player), Turn::Seat(seat)) => player.choose(&Look::new(&sight, &position, seat), &options),
            _ => dice.below(options.len()),
        };
        let Some(choice) = options.get(chosen) else {
            break;
        };
        finder.engine.apply(&mut position, *choice)?;
        way.push(*choice);
        played.fetch_add(1, Ordering::Relaxed);
        if finder.wanted.holds(&position)? {
            return Ok(Some(way));
        }
    }
    Ok(None)
}
