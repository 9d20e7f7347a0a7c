//! Replays records.

use super::{Ply, Record, RecordedEnd, RecordedPly, RecordedResult, Trail, rules_digest};
use crate::explain::Explainer;
use crate::facts::{FactFault, Move, seat_named, unique_name};
use crate::game::{Choice, Evaluator, Fault, Outcome, Position, Status};
use crate::model::{CodeId, Config, Model, PLAYER};
use crate::notation::{self, Patterns, Unread};
use crate::spelling::fold;

/// The result of replaying a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The position it begins with; `None` if it cannot be set up.
    pub beginning: Option<Position>,
    /// The plies that could be played.
    pub plies: Vec<Ply>,
    /// The position reached.
    pub position: Option<Position>,
    /// How it ended.
    pub end: ReplayEnd,
    /// Whether the record was made under other rules than these; digests and numbers of options are then not compared.
    pub other_rules: bool,
    /// Under other rules: the first ply (from 1) at which the number of options differs from the record.
    pub first_difference: Option<usize>,
}

/// How a replay ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayEnd {
    /// All of it was played; the outcome, if the game is over.
    Complete(Option<Outcome>),
    /// The replay could not go on.
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
    /// The position it begins with cannot be set up: the faults in it.
    NoBeginning(Vec<FactFault>),
    /// The rules fail before the game begins.
    NoStart(Fault),
    /// It is not legal.
    Illegal {
        /// The line as recorded.
        made: Move,
        /// The seat; `None` for chance.
        seat: Option<u16>,
        /// The choice that it means.
        choice: Choice,
        /// The record was made under other rules, where it was legal.
        was_legal: bool,
    },
    /// No option is written like that here.
    NoSuchMove(Unread),
    /// There is no such seat.
    NoSuchSeat {
        /// As recorded.
        named: String,
        /// Who decides; `None` for chance.
        wanted: Option<u16>,
    },
    /// Someone else decides.
    WrongSeat {
        /// The line as recorded.
        made: Move,
        /// Who decides; `None` for chance.
        wanted: Option<u16>,
    },
    /// The number of options differs from the record.
    WrongOptionCount {
        /// As recorded.
        recorded: usize,
        /// As it is.
        now: usize,
    },
    /// The position differs from the record.
    WrongDigest {
        /// As recorded.
        recorded: u64,
        /// As it is.
        now: u64,
    },
    /// The result differs from the record; this is the actual one, if the game is over.
    WrongResult(Option<Outcome>),
    /// The game was over before.
    AfterEnd(Outcome),
    /// The rules fail.
    Fault(Fault),
}

impl Replay {
    /// The positions before the plies, in order. The evaluator must be of the same rules as the record. Each position
    /// is made when it is asked for.
    pub fn positions<'a, E: Evaluator + ?Sized>(&'a self, evaluator: &'a E) -> impl Iterator<Item = Position> + 'a {
        let mut next = self.beginning.clone();
        self.plies.iter().map_while(move |ply| {
            let before = next.take()?;
            let mut after = before.clone();
            next = evaluator.apply(&mut after, ply.choice).is_ok().then_some(after);
            Some(before)
        })
    }
}

/// Replays a record, up to the first ply that fails.
#[must_use]
pub fn replay(record: &Record, referee: &Explainer) -> Replay {
    Replayer::new(referee.model(), referee.config()).replay(record, referee, referee)
}

/// What replaying needs, made once for all records of the same rules.
#[derive(Clone, Debug)]
pub struct Replayer {
    /// The digest of the rules.
    rules: u64,
    /// The names of the seats that certainly mean one seat.
    seats: Vec<Option<String>>,
    /// Whether `chance` is certainly not a seat.
    chance: bool,
    patterns: Patterns,
}

