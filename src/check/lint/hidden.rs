//! Decisions that depend on what the seat that decides cannot see.
//!
//! This is decided from the form of the rules: a permission, prohibition or obligation, the `by` or `where` of an
//! action, or the set of a choice (with the definitions it uses, and the effect that a `would` goes through) that must
//! not read a pile or variable that is not seen by all, unless its index is the deciding seat; nor a field of a named
//! member whose identity others do not know, unless the clause is about that member.

use std::collections::BTreeSet;

use super::look::{Asked, Hidden, Look};
use crate::check::{Checker, Diagnostic};
use crate::model::{
    Action, Base, Choose, ChooseWhat, ClauseId, CodeId, CodeKind, Expr, ExprKind, FieldStore, Goal, InstrKind, KindId,
    Seen, Value, VarId,
};
use crate::span::Span;

/// What is wrong with a clause, and where.
type Found = (ClauseId, Span, String);

impl Checker {
    /// Reports decisions that depend on something hidden.
    pub(super) fn unseen_dependence(&mut self) {
        let hidden = Hidden::new(&self.model);
        if hidden.is_nothing() {
            return;
        }
        let mut acts = Vec::new();
        for action in &self.model.actions {
            acts.extend(self.hidden_from_action(action, &hidden));
        }
        let mut choices = Vec::new();
        for code in 0..self.model.codes.len() {
            choices.extend(self.hidden_from_choices(CodeId(code as u16), &hidden));
        }
        for (clause, span, what) in acts {
            let title = format!("`{}` depends on what the acting seat cannot see", self.model.whole_title(clause));
            let help = "ask only what the seat can see, or write `openly` in the clause if the rulebook means it so";
            self.hidden_dependence((clause, span, what), title, help);
        }
        for (found, each) in choices {
            let title = String::from("what can be chosen depends on what the seat that chooses cannot see");
            let help = match each {
                false => {
                    "let chance draw with `pick ... at random`, or write `openly` in the choice if the rulebook means \
                     it so"
                }
                true => {
                    "name an order that everybody can see (`by`), or write `openly` if the seat is meant to choose \
                     the order"
                }
            };
            self.hidden_dependence(found, title, help);
        }
    }

    /// Reports what nobody is to see and somebody sees all the same.
    pub(super) fn seen_after_all(&mut self) {
        let seen = &self.model.seen;
        let other = |s: &Seen| seen.iter().find(|o| o.what == s.what && !o.nobody).map(|o| o.clause);
        let both: Vec<_> = seen.iter().filter(|s| s.nobody).filter_map(|s| Some((s.clause, other(s)?))).collect();
        for (nobody, other) in both {
            let at = |id: ClauseId| self.head(self.model.clauses[id.i()].span);
            let (nobody, other) = (at(nobody), at(other));
            self.report(
                Diagnostic::error("law::conflict", "nobody sees this, and somebody does", nobody, "by nobody")
                    .and(other, "by somebody")
                    .help("keep one of the two; a variant can `remove` the other by its citation"),
            );
        }
    }

    fn hidden_dependence(&mut self, (clause, span, what): Found, title: String, help: &str) {
        let site = self.model.clauses[clause.i()].span;
        let mut d = Diagnostic::warning("law::hidden", title, span, what);
        if span.file != site.file || span.start < site.start || site.end < span.end {
            d = d.and(self.head(site), "asked by this clause");
        }
        self.report(d.help(help));
    }

    /// Examines the clauses on an action, its `by` and its `where`.
    fn hidden_from_action(&self, action: &Action, hidden: &Hidden) -> Vec<Found> {
        let own = self.own_members(self.seat_of(action));
        let seat = self.seat_of(action);
        let asked = |about| Asked { by: &action.by, seat, action: Some(action), about, by_others: false };
        let mut found = Vec::new();
        if self.model.clauses[action.clause.i()].openly {
            return found;
        }
        for (clause, goal) in clauses_of(action) {
            let c = &self.model.clauses[clause.i()];
            if c.openly {
                continue;
            }
            let about = self.members_meant(clause).union(&own).copied().collect();
            let conditions = c.when.iter().chain(goal);
            let given = action.domain.iter().flatten();
            let looked = self.looked(hidden, asked(about), given, conditions);
            found.extend(looked.into_iter().map(|(s, w)| (clause, s, w)));
        }
        let conditions = std::iter::once(&action.by).chain(action.domain.iter().flatten());
        let about = self.members_asked(action.domain.iter().flatten()).union(&own).copied().collect();
        let looked = self.looked(hidden, asked(about), std::iter::empty(), conditions);
        found.extend(looked.into_iter().map(|(s, w)| (action.clause, s, w)));
        found
    }

