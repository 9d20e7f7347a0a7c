//! Questions about a position: an expression of the language, or how the game has ended.

use crate::check::{self, ExpressionError};
use crate::explain::Explainer;
use crate::facts::seat_named;
use crate::game::{Evaluator as _, Fault, Outcome, Position, Status};
use crate::lexicon::{Lexicon, fill};
use crate::model::{Base, Expr, Set, Value};

/// A question, prepared for evaluation at many positions.
#[derive(Clone, Debug)]
pub struct Query {
    rules: Explainer,
    text: String,
    /// If there are several, all must hold.
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Expr(Expr),
    Over(bool),
    Wins(u16),
    Loses(u16),
    Draw,
    Winner,
    Ending,
    Score(u16),
}

/// Why a text is not a question, or not a condition.
#[derive(Clone, Debug, thiserror::Error)]
pub enum QueryError {
    /// It is neither an expression nor one of [`FORMS`].
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// It joins questions, and the answer to one of them is not yes or no.
    #[error("`{0}` joins something that is not yes or no")]
    NotTruths(String),
    /// Its answer is something else than yes or no.
    #[error("`{0}` is not a condition: compare it with something")]
    NotACondition(String),
}

/// The forms that are not expressions, for advice.
pub const FORMS: &str =
    "an expression of the language, `SEAT wins`, `SEAT loses`, `draw`, `over`, `winner`, `ending`, `score of SEAT`";

impl Query {
    /// Reads a question: an expression, or one of [`FORMS`]; truths may be joined by `and`.
    ///
    /// # Errors
    /// The text is neither.
    pub fn new(rules: &Explainer, text: &str) -> Result<Query, QueryError> {
        let query = |parts| Query { rules: rules.clone(), text: text.trim().to_owned(), parts };
        let whole = check::expression(rules.model(), text);
        let wrong = match whole {
            Ok(expr) => return Ok(query(vec![Part::Expr(expr)])),
            Err(wrong) => wrong,
        };
        if let Some(part) = special(rules, text) {
            return Ok(query(vec![part]));
        }
        let mut parts = Vec::new();
        let mut open: Vec<&str> = Vec::new();
        for piece in text.split(" and ") {
            match special(rules, piece) {
                Some(part) => {
                    parts.extend(joined(rules, &mut open)?);
                    parts.push(part);
                }
                None => open.push(piece),
            }
        }
        if parts.is_empty() {
            return Err(wrong.into());
        }
        parts.extend(joined(rules, &mut open)?);
        let joined = query(parts);
        match joined.parts.iter().all(Part::is_truth) {
            true => Ok(joined),
            false => Err(QueryError::NotTruths(joined.text)),
        }
    }

    /// Reads a yes-or-no question.
    ///
    /// # Errors
    /// The text is not a question, or its answer is something else.
    pub fn condition(rules: &Explainer, text: &str) -> Result<Query, QueryError> {
        let query = Query::new(rules, text)?;
        match query.is_truth() {
            true => Ok(query),
            false => Err(QueryError::NotACondition(query.text)),
        }
    }

    /// The expressions of the language in it.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.parts.iter().filter_map(|part| match part {
            Part::Expr(e) => Some(e),
            _ => None,
        })
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the answer is yes or no.
    #[must_use]
    pub fn is_truth(&self) -> bool {
        self.parts.iter().all(Part::is_truth)
    }

    /// Whether the answer is a number (or yes and no, which count 1 and 0), so that it has a mean.
    #[must_use]
    pub fn is_number(&self) -> bool {
        let number = |p: &Part| match p {
            Part::Expr(e) => matches!(e.ty.base, Base::Int | Base::Range(..)),
            Part::Score(_) => true,
            _ => false,
        };
        self.is_truth() || self.parts.iter().all(number)
    }

    /// The answer at a position.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn value(&self, position: &Position) -> Result<Value, Fault> {
        if let [part] = self.parts.as_slice() {
            let value = self.part(part, position)?;
            // For a truth value, nothing means no.
            return Ok(if part.is_truth() { Value::bool(value.truth()) } else { value });
        }
        for part in &self.parts {
            if !self.part(part, position)?.truth() {
                return Ok(Value::bool(false));
            }
        }
        Ok(Value::bool(true))
    }

    /// Whether the answer is yes.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn holds(&self, position: &Position) -> Result<bool, Fault> {
        Ok(self.value(position)?.truth())
    }

    /// An answer in words.
    #[must_use]
    pub fn words(&self, value: &Value, lexicon: &Lexicon) -> String {
        match self.parts.as_slice() {
            [Part::Expr(expr)] => lexicon.known(&expr.ty.base, value),
            [Part::Winner] => winners(value, lexicon),
            [Part::Ending] => ending(value, lexicon),
            [Part::Score(_)] => lexicon.known(&Base::Int, value),
            _ => lexicon.known(&Base::Bool, value),
        }
    }

    /// Whether answers are texts of which the order of the words is the natural one.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.parts.as_slice(), [Part::Winner | Part::Ending])
    }

    fn part(&self, part: &Part, position: &Position) -> Result<Value, Fault> {
        if let Part::Expr(expr) = part {
            return self.rules.value(position, expr);
        }
        let outcome = match position.ending(self.rules.model()) {
            None => None,
            Some(_) => match self.rules.status(position)? {
                Status::Over(outcome) => Some(outcome),
                _ => None,
            },
        };
        let is = |f: &dyn Fn(&Outcome) -> bool| Value::bool(outcome.as_ref().is_some_and(f));
        Ok(match part {
            Part::Expr(_) => Value::None,
            Part::Over(wanted) => Value::bool(outcome.is_some() == *wanted),
            Part::Wins(seat) => is(&|o| o.winners.contains(seat)),
            Part::Loses(seat) => is(&|o| !o.winners.is_empty() && !o.winners.contains(seat)),
            Part::Draw => is(&|o| o.winners.is_empty()),
            Part::Winner => outcome.as_ref().map_or(Value::None, |o| Value::Set(set(&o.winners))),
            Part::Ending => outcome.as_ref().map_or(Value::None, |o| {
                let ending = u16::try_from(o.ending).unwrap_or(u16::MAX);
                Value::List(std::iter::once(ending).chain(o.winners.iter().copied()).collect())
            }),
            Part::Score(seat) => match outcome {
                Some(o) => o.scores.get(usize::from(*seat)).map_or(Value::None, |n| Value::Int(*n)),
                None => Value::None,
            },
        })
    }
}

