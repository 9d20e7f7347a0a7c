//! Texts that are half written: the language server answers about them, and what reads them does not panic.

use std::path::{Path, PathBuf};

use lawspeaker::casebook;
use lawspeaker::check::{Memory, check_again, check_all_seats};
use lawspeaker::language_server::Server;
use lawspeaker::{library, record, syntax};
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use crate::common::files::{root, under};
use crate::language_server::tokens_of;

/// Every place that an answer names lies in the text.
fn inside(answer: &Json, text: &str) {
    match answer {
        Json::Array(list) => list.iter().for_each(|a| inside(a, text)),
        Json::Object(map) => {
            if let (Some(line), Some(character)) = (map.get("line"), map.get("character")) {
                let line = line.as_u64().unwrap() as usize;
                let found = text.split('\n').nth(line).unwrap_or_else(|| panic!("line {line}"));
                assert!(character.as_u64().unwrap() as usize <= found.encode_utf16().count(), "{answer}");
            }
            map.values().for_each(|a| inside(a, text));
        }
        _ => {}
    }
}

/// Opens a text in the place of a file, and asks about places in it.
fn edited(server: &mut Server, path: &Path, text: &str, seed: usize) {
    let uri = format!("file://{}", path.display());
    let method = if seed == 0 { "textDocument/didOpen" } else { "textDocument/didChange" };
    let params = json!({
        "textDocument": { "uri": uri, "text": text, "version": seed }, "contentChanges": [{ "text": text }],
    });
    server.notified(method, &params);
    for (_, notice) in server.settle() {
        if notice["uri"] == uri {
            notice["diagnostics"].as_array().unwrap().iter().for_each(|d| inside(&d["range"], text));
        }
    }
    let tokens =
        server.request("textDocument/semanticTokens/full", &json!({ "textDocument": { "uri": uri } })).unwrap();
    if !tokens.is_null() {
        tokens_of(&tokens, text);
    }
    let line = seed * 7 % (text.matches('\n').count() + 1);
    for character in [0, 5, 17] {
        let position = json!({ "line": line, "character": character });
        let at = json!({ "textDocument": { "uri": uri }, "position": position, "context": { "diagnostics": [] } });
        for method in [
            "hover",
            "completion",
            "documentSymbol",
            "foldingRange",
            "formatting",
            "codeAction",
            "codeLens",
            "inlayHint",
        ] {
            let answer = server.request(&format!("textDocument/{method}"), &at);
            if method != "formatting" || seed.is_multiple_of(5) {
                inside(&answer.unwrap_or_default(), text);
            }
        }
        for method in ["definition", "references"] {
            let places = server.request(&format!("textDocument/{method}"), &at).unwrap_or_default();
            let own = places.as_array().into_iter().flatten().filter(|p| p["uri"] == uri);
            own.for_each(|place| inside(&place["range"], text));
        }
    }
}

/// Goes through beginnings of the files of shipped games that an editor opens, and through these files with a stretch
/// taken out.
fn half_written(games: &[&str], endings: &[&str], one_of: usize) {
    for game in games {
        let folder = root().join("rules").join(game);
        let asked = |path: &PathBuf| path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending));
        for path in under(&folder).into_iter().filter(asked) {
            let (text, mut server) = (std::fs::read_to_string(&path).unwrap(), Server::default());
            let ends = text.char_indices().map(|(at, _)| at);
            for (seed, at) in ends.step_by(one_of).enumerate() {
                edited(&mut server, &path, &text[..at], seed);
                let mut without = text.clone();
                let to = (at..text.len()).skip(seed * 13 % 90).find(|n| text.is_char_boundary(*n)).unwrap_or(at);
                without.replace_range(at..to, "");
                edited(&mut server, &path, &without, seed + 1);
            }
        }
    }
}

#[test]
fn half_written_files_are_answered_about() {
    half_written(&["classics/tic-tac-toe"], &["law"], 197);
    half_written(&["classics/leduc-holdem"], &["law"], 1999);
    half_written(&["classics/tic-tac-toe"], &["md", "record"], 397);
}

#[test]
#[ignore = "long: every beginning of every file of the smallest game"]
fn every_beginning_of_the_smallest_game_is_answered_about() {
    half_written(&["classics/tic-tac-toe"], &["law", "md", "record"], 1);
}

