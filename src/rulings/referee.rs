//! What a referee can be asked, beyond what every evaluator answers.

use crate::check;
use crate::engine::Engine;
use crate::explain::Explainer;
use crate::game::{Choice, Derived, Evaluator, Fault, ListRuling, Position, Ruling, Sensitivity, WhatIfs};
use crate::model::{BringId, ClauseId, KindId, SeenWhat, Value, VarId};

/// What a seat may or may not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Which member of its kind it is.
    Member(KindId, u16),
    /// The value of an entry of a variable or pile.
    Var(VarId, u16),
}

/// An evaluator that gives reasons. [`Explainer`] is the one, and an [`Engine`] has one beside it: it says itself what is so, and lets that one say why.
/// Casebooks, records and notation ask no more than this.
pub trait Referee: Evaluator {
    /// The ruling about a choice of a seat.
    fn judge(&self, position: &Position, seat: u16, choice: Choice) -> Ruling;

    /// The verdict under other readings: under all combinations of them, or, where more than `most` had to be judged for that, under each alternative by itself
    /// and each pair.
    fn sensitivity(&self, position: &Position, seat: u16, choice: Choice, most: usize) -> Sensitivity;

    /// The smallest changes of the position that make a choice legal, with at most `most` changed positions judged; with `seen` only what the seat sees is
    /// changed and looked at. `watch` is told how many were tried.
    fn what_ifs(
        &self,
        position: &Position,
        seat: u16,
        choice: Choice,
        limits: (usize, bool),
        watch: &mut dyn FnMut(usize),
    ) -> WhatIfs;

    /// All choices that could be meant at a position, legal or not.
    fn candidates(&self, position: &Position) -> Vec<Choice>;

    /// How a choice is written.
    fn say(&self, position: &Position, choice: Choice, lang: &str) -> String;

    /// How a choice is written for a seat: what it does not see stands there as `?`.
    fn say_seen(&self, position: &Position, seat: u16, choice: Choice, lang: &str) -> String;

    /// The value of an expression of the language, and what it was derived from.
    ///
    /// # Errors
    /// It is not an expression, or a fault of the rules; in words.
    fn ask(&self, position: &Position, expression: &str) -> Result<(Value, Vec<Derived>), String>;

    /// The `never`s that hold.
    ///
    /// # Errors
    /// A fault of the rules.
    fn nevers(&self, position: &Position) -> Result<Vec<ClauseId>, Fault>;

    /// Whether a seat sees something.
    ///
    /// # Errors
    /// A fault of the rules, in words.
    fn sees(&self, position: &Position, seat: u16, what: Sight) -> Result<bool, String>;

    /// The members that take what a seat brings, in order.
    ///
    /// # Errors
    /// A fault of the rules.
    fn takers(&self, bring: BringId, seat: u16) -> Result<Vec<u16>, Fault>;

    /// What is said of a list that a seat brings.
    ///
    /// # Errors
    /// A fault of the rules before any clause speaks.
    fn list_ruling(&self, bring: BringId, seat: u16, list: &[u16]) -> Result<ListRuling, Fault>;

    /// The explaining evaluator, for those who look further than one position; nothing where another one stands in for it.
    fn explainer(&self) -> Option<&Explainer> {
        None
    }

    /// The compiled evaluator, where it is this one.
    fn compiled(&self) -> Option<&Engine> {
        None
    }
}

/// What can say why.
trait Explains: Evaluator {
    fn explaining(&self) -> &Explainer;

    fn compiled(&self) -> Option<&Engine> {
        None
    }
}

impl Explains for Explainer {
    fn explaining(&self) -> &Explainer {
        self
    }
}

impl Explains for Engine {
    fn explaining(&self) -> &Explainer {
        self.explainer()
    }

    fn compiled(&self) -> Option<&Engine> {
        Some(self)
    }
}

impl<T: Explains> Referee for T {
    fn judge(&self, position: &Position, seat: u16, choice: Choice) -> Ruling {
        self.explaining().judge(position, seat, choice)
    }

    fn sensitivity(&self, position: &Position, seat: u16, choice: Choice, most: usize) -> Sensitivity {
        self.explaining().sensitivity(position, seat, choice, most)
    }

    fn what_ifs(
        &self,
        position: &Position,
        seat: u16,
        choice: Choice,
        limits: (usize, bool),
        watch: &mut dyn FnMut(usize),
    ) -> WhatIfs {
        self.explaining().what_ifs(position, seat, choice, limits, watch)
    }

    fn candidates(&self, position: &Position) -> Vec<Choice> {
        self.explaining().candidates(position)
    }

    fn say(&self, position: &Position, choice: Choice, lang: &str) -> String {
        self.explaining().say(position, choice, lang)
    }

    fn say_seen(&self, position: &Position, seat: u16, choice: Choice, lang: &str) -> String {
        self.explaining().say_seen(position, seat, choice, lang)
    }

    fn ask(&self, position: &Position, expression: &str) -> Result<(Value, Vec<Derived>), String> {
        let expr = check::expression(self.model(), expression)?;
        self.explaining().eval(position, &expr).map_err(|f| f.words(self.model()))
    }

    fn nevers(&self, position: &Position) -> Result<Vec<ClauseId>, Fault> {
        self.explaining().nevers(position)
    }

    fn sees(&self, position: &Position, seat: u16, what: Sight) -> Result<bool, String> {
        let (what, index) = match what {
            Sight::Member(kind, member) => (SeenWhat::Member(kind), member),
            Sight::Var(var, index) => (SeenWhat::Var(var), index),
        };
        self.explaining().sees(position, what, usize::from(index), seat).map_err(|f| f.words(self.model()))
    }

    fn takers(&self, bring: BringId, seat: u16) -> Result<Vec<u16>, Fault> {
        self.explaining().takers(bring, seat)
    }

    fn list_ruling(&self, bring: BringId, seat: u16, list: &[u16]) -> Result<ListRuling, Fault> {
        self.explaining().list_ruling(bring, seat, list)
    }

    fn explainer(&self) -> Option<&Explainer> {
        Some(self.explaining())
    }

    fn compiled(&self) -> Option<&Engine> {
        Explains::compiled(self)
    }
}

/// How the choice of a ruling is written for those who read the ruling.
pub(super) fn said(
    referee: &dyn Referee,
    position: &Position,
    (seat, choice): (u16, Choice),
    ruling: &Ruling,
    lang: &str,
) -> String {
    match ruling.seen {
        true => referee.say_seen(position, seat, choice, lang),
        false => referee.say(position, choice, lang),
    }
}
