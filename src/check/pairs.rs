//! The indices of variables. Two indices are one: a kind of all pairs stands for both.

use super::Checker;
use super::expr::{constant, typed};
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{self, Arith, Base, Expr, ExprKind, Kind, KindId, Member, Text, Ty, Value, VarId};
use crate::span::Span;
use crate::syntax::tree::{self, ExprKind as T};

/// The maximum number of pairs.
const MAX_PAIRS: usize = 32_000;

impl Checker {
    /// Sets the index of a variable; it is local 0 of the initial value.
    pub(super) fn bind_index(&mut self, var: VarId, index: Option<&tree::Index>, sc: &mut Scope) {
        let Some(index) = index else { return };
        let Some(kind) = self.index_kind(index) else {
            let name = self.model.vars[var.i()].name.clone();
            self.unclear.names.insert(name);
            return;
        };
        self.model.vars[var.i()].index = Some(kind);
        self.bind_index_names(kind, index, sc);
    }

    /// Binds the names of an index.
    pub(super) fn bind_index_names(&mut self, kind: KindId, index: &tree::Index, sc: &mut Scope) {
        let second = index.second.as_ref().and_then(|second| second.name.as_ref());
        self.bind_indices(kind, [index.name.as_ref(), second], index.kind.span, sc);
    }

    /// Binds the names of an index, or of two.
    pub(super) fn bind_indices(&mut self, kind: KindId, names: [Option<&tree::Word>; 2], span: Span, sc: &mut Scope) {
        let [first, second] = names.map(|name| name.map_or("", |n| n.text.as_str()));
        let Some((a, b)) = self.model.kinds[kind.i()].pair else {
            sc.bind(first, Ty::of(Base::Member(kind)));
            return;
        };
        let pair = Ty::of(Base::Member(kind));
        let local = sc.bind("", pair.clone());
        let n = self.model.kinds[b.i()].members.len() as i32;
        let part = |op, of| {
            let local = Box::new(typed(ExprKind::Local(local), pair.clone(), span));
            let n = Box::new(constant(Value::Int(n), Ty::of(Base::Int), span));
            typed(ExprKind::Arith(op, local, n), Ty::of(Base::Member(of)), span)
        };
        sc.bind_made(first, part(Arith::Div, a));
        sc.bind_made(second, part(Arith::Mod, b));
    }

    fn index_kind(&mut self, index: &tree::Index) -> Option<KindId> {
        let first = self.kind_named(&index.kind);
        let Some(second) = &index.second else { return first };
        let other = self.kind_named(&second.kind);
        let (a, b) = (first?, other?);
        let known = self.model.kinds.iter().position(|k| k.pair == Some((a, b)));
        if let Some(known) = known {
            return Some(KindId(known as u16));
        }
        let members = |kind: KindId| self.model.kinds[kind.i()].members.clone();
        let (x, y) = (members(a), members(b));
        if x.len().saturating_mul(y.len()) > MAX_PAIRS {
            self.report(
                Diagnostic::error(
                    "law::range",
                    "there are too many pairs of these kinds",
                    index.kind.span.to(second.kind.span),
                    format!("{} times {}", x.len(), y.len()),
                )
                .help(format!("two indices have at most {MAX_PAIRS} pairs: use a set or a bag for each of one kind")),
            );
            return None;
        }
        let pair = |p: &Member, q: &Member| Member {
            id: format!("{}, {}", p.id, q.id),
            name: Text::default(),
            span: p.span,
            cites: Vec::new(),
        };
        let kind = Kind {
            name: format!("{}, {}", self.model.kinds[a.i()].name, self.model.kinds[b.i()].name),
            members: x.iter().flat_map(|p| y.iter().map(move |q| pair(p, q))).collect(),
            pair: Some((a, b)),
            span: index.kind.span,
            ..Kind::default()
        };
        let id = KindId(u16::try_from(self.model.kinds.len()).ok()?);
        self.model.kinds.push(kind);
        Some(id)
    }

    /// The index of a variable as it is written.
    pub(super) fn index_value(&mut self, var: VarId, kind: KindId, index: &tree::Expr, sc: &mut Scope) -> Option<Expr> {
        let wanted = |kind| Ty { base: Base::Member(kind), optional: true };
        match (self.model.kinds[kind.i()].pair, &index.kind) {
            (Some((a, b)), T::Pair(x, y)) => {
                let (x, y) = (self.expr(x, sc), self.expr(y, sc));
                let x = self.fit(x?, &wanted(a), "the first index");
                let y = self.fit(y?, &wanted(b), "the second index");
                Some(self.pair_of(kind, b, (x?, y?), index.span))
            }
            (None, T::Pair(_, y)) => {
                let name = self.model.vars[var.i()].name.clone();
                self.report(
                    Diagnostic::error("law::type", format!("`{name}` has one index"), y.span, "the second")
                        .help(format!("write `{name}{}", self.index_words(kind).1)),
                );
                None
            }
            (Some(_), _) => {
                let name = self.model.vars[var.i()].name.clone();
                self.report(
                    Diagnostic::error("law::type", format!("`{name}` has two indices"), index.span, "only one")
                        .help(format!("write `{name}{}", self.index_words(kind).1)),
                );
                None
            }
            (None, _) => {
                let index = self.expr(index, sc)?;
                self.fit(index, &wanted(kind), "the index")
            }
        }
    }

    fn pair_of(&self, kind: KindId, second: KindId, (x, y): (Expr, Expr), span: Span) -> Expr {
        let n = self.model.kinds[second.i()].members.len() as i32;
        let ty = Ty { base: Base::Member(kind), optional: x.ty.optional || y.ty.optional };
        if let (ExprKind::Const(Value::Int(p)), ExprKind::Const(Value::Int(q))) = (&x.kind, &y.kind) {
            return constant(Value::Int(p * n + q), Ty::of(Base::Member(kind)), span);
        }
        let number = Ty { base: Base::Int, optional: x.ty.optional };
        let n = constant(Value::Int(n), Ty::of(Base::Int), span);
        let row = typed(ExprKind::Arith(Arith::Mul, Box::new(x), Box::new(n)), number, span);
        typed(ExprKind::Arith(Arith::Add, Box::new(row), Box::new(y)), ty, span)
    }

    /// What a variable is kept for, and what to write behind its name, with the end of what is quoted.
    pub(super) fn index_words(&self, kind: KindId) -> (String, String) {
        let name = |kind: KindId| self.model.kinds[kind.i()].name.clone();
        match self.model.kinds[kind.i()].pair {
            Some((a, b)) => {
                let (a, b) = (name(a), name(b));
                (format!("{a} and {b}"), format!("[X, Y]` with a {a} for X and a {b} for Y"))
            }
            None => (name(kind), format!("[X]` with a {} for X", name(kind))),
        }
    }

    /// Reports variables with two indices of which one is of a kind whose members are hidden.
    pub(super) fn hidden_pairs(&mut self, kind: KindId, span: Span) {
        let hidden = |v: &model::Var| {
            let pair = v.index.and_then(|k| self.model.kinds[k.i()].pair);
            pair.is_some_and(|(a, b)| a == kind || b == kind)
        };
        let Some(name) = self.model.vars.iter().find(|v| hidden(v)).map(|v| v.name.clone()) else { return };
        let what = self.model.kinds[kind.i()].name.clone();
        self.report(
            Diagnostic::error(
                "law::type",
                format!("a hidden {what} cannot be one of two indices"),
                span,
                format!("`{name}` would tell which it is"),
            )
            .help("keep a set or a bag in a `var` field of the kind"),
        );
    }
}
