//! Who has an ability: members that list it, and members with a field that holds one that does.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::Checker;
use super::clause::Within;
use super::expr::typed;
use super::names::Symbol;
use super::scope::{Binding, Scope};
use crate::check::Diagnostic;
use crate::model::{AbilityId, Base, Borne, ClauseId, Expr, ExprKind, FieldStore, KindId, Set, SetOp, Ty, Value};
use crate::span::Span;
use crate::syntax::tree::{Decl, DeclKind, Word};

/// What is known of the bearers of abilities before their clauses are resolved.
#[derive(Debug, Default)]
pub(super) struct Bearers {
    /// The fields of a kind that its declaration names after `has`.
    fields: BTreeMap<KindId, Vec<Chain>>,
    /// The members that give an ability to those whose field holds them, by their kind.
    givers: BTreeMap<AbilityId, BTreeMap<KindId, Vec<u16>>>,
}

/// A field, or a field of what a field holds, and so on.
#[derive(Clone, Debug)]
struct Chain {
    /// The first field, by its place in the kind.
    first: usize,
    /// The fields of what it holds, each with the kind that it belongs to.
    then: Vec<(KindId, usize)>,
    /// The kind of what the last of them holds.
    of: KindId,
}

impl Chain {
    fn is(&self, other: &Chain) -> bool {
        self.first == other.first && self.then == other.then
    }
}

impl Checker {
    /// Resolves the fields that kinds name after `has`.
    pub(super) fn bearing_fields(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            let DeclKind::Kind { name, bears, .. } = &d.kind else { continue };
            let Some(Symbol::Kind(kind)) = self.names.get(&name.text) else { continue };
            for chain in bears {
                self.bearing_chain(kind, chain);
            }
        }
    }

    fn bearing_chain(&mut self, kind: KindId, words: &[Word]) {
        let Some((word, more)) = words.split_first() else { return };
        let Some((first, mut of)) = self.bearing_field(kind, word) else { return };
        let (mut then, mut last) = (Vec::new(), word);
        for word in more {
            let Some((at, next)) = self.bearing_field(of, word) else { return };
            let field = &self.model.kinds[of.i()].fields[at];
            if matches!(field.store, FieldStore::Var(_)) {
                let message = format!("`{}` changes in play, and only the first field may", word.text);
                let help = "write a field of the kind itself, or a printed field of what it holds";
                self.report(Diagnostic::error("law::type", message, word.span, "a `var` field").help(help));
                return;
            }
            then.push((of, at));
            (of, last) = (next, word);
        }
        let chain = Chain { first, then, of };
        let all = self.bearers.fields.entry(kind).or_default();
        if all.iter().any(|known| known.is(&chain)) {
            let name: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
            let (message, span) = (format!("`{}` is named twice", name.join(".")), word.span.to(last.span));
            self.report(Diagnostic::error("law::duplicate", message, span, "the second time").help("leave it out"));
            return;
        }
        all.push(chain);
    }

    /// A field of a kind that holds members, and the kind of these.
    fn bearing_field(&mut self, kind: KindId, word: &Word) -> Option<(usize, KindId)> {
        if self.unclear.fields.contains(&(kind, word.text.clone())) {
            return None;
        }
        let fields = &self.model.kinds[kind.i()].fields;
        let Some(at) = fields.iter().position(|f| f.name == word.text) else {
            let what = format!("field of {}", self.model.kinds[kind.i()].name);
            let known: Vec<String> = fields.iter().map(|f| f.name.clone()).collect();
            self.unknown_among(&what, word, known.iter().map(String::as_str));
            return None;
        };
        let ty = fields[at].ty.clone();
        let held = match &ty.base {
            Base::Set(of) => of.as_ref(),
            base => base,
        };
        if let Base::Member(of) = *held {
            return Some((at, of));
        }
        let words = self.words(&ty);
        self.report(
            Diagnostic::error("law::type", "what this field holds has no abilities", word.span, words)
                .help("write a field whose type is a kind or a set of a kind"),
        );
        None
    }

    /// Gives an ability to members: as its holders if they are of its kind, else to those that hold one of them.
    pub(super) fn endow(&mut self, id: AbilityId, at: Span, name: &str, (kind, members): (KindId, Range<u16>)) {
        let ability = &mut self.model.abilities[id.i()];
        let wanted = ability.kind;
        if wanted == kind {
            ability.holders.extend(members);
            return;
        }
        let fields = self.bearers.fields.get(&wanted);
        if fields.is_some_and(|fields| fields.iter().any(|chain| chain.of == kind)) {
            self.bearers.givers.entry(id).or_default().entry(kind).or_default().extend(members);
            return;
        }
        let (of, given) = (self.model.kinds[wanted.i()].name.clone(), self.model.kinds[kind.i()].name.clone());
        self.report(
            Diagnostic::error(
                "law::type",
                format!("this is an ability of {of}"),
                at,
                format!("`{name}` is not of the kind {of}"),
            )
            .help(format!("if a {of} has a field of type {given}, write `has` and the field in `kind {of}`")),
        );
    }

    /// Finds out who has an ability: once and for all, or as fields that change in play say.
    pub(super) fn settle(&mut self, id: AbilityId) {
        let givers = self.bearers.givers.get(&id).cloned().unwrap_or_default();
        let kind = self.model.abilities[id.i()].kind;
        let fields = self.bearers.fields.get(&kind).cloned().unwrap_or_default();
        let mut borne = Vec::new();
        for chain in fields {
            let Some(givers) = givers.get(&chain.of) else { continue };
            let mut givers = givers.clone();
            for (of, at) in chain.then.iter().rev() {
                givers = self.holding((*of, *at), &givers);
            }
            match self.model.kinds[kind.i()].fields[chain.first].store {
                FieldStore::Printed(_) => {
                    let found = self.holding((kind, chain.first), &givers);
                    self.model.abilities[id.i()].holders.extend(found);
                }
                FieldStore::Var(var) => {
                    givers.sort_unstable();
                    givers.dedup();
                    borne.push(Borne { field: chain.first, var, givers });
                }
            }
        }
        let all = self.model.kinds[kind.i()].members.len() as u16;
        let ability = &mut self.model.abilities[id.i()];
        ability.holders.sort_unstable();
        ability.holders.dedup();
        if !borne.is_empty() && ability.holders.len() < usize::from(all) {
            ability.always = std::mem::replace(&mut ability.holders, (0..all).collect());
            ability.borne = borne;
        }
    }

    /// The members of a kind whose printed field holds one of some members.
    fn holding(&self, (kind, field): (KindId, usize), members: &[u16]) -> Vec<u16> {
        let FieldStore::Printed(values) = &self.model.kinds[kind.i()].fields[field].store else { return Vec::new() };
        let holds = |value: &Value| match value {
            Value::Int(i) => members.iter().any(|g| i32::from(*g) == *i),
            Value::Set(set) => members.iter().any(|g| set.contains(usize::from(*g))),
            _ => false,
        };
        (0..).zip(values).filter(|(_, v)| holds(v)).map(|(h, _)| h).collect()
    }

    /// The conditions of a clause that are not written: that its holder is the parameter with the holder's name, and
    /// that it has the ability now.
    pub(super) fn unwritten(&mut self, id: ClauseId, within: Option<&Within>, sc: &Scope) -> Vec<Expr> {
        let Some(within) = within else { return Vec::new() };
        let ability = &self.model.abilities[within.ability.i()];
        let (ty, span) = (Ty::of(Base::Member(ability.kind)), self.head(ability.span));
        let local = self.model.clauses[id.i()].holder;
        let holder = typed(ExprKind::Local(local), ty.clone(), span);
        let is_it = |other| typed(ExprKind::Equal(Box::new(other), Box::new(holder.clone()), true), truth(), span);
        let named = within.name.as_ref().and_then(|name| sc.get(name));
        let same = match named {
            Some(Binding::Local(other, of)) if *other != local && *of == ty => {
                Some(is_it(typed(ExprKind::Local(*other), ty, span)))
            }
            Some(Binding::Var(var)) => {
                let of = self.model.vars[var.i()].ty.clone();
                (of.base == ty.base).then(|| is_it(typed(ExprKind::Var { var: *var, index: None }, of, span)))
            }
            _ => None,
        };
        same.into_iter().chain(self.has_now(within.ability, &holder)).collect()
    }

    /// That a member has an ability at the moment; `None` if those who have it do not change.
    pub(super) fn has_now(&self, id: AbilityId, member: &Expr) -> Option<Expr> {
        let ability = &self.model.abilities[id.i()];
        let (kind, span) = (ability.kind, member.span);
        let mut any = Vec::new();
        if !ability.always.is_empty() {
            any.push(one_of(member.clone(), &ability.always, kind));
        }
        for borne in &ability.borne {
            let ty = self.model.kinds[kind.i()].fields[borne.field].ty.clone();
            let field = ExprKind::Var { var: borne.var, index: Some(Box::new(member.clone())) };
            let field = typed(field, ty.clone(), span);
            any.push(match &ty.base {
                Base::Member(of) => one_of(field, &borne.givers, *of),
                base => {
                    let set = typed(ExprKind::Const(Value::Set(set_of(&borne.givers))), Ty::of(base.clone()), span);
                    let both = ExprKind::SetOp(SetOp::Intersect, Box::new(field), Box::new(set));
                    typed(ExprKind::IsEmpty(Box::new(typed(both, Ty::of(base.clone()), span)), false), truth(), span)
                }
            });
        }
        let or = |a: Expr, b: Expr| typed(ExprKind::Or(Box::new(a), Box::new(b)), truth(), span);
        any.into_iter().reduce(or)
    }
}