/// What an editor asks while somebody types at the end of a text, one question a key, and where the answer lies.
fn typed(server: &mut Server, path: &Path, text: &str, seed: usize, method: &str) {
    const QUESTIONS: [&str; 8] =
        ["completion", "hover", "codeAction", "documentSymbol", "inlayHint", "foldingRange", "codeLens", "definition"];
    let uri = format!("file://{}", path.display());
    let changed = json!({
        "textDocument": { "uri": uri, "text": text, "version": seed }, "contentChanges": [{ "text": text }],
    });
    server.notified(&format!("textDocument/{method}"), &changed);
    let own = server.settle().into_iter().filter(|(_, notice)| notice["uri"] == uri);
    own.for_each(|(_, notice)| {
        notice["diagnostics"].as_array().unwrap().iter().for_each(|d| inside(&d["range"], text))
    });
    let last = text.rsplit('\n').next().unwrap();
    let position = json!({ "line": text.matches('\n').count(), "character": last.encode_utf16().count() });
    let at = json!({ "textDocument": { "uri": uri }, "position": position, "context": { "diagnostics": [] } });
    let question = QUESTIONS[seed % QUESTIONS.len()];
    let answer = server.request(&format!("textDocument/{question}"), &at).unwrap_or_default();
    match question {
        "definition" => {
            let places = answer.as_array().into_iter().flatten().filter(|p| p["uri"] == uri);
            places.for_each(|place| inside(&place["range"], text));
        }
        _ => inside(&answer, text),
    }
}

/// Types the rule files of all shipped games from their beginning to their end, on all cores. The server is asked after
/// one of `ONE_OF` keys (`ONE_OF=1`: after each); `ONLY` says which games or files, by a part of their paths, and
/// `ENDING` with which ending (`md`: casebooks, `record`). Blocks of casebooks, which know nothing of each other, are
/// typed one after the other in the place of the file.
#[test]
#[ignore = "long: beginnings of every shipped rule file"]
fn beginnings_of_every_file_are_answered_about() {
    let one_of: usize = std::env::var("ONE_OF").map_or(499, |n| n.parse().unwrap());
    let only = std::env::var("ONLY").unwrap_or_default();
    let ending = std::env::var("ENDING").unwrap_or_else(|_| String::from("law"));
    let asked =
        |path: &PathBuf| path.extension().is_some_and(|e| *e == *ending) && path.display().to_string().contains(&only);
    let mut files: Vec<PathBuf> = under(&root().join("rules")).into_iter().filter(asked).collect();
    files.sort_by_key(|path| std::cmp::Reverse(std::fs::metadata(path).unwrap().len()));
    files.par_iter().with_max_len(1).for_each(|path| {
        let (began, text) = (std::time::Instant::now(), std::fs::read_to_string(path).unwrap());
        let mut server = Server::default();
        let texts = if ending == "md" { blocks(&text) } else { vec![text.as_str()] };
        let ends = texts.iter().flat_map(|text| text.char_indices().map(move |(at, _)| (*text, at)));
        let mut asked = 0;
        for (seed, (text, at)) in ends.step_by(one_of).enumerate() {
            typed(&mut server, path, &text[..at], seed, if seed == 0 { "didOpen" } else { "didChange" });
            if seed % 10 == 9 {
                let to = (at..text.len()).skip(seed * 13 % 90).find(|n| text.is_char_boundary(*n)).unwrap_or(at);
                typed(&mut server, path, &[&text[..at], &text[to..]].concat(), seed, "didChange");
            }
            asked += 1;
        }
        let name = path.strip_prefix(root()).unwrap().display();
        println!("{name}: {asked} beginnings, {:.0?}", began.elapsed());
    });
}

/// A check that remembers what it found says the same as one that does not, while a text is typed and after a stretch of
/// it is taken out.
fn found_anew(game: &str, one_of: usize) {
    let rules = library::find(game).unwrap().rules();
    for at in (0..rules.len()).filter(|at| rules[*at].0.ends_with(".law")) {
        let (mut memory, text) = (Memory::default(), &rules[at].1);
        let mut check = |written: String| {
            let mut files = rules.clone();
            files[at].1 = written;
            let (again, anew) = (check_again(&mut memory, &files, &[]), check_all_seats(&files, &[]));
            assert_eq!(again.diagnostics, anew.diagnostics, "{}", files[at].1);
            assert_eq!(again.model.is_some(), anew.model.is_some());
            assert_eq!(again.sources.files.len(), anew.sources.files.len());
            assert!(again.sources.files.iter().zip(&anew.sources.files).all(|(a, b)| a.text == b.text));
        };
        let ends = text.char_indices().map(|(at, _)| at).step_by(one_of);
        for (seed, end) in ends.enumerate() {
            check(text[..end].to_owned());
            // With letters of another word, and with the rest of the file but for a few letters.
            check(format!("{}zz", &text[..end]));
            let to = (end..text.len()).skip(seed * 13 % 90).find(|n| text.is_char_boundary(*n)).unwrap_or(end);
            check(text[..end].to_owned() + &text[to..]);
            check(format!("{}x{}", &text[..end], &text[to..]));
        }
    }
}

