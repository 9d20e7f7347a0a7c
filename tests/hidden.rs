//! What a seat sees and may do is the same in any two positions that differ only in what it cannot see.
//!
//! Over many positions of random games, two members that a seat cannot tell apart are exchanged in everything the position says of them;
//! the seat's view, and at its decisions its options, must stay the same.

use std::sync::Arc;

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Choice, Evaluator, Position, Status};
use lawspeaker::library;
use lawspeaker::model::{Base, FieldStore, KindId, Model, SeenWhat, Set, Value, VarId};
use lawspeaker::players::{Dice, derived};
use lawspeaker::rulings::{self, Depth, Sheet};

use crate::common::files::root;
#[cfg(feature = "cli")]
use crate::common::session::program;

/// The position with two members of a kind exchanged wherever it names them.
fn exchanged(model: &Model, position: &Position, kind: KindId, a: u16, b: u16) -> Position {
    let swap = |m: i32| {
        if m == i32::from(a) {
            i32::from(b)
        } else if m == i32::from(b) {
            i32::from(a)
        } else {
            m
        }
    };
    let inside = |base: &Base, value: Value| match (base, value) {
        (Base::Member(k), Value::Int(m)) if *k == kind => Value::Int(swap(m)),
        (Base::Set(of), Value::Set(set)) if **of == Base::Member(kind) => {
            Value::Set(set.iter().map(|m| swap(m as i32) as usize).collect::<Set>())
        }
        (Base::List(k), Value::List(list)) if *k == kind => {
            Value::List(list.into_iter().map(|m| swap(i32::from(m)) as u16).collect())
        }
        (_, value) => value,
    };
    let mut other = position.clone();
    for (i, var) in model.vars.iter().enumerate() {
        let id = VarId(i as u16);
        let count = var.index.map_or(1, |k| model.kinds[k.i()].members.len());
        for index in 0..count {
            let from = if var.index == Some(kind) { swap(index as i32) as usize } else { index };
            let value = inside(&var.ty.base, position.read(model, id, from));
            if position.read(model, id, index) != value {
                assert!(other.write(model, id, index, &value), "{} takes what its like had", var.name);
            }
        }
    }
    other
}

/// Pairs of members of one owner that the seat cannot identify.
fn unseen_pairs(e: &Explainer, position: &Position, seat: u16) -> Vec<(KindId, u16, u16)> {
    let model = e.model();
    let mut pairs = Vec::new();
    for seen in &model.seen {
        let SeenWhat::Member(kind) = seen.what else { continue };
        let k = &model.kinds[kind.i()];
        let owner = |m: usize| match k.owner.map(|f| &k.fields[f].store) {
            Some(FieldStore::Printed(values)) => values[m].int(),
            _ => None,
        };
        let hidden: Vec<usize> =
            (0..k.members.len()).filter(|m| !e.sees(position, seen.what, *m, seat).expect("no fault")).collect();
        for (i, a) in hidden.iter().enumerate() {
            pairs.extend(
                hidden[i + 1..].iter().filter(|b| owner(*a) == owner(**b)).map(|b| (kind, *a as u16, *b as u16)),
            );
        }
    }
    pairs
}

fn check(e: &Explainer, position: &Position, dice: &mut Dice) -> usize {
    let model = e.model();
    let mut looked = 0;
    for seat in 0..model.kinds[0].members.len() as u16 {
        let pairs = unseen_pairs(e, position, seat);
        if pairs.is_empty() {
            continue;
        }
        let (kind, a, b) = pairs[dice.below(pairs.len())];
        let other = exchanged(model, position, kind, a, b);
        assert_eq!(e.view(position, seat), e.view(&other, seat), "seat {seat} tells {a} from {b}");
        let beside = |p: &Position| e.beside(p, Some(seat), "");
        assert_eq!(beside(position), beside(&other), "what is told to seat {seat} tells {a} from {b}");
        let status = e.status(position).expect("no fault");
        if matches!(&status, Status::Decision(q) if q.seat == seat) {
            assert_eq!(status, e.status(&other).expect("no fault"));
            let options: Vec<Choice> = e.options(position).expect("no fault");
            assert_eq!(options, e.options(&other).expect("no fault"), "the options of seat {seat} tell {a} from {b}");
            let candidates = e.candidates(position);
            for _ in 0..2 {
                let choice = candidates[dice.below(candidates.len())];
                let ruling = |p: &Position| rulings::text(e, p, seat, choice, &e.judge_seen(p, seat, choice), "");
                assert_eq!(ruling(position), ruling(&other), "a ruling for seat {seat} tells {a} from {b}");
                let whole = |p: &Position| {
                    let ruling = e.judge_seen(p, seat, choice);
                    Sheet::new(e, p, (seat, choice), &ruling, "ja").text(Depth::Whole)
                };
                assert_eq!(whole(position), whole(&other), "the derivation for seat {seat} tells {a} from {b}");
            }
            // Searching takes long, so it is tried now and then.
            if dice.below(128) == 0 {
                let choice = candidates[dice.below(candidates.len())];
                let would = |p: &Position| e.what_ifs(p, seat, choice, (1500, true), &mut |_| ());
                let (one, two) = (would(position), would(&other));
                assert!(
                    one == two || one.bounded || two.bounded,
                    "what would be legal for seat {seat} tells {a} from {b}"
                );
            }
        }
        looked += 1;
    }
    looked
}

