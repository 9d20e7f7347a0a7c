//! Members from which lines lead somewhere, for all members at once.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::build::Build;
use super::int::{Bitset, Bound, Width};
use crate::engine::along::{Along, Way};
use crate::engine::bits::moved;

/// From how many members between the ends of a line on it is found by doubling.
const LONG_LINE: u32 = 4;

impl Build<'_, '_, '_> {
    /// The members from which a line leads over members of one set to a member of another.
    pub fn along(&mut self, along: &Along) -> Bitset {
        let all = along.ways.iter().fold(0, |all, way| all | way.which);
        let numbers = along.ways.iter().fold(all, |numbers, way| numbers | moved(way.which, i64::from(way.by)));
        let width = Bound::Few(numbers).width();
        let (over, ends) = (self.set(&along.over), self.set(&along.ends));
        let (over, ends) = (self.fit(over, width), self.fit(ends, width));
        // Within a loop, or of single steps, it takes less to find them than to compare.
        let is_kept = self.depth == 0 && along.ways.iter().any(|way| way.most > 0);
        if !is_kept {
            let v = self.find_along(along, (over, ends), width);
            return Bitset { v, width, bound: Bound::Few(all) };
        }
        // The same is often asked again in one position: whether there is one, and then which they are.
        let what = format!("{:?} {}", along.ways, along.some);
        let Some(kept) = self.kept(what, 3 * width.bytes() as u32) else {
            let v = self.find_along(along, (over, ends), width);
            return Bitset { v, width, bound: Bound::Few(all) };
        };
        let [old_over, old_ends, found] = self.load_kept(kept, width);
        let other = self.b.ins().bxor(over, old_over);
        let others = self.b.ins().bxor(ends, old_ends);
        let differs = self.b.ins().bor(other, others);
        let same = self.none_of(Bitset { v: differs, width, bound: Bound::all(width) });
        let (find, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, Self::set_type(width));
        self.b.ins().brif(same, done, &[found.into()], find, &[]);
        self.to(find);
        let found = self.find_along(along, (over, ends), width);
        self.store_kept(kept, width, [over, ends, found]);
        self.jump(done, &[found]);
        self.to(done);
        Bitset { v: result, width, bound: Bound::Few(all) }
    }

    fn find_along(&mut self, along: &Along, (over, ends): (Value, Value), width: Width) -> Value {
        let mut found = self.bits(0, width);
        for way in &along.ways {
            let which = self.bits(way.which, width);
            let end = self.moved_by(ends, -way.by);
            if way.most == 0 {
                let from = self.b.ins().band(which, end);
                found = self.b.ins().bor(found, from);
                continue;
            }
            let open = self.b.ins().band(over, which);
            let line = self.b.ins().band(open, end);
            let line = self.line(way, open, line);
            let mut before = self.moved_by(line, -way.by);
            if !along.some {
                before = self.b.ins().bor(before, end);
            }
            let from = self.b.ins().band(which, before);
            found = self.b.ins().bor(found, from);
        }
        found
    }

    /// The open members from which a direction leads to some over open members only, given those that are one step
    /// away.
    fn line(&mut self, way: &Way, open: Value, next: Value) -> Value {
        let mut line = next;
        if way.most < LONG_LINE {
            for _ in 1..way.most {
                let before = self.moved_by(line, -way.by);
                let before = self.b.ins().band(open, before);
                line = self.b.ins().bor(line, before);
            }
            return line;
        }
        // Twice as far each time: over as many open members as lines may be long so far.
        let (mut far, mut passed) = (1, open);
        loop {
            let before = self.moved_by(line, -way.by * far as i32);
            let before = self.b.ins().band(passed, before);
            line = self.b.ins().bor(line, before);
            if 2 * far >= way.most {
                return line;
            }
            let before = self.moved_by(passed, -way.by * far as i32);
            passed = self.b.ins().band(passed, before);
            far *= 2;
        }
    }
}
