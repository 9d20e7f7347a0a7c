//! What the commands say of texts that are not rules: where a mistake is, what was probably meant, and what is refused
//! because it would be mistaken for a yes.

use crate::common::session::{Session, has};

fn case(body: &str) -> String {
    format!("```case\ncase \"a\"\n{body}```\n")
}

#[test]
fn what_tests_nothing_is_no_success() {
    let session = Session::with_nim();
    let fine = case("given nim\n  heap: 5   First to move\nthen\n  holds heap == 5\n");
    session.write("fine.md", &fine);
    session.says(0, &["test", "fine.md"]);
    session.write("prose.md", "# Nothing\n\nOnly prose.\n");
    session.write("empty.md", "");
    session.write("cases.md", fine.replace("```case", "```cases"));
    session.write("block.md", "```case\n\n```\n");
    session.write("half.md", format!("{fine}{}", fine.replace("```case", "```cases")));
    session.write("a.record", "record nim\n1. First: take 1\n");
    let mut said = String::new();
    for file in ["prose.md", "empty.md", "cases.md", "block.md", "half.md", "a.record", "nim/clauses.tsv", "gone.md"] {
        said += &format!("$ lawspeaker test {file}\n{}\n", session.says(2, &["test", file]));
    }
    insta::assert_snapshot!("what-tests-nothing", said);
    assert_eq!(session.says(2, &["test", "cases.md", "--json"]).matches("\"ok\": false").count(), 1);
}

#[test]
fn cases_show_their_mistakes_in_place() {
    let session = Session::with_nim();
    let body = "given nim\n  heap: 5 last: 2   First to move\nthen\n  First to decide\n";
    let wrong =
        "given nim\n  heap: 5   First to move\nthen\n  holds heap\n  holds active\n  First to decdie\n  heap: 4\n";
    session.write("a.md", format!("{}{}", case(body), case(wrong)));
    insta::assert_snapshot!("cases", session.says(1, &["test", "a.md"]));
    session.write("b.md", case("given nim\n  heap: 5   First to move\nwhne\n  First: take 1\nthen\n  heap: 4\n"));
    insta::assert_snapshot!("cases-unread", session.says(2, &["test", "b.md"]));
}

#[test]
fn records_show_their_mistakes_in_place() {
    let session = Session::with_nim();
    let mut said = String::new();
    for (name, text) in [
        ("a ply left out", "record nim\n1. First: take 1\n3. First: take 2\n4. Second: take 1\n5. First: take 2\n"),
        ("a ply twice", "record nim\n1. First: take 1\n1. Second: take 2\n2. First: take 1\n"),
        ("two plies on a line", "record nim\n1. e4 e5 2. Nf3\n"),
        ("other signs", "record nim\n# by hand\nfoo bar\n1. First: take 1\nresult resign\n"),
    ] {
        session.write("a.record", text);
        said += &format!("{name}:\n{}\n", session.says(2, &["replay", "a.record", "--game", "nim"]));
    }
    insta::assert_snapshot!("records", said);
    session.write("a.record", "record nim\n1. First: tak\n");
    let said = session.says(1, &["replay", "a.record", "--game", "nim"]);
    has(&said, &["stopped a.record:2: ", "did you mean \"take 1\""]);
}

#[test]
fn texts_about_another_game_and_unknown_variants_are_refused_as_such() {
    let session = Session::with_nim();
    session.write("a.record", "record confrontation\nwith preset english_2002\n1. Good: Frodo to Arthedain\n");
    for args in [&["play", "nim", "--resume", "a.record"][..], &["ask", "nim", "--at", "a.record"]] {
        has(&session.says(2, args), &["a.record is about confrontation, not about nim"]);
    }
    for command in ["play", "check", "simulate"] {
        let said = session.says(2, &[command, "nim", "--variant", "twise"]);
        has(&said, &["nim has no variant twise", "did you mean `twice`?"]);
        assert!(!said.contains("game.law"), "{said}");
    }
    session.write("p.position", "given nim\n  heap: 5   First to move\n");
    let out = ["ask", "nim", "take 1", "--at", "p.position", "--format", "html", "--out", "gone/r.html"];
    has(&session.says(2, &out), &["cannot write gone/r.html", "make its folder first"]);
}

