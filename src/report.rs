//! Renders diagnostics: for people through miette, for programs as JSON.

use std::fmt;
use std::ops::Range;

use miette::{Diagnostic as _, LabeledSpan, SourceCode};
use serde_json::{Value as Json, json};

use crate::check::{Diagnostic, Severity};
use crate::excerpt::Excerpt;
use crate::plain::{clip, plain};
use crate::span::{Sources, Span};

/// The maximum width of a report in columns.
pub const WIDTH: usize = 100;

/// A diagnostic, or the part of one that lies in another file, in miette's form.
#[derive(Debug)]
struct Part {
    message: String,
    code: Option<&'static str>,
    severity: miette::Severity,
    help: Option<String>,
    source: Option<Excerpt>,
    labels: Vec<LabeledSpan>,
    related: Vec<Part>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Part {}

impl miette::Diagnostic for Part {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.map(|c| Box::new(c) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.help.as_ref()?;
        Some(Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        let source = self.source.as_ref()?;
        Some(source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as Box<_>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        let parts = self.related.iter().map(|p| p as &dyn miette::Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(parts) as Box<_>)
    }
}

fn severity(of: &Diagnostic) -> miette::Severity {
    match of.severity {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
    }
}

/// The maximum number of labels shown of one diagnostic.
const MAX_LABELS: usize = 20;

/// The maximum number of characters shown of a message, a label or a help.
const MAX_CHARACTERS: usize = 4000;

fn shown(text: &str) -> String {
    clip(&plain(text), MAX_CHARACTERS).into_owned()
}

/// What is shown of a file, and the labels as miette places them; the first is the primary one if there is such.
fn excerpt(sources: &Sources, file: u32, labels: &[&(Span, String)], primary: bool) -> (Excerpt, Vec<LabeledSpan>) {
    let (name, text) = sources.files.get(file as usize).map_or(("?", ""), |f| (&f.name, &f.text));
    let spans: Vec<_> = labels.iter().map(|(span, _)| span.start as usize..span.end as usize).collect();
    let (excerpt, places) = Excerpt::new(name, text, &spans);
    let placed = places.into_iter().zip(labels).enumerate().map(|(i, (place, (_, words)))| {
        let words = (!words.is_empty()).then(|| shown(words));
        match primary && i == 0 {
            true => LabeledSpan::new_primary_with_span(words, place),
            false => LabeledSpan::new_with_span(words, place),
        }
    });
    let placed = placed.collect();
    (excerpt, placed)
}

/// miette labels share one source, so labels in other files become related parts.
fn part(diagnostic: &Diagnostic, sources: &Sources) -> Part {
    let mut files: Vec<(u32, Vec<&(Span, String)>)> = Vec::new();
    for label in diagnostic.labels.iter().take(MAX_LABELS) {
        match files.iter_mut().find(|(file, _)| *file == label.0.file) {
            Some((_, labels)) => labels.push(label),
            None => files.push((label.0.file, vec![label])),
        }
    }
    let mut files = files.into_iter();
    let home = files.next().map(|(file, labels)| (file, excerpt(sources, file, &labels, true)));
    let known = |file: u32| sources.files.get(file as usize).is_some();
    let (source, labels) = match home {
        Some((file, (excerpt, labels))) => (known(file).then_some(excerpt), labels),
        None => (None, Vec::new()),
    };
    Part {
        message: shown(&diagnostic.message),
        code: Some(diagnostic.code),
        severity: severity(diagnostic),
        help: diagnostic.help.as_deref().map(shown),
        source,
        labels,
        related: files.map(|(file, labels)| elsewhere(sources, file, &labels)).collect(),
    }
}

fn elsewhere(sources: &Sources, file: u32, labels: &[&(Span, String)]) -> Part {
    let name = sources.files.get(file as usize);
    let (excerpt, labels) = excerpt(sources, file, labels, false);
    Part {
        message: format!("and in {}", name.map_or("?".into(), |f| plain(&f.name))),
        code: None,
        severity: miette::Severity::Advice,
        help: None,
        source: name.map(|_| excerpt),
        labels,
        related: Vec::new(),
    }
}

/// Draws a report with frames around what it quotes.
#[cfg(feature = "cli")]
fn render(out: &mut String, part: &Part, colour: bool) -> fmt::Result {
    use miette::{GraphicalReportHandler, GraphicalTheme};
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_links(false).render_report(out, part)
}

/// Writes a report in plain lines.
#[cfg(not(feature = "cli"))]
fn render(out: &mut String, part: &Part, _: bool) -> fmt::Result {
    miette::NarratableReportHandler::new().render_report(out, part)
}

/// One diagnostic as people read it, 100 columns wide; in plain lines where the program is built without its command
/// line.
#[must_use]
pub fn text(diagnostic: &Diagnostic, sources: &Sources, colour: bool) -> String {
    drawn(&part(diagnostic, sources), colour)
}

fn drawn(part: &Part, colour: bool) -> String {
    let mut out = String::new();
    if render(&mut out, part, colour).is_err() {
        let code = part.code.map_or_else(String::new, |code| format!("{code}: "));
        out = format!("{code}{}\n", part.message);
        if let Some(help) = part.help() {
            out += &format!("  help: {help}\n");
        }
    }
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned() + "\n"
}

/// A mistake in a text that is not rules, such as a position or a record.
#[derive(Clone, Copy, Debug)]
pub struct Mistake<'a> {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// How many characters it is about; 0 for the word that begins there.
    pub width: usize,
    /// In words.
    pub message: &'a str,
}

/// A mistake with its place in the text, drawn like a diagnostic of rules.
#[must_use]
pub fn quoted(name: &str, text: &str, mistake: &Mistake<'_>, colour: bool) -> String {
    let (excerpt, places) = Excerpt::new(name, text, &[stretch(text, mistake)]);
    let labels = places.into_iter().map(|place| LabeledSpan::new_primary_with_span(None, place)).collect();
    let part = Part {
        message: shown(mistake.message),
        code: None,
        severity: miette::Severity::Error,
        help: None,
        source: Some(excerpt),
        labels,
        related: Vec::new(),
    };
    drawn(&part, colour)
}

/// The bytes that a mistake is about; they stay within its line.
fn stretch(text: &str, mistake: &Mistake<'_>) -> Range<usize> {
    let mut before = 0;
    let mut line = "";
    for raw in text.split_inclusive('\n').take(mistake.line.max(1)) {
        before += line.len();
        line = raw;
    }
    let content = line.trim_end();
    let at = |column: usize| content.char_indices().nth(column).map_or(content.len(), |(at, _)| at);
    let start = at(mistake.column.saturating_sub(1));
    let word = content.get(start..).unwrap_or("").chars().take_while(|c| !c.is_whitespace()).count();
    let end = at((mistake.column.max(1) - 1).saturating_add(if mistake.width == 0 { word } else { mistake.width }));
    before + start..before + end.max(start)
}

/// The maximum number of diagnostics that are shown.
const MAX_REPORTS: usize = 100;

/// The diagnostics as people read them, errors first, up to a maximum, and how many more there are.
#[must_use]
pub fn all(diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let shown = ordered(diagnostics).into_iter().take(MAX_REPORTS);
    let mut parts: Vec<String> = shown.map(|d| text(d, sources, colour)).collect();
    parts.extend(left_out(diagnostics).map(|words| words + "\n"));
    parts.join("\n")
}

/// How many diagnostics are not shown, in words; `None` if all are.
#[must_use]
pub fn left_out(diagnostics: &[Diagnostic]) -> Option<String> {
    let more = diagnostics.len().checked_sub(MAX_REPORTS).filter(|n| *n > 0)?;
    let errors = count(diagnostics).0.saturating_sub(MAX_REPORTS);
    Some(format!("and {} more", words_of(errors, more - errors)))
}

fn ordered(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| d.severity != Severity::Error);
    sorted
}

/// How many errors and warnings there are.
#[must_use]
pub fn count(diagnostics: &[Diagnostic]) -> (usize, usize) {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    (errors, diagnostics.len() - errors)
}

/// `1 error, 2 warnings`, or `no faults`.
#[must_use]
pub fn count_words(diagnostics: &[Diagnostic]) -> String {
    let (errors, warnings) = count(diagnostics);
    words_of(errors, warnings)
}

fn words_of(errors: usize, warnings: usize) -> String {
    let parts: Vec<String> = [(errors, "error"), (warnings, "warning")]
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| plural(n, what))
        .collect();
    if parts.is_empty() {
        return String::from("no faults");
    }
    parts.join(", ")
}

