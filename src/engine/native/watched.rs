//! What the endings look at. After each change only those parts of their conditions are looked at that read what was
//! changed: the others did not hold before, or the game would be over, and hold no more now.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::Build;
use super::run::Running;
use crate::engine::ir::{Cond, Shared};
use crate::engine::leaf::Leaf;
use crate::engine::place::Place;
use crate::engine::program::Program;
use crate::engine::tree::{of, walk_through};

/// The maximum number of parts that are told apart: each has a bit of a byte.
const MAX_PARTS: usize = 8;

/// A part of what the endings ask: one of the conditions of which any ends the game.
#[derive(Clone, Debug)]
pub(super) struct EndPart {
    pub cond: Cond,
    /// The bytes that it reads, whatever is in them: the first of each piece, and how many.
    bytes: Vec<(u32, u32)>,
    /// The variables of which it reads only which entries are a number, and that number.
    rows: Vec<((u32, u32), i32)>,
}

/// The parts of what the endings ask; none where they are not told apart.
pub(super) fn end_parts(program: &Program) -> Vec<EndPart> {
    let mut parts = Vec::new();
    let mut loops = 0;
    for end in &program.ends {
        let conds = match &end.applies {
            Cond::Any(conds) => &**conds,
            cond => std::slice::from_ref(cond),
        };
        loops += conds.iter().filter(|cond| of(&program.shared, *cond).loops).count();
        let found = conds.iter().map(|cond| part(&program.shared, cond));
        match found.collect::<Option<Vec<_>>>().filter(|_| !end.some_legal) {
            Some(found) => parts.extend(found),
            None => return Vec::new(),
        }
    }
    // To look at a short condition takes no longer than to ask whether to look.
    if loops > 1 && parts.len() <= MAX_PARTS { parts } else { Vec::new() }
}

/// What a condition reads, if that is known and it cannot fail.
fn part(shared: &Shared, cond: &Cond) -> Option<EndPart> {
    let mut part = EndPart { cond: cond.clone(), bytes: Vec::new(), rows: Vec::new() };
    let (mut row, mut beyond) = (None, false);
    walk_through(
        shared,
        |f| cond.walk(f),
        |leaf| match leaf {
            Leaf::FieldIs(place, value) => {
                row = Some(place.range());
                part.rows.push((place.range(), value));
            }
            // The variable of the row.
            Leaf::Reads(at, len) if row == Some((at, len)) => row = None,
            Leaf::Reads(at, len) => part.bytes.push((at, len)),
            Leaf::Byte(at, ..) => part.bytes.push((at, 1)),
            Leaf::Dynamic => beyond = true,
            _ => {}
        },
    );
    (!beyond && !of(shared, cond).risky).then_some(part)
}

fn overlap((a, n): (u32, u32), (b, m): (u32, u32)) -> bool {
    a < b + m && b < a + n
}

impl Build<'_, '_, '_> {
    /// A mark for all parts of what the endings ask.
    pub fn all_parts(&mut self) -> Value {
        let parts = self.unit.end_parts.len().max(1);
        self.b.ins().iconst(types::I8, (1 << parts) - 1)
    }

    /// Notes that anything may have changed.
    pub fn touch_all(&mut self, r: &Running) {
        let all = self.all_parts();
        self.b.def_var(r.dirty, all);
    }

    /// Notes that bytes were changed.
    pub fn touch(&mut self, r: &Running, at: u32, len: u32) {
        let changed = (at, len);
        let parts = &self.unit.end_parts;
        if parts.is_empty() {
            if self.unit.program.watched.iter().any(|read| overlap(*read, changed)) {
                self.touch_all(r);
            }
            return;
        }
        let reads = |part: &EndPart| {
            let mut all = part.bytes.iter().chain(part.rows.iter().map(|(range, _)| range));
            all.any(|read| overlap(*read, changed))
        };
        let bits = bits_of(parts, reads);
        self.mark(r, bits);
    }

    /// Notes that an entry of a variable is going to be another number, as it stores it.
    pub fn touch_entry(
        &mut self,
        r: &Running,
        p: &Place,
        (address, at): (Value, i32),
        stored: Value,
        before: Option<i64>,
    ) {
        let changed = p.range();
        let parts = self.unit.end_parts.clone();
        if parts.is_empty() {
            return self.touch(r, changed.0, changed.1);
        }
        let all = bits_of(&parts, |part| part.bytes.iter().any(|read| overlap(*read, changed)));
        self.mark(r, all);
        let mut before = before.map(|before| self.i32(before));
        let mut hits = None;
        for (i, part) in parts.iter().enumerate().filter(|(i, _)| all >> i & 1 == 0) {
            for (range, value) in part.rows.iter().filter(|(range, _)| overlap(*range, changed)) {
                if *range != changed {
                    self.mark(r, 1 << i);
                    continue;
                }
                let old = *before.get_or_insert_with(|| self.read(address, at, p.width));
                let row = self.number(*value);
                let row = self.as_byte(p, row);
                let (left, entered) =
                    (self.b.ins().icmp(IntCC::Equal, old, row), self.b.ins().icmp(IntCC::Equal, stored, row));
                let hit = self.b.ins().bor(left, entered);
                let bit = self.b.ins().ishl_imm_u(hit, i as i64);
                hits = Some(hits.map_or(bit, |hits| self.b.ins().bor(hits, bit)));
            }
        }
        if let Some(hits) = hits {
            let marks = self.b.use_var(r.dirty);
            let marks = self.b.ins().bor(marks, hits);
            self.b.def_var(r.dirty, marks);
        }
    }

    fn mark(&mut self, r: &Running, bits: u8) {
        if bits == 0 {
            return;
        }
        let marks = self.b.use_var(r.dirty);
        let bits = self.b.ins().iconst(types::I8, i64::from(bits));
        let marks = self.b.ins().bor(marks, bits);
        self.b.def_var(r.dirty, marks);
    }

    /// Whether any part holds that reads what was changed.
    pub fn any_part(&mut self, r: &Running) -> Value {
        let mut any = self.i8(false);
        for (i, part) in self.unit.end_parts.clone().iter().enumerate() {
            let marks = self.b.use_var(r.dirty);
            let bit = self.b.ins().iconst(types::I8, 1 << i);
            let marked = self.b.ins().band(marks, bit);
            let (look, on) = (self.block(), self.block());
            let result = self.b.append_block_param(on, types::I8);
            self.b.ins().brif(marked, look, &[], on, &[any.into()]);
            self.to(look);
            let holds = self.cond(&part.cond);
            let both = self.b.ins().bor(any, holds);
            self.jump(on, &[both]);
            self.to(on);
            any = result;
        }
        any
    }
}

fn bits_of(parts: &[EndPart], is_one: impl Fn(&EndPart) -> bool) -> u8 {
    parts.iter().enumerate().filter(|(_, part)| is_one(part)).fold(0, |bits, (i, _)| bits | 1 << i)
}
