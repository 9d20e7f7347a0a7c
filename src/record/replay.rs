//! A record is played again.

use super::{Record, RecordedEnd, RecordedPly, RecordedResult, rules_digest};
use crate::facts::{seat_named, unique_name};
use crate::game::{Choice, Evaluator, Outcome, Position, Status};
use crate::model::{Model, PLAYER};
use crate::notation::{self, Unread};
use crate::rulings::{Referee, text as ruling_text};
use crate::spelling::{bare, fold, hint, list, nearest};
use std::fmt;

/// A ply that was played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The position before.
    pub before: Position,
    /// The seat; none: chance.
    pub seat: Option<u16>,
    /// The choice.
    pub choice: Choice,
    /// As it is written.
    pub text: String,
    /// Its line in the record.
    pub line: usize,
}

/// What came of playing a record again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// What could be played.
    pub plies: Vec<Ply>,
    /// The position reached.
    pub position: Option<Position>,
    /// How it ended.
    pub end: ReplayEnd,
    /// The record was made under other rules than these: digests and numbers of options are then not held against it.
    pub other_rules: bool,
    /// Under other rules: the first ply (from 1) at which the number of options is not as recorded.
    pub first_difference: Option<usize>,
}

/// How playing a record again ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayEnd {
    /// All of it was played; the outcome, if the game is over.
    Complete(Option<Outcome>),
    /// It could not go on.
    Stopped {
        /// The ply, from 1; one past the last for the result, 0 for the beginning.
        ply: usize,
        /// The line of the record.
        line: usize,
        /// Why.
        reason: Stop,
    },
}

/// Why a record cannot be played on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The position it begins with cannot be set up.
    NoBeginning(String),
    /// It is not legal.
    Illegal {
        /// The ruling in words.
        ruling: String,
        /// What is legal there.
        options: Vec<String>,
        /// The record was made under other rules, where it was legal.
        was_legal: bool,
    },
    /// Nothing is written like that here.
    NoSuchMove(Unread),
    /// There is no such seat.
    NoSuchSeat {
        /// As recorded.
        named: String,
        /// Whose turn it is.
        wanted: String,
        /// The seats.
        seats: Vec<String>,
    },
    /// Someone else decides: who.
    WrongSeat(String),
    /// The rules give another number of options than recorded.
    WrongOptionCount {
        /// As recorded.
        recorded: usize,
        /// As it is.
        now: usize,
    },
    /// The position is not the one recorded.
    WrongDigest {
        /// As recorded.
        recorded: u64,
        /// As it is.
        now: u64,
    },
    /// The result is not the one recorded: as it is.
    WrongResult(String),
    /// The game was over before.
    AfterEnd(String),
    /// The rules fail.
    Fault(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::NoBeginning(m) => write!(f, "the beginning cannot be set up: {m}"),
            Stop::Illegal { ruling, options, was_legal } => {
                write!(f, "{}", ruling.trim_end())?;
                if *was_legal {
                    write!(f, "\nit was legal under the rules it was recorded with")?;
                }
                write!(f, "\npossible here: {}", list(options, 12))
            }
            Stop::NoSuchMove(unread) => write!(f, "{unread}"),
            Stop::NoSuchSeat { named, wanted, seats } => {
                let near = hint(&nearest(named, seats.iter().map(String::as_str).chain(["chance"]), 1));
                let all = list(seats, 12);
                write!(
                    f,
                    "`{named}` is no seat (the seats are {all}, and there is chance){near}; {wanted} decides here"
                )
            }
            Stop::WrongSeat(who) => write!(f, "{who} decides here"),
            Stop::WrongOptionCount { recorded, now } => {
                write!(f, "there are {now} options, recorded are {recorded}")
            }
            Stop::WrongDigest { recorded, now } => {
                write!(f, "the position is {now:016x}, recorded is {recorded:016x}: something before was different")
            }
            Stop::WrongResult(now) => write!(f, "the result is not as recorded: {now}"),
            Stop::AfterEnd(now) => write!(f, "the game is over before this: {now}"),
            Stop::Fault(m) => write!(f, "the rules fail: {m}"),
        }
    }
}

