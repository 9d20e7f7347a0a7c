//! The rivals of the benchmark play the shipped games: the same options at every ply, the same ends, the same numbers of positions.

#[path = "../benches/rivals/mod.rs"]
mod rivals;

use std::sync::Arc;

use lawspeaker::game::{Evaluator, Outcome, Position, Status};
use lawspeaker::model::Config;
use lawspeaker::players::{self, derived};
use lawspeaker::rules::Evaluators;
use lawspeaker::simulate::Finish;
use lawspeaker::{library, perft, simulate};
use rivals::{Dice, End, Entry, RIVALS};

/// The rivals with the compiled rules.
fn pairs() -> impl Iterator<Item = (Entry, Evaluators)> {
    RIVALS.into_iter().map(|rival| {
        let engine = engine(rival.game);
        (rival, engine)
    })
}

/// The compiled rules of a game under its defaults.
fn engine(game: &str) -> Evaluators {
    let loaded = library::open(game, &[]).unwrap_or_else(|e| panic!("{game}: {e}"));
    let config = Config::defaults(&loaded.model);
    Evaluators::new(Arc::clone(&loaded.model), config)
}

/// An end in the words of the rivals.
fn end(engine: &Evaluators, outcome: &Outcome) -> (String, Option<u16>) {
    let model = engine.model();
    let clause = model.ends.get(outcome.ending).and_then(|e| model.clause(e.clause));
    let label = clause.map(|c| c.label.text.clone());
    assert!(outcome.winners.len() < 2, "{outcome:?}");
    (label.unwrap_or_default(), outcome.winners.first().copied())
}

fn said(end: End) -> (String, Option<u16>) {
    (end.label.to_owned(), end.winner)
}

/// Plays a random game with both, option by option; how many plies.
fn in_step(rival: &Entry, engine: &Evaluators, seed: u64) -> usize {
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
    plies
}

/// Plays a game with both by the same dice; how many plies.
fn alike(rival: &Entry, engine: &Evaluators, seed: u64) -> usize {
    let played = simulate::one(engine, seed, simulate::MAX_PLIES);
    let Finish::Over(outcome) = &played.finish else {
        panic!("{}, seed {seed}: {:?}", rival.game, played.finish);
    };
    let (plies, by_hand) = (rival.playout)(&mut Dice::new(seed));
    let ours = (played.plies.len(), end(engine, outcome));
    assert_eq!((plies as usize, said(by_hand)), ours, "{}, seed {seed}", rival.game);
    ours.0
}

/// Plays games of each rival for so many plies.
fn play(plies: usize, from: u64) {
    for (rival, engine) in pairs() {
        let (mut done, mut games) = (0, 0);
        while done < plies {
            let seed = derived(from, games);
            done += in_step(&rival, &engine, seed);
            if rival.in_order {
                alike(&rival, &engine, seed);
            }
            games += 1;
        }
        println!("{}: {done} plies in {games} games", rival.game);
    }
}

#[test]
fn the_options_are_the_same_at_every_ply() {
    play(100_000, 41);
}

/// `cargo test --release rivals -- --ignored --nocapture`
#[test]
#[ignore = "ten seconds"]
fn the_options_are_the_same_at_a_million_plies() {
    play(1_000_000, 42);
}

/// A position on the way of a random game, and the path of options that leads to it.
fn midway(engine: &Evaluators, seed: u64, plies: usize) -> (Position, Vec<usize>) {
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

/// Counts ahead of positions of random games, as deep as there are no more than so many.
fn count(most: u64) {
    for (rival, engine) in pairs() {
        for plies in [0, 3, 10, 13, 16, 20, 24, 28, 32, 36, 40, 45, 50] {
            let (position, path) = midway(&engine, derived(43, plies), plies as usize);
            for depth in 0..=5 {
                let by_hand = (rival.perft)(&path, depth);
                if by_hand > most {
                    break;
                }
                let ours = perft::perft(&engine, &position, depth).expect("no fault");
                assert_eq!(by_hand, ours, "{}, ply {plies}, depth {depth}", rival.game);
            }
        }
    }
}

#[test]
fn the_numbers_of_positions_are_the_same() {
    count(2_000);
}

#[test]
#[ignore = "ten seconds"]
fn the_numbers_of_many_positions_are_the_same() {
    count(500_000);
}

#[test]
fn the_dice_are_those_of_the_project() {
    let (mut fast, mut dice) = (Dice::new(7), players::Dice::new(7));
    for n in (1..200).cycle().take(10_000) {
        assert_eq!(fast.below(n), dice.below(n));
    }
}

#[test]
fn chess_has_the_published_numbers() {
    let positions: [(&str, &[u64]); 6] = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", &[20, 400, 8_902, 197_281]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", &[48, 2_039, 97_862]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", &[14, 191, 2_812, 43_238, 674_624]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", &[6, 264, 9_467, 422_333]),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", &[44, 1_486, 62_379]),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -", &[46, 2_079, 89_890]),
    ];
    for (fen, numbers) in positions {
        let position = rivals::chess::Chess::from_fen(fen).expect("a position");
        for (depth, number) in (1..).zip(numbers) {
            assert_eq!(rivals::perft_of(&position, depth), *number, "{fen}, depth {depth}");
        }
    }
}

#[test]
fn the_others_have_the_published_numbers() {
    let numbers: [(&str, &[u64]); 5] = [
        ("classics/breakthrough", &[22, 484, 11_132, 256_036]),
        ("classics/reversi", &[4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216]),
        ("classics/connect-four", &[7, 49, 343, 2_401, 16_807, 117_649, 823_536]),
        ("classics/tic-tac-toe", &[9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872]),
        ("classics/hex", &[121, 121 * 120, 121 * 120 * 119]),
    ];
    for (game, numbers) in numbers {
        let rival = RIVALS.iter().find(|r| r.game == game).expect("a rival");
        for (depth, number) in (1..).zip(numbers) {
            assert_eq!((rival.perft)(&[], depth), *number, "{game}, depth {depth}");
        }
    }
}
