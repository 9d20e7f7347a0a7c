//! A position: one flat block of bytes, laid out by the model, of which large variables are kept sparse.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;
use std::ops::Range;

use super::sparse;
use crate::model::{Base, CodeId, Layout, MAX_COPIES, Model, Set, Value, Var, VarId, VarOwner, scalar_span};

/// A position of a game. Equality, order and hash are over the bytes: the same position of the same rules is the same
/// block.
///
/// While a position is played on, it can be laid out: then the whole block is there. Copies of it are sparse.
#[derive(Debug)]
pub struct Position {
    /// The block as far as it is plain, then what is kept of the rest; or the whole block, if it is laid out.
    bytes: Vec<u8>,
    /// How much of the block is plain.
    plain: u32,
    laid_out: bool,
    /// A number that only copies of this block have; none once it was changed.
    stamp: Option<NonZeroU64>,
}

impl Clone for Position {
    fn clone(&self) -> Position {
        Position { bytes: self.bytes().into_owned(), laid_out: false, ..*self }
    }

    // Keeps the memory, which what `derive` makes would not.
    fn clone_from(&mut self, other: &Position) {
        if other.laid_out {
            self.pack(other.plain as usize, &other.bytes);
        } else {
            self.bytes.clone_from(&other.bytes);
            self.laid_out = false;
        }
        (self.plain, self.stamp) = (other.plain, other.stamp);
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        match self.laid_out == other.laid_out {
            true => self.bytes == other.bytes,
            false => self.bytes() == other.bytes(),
        }
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

impl PartialOrd for Position {
    fn partial_cmp(&self, other: &Position) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Position {
    fn cmp(&self, other: &Position) -> Ordering {
        self.bytes().cmp(&other.bytes())
    }
}

impl Position {
    /// A position of zeros, where every entry is nothing.
    #[must_use]
    pub fn zero(model: &Model) -> Position {
        let layout = &model.layout;
        Position::of_parts(vec![0; layout.plain as usize], &vec![0; least(layout)])
    }

    /// The bytes kept: the plain part of the block, then what is kept of the rest, where the layout has one.
    #[must_use]
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        if !self.laid_out {
            return Cow::Borrowed(&self.bytes);
        }
        let (plain, rest) = self.bytes.split_at(self.bytes.len().min(self.plain as usize));
        let mut bytes = plain.to_vec();
        sparse::pack(rest, &mut bytes);
        Cow::Owned(bytes)
    }

    /// The bytes kept, to be changed.
    #[cfg(test)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        *self = self.clone();
        self.stamp = None;
        &mut self.bytes
    }

    /// The plain part of the block, where the stack is.
    pub(crate) fn plain(&self) -> &[u8] {
        self.bytes.get(..self.plain as usize).unwrap_or(&[])
    }

    /// How many bytes the plain part has.
    pub(super) fn plain_size(&self) -> u32 {
        self.plain
    }

    /// Becomes the position that was kept as these bytes, of which so many are plain.
    pub(super) fn take_over(&mut self, bytes: &[u8], plain: u32, stamp: Option<NonZeroU64>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        (self.plain, self.laid_out, self.stamp) = (plain, false, stamp);
    }

    /// The position of which this is the plain part, and what is kept of the rest.
    pub(super) fn of_parts(mut plain: Vec<u8>, rest: &[u8]) -> Position {
        let length = plain.len() as u32;
        plain.extend_from_slice(rest);
        Position { bytes: plain, plain: length, laid_out: false, stamp: None }
    }

    /// The whole block.
    #[must_use]
    pub fn block(&self, layout: &Layout) -> Cow<'_, [u8]> {
        if let Some(whole) = self.whole(layout) {
            return Cow::Borrowed(whole);
        }
        let mut block = vec![0; layout.size as usize];
        self.copy_to(layout, &mut block);
        Cow::Owned(block)
    }

    /// The whole block, if it is there and has the size of the layout.
    pub(crate) fn whole(&self, layout: &Layout) -> Option<&[u8]> {
        ((self.laid_out || is_plain(layout)) && self.bytes.len() == layout.size as usize).then_some(&self.bytes)
    }

