//! Checks what a case expects against a position.

use super::complaint::{Complaint, complaint};
use super::{Because, Expectation};
use crate::explain::Notations;
use crate::facts::{Fact, Move, Names, Piece, check_move, resolve, seat_named};
use crate::game::{Choice, Considered, Fate, History, Outcome, Position, Reason, Ruling, Status, Verdict};
use crate::lexicon::Lexicon;
use crate::model::{ClauseId, Model, Text, Value};
use crate::notation::Unread;
use crate::rules::{Rules, RulesError};
use crate::rulings::verdict_words;
use crate::spelling::{bare, fold, hint, list, nearest};
use std::collections::BTreeSet;

/// A position under examination.
pub(super) struct Bench<'a> {
    pub(super) rules: &'a Rules,
    pub(super) names: &'a Names,
    /// The position now.
    pub position: Position,
    /// How it came about.
    pub history: History,
    /// The last ruling.
    pub last: Option<Ruling>,
    /// What it was about, if that is a choice here.
    about: Option<(u16, Choice)>,
    /// The text of the last ruling asked for.
    pub asked: Option<String>,
    /// The position before the last move, and the choice that was made in it.
    pub before: Option<(Position, Choice)>,
    /// The clauses that decided something.
    pub clauses: BTreeSet<ClauseId>,
    /// The least number of active procedures, hooks and effects so far: what the case began is done when no more are
    /// active.
    pub level: usize,
}

fn says(text: &Text, wanted: &str) -> bool {
    let wanted = fold(wanted);
    let translations = text.translations.iter().map(|(_, t)| t);
    std::iter::once(&text.text).chain(translations).any(|t| fold(t) == wanted)
}

/// Whether a clause is the one meant.
pub(super) fn is_meant(model: &Model, id: ClauseId, meant: &Because) -> bool {
    let Some(clause) = model.clause(id) else {
        return false;
    };
    match meant {
        Because::Cite(cite) => clause.cites.contains(cite),
        Because::Label(label) => {
            let ability = clause.ability.and_then(|a| model.abilities.get(a.i()));
            says(&clause.label, label) || ability.is_some_and(|a| says(&a.label, label))
        }
        Because::Reason(_) => false,
    }
}

fn named(model: &Model, ids: impl Iterator<Item = ClauseId>) -> String {
    let mut all: Vec<String> = ids
        .map(|id| {
            let title = model.clause_title(id, "");
            match model.clause(id) {
                Some(c) if !c.cites.is_empty() => format!("{title} [{}]", c.cites.join(", ")),
                _ => title,
            }
        })
        .collect();
    all.dedup();
    match all.is_empty() {
        true => String::from("no clause"),
        false => all.join(" and "),
    }
}

impl<'a> Bench<'a> {
    /// With a position as it stands, or (`from_start`) that of the start of the game.
    pub(super) fn new(rules: &'a Rules, position: Position, from_start: bool) -> Bench<'a> {
        let history = if from_start { History::default() } else { History::of(position.clone()) };
        let level = position.depth(rules.model());
        Bench {
            level,
            rules,
            names: rules.spelt(),
            position,
            history,
            last: None,
            about: None,
            asked: None,
            before: None,
            clauses: BTreeSet::new(),
        }
    }

    pub(super) fn model(&self) -> &'a Model {
        self.rules.model()
    }

    fn status(&self) -> Result<Status, Complaint> {
        self.rules.status(&self.position).map_err(Complaint::of)
    }

    pub(super) fn seat(&self, text: &str) -> Result<u16, Complaint> {
        let model = self.model();
        seat_named(model, text).ok_or_else(|| {
            let seats = model.kinds.first().map_or(&[][..], |k| &k.members);
            let near = nearest(text, seats.iter().map(|s| s.name.text.as_str()), 2);
            complaint!("`{text}` is not a seat{}", hint(&near))
        })
    }

    pub(super) fn seat_name(&self, seat: u16) -> String {
        crate::facts::unique_name(self.model(), crate::model::PLAYER, seat)
    }

