//! Lowered rules as machine code, made with Cranelift when a game is played much.
//!
//! For each place where something is asked there is a function that writes down all options, in groups that differ in their last argument only; one
//! function takes a choice and goes on to the next rest; the endings, the effects looked at ahead and shared definitions have one each. Their meaning is that of
//! the trees: where a tree fails, the function says so, and the explaining evaluator is asked.

// Machine code is called here, and nowhere else: it is given a position of the size it was made for and a context whose lists have the lengths it knows;
// every place it computes from their bytes is held within bounds by the code itself.
#![allow(unsafe_code)]

mod build;
mod cond;
mod ends;
mod flow;
mod int;
mod list;
mod mask;
mod num;
mod piles;
mod play;
mod run;
mod set;
mod unit;

use std::mem::offset_of;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cranelift_jit::JITModule;

use super::code::{Bits, NONE};
use super::legal::{Act, MustGoal};
use super::program::{Ask, Op, Program};
use crate::game::{Args, Choice};
use crate::model::{ActionId, MAX_ARGS};
use unit::{Job, Tables, Unable, Unit};

/// Most groups of options that are written down.
const MAX_GROUPS: usize = 65_536;

/// Options that differ in their last argument only.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// Which last arguments; of a range how many.
    low: u64,
    high: u64,
    /// The argument that bit 0 stands for.
    lo: i32,
    head: u32,
    args: [i16; MAX_ARGS],
    /// How many options it has.
    count: u32,
}

/// What a function is given beside the position.
#[repr(C)]
#[derive(Debug)]
struct Context {
    failed: u8,
    /// Groups written down.
    length: u32,
    groups: *mut Group,
    /// Room for a position.
    scratch: *mut u8,
    /// Who decides.
    seat: i32,
    /// Where the position rests: the number of the instruction.
    resume: u32,
    /// The choice made: its kind, action, value and arguments.
    kind: u32,
    action: u32,
    value: i32,
    args: [i32; MAX_ARGS],
    /// How many options are written down.
    total: u64,
    /// Random words: the next, and the end of them.
    next: *const u64,
    end: *const u64,
    /// Plies so far, and how many are enough.
    plies: u64,
    most: u64,
}

const FAILED: i32 = offset_of!(Context, failed) as i32;
const LENGTH: i32 = offset_of!(Context, length) as i32;
const GROUPS: i32 = offset_of!(Context, groups) as i32;
const SCRATCH: i32 = offset_of!(Context, scratch) as i32;
const SEAT: i32 = offset_of!(Context, seat) as i32;
const RESUME: i32 = offset_of!(Context, resume) as i32;
const KIND: i32 = offset_of!(Context, kind) as i32;
const ACTION: i32 = offset_of!(Context, action) as i32;
const VALUE: i32 = offset_of!(Context, value) as i32;
const ARGS: i32 = offset_of!(Context, args) as i32;
const TOTAL: i32 = offset_of!(Context, total) as i32;
const NEXT: i32 = offset_of!(Context, next) as i32;
const END: i32 = offset_of!(Context, end) as i32;
const PLIES: i32 = offset_of!(Context, plies) as i32;
const MOST: i32 = offset_of!(Context, most) as i32;
const GROUP_SIZE: usize = size_of::<Group>();

/// The head of a group: what its options are, how many arguments are given, and of which action.
struct Head;

impl Head {
    pub const ACT: u32 = 0;
    pub const VALUE: u32 = 1;
    pub const YES: u32 = 2;
    pub const PASS: u32 = 3;
    const LAST: u32 = 4;
    const RANGE: u32 = 5;

    fn act(id: u16, args: usize, last: bool) -> u32 {
        u32::from(id) | (args as u32) << 16 | if last { Head::LAST } else { Head::ACT } << 24
    }
    fn values() -> u32 {
        Head::VALUE << 24
    }
    fn range() -> u32 {
        Head::RANGE << 24
    }
    fn yes() -> u32 {
        Head::YES << 24
    }
    fn pass() -> u32 {
        Head::PASS << 24
    }
}

impl Group {
    fn bits(&self) -> Bits {
        Bits::from(self.low) | Bits::from(self.high) << 64
    }

