//! What the rules say of one member now, as far as a seat can tell.

use super::Explainer;
use super::note::{Silent, Written};
use super::observer::{Observer, Sightings};
use crate::game::{Derived, Fault, Position, Valuation};
use crate::model::{AbilityId, Base, ClauseId, Def, DefId, Expr, ExprKind, KindId, Ty, Value};
use crate::span::Span;

impl Explainer {
    /// The definitions about one member that a clause has changed from their general value, each with the clauses that
    /// made it. What a seat does not see enough for is left out; without a seat, all is seen.
    #[must_use]
    pub fn about(&self, position: &Position, seat: Option<u16>, (kind, member): (KindId, u16)) -> Vec<Derived> {
        let found = Sightings::default();
        let observer = seat.map(|seat| Observer::new(self, position, seat).keeping(&found));
        let about = |(i, def): (usize, &Def)| match def.params.as_slice() {
            [(_, ty)] if ty.base == Base::Member(kind) => {
                self.defined(position, observer, (DefId(i as u16), def), member)
            }
            _ => None,
        };
        self.model.defs.iter().enumerate().filter_map(about).collect()
    }

    fn defined(
        &self,
        position: &Position,
        observer: Option<Observer>,
        (id, def): (DefId, &Def),
        member: u16,
    ) -> Option<Derived> {
        let mut ev = self.at::<Written>(position);
        ev.watch = None;
        ev.observer = observer;
        ev.within = observer.filter(Observer::may_miss_something);
        let span = Span::default();
        let ty = Ty { base: def.params.first()?.1.base.clone(), optional: false };
        let of = Expr { kind: ExprKind::Const(Value::Int(i32::from(member))), ty, span };
        let call = Expr { kind: ExprKind::Call { def: id, args: vec![of] }, ty: def.ty.clone(), span };
        let found = ev.framed(|ev| ev.eval(&call)).is_ok() && !ev.missed;
        let changed = |d: &Derived| d.what.def == id && d.by.iter().any(|by| by.clause != def.clause);
        ev.notes.derived.into_iter().rfind(changed).filter(|_| found)
    }

    /// The value of an expression that has no locals, and how it was made; `None` if the seat does not see enough to
    /// tell. Without a seat, all is seen. A seat from which something is hidden is not told what was evaluated on the
    /// way: which definitions these are, and for whom, can depend on what is hidden.
    ///
    /// # Errors
    /// A fault of the rules that the seat can tell.
    pub fn value_for(&self, position: &Position, seat: Option<u16>, expr: &Expr) -> Result<Option<Valuation>, Fault> {
        let found = Sightings::default();
        let observer = seat.map(|seat| Observer::new(self, position, seat).keeping(&found));
        let mut ev = self.at::<Written>(position);
        ev.watch = None;
        ev.observer = observer;
        ev.within = observer.filter(Observer::may_miss_something);
        ev.notes.general = true;
        let value = ev.framed(|ev| ev.eval(expr));
        if ev.missed {
            return Ok(None);
        }
        let value = ev.seen_value(&expr.ty.base, &value.map_err(|fault| *fault)?);
        let mut derived = ev.notes.derived;
        let asked = if let ExprKind::Call { def, .. } = expr.kind { Some(def) } else { None };
        // Definitions are noted when they are done, so the one that is asked for is the last.
        let made = derived.pop_if(|last| Some(last.what.def) == asked);
        derived.reverse();
        let on_the_way = if ev.within.is_some() { Vec::new() } else { derived };
        Ok(Some(Valuation { value, made, on_the_way }))
    }

    /// The clause that silences an ability of a holder now, as far as a seat can tell. Without a seat, all is seen.
    #[must_use]
    pub fn silenced_for(
        &self,
        position: &Position,
        seat: Option<u16>,
        ability: AbilityId,
        holder: u16,
    ) -> Option<ClauseId> {
        let found = Sightings::default();
        let observer = seat.map(|seat| Observer::new(self, position, seat).keeping(&found));
        let mut ev = self.at::<Silent>(position);
        ev.watch = None;
        ev.within = observer.filter(Observer::may_miss_something);
        let by = ev.framed(|ev| ev.silenced(ability, holder)).ok()?;
        by.filter(|_| !ev.missed)
    }
}
