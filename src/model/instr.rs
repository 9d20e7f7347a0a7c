//! Codes: procedures, hooks and effects as flat lists of instructions, so that a suspended one is an index in a list.

use super::{ActionId, ClauseId, CodeId, Expr, HookId, Leads, Model, Template, Text, VarId};
use crate::span::Span;

/// A procedure, a hook, the effect of an action, or what an entry sets.
#[derive(Clone, Debug)]
pub struct Code {
    /// `battle`, or for a hook `at battle.powers`.
    pub name: String,
    /// Its nature.
    pub kind: CodeKind,
    /// Parameters in order.
    pub params: Vec<VarId>,
    /// All variables, parameters included: zeroed when it is left.
    pub vars: Vec<VarId>,
    /// How many instances of it can be on the stack.
    pub nested: u8,
    /// The byte of a position that counts its instances on the stack. Without one there is at most one, and nothing
    /// else changes its variables.
    pub active: Option<u32>,
    /// The instructions; the last is a `Return`.
    pub instrs: Vec<Instr>,
    /// Where `finally` begins; `finish` goes there.
    pub finally: u16,
    /// Its steps.
    pub steps: Vec<Step>,
    /// What a seat is asked to do in it, in words; empty if it does not say.
    pub asks: Text,
    /// Citations.
    pub cites: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

/// The nature of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// A procedure.
    Procedure,
    /// A hook's block.
    Hook(HookId),
    /// The effect of an action.
    Action(ActionId),
    /// The statements of an entry.
    Entry,
}

/// A named step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// Its label for people.
    pub label: Text,
    /// What a seat is asked to do in it, in words; empty if it does not say.
    pub asks: Text,
    /// Citations.
    pub cites: Vec<String>,
    /// First instruction.
    pub start: u16,
    /// One past the last.
    pub end: u16,
    /// Where its name stands.
    pub span: Span,
    /// The whole step.
    pub whole: Span,
}

/// A variable, or the entry of an indexed one.
#[derive(Clone, Debug)]
pub struct Target {
    /// The variable.
    pub var: VarId,
    /// Which entry. It is a fault if it is nothing.
    pub index: Option<Expr>,
}

/// What is done to a bag with another of its type. More copies of a value than [`super::MAX_COPIES`] are a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BagOp {
    /// It becomes a copy of the other.
    Become,
    /// It gains as many copies as the other has.
    Add,
    /// It loses as many copies as the other has, down to none.
    Less,
}

/// A change of what sets, ordered piles or bags hold.
#[derive(Clone, Debug)]
pub enum Change {
    /// Adds to a set, puts on a pile or a copy into a bag; a member that is in the set or pile already stays where it
    /// is.
    Put(Expr, Target),
    /// Takes out of a set, a pile or a bag; a fault if it is not there.
    Take(Expr, Target),
    /// All members of the first to the second, in order; of bags all copies.
    MoveAll(Target, Target),
    /// Changes a bag by another, or by an empty one. A bag that is not there is a fault.
    Bag(BagOp, Target, Option<Expr>),
    /// Changes how many copies of one value a bag holds.
    Count(Box<Count>),
}

/// A change of the number of copies of one value. Fewer than none, or more than [`super::MAX_COPIES`], are a fault.
#[derive(Clone, Debug)]
pub struct Count {
    /// Whether the number replaces the one that is there, is added to it or taken from it.
    pub op: CountOp,
    /// The number.
    pub number: Expr,
    /// What is counted.
    pub item: Expr,
    /// The bag.
    pub bag: Target,
}

/// What is done to a number of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountOp {
    /// It becomes the number.
    Become,
    /// The number is added.
    Add,
    /// The number is taken away.
    Less,
}

impl Change {
    /// What is put or taken, and what is changed.
    #[must_use]
    pub fn parts(&self) -> (Vec<&Expr>, Vec<&Target>) {
        match self {
            Change::Put(item, target) | Change::Take(item, target) => (vec![item], vec![target]),
            Change::MoveAll(from, to) => (Vec::new(), vec![from, to]),
            Change::Bag(_, to, other) => (other.iter().collect(), vec![to]),
            Change::Count(count) => (vec![&count.number, &count.item], vec![&count.bag]),
        }
    }
}

impl From<Change> for InstrKind {
    fn from(change: Change) -> InstrKind {
        InstrKind::Change(change)
    }
}

/// A hook, for one holder of its ability if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attached {
    /// The hook.
    pub hook: HookId,
    /// The holder: the value of the clause's holder local and of the code's first parameter.
    pub holder: Option<u16>,
    /// Where fields say who has the ability now, instead of the holder: which of the sets of [`super::Hook::bearers`]
    /// it is about.
    pub bearers: Option<u16>,
}

