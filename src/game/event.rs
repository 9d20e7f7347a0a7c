//! What a choice leads to, up to the next decision point.

use super::{Applied, Considered, Derived, Seen, SeenMember, SeenValue};
use crate::model::{ClauseId, CodeId, Model, VarId};
use crate::span::Span;

/// Something that happened between a choice and the next decision point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The procedure, hook or effect in which it happened.
    pub code: CodeId,
    /// Its step, if it has steps.
    pub step: Option<usize>,
    /// The clause that brought it about, if it was a hook, an effect or an ending, with its conditions.
    pub by: Option<Considered>,
    /// The conditions of the statements around it, as they were when they were checked.
    pub conditions: Vec<Seen>,
    /// How the numbers in those conditions were made.
    pub sums: Vec<Sum>,
    /// Definitions in those conditions that some clause changed.
    pub derived: Vec<Derived>,
    /// The earlier events, by their places in the list, on which it depends.
    pub follows: Vec<usize>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An entry of a variable got another value.
    Became {
        /// The variable.
        var: VarId,
        /// Which entry.
        entry: usize,
        /// The same as far as it is known.
        index: Option<SeenMember>,
        /// The value before; `None` if it was not seen.
        before: Option<SeenValue>,
        /// The value after.
        after: SeenValue,
    },
    /// The clause of the event would have had its effect, but was silenced or used up.
    Void,
    /// An action was to be chosen, and none was legal.
    NothingLegal {
        /// Who would have chosen.
        seat: u16,
        /// The clause that asks.
        clause: ClauseId,
    },
    /// The game ended.
    Over {
        /// Index into [`crate::model::Model::ends`].
        ending: usize,
        /// The seats that win.
        winners: Vec<u16>,
    },
}

/// A definition whose value is a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// `force(Dark)`.
    pub what: Applied,
    /// `8`.
    pub value: SeenValue,
    /// What was added up.
    pub terms: Vec<Term>,
}

/// A part of a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Whether it is subtracted.
    pub minus: bool,
    /// What it is.
    pub what: TermSubject,
    /// Its value.
    pub value: SeenValue,
}

/// What a part of a sum is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermSubject {
    /// A definition: `strength(Warg)`.
    Applied(Applied),
    /// As it is written.
    Written(Span),
}

/// What a choice leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Everything that happened, in order.
    pub all: Vec<Event>,
    /// The variables that got their first values again because the procedure that they are kept in was left, each with
    /// the number of events before it. That is no event.
    pub ended: Vec<(VarId, usize)>,
}

impl Events {
    /// The events that gave the entries of the game the values they have at the end, without those of variables that
    /// ended, of entries that are as they were, and without what merely happened on the way.
    pub fn lasting<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (usize, &'a Event)> {
        self.all.iter().enumerate().filter(move |(i, event)| match &event.kind {
            EventKind::Became { var, .. } if model.is_passing(*var) => false,
            EventKind::Became { var, entry, after, .. } => {
                let same = |e: &&Event| {
                    matches!(&e.kind, EventKind::Became { var: v, entry: n, .. } if v == var && n == entry)
                };
                let last = self.all.iter().skip(i + 1).all(|later| !same(&later))
                    && !self.ended.iter().any(|(v, at)| v == var && at > i);
                let first = self.all.iter().find(same).and_then(|e| match &e.kind {
                    EventKind::Became { before, .. } => before.as_ref(),
                    _ => None,
                });
                last && first != Some(after)
            }
            EventKind::Void | EventKind::NothingLegal { .. } | EventKind::Over { .. } => true,
        })
    }

    /// An event and all that it depends on, earliest first.
    #[must_use]
    pub fn causes(&self, event: usize) -> Vec<usize> {
        let mut found = vec![event];
        let mut at = 0;
        while let Some(i) = found.get(at) {
            let more = self.all.get(*i).map_or(&[][..], |e| &e.follows);
            let new: Vec<usize> = more.iter().copied().filter(|m| !found.contains(m)).collect();
            found.extend(new);
            at += 1;
        }
        found.sort_unstable();
        found
    }
}
