//! What one seat sees of a position: ids and values, so that a view can be sent and compared as it is. Words are made
//! of it by [`crate::lexicon`].

use serde::{Deserialize, Serialize};

use super::{Choice, SeenMember, SeenValue};
use crate::model::{ActionId, KindId, VarId};

/// What a seat sees. Two positions that it cannot tell apart give equal views.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct View {
    /// The seat that looks.
    pub seat: u16,
    /// The seats that win, if the game is over; empty: a draw.
    pub winners: Option<Vec<u16>>,
    /// Variables of the game and of the active procedures.
    pub variables: Vec<SeenVariable>,
    /// Piles.
    pub piles: Vec<SeenPile>,
    /// Kinds whose members have fields that change, or may be hidden.
    pub kinds: Vec<SeenKind>,
    /// What is asked, if a seat must decide.
    pub question: Option<SeenQuestion>,
}

/// Where a mark of the board is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Marked {
    /// The mark's place among the marks of the rules.
    pub mark: usize,
    /// The cells, by their places in their kind.
    pub cells: Vec<u16>,
    /// The sides: a cell, and the number of its side, clockwise.
    pub sides: Vec<(u16, u8)>,
}

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SeenVariable {
    /// Which it is.
    pub var: VarId,
    /// The entry of an indexed one.
    pub index: Option<SeenMember>,
    /// Its value.
    pub value: SeenValue,
}

/// A pile.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SeenPile {
    /// Which it is.
    pub var: VarId,
    /// The entry of an indexed one.
    pub index: Option<SeenMember>,
    /// How many it holds.
    pub size: usize,
    /// What it holds, if the seat sees that; an ordered pile from the bottom up.
    pub members: Option<Vec<SeenValue>>,
}

/// The members of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SeenKind {
    /// Which it is.
    pub kind: KindId,
    /// Those of whom the seat knows which they are, in order.
    pub known: Vec<KnownMember>,
    /// The others; their order says nothing of who they are.
    pub unknown: Vec<UnknownMember>,
}

/// A field that changes, with its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SeenField {
    /// Its place among the fields of its kind.
    pub field: usize,
    /// Its value.
    pub value: SeenValue,
}

/// A member that the seat knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KnownMember {
    /// Its place in its kind.
    pub member: u16,
    /// Its fields that change, those that the seat sees.
    pub fields: Vec<SeenField>,
}

/// A member of which the seat does not know which it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnknownMember {
    /// The seat that owns it.
    pub owner: Option<u16>,
    /// Its fields that change, those that the seat sees.
    pub fields: Vec<SeenField>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SeenQuestion {
    /// The seat that must decide.
    pub seat: u16,
    /// Its options, if it is the seat that looks: in the evaluator's order, but those last that name what it does not
    /// know.
    pub options: Option<Vec<SeenChoice>>,
}

/// A choice as far as the seat knows what it names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SeenChoice {
    /// An action with its arguments.
    Act(ActionId, Vec<SeenValue>),
    /// A member or number.
    Value(SeenValue),
    /// Yes.
    Yes,
    /// Nothing.
    Pass,
}

impl SeenChoice {
    /// Whether it names a member that the seat does not know.
    #[must_use]
    pub fn is_veiled(&self) -> bool {
        let veiled = |value: &SeenValue| matches!(value, SeenValue::Member(SeenMember::Unknown(..)));
        match self {
            SeenChoice::Act(_, args) => args.iter().any(veiled),
            SeenChoice::Value(value) => veiled(value),
            SeenChoice::Yes | SeenChoice::Pass => false,
        }
    }
}

impl SeenKind {
    /// A member that the seat knows.
    #[must_use]
    pub fn member(&self, member: u16) -> Option<&KnownMember> {
        self.known.iter().find(|m| m.member == member)
    }
}

impl View {
    /// What the seat sees of a kind.
    #[must_use]
    pub fn kind(&self, kind: KindId) -> Option<&SeenKind> {
        self.kinds.iter().find(|k| k.kind == kind)
    }

    /// Two views of one position laid together: what either seat sees.
    #[must_use]
    pub fn joined(mut self, other: View) -> View {
        for pile in &mut self.piles {
            let same = other.piles.iter().find(|p| (p.var, p.index) == (pile.var, pile.index));
            if let Some(same) = same.filter(|same| pile.known() < same.known()) {
                pile.members.clone_from(&same.members);
            }
        }
        for variable in other.variables {
            if !self.variables.iter().any(|v| (v.var, v.index) == (variable.var, variable.index)) {
                self.variables.push(variable);
            }
        }
        for kind in other.kinds {
            match self.kinds.iter_mut().find(|k| k.kind == kind.kind) {
                Some(same) => same.join(kind),
                None => self.kinds.push(kind),
            }
        }
        self
    }
}

impl SeenPile {
    /// How much is seen of it: nothing, how many it holds, or how many of its members are known.
    fn known(&self) -> Option<usize> {
        let is_known = |value: &&SeenValue| !matches!(value, SeenValue::Member(SeenMember::Unknown(..)));
        self.members.as_ref().map(|members| members.iter().filter(is_known).count())
    }
}

impl SeenKind {
    fn join(&mut self, other: SeenKind) {
        let total = self.known.len() + self.unknown.len();
        for member in other.known {
            if self.member(member.member).is_none() {
                self.known.push(member);
            }
        }
        if self.known.len() >= total {
            self.unknown.clear();
        } else if other.unknown.len() < self.unknown.len() {
            self.unknown = other.unknown;
        }
    }
}

impl Marked {
    /// The same mark where either of two seats sees it.
    #[must_use]
    pub fn joined(mut self, other: Marked) -> Marked {
        self.cells.extend(other.cells);
        self.sides.extend(other.sides);
        self.cells.sort_unstable();
        self.cells.dedup();
        self.sides.sort_unstable();
        self.sides.dedup();
        self
    }
}

/// An option as the seat reads it that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenOption {
    /// Its notation.
    pub text: String,
    /// The options that it stands for: several, if the seat cannot tell apart what they name.
    pub choices: Vec<Choice>,
    /// It names a member that the seat does not know.
    pub veiled: bool,
}

impl SeenOption {
    /// A choice that hides nothing, without its notation.
    #[must_use]
    pub fn open(choice: Choice) -> SeenOption {
        SeenOption { text: String::new(), choices: vec![choice], veiled: false }
    }
}

/// What a seat means by a line that it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// One of its options.
    Option(SeenOption),
    /// A choice that is not one of its options.
    Other(Choice),
}

impl Meant {
    /// The choice, or the first of those that the seat cannot tell apart.
    #[must_use]
    pub fn choice(&self) -> Option<Choice> {
        match self {
            Meant::Option(option) => option.choices.first().copied(),
            Meant::Other(choice) => Some(*choice),
        }
    }
}

/// What a seat is told of a choice that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The choice in words.
    Said(String),
    /// That something was chosen, and not yet what.
    Secret,
}
