//! Expressions: their values at a position.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU32;

use super::ahead::Reached;
use super::bring::Called;
use super::budget::Budget;
use super::coverage::Recorder;
use super::memo::Memo;
use super::note::Notes;
use super::observer::Observer;
use super::partial::Draft;
use super::speakers::BearingNow;
use super::values::{arith, copies, together};
pub(super) use super::values::{as_set, fault, fit, nothing};
use crate::game::{Fault, FaultDetail, FaultKind, Needed, Position};
use crate::model::{
    AbilityId, Base, ClauseId, DefId, Domain, Expr, ExprKind, LARGE_STACK, LEAST, LinkId, MAX_DEFINITION_DEPTH, Model,
    Order, Quantifier, SMALL_STACK_DEPTH, Set, SetOp, Value, VarId,
};
use crate::span::Span;

/// A result inside the evaluator; the fault is boxed because it is rare and large.
pub(super) type Res<T> = Result<T, Box<Fault>>;

/// Definitions that may be active inside each other. The checker allows fewer, so only a model that it did not make
/// comes to this.
const MAX_CALLS: u32 = MAX_DEFINITION_DEPTH;

/// An evaluation at one position.
pub(super) struct Eval<'a, N: Notes> {
    /// The rules.
    pub model: &'a Model,
    /// The options in force.
    pub config: &'a [i32],
    /// The position.
    pub position: &'a Position,
    /// The notes taken.
    pub notes: N,
    /// Whether an action is legal, where one is to be chosen.
    pub any_legal: Option<bool>,
    /// The winners, in a score.
    pub winners: u32,
    /// The silences being asked about, so that one does not ask about itself.
    pub silencing: Vec<usize>,
    /// Which abilities of which holders are silenced, as far as known.
    pub silenced: Vec<(AbilityId, u16, Option<ClauseId>)>,
    /// The observer for whom values are put into words; `None` for a referee, who sees everything.
    pub observer: Option<Observer<'a>>,
    /// A seat whose sight what is read must not go beyond.
    pub within: Option<Observer<'a>>,
    /// Names of a code that may have been left, with the values that they had.
    pub kept: Vec<(VarId, Value)>,
    /// Something that this seat does not see was read.
    pub missed: bool,
    /// How members that take what a seat brings are called.
    pub brought: Option<Called>,
    /// The position is one that an action would lead to.
    pub after: bool,
    /// The position that the action looked at last would lead to.
    pub reached: Option<Reached>,
    /// Who keeps a trace.
    pub watch: Option<Recorder<'a>>,
    /// What definitions were found to be.
    pub memo: Memo,
    /// The same for the seat that looks, and whether it missed something on the way.
    pub memo_within: Memo<(Value, bool)>,
    /// Who has abilities that fields give.
    pub bearing_now: BearingNow,
    /// The partial position that is evaluated instead of a position.
    pub draft: Option<Draft<'a>>,
    /// How much has been worked out.
    pub work: Budget<'a>,
    stack: Vec<Value>,
    base: usize,
    calls: u32,
    /// Whether the stack is large enough for whatever is asked.
    roomy: bool,
    /// The action whose notation is written.
    pub written: Option<super::told::Written>,
}

impl<'a, N: Notes> Eval<'a, N> {
    /// At a position, with no locals.
    pub fn new(model: &'a Model, config: &'a [i32], position: &'a Position) -> Self {
        Eval {
            model,
            config,
            position,
            notes: N::default(),
            any_legal: None,
            winners: 0,
            silencing: Vec::new(),
            silenced: Vec::new(),
            observer: None,
            within: None,
            kept: Vec::new(),
            missed: false,
            brought: None,
            after: false,
            reached: None,
            watch: None,
            memo: Memo::default(),
            memo_within: Memo::default(),
            bearing_now: BearingNow::default(),
            written: None,
            draft: None,
            work: Budget::Own(0),
            stack: Vec::new(),
            base: 0,
            calls: 0,
            roomy: false,
        }
    }

    /// Everything leaves its marks there.
    pub fn watched(mut self, watch: Option<Recorder<'a>>) -> Self {
        self.watch = watch;
        self
    }

    /// What it works out is counted there.
    pub fn working(mut self, work: &'a AtomicU32) -> Self {
        self.work = Budget::Of(work);
        self
    }

