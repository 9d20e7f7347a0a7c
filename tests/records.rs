//! The shipped records replay to their end, and records that are wrong in one place are reported as they should be, both through the binary.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};

use lawspeaker::rules::Rulebook;
use lawspeaker::{library, record};

use crate::common::files::{root, under};
use crate::common::session::{both, program};

/// What a command prints on both streams, and its exit code.
fn run(args: &[&str]) -> (String, Option<i32>) {
    let output = program(root(), args).output().unwrap();
    (both(&output), output.status.code())
}

/// The records under a folder, by their paths from the root.
fn records(folder: &str) -> Vec<PathBuf> {
    let mut files = under(&root().join(folder));
    files.retain(|path| path.extension().is_some_and(|e| e == "record"));
    files.iter().map(|path| path.strip_prefix(root()).unwrap().to_owned()).collect()
}

/// Digests change with the rules; that there is one does not.
fn without_digests(text: &str) -> String {
    let mut out = String::new();
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_hexdigit() {
            run.push(c);
            continue;
        }
        let digest = run.len() == 16 && run != "0123456789abcdef";
        out.push_str(if digest { "DIGEST" } else { &run });
        run.clear();
        out.push(c);
    }
    out.trim_end().to_owned()
}

/// After a change of the rules `lawspeaker replay rules/GAME/records --rewrite` brings them up to date.
#[test]
fn every_shipped_record_holds_to_its_end() {
    let folders = lawspeaker::library::shipped().into_iter().map(|game| format!("rules/{game}/records"));
    let games: Vec<String> = folders.filter(|f| root().join(f).is_dir()).collect();
    assert!(!games.is_empty());
    for folder in games {
        let (text, code) = run(&["replay", &folder]);
        assert_eq!(code, Some(0), "{text}");
        assert!(!text.contains("other rules"), "{text}\n`replay {folder} --rewrite` brings them up to date");
        for file in records(&folder) {
            let whole = std::fs::read_to_string(root().join(&file)).unwrap();
            let record = lawspeaker::record::parse(&whole).unwrap();
            assert!(record.title.is_some() && whole.starts_with("// "), "{} says what it shows", file.display());
            assert!(record.result.is_some(), "{}", file.display());
            // What a person wrote down has no digests.
            let checked = record.plies.iter().all(|p| p.options.is_some() && p.digest.is_some());
            let typed = whole.contains("as a person typed it");
            assert!(typed || checked && record.rules.is_some(), "{}", file.display());
        }
    }
}

#[test]
fn the_shipped_records_end_in_every_way_a_game_can_end() {
    let (text, _) = run(&["replay", "rules/confrontation/records"]);
    for ending in [
        "Good wins \"Frodo enters Mordor\"",
        "Dark wins \"three in the Shire\"",
        "Dark wins \"Frodo is removed\"",
        "Good wins \"cannot move\"",
        "Dark wins \"cannot move\"",
        "draw \"too long a game\"",
    ] {
        assert!(text.contains(ending), "{ending} in:\n{text}");
    }
}

#[test]
fn the_records_of_riddle_end_in_every_way_a_game_can_end() {
    let (text, _) = run(&["replay", "rules/riddle/records"]);
    for ending in [
        "Frodo wins \"the Ring is shown\"",
        "Black Rider 1 wins \"the Ring is shown\"",
        "Frodo, Sam wins \"the Ring is shown\"",
        "Sam wins \"the last one\"",
        "draw \"nobody is left\"",
        "draw \"the time is up\"",
        "draw \"fewer than two players\"",
    ] {
        assert!(text.contains(ending), "{ending} in:\n{text}");
    }
}

#[test]
fn a_match_has_a_winner() {
    let game = |n| format!("rules/confrontation/records/match/game-{n}.record");
    let (text, code) = run(&["replay", "--match", &game(1), &game(2)]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.ends_with("match: First wins (First 7, Second 4)\n"), "{text}");
    let (text, code) = run(&["replay", "--match", &game(1)]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("a match is 2 games, given are 1"), "{text}");
}

#[test]
fn every_broken_record_is_reported() {
    let folder = "tests/records/broken";
    let mut files = records(folder);
    files.retain(|file| file.parent() == Some(Path::new(folder)));
    assert!(files.len() >= 17);
    for file in files {
        let path = file.to_str().unwrap().replace('\\', "/");
        let (text, code) = run(&["replay", &path]);
        assert!(matches!(code, Some(1 | 2)), "{path}: {code:?}\n{text}");
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        insta::assert_snapshot!(
            format!("broken-{name}"),
            format!("{}\nexit {}", without_digests(&text), code.unwrap())
        );
    }
}

