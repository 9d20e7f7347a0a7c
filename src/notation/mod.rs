//! Reads choices from text.

mod inverse;
mod names;
mod patterns;
mod seen;

use inverse::Inverse;
pub use patterns::Patterns;
pub use seen::read_seen;

use std::collections::HashSet;

use crate::explain::{Explainer, Notations};
pub use crate::game::Unread;
use crate::game::{Choice, Elsewhere, Evaluator as _, Fault, Position, Reason, Status};
use crate::spelling::{bare, fold, nearest};

/// A text that somebody who sees all wrote at a position.
struct Typed<'a> {
    text: &'a str,
    inverse: Inverse<'a>,
    /// How choices are written in each of the languages, the usual notation first.
    notations: Vec<Notations<'a>>,
}

impl<'a> Typed<'a> {
    /// In the languages of the game, where these are the options.
    fn new(referee: &'a Explainer, position: &'a Position, options: &'a [Choice], text: &'a str) -> Typed<'a> {
        let langs = referee.languages();
        let notations = langs.iter().map(|lang| referee.notations(position, lang).among(options)).collect();
        Typed { text, inverse: Inverse::new(referee, position, None, langs, text), notations }
    }

    /// The choices among some that are written like it.
    fn matching(&self, choices: &[Choice]) -> Vec<Choice> {
        let mut said = Vec::new();
        for choice in choices {
            let likely = (0..).zip(&self.notations).filter(|(i, _)| self.inverse.may_be(*choice, *i));
            said.extend(likely.map(|(_, notations)| (*choice, notations.of(*choice))));
        }
        written(&said, self.text)
    }

    /// How choices are written, in the usual notation.
    fn usual(&self, choices: &[Choice]) -> Vec<String> {
        self.notations.first().map_or_else(Vec::new, |notations| notations.each(choices))
    }
}

