//! Which actions are legal: lowered, and listed. The last parameter of an action is decided for all its values at once.

use super::bearers::Speaker;
use super::bits::{Bits, each};
use super::by_value::masks_by_value;
use super::define::Body as _;
use super::eval::Ev;
use super::fallback::Fallback;
use super::ir::{Bind, Cond, Mask, NONE, Num, SetE, Shared};
use super::leaf::Visit;
use super::lower::{Env, Local, Low, Lower};
use super::place::Place;
use super::tree::{filter, join, not, of, summary};
use crate::game::{Args, Choice, MAX_OPTIONS};
use crate::model::MAX_ARGS;
use crate::model::{Action, ActionId, Base, Expr, Goal};

/// The maximum number of values of a first parameter for which an action is lowered once for each.
pub(super) const MAX_UNROLLED: usize = 32;
/// How many times larger a common plan may be than the plan for one value, to be preferred.
const MAX_ROLLED_PARAMETERS: usize = 2;

/// A lowered action.
#[derive(Clone, Debug)]
pub(super) struct Act {
    pub id: ActionId,
    /// Whether the action can be the seat's, before its parameters are known.
    pub early: Cond,
    /// For each value of the first parameter, or a single one for all.
    pub plans: Vec<(i32, Plan)>,
    /// Whether the plans are for the values of the first parameter.
    pub unrolled: bool,
    /// Obligations, with the slots of the parameters.
    pub musts: Vec<Must>,
    pub slots: Vec<u16>,
    /// Limits that its permissions use up.
    pub limits: Option<Vec<Limit>>,
    /// What it does.
    pub code: usize,
    /// How many parameters it has.
    pub arity: usize,
}

impl Act {
    /// Visits all leaves of its trees.
    pub fn walk(&self, f: Visit) {
        self.walk_head(f);
        self.plans.iter().for_each(|(_, p)| p.walk(f));
        self.walk_musts(f);
    }

    /// Whether the action can be legal in some position, or fail, as far as the options and readings in force say.
    pub fn may_be_legal(&self, shared: &Shared) -> bool {
        of(shared, &self.early).risky
            || !matches!(self.early, Cond::Const(false)) && self.plans.iter().any(|(_, plan)| plan.may_permit())
    }

    /// Visits what is evaluated once.
    pub fn walk_head(&self, f: Visit) {
        self.early.walk(f);
        self.limits.iter().flatten().for_each(|(c, _)| c.walk(f));
    }

    /// Of each obligation when it can be in force, as far as that does not depend on the action chosen; `None` if it
    /// does.
    pub fn duties(&self, shared: &Shared) -> Vec<Option<&Cond>> {
        let free = |c: &Cond| {
            let s = of(shared, c);
            !s.risky && s.sets.is_empty() && s.slots.iter().all(|slot| !self.slots.contains(slot))
        };
        self.musts.iter().map(|m| Some(&m.applies).filter(|c| free(c))).collect()
    }

    /// Visits what is evaluated for each that is permitted.
    pub fn walk_musts(&self, f: Visit) {
        for must in &self.musts {
            must.applies.walk(f);
            match &must.goal {
                MustGoal::SoThat(c) => c.walk(f),
                MustGoal::Prefer(_, n) => n.walk(f),
            }
        }
    }
}

impl Plan {
    /// Visits all leaves of its trees.
    pub fn walk(&self, f: Visit) {
        self.before.walk(f);
        self.binds.iter().for_each(|bind| bind.walk(f));
        self.levels.iter().for_each(|l| l.mask.walk_of(l.slot, f));
        self.walk_last(f);
    }

    /// Whether it can permit something, or fail.
    fn may_permit(&self) -> bool {
        let never = matches!(self.before, Cond::Const(false)) || self.safe && self.mays.is_empty();
        !never
    }

    /// Visits what is evaluated for all values of the last parameter together.
    pub fn walk_last(&self, f: Visit) {
        let last = self.levels.last().map_or(0, |l| l.slot);
        self.mays.iter().for_each(|m| m.walk_of(last, f));
        self.nots.iter().for_each(|n| n.mask.walk_of(last, f));
    }
}

