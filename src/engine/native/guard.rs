//! Memory between guard pages, for tests: an access one byte outside ends the test.

use std::cell::Cell;
use std::marker::PhantomData;
use std::slice;

use region::{Allocation, Protection};

use super::Unmade;

/// Where a list lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Guard {
    /// Its first byte is the first of a page; what stands before may not be touched.
    Before,
    /// Its last byte is the last of a page; what stands after may not be touched.
    After,
}

/// What goes wrong when machine code is made, in tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Strike {
    Error,
    Panic,
}

thread_local! {
    static GUARD: Cell<Option<Guard>> = const { Cell::new(None) };
    static STRIKE: Cell<Option<Strike>> = const { Cell::new(None) };
}

/// Runs with lists that are made meanwhile lying against such pages.
pub(super) fn guarding<T>(guard: Guard, f: impl FnOnce() -> T) -> T {
    GUARD.set(Some(guard));
    let result = f();
    GUARD.set(None);
    result
}

/// Runs with something going wrong whenever machine code is made.
pub(super) fn striking<T>(strike: Strike, f: impl FnOnce() -> T) -> T {
    STRIKE.set(Some(strike));
    let result = f();
    STRIKE.set(None);
    result
}

/// Goes wrong, if it is to.
pub(super) fn strike() -> Result<(), Unmade> {
    match STRIKE.get() {
        None => Ok(()),
        Some(Strike::Error) => Err(Unmade::Trouble("struck".into())),
        Some(Strike::Panic) => panic!("struck"),
    }
}

/// A list between such pages.
pub(super) struct Guarded<T> {
    memory: Allocation,
    from: usize,
    len: usize,
    of: PhantomData<T>,
}

// SAFETY: it is a list like any other; the memory belongs to it alone.
unsafe impl<T: Send> Send for Guarded<T> {}

// SAFETY: as above.
unsafe impl<T: Sync> Sync for Guarded<T> {}

impl<T: Copy> Guarded<T> {
    /// A copy of these, if lists are to lie so in this thread now.
    pub fn of(items: &[T]) -> Option<Guarded<T>> {
        let guard = GUARD.get()?;
        let (page, size) = (region::page::size(), size_of_val(items));
        let room = size.next_multiple_of(page).max(page);
        let mut memory = region::alloc(room + 2 * page, Protection::NONE).expect("memory");
        let first: *mut u8 = memory.as_mut_ptr();
        // SAFETY: the pages are those of the allocation but the first and the last.
        unsafe { region::protect(first.wrapping_add(page), room, Protection::READ_WRITE).expect("protection") };
        let from = match guard {
            Guard::Before => page,
            Guard::After => page + room - size,
        };
        let mut all = Guarded { memory, from, len: items.len(), of: PhantomData };
        all.items_mut().copy_from_slice(items);
        Some(all)
    }
}

impl<T> Guarded<T> {
    pub fn items(&self) -> &[T] {
        let first = self.memory.as_ptr::<u8>().wrapping_add(self.from).cast();
        // SAFETY: so many lie there, in pages that may be read and written and live as long as this; they are zero or a
        // copy of items of a type that any bytes of a copy are one of. The size of a page, and that of the type, are
        // multiples of its alignment.
        unsafe { slice::from_raw_parts(first, self.len) }
    }

    pub fn items_mut(&mut self) -> &mut [T] {
        let first = self.memory.as_mut_ptr::<u8>().wrapping_add(self.from).cast();
        // SAFETY: as above, and nobody else has them meanwhile.
        unsafe { slice::from_raw_parts_mut(first, self.len) }
    }
}
