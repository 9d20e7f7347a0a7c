//! Which entries of variables expressions, clauses and codes may read.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Arguments;
use std::sync::Arc;

use super::atoms::{Atoms, Bits};
use super::known::{Facts, Known, Scope};
use crate::model::{
    Action, ActionId, BagOp, ChanceWhat, Change, Choose, ChooseWhat, ClauseId, CodeId, DefId, Domain, EndResult, Expr,
    ExprKind, Goal, InstrKind, Model, SeenWhat, Set, Target, Template, TemplatePart, VarId, VarOwner, Visitor,
};

/// A definition, and what is known of its arguments and of the variables of the game.
type Applied = (DefId, Vec<Option<Known>>, Facts);

/// What rules read, with what was found out so far.
#[derive(Debug)]
pub struct Reads<'m> {
    pub model: &'m Model,
    pub atoms: Atoms,
    defs: HashMap<Applied, Arc<Bits>>,
    codes: HashMap<CodeId, Arc<Bits>>,
    actions: HashMap<(ActionId, Facts), Arc<Bits>>,
    silences: Option<Arc<Bits>>,
    /// The effects that are looked ahead to.
    tried: BTreeSet<CodeId>,
}

/// The form of an expression: what it binds, what it runs over, its parts.
#[derive(Default)]
struct Form<'e> {
    bound: Vec<u16>,
    domain: Option<&'e Domain>,
    parts: Vec<&'e Expr>,
}

impl<'e> Visitor<'e> for Form<'e> {
    fn head(&mut self, _head: Arguments<'_>) {}

    fn bind(&mut self, local: u16) {
        self.bound.push(local);
    }

    fn domain(&mut self, domain: &'e Domain) {
        self.domain = Some(domain);
    }

    fn outside(&mut self, part: &'e Expr) {
        self.parts.push(part);
    }

    fn inside(&mut self, part: &'e Expr) {
        self.parts.push(part);
    }
}

