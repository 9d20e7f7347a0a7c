//! Variants: declarations laid over a game.

use super::Checker;
use super::names::Symbol;
use crate::check::Diagnostic;
use crate::span::Span;
use crate::spelling::closest;
use crate::syntax::tree::{Decl, DeclKind, Expr, ExprKind, Label, RemoveTarget, Word};

impl Checker {
    /// Lays the declarations of a variant over those of the game.
    pub(super) fn lay_over(&mut self, base: &mut Vec<Decl>, overlay: Vec<Decl>) {
        for decl in overlay {
            match decl.kind {
                DeclKind::Variant { .. } => base.push(decl),
                DeclKind::Remove { what } => self.remove(base, &what, decl.span),
                DeclKind::Replace { decl: inner } => self.replace(base, *inner),
                DeclKind::Set { path, value } => self.set_value(base, &path, value),
                _ => base.push(decl),
            }
        }
    }

    fn remove(&mut self, base: &mut Vec<Decl>, what: &RemoveTarget, span: Span) {
        let mut found = false;
        let mut is = |hit: bool| {
            found |= hit;
            hit
        };
        let gone = shared(base, what);
        base.retain(|d| !is(removes(what, &d.kind)));
        for d in base.iter_mut() {
            // Nobody has a shared ability that is gone.
            if let DeclKind::Members { has, .. } | DeclKind::Kind { has, .. } = &mut d.kind {
                has.retain(|h| !gone.contains(&h.text));
            }
            if let DeclKind::Members { abilities, .. } = &mut d.kind {
                abilities.retain(|a| !is(calls(what, a.label.as_ref(), &a.mods.cite)));
            }
            for a in d.kind.abilities_mut() {
                a.clauses.retain(|c| !is(calls(what, c.label.as_ref(), &c.mods.cite)));
            }
        }
        if !found {
            let name = match what {
                RemoveTarget::Label(l) => format!("\"{}\"", l.text),
                RemoveTarget::Path(w) => format!("`{}`", w.text),
            };
            let wrong = (format!("there is nothing called {name} to remove"), "removes nothing");
            let help = "write the label, the citation or the name of a declaration of the game";
            self.dangling_change(wrong, span, nearest_removable(base, what), help);
        }
    }

    /// A change of nothing. `near` is what it probably meant, as it is written.
    fn dangling_change(&mut self, wrong: (String, &str), span: Span, near: Option<String>, otherwise: &str) {
        let help = near.map_or_else(|| otherwise.to_owned(), |near| format!("did you mean {near}?"));
        self.report(Diagnostic::error("law::dangling-exception", wrong.0, span, wrong.1).help(help));
    }

    fn replace(&mut self, base: &mut Vec<Decl>, inner: Decl) {
        let target = name_of(&inner.kind);
        let alike = |d: &Decl| std::mem::discriminant(&d.kind) == std::mem::discriminant(&inner.kind);
        let same = |d: &Decl| target.is_some() && alike(d) && name_of(&d.kind) == target;
        match base.iter().position(same) {
            Some(i) => {
                // The first makes way for it; further tables of a kind and edges of a grid go.
                let mut at = 0;
                base.retain(|d| {
                    at += 1;
                    at <= i + 1 || !same(d)
                });
                base[i] = inner;
            }
            None => {
                let known = base.iter().filter(|d| alike(d)).filter_map(|d| name_of(&d.kind));
                let near = closest(target.unwrap_or(""), known).map(|n| format!("`{n}`"));
                let name = target.unwrap_or("this");
                let wrong = format!("the game has no such declaration of `{name}` to replace");
                self.dangling_change((wrong, "replaces nothing"), inner.span, near, "leave `replace` out to add it");
            }
        }
    }

    fn set_value(&mut self, base: &mut [Decl], path: &[Word], value: Expr) {
        let done = match path {
            [name] => base.iter_mut().any(|d| match &mut d.kind {
                DeclKind::Option { name: n, value: v, .. } if n.text == name.text => {
                    *v = value.clone();
                    true
                }
                DeclKind::Reading { name: n, choices, .. } if n.text == name.text => {
                    let ExprKind::Name(w) = &value.kind else {
                        return false;
                    };
                    if !choices.iter().any(|c| c.name.text == w.text) {
                        return false;
                    }
                    for c in choices.iter_mut() {
                        c.default = c.name.text == w.text;
                    }
                    true
                }
                _ => false,
            }),
            [member, field] => base.iter_mut().any(|d| match &mut d.kind {
                DeclKind::Members { also: false, names, fields, .. }
                    if names.len() == 1 && names.iter().any(|(n, _)| n.text == member.text) =>
                {
                    match fields.iter_mut().find(|(f, _)| f.text == field.text) {
                        Some((_, v)) => *v = value.clone(),
                        None => fields.push((field.clone(), value.clone())),
                    }
                    true
                }
                _ => false,
            }),
            _ => false,
        };
        if let (false, [member, field]) = (done, path) {
            self.set_later.push((member.clone(), field.clone(), value));
        } else if !done {
            let (first, name) = (path.first(), path.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join("."));
            let span = first.map_or(value.span, |w| w.span);
            let known = base.iter().filter(|d| matches!(d.kind, DeclKind::Option { .. } | DeclKind::Reading { .. }));
            let near = closest(&name, known.filter_map(|d| name_of(&d.kind))).map(|n| format!("`{n}`"));
            let help = "write an option, a reading with one of its alternatives, or `Member.field`";
            self.dangling_change((format!("there is no `{name}` to set"), "sets nothing"), span, near, help);
        }
    }
}

