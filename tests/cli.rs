//! The commands as a person meets them: what they print and what they answer, on a small game.

use crate::common::files::root;
use crate::common::session::{Session, has, utf8};

#[test]
fn a_new_game_is_without_faults_and_its_rulings_hold() {
    let session = Session::with_nim();
    has(&session.says(0, &["check", "nim"]), &["nim: 2 files", "no faults"]);
    has(&session.says(0, &["check", "nim", "--variant", "twice"]), &["no faults"]);
    has(&session.says(0, &["test", "nim"]), &["3 passed, 0 failed"]);
    has(&session.says(0, &["clauses", "nim", "--bare"]), &["0 bare"]);
    has(&session.says(0, &["clauses", "nim"]), &["take.2", "not the same again", "game.law:", "Not the same number"]);
}

#[test]
fn nothing_is_overwritten() {
    let session = Session::with_nim();
    let before = session.read("nim/game.law");
    has(&session.says(2, &["new", "nim"]), &["there already"]);
    assert_eq!(session.read("nim/game.law"), before);
    session.says(0, &["new", "copy", "--from", "nim"]);
    assert_eq!(session.read("copy/game.law"), before.replace("game nim ", "game copy "));
}

#[test]
fn faults_are_shown_with_their_place_and_as_data() {
    let session = Session::with_nim();
    session.change("nim/game.law", "when n is last", "when n is lost");
    has(&session.says(1, &["check", "nim"]), &["lost", "game.law", "1 error"]);
    let json: serde_json::Value = serde_json::from_str(&session.says(1, &["check", "nim", "--json"])).unwrap();
    assert_eq!(json["ok"], false);
    assert_eq!(json["diagnostics"][0]["labels"][0]["file"], "nim/game.law");
    has(&session.says(2, &["play", "nim"]), &["have errors"]);
}

#[test]
fn what_cannot_be_used_is_refused_with_advice() {
    let session = Session::with_nim();
    has(&session.says(2, &["check", "confrontatoin"]), &["no game", "help"]);
    has(&session.says(2, &["check", "nim/game.law"]), &["is a file", "name its folder: nim"]);
    has(&session.says(2, &["ask", "nim", "--at", "gone.position"]), &["cannot read", "gone.position"]);
    session.write("nim/odd.law", b"// \xff\xfe\n");
    has(&session.says(2, &["check", "nim"]), &["not UTF-8", "line 1"]);
    has(&session.says(2, &["checkk"]), &["check"]);
}

#[test]
fn a_game_is_played_taken_back_kept_and_gone_on_with() {
    let session = Session::with_nim();
    let args = ["play", "nim", "--seats", "Second=random", "--seed", "5", "--record", "g.record"];
    let prompt = session.answers(0, "take 2\n? take 9\n? 99\ntakee 1\nundo\n3\nquit\n", &args);
    has(
        &prompt,
        &["First decides:", "1. First: take 2", "did you mean", "taken back", "1. First: take 3", "--resume g.record"],
    );
    let record = session.read("g.record");
    has(&record, &["record nim", "seed 5", "1. First: take 3 ; 3 ", "2. Second: take"]);
    assert!(!record.contains("take 9"));
    let more = ["play", "nim", "--seats", "Second=random", "--resume", "g.record"];
    let prompt = session.answers(0, &"1\n".repeat(20), &more);
    has(&prompt, &["wins"]);
    let whole = session.read("g.record");
    assert!(whole.starts_with(record.trim_end()), "{whole}");
    has(&whole, &["result "]);
    has(&session.says(0, &["replay", "g.record", "--game", "nim", "--explain"]), &["legal", "take.1"]);
}

#[test]
fn random_games_are_held_to_what_is_never_so() {
    let session = Session::with_nim();
    has(&session.says(0, &["random", "nim", "--games", "20"]), &["20 games"]);
    let rules = session.read("nim/game.law");
    session.write("nim/game.law", format!("{rules}\nnever \"a low heap\" when heap < 4\n"));
    let said = session.says(1, &["random", "nim", "--games", "20"]);
    has(&said, &["never \"a low heap\" is broken, at ", "game.law:", "20 games, 10 faults"]);
    session.says(0, &["random", "nim", "--games", "20", "--checked", "0"]);
    session.write("nim/game.law", format!("{rules}\nnever \"a full heap\" when heap > 0\n"));
    has(&session.says(1, &["random", "nim", "--games", "2"]), &["after ply 0: never \"a full heap\" is broken"]);
}

