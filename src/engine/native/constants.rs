//! While a function is optimized, constants that loops within loops need are placed before all loops. Afterwards each
//! block has the constants that it needs.
//!
//! Cranelift takes what is the same in every turn out of the loops in which its arguments do not change. But a constant
//! that it first meets within loops it places one loop further out only, and so all that is computed from it: within
//! two loops, that is done again in each turn of the outer one. A constant placed before the loops holds nothing back.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::cursor::{Cursor as _, FuncCursor};
use cranelift_codegen::ir::{
    Block, BlockArg, DataFlowGraph, Function, Inst, InstBuilder as _, InstructionData, Opcode, Type, Value, ValueDef,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::{CodegenResult, Context};

/// A constant: its instruction and its type.
type Constant = (InstructionData, Type);

/// Fewer instructions than this are left where they are: each value that waits for its use takes a register, or memory.
const WORTHWHILE: usize = 150;

/// Places constants before all loops that need them, in a function that has two parameters at least, of which the
/// second is an address. They become arguments of a branch that is never taken, to the block that is given back;
/// [`take_back`] removes it when the function is optimized.
///
/// Optimizing finds further constants, so the function is optimized first.
///
/// # Errors
/// The function cannot be optimized.
pub(super) fn place_first(context: &mut Context, isa: &dyn TargetIsa) -> CodegenResult<Option<Block>> {
    context.flowgraph();
    context.compute_loop_analysis();
    if Held::of(context, 2).instructions < WORTHWHILE {
        return Ok(None);
    }
    context.optimize(isa, &mut ControlPlane::default())?;
    context.compute_loop_analysis();
    let held = Held::of(context, 1);
    let at = before_all(context, &held.blocks);
    let never = at.and_then(|at| branch_with(&mut context.func, at, &held.constants));
    context.flowgraph();
    Ok(never)
}

/// Removes the branch to a block that is never come to.
pub(super) fn take_back(context: &mut Context, never: Block) {
    let func = &mut context.func;
    let layout = &func.layout;
    let ends: Vec<Inst> = layout.blocks().filter_map(|block| layout.last_inst(block)).collect();
    for inst in ends {
        if let InstructionData::Brif { blocks: [on, other], .. } = func.dfg.insts[inst]
            && other.block(&func.dfg.value_lists) == never
        {
            let on = on.block(&func.dfg.value_lists);
            func.replace(inst).jump(on, &[]);
        }
    }
    context.flowgraph();
}

/// What constants hold back in loops.
struct Held {
    /// How many instructions.
    instructions: usize,
    /// The constants that they have as arguments, each once.
    constants: Vec<Constant>,
    /// The blocks in which they are.
    blocks: Vec<Block>,
}

impl Held {
    /// What is held back within so many loops or more.
    fn of(context: &Context, loops: usize) -> Held {
        let func = &context.func;
        let depth = |block: Block| context.loop_analysis.loop_level(block).level();
        let (mut held, mut seen) = (HashSet::new(), HashSet::new());
        let (mut constants, mut blocks) = (Vec::new(), Vec::new());
        for block in context.domtree.cfg_rpo().copied().filter(|block| depth(*block) >= loops) {
            for inst in func.layout.block_insts(block).filter(|inst| is_pure(func, *inst)) {
                let args = func.dfg.inst_args(inst).iter().map(|arg| func.dfg.resolve_aliases(*arg));
                let args: Vec<(ValueDef, Option<Constant>)> =
                    args.map(|arg| (func.dfg.value_def(arg), constant(func, arg))).collect();
                let is_there = |(def, constant): &(ValueDef, Option<Constant>)| match def {
                    _ if constant.is_some() => true,
                    ValueDef::Result(by, _) if held.contains(by) => true,
                    ValueDef::Result(by, _) => func.layout.inst_block(*by).is_some_and(|at| depth(at) == 0),
                    ValueDef::Param(at, _) => depth(*at) == 0,
                    ValueDef::Union(..) => false,
                };
                if !args.is_empty() && args.iter().all(is_there) {
                    held.insert(inst);
                    constants.extend(args.into_iter().filter_map(|(_, c)| c).filter(|c| seen.insert(*c)));
                }
            }
            let is_held = func.layout.block_insts(block).any(|inst| held.contains(&inst));
            blocks.extend(is_held.then_some(block));
        }
        Held { instructions: held.len(), constants, blocks }
    }
}

/// Whether an instruction gives the same for the same arguments, wherever it stands.
fn is_pure(func: &Function, inst: Inst) -> bool {
    let (data, opcode) = (&func.dfg.insts[inst], func.dfg.insts[inst].opcode());
    let reads_what_stays = data.memflags_data(&func.dfg).is_some_and(|flags| flags.readonly() && flags.can_move());
    !opcode.is_branch()
        && !opcode.other_side_effects()
        && !opcode.can_trap()
        && !opcode.can_store()
        && (!opcode.can_load() || reads_what_stays)
}

/// The instruction and type of a constant.
fn constant(func: &Function, value: Value) -> Option<Constant> {
    let data = func.dfg.insts[func.dfg.value_def(value).inst()?];
    let is_constant = matches!(data, InstructionData::UnaryImm { .. } | InstructionData::UnaryConst { .. });
    is_constant.then(|| (data, func.dfg.value_type(value)))
}

/// The bits of a number of 64 bits or fewer, if it is a constant.
pub(super) fn known_word(dfg: &DataFlowGraph, v: Value) -> Option<u64> {
    match dfg.insts[dfg.value_def(v).inst()?] {
        InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits() as u64),
        _ => None,
    }
}

