//! Conditions.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::build::{Build, set_bound};
use super::int::{Bitset, Form, Int};
use super::num::Index;
use super::regions::Region;
use crate::engine::fallback::Fallback;
use crate::engine::grid::{CROSSED, Crossing, UNKNOWN};
use crate::engine::ir::{Cond, NONE, Num, SetE};
use crate::engine::leaf::Leaf;
use crate::engine::report::{EngineNote, LeftOver};
use crate::engine::tree::summary;
use crate::model::{Order, legal_state};

/// Largest tree that is computed whether it is wanted or not.
const SMALL: usize = 10;

impl Build<'_, '_, '_> {
    /// Whether a tree may be computed whether it is wanted or not: small, without loops and calls, and unable to fail.
    pub fn is_small(&self, walk: impl FnOnce(&mut dyn FnMut(Leaf))) -> bool {
        let mut costly = false;
        let s = summary(&self.unit.program.shared, |f| {
            walk(&mut |leaf| {
                costly |=
                    leaf.loops() || matches!(leaf, Leaf::Bind(_) | Leaf::BindSet(_) | Leaf::Risk | Leaf::Inst(..));
                f(leaf);
            });
        });
        s.size <= SMALL && !costly && !s.risky
    }

    /// Whether a condition is so short, without calls and unable to fail, that there may be several copies of it.
    pub fn is_short(&self, c: &Cond) -> bool {
        let mut costly = false;
        let s = summary(&self.unit.program.shared, |f| {
            c.walk(&mut |leaf| {
                costly |= leaf.loops() || matches!(leaf, Leaf::Bind(_) | Leaf::BindSet(_) | Leaf::Inst(..));
                f(leaf);
            });
        });
        s.size <= SMALL && !costly && !s.risky
    }

    /// A truth, 8 bits, 0 or 1.
    pub fn cond(&mut self, c: &Cond) -> Value {
        self.scoped(|b| b.truth(c))
    }

    fn truth(&mut self, c: &Cond) -> Value {
        match c {
            Cond::Const(b) => self.i8(*b),
            Cond::Not(c) => {
                let c = self.cond(c);
                self.flip(c)
            }
            Cond::All(cs) => self.join(cs, true),
            Cond::Any(cs) => self.join(cs, false),
            Cond::Is(n, i) => {
                let n = self.num(n);
                self.is(n, *i)
            }
            Cond::Equal(ab) => {
                let (a, b) = (self.num(&ab.0), self.num(&ab.1));
                if a.form == b.form && a.form != Form::Plain {
                    return self.b.ins().icmp(IntCC::Equal, a.v, b.v);
                }
                self.equal(a, b)
            }
            Cond::Same(ab) => {
                let (a, b) = (self.set(&ab.0), self.set(&ab.1));
                self.same(a, b)
            }
            Cond::Compare(order, ab) => {
                let (a, b) = (self.num(&ab.0), self.num(&ab.1));
                self.compare(*order, a, b)
            }
            Cond::In(n, s, lo) => {
                let n = self.num(n);
                if let Some(found) = self.is_stored_in(n, s, *lo) {
                    return found;
                }
                let s = self.set(s);
                self.is_in(n, s, *lo)
            }
            Cond::Empty(s) => {
                let s = self.set(s);
                self.none_of(s)
            }
            Cond::Truth(Num::Table(table, lin)) if !table.contains(&NONE) => {
                let Index { at, ok, more, .. } = self.padded(lin, table.len());
                let address = self.unit.numbers(table, (0, more));
                let at = self.or_last(at, ok, table.len());
                let entry = self.look_up(address, at, types::I32);
                self.cmp(IntCC::NotEqual, entry, 0)
            }
            Cond::Truth(n) => {
                let n = self.num(n);
                let (zero, none) = (self.is(n, 0), self.is(n, NONE));
                let no = self.b.ins().bor(zero, none);
                self.flip(no)
            }
            Cond::Row(rows, at, lo, count) => {
                let last = self.num(&at.1);
                let (i, ok) = self.lin(&at.0, rows.len());
                let s = self.row(rows, (i, 1), ok);
                if at.0.strict {
                    let (_, within) = self.place(last, i64::from(*lo), u64::from(*count));
                    if let Some(within) = within {
                        let mut out = self.flip(within);
                        if let Some(there) = self.there(last) {
                            out = self.b.ins().band(out, there);
                        }
                        if let Some(ok) = ok {
                            out = self.b.ins().band(out, ok);
                        }
                        self.fail_if(out);
                    }
                }
                self.is_in(last, s, *lo)
            }
            Cond::Some(sc, slot, lo) => self.one(sc, *slot, *lo, true),
            Cond::Every(sc, slot, lo) => {
                let fails = self.one(sc, *slot, *lo, false);
                self.flip(fails)
            }
            Cond::On(at) => {
                let v = self.read(self.base, *at as i32, 1);
                self.cmp(IntCC::NotEqual, v, 0)
            }
            Cond::AnyLegal(some) => match self.any_legal {
                Some(v) => self.cmp(IntCC::Equal, v, legal_state(Some(*some)).into()),
                None => self.i8(false),
            },
            // Only scores ask for the winners, and those are told by the explaining evaluator.
            Cond::Wins(_) => {
                self.fail();
                self.i8(false)
            }
            Cond::Would(after) => self.after(after),
            Cond::Crosses(crossing) => self.crosses(c, crossing),
            Cond::Flow(flow) => self.flow(flow),
        }
    }

    /// Whether a segment crosses a side: looked up; asked of the trees where nothing was found of it yet.
    fn crosses(&mut self, c: &Cond, crossing: &Crossing) -> Value {
        let Some((found, cells, points)) = crossing.found() else {
            let note = EngineNote { what: LeftOver::Expression, at: crossing.line.at, why: Fallback::Line };
            self.unit.notes.push(note);
            return self.cond_by_tree(c);
        };
        let (mut at, mut all) = (self.i64(0), None);
        for (end, count) in crossing.line.ends.iter().zip([cells, points, cells, points]) {
            let end = self.num(end);
            let (place, ok) = self.place(end, 0, count as u64);
            let row = self.times(at, count as u32);
            at = self.b.ins().iadd(row, place);
            all = match ok {
                Some(ok) => Some(self.both(all, ok)),
                None => all,
            };
        }
        // The call below keeps the tree, and with it the table.
        let table = self.i64(found.as_ptr() as usize as u64);
        let address = self.b.ins().iadd(table, at);
        let kept = self.in_region(Region::Kept);
        let known = self.b.ins().load(types::I8, kept, address, 0);
        let mut there = self.cmp(IntCC::NotEqual, known, i64::from(UNKNOWN));
        if let Some(all) = all {
            there = self.b.ins().band(there, all);
        }
        let (asks, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, types::I8);
        let crossed = self.cmp(IntCC::Equal, known, i64::from(CROSSED));
        self.b.set_cold_block(asks);
        self.b.ins().brif(there, done, &[crossed.into()], asks, &[]);
        self.to(asks);
        let asked = self.cond_by_tree(c);
        self.jump(done, &[asked]);
        self.to(done);
        result
    }

    /// Whether two numbers are the same.
    fn equal(&mut self, a: Int, b: Int) -> Value {
        for (a, b) in [(a, b), (b, a)] {
            // The stored form is compared directly: the other number is there, and its stored form is not 0 (nothing).
            if let (Form::Stored(by), Form::Plain) = (a.form, b.form)
                && b.sure
                && !b.maybe
                && b.lo > i64::from(by)
            {
                let by = self.i32(i64::from(by));
                let y = self.b.ins().isub(b.v, by);
                return self.b.ins().icmp(IntCC::Equal, a.v, y);
            }
        }
        let (x, y) = (self.plain(a), self.plain(b));
        self.b.ins().icmp(IntCC::Equal, x, y)
    }

    /// Whether a number is a constant one.
    pub fn is(&mut self, n: Int, i: i32) -> Value {
        match n.form {
            _ if i == NONE && n.sure && !n.maybe => self.i8(false),
            Form::Stored(_) if i == NONE => self.cmp(IntCC::Equal, n.v, 0),
            Form::Stored(by) => {
                let stored = i64::from(i) - i64::from(by);
                if stored <= 0 { self.i8(false) } else { self.cmp(IntCC::Equal, n.v, stored) }
            }
            Form::Plain => self.cmp(IntCC::Equal, n.v, i64::from(i)),
        }
    }

    pub fn compare(&mut self, order: Order, a: Int, b: Int) -> Value {
        let cc = match order {
            Order::Lt => IntCC::SignedLessThan,
            Order::Le => IntCC::SignedLessThanOrEqual,
            Order::Gt => IntCC::SignedGreaterThan,
            Order::Ge => IntCC::SignedGreaterThanOrEqual,
        };
        let (x, y) = (self.bare(a), self.bare(b));
        let mut c = self.b.ins().icmp(cc, x, y);
        for n in [a, b] {
            if let Some(there) = self.there(n) {
                c = self.b.ins().band(c, there);
            }
        }
        c
    }

    pub fn is_in(&mut self, n: Int, s: Bitset, lo: i32) -> Value {
        let count = u64::from(s.top()) + 1;
        let (i, ok) = self.place(n, i64::from(lo), count);
        // Proof: it is one of as many as the set can have bits.
        let found = self.has_within(s, i);
        match ok {
            Some(ok) => self.b.ins().band(ok, found),
            None => found,
        }
    }

    /// Whether a number is in a variable for a set in memory: its byte is looked at alone. `None` for other sets.
    fn is_stored_in(&mut self, n: Int, s: &SetE, lo: i32) -> Option<Value> {
        let (p, index) = match s {
            SetE::Var(p) => (p, None),
            SetE::At(p, i) => (p, Some(i)),
            _ => return None,
        };
        let bound = set_bound(p);
        if !bound.width().in_memory() || self.register(p.at).is_some() {
            return None;
        }
        let index = match index {
            Some(i) => self.num(i),
            None => self.number(0),
        };
        let (address, at, entry) = self.entry(p, index);
        let (bit, ok) = self.place(n, i64::from(lo), u64::from(bound.count()));
        let (address, one) = self.byte_of(address, bit);
        let byte = self.load_position(types::I8, address, at);
        let found = self.b.ins().band(byte, one);
        let mut found = self.cmp(IntCC::NotEqual, found, 0);
        for ok in [entry, ok].into_iter().flatten() {
            found = self.b.ins().band(found, ok);
        }
        Some(found)
    }

    /// Conditions in turn: all of them, or any.
    fn join(&mut self, cs: &[Cond], all: bool) -> Value {
        let mut now: Option<Value> = None;
        let done = self.block();
        let result = self.b.append_block_param(done, types::I8);
        for c in cs {
            let v = match now {
                None => self.cond(c),
                Some(now) if self.is_small(|f| c.walk(f)) => {
                    let v = self.cond(c);
                    if all { self.b.ins().band(now, v) } else { self.b.ins().bor(now, v) }
                }
                Some(now) => {
                    let next = self.block();
                    let settled = [now.into()];
                    if all {
                        self.b.ins().brif(now, next, &[], done, &settled);
                    } else {
                        self.b.ins().brif(now, done, &settled, next, &[]);
                    }
                    self.to(next);
                    self.cond(c)
                }
            };
            now = Some(v);
        }
        let last = now.unwrap_or_else(|| self.i8(all));
        self.jump(done, &[last]);
        self.to(done);
        result
    }

    /// Goes to one of two blocks.
    pub fn branch(&mut self, c: &Cond, yes: Block, no: Block) {
        match c {
            Cond::Not(c) => self.branch(c, no, yes),
            Cond::All(cs) | Cond::Any(cs) => {
                let all = matches!(c, Cond::All(_));
                let mut rest = &cs[..];
                while let Some((first, more)) = rest.split_first() {
                    // What is small is computed together.
                    let n = more.iter().take_while(|c| self.is_small(|f| c.walk(f))).count();
                    let mut v = None;
                    if n > 0 {
                        let mut now = self.cond(first);
                        for c in &more[..n] {
                            let c = self.cond(c);
                            now = if all { self.b.ins().band(now, c) } else { self.b.ins().bor(now, c) };
                        }
                        v = Some(now);
                    }
                    rest = &more[n..];
                    let next = (!rest.is_empty()).then(|| self.block());
                    let (if_so, if_not) = match (all, next) {
                        (true, Some(next)) => (next, no),
                        (false, Some(next)) => (yes, next),
                        _ => (yes, no),
                    };
                    match v {
                        Some(v) => self.brif(v, if_so, if_not),
                        None => self.branch(first, if_so, if_not),
                    }
                    if let Some(next) = next {
                        self.to(next);
                    }
                }
                if cs.is_empty() {
                    self.jump(if all { yes } else { no }, &[]);
                }
            }
            c => {
                let v = self.cond(c);
                self.brif(v, yes, no);
            }
        }
    }

    /// Whether one of a set has a condition hold, or fail.
    fn one(&mut self, sc: &(SetE, Cond), slot: u16, lo: i32, holds: bool) -> Value {
        if let Some(found) = self.one_row_is_empty(sc, slot, lo, holds) {
            return found;
        }
        let set = self.set(&sc.0);
        let done = self.block();
        let found = self.b.append_block_param(done, types::I8);
        self.each(set, lo, |gn, member, _| {
            let c = gn.with_slot(slot, member, |gn| gn.cond(&sc.1));
            let next = gn.block();
            let yes = gn.i8(true);
            if holds {
                gn.b.ins().brif(c, done, &[yes.into()], next, &[]);
            } else {
                gn.b.ins().brif(c, next, &[], done, &[yes.into()]);
            }
            gn.to(next);
        });
        let no = self.i8(false);
        self.jump(done, &[no]);
        self.to(done);
        found
    }
}
