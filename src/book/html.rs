//! A rulebook as pages of HTML: no scripts, nothing from elsewhere.

use std::fmt::Write as _;

use super::doc::{Block, Chapter, Entry, Inline, Item};
use super::layout::{Layout, Leaf};
use super::{File, Frame};
use crate::html::{self, STYLE, Styled, escaped};
use crate::lexicon::fill;
use crate::syntax::Sort;

/// The file of the first page.
pub(super) const FIRST: &str = "index.html";

/// The file of the style.
const STYLE_FILE: &str = "style.css";

/// What the style of a rulebook adds to that of all pages.
const BOOK_STYLE: &str = include_str!("book.css");

/// The pages, and their style.
pub(super) fn files(frame: &Frame, front: &[Block], chapters: &[Chapter], layout: &Layout) -> Vec<File> {
    let mut files = vec![File { name: FIRST.to_owned(), text: first(frame, front, chapters, layout) }];
    for (i, leaf) in layout.leaves.iter().enumerate() {
        files.push(File { name: leaf.file.clone(), text: page(frame, (i, leaf), chapters, layout) });
    }
    files.push(File { name: STYLE_FILE.to_owned(), text: format!("{STYLE}{BOOK_STYLE}") });
    files
}

/// The weight from which a card is as broad as the page.
const BROAD: usize = 2_500;

/// Puts a page together.
fn framed(frame: &Frame, title: &str, nav: &str, main: &str) -> String {
    let words = &frame.words.book;
    let body = format!(
        "<a class=\"skip\" href=\"#text\">{}</a>\n<header class=\"top\">\n<p class=\"about\">{}</p>\n\
         <nav aria-label=\"{}\">\n<ul>\n{nav}</ul>\n</nav>\n</header>\n<main id=\"text\">\n{main}</main>\n",
        escaped(words.skip),
        escaped(&frame.about.join(" · ")),
        escaped(words.pages),
    );
    let title = if title == frame.game { title.to_owned() } else { format!("{title} · {}", frame.game) };
    html::page(&frame.words.tag.to_string(), &title, Styled::Beside(STYLE_FILE), &body)
}

/// The links to all chapters.
fn nav(frame: &Frame, chapters: &[Chapter], layout: &Layout, here: Option<usize>) -> String {
    let mut out = String::new();
    let mut one = |file: &str, title: &str, here: bool| {
        let current = if here { " aria-current=\"page\"" } else { "" };
        let _ = writeln!(out, "<li><a href=\"{file}\"{current}>{}</a></li>", escaped(title));
    };
    one(FIRST, frame.words.book.start, here.is_none());
    for leaf in layout.leaves.iter().filter(|leaf| leaf.number.0 == 1) {
        let title = chapters.get(leaf.chapter).map_or("", |c| &c.title);
        one(&leaf.file, title, here == Some(leaf.chapter));
    }
    out
}

fn first(frame: &Frame, front: &[Block], chapters: &[Chapter], layout: &Layout) -> String {
    let mut main = format!("<h1>{}</h1>\n", escaped(&frame.game));
    let on = Page { layout, file: FIRST };
    on.blocks(&mut main, front);
    let _ = writeln!(main, "<h2>{}</h2>", escaped(frame.words.book.contents));
    for (number, chapter) in chapters.iter().enumerate() {
        let leaves: Vec<&Leaf> = layout.leaves.iter().filter(|leaf| leaf.chapter == number).collect();
        let Some(start) = leaves.first() else { continue };
        let _ = writeln!(main, "<h3><a href=\"{}\">{}</a></h3>", start.file, escaped(&chapter.title));
        if chapter.pieces.len() > 1 {
            main.push_str("<ul class=\"contents\">\n");
            for piece in &chapter.pieces {
                let (href, title) = (on.layout.href(&piece.anchor, FIRST), on.line(&piece.title));
                let _ = writeln!(main, "<li><a href=\"{href}\">{title}</a></li>");
            }
            main.push_str("</ul>\n");
        }
    }
    framed(frame, &frame.game, &nav(frame, chapters, layout, None), &main)
}

