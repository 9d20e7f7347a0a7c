//! What was explored, as a page with plots and a table.

use std::collections::BTreeMap;

use lawspeaker::lexicon::{Words, fill};
use lawspeaker::stats::Estimate;

use super::rows::Cell;
use super::{Explored, told};
use crate::cli::page::charts::{self, Axes, Bar, Line};
use crate::cli::page::{Page, figure, remark, table};
use crate::cli::simulate::page::repeat;
use crate::cli::simulate::told::percent;

/// The page.
pub fn page(explored: &Explored, seed: u64, words: &Words) -> String {
    let Some(first) = explored.cells.first() else { return String::new() };
    let session = &first.session;
    let title = session.model().title.get(&session.lang);
    let seed = fill(words.sim.seed, &[&seed.to_string()]);
    let about = [words.explore.title.to_owned(), explored.names.join(words.comma), seed].join(" · ");
    let mut page = Page::new(&words.tag.to_string(), title, &about);
    for note in told::notes(explored, words, true) {
        page.note(&note);
    }
    page.note(words.sim.random);
    match &explored.even {
        Some(even) => {
            let head = fill(words.explore.points_of, &[&even.seat.1]);
            let points: Vec<(f64, Estimate)> =
                explored.cells.iter().filter_map(|cell| Some((number(cell, 0)?, cell.points(even)))).collect();
            let axes = Axes { across: &even.option, percent: true, marked: Some(even.share) };
            let line = Line { name: even.seat.1.clone(), points };
            page.section(&head, &figure(&charts::lines(&[line], &axes, &head), ""));
        }
        None => {
            for seat in explored.seats() {
                let head = fill(words.explore.seat, &[&seat]);
                page.section(&head, &plot(explored, words, &head, |cell| cell.share(&seat, explored.confidence)));
            }
            let head = words.sim.head_lengths;
            let length = |cell: &Cell| Some(cell.length(explored.confidence));
            if explored.cells.iter().all(|cell| number(cell, 0).is_some()) {
                page.section(head, &lines(explored, words, (head, false), length));
            }
        }
    }
    page.section(words.explore.all, &(all(explored, words) + &remark(words.explore.differs)));
    page.section(words.heads.repeat, &repeat(session, words));
    page.html()
}

/// The value of a dimension as a number.
fn number(cell: &Cell, dimension: usize) -> Option<f64> {
    cell.values.get(dimension)?.parse().ok()
}

/// A figure of all settings: lines over the first option if it is a number, else bars.
fn plot(explored: &Explored, words: &Words, head: &str, of: impl Fn(&Cell) -> Option<Estimate>) -> String {
    if explored.cells.iter().all(|cell| number(cell, 0).is_some()) {
        return lines(explored, words, (head, true), of);
    }
    let bar = |cell: &Cell| Some(Bar { name: named(explored, cell, 0, words), share: of(cell)?, series: 0 });
    let bars: Vec<Bar> = explored.cells.iter().filter_map(bar).collect();
    figure(&charts::bars(&bars, head), "")
}

fn lines(
    explored: &Explored,
    words: &Words,
    (head, percent): (&str, bool),
    of: impl Fn(&Cell) -> Option<Estimate>,
) -> String {
    // A line for each set of the other values, in their order.
    let mut order: Vec<String> = Vec::new();
    let mut points: BTreeMap<String, Vec<(f64, Estimate)>> = BTreeMap::new();
    for cell in &explored.cells {
        let name = named(explored, cell, 1, words);
        if !order.contains(&name) {
            order.push(name.clone());
        }
        points.entry(name).or_default().extend(number(cell, 0).zip(of(cell)));
    }
    let line = |name: &String| Line { name: name.clone(), points: points.get(name).cloned().unwrap_or_default() };
    let lines: Vec<Line> = order.iter().map(line).collect();
    let across = explored.names.first().map_or("", String::as_str);
    let legend = if lines.len() > 1 { charts::legend(order.iter().map(String::as_str)) } else { String::new() };
    figure(&charts::lines(&lines, &Axes { across, percent, marked: None }, head), &legend)
}

/// The values of a cell from a dimension on, with their names.
fn named(explored: &Explored, cell: &Cell, from: usize, words: &Words) -> String {
    let pairs = explored.names.iter().zip(&cell.values).skip(from);
    pairs.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(words.comma)
}

/// The table.
fn all(explored: &Explored, words: &Words) -> String {
    let seats = explored.seats();
    let row = |cell: &Cell| {
        let mut row = cell.values.clone();
        row.push(cell.tally.games().to_string());
        row.extend(seats.iter().map(|seat| told::share(explored, cell, seat, (words, true))));
        let winners = &cell.tally.winners;
        row.push(percent(winners.draws as f64 / winners.over.max(1) as f64));
        row.extend(explored.even.iter().map(|even| percent(cell.points(even).value)));
        let length = cell.length(explored.confidence);
        let [mean, low, high] = [length.value, length.low, length.high].map(|x| format!("{x:.1}"));
        row.push(fill(words.explore.share, &[&mean, &low, &high]));
        row
    };
    table(&told::heads(explored, &seats, words), &explored.cells.iter().map(row).collect::<Vec<_>>())
}
