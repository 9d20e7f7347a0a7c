//! Text whose lines are not decided yet, and the lines that fit the width.
//!
//! After Wadler, "A prettier printer", with filled lists: a group is written on one line if it fits, and a filled list
//! breaks where the next item would not fit.

use unicode_width::UnicodeWidthStr;

/// The columns by which a line is indented further.
const INDENT: usize = 2;

/// A text whose lines are not decided yet.
#[derive(Clone, Debug)]
pub(super) enum Doc {
    /// As it stands, on one line.
    Text(String),
    /// The end of a line; an empty line follows if `blank`.
    Line { blank: bool },
    /// Spaces, or the end of a line where the group around it is broken.
    Break { flat: &'static str },
    /// Parts in a row.
    All(Vec<Doc>),
    /// Lines that begin in it are indented further.
    Nest(Box<Doc>),
    /// On one line, if it fits; else broken.
    Group(Box<Doc>),
    /// Items, each with what stands before it.
    Fill(Vec<(Between, Doc)>),
}

/// What stands before an item of a filled list.
#[derive(Clone, Debug)]
pub(super) enum Between {
    /// This, always.
    Fixed(Doc),
    /// Spaces, or the end of a line where the item would not fit, or, if the list has to be broken anyway, where the
    /// author has broken it.
    Soft { flat: &'static str, author: bool, nest: bool },
    /// A space, or the end of a line where the item would not fit or the item before it has several lines.
    Seam,
}

impl Between {
    /// The spaces that stand there on one line.
    fn flat(&self) -> &'static str {
        match self {
            Between::Soft { flat, .. } => flat,
            Between::Fixed(_) => "",
            Between::Seam => " ",
        }
    }
}

impl Doc {
    /// A text.
    pub fn text(text: impl Into<String>) -> Doc {
        Doc::Text(text.into())
    }

    /// Nothing.
    pub fn none() -> Doc {
        Doc::All(Vec::new())
    }

    /// The same, with further indented lines.
    pub fn nest(self) -> Doc {
        Doc::Nest(Box::new(self))
    }

    /// The same, on one line if it fits.
    pub fn group(self) -> Doc {
        Doc::Group(Box::new(self))
    }

    /// Whether it has more than one line however wide the paper is.
    pub fn is_broken(&self) -> bool {
        match self {
            Doc::Text(_) | Doc::Break { .. } => false,
            Doc::Line { .. } => true,
            Doc::All(docs) => docs.iter().any(Doc::is_broken),
            Doc::Nest(doc) | Doc::Group(doc) => doc.is_broken(),
            Doc::Fill(items) => items.iter().any(|(between, doc)| {
                doc.is_broken() || matches!(between, Between::Fixed(before) if before.is_broken())
            }),
        }
    }
}

/// How a doc is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Flat,
    Broken,
}

/// What is still to be written.
#[derive(Clone, Copy, Debug)]
enum Todo<'d> {
    Doc(usize, Mode, &'d Doc),
    /// The items of a filled list from one on, and where the text of the one before begins.
    Items(usize, usize, &'d [(Between, Doc)]),
}

/// Writes a doc in lines of at most so many columns, where that can be done.
pub(super) fn write(doc: &Doc, width: usize) -> String {
    let mut out =
        Writer { text: String::new(), column: 0, width, owed: 0, todo: vec![Todo::Doc(0, Mode::Broken, doc)] };
    while let Some(todo) = out.todo.pop() {
        match todo {
            Todo::Doc(indent, mode, doc) => out.doc(indent, mode, doc),
            Todo::Items(indent, from, items) => out.items(indent, from, items),
        }
    }
    out.text
}

struct Writer<'d> {
    text: String,
    column: usize,
    width: usize,
    /// Indentation not yet written: a line that stays empty has none.
    owed: usize,
    todo: Vec<Todo<'d>>,
}

impl<'d> Writer<'d> {
    fn doc(&mut self, indent: usize, mode: Mode, doc: &'d Doc) {
        match doc {
            Doc::Text(text) => self.put(text),
            Doc::Line { blank } => self.line(indent, *blank),
            Doc::Break { flat } if mode == Mode::Flat => self.put(flat),
            Doc::Break { .. } => self.line(indent, false),
            Doc::All(docs) => self.todo.extend(docs.iter().rev().map(|d| Todo::Doc(indent, mode, d))),
            Doc::Nest(doc) => self.todo.push(Todo::Doc(indent + INDENT, mode, doc)),
            Doc::Group(doc) => {
                let flat = mode == Mode::Flat || !doc.is_broken() && self.fits(self.column, Mode::Flat, doc);
                self.todo.push(Todo::Doc(indent, if flat { Mode::Flat } else { Mode::Broken }, doc));
            }
            Doc::Fill(items) if mode == Mode::Flat => {
                for (between, doc) in items.iter().rev() {
                    self.todo.push(Todo::Doc(indent, mode, doc));
                    match between {
                        Between::Fixed(before) => self.todo.push(Todo::Doc(indent, mode, before)),
                        between => self.todo.push(Todo::Doc(indent, mode, spaces(between.flat()))),
                    }
                }
            }
            Doc::Fill(items) => self.todo.push(Todo::Items(indent, self.text.len(), items)),
        }
    }

