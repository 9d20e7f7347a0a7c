//! What the commands write, and what they never write over.
#![cfg(unix)]

use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt, symlink};
use std::process::{Child, Command, Stdio};

use crate::common::session::{self, Session, has, utf8};

const TYPED: &str = "// Typed by hand.\nrecord nim  // a small game\n\nFirst \"Ann\"\n// Ann begins.\n\
                     First: take 3 // bold\n\n  2. Second: take 1\n// tea";
/// Both seats by chance, so that nobody is asked.
const BOTS: [&str; 6] = ["--seats", "First=random", "--seats", "Second=random", "--seed", "8"];

impl Session {
    fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdin(Stdio::piped()).spawn().unwrap()
    }

    /// Where nobody reads what it prints: the exit code and the complaints.
    fn unread(&self, input: &str, args: &[&str]) -> (Option<i32>, String) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = self.command(args);
        command.stdout(writer);
        let output = session::typed(command, input);
        (output.status.code(), utf8(&output.stderr))
    }

    /// The files in the folder that are not what it began with.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.dir).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|n| n != "nim").collect();
        names.sort();
        names
    }
}

/// Everything that writes into a file that is named.
fn writers(file: &str) -> Vec<Vec<&str>> {
    let ask = ["ask", "nim", "--at", "p.position", "take 1", "--out", file];
    vec![
        [&["play", "nim", "--record", file], &BOTS[..]].concat(),
        [&["play", "nim", "--resume", "r.record", "--record", file], &BOTS[..4]].concat(),
        ask.to_vec(),
        [&ask[..], &["--format", "html"]].concat(),
        vec!["find", "nim", "heap is 12", "--out", file],
        vec!["replay", "r.record", "--save", file],
    ]
}

fn desk_to_write() -> Session {
    let session = Session::with_nim();
    session.write("p.position", "given nim\n  heap: 5   last: 2   First to move\n");
    session.write("r.record", TYPED);
    session
}

#[test]
fn another_file_is_written_over_only_with_force() {
    let session = desk_to_write();
    for args in writers("other.txt") {
        session.write("other.txt", "precious");
        has(&session.says(2, &args), &["other.txt is there already", "--force"]);
        assert_eq!(session.read("other.txt"), "precious", "{args:?}");
        session.says(0, &[&args[..], &["--force"]].concat());
        assert_ne!(session.read("other.txt"), "precious", "{args:?}");
        std::fs::remove_file(session.path("other.txt")).unwrap();
        session.says(0, &args);
        assert_eq!(session.files(), ["other.txt", "p.position", "r.record"]);
    }
    assert_eq!(session.read("r.record"), TYPED);
    // The file that is asked about is not one to write into.
    has(&session.says(2, &["ask", "nim", "--at", "p.position", "--out", "p.position", "take 1"]), &["there already"]);
    has(&session.says(2, &["replay", "r.record", "--save", "r.record"]), &["there already"]);
}

