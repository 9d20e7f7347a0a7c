//! `replay --rewrite`: the digests and numbers of options of a record as they are under the rules of today.

use std::path::Path;

use lawspeaker::lexicon::{Words, fill};
use lawspeaker::library::{self, Unusable};
use lawspeaker::record::{self, Record, RecordedPly, Replay, ReplayEnd};
use lawspeaker::rules::Rules;
use lawspeaker::writing::{self, Refusal};

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
    /// The digest of the rules: as it was, if the record said it, and as it is.
    rules: Option<(Option<u64>, u64)>,
    /// Plies with another number of options: the ply, as recorded, as it is.
    options: Vec<(usize, usize, usize)>,
    /// How many plies begin at another position than recorded.
    positions: usize,
    /// How many plies had nothing to hold against.
    bare: usize,
    /// The result of a game that is over, where the record gives none.
    result: Option<String>,
}

/// Plies with other numbers of options that are listed.
const SHOWN: usize = 20;

impl Changes {
    /// What was done to the file.
    pub fn word(&self, words: &Words) -> &'static str {
        if *self == Changes::default() { words.replay.unchanged } else { words.replay.rewritten }
    }

    /// What is different, a line each.
    pub fn lines(&self, words: &Words) -> Vec<String> {
        let words = &words.replay;
        let mut lines = Vec::new();
        if let Some((was, is)) = self.rules {
            let was = was.map_or_else(|| words.unsaid.to_owned(), |r| format!("{r:016x}"));
            lines.push(fill(words.rules, &[&was, &format!("{is:016x}")]));
        }
        for (ply, was, is) in self.options.iter().take(SHOWN) {
            lines.push(fill(words.options, &[ply, was, is].map(ToString::to_string).each_ref().map(String::as_str)));
        }
        let mut number = |phrase: &str, n: usize| {
            if n > 0 {
                lines.push(fill(phrase, &[&n.to_string()]));
            }
        };
        number(words.more_options, self.options.len().saturating_sub(SHOWN));
        number(words.positions, self.positions);
        number(words.bare, self.bare);
        lines.extend(self.result.as_ref().map(|result| fill(words.added, &[result.trim_end()])));
        lines
    }
}

/// Rewrites a record in its place; comments and spacing stay. `played` is what was read of it and played.
///
/// # Errors
/// It cannot be read or written, or has been changed since it was played.
pub fn file(path: &Path, rules: &Rules, played: &Record, replay: &Replay) -> Result<Changes, Unusable> {
    let text = library::read_text(path)?;
    let changed = || Unusable::from(Refusal::Changed(path.to_owned()));
    let old = record::parse(&text).map_err(|_| changed())?;
    let mut asked = old.clone();
    forget(&mut asked);
    if asked != *played {
        return Err(changed());
    }
    let positions = replay.positions(rules.evaluators());
    let plies = positions.zip(&replay.plies);
    let plies: Vec<RecordedPly> =
        plies.map(|(before, ply)| record::ply((rules.evaluators(), rules.explainer()), &before, ply.choice)).collect();
    let (model, rules) = (rules.model(), rules.digest());
    let mut changes = compare(&old, &plies, rules);
    let mut fresh = record::rewritten(&text, &old, &plies, rules);
    if let (None, ReplayEnd::Complete(Some(outcome))) = (&old.result, &replay.end) {
        let result = record::result_of(model, Some(outcome));
        fresh = record::continued(&fresh, &old, old.plies.len(), &[], Some(&result), rules);
        changes.result = Some(record::result_line(&result));
    }
    if fresh != text {
        writing::replace(path, &text, &fresh)?;
    }
    Ok(changes)
}

fn compare(old: &Record, plies: &[RecordedPly], rules: u64) -> Changes {
    let mut changes = Changes::default();
    if old.rules != Some(rules) {
        changes.rules = Some((old.rules, rules));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted() {
        let old = record::parse("record nim\n1. First: take 3 ; 2 00000000000000ff\n2. Second: take 2\n").unwrap();
        let now = |line| RecordedPly { options: Some(3), digest: Some(line), ..RecordedPly::default() };
        let changes = compare(&old, &[now(1), now(2)], 7);
        assert_eq!(changes.options, [(1, 2, 3)]);
        assert_eq!((changes.positions, changes.bare), (1, 1));
        assert_eq!(changes.word(Words::english()), "rewritten");
    }
}
