//! A report in sections: as text for a terminal, as Markdown, or as a page of HTML.

use std::fmt::Write as _;

use lawspeaker::html::{self, Styled, escaped};
use lawspeaker::map;
use lawspeaker::plain::markdown as in_markdown;

use super::screen::{COLUMNS, broken};

/// A report.
#[derive(Debug, Default)]
pub struct Document {
    /// What it is called.
    pub title: String,
    /// What it is about, a line each.
    pub about: Vec<String>,
    /// Its sections, in order.
    pub sections: Vec<Section>,
    /// What is said at the end; empty if nothing is.
    pub end: String,
}

/// A section of a report.
#[derive(Debug, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What comes first; empty if nothing does.
    pub lead: String,
    /// Numbers side by side.
    pub table: Option<Table>,
    /// What is listed.
    pub items: Vec<Item>,
}

/// Something listed, and what is listed under it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// A sentence or less.
    pub text: String,
    /// What stands under it.
    pub inner: Vec<Item>,
}

impl Item {
    /// With nothing under it.
    pub fn new(text: impl Into<String>) -> Item {
        Item { text: text.into(), inner: Vec::new() }
    }

    /// With lines under it.
    pub fn over(text: impl Into<String>, inner: impl IntoIterator<Item = String>) -> Item {
        Item { text: text.into(), inner: inner.into_iter().map(Item::new).collect() }
    }
}

/// Rows with as many cells as the head. The first column has names, the others numbers.
#[derive(Debug, Default)]
pub struct Table {
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Document {
    /// As text of 80 columns; `bold` makes a line stand out.
    pub fn text(&self, bold: &dyn Fn(&str) -> String) -> String {
        let mut out = String::new();
        for line in &self.about {
            let _ = writeln!(out, "{}", bold(line));
        }
        for section in &self.sections {
            let _ = write!(out, "\n{}\n", bold(&section.title));
            if !section.lead.is_empty() {
                out.push_str(&broken(2, &section.lead));
            }
            if let Some(table) = &section.table {
                table.text(&mut out);
            }
            listed(&mut out, &section.items, 2);
        }
        if !self.end.is_empty() {
            out.push('\n');
            out.push_str(&broken(0, &self.end));
        }
        out
    }

    /// The same as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n", in_markdown(&self.title));
        self.about.iter().for_each(|line| bullet(&mut out, line, 0));
        for section in &self.sections {
            let _ = write!(out, "\n## {}\n\n", in_markdown(&section.title));
            if !section.lead.is_empty() {
                let _ = write!(out, "{}\n\n", in_markdown(&section.lead));
            }
            if let Some(table) = &section.table {
                table.markdown(&mut out);
                out.push_str(if section.items.is_empty() { "" } else { "\n" });
            }
            section.items.iter().for_each(|item| item.markdown(&mut out, 0));
        }
        if !self.end.is_empty() {
            let _ = write!(out, "\n{}\n", in_markdown(&self.end));
        }
        out
    }

    /// The same as one page of HTML that needs no other files.
    pub fn html(&self, lang: &str) -> String {
        let mut out = format!("<main>\n<header>\n<h1>{}</h1>\n", escaped(&self.title));
        for line in &self.about {
            let _ = writeln!(out, "<p class=\"about\">{}</p>", escaped(line));
        }
        out.push_str("</header>\n");
        for section in &self.sections {
            let _ = write!(out, "<section>\n<h2>{}</h2>\n", escaped(&section.title));
            if !section.lead.is_empty() {
                let _ = writeln!(out, "<p>{}</p>", escaped(&section.lead));
            }
            if let Some(table) = &section.table {
                table.html(&mut out);
            }
            items_html(&mut out, &section.items);
            out.push_str("</section>\n");
        }
        if !self.end.is_empty() {
            let _ = writeln!(out, "<section>\n<p>{}</p>\n</section>", escaped(&self.end));
        }
        html::page(lang, &self.title, Styled::Inside, &(out + "</main>\n"))
    }
}

fn listed(out: &mut String, items: &[Item], indent: usize) {
    for item in items {
        out.push_str(&broken(indent, &item.text));
        listed(out, &item.inner, indent + 2);
    }
}

fn bullet(out: &mut String, text: &str, depth: usize) {
    let whole = |code: &str| format!("`{code}`");
    let _ = writeln!(out, "{}- {}", "  ".repeat(depth), coded(text, in_markdown, whole));
}

/// A text in which what stands between two backticks is code.
fn coded(text: &str, plain: impl Fn(&str) -> String, code: impl Fn(&str) -> String) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return plain(text);
    }
    parts.iter().enumerate().map(|(i, part)| if i % 2 == 0 { plain(part) } else { code(part) }).collect()
}

fn items_html(out: &mut String, items: &[Item]) {
    if items.is_empty() {
        return;
    }
    out.push_str("<ul>\n");
    for item in items {
        let code = |code: &str| format!("<code>{}</code>", escaped(code));
        let _ = write!(out, "<li>{}", coded(&item.text, escaped, code));
        if !item.inner.is_empty() {
            out.push('\n');
            items_html(out, &item.inner);
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
}

impl Item {
    fn markdown(&self, out: &mut String, depth: usize) {
        bullet(out, &self.text, depth);
        self.inner.iter().for_each(|item| item.markdown(out, depth + 1));
    }
}

impl Table {
    /// In columns; where that would be too wide, a row below the other.
    fn text(&self, out: &mut String) {
        let lines = self.lines();
        if lines.iter().all(|line| map::columns(line) + 2 <= COLUMNS) {
            lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
            return;
        }
        for row in &self.rows {
            let mut cells = self.head.iter().zip(row);
            out.push_str(&broken(2, cells.next().map_or("", |(_, name)| name)));
            cells.for_each(|(head, cell)| out.push_str(&broken(4, &format!("{head}: {cell}"))));
        }
    }

    /// As lines with aligned columns.
    fn lines(&self) -> Vec<String> {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let width = |i: usize| all().filter_map(|row| row.get(i)).map(|cell| map::columns(cell)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cell = |(i, (cell, width)): (usize, (&String, &usize))| {
                let gap = " ".repeat(width.saturating_sub(map::columns(cell)));
                if i == 0 { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
            };
            let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
            cells.join("  ").trim_end().to_owned()
        };
        all().map(line).collect()
    }

    fn markdown(&self, out: &mut String) {
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| in_markdown(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        out.push_str(&row(&self.head));
        out.push_str("| --- |");
        out.push_str(&" ---: |".repeat(self.head.len().saturating_sub(1)));
        out.push('\n');
        self.rows.iter().for_each(|cells| out.push_str(&row(cells)));
    }

    fn html(&self, out: &mut String) {
        let row = |cells: &[String], tag: &str| {
            let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        out.push_str("<div class=\"wide\">\n<table class=\"numbers\">\n");
        out.push_str(&row(&self.head, "th"));
        self.rows.iter().for_each(|cells| out.push_str(&row(cells, "td")));
        out.push_str("</table>\n</div>\n");
    }
}
