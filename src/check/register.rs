//! Tables beside the rule files: the register of clauses, and members read from a spreadsheet.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::Checker;
use crate::check::Diagnostic;
use crate::model::{RegisterRow, Text};
use crate::plain;
use crate::span::{Source, Span};
use crate::syntax::tree::Label;

/// A row of a table and where it is in its file.
#[derive(Debug)]
pub(super) struct Row {
    /// The cells; the first is the id.
    pub(super) cells: Vec<String>,
    /// The range of each cell in the file.
    pub(super) spots: Vec<Range<usize>>,
    /// The range of the row in the file.
    pub(super) at: Range<usize>,
    /// Its line, from 1.
    pub(super) line: usize,
}

impl Checker {
    /// The text of a file of the game, or a report that it is missing.
    pub(super) fn file(&mut self, label: &Label) -> Option<String> {
        let found = self.files.iter().find(|(n, _)| *n == label.text).map(|(_, t)| t.clone());
        if found.is_none() {
            let names: Vec<String> =
                self.files.iter().map(|(n, _)| n.clone()).filter(|n| !n.ends_with(".law")).collect();
            let help = match crate::spelling::closest(&label.text, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "put it in the folder of the game".into(),
            };
            self.report(
                Diagnostic::error(
                    "law::file",
                    format!("the file \"{}\" does not exist", label.text),
                    label.span,
                    "named here",
                )
                .help(help),
            );
        }
        found
    }

    /// Reads the register of clauses.
    pub(super) fn register(&mut self, label: &Label) {
        let Some(text) = self.file(label) else { return };
        if !self.table_is_visible(label, &text) {
            return;
        }
        let mut lines = text.lines();
        let header: Vec<&str> =
            lines.next().map_or(Vec::new(), |l| l.trim_start_matches('\u{feff}').split('\t').collect());
        let at = |name: &&str| name.as_ptr() as usize - text.as_ptr() as usize;
        let spots: Vec<_> = header.iter().map(|name| at(name)..at(name) + name.len()).collect();
        if !self.columns_differ(label, &header, &spots) {
            return;
        }
        let column = |name: &str| header.iter().position(|h| *h == name);
        let Some(id) = column("id") else {
            self.report(
                Diagnostic::error(
                    "law::file",
                    format!("\"{}\" is not a register of clauses", label.text),
                    label.span,
                    "its first line has no column `id`",
                )
                .help("the first line is: id, section, kind, line, paraphrase_en, ambiguity, separated by tabs"),
            );
            return;
        };
        let (section, kind, line, words, ambiguity) =
            (column("section"), column("kind"), column("line"), column("paraphrase_en"), column("ambiguity"));
        let translated = header.iter().enumerate().filter_map(|(i, name)| {
            let lang = name.strip_prefix("paraphrase_").filter(|lang| *lang != "en")?;
            Some((i, lang.to_owned()))
        });
        let translated: Vec<(usize, String)> = translated.collect();
        let others: BTreeSet<String> = self.model.register.iter().map(|row| row.id.clone()).collect();
        let mut first: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        for row in lines {
            let cells: Vec<&str> = row.split('\t').collect();
            let cell = |c: Option<usize>| c.and_then(|c| cells.get(c)).map_or(String::new(), |s| s.trim().to_string());
            let name = cell(Some(id));
            if name.is_empty() {
                continue;
            }
            let at = row.as_ptr() as usize - text.as_ptr() as usize;
            let wide = row.trim_end().len();
            if let Some(earlier) = first.insert(name.clone(), at) {
                let (again, before) = (self.within(label, at..at + wide), self.within(label, earlier..earlier + 1));
                self.report(
                    Diagnostic::error(
                        "law::duplicate",
                        format!("`{name}` appears twice in the register"),
                        again,
                        "the second",
                    )
                    .and(before, "the first")
                    .help("give one of them another id"),
                );
            }
            if others.contains(&name) {
                let again = self.within(label, at..at + wide);
                self.report(
                    Diagnostic::error("law::duplicate", format!("`{name}` is in two registers"), again, "the second")
                        .and(label.span, "read here")
                        .help("give one of them another id: a citation names the clause of either register"),
                );
            }
            self.model.register.push(RegisterRow {
                id: name,
                section: cell(section),
                kind: cell(kind),
                line: cell(line),
                paraphrase: Text {
                    text: cell(words),
                    translations: translated
                        .iter()
                        .map(|(i, lang)| (lang.clone(), cell(Some(*i))))
                        .filter(|(_, text)| !text.is_empty())
                        .collect(),
                },
                ambiguity: cell(ambiguity),
            });
        }
    }

