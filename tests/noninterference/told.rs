//! What seats are told of choices, where names look alike, where choices stay hidden, and where they are declined.

use std::sync::Arc;

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Choice, Evaluator as _, Position, Told};
use lawspeaker::library::{self, Folder};
use lawspeaker::model::Config;
use lawspeaker::notation;

/// What was played: each position with the choice made there, and the position at the end.
struct Played {
    rules: Explainer,
    plies: Vec<(Position, Choice)>,
    now: Position,
}

fn played(text: &str, lines: &[&str]) -> Played {
    let folder = Folder { name: "told".into(), files: vec![("game.law".into(), text.to_owned())], ..Folder::default() };
    let game = library::load(folder, &[]).unwrap_or_else(|e| panic!("{e}"));
    let rules = Explainer::new(Arc::clone(&game.model), Config::defaults(&game.model));
    let now = rules.start().expect("no fault");
    let mut played = Played { rules, plies: Vec::new(), now };
    lines.iter().for_each(|line| played.play(line));
    played
}

impl Played {
    fn play(&mut self, line: &str) {
        let choice = notation::read(&self.rules, &self.now, line).unwrap_or_else(|e| panic!("{line}: {e}"));
        let before = self.now.clone();
        self.rules.apply(&mut self.now, choice).expect("no fault");
        self.plies.push((before, choice));
    }

    fn after(&self, ply: usize) -> &Position {
        self.plies.get(ply + 1).map_or(&self.now, |(before, _)| before)
    }

    /// What a seat is told of a ply as it is played; `?` for a secret.
    fn told(&self, seat: u16, ply: usize) -> String {
        let (before, choice) = &self.plies[ply];
        words(self.rules.told(Some(seat), (before, self.after(ply)), *choice, ""))
    }

    /// What it is told later.
    fn later(&self, seat: u16, ply: usize) -> String {
        let (before, choice) = &self.plies[ply];
        words(self.rules.told_later(seat, (before, &self.now), *choice, ""))
    }

    /// The plies of which a seat is not told yet.
    fn not_told(&self, seat: u16) -> Vec<usize> {
        let choices: Vec<(&Position, Choice)> = self.plies.iter().map(|(before, choice)| (before, *choice)).collect();
        self.rules.not_told(seat, &choices, &self.now)
    }
}

fn words(told: Told) -> String {
    match told {
        Told::Said(words) => words,
        Told::Secret => String::from("(secret)"),
    }
}

#[test]
fn what_is_open_is_told_though_its_name_looks_like_a_hidden_one() {
    let text = "game alike \"Alike\"\nplayers A, B, C\nkind Card { value: 0..9 = 1 }\nCard Boat1 \"Boat\"\n\
        Card Boat2 \"Boat\"\nCard Sun \"Sun\"\nkind Place members Sunlands \"Sunlands\", Rohan\n\
        pile hand[Player] of Card\npile spent of Card\nseen hand[q] by p when q is p\n\
        seen Card c by p when c in spent or c in hand[p]\nvar n: 0..9 = 0\n\
        procedure play { step x {\n  put Boat1 into hand[B] put Boat2 into hand[C] put Sun into hand[C]\n  \
        B chooses c from hand[B] log \"shows {c}\"\n  move c from hand[B] to spent\n  \
        C chooses s from Place log \"goes to {s}\"\n  C chooses d from hand[C] log \"hides {d} of {d.value}\"\n  \
        A may \"go\" else \"stay\" { n := 1 }\n  n := 9\n} }\nends draw \"x\" when n is 9\n";
    let game = played(text, &["shows Boat", "goes to Sunlands", "hides Sun of 1"]);
    assert_eq!([0, 1, 2].map(|ply| game.told(0, ply)), ["shows Boat", "goes to Sunlands", "hides ? of ?"]);
    assert_eq!(game.told(2, 2), "hides Sun of 1");
}

#[test]
fn a_field_that_is_hidden_is_not_told() {
    let text = "game leak \"Leak\"\nplayers A, B\nkind Print members Sword, Axe\n\
        kind Card owned by side { side: Player  var print: Print? }\nCard A1 { side A }\nCard B1, B2 { side B }\n\
        seen Card c.print by p when c.side is p\nvar n: 0..9 = 0\n\
        procedure play { step x {\n  B1.print := Axe B2.print := Sword\n  \
        B chooses c from { x in Card where x.side is B } log \"hides {c.print}, {c}\"\n  \
        A may \"go\" else \"stay\" { n := 1 }\n  n := 9\n} }\nends draw \"x\" when n is 9\n";
    let game = played(text, &["hides Axe, B1"]);
    assert_eq!([game.told(0, 0), game.told(1, 0)], ["hides ?, B1", "hides Axe, B1"]);
}

