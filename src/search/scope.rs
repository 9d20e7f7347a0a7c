//! In what the worlds of a position may differ, and what is therefore the same in all of them.

use std::collections::BTreeSet;

use crate::model::{Asked, Base, ClauseId, DefClause, Expr, ExprKind, KindId, Model, Value, VarId};

/// In what worlds may differ from a position. Apart from `replaced`, a world is the position with the members of some
/// kinds under each other's names, each among those of its owner.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The variables that may differ.
    pub touched: BTreeSet<VarId>,
    /// The kinds whose members are exchanged.
    pub exchanged: BTreeSet<KindId>,
    /// The variables that get values of their own.
    pub replaced: BTreeSet<VarId>,
}

impl Scope {
    /// Whether a clause may apply in a world and not in the position, or the other way round. It cannot if it reads no
    /// variable that may differ, or if it asks nothing that depends on the names of the members exchanged.
    #[must_use]
    pub fn may_change(&self, model: &Model, clause: ClauseId) -> bool {
        let (mut touches, mut names) = (false, model.clauses.get(clause.i()).is_none_or(|c| c.ability.is_some()));
        model.walk_clause(clause, &mut BTreeSet::new(), &mut |asked| {
            touches |= self.touches(&asked);
            names |= self.names(model, &asked);
        });
        touches && names
    }

    /// Whether something depends on a variable that may differ.
    #[must_use]
    pub fn touches(&self, asked: &Asked<'_>) -> bool {
        match asked {
            Asked::Limit(var) => self.touched.contains(var),
            Asked::Expr(Expr { kind, .. }) => match kind {
                ExprKind::Var { var, .. } | ExprKind::Top(var, _) => self.touched.contains(var),
                kind => kind.looks_ahead(),
            },
        }
    }