    /// Writes the whole block to memory of its size. `false` if this is no position of this layout, or the memory has
    /// another size; then nothing is written.
    pub(crate) fn copy_to(&self, layout: &Layout, block: &mut [u8]) -> bool {
        if block.len() != layout.size as usize || !self.is_of(layout) {
            return false;
        }
        if let Some(whole) = self.whole(layout) {
            block.copy_from_slice(whole);
            return true;
        }
        let (plain, rest) = block.split_at_mut(self.plain as usize);
        let (kept, sparse) = self.bytes.split_at(self.plain as usize);
        plain.copy_from_slice(kept);
        sparse::unpack(sparse, rest);
        true
    }

    /// Whether the bytes can be those of a position of this layout.
    pub(crate) fn is_of(&self, layout: &Layout) -> bool {
        let (size, fewest) = (layout.size as usize, layout.plain as usize + least(layout));
        self.plain == layout.plain
            && match self.laid_out || is_plain(layout) {
                true => self.bytes.len() == size,
                false => self.bytes.len() >= fewest,
            }
    }

    /// Replaces the block by another one, with a number that only copies of it have; it is laid out, unless the
    /// position is to be kept. `false` if it does not have the size of the layout; then nothing is changed.
    pub(crate) fn replace(&mut self, layout: &Layout, block: &[u8], (stamp, keep): (Option<NonZeroU64>, bool)) -> bool {
        if block.len() != layout.size as usize || self.plain != layout.plain {
            return false;
        }
        self.stamp = stamp;
        if keep && !is_plain(layout) {
            self.pack(layout.plain as usize, block);
            return true;
        }
        if self.bytes.len() == block.len() {
            self.bytes.copy_from_slice(block);
        } else {
            self.bytes.clear();
            self.bytes.extend_from_slice(block);
        }
        self.laid_out = !is_plain(layout);
        true
    }

    /// Keeps a block sparse of which so much is plain.
    fn pack(&mut self, plain: usize, block: &[u8]) {
        let (plain, rest) = block.split_at(plain.min(block.len()));
        self.bytes.clear();
        self.bytes.extend_from_slice(plain);
        if !rest.is_empty() {
            sparse::pack(rest, &mut self.bytes);
        }
        self.laid_out = false;
    }

    /// Lays the position out, if it is not: it will be read and written in many places.
    pub(crate) fn lay_out(&mut self, layout: &Layout) {
        if !self.laid_out && !is_plain(layout) && self.is_of(layout) {
            self.bytes = self.block(layout).into_owned();
            self.laid_out = true;
        }
    }

    /// A copy that is laid out.
    pub(crate) fn laid_out(&self, layout: &Layout) -> Position {
        if self.laid_out {
            return Position { bytes: self.bytes.clone(), ..*self };
        }
        let mut copy = self.clone();
        copy.lay_out(layout);
        copy
    }

    /// Changes the block as a whole.
    pub(crate) fn change(&mut self, layout: &Layout, f: impl FnOnce(&mut [u8])) {
        self.stamp = None;
        if self.laid_out || is_plain(layout) {
            return f(&mut self.bytes);
        }
        let mut block = self.block(layout).into_owned();
        f(&mut block);
        self.replace(layout, &block, (None, true));
    }

    /// A number that only copies of this block have, if it has one.
    pub(crate) fn stamp(&self) -> Option<NonZeroU64> {
        self.stamp
    }

    /// A digest of the block, 64 bits, the same on every machine.
    #[must_use]
    pub fn digest(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(&self.bytes())
    }

