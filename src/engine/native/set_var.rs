//! Sets that change as a loop goes on.

use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Variable;

use super::build::Build;
use super::int::{Bitset, needs_wide};
use crate::engine::bits::Narrow;

/// The bits of the first `n` members.
pub(super) fn first_members(n: usize) -> Narrow {
    if n >= Narrow::BITS as usize { Narrow::MAX } else { (1 << n) - 1 }
}

/// A set that changes as a loop goes on, and the bits that it can have.
#[derive(Clone, Copy)]
pub(super) struct SetVar {
    var: Variable,
    bound: Narrow,
}

impl Build<'_, '_, '_> {
    /// A set that can have these bits, with its first value.
    pub fn set_var(&mut self, bound: Narrow, first: Bitset) -> SetVar {
        let first = self.within(first, bound);
        let v = self.fit(first, needs_wide(bound));
        SetVar { var: self.var(Self::set_type(needs_wide(bound)), v), bound }
    }

    /// Its value now.
    pub fn now(&mut self, set: SetVar) -> Bitset {
        // Proof: only sets within the bound are put there.
        Bitset { v: self.b.use_var(set.var), wide: needs_wide(set.bound), bound: set.bound }
    }

    /// Gives it another value.
    pub fn become_set(&mut self, set: SetVar, new: Bitset) {
        let new = self.within(new, set.bound);
        let v = self.fit(new, needs_wide(set.bound));
        self.b.def_var(set.var, v);
    }

    /// Adds to it.
    pub fn add(&mut self, set: SetVar, more: Bitset) {
        let now = self.now(set);
        let all = self.union(now, more);
        self.become_set(set, all);
    }

    /// Adds to it where a condition holds.
    pub fn add_if(&mut self, set: SetVar, c: Value, more: Bitset) {
        let more = self.only_if(c, more);
        self.add(set, more);
    }

    /// The set of one member, 64 bits, which is one of these.
    pub fn alone(&mut self, bound: Narrow, member: Value) -> Bitset {
        let wide = needs_wide(bound);
        Bitset { v: self.single(member, wide), wide, bound }
    }

    /// One more in a variable of 32 bits where a condition holds.
    pub fn count_if(&mut self, var: Variable, c: Value) {
        let now = self.b.use_var(var);
        let by = self.b.ins().uextend(cranelift_codegen::ir::types::I32, c);
        let next = self.b.ins().iadd(now, by);
        self.b.def_var(var, next);
    }
}