    fn stands(&self) -> Result<String, Complaint> {
        Ok(match self.status()? {
            Status::Over(outcome) => format!("the game is over: {}", self.outcome(&outcome)),
            Status::Decision(q) => format!("it is {}'s decision", self.seat_name(q.seat)),
            Status::Chance(_) => String::from("chance decides here"),
        })
    }

    fn outcome(&self, outcome: &Outcome) -> String {
        let model = self.model();
        let ending = model.ends.get(outcome.ending);
        let label = ending.map_or_else(String::new, |e| model.clause_title(e.clause, ""));
        let winners: Vec<String> = outcome.winners.iter().map(|w| self.seat_name(*w)).collect();
        match winners.is_empty() {
            true => format!("a draw ({label})"),
            false => format!("{} wins ({label})", winners.join(", ")),
        }
    }

    /// Makes a move; the clauses that decide it count as decided, including those against it.
    pub(super) fn play(&mut self, made: &Move) -> Result<(), Complaint> {
        let checked = check_move((self.rules, self.rules.explainer()), &self.position, made);
        let choice = match &checked {
            Ok(choice) => Some(*choice),
            Err(_) => self.rules.read(&self.position, &made.text).ok(),
        };
        self.note_move(made, choice);
        let choice = checked.map_err(|why| self.with_skipped(&made.who, why.to_string()))?;
        let before = (self.position.clone(), choice);
        let played = self.rules.apply(&mut self.position, choice);
        self.before = Some(before);
        played.map_err(|fault| self.with_gap(fault.to_string()))?;
        self.history.choices.push(choice);
        self.level = self.level.min(self.position.depth(self.rules.model()));
        Ok(())
    }

    fn note_move(&mut self, made: &Move, choice: Option<Choice>) {
        let seat = seat_named(self.model(), &made.who);
        if let (Some(seat), Some(choice)) = (seat, choice) {
            let ruling = self.rules.judge(&self.position, seat, choice);
            self.note(&ruling);
        }
    }

    fn note(&mut self, ruling: &Ruling) {
        let all = ruling.deciding.iter().chain(&ruling.overruled);
        let derived = ruling.derived.iter().flat_map(|d| &d.by);
        for considered in all.chain(derived) {
            self.clauses.insert(considered.clause);
            if let Fate::Silenced(by) | Fate::Beaten(by) = considered.fate {
                self.clauses.insert(by);
            }
        }
    }

    /// Checks one expectation. The error says what came instead.
    pub(super) fn expect(&mut self, what: &Expectation) -> Result<(), Complaint> {
        if matches!(what, Expectation::Holds(..) | Expectation::Brings { .. } | Expectation::Ask(..)) {
            self.about = None;
        }
        match what {
            Expectation::Fact(piece) => self.fact(piece),
            Expectation::Ruled { seat, text, verdict, because } => self.ruled(seat.as_deref(), text, *verdict, because),
            Expectation::Only(seat, texts) => self.only(seat, texts),
            Expectation::Decides(seat) => {
                let wanted = self.seat(seat)?;
                match self.status()? {
                    Status::Decision(q) if q.seat == wanted => Ok(()),
                    _ => Err(self.with_skipped(seat, self.stands()?)),
                }
            }
            Expectation::Chance => match self.status()? {
                Status::Chance(_) => Ok(()),
                _ => Err(Complaint(self.stands()?)),
            },
            Expectation::Odds(a, b, text) => self.odds(*a, *b, text),
            Expectation::Likely(likely) => self.likely(likely),
            Expectation::Forced(forced) => self.forced(forced),
            Expectation::Wins(seat, label) => {
                let seat = self.seat(seat)?;
                self.over(label.as_deref(), |o| o.winners.contains(&seat))
            }
            Expectation::Draw(label) => self.over(label.as_deref(), |o| o.winners.is_empty()),
            Expectation::Score(scores) => self.score(scores),
            Expectation::Holds(expr, because) => self.holds(expr, because),
            Expectation::Sees(seat, wanted, object) => self.sees(seat, *wanted, object),
            Expectation::Overruled(lost, by) => self.overruled(lost, by.as_ref()),
            Expectation::DependsOn(name) => self.depends_on(name),
            Expectation::Brings { name, seat, list, verdict, because } => {
                self.brings(name, seat.as_deref(), list, *verdict, because)
            }
            Expectation::Ask(seat, text) => {
                let (seat, choice) = self.choice(seat.as_deref(), text)?;
                let ruling = self.rules.judge_after(&self.history, &self.position, seat, choice);
                self.note(&ruling);
                self.asked = Some(self.in_words(seat, choice, &ruling));
                self.last = Some(ruling);
                Ok(())
            }
        }
    }

