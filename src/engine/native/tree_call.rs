//! Expressions that stay trees: machine code calls the trees for the value of one of them, and goes on.

use std::slice;

use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value, types};

use super::build::Build;
use super::int::{Bitset, Bound};
use super::regions::Region;
use super::scratch::Context;
use crate::engine::bits::Bits;
use crate::engine::eval::Ev;
use crate::engine::grid::Line;
use crate::engine::ir::{Cond, NONE};
use crate::engine::leaf::Visit;
use crate::engine::tree::summary;
use crate::engine::with_scratch;

/// An expression that stays a tree, with what it needs: where the values of its slots and sets are handed over.
#[derive(Debug)]
pub(super) struct TreeCall {
    tree: Tree,
    /// Slots, in the order of their values, of four bytes each.
    slots: Vec<u16>,
    /// Set slots: where the bits begin, and how many bytes there are.
    sets: Vec<(u16, usize, usize)>,
    /// Where a set as a result goes, and how many bytes it has.
    out: (usize, usize),
}

/// The expression.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Cond(Cond),
    /// The cells that a segment passes whose ends are handed over.
    Passed(Line),
}

impl Tree {
    fn walk(&self, f: Visit) {
        match self {
            Tree::Cond(c) => c.walk(f),
            Tree::Passed(_) => {}
        }
    }
}

/// The value of an expression at a position: a truth; a set goes where the call says.
///
/// # Safety
/// Only the code calls this: with the context that it was given, whose program is the one that the code was made of; a
/// position of its size; a call that the code keeps; and as many bytes of values as the call says.
pub(super) unsafe extern "C" fn ask_tree(
    context: *mut Context,
    position: *const u8,
    call: *const TreeCall,
    values: *mut u8,
    any_legal: u64,
) -> i64 {
    // SAFETY: the caller promises it; nobody else has the context, and the call never changes.
    let (context, call) = unsafe { (&mut *context, &*call) };
    // SAFETY: whoever called the code has lent the program for as long as it runs.
    let program = unsafe { &*context.program };
    // SAFETY: the caller promises a position of this size, which does not change meanwhile.
    let bytes = unsafe { slice::from_raw_parts(position, program.layout.size as usize) };
    // SAFETY: the caller promises so many bytes, which nobody else has.
    let values = unsafe { slice::from_raw_parts_mut(values, call.out.0 + call.out.1) };
    let c = match &call.tree {
        Tree::Cond(c) => c,
        Tree::Passed(line) => {
            context.failed |= u8::from(!write_passed(line, values, call.out));
            return 0;
        }
    };
    with_scratch(program, |scratch| {
        let ev = Ev { any_legal: crate::model::any_legal(i32::try_from(any_legal).ok()), ..program.ev(scratch, bytes) };
        for (slot, value) in call.slots.iter().zip(values.chunks_exact(4)) {
            ev.bind(*slot, value.try_into().map_or(0, i32::from_ne_bytes));
        }
        for (slot, at, width) in &call.sets {
            let set = values.get(*at..at + width).map_or(Bits::NONE, Bits::from_bytes);
            if let Some(cell) = scratch.sets.get(usize::from(*slot)) {
                cell.replace(set);
            }
        }
        let result = i64::from(ev.cond(c));
        context.work = context.work.saturating_add(scratch.work.get());
        context.failed |= u8::from(scratch.failed.get());
        result
    })
}

/// Writes the cells that a segment passes, whose ends are the first values; `false` if there is no room for one.
fn write_passed(line: &Line, values: &mut [u8], (at, width): (usize, usize)) -> bool {
    let mut ends = values.chunks_exact(4).map(|end| end.try_into().map_or(NONE, i32::from_ne_bytes));
    let ends = [(); 4].map(|()| ends.next().and_then(|end| usize::try_from(end).ok()));
    let Some(cells) = values.get_mut(at..at + width) else { return false };
    cells.fill(0);
    let mut fits = true;
    if let [Some(a), Some(i), Some(b), Some(j)] = ends {
        line.lattice.each_passed(a, i, b, j, |cell| match cells.get_mut(cell / 8) {
            Some(byte) => *byte |= 1 << (cell % 8),
            None => fits = false,
        });
    }
    fits
}

impl Build<'_, '_, '_> {
    /// A condition that stays a tree.
    pub fn cond_by_tree(&mut self, c: &Cond) -> Value {
        let (result, _) = self.call_tree(Tree::Cond(c.clone()), 0, &[]);
        let one = self.b.ins().ireduce(types::I8, result);
        let yes = self.i8(true);
        self.b.ins().band(one, yes)
    }

    /// The cells that a segment passes.
    pub fn passed(&mut self, line: &Line) -> Bitset {
        let ends = line.ends.each_ref().map(|end| {
            let end = self.num(end);
            self.plain(end)
        });
        let bound = Bound::below(line.lattice.len() as u64);
        let width = bound.width().bytes();
        let (_, out) = self.call_tree(Tree::Passed(line.clone()), width, &ends);
        // The bytes are new with each call.
        let still = std::mem::replace(&mut self.still, false);
        let set = self.read_set(out, 0, width as u32, bound);
        self.still = still;
        set
    }

    /// Calls the trees for an expression, with the values of its slots or those given; its value, and the address of a
    /// set as a result, of so many bytes.
    fn call_tree(&mut self, tree: Tree, width: usize, given: &[Value]) -> (Value, Value) {
        let s = summary(&self.unit.program.shared, |f| tree.walk(f));
        let mut size = (4 * (given.len() + s.slots.len())).next_multiple_of(8);
        let mut sets = Vec::new();
        for slot in &s.sets {
            let set = match self.sets.get(slot) {
                Some(set) => *set,
                None => self.const_set(0),
            };
            let width = set.bound.width().bytes();
            sets.push((*slot, size, width, set));
            size += width;
        }
        let out = (size, width);
        let all = (size + width).max(8) as u32;
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, all, 3));
        let values = self.b.ins().stack_addr(types::I64, slot, 0);
        let locals = self.in_region(Region::Locals);
        for (i, v) in given.iter().enumerate() {
            self.b.ins().store(locals, *v, values, 4 * i as i32);
        }
        for (i, slot) in s.slots.iter().enumerate() {
            let n = match self.slots.get(slot) {
                Some(n) => *n,
                None => self.number(NONE),
            };
            let v = self.plain(n);
            self.b.ins().store(locals, v, values, 4 * i as i32);
        }
        // These are written as if into the position: the call stands before all that reads them.
        for (_, at, width, set) in &sets {
            self.store_bits(values, *at as i32, *width as u32, *set);
        }
        let sets = sets.into_iter().map(|(slot, at, width, _)| (slot, at, width)).collect();
        let call = self.unit.tree_call(TreeCall { tree, slots: s.slots, sets, out });
        let call = self.i64(call as usize as u64);
        let any_legal = match self.any_legal {
            Some(v) => self.b.ins().uextend(types::I64, v),
            None => self.i64(0),
        };
        self.spill();
        let called = self.unit.ask_tree(self.b.func);
        let result = self.b.ins().call(called, &[self.ctx, self.base, call, values, any_legal]);
        let result = self.b.inst_results(result)[0];
        self.clear_spilled();
        self.can_fail = true;
        let at = self.b.ins().stack_addr(types::I64, slot, out.0 as i32);
        (result, at)
    }
}