#[test]
fn links_are_followed_modes_stay_and_pipes_are_written_to() {
    let session = desk_to_write();
    symlink("far.txt", session.path("link")).unwrap();
    assert!(Command::new("mkfifo").arg(session.path("pipe")).status().unwrap().success());
    for (args, pipe) in writers("link").into_iter().zip(writers("pipe")) {
        session.write("far.txt", "precious");
        std::fs::set_permissions(session.path("far.txt"), PermissionsExt::from_mode(0o600)).unwrap();
        session.says(2, &args);
        assert_eq!(session.read("far.txt"), "precious");
        session.says(0, &[&args[..], &["--force"]].concat());
        assert_ne!(session.read("far.txt"), "precious", "{args:?}");
        assert!(session.path("link").is_symlink());
        assert_eq!(session.path("far.txt").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let path = session.path("pipe");
        let reader = std::thread::spawn(move || std::fs::read_to_string(path).unwrap());
        session.says(0, &pipe);
        let through = reader.join().unwrap();
        // Only the seeds of two fresh games and the names of files could differ.
        assert_eq!(through, session.read("far.txt"), "{pipe:?}");
        assert!(session.path("pipe").metadata().unwrap().file_type().is_fifo());
    }
    assert_eq!(session.files(), ["far.txt", "link", "p.position", "pipe", "r.record"]);
}

/// By a name that no fault could put a file in the place of.
#[test]
fn the_standard_output_is_a_place_to_write() {
    let session = desk_to_write();
    let said = session.says(0, &[&["play", "nim", "--record", "/dev/fd/1"], &BOTS[..]].concat());
    has(&said, &["record nim\n", "result "]);
    assert_eq!(said.matches("record nim\n").count(), 1, "{said}");
    let file = std::fs::File::create(session.path("out.txt")).unwrap();
    let mut command = session.command(&["find", "nim", "heap is 12", "--out", "/dev/fd/1"]);
    assert!(command.stdout(file).status().unwrap().success());
    has(&session.read("out.txt"), &["record nim\n", "written: /dev/fd/1"]);
}

#[test]
fn two_games_begun_at_once_have_two_records() {
    let session = Session::with_nim();
    let games: Vec<Child> = (0..6).map(|_| session.start(&[&["play", "nim"], &BOTS[..]].concat())).collect();
    let said: Vec<String> = games
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success());
            let said = String::from_utf8(output.stdout).unwrap();
            let line = said.lines().find_map(|l| l.strip_prefix("record: ")).unwrap();
            line.split_whitespace().next().unwrap().to_owned()
        })
        .collect();
    let mut files = said.clone();
    files.sort();
    assert_eq!(session.files(), files);
    for file in files {
        has(&session.read(&file), &["record nim\n", "result "]);
    }
}

#[test]
fn a_game_gone_on_with_keeps_what_was_typed() {
    let session = desk_to_write();
    std::fs::set_permissions(session.path("r.record"), PermissionsExt::from_mode(0o640)).unwrap();
    let written = || session.path("r.record").metadata().unwrap().modified().unwrap();
    let before = written();
    let resume = ["play", "nim", "--resume", "r.record"];
    has(&session.answers(0, "quit\n", &resume), &["go on with: lawspeaker play nim --resume r.record"]);
    has(&session.answers(0, "board\n? take 2\ntake 77\nsave copy.record\n", &resume), &["saved: copy.record"]);
    assert_eq!((session.read("r.record").as_str(), written()), (TYPED, before));
    assert_eq!(session.read("copy.record"), TYPED);
    session.answers(0, "take 2\nquit\n", &resume);
    let text = session.read("r.record");
    let (head, body) = TYPED.split_once("\n\n").unwrap();
    assert!(text.starts_with(head) && text.contains(body), "{text}");
    assert!(text.contains("// tea\n3. First: take 2 ; 2 "), "{text}");
    assert_eq!(session.path("r.record").metadata().unwrap().permissions().mode() & 0o777, 0o640);
    has(&session.says(0, &["replay", "r.record"]), &["3 plies, all legal"]);
    // What is taken back loses its line, and nothing else does.
    session.answers(0, "take 1\nundo\nquit\n", &resume);
    assert_eq!(session.read("r.record"), text);
    session.answers(0, "undo\nquit\n", &resume);
    let undone: String = text.split_inclusive('\n').filter(|l| !l.starts_with("3. ")).collect();
    assert_eq!(session.read("r.record"), undone);
    session.answers(0, &"1\n2\n".repeat(20), &resume);
    let over = session.read("r.record");
    assert!(over.starts_with(&undone) && over.contains("\nresult "), "{over}");
    has(&session.says(0, &["replay", "r.record"]), &["all legal"]);
    session.write("r.record", TYPED);
    session.answers(0, "undo\nundo\ntake 2\nquit\n", &resume);
    let again = session.read("r.record");
    has(&again, &["// Ann begins.\n\n// tea\n1. First: take 2 ; 3 ", "// a small game", "First \"Ann\""]);
}

#[test]
fn a_record_elsewhere_leaves_the_first_alone() {
    let session = desk_to_write();
    session.answers(0, "take 2\nquit\n", &["play", "nim", "--resume", "r.record", "--record", "b.record"]);
    assert_eq!(session.read("r.record"), TYPED);
    has(&session.read("b.record"), &["// bold", "3. First: take 2"]);
    session.answers(0, "quit\n", &["play", "nim", "--resume", "r.record", "--record", "./r.record"]);
    assert_eq!(session.read("r.record"), TYPED);
}

