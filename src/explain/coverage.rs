//! Coverage: which clauses were evaluated, which decided something, and what ran. It is kept only on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::model::{ClauseId, CodeId, ConfigId, Model};

/// What became of a clause, or of an instruction, in all evaluations traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Nothing asked for it.
    #[default]
    Untouched,
    /// It was evaluated and decided nothing: a condition failed, it was beaten, or options were only listed.
    Considered,
    /// It decided something.
    Decided,
}

/// What became of each clause and instruction of one model. It can be shared: marks only ever grow.
#[derive(Debug, Default)]
pub struct Coverage {
    clauses: Vec<AtomicU8>,
    codes: Vec<Vec<AtomicU8>>,
    config: Vec<AtomicU8>,
    score: AtomicU8,
}

impl Coverage {
    /// For the clauses and codes of a model, nothing touched.
    #[must_use]
    pub fn new(model: &Model) -> Coverage {
        let blank = |n: usize| (0..n).map(|_| AtomicU8::new(0)).collect();
        Coverage {
            clauses: blank(model.clauses.len()),
            codes: model.codes.iter().map(|c| blank(c.instrs.len())).collect(),
            config: blank(model.config.len()),
            score: AtomicU8::new(0),
        }
    }

    /// What became of a clause.
    #[must_use]
    pub fn clause(&self, id: ClauseId) -> Mark {
        mark(self.clauses.get(id.i()))
    }

    /// What became of an instruction: it was carried out in the game (decided), or only where something was tried
    /// (considered).
    #[must_use]
    pub fn instr(&self, code: CodeId, pc: u16) -> Mark {
        mark(self.codes.get(code.i()).and_then(|c| c.get(usize::from(pc))))
    }

    /// The options and readings that were read.
    pub(super) fn read(&self) -> Vec<ConfigId> {
        let marks = self.config.iter().enumerate();
        marks.filter(|(_, m)| mark(Some(m)) != Mark::Untouched).map(|(i, _)| ConfigId(i as u16)).collect()
    }

    /// What became of the score.
    #[must_use]
    pub fn score(&self) -> Mark {
        mark(Some(&self.score))
    }

    /// What became of a code: the most of its instructions.
    #[must_use]
    pub fn code(&self, code: CodeId) -> Mark {
        let all = self.codes.get(code.i()).map_or(&[][..], Vec::as_slice);
        all.iter().map(|m| mark(Some(m))).max().unwrap_or_default()
    }
}

fn mark(place: Option<&AtomicU8>) -> Mark {
    match place.map_or(0, |m| m.load(Ordering::Relaxed)) {
        0 => Mark::Untouched,
        1 => Mark::Considered,
        _ => Mark::Decided,
    }
}

/// A trace at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorder<'a> {
    trace: &'a Coverage,
    /// What is evaluated now decides something: it belongs to a ruling, or to the course of the game.
    pub deciding: bool,
}

impl<'a> Recorder<'a> {
    /// The same, where nothing decides: what is only listed or tried.
    pub fn idle(self) -> Recorder<'a> {
        Recorder { deciding: false, ..self }
    }

    fn grow(place: Option<&AtomicU8>, to: u8) {
        if let Some(place) = place {
            place.fetch_max(to, Ordering::Relaxed);
        }
    }

    /// A clause was looked at.
    pub fn evaluated(self, id: ClauseId) {
        Recorder::grow(self.trace.clauses.get(id.i()), 1);
    }

    /// A clause gave the result of what is evaluated.
    pub fn decided(self, id: ClauseId) {
        Recorder::grow(self.trace.clauses.get(id.i()), if self.deciding { 2 } else { 1 });
    }

    /// An option or reading is read.
    pub fn read(self, id: ConfigId) {
        Recorder::grow(self.trace.config.get(id.i()), 1);
    }

    /// The score is told.
    pub fn scored(self) {
        Recorder::grow(Some(&self.trace.score), if self.deciding { 2 } else { 1 });
    }

    /// An instruction is carried out.
    pub fn ran(self, code: CodeId, pc: u16) {
        let place = self.trace.codes.get(code.i()).and_then(|c| c.get(usize::from(pc)));
        Recorder::grow(place, if self.deciding { 2 } else { 1 });
    }
}

/// A trace that an evaluator keeps.
#[derive(Clone, Debug)]
pub(super) struct CoverageMode {
    /// The trace.
    pub trace: Arc<Coverage>,
    /// Nothing decides: it is about what would be under other readings.
    pub quiet: bool,
}

impl CoverageMode {
    /// The trace at work.
    pub(super) fn watch(&self, deciding: bool) -> Recorder<'_> {
        Recorder { trace: &self.trace, deciding: deciding && !self.quiet }
    }
}
