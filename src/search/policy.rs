//! Who decides for a seat while odds are counted.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError, RwLock};

use super::eyes::Sight;
use super::halt::Halt;
use crate::explain::{Explainer, Notations};
use crate::facts::{Move, MoveError, check_move, unique_name};
use crate::game::{Choice, Evaluator as _, Position, Status};
use crate::model::PLAYER;
use crate::players::{Bot, Look};
use crate::rules::Evaluators;
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
    /// What a bot chooses that looks ahead.
    Bot(Bot),
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
    /// Adds one part: a word of [`WORDS`], a bot that looks ahead, or an answer.
    pub fn add(&mut self, part: &str) {
        match part.trim() {
            "" => {}
            "random" => self.otherwise = Otherwise::Random,
            "first" => self.otherwise = Otherwise::First,
            "best" => self.otherwise = Otherwise::Best,
            "worst" => self.otherwise = Otherwise::Worst,
            other => match Bot::parse(other) {
                Ok(bot) => self.otherwise = Otherwise::Bot(bot),
                Err(_) => self.answers.push(other.to_owned()),
            },
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
    engine: &'a Evaluators,
    rules: &'a Explainer,
    policies: &'a [Policy],
    seats: Vec<Seat>,
}

/// The answers of a seat.
#[derive(Debug, Default)]
struct Seat {
    /// The answers in the form in which they are compared.
    wanted: Vec<String>,
    used: Mutex<BTreeSet<usize>>,
    /// Options by their text, and which answer each is.
    heard: RwLock<HashMap<String, Option<usize>>>,
    /// Options in the rule file's own language, for suggestions.
    offered: Mutex<BTreeSet<String>>,
}

/// The seed of bots.
const SEED: u64 = 1;

/// The maximum number of options kept.
const KEPT: usize = 2000;

impl Seat {
    /// Which answer an option is that is written so; `own`: in the rule file's own language.
    fn answered_by(&self, text: String, own: bool) -> Option<usize> {
        if let Some(known) = self.heard.read().unwrap_or_else(PoisonError::into_inner).get(&text) {
            return *known;
        }
        let plain = bare(&text);
        let answer = self.wanted.iter().position(|wanted| *wanted == plain);
        let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        if own && offered.len() < KEPT {
            offered.insert(text.clone());
        }
        let mut heard = self.heard.write().unwrap_or_else(PoisonError::into_inner);
        if heard.len() < KEPT {
            heard.insert(text, answer);
        }
        answer
    }
}

impl<'a> Table<'a> {
    pub(super) fn new(engine: &'a Evaluators, policies: &'a [Policy]) -> Table<'a> {
        let rules = engine.explainer();
        let seat = |p: &Policy| Seat { wanted: p.answers.iter().map(|a| bare(a)).collect(), ..Seat::default() };
        Table { engine, rules, policies, seats: policies.iter().map(seat).collect() }
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
            (Otherwise::Bot(bot), _) => {
                options.get(self.chosen(bot, position, seat, options)).map_or(Pick::Unsaid, |choice| Pick::One(*choice))
            }
        }
    }

    /// What a bot chooses. Its seed is always the same, so that the choice depends only on what the seat sees.
    fn chosen(&self, bot: Bot, position: &Position, seat: u16, options: &[Choice]) -> usize {
        let sight = Sight::new(self.engine);
        bot.player(SEED, self.engine).choose(&Look::new(&sight, position, seat), options)
    }

    /// The option that is the first of the seat's answers.
    fn answer(&self, position: &Position, seat: usize, options: &[Choice]) -> Option<Choice> {
        let seat = self.seats.get(seat).filter(|seat| !seat.wanted.is_empty())?;
        let notations: Vec<(Notations, bool)> = self
            .rules
            .languages()
            .iter()
            .map(|l| (self.rules.notations(position, l).among(options), l.is_empty()))
            .collect();
        let answered = |choice: &Choice| {
            let said = notations.iter().map(|(notations, own)| seat.answered_by(notations.of(*choice), *own));
            said.flatten().min().map(|answer| (answer, *choice))
        };
        // Of equal ones the first is taken.
        let (answer, choice) = options.iter().filter_map(answered).min_by_key(|(answer, _)| *answer)?;
        seat.used.lock().unwrap_or_else(PoisonError::into_inner).insert(answer);
        Some(choice)
    }

    /// An answer that never was an option, with what may have been meant.
    pub(super) fn idle(&self) -> Option<Halt> {
        self.seats.iter().zip(self.policies).enumerate().find_map(|(number, (seat, policy))| {
            let used = seat.used.lock().unwrap_or_else(PoisonError::into_inner);
            let offered = seat.offered.lock().unwrap_or_else(PoisonError::into_inner);
            let (_, answer) = policy.answers.iter().enumerate().find(|(i, _)| !used.contains(i))?;
            let near = nearest(answer, offered.iter().map(String::as_str), 2);
            let name = unique_name(self.rules.model(), PLAYER, number as u16);
            Some(Halt::Idle { seat: number as u16, name, answer: answer.clone(), near })
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
    let options = rules.notations(position, lang).among(&options).each(&options);
    Halt::Unsaid { seat, name: unique_name(rules.model(), PLAYER, seat), options }
}