#[test]
fn a_record_of_other_rules_is_of_one_kind_when_it_goes_on() {
    let session = desk_to_write();
    session.answers(0, "take 2\nquit\n", &["play", "nim", "--record", "g.record"]);
    let old = session.read("g.record") + "// a pause\n";
    session.write("g.record", &old);
    let law = session.read("nim/game.law");
    session.write("nim/game.law", law.replace("define other", "define unused() -> Int = 1\ndefine other"));
    session.answers(0, "quit\n", &["play", "nim", "--resume", "g.record"]);
    assert_eq!(session.read("g.record"), old);
    session.answers(0, "take 1\nquit\n", &["play", "nim", "--resume", "g.record"]);
    has(&session.read("g.record"), &["// a pause\n2. Second: take 1 ;"]);
    let said = session.says(0, &["replay", "g.record"]);
    assert!(!said.contains("other rules"), "{said}");
}

#[test]
fn a_record_has_one_writer() {
    let session = desk_to_write();
    let mut first = session.start(&["play", "nim", "--resume", "r.record"]);
    let mut input = first.stdin.take().unwrap();
    let mut output = first.stdout.take().unwrap();
    let mut until = |word: &str| {
        let (mut text, mut byte) = (Vec::new(), [0]);
        while !text.ends_with(word.as_bytes()) {
            assert_eq!(output.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&text));
            text.push(byte[0]);
        }
    };
    let refused = || {
        let busy = ["r.record is in use: another lawspeaker writes there"];
        has(&session.answers(2, "take 3\n", &["play", "nim", "--resume", "r.record"]), &busy);
        has(&session.says(2, &["play", "nim", "--record", "r.record", "--force"]), &busy);
        has(&session.says(2, &["replay", "r.record", "--rewrite"]), &busy);
        // To read it is no harm.
        has(&session.says(0, &["replay", "r.record"]), &["all legal"]);
    };
    until("First> ");
    refused();
    input.write_all(b"take 2\n").unwrap();
    until("Second> ");
    refused();
    // In the game itself its record is not a file to save into, nor is another one.
    input.write_all(b"save r.record\nsave --force r.record\nsave p.position\nsave --force p.position\n").unwrap();
    for _ in 0..2 {
        until("r.record is the record of this game");
    }
    until("p.position is there already (`save --force p.position` replaces it)");
    until("saved: p.position");
    first.kill().unwrap();
    first.wait().unwrap();
    // The dead hold nothing.
    session.answers(0, "take 3\nquit\n", &["play", "nim", "--resume", "r.record"]);
    has(&session.read("r.record"), &["3. First: take 2", "4. Second: take 3"]);
}

#[test]
fn what_another_program_changed_is_left_and_the_game_is_kept_elsewhere() {
    let session = desk_to_write();
    let mut first = session.start(&["play", "nim", "--record", "g.record"]);
    let mut input = first.stdin.take().unwrap();
    let mut byte = [0];
    let mut output = first.stdout.take().unwrap();
    let mut seen = Vec::new();
    while !seen.ends_with(b"First> ") {
        assert_eq!(output.read(&mut byte).unwrap(), 1);
        seen.push(byte[0]);
    }
    session.write("g.record", "record nim\n// by an editor\n");
    input.write_all(b"take 2\n").unwrap();
    drop(input);
    let finished = first.wait_with_output().unwrap();
    let said = String::from_utf8(finished.stderr).unwrap();
    assert_eq!(finished.status.code(), Some(2), "{said}");
    has(&said, &["g.record was changed by another program", "the game so far is kept in g-2.record"]);
    assert_eq!(session.read("g.record"), "record nim\n// by an editor\n");
    has(&session.read("g-2.record"), &["1. First: take 2"]);
}

#[test]
fn what_a_killed_process_left_is_gone_after_the_next_start() {
    let left = |folder: &str| format!("{folder}/old.record.999999.0.lawspeaker.tmp");
    let rewrite = ["replay", "games", "--rewrite", "--game", "nim"];
    let starts: [(&str, Vec<&str>); 5] = [
        (".", [&["play", "nim"], &BOTS[..]].concat()),
        (".", vec!["play", "nim", "--resume", "r.record"]),
        (".", vec!["find", "nim", "heap is 12", "--out", "found.record"]),
        ("games", rewrite.to_vec()),
        ("nim/cases", vec!["test", "nim", "--accept"]),
    ];
    for (folder, args) in starts {
        let session = desk_to_write();
        std::fs::create_dir(session.path("games")).unwrap();
        session.write("games/1.record", TYPED);
        session.says(0, &rewrite);
        session.write(&left(folder), "half");
        session.says(0, &args);
        assert!(!session.path(&left(folder)).exists(), "{args:?}");
    }
}

