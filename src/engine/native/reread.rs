//! What was read of the position, or written there, is not read again while it is the same.
//!
//! Cranelift sees to that only within a block: where ways meet on one of which something was written, it takes all as
//! changed, and so in all that follows. Here the bytes that are written are looked at.

use std::collections::HashMap;

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AliasRegion, Block, Function, Inst, InstructionData, Opcode, Type, Value};

use super::regions::Region;

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
    context.compute_loop_analysis();
    let order: Vec<Block> = context.domtree.cfg_rpo().copied().collect();
    let written = written_in_loops(context, position, &order);
    let mut last: HashMap<Block, Known> = HashMap::new();
    for block in order {
        let mut now = known_at_first(context, block, &last);
        written.get(&block).into_iter().flatten().for_each(|what| forget(&mut now, what.as_ref()));
        let mut next = context.func.layout.first_inst(block);
        while let Some(inst) = next {
            next = context.func.layout.next_inst(inst);
            go_over(&mut context.func, inst, position, &mut now);
        }
        last.insert(block, now);
    }
}

/// What loops write, by the blocks in which they begin; `None` for what may be anything.
fn written_in_loops(context: &Context, position: AliasRegion, order: &[Block]) -> HashMap<Block, Vec<Option<Read>>> {
    let (func, loops) = (&context.func, &context.loop_analysis);
    let mut written: HashMap<Block, Vec<Option<Read>>> = HashMap::new();
    for block in order {
        let writes = func.layout.block_insts(*block).filter_map(|inst| match does(func, inst, position) {
            Does::Writes(read, _) => Some(Some(read)),
            Does::Anything => Some(None),
            _ => None,
        });
        let writes: Vec<Option<Read>> = writes.collect();
        let mut around = loops.innermost_loop(*block);
        while let Some(one) = around {
            written.entry(loops.loop_header(one)).or_default().extend(&writes);
            around = loops.loop_parent(one);
        }
    }
    written
}

