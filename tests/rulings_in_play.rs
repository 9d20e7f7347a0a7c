//! Rulings of the shipped games, asked in the middle of things: what was meant, what decides, what is active.
#![allow(missing_docs)]

use std::process::Command;

use serde_json::Value as Json;

/// Positions and records by name.
const TABLES: [(&str, &str); 11] = [
    (
        "planning.position",
        "given miniatures
  Red1 figure Aragorn, Ranger   Red1 at E5   Red1 facing SouthEast   Red1 ap 0
  Red2 figure Sam   Red2 at D6   Red2 facing East
  Blue1 figure Warg Rider   Blue1 at E8   Blue1 facing NorthWest   Blue1 ap 0
  Red to act first
",
    ),
    (
        "rolling.record",
        "record miniatures
given
  Red1 figure Aragorn, Ranger   Red1 at E5   Red1 facing SouthEast   Red1 ap 0
  Red2 figure Sam   Red2 at D6   Red2 facing East
  Blue1 figure Warg Rider   Blue1 at E6   Blue1 facing NorthWest   Blue1 ap 0
  combat phase, Red first

Red: combat of Red1
",
    ),
    (
        "sight.record",
        "record miniatures
given
  Red1 figure LegolasMarksman   Red1 at A11   Red1 facing East
  Blue1 figure MoriaGoblin   Blue1 at D11
  Blue2 figure MoriaGoblin   Blue2 at C11
  Red to act first

Red: Red1 acts
",
    ),
    (
        "wall.record",
        "record miniatures
given
  map: RuinedHall
  Red1 figure LegolasMarksman   Red1 at C4   Red1 facing SouthEast
  Blue1 figure MoriaGoblin   Blue1 at B10
  Red to act first

Red: Red1 acts
",
    ),
    (
        "ride.position",
        "given confrontation
  Black Rider at Mordor   Orcs, Warg at Dagorlad   Saruman at Mirkwood
  Frodo at Rhudaur   Sam at Gondor
  Dark to move
",
    ),
    (
        "hollin.position",
        "given confrontation
  Frodo at Hollin   Merry, Pippin at Rhudaur   Balrog at Moria
  Dark to move
",
    ),
    (
        "retreat.record",
        "record confrontation
given
  Frodo at Hollin   Merry, Pippin at Rhudaur   Balrog at Moria
  Dark to move

Dark: Balrog to Hollin
",
    ),
    (
        "beside-sam.record",
        "record confrontation
given
  Frodo, Sam at Hollin   Pippin at Shire   Balrog at Moria
  Dark to move

Dark: Balrog to Hollin
chance: against Frodo
",
    ),
    (
        "beside-pippin.record",
        "record confrontation
given
  Frodo, Pippin at Hollin   Sam at Shire   Balrog at Moria
  Dark to move

Dark: Balrog to Hollin
chance: against Frodo
",
    ),
    (
        "castle.position",
        "given chess
  e1 man wK   h1 man wR   f8 man bR   a8 man bK
  unmoved: e1, h1
  White to move
",
    ),
    (
        "pinned.position",
        "given chess
  e1 man wK   e2 man wB   e8 man bR   a8 man bK
  White to move
",
    ),
];

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Desk {
        let session = Desk(tempfile::tempdir().unwrap());
        TABLES.iter().for_each(|(name, text)| session.write(name, text));
        session
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    /// What is said on either stream.
    fn says(&self, code: i32, args: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lawspeaker"));
        command.args(args).current_dir(&self.0).env("COLUMNS", "100").env("NO_COLOR", "1");
        let output = command.output().unwrap();
        let text = String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?} said:\n{text}");
        text
    }

    fn asked(&self, code: i32, (game, at): (&str, &str), more: &[&str]) -> String {
        let args = [&["ask", game, "--at", at], more].concat();
        format!("$ {at} {}\n{}\n", more.join(" "), self.says(code, &args))
    }
}

#[test]
fn the_permission_that_was_meant_comes_first() {
    let session = Desk::new();
    let said = session.says(1, &["ask", "miniatures", "--at", "planning.position", "Red2 uses Bodyguard"]);
    assert!(said.contains("nearest: may activate \"Bodyguard\""), "{said}");
    // Of all places that ask for an ability, those are left out that are for others.
    assert!(said.contains("it is asked for at twist_dice"), "{said}");
    let said = session.says(1, &["ask", "miniatures", "--at", "rolling.record", "Red2 uses Bodyguard"]);
    assert!(said.contains("nearest: may activate \"Bodyguard\""), "{said}");
    // That a `for` goes on is no condition of the rules.
    assert!(!said.contains("needs: for"), "{said}");
}

