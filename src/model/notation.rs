//! Notations of positions and of whole games, as the rules describe them.

use super::{FieldStore, InstrKind, KindId, Model, Text, Value, VarId};

/// A notation of positions, read and written by one description.
#[derive(Clone, Debug)]
pub struct PositionNotation {
    /// Its name: `fen`.
    pub name: String,
    /// What it is called.
    pub label: Text,
    /// The entry by which play goes on: an index into [`Model::entries`](super::Model::entries).
    pub entry: usize,
    /// What is written, in order.
    pub parts: Vec<NotationPart>,
}

/// A part of a notation of positions.
#[derive(Clone, Debug)]
pub enum NotationPart {
    /// Something once.
    Written(Written),
    /// Something of each of these members, in rows, with a text between two rows.
    Rows {
        /// Their kind.
        kind: KindId,
        /// The rows.
        rows: Vec<Vec<u16>>,
        /// What stands between two.
        split: String,
        /// What is written of each.
        cell: Written,
    },
    /// Something of those members of a kind of which something holds.
    Each {
        /// The kind.
        kind: KindId,
        /// What holds: all of these.
        when: Vec<Holds>,
        /// What is written of each; where it holds of none, what is written instead.
        written: Written,
    },
}

/// Ways of writing something: the first whose values are all there.
#[derive(Clone, Debug)]
pub struct Written {
    /// The ways.
    pub ways: Vec<Vec<NotationPiece>>,
    /// What is written where there is none.
    pub blank: Blank,
}

/// What is written where no way of writing has its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blank {
    /// Nothing: there always is a way.
    Never,
    /// A text.
    Text(String),
    /// How many such members follow each other in a row.
    Counted,
}

/// A piece of what is written.
#[derive(Clone, Debug)]
pub enum NotationPiece {
    /// A text.
    Letters(String),
    /// A value.
    Value {
        /// Of what.
        of: Source,
        /// How it is written.
        codes: Codes,
    },
    /// The number of the round, which the rules do not keep.
    Round,
}

/// How a value is written.
#[derive(Clone, Debug)]
pub enum Codes {
    /// In digits.
    Digits,
    /// Each value in its own way; other values cannot be written.
    Each(Vec<(i32, String)>),
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A parameter of the entry.
    Param(usize),
    /// The member that is written.
    Member,
    /// A variable, a field or an entry of a table of variables.
    Var(VarId, Option<Fixed>),
}

/// A value that does not change in play: a constant, or a printed field of a printed field ... of the member written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// This value.
    Const(i32),
    /// A chain of fields that begins at the member.
    Fields(Vec<(KindId, usize)>),
}

/// A condition that can be made true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A value is in a set, a pile or a bag.
    In(Fixed, VarId, Option<Fixed>),
    /// A variable has a value.
    Is(VarId, Option<Fixed>, Fixed),
}

impl Fixed {
    /// The value for a member; `None` if a field on the way is empty.
    #[must_use]
    pub fn of(&self, model: &Model, member: Option<u16>) -> Option<i32> {
        match self {
            Fixed::Const(value) => Some(*value),
            Fixed::Fields(fields) => fields.iter().try_fold(i32::from(member?), |at, (kind, field)| {
                match model.kinds.get(kind.i())?.fields.get(*field)?.store {
                    FieldStore::Printed(ref values) => match values.get(usize::try_from(at).ok()?)? {
                        Value::Int(value) => Some(*value),
                        _ => None,
                    },
                    FieldStore::Var(_) => None,
                }
            }),
        }
    }
}

/// How whole games are written: tags, then moves numbered by rounds, then the result.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Its name: `pgn`.
    pub name: String,
    /// What it is called.
    pub label: Text,
    /// The style in which moves are written; empty for the usual one.
    pub style: String,
    /// The notation of the position with which a game begins: an index into
    /// [`Model::notations`](super::Model::notations).
    pub from: Option<usize>,
    /// How results are written: of the seat that wins; with no seat, of a draw.
    pub results: Vec<(Option<u16>, String)>,
}

impl Transcript {
    /// The tag of the style in which moves are written; empty for the usual one.
    #[must_use]
    pub fn tag(&self) -> String {
        if self.style.is_empty() { String::new() } else { format!("+{}", self.style) }
    }
}

impl Model {
    /// The styles of the notation of moves that the game has beside the usual one, in the order of the alphabet.
    #[must_use]
    pub fn styles(&self) -> Vec<String> {
        let decisions = self.codes.iter().flat_map(|c| &c.instrs).filter_map(|i| match &i.kind {
            InstrKind::Choose(choose) => Some(&choose.log),
            InstrKind::Chance(chance) => Some(&chance.log),
            _ => None,
        });
        let logs = self.actions.iter().map(|a| &a.log).chain(decisions);
        let tags = logs.flat_map(|log| log.translations.iter().map(|(tag, _)| tag));
        let mut found: Vec<String> = tags.filter_map(|tag| Some(tag.split_once('+')?.1.to_owned())).collect();
        found.sort();
        found.dedup();
        found
    }

    /// The notation of positions with a name.
    #[must_use]
    pub fn notation(&self, name: &str) -> Option<&PositionNotation> {
        self.notations.iter().find(|n| n.name == name)
    }

    /// The notation of games with a name.
    #[must_use]
    pub fn transcript(&self, name: &str) -> Option<&Transcript> {
        self.transcripts.iter().find(|t| t.name == name)
    }
}
