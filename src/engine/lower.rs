//! Lowers expressions of the model to trees.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use super::bits::{Bits, NARROW, each};
use super::eval::Scratch;
use super::fallback::Fallback;
use super::grid::{AllKnownSides, GridTables};
use super::ir::{After, Bag, Cond, Flow, Lin, Mask, NONE, Num, Over, SetE, Shared};
use super::place::{Place, single};
use super::tabled::together;
use super::tree::{Part, choose, filter, fold, join, mask, not};
use super::writes::Standing;
use crate::model::{
    ActionId, Base, CodeId, Domain, Expr, ExprKind, FieldStore, KindId, Model, Quantifier, Set, Value, VarId, VarOwner,
    scalar_span,
};
use crate::span::Span;

/// The maximum number of members of a set.
const MAX_MEMBERS: usize = 1 << 16;

/// For how many members at most a condition of an ending is made apart.
const MAX_APART: u32 = 4;

/// The maximum number of entries of a table that is joined with a table of what is printed on its members.
const MAX_LOOKED_THROUGH: usize = 256;

/// What is lowered, or why that is left to the explaining evaluator.
pub(super) type Low<T> = Result<T, Fallback>;

/// What a local of the model is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Local {
    Const(i32),
    Slot(u16),
    ConstSet(Bits),
    SetSlot(u16),
    /// A bag, by its place among those that are arguments.
    Bag(u16),
}

/// The locals of an expression.
#[derive(Clone, Debug, Default)]
pub(super) struct Env(pub Vec<Option<Local>>);

impl Env {
    pub fn set(&mut self, local: u16, value: Local) {
        let at = usize::from(local);
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        self.0[at] = Some(value);
    }

    pub fn get(&self, local: u16) -> Option<Local> {
        self.0.get(usize::from(local)).cloned().flatten()
    }
}

/// Lowering the rules under the options in force.
pub(super) struct Lower<'a> {
    pub model: &'a Model,
    pub config: &'a [i32],
    pub shared: Shared,
    pub scratch: Scratch,
    pub calls: HashMap<super::define::Key, super::define::Made>,
    pub tables: HashMap<u16, Option<super::define::Table>>,
    pub silencing: Vec<usize>,
    /// The slots of sets that are bound before a loop, each in one place only.
    pub ahead: HashSet<u16>,
    pub depth: u32,
    /// The number of different arguments for which each definition was specialized.
    pub versions: HashMap<u16, usize>,
    /// Definitions that are large.
    pub large: HashSet<u16>,
    /// What was asked of grids.
    pub grid_tables: GridTables,
    /// The sides of grids for which conditions hold.
    pub known_sides: AllKnownSides,
    /// Slots that can hold nothing.
    pub maybe: HashSet<u16>,
    /// The code whose instructions are lowered.
    pub within: Option<CodeId>,
    /// Whether the next condition, if it is about one of a few, is made for each of them.
    pub apart: bool,
    /// Of each slot for a set how many members it can have.
    pub set_spans: Vec<u32>,
    /// The expression that was begun last: where lowering ends, that is why.
    pub at: Cell<Option<Span>>,
    /// What stands for the variables of an effect while it is found what the effect writes.
    pub standing: HashMap<VarId, Standing>,
    /// The bags that are arguments of definitions.
    pub bags: Vec<Bag>,
    /// The slots of a parameter that is a bag: by definition, parameter, and which of its numbers.
    pub bag_slots: HashMap<(u16, usize, usize), u16>,
    texts: HashMap<String, i32>,
    /// For each variable whether it is of single numbers whose bytes are its own.
    single: Vec<bool>,
    /// For each variable whether it always has a value.
    pub always: Vec<bool>,
}

