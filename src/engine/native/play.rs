//! Playing on at random without returning at each decision point: every option and outcome is equally likely, with
//! random words that are handed in.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::Build;
use super::int::{Bitset, Form, Int, Width};
use super::regions::Region;
use super::run::{Now, Running};
use super::{DECISIONS, MAX_PLIES_OFFSET, TOTAL};
use crate::engine::ask::Ask;
use crate::engine::fallback::Fallback;
use crate::engine::ir::{Num, Over};
use crate::engine::legal::Act;
use crate::engine::program::{How, Op};
use crate::model::Answer;

impl Build<'_, '_, '_> {
    /// Draws a number below `n` (64 bits, at least 1); returns if there are no more words, or enough plies. Counts a
    /// ply.
    pub fn draw(&mut self, r: &Running, at: (usize, u16), n: Value) -> Value {
        let Some(play) = r.play else {
            return n;
        };
        let (rest, only, several) = (self.block(), self.block(), self.block());
        let (head, word, check, done) = (self.block(), self.block(), self.block(), self.block());
        let result = self.b.append_block_param(done, types::I64);
        let plies = self.b.use_var(play.plies);
        let single = self.cmp(IntCC::UnsignedLessThan, n, 2);
        self.brif(single, only, several);
        self.to(only);
        let most = self.load_context(types::I64, MAX_PLIES_OFFSET);
        let enough = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, plies, most);
        let zero = self.i64(0);
        self.b.ins().brif(enough, rest, &[], done, &[zero.into()]);
        self.to(several);
        let is_chance = matches!(self.unit.program.op(at), Some(Op::Chance { .. }));
        let most = if is_chance { MAX_PLIES_OFFSET } else { DECISIONS };
        let most = self.load_context(types::I64, most);
        let enough = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, plies, most);
        self.brif(enough, rest, head);
        self.to(head);
        let next = self.b.use_var(play.next);
        let out = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, next, play.end);
        self.brif(out, rest, word);
        self.to(word);
        let words = self.in_region(Region::Words);
        let x = self.b.ins().load(types::I64, words, next, 0);
        let eight = self.i64(8);
        let after = self.b.ins().iadd(next, eight);
        self.b.def_var(play.next, after);
        let low = self.b.ins().imul(x, n);
        let high = self.b.ins().umulhi(x, n);
        let near = self.b.ins().icmp(IntCC::UnsignedLessThan, low, n);
        self.b.set_cold_block(check);
        self.b.ins().brif(near, check, &[], done, &[high.into()]);
        self.to(check);
        let minus = self.b.ins().ineg(n);
        let skip = self.b.ins().urem(minus, n);
        let again = self.b.ins().icmp(IntCC::UnsignedLessThan, low, skip);
        self.b.ins().brif(again, head, &[], done, &[high.into()]);
        self.to(rest);
        self.rest_at(r, at.1);
        self.to(done);
        let plies = self.b.use_var(play.plies);
        let one = self.i64(1);
        let plies = self.b.ins().iadd(plies, one);
        self.b.def_var(play.plies, plies);
        self.rested(r);
        result
    }

    /// The n-th bit of a set, 64 bits.
    pub fn nth_bit(&mut self, s: Bitset, n: Value) -> Value {
        let called = self.unit.select(self.b.func);
        match s.width {
            Width::Word => {
                let call = self.b.ins().call(called, &[s.v, n]);
                return self.b.inst_results(call)[0];
            }
            Width::Parts(_) => {
                let (word, at, n) = self.nth_word(s, n);
                let call = self.b.ins().call(called, &[word, n]);
                let bit = self.b.inst_results(call)[0];
                return self.bit_of(at, bit);
            }
            Width::Pair => {}
        }
        let (low, high) = self.b.ins().isplit(s.v);
        let count = self.b.ins().popcnt(low);
        let in_low = self.b.ins().icmp(IntCC::UnsignedLessThan, n, count);
        let more = self.b.ins().isub(n, count);
        let word = self.b.ins().select(in_low, low, high);
        let n = self.b.ins().select(in_low, n, more);
        let call = self.b.ins().call(called, &[word, n]);
        let bit = self.b.inst_results(call)[0];
        let by = self.i64(64);
        let beyond = self.b.ins().iadd(bit, by);
        self.b.ins().select(in_low, bit, beyond)
    }

    /// A draw among the actions that are written down.
    pub fn play_act(&mut self, r: &mut Running, at: (usize, u16)) -> Result<(), Fallback> {
        if !self.obliged(at).is_empty() {
            return self.play_kept(r, at);
        }
        self.play_listed(r, at);
        Ok(())
    }

    /// A draw among all that are written down.
    pub fn play_listed(&mut self, r: &mut Running, at: (usize, u16)) {
        let total = self.load_context(types::I64, TOTAL);
        let n = self.draw(r, at, total);
        let called = self.unit.pick(self.b.func);
        self.b.ins().call(called, &[self.ctx, n]);
        let choice = self.choice(r, at);
        self.jump(choice, &[]);
    }

    /// A draw among the values of an action's only parameter.
    pub fn play_one(
        &mut self,
        r: &mut Running,
        at: (usize, u16),
        ask: &Ask,
        (act, open, lo): (&Act, Bitset, i32),
        how: How,
    ) -> Result<(), Fallback> {
        self.sure(r);
        if !how.anyway {
            let (some, none) = (self.block(), self.block());
            let empty = self.none_of(open);
            self.brif(empty, none, some);
            self.to(none);
            self.none_legal(r, at, ask, how);
            self.to(some);
        }
        self.look_before_choice(r, at, how, |gn| {
            let none = gn.none_of(open);
            gn.flip(none)
        });
        let count = self.size(open);
        let count = self.b.ins().uextend(types::I64, count);
        let n = self.with_pass(r, at, count, how);
        let bit = self.nth_bit(open, n);
        let member = self.member(bit, &open, lo);
        self.begin_action(r, act, &[Now::Num(member)], how.after(Answer::Chosen, at))
    }

    /// Draws among the options, or one more if doing nothing is allowed, which continues elsewhere.
    fn with_pass(&mut self, r: &mut Running, at: (usize, u16), count: Value, how: How) -> Value {
        if !how.optional {
            return self.draw(r, at, count);
        }
        let one = self.i64(1);
        let all = self.b.ins().iadd(count, one);
        let n = self.draw(r, at, all);
        let is_pass = self.b.ins().icmp(IntCC::Equal, n, count);
        let (to, on) = (self.goto(r, how.after(Answer::Pass, at)), self.block());
        self.brif(is_pass, to, on);
        self.to(on);
        n
    }

    /// A draw among values.
    pub fn play_value(&mut self, r: &mut Running, at: (usize, u16), ask: &Ask, how: How) -> Result<(), Fallback> {
        let (next, passed) = (how.after(Answer::Chosen, at), how.after(Answer::Pass, at));
        let (into, count, found) = match ask {
            Ask::One { set, lo, into } => {
                let set = self.set(set);
                self.sure(r);
                let n = self.size(set);
                (into, self.b.ins().uextend(types::I64, n), Some((set, *lo)))
            }
            Ask::Draw { over, into } => {
                let total = self.num(&Num::Sum(Box::new(over.clone())));
                self.sure(r);
                let n = self.bare(total);
                (into, self.b.ins().uextend(types::I64, n), None)
            }
            Ask::Number { lo, hi, into } => {
                let (lo, hi) = (self.num(lo), self.num(hi));
                let n = self.how_many(lo, hi);
                self.sure(r);
                let least = self.i64(0);
                (into, self.b.ins().smax(n, least), None)
            }
            Ask::Yes { into } => {
                let two = self.i64(2);
                let n = self.draw(r, at, two);
                let yes = self.cmp(IntCC::Equal, n, 0);
                let v = self.b.ins().uextend(types::I32, yes);
                // Proof: a truth is 0 or 1.
                self.write(r, into, Now::Num(Int::plain(v, 0, 1)));
                self.go(r, next);
                return Ok(());
            }
            _ => {
                let no = self.i8(false);
                self.need(r, no);
                self.go(r, next);
                return Ok(());
            }
        };
        let (some, none) = (self.block(), self.block());
        let any = if how.anyway { self.i8(true) } else { self.cmp(IntCC::NotEqual, count, 0) };
        self.brif(any, some, none);
        self.to(none);
        let pass = self.block();
        if how.optional {
            self.jump(pass, &[]);
        } else {
            let no = self.i8(false);
            self.need(r, no);
            self.jump(pass, &[]);
        }
        self.to(pass);
        self.forget(r, &into.place);
        self.go(r, passed);
        self.to(some);
        let n = if how.optional {
            let one = self.i64(1);
            let all = self.b.ins().iadd(count, one);
            let n = self.draw(r, at, all);
            let is_pass = self.b.ins().icmp(IntCC::Equal, n, count);
            let on = self.block();
            self.brif(is_pass, pass, on);
            self.to(on);
            n
        } else {
            self.draw(r, at, count)
        };
        let value = match (found, ask) {
            (Some((set, lo)), _) => {
                let bit = self.nth_bit(set, n);
                self.member(bit, &set, lo)
            }
            (None, Ask::Draw { over, .. }) => self.copy_at(over, n),
            (None, Ask::Number { lo, .. }) => {
                let lo = self.num(lo);
                let first = self.bare(lo);
                let by = self.b.ins().ireduce(types::I32, n);
                let v = self.b.ins().iadd(first, by);
                Int { v, form: Form::Plain, hi: i64::from(i32::MAX), maybe: false, sure: false, ..lo }
            }
            _ => return Err(Fallback::Form),
        };
        self.write(r, into, Now::Num(value));
        self.go(r, next);
        Ok(())
    }

    /// The value whose copy has a place among all copies.
    fn copy_at(&mut self, over: &Over, n: Value) -> Int {
        let none = self.i32(0);
        let (found, left) = (self.var(types::I32, none), self.var(types::I64, n));
        let set = self.set(&over.set);
        self.each(set, over.lo, |gn, member, _| {
            let copies = gn.with_slot(over.slot, member, |gn| gn.num(&over.term));
            let copies = gn.bare(copies);
            let copies = gn.b.ins().uextend(types::I64, copies);
            let (value, now, before) = (gn.bare(member), gn.b.use_var(found), gn.b.use_var(left));
            let after = gn.b.ins().isub(before, copies);
            // The copy is among those by which the count comes below zero.
            let open = gn.cmp(IntCC::SignedGreaterThanOrEqual, before, 0);
            let past = gn.cmp(IntCC::SignedLessThan, after, 0);
            let here = gn.b.ins().band(open, past);
            let now = gn.b.ins().select(here, value, now);
            gn.b.def_var(found, now);
            gn.b.def_var(left, after);
        });
        let v = self.b.use_var(found);
        Int { sure: false, ..Int::any(v) }
    }
}
