//! The content of a rulebook, from which pages and Markdown are made.

use crate::picture::Picture;
use crate::syntax::Sort;

/// A place that links lead to, unique in the book: lower-case and upper-case letters, digits, `.`, `-`, `_`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Anchor(String);

impl Anchor {
    /// Of a sort of thing and its name, in which other characters are written as numbers.
    pub fn new(sort: &str, name: &str) -> Anchor {
        let mut id = format!("{sort}-");
        for c in name.chars() {
            match c {
                c if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') => id.push(c),
                '_' => id.push('_'),
                c => id.push_str(&format!("_{:x}_", u32::from(c))),
            }
        }
        Anchor(id)
    }

    pub fn id(&self) -> &str {
        &self.0
    }
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Inline {
    /// As it is.
    Text(String),
    /// Of some weight.
    Strong(String),
    /// Of less weight.
    Soft(String),
    /// A name or expression of the rules.
    Code(String),
    /// A word of a rule.
    Token(Sort, String),
    /// A link.
    Link(Vec<Inline>, Anchor),
    /// A place for links.
    At(Anchor),
    /// That a variant changes it.
    Changed(String),
}

/// A part of a page, from a line to a table.
#[derive(Clone, Debug)]
pub(super) enum Block {
    /// A heading: 3 or 4 in a piece, whose own is 2.
    Head(u8, Option<Anchor>, Vec<Inline>),
    /// A paragraph.
    Para(Vec<Inline>),
    /// A sentence of the rulebook.
    Quote(Vec<Inline>),
    /// A list.
    List(Vec<Item>),
    /// The text of rules.
    Source(Vec<Inline>),
    /// Text whose lines stay as they are, as in a map. What it is, for those who do not see it, and the text.
    Verbatim(String, String),
    /// Text whose lines may be broken where there is no room, as in a case.
    Lines(String),
    /// A table: its heads, and rows of cells.
    Table(Vec<String>, Vec<Vec<Vec<Inline>>>),
    /// A picture, with what it shows; and the same as text.
    Picture(Box<Picture>, String, String),
    /// Parts that belong together: a clause, a case, a card.
    Entry(Entry),
    /// Cards beside each other.
    Cards(Vec<Entry>),
    /// What stands on the pages, and is left out of the Markdown.
    OnPages(Vec<Block>),
}

/// Parts that belong together.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Whether a variant changes it.
    pub changed: bool,
    /// The first is its heading.
    pub blocks: Vec<Block>,
}

/// An item of a list.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub text: Vec<Inline>,
    /// Items below it.
    pub inside: Vec<Item>,
}

/// A part of a chapter that stands on one page.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Its heading.
    pub title: Vec<Inline>,
    /// Where links to it lead.
    pub anchor: Anchor,
    pub blocks: Vec<Block>,
}

/// A chapter: a page, or several.
#[derive(Clone, Debug)]
pub(super) struct Chapter {
    /// The name of its pages: `clauses`.
    pub name: &'static str,
    /// Its heading.
    pub title: String,
    /// What stands above the pieces on its first page.
    pub lead: Vec<Block>,
    pub pieces: Vec<Piece>,
}

/// Text as it is.
pub(super) fn text(text: impl Into<String>) -> Inline {
    Inline::Text(text.into())
}

/// A link with a text.
pub(super) fn link(words: impl Into<String>, to: &Anchor) -> Inline {
    Inline::Link(vec![text(words)], to.clone())
}

/// Pieces of a line with something between them.
pub(super) fn joined(items: impl IntoIterator<Item = Vec<Inline>>, between: &str) -> Vec<Inline> {
    let mut out = Vec::new();
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(text(between));
        }
        out.extend(item);
    }
    out
}

/// A paragraph that says what something is: `Cases: a, b`.
pub(super) fn field(head: &str, colon: &str, content: Vec<Inline>) -> Block {
    let mut line = vec![Inline::Soft(format!("{head}{colon}"))];
    line.extend(content);
    Block::Para(line)
}

impl Inline {
    /// Roughly how many bytes of a page it takes.
    fn weight(&self) -> usize {
        match self {
            Inline::Text(text) | Inline::Strong(text) | Inline::Soft(text) | Inline::Code(text) => text.len() + 12,
            Inline::Token(_, text) | Inline::Changed(text) => text.len() + 24,
            Inline::Link(inside, to) => weight(inside) + to.id().len() + 40,
            Inline::At(anchor) => anchor.id().len() + 20,
        }
    }
}

fn weight(line: &[Inline]) -> usize {
    line.iter().map(Inline::weight).sum()
}

impl Item {
    fn weight(&self) -> usize {
        16 + weight(&self.text) + self.inside.iter().map(Item::weight).sum::<usize>()
    }
}

impl Entry {
    /// Roughly how many bytes of a page it takes.
    pub fn weight(&self) -> usize {
        24 + blocks_weight(&self.blocks)
    }
}

/// Roughly how many bytes of a page they take.
pub(super) fn blocks_weight(blocks: &[Block]) -> usize {
    let one = |block: &Block| match block {
        Block::Head(_, anchor, line) => 16 + weight(line) + anchor.as_ref().map_or(0, |a| a.id().len() + 6),
        Block::Para(line) | Block::Quote(line) | Block::Source(line) => 24 + weight(line),
        Block::List(items) => items.iter().map(Item::weight).sum(),
        Block::Verbatim(what, text) => 60 + what.len() + text.len(),
        Block::Lines(text) => 24 + text.len(),
        Block::Table(_, rows) => rows.iter().flatten().map(|cell| 10 + weight(cell)).sum(),
        Block::Picture(picture, ..) => picture.svg.len(),
        Block::Entry(entry) => entry.weight(),
        Block::Cards(cards) => cards.iter().map(Entry::weight).sum(),
        Block::OnPages(blocks) => blocks_weight(blocks),
    };
    blocks.iter().map(one).sum()
}
