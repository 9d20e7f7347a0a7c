//! Scratch memory for playing by machine code in one thread: the input of the code, and its last results.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::option_groups::{Group, Head};
use crate::engine::ir::NONE;
use crate::engine::program::Program;
use crate::game::Choice;
use crate::model::MAX_ARGS;

use super::Native;
use super::buffer::Buffer;

/// How many stamps a machine takes at a time.
const STAMPS: u64 = 1 << 20;

/// The first of the stamps that no machine has taken.
static NEXT_STAMPS: AtomicU64 = AtomicU64::new(0);

/// What a function is given beside the position.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Context {
    pub failed: u8,
    /// Whether to play on by chance.
    pub plays: u8,
    /// Whether the choice made is carried out first.
    pub chosen: u8,
    /// Whether a proof did not hold; only code made with assertions on looks.
    pub broken: u8,
    /// Groups written down.
    pub length: u32,
    pub(super) groups: *mut Group,
    /// Buffer for a position.
    pub scratch: *mut u8,
    /// What the code keeps of what it found. It is true of any position.
    pub kept: *mut u64,
    /// Who decides.
    pub seat: i32,
    /// The decision point: the number of its instruction.
    pub resume: u32,
    /// The choice made: its kind, action, value and arguments.
    pub kind: u32,
    pub action: u32,
    pub value: i32,
    pub args: [i32; MAX_ARGS],
    /// How many options are written down.
    pub total: u64,
    /// Random words: the next, and the end of them.
    pub next: *const u64,
    pub end: *const u64,
    /// Plies so far, the most, and after how many no decision is made between several options.
    pub plies: u64,
    pub most: u64,
    pub decisions: u64,
    /// How much has been worked out.
    pub work: u32,
    /// The rules; lent by whoever calls the code, for as long as it runs.
    pub(super) program: *const Program,
    /// The code itself; lent likewise.
    pub(super) native: *const Native,
    /// The options left where obligations narrow them as play goes on by chance.
    pub(super) narrowed: Vec<Choice>,
}

impl Context {
    /// Takes a choice as the one that is made.
    pub fn choose(&mut self, choice: Choice) {
        match choice {
            Choice::Act(id, args) => {
                (self.kind, self.action) = (Head::ACT, u32::from(id.0));
                self.args = [NONE; MAX_ARGS];
                for (to, arg) in self.args.iter_mut().zip(args.as_slice()) {
                    *to = i32::from(*arg);
                }
            }
            Choice::Value(v) => (self.kind, self.value) = (Head::VALUE, v),
            Choice::Yes => self.kind = Head::YES,
            Choice::Pass => self.kind = Head::PASS,
        }
    }
}

/// Buffer for playing in one thread: what was found last.
#[derive(Debug)]
pub(in crate::engine) struct Machine {
    /// Whose it is.
    pub id: u64,
    pub(super) context: Context,
    pub(super) groups: Buffer<Group>,
    pub(super) _scratch: Buffer<u8>,
    pub(super) _kept: Buffer<u64>,
    /// The position held, with its value indexes; its options are written down if it is `listed`. Its stack is one that
    /// play can reach, or all zero.
    pub(super) of: Buffer<u8>,
    /// Buffer for the position that follows; the position that the one held came from, with its value indexes, if
    /// `came_from`.
    pub(super) work: Buffer<u8>,
    pub(super) came_from: bool,
    /// Memory for the block of a position of which a part is kept sparse.
    pub(super) unpacked: Vec<u8>,
    /// Whether the one held will not be asked for again once it was played on from.
    pub(super) passing: bool,
    /// The stamp of the position held, if it has one.
    pub(super) stamp: Option<NonZeroU64>,
    /// Stamps that no position has yet.
    pub(super) stamps: Range<u64>,
    pub listed: bool,
    /// How many options there are.
    pub total: usize,
    /// Random words for a game.
    pub drawn: Vec<u64>,
    /// How many of them the longest of the last games took, more or less; in parts of a word.
    pub words: usize,
    /// The options left where obligations narrow them.
    pub narrowed: Option<Vec<Choice>>,
}

// SAFETY: the pointers in the context are to lists of its own, which nobody else has and which stay where they are when
// it moves; only the random words and the rules are another's, and those are not read after the code has run.
unsafe impl Send for Machine {}

impl Machine {
    /// Where assertions are on: the proofs that the code went by were right.
    #[inline]
    pub(super) fn held_true(&self) {
        debug_assert_eq!(self.context.broken, 0, "machine code relied on a proof that does not hold");
    }

    pub(super) fn written(&self) -> &[Group] {
        self.groups.get(..self.context.length as usize).unwrap_or(&[])
    }

    /// A stamp that no position has.
    pub(super) fn new_stamp(&mut self) -> NonZeroU64 {
        let next = self.stamps.next().unwrap_or_else(|| {
            let from = NEXT_STAMPS.fetch_add(STAMPS, Ordering::Relaxed);
            self.stamps = from + 1..from + STAMPS;
            from
        });
        NonZeroU64::MIN.saturating_add(next)
    }

    pub fn choose(&mut self, choice: Choice) {
        self.context.choose(choice);
    }

    /// The seat that decides among what is written down; `None` for chance.
    pub fn seat(&self) -> Option<u16> {
        u16::try_from(self.context.seat).ok()
    }

    /// How many options are written down.
    pub fn count(&self) -> usize {
        self.total
    }

    /// One of the options that are written down.
    pub fn nth(&self, mut n: usize) -> Option<Choice> {
        if let Some(narrowed) = &self.narrowed {
            return narrowed.get(n).copied();
        }
        for group in self.written() {
            let count = group.count as usize;
            if n < count {
                return Some(group.nth(n));
            }
            n -= count;
        }
        None
    }

    /// All options that are written down, in order.
    pub fn options(&self, out: &mut Vec<Choice>) {
        match &self.narrowed {
            Some(narrowed) => out.extend_from_slice(narrowed),
            None => {
                out.reserve(self.total);
                self.written().iter().for_each(|g| g.each(|c| out.push(c)));
            }
        }
    }
}