impl Attached {
    /// A hook for one holder, or of no ability.
    #[must_use]
    pub fn of(hook: HookId, holder: Option<u16>) -> Attached {
        Attached { hook, holder, bearers: None }
    }

    /// A hook for whoever has its ability now.
    #[must_use]
    pub fn borne(hook: HookId, bearers: u16) -> Attached {
        Attached { hook, holder: None, bearers: Some(bearers) }
    }

    /// The holders that it can be for, `None` for no ability.
    #[must_use]
    pub fn holders(&self, model: &super::Model) -> Vec<Option<u16>> {
        let Some(of) = self.bearers else { return vec![self.holder] };
        let hook = model.hooks.get(self.hook.i());
        let set = hook.and_then(|hook| hook.bearers.get(usize::from(of)));
        set.into_iter().flat_map(|s| s.iter()).map(|h| Some(h as u16)).collect()
    }
}

/// Finds which of some hooks is next. They are known by their places in the list, as the members of a kind made for it.
#[derive(Clone, Debug)]
pub struct NextHook {
    /// The hooks.
    pub hooks: Vec<Attached>,
    /// The set of those that are left.
    pub left: VarId,
    /// Where the set of those that apply is put, if a seat is to be asked which is next.
    pub open: VarId,
    /// Where the next is put, if only one applies, or if they may happen in any order.
    pub into: VarId,
    /// Where play goes on if nobody is to be asked.
    pub settled: u16,
    /// Where play goes on if none applies.
    pub end: u16,
}

/// An instruction. Its expressions have no locals except those that their own quantifiers bind.
#[derive(Clone, Debug)]
pub struct Instr {
    /// What it does.
    pub kind: InstrKind,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of instruction.
#[derive(Clone, Debug)]
pub enum InstrKind {
    /// Sets a variable; a value out of range, or nothing where a value is required, is a fault.
    Set(Target, Expr),
    /// Changes what sets, piles or bags hold.
    Change(Change),
    /// Begins a procedure.
    Call(CodeId, Vec<Expr>),
    /// Goes to an instruction.
    Jump(u16),
    /// Goes on if the condition holds, else to an instruction.
    Unless(Expr, u16),
    /// Takes the first of a set variable into a variable, or goes to an instruction if it is empty.
    Next { set: VarId, into: VarId, end: u16 },
    /// A seat decides.
    Choose(Box<Choose>),
    /// Chance.
    Chance(Box<Chance>),
    /// Runs those hooks of a list that apply when it is reached. They have no order: if several apply, the result must
    /// not depend on it. With a variable, only those count whose places in the list are in that set.
    Unranked(Vec<Attached>, Option<VarId>),
    /// Which hook is next.
    NextHook(Box<NextHook>),
    /// Runs the hook whose place a variable gives, if it applies; the variable begins anew.
    HookAt(Vec<Attached>, VarId),
    /// Runs a hook if it applies.
    Hook(Attached),
    /// Runs the one of these that applies and goes to an instruction; goes on if none applies; two that apply are a
    /// conflict.
    Instead(Vec<Attached>, u16),
    /// A step is over: the endings are checked.
    StepEnd(u16),
    /// Leaves a procedure that is active: to its `finally`.
    Finish(CodeId),
    /// Resets variables: limits, and variables of blocks that have been left.
    Reset(Vec<VarId>),
    /// Back to the caller.
    Return,
}

/// A decision.
#[derive(Clone, Debug)]
pub struct Choose {
    /// Who decides.
    pub seat: Expr,
    /// What.
    pub what: ChooseWhat,
    /// Whether doing nothing is an option (it is the last one).
    pub optional: bool,
    /// Where play goes on, by the answer.
    pub leads: Leads,
    /// It is asked even where doing nothing is the only option.
    pub anyway: bool,
    /// Others must not see the result yet.
    pub secret: bool,
    /// Others are not told of it until this holds. Names of its code mean what they were when it was made.
    pub until: Option<Expr>,
    /// Notation of a choice; the variable chosen is a variable of the code, here seen with its new value.
    pub log: Template,
    /// Notation of doing nothing.
    pub otherwise: Template,
    /// What the seat is asked to do, in words; empty if it does not say.
    pub asks: Text,
    /// Citations.
    pub cites: Vec<String>,
    /// Identity, for reports.
    pub clause: ClauseId,
}

/// What is decided.
#[derive(Clone, Debug)]
pub enum ChooseWhat {
    /// One of a set, into a variable. An empty set is a fault, unless optional: then nothing is asked.
    One { set: Expr, of: super::Base, into: VarId },
    /// The next of several of a set: options are the members after the last chosen; at least `lo`, at most `hi` in all,
    /// "done" once `lo` are chosen. The instruction repeats until done.
    Several { set: Expr, of: super::Base, lo: Expr, hi: Expr, into: VarId },
    /// A number.
    Number { lo: Expr, hi: Expr, into: VarId },
    /// One of some actions. With `if_any`, or optional, nothing is asked if none is legal.
    Act { actions: Vec<ActionId>, if_any: bool },
    /// Yes, or no; into a variable. Its notation is the label.
    Yes { into: VarId },
}

/// Chance.
#[derive(Clone, Debug)]
pub struct Chance {
    /// What happens.
    pub what: ChanceWhat,
    /// Notation of an outcome.
    pub log: Template,
    /// Citations.
    pub cites: Vec<String>,
}

/// What happens by chance.
#[derive(Clone, Debug)]
pub enum ChanceWhat {
    /// One of a set, equally likely. An empty set is a fault; of one there is no chance.
    Pick { set: Expr, of: super::Base, into: VarId },
    /// One of what is in a bag, by its number of copies. `total` is the sum of them over what may be drawn. Nothing to
    /// draw is a fault; of one value there is no chance, however many copies.
    Draw { total: Expr, of: super::Base, into: VarId },
    /// A number, equally likely.
    Roll { lo: Expr, hi: Expr, into: VarId },
    /// Which member of an ordered pile comes at place `next`; repeats until all are placed (members before `next` are
    /// settled, those after keep their order). `next` is nothing, which counts as 0, before and after.
    Shuffle { pile: Target, next: VarId },
}

impl Model {
    /// Whether copies are drawn, so that an outcome may be listed several times.
    #[must_use]
    pub fn draws(&self) -> bool {
        let draws =
            |kind: &InstrKind| matches!(kind, InstrKind::Chance(c) if matches!(c.what, ChanceWhat::Draw { .. }));
        self.codes.iter().flat_map(|c| &c.instrs).any(|i| draws(&i.kind))
    }
}

impl Model {
    /// What a seat is asked to do at an instruction, in the words of the rules: those of the choice, else of the
    /// innermost step that has some, else of the procedure.
    #[must_use]
    pub fn asks(&self, (code, instr): (CodeId, u16)) -> Option<&Text> {
        let code = self.codes.get(code.i())?;
        let choice = code.instrs.get(usize::from(instr)).and_then(|i| match &i.kind {
            InstrKind::Choose(choose) => Some(&choose.asks),
            _ => None,
        });
        let steps = code.steps.iter().filter(|s| s.holds(instr));
        choice.filter(|text| !text.text.is_empty()).or_else(|| code.asks_in(steps))
    }

