//! Whether the stack of a position is one that play can come to. Machine code returns to the caller of a code without a
//! check if there is only one; so it must see only stacks that it or the evaluators could have built.

use crate::engine::eval::uint;
use crate::engine::program::{Op, Program};

/// The bytes of a position that say what is active: the stack with its depth, and the counts of codes, which follow it.
pub(super) fn part(program: &Program) -> std::ops::Range<usize> {
    let stack = program.layout.stack + 4 * program.layout.max_depth;
    let counts = program.codes.iter().filter_map(|c| c.active).map(|(at, _)| at + 1);
    program.layout.depth as usize..counts.fold(stack, u32::max) as usize
}

/// Whether play is the lowest of the stack, each code above it is begun where the one below says, the uppermost asks
/// something, and the counts are right.
pub(super) fn are_sound(program: &Program, bytes: &[u8]) -> bool {
    let depth = uint(bytes, program.layout.depth as usize, 1);
    if depth == 0 || depth > program.layout.max_depth {
        return false;
    }
    let frame = |d: u32| {
        let at = (program.layout.stack + 4 * d) as usize;
        (uint(bytes, at, 2) as usize, uint(bytes, at + 2, 2) as u16)
    };
    let begun = |d: u32| match d.checked_sub(1) {
        None => frame(d).0 == program.play,
        Some(below) => program.returns.get(frame(d).0).is_some_and(|backs| backs.contains(&frame(below))),
    };
    let count = |code: usize| (0..depth).filter(|d| frame(*d).0 == code).count();
    let counted = program.codes.iter().enumerate().filter_map(|(i, c)| Some((i, c.active?.0)));
    (0..depth).all(begun)
        && matches!(program.op(frame(depth - 1)), Some(Op::Choose { .. } | Op::Chance { .. }))
        && counted.into_iter().all(|(code, at)| uint(bytes, at as usize, 1) as usize == count(code))
}
