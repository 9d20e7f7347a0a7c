//! A ruling: what is decided about an action, and the clauses that decide it.

use super::{Applied, Fault, ReadingEffect, SeenMember, SeenValue};
use crate::model::{ClauseId, CodeId, ConfigId};
use crate::span::Span;

/// The verdict. *Undecided* is a conflict or a gap and is never folded into *illegal*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The action may be done.
    Legal,
    /// The action may not be done.
    Illegal,
    /// The rules give no answer.
    Undecided,
}

/// Why, in the order in which a referee asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Some permission applies and nothing that stands forbids it.
    Permitted,
    /// It is one of the options of a decision that is not an action.
    Offered,
    /// The game is over.
    GameOver,
    /// It is not this seat's decision but this one's (`None` for chance).
    NotYourDecision(Option<u16>),
    /// There is no such action or option now.
    NoSuchAction,
    /// No permission applies.
    NoPermission,
    /// A prohibition stands.
    Prohibited,
    /// An obligation requires something else.
    ObligationUnmet,
    /// Clauses conflict.
    Conflict,
    /// No clause gives an answer.
    Gap,
}

/// A condition of a clause with the values it saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The condition.
    pub span: Span,
    /// Whether it holds.
    pub holds: bool,
    /// The parts of it that have a value worth showing.
    pub values: Vec<SeenPart>,
    /// What decides it, where that is not to be seen from these values: some of the members and definitions.
    pub witnesses: Vec<Witness>,
    /// How many more there are.
    pub more: usize,
    /// The clauses of the definitions on the way to all of them.
    pub through: Vec<ClauseId>,
}

impl Seen {
    /// A condition of which nothing is known but its values.
    #[must_use]
    pub fn new(span: Span, holds: bool, values: Vec<SeenPart>) -> Seen {
        Seen { span, holds, values, witnesses: Vec::new(), more: 0, through: Vec::new() }
    }
}

/// Why a condition holds or fails: the members for which an inner condition decides, and that condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The variables of the quantifiers on the way with their members: `h`, `C11`.
    pub members: Vec<SeenPart>,
    /// The inner condition.
    pub span: Span,
    /// Whether it holds.
    pub holds: bool,
    /// The parts of it that have a value worth showing.
    pub values: Vec<SeenPart>,
    /// The clauses of the definitions on the way, the outermost first.
    pub by: Vec<ClauseId>,
}

/// A part of a condition with its value: `c.at`, `Rohan`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPart {
    /// What has the value.
    pub what: Subject,
    /// Whether it is what would be so after the action.
    pub after: bool,
    /// The value.
    pub value: Shown,
}

/// What has a value in a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A part of the condition, as it is written there.
    Part(Span),
    /// A parameter or another local of the clause, as it is written there.
    Local(u16, Span),
    /// The action itself.
    Action,
    /// The best that could be had.
    Best,
    /// The cheapest way to a member.
    WayTo(SeenMember),
}

/// A value as a ruling shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A value.
    Value(SeenValue),
    /// One that the seat must not learn.
    Unseen,
    /// An alternative of a reading.
    Alternative(ConfigId, i32),
    /// What a way costs, where that is asked, and the members on it, each but the first with the total up to there.
    Way(Option<SeenValue>, Vec<(SeenMember, Option<i32>)>),
    /// The two on either side of what is crossed.
    Side(SeenMember, SeenMember),
    /// An action of these.
    ActionOf(SeenValue),
}

/// The result of a clause that was considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It applies, and nothing beats it.
    Applies,
    /// A condition fails, one of [`Considered::conditions`].
    Fails,
    /// It would apply, but its ability is silenced by this clause.
    Silenced(ClauseId),
    /// It would apply, but this clause sets it aside or beats it.
    Beaten(ClauseId),
    /// Its limit is used up.
    UsedUp,
}