    /// Whether something may have another value when the members exchanged change their names.
    fn names(&self, model: &Model, asked: &Asked<'_>) -> bool {
        let Asked::Expr(e) = asked else { return true };
        let exchanges = |base: &Base| self.exchanges(model, base);
        match &e.kind {
            ExprKind::Var { var, .. } | ExprKind::Top(var, _) => self.replaced.contains(var),
            ExprKind::Const(value) => exchanges(&e.ty.base) && !is_none_or_all(model, &e.ty.base, value),
            ExprKind::Printed { kind, field, .. } => {
                let owner = model.kinds.get(kind.i()).is_some_and(|k| k.owner == Some(*field));
                exchanges(&e.ty.base) || exchanges(&Base::Member(*kind)) && !owner
            }
            ExprKind::Call { def, .. } => {
                let (params, clauses) = model.defs.get(def.i()).map_or_else(Default::default, |def| {
                    (def.params.iter().map(|(_, ty)| exchanges(&ty.base)).collect::<Vec<_>>(), &def.clauses[..])
                });
                // `instead strength(King) = 2` names the King.
                let is_named = |c: &DefClause| c.args.iter().zip(&params).any(|(arg, named)| arg.is_some() && *named);
                let is_borne = |c: &DefClause| model.clauses.get(c.clause.i()).is_none_or(|c| c.ability.is_some());
                clauses.iter().any(|c| is_named(c) || is_borne(c))
            }
            ExprKind::Match { on, .. } => exchanges(&on.ty.base),
            // They go by the order of the members.
            ExprKind::The(_) | ExprKind::Best(..) => exchanges(&e.ty.base),
            ExprKind::Config(_) => exchanges(&e.ty.base),
            ExprKind::Local(_)
            | ExprKind::Not(_)
            | ExprKind::Neg(_)
            | ExprKind::Abs(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Default(..)
            | ExprKind::Equal(..)
            | ExprKind::Arith(..)
            | ExprKind::SetOp(..)
            | ExprKind::In { .. }
            | ExprKind::IsEmpty(..)
            | ExprKind::Size(_)
            | ExprKind::If(..)
            | ExprKind::SetOf { .. }
            | ExprKind::Compr { .. }
            | ExprKind::Quant(..)
            | ExprKind::Count(_)
            | ExprKind::Sum(..)
            | ExprKind::IsOn(..)
            | ExprKind::AsSet(_)
            | ExprKind::Copies { .. } => false,
            ExprKind::Compare(_, a, b) => exchanges(&a.ty.base) || exchanges(&b.ty.base),
            // Tables, ways and grids know members by their places.
            ExprKind::Linked { .. }
            | ExprKind::Reach { .. }
            | ExprKind::Grid { .. }
            | ExprKind::Crosses(_)
            | ExprKind::Reached { .. }
            | ExprKind::Way { .. }
            | ExprKind::Wins(_)
            | ExprKind::LegalAction(_)
            | ExprKind::Would { .. }
            | ExprKind::Legal { .. }
            | ExprKind::Leads(_)
            | ExprKind::Over(_) => true,
        }
    }

    fn exchanges(&self, model: &Model, base: &Base) -> bool {
        let is = |kind: &KindId| self.exchanged.contains(kind);
        match base {
            Base::Member(kind) | Base::List(kind) => {
                is(kind) || model.pair(*kind).is_some_and(|(a, b, _)| is(&a) || is(&b))
            }
            Base::Set(of) | Base::Bag(of) => self.exchanges(model, of),
            _ => false,
        }
    }
}

/// Whether a constant stays the same under all names: it is nothing, or it is all members.
fn is_none_or_all(model: &Model, base: &Base, value: &Value) -> bool {
    let members = |kind: &KindId| model.kinds.get(kind.i()).map(|kind| kind.members.len());
    match (value, base) {
        (Value::None, _) => true,
        (Value::Set(set), Base::Set(of)) => match &**of {
            Base::Member(kind) => set.is_empty() || Some(set.iter().count()) == members(kind),
            _ => set.is_empty(),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Dice;
    use crate::rules::Rules;
    use crate::search::worlds::Guesses;

    /// For each `never` its label, and whether worlds drawn in random games may break it.
    fn nevers(game: &str, plies: usize) -> Vec<(String, bool)> {
        let rules = Rules::open(game).unwrap();
        let (model, both) = (rules.model(), rules.evaluators());
        let label = |clause: ClauseId| model.clauses[clause.i()].label.text.clone();
        let mut may: Vec<(ClauseId, bool)> = model.nevers.iter().map(|never| (never.clause, false)).collect();
        let (start, mut dice) = (rules.start().unwrap(), Dice::new(1));
        let mut position = start.clone();
        for _ in 0..plies {
            let guesses = Guesses::new(both.explainer(), &start, &position, 0).unwrap();
            may.iter_mut().for_each(|(never, may)| *may |= guesses.scope().may_change(model, *never));
            for (never, _) in may.iter().filter(|(_, may)| !may) {
                let before = both.nevers_of(&position, [*never]).unwrap();
                let world = guesses.draw(|n| dice.below(n));
                assert_eq!(both.nevers_of(&world, [*never]).unwrap(), before, "{game}: {}", label(*never));
            }
            let options = rules.options(&position).unwrap();
            let Some(choice) = options.get(dice.below(options.len().max(1))) else { break };
            rules.apply(&mut position, *choice).unwrap();
        }
        may.into_iter().map(|(never, may)| (label(never), may)).collect()
    }

    #[test]
    fn a_definition_that_is_another_for_one_thing_names_it() {
        let text = |also: &str| {
            format!(
                "game cards \"Cards\"\nplayers One, Two\nkind Card members Ace, Two_, Three\nvar held: set of Card\n\
                 define worth_of(c: Card) -> Int = 1\n{also}\nnever \"rich\" when some c in held: worth_of(c) > 1\n\
                 procedure play {{ One chooses number n from 0..3 }}"
            )
        };
        for (also, may) in [("", false), ("instead worth_of(Ace) = 2", true)] {
            let rules = Rules::from_text(&text(also)).unwrap();
            let model = rules.model();
            let kind = model.kinds.iter().position(|kind| kind.name == "Card").unwrap();
            let held = model.vars.iter().position(|var| var.name == "held").unwrap();
            let touched = BTreeSet::from([VarId(held as u16)]);
            let exchanged = BTreeSet::from([KindId(kind as u16)]);
            let scope = Scope { touched, exchanged, replaced: BTreeSet::new() };
            assert_eq!(scope.may_change(model, model.nevers[0].clause), may, "{also}");
        }
    }

    #[test]
    fn what_names_no_thing_is_the_same_in_all_worlds() {
        let riddle = nevers("riddle", 80);
        assert!(riddle.iter().any(|(never, may)| never == "a card in two places" && !may), "{riddle:?}");
        // It asks whether a member of a printed owner is in a pile of the other; and who is where is hidden.
        let confrontation = nevers("confrontation", 40);
        assert!(confrontation.iter().any(|(_, may)| *may), "{confrontation:?}");
    }
}
