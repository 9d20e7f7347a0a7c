//! The target of lowering: small typed trees with the options folded in.
//!
//! There are three kinds of tree, by what they give: a number ([`Num`]), a truth ([`Cond`]), a set ([`SetE`]); and
//! [`Mask`], a condition on all members of a set at once. Locals are *slots*: each definition, quantifier and parameter
//! has its own, as the rules forbid recursion.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::along::Along;
use super::beyond::Beyond;
use super::bits::Bits;
use super::grid::{Crossing, Line};
use super::leaf::{Group, Leaf, Visit};
use super::place::Place;
use crate::model::{Arith, KindId, Order, VarId};

/// Nothing, where a number is wanted.
pub(super) const NONE: i32 = i32::MIN;

/// A number made of several, to find a place in a table.
#[derive(Clone, Debug)]
pub(super) struct Lin {
    /// The parts: number, lowest, how many.
    pub terms: Box<[(Num, i32, u32)]>,
    /// Whether a part out of its bounds is a failure; otherwise the result is nothing.
    pub strict: bool,
}

/// A number, or nothing.
#[derive(Clone, Debug)]
pub(super) enum Num {
    Const(i32),
    Slot(u16),
    /// A variable of one byte: where, its lowest value, how many values.
    Byte(u32, i32, u32),
    Var(Place),
    At(Place, Box<Num>),
    Table(Arc<[i32]>, Lin),
    Neg(Box<Num>),
    Abs(Box<Num>),
    Default(Box<(Num, Num)>),
    Arith(Arith, Box<(Num, Num)>),
    Size(Box<SetE>),
    Length(Place, Box<Num>),
    Top(Place, Box<Num>),
    Bool(Box<Cond>),
    Sum(Box<Over>),
    Product(Box<Over>),
    Best(bool, Box<Over>),
    First(Box<SetE>, i32),
    Layer(LayerOp, Box<Num>, Box<[(Cond, Num)]>),
    Would(Box<After<Num>>),
    /// The cost of the cheapest steps to a member.
    Way(Box<Steps>, Box<Num>),
    Flow(Box<Flow<Num>>),
}

/// The layers of a definition of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayerOp {
    Times,
    Plus,
    AtMost,
    AtLeast,
}

/// A term over a set.
#[derive(Clone, Debug)]
pub(super) struct Over {
    pub set: SetE,
    pub slot: u16,
    pub lo: i32,
    pub term: Num,
}

/// The value after an action's effect.
#[derive(Clone, Debug)]
pub(super) struct After<T> {
    /// The code of the effect.
    pub code: usize,
    /// Its arguments.
    pub args: Box<[Num]>,
    pub of: T,
}

/// The forms that all three kinds share.
#[derive(Clone, Debug)]
pub(super) enum Flow<T> {
    /// By a condition.
    If(Cond, T, T),
    /// The rule that applies and is not beaten, otherwise the general value.
    Pick(Box<[Rule<T>]>, Option<T>),
    /// With values bound first; nothing if a required one is nothing.
    Let(Box<[Bind]>, T),
    /// By the value of a number, in the order of values; else the last.
    ByValue(Num, Box<[(i32, T)]>, T),
    /// A tree used in several places.
    Inst(u32),
}

/// A rule that replaces a value.
#[derive(Clone, Debug)]
pub(super) struct Rule<T> {
    pub cond: Cond,
    pub value: T,
    /// The rules that beat it, by their places, lowest first.
    pub beaten: Box<[u32]>,
}

/// A value given to a slot.
#[derive(Clone, Debug)]
pub(super) enum Bind {
    /// A number; `true` if it is required.
    Num(u16, Num, bool),
    /// A set.
    Set(u16, SetE),
}

/// A bag that is read.
#[derive(Clone, Debug)]
pub(super) enum Bag {
    /// A variable, and which entry.
    Var(VarId, Num),
    /// A printed field: its kind, its place in it, and of which member.
    Printed(KindId, usize, Num),
    /// Nothing is in it.
    Empty,
    /// Two together.
    Sum(Box<(Bag, Bag)>),
}

/// Steps from member to member: from that of slot `a` to those of a set that meet a condition, each the member of slot
/// `b`.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// How many members there are.
    pub n: usize,
    pub from: SetE,
    pub a: u16,
    pub set: SetE,
    pub b: u16,
    pub mask: Mask,
    /// The price of one; without it each costs 1.
    pub cost: Option<Num>,
}