/// `1 file`, `2 files`.
#[must_use]
pub fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The diagnostics for programs, as many as people see, errors first: places are file, line and column from 1, and
/// byte offsets.
#[must_use]
pub fn json(diagnostics: &[Diagnostic], sources: &Sources) -> Json {
    ordered(diagnostics)
        .into_iter()
        .take(MAX_REPORTS)
        .map(|d| {
            let labels: Vec<Json> =
                d.labels.iter().take(MAX_LABELS).map(|(span, text)| place_json(sources, *span, text)).collect();
            json!({
                "code": d.code,
                "severity": if d.severity == Severity::Error { "error" } else { "warning" },
                "message": clip(&d.message, MAX_CHARACTERS),
                "labels": labels,
                "help": d.help.as_deref().map(|help| clip(help, MAX_CHARACTERS)),
            })
        })
        .collect()
}

fn place_json(sources: &Sources, span: Span, text: &str) -> Json {
    let (file, line, column) = sources.place(span);
    let (start, end, text) = (span.start, span.end, clip(text, MAX_CHARACTERS));
    json!({ "file": file, "line": line, "column": column, "start": start, "end": end, "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Source;

    fn clash() -> (Diagnostic, Sources) {
        let file = |name: &str, text: &str| Source { name: name.into(), text: text.into() };
        let files = vec![file("a.law", "instead f(x) = 1\n"), file("b.law", "// 指輪\ninstead f(x) = 2\n")];
        let at = |file, start, end| Span { file, start, end };
        let diagnostic = Diagnostic {
            code: "law::conflict",
            severity: Severity::Error,
            message: "two clauses disagree".into(),
            labels: vec![(at(0, 0, 16), "this gives 1".into()), (at(1, 10, 26), "this gives 2".into())],
            help: Some("let one rank above the other".into()),
        };
        (diagnostic, Sources { files })
    }

    #[test]
    fn a_clash_between_files_shows_both() {
        let (diagnostic, sources) = clash();
        let text = text(&diagnostic, &sources, false);
        for part in ["law::conflict", "a.law", "b.law", "this gives 1", "this gives 2", "rank above"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn spans_that_fit_nowhere_do_no_harm() {
        let (mut diagnostic, sources) = clash();
        for span in [(1, 5, 900), (7, 0, 3), (0, 99, 2)] {
            let (file, start, end) = span;
            diagnostic.labels = vec![(Span { file, start, end }, "here".into())];
            assert!(text(&diagnostic, &sources, true).contains("disagree"));
            assert!(json(&[diagnostic.clone()], &sources).is_array());
        }
    }
}