impl<'a> Lower<'a> {
    pub fn new(model: &'a Model, config: &'a [i32]) -> Lower<'a> {
        Lower {
            model,
            config,
            shared: Shared { clauses: model.clauses.len() as u64, ..Shared::default() },
            scratch: Scratch::default(),
            calls: HashMap::new(),
            tables: HashMap::new(),
            silencing: Vec::new(),
            ahead: HashSet::new(),
            depth: 0,
            versions: HashMap::new(),
            large: HashSet::new(),
            grid_tables: GridTables::default(),
            known_sides: AllKnownSides::default(),
            maybe: HashSet::new(),
            within: None,
            apart: false,
            set_spans: Vec::new(),
            at: Cell::new(None),
            standing: HashMap::new(),
            bags: Vec::new(),
            bag_slots: HashMap::new(),
            texts: HashMap::new(),
            single: single(model),
            always: model.always_there(),
        }
    }

    pub fn slot(&mut self) -> Low<u16> {
        self.scratch.slots.push(Cell::new(NONE));
        self.scratch.spans.push(None);
        u16::try_from(self.scratch.slots.len() - 1).map_err(|_| Fallback::TooLarge)
    }

    /// A slot for one of `n` values from `lo` on.
    pub fn slot_within(&mut self, lo: i32, n: usize) -> Low<u16> {
        let slot = self.slot()?;
        if let Some(span) = self.scratch.spans.last_mut() {
            *span = Some((lo, n));
        }
        Ok(slot)
    }

    /// A slot for a set of up to `n`.
    pub fn set_slot(&mut self, n: usize) -> Low<u16> {
        self.set_spans.push(n as u32);
        self.scratch.sets.push(RefCell::default());
        u16::try_from(self.scratch.sets.len() - 1).map_err(|_| Fallback::TooLarge)
    }

    pub fn fold<T: Part>(&self, t: T) -> T {
        fold(&self.shared, &self.scratch, t)
    }

    pub fn mask(&self, c: &Cond, slot: u16, lo: i32, n: usize) -> Mask {
        mask(&self.shared, &self.scratch, c, slot, lo, n)
    }

    /// Conditions, one of which is to hold, on all members at once.
    pub fn masks_of_any(&self, conds: &[&Cond], slot: u16, lo: i32, n: usize) -> Vec<Mask> {
        together(&self.shared, &self.scratch, (conds, false), (slot, lo, n), |c| self.mask(c, slot, lo, n))
    }

    /// The lowest number and how many there are of a base that sets are of.
    pub fn span(&self, of: &Base) -> Low<(i32, usize)> {
        match of {
            Base::Bool => Ok((0, 2)),
            Base::Nothing => Ok((0, 1)),
            Base::Range(..) | Base::Member(_) => {
                let (lo, n) = scalar_span(of, &self.model.kinds);
                // A set is of members that have numbers of 16 bits, or of numbers of a small range.
                let n = usize::try_from(n).ok().filter(|n| *n <= MAX_MEMBERS).ok_or(Fallback::LargeSet)?;
                Ok((lo as i32, n))
            }
            _ => Ok((0, NARROW)),
        }
    }

    pub fn place(&self, var: VarId) -> Low<Place> {
        let v = self.model.vars.get(var.i()).ok_or(Fallback::Form)?;
        let (lo, mut span) = scalar_span(&v.ty.base, &self.model.kinds);
        match &v.ty.base {
            Base::Set(of) => span = self.span(of)?.1 as u64,
            Base::Bag(_) => span = u64::from(v.place.width),
            _ => {}
        }
        let (active, nested) = match v.owner {
            VarOwner::Code(c) => self.model.codes.get(c.i()).map_or((None, 1), |c| (c.active, c.nested)),
            _ => (None, 1),
        };
        Ok(Place {
            at: v.place.offset,
            width: v.place.width,
            count: v.place.count,
            lo: lo as i32,
            span,
            optional: v.ty.optional,
            single: self.single.get(var.i()) == Some(&true),
            always: self.always.get(var.i()) == Some(&true),
            item: if span < 255 { 1 } else { 2 },
            active,
            level: if nested > 1 { v.place.width * v.place.count } else { 0 },
            nested: u32::from(nested),
        })
    }

    pub fn scalar(&self, var: VarId, index: Num) -> Low<Num> {
        if let Some(Standing::Num(n)) = self.standing.get(&var) {
            return Ok(n.clone());
        }
        let p = self.place(var)?;
        Ok(match index {
            Num::Const(i) if i < 0 || i as u32 >= p.count => Num::Const(NONE),
            Num::Const(i) if p.level == 0 => {
                let at = p.at + p.width * i as u32;
                if p.width == 1 && p.single {
                    Num::Byte(at, p.lo, p.span as u32)
                } else {
                    Num::Var(Place { at, count: 1, ..p })
                }
            }
            index => Num::At(p, Box::new(index)),
        })
    }

    fn text(&mut self, t: &str) -> i32 {
        let next = self.texts.len() as i32;
        *self.texts.entry(t.to_owned()).or_insert(next)
    }

    pub fn bits(&self, set: &Set) -> Low<Bits> {
        match set.iter().last() {
            Some(last) if last >= MAX_MEMBERS => Err(Fallback::LargeSet),
            _ => Ok(set.iter().map(|i| i as u32).collect()),
        }
    }

    pub fn value(&mut self, v: &Value) -> Low<i32> {
        match v {
            Value::None => Ok(NONE),
            Value::Int(i) if *i != NONE => Ok(*i),
            Value::Text(t) => Ok(self.text(t)),
            _ => Err(Fallback::Form),
        }
    }

    /// An index that is not given is 0.
    pub fn index(&mut self, index: Option<&Expr>, env: &mut Env) -> Low<Num> {
        index.map_or(Ok(Num::Const(0)), |e| self.num(e, env))
    }

    /// Counts an expression, and stops if there are too many.
    pub fn can_go_on(&self, e: &Expr) -> Low<()> {
        self.at.set(Some(e.span));
        self.shared.looked.fetch_add(1, Ordering::Relaxed);
        if self.shared.is_too_much() { Err(Fallback::TooLarge) } else { Ok(()) }
    }

    /// An expression whose value is a number, member, truth or text.
    pub fn num(&mut self, e: &Expr, env: &mut Env) -> Low<Num> {
        self.can_go_on(e)?;
        if e.ty.base == Base::Bool {
            return Ok(match self.cond(e, env)? {
                Cond::Const(b) => Num::Const(i32::from(b)),
                Cond::Truth(n) => self.fold(Num::Bool(Box::new(Cond::Truth(n)))),
                c => Num::Bool(Box::new(c)),
            });
        }
        if matches!(e.ty.base, Base::Set(_) | Base::List(_) | Base::Bag(_)) {
            return Err(Fallback::Form);
        }
        let n = self.raw(e, env)?;
        Ok(self.fold(n))
    }

    fn raw(&mut self, e: &Expr, env: &mut Env) -> Low<Num> {
        Ok(match &e.kind {
            ExprKind::Const(v) => Num::Const(self.value(v)?),
            ExprKind::Local(i) => match env.get(*i) {
                Some(Local::Const(i)) => Num::Const(i),
                Some(Local::Slot(s)) => Num::Slot(s),
                _ => return Err(Fallback::Form),
            },
            ExprKind::Var { var, index } => {
                let index = self.index(index.as_deref(), env)?;
                self.scalar(*var, index)?
            }
            ExprKind::Printed { kind, field, of } => {
                let of = self.num(of, env)?;
                self.printed(*kind, *field, of)?
            }
            ExprKind::Grid { grid, ask, args } => self.grid_number(*grid, *ask, args, env)?,
            ExprKind::Config(id) => Num::Const(self.config.get(id.i()).copied().unwrap_or(NONE)),
            ExprKind::Way { steps, to } => {
                let to = self.num(to, env)?;
                let steps = self.steps(steps, env)?;
                self.with_steps(steps, |steps| Num::Way(Box::new(steps), Box::new(to)))?
            }
            ExprKind::Call { def, args } => self.call(*def, args, env)?,
            ExprKind::Neg(a) => Num::Neg(Box::new(self.num(a, env)?)),
            ExprKind::Abs(a) => Num::Abs(Box::new(self.num(a, env)?)),
            ExprKind::Default(a, b) => match (self.num(a, env)?, self.num(b, env)?) {
                (Num::Const(NONE), b) => b,
                (Num::Const(a), _) => Num::Const(a),
                (a, b) => Num::Default(Box::new((a, b))),
            },
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.num(a, env)?, self.num(b, env)?);
                Num::Arith(*op, Box::new((a, b)))
            }
            ExprKind::Size(a) => match &a.kind {
                ExprKind::Var { var, index } if matches!(a.ty.base, Base::List(_)) => {
                    let index = self.index(index.as_deref(), env)?;
                    Num::Length(self.place(*var)?, Box::new(index))
                }
                _ => Num::Size(Box::new(self.set(a, env)?)),
            },
            ExprKind::If(c, a, b) => {
                let c = self.cond(c, env)?;
                self.if_then(c, |low| low.num(a, &mut env.clone()), |low| low.num(b, &mut env.clone()))?
            }
            ExprKind::Match { .. } => self.matched(e, env, |low, e, env| low.num(e, env))?,
            ExprKind::Count(domain) => Num::Size(Box::new(self.domain(domain, env)?.0)),
            ExprKind::Sum(term, domain) => {
                let over = self.over(term, domain, env)?;
                self.of_terms(over, Num::Sum)?
            }
            ExprKind::Best(most, term, domain) => {
                let over = self.over(term, domain, env)?;
                self.of_terms(over, |over| Num::Best(*most, over))?
            }
            ExprKind::The(domain) => {
                let (set, _, lo) = self.domain(domain, env)?;
                Num::First(Box::new(set), lo)
            }
            ExprKind::Would { action, of } => {
                let (code, args) = self.effect(*action, env)?;
                Num::Would(Box::new(After { code, args, of: self.num(of, env)? }))
            }
            ExprKind::Copies { bag, item, of } => self.copies(bag, item, of, env)?,
            ExprKind::Top(var, index) => {
                let list = matches!(self.model.vars.get(var.i()).map(|v| &v.ty.base), Some(Base::List(_)));
                let index = self.index(index.as_deref(), env)?;
                if list { Num::Top(self.place(*var)?, Box::new(index)) } else { Num::Const(NONE) }
            }
            _ => return Err(Fallback::Form),
        })
    }

    pub fn if_then<T: Part>(
        &mut self,
        c: Cond,
        a: impl FnOnce(&mut Self) -> Low<T>,
        b: impl FnOnce(&mut Self) -> Low<T>,
    ) -> Low<T> {
        match c {
            Cond::Const(true) => a(self),
            Cond::Const(false) => b(self),
            c => Ok(choose(c, a(self)?, b(self)?)),
        }
    }

    pub fn matched<T: Part>(
        &mut self,
        e: &Expr,
        env: &mut Env,
        lower: impl Fn(&mut Self, &Expr, &mut Env) -> Low<T>,
    ) -> Low<T> {
        let ExprKind::Match { on, arms, otherwise } = &e.kind else {
            return Err(Fallback::Form);
        };
        let on = self.num(on, env)?;
        let mut result = match otherwise {
            Some(e) => lower(self, e, env)?,
            None => T::constant(T::NOTHING),
        };
        let (key, bind) = match on {
            Num::Const(_) | Num::Slot(_) => (on, None),
            on => {
                let slot = self.slot()?;
                (Num::Slot(slot), Some(super::ir::Bind::Num(slot, on, false)))
            }
        };
        for (values, arm) in arms.iter().rev() {
            let mut tests = Vec::new();
            for v in values {
                let test = Cond::Is(key.clone(), self.value(v)?);
                tests.push(self.fold(test));
            }
            let arm = lower(self, arm, env)?;
            result = choose(join(tests, false), arm, result);
        }
        Ok(match bind {
            Some(bind) => T::flow(Flow::Let(Box::new([bind]), result)),
            None => result,
        })
    }

    /// A domain with its condition: the set, the slot of its variable, the number of bit 0.
    pub fn domain(&mut self, d: &Domain, env: &mut Env) -> Low<(SetE, u16, i32)> {
        let (set, slot, lo, cond, n) = self.ranged(d, env)?;
        let m = self.mask(&cond, slot, lo, n);
        let set = filter(set, slot, lo, m);
        Ok((self.fold(set), slot, lo))
    }

    pub fn ranged(&mut self, d: &Domain, env: &mut Env) -> Low<(SetE, u16, i32, Cond, usize)> {
        let set = self.set(&d.set, env)?;
        let (lo, n) = self.span(&d.of)?;
        let slot = self.slot_within(lo, n)?;
        env.set(d.local, Local::Slot(slot));
        let cond = match &d.cond {
            Some(c) => self.cond(c, env)?,
            None => Cond::Const(true),
        };
        Ok((set, slot, lo, cond, n))
    }

    pub fn over(&mut self, term: &Expr, d: &Domain, env: &mut Env) -> Low<Over> {
        let (set, slot, lo) = self.domain(d, env)?;
        Ok(Over { set, slot, lo, term: self.num(term, env)? })
    }

    pub fn printed(&mut self, kind: KindId, field: usize, of: Num) -> Low<Num> {
        let field = self.model.kinds.get(kind.i()).and_then(|k| k.fields.get(field)).ok_or(Fallback::Form)?;
        match &field.store {
            FieldStore::Var(var) => self.scalar(*var, of),
            FieldStore::Printed(values) => {
                let table = values.iter().map(|v| self.value(v)).collect::<Low<Vec<i32>>>()?;
                // The members that a definition gives for several arguments: one table instead of two.
                if let Num::Table(members, lin) = &of
                    && lin.terms.len() > 1
                    && members.len() <= MAX_LOOKED_THROUGH
                {
                    let printed = |i: &i32| usize::try_from(*i).ok().and_then(|i| table.get(i)).copied();
                    let table = members.iter().map(|i| printed(i).unwrap_or(NONE)).collect();
                    return Ok(Num::Table(table, lin.clone()));
                }
                let terms = Box::new([(of, 0, table.len() as u32)]);
                Ok(Num::Table(table.into(), Lin { terms, strict: false }))
            }
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, d: &Domain, env: &mut Env) -> Low<Cond> {
        let (set, slot, lo, cond, n) = self.ranged(d, env)?;
        Ok(match quantifier {
            Quantifier::Every if self.mask(&cond, slot, lo, n).loops() => Cond::Every(Box::new((set, cond)), slot, lo),
            Quantifier::Every => {
                let m = self.mask(&not(cond), slot, lo, n);
                Cond::Empty(Box::new(filter(set, slot, lo, m)))
            }
            some => {
                let found = self.some_of(set, (slot, lo, n), cond);
                if some == Quantifier::Some { found } else { not(found) }
            }
        })
    }

    /// Of a few members that are known beforehand the condition for each.
    fn each_of_few(&mut self, d: &Domain, env: &mut Env) -> Low<Option<Vec<(i32, Cond)>>> {
        let (lo, _) = self.span(&d.of)?;
        let SetE::Const(set) = self.set(&d.set, env)? else { return Ok(None) };
        if set.count() > MAX_APART {
            return Ok(None);
        }
        let (mut members, mut conds) = (Vec::new(), Vec::new());
        each(&set, |i| members.push(lo + i as i32));
        for member in members {
            env.set(d.local, Local::Const(member));
            let cond = match &d.cond {
                Some(c) => self.cond(c, env)?,
                None => Cond::Const(true),
            };
            conds.push((member, cond));
        }
        Ok(Some(conds))
    }

    /// Whether a condition holds for one of a few members: a condition for each of them.
    fn some_of_few(&mut self, d: &Domain, env: &mut Env) -> Low<Option<Cond>> {
        let each = self.each_of_few(d, env)?;
        Ok(each.map(|each| join(each.into_iter().map(|(_, cond)| cond), false)))
    }

    /// Those of a few members that meet a condition: each if its own holds.
    pub fn those_of_few(&mut self, d: &Domain, env: &mut Env) -> Low<Option<SetE>> {
        let (lo, _) = self.span(&d.of)?;
        let Some(each) = self.each_of_few(d, env)? else { return Ok(None) };
        let one = |member: i32| SetE::Const(Bits::one((member - lo) as u32));
        let some = each.into_iter().map(|(member, cond)| choose(cond, one(member), SetE::Const(Bits::NONE)));
        Ok(some.reduce(|a, b| SetE::Union(Box::new((a, b)))))
    }

    /// An expression as a condition.
    pub fn cond(&mut self, e: &Expr, env: &mut Env) -> Low<Cond> {
        self.can_go_on(e)?;
        let apart = std::mem::take(&mut self.apart);
        let c = match &e.kind {
            ExprKind::Not(a) => not(self.cond(a, env)?),
            ExprKind::And(a, b) => match self.cond(a, env)? {
                Cond::Const(false) => Cond::Const(false),
                a => join([a, self.cond(b, env)?], true),
            },
            ExprKind::Or(a, b) => match self.cond(a, env)? {
                Cond::Const(true) => Cond::Const(true),
                a => join([a, self.cond(b, env)?], false),
            },
            ExprKind::Equal(a, b, same) => {
                let c = self.equal(a, b, env)?;
                if *same { c } else { not(c) }
            }
            ExprKind::Compare(order, a, b) => Cond::Compare(*order, Box::new((self.num(a, env)?, self.num(b, env)?))),
            ExprKind::In { item, set, of, positive } => {
                let (lo, _) = self.span(of)?;
                let item = self.num(item, env)?;
                let c = Cond::In(Box::new(item), Box::new(self.set(set, env)?), lo);
                if *positive { c } else { not(c) }
            }
            ExprKind::IsEmpty(a, empty) => {
                let c = Cond::Empty(Box::new(self.set(a, env)?));
                if *empty { c } else { not(c) }
            }
            ExprKind::Quant(Quantifier::Some, d) if apart => match self.some_of_few(d, env)? {
                Some(each) => each,
                None => self.quantified(Quantifier::Some, d, env)?,
            },
            ExprKind::Quant(quantifier, d) => self.quantified(*quantifier, d, env)?,
            ExprKind::IsOn(code, on) => {
                let c = Cond::On(self.model.codes.get(code.i()).and_then(|c| c.active).ok_or(Fallback::Form)?);
                if *on { c } else { not(c) }
            }
            ExprKind::Wins(seat) => Cond::Wins(Box::new(self.num(seat, env)?)),
            ExprKind::LegalAction(some) => Cond::AnyLegal(*some),
            ExprKind::Would { action, of } if e.ty.base == Base::Bool => {
                let (code, args) = self.effect(*action, env)?;
                let now = self.cond(of, env)?;
                let facts = self.facts(*action, env)?;
                let writes = self.writes(code, &args, &facts);
                let after = Cond::Would(Box::new(After { code, args, of: now.clone() }));
                let Some(writes) = writes else { return Ok(after) };
                let after = match self.foreseen(&now, &writes, &facts) {
                    Some(foreseen) => choose(foreseen.given, foreseen.truth, after),
                    None => after,
                };
                self.after(now, after, &writes)?
            }
            ExprKind::Crosses(c) => self.crossing(c, env)?,
            ExprKind::Call { def, args } if e.ty.base == Base::Bool => self.call(*def, args, env)?,
            ExprKind::If(c, a, b) => {
                let c = self.cond(c, env)?;
                self.if_then(c, |low| low.cond(a, &mut env.clone()), |low| low.cond(b, &mut env.clone()))?
            }
            ExprKind::Match { .. } => self.matched(e, env, |low, e, env| low.cond(e, env))?,
            _ if matches!(e.ty.base, Base::Set(_) | Base::List(_)) => Cond::Const(false),
            ExprKind::Default(a, b) if e.ty.base == Base::Bool => {
                // A truth is never nothing.
                let (a, _) = (self.cond(a, env)?, b);
                a
            }
            _ => {
                let n = self.raw(e, env)?;
                Cond::Truth(self.fold(n))
            }
        };
        Ok(self.fold(c))
    }

    /// The conditions on the parameters of an action, as far as they can be lowered.
    fn facts(&mut self, action: ActionId, env: &Env) -> Low<Vec<Cond>> {
        let model = self.model;
        let action = model.actions.get(action.i()).ok_or(Fallback::Form)?;
        action.domain.iter().flatten().map(|c| self.cond(c, &mut env.clone())).collect()
    }

    /// The code of an action's effect and its arguments, which are the first locals.
    fn effect(&mut self, action: ActionId, env: &Env) -> Low<(usize, Box<[Num]>)> {
        let action = self.model.actions.get(action.i()).ok_or(Fallback::Form)?;
        let arg = |i: usize| match env.get(i as u16) {
            Some(Local::Const(i)) => Ok(Num::Const(i)),
            Some(Local::Slot(s)) => Ok(Num::Slot(s)),
            _ => Err(Fallback::Form),
        };
        let args = (0..action.params.len()).map(arg).collect::<Low<Vec<Num>>>()?;
        Ok((action.code.i(), args.into()))
    }

    fn equal(&mut self, a: &Expr, b: &Expr, env: &mut Env) -> Low<Cond> {
        let is_set = |e: &Expr| matches!(e.ty.base, Base::Set(_));
        let is_list = |e: &Expr| matches!(e.ty.base, Base::List(_));
        for (set, other) in [(a, b), (b, a)] {
            if is_set(set) && matches!(other.kind, ExprKind::Const(Value::None)) {
                return Ok(Cond::Empty(Box::new(self.set(set, env)?)));
            }
        }
        if is_set(a) || is_set(b) {
            // Beside a set, anything that is not a set counts as empty.
            let mut side = |e: &Expr, low: &mut Self| {
                if is_set(e) || is_list(e) { low.set(e, env) } else { Err(Fallback::Form) }
            };
            return Ok(Cond::Same(Box::new((side(a, self)?, side(b, self)?))));
        }
        if is_list(a) || is_list(b) {
            return Err(Fallback::Form);
        }
        Ok(match (self.num(a, env)?, self.num(b, env)?) {
            (a, Num::Const(i)) | (Num::Const(i), a) => Cond::Is(a, i),
            ab => Cond::Equal(Box::new(ab)),
        })
    }
}
