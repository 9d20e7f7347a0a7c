//! The compiled evaluator against the same games written by hand, and the other figures that have a target.
//!
//!     cargo bench --bench rivals                      all
//!     cargo bench --bench rivals -- reversi hex       the playouts of these games
//!     cargo bench --bench rivals -- --explain         the explaining evaluator too
//!
//! What is compared is measured in turns, half a millisecond or one game each, in one run and on one thread; the figures are medians over the turns, a
//! factor is the median of the factors turn by turn. So other work on the machine touches both sides alike.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

#[path = "rivals/mod.rs"]
mod rivals;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lawspeaker::explain::Explainer;
use lawspeaker::game::Evaluator;
use lawspeaker::library::Folder;
use lawspeaker::model::{Config, Model};
use lawspeaker::players::derived;
use lawspeaker::record::{self, Record, Replayer};
use lawspeaker::rules::Evaluators;
use lawspeaker::{check, library, simulate};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rivals::{Dice, Entry, RIVALS};

/// How long a turn lasts at least: shorter than the time between two interruptions on a busy machine.
const TURN: Duration = Duration::from_micros(500);
/// How long one comparison lasts, and how many turns it has at least.
const ENOUGH: Duration = Duration::from_secs(4);
const LEAST: usize = 5;

/// How many times faster than the rules a rival may be.
const MAY_BE_FASTER: [(&str, f64); 7] = [
    ("confrontation", 3.0),
    ("classics/chess", 2.5),
    ("classics/reversi", 3.0),
    ("classics/breakthrough", 3.0),
    ("classics/hex", 2.0),
    ("classics/connect-four", 3.5),
    ("classics/tic-tac-toe", 5.0),
];
/// Replayed plies a second.
const REPLAY: f64 = 500_000.0;
/// Games played at once on one thread or two: many, since threads that have nothing to do fall asleep.
const GAMES: u64 = 1 << 15;
/// Bytes of a position of The Confrontation.
const SIZE: usize = 256;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let explain = args.iter().any(|a| a == "--explain");
    let wanted: Vec<&String> = args.iter().filter(|a| !a.starts_with("--")).collect();
    playouts(&wanted, explain);
    if wanted.is_empty() {
        others();
    }
}

// ---- playouts ----

fn playouts(wanted: &[&String], explain: bool) {
    println!("| random games | by hand, plies/s | compiled, plies/s | by hand is faster | at most | |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let shipped = library::shipped();
    for rival in RIVALS.iter().filter(|r| wanted.is_empty() || wanted.iter().any(|w| r.game.contains(w.as_str()))) {
        if !shipped.iter().any(|name| name == rival.game) {
            println!("| {} | | | not shipped | | |", rival.game);
            continue;
        }
        let (model, config) = rules(rival.game);
        let engine = Evaluators::new(Arc::clone(&model), config.clone());
        engine.compile();
        let pair = in_turns(&mut by_hand(rival), &mut by_rules(&engine));
        let most = MAY_BE_FASTER.iter().find(|(game, _)| *game == rival.game);
        println!(
            "| {} | {} | {} | {:.1} times | {} | {} |",
            rival.game,
            thousands(pair.first),
            thousands(pair.second),
            pair.factor,
            most.map_or_else(String::new, |(_, most)| format!("{most}")),
            most.map_or("", |(_, most)| met(pair.factor <= *most))
        );
        match engine.asked() {
            (_, true) => println!("| {}: all by the explaining evaluator | | | | | |", rival.game),
            (0, _) => {}
            (asked, _) => println!("| {}: {asked} choices by the explaining evaluator | | | | | |", rival.game),
        }
        if explain {
            let explainer = Explainer::new(model, config);
            let pair = in_turns(&mut by_rules(&engine), &mut by_rules(&explainer));
            println!(
                "| {}, explained | | {} | compiled is {:.1} times faster | | |",
                rival.game,
                thousands(pair.second),
                pair.factor
            );
        }
    }
}

/// The rules of a shipped game and its defaults.
fn rules(game: &str) -> (Arc<Model>, Config) {
    let loaded = library::open(game, &[]).expect("the shipped games are sound");
    let config = defaults(&loaded.model);
    (loaded.model, config)
}

fn defaults(model: &Model) -> Config {
    Config::defaults(model)
}

/// Random games by hand, one a call.
fn by_hand(rival: &Entry) -> impl FnMut() -> u64 {
    let mut dice = Dice::new(1);
    move || (rival.playout)(&mut dice).0
}

/// Random games by the rules, one a call; how many plies.
fn by_rules<E: Evaluator>(evaluator: &E) -> impl FnMut() -> u64 {
    let mut table = simulate::Playouts::new(evaluator, None).expect("the shipped games begin");
    let mut game = 0;
    move || {
        game += 1;
        black_box(table.play(derived(1, game), simulate::MAX_PLIES)).expect("the shipped games have no faults") as u64
    }
}

// ---- the other figures ----

fn others() {
    println!();
    println!("| The Confrontation | | target | |");
    println!("| --- | --- | --- | --- |");
    let folder = library::find("confrontation").expect("shipped");
    let (model, config) = rules("confrontation");
    let engine = Evaluators::new(Arc::clone(&model), config);
    engine.compile();

    let load = from_text(&folder);
    println!("| from text to machine code | {:.1} ms | below 50 ms | {} |", load * 1e3, met(load < 0.05));
    let pools = [1, 2].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("threads"));
    let pair = in_turns(&mut on(&pools[1], &engine), &mut on(&pools[0], &engine));
    println!("| random games, two threads | {:.2} times one | 1.8 | {} |", pair.factor, met(pair.factor >= 1.8));
    let rate = replayed(&engine);
    println!("| replaying records | {} plies/s | {} | {} |", thousands(rate), thousands(REPLAY), met(rate >= REPLAY));
    let size = model.layout.size as usize;
    println!("| a position | {size} bytes | below {SIZE} | {} |", met(size < SIZE));
    let by_hand = RIVALS.iter().find(|r| r.game == "confrontation").map_or(0, |r| r.size);
    println!("| a position by hand, between turns | {by_hand} bytes | | |");
}

