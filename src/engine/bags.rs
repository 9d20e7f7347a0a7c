//! Bags: their bytes as numbers of copies, one entry a value.

use super::bits::Bits;
use super::fallback::Fallback;
use super::ir::{Bag, Bind, Cond, Flow, Lin, Mask, NONE, Num, SetE};
use super::lower::{Env, Local, Low, Lower};
use super::place::Place;
use super::program::{Holds, Op, Source, Store, Val};
use super::tree::{Part as _, choose, filter, join};
use crate::model::{
    Arith, Base, Count, CountOp, DefId, Expr, ExprKind, FieldStore, KindId, MAX_COPIES, Order, SetOp, Target, Value,
    VarId, scalar_span,
};

/// The numbers of copies of a bag, or of each entry of an indexed one: an entry a value, nothing where there are none.
struct Counts {
    /// Of all entries, in order.
    place: Place,
    /// The number that the first stands for.
    lo: i32,
    /// How many values there are.
    n: u32,
}

impl Bag {
    /// The numbers that say which bag it is.
    pub fn numbers(&mut self) -> Vec<&mut Num> {
        match self {
            Bag::Var(_, n) | Bag::Printed(_, _, n) => vec![n],
            Bag::Empty => Vec::new(),
            Bag::Sum(both) => {
                let (a, b) = &mut **both;
                a.numbers().into_iter().chain(b.numbers()).collect()
            }
        }
    }
}

