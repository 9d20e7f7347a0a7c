//! What each instruction reads and certainly overwrites, where it leads, and what is known there.

use super::atoms::Bits;
use super::known::{Facts, Known, Scope};
use super::{Liveness, Node, Place, Way};
use crate::model::{
    Answer, Attached, BagOp, ChanceWhat, Change, Choose, ChooseWhat, CodeId, Expr, InstrKind, Set, Target, VarId,
};

impl<'m> Liveness<'m> {
    /// The node of a place; the places after it are come to.
    pub(super) fn node(&mut self, (code, pc, facts): Place) -> Node {
        let none = self.reads.atoms.none();
        let mut node = Node {
            code,
            reads: none.clone(),
            kills: none.clone(),
            ways: Vec::new(),
            live: none,
            kept: vec![None; 1 + self.finished.len()],
        };
        let Some(instr) = self.model.codes.get(code.i()).and_then(|c| c.instrs.get(usize::from(pc))) else {
            node.reads = self.reads.atoms.all();
            return node;
        };
        let mut scope = Scope { vars: facts, ..Scope::default() };
        self.reads.instr(&instr.kind, &mut scope, &mut node.reads);
        for begun in instr.kind.begins(self.model) {
            self.reads.first_values(begun, &mut node.reads);
        }
        self.overwritten(&instr.kind, &scope, &mut node.kills);
        node.ways = self.ways((code, pc), &instr.kind, scope);
        // What is finished in what begins here ends in this code.
        if self.finished.contains(&code) && node.ways.iter().any(|way| matches!(way, Way::Begin(..))) {
            let end = self.model.codes.get(code.i()).map_or(0, |c| c.finally);
            self.place(code, end, Facts::new());
        }
        node
    }

    /// What an instruction certainly overwrites.
    fn overwritten(&self, kind: &InstrKind, scope: &Scope, kills: &mut Bits) {
        let atoms = &self.reads.atoms;
        let mut target = |target: &Target| match &target.index {
            None => kills.add(atoms.of(target.var)),
            Some(index) => {
                let single = scope.of(index).and_then(|known| known.single());
                single.into_iter().for_each(|i| kills.add(atoms.entry(target.var, i)));
            }
        };
        match kind {
            InstrKind::Set(to, _) => target(to),
            // What becomes itself is not overwritten.
            InstrKind::Change(Change::Bag(BagOp::Become, to, other))
                if other.as_ref().is_none_or(|other| !other.reads(to.var)) =>
            {
                target(to);
            }
            InstrKind::Choose(choose) if !matches!(choose.what, ChooseWhat::Several { .. }) => {
                choose.var().into_iter().for_each(|into| kills.add(atoms.of(into)));
            }
            InstrKind::Chance(chance) => match &chance.what {
                ChanceWhat::Pick { into, .. } | ChanceWhat::Draw { into, .. } | ChanceWhat::Roll { into, .. } => {
                    kills.add(atoms.of(*into));
                }
                ChanceWhat::Shuffle { .. } => {}
            },
            // Where the loop may end, its variable may stay as it is.
            InstrKind::Next { set, into, .. } => {
                if matches!(scope.vars.get(set), Some(Known::All(all, true)) if !all.is_empty()) {
                    kills.add(atoms.of(*into));
                }
            }
            InstrKind::Reset(vars) => vars.iter().for_each(|var| kills.add(atoms.of(*var))),
            InstrKind::HookAt(_, into) => kills.add(atoms.of(*into)),
            _ => {}
        }
    }

    fn ways(&mut self, (code, pc): (CodeId, u16), kind: &'m InstrKind, scope: Scope) -> Vec<Way> {
        let next = pc.saturating_add(1);
        match kind {
            InstrKind::Jump(to) => vec![self.to(code, *to, scope.vars)],
            InstrKind::Unless(cond, to) => match scope.truth(cond) {
                Some(true) => vec![self.to(code, next, scope.vars)],
                Some(false) => vec![self.to(code, *to, scope.vars)],
                None => vec![self.to(code, next, scope.vars.clone()), self.to(code, *to, scope.vars)],
            },
            InstrKind::Next { set, into, end } => self.looped((code, pc), (*set, *into, *end), scope.vars),
            InstrKind::Call(begun, args) => {
                let known: Vec<Option<Known>> = args.iter().map(|arg| scope.of(arg)).collect();
                vec![self.begin(*begun, known, (code, next), scope.vars)]
            }
            InstrKind::Hook(attached) => {
                let mut ways = vec![self.to(code, next, scope.vars.clone())];
                ways.extend(self.hook(*attached, (code, next), scope.vars));
                ways
            }
            InstrKind::HookAt(all, _) => {
                let after = self.changed(kind, scope);
                let mut ways = vec![self.to(code, next, after.clone())];
                for attached in all {
                    ways.extend(self.hook(*attached, (code, next), after.clone()));
                }
                ways
            }
            InstrKind::Unranked(all, _) => {
                let mut ways = vec![self.to(code, next, scope.vars.clone())];
                // Behind one of them there may be another.
                for attached in all {
                    ways.extend(self.hook(*attached, (code, pc), scope.vars.clone()));
                }
                ways
            }
            InstrKind::Instead(all, to) => {
                let mut ways = vec![self.to(code, next, scope.vars.clone())];
                for attached in all {
                    ways.extend(self.hook(*attached, (code, *to), scope.vars.clone()));
                }
                ways
            }
            InstrKind::NextHook(to) => {
                let after = self.changed(kind, scope);
                [next, to.settled, to.end].map(|pc| self.to(code, pc, after.clone())).into()
            }
            InstrKind::Choose(choose) => self.chosen((code, pc), choose, scope),
            InstrKind::Finish(of) if *of == code => {
                let end = self.model.codes.get(code.i()).map_or(0, |c| c.finally);
                vec![self.to(code, end, Facts::new())]
            }
            InstrKind::Finish(of) => {
                let at = self.finished.iter().position(|c| c == of);
                at.map(|at| Way::Leave(at + 1)).into_iter().collect()
            }
            InstrKind::Return => vec![Way::Leave(0)],
            InstrKind::Set(..)
            | InstrKind::Change(_)
            | InstrKind::Chance(_)
            | InstrKind::StepEnd(_)
            | InstrKind::Reset(_) => {
                let after = self.changed(kind, scope);
                vec![self.to(code, next, after)]
            }
        }
    }

