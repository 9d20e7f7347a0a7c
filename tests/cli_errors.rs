//! What the commands say of themselves, and of what they cannot use; and what happens when a reader, a terminal or a game goes away.
#![allow(missing_docs)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use crate::common::session::{Session, both};

const CARDS: &str =
    "Good 1, Good 2, Good 3, Good 4, Good 5, Good Magic, Noble Sacrifice, Elven Cloak, Retreat Backward";

#[test]
fn help() {
    let session = Session::with_nim();
    insta::assert_snapshot!("help", session.says(0, &["--help"]));
    for command in [
        "check",
        "play",
        "ask",
        "odds",
        "solve",
        "find",
        "test",
        "validate",
        "replay",
        "clauses",
        "book",
        "new",
        "random",
        "perft",
        "simulate",
        "explore",
        "completions",
        "man",
        "exceptions",
        "mutate",
        "games",
    ] {
        insta::assert_snapshot!(format!("help-{command}"), session.says(0, &[command, "--help"]));
    }
}

#[test]
fn mistyped() {
    let session = Session::with_nim();
    std::fs::create_dir(session.path("bare")).unwrap();
    session.write("odd.record", b"record confrontation\n1. Good: \xff\n");
    session.write("odd.position", b"given confrontation\n \xff\n");
    let mut said = String::new();
    for args in [
        &["repaly", "x.record"][..],
        &["replay", "--bord", "x.record"],
        &["replay"],
        &["replay", "x.record"],
        &["replay", "bare"],
        &["replay", "odd.record"],
        &["replay", "nim/game.law"],
        &["check", "confrontatoin"],
        &["check", "bare"],
        &["check", "nim/game.law"],
        &["check", "nim/game.law/rules"],
        &["test", "bare"],
        &["play", "nim", "--seats", "Frist=random"],
        &["play", "nim", "--seats", "First=clever"],
        &["play", "nim", "--seats", "First="],
        &["play", "nim", "--with", "haep=3"],
        &["play", "nim", "--variant", "twise"],
        &["play", "nim", "--resume", "gone.record"],
        &["play", "nim", "--seed", "many"],
        &["ask", "confrontation", "--at", "gone.position"],
        &["ask", "confrontation", "--at", "bare"],
        &["ask", "confrontation", "--at", "odd.position"],
        &["new", "nim"],
        &["new", "nim/game.law/inside"],
        &["new", "..."],
    ] {
        said += &format!("$ lawspeaker {}\n{}\n", args.join(" "), session.says(2, args));
    }
    insta::assert_snapshot!("mistyped", said.replace(&lawspeaker::library::shipped().join(", "), "THE SHIPPED GAMES"));
    assert!(session.read("nim/game.law").contains("game nim"));
}

#[test]
fn what_is_short_for_an_option_is_suggested() {
    let session = Session::empty();
    session.write("begun.record", "record chess\n1. White: e2-e4\n2. Black: d7-d5\n");
    for (typed, meant) in [("ed5", "exd5"), ("Bfb5+", "Bf1-b5"), ("aa4", "a2-a4")] {
        let said = session.says(2, &["ask", "chess", "--at", "begun.record", typed]);
        assert!(said.contains(&format!("\"{meant}\"")), "{said}");
    }
    // 64 squares could follow, none of them legal: three of these would be no help.
    let said = session.says(2, &["ask", "chess", "Ke2"]);
    assert!(said.contains("nothing here is written \"Ke2\"") && !said.contains("did you mean"), "{said}");
}

#[test]
fn positions() {
    let session = Session::with_nim();
    let hand = |cards: &str| format!("  Frodo at Fangorn   Orcs at Dagorlad\n  hand of Good: {cards}\n");
    let ten = format!("{CARDS}, Dark 1");
    let all = [
        ("ten-cards", format!("given confrontation\n{}  Good to move\n", hand(&ten))),
        ("unknown-name", "given confrontation\n  Frodoo at Fangorn\n  Sam at Fangron\n  Good to move\n".into()),
        ("no-entry", format!("given confrontation\n{}", hand(CARDS))),
        ("two-entries", format!("given confrontation\n{}  Good to move\n  Dark to move\n", hand(CARDS))),
        ("two-places", "given confrontation\n  Frodo at Fangorn   Frodo at Rohan\n  Good to move\n".into()),
        ("full", "given confrontation\n  Frodo, Sam, Pippin at Rohan\n  Good to move\n".into()),
        ("other-game", "given chess\n  Frodo at Rohan\n".into()),
        ("no-position", "Frodo at Rohan\n".into()),
        ("empty", String::new()),
    ];
    let mut said = String::new();
    for (name, text) in all {
        let file = format!("{name}.position");
        session.write(&file, text);
        said += &format!("{name}:\n{}\n", session.says(2, &["ask", "confrontation", "--at", &file]));
    }
    insta::assert_snapshot!("positions", said);
    let waived = "given confrontation\ngiven impossible \"more than nine cards in a hand\", \"a card of the other side\", \
                  \"a side without its nine cards\", \"a card in two places\"\n";
    session.write("waived.position", format!("{waived}{}  Good to move\n", hand(&ten)));
    assert!(session.says(0, &["ask", "confrontation", "--at", "waived.position"]).contains("Good decides:"));
}

