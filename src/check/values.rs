//! Printed values: in the blocks of members, in tables, by default.

use std::sync::Arc;

use super::Checker;
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{self, Base, ExprKind, FieldStore, KindId, Set, Ty, Value};
use crate::span::Span;
use crate::syntax::tree::{self, Decl, DeclKind, Word};

impl Checker {
    /// An expression that must be a constant of a type.
    pub(super) fn constant_value(&mut self, e: &tree::Expr, ty: &Ty, what: &str) -> Option<Value> {
        if let Base::Bag(of) = &ty.base {
            return self.printed_bag(e, of, what);
        }
        let expr = self.expr(e, &mut Scope::default())?;
        let expr = self.fit(expr, ty, what)?;
        let found = fold(&expr);
        if found.is_none() {
            self.report(
                Diagnostic::error("law::type", format!("{what} must be a constant"), e.span, "depends on play")
                    .help("write a number, a name or a set of names"),
            );
        }
        found
    }

    pub(super) fn member_values(
        &mut self,
        kind: &Word,
        names: &[(Word, Option<tree::Label>)],
        fields: &[(Word, tree::Expr)],
    ) {
        let Some(Symbol::Kind(k)) = self.names.get(&kind.text) else {
            return;
        };
        let mut seen: Vec<&str> = Vec::new();
        for (field, value) in fields {
            if seen.contains(&field.text.as_str()) {
                let first = fields.iter().find(|(f, _)| f.text == field.text).map_or(field.span, |(f, _)| f.span);
                self.report(
                    Diagnostic::error(
                        "law::duplicate",
                        format!("`{}` is given twice", field.text),
                        field.span,
                        "the second",
                    )
                    .and(first, "the first")
                    .help("remove one of them"),
                );
                continue;
            }
            seen.push(&field.text);
            let Some(i) = self.model.kinds[k.i()].fields.iter().position(|f| f.name == field.text) else {
                if self.unclear.fields.contains(&(k, field.text.clone())) {
                    continue;
                }
                let known: Vec<String> = self.model.kinds[k.i()].fields.iter().map(|f| f.name.clone()).collect();
                self.unknown_among(&format!("field of {} called", kind.text), field, known.iter().map(String::as_str));
                self.unclear_values(k, &field.text, names.iter().map(|(n, _)| n));
                continue;
            };
            let ty = self.model.kinds[k.i()].fields[i].ty.clone();
            let Some(v) = self.constant_value(value, &ty, &format!("the field `{}`", field.text)) else {
                self.unclear_value(k, i, names.iter().map(|(n, _)| n));
                continue;
            };
            for (name, _) in names {
                if let Some(Symbol::Member(mk, m)) = self.names.get(&name.text)
                    && mk == k
                {
                    self.give(k, i, m, v.clone(), field.span);
                }
            }
        }
    }

