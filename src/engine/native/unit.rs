//! What all functions of a game share: the memory of the code, tables, functions that wait to be built.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cranelift_codegen::CodegenError;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, FuncRef, Function, InstBuilder as _, Signature, UserFuncName, Value, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable as _, SetError};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _, ModuleError, default_libcall_names};
use rayon::Scope;

use super::buffer::Buffer;
use super::build::Build;
use super::cells::Cells;
use super::compiler::{Code, Compiler, Isas};
use super::decision::ends_are_few;
use super::flow::{Kind, bound_of_slot, bound_with};
use super::inlined::InlinedCodes;
use super::int::{Bitset, Bound, Int, Width};
use super::memory::Reserve;
use super::obligations::{narrow, pick_kept};
use super::tree_call::{TreeCall, ask_tree};
use super::tree_steps::order_hooks;
use super::value_index::ValueIndex;
use super::watched::{EndPart, end_parts};
use crate::engine::bits::{Bits, Narrow};
use crate::engine::fallback::Fallback;
use crate::engine::ir::{Cond, Num, SetE};
use crate::engine::program::Program;
use crate::engine::report::EngineNote;
use crate::engine::tree::{Summary, of};

/// The maximum number of instructions of all functions together, before they become machine code.
pub(super) const MAX_INSTRUCTIONS: usize = 3_000_000;

/// The maximum number of bytes for sets on the stack of a function.
const MAX_FRAME: u64 = 1 << 16;

/// The maximum number of bytes that the code keeps of what it found.
const MAX_KEPT: u32 = 1 << 16;

/// A function to be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Job {
    /// A shared tree: its kind and place, and whether numbers that it is given have known bounds.
    Shared(u8, u32, bool),
    /// The options of an action.
    Act(usize),
    /// The options at a decision point: a code and an instruction.
    Site(usize, u16),
    /// The endings.
    Ends,
    /// The same, where one of them holds.
    Ending,
    /// Clearing a code's variables as it is left.
    Clear,
    /// From a choice to the next decision point, or on at random.
    Run,
    /// The effect that is this code on its own, for looking ahead.
    Effect(usize),
    /// The worth of an action for an obligation: which action, which obligation.
    Worth(usize, usize),
    /// Whether an obligation about an action may be in force.
    Duty(usize),
    /// What a position is worth to a seat.
    Position,
}

/// The least and the greatest that a number can be, if they are known.
type Bounds = Option<(i64, i64)>;

/// Tables of a game's code: they live as long as it does.
#[derive(Debug, Default)]
pub(super) struct Tables {
    numbers: Vec<Buffer<i32>>,
    words: Vec<Buffer<u64>>,
    /// Expressions that stay trees.
    calls: Vec<Arc<TreeCall>>,
}

/// Functions that are there already: their parameters and results, of 64 bits each.
const HELPERS: [(&str, usize, usize); 6] = [
    ("select", 2, 1),
    ("pick", 2, 0),
    ("ask_tree", 5, 1),
    ("order_hooks", 5, 1),
    ("narrow", 4, 1),
    ("pick_kept", 2, 0),
];

