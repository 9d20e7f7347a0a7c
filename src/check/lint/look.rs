//! Finds reads of hidden things in the expressions that determine what a seat may do.

use std::collections::BTreeSet;

use super::shown::Facts;
use crate::model::{
    Action, ActionId, Arith, Attached, Base, CodeId, DefId, Domain, Expr, ExprKind, FieldStore, InstrKind, KindId,
    Model, PLAYER, SeenWhat, Value, VarId,
};
use crate::span::Span;

/// The things that are not seen by all.
pub(super) struct Hidden {
    kinds: BTreeSet<KindId>,
    vars: BTreeSet<VarId>,
}

impl Hidden {
    /// Of a game.
    pub fn new(model: &Model) -> Hidden {
        let (mut kinds, mut vars) = (BTreeSet::new(), BTreeSet::new());
        for seen in &model.seen {
            match seen.what {
                SeenWhat::Member(k) => kinds.insert(k),
                SeenWhat::Var(v) => vars.insert(v),
            };
        }
        Hidden { kinds, vars }
    }

    /// Whether all see all.
    pub fn is_nothing(&self) -> bool {
        self.kinds.is_empty() && self.vars.is_empty()
    }
}

/// The seat for which an expression is examined.
pub(super) struct Asked<'a> {
    /// The seat that decides, as it is written.
    pub by: &'a Expr,
    /// The seat, if it is certain which one it is.
    pub seat: Option<i32>,
    /// The action decided on, if it is one.
    pub action: Option<&'a Action>,
    /// The members that the clause is about, and those of the seat itself.
    pub about: BTreeSet<(KindId, i32)>,
    /// Whether it is looked for what any seat does not see, and not the deciding one.
    pub by_others: bool,
}

/// The names that a definition or a clause knows.
#[derive(Default)]
struct Frame {
    /// In a definition: for each parameter, whether its argument is the deciding seat or belongs to it.
    params: Option<Vec<bool>>,
    /// The locals that a quantifier binds, and whether they are the deciding seat or belong to it.
    bound: Vec<(u16, bool)>,
    /// What certainly holds here.
    facts: Facts,
}

/// The search for things that the deciding seat may not see.
pub(super) struct Look<'a> {
    model: &'a Model,
    hidden: &'a Hidden,
    asked: Asked<'a>,
    frame: Frame,
    defs: BTreeSet<(DefId, Vec<bool>, Facts)>,
    codes: BTreeSet<CodeId>,
    /// The variables that the effects examined change.
    written: BTreeSet<VarId>,
    /// Whether the expression for the deciding seat may mean another seat here.
    turned: bool,
    /// What was found, and where.
    pub found: Vec<(Span, String)>,
}

