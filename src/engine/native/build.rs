//! Building one function: reading a position, sets, loops, failing.
//!
//! Memory is addressed by a number in few places: an entry of a variable ([`Build::entry`]), a table ([`Build::lin`]),
//! the value indexes beside a position, the items of a pile, the levels of a code, the list of options. In each the
//! number is kept within bounds, or a proof stands there; those that rely on the description of a number go through
//! [`Build::offset`].

use std::collections::{BTreeMap, HashMap};

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, InstructionData, MemFlagsData, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::inlined::Register;
use super::int::{Bitset, Bound, Form, Int, LookedUp, Width};
use super::option_writer::Listing;
use super::parts::Temps;
use super::unit::Unit;
use super::{BROKEN, FAILED};
use crate::engine::bits::Narrow;
use crate::engine::ir::NONE;
use crate::engine::place::Place;

/// A function under construction.
pub(super) struct Build<'u, 'p, 'f> {
    pub unit: &'u mut Unit<'p>,
    pub b: FunctionBuilder<'f>,
    /// Address of the position.
    pub base: Value,
    /// Address of the context.
    pub ctx: Value,
    /// Whether the position stays as it is while the function runs.
    pub still: bool,
    pub slots: HashMap<u16, Int>,
    pub sets: HashMap<u16, Bitset>,
    /// In endings: whether an action is legal, as [`legal_state`](crate::model::legal_state) says it, 32 bits.
    pub any_legal: Option<Value>,
    pub failed: Variable,
    /// Whether something in here can fail.
    pub can_fail: bool,
    /// Counts that were made beforehand, as `counts` gives them.
    pub tallies: HashMap<String, Vec<Value>>,
    /// What was found by such counts, for all that ask the same.
    pub tallied: HashMap<String, Bitset>,
    /// Where sets are that do not fit into two words.
    pub temps: Temps,
    /// Where options are written down.
    pub listing: Option<Listing>,
    /// The variables that are values where instructions stand now.
    pub registers: BTreeMap<u32, Register>,
    pub loops: LoopVars,
    /// Sets of one word that were looked up in tables.
    pub looked_up: HashMap<Value, LookedUp>,
    /// In how many loops over members the code is that is made.
    pub depth: u32,
    /// Sets that are not empty here.
    pub some: Vec<Value>,
}

/// The variables of loops. Cranelift keeps a list as long as the blocks so far for each variable, so one loop takes
/// over those of another.
#[derive(Default)]
pub(super) struct LoopVars {
    used: Vec<(Type, Variable)>,
    free: HashMap<Type, Vec<Variable>>,
}

/// Flags of an access that cannot trap.
pub(super) fn sound() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Flags of a read of what never changes.
pub(super) fn constant() -> MemFlagsData {
    MemFlagsData::new().with_notrap().with_readonly().with_can_move()
}

impl<'u, 'p, 'f> Build<'u, 'p, 'f> {
    /// At the entry of a function whose first parameters are the position and the context.
    pub fn new(unit: &'u mut Unit<'p>, mut b: FunctionBuilder<'f>, still: bool) -> (Build<'u, 'p, 'f>, Vec<Value>) {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let params = b.block_params(entry).to_vec();
        let failed = b.declare_var(types::I8);
        let no = b.ins().iconst(types::I8, 0);
        b.def_var(failed, no);
        let gn = Build {
            unit,
            base: params[0],
            ctx: params[1],
            b,
            still,
            slots: HashMap::new(),
            sets: HashMap::new(),
            any_legal: None,
            failed,
            can_fail: false,
            tallies: HashMap::new(),
            tallied: HashMap::new(),
            temps: Temps::default(),
            listing: None,
            registers: BTreeMap::new(),
            loops: LoopVars::default(),
            looked_up: HashMap::new(),
            depth: 0,
            some: Vec::new(),
        };
        (gn, params)
    }

    /// Ends the function: writes down whether something failed.
    pub fn leave(&mut self, results: &[Value]) {
        if self.can_fail {
            let now = self.b.use_var(self.failed);
            let before = self.load_context(types::I8, FAILED);
            let both = self.b.ins().bor(now, before);
            self.store_context(both, FAILED);
        }
        self.b.ins().return_(results);
    }

    // -- small things --

    pub fn i32(&mut self, i: i64) -> Value {
        self.b.ins().iconst(types::I32, i64::from(i as i32 as u32))
    }

    pub fn i64(&mut self, i: u64) -> Value {
        self.b.ins().iconst(types::I64, i as i64)
    }

    pub fn i8(&mut self, b: bool) -> Value {
        self.b.ins().iconst(types::I8, i64::from(b))
    }

    /// Compares with a constant.
    pub fn cmp(&mut self, cc: IntCC, v: Value, i: i64) -> Value {
        let ty = self.b.func.dfg.value_type(v);
        let i = match ty {
            types::I128 => self.bits(i as u64 as Narrow, Width::Pair),
            types::I32 => self.i32(i),
            ty => self.b.ins().iconst(ty, i),
        };
        self.b.ins().icmp(cc, v, i)
    }

