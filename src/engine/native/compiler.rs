//! Machine code of functions that are built, made by several threads while others are still being built.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::{CodegenError, Context};
use cranelift_module::{FuncId, ModuleReloc};
use rayon::Scope;

use super::branches::test_what_is_found;
use super::calls::call_once;
use super::constants::{copy_constants, place_first, take_back};
use super::reread::read_once;

/// The maximum number of instructions of a function that is optimized: of larger ones that would take too long.
const MAX_OPTIMIZED: usize = 100_000;

/// How many instructions may wait to be compiled. Each takes some hundred bytes.
const MAX_WAITING: usize = 100_000;

/// Buffer for what a function takes beside its instructions, when it is put into memory.
const BESIDE: usize = 64;

/// The machine code of a function.
pub(super) struct Code {
    pub id: FuncId,
    pub bytes: Vec<u8>,
    pub alignment: u64,
    pub relocs: Vec<ModuleReloc>,
}

impl Code {
    /// How many bytes it takes in memory, at most.
    pub fn room(&self) -> usize {
        self.bytes.len() + self.alignment as usize + BESIDE * (1 + self.relocs.len())
    }
}

/// How code is made.
#[derive(Clone)]
pub(super) struct Isas {
    /// What optimizes functions, but for very large ones.
    pub optimizing: OwnedTargetIsa,
    /// What makes code of a function that is optimized.
    pub usual: OwnedTargetIsa,
    /// What makes code of a very large function.
    pub quick: OwnedTargetIsa,
}

/// What compiles functions, and what it has made so far.
pub(super) struct Compiler {
    isas: Isas,
    /// The instructions of the functions that are not compiled yet.
    waiting: AtomicUsize,
    made: Mutex<Vec<Result<Code, CodegenError>>>,
}

impl Compiler {
    /// Nothing is made yet.
    pub fn new(isas: Isas) -> Compiler {
        Compiler { isas, waiting: AtomicUsize::new(0), made: Mutex::default() }
    }

    /// Takes a function that is built, with the functions whose calls need not be repeated ([`call_once`]): another
    /// thread compiles it, or this one if enough of them wait.
    pub fn take<'s>(&'s self, id: FuncId, built: (Context, HashSet<FuncId>), threads: &Scope<'s>) {
        let size = built.0.func.dfg.num_insts();
        if self.waiting.load(Ordering::Relaxed) > MAX_WAITING {
            return self.compile(id, built);
        }
        self.waiting.fetch_add(size, Ordering::Relaxed);
        threads.spawn(move |_| {
            self.compile(id, built);
            self.waiting.fetch_sub(size, Ordering::Relaxed);
        });
    }

    fn compile(&self, id: FuncId, built: (Context, HashSet<FuncId>)) {
        let made = self.made_of(id, built);
        if let Ok(mut all) = self.made.lock() {
            all.push(made);
        }
    }

    fn made_of(&self, id: FuncId, (mut context, answering): (Context, HashSet<FuncId>)) -> Result<Code, CodegenError> {
        let Isas { optimizing, usual, quick } = &self.isas;
        let optimized = context.func.dfg.num_insts() <= MAX_OPTIMIZED;
        if optimized {
            read_once(&mut context);
            let never = place_first(&mut context, &**optimizing)?;
            context.optimize(&**optimizing, &mut ControlPlane::default())?;
            if let Some(never) = never {
                take_back(&mut context, never);
            }
            call_once(&mut context, &answering);
            test_what_is_found(&mut context.func);
            copy_constants(&mut context.func);
        }
        let isa = if optimized { usual } else { quick };
        let code = context.compile(&**isa, &mut ControlPlane::default()).map_err(|e| e.inner)?;
        let (bytes, alignment) = (code.code_buffer().to_vec(), u64::from(code.buffer.alignment));
        let relocs = code.buffer.relocs().to_vec();
        let relocs = relocs.iter().map(|r| ModuleReloc::from_mach_reloc(r, &context.func, id)).collect();
        Ok(Code { id, bytes, alignment, relocs })
    }

    /// The code of all functions that it took, in the order of their numbers.
    ///
    /// # Errors
    /// One of them cannot be compiled.
    pub fn codes(self) -> Result<Vec<Code>, CodegenError> {
        let made = self.made.into_inner().unwrap_or_default();
        let mut codes = made.into_iter().collect::<Result<Vec<Code>, CodegenError>>()?;
        codes.sort_by_key(|code| code.id);
        Ok(codes)
    }
}
