//! Rules on the lists that seats bring.

use super::Explainer;
use super::eval::Eval;
use super::note::{Notes, Silent, Written};
use crate::game::{
    Brought, Choice, Considered, Evaluator, Fault, ListCosts, ListDemand, ListRuling, Position, SeenMember, SeenValue,
    StartingList, Subject, Verdict,
};
use crate::model::{
    Base, Bring, BringId, Config, ConfigId, Costs, Demand, Domain, Expr, ExprKind, FieldStore, KindId, Model,
    Quantifier, Value, VarId,
};

/// How the members that take what is brought are called: by what they took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called {
    kind: KindId,
    field: VarId,
    of: KindId,
}

impl Called {
    /// A member, as what it took where it takes what is brought.
    pub(super) fn member(self, model: &Model, position: &Position, kind: KindId, member: u16) -> SeenMember {
        let brought = || position.read(model, self.field, usize::from(member)).int();
        match brought().filter(|_| kind == self.kind).and_then(|of| u16::try_from(of).ok()) {
            Some(brought) => SeenMember::Known(self.of, brought),
            None => SeenMember::Known(kind, member),
        }
    }

    /// What takers took, each once, and how many took it.
    fn several(self, model: &Model, position: &Position, takers: impl Iterator<Item = i32>) -> Vec<(SeenValue, usize)> {
        let mut counted: Vec<(SeenValue, usize)> = Vec::new();
        for taker in takers.filter_map(|taker| u16::try_from(taker).ok()) {
            let brought = SeenValue::Member(self.member(model, position, self.kind, taker));
            match counted.iter_mut().find(|(known, _)| *known == brought) {
                Some((_, n)) => *n += 1,
                None => counted.push((brought, 1)),
            }
        }
        counted
    }

    /// A value; of a set of those that take what is brought how many took each.
    pub(super) fn value(self, model: &Model, position: &Position, base: &Base, value: &Value) -> SeenValue {
        match (base, value) {
            (Base::Set(of), Value::Set(set)) if **of == Base::Member(self.kind) => {
                let takers = set.iter().map(|b| of.of_bit(b));
                SeenValue::Counted(self.several(model, position, takers))
            }
            _ => SeenValue::of(base, value, &|kind, member| self.member(model, position, kind, member)),
        }
    }
}

impl Explainer {
    fn bring(&self, id: BringId) -> Option<&Bring> {
        self.model.brings.get(id.i())
    }