#[test]
fn faults_of_rules_name_files_as_they_can_be_opened() {
    let session = Session::with_nim();
    let rules = session.read("nim/game.law");
    session.write("nim/game.law", rules.replace("when n is last", "when n is lost"));
    for (code, args) in [(1, &["check", "nim"][..]), (2, &["play", "nim"])] {
        has(&session.says(code, args), &["─[nim/game.law:"]);
    }
}

#[test]
fn a_position_may_be_piped_or_given_itself() {
    let session = Session::with_nim();
    let position = "given nim\n  heap: 5   last: 2   First to move\n";
    let ask = |at: &str| session.answers(1, position, &["ask", "nim", "--at", at, "take 2"]);
    has(&ask("-"), &["illegal", "not the same again"]);
    has(&ask(position), &["illegal", "not the same again"]);
    has(&session.says(0, &["ask", "nim", "--at", "given nim from the start"]), &["First decides"]);
    has(&session.answers(2, "given nim\n  heep: 5\n", &["ask", "nim", "--at", "-"]), &["[standard input:2:3]"]);
    has(&session.says(2, &["play", "nim", "--at", "-"]), &["--at"]);
}

#[test]
fn a_game_goes_on_as_it_was_begun() {
    let session = Session::with_nim();
    let begin = ["play", "nim", "--seats", "Second=random", "--lang", "en", "--seed", "5", "--record", "a b.record"];
    let said = session.answers(0, "take 2\nquit\n", &begin);
    let wanted = "lawspeaker play nim --resume 'a b.record' --seats Second=random --lang en\n";
    has(&said, &[wanted]);
    let on = ["play", "nim", "--resume", "a b.record", "--seats", "Second=random", "--lang", "en"];
    has(&session.answers(0, "quit\n", &on), &["heap", "First decides", wanted]);
    let kept = session.read("a b.record");
    for (more, wanted) in [
        (&["--with", "counters=9"][..], "--with cannot be used with --resume"),
        (&["--variant", "twice"], "--variant cannot be used with --resume"),
        (&["--seed", "6"], "the seed of the record is 5"),
        (&["--resume", "a b.record"], "--resume is given more than once"),
        (&["--at", "a b.record"], "cannot be used with"),
    ] {
        has(&session.says(2, &[&on[..], more].concat()), &[wanted]);
    }
    has(&session.answers(0, "quit\n", &[&on[..], &["--seed", "5"]].concat()), &["First decides"]);
    assert_eq!(session.read("a b.record"), kept);
}

#[test]
fn a_match_goes_on_as_a_match() {
    let session = Session::with_nim();
    let bots = ["--seats", "random"];
    let whole = ["play", "confrontation", "--match", "--record", "m.record", "--seed", "1", "--seats", "random"];
    has(&session.says(0, &whole), &["Game 2 of 2"]);
    // The second game as it was left.
    let second: Vec<String> = session.read("m-2.record").lines().map(str::to_owned).collect();
    let left = second.iter().position(|l| l.starts_with("9. ")).unwrap();
    session.write("m-2.record", &(second[..left].join("\n") + "\n"));
    let on = ["play", "confrontation", "--match", "--resume", "m-1.record", "--resume", "m-2.record"];
    let said = session.answers(0, "quit\n", &on);
    has(&said, &["lawspeaker play confrontation --match --resume m-1.record --resume m-2.record\n"]);
    let said = session.says(0, &[&on[..], &bots].concat());
    has(&said, &["Game 2 of 2", "match"]);
    let swapped = ["play", "confrontation", "--match", "--resume", "m-2.record"];
    has(&session.says(0, &[&swapped[..], &bots].concat()), &["Game 2 of 2"]);
    session.write("m-1.record", &(second[..left].join("\n") + "\n"));
    has(&session.says(2, &on), &["m-1.record is not over"]);
    let three = [&on[..], &["--resume", "m-2.record"]].concat();
    has(&session.says(2, &three), &["3 records are given, and a match has 2 games"]);
}