#[test]
fn what_is_asked_at_other_moments_can_be_asked_about() {
    let session = Session::with_nim();
    let record = "record confrontation\ngiven\n  Merry at Moria   Frodo at Shire   Warg at Fangorn   Saruman at Mordor\n  \
        Good to move\n1. Good: Merry to Fangorn\n";
    session.write("g.record", record);
    let said = session.says(1, &["ask", "confrontation", "--at", "g.record", "--seat", "Good", "Merry strikes"]);
    has(
        &said,
        &[
            "Good: Merry strikes: illegal, it is not asked for now",
            "not asked for by: at battle.powers [char.merry.2]",
            "fails: in_battle(WitchKing)",
            "it is asked for at battle.powers [battle.reveal.10]",
            "it is Dark's decision",
        ],
    );
    assert!(!said.contains("combinations"), "{said}");
    let would = session.says(1, &["ask", "confrontation", "--at", "g.record", "--would", "Frodo to Arthedain"]);
    has(&would, &["it is not asked for now", "no change of the position was looked for"]);
    // What is over is named as it was written.
    let over = std::fs::read_to_string(root().join("rules/confrontation/records/13-by-the-river.record")).unwrap();
    session.write("over.record", over);
    let said = session.says(1, &["ask", "confrontation", "--at", "over.record", "--seat", "Good", "Sam steps in"]);
    has(&said, &["Good: Sam steps in: illegal, the game is over"]);
    session.says(2, &["ask", "confrontation", "--at", "g.record", "Merry stirkes"]);
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let session = Session::with_nim();
    let bots = ["play", "nim", "--seats", "First=random", "--seats", "Second=random", "--seed", "8", "--record"];
    for file in ["a.record", "b.record"] {
        session.says(0, &[&bots[..], &[file]].concat());
    }
    assert_eq!(session.read("a.record"), session.read("b.record"));
    let once = session.says(0, &["random", "nim", "--games", "30", "--seed", "4", "--replay", "--json"]);
    assert_eq!(once, session.says(0, &["random", "nim", "--games", "30", "--seed", "4", "--replay", "--json"]));
}

#[test]
fn a_ruling_is_given_with_its_clause() {
    let session = Session::with_nim();
    session.write("p.position", "given nim\n  heap: 5   last: 2   First to move\n");
    let ask = |code, action: &str| session.says(code, &["ask", "nim", "--at", "p.position", action]);
    has(&ask(0, "take 1"), &["legal", "take.1"]);
    has(&ask(1, "take 2"), &["illegal", "not the same again", "take.2"]);
    has(&ask(2, "tak 2"), &["did you mean"]);
    has(&session.says(0, &["ask", "nim", "--at", "p.position"]), &["First decides:", "1  take 1", "2  take 3"]);
    let other = session.says(1, &["ask", "nim", "--at", "p.position", "take 1", "--seat", "Second"]);
    has(&other, &["First's decision"]);
    session.write("bad.position", "given nim\n  heep: 5\n  First to move\n");
    has(&session.says(2, &["ask", "nim", "--at", "bad.position"]), &["bad.position:2"]);
}

#[test]
fn a_replay_stops_at_the_first_illegal_ply() {
    let session = Session::with_nim();
    std::fs::create_dir(session.path("nim/records")).unwrap();
    session.write("nim/records/1.record", "record nim\n\n1. First: take 3\n2. Second: take 2\n");
    session.write("nim/records/2.record", "record nim\n\n1. First: take 3\n2. Second: take 3\n3. First: take 1\n");
    let both = session.says(1, &["replay", "nim/records"]);
    has(
        &both,
        &[
            "legal nim/records/1.record",
            "nim/records/2.record:4: ply 2",
            "not the same again",
            "1 legal throughout, 1 not",
        ],
    );
    let first = both.find("1.record").unwrap();
    assert!(first < both.find("2.record").unwrap());
    has(&session.says(0, &["replay", "nim/records/2.record", "--to", "1"]), &["1 ply,", "not over"]);
    session.says(0, &["replay", "nim/records/1.record", "--save", "after.position"]);
    has(&session.says(1, &["ask", "nim", "--at", "after.position", "take 2"]), &["First: take 2: illegal"]);
    has(&session.says(0, &["ask", "nim", "--at", "nim/records/1.record", "--ply", "2"]), &["Second decides:"]);
}

