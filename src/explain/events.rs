//! What a choice leads to: the events of a run, with the conditions under which they happened.

use std::collections::HashMap;

use super::Explainer;
use super::eval::Eval;
use super::note::{Silent, Written};
use super::observer::Observer;
use super::run::Run;
use crate::game::{Choice, Considered, Derived, Event, EventKind, Events, Fate, Fault, Position, Seen, Sum};
use crate::model::{
    Attached, Choose, ChooseWhat, ClauseId, CodeId, CodeKind, Expr, ExprKind, Instr, InstrKind, KindId, Model, Value,
    VarId, VarOwner,
};

/// The maximum number of events kept of one choice.
const MAX_EVENTS: usize = 2_000;

/// A condition that was checked, while play is inside the statement it guards.
struct Guard {
    depth: usize,
    /// The first instruction inside, and the first one behind.
    inside: (u16, u16),
    seen: Option<Checked>,
    follows: Vec<usize>,
}

/// What a condition saw.
#[derive(Clone)]
struct Checked {
    seen: Seen,
    sums: Vec<Sum>,
    derived: Vec<Derived>,
}

/// A hook or effect that is being carried out.
struct Begun {
    depth: usize,
    by: Option<Considered>,
    follows: Vec<usize>,
}

/// Keeps the events of a run, as a seat learns of them or as a referee does.
pub(super) struct Teller<'a> {
    rules: &'a Explainer,
    seat: Option<u16>,
    events: Vec<Event>,
    /// What got its first value again, each with the number of events before it.
    ended: Vec<(VarId, usize)>,
    guards: Vec<Guard>,
    begun: Vec<Begun>,
    /// The events that gave a variable of a procedure its value.
    origins: HashMap<VarId, Vec<usize>>,
    /// The same for what is in a set.
    members: HashMap<(VarId, usize), Vec<usize>>,
    /// Members that the seat is to know, if that is all that is asked, and the first position at which it knows them.
    sought: Option<Sought>,
}

/// Members, and the first position at which a seat knows them all.
struct Sought {
    members: Vec<(KindId, i32)>,
    found: Option<Position>,
}

/// Where an instruction is.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub code: CodeId,
    pub pc: u16,
}

impl Explainer {
    /// Makes a choice, and tells what it leads to up to the next decision point: all of it, or what a seat sees at the
    /// moment it happens. Of what a seat cannot see, no condition and no clause is told.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn apply_told(&self, position: &mut Position, choice: Choice, seat: Option<u16>) -> Result<Events, Fault> {
        let mut run = self.run();
        run.teller = Some(Box::new(Teller::new(self, seat)));
        run.apply(position, choice).map_err(|f| *f)?;
        Ok(run.teller.map_or_else(Events::default, |t| Events { all: t.events, ended: t.ended }))
    }

    /// The first position, while a choice is carried out, at which a seat knows all of some members.
    pub(super) fn while_known(
        &self,
        position: &Position,
        choice: Choice,
        (seat, members): (u16, Vec<(KindId, i32)>),
    ) -> Option<Position> {
        let mut run = self.run();
        let sought = Some(Sought { members, found: None });
        run.teller = Some(Box::new(Teller { sought, ..Teller::new(self, Some(seat)) }));
        run.apply(&mut position.clone(), choice).ok()?;
        run.teller?.sought?.found
    }
}

impl Run<'_> {
    /// Tells of an instruction that was carried out.
    pub(super) fn tell(&mut self, (before, after): (&Position, &Position), at: Spot, kind: &InstrKind) {
        if let Some(teller) = &mut self.teller
            && teller.events.len() < MAX_EVENTS
        {
            match teller.sought {
                Some(_) => teller.seek(after, kind),
                None => teller.ran((before, after), at, kind),
            }
        }
    }
}

impl<'a> Teller<'a> {
    fn new(rules: &'a Explainer, seat: Option<u16>) -> Teller<'a> {
        Teller {
            rules,
            seat,
            events: Vec::new(),
            ended: Vec::new(),
            guards: Vec::new(),
            begun: Vec::new(),
            origins: HashMap::new(),
            members: HashMap::new(),
            sought: None,
        }
    }

    fn model(&self) -> &'a Model {
        &self.rules.model
    }