#[test]
fn a_copy_is_a_game_of_its_own() {
    let session = Session::with_nim();
    std::fs::create_dir(session.path("nim/records")).unwrap();
    let record = ["play", "nim", "--seats", "random", "--seed", "1", "--record", "nim/records/a.record"];
    session.says(0, &record);
    session.says(0, &["new", "mine", "--from", "nim"]);
    has(&session.says(0, &["test", "mine"]), &["3 passed, 0 failed"]);
    let replayed = session.says(0, &["replay", "mine/records"]);
    assert!(!replayed.contains("other rules"), "{replayed}");
    has(&session.read("mine/records/a.record"), &["record mine\n"]);
    has(&session.says(0, &["play", "mine", "--seats", "random", "--record", "b.record"]), &["b.record"]);
    assert!(session.read("b.record").starts_with("record mine\n"));
    has(&session.says(2, &["new", "7", "--from", "nim"]), &["gives no name for a game"]);
}

#[test]
fn cases_and_records_are_tried_under_other_rules() {
    let session = Session::with_nim();
    has(&session.says(1, &["test", "nim", "--variant", "twice"]), &["failed"]);
    has(&session.says(2, &["test", "nim", "--variant", "nosuch"]), &["there is no variant `nosuch`"]);
    has(&session.says(2, &["test", "nim", "--variant", "twice", "--accept"]), &["cannot be used with"]);
    session.write("a.record", "record nim\n1. First: take 2\n2. Second: take 2\n");
    session.says(1, &["replay", "a.record", "--game", "nim"]);
    session.says(0, &["replay", "a.record", "--game", "nim", "--variant", "twice"]);
    let mutants = session.says(1, &["mutate", "nim", "--no-state", "--variant", "twice"]);
    has(&mutants, &["left out because they do not pass with these settings", "survived"]);
    has(&session.says(2, &["test", "nim", "--with", "counters=3"]), &["`counters` is from 7 to 30"]);
}

#[test]
fn the_shipped_games_are_listed_and_their_records_replayed() {
    let session = Session::with_nim();
    let said = session.says(0, &["games"]);
    has(&said, &["confrontation", "classics/tic-tac-toe", "clauses", "cases", "record"]);
    let first = said.lines().filter(|line| !line.starts_with(' '));
    assert_eq!(first.count(), lawspeaker::library::shipped().len());
    let json: serde_json::Value = serde_json::from_str(&session.says(0, &["games", "--json"])).unwrap();
    assert_eq!(json.as_array().unwrap().len(), lawspeaker::library::shipped().len());
    has(&session.says(0, &["replay", "confrontation", "--to", "3"]), &["confrontation/records/", "legal throughout"]);
    has(&session.says(2, &["replay", "confrontation", "--rewrite"]), &["inside the program"]);
}

#[test]
fn the_position_before_a_fault_can_be_asked_about() {
    let session = Session::with_nim();
    let rules = session.read("nim/game.law");
    // Whoever takes two leaves nothing to choose and no ending.
    let gap = rules.replace("ends active loses \"cannot take\" cite end.1 when no legal action\n", "");
    session.write("nim/game.law", &gap);
    session.write("a.record", "record nim\nwith counters 7\n1. First: take 3\n2. Second: take 2\n3. First: take 1\n");
    let ask = |code, more: &[&str]| session.says(code, &[&["ask", "nim", "--at", "a.record"], more].concat());
    has(&ask(0, &["--ply", "3"]), &["First decides", "take 1"]);
    has(&ask(0, &["--ply", "3", "take 1"]), &["First: take 1: legal"]);
    has(&ask(1, &["take 1"]), &["Second: take 1: illegal", "gap: ", "after ply 3", "--ply 3 takes"]);
    session.write("a.record", "record nim\nwith counters 7\n1. First: take 3\n2. Second: take 3\n3. First: take 1\n");
    has(&ask(0, &[]), &["Second decides", "ply 2 (line 4)", "before ply 2 (--ply 2)"]);
    has(&ask(0, &["--ply", "2"]), &["Second decides"]);
}