/// A truth.
#[derive(Clone, Debug)]
pub(super) enum Cond {
    Const(bool),
    Not(Box<Cond>),
    All(Box<[Cond]>),
    Any(Box<[Cond]>),
    Is(Num, i32),
    Equal(Box<(Num, Num)>),
    Same(Box<(SetE, SetE)>),
    Compare(Order, Box<(Num, Num)>),
    In(Box<Num>, Box<SetE>, i32),
    Empty(Box<SetE>),
    /// A number other than 0.
    Truth(Num),
    /// A bit of a table.
    Row(Arc<[Bits]>, Box<(Lin, Num)>, i32, u32),
    /// Is there one in the set?
    Some(Box<(SetE, Cond)>, u16, i32),
    /// Do all of the set?
    Every(Box<(SetE, Cond)>, u16, i32),
    On(u32),
    Wins(Box<Num>),
    /// Is an action to be chosen, and `some`, or none, legal?
    AnyLegal(bool),
    Would(Box<After<Cond>>),
    Crosses(Box<Crossing>),
    Flow(Box<Flow<Cond>>),
}

/// A set.
#[derive(Clone, Debug)]
pub(super) enum SetE {
    Const(Bits),
    Slot(u16),
    Var(Place),
    At(Place, Box<Num>),
    List(Place, Box<Num>),
    Table(Arc<[Bits]>, Lin),
    Union(Box<(SetE, SetE)>),
    Minus(Box<(SetE, SetE)>),
    Both(Box<(SetE, SetE)>),
    /// Of these numbers: the number of bit 0, how many there can be, whether it is certain that all are among them.
    Of(Box<[Num]>, i32, usize, bool),
    Filter(Box<Filter>),
    Map(Box<Over>, i32, usize),
    Joined(Box<Joined>),
    /// Those that the rows lead to from some, through those that meet a condition.
    Reach(Arc<[Bits]>, Box<SetE>, u16, Box<Mask>),
    Passed(Line),
    /// Those that steps lead to, at a total price of at most so much.
    Steps(Box<Steps>, Option<Box<Num>>),
    Change(Box<SetE>, Box<[(Cond, SetE)]>, Box<[(Cond, SetE)]>),
    Flow(Box<Flow<SetE>>),
}

/// All that the sets of the members of a set have, put together.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub set: SetE,
    pub slot: u16,
    pub lo: i32,
    pub of: SetE,
}

/// Those of a set that meet a condition.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub set: SetE,
    pub slot: u16,
    pub lo: i32,
    pub mask: Mask,
}

/// A condition on all members of a set at once.
#[derive(Clone, Debug)]
pub(super) enum Mask {
    All,
    And(Box<[Mask]>),
    Or(Box<[Mask]>),
    /// The second where the first is met, else the third.
    Either(Box<(Mask, Mask, Mask)>),
    Not(Box<Mask>),
    /// It does not depend on the member.
    Scalar(Cond),
    /// With values bound first; met by none where one that must be there is nothing.
    Let(Box<[Bind]>, Box<Mask>),
    /// Those of a set.
    In(SetE),
    /// The one that is this number.
    Is(Num),
    /// Those whose stored number, of one byte or two, is a value.
    Field(Place, Num),
    /// The same of the entries from one on: that is the first member's.
    FieldFrom(Place, u32, Num),
    /// Those whose stored byte is one of a set, of sixteen that there can be at most.
    Stored(Place, Box<SetE>),
    /// The items of the row of a number, of rows of bytes that count items, that there are any of.
    Held(Place, Num),
    /// By how many of a set have it as their stored value: for each number (the last also for more) those for which it
    /// is right.
    Tally(Place, Box<SetE>, Box<[Bits]>),
    /// By the value of a number.
    ByValue(Box<ByValue>),
    /// By how many of a set lead to it, by a table: for each number (the last also for more) those for which it is
    /// right.
    Linked(Arc<[Bits]>, Box<SetE>, Box<[Bits]>),
    /// Those in line with one of a set over members of another.
    Along(Box<Along>),
    /// Those that lie on lines behind the first member of a set.
    Beyond(Box<Beyond>),
    /// One by one.
    Loop(Cond),
}

/// Conditions on all members, by the value of a number.
#[derive(Clone, Debug)]
pub(super) struct ByValue {
    pub key: Num,
    /// In the order of values: those that meet one of these. Each is asked of all members.
    pub arms: Box<[(i32, Box<[Mask]>)]>,
    /// Whether the number depends on the member.
    pub each: bool,
}

/// Lowered trees that are used in several places.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Parts of trees examined to make them.
    pub looked: AtomicU64,
    /// How many clauses the rules have.
    pub clauses: u64,
    /// Arguments for which large tables were computed.
    pub tabled: AtomicU64,
    pub nums: Vec<Num>,
    pub conds: Vec<Cond>,
    pub sets: Vec<SetE>,
}

