//! What plays a game: machine code, whatever the options and readings; and what `check --engine` says of it.
#![cfg(feature = "jit")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lawspeaker::check::variants;
use lawspeaker::engine::{LeftOver, Plays};
use lawspeaker::game::{Evaluator, Length, Packed, Position, Turn};
use lawspeaker::library::{self, Loaded};
use lawspeaker::model::{Base, Config, Model, scalar_span};
use lawspeaker::players::{Dice, derived};
use lawspeaker::rules::{Evaluators, Rules};
use rayon::prelude::*;

use crate::common::files::root;
use crate::common::session::Session;

/// From so many options and readings on, those of a game are tried together.
const MANY: usize = 16;

/// The defaults, each value of each option and reading, and each preset, with a name. The values of one option or
/// reading are tried by themselves, or, of many, with the values of all others that come as late.
fn settings(model: &Model) -> Vec<(String, Config)> {
    let defaults = Config::defaults(model);
    let mut all = vec![(String::from("defaults"), defaults.clone())];
    let mut together: Vec<Config> = Vec::new();
    for (i, item) in model.config.iter().enumerate() {
        let (lo, n) = scalar_span(&item.ty.base, &model.kinds);
        let hi = lo + n as i64 - 1;
        let values: Vec<i64> = match item.ty.base {
            Base::Range(..) => vec![lo, hi],
            _ => (lo..=hi).collect(),
        };
        let others = values.into_iter().map(|v| v as i32).filter(|v| defaults.0.get(i) != Some(v));
        for (late, value) in others.enumerate() {
            if model.config.len() < MANY {
                let mut config = defaults.clone();
                config.0[i] = value;
                all.push((format!("{} {value}", item.name), config));
                continue;
            }
            if together.len() == late {
                together.push(defaults.clone());
            }
            together[late].0[i] = value;
        }
    }
    for config in &mut together {
        while let Some((_, excluded)) = config.excluded(model) {
            config.0[excluded.i()] = 0;
        }
    }
    let together = together.into_iter().enumerate();
    all.extend(together.map(|(late, config)| (format!("values number {} of all", late + 2), config)));
    for preset in &model.presets {
        let mut config = defaults.clone();
        preset.settings.iter().for_each(|(id, value)| config.0[id.i()] = *value);
        all.push((format!("preset {}", preset.name), config));
    }
    all
}