#[test]
fn asked() {
    let session = Session::with_nim();
    session.write("p.position", "given confrontation\n  Frodo at Fangorn   Orcs at Dagorlad\n  Good to move\n");
    let ask = |code, more: &[&str]| {
        let args = [&["ask", "confrontation", "--at", "p.position"], more].concat();
        session.says(code, &args)
    };
    let said = [
        ask(0, &[]),
        ask(0, &["Frodo to Gondor"]),
        ask(1, &["Frodo to Mirkwood"]),
        ask(1, &["Frodo to Gondor", "--seat", "Dark"]),
        ask(2, &["Frodo to Gondro"]),
    ];
    insta::assert_snapshot!("asked", said.join("\n"));
    let json = |code, action| -> serde_json::Value { serde_json::from_str(&ask(code, &[action, "--json"])).unwrap() };
    assert_eq!(json(0, "Frodo to Gondor")["verdict"], "legal");
    assert_eq!(json(1, "Frodo to Mirkwood")["verdict"], "illegal");
}

/// Where nothing was legal, a case and `ask` say why.
#[test]
fn what_nobody_could_do() {
    let session = Session::empty();
    let rules = "game guard \"Guard\"\nplayers A, B\nkind Card members Rock, Shield\nvar n: 0..9 = 0\n\
        var tired: Bool = false\naction stop(c: Card) by B log \"stops it with {c}\" { n := 9 }\n\
        may stop \"a shield\" when c is Shield and n < 4\nmay not stop \"tired\" when tired\n\
        procedure play { step x {\n  A chooses number k from 0..7 log \"hits {k}\"\n  n := k\n  \
        B may choose an action among stop else \"lets it pass\"\n  A may \"goes on\" else \"rests\" { tired := true }\n  \
        B chooses an action among stop\n} }\nends draw \"over\" when n is 9\n";
    for folder in ["guard", "guard/cases"] {
        std::fs::create_dir(session.path(folder)).unwrap();
    }
    session.write("guard/game.law", rules);
    let case = "```case\ncase \"too hard\"\ngiven guard from the start\nwhen\n  A: hits 6\n  B: stops it with Shield\n\
        then\n  n: 9\n\ncase \"who is asked\"\ngiven guard from the start\nwhen\n  A: hits 5\nthen\n  B to decide\n\n\
        case \"what cannot go on\"\ngiven guard from the start\nwhen\n  A: hits 7\n  A: goes on\nthen\n  n: 7\n```\n";
    session.write("guard/cases/a.md", case);
    session.write("gap.record", "record guard\n\n1. A: hits 6\n2. A: goes on\n");
    let said = [
        session.says(1, &["test", "guard"]),
        session.says(0, &["ask", "guard", "--at", "gap.record"]),
        session.says(1, &["ask", "guard", "--at", "gap.record", "stops it with Shield"]),
        session.says(0, &["ask", "guard", "--at", "gap.record", "--ply", "2"]),
    ];
    insta::assert_snapshot!("what-nobody-could-do", said.join("\n"));
}

#[test]
fn validated() {
    let session = Session::with_nim();
    std::fs::create_dir(session.path("muster")).unwrap();
    session.write("muster/clauses.tsv", "id\tparaphrase_en\nlist.1\tA list costs no more than was agreed.\n");
    let rules = include_str!("rules/muster.law").replace("\nplayers", "\nsource rules \"clauses.tsv\"\nplayers");
    session.write("muster/game.law", rules.replace("must band \"points\"", "must band \"points\" cite list.1"));
    session.write("good.band", "// for Sunday\nband for muster\n\nCaptain of the Guard // he leads\n  3 弓兵\n");
    session.write("bad.band", "band for muster with points 90\n2x captain, 2 archer\nGhoul\n");
    session.write("shade.band", "band for muster\n2 Ghoul, Chief\n");
    session.write("dispute.pack", "pack for muster\nArcher, Archer\n");
    let names = "band for muster\n  Captian\n3 Archer,  Ghuol\n0 Archer\nArcher Captain\n4\nArcher,\n";
    session.write("names.band", names);
    session.write("many.band", "band for muster\n2 Captain\n  3 Archer, 99999999999999999999 Ghoul\n");
    session.write("other.band", "band for chess\nArcher\n");
    session.write("what.band", "bond for muster\nArcher\n");
    session.write("setting.band", "band for muster with pionts 90\nArcher\n");
    session.write("twice.band", "band for muster with points 90, points 80\nArcher\n");
    session.write("head.band", "Archer\n3 Ghoul\n");
    session.write("empty.band", "\n// nothing\n");
    let mut said = String::new();
    for (code, args) in [
        (0, &["good.band"][..]),
        (0, &["good.band", "--lang", "ja"]),
        (1, &["bad.band"]),
        (1, &["bad.band", "--with", "points=300", "--with", "leaders=any"]),
        (1, &["good.band", "bad.band"]),
        (0, &["shade.band", "--seat", "Shade"]),
        (1, &["shade.band"]),
        (2, &["good.band", "--seat", "Shade"]),
        (1, &["dispute.pack"]),
        (2, &["names.band"]),
        (2, &["many.band"]),
        (2, &["other.band"]),
        (2, &["what.band"]),
        (2, &["setting.band"]),
        (2, &["twice.band"]),
        (2, &["head.band"]),
        (2, &["empty.band"]),
        (2, &["gone.band"]),
        (2, &["good.band", "gone.band", "what.band"]),
        (2, &["good.band", "--seat", "Shadow"]),
    ] {
        let all = [&["validate", "muster"], args].concat();
        said += &format!("$ lawspeaker {}\n{}\n", all.join(" "), session.says(code, &all));
    }
    insta::assert_snapshot!("validated", said);
    let json = session.says(1, &["validate", "muster", "good.band", "bad.band", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json[0]["verdict"], &json[1]["verdict"]), (&"legal".into(), &"illegal".into()));
    let broken = json[1]["demands"].as_array().unwrap().iter().filter(|d| d["state"] == "broken");
    assert_eq!(broken.count(), 4);
    assert_eq!(json[1]["demands"][1]["by"]["clause"]["cites"][0], "list.1");
}

