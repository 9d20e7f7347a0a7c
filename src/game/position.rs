//! A position: one flat block of bytes, laid out by the model.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;
use std::ops::Range;

use crate::model::{Base, CodeId, MAX_COPIES, Model, Set, Value, VarId, VarOwner, scalar_span};

/// A position of a game. Equality, order and hash are over the bytes: the same position of the same rules is the same
/// block.
#[derive(Debug)]
pub struct Position {
    bytes: Box<[u8]>,
    /// A number that only copies of this block have; none once it was changed.
    stamp: Option<NonZeroU64>,
}

impl Clone for Position {
    fn clone(&self) -> Position {
        Position { bytes: self.bytes.clone(), stamp: self.stamp }
    }

    // Keeps the memory, which what `derive` makes would not.
    fn clone_from(&mut self, other: &Position) {
        self.bytes.clone_from(&other.bytes);
        self.stamp = other.stamp;
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl PartialOrd for Position {
    fn partial_cmp(&self, other: &Position) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Position {
    fn cmp(&self, other: &Position) -> Ordering {
        self.bytes.cmp(&other.bytes)
    }
}

impl Position {
    /// A position of zeros, where every entry is nothing.
    #[must_use]
    pub fn zero(model: &Model) -> Position {
        Position { bytes: vec![0; model.layout.size as usize].into_boxed_slice(), stamp: None }
    }

    /// The block.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The block, to be changed. Not public: machine code checks only the stack in it, and assumes nothing about the
    /// rest.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.stamp = None;
        &mut self.bytes
    }

    /// A number that only copies of this block have, if it has one.
    #[cfg(feature = "jit")]
    pub(crate) fn stamp(&self) -> Option<NonZeroU64> {
        self.stamp
    }

    /// Replaces the block by one of the same size, with a number that only copies of it have. `false` if it has another
    /// size; then nothing is changed.
    #[cfg(feature = "jit")]
    pub(crate) fn replace(&mut self, bytes: &[u8], stamp: NonZeroU64) -> bool {
        let same = self.bytes.len() == bytes.len();
        if same {
            self.bytes.copy_from_slice(bytes);
            self.stamp = Some(stamp);
        }
        same
    }

    /// A digest of the block, 64 bits, the same on every machine.
    #[must_use]
    pub fn digest(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(&self.bytes)
    }

    fn uint(&self, offset: u32, width: u32) -> u32 {
        let at = offset as usize;
        let bytes = self.bytes.get(at..at + width as usize).unwrap_or(&[]);
        bytes.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b))
    }

    fn put_uint(&mut self, offset: u32, width: u32, value: u32) {
        let at = offset as usize;
        if let Some(bytes) = self.bytes_mut().get_mut(at..at + width as usize) {
            for (i, b) in bytes.iter_mut().enumerate() {
                *b = (value >> (8 * i)) as u8;
            }
        }
    }

    /// The ending that ended the game, if it is over.
    #[must_use]
    pub fn ending(&self, model: &Model) -> Option<usize> {
        (self.uint(model.layout.over, 2) as usize).checked_sub(1)
    }

    /// The seats that win, as bits.
    #[must_use]
    pub fn winners(&self, model: &Model) -> u32 {
        self.uint(model.layout.winners, 4)
    }

    /// Ends the game.
    pub fn end(&mut self, model: &Model, ending: usize, winners: u32) {
        self.put_uint(model.layout.over, 2, ending as u32 + 1);
        self.put_uint(model.layout.winners, 4, winners);
    }

    /// The number of frames on the stack.
    #[must_use]
    pub fn depth(&self, model: &Model) -> usize {
        self.uint(model.layout.depth, 1) as usize
    }

    /// The frame at a depth, 0 the lowest: its code and the instruction it is at.
    #[must_use]
    pub fn frame(&self, model: &Model, depth: usize) -> (CodeId, u16) {
        let at = model.layout.stack + 4 * depth as u32;
        (CodeId(self.uint(at, 2) as u16), self.uint(at + 2, 2) as u16)
    }

    /// The innermost frame.
    #[must_use]
    pub fn top(&self, model: &Model) -> Option<(CodeId, u16)> {
        self.depth(model).checked_sub(1).map(|d| self.frame(model, d))
    }

