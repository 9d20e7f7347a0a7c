//! Notations of positions and of whole games.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Checker;
use super::declare::text;
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{
    self, Base, Blank, Codes, Expr, ExprKind, FieldStore, Fixed, Holds, KindId, NotationPart, NotationPiece, PLAYER,
    Source, Ty, Value, VarId,
};
use crate::span::Span;
use crate::syntax::tree::{self, Decl, DeclKind, Word};

/// The name that stands for the number of the round in a text.
const ROUND: &str = "round";

/// What the names in a part of a notation stand for.
struct Within {
    scope: Scope,
    /// The locals: the parameters of the entry, and then the member that is written, if there is one.
    locals: Vec<(String, Ty)>,
    /// The number of parameters of the entry.
    params: u16,
}

impl Within {
    fn new(params: &[(String, Ty)]) -> Within {
        let mut scope = Scope::default();
        for (name, ty) in params {
            scope.bind(name, ty.clone());
        }
        Within { scope, locals: params.to_vec(), params: params.len() as u16 }
    }

    /// The same with the member that is written.
    fn of(&self, name: &Word, kind: KindId) -> Within {
        let params = self.locals.get(..usize::from(self.params)).unwrap_or(&[]);
        let mut within = Within::new(params);
        let ty = Ty::of(Base::Member(kind));
        within.scope.bind(&name.text, ty.clone());
        within.locals.push((name.text.clone(), ty));
        within
    }

    fn base(&self, local: usize) -> Option<Base> {
        self.locals.get(local).map(|(_, ty)| ty.base.clone())
    }
}

impl Checker {
    /// Resolves the notations of positions, then those of games, which name them.
    pub(super) fn notations(&mut self, decls: &[Arc<Decl>]) {
        let mut named: BTreeMap<&str, Span> = BTreeMap::new();
        for d in decls {
            let name = match &d.kind {
                DeclKind::Notation(n) => &n.name,
                DeclKind::Transcript(t) => &t.name,
                _ => continue,
            };
            if let Some(first) = named.insert(&name.text, name.span) {
                let message = format!("`{}` is the name of two notations", name.text);
                self.report(
                    Diagnostic::error("law::duplicate", message, name.span, "the second")
                        .and(first, "the first")
                        .help("choose another name"),
                );
            }
        }
        for d in decls {
            if let DeclKind::Notation(n) = &d.kind {
                self.position_notation(n);
            }
        }
        for d in decls {
            if let DeclKind::Transcript(t) = &d.kind {
                self.transcript(t);
            }
        }
    }

    fn position_notation(&mut self, n: &tree::Notation) {
        let Some(entry) = self.entry_at(&n.procedure, &n.step) else { return };
        let params = self.model.entries[entry].params.clone();
        let mut within = Within::new(&params);
        let parts = n.parts.iter().map(|part| self.notation_part(part, &mut within));
        let Some(parts) = parts.collect::<Option<Vec<_>>>() else { return };
        for (i, (name, _)) in params.iter().enumerate() {
            if !parts.iter().any(|part| says(part, i)) {
                let message = format!("`{name}` is not in this notation, so no position can be read from it");
                self.report(
                    Diagnostic::error("law::incomplete", message, n.name.span, "which of them?")
                        .help(format!("write `{name} {{ VALUE \"text\" ... }}` where it stands")),
                );
                return;
            }
        }
        let label = text(n.label.as_ref());
        self.model.notations.push(model::PositionNotation { name: n.name.text.clone(), label, entry, parts });
    }

    /// The one entry at a step.
    fn entry_at(&mut self, procedure: &Word, step: &Word) -> Option<usize> {
        let play = self.procedure_named(procedure)?;
        let steps = &self.model.codes[play.i()].steps;
        let pc = steps.iter().find(|s| s.name == step.text).map(|s| s.start);
        let found = self.model.entries.iter().position(|e| procedure.text == "play" && Some(e.pc) == pc);
        if found.is_none() {
            let message = format!("no `entry` is at `{}.{}`", procedure.text, step.text);
            self.report(
                Diagnostic::error("law::unknown-step", message, procedure.span.to(step.span), "where play goes on")
                    .help("a notation of positions says what an `entry` asks for; name the step of one"),
            );
        }
        found
    }

