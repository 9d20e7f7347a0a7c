//! The lowered rules as a whole: instructions, endings, actions.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::ask::Ask;
use super::bits::{Bits, NARROW};
use super::change::Change;
use super::fallback::Fallback;
use super::fills::{Fill, joined};
use super::hook::{Group, Hook, Listed};
use super::ir::{Cond, Num, SetE, Shared};
use super::leaf::{Leaf, Visit};
use super::legal::Act;
use super::lower::{Env, Local, Low, Lower};
use super::order::{HookAt, NextHook};
use super::place::{Place, Singles};
use super::tree::{depends_only_on, of};
use crate::model::{
    Answer, Attached, Base, ClauseId, CodeId, Expr, ExprKind, InstrKind, Layout, Leads, Model, PLAYER, Target, VarId,
    VarOwner,
};
use crate::span::Span;

/// A value to be stored.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Num(Num),
    Set(SetE),
    /// A copy of a bag.
    Bag(Store),
}

/// A bag by which another changes.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Nothing is in it.
    Empty,
    /// A variable.
    Var(Store),
    /// The printed one of a member: of each member a row, and which member it is.
    Printed(Arc<[i32]>, Num),
}

/// Where something is stored: the variable's place, what it holds, and which entry.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub place: Place,
    pub holds: Holds,
    pub index: Num,
}

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Scalar,
    /// A set; bit 0 stands for this number.
    Set(i32),
    List,
    Bag,
}

/// How a decision is asked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct How {
    /// Whether doing nothing is an option.
    pub optional: bool,
    /// Whether it is asked even where doing nothing is the only option.
    pub anyway: bool,
    /// Where play goes on.
    pub leads: Leads,
}

impl How {
    /// Where play goes on after an answer.
    pub fn after(&self, answer: Answer, (code, at): (usize, u16)) -> (usize, u16) {
        (code, self.leads.after(answer, at))
    }
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Set(Store, Val),
    Change(Change),
    Call(usize, Box<[Val]>),
    Jump(u16),
    Unless(Cond, u16),
    Next {
        set: Store,
        into: Store,
        end: u16,
    },
    Choose {
        ask: Ask,
        seat: Num,
        how: How,
    },
    Chance {
        ask: Ask,
    },
    /// `groups` are for hooks of bearers.
    Unranked {
        hooks: Box<[Hook]>,
        groups: Box<[Group]>,
    },
    NextHook(Box<NextHook>),
    Hook(Box<Hook>),
    Instead(Box<Listed>, u16),
    HookAt(Box<HookAt>),
    StepEnd,
    Finish(usize),
    /// Bytes to fill and with what, then first values.
    Reset(Box<[Fill]>, Box<[(Store, Val)]>),
    /// Variables to clear, of a code that can be active several times.
    Forget(Box<[Place]>),
    Return,
    /// For the explaining evaluator, and why.
    Other(Fallback),
}

/// A code.
#[derive(Clone, Debug)]
pub(super) struct CodeX {
    pub ops: Vec<Op>,
    /// Where they are written.
    pub spans: Vec<Span>,
    pub params: Vec<Store>,
    /// First values of the other variables.
    pub inits: Vec<(Store, Val)>,
    /// Bytes of its variables at the first level, and how far apart the levels are.
    pub clear: Vec<(u32, u32, u32)>,
    /// The byte that counts how many are active, and how many can be.
    pub active: Option<(u32, u8)>,
    pub finally: u16,
}

/// An ending, for one holder.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    pub index: usize,
    pub applies: Cond,
    pub winners: Winners,
    pub beats: Vec<ClauseId>,
    pub clause: ClauseId,
    /// Whether it asks if some action is legal.
    pub some_legal: bool,
}

/// Who wins by an ending.
#[derive(Clone, Debug)]
pub(super) enum Winners {
    Wins(Val),
    Loses(Val),
    Draw,
}

