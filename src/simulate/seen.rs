//! What is noted of one game while it is played.

use std::collections::{BTreeMap, BTreeSet};

use super::Watch;
use crate::game::{Choice, Evaluator, Position, Status};
use crate::model::{ActionId, CodeId, FieldStore, KindId, Model, Value};

/// What a ply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlyKind {
    /// An action.
    Action(ActionId),
    /// An answer to what this code asks.
    Answer(CodeId),
    /// No action is taken.
    Pass,
    /// An outcome of chance.
    Chance,
}

/// A choice and the position before it.
#[derive(Clone, Debug)]
pub struct Made {
    /// What asks, if it is no choice among actions.
    pub code: Option<CodeId>,
    /// The choice.
    pub choice: Choice,
    /// The position before it.
    pub before: Position,
}

/// What is noted of one game.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The decisions of seats: the number of the ply, from 0, the seat, and how many options there were.
    pub decisions: Vec<(usize, u16, usize)>,
    /// How many plies of each kind there were.
    pub kinds: BTreeMap<PlyKind, usize>,
    /// For each seat the first choice that it made.
    pub firsts: BTreeMap<u16, Made>,
    /// The members that stand on the board at the end.
    pub standing: BTreeSet<(KindId, u16)>,
}

/// Who notes it.
#[derive(Debug)]
pub struct Observer<'e, E> {
    evaluator: &'e E,
    plies: usize,
    seen: Seen,
}

impl<'e, E: Evaluator> Observer<'e, E> {
    /// Of a game that is about to be played by an evaluator.
    pub fn new(evaluator: &'e E) -> Observer<'e, E> {
        Observer { evaluator, plies: 0, seen: Seen::default() }
    }

    /// What was noted.
    pub fn seen(self) -> Seen {
        self.seen
    }

    /// What asks, if it is no choice among actions.
    fn asks(&self, position: &Position) -> Option<CodeId> {
        match self.evaluator.status(position) {
            Ok(Status::Decision(question)) if question.actions.is_empty() => Some(question.at.0),
            _ => None,
        }
    }
}

impl<E: Evaluator> Watch for Observer<'_, E> {
    fn ply(&mut self, position: &Position, seat: Option<u16>, options: &[Choice], choice: Choice) {
        let ply = self.plies;
        self.plies += 1;
        let Some(seat) = seat else {
            *self.seen.kinds.entry(PlyKind::Chance).or_default() += 1;
            return;
        };
        self.seen.decisions.push((ply, seat, options.len()));
        let code = if let Choice::Act(..) = choice { None } else { self.asks(position) };
        let kind = match (choice, code) {
            (Choice::Act(action, _), _) => PlyKind::Action(action),
            (_, Some(code)) => PlyKind::Answer(code),
            (_, None) => PlyKind::Pass,
        };
        *self.seen.kinds.entry(kind).or_default() += 1;
        self.seen.firsts.entry(seat).or_insert_with(|| Made { code, choice, before: position.clone() });
    }

    fn end(&mut self, position: &Position) {
        self.seen.standing = standing(self.evaluator.model(), position);
    }
}

/// The members that stand on the board.
fn standing(model: &Model, position: &Position) -> BTreeSet<(KindId, u16)> {
    let mut found = BTreeSet::new();
    let pieces = model.board.iter().flat_map(|board| &board.shows);
    for shows in pieces {
        let Some(kind) = model.kinds.get(shows.kind.i()) else { continue };
        let Some(FieldStore::Var(var)) = kind.fields.get(shows.at).map(|field| &field.store) else { continue };
        let stands = |member: &usize| position.read(model, *var, *member) != Value::None;
        found.extend((0..kind.members.len()).filter(stands).map(|member| (shows.kind, member as u16)));
    }
    found
}
