//! What was explored, as a page with plots and a table.

use std::collections::BTreeMap;

use lawspeaker::lexicon::{Words, fill};
use lawspeaker::players::Bot;
use lawspeaker::stats::Estimate;

use super::rows::Cell;
use super::{Explored, told};
use crate::cli::page::charts::{self, Axes, Bar, Line};
use crate::cli::page::{Page, figure, remark, table};
use crate::cli::simulate::page::repeat;

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
    let seated = first.seats().into_iter().zip(&explored.bots).map(|(seat, bot)| format!("{seat}{}{bot}", words.colon));
    page.note(&seated.collect::<Vec<_>>().join(words.comma));
    if explored.bots.contains(&Bot::Random) {
        page.note(words.sim.random);
    }
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
                let head = fill(words.explore.wins, &[&seat]);
                page.section(&head, &plot(explored, words, &head, |cell| cell.share(&seat, explored.confidence)));
            }
            let head = words.sim.head_lengths;
            let length = |cell: &Cell| Some(cell.length(explored.confidence));
            if explored.cells.iter().all(|cell| number(cell, 0).is_some()) {
                page.section(head, &lines(explored, words, (head, false), length));
            }
        }
    }
    let marked = if explored.even.is_none() { remark(words.explore.differs) } else { String::new() };
    page.section(words.explore.all, &(all(explored, words) + &marked));
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
    let row = |cell: &Cell| {
        let mut row = told::figures(explored, cell, (words, true));
        let length = cell.length(explored.confidence);
        let [mean, low, high] = [length.value, length.low, length.high].map(|x| format!("{x:.1}"));
        row.push(fill(words.explore.share, &[&mean, &low, &high]));
        row
    };
    table(&told::heads(explored, words), &explored.cells.iter().map(row).collect::<Vec<_>>())
}
