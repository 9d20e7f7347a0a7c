//! A mutant: rules with one place changed.

use serde::{Deserialize, Serialize};

/// The kinds of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A clause or statement is removed.
    Drop,
    /// A condition is negated.
    Negate,
    /// A part of a condition is left out.
    Ignore,
    /// A number is one more or one less, a sum a difference.
    Shift,
    /// `<` is `<=`, `>=` is `>`, and so on.
    Compare,
    /// `may` is `may not`, `wins` is `loses`, `most` is `least`, `true` is `false`.
    Turn,
    /// An exception is weakened: `exception to`, `ranks above`, `despite`, `once per` or `order` is removed.
    Rank,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] =
        [Kind::Drop, Kind::Negate, Kind::Ignore, Kind::Shift, Kind::Compare, Kind::Turn, Kind::Rank];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Drop => "drop",
            Kind::Negate => "negate",
            Kind::Ignore => "ignore",
            Kind::Shift => "shift",
            Kind::Compare => "compare",
            Kind::Turn => "turn",
            Kind::Rank => "rank",
        }
    }
}

/// Which evaluations can reach a mutant at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All: the change is in the data of the game.
    Game,
    /// Those that evaluate the clause that begins at this byte of the file.
    Clause(u32),
    /// Those that run the code that begins there.
    Code(u32),
    /// Those that evaluate a clause, or run a code, that begins between these bytes.
    Between(u32, u32),
}

/// Rules with one place changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Its name, which is stable as long as the text of its clause stays: file, clause, kind, and what is changed.
    pub id: String,
    /// The rule file, by its path in the game's folder.
    pub file: String,
    /// The clause or the like that it is part of: `may move "forward"`, `step battle.cards`.
    pub owner: String,
    /// What is done.
    pub kind: Kind,
    /// The clauses of the register that are cited there.
    pub cites: Vec<String>,
    /// The bytes of the file that are replaced.
    pub bytes: std::ops::Range<usize>,
    /// Their replacement.
    pub with: String,
    /// The evaluations that can reach it.
    pub scope: Scope,
}

impl Mutant {
    /// The text of its file with the change made; any other file unchanged.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        let mut changed = text.to_owned();
        if text.get(self.bytes.clone()).is_some() {
            changed.replace_range(self.bytes.clone(), &self.with);
        }
        changed
    }

    /// The line where it begins, from 1.
    #[must_use]
    pub fn line(&self, text: &str) -> usize {
        text.get(..self.bytes.start).map_or(0, |before| before.matches('\n').count() + 1)
    }

    /// The lines that change, before and after, without removed lines after the first.
    #[must_use]
    pub fn diff(&self, text: &str) -> (String, String) {
        let start = text.get(..self.bytes.start).and_then(|t| t.rfind('\n')).map_or(0, |at| at + 1);
        let end = text.get(self.bytes.end..).and_then(|t| t.find('\n')).map_or(text.len(), |at| self.bytes.end + at);
        let before = text.get(start..end).unwrap_or("");
        let after = format!(
            "{}{}{}",
            text.get(start..self.bytes.start).unwrap_or(""),
            self.with,
            text.get(self.bytes.end..end).unwrap_or("")
        );
        (first_line(before), first_line(&after))
    }
}

/// The first line, with a sign if there were more.
fn first_line(text: &str) -> String {
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or("").trim_end().to_owned();
    if lines.next().is_some() { format!("{first} ...") } else { first }
}
