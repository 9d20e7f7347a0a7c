//! What was explored, on the screen, as JSON, and as a table for other programs.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::map;
use lawspeaker::stats::Estimate;
use serde_json::{Value as Json, json};

use super::even::{Found, Side};
use super::rows::Cell;
use super::{Even, Explored};
use crate::cli::Stop;
use crate::cli::columns::aligned;
use crate::cli::screen::Screen;
use crate::cli::simulate::problem;
use crate::cli::simulate::told::{percent, points_text};
use crate::cli::table::{self, Kind, Table};

/// The columns of a terminal.
const COLUMNS: usize = 80;

/// The file of a table, after checking that it can be written.
pub struct Begun {
    file: PathBuf,
    force: bool,
}

/// Checks that a table can be written to a file.
pub fn begin(file: &Path, force: bool) -> Result<Begun, Stop> {
    table::check(file, force)?;
    Ok(Begun { file: file.to_owned(), force })
}

/// Writes the table for other programs: a row for each settings.
pub fn write(begun: Begun, explored: &Explored) -> Result<(), Stop> {
    let seats = explored.seats();
    let ends = |name: &str| ["", "_low", "_high"].map(|end| (format!("{name}{end}"), Kind::Real));
    let mut columns: Vec<(String, Kind)> = explored.names.iter().map(|name| (name.clone(), Kind::Text)).collect();
    columns.extend([("games", Kind::Number), ("faults", Kind::Number)].map(|(name, kind)| (name.to_owned(), kind)));
    columns.extend(seats.iter().flat_map(|seat| ends(&format!("won_{seat}"))));
    columns.push((String::from("draws"), Kind::Real));
    columns.extend(ends("plies"));
    let mut table = Table::begin(&begun.file, begun.force, columns)?;
    for cell in &explored.cells {
        let mut row: Vec<table::Cell> = cell.values.iter().map(table::Cell::text).collect();
        let winners = &cell.tally.winners;
        row.extend([cell.tally.games(), cell.tally.faulty].map(|n| table::Cell::Number(n as u64)));
        let real = |e: Option<Estimate>| match e {
            Some(e) => [e.value, e.low, e.high].map(table::Cell::Real),
            None => [table::Cell::Nothing, table::Cell::Nothing, table::Cell::Nothing],
        };
        row.extend(seats.iter().flat_map(|seat| real(cell.share(seat, explored.confidence))));
        row.push(table::Cell::Real(winners.draws as f64 / winners.over.max(1) as f64));
        row.extend(real(Some(cell.length(explored.confidence))));
        table.row(&row)?;
    }
    table.finish()
}

/// Says which files were written.
pub fn files<'a>(files: impl Iterator<Item = &'a PathBuf>, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    for file in files {
        writeln!(screen, "{}", fill(words.sim.written, &[&file.display().to_string()]))?;
    }
    Ok(())
}

/// The table on the screen.
pub fn print(explored: &Explored, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    if explored.interrupted {
        let games: usize = explored.cells.iter().map(|cell| cell.tally.games()).sum();
        writeln!(screen, "{}", fill(words.sim.interrupted, &[&words.counts.of(Counted::Games, games)]))?;
    }
    let whole = rows(explored, words, true);
    let narrow = whole.iter().all(|line| map::columns(line) <= COLUMNS);
    let lines = if narrow { whole } else { rows(explored, words, false) };
    for line in lines {
        writeln!(screen, "{line}")?;
    }
    for line in notes(explored, words, narrow) {
        screen.indented(0, &line)?;
    }
    for cell in &explored.cells {
        let lexicon = cell.session.lexicon();
        if let Some(fault) = cell.tally.faults.first().and_then(|finish| problem(&lexicon, finish)) {
            screen.indented(0, &fill(words.explore.fault, &[&cell.values.join(words.comma), &fault]))?;
        }
    }
    Ok(())
}

/// What is said below the table.
pub fn notes(explored: &Explored, words: &Words, intervals: bool) -> Vec<String> {
    let say = &words.explore;
    let mut notes = Vec::new();
    match &explored.even {
        None => {
            notes.push(fill(say.together, &[&explored.figures().to_string()]));
            if !intervals {
                notes.push(say.elsewhere.to_owned());
            }
            notes.push(say.differs.to_owned());
        }
        Some(even) => {
            notes.extend(even_told(explored, even, words));
            notes.push(fill(say.assumed, &[&even.option]));
        }
    }
    if let Some(precision) = &explored.precision {
        let looks = precision.numbers().len().to_string();
        notes.push(fill(say.precision, &[&points_text(100.0 * precision.half_width()), &looks]));
    }
    notes
}

