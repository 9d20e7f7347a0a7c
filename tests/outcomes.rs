//! What a choice leads to: everything that changes is told, with the conditions and clauses that led to it, and in
//! short with the reason that decided.

use std::fmt::Write as _;

use insta::assert_snapshot;
use lawspeaker::explain::Explainer;
use lawspeaker::game::{Event, EventKind, Events, Status};
use lawspeaker::lexicon::Lexicon;
use lawspeaker::model::{ChanceWhat, Config, InstrKind, Model, Value, VarId, VarOwner};
use lawspeaker::players::{Dice, derived};
use lawspeaker::{Evaluator as _, Position, Rules, library, rulings};

/// What the last of some moves leads to, whole and in short, for a referee and for each seat.
fn told(rules: &Rules, position: &str, moves: &[&str], lang: &str) -> String {
    let mut position = rules.position(position).unwrap();
    let (last, before) = moves.split_last().unwrap();
    for text in before {
        let choice = rules.read(&position, text).unwrap();
        rules.apply(&mut position, choice).unwrap();
    }
    let choice = rules.read(&position, last).unwrap();
    let said = rules.say(&position, choice);
    let (explainer, model) = (rules.explainer(), rules.model());
    let mut out = String::new();
    for seat in [None, Some(0), Some(1)] {
        let mut after = position.clone();
        let events = explainer.apply_told(&mut after, choice, seat).unwrap();
        let names = explainer.names(seat, (&position, &after), lang);
        let who = seat.map_or_else(|| String::from("referee"), |s| rules.seat_name(s, lang));
        let _ = writeln!(out, "-- {who}");
        let lexicon = Lexicon::new(model, lang).calling(&names);
        for line in rulings::events_brief(&lexicon, &events, &said) {
            let _ = writeln!(out, "{line}");
        }
        let _ = writeln!(out, "--");
        for line in rulings::events_text(model, &events, lang) {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

fn confrontation() -> Rules {
    Rules::open("confrontation").unwrap()
}

#[test]
fn a_battle() {
    let rules = confrontation();
    let position =
        "given confrontation\n  Frodo at Hollin   Warg at Misty Mountains   Saruman at Mordor\n  Dark to move";
    let moves = ["Warg to Hollin", "Dark 1", "Good 4"];
    assert_snapshot!("battle", told(&rules, position, &moves, "en"));
    assert_snapshot!("battle-begins", told(&rules, position, &moves[..1], "en"));
    assert_snapshot!("battle-ja", told(&rules, position, &moves, "ja"));
}

#[test]
fn a_card_without_effect() {
    let rules = confrontation();
    // The Eye of Sauron switches off the text card of Good.
    let position = "given confrontation\n  Aragorn at Hollin   Frodo at Shire   Flying Nazgul at Misty Mountains   Saruman at Mordor\n  Dark to move";
    assert_snapshot!(
        "void",
        told(&rules, position, &["Flying Nazgul to Hollin", "Eye of Sauron", "Noble Sacrifice"], "en")
    );
}

#[test]
fn an_ending() {
    let rules = Rules::open("tic-tac-toe").unwrap();
    let mut position = rules.start().unwrap();
    let mut told = String::new();
    loop {
        let options = rules.options(&position).unwrap();
        let events = rules.explainer().apply_told(&mut position, options[0], None).unwrap();
        told = rulings::events_text(rules.model(), &events, "en").join("\n") + if told.is_empty() { "" } else { "\n" };
        if matches!(rules.status(&position), Ok(Status::Over(_))) {
            break;
        }
    }
    assert_snapshot!("ending", told);
}

/// The entries of the game that differ, and the values they have afterwards.
fn changed(model: &Model, before: &Position, after: &Position) -> Vec<(String, usize, Value)> {
    let mut found = Vec::new();
    for (i, var) in model.vars.iter().enumerate() {
        if !matches!(var.owner, VarOwner::Game | VarOwner::Field(_) | VarOwner::Pile) || var.name.contains("._") {
            continue;
        }
        let id = VarId(i as u16);
        for entry in 0..var.index.map_or(1, |k| model.kinds[k.i()].members.len()) {
            if before.read(model, id, entry) != after.read(model, id, entry) {
                found.push((var.name.clone(), entry, after.read(model, id, entry)));
            }
        }
    }
    found
}

/// The same as it is told.
fn lasting(model: &Model, events: &Events, after: &Position) -> Vec<(String, usize, Value)> {
    let of = |event: &Event| match event.kind {
        EventKind::Became { var, entry, .. } => {
            Some((model.vars[var.i()].name.clone(), entry, after.read(model, var, entry)))
        }
        _ => None,
    };
    let mut found: Vec<_> = events.lasting(model).filter_map(|(_, event)| of(event)).collect();
    found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    found
}

/// Whether an entry has its first value again and nothing changed it since.
fn ended(model: &Model, events: &Events, name: &str, entry: usize) -> bool {
    let it = |var: &VarId| model.vars[var.i()].name == name;
    let last = events.ended.iter().filter(|(var, _)| it(var)).map(|(_, at)| *at).max();
    last.is_some_and(|at| {
        let later = &events.all[at..];
        !later.iter().any(|e| matches!(&e.kind, EventKind::Became { var, entry: n, .. } if it(var) && *n == entry))
    })
}

/// The pile that chance shuffles at a position.
fn shuffled<'m>(model: &'m Model, rules: &Explainer, position: &Position) -> Option<&'m String> {
    let Ok(Status::Chance((code, pc))) = rules.status(position) else { return None };
    let InstrKind::Chance(chance) = &model.codes[code.i()].instrs[usize::from(pc)].kind else { return None };
    match &chance.what {
        ChanceWhat::Shuffle { pile, .. } => Some(&model.vars[pile.var.i()].name),
        _ => None,
    }
}

#[test]
fn all_that_changed_is_told_and_nothing_else() {
    for name in library::shipped() {
        let loaded = library::open(&name, &[]).expect("a shipped game is sound");
        let model = &loaded.model;
        let rules = Explainer::new(std::sync::Arc::clone(model), Config::defaults(model));
        for game in 0..3 {
            let mut dice = Dice::new(derived(23, game));
            let mut position = rules.start().expect("no fault");
            for ply in 0..150 {
                let options = rules.options(&position).expect("no fault");
                if options.is_empty() {
                    break;
                }
                let choice = options[dice.below(options.len())];
                let (mut after, mut untold) = (position.clone(), position.clone());
                let events = rules.apply_told(&mut after, choice, None).expect("no fault");
                rules.apply(&mut untold, choice).expect("no fault");
                assert!(after == untold, "{name}, ply {ply}: telling changes nothing");
                let mut differ = changed(model, &position, &after);
                // The choice itself says which card of a shuffled pile is next.
                let shuffled = shuffled(model, &rules, &position);
                let told = lasting(model, &events, &after);
                differ.retain(|it| shuffled != Some(&it.0) || told.contains(it));
                // What ended with its procedure is not told.
                differ.retain(|(name, entry, _)| !ended(model, &events, name, *entry));
                differ.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
                assert_eq!(told, differ, "{name}, game {game}, ply {ply}");
                let over = matches!(rules.status(&after), Ok(Status::Over(_)));
                assert_eq!(
                    events.all.iter().any(|e| matches!(e.kind, EventKind::Over { .. })),
                    over,
                    "{name}, ply {ply}"
                );
                position = after;
            }
        }
    }
}