/// All shipped games, and each with each of its variants.
fn games() -> Vec<(String, Loaded)> {
    let mut all = Vec::new();
    for name in library::shipped() {
        let game = library::open(&name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        let varied = variants(&game.folder.rules());
        all.push((name.clone(), game));
        for variant in varied {
            let game = library::open(&name, std::slice::from_ref(&variant));
            let title = format!("{name} with {variant}");
            let game = game.unwrap_or_else(|e| panic!("{title}: {e}"));
            all.push((title, game));
        }
    }
    all
}

/// How often the explaining evaluator is asked in some games, played in one go and choice by choice.
fn asked(engine: &Evaluators) -> u64 {
    let mut left = 0;
    let Ok(start) = engine.start() else {
        return 0;
    };
    for seed in 0..4 {
        let mut dice = Dice::new(derived(19, seed));
        let mut position = start.clone();
        let mut draws = |words: &mut [u64]| words.iter_mut().for_each(|w| *w = dice.bits());
        left += u64::from(engine.playout(&mut position, None, &mut draws, Length::of(400)).is_none());
    }
    let (mut dice, mut position) = (Dice::new(5), start);
    for _ in 0..60 {
        let options = engine.options(&position).unwrap_or_default();
        let over = matches!(engine.turn(&position), Ok(Turn::Over));
        let Some(choice) = options.get(dice.below(options.len())).filter(|_| !over) else {
            break;
        };
        if engine.apply(&mut position, *choice).is_err() {
            break;
        }
    }
    left + engine.asked().0
}

/// In the shipped games, under any reading, option, preset or variant, nothing leaves machine code but what is called
/// as a tree: lines over a grid, and orders of hooks where more than one applies at once.
#[test]
fn nothing_leaves_machine_code_under_any_reading() {
    let games = games();
    let told: Vec<BTreeSet<String>> = games
        .par_iter()
        .map(|(name, game)| {
            let mut told = BTreeSet::new();
            // What a variant changes is played under its usual settings.
            let all = settings(&game.model).into_iter().take(if name.contains(" with ") { 1 } else { usize::MAX });
            for (set, config) in all {
                let engine = Evaluators::new(Arc::clone(&game.model), config).as_trees();
                let (plays, asked) = (engine.plays(), asked(&engine));
                if plays != Plays::MachineCode || asked > 0 {
                    told.insert(format!("{name}, {set}: {plays:?}, {asked} times left"));
                }
                for note in engine.notes() {
                    if !matches!(note.what, LeftOver::Order | LeftOver::Expression) {
                        told.insert(format!("{name}, {set}: {note:?}"));
                    }
                }
            }
            told
        })
        .collect();
    let told: Vec<String> = told.into_iter().flatten().collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// `check --engine` makes machine code and says what is left, each with its place and reason.
#[test]
fn what_plays_a_game_is_told() {
    let session = Session::with_nim();
    for name in ["guilds", "squares"] {
        let text = std::fs::read(root().join(format!("tests/rules/{name}.law"))).expect("a game");
        session.write(&format!("{name}/game.law"), &text);
    }
    let said: Vec<String> = ["nim", "guilds", "squares"]
        .iter()
        .flat_map(|game| [vec!["check", game, "--engine"], vec!["check", game, "--engine", "--json"]])
        .map(|args| session.says(0, &args))
        .collect();
    insta::assert_snapshot!("told", said.join("----\n"));
}

/// Positions of random games are the same after they were packed, and packed they are equal only if they are.
#[test]
fn packed_positions_are_the_same() {
    for name in ["tic-tac-toe", "confrontation", "miniatures", "war-of-the-ring"] {
        let rules = Rules::open(name).unwrap();
        let mut dice = Dice::new(1);
        let mut position = rules.start().unwrap();
        let mut seen = BTreeMap::new();
        for _ in 0..300 {
            let packed = Packed::new(&position, rules.model());
            assert_eq!(packed.unpack(rules.model()), position, "{name}");
            assert!(packed.bytes().len() <= position.bytes().len() * 9 / 8 + 9, "{name}");
            let before = seen.insert(packed, position.clone());
            assert!(before.is_none_or(|before| before == position), "{name}");
            let options = rules.options(&position).unwrap();
            let Some(choice) = options.get(dice.below(options.len())) else { break };
            rules.apply(&mut position, *choice).unwrap();
        }
        let distinct: BTreeSet<_> = seen.values().collect();
        assert!(distinct.len() == seen.len() && seen.len() > 5, "{name}");
    }
}

/// A position is the same whether it is kept or played on, and a position of a large game takes few bytes: one of War
/// of the Ring less than 1,500, with hundreds of troops on a hundred areas.
#[test]
fn positions_of_large_games_take_few_bytes() {
    for (name, most) in [("war-of-the-ring", 1_500), ("middle-earth-ccg", 9_000)] {
        let rules = Rules::open(name).unwrap();
        let mut largest = 0;
        let late = std::fs::read_dir(root().join("rules").join(name).join("positions")).into_iter().flatten();
        let late = late.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let beginnings: Vec<Position> = late.map(|text| rules.position(&text).unwrap()).collect();
        for (seed, beginning) in (1..=8).map(|seed| (seed, rules.start().unwrap())).chain((9..).zip(beginnings)) {
            let mut dice = Dice::new(seed);
            let (mut kept, mut played) = (beginning.clone(), beginning);
            for _ in 0..1_500 {
                assert_eq!(kept, played, "{name}");
                assert_eq!(kept.digest(), played.digest(), "{name}");
                assert_eq!(kept.bytes(), played.clone().bytes(), "{name}");
                largest = largest.max(kept.bytes().len());
                let options = rules.options(&kept).unwrap();
                let Some(choice) = options.get(dice.below(options.len().max(1))) else { break };
                rules.apply(&mut kept, *choice).unwrap();
                rules.advance(&mut played, *choice).unwrap();
            }
        }
        println!("{name}: {largest}");
        assert!(largest < most, "{name}: {largest}");
    }
}