    /// Whether a condition does not hold.
    pub fn flip(&mut self, c: Value) -> Value {
        // The opposite comparison of the same numbers: branches and selections compare by themselves.
        if let Some(inst) = self.b.func.dfg.value_def(c).inst()
            && let InstructionData::IntCompare { cond, args: [x, y], .. } = self.b.func.dfg.insts[inst]
        {
            return self.b.ins().icmp(cond.complement(), x, y);
        }
        let one = self.i8(true);
        self.b.ins().bxor(c, one)
    }

    pub fn block(&mut self) -> Block {
        self.b.create_block()
    }

    pub fn jump(&mut self, to: Block, args: &[Value]) {
        let args: Vec<BlockArg> = args.iter().map(|v| BlockArg::Value(*v)).collect();
        self.b.ins().jump(to, &args);
    }

    pub fn brif(&mut self, c: Value, yes: Block, no: Block) {
        self.b.ins().brif(c, yes, &[], no, &[]);
    }

    pub fn to(&mut self, block: Block) {
        self.b.switch_to_block(block);
    }

    /// A variable of a loop, until [`Build::free_loops`].
    pub fn var(&mut self, ty: Type, first: Value) -> Variable {
        let free = self.loops.free.get_mut(&ty).and_then(Vec::pop);
        let var = free.unwrap_or_else(|| self.b.declare_var(ty));
        self.loops.used.push((ty, var));
        self.b.def_var(var, first);
        var
    }

    /// The variables of loops are not read any more.
    pub fn free_loops(&mut self) {
        self.loops.used.drain(..).for_each(|(ty, var)| self.loops.free.entry(ty).or_default().push(var));
    }

    /// A variable of the whole function.
    pub fn lasting_var(&mut self, ty: Type, first: Value) -> Variable {
        let var = self.b.declare_var(ty);
        self.b.def_var(var, first);
        var
    }

    /// Fails where a condition holds.
    pub fn fail_if(&mut self, c: Value) {
        self.can_fail = true;
        let now = self.b.use_var(self.failed);
        let now = self.b.ins().bor(now, c);
        self.b.def_var(self.failed, now);
    }

    pub fn fail(&mut self) {
        let yes = self.i8(true);
        self.fail_if(yes);
    }

    /// Whether something failed here or in a function called.
    pub fn has_failed(&mut self) -> Value {
        let now = self.b.use_var(self.failed);
        let before = self.load_context(types::I8, FAILED);
        self.b.ins().bor(now, before)
    }

    // -- reading --

    /// Reads of a variable at an address and its offset, as 32 bits without sign.
    pub fn read(&mut self, address: Value, offset: i32, width: u32) -> Value {
        let flags = self.in_position();
        match width {
            // Reads of what never changes are computed once only in this form.
            1 | 2 if self.still => {
                let ty = if width == 1 { types::I8 } else { types::I16 };
                let v = self.b.ins().load(ty, flags, address, offset);
                self.b.ins().uextend(types::I32, v)
            }
            1 => self.b.ins().uload8(types::I32, flags, address, offset),
            2 => self.b.ins().uload16(types::I32, flags, address, offset),
            _ => self.b.ins().load(types::I32, flags, address, offset),
        }
    }

    /// A number as it is stored in a variable.
    pub fn stored(&self, v: Value, p: &Place) -> Int {
        let lo = i64::from(p.lo);
        let hi = lo.saturating_add(p.span as i64 - 1).min(i64::from(i32::MAX));
        // Proof: `Cells` of the position held, and of what is written.
        Int { v, form: Form::Stored(p.lo.wrapping_sub(1)), lo, hi, maybe: !p.always, sure: p.single }
    }

    /// The number without regard to nothing.
    pub fn bare(&mut self, n: Int) -> Value {
        match n.form {
            Form::Plain | Form::Stored(0) => n.v,
            Form::Stored(by) => {
                let by = self.i32(i64::from(by));
                self.b.ins().iadd(n.v, by)
            }
        }
    }

    /// The number as it is, nothing as [`NONE`].
    pub fn plain(&mut self, n: Int) -> Value {
        let bare = self.bare(n);
        match n.form {
            Form::Stored(_) if n.maybe => {
                let none = self.i32(i64::from(NONE));
                let there = self.cmp(IntCC::NotEqual, n.v, 0);
                self.b.ins().select(there, bare, none)
            }
            _ => bare,
        }
    }

    /// Whether there is a number; `None`: certainly.
    pub fn there(&mut self, n: Int) -> Option<Value> {
        if !n.maybe {
            return None;
        }
        Some(match n.form {
            Form::Plain => self.cmp(IntCC::NotEqual, n.v, i64::from(NONE)),
            Form::Stored(_) => self.cmp(IntCC::NotEqual, n.v, 0),
        })
    }

    /// A number as an index among `count` values from `lo` on: 64 bits, in bounds; and whether it is one of them
    /// (`None`: certainly).
    pub fn place(&mut self, n: Int, lo: i64, count: u64) -> (Value, Option<Value>) {
        let (off, ok) = self.offset(n, lo, count);
        let Some(ok) = ok else {
            return (off, None);
        };
        let zero = self.i64(0);
        (self.b.ins().select(ok, off, zero), Some(ok))
    }