    /// The option with a bit, or number, of its own.
    #[inline]
    fn option(&self, bit: u32) -> Choice {
        let value = self.lo.wrapping_add(bit as i32);
        match self.head >> 24 {
            Head::ACT | Head::LAST => {
                let mut args = [0i32; MAX_ARGS];
                let mut n = (self.head >> 16 & 0xff) as usize;
                for (to, arg) in args.iter_mut().zip(&self.args) {
                    *to = i32::from(*arg);
                }
                if self.head >> 24 == Head::LAST
                    && let Some(last) = args.get_mut(n)
                {
                    *last = value;
                    n += 1;
                }
                Choice::Act(ActionId(self.head as u16), Args::new(args.get(..n).unwrap_or(&[])))
            }
            Head::YES => Choice::Yes,
            Head::PASS => Choice::Pass,
            _ => Choice::Value(value),
        }
    }

    fn each(&self, mut f: impl FnMut(Choice)) {
        if self.head >> 24 == Head::RANGE {
            (0..self.low as u32).for_each(|i| f(self.option(i)));
        } else {
            super::eval::each(self.bits(), |b| f(self.option(b)));
        }
    }

    /// The option at a place among its own.
    #[inline]
    fn nth(&self, n: usize) -> Choice {
        if self.head >> 24 == Head::RANGE {
            return self.option(n as u32);
        }
        self.option(self.bit(n, select))
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

/// Room for playing in one thread: what was found last.
#[derive(Debug)]
pub(super) struct Machine {
    /// Whose it is.
    id: u64,
    context: Context,
    groups: Vec<Group>,
    _scratch: Vec<u8>,
    /// The position whose options are written down, if any is.
    of: Vec<u8>,
    listed: bool,
    /// How many options there are.
    total: usize,
    /// How many random words games take, more or less.
    words: usize,
    /// The options left where obligations narrow them.
    narrowed: Option<Vec<Choice>>,
}

// The pointers are to its own lists.
unsafe impl Send for Machine {}

type Site = unsafe extern "C" fn(*const u8, *mut Context) -> i32;
type Go = unsafe extern "C" fn(*mut u8, *mut Context) -> i32;
type Worth = unsafe extern "C" fn(*const u8, *mut Context, i32) -> i32;

/// The machine code of a game under its options.
pub(super) struct Native {
    id: u64,
    /// Nothing once it is taken down.
    module: Mutex<Option<JITModule>>,
    /// What the code reads.
    _tables: Tables,
    /// Playing on by chance; nothing where obligations have to be weighed.
    play: Option<Go>,
    size: usize,
    groups: usize,
    /// By the number of the instruction.
    sites: Vec<Option<Site>>,
    run: Go,
    /// By action and obligation.
    worths: Vec<Vec<Worth>>,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Native").field("id", &self.id).field("size", &self.size).finish_non_exhaustive()
    }
}

/// The explaining evaluator is to be asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left;

impl Drop for Native {
    fn drop(&mut self) {
        let module = self.module.get_mut().ok().and_then(Option::take);
        if let Some(module) = module {
            // Whoever calls the code holds this, so nobody does any more.
            unsafe { module.free_memory() };
        }
    }
}

impl Native {
    /// Makes the code; nothing where that cannot be done on this machine.
    pub fn new(program: &Program) -> Option<Native> {
        static IDS: AtomicU64 = AtomicU64::new(1);
        Native::build(program, IDS.fetch_add(1, Ordering::Relaxed)).ok()
    }