impl<'a> Look<'a> {
    /// An empty search.
    pub fn new(model: &'a Model, hidden: &'a Hidden, asked: Asked<'a>) -> Look<'a> {
        Look {
            model,
            hidden,
            asked,
            frame: Frame::default(),
            defs: BTreeSet::new(),
            codes: BTreeSet::new(),
            written: BTreeSet::new(),
            turned: false,
            found: Vec::new(),
        }
    }

    /// Examines an expression and all that it uses.
    pub fn at(&mut self, e: &'a Expr) {
        match &e.kind {
            ExprKind::Var { var, index: Some(index) } | ExprKind::Top(var, Some(index)) => {
                self.entry(*var, index, e.span);
            }
            ExprKind::Var { var, index: None } | ExprKind::Top(var, None)
                if self.hidden.vars.contains(var) && !self.is_for_deciding(*var) =>
            {
                self.tell(e.span, "others may not see this".into());
            }
            ExprKind::Call { def, args } => self.call(*def, args),
            ExprKind::Would { action, of } => {
                self.ahead(*action, of);
                return;
            }
            ExprKind::And(..) => {
                let before = self.frame.facts.count();
                self.in_turn(conjuncts(e).into_iter());
                self.frame.facts.keep(before);
                return;
            }
            ExprKind::If(cond, one, other) => {
                self.at(cond);
                self.given(cond, |look| look.at(one));
                self.at(other);
                return;
            }
            // All seats see the size of a pile.
            ExprKind::Size(of) | ExprKind::IsEmpty(of, _) => {
                if let Some(index) = self.counted(of) {
                    index.into_iter().for_each(|index| self.at(index));
                    return;
                }
            }
            _ => {}
        }
        match e.domain() {
            Some(domain) => self.within(e, domain),
            None => e.children().into_iter().for_each(|part| self.at(part)),
        }
    }

    /// Looks for something where a condition holds.
    fn given(&mut self, cond: &Expr, look: impl FnOnce(&mut Self)) {
        let before = self.frame.facts.count();
        self.frame.facts.add(cond);
        look(self);
        self.frame.facts.keep(before);
    }

    /// Something holds wherever it is looked.
    pub fn assume(&mut self, cond: &Expr) {
        self.frame.facts.add(cond);
    }

    /// Examines conditions that are asked in turn, each only if those before it hold.
    pub fn in_turn(&mut self, conditions: impl Iterator<Item = &'a Expr>) {
        for cond in conditions {
            self.at(cond);
            self.frame.facts.add(cond);
        }
    }

    /// Whether some rule lets the deciding seat see a variable: `seen NAME by p when p is SEAT`.
    fn is_for_deciding(&self, var: VarId) -> bool {
        if self.asked.by_others {
            return false;
        }
        let seen = self.model.seen.iter().filter(|s| s.what == SeenWhat::Var(var) && !s.nobody);
        let mut when = seen.map(|s| self.model.clauses[s.clause.i()].when.as_slice());
        when.any(|when| match when {
            [Expr { kind: ExprKind::Equal(a, b, true), .. }] => matches!(a.kind, ExprKind::Local(1)) && self.decides(b),
            _ => false,
        })
    }

    /// Whether an expression is the deciding seat.
    fn decides(&self, e: &Expr) -> bool {
        let constant = matches!(e.kind, ExprKind::Const(Value::Int(m)) if self.asked.seat == Some(m));
        // The locals of a definition are not those of the action.
        let here = if self.frame.params.is_some() { "definition" } else { "action" };
        let named = |e: &Expr, of: &str| e.form_with(&mut |local| format!("{of} {local}"));
        !self.turned && (constant || named(e, here) == named(self.asked.by, "action"))
    }

    fn tell(&mut self, span: Span, what: String) {
        if !self.found.iter().any(|(s, _)| *s == span) {
            self.found.push((span, what));
        }
    }

    /// The index of a pile, if that is what an expression is.
    fn counted(&self, of: &'a Expr) -> Option<Option<&'a Expr>> {
        let of = match &of.kind {
            ExprKind::AsSet(of) => of,
            _ => of,
        };
        match &of.kind {
            ExprKind::Var { var, index } if self.model.piles.contains(var) => Some(index.as_deref()),
            _ => None,
        }
    }

    /// Examines a domain; its variable belongs to the seat if the condition says so.
    fn within(&mut self, e: &'a Expr, domain: &'a Domain) {
        let own = domain.cond.as_deref().is_some_and(|cond| self.keeps_own(cond, domain.local));
        self.frame.bound.push((domain.local, own));
        let before = self.frame.facts.count();
        self.frame.facts.add_domain(domain);
        let cond = domain.cond.as_deref();
        cond.into_iter().for_each(|cond| self.at(cond));
        cond.into_iter().for_each(|cond| self.frame.facts.add(cond));
        let others = e.children().into_iter().filter(|part| !cond.is_some_and(|cond| std::ptr::eq(*part, cond)));
        others.for_each(|part| self.at(part));
        self.frame.facts.keep(before);
        self.frame.bound.pop();
    }

    /// Whether a condition holds only for the deciding seat, or for what belongs to it.
    fn keeps_own(&self, cond: &Expr, local: u16) -> bool {
        let is_local = |e: &Expr| matches!(e.kind, ExprKind::Local(l) if l == local);
        let owner = |e: &Expr| match &e.kind {
            ExprKind::Printed { kind, field, of } => {
                is_local(of) && self.model.kinds.get(kind.i()).is_some_and(|k| k.owner == Some(*field))
            }
            _ => is_local(e),
        };
        match &cond.kind {
            ExprKind::And(a, b) => self.keeps_own(a, local) || self.keeps_own(b, local),
            ExprKind::Equal(a, b, true) => (owner(a) && self.own(b)) || (owner(b) && self.own(a)),
            _ => false,
        }
    }

    fn call(&mut self, id: DefId, args: &'a [Expr]) {
        let own: Vec<bool> = args.iter().map(|arg| self.own(arg)).collect();
        let facts = self.frame.facts.of_arguments(args);
        if !self.defs.insert((id, own.clone(), facts.clone())) {
            return;
        }
        let def = &self.model.defs[id.i()];
        let before = std::mem::replace(&mut self.frame, Frame { params: Some(own), bound: Vec::new(), facts });
        def.general.iter().for_each(|general| self.at(general));
        for clause in &def.clauses {
            self.model.clauses[clause.clause.i()].when.iter().for_each(|cond| self.at(cond));
            self.at(&clause.value);
        }
        self.frame = before;
    }

    fn ahead(&mut self, action: ActionId, of: &'a Expr) {
        let before = self.found.len();
        self.through(self.model.actions[action.i()].code);
        for (_, what) in self.found.iter_mut().skip(before) {
            what.insert_str(0, "`would` goes through this: ");
        }
        let (written, mut turned) = (&self.written, false);
        self.asked.by.walk(&mut |e| turned |= matches!(&e.kind, ExprKind::Var { var, .. } if written.contains(var)));
        self.turned = turned;
        self.at(of);
        self.turned = false;
    }

    fn entry(&mut self, var: VarId, index: &Expr, span: Span) {
        let shown = || self.frame.facts.show(self.model, var, index);
        if self.hidden.vars.contains(&var) && !self.own(index) && !shown() {
            self.tell(span, "others may not see this".into());
        }
        if let (Base::Member(k), ExprKind::Const(Value::Int(m))) = (&index.ty.base, &index.kind)
            && self.hidden.kinds.contains(k)
            && !self.asked.about.contains(&(*k, *m))
            && self.is_member_field(*k, var)
        {
            let member = &self.model.kinds[k.i()].members[*m as usize].id;
            self.tell(span, format!("others may not know which one is {member}"));
        }
    }

    /// Statements read the position too.
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
                InstrKind::Unranked(hooks, _) | InstrKind::Instead(hooks, _) | InstrKind::HookAt(hooks, _) => {
                    hooks.iter().for_each(|h| self.hook(h))
                }
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

    /// Whether an index is the deciding seat or belongs to it: it has the form of the seat, is the owner of a thing, or
    /// is what the action is done with.
    fn own(&self, index: &Expr) -> bool {
        if self.asked.by_others {
            return false;
        }
        match &index.kind {
            ExprKind::Local(i) => match self.frame.bound.iter().rev().find(|(local, _)| local == i) {
                Some((_, own)) => *own,
                None => self.frame.params.as_ref().is_none_or(|own| own.get(usize::from(*i)).copied().unwrap_or(true)),
            },
            ExprKind::Const(Value::Int(m)) => match index.ty.base {
                Base::Member(PLAYER) => self.decides(index),
                Base::Member(k) => self.asked.about.contains(&(k, *m)),
                _ => true,
            },
            ExprKind::Printed { .. } => true,
            ExprKind::Var { var, index: None } if self.is_argument(*var) => true,
            // Of two indices one is enough.
            ExprKind::Arith(Arith::Add, row, second) => match &row.kind {
                ExprKind::Arith(Arith::Mul, first, _) => self.own(first) || self.own(second),
                _ => false,
            },
            _ => self.decides(index),
        }
    }

    fn is_argument(&self, var: VarId) -> bool {
        self.asked.action.is_some_and(|action| self.model.codes[action.code.i()].params.contains(&var))
    }
}

/// The parts of a condition that are joined by `and`, in order.
fn conjuncts(cond: &Expr) -> Vec<&Expr> {
    let (mut found, mut open) = (Vec::new(), vec![cond]);
    while let Some(e) = open.pop() {
        match &e.kind {
            ExprKind::And(a, b) => open.extend([b.as_ref(), a.as_ref()]),
            _ => found.push(e),
        }
    }
    found
}