fn set(seats: &[u16]) -> Set {
    seats.iter().map(|seat| usize::from(*seat)).collect()
}

/// The winners, as [`Query::value`] gives them; nothing while the game goes on.
fn winners(value: &Value, lexicon: &Lexicon) -> String {
    match value {
        Value::Set(seats) => {
            names(seats.iter().map(|seat| seat as u16), lexicon).unwrap_or_else(|| lexicon.words.play.draw.to_owned())
        }
        _ => lexicon.words.odds.not_over.to_owned(),
    }
}

/// The ending and the winners, as [`Query::value`] gives them; nothing while the game goes on.
fn ending(value: &Value, lexicon: &Lexicon) -> String {
    let (words, play) = (lexicon.words, &lexicon.words.play);
    let Value::List(items) = value else { return words.odds.not_over.to_owned() };
    let Some((ending, seats)) = items.split_first() else { return words.odds.not_over.to_owned() };
    let who = match names(seats.iter().copied(), lexicon) {
        Some(names) => fill(play.wins, &[&names]),
        None => play.draw.to_owned(),
    };
    let label = lexicon.model.ends.get(usize::from(*ending)).map_or_else(String::new, |e| lexicon.label(e.clause));
    if label.is_empty() { who } else { fill(play.because, &[&who, &label]) }
}

fn names(seats: impl Iterator<Item = u16>, lexicon: &Lexicon) -> Option<String> {
    let names: Vec<String> = seats.map(|seat| lexicon.unique_seat(seat)).collect();
    (!names.is_empty()).then(|| names.join(lexicon.words.comma))
}

impl Part {
    fn is_truth(&self) -> bool {
        match self {
            Part::Expr(e) => e.ty.base == Base::Bool,
            Part::Over(_) | Part::Wins(_) | Part::Loses(_) | Part::Draw => true,
            Part::Winner | Part::Ending | Part::Score(_) => false,
        }
    }
}

/// The expression between two parts that are none.
fn joined(rules: &Explainer, open: &mut Vec<&str>) -> Result<Option<Part>, QueryError> {
    let text = std::mem::take(open).join(" and ");
    match text.trim().is_empty() {
        true => Ok(None),
        false => Ok(Some(Part::Expr(check::expression(rules.model(), &text)?))),
    }
}

/// The question about the end of the game that a text asks, if it is one.
fn special(rules: &Explainer, text: &str) -> Option<Part> {
    let text = text.trim();
    let seat = |name: &str| seat_named(rules.model(), name.trim());
    match text {
        "over" => Some(Part::Over(true)),
        "not over" => Some(Part::Over(false)),
        "draw" => Some(Part::Draw),
        "winner" => Some(Part::Winner),
        "ending" => Some(Part::Ending),
        _ => {
            let wins = text.strip_suffix(" wins").and_then(seat).map(Part::Wins);
            let loses = || text.strip_suffix(" loses").and_then(seat).map(Part::Loses);
            let score = || text.strip_prefix("score of ").and_then(seat).map(Part::Score);
            wins.or_else(loses).or_else(score)
        }
    }
}
