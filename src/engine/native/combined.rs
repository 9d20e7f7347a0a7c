//! Sets that are looked up in tables with the same index: what they have in common, or together, is looked up too.

use std::sync::Arc;

use cranelift_codegen::ir::{InstructionData, Opcode, Value, types};

use super::bitset::constant_bits;
use super::build::Build;
use super::int::{Bitset, Bound, LookedUp, Width};
use crate::engine::bits::{Bits, Narrow};

/// The maximum number of entries of a table that is put together.
const MAX_ENTRIES: usize = 64;

/// The maximum number of bytes of all such tables.
const MAX_BYTES: usize = 1 << 20;

/// How far the computation of an index is followed.
const MAX_DEPTH: u32 = 8;

impl Build<'_, '_, '_> {
    /// Notes that a set of one word was looked up in a table with so many empty entries more at its end.
    pub fn looked_up(&mut self, set: Bitset, table: &[Bits], more: usize, index: Value) {
        if set.width == Width::Word && table.len() + more <= MAX_ENTRIES {
            let entries = table.iter().map(|row| row.narrow() as u64).chain(std::iter::repeat_n(0, more));
            self.looked_up.insert(set.v, LookedUp { table: entries.collect(), index });
        }
    }

    /// Two sets put together beforehand, where both are known, or by one look, where one of one word at least is looked
    /// up; `None` if the other is neither looked up with the same index nor known.
    pub fn combined(&mut self, a: Bitset, b: Bitset, of: impl Fn(Narrow, Narrow) -> Narrow) -> Option<Bitset> {
        let dfg = &self.b.func.dfg;
        if let (Some(x), Some(y)) = (constant_bits(dfg, a), constant_bits(dfg, b)) {
            let (bits, width) = (of(x, y), a.width.max(b.width));
            return Some(Bitset { v: self.bits(bits, width), width, bound: Bound::Few(bits) });
        }
        self.looked_up_together(a, b, |x, y| of(x.into(), y.into()) as u64)
    }

    fn looked_up_together(&mut self, a: Bitset, b: Bitset, of: impl Fn(u64, u64) -> u64) -> Option<Bitset> {
        if a.width != Width::Word || b.width != Width::Word {
            return None;
        }
        let (x, y) = (self.looked_up.get(&a.v), self.looked_up.get(&b.v));
        let dfg = &self.b.func.dfg;
        let known = |s: Bitset| constant_bits(dfg, s).map(|bits| bits as u64);
        let (table, index): (Arc<[u64]>, Value) = match (x, y) {
            (Some(x), Some(y)) => {
                let alike = x.table.len() == y.table.len() && self.is_same(x.index, y.index, MAX_DEPTH);
                let both = x.table.iter().zip(y.table.iter());
                alike.then(|| (both.map(|(x, y)| of(*x, *y)).collect(), x.index))?
            }
            (Some(x), None) => {
                let y = known(b)?;
                (x.table.iter().map(|x| of(*x, y)).collect(), x.index)
            }
            (None, Some(y)) => {
                let x = known(a)?;
                (y.table.iter().map(|y| of(x, *y)).collect(), y.index)
            }
            (None, None) => return None,
        };
        let bits = table.iter().fold(0, |all, entry| all | entry);
        let (width, bound) = (Width::Word, Bound::Few(Narrow::from(bits)));
        if bits == 0 {
            return Some(Bitset { v: self.i64(0), width, bound });
        }
        let address = self.unit.combined(&table, MAX_BYTES)?;
        let v = self.look_up(address, index, types::I64);
        self.looked_up.insert(v, LookedUp { table, index });
        Some(Bitset { v, width, bound })
    }

    /// Whether two values are computed in the same way from the same.
    fn is_same(&self, a: Value, b: Value, depth: u32) -> bool {
        let dfg = &self.b.func.dfg;
        let (a, b) = (dfg.resolve_aliases(a), dfg.resolve_aliases(b));
        if a == b {
            return true;
        }
        let (Some(x), Some(y)) = (dfg.value_def(a).inst(), dfg.value_def(b).inst()) else { return false };
        if depth == 0 || dfg.value_type(a) != dfg.value_type(b) {
            return false;
        }
        let alike = match (dfg.insts[x], dfg.insts[y]) {
            (InstructionData::UnaryImm { opcode: p, imm: i }, InstructionData::UnaryImm { opcode: q, imm: j }) => {
                p == q && i == j
            }
            (InstructionData::Unary { opcode: p, .. }, InstructionData::Unary { opcode: q, .. })
            | (InstructionData::Binary { opcode: p, .. }, InstructionData::Binary { opcode: q, .. })
            | (InstructionData::Ternary { opcode: p, .. }, InstructionData::Ternary { opcode: q, .. }) => p == q,
            (
                InstructionData::IntCompare { cond: c, opcode: p, .. },
                InstructionData::IntCompare { cond: d, opcode: q, .. },
            ) => c == d && p == q,
            (
                InstructionData::Load { opcode: Opcode::Load, flags: f, offset: i, .. },
                InstructionData::Load { opcode: Opcode::Load, flags: g, offset: j, .. },
            ) => f == g && i == j && self.b.func.dfg.mem_flags[f].readonly(),
            _ => false,
        };
        let (of_a, of_b) = (dfg.inst_args(x), dfg.inst_args(y));
        alike && of_a.len() == of_b.len() && of_a.iter().zip(of_b).all(|(a, b)| self.is_same(*a, *b, depth - 1))
    }
}