    fn in_words(&self, seat: u16, choice: Choice, ruling: &Ruling) -> String {
        self.rules.ruling_text(&self.position, seat, choice, ruling)
    }

    fn fact(&self, piece: &Piece) -> Result<(), Complaint> {
        let model = self.model();
        let read = |var, index: u16| self.position.read(self.model(), var, index as usize);
        let show = |value: &Value, var: crate::model::VarId| {
            let ty = model.vars.get(var.i()).map(|v| &v.ty);
            ty.and_then(|ty| crate::lexicon::fact_value(model, ty, value)).unwrap_or_else(|| String::from("?"))
        };
        match resolve(model, self.names, &piece.text).map_err(Complaint::of)? {
            Fact::Entry { .. } => {
                Err(Complaint::from("that says where play goes on and belongs to `given`; write `SEAT to decide`"))
            }
            Fact::Is { var, indices, value } => {
                let name = model.vars.get(var.i()).map_or("?", |v| v.name.as_str());
                let wrong: Vec<String> = indices
                    .iter()
                    .map(|i| (*i, read(var, *i)))
                    .filter(|(_, now)| *now != value)
                    .map(|(i, now)| {
                        let kind = model.vars.get(var.i()).and_then(|v| v.index);
                        let of = kind.map(|k| crate::facts::unique_name(model, k, i));
                        let of = of.map_or_else(String::new, |o| format!(" of {o}"));
                        format!("`{name}`{of} is {}", show(&now, var))
                    })
                    .collect();
                match wrong.is_empty() {
                    true => Ok(()),
                    false => Err(Complaint(wrong.join(", "))),
                }
            }
            Fact::Size { var, index, size } => {
                let now = read(var, index);
                let n = match &now {
                    Value::Set(s) => s.len(),
                    Value::List(l) => l.len(),
                    Value::Bag(counts) => counts.iter().map(|n| usize::from(*n)).sum(),
                    _ => 0,
                };
                match n == size {
                    true => Ok(()),
                    false => Err(complaint!("it has {n}: {}", show(&now, var))),
                }
            }
            Fact::Has { var, index, members } => {
                let now = read(var, index);
                let lo = match model.vars.get(var.i()).map(|v| &v.ty.base) {
                    Some(crate::model::Base::Set(of) | crate::model::Base::Bag(of)) => match **of {
                        crate::model::Base::Range(lo, _) => lo,
                        _ => 0,
                    },
                    _ => 0,
                };
                let has = |m: &i32| match &now {
                    Value::Set(s) => usize::try_from(m - lo).is_ok_and(|i| s.contains(i)),
                    Value::List(l) => l.iter().any(|i| i32::from(*i) == *m),
                    Value::Bag(counts) => {
                        let named = members.iter().filter(|other| *other == m).count();
                        let there = usize::try_from(m - lo).ok().and_then(|i| counts.get(i));
                        there.is_some_and(|n| usize::from(*n) >= named)
                    }
                    _ => false,
                };
                match members.iter().all(has) {
                    true => Ok(()),
                    false => Err(complaint!("it has {}", show(&now, var))),
                }
            }
        }
    }