/// Bands that set out secretly and are turned up; a plan that is hidden until the war begins.
const BANDS: &str = "game bands \"Bands\"\nplayers A, B, C\nkind Town members Bree, Moria\n\
    kind Band owned by side { side: Player  var heading: Town?  var up: Bool = false }\n\
    Band X { side A }\nBand Y { side A }\nBand Z { side B }\nseen Band k.heading by p when k.side is p or k.up\n\
    var n: 0..9 = 0\nvar war: Bool = false\n\
    action head(k: Band, to: Town) by k.side where k.side is A hidden until k.up log \"{k} to {to}\" { k.heading := to }\n\
    may head \"yes\" when k.heading is none\n\
    procedure plan(p: Player, limit: 0..3) {\n  \
    p chooses number m from 0..limit hidden until war or m is 3 log \"plans {m}\"\n  \
    C may \"waits\" else \"sleeps\" { n := 2 }\n}\n\
    procedure play { step x {\n  A chooses an action among head\n  A chooses an action among head\n  \
    B chooses k from Band log \"turns up {k}\"\n  k.up := true\n  C may \"asks\" else \"trusts\" { n := 1 }\n  \
    k.up := false\n  plan(B, 3)\n  C may \"war\" else \"peace\" { war := true }\n  \
    A may \"goes\" else \"stays\" { n := 3 }\n  C may \"ends\" else \"goes on\" { n := 3 }\n  n := 9\n} }\nends draw \"x\" when n is 9\n";

/// At one terminal, each is told what came to light since it was its turn.
#[cfg(feature = "cli")]
#[test]
fn who_comes_back_to_the_terminal_is_told_what_came_to_light() {
    use crate::common::session;
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(dir.path().join("bands")).expect("a folder");
    std::fs::write(dir.path().join("bands/game.law"), BANDS).expect("a file");
    let play = session::program(dir.path(), &["play", "bands", "--seed", "1", "--record", "out.record"]);
    let lines = ["", "X to Bree", "Y to Bree", "", "turns up Y", "", "asks", "", "plans 0", "", "waits", "war"];
    let typed: String = lines.iter().chain(&["", "goes", "", "ends"]).map(|line| format!("{line}\n")).collect();
    let output = session::typed(play, &typed);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let turns: Vec<&str> = text.split("Hand over to C").collect();
    assert_eq!(turns.len(), 4, "{text}");
    assert!(turns[1].contains("2. A: it was Y to Bree") && !turns[1].contains("X to"), "{text}");
    assert!(turns[2].contains("5. B: (a secret choice)"), "{text}");
    assert!(turns[3].contains("5. B: it was plans 0") && !turns[3].contains("X to"), "{text}");
}

#[test]
fn what_is_hidden_until_something_is_told_then() {
    let mut game = played(BANDS, &["X to Bree", "Y to Moria"]);
    assert_eq!([1, 2].map(|seat| game.told(seat, 0)), ["(secret)", "(secret)"]);
    assert_eq!(game.told(0, 0), "X to Bree");
    assert_eq!([0, 1, 2].map(|seat| game.not_told(seat)), [vec![], vec![0, 1], vec![0, 1]]);
    game.play("turns up Y");
    assert_eq!([game.later(1, 0), game.later(1, 1)], ["(secret)", "Y to Moria"]);
    assert_eq!(game.not_told(2), [0]);
    // What was told stays so, though the band is turned down again.
    game.play("trusts");
    assert_eq!(game.not_told(1), [0]);
}

