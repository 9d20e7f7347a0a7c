//! What the code keeps of what it found: sets, with the sets that they were computed from.
//!
//! What is kept is true of any position: "from this start, through these members, one comes to those". So nothing
//! needs to be done when a position changes, and another position is no trouble. At first all sets are empty, which is
//! true of whatever is kept here.

use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::KEPT;
use super::build::{Build, constant};
use super::int::Width;
use super::regions::Region;

impl Build<'_, '_, '_> {
    /// Where so many bytes are kept of what is found in one way; `None` if there is no more room. The same is kept in
    /// the same place, wherever it is asked for.
    pub fn kept(&mut self, what: String, bytes: u32) -> Option<Value> {
        let first = self.unit.keep_room(what, bytes)?;
        let kept = self.b.ins().load(types::I64, constant(), self.ctx, KEPT);
        let first = self.i64(u64::from(first));
        Some(self.b.ins().iadd(kept, first))
    }

    /// The sets that are kept in a place, of one or two words each.
    pub fn load_kept<const N: usize>(&mut self, kept: Value, width: Width) -> [Value; N] {
        let flags = self.in_region(Region::Kept);
        std::array::from_fn(|i| {
            let at = (i * width.bytes()) as i32;
            let low = self.b.ins().load(types::I64, flags, kept, at);
            if width == Width::Word {
                return low;
            }
            let high = self.b.ins().load(types::I64, flags, kept, at + 8);
            self.b.ins().iconcat(low, high)
        })
    }

    /// Keeps sets of one or two words each in a place.
    pub fn store_kept<const N: usize>(&mut self, kept: Value, width: Width, sets: [Value; N]) {
        let flags = self.in_region(Region::Kept);
        for (i, v) in sets.into_iter().enumerate() {
            let at = (i * width.bytes()) as i32;
            if width == Width::Word {
                self.b.ins().store(flags, v, kept, at);
                continue;
            }
            let (low, high) = self.b.ins().isplit(v);
            self.b.ins().store(flags, low, kept, at);
            self.b.ins().store(flags, high, kept, at + 8);
        }
    }
}