    /// The seat asked about (the one that decides, if none is named) and the choice meant.
    fn choice(&self, seat: Option<&str>, text: &str) -> Result<(u16, Choice), Complaint> {
        let seat = match (seat, self.status()?) {
            (Some(seat), _) => self.seat(seat)?,
            (None, Status::Decision(q)) => q.seat,
            (None, _) => return Err(complaint!("{}: name the seat", self.stands()?)),
        };
        let choice = self.rules.read(&self.position, text).map_err(Complaint::of)?;
        Ok((seat, choice))
    }

    fn ruled(
        &mut self,
        seat: Option<&str>,
        text: &str,
        verdict: Verdict,
        because: &[Because],
    ) -> Result<(), Complaint> {
        self.last = None;
        let status = self.status()?;
        let read = self.rules.read(&self.position, text);
        let (seat, choice, ruling) = match (&read, verdict) {
            // What is no choice here can still be known to be illegal.
            (Err(RulesError::Unread(Unread::Elsewhere(asked))), Verdict::Illegal) => {
                let seat = match (seat, &status) {
                    (Some(seat), _) => self.seat(seat)?,
                    (None, Status::Decision(q)) => q.seat,
                    (None, _) => return Err(complaint!("{}: name the seat", self.stands()?)),
                };
                self.about = None;
                (seat, Choice::Pass, self.rules.judge_elsewhere(&self.position, seat, asked))
            }
            _ => {
                let (seat, choice) = self.choice(seat, text)?;
                let ruling = self.rules.judge(&self.position, seat, choice);
                self.agreed(seat, choice, ruling.verdict)?;
                self.about = Some((seat, choice));
                (seat, choice, ruling)
            }
        };
        self.note(&ruling);
        let model = self.model();
        let result = if ruling.verdict == verdict {
            because.iter().find(|b| !fits(model, &ruling, b)).map_or(Ok(()), |b| {
                Err(complaint!(
                    "{b} is not among the reasons. The ruling is:\n{}",
                    self.in_words(seat, choice, &ruling).trim_end()
                ))
            })
        } else {
            Err(complaint!(
                "it is {}. The ruling is:\n{}",
                verdict_words(ruling.verdict),
                self.in_words(seat, choice, &ruling).trim_end()
            ))
        };
        self.last = Some(ruling);
        result
    }

    /// If there are two evaluators, they must agree.
    fn agreed(&self, seat: u16, choice: Choice, verdict: Verdict) -> Result<(), Complaint> {
        let asked = |s: &Status| matches!(s, Status::Decision(q) if q.seat == seat);
        if !self.rules.is_compiled() || verdict == Verdict::Undecided || !asked(&self.status()?) {
            return Ok(());
        }
        let listed = self.options()?.contains(&choice);
        if listed == (verdict == Verdict::Legal) {
            return Ok(());
        }
        let found = if listed { "lists it" } else { "does not list it" };
        Err(complaint!("the ruling is {}, while the compiled evaluator {found}", verdict_words(verdict)))
    }

    fn only(&self, seat: &str, texts: &[String]) -> Result<(), Complaint> {
        let seat = self.seat(seat)?;
        match self.status()? {
            Status::Decision(q) if q.seat == seat => {}
            _ => return Err(Complaint(self.stands()?)),
        }
        let options = self.options()?;
        let notations = self.notations(&options);
        let said: Vec<Vec<String>> =
            options.iter().map(|c| notations.iter().map(|notations| notations.of(*c)).collect()).collect();
        let wanted: Vec<String> = texts.iter().map(|t| bare(t)).collect();
        let missing: Vec<String> = texts
            .iter()
            .zip(&wanted)
            .filter(|(_, w)| !said.iter().flatten().any(|s| bare(s) == **w))
            .map(|(t, _)| t.clone())
            .collect();
        let more: Vec<String> = said
            .iter()
            .filter(|ways| !ways.iter().any(|s| wanted.contains(&bare(s))))
            .filter_map(|ways| ways.first().cloned())
            .collect();
        let mut words = Vec::new();
        if !missing.is_empty() {
            words.push(format!("{} is not an option", list(&missing, 8)));
        }
        if !more.is_empty() {
            words.push(format!("{} is an option too", list(&more, 8)));
        }
        match words.is_empty() {
            true => Ok(()),
            false => Err(Complaint(words.join(", and "))),
        }
    }

