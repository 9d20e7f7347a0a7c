//! A record as text.

use super::{Record, RecordedEnd, RecordedPly, RecordedResult};
use crate::explain::Explainer;
use crate::facts::{unique_name, written};
use crate::game::{Choice, Evaluator, Outcome, Position};
use crate::model::{Model, PLAYER};
use crate::notation;
use std::fmt::Write;

/// A text that can stand in quotes on one line.
fn quoted(text: &str) -> String {
    let plain = text.replace('"', "'");
    format!("\"{}\"", plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The text of a record. Reading it gives the same record again, except for lines and columns.
#[must_use]
pub fn write(record: &Record) -> String {
    let mut out = format!("record {}\n", record.settings.game);
    if let Some(title) = &record.title {
        let _ = writeln!(out, "title {}", quoted(title));
    }
    let list = record.settings.list();
    if !list.is_empty() {
        let _ = writeln!(out, "with {list}");
    }
    for list in &record.settings.lists {
        let _ = writeln!(out, "with {}", list.setting());
    }
    if let Some(rules) = record.rules {
        let _ = writeln!(out, "rules {rules:016x}");
    }
    for (seat, name) in &record.seats {
        let _ = writeln!(out, "{seat} {}", quoted(name));
    }
    if let Some(seed) = record.seed {
        let _ = writeln!(out, "seed {seed}");
    }
    if let Some(scene) = &record.scene {
        out.push_str("given\n");
        for label in &scene.waived {
            let _ = writeln!(out, "  impossible {}", quoted(&label.text));
        }
        for fact in &scene.facts {
            let _ = writeln!(out, "  {}", fact.text);
        }
    }
    if !record.plies.is_empty() {
        out.push('\n');
    }
    for (i, ply) in record.plies.iter().enumerate() {
        out.push_str(&ply_line(i + 1, ply));
        out.push('\n');
    }
    if let Some(result) = &record.result {
        out.push_str(&result_line(result));
    }
    out
}

/// The line of a ply by its number, without its end.
pub(super) fn ply_line(number: usize, ply: &RecordedPly) -> String {
    let mut out = format!("{number}. {}: {}", ply.made.who, ply.made.text);
    // A digest without a number of options cannot be written, so it is left out.
    if let Some(options) = ply.options {
        let _ = write!(out, " ; {options}");
        if let Some(digest) = ply.digest {
            let _ = write!(out, " {digest:016x}");
        }
    }
    out
}

/// The last line of a record.
#[must_use]
pub fn result_line(result: &RecordedResult) -> String {
    let mut out = String::from("result ");
    match &result.end {
        RecordedEnd::Unfinished => out.push_str("none"),
        RecordedEnd::Draw => out.push_str("draw"),
        RecordedEnd::Wins(seats) => {
            let _ = write!(out, "{} wins", seats.join(", "));
        }
        RecordedEnd::Resigns(seat) => {
            let _ = write!(out, "{seat} resigns");
        }
    }
    if result.end != RecordedEnd::Unfinished {
        if let Some(label) = &result.label {
            let _ = write!(out, " {}", quoted(label));
        }
        if !result.scores.is_empty() {
            let scores: Vec<String> = result.scores.iter().map(i32::to_string).collect();
            let _ = write!(out, " {}", scores.join("-"));
        }
    }
    out.push('\n');
    out
}

/// A choice at a position as a line of a record, with the number of options, which the evaluator lists, and the digest
/// of the position. Of options that are written alike and lead to different positions the line says which one is meant.
#[must_use]
pub fn ply((evaluator, referee): (&dyn Evaluator, &Explainer), position: &Position, choice: Choice) -> RecordedPly {
    let options = evaluator.options(position).ok();
    let mut made = written(referee, position, choice);
    let number = options.as_ref().and_then(|all| notation::number_among_alike(referee, position, all, choice));
    if let Some(number) = number {
        let _ = write!(made.text, " #{number}");
    }
    RecordedPly { made, options: options.as_ref().map(Vec::len), digest: options.map(|_| position.digest()) }
}

/// An outcome as a record's last line; `None` if the game is not over.
#[must_use]
pub fn result_of(model: &Model, outcome: Option<&Outcome>) -> RecordedResult {
    let Some(outcome) = outcome else {
        return RecordedResult::default();
    };
    let winners: Vec<String> = outcome.winners.iter().map(|w| unique_name(model, PLAYER, *w)).collect();
    let label = model
        .ends
        .get(outcome.ending)
        .and_then(|e| model.clause(e.clause))
        .map(|c| c.label.text.clone())
        .filter(|l| !l.is_empty());
    RecordedResult {
        end: match winners.is_empty() {
            true => RecordedEnd::Draw,
            false => RecordedEnd::Wins(winners),
        },
        label,
        scores: outcome.scores.clone(),
        line: 0,
    }
}
