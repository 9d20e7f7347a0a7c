//! Both evaluators in step over random games: the same status, options, positions and outcomes.

use std::sync::Arc;

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Evaluator, Position, Status};
use lawspeaker::library::{self, Loaded};
use lawspeaker::model::{CallGraph, CodeId, Config, Frames, Model, SeenWhat, VarId, lay_out};
use lawspeaker::players::{Dice, derived};
use lawspeaker::rules::Evaluators;
use lawspeaker::simulate;
use rayon::prelude::*;

use crate::common::files::{is_game, root};

/// A game that is longer than this is long enough, in the tests that always run and in the long one.
const MAX_PLIES: u64 = 300;
const LONG: u64 = 2_000;

/// After so many plies the `never`s are asked about.
const ASKED: u64 = 25;

fn shipped() -> Vec<Loaded> {
    let games = library::shipped();
    games.iter().map(|name| library::open(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))).collect()
}

/// The games of which a few plies are enough in the tests that always run, because explaining one takes long.
const FEW: [(&str, u64); 4] = [("rules/crowds.law", 12), ("rules/wide.law", 12), ("miniatures", 60), ("riddle", 60)];

/// How many plies of a game are enough in the tests that always run.
fn most(game: &Loaded) -> u64 {
    FEW.iter().find(|(name, _)| game.folder.name.ends_with(name)).map_or(MAX_PLIES, |(_, most)| *most)
}

/// The two evaluators of a game under options and readings drawn by a seed.
pub struct Pair {
    name: String,
    e: Explainer,
    fast: Evaluators,
}

/// How the compiled evaluator carries rules out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    Trees,
    Code,
}

impl Pair {
    pub fn new(game: &Loaded, seed: u64, how: How) -> Pair {
        let defaults = Config::defaults(&game.model);
        let config = simulate::varied(&game.model, &defaults, seed);
        let e = Explainer::new(Arc::clone(&game.model), config.clone());
        let fast = Evaluators::new(Arc::clone(&game.model), config).as_trees();
        if how == How::Code {
            let (_, always) = fast.asked();
            let name = &game.folder.name;
            assert_eq!(fast.compile() || always, cfg!(feature = "jit"), "{name}: machine code");
        }
        Pair { name: format!("{} ({how:?})", game.folder.name), e, fast }
    }

    /// How often the compiled evaluator asked the explaining one.
    fn asked(&self) -> u64 {
        let (asked, always) = self.fast.asked();
        if always { u64::MAX } else { asked }
    }
}

/// The `never`s that a position breaks, and one in which some variables are as they were earlier: such a one breaks
/// more. Both say the same.
fn nevers_alike(Pair { name, e, fast }: &Pair, position: &Position, earlier: &Position, dice: &mut Dice) {
    let model = e.model();
    let mut mixed = position.clone();
    for (id, var) in (0..).map(VarId).zip(&model.vars).filter(|_| dice.below(4) == 0) {
        for index in 0..(var.place.count * var.place.levels) as usize {
            let _ = mixed.write(model, id, index, &earlier.read(model, id, index));
        }
    }
    for position in [position, &mixed] {
        for never in model.nevers.iter().map(|never| never.clause) {
            let said = e.nevers_of(position, [never]);
            assert_eq!(said, fast.nevers_of(position, [never]), "{name}: {:?}", model.clause(never).map(|c| &c.label));
            let answered = fast.engine().breaks(position, never).ok();
            assert!(answered.is_none_or(|broken| said.is_ok_and(|said| broken != said.is_empty())), "{name}");
        }
    }
}

/// What some seat sees of some entries. Both say the same.
fn sight_alike(Pair { name, e, fast }: &Pair, position: &Position, dice: &mut Dice) {
    let model = e.model();
    let seats = model.kinds.first().map_or(0, |seats| seats.members.len());
    for what in model.seen.iter().map(|seen| seen.what) {
        let entries = match what {
            SeenWhat::Member(kind) => model.kinds.get(kind.i()).map_or(0, |kind| kind.members.len()),
            SeenWhat::Var(var) => model.vars.get(var.i()).map_or(0, |var| var.place.count as usize),
        };
        let seat = dice.below(seats) as u16;
        let Ok(answered) = fast.engine().sees(position, what, seat) else { continue };
        assert_eq!(answered.len(), entries, "{name}: {what:?}");
        for _ in 0..entries.min(8) {
            let entry = dice.below(entries);
            let said = e.sees(position, what, entry, seat);
            assert_eq!(said, Ok(answered[entry]), "{name}: {what:?} {entry} {seat}");
        }
    }
}

