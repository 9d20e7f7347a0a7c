//! Tables beside the rule files: the register of clauses, and members read from a spreadsheet.

use super::Checker;
use crate::check::Diagnostic;
use crate::model::RegisterRow;
use crate::syntax::tree::Label;

impl Checker {
    /// The text of a file of the game, or a report that it is missing.
    pub(super) fn file(&mut self, label: &Label) -> Option<String> {
        let found = self.files.iter().find(|(n, _)| *n == label.text).map(|(_, t)| t.clone());
        if found.is_none() {
            let names: Vec<String> =
                self.files.iter().map(|(n, _)| n.clone()).filter(|n| !n.ends_with(".law")).collect();
            let help = match crate::suggest::closest(&label.text, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "put it in the folder of the game".into(),
            };
            self.report(
                Diagnostic::error(
                    "law::file",
                    format!("there is no file \"{}\"", label.text),
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
        let mut lines = text.lines().enumerate();
        let header: Vec<&str> = lines.next().map_or(Vec::new(), |(_, l)| l.split('\t').collect());
        let column = |name: &str| header.iter().position(|h| *h == name);
        let Some(id) = column("id") else {
            self.report(
                Diagnostic::error(
                    "law::file",
                    format!("\"{}\" is no register of clauses", label.text),
                    label.span,
                    "its first line has no column `id`",
                )
                .help("the first line is: id, section, kind, line, paraphrase_en, ambiguity, separated by tabs"),
            );
            return;
        };
        let (section, kind, line, words, ambiguity) =
            (column("section"), column("kind"), column("line"), column("paraphrase_en"), column("ambiguity"));
        for (_, row) in lines {
            let cells: Vec<&str> = row.split('\t').collect();
            let cell = |c: Option<usize>| c.and_then(|c| cells.get(c)).map_or(String::new(), |s| s.trim().to_string());
            if cell(Some(id)).is_empty() {
                continue;
            }
            self.model.register.push(RegisterRow {
                id: cell(Some(id)),
                section: cell(section),
                kind: cell(kind),
                line: cell(line),
                paraphrase: cell(words),
                ambiguity: cell(ambiguity),
            });
        }
    }

    /// The rows of a member table: the header and the cells of each line.
    pub(super) fn table(&mut self, label: &Label) -> Option<(Vec<String>, Vec<Vec<String>>)> {
        let text = self.file(label)?;
        let mut rows = text.lines().map(str::trim_end).filter(|l| !l.is_empty()).map(split_csv);
        let header = rows.next().unwrap_or_default();
        let rows: Vec<Vec<String>> = rows.collect();
        if header.first().map(String::as_str) != Some("id") {
            self.report(
                Diagnostic::error(
                    "law::file",
                    format!("\"{}\" is no table of members", label.text),
                    label.span,
                    "its first column must be `id`",
                )
                .help("the first line names the columns: id,name,FIELD,..."),
            );
            return None;
        }
        if let Some(bad) = rows.iter().position(|r| r.len() != header.len()) {
            self.report(Diagnostic::error(
                "law::file",
                format!(
                    "row {} of \"{}\" has {} cells, the header {}",
                    bad + 2,
                    label.text,
                    rows[bad].len(),
                    header.len()
                ),
                label.span,
                "read here",
            ));
            return None;
        }
        Some((header, rows))
    }
}

/// The cells of a line of comma-separated values; a cell in double quotes may hold commas, and `""` for a quote.
fn split_csv(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                if let Some(cell) = cells.last_mut() {
                    cell.push('"');
                }
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    cells
}