/// A clause that was considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Considered {
    /// The clause.
    pub clause: ClauseId,
    /// Its holder, if it belongs to an ability.
    pub holder: Option<u16>,
    /// What became of it.
    pub fate: Fate,
    /// Its conditions with the values they saw, including those after the first that fails.
    pub conditions: Vec<Seen>,
    /// Of a clause of a number that applies, the number that it gives, adds, multiplies by or keeps to.
    pub number: Option<i32>,
}

impl Considered {
    /// A clause that applies without conditions worth showing.
    #[must_use]
    pub fn bare(clause: ClauseId) -> Considered {
        Considered { clause, holder: None, fate: Fate::Applies, conditions: Vec::new(), number: None }
    }
}

/// The value of an expression that somebody asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valuation {
    /// The value.
    pub value: SeenValue,
    /// If the expression is one definition, how its value was made.
    pub made: Option<Derived>,
    /// The definitions that were evaluated on the way, those that others use first.
    pub on_the_way: Vec<Derived>,
}

/// A definition that was evaluated on the way and whose general value a clause changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// `strength(Sam)`.
    pub what: Applied,
    /// Whether it is a value after the action.
    pub after: bool,
    /// `5`.
    pub value: SeenValue,
    /// The clauses that made the value: the one that gave it first.
    pub by: Vec<Considered>,
}

/// Where the rules ask for what is not asked for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The procedure.
    pub code: CodeId,
    /// Its step, if it has steps.
    pub step: Option<usize>,
    /// The clause that asks for it there, with its conditions as they are now.
    pub hook: Option<Considered>,
    /// Conditions of the statements around it that do not hold now.
    pub conditions: Vec<Seen>,
    /// Whether it is certain that it is not asked for now. A seat cannot always tell what another is asked.
    pub certain: bool,
}

impl Moment {
    /// The clause that does not ask for it now, because a condition of it fails, or it is silenced or used up.
    #[must_use]
    pub fn withheld(&self) -> Option<&Considered> {
        self.hook.as_ref().filter(|c| c.fate != Fate::Applies)
    }
}

/// A ruling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// Legal, illegal, undecided.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// The clauses that decide it: the permissions that apply, the prohibitions that stand, the obligation, the ones
    /// that conflict. With *no permission*, the prohibitions that also forbid it.
    pub deciding: Vec<Considered>,
    /// The clauses that lost: set aside, silenced, used up.
    pub overruled: Vec<Considered>,
    /// With *no permission*: the nearest misses, best first (most conditions met).
    pub misses: Vec<Considered>,
    /// The other clauses that were considered: a condition of each fails, so it does not apply.
    pub idle: Vec<Considered>,
    /// With *no such action*: the conditions of the action's `where` that fail. With an obligation: what it requires.
    pub conditions: Vec<Seen>,
    /// The text asked about, if it is not a choice here.
    pub written: Option<String>,
    /// Of what is not asked for now: where it is asked for.
    pub moment: Option<Moment>,
    /// Definitions on the way that some clause changed.
    pub derived: Vec<Derived>,
    /// With *conflict* and *gap*: the fault in words.
    pub fault: Option<Fault>,
    /// The readings on which the verdict depends.
    pub readings: Vec<ReadingEffect>,
    /// Whether it is limited to what the seat may know: what the seat does not see is left out.
    pub seen: bool,
}

impl Ruling {
    /// Whether what was judged is asked for now, of this seat.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.moment.is_none() && !matches!(self.reason, Reason::NotYourDecision(_) | Reason::GameOver)
    }

    /// A ruling for which no clause has been named yet.
    #[must_use]
    pub fn new(verdict: Verdict, reason: Reason) -> Ruling {
        Ruling {
            verdict,
            reason,
            deciding: Vec::new(),
            overruled: Vec::new(),
            misses: Vec::new(),
            idle: Vec::new(),
            conditions: Vec::new(),
            written: None,
            moment: None,
            derived: Vec::new(),
            fault: None,
            readings: Vec::new(),
            seen: false,
        }
    }
}
