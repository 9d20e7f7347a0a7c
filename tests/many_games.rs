//! `simulate` and `explore`: precision, figures, tables, pages, and what Ctrl-C leaves.

use serde_json::Value as Json;

use crate::common::session::{Session, has};

fn json(said: &str) -> Json {
    serde_json::from_str(said).unwrap_or_else(|e| panic!("{e}:\n{said}"))
}

/// The objects of a table with one on each line.
fn lines(text: &str) -> Vec<Json> {
    text.lines().map(json).collect()
}

fn number(value: &Json) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn games_are_played_until_a_precision_is_reached() {
    let session = Session::with_nim();
    let play = |args: &[&str]| session.says(0, &[&["simulate", "nim", "--seed", "5"], args].concat());
    let said = play(&["--precision", "4", "--threads", "1"]);
    has(&said, &["each seat's share is known to ±4 points, after ", "hold at 95 % for all ", " looks together"]);
    assert_eq!(said, play(&["--precision", "4", "--threads", "3"]));
    let data = json(&play(&["--precision", "4", "--json"]));
    assert_eq!(data["precision"]["reached"], true);
    let looks: Vec<u64> = data["precision"]["looks"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert!(looks.contains(&data["games"].as_u64().unwrap()), "{data}");
    for share in data["wins"].as_array().unwrap().iter().take(2) {
        assert!(number(&share["high"]) - number(&share["low"]) <= 0.0801, "{share}");
    }
    let few = play(&["--precision", "4", "--games", "50"]);
    has(&few, &["after 50 games, some seat's share is not yet known to ±4 points"]);
    for points in ["0", "26", "many", "-1", "NaN"] {
        has(&session.says(2, &["simulate", "nim", "--precision", points]), &["percentage points from 0.01 to 25"]);
    }
}

#[test]
fn details_are_told_and_add_up() {
    let session = Session::with_nim();
    session.change("nim/game.law", "option counters", "option quick: Bool = false \"Quick\"\noption counters");
    let play = |args: &[&str]| session.says(0, &[&["simulate", "nim", "--games", "60", "--seed", "5"], args].concat());
    let said = play(&["--details", "--threads", "1"]);
    assert_eq!(said, play(&["--details", "--threads", "3"]));
    // What is told without details is told in the same words with them.
    let plain = play(&[]);
    for line in plain.lines() {
        assert!(said.contains(line), "{line} in {said}");
    }
    insta::assert_snapshot!("details", said);
    insta::assert_snapshot!("details-ja", play(&["--details", "--lang", "ja"]));
    let data = json(&play(&["--details", "--json"]));
    let details = &data["details"];
    let sum = |rows: &Json, key: &str| rows.as_array().unwrap().iter().map(|row| number(&row[key])).sum::<f64>();
    let plies = sum(&details["plies_by_kind"], "plies");
    assert!((plies / 60.0 - number(&data["plies"]["mean"])).abs() < 1e-9, "{data}");
    assert!((sum(&details["options_by_seat"], "decisions") - plies).abs() < 1e-9, "{data}");
    assert!((sum(&details["wins_by_plies"], "games") - 60.0).abs() < 1e-9, "{data}");
    assert!((sum(&details["first_choices"][0]["choices"], "games") - 60.0).abs() < 1e-9, "{data}");
    assert_eq!(data["endings"][0]["clause"]["cites"][0], "end.1");
    let varied = play(&["--vary"]);
    has(&varied, &["option or reading, and who won then:", "quick=false", "quick=true"]);
    assert_eq!(varied, play(&["--vary", "--threads", "3"]));
    let both = ["simulate", "nim", "--at", "p.position", "--vary"];
    has(&session.says(2, &both), &["--vary", "cannot be used with"]);
}

#[test]
fn what_stands_on_the_board_at_the_end_is_told() {
    let session = Session::empty();
    let said = session.says(0, &["simulate", "breakthrough", "--games", "20", "--details"]);
    has(&said, &["on the board at the end, and who won then:"]);
    let data = json(&session.says(0, &["simulate", "breakthrough", "--games", "20", "--details", "--json"]));
    assert!(!data["details"]["on_board_at_end"].as_array().unwrap().is_empty(), "{data}");
}

#[test]
fn a_table_has_one_row_a_game() {
    let session = Session::with_nim();
    let play = |file: &str, more: &[&str]| {
        session.says(0, &[&["simulate", "nim", "--games", "20", "--table", file], more].concat())
    };
    let said = play("games.csv", &[]);
    has(&said, &["written: games.csv", "  First\n"]);
    let csv = session.read("games.csv");
    let head =
        "game,seed,winners,won_First,won_Second,ending,clause,cites,plies,decisions,first_First,first_Second,fault";
    assert_eq!(csv.lines().next(), Some(head));
    assert_eq!(csv.lines().count(), 21);
    play("games.json", &["--threads", "2"]);
    let rows = lines(&session.read("games.json"));
    assert_eq!(rows.len(), 20);
    let data = json(&session.says(0, &["simulate", "nim", "--games", "20", "--json"]));
    let won = rows.iter().filter(|row| row["won_First"] == true).count();
    assert_eq!(data["wins"][0]["games"], won);
    assert_eq!((&rows[3]["game"], &rows[3]["cites"]), (&Json::from(4), &Json::from("end.1")));
    assert!(rows.iter().all(|row| row["first_First"].as_str().is_some_and(|text| text.starts_with("take "))));
    // The seed of a game plays it again.
    let plies: f64 = rows.iter().map(|row| number(&row["plies"])).sum();
    assert!((plies / 20.0 - number(&data["plies"]["mean"])).abs() < 1e-9);

    let again = ["simulate", "nim", "--games", "5", "--table", "games.csv"];
    has(&session.says(2, &again), &["games.csv is there already", "--force"]);
    assert_eq!(session.read("games.csv"), csv);
    session.says(0, &[&again[..], &["--force"]].concat());
    assert_eq!(session.read("games.csv").lines().count(), 6);
    has(&session.says(2, &["simulate", "nim", "--table", "games.txt"]), &["does not say how", ".csv, .json"]);
    if cfg!(not(feature = "parquet")) {
        has(&session.says(2, &["simulate", "nim", "--table", "g.parquet"]), &["without Parquet", "--features parquet"]);
    }
    play("varied.json", &["--vary"]);
    assert!(lines(&session.read("varied.json")).iter().all(|row| row["counters"] == "15"));
}

#[test]
fn a_page_needs_no_other_file_and_no_script() {
    let session = Session::with_nim();
    let play = ["simulate", "nim", "--games", "40", "--seats", "First=first", "--html", "games.html"];
    has(&session.says(0, &play), &["written: games.html"]);
    let page = session.read("games.html");
    has(
        &page,
        &[
            "<!doctype html>",
            "prefers-color-scheme: dark",
            "lawspeaker simulate nim --games 40 --seats First=first --html games.html",
            "seed 1",
            "First: first",
            "says little about how people would fare",
            "class=\"plot\" role=\"img\"",
            "end.1",
        ],
    );
    assert!(page.matches("<svg class=\"plot\"").count() >= 5, "{page}");
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!page.contains("<script") && !elsewhere.contains("http") && !elsewhere.contains("src="), "{page}");
    has(&session.says(2, &play), &["games.html is there already"]);
    let japanese = [&play[..], &["--force", "--lang", "ja"]].concat();
    session.says(0, &japanese);
    has(&session.read("games.html"), &["<html lang=\"ja\">", "勝者", "終わり方", "無作為に指す席"]);
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_a_report_and_a_whole_table() {
    let session = Session::with_nim();
    let args = ["simulate", "nim", "--games", "1000000000", "--table", "games.json"];
    let child = session.command(&args).spawn().unwrap();
    // The file that grows beside the table is there once games are about to be played.
    let begun = || {
        let files = std::fs::read_dir(session.dir.path()).unwrap().flatten();
        files.into_iter().any(|file| file.file_name().to_string_lossy().ends_with(".tmp"))
    };
    while !begun() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let said = crate::common::session::checked(&output, 130, &args);
    has(&said, &["cut off by Ctrl-C after ", "by ending:", "written: games.json"]);
    let games: usize = said.split("after ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert_eq!(lines(&session.read("games.json")).len(), games);
}

#[test]
fn settings_are_explored_side_by_side() {
    let session = Session::with_nim();
    let explore = |code, args: &[&str]| session.says(code, &[&["explore", "nim", "--games", "300"], args].concat());
    let grid = ["--with", "counters=7..9"];
    let said = explore(0, &grid);
    assert_eq!(said, explore(0, &[&grid[..], &["--threads", "3"]].concat()));
    insta::assert_snapshot!("explored", said);
    insta::assert_snapshot!("explored-ja", explore(0, &[&grid[..], &["--lang", "ja"]].concat()));
    let files = ["--table", "explored.csv", "--html", "explored.html"];
    explore(0, &[&grid[..], &files[..]].concat());
    let csv = session.read("explored.csv");
    assert!(csv.starts_with("counters,games,faults,won_First,won_First_low,"), "{csv}");
    assert_eq!(csv.lines().count(), 4);
    has(&session.read("explored.html"), &["<svg class=\"plot\"", "counters", "All settings", "lawspeaker explore nim"]);
    let data = json(&explore(0, &[&grid[..], &["--json"]].concat()));
    assert_eq!(data["cells"][2]["with"]["counters"], "9");
    assert_eq!(data["figures"], 9);
    let precise = session.says(0, &[&["explore", "nim", "--precision", "8"], &grid[..]].concat());
    has(&precise, &["Shares are known to ±8 points"]);

    has(&explore(2, &[]), &["there is nothing to put side by side"]);
    has(&explore(2, &["--with", "counters=7..31"]), &["`counters` is from 7 to 30"]);
    has(&explore(2, &["--with", "contuers=7..9"]), &["contuers"]);
    has(&explore(2, &["--with", "counters=7", "--with", "counters=8"]), &["counters is given twice"]);
    has(&explore(2, &["--with", "counters=9..7"]), &["write NAME=VALUES"]);
}

#[test]
fn the_value_that_makes_a_game_even_is_found() {
    let session = Session::with_nim();
    let even = |code, args: &[&str]| session.says(code, &[&["explore", "nim", "--even", "First"], args].concat());
    let said = even(0, &["--with", "counters=7..30", "--games", "400"]);
    has(&said, &["First has", "hold at 95 % at all looks at all values together", "points of First %"]);
    insta::assert_snapshot!("even", said);
    has(&even(2, &[]), &["--even looks in the range of one option"]);
    has(&even(2, &["--with", "counters=7,9"]), &["--even looks in the range of one option"]);
    has(&session.says(2, &["explore", "nim", "--even", "Nobody", "--with", "counters=7..9"]), &["Nobody"]);
}

#[test]
fn shipped_games_are_told_in_detail() {
    let session = Session::empty();
    let said = session.says(0, &["games", "confrontation"]);
    has(&said, &["2 seats, ", "seats: ", "options:", "turn_limit: 0..2000 (default 1000)", "readings:", "variants:"]);
    has(&said, &["open_river"]);
    let data = json(&session.says(0, &["games", "riddle", "--json"]));
    assert_eq!((&data["seats"]["least"], &data["seats"]["most"]), (&Json::from(2), &Json::from(8)));
    let all = json(&session.says(0, &["games", "--json"]));
    for game in all.as_array().unwrap() {
        assert!(number(&game["clauses"]) > 0.0 && number(&game["seats"]["least"]) > 0.0, "{game}");
    }
    has(&session.says(0, &["games", "confrontation", "--lang", "ja"]), &["2 席", "オプション："]);
    has(&session.says(2, &["games", "confrontatoin"]), &["confrontation"]);
}

#[test]
fn shells_and_the_manual_know_the_commands() {
    let session = Session::empty();
    has(&session.says(0, &["completions", "bash"]), &["_lawspeaker()", "--precision", "explore"]);
    has(&session.says(0, &["completions", "zsh"]), &["#compdef lawspeaker"]);
    has(&session.says(2, &["completions", "sh"]), &["bash", "fish"]);
    let said = session.says(0, &["man", "--out", "man1"]);
    has(&said, &["man1/lawspeaker.1", "man1/lawspeaker-simulate.1"]);
    has(&session.read("man1/lawspeaker-explore.1"), &[".TH lawspeaker\\-explore 1", "\\-\\-even"]);
    has(&session.says(2, &["man", "--out", "man1"]), &["is there already", "--force"]);
    session.says(0, &["man", "--out", "man1", "--force"]);
}
