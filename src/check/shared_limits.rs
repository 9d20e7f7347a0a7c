//! Limits of abilities that one field gives, for different values: a member has one of them at a time, so that one
//! variable counts for all. It begins anew when the field changes.

use super::Checker;
use super::builder::Builder;
use super::expr::{constant, typed};
use crate::model::{AbilityId, Base, CodeId, Expr, ExprKind, InstrKind, Target, Ty, Value, VarId};
use crate::span::Span;

/// A limit that several abilities share.
#[derive(Debug)]
pub(super) struct SharedLimit {
    /// The field that gives them.
    field: VarId,
    /// When it is reset.
    per: Option<CodeId>,
    limit: VarId,
    /// The values of the field whose abilities use it.
    givers: Vec<u16>,
}

impl Checker {
    /// The field that alone gives an ability, if it holds one member at a time; and the members that give it.
    pub(super) fn single_giver(&self, ability: AbilityId) -> Option<(VarId, &[u16])> {
        let ability = &self.model.abilities[ability.i()];
        let [borne] = &ability.borne[..] else { return None };
        let one = matches!(self.model.vars[borne.var.i()].ty.base, Base::Member(_));
        (one && ability.always.is_empty()).then_some((borne.var, &borne.givers))
    }

    /// The same, if the field is not reset by itself.
    fn only_giver(&self, ability: AbilityId) -> Option<(VarId, &[u16])> {
        let found = self.single_giver(ability)?;
        let kept = self.kept.iter().any(|kept| kept.var == found.0);
        (!kept).then_some(found)
    }

    /// A limit that abilities of other values of the field use already.
    pub(super) fn shared_limit(&mut self, ability: AbilityId, per: Option<CodeId>) -> Option<VarId> {
        let (field, givers) = self.only_giver(ability)?;
        let givers = givers.to_vec();
        let fits =
            |s: &&mut SharedLimit| s.field == field && s.per == per && !givers.iter().any(|g| s.givers.contains(g));
        let shared = self.shared_limits.iter_mut().find(fits)?;
        shared.givers.extend(&givers);
        Some(shared.limit)
    }

    /// Lets abilities of other values of the field use a limit.
    pub(super) fn share_limit(&mut self, ability: AbilityId, per: Option<CodeId>, limit: VarId) {
        if let Some((field, givers)) = self.only_giver(ability) {
            let shared = SharedLimit { field, per, limit, givers: givers.to_vec() };
            self.shared_limits.push(shared);
        }
    }
}

impl Builder {
    /// Before a field is given a value: the limits of what it gives begin anew, if that is another value.
    pub(super) fn begin_limits_anew(&mut self, c: &Checker, target: &Target, value: &Expr, span: Span) {
        let limits = c.shared_limits.iter().filter(|s| s.field == target.var).map(|s| s.limit);
        let limits: Vec<VarId> = limits.collect();
        let Some(index) = target.index.as_ref().filter(|_| !limits.is_empty()) else { return };
        let ty = c.model.vars[target.var.i()].ty.clone();
        let now = typed(ExprKind::Var { var: target.var, index: Some(Box::new(index.clone())) }, ty, span);
        let other = ExprKind::Equal(Box::new(now), Box::new(value.clone()), false);
        let skip = self.push(InstrKind::Unless(typed(other, Ty::of(Base::Bool), span), 0), span);
        for var in limits {
            let unused = constant(Value::Int(0), Ty::of(Base::Range(0, 1)), span);
            self.push(InstrKind::Set(Target { var, index: Some(index.clone()) }, unused), span);
        }
        self.land(skip);
    }
}
