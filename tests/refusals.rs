//! Files, texts and numbers that no table needs: without end, of another kind, very long, very many, or made to steer
//! a terminal.
#![allow(missing_docs)]

use std::process::Command;

use lawspeaker::{check, report};

use crate::common::session::Session;

/// A game of one decision, with more declarations.
fn small(more: &str) -> String {
    format!("game tiny \"Tiny\"\nplayers North, South\nprocedure play {{ North chooses number n from 0..3 }}\n{more}")
}

fn faults(text: &str) -> String {
    let found = check::check(&[("game.law".into(), text.into())], &[]);
    report::all(&found.diagnostics, &found.sources, false)
}

#[cfg(unix)]
mod kinds_of_files {
    use super::*;
    use std::os::unix::fs::symlink;

    fn pipe(session: &Session, name: &str) {
        assert!(Command::new("mkfifo").arg(session.path(name)).status().unwrap().success());
    }

    #[test]
    fn a_pipe_or_a_device_in_a_game_is_refused() {
        for name in ["a.law", "a.csv", "a.tsv", "cases/a.md", "a.record", "a.position"] {
            let session = Session::with_nim();
            pipe(&session, &format!("nim/{name}"));
            let said = session.says(2, &["check", "nim"]);
            assert!(said.contains(&format!("{name} is a pipe, not a regular file")), "{said}");
        }
        let session = Session::with_nim();
        symlink("/dev/zero", session.path("nim/zero.law")).unwrap();
        assert!(session.says(2, &["check", "nim"]).contains("zero.law is a device, not a regular file"));
    }

    #[test]
    fn a_pipe_or_a_device_for_a_text_is_refused() {
        let session = Session::with_nim();
        pipe(&session, "pipe");
        for file in ["pipe", "/dev/zero"] {
            for args in [
                &["replay", file][..],
                &["test", file],
                &["validate", "nim", file],
                &["ask", "nim", "--at", file],
                &["play", "nim", "--at", file],
                &["play", "nim", "--resume", file],
                &["odds", "nim", "wins First", "--at", file],
                &["solve", "nim", "--seat", "First", "--at", file],
                &["perft", "nim", "--depth", "1", "--at", file],
                &["mutate", "nim", "--state", file],
            ] {
                let said = session.says(2, args);
                assert!(said.contains("not a regular file"), "{args:?}: {said}");
            }
        }
    }

    #[test]
    fn links_to_files_are_followed_and_links_to_folders_are_not() {
        let session = Session::with_nim();
        std::fs::rename(session.path("nim/game.law"), session.path("rules.law")).unwrap();
        symlink(session.path("rules.law"), session.path("nim/game.law")).unwrap();
        std::fs::create_dir(session.path("elsewhere")).unwrap();
        pipe(&session, "elsewhere/a.law");
        symlink(session.path("elsewhere"), session.path("nim/elsewhere")).unwrap();
        symlink(session.path("nim"), session.path("nim/round")).unwrap();
        assert!(session.says(0, &["check", "nim"]).contains("no faults"));
        assert!(session.says(0, &["test", "nim"]).contains("1 casebook"));
    }

    #[test]
    fn what_lies_around_the_home_of_a_record_is_left_alone() {
        let session = Session::with_nim();
        session.write("nim/records/one.record", "record nim\n");
        session.write("nim/records/old/two.record", "record nim\n");
        session.write("apart/deep/three.record", "record tic-tac-toe\n");
        pipe(&session, "stray.law");
        pipe(&session, "apart/stray.law");
        session.write("other.law", "game other \"Other\"\n");
        session.write("apart/notes.md", "\u{fffd}");
        for record in ["nim/records/one.record", "nim/records/old/two.record", "apart/deep/three.record"] {
            assert!(session.says(0, &["replay", record]).contains("legal"), "{record}");
        }
    }
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let session = Session::with_nim();
    let large = std::fs::File::create(session.path("nim/large.law")).unwrap();
    large.set_len(65 << 20).unwrap();
    assert!(session.says(2, &["check", "nim"]).contains("large.law is larger than 64 MB"));
}

#[test]
fn the_home_of_a_record_is_the_folder_it_says() {
    let session = Session::with_nim();
    session.write("outer.law", "game outer \"Outer\"\n");
    session.write("records/one.record", "record nim\n");
    session.write("records/mine.record", "record mine\n");
    // The rules around it are of another game, and nothing else is called so.
    assert!(session.says(2, &["replay", "records/mine.record"]).contains("no game is called mine"));
    assert!(session.says(0, &["replay", "records/one.record", "--game", "nim"]).contains("legal"));
    // Beside it lie rules of another name: said so.
    session.write("nim/two.record", "record mine\n");
    assert!(
        session.says(2, &["replay", "nim/two.record"]).contains("about the game mine, but these are the rules of nim")
    );
    // A shipped game is meant: what is broken around the record does not matter.
    session.write("shipped.record", "record tic-tac-toe\n");
    session.write("far/broken.record", b"\xff");
    assert!(session.says(0, &["replay", "shipped.record"]).contains("legal"));
}

