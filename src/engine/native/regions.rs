//! Regions of memory. What is stored in one of them changes nothing that is read in another, so that the compiler need
//! not read it again.
//!
//! Accesses of the same byte, of which one is a write, must name the same region, or [`Build::all_regions`] must stand
//! between them. A call stands between accesses in the same way. To divide the position by variables was tried: it
//! gained nothing, and took longer to compile.

use std::borrow::Cow;

use cranelift_codegen::ir::{AliasRegionData, InstBuilder, MemFlagsData, Type, Value};

use super::build::{Build, constant, sound};

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// Random words, which nobody writes.
    Words,
    /// Options that are written down.
    Options,
    /// What is kept of what was found.
    Kept,
    /// What is on the stack of the function: sets in parts, totals.
    Locals,
    /// A position with its value indexes.
    Position,
    /// A field of the context: its first byte.
    Context(i32),
}

impl Region {
    /// A number of its own.
    fn id(self) -> u32 {
        match self {
            Region::Words => 0,
            Region::Options => 1,
            Region::Kept => 2,
            Region::Locals => 3,
            Region::Position => 4,
            Region::Context(at) => at as u32 + 5,
        }
    }
}

impl Build<'_, '_, '_> {
    /// Flags of an access to a region, which cannot trap.
    pub fn in_region(&mut self, region: Region) -> MemFlagsData {
        let data = AliasRegionData { user_id: region.id(), description: Cow::Borrowed("") };
        let region = self.b.func.dfg.alias_regions.insert(data);
        sound().with_alias_region(Some(region))
    }

    /// The same of a read of the position; in a function that does not write it, of what never changes.
    pub fn in_position(&mut self) -> MemFlagsData {
        if self.still { constant() } else { self.in_region(Region::Position) }
    }

    /// Reads from the position, at an address and an offset.
    pub fn load_position(&mut self, ty: Type, address: Value, at: i32) -> Value {
        let flags = self.in_position();
        self.b.ins().load(ty, flags, address, at)
    }

    /// Writes into the position.
    pub fn store_position(&mut self, v: Value, address: Value, at: i32) {
        let flags = self.in_region(Region::Position);
        self.b.ins().store(flags, v, address, at);
    }

    /// Reads a field of the context.
    pub fn load_context(&mut self, ty: Type, at: i32) -> Value {
        let flags = self.in_region(Region::Context(at));
        self.b.ins().load(ty, flags, self.ctx, at)
    }

    /// Writes a field of the context.
    pub fn store_context(&mut self, v: Value, at: i32) {
        let flags = self.in_region(Region::Context(at));
        self.b.ins().store(flags, v, self.ctx, at);
    }

    /// Stands between accesses that reach the same bytes as parts of different regions. It takes no time.
    pub fn all_regions(&mut self) {
        if !self.still {
            self.b.ins().sequence_point();
        }
    }
}