/// When a permission applies, and the limit it uses.
type Limit = (Cond, Option<(Place, Num)>);

/// The remaining parameters, and their conditions.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub before: Cond,
    /// Whether evaluating the parameters cannot fail.
    safe: bool,
    /// What is the same for all values of the earlier parameters.
    pub binds: Vec<Bind>,
    pub levels: Vec<Level>,
    pub mays: Vec<Mask>,
    pub nots: Vec<Not>,
    /// Whether a permission sets a prohibition aside.
    sets_aside: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Level {
    pub slot: u16,
    pub lo: i32,
    pub all: Bits,
    pub mask: Mask,
}

#[derive(Clone, Debug)]
pub(super) struct Not {
    pub mask: Mask,
    /// The permissions that set it aside, by their places, lowest first.
    pub despite: Box<[u32]>,
}

#[derive(Clone, Debug)]
pub(super) struct Must {
    pub applies: Cond,
    pub goal: MustGoal,
}

#[derive(Clone, Debug)]
pub(super) enum MustGoal {
    SoThat(Cond),
    Prefer(bool, Num),
}

impl Must {
    /// Keeps the best options by their worth to an obligation, which is nothing where it does not apply; keeps all if
    /// it applies to none.
    pub fn keep_best(&self, worth: &[Option<i32>], kept: &mut [bool]) {
        let known = worth.iter().flatten();
        let best = match self.goal {
            MustGoal::Prefer(false, _) => known.min(),
            _ => known.max(),
        };
        if let Some(best) = best {
            for (kept, w) in kept.iter_mut().zip(worth) {
                *kept &= *w == Some(*best);
            }
        }
    }
}

impl Level {
    /// How many values there are.
    pub fn count(&self) -> usize {
        self.all.count() as usize
    }
}

