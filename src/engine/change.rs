//! Changes of what sets, ordered piles and bags hold: lowered, and run on trees.

use super::bits::each;
use super::eval::uint;
use super::fallback::Fallback;
use super::ir::{NONE, Num};
use super::leaf::Visit;
use super::lower::{Env, Low, Lower};
use super::place::Place;
use super::program::{Holds, Op, Source, Store};
use super::run::{Now, Res, Run, put_uint};
use crate::model::{self, BagOp};

/// A lowered change.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Put(Num, Store),
    Take(Num, Store),
    MoveAll(Store, Store),
    /// Changes a bag by another.
    Bag(BagOp, Store, Source),
}

impl Change {
    /// What is changed.
    pub fn stores(&self) -> Vec<&Store> {
        match self {
            Change::Put(_, store) | Change::Take(_, store) => vec![store],
            Change::MoveAll(from, to) => vec![from, to],
            Change::Bag(_, to, Source::Var(other)) => vec![to, other],
            Change::Bag(_, to, _) => vec![to],
        }
    }

    /// Whether the bytes are changed in place, so that what it changes must be in memory.
    pub fn needs_memory(&self) -> bool {
        matches!(self, Change::MoveAll(..) | Change::Bag(..))
    }

    pub fn walk(&self, f: Visit) {
        if let Change::Put(item, _) | Change::Take(item, _) | Change::Bag(_, _, Source::Printed(_, item)) = self {
            item.walk(f);
        }
        self.stores().into_iter().for_each(|store| store.walk(f));
    }
}

impl Lower<'_> {
    pub fn change(&mut self, change: &model::Change) -> Low<Op> {
        let env = &mut Env::default();
        Ok(Op::Change(match change {
            model::Change::Put(e, target) if self.is_bag(target) => return self.count_one(e, target, true),
            model::Change::Take(e, target) if self.is_bag(target) => return self.count_one(e, target, false),
            model::Change::Put(e, target) => Change::Put(self.num(e, env)?, self.target(target)?),
            model::Change::Take(e, target) => Change::Take(self.num(e, env)?, self.target(target)?),
            model::Change::MoveAll(from, to) => {
                let lo = |s: &Store| if let Holds::Set(lo) = s.holds { lo } else { 0 };
                let (from, to) = (self.target(from)?, self.target(to)?);
                if lo(&from) != lo(&to) {
                    return Err(Fallback::Form);
                }
                Change::MoveAll(from, to)
            }
            model::Change::Bag(op, to, other) => {
                let to = self.target(to)?;
                Change::Bag(*op, to, self.source(other.as_ref())?)
            }
            model::Change::Count(count) => return self.count(count),
        }))
    }
}

