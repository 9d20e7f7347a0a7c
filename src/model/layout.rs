//! Where each variable of a position is in its block of bytes.
//!
//! A scalar is stored as `value - lo + 1`, in 1, 2 or 4 bytes, little endian; 0 is nothing. A set is stored as bits,
//! the lowest first; an ordered pile as its length (2 bytes) and its members (1 or 2 bytes each), unused places zero; a
//! bag as the number of copies of each value, a byte each.
//!
//! In a game of large variables these come last in the block, and a position keeps that part sparse: a map of a hundred
//! areas has room for every troop in each of them, and nearly all of it is zero.
//!
//! Variables that only their own code can name share memory: those of a code come after those of all codes that can be
//! active below it. While a code is not active its memory is all zero, except for variables of others there, so equal
//! positions are equal bytes.

use std::collections::BTreeSet;

use super::{Base, CallGraph, CodeId, Expr, KindId, Model, Text, Ty, VarId};
use crate::span::Span;

/// A variable of a position.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name: `active`, `Character.at`, `battle.card`, `hand`.
    pub name: String,
    /// Name for people; empty: `name`.
    pub label: Text,
    /// The kind it is indexed by: one entry a member.
    pub index: Option<KindId>,
    /// The type of an entry.
    pub ty: Ty,
    /// Whose it is.
    pub owner: VarOwner,
    /// Initial value; local 0 is the index. Without one it starts as nothing, or empty. Parameters have none.
    pub init: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
    /// Where it is stored.
    pub place: Place,
}

/// Whose variable it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarOwner {
    /// The game's.
    Game,
    /// A field of the members of a kind (`index` is the kind).
    Field(KindId),
    /// A pile of the game.
    Pile,
    /// A procedure's, a hook's or an effect's: parameter, variable, `let`, choice, or hidden helper.
    Code(CodeId),
    /// A limit (`once per`): how often it was used since it was last reset.
    Limit,
}

/// Where and how a variable is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// First byte of the first entry.
    pub offset: u32,
    /// Bytes of one entry.
    pub width: u32,
    /// Entries.
    pub count: u32,
    /// How many times the whole array is there: `nested` of its procedure.
    pub levels: u32,
}

impl Place {
    /// Bytes of all that is there.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        self.width * self.count * self.levels
    }
}

/// The fixed parts of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes in all.
    pub size: u32,
    /// The bytes at the beginning that a position keeps as they are; it keeps the others sparse. All, where few
    /// variables are large.
    pub plain: u32,
    /// Two bytes: 0 while the game goes on, else 1 + the index of the ending.
    pub over: u32,
    /// Four bytes: the seats that win, as bits.
    pub winners: u32,
    /// One byte: how many frames the stack has.
    pub depth: u32,
    /// The stack: four bytes a frame, code then pc, two bytes each.
    pub stack: u32,
    /// The maximum number of frames there can be.
    pub max_depth: u32,
}

/// The least number. The greatest is [`i32::MAX`]. The lowest 32-bit value means `none`, and the next one is
/// not used, because the digests of positions in records depend on how numbers are stored.
pub const LEAST: i32 = i32::MIN + 2;

/// The maximum depth to which definitions may use each other: the nested parts of expressions, and [`CALL_LEVELS`] for
/// each definition.
pub const MAX_DEFINITION_DEPTH: u32 = 3000;

/// The depth that the stack of any thread allows. Deeper definitions are evaluated on a stack of [`LARGE_STACK`] bytes.
pub const SMALL_STACK_DEPTH: u32 = 150;

/// The maximum depth of lowered rules.
pub const MAX_LOWERED_DEPTH: u32 = 500;

/// A stack that is large enough for all levels.
pub const LARGE_STACK: usize = 256 << 20;

/// The levels that the call of a definition counts.
pub const CALL_LEVELS: u32 = 3;

/// A number of the language, if this is one.
#[must_use]
pub fn as_number(i: i64) -> Option<i32> {
    i32::try_from(i).ok().filter(|i| *i >= LEAST)
}

/// How many values a base has that are stored as scalars, and the lowest.
#[must_use]
pub fn scalar_span(base: &Base, kinds: &[super::Kind]) -> (i64, u64) {
    match base {
        Base::Bool => (0, 2),
        Base::Range(lo, hi) => (i64::from(*lo), (i64::from(*hi) - i64::from(*lo) + 1).max(0) as u64),
        Base::Member(k) | Base::List(k) => (0, kinds.get(k.i()).map_or(0, |k| k.members.len()) as u64),
        _ => (i64::from(LEAST), u64::from(u32::MAX) - 1),
    }
}

/// Bytes of one entry of a type.
#[must_use]
pub fn entry_width(base: &Base, kinds: &[super::Kind]) -> u32 {
    match base {
        Base::Set(of) => (scalar_span(of, kinds).1 as u32).div_ceil(8).max(1),
        Base::Bag(of) => (scalar_span(of, kinds).1 as u32).clamp(1, super::MAX_BAG_MEMBERS),
        Base::List(_) => {
            let n = scalar_span(base, kinds).1 as u32;
            2 + n * if n < 255 { 1 } else { 2 }
        }
        _ => match scalar_span(base, kinds).1 {
            0..=254 => 1,
            255..=65_534 => 2,
            _ => 4,
        },
    }
}

