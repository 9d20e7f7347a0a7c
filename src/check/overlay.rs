//! Variants: declarations laid over a game.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Checker;
use super::names::Symbol;
use crate::check::Diagnostic;
use crate::span::Span;
use crate::spelling::closest;
use crate::syntax::tree::{self, Beside, Decl, DeclKind, Expr, ExprKind, Label, ProcItem, RemoveTarget, Word};

impl Checker {
    /// Lays the declarations of a variant over those of the game.
    pub(super) fn lay_over(&mut self, base: &mut Vec<Arc<Decl>>, overlay: &[Arc<Decl>]) {
        for decl in overlay {
            match &decl.kind {
                DeclKind::Remove { what } => self.remove(base, what, decl.span),
                DeclKind::Replace { decl: inner } => self.replace(base, Decl::clone(inner)),
                DeclKind::Set { path, value } => self.set_value(base, path, value.clone()),
                DeclKind::MoreSteps { procedure, vars, steps } => {
                    self.more_steps(base, procedure, vars.clone(), steps.clone());
                }
                DeclKind::ReplaceStep { procedure, step } => self.replace_step(base, procedure, step.clone()),
                _ => base.push(Arc::clone(decl)),
            }
        }
    }

    fn remove(&mut self, base: &mut Vec<Arc<Decl>>, what: &RemoveTarget, span: Span) {
        let mut found = false;
        let mut is = |hit: bool| {
            found |= hit;
            hit
        };
        let gone = shared(base, what);
        base.retain(|d| !is(removes(what, &d.kind)));
        if let RemoveTarget::Path(word) = what {
            is(remove_member(base, &word.text));
        }
        let lost = |has: &[Word]| has.iter().any(|h| gone.contains(&h.text));
        let called = |a: &tree::Ability| {
            calls(what, a.label.as_ref(), &a.mods.cite)
                || a.clauses.iter().any(|c| calls(what, c.label.as_ref(), &c.mods.cite))
        };
        let touched = |d: &Decl| {
            let has = matches!(&d.kind, DeclKind::Members { has, .. } | DeclKind::Kind { has, .. } if lost(has));
            has || d.kind.abilities().iter().any(called)
        };
        for d in base.iter_mut().filter(|d| touched(d)) {
            let d = Arc::make_mut(d);
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
        if let (RemoveTarget::Path(word), false) = (what, found) {
            if remove_step(base, &word.text) {
                return;
            }
            // Whether a table has such a row is not known yet.
            let capital = word.text.starts_with(|c: char| c.is_ascii_uppercase());
            if capital && base.iter().any(|d| matches!(d.kind, DeclKind::Table(_))) {
                self.gone_rows.insert(word.text.clone(), (span, false));
                return;
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

    fn replace(&mut self, base: &mut Vec<Arc<Decl>>, inner: Decl) {
        if let DeclKind::Members { also: false, kind, names, .. } = &inner.kind {
            return match names.as_slice() {
                [(name, _)] => self.replace_member(base, &kind.text.clone(), &name.clone(), inner),
                _ => {
                    let wrong = (String::from("members are replaced one by one"), "several members");
                    self.dangling_change(wrong, inner.span, None, "write `replace` and a block for each of them");
                }
            };
        }
        let target = name_of(&inner.kind);
        let alike = |d: &Decl| std::mem::discriminant(&d.kind) == std::mem::discriminant(&inner.kind);
        let same = |d: &Decl| target.is_some() && alike(d) && name_of(&d.kind) == target;
        match base.iter().position(|d| same(d)) {
            Some(i) => {
                // The first makes way for it; further tables of a kind and edges of a grid go.
                let mut at = 0;
                base.retain(|d| {
                    at += 1;
                    at <= i + 1 || !same(d)
                });
                base[i] = Arc::new(inner);
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

    /// Replaces a member, which may share its block with others.
    fn replace_member(&mut self, base: &mut Vec<Arc<Decl>>, kind: &str, name: &Word, inner: Decl) {
        let at = base.iter().position(|d| declares(&d.kind, &name.text));
        let Some(place) = at.and_then(|at| base.get_mut(at)) else {
            let members = base.iter().filter_map(|d| match &d.kind {
                DeclKind::Members { also: false, names, .. } => Some(names),
                _ => None,
            });
            let known = members.flatten().map(|(n, _)| n.text.as_str());
            let table = base.iter().any(|d| matches!(&d.kind, DeclKind::Table(table) if table.kind.text == kind));
            // It may well be a row that is not read yet.
            let near = closest(&name.text, known).filter(|_| !table).map(|n| format!("`{n}`"));
            let otherwise = match table {
                true => "write `set Member.field = VALUE` for a row of a table; leave `replace` out to add a member",
                false => "leave `replace` out to add it",
            };
            let wrong = (format!("the game has no block of `{}` to replace", name.text), "replaces nothing");
            return self.dangling_change(wrong, inner.span, near, otherwise);
        };
        match &place.kind {
            DeclKind::Members { names, .. } if names.len() > 1 => {
                // The order of the members stays as it is.
                let after = names.iter().position(|(n, _)| n.text == name.text).map_or(0, |i| i + 1);
                let (mut first, mut rest) = (Decl::clone(place), Decl::clone(place));
                keep_names(&mut first.kind, |i| i + 1 < after);
                keep_names(&mut rest.kind, |i| i >= after);
                let parts = [first, inner, rest].into_iter().filter(|d| !is_empty(&d.kind)).map(Arc::new);
                let at = at.unwrap_or(0);
                base.splice(at..=at, parts);
            }
            _ => *place = Arc::new(inner),
        }
    }

    /// The procedure that a variant changes.
    fn procedure<'d>(&mut self, base: &'d mut [Arc<Decl>], name: &Word) -> Option<&'d mut tree::Procedure> {
        let procedures = || {
            base.iter().enumerate().filter_map(|(i, d)| match &d.kind {
                DeclKind::Procedure(p) => Some((i, p.name.text.as_str())),
                _ => None,
            })
        };
        let at = procedures().find(|(_, n)| *n == name.text).map(|(i, _)| i);
        if at.is_none() {
            let near = closest(&name.text, procedures().map(|(_, n)| n)).map(|n| format!("`{n}`"));
            let wrong = (format!("there is no procedure `{}` to change", name.text), "changes nothing");
            self.dangling_change(wrong, name.span, near, "write the name of a procedure of the game");
        }
        match &mut Arc::make_mut(base.get_mut(at?)?).kind {
            DeclKind::Procedure(p) => Some(p),
            _ => None,
        }
    }

    /// The place of a step among the parts of a procedure.
    fn step_of(&mut self, procedure: &tree::Procedure, step: &Word) -> Option<usize> {
        let at = procedure.items.iter().position(|item| is_step(item, &step.text));
        if at.is_none() {
            let steps = procedure.items.iter().filter_map(|item| match item {
                ProcItem::Step(step) => Some(step.name.text.as_str()),
                _ => None,
            });
            let near = closest(&step.text, steps).map(|n| format!("`{n}`"));
            let wrong = (format!("`{}` has no step `{}`", procedure.name.text, step.text), "no such step");
            self.dangling_change(wrong, step.span, near, "write the name of one of its steps");
        }
        at
    }

    fn more_steps(
        &mut self,
        base: &mut [Arc<Decl>],
        name: &Word,
        vars: Vec<tree::Var>,
        steps: Vec<(tree::Step, Beside)>,
    ) {
        let Some(procedure) = self.procedure(base, name) else { return };
        procedure.items.extend(vars.into_iter().map(ProcItem::Var));
        // Of several steps after the same one, the first stands first.
        let mut last: BTreeMap<String, Word> = BTreeMap::new();
        for (step, beside) in steps {
            let anchor = last.get(&beside.step.text).filter(|_| !beside.before).unwrap_or(&beside.step);
            let Some(at) = self.step_of(procedure, anchor) else { continue };
            if !beside.before {
                last.insert(beside.step.text, step.name.clone());
            }
            procedure.items.insert(if beside.before { at } else { at + 1 }, ProcItem::Step(step));
        }
    }

    fn replace_step(&mut self, base: &mut [Arc<Decl>], name: &Word, step: tree::Step) {
        let Some(procedure) = self.procedure(base, name) else { return };
        if let Some(place) = self.step_of(procedure, &step.name).and_then(|at| procedure.items.get_mut(at)) {
            *place = ProcItem::Step(step);
        }
    }

    fn set_value(&mut self, base: &mut [Arc<Decl>], path: &[Word], value: Expr) {
        let done = match path {
            [name] => {
                base.iter_mut().filter(|d| name_of(&d.kind) == Some(&name.text)).any(|d| {
                    match &mut Arc::make_mut(d).kind {
                        DeclKind::Option { value: v, .. } => {
                            *v = value.clone();
                            true
                        }
                        DeclKind::Reading { choices, .. } => {
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
                    }
                })
            }
            [member, field] => {
                base.iter_mut().filter(|d| declares(&d.kind, &member.text)).any(|d| match &mut Arc::make_mut(d).kind {
                    DeclKind::Members { names, fields, .. } if names.len() == 1 => {
                        match fields.iter_mut().find(|(f, _)| f.text == field.text) {
                            Some((_, v)) => *v = value.clone(),
                            None => fields.push((field.clone(), value.clone())),
                        }
                        true
                    }
                    _ => false,
                })
            }
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
    /// Reports what variants should have taken away and no table has.
    pub(super) fn rows_not_gone(&mut self) {
        for (name, (span, found)) in std::mem::take(&mut self.gone_rows) {
            if found {
                self.gone_rows.insert(name, (span, found));
                continue;
            }
            let members = self.model.kinds.iter().flat_map(|k| &k.members).map(|m| m.id.as_str());
            let near = closest(&name, members).map(|near| format!("`{near}`"));
            let wrong = (format!("there is nothing called `{name}` to remove"), "removes nothing");
            let help = "write the label, the citation or the name of a declaration of the game";
            self.dangling_change(wrong, span, near, help);
        }
    }

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

/// Whether this declares a member, alone or with others.
fn declares(kind: &DeclKind, member: &str) -> bool {
    matches!(kind, DeclKind::Members { also: false, names, .. } if names.iter().any(|(n, _)| n.text == member))
}

/// Leaves only some of the members that share a block.
fn keep_names(kind: &mut DeclKind, keep: impl Fn(usize) -> bool) {
    if let DeclKind::Members { names, .. } = kind {
        let mut at = 0;
        names.retain(|_| {
            at += 1;
            keep(at - 1)
        });
    }
}

/// Whether a block is left without members.
fn is_empty(kind: &DeclKind) -> bool {
    matches!(kind, DeclKind::Members { names, .. } if names.is_empty())
}

/// Takes a member out of the blocks that it shares with others, and out of those with `also`.
fn remove_member(base: &mut Vec<Arc<Decl>>, member: &str) -> bool {
    let found = base.iter().any(|d| declares(&d.kind, member));
    let mut changed = false;
    let names = |d: &Decl| match &d.kind {
        DeclKind::Members { names, .. } => names.iter().any(|(n, _)| n.text == member),
        _ => false,
    };
    for d in base.iter_mut().filter(|d| names(d)) {
        if let DeclKind::Members { names, .. } = &mut Arc::make_mut(d).kind {
            names.retain(|(n, _)| n.text != member);
            changed |= names.is_empty();
        }
    }
    if changed {
        base.retain(|d| !is_empty(&d.kind));
    }
    found
}

fn is_step(item: &ProcItem, name: &str) -> bool {
    matches!(item, ProcItem::Step(step) if step.name.text == name)
}

/// Takes a step out of a procedure: `battle.cards`.
fn remove_step(base: &mut [Arc<Decl>], path: &str) -> bool {
    let Some((procedure, step)) = path.split_once('.') else { return false };
    let mut found = false;
    let names = |d: &Decl| matches!(&d.kind, DeclKind::Procedure(p) if p.name.text == procedure);
    for d in base.iter_mut().filter(|d| names(d)) {
        if let DeclKind::Procedure(p) = &mut Arc::make_mut(d).kind {
            found |= p.items.iter().any(|item| is_step(item, step));
            p.items.retain(|item| !is_step(item, step));
        }
    }
    found
}

/// Whether this is the label or one of the citations that a `remove` names.
fn calls(what: &RemoveTarget, label: Option<&Label>, cites: &[Word]) -> bool {
    match what {
        RemoveTarget::Label(l) => label.is_some_and(|label| label.text == l.text),
        RemoveTarget::Path(w) => cites.iter().any(|c| c.text == w.text),
    }
}

/// The names of the shared abilities that a `remove` takes away.
fn shared(base: &[Arc<Decl>], what: &RemoveTarget) -> Vec<String> {
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
fn nearest_removable(base: &[Arc<Decl>], what: &RemoveTarget) -> Option<String> {
    match what {
        RemoveTarget::Label(l) => {
            let abilities = base.iter().flat_map(|d| d.kind.abilities());
            let inside = abilities.flat_map(|a| a.label.iter().chain(a.clauses.iter().flat_map(|c| &c.label)));
            let labels = base.iter().filter_map(|d| d.kind.label()).chain(inside);
            closest(&l.text, labels.map(|l| l.text.as_str())).map(|n| format!("\"{n}\""))
        }
        RemoveTarget::Path(w) => {
            let members = base.iter().filter_map(|d| match &d.kind {
                DeclKind::Members { also: false, names, .. } => Some(names),
                _ => None,
            });
            let members = members.flatten().map(|(n, _)| n.text.clone());
            let steps = base.iter().filter_map(|d| match &d.kind {
                DeclKind::Procedure(p) => Some(p),
                _ => None,
            });
            let steps = steps.flat_map(|p| {
                p.items.iter().filter_map(|item| match item {
                    ProcItem::Step(step) => Some(format!("{}.{}", p.name.text, step.name.text)),
                    _ => None,
                })
            });
            let names = base.iter().filter_map(|d| name_of(&d.kind).map(str::to_owned));
            let known: Vec<String> = names.chain(members).chain(steps).collect();
            closest(&w.text, known.iter().map(String::as_str)).map(|n| format!("`{n}`"))
        }
    }
}

/// The name by which a variant can change a declaration.
fn name_of(kind: &DeclKind) -> Option<&str> {
    match kind {
        DeclKind::Score { .. } => Some("score"),
        DeclKind::Worth { .. } => Some("worth"),
        DeclKind::Variant { .. } => None,
        DeclKind::Members { .. } => None,
        DeclKind::Table(table) => Some(&table.kind.text),
        DeclKind::Edges { grid, .. } => Some(&grid.text),
        _ => kind.name().map(|w| w.text.as_str()),
    }
}
