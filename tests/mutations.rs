//! Whatever is done to rule files, checking them neither panics nor hangs.

use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use lawspeaker::check::check;
use lawspeaker::report;
use proptest::prelude::*;

use crate::common::files::{root, texts};

/// The files of a game: path and text.
type Files = Vec<(String, String)>;

static LARGE: LazyLock<Files> = LazyLock::new(|| texts(&root().join("rules/confrontation")));

/// Small games: each fixture is one.
static SMALL: LazyLock<Vec<Files>> = LazyLock::new(|| {
    let here = root().join("tests/check");
    let mut games = Vec::new();
    for folder in [here.clone(), here.join("fine")] {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let mut files = Vec::new();
            if entry.path().join("game.law").exists() {
                files = texts(&entry.path());
            } else if entry.path().is_file() {
                files.push(("game.law".to_owned(), fs::read_to_string(entry.path()).unwrap()));
            }
            games.push(files);
        }
    }
    games.retain(|g: &Files| !g.is_empty());
    games.sort();
    games
});

/// What is done to a text; the numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Change {
    Delete(usize, usize),
    Double(usize, usize),
    Swap(usize, usize),
    Replace(usize, usize),
    DeleteLine(usize),
    DoubleLine(usize),
    Put(usize, String),
}

fn change() -> impl Strategy<Value = Change> {
    let at = || any::<usize>();
    let odd = prop::sample::select(vec![
        "none",
        "-1",
        "99999999999",
        "2147483647",
        "-2147483648",
        "0..2147483647",
        "{",
        "}",
        "(",
        ")",
        "\"",
        "not",
        "if",
        "Player",
        "set of 0..9",
        "play",
        "holder",
        "指輪",
        "nested 32",
        "\\",
        "//",
        "\t",
        ",",
        ".",
        "x",
        "X",
    ]);
    prop_oneof![
        (at(), 1..4usize).prop_map(|(a, n)| Change::Delete(a, n)),
        (at(), 1..4usize).prop_map(|(a, n)| Change::Double(a, n)),
        (at(), at()).prop_map(|(a, b)| Change::Swap(a, b)),
        (at(), at()).prop_map(|(a, b)| Change::Replace(a, b)),
        at().prop_map(Change::DeleteLine),
        at().prop_map(Change::DoubleLine),
        (at(), odd).prop_map(|(a, s)| Change::Put(a, s.to_owned())),
    ]
}

/// Words, numbers, texts, white space and single signs.
fn tokens(text: &str) -> Vec<String> {
    let sort = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 3,
    };
    let mut found: Vec<String> = Vec::new();
    let mut last = 0;
    for c in text.chars() {
        match found.last_mut() {
            Some(token) if sort(c) == last && last != 3 => token.push(c),
            _ => found.push(c.to_string()),
        }
        last = sort(c);
    }
    found
}

fn changed(text: &str, change: &Change) -> String {
    if let Change::DeleteLine(at) | Change::DoubleLine(at) = change {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        if lines.is_empty() {
            return text.to_owned();
        }
        let at = at % lines.len();
        if matches!(change, Change::DeleteLine(_)) {
            lines.remove(at);
        } else {
            lines.insert(at, lines[at]);
        }
        return lines.concat();
    }
    let mut all = tokens(text);
    let n = all.len().max(1);
    if all.is_empty() {
        return text.to_owned();
    }
    match change {
        Change::Delete(at, many) => {
            let at = at % n;
            all.drain(at..(at + many).min(n));
        }
        Change::Double(at, many) => {
            let at = at % n;
            let copy: Vec<String> = all[at..(at + many).min(n)].to_vec();
            all.splice(at..at, copy);
        }
        Change::Swap(a, b) => all.swap(a % n, b % n),
        Change::Replace(a, b) => all[a % n] = all[b % n].clone(),
        Change::Put(at, what) => all[at % n] = what.clone(),
        Change::DeleteLine(_) | Change::DoubleLine(_) => {}
    }
    all.concat()
}

