//! Faults of the rules that only show in play.

use std::fmt;

use super::{SeenMember, SeenValue};
use crate::model::{ClauseId, CodeId, DefId, VarId};
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
    /// What was seen.
    pub detail: FaultDetail,
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

/// A definition with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The definition.
    pub def: DefId,
    /// Its arguments, as whoever is told may know them.
    pub args: Vec<SeenValue>,
}

/// A part of the rules that a position or an evaluation asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesPart {
    /// A clause.
    Clause,
    /// A definition.
    Definition,
    /// A procedure.
    Procedure,
    /// A variable.
    Variable,
    /// What attaches to a step.
    Hook,
}

/// A number or member that an instruction cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// The seat that decides.
    Decider,
    /// The lowest number to choose from.
    Lowest,
    /// The highest number to choose from.
    Highest,
    /// How many must be chosen at least.
    Least,
    /// How many may be chosen at most.
    Greatest,
    /// The index of a variable.
    Index,
    /// What is to be moved.
    Moved,
    /// How many copies there are to be.
    Counted,
    /// The seat that wins or loses.
    Winner,
}

/// What was seen of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultDetail {
    /// Clauses give a definition these values.
    Values(Applied, Vec<SeenValue>),
    /// The clauses of a definition beat each other.
    BeatEachOther(Applied),
    /// No action meets all obligations.
    Obligations,
    /// The game ends in different ways at once.
    Endings,
    /// Several rules replace a step.
    Replacing,
    /// The order of rules is open, and they come to a decision, chance or the end.
    OrderInterrupted,
    /// The order of rules is open and makes a difference.
    Order,
    /// No rule says what a definition is.
    Undefined(Applied),
    /// A seat must choose an action and none is legal.
    NoLegalAction,
    /// Play is over and the game has not ended.
    NoEnding,
    /// A definition becomes too large a number.
    DefinitionTooLarge(Applied),
    /// The expression at the place of the fault is too large, or divides by zero.
    TooLarge,
    /// All steps together cost too much.
    PriceTooLarge,
    /// A step costs less than nothing.
    NegativePrice(SeenMember, SeenMember, i32),
    /// There is no such seat.
    NoSuchSeat,
    /// There is no such index.
    NoSuchIndex,
    /// From one number to another there are too many.
    TooManyNumbers(i32, i32),
    /// A number cannot be in a set.
    NotInSet(i32),
    /// What is put into a pile cannot be there.
    NotInPile,
    /// A variable cannot have a value.
    CannotBe(VarId, SeenValue),
    /// A variable would hold more of one value than can be.
    TooManyCopies(VarId),
    /// Something needed is nothing.
    Nothing(Needed),
    /// There is nothing to choose from.
    NothingToChoose,
    /// There are fewer to choose from than must be chosen.
    TooFewToChoose(usize),
    /// There is nothing to draw from.
    NothingToDraw,
    /// A variable that must be something becomes nothing.
    BecomesNothing(VarId),
    /// A variable of a procedure that is not active.
    NotThere(VarId),
    /// A value is taken from where it is not.
    NotIn(SeenValue, VarId),
    /// Of a value in a bag there are so many copies, and more are taken.
    TooFewCopies(SeenValue, VarId, i64, i64),
    /// Of a value in a bag there would be fewer copies than none.
    NegativeCopies(SeenValue, VarId, i64),
    /// A procedure is finished that is not active.
    NotActive(CodeId),
    /// A procedure is active too many times at once.
    TooDeep(CodeId),
    /// Definitions refer to each other without end.
    Ring,
    /// There is no decision, chance or end to come to.
    NoDecision,
    /// The same position comes again, with no decision or chance between; and what play passes through meanwhile.
    SamePosition(Vec<CodeId>),
    /// More steps are needed than this.
    TooMuchWork(u32),
    /// There are more options than this.
    TooManyOptions(usize),
    /// There is not memory enough.
    NoRoom,
    /// The rules lack a part.
    Missing(RulesPart),
    /// The position is at no decision, chance or end.
    NotAtDecision,
    /// The position is at no instruction.
    NoInstruction,
    /// The game is over by an ending that there is not.
    NoSuchEnding,
    /// There is no such entry.
    NoSuchEntry,
    /// There is no such choice.
    NoSuchChoice,
    /// A partial position does not say enough.
    Open,
    /// What would be if an action were done.
    Ahead(Box<FaultDetail>),
    /// Nothing that may be told.
    Untold,
}

impl Fault {
    /// A stable name: `conflict`, `gap`, ...
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Whether it takes long to find, so that it is not to be met again and again.
    #[must_use]
    pub fn is_long(&self) -> bool {
        let at_once = matches!(self.detail, FaultDetail::SamePosition(_));
        matches!(self.kind, FaultKind::Endless | FaultKind::TooLong) && !at_once
    }

    /// The same without what was seen, for a seat that may not see it.
    #[must_use]
    pub fn outlined(&self) -> Fault {
        Fault { detail: FaultDetail::Untold, ..self.clone() }
    }
}

impl FaultKind {
    /// A stable name: `conflict`, `gap`, ...
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            FaultKind::Conflict => "conflict",
            FaultKind::Gap => "gap",
            FaultKind::OutOfRange => "out-of-range",
            FaultKind::Nothing => "nothing-there",
            FaultKind::Endless => "endless",
            FaultKind::TooLong => "too-long",
            FaultKind::BadPosition => "bad-position",
        }
    }
}

/// What is wrong in general. With the rules at hand [`Fault::words`] says what was seen, and where.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self.kind {
            FaultKind::Conflict => "clauses apply together and disagree",
            FaultKind::Gap => "no clause says what holds",
            FaultKind::OutOfRange => "a number does not fit where it is put",
            FaultKind::Nothing => "something must be there and is not",
            FaultKind::Endless => "a loop or chain of procedures does not end",
            FaultKind::TooLong => "more must be worked out than can be waited for, or listed",
            FaultKind::BadPosition => "the position does not belong to these rules",
        };
        write!(f, "{}: {words}", self.code())
    }
}

impl std::error::Error for Fault {}