/// The last block outside of all loops through which every way to some blocks leads.
fn before_all(context: &Context, blocks: &[Block]) -> Option<Block> {
    let (tree, loops) = (&context.domtree, &context.loop_analysis);
    let (first, others) = blocks.split_first()?;
    let mut at = *first;
    for block in others {
        while !tree.block_dominates(at, *block) {
            at = tree.idom(at)?;
        }
    }
    while loops.loop_level(at).level() > 0 {
        at = tree.idom(at)?;
    }
    Some(at)
}

/// Ends a block with a branch that has constants as its arguments; to where.
fn branch_with(func: &mut Function, before: Block, constants: &[Constant]) -> Option<Block> {
    let entry = func.layout.entry_block()?;
    let (Some(end), [_, context, ..]) = (func.layout.last_inst(before), func.dfg.block_params(entry)) else {
        return None;
    };
    let context = *context;
    let (rest, never) = (func.dfg.make_block(), func.dfg.make_block());
    func.layout.split_block(rest, end);
    func.layout.append_block(never);
    func.layout.set_cold(never);
    let mut at = FuncCursor::new(func);
    at.goto_bottom(before);
    let mut place = |(data, ty): &Constant| {
        let inst = at.func.dfg.make_inst(*data);
        at.func.dfg.make_inst_results(inst, *ty);
        at.insert_inst(inst);
        BlockArg::from(at.func.dfg.first_result(inst))
    };
    let placed: Vec<BlockArg> = constants.iter().map(&mut place).collect();
    at.ins().brif(context, rest, &[], never, &placed);
    // The arguments change in that block, or they would be taken for constants and removed.
    let now: Vec<Value> = constants.iter().map(|(_, ty)| at.func.dfg.append_block_param(never, *ty)).collect();
    at.goto_bottom(never);
    let next: Vec<BlockArg> = now.into_iter().map(|v| BlockArg::from(at.ins().bnot(v))).collect();
    at.ins().jump(never, &next);
    Some(never)
}

/// Gives each block of a function that is optimized the constants that it needs: one that waits for its use takes a
/// register, or is written to memory and read again, and to compute it again costs no more.
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

#[cfg(test)]
mod tests {
    use cranelift_codegen::ir::condcodes::IntCC;
    use cranelift_codegen::ir::{AbiParam, Opcode, types};
    use cranelift_codegen::settings::{self, Configurable as _};
    use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

    use super::*;

    fn isa() -> cranelift_codegen::isa::OwnedTargetIsa {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").expect("a setting");
        flags.set("enable_verifier", "true").expect("a setting");
        let isa = cranelift_native::builder().expect("this machine");
        isa.finish(settings::Flags::new(flags)).expect("settings that agree")
    }

