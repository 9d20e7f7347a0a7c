//! Casebooks: Markdown that a referee reads and a machine runs.

mod accept;
mod ahead;
mod brings;
mod complaint;
mod expect;
mod misspelt;
mod parse;
mod run;
mod sees;
mod skipped;

pub use accept::accept;
pub use ahead::{Decider, Forced, Likely};
pub use parse::parse;
pub use run::{Failure, Report, run};

use crate::facts::{FactFault, Move, Piece, Scene};
use std::fmt;
use std::ops::Range;

/// A case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The file.
    pub file: String,
    /// The line of `case`.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// The heading of the casebook it stands under.
    pub heading: String,
    /// The clauses it is about.
    pub cites: Vec<String>,
    /// Where it begins.
    pub scene: Scene,
    /// What is done, and what is expected, in order.
    pub sections: Vec<Section>,
    /// The recorded ruling after it.
    pub ruling: Option<Recorded>,
}

impl Case {
    /// Whether it looks ahead: odds, forced wins.
    #[must_use]
    pub fn looks_ahead(&self) -> bool {
        let ahead = |e: &Expected| matches!(e.what, Expectation::Likely(_) | Expectation::Forced(_));
        self.sections.iter().any(|s| matches!(s, Section::Then(all) if all.iter().any(ahead)))
    }
}

/// The lines of a case in the text of its casebook, without the ruling recorded after it.
#[must_use]
pub fn written(book: &str, case: &Case) -> String {
    let lines = book.lines().skip(case.line.saturating_sub(1));
    let next = |line: &str| line.starts_with("```") || line.trim_start().starts_with("case ");
    let own = lines.enumerate().take_while(|(i, line)| *i == 0 || !next(line)).map(|(_, line)| line);
    own.collect::<Vec<_>>().join("\n")
}

/// A section of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// `when`
    When(Vec<Move>),
    /// `then`
    Then(Vec<Expected>),
}

/// One expectation, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// As written.
    pub text: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What.
    pub what: Expectation,
}

/// The expectations about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// A fact.
    Fact(Piece),
    /// `legal "..." because ...` (without a seat, the one that decides), `Good may not "..."`.
    Ruled {
        /// Whose.
        seat: Option<String>,
        /// What.
        text: String,
        /// Legal, illegal, undecided.
        verdict: crate::game::Verdict,
        /// Why.
        because: Vec<Because>,
    },
    /// `Good may only "a", "b"`
    Only(String, Vec<String>),
    /// `Good to decide`
    Decides(String),
    /// `chance`
    Chance,
    /// `chance 1/2 "Frodo"`
    Odds(u64, u64, String),
    /// `odds 11/36 of hits >= 1`, `mean 7/2 of hits`
    Likely(Box<Likely>),
    /// `forced for Good`, `not forced for Good`
    Forced(Forced),
    /// `Good wins "label"`
    Wins(String, Option<String>),
    /// `draw "label"`
    Draw(Option<String>),
    /// `score Good 5, Dark 0`
    Score(Vec<(String, i32)>),
    /// `holds EXPR because ...`
    Holds(String, Vec<Because>),
    /// `Dark sees Frodo`, `Dark does not see hand of Good`
    Sees(String, bool, String),
    /// `army of Dark "Frodo, 3 Rohan Warrior" is illegal because ...`
    Brings {
        /// What is brought.
        name: String,
        /// Whose; by default the first seat's.
        seat: Option<String>,
        /// What is in it.
        list: String,
        /// Legal, illegal, undecided.
        verdict: crate::game::Verdict,
        /// Why.
        because: Vec<Because>,
    },
    /// `overruled "label" by char.warg.2`
    Overruled(Because, Option<Because>),
    /// `depends on shelob`
    DependsOn(String),
    /// `ask "..."`, `Good asks "..."`: its ruling is what a `ruling` block records.
    Ask(Option<String>, String),
}

/// A reason: a clause by label or citation, or a reason that is not a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// `"mountain sideways"`
    Label(String),
    /// `move.2`
    Cite(String),
    /// `no permission`, `no such action`, `not your decision`, `game over`
    Reason(String),
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Because::Label(l) => write!(f, "\"{l}\""),
            Because::Cite(c) => write!(f, "{c}"),
            Because::Reason(r) => write!(f, "{r}"),
        }
    }
}

/// A ruling recorded in a casebook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The text between the fences.
    pub text: String,
    /// The line of the opening fence.
    pub line: usize,
    /// Where the text is in the file, in bytes.
    pub bytes: Range<usize>,
}

/// What is wrong with the text of a casebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFault {
    /// The file.
    pub file: String,
    /// The case, if one had begun.
    pub case: String,
    /// Where, and what.
    pub fault: FactFault,
}

impl fmt::Display for CaseFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.fault)?;
        match self.case.is_empty() {
            true => Ok(()),
            false => write!(f, " (in the case \"{}\")", self.case),
        }
    }
}

impl std::error::Error for CaseFault {}
