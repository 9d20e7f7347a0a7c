//! Whether two clauses conflict: at a partial position, as far as it is settled, and at a whole position, by the
//! judgement of play.

use super::Explainer;
use super::budget::MAX_PARTIAL_WORK;
use super::eval::{Eval, Res};
use super::legal::Standing;
use super::note::Silent;
use super::partial::{Draft, Outlook, Partial};
use super::run::Run;
use crate::game::{Evaluator as _, Fault, FaultKind, MAX_WORK, Position};
use crate::model::{
    ActionId, Attached, Base, ChooseWhat, ClauseId, CodeId, Def, DefClause, DefId, End, EndResult, Goal, InstrKind,
    Layer, Obligation, Value,
};

/// A clause, for one holder if it is an ability's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The clause.
    pub clause: ClauseId,
    /// Its holder.
    pub holder: Option<u16>,
}

/// A place in a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The procedure.
    pub code: CodeId,
    /// The instruction.
    pub pc: u16,
}

/// How two clauses could conflict in play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Two `instead`s give a definition different values.
    Values(DefId, [Side; 2]),
    /// Two endings give different winners.
    Ends([Side; 2]),
    /// Two hooks replace one step.
    Replacing(Spot, [Attached; 2]),
    /// The order of two hooks at one place is open and makes a difference.
    Order(Spot, [Attached; 2]),
    /// Two obligations are in force and no action meets both.
    Duties(Spot, [(ActionId, Side); 2]),
}

/// One clause on an action with its permissions and the obligation.
type Owed<'a> = (ActionId, Side, &'a Obligation);

