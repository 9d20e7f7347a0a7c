//! Reads and writes by region, so that the compiler need not read again what a write cannot have changed.
//!
//! Accesses of the same byte, of which one is a write, must name the same region, or [`Build::all_regions`] must stand
//! between them. A call stands between accesses in the same way.

use std::borrow::Cow;

use cranelift_codegen::ir::{AliasRegionData, InstBuilder, MemFlagsData, Type, Value, types};

use super::build::{Build, constant, sound};
use super::regions::Region;

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

    /// Reads two bytes of a frame, as 32 bits.
    pub fn load_frame(&mut self, frame: Value, at: i32) -> Value {
        let flags = self.in_region(Region::Frames);
        self.b.ins().uload16(types::I32, flags, frame, at)
    }

    /// Writes into a frame.
    pub fn store_frame(&mut self, v: Value, frame: Value, at: i32) {
        let flags = self.in_region(Region::Frames);
        self.b.ins().store(flags, v, frame, at);
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