    /// A span in a file beside the rule files; the file can be shown from then on.
    pub(super) fn within(&mut self, label: &Label, at: Range<usize>) -> Span {
        let shown = self.model.sources.files.iter().position(|f| f.name == label.text);
        let file = shown.unwrap_or_else(|| {
            let text = self.files.iter().find(|(n, _)| *n == label.text).map(|(_, t)| t.clone()).unwrap_or_default();
            self.model.sources.files.push(Source { name: label.text.clone(), text });
            self.model.sources.files.len() - 1
        });
        Span { file: file as u32, start: at.start as u32, end: at.end as u32 }
    }

    /// The place of a column's name in the header of a table.
    pub(super) fn column(&mut self, file: &Label, column: &str) -> Span {
        let text = self.files.iter().find(|(n, _)| *n == file.text).map(|(_, t)| t.as_str()).unwrap_or_default();
        let first = text.lines().next().unwrap_or("");
        let bare = first.trim_start_matches('\u{feff}');
        let start = first.len() - bare.len();
        let spot = split_csv(bare).into_iter().find(|(cell, _)| cell.trim() == column).map_or(0..0, |(_, spot)| spot);
        self.within(file, start + spot.start..start + spot.end)
    }

    /// The rows of a member table: the header and the cells of each line, with their places. A table that says
    /// which column has the names needs no ids.
    pub(super) fn table(&mut self, label: &Label, called: bool) -> Option<(Vec<String>, Vec<Row>)> {
        let first: &[&str] = if called { &[] } else { &["id"] };
        self.table_led_by(label, first, ("members", "its first column must be `id`"))
    }

    /// The same for a table of the sides of a grid.
    pub(super) fn side_table(&mut self, label: &Label) -> Option<(Vec<String>, Vec<Row>)> {
        self.table_led_by(label, &["from", "to"], ("sides", "its first columns must be `from` and `to`"))
    }

    /// The same for links.
    pub(super) fn link_table(&mut self, label: &Label) -> Option<(Vec<String>, Vec<Row>)> {
        self.table_led_by(label, &["from", "to"], ("links", "its first columns must be `from` and `to`"))
    }

    /// Whether all column names differ; the first repeated one is reported.
    fn columns_differ(&mut self, label: &Label, names: &[impl AsRef<str>], spots: &[Range<usize>]) -> bool {
        let mut first: HashMap<&str, &Range<usize>> = HashMap::new();
        for (name, spot) in names.iter().map(|n| n.as_ref().trim()).zip(spots).filter(|(n, _)| !n.is_empty()) {
            let Some(earlier) = first.insert(name, spot) else { continue };
            let (again, before) = (self.within(label, spot.clone()), self.within(label, earlier.clone()));
            self.report(
                Diagnostic::error("law::duplicate", format!("the column `{name}` appears twice"), again, "the second")
                    .and(before, "the first")
                    .help("remove one of them with its cells"),
            );
            return false;
        }
        true
    }

