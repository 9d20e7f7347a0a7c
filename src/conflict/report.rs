//! The results of the search, as diagnostics and in words.

use super::{Answer, Apart, Example, Pair, Subject};
use crate::check::Diagnostic;
use crate::explain::conflict::Conflict;
use crate::lexicon::{Lexicon, fill};
use crate::model::{ClauseId, Model};
use crate::span::Span;

/// The maximum number of facts told of an example.
const MAX_FACTS: usize = 12;

/// A warning for each pair that can conflict.
#[must_use]
pub fn diagnostics(model: &Model, found: &[(Pair, Answer)]) -> Vec<Diagnostic> {
    let conflict = |(pair, answer): &(Pair, Answer)| match answer {
        Answer::Conflict(example) => Some(diagnostic(model, pair, example)),
        Answer::Apart(_) | Answer::Open(_) => None,
    };
    found.iter().filter_map(conflict).collect()
}

/// The warning about a pair that can conflict.
#[must_use]
pub fn diagnostic(model: &Model, pair: &Pair, example: &Example) -> Diagnostic {
    let at = |clause: ClauseId| model.clause(clause).map_or_else(Span::default, |c| head(model, c.span));
    let message = match pair.subject {
        Subject::Def(def) => {
            let name = model.defs.get(def.i()).map_or("?", |d| &d.name);
            format!("two clauses on `{name}` can apply together and disagree")
        }
        Subject::Ends => String::from("the game can end in two ways at once"),
        Subject::Action(_) => String::from("two obligations can ask for what cannot be done together"),
        Subject::Step(_) if matches!(example.conflict, Conflict::Replacing(..)) => {
            String::from("two clauses can replace the same step at once")
        }
        Subject::Step(_) => String::from("two clauses can apply at one place, and their order makes a difference"),
    };
    let mut warning = Diagnostic::warning(super::CODE, message, at(pair.b), label(model, pair, example, 1));
    if pair.a != pair.b {
        warning = warning.and(at(pair.a), label(model, pair, example, 0));
    }
    let advice = match pair.subject {
        Subject::Def(_) => "say which one wins: `exception to \"LABEL\"` or `ranks above \"LABEL\"`",
        Subject::Ends => "say which one wins: `ranks above \"LABEL\"`",
        Subject::Action(_) => "let the condition of one exclude the other",
        Subject::Step(_) => "let their conditions exclude each other, or give the step an `order` of seats",
    };
    warning.help(format!("for example {}; {advice}", where_it_is(&Lexicon::new(model, ""), example)))
}

/// What one side gives, if it can be put shortly.
fn label(model: &Model, pair: &Pair, example: &Example, side: usize) -> String {
    let holder = example.conflict.sides(model).get(side).and_then(|s| {
        let ability = model.clause(s.clause)?.ability.and_then(|a| model.abilities.get(a.i()))?;
        model.kinds.get(ability.kind.i())?.members.get(usize::from(s.holder?)).map(|m| m.id.clone())
    });
    let words = match (pair.subject, pair.a == pair.b) {
        (_, true) => String::from("this applies twice"),
        (Subject::Def(_) | Subject::Ends, _) => String::from("this applies"),
        (Subject::Action(_), _) => String::from("this is in force"),
        (Subject::Step(_), _) => String::from("this happens"),
    };
    match holder.filter(|_| pair.a != pair.b) {
        Some(holder) => format!("{words}, by {holder}"),
        None => words,
    }
}

/// An example in a line: the result, and where.
#[must_use]
pub fn where_it_is(lexicon: &Lexicon, example: &Example) -> String {
    let words = &lexicon.words.pairs;
    let mut facts = example.facts(lexicon);
    let more = facts.len().saturating_sub(MAX_FACTS);
    facts.truncate(MAX_FACTS);
    if more > 0 {
        facts.push(fill(words.more, &[&more.to_string()]));
    }
    let facts = match facts.is_empty() {
        true => words.anywhere.to_owned(),
        false => fill(words.at, &[&facts.join(lexicon.words.comma)]),
    };
    match &example.conflict {
        Conflict::Values(..) => format!("{} {facts}", lexicon.fault_detail(&example.fault.detail, example.fault.span)),
        _ => facts,
    }
}

/// An answer in words: `apart: ...`, `can conflict: ...`, `not decided`.
#[must_use]
pub fn words(lexicon: &Lexicon, answer: &Answer) -> String {
    let words = &lexicon.words.pairs;
    let titles = |all: &mut dyn Iterator<Item = &ClauseId>| {
        let all: Vec<String> = all.map(|c| lexicon.clause(*c)).collect();
        all.join(lexicon.words.comma)
    };
    match answer {
        Answer::Apart(Apart::Ranked(by)) => fill(words.ranked, &[&lexicon.clause(*by)]),
        Answer::Apart(Apart::Agree) => words.agree.to_owned(),
        Answer::Apart(Apart::Members) => words.members.to_owned(),
        Answer::Apart(Apart::Independent) => words.independent.to_owned(),
        Answer::Apart(Apart::EndingChecks) => words.ending_checks.to_owned(),
        Answer::Apart(Apart::Conditions) => words.conditions.to_owned(),
        Answer::Apart(Apart::Tried) => words.tried.to_owned(),
        Answer::Apart(Apart::Never(all)) => fill(words.nevers, &[&titles(&mut all.iter())]),
        Answer::Conflict(example) => fill(words.can, &[&where_it_is(lexicon, example)]),
        Answer::Open(None) => words.open.to_owned(),
        Answer::Open(Some(example)) => {
            fill(words.only_where, &[&titles(&mut example.nevers.iter()), &where_it_is(lexicon, example)])
        }
    }
}

/// The head of a declaration: its first line, without the block.
fn head(model: &Model, span: Span) -> Span {
    let text = model.sources.text(span);
    let end = text.find(['{', '\n']).unwrap_or(text.len());
    let end = text.get(..end).map_or(0, |t| t.trim_end().len());
    Span { end: span.start + end as u32, ..span }
}
