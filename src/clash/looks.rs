//! What can have changed from one look at the endings to the next.
//!
//! The game goes on only while no ending holds. So two that hold at one look have both come about since the look before, and something that each of them asks for
//! has changed in between.

use std::collections::BTreeMap;

use super::touch::Touch;
use crate::explain::Explainer;
use crate::game::Evaluator as _;
use crate::model::{
    Attached, ChanceWhat, Choose, ChooseWhat, ClauseId, CodeId, EndResult, InstrKind, Model, Set, Target, VarId,
};

/// A look at the endings.
struct Seen {
    /// The variables that may have changed since the look before; after them the procedures that may have begun or ended.
    changed: Set,
    /// Whether it may be because no action is legal.
    no_legal: bool,
}

/// All looks at the endings.
pub struct Looks {
    vars: usize,
    all: Vec<Seen>,
}

/// The flow of changes through all procedures.
struct Flow<'m> {
    model: &'m Model,
    /// Where the instructions of each code begin.
    starts: Vec<usize>,
    /// What may have changed since the last look when an instruction is come to.
    states: Vec<Option<Set>>,
    todo: Vec<(CodeId, u16)>,
    /// Where play goes on after a code.
    returns: BTreeMap<CodeId, Vec<(CodeId, u16)>>,
}

impl Looks {
    /// Of the rules.
    pub fn new(rules: &Explainer) -> Looks {
        let model = rules.model();
        let mut starts = vec![0];
        for code in &model.codes {
            starts.push(starts.last().copied().unwrap_or(0) + code.instrs.len());
        }
        let states = vec![None; starts.last().copied().unwrap_or(0)];
        let mut flow = Flow { model, starts, states, todo: Vec::new(), returns: BTreeMap::new() };
        flow.find_returns();
        let first = flow.first(rules);
        flow.come(model.play, 0, &first);
        for entry in &model.entries {
            flow.come(model.play, entry.pc, &Set::new());
        }
        while let Some((code, pc)) = flow.todo.pop() {
            flow.step(code, pc);
        }
        Looks { vars: model.vars.len(), all: flow.looks() }
    }

    /// Whether two endings may come about from one look to the next.
    pub fn together(&self, model: &Model, a: ClauseId, b: ClauseId) -> bool {
        let (a, b) = (asked(model, a), asked(model, b));
        let stirs = |seen: &Seen, touch: &Touch| {
            touch.legal && seen.no_legal
                || touch.reads.iter().any(|(var, _)| seen.changed.contains(var.i()))
                || touch.on.iter().any(|code| seen.changed.contains(self.vars + code.i()))
        };
        self.all.iter().any(|seen| stirs(seen, &a) && stirs(seen, &b))
    }
}

/// What an ending asks for.
fn asked(model: &Model, clause: ClauseId) -> Touch {
    let mut touch = Touch::of(model, clause);
    let end = model.ends.iter().find(|e| e.clause == clause);
    if let Some(EndResult::Wins(e) | EndResult::Loses(e)) = end.map(|e| &e.result) {
        touch.expr(model, e);
    }
    touch
}