impl Replayer {
    /// Prepares replays for these rules under these options and readings.
    #[must_use]
    pub fn new(model: &Model, config: &Config) -> Replayer {
        let seats = model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len()) as u16;
        let certain = |seat: u16| {
            let name = unique_name(model, PLAYER, seat);
            (seat_named(model, &name) == Some(seat) && fold(&name) != "chance").then_some(name)
        };
        Replayer {
            rules: rules_digest(model, config),
            seats: (0..seats).map(certain).collect(),
            chance: seat_named(model, "chance").is_none(),
            patterns: Patterns::new(model),
        }
    }

    /// The same, but every line is compared with all options, for tests.
    #[must_use]
    pub fn searching(model: &Model, config: &Config) -> Replayer {
        Replayer { seats: Vec::new(), chance: false, patterns: Patterns::default(), ..Replayer::new(model, config) }
    }

    /// Replays a record, up to the first ply that fails, with positions from one evaluator (the fast one), and with
    /// notation and rulings from a referee, both of the same rules.
    #[must_use]
    pub fn replay<E: Evaluator + ?Sized>(&self, record: &Record, evaluator: &E, referee: &Explainer) -> Replay {
        self.played(record, evaluator, referee, None)
    }

    /// The same, from where the record leaves the trail of the last replay; the trail is brought up to date. It must be
    /// of the same rules.
    #[must_use]
    pub fn replay_on<E: Evaluator + ?Sized>(
        &self,
        record: &Record,
        evaluator: &E,
        referee: &Explainer,
        trail: &mut Trail,
    ) -> Replay {
        self.played(record, evaluator, referee, Some(trail))
    }

    fn played<E: Evaluator + ?Sized>(
        &self,
        record: &Record,
        evaluator: &E,
        referee: &Explainer,
        mut trail: Option<&mut Trail>,
    ) -> Replay {
        let model = evaluator.model();
        let mut replay = Replay {
            beginning: None,
            plies: Vec::with_capacity(record.plies.len()),
            position: None,
            end: ReplayEnd::Complete(None),
            other_rules: record.rules.is_some_and(|r| r != self.rules),
            first_difference: None,
        };
        let position = match trail.as_mut().and_then(|trail| trail.follow(record, model)) {
            Some((beginning, plies, mark)) => {
                (replay.beginning, replay.plies) = (Some(beginning), plies);
                replay.first_difference = mark.first_difference;
                mark.position.unpack(model)
            }
            None => match begun(record, evaluator, referee) {
                Ok(position) => {
                    replay.beginning = Some(position.clone());
                    trail.iter_mut().for_each(|trail| trail.begin(&position, model));
                    position
                }
                Err(reason) => {
                    let line = record.scene.as_ref().map_or(0, |s| s.line);
                    replay.end = ReplayEnd::Stopped { ply: 0, line, reason };
                    return replay;
                }
            },
        };
        let mut walk =
            Walk { replayer: self, evaluator, referee, before: position.clone(), position, options: Vec::new() };
        for (i, recorded) in record.plies.iter().enumerate().skip(replay.plies.len()) {
            let next = record.plies.get(i + 1).and_then(|p| p.digest);
            let stepped = walk.step(recorded, next, i + 1, &mut replay);
            if let Some(trail) = &mut trail {
                let last = stepped.is_err() || i + 1 == record.plies.len();
                trail.note(&replay.plies, (&walk.position, model), replay.first_difference, last);
            }
            if let Err(reason) = stepped {
                replay.position = Some(walk.position);
                replay.end = ReplayEnd::Stopped { ply: i + 1, line: recorded.made.line, reason };
                return replay;
            }
        }
        let checked = walk.outcome().and_then(|outcome| match &record.result {
            Some(recorded) if !same_result(model, recorded, outcome.as_ref()) => Err(Stop::WrongResult(outcome)),
            _ => Ok(outcome),
        });
        replay.position = Some(walk.position);
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

    /// The seat that a line names; `None` for chance or an unknown name.
    fn seat(&self, model: &Model, who: &str, decides: Option<u16>) -> (Option<u16>, bool) {
        let certain = decides.and_then(|s| self.seats.get(usize::from(s))).and_then(Option::as_deref);
        if certain == Some(who) {
            return (decides, false);
        }
        if self.chance && who == "chance" {
            return (None, true);
        }
        (seat_named(model, who), fold(who) == "chance")
    }
}

/// The position at which a record begins.
fn begun<E: Evaluator + ?Sized>(record: &Record, evaluator: &E, referee: &Explainer) -> Result<Position, Stop> {
    match &record.scene {
        None => evaluator.start().map_err(Stop::NoStart),
        Some(scene) => scene.opening(referee).map_err(Stop::NoBeginning),
    }
}

/// A replay in progress.
struct Walk<'a, E: ?Sized> {
    replayer: &'a Replayer,
    evaluator: &'a E,
    referee: &'a Explainer,
    position: Position,
    /// The position to return to if the rules fail.
    before: Position,
    options: Vec<Choice>,
}

