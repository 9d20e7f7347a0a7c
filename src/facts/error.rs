//! Why a text cannot be read as a fact, and why a move cannot be made.

use crate::game::{Choice, Fault, Unread};
use crate::model::{MAX_COPIES, Model};
use crate::spelling::{as_typed, hint};

/// Why a text cannot be read as a fact, or the fact cannot be stated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactError {
    /// There is no variable or pile of that name.
    #[error("there is no variable or pile `{name}`{}", hint(near))]
    NoVariable {
        /// The name.
        name: String,
        /// What may have been meant.
        near: Vec<String>,
    },
    /// There is nothing of that name in the game.
    #[error("there is no `{name}` in the game{}", hint(near))]
    NoMember {
        /// The name.
        name: String,
        /// What may have been meant.
        near: Vec<String>,
    },
    /// It has none of the forms of a fact.
    #[error(
        "`{text}` is not a fact: write `MEMBER FIELD VALUE`, `PILE of INDEX: MEMBERS`, `VARIABLE: VALUE` or a phrase \
         with which play goes on{}",
        hint(near)
    )]
    NotAFact {
        /// As it is written.
        text: String,
        /// What may have been meant.
        near: Vec<String>,
    },
    /// The name is that of a member of another kind.
    #[error("`{name}` is of the kind {kind}, but the kind {needed} is needed here")]
    OtherKind {
        /// The name.
        name: String,
        /// The kind of its member.
        kind: String,
        /// The kind that is needed.
        needed: String,
    },
    /// A kind has no member of that name.
    #[error("there is no {kind} `{name}`{}{}{}", hint(near), one_of(few), without_braces(name))]
    NoSuchMember {
        /// The name.
        name: String,
        /// The kind.
        kind: String,
        /// What may have been meant.
        near: Vec<String>,
        /// All members, if they are few and none is like the name.
        few: Vec<String>,
    },
    /// Two facts have only one space between them.
    #[error("two facts: put two spaces or a line break between `{first}` and `{second}`")]
    TwoFacts {
        /// The first.
        first: String,
        /// What follows.
        second: String,
    },
    /// It is a comment of another language.
    #[error("`{0}` is not a fact; a comment begins with `//`")]
    Comment(String),
    /// There is no such fact, but a phrase is like it.
    #[error("`{text}` is not a fact{}", hint(near))]
    NoFact {
        /// As it is written.
        text: String,
        /// The phrases.
        near: Vec<String>,
    },
    /// Several members are named where one is needed, of this kind.
    #[error("one {0} is needed here, not several: write each fact by itself, with two spaces or a line break between")]
    Several(String),
    /// Several members have the name: their identifiers.
    #[error("the name is shared by several: write one of {}", .0.join(", "))]
    Shared(Vec<String>),
    /// A colon between a field and its value.
    #[error("the value of a field follows without a colon: leave `:` out")]
    Colon,
    /// It is neither true nor false.
    #[error("`{0}` is neither true nor false")]
    NotATruth(String),
    /// It is not a number.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// It is not a number between two bounds.
    #[error("`{text}` is not a number from {lo} to {hi}")]
    NotInRange {
        /// As it is written.
        text: String,
        /// The least.
        lo: i32,
        /// The greatest.
        hi: i32,
    },
    /// The number is beyond its bounds.
    #[error("{number} is out of range: it is from {lo} to {hi}")]
    OutOfRange {
        /// The number.
        number: i32,
        /// The least.
        lo: i32,
        /// The greatest.
        hi: i32,
    },
    /// Only one of two indices is given.
    #[error("this has two indices, like `{0}`")]
    TwoIndices(String),
    /// A bag has too many copies of one value.
    #[error("a bag holds at most {MAX_COPIES} of one value")]
    TooManyCopies,
    /// A member is named twice where it can be only once.
    #[error("`{0}` is named twice")]
    Twice(String),
    /// `also` stands before a fact about what has no members.
    #[error("`also` adds to a set, a pile or a bag; write `but` for another value")]
    CannotAdd,
    /// `but` or `also` stands before the phrase of an entry.
    #[error("`{0}` states a fact over what the entry does; the phrase itself stands without it")]
    NoFactOver(String),
    /// A fact puts a member into a pile, and it lies in another one too.
    #[error("`{member}` also lies in `{pile}` after the entry: state that too (`but {pile}: ...`)")]
    InTwoPiles {
        /// The member.
        member: String,
        /// The other pile, with its index.
        pile: String,
    },
    /// Facts cannot stand over an entry that is not done before something is decided.
    #[error("the entry asks for a decision or chance before its statements are done: nothing can be stated over it")]
    EntryDecides,
    /// What must have a value has none.
    #[error("it must have a value; it cannot be nothing")]
    Required,
    /// A value is missing.
    #[error("a value is missing")]
    NoValue,
    /// No position stores a value of that type.
    #[error("a position does not store such a value")]
    NotStored,
    /// An index is given of what has none.
    #[error("there is only one `{0}`: leave out `of ...`")]
    OnlyOne(String),
    /// An index is missing.
    #[error("there is one `{name}` for each {kind}: write `{name} of {kind}: ...` with its name")]
    OneForEach {
        /// The variable.
        name: String,
        /// The kind of its index.
        kind: String,
    },
    /// It cannot have members.
    #[error("only a pile, a set or a bag `has` members")]
    NotAPile,
    /// After a member stands something else.
    #[error("`{text}` does not begin with a {kind}{}", hint(near))]
    NotBegun {
        /// What stands there.
        text: String,
        /// The kind of the members before it.
        kind: String,
        /// What may have been meant.
        near: Vec<String>,
    },
    /// The field never changes.
    #[error("`{0}` is printed: it never changes")]
    Printed(String),
    /// `not` stands before a field that is not true or false.
    #[error("only a true or false field can be denied")]
    CannotDeny,
    /// Members of that kind have no fields that change.
    #[error("nothing about a {0} changes in play")]
    NothingChanges(String),
    /// A field is missing.
    #[error("what about it? A {kind} has {}", fields.join(", "))]
    NoField {
        /// The kind.
        kind: String,
        /// Its fields.
        fields: Vec<String>,
    },
    /// A kind has no such field that changes.
    #[error("a {kind} has no `{name}` that changes in play (it has {}){}", fields.join(", "), hint(near))]
    NoSuchField {
        /// The kind.
        kind: String,
        /// The name.
        name: String,
        /// Its fields.
        fields: Vec<String>,
        /// What may have been meant.
        near: Vec<String>,
    },
    /// It can be expected, but not stated.
    #[error("this can be expected of a position, but not stated: name the members")]
    NotStated,
    /// The variable cannot be stated here, or not so.
    #[error("`{0}` cannot be stated before play goes on, or the value does not fit")]
    CannotState(String),
    /// It is about a variable or field.
    #[error("{name}: {error}")]
    Of {
        /// Its name.
        name: String,
        /// What is wrong.
        error: Box<FactError>,
    },
}