#[test]
fn a_hidden_number_is_told_when_its_condition_holds_and_the_procedure_is_over() {
    let mut game = played(BANDS, &["X to Bree", "Y to Moria", "turns up Z", "asks"]);
    let mut other = played(BANDS, &["X to Bree", "Y to Moria", "turns up Z", "asks"]);
    game.play("plans 1");
    other.play("plans 2");
    assert_eq!([0, 2].map(|seat| game.told(seat, 4)), ["(secret)", "(secret)"]);
    for seat in [0, 2] {
        assert_eq!(game.rules.view(&game.now, seat), other.rules.view(&other.now, seat), "seat {seat}");
    }
    assert_ne!(game.rules.view(&game.now, 1), other.rules.view(&other.now, 1));
    game.play("waits");
    assert_eq!(game.not_told(2), [0, 1, 4]);
    game.play("war");
    assert_eq!([game.later(0, 4), game.later(2, 4)], ["plans 1", "plans 1"]);
    assert_eq!(game.not_told(2), [0, 1]);
    // The condition may ask what was chosen.
    let open = played(BANDS, &["X to Bree", "Y to Moria", "turns up Z", "asks", "plans 3"]);
    assert_eq!(open.told(0, 4), "plans 3");
}

#[test]
fn what_follows_a_secret_choice_is_not_seen_before_the_others_have_chosen() {
    let text = "game laid \"Laid\"\nplayers A, B, C\nkind Card members One, Two, Three, Four\n\
        pile hand[p: Player] of Card\nseen hand[q] by p when q is p\nvar laid[Player]: Card?\nvar n: 0..9 = 0\n\
        procedure play { step s {\n  put One into hand[A] put Two into hand[A] put Three into hand[B] put Four into hand[B]\n  \
        secretly {\n    A may choose a from hand[A] log \"lays {a}\" else \"lays nothing\" { laid[A] := a  n += 1 }\n    \
        B may choose b from hand[B] log \"lays {b}\" else \"lays nothing\" { laid[B] := b }\n    \
        C may \"bets\" else \"keeps\" { n += 2 }\n  }\n  \
        when a is One { n += 4 }\n  C may \"ends\" else \"goes\" { n := 8 }\n} n := 9 }\nends draw \"x\" when n is 9\n";
    let (mut one, mut two) = (played(text, &["lays One"]), played(text, &["lays Two"]));
    let mut none = played(text, &["lays nothing"]);
    let same = |one: &Played, two: &Played, seat: u16| one.rules.view(&one.now, seat) == two.rules.view(&two.now, seat);
    assert!([1, 2].iter().all(|seat| same(&one, &two, *seat) && same(&one, &none, *seat)));
    assert_eq!(one.told(1, 0), none.told(1, 0));
    for game in [&mut one, &mut two, &mut none] {
        game.play("lays Four");
    }
    assert!(same(&one, &two, 2) && same(&one, &none, 2) && !same(&one, &none, 0));
    for game in [&mut one, &mut two, &mut none] {
        game.play("bets");
    }
    let n = |game: &Played| {
        let var = game.rules.model().vars.iter().position(|v| v.name == "n").expect("n");
        game.now.read(game.rules.model(), lawspeaker::model::VarId(var as u16), 0).int()
    };
    assert_eq!([n(&one), n(&two), n(&none)], [Some(7), Some(3), Some(2)]);
    assert!(!same(&one, &two, 2));
}

/// A bot that takes the first option takes one of those that its seat cannot tell apart by lot.
#[cfg(feature = "cli")]
#[test]
fn a_bot_chooses_among_what_its_seat_sees() {
    use crate::common::session;
    let text = "game pieces \"Pieces\"\nplayers A, B\nkind Piece owned by side { side: Player  var at: 0..9 = 0 }\n\
        Piece P1, P2, P3 { side B }\nseen Piece c by p when c.side is p\n\
        procedure play { step s { A chooses x from { c in Piece where c.side is B } log \"takes {x}\"\n  x.at := 9 } }\n\
        ends draw \"x\" when some c in Piece: c.at is 9\n";
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(dir.path().join("pieces")).expect("a folder");
    std::fs::write(dir.path().join("pieces/game.law"), text).expect("a file");
    let mut taken = std::collections::BTreeSet::new();
    for seed in 1..=12 {
        let (seed, file) = (seed.to_string(), format!("{seed}.record"));
        let args = ["play", "pieces", "--seats", "first", "--seed", &seed, "--record", &file];
        let output = session::typed(session::program(dir.path(), &args), "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let record = std::fs::read_to_string(dir.path().join(&file)).expect("a record");
        taken.extend(["P1", "P2", "P3"].into_iter().filter(|p| record.contains(&format!("takes {p}"))));
    }
    assert_eq!(taken.len(), 3, "{taken:?}");
}