/// A game whose set-up puts three where two fit.
const CROWDED: &str = "game crowded \"Crowded\"\nplayers Ann, Bob\nkind Man members M1, M2, M3 { var at: Bool = false }\n\
    var turns: 0..20 = 0\nnever \"too many\" when (count m in Man where m.at) > 2\n\
    action leave(m: Man) by Ann log \"{m} leaves\" { m.at := false }\nmay leave \"l\" when m.at or turns > 1\n\
    procedure play {\n  step setup { for m in Man { m.at := true } }\n  step turns {\n    while true {\n\
    \x20     Ann chooses an action among leave\n      turns += 1\n    }\n  }\n}\nends draw \"done\" when turns >= 3\n";

fn crowded() -> Session {
    let session = Session::with_nim();
    std::fs::create_dir(session.path("crowded")).unwrap();
    std::fs::write(session.path("crowded/game.law"), CROWDED).unwrap();
    session
}

#[test]
fn a_set_up_that_breaks_a_never_is_found_before_play() {
    let session = crowded();
    let said = session.says(1, &["check", "crowded"]);
    assert!(said.contains("law::start"), "{said}");
    assert!(said.contains("the game begins with what is never so: `never \"too many\"`"), "{said}");
    assert!(said.contains("crowded/game.law:5:1"), "{said}");
    assert!(said.contains("1 error"), "{said}");
    // A fault before the first choice is one too.
    let faulty = CROWDED.replace("m.at := true", "m.at := true turns += 10");
    std::fs::write(session.path("crowded/game.law"), faulty).unwrap();
    let said = session.says(1, &["check", "crowded"]);
    assert!(said.contains("the game fails before anybody has a choice"), "{said}");
    let sound = CROWDED.replace("> 2", "> 3");
    std::fs::write(session.path("crowded/game.law"), sound).unwrap();
    assert!(session.says(0, &["check", "crowded"]).contains("no faults"));
}

#[test]
fn play_says_which_never_is_broken_if_it_is_asked_to() {
    let session = crowded();
    let said = session.says(1, &["play", "crowded", "--seats", "first", "--check"]);
    // The first turn mends it, and it is told of once.
    assert_eq!(said.matches("is broken").count(), 1, "{said}");
    assert!(said.contains("After ply 0: never \"too many\" is broken, at game.law:5"), "{said}");
    let said = session.says(0, &["play", "crowded", "--seats", "first"]);
    assert!(!said.contains("is broken"), "{said}");
    session.says(0, &["play", "nim", "--seats", "first", "--check"]);
    let left = session.answers(1, "quit\n", &["play", "crowded", "--check"]);
    assert!(left.contains("lawspeaker play crowded --resume") && left.contains("--check"), "{left}");
}

#[test]
fn a_game_that_cannot_end_is_found_by_check_and_by_random() {
    let session = crowded();
    let endless = CROWDED
        .replace("turns += 1", "turns := turns")
        .replace("never \"too many\"", "never \"four\"")
        .replace("> 2", "> 3");
    std::fs::write(session.path("crowded/game.law"), endless.replace("m.at := false", "m.at := true")).unwrap();
    let said = session.says(0, &["check", "crowded"]);
    assert!(said.contains("this game can never end") && said.contains("nothing changes `turns`"), "{said}");
    let said = session.says(1, &["random", "crowded", "--games", "2", "--plies", "300"]);
    assert!(said.contains("not over after 300 plies"), "{said}");
    assert!(said.contains("its record is long: --keep FOLDER writes it into a file"), "{said}");
    let none = CROWDED
        .replace("ends draw \"done\" when turns >= 3\n", "")
        .replace("while true", "when true")
        .replace("> 2", "> 3");
    std::fs::write(session.path("crowded/game.law"), none).unwrap();
    assert!(session.says(0, &["check", "crowded"]).contains("this game has no ending"));
}

