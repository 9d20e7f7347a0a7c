//! Whom a clause speaks for: its holders one by one, the parameter that its holder must be, or at once all that have
//! its ability now, where fields say who they are.

use super::bits::Bits;
use super::define::Body;
use super::fallback::Fallback;
use super::ir::{Bind, Cond, Flow, Num, SetE};
use super::lower::{Env, Local, Low, Lower};
use super::program::{Each, Hook};
use super::tree::{filter, of, split};
use crate::model::{Ability, Attached, Base, Bearer, ClauseId, Def, DefClause, Expr, ExprKind, Layer, Ty, VarId};
use crate::span::Span;

/// Whom a clause speaks for.
pub(super) enum Speaker {
    /// Nobody has it, or a holder.
    Holder(Option<Local>),
    /// Each that has its ability now.
    Each,
}

/// The value of a clause for a bearer, and when it applies.
pub(super) type Said<T> = (Cond, T);

impl Lower<'_> {
    fn ability(&self, id: ClauseId) -> Option<&Ability> {
        self.model.clause(id)?.ability.and_then(|a| self.model.abilities.get(a.i()))
    }

    /// How many members there are of the kind that an ability is of.
    fn kind_size(&self, ability: &Ability) -> usize {
        self.model.kinds.get(ability.kind.i()).map_or(0, |k| k.members.len())
    }

    /// Whom a clause speaks for where the parameters are the locals.
    pub fn speakers(&self, id: ClauseId, env: &Env) -> Vec<Speaker> {
        let Some(ability) = self.ability(id) else { return vec![Speaker::Holder(None)] };
        let param = self.model.clause(id).and_then(crate::model::Clause::holder_is);
        match param.and_then(|param| env.get(param)) {
            Some(Local::Const(h)) => {
                let has = u16::try_from(h).is_ok_and(|h| ability.holders.binary_search(&h).is_ok());
                has.then_some(Speaker::Holder(Some(Local::Const(h)))).into_iter().collect()
            }
            Some(Local::Slot(slot)) => vec![Speaker::Holder(Some(Local::Slot(slot)))],
            _ if !ability.borne.is_empty() => vec![Speaker::Each],
            _ => self.holders_apart(id),
        }
    }

    /// The holders of a clause one by one, also where they change.
    pub fn holders_apart(&self, id: ClauseId) -> Vec<Speaker> {
        let local = |h: u16| Local::Const(i32::from(h));
        self.model.holders(id).map(|h| Speaker::Holder(h.map(local))).collect()
    }

    /// When a clause applies for a speaker, or for one of those that have its ability.
    pub fn said(&mut self, id: ClauseId, speaker: Speaker, env: &Env) -> Low<Cond> {
        match speaker {
            Speaker::Holder(holder) => self.applies(id, holder, &mut env.clone()),
            Speaker::Each => {
                let (slot, n) = self.bearer_slot(id)?;
                let cond = self.applies(id, Some(Local::Slot(slot)), &mut env.clone())?;
                Ok(self.some_of(SetE::Const(Bits::below(n)), (slot, 0, n), cond))
            }
        }
    }

    /// That a member has an ability, of which not all of its kind can have it.
    pub fn can_have(&self, id: ClauseId, holder: &Local) -> Cond {
        match (self.ability(id), holder) {
            (Some(ability), Local::Slot(slot)) if ability.holders.len() < self.kind_size(ability) => {
                let holders = ability.holders.iter().map(|h| u32::from(*h)).collect();
                Cond::In(Box::new(Num::Slot(*slot)), Box::new(SetE::Const(holders)), 0)
            }
            _ => Cond::Const(true),
        }
    }

    /// A slot for a member that may have the ability of a clause, and how many members there are.
    pub fn bearer_slot(&mut self, id: ClauseId) -> Low<(u16, usize)> {
        let n = self.ability(id).map(|a| self.kind_size(a)).ok_or(Fallback::Form)?;
        Ok((self.slot_within(0, n)?, n))
    }

    /// Whether a condition holds for one of a set.
    pub fn some_of(&mut self, set: SetE, (slot, lo, n): (u16, i32, usize), cond: Cond) -> Cond {
        let mut m = self.mask(&cond, slot, lo, n);
        let (mut set, mut cond) = (set, cond);
        if m.loops() {
            // What can be told of all members at once leaves fewer to look at one by one.
            let (quick, slow) = split(&self.shared, &self.scratch, cond, slot, lo, n);
            let first = self.mask(&quick, slot, lo, n);
            set = filter(set, slot, lo, first);
            m = self.mask(&slow, slot, lo, n);
            cond = slow;
        }
        let some = match m.loops() {
            true => Cond::Some(Box::new((set, cond)), slot, lo),
            false => super::tree::not(Cond::Empty(Box::new(filter(set, slot, lo, m)))),
        };
        self.fold(some)
    }

    /// When a clause on a definition applies for one of those that have its ability, and its value for all of them
    /// together; `None` where that has to be said for each apart.
    pub fn said_of_each<T: Body>(&mut self, clause: &DefClause, def: &Def, env: &Env) -> Low<Option<Said<T>>> {
        let (slot, n) = self.bearer_slot(clause.clause)?;
        let mut env = env.clone();
        let applies = self.applies(clause.clause, Some(Local::Slot(slot)), &mut env)?;
        let value = T::lower(self, &clause.value, &mut env)?;
        let all = SetE::Const(Bits::below(n));
        let alike = !of(&self.shared, &value).slots.contains(&slot);
        let once = !matches!(clause.layer, Layer::Plus | Layer::Times);
        let value = if alike && once {
            value
        } else {
            let mask = self.mask(&applies, slot, 0, n);
            let sure = !clause.value.ty.optional && !def.ty.optional;
            match T::over(clause.layer, filter(all.clone(), slot, 0, mask), slot, value).filter(|_| sure) {
                Some(value) => value,
                None => return Ok(None),
            }
        };
        Ok(Some((self.some_of(all, (slot, 0, n), applies), value)))
    }

    /// A hook, for its holder or for whoever has its ability.
    pub fn hook(&mut self, a: &Attached) -> Low<Hook> {
        let model = self.model;
        let hook = model.hooks.get(a.hook.i()).ok_or(Fallback::Form)?;
        let limit = model.clause(hook.clause).and_then(|c| c.limit);
        let limit = limit.map(|v| self.place(v)).transpose()?;
        let made = |applies, holder: Option<Num>, each| {
            let limit = limit.map(|place| (place, holder.clone().unwrap_or(Num::Const(0))));
            Hook { applies, limit, code: hook.code.i(), holder, each }
        };
        let Some(bearer) = a.bearer else {
            let holder = a.holder.map(|h| Local::Const(i32::from(h)));
            let applies = self.applies(hook.clause, holder, &mut Env::default())?;
            return Ok(made(applies, a.holder.map(|h| Num::Const(i32::from(h))), None));
        };
        let (slot, n) = self.bearer_slot(hook.clause)?;
        let applies = self.applies(hook.clause, Some(Local::Slot(slot)), &mut Env::default())?;
        Ok(match bearer {
            Bearer::In(var) => {
                let now = self.member_in(var)?;
                let bind = Bind::Num(slot, now.clone(), true);
                let applies = Cond::Flow(Box::new(Flow::Let(Box::new([bind]), applies)));
                made(applies, Some(now), None)
            }
            Bearer::Each(of) => {
                let members = hook.bearers.get(usize::from(of)).ok_or(Fallback::Form)?;
                let mask = self.mask(&applies, slot, 0, n);
                let set = filter(SetE::Const(self.bits(members)?), slot, 0, mask);
                let count = Num::Size(Box::new(set.clone()));
                made(applies, Some(Num::Slot(slot)), Some(Each { slot, set, count }))
            }
        })
    }

    /// The member that a variable holds.
    fn member_in(&mut self, var: VarId) -> Low<Num> {
        let ty = self.model.vars.get(var.i()).map_or(Ty::of(Base::Nothing), |v| v.ty.clone());
        let read = Expr { kind: ExprKind::Var { var, index: None }, ty, span: Span::default() };
        self.num(&read, &mut Env::default())
    }
}
