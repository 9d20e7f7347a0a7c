//! The excerpt of a source file in a report: the lines of its labels and those beside them, with long ones cut and
//! control characters written out. Numbers of lines and columns are those of the file.

use std::collections::BTreeMap;
use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::plain;

/// The maximum length of a line in bytes; a longer one is cut.
const MAX_LINE_COLUMNS: usize = 500;

/// Bytes shown of a cut line before and after the ends of a label.
const AROUND: usize = 100;

/// The maximum number of lines of a label that are shown.
const MAX_LINES: usize = 40;

/// Stands where a part of a line is left out.
const CUT: char = '…';

/// A part of a file.
#[derive(Debug)]
pub struct Excerpt {
    name: String,
    text: String,
    /// Lines of the file before it.
    before: usize,
    /// By where a label begins in the excerpt: the column of the file, from 0.
    columns: BTreeMap<usize, usize>,
}

/// An excerpt being made.
struct Maker<'a> {
    source: &'a str,
    out: String,
    /// Where labels begin and end in the file, and in the excerpt once that is known.
    ends: BTreeMap<usize, Option<usize>>,
}

impl Excerpt {
    /// The excerpt of a file that shows these stretches of it, and where they are in the excerpt.
    #[must_use]
    pub fn new(name: &str, source: &str, labels: &[Range<usize>]) -> (Excerpt, Vec<Range<usize>>) {
        let labels: Vec<Range<usize>> = labels.iter().map(|l| fitted(source, l)).collect();
        let ends = labels.iter().flat_map(|l| [l.start, l.end]).map(|at| (at, None)).collect();
        let mut maker = Maker { source, out: String::new(), ends };
        let mut shown: Vec<Range<usize>> = labels.iter().map(|l| with_neighbours(source, l)).collect();
        shown.sort_by_key(|lines| lines.start);
        let first = shown.first().map_or(0, |lines| lines.start);
        let mut done = first;
        for lines in shown {
            // Lines between are not shown, but counted.
            let gap = source.get(done..lines.start).unwrap_or("");
            maker.out.extend(gap.bytes().filter(|b| *b == b'\n').map(char::from));
            maker.lines(lines.start.max(done)..lines.end);
            done = done.max(lines.end);
        }
        let placed = |at: usize| maker.ends.get(&at).copied().flatten().unwrap_or(maker.out.len());
        let column = |at: usize| source.get(line_start(source, at)..at).unwrap_or("").chars().count();
        let columns = labels.iter().map(|l| (placed(l.start), column(l.start))).collect();
        let places = labels.iter().map(|l| placed(l.start)..placed(l.end)).collect();
        let before = source.get(..first).unwrap_or("").matches('\n').count();
        let excerpt = Excerpt { name: plain::plain(name).into_owned(), before, columns, text: maker.out };
        (excerpt, places)
    }
}

