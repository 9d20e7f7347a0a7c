//! How numbers were made: the parts of a sum that a definition gives.

use super::eval::{Eval, Res};
use super::note::Notes;
use crate::game::{Applied, SeenValue, Sum, Term, TermSubject};
use crate::model::{Arith, Base, DefId, Expr, ExprKind, Value};

/// The maximum number of parts of a sum that are told.
const MAX_TERMS: usize = 12;

impl<N: Notes> Eval<'_, N> {
    /// The sums among the definitions that a condition asks for.
    pub(super) fn sums(&mut self, e: &Expr) -> Vec<Sum> {
        let mut found = Vec::new();
        self.sums_in(e, &mut found);
        found
    }

    fn sums_in(&mut self, e: &Expr, found: &mut Vec<Sum>) {
        if let ExprKind::Call { def, args } = &e.kind {
            if let Some(sum) = self.sum_of(e, *def, args)
                && !found.contains(&sum)
            {
                found.push(sum);
            }
            return;
        }
        for part in e.free_children() {
            self.sums_in(part, found);
        }
    }

    /// The value of a definition as a sum, if it is one of two or more parts.
    fn sum_of(&mut self, e: &Expr, def: DefId, args: &[Expr]) -> Option<Sum> {
        if e.ty.base != Base::Int {
            return None;
        }
        let value = self.eval(e).ok()?;
        let what = self.applied_to(def, args)?;
        let terms = self.terms_of(def, args)?;
        (terms.len() > 1).then(|| Sum { what, value: self.seen_value(&Base::Int, &value), terms })
    }

    fn applied_to(&mut self, def: DefId, args: &[Expr]) -> Option<Applied> {
        let mut seen = Vec::with_capacity(args.len());
        for arg in args {
            let value = self.eval(arg).ok()?;
            seen.push(self.seen_value(&arg.ty.base, &value));
        }
        Some(Applied { def, args: seen })
    }

    /// The parts of the general value of a definition, where that is its value.
    fn terms_of(&mut self, def: DefId, args: &[Expr]) -> Option<Vec<Term>> {
        let model = self.model;
        let made = model.defs.get(def.i())?;
        let general = made.general.as_ref()?;
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.eval(arg).ok()?);
        }
        let done = self.called((def, general.span), |ev| {
            for (i, value) in values.into_iter().enumerate() {
                ev.set_local(i as u16, value);
            }
            let mut terms = Vec::new();
            let whole = ev.terms(general, false, &mut terms)?;
            // Another clause gives the value, or changes it.
            let sums_up = whole && ev.defined((def, made), general.span)? == ev.eval(general)?;
            Ok(sums_up.then(|| telling(terms)))
        });
        done.ok().flatten()
    }

    /// Adds the parts of a sum; `false` if there are too many.
    fn terms(&mut self, e: &Expr, minus: bool, out: &mut Vec<Term>) -> Res<bool> {
        match &e.kind {
            ExprKind::Arith(Arith::Add, a, b) => Ok(self.terms(a, minus, out)? && self.terms(b, minus, out)?),
            ExprKind::Arith(Arith::Sub, a, b) => Ok(self.terms(a, minus, out)? && self.terms(b, !minus, out)?),
            ExprKind::Default(a, b) => {
                let taken = if self.eval(a)? == Value::None { b } else { a };
                self.terms(taken, minus, out)
            }
            ExprKind::If(cond, a, b) => {
                let taken = if self.truth(cond)? { a } else { b };
                self.terms(taken, minus, out)
            }
            ExprKind::Sum(term, domain) => {
                let set = self.set(&domain.set)?;
                for member in set.iter() {
                    self.set_local(domain.local, Value::Int(domain.of.of_bit(member)));
                    if let Some(cond) = &domain.cond
                        && !self.truth(cond)?
                    {
                        continue;
                    }
                    if !self.terms(term, minus, out)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => {
                let value = self.eval(e)?;
                if value == Value::None {
                    return Ok(true);
                }
                let what = match &e.kind {
                    ExprKind::Call { def, args } => self.applied_to(*def, args).map(TermSubject::Applied),
                    _ => None,
                };
                let value: SeenValue = self.seen_value(&e.ty.base, &value);
                out.push(Term { minus, what: what.unwrap_or(TermSubject::Written(e.span)), value });
                Ok(out.len() <= MAX_TERMS)
            }
        }
    }
}

/// The parts that add something; all of them where that is only one.
fn telling(terms: Vec<Term>) -> Vec<Term> {
    let adds = |term: &&Term| term.value != SeenValue::Number(0);
    match terms.iter().filter(adds).count() {
        0 | 1 => terms,
        _ => terms.iter().filter(adds).cloned().collect(),
    }
}
