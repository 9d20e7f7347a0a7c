//! Running: from a choice to the next decision point.

use std::sync::atomic::AtomicU32;

use super::budget::too_long;
use super::coverage::Recorder;
use super::decision::{DecisionPoint, rest};
use super::eval::{Eval, Res, as_set, fault};
use super::events::{Spot, Teller};
use super::hooks::counted;
use super::note::Silent;
use super::round::Round;
use super::skipped::Skipped;
use crate::game::{Args, Choice, Fault, FaultDetail, FaultKind, Laps, MAX_WORK, Position};
use crate::model::{
    ActionId, Answer, Chance, ChanceWhat, Choose, ChooseWhat, ClauseId, InstrKind, Model, Value, VarId, VarOwner,
};
use crate::span::Span;

/// The maximum number of instructions between two decision points.
const MAX_STEPS: u32 = 1_000_000;

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At a decision, at chance, or over.
    DecisionPoint,
    /// The frame it was to watch is the innermost again, or gone.
    Returned,
}

/// What comes next.
pub(super) enum Flow {
    /// The next instruction.
    On,
    /// Another instruction of the same code.
    To(u16),
    /// The stack or the place is set already.
    Set,
    /// DecisionPoint.
    DecisionPoint,
}

/// A run.
pub(super) struct Run<'a> {
    pub(super) model: &'a Model,
    config: &'a [i32],
    steps: u32,
    /// How much has been worked out.
    pub(super) work: AtomicU32,
    /// Whether this is a look ahead, which stops where an action is asked for, whether or not one is legal.
    ahead: bool,
    /// Who keeps a trace.
    pub(super) watch: Option<Recorder<'a>>,
    /// Who keeps the events.
    pub(super) teller: Option<Box<Teller<'a>>>,
    /// The decisions that were skipped, if they are kept.
    pub(super) skipped: Option<Vec<Skipped>>,
}

