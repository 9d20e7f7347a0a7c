//! Memory that machine code reads and writes.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// A list of fixed length at a fixed place. In tests it can lie against pages that nobody may touch, so that to leave
/// it by a byte ends the test.
pub(super) struct Buffer<T> {
    #[cfg(test)]
    guarded: Option<super::guard::Guarded<T>>,
    items: Box<[T]>,
}

impl<T: Copy + Default> Buffer<T> {
    /// A buffer of `n` default items.
    pub fn new(len: usize) -> Buffer<T> {
        Buffer::of(vec![T::default(); len])
    }

    /// These.
    pub fn of(items: Vec<T>) -> Buffer<T> {
        #[cfg(test)]
        if let Some(guarded) = super::guard::Guarded::of(&items) {
            return Buffer { guarded: Some(guarded), items: Box::default() };
        }
        Buffer {
            #[cfg(test)]
            guarded: None,
            items: items.into_boxed_slice(),
        }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        #[cfg(test)]
        if let Some(guarded) = &self.guarded {
            return guarded.items();
        }
        &self.items
    }
}

impl<T> DerefMut for Buffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        #[cfg(test)]
        if let Some(guarded) = &mut self.guarded {
            return guarded.items_mut();
        }
        &mut self.items
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("len", &self.len()).finish_non_exhaustive()
    }
}
