//! The endings, and leaving codes from outside.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Switch;

use super::build::Build;
use super::int::Width;
use super::unit::Job;
use crate::engine::fallback::Fallback;
use crate::engine::fills::Fill;
use crate::engine::program::{CodeX, Val, Winners, seats};

/// The maximum number of bytes that are filled without a loop.
const MAX_UNROLLED_BYTES: u32 = 512;

impl Build<'_, '_, '_> {
    /// Looks at the endings: 1 where one ends the game, which is then written down. None does mostly, so what is done
    /// then is a function of its own, and this one has no more to save than it needs.
    pub fn ends_function(&mut self, params: &[Value]) -> Result<(), Fallback> {
        let any_legal = *params.get(2).ok_or(Fallback::Form)?;
        self.any_legal = Some(any_legal);
        let (_, any) = self.holding();
        let (some, none) = (self.block(), self.block());
        self.b.set_cold_block(some);
        self.brif(any, some, none);
        self.to(none);
        let going_on = self.i32(0);
        self.leave(&[going_on]);
        self.to(some);
        let called = self.unit.call(Job::Ending, self.b.func).ok_or(Fallback::Form)?;
        let call = self.b.ins().call(called, &[self.base, self.ctx, any_legal]);
        let ended = self.b.inst_results(call)[0];
        self.leave(&[ended]);
        Ok(())
    }

    /// Finds the ending that ends the game and writes it down: 1, or 0 where none holds.
    pub fn ending_function(&mut self, params: &[Value]) -> Result<(), Fallback> {
        let program = self.unit.program;
        self.any_legal = Some(*params.get(2).ok_or(Fallback::Form)?);
        let (holds, _) = self.holding();
        let zero = self.i32(0);
        // The first that holds and is not beaten, counted from 1, and its winners.
        let holding = self.var(types::I32, zero);
        let winning = self.var(types::I32, zero);
        for (i, end) in program.ends.iter().enumerate() {
            let mut stands = holds[i];
            for (j, other) in program.ends.iter().enumerate() {
                if other.beats.contains(&end.clause) {
                    let silent = self.flip(holds[j]);
                    stands = self.b.ins().band(stands, silent);
                }
            }
            let (yes, next) = (self.block(), self.block());
            self.brif(stands, yes, next);
            self.to(yes);
            let winners = self.winners(&end.winners);
            let first = self.b.use_var(holding);
            let before = self.b.use_var(winning);
            let is_first = self.cmp(IntCC::Equal, first, 0);
            // Several that differ: the explaining evaluator says so.
            let differ = self.b.ins().icmp(IntCC::NotEqual, before, winners);
            let second = self.flip(is_first);
            let clash = self.b.ins().band(second, differ);
            self.fail_if(clash);
            let index = self.i32(end.index as i64 + 1);
            let index = self.b.ins().select(is_first, index, first);
            let winners = self.b.ins().select(is_first, winners, before);
            self.b.def_var(holding, index);
            self.b.def_var(winning, winners);
            self.jump(next, &[]);
            self.to(next);
        }
        // Endings that all beat one another.
        let index = self.b.use_var(holding);
        let none = self.cmp(IntCC::Equal, index, 0);
        self.fail_if(none);
        let index = self.b.use_var(holding);
        let failed = self.has_failed();
        let some = self.cmp(IntCC::NotEqual, index, 0);
        let went = self.flip(failed);
        let over = self.b.ins().band(some, went);
        let (write, done) = (self.block(), self.block());
        self.brif(over, write, done);
        self.to(write);
        let short = self.b.ins().ireduce(types::I16, index);
        self.store_position(short, self.base, program.layout.over as i32);
        let winners = self.b.use_var(winning);
        self.store_position(winners, self.base, program.layout.winners as i32);
        self.jump(done, &[]);
        self.to(done);
        let result = self.b.ins().uextend(types::I32, over);
        self.leave(&[result]);
        Ok(())
    }

    /// Which endings hold, and whether any does.
    pub fn holding(&mut self) -> (Vec<Value>, Value) {
        let mut holds = Vec::new();
        let mut any = self.i8(false);
        for end in &self.unit.program.ends {
            let c = self.cond(&end.applies);
            any = self.b.ins().bor(any, c);
            holds.push(c);
        }
        (holds, any)
    }

    fn winners(&mut self, winners: &Winners) -> Value {
        let n = self.unit.program.seats;
        let all = seats(n);
        let named = |b: &mut Self, val: &Val| match val {
            Val::Set(s) => {
                let s = b.set(s);
                let v = b.fit(s, Width::Word);
                let v = b.b.ins().ireduce(types::I32, v);
                let all = b.i32(i64::from(all));
                b.b.ins().band(v, all)
            }
            Val::Num(seat) => {
                let seat = b.num(seat);
                let (i, ok) = b.place(seat, 0, u64::from(n.max(1)));
                if let Some(ok) = ok {
                    let out = b.flip(ok);
                    b.fail_if(out);
                }
                let bit = b.single(i, Width::Word);
                b.b.ins().ireduce(types::I32, bit)
            }
            Val::Bag(_) => {
                let out = b.i8(true);
                b.fail_if(out);
                b.i32(0)
            }
        };
        match winners {
            Winners::Wins(v) => named(self, v),
            Winners::Loses(v) => {
                let losers = named(self, v);
                let all = self.i32(i64::from(all));
                self.b.ins().band_not(all, losers)
            }
            Winners::Draw => self.i32(0),
        }
    }

    /// Clears the variables of a code that is left, and counts it as one less; 1 where there is no such code.
    pub fn clear_function(&mut self, params: &[Value]) -> Result<(), Fallback> {
        let program = self.unit.program;
        let code = *params.get(2).ok_or(Fallback::Form)?;
        let (none, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, types::I32);
        let mut switch = Switch::new();
        let mut blocks = Vec::new();
        for (i, _) in program.codes.iter().enumerate() {
            let block = self.block();
            switch.set_entry(i as u128, block);
            blocks.push(block);
        }
        switch.emit(&mut self.b, code, none);
        for (c, block) in program.codes.iter().zip(blocks) {
            self.to(block);
            self.clear(c);
            let zero = self.i32(0);
            self.jump(done, &[zero]);
        }
        self.to(none);
        let one = self.i32(1);
        self.jump(done, &[one]);
        self.to(done);
        self.leave(&[result]);
        Ok(())
    }

    /// Clears the variables of a code that is left, and counts it as one less.
    pub fn clear(&mut self, c: &CodeX) {
        let mut level = None;
        let mut nested = 1;
        if let Some((at, n)) = c.active {
            nested = n;
            let mut less = self.i8(false);
            // Of a code that is active once at most, none is left.
            if n > 1 {
                let active = self.load_position(types::I8, self.base, at as i32);
                let one = self.i8(true);
                less = self.b.ins().isub(active, one);
            }
            self.store_position(less, self.base, at as i32);
            level = Some(less);
        }
        for (at, len, step) in &c.clear {
            let mut address = self.base;
            if *step > 0
                && let Some(level) = level
            {
                // Not beyond the block, whatever its bytes are.
                let most = self.b.ins().iconst(types::I8, i64::from(nested.saturating_sub(1)));
                let level = self.b.ins().umin(level, most);
                let level = self.b.ins().uextend(types::I64, level);
                let by = self.i64(u64::from(*step));
                let by = self.b.ins().imul(level, by);
                address = self.b.ins().iadd(address, by);
            }
            self.fill(address, *at, *len);
        }
    }

    /// Bytes made zero.
    pub fn fill(&mut self, address: Value, at: u32, len: u32) {
        self.fill_with(address, (at, len, 0));
    }

    /// Fills bytes with one: a few at once, many in a loop.
    pub fn fill_with(&mut self, address: Value, (at, len, byte): Fill) {
        let word = i64::from_ne_bytes([byte; 8]);
        let mut done = if len > MAX_UNROLLED_BYTES { self.fill_many(address, (at, len / 16 * 16), word) } else { 0 };
        while done < len {
            let (step, ty) = match len - done {
                16.. => (16, types::I128),
                8.. => (8, types::I64),
                4.. => (4, types::I32),
                2.. => (2, types::I16),
                _ => (1, types::I8),
            };
            let value = match ty {
                types::I128 => {
                    let half = self.b.ins().iconst(types::I64, word);
                    self.b.ins().iconcat(half, half)
                }
                types::I64 => self.b.ins().iconst(ty, word),
                ty => self.b.ins().iconst(ty, ((word as u64) >> (64 - ty.bits())) as i64),
            };
            self.store_position(value, address, (at + done) as i32);
            done += step;
        }
    }

    /// Fills so many bytes, a multiple of 16, and returns how many.
    fn fill_many(&mut self, address: Value, (at, len): (u32, u32), word: i64) -> u32 {
        let (head, done) = (self.block(), self.block());
        let to = self.b.append_block_param(head, types::I64);
        let (from, by) = (self.i64(u64::from(at)), self.i64(16));
        let from = self.b.ins().iadd(address, from);
        let all = self.i64(u64::from(len));
        let end = self.b.ins().iadd(from, all);
        self.jump(head, &[from]);
        self.to(head);
        let half = self.b.ins().iconst(types::I64, word);
        let value = self.b.ins().iconcat(half, half);
        self.store_position(value, to, 0);
        let next = self.b.ins().iadd(to, by);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        let again = self.block();
        self.brif(more, again, done);
        self.to(again);
        self.jump(head, &[next]);
        self.to(done);
        len
    }
}