#[test]
fn what_decides_a_condition_is_told() {
    let session = Desk::new();
    let mut said = String::new();
    let shot = ("miniatures", "sight.record");
    said += &session.asked(1, shot, &["shoots at Blue1 facing East"]);
    said += &session.asked(1, shot, &["shoots at Blue1 facing East", "--lang", "ja"]);
    said += &session.asked(1, shot, &["shoots at Blue1 facing West"]);
    let ride = ("confrontation", "ride.position");
    said += &session.asked(1, ride, &["Black Rider to Rhudaur", "--with", "rider_passes=empty_only"]);
    said += &session.asked(1, ride, &["Black Rider to Rhudaur", "--with", "rider_passes=empty_only", "--seen"]);
    said += &session.asked(1, ("miniatures", "planning.position"), &["Red2 uses Bodyguard"]);
    said += &session.asked(1, ("miniatures", "wall.record"), &["shoots at Blue1 facing south-east"]);
    said += &session.asked(1, ("chess", "pinned.position"), &["Be2-d3"]);
    said += &session.asked(1, ("chess", "castle.position"), &["O-O"]);
    insta::assert_snapshot!("witnesses", said);
}

#[test]
fn only_what_was_asked_about_is_cited() {
    let session = Desk::new();
    // The clause stands for two cards as well.
    let said =
        session.says(1, &["ask", "confrontation", "--at", "retreat.record", "Frodo retreats to Rhudaur", "--why"]);
    assert!(said.contains("by may not retreat \"no room there\" [battle.reveal.8, move.cap.full.2]"), "{said}");
    assert!(!said.contains("     cards.backward.3"), "{said}");
    // Of what blocks a line, a figure does here, and no high ground.
    let args = ["ask", "miniatures", "--at", "sight.record", "shoots at Blue1 facing East", "--json"];
    let json: Json = serde_json::from_str(&session.says(1, &args)).unwrap();
    let cited: Vec<&str> = json["citations"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap()).collect();
    assert!(cited.contains(&"5.11") && !cited.contains(&"5.12"), "{cited:?}");
    let witness = &json["deciding"][0]["conditions"][0]["witnesses"][0];
    assert_eq!(witness["members"]["v"], "Blue2", "{witness}");
    let by = witness["by"].as_array().unwrap();
    assert_eq!(by.last().unwrap()["cites"], serde_json::json!(["5.11"]), "{witness}");
}

#[test]
fn no_what_if_contradicts_what_is_active() {
    let session = Desk::new();
    let battle = ("confrontation", "retreat.record");
    let mut said = String::new();
    // Frodo elsewhere would not be in this battle.
    said += &session.asked(1, battle, &["Frodo retreats to Arthedain", "--would"]);
    said += &session.asked(1, battle, &["Frodo retreats to Arthedain", "--would", "--seen"]);
    said += &session.asked(1, battle, &["Frodo retreats to Rhudaur", "--would"]);
    // No obligation is in force, whatever else Dark could do and does not see.
    said += &session.asked(1, ("confrontation", "hollin.position"), &["Balrog to Rohan", "--would", "--seen"]);
    insta::assert_snapshot!("what-ifs", said);
}

#[test]
fn a_page_in_a_battle_has_the_position() {
    let session = Desk::new();
    let args = ["ask", "confrontation", "--at", "retreat.record", "Frodo retreats to Rhudaur"];
    let page = session.says(1, &[&args[..], &["--format", "markdown"]].concat());
    let json: Json = serde_json::from_str(&session.says(1, &[&args[..], &["--json"]].concat())).unwrap();
    let position = json["position"].as_str().unwrap();
    assert!(page.contains(position.trim_end()), "{page}");
    assert!(position.ends_with("when\n  Dark: Balrog to Hollin\n"), "{position}");
    session.write("again.position", position);
    let again = ["ask", "confrontation", "--at", "again.position", "Frodo retreats to Rhudaur"];
    assert_eq!(session.says(1, &args), session.says(1, &again));
}

#[test]
fn a_seat_is_told_when_something_is_asked_for() {
    let session = Desk::new();
    let mut said = String::new();
    let turn = ("confrontation", "hollin.position");
    for action in ["Frodo retreats to Enedwaith", "Merry strikes"] {
        said += &session.asked(1, turn, &[action, "--seen", "--seat", "Good"]);
        said += &session.asked(1, turn, &[action, "--seen", "--seat", "Good", "--lang", "ja"]);
    }
    said += &session.asked(1, turn, &["Merry strikes", "--seen"]);
    let battle = ("confrontation", "retreat.record");
    said += &session.asked(1, battle, &["Sam steps in", "--seen"]);
    said += &session.asked(1, battle, &["Balrog to Rohan", "--seen", "--seat", "Dark"]);
    said += &session.asked(1, battle, &["the Orcs swarm", "--seen", "--seat", "Dark"]);
    insta::assert_snapshot!("moments-seen", said);
}