/// Functions under construction.
pub(super) struct Unit<'p> {
    pub program: &'p Program,
    /// What stands beside a position's bytes.
    pub value_index: ValueIndex,
    /// What single numbers can be.
    pub cells: Cells,
    /// The codes that need no frame.
    pub inlined_codes: InlinedCodes,
    /// The maximum number of groups of options.
    pub max_groups: u32,
    pub module: JITModule,
    /// How functions are compiled, and how very large ones are.
    isas: Isas,
    /// Functions that are there already.
    helpers: Vec<FuncId>,
    pub tables: Tables,
    /// The bytes that the code keeps of what it found.
    pub kept: u32,
    /// Where they are, by what is found.
    kept_places: HashMap<String, u32>,
    /// The parts of what the endings ask, where those that read what was changed are looked at; none where all are.
    pub end_parts: Vec<EndPart>,
    /// What is left to the trees.
    pub notes: Vec<EngineNote>,
    /// Whether what is worked out is counted, as it may become too much.
    pub counted: bool,
    /// What went wrong, if anything did.
    pub trouble: Option<UnitError>,
    /// How much memory to reserve for the code.
    wanted: Arc<AtomicUsize>,
    known: HashMap<(usize, Option<i32>, usize), *const u8>,
    /// Sets of more than 128.
    known_parts: HashMap<Vec<Narrow>, *const u8>,
    /// Tables of sets that were put together, and how many bytes they take.
    known_combined: HashMap<Arc<[u64]>, *const u8>,
    combined: usize,
    /// The bits that shared sets can have.
    bounds: RefCell<HashMap<u32, Bound>>,
    jobs: HashMap<Job, FuncId>,
    /// The functions that do nothing but give values.
    answering: HashSet<FuncId>,
    /// The bounds of the numbers that shared trees are given, by kind and place.
    bounded: HashMap<(u8, u32), Vec<Bounds>>,
    waiting: Vec<(Job, FuncId)>,
}

