//! Forms that numbers, truth values and sets share: choices between trees, bindings, trees used in several places.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

use super::SCRATCH;
use super::build::{Build, set_bound};
use super::int::{Bitset, Bound, Form, Int, Width};
use super::unit::Job;
use crate::engine::bits::Narrow;
use crate::engine::ir::{After, Bind, Cond, Flow, NONE, Num, Rule, SetE, Shared};
use crate::engine::leaf::Leaf;
use crate::engine::program::Program;
use crate::engine::tree::{Part, of};

/// Largest shared tree that is put in place rather than called.
const INLINE: usize = 40;

/// Whether a tree is short even where each shared one is put in place in it.
fn is_short<T: Part>(shared: &Shared, t: &T) -> bool {
    fn note(leaf: Leaf, size: &mut usize, open: &mut Vec<(u8, u32)>) {
        match leaf {
            Leaf::Node => *size += 1,
            Leaf::Inst(kind, i) => open.push((kind, i)),
            _ => {}
        }
    }
    let (mut size, mut open) = (0, Vec::new());
    t.visit(&mut |leaf| note(leaf, &mut size, &mut open));
    while let Some((kind, i)) = open.pop() {
        shared.walk((kind, i as usize), &mut |leaf| note(leaf, &mut size, &mut open));
        if size.max(open.len()) > 4 * INLINE {
            return false;
        }
    }
    true
}

/// A kind of tree, as it is built.
pub(super) trait Kind: Part {
    type Val: Copy;
    const KIND: u8;
    fn build(b: &mut Build, t: &Self) -> Self::Val;
    /// What a value that may come from several trees can be.
    fn bound(_: &Build, _: &Self) -> Bound {
        Bound::NONE
    }
    fn ty(bound: Bound) -> Type;
    fn raw(b: &mut Build, val: Self::Val, bound: Bound) -> Value;
    fn merged(v: Value, bound: Bound, of: &[Self::Val]) -> Self::Val;
    fn nothing(b: &mut Build) -> Self::Val;
    /// Whether two values, as `raw` gives them, differ.
    fn differ(b: &mut Build, x: Value, y: Value, _: Bound) -> Value {
        b.b.ins().icmp(IntCC::NotEqual, x, y)
    }
    /// What a call gave, held as `width` says.
    fn returned(b: &mut Build, v: Value, width: Width, bound: Bound) -> Self::Val;
}

impl Kind for Num {
    type Val = Int;
    const KIND: u8 = 0;
    fn build(b: &mut Build, t: &Num) -> Int {
        b.num(t)
    }
    fn ty(_: Bound) -> Type {
        types::I32
    }
    fn raw(b: &mut Build, val: Int, _: Bound) -> Value {
        b.plain(val)
    }
    fn merged(v: Value, _: Bound, of: &[Int]) -> Int {
        // What is nothing for certain has no bounds.
        let nothing = |n: &&Int| n.maybe && n.hi == i64::from(NONE);
        let (lo, hi) =
            of.iter().filter(|n| !nothing(n)).fold((i64::MAX, i64::MIN), |(lo, hi), n| (n.lo.min(lo), n.hi.max(hi)));
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (i64::from(NONE), i64::from(NONE)) };
        // Proof: it is one of these.
        Int { v, form: Form::Plain, lo, hi, maybe: of.iter().any(|n| n.maybe), sure: of.iter().all(|n| n.sure) }
    }
    fn nothing(b: &mut Build) -> Int {
        b.number(NONE)
    }
    fn returned(_: &mut Build, v: Value, _: Width, _: Bound) -> Int {
        Int::any(v)
    }
}

impl Kind for Cond {
    type Val = Value;
    const KIND: u8 = 1;
    fn build(b: &mut Build, t: &Cond) -> Value {
        b.cond(t)
    }
    fn ty(_: Bound) -> Type {
        types::I8
    }
    fn raw(_: &mut Build, val: Value, _: Bound) -> Value {
        val
    }
    fn merged(v: Value, _: Bound, _: &[Value]) -> Value {
        v
    }
    fn nothing(b: &mut Build) -> Value {
        b.i8(false)
    }
    fn returned(_: &mut Build, v: Value, _: Width, _: Bound) -> Value {
        v
    }
}