    /// How the options here are written in each language of the game.
    fn notations<'n>(&'n self, options: &'n [Choice]) -> Vec<Notations<'n>> {
        let explainer = self.rules.explainer();
        explainer.languages().iter().map(|lang| explainer.notations(&self.position, lang).among(options)).collect()
    }

    fn options(&self) -> Result<Vec<Choice>, Complaint> {
        self.rules.options(&self.position).map_err(Complaint::of)
    }

    fn odds(&self, a: u64, b: u64, text: &str) -> Result<(), Complaint> {
        if !matches!(self.status()?, Status::Chance(_)) {
            return Err(Complaint(self.stands()?));
        }
        let options = self.options()?;
        let (wanted, notations) = (bare(text), self.notations(&options));
        let is_wanted = |c: &&Choice| notations.iter().any(|notations| bare(&notations.of(**c)) == wanted);
        let hits = options.iter().filter(is_wanted).count() as u64;
        let all = options.len() as u64;
        if hits.checked_mul(b) == a.checked_mul(all) && all > 0 {
            return Ok(());
        }
        let said: Vec<String> = notations.first().map_or_else(Vec::new, |own| own.each(&options));
        Err(complaint!("it comes out {hits} times of {all} (of {})", list(&said, 8)))
    }

    fn over(&mut self, label: Option<&str>, fits: impl Fn(&Outcome) -> bool) -> Result<(), Complaint> {
        let Status::Over(outcome) = self.status()? else {
            return Err(Complaint(self.stands()?));
        };
        let model = self.model();
        let clause = model.ends.get(outcome.ending).map(|e| e.clause);
        self.clauses.extend(clause);
        let meant = |label: &str| {
            clause.is_some_and(|c| {
                is_meant(model, c, &Because::Label(label.to_owned()))
                    || is_meant(model, c, &Because::Cite(label.to_owned()))
            })
        };
        match fits(&outcome) && label.is_none_or(meant) {
            true => Ok(()),
            false => Err(Complaint(self.stands()?)),
        }
    }

    fn score(&self, scores: &[(String, i32)]) -> Result<(), Complaint> {
        let Status::Over(outcome) = self.status()? else {
            return Err(Complaint(self.stands()?));
        };
        for (seat, wanted) in scores {
            let seat = self.seat(seat)?;
            let now = outcome.scores.get(seat as usize).copied().unwrap_or(0);
            if now != *wanted {
                return Err(complaint!("{} has {now}", self.seat_name(seat)));
            }
        }
        Ok(())
    }

    fn holds(&mut self, expr: &str, because: &[Because]) -> Result<(), Complaint> {
        let (value, derived) = self.rules.ask(&self.position, expr).map_err(Complaint::of)?;
        let model = self.model();
        // A silence that switched a clause off counts like a clause that applies.
        let deciding = |c: &Considered| match c.fate {
            Fate::Applies => Some(c.clause),
            Fate::Silenced(by) | Fate::Beaten(by) => Some(by),
            Fate::Fails | Fate::UsedUp => None,
        };
        let by: Vec<ClauseId> = derived.iter().flat_map(|d| &d.by).filter_map(deciding).collect();
        let lost = derived.iter().flat_map(|d| &d.by).filter(|c| !matches!(c.fate, Fate::Applies | Fate::Fails));
        self.last = Some(Ruling { overruled: lost.cloned().collect(), ..Ruling::new(Verdict::Legal, Reason::Offered) });
        self.clauses.extend(&by);
        let saw = || {
            let lexicon = Lexicon::new(self.rules.model(), "");
            let all: Vec<String> = derived.iter().map(|d| lexicon.derived(d)).collect();
            match all.is_empty() {
                true => String::new(),
                false => format!(" ({})", all.join(", ")),
            }
        };
        if !value.truth() {
            return Err(complaint!("it does not hold{}", saw()));
        }
        for wanted in because {
            if !by.iter().any(|c| is_meant(model, *c, wanted)) {
                let named = named(model, by.iter().copied());
                return Err(complaint!("it holds by {named}{}", saw()));
            }
        }
        Ok(())
    }

