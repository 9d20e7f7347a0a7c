//! Sets that change as a loop goes on.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable;

use super::bitset::Gather;
use super::build::Build;
use super::int::{Bitset, Bound, Width};

/// A set that changes as a loop goes on, and the bits that it can have.
#[derive(Clone, Copy)]
pub(super) struct SetVar {
    held: Gather,
    bound: Bound,
}

impl Build<'_, '_, '_> {
    /// A set that can have these bits, with its first value.
    pub fn set_var(&mut self, bound: Bound, first: Bitset) -> SetVar {
        let set = SetVar { held: self.gather(bound.width()), bound };
        self.become_set(set, first);
        set
    }

    /// Its value. A large set is in its place in memory, and changes there when the variable changes.
    pub fn now(&mut self, set: SetVar) -> Bitset {
        // Proof: only sets within the bound are put there.
        self.gathered(set.held, set.bound)
    }

    /// Gives it another value.
    pub fn become_set(&mut self, set: SetVar, new: Bitset) {
        let new = self.within(new, set.bound);
        let width = set.bound.width();
        let v = self.fit(new, width);
        match width {
            Width::Parts(parts) => {
                let to = self.now(set).v;
                self.copy_parts(v, to, 0, parts);
            }
            _ => self.regather(set.held, v),
        }
    }

    /// Adds to it.
    pub fn add(&mut self, set: SetVar, more: Bitset) {
        let more = self.within(more, set.bound);
        self.gather_set(set.held, more);
    }

    /// Adds one of its members, 64 bits, where a condition holds, or always.
    pub fn add_member(&mut self, set: SetVar, member: Value, c: Option<Value>) {
        self.gather_bit(set.held, member, c);
    }

    /// The set of one member, 64 bits, which is one of these.
    pub fn alone(&mut self, bound: Bound, member: Value) -> Bitset {
        let width = bound.width();
        Bitset { v: self.single(member, width), width, bound }
    }

    /// One more in a variable of 32 bits where a condition holds.
    pub fn count_if(&mut self, var: Variable, c: Value) {
        let now = self.b.use_var(var);
        let by = self.b.ins().uextend(types::I32, c);
        let next = self.b.ins().iadd(now, by);
        self.b.def_var(var, next);
    }
}