    /// Does something with fresh locals.
    pub fn framed<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let (base, len) = (self.base, self.stack.len());
        self.base = len;
        let result = f(self);
        self.stack.truncate(len);
        self.base = base;
        result
    }

    /// The same for a definition.
    pub fn called<T: Send>(
        &mut self,
        (def, span): (DefId, Span),
        f: impl FnOnce(&mut Self) -> Res<T> + Send,
    ) -> Res<T> {
        if self.calls >= MAX_CALLS {
            return Err(fault(FaultKind::Endless, span, FaultDetail::Ring));
        }
        self.spend(1, span)?;
        self.calls += 1;
        let deep = !self.roomy && self.model.levels.get(def.i()).is_some_and(|levels| *levels > SMALL_STACK_DEPTH);
        let result = if deep { self.with_room(span, f) } else { self.framed(f) };
        self.calls -= 1;
        result
    }

    /// The same on a stack that is large enough for all definitions that may ask each other.
    #[cold]
    fn with_room<T: Send>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Res<T> + Send) -> Res<T> {
        self.roomy = true;
        let done = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(LARGE_STACK);
            thread.spawn_scoped(scope, || self.framed(f)).ok()?.join().ok()
        });
        self.roomy = false;
        done.unwrap_or_else(|| Err(fault(FaultKind::TooLong, span, FaultDetail::NoRoom)))
    }

    /// The same at a position that an action would lead to, with the same locals.
    pub fn after<T>(&mut self, position: &Position, f: impl FnOnce(&mut Eval<N>) -> Res<T>) -> (Res<T>, N) {
        let mut other = Eval::new(self.model, self.config, position);
        other.after = true;
        (other.base, other.calls, other.watch) = (self.base, self.calls, self.watch);
        other.roomy = self.roomy;
        other.work.set(self.work.done());
        other.observer = self.observer;
        std::mem::swap(&mut other.stack, &mut self.stack);
        let result = f(&mut other);
        std::mem::swap(&mut other.stack, &mut self.stack);
        self.work.set(other.work.done());
        (result, other.notes)
    }

    /// A clause is looked at.
    pub fn considered(&self, id: ClauseId) {
        if let Some(watch) = self.watch {
            watch.evaluated(id);
        }
    }

    /// A clause gives the result of what is evaluated.
    pub fn decided(&self, id: ClauseId) {
        if let Some(watch) = self.watch {
            watch.decided(id);
        }
    }

    /// Where the locals begin.
    pub fn base(&self) -> usize {
        self.base
    }

    /// Gives a local a value.
    pub fn set_local(&mut self, local: u16, value: Value) {
        let at = self.base + usize::from(local);
        if at >= self.stack.len() {
            self.stack.resize(at + 1, Value::None);
        }
        if let Some(place) = self.stack.get_mut(at) {
            *place = value;
        }
    }

    /// The value of a local.
    pub fn local(&self, local: u16) -> &Value {
        self.stack.get(self.base + usize::from(local)).unwrap_or(&Value::None)
    }

    /// The value of an expression. Nothing of a truth is no, of a set empty.
    pub fn eval(&mut self, e: &Expr) -> Res<Value> {
        let value = self.raw(e)?;
        Ok(match value {
            Value::None => nothing(&e.ty.base),
            value => value,
        })
    }

    /// A number or member, or nothing.
    pub fn int(&mut self, e: &Expr) -> Res<Option<i32>> {
        if let ExprKind::Local(i) = &e.kind {
            return match self.draft {
                None => Ok(self.local(*i).int()),
                Some(_) => Ok(self.local_value(*i)?.int()),
            };
        }
        Ok(self.eval(e)?.int())
    }

    /// A number that must be there.
    ///
    /// # Errors
    /// Also where there is nothing.
    pub fn some_int(&mut self, e: &Expr, needed: Needed) -> Res<i32> {
        self.int(e)?.ok_or_else(|| fault(FaultKind::Nothing, e.span, FaultDetail::Nothing(needed)))
    }

    /// A set.
    pub fn set(&mut self, e: &Expr) -> Res<Set> {
        Ok(as_set(self.eval(e)?))
    }

    fn raw(&mut self, e: &Expr) -> Res<Value> {
        if self.draft.is_some()
            && let Some(value) = self.whole_value(e)?
        {
            return Ok(value);
        }
        Ok(match &e.kind {
            ExprKind::Const(v) => v.clone(),
            ExprKind::Local(i) => self.local_value(*i)?,
            ExprKind::Var { var, index } => self.var(*var, index.as_deref())?,
            ExprKind::Printed { kind, field, of } => match self.int(of)? {
                Some(i) => self.field(*kind, *field, i)?,
                None => Value::None,
            },
            ExprKind::Config(id) => self.configured(*id)?,
            ExprKind::Linked { links, back, of } => match self.int(of)? {
                Some(i) => Value::Set(self.neighbours(*links, *back, i)),
                None => Value::Set(Set::new()),
            },
            ExprKind::Reach { links, from, local, cond } => self.reach(*links, from, *local, cond.as_deref())?,
            ExprKind::Grid { grid, ask, args } => self.asked(*grid, *ask, args)?,
            ExprKind::Reached { steps, within } => self.reached(steps, within.as_deref())?,
            ExprKind::Way { steps, to } => self.way(steps, to)?,
            ExprKind::Call { def, args } => self.call(*def, args, e.span)?,
            ExprKind::Neg(a) => match self.int(a)? {
                Some(i) => self.within(i.checked_neg(), e)?,
                None => Value::None,
            },
            ExprKind::Abs(a) => match self.int(a)? {
                Some(i) => self.within(i.checked_abs(), e)?,
                None => Value::None,
            },
            ExprKind::Default(a, b) => match self.eval(a)? {
                Value::None => self.eval(b)?,
                value => value,
            },
            ExprKind::Arith(op, a, b) => match (self.int(a)?, self.int(b)?) {
                (Some(a), Some(b)) => self.within(arith(*op, a, b), e)?,
                _ => Value::None,
            },
            ExprKind::SetOp(_, a, b) if matches!(e.ty.base, Base::Bag(_)) => {
                Value::Bag(together(self.eval(a)?, self.eval(b)?))
            }
            ExprKind::SetOp(op, a, b) => {
                let (a, b) = (self.set(a)?, self.set(b)?);
                Value::Set(match op {
                    SetOp::Union => a.union(&b),
                    SetOp::Minus => a.difference(&b),
                    SetOp::Intersect => a.intersection(&b),
                })
            }
            ExprKind::Size(a) => Value::Int(match self.counted(a)? {
                Value::List(items) => items.len() as i32,
                value => as_set(value).len() as i32,
            }),
            ExprKind::If(c, a, b) => {
                if self.truth(c)? {
                    self.eval(a)?
                } else {
                    self.eval(b)?
                }
            }
            ExprKind::Match { on, arms, otherwise } => {
                let on = self.eval(on)?;
                match (arms.iter().find(|(vs, _)| vs.contains(&on)), otherwise) {
                    (Some((_, e)), _) => self.eval(e)?,
                    (None, Some(e)) => self.eval(e)?,
                    (None, None) => Value::None,
                }
            }
            ExprKind::SetOf { items, of } => {
                let mut set = Set::new();
                for item in items {
                    self.add(&mut set, item, of)?;
                }
                Value::Set(set)
            }
            ExprKind::Compr { domain, map, of } => {
                let mut set = Set::new();
                self.each(domain, |ev, i| {
                    match map {
                        Some(map) => ev.add(&mut set, map, of)?,
                        None => ev.add_number(&mut set, i, of, e.span)?,
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
                Value::Set(set)
            }
            ExprKind::Count(domain) => {
                let mut n = 0;
                self.each(domain, |_, _| {
                    n += 1;
                    Ok(ControlFlow::Continue(()))
                })?;
                Value::Int(n)
            }
            ExprKind::Sum(term, domain) => {
                let mut total: i32 = 0;
                self.each(domain, |ev, _| {
                    let term = ev.int(term)?.unwrap_or(0);
                    total = ev.within_int(total.checked_add(term), e)?;
                    Ok(ControlFlow::Continue(()))
                })?;
                Value::Int(total)
            }
            ExprKind::Best(most, term, domain) => {
                let mut best: Option<i32> = None;
                self.each(domain, |ev, _| {
                    if let Some(i) = ev.int(term)? {
                        best = Some(match best {
                            Some(b) if *most => b.max(i),
                            Some(b) => b.min(i),
                            None => i,
                        });
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
                best.map_or(Value::None, Value::Int)
            }
            ExprKind::The(domain) => {
                let mut found = Value::None;
                self.each(domain, |_, i| {
                    found = Value::Int(i);
                    Ok(ControlFlow::Break(()))
                })?;
                found
            }
            // A partial position knows what is on a pile, but not in which order.
            ExprKind::Top(..) if self.draft.is_some() => return Err(self.beyond()),
            ExprKind::Top(var, index) => match self.var(*var, index.as_deref())? {
                Value::List(items) => items.last().map_or(Value::None, |i| Value::Int(i32::from(*i))),
                _ => Value::None,
            },
            ExprKind::AsSet(a) => Value::Set(self.set(a)?),
            ExprKind::Copies { bag, item, of } => match self.int(item)? {
                Some(i) => Value::Int(copies(&self.eval(bag)?, of.bit(i))),
                None => Value::None,
            },
            ExprKind::Would { .. } if self.draft.is_some() => return Err(self.beyond()),
            ExprKind::Would { action, of } => self.ahead(*action, |ev| ev.eval(of))?,
            ExprKind::Legal { .. }
            | ExprKind::Leads(_)
            | ExprKind::Over(_)
            | ExprKind::Not(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Equal(..)
            | ExprKind::Compare(..)
            | ExprKind::In { .. }
            | ExprKind::IsEmpty(..)
            | ExprKind::Quant(..)
            | ExprKind::IsOn(..)
            | ExprKind::Wins(_)
            | ExprKind::Crosses(_)
            | ExprKind::LegalAction(_) => Value::bool(self.truth(e)?),
        })
    }

    /// The numbers of copies of a bag that something is changed by.
    ///
    /// # Errors
    /// Also where it is nothing which one it is.
    pub fn whole_bag(&mut self, e: &Expr) -> Res<Vec<u16>> {
        if let ExprKind::Var { index: Some(index), .. } | ExprKind::Printed { of: index, .. } = &e.kind {
            self.some_int(index, Needed::Index)?;
        }
        match self.eval(e)? {
            Value::Bag(counts) => Ok(counts),
            _ => Ok(Vec::new()),
        }
    }

    /// Whether a condition holds; nothing is no.
    pub fn truth(&mut self, e: &Expr) -> Res<bool> {
        if self.draft.is_some()
            && let Some(known) = self.truth_open(e)?
        {
            return Ok(known);
        }
        Ok(match &e.kind {
            ExprKind::Not(a) => !self.truth(a)?,
            ExprKind::And(a, b) => self.joined(a, b, true)?,
            ExprKind::Or(a, b) => self.joined(a, b, false)?,
            ExprKind::Equal(a, b, same) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                let equal = match (&a, &b) {
                    (Value::Set(_), Value::Set(_)) => a == b,
                    (Value::Set(_), _) | (_, Value::Set(_)) => as_set(a) == as_set(b),
                    _ => a == b,
                };
                equal == *same
            }
            ExprKind::Compare(order, a, b) => match (self.int(a)?, self.int(b)?) {
                (Some(a), Some(b)) => match order {
                    Order::Lt => a < b,
                    Order::Le => a <= b,
                    Order::Gt => a > b,
                    Order::Ge => a >= b,
                },
                _ => false,
            },
            ExprKind::In { item, set, of, positive } => {
                let item = self.int(item)?;
                let set = self.set(set)?;
                let inside = item.and_then(|i| of.bit(i)).is_some_and(|b| set.contains(b));
                inside == *positive
            }
            ExprKind::IsEmpty(a, empty) => as_set(self.counted(a)?).is_empty() == *empty,
            ExprKind::Quant(quantifier, domain) => self.quantified(*quantifier, domain)?,
            ExprKind::IsOn(code, on) => self.active_codes(*code)? == *on,
            ExprKind::Wins(seat) => self
                .int(seat)?
                .and_then(|s| u32::try_from(s).ok())
                .is_some_and(|s| s < 32 && self.winners >> s & 1 == 1),
            ExprKind::LegalAction(some) => self.legal_action(*some)?,
            ExprKind::Legal { action, args } => self.legal_now(*action, args)?,
            ExprKind::Leads(of) => self.leads(of)?,
            ExprKind::Over(label) => self.is_over(label.as_deref()),
            ExprKind::Crosses(c) => self.crossing(c)?.is_some(),
            _ => self.raw(e)?.truth(),
        })
    }

    /// Evaluates something for which it does not matter what was missed before; what was missed stays missed.
    pub fn afresh<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let before = std::mem::take(&mut self.missed);
        let result = f(self);
        self.missed |= before;
        result
    }

    /// `a and b` if the whole needs both, else `a or b`.
    fn joined(&mut self, a: &Expr, b: &Expr, both: bool) -> Res<bool> {
        if self.within.is_some() {
            return self.afresh(|ev| ev.joined_within(a, b, both));
        }
        let first = self.truth(a)?;
        if first != both { Ok(first) } else { self.truth(b) }
    }

    /// The same where something may be missed: what one part misses does not matter where the other decides.
    fn joined_within(&mut self, a: &Expr, b: &Expr, both: bool) -> Res<bool> {
        let first = self.truth(a)?;
        if first != both && !self.missed {
            return Ok(first);
        }
        let missed = std::mem::take(&mut self.missed);
        let second = self.truth(b).inspect_err(|_| self.missed |= missed)?;
        if second != both && !self.missed {
            return Ok(second);
        }
        self.missed |= missed;
        Ok(if both { first && second } else { first || second })
    }

    fn quantified(&mut self, quantifier: Quantifier, domain: &Domain) -> Res<bool> {
        if self.within.is_some() {
            return self.afresh(|ev| ev.quantified_within(quantifier, domain));
        }
        // `every` is: none of the set fails its condition.
        if quantifier == Quantifier::Every {
            let set = self.set(&domain.set)?;
            for b in set.iter() {
                self.spend(1, domain.set.span)?;
                self.set_local(domain.local, Value::Int(domain.of.of_bit(b)));
                if let Some(cond) = &domain.cond
                    && !self.truth(cond)?
                {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let mut found = false;
        self.each(domain, |_, _| {
            found = true;
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found == (quantifier == Quantifier::Some))
    }

    /// The same where something may be missed: a member decides if it is seen that it is one, and what it decides by.
    fn quantified_within(&mut self, quantifier: Quantifier, domain: &Domain) -> Res<bool> {
        let deciding = quantifier != Quantifier::Every;
        let set = self.set(&domain.set)?;
        let unsure = self.missed;
        let (mut missed, mut found) = (false, false);
        for b in set.iter() {
            self.spend(1, domain.set.span)?;
            self.set_local(domain.local, Value::Int(domain.of.of_bit(b)));
            self.missed = false;
            let holds = domain.cond.as_ref().map_or(Ok(true), |cond| self.truth(cond));
            let holds = holds.inspect_err(|_| self.missed |= missed || unsure)?;
            found |= holds == deciding;
            if holds == deciding && !self.missed {
                missed = false;
                break;
            }
            missed |= self.missed;
        }
        self.missed = missed || unsure;
        Ok(found == (quantifier == Quantifier::Some))
    }

    pub fn each(&mut self, domain: &Domain, mut f: impl FnMut(&mut Self, i32) -> Res<ControlFlow<()>>) -> Res<()> {
        let set = self.set(&domain.set)?;
        for b in set.iter() {
            self.spend(1, domain.set.span)?;
            let i = domain.of.of_bit(b);
            self.set_local(domain.local, Value::Int(i));
            if let Some(cond) = &domain.cond
                && !self.truth(cond)?
            {
                continue;
            }
            if f(self, i)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn add(&mut self, set: &mut Set, item: &Expr, of: &Base) -> Res<()> {
        match self.int(item)? {
            Some(i) => self.add_number(set, i, of, item.span),
            None => Ok(()),
        }
    }

    fn add_number(&mut self, set: &mut Set, i: i32, of: &Base, span: Span) -> Res<()> {
        let Some(b) = of.bit(i) else {
            return Err(fault(FaultKind::OutOfRange, span, FaultDetail::NotInSet(i)));
        };
        set.insert(b);
        Ok(())
    }

    fn within(&self, i: Option<i32>, e: &Expr) -> Res<Value> {
        self.within_int(i, e).map(Value::Int)
    }

    fn within_int(&self, i: Option<i32>, e: &Expr) -> Res<i32> {
        i.filter(|i| *i >= LEAST).ok_or_else(|| fault(FaultKind::OutOfRange, e.span, FaultDetail::TooLarge))
    }

    fn reach(&mut self, links: LinkId, source: &Expr, local: u16, cond: Option<&Expr>) -> Res<Value> {
        let mut reached = Set::new();
        let start = self.start(source)?;
        let mut todo: Vec<usize> = start.iter().collect();
        while let Some(x) = todo.pop() {
            for n in self.neighbours(links, false, x as i32).iter() {
                if reached.contains(n) {
                    continue;
                }
                reached.insert(n);
                self.spend(1, source.span)?;
                self.set_local(local, Value::Int(n as i32));
                // The start has been gone through already, whatever the condition says of it.
                let through = match cond {
                    Some(cond) => self.truth(cond)?,
                    None => true,
                };
                if through && !start.contains(n) {
                    todo.push(n);
                }
            }
        }
        Ok(Value::Set(reached))
    }
}