impl<'m> Reads<'m> {
    pub fn new(model: &'m Model) -> Reads<'m> {
        let atoms = Atoms::new(model);
        Reads {
            model,
            atoms,
            defs: HashMap::new(),
            codes: HashMap::new(),
            actions: HashMap::new(),
            silences: None,
            tried: BTreeSet::new(),
        }
    }

    /// What an expression may read.
    pub fn expr(&mut self, e: &'m Expr, scope: &mut Scope, out: &mut Bits) {
        match &e.kind {
            ExprKind::Var { var, index } | ExprKind::Top(var, index) => {
                self.entries(*var, index.as_deref(), scope, out)
            }
            ExprKind::Call { def, args } => {
                let known = args.iter().map(|arg| scope.of(arg)).collect();
                out.join(&self.def(*def, known, self.game(scope)));
            }
            // The rules on an action, and what follows from it, may read anything.
            ExprKind::Legal { .. } | ExprKind::Leads(_) => {
                out.join(&self.atoms.all());
            }
            ExprKind::Would { action, .. } => self.tried.extend(self.model.actions.get(action.i()).map(|a| a.code)),
            _ => {}
        }
        let mut form = Form::default();
        e.visit(&mut form);
        let around: Vec<(u16, Option<Known>)> =
            form.bound.iter().map(|local| (*local, scope.locals.remove(local))).collect();
        if let Some(domain) = form.domain
            && let Some(known) = scope.member(domain)
        {
            scope.locals.insert(domain.local, known);
        }
        match &e.kind {
            ExprKind::And(a, b) => self.one_by_one([&**a, &**b], (scope, false), out),
            ExprKind::Or(a, b) => self.one_by_one([&**a, &**b], (scope, true), out),
            _ => form.parts.iter().for_each(|part| self.expr(part, scope, out)),
        }
        for (local, known) in around {
            scope.locals.remove(&local);
            scope.locals.extend(known.map(|known| (local, known)));
        }
    }

    /// What conditions read that are looked at in turn, until one is known to settle the result.
    fn one_by_one(
        &mut self,
        conditions: impl IntoIterator<Item = &'m Expr>,
        (scope, settled_by): (&mut Scope, bool),
        out: &mut Bits,
    ) {
        for e in conditions {
            self.expr(e, scope, out);
            if scope.truth(e) == Some(settled_by) {
                return;
            }
        }
    }

    /// What is known of the variables of the game.
    fn game(&self, scope: &Scope) -> Facts {
        let of_game = |var: &VarId| self.model.vars.get(var.i()).is_some_and(|v| v.owner == VarOwner::Game);
        scope.vars.iter().filter(|(var, _)| of_game(var)).map(|(var, known)| (*var, known.clone())).collect()
    }

    fn entries(&self, var: VarId, index: Option<&Expr>, scope: &Scope, out: &mut Bits) {
        match index.and_then(|index| scope.of(index)) {
            Some(Known::One(set)) => set.iter().for_each(|i| out.add(self.atoms.entry(var, i))),
            _ => out.add(self.atoms.of(var)),
        }
    }

    /// The entries that a target can mean, and what its index reads.
    pub fn target(&mut self, target: &'m Target, scope: &mut Scope, out: &mut Bits) {
        self.entries(target.var, target.index.as_ref(), scope, out);
        self.index(target, scope, out);
    }

    /// What the index of a target reads.
    pub fn index(&mut self, target: &'m Target, scope: &mut Scope, out: &mut Bits) {
        target.index.iter().for_each(|index| self.expr(index, scope, out));
    }

    /// What a definition reads, where this is known of its arguments.
    fn def(&mut self, id: DefId, args: Vec<Option<Known>>, game: Facts) -> Arc<Bits> {
        let key = (id, args, game);
        if let Some(found) = self.defs.get(&key) {
            return Arc::clone(found);
        }
        let mut out = self.atoms.none();
        let mut scope = Scope { vars: key.2.clone(), ..Scope::default() };
        scope.locals.extend((0..).zip(&key.1).filter_map(|(i, known)| Some((i, known.clone()?))));
        if let Some(def) = self.model.defs.get(id.i()) {
            def.general.iter().for_each(|e| self.expr(e, &mut scope, &mut out));
            for clause in &def.clauses {
                self.clause(clause.clause, &[&clause.value], &scope, &mut out);
            }
        }
        let out = Arc::new(out);
        self.defs.insert(key, Arc::clone(&out));
        out
    }

    /// What a clause reads, with expressions of its own.
    pub fn clause(&mut self, id: ClauseId, own: &[&'m Expr], around: &Scope, out: &mut Bits) {
        let Some(clause) = self.model.clause(id) else { return };
        let mut scope = around.clone();
        if clause.ability.is_some() {
            let holders: Set = self.model.holders(id).flatten().map(usize::from).collect();
            scope.locals.insert(clause.holder, Known::One(holders));
            out.join(&self.silences());
        }
        self.one_by_one(&clause.when, (&mut scope, false), out);
        if clause.when.iter().all(|e| scope.truth(e) != Some(false)) {
            own.iter().for_each(|e| self.expr(e, &mut scope, out));
        }
    }

    fn silences(&mut self) -> Arc<Bits> {
        if let Some(found) = &self.silences {
            return Arc::clone(found);
        }
        let mut out = self.atoms.none();
        for id in self.model.silencing() {
            let when = self.model.clause(id).map_or(&[][..], |c| &c.when);
            when.iter().for_each(|e| self.expr(e, &mut Scope::default(), &mut out));
        }
        let out = Arc::new(out);
        self.silences = Some(Arc::clone(&out));
        out
    }

    /// What the rules on an action read, and its notation.
    fn action(&mut self, id: ActionId, game: Facts) -> Arc<Bits> {
        let key = (id, game);
        if let Some(found) = self.actions.get(&key) {
            return Arc::clone(found);
        }
        let mut out = self.atoms.none();
        if let Some(action) = self.model.actions.get(id.i()) {
            self.rules_on(action, Scope { vars: key.1.clone(), ..Scope::default() }, &mut out);
        }
        let out = Arc::new(out);
        self.actions.insert(key, Arc::clone(&out));
        out
    }

    fn rules_on(&mut self, action: &'m Action, mut scope: Scope, out: &mut Bits) {
        let domain = action.domain.iter().flatten();
        domain.chain([&action.by]).for_each(|e| self.expr(e, &mut scope, out));
        self.template(&action.log, &mut scope, out);
        let clauses = action.may.iter().map(|c| c.clause).chain(action.may_not.iter().map(|c| c.clause));
        clauses.chain([action.clause]).for_each(|id| self.clause(id, &[], &scope, out));
        for must in &action.must {
            let (Goal::SoThat(goal) | Goal::Prefer(_, goal)) = &must.goal;
            self.clause(must.clause, &[goal], &scope, out);
        }
    }

    fn template(&mut self, template: &'m Template, scope: &mut Scope, out: &mut Bits) {
        let translated = template.translations.iter().flat_map(|(_, parts)| parts);
        for part in template.parts.iter().chain(translated) {
            if let TemplatePart::Value(e) = part {
                self.expr(e, scope, out);
            }
        }
    }

    /// What an instruction reads before it changes anything, without what the codes read that it begins.
    pub fn instr(&mut self, kind: &'m InstrKind, scope: &mut Scope, out: &mut Bits) {
        self.alone(kind, scope, out);
        // Hooks are tried in several orders, and the positions after them are compared.
        let tried = match kind {
            InstrKind::Unranked(all, _) => all.as_slice(),
            InstrKind::NextHook(next) => &next.hooks,
            _ => &[],
        };
        if !tried.is_empty() {
            for hook in tried.iter().filter_map(|a| self.model.hooks.get(a.hook.i())) {
                out.join(&self.code(hook.code));
            }
        }
    }

    /// What the first values of a code's variables read where it begins.
    pub fn first_values(&mut self, code: CodeId, out: &mut Bits) {
        let vars = self.model.codes.get(code.i()).map_or(&[][..], |c| &c.vars);
        for init in vars.iter().filter_map(|var| self.model.vars.get(var.i())?.init.as_ref()) {
            self.expr(init, &mut Scope::default(), out);
        }
    }

    fn alone(&mut self, kind: &'m InstrKind, scope: &mut Scope, out: &mut Bits) {
        kind.expressions().into_iter().for_each(|e| self.expr(e, scope, out));
        match kind {
            InstrKind::Change(change) => {
                let become_other = matches!(change, Change::Bag(BagOp::Become, ..));
                let targets = change.parts().1;
                for target in targets.into_iter().skip(usize::from(become_other)) {
                    self.target(target, scope, out);
                }
            }
            InstrKind::Next { set, .. } => out.add(self.atoms.of(*set)),
            InstrKind::Choose(choose) => self.choose(choose, scope, out),
            InstrKind::Chance(chance) => {
                let into = match &chance.what {
                    ChanceWhat::Pick { into, .. } | ChanceWhat::Draw { into, .. } | ChanceWhat::Roll { into, .. } => {
                        Some(*into)
                    }
                    ChanceWhat::Shuffle { pile, next } => {
                        self.target(pile, scope, out);
                        out.add(self.atoms.of(*next));
                        None
                    }
                };
                self.log((&chance.log, into), scope, out);
            }
            InstrKind::Hook(_) | InstrKind::Instead(..) => self.hooks(kind, scope, out),
            InstrKind::Unranked(_, among) => {
                among.iter().for_each(|var| out.add(self.atoms.of(*var)));
                self.hooks(kind, scope, out);
            }
            InstrKind::NextHook(next) => {
                out.add(self.atoms.of(next.left));
                self.hooks(kind, scope, out);
            }
            InstrKind::HookAt(_, into) => {
                out.add(self.atoms.of(*into));
                self.hooks(kind, scope, out);
            }
            InstrKind::Reset(vars) => {
                for init in vars.iter().filter_map(|var| self.model.vars.get(var.i())?.init.as_ref()) {
                    self.expr(init, &mut Scope { vars: scope.vars.clone(), ..Scope::default() }, out);
                }
            }
            _ => {}
        }
    }

    fn choose(&mut self, choose: &'m Choose, scope: &mut Scope, out: &mut Bits) {
        let into = choose.var();
        self.log((&choose.otherwise, None), scope, out);
        match &choose.what {
            ChooseWhat::Act { actions, .. } => {
                for id in actions {
                    out.join(&self.action(*id, self.game(scope)));
                }
                self.log((&choose.log, None), scope, out);
            }
            // What was chosen already is read again.
            ChooseWhat::Several { .. } => {
                self.log((&choose.log, None), scope, out);
                out.add(into.map_or(0..0, |into| self.atoms.of(into)));
            }
            _ => self.log((&choose.log, into), scope, out),
        }
    }

    /// What a notation reads, apart from the variable that is seen with its new value.
    fn log(&mut self, (log, into): (&'m Template, Option<VarId>), scope: &mut Scope, out: &mut Bits) {
        let mut read = self.atoms.none();
        // As an index it is not what it was before.
        let before = into.and_then(|into| scope.vars.remove(&into).map(|known| (into, known)));
        self.template(log, scope, &mut read);
        scope.vars.extend(before);
        read.remove(into.map_or(0..0, |into| self.atoms.of(into)));
        out.join(&read);
    }

    fn hooks(&mut self, kind: &'m InstrKind, scope: &Scope, out: &mut Bits) {
        let scope = Scope { vars: self.game(scope), ..Scope::default() };
        let attached = match kind {
            InstrKind::Hook(one) => std::slice::from_ref(one),
            InstrKind::Unranked(all, _) | InstrKind::Instead(all, _) | InstrKind::HookAt(all, _) => all,
            InstrKind::NextHook(next) => &next.hooks,
            _ => &[],
        };
        for hook in attached {
            let Some(hook) = self.model.hooks.get(hook.hook.i()) else { continue };
            self.clause(hook.clause, &[], &scope, out);
        }
    }

    /// What a code may read or change, with all that it begins.
    fn code(&mut self, id: CodeId) -> Arc<Bits> {
        if let Some(found) = self.codes.get(&id) {
            return Arc::clone(found);
        }
        let mut out = self.atoms.none();
        let (mut seen, mut todo) = (BTreeSet::from([id]), vec![id]);
        while let Some(code) = todo.pop() {
            self.first_values(code, &mut out);
            let Some(code) = self.model.codes.get(code.i()) else { continue };
            for instr in &code.instrs {
                self.alone(&instr.kind, &mut Scope::default(), &mut out);
                instr.kind.writes().into_iter().for_each(|var| out.add(self.atoms.of(var)));
            }
            todo.extend(self.model.begun_by(code).into_iter().filter(|code| seen.insert(*code)));
        }
        let out = Arc::new(out);
        self.codes.insert(id, Arc::clone(&out));
        out
    }

    /// What effects read that expressions look ahead to, of all that was looked at so far.
    pub fn tried(&mut self, out: &mut Bits) {
        let mut done = BTreeSet::new();
        while let Some(code) = self.tried.difference(&done).next().copied() {
            out.join(&self.code(code));
            done.insert(code);
        }
    }

    /// What is read at any time: by endings, the score, what cannot arise, and secrets; with `views`, by what decides
    /// who sees what.
    pub fn general(&mut self, views: bool, out: &mut Bits) {
        let scope = Scope::default();
        for end in &self.model.ends {
            let own = match &end.result {
                EndResult::Wins(seat) | EndResult::Loses(seat) => vec![seat],
                EndResult::Draw => Vec::new(),
            };
            self.clause(end.clause, &own, &scope, out);
        }
        let score = self.model.score.iter();
        let secrets = self.model.secrets.iter().map(|s| &s.seat);
        score.chain(secrets).for_each(|e| self.expr(e, &mut Scope::default(), out));
        if views {
            self.until(out);
        }
        self.model.nevers.iter().for_each(|never| self.clause(never.clause, &[], &scope, out));
        for seen in self.model.seen.iter().filter(|_| views) {
            self.clause(seen.clause, &[], &scope, out);
            if let SeenWhat::Var(var) = seen.what {
                out.add(self.atoms.of(var));
            }
        }
    }

    /// The conditions until which choices are not told.
    fn until(&mut self, out: &mut Bits) {
        let model = self.model;
        let chosen = model.codes.iter().flat_map(|c| &c.instrs).filter_map(|i| match &i.kind {
            InstrKind::Choose(choose) => choose.until.as_ref(),
            _ => None,
        });
        let acted = model.actions.iter().filter_map(|a| a.until.as_ref());
        chosen.chain(acted).for_each(|e| self.expr(e, &mut Scope::default(), out));
    }
}