impl Within {
    /// Binds the holder, under both its names. A parameter that has its name is the holder.
    pub(super) fn bind(&self, checker: &Checker, sc: &mut Scope) -> u16 {
        let ty = Ty::of(Base::Member(checker.model.abilities[self.ability.i()].kind));
        let local = sc.bind("holder", ty.clone());
        if let Some(name) = &self.name
            && !matches!(sc.get(name), Some(Binding::Local(_, of)) if *of == ty)
        {
            sc.alias(name, local, ty);
        }
        local
    }
}

/// That a member is one of these.
pub(super) fn one_of(item: Expr, members: &[u16], of: KindId) -> Expr {
    let (base, span) = (Base::Member(of), item.span);
    let constant = |value, ty| typed(ExprKind::Const(value), ty, span);
    if let [one] = members {
        let one = constant(Value::Int(i32::from(*one)), Ty::of(base));
        return typed(ExprKind::Equal(Box::new(item), Box::new(one), true), truth(), span);
    }
    let set = constant(Value::Set(set_of(members)), Ty::of(Base::Set(Box::new(base.clone()))));
    let kind = ExprKind::In { item: Box::new(item), set: Box::new(set), of: base, positive: true };
    typed(kind, truth(), span)
}

fn truth() -> Ty {
    Ty::of(Base::Bool)
}

fn set_of(members: &[u16]) -> Set {
    members.iter().map(|m| usize::from(*m)).collect()
}
