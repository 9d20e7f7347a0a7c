//! Games made at random, played by explaining, as trees and as machine code in step.
#![allow(missing_docs)]

mod hunt;

use std::path::Path;

use crate::common::files::root;
use crate::generated::constructs::CONSTRUCTS;
use crate::generated::shrink::shrink;
use crate::generated::step::{Tried, load};
use hunt::Sum;
use rayon::prelude::*;

/// The seed of the games that always run.
const SEED: u64 = 1;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn three_evaluators_play_games_made_at_random_alike() {
    let (seed, games) = (number("GENERATED_SEED", SEED), number("GENERATED_GAMES", 300));
    let from = number("GENERATED_FROM", 0);
    let tried: Vec<_> = (from..from + games)
        .into_par_iter()
        .map(|i| {
            let game = hunt::made(seed, i);
            // For one that does not end.
            if std::env::var_os("GENERATED_TEXT").is_some() {
                println!("game {i}:\n{}", hunt::text(&game));
            }
            let tried = hunt::tried(&game, i);
            (i, game, tried)
        })
        .collect();
    let mut sum = Sum::default();
    let mut found = Vec::new();
    for (i, game, tried) in tried {
        if let Tried::Different(difference) = &tried {
            found.push((i, game.clone(), difference.clone()));
        }
        if let (Tried::Refused(why), true) = (&tried, std::env::var_os("GENERATED_SHOW").is_some()) {
            println!("game {i}: {}\n{}", why.join("\n"), hunt::text(&game));
        }
        sum.add(i, &game, tried);
    }
    println!("{}", sum.words());
    let told: Vec<String> =
        found.par_iter().map(|(i, game, why)| hunt::told(&format!("{seed}-{i}"), game, *i, why)).collect();
    assert!(told.is_empty(), "seed {seed}\n{}", told.join("\n\n"));
    assert!(sum.accepted * 5 > sum.games() * 4, "only {} of {} are accepted", sum.accepted, sum.games());
    assert!(sum.walk.plies > sum.accepted * 10, "only {} choices", sum.walk.plies);
    assert!(sum.walk.code > sum.accepted || !cfg!(feature = "jit"), "only {} with machine code", sum.walk.code);
}

/// Every word of the language stands in a game that the checker accepts.
#[test]
fn every_word_of_the_language_is_in_a_game() {
    let grammar = include_str!("../grammar/law.pest");
    let mut missing: Vec<&str> = grammar
        .lines()
        .filter_map(|l| l.split_once("= @{ \"")?.1.split_once('"').map(|(word, _)| word))
        .filter(|w| w.chars().all(|c| c.is_ascii_lowercase()))
        .collect();
    assert!(missing.len() > 90, "{missing:?}");
    for i in 0..3_000 {
        let game = hunt::made(SEED, i);
        let text = hunt::text(&game);
        let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        if missing.iter().any(|w| words.contains(w)) && load(&game).is_ok() {
            missing.retain(|w| !words.contains(w));
        }
        if missing.is_empty() {
            return;
        }
    }
    panic!("in no game: {missing:?}");
}

/// Everything that the generator can write is accepted somewhere, and it writes nothing that is not in the list.
#[test]
fn every_construct_is_in_a_game() {
    let mut missing: Vec<&str> = CONSTRUCTS.to_vec();
    for i in 0..9_000 {
        let game = hunt::made(SEED, i);
        let unknown: Vec<_> = game.used.iter().filter(|u| !CONSTRUCTS.contains(u)).collect();
        assert!(unknown.is_empty(), "not in the list: {unknown:?}");
        if missing.iter().any(|m| game.used.contains(m)) && load(&game).is_ok() {
            missing.retain(|m| !game.used.contains(m));
        }
        if missing.is_empty() {
            return;
        }
    }
    panic!("in no game: {missing:?}");
}

/// Games that were played differently once.
#[test]
fn games_found_before_are_played_alike() {
    let folder = root().join("tests/generated/found");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()).collect();
    files.sort();
    let told: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let game = hunt::from_text(&std::fs::read_to_string(file).expect("a text"));
            let other = (0..4).map(|i| hunt::tried(&game, i)).find(|t| !matches!(t, Tried::Alike(_)));
            other.map(|other| format!("{}: {other:?}", file.display()))
        })
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// Of a game of a hundred lines is left what the difference needs.
#[test]
fn what_fails_is_made_small() {
    let game = (0..).map(|i| hunt::made(SEED, i)).find(|g| g.used.contains("mod") && load(g).is_ok()).expect("one");
    let fails = |g: &crate::generated::Game| load(g).is_ok() && g.files[0].1.contains(" mod ");
    let small = shrink(&game, 5_000, fails);
    let (before, after) = (hunt::text(&game), hunt::text(&small));
    assert!(fails(&small));
    assert!(after.lines().count() <= 24 && after.len() < 500, "{before}\n\nmade small:\n{after}");
}

/// `cargo test --release many_games -- --ignored --nocapture`; GENERATED_GAMES says how many,
/// GENERATED_SEED which, GENERATED_SHARDS in how many processes.
#[test]
#[ignore = "an hour"]
fn many_games_in_processes_of_their_own() {
    let (seed, games) = (number("GENERATED_SEED", 2), number("GENERATED_GAMES", 20_000));
    let sum = hunt::many(seed, games, number("GENERATED_SHARDS", 2));
    println!("{}", sum.words());
    let told: Vec<String> = sum
        .different
        .iter()
        .take(20)
        .map(|(i, why)| match why.starts_with("the process") || why == "no end" {
            true => format!("game {i}: {why}\n{}", hunt::text(&hunt::made(seed, *i))),
            false => hunt::told(&format!("{seed}-{i}"), &hunt::made(seed, *i), *i, why),
        })
        .collect();
    assert!(told.is_empty(), "seed {seed}\n{}", told.join("\n\n"));
}

/// A part of the games, in a process of its own.
#[test]
#[ignore = "a part of the test above"]
fn one_shard() {
    let said = std::env::var("GENERATED_SHARD").unwrap_or_default();
    let parts: Vec<&str> = said.splitn(5, ' ').collect();
    let [seed, from, to, by, log] = parts.as_slice() else {
        return;
    };
    let number = |text: &str| text.parse().expect("a number");
    hunt::shard(number(seed), (number(from), number(to), number(by)), Path::new(log));
}