/// `; it is one of A, B`, if there are any.
fn one_of(few: &[String]) -> String {
    if few.is_empty() { String::new() } else { format!("; it is one of {}", few.join(", ")) }
}

/// What to do about a set that is written as in a rule file.
fn without_braces(name: &str) -> &'static str {
    if name.starts_with('{') || name.ends_with('}') { " (a set is written without braces: `A, B`)" } else { "" }
}

impl FactError {
    /// The same about a variable or field.
    pub(super) fn of(self, name: &str) -> FactError {
        FactError::Of { name: name.to_owned(), error: Box::new(self) }
    }

    /// The same with the words of a text as they were typed there; reading is done in small letters.
    pub(crate) fn typed(mut self, typed: &str) -> FactError {
        match &mut self {
            FactError::NoVariable { name, .. }
            | FactError::NoMember { name, .. }
            | FactError::OtherKind { name, .. }
            | FactError::NoSuchMember { name, .. }
            | FactError::NotATruth(name)
            | FactError::NotANumber(name)
            | FactError::Twice(name)
            | FactError::NotInRange { text: name, .. }
            | FactError::NotBegun { text: name, .. }
            | FactError::NoSuchField { name, .. } => *name = as_typed(typed, name),
            FactError::Of { error, .. } => **error = error.clone().typed(typed),
            _ => {}
        }
        self
    }
}

/// Why a move cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// There is no such seat.
    #[error("`{named}` is not a seat (the seats are {}){}", known.join(", "), hint(near))]
    NoSuchSeat {
        /// As it is written.
        named: String,
        /// The seats, and chance.
        known: Vec<String>,
        /// What may have been meant.
        near: Vec<String>,
    },
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Another seat decides.
    #[error("it is {name}'s decision")]
    NotYours {
        /// Which.
        seat: u16,
        /// Its name.
        name: String,
    },
    /// Chance decides.
    #[error("chance decides here: write `chance: ...`")]
    Chance,
    /// It is not written like any choice.
    #[error(transparent)]
    Unread(#[from] Unread),
    /// It is not legal.
    #[error("{words}")]
    Illegal {
        /// The seat.
        seat: u16,
        /// The choice that it means.
        choice: Choice,
        /// The ruling in words.
        words: String,
    },
    /// Chance cannot bring this here.
    #[error("that is not a possible outcome")]
    NoOutcome(Choice),
    /// The rules fail.
    #[error("{words}")]
    Fault {
        /// How.
        fault: Box<Fault>,
        /// The same in words, with the clauses and the place.
        words: String,
    },
}

impl MoveError {
    /// For a fault of the rules.
    pub(crate) fn fault(model: &Model, fault: Fault) -> MoveError {
        MoveError::Fault { words: fault.words(model), fault: Box::new(fault) }
    }
}