/// Plays a game with both; how many choices were made.
pub fn in_step(pair: &Pair, seed: u64, most: u64) -> u64 {
    let Pair { name, e, fast } = pair;
    let mut dice = Dice::new(seed);
    let mut options = Vec::new();
    let place = |plies: u64| format!("{name}, seed {seed}, ply {plies}");
    let mut position = match (e.start(), fast.start()) {
        (Ok(a), Ok(b)) => {
            assert_eq!(a, b, "{}", place(0));
            a
        }
        (a, b) => {
            assert_eq!(a, b, "{}", place(0));
            return 0;
        }
    };
    let (mut plies, mut earlier) = (0, position.clone());
    loop {
        if plies % ASKED == ASKED / 2 {
            nevers_alike(pair, &position, &earlier, &mut Dice::new(derived(seed, plies)));
            sight_alike(pair, &position, &mut Dice::new(derived(seed, plies)));
            earlier = position.clone();
        }
        let status = e.status(&position);
        assert_eq!(status, fast.status(&position), "{}", place(plies));
        let before = e.options(&position);
        let listed = fast.options_into(&position, &mut options).map(|()| options.clone());
        assert_eq!(before, listed, "{}", place(plies));
        if let Ok(options) = &before {
            assert_eq!(fast.count(&position), Ok(options.len()), "{}", place(plies));
            let n = dice.below(options.len().max(1));
            assert_eq!(fast.nth(&position, n), Ok(options.get(n).copied()), "{}", place(plies));
        }
        assert_eq!(e.worth(&position, 0), fast.worth(&position, 0), "{}", place(plies));
        if plies >= most || !matches!(status, Ok(Status::Decision(_) | Status::Chance(_))) {
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
    plies
}

/// Plays a game to its end by chance, in one go and choice by choice.
fn in_one_go(Pair { name, e, fast }: &Pair, seed: u64, most: u64) {
    let played = simulate::one(e, seed, most as usize);
    let Ok(mut table) = simulate::Playouts::new(fast, None) else {
        return;
    };
    let (finish, plies) = table.outcome(seed, most as usize);
    assert_eq!((finish, plies), (played.finish, played.plies.len()), "{name}, seed {seed}");
}

/// The small games that try the constructs of the language one by one.
fn small() -> Vec<Loaded> {
    named("")
}

/// Those of them whose file has a name that ends so.
fn named(name: &str) -> Vec<Loaded> {
    let mut games = Vec::new();
    for folder in ["tests/rules", "tests/check/fine", "tests/docs"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("the tests are there");
        let mut files: Vec<_> = entries.flatten().map(|e| e.path()).collect();
        files.sort();
        let wanted = |f: &&std::path::PathBuf| is_game(f) && f.ends_with(name);
        for file in files.iter().filter(wanted) {
            let text = std::fs::read_to_string(file).expect("a text");
            let mut all = vec![(String::from("game.law"), text)];
            for table in files.iter().filter(|f| f.extension().is_some_and(|e| e == "csv")) {
                let name = table.file_name().expect("a file").to_string_lossy().into_owned();
                all.push((name, std::fs::read_to_string(table).expect("a text")));
            }
            let name = file.display().to_string();
            let folder = library::Folder { name, files: all, ..library::Folder::default() };
            match library::load(folder, &[]) {
                Ok(game) => games.push(game),
                // Some of the others are pieces of games.
                Err(e) => assert!(!file.starts_with(root().join("tests/rules")), "{}: {e}", file.display()),
            }
        }
    }
    games
}

#[test]
fn both_evaluators_play_the_small_games_alike() {
    let games = small();
    assert!(games.len() >= 12, "only {} games", games.len());
    games.par_iter().for_each(|game| {
        for (seed, how) in [(1, How::Trees), (2, How::Trees), (1, How::Code), (3, How::Code)] {
            let pair = Pair::new(game, seed, how);
            (0..15).for_each(|i| _ = in_step(&pair, derived(8, i), most(game)));
            (0..5).for_each(|i| in_one_go(&pair, derived(9, i), most(game)));
        }
    });
}

/// Bags are small numbers side by side: the compiled evaluator knows them, as trees and as machine code.
#[test]
fn bags_are_played_without_asking() {
    for (name, least) in
        [("bags.law", 2_000), ("counts.law", 600), ("draws.law", 2_000), ("pairs.law", 500), ("tables.law", 500)]
    {
        let games = named(name);
        let game = games.first().unwrap_or_else(|| panic!("{name} has no faults"));
        for how in [How::Trees, How::Code] {
            let pair = Pair::new(game, 0, how);
            let plies: u64 = (0..30).map(|i| in_step(&pair, derived(10, i), MAX_PLIES)).sum();
            (0..5).for_each(|i| in_one_go(&pair, derived(11, i), MAX_PLIES));
            assert!(plies >= least, "{name}: {plies} choices ({how:?})");
            assert_eq!(pair.asked(), 0, "{name}: in {plies} choices ({how:?})");
        }
    }
}

/// Choices that are asked anyway, hidden or secret are played as all others.
#[test]
fn secrets_are_played_without_asking() {
    let games = named("secrets.law");
    let game = games.first().expect("the game has no faults");
    for how in [How::Trees, How::Code] {
        let pair = Pair::new(game, 0, how);
        let plies: u64 = (0..30).map(|i| in_step(&pair, derived(13, i), MAX_PLIES)).sum();
        (0..5).for_each(|i| in_one_go(&pair, derived(14, i), MAX_PLIES));
        assert!(plies >= 1_500, "{plies} choices ({how:?})");
        assert_eq!(pair.asked(), 0, "in {plies} choices ({how:?})");
    }
}

/// So are sets of hundreds of members.
#[test]
fn sets_of_hundreds_are_played_without_asking() {
    let games = small();
    let game = games.iter().find(|g| g.folder.name.ends_with("crowds.law")).expect("the game has no faults");
    for how in [How::Trees, How::Code] {
        let pair = Pair::new(game, 0, how);
        let plies: u64 = (0..2).map(|i| in_step(&pair, derived(12, i), 60)).sum();
        assert_eq!(plies, 120, "choices ({how:?})");
        assert_eq!(pair.asked(), 0, "in {plies} choices ({how:?})");
    }
}

#[test]
fn both_evaluators_play_the_same_games() {
    shipped().par_iter().for_each(|game| {
        for how in [How::Trees, How::Code] {
            let (mut plies, mut asked) = (0, 0);
            for seed in 0..4 {
                let pair = Pair::new(game, seed, how);
                plies += (0..4).map(|i| in_step(&pair, derived(5 + seed, i), most(game))).sum::<u64>();
                (0..4).for_each(|i| in_one_go(&pair, derived(7 + seed, i), most(game)));
                asked = u64::saturating_add(asked, pair.asked());
            }
            let name = &game.folder.name;
            println!("{name} ({how:?}): {plies} choices, {asked} times the explaining evaluator was asked");
            assert!(asked.saturating_mul(20) <= plies, "{name}: asked {asked} times in {plies} choices");
        }
    });
}

/// The same rules with memory of its own for every variable, every code counted and a stack that is deep enough for all.
fn roomy(model: &Model) -> Model {
    let mut roomy = model.clone();
    let counted = (0..model.codes.len()).map(|i| CodeId(i as u16)).collect();
    let named = (0..model.vars.len()).map(|i| VarId(i as u16)).collect();
    lay_out(&mut roomy, &Frames { depth: 200, counted, calls: CallGraph::default(), named });
    roomy
}

/// Plays a game by the rules as they are laid out and by roomy ones.
fn laid_out_alike(game: &Loaded, seed: u64) {
    let defaults = Config::defaults(&game.model);
    let config = simulate::varied(&game.model, &defaults, seed);
    let (close, wide) = (Arc::clone(&game.model), Arc::new(roomy(&game.model)));
    let a = Explainer::new(Arc::clone(&close), config.clone());
    let b = Explainer::new(Arc::clone(&wide), config);
    let mut dice = Dice::new(seed);
    let (Ok(mut p), Ok(mut q)) = (a.start(), b.start()) else {
        assert_eq!(a.start().err(), b.start().err(), "{}", game.folder.name);
        return;
    };
    for ply in 0..most(game) {
        let place = format!("{}, seed {seed}, ply {ply}", game.folder.name);
        for (i, var) in close.vars.iter().enumerate() {
            for entry in 0..var.place.count as usize {
                let id = VarId(i as u16);
                assert_eq!(p.read(&close, id, entry), q.read(&wide, id, entry), "{place}: {}", var.name);
            }
        }
        let options = a.options(&p);
        assert_eq!(options, b.options(&q), "{place}");
        let options = options.unwrap_or_default();
        let Some(choice) = options.get(dice.below(options.len().max(1))).copied() else {
            break;
        };
        let done = a.apply(&mut p, choice);
        assert_eq!(done, b.apply(&mut q, choice), "{place}");
        if done.is_err() {
            break;
        }
    }
}

#[test]
fn shared_memory_makes_no_difference() {
    let (shipped, small) = (shipped(), small());
    let all = shipped.par_iter().map(|game| (game, 4)).chain(small.par_iter().map(|game| (game, 20)));
    all.for_each(|(game, games)| (0..games).for_each(|i| laid_out_alike(game, derived(9, i))));
}

/// `cargo test --release in_step -- --ignored --nocapture`; the variable IN_STEP names some of the games, with commas between them.
#[test]
#[ignore = "an hour"]
fn both_evaluators_agree_on_a_million_choices() {
    let wanted = std::env::var("IN_STEP").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').filter(|w| !w.is_empty()).collect();
    let mut games = shipped();
    games.retain(|g| wanted.is_empty() || wanted.iter().any(|w| g.folder.name.ends_with(w)));
    games.par_iter().for_each(|game| {
        let (mut total, mut all, mut games) = (0, 0, 0u64);
        let mut said = 0;
        while total < 1_000_000 {
            // Sixteen games to each set of options and readings, one set in eight as trees.
            let how = if games / 16 % 8 == 7 { How::Trees } else { How::Code };
            let pair = Pair::new(game, games / 16, how);
            for i in 0..16 {
                total += in_step(&pair, derived(6, games), LONG);
                if i % 8 == 0 {
                    in_one_go(&pair, derived(7, games), LONG);
                }
                games += 1;
            }
            all = u64::saturating_add(all, pair.asked());
            assert!(games < 1_000_000, "{}: the games are too short", game.folder.name);
            if total / 100_000 > said {
                said = total / 100_000;
                eprintln!("{}: {total} choices so far", game.folder.name);
            }
        }
        println!("{}: {total} choices in {games} games, asked {all} times", game.folder.name);
    });
}