impl Kind for SetE {
    type Val = Bitset;
    const KIND: u8 = 2;
    fn build(b: &mut Build, t: &SetE) -> Bitset {
        b.set(t)
    }
    fn bound(b: &Build, t: &SetE) -> Bound {
        b.bound_of(t)
    }
    fn ty(bound: Bound) -> Type {
        Build::set_type(bound.width())
    }
    fn raw(b: &mut Build, val: Bitset, bound: Bound) -> Value {
        let val = b.within(val, bound);
        b.fit(val, bound.width())
    }
    fn merged(v: Value, bound: Bound, _: &[Bitset]) -> Bitset {
        Bitset { v, width: bound.width(), bound }
    }
    fn differ(b: &mut Build, x: Value, y: Value, bound: Bound) -> Value {
        let width = bound.width();
        if !width.in_memory() {
            return b.b.ins().icmp(IntCC::NotEqual, x, y);
        }
        let same = b.same(Bitset { v: x, width, bound }, Bitset { v: y, width, bound });
        b.flip(same)
    }
    fn nothing(b: &mut Build) -> Bitset {
        b.const_set(0)
    }
    fn returned(b: &mut Build, v: Value, width: Width, bound: Bound) -> Bitset {
        b.within(Bitset { v, width, bound: Bound::all(width) }, bound)
    }
}