    fn to(&mut self, code: CodeId, pc: u16, facts: Facts) -> Way {
        Way::To(self.place(code, pc, facts))
    }

    fn begin(&mut self, begun: CodeId, args: Vec<Option<Known>>, (code, after): (CodeId, u16), facts: Facts) -> Way {
        let params = self.model.codes.get(begun.i()).map_or(&[][..], |c| &c.params);
        let known = params.iter().zip(args).filter_map(|(param, known)| Some((*param, known?)));
        let known = known.filter(|(param, _)| self.tracked.get(param.i()) == Some(&true));
        let game = facts.iter().filter(|(var, _)| self.game.contains(var)).map(|(var, known)| (*var, known.clone()));
        let known: Facts = known.chain(game).collect();
        let mut later = facts;
        self.written(begun).iter().for_each(|var| drop(later.remove(var)));
        Way::Begin(self.place(begun, 0, known), self.place(code, after, later))
    }

    fn hook(&mut self, attached: Attached, after: (CodeId, u16), facts: Facts) -> Option<Way> {
        let begun = self.model.hooks.get(attached.hook.i())?.code;
        let holders: Set = attached.holders(self.model).into_iter().flatten().map(usize::from).collect();
        let holder = (!holders.is_empty()).then_some(Known::One(holders));
        Some(self.begin(begun, vec![holder], after, facts))
    }

    fn chosen(&mut self, (code, pc): (CodeId, u16), choose: &'m Choose, scope: Scope) -> Vec<Way> {
        let next = choose.leads.after(Answer::Chosen, pc);
        if let ChooseWhat::Act { actions, .. } = &choose.what {
            let mut ways = vec![self.to(code, choose.leads.after(Answer::Pass, pc), scope.vars.clone())];
            for action in actions.iter().filter_map(|id| self.model.actions.get(id.i())) {
                ways.push(self.begin(action.code, Vec::new(), (code, next), scope.vars.clone()));
            }
            return ways;
        }
        let known = match &choose.what {
            ChooseWhat::One { set, .. } => one_of(set, &scope),
            _ => None,
        };
        let mut facts = scope.vars;
        if let Some(into) = choose.var() {
            self.set(&mut facts, into, known);
        }
        choose.leads.all(pc).into_iter().map(|to| self.to(code, to, facts.clone())).collect()
    }

    /// A loop takes its next member, or ends.
    fn looped(&mut self, (code, pc): (CodeId, u16), (set, into, end): (VarId, VarId, u16), facts: Facts) -> Vec<Way> {
        let next = pc.saturating_add(1);
        let (mut inner, outer) = (facts.clone(), facts.clone());
        match facts.get(&set) {
            Some(Known::All(all, _)) if all.is_empty() => vec![self.to(code, end, outer)],
            Some(Known::All(all, true)) => {
                let first = all.first().unwrap_or(0);
                let mut rest = all.clone();
                rest.remove(first);
                self.set(&mut inner, set, Some(Known::All(rest, true)));
                self.set(&mut inner, into, Some(Known::One(Set::from_iter([first]))));
                vec![self.to(code, next, inner)]
            }
            Some(Known::All(all, false)) => {
                self.set(&mut inner, into, Some(Known::One(all.clone())));
                vec![self.to(code, next, inner), self.to(code, end, outer)]
            }
            _ => {
                self.set(&mut inner, into, None);
                vec![self.to(code, next, inner), self.to(code, end, outer)]
            }
        }
    }

    /// What is known after an instruction that leads on.
    fn changed(&self, kind: &InstrKind, scope: Scope) -> Facts {
        let known = match kind {
            InstrKind::Set(_, e) => scope.of(e),
            InstrKind::Chance(chance) => match &chance.what {
                ChanceWhat::Pick { set, .. } => one_of(set, &scope),
                _ => None,
            },
            InstrKind::Change(Change::Take(item, from)) => {
                let (item, had) = (scope.of(item).and_then(|known| known.single()), scope.vars.get(&from.var));
                match (item, had) {
                    (Some(item), Some(Known::All(all, exact))) => {
                        let mut rest = all.clone();
                        rest.remove(item);
                        Some(Known::All(rest, *exact))
                    }
                    (None, Some(Known::All(all, _))) => Some(Known::All(all.clone(), false)),
                    _ => None,
                }
            }
            _ => None,
        };
        let mut facts = scope.vars;
        for var in kind.writes() {
            self.set(&mut facts, var, known.clone());
        }
        facts
    }

    fn set(&self, facts: &mut Facts, var: VarId, known: Option<Known>) {
        facts.remove(&var);
        if self.tracked.get(var.i()) == Some(&true) {
            facts.extend(known.map(|known| (var, known)));
        }
    }
}

/// What is known of a member of a set.
fn one_of(set: &Expr, scope: &Scope) -> Option<Known> {
    match scope.of(set)? {
        Known::All(all, _) => Some(Known::One(all)),
        Known::One(_) => None,
    }
}
