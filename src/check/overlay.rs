//! Variants: declarations laid over a game.

use super::Checker;
use crate::check::Diagnostic;
use crate::span::Span;
use crate::spelling::closest;
use crate::syntax::tree::{Clause, Decl, DeclKind, Expr, Label, RemoveTarget, Word};

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
        let before = count_clauses(base);
        let near = nearest_removable(base, what);
        let hit = |label: Option<&str>, cites: &[Word]| match what {
            RemoveTarget::Label(l) => label == Some(l.text.as_str()),
            RemoveTarget::Path(w) => cites.iter().any(|c| c.text == w.text),
        };
        let clause_hit = |c: &Clause| hit(c.label.as_ref().map(|l| l.text.as_str()), &c.mods.cite);
        base.retain(|d| match (&d.kind, what) {
            (DeclKind::Clause(c), _) => !clause_hit(c),
            (DeclKind::Ability(a), _) => !hit(a.label.as_ref().map(|l| l.text.as_str()), &a.mods.cite),
            (DeclKind::Ends(e), _) => !hit(Some(&e.label.text), &e.mods.cite),
            (DeclKind::Bring(b), RemoveTarget::Label(_)) => !hit(b.label.as_ref().map(|l| l.text.as_str()), &[]),
            (DeclKind::Mark(m), RemoveTarget::Label(_)) => !hit(m.label.as_ref().map(|l| l.text.as_str()), &[]),
            (DeclKind::Never { label, mods }, _) => !hit(Some(&label.text), &mods.cite),
            (k, RemoveTarget::Path(w)) => name_of(k) != Some(w.text.as_str()),
            _ => true,
        });
        for d in base.iter_mut() {
            match &mut d.kind {
                DeclKind::Members { abilities, .. } => {
                    abilities.retain(|a| !hit(a.label.as_ref().map(|l| l.text.as_str()), &a.mods.cite));
                    for a in abilities {
                        a.clauses.retain(|c| !clause_hit(c));
                    }
                }
                DeclKind::Ability(a) => a.clauses.retain(|c| !clause_hit(c)),
                _ => {}
            }
        }
        if count_clauses(base) == before {
            let name = match what {
                RemoveTarget::Label(l) => format!("\"{}\"", l.text),
                RemoveTarget::Path(w) => format!("`{}`", w.text),
            };
            self.report(
                Diagnostic::error(
                    "law::dangling-exception",
                    format!("there is nothing called {name} to remove"),
                    span,
                    "removes nothing",
                )
                .help(near.unwrap_or_else(|| {
                    "write the label, the citation or the name of a declaration of the game".to_string()
                })),
            );
        }
    }

    fn replace(&mut self, base: &mut [Decl], inner: Decl) {
        let target = name_of(&inner.kind).map(str::to_string);
        let same = |k: &DeclKind| {
            std::mem::discriminant(k) == std::mem::discriminant(&inner.kind) && name_of(k).map(str::to_string) == target
        };
        match base.iter_mut().find(|d| target.is_some() && same(&d.kind)) {
            Some(old) => *old = inner,
            None => {
                let kind = std::mem::discriminant(&inner.kind);
                let others = base.iter().filter(|d| std::mem::discriminant(&d.kind) == kind);
                let known: Vec<&str> = others.filter_map(|d| name_of(&d.kind)).collect();
                let near = closest(target.as_deref().unwrap_or(""), known).map(|n| format!("did you mean `{n}`?"));
                let name = target.unwrap_or_else(|| "this".into());
                self.report(
                    Diagnostic::error(
                        "law::dangling-exception",
                        format!("the game has no such declaration of `{name}` to replace"),
                        inner.span,
                        "replaces nothing",
                    )
                    .help(near.unwrap_or_else(|| "leave `replace` out to add it".to_string())),
                );
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
                    let crate::syntax::tree::ExprKind::Name(w) = &value.kind else {
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
                DeclKind::Members { names, fields, .. }
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
        if !done {
            let (first, name) = (path.first(), path.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join("."));
            let span = first.map_or(value.span, |w| w.span);
            let known = base.iter().filter(|d| matches!(d.kind, DeclKind::Option { .. } | DeclKind::Reading { .. }));
            let near = closest(&name, known.filter_map(|d| name_of(&d.kind))).map(|n| format!("did you mean `{n}`?"));
            self.report(
                Diagnostic::error(
                    "law::dangling-exception",
                    format!("there is no `{name}` to set"),
                    span,
                    "sets nothing",
                )
                .help(near.unwrap_or_else(|| {
                    "write an option, a reading with one of its alternatives, or `Member.field` of a member declared alone"
                        .to_string()
                })),
            );
        }
    }
}

/// The label or name that a variant probably meant to remove.
fn nearest_removable(base: &[Decl], what: &RemoveTarget) -> Option<String> {
    let mut labels: Vec<&str> = Vec::new();
    let clause = |label: &'_ Option<Label>| label.as_ref().map(|l| l.text.clone());
    let mut owned: Vec<String> = Vec::new();
    for d in base {
        match &d.kind {
            DeclKind::Clause(c) => owned.extend(clause(&c.label)),
            DeclKind::Ends(e) => labels.push(&e.label.text),
            DeclKind::Never { label, .. } => labels.push(&label.text),
            DeclKind::Bring(b) => owned.extend(clause(&b.label)),
            DeclKind::Mark(m) => owned.extend(clause(&m.label)),
            DeclKind::Ability(a) => {
                owned.extend(clause(&a.label));
                a.clauses.iter().for_each(|c| owned.extend(clause(&c.label)));
            }
            DeclKind::Members { abilities, .. } => {
                for a in abilities {
                    owned.extend(clause(&a.label));
                    a.clauses.iter().for_each(|c| owned.extend(clause(&c.label)));
                }
            }
            _ => {}
        }
    }
    labels.extend(owned.iter().map(String::as_str));
    match what {
        RemoveTarget::Label(l) => closest(&l.text, labels).map(|n| format!("did you mean \"{n}\"?")),
        RemoveTarget::Path(w) => {
            closest(&w.text, base.iter().filter_map(|d| name_of(&d.kind))).map(|n| format!("did you mean `{n}`?"))
        }
    }
}

fn count_clauses(decls: &[Decl]) -> usize {
    let ability = |a: &crate::syntax::tree::Ability| 1 + a.clauses.len();
    decls
        .iter()
        .map(|d| match &d.kind {
            DeclKind::Members { abilities, .. } => 1 + abilities.iter().map(ability).sum::<usize>(),
            DeclKind::Ability(a) => ability(a),
            _ => 1,
        })
        .sum()
}

/// The name a declaration declares.
fn name_of(kind: &DeclKind) -> Option<&str> {
    Some(match kind {
        DeclKind::Game { name, .. }
        | DeclKind::Source { name, .. }
        | DeclKind::Option { name, .. }
        | DeclKind::Reading { name, .. }
        | DeclKind::Preset { name, .. }
        | DeclKind::Kind { name, .. }
        | DeclKind::Links { name, .. }
        | DeclKind::Pile { name, .. }
        | DeclKind::Define { name, .. } => &name.text,
        DeclKind::Var(v) => &v.name.text,
        DeclKind::Grid(g) => &g.name.text,
        DeclKind::Action(a) => &a.name.text,
        DeclKind::Bring(b) => &b.name.text,
        DeclKind::Procedure(p) => &p.name.text,
        DeclKind::Ability(a) => return a.name.as_ref().map(|n| n.text.as_str()),
        DeclKind::Members { names, .. } => return names.first().map(|(n, _)| n.text.as_str()),
        DeclKind::Score { .. } => "score",
        _ => return None,
    })
}