impl Replay {
    /// How it ended, in words.
    #[must_use]
    pub fn words(&self, model: &Model) -> String {
        let mut out = String::new();
        if self.other_rules {
            out.push_str("the record was made under other rules than these\n");
            if let Some(ply) = self.first_difference {
                out.push_str(&format!("the number of options first differs at ply {ply}\n"));
            }
        }
        match &self.end {
            ReplayEnd::Complete(Some(outcome)) => {
                out.push_str(&format!("{}, all legal; {}", plies(self.plies.len()), result_words(model, Some(outcome))))
            }
            ReplayEnd::Complete(None) => {
                out.push_str(&format!("{}, all legal; the game is not over", plies(self.plies.len())))
            }
            ReplayEnd::Stopped { ply, line, reason } => {
                // What is wrong with the beginning says itself where.
                let place = match line {
                    _ if *ply == 0 => String::new(),
                    _ if matches!(reason, Stop::WrongResult(_)) => format!("after ply {} (line {line}): ", ply - 1),
                    0 => format!("ply {ply}: "),
                    _ => format!("ply {ply} (line {line}): "),
                };
                out.push_str(&format!("{place}{reason}"));
            }
        }
        out
    }
}

fn plies(count: usize) -> String {
    match count {
        1 => String::from("1 ply"),
        n => format!("{n} plies"),
    }
}

fn result_words(model: &Model, outcome: Option<&Outcome>) -> String {
    let result = super::result_of(model, outcome);
    let label = result.label.map_or_else(String::new, |l| format!(" \"{l}\""));
    let scores: Vec<String> = result.scores.iter().map(i32::to_string).collect();
    match result.end {
        RecordedEnd::Unfinished => String::from("the game is not over"),
        RecordedEnd::Draw => format!("draw{label} {}", scores.join("-")),
        RecordedEnd::Wins(who) => format!("{} wins{label} {}", who.join(", "), scores.join("-")),
    }
}

/// Plays a record again, up to the first ply that does not hold.
#[must_use]
pub fn replay(record: &Record, referee: &dyn Referee) -> Replay {
    replay_with(record, referee, referee)
}

/// The same, with positions from one evaluator (the fast one) and reading and rulings from a referee of the same rules.
#[must_use]
pub fn replay_with<E: Evaluator + ?Sized>(record: &Record, evaluator: &E, referee: &dyn Referee) -> Replay {
    let model = evaluator.model();
    let now = rules_digest(model, evaluator.config());
    let mut replay = Replay {
        plies: Vec::new(),
        position: None,
        end: ReplayEnd::Complete(None),
        other_rules: record.rules.is_some_and(|r| r != now),
        first_difference: None,
    };
    let beginning = match &record.scene {
        None => evaluator.start().map_err(|f| f.words(model)),
        Some(scene) => scene.opening(referee).map_err(|faults| {
            let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
            all.join("\n")
        }),
    };
    let mut position = match beginning {
        Ok(position) => position,
        Err(message) => {
            replay.end = ReplayEnd::Stopped {
                ply: 0,
                line: record.scene.as_ref().map_or(0, |s| s.line),
                reason: Stop::NoBeginning(message),
            };
            return replay;
        }
    };
    for (i, recorded) in record.plies.iter().enumerate() {
        match step(recorded, i + 1, evaluator, referee, &position, &mut replay) {
            Ok(next) => position = next,
            Err(reason) => {
                replay.position = Some(position);
                replay.end = ReplayEnd::Stopped { ply: i + 1, line: recorded.made.line, reason };
                return replay;
            }
        }
    }
    let outcome = match evaluator.status(&position) {
        Ok(Status::Over(outcome)) => Ok(Some(outcome)),
        Ok(_) => Ok(None),
        Err(f) => Err(Stop::Fault(f.words(model))),
    };
    replay.position = Some(position);
    let checked = outcome.and_then(|outcome| match &record.result {
        Some(recorded) if !same_result(model, recorded, outcome.as_ref()) => {
            Err(Stop::WrongResult(result_words(model, outcome.as_ref())))
        }
        _ => Ok(outcome),
    });
    replay.end = match checked {
        Ok(outcome) => ReplayEnd::Complete(outcome),
        Err(reason) => ReplayEnd::Stopped {
            ply: record.plies.len() + 1,
            line: record.result.as_ref().map_or(0, |r| r.line),
            reason,
        },
    };
    replay
}

