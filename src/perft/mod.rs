//! Perft: counts the positions ahead, which pins down rules and evaluators.

mod table;

pub use table::{FILE, Row, START, table};

use crate::game::{Choice, Evaluator, Fault, Position};

/// The maximum number of plies: each is a nested call.
pub const MAX_PERFT_DEPTH: u32 = 1000;

/// The number of positions at a depth in plies; outcomes of chance count like choices. A position where the game is
/// over counts only at depth 0.
///
/// # Errors
/// A fault of the rules on the way.
pub fn perft<E: Evaluator + ?Sized>(evaluator: &E, position: &Position, depth: u32) -> Result<u64, Fault> {
    if depth == 0 {
        return Ok(1);
    }
    if depth == 1 {
        return Ok(evaluator.count(position)? as u64);
    }
    let mut total = 0;
    let mut next = position.clone();
    for choice in evaluator.options(position)? {
        next.bytes_mut().copy_from_slice(position.bytes());
        evaluator.apply(&mut next, choice)?;
        total = u64::saturating_add(total, perft(evaluator, &next, depth - 1)?);
    }
    Ok(total)
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
    for choice in evaluator.options(position)? {
        let mut next = position.clone();
        evaluator.apply(&mut next, choice)?;
        counts.push((choice, perft(evaluator, &next, depth.saturating_sub(1))?));
    }
    Ok(counts)
}
