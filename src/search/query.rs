//! Questions about a position: an expression of the language, or how the game has ended.

use crate::check;
use crate::explain::Explainer;
use crate::facts::{seat_named, unique_name};
use crate::game::{Evaluator as _, Fault, Outcome, Position, Status};
use crate::model::{Base, Expr, PLAYER, Value};

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

/// The forms that are no expressions, for advice.
pub const FORMS: &str =
    "an expression of the language, `SEAT wins`, `SEAT loses`, `draw`, `over`, `winner`, `ending`, `score of SEAT`";

impl Query {
    /// Reads a question: an expression, or one of [`FORMS`]; truths may be joined by `and`.
    ///
    /// # Errors
    /// The text is neither; in words.
    pub fn new(rules: &Explainer, text: &str) -> Result<Query, String> {
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
            false => Err(format!("`{}` joins something that is not yes or no", joined.text)),
        }
    }

    /// Reads a yes-or-no question.
    ///
    /// # Errors
    /// The text is not a question, or its answer is something else.
    pub fn condition(rules: &Explainer, text: &str) -> Result<Query, String> {
        let query = Query::new(rules, text)?;
        match query.is_truth() {
            true => Ok(query),
            false => Err(format!("`{}` is not a condition: compare it with something", query.text)),
        }
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
    pub fn words(&self, value: &Value, lang: &str) -> String {
        match self.parts.as_slice() {
            [Part::Expr(expr)] => self.rules.value_text(&expr.ty.base, value, lang),
            [Part::Winner | Part::Ending | Part::Score(_)] => self.rules.value_text(&Base::Int, value, lang),
            _ => self.rules.value_text(&Base::Bool, value, lang),
        }
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
            Part::Winner => Value::Text(outcome.as_ref().map_or_else(not_over, |o| self.winners(o))),
            Part::Ending => Value::Text(outcome.as_ref().map_or_else(not_over, |o| self.ending(o))),
            Part::Score(seat) => match outcome {
                Some(o) => o.scores.get(usize::from(*seat)).map_or(Value::None, |n| Value::Int(*n)),
                None => Value::None,
            },
        })
    }

    fn winners(&self, outcome: &Outcome) -> String {
        let names: Vec<String> = outcome.winners.iter().map(|s| unique_name(self.rules.model(), PLAYER, *s)).collect();
        if names.is_empty() { String::from("draw") } else { names.join(", ") }
    }

    fn ending(&self, outcome: &Outcome) -> String {
        let model = self.rules.model();
        let label = model.ends.get(outcome.ending).and_then(|e| model.clause(e.clause)).map(|c| c.label.text.as_str());
        let who = match outcome.winners.is_empty() {
            true => String::from("draw"),
            false => format!("{} wins", self.winners(outcome)),
        };
        match label {
            Some(label) if !label.is_empty() => format!("{who}: {label}"),
            _ => who,
        }
    }
}

fn not_over() -> String {
    String::from("not over")
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
fn joined(rules: &Explainer, open: &mut Vec<&str>) -> Result<Option<Part>, String> {
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
