//! Keeps the values of definitions at one position, so that none is evaluated twice.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::model::{DefId, Value};

/// The maximum number of arguments of a definition whose values are kept.
pub(super) const MAX_ARGUMENTS: usize = 4;

/// The maximum number of values kept.
pub(super) const MAX_REMEMBERED: usize = 1 << 20;

/// The code for `none` among the arguments: it is below every number.
const NOTHING: i32 = i32::MIN;

/// A definition with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    def: u16,
    args: [i32; MAX_ARGUMENTS],
}

impl Asked {
    /// The key of a definition with its arguments; `None` if one is a set, or if there are too many.
    pub fn new(def: DefId, args: &[Value]) -> Option<Asked> {
        let mut asked = Asked { def: def.0, args: [NOTHING; MAX_ARGUMENTS] };
        for (i, arg) in args.iter().enumerate() {
            *asked.args.get_mut(i)? = match arg {
                Value::Int(i) => *i,
                Value::None => NOTHING,
                _ => return None,
            };
        }
        Some(asked)
    }
}

/// Values by what was asked; for an observer with whether something was missed.
pub(super) type Memo<V = Value> = HashMap<Asked, V, BuildHasherDefault<Mix>>;

/// A hash of a few small numbers that are not chosen to collide.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Mix {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u16(&mut self, i: u16) {
        self.mix(u64::from(i));
    }

    fn write_usize(&mut self, i: usize) {
        self.mix(i as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