    fn notation_part(&mut self, part: &tree::NotationPart, within: &mut Within) -> Option<NotationPart> {
        match part {
            tree::NotationPart::Written(written) => self.written(written, within).map(NotationPart::Written),
            tree::NotationPart::Rows(rows) => self.rows(rows, within),
            tree::NotationPart::Each(each) => self.each(each, within),
        }
    }

    fn rows(&mut self, rows: &tree::RowsPart, within: &mut Within) -> Option<NotationPart> {
        let kind = self.kind_named(&rows.kind)?;
        let by = rows.by.iter().map(|word| self.printed_number(kind, word)).collect::<Option<Vec<_>>>()?;
        let (mut inner, params) = (within.of(&rows.var, kind), within.params);
        let filter = match &rows.filter {
            Some(filter) => Some(self.truth(filter, &mut inner.scope)?),
            None => None,
        };
        let cell = self.written(&rows.cell, &mut inner)?;
        let mut placed: Vec<(Vec<i32>, u16)> = Vec::new();
        for member in 0..self.model.kinds[kind.i()].members.len() as u16 {
            if let Some(filter) = &filter {
                match self.known(filter, params, member) {
                    Some(Value::Int(0)) => continue,
                    Some(_) => {}
                    None => {
                        self.changing(filter.span, "which members are written");
                        return None;
                    }
                }
            }
            let place = by.iter().filter_map(|field| Fixed::Fields(vec![(kind, *field)]).of(&self.model, Some(member)));
            let place: Vec<i32> = place.collect();
            if place.len() == by.len() {
                placed.push((place, member));
            }
        }
        placed.sort();
        let mut all: Vec<Vec<u16>> = Vec::new();
        let mut last: Option<i32> = None;
        for (place, member) in placed {
            let row = if place.len() > 1 { place[0] } else { 0 };
            if last.replace(row) != Some(row) {
                all.push(Vec::new());
            }
            if let Some(row) = all.last_mut() {
                row.push(member);
            }
        }
        let split = rows.split.as_ref().map_or_else(String::new, |s| s.text.clone());
        Some(NotationPart::Rows { kind, rows: all, split, cell })
    }

    /// The printed field of a kind that holds a number.
    fn printed_number(&mut self, kind: KindId, word: &Word) -> Option<usize> {
        let field = self.board_field(kind, word)?;
        let found = &self.model.kinds[kind.i()].fields[field];
        let ty = found.ty.clone();
        let printed = matches!(found.store, FieldStore::Printed(_));
        if printed && matches!(ty.base, Base::Int | Base::Range(..) | Base::Member(_)) {
            return Some(field);
        }
        let words = self.words(&ty);
        let message = format!("`{}` does not put members in order", word.text);
        self.report(
            Diagnostic::error("law::type", message, word.span, if printed { words } else { "it changes".into() })
                .help("write a printed field with numbers"),
        );
        None
    }

    fn each(&mut self, each: &tree::EachPart, within: &mut Within) -> Option<NotationPart> {
        let kind = self.kind_named(&each.kind)?;
        let (mut inner, params) = (within.of(&each.var, kind), within.params);
        let when = self.truth(&each.when, &mut inner.scope)?;
        let mut holds = Vec::new();
        if !holding(&when, params, &mut holds) {
            self.report(
                Diagnostic::error(
                    "law::type",
                    "what this notation says could not be read back",
                    when.span,
                    "this cannot be made true",
                )
                .help("join by `and` only: a member is in a set variable, a variable is a member or a number"),
            );
            return None;
        }
        let written = self.written(&each.written, &mut inner)?;
        Some(NotationPart::Each { kind, when: holds, written })
    }

    fn written(&mut self, written: &tree::Written, within: &mut Within) -> Option<model::Written> {
        let ways = written.ways.iter().map(|way| match way {
            tree::WrittenPart::Text(text) => self.notation_text(text, within),
            tree::WrittenPart::Codes(of, codes) => self.codes(of, codes, within).map(|piece| vec![piece]),
        });
        let ways = ways.collect::<Option<Vec<_>>>()?;
        let blank = match &written.blank {
            None => Blank::Never,
            Some(tree::Blank::Text(text)) => Blank::Text(text.text.clone()),
            Some(tree::Blank::Counted) => Blank::Counted,
        };
        Some(model::Written { ways, blank })
    }

