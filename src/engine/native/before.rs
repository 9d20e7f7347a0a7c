//! What the entries that an action names certainly hold before its effect: its conditions say so.

use cranelift_codegen::ir::condcodes::IntCC;

use super::build::Build;
use super::int::Int;
use super::run::{At, Now, Running};
use crate::engine::fallback::Fallback;
use crate::engine::ir::{Mask, NONE, Num};
use crate::engine::legal::{Act, Plan};
use crate::engine::place::Place;
use crate::engine::program::{Op, Program, Store};

/// The entry of a variable that a parameter of an action names, before the effect of the action.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    /// Which parameter.
    param: usize,
    place: Place,
    /// What the entry holds, as it is stored.
    stored: i64,
}

/// What the conditions of an action say of the entries that its parameters name.
fn before(act: &Act) -> Vec<Before> {
    let mut all = Vec::new();
    let [(_, plan)] = &*act.plans else { return all };
    if act.unrolled || plan.levels.len() != act.arity {
        return all;
    }
    for (param, level) in plan.levels.iter().enumerate() {
        let mut add = |place: &Place, value: &Num| {
            if let (Num::Const(value), true, true) = (value, level.lo == 0, place.level == 0) {
                let none = *value == NONE;
                let stored = if none { 0 } else { i64::from(*value) - i64::from(place.lo) + 1 };
                all.push(Before { param, place: *place, stored });
            }
        };
        fields(&level.mask, true, &mut add);
        if param + 1 == act.arity {
            last(plan, &mut add);
        }
    }
    all
}

/// Each variable whose entries certainly hold a value, for what is permitted by a plan.
fn last(plan: &Plan, add: &mut dyn FnMut(&Place, &Num)) {
    if let [may] = &*plan.mays {
        fields(may, true, add);
    }
    for not in plan.nots.iter().filter(|not| not.despite.is_empty()) {
        fields(&not.mask, false, add);
    }
}

/// Each variable whose entries certainly hold a value where a condition holds, or does not.
fn fields(mask: &Mask, holds: bool, add: &mut dyn FnMut(&Place, &Num)) {
    match (mask, holds) {
        (Mask::And(parts), true) | (Mask::Or(parts), false) => parts.iter().for_each(|part| fields(part, holds, add)),
        (Mask::Not(part), _) => fields(part, !holds, add),
        (Mask::Field(place, value), true) => add(place, value),
        _ => {}
    }
}

/// Of what is certain before a code begins, what an instruction that writes an entry finds there, as it is stored.
pub(super) fn found(program: &Program, at: At, store: &Store, certain: &[Before]) -> Option<i64> {
    let code = program.codes.get(at.0)?;
    let before = certain.iter().find(|before| {
        let param = code.params.get(before.param).map(|param| param.place.at);
        let index = match &store.index {
            Num::Byte(at, ..) => Some(*at),
            Num::Var(place) => Some(place.at),
            _ => None,
        };
        before.place.at == store.place.at
            && before.place.count == store.place.count
            && index.is_some()
            && param == index
    })?;
    // Nothing has written to the variable since the code began.
    let (first, rest) = code.ops.split_at_checked(at.1.into())?;
    let plain = first.iter().all(|op| matches!(op, Op::Set(store, _) if store.place.at != before.place.at));
    let back = rest.iter().any(|op| match op {
        Op::Set(..) | Op::Change(_) | Op::Call(..) | Op::StepEnd | Op::Return | Op::Forget(_) => false,
        Op::Jump(to) | Op::Unless(_, to) | Op::Next { end: to, .. } => *to <= at.1,
        _ => true,
    });
    (plain && !back).then_some(before.stored)
}

impl Build<'_, '_, '_> {
    /// Begins an action that is chosen from those listed, with its arguments.
    pub fn begin_action(&mut self, r: &mut Running, act: &Act, args: &[Now], back: At) -> Result<(), Fallback> {
        if self.unit.inlined_codes.of(act.code).is_none() {
            return self.begin(r, act.code, args, Some(back));
        }
        self.begin_inlined(r, act.code, args, Some(back), before(act))
    }

    /// Goes on only where the entries that the arguments of an action name hold what its conditions say.
    pub fn need_before(&mut self, r: &Running, act: &Act, args: &[Int]) {
        for before in before(act) {
            let Some(arg) = args.get(before.param) else { continue };
            let (address, at, ok) = self.entry(&before.place, *arg);
            self.need_some(r, ok);
            let stored = self.read(address, at, before.place.width);
            let same = self.cmp(IntCC::Equal, stored, before.stored);
            self.need(r, same);
        }
    }
}