impl Run<'_> {
    pub fn change(&mut self, change: &Change) -> Res<()> {
        match change {
            Change::Put(item, store) => self.put_or_take(item, store, true),
            Change::Take(item, store) => self.put_or_take(item, store, false),
            Change::MoveAll(from, to) => self.move_all(from, to),
            Change::Bag(op, to, other) => self.bag(*op, to, other),
        }
    }

    /// Puts something into a set or a list, or takes it out.
    fn put_or_take(&mut self, item: &Num, store: &Store, put: bool) -> Res<()> {
        let item = self.ev().num(item);
        let index = self.index(store)?;
        if item == NONE {
            return Err(Fallback::Failure);
        }
        match store.holds {
            Holds::Set(lo) => {
                let mut set = self.bits(&store.place, index);
                let bit = self.ev().bit(item, lo, store.place.span as usize).ok_or(Fallback::Failure)?;
                match put {
                    true => set.add(bit),
                    false if !set.has(bit) => return Err(Fallback::Failure),
                    false => set.remove(bit),
                }
                self.write(store, index, Now::Set(set))
            }
            Holds::List if put => self.push(&store.place, index, item),
            Holds::List => self.pull(&store.place, index, item),
            Holds::Scalar | Holds::Bag => Err(Fallback::Failure),
        }
    }

    fn push(&mut self, place: &Place, index: i32, item: i32) -> Res<()> {
        self.clean = false;
        let at = self.entry(place, index)?;
        let len = uint(self.bytes, at, 2);
        if item < 0 || item as u64 >= place.span {
            return Err(Fallback::Failure);
        }
        let of = |i: u32| at + 2 + (i * place.item) as usize;
        if (0..len).any(|i| uint(self.bytes, of(i), place.item) == item as u32) {
            return Ok(());
        }
        put_uint(self.bytes, of(len), place.item, item as u32);
        put_uint(self.bytes, at, 2, len + 1);
        Ok(())
    }

    fn pull(&mut self, place: &Place, index: i32, item: i32) -> Res<()> {
        self.clean = false;
        let at = self.entry(place, index)?;
        let len = uint(self.bytes, at, 2);
        let of = |i: u32| at + 2 + (i * place.item) as usize;
        let found = (0..len).find(|i| uint(self.bytes, of(*i), place.item) == item as u32).ok_or(Fallback::Failure)?;
        self.bytes.copy_within(of(found + 1)..of(len), of(found));
        put_uint(self.bytes, of(len - 1), place.item, 0);
        put_uint(self.bytes, at, 2, len - 1);
        Ok(())
    }

    fn move_all(&mut self, from: &Store, to: &Store) -> Res<()> {
        let (a, b) = (self.index(from)?, self.index(to)?);
        if from.place.at == to.place.at && a == b {
            return Ok(());
        }
        let target = self.entry(&to.place, b)?;
        let source = self.entry(&from.place, a)?;
        if let (Holds::Bag, Holds::Bag) = (from.holds, to.holds) {
            return self.move_copies((from, source), target);
        }
        let mut items = Vec::new();
        match from.holds {
            Holds::List => {
                let len = uint(self.bytes, source, 2);
                let at = |i: u32| source + 2 + (i * from.place.item) as usize;
                items.extend((0..len).map(|i| uint(self.bytes, at(i), from.place.item)));
            }
            Holds::Set(_) => each(&self.bits(&from.place, a), |i| items.push(i)),
            Holds::Scalar | Holds::Bag => return Err(Fallback::Failure),
        }
        self.fill(source as u32, from.place.width, 0);
        match to.holds {
            Holds::List => {
                for item in items {
                    self.push(&to.place, b, item as i32)?;
                }
            }
            Holds::Set(_) => {
                let mut set = self.bits(&to.place, b);
                items.into_iter().for_each(|i| set.add(i));
                self.write(to, b, Now::Set(set))?;
            }
            Holds::Scalar | Holds::Bag => return Err(Fallback::Failure),
        }
        Ok(())
    }

    /// Changes a bag by another.
    fn bag(&mut self, op: BagOp, to: &Store, other: &Source) -> Res<()> {
        self.clean = false;
        let a = self.index(to)?;
        let target = self.entry(&to.place, a)?;
        let width = to.place.width as usize;
        let source = match other {
            Source::Var(other) => {
                let b = self.index(other)?;
                self.ev().entry(&other.place, b)
            }
            Source::Empty | Source::Printed(..) => None,
        };
        let row = match other {
            Source::Printed(rows, member) => {
                let member = usize::try_from(self.ev().num(member)).map_err(|_| Fallback::Failure)?;
                rows.get(member * width..(member + 1) * width).ok_or(Fallback::Failure)?
            }
            Source::Empty | Source::Var(_) => &[],
        };
        for i in 0..width {
            let by = match source {
                Some(at) => uint(self.bytes, at + i, 1) as u8,
                None => row.get(i).map_or(0, |n| *n as u8),
            };
            let n = self.bytes.get_mut(target + i).ok_or(Fallback::Failure)?;
            *n = match op {
                BagOp::Become => by,
                BagOp::Add => n.checked_add(by).ok_or(Fallback::Failure)?,
                BagOp::Less => n.saturating_sub(by),
            };
        }
        Ok(())
    }

    /// All copies of a bag to another one.
    fn move_copies(&mut self, (from, source): (&Store, usize), target: usize) -> Res<()> {
        self.clean = false;
        for i in 0..from.place.width as usize {
            let by = uint(self.bytes, source + i, 1) as u8;
            let n = self.bytes.get_mut(target + i).ok_or(Fallback::Failure)?;
            *n = n.checked_add(by).ok_or(Fallback::Failure)?;
        }
        self.fill(source as u32, from.place.width, 0);
        Ok(())
    }
}