fn page(frame: &Frame, (at, leaf): (usize, &Leaf), chapters: &[Chapter], layout: &Layout) -> String {
    let words = &frame.words.book;
    let Some(chapter) = chapters.get(leaf.chapter) else { return String::new() };
    let (number, of) = leaf.number;
    let title = match of {
        1 => chapter.title.clone(),
        _ => fill(words.page_of, &[&chapter.title, &number.to_string(), &of.to_string()]),
    };
    let mut main = format!("<h1>{}</h1>\n", escaped(&title));
    let on = Page { layout, file: &leaf.file };
    let pieces = chapter.pieces.get(leaf.pieces.clone()).unwrap_or_default();
    if pieces.len() > 1 {
        main.push_str("<ul class=\"contents\">\n");
        for piece in pieces {
            let _ = writeln!(main, "<li><a href=\"#{}\">{}</a></li>", piece.anchor.id(), on.line(&piece.title));
        }
        main.push_str("</ul>\n");
    }
    if number == 1 {
        on.blocks(&mut main, &chapter.lead);
    }
    for piece in pieces {
        let _ = writeln!(main, "<section>\n<h2 id=\"{}\">{}</h2>", piece.anchor.id(), on.line(&piece.title));
        on.blocks(&mut main, &piece.blocks);
        main.push_str("</section>\n");
    }
    main.push_str(&turning(frame, at, chapters, layout));
    framed(frame, &title, &nav(frame, chapters, layout, Some(leaf.chapter)), &main)
}

/// The links to the pages before and after.
fn turning(frame: &Frame, at: usize, chapters: &[Chapter], layout: &Layout) -> String {
    let words = &frame.words.book;
    let named = |leaf: &Leaf| {
        let title = chapters.get(leaf.chapter).map_or("", |c| c.title.as_str());
        match leaf.number {
            (_, 1) => title.to_owned(),
            (n, of) => fill(words.page_of, &[title, &n.to_string(), &of.to_string()]),
        }
    };
    let mut out = format!("<nav class=\"turn\" aria-label=\"{}\">\n", escaped(words.turn));
    let before = at.checked_sub(1).and_then(|i| layout.leaves.get(i));
    for (phrase, leaf, rel) in [(words.previous, before, "prev"), (words.next, layout.leaves.get(at + 1), "next")] {
        if let Some(leaf) = leaf {
            let said = escaped(&fill(phrase, &[&named(leaf)]));
            let _ = writeln!(out, "<a rel=\"{rel}\" href=\"{}\">{said}</a>", leaf.file);
        }
    }
    out + "</nav>\n"
}

/// The page that is written.
struct Page<'a> {
    layout: &'a Layout,
    file: &'a str,
}

