//! Dataflow: which variables may change between two checks of the endings.
//!
//! The game goes on only while no ending holds. So two endings that hold at one check have both come to hold since the
//! check before, and something that each of them reads has changed in between.

use super::effects::Effects;
use crate::explain::Explainer;
use crate::game::Evaluator as _;
use crate::model::{Answer, Attached, Choose, ChooseWhat, ClauseId, CodeId, ExprKind, InstrKind, Model, Set, VarId};

/// A check of the endings.
struct Seen {
    /// The variables that may have changed since the check before; after them, the procedures that may have begun or
    /// ended.
    changed: Set,
    /// Whether an action is to be chosen there.
    asks: bool,
    /// Whether it may happen because no action is legal.
    no_legal: bool,
}

/// All checks of the endings.
pub struct EndingChecks {
    vars: usize,
    all: Vec<Seen>,
}

/// The flow of changes through all procedures. A state is what may have changed since the last check. If there may have
/// been no check since the code began, it also contains [`Flow::passed`], and earlier changes count too.
struct Flow<'m> {
    model: &'m Model,
    /// For each instruction of each code, its state relative to the beginning of the code.
    states: Vec<Vec<Option<Set>>>,
    /// For each code, the state at its end, in the same way.
    ends: Vec<Option<Set>>,
    /// For each code, what may have changed before it begins, since the last check.
    before: Vec<Option<Set>>,
    /// For each code, what may have changed when it is finished from inside.
    finished: Vec<Option<Set>>,
    todo: Vec<(CodeId, u16)>,
    changed: bool,
}

impl EndingChecks {
    /// Of the rules.
    pub fn new(rules: &Explainer) -> EndingChecks {
        let model = rules.model();
        let none = vec![None; model.codes.len()];
        let mut flow = Flow {
            model,
            states: model.codes.iter().map(|c| vec![None; c.instrs.len()]).collect(),
            ends: none.clone(),
            before: none.clone(),
            finished: none,
            todo: Vec::new(),
            changed: true,
        };
        let first = flow.first(rules);
        flow.begin(model.play, &first);
        while flow.changed {
            flow.changed = false;
            for i in 0..model.codes.len() {
                flow.walk(CodeId(i as u16));
            }
        }
        EndingChecks { vars: model.vars.len(), all: flow.looks() }
    }

    /// Whether two endings may both come to hold between one check and the next.
    pub fn together(&self, model: &Model, a: ClauseId, b: ClauseId) -> bool {
        let stirs = |seen: &Seen, (effects, only): &(Effects, Option<bool>)| {
            let may_hold = match only {
                Some(true) => seen.asks,
                Some(false) => seen.no_legal,
                None => true,
            };
            // Without a change of variables, what was legal at the check before may be otherwise now.
            may_hold
                && (effects.none_legal && seen.no_legal
                    || effects.some_legal
                    || effects.reads.iter().any(|(var, _)| seen.changed.contains(var.i()))
                    || effects.on.iter().any(|code| seen.changed.contains(self.vars + code.i())))
        };
        let asked = |end: ClauseId| (Effects::of(model, end), only_where(model, end));
        let (a, b) = (asked(a), asked(b));
        self.all.iter().any(|seen| stirs(seen, &a) && stirs(seen, &b))
    }
}

/// Whether an ending holds only where some action, or none, is legal; `None` if it does not say so.
fn only_where(model: &Model, end: ClauseId) -> Option<bool> {
    let when = model.clause(end).map_or(&[][..], |c| &c.when);
    when.iter().find_map(|e| if let ExprKind::LegalAction(some) = e.kind { Some(some) } else { None })
}

