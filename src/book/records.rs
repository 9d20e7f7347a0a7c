//! The records of played games.

use super::Desk;
use super::desk::item_anchor;
use super::doc::{Block, Chapter, Inline, Piece, link, text};
use crate::audit::SuiteItem;
use crate::lexicon::{Counted, fill};
use crate::record::{Record, result_line};
use crate::spelling::fold;

/// The chapter; `None` if the game has no records.
pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let words = &desk.words.book;
    let all = desk.about.suite.iter().enumerate();
    let pieces: Vec<Piece> = all.filter_map(|(i, item)| Some(piece(desk, (i, item), item.record()?))).collect();
    let lead = vec![Block::Para(vec![text(words.records_lead)])];
    (!pieces.is_empty()).then(|| Chapter { name: "records", title: words.records.to_owned(), lead, pieces })
}

fn piece(desk: &Desk, (number, item): (usize, &SuiteItem), record: &Record) -> Piece {
    let words = desk.words;
    let mut about = vec![item.place.clone(), words.counts.of(Counted::Plies, record.plies.len())];
    let settings = record.settings.list();
    if !settings.is_empty() {
        about.push(fill(words.heads.settings, &[&settings]));
    }
    about.extend(record.seats.iter().map(|(seat, name)| format!("{seat}{}{name}", words.colon)));
    let mut blocks = vec![Block::Para(vec![Inline::Soft(about.join("; "))])];
    if let Some(result) = &record.result {
        let line = result_line(result);
        let ending = result.label.as_ref().and_then(|label| ending(desk, label));
        let mut line = vec![Inline::Code(line.trim().to_owned())];
        if let Some((title, anchor)) = ending {
            line.push(text(words.comma));
            line.push(link(title, anchor));
        }
        blocks.push(Block::Para(line));
    }
    blocks.extend(super::cases::decided(desk, number));
    let plain = desk.about.side.folder.text(&item.place).map_or_else(String::new, plies);
    blocks.push(Block::OnPages(vec![Block::Lines(plain)]));
    let title = record.title.clone().unwrap_or_else(|| item.name.clone());
    Piece { title: vec![text(title)], anchor: item_anchor(item), blocks }
}

/// The ending that a record names.
fn ending<'a>(desk: &'a Desk, label: &str) -> Option<(&'a str, &'a super::doc::Anchor)> {
    let wanted = fold(label);
    let ends = desk.model.ends.iter().filter(|end| {
        let label = desk.model.clause(end.clause).map(|c| &c.label);
        label.is_some_and(|l| {
            std::iter::once(&l.text).chain(l.translations.iter().map(|(_, t)| t)).any(|t| fold(t) == wanted)
        })
    });
    let mut units = ends.filter_map(|end| desk.units.of_clause(end.clause));
    units.next().map(|unit| (unit.title.as_str(), &unit.anchor))
}

/// The text of a record without the numbers of options and the digests, which are for programs.
fn plies(text: &str) -> String {
    let numbered = |line: &str| {
        line.trim_start().split_once(". ").is_some_and(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let line = |line: &str| match line.split_once(" ; ") {
        Some((ply, _)) if numbered(line) => ply.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
