//! What a replay has gone through, so that a record of which only the end is written anew is replayed from there.

use super::{Ply, Record, RecordedPly};
use crate::facts::{Scene, Settings};
use crate::game::{Packed, Position};
use crate::model::Model;

/// How many plies lie between two positions that are kept.
const STRIDE: usize = 32;

/// The last replay of a record, for the next one under the same rules.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    settings: Settings,
    rules: Option<u64>,
    scene: Option<Scene>,
    recorded: Vec<RecordedPly>,
    plies: Vec<Ply>,
    beginning: Option<Packed>,
    marks: Vec<Mark>,
}

/// A position on the way.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// How many plies lead to it.
    pub plies: usize,
    pub position: Packed,
    /// As in [`Replay`](super::Replay).
    pub first_difference: Option<usize>,
}

impl Trail {
    /// The last position that this record comes to as well, with the plies before it and the position at the
    /// beginning. What lies beyond it is forgotten.
    pub(super) fn follow(&mut self, record: &Record, model: &Model) -> Option<(Position, Vec<Ply>, Mark)> {
        let same = self.settings == record.settings && self.rules == record.rules && self.scene == record.scene;
        let mut known = if same { self.known(record) } else { 0 };
        self.marks.retain(|mark| mark.plies <= known);
        let mark = self.marks.last().cloned();
        known = mark.as_ref().map_or(0, |mark| mark.plies);
        self.plies.truncate(known);
        self.settings.clone_from(&record.settings);
        self.rules = record.rules;
        self.scene.clone_from(&record.scene);
        self.recorded.truncate(known);
        self.recorded.extend(record.plies.iter().skip(known).cloned());
        Some((self.beginning.as_ref()?.unpack(model), self.plies.clone(), mark?))
    }

    /// After how many plies the replay of this record is certainly where the last one was.
    fn known(&self, record: &Record) -> usize {
        let played = |a: &RecordedPly, b: &RecordedPly| {
            (&a.made.who, &a.made.text, a.options, a.digest) == (&b.made.who, &b.made.text, b.options, b.digest)
        };
        let both = self.recorded.iter().zip(&record.plies);
        let same = both.take_while(|(a, b)| played(a, b)).count();
        // What a ply means may depend on the digest after it.
        let next = |plies: &[RecordedPly]| plies.get(same).and_then(|ply| ply.digest);
        if next(&self.recorded) == next(&record.plies) { same } else { same.saturating_sub(1) }
    }

    /// Notes where the replay begins.
    pub(super) fn begin(&mut self, beginning: &Position, model: &Model) {
        self.beginning = Some(Packed::new(beginning, model));
    }

    /// Notes a position after some plies, now and then, or because it is the `last`.
    pub(super) fn note(
        &mut self,
        plies: &[Ply],
        (position, model): (&Position, &Model),
        first_difference: Option<usize>,
        last: bool,
    ) {
        if !(last || plies.len().is_multiple_of(STRIDE)) {
            return;
        }
        self.plies.extend(plies.get(self.plies.len()..).unwrap_or_default());
        if self.marks.last().is_none_or(|mark| mark.plies < plies.len()) {
            // The ply that comes next, and may have stopped the replay, can be another one next time.
            let first_difference = first_difference.filter(|ply| *ply <= plies.len());
            self.marks.push(Mark { plies: plies.len(), position: Packed::new(position, model), first_difference });
        }
    }
}
