//! What is dead at a decision point makes no difference: with other values in its place, play goes on alike, and what
//! is dead is dead until it is overwritten.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use lawspeaker::game::{Evaluator, Position, Status};
use lawspeaker::library::{self, Loaded};
use lawspeaker::model::{Base, Config, Model, Set, Value, VarId};
use lawspeaker::players::{Dice, derived};
use lawspeaker::rules::Evaluators;
use lawspeaker::search::Forget;
use lawspeaker::simulate;
use rayon::prelude::*;

use crate::common::files::is_game;

/// The small games that try the constructs of the language one by one.
fn small() -> Vec<Loaded> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let mut files: Vec<_> = std::fs::read_dir(root).unwrap().flatten().map(|e| e.path()).collect();
    files.sort();
    let tables: Vec<(String, String)> = files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "csv"))
        .map(|f| (f.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(f).unwrap()))
        .collect();
    let game = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let files = std::iter::once((String::from("game.law"), text)).chain(tables.clone()).collect();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        library::load(library::Folder { name, files, ..library::Folder::default() }, &[]).unwrap()
    };
    files.iter().filter(|f| is_game(f)).map(game).collect()
}

fn shipped() -> Vec<Loaded> {
    library::shipped().iter().map(|name| library::open(name, &[]).unwrap()).collect()
}

/// A value of a type.
fn any_value(model: &Model, base: &Base, dice: &mut Dice) -> Value {
    let some = |of: &Base, dice: &mut Dice| -> Set {
        let bits: Vec<usize> = model.values(of).into_iter().flatten().filter_map(|v| of.bit(v)).collect();
        bits.into_iter().filter(|_| dice.below(3) == 0).collect()
    };
    match base {
        Base::Set(of) => Value::Set(some(of, dice)),
        Base::Bag(of) => {
            let n = model.values(of).into_iter().flatten().count();
            Value::Bag((0..n).map(|_| dice.below(3) as u16).collect())
        }
        Base::List(kind) => {
            let all = some(&Base::Member(*kind), dice);
            Value::List(all.iter().map(|m| m as u16).collect())
        }
        Base::Int => Value::Int(dice.below(9) as i32),
        base => match model.values(base) {
            Some(values) => {
                let n = (i64::from(*values.end()) - i64::from(*values.start()) + 1).min(1 << 20) as usize;
                Value::Int(values.start() + dice.below(n.max(1)) as i32)
            }
            None => Value::None,
        },
    }
}

/// Writes other values where a position is dead; counts the entries by the names of their variables.
fn scramble(model: &Model, position: &mut Position, dead: &[Range<usize>], dice: &mut Dice) -> Vec<String> {
    let mut changed = Vec::new();
    for (i, var) in model.vars.iter().enumerate() {
        for index in 0..var.place.count {
            let start = (var.place.offset + index * var.place.width) as usize;
            let end = start + var.place.width as usize;
            let is_dead = dead.iter().any(|range| range.start <= start && end <= range.end);
            let id = VarId(i as u16);
            // Where it cannot be written its procedure is not active, and the memory is another's.
            if is_dead && position.write(model, id, index as usize, &any_value(model, &var.ty.base, dice)) {
                changed.push(var.name.clone());
            }
        }
    }
    changed
}

/// Plays a game twice in step, with other values in all that is dead in the second; which variables were changed, and
/// how often.
fn in_step(game: &Loaded, seed: u64, plies: usize) -> BTreeMap<String, usize> {
    let model = &game.model;
    // Whatever refers to a copy tells it apart, dead or not; so there are more options.
    if model.kinds.iter().any(|k| k.called.as_ref().is_some_and(|c| c.alike)) {
        return BTreeMap::new();
    }
    let config = simulate::varied(model, &Config::defaults(model), seed);
    let rules = Evaluators::new(Arc::clone(model), config);
    // Where places are not told apart any more, what was dead can be live again.
    let forget = Forget::new(model, true).unbounded();
    let mut dice = Dice::new(seed);
    let mut changed = BTreeMap::new();
    let Ok(mut one) = rules.start() else { return changed };
    let mut other = one.clone();
    for ply in 0..plies {
        let place = format!("{}, seed {seed}, ply {ply}", game.folder.name);
        let status = rules.explainer().status(&one);
        assert_eq!(status, rules.explainer().status(&other), "{place}");
        let options = rules.options(&one);
        assert_eq!(options, rules.options(&other), "{place}");
        let options = options.unwrap_or_default();
        if matches!(status, Ok(Status::Over(_))) {
            break;
        }
        let Some(choice) = options.get(dice.below(options.len().max(1))).copied() else { break };
        let say = |p: &Position| rules.explainer().say(p, choice, "");
        assert_eq!(say(&one), say(&other), "{place}");
        let dead = forget.dead(&one);
        let (here, there) = (one.block(&model.layout), other.block(&model.layout));
        let differ = (0..here.len()).filter(|at| here[*at] != there[*at]);
        let live: Vec<usize> = differ.filter(|at| !dead.iter().any(|range| range.contains(at))).collect();
        assert!(live.is_empty(), "{place}: what was dead is live again: {live:?}");
        for var in scramble(model, &mut other, &dead, &mut dice) {
            *changed.entry(var).or_default() += 1;
        }
        assert_eq!(say(&one), say(&other), "{place}");
        let (done, again) = (rules.apply(&mut one, choice), rules.apply(&mut other, choice));
        assert_eq!(done, again, "{place} after {choice:?}");
        if done.is_err() {
            break;
        }
    }
    changed
}

#[test]
fn what_is_dead_makes_no_difference() {
    let (shipped, small) = (shipped(), small());
    let few = |game: &Loaded| match game.folder.name.as_str() {
        "miniatures" => (4, 400),
        "riddle" => (2, 100),
        _ => (8, 300),
    };
    let all = shipped.par_iter().map(|game| (game, few(game))).chain(small.par_iter().map(|game| (game, (30, 200))));
    let found: BTreeMap<String, BTreeMap<String, usize>> = all
        .map(|(game, (games, plies))| {
            let mut changed: BTreeMap<String, usize> = BTreeMap::new();
            for i in 0..games {
                for (var, n) in in_step(game, derived(11, i), plies) {
                    *changed.entry(var).or_default() += n;
                }
            }
            (game.folder.name.clone(), changed)
        })
        .collect();
    for (game, changed) in &found {
        println!("{game}: {changed:?}");
    }
    // What was rolled to be first is dead until it is rolled again.
    assert!(found["miniatures"].contains_key("roll"), "{:?}", found["miniatures"]);
}
