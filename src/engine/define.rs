//! Definitions with their clauses, and when a clause applies.

use std::sync::Arc;

use super::bearers::Speaker;
use super::bits::Bits;
use super::borne_layers::Together;
use super::by_value::{clauses_by_value, rules_by_value};
use super::fallback::Fallback;
use super::ir::{Bag, Bind, Cond, Flow, Joined, LayerOp, Lin, NONE, Num, Over, Rule, SetE};
use super::lower::{Env, Local, Low, Lower};
use super::tree::{Part, SMALL, choose, depends_only_on, evaluate, join, not, of};
use crate::model::{
    AbilityId, Base, ClauseId, Def, DefClause, DefId, Expr, Layer, MAX_DEFINITION_DEPTH, Silence, Value, scalar_span,
};

/// The maximum number of entries of a table made from a definition.
const MAX_TABLE: usize = 16_384;

/// The maximum number of different arguments for which a definition is specialized; beyond that, it is made once and
/// the arguments are bound.
const MAX_SPECIALIZATIONS: usize = 256;

/// The least size of a definition that is not made again for the slots of other callers.
const LARGE: usize = 1_000;

/// The maximum nesting of definitions.
const MAX_DEPTH: u32 = MAX_DEFINITION_DEPTH;

/// The value of an argument for which a definition is specialized; `None` if it is bound to a slot of its own.
type ArgKey = Option<Local>;

/// What a made definition was made for: the definition, its arguments, the silences under question.
pub(super) type Key = (u16, Vec<ArgKey>, Vec<usize>);

/// A definition made for certain arguments: where it is shared, and the slots of the arguments that it binds.
#[derive(Clone, Debug)]
pub(super) struct Made {
    at: u32,
    slots: Vec<u16>,
}

/// The values of a definition that depends on nothing but its arguments.
#[derive(Clone, Debug)]
pub(super) enum Table {
    Nums(Arc<[i32]>),
    /// By all arguments but the last; the last is the bit.
    Rows(Arc<[Bits]>),
    Sets(Arc<[Bits]>),
}

/// A kind of tree that definitions can be of.
pub(super) trait Body: Part {
    fn lower(low: &mut Lower, e: &Expr, env: &mut Env) -> Low<Self>;
    fn layers(self, low: &mut Lower, def: &Def, env: &Env) -> Low<Self>;
    fn gather(values: &[Self::Out], last: usize) -> Table;
    fn look_up(table: &Table, args: Vec<(Num, i32, u32)>, strict: bool) -> Option<Self>;
    /// What a layer does with the values for all of a set together, if there is such a tree.
    fn over(_: Layer, _: SetE, _: u16, _: Self) -> Option<Self> {
        None
    }
}

impl Body for Num {
    fn lower(low: &mut Lower, e: &Expr, env: &mut Env) -> Low<Num> {
        low.num(e, env)
    }
    fn layers(mut self, low: &mut Lower, def: &Def, env: &Env) -> Low<Num> {
        let layers = [
            (LayerOp::Times, def.layer(Layer::Times)),
            (LayerOp::Plus, def.layer(Layer::Plus)),
            (LayerOp::AtMost, def.layer(Layer::AtMost)),
            (LayerOp::AtLeast, def.layer(Layer::AtLeast)),
        ];
        for (op, clauses) in layers {
            let Together { change, others } = low.together(op, clauses, def, env)?;
            let rules = low.rules(others, def, env)?.into_iter().map(|(_, cond, value)| (cond, value));
            let list: Vec<(Cond, Num)> = change.map(|n| (Cond::Const(true), n)).into_iter().chain(rules).collect();
            self = low.layered(op, self, list)?;
        }
        Ok(self)
    }
    fn gather(values: &[i32], _: usize) -> Table {
        Table::Nums(values.into())
    }
    fn look_up(table: &Table, args: Vec<(Num, i32, u32)>, strict: bool) -> Option<Num> {
        let Table::Nums(t) = table else { return None };
        Some(Num::Table(t.clone(), Lin { terms: args.into(), strict }))
    }
    fn over(layer: Layer, set: SetE, slot: u16, term: Num) -> Option<Num> {
        let over = Box::new(Over { set, slot, lo: 0, term });
        match layer {
            Layer::Plus => Some(Num::Sum(over)),
            Layer::Times => Some(Num::Product(over)),
            Layer::AtMost => Some(Num::Best(false, over)),
            Layer::AtLeast => Some(Num::Best(true, over)),
            _ => None,
        }
    }
}

