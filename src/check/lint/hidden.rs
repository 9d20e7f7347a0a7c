//! Legality that depends on what the acting seat cannot see.
//!
//! Reported is what the form of the rules shows: a permission, prohibition or obligation (or a definition it uses, or the effect that a `would` goes
//! through) that looks at a pile whose index is not the acting seat, where the pile is not seen by all; or at a field of a named member whose
//! identity others do not know, unless the clause is about that member.

use std::collections::BTreeSet;

use crate::check::{Checker, Diagnostic};
use crate::model::{
    Action, ActionId, Attached, Base, ClauseId, CodeId, DefId, Expr, ExprKind, FieldStore, Goal, InstrKind, KindId,
    Model, SeenWhat, Value, VarId,
};
use crate::span::Span;

impl Checker {
    /// Reports clauses on actions that look at what is hidden.
    pub(super) fn unseen_dependence(&mut self) {
        let hidden_kinds: BTreeSet<KindId> = self
            .model
            .seen
            .iter()
            .filter_map(|s| if let SeenWhat::Member(k) = s.what { Some(k) } else { None })
            .collect();
        let hidden_vars: BTreeSet<VarId> =
            self.model.seen.iter().filter_map(|s| if let SeenWhat::Var(v) = s.what { Some(v) } else { None }).collect();
        if hidden_kinds.is_empty() && hidden_vars.is_empty() {
            return;
        }
        let mut found: Vec<(ClauseId, Span, String)> = Vec::new();
        for action in &self.model.actions {
            for (clause, goal) in clauses_of(action) {
                let c = &self.model.clauses[clause.i()];
                if c.openly {
                    continue;
                }
                let mut about = self.members_meant(clause);
                about.extend(self.own_members(action));
                let mut look = Look {
                    model: &self.model,
                    action,
                    about,
                    kinds: &hidden_kinds,
                    vars: &hidden_vars,
                    defs: BTreeSet::new(),
                    codes: BTreeSet::new(),
                    written: BTreeSet::new(),
                    turned: false,
                    found: Vec::new(),
                };
                for e in c.when.iter().chain(goal) {
                    look.at(e);
                }
                found.extend(look.found.into_iter().map(|(span, what)| (clause, span, what)));
            }
        }
        for (clause, span, what) in found {
            let title = self.model.clause_title(clause, "");
            let site = self.model.clauses[clause.i()].span;
            let mut d = Diagnostic::warning(
                "law::hidden",
                format!("`{title}` depends on what the acting seat cannot see"),
                span,
                what,
            );
            if span.file != site.file || span.start < site.start || site.end < span.end {
                d = d.and(self.head(site), "asked by this clause");
            }
            self.report(
                d.help("ask only what the seat can see, or write `openly` in the clause if the rulebook means it so"),
            );
        }
    }

    /// The members whose owner certainly is the acting seat: a seat knows its own.
    fn own_members(&self, action: &Action) -> BTreeSet<(KindId, i32)> {
        let mut own = BTreeSet::new();
        let text = |e: &Expr| self.model.sources.line(e.span);
        let by = match &action.by.kind {
            ExprKind::Const(Value::Int(seat)) => Some(*seat),
            _ => action.domain.iter().flatten().find_map(|d| match &d.kind {
                ExprKind::Equal(a, b, true) if text(a) == text(&action.by) => match &b.kind {
                    ExprKind::Const(Value::Int(seat)) => Some(*seat),
                    _ => None,
                },
                _ => None,
            }),
        };
        for (k, kind) in self.model.kinds.iter().enumerate() {
            let owners = kind.owner.and_then(|f| kind.fields.get(f)).map(|f| &f.store);
            if let (Some(by), Some(FieldStore::Printed(owners))) = (by, owners) {
                let mine = owners.iter().enumerate().filter(|(_, o)| o.int() == Some(by));
                own.extend(mine.map(|(m, _)| (KindId(k as u16), m as i32)));
            }
        }
        own
    }

    /// The members a clause is about: its holders, and those its condition compares a parameter with.
    fn members_meant(&self, clause: ClauseId) -> BTreeSet<(KindId, i32)> {
        let c = &self.model.clauses[clause.i()];
        let mut about = BTreeSet::new();
        if let Some(a) = c.ability {
            let a = &self.model.abilities[a.i()];
            about.extend(a.holders.iter().map(|h| (a.kind, i32::from(*h))));
        }
        for e in &c.when {
            e.walk(&mut |e| {
                if let ExprKind::Equal(a, b, true) = &e.kind {
                    for (x, y) in [(a, b), (b, a)] {
                        if let (
                            ExprKind::Const(Value::Int(m)),
                            Base::Member(k),
                            ExprKind::Local(_) | ExprKind::Var { .. },
                        ) = (&x.kind, &x.ty.base, &y.kind)
                        {
                            about.insert((*k, *m));
                        }
                    }
                }
            });
        }
        about
    }
}

