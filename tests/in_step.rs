//! Both evaluators in step over random games: the same status, options, positions and outcomes.

use std::sync::Arc;

use lawspeaker::engine::Engine;
use lawspeaker::explain::Explainer;
use lawspeaker::game::{Evaluator, Status};
use lawspeaker::library::{self, Loaded};
use lawspeaker::model::Config;
use lawspeaker::players::{Dice, derived};
use lawspeaker::simulate;

/// A game that is longer than this is long enough.
const MAX_PLIES: u64 = 2_000;

fn shipped() -> Vec<Loaded> {
    let games = library::shipped();
    games.iter().map(|name| library::open(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))).collect()
}

/// Plays a game with both; how many choices were made, and how often the engine asked the explaining evaluator.
fn in_step(game: &Loaded, seed: u64) -> (u64, u64) {
    let defaults = Config(game.model.config.iter().map(|c| c.default).collect());
    let config = simulate::varied(&game.model, &defaults, seed);
    let e = Explainer::new(Arc::clone(&game.model), config.clone());
    let fast = Engine::new(Arc::clone(&game.model), config);
    let mut dice = Dice::new(seed);
    let mut options = Vec::new();
    let place = |plies: u64| format!("{}, seed {seed}, ply {plies}", game.folder.name);
    let mut position = match (e.start(), fast.start()) {
        (Ok(a), Ok(b)) => {
            assert_eq!(a, b, "{}", place(0));
            a
        }
        (a, b) => {
            assert_eq!(a, b, "{}", place(0));
            return (0, 0);
        }
    };
    let mut plies = 0;
    loop {
        let status = e.status(&position);
        assert_eq!(status, fast.status(&position), "{}", place(plies));
        let before = e.options(&position);
        let listed = fast.options_into(&position, &mut options).map(|()| options.clone());
        assert_eq!(before, listed, "{}", place(plies));
        if plies >= MAX_PLIES || !matches!(status, Ok(Status::Decision(_) | Status::Chance(_))) {
            break;
        }
        let Some(choice) = options.get(dice.below(options.len())).copied() else {
            break;
        };
        let mut other = position.clone();
        let (a, b) = (e.apply(&mut position, choice), fast.apply(&mut other, choice));
        assert_eq!(a, b, "{}", place(plies));
        if a.is_err() {
            break;
        }
        assert_eq!(position.bytes(), other.bytes(), "{} after {choice:?}", place(plies));
        plies += 1;
    }
    let (asked, always) = fast.asked();
    (plies, if always { u64::MAX } else { asked })
}

/// The small games that try the constructs of the language one by one.
fn small() -> Vec<Loaded> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut games = Vec::new();
    for folder in ["tests/rules", "tests/check/fine", "tests/docs"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the tests are there");
        let mut files: Vec<_> = entries.flatten().map(|e| e.path()).collect();
        files.sort();
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "law")) {
            let text = std::fs::read_to_string(file).expect("a text");
            let folder = library::Folder {
                name: file.display().to_string(),
                files: vec![("game.law".into(), text)],
                ..library::Folder::default()
            };
            games.extend(library::load(folder, &[]).ok());
        }
    }
    games
}

#[test]
fn both_evaluators_play_the_small_games_alike() {
    let games = small();
    assert!(games.len() >= 12, "only {} games", games.len());
    for game in games {
        for i in 0..60 {
            in_step(&game, derived(8, i));
        }
    }
}

#[test]
fn both_evaluators_play_the_same_games() {
    for game in shipped() {
        let games = (0..40).map(|i| in_step(&game, derived(5, i)));
        let (plies, asked) = games.fold((0, 0), |a: (u64, u64), b| (a.0 + b.0, a.1.saturating_add(b.1)));
        println!("{}: {plies} choices, {asked} times the explaining evaluator was asked", game.folder.name);
        assert!(asked.saturating_mul(20) <= plies, "{}: asked {asked} times in {plies} choices", game.folder.name);
    }
}

/// `cargo test --release --test in_step -- --ignored --nocapture`
#[test]
#[ignore = "some minutes"]
fn both_evaluators_agree_on_a_million_choices() {
    for game in shipped() {
        let (mut total, mut all, mut i) = (0, 0, 0);
        while total < 1_000_000 {
            let (plies, asked) = in_step(&game, derived(6, i));
            total += plies;
            all = u64::saturating_add(all, asked);
            i += 1;
            assert!(i < 1_000_000, "{}: the games are too short", game.folder.name);
        }
        println!("{}: {total} choices in {i} games, asked {all} times", game.folder.name);
    }
}
