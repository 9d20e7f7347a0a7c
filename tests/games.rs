//! The shipped games: no faults, every case holds, every clause of the register is encoded and tested, and random games under all options and
//! readings run to their end without a fault and replay from their records to the same positions.

use std::collections::BTreeSet;
use std::sync::Arc;

use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Scene, Settings};
use lawspeaker::game::{Evaluator, Position, Status};
use lawspeaker::library::{self, Loaded};
use lawspeaker::model::{CitationRole, Config};
use lawspeaker::players::{Dice, derived};
use lawspeaker::record::{self, Record, ReplayEnd};
use lawspeaker::rules::{Evaluators, Rulebook, Rules};
use lawspeaker::{casebook, check, perft, simulate};
use rayon::prelude::*;

fn shipped() -> Vec<Loaded> {
    let games = library::shipped();
    games.iter().map(|name| library::open(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))).collect()
}

fn defaults(game: &Loaded) -> Config {
    Config::defaults(&game.model)
}

#[test]
fn the_checker_has_nothing_to_say() {
    for game in shipped() {
        let words: Vec<&str> = game.warnings.iter().map(|d| d.message.as_str()).collect();
        assert!(words.is_empty(), "{}: {words:?}", game.folder.name);
    }
}

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn every_variant_is_sound_and_plays() {
    for game in shipped() {
        for name in check::variants(&game.folder.rules()) {
            let varied = library::load(game.folder.clone(), std::slice::from_ref(&name))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(varied.warnings.is_empty(), "{name}: {}", varied.warnings[0].message);
            let e = Explainer::new(Arc::clone(&varied.model), defaults(&varied));
            let mut plies = 0;
            for i in 0..10 {
                if plies > ENOUGH {
                    break;
                }
                let played = simulate::one(&e, derived(5, i), 10_000);
                plies += played.plies.len();
                assert!(matches!(played.finish, simulate::Finish::Over(_)), "{name}: {:?}", played.finish);
            }
        }
    }
}

/// What the cases of a game cite; every case must pass.
fn cited_by_cases(game: &Loaded) -> BTreeSet<String> {
    let book = Rulebook::new(game.folder.clone());
    let load = |settings: &Settings| book.rules(settings).map(Rules::explaining).map_err(|e| e.brief());
    let mut all = Vec::new();
    let mut names = BTreeSet::new();
    for (name, text) in game.folder.casebooks() {
        let (cases, faults) = casebook::parse(name, text);
        assert!(faults.is_empty(), "{}", faults[0]);
        for case in &cases {
            assert!(names.insert(case.name.clone()), "two cases are called \"{}\"", case.name);
        }
        all.extend(cases);
    }
    let cites = all.par_iter().flat_map_iter(|case| {
        let report = casebook::run(case, &load);
        let words: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
        assert!(report.passed, "{}", words.join("\n"));
        report.cites
    });
    cites.collect()
}

#[test]
fn every_case_holds_and_every_clause_is_encoded_and_tested() {
    for game in shipped() {
        let cited = cited_by_cases(&game);
        let known: BTreeSet<&str> = game.model.register.iter().map(|r| r.id.as_str()).collect();
        let unknown: Vec<&String> = cited.iter().filter(|c| !known.contains(c.as_str())).collect();
        assert!(known.is_empty() || unknown.is_empty(), "cases cite what is not in the register: {unknown:?}");
        let roles = |id: &str| game.model.citations.iter().filter(|c| c.id == id).map(|c| c.role).collect::<Vec<_>>();
        let rounds = game.model.rounds.as_ref().map_or(&[][..], |r| &r.cites);
        let mut bare = Vec::new();
        let mut untested = Vec::new();
        for row in &game.model.register {
            let roles = roles(&row.id);
            if roles.is_empty() {
                bare.push(&row.id);
            } else if row.kind != "note"
                && roles.contains(&CitationRole::Rule)
                && !cited.contains(&row.id)
                && !rounds.contains(&row.id)
            {
                untested.push(&row.id);
            }
        }
        assert!(bare.is_empty(), "{}: nothing cites {bare:?}", game.folder.name);
        assert!(untested.is_empty(), "{}: no case cites {untested:?}", game.folder.name);
    }
}

/// Plays a game again, looking at every position, and writes its record.
fn walked(e: &Explainer, game: &Loaded, seed: u64) -> (Record, u64) {
    let mut record = Record { rules: Some(record::rules_digest(e.model(), e.config())), ..Record::default() };
    record.settings.game.clone_from(&game.model.name);
    let mut dice = Dice::new(seed);
    let mut position = e.start().unwrap_or_else(|f| panic!("{}", f.words(e.model())));
    loop {
        let status = e.status(&position).unwrap_or_else(|f| panic!("{}", f.words(e.model())));
        if let Status::Over(outcome) = status {
            record.result = Some(record::result_of(e.model(), Some(&outcome)));
            return (record, position.digest());
        }
        let impossible = e.nevers(&position).unwrap_or_else(|f| panic!("{}", f.words(e.model())));
        let titles: Vec<String> = impossible.iter().map(|c| e.model().clause_title(*c, "")).collect();
        assert!(titles.is_empty(), "seed {seed}, ply {}: {titles:?}", record.plies.len());
        let options = e.options(&position).unwrap_or_else(|f| panic!("{}", f.words(e.model())));
        assert!(!options.is_empty(), "seed {seed}: nothing to choose");
        let choice = options[dice.below(options.len())];
        record.plies.push(record::ply((e, e), &position, choice));
        e.apply(&mut position, choice).unwrap_or_else(|f| panic!("{}", f.words(e.model())));
    }
}