    fn build(program: &Program, id: u64) -> Result<Native, Unable> {
        if program.size < 16 {
            return Err(Unable);
        }
        let groups = most_groups(program);
        let mut unit = Unit::new(program, program.size, groups as u32)?;
        unit.job(Job::Run)?;
        let plays = program.acts.iter().all(|a| a.musts.is_empty());
        if plays {
            unit.job(Job::Play)?;
        }
        let mut places = Vec::new();
        for (code, c) in program.codes.iter().enumerate() {
            for (pc, op) in c.ops.iter().enumerate() {
                let site = Job::Site(code, pc as u16);
                let asks = matches!(op, Op::Choose { .. } | Op::Chance { .. });
                if asks {
                    unit.job(site)?;
                }
                places.push(asks.then_some(site));
            }
        }
        for (i, act) in program.acts.iter().enumerate() {
            for j in 0..act.musts.len() {
                unit.job(Job::Worth(i, j))?;
            }
        }
        unit.build()?;
        let address = |job| unit.address(job).ok_or(Unable);
        // The types are those of the signatures they were declared with.
        let sites = places
            .into_iter()
            .map(|job| job.map(address).transpose())
            .map(|a| a.map(|a| a.map(|a| unsafe { std::mem::transmute::<*const u8, Site>(a) })))
            .collect::<Result<Vec<_>, Unable>>()?;
        let go = |job| address(job).map(|a| unsafe { std::mem::transmute::<*const u8, Go>(a) });
        let run = go(Job::Run)?;
        let play = if plays { Some(go(Job::Play)?) } else { None };
        let mut worths = Vec::new();
        for (i, act) in program.acts.iter().enumerate() {
            let all = (0..act.musts.len())
                .map(|j| address(Job::Worth(i, j)))
                .map(|a| a.map(|a| unsafe { std::mem::transmute::<*const u8, Worth>(a) }))
                .collect::<Result<Vec<_>, Unable>>()?;
            worths.push(all);
        }
        Ok(Native {
            id,
            _tables: std::mem::take(&mut unit.tables),
            module: Mutex::new(Some(unit.module)),
            play,
            size: program.size as usize,
            groups,
            sites,
            run,
            worths,
        })
    }

    /// Room to play in, that of before if it is of this code.
    pub fn machine(&self, old: Option<Box<Machine>>) -> Box<Machine> {
        match old {
            Some(m) if m.id == self.id => m,
            _ => {
                let mut groups = vec![Group::default(); self.groups];
                let mut scratch = vec![0; self.size];
                let context = Context {
                    failed: 0,
                    length: 0,
                    groups: groups.as_mut_ptr(),
                    scratch: scratch.as_mut_ptr(),
                    seat: NONE,
                    resume: 0,
                    kind: 0,
                    action: 0,
                    value: 0,
                    args: [0; MAX_ARGS],
                    total: 0,
                    next: std::ptr::null(),
                    end: std::ptr::null(),
                    plies: 0,
                    most: 0,
                };
                Box::new(Machine {
                    id: self.id,
                    context,
                    groups,
                    _scratch: scratch,
                    of: vec![0; self.size],
                    listed: false,
                    total: 0,
                    words: 32,
                    narrowed: None,
                })
            }
        }
    }

    /// Sees to it that the options of a position are written down. The position must not be over.
    pub fn list(&self, program: &Program, m: &mut Machine, bytes: &[u8]) -> Result<(), Left> {
        if m.listed && m.of == bytes {
            return Ok(());
        }
        if bytes.len() != self.size {
            return Err(Left);
        }
        let place = program.top(bytes).ok_or(Left)?;
        let site = self.sites.get(program.number(place) as usize).copied().flatten().ok_or(Left)?;
        m.listed = false;
        m.context.failed = 0;
        let ctx = &raw mut m.context;
        // The position is as large as the code was made for.
        let count = unsafe { site(bytes.as_ptr(), ctx) };
        // Of nothing to choose from the explaining evaluator says whether that may be.
        if m.context.failed != 0 || count == 0 {
            return Err(Left);
        }
        self.keep(program, m, bytes, place)
    }

    /// Keeps what is written down as the options of a position.
    fn keep(&self, program: &Program, m: &mut Machine, bytes: &[u8], place: (usize, u16)) -> Result<(), Left> {
        m.of.copy_from_slice(bytes);
        m.narrowed = None;
        m.total = m.context.total as usize;
        if let Some(Op::Choose { ask: Ask::Act { acts, .. }, optional, .. }) = program.op(place)
            && acts.iter().any(|a| program.acts.get(*a).is_some_and(|a| !a.musts.is_empty()))
        {
            self.narrow(program, m, acts, *optional)?;
        }
        m.listed = true;
        Ok(())
    }