    /// Whether a table is free of control characters; the first one is reported.
    fn table_is_visible(&mut self, label: &Label, text: &str) -> bool {
        let bytes = text.as_bytes();
        let ends = |at: usize| bytes.get(at) == Some(&b'\r') && matches!(bytes.get(at + 1), Some(b'\n') | None);
        let Some((at, c)) = text.char_indices().find(|(at, c)| plain::steers(*c) && !ends(*at)) else {
            return true;
        };
        let span = self.within(label, at..at + c.len_utf8());
        let message = format!("this contains the control character U+{:04X}", u32::from(c));
        self.report(
            Diagnostic::error("law::file", message, span, "invisible, but it changes how text is shown")
                .help("remove it"),
        );
        false
    }

    fn table_led_by(
        &mut self,
        label: &Label,
        first: &[&str],
        (of, wanted): (&str, &str),
    ) -> Option<(Vec<String>, Vec<Row>)> {
        let text = self.file(label)?;
        if !self.table_is_visible(label, &text) {
            return None;
        }
        let lines = text.lines().map(str::trim_end).enumerate().filter(|(_, line)| !line.is_empty());
        let mut rows = lines.map(|(n, line)| {
            let at = line.as_ptr() as usize - text.as_ptr() as usize;
            let bare = line.trim_start_matches('\u{feff}');
            let start = at + line.len() - bare.len();
            let (cells, spots) = split_csv(bare).into_iter().map(|(c, s)| (c, start + s.start..start + s.end)).unzip();
            Row { cells, spots, at: at..at + line.len(), line: n + 1 }
        });
        let (header, spots) = rows.next().map(|r| (r.cells, r.spots)).unwrap_or_default();
        let rows: Vec<Row> = rows.collect();
        if !first.iter().eq(header.iter().take(first.len())) {
            self.report(
                Diagnostic::error(
                    "law::file",
                    format!("\"{}\" is not a table of {of}", label.text),
                    label.span,
                    wanted,
                )
                .help(
                    format!(
                        "the first line names the columns: {},FIELD,...",
                        if of == "members" { "id,name" } else { "from,to" }
                    ) + if of == "members" {
                        "; or write `called COLUMN` after the file for names of another column"
                    } else {
                        ""
                    },
                ),
            );
            return None;
        }
        if !self.columns_differ(label, &header, &spots) {
            return None;
        }
        let mut bad = rows.iter().filter(|r| r.cells.len() != header.len());
        if let Some(first) = bad.next() {
            let (bad, more) = (first, bad.count());
            let at = self.within(label, bad.at.clone());
            let has = |n: usize| if n == 1 { "1 cell".to_string() } else { format!("{n} cells") };
            let others = match more {
                0 => String::new(),
                1 => String::from("; 1 more row has a wrong number"),
                n => format!("; {n} more rows have a wrong number"),
            };
            self.report(
                Diagnostic::error(
                    "law::file",
                    format!("this row has {}, the header {}{others}", has(bad.cells.len()), header.len()),
                    at,
                    has(bad.cells.len()),
                )
                .and(label.span, "read here")
                .help(format!(
                    "write {}, with an empty one for a default: {}",
                    has(header.len()),
                    header.join(",")
                )),
            );
            return None;
        }
        Some((header, rows))
    }
}

/// The cells of a line of comma-separated values and their places; a cell in double quotes may hold commas, and `""`
/// for a quote.
fn split_csv(line: &str) -> Vec<(String, Range<usize>)> {
    let mut cells = vec![(String::new(), 0..line.len())];
    let mut quoted = false;
    let mut at = 0;
    while let Some((cell, spot)) = cells.last_mut() {
        let rest = line.get(at..).unwrap_or("");
        let Some(stop) = rest.find(|c| c == '"' || c == ',' && !quoted) else {
            cell.push_str(rest);
            break;
        };
        cell.push_str(&rest[..stop]);
        at += stop + 1;
        if rest[stop..].starts_with(',') {
            spot.end = at - 1;
            cells.push((String::new(), at..line.len()));
        } else if quoted && rest[stop..].starts_with("\"\"") {
            cell.push('"');
            at += 1;
        } else {
            quoted = !quoted;
        }
    }
    cells
}
