//! The game that shows a difference, as records.

use super::{Difference, Fork, Side};
use crate::game::{Choice, Evaluator as _, Fault, Position, Status};
use crate::record::{self, Record};

/// The game up to where two sets of rules differ, under each of them, and one ply more: an option that only these rules
/// have, if there is one.
///
/// # Errors
/// A fault of the rules.
pub fn records_of(fork: &Fork, sides: [&Side; 2], lang: &str) -> Result<[Record; 2], Fault> {
    let own = match &fork.difference {
        Difference::Options(gone, come) => [gone.first(), come.first()],
        Difference::Standing(..) => [None, None],
    };
    Ok([one(fork, sides[0], own[0], lang)?, one(fork, sides[1], own[1], lang)?])
}

fn one(fork: &Fork, side: &Side, own: Option<&String>, lang: &str) -> Result<Record, Fault> {
    let rules = &side.rules;
    let mut record = Record { settings: rules.settings().clone(), rules: Some(rules.digest()), ..Record::default() };
    let mut position = rules.evaluators().start()?;
    for (_, text) in &fork.plies {
        let Some(choice) = option(side, &position, text, lang)? else { return Ok(record) };
        make(side, &mut record, &mut position, choice)?;
    }
    let last = match own {
        Some(text) => option(side, &position, text, lang)?,
        None => rules.evaluators().options(&position)?.first().copied(),
    };
    let over = |position: &Position| match rules.evaluators().status(position) {
        Ok(Status::Over(outcome)) => Some(outcome),
        _ => None,
    };
    if let (None, Some(choice)) = (over(&position), last) {
        make(side, &mut record, &mut position, choice)?;
    }
    let outcome = over(&position);
    record.result = outcome.map(|outcome| record::result_of(rules.model(), Some(&outcome)));
    Ok(record)
}

/// The option that is written so.
fn option(side: &Side, position: &Position, text: &str, lang: &str) -> Result<Option<Choice>, Fault> {
    let explainer = side.rules.explainer();
    let options = side.rules.evaluators().options(position)?;
    let notations = explainer.notations(position, lang).among(&options);
    Ok(options.iter().find(|choice| notations.of(**choice) == text).copied())
}

fn make(side: &Side, record: &mut Record, position: &mut Position, choice: Choice) -> Result<(), Fault> {
    record.plies.push(record::ply((side.rules.evaluators(), side.rules.explainer()), position, choice));
    side.rules.evaluators().apply(position, choice)
}
