//! Expectations about what lies ahead: how likely something is, and whether a win is forced.

use super::Expectation;
use super::complaint::{Complaint, complaint};
use super::expect::Bench;
use crate::explain::Explainer;
use crate::facts::parse::{Rule, unquoted};
use crate::game::Evaluator as _;
use crate::lexicon::{Lexicon, Words};
use crate::model::PLAYER;
use crate::search::{self, FORMS, Halt, Odds, Policy, Query, Ratio, Solved, Solver, Unclear, Until};
use pest::iterators::Pair;

/// `odds 11/36 of hits >= 1 until battle is not on within 9 plies with Dark random, Good "stand", random`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Likely {
    /// Whether it is the mean of a number, not a probability.
    pub mean: bool,
    /// Numerator and denominator.
    pub wanted: (i64, u64),
    /// The question.
    pub of: String,
    /// When it is asked; `None` when everything that was begun is done.
    pub until: Option<String>,
    /// How far it is looked ahead.
    pub within: Within,
    /// How seats decide.
    pub players: Vec<Decider>,
}

/// `within 12 plies and 900000 positions`; what is left out has a bound of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Within {
    /// The maximum number of plies.
    pub plies: Option<usize>,
    /// The maximum number of positions.
    pub positions: Option<usize>,
}

/// `Good "stand", random`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decider {
    /// The seat; `None` for all that are not named.
    pub seat: Option<String>,
    /// Answers and words, in their order.
    pub how: Vec<String>,
}

/// `not forced for Good open within 12 plies and 900000 positions`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// The seat that is to win.
    pub seat: String,
    /// Whether it is forced.
    pub wanted: bool,
    /// Whether the seat knows the whole position.
    pub open: bool,
    /// How far it is looked ahead.
    pub within: Within,
}

/// The maximum number of positions that a case can ask for: so many fit in memory.
const MAX_POSITIONS: usize = 100_000_000;

fn within(pair: Pair<'_, Rule>) -> Result<Within, Complaint> {
    let mut within = Within::default();
    for bound in pair.into_inner().filter(|p| p.as_rule() == Rule::bound) {
        let text = bound.as_str().to_owned();
        let parts: Vec<Pair<'_, Rule>> = bound.into_inner().collect();
        let number = parts.iter().find(|p| p.as_rule() == Rule::part).and_then(|p| p.as_str().parse().ok());
        let number: Option<usize> = number.filter(|n| *n > 0);
        let (place, most) = match parts.iter().any(|p| p.as_rule() == Rule::kw_positions) {
            true => (&mut within.positions, MAX_POSITIONS),
            false => (&mut within.plies, usize::MAX),
        };
        let Some(number) = number.filter(|n| *n <= most) else {
            return Err(complaint!("`within {text}`: write a whole number from 1 to {most}"));
        };
        if place.replace(number).is_some() {
            return Err(complaint!("`within {text}`: this bound is given twice"));
        }
    }
    Ok(within)
}

