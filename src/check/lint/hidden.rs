//! Legality that depends on what the acting seat cannot see.
//!
//! Reported is what the form of the rules shows: a permission, prohibition or obligation (or a definition it uses) that looks at a pile whose index
//! is not the acting seat, where the pile is not seen by all; or at a field of a named member whose identity others do not know, unless the
//! clause is about that member.

use std::collections::BTreeSet;

use crate::check::{Checker, Diagnostic};
use crate::model::{Action, Base, ClauseId, DefId, Expr, ExprKind, FieldStore, KindId, SeenWhat, Value, VarId};
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
            for clause in clauses_of(action) {
                let c = &self.model.clauses[clause.i()];
                if c.openly {
                    continue;
                }
                let mut about = self.members_meant(clause);
                about.extend(self.own_members(action));
                for e in &c.when {
                    self.look(e, action, &about, &hidden_kinds, &hidden_vars, &mut BTreeSet::new(), clause, &mut found);
                }
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

    #[allow(clippy::too_many_arguments)]
    fn look(
        &self,
        e: &Expr,
        action: &Action,
        about: &BTreeSet<(KindId, i32)>,
        kinds: &BTreeSet<KindId>,
        vars: &BTreeSet<VarId>,
        seen: &mut BTreeSet<DefId>,
        clause: ClauseId,
        found: &mut Vec<(ClauseId, Span, String)>,
    ) {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Var { var, index: Some(index) } | ExprKind::Top(var, Some(index)) => {
                if vars.contains(var) && !self.same_seat(index, action) {
                    found.push((clause, e.span, "others may not see this".into()));
                }
                if let (Base::Member(k), ExprKind::Const(Value::Int(m))) = (&index.ty.base, &index.kind)
                    && kinds.contains(k)
                    && !about.contains(&(*k, *m))
                    && self.is_member_field(*k, *var)
                {
                    found.push((
                        clause,
                        e.span,
                        format!("others may not know which one is {}", self.model.kinds[k.i()].members[*m as usize].id),
                    ));
                }
            }
            ExprKind::Var { var, index: None } | ExprKind::Top(var, None) if vars.contains(var) => {
                found.push((clause, e.span, "others may not see this".into()));
            }
            ExprKind::Call { def, .. } if seen.insert(*def) => {
                let d = &self.model.defs[def.i()];
                // Only a definition without parameters is as hidden as what it looks at: others are asked of what the clause names.
                if d.params.is_empty()
                    && let Some(general) = &d.general
                {
                    self.look(general, action, about, kinds, vars, seen, clause, found);
                }
            }
            _ => {}
        });
    }

    fn is_member_field(&self, k: KindId, var: VarId) -> bool {
        self.model.kinds[k.i()].fields.iter().any(|f| matches!(f.store, FieldStore::Var(v) if v == var))
    }

    // The index is written as the acting seat is, or asks for the owner of the thing acted with.
    fn same_seat(&self, index: &Expr, action: &Action) -> bool {
        let text = |e: &Expr| self.model.sources.line(e.span);
        text(index) == text(&action.by) || matches!(index.kind, ExprKind::Printed { .. } | ExprKind::Local(_))
    }
}

fn clauses_of(action: &Action) -> Vec<ClauseId> {
    let may = action.may.iter().map(|m| m.clause);
    let may_not = action.may_not.iter().map(|m| m.clause);
    may.chain(may_not).chain(action.must.iter().map(|m| m.clause)).collect()
}
