//! What instructions change and begin, and what expressions look at.

use std::collections::BTreeSet;

use super::{ChanceWhat, ChooseWhat, ClauseId, CodeId, DefId, Expr, ExprKind, InstrKind, Model, VarId};

impl InstrKind {
    /// The variables that it changes itself, not those that what it begins changes.
    #[must_use]
    pub fn writes(&self) -> Vec<VarId> {
        match self {
            InstrKind::Set(to, _) | InstrKind::Put(_, to) | InstrKind::Take(_, to) => vec![to.var],
            InstrKind::MoveAll(from, to) => vec![from.var, to.var],
            InstrKind::Bag(_, to, other) => std::iter::once(to).chain(other).map(|t| t.var).collect(),
            InstrKind::Next { set, into, .. } => vec![*set, *into],
            InstrKind::Reset(vars) => vars.clone(),
            InstrKind::Choose(choose) => match &choose.what {
                ChooseWhat::One { into, .. }
                | ChooseWhat::Several { into, .. }
                | ChooseWhat::Number { into, .. }
                | ChooseWhat::Yes { into } => vec![*into],
                ChooseWhat::Act { .. } => Vec::new(),
            },
            InstrKind::Chance(chance) => match &chance.what {
                ChanceWhat::Pick { into, .. } | ChanceWhat::Roll { into, .. } => vec![*into],
                ChanceWhat::Shuffle { pile, next } => vec![pile.var, *next],
            },
            InstrKind::Call(..)
            | InstrKind::Jump(_)
            | InstrKind::Unless(..)
            | InstrKind::Unranked(_)
            | InstrKind::Hook(_)
            | InstrKind::Instead(..)
            | InstrKind::StepEnd(_)
            | InstrKind::Finish(_)
            | InstrKind::Return => Vec::new(),
        }
    }

    /// The codes that it may begin: a procedure, hooks, the effects of actions.
    #[must_use]
    pub fn begins(&self, model: &Model) -> Vec<CodeId> {
        let hook = |a: &super::Attached| model.hooks.get(a.hook.i()).map(|h| h.code);
        match self {
            InstrKind::Call(code, _) => vec![*code],
            InstrKind::Hook(a) => hook(a).into_iter().collect(),
            InstrKind::Unranked(all) | InstrKind::Instead(all, _) => all.iter().filter_map(hook).collect(),
            InstrKind::Choose(choose) => match &choose.what {
                ChooseWhat::Act { actions, .. } => {
                    actions.iter().filter_map(|a| model.actions.get(a.i())).map(|a| a.code).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Where it may lead in its own code, if it stands at `at`.
    #[must_use]
    pub fn next(&self, at: u16) -> Vec<u16> {
        match self {
            InstrKind::Jump(to) => vec![*to],
            InstrKind::Unless(_, to) | InstrKind::Next { end: to, .. } | InstrKind::Instead(_, to) => vec![at + 1, *to],
            InstrKind::Return => Vec::new(),
            _ => vec![at + 1],
        }
    }
}

impl Model {
    /// The variables that a code may change, with all that it begins.
    #[must_use]
    pub fn written_by(&self, code: CodeId) -> BTreeSet<VarId> {
        let (mut seen, mut found, mut todo) = (BTreeSet::from([code]), BTreeSet::new(), vec![code]);
        while let Some(code) = todo.pop() {
            for instr in self.codes.get(code.i()).map_or(&[][..], |c| &c.instrs) {
                found.extend(instr.kind.writes());
                todo.extend(instr.kind.begins(self).into_iter().filter(|c| seen.insert(*c)));
            }
        }
        found
    }

    /// The variables that an expression may look at, with all that the definitions in it look at.
    #[must_use]
    pub fn read_by(&self, e: &Expr) -> BTreeSet<VarId> {
        let (mut vars, mut defs) = (BTreeSet::new(), BTreeSet::new());
        self.reads(e, &mut vars, &mut defs);
        vars
    }

    fn reads(&self, e: &Expr, vars: &mut BTreeSet<VarId>, defs: &mut BTreeSet<DefId>) {
        let mut called = Vec::new();
        e.walk(&mut |e| match &e.kind {
            ExprKind::Var { var, .. } | ExprKind::Top(var, _) => {
                vars.insert(*var);
            }
            ExprKind::Call { def, .. } => called.push(*def),
            _ => {}
        });
        for id in called {
            let Some(def) = self.defs.get(id.i()).filter(|_| defs.insert(id)) else { continue };
            def.general.iter().for_each(|e| self.reads(e, vars, defs));
            let layers = [&def.instead, &def.times, &def.plus, &def.at_most, &def.at_least, &def.also, &def.except];
            for clause in layers.into_iter().flatten() {
                self.reads(&clause.value, vars, defs);
                self.clause_reads(clause.clause, vars, defs);
            }
        }
    }

    fn clause_reads(&self, id: ClauseId, vars: &mut BTreeSet<VarId>, defs: &mut BTreeSet<DefId>) {
        let Some(clause) = self.clauses.get(id.i()) else { return };
        clause.when.iter().for_each(|e| self.reads(e, vars, defs));
        vars.extend(clause.limit);
        if clause.ability.is_some() {
            let all =
                self.silences.iter().flat_map(|s| std::iter::once(s.clause).chain(s.spares.iter().map(|s| s.clause)));
            for when in all.filter_map(|c| self.clauses.get(c.i())).map(|c| &c.when) {
                when.iter().for_each(|e| self.reads(e, vars, defs));
            }
        }
    }
}
