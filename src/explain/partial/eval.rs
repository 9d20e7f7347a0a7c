//! Expressions on a partial position: open entries are requested as they are needed, and split only as far as a
//! comparison requires.

use super::super::eval::{Eval, Res, fault, nothing};
use super::super::note::Notes;
use super::opaque::whole_domain;
use super::{Domain, Entry, Partial, Split, domain_of, full};
use crate::game::{Fault, FaultDetail, FaultKind};
use crate::model::{self, Base, CodeId, Expr, ExprKind, Order, Set, SetOp, Ty, Value, VarId, VarOwner, scalar_span};
use crate::span::Span;

/// Where arguments begin on the stack of locals, the entry of the first, and their names and types.
type OpenArgs<'a> = (usize, u16, &'a [(String, Ty)]);

/// The state of an evaluation at a partial position.
pub(in super::super) struct Draft<'a> {
    /// The partial position.
    pub partial: &'a Partial,
    /// Where it stopped.
    pub split: Option<Split>,
    /// It needs something that a partial position cannot decide.
    pub beyond: bool,
    /// Where the open arguments are on the stack of locals, with their entries and types.
    args: Option<OpenArgs<'a>>,
}

impl<'a> Draft<'a> {
    /// An evaluation of a partial position.
    pub fn new(partial: &'a Partial) -> Draft<'a> {
        Draft { partial, split: None, beyond: false, args: None }
    }
}

fn stopped() -> Box<Fault> {
    fault(FaultKind::BadPosition, Span::default(), FaultDetail::Open)
}

pub(super) fn as_value(number: Option<i32>) -> Value {
    number.map_or(Value::None, Value::Int)
}

impl<'a, N: Notes> Eval<'a, N> {
    /// Does something with the entries from [`Entry::Arg`] `first` on as locals.
    pub fn with_open_args<T>(
        &mut self,
        params: &'a [(String, Ty)],
        first: u16,
        f: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<T> {
        self.framed(|ev| {
            for i in 0..params.len() as u16 {
                ev.set_local(i, Value::None);
            }
            let base = ev.base();
            let before = ev.draft.as_mut().and_then(|d| d.args.replace((base, first, params)));
            let result = f(ev);
            if let Some(draft) = &mut ev.draft {
                draft.args = before;
            }
            result
        })
    }

    /// Stops: this is open.
    fn stop(&mut self, entry: Entry, domain: Domain, parts: Vec<Domain>) -> Box<Fault> {
        if let Some(draft) = &mut self.draft {
            draft.split = Some(Split { entry, domain, parts });
        }
        stopped()
    }

    /// Stops, because a partial position cannot decide this.
    pub fn beyond(&mut self) -> Box<Fault> {
        if let Some(draft) = &mut self.draft {
            draft.beyond = true;
        }
        stopped()
    }

    /// Whether something was open, so that a fault is none of the rules.
    pub fn is_stopped(&self) -> bool {
        self.draft.as_ref().is_some_and(|d| d.split.is_some() || d.beyond)
    }

    pub(super) fn opaque(&self) -> bool {
        self.draft.as_ref().is_some_and(|d| d.partial.opaque)
    }

    /// What an entry may be.
    pub(super) fn domain(&self, entry: &Entry, all: impl FnOnce() -> Domain) -> Domain {
        self.draft.as_ref().and_then(|d| d.partial.known(entry).cloned()).unwrap_or_else(all)
    }

    /// The value of an entry, if it is settled.
    pub(super) fn settled(&mut self, entry: Entry, all: Domain) -> Res<Option<i32>> {
        let domain = self.domain(&entry, || all);
        match domain.single() {
            Some(value) => Ok(value),
            None => Err(self.stop(entry, domain, Vec::new())),
        }
    }

    /// Whether an entry is what is asked after, of which its domain is divided.
    pub(super) fn divided(&mut self, entry: Entry, domain: &Domain, wanted: &Domain) -> Res<bool> {
        let yes = domain.both(wanted);
        if yes.is_empty() {
            return Ok(false);
        }
        let no = domain.without(wanted);
        if no.is_empty() {
            return Ok(true);
        }
        Err(self.stop(entry, domain.clone(), vec![yes, no]))
    }

    /// Whether a procedure is active.
    pub fn active_codes(&mut self, code: CodeId) -> Res<bool> {
        if self.draft.is_none() {
            return Ok(self.position.active(self.model, code) > 0);
        }
        let on = self.settled(Entry::On(code), Domain::truth())?;
        Ok(on == Some(1))
    }

    /// Whether an action is to be chosen and `some`, or none, is legal.
    pub fn legal_action(&mut self, some: bool) -> Res<bool> {
        if self.draft.is_none() {
            return Ok(self.any_legal == Some(some));
        }
        let state = self.settled(Entry::AnyLegal, full(&Entry::AnyLegal, self.model))?;
        Ok(model::any_legal(state) == Some(some))
    }

    /// The value of an option or reading.
    pub fn configured(&mut self, id: model::ConfigId) -> Res<Value> {
        if self.draft.is_none() {
            self.notes.option(id);
            if let Some(watch) = self.watch {
                watch.read(id);
            }
            return Ok(self.config.get(id.i()).map_or(Value::None, |v| Value::Int(*v)));
        }
        let entry = Entry::Config(id);
        let all = full(&entry, self.model);
        self.settled(entry, all).map(as_value)
    }

    /// The argument that a local is, if it is one.
    pub(super) fn arg(&self, local: u16) -> Option<(Entry, &'a Ty)> {
        let (base, first, params) = self.draft.as_ref()?.args?;
        let (_, ty) = params.get(usize::from(local)).filter(|_| base == self.base())?;
        Some((Entry::Arg(first + local), ty))
    }

    /// The value of a local.
    pub fn local_value(&mut self, local: u16) -> Res<Value> {
        let Some((entry, ty)) = self.arg(local) else {
            return Ok(self.local(local).clone());
        };
        match domain_of(ty, self.model) {
            Some(all) => self.settled(entry, all).map(as_value),
            None => Err(self.beyond()),
        }
    }

    /// Whether an argument is this.
    pub fn arg_is(&mut self, local: u16, value: &Value) -> Res<bool> {
        let Some((entry, ty)) = self.arg(local) else {
            return Ok(self.local(local) == value);
        };
        let Some(all) = domain_of(ty, self.model) else { return Err(self.beyond()) };
        let domain = self.domain(&entry, || all);
        self.divided(entry, &domain, &Domain::one(value.int()))
    }

    /// The value of a variable's entry.
    pub fn entry(&mut self, var: VarId, index: usize) -> Res<Value> {
        if self.draft.is_none() {
            self.notes.entry(var, index);
            return Ok(self.position.read(self.model, var, index));
        }
        let Some(v) = self.model.vars.get(var.i()) else { return Ok(Value::None) };
        if !self.is_there(var, index)? {
            return Ok(nothing(&v.ty.base));
        }
        let index = index as u32;
        match &v.ty.base {
            Base::Set(of) => Ok(Value::Set(self.items(var, index, scalar_span(of, &self.model.kinds).1)?)),
            Base::List(kind) => {
                let n = scalar_span(&Base::Member(*kind), &self.model.kinds).1;
                let items = self.items(var, index, n)?;
                Ok(Value::List(items.iter().map(|i| i as u16).collect()))
            }
            Base::Bag(of) => {
                let n = scalar_span(of, &self.model.kinds).1 as u32;
                let counts = (0..n).map(|i| self.copies_of(var, index, i).map(|n| n as u16));
                Ok(Value::Bag(counts.collect::<Res<_>>()?))
            }
            _ => {
                let entry = Entry::Cell(var, index);
                let all = full(&entry, self.model);
                self.settled(entry, all).map(as_value)
            }
        }
    }

    /// Whether a variable has such an entry now: its procedure is active.
    fn is_there(&mut self, var: VarId, index: usize) -> Res<bool> {
        let Some(v) = self.model.vars.get(var.i()) else { return Ok(false) };
        if index >= v.place.count as usize {
            return Ok(false);
        }
        match v.owner {
            VarOwner::Code(code) => self.active_codes(code),
            _ => Ok(true),
        }
    }

    fn copies_of(&mut self, var: VarId, index: u32, item: u32) -> Res<i32> {
        let entry = Entry::Item(var, index, item);
        let all = full(&entry, self.model);
        Ok(self.settled(entry, all)?.unwrap_or(0))
    }

    fn has_item(&mut self, var: VarId, index: u32, item: u32) -> Res<bool> {
        let entry = Entry::Item(var, index, item);
        let all = full(&entry, self.model);
        let domain = self.domain(&entry, || all);
        self.divided(entry, &domain, &Domain::new(1, i32::MAX, false))
    }

    fn items(&mut self, var: VarId, index: u32, n: u64) -> Res<Set> {
        let mut set = Set::new();
        for i in 0..n as u32 {
            if self.has_item(var, index, i)? {
                set.insert(i as usize);
            }
        }
        Ok(set)
    }

    /// The index of a variable that is read here; `None` if there is no such entry.
    fn place(&mut self, var: VarId, index: Option<&Expr>) -> Res<Option<usize>> {
        let index = match index {
            None => Some(0),
            Some(e) => self.int(e)?.and_then(|i| usize::try_from(i).ok()),
        };
        match index {
            Some(i) if self.is_there(var, i)? => Ok(Some(i)),
            _ => Ok(None),
        }
    }

    /// The entry that an expression reads, if it reads but one that is open, and what it may be.
    fn open(&mut self, e: &Expr) -> Res<Option<(Entry, Domain)>> {
        if self.is_whole(e) {
            let entry = Entry::Whole(self.symbol(e));
            let Some(all) = whole_domain(e, self.model) else { return Ok(None) };
            let domain = self.domain(&entry, || all);
            return Ok(domain.single().is_none().then_some((entry, domain)));
        }
        let (entry, all) = match &e.kind {
            ExprKind::Local(i) => match self.arg(*i).map(|(entry, ty)| (entry, domain_of(ty, self.model))) {
                Some((entry, Some(all))) => (entry, all),
                _ => return Ok(None),
            },
            ExprKind::Config(id) => {
                let entry = Entry::Config(*id);
                let all = full(&entry, self.model);
                (entry, all)
            }
            ExprKind::Var { var, index } => {
                let scalar = self.model.vars.get(var.i()).is_some_and(|v| domain_of(&v.ty, self.model).is_some());
                let Some(i) = (if scalar { self.place(*var, index.as_deref())? } else { None }) else {
                    return Ok(None);
                };
                let entry = Entry::Cell(*var, i as u32);
                let all = full(&entry, self.model);
                (entry, all)
            }
            ExprKind::Copies { bag, item, of } => {
                let ExprKind::Var { var, index } = &bag.kind else { return Ok(None) };
                let item = self.int(item)?.and_then(|i| of.bit(i));
                let place = self.place(*var, index.as_deref())?;
                let (Some(item), Some(i)) = (item, place) else { return Ok(None) };
                let entry = Entry::Item(*var, i as u32, item as u32);
                let all = full(&entry, self.model);
                (entry, all)
            }
            _ => return Ok(None),
        };
        let domain = self.domain(&entry, || all);
        Ok(domain.single().is_none().then_some((entry, domain)))
    }

    /// Whether a condition holds, if its open entry can be split by just this condition; `None` to evaluate it as
    /// usual.
    pub fn truth_open(&mut self, e: &Expr) -> Res<Option<bool>> {
        if let Some(known) = self.whole_truth(e)? {
            return Ok(Some(known));
        }
        match &e.kind {
            ExprKind::Equal(a, b, same) => Ok(self.equal_open(a, b)?.map(|equal| equal == *same)),
            ExprKind::Compare(order, a, b) => self.compare_open(*order, a, b),
            ExprKind::In { item, set, of, positive } => {
                Ok(self.in_open(item, set, of)?.map(|inside| inside == *positive))
            }
            ExprKind::IsEmpty(set, empty) => Ok(self.empty_open(set)?.map(|known| known == *empty)),
            _ => Ok(None),
        }
    }

    /// `a is b` where one of them is open.
    fn equal_open(&mut self, a: &Expr, b: &Expr) -> Res<Option<bool>> {
        if (is_set(a) || is_set(b)) && (self.is_whole(a) || self.is_whole(b)) {
            return Ok(None);
        }
        for (one, other) in [(a, b), (b, a)] {
            let Some((entry, domain)) = self.open(one)? else { continue };
            let value = self.eval(other)?;
            if matches!(value, Value::Set(_) | Value::List(_) | Value::Bag(_) | Value::Text(_)) {
                return Ok(None);
            }
            return self.divided(entry, &domain, &Domain::one(value.int())).map(Some);
        }
        Ok(None)
    }

    /// The order of two numbers where one of them is open.
    fn compare_open(&mut self, order: Order, a: &Expr, b: &Expr) -> Res<Option<bool>> {
        if let Some((entry, domain)) = self.open(a)? {
            let wanted = self.int(b)?.map(|n| beyond(order, n));
            return self.divided(entry, &domain, &wanted.unwrap_or_else(none)).map(Some);
        }
        if let Some((entry, domain)) = self.open(b)? {
            let wanted = self.int(a)?.map(|n| beyond(order.mirrored(), n));
            return self.divided(entry, &domain, &wanted.unwrap_or_else(none)).map(Some);
        }
        Ok(None)
    }

    /// `x in S` with an open entry; `None` to evaluate it as usual.
    fn in_open(&mut self, item: &Expr, set: &Expr, of: &Base) -> Res<Option<bool>> {
        if self.is_whole(set) {
            return Ok(None);
        }
        if let Some((entry, domain)) = self.open(item)?
            && !is_read(set)
        {
            let wanted = self.set(set)?;
            let wanted = Domain::of(wanted.iter().map(|b| of.of_bit(b)));
            return self.divided(entry, &domain, &wanted).map(Some);
        }
        let Some(b) = self.int(item)?.and_then(|i| of.bit(i)) else { return Ok(Some(false)) };
        self.holds(set, b).map(Some)
    }

    /// Whether a bit is in a set, settling no more of the set than needed.
    fn holds(&mut self, set: &Expr, b: usize) -> Res<bool> {
        match &set.kind {
            ExprKind::AsSet(of) => self.holds(of, b),
            ExprKind::Var { var, index } => match self.place(*var, index.as_deref())? {
                Some(i) => self.has_item(*var, i as u32, b as u32),
                None => Ok(false),
            },
            ExprKind::SetOp(op, x, y) => {
                let first = self.holds(x, b)?;
                match op {
                    SetOp::Union => Ok(first || self.holds(y, b)?),
                    SetOp::Minus => Ok(first && !self.holds(y, b)?),
                    SetOp::Intersect => Ok(first && self.holds(y, b)?),
                }
            }
            ExprKind::Compr { domain, map: None, of } if domain.of == *of => {
                if !self.holds(&domain.set, b)? {
                    return Ok(false);
                }
                self.set_local(domain.local, Value::Int(of.of_bit(b)));
                match &domain.cond {
                    Some(cond) => self.truth(cond),
                    None => Ok(true),
                }
            }
            _ => Ok(self.set(set)?.contains(b)),
        }
    }

    /// Whether a set, pile or bag variable is empty, settling no more than needed; `None` for other variables.
    fn empty_open(&mut self, set: &Expr) -> Res<Option<bool>> {
        let read = match &set.kind {
            ExprKind::AsSet(of) => of,
            _ => set,
        };
        let ExprKind::Var { var, index } = &read.kind else { return Ok(None) };
        let Some(i) = self.place(*var, index.as_deref())? else { return Ok(Some(true)) };
        let of = match self.model.vars.get(var.i()).map(|v| &v.ty.base) {
            Some(Base::Set(of) | Base::Bag(of)) => of.as_ref().clone(),
            Some(Base::List(kind)) => Base::Member(*kind),
            _ => return Ok(None),
        };
        let n = scalar_span(&of, &self.model.kinds).1 as u32;
        let some = Domain::new(1, i32::MAX, false);
        let mut first = None;
        for item in 0..n {
            let entry = Entry::Item(*var, i as u32, item);
            let all = full(&entry, self.model);
            let domain = self.domain(&entry, || all);
            let there = domain.both(&some);
            if there == domain {
                return Ok(Some(false));
            }
            if !there.is_empty() && first.is_none() {
                first = Some((entry, domain));
            }
        }
        match first {
            Some((entry, domain)) => self.divided(entry, &domain, &some).map(|some| Some(!some)),
            None => Ok(Some(true)),
        }
    }
}

/// Whether a set is read from variables, so that it is better asked for one member at a time.
pub(super) fn is_read(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var { .. } => true,
        ExprKind::AsSet(a) => is_read(a),
        ExprKind::SetOp(_, a, b) => is_read(a) || is_read(b),
        _ => false,
    }
}

pub(super) fn is_set(e: &Expr) -> bool {
    matches!(e.ty.base, Base::Set(_) | Base::List(_) | Base::Bag(_))
}

fn none() -> Domain {
    Domain::new(1, 0, false)
}

/// The numbers for which `x ORDER n` holds.
fn beyond(order: Order, n: i32) -> Domain {
    match order {
        Order::Lt => n.checked_sub(1).map_or_else(none, |hi| Domain::new(i32::MIN, hi, false)),
        Order::Le => Domain::new(i32::MIN, n, false),
        Order::Gt => n.checked_add(1).map_or_else(none, |lo| Domain::new(lo, i32::MAX, false)),
        Order::Ge => Domain::new(n, i32::MAX, false),
    }
}