/// The choices that are written like the text: exactly, or otherwise ignoring case and space, or otherwise ignoring
/// punctuation.
fn written<T: Copy + Ord>(said: &[(T, String)], text: &str) -> Vec<T> {
    let ways: [&dyn Fn(&str) -> String; 3] = [&|t| t.trim().to_owned(), &fold, &bare];
    for way in ways {
        let wanted = way(text);
        if wanted.is_empty() {
            continue;
        }
        let mut found: Vec<T> = said.iter().filter(|(_, s)| way(s) == wanted).map(|(c, _)| *c).collect();
        found.sort();
        found.dedup();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Of choices that are written alike and are not options, the first one that there is for a seat, or else the first.
fn likeliest(referee: &Explainer, position: &Position, alike: &[Choice]) -> Option<Choice> {
    let seat = match referee.status(position) {
        Ok(Status::Decision(question)) => Some(question.seat),
        _ => None,
    };
    let exists = |c: &&Choice| match seat {
        Some(seat) => referee.judge(position, seat, **c).reason != Reason::NoSuchAction,
        None => referee.is_of_some_seat(position, **c),
    };
    let found = if alike.len() > 1 { alike.iter().find(exists) } else { None };
    found.or(alike.first()).copied()
}

/// Whether some choices are outcomes of chance that all lead to one position.
fn is_one_outcome(referee: &Explainer, position: &Position, alike: &[Choice]) -> bool {
    matches!(referee.status(position), Ok(Status::Chance(_))) && leads_to_one(referee, position, alike)
}

/// Whether some choices all lead to one position.
fn leads_to_one(referee: &Explainer, position: &Position, alike: &[Choice]) -> bool {
    let after = |choice: &Choice| {
        let mut after = position.clone();
        referee.apply(&mut after, *choice).ok().map(|()| after)
    };
    let mut led = alike.iter().map(after);
    led.next().flatten().is_some_and(|first| led.all(|other| other.as_ref() == Some(&first)))
}

/// The options that are written like a text: several, if a notation does not tell them apart.
#[must_use]
pub fn alike(referee: &Explainer, position: &Position, options: &[Choice], text: &str) -> Vec<Choice> {
    Typed::new(referee, position, options, text).matching(options)
}

/// The number, from 1, of an option among those that are written like it, where these lead to different positions;
/// `None` if it alone is written so, or if it makes no difference which is meant.
#[must_use]
pub fn number_among_alike(
    referee: &Explainer,
    position: &Position,
    options: &[Choice],
    choice: Choice,
) -> Option<usize> {
    let alike = alike(referee, position, options, &referee.say(position, choice, ""));
    let place = alike.iter().position(|other| *other == choice)?;
    (alike.len() > 1 && !leads_to_one(referee, position, &alike)).then_some(place + 1)
}

/// A text with the number of the option that is meant, as in `Block #2`: both parts.
fn numbered(text: &str) -> Option<(&str, usize)> {
    let (text, number) = text.rsplit_once(" #")?;
    Some((text, number.parse().ok()?))
}

/// The option that a text with a number means: that one of those that are written alike.
///
/// # Errors
/// Several are written alike, and none of them has this number.
fn by_number(
    referee: &Explainer,
    position: &Position,
    options: &[Choice],
    text: &str,
) -> Result<Option<Choice>, Unread> {
    let Some((name, number)) = numbered(text) else { return Ok(None) };
    let alike = alike(referee, position, options, name);
    match number.checked_sub(1).and_then(|at| alike.get(at)) {
        None if alike.len() > 1 => {
            let said = referee.notations(position, "").among(options).each(&alike);
            Err(Unread::Ambiguous(text.to_owned(), told_apart(&said)))
        }
        found => Ok(found.copied()),
    }
}

/// Options as they are written, those that are written alike with their numbers.
fn told_apart(said: &[String]) -> Vec<String> {
    let alike = |these: &[String], text: &String| these.iter().filter(|other| *other == text).count();
    let each = said.iter().enumerate().map(|(at, text)| match alike(said, text) {
        1 => text.clone(),
        _ => format!("{text} #{}", alike(said.get(..=at).unwrap_or(said), text)),
    });
    each.collect()
}

/// The choice that a text means at a position with these options: the one that is written exactly so, or else what
/// [`read`] finds.
///
/// # Errors
/// No choice is written so, or several are.
pub fn option(referee: &Explainer, position: &Position, options: &[Choice], text: &str) -> Result<Choice, Unread> {
    // No need to look at illegal choices.
    let notations = referee.notations(position, "").among(options);
    let mut exact = options.iter().filter(|c| notations.of(**c) == text);
    match (exact.next(), exact.next()) {
        (Some(choice), None) if !bare(text).is_empty() => Ok(*choice),
        _ => read_among(referee, position, Ok(options), text),
    }
}

/// The choice that a text means at a position: one of the options, or else one that is not legal (to be judged).
///
/// # Errors
/// No choice is written so, or several are.
pub fn read(referee: &Explainer, position: &Position, text: &str) -> Result<Choice, Unread> {
    read_among(referee, position, referee.options(position).as_deref(), text)
}

/// The same, given the options, or the fault that prevents listing them.
///
/// # Errors
/// No choice is written so, or several are.
pub fn read_among(
    referee: &Explainer,
    position: &Position,
    options: Result<&[Choice], &Fault>,
    text: &str,
) -> Result<Choice, Unread> {
    // If clauses conflict there is no list of options, but a single choice can still be ruled on.
    let (options, fault) = match options {
        Ok(options) => (options, None),
        Err(fault) => (&[][..], Some(fault)),
    };
    let typed = Typed::new(referee, position, options, text);
    let legal = typed.matching(options);
    match legal.as_slice() {
        [choice] => return Ok(*choice),
        [] => {}
        [first, ..] if is_one_outcome(referee, position, &legal) => return Ok(*first),
        several => {
            return Err(Unread::Ambiguous(text.to_owned(), told_apart(&typed.usual(several))));
        }
    }
    if let Some(choice) = by_number(referee, position, options, text)? {
        return Ok(choice);
    }
    if let Some(choice) = exactly(referee, position, options, text) {
        return Ok(choice);
    }
    let alike = referee.candidates_by(position, |id, found| typed.inverse.add(id, found));
    if let Some(choice) = likeliest(referee, position, &typed.matching(&alike)) {
        return Ok(choice);
    }
    if let Some(fault) = fault {
        return Err(Unread::fault(fault, referee.model()));
    }
    let others = referee.other_actions(position, |id, found| typed.inverse.add(id, found));
    if let Some(choice) = likeliest(referee, position, &typed.matching(&others)) {
        return Ok(choice);
    }
    if let Some(elsewhere) = elsewhere(referee, text) {
        return Err(elsewhere);
    }
    let said = |choices: &[Choice], styles: bool| -> Vec<String> {
        let langs = referee.languages().iter().zip(&typed.notations);
        let wanted: Vec<&Notations> =
            langs.filter(|(lang, _)| styles || !lang.contains('+')).map(|(_, notations)| notations).collect();
        choices.iter().flat_map(|c| wanted.iter().map(move |notations| notations.of(*c))).collect()
    };
    let mut near = suggestions(text, &said(options, true), false);
    if near.is_empty() {
        // What is not legal is many choices, and styles may be slow.
        near = suggestions(text, &said(&referee.candidates(position), false), true);
    }
    Err(Unread::Unknown(text.to_owned(), near))
}

/// What is not legal, and written exactly like the text in the game's own notation. Other styles may have to ask what
/// is legal of each choice that they could mean.
fn exactly(referee: &Explainer, position: &Position, options: &[Choice], text: &str) -> Option<Choice> {
    let own = [String::new()];
    let inverse = Inverse::new(referee, position, None, &own, text);
    let mut found = referee.candidates_by(position, |id, found| inverse.add(id, found));
    let notations = referee.notations(position, "").among(options);
    found.retain(|choice| notations.of(*choice) == text);
    likeliest(referee, position, &found)
}

/// That a text is what is asked at other moments, if it is.
fn elsewhere(referee: &Explainer, text: &str) -> Option<Unread> {
    let places = referee.decisions_among(Patterns::new(referee.model()).questions(text));
    (!places.is_empty()).then(|| Unread::Elsewhere(Elsewhere { text: text.to_owned(), places }))
}

/// The maximum number of notations that are suggested.
const MAX_SUGGESTIONS: usize = 3;

/// Of some notations those that a text begins, or else those that are like it. With `few`, none where it begins more
/// than are suggested.
fn suggestions(text: &str, said: &[String], few: bool) -> Vec<String> {
    let typed = fold(text);
    // Copies that are called alike are written alike.
    let mut found = HashSet::new();
    let said: Vec<&String> = said.iter().filter(|one| found.insert(one.as_str())).collect();
    let long_enough = typed.chars().nth(2).is_some();
    let begun = said.iter().filter(|one| long_enough && fold(one).starts_with(&typed));
    let mut begun: Vec<String> = begun.take(MAX_SUGGESTIONS + 1).map(|one| one.to_string()).collect();
    if few && begun.len() > MAX_SUGGESTIONS {
        return Vec::new();
    }
    begun.truncate(MAX_SUGGESTIONS);
    match begun.is_empty() {
        true => nearest(text, said.into_iter().map(String::as_str), MAX_SUGGESTIONS),
        false => begun,
    }
}