    fn items(&mut self, indent: usize, from: usize, items: &'d [(Between, Doc)]) {
        let Some(((between, doc), rest)) = items.split_first() else { return };
        let several = self.text.get(from..).is_some_and(|t| t.trim_start_matches('\n').contains('\n'));
        self.todo.push(Todo::Items(indent, self.text.len(), rest));
        let (indent, author) = match between {
            Between::Fixed(before) => {
                self.todo.push(Todo::Doc(indent, Mode::Broken, doc));
                self.todo.push(Todo::Doc(indent, Mode::Broken, before));
                return;
            }
            Between::Soft { nest, author, .. } => (indent + if *nest { INDENT } else { 0 }, *author),
            Between::Seam => (indent + INDENT, several),
        };
        let flat = between.flat();
        let column = self.column + flat.len();
        let fits = |column, mode| !doc.is_broken() && self.fits(column, mode, doc);
        let (line, mode) = if !author && fits(column, Mode::Flat) {
            (false, Mode::Flat)
        } else if author || fits(indent, Mode::Flat) || !fits(column, Mode::Broken) || matches!(between, Between::Seam)
        {
            (true, Mode::Broken)
        } else {
            // It has to be broken in any case, and can begin here.
            (false, Mode::Broken)
        };
        if line {
            self.line(indent, false);
        } else {
            self.put(flat);
        }
        self.todo.push(Todo::Doc(indent, mode, doc));
    }

    fn put(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.text.extend(std::iter::repeat_n(' ', std::mem::take(&mut self.owed)));
        self.text.push_str(text);
        self.column += UnicodeWidthStr::width(text);
    }

    fn line(&mut self, indent: usize, blank: bool) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push_str(if blank { "\n\n" } else { "\n" });
        (self.column, self.owed) = (indent, indent);
    }

    /// Whether a doc and what follows it up to the next possible end of a line fit on a line from a column on.
    fn fits(&self, column: usize, mode: Mode, doc: &Doc) -> bool {
        let Some(left) = self.width.checked_sub(column) else { return false };
        let mut line = Line { left, docs: vec![(mode, doc)] };
        if let Some(full) = line.go() {
            return full;
        }
        for todo in self.todo.iter().rev() {
            match todo {
                Todo::Doc(_, mode, doc) => line.docs.push((*mode, doc)),
                Todo::Items(_, _, items) => match items.first() {
                    None => {}
                    Some((Between::Fixed(before), doc)) => {
                        line.docs.push((Mode::Broken, doc));
                        line.docs.push((Mode::Broken, before));
                    }
                    Some(_) => return true,
                },
            }
            if let Some(full) = line.go() {
                return full;
            }
        }
        true
    }
}

/// The doc that is a text of spaces.
fn spaces(flat: &'static str) -> &'static Doc {
    const NONE: &Doc = &Doc::Break { flat: "" };
    const ONE: &Doc = &Doc::Break { flat: " " };
    const TWO: &Doc = &Doc::Break { flat: "  " };
    match flat.len() {
        0 => NONE,
        1 => ONE,
        _ => TWO,
    }
}

/// The rest of a line, and what shall stand there.
struct Line<'d> {
    left: usize,
    docs: Vec<(Mode, &'d Doc)>,
}

impl<'d> Line<'d> {
    /// Takes docs off as long as they fit. `Some` says whether all did up to the end of the line; `None` that they did
    /// and that the line goes on.
    fn go(&mut self) -> Option<bool> {
        while let Some((mode, doc)) = self.docs.pop() {
            let wide = match doc {
                Doc::Text(text) => UnicodeWidthStr::width(text.as_str()),
                Doc::Break { flat } if mode == Mode::Flat => flat.len(),
                Doc::Line { .. } | Doc::Break { .. } => return Some(true),
                Doc::All(docs) => {
                    self.docs.extend(docs.iter().rev().map(|d| (mode, d)));
                    0
                }
                Doc::Nest(doc) | Doc::Group(doc) => {
                    self.docs.push((mode, doc));
                    0
                }
                Doc::Fill(items) => {
                    self.fill(mode, items);
                    0
                }
            };
            match self.left.checked_sub(wide) {
                Some(left) => self.left = left,
                None => return Some(false),
            }
        }
        None
    }

    fn fill(&mut self, mode: Mode, items: &'d [(Between, Doc)]) {
        for (between, doc) in items.iter().rev() {
            self.docs.push((mode, doc));
            match between {
                Between::Fixed(before) => self.docs.push((mode, before)),
                between => self.docs.push((mode, spaces(between.flat()))),
            }
        }
    }
}
