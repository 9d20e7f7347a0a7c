//! The parts of a position whose liveness is known one by one: each entry of each variable.

use std::ops::Range;

use crate::model::{Model, VarId};

/// Numbers for the entries of variables.
#[derive(Debug)]
pub struct Atoms {
    /// For each variable, the number of its first entry; then the number of all entries.
    starts: Vec<usize>,
}

impl Atoms {
    /// Of the rules.
    pub fn new(model: &Model) -> Atoms {
        let mut starts = vec![0];
        let mut next = 0;
        for var in &model.vars {
            next += var.place.count as usize;
            starts.push(next);
        }
        Atoms { starts }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The entries of a variable.
    pub fn of(&self, var: VarId) -> Range<usize> {
        let at = |i: usize| self.starts.get(i).copied().unwrap_or(0);
        at(var.i())..at(var.i() + 1)
    }

    /// One entry of a variable; empty if it has no such entry.
    pub fn entry(&self, var: VarId, index: usize) -> Range<usize> {
        let all = self.of(var);
        let at = all.start.saturating_add(index).min(all.end);
        at..at.saturating_add(1).min(all.end)
    }

    /// A set with none of them.
    pub fn none(&self) -> Bits {
        Bits(vec![0; self.len().div_ceil(64)].into_boxed_slice())
    }

    /// A set with all of them.
    pub fn all(&self) -> Bits {
        let mut bits = self.none();
        bits.add(0..self.len());
        bits
    }
}

/// A set of entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits(Box<[u64]>);

impl Bits {
    /// Adds some.
    pub fn add(&mut self, these: Range<usize>) {
        for i in these {
            if let Some(word) = self.0.get_mut(i / 64) {
                *word |= 1 << (i % 64);
            }
        }
    }

    /// Takes some out.
    pub fn remove(&mut self, these: Range<usize>) {
        for i in these {
            if let Some(word) = self.0.get_mut(i / 64) {
                *word &= !(1 << (i % 64));
            }
        }
    }

    /// Adds those of another set; whether there were new ones.
    pub fn join(&mut self, other: &Bits) -> bool {
        let mut more = 0;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            more |= b & !*a;
            *a |= b;
        }
        more != 0
    }

    /// Takes out those of another set.
    pub fn without(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    /// Those in both.
    pub fn meet(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// Whether one is in.
    pub fn has(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }
}