    /// `p { White "w"  Black "b" }`.
    fn codes(&mut self, of: &tree::Expr, codes: &[(tree::Expr, Word)], within: &mut Within) -> Option<NotationPiece> {
        let of = self.expr(of, &mut within.scope)?;
        let mut each: Vec<(i32, String)> = Vec::new();
        for (value, word) in codes {
            let Value::Int(value) = self.pattern(value, &of, None, &mut within.scope)? else {
                self.error("law::type", "`none` is written after `else`", value.span, "not a value");
                return None;
            };
            let same = each.iter().any(|(v, t)| *v == value || *t == word.text);
            if same || word.text.is_empty() {
                let what = if same { "this stands for two values, or one value twice" } else { "an empty text" };
                self.report(
                    Diagnostic::error("law::duplicate", "values are told apart by what is written", word.span, what)
                        .help("write each value once, each in its own way"),
                );
                return None;
            }
            each.push((value, word.text.clone()));
        }
        match place(&of, within.params) {
            Some((place, chain)) if chain.is_empty() => {
                Some(NotationPiece::Value { of: place, codes: Codes::Each(each) })
            }
            _ => {
                self.unreadable(&of);
                None
            }
        }
    }

    /// A text with values in braces.
    fn notation_text(&mut self, word: &Word, within: &mut Within) -> Option<Vec<NotationPiece>> {
        let hole = format!("{{{ROUND}}}");
        let keeps = self.names.get(ROUND).is_some();
        let mut pieces = Vec::new();
        for (i, stretch) in word.text.split(hole.as_str()).enumerate() {
            if i > 0 {
                if keeps {
                    self.hole(&hole, word.span, within, &mut pieces)?;
                } else {
                    pieces.push(NotationPiece::Round);
                }
            }
            self.hole(stretch, word.span, within, &mut pieces)?;
        }
        Some(pieces)
    }

    /// Adds the pieces of a text.
    fn hole(&mut self, text: &str, span: Span, within: &mut Within, into: &mut Vec<NotationPiece>) -> Option<()> {
        let errors = self.count.0;
        let parts = self.template_parts(text, span, &mut within.scope);
        if self.count.0 > errors {
            return None;
        }
        for part in parts {
            match part {
                model::TemplatePart::Text(letters) => into.push(NotationPiece::Letters(letters)),
                model::TemplatePart::Value(value) => match place(&value, within.params) {
                    Some((of, chain)) => {
                        let codes = self.codes_of(&of, &chain, &value, within)?;
                        into.push(NotationPiece::Value { of, codes });
                    }
                    None => {
                        self.unreadable(&value);
                        return None;
                    }
                },
            }
        }
        Some(())
    }

    /// How the values of a place are written where printed fields follow it.
    fn codes_of(&mut self, of: &Source, chain: &[(KindId, usize)], value: &Expr, within: &Within) -> Option<Codes> {
        let base = match of {
            Source::Param(local) => within.base(*local),
            Source::Member => within.base(usize::from(within.params)),
            Source::Var(var, _) => Some(self.model.vars[var.i()].ty.base.clone()),
        };
        let members = match base {
            Some(Base::Int | Base::Range(..)) => return Some(Codes::Digits),
            Some(Base::Member(kind)) => self.model.kinds[kind.i()].members.len(),
            _ => {
                self.unreadable(value);
                return None;
            }
        };
        let mut each: Vec<(i32, String)> = Vec::new();
        for member in 0..members {
            let Some(text) = self.text_of(base.as_ref(), member, chain) else { continue };
            if let Some((first, _)) = each.iter().find(|(_, t)| *t == text) {
                let first = usize::try_from(*first).unwrap_or(0);
                let name = |i: usize| self.member_name(base.as_ref(), i);
                let message = format!("{} and {} are written alike: \"{text}\"", name(first), name(member));
                self.report(
                    Diagnostic::error("law::duplicate", message, value.span, "not told apart")
                        .help("write each in its own way: `VALUE { MEMBER \"text\" ... }`"),
                );
                return None;
            }
            if !text.is_empty() {
                each.push((member as i32, text));
            }
        }
        Some(Codes::Each(each))
    }

