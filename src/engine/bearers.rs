//! Whom a clause speaks for: its holders one by one, the parameter that its holder must be, or at once all that have
//! its ability now, where fields say who they are.

use std::sync::Arc;

use super::ahead::MAX_BINDS;
use super::bits::Bits;
use super::by_value::masks_by_value;
use super::define::Body;
use super::fallback::Fallback;
use super::hook::{Group, Hook, Listed, Part};
use super::ir::{Bind, Cond, Flow, Mask, Num, Rule, SetE};
use super::lower::{Env, Local, Low, Lower};
use super::order::HookAt;
use super::program::Op;
use super::tree::{filter, of, split};
use crate::model::{Ability, Attached, ClauseId, DefClause, KindId, Layer, VarId};

/// The least number of holders for whom a condition is made once.
const LEAST_BEARERS: usize = 4;

/// Whom a clause speaks for.
#[derive(Clone)]
pub(super) enum Speaker {
    /// Nobody has it, or a holder.
    Holder(Option<Local>),
    /// Each that has its ability now.
    Each,
}

/// Hooks for whoever has their ability, while they are gathered.
struct Found {
    kind: KindId,
    members: Bits,
    /// The slot of the one that is asked about, and how many there can be.
    member: (u16, usize),
    lists: Vec<List>,
}

/// Conditions of which no member meets two.
struct List {
    /// The field that gives their abilities, and for which values.
    field: Option<VarId>,
    givers: Vec<u16>,
    conds: Vec<Cond>,
}

impl Found {
    /// Adds a condition to those that exclude it, or by itself.
    fn add(&mut self, cond: &Cond, ability: &Ability) {
        let single = match &ability.borne[..] {
            [borne] if ability.always.is_empty() => Some(borne),
            _ => None,
        };
        let givers = single.map_or(&[][..], |borne| &borne.givers);
        let field = single.map(|borne| borne.var);
        let fits = |l: &&mut List| field.is_some() && l.field == field && !givers.iter().any(|g| l.givers.contains(g));
        match self.lists.iter_mut().find(fits) {
            Some(list) => {
                list.givers.extend(givers);
                list.conds.push(cond.clone());
            }
            None => self.lists.push(List { field, givers: givers.to_vec(), conds: vec![cond.clone()] }),
        }
    }
}

/// The value of a clause for a bearer, and when it applies.
pub(super) type Said<T> = (Cond, T);

