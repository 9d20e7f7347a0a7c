//! What is active wherever a code runs: `procedure P in Q`, `action A in Q`.

use std::collections::BTreeSet;

use super::Checker;
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{Base, ClauseId, CodeId, CodeKind, DefId, Expr, ExprKind, InstrKind, Set, Ty, Value, VarOwner};
use crate::span::Span;
use crate::syntax::tree::Word;

/// A place in a code.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The code.
    pub(super) code: CodeId,
    /// The codes that are known to be active there.
    pub(super) active: Vec<CodeId>,
    pub(super) span: Span,
}

impl Site {
    /// Whether a procedure may not be active there.
    pub(super) fn may_lack(&self, certain: &[Certain], around: CodeId) -> bool {
        let known = certain.get(self.code.i()).and_then(Option::as_ref);
        !self.active.contains(&around) && known.is_some_and(|known| !known.contains(around.i()))
    }
}

/// A procedure that is begun, or an action that is asked for.
#[derive(Debug)]
pub(super) struct Begun {
    /// The code of what begins.
    pub(super) to: CodeId,
    /// Where it begins.
    pub(super) at: Site,
}

/// A definition that knows the names of a procedure.
#[derive(Clone, Debug)]
pub(super) struct DefinedIn {
    code: CodeId,
    /// Its type while the procedure is active.
    ty: Ty,
    /// Where the procedure is named, with `in`.
    span: Span,
}

/// For a code, the codes that are active whenever it runs; `None` if it only begins itself.
pub(super) type Certain = Option<Set>;

impl Checker {
    /// Notes that a code begins only while a procedure is active.
    pub(super) fn outline_during(&mut self, code: CodeId, during: Option<&Word>) {
        let Some(word) = during else { return };
        let Some(around) = self.procedure_named(word) else { return };
        if around == code || self.around(around).contains(&code) {
            let name = &self.model.codes[code.i()].name;
            let message = format!("`{name}` would begin only while it is active itself");
            self.report(
                Diagnostic::error("law::recursion", message, word.span, "it never could")
                    .help("name the procedure that begins it"),
            );
            return;
        }
        self.during.insert(code, around);
    }

    /// Notes that a definition knows the names of a procedure. While that is not active, its value is nothing.
    pub(super) fn define_during(&mut self, name: &Word, during: Option<&Word>) {
        let (Some(word), Some(Symbol::Def(def))) = (during, self.names.get(&name.text)) else { return };
        let Some(code) = self.procedure_named(word) else { return };
        let ty = self.model.defs[def.i()].ty.clone();
        self.model.defs[def.i()].ty = ty.clone().maybe();
        let span = self.with_in(word.span);
        self.defined_in.insert(def, DefinedIn { code, ty, span });
    }

    /// The type of a definition where its procedure is active, its names bound.
    pub(super) fn bind_defined(&self, def: DefId, sc: &mut Scope) -> Ty {
        match self.defined_in.get(&def) {
            Some(known) => {
                self.bind_procedure(known.code, sc);
                known.ty.clone()
            }
            None => self.model.defs[def.i()].ty.clone(),
        }
    }

    /// The general value of a definition: nothing, if its procedure is not active.
    pub(super) fn while_active(&mut self, def: DefId, value: Expr) -> Expr {
        let Some(DefinedIn { code, ty, span: at }) = self.defined_in.get(&def).cloned() else { return value };
        self.asked.insert(code);
        let (ty, span) = (ty.maybe(), value.span);
        let is_on = Expr { kind: ExprKind::IsOn(code, true), ty: Ty::of(Base::Bool), span: at };
        let nothing = match ty.base {
            Base::Set(_) => Value::Set(Set::new()),
            Base::Bool => Value::bool(false),
            _ => Value::None,
        };
        let nothing = Expr { kind: ExprKind::Const(nothing), ty: ty.clone(), span };
        let value = Expr { ty: ty.clone(), ..value };
        Expr { kind: ExprKind::If(Box::new(is_on), Box::new(value), Box::new(nothing)), ty, span }
    }

