//! Bytes that become the same when variables are reset.

use super::lower::Lower;
use super::place::Place;
use crate::model::{Base, ExprKind, Value, VarId};

/// Bytes that become the same: from where on, how many, and what.
pub(super) type Fill = (u32, u32, u8);

impl Lower<'_> {
    /// The byte with which all entries of a variable of several begin, if they are bytes and begin with one constant.
    pub fn first_byte(&self, var: VarId, place: &Place) -> Option<u8> {
        let v = self.model.vars.get(var.i())?;
        let ExprKind::Const(Value::Int(i)) = v.init.as_ref()?.kind else { return None };
        let scalar = matches!(v.ty.base, Base::Bool | Base::Range(..) | Base::Member(_));
        let stored = i64::from(i) - i64::from(place.lo);
        let fits = scalar && place.width == 1 && place.count > 1 && place.level == 0;
        u8::try_from(stored + 1).ok().filter(|_| fits && (0..place.span as i64).contains(&stored))
    }
}

/// Bytes to fill, those side by side together.
pub(super) fn joined(mut fills: Vec<Fill>) -> Vec<Fill> {
    fills.sort_unstable();
    fills.dedup_by(|next, last| {
        let beside = last.0 + last.1 == next.0 && last.2 == next.2;
        last.1 += if beside { next.1 } else { 0 };
        beside
    });
    fills
}
