//! Faults of the rules that only show in play.

use crate::model::{ClauseId, Model};
use crate::span::Span;

/// A fault of the rules, met while a position was evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The clauses involved; of a conflict all that clash.
    pub clauses: Vec<ClauseId>,
    /// Where.
    pub span: Span,
    /// What was seen, in a sentence: `strength(Sam) is 5 by one and 2 by the other`.
    pub detail: String,
}

/// The kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Clauses apply together and disagree.
    Conflict,
    /// No clause says what holds.
    Gap,
    /// A number does not fit where it is put.
    OutOfRange,
    /// Something must be there and is not.
    Nothing,
    /// A loop or chain of procedures does not end.
    Endless,
    /// More must be worked out than can be waited for, or listed.
    TooLong,
    /// The position does not belong to these rules.
    BadPosition,
}

impl Fault {
    /// A stable name: `conflict`, `gap`, ...
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind {
            FaultKind::Conflict => "conflict",
            FaultKind::Gap => "gap",
            FaultKind::OutOfRange => "out-of-range",
            FaultKind::Nothing => "nothing-there",
            FaultKind::Endless => "endless",
            FaultKind::TooLong => "too-long",
            FaultKind::BadPosition => "bad-position",
        }
    }

    /// Whether it takes long to find, so that it is not to be met again and again.
    #[must_use]
    pub fn is_long(&self) -> bool {
        matches!(self.kind, FaultKind::Endless | FaultKind::TooLong)
    }

    /// The fault in words, with the clauses and the place.
    #[must_use]
    pub fn words(&self, model: &Model) -> String {
        let (file, line, column) = model.sources.place(self.span);
        let clauses: Vec<String> = self.clauses.iter().map(|c| model.clause_title(*c, "")).collect();
        let between = if clauses.is_empty() { String::new() } else { format!(" ({})", clauses.join(" against ")) };
        format!("{}: {}{between}, at {file}:{line}:{column}", self.code(), self.detail)
    }

    /// The same without what was seen, for a seat that may not see it.
    #[must_use]
    pub fn outline(&self, model: &Model) -> String {
        Fault { detail: String::from("the rules fail"), ..self.clone() }.words(model)
    }
}