impl Explainer {
    /// Whether two clauses conflict at a partial position. For two hooks whose order is open, and for obligations,
    /// *yes* means only that both apply.
    #[must_use]
    pub fn conflict_at(&self, partial: &Partial, conflict: &Conflict) -> Outlook {
        self.outlook(partial, |ev| match conflict {
            Conflict::Values(def, sides) => values_clash(ev, *def, sides),
            Conflict::Ends(sides) => ends_clash(ev, sides),
            Conflict::Replacing(_, pair) | Conflict::Order(_, pair) => {
                for attached in pair {
                    let clause = ev.model.hooks.get(attached.hook.i()).map(|h| h.clause).unwrap_or_default();
                    if !ev.framed(|ev| Ok(ev.applies(clause, attached.holder)?.0))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Conflict::Duties(spot, sides) => duties_clash(ev, *spot, sides),
        })
    }

    /// Whether the condition of a `never` holds at a partial position.
    #[must_use]
    pub fn never_at(&self, partial: &Partial, never: ClauseId) -> Outlook {
        self.outlook(partial, |ev| {
            for holder in ev.model.holders(never) {
                if ev.framed(|ev| Ok(ev.applies(never, holder)?.0))? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Whether the condition of a `never` holds at a partial position and that of an ending does not.
    #[must_use]
    pub fn never_without(&self, partial: &Partial, never: ClauseId, end: Side) -> Outlook {
        self.outlook(partial, |ev| {
            Ok(ev.framed(|ev| Ok(ev.applies(never, None)?.0))?
                && !ev.framed(|ev| Ok(ev.applies(end.clause, end.holder)?.0))?)
        })
    }

    /// Whether the condition of a clause without parameters holds at a position, or may: a fault counts as yes.
    #[must_use]
    pub fn holds(&self, position: &Position, clause: ClauseId) -> bool {
        let mut ev = self.at::<Silent>(position);
        let mut holders = ev.model.holders(clause);
        holders.any(|holder| ev.framed(|ev| Ok(ev.applies(clause, holder)?.0)).unwrap_or(true))
    }

    fn outlook<'a>(&'a self, partial: &'a Partial, ask: impl FnOnce(&mut Eval<'a, Silent>) -> Res<bool>) -> Outlook {
        let mut ev = Eval::new(&self.model, &self.config.0, &self.placeholder);
        ev.draft = Some(Draft::new(partial));
        ev.work.set(MAX_WORK - MAX_PARTIAL_WORK);
        let asked = ask(&mut ev);
        let draft = ev.draft.take();
        match (asked, draft) {
            (Ok(true), _) => Outlook::Yes,
            (Ok(false), _) => Outlook::No,
            (Err(_), Some(Draft { split: Some(split), .. })) => Outlook::Open(split),
            (Err(_), Some(Draft { beyond: true, .. })) => Outlook::Beyond,
            (Err(fault), _) if fault.kind == FaultKind::TooLong => Outlook::Beyond,
            (Err(_), _) => Outlook::Fault,
        }
    }

    /// The conflict that play meets at a position where these clauses conflict, if it meets one. `args` are those of
    /// the definition; if the endings are checked where an action is to be chosen, `any_legal` says whether one is
    /// legal.
    #[must_use]
    pub fn clash_in_play(
        &self,
        position: &Position,
        conflict: &Conflict,
        args: &[Option<i32>],
        any_legal: Option<bool>,
    ) -> Option<Fault> {
        let fault = match conflict {
            Conflict::Values(def, _) => {
                let found = (*def, self.model.defs.get(def.i())?);
                let args = args.iter().map(|a| a.map_or(Value::None, Value::Int)).collect();
                self.at::<Silent>(position).value_at(found, args).err()?
            }
            Conflict::Ends(_) => {
                let mut ev = self.at::<Silent>(position);
                ev.any_legal = any_legal;
                ev.ending().err()?
            }
            Conflict::Replacing(spot, _) => self.stepped(position, *spot)?,
            Conflict::Order(spot, pair) => {
                let span = self.model.codes.get(spot.code.i())?.instrs.get(usize::from(spot.pc))?.span;
                Run::new(&self.model, &self.config.0).agree(position, pair, &[], span).err()?
            }
            Conflict::Duties(..) => Box::new(self.options(position).err()?),
        };
        let both = conflict.clauses().iter().all(|c| fault.clauses.contains(c));
        (fault.kind == FaultKind::Conflict && both).then_some(*fault)
    }

    /// The fault of the instruction at which hooks replace a step.
    fn stepped(&self, position: &Position, spot: Spot) -> Option<Box<Fault>> {
        let instr = self.model.codes.get(spot.code.i())?.instrs.get(usize::from(spot.pc))?;
        let InstrKind::Instead(list, _) = &instr.kind else { return None };
        Run::new(&self.model, &self.config.0).replacing(position, list, instr.span).err()
    }
}

impl Conflict {
    /// The clauses; they are the same one if two of its holders conflict.
    #[must_use]
    pub fn sides(&self, model: &crate::model::Model) -> [Side; 2] {
        let hook = |a: &Attached| Side {
            clause: model.hooks.get(a.hook.i()).map(|h| h.clause).unwrap_or_default(),
            holder: a.holder,
        };
        match self {
            Conflict::Values(_, sides) | Conflict::Ends(sides) => *sides,
            Conflict::Replacing(_, [a, b]) | Conflict::Order(_, [a, b]) => [hook(a), hook(b)],
            Conflict::Duties(_, [(_, a), (_, b)]) => [*a, *b],
        }
    }

    /// The clauses that the conflict must name; hooks are told by their place.
    fn clauses(&self) -> Vec<ClauseId> {
        match self {
            Conflict::Values(_, sides) | Conflict::Ends(sides) => sides.iter().map(|s| s.clause).collect(),
            Conflict::Duties(_, sides) => sides.iter().map(|s| s.1.clause).collect(),
            Conflict::Replacing(..) | Conflict::Order(..) => Vec::new(),
        }
    }
}

fn fits(ev: &mut Eval<Silent>, clause: &DefClause) -> Res<bool> {
    for (i, arg) in clause.args.iter().enumerate() {
        if let Some(value) = arg
            && !ev.arg_is(i as u16, value)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn on_def(def: &Def, clause: ClauseId) -> Option<&DefClause> {
    def.layer(Layer::Instead).iter().find(|c| c.clause == clause)
}

fn values_clash<'a>(ev: &mut Eval<'a, Silent>, def: DefId, sides: &[Side; 2]) -> Res<bool> {
    let Some(def) = ev.model.defs.get(def.i()) else { return Ok(false) };
    ev.with_open_args(&def.params, 0, |ev| {
        let mut found = Vec::new();
        for side in sides {
            let Some(clause) = on_def(def, side.clause) else { return Ok(false) };
            if !fits(ev, clause)? || !ev.applies(side.clause, side.holder)?.0 {
                return Ok(false);
            }
            found.push(clause);
        }
        let [a, b] = found.as_slice() else { return Ok(false) };
        if ev.given(a, sides[0].holder, def)? == ev.given(b, sides[1].holder, def)? {
            return Ok(false);
        }
        // What beats one of them ends the quarrel.
        for other in def.layer(Layer::Instead) {
            if !sides.iter().any(|s| other.beats.contains(&s.clause)) || !fits(ev, other)? {
                continue;
            }
            for holder in ev.model.holders(other.clause) {
                if ev.applies(other.clause, holder)?.0 {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    })
}

fn ends_clash(ev: &mut Eval<Silent>, sides: &[Side; 2]) -> Res<bool> {
    let model = ev.model;
    let find = |clause: ClauseId| model.ends.iter().find(|e| e.clause == clause);
    let (Some(a), Some(b)) = (find(sides[0].clause), find(sides[1].clause)) else { return Ok(false) };
    // Winners that are one seat each are soon told apart.
    let is_short = |end: &End| match &end.result {
        EndResult::Wins(e) | EndResult::Loses(e) => matches!(e.ty.base, Base::Member(_)),
        EndResult::Draw => true,
    };
    let short = is_short(a) && is_short(b);
    let (a, b) = ((a, sides[0].holder), (b, sides[1].holder));
    if short && winners_of(ev, &a)? == winners_of(ev, &b)? {
        return Ok(false);
    }
    for side in sides {
        if !ev.framed(|ev| Ok(ev.applies(side.clause, side.holder)?.0))? {
            return Ok(false);
        }
    }
    if !short && winners_of(ev, &a)? == winners_of(ev, &b)? {
        return Ok(false);
    }
    for other in &model.ends {
        if !sides.iter().any(|s| other.beats.contains(&s.clause)) {
            continue;
        }
        for holder in ev.model.holders(other.clause) {
            if ev.framed(|ev| Ok(ev.applies(other.clause, holder)?.0))? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn winners_of(ev: &mut Eval<Silent>, (end, holder): &(&End, Option<u16>)) -> Res<u32> {
    ev.framed(|ev| {
        ev.hold(end.clause, *holder);
        ev.winners_by(&end.result)
    })
}

/// Whether each of two obligations is met by some action that is permitted.
fn duties_clash<'a>(ev: &mut Eval<'a, Silent>, spot: Spot, sides: &[(ActionId, Side); 2]) -> Res<bool> {
    let model = ev.model;
    let instr = model.codes.get(spot.code.i()).and_then(|c| c.instrs.get(usize::from(spot.pc)));
    let Some(InstrKind::Choose(choose)) = instr.map(|i| &i.kind) else { return Ok(false) };
    let seat = ev.seat(choose)?;
    let mut first = 0;
    for (id, side) in sides {
        let must = model.actions.get(id.i()).and_then(|a| a.must.iter().find(|m| m.clause == side.clause));
        let Some(must) = must else { return Ok(false) };
        if !is_owed(ev, (*id, *side, must), seat, first)? {
            return Ok(false);
        }
        first += model.actions.get(id.i()).map_or(0, |a| a.params.len()) as u16;
    }
    Ok(true)
}

fn is_owed<'a>(ev: &mut Eval<'a, Silent>, (id, side, must): Owed<'a>, seat: u16, first: u16) -> Res<bool> {
    let Some(action) = ev.action(id) else { return Ok(false) };
    ev.with_open_args(&action.params, first, |ev| {
        for conds in &action.domain {
            if !ev.all(conds)? {
                return Ok(false);
            }
        }
        if !ev.belongs(action, seat)? || !ev.applies(side.clause, side.holder)?.0 {
            return Ok(false);
        }
        let met = match &must.goal {
            Goal::SoThat(cond) => ev.truth(cond)?,
            Goal::Prefer(_, e) => ev.int(e)?.is_some(),
        };
        Ok(met && ev.standing(action)? == Standing::Permitted)
    })
}

/// The action arguments for which obligations conflict: those of the first and those of the second.
#[must_use]
pub fn duty_params(model: &crate::model::Model, sides: &[(ActionId, Side); 2]) -> Vec<(String, crate::model::Ty)> {
    let params = |id: &ActionId| model.actions.get(id.i()).map_or(&[][..], |a| &a.params);
    sides.iter().flat_map(|(id, _)| params(id).iter().cloned()).collect()
}

/// The choices among actions at which each of these may be asked for.
#[must_use]
pub fn choices_among(model: &crate::model::Model) -> Vec<(Spot, Vec<ActionId>)> {
    let mut found = Vec::new();
    for (c, code) in model.codes.iter().enumerate() {
        for (pc, instr) in code.instrs.iter().enumerate() {
            if let InstrKind::Choose(choose) = &instr.kind
                && let ChooseWhat::Act { actions, .. } = &choose.what
            {
                found.push((Spot { code: CodeId(c as u16), pc: pc as u16 }, actions.clone()));
            }
        }
    }
    found
}

impl<'a> Eval<'a, Silent> {
    /// What a clause gives a definition.
    fn given(&mut self, clause: &DefClause, holder: Option<u16>, def: &Def) -> Res<Value> {
        self.hold(clause.clause, holder);
        let value = self.eval(&clause.value)?;
        Ok(super::eval::fit(&def.ty.base, value))
    }

    /// A definition with these arguments.
    fn value_at(&mut self, (id, def): (DefId, &'a Def), args: Vec<Value>) -> Res<Value> {
        let span = self.model.clause(def.clause).map(|c| c.span).unwrap_or_default();
        self.called((id, span), |ev| {
            for (i, value) in args.into_iter().enumerate() {
                ev.set_local(i as u16, value);
            }
            ev.defined((id, def), span)
        })
    }
}
