//! What a seat means by a line, using only what the seat sees.

use super::inverse::Inverse;
use super::{Unread, elsewhere, written};
use crate::explain::Explainer;
use crate::game::{Choice, Evaluator as _, Meant, Position, Reason, Status};
use crate::model::ActionId;
use crate::spelling::nearest;

/// The maximum number of choices that are written out to find what a line may have meant.
const MAX_NAMED: usize = 20_000;

/// What a seat means at a position: one of its options as it reads them, or otherwise a choice that is not an option
/// (to be judged). If another seat decides, only actions are read, and what is asked at other moments. Two positions
/// that the seat cannot tell apart give the same answer.
///
/// # Errors
/// No choice is written so, or several are, or the text names something that the seat does not know.
pub fn read_seen(rules: &Explainer, position: &Position, seat: u16, text: &str) -> Result<Meant, Unread> {
    let decides = matches!(rules.status(position), Ok(Status::Decision(question)) if question.seat == seat);
    match decides {
        true => own(rules, position, seat, text),
        false => others(rules, position, seat, text),
    }
}

fn own(rules: &Explainer, position: &Position, seat: u16, text: &str) -> Result<Meant, Unread> {
    let langs = rules.languages();
    // If clauses conflict there is no list of options, but a single choice can still be ruled on.
    let (options, fault) = match rules.seen_options(position, seat, "") {
        Ok(options) => (options, None),
        Err(fault) => (Vec::new(), Some(fault)),
    };
    let inverse = Inverse::new(rules, position, Some(seat), langs, text);
    let first: Vec<Choice> = options.iter().filter_map(|o| o.choices.first().copied()).collect();
    let offered = |likely: &dyn Fn(Choice, usize) -> bool| {
        let each = langs.iter().enumerate().map(|(i, lang)| {
            let likely = (0..).zip(first.iter().copied()).filter(|(_, choice)| likely(*choice, i));
            let (places, choices): (Vec<usize>, Vec<Choice>) = likely.unzip();
            places.into_iter().zip(rules.say_each(position, seat, &choices, lang)).collect::<Vec<_>>()
        });
        each.flatten().collect::<Vec<_>>()
    };
    match written(&offered(&|choice, lang| inverse.may_be(choice, lang)), text).as_slice() {
        [one] => {
            if let Some(option) = options.get(*one) {
                return Ok(Meant::Option(option.clone()));
            }
        }
        [] => {}
        several => {
            let all = several.iter().filter_map(|i| options.get(*i)).map(|o| o.text.clone());
            return Err(Unread::Ambiguous(text.to_owned(), all.collect()));
        }
    }
    let candidates = rules.candidates_by(position, |id, found| inverse.add(id, found));
    let alike = written(&as_named(rules, position, seat, &candidates, langs), text);
    let known: Vec<Choice> =
        alike.iter().copied().filter(|c| !rules.is_about_the_unknown(position, seat, *c)).collect();
    if let Some(choice) = likeliest(rules, position, seat, &known) {
        return Ok(Meant::Other(choice));
    }
    if !alike.is_empty() {
        return Err(Unread::Unseen(text.to_owned()));
    }
    if let Some(fault) = fault {
        return Err(Unread::fault(&fault.outlined(), rules.model()));
    }
    if let Some(elsewhere) = elsewhere(rules, text) {
        return Err(elsewhere);
    }
    let mut candidates = rules.candidates(position);
    candidates.truncate(MAX_NAMED);
    let candidates = as_named(rules, position, seat, &candidates, &without_styles(langs));
    let all = offered(&|_, _| true);
    let all = all.iter().map(|(_, s)| s).chain(candidates.iter().map(|(_, s)| s));
    Err(Unread::Unknown(text.to_owned(), nearest(text, all.map(String::as_str), 3)))
}

fn others(rules: &Explainer, position: &Position, seat: u16, text: &str) -> Result<Meant, Unread> {
    let langs = rules.languages();
    let inverse = Inverse::new(rules, position, Some(seat), langs, text);
    let acts = |add: &dyn Fn(ActionId, &mut Vec<Choice>), most: usize| {
        let mut found = Vec::new();
        rules.action_ids().for_each(|id| add(id, &mut found));
        found.truncate(most);
        as_named(rules, position, seat, &found, langs)
    };
    match written(&acts(&|id, found| inverse.add(id, found), usize::MAX), text).first() {
        Some(choice) => Ok(Meant::Other(*choice)),
        None => {
            if let Some(elsewhere) = elsewhere(rules, text) {
                return Err(elsewhere);
            }
            let acts = acts(&|id, found| rules.all_actions(id, found), MAX_NAMED);
            let near = nearest(text, acts.iter().map(|(_, s)| s.as_str()), 3);
            Err(Unread::NotYours(text.to_owned(), near))
        }
    }
}

/// The languages alone: what is not legal is many choices, and styles may be slow.
fn without_styles(langs: &[String]) -> Vec<String> {
    langs.iter().filter(|lang| !lang.contains('+')).cloned().collect()
}

/// How choices are written in each language by a seat that may name what it does not know.
fn as_named(
    rules: &Explainer,
    position: &Position,
    seat: u16,
    choices: &[Choice],
    langs: &[String],
) -> Vec<(Choice, String)> {
    let in_one = |lang: &String| choices.iter().copied().zip(rules.say_named(position, seat, choices, lang));
    langs.iter().flat_map(|lang| in_one(lang).collect::<Vec<_>>()).collect()
}

/// Of choices that are written alike and are not options, the first one, as far as the seat can tell.
fn likeliest(rules: &Explainer, position: &Position, seat: u16, alike: &[Choice]) -> Option<Choice> {
    let exists = |c: &&Choice| rules.judge_seen(position, seat, **c).reason != Reason::NoSuchAction;
    match alike {
        [_, _, ..] => alike.iter().find(exists).or(alike.first()).copied(),
        _ => alike.first().copied(),
    }
}