#[test]
fn a_failing_case_shows_what_came_instead() {
    let session = Session::with_nim();
    session.change("nim/cases/rulings.md", "illegal \"take 2\"", "legal \"take 2\"");
    has(&session.says(1, &["test", "nim"]), &["failed", "rulings.md:", "Not the same number again", "1 failed"]);
    session.says(1, &["test", "nim/cases/rulings.md", "--json"]);
}

#[test]
fn a_fault_of_the_rules_is_said_once_for_all_cases() {
    let session = Session::with_nim();
    let rules = std::fs::read_dir(session.path("nim")).unwrap().flatten().map(|e| e.path());
    let rules = rules.into_iter().find(|p| p.extension().is_some_and(|e| e == "law")).unwrap();
    let text = std::fs::read_to_string(&rules).unwrap();
    std::fs::write(&rules, text + "\ndefine broken() -> Int = nowhere_to_be_found\n").unwrap();
    let said = session.says(1, &["test", "nim"]);
    assert_eq!(said.matches("nowhere_to_be_found").count(), 1, "{said}");
    has(&said, &[" more\n", "0 passed"]);
}

#[test]
fn a_shipped_game_is_known_by_the_last_part_of_its_name() {
    let session = Session::with_nim();
    session.write("a.record", "record chess\n\n1. White: e2-e4\n");
    has(&session.says(0, &["replay", "a.record"]), &["1 ply, all legal"]);
    session.write("a.md", "```case\ncase \"a\"\ngiven tic_tac_toe from the start\nthen\n  holds 1 == 1\n```\n");
    has(&session.says(0, &["test", "a.md"]), &["1 passed"]);
    has(&session.says(0, &["check", "hex"]), &["classics/hex"]);
}

#[test]
fn help_has_an_example() {
    let session = Session::with_nim();
    for command in ["check", "play", "ask", "test", "replay", "clauses", "new", "random", "games"] {
        has(&session.says(0, &[command, "--help"]), &["Example", &format!("lawspeaker {command}")]);
    }
}

