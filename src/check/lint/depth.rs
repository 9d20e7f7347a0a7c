//! How deeply definitions use each other; what is deeper than the stack of a thread allows is refused.

use crate::check::{Checker, Diagnostic};
use crate::model::{CALL_LEVELS, ClauseId, Def, Expr, ExprKind, MAX_DEFINITION_DEPTH};

impl Checker {
    /// Reports definitions that use each other too deeply. Recursive ones are reported elsewhere.
    pub(super) fn deep_definitions(&mut self) {
        let Some(order) = self.asked_first() else {
            return;
        };
        let mut levels = vec![0; self.model.defs.len()];
        let mut found = None;
        for i in order {
            levels[i] = self.exprs(&self.model.defs[i]).into_iter().map(|e| depth(e, &levels)).max().unwrap_or(0);
            if levels[i] > MAX_DEFINITION_DEPTH {
                found = Some(i);
                break;
            }
        }
        // Silences are evaluated on the way, each at most once.
        let silences: u32 =
            self.model.silencing().map(|id| self.when(id).map(|e| depth(e, &levels)).max().unwrap_or(0)).sum();
        let deepest = (0..levels.len()).max_by_key(|i| levels[*i]);
        let found = found.or(deepest.filter(|i| levels[*i] + silences > MAX_DEFINITION_DEPTH));
        self.model.levels = levels.iter().map(|n| n + silences).collect();
        let Some(def) = found.and_then(|i| self.model.defs.get(i)) else {
            return;
        };
        let (name, span) = (def.name.clone(), self.head(self.model.clauses[def.clause.i()].span));
        self.report(
            Diagnostic::error(
                "law::range",
                format!("`{name}` uses definitions more than {MAX_DEFINITION_DEPTH} levels deep"),
                span,
                "too deep",
            )
            .help(
                "write several definitions of the chain as one; each counts as 3 levels, and one for each part of an \
                 expression inside another",
            ),
        );
    }

    /// The definitions in an order in which each comes after those it uses; `None` if there is a cycle.
    fn asked_first(&self) -> Option<Vec<usize>> {
        let asked: Vec<Vec<usize>> = self.model.defs.iter().map(|d| self.asked_by(d)).collect();
        let mut state = vec![0u8; asked.len()];
        let mut order = Vec::with_capacity(asked.len());
        for start in 0..asked.len() {
            let mut way = vec![(start, 0)];
            while let Some((i, next)) = way.pop() {
                match (asked[i].get(next), state[i], next) {
                    (_, 2, 0) => {}
                    (_, 1, 0) => return None,
                    (Some(to), ..) => {
                        state[i] = 1;
                        way.extend([(i, next + 1), (*to, 0)]);
                    }
                    (None, ..) => {
                        state[i] = 2;
                        order.push(i);
                    }
                }
            }
        }
        Some(order)
    }

    fn asked_by(&self, def: &Def) -> Vec<usize> {
        let mut all = Vec::new();
        for e in self.exprs(def) {
            e.walk(&mut |e| {
                if let ExprKind::Call { def, .. } = &e.kind {
                    all.push(def.i());
                }
            });
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The expressions of a definition and of its clauses.
    fn exprs<'m>(&'m self, def: &'m Def) -> Vec<&'m Expr> {
        let clauses = def.clauses.iter().flat_map(|c| self.when(c.clause).chain([&c.value]));
        clauses.chain(&def.general).collect()
    }

    fn when(&self, id: ClauseId) -> impl Iterator<Item = &Expr> {
        self.model.clause(id).into_iter().flat_map(|c| &c.when)
    }
}

/// The levels of an expression, given the levels of the definitions it uses.
fn depth(e: &Expr, levels: &[u32]) -> u32 {
    let inside = e.children().into_iter().map(|c| depth(c, levels)).max().unwrap_or(0);
    1 + match &e.kind {
        ExprKind::Call { def, .. } => inside.max(CALL_LEVELS - 1 + levels.get(def.i()).copied().unwrap_or(0)),
        _ => inside,
    }
}