/// Visits what belongs together.
pub(super) fn group(group: Group, f: Visit, inside: impl FnOnce(Visit)) {
    f(Leaf::Open(group));
    inside(f);
    f(Leaf::Close);
}

impl Shared {
    /// Visits a tree: its kind (0 number, 1 truth, 2 set) and place.
    pub fn walk(&self, (kind, at): (u8, usize), f: Visit) {
        match kind {
            0 => self.nums.get(at).into_iter().for_each(|n| n.walk(f)),
            1 => self.conds.get(at).into_iter().for_each(|c| c.walk(f)),
            _ => self.sets.get(at).into_iter().for_each(|s| s.walk(f)),
        }
    }

    /// Visits all trees.
    pub fn walk_all(&self, f: Visit) {
        for (kind, n) in [self.nums.len(), self.conds.len(), self.sets.len()].into_iter().enumerate() {
            (0..n).for_each(|at| self.walk((kind as u8, at), f));
        }
    }
}

impl Lin {
    pub fn walk(&self, f: Visit) {
        for (num, _, _) in &self.terms {
            num.walk(f);
        }
        if self.strict {
            f(Leaf::Risk);
        }
    }
}

impl Num {
    pub fn walk(&self, f: Visit) {
        f(Leaf::Node);
        match self {
            Num::Const(_) => {}
            Num::Slot(s) => f(Leaf::Slot(*s)),
            Num::Byte(at, lo, count) => f(Leaf::Byte(*at, *lo, *count)),
            Num::Var(p) => reads(p, f),
            Num::At(p, n) | Num::Length(p, n) | Num::Top(p, n) => {
                reads(p, f);
                n.walk(f);
            }
            Num::Table(_, lin) => lin.walk(f),
            Num::Neg(n) | Num::Abs(n) => {
                f(Leaf::Risk);
                n.walk(f);
            }
            Num::Default(ab) => {
                ab.0.walk(f);
                ab.1.walk(f);
            }
            Num::Arith(_, ab) => {
                f(Leaf::Risk);
                ab.0.walk(f);
                ab.1.walk(f);
            }
            Num::Size(s) | Num::First(s, _) => s.walk(f),
            Num::Bool(c) => c.walk(f),
            Num::Sum(over) | Num::Product(over) => {
                f(Leaf::Risk);
                over.walk(f);
            }
            Num::Best(_, over) => over.walk(f),
            Num::Layer(_, n, list) => {
                f(Leaf::Risk);
                n.walk(f);
                for (c, v) in list {
                    c.walk(f);
                    v.walk(f);
                }
            }
            Num::Would(after) => after.walk(f, |of, f| of.walk(f)),
            Num::Way(steps, to) => {
                to.walk(f);
                steps.walk(f);
            }
            Num::Flow(flow) => flow.walk(f, 0, &mut |n, f| n.walk(f)),
        }
    }
}

/// A variable is read.
pub(super) fn reads(p: &Place, f: Visit) {
    let (at, len) = p.range();
    f(Leaf::Reads(at, len));
    if let Some(active) = p.active {
        f(Leaf::Reads(active, 1));
    }
}

impl<T> After<T> {
    fn walk(&self, f: Visit, each: impl FnOnce(&T, Visit)) {
        // An effect may read anything, and fail.
        f(Leaf::Dynamic);
        f(Leaf::Risk);
        for arg in &self.args {
            arg.walk(f);
        }
        group(Group::After, f, |f| each(&self.of, f));
    }
}

impl Over {
    pub fn walk(&self, f: Visit) {
        f(Leaf::Bind(self.slot));
        self.set.walk(f);
        group(Group::Each(self.slot), f, |f| self.term.walk(f));
    }
}

impl Steps {
    fn walk(&self, f: Visit) {
        if self.cost.is_some() {
            // A price may be below 0, a total too large.
            f(Leaf::Risk);
        }
        f(Leaf::Bind(self.a));
        f(Leaf::Bind(self.b));
        self.from.walk(f);
        group(Group::Each(self.a), f, |f| {
            self.set.walk(f);
            self.mask.walk_of(self.b, f);
            group(Group::Each(self.b), f, |f| self.cost.iter().for_each(|n| n.walk(f)));
        });
    }
}

impl Bind {
    pub fn walk(&self, f: Visit) {
        match self {
            Bind::Num(s, n, _) => {
                f(Leaf::Bind(*s));
                n.walk(f);
            }
            Bind::Set(s, e) => {
                f(Leaf::BindSet(*s));
                e.walk(f);
            }
        }
    }
}