/// The label inside the text, at the borders of characters, over not too many lines.
fn fitted(source: &str, label: &Range<usize>) -> Range<usize> {
    let border = |at: usize| {
        let mut at = at.min(source.len());
        while !source.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (border(label.start), border(label.end.max(label.start)));
    let most = source.get(start..end).and_then(|text| text.match_indices('\n').nth(MAX_LINES - 1));
    start..most.map_or(end, |(at, _)| start + at)
}

fn line_start(source: &str, at: usize) -> usize {
    source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// The end of the line, its `\n` with it.
fn line_end(source: &str, at: usize) -> usize {
    source.get(at..).and_then(|after| after.find('\n')).map_or(source.len(), |n| at + n + 1)
}

/// The lines of a label, the one before and the one after.
fn with_neighbours(source: &str, label: &Range<usize>) -> Range<usize> {
    let first = line_start(source, label.start);
    line_start(source, first.saturating_sub(1))..line_end(source, line_end(source, label.end))
}

impl Maker<'_> {
    fn lines(&mut self, of: Range<usize>) {
        let mut at = of.start;
        while at < of.end {
            let end = line_end(self.source, at).min(of.end);
            self.line(at..end);
            at = end;
        }
        // A label may end where the file does.
        self.place(of.end);
    }

    /// A line, whole or in the parts that lie about the ends of labels.
    fn line(&mut self, of: Range<usize>) {
        let whole = self.source.get(of.clone()).unwrap_or("");
        let content = whole.strip_suffix('\n').unwrap_or(whole);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let end = of.start + content.len();
        let mut at = of.start;
        for part in self.parts(of.start..end) {
            self.cut(at..part.start);
            at = part.end;
            self.part(part);
        }
        self.cut(at..end);
        self.place(end);
        if end < of.end {
            // What lies on the mark of the line's end lies behind its last character.
            self.settle(end + 1..of.end);
            self.out.push('\n');
        }
    }

    fn parts(&self, line: Range<usize>) -> Vec<Range<usize>> {
        if line.len() <= MAX_LINE_COLUMNS {
            return vec![line];
        }
        let near = |at: usize| {
            let start = at.saturating_sub(AROUND).max(line.start);
            fitted(self.source, &(start..(at + AROUND).min(line.end)))
        };
        let mut parts: Vec<Range<usize>> = Vec::new();
        let ends = self.ends.range(line.start..=line.end).map(|(at, _)| near(*at));
        for part in ends {
            match parts.last_mut() {
                Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
                _ => parts.push(part),
            }
        }
        if parts.is_empty() { vec![near(line.start)] } else { parts }
    }

    /// A part that is left out, if there is any.
    fn cut(&mut self, of: Range<usize>) {
        if !of.is_empty() {
            self.settle(of);
            self.out.push(CUT);
        }
    }

    /// A part that is shown.
    fn part(&mut self, of: Range<usize>) {
        let text = self.source.get(of.clone()).unwrap_or("");
        for (i, c) in text.char_indices() {
            self.place(of.start + i);
            plain::push(&mut self.out, c);
        }
    }

    /// The end of a label that is here lies here in the excerpt.
    fn place(&mut self, at: usize) {
        let here = self.out.len();
        if let Some(place @ None) = self.ends.get_mut(&at) {
            *place = Some(here);
        }
    }

    /// The ends of labels in a stretch that is not shown lie here.
    fn settle(&mut self, of: Range<usize>) {
        let here = self.out.len();
        for (_, place) in self.ends.range_mut(of).filter(|(_, place)| place.is_none()) {
            *place = Some(here);
        }
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.text.read_span(span, before, after)?;
        let column = if before == 0 { self.columns.get(&span.offset()).copied() } else { None };
        let lines = found.data().iter().filter(|b| **b == b'\n').count();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            found.data(),
            *found.span(),
            self.before + found.line(),
            column.unwrap_or_else(|| found.column()),
            lines,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(range: Range<usize>) -> Vec<Range<usize>> {
        std::iter::once(range).collect()
    }

    #[test]
    fn short_lines_are_shown_as_they_are() {
        let source = "one\ntwo\nthree\r\nfour\nfive\n";
        let (excerpt, places) = Excerpt::new("a.law", source, &one(8..13));
        assert_eq!((excerpt.text.as_str(), excerpt.before), ("two\nthree\nfour\n", 1));
        assert_eq!(places, one(4..9));
        let (excerpt, places) = Excerpt::new("a.law", source, &[0..3, 20..24]);
        assert_eq!((excerpt.text.as_str(), excerpt.before), ("one\ntwo\n\nfour\nfive\n", 0));
        assert_eq!(places, [0..3, 14..18]);
    }

    #[test]
    fn a_long_line_is_cut_about_its_labels() {
        let source = format!("{}wrong{}\n", "a".repeat(50_000_000), "b".repeat(1000));
        let at = 50_000_000;
        let (excerpt, places) = Excerpt::new("a.law", &source, &one(at..at + 5));
        assert_eq!(excerpt.text, format!("…{}wrong{}…\n", "a".repeat(100), "b".repeat(100)));
        assert_eq!(excerpt.text.get(places[0].clone()), Some("wrong"));
        let shown = excerpt.read_span(&SourceSpan::from(places[0].clone()), 0, 0).unwrap();
        assert_eq!((shown.line(), shown.column()), (0, at));
    }

    #[test]
    fn what_steers_is_written_out_and_labels_stay_in_place() {
        let source = "a \u{1b}[2Jb c\n";
        let (excerpt, places) = Excerpt::new("\u{7}", source, &[6..7, 3..900]);
        assert_eq!((excerpt.text.as_str(), excerpt.name.as_str()), ("a \\u{1b}[2Jb c\n", "\\u{7}"));
        let shown: Vec<_> = places.iter().map(|p| excerpt.text.get(p.clone())).collect();
        assert_eq!(shown, [Some("b"), Some("[2Jb c\n")]);
    }

    #[test]
    fn a_label_over_very_many_lines_is_shown_in_part() {
        let source = "line\n".repeat(1000);
        let (excerpt, places) = Excerpt::new("a.law", &source, &[0..5000, 7..8]);
        assert_eq!(places, [0..MAX_LINES * 5 - 1, 7..8]);
        assert_eq!(excerpt.text.lines().count(), MAX_LINES + 1);
    }
}
