//! Liveness: which values of a position nothing will read again, because each is certainly overwritten first.
//!
//! It follows the instructions from a decision point to every place where play can go on: in the innermost code, and
//! then in each code below it on the stack. What may be read on one of these ways is live. Of the variables of codes it
//! knows which members they can be, so that a loop reads only the entries of those that are left in it.
//!
//! Endings, the score and the like are looked at in many places; what they read is always live. So is what an effect
//! reads to which a condition looks ahead, the limits, and the variables of codes that can be active inside themselves.

mod atoms;
mod flow;
mod known;
mod reads;
mod wanted;

pub use atoms::Bits;
pub use known::{Facts, Known};

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{Base, CodeId, Expr, ExprKind, InstrKind, Model, VarId, VarOwner};
use known::Scope;
use reads::Reads;

/// The maximum number of places that are told apart in one code by what is known there.
const MAX_PLACES: usize = 4_000;

/// The same in all codes.
const MAX_ALL_PLACES: usize = 60_000;

/// The maximum number of members of the kind of a variable of the game of which something is known.
const MAX_COMPARED: usize = 64;

/// A place in a code, with what is known there of the code's variables.
type Place = (CodeId, u16, Facts);

/// What comes after a place.
#[derive(Clone, Debug)]
enum Way {
    /// Another place of the same code.
    To(usize),
    /// A code begins, at the first place; if it returns, the second follows.
    Begin(usize, usize),
    /// The code is left: back to the one below, or, counted from 1, to one that is finished.
    Leave(usize),
}

#[derive(Debug)]
struct Node {
    code: CodeId,
    /// What the instruction reads, and then certainly overwrites.
    reads: Bits,
    kills: Bits,
    ways: Vec<Way>,
    /// What may be read from here on until the code is left.
    live: Bits,
    /// For each way of leaving, what may be as it is now then; `None` if the code is not left so.
    kept: Vec<Option<Bits>>,
}

/// Which values of positions are live.
#[derive(Debug)]
pub struct Liveness<'m> {
    model: &'m Model,
    reads: Reads<'m>,
    always: Bits,
    /// For each variable whether something is known of it.
    tracked: Vec<bool>,
    /// The variables of the game among these, and for each code those that it may change, with all that it begins.
    game: BTreeSet<VarId>,
    written: HashMap<CodeId, Arc<BTreeSet<VarId>>>,
    /// For each code and instruction, the variables of the code of which it matters what is known.
    wanted: Vec<Vec<BTreeSet<VarId>>>,
    /// The codes that are finished from somewhere.
    finished: Vec<CodeId>,
    nodes: Vec<Node>,
    places: HashMap<Place, usize>,
    /// For each code, at how many places.
    counts: Vec<usize>,
    /// Places without a node.
    todo: Vec<Place>,
    /// Whether past a number of places they are not told apart any more, so that more is live.
    bounded: bool,
}

