//! Bots against each other: pairs of games with the seats exchanged, and what they say about who is stronger.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::game::{Choice, Evaluator, Position};
use crate::players::{Bot, Eyes, Look, Player, seed_of_seat};
use crate::simulate::{self, Finish, MAX_PLIES};
use crate::stats::{Confidence, Estimate};

/// The log-likelihood ratio at which a sequential test with errors of 5 % on either side stops: `ln(0.95 / 0.05)`.
const DECIDED: f64 = 2.944_439;

/// Two games with the same chance, in which two bots exchange seats.
#[derive(Clone, Debug)]
pub struct Pair {
    /// How the games ended.
    pub finishes: [Finish; 2],
    /// The points of the first bot in each: its share among the winners, and ½ in a draw. `None` if one did not end.
    pub points: Option<[f64; 2]>,
    /// Plies of both together.
    pub plies: usize,
}

/// A player that takes the first option once it is told to stop, so that its game is soon over.
struct Stoppable {
    player: Box<dyn Player>,
    stop: &'static AtomicBool,
}

impl Player for Stoppable {
    fn choose(&mut self, look: &Look<'_>, options: &[Choice]) -> usize {
        if self.stop.load(Ordering::Relaxed) { 0 } else { self.player.choose(look, options) }
    }
}

/// Plays a pair of games; `None` if it was told to stop before they were over. In the first, the first bot sits on
/// every other seat, beginning with the first one; in the second, on the others.
pub fn pair<E: Evaluator + Clone + Send + Sync + 'static>(
    evaluator: &E,
    from: Option<&Position>,
    bots: [Bot; 2],
    (seats, seed): (usize, u64),
    eyes: &impl Eyes,
    stop: &'static AtomicBool,
) -> Option<Pair> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let first_sits = |game: usize, seat: usize| seat % 2 == game;
    let play = |game: usize| {
        let [first, second] = bots;
        let sits = |seat: usize| if first_sits(game, seat) { first } else { second };
        let seated = (0..seats).map(|seat| {
            let player = sits(seat).player(seed_of_seat(seed, seat as u16), evaluator);
            Box::new(Stoppable { player, stop }) as Box<dyn Player>
        });
        let mut players: Vec<Box<dyn Player>> = seated.collect();
        simulate::between(evaluator, from, &mut players, eyes, seed, MAX_PLIES)
    };
    let games = [play(0), play(1)];
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let points = |game: usize, finish: &Finish| match finish {
        Finish::Over(outcome) if outcome.winners.is_empty() => Some(0.5),
        Finish::Over(outcome) => {
            let won = outcome.winners.iter().filter(|seat| first_sits(game, usize::from(**seat))).count();
            Some(won as f64 / outcome.winners.len() as f64)
        }
        _ => None,
    };
    let plies = games.iter().map(|played| played.plies.len()).sum();
    let [one, two] = games;
    let both = points(0, &one.finish).zip(points(1, &two.finish));
    Some(Pair { finishes: [one.finish, two.finish], points: both.map(|(a, b)| [a, b]), plies })
}

/// What the pairs played so far say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    pairs: u32,
    /// The points of the first bot, in its first and second games.
    points: [f64; 2],
    /// Of the mean points of each pair, the sum of the squares.
    squares: f64,
}

/// What a sequential test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first bot is stronger by the difference asked about.
    Stronger,
    /// It is not stronger.
    NotStronger,
}

impl Standing {
    /// Counts a pair: the points of the first bot in each game, 0 to 1.
    pub fn add(&mut self, points: [f64; 2]) {
        let mean = f64::midpoint(points[0], points[1]);
        self.pairs += 1;
        self.points.iter_mut().zip(points).for_each(|(sum, points)| *sum += points);
        self.squares += mean * mean;
    }

    /// How many games were counted.
    #[must_use]
    pub fn games(&self) -> u32 {
        2 * self.pairs
    }