/// `odds ...` and `mean ...`
pub(super) fn likely(form: Pair<'_, Rule>) -> Result<Expectation, Complaint> {
    let mut likely = Likely { mean: form.as_rule() == Rule::mean, ..Likely::default() };
    for pair in form.into_inner() {
        match pair.as_rule() {
            Rule::fraction => likely.wanted = fraction(pair)?,
            Rule::asked => likely.of = pair.as_str().trim().to_owned(),
            Rule::term => {
                for term in pair.into_inner() {
                    match term.as_rule() {
                        Rule::until => {
                            let asked = term.into_inner().find(|p| p.as_rule() == Rule::asked);
                            likely.until = asked.map(|p| p.as_str().trim().to_owned());
                        }
                        Rule::within => likely.within = within(term)?,
                        Rule::with => likely.players = deciders(term),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    Ok(Expectation::Likely(Box::new(likely)))
}

fn fraction(pair: Pair<'_, Rule>) -> Result<(i64, u64), Complaint> {
    let mut parts = pair.into_inner().filter(|p| matches!(p.as_rule(), Rule::number | Rule::part));
    let over = parts.next().and_then(|p| p.as_str().parse().ok());
    let under = parts.next().map_or(Some(1), |p| p.as_str().parse().ok().filter(|n| *n > 0));
    over.zip(under).ok_or_else(|| Complaint::from("this is not a fraction: write `11/36`"))
}

fn deciders(with: Pair<'_, Rule>) -> Vec<Decider> {
    let mut found: Vec<Decider> = Vec::new();
    for player in with.into_inner().filter(|p| p.as_rule() == Rule::player) {
        let mut how = None;
        for part in player.into_inner() {
            match part.as_rule() {
                Rule::named => {
                    let name = part.as_str().trim();
                    let seat = (name != "everyone").then(|| name.to_owned());
                    found.push(Decider { seat, how: Vec::new() });
                }
                Rule::quoted => how = Some(unquoted(part)),
                Rule::kw_how => how = Some(part.as_str().to_owned()),
                _ => {}
            }
        }
        if found.is_empty() {
            found.push(Decider::default());
        }
        if let Some(last) = found.last_mut() {
            last.how.extend(how);
        }
    }
    found
}

/// `forced for ...`
pub(super) fn forced(form: Pair<'_, Rule>) -> Result<Expectation, Complaint> {
    let mut forced = Forced { wanted: true, ..Forced::default() };
    for pair in form.into_inner() {
        match pair.as_rule() {
            Rule::kw_not => forced.wanted = false,
            Rule::forcer => forced.seat = pair.as_str().trim().to_owned(),
            Rule::kw_open => forced.open = true,
            Rule::within => forced.within = within(pair)?,
            _ => {}
        }
    }
    Ok(Expectation::Forced(forced))
}

/// The maximum numbers of plies and positions, unless a case gives others.
const PLIES: usize = 10_000;
const POSITIONS: usize = 2_000_000;
/// The same for a forced win, and the maximum number of hidden arrangements.
const DEPTH: usize = 40;
const SEARCHED: usize = 500_000;
const WORLDS: usize = 5_000;

impl Bench<'_> {
    /// Checks the probability of an answer, or its mean.
    pub(super) fn likely(&self, likely: &Likely) -> Result<(), Complaint> {
        let rules = self.rules.explainer();
        let query = Query::new(rules, &likely.of).map_err(|m| format!("{m}; ask {FORMS}"))?;
        let until = self.until(rules, likely.until.as_deref())?;
        let players = self.players(&likely.players)?;
        let odds = Odds {
            begun: !self.history.choices.is_empty(),
            engine: self.rules.evaluators(),
            until: &until,
            players: &players,
            plies: likely.within.plies.unwrap_or(PLIES),
            most: likely.within.positions.unwrap_or(POSITIONS),
            watch: &|_| {},
            lang: "",
        };
        let chances = odds.ask(vec![(self.position.clone(), Ratio::ONE)], &query).map_err(|halt| match halt {
            Halt::Fault(fault) => fault.words(rules.model()),
            Halt::Unsaid { .. } => format!("{halt}; add `with SEAT random`, or an option in quotes"),
            other => other.to_string(),
        })?;
        if !chances.rest.is_zero() {
            let more = format!("`within {} positions`", odds.most.saturating_mul(10).min(MAX_POSITIONS));
            return Err(complaint!("of {} it is not known within the bounds; allow more with {more}", chances.rest));
        }
        let found = match (likely.mean, query.is_truth(), query.is_number()) {
            (false, true, _) => chances.yes(),
            (true, _, true) => chances.mean().unwrap_or(Ratio::ZERO),
            (false, ..) => return Err(complaint!("`{}` is not yes or no: compare it, or ask its `mean`", likely.of)),
            (true, ..) => return Err(complaint!("`{}` is not a number, and has no mean", likely.of)),
        };
        let (over, under) = likely.wanted;
        if found == Ratio::new(over, under) {
            return Ok(());
        }
        let word = if likely.mean { "the mean is" } else { "it is" };
        let lexicon = Lexicon::new(rules.model(), "");
        let all: Vec<String> = chances.of.iter().map(|(v, c)| format!("{}: {c}", query.words(v, &lexicon))).collect();
        Err(complaint!("{word} {} ({})", found, all.join(", ")))
    }

    fn until(&self, rules: &Explainer, text: Option<&str>) -> Result<Until, Complaint> {
        Ok(match text {
            None | Some("next") => Until::Level(self.level),
            Some("decision") => Until::Decision,
            Some("over") => Until::Over,
            Some(condition) => Until::Holds(Query::condition(rules, condition).map_err(|m| format!("until: {m}"))?),
        })
    }

    fn players(&self, deciders: &[Decider]) -> Result<Vec<Policy>, Complaint> {
        let policy = |decider: &Decider| {
            let mut policy = Policy::default();
            decider.how.iter().for_each(|part| policy.add(part));
            policy
        };
        let others = deciders.iter().find(|d| d.seat.is_none()).map_or_else(Policy::default, policy);
        let seats = self.rules.model().kinds.get(PLAYER.i()).map_or(0, |k| k.members.len());
        let mut players = vec![others; seats];
        for decider in deciders {
            if let Some(name) = &decider.seat
                && let Some(place) = players.get_mut(usize::from(self.seat(name)?))
            {
                *place = policy(decider);
            }
        }
        Ok(players)
    }

    /// Checks a forced win.
    pub(super) fn forced(&self, forced: &Forced) -> Result<(), Complaint> {
        let rules = self.rules.explainer();
        let seat = self.seat(&forced.seat)?;
        let in_words = |fault: &crate::game::Fault| fault.words(rules.model());
        let from =
            match forced.open {
                true => vec![self.position.clone()],
                false => search::worlds(self.rules.evaluators(), &self.position, seat, WORLDS).map_err(|unclear| {
                    match unclear {
                        Unclear::Fault(fault) => in_words(&fault),
                        other => format!("{other}; write `open` to take the position as it lies"),
                    }
                })?,
            };
        let most = forced.within.positions.unwrap_or(SEARCHED);
        let depth = forced.within.plies.unwrap_or(DEPTH);
        let mut solver = Solver::new(self.rules.evaluators(), seat, forced.open, most, &|_| {});
        let solved = solver.solve(&from, depth).map_err(|f| in_words(&f))?;
        match (solved, forced.wanted) {
            (Solved::Forced(_), true) | (Solved::Never | Solved::NotWithin(_), false) => Ok(()),
            (Solved::Forced(plies), false) => {
                let plans = solver.plan(&from, plies).map_err(|f| in_words(&f))?.unwrap_or_default();
                let lines = search::lines(&forced.seat, &plans, Words::english());
                let shown = lines.iter().take(12).map(|l| format!("\n  {l}")).collect::<String>();
                Err(complaint!("it is, within {plies} plies:{shown}"))
            }
            (Solved::Undecided(plies), _) => Err(complaint!(
                "it is not known: {most} positions are not enough, and within {plies} plies it is not forced; allow \
                more with `within {} positions`",
                most.saturating_mul(10).min(MAX_POSITIONS)
            )),
            (Solved::Never, true) => {
                let escapes = solver.escapes(&from, depth).map_err(|f| in_words(&f))?;
                Err(complaint!("it is not, however long it takes: {}", search::escape_words(&escapes)))
            }
            (Solved::NotWithin(plies), true) => {
                let escapes = solver.escapes(&from, plies).map_err(|f| in_words(&f))?;
                Err(complaint!("it is not within {plies} plies: {}", search::escape_words(&escapes)))
            }
        }
    }
}