impl Page<'_> {
    fn blocks(&self, out: &mut String, blocks: &[Block]) {
        blocks.iter().for_each(|block| self.block(out, block));
    }

    fn block(&self, out: &mut String, block: &Block) {
        let _ = match block {
            Block::Head(level, anchor, line) => {
                let id = anchor.as_ref().map_or_else(String::new, |a| format!(" id=\"{}\"", a.id()));
                writeln!(out, "<h{level}{id}>{}</h{level}>", self.line(line))
            }
            Block::Para(line) => writeln!(out, "<p>{}</p>", self.line(line)),
            Block::Quote(line) => writeln!(out, "<blockquote>{}</blockquote>", self.line(line)),
            Block::List(items) => {
                self.list(out, items);
                Ok(())
            }
            Block::Source(line) => writeln!(out, "<pre class=\"law\">{}</pre>", self.line(line)),
            Block::Verbatim(what, text) => writeln!(
                out,
                "<pre class=\"asis\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</pre>",
                escaped(what),
                escaped(text.trim_end())
            ),
            Block::Lines(text) => writeln!(out, "<pre>{}</pre>", escaped(text.trim_end())),
            Block::Table(heads, rows) => {
                self.table(out, heads, rows);
                Ok(())
            }
            Block::Picture(picture, what, _) => write!(out, "{}", picture.figure(what)),
            Block::Entry(entry) => {
                self.entry(out, entry, "entry");
                Ok(())
            }
            Block::Cards(cards) => {
                out.push_str("<div class=\"cards\">\n");
                for card in cards {
                    self.entry(out, card, if card.weight() > BROAD { "card broad" } else { "card" });
                }
                writeln!(out, "</div>")
            }
            Block::OnPages(blocks) => {
                self.blocks(out, blocks);
                Ok(())
            }
        };
    }

    fn entry(&self, out: &mut String, entry: &Entry, class: &str) {
        let changed = if entry.changed { " changed" } else { "" };
        let _ = writeln!(out, "<article class=\"{class}{changed}\">");
        self.blocks(out, &entry.blocks);
        out.push_str("</article>\n");
    }

    fn list(&self, out: &mut String, items: &[Item]) {
        out.push_str("<ul>\n");
        for item in items {
            let _ = write!(out, "<li>{}", self.line(&item.text));
            if !item.inside.is_empty() {
                out.push('\n');
                self.list(out, &item.inside);
            }
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
    }

    fn table(&self, out: &mut String, heads: &[String], rows: &[Vec<Vec<Inline>>]) {
        let what = escaped(&heads.join(", "));
        let _ = write!(
            out,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{what}\">\n<table>\n<thead><tr>"
        );
        for head in heads {
            let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(head));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            let cells: String = row.iter().map(|cell| format!("<td>{}</td>", self.line(cell))).collect();
            let _ = writeln!(out, "<tr>{cells}</tr>");
        }
        out.push_str("</tbody>\n</table>\n</div>\n");
    }

    fn line(&self, line: &[Inline]) -> String {
        line.iter().map(|inline| self.inline(inline)).collect()
    }

    fn inline(&self, inline: &Inline) -> String {
        match inline {
            Inline::Text(text) => escaped(text),
            Inline::Strong(text) => format!("<strong>{}</strong>", escaped(text)),
            Inline::Soft(text) => format!("<span class=\"soft\">{}</span>", escaped(text)),
            Inline::Code(text) => format!("<code>{}</code>", escaped(text)),
            Inline::Token(sort, text) => match class(*sort) {
                "" => escaped(text),
                class => format!("<span class=\"{class}\">{}</span>", escaped(text)),
            },
            Inline::Link(inside, to) => {
                format!("<a href=\"{}\">{}</a>", self.layout.href(to, self.file), self.line(inside))
            }
            Inline::At(anchor) => format!("<span id=\"{}\"></span>", anchor.id()),
            Inline::Changed(text) => format!("<mark>{}</mark>", escaped(text)),
        }
    }
}

/// The class of a word of a rule; none where it has no colour of its own.
fn class(sort: Sort) -> &'static str {
    match sort {
        Sort::Comment => "c",
        Sort::Keyword => "k",
        Sort::Name => "n",
        Sort::Subject => "f",
        Sort::Text => "t",
        Sort::Number => "d",
        Sort::Cite => "r",
        Sort::Word | Sort::Sign => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colours of a scheme by their names.
    fn colours(scheme: &str) -> Vec<(&str, [f64; 3])> {
        let channel = |hex: &str| f64::from(u8::from_str_radix(hex, 16).unwrap()) / 255.0;
        let parts = scheme.split("--").skip(1).filter_map(|part| part.split_once(": #"));
        parts.map(|(name, hex)| (name, [&hex[..2], &hex[2..4], &hex[4..6]].map(channel))).collect()
    }

    /// The contrast of two colours as the guidelines for accessible pages compute it.
    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        let light = |[r, g, b]: [f64; 3]| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
        let (a, b) = (light(a), light(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn what_is_written_can_be_read_on_both_papers() {
        let schemes = |css: &'static str| {
            let (light, rest) = css.split_once("@media (prefers-color-scheme: dark)").unwrap();
            let dark = rest.split_once("\n}\n").unwrap().0;
            [colours(light), colours(dark)]
        };
        let [page, book] = [STYLE, BOOK_STYLE].map(schemes);
        for (common, own) in page.into_iter().zip(book) {
            let all: Vec<_> = common.into_iter().chain(own).collect();
            let of = |name: &str| all.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no --{name}")).1;
            let inks = ["ink", "soft", "link", "keyword", "name", "subject", "text", "cite"];
            let pairs = inks.iter().flat_map(|ink| [(*ink, "paper"), (*ink, "panel")]);
            for (ink, paper) in pairs.chain([("ink", "changed"), ("soft", "changed"), ("link", "changed")]) {
                let contrast = contrast(of(paper), of(ink));
                assert!(contrast >= 4.5, "--{ink} on --{paper}: {contrast:.2}");
            }
        }
    }
}