    /// The members that take what a seat brings, in order: those of the kind that the seat owns before the game begins.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn takers(&self, bring: BringId, seat: u16) -> Result<Vec<u16>, Fault> {
        let blank = self.blank()?;
        Ok(self.takers_at(&blank, bring, seat))
    }

    /// Lays a list before a seat: each thing is taken by one taker, which goes on the pile of its section. Takers for
    /// which nothing is left have nothing.
    fn put_list(&self, position: &mut Position, bring: &Bring, seat: u16, takers: Vec<u16>, list: &[Brought]) {
        let model = &self.model;
        for (i, taker) in takers.into_iter().enumerate() {
            let thing = list.get(i);
            let value = thing.map_or(Value::None, |t| Value::Int(i32::from(t.member)));
            // All fits: the list holds members of the field's kind, and the piles hold takers.
            let _ = position.write(model, bring.field, usize::from(taker), &value);
            let Some(section) = thing.and_then(|t| bring.sections.get(usize::from(t.section))) else {
                continue;
            };
            let index = if section.indexed { usize::from(seat) } else { 0 };
            let pile = match position.read(model, section.pile, index) {
                Value::List(mut members) => {
                    members.push(taker);
                    Value::List(members)
                }
                Value::Set(members) => Value::Set(members.iter().chain([usize::from(taker)]).collect()),
                other => other,
            };
            let _ = position.write(model, section.pile, index, &pile);
        }
    }

    /// The same rules, and a game from the start begins with these lists.
    #[must_use]
    pub fn beginning_with(self, lists: Vec<StartingList>) -> Explainer {
        Explainer { lists: lists.into(), ..self }
    }

    /// The lists with which a game from the start begins.
    #[must_use]
    pub fn lists(&self) -> &[StartingList] {
        &self.lists
    }

    /// The position before the game begins, with the lists laid before their seats.
    pub(super) fn laid_out(&self) -> Result<Position, Fault> {
        let blank = self.blank()?;
        let mut position = blank.clone();
        for list in self.lists.iter() {
            if let Some(bring) = self.bring(list.bring) {
                let takers = self.takers_at(&blank, list.bring, list.seat);
                self.put_list(&mut position, bring, list.seat, takers, &list.things);
            }
        }
        Ok(position)
    }

    fn takers_at(&self, blank: &Position, bring: BringId, seat: u16) -> Vec<u16> {
        let kind = self.bring(bring).and_then(|b| self.model.kinds.get(b.kind.i()));
        let owner = kind.and_then(|k| k.fields.get(k.owner?));
        let (Some(kind), Some(owner)) = (kind, owner) else {
            return Vec::new();
        };
        let owns = |m: &usize| match &owner.store {
            FieldStore::Printed(owners) => owners.get(*m).and_then(Value::int),
            FieldStore::Var(var) => blank.read(&self.model, *var, *m).int(),
        };
        let all = 0..kind.members.len();
        all.filter(|m| owns(m) == Some(i32::from(seat))).map(|m| m as u16).collect()
    }

    /// What the clauses say of a list that a seat brings: members of the kind that is brought, each as often as it
    /// comes. They go in order to the [takers](Explainer::takers), on the position before the game begins; those for
    /// which there is no taker are left out.
    ///
    /// # Errors
    /// A fault of the rules before any clause speaks.
    pub fn list_ruling(&self, bring: BringId, seat: u16, list: &[Brought]) -> Result<ListRuling, Fault> {
        let mut list_ruling = self.ruled_on(bring, seat, list)?;
        for (i, item) in self.model.config.iter().enumerate() {
            let Some(current) = self.config.0.get(i).copied() else {
                continue;
            };
            let mut others = Vec::new();
            for value in (0..item.choices.len() as i32).filter(|v| *v != current) {
                let mut config: Config = self.config.clone();
                if let Some(place) = config.0.get_mut(i) {
                    *place = value;
                }
                let other = self.other(config).ruled_on(bring, seat, list);
                let verdict = other.map_or(Verdict::Undecided, |m| m.verdict);
                if verdict != list_ruling.verdict {
                    others.push((value, Some(verdict)));
                }
            }
            if !others.is_empty() {
                list_ruling.readings.push((ConfigId(i as u16), others));
            }
        }
        Ok(list_ruling)
    }

    fn ruled_on(&self, id: BringId, seat: u16, list: &[Brought]) -> Result<ListRuling, Fault> {
        let mut list_ruling = ListRuling {
            bring: id,
            seat,
            verdict: Verdict::Legal,
            costs: None,
            demands: Vec::new(),
            readings: Vec::new(),
        };
        let Some(bring) = self.bring(id) else {
            return Ok(list_ruling);
        };
        if let Some(watch) = self.watch(true) {
            watch.decided(bring.clause);
        }
        let mut position = self.blank()?;
        let takers = self.takers_at(&position, id, seat);
        self.put_list(&mut position, bring, seat, takers, list);
        list_ruling.costs = self.list_costs(&position, bring, seat, list);
        for demand in &bring.demands {
            for holder in self.model.holders(demand.clause) {
                let demanded = self.demanded(&position, bring, demand, seat, holder);
                if let (Some(watch), Some(false)) = (self.watch(true), demanded.kept) {
                    watch.decided(demand.clause);
                }
                list_ruling.demands.push(demanded);
            }
        }
        let any = |f: fn(&ListDemand) -> bool| list_ruling.demands.iter().any(f);
        if any(|d| d.kept == Some(false)) {
            list_ruling.verdict = Verdict::Illegal;
        } else if any(|d| d.fault.is_some()) {
            list_ruling.verdict = Verdict::Undecided;
        }
        Ok(list_ruling)
    }

    /// What the things in a list cost; `None` if the rules do not say it, or fail to.
    fn list_costs(&self, position: &Position, bring: &Bring, seat: u16, list: &[Brought]) -> Option<ListCosts> {
        let most = &bring.costs.as_ref()?.most;
        let most = match most {
            Some(most) => Some(self.amount(position, most, &[seat])?),
            None => None,
        };
        let mut costs = ListCosts { each: Vec::new(), sum: 0, most };
        for thing in list {
            let cost = self.cost(position, bring, seat, thing.member)?;
            costs.sum += i64::from(cost);
            match costs.each.iter_mut().find(|(member, ..)| *member == thing.member) {
                Some((_, count, _)) => *count += 1,
                None => costs.each.push((thing.member, 1, cost)),
            }
        }
        Some(costs)
    }

    /// What a thing costs that a seat brings; `None` if the rules do not say it, or fail to.
    fn cost(&self, position: &Position, bring: &Bring, seat: u16, thing: u16) -> Option<i32> {
        self.amount(position, &bring.costs.as_ref()?.cost, &[seat, thing])
    }

    /// What an option costs the seat that has it: the thing that it names, if lists are made of such things.
    #[must_use]
    pub fn cost_of(&self, position: &Position, seat: u16, choice: Choice) -> Option<(&Costs, i32)> {
        let Choice::Act(id, args) = choice else { return None };
        let params = &self.model.actions.get(id.i())?.params;
        let priced = |base: &Base| {
            let brings = self.model.brings.iter();
            brings.filter(|b| *base == Base::Member(b.of)).find(|b| b.costs.is_some())
        };
        let mut named = params.iter().zip(args.as_slice()).filter_map(|((_, ty), arg)| Some((priced(&ty.base)?, *arg)));
        let (bring, thing) = named.next()?;
        let cost = self.cost(position, bring, seat, u16::try_from(thing).ok()?)?;
        Some((bring.costs.as_ref()?, cost))
    }

    fn amount(&self, position: &Position, e: &Expr, locals: &[u16]) -> Option<i32> {
        let mut ev = self.at::<Silent>(position);
        let amount = ev.framed(|ev| {
            for (i, local) in locals.iter().enumerate() {
                ev.set_local(i as u16, Value::Int(i32::from(*local)));
            }
            ev.int(e)
        });
        amount.ok().flatten()
    }

    fn demanded(
        &self,
        position: &Position,
        bring: &Bring,
        demand: &Demand,
        seat: u16,
        holder: Option<u16>,
    ) -> ListDemand {
        let mut ev = self.at::<Written>(position);
        ev.brought = Some(Called { kind: bring.kind, field: bring.field, of: bring.of });
        let mut found = ListDemand {
            by: Considered { holder, ..Considered::bare(demand.clause) },
            kept: None,
            asked: Vec::new(),
            against: Vec::new(),
            derived: Vec::new(),
            fault: None,
        };
        let result = ev.framed(|ev| {
            ev.set_local(0, Value::Int(i32::from(seat)));
            let (applies, considered) = ev.applies(demand.clause, holder)?;
            if let Some(considered) = considered {
                found.by = considered;
            }
            if !applies {
                return Ok(());
            }
            let mut kept = true;
            for goal in &demand.goal {
                let mut seen = ev.seen(goal)?;
                // Whose list it is stands above it all.
                seen.values.retain(|part| !matches!(part.what, Subject::Local(0, _)));
                kept = seen.holds;
                found.asked.push(seen);
                if !kept {
                    found.against = ev.against(goal)?;
                    break;
                }
            }
            found.kept = Some(kept);
            Ok(())
        });
        found.fault = result.err().map(|f| *f);
        found.derived = ev.notes.derived;
        found
    }
}