    /// Two loops, one in the other, with a sum of so many products of the first parameter in the inner one.
    fn two_loops(products: i64) -> Context {
        let (mut context, mut room) = (Context::new(), FunctionBuilderContext::new());
        context.func.signature.params.extend([AbiParam::new(types::I64); 2]);
        context.func.signature.returns.push(AbiParam::new(types::I64));
        let mut b = FunctionBuilder::new(&mut context.func, &mut room);
        let [entry, outer, inner, next, done] = std::array::from_fn(|_| b.create_block());
        b.append_block_params_for_function_params(entry);
        let given = b.block_params(entry)[0];
        let [turns, sum] = [types::I64; 2].map(|ty| b.append_block_param(outer, ty));
        let [again, within] = [types::I64; 2].map(|ty| b.append_block_param(inner, ty));
        let last = b.append_block_param(next, types::I64);
        b.switch_to_block(entry);
        let zero = b.ins().iconst(types::I64, 0);
        b.ins().jump(outer, &[zero.into(), zero.into()]);
        b.switch_to_block(outer);
        b.ins().jump(inner, &[zero.into(), sum.into()]);
        b.switch_to_block(inner);
        let mut total = within;
        for i in 0..products {
            let by = b.ins().iconst(types::I64, 1_000_003 + 2 * i);
            let product = b.ins().imul(given, by);
            total = b.ins().bxor(total, product);
        }
        let (one, most) = (b.ins().iconst(types::I64, 1), b.ins().iconst(types::I64, 9));
        let more = b.ins().iadd(again, one);
        let goes_on = b.ins().icmp(IntCC::UnsignedLessThan, more, most);
        b.ins().brif(goes_on, inner, &[more.into(), total.into()], next, &[total.into()]);
        b.switch_to_block(next);
        let more = b.ins().iadd(turns, one);
        let goes_on = b.ins().icmp(IntCC::UnsignedLessThan, more, most);
        b.ins().brif(goes_on, outer, &[more.into(), last.into()], done, &[]);
        b.switch_to_block(done);
        b.ins().return_(&[last]);
        b.seal_all_blocks();
        b.finalize(isa().frontend_config());
        context
    }

    /// How many products are computed within a loop.
    fn products_in_loops(context: &mut Context) -> usize {
        context.optimize(&*isa(), &mut ControlPlane::default()).expect("sound code");
        context.compute_loop_analysis();
        let Context { func, loop_analysis, .. } = context;
        let in_loops = func.layout.blocks().filter(|block| loop_analysis.loop_level(*block).level() > 0);
        let opcodes = in_loops.flat_map(|b| func.layout.block_insts(b)).map(|i| func.dfg.insts[i].opcode());
        opcodes.filter(|opcode| *opcode == Opcode::Imul).count()
    }

    #[test]
    fn what_two_loops_have_in_common_is_computed_before_both() {
        assert_eq!(products_in_loops(&mut two_loops(200)), 200, "if this is 0, nothing need be placed");
        let mut placed = two_loops(200);
        let never = place_first(&mut placed, &*isa()).expect("sound code").expect("a branch");
        assert_eq!(products_in_loops(&mut placed), 0);
        take_back(&mut placed, never);
        copy_constants(&mut placed.func);
        assert_eq!(constants_from_elsewhere(&placed.func), 0);
        let isa = isa();
        placed.compile(&*isa, &mut ControlPlane::default()).expect("code");
        assert!(!placed.func.layout.is_block_inserted(never));
    }

    /// How many arguments are constants of another block.
    fn constants_from_elsewhere(func: &Function) -> usize {
        let args = |block: Block, inst: Inst| {
            func.dfg.inst_values(inst).filter(move |v| constant_from_elsewhere(func, *v, block).is_some()).count()
        };
        func.layout.blocks().flat_map(|block| func.layout.block_insts(block).map(move |inst| args(block, inst))).sum()
    }

    /// A constant that two blocks need, of which the first leads to the other.
    #[test]
    fn each_block_has_constants_of_its_own() {
        let (mut context, mut room) = (Context::new(), FunctionBuilderContext::new());
        context.func.signature.params.push(AbiParam::new(types::I64));
        context.func.signature.returns.push(AbiParam::new(types::I64));
        let mut b = FunctionBuilder::new(&mut context.func, &mut room);
        let [entry, next] = std::array::from_fn(|_| b.create_block());
        b.append_block_params_for_function_params(entry);
        let last = b.append_block_param(next, types::I64);
        b.switch_to_block(entry);
        let given = b.block_params(entry)[0];
        let constant = b.ins().iconst(types::I64, 1_000_003);
        let product = b.ins().imul(given, constant);
        b.ins().jump(next, &[product.into()]);
        b.switch_to_block(next);
        let sum = b.ins().iadd(last, constant);
        let sum = b.ins().imul(sum, constant);
        b.ins().return_(&[sum]);
        b.seal_all_blocks();
        b.finalize(isa().frontend_config());
        assert_eq!(constants_from_elsewhere(&context.func), 2);
        copy_constants(&mut context.func);
        context.verify(&*isa()).expect("a sound function");
        assert_eq!(constants_from_elsewhere(&context.func), 0);
        let insts = context.func.layout.blocks().flat_map(|block| context.func.layout.block_insts(block));
        let constants = insts.filter(|inst| context.func.dfg.insts[*inst].opcode() == Opcode::Iconst);
        assert_eq!(constants.count(), 2, "one for each block");
    }

    #[test]
    fn a_few_instructions_are_left_where_they_are() {
        let (mut placed, before) = (two_loops(100), two_loops(100));
        place_first(&mut placed, &*isa()).expect("sound code");
        assert_eq!(placed.func.to_string(), before.func.to_string());
    }
}
