//! Lines of a case in which a word is nearly right.

use crate::facts::parse::{Rule, parse as grammar};
use crate::spelling::closest;

/// The words that begin a part of a case, each alone on its line or first in it.
const PARTS: [&str; 4] = ["case", "given", "when", "then"];

/// The words by which an expectation is known for what it is.
const EXPECTATIONS: [&str; 23] = [
    "legal",
    "illegal",
    "undecided",
    "holds",
    "may",
    "not",
    "only",
    "decide",
    "chance",
    "odds",
    "mean",
    "forced",
    "wins",
    "draw",
    "score",
    "sees",
    "see",
    "overruled",
    "depends",
    "asks",
    "ask",
    "because",
    "does",
];

/// The part of a case that a line of one word was probably meant to begin.
pub(super) fn part(line: &str) -> Option<&'static str> {
    let mut words = line.split("//").next().unwrap_or("").split_whitespace();
    let (word, None) = (words.next()?, words.next()) else {
        return None;
    };
    let small = word.to_lowercase();
    if let Some(part) = PARTS.into_iter().find(|part| *part == small) {
        return (part != word).then_some(part);
    }
    // Words that begin otherwise may be phrases of the game.
    closest(&small, PARTS).filter(|part| part.chars().next() == small.chars().next())
}

/// An expectation as it was probably meant: the same with one word spelt right.
pub(super) fn expectation(text: &str) -> Option<String> {
    let bare = text.split('"').next().unwrap_or("");
    let words = bare.split(' ').scan(0, |at, word| {
        let start = *at;
        *at += word.len() + 1;
        Some((start, word))
    });
    let spelt = words.filter_map(|(at, word)| {
        let meant = closest(word, EXPECTATIONS)?;
        Some(format!("{}{meant}{}", text.get(..at)?, text.get(at + word.len()..)?))
    });
    spelt.take(MAX_TRIES).find(|text| {
        let form = grammar(Rule::assertion, text, 1, 1).ok().and_then(|mut pairs| pairs.next());
        form.is_some_and(|form| form.as_rule() != Rule::fact)
    })
}

/// The maximum number of words that are tried.
const MAX_TRIES: usize = 20;