/// Seconds to check and compile the rules.
fn from_text(folder: &Folder) -> f64 {
    let files = folder.rules();
    let mut times: Vec<f64> = Vec::new();
    let begin = Instant::now();
    while times.len() < LEAST || begin.elapsed() < ENOUGH {
        let turn = Instant::now();
        let model = check::check(&files, &[]).model.expect("the shipped games are sound");
        let config = defaults(&model);
        let engine = Evaluators::new(Arc::new(model), config);
        engine.compile();
        black_box(engine);
        times.push(turn.elapsed().as_secs_f64());
    }
    median(times)
}

/// Many random games on a pool, a bundle of them a call.
fn on<'a>(pool: &'a ThreadPool, engine: &'a Evaluators) -> impl FnMut() -> u64 + 'a {
    let mut seed = 0;
    move || {
        seed += 1;
        let plies = |_, plies: usize| plies as u64;
        pool.install(|| simulate::outcomes(engine, None, 0..GAMES, seed, simulate::MAX_PLIES, plies)).iter().sum()
    }
}

/// Plies a second from the text of a record to its end.
fn replayed(engine: &Evaluators) -> f64 {
    let texts: Vec<String> = (0..20).map(|i| recorded(engine, derived(2, i))).collect();
    let mut next = texts.iter().cycle();
    let replayer = Replayer::new(engine.model(), engine.config());
    let mut one = || {
        let record = next.next().and_then(|text| record::parse(text).ok()).expect("it was written by the library");
        replayer.replay(&record, engine, engine.explainer()).plies.len() as u64
    };
    let mut rates = Vec::new();
    let begin = Instant::now();
    while rates.len() < LEAST || begin.elapsed() < ENOUGH {
        rates.push(turn(&mut one));
    }
    median(rates)
}

/// A random game as a record.
fn recorded(engine: &Evaluators, seed: u64) -> String {
    let explainer = engine.explainer();
    let mut record = Record::default();
    record.settings.game = String::from("confrontation");
    let mut position = engine.start().expect("no fault");
    for ply in simulate::one(engine, seed, simulate::MAX_PLIES).plies {
        record.plies.push(record::ply((explainer, explainer), &position, ply.choice));
        engine.apply(&mut position, ply.choice).expect("no fault");
    }
    record::write(&record)
}

// ---- measuring ----

/// What came of two things done in turns.
struct Pair {
    /// Of the first, how many a second.
    first: f64,
    /// Of the second.
    second: f64,
    /// How many times the second the first is.
    factor: f64,
}

/// Does two things in turns; each call says how much it did.
fn in_turns(first: &mut dyn FnMut() -> u64, second: &mut dyn FnMut() -> u64) -> Pair {
    let (mut firsts, mut seconds, mut factors) = (Vec::new(), Vec::new(), Vec::new());
    let begin = Instant::now();
    while factors.len() < LEAST || begin.elapsed() < ENOUGH {
        // Whoever is first in one round is second in the next.
        let (a, b) = if factors.len() % 2 == 0 {
            let a = turn(first);
            (a, turn(second))
        } else {
            let b = turn(second);
            (turn(first), b)
        };
        firsts.push(a);
        seconds.push(b);
        factors.push(a / b);
    }
    Pair { first: median(firsts), second: median(seconds), factor: median(factors) }
}

/// How much a second is done, over one turn. The clock is read seldom: looking at it takes as long as a short game.
fn turn(what: &mut dyn FnMut() -> u64) -> f64 {
    let begin = Instant::now();
    let (mut done, mut calls) = (0, 1);
    loop {
        for _ in 0..calls {
            done += what();
        }
        let time = begin.elapsed();
        if time >= TURN {
            return done as f64 / time.as_secs_f64();
        }
        calls *= 2;
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A rate as people read it.
fn thousands(rate: f64) -> String {
    let mut digits = format!("{rate:.0}");
    let mut at = digits.len();
    while at > 3 {
        at -= 3;
        digits.insert(at, ',');
    }
    digits
}

fn met(met: bool) -> &'static str {
    if met { "met" } else { "**not met**" }
}