impl Build<'_, '_, '_> {
    /// The bits that a set can have.
    pub fn bound_of(&self, s: &SetE) -> Bound {
        bound_with(self.unit.program, &self.sets, s, &mut HashMap::new())
    }

    pub fn flow<T: Kind>(&mut self, flow: &Flow<T>) -> T::Val {
        match flow {
            Flow::If(c, a, b) => self.either(c, a, b),
            Flow::Pick(rules, general) => self.pick(rules, general.as_ref()),
            Flow::Let(binds, body) => self.bound_in(binds, body),
            Flow::ByValue(n, arms, otherwise) => self.by_value(n, arms, otherwise),
            Flow::Inst(i) => self.shared::<T>(*i),
        }
    }

    fn either<T: Kind>(&mut self, c: &Cond, a: &T, b: &T) -> T::Val {
        let bound = T::bound(self, a).or(T::bound(self, b));
        if self.is_small(|f| a.visit(f)) && self.is_small(|f| b.visit(f)) {
            let c = self.cond(c);
            let (x, y) = (T::build(self, a), T::build(self, b));
            let (v, w) = (T::raw(self, x, bound), T::raw(self, y, bound));
            return T::merged(self.b.ins().select(c, v, w), bound, &[x, y]);
        }
        let (yes, no, done) = (self.block(), self.block(), self.block());
        let result = self.b.append_block_param(done, T::ty(bound));
        self.branch(c, yes, no);
        let mut vals = Vec::new();
        for (block, t) in [(yes, a), (no, b)] {
            self.to(block);
            let val = T::build(self, t);
            let v = T::raw(self, val, bound);
            self.jump(done, &[v]);
            vals.push(val);
        }
        self.to(done);
        T::merged(result, bound, &vals)
    }

    /// The value of the one rule that applies and is not beaten.
    fn pick<T: Kind>(&mut self, rules: &[Rule<T>], general: Option<&T>) -> T::Val {
        let trees = || rules.iter().map(|r| &r.value).chain(general);
        let bound = trees().fold(Bound::NONE, |all, t| all.or(T::bound(self, t)));
        let mut applies = Vec::new();
        for rule in rules {
            applies.push(self.cond(&rule.cond));
        }
        let no = self.i8(false);
        let applying = applies.iter().fold(no, |all, a| self.b.ins().bor(all, *a));
        let first = T::nothing(self);
        let raw = T::raw(self, first, bound);
        let value = self.var(T::ty(bound), raw);
        let found = self.var(types::I8, no);
        let mut vals = vec![first];
        for (i, rule) in rules.iter().enumerate() {
            let mut counts = applies[i];
            for beats in rule.beaten.iter().filter_map(|by| applies.get(*by as usize)) {
                let stands = self.flip(*beats);
                counts = self.b.ins().band(counts, stands);
            }
            let (yes, next) = (self.block(), self.block());
            self.brif(counts, yes, next);
            self.to(yes);
            let val = T::build(self, &rule.value);
            let v = T::raw(self, val, bound);
            let before = self.b.use_var(found);
            let now = self.b.use_var(value);
            let differ = T::differ(self, now, v, bound);
            let clash = self.b.ins().band(before, differ);
            if i > 0 {
                self.fail_if(clash);
            }
            self.b.def_var(value, v);
            let one = self.i8(true);
            self.b.def_var(found, one);
            self.jump(next, &[]);
            self.to(next);
            vals.push(val);
        }
        let (otherwise, check, done) = (self.block(), self.block(), self.block());
        self.brif(applying, check, otherwise);
        self.to(otherwise);
        match general {
            Some(g) => {
                let val = T::build(self, g);
                let v = T::raw(self, val, bound);
                self.b.def_var(value, v);
                vals.push(val);
            }
            None => self.fail(),
        }
        self.jump(done, &[]);
        self.to(check);
        let settled = settles(rules);
        if !settled {
            // Rules that all beat one another.
            let some = self.b.use_var(found);
            let none = self.flip(some);
            self.fail_if(none);
        }
        self.jump(done, &[]);
        self.to(done);
        // Proof: of rules that apply one is beaten by none, unless they beat one another in a circle; where none
        // applies there is the general value. Else what is given where nothing is found, which fails, is one of the
        // values.
        let vals = if settled && general.is_some() { &vals[1..] } else { &vals[..] };
        T::merged(self.b.use_var(value), bound, vals)
    }

    /// Binds values; whether all that must be there are, if that is not certain.
    pub fn bind(&mut self, binds: &[Bind]) -> Option<Value> {
        enum Now {
            Num(u16, Int),
            Set(u16, Bitset),
        }
        let mut all_there: Option<Value> = None;
        let mut now = Vec::new();
        for bind in binds {
            match bind {
                Bind::Num(s, n, strict) => {
                    let mut n = self.num(n);
                    if *strict && let Some(there) = self.there(n) {
                        all_there = Some(self.both(all_there, there));
                        // A small body is computed also where it is nothing: no proof.
                        (n.maybe, n.sure) = (false, false);
                    }
                    now.push(Now::Num(*s, n));
                }
                Bind::Set(s, e) => now.push(Now::Set(*s, self.set(e))),
            }
        }
        for n in now {
            match n {
                Now::Num(s, n) => {
                    self.slots.insert(s, n);
                }
                Now::Set(s, e) => {
                    self.sets.insert(s, e);
                }
            }
        }
        all_there
    }

    /// A tree with values bound first; nothing where one that must be there is nothing.
    fn bound_in<T: Kind>(&mut self, binds: &[Bind], body: &T) -> T::Val {
        let Some(there) = self.bind(binds) else {
            return T::build(self, body);
        };
        let bound = T::bound(self, body);
        let nothing = T::nothing(self);
        let none = T::raw(self, nothing, bound);
        if self.is_small(|f| body.visit(f)) {
            let val = T::build(self, body);
            let v = T::raw(self, val, bound);
            return T::merged(self.b.ins().select(there, v, none), bound, &[val, nothing]);
        }
        let (yes, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, T::ty(bound));
        self.b.ins().brif(there, yes, &[], done, &[none.into()]);
        self.to(yes);
        let val = T::build(self, body);
        let v = T::raw(self, val, bound);
        self.jump(done, &[v]);
        self.to(done);
        T::merged(result, bound, &[val, nothing])
    }

    /// What is so once an action's effect has been.
    pub fn after<T: Kind>(&mut self, after: &After<T>) -> T::Val {
        let mut args = vec![self.base, self.ctx];
        for arg in &after.args {
            let arg = self.num(arg);
            args.push(self.plain(arg));
        }
        let Some(called) = self.unit.call(Job::Effect(after.code), self.b.func) else {
            self.fail();
            return T::nothing(self);
        };
        let call = self.b.ins().call(called, &args);
        let left = self.b.inst_results(call)[0];
        let left = self.cmp(IntCC::NotEqual, left, 0);
        self.fail_if(left);
        let copy = self.load_context(types::I64, SCRATCH);
        let (base, still) = (self.base, self.still);
        (self.base, self.still) = (copy, false);
        let val = T::build(self, &after.of);
        (self.base, self.still) = (base, still);
        val
    }

    /// A tree used in several places: put here, or called.
    fn shared<T: Kind>(&mut self, i: u32) -> T::Val {
        let program = self.unit.program;
        let Some(t) = T::shared(&program.shared, i) else {
            self.fail();
            return T::nothing(self);
        };
        let s = of(&program.shared, t);
        if s.size <= INLINE && is_short(&program.shared, t) {
            return T::build(self, t);
        }
        let mut given = Vec::new();
        for slot in &s.slots {
            given.push(match self.slots.get(slot) {
                Some(n) => *n,
                None => self.number(NONE),
            });
        }
        let job = self.unit.shared(T::KIND, i, &given);
        let Some(called) = self.unit.call(job, self.b.func) else {
            self.fail();
            return T::nothing(self);
        };
        let mut args = vec![self.base, self.ctx];
        args.extend(given.into_iter().map(|n| self.plain(n)));
        for slot in &s.sets {
            let set = match self.sets.get(slot) {
                Some(s) => *s,
                None => self.const_set(0),
            };
            let bound = bound_of_slot(program, *slot);
            let set = self.within(set, bound);
            match bound.width() {
                Width::Parts(parts) => args.push(self.fit(set, Width::Parts(parts))),
                _ => {
                    let v = self.fit(set, Width::Pair);
                    let (low, high) = self.b.ins().isplit(v);
                    args.extend([low, high]);
                }
            }
        }
        // One in memory is put where the caller says.
        let width = if T::KIND == 2 { self.unit.bound_of_shared(i).width() } else { Width::Word };
        if let Width::Parts(parts) = width {
            args.push(self.zeros(parts));
        }
        let call = self.b.ins().call(called, &args);
        let results = self.b.inst_results(call).to_vec();
        if s.risky || self.unit.counted {
            self.can_fail = true;
        }
        let bound = T::bound(self, t);
        match (&results[..], width, args.last()) {
            ([], Width::Parts(_), Some(v)) => T::returned(self, *v, width, bound),
            ([low, high], ..) if bound.width() != Width::Word => {
                let v = self.b.ins().iconcat(*low, *high);
                T::returned(self, v, Width::Pair, bound)
            }
            ([v, ..], ..) => T::returned(self, *v, Width::Word, bound),
            _ => T::nothing(self),
        }
    }
}

