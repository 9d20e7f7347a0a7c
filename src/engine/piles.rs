//! Ordered piles while trees are run: putting on, taking out, moving all.

use super::bits::{Bits, MAX_BITS, each};
use super::eval::{read_bits, uint};
use super::fallback::Fallback;
use super::ir::Place;
use super::program::{Holds, Store};
use super::run::{Now, Res, Run, put_uint};

impl Run<'_> {
    pub fn push(&mut self, place: &Place, index: i32, item: i32) -> Res<()> {
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

    pub fn pull(&mut self, place: &Place, index: i32, item: i32) -> Res<()> {
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

    pub fn move_all(&mut self, from: &Store, to: &Store) -> Res<()> {
        let (a, b) = (self.index(from)?, self.index(to)?);
        if from.place.at == to.place.at && a == b {
            return Ok(());
        }
        let target = self.entry(&to.place, b)?;
        let source = self.entry(&from.place, a)?;
        let mut items = [0u16; MAX_BITS];
        let mut n = 0;
        let mut take = |i: u32| {
            if let Some(place) = items.get_mut(n) {
                *place = i as u16;
                n += 1;
            }
        };
        match from.holds {
            Holds::List => {
                let len = uint(self.bytes, source, 2);
                let at = |i: u32| source + 2 + (i * from.place.item) as usize;
                (0..len).for_each(|i| take(uint(self.bytes, at(i), from.place.item)));
            }
            Holds::Set(_) => each(self.bits(&from.place, a), take),
            Holds::Scalar | Holds::Bag => return Err(Fallback::Failure),
        }
        self.fill(source as u32, from.place.width);
        let items = items.get(..n).unwrap_or(&[]);
        match to.holds {
            Holds::List => {
                for item in items {
                    self.push(&to.place, b, i32::from(*item))?;
                }
            }
            Holds::Set(_) => {
                let more: Bits = items.iter().map(|i| u32::from(*i)).collect();
                let set = read_bits(self.bytes, target, to.place.width) | more;
                self.write(to, b, Now::Set(set))?;
            }
            Holds::Scalar | Holds::Bag => return Err(Fallback::Failure),
        }
        Ok(())
    }
}
