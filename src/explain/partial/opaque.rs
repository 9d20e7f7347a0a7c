//! Opaque terms (definitions, counts, expressions over open entries): equal names have equal values, and nothing else
//! is known.

use super::super::eval::{Eval, Res};
use super::super::note::Notes;
use super::eval::{as_value, is_read, is_set};
use super::{Domain, Entry, domain_of};
use crate::model::{self, Base, Expr, ExprKind, Order, Quantifier, Value};

impl<N: Notes> Eval<'_, N> {
    /// Whether an expression is opaque: its value needs many entries, or the entry that it reads depends on open ones.
    pub fn is_whole(&mut self, e: &Expr) -> bool {
        if !self.opaque() {
            return false;
        }
        match &e.kind {
            ExprKind::Var { index: Some(of), .. } | ExprKind::Printed { of, .. } => self.is_vague(of),
            ExprKind::AsSet(of) => self.is_whole(of),
            ExprKind::Copies { bag, item, .. } => self.is_whole(bag) || self.is_vague(item),
            ExprKind::SetOp(_, a, b) => self.is_whole(a) || self.is_whole(b),
            _ => is_big(e),
        }
    }

    /// Whether the value of an expression depends on open entries.
    fn is_vague(&mut self, e: &Expr) -> bool {
        let stopped = self.eval(e).is_err();
        if let Some(draft) = &mut self.draft {
            (draft.split, draft.beyond) = (None, false);
        }
        stopped
    }

    /// A name for the value of an expression: the same name, the same value.
    pub fn symbol(&mut self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Const(value) => format!("{value:?}"),
            ExprKind::Local(i) => self.local_symbol(*i),
            ExprKind::Config(id) => format!("config {}", id.0),
            ExprKind::Var { var, index: None } => format!("var {}", var.0),
            ExprKind::Var { var, index: Some(of) } => format!("var {}[{}]", var.0, self.symbol(of)),
            ExprKind::Printed { kind, field, of } => format!("field {} {field} of {}", kind.0, self.symbol(of)),
            ExprKind::Call { def, args } => {
                let args: Vec<String> = args.iter().map(|a| self.symbol(a)).collect();
                format!("def {}({})", def.0, args.join(", "))
            }
            // There is one, or there is none: two answers to one question.
            ExprKind::Quant(Quantifier::Some | Quantifier::No, domain) => {
                let asked = Expr { kind: ExprKind::Quant(Quantifier::Some, domain.clone()), ..e.clone() };
                asked.form_with(&mut |i| self.local_symbol(i))
            }
            _ => e.form_with(&mut |i| self.local_symbol(i)),
        }
    }

    fn local_symbol(&mut self, local: u16) -> String {
        match self.arg(local) {
            Some((entry, ty)) => {
                let all = domain_of(ty, self.model);
                let domain = all.map(|all| self.domain(&entry, || all));
                match domain.and_then(|d| d.single()) {
                    Some(value) => format!("{:?}", as_value(value)),
                    None => format!("{entry:?}"),
                }
            }
            None => format!("{:?}", self.local(local)),
        }
    }

    /// The value of an opaque expression; `None` if it is not opaque.
    pub fn whole_value(&mut self, e: &Expr) -> Res<Option<Value>> {
        if !self.is_whole(e) {
            return Ok(None);
        }
        let entry = Entry::Whole(self.symbol(e));
        match whole_domain(e, self.model) {
            Some(all) => self.settled(entry, all).map(|v| Some(as_value(v))),
            None => Err(self.beyond()),
        }
    }

    /// Whether a condition holds that compares opaque sets.
    pub fn whole_truth(&mut self, e: &Expr) -> Res<Option<bool>> {
        let parts = match &e.kind {
            ExprKind::In { item, set, .. } => vec![item.as_ref(), set.as_ref()],
            ExprKind::IsEmpty(set, _) => vec![set.as_ref()],
            ExprKind::Equal(a, b, _) if is_set(a) || is_set(b) => vec![a.as_ref(), b.as_ref()],
            // Two numbers of which nothing is known but how they compare.
            ExprKind::Equal(a, b, _) if self.is_whole(a) && self.is_whole(b) => vec![a.as_ref(), b.as_ref()],
            ExprKind::Compare(order, a, b) if self.is_whole(a) && self.is_whole(b) => {
                return self.whole_order(*order, a, b).map(Some);
            }
            ExprKind::Quant(..) | ExprKind::Crosses(_) => vec![e],
            _ => return Ok(None),
        };
        if !parts.iter().any(|p| self.is_whole(p)) {
            return Ok(None);
        }
        // `in` and `not in` of the same are opposites, and so on.
        let positive = match &e.kind {
            ExprKind::In { positive, .. } | ExprKind::IsEmpty(_, positive) | ExprKind::Equal(_, _, positive) => {
                *positive
            }
            ExprKind::Quant(quantifier, _) => *quantifier != Quantifier::No,
            _ => true,
        };
        let symbols: Vec<String> = parts.into_iter().map(|p| self.symbol(p)).collect();
        let form = match &e.kind {
            ExprKind::In { .. } => "in",
            ExprKind::IsEmpty(..) => "empty",
            ExprKind::Equal(..) => "equal",
            ExprKind::Quant(Quantifier::Every, _) => "every",
            _ => "",
        };
        let entry = Entry::Whole(format!("{form} {}", symbols.join("; ")));
        let holds = self.settled(entry, Domain::truth())? == Some(1);
        Ok(Some(holds == positive))
    }

    /// The order of two numbers that are not looked into: less, not less, or neither where one is nothing.
    fn whole_order(&mut self, order: Order, a: &Expr, b: &Expr) -> Res<bool> {
        let (first, second, wanted) = match order {
            Order::Lt => (a, b, 1),
            Order::Ge => (a, b, 2),
            Order::Gt => (b, a, 1),
            Order::Le => (b, a, 2),
        };
        let entry = Entry::Whole(format!("less {}; {}", self.symbol(first), self.symbol(second)));
        let domain = self.domain(&entry, || Domain::new(0, 2, false));
        self.divided(entry, &domain, &Domain::one(Some(wanted)))
    }
}

/// Whether it takes many entries to know it.
fn is_big(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call { .. }
        | ExprKind::Reach { .. }
        | ExprKind::Reached { .. }
        | ExprKind::Way { .. }
        | ExprKind::Crosses(_)
        | ExprKind::Would { .. }
        | ExprKind::Legal { .. }
        | ExprKind::Leads(_) => true,
        ExprKind::Size(a) => is_big(a) || is_read(a),
        _ => e.domain().is_some(),
    }
}

/// What a bigger expression may come to: a definition given nothing is nothing itself.
pub(super) fn whole_domain(e: &Expr, model: &model::Model) -> Option<Domain> {
    let all = domain_of(&e.ty, model)?;
    match e.ty.base {
        Base::Bool => Some(all),
        _ => Some(Domain::new(all.ends().into_iter().flatten().min()?, all.ends().into_iter().flatten().max()?, true)),
    }
}