/// The bits that a set can have that a slot is bound to, whoever binds it.
pub(super) fn bound_of_slot(program: &Program, slot: u16) -> Bound {
    match program.set_spans.get(usize::from(slot)) {
        Some(n) if *n > Narrow::BITS => Bound::below(u64::from(*n)),
        _ => Bound::all(Width::Pair),
    }
}

/// The bits that a set can have, where those of some slots and of some shared trees are known.
pub(super) fn bound_with(
    program: &Program,
    slots: &HashMap<u16, Bitset>,
    s: &SetE,
    known: &mut HashMap<u32, Bound>,
) -> Bound {
    let mut bound_of = |s: &SetE| bound_with(program, slots, s, known);
    match s {
        SetE::Const(bits) => Bound::of([bits]),
        SetE::Slot(s) => slots.get(s).map_or_else(|| bound_of_slot(program, *s), |s| s.bound),
        SetE::Var(p) | SetE::At(p, _) => set_bound(p),
        SetE::List(p, _) => Bound::below(p.span),
        SetE::Passed(line) => Bound::below(line.lattice.len() as u64),
        SetE::Steps(steps, _) => Bound::below(steps.n as u64),
        SetE::Table(rows, _) | SetE::Reach(rows, ..) => Bound::of(rows.iter()),
        SetE::Union(ab) => bound_of(&ab.0).or(bound_of(&ab.1)),
        SetE::Both(ab) => bound_of(&ab.0).and(bound_of(&ab.1)),
        SetE::Minus(ab) => bound_of(&ab.0),
        SetE::Of(_, _, n, _) | SetE::Map(_, _, n) => Bound::below((*n).max(1) as u64),
        SetE::Joined(joined) => bound_of(&joined.of),
        SetE::Filter(f) => bound_of(&f.set),
        SetE::Change(s, also, _) => also.iter().fold(bound_of(s), |all, (_, e)| all.or(bound_of(e))),
        SetE::Flow(flow) => match &**flow {
            Flow::If(_, a, b) => bound_of(a).or(bound_of(b)),
            Flow::Pick(rules, general) => {
                rules.iter().map(|r| &r.value).chain(general).fold(Bound::NONE, |all, s| all.or(bound_of(s)))
            }
            Flow::Let(_, body) => bound_of(body),
            Flow::ByValue(_, arms, otherwise) => {
                arms.iter().map(|(_, s)| s).chain([otherwise]).fold(Bound::NONE, |all, s| all.or(bound_of(s)))
            }
            Flow::Inst(i) => {
                if let Some(bound) = known.get(i) {
                    return *bound;
                }
                let shared = program.shared.sets.get(*i as usize);
                let bound = shared.map_or(Bound::all(Width::Pair), |s| bound_with(program, slots, s, known));
                known.insert(*i, bound);
                bound
            }
        },
    }
}

/// Whether of any rules that apply one is beaten by none of them: they do not beat one another in a circle.
fn settles<T>(rules: &[Rule<T>]) -> bool {
    let mut left = vec![true; rules.len()];
    let free = |left: &[bool], i: usize, r: &Rule<T>| {
        left[i] && !r.beaten.iter().any(|by| left.get(*by as usize) == Some(&true))
    };
    // Those that nothing left beats are taken out, until there are no more.
    while let Some(i) = rules.iter().enumerate().position(|(i, r)| free(&left, i, r)) {
        left[i] = false;
    }
    !left.contains(&true)
}