    fn observer<'p>(&self, position: &'p Position) -> Option<Observer<'p>>
    where
        'a: 'p,
    {
        self.seat.map(|seat| Observer::new(self.rules, position, seat))
    }

    /// What is evaluated for whoever is told.
    fn at<'p>(&self, position: &'p Position) -> Eval<'p, Written>
    where
        'a: 'p,
    {
        let mut ev = Eval::new(&self.rules.model, &self.rules.config.0, position);
        (ev.observer, ev.within) = (self.observer(position), self.observer(position));
        ev
    }

    /// The action that was chosen: its effect begins.
    pub(super) fn acted(&mut self, before: &Position, choice: Choice) {
        let Choice::Act(id, _) = choice else { return };
        let Some(action) = self.model().actions.get(id.i()) else { return };
        let by = Considered::bare(action.clause);
        self.begun.push(Begun { depth: before.depth(self.model()) + 1, by: Some(by), follows: Vec::new() });
    }

    /// Looks whether the seat knows the members that are sought.
    fn seek(&mut self, after: &Position, kind: &InstrKind) {
        let (rules, seat) = (self.rules, self.seat);
        if let (Some(seat), Some(sought @ Sought { found: None, .. })) = (seat, &mut self.sought)
            && matches!(kind, InstrKind::Set(..) | InstrKind::Change(_))
            && sought.members.iter().all(|(kind, m)| Observer::new(rules, after, seat).knows(*kind, *m))
        {
            sought.found = Some(after.clone());
        }
    }

    fn ran(&mut self, (before, after): (&Position, &Position), at: Spot, kind: &InstrKind) {
        let model = self.model();
        let depth = before.depth(model);
        self.guards.retain(|g| g.depth < depth || g.depth == depth && (g.inside.0..g.inside.1).contains(&at.pc));
        self.begun.retain(|b| b.depth <= depth);
        match kind {
            InstrKind::Unless(cond, to) => self.checked((before, after), at, (cond, *to)),
            InstrKind::Hook(attached) => self.hooked((before, after), at, *attached),
            InstrKind::HookAt(list, into) => {
                let place = before.read(model, *into, 0).int().and_then(|place| usize::try_from(place).ok());
                if let Some(attached) = place.and_then(|place| list.get(place)) {
                    self.hooked((before, after), at, *attached);
                }
            }
            InstrKind::Unranked(list, _) | InstrKind::Instead(list, _) => {
                let each: Vec<Attached> = list.iter().flat_map(|a| self.each(before, *a)).collect();
                for attached in each {
                    self.hooked((before, after), at, attached);
                }
            }
            InstrKind::Choose(choose) => self.asked((before, after), at, choose),
            InstrKind::Call(code, args) => self.passed(*code, args),
            InstrKind::Next { set, into, .. } => self.taken((before, after), *set, *into),
            InstrKind::Reset(vars) => self.ended.extend(vars.iter().map(|var| (*var, self.events.len()))),
            InstrKind::Set(..) | InstrKind::Change(_) | InstrKind::Chance(_) => {
                kind.writes().into_iter().for_each(|var| self.wrote((before, after), at, kind, var));
            }
            _ => {}
        }
        if before.ending(model).is_none() && after.ending(model).is_some() {
            self.ended((before, after), at);
        }
    }

    /// A condition of a statement: what follows inside it happens because it holds, or does not hold.
    fn checked(&mut self, (before, after): (&Position, &Position), at: Spot, (cond, to): (&Expr, u16)) {
        let model = self.model();
        let instrs = model.codes.get(at.code.i()).map_or(&[][..], |c| &c.instrs);
        let pc = after.top(model).map_or(at.pc, |(_, pc)| pc);
        let holds = pc != to;
        let inside = if holds {
            (at.pc + 1, to)
        } else {
            // What stands behind `else` ends where the part before it jumps to.
            match to.checked_sub(1).and_then(|last| instrs.get(usize::from(last))).map(|i| &i.kind) {
                Some(InstrKind::Jump(end)) if *end > to => (to, *end),
                _ => return,
            }
        };
        // The condition of a loop is not written anywhere, nor is that of what follows a choice.
        let asked = |i: &&Instr| matches!(i.kind, InstrKind::Choose(_)) && i.span == cond.span;
        let chosen = at.pc.checked_sub(1).and_then(|pc| instrs.get(usize::from(pc))).filter(asked).is_some();
        let helper = chosen || variables(&[cond]).into_iter().any(|var| is_helper(model, var));
        let mut ev = self.at(before);
        let seen = ev.seen(cond).ok().filter(|_| !helper).map(|seen| (seen, ev.sums(cond)));
        let seen = seen.filter(|_| !ev.missed);
        let seen = seen.map(|(seen, sums)| Checked { seen, sums, derived: std::mem::take(&mut ev.notes.derived) });
        let follows = self.sources(&[cond]);
        self.guards.push(Guard { depth: before.depth(model), inside, seen, follows });
    }

    /// A hook for each that has its ability now.
    fn each(&self, position: &Position, attached: Attached) -> Vec<Attached> {
        let hook = self.model().hooks.get(attached.hook.i()).filter(|_| attached.bearers.is_some());
        let Some(hook) = hook else { return vec![attached] };
        let among = attached.holders(self.model());
        let bearing = self.at(position).speakers(hook.clause);
        let those = bearing.into_iter().flatten().filter(|h| among.contains(h));
        those.map(|h| Attached::of(attached.hook, h)).collect()
    }

    /// A hook: its effect begins, or is void.
    fn hooked(&mut self, (before, after): (&Position, &Position), at: Spot, attached: Attached) {
        let model = self.model();
        let Some(hook) = model.hooks.get(attached.hook.i()) else { return };
        let depth = after.depth(model);
        let begun = depth > before.depth(model)
            && after.top(model).is_some_and(|(code, _)| code == hook.code)
            && attached.holder.is_none_or(|h| self.begun_for(after, hook.code, h));
        if !begun && self.is_idle(before, hook.clause, attached.holder) {
            return;
        }
        let mut ev = self.at(before);
        let considered = ev.applies(hook.clause, attached.holder).ok().and_then(|(_, c)| c);
        let hidden = ev.missed || !self.knows_holder(before, hook.clause, attached.holder);
        let considered = considered.filter(|_| !hidden);
        let conditions: Vec<&Expr> = model.clause(hook.clause).map_or_else(Vec::new, |c| c.written().iter().collect());
        let follows = self.sources(&conditions);
        if begun {
            self.begun.push(Begun { depth, by: considered, follows });
            return;
        }
        let void = |c: &Considered| {
            matches!(c.fate, Fate::Silenced(_) | Fate::UsedUp)
                && c.conditions.len() == conditions.len()
                && c.conditions.iter().all(|s| s.holds)
        };
        if let Some(considered) = considered.filter(void) {
            let event = Event { by: Some(considered), ..self.event(at, EventKind::Void) };
            self.events.push(Event { follows, ..event });
        }
    }

    /// Whether the conditions of a clause do not hold, for one holder. Most hooks are idle, and to find out who sees
    /// what they look at takes long.
    fn is_idle(&self, position: &Position, id: ClauseId, holder: Option<u16>) -> bool {
        let Some(clause) = self.model().clause(id) else { return false };
        let mut ev = Eval::<Silent>::new(&self.rules.model, &self.rules.config.0, position);
        if let Some(h) = holder {
            ev.set_local(clause.holder, Value::Int(i32::from(h)));
        }
        let holds = ev.all(clause.bearing()).and_then(|bears| Ok(bears && ev.all(clause.written())?));
        matches!(holds, Ok(false))
    }

    /// Whether a hook that begins is for this holder.
    fn begun_for(&self, after: &Position, code: CodeId, holder: u16) -> bool {
        let param = self.model().codes.get(code.i()).and_then(|c| c.params.first());
        param.is_some_and(|var| after.read(self.model(), *var, 0).int() == Some(i32::from(holder)))
    }

    fn knows_holder(&self, position: &Position, clause: ClauseId, holder: Option<u16>) -> bool {
        let kind = self.model().clause(clause).and_then(|c| c.ability).and_then(|a| self.model().abilities.get(a.i()));
        match (self.observer(position), kind, holder) {
            (Some(observer), Some(ability), Some(holder)) => observer.knows(ability.kind, i32::from(holder)),
            _ => true,
        }
    }

    /// An action that was to be chosen where none was legal. Who may do nothing is not asked then: that is no event.
    fn asked(&mut self, (before, after): (&Position, &Position), at: Spot, choose: &Choose) {
        let model = self.model();
        let went_on = after.ending(model).is_none() && after.top(model).is_some_and(|(_, pc)| pc != at.pc);
        if !went_on || choose.optional || !matches!(choose.what, ChooseWhat::Act { .. }) {
            return;
        }
        let Ok(seat) = self.at(before).seat(choose) else { return };
        // That nothing is legal for another seat may tell of what it hides.
        if self.seat.is_some_and(|to| to != seat) && model.hides() {
            return;
        }
        let kind = EventKind::NothingLegal { seat, clause: choose.clause };
        let event = self.event(at, kind);
        self.events.push(event);
    }

    /// The arguments of a procedure are its parameters.
    fn passed(&mut self, code: CodeId, args: &[Expr]) {
        let params = self.model().codes.get(code.i()).map_or(&[][..], |c| &c.params);
        for (param, arg) in params.iter().zip(args) {
            let from = self.sources(&[arg]);
            self.origins.insert(*param, from);
        }
    }

    /// The next member of a set.
    fn taken(&mut self, (before, after): (&Position, &Position), set: VarId, into: VarId) {
        let model = self.model();
        let (Value::Set(was), Value::Set(is)) = (before.read(model, set, 0), after.read(model, set, 0)) else { return };
        let Some(member) = was.difference(&is).first() else { return };
        let from = self.members.get(&(set, member)).cloned().unwrap_or_default();
        self.origins.insert(into, from);
    }

    /// A variable was written.
    fn wrote(&mut self, (before, after): (&Position, &Position), at: Spot, kind: &InstrKind, var: VarId) {
        let model = self.model();
        let Some(v) = model.vars.get(var.i()) else { return };
        let helper = is_helper(model, var) || v.owner == VarOwner::Limit;
        let expressions = kind.expressions();
        let follows = self.sources(&expressions);
        for entry in 0..v.place.count as usize {
            let (was, is) = (before.read(model, var, entry), after.read(model, var, entry));
            if was == is {
                continue;
            }
            let told = (!helper).then(|| self.became((before, after), (var, entry), (&was, &is))).flatten();
            let own = match told {
                Some(kind) => {
                    let mut event = self.event(at, kind);
                    event.follows.extend(&follows);
                    event.follows.sort_unstable();
                    event.follows.dedup();
                    self.events.push(event);
                    vec![self.events.len() - 1]
                }
                // What is kept for the statement alone passes on where its value is from.
                None => self.around(&follows),
            };
            if model.is_passing(var) {
                self.note_members((&was, &is), var, &expressions, &own);
                self.origins.insert(var, own);
            }
        }
    }

    /// Where the members of a set are from: from another set that they were in, or from the event itself.
    fn note_members(&mut self, (was, is): (&Value, &Value), var: VarId, expressions: &[&Expr], own: &[usize]) {
        let (Value::Set(was), Value::Set(is)) = (was, is) else { return };
        let others: Vec<VarId> = variables(expressions).into_iter().filter(|v| *v != var).collect();
        for member in is.clone().difference(was).iter() {
            let from = others.iter().find_map(|other| self.members.get(&(*other, member))).cloned();
            self.members.insert((var, member), from.unwrap_or_else(|| own.to_vec()));
        }
        for member in was.clone().difference(is).iter() {
            self.members.remove(&(var, member));
        }
    }

    /// A value that changed, if whoever is told sees it.
    fn became(
        &self,
        (before, after): (&Position, &Position),
        (var, entry): (VarId, usize),
        (was, is): (&Value, &Value),
    ) -> Option<EventKind> {
        let v = self.model().vars.get(var.i())?;
        let sees = |position: &Position, value: &Value| {
            let observer = self.observer(position);
            observer.is_none_or(|o| o.see_entry(var, entry, value) && self.rules.in_view(position, var))
        };
        if !sees(after, is) {
            return None;
        }
        let index = v.index.map(|kind| self.at(after).seen_member(kind, entry as u16));
        let before = sees(before, was).then(|| self.at(before).seen_value(&v.ty.base, was));
        let after = self.at(after).seen_value(&v.ty.base, is);
        Some(EventKind::Became { var, entry, index, before, after })
    }

    fn ended(&mut self, (before, after): (&Position, &Position), at: Spot) {
        let model = self.model();
        let ending = after.ending(model).unwrap_or(0);
        let winners = (0..32).filter(|s| after.winners(model) >> s & 1 == 1).collect();
        let mut by = None;
        if let Some(end) = model.ends.get(ending) {
            let mut ev = self.at(before);
            for holder in model.holders(end.clause) {
                if let Ok((true, considered)) = ev.applies(end.clause, holder)
                    && !ev.missed
                {
                    by = considered;
                    break;
                }
            }
            let bare = Considered::bare(end.clause);
            by = by.or(Some(bare));
        }
        let event = Event { by, ..self.event(at, EventKind::Over { ending, winners }) };
        self.events.push(event);
    }

    /// An event here, with what stands around it.
    fn event(&self, at: Spot, kind: EventKind) -> Event {
        let steps = self.model().codes.get(at.code.i()).map_or(&[][..], |c| &c.steps);
        let step = steps.iter().position(|s| (s.start..s.end).contains(&at.pc));
        let is_procedure = |code: CodeId| {
            self.model().codes.get(code.i()).is_some_and(|c| matches!(c.kind, CodeKind::Procedure | CodeKind::Entry))
        };
        let begun = self.begun.last().filter(|_| !is_procedure(at.code));
        let mut event = Event {
            code: at.code,
            step,
            by: begun.and_then(|b| b.by.clone()),
            conditions: Vec::new(),
            sums: Vec::new(),
            derived: Vec::new(),
            follows: self.around(&[]),
            kind,
        };
        for checked in self.guards.iter().filter_map(|g| g.seen.clone()) {
            event.conditions.push(checked.seen);
            let sums = checked.sums.into_iter().filter(|s| !event.sums.contains(s));
            event.sums.extend(sums.collect::<Vec<_>>());
            let derived = checked.derived.into_iter().filter(|d| !event.derived.contains(d));
            event.derived.extend(derived.collect::<Vec<_>>());
        }
        event
    }

    /// The events on which what happens now depends: those of the conditions around it, and these.
    fn around(&self, more: &[usize]) -> Vec<usize> {
        let guards = self.guards.iter().flat_map(|g| &g.follows);
        let begun = self.begun.iter().flat_map(|b| &b.follows);
        let mut all: Vec<usize> = guards.chain(begun).chain(more).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The events that gave the variables of procedures in some expressions their values.
    fn sources(&self, expressions: &[&Expr]) -> Vec<usize> {
        let found = variables(expressions).into_iter().filter_map(|var| self.origins.get(&var));
        let mut found: Vec<usize> = found.flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Whether a variable is one that no rule names.
fn is_helper(model: &Model, var: VarId) -> bool {
    let name = model.vars.get(var.i()).map_or("", |v| v.name.as_str());
    name.rsplit('.').next().is_none_or(|own| own.starts_with('_'))
}

fn variables(expressions: &[&Expr]) -> Vec<VarId> {
    let mut found = Vec::new();
    for e in expressions {
        e.walk(&mut |part| {
            if let ExprKind::Var { var, .. } | ExprKind::Top(var, _) = part.kind {
                found.push(var);
            }
        });
    }
    found
}
