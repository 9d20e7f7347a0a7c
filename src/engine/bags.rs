//! Bags: their bytes as numbers of copies, one entry a value.

use super::bits::Bits;
use super::fallback::Fallback;
use super::ir::{Bind, Cond, Flow, Mask, NONE, Num, SetE};
use super::lower::{Env, Low, Lower};
use super::place::Place;
use super::program::{Holds, Op, Store, Val};
use super::tree::{Part as _, choose, filter, join, not};
use crate::model::{Arith, Base, Expr, ExprKind, MAX_COPIES, Order, Target, VarId};

/// The numbers of copies of a bag, or of each entry of an indexed one: an entry a value, nothing where there are none.
struct Counts {
    /// Of all entries, in order.
    place: Place,
    /// The number that the first stands for.
    lo: i32,
    /// How many values there are.
    n: u32,
}

impl Lower<'_> {
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
            item: 1,
            ..p
        };
        Ok(Counts { place, lo, n: p.width })
    }

    /// Where the copies of an item are counted; nothing for an item that cannot be in the bag.
    fn count_of(
        &mut self,
        (var, index): (VarId, Option<&Expr>),
        item: (&Num, &Expr),
        of: &Base,
        env: &mut Env,
    ) -> Low<(Place, Num)> {
        let Counts { place, lo, n } = self.counts(var)?;
        let index = index.map_or(Ok(Num::Const(0)), |e| self.num(e, env))?;
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
        let ExprKind::Var { var, index } = &bag.kind else {
            return Err(Fallback::Form);
        };
        // The item first: what names the bag may bind the locals that it uses.
        let x = self.num(item, env)?;
        let (place, at) = self.count_of((*var, index.as_deref()), (&x, item), of, env)?;
        let found = self.number_at(place, at);
        let there = match &x {
            Num::Const(i) => *i != NONE,
            Num::Slot(s) => !self.maybe.contains(s),
            _ => false,
        };
        Ok(if there { found } else { choose(Cond::Is(x, NONE), Num::Const(NONE), found) })
    }

    /// What a bag holds, as a set.
    pub fn held(&mut self, bag: &Expr, env: &mut Env) -> Low<SetE> {
        let (ExprKind::Var { var, index }, Base::Bag(of)) = (&bag.kind, &bag.ty.base) else {
            return Err(Fallback::Form);
        };
        let Counts { place, n, .. } = self.counts(*var)?;
        let (_, size) = self.span(of)?;
        let index = index.as_deref().map_or(Ok(Num::Const(0)), |e| self.num(e, env))?;
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
                let whose = self.slot()?;
                let first = Num::Arith(Arith::Mul, Box::new((Num::Slot(whose), Num::Const(n as i32))));
                let at = Num::Arith(Arith::Add, Box::new((first, Num::Slot(slot))));
                let some = not(Cond::Is(Num::At(place, Box::new(at)), NONE));
                let set = filter(all, slot, 0, Mask::Loop(some));
                Ok(SetE::flow(Flow::Let(Box::new([Bind::Num(whose, index, true)]), set)))
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
        let (place, at) = self.count_of((target.var, target.index.as_ref()), (&x, item), &of, env)?;
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
}