impl Flow<'_> {
    /// What may make an ending hold before anything has happened.
    fn first(&self, rules: &Explainer) -> Set {
        let model = self.model;
        let all = model.vars.len() + model.codes.len();
        let Ok(mut blank) = rules.blank() else { return Set::full(all) };
        if !blank.push(model, model.play) || model.ends.iter().any(|e| rules.holds(&blank, e.clause)) {
            return Set::full(all);
        }
        let set_by_options = |(_, var): &(usize, &crate::model::Var)| {
            let mut touch = Touch::default();
            var.init.iter().for_each(|e| touch.expr(model, e));
            touch.settings
        };
        model.vars.iter().enumerate().filter(set_by_options).map(|(i, _)| i).collect()
    }

    fn hook(&self, attached: &Attached) -> CodeId {
        self.model.hooks.get(attached.hook.i()).map(|h| h.code).unwrap_or_default()
    }

    fn acts(&self, choose: &Choose) -> Vec<CodeId> {
        match &choose.what {
            ChooseWhat::Act { actions, .. } => {
                actions.iter().filter_map(|a| self.model.actions.get(a.i())).map(|a| a.code).collect()
            }
            _ => Vec::new(),
        }
    }

    fn find_returns(&mut self) {
        let mut found: Vec<(CodeId, (CodeId, u16))> = Vec::new();
        for (c, code) in self.model.codes.iter().enumerate() {
            for (pc, instr) in code.instrs.iter().enumerate() {
                let code = CodeId(c as u16);
                let next = (code, pc as u16 + 1);
                match &instr.kind {
                    InstrKind::Call(called, _) => found.push((*called, next)),
                    InstrKind::Hook(a) => found.push((self.hook(a), next)),
                    InstrKind::Instead(list, to) => {
                        found.extend(list.iter().map(|a| (self.hook(a), (code, *to))));
                    }
                    InstrKind::Choose(choose) => found.extend(self.acts(choose).into_iter().map(|c| (c, next))),
                    _ => {}
                }
            }
        }
        for entry in &self.model.entries {
            found.push((entry.code, (self.model.play, entry.pc)));
        }
        for (code, next) in found {
            self.returns.entry(code).or_default().push(next);
        }
    }

    fn at(&self, code: CodeId, pc: u16) -> Option<usize> {
        let begin = self.starts.get(code.i())?;
        let end = self.starts.get(code.i() + 1)?;
        Some(begin + usize::from(pc)).filter(|at| at < end)
    }

    fn come(&mut self, code: CodeId, pc: u16, changed: &Set) {
        let Some(state) = self.at(code, pc).and_then(|at| self.states.get_mut(at)) else { return };
        let more = match state {
            Some(before) => before.clone().union(changed),
            None => changed.clone(),
        };
        if state.as_ref() != Some(&more) {
            *state = Some(more);
            self.todo.push((code, pc));
        }
    }

    /// What changes when a code begins or ends: that it is under way, and its variables.
    fn own(&self, code: CodeId) -> Set {
        let vars = self.model.codes.get(code.i()).map_or(&[][..], |c| &c.vars);
        let own = vars.iter().map(|v| v.i());
        own.chain([self.model.vars.len() + code.i()]).collect()
    }

    fn begin(&mut self, code: CodeId, changed: &Set) {
        let own = self.own(code);
        self.come(code, 0, &own.union(changed));
    }

    fn step(&mut self, code: CodeId, pc: u16) {
        let Some(state) = self.at(code, pc).and_then(|at| self.states.get(at).cloned().flatten()) else { return };
        let model = self.model;
        let Some(instr) = model.codes.get(code.i()).and_then(|c| c.instrs.get(usize::from(pc))) else { return };
        let next = pc.saturating_add(1);
        let with = |vars: &mut dyn Iterator<Item = VarId>| state.clone().union(&vars.map(VarId::i).collect());
        match &instr.kind {
            InstrKind::Call(called, _) => self.begin(*called, &state),
            InstrKind::Jump(to) => self.come(code, *to, &state),
            InstrKind::Unless(_, to) => {
                self.come(code, *to, &state);
                self.come(code, next, &state);
            }
            InstrKind::Next { set, into, end } => {
                self.come(code, *end, &state);
                let state = with(&mut [*set, *into].into_iter());
                self.come(code, next, &state);
            }
            InstrKind::StepEnd(_) => self.come(code, next, &Set::new()),
            InstrKind::Hook(attached) => {
                self.come(code, next, &state);
                self.hooked(std::slice::from_ref(attached), &state);
            }
            InstrKind::Instead(list, _) => {
                self.come(code, next, &state);
                self.hooked(list, &state);
            }
            InstrKind::Choose(choose) => self.choose(choose, (code, next), &state),
            InstrKind::Finish(of) => {
                let mut changed = state.clone();
                // What has begun inside is left with it.
                for c in self.inside(*of) {
                    changed = changed.union(&self.own(c));
                }
                let finally = model.codes.get(of.i()).map_or(0, |c| c.finally);
                self.come(*of, finally, &changed);
            }
            InstrKind::Return => {
                let changed = state.union(&self.own(code));
                for (to, pc) in self.returns.get(&code).cloned().unwrap_or_default() {
                    self.come(to, pc, &changed);
                }
            }
            other => {
                let state = with(&mut written(other).into_iter());
                self.come(code, next, &state);
            }
        }
    }

    fn hooked(&mut self, list: &[Attached], state: &Set) {
        for attached in list {
            let hook = self.model.hooks.get(attached.hook.i());
            let limit = hook.and_then(|h| self.model.clause(h.clause)).and_then(|c| c.limit);
            let changed = state.clone().union(&limit.iter().map(|l| l.i()).collect());
            self.begin(self.hook(attached), &changed);
        }
    }

    fn choose(&mut self, choose: &Choose, (code, next): (CodeId, u16), state: &Set) {
        match &choose.what {
            ChooseWhat::Act { actions, if_any } => {
                if choose.optional || *if_any {
                    // Where none is legal nothing is looked at.
                    self.come(code, next, state);
                }
                if choose.optional {
                    self.come(code, next, &Set::new());
                }
                for id in actions {
                    let Some(action) = self.model.actions.get(id.i()) else { continue };
                    let limits = action.may.iter().filter_map(|m| self.model.clause(m.clause)?.limit);
                    let changed = limits.map(VarId::i).collect();
                    self.begin(action.code, &changed);
                }
            }
            ChooseWhat::One { into, .. }
            | ChooseWhat::Several { into, .. }
            | ChooseWhat::Number { into, .. }
            | ChooseWhat::Yes { into } => {
                let mut changed = state.clone();
                changed.insert(into.i());
                self.come(code, next, &changed);
            }
        }
    }

    /// A code and all that it can begin.
    fn inside(&self, code: CodeId) -> Vec<CodeId> {
        let mut found = vec![code];
        let mut i = 0;
        while let Some(at) = found.get(i).copied() {
            // Who goes on in this code after another has begun it.
            let begun = self.returns.iter().filter(|(_, to)| to.iter().any(|(c, _)| *c == at)).map(|(c, _)| *c);
            let more: Vec<CodeId> = begun.filter(|c| !found.contains(c)).collect();
            found.extend(more);
            i += 1;
        }
        found
    }

    fn looks(&self) -> Vec<Seen> {
        let mut all = Vec::new();
        for (c, code) in self.model.codes.iter().enumerate() {
            for (pc, instr) in code.instrs.iter().enumerate() {
                let state = self.at(CodeId(c as u16), pc as u16).and_then(|at| self.states.get(at)?.clone());
                let Some(changed) = state else { continue };
                match &instr.kind {
                    InstrKind::StepEnd(_) => all.push(Seen { changed, no_legal: false }),
                    InstrKind::Choose(choose) => {
                        if let ChooseWhat::Act { if_any, .. } = &choose.what {
                            all.push(Seen { changed, no_legal: !choose.optional && !if_any });
                        }
                    }
                    _ => {}
                }
            }
        }
        all
    }
}

/// The variables that an instruction changes.
fn written(instr: &InstrKind) -> Vec<VarId> {
    let of = |targets: &[&Target]| targets.iter().map(|t| t.var).collect();
    match instr {
        InstrKind::Set(to, _) | InstrKind::Put(_, to) | InstrKind::Take(_, to) => of(&[to]),
        InstrKind::MoveAll(from, to) => of(&[from, to]),
        InstrKind::Bag(_, to, Some(other)) => of(&[to, other]),
        InstrKind::Bag(_, to, None) => of(&[to]),
        InstrKind::Reset(vars) => vars.clone(),
        InstrKind::Chance(chance) => match &chance.what {
            ChanceWhat::Pick { into, .. } | ChanceWhat::Roll { into, .. } => vec![*into],
            ChanceWhat::Shuffle { pile, next } => vec![pile.var, *next],
        },
        _ => Vec::new(),
    }
}