    /// An `instead` on a definition in a procedure applies only while that is active.
    pub(super) fn instead_while_active(&mut self, def: DefId, clause: ClauseId) {
        let Some(DefinedIn { code, span, .. }) = self.defined_in.get(&def) else { return };
        let is_on = Expr { kind: ExprKind::IsOn(*code, true), ty: Ty::of(Base::Bool), span: *span };
        self.asked.insert(*code);
        self.model.clauses[clause.i()].when.insert(0, is_on);
    }

    /// The type of a definition where it is asked.
    pub(super) fn type_asked(&self, def: DefId, sc: &Scope) -> Ty {
        match self.defined_in.get(&def) {
            Some(known) if sc.is_active(known.code) => known.ty.clone(),
            _ => self.model.defs[def.i()].ty.clone(),
        }
    }

    /// The procedures that are active whenever a code is, the innermost first, as its declaration says.
    pub(super) fn around(&self, code: CodeId) -> Vec<CodeId> {
        let mut found = Vec::new();
        let mut at = code;
        while let Some(next) = self.during.get(&at) {
            found.push(*next);
            at = *next;
        }
        found
    }

    /// Notes that a code is active, and with it what it begins in.
    pub(super) fn note_active(&self, code: CodeId, sc: &mut Scope) {
        sc.note_active(code);
        self.around(code).into_iter().for_each(|code| sc.note_active(code));
    }

    /// Binds the names of the procedures in which a code begins.
    pub(super) fn bind_around(&self, code: CodeId, sc: &mut Scope) {
        for around in self.around(code).into_iter().rev() {
            self.bind_names(around, sc);
        }
    }

    /// Binds the names of a procedure and of those in which it begins.
    pub(super) fn bind_procedure(&self, code: CodeId, sc: &mut Scope) {
        self.bind_around(code, sc);
        self.bind_names(code, sc);
    }

    fn bind_names(&self, code: CodeId, sc: &mut Scope) {
        sc.note_active(code);
        let Some(outline) = self.procedures.get(&code) else { return };
        for (name, var) in &outline.names {
            sc.bind_var(name, *var);
        }
        for name in &outline.broken {
            sc.bind_broken(name);
        }
    }

    /// The condition that an action in a procedure has besides its own: that the procedure is active.
    pub(super) fn during_condition(&mut self, code: CodeId, span: Span) -> Option<Expr> {
        let around = *self.during.get(&code)?;
        self.asked.insert(around);
        let span = self.with_in(span);
        Some(Expr { kind: ExprKind::IsOn(around, true), ty: Ty::of(Base::Bool), span })
    }

    /// The place of a word, with the `in` before it.
    fn with_in(&self, word: Span) -> Span {
        let text = self.model.sources.files.get(word.file as usize).map_or("", |file| &file.text);
        let before = text.get(..word.start as usize).and_then(|before| before.trim_end().strip_suffix("in"));
        Span { start: before.map_or(word.start, |before| before.len() as u32), ..word }
    }

    /// What to write around an expression that must be there and may be nothing.
    pub(super) fn ask_first(&self, e: &Expr) -> String {
        match self.inactive(e) {
            Some(code) => self.ask_whether_on(code),
            None => format!("put it inside `when {} is not none {{ ... }}`", self.operand(e)),
        }
    }

    /// The same for the value of a definition of this type.
    pub(super) fn ask_or_declare(&self, e: &Expr, ty: &Ty) -> String {
        match self.inactive(e) {
            Some(code) => self.ask_whether_on(code),
            None => {
                let perhaps = self.words(&Ty { optional: true, ..ty.clone() });
                format!("declare the definition `-> {perhaps}`, so that it may be nothing")
            }
        }
    }

