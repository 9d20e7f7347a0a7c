//! Sets, lowered.

use std::sync::Arc;

use super::bits::Bits;
use super::fallback::Fallback;
use super::ir::{Cond, Lin, Mask, NONE, Num, Over, SetE, Steps};
use super::lower::{Env, Local, Low, Lower};
use super::place::Place;
use super::tree::{filter, not, of};
use super::writes::Standing;
use crate::model::{self, Base, Domain, Expr, ExprKind, FieldStore, LinkId, SetOp, Value, VarId};

impl Lower<'_> {
    pub fn links(&self, links: LinkId, back: bool) -> Low<Arc<[Bits]>> {
        let links = self.model.links.get(links.i()).ok_or(Fallback::Form)?;
        let table = if back { &links.backward } else { &links.forward };
        table.iter().map(|s| self.bits(s)).collect::<Low<Vec<Bits>>>().map(Into::into)
    }

    /// An expression as a set.
    pub fn set(&mut self, e: &Expr, env: &mut Env) -> Low<SetE> {
        self.can_go_on(e)?;
        let s = match &e.kind {
            ExprKind::Const(Value::None) => SetE::Const(Bits::NONE),
            ExprKind::Const(Value::Set(set)) => SetE::Const(self.bits(set)?),
            ExprKind::Const(Value::List(items)) => {
                SetE::Const(self.bits(&items.iter().map(|i| usize::from(*i)).collect())?)
            }
            ExprKind::AsSet(a) => match e.bag() {
                Some(bag) => self.held(bag, env)?,
                None => self.set(a, env)?,
            },
            _ if !matches!(e.ty.base, Base::Set(_) | Base::List(_)) => return Err(Fallback::Form),
            ExprKind::Local(i) => match env.get(*i) {
                Some(Local::ConstSet(bits)) => SetE::Const(bits),
                Some(Local::SetSlot(s)) => SetE::Slot(s),
                _ => return Err(Fallback::Form),
            },
            ExprKind::Var { var, index } => {
                let index = self.index(index.as_deref(), env)?;
                self.set_var(*var, index)?
            }
            ExprKind::Printed { kind, field, of } => {
                let of = self.num(of, env)?;
                let field = self.model.kinds.get(kind.i()).and_then(|k| k.fields.get(*field)).ok_or(Fallback::Form)?;
                match &field.store {
                    FieldStore::Var(var) => self.set_var(*var, of)?,
                    FieldStore::Printed(values) => {
                        let row = |v: &Value| match v {
                            Value::Set(s) => self.bits(s),
                            Value::None => Ok(Bits::NONE),
                            _ => Err(Fallback::Form),
                        };
                        let rows = values.iter().map(row).collect::<Low<Vec<Bits>>>()?;
                        let terms = Box::new([(of, 0, rows.len() as u32)]);
                        SetE::Table(rows.into(), Lin { terms, strict: false })
                    }
                }
            }
            ExprKind::Linked { links, back, of } => {
                let rows = self.links(*links, *back)?;
                let terms = Box::new([(self.num(of, env)?, 0, rows.len() as u32)]);
                SetE::Table(rows, Lin { terms, strict: false })
            }
            ExprKind::Grid { grid, ask, args } => self.grid_set(*grid, *ask, args, env)?,
            ExprKind::Reach { links, from, local, cond } => {
                let rows = self.links(*links, false)?;
                let from = self.start(from, rows.len(), env)?;
                let slot = self.slot()?;
                env.set(*local, Local::Slot(slot));
                let cond = match cond {
                    Some(c) => self.cond(c, env)?,
                    None => Cond::Const(true),
                };
                let m = self.mask(&cond, slot, 0, rows.len());
                SetE::Reach(rows, Box::new(from), slot, Box::new(m))
            }
            ExprKind::Reached { steps, within } => {
                let within = match within {
                    Some(within) => Some(Box::new(self.num(within, env)?)),
                    None => None,
                };
                let steps = self.steps(steps, env)?;
                self.with_steps(steps, |steps| SetE::Steps(Box::new(steps), within))?
            }
            ExprKind::Call { def, args } => self.call(*def, args, env)?,
            ExprKind::SetOp(op, a, b) => {
                let ab = Box::new((self.set(a, env)?, self.set(b, env)?));
                match op {
                    SetOp::Union => SetE::Union(ab),
                    SetOp::Minus => SetE::Minus(ab),
                    SetOp::Intersect => SetE::Both(ab),
                }
            }
            ExprKind::If(c, a, b) => {
                let c = self.cond(c, env)?;
                self.if_then(c, |low| low.set(a, &mut env.clone()), |low| low.set(b, &mut env.clone()))?
            }
            ExprKind::Match { .. } => self.matched(e, env, |low, e, env| low.set(e, env))?,
            ExprKind::SetOf { items, of } => {
                let (lo, n) = self.span(of)?;
                let items = items.iter().map(|i| self.num(i, env)).collect::<Low<Vec<Num>>>()?;
                SetE::Of(items.into(), lo, n, matches!(of, Base::Member(_)))
            }
            ExprKind::Compr { domain, map: None, of } => {
                let (set, _, lo) = self.domain(domain, env)?;
                if lo != self.span(of)?.0 {
                    return Err(Fallback::Form);
                }
                set
            }
            ExprKind::Compr { domain, map: Some(map), of } => {
                let over = self.mapped(map, domain, env)?;
                let (lo, n) = self.span(of)?;
                SetE::Map(Box::new(over), lo, n)
            }
            // A set is never nothing.
            ExprKind::Default(a, _) => self.set(a, env)?,
            _ => return Err(Fallback::Form),
        };
        Ok(self.fold(s))
    }

    /// What the members of a set are made into. Those of which it is stored that there is nothing are left out first,
    /// at once by their stored value, where no condition can fail.
    fn mapped(&mut self, map: &Expr, domain: &Domain, env: &mut Env) -> Low<Over> {
        let (set, slot, lo, cond, n) = self.ranged(domain, env)?;
        let term = self.num(map, env)?;
        let stored = match &term {
            Num::At(place, of) => place.optional && place.level == 0 && matches!(**of, Num::Slot(x) if x == slot),
            _ => false,
        };
        let mask = self.mask(&cond, slot, lo, n);
        let mask = match stored && !of(&self.shared, &cond).risky {
            true => {
                let there = self.mask(&not(Cond::Is(term.clone(), NONE)), slot, lo, n);
                Mask::And(Box::new([there, mask]))
            }
            false => mask,
        };
        let set = filter(set, slot, lo, mask);
        Ok(Over { set: self.fold(set), slot, lo, term })
    }

    /// The members where steps begin, of so many.
    fn start(&mut self, from: &Expr, n: usize, env: &mut Env) -> Low<SetE> {
        if matches!(from.ty.base, Base::Set(_) | Base::List(_)) {
            return self.set(from, env);
        }
        let from = self.num(from, env)?;
        Ok(self.fold(SetE::Of(Box::new([from]), 0, n, true)))
    }

    pub fn steps(&mut self, s: &model::Steps, env: &mut Env) -> Low<Steps> {
        let (_, n) = self.span(&Base::Member(s.kind))?;
        let from = self.start(&s.from, n, env)?;
        let (a, b) = (self.slot_within(0, n)?, self.slot_within(0, n)?);
        env.set(s.a, Local::Slot(a));
        let set = self.set(&s.set, env)?;
        env.set(s.b, Local::Slot(b));
        let cond = match &s.cond {
            Some(c) => self.cond(c, env)?,
            None => Cond::Const(true),
        };
        let mask = self.mask(&cond, b, 0, n);
        let cost = match &s.cost {
            Some(cost) => Some(self.num(cost, env)?),
            None => None,
        };
        Ok(Steps { n, from, a, set, b, mask, cost })
    }

    fn set_var(&mut self, var: VarId, index: Num) -> Low<SetE> {
        if let Some(Standing::Set(set)) = self.standing.get(&var) {
            return Ok(set.clone());
        }
        let p = self.place(var)?;
        match self.model.vars.get(var.i()).map(|v| &v.ty.base) {
            Some(Base::List(_)) => Ok(SetE::List(p, Box::new(index))),
            Some(Base::Set(_)) => Ok(match index {
                Num::Const(i) if i < 0 || i as u32 >= p.count => SetE::Const(Bits::NONE),
                Num::Const(i) if p.level == 0 => SetE::Var(Place { at: p.at + p.width * i as u32, count: 1, ..p }),
                index => SetE::At(p, Box::new(index)),
            }),
            _ => Err(Fallback::Form),
        }
    }
}