/// Looks at the positions of random games, at so many plies at most, with some settings fixed and the others drawn.
/// Returns how many pairs of positions were compared.
fn looked_at(name: &str, fixed: &[(&str, i32)], games: u64, plies: usize) -> usize {
    let loaded = library::open(name, &[]).expect("the shipped game is sound");
    let mut looked = 0;
    for game in 0..games {
        let mut dice = Dice::new(derived(7, game));
        let mut config = lawspeaker::model::Config::defaults(&loaded.model);
        for (value, item) in config.0.iter_mut().zip(&loaded.model.config) {
            if let Some((_, set)) = fixed.iter().find(|(name, _)| *name == item.name) {
                *value = *set;
            } else if item.is_reading() {
                *value = dice.below(item.choices.len()) as i32;
            } else if item.ty.base == Base::Bool {
                *value = dice.below(2) as i32;
            }
        }
        let e = Explainer::new(Arc::clone(&loaded.model), config);
        let mut position = e.start().expect("no fault");
        for _ in 0..plies {
            if matches!(e.status(&position).expect("no fault"), Status::Over(_)) {
                break;
            }
            looked += check(&e, &position, &mut dice);
            let options = e.options(&position).expect("no fault");
            e.apply(&mut position, options[dice.below(options.len())]).expect("no fault");
        }
    }
    looked
}

#[test]
fn a_seat_sees_and_may_do_nothing_that_depends_on_what_it_cannot_see() {
    let looked = looked_at("confrontation", &[], 60, usize::MAX);
    assert!(looked > 3000, "only {looked} pairs of positions were compared");
}

/// With three seats and with eight, whose hands are closed to each other.
#[test]
fn closed_hands_stay_closed_among_three_and_among_eight() {
    for (hobbits, riders) in [(2, 1), (4, 4)] {
        let looked = looked_at("riddle", &[("hobbits", hobbits), ("riders", riders)], 6, 60);
        assert!(looked > 1000, "only {looked} pairs of positions were compared");
    }
}

#[test]
fn what_an_action_would_turn_up_is_not_told() {
    let path = root().join("tests/rules/drawing.law");
    let files = vec![("game.law".to_owned(), std::fs::read_to_string(path).expect("the test's game"))];
    let folder = library::Folder { name: "drawing".into(), files, ..library::Folder::default() };
    let loaded = library::load(folder, &[]).unwrap_or_else(|e| panic!("{e}"));
    let e = Explainer::new(Arc::clone(&loaded.model), lawspeaker::model::Config(Vec::new()));
    let draw = Choice::Act(loaded.model.action("draw").expect("there is one"), lawspeaker::game::Args::default());
    let mut looked = 0;
    for game in 0..40 {
        let mut dice = Dice::new(derived(11, game));
        let mut position = e.start().expect("no fault");
        for _ in 0..20 {
            let status = e.status(&position).expect("no fault");
            if let Status::Decision(q) = &status {
                looked += check(&e, &position, &mut dice);
                let text = |ruling| rulings::text(&e, &position, q.seat, draw, &ruling, "");
                let told = text(e.judge_seen(&position, q.seat, draw));
                assert!(!told.contains("after it"), "{told}");
            }
            let options = e.options(&position).expect("no fault");
            let Some(choice) = options.get(dice.below(options.len().max(1))) else { break };
            e.apply(&mut position, *choice).expect("no fault");
        }
    }
    assert!(looked > 50, "only {looked} pairs of positions were compared");
}

#[cfg(feature = "cli")]
#[test]
fn whether_a_hidden_piece_is_placed_is_not_told() {
    // Balrog, Black Rider and Orcs are placed, unseen by Good; Dark is to place another.
    let names =
        ["Balrog", "Black Rider", "Cave Troll", "Flying Nazgul", "Orcs", "Saruman", "Shelob", "Warg", "Witch-king"];
    for region in ["Dagorlad", "Mirkwood", "Shire"] {
        let mut answers: Vec<(i32, String, String)> = Vec::new();
        for name in names {
            let record = "rules/confrontation/records/first-game.record";
            let asked = format!("{name} to {region}");
            let args = ["ask", "confrontation", "--at", record, "--ply", "9", "--seat", "Good", "--seen", &asked];
            let out = program(root(), &args).output().unwrap();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(name, "SOMEBODY");
            answers.push((out.status.code().unwrap(), text(&out.stdout), text(&out.stderr)));
        }
        assert_eq!(answers[0].0, 1, "{answers:?}");
        for (name, answer) in names.iter().zip(&answers) {
            assert_eq!(answer, &answers[0], "{name} to {region}");
        }
    }
}
