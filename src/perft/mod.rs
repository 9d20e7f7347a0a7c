//! Perft: counts the positions ahead, which pins down rules and evaluators.

mod table;

pub use table::{FILE, Row, START, table};

use crate::game::{Choice, Evaluator, Fault, Position};

/// The maximum number of plies: each is a nested call.
pub const MAX_PERFT_DEPTH: u32 = 1000;

/// The number of positions at a depth in plies; outcomes of chance count like choices, and all copies that can be drawn
/// of one value as one. A position where the game is over counts only at depth 0.
///
/// # Errors
/// A fault of the rules on the way.
pub fn perft<E: Evaluator + ?Sized>(evaluator: &E, position: &Position, depth: u32) -> Result<u64, Fault> {
    Ok(perft_while(evaluator, position, depth, &|| true)?.unwrap_or(0))
}

/// The same as long as one goes on; `None` if it was broken off.
///
/// # Errors
/// A fault of the rules on the way.
pub fn perft_while<E: Evaluator + ?Sized>(
    evaluator: &E,
    position: &Position,
    depth: u32,
    go_on: &dyn Fn() -> bool,
) -> Result<Option<u64>, Fault> {
    counted(evaluator, position, depth, (evaluator.model().draws(), go_on))
}

fn counted<E: Evaluator + ?Sized>(
    evaluator: &E,
    position: &Position,
    depth: u32,
    (draws, go_on): (bool, &dyn Fn() -> bool),
) -> Result<Option<u64>, Fault> {
    if depth == 0 {
        return Ok(Some(1));
    }
    if depth == 1 && !draws {
        return Ok(Some(evaluator.count(position)? as u64));
    }
    let options = distinct(evaluator, position)?;
    if depth == 1 {
        return Ok(Some(options.len() as u64));
    }
    let mut total = 0;
    let mut next = position.clone();
    for choice in options {
        next.clone_from(position);
        evaluator.apply(&mut next, choice)?;
        let ahead = if go_on() { counted(evaluator, &next, depth - 1, (draws, go_on))? } else { None };
        let Some(ahead) = ahead else { return Ok(None) };
        total = u64::saturating_add(total, ahead);
    }
    Ok(Some(total))
}

/// The options, each once: the copies of one value stand side by side.
fn distinct<E: Evaluator + ?Sized>(evaluator: &E, position: &Position) -> Result<Vec<Choice>, Fault> {
    let mut options = evaluator.options(position)?;
    options.dedup();
    Ok(options)
}

/// The same, for each first choice separately, in the order of the options.
///
/// # Errors
/// A fault of the rules on the way.
pub fn divide<E: Evaluator + ?Sized>(
    evaluator: &E,
    position: &Position,
    depth: u32,
) -> Result<Vec<(Choice, u64)>, Fault> {
    let mut counts = Vec::new();
    for choice in distinct(evaluator, position)? {
        let mut next = position.clone();
        evaluator.apply(&mut next, choice)?;
        counts.push((choice, perft(evaluator, &next, depth.saturating_sub(1))?));
    }
    Ok(counts)
}