impl Lower<'_> {
    /// An action, for the seat in slot `seat`.
    pub fn action(&mut self, id: ActionId, seat: u16) -> Low<Act> {
        let model = self.model;
        let action = model.actions.get(id.i()).ok_or(Fallback::Form)?;
        if action.params.len() > MAX_ARGS {
            return Err(Fallback::Form);
        }
        let mut spans = Vec::new();
        let mut slots = Vec::new();
        let mut env = Env::default();
        for (i, (_, ty)) in action.params.iter().enumerate() {
            let (lo, n) = match ty.base {
                Base::Bool | Base::Range(..) | Base::Member(_) => self.span(&ty.base)?,
                _ => (0, 0),
            };
            spans.push((lo, n));
            let slot = if n > 0 { self.slot_within(lo, n)? } else { self.slot()? };
            slots.push(slot);
            env.set(i as u16, Local::Slot(slot));
        }
        let by = |low: &mut Self, env: &Env| -> Low<Cond> {
            let seat = Num::Slot(seat);
            let c = match action.by.ty.base {
                Base::Set(_) => Cond::In(Box::new(seat), Box::new(low.set(&action.by, &mut env.clone())?), 0),
                _ => match low.num(&action.by, &mut env.clone())? {
                    Num::Const(i) => Cond::Is(seat, i),
                    by => Cond::Equal(Box::new((by, seat))),
                },
            };
            Ok(low.fold(c))
        };
        let is_early = action.by.has_no_locals();
        let early = if is_early { by(self, &env)? } else { Cond::Const(true) };
        let late = if is_early { Cond::Const(true) } else { by(self, &env)? };
        let rolled = self.plan(action, &env, late.clone(), (&slots, &spans, 0), false)?;
        let mut unrolled = slots.len() > 1 && spans[0].1 <= MAX_UNROLLED && !self.shared.is_tight();
        let mut plans = Vec::new();
        if unrolled {
            for b in 0..spans[0].1 as i32 {
                let value = spans[0].0 + b;
                let mut env = env.clone();
                env.set(0, Local::Const(value));
                let late = if is_early { Cond::Const(true) } else { by(self, &env)? };
                let plan = self.plan(action, &env, late, (&slots, &spans, 1), false)?;
                if plan.may_permit() {
                    plans.push((value, plan));
                }
            }
            // One plan for all, if it is hardly larger than the plan for one.
            let size: usize = plans.iter().map(|(_, p)| self.size(p)).sum();
            unrolled = self.size(&rolled) * plans.len() > MAX_ROLLED_PARAMETERS * size;
        }
        if !unrolled {
            let apart = self.looks_ahead(|f| rolled.walk(f));
            plans = vec![(0, if apart { self.plan(action, &env, late, (&slots, &spans, 0), true)? } else { rolled })];
        }
        let (musts, limits) = (self.musts(action, &env)?, self.limits(action, &env)?);
        Ok(Act { id, early, plans, unrolled, musts, slots, limits, code: action.code.i(), arity: action.params.len() })
    }

    /// The size of the conditions on the parameters.
    fn size(&self, plan: &Plan) -> usize {
        summary(&self.shared, |f| plan.walk(f)).size
    }

    fn all(&mut self, conds: &[Expr], env: &Env) -> Low<Cond> {
        let conds: Low<Vec<Cond>> = conds.iter().map(|c| self.cond(c, &mut env.clone())).collect();
        Ok(join(conds?, true))
    }

    /// The remaining conditions, once the first `from` parameters are constants. `apart`: those that look ahead are
    /// told apart by the first parameter where that is of use.
    fn plan(
        &mut self,
        action: &Action,
        env: &Env,
        late: Cond,
        (slots, spans, from): (&[u16], &[(i32, usize)], usize),
        apart: bool,
    ) -> Low<Plan> {
        let domain = |i: usize| action.domain.get(i).map_or(&[][..], Vec::as_slice);
        let before = if slots.is_empty() || from > 0 { self.all(domain(0), env)? } else { Cond::Const(true) };
        let mut conds = Vec::new();
        for i in from..slots.len() {
            conds.push(self.all(domain(i), env)?);
        }
        // Tests whose action it is as soon as that is known and nothing that may fail is skipped.
        let late_of = of(&self.shared, &late);
        let safe = conds.iter().all(|c| !of(&self.shared, c).risky);
        let first = late_of.slots.iter().filter_map(|s| slots.iter().position(|x| x == s)).max();
        let (before, late) = match first {
            None if safe || conds.is_empty() => (join([before, late], true), None),
            _ => (before, Some(late)),
        };
        if let (Some(late), Some(last)) = (late, conds.len().checked_sub(1)) {
            let at = first.filter(|_| safe).map_or(last, |i| i.saturating_sub(from));
            let c = std::mem::replace(&mut conds[at.min(last)], Cond::Const(true));
            conds[at.min(last)] = join([c, late], true);
        }
        let mut levels = Vec::new();
        for (i, c) in (from..).zip(conds) {
            let (slot, (lo, n)) = (slots[i], spans[i]);
            let mask = self.mask(&c, slot, lo, n);
            let all = Bits::below(n);
            levels.push(Level { slot, lo, all, mask });
        }
        let (slot, (lo, n)) = match slots.last() {
            Some(s) => (*s, spans[slots.len() - 1]),
            None => (0, (0, 1)),
        };
        let (mut conds, mut clauses) = (Vec::new(), Vec::new());
        for may in &action.may {
            for speaker in self.speakers(may.clause, env) {
                let c = self.said(may.clause, speaker, env)?;
                if !matches!(c, Cond::Const(false)) {
                    conds.push(c);
                    clauses.push(may);
                }
            }
        }
        // Those that set prohibitions aside must be told apart.
        let (mut mays, mut plain): (Vec<Mask>, Vec<usize>) = (Vec::new(), Vec::new());
        for (i, may) in clauses.iter().enumerate() {
            if may.despite.is_empty() {
                plain.push(i);
            } else {
                mays.push(self.mask(&conds[i], slot, lo, n));
            }
        }
        let free: Vec<&Cond> = plain.iter().map(|i| &conds[*i]).collect();
        match masks_by_value(&self.shared, &free, slot, |c| self.mask(c, slot, lo, n)) {
            Some((by_value, others)) => {
                mays.extend(others.into_iter().map(|i| self.mask(free[i], slot, lo, n)));
                mays.push(by_value);
            }
            // A failure of one depends on those before it.
            None if free.iter().any(|c| of(&self.shared, *c).risky) => {
                mays.extend(free.into_iter().map(|c| self.mask(c, slot, lo, n)));
            }
            None => mays.extend(self.masks_of_any(&free, slot, lo, n)),
        }
        clauses.retain(|may| !may.despite.is_empty());
        let (mut fail, mut nots, mut by_number) = (Vec::new(), Vec::new(), Vec::new());
        for not in &action.may_not {
            let despite = (0..).zip(&clauses).filter(|(_, m)| m.despite.contains(&not.clause));
            let despite: Box<[u32]> = despite.map(|(i, _)| i).collect();
            for speaker in self.speakers(not.clause, env) {
                let mut c = self.said(not.clause, speaker.clone(), env)?;
                if matches!(c, Cond::Const(false)) {
                    continue;
                }
                if apart {
                    c = self.told_apart(c, (not.clause, speaker), env, (slots, spans))?;
                }
                let may_fail = of(&self.shared, &c).risky;
                if despite.is_empty() && !may_fail {
                    by_number.push(c);
                } else {
                    let not = Not { mask: self.mask(&c, slot, lo, n), despite: despite.clone() };
                    if may_fail { fail.push(not) } else { nots.push(not) }
                }
            }
        }
        // Those that may fail come last: what is prohibited anyway they are not asked about.
        let conds: Vec<&Cond> = by_number.iter().collect();
        let not = |mask| Not { mask, despite: Box::new([]) };
        match masks_by_value(&self.shared, &conds, slot, |c| self.mask(c, slot, lo, n)) {
            Some((by_value, others)) => {
                let others: Vec<&Cond> = others.into_iter().map(|i| conds[i]).collect();
                nots.extend(self.masks_of_any(&others, slot, lo, n).into_iter().map(not));
                nots.push(not(by_value));
            }
            None => nots.extend(self.masks_of_any(&conds, slot, lo, n).into_iter().map(not)),
        }
        nots.extend(fail);
        let sets_aside = nots.iter().any(|n| !n.despite.is_empty());
        let mut binds = Vec::new();
        if safe {
            let clauses = mays.iter_mut().chain(nots.iter_mut().map(|not| &mut not.mask));
            binds = self.plan_ahead(&mut levels, &mut clauses.collect::<Vec<_>>())?;
        }
        let before = if binds.is_empty() { before } else { join([before, self.any_later(&levels)], true) };
        let safe = safe && !of(&self.shared, &before).risky;
        Ok(Plan { safe, before, binds, levels, mays, nots, sets_aside })
    }

    /// Whether there is a value of each parameter after the first, as far as that depends on no other parameter. If
    /// not, nothing needs to be bound.
    fn any_later(&self, levels: &[Level]) -> Cond {
        let slots: Vec<u16> = levels.iter().map(|level| level.slot).collect();
        let later = levels.iter().skip(1).filter(|level| {
            let s = summary(&self.shared, |f| level.mask.walk(f));
            let needs = |slot: &u16| s.slots.contains(slot);
            !matches!(level.mask, Mask::All) && !s.risky && !s.loops && s.sets.is_empty() && !slots.iter().any(needs)
        });
        let is_there = |level: &Level| {
            let found = filter(SetE::Const(level.all.clone()), level.slot, level.lo, level.mask.clone());
            not(Cond::Empty(Box::new(found)))
        };
        join(later.map(is_there), true)
    }

    fn musts(&mut self, action: &Action, env: &Env) -> Low<Vec<Must>> {
        let mut musts = Vec::new();
        for must in &action.must {
            for holder in self.model.holders(must.clause) {
                let mut env = env.clone();
                let holder = holder.map(|h| Local::Const(i32::from(h)));
                let applies = self.applies(must.clause, holder, &mut env)?;
                if matches!(applies, Cond::Const(false)) {
                    continue;
                }
                let goal = match &must.goal {
                    Goal::SoThat(c) => MustGoal::SoThat(self.cond(c, &mut env)?),
                    Goal::Prefer(most, e) => MustGoal::Prefer(*most, Num::lower(self, e, &mut env)?),
                };
                musts.push(Must { applies, goal });
            }
        }
        Ok(musts)
    }

    /// When each permission applies and the limit it uses; `None` if none has a limit.
    fn limits(&mut self, action: &Action, env: &Env) -> Low<Option<Vec<Limit>>> {
        let limit = |may: &crate::model::Permission| self.model.clause(may.clause).and_then(|c| c.limit);
        if !action.may.iter().any(|m| limit(m).is_some()) {
            return Ok(None);
        }
        let mut all = Vec::new();
        for may in &action.may {
            let limit = self.model.clause(may.clause).and_then(|c| c.limit);
            let place = limit.map(|v| self.place(v)).transpose()?;
            // Where each that has it could use up its own limit, they are told apart.
            let mut speakers = self.speakers(may.clause, env);
            if place.is_some() && matches!(speakers[..], [Speaker::Each]) {
                speakers = self.holders_apart(may.clause);
            }
            for speaker in speakers {
                let index = match &speaker {
                    Speaker::Holder(Some(Local::Const(h))) => Num::Const(*h),
                    Speaker::Holder(Some(Local::Slot(slot))) => Num::Slot(*slot),
                    _ => Num::Const(0),
                };
                let c = self.said(may.clause, speaker, env)?;
                all.push((c, place.map(|p| (p, index))));
            }
        }
        Ok(Some(all))
    }
}