impl Flow<'_> {
    /// What may make an ending hold at the start: what the endings that hold then read, and variables whose initial
    /// values depend on options.
    fn first(&self, rules: &Explainer) -> Set {
        let model = self.model;
        let all = model.vars.len() + model.codes.len();
        let Ok(mut blank) = rules.blank() else { return Set::full(all) };
        if !blank.push(model, model.play) {
            return Set::full(all);
        }
        let mut first = Set::new();
        for end in model.ends.iter().filter(|e| rules.holds(&blank, e.clause)) {
            let effects = Effects::of(model, end.clause);
            effects.reads.iter().for_each(|(var, _)| first.insert(var.i()));
            effects.on.iter().for_each(|code| first.insert(model.vars.len() + code.i()));
        }
        for (i, var) in model.vars.iter().enumerate() {
            let mut effects = Effects::default();
            var.init.iter().for_each(|e| effects.expr(model, e));
            if effects.settings {
                first.insert(i);
            }
        }
        first
    }

    /// The mark of a state before which there may have been no check in its code.
    fn passed(&self) -> usize {
        self.model.vars.len() + self.model.codes.len()
    }

    /// Adds to a state; returns whether it grew.
    fn add(place: Option<&mut Option<Set>>, more: &Set) -> bool {
        let Some(place) = place else { return false };
        let all = match place {
            Some(before) => before.clone().union(more),
            None => more.clone(),
        };
        let new = place.as_ref() != Some(&all);
        if new {
            *place = Some(all);
        }
        new
    }

    fn come(&mut self, code: CodeId, pc: u16, state: &Set) {
        let place = self.states.get_mut(code.i()).and_then(|s| s.get_mut(usize::from(pc)));
        if Flow::add(place, state) {
            self.changed = true;
            self.todo.push((code, pc));
        }
    }

    /// A state with what may have changed before its code began.
    fn in_play(&self, code: CodeId, state: &Set) -> Set {
        let mut all = state.clone();
        if all.contains(self.passed()) {
            all.remove(self.passed());
            all = all.union(self.before.get(code.i()).and_then(Option::as_ref).unwrap_or(&Set::new()));
        }
        all
    }

    /// Goes through a code once more.
    fn walk(&mut self, code: CodeId) {
        if self.before.get(code.i()).is_none_or(Option::is_none) {
            return;
        }
        self.come(code, 0, &std::iter::once(self.passed()).collect());
        for entry in self.model.entries.iter().filter(|_| code == self.model.play) {
            self.come(code, entry.pc, &Set::new());
        }
        if let Some(finished) = self.finished.get(code.i()).cloned().flatten() {
            let finally = self.model.codes.get(code.i()).map_or(0, |c| c.finally);
            self.come(code, finally, &finished);
        }
        // What its callees do may have changed.
        let n = self.model.codes.get(code.i()).map_or(0, |c| c.instrs.len());
        self.todo.extend((0..n as u16).map(|pc| (code, pc)));
        while let Some((code, pc)) = self.todo.pop() {
            self.step(code, pc);
        }
    }

    /// What changes when a code begins or ends: whether it is active, and its variables.
    fn own(&self, code: CodeId) -> Set {
        let vars = self.model.codes.get(code.i()).map_or(&[][..], |c| &c.vars);
        let own = vars.iter().map(|v| v.i());
        own.chain([self.model.vars.len() + code.i()]).collect()
    }

    /// Notes what may have changed since the last check when a code begins.
    fn begin(&mut self, code: CodeId, changed: &Set) {
        let own = self.own(code).union(changed);
        self.changed |= Flow::add(self.before.get_mut(code.i()), &own);
    }

    /// Goes through a called code and on after it.
    fn call(&mut self, called: CodeId, (code, next): (CodeId, u16), state: &Set) {
        let before = self.in_play(code, state);
        self.begin(called, &before);
        let Some(mut end) = self.ends.get(called.i()).cloned().flatten() else { return };
        let own = self.own(called);
        if end.contains(self.passed()) {
            end.remove(self.passed());
            end = end.union(state).union(&own);
        }
        self.come(code, next, &end.union(&own));
    }

    fn step(&mut self, code: CodeId, pc: u16) {
        let state = self.states.get(code.i()).and_then(|s| s.get(usize::from(pc)).cloned().flatten());
        let model = self.model;
        let instr = model.codes.get(code.i()).and_then(|c| c.instrs.get(usize::from(pc)));
        let (Some(state), Some(instr)) = (state, instr) else { return };
        let next = (code, pc.saturating_add(1));
        let with = |vars: &mut dyn Iterator<Item = VarId>| state.clone().union(&vars.map(VarId::i).collect());
        match &instr.kind {
            InstrKind::Call(called, _) => self.call(*called, next, &state),
            InstrKind::Jump(to) => self.come(code, *to, &state),
            InstrKind::Unless(_, to) => {
                self.come(code, *to, &state);
                self.come(code, next.1, &state);
            }
            InstrKind::Next { set, into, end } => {
                self.come(code, *end, &state);
                let state = with(&mut [*set, *into].into_iter());
                self.come(code, next.1, &state);
            }
            InstrKind::NextHook(to) => {
                let state = with(&mut [to.open, to.into].into_iter());
                [next.1, to.settled, to.end].into_iter().for_each(|pc| self.come(code, pc, &state));
            }
            InstrKind::StepEnd(_) => self.come(code, next.1, &Set::new()),
            InstrKind::Hook(attached) => {
                self.come(code, next.1, &state);
                self.hooked(attached, next, &state);
            }
            InstrKind::HookAt(list, into) => {
                let state = with(&mut std::iter::once(*into));
                self.come(code, next.1, &state);
                for attached in list {
                    self.hooked(attached, next, &state);
                }
            }
            InstrKind::Unranked(list, _) => {
                self.come(code, next.1, &state);
                // Behind one of them there may be another.
                for attached in list {
                    self.hooked(attached, (code, pc), &state);
                }
            }
            InstrKind::Instead(list, to) => {
                self.come(code, next.1, &state);
                for attached in list {
                    self.hooked(attached, (code, *to), &state);
                }
            }
            InstrKind::Choose(choose) => self.choose(choose, (code, pc), &state),
            InstrKind::Finish(of) => {
                let mut changed = self.in_play(code, &state);
                // Codes begun inside are left with it.
                for c in self.inside(*of) {
                    changed = changed.union(&self.own(c));
                }
                changed.insert(self.passed());
                self.changed |= Flow::add(self.finished.get_mut(of.i()), &changed);
            }
            InstrKind::Return => self.changed |= Flow::add(self.ends.get_mut(code.i()), &state),
            other => {
                let state = with(&mut other.writes().into_iter());
                self.come(code, next.1, &state);
            }
        }
    }

    fn hooked(&mut self, attached: &Attached, next: (CodeId, u16), state: &Set) {
        let hook = self.model.hooks.get(attached.hook.i());
        let limit = hook.and_then(|h| self.model.clause(h.clause)).and_then(|c| c.limit);
        let state = state.clone().union(&limit.iter().map(|l| l.i()).collect());
        self.call(hook.map(|h| h.code).unwrap_or_default(), next, &state);
    }

    fn choose(&mut self, choose: &Choose, at: (CodeId, u16), state: &Set) {
        let next = (at.0, choose.leads.after(Answer::Chosen, at.1));
        match &choose.what {
            ChooseWhat::Act { actions, if_any } => {
                let on = choose.leads.after(Answer::Pass, at.1);
                if choose.optional || *if_any {
                    // If no action is legal, nothing else is checked.
                    self.come(next.0, on, state);
                }
                if choose.optional {
                    self.come(next.0, on, &Set::new());
                }
                for id in actions {
                    let Some(action) = self.model.actions.get(id.i()) else { continue };
                    let limits = action.may.iter().filter_map(|m| self.model.clause(m.clause)?.limit);
                    let changed = limits.map(VarId::i).collect();
                    self.call(action.code, next, &changed);
                }
            }
            ChooseWhat::One { into, .. }
            | ChooseWhat::Several { into, .. }
            | ChooseWhat::Number { into, .. }
            | ChooseWhat::Yes { into } => {
                let mut changed = state.clone();
                changed.insert(into.i());
                for to in choose.leads.all(at.1) {
                    self.come(at.0, to, &changed);
                }
            }
        }
    }

    /// A code and all that it can begin.
    fn inside(&self, code: CodeId) -> Vec<CodeId> {
        let mut found = vec![code];
        let mut i = 0;
        while let Some(at) = found.get(i).copied() {
            let begun = self.model.codes.get(at.i()).map_or(Vec::new(), |c| self.model.begun_by(c));
            for c in begun {
                if !found.contains(&c) {
                    found.push(c);
                }
            }
            i += 1;
        }
        found
    }

    fn looks(&self) -> Vec<Seen> {
        let mut all = Vec::new();
        for (c, code) in self.model.codes.iter().enumerate() {
            for (pc, instr) in code.instrs.iter().enumerate() {
                let Some(state) = self.states.get(c).and_then(|s| s.get(pc)?.as_ref()) else { continue };
                let changed = self.in_play(CodeId(c as u16), state);
                match &instr.kind {
                    InstrKind::StepEnd(_) => all.push(Seen { changed, asks: false, no_legal: false }),
                    InstrKind::Choose(choose) => {
                        if let ChooseWhat::Act { if_any, .. } = &choose.what {
                            all.push(Seen { changed, asks: true, no_legal: !choose.optional && !if_any });
                        }
                    }
                    _ => {}
                }
            }
        }
        all
    }
}
