//! Facts that stand over what the statements of an entry do: `but Frodo at Rohan`, `also hand of Good: Good 1`.

use std::collections::HashSet;

use super::{Fact, FactError, FactFault, Piece, unique_name};
use crate::game::Position;
use crate::model::{Base, MAX_COPIES, Model, Value, VarId, VarOwner};

/// How such a fact stands over what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// `but`: in its place.
    Replaces,
    /// `also`: added to it.
    Adds,
}

/// A fact that is stated over what an entry does.
#[derive(Debug)]
pub(super) struct Over<'s> {
    pub piece: &'s Piece,
    pub how: How,
    pub fact: Fact,
}

/// What a piece begins with, and the fact after it.
pub(super) fn how(text: &str) -> Option<(How, &str)> {
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let how = match word.to_lowercase().as_str() {
        "but" => How::Replaces,
        "also" => How::Adds,
        _ => return None,
    };
    Some((how, rest.trim_start()))
}

impl Over<'_> {
    /// Writes it into the position that the entry leads to.
    fn put(&self, model: &Model, position: &mut Position) -> Result<(), FactError> {
        let Fact::Is { var, indices, value } = &self.fact else { return Err(FactError::NotStated) };
        if self.how == How::Replaces {
            return self.fact.put(model, position);
        }
        for index in indices {
            let sum = added(&position.read(model, *var, usize::from(*index)), value)?;
            Fact::Is { var: *var, indices: vec![*index], value: sum }.put(model, position)?;
        }
        Ok(())
    }
}

/// What is there with what is added to it.
fn added(there: &Value, more: &Value) -> Result<Value, FactError> {
    match (there, more) {
        (Value::Set(there), Value::Set(more)) => Ok(Value::Set(there.iter().chain(more.iter()).collect())),
        (Value::List(there), Value::List(more)) => {
            Ok(Value::List(there.iter().copied().chain(more.iter().copied().filter(|m| !there.contains(m))).collect()))
        }
        (Value::Bag(there), Value::Bag(more)) => {
            let sums = there.iter().zip(more).map(|(a, b)| a.checked_add(*b).filter(|n| *n <= u16::from(MAX_COPIES)));
            Ok(Value::Bag(sums.collect::<Option<_>>().ok_or(FactError::TooManyCopies)?))
        }
        _ => Err(FactError::CannotAdd),
    }
}

/// Writes facts into the position that an entry leads to.
///
/// # Errors
/// Those that do not fit, and members that would lie in two piles.
pub(super) fn put(
    model: &Model,
    overs: &[Over<'_>],
    stated: &HashSet<(VarId, u16)>,
    position: &mut Position,
) -> Vec<FactFault> {
    let before = position.clone();
    let mut faults = Vec::new();
    for over in overs {
        if let Err(e) = over.put(model, position) {
            faults.push(over.piece.fault(e.to_string()));
        }
    }
    if !faults.is_empty() {
        return faults;
    }
    for over in overs {
        let twice = over.fact.entries().into_iter().find_map(|e| in_two_piles(model, (&before, position), e, stated));
        faults.extend(twice.map(|(member, pile)| {
            let message = FactError::InTwoPiles { member, pile }.to_string();
            over.piece.fault(message)
        }));
    }
    faults
}

/// A member that a fact puts into a pile although it lies in another one about which nothing is stated.
fn in_two_piles(
    model: &Model,
    (before, after): (&Position, &Position),
    (var, index): (VarId, u16),
    stated: &HashSet<(VarId, u16)>,
) -> Option<(String, String)> {
    let kind = pile_of(model, var)?;
    let members = |position: &Position, var: VarId, index: u16| -> Vec<usize> {
        match position.read(model, var, usize::from(index)) {
            Value::Set(set) => set.iter().collect(),
            Value::List(list) => list.iter().map(|m| usize::from(*m)).collect(),
            _ => Vec::new(),
        }
    };
    let had = members(before, var, index);
    let new: Vec<usize> = members(after, var, index).into_iter().filter(|m| !had.contains(m)).collect();
    let others = model.vars.iter().enumerate().flat_map(|(v, decl)| {
        let count = if pile_of(model, VarId(v as u16)) == Some(kind) { decl.place.count as u16 } else { 0 };
        (0..count).map(move |i| (VarId(v as u16), i))
    });
    others.filter(|e| *e != (var, index) && !stated.contains(e)).find_map(|(other, i)| {
        let member = members(after, other, i).into_iter().find(|m| new.contains(m))?;
        let decl = model.vars.get(other.i())?;
        let of = decl.index.map_or(String::new(), |k| format!(" of {}", unique_name(model, k, i)));
        Some((unique_name(model, kind, member as u16), format!("{}{of}", decl.name)))
    })
}

/// The kind of what lies in a pile; `None` for other variables.
fn pile_of(model: &Model, var: VarId) -> Option<crate::model::KindId> {
    let decl = model.vars.get(var.i()).filter(|v| v.owner == VarOwner::Pile)?;
    match &decl.ty.base {
        Base::List(kind) => Some(*kind),
        Base::Set(of) => match **of {
            Base::Member(kind) => Some(kind),
            _ => None,
        },
        _ => None,
    }
}
