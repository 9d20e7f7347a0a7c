//! Which piece stands on which page.

use std::collections::BTreeMap;
use std::ops::Range;

use super::doc::{Anchor, Block, Chapter, Entry, Inline, Item, blocks_weight};

/// How large a page may become, roughly and in bytes, before the next piece begins another.
const PAGE: usize = 200_000;

/// A page of a chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// The name of its file.
    pub file: String,
    /// Its chapter.
    pub chapter: usize,
    /// Which of the pages of the chapter it is, from 1, and how many there are.
    pub number: (usize, usize),
    /// The pieces of the chapter that stand on it.
    pub pieces: Range<usize>,
}

/// The pages in order, and the file in which each anchor stands.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub leaves: Vec<Leaf>,
    files: BTreeMap<Anchor, String>,
}

impl Layout {
    pub fn new(chapters: &[Chapter]) -> Layout {
        let mut layout = Layout::default();
        for (number, chapter) in chapters.iter().enumerate() {
            let ranges = split(chapter);
            for (i, pieces) in ranges.iter().enumerate() {
                let file = match ranges.len() {
                    1 => format!("{}.html", chapter.name),
                    _ => format!("{}-{}.html", chapter.name, i + 1),
                };
                let mut note = |anchor: &Anchor| {
                    layout.files.entry(anchor.clone()).or_insert_with(|| file.clone());
                };
                if i == 0 {
                    anchors(&chapter.lead, &mut note);
                }
                for piece in chapter.pieces.get(pieces.clone()).unwrap_or_default() {
                    note(&piece.anchor);
                    anchors(&piece.blocks, &mut note);
                }
                let number = (number, (i + 1, ranges.len()));
                layout.leaves.push(Leaf { file, chapter: number.0, number: number.1, pieces: pieces.clone() });
            }
        }
        layout
    }

    /// Where a link on one page leads.
    pub fn href(&self, to: &Anchor, from: &str) -> String {
        match self.files.get(to) {
            Some(file) if file != from => format!("{file}#{}", to.id()),
            _ => format!("#{}", to.id()),
        }
    }
}

/// The pieces of each page.
fn split(chapter: &Chapter) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut size = blocks_weight(&chapter.lead);
    for (i, piece) in chapter.pieces.iter().enumerate() {
        let own = blocks_weight(&piece.blocks);
        match found.last_mut() {
            Some(last) if size + own <= PAGE => last.end = i + 1,
            _ => {
                // Nothing but the lead stands before the first.
                size = if found.is_empty() { size } else { 0 };
                found.push(i..i + 1);
            }
        }
        size += own;
    }
    if found.is_empty() { std::iter::once(0..0).collect() } else { found }
}

/// All anchors of some blocks.
fn anchors(blocks: &[Block], note: &mut impl FnMut(&Anchor)) {
    for block in blocks {
        match block {
            Block::Head(_, anchor, line) => {
                anchor.iter().for_each(&mut *note);
                in_line(line, note);
            }
            Block::Para(line) | Block::Quote(line) | Block::Source(line) => in_line(line, note),
            Block::List(items) => in_items(items, note),
            Block::Table(_, rows) => rows.iter().flatten().for_each(|cell| in_line(cell, note)),
            Block::Entry(entry) => anchors(&entry.blocks, note),
            Block::Cards(cards) => cards.iter().for_each(|Entry { blocks, .. }| anchors(blocks, note)),
            Block::OnPages(blocks) => anchors(blocks, note),
            Block::Verbatim(..) | Block::Lines(_) | Block::Picture(..) => {}
        }
    }
}

fn in_items(items: &[Item], note: &mut impl FnMut(&Anchor)) {
    for item in items {
        in_line(&item.text, note);
        in_items(&item.inside, note);
    }
}

fn in_line(line: &[Inline], note: &mut impl FnMut(&Anchor)) {
    for inline in line {
        match inline {
            Inline::At(anchor) => note(anchor),
            Inline::Link(inside, _) => in_line(inside, note),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::doc::text;
    use super::*;

    #[test]
    fn a_large_chapter_has_several_pages() {
        let piece = |name: &str, size: usize| super::super::doc::Piece {
            title: vec![text(name)],
            anchor: Anchor::new("piece", name),
            blocks: vec![Block::Para(vec![text("x".repeat(size))])],
        };
        let pieces = vec![piece("a", 10), piece("b", PAGE), piece("c", 10), piece("d", 10), piece("e f", PAGE / 2)];
        let chapter = Chapter { name: "clauses", title: "Clauses".into(), lead: Vec::new(), pieces };
        let small = Chapter { name: "board", title: "Board".into(), lead: Vec::new(), pieces: Vec::new() };
        let layout = Layout::new(&[chapter, small]);
        let said: Vec<String> =
            layout.leaves.iter().map(|l| format!("{} {:?} {:?}", l.file, l.number, l.pieces)).collect();
        assert_eq!(
            said,
            [
                "clauses-1.html (1, 3) 0..1",
                "clauses-2.html (2, 3) 1..2",
                "clauses-3.html (3, 3) 2..5",
                "board.html (1, 1) 0..0",
            ]
        );
        let e = Anchor::new("piece", "e f");
        assert_eq!(layout.href(&e, "board.html"), "clauses-3.html#piece-e_20_f");
        assert_eq!(layout.href(&e, "clauses-3.html"), "#piece-e_20_f");
    }
}
