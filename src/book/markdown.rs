//! A rulebook as one file of Markdown.

use std::fmt::Write as _;

use super::Frame;
use super::doc::{Block, Chapter, Entry, Inline, Item};
use crate::plain::markdown as plain;

/// The file.
pub(super) fn file(frame: &Frame, front: &[Block], chapters: &[Chapter]) -> String {
    let words = &frame.words.book;
    let mut out = format!("# {}\n\n", plain(&frame.game));
    if frame.about.len() > 1 {
        let _ = writeln!(out, "{}\n", plain(&frame.about.get(1..).unwrap_or_default().join(" · ")));
    }
    blocks(&mut out, front);
    let _ = writeln!(out, "## {}\n", plain(words.contents));
    for chapter in chapters {
        let _ = writeln!(out, "- [{}](#chapter-{})", plain(&chapter.title), chapter.name);
    }
    out.push('\n');
    for chapter in chapters {
        let _ = writeln!(out, "<a id=\"chapter-{}\"></a>\n\n## {}\n", chapter.name, plain(&chapter.title));
        blocks(&mut out, &chapter.lead);
        for piece in &chapter.pieces {
            let _ = writeln!(out, "<a id=\"{}\"></a>\n\n### {}\n", piece.anchor.id(), line(&piece.title));
            blocks(&mut out, &piece.blocks);
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn blocks(out: &mut String, blocks: &[Block]) {
    blocks.iter().for_each(|one| block(out, one));
}

fn block(out: &mut String, block: &Block) {
    match block {
        Block::Head(level, anchor, words) => {
            if let Some(anchor) = anchor {
                let _ = writeln!(out, "<a id=\"{}\"></a>\n", anchor.id());
            }
            // A piece is a level lower than on a page of its own.
            let level = usize::from(*level) + usize::from(*level > 2);
            let _ = writeln!(out, "{} {}\n", "#".repeat(level), line(words));
        }
        Block::Para(words) => {
            let _ = writeln!(out, "{}\n", guarded(&line(words)));
        }
        Block::Quote(words) => {
            let _ = writeln!(out, "> {}\n", guarded(&line(words)));
        }
        Block::List(all) => {
            items(out, all, 0);
            out.push('\n');
        }
        Block::Source(words) => {
            let anchors: String = words.iter().filter_map(anchor).collect();
            if !anchors.is_empty() {
                let _ = writeln!(out, "{anchors}\n");
            }
            let text: String = words.iter().map(bare).collect();
            fenced(out, "text", &text);
        }
        Block::Verbatim(_, text) | Block::Lines(text) => fenced(out, "text", text),
        Block::Table(heads, rows) => table(out, heads, rows),
        Block::Picture(_, _, text) => fenced(out, "text", text),
        Block::Entry(Entry { blocks: inside, .. }) => blocks(out, inside),
        Block::Cards(cards) => cards.iter().for_each(|card| blocks(out, &card.blocks)),
        Block::OnPages(_) => {}
    }
}

/// A block that is shown as it is. Its fence is longer than any in it.
fn fenced(out: &mut String, word: &str, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(out, "{fence}{word}\n{}\n{fence}\n", text.trim_end());
}

fn items(out: &mut String, all: &[Item], depth: usize) {
    for item in all {
        let _ = writeln!(out, "{}- {}", "  ".repeat(depth), line(&item.text));
        items(out, &item.inside, depth + 1);
    }
}

fn table(out: &mut String, heads: &[String], rows: &[Vec<Vec<Inline>>]) {
    let cell = |text: String| format!(" {} |", text.replace('\n', " "));
    let head: String = heads.iter().map(|head| cell(plain(head))).collect();
    let _ = writeln!(out, "|{head}\n|{}", " --- |".repeat(heads.len()));
    for row in rows {
        let row: String = row.iter().map(|words| cell(line(words))).collect();
        let _ = writeln!(out, "|{row}");
    }
    out.push('\n');
}

/// A line that begins neither a list nor a heading.
fn guarded(line: &str) -> String {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    match rest.chars().next() {
        Some('.' | ')') if digits > 0 => format!("{number}\\{rest}"),
        Some('-' | '+' | '=') if digits == 0 => format!("\\{rest}"),
        _ => line.to_owned(),
    }
}

fn line(words: &[Inline]) -> String {
    words.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> String {
    match inline {
        Inline::Text(text) | Inline::Soft(text) => plain(text),
        Inline::Token(_, text) => plain(text),
        Inline::Strong(text) => format!("**{}**", plain(text)),
        Inline::Changed(text) => format!("**\\[{}\\]**", plain(text)),
        Inline::Code(text) => code(text),
        Inline::Link(inside, to) => format!("[{}](#{})", line(inside), to.id()),
        Inline::At(_) => anchor(inline).unwrap_or_default(),
    }
}

/// The element of an anchor.
fn anchor(inline: &Inline) -> Option<String> {
    let Inline::At(anchor) = inline else { return None };
    Some(format!("<a id=\"{}\"></a>", anchor.id()))
}

/// The text without anything around it.
fn bare(inline: &Inline) -> String {
    match inline {
        Inline::Text(text)
        | Inline::Soft(text)
        | Inline::Token(_, text)
        | Inline::Strong(text)
        | Inline::Changed(text)
        | Inline::Code(text) => text.clone(),
        Inline::Link(inside, _) => inside.iter().map(bare).collect(),
        Inline::At(_) => String::new(),
    }
}

fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    // A bar would end a cell of a table.
    let text = text.replace('|', "\\|");
    if longest > 0 { format!("{ticks} {text} {ticks}") } else { format!("{ticks}{text}{ticks}") }
}

#[cfg(test)]
mod tests {
    use super::super::doc::{Anchor, link, text};
    use super::*;

    #[test]
    fn text_is_not_taken_for_markdown() {
        assert_eq!(plain("a*b_c [x](y) <i>&amp; #1 | `z`"), "a\\*b\\_c \\[x\\](y) \\<i\\>&amp;amp; \\#1 \\| \\`z\\`");
        assert_eq!(code("a `b` | c"), "`` a `b` \\| c ``");
        let line = line(&[text("see "), link("a_b", &Anchor::new("clause", "a_b"))]);
        assert_eq!(line, "see [a\\_b](#clause-a_b)");
        assert_eq!(guarded("12. a"), "12\\. a");
        assert_eq!(guarded("- a"), "\\- a");
        assert_eq!(guarded("12 a"), "12 a");
        let mut out = String::new();
        fenced(&mut out, "text", "one\n````\ntwo");
        assert_eq!(out, "`````text\none\n````\ntwo\n`````\n\n");
    }
}