    /// Keeps those that meet all obligations in force.
    fn narrow(&self, program: &Program, m: &mut Machine, acts: &[usize], optional: bool) -> Result<(), Left> {
        let mut all = Vec::with_capacity(m.total);
        m.written().iter().for_each(|g| g.each(|c| all.push(c)));
        let passes = if optional { all.pop() } else { None };
        let mut kept = vec![true; all.len()];
        for act in acts {
            let (Some(a), Some(worths)) = (program.acts.get(*act), self.worths.get(*act)) else {
                return Err(Left);
            };
            for (must, worth) in a.musts.iter().zip(worths) {
                let worth: Vec<Option<i32>> = all.iter().map(|c| self.worth(m, a, *worth, c)).collect();
                if m.context.failed != 0 {
                    return Err(Left);
                }
                let known = worth.iter().flatten();
                let best = match must.goal {
                    MustGoal::Prefer(false, _) => known.min(),
                    _ => known.max(),
                };
                if let Some(best) = best.copied() {
                    for (kept, w) in kept.iter_mut().zip(&worth) {
                        *kept &= *w == Some(best);
                    }
                }
            }
        }
        if !all.is_empty() && !kept.contains(&true) {
            return Err(Left);
        }
        let left: Vec<Choice> = all.into_iter().zip(kept).filter(|(_, k)| *k).map(|(c, _)| c).chain(passes).collect();
        m.total = left.len();
        m.narrowed = Some(left);
        Ok(())
    }

    fn worth(&self, m: &mut Machine, act: &Act, worth: Worth, choice: &Choice) -> Option<i32> {
        let Choice::Act(id, args) = choice else {
            return None;
        };
        if *id != act.id {
            return None;
        }
        for (to, arg) in m.context.args.iter_mut().zip(args.as_slice()) {
            *to = i32::from(*arg);
        }
        let (bytes, seat) = (m.of.as_ptr(), m.context.seat);
        let ctx = &raw mut m.context;
        // The position is the one that is kept, as large as the code was made for.
        Some(unsafe { worth(bytes, ctx, seat) }).filter(|w| *w != NONE)
    }

