//! A call is not made again where its result is known.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::Context;
use cranelift_codegen::ir::{Block, ExternalName, Function, Inst, InstructionData, Value};
use cranelift_module::FuncId;

/// The maximum number of earlier calls that a call is compared with.
const MAX_EARLIER: usize = 16;

/// The maximum depth to which it is compared how arguments are computed.
const MAX_STEPS: u32 = 4;

/// Removes calls that give what an earlier call gave, in an optimized function that does not change the position that
/// it is given. `answering`: the functions that do nothing but give values, which depend on nothing but their arguments
/// and the position.
pub(super) fn call_once(context: &mut Context, answering: &HashSet<FuncId>) {
    let calls = |func: &Function| -> usize {
        let insts = func.layout.blocks().flat_map(|block| func.layout.block_insts(block));
        insts.filter(|inst| called(func, *inst, answering).is_some()).count()
    };
    if calls(&context.func) < 2 {
        return;
    }
    let order: Vec<Block> = context.domtree.cfg_rpo().copied().collect();
    let mut known: HashMap<FuncId, Vec<(Block, Inst)>> = HashMap::new();
    for block in order {
        let mut next = context.func.layout.first_inst(block);
        while let Some(inst) = next {
            next = context.func.layout.next_inst(inst);
            let Some(id) = called(&context.func, inst, answering) else { continue };
            let (earlier, func) = (known.entry(id).or_default(), &context.func);
            let asks_the_same = |call: Inst| {
                let (now, before) = (func.dfg.inst_args(inst), func.dfg.inst_args(call));
                now.iter().zip(before).all(|(a, b)| is_same(func, *a, *b, MAX_STEPS))
            };
            let mut last = earlier.iter().rev().take(MAX_EARLIER);
            match last.find(|(at, call)| context.domtree.block_dominates(*at, block) && asks_the_same(*call)) {
                Some((_, call)) => give_again(&mut context.func, inst, *call),
                None => earlier.push((block, inst)),
            }
        }
    }
}

/// The function that is called, if it is one of `answering` and called for the position that this function is given.
fn called(func: &Function, inst: Inst, answering: &HashSet<FuncId>) -> Option<FuncId> {
    let InstructionData::Call { func_ref, .. } = func.dfg.insts[inst] else { return None };
    let ExternalName::User(name) = func.dfg.ext_funcs[func_ref].name else { return None };
    let id = FuncId::from_u32(func.params.user_named_funcs()[name].index);
    let position = func.dfg.block_params(func.layout.entry_block()?).first()?;
    let about = func.dfg.resolve_aliases(*func.dfg.inst_args(inst).first()?);
    (answering.contains(&id) && about == *position).then_some(id)
}

/// Whether two values are the same, or computed in the same way, compared to so many steps. An optimized function
/// computes in each block anew what is cheap.
fn is_same(func: &Function, a: Value, b: Value, steps: u32) -> bool {
    let [a, b] = [a, b].map(|v| func.dfg.resolve_aliases(v));
    let made = |v: Value| func.dfg.value_def(v).inst().map(|inst| func.dfg.insts[inst]);
    let alike = |x: &[Value], y: &[Value]| x.iter().zip(y).all(|(x, y)| is_same(func, *x, *y, steps - 1));
    a == b
        || func.dfg.value_type(a) == func.dfg.value_type(b)
            && match (made(a), made(b)) {
                (Some(x @ InstructionData::UnaryImm { .. }), Some(y)) => x == y,
                _ if steps == 0 => false,
                (
                    Some(InstructionData::Binary { opcode: x, args: of_x }),
                    Some(InstructionData::Binary { opcode: y, args: of_y }),
                ) => x == y && alike(&of_x, &of_y),
                (
                    Some(InstructionData::Unary { opcode: x, arg: of_x }),
                    Some(InstructionData::Unary { opcode: y, arg: of_y }),
                ) => x == y && alike(&[of_x], &[of_y]),
                _ => false,
            }
}

/// Puts the values of a call in place of those of another.
fn give_again(func: &mut Function, inst: Inst, call: Inst) {
    let (now, before) = (func.dfg.inst_results(inst).to_vec(), func.dfg.inst_results(call).to_vec());
    func.dfg.clear_results(inst);
    for (now, before) in now.into_iter().zip(before) {
        func.dfg.change_to_alias(now, before);
    }
    func.layout.remove_inst(inst);
}