impl Checker {
    /// Gives members of tables, and those that are declared with others, the values that variants set.
    pub(super) fn set_members(&mut self) {
        for (member, field, value) in std::mem::take(&mut self.set_later) {
            if let Some(Symbol::Member(kind, _)) = self.names.get(&member.text) {
                let kind = Word { text: self.model.kinds[kind.i()].name.clone(), span: member.span };
                self.member_values(&kind, &[(member, None)], &[(field, value)]);
            } else if !self.unclear.names.contains(&member.text) {
                let members = self.model.kinds.iter().flat_map(|k| &k.members).map(|m| m.id.as_str());
                let near = closest(&member.text, members).map(|near| format!("`{near}.{}`", field.text));
                let wrong = (format!("no member is called `{}`", member.text), "sets nothing");
                self.dangling_change(wrong, member.span, near, "write `Member.field` of a member of the game");
            }
        }
    }
}

/// Whether this is the label or one of the citations that a `remove` names.
fn calls(what: &RemoveTarget, label: Option<&Label>, cites: &[Word]) -> bool {
    match what {
        RemoveTarget::Label(l) => label.is_some_and(|label| label.text == l.text),
        RemoveTarget::Path(w) => cites.iter().any(|c| c.text == w.text),
    }
}

/// The names of the shared abilities that a `remove` takes away.
fn shared(base: &[Decl], what: &RemoveTarget) -> Vec<String> {
    let gone = base.iter().filter(|d| matches!(d.kind, DeclKind::Ability(_)) && removes(what, &d.kind));
    gone.filter_map(|d| name_of(&d.kind)).map(str::to_owned).collect()
}

/// Whether a `remove` takes a declaration away. What only mentions a citation is removed by its name.
fn removes(what: &RemoveTarget, kind: &DeclKind) -> bool {
    let by_cite = matches!(
        kind,
        DeclKind::Clause(_) | DeclKind::Ability(_) | DeclKind::Seen(_) | DeclKind::Ends(_) | DeclKind::Never { .. }
    );
    let by_name = |w: &Word| name_of(kind) == Some(&w.text);
    match what {
        RemoveTarget::Path(w) if !by_cite => by_name(w),
        RemoveTarget::Path(w) if matches!(kind, DeclKind::Ability(_)) && by_name(w) => true,
        _ => calls(what, kind.label(), kind.cites()),
    }
}

/// The label or name that a variant probably meant to remove, in its quotes.
fn nearest_removable(base: &[Decl], what: &RemoveTarget) -> Option<String> {
    match what {
        RemoveTarget::Label(l) => {
            let abilities = base.iter().flat_map(|d| d.kind.abilities());
            let inside = abilities.flat_map(|a| a.label.iter().chain(a.clauses.iter().flat_map(|c| &c.label)));
            let labels = base.iter().filter_map(|d| d.kind.label()).chain(inside);
            closest(&l.text, labels.map(|l| l.text.as_str())).map(|n| format!("\"{n}\""))
        }
        RemoveTarget::Path(w) => {
            closest(&w.text, base.iter().filter_map(|d| name_of(&d.kind))).map(|n| format!("`{n}`"))
        }
    }
}

/// The name by which a variant can change a declaration.
fn name_of(kind: &DeclKind) -> Option<&str> {
    match kind {
        DeclKind::Score { .. } => Some("score"),
        DeclKind::Worth { .. } => Some("worth"),
        DeclKind::Variant { .. } => None,
        DeclKind::Members { also: true, .. } => None,
        DeclKind::Table(table) => Some(&table.kind.text),
        DeclKind::Edges { grid, .. } => Some(&grid.text),
        DeclKind::Members { names, .. } => names.first().map(|(n, _)| n.text.as_str()),
        _ => kind.name().map(|w| w.text.as_str()),
    }
}
