//! Records: good and broken texts, and playing them again.

use std::sync::Arc;

use crate::common::tiny;
use lawspeaker::explain::Explainer;
use lawspeaker::game::{Evaluator, Reason};
use lawspeaker::library::{self, Folder};
use lawspeaker::model::Config;
use lawspeaker::notation;
use lawspeaker::record::{self, ReplayEnd, Stop};
use proptest::prelude::*;

const GOOD: &str = r#"record tiny
title "A walk"        // by hand
with no variant_cards
Good "Ann"
Dark "Bob"
seed 42

1. Good: Frodo to Rohan ; 2
Dark: witch-king to the shire
3. Good: Frodo to Mordor
result Good wins "into Mordor" 5-0
"#;

fn broken(text: &str) -> String {
    let faults = record::parse(text).err().unwrap_or_default();
    let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
    all.join("\n")
}

fn replayed(text: &str) -> String {
    let record = record::parse(text).expect("a record");
    let referee = tiny();
    referee.replay(&record).words(referee.explainer(), "")
}

#[test]
fn a_good_record_is_read_written_and_played() {
    let record = record::parse(GOOD).expect("a record");
    assert_eq!(record.plies.len(), 3);
    assert_eq!(record.seed, Some(42));
    let again = record::parse(&record::write(&record)).expect("what was written");
    assert_eq!(record::write(&again), record::write(&record));
    let referee = tiny();
    let replay = referee.replay(&record);
    assert!(matches!(replay.end, ReplayEnd::Complete(Some(_))), "{replay:?}");
    assert_eq!(replay.plies.len(), 3);
}

#[test]
fn space_that_is_none_of_the_language_belongs_to_a_name() {
    for line in ["\u{3000}given \"Ann\"", "\u{3000}record \"Ann\"", "\u{a0} Good \"Ann\"", "result \u{3000}none wins"] {
        let record = record::parse(&format!("record tiny\n{line}\n")).expect("a record");
        let written = record::write(&record);
        let again = record::parse(&written).unwrap_or_else(|e| panic!("{written}: {e:?}"));
        assert_eq!((again.seats, record::write(&record)), (record.seats.clone(), written));
    }
}

/// Two coins are given alike, and two actions are written alike.
fn twins() -> Explainer {
    let text = "game twins \"Twins\"\nplayers A, B\nkind Coin members Copper, Silver\nvar n: 0..9 = 0\nvar m: 0..9 = 0\n\
        action give(c: Coin) by A log \"give a coin\" { n += if c is Copper then 1 else 2 }\nmay give \"g\"\n\
        action hide() by A where n > 5 log \"wave\" { m := 1 }\nmay hide \"h\"\n\
        action wave() by A log \"wave\" { m := 2 }\nmay wave \"w\" when n > 2\n\
        procedure play { step turns { while true { A chooses an action among give, hide, wave } } }\nends draw \"d\" when n > 7\n";
    let folder = Folder { files: vec![("game.law".into(), text.into())], ..Folder::default() };
    let model = library::load(folder, &[]).unwrap_or_else(|e| panic!("{e}")).model;
    let config = Config::defaults(&model);
    Explainer::new(Arc::clone(&model), config)
}

#[test]
fn options_written_alike_are_told_apart_by_what_follows() {
    let e = twins();
    let mut position = e.start().unwrap();
    let mut text = String::from("record twins\n");
    let mut made = Vec::new();
    for at in [1, 0, 0, 2] {
        let choice = e.options(&position).unwrap()[at];
        let ply = record::ply((&e, &e), &position, choice);
        let (options, digest) = (ply.options.unwrap(), ply.digest.unwrap());
        let said = ply.made.text.split(" #").next().unwrap();
        text += &format!("A: {said} ; {options} {digest:016x}\n");
        made.push(choice);
        e.apply(&mut position, choice).unwrap();
    }
    let replay = record::replay(&record::parse(&text).unwrap(), &e);
    assert_eq!(replay.plies.iter().map(|p| p.choice).collect::<Vec<_>>(), made, "{}", replay.words(&e, ""));
    // Where nothing follows, nothing tells.
    let replay = record::replay(&record::parse("record twins\nA: give a coin\n").unwrap(), &e);
    assert!(replay.words(&e, "").contains("could be any of"), "{}", replay.words(&e, ""));
}