/// Sees the arguments of actions: those constant so far, and the values of the last.
type Found<'f> = &'f mut dyn FnMut(&[i32], i32, &Bits) -> bool;

impl Plan {
    /// The permitted values of the last parameter among these.
    fn permitted(&self, ev: &Ev, slot: u16, lo: i32, within: Bits) -> Bits {
        let mut open = Bits::NONE;
        // What each permission permits matters only where one sets prohibitions aside.
        let mut by = Vec::with_capacity(if self.sets_aside { self.mays.len() } else { 0 });
        for m in &self.mays {
            let those = ev.mask(m, slot, lo, within.clone());
            open |= &those;
            if self.sets_aside {
                by.push(those);
            }
        }
        for not in &self.nots {
            if open.is_empty() {
                break;
            }
            let mut exempt = Bits::NONE;
            not.despite.iter().filter_map(|i| by.get(*i as usize)).for_each(|those| exempt |= those);
            open -= &ev.mask(&not.mask, slot, lo, open.clone().minus(&exempt));
        }
        open
    }

    /// Goes through the parameters from a level on; returns whether enough was seen.
    fn list(&self, ev: &Ev, level: usize, args: &mut Args6, found: Found) -> bool {
        let Some(l) = self.levels.get(level) else {
            return !self.permitted(ev, 0, 0, Bits::one(0)).is_empty() && found(args.slice(), 0, &Bits::NONE);
        };
        if !ev.spend(l.all.count()) {
            return true;
        }
        let within = ev.mask(&l.mask, l.slot, l.lo, l.all.clone());
        if within.is_empty() {
            return false;
        }
        if level == 0 && !self.binds.iter().all(|bind| ev.binds(std::slice::from_ref(bind))) {
            return false;
        }
        if level + 1 == self.levels.len() {
            let open = self.permitted(ev, l.slot, l.lo, within);
            return !open.is_empty() && found(args.slice(), l.lo, &open);
        }
        let mut bits = within;
        while let Some(first) = bits.pop() {
            let value = first as i32 + l.lo;
            ev.bind(l.slot, value);
            args.push(value);
            if self.list(ev, level + 1, args, found) {
                return true;
            }
            args.len -= 1;
        }
        false
    }
}