#[test]
fn a_record_that_is_misnumbered_is_told_of_once_and_played() {
    let session = Session::with_nim();
    let put = |name: &str, text: &str| std::fs::write(session.path(name), text).unwrap();
    put("gap.record", "record nim\n1. First: take 3\n3. Second: take 2\n4. First: take 1\n7. Second: take 3\n");
    let said = session.says(2, &["replay", "gap.record"]);
    assert!(said.contains("gap.record: 4 plies, all legal"), "{said}");
    assert_eq!(said.matches("but the line says").count(), 1, "{said}");
    assert!(said.contains("gap.record:3:1") && said.contains("3. Second: take 2"), "{said}");
    // An illegal ply behind it has its own report.
    put("both.record", "record nim\n1. First: take 3\n3. Second: take 2\n4. First: take 2\n");
    let said = session.says(2, &["replay", "both.record"]);
    assert!(said.contains("but the line says 3") && said.contains("both.record:4:4"), "{said}");
    assert!(said.contains("First: take 2: illegal"), "{said}");
    // It is not rewritten, and not gone on with.
    let said = session.says(1, &["replay", "gap.record", "--rewrite"]);
    assert!(said.contains("left"), "{said}");
    session.says(2, &["play", "nim", "--resume", "gap.record"]);
}

#[test]
fn an_illegal_ply_is_shown_in_its_line() {
    let session = Session::with_nim();
    std::fs::write(session.path("ill.record"), "record nim\n1. First: take 3\n2. Second: take 3\n").unwrap();
    let said = session.says(1, &["replay", "ill.record"]);
    assert!(said.contains("stopped ill.record:3: ply 2"), "{said}");
    assert!(said.contains("\u{d7} Second: take 3: illegal") && said.contains("[ill.record:3:4]"), "{said}");
    assert!(said.contains("3 \u{2502} 2. Second: take 3"), "{said}");
    assert!(
        said.contains("may not take \"not the same again\"") && said.contains("possible here: \"take 1\""),
        "{said}"
    );
    std::fs::write(session.path("result.record"), "record nim\n1. First: take 3\nresult First wins\n").unwrap();
    let said = session.says(1, &["replay", "result.record"]);
    assert!(said.contains("3 \u{2502} result First wins"), "{said}");
}

#[test]
fn a_record_with_a_fault_is_asked_at_its_last_good_position() {
    let session = Session::with_nim();
    let put = |name: &str, text: &str| std::fs::write(session.path(name), text).unwrap();
    put("ill.record", "record nim\n1. First: take 3\n2. Second: take 3\n3. First: take 1\n");
    let said = session.says(0, &["ask", "nim", "--at", "ill.record"]);
    assert!(said.contains("Second decides") && said.contains("take 1"), "{said}");
    assert!(said.contains("ill.record: ply 2 (line 3): Second: take 3: illegal"), "{said}");
    assert!(said.contains("before ply 2 (--ply 2)"), "{said}");
    put("cut.record", "record nim\n1. First: take 3\n2. Second: take 2\n3. First\n");
    let said = session.says(0, &["ask", "nim", "--at", "cut.record", "take 3"]);
    assert!(said.contains("cut.record:4:") && said.contains("this is asked after ply 2"), "{said}");
    assert!(said.contains("First: take 3: legal"), "{said}");
    // With --ply nothing is guessed, and a head that cannot be read leaves nothing to ask about.
    session.says(2, &["ask", "nim", "--at", "cut.record", "--ply", "2"]);
    put("head.record", "record nim\nwhat is this\n1. First: take 3\n");
    session.says(2, &["ask", "nim", "--at", "head.record"]);
}

