//! Variables that are never nothing.

use super::{Base, ExprKind, Model, Value, Var, VarOwner};

impl Base {
    /// Whether a value of this type is a single number, and not a set, a pile or a bag.
    #[must_use]
    pub fn is_single(&self) -> bool {
        !matches!(self, Base::Set(_) | Base::List(_) | Base::Bag(_))
    }
}

impl Model {
    /// For each variable whether it always has a value, from the first decision on: it is a single number of the game,
    /// not optional, has a first value, and only assignments change it.
    #[must_use]
    pub fn always_there(&self) -> Vec<bool> {
        let begins = |v: &Var| match &v.init {
            // An expression may give nothing to some of several entries.
            Some(init) => v.index.is_none() || matches!(init.kind, ExprKind::Const(Value::Int(_))),
            None => false,
        };
        let has = |v: &Var| begins(v) && v.owner == VarOwner::Game && !v.ty.optional && v.ty.base.is_single();
        let mut always: Vec<bool> = self.vars.iter().map(has).collect();
        for filled in self.codes.iter().flat_map(|code| &code.instrs).flat_map(|instr| instr.kind.fills()) {
            always.get_mut(filled.i()).into_iter().for_each(|has| *has = false);
        }
        always
    }
}
