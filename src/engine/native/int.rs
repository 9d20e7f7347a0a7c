//! Numbers and sets while a function is built.

use cranelift_codegen::ir::Value;

use crate::engine::bits::Narrow;
use crate::engine::ir::NONE;

/// A number, or nothing.
///
/// Its description decides whether an address computed from it is tested:
/// [`Build::offset`](super::build::Build::offset) leaves the test out if the number is `sure`, not `maybe`, and within
/// bounds. So `sure` is set only where a proof stands beside it that holds whatever bytes a position has, and also
/// where something failed on the way: a failure is only noted, and what follows it is computed all the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int {
    /// 32 bits.
    pub v: Value,
    pub form: Form,
    /// Bounds of the number, where there is one.
    pub lo: i64,
    pub hi: i64,
    /// Whether it can be nothing.
    pub maybe: bool,
    /// Whether the bounds and `maybe` hold whatever bytes a position has and whatever failed before.
    pub sure: bool,
}

/// How a number is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is; nothing is [`NONE`].
    Plain,
    /// As it is stored: the number less this; nothing is 0.
    Stored(i32),
}

impl Int {
    /// A number that is certainly there: a proof stands where this is called.
    pub fn plain(v: Value, lo: i64, hi: i64) -> Int {
        Int { v, form: Form::Plain, lo, hi, maybe: false, sure: true }
    }

    /// The number, if it is known beforehand.
    pub fn known(&self) -> Option<i32> {
        (self.sure && !self.maybe && self.form == Form::Plain && self.lo == self.hi).then_some(self.lo as i32)
    }

    /// A number of which nothing is known.
    pub fn any(v: Value) -> Int {
        // Proof: all that 32 bits can be.
        Int { v, form: Form::Plain, lo: i64::from(NONE) + 1, hi: i64::from(i32::MAX), maybe: true, sure: true }
    }
}

/// A set: 64 bits, or 128 where it is wide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bitset {
    pub v: Value,
    pub wide: bool,
    /// Bits that it can have, whatever bytes a position has and whatever failed before.
    pub bound: Narrow,
}

impl Bitset {
    /// The highest bit it can have.
    pub fn top(&self) -> u32 {
        127 - self.bound.leading_zeros().min(127)
    }
}

/// Whether bits need a wide set.
pub(super) fn needs_wide(bits: Narrow) -> bool {
    bits >> 64 != 0
}
