//! The cases, casebook by casebook.

use super::Desk;
use super::desk::item_anchor;
use super::doc::{Anchor, Block, Chapter, Entry, Inline, Piece, field, link, text};
use crate::audit::SuiteItem;
use crate::casebook::{self, Case};

/// The most rules that are named as deciding a case.
const DECIDING: usize = 12;

/// The chapter; `None` if the game has no cases.
pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let words = &desk.words.book;
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut file, mut heading) = ("", "");
    for (number, item) in desk.about.suite.iter().enumerate() {
        let Some(case) = item.case() else { continue };
        if file != case.file {
            (file, heading) = (&case.file, "");
            let anchor = Anchor::new("casebook", file);
            pieces.push(Piece { title: vec![text(file)], anchor, blocks: Vec::new() });
        }
        let Some(piece) = pieces.last_mut() else { continue };
        if heading != case.heading {
            heading = &case.heading;
            piece.blocks.push(Block::Head(3, None, vec![text(heading)]));
        }
        piece.blocks.push(Block::Entry(entry(desk, (number, item), case)));
    }
    let lead = vec![Block::Para(vec![text(words.cases_lead)])];
    (!pieces.is_empty()).then(|| Chapter { name: "cases", title: words.cases.to_owned(), lead, pieces })
}

fn entry(desk: &Desk, (number, item): (usize, &SuiteItem), case: &Case) -> Entry {
    let words = desk.words;
    let mut blocks =
        vec![Block::Head(if case.heading.is_empty() { 3 } else { 4 }, Some(item_anchor(item)), vec![text(&case.name)])];
    if !case.cites.is_empty() {
        blocks.push(field(words.book.cites, words.colon, desk.cites(&case.cites)));
    }
    let reasons = desk.parts(desk.reasons_of(number));
    if !reasons.is_empty() {
        blocks.push(field(words.book.reasons, words.colon, reasons));
    }
    blocks.extend(decided(desk, number));
    let folder = &desk.about.side.folder;
    let written = folder.text(&case.file).map_or_else(String::new, |book| casebook::written(book, case));
    blocks.push(Block::Lines(written));
    if let Some(ruling) = &case.ruling {
        blocks.push(field(words.heads.ruling, words.colon, Vec::new()));
        blocks.push(Block::Lines(ruling.text.clone()));
    }
    Entry { changed: false, blocks }
}

/// What decided something in a case or record, those parts first that do so the most seldom.
pub(super) fn decided(desk: &Desk, number: usize) -> Option<Block> {
    let words = desk.words;
    let parts = desk.about.measured?.decided.get(number).filter(|parts| !parts.is_empty())?;
    let mut named = Vec::new();
    for part in parts.iter().take(DECIDING) {
        named.push(match desk.units.measured(part) {
            Some(unit) => vec![link(&unit.title, &unit.anchor)],
            // It is a part of a variant that only the case has.
            None => vec![text(&part.2)],
        });
    }
    let mut line = super::doc::joined(named, words.comma);
    if parts.len() > DECIDING {
        line.push(text(words.comma));
        let more = (parts.len() - DECIDING).to_string();
        line.push(Inline::Soft(crate::lexicon::fill(words.book.and_more, &[&more])));
    }
    Some(field(words.book.decided_by, words.colon, line))
}
