//! Several of a set, chosen one by one, and ordered piles that are shuffled one by one.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::{Build, set_bound};
use super::int::{Bitset, Int};
use super::run::{At, Now, Running};
use super::unit::Job;
use crate::engine::ask::Ask;
use crate::engine::fallback::Fallback;
use crate::engine::ir::Num;
use crate::engine::several::{Several, Shuffle};

impl Build<'_, '_, '_> {
    // -- several of a set --

    /// A number that must be there, 32 bits; below 0 it counts as 0.
    fn needed(&mut self, n: &Num) -> Value {
        let n = self.num(n);
        if let Some(there) = self.there(n) {
            let none = self.flip(there);
            self.fail_if(none);
        }
        let (v, zero) = (self.bare(n), self.i32(0));
        self.b.ins().smax(v, zero)
    }

    /// Those of which one may be chosen next, and whether those chosen are enough; none where nothing is left to
    /// choose. Fails where there are too few.
    pub fn next_of(&mut self, several: &Several) -> (Bitset, Value) {
        let (least, most) = (self.needed(&several.least), self.needed(&several.most));
        let all = self.set(&several.set);
        let first = self.number(0);
        let chosen = self.set_entry(&several.into.place, first);
        let n = self.size(chosen);
        let (zero, none, nobody) = (self.i64(0), self.i32(0), self.const_set(0));
        let after = self.var(types::I64, zero);
        self.each(chosen, 0, |gn, _, bit| {
            let one = gn.i64(1);
            let beyond = gn.b.ins().iadd(bit, one);
            gn.b.def_var(after, beyond);
        });
        let (rest, count) = (self.set_var(all.bound, nobody), self.var(types::I32, none));
        self.each(all, 0, |gn, _, bit| {
            let from = gn.b.use_var(after);
            let later = gn.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, bit, from);
            gn.add_member(rest, bit, Some(later));
            gn.count_if(count, later);
        });
        // One can be chosen only if enough come after it to reach the least number.
        let (one, zero) = (self.i32(1), self.i32(0));
        let needed = self.b.ins().isub(least, n);
        let needed = self.b.ins().isub(needed, one);
        let needed = self.b.ins().smax(needed, zero);
        let rest = self.now(rest);
        let open = self.set_var(all.bound, rest);
        let (fewer, done) = (self.block(), self.block());
        self.brif(needed, fewer, done);
        self.to(fewer);
        let count = self.b.use_var(count);
        let most_open = self.b.ins().isub(count, needed);
        self.become_set(open, nobody);
        let place = self.var(types::I32, none);
        self.each(rest, 0, |gn, _, bit| {
            let now = gn.b.use_var(place);
            let is_open = gn.b.ins().icmp(IntCC::SignedLessThan, now, most_open);
            gn.add_member(open, bit, Some(is_open));
            let yes = gn.i8(true);
            gn.count_if(place, yes);
        });
        self.jump(done, &[]);
        self.to(done);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, n, most);
        let open = self.now(open);
        let open = self.only_if(more, open);
        let mut enough = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, n, least);
        if several.optional {
            let nobody_yet = self.cmp(IntCC::Equal, n, 0);
            enough = self.b.ins().bor(enough, nobody_yet);
        }
        let nothing = self.none_of(open);
        let too_few = self.b.ins().band_not(nothing, enough);
        let fails = self.b.ins().band(too_few, more);
        self.fail_if(fails);
        (open, enough)
    }

    /// Comes to a choice of several: nothing is chosen yet.
    pub fn arrive_several(&mut self, r: &mut Running, at: At, several: &Several) -> Result<(), Fallback> {
        let next = (at.0, at.1.saturating_add(1));
        self.forget(r, &several.into.place);
        let again = self.again(r, at);
        self.jump(again, &[]);
        self.to(again);
        if let Some(play) = r.play {
            let (plays, asks) = (self.block(), self.block());
            self.brif(play.on, plays, asks);
            self.to(plays);
            self.play_several(r, at, several);
            self.to(asks);
        }
        let count = match r.root {
            None => self.count_options(at)?,
            // When looking ahead, nothing is written down.
            Some(_) => {
                let (open, _) = self.next_of(several);
                let none = self.none_of(open);
                self.flip(none)
            }
        };
        self.sure(r);
        let (some, on) = (self.block(), self.goto(r, next));
        self.brif(count, some, on);
        self.to(some);
        self.rest_at(r, at.1);
        Ok(())
    }

    /// Writes down the options of a decision or outcomes of chance; how many groups there are.
    pub fn count_options(&mut self, at: At) -> Result<Value, Fallback> {
        let called = self.unit.call(Job::Site(at.0, at.1), self.b.func).ok_or(Fallback::Form)?;
        let call = self.b.ins().call(called, &[self.base, self.ctx]);
        let count = self.b.inst_results(call)[0];
        self.can_fail = true;
        Ok(count)
    }

    /// A draw among those that may be chosen next, and enough where there are enough.
    fn play_several(&mut self, r: &mut Running, at: At, several: &Several) {
        let next = (at.0, at.1.saturating_add(1));
        let (open, enough) = self.next_of(several);
        self.sure(r);
        let (some, on) = (self.block(), self.goto(r, next));
        let none = self.none_of(open);
        self.brif(none, on, some);
        self.to(some);
        let count = self.size(open);
        let count = self.b.ins().uextend(types::I64, count);
        let pass = self.b.ins().uextend(types::I64, enough);
        let all = self.b.ins().iadd(count, pass);
        let n = self.draw(r, at, all);
        let is_pass = self.b.ins().icmp(IntCC::Equal, n, count);
        let chosen = self.block();
        self.brif(is_pass, on, chosen);
        self.to(chosen);
        let bit = self.nth_bit(open, n);
        let one = self.alone(open.bound, bit);
        self.choose_one(r, several, one);
        let again = self.again(r, at);
        self.jump(again, &[]);
    }

    /// One more is chosen: the value in the context.
    pub fn chosen_several(&mut self, r: &mut Running, at: At, several: &Several, value: Value) {
        let value = Int { sure: false, ..Int::any(value) };
        let bound = set_bound(&several.into.place);
        let (i, ok) = self.place(value, i64::from(several.lo), u64::from(bound.top()) + 1);
        self.need_some(r, ok);
        let one = self.alone(bound, i);
        self.choose_one(r, several, one);
        let again = self.again(r, at);
        self.jump(again, &[]);
    }

    fn choose_one(&mut self, r: &Running, several: &Several, one: Bitset) {
        let first = self.number(0);
        let chosen = self.set_entry(&several.into.place, first);
        let chosen = self.union(chosen, one);
        self.write(r, &several.into, Now::Set(chosen));
    }

    // -- shuffles --

    /// How many items are drawn, 32 bits.
    fn drawn(&mut self, shuffle: &Shuffle) -> Value {
        let first = self.number(0);
        let n = self.scalar(&shuffle.next.place, first);
        let bare = self.bare(n);
        let zero = self.i32(0);
        let bare = self.b.ins().smax(bare, zero);
        match self.there(n) {
            Some(there) => self.b.ins().select(there, bare, zero),
            None => bare,
        }
    }

    /// The items of which one is drawn next; none where the order of all is known.
    pub fn undrawn(&mut self, shuffle: &Shuffle) -> Bitset {
        let index = self.num(&shuffle.pile.index);
        if let Some(there) = self.there(index) {
            let none = self.flip(there);
            self.fail_if(none);
        }
        let drawn = self.drawn(shuffle);
        let open = self.members_from(&shuffle.pile.place, index, drawn);
        let n = self.size(open);
        let several = self.cmp(IntCC::UnsignedGreaterThan, n, 1);
        self.only_if(several, open)
    }

    /// Comes to a shuffle: nothing is drawn yet.
    pub fn arrive_shuffle(&mut self, r: &mut Running, at: At, shuffle: &Shuffle) {
        let next = (at.0, at.1.saturating_add(1));
        self.forget(r, &shuffle.next.place);
        let again = self.again(r, at);
        self.jump(again, &[]);
        self.to(again);
        let open = self.undrawn(shuffle);
        self.sure(r);
        let (some, on) = (self.block(), self.goto(r, next));
        let none = self.none_of(open);
        self.brif(none, on, some);
        self.to(some);
        if let Some(play) = r.play {
            let (plays, asks) = (self.block(), self.block());
            self.brif(play.on, plays, asks);
            self.to(plays);
            let count = self.size(open);
            let count = self.b.ins().uextend(types::I64, count);
            let n = self.draw(r, at, count);
            let bit = self.nth_bit(open, n);
            let item = self.b.ins().ireduce(types::I32, bit);
            self.draw_item(r, at, shuffle, item);
            self.to(asks);
        }
        self.rest_at(r, at.1);
    }

    /// An item is drawn as the next of a pile: the others keep their order.
    pub fn draw_item(&mut self, r: &mut Running, at: At, shuffle: &Shuffle, item: Value) {
        let index = self.index(r, &shuffle.pile.index);
        self.sure(r);
        let drawn = self.drawn(shuffle);
        let n = self.bring_down(r, &shuffle.pile.place, index, (item, drawn));
        let two = self.i32(2);
        let beyond = self.b.ins().iadd(drawn, two);
        let left = self.b.ins().icmp(IntCC::UnsignedLessThan, beyond, n);
        let (more, done) = (self.block(), self.block());
        self.brif(left, more, done);
        self.to(more);
        let one = self.i32(1);
        let drawn = self.b.ins().iadd(drawn, one);
        self.write(r, &shuffle.next, Now::Num(Int { maybe: false, sure: false, ..Int::any(drawn) }));
        let again = self.again(r, at);
        self.jump(again, &[]);
        self.to(done);
        self.forget(r, &shuffle.next.place);
        self.go(r, (at.0, at.1.saturating_add(1)));
    }

    // -- at decision points --

    /// Writes down what may be chosen next, of several or by a shuffle.
    pub fn list_next(&mut self, ask: &Ask) {
        let (open, enough, lo) = match ask {
            Ask::Several(several) => {
                let (open, enough) = self.next_of(several);
                (open, Some(enough), several.lo)
            }
            Ask::Shuffle(shuffle) => (self.undrawn(shuffle), None, 0),
            _ => return self.fail(),
        };
        self.list_values(open, lo);
        let Some(enough) = enough else {
            return;
        };
        let none = self.none_of(open);
        let passes = self.b.ins().band_not(enough, none);
        self.list_pass(passes);
    }
}
