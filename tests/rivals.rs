//! The rivals of the benchmark play the shipped games: the same options at every ply, the same ends, the same numbers of positions.

#[path = "../benches/rivals/mod.rs"]
mod rivals;

use std::sync::Arc;

use lawspeaker::engine::Engine;
use lawspeaker::game::{Evaluator, Outcome, Position, Status};
use lawspeaker::model::Config;
use lawspeaker::players::{self, derived};
use lawspeaker::simulate::Finish;
use lawspeaker::{library, perft, simulate};
use rivals::{Dice, End, Entry, RIVALS};

/// The compiled rules of a game under its defaults.
fn engine(game: &str) -> Engine {
    let loaded = library::open(game, &[]).unwrap_or_else(|e| panic!("{game}: {e}"));
    let config = Config(loaded.model.config.iter().map(|c| c.default).collect());
    Engine::new(Arc::clone(&loaded.model), config)
}

/// An end in the words of the rivals.
fn end(engine: &Engine, outcome: &Outcome) -> (String, Option<u16>) {
    let model = engine.model();
    let clause = model.ends.get(outcome.ending).and_then(|e| model.clause(e.clause));
    let label = clause.map(|c| c.label.text.clone());
    assert!(outcome.winners.len() < 2, "{outcome:?}");
    (label.unwrap_or_default(), outcome.winners.first().copied())
}

fn said(end: End) -> (String, Option<u16>) {
    (end.label.to_owned(), end.winner)
}

/// Plays a random game with both, option by option.
fn in_step(rival: &Entry, engine: &Engine, seed: u64) {
    let place = |plies: usize| format!("{}, seed {seed}, ply {plies}", rival.game);
    let mut dice = players::Dice::new(seed);
    let mut position = engine.start().expect("no fault");
    let mut options = Vec::new();
    let mut plies = 0;
    let by_hand = (rival.follow)(&mut |n| {
        engine.options_into(&position, &mut options).unwrap_or_else(|f| panic!("{}: {f:?}", place(plies)));
        assert_eq!(n, options.len(), "{}", place(plies));
        let i = dice.below(n);
        engine.apply(&mut position, options[i]).unwrap_or_else(|f| panic!("{}: {f:?}", place(plies)));
        plies += 1;
        Some(i)
    });
    let Ok(Status::Over(outcome)) = engine.status(&position) else {
        panic!("{}: by hand the game is over", place(plies));
    };
    assert_eq!(by_hand.map(said), Some(end(engine, &outcome)), "{}", place(plies));
}

#[test]
fn the_options_are_the_same_at_every_ply() {
    for rival in &RIVALS {
        let engine = engine(rival.game);
        for i in 0..200 {
            in_step(rival, &engine, derived(41, i));
        }
    }
}

/// Plays so many games by the same dice.
fn alike(rival: &Entry, engine: &Engine, games: u64) {
    for i in 0..games {
        let seed = derived(42, i);
        let played = simulate::one(engine, seed, simulate::MAX_PLIES);
        let Finish::Over(outcome) = &played.finish else {
            panic!("{}, seed {seed}: {:?}", rival.game, played.finish);
        };
        let (plies, by_hand) = (rival.playout)(&mut Dice::new(seed));
        let ours = (played.plies.len(), end(engine, outcome));
        assert_eq!((plies as usize, said(by_hand)), ours, "{}, seed {seed}", rival.game);
    }
}

#[test]
fn the_same_dice_play_the_same_games() {
    for rival in &RIVALS {
        alike(rival, &engine(rival.game), 300);
    }
}

/// `cargo test --release --test rivals -- --ignored`
#[test]
#[ignore = "some minutes"]
fn the_same_dice_play_the_same_games_a_hundred_thousand_times() {
    for rival in &RIVALS {
        alike(rival, &engine(rival.game), 100_000);
    }
}

/// A position on the way of a random game, and the path of options that leads to it.
fn midway(engine: &Engine, seed: u64, plies: usize) -> (Position, Vec<usize>) {
    let mut dice = players::Dice::new(seed);
    let mut position = engine.start().expect("no fault");
    let mut path = Vec::new();
    for _ in 0..plies {
        let options = engine.options(&position).expect("no fault");
        if options.is_empty() {
            break;
        }
        let i = dice.below(options.len());
        engine.apply(&mut position, options[i]).expect("no fault");
        path.push(i);
    }
    (position, path)
}

#[test]
fn the_numbers_of_positions_are_the_same() {
    for rival in &RIVALS {
        let engine = engine(rival.game);
        for plies in [0, 3, 12, 16, 20, 24, 28, 32, 36, 40, 45, 50] {
            let (position, path) = midway(&engine, derived(43, plies), plies as usize);
            for depth in 0..=3 {
                let ours = perft::perft(&engine, &position, depth).expect("no fault");
                assert_eq!((rival.perft)(&path, depth), ours, "{}, ply {plies}, depth {depth}", rival.game);
            }
        }
    }
}
