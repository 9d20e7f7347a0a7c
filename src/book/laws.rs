//! The rules as they are encoded, file by file.

use super::Desk;
use super::doc::{Anchor, Block, Chapter, Entry, Inline, Item, Piece, link, text};
use super::units::Unit;
use crate::lexicon::fill;
use crate::span::Span;

pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let mut pieces = Vec::new();
    for (number, file) in desk.model.sources.files.iter().enumerate() {
        if !file.name.ends_with(".law") {
            continue;
        }
        let blocks = file_blocks(desk, number as u32, &file.text);
        pieces.push(Piece { title: vec![text(&file.name)], anchor: Anchor::new("file", &file.name), blocks });
    }
    let words = &desk.words.book;
    let lead = vec![Block::Para(vec![text(words.laws_lead)])];
    (!pieces.is_empty()).then(|| Chapter { name: "rules", title: words.laws.to_owned(), lead, pieces })
}

/// Without the empty lines around it.
fn trimmed(file: &str, span: Span) -> Span {
    let text = file.get(span.start as usize..span.end as usize).unwrap_or("");
    let blank = text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum::<usize>();
    let end = text.trim_end().len().max(blank);
    Span { start: span.start + blank as u32, end: span.start + end as u32, ..span }
}

/// A file: declarations of which something is known stand by themselves, those between them together.
fn file_blocks(desk: &Desk, number: u32, file: &str) -> Vec<Block> {
    let stretch = |start, end| trimmed(file, Span { file: number, start, end });
    let source = |span: Span| Block::Entry(Entry { changed: false, blocks: vec![Block::Source(desk.whole(span))] });
    let mut blocks = Vec::new();
    // Where the declarations begin that wait to be shown together, and where the last one ends.
    let (mut waiting, mut after) = (0, 0);
    for at in desk.units.declarations.get(number as usize).map_or(&[][..], Vec::as_slice) {
        let span = stretch(after, at.end as u32);
        let (changed, items) = about(desk, span);
        if !items.is_empty() {
            if waiting < after {
                blocks.push(source(stretch(waiting, after)));
            }
            let own = vec![Block::Source(desk.whole(span)), Block::List(items)];
            blocks.push(Block::Entry(Entry { changed, blocks: own }));
            waiting = span.end;
        }
        after = span.end;
    }
    let rest = stretch(waiting, file.len() as u32);
    if rest.start < rest.end {
        blocks.push(source(rest));
    }
    blocks
}

/// What is known of a declaration and its parts, and whether anything in it is changed.
fn about(desk: &Desk, span: Span) -> (bool, Vec<Item>) {
    let parts: Vec<(usize, &Unit)> = desk.units.within(span).collect();
    let gone = gone(desk, span);
    let changed = !gone.is_empty() || parts.iter().any(|(_, unit)| desk.change_of(unit).is_some());
    let known = parts.iter().filter_map(|(number, unit)| known(desk, *number, unit));
    (changed, gone.into_iter().chain(known).collect())
}

/// What no longer holds of a declaration, and where it stands now if it is only written otherwise.
fn gone(desk: &Desk, span: Span) -> Vec<Item> {
    let words = desk.words;
    let file = desk.model.sources.files.get(span.file as usize).map_or("", |f| &f.name);
    let item = |name: &str| {
        let removed = desk.changed(crate::compare::Sort::Removed);
        let mut line = vec![Inline::Strong(name.to_owned()), text(words.colon), removed];
        if let Some(now) = desk.units.all.iter().find(|u| u.name == name) {
            line.push(text(words.comma));
            line.push(link(words.book.stands_now, &now.anchor));
        }
        Item { text: line, inside: Vec::new() }
    };
    desk.changes.gone(file, span).map(item).collect()
}

/// What is known of a part, if there is anything that does not stand in the rules.
fn known(desk: &Desk, number: usize, unit: &Unit) -> Option<Item> {
    let words = desk.words;
    let mut line = Vec::new();
    let mut say = |said: Vec<Inline>| {
        line.push(text(if line.is_empty() { words.colon } else { "; " }));
        line.extend(said);
    };
    if let Some(sort) = desk.change_of(unit) {
        say(vec![desk.changed(sort)]);
    }
    let deciding = desk.about.measured.zip(unit.part.as_ref()).and_then(|(m, part)| m.deciding.get(part));
    if let Some(decided) = desk.decided(unit) {
        let mut said = vec![Inline::Soft(decided)];
        if let Some(items) = deciding {
            said.push(text(words.colon));
            said.extend(desk.items(items));
        }
        say(said);
    } else if !desk.cases_because(number).is_empty() {
        let mut said = vec![Inline::Soft(fill(words.book.reason_in, &[""]))];
        said.extend(desk.items(desk.cases_because(number)));
        say(said);
    }
    if line.is_empty() {
        return None;
    }
    let mut all = vec![Inline::Strong(unit.title.clone())];
    all.extend(line);
    Some(Item { text: all, inside: Vec::new() })
}
