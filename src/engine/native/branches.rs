//! Branches of a function that is optimized test what is computed anyway.

use std::collections::HashSet;

use cranelift_codegen::cursor::{Cursor as _, FuncCursor};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Function, Inst, InstBuilder as _, InstructionData, Opcode, Value};

use super::constants::known_word;

/// Has branches test members that are found anyway. Otherwise the test is computed for itself: in "not one of those"
/// what those are not.
pub(super) fn test_what_is_found(func: &mut Function) {
    let insts: Vec<Inst> = func.layout.blocks().flat_map(|block| func.layout.block_insts(block)).collect();
    let used: HashSet<Value> = insts.iter().flat_map(|inst| used_by(func, *inst)).collect();
    for inst in insts {
        let InstructionData::Brif { arg: c, .. } = func.dfg.insts[inst] else { continue };
        let (found, cond) = tested(func, c);
        let ty = func.dfg.value_type(found);
        if !used.contains(&found) || !is_left_over(func, found) || ty.bits() > 64 {
            continue;
        }
        // The same of numbers without sign; in this form it is not computed for itself.
        let cond = if cond == IntCC::Equal { IntCC::UnsignedLessThanOrEqual } else { IntCC::UnsignedGreaterThan };
        let mut at = FuncCursor::new(func).at_inst(inst);
        let zero = at.ins().iconst(ty, 0);
        let c = at.ins().icmp(cond, found, zero);
        if let InstructionData::Brif { arg, .. } = &mut func.dfg.insts[inst] {
            *arg = c;
        }
    }
}

/// The value of which a condition asks whether it is 0 (`Equal`) or not.
fn tested(func: &Function, c: Value) -> (Value, IntCC) {
    let made = func.dfg.value_def(c).inst().map(|inst| func.dfg.insts[inst]);
    match made {
        Some(InstructionData::IntCompare {
            args: [v, zero], cond: cond @ (IntCC::Equal | IntCC::NotEqual), ..
        }) if known_word(&func.dfg, zero) == Some(0) => (v, cond),
        _ => (c, IntCC::NotEqual),
    }
}

/// The values that an instruction uses otherwise than to ask whether they are 0.
fn used_by(func: &Function, inst: Inst) -> impl Iterator<Item = Value> {
    let tests = match func.dfg.insts[inst] {
        InstructionData::IntCompare { .. } => {
            tested(func, func.dfg.first_result(inst)).0 != func.dfg.first_result(inst)
        }
        InstructionData::Brif { .. } => true,
        _ => false,
    };
    func.dfg.inst_values(inst).skip(usize::from(tests))
}

/// Whether a value is what is left of some members without others.
fn is_left_over(func: &Function, v: Value) -> bool {
    let made = |v: Value| func.dfg.value_def(v).inst().map(|inst| func.dfg.insts[inst]);
    let Some(InstructionData::Binary { opcode: Opcode::Band, args }) = made(v) else { return false };
    args.iter().any(|arg| matches!(made(*arg), Some(InstructionData::Unary { opcode: Opcode::Bnot, .. })))
}

#[cfg(test)]
mod tests {
    use cranelift_codegen::Context;
    use cranelift_codegen::ir::{AbiParam, types};
    use cranelift_codegen::settings::{self, Flags};
    use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

    use super::*;

    /// How a branch tests whether one parameter without the other is 0, where that is what is returned, or not.
    fn test_of(returned: bool, opposite: bool) -> IntCC {
        let (mut context, mut room) = (Context::new(), FunctionBuilderContext::new());
        context.func.signature.params.extend([AbiParam::new(types::I64); 2]);
        context.func.signature.returns.push(AbiParam::new(types::I64));
        let mut b = FunctionBuilder::new(&mut context.func, &mut room);
        let [entry, none, some] = std::array::from_fn(|_| b.create_block());
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let [all, others] = [0, 1].map(|i| b.block_params(entry)[i]);
        let without = if opposite { b.ins().bnot(others) } else { others };
        let left = b.ins().band(all, without);
        let zero = b.ins().iconst(types::I64, 0);
        let c = b.ins().icmp(IntCC::Equal, left, zero);
        b.ins().brif(c, none, &[], some, &[]);
        for (block, v) in [(none, all), (some, if returned { left } else { others })] {
            b.switch_to_block(block);
            b.ins().return_(&[v]);
        }
        b.seal_all_blocks();
        let isa = cranelift_native::builder().expect("this machine");
        let isa = isa.finish(Flags::new(settings::builder())).expect("settings that agree");
        b.finalize(isa.frontend_config());
        test_what_is_found(&mut context.func);
        context.verify(&*isa).expect("a sound function");
        let func = &context.func;
        let InstructionData::Brif { arg, .. } = func.dfg.insts[func.layout.last_inst(entry).expect("a branch")] else {
            panic!("no branch");
        };
        func.dfg.insts[func.dfg.value_def(arg).inst().expect("a comparison")].cond_code().expect("a comparison")
    }

    #[test]
    fn what_is_found_anyway_is_tested() {
        assert_eq!(test_of(true, true), IntCC::UnsignedLessThanOrEqual);
        // What is needed for the test alone stays in it, and so does what is tested as cheaply.
        assert_eq!(test_of(false, true), IntCC::Equal);
        assert_eq!(test_of(true, false), IntCC::Equal);
    }
}
