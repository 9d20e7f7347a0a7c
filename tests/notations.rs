//! Notations of positions and of whole games: read as they were written, and written as they were read.

use lawspeaker::facts::{FactFault, Scene, Settings, read_noted, write_noted};
use lawspeaker::game::{Evaluator, Position, Status};
use lawspeaker::lexicon;
use lawspeaker::notation::{self, Unread};
use lawspeaker::players::{Dice, derived};
use lawspeaker::record::{self, Frame, ReplayEnd};
use lawspeaker::rules::Rules;

use crate::common::files::root;
use crate::common::session::{Session, has};

/// A game with three boards: of letters, of counts by two sides, and of lights.
const MEN: &str = r#"game men "Men"
players White, Black
kind Point owned by side { side: Player  pips: 1..3  across: Point?  var men: 0..3 = 0 }
Point W1 { side White  pips 1  across B3 }
Point W2 { side White  pips 2  across B2 }
Point W3 { side White  pips 3  across B1 }
Point B1 { side Black  pips 1  across W3 }
Point B2 { side Black  pips 2  across W2 }
Point B3 { side Black  pips 3  across W1 }
kind Lamp { letter: Text }
Lamp Near { letter "n" }
Lamp Far { letter "f" }
var lit: set of Lamp = { Near }
var best: Lamp?
var turns: 0..99 = 0
procedure play {
  step turns { while turns < 9 { White chooses an action among go } }
}
action go by White log "go" { turns += 1 }
may go "on"
ends draw "nine" when turns is 9
entry "White to go in {n}" (n: Lamp) at play.turns { best := n }
notation points "Points" at play.turns {
  rows x in Point where x.side is White by pips {
    x.men { 1 "A"  2 "B"  3 "C" } or x.across.men { 1 "a"  2 "b"  3 "c" } else "-"
  }
  ":"
  each l in Lamp when l in lit { "{l.letter}" else "0" }
  ":{n.letter}"
  ":{turns}"
}
"#;

fn given(rules: &Rules, notation: &str, text: &str) -> Result<Position, Vec<FactFault>> {
    Scene::parse(&format!("given {}\n  {notation} {text}\n", rules.model().name))?.position(rules.explainer())
}

#[test]
fn counts_of_two_sides_and_lights_are_written_as_they_are_read() {
    let rules = Rules::from_text(MEN).unwrap();
    let notation = rules.model().notation("points").unwrap();
    for text in ["Ab-:n:f:0", "---:0:n:8", "CCC:nf:n:3"] {
        let position = given(&rules, "points", text).unwrap_or_else(|f| panic!("{text}: {f:?}"));
        assert_eq!(write_noted(rules.explainer(), notation, &position, 1).as_deref(), Some(text));
    }
    let read = read_noted(rules.explainer(), notation, "aB-:fn:n").unwrap();
    assert_eq!(read.facts, "lit: Near, Far\nW2 men 2\nB3 men 1\nWhite to go in Near");
    for (text, column, message) in [
        ("Ax-:n:f", 2, "expected `A`, `B` or `C` or `a`, `b` or `c` or `-` for W2, not `x-:n:f`"),
        ("Ab-n:f", 4, "expected `:`, not `n:f`"),
        ("Ab-::f", 5, "expected `n` or `f` or `0`, not `:f`"),
        ("Ab-:n:x", 7, "expected `n` or `f`, not `x`"),
        ("Ab-:n", 6, "expected `:`, not the end"),
        ("Ab-:n:f:100", 9, "expected a number from 0 to 99, not `100`"),
        ("Ab-:n:f:9 9", 10, "expected the end, not a space"),
    ] {
        let fault = read_noted(rules.explainer(), notation, text).unwrap_err();
        assert_eq!((fault.column, fault.message.as_str()), (column, message), "{text}");
    }
}

