//! Which worlds a seat cannot rule out.

use std::collections::BTreeSet;

use super::worlds::seen_of;
use crate::game::{Evaluator as _, Fault, Position};
use crate::model::{Asked, ClauseId, Expr, ExprKind, Model, VarId};
use crate::rules::Evaluators;

/// What a world must share with a position, so that a seat cannot rule it out: what the seat sees, and that no `never`
/// is broken which the position keeps. Only what the variables that may differ bear on is compared.
pub struct Possible<'a> {
    rules: &'a Evaluators,
    seat: u16,
    /// The variables of which the seat's view is compared; all if `None`.
    only: Option<&'a BTreeSet<VarId>>,
    look: u64,
    /// The `never`s that the position keeps, and that a world may break.
    kept: Vec<ClauseId>,
}

impl<'a> Possible<'a> {
    /// Worlds that differ from a position only in some variables.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn new(
        rules: &'a Evaluators,
        position: &Position,
        seat: u16,
        touched: &'a BTreeSet<VarId>,
    ) -> Result<Possible<'a>, Fault> {
        let model = rules.model();
        let only = (!sight_reads(model, touched)).then_some(touched);
        let look = seen_of(rules, position, seat, 0, only);
        let read = model.nevers.iter().map(|never| never.clause).filter(|never| {
            let mut reads = Reads { touched, any: false };
            model.walk_clause(*never, &mut BTreeSet::new(), &mut |asked| reads.note(asked));
            reads.any
        });
        let mut kept: Vec<ClauseId> = read.collect();
        let broken = rules.explainer().nevers_of(position, kept.iter().copied())?;
        kept.retain(|never| !broken.contains(never));
        Ok(Possible { rules, seat, only, look, kept })
    }

    /// Whether the seat cannot rule out a world.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn allows(&self, world: &Position) -> Result<bool, Fault> {
        let broken = self.rules.explainer().nevers_of(world, self.kept.iter().copied())?;
        Ok(broken.is_empty() && seen_of(self.rules, world, self.seat, 0, self.only) == self.look)
    }
}

/// Whether what a seat may see depends on one of some variables.
fn sight_reads(model: &Model, touched: &BTreeSet<VarId>) -> bool {
    let mut reads = Reads { touched, any: false };
    let mut defs = BTreeSet::new();
    model.seen.iter().for_each(|seen| model.walk_clause(seen.clause, &mut defs, &mut |asked| reads.note(asked)));
    for secret in &model.secrets {
        let parts = std::iter::once(&secret.seat).chain(&secret.until);
        parts.for_each(|e| model.walk_asked(e, &mut defs, &mut |asked| reads.note(asked)));
    }
    reads.any
}

/// Whether something depends on one of some variables.
struct Reads<'t> {
    touched: &'t BTreeSet<VarId>,
    any: bool,
}

impl Reads<'_> {
    fn note(&mut self, asked: Asked<'_>) {
        self.any |= match asked {
            Asked::Limit(var) => self.touched.contains(&var),
            Asked::Expr(Expr { kind, .. }) => match kind {
                ExprKind::Var { var, .. } | ExprKind::Top(var, _) => self.touched.contains(var),
                // What is legal, and what follows from an action, may depend on anything.
                ExprKind::Legal { .. } | ExprKind::Leads(_) | ExprKind::Would { .. } | ExprKind::NoLegalAction => true,
                _ => false,
            },
        };
    }
}