/// One ply: the position after it.
fn step<E: Evaluator + ?Sized>(
    recorded: &RecordedPly,
    number: usize,
    evaluator: &E,
    referee: &dyn Referee,
    position: &Position,
    replay: &mut Replay,
) -> Result<Position, Stop> {
    let model = evaluator.model();
    let fault = |f: crate::game::Fault| Stop::Fault(f.words(model));
    let seat = match evaluator.status(position).map_err(fault)? {
        Status::Over(outcome) => return Err(Stop::AfterEnd(result_words(model, Some(&outcome)))),
        Status::Decision(q) => Some(q.seat),
        Status::Chance(_) => None,
    };
    let who = &recorded.made.who;
    let by_chance = fold(who) == "chance";
    let named = seat_named(model, who);
    let name = |s: u16| unique_name(model, PLAYER, s);
    let wanted = || seat.map_or_else(|| String::from("chance"), name);
    if !by_chance && named.is_none() {
        let seats = model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len());
        let seats = (0..seats).map(|s| name(s as u16)).collect();
        return Err(Stop::NoSuchSeat { named: who.clone(), wanted: wanted(), seats });
    }
    if seat != named || by_chance != seat.is_none() {
        return Err(Stop::WrongSeat(wanted()));
    }
    let options = evaluator.options(position).map_err(fault)?;
    if let Some(count) = recorded.options
        && count != options.len()
    {
        if !replay.other_rules {
            return Err(Stop::WrongOptionCount { recorded: count, now: options.len() });
        }
        replay.first_difference.get_or_insert(number);
    }
    if let Some(digest) = recorded.digest
        && !replay.other_rules
        && digest != position.digest()
    {
        return Err(Stop::WrongDigest { recorded: digest, now: position.digest() });
    }
    // What is written exactly like an option is that option: no need to look at what is not legal.
    let wanted = bare(&recorded.made.text);
    let mut exact = options.iter().filter(|c| referee.say(position, **c, "") == recorded.made.text);
    let choice = match (exact.next(), exact.next()) {
        (Some(choice), None) if !wanted.is_empty() => *choice,
        _ => notation::read(referee, position, &recorded.made.text).map_err(Stop::NoSuchMove)?,
    };
    if !options.contains(&choice) {
        let ruling = match seat {
            Some(seat) => {
                let ruling = referee.judge(position, seat, choice);
                ruling_text(referee, position, seat, choice, &ruling, "")
            }
            None => String::from("that cannot come out"),
        };
        return Err(Stop::Illegal {
            ruling,
            options: options.iter().map(|c| referee.say(position, *c, "")).collect(),
            was_legal: replay.other_rules,
        });
    }
    let mut next = position.clone();
    evaluator.apply(&mut next, choice).map_err(fault)?;
    replay.plies.push(Ply {
        before: position.clone(),
        seat,
        choice,
        text: recorded.made.text.clone(),
        line: recorded.made.line,
    });
    Ok(next)
}

fn same_result(model: &Model, recorded: &RecordedResult, outcome: Option<&Outcome>) -> bool {
    let Some(outcome) = outcome else {
        return recorded.end == RecordedEnd::Unfinished;
    };
    let winners = match &recorded.end {
        RecordedEnd::Unfinished => return false,
        RecordedEnd::Draw => Some(Vec::new()),
        RecordedEnd::Wins(names) => names.iter().map(|n| seat_named(model, n)).collect::<Option<Vec<u16>>>(),
    };
    let Some(mut winners) = winners else {
        return false;
    };
    winners.sort_unstable();
    let mut now = outcome.winners.clone();
    now.sort_unstable();
    let label = recorded.label.as_ref().is_none_or(|l| {
        let clause = model.ends.get(outcome.ending).and_then(|e| model.clause(e.clause));
        clause.is_some_and(|c| {
            let translations = c.label.translations.iter().map(|(_, t)| t);
            std::iter::once(&c.label.text)
                .chain(translations)
                .any(|t| fold(t) == fold(l) || fold(&t.replace('"', "'")) == fold(l))
        })
    });
    let scores = recorded.scores.is_empty() || recorded.scores == outcome.scores;
    winners == now && label && scores
}