/// Plies of a game's random games in all.
const ENOUGH: usize = 1_500;

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn random_games_end_without_a_fault_and_replay_to_the_same_positions() {
    for game in shipped() {
        let mut plies = 0;
        for i in 0..60 {
            if plies > ENOUGH {
                break;
            }
            let seed = derived(11, i);
            let e = Explainer::new(Arc::clone(&game.model), simulate::varied(&game.model, &defaults(&game), seed));
            let (record, digest) = walked(&e, &game, seed);
            plies += record.plies.len();
            let text = record::write(&record);
            let read = record::parse(&text).unwrap_or_else(|f| panic!("{}", f[0]));
            let replay = record::replay(&read, &e);
            assert!(!matches!(replay.end, ReplayEnd::Stopped { .. }), "seed {seed}: {}", replay.words(&e, ""));
            assert_eq!(replay.position.map(|p| p.digest()), Some(digest), "seed {seed}");
        }
    }
}

/// Counts up to this are always held against the tables, the others by
/// `cargo test --release games -- --ignored --nocapture`.
const QUICK: u64 = 200_000;

/// Counts up to this are found by the explaining evaluator too.
const EXPLAINED: u64 = 5_000;

/// The position of a row of a game's table, with its rules.
fn position_of(game: &Loaded, row: &perft::Row) -> (Evaluators, Position) {
    let Some(files) = row.files() else {
        let engine = Evaluators::new(Arc::clone(&game.model), defaults(game));
        let start = engine.start().unwrap_or_else(|f| panic!("{}", f.words(engine.model())));
        return (engine, start);
    };
    let text = files.iter().find_map(|f| game.folder.text(f)).unwrap_or_else(|| panic!("there is no {}", files[0]));
    let scene = Scene::parse(text).unwrap_or_else(|f| panic!("{}:{}", files[0], f[0]));
    let varied = library::load(game.folder.clone(), &scene.settings.variants).unwrap_or_else(|e| panic!("{e}"));
    let config = facts::config_of(&varied.model, &scene.settings).unwrap_or_else(|e| panic!("{}: {e}", files[0]));
    let engine = Evaluators::new(varied.model, config);
    let position = scene.position(engine.explainer()).unwrap_or_else(|f| panic!("{}:{}", files[0], f[0]));
    (engine, position)
}

/// Holds the counts that are `wanted` against the tables of all games; how many there were.
fn count(wanted: impl Fn(u64) -> bool) -> usize {
    let mut counts = 0;
    for game in shipped() {
        let Some(text) = game.folder.text(perft::FILE) else {
            continue;
        };
        let rows = perft::table(text).unwrap_or_else(|f| panic!("{}/{}:{f}", game.folder.name, perft::FILE));
        for row in rows.iter().filter(|r| wanted(r.positions)) {
            let (engine, position) = position_of(&game, row);
            let place = format!("{}, {}, depth {}", game.folder.name, row.position, row.depth);
            assert_eq!(perft::perft(&engine, &position, row.depth), Ok(row.positions), "{place}");
            if row.positions <= EXPLAINED {
                assert_eq!(perft::perft(engine.explainer(), &position, row.depth), Ok(row.positions), "{place}");
            }
            println!("{place}: {}", row.positions);
            counts += 1;
        }
    }
    counts
}

#[test]
fn the_positions_ahead_are_as_many_as_the_tables_say() {
    assert!(count(|n| n <= QUICK) >= 18);
}

#[test]
#[ignore = "some minutes"]
fn the_large_counts_are_as_the_tables_say() {
    assert!(count(|n| n > QUICK) >= 2);
}

/// Setting up is placing five of nine characters, one after the other.
#[test]
fn counts_can_be_divided_by_the_first_choice() {
    let game = library::open("confrontation", &[]).unwrap_or_else(|e| panic!("{e}"));
    let e = Explainer::new(Arc::clone(&game.model), defaults(&game));
    let start = e.start().unwrap_or_else(|f| panic!("{}", f.words(e.model())));
    let divided = perft::divide(&e, &start, 3).unwrap_or_else(|f| panic!("{}", f.words(e.model())));
    assert_eq!(divided.len(), 9);
    assert!(divided.iter().all(|(_, n)| *n == 56));
}