    /// The points of the first bot, when it sat on the first seat and on the second.
    #[must_use]
    pub fn points(&self) -> [f64; 2] {
        self.points
    }

    /// The share of the points that the first bot won, with its interval of 95 %.
    #[must_use]
    pub fn share(&self) -> Estimate {
        Confidence::USUAL.points(self.points.iter().sum(), f64::from(self.games()))
    }

    /// What a sequential test says about whether the first bot is stronger by `elo` or more, or not stronger at all;
    /// `None` if neither is sure enough yet. It is a generalized sequential probability ratio test on the means of the
    /// pairs, with the normal approximation, and errors of 5 % either way. The variance is estimated with one pair
    /// more, half of whose points are won, so that it is never 0.
    #[must_use]
    pub fn verdict(&self, elo: f64) -> Option<Verdict> {
        let n = f64::from(self.pairs);
        let sum = f64::midpoint(self.points[0], self.points[1]);
        let mean = sum / n.max(1.0);
        let smoothed = (sum + 0.5) / (n + 1.0);
        // The pair more has the variance of a won and a lost game.
        let variance = ((self.squares + 0.5) / (n + 1.0) - smoothed * smoothed).max(1e-6);
        let (null, other) = (0.5, expected(elo));
        let ratio = n * (other - null) * (2.0 * mean - null - other) / (2.0 * variance);
        match ratio {
            r if r >= DECIDED => Some(Verdict::Stronger),
            r if r <= -DECIDED => Some(Verdict::NotStronger),
            _ => None,
        }
    }
}

/// The difference in Elo at which a share of the points is expected; infinite at 0 and 1.
#[must_use]
pub fn elo(share: f64) -> f64 {
    match share {
        // An end of an interval of shares may be this near for rounding.
        share if share < ALL_BUT_NONE => f64::NEG_INFINITY,
        share if share > 1.0 - ALL_BUT_NONE => f64::INFINITY,
        share => -400.0 * (1.0 / share - 1.0).log10(),
    }
}

/// A share that is as good as none: 3,600 in Elo.
const ALL_BUT_NONE: f64 = 1e-9;

/// The share of the points that is expected at a difference in Elo.
fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Dice;

    #[test]
    fn elo_and_shares_are_those_of_the_formula() {
        assert!((elo(0.5)).abs() < 1e-9);
        assert!((elo(0.75) - 190.848_5).abs() < 1e-3);
        assert!((expected(elo(0.3)) - 0.3).abs() < 1e-12);
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((elo(1e-16), elo(1.0 - 1e-16)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    /// How often the test says "stronger" of a bot with this chance to win each game.
    fn said_stronger(chance: usize, tries: u64) -> usize {
        let said = (0..tries).filter(|seed| {
            let mut dice = Dice::new(*seed);
            let mut standing = Standing::default();
            let mut game = || if dice.below(1000) < chance { 1.0 } else { 0.0 };
            for _ in 0..20_000 {
                standing.add([game(), game()]);
                match standing.verdict(50.0) {
                    Some(verdict) => return verdict == Verdict::Stronger,
                    None => continue,
                }
            }
            panic!("not decided");
        });
        said.count()
    }

    #[test]
    fn the_sequential_test_errs_seldom() {
        // Of 400, 5 % are 20; the normal approximation and the overshoot are allowed for.
        assert!(said_stronger(500, 400) <= 30);
        assert!(said_stronger(571, 400) >= 370);
        assert_eq!(said_stronger(900, 100), 100);
    }

    #[test]
    fn one_sided_games_say_it_soon() {
        let mut standing = Standing::default();
        let pairs = (1..100).find(|_| {
            standing.add([1.0, 1.0]);
            standing.verdict(50.0).is_some()
        });
        assert!(pairs.is_some_and(|n| (3..40).contains(&n)), "{pairs:?}");
        assert_eq!(standing.verdict(50.0), Some(Verdict::Stronger));
    }
}
