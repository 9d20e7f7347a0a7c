//! Conditions on all members of a printed set at once: whether one of them has a set, by another table, of which
//! nothing is left. A loop over a few members costs more in branches that are foretold wrongly.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::{Build, constant};
use super::int::{Bitset, Width};
use crate::engine::bits::{Bits, each};
use crate::engine::ir::{Cond, Filter, Lin, Num, SetE};
use crate::engine::tree::{of, summary};

/// The maximum number of members that a row may have.
const MAX_MEMBERS: usize = 16;

/// A bit that stands for no member.
const MARK: u64 = 1 << 63;

/// What is left of the row of a member.
enum Left<'a> {
    /// What meets a condition.
    Filter(&'a Filter),
    /// What is not in a set.
    Minus(&'a SetE),
    /// What is in a set.
    Both(&'a SetE),
}

impl Build<'_, '_, '_> {
    /// Whether for one of a set (`holds`), or not for every one, nothing is left of its row. `None` if it is not about
    /// rows of a table for those of a row of another.
    pub fn one_row_is_empty(&mut self, sc: &(SetE, Cond), slot: u16, lo: i32, holds: bool) -> Option<Value> {
        let SetE::Table(members, at) = &sc.0 else { return None };
        let rest = match (&sc.1, holds) {
            (Cond::Empty(rest), true) => rest,
            (Cond::Not(c), false) => match &**c {
                Cond::Empty(rest) => rest,
                _ => return None,
            },
            _ => return None,
        };
        let (rows, by, left) = self.left_of(rest, slot)?;
        let (words, room) = words(members, lo, rows, by, slot)?;
        let all = rows.iter().fold(Bits::NONE, |all, row| all | row);
        let all = self.const_bits(&all);
        let left = match left {
            Left::Filter(f) => self.mask(&f.mask, f.slot, f.lo, all),
            Left::Minus(s) => {
                let s = self.set(s);
                self.minus(all, s)
            }
            Left::Both(s) => {
                let s = self.set(s);
                self.meet(all, s)
            }
        };
        let left = self.marked(left);
        let (at, ok) = self.lin(at, members.len());
        let at = self.or_last(at, ok, members.len());
        let table = self.unit.table(words);
        let first = self.i64(table as usize as u64);
        let from = self.times(at, (8 * room) as u32);
        let first = self.b.ins().iadd(first, from);
        let mut found = None;
        for pair in 0..room / 2 {
            let row = self.b.ins().load(types::I64X2, constant(), first, (16 * pair) as i32);
            let rest = self.b.ins().band(row, left);
            let zero = self.i64(0);
            let none = self.b.ins().splat(types::I64X2, zero);
            let empty = self.b.ins().icmp(IntCC::Equal, rest, none);
            found = Some(match found {
                Some(found) => self.b.ins().bor(found, empty),
                None => empty,
            });
        }
        Some(match found {
            Some(found) => self.b.ins().vany_true(found),
            None => self.i8(false),
        })
    }

    /// The table whose rows are asked, by what, and what is left of them, if that is the same for all members.
    fn left_of<'a>(&self, rest: &'a SetE, slot: u16) -> Option<(&'a Arc<[Bits]>, &'a Lin, Left<'a>)> {
        let shared = &self.unit.program.shared;
        let same = |s: &SetE| {
            let s = of(shared, s);
            !s.risky && !s.slots.contains(&slot)
        };
        let (table, left, alike) = match rest {
            SetE::Filter(f) => {
                let s = summary(shared, |visit| f.mask.walk(visit));
                (&f.set, Left::Filter(f), !s.risky && !s.slots.contains(&slot) && !f.mask.loops())
            }
            SetE::Minus(ab) => (&ab.0, Left::Minus(&ab.1), same(&ab.1)),
            SetE::Both(ab) if matches!(ab.0, SetE::Table(..)) => (&ab.0, Left::Both(&ab.1), same(&ab.1)),
            SetE::Both(ab) => (&ab.1, Left::Both(&ab.0), same(&ab.0)),
            _ => return None,
        };
        match table {
            SetE::Table(rows, by) if alike => Some((rows, by, left)),
            _ => None,
        }
    }

    /// A set as two words alike, with the mark.
    fn marked(&mut self, s: Bitset) -> Value {
        let word = self.fit(s, Width::Word);
        let mark = self.i64(MARK);
        let word = self.b.ins().bor(word, mark);
        self.b.ins().splat(types::I64X2, word)
    }
}

/// For each row of a table, and for none, the rows of its members in another, and how many words each has room for;
/// what is left over is never empty. `None` if the rows are too wide, or have too many members.
fn words(members: &[Bits], lo: i32, rows: &[Bits], by: &Lin, slot: u16) -> Option<(Vec<u64>, usize)> {
    let [(Num::Slot(of), first, count)] = &*by.terms else { return None };
    if *of != slot || by.strict || rows.iter().any(|row| row.top().is_some_and(|top| top >= MARK.trailing_zeros())) {
        return None;
    }
    let row = |member: u32| {
        let at = i64::from(member) + i64::from(lo) - i64::from(*first);
        let at = usize::try_from(at).ok().filter(|at| *at < *count as usize);
        at.and_then(|at| rows.get(at)).map_or(0, |row| row.narrow() as u64)
    };
    let room = members.iter().map(Bits::count).max().unwrap_or(0).next_multiple_of(2) as usize;
    if room > MAX_MEMBERS {
        return None;
    }
    let mut words = Vec::new();
    for set in members.iter().chain([&Bits::NONE]) {
        let end = words.len() + room;
        each(set, |member| words.push(row(member)));
        words.resize(end, MARK);
    }
    Some((words, room))
}