/// A look for what the acting seat may not see, on behalf of one clause.
struct Look<'a> {
    model: &'a Model,
    action: &'a Action,
    about: BTreeSet<(KindId, i32)>,
    kinds: &'a BTreeSet<KindId>,
    vars: &'a BTreeSet<VarId>,
    defs: BTreeSet<DefId>,
    codes: BTreeSet<CodeId>,
    /// What the effects gone through change.
    written: BTreeSet<VarId>,
    /// The expression that names the acting seat may mean another one here.
    turned: bool,
    found: Vec<(Span, String)>,
}

impl<'a> Look<'a> {
    fn at(&mut self, e: &'a Expr) {
        match &e.kind {
            ExprKind::Var { var, index: Some(index) } | ExprKind::Top(var, Some(index)) => {
                self.entry(*var, index, e.span);
            }
            ExprKind::Var { var, index: None } | ExprKind::Top(var, None) if self.vars.contains(var) => {
                self.found.push((e.span, "others may not see this".into()));
            }
            ExprKind::Call { def, .. } if self.defs.insert(*def) => {
                let d = &self.model.defs[def.i()];
                // Only a definition without parameters is as hidden as what it looks at: others are asked of what the clause names.
                if d.params.is_empty()
                    && let Some(general) = &d.general
                {
                    self.at(general);
                }
            }
            ExprKind::Would { action, of } => {
                self.ahead(*action, of);
                return;
            }
            _ => {}
        }
        for part in e.children() {
            self.at(part);
        }
    }

    fn ahead(&mut self, action: ActionId, of: &'a Expr) {
        let before = self.found.len();
        self.through(self.model.actions[action.i()].code);
        for (_, what) in self.found.iter_mut().skip(before) {
            what.insert_str(0, "`would` goes through this: ");
        }
        let (written, mut turned) = (&self.written, false);
        self.action.by.walk(&mut |e| turned |= matches!(&e.kind, ExprKind::Var { var, .. } if written.contains(var)));
        self.turned = turned;
        self.at(of);
        self.turned = false;
    }

    fn entry(&mut self, var: VarId, index: &Expr, span: Span) {
        if self.vars.contains(&var) && !self.same_seat(index) {
            self.found.push((span, "others may not see this".into()));
        }
        if let (Base::Member(k), ExprKind::Const(Value::Int(m))) = (&index.ty.base, &index.kind)
            && self.kinds.contains(k)
            && !self.about.contains(&(*k, *m))
            && self.is_member_field(*k, var)
        {
            let member = &self.model.kinds[k.i()].members[*m as usize].id;
            self.found.push((span, format!("others may not know which one is {member}")));
        }
    }

    /// What happens looks at the position too.
    fn through(&mut self, code: CodeId) {
        if !self.codes.insert(code) {
            return;
        }
        for instr in &self.model.codes[code.i()].instrs {
            for e in instr.kind.expressions() {
                self.at(e);
            }
            match &instr.kind {
                InstrKind::Set(target, _) => {
                    self.written.insert(target.var);
                }
                InstrKind::Call(code, _) => self.through(*code),
                InstrKind::Hook(hook) => self.hook(hook),
                InstrKind::Instead(hooks, _) => hooks.iter().for_each(|h| self.hook(h)),
                _ => {}
            }
        }
    }

    fn hook(&mut self, attached: &Attached) {
        let hook = &self.model.hooks[attached.hook.i()];
        if self.codes.contains(&hook.code) {
            return;
        }
        for e in &self.model.clauses[hook.clause.i()].when {
            self.at(e);
        }
        self.through(hook.code);
    }

    fn is_member_field(&self, k: KindId, var: VarId) -> bool {
        self.model.kinds[k.i()].fields.iter().any(|f| matches!(f.store, FieldStore::Var(v) if v == var))
    }

    // The index is written as the acting seat is, or asks for the owner of the thing acted with; or is what the action is done with.
    fn same_seat(&self, index: &Expr) -> bool {
        let text = |e: &Expr| self.model.sources.line(e.span);
        let argument = |var: &VarId| self.model.codes[self.action.code.i()].params.contains(var);
        !self.turned && text(index) == text(&self.action.by)
            || match &index.kind {
                ExprKind::Printed { .. } | ExprKind::Local(_) => true,
                ExprKind::Var { var, index: None } => argument(var),
                _ => false,
            }
    }
}

fn clauses_of(action: &Action) -> Vec<(ClauseId, Option<&Expr>)> {
    let may = action.may.iter().map(|m| (m.clause, None));
    let may_not = action.may_not.iter().map(|m| (m.clause, None));
    let must = action.must.iter().map(|m| match &m.goal {
        Goal::SoThat(e) | Goal::Prefer(_, e) => (m.clause, Some(e)),
    });
    may.chain(may_not).chain(must).collect()
}