/// Checks a game with all its variants and without, and renders what is found.
fn survives(files: &Files) {
    let names = files.iter().filter_map(|(n, _)| n.strip_prefix("variants/")?.strip_suffix(".law"));
    let variants: Vec<String> = names.map(|n| n.replace('-', "_")).collect();
    for wanted in [Vec::new(), variants] {
        let begun = Instant::now();
        let found = check(files, &wanted);
        assert!(begun.elapsed() < Duration::from_secs(10), "takes {:?}", begun.elapsed());
        for d in found.diagnostics.iter().take(20) {
            assert!(!report::text(d, &found.sources, false).is_empty());
            for (span, _) in &d.labels {
                let text = found.sources.files.get(span.file as usize).map_or("", |f| &f.text);
                assert!(text.get(span.start as usize..span.end as usize).is_some(), "{} points nowhere", d.code);
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::common::tried(40))]

    #[test]
    fn a_changed_large_game_is_checked(changes in prop::collection::vec((any::<usize>(), change()), 1..4)) {
        let mut files = LARGE.clone();
        for (at, change) in &changes {
            let n = files.len();
            let text = &mut files[at % n].1;
            *text = changed(text, change);
        }
        survives(&files);
    }
}

proptest! {
    #![proptest_config(crate::common::tried(1500))]

    #[test]
    fn a_changed_small_game_is_checked(
        game in any::<usize>(),
        changes in prop::collection::vec((any::<usize>(), change()), 1..6),
    ) {
        let mut files = SMALL[game % SMALL.len()].clone();
        for (at, change) in &changes {
            let n = files.len();
            let text = &mut files[at % n].1;
            *text = changed(text, change);
        }
        survives(&files);
    }
}

/// A game with one more declaration.
fn with(declaration: &str) -> Files {
    let text = format!("game g\nplayers North, South\nprocedure play {{ }}\n{declaration}\n");
    vec![("game.law".to_owned(), text)]
}

#[test]
fn deep_rows_of_deep_brackets_are_survived() {
    let row = " + 1".repeat(60);
    let deep = format!("{}1{}", "(".repeat(60), format!("{row})").repeat(60));
    survives(&with(&format!("define f() -> Int = {deep}")));
    survives(&with(&format!("ends draw \"x\" when {deep} > 3")));
    let not = "not (".repeat(60) + "true" + &")".repeat(60);
    survives(&with(&format!("ends draw \"x\" when {not}")));
    let nested = "when true { ".repeat(60) + &"}".repeat(60);
    survives(&with(&format!("procedure p() {{ {nested} }}")));
}

#[test]
fn more_things_than_can_be_numbered_are_reported() {
    let members: Vec<String> = (0..65_600).map(|i| format!("M{i}")).collect();
    let files = with(&format!("kind Card members {}", members.join(", ")));
    let found = check(&files, &[]);
    assert!(found.model.is_none());
    assert_eq!(found.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["law::range"]);
    let ends = (0..65_600).map(|i| format!("ends draw \"e{i}\" when false\n")).collect::<String>();
    survives(&with(&ends));
}

#[test]
fn wide_ranges_are_survived() {
    for declaration in [
        "var x: 0..2147483647 = 0\nends draw \"x\" when (match x { 0: 1 }) > 0",
        "var x: set of 0..2147483647",
        "var x: set of -2147483648..2147483647",
        "define f() -> Bool = 3 in { -2147483648, 2147483647 }",
        "define f() -> Bool = 3 in 0..2147483647",
        "define f() -> Int = -(-2147483648) - 2147483648",
        "define f() -> Int = 99999999999999999999",
        "kind K { s: set of 5..9 }\nK A { s { 1, 2 } }",
    ] {
        survives(&with(declaration));
    }
    let members: Vec<String> = (0..60_000).map(|i| format!("M{i}")).collect();
    let sets: String = (0..20).map(|i| format!("var s{i}[Card]: set of Card\n")).collect();
    survives(&with(&format!("kind Card members {}\n{sets}", members.join(", "))));
}

#[test]
fn long_chains_are_survived() {
    let chain: String = (0..5_000).map(|i| format!("define f{i}() -> Int = f{}()\n", i + 1)).collect();
    survives(&with(&format!("{chain}define f5000() -> Int = f0()")));
    let chain: String = (0..2_000).map(|i| format!("procedure p{i}() {{ p{}() }}\n", i + 1)).collect();
    survives(&with(&format!("{chain}procedure p2000() {{ }}")));
}