impl<'a> Lower<'a> {
    pub fn ability(&self, id: ClauseId) -> Option<&'a Ability> {
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
            true => self.some_in_turn(set, (slot, lo), cond),
            false => super::tree::not(Cond::Empty(Box::new(filter(set, slot, lo, m)))),
        };
        self.fold(some)
    }

    /// Whether a condition holds for one of a set, asked in turn. Where there are always several, what all of them need
    /// is found before.
    fn some_in_turn(&mut self, set: SetE, (slot, lo): (u16, i32), cond: Cond) -> Cond {
        let several = matches!(&set, SetE::Const(set) if set.count() > 2) || matches!(set, SetE::Table(..));
        let (cond, binds) = match several.then(|| self.loop_ahead(cond.clone(), slot)) {
            Some(Ok(found)) if found.1.len() <= MAX_BINDS => found,
            _ => (cond, Vec::new()),
        };
        let some = Cond::Some(Box::new((set, cond)), slot, lo);
        match binds.is_empty() {
            true => some,
            false => Cond::Flow(Box::new(Flow::Let(binds.into(), some))),
        }
    }

    /// When a clause on a definition applies for one of those that have its ability, and its value for all of them
    /// together; `None` where that has to be said for each apart.
    pub fn said_of_each<T: Body>(&mut self, clause: &DefClause, env: &Env) -> Low<Option<Said<T>>> {
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
            let those = filter(all.clone(), slot, 0, mask);
            match clause.layer {
                Layer::Instead => self.of_the_only_one((slot, n), those, value)?,
                layer => match T::over(layer, those, slot, value) {
                    Some(value) => value,
                    None => return Ok(None),
                },
            }
        };
        Ok(Some((self.some_of(all, (slot, 0, n), applies), value)))
    }

    /// A value for the only one of a set; it fails where there are several.
    fn of_the_only_one<T: Body>(&mut self, (slot, n): (u16, usize), set: SetE, value: T) -> Low<T> {
        let those = self.set_slot(n)?;
        let only = Bind::Num(slot, Num::First(Box::new(SetE::Slot(those)), 0), false);
        let value = T::flow(Flow::Let(Box::new([only]), value));
        let alone = Cond::Is(Num::Size(Box::new(SetE::Slot(those))), 1);
        let rule = Rule { cond: alone, value, beaten: Box::default() };
        let value = T::flow(Flow::Pick(Box::new([rule]), None));
        Ok(T::flow(Flow::Let(Box::new([Bind::Set(those, set)]), value)))
    }

    /// A hook, for its holder.
    pub fn hook(&mut self, a: &Attached) -> Low<Hook> {
        if a.bearers.is_some() {
            return Err(Fallback::Form);
        }
        let clause = self.model.hooks.get(a.hook.i()).ok_or(Fallback::Form)?.clause;
        let holder = a.holder.map(|h| Local::Const(i32::from(h)));
        let applies = self.applies(clause, holder, &mut Env::default())?;
        self.made_hook(a, applies, a.holder.map(|h| Num::Const(i32::from(h))))
    }

    /// Hooks by their places in a list. Of a clause whose ability many can bear the condition is made once.
    pub fn listed(&mut self, list: &[Attached]) -> Low<Listed> {
        let (mut parts, mut groups) = (Vec::<Part>::new(), Vec::<Found>::new());
        let mut rest = list;
        while let Some(first) = rest.first() {
            let from = (list.len() - rest.len()) as u32;
            let clause = self.model.hooks.get(first.hook.i()).ok_or(Fallback::Form)?.clause;
            let alike = rest.iter().take_while(|a| a.hook == first.hook && a.bearers.is_none());
            let holders: Option<Arc<[i32]>> = alike.map(|a| a.holder.map(i32::from)).collect();
            let many = |holders: &Arc<[i32]>| holders.len() >= LEAST_BEARERS;
            let ability = self.ability(clause).filter(|ability| !ability.borne.is_empty());
            let part = match (holders.filter(many), ability) {
                (Some(holders), Some(ability)) => self.part(first, from, holders, (ability, &mut groups))?,
                _ => Part { from, holders: Arc::default(), hook: self.hook(first)? },
            };
            rest = rest.get(part.len() as usize..).unwrap_or(&[]);
            parts.push(part);
        }
        let groups = groups.into_iter().map(|g| self.group(g)).collect();
        Ok(Listed { parts: parts.into(), groups })
    }

    /// The instruction that runs the hook that applies instead of a step.
    pub fn instead(&mut self, list: &[Attached], to: u16) -> Low<Op> {
        let mut hooks = self.listed(list)?;
        let may_apply = |part: &Part| !matches!(part.hook.applies, Cond::Const(false));
        hooks.parts = hooks.parts.into_iter().filter(may_apply).collect();
        Ok(Op::Instead(Box::new(hooks), to))
    }

    /// The instruction that runs the hook whose place a variable gives.
    pub fn hook_at(&mut self, list: &[Attached], into: VarId) -> Low<Op> {
        let place = self.place(into)?;
        let clear = (place.at, place.width * place.count, 0);
        let hooks = self.listed(list)?;
        let (place, slot) = (self.scalar(into, Num::Const(0))?, self.slot_within(0, list.len())?);
        Ok(Op::HookAt(Box::new(HookAt { hooks, place, slot, clear })))
    }

    /// A hook for some that can bear its ability, added to the group of their kind.
    fn part(
        &mut self,
        a: &Attached,
        from: u32,
        holders: Arc<[i32]>,
        (ability, groups): (&Ability, &mut Vec<Found>),
    ) -> Low<Part> {
        let clause = self.model.hooks.get(a.hook.i()).ok_or(Fallback::Form)?.clause;
        let at = match groups.iter().position(|g| g.kind == ability.kind) {
            Some(at) => at,
            None => {
                let member = self.bearer_slot(clause)?;
                groups.push(Found { kind: ability.kind, members: Bits::NONE, member, lists: Vec::new() });
                groups.len() - 1
            }
        };
        let slot = groups[at].member.0;
        let applies = self.applies(clause, Some(Local::Slot(slot)), &mut Env::default())?;
        holders.iter().for_each(|holder| groups[at].members.add(*holder as u32));
        groups[at].add(&applies, ability);
        let hook = Hook { group: Some(at), ..self.made_hook(a, applies, Some(Num::Slot(slot)))? };
        Ok(Part { from, holders, hook })
    }

    fn made_hook(&mut self, a: &Attached, applies: Cond, holder: Option<Num>) -> Low<Hook> {
        let hook = self.model.hooks.get(a.hook.i()).ok_or(Fallback::Form)?;
        let limit = self.model.clause(hook.clause).and_then(|c| c.limit);
        let limit = limit.map(|v| self.place(v)).transpose()?;
        let limit = limit.map(|place| (place, holder.clone().unwrap_or(Num::Const(0))));
        Ok(Hook { applies, limit, code: hook.code.i(), holder, group: None })
    }

    /// Hooks whose order must make no difference; those for whoever has their ability are grouped by these.
    pub fn unranked(&mut self, list: &[Attached]) -> Low<Op> {
        let mut hooks = Vec::new();
        let mut groups: Vec<Found> = Vec::new();
        for a in list {
            let Some(of) = a.bearers else {
                let hook = self.hook(a)?;
                if !matches!(hook.applies, Cond::Const(false)) {
                    hooks.push(hook);
                }
                continue;
            };
            let hook = self.model.hooks.get(a.hook.i()).ok_or(Fallback::Form)?;
            let ability = self.ability(hook.clause).ok_or(Fallback::Form)?;
            let members = self.bits(hook.bearers.get(usize::from(of)).ok_or(Fallback::Form)?)?;
            let at = match groups.iter().position(|g| g.kind == ability.kind && g.members == members) {
                Some(at) => at,
                None => {
                    let (slot, n) = self.bearer_slot(hook.clause)?;
                    groups.push(Found { kind: ability.kind, members, member: (slot, n), lists: Vec::new() });
                    groups.len() - 1
                }
            };
            let slot = groups[at].member.0;
            let applies = self.applies(hook.clause, Some(Local::Slot(slot)), &mut Env::default())?;
            let made = self.made_hook(a, applies, Some(Num::Slot(slot)))?;
            groups[at].add(&made.applies, ability);
            hooks.push(Hook { group: Some(at), ..made });
        }
        let groups = groups.into_iter().map(|g| self.group(g)).collect();
        Ok(Op::Unranked { hooks: hooks.into(), groups })
    }

    fn group(&mut self, found: Found) -> Group {
        let (slot, n) = found.member;
        let mut sets = Vec::new();
        for list in &found.lists {
            let conds: Vec<&Cond> = list.conds.iter().collect();
            let by_value = masks_by_value(&self.shared, &conds, slot, |c| self.mask(c, slot, 0, n));
            let masks = match by_value {
                Some((mask, others)) => {
                    let others = others.into_iter().map(|i| self.mask(conds[i], slot, 0, n));
                    std::iter::once(mask).chain(others).collect()
                }
                None => conds.iter().map(|c| self.mask(c, slot, 0, n)).collect::<Vec<_>>(),
            };
            sets.push(filter(SetE::Const(found.members.clone()), slot, 0, Mask::Or(masks.into())));
        }
        let counts = sets.iter().map(|set| Num::Size(Box::new(set.clone()))).collect();
        let all = sets.into_iter().reduce(|a, b| SetE::Union(Box::new((a, b))));
        Group { slot, set: all.unwrap_or(SetE::Const(Bits::NONE)), counts }
    }
}
