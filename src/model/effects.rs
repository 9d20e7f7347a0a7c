//! Effects: what codes change and begin, and what expressions read.

use std::collections::BTreeSet;

use super::{ClauseId, Code, CodeId, DefId, Expr, ExprKind, Model, VarId, VarOwner};

/// A thing that an expression depends on.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'m> {
    /// An expression: itself, a part of it, or a part of a definition that it uses.
    Expr(&'m Expr),
    /// The variable in which a limit of a clause is counted.
    Limit(VarId),
}

impl Model {
    /// Whether a variable belongs to a procedure, hook or effect, and ends with it.
    #[must_use]
    pub fn is_passing(&self, var: VarId) -> bool {
        self.vars.get(var.i()).is_some_and(|v| matches!(v.owner, VarOwner::Code(_)))
    }

    /// The codes that a code may begin, each as often as it is written.
    #[must_use]
    pub fn begun_by(&self, code: &Code) -> Vec<CodeId> {
        code.instrs.iter().flat_map(|i| i.kind.begins(self)).collect()
    }

    /// Those for whom a clause speaks: each holder of its ability, or once `None` where it is not an ability's.
    pub fn holders(&self, clause: ClauseId) -> impl Iterator<Item = Option<u16>> + use<'_> {
        let ability = self.clause(clause).and_then(|c| c.ability).and_then(|a| self.abilities.get(a.i()));
        let nobody = ability.is_none().then_some(None);
        let held = ability.map_or(&[][..], |a| &a.holders);
        nobody.into_iter().chain(held.iter().copied().map(Some))
    }

    /// The clauses of the definitions that some expressions may ask for, with those that these ask for.
    #[must_use]
    pub fn definitions_in<'e>(&'e self, of: impl IntoIterator<Item = &'e Expr>) -> BTreeSet<ClauseId> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&Expr> = of.into_iter().collect();
        while let Some(e) = open.pop() {
            open.extend(e.children());
            let ExprKind::Call { def, .. } = &e.kind else { continue };
            let Some(def) = self.defs.get(def.i()).filter(|d| found.insert(d.clause)) else { continue };
            open.extend(&def.general);
            for other in &def.clauses {
                found.insert(other.clause);
                open.push(&other.value);
                open.extend(self.clause(other.clause).into_iter().flat_map(|c| &c.when));
            }
        }
        found
    }

    /// The silences, and what they spare.
    pub fn silencing(&self) -> impl Iterator<Item = ClauseId> {
        self.silences.iter().flat_map(|s| std::iter::once(s.clause).chain(s.spares.iter().map(|s| s.clause)))
    }

    /// The variables that a code may change, with all that it begins.
    #[must_use]
    pub fn written_by(&self, code: CodeId) -> BTreeSet<VarId> {
        let (mut seen, mut found, mut todo) = (BTreeSet::from([code]), BTreeSet::new(), vec![code]);
        while let Some(code) = todo.pop() {
            let Some(code) = self.codes.get(code.i()) else { continue };
            found.extend(code.instrs.iter().flat_map(|i| i.kind.writes()));
            todo.extend(self.begun_by(code).into_iter().filter(|c| seen.insert(*c)));
        }
        found
    }

    /// The variables that an expression may read, including those that its definitions read.
    #[must_use]
    pub fn read_by(&self, e: &Expr) -> BTreeSet<VarId> {
        let mut vars = BTreeSet::new();
        self.walk_asked(e, &mut BTreeSet::new(), &mut |asked| {
            vars.extend(match asked {
                Asked::Expr(Expr { kind: ExprKind::Var { var, .. } | ExprKind::Top(var, _), .. }) => Some(*var),
                Asked::Expr(_) => None,
                Asked::Limit(var) => Some(var),
            });
        });
        vars
    }

    /// Visits an expression, its parts, and everything that the definitions in it depend on, each definition once.
    pub fn walk_asked<'m>(&'m self, e: &'m Expr, defs: &mut BTreeSet<DefId>, visit: &mut impl FnMut(Asked<'m>)) {
        let mut called = Vec::new();
        e.walk(&mut |e| {
            visit(Asked::Expr(e));
            if let ExprKind::Call { def, .. } = &e.kind {
                called.push(*def);
            }
        });
        for id in called {
            let Some(def) = self.defs.get(id.i()).filter(|_| defs.insert(id)) else { continue };
            def.general.iter().for_each(|e| self.walk_asked(e, defs, visit));
            for clause in &def.clauses {
                self.walk_asked(&clause.value, defs, visit);
                self.walk_clause(clause.clause, defs, visit);
            }
        }
    }

    /// Whether an expression asks what is legal, or what the action whose notation it is in leads to.
    #[must_use]
    pub fn asks_play(&self, e: &Expr) -> bool {
        let mut asks = false;
        self.walk_asked(e, &mut BTreeSet::new(), &mut |asked| {
            asks |= matches!(asked, Asked::Expr(Expr { kind: ExprKind::Legal { .. } | ExprKind::Leads(_), .. }));
        });
        asks
    }

    /// The same for the conditions of a clause, with its limit and the silences that may apply to it.
    pub fn walk_clause<'m>(&'m self, id: ClauseId, defs: &mut BTreeSet<DefId>, visit: &mut impl FnMut(Asked<'m>)) {
        let Some(clause) = self.clauses.get(id.i()) else { return };
        clause.when.iter().for_each(|e| self.walk_asked(e, defs, visit));
        clause.limit.into_iter().for_each(|limit| visit(Asked::Limit(limit)));
        if clause.ability.is_some() {
            let when = self.silencing().filter_map(|c| self.clauses.get(c.i())).flat_map(|c| &c.when);
            when.for_each(|e| self.walk_asked(e, defs, visit));
        }
    }
}
