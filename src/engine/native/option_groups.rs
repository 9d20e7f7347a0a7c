//! Options as the code writes them down: in groups that differ only in their last argument.

use super::Context;
use crate::game::{Args, Choice};
use crate::model::{ActionId, MAX_ARGS};

/// Options that differ in their last argument only.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// Which last arguments; of a range how many.
    pub low: u64,
    pub high: u64,
    /// The argument that bit 0 stands for.
    pub lo: i32,
    pub head: u32,
    pub args: [i16; MAX_ARGS],
    /// How many options it has.
    pub count: u32,
}

/// The head of a group: what its options are, how many arguments are given, and of which action.
pub(super) struct Head;

impl Head {
    pub const ACT: u32 = 0;
    pub const VALUE: u32 = 1;
    pub const YES: u32 = 2;
    pub const PASS: u32 = 3;
    pub const LAST: u32 = 4;
    pub const RANGE: u32 = 5;
    /// One value, so many times.
    pub const COPIES: u32 = 6;

    pub fn act(id: u16, args: usize, last: bool) -> u32 {
        u32::from(id) | (args as u32) << 16 | if last { Head::LAST } else { Head::ACT } << 24
    }
    pub fn values() -> u32 {
        Head::VALUE << 24
    }
    pub fn range() -> u32 {
        Head::RANGE << 24
    }
    pub fn copies() -> u32 {
        Head::COPIES << 24
    }
    pub fn yes() -> u32 {
        Head::YES << 24
    }
    pub fn pass() -> u32 {
        Head::PASS << 24
    }
}

impl Group {
    /// How many arguments are the same in all of them.
    fn given(&self) -> usize {
        (self.head >> 16 & 0xff) as usize
    }

    /// What a bit stands for.
    fn value(&self, bit: u32) -> i32 {
        self.lo.wrapping_add(bit as i32)
    }

    /// The option with a bit, or number, of its own.
    #[inline]
    pub fn option(&self, bit: u32) -> Choice {
        let value = self.value(bit);
        match self.head >> 24 {
            Head::ACT | Head::LAST => {
                let given = self.given();
                let last = (self.head >> 24 == Head::LAST).then_some(value);
                Choice::Act(ActionId(self.head as u16), Args::first_of(&self.args, given, last))
            }
            Head::YES => Choice::Yes,
            Head::PASS => Choice::Pass,
            _ => Choice::Value(value),
        }
    }

    pub fn each(&self, mut f: impl FnMut(Choice)) {
        match self.head >> 24 {
            Head::RANGE => (0..self.low as u32).for_each(|i| f(self.option(i))),
            Head::COPIES => (0..self.low).for_each(|_| f(self.option(0))),
            Head::VALUE => self.each_bit(|bit| f(Choice::Value(self.value(bit)))),
            Head::LAST => {
                let (id, args) = (ActionId(self.head as u16), Args::first_of(&self.args, self.given(), None));
                self.each_bit(|bit| f(Choice::Act(id, args.and(self.value(bit)))));
            }
            _ => self.each_bit(|bit| f(self.option(bit))),
        }
    }

    /// Each of its bits, the lowest first.
    fn each_bit(&self, mut f: impl FnMut(u32)) {
        for (first, mut word) in [(0, self.low), (64, self.high)] {
            while word != 0 {
                f(first + word.trailing_zeros());
                word &= word.wrapping_sub(1);
            }
        }
    }

    /// The option at a place among its own.
    #[inline]
    pub fn nth(&self, n: usize) -> Choice {
        match self.head >> 24 {
            Head::RANGE => self.option(n as u32),
            Head::COPIES => self.option(0),
            _ => self.option(self.bit(n, select)),
        }
    }

    /// The n-th of its bits.
    #[inline(always)]
    fn bit(&self, n: usize, select: impl Fn(u64, usize) -> u32) -> u32 {
        let first = self.low.count_ones() as usize;
        if n < first { select(self.low, n) } else { 64 + select(self.high, n - first) }
    }
}

/// Which bit of a word is its n-th.
#[inline]
fn select(mut word: u64, n: usize) -> u32 {
    for _ in 0..n {
        word &= word.wrapping_sub(1);
    }
    word.trailing_zeros()
}

/// Takes an option of those written down as the choice.
///
/// # Safety
/// As for [`pick`].
unsafe extern "C" fn pick_slowly(context: *mut Context, n: u64) {
    // SAFETY: the caller promises it.
    unsafe { pick(context, n, select) }
}

/// The same where the machine has an instruction for finding a bit.
///
/// # Safety
/// As for [`pick`], and the machine has the instructions named.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt")]
unsafe extern "C" fn pick_at_once(context: *mut Context, n: u64) {
    let select = |word: u64, n: usize| std::arch::x86_64::_pdep_u64(1u64.wrapping_shl(n as u32), word).trailing_zeros();
    // SAFETY: the caller promises it.
    unsafe { pick(context, n, select) }
}

/// Takes an option of those written down as the choice.
///
/// # Safety
/// The context is one that nobody else uses meanwhile, and it points to at least as many groups as it says that there
/// are.
#[inline(always)]
unsafe fn pick(context: *mut Context, n: u64, select: impl Fn(u64, usize) -> u32) {
    // SAFETY: only the code calls this. It hands over the context it was given, which the caller of the code has for
    // itself and does not touch until the code returns.
    let context = unsafe { &mut *context };
    // SAFETY: the list has room for `Native::groups` groups, the code writes no more, and `length` is how many it
    // wrote. All bytes of the list were set when it was made, and any are a group.
    let groups = unsafe { std::slice::from_raw_parts(context.groups, context.length as usize) };
    let mut n = n as usize;
    for group in groups {
        let count = group.count as usize;
        if n < count {
            context.kind = match group.head >> 24 {
                Head::LAST => Head::ACT,
                Head::RANGE | Head::COPIES => Head::VALUE,
                kind => kind,
            };
            context.action = group.head & 0xffff;
            for (to, arg) in context.args.iter_mut().zip(&group.args) {
                *to = i32::from(*arg);
            }
            let bit = match group.head >> 24 {
                Head::LAST => group.bit(n, select),
                _ => 0,
            };
            if group.head >> 24 == Head::LAST
                && let Some(last) = context.args.get_mut((group.head >> 16 & 0xff) as usize)
            {
                *last = group.lo.wrapping_add(bit as i32);
            }
            return;
        }
        n -= count;
    }
    context.failed = 1;
}

/// The n-th bit of a word.
extern "C" fn select_slowly(word: u64, n: u64) -> u64 {
    u64::from(select(word, n as usize))
}

/// The n-th bit of a word, where the machine has an instruction for it.
///
/// # Safety
/// The machine has the instructions named.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2")]
unsafe extern "C" fn select_at_once(word: u64, n: u64) -> u64 {
    u64::from(std::arch::x86_64::_pdep_u64(1u64.wrapping_shl(n as u32), word).trailing_zeros())
}

/// The addresses of the functions that find the n-th bit of a word and take an option as the choice.
pub(super) fn helpers() -> (*const u8, *const u8) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("popcnt")
    {
        // The machine has the instructions that these two need.
        return (select_at_once as *const u8, pick_at_once as *const u8);
    }
    (select_slowly as *const u8, pick_slowly as *const u8)
}
