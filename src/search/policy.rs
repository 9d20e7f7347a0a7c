//! Who decides for a seat while odds are counted.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::halt::Halt;
use crate::explain::Explainer;
use crate::facts::{Move, MoveError, check_move, unique_name};
use crate::game::{Choice, Evaluator as _, Position, Status};
use crate::lexicon::languages;
use crate::model::PLAYER;
use crate::spelling::{bare, nearest};

/// What a seat does if none of its answers is an option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Otherwise {
    /// Unknown: counting stops and says so.
    #[default]
    Ask,
    /// Every option is equally likely.
    Random,
    /// The first option in the order of the rules.
    First,
    /// The choice that makes the answer most likely, or greatest.
    Best,
    /// The choice that makes the answer least likely, or least.
    Worst,
}

/// How a seat decides: the first of its answers that is an option, or otherwise a default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Options as they are written, in the order of preference.
    pub answers: Vec<String>,
    /// The default if none of them is an option.
    pub otherwise: Otherwise,
}

/// The words for [`Otherwise`].
pub const WORDS: [&str; 4] = ["random", "first", "best", "worst"];

impl Policy {
    /// Adds one part: a word of [`WORDS`], or an answer.
    pub fn add(&mut self, part: &str) {
        match part.trim() {
            "" => {}
            "random" => self.otherwise = Otherwise::Random,
            "first" => self.otherwise = Otherwise::First,
            "best" => self.otherwise = Otherwise::Best,
            "worst" => self.otherwise = Otherwise::Worst,
            answer => self.answers.push(answer.to_owned()),
        }
    }

    /// From parts with `;` between: `stand; Good 5; random`.
    #[must_use]
    pub fn parse(text: &str) -> Policy {
        let mut policy = Policy::default();
        text.split(';').for_each(|part| policy.add(part));
        policy
    }
}

/// What a seat does at a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// This option.
    One(Choice),
    /// Each equally likely.
    Even,
    /// The best or worst choice.
    Weigh,
    /// Not given.
    Unsaid,
}

/// The policies of all seats, and which answers were used.
#[derive(Debug)]
pub(super) struct Table<'a> {
    rules: &'a Explainer,
    policies: &'a [Policy],
    /// For each seat, the answers in the form in which they are compared.
    wanted: Vec<Vec<String>>,
    langs: Vec<String>,
    used: RefCell<BTreeSet<(usize, usize)>>,
    /// Options seen, for suggestions.
    offered: RefCell<HashMap<usize, BTreeSet<String>>>,
}

/// The maximum number of options kept for suggestions.
const KEPT: usize = 2000;

impl<'a> Table<'a> {
    pub(super) fn new(rules: &'a Explainer, policies: &'a [Policy]) -> Table<'a> {
        let wanted = policies.iter().map(|p| p.answers.iter().map(|a| bare(a)).collect()).collect();
        let langs = languages(rules.model());
        Table { rules, policies, wanted, langs, used: RefCell::default(), offered: RefCell::default() }
    }

    pub(super) fn pick(&self, position: &Position, seat: u16, options: &[Choice]) -> Pick {
        let s = usize::from(seat);
        let Some(policy) = self.policies.get(s) else {
            return Pick::Unsaid;
        };
        if let Some(choice) = self.answer(position, s, options) {
            return Pick::One(choice);
        }
        match (policy.otherwise, options) {
            // A single option needs no policy.
            (_, [only]) => Pick::One(*only),
            (Otherwise::Ask, _) => Pick::Unsaid,
            (Otherwise::Random, _) => Pick::Even,
            (Otherwise::First, [first, ..]) => Pick::One(*first),
            (Otherwise::First, []) => Pick::Unsaid,
            (Otherwise::Best | Otherwise::Worst, _) => Pick::Weigh,
        }
    }

    fn answer(&self, position: &Position, seat: usize, options: &[Choice]) -> Option<Choice> {
        let wanted = self.wanted.get(seat).filter(|w| !w.is_empty())?;
        let said: Vec<Vec<String>> = options
            .iter()
            .map(|c| self.langs.iter().map(|l| bare(&self.rules.say(position, *c, l))).collect())
            .collect();
        let mut offered = self.offered.borrow_mut();
        let offered = offered.entry(seat).or_default();
        if offered.len() < KEPT {
            offered.extend(options.iter().map(|c| self.rules.say(position, *c, "")));
        }
        wanted.iter().enumerate().find_map(|(i, answer)| {
            let at = said.iter().position(|ways| ways.contains(answer))?;
            self.used.borrow_mut().insert((seat, i));
            options.get(at).copied()
        })
    }

    /// An answer that never was an option, with what may have been meant.
    pub(super) fn idle(&self) -> Option<Halt> {
        let used = self.used.borrow();
        let offered = self.offered.borrow();
        self.policies.iter().enumerate().find_map(|(seat, policy)| {
            let found = policy.answers.iter().enumerate().find(|(i, _)| !used.contains(&(seat, *i)))?;
            let known = offered.get(&seat).into_iter().flatten().map(String::as_str);
            let (near, seat) = (nearest(found.1, known, 2), seat as u16);
            let name = unique_name(self.rules.model(), PLAYER, seat);
            Some(Halt::Idle { seat, name, answer: found.1.clone(), near })
        })
    }
}

/// Makes the choice that a text means, whosever turn it is: `Orcs to Rohan`, or with the seat before it, `Dark: Orcs
/// to Rohan`, `chance: 6`.
///
/// # Errors
/// It cannot be made.
pub fn make(rules: &Explainer, position: &mut Position, text: &str) -> Result<(), MoveError> {
    let model = rules.model();
    let named = |who: &str| {
        let who = who.trim();
        crate::facts::seat_named(model, who).is_some() || who.eq_ignore_ascii_case("chance")
    };
    let made = match text.split_once(':') {
        Some((who, what)) if named(who) => {
            Move { who: who.trim().to_owned(), text: what.trim().to_owned(), ..Move::default() }
        }
        _ => {
            let who = match rules.status(position).map_err(|f| MoveError::fault(model, f))? {
                Status::Decision(question) => unique_name(model, PLAYER, question.seat),
                _ => String::from("chance"),
            };
            Move { who, text: text.trim().to_owned(), ..Move::default() }
        }
    };
    let choice = check_move((rules, rules), position, &made)?;
    rules.apply(position, choice).map_err(|f| MoveError::fault(model, f))
}

/// The report that a seat must decide for which no policy is given.
pub(super) fn unsaid(rules: &Explainer, position: &Position, seat: u16, lang: &str) -> Halt {
    let options = rules.options(position).unwrap_or_default();
    let options = options.iter().map(|c| rules.say(position, *c, lang)).collect();
    Halt::Unsaid { seat, name: unique_name(rules.model(), PLAYER, seat), options }
}
