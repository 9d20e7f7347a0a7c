//! Games as text.

mod digest;
mod edit;
mod parse;
mod replay;
mod trail;
mod transcript;
mod words;
mod write;

pub use digest::{files_digest, rules_digest};
pub use edit::{continued, rewritten};
pub use parse::{parse, parse_on};
pub use replay::{Replay, ReplayEnd, Replayer, Stop, replay};
pub use trail::Trail;
pub use transcript::{Frame, Transcribed, games_of, is_transcript, read_transcript, record_of, round_of, transcribe};
pub use write::{ply, result_line, result_of, write};

use crate::facts::{FactFault, Move, Scene, Settings};
use crate::game::Choice;

/// An error in the text of a record, and its place.
pub type RecordFault = FactFault;

/// A record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Title.
    pub title: Option<String>,
    /// The game and its options.
    pub settings: Settings,
    /// The digest of the rules it was recorded under.
    pub rules: Option<u64>,
    /// Who sat where: seat and name.
    pub seats: Vec<(String, String)>,
    /// The seed of its chance.
    pub seed: Option<u64>,
    /// Where it begins, if not at the start.
    pub scene: Option<Scene>,
    /// What was done.
    pub plies: Vec<RecordedPly>,
    /// The result; `None` if the record has none.
    pub result: Option<RecordedResult>,
    /// The first ply with another number than its own, if some have. Only [`parse_on`] gives such a record.
    pub misnumbered: Option<RecordFault>,
}

/// A ply as recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedPly {
    /// Who did what.
    pub made: Move,
    /// How many options there were.
    pub options: Option<usize>,
    /// The digest of the position before.
    pub digest: Option<u64>,
}

/// A ply that was played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The seat; `None` for chance.
    pub seat: Option<u16>,
    /// The choice.
    pub choice: Choice,
}

/// The result as recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedResult {
    /// How the game ended.
    pub end: RecordedEnd,
    /// The label of the ending.
    pub label: Option<String>,
    /// For each seat its score.
    pub scores: Vec<i32>,
    /// The line.
    pub line: usize,
}

/// How a recorded game ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RecordedEnd {
    /// It was not finished.
    #[default]
    Unfinished,
    /// Nobody won.
    Draw,
    /// These seats won.
    Wins(Vec<String>),
    /// This seat gave up; by the rules the game is not over.
    Resigns(String),
}
