//! How many playouts a second `mcts` makes for a choice, next to random games from the same position.
//!
//!     cargo bench --bench bots                    all shipped games
//!     cargo bench --bench bots -- hex riddle      these
//!     cargo bench --bench bots -- 200             with 200 playouts a choice instead of 2,000
//!
//! Both are measured in turns, in one run and on one thread; the figures are medians over the turns.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use lawspeaker::game::{Choice, Evaluator, Position, Status};
use lawspeaker::players::{Budget, Dice, Look, Mcts, Player as _, derived};
use lawspeaker::rules::{Evaluators, Rules};
use lawspeaker::search::Sight;
use lawspeaker::simulate::Playouts;

const GAMES: [&str; 12] = [
    "tic-tac-toe",
    "connect-four",
    "breakthrough",
    "hex",
    "reversi",
    "chess",
    "backgammon",
    "leduc-holdem",
    "confrontation",
    "riddle",
    "miniatures",
    "war-of-the-ring",
];
/// How long one game is measured, and how many turns it has at least.
const ENOUGH: Duration = Duration::from_secs(8);
const LEAST: usize = 3;
/// The most plies of a random game, and of a playout.
const MAX_PLIES: usize = 10_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let number = args.iter().find_map(|a| a.parse().ok()).unwrap_or(2000);
    let named: Vec<&String> = args.iter().filter(|a| a.parse::<u32>().is_err()).collect();
    println!("| game | random games a second | playouts a second | playouts for a game |");
    println!("| --- | --- | --- | --- |");
    for game in GAMES.into_iter().filter(|game| named.is_empty() || named.iter().any(|n| n == game)) {
        let rules = Rules::open(game).unwrap();
        rules.evaluators().compile();
        let (position, seat) = first_choice(rules.evaluators());
        let options = rules.evaluators().options(&position).unwrap();
        let mut bot = Mcts::new(rules.evaluators().clone(), Budget::Playouts(number), 1);
        let (mut games, mut playouts, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let began = Instant::now();
        for turn in 0.. {
            if turn >= LEAST && began.elapsed() > ENOUGH {
                break;
            }
            let (made, time) = searched(&rules, (&position, seat), &options, &mut bot);
            playouts.push(made as f64 / time.as_secs_f64());
            games.push(played(rules.evaluators(), &position, time.min(Duration::from_secs(1)), turn as u64));
            ratios.push(playouts[turn] / games[turn]);
        }
        println!("| {game} | {:.0} | {:.0} | {:.2} |", median(games), median(playouts), median(ratios));
    }
}

/// The first position at which there is something to choose.
fn first_choice(evaluators: &Evaluators) -> (Position, u16) {
    let mut dice = Dice::new(1);
    let mut position = evaluators.start().unwrap();
    loop {
        let options = evaluators.options(&position).unwrap();
        match evaluators.status(&position).unwrap() {
            Status::Decision(question) if options.len() > 1 => return (position, question.seat),
            _ => evaluators.apply(&mut position, options[dice.below(options.len())]).unwrap(),
        }
    }
}

/// How many playouts a bot makes for a choice, and the time that it takes.
fn searched(
    rules: &Rules,
    (position, seat): (&Position, u16),
    options: &[Choice],
    bot: &mut Mcts<Evaluators>,
) -> (u64, Duration) {
    let sight = Sight::new(rules.evaluators());
    let look = Look::new(&sight, position, seat);
    let (before, began) = (bot.playouts(), Instant::now());
    bot.choose(&look, options);
    (bot.playouts() - before, began.elapsed())
}

/// How many random games from a position `simulate` plays a second, in some time.
fn played(evaluators: &Evaluators, start: &Position, time: Duration, seed: u64) -> f64 {
    let mut playouts = Playouts::new(evaluators, Some(start)).unwrap();
    let began = Instant::now();
    let mut count = 0;
    while count == 0 || began.elapsed() < time {
        playouts.outcome(derived(seed, count), MAX_PLIES);
        count += 1;
    }
    count as f64 / began.elapsed().as_secs_f64()
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
