//! The text of rules, its words marked and linked.

use super::Desk;
use super::doc::{Anchor, Inline, link, text};
use crate::lexicon::{Counted, fill};
use crate::model::ConfigId;
use crate::span::Span;
use crate::syntax::{Sort, Token};

/// The lines that are shown of a long rule where it is quoted.
const QUOTED: usize = 14;

impl Desk<'_> {
    /// A part of the rules as it is quoted elsewhere: without the indentation of its first line, and a long one cut.
    pub fn quoted(&self, span: Span, whole: &Anchor) -> Vec<Inline> {
        let Some(file) = self.model.sources.files.get(span.file as usize) else { return Vec::new() };
        let own = self.model.sources.text(span);
        let lines = own.lines().count();
        let kept = if lines > QUOTED + 2 { QUOTED } else { lines };
        let size = own.split_inclusive('\n').take(kept).map(str::len).sum::<usize>();
        let cut = Span { end: span.start + own.get(..size).unwrap_or(own).trim_end().len() as u32, ..span };
        let before = file.text.get(..span.start as usize).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        let indent = line.len() - line.trim_start_matches(' ').len();
        let mut out = self.marked(cut, indent, false);
        if kept < lines {
            let more = self.words.counts.of(Counted::Lines, lines - kept);
            out.push(text("\n"));
            out.push(link(fill(self.words.book.more, &[&more]), whole));
        }
        out
    }

    /// A stretch of a file as it stands, with places for links to the parts that begin in it.
    pub fn whole(&self, span: Span) -> Vec<Inline> {
        self.marked(span, 0, true)
    }

    fn marked(&self, span: Span, indent: usize, places: bool) -> Vec<Inline> {
        let Some(file) = self.model.sources.files.get(span.file as usize) else { return Vec::new() };
        let tokens = self.units.tokens.get(span.file as usize).map_or(&[][..], Vec::as_slice);
        let (from, to) = (span.start as usize, span.end as usize);
        let first = tokens.partition_point(|t| t.at.start < from);
        let tokens = tokens.get(first..).unwrap_or_default().iter().take_while(|t| t.at.end <= to);
        let margin = format!("\n{}", " ".repeat(indent));
        let gap = |range: std::ops::Range<usize>| {
            let gap = file.text.get(range).unwrap_or("").replace('\r', "");
            text(if indent == 0 { gap } else { gap.replace(&margin, "\n") })
        };
        let mut out = Vec::new();
        let mut at = from;
        let mut begin = self.units.within(span).filter(|_| places).map(|(_, u)| u).peekable();
        let mut last: Option<&Anchor> = None;
        for token in tokens {
            if token.at.start > at {
                out.push(gap(at..token.at.start));
            }
            while let Some(unit) = begin.next_if(|u| u.span.start as usize <= token.at.start) {
                if last != Some(&unit.anchor) {
                    out.push(Inline::At(unit.anchor.clone()));
                    last = Some(&unit.anchor);
                }
            }
            out.push(self.word(span.file, token, file.text.get(token.at.clone()).unwrap_or("")));
            at = token.at.end;
        }
        if at < to {
            out.push(gap(at..to));
        }
        out
    }

    /// A word with its link.
    fn word(&self, file: u32, token: &Token, word: &str) -> Inline {
        let own = Inline::Token(token.sort, word.to_owned());
        let to = match token.sort {
            Sort::Cite => self.clause_anchor(word),
            Sort::Name => self.names.get(word).cloned(),
            Sort::Subject => self.subjects.get(word).cloned(),
            Sort::Word => self.asked.get(&(file, token.at.start as u32)).and_then(|id| self.setting_anchor(*id)),
            _ => None,
        };
        match to {
            Some(to) => Inline::Link(vec![own], to),
            None => own,
        }
    }

    /// Where an option or reading stands.
    pub fn setting_anchor(&self, id: ConfigId) -> Option<Anchor> {
        self.model.config.get(id.i()).map(|item| Anchor::new("setting", &item.name))
    }
}