#[test]
fn numbers_beyond_their_bounds_are_refused() {
    let session = Session::with_nim();
    let many = "1000000001";
    for (args, flag, numbers) in [
        (&["simulate", "nim"][..], "--games", &["0", many, "99999999999", "18446744073709551616", "-1"][..]),
        (&["simulate", "nim"], "--threads", &["0", "513", "100000"]),
        (&["random", "nim"], "--games", &["0", many, "18446744073709551615"]),
        (&["random", "nim"], "--plies", &["0", "1000001"]),
        (&["clauses", "nim", "--measured"], "--games", &["0", many, "18446744073709551615"]),
        (&["find", "nim", "heap is 0"], "--games", &[many]),
        (&["find", "nim", "heap is 0"], "--limit", &["100000001"]),
        (&["find", "nim", "heap is 0"], "--plies", &["0", "1000001"]),
        (&["odds", "nim", "wins First"], "--plies", &["0", "1000001"]),
        (&["odds", "nim", "wins First"], "--limit", &["0", "100000001"]),
        (&["odds", "nim", "wins First"], "--sample", &["0", many]),
        (&["odds", "nim", "wins First", "--seat", "First"], "--worlds", &["0", "100000001"]),
        (&["solve", "nim", "--seat", "First"], "--plies", &["0", "1001"]),
        (&["solve", "nim", "--seat", "First"], "--limit", &["0", "100000001"]),
        (&["solve", "nim", "--seat", "First"], "--worlds", &["0", "100000001"]),
        (&["solve", "nim", "--seat", "First", "--at", "x"], "--ply", &["0"]),
        (&["perft", "nim"], "--depth", &["1001", "4294967296"]),
        (&["perft", "nim", "--table"], "--limit", &["0"]),
        (&["ask", "nim", "--at", "x", "--would"], "--limit", &["0", "100000001"]),
        (&["ask", "nim", "--at", "x"], "--ply", &["0", "x"]),
        (&["mutate", "nim"], "--sample", &["0", many]),
        (&["check", "nim", "--conflicts"], "--tries", &["0", many]),
        (&["exceptions", "nim"], "--tries", &["0", many]),
        (&["replay", "x.record"], "--to", &["-1", many]),
        (&["play", "nim"], "--seed", &["18446744073709551616", "x"]),
    ] {
        for number in numbers {
            let given = format!("{flag}={number}");
            let said = session.says(2, &[args, &[given.as_str()]].concat());
            assert!(said.contains("write a whole number from "), "{args:?} {given}: {said}");
        }
    }
}

#[test]
fn a_fault_far_along_a_line_shows_a_part_of_it() {
    let said = faults(&small(&format!("var x: Int = 0{}+ zzz\n", " ".repeat(66_000))));
    assert!(said.contains("game.law:4:66017") && said.contains("… ") && said.contains("+ zzz"), "{said}");
    assert!(said.len() < 3000, "{}", said.len());
    let members: Vec<String> = (0..200_000).map(|i| format!("M{i}")).collect();
    let said = faults(&small(&format!("kind Many members {}\n", members.join(", "))));
    assert!(said.contains("law::") && said.len() < 40_000, "{}", said.len());
}

#[test]
fn a_line_of_megabytes_is_not_repeated() {
    let session = Session::with_nim();
    let long = "x".repeat(4_000_000);
    session.write("nim/long.law", format!("define {long}() -> Nope = 3\n"));
    assert!(session.says(1, &["check", "nim"]).len() < 40_000);
    assert!(session.says(1, &["check", "nim", "--json"]).len() < 40_000);
    std::fs::remove_file(session.path("nim/long.law")).unwrap();
    for (name, text, args) in [
        ("a.position", format!("given nim\n  {long} at Rohan\n"), &["ask", "nim", "--at", "a.position"][..]),
        ("a.record", format!("record nim\n1. First: {long}\n"), &["replay", "a.record", "--game", "nim"]),
        ("b.record", format!("record nim\n{long}\n"), &["replay", "b.record", "--game", "nim"]),
        ("a.md", format!("```case\ncase \"a\"\ngiven nim\n  {long}: 3\nthen\n  heap: 3\n```\n"), &["test", "a.md"]),
    ] {
        session.write(name, &text);
        let output = session.output(args);
        let (code, said) = (output.status.code(), output.stdout.len() + output.stderr.len());
        assert!(matches!(code, Some(1 | 2)) && said < 60_000, "{args:?}: {code:?}, {said} bytes");
    }
}