#[test]
fn positions_of_chess_are_read_back_from_their_notation() {
    let rules = Rules::open("chess").unwrap();
    let (explainer, engine) = (rules.explainer(), rules.evaluators());
    let notation = rules.model().notation("fen").unwrap();
    for game in 0..3 {
        let mut dice = Dice::new(derived(7, game));
        let mut position = rules.start().unwrap();
        for ply in 0..60 {
            if !matches!(engine.status(&position).unwrap(), Status::Decision(_)) {
                break;
            }
            if ply % 6 == 5 {
                let text = write_noted(explainer, notation, &position, 30).unwrap();
                let again = given(&rules, "fen", &text).unwrap_or_else(|f| panic!("{text}: {f:?}"));
                assert_eq!(engine.options(&again).unwrap(), engine.options(&position).unwrap(), "{text}");
                assert_eq!(write_noted(explainer, notation, &again, 30), Some(text));
            }
            let options = engine.options(&position).unwrap();
            let choice = options[dice.below(options.len())];
            engine.apply(&mut position, choice).unwrap();
        }
    }
    let start = write_noted(explainer, notation, &rules.start().unwrap(), 1).unwrap();
    assert_eq!(start, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
}

#[test]
fn every_option_is_read_in_every_style_and_language() {
    for (game, plies) in [("chess", 60), ("backgammon", 20), ("confrontation", 30)] {
        let rules = Rules::open(game).unwrap();
        let (referee, languages) = (rules.explainer(), lexicon::languages(rules.model()));
        let mut dice = Dice::new(5);
        let mut position = rules.start().unwrap();
        for ply in 0..plies {
            let options = rules.options(&position).unwrap();
            let Some(made) = options.get(dice.below(options.len())) else { break };
            for choice in options.iter().filter(|_| ply % 7 == 0) {
                for lang in &languages {
                    let text = referee.say(&position, *choice, lang);
                    match notation::read(referee, &position, &text) {
                        Ok(read) => assert_eq!(referee.say(&position, read, lang), text, "{game}, {lang}"),
                        Err(Unread::Ambiguous(..)) => {}
                        Err(unread) => panic!("{game}, {lang}: {text}: {unread}"),
                    }
                }
            }
            rules.apply(&mut position, *made).unwrap();
        }
    }
    // A sign of check and capital letters may be left out.
    let rules = Rules::open("chess").unwrap();
    let position = given(&rules, "fen", "4k3/8/8/8/8/8/4P3/R3K2R w KQ - 0 1").unwrap();
    for (typed, meant) in [("ra8", "Ra1-a8"), ("Rh8", "Rh1-h8"), ("o-o", "O-O"), ("E4", "e2-e4"), ("e1c1", "O-O-O")] {
        let read = notation::read(rules.explainer(), &position, typed).unwrap();
        assert_eq!(rules.explainer().say(&position, read, ""), meant, "{typed}");
    }
}

#[test]
fn twenty_famous_games_are_replayed_and_written_back_the_same() {
    let file = root().join("rules/classics/chess/transcripts/famous.pgn");
    let text = std::fs::read_to_string(file).unwrap();
    let rules = Rules::open("chess").unwrap();
    let transcript = rules.model().transcript("pgn").unwrap();
    let games = record::games_of(transcript, &text).unwrap();
    assert_eq!(games.len(), 20);
    let mut back = Vec::new();
    let by = || (rules.evaluators() as &dyn Evaluator, rules.explainer());
    for game in &games {
        let record = record::record_of(by(), transcript, game, &Settings::default()).unwrap();
        let replay = rules.replay(&record);
        assert!(matches!(replay.end, ReplayEnd::Complete(_)), "{}", replay.words(rules.explainer(), ""));
        assert_eq!(replay.plies.len(), game.moves.len());
        let choices: Vec<_> = replay.plies.iter().map(|p| p.choice).collect();
        let frame = Frame { tags: game.tags.clone(), result: game.result.as_ref().map(|(r, _)| r.clone()) };
        let from = (&record, replay.beginning.as_ref().unwrap());
        back.push(record::transcribe(by(), transcript, from, &choices, Some(&frame)).unwrap());
    }
    assert_eq!(back.join("\n"), text);
}

#[test]
fn comments_variations_and_signs_are_passed_over() {
    let text = "% exported\n[White \"A \\\"B\\\" C\"] [Result \"*\"]\n\n1.e4! {a move\nof two} e5 $1 (1... c5 {Sicilian} 2. Nf3) \
                ; to the end 2. d4\n2. Nf3?! Nc6 *\n\n[White \"D\"]\n1. d4 1/2-1/2\n";
    assert!(record::is_transcript(text));
    let games = record::read_transcript(text).unwrap();
    let moves: Vec<&str> = games[0].moves.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(moves, ["e4", "e5", "Nf3", "Nc6", "*"]);
    assert_eq!((games.len(), games[0].tag("white")), (2, Some("A \"B\" C")));
    for (text, place) in
        [("[White D]\n", (1, 1)), ("[White \"D\"]\n1. d4 {no end\n", (2, 7)), ("[White \"D\"]\n1. d4 ) d5\n", (2, 7))]
    {
        let fault = record::read_transcript(text).unwrap_err();
        assert_eq!((fault.line, fault.column), place, "{text}: {fault}");
    }
}

#[test]
fn a_transcript_is_replayed_and_written_in_other_forms() {
    let desk = Session::empty();
    let game = "[Event \"Study\"]\n[White \"Ann\"]\n[Result \"0-1\"]\n[SetUp \"1\"]\n\
                [FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 12\"]\n\n12... Kd7 13. e4 Kd6 0-1\n";
    desk.write("study.pgn", game);
    let legal = desk.says(0, &["replay", "study.pgn", "--game", "chess"]);
    has(&legal, &["legal study.pgn", "3 plies"]);
    assert_eq!(desk.says(0, &["replay", "study.pgn", "--game", "chess", "--as", "pgn"]), game);
    let fen = desk.says(0, &["replay", "study.pgn", "--game", "chess", "--as", "fen"]);
    assert_eq!(fen, "8/8/3k4/8/4P3/8/8/4K3 w - - 1 14\n");
    let record = desk.says(0, &["replay", "study.pgn", "--game", "chess", "--as", "record"]);
    has(&record, &["title \"Study\"", "White \"Ann\"", "fen 4k3/8/8/8/8/8/4P3/4K3 b - - 0 12", "1. Black: Ke8-d7"]);
    has(&record, &["result White resigns"]);
    desk.write("study.record", &record);
    desk.says(0, &["replay", "study.record", "--game", "chess"]);
    has(
        &desk.says(0, &["replay", "study.record", "--as", "pgn"]),
        &["[Black \"?\"]", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 12\"]", "12... Kd7 13. e4 Kd6 0-1"],
    );
    has(&desk.says(2, &["replay", "study.pgn"]), &["does not say of which game it is", "--game"]);
    has(&desk.says(2, &["replay", "study.pgn", "--game", "hex"]), &["hex has no transcripts"]);
    has(&desk.says(2, &["replay", "study.pgn", "--game", "chess", "--as", "xyz"]), &["no notation `xyz`", "pgn"]);
    has(&desk.says(2, &["replay", "study.pgn", "--game", "chess", "--number", "2"]), &["has no game 2"]);
    desk.change("study.pgn", "13. e4", "14. e4");
    has(&desk.says(2, &["replay", "study.pgn", "--game", "chess"]), &["this move is number 13, not 14"]);
    desk.change("study.pgn", "14. e4 Kd6", "13. e5 Kd6");
    has(&desk.says(1, &["replay", "study.pgn", "--game", "chess"]), &["e5"]);
}

#[test]
fn what_is_wrong_with_a_move_of_a_transcript_is_told() {
    let desk = Session::empty();
    let replayed = |code: i32, moves: &str| {
        desk.write("one.pgn", format!("{moves}\n"));
        desk.says(code, &["replay", "one.pgn", "--game", "chess"])
    };
    has(&replayed(2, "1. Nf3 d5 2. d3 d4 3. Nd2"), &["`Nd2` may be Nbd2 or Nfd2", "one.pgn:1:23"]);
    has(&replayed(1, "1. f3 e5 2. g4 Qh4# 3. a3 0-1"), &["the game is over before this", "Black wins"]);
    has(&replayed(0, "1. e4 a6 2. e5 d5 3. exd6 e.p. *"), &["5 plies, all legal"]);
    has(&desk.says(2, &["replay", "one.pgn#1", "--game", "chess"]), &["write one.pgn --number 1"]);
}

#[test]
fn a_position_is_given_in_its_notation_wherever_one_is_given() {
    let desk = Session::empty();
    let mate = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1";
    has(&desk.says(0, &["ask", "chess", "Qf7-g7", "--at", mate]), &["Qf7-g7"]);
    has(&desk.says(0, &["perft", "chess", "--depth", "1", "--at", "8/8/8/8/8/4k3/4p3/6K1 b - - 0 1"]), &["10"]);
    let left = desk.answers(0, "quit\n", &["play", "chess", "--plain", "--at", mate, "--record", "mate.record"]);
    has(&left, &["White", "mate.record"]);
    // Of all men that could be meant by a short notation, the one that stands there, also when the game is over.
    let over = desk.says(1, &["ask", "chess", "Kd7", "--at", "R3k3/8/4K3/8/8/8/8/8 b - - 0 1"]);
    has(&over, &["Ke8-d7: illegal, the game is over"]);
    let wrong = desk.says(2, &["ask", "chess", "--at", "7k/5Q2/6K1/8/8/8/8/9 w - - 0 1"]);
    has(&wrong, &["for a1, not `9`", "--at:2:"]);
    let never = desk.says(0, &["ask", "chess", "--at", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]);
    has(&never, &["stalemate"]);
}