#[test]
fn a_closed_pipe_is_no_fault() {
    let session = Session::with_nim();
    let mut child = session.command(&["clauses", "nim"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(utf8(&output.stderr), "");
}

/// Of a place with one field that holds a member, the picture shows the member alone.
#[test]
fn the_picture_shows_what_stands_on_a_place() {
    let session = Session::with_nim();
    session.write("o.record", "record tic_tac_toe\n1. X: B2\n2. O: A1\n");
    let text = session.says(0, &["replay", "o.record", "--game", "classics/tic-tac-toe", "--board"]);
    assert!(text.contains("│A1 │B1 │C1 │\n│O  │   │   │"), "{text}");
    assert!(text.contains("│   │X  │   │"), "{text}");
}

#[test]
fn a_table_of_counts_is_held_against_the_rules() {
    let session = Session::with_nim();
    has(&session.says(2, &["perft", "nim", "--table"]), &["nim has no table of counts", "perft.tsv"]);
    std::fs::create_dir(session.path("nim/positions")).unwrap();
    session.write("nim/positions/three.position", "given nim\n  heap: 3\n  First to move\n");
    session.write("nim/perft.tsv", "position\tdepth\tpositions\nstart\t1\t3\nthree\t1\t3\nthree\t2\t8\nstart\t5\t99\n");
    let said = session.says(1, &["perft", "nim", "--table", "--limit", "98"]);
    has(
        &said,
        &["ok      start, depth 1: 3\n", "ok      three, depth 1: 3\n", "nim: 4 counts, 1 different, 1 left out"],
    );
    has(&said, &["differs three, depth 2: ", " counted, 8 in the table"]);
    session.change("nim/perft.tsv", "three\t2\t8\nstart\t5\t99\n", "");
    has(&session.says(0, &["perft", "nim", "--table"]), &["nim: 2 counts, 0 different\n"]);
    has(&session.says(0, &["perft", "nim", "--table", "--json"]), &["\"ok\": true", "\"counted\": 3"]);
    session.change("nim/perft.tsv", "three\t1", "four\t1");
    has(&session.says(2, &["perft", "nim", "--table"]), &["nim/perft.tsv:3: there is no positions/four.position"]);
    session.change("nim/perft.tsv", "four\t1", "four\tone");
    has(&session.says(2, &["perft", "nim", "--table"]), &["nim/perft.tsv:3:6: `one` is not a depth: write a number"]);
}

#[test]
fn many_games_come_out_the_same_on_any_number_of_threads() {
    let session = Session::with_nim();
    let play = |args: &[&str]| session.says(0, &[&["simulate", "nim", "--games", "60", "--seed", "5"], args].concat());
    let said = play(&["--threads", "1"]);
    has(&said, &["  First\n", "  Second\n", "by ending:", "plies: "]);
    assert_eq!(said, play(&["--threads", "4", "--seats", "First=random", "--seats", "Second=random"]));
    assert_eq!(said, play(&["--seats", "random"]));
    assert_ne!(said, session.says(0, &["simulate", "nim", "--games", "60", "--seed", "6"]));
    let first = play(&["--threads", "2", "--seats", "First=first"]);
    assert_eq!(first, play(&["--threads", "1", "--seats", "First=first"]));
    assert_ne!(first, said);
    assert_eq!(first, play(&["--seats", "First=first", "--seats", "random"]));
    has(&play(&["--json"]), &["\"bot\": \"random\"", "\"seat\": \"First\"", "\"games\": 60"]);
    has(
        &session.says(2, &["simulate", "nim", "--seats", "First=clever"]),
        &["there is no bot `clever`", "the bots are: random, first, greedy, mcts"],
    );
    has(
        &session.says(2, &["simulate", "nim", "--seats", "Frist=random"]),
        &["no seat is called Frist", "did you mean First?"],
    );
}

#[test]
fn play_tells_a_variable_whose_value_is_called_no() {
    let session = Session::with_nim();
    session.write("twins.law", include_str!("words/twins.law"));
    std::fs::create_dir(session.path("twins")).unwrap();
    std::fs::rename(session.path("twins.law"), session.path("twins/game.law")).unwrap();
    let text = session.answers(0, "quit\n", &["play", "twins", "--seed", "1", "--record", "t.record"]);
    has(&text, &["leader: no", "n: 1"]);
    assert!(!text.contains("crowned"), "{text}");
}

#[test]
fn settings_drawn_by_chance_can_be_read_again() {
    let session = Session::with_nim();
    let rules = session.read("nim/game.law");
    let kind =
        "\nkind Hall members Small \"the small hall\", Great \"the great hall\"\noption hall: Hall = Small \"Where\"\n";
    session.write("nim/game.law", &(rules + kind));
    has(&session.says(0, &["random", "nim", "--vary", "--games", "10", "--replay"]), &["10 games", "replayed"]);
}

#[test]
fn games_by_chance_begin_at_a_position() {
    let session = Session::with_nim();
    session.write("p.position", "given nim\n  heap: 1   last: 2   First to move\n");
    has(&session.says(0, &["simulate", "nim", "--at", "p.position", "--games", "20"]), &["plies: 1 to 1"]);
    has(&session.says(0, &["random", "nim", "--at", "p.position", "--games", "20", "--replay"]), &["replayed"]);
    let both = ["random", "nim", "--at", "p.position", "--vary"];
    has(&session.says(2, &both), &["--vary", "cannot be used with"]);

    // A game that is over has nothing to play.
    let over = "given nim\n  heap: 1   last: 2   First to move\nwhen\n  First: take 1\n";
    session.write("over.position", over);
    for command in ["random", "simulate"] {
        has(&session.says(2, &[command, "nim", "--at", "over.position"]), &["the game is over at this position"]);
    }

    // A record of a fault begins where the games began, or what led there.
    let rules = session.read("nim/game.law");
    session.write("nim/game.law", format!("{rules}\nnever \"a low heap\" when heap < 4\n"));
    session.write("b.position", "given nim\n  heap: 9   last: 2   First to move\nwhen\n  First: take 1\n");
    let said = session.says(1, &["random", "nim", "--at", "b.position", "--games", "3", "--keep", "kept"]);
    has(&said, &["3 games, 3 faults"]);
    let kept = std::fs::read_dir(session.path("kept")).unwrap().next().unwrap().unwrap().path();
    let record = std::fs::read_to_string(&kept).unwrap();
    has(&record, &["heap: 9", "1. First: take 1"]);
    has(&session.says(0, &["replay", kept.to_str().unwrap(), "--game", "nim"]), &["legal"]);
}

#[test]
fn help_in_play_shows_an_option_of_this_game() {
    let session = Session::with_nim();
    let play = ["play", "classics/chess", "--seed", "1", "--record", "t.record"];
    let text = session.answers(0, "help\nquit\n", &play);
    has(&text, &["\n  12            the option of that number", "\n  Nb1-a3        an option in the game's own words"]);
    // One that is longer than the column stands on its own line.
    let long = session.answers(0, "help\nquit\n", &["play", "miniatures", "--seed", "1", "--record", "u.record"]);
    has(&long, &["\n  enlists Aragorn, Ranger\n                an option in the game's own words"]);
}

#[test]
fn a_question_in_play_takes_numbers_and_parts_of_names() {
    let session = Session::with_nim();
    let play = ["play", "war-of-the-ring", "--seats", "shadow=random", "--seed", "5", "--record", "t.record"];
    let text = session.answers(0, "? 1\n? Gandalf\n? Minas Tirith\nhand\nquit\n", &play);
    has(&text, &["\"Gandalf the Grey\" or \"Gandalf the White\"", "now: 3 Gondor regular + Gondor elite"]);
    has(&text, &["last known: Rivendell"]);
    for internal in ["(Tile)", "early", "relentless", "card_dice", "waiting_tiles"] {
        assert!(!text.contains(internal), "{internal}: {text}");
    }
    // Spaces and capitals make no difference in the names of seats.
    let free = ["play", "war-of-the-ring", "--seats", "FreePeoples=random", "--record", "u.record"];
    has(&session.answers(0, "quit\n", &free), &["Shadow"]);
}

#[test]
fn a_question_in_play_shows_all_that_is_called_so_and_what_belongs_to_it() {
    let session = Session::with_nim();
    let play = ["play", "middle-earth-ccg", "--seats", "Saruman=random", "--seed", "5", "--record", "t.record"];
    let text = session.answers(0, "? Carn Dûm\n? Gandalf\nquit\n", &play);
    has(&text, &["Carn Dûm (site)", "items minor, major and greater", "Gandalf (player)", "Gandalf (card)"]);
    has(&text, &["automatic attack: race Orcs, strikes 4, prowess 7"]);
    for unsaid in ["attacks 1", "(Print)", "it is not asked for now", "others have nothing to show"] {
        assert!(!text.contains(unsaid), "{unsaid}: {text}");
    }
}

#[test]
fn points_of_both_sides_are_told() {
    let session = Session::with_nim();
    let whole = root().join("rules/middle-earth-ccg/records/08-tuned-against-tuned.record");
    let whole = std::fs::read_to_string(whole).unwrap();
    let begun: Vec<&str> = whole.lines().take(420).collect();
    std::fs::write(session.path("begun.record"), begun.join("\n") + "\n").unwrap();
    let args = ["play", "middle-earth-ccg", "--resume", "begun.record", "--record", "t.record"];
    let text = session.answers(0, "\n? Gandalf\n?? Gandalf\nquit\n", &args);
    has(
        &text,
        &["Gandalf: points 5, influence left", "Saruman: points 6, influence left", "hand of Saruman: 8 unseen"],
    );
    // Who asks for all is told of the action of that name as well.
    assert_eq!(text.matches("there is no such action now").count(), 1, "{text}");
}

#[test]
fn what_becomes_of_copies_is_told_by_the_names_they_share() {
    let session = Session::with_nim();
    let won = "given middle_earth_ccg\n  G1 print Théoden   G2 print Haldir   table: G1, G2   \
        G1, G2 company Gandalf's company   Gandalf's company at Cameth Brin   G3 print Hillmen   hand of Gandalf: G3\n  \
        turn_of of Gandalf: 3   Gandalf to explore";
    let play = ["play", "middle-earth-ccg", "--seed", "3", "--record", "t.record", "--force", "--at", won];
    let text = session.answers(0, "\n1\n1\n1\n\nquit\n", &play);
    has(&text, &["Théoden now: tapped", "chance: Gandalf rolls 5", "play: with Hillmen", "in play: G3 Hillmen"]);
    for unsaid in ["G1 now", "without G3", "off the board"] {
        assert!(!text.contains(unsaid), "{unsaid}: {text}");
    }
    // The sum is told once, though two clauses follow from it.
    assert_eq!(text.matches("appeal(Théoden, Hillmen)").count(), 1, "{text}");
}

#[test]
fn a_card_that_lay_open_on_the_way_is_told() {
    let session = Session::with_nim();
    let played = "given middle_earth_ccg\n  G1 print Elrohir   G2 print Haldir   table: G1, G2   \
        G1, G2 company Gandalf's company   Gandalf's company at Moria   S1 print River   S2 print Call of Home\n  \
        hand of Saruman: S1, S2   Gandalf to move";
    let play = ["play", "middle-earth-ccg", "--seed", "3", "--record", "t.record", "--force", "--at", played];
    let text = session.answers(0, "\n1\n\nCall of Home on Elrohir\n\nquit\n", &play);
    has(&text, &["Saruman: Call of Home on Elrohir", "discard pile of Saruman (1): a card of Saruman"]);
}

#[test]
fn when_a_game_is_over_all_is_told() {
    let session = Session::with_nim();
    let record = root().join("rules/middle-earth-ccg/records/08-tuned-against-tuned.record");
    let args = ["play", "middle-earth-ccg", "--resume", record.to_str().unwrap(), "--record", "t.record"];
    let text = session.answers(0, "", &args);
    has(&text, &["Gandalf: points 9", "Saruman: points 14", "discard pile of Saruman (39): "]);
    assert!(!text.contains("off the board: S4"), "{text}");
}

#[test]
fn only_seats_that_play_are_handed_over_to() {
    let session = Session::with_nim();
    let alone = ["play", "riddle", "--with", "hobbits=1", "--with", "riders=1", "--seats", "BlackRider1=random"];
    let text = session.answers(0, "quit\n", &alone);
    assert!(!text.contains("Hand over"), "{text}");
    has(&session.answers(0, "\nquit\n", &["play", "confrontation"]), &["Hand over"]);
}

#[test]
fn play_is_in_the_language_asked_for() {
    let session = Session::with_nim();
    std::fs::create_dir(session.path("cards")).unwrap();
    session.write("cards/game.law", include_str!("words/cards.law"));
    let play = ["play", "cards", "--seed", "1", "--record", "t.record", "--force", "--lang"];
    let text = session.answers(0, "\nhelp\nundo\nnonsense\n1\n\n?? waits\nquit\n", &[&play[..], &["ja"]].concat());
    has(&text, &["記録：t.record", "Annに画面を渡して", "Annの決定：", "その番号の選択肢", "取り消せる自分の手がない"]);
    has(
        &text,
        &[
            "ここに「nonsense」と書くものはない",
            "Bobに画面を渡して",
            "許可 wait「always」（原文）",
            "ゲームは t.record に残る",
        ],
    );
    for english in ["decides", "Hand over", "unseen", "nothing is written", "take back", "legal", "permitted"] {
        assert!(!text.contains(english), "{english} in:\n{text}");
    }
}

#[test]
fn a_language_that_there_is_not_is_refused() {
    let session = Session::with_nim();
    session.write("p.position", "given nim\n  heap: 5   last: 2   First to move\n");
    session.write("r.record", "record nim\n\n1. First: take 3\n");
    for args in [
        &["play", "nim"][..],
        &["ask", "nim", "--at", "p.position"],
        &["replay", "r.record", "--game", "nim"],
        &["odds", "nim", "wins First"],
        &["exceptions", "nim", "take"],
    ] {
        let text = session.says(2, &[args, &["--lang", "xx"]].concat());
        has(&text, &["there is no language `xx`", "the languages are en, ja"]);
    }
}
