//! What makes a function that is optimized need fewer registers. A value that waits for its use takes one, or is
//! written to memory and read again.

use std::collections::HashMap;

use cranelift_codegen::ir::{Block, Function, Inst, Opcode, Value};

/// Gives each block of a function that is not optimized any more the constants that it needs: to compute one again
/// costs no more than to read it.
pub(super) fn copy_constants(func: &mut Function) {
    let blocks: Vec<Block> = func.layout.blocks().collect();
    for block in blocks {
        copy_into(func, block);
    }
}

fn copy_into(func: &mut Function, block: Block) {
    let mut copies: HashMap<Value, Value> = HashMap::new();
    let mut next = func.layout.first_inst(block);
    while let Some(inst) = next {
        next = func.layout.next_inst(inst);
        let args: Vec<Value> = func.dfg.inst_values(inst).collect();
        let mut changed = false;
        for v in args {
            if let Some(constant) = constant_from_elsewhere(func, v, block) {
                changed = true;
                copies.entry(v).or_insert_with(|| {
                    let copy = func.dfg.clone_inst(constant);
                    func.layout.insert_inst(copy, inst);
                    func.dfg.first_result(copy)
                });
            }
        }
        if changed {
            func.dfg.map_inst_values(inst, |v| copies.get(&v).copied().unwrap_or(v));
        }
    }
}

/// The instruction of a constant that stands in another block.
fn constant_from_elsewhere(func: &Function, v: Value, block: Block) -> Option<Inst> {
    let inst = func.dfg.value_def(v).inst()?;
    let is_constant = matches!(func.dfg.insts[inst].opcode(), Opcode::Iconst | Opcode::Vconst);
    (is_constant && func.layout.inst_block(inst) != Some(block)).then_some(inst)
}
