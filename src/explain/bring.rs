//! Rules on the lists that seats bring.

use super::Explainer;
use super::clause::bare;
use super::eval::Eval;
use super::note::{Notes, Written};
use super::words::{member, value_text};
use crate::game::{Evaluator, Fault, ListDemand, ListRuling, Position, Verdict};
use crate::model::{
    Base, Bring, BringId, Config, ConfigId, Demand, Domain, Expr, ExprKind, FieldStore, KindId, Model, Quantifier,
    Value, VarId,
};

/// How the members that take what is brought are called: by what they took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called {
    kind: KindId,
    field: VarId,
    of: KindId,
}

impl Called {
    fn one(self, model: &Model, position: &Position, taker: i32) -> String {
        let index = usize::try_from(taker).ok();
        match index.map(|i| position.read(model, self.field, i)) {
            Some(Value::Int(brought)) => member(model, self.of, brought, ""),
            _ => member(model, self.kind, taker, ""),
        }
    }

    /// `Frodo`, `3 Rohan Warrior`, each name once.
    fn several(self, model: &Model, position: &Position, takers: impl Iterator<Item = i32>) -> Vec<String> {
        let mut counted: Vec<(String, usize)> = Vec::new();
        for name in takers.map(|t| self.one(model, position, t)) {
            match counted.iter_mut().find(|(n, _)| *n == name) {
                Some((_, n)) => *n += 1,
                None => counted.push((name, 1)),
            }
        }
        counted.into_iter().map(|(name, n)| if n == 1 { name } else { format!("{n} {name}") }).collect()
    }

    /// A value in words.
    pub(super) fn words(self, model: &Model, position: &Position, base: &Base, value: &Value) -> String {
        match (base, value) {
            (Base::Member(kind), Value::Int(i)) if *kind == self.kind => self.one(model, position, *i),
            (Base::Set(of), Value::Set(set)) if **of == Base::Member(self.kind) => {
                let takers = set.iter().map(|b| of.of_bit(b));
                format!("{{{}}}", self.several(model, position, takers).join(", "))
            }
            _ => value_text(model, base, value, ""),
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
    pub fn list_ruling(&self, bring: BringId, seat: u16, list: &[u16]) -> Result<ListRuling, Fault> {
        let mut list_ruling = self.mustered(bring, seat, list)?;
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
                let other = self.other(config).mustered(bring, seat, list);
                let verdict = other.map_or(Verdict::Undecided, |m| m.verdict);
                if verdict != list_ruling.verdict {
                    others.push((value, verdict));
                }
            }
            if !others.is_empty() {
                list_ruling.readings.push((ConfigId(i as u16), others));
            }
        }
        Ok(list_ruling)
    }

    fn mustered(&self, id: BringId, seat: u16, list: &[u16]) -> Result<ListRuling, Fault> {
        let mut list_ruling =
            ListRuling { bring: id, seat, verdict: Verdict::Legal, demands: Vec::new(), readings: Vec::new() };
        let Some(bring) = self.bring(id) else {
            return Ok(list_ruling);
        };
        if let Some(watch) = self.watch(true) {
            watch.decided(bring.clause);
        }
        let mut position = self.blank()?;
        for (i, taker) in self.takers_at(&position, id, seat).into_iter().enumerate() {
            let value = list.get(i).map_or(Value::None, |m| Value::Int(i32::from(*m)));
            // It fits: the list holds members of the field's kind.
            let _ = position.write(&self.model, bring.field, usize::from(taker), &value);
        }
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
            by: crate::game::Considered { holder, ..bare(demand.clause) },
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
                seen.values.retain(|(what, _)| *what != bring.seat);
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
        found.fault = result.err().map(|f| f.words(&self.model));
        found.derived = ev.notes.derived;
        found
    }
}

impl<N: Notes> Eval<'_, N> {
    /// The members that make a condition about each of a set fail.
    fn against(&mut self, e: &Expr) -> super::eval::Res<Vec<String>> {
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
            (of, _) => found.iter().map(|i| self.words(of, &Value::Int(*i))).collect(),
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
