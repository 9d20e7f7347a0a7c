//! A whole position that matches a partial one.

use std::sync::Arc;

use super::Finder;
use super::example::Example;
use crate::explain::Explainer;
use crate::explain::conflict::{Conflict, Spot, duty_params};
use crate::explain::partial::{Domain, Entry, Partial, domain_of, full};
use crate::game::{Evaluator as _, Position};
use crate::model::{Base, CodeId, Config, Model, Set, Ty, Value, VarId, VarOwner};

/// The types of the arguments with which a conflict is searched for.
pub fn params(model: &Model, conflict: &Conflict) -> Vec<(String, Ty)> {
    match conflict {
        Conflict::Values(def, _) => model.defs.get(def.i()).map_or(Vec::new(), |d| d.params.clone()),
        Conflict::Duties(_, sides) => duty_params(model, sides),
        _ => Vec::new(),
    }
}

/// Where play must stand for a conflict.
pub fn spot(conflict: &Conflict) -> Option<Spot> {
    match conflict {
        Conflict::Values(..) | Conflict::Ends(_) => None,
        Conflict::Replacing(spot, _) | Conflict::Order(spot, _) | Conflict::Duties(spot, _) => Some(*spot),
    }
}

/// The wanted value, if it is in the domain; otherwise the first.
pub fn pick(domain: &Domain, wanted: Option<i32>) -> Option<i32> {
    if domain.contains(wanted) {
        return wanted;
    }
    domain.values(1).first().copied().flatten()
}

impl Finder {
    /// The position that matches a partial one, with open entries taken from another position, if the clauses conflict
    /// there in play.
    pub(super) fn example(
        &self,
        conflict: &Conflict,
        partial: &Partial,
        seed: &Position,
    ) -> Option<(Example, Explainer)> {
        let model = self.model();
        let mut config: Config = self.rules.config().clone();
        for (i, value) in config.0.iter_mut().enumerate() {
            if let Some(domain) = partial.known(&Entry::Config(crate::model::ConfigId(i as u16))) {
                *value = pick(domain, Some(*value)).unwrap_or(*value);
            }
        }
        // An option that matters makes way for none that does not.
        while let Some((a, b)) = config.excluded(model) {
            let off = if partial.known(&Entry::Config(a)).is_none() { a } else { b };
            *config.0.get_mut(off.i())? = 0;
        }
        let args: Vec<Option<i32>> = params(model, conflict)
            .iter()
            .enumerate()
            .map(|(i, (_, ty))| {
                let domain = partial.known(&Entry::Arg(i as u16)).cloned().or_else(|| domain_of(ty, model));
                domain.and_then(|d| pick(&d, Some(0)))
            })
            .collect();
        let any_legal = partial.any_legal();
        let position = self.position(conflict, partial, seed)?;
        let rules = Explainer::new(Arc::clone(self.rules.shared()), config.clone());
        let fault = rules.clash_in_play(&position, conflict, &args, any_legal)?;
        let nevers = rules.nevers(&position).unwrap_or_default();
        let conflict = conflict.clone();
        Some((Example { conflict, position, config, args, partial: partial.clone(), fault, nevers }, rules))
    }

    fn position(&self, conflict: &Conflict, partial: &Partial, seed: &Position) -> Option<Position> {
        let model = self.model();
        let mut position = self.rules.blank().ok()?;
        let spot = spot(conflict);
        let mut on: Vec<CodeId> = spot.iter().map(|s| s.code).collect();
        for (entry, domain) in partial.entries() {
            if let Entry::On(code) = entry
                && *domain == Domain::one(Some(1))
                && !on.contains(code)
            {
                on.push(*code);
            }
        }
        for code in self.calls.stack(&on) {
            if !position.push(model, code) {
                return None;
            }
        }
        if let Some(spot) = spot {
            if position.top(model).map(|t| t.0) != Some(spot.code) {
                return None;
            }
            position.set_pc(model, spot.pc);
        }
        for (v, var) in model.vars.iter().enumerate() {
            let id = VarId(v as u16);
            let own = match var.owner {
                VarOwner::Code(code) if position.active(model, code) == 0 => continue,
                VarOwner::Code(code) => seed.active(model, code) > 0,
                _ => true,
            };
            for i in 0..var.place.count {
                let from = if own { seed.read(model, id, i as usize) } else { begin(model, &var.ty) };
                let value = settled(model, partial, id, i, from);
                let _ = position.write(model, id, i as usize, &value);
            }
        }
        Some(position)
    }
}

/// The initial value of a procedure's variable, if none is given.
fn begin(model: &Model, ty: &Ty) -> Value {
    match domain_of(ty, model) {
        Some(_) if ty.optional => Value::None,
        Some(domain) => Value::Int(pick(&domain, Some(0)).unwrap_or(0)),
        None => match ty.base {
            Base::List(_) => Value::List(Vec::new()),
            Base::Bag(_) => Value::Bag(Vec::new()),
            _ => Value::Set(Set::new()),
        },
    }
}

/// The value of a variable's entry, with what a partial position knows about it.
fn settled(model: &Model, partial: &Partial, var: VarId, index: u32, from: Value) -> Value {
    let items = |n: usize| {
        (0..n as u32).filter_map(move |item| partial.known(&Entry::Item(var, index, item)).map(|d| (item, d)))
    };
    let size = |of: &Base| crate::model::scalar_span(of, &model.kinds).1 as usize;
    let there = |d: &Domain, was: bool| pick(d, Some(i32::from(was))).is_some_and(|n| n > 0);
    match (model.vars.get(var.i()).map(|v| &v.ty.base), from) {
        (Some(Base::Set(of)), Value::Set(mut set)) => {
            for (item, domain) in items(size(of)) {
                if there(domain, set.contains(item as usize)) {
                    set.insert(item as usize);
                } else {
                    set.remove(item as usize);
                }
            }
            Value::Set(set)
        }
        (Some(Base::List(kind)), Value::List(mut list)) => {
            for (item, domain) in items(size(&Base::Member(*kind))) {
                let was = list.contains(&(item as u16));
                let is = there(domain, was);
                if was && !is {
                    list.retain(|i| u32::from(*i) != item);
                } else if is && !was {
                    list.push(item as u16);
                }
            }
            Value::List(list)
        }
        (Some(Base::Bag(of)), Value::Bag(mut counts)) => {
            counts.resize(size(of), 0);
            for (item, domain) in items(size(of)) {
                if let Some(n) = counts.get_mut(item as usize) {
                    *n = pick(domain, Some(i32::from(*n))).and_then(|i| u16::try_from(i).ok()).unwrap_or(*n);
                }
            }
            Value::Bag(counts)
        }
        (_, from) => {
            let entry = Entry::Cell(var, index);
            match partial.known(&entry) {
                Some(domain) => {
                    let wanted = pick(domain, from.int());
                    wanted.filter(|i| full(&entry, model).contains(Some(*i))).map_or(Value::None, Value::Int)
                }
                None => from,
            }
        }
    }
}