    /// Examines the sets from which seats choose in a procedure, hook or effect, and notes whether the order of a `for`
    /// is chosen.
    fn hidden_from_choices(&self, code: CodeId, hidden: &Hidden) -> Vec<(Found, bool)> {
        let mut found = Vec::new();
        if self.is_open(code) {
            return found;
        }
        for instr in &self.model.codes[code.i()].instrs {
            let InstrKind::Choose(choose) = &instr.kind else { continue };
            if self.model.clauses[choose.clause.i()].openly {
                continue;
            }
            let seat = match &choose.seat.kind {
                ExprKind::Const(Value::Int(seat)) => Some(*seat),
                _ => None,
            };
            let about = self.own_members(seat);
            let asked = Asked { by: &choose.seat, seat, action: None, about, by_others: false };
            let each = match &choose.what {
                ChooseWhat::One { set, .. } => self.kept_in(code, set),
                _ => Vec::new(),
            };
            let is_each = !each.is_empty();
            let offered = if is_each { each } else { offered(choose) };
            let looked = self.looked(hidden, asked, std::iter::empty(), offered.into_iter());
            found.extend(looked.into_iter().map(|(s, w)| ((choose.clause, s, w), is_each)));
        }
        found
    }

    /// Whether `openly` stands in the hook or action that a code belongs to, or in the ability of the hook.
    pub(super) fn is_open(&self, code: CodeId) -> bool {
        let clause = match self.model.codes[code.i()].kind {
            CodeKind::Hook(hook) => self.model.hooks[hook.i()].clause,
            CodeKind::Action(action) => self.model.actions[action.i()].clause,
            CodeKind::Procedure | CodeKind::Entry => return false,
        };
        self.model.clauses[clause.i()].openly
    }

    /// The value of a helper variable of a procedure: the set of a `for ... chosen by` is kept in one.
    fn kept_in<'a>(&'a self, code: CodeId, set: &Expr) -> Vec<&'a Expr> {
        let helper = |var: VarId| {
            let name = self.model.vars[var.i()].name.rsplit('.').next();
            name.is_some_and(|n| n.starts_with('_'))
        };
        let mut found = Vec::new();
        set.walk(&mut |e| {
            if let ExprKind::Var { var, index: None } = &e.kind
                && helper(*var)
            {
                let instrs = self.model.codes[code.i()].instrs.iter();
                found.extend(instrs.filter_map(|i| match &i.kind {
                    InstrKind::Set(target, e) if target.var == *var => Some(e),
                    _ => None,
                }));
            }
        });
        found
    }

    fn looked<'a>(
        &'a self,
        hidden: &'a Hidden,
        asked: Asked<'a>,
        given: impl Iterator<Item = &'a Expr>,
        conditions: impl Iterator<Item = &'a Expr>,
    ) -> Vec<(Span, String)> {
        let mut look = Look::new(&self.model, hidden, asked);
        given.for_each(|cond| look.assume(cond));
        look.in_turn(conditions);
        look.found
    }

    /// The seat to which an action certainly belongs.
    fn seat_of(&self, action: &Action) -> Option<i32> {
        match &action.by.kind {
            ExprKind::Const(Value::Int(seat)) => Some(*seat),
            _ => action.domain.iter().flatten().find_map(|d| match &d.kind {
                ExprKind::Equal(a, b, true) if a.same(&action.by) => match &b.kind {
                    ExprKind::Const(Value::Int(seat)) => Some(*seat),
                    _ => None,
                },
                _ => None,
            }),
        }
    }

    /// The members that a seat owns, if the seat is known: a seat knows its own members.
    fn own_members(&self, by: Option<i32>) -> BTreeSet<(KindId, i32)> {
        let mut own = BTreeSet::new();
        for (k, kind) in self.model.kinds.iter().enumerate() {
            let owners = kind.owner.and_then(|f| kind.fields.get(f)).map(|f| &f.store);
            if let (Some(by), Some(FieldStore::Printed(owners))) = (by, owners) {
                let mine = owners.iter().enumerate().filter(|(_, o)| o.int() == Some(by));
                own.extend(mine.map(|(m, _)| (KindId(k as u16), m as i32)));
            }
        }
        own
    }

    /// The members that a clause is about: its holders, and those that its condition compares a parameter with.
    fn members_meant(&self, clause: ClauseId) -> BTreeSet<(KindId, i32)> {
        let c = &self.model.clauses[clause.i()];
        let mut about = BTreeSet::new();
        if let Some(a) = c.ability {
            let a = &self.model.abilities[a.i()];
            about.extend(a.holders.iter().map(|h| (a.kind, i32::from(*h))));
        }
        about.extend(self.members_asked(c.when.iter()));
        about
    }

    /// The members that conditions compare a parameter or variable with.
    fn members_asked<'a>(&self, conditions: impl Iterator<Item = &'a Expr>) -> BTreeSet<(KindId, i32)> {
        let mut about = BTreeSet::new();
        for e in conditions {
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

/// The expressions that determine what can be chosen.
fn offered(choose: &Choose) -> Vec<&Expr> {
    match &choose.what {
        ChooseWhat::One { set, .. } => vec![set],
        ChooseWhat::Several { set, lo, hi, .. } => vec![set, lo, hi],
        ChooseWhat::Number { lo, hi, .. } => vec![lo, hi],
        ChooseWhat::Act { .. } | ChooseWhat::Yes { .. } => Vec::new(),
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