#[test]
fn a_setting_that_is_not_there_is_an_error_of_usage() {
    let session = Session::with_nim();
    let said = session.says(2, &["test", "nim", "--variant", "nosuch"]);
    assert!(said.contains("error: there is no variant `nosuch`; the variants are: twice"), "{said}");
    assert!(!said.contains("failed"), "{said}");
    let said = session.says(2, &["test", "nim", "--with", "cuonters=3"]);
    assert!(said.contains("error: no option or reading is called `cuonters`") && !said.contains("failed"), "{said}");
    session.says(2, &["replay", "nim", "--variant", "nosuch"]);
}

#[test]
fn options_that_exclude_each_other_are_never_on_together() {
    let session = Session::with_nim();
    let rules = session.read("nim/game.law");
    let options = "\noption long: Bool = true \"Long\"\noption short: Bool = false \"Short\" excludes long\n\
                   never \"both\" when long and short\n";
    session.write("nim/game.law", &(rules + options));
    let said = session.says(2, &["test", "nim", "--with", "short"]);
    assert!(said.contains("error: `short` excludes `long`: switch one of them off"), "{said}");
    session.says(0, &["random", "nim", "--vary", "--games", "30"]);
    session.says(0, &["random", "nim", "--with", "short", "--with", "long=false", "--games", "5"]);
    session.write("p.position", "given nim with short\n  heap: 1   First to move\n");
    let said = session.says(2, &["ask", "nim", "--at", "p.position", "take 1"]);
    assert!(said.contains("p.position: ") && said.contains("`short` excludes `long`"), "{said}");
}

#[test]
fn what_was_typed_is_shown_as_it_was_typed() {
    let session = Session::with_nim();
    let position = "given confrontation\n  Frodoo at Fangorn\n  Sam at FANGRON\n  Good to move\n";
    std::fs::write(session.path("x.position"), position).unwrap();
    let said = session.says(2, &["ask", "confrontation", "--at", "x.position"]);
    assert!(said.contains("there is no `Frodoo` in the game; did you mean \"Frodo\"?"), "{said}");
    assert!(said.contains("there is no Region `FANGRON`; did you mean \"Fangorn\"?"), "{said}");
    std::fs::write(session.path("a.army"), "army for miniatures\nAragron, Ranger\n2 Rohan  Warriors\n").unwrap();
    let said = session.says(2, &["validate", "miniatures", "a.army"]);
    assert!(said.contains("there is no Figure `Aragron`; did you mean"), "{said}");
    assert!(said.contains("there is no Figure `Rohan Warriors`; did you mean \"Rohan Warrior\"?"), "{said}");
}

#[test]
fn what_is_typed_in_play_is_answered_with_what_is_there() {
    let session = Session::with_nim();
    let typed = "Sam too Arthedain\nFrodo\n? 1\n? 99\n99\nquti\nsave\n1\nquit\n";
    let said = session.answers(0, typed, &["play", "confrontation", "--seats", "Dark=random"]);
    assert!(
        said.contains("nothing here is written \"Sam too Arthedain\"; did you mean \"Sam to Arthedain\""),
        "{said}"
    );
    assert!(!said.contains("Warg to"), "only what is an option: {said}");
    assert!(said.contains("nothing here is written \"Frodo\"; did you mean \"Frodo to Arthedain\"?"), "{said}");
    assert!(said.contains("Good: Frodo to Arthedain: legal"), "{said}");
    assert_eq!(said.matches("99 is not an option; the options are numbered from 1 to 9").count(), 2, "{said}");
    assert!(said.contains("or the command `quit`?"), "{said}");
    assert!(said.contains("write `save FILE`, with the name of a file"), "{said}");
    let said = session.answers(0, "ee4\nquit\n", &["play", "chess"]);
    assert!(said.contains("did you mean \"e2-e4\"?"), "{said}");
}