    fn member_name(&self, base: Option<&Base>, member: usize) -> String {
        match base {
            Some(Base::Member(kind)) => {
                self.model.kinds[kind.i()].members.get(member).map_or_else(String::new, |m| m.name.text.clone())
            }
            _ => member.to_string(),
        }
    }

    /// What a printed field of a member says, or its name.
    fn text_of(&self, base: Option<&Base>, member: usize, chain: &[(KindId, usize)]) -> Option<String> {
        let Some(((kind, field), before)) = chain.split_last() else {
            return Some(self.member_name(base, member));
        };
        let at = Fixed::Fields(before.to_vec()).of(&self.model, u16::try_from(member).ok())?;
        let field = &self.model.kinds[kind.i()].fields[*field];
        let FieldStore::Printed(values) = &field.store else { return None };
        match values.get(usize::try_from(at).ok()?)? {
            Value::Text(text) => Some(text.clone()),
            Value::Int(value) => match &field.ty.base {
                of @ Base::Member(_) => Some(self.member_name(Some(of), usize::try_from(*value).ok()?)),
                _ => Some(value.to_string()),
            },
            _ => None,
        }
    }

    fn unreadable(&mut self, value: &Expr) {
        self.report(
            Diagnostic::error(
                "law::type",
                "what this notation says could not be read back",
                value.span,
                "neither a variable nor a field of what one holds",
            )
            .help("write a variable, a field of the member, or a parameter of the entry, and printed fields of it"),
        );
    }

    fn changing(&mut self, span: Span, what: &str) {
        let message = format!("{what} does not depend on the position");
        self.report(
            Diagnostic::error("law::type", message, span, "this is not printed")
                .help("compare printed fields of the member: `where x.side is White`"),
        );
    }

    /// The value of an expression for a member, if it needs no position.
    fn known(&self, e: &Expr, local: u16, member: u16) -> Option<Value> {
        let both = |a: &Expr, b: &Expr| Some((self.known(a, local, member)?, self.known(b, local, member)?));
        let truth = |yes: bool| Some(Value::Int(i32::from(yes)));
        match &e.kind {
            ExprKind::Const(value) => Some(value.clone()),
            ExprKind::Local(l) if *l == local => Some(Value::Int(i32::from(member))),
            ExprKind::Printed { kind, field, of } => {
                let Value::Int(of) = self.known(of, local, member)? else { return Some(Value::None) };
                let FieldStore::Printed(values) = &self.model.kinds[kind.i()].fields[*field].store else { return None };
                values.get(usize::try_from(of).ok()?).cloned()
            }
            ExprKind::Equal(a, b, same) => both(a, b).and_then(|(a, b)| truth((a == b) == *same)),
            ExprKind::And(a, b) => both(a, b).and_then(|(a, b)| truth(a == Value::Int(1) && b == Value::Int(1))),
            ExprKind::Or(a, b) => both(a, b).and_then(|(a, b)| truth(a == Value::Int(1) || b == Value::Int(1))),
            ExprKind::Not(a) => truth(self.known(a, local, member)? != Value::Int(1)),
            _ => None,
        }
    }

