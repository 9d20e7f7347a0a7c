//! The legal actions of one kind: plans for the values of the first parameter, one behind the other.

use cranelift_codegen::ir::Value;

use super::MAX_GROUPS;
use super::build::Build;
use crate::engine::bits::NARROW;
use crate::engine::fallback::Fallback;
use crate::engine::ir::{Cond, Mask, Num, Shared};
use crate::engine::legal::{Act, Plan};
use crate::engine::tree::{join, of};

/// Plans, each with a value of the first parameter.
type Plans<'p> = &'p [(i32, Plan)];

impl<'p> Build<'_, 'p, '_> {
    /// Writes down the legal actions of one kind.
    pub fn act_function(&mut self, i: usize, params: &[Value]) -> Result<(), Fallback> {
        let program = self.unit.program;
        let act = program.acts.get(i).ok_or(Fallback::Form)?;
        let seat = *params.get(2).ok_or(Fallback::Form)?;
        let seat = self.seat_given(seat);
        self.slots.insert(program.seat, seat);
        let done = self.block();
        let go = self.block();
        self.begin_listing();
        self.branch(&act.early, go, done);
        self.to(go);
        for (needed, plans) in groups(&program.shared, &act.plans) {
            let next = self.block();
            if let Some(needed) = needed {
                let inside = self.block();
                self.branch(needed, inside, next);
                self.to(inside);
            }
            // The list has room for all groups of all actions, unless that would be too much.
            if (self.unit.max_groups as usize) < MAX_GROUPS {
                let most = plans.iter().map(|(_, plan)| groups_of(plan)).fold(0, usize::saturating_add);
                self.make_room(most, next);
            }
            self.count_for(plans);
            self.plans(act, plans, needed);
            self.tallies.clear();
            self.tallied.clear();
            self.end_room();
            self.jump(next, &[]);
            self.to(next);
        }
        self.jump(done, &[]);
        self.to(done);
        self.end_listing();
        self.leave(&[]);
        Ok(())
    }

    /// Makes the counts that plans ask for, once for all of them.
    fn count_for(&mut self, plans: Plans<'p>) {
        let parts = |p: &'p Plan| {
            let last = p.levels.last().map_or(0, |l| l.lo);
            let clauses = p.mays.iter().chain(p.nots.iter().map(|n| &n.mask));
            p.levels.iter().map(|l| (&l.mask, l.lo)).chain(clauses.map(move |m| (m, last)))
        };
        let masks: Vec<(&Mask, i32)> = plans.iter().flat_map(|(_, p)| parts(p)).collect();
        self.count_ahead(&masks);
    }

    /// Writes down what plans permit, where a part of what they need is known to hold.
    fn plans(&mut self, act: &Act, plans: Plans, known: Option<&Cond>) {
        for (value, plan) in plans {
            let (inside, next) = (self.block(), self.block());
            let before = known.map(|known| {
                let rest = parts(&plan.before).iter().filter(|part| !is_same(part, known));
                join(rest.cloned(), true)
            });
            self.branch(before.as_ref().unwrap_or(&plan.before), inside, next);
            self.to(inside);
            let mut args = Vec::new();
            if act.unrolled {
                args.push(self.number(*value));
            }
            self.scoped(|b| b.level(act, plan, 0, &mut args));
            self.jump(next, &[]);
            self.to(next);
        }
    }
}

/// The most groups of options that a plan writes down: for the values of all parameters but the last, the last ones in
/// one group, or in one for each of the parts of a large set.
pub(super) fn groups_of(plan: &Plan) -> usize {
    let Some((last, outer)) = plan.levels.split_last() else { return 1 };
    let parts = last.all.top().map_or(1, |top| top as usize / NARROW + 1);
    outer.iter().fold(parts, |n, l| n.saturating_mul(l.all.count() as usize))
}

/// Plans that stand behind each other and need the same, with what that is; others together.
fn groups<'p>(shared: &Shared, plans: Plans<'p>) -> Vec<(Option<&'p Cond>, Plans<'p>)> {
    let mut groups = Vec::new();
    let (mut apart, mut rest) = (0, plans);
    while let Some(((_, first), others)) = rest.split_first() {
        let alike = |needed: &Cond| {
            let needs = |plan: &Plan| parts(&plan.before).iter().any(|part| is_same(part, needed));
            let safe = |plan: &Plan| !of(shared, &plan.before).risky;
            rest.iter().take_while(|(_, plan)| needs(plan) && safe(plan)).count()
        };
        let most = parts(&first.before).iter().map(|needed| (alike(needed), needed)).max_by_key(|(n, _)| *n);
        match most.filter(|(n, _)| *n > 1) {
            Some((n, needed)) => {
                let from = plans.len() - rest.len();
                groups.extend((apart < from).then(|| (None, &plans[apart..from])));
                groups.push((Some(needed), &plans[from..from + n]));
                apart = from + n;
                rest = &rest[n..];
            }
            None => rest = others,
        }
    }
    groups.extend((apart < plans.len()).then(|| (None, &plans[apart..])));
    groups
}

/// The conditions that all must hold.
fn parts(c: &Cond) -> &[Cond] {
    if let Cond::All(parts) = c { parts } else { std::slice::from_ref(c) }
}

/// Whether two conditions ask the same of whose turn it is, or of another number that is at hand.
fn is_same(a: &Cond, b: &Cond) -> bool {
    match (a, b) {
        (Cond::Is(Num::Slot(x), i), Cond::Is(Num::Slot(y), j)) => x == y && i == j,
        (Cond::Is(Num::Byte(x, ..), i), Cond::Is(Num::Byte(y, ..), j)) => x == y && i == j,
        _ => false,
    }
}