/// The entries of a set up to which each has room for a whole word.
const FEW_ENTRIES: u32 = 8;

/// Bytes of an entry of a set: so many that the processor reads and writes it at once, where there are few entries.
fn rounded(width: u32, entries: u32) -> u32 {
    if width <= 8 && entries <= FEW_ENTRIES { width.next_power_of_two() } else { width }
}

/// What can be on the stack.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// Its maximum depth.
    pub depth: u32,
    /// The codes of which a position counts how many are active.
    pub counted: BTreeSet<CodeId>,
    /// For each code, the codes that it can begin.
    pub calls: CallGraph,
    /// The variables of codes that others can name.
    pub named: BTreeSet<VarId>,
}

/// The bytes from which on a variable is large.
const LARGE: u32 = 100;

/// The bytes from which on large variables are kept sparse, taken together.
const MANY_LARGE: u32 = 2048;

/// Gives every variable its place and the codes that are counted their byte.
pub fn lay_out(model: &mut Model, frames: &Frames) {
    let max_depth = frames.depth.min(MAX_ACTIVE_CODES);
    let layout = Layout { over: 0, winners: 2, depth: 6, stack: 7, max_depth, ..Layout::default() };
    let mut offset = layout.stack + 4 * layout.max_depth;
    for (i, code) in model.codes.iter_mut().enumerate() {
        code.active = frames.counted.contains(&CodeId(i as u16)).then_some(offset);
        offset += u32::from(code.active.is_some());
    }
    for var in &mut model.vars {
        let count = var.index.map_or(1, |k| model.kinds.get(k.i()).map_or(1, |k| k.members.len() as u32));
        let levels = match var.owner {
            VarOwner::Code(c) => model.codes.get(c.i()).map_or(1, |c| u32::from(c.nested)),
            _ => 1,
        };
        let width = entry_width(&var.ty.base, &model.kinds);
        let width = if matches!(var.ty.base, Base::Set(_)) { rounded(width, count * levels) } else { width };
        var.place = Place { offset: 0, width, count, levels };
    }
    let large = |var: &Var| var.place.bytes() >= LARGE;
    let sparse = model.vars.iter().filter(|var| large(var)).map(|var| var.place.bytes()).sum::<u32>() >= MANY_LARGE;
    let plain = put(model, frames, offset, |var| !(sparse && large(var))).max(16);
    let size = if sparse { put(model, frames, plain, large) } else { plain };
    model.layout = Layout { size, plain, ..layout };
}

/// Gives some variables their places from an offset on; returns where they end.
fn put(model: &mut Model, frames: &Frames, mut offset: u32, some: impl Fn(&Var) -> bool) -> u32 {
    let sharing: Vec<Option<usize>> = (0..model.vars.len()).map(|i| shares(model, frames, VarId(i as u16))).collect();
    let mut sizes = vec![0; model.codes.len()];
    for (var, sharing) in model.vars.iter_mut().zip(&sharing).filter(|(var, _)| some(var)) {
        // For a shared variable, for now, its offset among the variables of its code.
        let end = sharing.and_then(|c| sizes.get_mut(c)).unwrap_or(&mut offset);
        var.place.offset = *end;
        *end += var.place.bytes();
    }
    let starts = starts(&sizes, &frames.calls);
    for (var, sharing) in model.vars.iter_mut().zip(&sharing).filter(|(var, _)| some(var)) {
        var.place.offset += sharing.map_or(0, |c| offset + starts.get(c).copied().unwrap_or(0));
    }
    offset + starts.iter().zip(&sizes).map(|(start, size)| start + size).max().unwrap_or(0)
}

/// The maximum number of frames, as it is stored in one byte.
pub const MAX_ACTIVE_CODES: u32 = 255;

/// The code of a variable that shares memory with those of codes that are never on the stack together with it.
fn shares(model: &Model, frames: &Frames, var: VarId) -> Option<usize> {
    match model.vars.get(var.i())?.owner {
        VarOwner::Code(c) if !frames.named.contains(&var) && model.codes.get(c.i())?.nested == 1 => Some(c.i()),
        _ => None,
    }
}

/// Where the shared variables of each code begin: after those of all codes that can be active below it.
fn starts(sizes: &[u32], calls: &CallGraph) -> Vec<u32> {
    let mut starts = vec![0; sizes.len()];
    // Recursive codes share nothing, so no path is longer than the number of codes.
    for _ in sizes {
        let before = starts.clone();
        for code in calls.codes() {
            let end = starts.get(code.i()).zip(sizes.get(code.i())).map_or(0, |(start, size): (&u32, _)| start + size);
            for begun in calls.begins(code) {
                if let Some(start) = starts.get_mut(begun.i()) {
                    *start = end.max(*start);
                }
            }
        }
        if starts == before {
            break;
        }
    }
    starts
}

/// Convenience: the place of a variable among others.
#[must_use]
pub fn place(vars: &[Var], var: VarId) -> Place {
    vars.get(var.i()).map_or(Place::default(), |v| v.place)
}