    /// The label of the step in which an instruction stands.
    #[must_use]
    pub fn phase(&self, (code, instr): (CodeId, u16)) -> Option<&Text> {
        let steps = &self.codes.get(code.i())?.steps;
        steps.iter().filter(|s| s.holds(instr)).map(|s| &s.label).find(|label| !label.text.is_empty())
    }
}

impl Code {
    /// What is asked in some of its steps, in the words of the first that has any, else in its own.
    pub fn asks_in<'c>(&'c self, steps: impl IntoIterator<Item = &'c Step>) -> Option<&'c Text> {
        steps.into_iter().map(|s| &s.asks).chain([&self.asks]).find(|text| !text.text.is_empty())
    }
}

impl Step {
    /// Whether an instruction of its code stands in it.
    #[must_use]
    pub fn holds(&self, instr: u16) -> bool {
        (self.start..self.end).contains(&instr)
    }
}

impl Choose {
    /// What a thing that is chosen is, where it is one of a set.
    #[must_use]
    pub fn of(&self) -> Option<&super::Base> {
        match &self.what {
            ChooseWhat::One { of, .. } | ChooseWhat::Several { of, .. } => Some(of),
            _ => None,
        }
    }

    /// The variable that it is put into.
    #[must_use]
    pub fn var(&self) -> Option<VarId> {
        match &self.what {
            ChooseWhat::One { into, .. }
            | ChooseWhat::Several { into, .. }
            | ChooseWhat::Number { into, .. }
            | ChooseWhat::Yes { into } => Some(*into),
            ChooseWhat::Act { .. } => None,
        }
    }
}

impl InstrKind {
    /// The expressions it evaluates, without those of a notation.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            InstrKind::Set(target, e) => target.index.iter().chain([e]).collect(),
            InstrKind::Change(change) => {
                let (items, targets) = change.parts();
                targets.into_iter().flat_map(|t| &t.index).chain(items).collect()
            }
            InstrKind::Call(_, args) => args.iter().collect(),
            InstrKind::Unless(e, _) => vec![e],
            InstrKind::Choose(choose) => match &choose.what {
                ChooseWhat::One { set, .. } => vec![&choose.seat, set],
                ChooseWhat::Several { set, lo, hi, .. } => vec![&choose.seat, set, lo, hi],
                ChooseWhat::Number { lo, hi, .. } => vec![&choose.seat, lo, hi],
                ChooseWhat::Act { .. } | ChooseWhat::Yes { .. } => vec![&choose.seat],
            },
            InstrKind::Chance(chance) => match &chance.what {
                ChanceWhat::Pick { set, .. } => vec![set],
                ChanceWhat::Draw { total, .. } => vec![total],
                ChanceWhat::Roll { lo, hi, .. } => vec![lo, hi],
                ChanceWhat::Shuffle { pile, .. } => pile.index.iter().collect(),
            },
            InstrKind::Jump(_)
            | InstrKind::Next { .. }
            | InstrKind::Unranked(..)
            | InstrKind::NextHook(_)
            | InstrKind::HookAt(..)
            | InstrKind::Hook(_)
            | InstrKind::Instead(..)
            | InstrKind::StepEnd(_)
            | InstrKind::Finish(_)
            | InstrKind::Reset(_)
            | InstrKind::Return => Vec::new(),
        }
    }

    /// The variables that rules name as what it changes, with their entries.
    #[must_use]
    pub fn targets(&self) -> Vec<&Target> {
        match self {
            InstrKind::Set(to, _) => vec![to],
            InstrKind::Change(change) => change.parts().1,
            InstrKind::Chance(chance) => match &chance.what {
                ChanceWhat::Shuffle { pile, .. } => vec![pile],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The variables that it changes itself, without those that codes it begins change.
    #[must_use]
    pub fn writes(&self) -> Vec<VarId> {
        let mut found: Vec<VarId> = self.targets().into_iter().map(|t| t.var).collect();
        found.extend(self.fills());
        found
    }

    /// The variables that it changes though rules do not name them there: what is chosen, rolled or next, and what
    /// begins anew.
    #[must_use]
    pub fn fills(&self) -> Vec<VarId> {
        match self {
            InstrKind::Next { set, into, .. } => vec![*set, *into],
            InstrKind::NextHook(next) => vec![next.open, next.into],
            InstrKind::HookAt(_, into) => vec![*into],
            InstrKind::Reset(vars) => vars.clone(),
            InstrKind::Choose(choose) => match &choose.what {
                ChooseWhat::One { into, .. }
                | ChooseWhat::Several { into, .. }
                | ChooseWhat::Number { into, .. }
                | ChooseWhat::Yes { into } => vec![*into],
                ChooseWhat::Act { .. } => Vec::new(),
            },
            InstrKind::Chance(chance) => match &chance.what {
                ChanceWhat::Pick { into, .. } | ChanceWhat::Draw { into, .. } | ChanceWhat::Roll { into, .. } => {
                    vec![*into]
                }
                ChanceWhat::Shuffle { next, .. } => vec![*next],
            },
            _ => Vec::new(),
        }
    }

    /// The codes that it may begin: a procedure, hooks, the effects of actions.
    #[must_use]
    pub fn begins(&self, model: &Model) -> Vec<CodeId> {
        let hook = |a: &Attached| model.hooks.get(a.hook.i()).map(|h| h.code);
        match self {
            InstrKind::Call(code, _) => vec![*code],
            InstrKind::Hook(a) => hook(a).into_iter().collect(),
            InstrKind::Unranked(all, _) | InstrKind::Instead(all, _) | InstrKind::HookAt(all, _) => {
                all.iter().filter_map(hook).collect()
            }
            InstrKind::Choose(choose) => match &choose.what {
                ChooseWhat::Act { actions, .. } => {
                    actions.iter().filter_map(|a| model.actions.get(a.i())).map(|a| a.code).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Where it may lead in its own code, if it stands at `at`.
    #[must_use]
    pub fn next(&self, at: u16) -> Vec<u16> {
        match self {
            InstrKind::Jump(to) => vec![*to],
            InstrKind::Unless(_, to) | InstrKind::Next { end: to, .. } | InstrKind::Instead(_, to) => vec![at + 1, *to],
            InstrKind::NextHook(next) => vec![at + 1, next.settled, next.end],
            InstrKind::Choose(choose) => choose.leads.all(at),
            InstrKind::Return => Vec::new(),
            _ => vec![at + 1],
        }
    }
}
