//! Counting all ways a game can go on: the numbers that pin an evaluator.

mod table;

pub use table::{FILE, Row, START, table};

use crate::game::{Choice, Evaluator, Fault, Position};

/// Plies that can be counted ahead: each is a call inside another.
pub const MAX_PERFT_DEPTH: u32 = 1000;

/// How many positions lie so many choices ahead, outcomes of chance counted like choices. A game that ends earlier counts at depth 0 only.
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

/// The same, for each first choice by itself, in the order of the options.
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