impl<N: Notes> Eval<'_, N> {
    /// The members that make a condition about each of a set fail.
    fn against(&mut self, e: &Expr) -> super::eval::Res<Vec<(SeenValue, usize)>> {
        let (domain, wanted) = match &e.kind {
            ExprKind::Quant(Quantifier::Every, domain) => (domain, false),
            ExprKind::Quant(Quantifier::No, domain) => (domain, true),
            ExprKind::Not(inner) => match &inner.kind {
                ExprKind::Quant(Quantifier::Some, domain) => (domain, true),
                _ => return Ok(Vec::new()),
            },
            _ => return Ok(Vec::new()),
        };
        let found = self.those(domain, wanted)?;
        Ok(match (&domain.of, self.brought) {
            (Base::Member(kind), Some(called)) if *kind == called.kind => {
                called.several(self.model, self.position, found.into_iter())
            }
            (of, _) => found.iter().map(|i| (self.seen_value(of, &Value::Int(*i)), 1)).collect(),
        })
    }

    fn those(&mut self, domain: &Domain, wanted: bool) -> super::eval::Res<Vec<i32>> {
        let mut found = Vec::new();
        for b in self.set(&domain.set)?.iter() {
            let i = domain.of.of_bit(b);
            self.set_local(domain.local, Value::Int(i));
            let holds = match &domain.cond {
                Some(cond) => self.truth(cond)?,
                None => true,
            };
            if holds == wanted {
                found.push(i);
            }
        }
        Ok(found)
    }
}