impl Body for Cond {
    fn lower(low: &mut Lower, e: &Expr, env: &mut Env) -> Low<Cond> {
        low.cond(e, env)
    }
    fn layers(self, _: &mut Lower, def: &Def, _: &Env) -> Low<Cond> {
        let none = def.layer(Layer::Times).is_empty()
            && def.layer(Layer::Plus).is_empty()
            && def.layer(Layer::AtMost).is_empty()
            && def.layer(Layer::AtLeast).is_empty();
        if none { Ok(self) } else { Err(Fallback::Form) }
    }
    fn gather(values: &[bool], last: usize) -> Table {
        let row = |r: &[bool]| (0..).zip(r).filter(|(_, b)| **b).map(|(i, _)| i).collect();
        Table::Rows(values.chunks(last.max(1)).map(row).collect())
    }
    fn look_up(table: &Table, mut args: Vec<(Num, i32, u32)>, strict: bool) -> Option<Cond> {
        let Table::Rows(t) = table else { return None };
        let (last, lo, count) = args.pop()?;
        let lin = Lin { terms: args.into(), strict };
        Some(Cond::Row(t.clone(), Box::new((lin, last)), lo, count))
    }
}

impl Body for SetE {
    fn lower(low: &mut Lower, e: &Expr, env: &mut Env) -> Low<SetE> {
        low.set(e, env)
    }
    fn layers(self, low: &mut Lower, def: &Def, env: &Env) -> Low<SetE> {
        if def.layer(Layer::Also).is_empty() && def.layer(Layer::Except).is_empty() {
            return Ok(self);
        }
        let mut part = |clauses: &[DefClause]| -> Low<Box<[(Cond, SetE)]>> {
            Ok(low.rules(clauses, def, env)?.into_iter().map(|(_, cond, value)| (cond, value)).collect())
        };
        let (also, except) = (part(def.layer(Layer::Also))?, part(def.layer(Layer::Except))?);
        Ok(if also.is_empty() && except.is_empty() { self } else { SetE::Change(Box::new(self), also, except) })
    }
    fn gather(values: &[Bits], _: usize) -> Table {
        Table::Sets(values.into())
    }
    fn look_up(table: &Table, args: Vec<(Num, i32, u32)>, strict: bool) -> Option<SetE> {
        let Table::Sets(t) = table else { return None };
        Some(SetE::Table(t.clone(), Lin { terms: args.into(), strict }))
    }
    fn over(layer: Layer, set: SetE, slot: u16, term: SetE) -> Option<SetE> {
        let joined = || SetE::Joined(Box::new(Joined { set, slot, lo: 0, of: term }));
        matches!(layer, Layer::Also | Layer::Except).then(joined)
    }
}

/// An argument of a definition.
enum Arg {
    Num(Num),
    Set(SetE),
    Bag(Bag),
}