/// Arguments so far.
#[derive(Default)]
struct Args6 {
    values: [i32; MAX_ARGS],
    len: usize,
}

impl Args6 {
    fn push(&mut self, value: i32) {
        if let Some(place) = self.values.get_mut(self.len) {
            *place = value;
            self.len += 1;
        }
    }
    fn slice(&self) -> &[i32] {
        self.values.get(..self.len).unwrap_or(&[])
    }
}

impl Act {
    /// Calls `found` with all permitted actions until it has seen enough.
    fn each(&self, ev: &Ev, found: Found) -> bool {
        if !ev.cond(&self.early) {
            return false;
        }
        for (value, plan) in &self.plans {
            if !ev.cond(&plan.before) {
                continue;
            }
            let mut args = Args6::default();
            if self.unrolled {
                args.push(*value);
            }
            if plan.list(ev, 0, &mut args, found) {
                return true;
            }
        }
        false
    }

    fn bind(&self, ev: &Ev, args: &Args) {
        for (slot, arg) in self.slots.iter().zip(args.as_slice()) {
            ev.bind(*slot, i32::from(*arg));
        }
    }

    /// The limit that an action uses up.
    pub fn limit(&self, ev: &Ev, args: &Args) -> Option<(Place, i32)> {
        let limits = self.limits.as_ref()?;
        self.bind(ev, args);
        let mut first = None;
        for (c, limit) in limits {
            if ev.cond(c) {
                let (place, index) = limit.as_ref()?;
                first = first.or(Some((*place, ev.num(index))));
            }
        }
        first
    }
}