impl<E: Evaluator + ?Sized> Walk<'_, E> {
    fn model(&self) -> &Model {
        self.evaluator.model()
    }

    fn status(&self) -> Result<Status, Stop> {
        self.evaluator.status(&self.position).map_err(Stop::Fault)
    }

    fn outcome(&self) -> Result<Option<Outcome>, Stop> {
        Ok(match self.status()? {
            Status::Over(outcome) => Some(outcome),
            _ => None,
        })
    }

    /// Plays one ply; `next` is the recorded digest of the position after it.
    fn step(
        &mut self,
        recorded: &RecordedPly,
        next: Option<u64>,
        number: usize,
        replay: &mut Replay,
    ) -> Result<(), Stop> {
        let (seat, at) = match self.status()? {
            Status::Over(outcome) => return Err(Stop::AfterEnd(outcome)),
            Status::Decision(q) => (Some(q.seat), q.at),
            Status::Chance(at) => (None, at),
        };
        self.right_seat(&recorded.made, seat)?;
        let listed = self.evaluator.options_into(&self.position, &mut self.options);
        listed.map_err(Stop::Fault)?;
        if let Some(count) = recorded.options
            && count != self.options.len()
        {
            if !replay.other_rules {
                return Err(Stop::WrongOptionCount { recorded: count, now: self.options.len() });
            }
            replay.first_difference.get_or_insert(number);
        }
        if let Some(digest) = recorded.digest
            && !replay.other_rules
            && digest != self.position.digest()
        {
            return Err(Stop::WrongDigest { recorded: digest, now: self.position.digest() });
        }
        let next = next.filter(|_| !replay.other_rules);
        let choice = match self.choice(&recorded.made, seat, at, replay.other_rules) {
            Err(Stop::NoSuchMove(unread @ Unread::Ambiguous(..))) => {
                self.tried(&recorded.made.text, next).ok_or(Stop::NoSuchMove(unread))?
            }
            choice => choice?,
        };
        self.before.clone_from(&self.position);
        if let Err(fault) = self.evaluator.apply(&mut self.position, choice) {
            std::mem::swap(&mut self.position, &mut self.before);
            return Err(Stop::Fault(fault));
        }
        replay.plies.push(Ply { seat, choice });
        Ok(())
    }

    /// Checks that the seat named is the one that decides.
    fn right_seat(&self, made: &Move, seat: Option<u16>) -> Result<(), Stop> {
        let (model, who) = (self.model(), made.who.as_str());
        let (named, by_chance) = self.replayer.seat(model, who, seat);
        if !by_chance && named.is_none() {
            return Err(Stop::NoSuchSeat { named: who.to_owned(), wanted: seat });
        }
        if seat != named || by_chance != seat.is_none() {
            return Err(Stop::WrongSeat { made: made.clone(), wanted: seat });
        }
        Ok(())
    }

    /// The choice that a line means, if it is an option.
    fn choice(&self, made: &Move, seat: Option<u16>, at: (CodeId, u16), was_legal: bool) -> Result<Choice, Stop> {
        let (referee, position, options) = (self.referee, &self.position, &self.options);
        if let Some(choice) = self.replayer.patterns.option(referee, position, at, options, &made.text) {
            return Ok(choice);
        }
        let choice = notation::option(referee, position, options, &made.text).map_err(Stop::NoSuchMove)?;
        match options.contains(&choice) {
            true => Ok(choice),
            false => Err(Stop::Illegal { made: made.clone(), seat, choice, was_legal }),
        }
    }
}

impl<E: Evaluator + ?Sized> Walk<'_, E> {
    /// Of several options written alike, the one that leads to the position that follows; any of them if all lead to
    /// the same.
    fn tried(&self, text: &str, next: Option<u64>) -> Option<Choice> {
        let alike = notation::alike(self.referee, &self.position, &self.options, text);
        let after = |choice: &Choice| {
            let mut position = self.position.clone();
            self.evaluator.apply(&mut position, *choice).ok().map(|()| position)
        };
        let mut led = alike.iter().filter_map(|c| after(c).map(|p| (*c, p)));
        if let Some(digest) = next {
            return led.find(|(_, p)| p.digest() == digest).map(|(c, _)| c);
        }
        let (first, position) = led.next()?;
        led.all(|(_, p)| p == position).then_some(first)
    }
}

fn same_result(model: &Model, recorded: &RecordedResult, outcome: Option<&Outcome>) -> bool {
    let Some(outcome) = outcome else {
        return match &recorded.end {
            RecordedEnd::Unfinished => true,
            RecordedEnd::Resigns(name) => seat_named(model, name).is_some(),
            RecordedEnd::Draw | RecordedEnd::Wins(_) => false,
        };
    };
    let winners = match &recorded.end {
        RecordedEnd::Unfinished | RecordedEnd::Resigns(_) => return false,
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