    /// Puts the innermost frame at an instruction.
    pub fn set_pc(&mut self, model: &Model, pc: u16) {
        if let Some(d) = self.depth(model).checked_sub(1) {
            self.put_uint(model.layout.stack + 4 * d as u32 + 2, 2, u32::from(pc));
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
        self.put_uint(at, 2, u32::from(code.0));
        self.put_uint(at + 2, 2, 0);
        self.put_uint(model.layout.depth, 1, depth + 1);
        self.clear(model, code, u32::from(active));
        if let Some(at) = counter(model, code) {
            self.put_uint(at, 1, u32::from(active) + 1);
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
        self.put_uint(model.layout.stack + 4 * depth, 4, 0);
        self.put_uint(model.layout.depth, 1, depth);
        if let Some(at) = counter(model, code) {
            self.put_uint(at, 1, level);
        }
    }

    /// Clears the variables of one level of a code.
    fn clear(&mut self, model: &Model, code: CodeId, level: u32) {
        for var in model.codes.get(code.i()).map_or(&[][..], |c| &c.vars) {
            let Some(place) = model.vars.get(var.i()).map(|v| v.place) else { continue };
            let size = place.width * place.count;
            let at = (place.offset + size * level) as usize;
            if let Some(bytes) = self.bytes_mut().get_mut(at..at + size as usize) {
                bytes.fill(0);
            }
        }
    }

    /// How many instances of a code are on the stack.
    #[must_use]
    pub fn active(&self, model: &Model, code: CodeId) -> u8 {
        match counter(model, code) {
            Some(at) => self.uint(at, 1) as u8,
            None => u8::from((0..self.depth(model)).rev().any(|d| self.frame(model, d).0 == code)),
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

    /// Whether the entries of a variable with these numbers are the same here and there. Both positions must be at the
    /// same place of the same procedures.
    pub(crate) fn agrees(&self, other: &Position, model: &Model, var: VarId, entries: Range<usize>) -> bool {
        let width = model.vars.get(var.i()).map_or(0, |v| v.place.width as usize);
        let Some(at) = self.entry(model, var, entries.start).map(|at| at as usize) else { return true };
        let bytes = at..at + entries.len() * width;
        self.bytes.get(bytes.clone()) == other.bytes.get(bytes)
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
                let bytes = at.and_then(|at| self.bytes.get(at as usize..(at + v.place.width) as usize)).unwrap_or(&[]);
                Value::Set(Set::from_bytes(bytes))
            }
            Base::Bag(_) => {
                let bytes = at.and_then(|at| self.bytes.get(at as usize..(at + v.place.width) as usize));
                let none = || vec![0; v.place.width as usize];
                Value::Bag(bytes.map_or_else(none, |bytes| bytes.iter().map(|n| u16::from(*n)).collect()))
            }
            Base::List(_) => {
                let Some(at) = at else {
                    return Value::List(Vec::new());
                };
                let item = list_item_width(model, &v.ty.base);
                let len = self.uint(at, 2);
                Value::List((0..len).map(|i| self.uint(at + 2 + i * item, item) as u16).collect())
            }
            base => {
                let stored = at.map_or(0, |at| self.uint(at, v.place.width));
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
            (Base::Set(_), Value::Set(set)) => {
                let Some(bytes) = self.bytes_mut().get_mut(at as usize..(at + v.place.width) as usize) else {
                    return false;
                };
                if set.iter().any(|i| i / 8 >= bytes.len()) {
                    return false;
                }
                bytes.fill(0);
                for i in set.iter() {
                    if let Some(byte) = bytes.get_mut(i / 8) {
                        *byte |= 1 << (i % 8);
                    }
                }
                true
            }
            (Base::List(_), Value::List(items)) => {
                if items.len() as u64 > span || items.iter().any(|i| u64::from(*i) >= span) {
                    return false;
                }
                let item = list_item_width(model, &v.ty.base);
                self.put_uint(at, 2, items.len() as u32);
                for i in 0..span as u32 {
                    self.put_uint(at + 2 + i * item, item, items.get(i as usize).map_or(0, |m| u32::from(*m)));
                }
                true
            }
            (Base::Bag(_), Value::Bag(counts)) => {
                let Some(bytes) = self.bytes_mut().get_mut(at as usize..(at + v.place.width) as usize) else {
                    return false;
                };
                let too_many = counts.iter().any(|n| *n > u16::from(MAX_COPIES));
                if too_many || counts.iter().skip(bytes.len()).any(|n| *n > 0) {
                    return false;
                }
                for (i, byte) in bytes.iter_mut().enumerate() {
                    *byte = counts.get(i).map_or(0, |n| *n as u8);
                }
                true
            }
            (Base::Set(_) | Base::List(_) | Base::Bag(_), _) => false,
            (_, Value::None) => {
                self.put_uint(at, v.place.width, 0);
                v.ty.optional
            }
            (_, Value::Int(i)) => {
                let offset = i64::from(*i) - lo;
                if offset < 0 || offset as u64 >= span {
                    return false;
                }
                self.put_uint(at, v.place.width, offset as u32 + 1);
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