impl Lower<'_> {
    /// A number changed by the clauses of a layer: those in question are found by the number that they ask for, if
    /// they are many.
    fn layered(&mut self, op: LayerOp, n: Num, list: Vec<(Cond, Num)>) -> Low<Num> {
        if list.is_empty() {
            return Ok(n);
        }
        let conds: Vec<&Cond> = list.iter().map(|(c, _)| c).collect();
        let Some((key, arms, rest)) = clauses_by_value(&self.shared, &conds) else {
            return Ok(Num::Layer(op, Box::new(n), list.into()));
        };
        let slot = self.slot()?;
        self.maybe.insert(slot);
        let with = |those: Vec<(usize, Cond)>| {
            let those: Box<[(Cond, Num)]> = those.into_iter().map(|(i, c)| (c, list[i].1.clone())).collect();
            if those.is_empty() { Num::Slot(slot) } else { Num::Layer(op, Box::new(Num::Slot(slot)), those) }
        };
        let arms: Box<[(i32, Num)]> = arms.into_iter().map(|(value, those)| (value, with(those))).collect();
        let by_value = Num::flow(Flow::ByValue(key, arms, with(rest)));
        Ok(Num::flow(Flow::Let(Box::new([Bind::Num(slot, n, false)]), by_value)))
    }

    /// A definition applied.
    pub fn call<T: Body>(&mut self, id: DefId, args: &[Expr], env: &mut Env) -> Low<T> {
        let model = self.model;
        let def = model.defs.get(id.i()).ok_or(Fallback::Form)?;
        if args.len() != def.params.len() || args.len() > 8 {
            return Err(Fallback::Form);
        }
        let mut values = Vec::new();
        for (arg, (_, ty)) in args.iter().zip(&def.params) {
            values.push(match ty.base {
                Base::Set(_) => Arg::Set(self.set(arg, env)?),
                Base::Bag(_) => Arg::Bag(self.bag(arg, env)?),
                Base::List(_) => return Err(Fallback::Form),
                _ => Arg::Num(self.num(arg, env)?),
            });
        }
        let strict = |i: usize| {
            def.params.get(i).is_some_and(|(_, ty)| !ty.optional && !matches!(ty.base, Base::Bool | Base::Bag(_)))
        };
        if values.iter().enumerate().any(|(i, v)| matches!(v, Arg::Num(Num::Const(NONE))) && strict(i)) {
            return Ok(T::constant(T::NOTHING));
        }
        if let Some(found) = self.tabled(id, def, &values)? {
            return Ok(self.fold(found));
        }
        let versions = self.versions.get(&id.0).copied().unwrap_or(0);
        let own = versions < MAX_SPECIALIZATIONS && !self.shared.is_tight();
        let mut binds = Vec::new();
        let mut key: Vec<ArgKey> = Vec::new();
        for (i, value) in values.iter().enumerate() {
            key.push(match value {
                Arg::Bag(bag) => Some(self.bag_argument((id, i), bag.clone(), own, &mut binds)?),
                _ if !own => None,
                Arg::Num(Num::Const(i)) => Some(Local::Const(*i)),
                Arg::Num(Num::Slot(s)) if !self.large.contains(&id.0) => Some(Local::Slot(*s)),
                Arg::Set(SetE::Const(bits)) => Some(Local::ConstSet(bits.clone())),
                Arg::Set(SetE::Slot(s)) => Some(Local::SetSlot(*s)),
                _ => None,
            });
        }
        let made = self.made::<T>(id, def, &key)?;
        let body = T::shared(&self.shared, made.at).cloned().ok_or(Fallback::Form)?;
        let size = of(&self.shared, &body).size;
        if size > LARGE {
            self.large.insert(id.0);
        }
        let small = size <= SMALL;
        let mut body = if small { body } else { T::flow(Flow::Inst(made.at)) };
        let mut slots = made.slots.iter();
        let mut guards = Vec::new();
        for (i, (value, key)) in values.into_iter().zip(&key).enumerate() {
            match (value, key) {
                (Arg::Num(Num::Slot(s)), Some(_)) if strict(i) => guards.push(not(Cond::Is(Num::Slot(s), NONE))),
                (_, Some(_)) => {}
                (Arg::Num(n), None) => binds.push(Bind::Num(*slots.next().ok_or(Fallback::Form)?, n, strict(i))),
                (Arg::Set(s), None) => binds.push(Bind::Set(*slots.next().ok_or(Fallback::Form)?, s)),
                (Arg::Bag(_), None) => return Err(Fallback::Form),
            }
        }
        if !binds.is_empty() {
            body = T::flow(Flow::Let(binds.into(), body));
        }
        // A variable of a quantifier, or a parameter of an action, is always there.
        guards.retain(
            |g| !matches!(g, Cond::Not(c) if matches!(&**c, Cond::Is(Num::Slot(s), _) if !self.maybe.contains(s))),
        );
        body = choose(join(guards, true), body, T::constant(T::NOTHING));
        Ok(self.fold(body))
    }

    fn made<T: Body>(&mut self, id: DefId, def: &Def, key: &[ArgKey]) -> Low<Made> {
        let full: Key = (id.0, key.to_vec(), self.silencing.clone());
        if let Some(made) = self.calls.get(&full) {
            return Ok(made.clone());
        }
        let mut env = Env::default();
        let mut slots = Vec::new();
        for (i, (key, (_, ty))) in key.iter().zip(&def.params).enumerate() {
            let local = match key {
                Some(local) => local.clone(),
                None if let Base::Set(of) = &ty.base => {
                    let (_, n) = self.span(of)?;
                    Local::SetSlot(self.set_slot(n)?)
                }
                None => {
                    let slot = self.slot()?;
                    if ty.optional {
                        self.maybe.insert(slot);
                    }
                    Local::Slot(slot)
                }
            };
            if let (None, Local::Slot(s) | Local::SetSlot(s)) = (key, &local) {
                slots.push(*s);
            }
            env.set(i as u16, local);
        }
        // A strict parameter is there once the body is asked, also where it is the caller's slot.
        let body = self.body::<T>(def, &env)?;
        let made = Made { at: body.share(&mut self.shared), slots };
        *self.versions.entry(id.0).or_default() += 1;
        self.calls.insert(full, made.clone());
        Ok(made)
    }

    /// What a definition is where its parameters are the locals.
    fn body<T: Body>(&mut self, def: &Def, env: &Env) -> Low<T> {
        if self.depth > MAX_DEPTH {
            return Err(Fallback::TooDeep);
        }
        self.depth += 1;
        let body = self.laid_open(def, env);
        self.depth -= 1;
        body
    }

    fn laid_open<T: Body>(&mut self, def: &Def, env: &Env) -> Low<T> {
        let rules = self.rules::<T>(def.layer(Layer::Instead), def, env)?;
        let general = match &def.general {
            Some(e) => Some(T::lower(self, e, &mut env.clone())?),
            None => None,
        };
        let beats = |i: usize| {
            let id = rules.get(i).map(|(c, ..)| c.clause);
            let by = (0..).zip(&rules).filter(|(_, (c, ..))| id.is_some_and(|id| c.beats.contains(&id)));
            by.map(|(j, _)| j).collect()
        };
        let beaten: Vec<Box<[u32]>> = (0..rules.len()).map(beats).collect();
        let mut rules: Vec<Rule<T>> =
            rules.into_iter().zip(beaten).map(|((_, cond, value), beaten)| Rule { cond, value, beaten }).collect();
        let value = match (rules.len(), general) {
            (0, Some(general)) => general,
            (1, Some(general)) if rules[0].beaten.is_empty() => {
                let rule = rules.swap_remove(0);
                choose(rule.cond, rule.value, general)
            }
            (_, general) => match rules_by_value(&mut self.shared, &rules, general.as_ref()) {
                Some(found) => found,
                None => T::flow(Flow::Pick(rules.into(), general)),
            },
        };
        let value = self.fold(value);
        let value = value.layers(self, def, env)?;
        Ok(self.fold(value))
    }

    /// The clauses of a layer that can apply, for each holder, with condition and value.
    pub fn rules<'c, T: Body>(
        &mut self,
        clauses: impl IntoIterator<Item = &'c DefClause>,
        def: &Def,
        env: &Env,
    ) -> Low<Vec<(&'c DefClause, Cond, T)>> {
        let mut found = Vec::new();
        for clause in clauses {
            let fits = self.fits(clause, def, env)?;
            if matches!(fits, Cond::Const(false)) {
                continue;
            }
            let mut speakers = self.speakers(clause.clause, env);
            if matches!(speakers[..], [Speaker::Each]) {
                if let Some((applies, value)) = self.said_of_each(clause, env)? {
                    let cond = join([fits, applies], true);
                    if !matches!(cond, Cond::Const(false)) {
                        found.push((clause, cond, value));
                    }
                    continue;
                }
                speakers = self.holders_apart(clause.clause);
            }
            for speaker in speakers {
                let Speaker::Holder(holder) = speaker else { continue };
                let mut env = env.clone();
                let applies = self.applies(clause.clause, holder, &mut env)?;
                let cond = join([fits.clone(), applies], true);
                if !matches!(cond, Cond::Const(false)) {
                    let value = T::lower(self, &clause.value, &mut env)?;
                    found.push((clause, cond, value));
                }
            }
        }
        Ok(found)
    }

    /// Whether the arguments are those that a clause is about.
    pub fn fits(&self, clause: &DefClause, def: &Def, env: &Env) -> Low<Cond> {
        let mut fits = Vec::new();
        for (i, arg) in clause.args.iter().take(def.params.len()).enumerate() {
            fits.push(match (arg, env.get(i as u16)) {
                (None, _) => continue,
                (Some(Value::Int(a)), Some(Local::Const(b))) => Cond::Const(*a == b),
                (Some(Value::None), Some(Local::Const(b))) => Cond::Const(b == NONE),
                (Some(Value::Int(a)), Some(Local::Slot(s))) => Cond::Is(Num::Slot(s), *a),
                (Some(Value::None), Some(Local::Slot(s))) => Cond::Is(Num::Slot(s), NONE),
                _ => return Err(Fallback::Form),
            });
        }
        Ok(join(fits, true))
    }

    /// The value from a table, if the definition can be one.
    fn tabled<T: Body>(&mut self, id: DefId, def: &Def, args: &[Arg]) -> Low<Option<T>> {
        if !self.silencing.is_empty() {
            // Asked about inside a silence a clause may be something else.
            return Ok(None);
        }
        if !self.tables.contains_key(&id.0) {
            let table = self.tabulate::<T>(id, def)?;
            self.tables.insert(id.0, table);
        }
        let Some(Some(table)) = self.tables.get(&id.0) else {
            return Ok(None);
        };
        let mut terms = Vec::new();
        for (arg, (_, ty)) in args.iter().zip(&def.params) {
            let Arg::Num(n) = arg else { return Ok(None) };
            let (lo, count) = scalar_span(&ty.base, &self.model.kinds);
            terms.push((n.clone(), lo as i32, count as u32));
        }
        // A member is always one of its kind; a number may be outside of its range.
        let strict = def.params.iter().any(|(_, ty)| matches!(ty.base, Base::Range(..)));
        Ok(T::look_up(table, terms, strict))
    }

    fn tabulate<T: Body>(&mut self, id: DefId, def: &Def) -> Low<Option<Table>> {
        let mut spans = Vec::new();
        let mut total = 1usize;
        for (_, ty) in &def.params {
            let (lo, count) = scalar_span(&ty.base, &self.model.kinds);
            let finite = matches!(ty.base, Base::Bool | Base::Range(..) | Base::Member(_)) && !ty.optional;
            if !finite || count == 0 || count > MAX_TABLE as u64 {
                return Ok(None);
            }
            total = total.saturating_mul(count as usize);
            spans.push((lo as i32, count as usize));
        }
        if spans.is_empty() || total > MAX_TABLE || self.shared.is_tight() {
            return Ok(None);
        }
        let made = self.made::<T>(id, def, &vec![None; def.params.len()])?;
        let body = T::shared(&self.shared, made.at).cloned().ok_or(Fallback::Form)?;
        if !depends_only_on(&of(&self.shared, &body), &made.slots) {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(total);
        for i in 0..total {
            let mut rest = i;
            for ((lo, count), slot) in spans.iter().zip(&made.slots).rev() {
                if let Some(cell) = self.scratch.slots.get(usize::from(*slot)) {
                    cell.set(lo + (rest % count) as i32);
                }
                rest /= count;
            }
            match evaluate(&self.shared, &self.scratch, &body) {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(T::gather(&values, spans.last().map_or(1, |s| s.1))))
    }

    /// When a clause applies, for one holder; the holder becomes a local.
    pub fn applies(&mut self, id: ClauseId, holder: Option<Local>, env: &mut Env) -> Low<Cond> {
        let model = self.model;
        let clause = model.clause(id).ok_or(Fallback::Form)?;
        let mut parts = Vec::new();
        let mut when = clause.when.as_slice();
        if let Some(h) = &holder {
            if clause.holder_is().and_then(|param| env.get(param)).is_some_and(|param| param == *h) {
                when = when.get(1..).unwrap_or(&[]);
                parts.push(self.can_have(id, h));
            }
            env.set(clause.holder, h.clone());
        }
        if let Some(limit) = clause.limit {
            let index = match holder {
                Some(Local::Slot(slot)) => Num::Slot(slot),
                Some(Local::Const(h)) => Num::Const(h),
                _ => Num::Const(0),
            };
            let used = self.scalar(limit, index)?;
            parts.push(not(Cond::Truth(used)));
        }
        for when in when {
            let c = self.cond(when, env)?;
            let never = matches!(c, Cond::Const(false));
            parts.push(c);
            if never {
                break;
            }
        }
        let speaks = match (clause.ability, holder) {
            (Some(a), Some(h)) => not(self.silenced(a, &h)?),
            _ => Cond::Const(true),
        };
        // Of a clause that never speaks nothing is evaluated, so that nothing of it can fail.
        if matches!(speaks, Cond::Const(false)) {
            return Ok(speaks);
        }
        // A silence is evaluated last, but before what can fail: nothing of a silenced clause fails.
        let can_fail = |part: &Cond| of(&self.shared, part).risky;
        let first = if can_fail(&speaks) { Some(0) } else { parts.iter().position(can_fail) };
        parts.insert(first.unwrap_or(parts.len()), speaks);
        let all = join(parts, true);
        Ok(self.fold(all))
    }

    /// Whether an ability of a holder is switched off.
    fn silenced(&mut self, ability: AbilityId, holder: &Local) -> Low<Cond> {
        let model = self.model;
        let mut any = Vec::new();
        for (i, silence) in model.silences.iter().enumerate() {
            let kind = model.abilities.get(ability.i()).map(|a| a.kind);
            let about =
                kind == Some(silence.kind) && (silence.abilities.is_empty() || silence.abilities.contains(&ability));
            if self.silencing.contains(&i) || !about {
                continue;
            }
            self.silencing.push(i);
            let result = self.silences(silence, ability, holder);
            self.silencing.pop();
            any.push(result?);
        }
        let any = join(any, false);
        Ok(self.fold(any))
    }

    fn silences(&mut self, silence: &Silence, ability: AbilityId, holder: &Local) -> Low<Cond> {
        let model = self.model;
        let speaks = |low: &mut Self, id: ClauseId, ask: bool| -> Low<Cond> {
            let clause = model.clause(id).ok_or(Fallback::Form)?;
            let mut any = Vec::new();
            let mut env = Env::default();
            env.set(0, holder.clone());
            for own in low.speakers(id, &env) {
                let mut env = env.clone();
                let mut parts = Vec::new();
                let (own, each) = match own {
                    Speaker::Holder(own) => (own, None),
                    Speaker::Each => {
                        let member = low.bearer_slot(id)?;
                        (Some(Local::Slot(member.0)), Some(member))
                    }
                };
                if let Some(h) = own {
                    env.set(clause.holder, h.clone());
                    parts.push(low.can_have(id, &h));
                    if let (Some(a), true) = (clause.ability, ask) {
                        parts.push(not(low.silenced(a, &h)?));
                    }
                }
                for when in &clause.when {
                    parts.push(low.cond(when, &mut env)?);
                }
                let holds = join(parts, true);
                any.push(match each {
                    Some((slot, n)) => low.some_of(SetE::Const(Bits::below(n)), (slot, 0, n), holds),
                    None => holds,
                });
            }
            Ok(join(any, false))
        };
        let applies = speaks(self, silence.clause, true)?;
        let mut spared = Vec::new();
        for spare in silence.spares.iter().filter(|s| s.abilities.contains(&ability)) {
            spared.push(speaks(self, spare.clause, false)?);
        }
        Ok(join([applies, not(join(spared, false))], true))
    }
}
