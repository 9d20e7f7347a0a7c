//! Writing into a position.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::{Build, set_bound};
use super::int::{Bitset, Form, Int, Width};
use super::run::{Counts, Now, Running};
use crate::engine::ir::Num;
use crate::engine::place::Place;
use crate::engine::program::{Store, Val};

impl Build<'_, '_, '_> {
    pub fn value(&mut self, val: &Val) -> Now {
        match val {
            Val::Num(n) => Now::Num(self.num(n)),
            Val::Set(s) => Now::Set(self.set(s)),
            Val::Bag(store) => {
                let index = self.num(&store.index);
                let (address, at, there) = self.entry(&store.place, index);
                Now::Bag(Counts { address, at, there, width: 1 })
            }
        }
    }

    /// A first value; where it is nothing the entry stays as it is.
    pub fn init(&mut self, r: &Running, store: &Store, val: &Val) {
        let now = self.value(val);
        let Now::Num(n) = now else {
            return self.write(r, store, now);
        };
        let Some(there) = self.there(n) else {
            return self.write(r, store, now);
        };
        self.sure(r);
        let (some, done) = (self.block(), self.block());
        self.brif(there, some, done);
        self.to(some);
        self.write(r, store, Now::Num(Int { maybe: false, sure: false, ..n }));
        self.sure(r);
        self.jump(done, &[]);
        self.to(done);
    }

    pub fn write(&mut self, r: &Running, store: &Store, now: Now) {
        self.write_over(r, store, now, None);
    }

    /// The same, where it is known what a number takes the place of, as it is stored.
    pub fn write_over(&mut self, r: &Running, store: &Store, now: Now, before: Option<i64>) {
        let index = self.index(r, &store.index);
        self.sure(r);
        match now {
            Now::Num(n) => self.put(r, &store.place, index, n, before),
            Now::Set(s) => self.put_set(r, &store.place, index, s),
            Now::Bag(from) => self.put_bag(r, store, from),
        }
    }

    pub fn index(&mut self, r: &Running, index: &Num) -> Int {
        let index = self.num(index);
        if let Some(there) = self.there(index) {
            self.need(r, there);
        }
        index
    }

    /// The address of an entry that is written to; its code must be active.
    pub fn writable(&mut self, r: &Running, p: &Place, index: Int) -> (Value, i32) {
        let (first, len) = p.range();
        self.touch(r, first, len);
        self.destination(r, p, index)
    }

    /// The same, where the writer notes what is changed.
    fn destination(&mut self, r: &Running, p: &Place, index: Int) -> (Value, i32) {
        if let Some(at) = p.active
            && p.level == 0
        {
            let active = self.read(self.base, at as i32, 1);
            let on = self.cmp(IntCC::NotEqual, active, 0);
            self.need(r, on);
        }
        let (i, ok) = self.offset(index, 0, u64::from(p.count.max(1)));
        self.need_some(r, ok);
        let (address, at, ok) = self.entry_at(p, (i, None));
        self.need_some(r, ok);
        (address, at)
    }

    /// Writes a number into an entry; `before` is what is stored there, where that is known.
    pub fn put(&mut self, r: &Running, p: &Place, index: Int, n: Int, before: Option<i64>) {
        if let Some(register) = self.register(p.at) {
            return self.set_register(r, &register, n);
        }
        let (address, at) = self.destination(r, p, index);
        let lo = i64::from(p.lo);
        let hi = lo.saturating_add_unsigned(p.span).saturating_sub(1);
        if !p.optional
            && let Some(there) = self.there(n)
        {
            self.need(r, there);
        }
        let stored = if p.optional { self.as_byte(p, n) } else { self.as_byte(p, Int { maybe: false, ..n }) };
        if !n.sure || n.lo < lo || n.hi > hi {
            let least = i64::from(!p.optional);
            // Unless it is nothing, which is 0, it is one of 1 to the span.
            let from = self.i32(least);
            let off = self.b.ins().isub(stored, from);
            let mut ok = self.cmp(
                IntCC::UnsignedLessThanOrEqual,
                off,
                i64::from(p.span.min(u64::from(u32::MAX)) as u32) - least,
            );
            if p.optional {
                // One below the lowest must not become nothing.
                let zero = self.cmp(IntCC::NotEqual, stored, 0);
                let real = match self.there(n) {
                    Some(there) => {
                        let none = self.flip(there);
                        self.b.ins().bor(zero, none)
                    }
                    None => zero,
                };
                ok = self.b.ins().band(ok, real);
            }
            self.need(r, ok);
        }
        self.touch_entry(r, p, (address, at), stored, before);
        if let Some(value_indexes) = self.unit.value_index.of(p) {
            self.move_value_set(&value_indexes, address, stored, before);
        }
        self.store_scalar(p, address, at, stored);
    }

    /// A number as a variable stores it, 32 bits: nothing as 0.
    pub fn as_byte(&mut self, p: &Place, n: Int) -> Value {
        match n.form {
            Form::Stored(by) if i64::from(by) == i64::from(p.lo) - 1 => n.v,
            _ => {
                let bare = self.bare(n);
                let by = self.i32(1 - i64::from(p.lo));
                let stored = self.b.ins().iadd(bare, by);
                match self.there(n) {
                    Some(there) => {
                        let zero = self.i32(0);
                        self.b.ins().select(there, stored, zero)
                    }
                    None => stored,
                }
            }
        }
    }

    /// Stores what stands for a number.
    pub fn store_scalar(&mut self, p: &Place, address: Value, at: i32, stored: Value) {
        let v = match p.width {
            1 => self.b.ins().ireduce(types::I8, stored),
            2 => self.b.ins().ireduce(types::I16, stored),
            _ => stored,
        };
        self.store_position(v, address, at);
    }

    pub fn put_set(&mut self, r: &Running, p: &Place, index: Int, s: Bitset) {
        if let Some(register) = self.register(p.at) {
            return self.set_register_set(r, &register, s);
        }
        let (address, at) = self.writable(r, p, index);
        if let Some(over) = self.beyond(s, set_bound(p)) {
            let ok = self.flip(over);
            self.need(r, ok);
        }
        self.store_bits(address, at, p.width, s);
    }

    pub fn store_bits(&mut self, address: Value, at: i32, width: u32, s: Bitset) {
        if width > 16 {
            return self.store_parts(address, at, width, s);
        }
        let (low, high) = if width > 8 {
            let v = self.fit(s, Width::Pair);
            self.b.ins().isplit(v)
        } else {
            let v = self.fit(s, Width::Word);
            (v, v)
        };
        let mut done = 0;
        while done < width {
            let half = if done < 8 { low } else { high };
            let left = if done < 8 { width.min(8) - done } else { width - done };
            let (step, ty) = match left {
                8.. => (8, types::I64),
                4.. => (4, types::I32),
                2.. => (2, types::I16),
                _ => (1, types::I8),
            };
            let by = 8 * (done % 8);
            let mut v = half;
            if by > 0 {
                let by = self.b.ins().iconst(types::I32, i64::from(by));
                v = self.b.ins().ushr(v, by);
            }
            if step < 8 {
                v = self.b.ins().ireduce(ty, v);
            }
            self.store_position(v, address, at + done as i32);
            done += step;
        }
    }

    /// Makes all entries nothing.
    pub fn forget(&mut self, r: &Running, p: &Place) {
        if p.always {
            let no = self.i8(false);
            return self.need(r, no);
        }
        for i in 0..p.count {
            let index = self.number(i as i32);
            let (address, at) = self.writable(r, p, index);
            if let Some(value_indexes) = self.unit.value_index.of(p) {
                let nothing = self.i32(0);
                self.move_value_set(&value_indexes, address, nothing, None);
            }
            self.fill(address, at as u32, p.width);
        }
    }
}
