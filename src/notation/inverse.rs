//! From a text to the actions that may be written like it, without writing out all of them.
//!
//! What is found is a little more than what is written so: letters and digits are compared and nothing else. The caller
//! has each one written, and compares it whole.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::explain::{Explainer, NotationPart};
use crate::game::{Args, Choice, Evaluator as _, Position};
use crate::model::{ActionId, MAX_ARGS};
use crate::spelling::letters;

/// The maximum number of steps of a search; then all actions are candidates.
const MAX_STEPS: usize = 200_000;

/// The maximum number of actions that are found in a search; beyond it all are candidates.
const MAX_FOUND: usize = 20_000;

/// The parts of a style of notation.
type Parts = Rc<[Part]>;

/// Looks for actions that may be written like a text.
pub(super) struct Inverse<'a> {
    rules: &'a Explainer,
    position: &'a Position,
    /// Who writes; `None` for the referee.
    seat: Option<u16>,
    langs: &'a [String],
    /// The letters and digits of the text.
    text: String,
    /// The parts of the notations that were asked for, by action and place of the language.
    parts: RefCell<BTreeMap<(ActionId, usize), Parts>>,
}

impl<'a> Inverse<'a> {
    /// For a text that somebody wrote at a position.
    pub fn new(
        rules: &'a Explainer,
        position: &'a Position,
        seat: Option<u16>,
        langs: &'a [String],
        text: &str,
    ) -> Inverse<'a> {
        Inverse { rules, position, seat, langs, text: letters(text), parts: RefCell::default() }
    }

    /// Whether a choice may be written like the text in the language at a place among those given. A style of notation
    /// may ask what else is legal, so that it is worth a look before a choice is written in it.
    pub fn may_be(&self, choice: Choice, lang: usize) -> bool {
        let model = self.rules.model();
        // Names that several members share are numbered, and a seat writes what it does not know in its own way.
        let other = !model.copies.is_empty() || self.seat.is_some() && model.hides();
        let Choice::Act(id, args) = choice else { return true };
        if self.text.is_empty() || other {
            return true;
        }
        let mut steps = MAX_STEPS;
        agrees(&self.parts(id, lang), self.text.as_bytes(), &args, &mut steps).unwrap_or(true)
    }

    /// The parts of the notation of an action in a language.
    fn parts(&self, id: ActionId, lang: usize) -> Rc<[Part]> {
        let written = || {
            let tag = self.langs.get(lang).map_or("", String::as_str);
            self.rules.written_parts(self.position, self.seat, id, tag).into_iter().map(Part::of).collect()
        };
        Rc::clone(self.parts.borrow_mut().entry((id, lang)).or_insert_with(written))
    }

    /// Adds what may be meant of an action with any arguments, in their order.
    pub fn add(&self, id: ActionId, out: &mut Vec<Choice>) {
        let mut found = BTreeSet::new();
        // A text of signs alone is compared in other ways.
        let mut langs = 0..self.langs.len();
        let whole = !self.text.is_empty() && langs.all(|lang| self.search(id, lang, &mut found).is_some());
        match whole {
            true => out.extend(found.into_iter().map(|args| Choice::Act(id, args))),
            false => self.rules.all_actions(id, out),
        }
    }

    /// Finds them in one language; `None` if it takes too long.
    fn search(&self, id: ActionId, lang: usize, found: &mut BTreeSet<Args>) -> Option<()> {
        let parts = self.parts(id, lang);
        let count = self.rules.model().actions.get(id.i())?.params.len();
        let mut search = Search { rules: self.rules, id, count, bound: [None; MAX_ARGS], steps: MAX_STEPS, found };
        search.go(&parts, self.text.as_bytes())
    }
}

/// A part of a notation, in letters and digits alone.
enum Part {
    Always(Box<[u8]>),
    /// In the order of the values.
    By(usize, Vec<(i32, Box<[u8]>)>),
    Open,
}

impl Part {
    fn of(written: NotationPart) -> Part {
        let bytes = |text: &str| letters(text).into_bytes().into_boxed_slice();
        match written {
            NotationPart::Always(text) => Part::Always(bytes(&text)),
            NotationPart::By(arg, mut texts) => {
                texts.sort_unstable_by_key(|(value, _)| *value);
                Part::By(arg, texts.iter().map(|(v, text)| (*v, bytes(text))).collect())
            }
            NotationPart::Open => Part::Open,
        }
    }
}

/// Whether parts with these arguments can make the text. `None` if it takes too long, or an argument has a value that
/// was not written out.
fn agrees(parts: &[Part], text: &[u8], args: &Args, steps: &mut usize) -> Option<bool> {
    *steps = steps.checked_sub(1)?;
    let Some((part, parts)) = parts.split_first() else { return Some(text.is_empty()) };
    let letters = match part {
        Part::Always(letters) => letters,
        Part::By(arg, texts) => {
            let value = i32::from(*args.as_slice().get(*arg)?);
            &texts.get(texts.binary_search_by_key(&value, |(v, _)| *v).ok()?)?.1
        }
        Part::Open => {
            for from in 0..=text.len() {
                if agrees(parts, text.get(from..)?, args, steps)? {
                    return Some(true);
                }
            }
            return Some(false);
        }
    };
    match text.strip_prefix(&**letters) {
        Some(rest) => agrees(parts, rest, args, steps),
        None => Some(false),
    }
}

struct Search<'a> {
    rules: &'a Explainer,
    id: ActionId,
    /// The number of arguments.
    count: usize,
    bound: [Option<i32>; MAX_ARGS],
    steps: usize,
    found: &'a mut BTreeSet<Args>,
}

impl Search<'_> {
    /// Finds all ways in which the parts make the text. `None` if it takes too long.
    fn go(&mut self, parts: &[Part], text: &[u8]) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        let Some((part, parts)) = parts.split_first() else {
            return if text.is_empty() { self.fill(0) } else { Some(()) };
        };
        match part {
            Part::Always(letters) => match text.strip_prefix(&**letters) {
                Some(rest) => self.go(parts, rest),
                None => Some(()),
            },
            Part::By(arg, texts) => {
                let before = *self.bound.get(*arg)?;
                for (value, letters) in texts {
                    if let Some(rest) = text.strip_prefix(&**letters)
                        && before.is_none_or(|b| b == *value)
                    {
                        *self.bound.get_mut(*arg)? = Some(*value);
                        self.go(parts, rest)?;
                    }
                }
                *self.bound.get_mut(*arg)? = before;
                Some(())
            }
            Part::Open => (0..=text.len()).try_for_each(|from| self.go(parts, text.get(from..)?)),
        }
    }

    /// Gives the arguments that are not named each of their values.
    fn fill(&mut self, from: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        let free = (from..self.count).find(|i| self.bound.get(*i).is_some_and(Option::is_none));
        let Some(i) = free else {
            let values = self.bound.map(Option::unwrap_or_default);
            self.found.insert(Args::new(values.get(..self.count)?));
            return (self.found.len() <= MAX_FOUND).then_some(());
        };
        for value in self.rules.arguments(self.id, i)? {
            *self.bound.get_mut(i)? = Some(value);
            self.fill(i + 1)?;
        }
        *self.bound.get_mut(i)? = None;
        Some(())
    }
}