#[test]
fn a_closed_pipe_is_quiet() {
    let session = Session::with_nim();
    for args in [&["--help"][..], &["clauses", "confrontation"], &["ask", "confrontation", "--at", "p.position"]] {
        session.write("p.position", "given confrontation\n  Frodo at Fangorn\n  Good to move\n");
        let mut child = session.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(both(&output), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn a_game_that_was_killed_goes_on_from_its_record() {
    let session = Session::with_nim();
    let mut command =
        session.command(&["play", "nim", "--seats", "Second=random", "--seed", "5", "--record", "g.record"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    input.write_all(b"take 2\n").unwrap();
    // It has told the answer, so that both plies are on disk.
    assert!(lines.by_ref().map(Result::unwrap).any(|l| l.contains("2. Second:")));
    child.kill().unwrap();
    child.wait().unwrap();
    let record = session.read("g.record");
    assert!(record.contains("1. First: take 2") && record.contains("2. Second:"), "{record}");
    let text = session.says(0, &["play", "nim", "--seats", "Second=random", "--resume", "g.record"]);
    assert!(text.contains("First decides:") && text.contains("go on with: lawspeaker play nim"), "{text}");
    assert_eq!(session.read("g.record"), record);
    session.says(0, &["replay", "g.record", "--game", "nim"]);
}

#[test]
fn a_game_without_input_is_kept() {
    let session = Session::with_nim();
    let text = session.says(0, &["play", "nim", "--seed", "1", "--record", "g.record"]);
    assert!(text.contains("The game is kept in g.record"), "{text}");
    assert!(session.read("g.record").starts_with("record nim\n"));
}

#[test]
fn an_opponents_set_up_is_told_without_names_and_the_table_without_clutter() {
    let session = Session::with_nim();
    let args = ["play", "confrontation", "--seats", "Good=random", "--seed", "3", "--record", "g.record"];
    let text = session.says(0, &args);
    for place in ["Arthedain", "Cardolan", "Rhudaur", "Hollin", "Enedwaith"] {
        assert!(text.contains(&format!("Good: Good ? to {place}")), "{text}");
    }
    for name in ["Frodo", "Gandalf", "Legolas"] {
        assert!(!text.contains(name), "{name} in {text}");
    }
    assert!(!text.contains("none") && !text.contains("turn.p"), "{text}");
    assert!(!text.contains("empty"), "{text}");
}

#[test]
fn what_two_clauses_dispute_is_undecided() {
    let session = Session::with_nim();
    let rules = session.read("nim/game.law");
    let dispute = "\ndefine price(n: 1..3) -> Int = 0\ninstead price(n) = 1 \"odd\" when n is not 2\n\
                   instead price(n) = 2 \"small\" when n > 2\nmay not take \"dear\" when price(n) > 1\n";
    session.write("nim/game.law", rules + dispute);
    session.write("p.position", "given nim\n  heap: 5   First to move\n");
    let text = session.says(1, &["ask", "nim", "--at", "p.position", "take 3"]);
    assert!(text.contains("undecided") && text.contains("odd") && text.contains("small"), "{text}");
    let json = session.says(1, &["ask", "nim", "--at", "p.position", "take 3", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["verdict"], "undecided");
}

#[test]
fn rules_with_faults_are_refused() {
    let session = Session::with_nim();
    let rules = session.read("nim/game.law");
    session.write("nim/game.law", rules.replace("when n is last", "when n is lost"));
    session.write("g.record", "record nim\n1. First: take 1\n");
    let said = [
        session.says(1, &["check", "nim"]),
        session.says(2, &["random", "nim"]),
        session.says(2, &["replay", "--game", "nim", "g.record"]),
    ];
    insta::assert_snapshot!("faulty-rules", said.join("\n----\n"));
}
