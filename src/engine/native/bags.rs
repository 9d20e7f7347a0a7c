//! Statements that change one bag by another.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::{Build, sound};
use super::run::Running;
use crate::engine::program::Store;
use crate::model::{BagOp, MAX_COPIES};

/// Where the bytes of a bag are: an address, an offset, and whether they are there (`None`: certainly).
type Bytes = (Value, i32, Option<Value>);

impl Build<'_, '_, '_> {
    /// Changes a bag by another, or by an empty one.
    pub fn bag(&mut self, r: &Running, op: BagOp, to: &Store, other: Option<&Store>) {
        let a = self.index(r, &to.index);
        let other = other.map(|o| (o, self.index(r, &o.index)));
        self.sure(r);
        if other.is_some_and(|(o, _)| o.place.width != to.place.width) {
            // Each byte of the one is for the same value as that of the other.
            let no = self.i8(false);
            return self.need(r, no);
        }
        let (address, at) = self.writable(r, &to.place, a);
        let Some((other, b)) = other else {
            self.fill(address, at as u32, to.place.width);
            return;
        };
        let done = self.block();
        let from: Bytes = match op {
            BagOp::Move => {
                let (source, offset) = self.writable(r, &other.place, b);
                if other.place.at == to.place.at {
                    // From one to itself nothing moves.
                    let same = self.b.ins().icmp(IntCC::Equal, address, source);
                    let differs = self.block();
                    self.brif(same, done, differs);
                    self.to(differs);
                }
                (source, offset, None)
            }
            _ => self.entry(&other.place, b),
        };
        self.each_byte(r, op, (address, at), from, to.place.width);
        if op == BagOp::Move {
            self.fill(from.0, from.1 as u32, to.place.width);
        }
        self.jump(done, &[]);
        self.to(done);
    }

    fn each_byte(&mut self, r: &Running, op: BagOp, (address, at): (Value, i32), from: Bytes, width: u32) {
        let (head, inside, end) = (self.block(), self.block(), self.block());
        let i = self.b.append_block_param(head, types::I64);
        let zero = self.i64(0);
        self.jump(head, &[zero]);
        self.to(head);
        let width = self.i64(u64::from(width));
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, i, width);
        self.brif(more, inside, end);
        self.to(inside);
        let (x, y) = (self.b.ins().iadd(address, i), self.b.ins().iadd(from.0, i));
        let (n, mut by) = (self.read(x, at, 1), self.read(y, from.1, 1));
        if let Some(there) = from.2 {
            let none = self.i32(0);
            by = self.b.ins().select(there, by, none);
        }
        let new = match op {
            BagOp::Become => by,
            BagOp::Add | BagOp::Move => {
                let sum = self.b.ins().iadd(n, by);
                let fits = self.cmp(IntCC::UnsignedLessThanOrEqual, sum, i64::from(MAX_COPIES));
                self.need(r, fits);
                sum
            }
            BagOp::Less => {
                let by = self.b.ins().umin(n, by);
                self.b.ins().isub(n, by)
            }
        };
        let new = self.b.ins().ireduce(types::I8, new);
        self.b.ins().store(sound(), new, x, at);
        let one = self.i64(1);
        let next = self.b.ins().iadd(i, one);
        self.jump(head, &[next]);
        self.to(end);
    }
}