impl<'a> Run<'a> {
    /// Of these rules.
    pub fn new(model: &'a Model, config: &'a [i32]) -> Run<'a> {
        Run { model, config, steps: 0, work: AtomicU32::new(0), ahead: false, watch: None, teller: None, skipped: None }
    }

    /// Everything leaves its marks there.
    pub fn watched(mut self, watch: Option<Recorder<'a>>) -> Run<'a> {
        self.watch = watch;
        self
    }

    pub(super) fn at<'p>(&'p self, position: &'p Position) -> Eval<'p, Silent> {
        Eval::new(self.model, self.config, position).working(&self.work).watched(self.watch)
    }

    /// The same to list what could be done, which decides nothing.
    fn listing<'p>(&'p self, position: &'p Position) -> Eval<'p, Silent> {
        self.at(position).watched(self.watch.map(Recorder::idle))
    }

    /// A clause has its effect.
    pub(super) fn decided(&self, id: ClauseId) {
        if let Some(watch) = self.watch {
            watch.decided(id);
        }
    }

    /// All variables of the game with their initial values, nothing active.
    pub fn blank(&self) -> Res<Position> {
        let mut position = Position::zero(self.model);
        position.lay_out(&self.model.layout);
        for (i, var) in self.model.vars.iter().enumerate() {
            if !matches!(var.owner, VarOwner::Code(_)) {
                self.initial(&mut position, VarId(i as u16))?;
            }
        }
        Ok(position)
    }

    /// From the position before the game begins to the first decision point.
    pub fn start(&mut self, laid_out: Position) -> Res<Position> {
        let mut position = laid_out;
        self.begin(&mut position, self.model.play, &[], Span::default())?;
        self.run(&mut position, None)?;
        Ok(position)
    }

    /// From an entry to the first decision point.
    pub fn enter(&mut self, position: &mut Position, entry: usize, args: &[i32]) -> Res<()> {
        match self.prepare(position, entry, args)? {
            true => self.go_on(position),
            false => Ok(()),
        }
    }

    /// Runs the statements of an entry; `false` if they are not done.
    pub fn prepare(&mut self, position: &mut Position, entry: usize, args: &[i32]) -> Res<bool> {
        let Some(entry) = self.model.entries.get(entry) else {
            let detail = FaultDetail::NoSuchEntry;
            return Err(fault(FaultKind::BadPosition, Span::default(), detail));
        };
        self.begin(position, self.model.play, &[], entry.span)?;
        position.set_pc(self.model, entry.pc);
        let depth = position.depth(self.model);
        let args: Vec<Value> = args.iter().map(|i| Value::Int(*i)).collect();
        self.begin(position, entry.code, &args, entry.span)?;
        Ok(matches!(self.run(position, Some(depth))?, Stop::Returned))
    }

    /// Plays on to the next decision point.
    pub fn go_on(&mut self, position: &mut Position) -> Res<()> {
        self.run(position, None)?;
        Ok(())
    }

    /// Changes a position into what the effect of an action would make of it: at its end, or at the first decision,
    /// chance or ending in it. Nothing that stands around the effect happens, and no limit is used up.
    pub fn effect(&mut self, position: &mut Position, id: ActionId, args: &Args) -> Res<()> {
        let action = self.model.actions.get(id.i()).ok_or_else(no_such)?;
        let span = self.model.codes.get(action.code.i()).map_or_else(Span::default, |c| c.span);
        let args: Vec<Value> = args.as_slice().iter().map(|i| Value::Int(i32::from(*i))).collect();
        let depth = position.depth(self.model);
        self.ahead = true;
        self.begin(position, action.code, &args, span)?;
        self.run(position, Some(depth))?;
        Ok(())
    }

    /// Makes a choice and plays on to the next decision point.
    pub fn apply(&mut self, position: &mut Position, choice: Choice) -> Res<()> {
        let done = match rest(self.model, position)? {
            DecisionPoint::Over => return Err(no_such()),
            DecisionPoint::Decision(choose, _, pc) => {
                if let Some(teller) = &mut self.teller {
                    teller.acted(position, choice);
                }
                let done = self.carry_out(position, choose, choice)?;
                // Of an action the code has been begun already, and the place below it set.
                if done && !matches!(choice, Choice::Act(..)) {
                    position.set_pc(self.model, choose.leads.after(choice.answer(), pc));
                }
                done
            }
            DecisionPoint::Chance(chance, _, pc) => {
                let done = self.happened(position, chance, choice)?;
                if done {
                    position.set_pc(self.model, pc.saturating_add(1));
                }
                done
            }
        };
        if done {
            self.run(position, None)?;
        }
        Ok(())
    }

    /// Stores a decision; `false`: the same decision goes on.
    fn carry_out(&self, position: &mut Position, choose: &Choose, choice: Choice) -> Res<bool> {
        let span = choose.seat.span;
        self.decided(choose.clause);
        match (&choose.what, choice) {
            (ChooseWhat::Act { .. }, Choice::Act(id, args)) => {
                self.act(position, (id, &args), choose)?;
            }
            (ChooseWhat::Act { .. } | ChooseWhat::Several { .. }, Choice::Pass) => {}
            (ChooseWhat::One { into, .. } | ChooseWhat::Number { into, .. }, Choice::Value(value)) => {
                self.put(position, *into, 0, Value::Int(value), span)?
            }
            (ChooseWhat::One { into, .. } | ChooseWhat::Number { into, .. }, Choice::Pass) => {
                self.clear(position, *into);
            }
            (ChooseWhat::Yes { into }, Choice::Yes) => {
                self.put(position, *into, 0, Value::Int(1), span)?;
            }
            (ChooseWhat::Yes { into }, Choice::Pass) => {
                self.put(position, *into, 0, Value::Int(0), span)?;
            }
            (ChooseWhat::Several { of, into, .. }, Choice::Value(value)) => {
                let mut set = as_set(position.read(self.model, *into, 0));
                set.insert(of.bit(value).ok_or_else(no_such)?);
                self.put(position, *into, 0, Value::Set(set), span)?;
                return Ok(self.at(position).offer(choose)?.is_none());
            }
            _ => return Err(no_such()),
        }
        Ok(true)
    }

    fn act(&self, position: &mut Position, (id, args): (ActionId, &Args), choose: &Choose) -> Res<()> {
        let span = choose.seat.span;
        let action = self.model.actions.get(id.i()).ok_or_else(no_such)?;
        self.decided(action.clause);
        if let Some((var, index)) = self.listing(position).limits(id, args)? {
            self.put(position, var, index, Value::Int(1), span)?;
        }
        if let Some((_, pc)) = position.top(self.model) {
            position.set_pc(self.model, choose.leads.after(Answer::Chosen, pc));
        }
        let args: Vec<Value> = args.as_slice().iter().map(|i| Value::Int(i32::from(*i))).collect();
        self.begin(position, action.code, &args, span)
    }

    /// Stores what happened; `false`: chance goes on.
    fn happened(&self, position: &mut Position, chance: &Chance, choice: Choice) -> Res<bool> {
        let Choice::Value(value) = choice else {
            return Err(no_such());
        };
        match &chance.what {
            ChanceWhat::Pick { into, set, .. } => {
                self.put(position, *into, 0, Value::Int(value), set.span)?;
            }
            ChanceWhat::Roll { into, lo: at, .. } | ChanceWhat::Draw { into, total: at, .. } => {
                self.put(position, *into, 0, Value::Int(value), at.span)?;
            }
            ChanceWhat::Shuffle { pile, next } => {
                let index = self.at(position).index(pile)?;
                let place = position.read(self.model, *next, 0).int().unwrap_or(0);
                let Value::List(mut items) = position.read(self.model, pile.var, index) else {
                    return Err(no_such());
                };
                let from = items.iter().position(|i| i32::from(*i) == value);
                let to = usize::try_from(place).unwrap_or(0);
                let (Some(from), true) = (from, to < items.len()) else {
                    return Err(no_such());
                };
                // The others keep their order.
                let item = items.remove(from);
                items.insert(to, item);
                let more = to + 2 < items.len();
                self.put(position, pile.var, index, Value::List(items), Span::default())?;
                if more {
                    let place = Value::Int(place.saturating_add(1));
                    self.put(position, *next, 0, place, Span::default())?;
                    return Ok(false);
                }
                self.clear(position, *next);
            }
        }
        Ok(true)
    }

    pub(super) fn run(&mut self, position: &mut Position, floor: Option<usize>) -> Res<Stop> {
        let model = self.model;
        position.lay_out(&model.layout);
        let mut laps = Laps::default();
        let mut round: Option<Round> = None;
        loop {
            if position.ending(model).is_some() {
                return Ok(Stop::DecisionPoint);
            }
            if floor.is_some_and(|f| position.depth(model) <= f) {
                return Ok(Stop::Returned);
            }
            let Some((code, pc)) = position.top(model) else {
                let span = model.codes.get(model.play.i()).map(|c| c.span);
                let detail = FaultDetail::NoEnding;
                return Err(fault(FaultKind::Gap, span.unwrap_or_default(), detail));
            };
            let instrs = model.codes.get(code.i()).map_or(&[][..], |c| &c.instrs);
            let Some(instr) = instrs.get(usize::from(pc)) else {
                let detail = FaultDetail::NoInstruction;
                return Err(fault(FaultKind::BadPosition, Span::default(), detail));
            };
            if let Some(watch) = self.watch {
                watch.ran(code, pc);
            }
            self.steps += 1;
            if self.steps > MAX_STEPS {
                let detail = FaultDetail::NoDecision;
                return Err(fault(FaultKind::Endless, instr.span, detail));
            }
            if self.ahead {
                let work = self.work.get_mut();
                *work = work.saturating_add(1);
                if *work > MAX_WORK {
                    return Err(too_long(instr.span));
                }
            }
            let next = pc.saturating_add(1);
            let before = self.teller.as_ref().map(|_| position.clone());
            if let Some(round) = &mut round {
                round.pass(position.depth(model), Spot { code, pc });
            }
            let flow = self.step(position, &instr.kind, instr.span, next)?;
            match flow {
                Flow::On => position.set_pc(model, next),
                Flow::To(pc) => position.set_pc(model, pc),
                Flow::Set | Flow::DecisionPoint => {}
            }
            // Whatever comes round goes back somewhere.
            if matches!(flow, Flow::To(to) if to <= pc) && laps.again(&position.bytes()) {
                match &round {
                    Some(round) => return Err(round.fault(model)),
                    // Once more, to see what it passes through.
                    None => round = Some(Round::default()),
                }
            }
            if let Some(before) = before {
                self.tell((&before, position), Spot { code, pc }, &instr.kind);
            }
            if matches!(flow, Flow::DecisionPoint) {
                return Ok(Stop::DecisionPoint);
            }
        }
    }

    fn step(&mut self, position: &mut Position, instr: &'a InstrKind, span: Span, next: u16) -> Res<Flow> {
        let model = self.model;
        match instr {
            InstrKind::Set(target, e) => {
                let (index, value) = self.operands(position, target, e)?;
                self.put(position, target.var, index, value, span)?;
            }
            InstrKind::Change(change) => self.change(position, change, span)?,
            InstrKind::Call(code, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.at(position).eval(arg)?);
                }
                position.set_pc(model, next);
                self.begin(position, *code, &values, span)?;
                return Ok(Flow::Set);
            }
            InstrKind::Jump(to) => return Ok(Flow::To(*to)),
            InstrKind::Unless(cond, to) => {
                if !self.at(position).truth(cond)? {
                    return Ok(Flow::To(*to));
                }
            }
            InstrKind::Next { set, into, end } => {
                let mut items = as_set(position.read(model, *set, 0));
                let Some(first) = items.first() else {
                    return Ok(Flow::To(*end));
                };
                items.remove(first);
                let value = self.element(*set).of_bit(first);
                self.put(position, *set, 0, Value::Set(items), span)?;
                self.put(position, *into, 0, Value::Int(value), span)?;
            }
            InstrKind::Choose(choose) => return self.arrive(position, choose, (next.saturating_sub(1), span)),
            InstrKind::Chance(chance) => {
                if let ChanceWhat::Shuffle { next, .. } = &chance.what {
                    self.clear(position, *next);
                }
                let outcomes = self.at(position).outcomes(chance)?;
                match (outcomes.as_slice(), &chance.what) {
                    ([], _) => {}
                    ([only], ChanceWhat::Pick { .. } | ChanceWhat::Roll { .. }) => {
                        self.happened(position, chance, *only)?;
                    }
                    ([first, rest @ ..], ChanceWhat::Draw { .. }) if rest.iter().all(|o| o == first) => {
                        self.happened(position, chance, *first)?;
                    }
                    _ => return Ok(Flow::DecisionPoint),
                }
            }
            InstrKind::Unranked(list, among) => {
                let counts = counted(position, model, list, *among);
                return self.unranked(position, &counts.collect::<Vec<_>>(), span);
            }
            InstrKind::NextHook(next) => return self.next_hook(position, next, span),
            InstrKind::Hook(attached) => {
                if self.hook_applies(position, *attached)? {
                    position.set_pc(model, next);
                    self.hook(position, *attached, span)?;
                    return Ok(Flow::Set);
                }
            }
            InstrKind::HookAt(list, into) => {
                let place = position.read(model, *into, 0).int().and_then(|place| usize::try_from(place).ok());
                self.clear(position, *into);
                self.initial(position, *into)?;
                if let Some(attached) = place.and_then(|place| list.get(place))
                    && self.hook_applies(position, *attached)?
                {
                    position.set_pc(model, next);
                    self.hook(position, *attached, span)?;
                    return Ok(Flow::Set);
                }
            }
            InstrKind::Instead(list, to) => {
                if let Some(attached) = self.replacing(position, list, span)? {
                    position.set_pc(model, *to);
                    self.hook(position, attached, span)?;
                    return Ok(Flow::Set);
                }
            }
            InstrKind::StepEnd(_) => {
                if self.endings(position, None)? {
                    return Ok(Flow::DecisionPoint);
                }
            }
            InstrKind::Finish(code) => {
                if position.active(model, *code) == 0 {
                    return Err(fault(FaultKind::Nothing, span, FaultDetail::NotActive(*code)));
                }
                while position.top(model).is_some_and(|(top, _)| top != *code) {
                    position.pop(model);
                }
                return Ok(Flow::To(model.codes.get(code.i()).map_or(0, |c| c.finally)));
            }
            InstrKind::Reset(vars) => {
                for var in vars {
                    self.clear(position, *var);
                    self.initial(position, *var)?;
                }
            }
            InstrKind::Return => {
                position.pop(model);
                return Ok(Flow::Set);
            }
        }
        Ok(Flow::On)
    }

    /// Comes to a decision: asks it, or goes on where there is none to make.
    fn arrive(&mut self, position: &mut Position, choose: &Choose, (pc, span): (u16, Span)) -> Res<Flow> {
        let skip = Flow::To(choose.leads.after(Answer::Pass, pc));
        if let ChooseWhat::Act { actions, if_any } = &choose.what {
            if self.ahead {
                return Ok(Flow::DecisionPoint);
            }
            let mut ev = self.listing(position);
            let seat = ev.seat(choose)?;
            // If clauses conflict over an action, it is not known whether none is legal: the decision stands, and a
            // referee can be asked.
            let any = match ev.any_legal(actions, seat) {
                Err(fault) if matches!(fault.kind, FaultKind::Conflict | FaultKind::Gap) => true,
                any => any?,
            };
            if any || choose.anyway {
                self.endings(position, any.then_some(true))?;
                return Ok(Flow::DecisionPoint);
            }
            if choose.optional || *if_any {
                if let Some(skipped) = &mut self.skipped {
                    skipped.push(Skipped { position: position.clone(), seat });
                }
                return Ok(skip);
            }
            if self.endings(position, Some(false))? {
                return Ok(Flow::DecisionPoint);
            }
            return Err(Box::new(Fault {
                kind: FaultKind::Gap,
                clauses: vec![choose.clause],
                span,
                detail: FaultDetail::NoLegalAction,
            }));
        }
        if let ChooseWhat::Several { into, .. } = &choose.what {
            self.clear(position, *into);
        }
        if self.at(position).offer(choose)?.is_some() {
            return Ok(Flow::DecisionPoint);
        }
        if let ChooseWhat::One { into, .. } | ChooseWhat::Number { into, .. } = &choose.what {
            self.clear(position, *into);
        }
        Ok(Flow::On)
    }

    /// Looks at the endings; whether one ends the game. Where an action is to be chosen, `any_legal` says whether one
    /// is legal.
    fn endings(&self, position: &mut Position, any_legal: Option<bool>) -> Res<bool> {
        let mut ev = self.at(position);
        ev.any_legal = any_legal;
        let Some((ending, winners)) = ev.ending()? else {
            return Ok(false);
        };
        if let Some(end) = self.model.ends.get(ending) {
            self.decided(end.clause);
        }
        position.end(self.model, ending, winners);
        Ok(true)
    }
}

pub(super) fn no_such() -> Box<Fault> {
    fault(FaultKind::BadPosition, Span::default(), FaultDetail::NoSuchChoice)
}
