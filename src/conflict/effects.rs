//! What clauses read and write, and whether two of them are independent.

use std::collections::BTreeSet;

use crate::model::{
    Asked, Attached, ClauseId, CodeId, DefId, Expr, ExprKind, FieldStore, InstrKind, Model, Value, VarId, VarOwner,
};

/// An entry of a variable; without an index, any entry.
pub type Touched = (VarId, Option<i32>);

/// What a clause reads and writes.
#[derive(Default)]
pub struct Effects {
    /// The entries that it reads.
    pub reads: BTreeSet<Touched>,
    /// The procedures of which it asks whether they are active.
    pub on: BTreeSet<CodeId>,
    /// Whether it asks if no action is legal.
    pub none_legal: bool,
    /// Whether it asks if some action is legal.
    pub some_legal: bool,
    /// Whether it reads an option or reading.
    pub settings: bool,
    writes: BTreeSet<Touched>,
    defs: BTreeSet<DefId>,
    codes: BTreeSet<CodeId>,
    /// A seat or chance decides there, other rules run, or play goes elsewhere.
    leaves: bool,
}

/// Whether the order of two hooks certainly makes no difference.
pub fn independent(model: &Model, [a, b]: &[Attached; 2]) -> bool {
    let (a, b) = (effects(model, a), effects(model, b));
    let clear = |writes: &BTreeSet<Touched>, other: &Effects| {
        !writes.iter().any(|w| other.reads.iter().chain(&other.writes).any(|o| meet(w, o)))
    };
    !a.leaves && !b.leaves && clear(&a.writes, &b) && clear(&b.writes, &a)
}

fn meet(a: &Touched, b: &Touched) -> bool {
    a.0 == b.0 && (a.1.is_none() || b.1.is_none() || a.1 == b.1)
}

fn effects(model: &Model, attached: &Attached) -> Effects {
    let mut effects = Effects::default();
    let Some(hook) = model.hooks.get(attached.hook.i()) else {
        return Effects { leaves: true, ..effects };
    };
    effects.clause(model, hook.clause);
    if let Some(limit) = model.clause(hook.clause).and_then(|c| c.limit) {
        // It is counted for each holder.
        let own = (limit, attached.bearers.is_none().then(|| i32::from(attached.holder.unwrap_or(0))));
        effects.reads.remove(&(limit, None));
        effects.reads.insert(own);
        effects.writes.insert(own);
    }
    effects.code(model, hook.code);
    effects
}

impl Effects {
    /// What the conditions of a clause read.
    pub fn of(model: &Model, id: ClauseId) -> Effects {
        let mut effects = Effects::default();
        effects.clause(model, id);
        effects
    }

    fn clause(&mut self, model: &Model, id: ClauseId) {
        let mut defs = std::mem::take(&mut self.defs);
        model.walk_clause(id, &mut defs, &mut |asked| self.asked(model, asked));
        self.defs = defs;
    }

    /// Adds what an expression reads.
    pub fn expr(&mut self, model: &Model, e: &Expr) {
        let mut defs = std::mem::take(&mut self.defs);
        model.walk_asked(e, &mut defs, &mut |asked| self.asked(model, asked));
        self.defs = defs;
    }

    fn asked(&mut self, model: &Model, asked: Asked<'_>) {
        let e = match asked {
            Asked::Limit(limit) => {
                self.reads.insert((limit, None));
                return;
            }
            Asked::Expr(e) => e,
        };
        match &e.kind {
            ExprKind::Var { var, index } | ExprKind::Top(var, index) => {
                self.reads.insert((*var, fixed(index.as_deref())));
                if let Some(VarOwner::Code(code)) = model.vars.get(var.i()).map(|v| v.owner) {
                    self.on.insert(code);
                }
            }
            ExprKind::IsOn(code, _) => {
                self.on.insert(*code);
            }
            ExprKind::LegalAction(false) => self.none_legal = true,
            ExprKind::LegalAction(true) => self.some_legal = true,
            ExprKind::Config(_) => self.settings = true,
            ExprKind::Printed { kind, field, .. } => {
                let field = model.kinds.get(kind.i()).and_then(|k| k.fields.get(*field));
                if let Some(FieldStore::Var(var)) = field.map(|f| &f.store) {
                    self.reads.insert((*var, None));
                }
            }
            _ => {}
        }
    }

    fn code(&mut self, model: &Model, id: CodeId) {
        let Some(code) = model.codes.get(id.i()).filter(|_| self.codes.insert(id)) else { return };
        for instr in &code.instrs {
            let kind = &instr.kind;
            if kind.decides() || kind.runs_rules() || matches!(kind, InstrKind::Finish(_)) {
                self.leaves = true;
                continue;
            }
            kind.expressions().into_iter().for_each(|e| self.expr(model, e));
            kind.targets().into_iter().for_each(|to| self.write(model, id, (to.var, fixed(to.index.as_ref()))));
            kind.fills().into_iter().for_each(|var| self.write(model, id, (var, None)));
            kind.begins(model).into_iter().for_each(|begun| self.code(model, begun));
        }
        for var in &code.vars {
            if let Some(init) = model.vars.get(var.i()).and_then(|v| v.init.as_ref()) {
                self.expr(model, init);
            }
        }
    }

    fn write(&mut self, model: &Model, own: CodeId, entry: Touched) {
        // Its own variables are gone when it is left.
        if model.vars.get(entry.0.i()).is_none_or(|v| v.owner != VarOwner::Code(own)) {
            self.writes.insert(entry);
        }
    }
}

/// The index, where it is a constant.
fn fixed(index: Option<&Expr>) -> Option<i32> {
    match index.map(|e| &e.kind) {
        None => Some(0),
        Some(ExprKind::Const(Value::Int(i))) => Some(*i),
        Some(_) => None,
    }
}