    fn last(&self) -> Result<&Ruling, Complaint> {
        self.last.as_ref().ok_or_else(|| {
            Complaint::from(
                "there is no ruling before it: first write `legal \"...\"`, `SEAT may \"...\"` or `ask \"...\"`",
            )
        })
    }

    fn overruled(&self, lost: &Because, by: Option<&Because>) -> Result<(), Complaint> {
        let ruling = self.last()?;
        let model = self.model();
        let winner = |c: &Considered| match c.fate {
            Fate::Silenced(by) | Fate::Beaten(by) => Some(by),
            _ => None,
        };
        let derived = ruling.derived.iter().flat_map(|d| &d.by);
        let losers: Vec<&Considered> =
            ruling.overruled.iter().chain(derived.filter(|c| c.fate != Fate::Applies)).collect();
        let found = losers.iter().any(|c| {
            is_meant(model, c.clause, lost) && by.is_none_or(|by| winner(c).is_some_and(|w| is_meant(model, w, by)))
        });
        if found {
            return Ok(());
        }
        let all: Vec<String> = losers
            .iter()
            .map(|c| {
                let by = winner(c).map_or_else(String::new, |w| format!(" by {}", named(model, std::iter::once(w))));
                format!("{}{by}", named(model, std::iter::once(c.clause)))
            })
            .collect();
        Err(match all.is_empty() {
            true => Complaint::from("nothing is overruled"),
            false => complaint!("overruled is {}", all.join("; ")),
        })
    }

    fn depends_on(&self, name: &str) -> Result<(), Complaint> {
        let ruling = self.last()?;
        let after = |(seat, choice)| self.rules.judge_after(&self.history, &self.position, seat, choice);
        let readings = self.about.map_or_else(|| ruling.readings.clone(), |about| after(about).readings);
        let names: Vec<String> =
            readings.iter().filter_map(|(id, _)| self.model().config.get(id.i())).map(|c| c.name.clone()).collect();
        match (names.iter().any(|n| n == name), names.is_empty()) {
            (true, _) => Ok(()),
            (_, true) => Err(Complaint::from("the verdict depends on no reading")),
            _ => Err(complaint!("it depends on {}", names.join(", "))),
        }
    }
}

/// Whether a reason is among those of a ruling.
fn fits(model: &Model, ruling: &Ruling, because: &Because) -> bool {
    let any = |list: &[Considered]| list.iter().any(|c| is_meant(model, c.clause, because));
    match because {
        Because::Reason(reason) => matches!(
            (reason.as_str(), &ruling.reason),
            ("no permission", Reason::NoPermission)
                | ("no such action", Reason::NoSuchAction)
                | ("not your decision", Reason::NotYourDecision(_))
                | ("game over", Reason::GameOver)
        ),
        _ if matches!(ruling.reason, Reason::NoPermission | Reason::NoSuchAction | Reason::NotYourDecision(_)) => {
            let withheld = ruling.moment.as_ref().and_then(|m| m.withheld());
            any(ruling.misses.get(..1).unwrap_or(&[]))
                || any(&ruling.deciding)
                || withheld.is_some_and(|c| {
                    let by = if let Fate::Silenced(by) = c.fate { Some(by) } else { None };
                    std::iter::once(c.clause).chain(by).any(|id| is_meant(model, id, because))
                })
        }
        _ => any(&ruling.deciding),
    }
}
