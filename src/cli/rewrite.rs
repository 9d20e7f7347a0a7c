//! `replay --rewrite`: the digests and numbers of options of a record as they are under the rules of today.

use std::fmt::{self, Write as _};
use std::path::Path;

use lawspeaker::library::{self, Unusable};
use lawspeaker::record::{self, Record, RecordedPly, Replay, ReplayEnd};
use lawspeaker::rulings::Referee;

use super::desk;

/// Leaves out of a record what only the rules it was recorded under can confirm.
pub fn forget(record: &mut Record) {
    record.rules = None;
    for ply in &mut record.plies {
        ply.options = None;
        ply.digest = None;
    }
}

/// What is different now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The digest of the rules: as it was and as it is.
    rules: Option<(String, String)>,
    /// Plies with another number of options: the ply, as recorded, as it is.
    options: Vec<(usize, usize, usize)>,
    /// How many plies begin at another position than recorded.
    positions: usize,
    /// How many plies had nothing to hold against.
    bare: usize,
    /// The result of a game that is over, where the record gives none.
    result: Option<String>,
}

impl Changes {
    /// What was done to the file.
    pub fn word(&self) -> &'static str {
        if *self == Changes::default() { "unchanged" } else { "rewritten" }
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((was, is)) = &self.rules {
            writeln!(f, "  rules {was} -> {is}")?;
        }
        for (ply, was, is) in self.options.iter().take(20) {
            writeln!(f, "  ply {ply}: {was} -> {is} options")?;
        }
        if self.options.len() > 20 {
            writeln!(f, "  and {} more plies with other numbers of options", self.options.len() - 20)?;
        }
        if self.positions > 0 {
            writeln!(f, "  positions with another digest: {}", self.positions)?;
        }
        if self.bare > 0 {
            writeln!(f, "  plies that had no number or digest: {}", self.bare)?;
        }
        if let Some(result) = &self.result {
            write!(f, "  added: {result}")?;
        }
        Ok(())
    }
}

/// Rewrites a record in its place; comments and spacing stay.
///
/// # Errors
/// It cannot be read or written.
pub fn file(path: &Path, referee: &dyn Referee, replay: &Replay) -> Result<Changes, Unusable> {
    let text = library::read_text(path)?;
    let Ok(old) = record::parse(&text) else {
        return Ok(Changes::default());
    };
    let positions = replay.positions(referee);
    let plies = positions.iter().zip(&replay.plies);
    let plies: Vec<RecordedPly> = plies.map(|(before, ply)| record::ply(referee, before, ply.choice)).collect();
    let rules = record::rules_digest(referee.model(), referee.config());
    let mut changes = compare(&old, &plies, rules);
    let mut fresh = rewritten(&text, &old, &plies, rules);
    if let (None, ReplayEnd::Complete(Some(outcome))) = (&old.result, &replay.end) {
        let result = record::result_line(&record::result_of(referee.model(), Some(outcome)));
        fresh.push_str(&result);
        changes.result = Some(result);
    }
    if fresh != text {
        desk::write_file(path, &fresh)?;
    }
    Ok(changes)
}

fn compare(old: &Record, plies: &[RecordedPly], rules: u64) -> Changes {
    let mut changes = Changes::default();
    if old.rules != Some(rules) {
        let was = old.rules.map_or_else(|| String::from("unsaid"), |r| format!("{r:016x}"));
        changes.rules = Some((was, format!("{rules:016x}")));
    }
    for (i, (was, is)) in old.plies.iter().zip(plies).enumerate() {
        match (was.options, is.options) {
            (Some(a), Some(b)) if a != b => changes.options.push((i + 1, a, b)),
            _ => {}
        }
        match was.digest {
            None => changes.bare += 1,
            Some(digest) if is.digest != Some(digest) => changes.positions += 1,
            Some(_) => {}
        }
    }
    changes
}

fn rewritten(text: &str, old: &Record, plies: &[RecordedPly], rules: u64) -> String {
    let mut out = String::with_capacity(text.len());
    let mut seen_rules = old.rules.is_some();
    for (i, line) in text.lines().enumerate() {
        let (body, comment) = parted(line);
        let first = body.split_whitespace().next().unwrap_or("");
        let ply = old.plies.iter().position(|p| p.made.line == i + 1);
        if let Some(ply) = ply.and_then(|p| plies.get(p)) {
            let bare = body.split(';').next().unwrap_or("").trim_end();
            let _ = match (ply.options, ply.digest) {
                (Some(options), Some(digest)) => write!(out, "{bare} ; {options} {digest:016x}"),
                _ => write!(out, "{bare}"),
            };
            if !comment.is_empty() {
                let _ = write!(out, "  {comment}");
            }
            out.push('\n');
        } else if first == "rules" && old.rules.is_some() {
            let _ = write!(out, "rules {rules:016x}");
            if !comment.is_empty() {
                let _ = write!(out, "  {comment}");
            }
            out.push('\n');
        } else {
            out.push_str(line);
            out.push('\n');
            if !seen_rules && first == "record" {
                seen_rules = true;
                let _ = writeln!(out, "rules {rules:016x}");
            }
        }
    }
    out
}

/// A line without its comment, and the comment. No ply and no digest has quotes, so that `//` there always begins one.
fn parted(line: &str) -> (&str, &str) {
    match line.find("//") {
        Some(at) => line.split_at(at),
        None => (line, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_spacing_stay() {
        let text =
            "// A game.\nrecord nim  // by hand\n\n  1. First: take 3 ; 2 00000000000000ff // a; b\nSecond: take 2\n";
        let old = record::parse(text).unwrap();
        let now = |line| RecordedPly { options: Some(3), digest: Some(line), ..RecordedPly::default() };
        let plies = [now(1), now(2)];
        assert_eq!(
            rewritten(text, &old, &plies, 7),
            "// A game.\nrecord nim  // by hand\nrules 0000000000000007\n\n  1. First: take 3 ; 3 0000000000000001  // a; b\n\
             Second: take 2 ; 3 0000000000000002\n"
        );
        let changes = compare(&old, &plies, 7);
        assert_eq!(changes.options, [(1, 2, 3)]);
        assert_eq!((changes.positions, changes.bare), (1, 1));
        assert_eq!(changes.word(), "rewritten");
    }
}