/// Whether any of the actions is legal.
pub(super) fn any(ev: &Ev, acts: &[&Act]) -> bool {
    acts.iter().any(|a| a.each(ev, &mut |_, _, _| true))
}

/// All legal actions, in order.
pub(super) fn list(ev: &Ev, acts: &[&Act], out: &mut Vec<Choice>) {
    let from = out.len();
    for act in acts {
        act.each(ev, &mut |args, lo, open| {
            if out.len() - from > MAX_OPTIONS {
                return true;
            }
            let mut all = [0i32; MAX_ARGS];
            let n = args.len();
            all[..n].copy_from_slice(args);
            if act.arity == n {
                out.push(Choice::Act(act.id, Args::new(&all[..n])));
            } else {
                each(open, |b| {
                    all[n] = b as i32 + lo;
                    out.push(Choice::Act(act.id, Args::new(&all[..=n])));
                });
            }
            false
        });
    }
    if out.len() - from > MAX_OPTIONS {
        // The explaining evaluator says so.
        return ev.fail();
    }
    if acts.iter().any(|a| !a.musts.is_empty()) {
        narrow(ev, acts, from, out);
    }
}

/// Keeps those that meet all obligations in force.
fn narrow(ev: &Ev, acts: &[&Act], from: usize, out: &mut Vec<Choice>) {
    let all = out.get(from..).unwrap_or(&[]).to_vec();
    let mut kept = vec![true; all.len()];
    for act in acts {
        for must in &act.musts {
            let worth: Vec<Option<i32>> = all
                .iter()
                .map(|choice| match choice {
                    Choice::Act(id, args) if *id == act.id && ev.spend(1) => {
                        act.bind(ev, args);
                        if !ev.cond(&must.applies) {
                            return None;
                        }
                        match &must.goal {
                            MustGoal::SoThat(c) => ev.cond(c).then_some(1),
                            MustGoal::Prefer(_, n) => Some(ev.num(n)).filter(|n| *n != NONE),
                        }
                    }
                    _ => None,
                })
                .collect();
            must.keep_best(&worth, &mut kept);
        }
    }
    if !all.is_empty() && !kept.contains(&true) {
        ev.scratch.failed.set(true);
        return;
    }
    out.truncate(from);
    out.extend(all.into_iter().zip(kept).filter(|(_, k)| *k).map(|(c, _)| c));
}