/// The lowered rules.
#[derive(Debug)]
pub(super) struct Program {
    pub shared: Shared,
    pub codes: Vec<CodeX>,
    pub acts: Vec<Act>,
    pub ends: Vec<Ending>,
    pub seats: u32,
    /// What a seat scores, with its slot; nothing without a score, or where the explaining evaluator is to tell it.
    pub score: Option<(Num, u16)>,
    /// Whether telling what a seat scores can fail.
    pub score_may_fail: bool,
    /// The same for what a position is worth to a seat.
    pub worth: Option<(Num, u16)>,
    pub slots: usize,
    pub sets: usize,
    /// Of each slot the lowest value and how many there can be, where that is known.
    pub spans: Vec<Option<(i32, usize)>>,
    /// How often more had to be worked out than is waited for.
    pub passed: AtomicU32,
    /// Whether a variable is for a set of more than 128.
    pub wide: bool,
    /// Of each slot for a set how many members it can have.
    pub set_spans: Vec<u32>,
    /// The bytes of bags: the first of each, and how many.
    pub bags: Vec<(u32, u32)>,
    /// Where single numbers are, and what they can be.
    pub singles: Vec<Singles>,
    /// The slot of the seat that decides.
    pub seat: u16,
    /// The code that is the lowest of every stack.
    pub play: usize,
    /// For each code the places to which it gives back: a code and an instruction.
    pub returns: Vec<Vec<(usize, u16)>>,
    /// Bytes that the endings look at: the first of each part, and how many.
    pub watched: Vec<(u32, u32)>,
    /// The number of the first instruction of each code.
    firsts: Vec<u32>,
    /// Where everything is in the block of a position.
    pub layout: Layout,
}

impl Program {
    /// The rules lowered; or why not, and the expression at which it was found.
    pub fn new(model: &Model, config: &[i32]) -> Result<Program, (Option<Span>, Fallback)> {
        let mut low = Lower::new(model, config);
        Program::lowered(&mut low).map_err(|why| (low.at.get(), why))
    }

    fn lowered(low: &mut Lower) -> Low<Program> {
        let model = low.model;
        if model.silences.len() > 60 || model.layout.size > 60_000 {
            return Err(Fallback::TooLarge);
        }
        let seat = low.slot()?;
        let mut acts = Vec::new();
        for i in 0..model.actions.len() {
            acts.push(low.action(crate::model::ActionId(i as u16), seat)?);
        }
        let mut codes = Vec::new();
        for i in 0..model.codes.len() {
            codes.push(low.code(CodeId(i as u16))?);
        }
        super::ask::leave_out_impossible(&mut codes, &acts, &low.shared);
        let ends = low.ends()?;
        let mut of_seat = |e: Option<&Expr>| {
            let slot = low.slot().ok()?;
            let mut env = Env::default();
            env.set(0, Local::Slot(slot));
            Some((low.num(e?, &mut env).ok()?, slot))
        };
        let (score, worth) = (of_seat(model.score.as_ref()), of_seat(model.worth()));
        let mut firsts = Vec::new();
        let mut first = 0;
        for c in &codes {
            firsts.push(first);
            first += c.ops.len() as u32;
        }
        let program = Program {
            returns: returns(&codes, &acts),
            watched: watched(&low.shared, &ends),
            firsts,
            layout: model.layout.clone(),
            codes,
            acts,
            ends,
            score_may_fail: match &score {
                Some((score, _)) => of(&low.shared, score).risky,
                None => model.score.is_some(),
            },
            score,
            worth,
            seats: model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len()).min(32) as u32,
            slots: low.scratch.slots.len(),
            sets: low.scratch.sets.len(),
            spans: std::mem::take(&mut low.scratch.spans),
            passed: AtomicU32::new(0),
            wide: model.vars.iter().any(|v| matches!(v.ty.base, Base::Set(_)) && v.place.width as usize > NARROW / 8),
            set_spans: std::mem::take(&mut low.set_spans),
            bags: super::place::bags(model),
            singles: super::place::singles(model),
            shared: std::mem::take(&mut low.shared),
            seat,
            play: model.play.i(),
        };
        low.at.set(None);
        if program.is_endless() { Err(Fallback::TooMuchWork) } else { Ok(program) }
    }
}