    /// Some bytes of the block; zeros where there are none.
    pub(crate) fn part(&self, layout: &Layout, range: Range<usize>) -> Cow<'_, [u8]> {
        if (self.laid_out || range.end <= layout.plain as usize)
            && let Some(bytes) = self.bytes.get(range.clone())
        {
            return Cow::Borrowed(bytes);
        }
        let mut bytes = vec![0; range.len()];
        self.read_sparse(layout, range.start, &mut bytes);
        Cow::Owned(bytes)
    }

    /// Reads bytes of the part that is kept sparse.
    fn read_sparse(&self, layout: &Layout, at: usize, to: &mut [u8]) {
        let plain = layout.plain as usize;
        if let Some((at, sparse)) = at.checked_sub(plain).zip(self.bytes.get(plain..)) {
            sparse::read(sparse, layout.size as usize - plain, at, to);
        }
    }

    /// Writes bytes of the block. Where there are none nothing is written.
    fn put(&mut self, layout: &Layout, at: u32, new: &[u8]) {
        self.stamp = None;
        let (at, plain, size) = (at as usize, layout.plain as usize, layout.size as usize);
        if self.laid_out || at + new.len() <= plain {
            if let Some(bytes) = self.bytes.get_mut(at..at + new.len()) {
                bytes.copy_from_slice(new);
            }
        } else if at >= plain && at + new.len() <= size {
            sparse::write(&mut self.bytes, plain, size - plain, at - plain, new);
        }
    }

    fn uint(&self, layout: &Layout, offset: u32, width: u32) -> u32 {
        let at = offset as usize;
        let mut sparse = [0; 4];
        let bytes = if self.laid_out || at < layout.plain as usize {
            self.bytes.get(at..at + width as usize).unwrap_or(&[])
        } else {
            let bytes = sparse.get_mut(..width as usize).unwrap_or_default();
            self.read_sparse(layout, at, bytes);
            bytes
        };
        bytes.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b))
    }

    fn put_uint(&mut self, layout: &Layout, offset: u32, width: u32, value: u32) {
        self.put(layout, offset, value.to_le_bytes().get(..width as usize).unwrap_or(&[]));
    }

    /// The ending that ended the game, if it is over.
    #[must_use]
    pub fn ending(&self, model: &Model) -> Option<usize> {
        (self.uint(&model.layout, model.layout.over, 2) as usize).checked_sub(1)
    }

    /// The seats that win, as bits.
    #[must_use]
    pub fn winners(&self, model: &Model) -> u32 {
        self.uint(&model.layout, model.layout.winners, 4)
    }

    /// Ends the game.
    pub fn end(&mut self, model: &Model, ending: usize, winners: u32) {
        self.put_uint(&model.layout, model.layout.over, 2, ending as u32 + 1);
        self.put_uint(&model.layout, model.layout.winners, 4, winners);
    }

    /// The number of frames on the stack.
    #[must_use]
    pub fn depth(&self, model: &Model) -> usize {
        self.uint(&model.layout, model.layout.depth, 1) as usize
    }

    /// The frame at a depth, 0 the lowest: its code and the instruction it is at.
    #[must_use]
    pub fn frame(&self, model: &Model, depth: usize) -> (CodeId, u16) {
        // The stack is in the plain part.
        let at = model.layout.stack as usize + 4 * depth;
        match self.bytes.get(at..at + 4) {
            Some([code, more, pc, further]) => {
                (CodeId(u16::from_le_bytes([*code, *more])), u16::from_le_bytes([*pc, *further]))
            }
            _ => (CodeId(0), 0),
        }
    }

    /// The innermost frame.
    #[must_use]
    pub fn top(&self, model: &Model) -> Option<(CodeId, u16)> {
        self.depth(model).checked_sub(1).map(|d| self.frame(model, d))
    }

    /// Puts the innermost frame at an instruction.
    pub fn set_pc(&mut self, model: &Model, pc: u16) {
        if let Some(d) = self.depth(model).checked_sub(1) {
            self.put_uint(&model.layout, model.layout.stack + 4 * d as u32 + 2, 2, u32::from(pc));
        }
    }

    /// Begins a code at its first instruction, with its variables cleared. `false` if the stack is full, or if no more
    /// instances of the code may be active.
    #[must_use]
    pub fn push(&mut self, model: &Model, code: CodeId) -> bool {
        let depth = self.depth(model) as u32;
        let nested = model.codes.get(code.i()).map_or(0, |c| c.nested);
        let active = self.active(model, code);
        if depth >= model.layout.max_depth || active >= nested {
            return false;
        }
        let at = model.layout.stack + 4 * depth;
        self.put_uint(&model.layout, at, 2, u32::from(code.0));
        self.put_uint(&model.layout, at + 2, 2, 0);
        self.put_uint(&model.layout, model.layout.depth, 1, depth + 1);
        self.clear(model, code, u32::from(active));
        if let Some(at) = counter(model, code) {
            self.put_uint(&model.layout, at, 1, u32::from(active) + 1);
        }
        true
    }

    /// Leaves the innermost frame and clears its variables.
    pub fn pop(&mut self, model: &Model) {
        let Some((code, _)) = self.top(model) else {
            return;
        };
        let level = u32::from(self.active(model, code)).saturating_sub(1);
        self.clear(model, code, level);
        let depth = self.depth(model) as u32 - 1;
        self.put_uint(&model.layout, model.layout.stack + 4 * depth, 4, 0);
        self.put_uint(&model.layout, model.layout.depth, 1, depth);
        if let Some(at) = counter(model, code) {
            self.put_uint(&model.layout, at, 1, level);
        }
    }

    /// Clears the variables of one level of a code.
    fn clear(&mut self, model: &Model, code: CodeId, level: u32) {
        for var in model.codes.get(code.i()).map_or(&[][..], |c| &c.vars) {
            let Some(place) = model.vars.get(var.i()).map(|v| v.place) else { continue };
            let size = place.width * place.count;
            let zeros = [0; 64];
            match zeros.get(..size as usize) {
                Some(zeros) => self.put(&model.layout, place.offset + size * level, zeros),
                None => self.put(&model.layout, place.offset + size * level, &vec![0; size as usize]),
            }
        }
    }

    /// How many instances of a code are on the stack.
    #[must_use]
    pub fn active(&self, model: &Model, code: CodeId) -> u8 {
        match counter(model, code) {
            Some(at) => self.uint(&model.layout, at, 1) as u8,
            None => {
                let stack = model.layout.stack as usize;
                let frames = self.bytes.get(stack..stack + 4 * self.depth(model)).unwrap_or(&[]);
                let [low, high] = code.0.to_le_bytes();
                u8::from(frames.as_chunks::<4>().0.iter().any(|frame| frame.starts_with(&[low, high])))
            }
        }
    }

    fn entry(&self, model: &Model, var: VarId, index: usize) -> Option<u32> {
        let v = model.vars.get(var.i())?;
        let level = match v.owner {
            VarOwner::Code(c) => u32::from(self.active(model, c).checked_sub(1)?),
            _ => 0,
        };
        let p = v.place;
        ((index as u32) < p.count).then_some(p.offset + p.width * (p.count * level + index as u32))
    }

    /// The bytes of an entry of a variable.
    fn entry_at(&self, model: &Model, v: &Var, at: u32) -> Cow<'_, [u8]> {
        self.part(&model.layout, at as usize..(at + v.place.width) as usize)
    }

    /// Whether the entries of a variable with these numbers are the same here and there. Both positions must be at the
    /// same place of the same procedures.
    pub(crate) fn agrees(&self, other: &Position, model: &Model, var: VarId, entries: Range<usize>) -> bool {
        let width = model.vars.get(var.i()).map_or(0, |v| v.place.width as usize);
        let Some(at) = self.entry(model, var, entries.start).map(|at| at as usize) else { return true };
        let bytes = at..at + entries.len() * width;
        self.part(&model.layout, bytes.clone()) == other.part(&model.layout, bytes)
    }

    /// The value of a variable's entry; nothing (or the empty set) if its procedure is not active.
    #[must_use]
    pub fn read(&self, model: &Model, var: VarId, index: usize) -> Value {
        let Some(v) = model.vars.get(var.i()) else {
            return Value::None;
        };
        let at = self.entry(model, var, index);
        match &v.ty.base {
            Base::Set(_) => {
                Value::Set(at.map_or_else(Set::default, |at| Set::from_bytes(&self.entry_at(model, v, at))))
            }
            Base::Bag(_) => {
                let bytes = at.map(|at| self.entry_at(model, v, at));
                let none = || vec![0; v.place.width as usize];
                Value::Bag(bytes.map_or_else(none, |bytes| bytes.iter().map(|n| u16::from(*n)).collect()))
            }
            Base::List(_) => {
                let Some(at) = at else {
                    return Value::List(Vec::new());
                };
                let item = list_item_width(model, &v.ty.base) as usize;
                let len = self.uint(&model.layout, at, 2) as usize;
                let first = at as usize + 2;
                let items = self.part(&model.layout, first..first + (len * item).min(v.place.width as usize - 2));
                let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, byte| n << 8 | u16::from(*byte));
                Value::List(items.chunks_exact(item).map(number).collect())
            }
            base => {
                let stored = at.map_or(0, |at| self.uint(&model.layout, at, v.place.width));
                let lo = scalar_span(base, &model.kinds).0;
                if stored == 0 { Value::None } else { Value::Int((i64::from(stored) - 1 + lo) as i32) }
            }
        }
    }

    /// Writes a variable's entry. `false` if the value does not fit its type; then nothing is changed.
    #[must_use]
    pub fn write(&mut self, model: &Model, var: VarId, index: usize, value: &Value) -> bool {
        let Some(v) = model.vars.get(var.i()) else {
            return false;
        };
        let Some(at) = self.entry(model, var, index) else {
            return false;
        };
        let (lo, span) = scalar_span(&v.ty.base, &model.kinds);
        match (&v.ty.base, value) {
            (Base::Set(of), Value::Set(set)) => {
                let (_, span) = scalar_span(of, &model.kinds);
                if set.iter().any(|i| i as u64 >= span) {
                    return false;
                }
                let mut bytes = vec![0; v.place.width as usize];
                for i in set.iter() {
                    match bytes.get_mut(i / 8) {
                        Some(byte) => *byte |= 1 << (i % 8),
                        None => return false,
                    }
                }
                self.put(&model.layout, at, &bytes);
                true
            }
            (Base::List(_), Value::List(items)) => {
                if items.len() as u64 > span || items.iter().any(|i| u64::from(*i) >= span) {
                    return false;
                }
                let item = list_item_width(model, &v.ty.base) as usize;
                let mut bytes = Vec::with_capacity(v.place.width as usize);
                bytes.extend_from_slice(&(items.len() as u16).to_le_bytes());
                for i in items {
                    bytes.extend_from_slice(i.to_le_bytes().get(..item).unwrap_or(&[]));
                }
                bytes.resize(v.place.width as usize, 0);
                self.put(&model.layout, at, &bytes);
                true
            }
            (Base::Bag(_), Value::Bag(counts)) => {
                let width = v.place.width as usize;
                let too_many = counts.iter().any(|n| *n > u16::from(MAX_COPIES));
                if too_many || counts.iter().skip(width).any(|n| *n > 0) {
                    return false;
                }
                let counts = counts.iter().map(|n| *n as u8).chain(std::iter::repeat(0));
                self.put(&model.layout, at, &counts.take(width).collect::<Vec<u8>>());
                true
            }
            (Base::Set(_) | Base::List(_) | Base::Bag(_), _) => false,
            (_, Value::None) => {
                self.put_uint(&model.layout, at, v.place.width, 0);
                v.ty.optional
            }
            (_, Value::Int(i)) => {
                let offset = i64::from(*i) - lo;
                if offset < 0 || offset as u64 >= span {
                    return false;
                }
                self.put_uint(&model.layout, at, v.place.width, offset as u32 + 1);
                true
            }
            _ => false,
        }
    }
}

fn counter(model: &Model, code: CodeId) -> Option<u32> {
    model.codes.get(code.i()).and_then(|c| c.active)
}

fn list_item_width(model: &Model, base: &Base) -> u32 {
    if scalar_span(base, &model.kinds).1 < 255 { 1 } else { 2 }
}

/// Whether the whole block is kept as it is.
fn is_plain(layout: &Layout) -> bool {
    layout.plain == layout.size
}

/// The fewest bytes that are kept of what is not plain.
fn least(layout: &Layout) -> usize {
    sparse::least((layout.size - layout.plain) as usize)
}
