//! Inlined codes: codes in which nothing is asked stand in place of their calls, without a frame, and their variables
//! are values of the machine code.

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, types};
use cranelift_frontend::Variable;

use super::before::Before;
use super::build::{Build, set_bound};
use super::inlining::InlinePlan;
use super::int::{Bitset, Form, Int};
use super::run::{At, Now, Running};
use crate::engine::fallback::Fallback;
use crate::engine::ir::NONE;
use crate::engine::leaf::Leaf;
use crate::engine::place::Place;
use crate::engine::program::{CodeX, Holds, Op, Program, Store, Val};

/// A variable of a light code that nobody else reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub place: Place,
    holds: Holds,
    /// Whether it is given a value before anybody can ask for it.
    given: bool,
}

/// A variable as a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    pub local: Local,
    var: Variable,
}

/// The light codes of a game with their variables; nothing for the others.
#[derive(Debug)]
pub(super) struct InlinedCodes {
    locals: Vec<Option<Vec<Local>>>,
    pub inline_plan: InlinePlan,
}

/// One place where a light code runs.
#[derive(Debug, Default)]
pub(super) struct Instance {
    /// Where it goes on: in which instance, at which instruction. `None` if its end is the end of everything.
    back: Option<(usize, At)>,
    /// By first byte.
    registers: BTreeMap<u32, Register>,
    /// What entries certainly hold when it begins.
    pub before: Vec<Before>,
}

impl InlinedCodes {
    pub fn new(program: &Program) -> InlinedCodes {
        let inline_plan = InlinePlan::new(program);
        let mut reads: Vec<(Option<usize>, u32, u32)> = Vec::new();
        program.walk(&mut |code, leaf| match leaf {
            Leaf::Reads(at, len) => reads.push((code, at, len)),
            Leaf::Byte(at, ..) => reads.push((code, at, 1)),
            _ => {}
        });
        reads.sort_unstable();
        reads.dedup();
        let locals = |(i, c): (usize, &CodeX)| inline_plan.inlined[i].then(|| locals(program, i, c, &reads));
        InlinedCodes { locals: program.codes.iter().enumerate().map(locals).collect(), inline_plan }
    }

    /// The variables of a code, if it is light.
    pub fn of(&self, code: usize) -> Option<&[Local]> {
        self.locals.get(code)?.as_deref()
    }
}

fn overlap(at: u32, len: u32, from: u32, n: u32) -> bool {
    at < from + n && from < at + len
}

/// The variables of a code that only its own instructions read.
fn locals(program: &Program, code: usize, c: &CodeX, reads: &[(Option<usize>, u32, u32)]) -> Vec<Local> {
    let mut all: Vec<Local> = Vec::new();
    let mut kept: Vec<(u32, u32)> = Vec::new();
    let mut add = |store: &Store, given: bool| {
        let (p, len) = (store.place, store.place.width * store.place.count);
        let own = c.clear.iter().any(|(at, n, _)| *at <= p.at && p.at + len <= at + n);
        // Sets of more bytes are in memory.
        let plain = p.count == 1 && p.level == 0 && p.width <= 16;
        let held = matches!(store.holds, Holds::Scalar | Holds::Set(_));
        match all.iter_mut().find(|l| l.place.at == p.at && l.place.width == p.width) {
            Some(known) => known.given &= given,
            None if own && plain && held => all.push(Local { place: p, holds: store.holds, given }),
            None if own => kept.push((p.at, len)),
            None => {}
        }
    };
    for param in &c.params {
        add(param, true);
    }
    for (store, _) in &c.inits {
        add(store, false);
    }
    let mut piles = Vec::new();
    for op in &c.ops {
        match op {
            Op::Set(store, _) => add(store, false),
            Op::Change(change) if change.needs_memory() => piles.extend(change.stores().iter().map(|s| s.place)),
            Op::Change(change) => change.stores().into_iter().for_each(|store| add(store, false)),
            Op::Call(_, args) => {
                let copied = args.iter().filter_map(|a| if let Val::Bag(store) = a { Some(store.place) } else { None });
                piles.extend(copied);
            }
            Op::Next { set, into, .. } => {
                add(set, false);
                add(into, true);
            }
            Op::Reset(_, inits) => inits.iter().for_each(|(store, _)| add(store, false)),
            Op::Forget(places) => piles.extend(places.iter().copied()),
            _ => {}
        }
    }
    kept.extend(piles.iter().map(|p| (p.at, p.width * p.count)));
    // Elsewhere it has no variables.
    let near = |at: u32, len: u32| c.clear.iter().any(|(from, n, _)| overlap(at, len, *from, *n));
    let reads = reads.iter().filter(|(_, at, len)| near(*at, *len));
    kept.extend(reads.filter(|(by, at, len)| foreign(program, code, *by, *at, *len)).map(|(_, at, len)| (*at, *len)));
    let places: Vec<(u32, u32)> = all.iter().map(|l| (l.place.at, l.place.width)).collect();
    all.retain(|l| {
        let (at, len) = (l.place.at, l.place.width);
        let alone = places.iter().filter(|(from, n)| overlap(at, len, *from, *n)).count() == 1;
        alone && !kept.iter().any(|(from, n)| overlap(at, len, *from, *n))
    });
    all
}