impl<'m> Liveness<'m> {
    /// Of the rules. With `views`, what decides who sees what is live.
    #[must_use]
    pub fn new(model: &'m Model, views: bool) -> Liveness<'m> {
        let mut reads = Reads::new(model);
        let mut always = reads.atoms.none();
        reads.general(views, &mut always);
        for (i, var) in model.vars.iter().enumerate() {
            let nested = |c: CodeId| model.codes.get(c.i()).is_none_or(|c| c.nested != 1);
            if var.owner == VarOwner::Limit || matches!(var.owner, VarOwner::Code(c) if nested(c)) {
                always.add(reads.atoms.of(VarId(i as u16)));
            }
        }
        let instrs = model.codes.iter().flat_map(|c| &c.instrs);
        let finished: BTreeSet<CodeId> = instrs
            .filter_map(|i| match i.kind {
                InstrKind::Finish(code) => Some(code),
                _ => None,
            })
            .collect();
        let mut tracked = tracked(model);
        let game = compared(model);
        for var in &game {
            if let Some(place) = tracked.get_mut(var.i()) {
                *place = true;
            }
        }
        Liveness {
            model,
            reads,
            always,
            tracked,
            game,
            written: HashMap::new(),
            wanted: model.codes.iter().map(wanted::wanted).collect(),
            finished: finished.into_iter().collect(),
            nodes: Vec::new(),
            places: HashMap::new(),
            counts: vec![0; model.codes.len()],
            todo: Vec::new(),
            bounded: true,
        }
    }

    /// Tells places apart however many there are.
    pub fn unbounded(&mut self) {
        self.bounded = false;
    }

    /// What an expression reads is always live.
    pub fn keep(&mut self, e: &'m Expr) {
        let mut read = self.reads.atoms.none();
        self.reads.expr(e, &mut Scope::default(), &mut read);
        self.always.join(&read);
    }

    /// The variables of a code of which it matters what is known.
    pub fn tracked(&self, code: CodeId) -> impl Iterator<Item = VarId> {
        let vars = self.model.codes.get(code.i()).map_or(&[][..], |c| &c.vars);
        vars.iter().copied().filter(|var| self.tracked.get(var.i()) == Some(&true))
    }

    /// The variables of the game of which it matters what is known.
    pub fn tracked_of_game(&self) -> impl Iterator<Item = VarId> {
        self.game.iter().copied()
    }

    /// The variables of the game of which it matters what is known, and which a code may change with all that it
    /// begins.
    fn written(&mut self, code: CodeId) -> Arc<BTreeSet<VarId>> {
        let (model, game) = (self.model, &self.game);
        let found = self.written.entry(code).or_insert_with(|| Arc::new(&model.written_by(code) & game));
        Arc::clone(found)
    }

    /// Whether an entry of a variable is among those of [`Liveness::live`].
    #[must_use]
    pub fn is_live(&self, live: &Bits, var: VarId, index: usize) -> bool {
        self.reads.atoms.entry(var, index).any(|atom| live.has(atom))
    }

    /// What is live where these codes are active, the innermost last, each at an instruction, with what is known of its
    /// variables, and of those of the game.
    pub fn live(&mut self, frames: Vec<(CodeId, u16, Facts)>, game: &Facts) -> Bits {
        let mut below = self.reads.atoms.none();
        let mut finals: Vec<Option<Bits>> = vec![None; self.finished.len()];
        // What the codes above may change is not known any more when they are left.
        let mut known = vec![game.clone()];
        for (code, ..) in frames.iter().skip(1).rev() {
            let mut less = known.last().cloned().unwrap_or_default();
            self.written(*code).iter().for_each(|var| drop(less.remove(var)));
            known.push(less);
        }
        for (code, pc, mut facts) in frames {
            facts.extend(known.pop().unwrap_or_default());
            let live = self.at(code, pc, facts, &below, &finals);
            if let Some(at) = self.finished.iter().position(|c| *c == code) {
                let end = self.model.codes.get(code.i()).map_or(0, |c| c.finally);
                let last = self.at(code, end, Facts::new(), &below, &finals);
                if let Some(place) = finals.get_mut(at) {
                    *place = Some(last);
                }
            }
            below = live;
        }
        self.reads.tried(&mut self.always);
        below.join(&self.always);
        below
    }

    /// What is live at a place of a code, given what is live below it.
    fn at(&mut self, code: CodeId, pc: u16, facts: Facts, below: &Bits, finals: &[Option<Bits>]) -> Bits {
        let node = self.place(code, pc, facts);
        self.explore();
        let Some(node) = self.nodes.get(node) else { return self.reads.atoms.all() };
        let mut live = node.live.clone();
        let after = std::iter::once(Some(below)).chain(finals.iter().map(Option::as_ref));
        for (kept, after) in node.kept.iter().zip(after) {
            if let Some(kept) = kept {
                match after {
                    Some(after) => live.join(&kept.meet(after)),
                    // What is finished is not active here: a fault.
                    None => false,
                };
            }
        }
        live
    }

    /// The number of a place.
    fn place(&mut self, code: CodeId, pc: u16, mut facts: Facts) -> usize {
        let wanted = self.wanted.get(code.i()).and_then(|code| code.get(usize::from(pc)));
        facts.retain(|var, known| {
            let is_nothing = matches!(known, Known::One(set) if set.is_empty());
            let asked = self.game.contains(var) || wanted.is_some_and(|wanted| wanted.contains(var));
            asked && !is_nothing
        });
        let mut place = (code, pc, facts);
        if let Some(found) = self.places.get(&place) {
            return *found;
        }
        let count = self.counts.get(code.i()).copied().unwrap_or(0);
        if self.bounded && !place.2.is_empty() && (count >= MAX_PLACES || self.places.len() >= MAX_ALL_PLACES) {
            place.2 = Facts::new();
            return self.place(code, pc, place.2);
        }
        if let Some(count) = self.counts.get_mut(code.i()) {
            *count += 1;
        }
        let number = self.places.len();
        self.places.insert(place.clone(), number);
        self.todo.push(place);
        number
    }

    /// Makes the nodes of all places that were come to, and follows what is live back along their ways.
    fn explore(&mut self) {
        let first = self.nodes.len();
        // Places get nodes in the order of their numbers.
        let mut next = 0;
        while let Some(place) = self.todo.get(next).cloned() {
            next += 1;
            let node = self.node(place);
            self.nodes.push(node);
        }
        self.todo.clear();
        loop {
            let mut changed = false;
            for i in (first..self.nodes.len()).rev() {
                changed |= self.spread(i);
            }
            if !changed {
                return;
            }
        }
    }

    /// What is live at a node, by what is live after it; whether it is more than before.
    fn spread(&mut self, i: usize) -> bool {
        let Some(node) = self.nodes.get(i) else { return false };
        let mut live = self.reads.atoms.none();
        let mut kept: Vec<Option<Bits>> = vec![None; node.kept.len()];
        let mut keep = |at: usize, more: &Bits| match kept.get_mut(at) {
            Some(Some(kept)) => {
                kept.join(more);
            }
            Some(place) => *place = Some(more.clone()),
            None => {}
        };
        for way in &node.ways {
            match way {
                Way::Leave(at) => keep(*at, &self.left(node.code)),
                Way::To(to) => {
                    let Some(to) = self.nodes.get(*to) else { continue };
                    live.join(&to.live);
                    to.kept.iter().enumerate().for_each(|(at, more)| more.iter().for_each(|more| keep(at, more)));
                }
                Way::Begin(begun, after) => {
                    let Some(begun) = self.nodes.get(*begun) else { continue };
                    live.join(&begun.live);
                    for (at, through) in begun.kept.iter().enumerate() {
                        let Some(through) = through else { continue };
                        let target = at.checked_sub(1).and_then(|at| self.finished.get(at));
                        let then = match target {
                            None => Some(*after),
                            Some(code) if *code == node.code => self.ending_place(*code),
                            Some(_) => {
                                keep(at, &through.meet(&self.left(node.code)));
                                None
                            }
                        };
                        let Some(then) = then.and_then(|then| self.nodes.get(then)) else { continue };
                        live.join(&then.live.meet(through));
                        for (at, more) in then.kept.iter().enumerate() {
                            more.iter().for_each(|more| keep(at, &more.meet(through)));
                        }
                    }
                }
            }
        }
        let Some(node) = self.nodes.get_mut(i) else { return false };
        live.without(&node.kills);
        live.join(&node.reads);
        let mut changed = node.live.join(&live);
        for (old, new) in node.kept.iter_mut().zip(kept) {
            let Some(mut new) = new else { continue };
            new.without(&node.kills);
            changed |= match old {
                Some(old) => old.join(&new),
                None => {
                    *old = Some(new);
                    true
                }
            };
        }
        changed
    }

    /// Where a code ends that is finished, if the place is known.
    fn ending_place(&self, code: CodeId) -> Option<usize> {
        let end = self.model.codes.get(code.i())?.finally;
        self.places.get(&(code, end, Facts::new())).copied()
    }

    /// What stays as it is when a code is left: all but its own variables.
    fn left(&self, code: CodeId) -> Bits {
        let mut left = self.reads.atoms.all();
        let vars = self.model.codes.get(code.i()).map_or(&[][..], |c| &c.vars);
        vars.iter().for_each(|var| left.remove(self.reads.atoms.of(*var)));
        left
    }
}

/// For each variable whether what is known of it can be followed: it is a member or a set of members, and only its own
/// code changes it.
fn tracked(model: &Model) -> Vec<bool> {
    let member = |base: &Base| matches!(base, Base::Member(_));
    let mut tracked: Vec<bool> = model
        .vars
        .iter()
        .map(|var| {
            let fits = match &var.ty.base {
                Base::Set(of) => member(of),
                base => member(base),
            };
            fits && var.index.is_none()
                && matches!(var.owner, VarOwner::Code(c) if model.codes.get(c.i()).is_some_and(|c| c.nested == 1))
        })
        .collect();
    for (i, code) in model.codes.iter().enumerate() {
        for var in code.instrs.iter().flat_map(|instr| instr.kind.writes()) {
            let own = model.vars.get(var.i()).is_some_and(|v| v.owner == VarOwner::Code(CodeId(i as u16)));
            if let Some(place) = tracked.get_mut(var.i()).filter(|_| !own) {
                *place = false;
            }
        }
    }
    tracked
}

/// The variables of the game that are one of few members and that rules compare with one of them: what holds depends on
/// what they are.
fn compared(model: &Model) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            let pair = match &e.kind {
                ExprKind::Equal(a, b, _) => [a, b],
                ExprKind::In { item, set, .. } => [item, set],
                _ => return,
            };
            let fixed = pair.iter().any(|e| matches!(e.kind, ExprKind::Const(_) | ExprKind::SetOf { .. }));
            found.extend(pair.iter().filter(|_| fixed).filter_map(|e| match e.kind {
                ExprKind::Var { var, index: None } => Some(var),
                _ => None,
            }));
        });
    };
    model.clauses.iter().flat_map(|c| &c.when).for_each(&mut look);
    for def in &model.defs {
        def.general.iter().chain(def.clauses.iter().map(|c| &c.value)).for_each(&mut look);
    }
    let few = |var: &VarId| {
        model.vars.get(var.i()).is_some_and(|v| match &v.ty.base {
            Base::Member(kind) => {
                let members = model.kinds.get(kind.i()).map_or(0, |k| k.members.len());
                v.owner == VarOwner::Game && v.index.is_none() && members <= MAX_COMPARED
            }
            _ => false,
        })
    };
    found.retain(few);
    found
}