#[test]
fn what_was_found_before_is_found_anew() {
    found_anew("classics/tic-tac-toe", 5);
    found_anew("classics/leduc-holdem", 61);
    found_anew("confrontation", 997);
}

#[test]
#[ignore = "long: beginnings of the files of a game, each checked with and without memory"]
fn what_was_found_before_is_found_anew_everywhere() {
    let one_of: usize = std::env::var("ONE_OF").map_or(1, |n| n.parse().unwrap());
    found_anew(&std::env::var("ONLY").unwrap_or_else(|_| String::from("classics/leduc-holdem")), one_of);
}

/// Every beginning of every shipped file, and the file with a stretch taken out there, is read, and what is said about
/// it lies in it. Blocks of casebooks, which know nothing of each other, are read by themselves, and the beginnings of
/// the whole are those that end with a line. `ONLY` says which files, by a part of their paths.
#[test]
#[ignore = "long: every beginning of every shipped file"]
fn every_beginning_is_read() {
    let read = |ending: &str, text: &str| match ending {
        "law" => {
            let (_, faults) = syntax::parse(0, text);
            for fault in faults {
                let (start, end) = (fault.span.start as usize, fault.span.end as usize);
                assert!(text.get(start..end).is_some(), "{start}..{end}: {}", fault.message);
            }
        }
        "md" => {
            let lines = text.lines().count();
            let faults = casebook::parse("cases.md", text).1;
            faults.iter().for_each(|fault| assert!(fault.fault.line <= lines + 1, "{fault}"));
        }
        _ => {
            let lines = text.lines().count();
            let faults = record::parse(text).err().unwrap_or_default();
            faults.iter().for_each(|fault| assert!(fault.line <= lines + 1, "{fault}"));
        }
    };
    let only = std::env::var("ONLY").unwrap_or_default();
    for ending in ["law", "md", "record"] {
        let began = std::time::Instant::now();
        let asked = |path: &PathBuf| {
            path.extension().is_some_and(|e| e == ending) && path.display().to_string().contains(&only)
        };
        let files: Vec<String> = under(&root().join("rules")).into_iter().filter(asked).map(text_of).collect();
        let places = |text: &str| -> Vec<usize> { text.char_indices().map(|(at, _)| at).collect() };
        let mut all: Vec<(&str, usize)> = Vec::new();
        for text in &files {
            match ending {
                "md" => {
                    blocks(text).iter().for_each(|block| all.extend(places(block).into_iter().map(|at| (*block, at))));
                    all.extend(text.match_indices('\n').map(|(at, _)| (text.as_str(), at)));
                }
                _ => all.extend(places(text).into_iter().map(|at| (text.as_str(), at))),
            }
        }
        all.par_iter().enumerate().for_each(|(seed, (text, at))| {
            read(ending, &text[..*at]);
            let to = (*at..text.len()).skip(seed * 13 % 90).find(|n| text.is_char_boundary(*n)).unwrap_or(*at);
            if seed.is_multiple_of(10) {
                read(ending, &[&text[..*at], &text[to..]].concat());
            }
        });
        println!("{ending}: {} files, {} beginnings, {:.0?}", files.len(), all.len(), began.elapsed());
    }
}

/// A casebook in parts, each but the first with a block at its beginning.
fn blocks(text: &str) -> Vec<&str> {
    let (mut found, mut from, mut at, mut inside) = (Vec::new(), 0, 0, false);
    for line in text.split_inclusive('\n') {
        if line.starts_with("```") {
            if !inside {
                found.push(&text[from..at]);
                from = at;
            }
            inside = !inside;
        }
        at += line.len();
    }
    found.push(&text[from..]);
    found
}

fn text_of(path: PathBuf) -> String {
    std::fs::read_to_string(path).unwrap()
}