    fn transcript(&mut self, t: &tree::Transcript) {
        let mut results: Vec<(Option<u16>, String)> = Vec::new();
        for (seat, word) in &t.results {
            let seat = match seat {
                None => None,
                Some(seat) => match self.names.get(&seat.text) {
                    Some(Symbol::Member(PLAYER, member)) => Some(member),
                    Some(Symbol::Absent) => continue,
                    _ => {
                        self.unknown("player", seat);
                        return;
                    }
                },
            };
            if results.iter().any(|(s, text)| *s == seat || *text == word.text) || word.text.contains(' ') {
                self.report(
                    Diagnostic::error(
                        "law::duplicate",
                        "results are told apart by what is written",
                        word.span,
                        "this one",
                    )
                    .help("write each result once, each in its own way, without spaces"),
                );
                return;
            }
            results.push((seat, word.text.clone()));
        }
        if let Some(style) = &t.style {
            let known = self.model.styles();
            if !known.contains(&style.text) {
                self.unknown_among("style of notation", style, known.iter().map(String::as_str));
                return;
            }
        }
        let mut from = None;
        if let Some(word) = &t.from {
            from = self.model.notations.iter().position(|n| n.name == word.text);
            if from.is_none() {
                let known: Vec<String> = self.model.notations.iter().map(|n| n.name.clone()).collect();
                self.unknown_among("notation of positions", word, known.iter().map(String::as_str));
                return;
            }
        }
        let style = t.style.as_ref().map_or_else(String::new, |s| s.text.clone());
        let (name, label) = (t.name.text.clone(), text(t.label.as_ref()));
        self.model.transcripts.push(model::Transcript { name, label, style, from, results });
    }
}

/// Whether a part writes a parameter.
fn says(part: &NotationPart, param: usize) -> bool {
    let (NotationPart::Written(w) | NotationPart::Rows { cell: w, .. } | NotationPart::Each { written: w, .. }) = part;
    let is = |piece: &NotationPiece| matches!(piece, NotationPiece::Value { of: Source::Param(p), .. } if *p == param);
    w.ways.iter().flatten().any(is)
}

/// What an expression reads, and the printed fields of its value that follow.
fn place(e: &Expr, params: u16) -> Option<(Source, Vec<(KindId, usize)>)> {
    match &e.kind {
        ExprKind::Local(local) if *local < params => Some((Source::Param(usize::from(*local)), Vec::new())),
        ExprKind::Local(_) => Some((Source::Member, Vec::new())),
        ExprKind::Var { .. } => variable(e, params).map(|(var, index)| (Source::Var(var, index), Vec::new())),
        ExprKind::Printed { kind, field, of } => {
            let (place, mut chain) = place(of, params)?;
            chain.push((*kind, *field));
            Some((place, chain))
        }
        _ => None,
    }
}

/// A variable, with the fixed member it belongs to.
fn variable(e: &Expr, params: u16) -> Option<(VarId, Option<Fixed>)> {
    match &e.kind {
        ExprKind::AsSet(of) => variable(of, params),
        ExprKind::Var { var, index } => match index {
            None => Some((*var, None)),
            Some(index) => Some((*var, Some(fixed(index, params)?))),
        },
        _ => None,
    }
}

/// A value that does not change in play.
fn fixed(e: &Expr, params: u16) -> Option<Fixed> {
    match &e.kind {
        ExprKind::Const(Value::Int(value)) => Some(Fixed::Const(*value)),
        ExprKind::Local(local) if *local >= params => Some(Fixed::Fields(Vec::new())),
        ExprKind::Printed { kind, field, of } => match fixed(of, params)? {
            Fixed::Fields(mut fields) => {
                fields.push((*kind, *field));
                Some(Fixed::Fields(fields))
            }
            Fixed::Const(_) => None,
        },
        _ => None,
    }
}

/// The conditions joined by `and`; `false` if one cannot be made true.
fn holding(e: &Expr, params: u16, into: &mut Vec<Holds>) -> bool {
    let found = match &e.kind {
        ExprKind::And(a, b) => return holding(a, params, into) && holding(b, params, into),
        ExprKind::In { item, set, positive: true, .. } => {
            fixed(item, params).zip(variable(set, params)).map(|(item, (var, index))| Holds::In(item, var, index))
        }
        ExprKind::Equal(a, b, true) => {
            let of = |a: &Expr, b: &Expr| variable(a, params).zip(fixed(b, params));
            of(a, b).or_else(|| of(b, a)).map(|((var, index), value)| Holds::Is(var, index, value))
        }
        ExprKind::Var { .. } => variable(e, params).map(|(var, index)| Holds::Is(var, index, Fixed::Const(1))),
        _ => None,
    };
    found.map(|one| into.push(one)).is_some()
}
