//! Lists that seats bring, from files to the first position: `--list`, cases, records.

use lawspeaker::facts::Settings;
use lawspeaker::library::Folder;
use lawspeaker::rules::{Rulebook, Rules, RulesError};
use lawspeaker::{Evaluator, Record};

use crate::common::files::{root, under};
use crate::common::session::{Session, checked, has, program};

fn session() -> Session {
    let session = Session::empty();
    session.write("decks/game.law", include_str!("rules/decks.law"));
    session.write(
        "north.deck",
        "cards for decks\nstart:\n  Wizard\ndeck: // the rest\n  2 Sword, Bow\nsideboard: Torch\n",
    );
    session.write("south.deck", "cards for decks\ndeck:\n3 Torch\n");
    session.write("broken.deck", "cards for decks\ndeck: 3 Sword\nsideboard: Sword\n");
    session.write("one.deck", "cards for decks with copies 1\ndeck: Sword, Bow\n");
    session
}

#[test]
fn lists_that_cannot_be_used_say_why() {
    let session = session();
    session.write("unknown.deck", "cards for decks\nstrat:\n  Wizard\ndeck: 2 Swrod\n");
    session.write("other.deck", "cards for chess\ndeck: Sword\n");
    session.write("army.deck", "army for decks\ndeck: Sword\n");
    session.write("many.deck", "cards for decks\ndeck: 3 Sword, 3 Bow, Torch\n");
    session.write("two.deck", "cards for decks with copies 2\ndeck: Sword, Bow\n");
    let mut said = String::new();
    for (code, args) in [
        (0, &["validate", "decks", "north.deck"][..]),
        (1, &["validate", "decks", "broken.deck", "--lang", "ja"]),
        (2, &["validate", "decks", "unknown.deck"]),
        (2, &["validate", "decks", "many.deck"]),
        (2, &["simulate", "decks", "--list", "North=broken.deck"]),
        (2, &["simulate", "decks", "--list", "North=unknown.deck"]),
        (2, &["simulate", "decks", "--list", "North=other.deck"]),
        (2, &["simulate", "decks", "--list", "North=army.deck"]),
        (2, &["simulate", "decks", "--list", "Nroth=north.deck"]),
        (2, &["simulate", "decks", "--list", "north.deck"]),
        (2, &["simulate", "decks", "--list", "North=gone.deck"]),
        (2, &["simulate", "decks", "--list", "North=north.deck", "--list", "North=south.deck"]),
        (2, &["simulate", "decks", "--list", "North=one.deck", "--list", "South=two.deck"]),
        (2, &["play", "tic-tac-toe", "--list", "X=north.deck"]),
    ] {
        said += &format!("$ lawspeaker {}\n{}\n", args.join(" "), session.says(code, args));
    }
    insta::assert_snapshot!("refused", said);
}

#[test]
fn every_command_that_begins_a_game_takes_lists() {
    let session = session();
    let both = ["--list", "North=north.deck", "--list", "South=south.deck"];
    let with = |args: &[&'static str]| [args, &both].concat();
    session.says(0, &with(&["simulate", "decks", "--games", "50"]));
    session.says(0, &with(&["random", "decks", "--games", "20", "--replay", "--checked", "20"]));
    has(&session.says(0, &with(&["perft", "decks", "--depth", "2"])), &["6"]);
    let one = ["simulate", "decks", "--games", "50", "--list", "North=one.deck", "--with", "copies=3"];
    session.says(0, &one);
}

#[test]
fn a_record_holds_what_is_in_its_lists() {
    let session = session();
    let args = ["play", "decks", "--list", "North=north.deck", "--list", "South=south.deck", "--record", "a.record"];
    session.answers(0, "quit\n", &[&args[..], &["--seats", "random"]].concat());
    let record = session.read("a.record");
    has(
        &record,
        &[
            "with cards of North \"start: 1 Wizard; deck: 2 Sword, 1 Bow; sideboard: 1 Torch\"",
            "with cards of South \"deck: 3 Torch\"",
        ],
    );
    // The files are not needed any more.
    for file in ["north.deck", "south.deck"] {
        std::fs::remove_file(session.path(file)).unwrap();
    }
    session.says(0, &["replay", "a.record"]);
    session.change("a.record", "3 Torch", "4 Torch");
    has(&session.says(2, &["replay", "a.record"]), &["three copies, deck and sideboard together"]);
}

#[test]
fn a_list_in_a_case_may_be_a_file_of_the_game() {
    let session = session();
    session.write("decks/lists/north.deck", session.read("north.deck"));
    let case = "```case\ncase \"a file\"\ngiven decks with cards of North \"lists/north.deck\" from the start\nthen\n  \
                table: N1\n  South to decide\n```\n";
    session.write("decks/cases/lists.md", case);
    session.says(0, &["test", "decks"]);
    for (from, to, word) in [
        ("lists/north.deck", "lists/gone.deck", "gone.deck"),
        ("lists/gone.deck", "../north.deck", "not in the folder of the game"),
        ("../north.deck", "4 Sword", "three copies, deck and sideboard together"),
        ("4 Sword", "dekc: Sword", "did you mean \"deck\"?"),
        ("dekc: Sword\" from the start", "deck: 2 Sword\"", "from the start"),
    ] {
        session.change("decks/cases/lists.md", from, to);
        has(&session.says(1, &["test", "decks"]), &[word]);
    }
}

#[test]
fn lists_are_kept_apart_where_rules_are_shared() {
    let files = vec![(String::from("game.law"), String::from(include_str!("rules/decks.law")))];
    let book = Rulebook::new(Folder { files, ..Folder::default() });
    let plain = book.rules(&Settings::default()).unwrap().compiled();
    let without = plain.start().unwrap();
    let listed = plain.with("cards of North \"deck: 2 Sword\"").unwrap();
    assert_ne!(listed.start().unwrap(), without);
    assert_eq!(plain.start().unwrap(), without);
    let text = lawspeaker::record::write(&Record { settings: listed.settings().clone(), ..Record::default() });
    let read = Rules::record(&text).unwrap();
    let again = book.rules(&read.settings).unwrap();
    assert_eq!(again.start().unwrap(), listed.start().unwrap());
    assert_eq!(again.settings().lists, listed.settings().lists);
    assert_eq!(Evaluator::start(again.explainer()).unwrap(), listed.evaluators().start().unwrap());
    let refused = plain.with("cards of North \"deck: 4 Sword\"");
    assert!(matches!(refused, Err(RulesError::List(words)) if words.contains("three copies")));
}

/// Good lists are legal, and each bad one breaks the clause that it is kept for.
#[test]
fn lists_of_the_middle_earth_ccg_are_judged() {
    let game = "middle-earth-ccg";
    for (folder, code) in [("good", 0), ("bad", 1)] {
        let path = root().join("rules").join(game).join("decks").join(folder);
        let files: Vec<String> = under(&path).into_iter().map(|p| p.to_string_lossy().into_owned()).collect();
        assert!(files.len() >= 15, "{folder}: only {}", files.len());
        let args: Vec<&str> = ["validate", game].into_iter().chain(files.iter().map(String::as_str)).collect();
        let judged = program(root(), &args).output().expect("it is run");
        let text = checked(&judged, code, &args);
        let told = |line: &&str| !line.starts_with("  keeps") && !line.starts_with("     ");
        let told: Vec<&str> = text.lines().filter(told).collect();
        insta::assert_snapshot!(format!("{folder}-lists"), told.join("\n").replace(&*root().to_string_lossy(), ""));
    }
}