impl Program {
    /// Visits all leaves of all trees, with the code they belong to, if any. Shared trees belong to none, and are
    /// visited once.
    pub fn walk(&self, f: &mut dyn FnMut(Option<usize>, Leaf)) {
        for (i, code) in self.codes.iter().enumerate() {
            code.walk(&mut |leaf| f(Some(i), leaf));
        }
        let f = &mut |leaf| f(None, leaf);
        self.shared.walk_all(f);
        self.acts.iter().for_each(|a| a.walk(f));
        self.ends.iter().for_each(|e| e.walk(f));
        self.score.iter().chain(&self.worth).for_each(|(n, _)| n.walk(f));
    }
}

impl Val {
    fn walk(&self, f: Visit) {
        match self {
            Val::Num(n) => n.walk(f),
            Val::Set(s) => s.walk(f),
            Val::Bag(store) => store.walk(f),
        }
    }
}

impl Store {
    pub fn walk(&self, f: Visit) {
        self.index.walk(f);
    }
}

impl CodeX {
    fn walk(&self, f: Visit) {
        self.params.iter().for_each(|p| p.walk(f));
        for (store, val) in &self.inits {
            store.walk(f);
            val.walk(f);
        }
        self.ops.iter().for_each(|op| op.walk(f));
    }
}

impl Op {
    /// Visits all leaves of its trees.
    pub fn walk(&self, f: Visit) {
        match self {
            Op::Set(store, val) => {
                store.walk(f);
                val.walk(f);
            }
            Op::Change(change) => change.walk(f),
            Op::Call(_, args) => args.iter().for_each(|a| a.walk(f)),
            Op::Unless(c, _) => c.walk(f),
            Op::Next { set, into, .. } => {
                set.walk(f);
                into.walk(f);
            }
            Op::Choose { ask, seat, .. } => {
                ask.walk(f);
                seat.walk(f);
            }
            Op::Chance { ask } => ask.walk(f),
            Op::Unranked { hooks, groups } => {
                hooks.iter().for_each(|h| h.walk(f));
                groups.iter().for_each(|g| g.walk(f));
            }
            Op::NextHook(next) => {
                next.hooks.walk(f);
                [&next.left, &next.open, &next.into].into_iter().for_each(|store| store.walk(f));
            }
            Op::Instead(hooks, _) => hooks.walk(f),
            Op::HookAt(at) => {
                at.hooks.walk(f);
                at.place.walk(f);
            }
            Op::Hook(hook) => hook.walk(f),
            Op::Reset(_, inits) => inits.iter().for_each(|(store, val)| {
                store.walk(f);
                val.walk(f);
            }),
            Op::Jump(_) | Op::StepEnd | Op::Finish(_) | Op::Forget(_) | Op::Return | Op::Other(_) => {}
        }
    }
}

impl Ending {
    /// Visits all leaves of its trees.
    pub fn walk(&self, f: Visit) {
        self.applies.walk(f);
        match &self.winners {
            Winners::Wins(v) | Winners::Loses(v) => v.walk(f),
            Winners::Draw => {}
        }
    }
}

/// Where each code gives back.
fn returns(codes: &[CodeX], acts: &[Act]) -> Vec<Vec<(usize, u16)>> {
    let mut all = vec![Vec::new(); codes.len()];
    let mut add = |code: usize, place: (usize, u16)| {
        if let Some(list) = all.get_mut(code)
            && !list.contains(&place)
        {
            list.push(place);
        }
    };
    for (i, c) in codes.iter().enumerate() {
        for (pc, op) in c.ops.iter().enumerate() {
            let next = (i, pc as u16 + 1);
            match op {
                Op::Call(code, _) => add(*code, next),
                Op::Hook(hook) => add(hook.code, next),
                Op::Unranked { hooks, .. } => hooks.iter().for_each(|h| add(h.code, next)),
                Op::Instead(hooks, to) => hooks.codes().for_each(|code| add(code, (i, *to))),
                Op::HookAt(at) => at.hooks.codes().for_each(|code| add(code, next)),
                Op::Choose { ask: Ask::Act { acts: which, .. }, .. } => {
                    which.iter().filter_map(|a| acts.get(*a)).for_each(|a| add(a.code, next));
                }
                _ => {}
            }
        }
    }
    all
}