/// What the search for an even value found.
fn even_told(explored: &Explored, even: &Even, words: &Words) -> Option<String> {
    let say = &words.explore;
    let (seat, share) = (&even.seat.1, percent(even.share));
    let at = |value: i32| {
        let cell = explored.cells.iter().find(|cell| cell.values.first() == Some(&value.to_string()))?;
        let points = cell.points(even);
        let [p, low, high] = [points.value, points.low, points.high].map(percent);
        Some((points.value, fill(words.odds.share, &[&p, &low, &high]), cell.tally.winners.over))
    };
    match even.found {
        Found::Between(low, high) => {
            let ((a, at_low, _), (b, at_high, _)) = (at(low)?, at(high)?);
            let nearest = if (a - even.share).abs() <= (b - even.share).abs() { low } else { high };
            let [low, high, nearest] = [low, high, nearest].map(|value| format!("{}={value}", even.option));
            Some(fill(say.even_between, &[seat, &low, &at_low, &high, &at_high, &nearest]))
        }
        Found::Open(value) => {
            let (_, told, games) = at(value)?;
            let games = words.counts.of(Counted::Games, games);
            Some(fill(say.even_open, &[seat, &format!("{}={value}", even.option), &told, &games, &share]))
        }
        Found::Nowhere(side) => {
            let phrase = if side == Side::More { say.even_more } else { say.even_less };
            Some(fill(phrase, &[seat, &share]))
        }
        Found::CutOff => None,
    }
}

/// The rows of the table, aligned; with the intervals of shares, or without.
fn rows(explored: &Explored, words: &Words, intervals: bool) -> Vec<String> {
    let seats = explored.seats();
    let mut lines = vec![heads(explored, &seats, words)];
    for cell in &explored.cells {
        let mut line = cell.values.clone();
        line.push(cell.tally.games().to_string());
        line.extend(seats.iter().map(|seat| share(explored, cell, seat, (words, intervals))));
        let winners = &cell.tally.winners;
        line.push(percent(winners.draws as f64 / winners.over.max(1) as f64));
        line.extend(explored.even.iter().map(|even| percent(cell.points(even).value)));
        line.push(format!("{:.1}", cell.tally.lengths.mean()));
        lines.push(line);
    }
    aligned(&lines, usize::MAX)
}

/// What stands above the columns of the table.
pub fn heads(explored: &Explored, seats: &[String], words: &Words) -> Vec<String> {
    let mut heads = explored.names.clone();
    heads.push(words.sim.games.to_owned());
    heads.extend(seats.iter().map(|seat| fill(words.explore.seat, &[seat])));
    heads.push(words.explore.draws.to_owned());
    heads.extend(explored.even.iter().map(|even| fill(words.explore.points, &[&even.seat.1])));
    heads.push(words.sim.plies.to_owned());
    heads
}

/// The share of a seat under some settings, marked if it differs surely from that under the first.
pub fn share(explored: &Explored, cell: &Cell, seat: &str, (words, intervals): (&Words, bool)) -> String {
    let Some(share) = cell.share(seat, explored.confidence) else { return String::from("-") };
    let mark = if explored.even.is_none() && explored.differs(cell, seat) { "*" } else { "" };
    let [p, low, high] = [share.value, share.low, share.high].map(percent);
    match intervals {
        true => mark.to_owned() + &fill(words.explore.share, &[&p, &low, &high]),
        false => mark.to_owned() + &p,
    }
}

/// All as JSON.
pub fn to_json(explored: &Explored, seed: u64) -> Json {
    let estimate = |e: Estimate| json!({ "value": e.value, "low": e.low, "high": e.high });
    let cell = |cell: &Cell| {
        let values: serde_json::Map<String, Json> =
            explored.names.iter().cloned().zip(cell.values.iter().map(|value| json!(value))).collect();
        let wins = cell.seats().into_iter().filter_map(|seat| {
            let share = cell.share(&seat, explored.confidence)?;
            let sure = explored.differs(cell, &seat);
            Some(json!({ "name": seat, "share": estimate(share), "differs": sure }))
        });
        json!({
            "with": values,
            "settings": cell.session.rules.settings().list(),
            "games": cell.tally.games(),
            "faults": cell.tally.faulty,
            "draws": cell.tally.winners.draws,
            "wins": wins.collect::<Vec<_>>(),
            "plies": estimate(cell.length(explored.confidence)),
            "points": explored.even.as_ref().map(|even| estimate(cell.points(even))),
        })
    };
    let even = explored.even.as_ref().map(|even| {
        let (verdict, values) = match even.found {
            Found::Between(low, high) => ("between", vec![low, high]),
            Found::Open(value) => ("not decided", vec![value]),
            Found::Nowhere(Side::More) => ("more everywhere", Vec::new()),
            Found::Nowhere(_) => ("less everywhere", Vec::new()),
            Found::CutOff => ("interrupted", Vec::new()),
        };
        json!({ "option": even.option, "seat": even.seat.1, "share": even.share, "verdict": verdict, "values": values })
    });
    json!({
        "game": explored.cells.first().map(|cell| cell.session.model().name.clone()),
        "seed": seed,
        "interrupted": explored.interrupted,
        "figures": explored.figures(),
        "cells": explored.cells.iter().map(cell).collect::<Vec<_>>(),
        "even": even,
    })
}