    /// The same, out of bounds where it is none of them.
    pub fn offset(&mut self, n: Int, lo: i64, count: u64) -> (Value, Option<Value>) {
        let by = match n.form {
            Form::Plain => -lo,
            Form::Stored(by) => i64::from(by) - lo,
        };
        let off = match by {
            0 => n.v,
            by => {
                let by = self.i32(by);
                self.b.ins().iadd(n.v, by)
            }
        };
        let within = n.lo >= lo && n.hi < lo.saturating_add_unsigned(count);
        if within && n.sure && !n.maybe {
            // Proof: that of the number.
            let off = self.proved(off, count as i64);
            return (self.b.ins().uextend(types::I64, off), None);
        }
        let mut ok = self.cmp(IntCC::UnsignedLessThan, off, count as i64);
        // Nothing, as it is held, may look like one of them.
        let nothing = match n.form {
            Form::Plain => i64::from(NONE).wrapping_sub(lo) as i32,
            Form::Stored(_) => by as i32,
        };
        if n.maybe
            && u64::from(nothing as u32) < count
            && let Some(there) = self.there(n)
        {
            ok = self.b.ins().band(ok, there);
        }
        (self.b.ins().uextend(types::I64, off), Some(ok))
    }

    /// A number that a proof shows to be below another. With assertions on, the proof is tested; if it fails, that is
    /// noted, and the number is 0.
    pub fn proved(&mut self, off: Value, count: i64) -> Value {
        if !cfg!(debug_assertions) {
            return off;
        }
        let ok = self.cmp(IntCC::UnsignedLessThan, off, count);
        let out = self.flip(ok);
        let before = self.load_context(types::I8, BROKEN);
        let now = self.b.ins().bor(out, before);
        self.store_context(now, BROKEN);
        let ty = self.b.func.dfg.value_type(off);
        let zero = self.b.ins().iconst(ty, 0);
        self.b.ins().select(ok, off, zero)
    }

    /// The address of an entry of a variable, to which its offset is to be added; and whether there is such an entry.
    pub fn entry(&mut self, p: &Place, index: Int) -> (Value, i32, Option<Value>) {
        let place = self.place(index, 0, u64::from(p.count.max(1)));
        self.entry_at(p, place)
    }

    /// The same of an index in bounds, if it is one.
    pub fn entry_at(&mut self, p: &Place, (i, mut ok): (Value, Option<Value>)) -> (Value, i32, Option<Value>) {
        let mut address = self.base;
        if p.count > 1 {
            let i = self.times(i, p.width);
            address = self.b.ins().iadd(address, i);
        }
        if p.level > 0 {
            let active = self.read(self.base, p.active.unwrap_or(0) as i32, 1);
            let on = self.cmp(IntCC::NotEqual, active, 0);
            let max = self.i32(i64::from(p.nested.max(1)));
            let active = self.b.ins().umin(active, max);
            let one = self.i32(1);
            let level = self.b.ins().isub(active, one);
            let zero = self.i32(0);
            let level = self.b.ins().select(on, level, zero);
            let level = self.b.ins().uextend(types::I64, level);
            let by = self.times(level, p.level);
            address = self.b.ins().iadd(address, by);
            ok = Some(self.both(ok, on));
        }
        (address, p.at as i32, ok)
    }

    pub fn both(&mut self, a: Option<Value>, b: Value) -> Value {
        match a {
            Some(a) => self.b.ins().band(a, b),
            None => b,
        }
    }

    pub fn times(&mut self, i: Value, by: u32) -> Value {
        if by == 1 {
            return i;
        }
        if by.is_power_of_two() {
            let n = self.b.ins().iconst(types::I32, i64::from(by.trailing_zeros()));
            return self.b.ins().ishl(i, n);
        }
        let by = self.i64(u64::from(by));
        self.b.ins().imul(i, by)
    }

    /// A scalar variable's entry.
    pub fn scalar(&mut self, p: &Place, index: Int) -> Int {
        if let Some(register) = self.register(p.at) {
            return self.get(&register);
        }
        let (address, at, ok) = self.entry(p, index);
        let v = self.read(address, at, p.width);
        let Some(ok) = ok else {
            return self.stored(v, p);
        };
        let zero = self.i32(0);
        let v = self.b.ins().select(ok, v, zero);
        Int { maybe: true, ..self.stored(v, p) }
    }

    /// Runs with a slot bound.
    pub fn with_slot<T>(&mut self, slot: u16, n: Int, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.slots.insert(slot, n);
        let result = f(self);
        match before {
            Some(b) => self.slots.insert(slot, b),
            None => self.slots.remove(&slot),
        };
        result
    }
}

/// The bits a set variable can have.
pub(super) fn set_bound(p: &Place) -> Bound {
    Bound::below(p.span.min(u64::from(p.width) * 8))
}