impl<T> Flow<T> {
    fn walk(&self, f: Visit, kind: u8, each: &mut dyn FnMut(&T, Visit)) {
        match self {
            Flow::If(c, a, b) => {
                c.walk(f);
                f(Leaf::Open(Group::Either));
                each(a, f);
                f(Leaf::Next);
                each(b, f);
                f(Leaf::Close);
            }
            Flow::Pick(rules, general) => {
                if rules.len() > 1 || general.is_none() {
                    f(Leaf::Risk);
                }
                for rule in rules {
                    rule.cond.walk(f);
                    each(&rule.value, f);
                }
                if let Some(g) = general {
                    each(g, f);
                }
            }
            Flow::Let(binds, body) => {
                binds.iter().for_each(|bind| bind.walk(f));
                each(body, f);
            }
            Flow::ByValue(n, arms, otherwise) => {
                n.walk(f);
                f(Leaf::Open(Group::Either));
                for (_, t) in arms {
                    each(t, f);
                    f(Leaf::Next);
                }
                each(otherwise, f);
                f(Leaf::Close);
            }
            Flow::Inst(i) => f(Leaf::Inst(kind, *i)),
        }
    }
}

impl Cond {
    pub fn walk(&self, f: Visit) {
        f(Leaf::Node);
        match self {
            Cond::Const(_) => {}
            Cond::Not(c) => c.walk(f),
            Cond::All(cs) | Cond::Any(cs) => cs.iter().for_each(|c| c.walk(f)),
            Cond::Is(n, _) | Cond::Truth(n) => n.walk(f),
            Cond::Equal(ab) | Cond::Compare(_, ab) => {
                ab.0.walk(f);
                ab.1.walk(f);
            }
            Cond::Same(ab) => {
                ab.0.walk(f);
                ab.1.walk(f);
            }
            Cond::In(n, s, _) => {
                n.walk(f);
                s.walk(f);
            }
            Cond::Empty(s) => s.walk(f),
            Cond::Row(_, at, ..) => {
                at.0.walk(f);
                at.1.walk(f);
            }
            Cond::Some(sc, slot, _) | Cond::Every(sc, slot, _) => {
                f(Leaf::Bind(*slot));
                sc.0.walk(f);
                group(Group::Each(*slot), f, |f| sc.1.walk(f));
            }
            Cond::On(at) => f(Leaf::Reads(*at, 1)),
            Cond::AnyLegal(_) => f(Leaf::Dynamic),
            Cond::Would(after) => after.walk(f, |of, f| of.walk(f)),
            Cond::Crosses(c) => c.walk(f),
            Cond::Wins(n) => {
                f(Leaf::Dynamic);
                n.walk(f);
            }
            Cond::Flow(flow) => flow.walk(f, 1, &mut |n, f| n.walk(f)),
        }
    }
}

impl SetE {
    pub fn walk(&self, f: Visit) {
        f(Leaf::Node);
        match self {
            SetE::Const(_) => {}
            SetE::Slot(s) => f(Leaf::SetSlot(*s)),
            SetE::Var(p) => reads(p, f),
            SetE::At(p, n) => {
                reads(p, f);
                n.walk(f);
            }
            SetE::List(p, n) => {
                reads(p, f);
                f(Leaf::Loop);
                n.walk(f);
            }
            SetE::Table(_, lin) => lin.walk(f),
            SetE::Union(ab) | SetE::Minus(ab) | SetE::Both(ab) => {
                ab.0.walk(f);
                ab.1.walk(f);
            }
            SetE::Of(items, lo, n, sure) => {
                if !sure && !items.iter().all(|item| item.fits(*lo, *n)) {
                    f(Leaf::Risk);
                }
                items.iter().for_each(|n| n.walk(f));
            }
            SetE::Filter(filter) => {
                f(Leaf::Bind(filter.slot));
                filter.set.walk(f);
                filter.mask.walk_of(filter.slot, f);
            }
            SetE::Map(over, lo, n) => {
                if !over.term.fits(*lo, *n) {
                    f(Leaf::Risk);
                }
                over.walk(f);
            }
            SetE::Joined(joined) => {
                f(Leaf::Bind(joined.slot));
                joined.set.walk(f);
                group(Group::Each(joined.slot), f, |f| joined.of.walk(f));
            }
            SetE::Reach(_, from, slot, mask) => {
                f(Leaf::Bind(*slot));
                from.walk(f);
                group(Group::Each(*slot), f, |f| mask.walk_of(*slot, f));
            }
            SetE::Passed(line) => line.walk(f),
            SetE::Steps(steps, within) => {
                within.iter().for_each(|n| n.walk(f));
                steps.walk(f);
            }
            SetE::Change(s, a, b) => {
                s.walk(f);
                for (c, v) in a.iter().chain(b) {
                    c.walk(f);
                    v.walk(f);
                }
            }
            SetE::Flow(flow) => flow.walk(f, 2, &mut |n, f| n.walk(f)),
        }
    }
}
