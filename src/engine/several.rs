//! Several of a set, chosen one by one, and ordered piles that are shuffled one by one: lowered, and run on trees.

use super::ask::Ask;
use super::bits::{Bits, each};
use super::eval::{Ev, uint};
use super::fallback::Fallback;
use super::ir::{NONE, Num, SetE};
use super::leaf::Visit;
use super::lower::{Env, Low, Lower};
use super::program::{Holds, Store};
use super::run::{Now, Res, Run};
use crate::model::{Base, Expr, Target, VarId};

/// A choice of several of a set.
#[derive(Clone, Debug)]
pub(super) struct Several {
    pub set: SetE,
    /// The number that bit 0 stands for.
    pub lo: i32,
    /// At least so many, and at most so many.
    pub least: Num,
    pub most: Num,
    /// Whether none at all may be chosen, whatever the least number.
    pub optional: bool,
    /// Where those chosen are put.
    pub into: Store,
}

/// A shuffle: item by item it is drawn which is the next, of those that are not drawn yet.
#[derive(Clone, Debug)]
pub(super) struct Shuffle {
    pub pile: Store,
    /// How many are drawn.
    pub next: Store,
}

impl Several {
    pub fn walk(&self, f: Visit) {
        self.set.walk(f);
        self.least.walk(f);
        self.most.walk(f);
        self.into.walk(f);
    }
}

impl Shuffle {
    pub fn walk(&self, f: Visit) {
        self.pile.walk(f);
        self.next.walk(f);
    }
}

impl Lower<'_> {
    pub fn several(
        &mut self,
        set: &Expr,
        of: &Base,
        (least, most): (&Expr, &Expr),
        into: VarId,
        optional: bool,
    ) -> Low<Ask> {
        let env = &mut Env::default();
        let lo = self.span(of)?.0;
        let (least, most) = (self.num(least, env)?, self.num(most, env)?);
        let (set, into) = (self.set(set, &mut Env::default())?, self.store(into, None)?);
        if into.holds != Holds::Set(lo) {
            return Err(Fallback::Form);
        }
        Ok(Ask::Several(Box::new(Several { set, lo, least, most, optional, into })))
    }

    pub fn shuffle(&mut self, pile: &Target, next: VarId) -> Low<Ask> {
        let (pile, next) = (self.target(pile)?, self.store(next, None)?);
        if pile.holds != Holds::List || next.holds != Holds::Scalar {
            return Err(Fallback::Form);
        }
        Ok(Ask::Shuffle(Box::new(Shuffle { pile, next })))
    }
}

impl Ev<'_> {
    /// Those of which one may be chosen next, and whether those chosen are enough; none where nothing is left to
    /// choose. Fails where there are too few.
    pub fn next_of(&self, several: &Several) -> (Bits, bool) {
        let (least, most) = (self.num(&several.least), self.num(&several.most));
        if least == NONE || most == NONE {
            self.fail();
            return (Bits::NONE, false);
        }
        let all = self.set(&several.set);
        let chosen = self.set(&SetE::Var(several.into.place));
        let (n, least) = (i64::from(chosen.count()), i64::from(least.max(0)));
        if n >= i64::from(most.max(0)) {
            return (Bits::NONE, true);
        }
        let mut after = 0;
        each(&chosen, |b| after = b + 1);
        let mut rest = Vec::new();
        each(&all, |b| {
            if b >= after {
                rest.push(b);
            }
        });
        // One can be chosen only if enough come after it to reach the least number.
        let needed = usize::try_from(least - n - 1).unwrap_or(0);
        rest.truncate(rest.len().saturating_sub(needed));
        let enough = n >= least || several.optional && n == 0;
        if rest.is_empty() && !enough {
            self.fail();
        }
        (rest.into_iter().collect(), enough)
    }

    /// The items of which one is drawn next; none where the order of all is known.
    pub fn undrawn(&self, shuffle: &Shuffle) -> Vec<i32> {
        let (pile, index) = (&shuffle.pile.place, self.num(&shuffle.pile.index));
        if index == NONE {
            self.fail();
            return Vec::new();
        }
        let drawn = self.scalar(&shuffle.next.place, 0).max(0) as u32;
        let (at, n) = self.entry(pile, index).map_or((0, 0), |at| (at + 2, uint(self.bytes, at, 2)));
        let item = |i: u32| uint(self.bytes, at + (i * pile.item) as usize, pile.item) as i32;
        let mut open: Vec<i32> = (drawn.min(n)..n).map(item).collect();
        open.sort_unstable();
        if open.len() < 2 {
            open.clear();
        }
        open
    }
}

impl Run<'_> {
    /// Comes to a choice of several; whether there is anything to choose.
    pub fn begin_several(&mut self, several: &Several) -> Res<bool> {
        self.clear(&several.into.place)?;
        let (open, _) = self.ev().next_of(several);
        self.sure(!open.is_empty())
    }

    /// One more is chosen; whether there is anything left to choose.
    pub fn add_one(&mut self, several: &Several, value: i32) -> Res<bool> {
        let place = &several.into.place;
        let mut chosen = self.bits(place, 0);
        let members = usize::try_from(place.span).unwrap_or(usize::MAX);
        let bit = self.ev().bit(value, several.lo, members).ok_or(Fallback::Failure)?;
        chosen.add(bit);
        self.write(&several.into, 0, Now::Set(chosen))?;
        let (open, _) = self.ev().next_of(several);
        self.sure(!open.is_empty())
    }

    /// Comes to a shuffle; whether there is anything to draw.
    pub fn begin_shuffle(&mut self, shuffle: &Shuffle) -> Res<bool> {
        self.clear(&shuffle.next.place)?;
        let some = !self.ev().undrawn(shuffle).is_empty();
        self.sure(some)
    }

    /// The next of a pile is drawn; whether there is anything left to draw. The others keep their order.
    pub fn draw_next(&mut self, shuffle: &Shuffle, value: i32) -> Res<bool> {
        let (pile, index) = (shuffle.pile.place, self.index(&shuffle.pile)?);
        let at = self.entry(&pile, index)?;
        let n = uint(self.bytes, at, 2) as usize;
        let item = pile.item as usize;
        let drawn = self.ev().scalar(&shuffle.next.place, 0).max(0);
        let place = |i: usize| at + 2 + i * item;
        let to = drawn as usize;
        let found = (to..n).find(|i| uint(self.bytes, place(*i), pile.item) as i32 == value);
        let found = found.ok_or(Fallback::Failure)?;
        self.touched();
        let part = self.bytes.get_mut(place(to)..place(found + 1)).ok_or(Fallback::Failure)?;
        part.rotate_right(item);
        if to + 2 < n {
            self.write(&shuffle.next, 0, Now::Num(drawn + 1))?;
            return Ok(true);
        }
        self.clear(&shuffle.next.place)?;
        Ok(false)
    }
}