    /// The procedure that may not be active, if an expression may be nothing for no other reason.
    fn inactive(&self, e: &Expr) -> Option<CodeId> {
        match &e.kind {
            ExprKind::Var { var, index } if index.as_ref().is_none_or(|index| !index.ty.optional) => {
                let of = &self.model.vars[var.i()];
                match of.owner {
                    VarOwner::Code(code) if !of.ty.optional => Some(code),
                    _ => None,
                }
            }
            ExprKind::Call { def, args } if args.iter().all(|arg| !arg.ty.optional) => {
                self.defined_in.get(def).filter(|known| !known.ty.optional).map(|known| known.code)
            }
            ExprKind::Arith(_, a, b) => {
                let mut of = [a, b].into_iter().filter(|e| e.ty.optional).map(|e| self.inactive(e));
                let first = of.next()??;
                of.all(|other| other == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    /// What to write around something that is there only while a procedure is active.
    pub(super) fn ask_whether_on(&self, code: CodeId) -> String {
        let name = &self.model.codes[code.i()].name;
        format!("put it inside `when {name} is on {{ ... }}`, or into what is declared `in {name}`")
    }

    /// Reports where a procedure is begun, or an action asked for, although what it belongs to may not be active.
    pub(super) fn begun_elsewhere(&mut self, certain: &[Certain]) {
        let mut found = Vec::new();
        for begun in &self.begun {
            let Some(around) = self.during.get(&begun.to).copied() else { continue };
            if !begun.at.may_lack(certain, around) {
                continue;
            }
            found.push((begun.to, around, begun.at.span, self.also_begun(certain, begun.at.code, around)));
        }
        for (to, around, span, also) in found {
            let code = &self.model.codes[to.i()];
            let how = if code.kind == CodeKind::Procedure { "begun" } else { "asked for" };
            let (name, other) = (&code.name, &self.model.codes[around.i()].name);
            let message = format!("`{name}` is {how} only in `{other}`, which may not be active here");
            let mut d = Diagnostic::error("law::nothing", message, span, format!("is `{other}` active?"));
            if let Some((span, words)) = also {
                d = d.and(span, words);
            }
            let help = self.ask_whether_on(around);
            self.report(d.help(help));
        }
    }

    /// A place where a code begins although a procedure may not be active, in words.
    pub(super) fn also_begun(&self, certain: &[Certain], code: CodeId, around: CodeId) -> Option<(Span, String)> {
        let begun = self.begun.iter().find(|b| b.to == code && b.at.may_lack(certain, around))?;
        Some((begun.at.span, format!("`{}` also begins here", self.model.codes[code.i()].name)))
    }

    /// The codes that are certainly active where each code runs: what is so on every way to it. For none, if nothing
    /// depends on it.
    pub(super) fn certain(&self) -> Vec<Certain> {
        if self.during.is_empty() && self.kept.is_empty() {
            return Vec::new();
        }
        let set = |codes: &[CodeId]| -> Set { codes.iter().map(|c| c.i()).collect() };
        let own: Vec<Set> = (0..self.model.codes.len())
            .map(|i| {
                let code = CodeId(i as u16);
                let mut own = set(&self.around(code));
                own.insert(i);
                own
            })
            .collect();
        let mut certain: Vec<Certain> = vec![None; self.model.codes.len()];
        let mut ways = Vec::new();
        for (i, code) in self.model.codes.iter().enumerate() {
            let from = CodeId(i as u16);
            if from == self.model.play || code.kind == CodeKind::Entry {
                certain[i] = Some(set(&[self.model.play, from]));
            }
            let hooks = code.instrs.iter().filter(|instr| {
                let kind = &instr.kind;
                matches!(
                    kind,
                    InstrKind::Hook(_) | InstrKind::Unranked(..) | InstrKind::Instead(..) | InstrKind::HookAt(..)
                )
            });
            ways.extend(hooks.flat_map(|instr| instr.kind.begins(&self.model)).map(|to| (from, to, Set::new())));
        }
        ways.extend(self.begun.iter().map(|begun| (begun.at.code, begun.to, set(&begun.at.active))));
        // What nothing begins is judged too, as if it began by itself.
        let begun: BTreeSet<CodeId> = ways.iter().map(|(_, to, _)| *to).collect();
        for (i, known) in certain.iter_mut().enumerate() {
            if known.is_none() && !begun.contains(&CodeId(i as u16)) {
                *known = Some(own[i].clone());
            }
        }
        // Sets only shrink, so this ends.
        loop {
            let mut same = true;
            for (from, to, active) in &ways {
                let Some(before) = &certain[from.i()] else { continue };
                let here = before.clone().union(active);
                let known = match &certain[to.i()] {
                    Some(known) => known.clone().intersection(&here),
                    None => here,
                };
                // What its declaration says is reported where it does not hold.
                let next = known.union(&own[to.i()]);
                if certain[to.i()].as_ref() != Some(&next) {
                    certain[to.i()] = Some(next);
                    same = false;
                }
            }
            if same {
                return certain;
            }
        }
    }
}