/// All of a game in one run, since the rules are large.
#[test]
fn every_broken_record_of_the_large_games_is_reported() {
    for game in ["miniatures", "riddle", "war-of-the-ring", "middle-earth-ccg"] {
        let folder = format!("tests/records/broken/{game}");
        let files = records(&folder);
        assert!(files.len() >= 20);
        let (text, code) = run(&["replay", &folder]);
        assert_eq!(code, Some(1), "{text}");
        let summary = format!("{0} records: 0 legal throughout, {0} not\n", files.len());
        assert!(text.ends_with(&summary), "{text}");
        insta::assert_snapshot!(format!("broken-{game}"), without_digests(&text));
    }
}

#[test]
fn a_folder_of_records_goes_on_after_a_broken_one() {
    let (text, code) = run(&["replay", "tests/records/broken"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("unread tests/records/broken/empty.record"), "{text}");
    assert!(text.contains("stopped tests/records/broken/wrong-seat.record"), "{text}");
    assert!(text.trim_end().ends_with(" not"), "{text}");
}

#[test]
fn a_record_is_brought_up_to_date() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.record");
    let source = root().join("rules/confrontation/records/12-mordor-is-full.record");
    let text = std::fs::read_to_string(source).unwrap();
    let rules = text.lines().find(|l| l.starts_with("rules ")).unwrap();
    std::fs::write(&file, text.replace(rules, "rules 0000000000000001").replace(" ; 4 ", " ; 5 ")).unwrap();
    let path = file.to_str().unwrap();
    let (before, _) = run(&["replay", path]);
    assert!(before.contains("other rules") && before.contains("first differs at ply 1"), "{before}");
    let (said, code) = run(&["replay", path, "--rewrite"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("rewritten") && said.contains("ply 1: 5 -> 4 options"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert!(run(&["replay", path, "--rewrite"]).0.starts_with("unchanged"));
    // A game that is over and does not say so.
    let result = text.lines().last().unwrap();
    std::fs::write(&file, text.replace(&format!("{result}\n"), "")).unwrap();
    let (said, code) = run(&["replay", path, "--rewrite"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("rewritten") && said.contains(&format!("added: {result}")), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let broken = text.replace("Cave Troll to High Pass", "Cave Troll to Shire");
    std::fs::write(&file, &broken).unwrap();
    let (said, code) = run(&["replay", path, "--rewrite"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.starts_with("left as it is"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), broken);
}

/// A replay that goes on from the last one finds what a replay from the beginning finds: while a record is typed, and
/// after a line of it is taken out, changed, or brings another beginning.
#[test]
fn a_replay_goes_on_from_the_last_one() {
    let files = ["classics/backgammon", "confrontation", "miniatures", "middle-earth-ccg/records/0"];
    let mut compared = 0;
    for folder in files {
        let (game, only) = folder.split_once("/records/").unwrap_or((folder, ""));
        let shelf = Rulebook::new(library::find(game).unwrap());
        let all = records(&format!("rules/{game}/records"));
        let named = |file: &&PathBuf| file.file_name().unwrap().to_string_lossy().starts_with(only);
        for (seed, file) in all.iter().filter(named).take(2).enumerate() {
            let text = std::fs::read_to_string(root().join(file)).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            let (mut trail, mut other) = (record::Trail::default(), record::Trail::default());
            let mut compare = |lines: &[&str]| {
                let Ok(read) = record::parse_on(&lines.join("\n")) else { return };
                let rules = shelf.rules(&read.settings).unwrap();
                assert_eq!(
                    rules.replay_on(&read, &mut trail),
                    rules.replay(&read),
                    "{}\n{}",
                    file.display(),
                    lines.len()
                );
                let read = record::Record { rules: Some(1), ..read };
                assert_eq!(rules.replay_on(&read, &mut other), rules.replay(&read), "under other rules");
                compared += 1;
            };
            for (step, to) in (1..=lines.len()).step_by(lines.len() / 20 + 1).enumerate() {
                compare(&lines[..to]);
                let digest = lines[to - 1].rsplit_once(' ').map_or("", |(start, _)| start);
                compare(&[&lines[..to - 1], &[digest]].concat());
                let out = (step * 37 + seed) % to;
                compare(&[&lines[..out], &lines[out + 1..]].concat());
            }
            compare(&lines);
        }
    }
    assert!(compared > 200, "{compared}");
}