#[cfg(test)]
mod tests {
    use cranelift_codegen::control::ControlPlane;
    use cranelift_codegen::ir::{
        AbiParam, ExtFuncData, FuncRef, InstBuilder as _, MemFlagsData, Signature, UserExternalName, types,
    };
    use cranelift_codegen::isa::CallConv;
    use cranelift_codegen::settings::{self, Configurable as _, Flags};
    use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

    use super::*;

    /// A function under construction that is given a position and a number.
    struct Made<'a> {
        b: FunctionBuilder<'a>,
        position: Value,
        number: Value,
        called: [FuncRef; 2],
    }

    impl Made<'_> {
        /// Calls one of two functions for a position and the number with something added.
        fn call(&mut self, which: usize, position: Value, more: i64) -> Value {
            let more = self.b.ins().iconst(types::I32, more);
            let n = self.b.ins().iadd(self.number, more);
            let call = self.b.ins().call(self.called[which], &[position, n]);
            self.b.inst_results(call)[0]
        }

        fn on_one_way(&mut self, c: Value, something: impl FnOnce(&mut Self)) {
            let [yes, done] = std::array::from_fn(|_| self.b.create_block());
            self.b.ins().brif(c, yes, &[], done, &[]);
            self.b.switch_to_block(yes);
            something(self);
            self.b.ins().jump(done, &[]);
            self.b.switch_to_block(done);
        }
    }

    /// How many calls a function makes, when it no longer makes one again. Only the first function does nothing but
    /// give a value.
    fn calls(build: impl FnOnce(&mut Made)) -> usize {
        let (mut context, mut room) = (Context::new(), FunctionBuilderContext::new());
        context.func.signature.params = [types::I64, types::I32].map(AbiParam::new).to_vec();
        let mut b = FunctionBuilder::new(&mut context.func, &mut room);
        let mut signature = Signature::new(CallConv::SystemV);
        signature.params = [types::I64, types::I32].map(AbiParam::new).to_vec();
        signature.returns = vec![AbiParam::new(types::I8)];
        let called = [0, 1].map(|index| {
            let name = b.func.declare_imported_user_function(UserExternalName { namespace: 0, index });
            let signature = b.import_signature(signature.clone());
            let name = ExternalName::user(name);
            b.import_function(ExtFuncData { name, signature, colocated: false, patchable: false })
        });
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let (position, number) = (b.block_params(entry)[0], b.block_params(entry)[1]);
        let mut made = Made { b, position, number, called };
        build(&mut made);
        made.b.ins().return_(&[]);
        made.b.seal_all_blocks();
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").expect("a setting");
        let isa = cranelift_native::builder().expect("this machine").finish(Flags::new(flags));
        let isa = isa.expect("settings that agree");
        made.b.finalize(isa.frontend_config());
        context.optimize(&*isa, &mut ControlPlane::default()).expect("a sound function");
        call_once(&mut context, &HashSet::from([FuncId::from_u32(0)]));
        context.verify(&*isa).expect("a sound function");
        let insts = context.func.layout.blocks().flat_map(|block| context.func.layout.block_insts(block));
        insts.filter(|inst| context.func.dfg.insts[*inst].opcode().is_call()).count()
    }

    #[test]
    fn the_same_call_is_made_once() {
        let twice = |which, other_number| {
            calls(move |m| {
                let first = m.call(which, m.position, 3);
                // What is cheap is computed again in the other block.
                m.on_one_way(first, |m| _ = m.call(which, m.position, other_number));
            })
        };
        assert_eq!(twice(0, 3), 1);
        assert_eq!(twice(0, 4), 2, "another number");
        assert_eq!(twice(1, 3), 2, "a function that may do something");
    }

    #[test]
    fn a_call_on_one_way_says_nothing_after_it() {
        let after = |m: &mut Made| {
            let first = m.call(0, m.position, 1);
            m.on_one_way(first, |m| _ = m.call(0, m.position, 2));
            m.call(0, m.position, 2);
        };
        assert_eq!(calls(after), 3);
    }

    #[test]
    fn another_position_may_change() {
        let other = |m: &mut Made| {
            let copy = m.b.ins().load(types::I64, MemFlagsData::trusted(), m.position, 8);
            m.call(0, copy, 1);
            m.call(0, copy, 1);
        };
        assert_eq!(calls(other), 2);
    }
}