/// The bytes that endings look at.
fn watched(shared: &Shared, ends: &[Ending]) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for end in ends {
        all.extend(of(shared, &end.applies).reads);
        if let Winners::Wins(v) | Winners::Loses(v) = &end.winners {
            all.extend(match v {
                Val::Num(n) => of(shared, n).reads,
                Val::Set(s) => of(shared, s).reads,
                Val::Bag(_) => Vec::new(),
            });
        }
    }
    all
}

impl Lower<'_> {
    pub fn store(&mut self, var: VarId, index: Option<&Expr>) -> Low<Store> {
        let base = self.model.vars.get(var.i()).map(|v| v.ty.base.clone()).ok_or(Fallback::Form)?;
        let holds = match &base {
            Base::Set(of) => Holds::Set(self.span(of)?.0),
            Base::List(_) => Holds::List,
            Base::Bag(_) => Holds::Bag,
            _ => Holds::Scalar,
        };
        let index = index.map_or(Ok(Num::Const(0)), |e| self.num(e, &mut Env::default()))?;
        let mut place = self.place(var)?;
        let owner = self.model.vars.get(var.i()).map(|v| v.owner);
        if place.level == 0 && owner.is_some_and(|owner| self.within.map(VarOwner::Code) == Some(owner)) {
            // The code that writes it is active.
            place.active = None;
        }
        Ok(Store { place, holds, index })
    }

    pub fn target(&mut self, t: &Target) -> Low<Store> {
        self.store(t.var, t.index.as_ref())
    }

    fn val(&mut self, store: &Store, e: &Expr, env: &mut Env) -> Low<Val> {
        match store.holds {
            Holds::Scalar => Ok(Val::Num(self.num(e, env)?)),
            Holds::Set(_) => Ok(Val::Set(self.set(e, env)?)),
            Holds::Bag => match &e.kind {
                ExprKind::Var { var, index } => Ok(Val::Bag(self.store(*var, index.as_deref())?)),
                _ => Err(Fallback::Form),
            },
            Holds::List => Err(Fallback::Form),
        }
    }

    /// The first values of a variable.
    fn inits(&mut self, var: VarId) -> Low<Vec<(Store, Val)>> {
        let model = self.model;
        let v = model.vars.get(var.i()).ok_or(Fallback::Form)?;
        let Some(init) = &v.init else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for index in 0..v.place.count {
            let mut store = self.store(var, None)?;
            store.index = Num::Const(index as i32);
            let mut env = Env::default();
            env.set(0, Local::Const(index as i32));
            let val = self.val(&store, init, &mut env)?;
            all.push((store, val));
        }
        Ok(all)
    }

    fn code(&mut self, id: CodeId) -> Low<CodeX> {
        let model = self.model;
        let c = model.codes.get(id.i()).ok_or(Fallback::Form)?;
        self.within = Some(id);
        let mut code = CodeX {
            ops: Vec::new(),
            spans: c.instrs.iter().map(|i| i.span).collect(),
            params: Vec::new(),
            inits: Vec::new(),
            clear: Vec::new(),
            active: c.active.map(|at| (at, c.nested)),
            finally: c.finally,
        };
        for var in &c.params {
            code.params.push(self.store(*var, None)?);
        }
        for var in &c.vars {
            let p = self.place(*var)?;
            let size = p.width * p.count;
            match code.clear.last_mut() {
                Some((at, len, 0)) if *at + *len == p.at && p.level == 0 => *len += size,
                _ => code.clear.push((p.at, size, p.level)),
            }
            if !c.params.contains(var) {
                let inits = self.inits(*var)?;
                code.inits.extend(inits);
            }
        }
        for instr in &c.instrs {
            // What cannot be lowered is left to the explaining evaluator when it comes to it.
            code.ops.push(self.op(&instr.kind).unwrap_or_else(Op::Other));
        }
        self.within = None;
        Ok(code)
    }

    /// Those hooks that can apply.
    fn all_hooks(&mut self, list: &[Attached]) -> Low<Box<[Hook]>> {
        list.iter().map(|a| self.hook(a)).collect()
    }

    fn op(&mut self, instr: &InstrKind) -> Low<Op> {
        let env = &mut Env::default();
        Ok(match instr {
            InstrKind::Set(target, e) => {
                let store = self.target(target)?;
                let val = self.val(&store, e, env)?;
                Op::Set(store, val)
            }
            InstrKind::Change(change) => self.change(change)?,
            InstrKind::Call(code, args) => {
                let params = &self.model.codes.get(code.i()).ok_or(Fallback::Form)?.params;
                if args.len() > 8 || args.len() > params.len() {
                    return Err(Fallback::Form);
                }
                let mut values = Vec::new();
                for (arg, var) in args.iter().zip(params) {
                    let store = self.store(*var, None)?;
                    values.push(self.val(&store, arg, env)?);
                }
                Op::Call(code.i(), values.into())
            }
            InstrKind::Jump(to) => Op::Jump(*to),
            InstrKind::Unless(c, to) => Op::Unless(self.cond(c, env)?, *to),
            InstrKind::Next { set, into, end } => {
                let (set, into) = (self.store(*set, None)?, self.store(*into, None)?);
                if !matches!(set.holds, Holds::Set(_)) {
                    return Err(Fallback::Form);
                }
                Op::Next { set, into, end: *end }
            }
            InstrKind::Choose(c) => self.choose(c)?,
            InstrKind::Chance(c) => Op::Chance { ask: self.chance(c)? },
            InstrKind::Unranked(list, None) => self.unranked(list)?,
            InstrKind::Unranked(list, Some(among)) => {
                let among = self.store(*among, None)?.place;
                let mut hooks = self.all_hooks(list)?.into_vec();
                for (i, hook) in hooks.iter_mut().enumerate() {
                    let counts = Cond::In(Box::new(Num::Const(i as i32)), Box::new(SetE::Var(among)), 0);
                    let applies = std::mem::replace(&mut hook.applies, Cond::Const(false));
                    hook.applies = Cond::All(Box::new([counts, applies]));
                }
                Op::Unranked { hooks: hooks.into(), groups: Box::default() }
            }
            InstrKind::NextHook(next) => Op::NextHook(Box::new(NextHook {
                hooks: self.listed(&next.hooks)?,
                left: self.store(next.left, None)?,
                open: self.store(next.open, None)?,
                into: self.store(next.into, None)?,
                settled: next.settled,
                end: next.end,
            })),
            InstrKind::HookAt(list, into) => self.hook_at(list, *into)?,
            InstrKind::Hook(a) => Op::Hook(Box::new(self.hook(a)?)),
            InstrKind::Instead(list, to) => self.instead(list, *to)?,
            InstrKind::StepEnd(_) => Op::StepEnd,
            InstrKind::Finish(code) => Op::Finish(code.i()),
            InstrKind::Reset(vars) => {
                let places: Vec<Place> = vars.iter().map(|v| self.place(*v)).collect::<Low<_>>()?;
                let (mut inits, mut fills) = (Vec::new(), Vec::new());
                for (var, place) in vars.iter().zip(&places) {
                    match self.first_byte(*var, place) {
                        Some(byte) => fills.push((place.at, place.count, byte)),
                        None => {
                            fills.push((place.at, place.width * place.count, 0));
                            inits.extend(self.inits(*var)?);
                        }
                    }
                }
                if places.iter().any(|p| p.level > 0) {
                    return if inits.is_empty() { Ok(Op::Forget(places.into())) } else { Err(Fallback::Form) };
                }
                // First values that depend on other variables of the list would have to be taken in turn.
                let still = |v: &Val| match v {
                    Val::Num(n) => depends_only_on(&of(&self.shared, n), &[]),
                    Val::Set(s) => depends_only_on(&of(&self.shared, s), &[]),
                    Val::Bag(_) => false,
                };
                if !inits.iter().all(|(_, v)| still(v)) {
                    return Err(Fallback::Form);
                }
                Op::Reset(joined(fills).into(), inits.into())
            }
            InstrKind::Return => Op::Return,
        })
    }
}

impl Program {
    /// The number of an instruction among all.
    pub fn number(&self, (code, pc): (usize, u16)) -> u32 {
        self.firsts.get(code).map_or(u32::MAX, |first| first + u32::from(pc))
    }
}

/// The bits of the seats.
pub(super) fn seats(n: u32) -> u32 {
    Bits::below(n as usize).narrow() as u32
}