#[test]
fn options_written_alike_are_told_apart_by_numbers() {
    let referee = twins();
    let start = referee.start().expect("a start");
    let options = referee.options(&start).expect("options");
    for choice in options.iter().copied() {
        let ply = record::ply((&referee, &referee), &start, choice);
        let number = ply.made.text.rsplit_once(" #").and_then(|(_, number)| number.parse::<usize>().ok());
        assert_eq!(
            number.is_some(),
            notation::alike(&referee, &start, &options, &referee.say(&start, choice, "")).len() > 1
        );
        assert_eq!(notation::option(&referee, &start, &options, &ply.made.text), Ok(choice), "{}", ply.made.text);
        assert_eq!(notation::read(&referee, &start, &ply.made.text), Ok(choice), "{}", ply.made.text);
    }
    let text = referee.say(&start, options[0], "");
    for written in [text.clone(), format!("{text} #0"), format!("{text} #9")] {
        let why = notation::read(&referee, &start, &written).expect_err("two are written so").to_string();
        assert!(why.contains(&format!("{text} #1")) && why.contains(&format!("{text} #2")), "{why}");
    }
    for number in ["#0", "#9", "#", "#1 #1"] {
        assert!(notation::read(&referee, &start, &format!("{text} {number}")).is_err(), "{number}");
    }
}

#[test]
fn of_actions_written_alike_the_one_that_there_is_is_meant() {
    let e = twins();
    let position = e.start().unwrap();
    let choice = notation::read(&e, &position, "wave").unwrap();
    assert_eq!(e.judge(&position, 0, choice).reason, Reason::NoPermission);
}

#[test]
fn a_record_can_begin_anywhere() {
    let text = "record tiny\ngiven\n  Frodo at Rohan   Witch-king at Rohan\n  Dark to move\n\n1. Dark: Witch-king to Mordor ; 2\nresult none\n";
    let record = record::parse(text).expect("a record");
    let again = record::parse(&record::write(&record)).expect("what was written");
    assert_eq!(again.plies.len(), 1);
    assert_eq!(again.scene.map(|s| s.facts.len()), Some(3));
    assert_eq!(replayed(text), "1 ply, all legal; the game is not over");
}

#[test]
fn what_was_written_holds() {
    let referee = tiny();
    let mut record = record::parse(GOOD).expect("a record");
    record.rules = Some(referee.digest());
    let replay = referee.replay(&record);
    let positions = replay.positions(&referee);
    for ((recorded, ply), before) in record.plies.iter_mut().zip(&replay.plies).zip(positions) {
        *recorded = record::ply((referee.evaluators(), referee.explainer()), &before, ply.choice);
    }
    let text = record::write(&record);
    assert!(!replayed(&text).contains("other rules"), "{text}");
    let digest = record.plies.get(1).and_then(|p| p.digest).expect("a digest");
    let wrong = text.replace(&format!("{digest:016x}"), "0123456789abcdef");
    assert!(replayed(&wrong).contains("the record has 0123456789abcdef"));
}

#[test]
fn it_stops_where_it_does_not_hold() {
    for (from, to, wanted) in [
        ("Frodo to Rohan ; 2", "Frodo to Misty Mountains", "ply 1 (line 8): Good: Frodo to Misty Mountains: illegal"),
        ("Frodo to Rohan ; 2", "Frodo to Rohn", "did you mean \"Frodo to Rohan\""),
        ("Frodo to Rohan ; 2", "Frodo to Rohan ; 3", "there are 2 options, but the record has 3"),
        ("Dark: ", "Good: ", "but Dark decides here\npossible here: \""),
        ("Dark: ", "Elves: ", "`Elves` is not a seat"),
        ("Good wins", "Dark wins", "the result is not as recorded: Good wins \"into Mordor\" 5-0"),
        ("5-0", "5-1", "the result is not as recorded"),
        ("result", "4. Dark: Witch-king to Mordor\nresult", "the game is over before this"),
    ] {
        let found = replayed(&GOOD.replace(from, to));
        assert!(found.contains(wanted), "{to}\n--- gives\n{found}");
    }
}