#[test]
fn accepting_and_rewriting_follow_links_and_keep_modes() {
    let session = desk_to_write();
    let book = "```case\ncase \"a\"\ngiven nim\n  heap: 5   last: 2   First to move\nthen\n  ask \"take 2\"\n```\n\n\
                ```ruling\nold\n```\n";
    for (args, name, text) in [
        (&["test", "nim", "--accept"][..], "nim/cases/a.md", book),
        (&["replay", "nim/one.record", "--rewrite"], "nim/one.record", TYPED),
    ] {
        session.write("far", text);
        std::fs::set_permissions(session.path("far"), PermissionsExt::from_mode(0o600)).unwrap();
        symlink(session.path("far"), session.path(name)).unwrap();
        session.says(0, args);
        assert_ne!(session.read("far"), text);
        assert!(session.path(name).is_symlink());
        assert_eq!(session.path("far").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    has(&session.read("far"), &["// bold", "// tea"]);
}

#[test]
fn faults_of_random_games_are_kept_beside_others() {
    let session = Session::with_nim();
    let keep = ["random", "nim", "--games", "2", "--plies", "1", "--keep", "faults"];
    session.says(1, &keep);
    let names = || {
        let entries = std::fs::read_dir(session.path("faults")).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let first = names();
    assert_eq!(first.len(), 2);
    session.says(1, &keep);
    assert_eq!(names(), first);
    let changed = format!("faults/{}", first[0]);
    session.write(&changed, "precious");
    session.says(1, &keep);
    assert_eq!(session.read(&changed), "precious");
    assert_eq!(names().len(), 3);
}

#[test]
fn what_is_known_of_mutants_is_not_lost_to_another_hunt() {
    let session = Session::with_nim();
    session.write("notes.txt", "precious");
    let hunt = |code, game: &str, file: &str| {
        session.says(code, &["mutate", game, "--sample", "1", "--state", file, "--only", "drop"])
    };
    has(&hunt(2, "nim", "notes.txt"), &["not a list of mutants"]);
    assert_eq!(session.read("notes.txt"), "precious");
    let other = "{\"mutants\":\"chess\",\"rules\":1,\"form\":1}\n{\"half";
    session.write("chess.mutants", other);
    has(&hunt(2, "nim", "chess.mutants"), &["is about mutants of chess"]);
    assert_eq!(session.read("chess.mutants"), other);
    let first = |name: &str| session.read(name).lines().next().unwrap_or_default().to_owned();
    for cut in ["", "{\"mut", "{\"mutants\":\"nim\",\"ru", "{\"mutants\":\"nim\",\"rules\":1,\"form\":1}\n"] {
        session.write("nim.mutants", cut);
        let args = ["mutate", "nim", "--sample", "1"];
        let code = session.unread("", &args).0;
        assert!(matches!(code, Some(0 | 1)), "{code:?}");
        assert!(first("nim.mutants").ends_with(",\"form\":1}") && !first("nim.mutants").contains("\"rules\":1,"));
    }
}

/// What each command answers, yes and no, is told by its exit code also to one who reads nothing.
#[test]
fn a_closed_pipe_changes_no_answer() {
    let session = desk_to_write();
    session.says(0, &["new", "bad", "--from", "nim"]);
    let law = session.read("bad/game.law");
    session.write("bad/game.law", law.replace("when n is last", "when n is lost"));
    session.write("bad.record", "record nim\n1. First: take 3\n2. Second: take 3\n");
    session.write("bad.md", "```case\ncase \"a\"\ngiven nim from the start\nthen\n  holds 1 == 2\n```\n");
    let exact = "position\tdepth\tpositions\nstart\t1\t3\n";
    session.write("nim/perft.tsv", exact);
    session.says(0, &["new", "miscounted", "--from", "nim"]);
    session.write("miscounted/perft.tsv", "position\tdepth\tpositions\nstart\t1\t4\n");
    std::fs::create_dir(session.path("muster")).unwrap();
    session.write("muster/game.law", include_str!("rules/muster.law"));
    session.write("good.band", "band for muster\nCaptain of the Guard\n3 Archer\n");
    session.write("bad.band", "band for muster with points 90\n2 Captain, 2 Archer\n");
    session.write("end.position", "given nim\n  heap: 2   last: 1   First to move\n");
    let at = ["--at", "p.position"];
    let answers: Vec<(i32, Vec<&str>)> = vec![
        (0, vec!["check", "nim"]),
        (1, vec!["check", "bad"]),
        (1, vec!["check", "bad", "--json"]),
        (1, vec!["check", "bad", "--watch"]),
        (0, vec!["check", "nim", "--watch"]),
        (0, [&["play", "nim"], &BOTS[..]].concat()),
        (2, vec!["play", "bad"]),
        (0, [&["ask", "nim", "take 1"], &at[..]].concat()),
        (1, [&["ask", "nim", "take 2"], &at[..]].concat()),
        (1, [&["ask", "nim", "take 2", "--json"], &at[..]].concat()),
        (2, [&["ask", "nim", "tak 2"], &at[..]].concat()),
        (0, [&["ask", "nim"], &at[..]].concat()),
        (0, vec!["test", "nim"]),
        (1, vec!["test", "bad.md"]),
        (1, vec!["test", "bad.md", "--json"]),
        (1, vec!["test", "bad.md", "--watch"]),
        (0, vec!["test", "nim", "--watch"]),
        (0, vec!["replay", "r.record"]),
        (1, vec!["replay", "bad.record"]),
        (1, vec!["replay", "r.record", "bad.record", "--explain", "--board"]),
        (1, vec!["replay", "bad.record", "--rewrite"]),
        (1, vec!["replay", "bad.record", "--step"]),
        (2, vec!["replay", "gone.record"]),
        (0, vec!["clauses", "nim", "--bare"]),
        (0, vec!["clauses", "nim"]),
        (1, vec!["clauses", "nim", "--measured", "--cases", "--bare"]),
        (1, vec!["mutate", "nim", "--no-state"]),
        (0, vec!["mutate", "nim", "--list"]),
        (0, vec!["exceptions", "nim"]),
        (0, vec!["random", "nim", "--games", "5"]),
        (1, vec!["random", "nim", "--games", "5", "--plies", "1"]),
        (0, vec!["perft", "nim", "--table"]),
        (1, vec!["perft", "miscounted", "--table"]),
        (0, vec!["perft", "nim", "--depth", "2"]),
        (0, vec!["simulate", "nim", "--games", "5"]),
        (0, vec!["find", "nim", "heap is 12"]),
        (1, vec!["find", "nim", "heap is 30", "--games", "5"]),
        (0, vec!["validate", "muster", "good.band"]),
        (1, vec!["validate", "muster", "bad.band"]),
        (1, vec!["validate", "muster", "good.band", "bad.band", "--json"]),
        (2, vec!["validate", "muster", "bad.band", "gone.band"]),
        (0, vec!["odds", "nim", "First wins", "--until", "over", "--seats", "random", "--at", "end.position"]),
        (2, vec!["odds", "nim", "First wins", "--until", "over", "--at", "p.position"]),
        (0, vec!["solve", "nim", "--seat", "First", "--at", "end.position"]),
        (1, vec!["solve", "nim", "--seat", "Second", "--at", "end.position"]),
        (0, vec!["new", "fresh"]),
        (2, vec!["new", "nim"]),
        (0, vec!["--help"]),
        (2, vec!["checkk"]),
    ];
    for (code, args) in &answers {
        // To watch ends only because nobody looks.
        if !args.contains(&"--watch") && args[0] != "new" {
            session.says(*code, args);
        }
        let (unread, complaint) = session.unread("", args);
        assert_eq!(unread, Some(*code), "{args:?}: {complaint}");
        assert!(!complaint.to_lowercase().contains("pipe"), "{args:?}: {complaint}");
    }
    // A game goes on with what is typed.
    let typed = session.unread("1\n2\nquit\n", &["play", "nim", "--record", "unread.record"]);
    assert_eq!(typed, (Some(0), String::new()));
    has(&session.read("unread.record"), &["1. First: take 1", "2. Second: "]);
}
