//! The memory of machine code: one piece for a whole game, so that no two functions lie too far apart for a call.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cranelift_jit::{ArenaMemoryProvider, BranchProtection, JITMemoryKind, JITMemoryProvider};
use cranelift_module::ModuleResult;

/// Memory that is reserved when the first function is put into it, as much as is then known to be wanted.
pub(super) struct Reserve {
    wanted: Arc<AtomicUsize>,
    arena: Option<ArenaMemoryProvider>,
}

impl Reserve {
    /// As much as stands here when the first function comes.
    pub fn new(wanted: Arc<AtomicUsize>) -> Reserve {
        Reserve { wanted, arena: None }
    }
}

impl JITMemoryProvider for Reserve {
    fn allocate(&mut self, size: usize, align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        let arena = match &mut self.arena {
            Some(arena) => arena,
            none => {
                let arena = ArenaMemoryProvider::new_with_size(self.wanted.load(Ordering::Relaxed));
                none.insert(arena.map_err(io::Error::other)?)
            }
        };
        arena.allocate(size, align, kind)
    }

    unsafe fn free_memory(&mut self) {
        if let Some(mut arena) = self.arena.take() {
            // SAFETY: the caller promises that nobody calls the code any more.
            unsafe { arena.free_memory() };
        }
    }

    fn finalize(&mut self, branch_protection: BranchProtection) -> ModuleResult<()> {
        match &mut self.arena {
            Some(arena) => JITMemoryProvider::finalize(arena, branch_protection),
            None => Ok(()),
        }
    }
}
