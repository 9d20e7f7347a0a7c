//! A position as facts.

use super::{Fact, Move, Names, Settings, resolve};
use crate::explain::Explainer;
use crate::game::{Choice, Evaluator as _, Position, Status};
use crate::lexicon::{fact_value, unique_name};
use crate::model::{Model, Ty, Value, VarId, VarOwner};
use std::fmt::Write;

/// The maximum number of ways tried to fill the parameters of an entry's phrase.
const MAX_PHRASE_ARGUMENTS: usize = 4096;

/// Facts that restore a position exactly, including the phrase, one on a line and without the `given` line; `None` if
/// no entry leads to it.
#[must_use]
pub fn write(referee: &Explainer, position: &Position) -> Option<String> {
    if position.ending(referee.model()).is_some() {
        return None;
    }
    let model = referee.model();
    for (e, entry) in model.entries.iter().enumerate() {
        for args in tuples(model, &entry.params) {
            let found =
                fit(referee, position, e, &args).and_then(|facts| describe(referee, position, &facts, e, &args));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// The variables a fact can state.
fn statable(model: &Model) -> impl Iterator<Item = (VarId, usize)> {
    model.vars.iter().enumerate().flat_map(|(v, var)| {
        let count = match var.owner {
            VarOwner::Code(_) => 0,
            _ => var.place.count as usize,
        };
        (0..count).map(move |i| (VarId(v as u16), i))
    })
}

/// The ways to fill parameters, up to a maximum.
pub(super) fn tuples(model: &Model, params: &[(String, Ty)]) -> Vec<Vec<i32>> {
    let mut all: Vec<Vec<i32>> = vec![Vec::new()];
    for (_, ty) in params {
        let Some(range) = model.values(&ty.base) else { return Vec::new() };
        all = all
            .iter()
            .flat_map(|t| {
                range.clone().take(MAX_PHRASE_ARGUMENTS).map(move |v| {
                    let mut t = t.clone();
                    t.push(v);
                    t
                })
            })
            .take(MAX_PHRASE_ARGUMENTS)
            .collect();
    }
    all
}

/// The blank position with facts such that an entry leads exactly to the position. If play changes something by a fixed
/// amount on the way to the decision point (a counter of turns, counters in a bag), it is set that much lower.
pub(super) fn fit(referee: &Explainer, position: &Position, entry: usize, args: &[i32]) -> Option<Position> {
    let model = referee.model();
    let mut facts = referee.blank().ok()?;
    for (var, i) in statable(model) {
        let value = position.read(model, var, i);
        if facts.read(model, var, i) != value && !facts.write(model, var, i, &value) {
            return None;
        }
    }
    for _ in 0..3 {
        let reached = referee.enter(facts.clone(), entry, args).ok()?;
        if reached == *position {
            return Some(facts);
        }
        let mut changed = false;
        for (var, i) in statable(model) {
            let (got, want) = (reached.read(model, var, i), position.read(model, var, i));
            if got == want {
                continue;
            }
            let earlier = match (facts.read(model, var, i), got, want) {
                (Value::Int(now), Value::Int(got), Value::Int(want)) => {
                    Value::Int(now.checked_sub(got.checked_sub(want)?)?)
                }
                (Value::Bag(now), Value::Bag(got), Value::Bag(want)) => {
                    let less = |((now, got), want): ((&u16, &u16), &u16)| {
                        u16::try_from(i32::from(*now) - (i32::from(*got) - i32::from(*want))).ok()
                    };
                    Value::Bag(now.iter().zip(&got).zip(&want).map(less).collect::<Option<_>>()?)
                }
                _ => continue,
            };
            if !facts.write(model, var, i, &earlier) {
                return None;
            }
            changed = true;
        }
        if !changed {
            return None;
        }
    }
    None
}

/// Values as facts, with the phrase of an entry as the last line.
pub(super) fn fact_lines(
    model: &Model,
    said: &[(VarId, usize, Value)],
    entry: usize,
    args: &[i32],
) -> Option<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some((var, _, value)) = said.get(at) {
        let decl = model.vars.get(var.i())?;
        if let VarOwner::Field(kind) = decl.owner {
            let group: Vec<&(VarId, usize, Value)> = said.iter().filter(|s| s.0 == *var).collect();
            at += group.len();
            let mut done: Vec<&Value> = Vec::new();
            for (_, _, value) in &group {
                if done.contains(&value) {
                    continue;
                }
                done.push(value);
                let who: Vec<String> =
                    group.iter().filter(|g| g.2 == *value).map(|g| unique_name(model, kind, g.1 as u16)).collect();
                let field = decl.name.rsplit('.').next().unwrap_or(&decl.name);
                lines.push(format!("{} {field} {}", who.join(", "), fact_value(model, &decl.ty, value)?));
            }
            continue;
        }
        let (_, index, _) = said.get(at)?;
        let of = match decl.index {
            Some(k) => format!(" of {}", unique_name(model, k, *index as u16)),
            None => String::new(),
        };
        lines.push(format!("{}{of}: {}", decl.name, fact_value(model, &decl.ty, value)?));
        at += 1;
    }
    let decl = model.entries.get(entry)?;
    let mut phrase = decl.phrase.text.clone();
    for ((name, ty), value) in decl.params.iter().zip(args) {
        let text = fact_value(model, ty, &Value::Int(*value))?;
        phrase = phrase.replace(&format!("{{{name}}}"), &text);
    }
    lines.push(phrase);
    Some(lines)
}

/// The facts in words; checked by reading them back.
fn describe(referee: &Explainer, position: &Position, facts: &Position, entry: usize, args: &[i32]) -> Option<String> {
    let model = referee.model();
    let blank = referee.blank().ok()?;
    let mut lean = blank.clone();
    let mut said: Vec<(VarId, usize, Value)> = Vec::new();
    for (var, i) in statable(model) {
        let value = facts.read(model, var, i);
        if blank.read(model, var, i) != value {
            if !lean.write(model, var, i, &value) {
                return None;
            }
            said.push((var, i, value));
        }
    }
    // What the entry itself sets need not be stated.
    said.retain(|(var, i, value)| {
        let game = model.vars.get(var.i()).is_some_and(|v| v.owner == VarOwner::Game);
        let default = blank.read(model, *var, *i);
        if !game || !lean.write(model, *var, *i, &default) {
            let _ = lean.write(model, *var, *i, value);
            return true;
        }
        if referee.enter(lean.clone(), entry, args).ok().as_ref() == Some(position) {
            return false;
        }
        let _ = lean.write(model, *var, *i, value);
        true
    });
    let lines = fact_lines(model, &said, entry, args)?;
    let mut again = blank;
    let names = Names::new(model);
    let mut goes_on = None;
    for line in &lines {
        match resolve(model, &names, line).ok()? {
            Fact::Entry { entry, args } => goes_on = Some((entry, args)),
            fact => fact.put(model, &mut again).ok()?,
        }
    }
    let (entry, args) = goes_on?;
    let same = referee.enter(again, entry, &args).ok().as_ref() == Some(position);
    same.then(|| lines.join("\n"))
}

/// Any position as text: facts for the last position of its history that an entry leads to, or the start, and the moves
/// since.
#[must_use]
pub fn save(referee: &Explainer, settings: &Settings, history: &[(Position, Choice)], current: &Position) -> String {
    let mut header = settings.rules();
    let positions = history.iter().map(|(p, _)| p).chain(std::iter::once(current));
    let numbered: Vec<(usize, &Position)> = positions.enumerate().collect();
    let found = numbered.iter().rev().find_map(|(i, p)| Some((*i, write(referee, p)?)));
    let (from, mut out) = match found {
        Some((i, facts)) => {
            let mut out = format!("{header}\n");
            for line in facts.lines() {
                let _ = writeln!(out, "  {line}");
            }
            (i, out)
        }
        None => {
            header.from_start = true;
            (0, format!("{header}\n"))
        }
    };
    let moves = history.get(from..).unwrap_or(&[]);
    if !moves.is_empty() {
        out.push_str("when\n");
    }
    for (position, choice) in moves {
        let made = written(referee, position, *choice);
        let _ = writeln!(out, "  {}: {}", made.who, made.text);
    }
    out
}

/// A choice as a line of a script.
#[must_use]
pub(crate) fn written(referee: &Explainer, position: &Position, choice: Choice) -> Move {
    let who = match referee.status(position) {
        Ok(Status::Decision(q)) => super::scene::seat_text(referee.model(), q.seat),
        _ => String::from("chance"),
    };
    Move { who, text: referee.say(position, choice, ""), ..Move::default() }
}
