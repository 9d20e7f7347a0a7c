//! What was read of the position, or written there, is not read again while it is the same.
//!
//! Cranelift sees to that only within a block: where ways meet on one of which something was written, it takes all as
//! changed, and so in all that follows. Here the bytes that are written are looked at.

use std::collections::HashMap;

use cranelift_codegen::Context;
use cranelift_codegen::ir::{
    AliasRegion, Block, Function, Inst, InstBuilder as _, InstructionData, Opcode, Type, Value, types,
};

use super::regions::Region;

/// How often a function is gone through until what is known at each block is found. Loops within loops take more turns.
const MAX_TURNS: usize = 6;

/// What is read in one way: the address, how far from it, the instruction and the type that it gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Read {
    address: u32,
    offset: i32,
    opcode: u8,
    ty: (u32, u32),
    bytes: u32,
}

/// What is known to be in memory, in order.
type Known = Vec<(Read, Value)>;

/// What an instruction does with the position.
enum Does {
    Reads(Read),
    Writes(Read, Value),
    /// It may write anywhere.
    Anything,
    Nothing,
}

/// Takes out what reads the position again.
pub(super) fn read_once(context: &mut Context) {
    let Some(position) = context.func.dfg.alias_regions.get(Region::Position.id()) else { return };
    context.flowgraph();
    let order: Vec<Block> = context.domtree.cfg_rpo().copied().collect();
    let Some(known) = known_at_first(context, position, &order) else { return };
    for (block, mut now) in order.into_iter().zip(known) {
        let mut next = context.func.layout.first_inst(block);
        while let Some(inst) = next {
            next = context.func.layout.next_inst(inst);
            replace(&mut context.func, inst, position, &mut now);
        }
    }
}

/// What is known as each block begins; `None` where that takes too many turns.
fn known_at_first(context: &Context, position: AliasRegion, order: &[Block]) -> Option<Vec<Known>> {
    let number: HashMap<Block, usize> = order.iter().enumerate().map(|(i, block)| (*block, i)).collect();
    let before: Vec<Vec<usize>> = order
        .iter()
        .map(|block| context.cfg.pred_iter(*block).filter_map(|pred| number.get(&pred.block).copied()).collect())
        .collect();
    let mut first: Vec<Known> = vec![Vec::new(); order.len()];
    let mut last: Vec<Option<Known>> = vec![None; order.len()];
    for _ in 0..MAX_TURNS {
        let mut changed = false;
        for (i, block) in order.iter().enumerate() {
            let now = common(before[i].iter().filter_map(|pred| last[*pred].as_ref()));
            if last[i].is_some() && now == first[i] {
                continue;
            }
            changed = true;
            first[i] = now.clone();
            let mut now = now;
            for inst in context.func.layout.block_insts(*block) {
                follow(&context.func, inst, position, &mut now);
            }
            last[i] = Some(now);
        }
        if !changed {
            return Some(first);
        }
    }
    None
}

/// What is known on all ways.
fn common<'k>(mut ways: impl Iterator<Item = &'k Known>) -> Known {
    let Some(first) = ways.next() else { return Vec::new() };
    let mut all = first.clone();
    for way in ways {
        all.retain(|known| way.binary_search(known).is_ok());
    }
    all
}

/// The numbers in a value, and the bits of each.
fn shape(ty: Type) -> (u32, u32) {
    (ty.lane_count(), ty.lane_bits())
}

/// What an instruction does with the position.
fn does(func: &Function, inst: Inst, position: AliasRegion) -> Does {
    let (data, dfg) = (&func.dfg.insts[inst], &func.dfg);
    let opcode = data.opcode();
    let here = data.alias_region(dfg) == Some(position);
    let read = |address: Value, offset: i32, opcode: Opcode, ty: Type, bytes: u32| Read {
        address: dfg.resolve_aliases(address).as_u32(),
        offset,
        opcode: opcode as u8,
        ty: shape(ty),
        bytes,
    };
    match *data {
        InstructionData::Load { arg, offset, .. } if here => {
            let ty = dfg.value_type(dfg.first_result(inst));
            let bytes = match opcode {
                Opcode::Load => ty.bytes(),
                Opcode::Uload8 => 1,
                Opcode::Uload16 => 2,
                _ => return Does::Nothing,
            };
            Does::Reads(read(arg, offset.into(), opcode, ty, bytes))
        }
        InstructionData::Store { args: [v, address], offset, .. } if here && opcode == Opcode::Store => {
            let ty = dfg.value_type(v);
            Does::Writes(read(address, offset.into(), Opcode::Load, ty, ty.bytes()), dfg.resolve_aliases(v))
        }
        _ if opcode.can_store() => match data.alias_region(dfg) {
            Some(region) if region != position => Does::Nothing,
            _ => Does::Anything,
        },
        _ if opcode.is_call() || opcode.other_side_effects() => Does::Anything,
        _ => Does::Nothing,
    }
}

/// What is known after an instruction.
fn follow(func: &Function, inst: Inst, position: AliasRegion, now: &mut Known) {
    match does(func, inst, position) {
        Does::Reads(read) => {
            if place(now, read).is_err() {
                put(now, read, func.dfg.first_result(inst));
            }
        }
        Does::Writes(read, v) => {
            let end = |r: &Read| r.offset.saturating_add(r.bytes as i32);
            let apart = |r: &Read| r.address == read.address && (end(r) <= read.offset || end(&read) <= r.offset);
            now.retain(|(r, _)| apart(r));
            put(now, read, v);
        }
        Does::Anything => now.clear(),
        Does::Nothing => {}
    }
}

fn place(now: &Known, read: Read) -> Result<usize, usize> {
    now.binary_search_by(|(known, _)| known.cmp(&read))
}

fn put(now: &mut Known, read: Read, v: Value) {
    match place(now, read) {
        Ok(i) => now[i].1 = v,
        Err(i) => now.insert(i, (read, v)),
    }
}

/// Puts what is known in place of an instruction that reads it; what is known afterwards.
fn replace(func: &mut Function, inst: Inst, position: AliasRegion, now: &mut Known) {
    let Does::Reads(read) = does(func, inst, position) else { return follow(func, inst, position, now) };
    let result = func.dfg.first_result(inst);
    if let Ok(i) = place(now, read) {
        func.dfg.clear_results(inst);
        func.dfg.change_to_alias(result, now[i].1);
        func.layout.remove_inst(inst);
        return;
    }
    let narrow = if read.bytes == 1 { types::I8 } else { types::I16 };
    let stored = Read { opcode: Opcode::Load as u8, ty: shape(narrow), ..read };
    if read.opcode != stored.opcode
        && let Ok(i) = place(now, stored)
    {
        let wide = func.dfg.value_type(result);
        func.replace(inst).uextend(wide, now[i].1);
    }
    put(now, read, result);
}