/// Why machine code cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// A setting that Cranelift does not know.
    #[error(transparent)]
    Setting(#[from] SetError),
    /// A processor for which there is no code.
    #[error("{0}")]
    Machine(&'static str),
    /// A function cannot be compiled.
    #[error(transparent)]
    Code(#[from] Box<CodegenError>),
    /// A function cannot be declared or placed.
    #[error(transparent)]
    Module(#[from] Box<ModuleError>),
}

impl From<CodegenError> for UnitError {
    fn from(error: CodegenError) -> UnitError {
        Box::new(error).into()
    }
}

impl From<ModuleError> for UnitError {
    fn from(error: ModuleError) -> UnitError {
        Box::new(error).into()
    }
}

impl<'p> Unit<'p> {
    /// No functions yet; where that cannot be on this machine, why.
    pub fn new(program: &'p Program, max_groups: u32) -> Result<Unit<'p>, UnitError> {
        let isas = Isas {
            optimizing: isa_with(&[("opt_level", "speed")])?,
            usual: isa_with(&[("opt_level", "none"), ("regalloc_algorithm", "backtracking")])?,
            quick: isa_with(&[("opt_level", "none"), ("regalloc_algorithm", "single_pass")])?,
        };
        let mut builder = JITBuilder::with_isa(isas.usual.clone(), default_libcall_names());
        let wanted = Arc::<AtomicUsize>::default();
        builder.memory_provider(Box::new(Reserve::new(Arc::clone(&wanted))));
        let (select, pick) = super::helpers();
        builder.symbol("select", select).symbol("pick", pick);
        builder.symbol("ask_tree", ask_tree as *const u8).symbol("order_hooks", order_hooks as *const u8);
        builder.symbol("narrow", narrow as *const u8).symbol("pick_kept", pick_kept as *const u8);
        let mut module = JITModule::new(builder);
        let mut helpers = Vec::new();
        for (name, params, results) in HELPERS {
            let mut s = module.make_signature();
            s.params.extend(vec![AbiParam::new(types::I64); params]);
            s.returns.extend(vec![AbiParam::new(types::I64); results]);
            helpers.push(module.declare_function(name, Linkage::Import, &s)?);
        }
        let inlined_codes = InlinedCodes::new(program);
        let value_index = ValueIndex::new(program);
        Ok(Unit {
            helpers,
            program,
            isas,
            value_index,
            cells: Cells::of(program),
            counted: inlined_codes.inline_plan.counted,
            inlined_codes,
            max_groups,
            module,
            tables: Tables::default(),
            kept: 0,
            kept_places: HashMap::new(),
            end_parts: if ends_are_few(program) { end_parts(program) } else { Vec::new() },
            notes: Vec::new(),
            trouble: None,
            wanted,
            known: HashMap::new(),
            known_parts: HashMap::new(),
            known_combined: HashMap::new(),
            combined: 0,
            bounds: RefCell::default(),
            jobs: HashMap::new(),
            answering: HashSet::new(),
            bounded: HashMap::new(),
            waiting: Vec::new(),
        })
    }

    /// Where a table of numbers is, with some entries more at its end, all the same.
    pub fn numbers(&mut self, table: &Arc<[i32]>, (last, more): (i32, usize)) -> *const u8 {
        let key = (table.as_ptr() as usize, Some(last), more);
        if let Some(found) = self.known.get(&key) {
            return *found;
        }
        let copy = Buffer::of(table.iter().copied().chain(std::iter::repeat_n(last, more)).collect());
        let at = copy.as_ptr().cast();
        self.tables.numbers.push(copy);
        self.known.insert(key, at);
        at
    }

    /// Where a table of sets is, with some empty ones more at its end, all held alike.
    pub fn rows(&mut self, table: &Arc<[Bits]>, width: Width, more: usize) -> *const u8 {
        let key = (table.as_ptr() as usize, None, more);
        if let Some(found) = self.known.get(&key) {
            return *found;
        }
        let rows = table.iter().chain(std::iter::repeat_n(&Bits::NONE, more));
        let parts = |row: &Bits| (0..width.parts() as usize).map(|i| row.part(i)).collect::<Vec<_>>();
        let copy: Vec<u64> = match width {
            Width::Word => rows.map(|row| row.narrow() as u64).collect(),
            _ => rows.flat_map(|row| words(&parts(row))).collect(),
        };
        let at = self.table(copy);
        self.known.insert(key, at);
        at
    }

    /// Where a table that was put together is; `None` if all of them would take more than so many bytes.
    pub fn combined(&mut self, table: &Arc<[u64]>, most: usize) -> Option<*const u8> {
        if let Some(found) = self.known_combined.get(table) {
            return Some(*found);
        }
        self.combined += 8 * table.len();
        if self.combined > most {
            return None;
        }
        let at = self.table(table.to_vec());
        self.known_combined.insert(Arc::clone(table), at);
        Some(at)
    }

    /// Where a set in parts is.
    pub fn parts(&mut self, parts: &[Narrow]) -> *const u8 {
        if let Some(found) = self.known_parts.get(parts) {
            return *found;
        }
        let at = self.table(words(parts));
        self.known_parts.insert(parts.to_vec(), at);
        at
    }

    /// Where these words are.
    pub fn table(&mut self, words: Vec<u64>) -> *const u8 {
        let copy = Buffer::of(words);
        let at = copy.as_ptr().cast();
        self.tables.words.push(copy);
        at
    }

    /// The bits that a shared set can have, whoever asks for it.
    pub fn bound_of_shared(&self, i: u32) -> Bound {
        let mut known = self.bounds.borrow_mut();
        if let Some(bound) = known.get(&i) {
            return *bound;
        }
        let shared = self.program.shared.sets.get(i as usize);
        let bound = shared.map_or(Bound::NONE, |s| bound_with(self.program, &HashMap::new(), s, &mut known));
        known.insert(i, bound);
        bound
    }

    /// Where to keep so many bytes, whole words, of what is found in one way; `None` if there is too much of it.
    pub fn keep_room(&mut self, what: String, bytes: u32) -> Option<u32> {
        if let Some(first) = self.kept_places.get(&what) {
            return Some(*first);
        }
        let first = self.kept;
        let end = first.checked_add(bytes.next_multiple_of(8)).filter(|end| *end <= MAX_KEPT)?;
        self.kept = end;
        self.kept_places.insert(what, first);
        Some(first)
    }

    fn signature(&self, params: usize, of: &[types::Type], results: &[types::Type]) -> Signature {
        let mut s = self.module.make_signature();
        // The position and the context.
        for _ in 0..2 {
            s.params.push(AbiParam::new(types::I64));
        }
        debug_assert!(params == of.len());
        s.params.extend(of.iter().map(|t| AbiParam::new(*t)));
        s.returns.extend(results.iter().map(|t| AbiParam::new(*t)));
        s
    }

    /// The function of a job, to be built once.
    pub fn job(&mut self, job: Job) -> Result<FuncId, Fallback> {
        if let Some(id) = self.jobs.get(&job) {
            return Ok(*id);
        }
        let s = self.signature_of(job);
        let id = self.module.declare_function(&format!("{job:?}"), Linkage::Local, &s);
        let id = id.map_err(|e| self.went_wrong(e))?;
        self.jobs.insert(job, id);
        if matches!(job, Job::Shared(..)) && !s.returns.is_empty() {
            self.answering.insert(id);
        }
        self.waiting.push((job, id));
        Ok(id)
    }

    fn signature_of(&self, job: Job) -> Signature {
        let many = |n: usize, t| vec![t; n];
        match job {
            Job::Shared(kind, i, _) => {
                let s = self.summary(kind, i);
                let mut params = many(s.slots.len(), types::I32);
                let words = |slot: &u16| if bound_of_slot(self.program, *slot).width().in_memory() { 1 } else { 2 };
                params.extend(many(s.sets.iter().map(words).sum(), types::I64));
                let results = match kind {
                    0 => vec![types::I32],
                    1 => vec![types::I8],
                    _ if self.bound_of_shared(i).width().in_memory() => {
                        params.push(types::I64);
                        Vec::new()
                    }
                    _ => vec![types::I64, types::I64],
                };
                self.signature(params.len(), &params, &results)
            }
            Job::Act(_) => self.signature(1, &[types::I32], &[]),
            Job::Site(..) | Job::Run => self.signature(0, &[], &[types::I32]),
            Job::Ends | Job::Ending | Job::Clear => self.signature(1, &[types::I32], &[types::I32]),
            Job::Effect(i) => {
                let n = self.program.codes.get(i).map_or(0, |c| c.params.len());
                self.signature(n, &many(n, types::I32), &[types::I32])
            }
            Job::Worth(..) | Job::Duty(_) | Job::Position => self.signature(1, &[types::I32], &[types::I32]),
        }
    }

    fn summary(&self, kind: u8, i: u32) -> Summary {
        let shared = &self.program.shared;
        let at = i as usize;
        match kind {
            0 => shared.nums.get(at).map(|t| of(shared, t)),
            1 => shared.conds.get(at).map(|t| of(shared, t)),
            _ => shared.sets.get(at).map(|t| of(shared, t)),
        }
        .unwrap_or_default()
    }

    /// A function as another one calls it.
    pub fn call(&mut self, job: Job, func: &mut Function) -> Option<FuncRef> {
        let id = self.job(job).ok()?;
        Some(self.module.declare_func_in_func(id, func))
    }

    /// The function that finds the n-th bit of a word.
    pub fn select(&mut self, func: &mut Function) -> FuncRef {
        self.module.declare_func_in_func(self.helpers[0], func)
    }

    /// The function that takes an option of those written down as the choice.
    pub fn pick(&mut self, func: &mut Function) -> FuncRef {
        self.module.declare_func_in_func(self.helpers[1], func)
    }

    /// The function that asks the trees for the value of an expression.
    pub fn ask_tree(&mut self, func: &mut Function) -> FuncRef {
        self.module.declare_func_in_func(self.helpers[2], func)
    }

    /// The function that orders hooks.
    pub fn order_hooks(&mut self, func: &mut Function) -> FuncRef {
        self.module.declare_func_in_func(self.helpers[3], func)
    }

    /// The functions that weigh obligations, and take an option of those kept as the choice.
    pub fn weigh(&mut self, func: &mut Function) -> [FuncRef; 2] {
        [4, 5].map(|i| self.module.declare_func_in_func(self.helpers[i], func))
    }

    /// Keeps an expression that stays a tree for as long as the code; where it is.
    pub fn tree_call(&mut self, call: TreeCall) -> *const TreeCall {
        let call = Arc::new(call);
        let at = Arc::as_ptr(&call);
        self.tables.calls.push(call);
        at
    }

    /// Builds all that waits, and what that asks for in turn. Meanwhile other threads make machine code of it.
    pub fn build(&mut self) -> Result<(), Fallback> {
        let compiler = Compiler::new(self.isas.clone());
        rayon::in_place_scope(|threads| self.build_all(&compiler, threads))?;
        let codes = compiler.codes().map_err(|e| self.went_wrong(e))?;
        let sizes = codes.iter().map(Code::room);
        // What is left over of a piece when the next does not fit is less than that.
        self.wanted.store(2 * sizes.sum::<usize>() + (1 << 16), Ordering::Relaxed);
        for Code { id, bytes, alignment, relocs } in &codes {
            let defined = self.module.define_function_bytes(*id, *alignment, bytes, relocs);
            defined.map_err(|e| self.went_wrong(e))?;
        }
        self.module.finalize_definitions().map_err(|e| self.went_wrong(e))
    }

    fn build_all<'s>(&mut self, compiler: &'s Compiler, threads: &Scope<'s>) -> Result<(), Fallback> {
        let mut room = FunctionBuilderContext::new();
        let mut instructions = 0;
        while let Some((job, id)) = self.waiting.pop() {
            let mut context = Context::new();
            context.func.signature = self.signature_of(job);
            context.func.name = UserFuncName::user(0, id.as_u32());
            let config = self.module.target_config();
            let still = !matches!(job, Job::Run | Job::Effect(_) | Job::Clear);
            let b = FunctionBuilder::new(&mut context.func, &mut room);
            let (mut build, params) = Build::new(self, b, still);
            build.function(job, &params)?;
            instructions += build.b.func.dfg.num_insts();
            if instructions > MAX_INSTRUCTIONS {
                return Err(Fallback::TooLarge);
            }
            build.b.seal_all_blocks();
            build.b.finalize(config);
            let frame: u64 = context.func.sized_stack_slots.values().map(|slot| u64::from(slot.size)).sum();
            if frame > MAX_FRAME {
                return Err(Fallback::LargeSet);
            }
            // Where what is worked out is counted, each call counts.
            let once = still && !self.counted;
            let answering = if once { self.answering_in(&context.func) } else { HashSet::new() };
            compiler.take(id, (context, answering), threads);
        }
        Ok(())
    }

    /// The functions that a function calls and that do nothing but give values.
    fn answering_in(&self, func: &Function) -> HashSet<FuncId> {
        let called = func.params.user_named_funcs().values().map(|name| FuncId::from_u32(name.index));
        called.filter(|id| self.answering.contains(id)).collect()
    }

    /// The function of a shared tree for numbers that it is given. Where numbers have bounds, the first call decides
    /// which; calls with other numbers go to a second function, for any.
    pub fn shared(&mut self, kind: u8, i: u32, given: &[Int]) -> Job {
        let certain = |n: &Int| n.sure && !n.maybe;
        let varies = |n: &Int| (certain(n) && n.lo < n.hi).then_some((n.lo, n.hi));
        if !given.iter().any(|n| varies(n).is_some()) {
            return Job::Shared(kind, i, false);
        }
        let bounded = self.bounded.entry((kind, i)).or_insert_with(|| given.iter().map(varies).collect());
        let fits = |(n, bounds): (&Int, &Bounds)| match bounds {
            Some((lo, hi)) => certain(n) && *lo <= n.lo && n.hi <= *hi,
            None => true,
        };
        Job::Shared(kind, i, given.iter().zip(bounded.iter()).all(fits))
    }

    /// Notes what went wrong.
    fn went_wrong(&mut self, error: impl Into<UnitError>) -> Fallback {
        self.trouble = Some(error.into());
        Fallback::Form
    }

    /// The address of a function that was built.
    pub fn address(&self, job: Job) -> Option<*const u8> {
        self.jobs.get(&job).map(|id| self.module.get_finalized_function(*id))
    }
}

/// How code is made for this machine, with some settings.
fn isa_with(more: &[(&str, &str)]) -> Result<OwnedTargetIsa, UnitError> {
    let mut flags = settings::builder();
    let always = [
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        // A function whose sets take much of the stack ends the program rather than leave the stack.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ];
    for (name, value) in always.iter().chain(more) {
        flags.set(name, value)?;
    }
    let isa = cranelift_native::builder().map_err(UnitError::Machine)?;
    Ok(isa.finish(settings::Flags::new(flags))?)
}

/// Parts as words, the lowest first.
fn words(parts: &[Narrow]) -> Vec<u64> {
    parts.iter().flat_map(|part| [*part as u64, (*part >> 64) as u64]).collect()
}

impl Build<'_, '_, '_> {
    fn function(&mut self, job: Job, params: &[Value]) -> Result<(), Fallback> {
        match job {
            Job::Shared(0, i, bounded) => self.shared_function::<Num>(i, bounded, params),
            Job::Shared(1, i, bounded) => self.shared_function::<Cond>(i, bounded, params),
            Job::Shared(_, i, bounded) => self.shared_function::<SetE>(i, bounded, params),
            Job::Act(i) => self.act_function(i, params),
            Job::Site(code, pc) => self.site_function(code, pc),
            Job::Ends => self.ends_function(params),
            Job::Ending => self.ending_function(params),
            Job::Clear => self.clear_function(params),
            Job::Run => self.run_function().map(|_| ()),
            Job::Effect(code) => self.effect_function(code, params).map(|_| ()),
            Job::Worth(act, must) => self.worth_function(act, must, params),
            Job::Duty(act) => self.duty_function(act, params),
            Job::Position => self.position_function(params),
        }
    }

    fn shared_function<T: Kind>(&mut self, i: u32, bounded: bool, params: &[Value]) -> Result<(), Fallback> {
        let program = self.unit.program;
        let t = T::shared(&program.shared, i).ok_or(Fallback::Form)?;
        let s = of(&program.shared, t);
        let mut params = params.iter().skip(2).copied();
        let bounds = self.unit.bounded.get(&(T::KIND, i)).filter(|_| bounded).cloned().unwrap_or_default();
        for (place, slot) in s.slots.iter().enumerate() {
            let v = params.next().ok_or(Fallback::Form)?;
            let n = match bounds.get(place).copied().flatten() {
                // Proof: `Unit::shared` asks for this of what it is given.
                Some((lo, hi)) => Int::plain(v, lo, hi),
                None => Int::any(v),
            };
            self.slots.insert(*slot, n);
        }
        for slot in &s.sets {
            let bound = bound_of_slot(program, *slot);
            let width = bound.width();
            let first = params.next().ok_or(Fallback::Form)?;
            let v = match width {
                Width::Parts(_) => first,
                _ => {
                    let high = params.next().ok_or(Fallback::Form)?;
                    self.b.ins().iconcat(first, high)
                }
            };
            self.sets.insert(*slot, Bitset { v, width, bound });
        }
        if self.unit.counted {
            let over = self.count_work();
            let (out, on) = (self.block(), self.block());
            self.brif(over, out, on);
            self.to(out);
            let types: Vec<types::Type> = self.b.func.signature.returns.iter().map(|r| r.value_type).collect();
            let nothing: Vec<Value> = types.into_iter().map(|ty| self.b.ins().iconst(ty, 0)).collect();
            self.leave(&nothing);
            self.to(on);
        }
        let bound = if T::KIND == 2 { self.unit.bound_of_shared(i) } else { Bound::NONE };
        let val = T::build(self, t);
        let v = T::raw(self, val, bound);
        let mut results = vec![v];
        if T::KIND == 2 {
            let s = Bitset { v, width: bound.width(), bound };
            results = match s.width {
                Width::Parts(parts) => {
                    let to = params.next().ok_or(Fallback::Form)?;
                    self.add_in_memory(to, parts, s);
                    Vec::new()
                }
                _ => {
                    let v = self.fit(s, Width::Pair);
                    let (low, high) = self.b.ins().isplit(v);
                    vec![low, high]
                }
            };
        }
        self.leave(&results);
        Ok(())
    }
}