#[test]
fn of_very_many_faults_the_first_are_told() {
    let said = faults(&small(&"foo bar\n".repeat(200_000)));
    assert_eq!(said.matches("no declaration begins with this").count(), 100);
    assert!(said.ends_with("and 9901 errors more\n"), "{}", said.lines().last().unwrap());
    let session = Session::with_nim();
    session.write("a.record", format!("record nim\n{}", "foo bar\n".repeat(1000)));
    let said = session.says(2, &["replay", "a.record", "--game", "nim"]);
    assert!(said.contains("and 990 more") && said.len() < 5000, "{said}");
    session.write("a.md", format!("```case\ncase \"a\"\n{}```\n", "foo bar, \n".repeat(1000)));
    let said = session.says(2, &["test", "a.md"]);
    assert!(said.matches("[a.md:").count() == 100 && said.contains("unread a.md: 901 more"), "{said}");
}

/// Everything that steers a terminal, in one text.
const FOUL: &str = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\r\u{8}\u{7f}\u{202e}\u{2066}";

fn steers(c: char) -> bool {
    lawspeaker::plain::steers(c)
}

#[test]
fn what_steers_a_terminal_is_refused_in_rules() {
    for text in [
        small(&format!("ends draw \"over {FOUL}\" when 1 > 2\n")),
        small("kind K { } // \u{202e}\nK A \"\u{1b}[31mred\"\n"),
        small("kind K members A \"a\u{9b}b\"\n"),
        small("kind K members A, \u{7}B\n"),
    ] {
        let said = faults(&text);
        assert!(said.contains("this contains the control character U+"), "{said}");
        assert!(!said.contains(steers), "{said:?}");
    }
    let fine = small("ends draw \"over\" when 1 > 2\r\n").replace('\n', "\r\n").replace("\r\r", "\r");
    assert!(!faults(&fine).contains("control character"));
}

#[test]
fn what_steers_a_terminal_is_written_out() {
    let session = Session::with_nim();
    let foul = FOUL;
    session.write("a.position", format!("given nim\n  heap{foul}: 3\n"));
    session.write("a.record", format!("record nim\nseat First \"{foul}\"\n1. First: {foul}\n"));
    session
        .write("a.md", format!("# {foul}\n```case\ncase \"{foul}\"\ngiven nim\n  {foul}: 3\nthen\n  heap: 3\n```\n"));
    session.write("a.army", format!("army{foul} for nim\n"));
    session.write("b.position", "given nim\n  heap: 9\n  last: 0\n  First to move\n");
    let name = format!("x{foul}");
    for args in [
        &["check", name.as_str()][..],
        &[name.as_str()],
        &["check", "nim", name.as_str()],
        &["check", "nim", "--variant", &name],
        &["play", "nim", "--with", &name],
        &["play", "nim", "--seats", &name],
        &["ask", "nim", "--at", &name],
        &["ask", "nim", "--at", "a.position"],
        &["ask", "nim", "--at", "b.position", &name],
        &["ask", "nim", "--at", "b.position", "--json", &name],
        &["ask", "nim", "--at", "b.position", "--seat", &name],
        &["odds", "nim", &name],
        &["find", "nim", &name],
        &["replay", "a.record", "--game", "nim"],
        &["replay", &name],
        &["test", "a.md"],
        &["test", "a.md", "--json"],
        &["validate", "nim", "a.army"],
        &["simulate", "nim", "--seats", &name],
        &["simulate", "nim", "--games", &name],
        &["clauses", "nim", "--measured", &name],
    ] {
        let output = session.output(args);
        let said = String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {said:?}");
        assert!(!said.is_empty() && !said.contains(steers), "{args:?}: {said:?}");
    }
    let told = session.says(1, &["test", "a.md", "--json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&told).is_ok(), "{told}");
}

#[test]
fn many_games_are_counted_as_few_are() {
    let session = Session::with_nim();
    let games = |n: &str| session.says(0, &["simulate", "nim", "--games", n, "--json"]);
    let count = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["games"].as_u64();
    // More than are kept at a time.
    assert_eq!(count(&games("70000")), Some(70_000));
    assert_eq!(games("70000"), games("70000"));
    let told = session.says(0, &["random", "nim", "--games", "66000", "--json"]);
    assert_eq!(count(&told), Some(66_000));
}

#[test]
fn one_definition_with_very_many_clauses_is_checked() {
    let clauses = |value: &str, when: &str, n: usize| -> String {
        (0..n)
            .map(|i| {
                format!(
                    "instead f() = {} \"l{i}\"{}\n",
                    value.replace('#', &(i % 10).to_string()),
                    when.replace('#', &i.to_string())
                )
            })
            .collect()
    };
    let game = |clauses: String| {
        let more = "var v: 0..32000 = 0\ndefine f() -> 0..9 = 0\nends draw \"x\" when f() > 3\n";
        small(&format!("{more}{clauses}"))
    };
    assert_eq!(faults(&game(clauses("#", " when v is #", 4000))), "");
    let clash = faults(&game(clauses("#", "", 2000)));
    assert!(clash.contains("law::conflict") && clash.ends_with("and 900 errors more\n"), "{clash}");
    let base = "instead f() = 1 \"base\" when v > 3\n";
    assert_eq!(faults(&game(format!("{base}{}", clauses("#", " exception to \"base\" when v is #", 4000)))), "");
}
