//! Storing: what instructions do to variables and piles.

use super::eval::{Res, as_set, fault, fit};
use super::run::Run;
use crate::game::{Fault, FaultDetail, FaultKind, Needed, Position, RulesPart, SeenValue};
use crate::model::{
    BagOp, Base, Change, CodeId, Count, CountOp, Expr, MAX_COPIES, Set, Target, Value, VarId, VarOwner,
};
use crate::span::Span;

impl Run<'_> {
    /// Begins a code with its arguments; its other variables as they start.
    pub(super) fn begin(&self, position: &mut Position, code: CodeId, args: &[Value], span: Span) -> Res<()> {
        let Some(c) = self.model.codes.get(code.i()) else {
            let detail = FaultDetail::Missing(RulesPart::Procedure);
            return Err(fault(FaultKind::BadPosition, span, detail));
        };
        if !position.push(self.model, code) {
            return Err(fault(FaultKind::Endless, span, FaultDetail::TooDeep(code)));
        }
        for (var, value) in c.params.iter().zip(args) {
            self.put(position, *var, 0, value.clone(), span)?;
        }
        for var in &c.vars {
            if !c.params.contains(var) {
                self.initial(position, *var)?;
            }
        }
        Ok(())
    }

    pub(super) fn initial(&self, position: &mut Position, var: VarId) -> Res<()> {
        let Some(v) = self.model.vars.get(var.i()) else {
            return Ok(());
        };
        let Some(init) = &v.init else {
            return Ok(());
        };
        for index in 0..v.place.count {
            let value = self.at(position).framed(|ev| {
                ev.set_local(0, Value::Int(index as i32));
                ev.eval(init)
            })?;
            if value != Value::None {
                self.put(position, var, index as usize, value, init.span)?;
            }
        }
        Ok(())
    }

    /// Makes all entries of a variable nothing, whatever its type says.
    pub(super) fn clear(&self, position: &mut Position, var: VarId) {
        let Some(v) = self.model.vars.get(var.i()) else {
            return;
        };
        let nothing = match v.ty.base {
            Base::Set(_) => Value::Set(Set::new()),
            Base::List(_) => Value::List(Vec::new()),
            Base::Bag(_) => Value::Bag(Vec::new()),
            _ => Value::None,
        };
        for index in 0..v.place.count {
            let _ = position.write(self.model, var, index as usize, &nothing);
        }
    }

    pub(super) fn element(&self, var: VarId) -> Base {
        match self.model.vars.get(var.i()).map(|v| &v.ty.base) {
            Some(Base::Set(of) | Base::Bag(of)) => (**of).clone(),
            _ => Base::Nothing,
        }
    }

    pub(super) fn operands(&self, position: &Position, target: &Target, e: &Expr) -> Res<(usize, Value)> {
        let mut ev = self.at(position);
        let value = ev.eval(e)?;
        Ok((ev.index(target)?, value))
    }

    pub(super) fn put(&self, position: &mut Position, var: VarId, index: usize, value: Value, span: Span) -> Res<()> {
        let Some(v) = self.model.vars.get(var.i()) else {
            let detail = FaultDetail::Missing(RulesPart::Variable);
            return Err(fault(FaultKind::BadPosition, span, detail));
        };
        let value = fit(&v.ty.base, value);
        if position.write(self.model, var, index, &value) {
            return Ok(());
        }
        if let VarOwner::Code(code) = v.owner
            && position.active(self.model, code) == 0
        {
            return Err(fault(FaultKind::Nothing, span, FaultDetail::NotThere(var)));
        }
        if value == Value::None {
            return Err(fault(FaultKind::Nothing, span, FaultDetail::BecomesNothing(var)));
        }
        let detail = FaultDetail::CannotBe(var, SeenValue::known(&v.ty.base, &value));
        Err(fault(FaultKind::OutOfRange, span, detail))
    }

    fn item(&self, value: &Value, span: Span) -> Res<i32> {
        let item = value.int();
        item.ok_or_else(|| fault(FaultKind::Nothing, span, FaultDetail::Nothing(Needed::Moved)))
    }

    pub(super) fn change(&self, position: &mut Position, change: &Change, span: Span) -> Res<()> {
        match change {
            Change::Put(item, target) => self.put_into(position, item, target, span),
            Change::Take(item, target) => self.take_from(position, item, target, span),
            Change::MoveAll(from, to) => self.move_all(position, from, to, span),
            Change::Bag(op, to, other) => self.bag(position, *op, (to, other.as_ref()), span),
            Change::Count(count) => self.count(position, count, span),
        }
    }

    fn put_into(&self, position: &mut Position, e: &Expr, target: &Target, span: Span) -> Res<()> {
        let (index, value) = self.operands(position, target, e)?;
        let item = self.item(&value, e.span)?;
        let pile = position.read(self.model, target.var, index);
        let no = || fault(FaultKind::OutOfRange, span, FaultDetail::NotInPile);
        let pile = match pile {
            Value::List(mut items) => {
                let item = u16::try_from(item).map_err(|_| no())?;
                if !items.contains(&item) {
                    items.push(item);
                }
                Value::List(items)
            }
            Value::Bag(mut counts) => {
                let n = self.element(target.var).bit(item).and_then(|b| counts.get_mut(b)).ok_or_else(no)?;
                *n += 1;
                return self.put_counts(position, (target, index), counts, span);
            }
            other => {
                let mut set = as_set(other);
                set.insert(self.element(target.var).bit(item).ok_or_else(no)?);
                Value::Set(set)
            }
        };
        self.put(position, target.var, index, pile, span)
    }

    fn take_from(&self, position: &mut Position, e: &Expr, target: &Target, span: Span) -> Res<()> {
        let (index, value) = self.operands(position, target, e)?;
        let item = self.item(&value, e.span)?;
        let missing = || {
            let detail = FaultDetail::NotIn(SeenValue::known(&e.ty.base, &value), target.var);
            fault(FaultKind::Nothing, span, detail)
        };
        let pile = match position.read(self.model, target.var, index) {
            Value::List(mut items) => {
                let at = items.iter().position(|i| i32::from(*i) == item);
                items.remove(at.ok_or_else(missing)?);
                Value::List(items)
            }
            Value::Bag(mut counts) => {
                let n = self.element(target.var).bit(item).and_then(|b| counts.get_mut(b)).ok_or_else(missing)?;
                *n = n.checked_sub(1).ok_or_else(missing)?;
                Value::Bag(counts)
            }
            other => {
                let mut set = as_set(other);
                let b = self.element(target.var).bit(item).filter(|b| set.contains(*b));
                set.remove(b.ok_or_else(missing)?);
                Value::Set(set)
            }
        };
        self.put(position, target.var, index, pile, span)
    }

    fn too_many(&self, target: &Target, span: Span) -> Box<Fault> {
        fault(FaultKind::OutOfRange, span, FaultDetail::TooManyCopies(target.var))
    }

    /// Changes a bag by another, or by an empty one.
    fn bag(&self, position: &mut Position, op: BagOp, (to, other): (&Target, Option<&Expr>), span: Span) -> Res<()> {
        let index = self.at(position).index(to)?;
        let by = match other {
            Some(other) => self.at(position).whole_bag(other)?,
            None => Vec::new(),
        };
        let mut counts = self.counts(position, (to.var, index));
        for (i, n) in counts.iter_mut().enumerate() {
            let by = by.get(i).copied().unwrap_or(0);
            *n = match op {
                BagOp::Become => by,
                BagOp::Add => n.saturating_add(by),
                BagOp::Less => n.saturating_sub(by),
            };
        }
        self.put_counts(position, (to, index), counts, span)
    }

    fn counts(&self, position: &Position, (var, index): (VarId, usize)) -> Vec<u16> {
        match position.read(self.model, var, index) {
            Value::Bag(counts) => counts,
            _ => Vec::new(),
        }
    }

    fn put_counts(&self, position: &mut Position, to: (&Target, usize), counts: Vec<u16>, span: Span) -> Res<()> {
        if counts.iter().any(|n| *n > u16::from(MAX_COPIES)) {
            return Err(self.too_many(to.0, span));
        }
        self.put(position, to.0.var, to.1, Value::Bag(counts), span)
    }

    /// Changes how many copies of one value a bag holds.
    fn count(&self, position: &mut Position, count: &Count, span: Span) -> Res<()> {
        let (index, value) = self.operands(position, &count.bag, &count.item)?;
        let item = self.item(&value, count.item.span)?;
        let number = self.at(position).eval(&count.number)?;
        let nothing = || fault(FaultKind::Nothing, count.number.span, FaultDetail::Nothing(Needed::Counted));
        let number = i64::from(number.int().ok_or_else(nothing)?);
        let mut counts = self.counts(position, (count.bag.var, index));
        let no = || fault(FaultKind::OutOfRange, span, FaultDetail::NotInPile);
        let n = self.element(count.bag.var).bit(item).and_then(|b| counts.get_mut(b)).ok_or_else(no)?;
        let now = i64::from(*n);
        let new: i64 = match count.op {
            CountOp::Become => number,
            CountOp::Add => now.saturating_add(number),
            CountOp::Less => now.saturating_sub(number),
        };
        *n = u16::try_from(new.min(i64::from(u16::MAX))).map_err(|_| {
            let seen = SeenValue::known(&count.item.ty.base, &value);
            let detail = match count.op {
                CountOp::Become => FaultDetail::NegativeCopies(seen, count.bag.var, new),
                CountOp::Add | CountOp::Less => FaultDetail::TooFewCopies(seen, count.bag.var, now, now - new),
            };
            fault(FaultKind::OutOfRange, span, detail)
        })?;
        self.put_counts(position, (&count.bag, index), counts, span)
    }

    fn move_copies(&self, position: &mut Position, from: (VarId, usize), to: (&Target, usize), span: Span) -> Res<()> {
        let (moved, there) = (self.counts(position, from), self.counts(position, (to.0.var, to.1)));
        let sum = there.iter().zip(&moved).map(|(a, b)| a.saturating_add(*b)).collect();
        self.put(position, from.0, from.1, Value::Bag(Vec::new()), span)?;
        self.put_counts(position, to, sum, span)
    }

    fn move_all(&self, position: &mut Position, from: &Target, to: &Target, span: Span) -> Res<()> {
        let (a, b) = (self.at(position).index(from)?, self.at(position).index(to)?);
        if (from.var, a) == (to.var, b) {
            return Ok(());
        }
        if matches!(self.model.vars.get(to.var.i()).map(|v| &v.ty.base), Some(Base::Bag(_))) {
            return self.move_copies(position, (from.var, a), (to, b), span);
        }
        let items: Vec<u16> = match position.read(self.model, from.var, a) {
            Value::List(items) => items,
            other => as_set(other).iter().map(|i| i as u16).collect(),
        };
        let moved = match position.read(self.model, to.var, b) {
            Value::List(mut list) => {
                for item in items {
                    if !list.contains(&item) {
                        list.push(item);
                    }
                }
                Value::List(list)
            }
            other => Value::Set(as_set(other).union(&items.into_iter().map(usize::from).collect())),
        };
        let empty = Value::Set(Set::new());
        self.put(position, from.var, a, empty, span)?;
        self.put(position, to.var, b, moved, span)
    }
}