#[test]
fn other_rules_are_told() {
    let text = GOOD.replace("seed 42", "rules 0123456789abcdef").replace("; 2", "; 9 00000000000000ff");
    let found = replayed(&text);
    assert!(found.contains("under other rules"), "{found}");
    assert!(found.contains("first differs at ply 1"), "{found}");
    let found = replayed(&text.replace("Frodo to Mordor", "Frodo to Misty Mountains"));
    assert!(found.contains("was legal under the rules it was recorded with"), "{found}");
    let record = record::parse(&text).expect("a record");
    let end = tiny().replay(&record).end;
    assert!(!matches!(end, ReplayEnd::Stopped { reason: Stop::WrongDigest { .. }, .. }));
}

#[test]
fn broken_records_say_why() {
    for (text, wanted) in [
        ("", "1:1: a record begins with `record GAME`"),
        ("hello\nworld", "1:1: a record begins with `record GAME`"),
        ("record", "a record begins with"),
        ("record tiny\ntitle A walk", "2:7: expected a text in quotes"),
        ("record tiny\ntitle \"A walk", "expected the closing quote"),
        ("record tiny\nrules 12", "2:7: expected a digest"),
        ("record tiny\nGood Frodo", "2:1: this line says nothing of the game"),
        ("record tiny\n1. Good: a\n3. Good: b", "3:1: this is ply 2, but the line says 3; ply 2 is missing"),
        ("record tiny\n1. Good: a\n4. Good: b", "plies 2 to 3 are missing"),
        ("record tiny\n1. Good: a\n1. Good: b", "one is there twice"),
        ("record tiny\n1. e4 e5", "2:1: a ply names its seat"),
        ("record tiny\ntitle “A walk”", "2:7: `“` neither begins nor ends a text: write straight quotes"),
        ("record tiny\n# note", "2:1: a comment begins with `//`"),
        ("record tiny\nfoo bar", "2:1: this line says nothing of the game"),
        ("record tiny\nresult resign", "2:1: a result is `result SEAT wins"),
        ("record tiny\n1. Good:", "expected what was done"),
        ("record tiny\n1. Good: a ; many", "2:12: after `;` stand"),
        ("record tiny\nresult none\nGood: a", "3:1: nothing follows the result"),
        ("record tiny\nGood: a\nseed 1", "3:1: this belongs before the first ply"),
        ("record tiny\nresult Good", "a result is"),
        ("record tiny\nseed 99999999999999999999999", "the seed is too large"),
    ] {
        let found = broken(text);
        assert!(found.contains(wanted), "{text}\n--- gives\n{found}");
    }
}

#[test]
fn one_wrong_number_is_reported_once() {
    for text in ["1. Good: a\n3. Good: b\n4. Dark: c\n5. Good: d\n", "1. Good: a\n1. Good: b\n2. Dark: c\n3. Good: d\n"]
    {
        let faults = record::parse(&format!("record tiny\n{text}")).expect_err("a wrong number");
        assert_eq!(faults.len(), 1, "{faults:?}");
    }
}

#[test]
fn plies_after_a_line_that_cannot_be_read_are_numbered_right() {
    for (text, lines) in [
        ("1. Good: a\n2. nonsense\n3. Good: b\n4. Dark: c\n", &[3][..]),
        ("1. Good: a ; x\n2. Good: b\nnonsense\n// A comment.\n4. Dark: c\n", &[2, 4]),
        ("nonsense\n1. Good: a\n2. Dark: c\n", &[2]),
        ("1. Good: a\nnonsense\n4. Good: b\n5. Dark: c\n", &[3, 4]),
        ("1. Good: a\nnonsense\n3. Good: b\n5. Dark: c\n", &[3, 5]),
    ] {
        let faults = record::parse(&format!("record tiny\n{text}")).expect_err("a line that cannot be read");
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), lines, "{faults:?}");
    }
}

proptest! {
    #![proptest_config(crate::common::tried(300))]
    #[test]
    fn mutated_records_do_not_panic(at in 0usize..400, cut in 0usize..40, with in "[ -~\n;]{0,8}|[\u{3000}ホé\t]{1,4}") {
        let mut text = GOOD.to_owned();
        let at = at % text.len();
        let end = (at + cut).min(text.len());
        text.replace_range(at..end, &with);
        if let Ok(record) = record::parse(&text) {
            let written = record::write(&record);
            let again = record::parse(&written);
            prop_assert!(again.is_ok(), "{text}\n---\n{written}\n---\n{again:?}");
            let _ = tiny().replay(&record);
        }
    }
}
