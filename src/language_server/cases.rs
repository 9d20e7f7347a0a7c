//! What the words of casebooks and records mean.

use std::collections::HashMap;
use std::ops::Range;

use crate::model::{ClauseId, KindId, Model};
use crate::spelling::fold;

/// What the things of a game are called in play.
#[derive(Clone, Debug, Default)]
pub(super) struct Called {
    /// Members by their names and identifiers, folded.
    members: HashMap<String, (KindId, u16)>,
    /// Clauses by their labels, folded.
    labels: HashMap<String, Vec<ClauseId>>,
    /// The greatest number of words in a name.
    longest: usize,
}

/// What a word means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A member.
    Member(KindId, u16),
    /// An id of the register.
    Cite(String),
    /// The label of clauses.
    Label(Vec<ClauseId>),
    /// Any other name; perhaps one of the rules.
    Name(String),
}

/// A word of a casebook or record, or several that mean one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Where it stands.
    pub at: Range<usize>,
    /// What it means.
    pub meaning: Meaning,
}

impl Called {
    pub fn new(model: &Model) -> Called {
        let mut called = Called::default();
        for (k, kind) in model.kinds.iter().enumerate().filter(|(_, kind)| kind.pair.is_none() && !kind.of_hooks) {
            for (member, m) in kind.members.iter().zip(0..) {
                let translations = member.name.translations.iter().map(|(_, t)| t);
                for name in [&member.id, &member.name.text].into_iter().chain(translations) {
                    let name = fold(name);
                    called.longest = called.longest.max(name.split(' ').count());
                    if !name.is_empty() {
                        called.members.entry(name).or_insert((KindId(k as u16), m));
                    }
                }
            }
        }
        for (clause, id) in model.clauses.iter().zip(0..) {
            let translations = clause.label.translations.iter().map(|(_, t)| t);
            let labels = std::iter::once(&clause.label.text).chain(translations).filter(|t| !t.is_empty());
            labels.for_each(|label| called.labels.entry(fold(label)).or_default().push(ClauseId(id)));
        }
        called
    }

    /// What stands at a byte of a casebook or record.
    pub fn at(&self, model: &Model, text: &str, byte: usize) -> Option<Seen> {
        let line = line_around(text, byte);
        let own = text.get(line.clone())?;
        let here = byte - line.start;
        self.in_line(model, own)
            .find(|seen| seen.at.start <= here && here <= seen.at.end)
            .map(|seen| Seen { at: seen.at.start + line.start..seen.at.end + line.start, ..seen })
    }

    /// The words of a line with their meanings.
    pub fn in_line<'a>(&'a self, model: &'a Model, line: &'a str) -> impl Iterator<Item = Seen> + 'a {
        let words: Vec<Range<usize>> = words(line);
        let labels = quotes(line).filter_map(|at| {
            let ids = self.labels.get(&fold(line.get(at.clone())?))?;
            names_clause(line, at.start).then(|| Seen { at, meaning: Meaning::Label(ids.clone()) })
        });
        let labels: Vec<Seen> = labels.collect();
        let mut next = 0;
        let mut found: Vec<Seen> = Vec::new();
        while let Some(first) = words.get(next) {
            let labelled = |at: &Range<usize>| labels.iter().any(|l| l.at.start <= at.start && at.end <= l.at.end);
            let several = (1..=self.longest).rev().filter(|_| !labelled(first)).find_map(|count| {
                let last = words.get(next + count - 1)?;
                let at = first.start..last.end;
                let (kind, member) = *self.members.get(&fold(line.get(at.clone())?))?;
                Some((count, Seen { at, meaning: Meaning::Member(kind, member) }))
            });
            let (count, seen) = several.unwrap_or_else(|| {
                let word = line.get(first.clone()).unwrap_or("").to_owned();
                let cited = model.register.iter().any(|row| row.id == word);
                let meaning = if cited { Meaning::Cite(word) } else { Meaning::Name(word) };
                (1, Seen { at: first.clone(), meaning })
            });
            if !labelled(&seen.at) {
                found.push(seen);
            }
            next += count;
        }
        found.into_iter().chain(labels)
    }
}

/// The line around a byte, without its end.
pub(super) fn line_around(text: &str, byte: usize) -> Range<usize> {
    let byte = byte.min(text.len());
    let start = text.get(..byte).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
    let end = text.get(byte..).and_then(|t| t.find('\n')).map_or(text.len(), |n| byte + n);
    start..end
}