/// Whether a read of these bytes from outside a code may be a read of one of its variables. Codes that are never active
/// together share memory.
fn foreign(program: &Program, code: usize, by: Option<usize>, at: u32, len: u32) -> bool {
    let owns = |c: &CodeX| c.clear.iter().any(|(from, n, _)| *from <= at && at + len <= from + n);
    match by {
        Some(by) if by == code => false,
        Some(by) => !program.codes.get(by).is_some_and(owns),
        None => true,
    }
}

impl Local {
    fn is_set(&self) -> bool {
        matches!(self.holds, Holds::Set(_))
    }

    fn ty(&self) -> Type {
        if self.is_set() { Build::set_type(set_bound(&self.place).width()) } else { types::I32 }
    }
}

impl Build<'_, '_, '_> {
    /// Runs a light code in place of its call.
    pub fn begin_inlined(
        &mut self,
        r: &mut Running,
        code: usize,
        args: &[Now],
        back: Option<At>,
        before: Vec<Before>,
    ) -> Result<(), Fallback> {
        let c = self.unit.program.codes.get(code).ok_or(Fallback::Form)?;
        if args.len() < c.params.len() {
            return Err(Fallback::Form);
        }
        let outer = r.inside;
        let inside = self.instance(r, code, back.map(|at| (outer, at)), before);
        self.enter(r, inside);
        let first: Vec<Register> = self.registers.values().copied().collect();
        for register in first {
            self.empty(&register);
        }
        self.first_values(r, c, args);
        self.go(r, (code, 0));
        self.enter(r, outer);
        Ok(())
    }

    /// Ends a light code.
    pub fn end_inlined(&mut self, r: &mut Running, code: usize) -> Result<(), Fallback> {
        let c = self.unit.program.codes.get(code).ok_or(Fallback::Form)?;
        let inside = r.inside;
        for (at, len, _) in &c.clear {
            if !self.held(*at, *len) {
                self.touch(r, *at, *len);
                self.fill(self.base, *at, *len);
            }
        }
        match r.instances.get(inside).and_then(|i| i.back) {
            Some((outer, at)) => {
                self.enter(r, outer);
                self.go(r, at);
                self.enter(r, inside);
            }
            None => self.jump(r.rest, &[]),
        }
        Ok(())
    }

    fn instance(&mut self, r: &mut Running, code: usize, back: Option<(usize, At)>, before: Vec<Before>) -> usize {
        let key = (code, back, !before.is_empty());
        if let Some(known) = r.known.get(&key) {
            return *known;
        }
        let mut registers = BTreeMap::new();
        let locals = self.unit.inlined_codes.of(code).unwrap_or(&[]).to_vec();
        for local in locals {
            let var = self.b.declare_var(local.ty());
            registers.insert(local.place.at, Register { local, var });
        }
        let i = r.instances.len();
        r.instances.push(Instance { back, registers, before });
        r.known.insert(key, i);
        i
    }

    /// From here on instructions are those of an instance.
    pub fn enter(&mut self, r: &mut Running, instance: usize) {
        r.inside = instance;
        self.registers = r.instances.get(instance).map(|i| i.registers.clone()).unwrap_or_default();
    }

    /// Whether some variables are in registers now.
    pub fn is_inlined(&self) -> bool {
        !self.registers.is_empty()
    }

    /// Whether all of these bytes are those of registers.
    pub fn held(&self, at: u32, len: u32) -> bool {
        let of = |r: &&Register| overlap(at, len, r.local.place.at, r.local.place.width);
        self.registers.values().filter(of).map(|r| r.local.place.width).sum::<u32>() == len
    }

    /// Empties those registers that have some of these bytes.
    pub fn empty_all(&mut self, at: u32, len: u32) {
        let of = |r: &&Register| overlap(at, len, r.local.place.at, r.local.place.width);
        let those: Vec<Register> = self.registers.values().filter(of).copied().collect();
        for register in those {
            self.empty(&register);
        }
    }

    fn empty(&mut self, r: &Register) {
        let nothing = match (r.local.is_set(), r.local.given) {
            (true, _) => self.bits(0, set_bound(&r.local.place).width()),
            (false, true) => self.i32(i64::from(r.local.place.lo)),
            (false, false) => self.i32(i64::from(NONE)),
        };
        self.b.def_var(r.var, nothing);
    }

    /// Writes the registers to where the trees read them.
    pub fn spill(&mut self) {
        let all: Vec<Register> = self.registers.values().copied().collect();
        for register in all {
            let p = register.local.place;
            if register.local.is_set() {
                let set = self.get_set(&register);
                self.store_bits(self.base, p.at as i32, p.width, set);
                continue;
            }
            let n = self.get(&register);
            let stored = self.as_byte(&p, n);
            self.store_scalar(&p, self.base, p.at as i32, stored);
        }
    }

    /// Takes the registers out of the position again: what is left there is nothing.
    pub fn clear_spilled(&mut self) {
        let all: Vec<Place> = self.registers.values().map(|r| r.local.place).collect();
        for p in all {
            self.fill(self.base, p.at, p.width);
        }
    }

    /// The register of a variable.
    pub fn register(&self, at: u32) -> Option<Register> {
        self.registers.get(&at).copied()
    }

    /// What a register has.
    pub fn get(&mut self, r: &Register) -> Int {
        let p = &r.local.place;
        let lo = i64::from(p.lo);
        let hi = lo.saturating_add_unsigned(p.span).saturating_sub(1);
        let v = self.b.use_var(r.var);
        // Proof: it is its first value, the lowest or nothing, or what `set_register` let in.
        Int { v, form: Form::Plain, lo, hi, maybe: p.optional || !r.local.given, sure: true }
    }

    /// What a register has, of one that holds a set.
    pub fn get_set(&mut self, r: &Register) -> Bitset {
        let bound = set_bound(&r.local.place);
        Bitset { v: self.b.use_var(r.var), width: bound.width(), bound }
    }

    /// Gives a register a number; one that it cannot have fails.
    pub fn set_register(&mut self, run: &Running, r: &Register, n: Int) {
        let p = &r.local.place;
        let lo = i64::from(p.lo);
        let hi = lo.saturating_add_unsigned(p.span).saturating_sub(1);
        if !p.optional
            && let Some(there) = self.there(n)
        {
            self.need(run, there);
        }
        let v = self.plain(n);
        if !(n.sure && n.lo >= lo && n.hi <= hi) {
            let by = self.i32(lo);
            let off = self.b.ins().isub(v, by);
            let mut ok = self.cmp(IntCC::UnsignedLessThan, off, i64::from(p.span.min(u64::from(u32::MAX)) as u32));
            if p.optional && n.maybe {
                let none = self.cmp(IntCC::Equal, v, i64::from(NONE));
                ok = self.b.ins().bor(ok, none);
            }
            self.need(run, ok);
        }
        self.b.def_var(r.var, v);
    }

    /// Gives a register a set; one that it cannot have fails.
    pub fn set_register_set(&mut self, run: &Running, r: &Register, s: Bitset) {
        let bound = set_bound(&r.local.place);
        if let Some(over) = self.beyond(s, bound) {
            let ok = self.flip(over);
            self.need(run, ok);
        }
        let v = self.fit(s, bound.width());
        self.b.def_var(r.var, v);
    }
}