impl Lower<'_> {
    /// A bag as an expression names it.
    pub fn bag(&mut self, e: &Expr, env: &mut Env) -> Low<Bag> {
        match &e.kind {
            ExprKind::Var { var, index } => Ok(Bag::Var(*var, self.index(index.as_deref(), env)?)),
            ExprKind::Printed { kind, field, of } => Ok(Bag::Printed(*kind, *field, self.num(of, env)?)),
            ExprKind::Local(i) => match env.get(*i) {
                Some(Local::Bag(id)) => self.bags.get(usize::from(id)).cloned().ok_or(Fallback::Form),
                _ => Err(Fallback::Form),
            },
            ExprKind::Const(Value::Bag(counts)) if counts.is_empty() => Ok(Bag::Empty),
            ExprKind::SetOp(SetOp::Union, a, b) => Ok(Bag::Sum(Box::new((self.bag(a, env)?, self.bag(b, env)?)))),
            _ => Err(Fallback::Form),
        }
    }

    /// A bag as an argument: all that says which it is are constants and slots; the others are bound to slots of the
    /// parameter. If it is not to have a version of its own, so are they.
    pub fn bag_argument(
        &mut self,
        param: (DefId, usize),
        mut bag: Bag,
        own: bool,
        binds: &mut Vec<Bind>,
    ) -> Low<Local> {
        for (i, n) in bag.numbers().into_iter().enumerate() {
            if own && matches!(n, Num::Const(_) | Num::Slot(_)) {
                continue;
            }
            let slot = match self.bag_slots.get(&(param.0.0, param.1, i)) {
                Some(slot) => *slot,
                None => {
                    let slot = self.slot()?;
                    self.maybe.insert(slot);
                    self.bag_slots.insert((param.0.0, param.1, i), slot);
                    slot
                }
            };
            binds.push(Bind::Num(slot, std::mem::replace(n, Num::Slot(slot)), false));
        }
        let key = format!("{bag:?}");
        let at = match self.bags.iter().position(|b| format!("{b:?}") == key) {
            Some(at) => at,
            None => {
                self.bags.push(bag);
                self.bags.len() - 1
            }
        };
        u16::try_from(at).map(Local::Bag).map_err(|_| Fallback::TooLarge)
    }

    /// What a bag is changed by.
    pub fn source(&mut self, other: Option<&Expr>) -> Low<Source> {
        let Some(other) = other else { return Ok(Source::Empty) };
        match &other.kind {
            ExprKind::Const(Value::Bag(counts)) if counts.is_empty() => Ok(Source::Empty),
            ExprKind::Var { var, index } => Ok(Source::Var(self.store(*var, index.as_deref())?)),
            ExprKind::Printed { kind, field, of } => {
                let of = self.num(of, &mut Env::default())?;
                let (rows, _) = self.printed_copies(*kind, *field)?;
                Ok(Source::Printed(rows.into(), of))
            }
            _ => Err(Fallback::Form),
        }
    }

    /// The numbers of copies of a printed bag, row by row, and the base of what is counted.
    fn printed_copies(&self, kind: KindId, field: usize) -> Low<(Vec<i32>, &Base)> {
        let field = self.model.kinds.get(kind.i()).and_then(|k| k.fields.get(field)).ok_or(Fallback::Form)?;
        let (FieldStore::Printed(values), Base::Bag(of)) = (&field.store, &field.ty.base) else {
            return Err(Fallback::Form);
        };
        let (_, n) = scalar_span(of, &self.model.kinds);
        let mut rows = Vec::new();
        for value in values {
            let counts = if let Value::Bag(counts) = value { counts.as_slice() } else { &[] };
            rows.extend((0..n as usize).map(|i| counts.get(i).map_or(0, |n| i32::from(*n))));
        }
        Ok((rows, of))
    }

    fn counts(&self, var: VarId) -> Low<Counts> {
        let p = self.place(var)?;
        let of = match self.model.vars.get(var.i()).map(|v| &v.ty.base) {
            Some(Base::Bag(of)) => of,
            _ => return Err(Fallback::Form),
        };
        let lo = if let Base::Range(lo, _) = **of { lo } else { 0 };
        let place = Place {
            width: 1,
            count: p.width * p.count,
            lo: 1,
            span: u64::from(MAX_COPIES),
            optional: true,
            single: false,
            always: false,
            item: 1,
            ..p
        };
        Ok(Counts { place, lo, n: p.width })
    }

    /// Where the copies of an item are counted; nothing for an item that cannot be in the bag.
    fn count_of(&mut self, (var, index): (VarId, Num), item: (&Num, &Expr), of: &Base) -> Low<(Place, Num)> {
        let Counts { place, lo, n } = self.counts(var)?;
        let (item, e) = item;
        let within = match item {
            Num::Const(i) if *i == NONE || !(0..i64::from(n)).contains(&(i64::from(*i) - i64::from(lo))) => {
                return Ok((place, Num::Const(NONE)));
            }
            Num::Const(_) => true,
            _ => e.ty.base == *of,
        };
        let off = match lo {
            0 => item.clone(),
            lo => Num::Arith(Arith::Sub, Box::new((item.clone(), Num::Const(lo)))),
        };
        let at = match index {
            Num::Const(i) if u32::try_from(i).is_ok_and(|i| i < place.count / n.max(1)) => {
                return Ok((Place { at: place.at + n * i as u32, count: n, ..place }, self.fold(off)));
            }
            Num::Const(_) => Num::Const(NONE),
            index => {
                let first = Num::Arith(Arith::Mul, Box::new((index, Num::Const(n as i32))));
                let at = Num::Arith(Arith::Add, Box::new((first, off)));
                // An item that cannot be in this bag must not count in the next.
                let bound = |order, i: i64| {
                    Ok(Cond::Compare(
                        order,
                        Box::new((item.clone(), Num::Const(i32::try_from(i).map_err(|_| Fallback::Form)?))),
                    ))
                };
                match within {
                    true => at,
                    false => {
                        let last = i64::from(lo) + i64::from(n) - 1;
                        let inside = join([bound(Order::Ge, i64::from(lo))?, bound(Order::Le, last)?], true);
                        choose(inside, at, Num::Const(NONE))
                    }
                }
            }
        };
        Ok((place, self.fold(at)))
    }

    /// How many copies there are at a place; 0 for none.
    fn number_at(&self, place: Place, at: Num) -> Num {
        let stored = match at {
            Num::Const(i) if i < 0 || i as u32 >= place.count => return Num::Const(0),
            Num::Const(i) if place.level == 0 => Num::Byte(place.at + i as u32, 1, u32::from(MAX_COPIES)),
            at => Num::At(place, Box::new(at)),
        };
        Num::Default(Box::new((stored, Num::Const(0))))
    }

    /// `B[x]`.
    pub fn copies(&mut self, bag: &Expr, item: &Expr, of: &Base, env: &mut Env) -> Low<Num> {
        // The item first: what names the bag may bind the locals that it uses.
        let x = self.num(item, env)?;
        let bag = self.bag(bag, env)?;
        let found = self.copies_in(bag, (&x, item), of)?;
        let there = match &x {
            Num::Const(i) => *i != NONE,
            Num::Slot(s) => !self.maybe.contains(s),
            _ => false,
        };
        Ok(if there { found } else { choose(Cond::Is(x, NONE), Num::Const(NONE), found) })
    }

    /// How many copies of an item that is there are in a bag.
    fn copies_in(&mut self, bag: Bag, item: (&Num, &Expr), of: &Base) -> Low<Num> {
        match bag {
            Bag::Var(var, index) => {
                let (place, at) = self.count_of((var, index), item, of)?;
                Ok(self.number_at(place, at))
            }
            Bag::Printed(kind, field, member) => {
                let (rows, of) = self.printed_copies(kind, field)?;
                let (lo, n) = scalar_span(of, &self.model.kinds);
                let members = rows.len() as u64 / n.max(1);
                let terms = Box::new([(member, 0, members as u32), (item.0.clone(), lo as i32, n as u32)]);
                let found = Num::Table(rows.into(), Lin { terms, strict: false });
                Ok(Num::Default(Box::new((found, Num::Const(0)))))
            }
            Bag::Empty => Ok(Num::Const(0)),
            Bag::Sum(both) => {
                let (a, b) = *both;
                let (a, b) = (self.copies_in(a, item, of)?, self.copies_in(b, item, of)?);
                Ok(self.fold(Num::Arith(Arith::Add, Box::new((a, b)))))
            }
        }
    }

    /// What a bag holds, as a set.
    pub fn held(&mut self, bag: &Expr, env: &mut Env) -> Low<SetE> {
        let Base::Bag(of) = &bag.ty.base else {
            return Err(Fallback::Form);
        };
        let bag = self.bag(bag, env)?;
        self.held_in(bag, of)
    }

    fn held_in(&mut self, bag: Bag, of: &Base) -> Low<SetE> {
        match bag {
            Bag::Var(var, index) => self.held_by(var, index, of),
            Bag::Printed(kind, field, member) => {
                let (rows, of) = self.printed_copies(kind, field)?;
                let (_, n) = self.span(of)?;
                let row = |counts: &[i32]| (0u32..).zip(counts).filter(|(_, n)| **n > 0).map(|(i, _)| i).collect();
                let rows: Vec<Bits> = rows.chunks(n.max(1)).map(row).collect();
                let terms = Box::new([(member, 0, rows.len() as u32)]);
                Ok(SetE::Table(rows.into(), Lin { terms, strict: false }))
            }
            Bag::Empty => Ok(SetE::Const(Bits::default())),
            Bag::Sum(both) => {
                let (a, b) = *both;
                Ok(SetE::Union(Box::new((self.held_in(a, of)?, self.held_in(b, of)?))))
            }
        }
    }

    fn held_by(&mut self, var: VarId, index: Num, of: &Base) -> Low<SetE> {
        let Counts { place, n, .. } = self.counts(var)?;
        let (_, size) = self.span(of)?;
        let all = SetE::Const(self.bits(&crate::model::Set::full(size))?);
        let slot = self.slot()?;
        // Here the slot is the place in the bag, whatever number stands for it.
        match index {
            Num::Const(i) if !u32::try_from(i).is_ok_and(|i| i < place.count / n.max(1)) => {
                Ok(SetE::Const(Bits::default()))
            }
            Num::Const(i) if place.level == 0 => {
                let place = Place { at: place.at + n * i as u32, count: n, ..place };
                let none = Mask::Field(place, Num::Const(NONE));
                Ok(filter(all, slot, 0, Mask::Not(Box::new(none))))
            }
            index => {
                let rows = Place { width: n, count: place.count / n.max(1), ..place };
                Ok(filter(all, slot, 0, Mask::Held(rows, index)))
            }
        }
    }

    /// Whether a target is a bag.
    pub fn is_bag(&self, target: &Target) -> bool {
        self.model.vars.get(target.var.i()).is_some_and(|v| matches!(v.ty.base, Base::Bag(_)))
    }

    /// Puts a copy in (`adds`) or takes one out: the number that counts it is set. Too many, or fewer than none, do
    /// not fit there.
    pub fn count_one(&mut self, item: &Expr, target: &Target, adds: bool) -> Low<Op> {
        let env = &mut Env::default();
        let Some(Base::Bag(of)) = self.model.vars.get(target.var.i()).map(|v| v.ty.base.clone()) else {
            return Err(Fallback::Form);
        };
        let x = self.num(item, env)?;
        let index = self.index(target.index.as_ref(), env)?;
        let (place, at) = self.count_of((target.var, index), (&x, item), &of)?;
        let now = self.number_at(place, at.clone());
        let one = |op, n: Num| Num::Arith(op, Box::new((n, Num::Const(1))));
        let new = match adds {
            true => one(Arith::Add, now),
            // The last one leaves nothing.
            false => choose(Cond::Is(now.clone(), 1), Num::Const(NONE), one(Arith::Sub, now)),
        };
        let store = Store { place: Place { optional: !adds, ..place }, holds: Holds::Scalar, index: at };
        Ok(Op::Set(store, Val::Num(new)))
    }
    /// Changes the number of copies of one value. Fewer than none, and too many, do not fit there.
    pub fn count(&mut self, count: &Count) -> Low<Op> {
        let env = &mut Env::default();
        let Some(Base::Bag(of)) = self.model.vars.get(count.bag.var.i()).map(|v| v.ty.base.clone()) else {
            return Err(Fallback::Form);
        };
        let x = self.num(&count.item, env)?;
        let index = self.index(count.bag.index.as_ref(), env)?;
        let number = self.num(&count.number, env)?;
        let (place, at) = self.count_of((count.bag.var, index), (&x, &count.item), &of)?;
        let now = self.number_at(place, at.clone());
        let some = matches!(number, Num::Const(i) if i > 0);
        let new = match count.op {
            CountOp::Become => number,
            CountOp::Add => Num::Arith(Arith::Add, Box::new((now, number))),
            CountOp::Less => Num::Arith(Arith::Sub, Box::new((now, number))),
        };
        let certain = some && count.op != CountOp::Less;
        let store = Store { place: Place { optional: !certain, ..place }, holds: Holds::Scalar, index: at };
        if certain {
            let new = self.fold(new);
            return Ok(Op::Set(store, Val::Num(new)));
        }
        // None are kept as nothing; a number that is nothing does not fit.
        let slot = self.slot()?;
        self.maybe.insert(slot);
        let kept = choose(Cond::Is(Num::Slot(slot), 0), Num::Const(NONE), Num::Slot(slot));
        let kept = choose(Cond::Is(Num::Slot(slot), NONE), Num::Const(-1), kept);
        let new = Num::flow(Flow::Let(Box::new([Bind::Num(slot, new, false)]), kept));
        let new = self.fold(new);
        Ok(Op::Set(store, Val::Num(new)))
    }
}