/// The words of a line; a dot or dash within a word belongs to it. Comments have none.
fn words(line: &str) -> Vec<Range<usize>> {
    let line = line.split("//").next().unwrap_or("");
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    let chars: Vec<(usize, char)> = line.char_indices().chain([(line.len(), ' ')]).collect();
    for (at, (byte, c)) in chars.iter().enumerate() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let joins =
            |c: char| matches!(c, '.' | '-' | '\'') && chars.get(at + 1).is_some_and(|(_, next)| is_word(*next));
        match start {
            None if is_word(*c) => start = Some(*byte),
            Some(from) if !is_word(*c) && !joins(*c) => {
                found.push(from..*byte);
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// What stands between quotes in a line.
fn quotes(line: &str) -> impl Iterator<Item = Range<usize>> {
    let marks: Vec<usize> = line.match_indices('"').map(|(at, _)| at).collect();
    let pairs: Vec<Range<usize>> = marks.chunks_exact(2).filter_map(|p| Some(p.first()? + 1..*p.last()?)).collect();
    pairs.into_iter()
}

/// Whether a quote that begins at a byte of a line names a clause, and is not the notation of a choice or a title.
fn names_clause(line: &str, start: usize) -> bool {
    let before = line.get(..start).unwrap_or("");
    ["because", "overruled", "impossible", "wins", "draw", "by"]
        .iter()
        .any(|word| before.split_whitespace().any(|w| w == *word))
}

/// What a line of a casebook or record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Names of settings, facts, expressions, and notation in quotes.
    Said,
    /// Something that is done, in the notation of the game.
    Done,
    /// A title or a name of people: nothing of the rules is named.
    Title,
}

/// The lines of a text in which things of the rules are named: all of a record, the cases of a casebook.
pub(super) fn lines<'t>(name: &str, text: &'t str) -> Vec<(Range<usize>, Sort, &'t str)> {
    let mut found = Vec::new();
    let is_record = name.ends_with(".record");
    let (mut inside, mut when, mut start) = (is_record, false, 0);
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let at = start..start + line.len();
        start += whole.len();
        let bare = line.trim();
        if !is_record && bare.starts_with("```") {
            inside = !inside && bare.trim_start_matches('`').split_whitespace().next() == Some("case");
            continue;
        }
        if !inside {
            continue;
        }
        let first = bare.split_whitespace().next().unwrap_or("");
        let sort = if is_record {
            match first {
                "title" | "seed" | "rules" | "record" => Sort::Title,
                "with" | "given" | "result" => Sort::Said,
                _ if line.starts_with(char::is_whitespace) => Sort::Said,
                _ if bare.contains(':') => Sort::Done,
                _ => Sort::Title,
            }
        } else {
            when = match first {
                "when" => true,
                "case" | "given" | "then" => false,
                _ => when,
            };
            match first {
                "case" => Sort::Title,
                _ if when => Sort::Done,
                _ => Sort::Said,
            }
        };
        found.push((at, sort, line));
    }
    found
}

/// Whether a byte of a line stands in quotes.
pub(super) fn quoted(line: &str, byte: usize) -> bool {
    quotes(line).any(|at| at.start <= byte && byte < at.end)
}

/// A thing of the rules that texts name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A member, by its identifier.
    Member(KindId, u16, String),
    /// Any other name of the rules.
    Name(String),
}

impl Called {
    /// Where a text names a thing of the rules by the name it has there.
    pub fn uses(&self, model: &Model, name: &str, text: &str, target: &Target) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let spelt = match target {
            Target::Member(_, _, id) | Target::Name(id) => fold(id),
        };
        for (at, sort, line) in lines(name, text) {
            if sort == Sort::Title || !fold(line).contains(&spelt) {
                continue;
            }
            for seen in self.in_line(model, line) {
                let word = line.get(seen.at.clone()).unwrap_or("");
                let is_it = match (&seen.meaning, target) {
                    (Meaning::Member(k, m), Target::Member(kind, member, id)) => {
                        (k, m) == (kind, member) && fold(word) == fold(id)
                    }
                    (Meaning::Name(word), Target::Name(wanted)) => {
                        word == wanted && sort == Sort::Said && !quoted(line, seen.at.start)
                    }
                    _ => false,
                };
                if is_it {
                    found.push(at.start + seen.at.start..at.start + seen.at.end);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_stand() {
        let line = "  Frodo's Sam-wise at char.frodo.2. // no";
        let found: Vec<&str> = words(line).into_iter().map(|at| &line[at]).collect();
        assert_eq!(found, ["Frodo's", "Sam-wise", "at", "char.frodo.2"]);
    }

    #[test]
    fn lines_are_told_apart() {
        let book = "# a\n```case\ncase \"x\"\ngiven g\n  a: 1\nwhen\n  A: b\nthen\n  a: 2\n```\nprose\n";
        let sorts: Vec<(Sort, &str)> = lines("a.md", book).into_iter().map(|(_, s, l)| (s, l.trim())).collect();
        let (said, done) = (Sort::Said, Sort::Done);
        let expected = [
            (Sort::Title, "case \"x\""),
            (said, "given g"),
            (said, "a: 1"),
            (done, "when"),
            (done, "A: b"),
            (said, "then"),
            (said, "a: 2"),
        ];
        assert_eq!(sorts, expected);
    }
}