/// What Good is asked depends on who stands beside Frodo, which Dark does not see.
#[test]
fn what_is_asked_tells_another_seat_nothing_hidden() {
    let session = Desk::new();
    let actions =
        ["Sam steps in", "Frodo retreats to Enedwaith", "the Orcs swarm", "Merry strikes", "Balrog to Rohan", "Dark 6"];
    for action in actions {
        let ask = |at: &str| {
            let args = ["ask", "confrontation", "--at", at, action, "--seen", "--seat", "Dark", "--why"];
            session.says(1, &args)
        };
        assert_eq!(ask("beside-sam.record"), ask("beside-pippin.record"), "{action}");
    }
    let said =
        session.says(1, &["ask", "confrontation", "--at", "beside-sam.record", "Sam steps in", "--seat", "Dark"]);
    assert!(said.starts_with("Dark: Sam steps in: illegal, it is Good's decision"), "{said}");
}

#[test]
fn at_the_table_too() {
    let session = Desk::new();
    session.write("typed", "\n?? Merry strikes\nMerry strikes\nquit\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lawspeaker"));
    command.args(["play", "confrontation", "--at", "hollin.position", "--seed", "1", "--record", "g.record"]);
    let typed = std::fs::File::open(session.0.path().join("typed")).unwrap();
    let output = command.current_dir(&session.0).stdin(typed).env("NO_COLOR", "1").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let ruling = "Dark: Merry strikes: illegal, it is not asked for now\n  it is asked for at battle.powers";
    assert_eq!(said.matches(ruling).count(), 2, "{said}");
}

#[test]
fn odds_are_asked_when_what_was_begun_is_done() {
    let session = Desk::new();
    // The next turn belongs to nothing that was begun, and needs no word about how it is played.
    let at = |at: &str, action: &str, question: &str| {
        session.says(0, &["odds", "confrontation", "--at", at, "--do", action, question])
    };
    assert_eq!(
        at("retreat.record", "Frodo retreats to Enedwaith", "Frodo.at is Enedwaith"),
        "Frodo.at is Enedwaith: 1, 100.000 %\n0 positions, 0 plies ahead\n"
    );
    session.write("shire.position", "given confrontation\n  Frodo at Rohan   Orcs at Mordor\n  Good to move\n");
    assert_eq!(
        at("shire.position", "Frodo to Gondor", "Frodo.at is Gondor"),
        "Frodo.at is Gondor: 1, 100.000 %\n0 positions, 0 plies ahead\n"
    );
}

/// A character who is tapped and bears an item, and a card that its owner hides.
const PROWESS: &str = "given middle_earth_ccg
  G1 print Aragorn II   G2 print Glamdring   G2 lord G1   G1 state Tapped   table: G1, G2
  G1 company Gandalf's company   Gandalf's company at Moria   hand of Gandalf: G3   G3 print Ori
  S1 print Orc-warband   hand of Saruman: S1
  Gandalf to move
";

#[test]
fn a_number_is_told_with_what_each_clause_gives() {
    let session = Desk::new();
    session.write("prowess.position", PROWESS);
    let card = ("middle-earth-ccg", "prowess.position");
    let both = ["", "ja"].map(|lang| session.asked(0, card, &["? prowess(G1)", "--lang", lang]));
    insta::assert_snapshot!("number", both.join("\n"));
    let whole = session.asked(0, card, &["? prowess(G1)", "--why"]);
    assert!(whole.contains("+0 by plus prowess \"hatred\"") && whole.contains("against(G2) is no"), "{whole}");
    let data: serde_json::Value =
        serde_json::from_str(&session.says(0, &["ask", card.0, "--at", card.1, "? prowess(G1)", "--json"])).unwrap();
    assert_eq!(data["value"], "7");
    let own = &data["derived"][0];
    let gives: Vec<i64> = own["by"].as_array().unwrap().iter().filter_map(|by| by["number"].as_i64()).collect();
    assert_eq!(gives, [8, 0, -1]);
    // What a seat does not see is not told, whichever it is.
    for hidden in ["? prowess(S1)", "? the c in hand[Saruman]"] {
        let seen = session.asked(0, card, &[hidden, "--seen", "--seat", "Gandalf"]);
        assert!(seen.contains("what is seen from here does not tell it"), "{seen}");
    }
    let by_name = session.asked(0, card, &["? G1"]);
    assert!(by_name.contains("prowess(G1) is 7: 8 by define prowess"), "{by_name}");
    assert!(session.asked(0, card, &["? glamd"]).contains("keywords weapon"));
    let unknown = session.asked(2, card, &["? might(G1)"]);
    assert!(unknown.contains("nothing here is written \"might(G1)\""), "{unknown}");
    assert!(unknown.contains("there is no definition `might`"), "{unknown}");
    assert!(session.asked(2, card, &["?"]).contains("`?` asks about nothing"));
    assert!(session.asked(2, card, &["? G1", "--format", "html"]).contains("leave --format out"));
}
