//! The one place that turns diagnostics into something to read: for people through miette, for programs as JSON.

use std::fmt;

use miette::{Diagnostic as _, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use serde_json::{Value as Json, json};

use crate::check::{Diagnostic, Severity};
use crate::span::{Sources, Span};

/// Columns that a report may take.
pub const WIDTH: usize = 100;

/// A diagnostic, or the part of one that lies in another file, in miette's form.
#[derive(Debug)]
struct Part {
    message: String,
    code: Option<&'static str>,
    severity: miette::Severity,
    help: Option<String>,
    source: Option<NamedSource<String>>,
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

fn source(sources: &Sources, file: u32) -> Option<NamedSource<String>> {
    let file = sources.files.get(file as usize)?;
    Some(NamedSource::new(&file.name, file.text.clone()))
}

/// A label that miette can place whatever the span: inside the text and at character borders.
fn label(sources: &Sources, span: Span, text: &str, primary: bool) -> LabeledSpan {
    let source = sources.files.get(span.file as usize);
    let source = source.map_or("", |f| &f.text);
    let border = |at: u32| {
        let mut at = (at as usize).min(source.len());
        while !source.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (border(span.start), border(span.end.max(span.start)));
    let words = (!text.is_empty()).then(|| text.to_owned());
    if primary {
        LabeledSpan::new_primary_with_span(words, start..end)
    } else {
        LabeledSpan::new_with_span(words, start..end)
    }
}

/// miette labels share one source, so labels in other files become related parts.
fn part(diagnostic: &Diagnostic, sources: &Sources) -> Part {
    let home = diagnostic.labels.first().map(|(span, _)| span.file);
    let mut labels = Vec::new();
    let mut related: Vec<(u32, Part)> = Vec::new();
    for (i, (span, text)) in diagnostic.labels.iter().enumerate() {
        if Some(span.file) == home {
            labels.push(label(sources, *span, text, i == 0));
            continue;
        }
        let here = label(sources, *span, text, false);
        match related.iter_mut().find(|(file, _)| *file == span.file) {
            Some((_, part)) => part.labels.push(here),
            None => related.push((span.file, elsewhere(sources, span.file, here))),
        }
    }
    Part {
        message: diagnostic.message.clone(),
        code: Some(diagnostic.code),
        severity: severity(diagnostic),
        help: diagnostic.help.clone(),
        source: home.and_then(|file| source(sources, file)),
        labels,
        related: related.into_iter().map(|(_, part)| part).collect(),
    }
}

fn elsewhere(sources: &Sources, file: u32, here: LabeledSpan) -> Part {
    let name = sources.files.get(file as usize);
    Part {
        message: format!("and in {}", name.map_or("?", |f| &f.name)),
        code: None,
        severity: miette::Severity::Advice,
        help: None,
        source: source(sources, file),
        labels: vec![here],
        related: Vec::new(),
    }
}

/// One diagnostic as people read it, 100 columns wide.
#[must_use]
pub fn text(diagnostic: &Diagnostic, sources: &Sources, colour: bool) -> String {
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_links(false);
    let part = part(diagnostic, sources);
    let mut out = String::new();
    if handler.render_report(&mut out, &part).is_err() {
        out = format!("{}: {}\n", diagnostic.code, part.message);
        if let Some(help) = part.help() {
            out += &format!("  help: {help}\n");
        }
    }
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned() + "\n"
}

/// All diagnostics as people read them, errors first.
#[must_use]
pub fn all(diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let parts: Vec<String> = ordered(diagnostics).into_iter().map(|d| text(d, sources, colour)).collect();
    parts.join("\n")
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

/// All diagnostics for programs, errors first: places are file, line and column from 1, and byte offsets.
#[must_use]
pub fn json(diagnostics: &[Diagnostic], sources: &Sources) -> Json {
    ordered(diagnostics)
        .into_iter()
        .map(|d| {
            let labels: Vec<Json> = d.labels.iter().map(|(span, text)| place_json(sources, *span, text)).collect();
            json!({
                "code": d.code,
                "severity": if d.severity == Severity::Error { "error" } else { "warning" },
                "message": d.message,
                "labels": labels,
                "help": d.help,
            })
        })
        .collect()
}

fn place_json(sources: &Sources, span: Span, text: &str) -> Json {
    let (file, line, column) = sources.place(span);
    json!({ "file": file, "line": line, "column": column, "start": span.start, "end": span.end, "text": text })
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