    /// Makes a choice and goes on to the next rest. Where that is left to the explaining evaluator the position is as before.
    pub fn apply(&self, program: &Program, m: &mut Machine, bytes: &mut [u8], choice: Choice) -> Result<(), Left> {
        if bytes.len() != self.size {
            return Err(Left);
        }
        if m.of != bytes {
            m.listed = false;
            m.of.copy_from_slice(bytes);
        }
        let place = program.top(bytes).ok_or(Left)?;
        m.context.resume = program.number(place);
        m.choose(choice);
        m.context.failed = 0;
        m.context.length = 0;
        m.listed = false;
        let ctx = &raw mut m.context;
        // The position is as large as the code was made for.
        let left = unsafe { (self.run)(bytes.as_mut_ptr(), ctx) };
        if left != 0 || m.context.failed != 0 {
            bytes.copy_from_slice(&m.of);
            return Err(Left);
        }
        if m.context.length > 0
            && let Some(place) = program.top(bytes)
        {
            // What was written down on the way is of this position; what fails here fails again when it is asked.
            let _ = self.keep(program, m, bytes, place);
        }
        Ok(())
    }
}

impl Native {
    /// Plays on by chance to the end of the game, or to `most` plies; how many plies. Random words come from `draws`. Nothing where the explaining
    /// evaluator would have to be asked: the position means nothing then.
    pub fn playout(
        &self,
        program: &Program,
        m: &mut Machine,
        bytes: &mut [u8],
        draws: &mut dyn FnMut(&mut [u64]),
        most: usize,
    ) -> Option<usize> {
        const WORDS: usize = 128;
        let play = self.play?;
        if bytes.len() != self.size {
            return None;
        }
        let mut words = [0u64; WORDS];
        // Words left over are none to the next game: at first about as many as the last took.
        let mut least = m.words.clamp(4, WORDS);
        let mut taken = 0;
        m.listed = false;
        m.context.plies = 0;
        m.context.most = most as u64;
        while let Some(place) = program.top(bytes)
            && m.context.plies < m.context.most
        {
            let n = least;
            least = 32;
            let words = words.get_mut(..n)?;
            draws(words);
            let range = words.as_ptr_range();
            (m.context.next, m.context.end) = (range.start, range.end);
            m.context.resume = program.number(place);
            m.context.failed = 0;
            let ctx = &raw mut m.context;
            // The position is as large as the code was made for, and the words outlive the call.
            let left = unsafe { play(bytes.as_mut_ptr(), ctx) };
            if left != 0 || m.context.failed != 0 {
                return None;
            }
            taken += words.iter().position(|w| std::ptr::eq(w, m.context.next)).unwrap_or(n);
        }
        m.words = (7 * m.words + taken + 2) / 8;
        Some(m.context.plies as usize)
    }
}

/// Takes an option of those written down as the choice.
unsafe extern "C" fn pick_slowly(context: *mut Context, n: u64) {
    unsafe { pick(context, n, select) }
}

/// The same where the machine has an instruction for finding a bit.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt")]
unsafe extern "C" fn pick_at_once(context: *mut Context, n: u64) {
    let select = |word: u64, n: usize| std::arch::x86_64::_pdep_u64(1u64.wrapping_shl(n as u32), word).trailing_zeros();
    unsafe { pick(context, n, select) }
}

#[inline(always)]
unsafe fn pick(context: *mut Context, n: u64, select: impl Fn(u64, usize) -> u32) {
    // The code hands over the context it was given; the groups are as many as it has written.
    let context = unsafe { &mut *context };
    let groups = unsafe { std::slice::from_raw_parts(context.groups, context.length as usize) };
    let mut n = n as usize;
    for group in groups {
        let count = group.count as usize;
        if n < count {
            context.kind = match group.head >> 24 {
                Head::LAST => Head::ACT,
                Head::RANGE => Head::VALUE,
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
unsafe extern "C" fn select_slowly(word: u64, n: u64) -> u64 {
    u64::from(select(word, n as usize))
}

/// The n-th bit of a word, where the machine has an instruction for it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2")]
unsafe extern "C" fn select_at_once(word: u64, n: u64) -> u64 {
    u64::from(std::arch::x86_64::_pdep_u64(1u64.wrapping_shl(n as u32), word).trailing_zeros())
}

/// The addresses of the functions that find the n-th bit of a word and take an option as the choice.
fn helpers() -> (*const u8, *const u8) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("popcnt")
    {
        return (select_at_once as *const u8, pick_at_once as *const u8);
    }
    (select_slowly as *const u8, pick_slowly as *const u8)
}

impl Machine {
    fn written(&self) -> &[Group] {
        self.groups.get(..self.context.length as usize).unwrap_or(&[])
    }

    fn choose(&mut self, choice: Choice) {
        let c = &mut self.context;
        match choice {
            Choice::Act(id, args) => {
                (c.kind, c.action) = (Head::ACT, u32::from(id.0));
                c.args = [NONE; MAX_ARGS];
                for (to, arg) in c.args.iter_mut().zip(args.as_slice()) {
                    *to = i32::from(*arg);
                }
            }
            Choice::Value(v) => (c.kind, c.value) = (Head::VALUE, v),
            Choice::Yes => c.kind = Head::YES,
            Choice::Pass => c.kind = Head::PASS,
        }
    }

    /// Who decides, of what is written down; nobody: chance.
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
            None => self.written().iter().for_each(|g| g.each(|c| out.push(c))),
        }
    }
}

/// The most groups that can be written down at once.
fn most_groups(program: &Program) -> usize {
    let of = |act: &Act| {
        let each = |levels: &[super::legal::Level]| {
            let (_, outer) = levels.split_last().unwrap_or((&NO_LEVEL, &[]));
            outer.iter().fold(1usize, |n, l| n.saturating_mul(l.all.count_ones() as usize))
        };
        act.plans.iter().map(|(_, p)| each(&p.levels)).fold(0usize, usize::saturating_add)
    };
    let all = program.acts.iter().map(of).fold(0usize, usize::saturating_add);
    all.saturating_add(8).min(MAX_GROUPS)
}

static NO_LEVEL: super::legal::Level = super::legal::Level { slot: 0, lo: 0, all: 0, mask: super::code::Mask::All };