    // If a field name is misspelt, the field that was meant has no value.
    pub(super) fn unclear_values<'w>(&mut self, k: KindId, field: &str, members: impl Iterator<Item = &'w Word>) {
        let known: Vec<String> = self.model.kinds[k.i()].fields.iter().map(|f| f.name.clone()).collect();
        let near = crate::spelling::closest(field, known.iter().map(String::as_str));
        if let Some(i) = near.and_then(|n| known.iter().position(|k| k == n)) {
            self.unclear_value(k, i, members);
        }
    }

    pub(super) fn unclear_value<'w>(&mut self, k: KindId, i: usize, members: impl Iterator<Item = &'w Word>) {
        for name in members {
            if let Some(Symbol::Member(mk, m)) = self.names.get(&name.text)
                && mk == k
            {
                self.unclear.values.insert((k, i, m));
            }
        }
    }

    pub(super) fn give(&mut self, kind: KindId, field: usize, member: u16, value: Value, span: Span) {
        let n = self.model.kinds[kind.i()].members.len();
        match &mut self.model.kinds[kind.i()].fields[field].store {
            FieldStore::Printed(values) => {
                // A missing value is marked by a text that no field can hold, until `missing_values` runs.
                values.resize(n, hole());
                if let Some(place) = values.get_mut(member as usize) {
                    *place = value;
                }
            }
            FieldStore::Var(_) => self.report(
                Diagnostic::error("law::type", "a field marked `var` has no printed value", span, "changes in play")
                    .help("give its initial value with `=` in the kind, or set it in the set-up"),
            ),
        }
    }

    /// Fills in the defaults of printed fields and reports members that lack one.
    pub(super) fn missing_values(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            let DeclKind::Kind { name, fields, .. } = &d.kind else {
                continue;
            };
            let Some(Symbol::Kind(k)) = self.names.get(&name.text) else {
                continue;
            };
            for f in fields.iter().filter(|f| !f.var) {
                let Some(i) = self.model.kinds[k.i()].fields.iter().position(|o| o.name == f.name.text) else {
                    continue;
                };
                let ty = self.model.kinds[k.i()].fields[i].ty.clone();
                let default = match &f.value {
                    Some(e) => self.constant_value(e, &ty, &format!("the default of `{}`", f.name.text)),
                    None if ty.optional => Some(Value::None),
                    None => None,
                };
                self.fill(k, i, default.as_ref(), f);
                self.model.kinds[k.i()].fields[i].default = default;
            }
        }
    }

    pub(super) fn fill(&mut self, k: KindId, i: usize, default: Option<&Value>, f: &tree::Field) {
        let members: Vec<(String, Span)> =
            self.model.kinds[k.i()].members.iter().map(|m| (m.id.clone(), m.span)).collect();
        let FieldStore::Printed(values) = &mut self.model.kinds[k.i()].fields[i].store else {
            return;
        };
        values.resize(members.len(), hole());
        let mut missing = Vec::new();
        for (m, (value, (id, span))) in values.iter_mut().zip(&members).enumerate() {
            if *value == hole() {
                match default {
                    Some(d) => *value = d.clone(),
                    None if self.unclear.values.contains(&(k, i, m as u16)) || self.unclear.names.contains(id) => {}
                    None => missing.push((id.clone(), *span)),
                }
            }
        }
        if f.value.is_some() && default.is_none() {
            return;
        }
        // All rows of a table have the same place.
        let mut places: Vec<(Span, Vec<String>)> = Vec::new();
        for (id, span) in missing {
            match places.last_mut() {
                Some((last, ids)) if *last == span => ids.push(id),
                _ => places.push((span, vec![id])),
            }
        }
        for (span, ids) in places {
            self.report(missing_value(&f.name, &ids, span));
        }
    }
}

/// The report about members declared at one place that lack a printed field.
fn missing_value(field: &Word, ids: &[String], span: Span) -> Diagnostic {
    let name = &field.text;
    let (message, label, help) = match ids {
        [id] => (
            format!("`{id}` does not state its `{name}`"),
            format!("has no `{name}`"),
            format!("write `{name} VALUE` in its block"),
        ),
        ids => (
            format!("{} rows do not state their `{name}`: {}", ids.len(), crate::spelling::list(ids, 5)),
            format!("in the column `{name}`"),
            String::from("write something in the empty cells"),
        ),
    };
    Diagnostic::error("law::missing-field", message, span, label)
        .and(field.span, "declared here without a default")
        .help(format!("{help}, or a default in the kind: `{name}: ... = VALUE`"))
}

// No printed field can hold this text, because a quote ends a text in a rule file.
fn hole() -> Value {
    Value::Text("\"".into())
}

/// The value of an expression that needs no position, if it has one.
pub(super) fn fold(e: &model::Expr) -> Option<Value> {
    match &e.kind {
        ExprKind::Const(v) => Some(v.clone()),
        ExprKind::SetOf { items, of } => {
            let lo = if let Base::Range(lo, _) = of { *lo } else { 0 };
            let items: Option<Vec<i32>> = items.iter().map(|i| fold(i).and_then(|v| v.int())).collect();
            let place = |i: i32| usize::try_from(i64::from(i) - i64::from(lo)).ok();
            Some(Value::Set(items?.into_iter().filter_map(place).collect::<Set>()))
        }
        ExprKind::Neg(of) => fold(of).and_then(|v| v.int()).map(|i| Value::Int(i.saturating_neg())),
        _ => None,
    }
}