/// What is known as a block begins, but for what a loop writes that begins there.
fn known_at_first(context: &Context, block: Block, last: &HashMap<Block, Known>) -> Known {
    let Context { cfg, domtree, loop_analysis: loops, .. } = context;
    let begins = loops.is_loop_header(block);
    let mut ways = Vec::new();
    for before in cfg.pred_iter(block).map(|pred| pred.block).filter(|before| domtree.is_reachable(*before)) {
        match last.get(&before) {
            Some(known) => ways.push(known),
            // The loop goes back.
            None if begins.is_some_and(|begun| loops.is_in_loop(before, begun)) => {}
            // Loops that cross.
            None => return Known::new(),
        }
    }
    common(ways.into_iter())
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

/// What is known after a write, which may be to anything if it is not known where.
fn forget(now: &mut Known, written: Option<&Read>) {
    let Some(written) = written else { return now.clear() };
    let end = |read: &Read| read.offset.saturating_add(read.bytes as i32);
    now.retain(|(read, _)| {
        let apart = end(read) <= written.offset || end(written) <= read.offset;
        read.address == written.address && apart
    });
}

fn place(now: &Known, read: Read) -> Result<usize, usize> {
    now.binary_search_by(|(known, _)| known.cmp(&read))
}

/// Goes over an instruction: puts what is known in its place if it reads that, and notes what is known after it.
fn go_over(func: &mut Function, inst: Inst, position: AliasRegion, now: &mut Known) {
    match does(func, inst, position) {
        Does::Reads(read) => {
            let result = func.dfg.first_result(inst);
            match place(now, read) {
                Ok(i) => {
                    func.dfg.clear_results(inst);
                    func.dfg.change_to_alias(result, now[i].1);
                    func.layout.remove_inst(inst);
                }
                Err(i) => now.insert(i, (read, result)),
            }
        }
        Does::Writes(read, v) => {
            forget(now, Some(&read));
            if let Err(i) = place(now, read) {
                now.insert(i, (read, v));
            }
        }
        Does::Anything => forget(now, None),
        Does::Nothing => {}
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use cranelift_codegen::ir::condcodes::IntCC;
    use cranelift_codegen::ir::{AbiParam, AliasRegionData, InstBuilder as _, MemFlagsData, types};
    use cranelift_codegen::settings::{self, Flags};
    use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

    use super::*;

    /// A function under construction that is given the address of a position.
    struct Made<'a> {
        b: FunctionBuilder<'a>,
        address: Value,
        flags: MemFlagsData,
    }

    impl Made<'_> {
        fn read(&mut self, offset: i32) -> Value {
            self.b.ins().uload8(types::I32, self.flags, self.address, offset)
        }

        fn write(&mut self, ty: Type, address: Value, offset: i32) {
            let v = self.b.ins().iconst(ty, 7);
            self.b.ins().store(self.flags, v, address, offset);
        }

        /// Does something on one of two ways, which then meet.
        fn on_one_way(&mut self, c: Value, something: impl FnOnce(&mut Self)) {
            let [yes, no, done] = std::array::from_fn(|_| self.b.create_block());
            self.b.ins().brif(c, yes, &[], no, &[]);
            self.b.switch_to_block(yes);
            something(self);
            self.b.ins().jump(done, &[]);
            self.b.switch_to_block(no);
            self.b.ins().jump(done, &[]);
            self.b.switch_to_block(done);
        }

        /// Does something again and again.
        fn in_loop(&mut self, something: impl FnOnce(&mut Self) -> Value) {
            let [head, done] = std::array::from_fn(|_| self.b.create_block());
            self.b.ins().jump(head, &[]);
            self.b.switch_to_block(head);
            let c = something(self);
            self.b.ins().brif(c, head, &[], done, &[]);
            self.b.switch_to_block(done);
        }
    }

    /// How many times a function reads, when it no longer reads again what it knows.
    fn reads(build: impl FnOnce(&mut Made)) -> usize {
        let (mut context, mut room) = (Context::new(), FunctionBuilderContext::new());
        context.func.signature.params.push(AbiParam::new(types::I64));
        let data = AliasRegionData { user_id: Region::Position.id(), description: Cow::Borrowed("") };
        let region = context.func.dfg.alias_regions.insert(data);
        let flags = MemFlagsData::trusted().with_alias_region(Some(region));
        let mut b = FunctionBuilder::new(&mut context.func, &mut room);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let address = b.block_params(entry)[0];
        let mut made = Made { b, address, flags };
        build(&mut made);
        made.b.ins().return_(&[]);
        made.b.seal_all_blocks();
        let isa = cranelift_native::builder().expect("this machine");
        let isa = isa.finish(Flags::new(settings::builder())).expect("settings that agree");
        made.b.finalize(isa.frontend_config());
        read_once(&mut context);
        context.verify(&*isa).expect("a sound function");
        let insts = context.func.layout.blocks().flat_map(|block| context.func.layout.block_insts(block));
        insts.filter(|inst| context.func.dfg.insts[*inst].opcode().can_load()).count()
    }

    #[test]
    fn what_was_read_is_not_read_again() {
        assert_eq!(reads(|m| _ = (m.read(3), m.read(3), m.read(4))), 2);
        // Nor what was written as it is read.
        let written = |m: &mut Made| {
            m.write(types::I32, m.address, 3);
            m.b.ins().load(types::I32, m.flags, m.address, 3);
            m.read(3);
        };
        assert_eq!(reads(written), 1);
    }

    #[test]
    fn where_ways_meet_only_what_was_written_is_read_again() {
        let two_reads = |written: i32| {
            reads(move |m| {
                let first = m.read(3);
                m.on_one_way(first, |m| m.write(types::I16, m.address, written));
                m.read(3);
                m.on_one_way(first, |m| m.write(types::I8, m.address, 9));
                m.read(3);
            })
        };
        assert_eq!(two_reads(4), 1, "other bytes");
        assert_eq!(two_reads(2), 2, "the second of two bytes");
        assert_eq!(two_reads(3), 2);
        // What is read on one way only is not known after it.
        let on_one_way = |m: &mut Made| {
            let first = m.read(1);
            m.on_one_way(first, |m| _ = m.read(3));
            m.read(3);
        };
        assert_eq!(reads(on_one_way), 3);
    }

    #[test]
    fn what_is_written_later_in_a_loop_is_read_again() {
        let in_loop = |written: i32| {
            reads(move |m| {
                m.read(3);
                m.in_loop(|m| {
                    let now = m.read(3);
                    m.in_loop(|m| m.read(3));
                    m.write(types::I8, m.address, written);
                    let one = m.b.ins().iconst(types::I32, 1);
                    m.b.ins().icmp(IntCC::Equal, now, one)
                });
                m.read(3);
            })
        };
        assert_eq!(in_loop(4), 1);
        // Once in each turn, and after the last.
        assert_eq!(in_loop(3), 3);
    }

    #[test]
    fn a_write_to_an_unknown_place_changes_all() {
        let elsewhere = |m: &mut Made| {
            let first = m.read(3);
            let by = m.b.ins().uextend(types::I64, first);
            let address = m.b.ins().iadd(m.address, by);
            m.write(types::I8, address, 0);
            m.read(3);
        };
        assert_eq!(reads(elsewhere), 2);
    }
}
