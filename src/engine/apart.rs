//! Conditions that no play asks, as trees: whether a `never` is broken, and what a seat sees. The bots that draw worlds
//! ask them of many positions.

use super::bits::Bits;
use super::cost::takes_too_long;
use super::eval::{Ev, Scratch};
use super::fallback::Fallback;
use super::ir::{Cond, Mask, SetE, Shared};
use super::lower::{Env, Local, Low, Lower};
use super::tree::filter;
use crate::model::{Asked, ClauseId, Model, PLAYER, SMALL_STACK_DEPTH, Seen, SeenWhat};

/// The conditions, lowered under the options and readings of a game, apart from what plays it.
#[derive(Debug)]
pub(super) struct Apart {
    shared: Shared,
    slots: usize,
    sets: usize,
    /// For each `never` its condition for each holder; nothing if the explaining evaluator is to answer.
    nevers: Vec<(ClauseId, Option<Vec<Cond>>)>,
    /// For each rule of who sees what the same; no condition where nobody sees it.
    seen: Vec<(SeenWhat, Option<Sees>)>,
}

/// Which entries a seat sees: those that meet one of the conditions.
#[derive(Debug)]
struct Sees {
    entry: u16,
    seat: u16,
    entries: usize,
    masks: Vec<Mask>,
}

impl Sees {
    /// Whether there is an entry that meets a condition.
    fn any(&self, mask: &Mask) -> Cond {
        let those = filter(SetE::Const(Bits::below(self.entries)), self.entry, 0, mask.clone());
        Cond::Not(Box::new(Cond::Empty(Box::new(those))))
    }
}

impl Apart {
    /// All of them, lowered.
    pub fn new(model: &Model, config: &[i32]) -> Apart {
        let mut low = Lower::new(model, config);
        let deep = model.levels.iter().copied().max().unwrap_or(0) > SMALL_STACK_DEPTH;
        let within = |clause: ClauseId| !deep && !looks_ahead(model, clause);
        let nevers = model.nevers.iter().map(|never| never.clause);
        let nevers: Vec<_> =
            nevers.map(|never| (never, within(never).then(|| low.never(never)).and_then(Result::ok))).collect();
        let seen = model.seen.iter();
        let seen: Vec<_> =
            seen.map(|seen| (seen.what, within(seen.clause).then(|| low.sees(seen)).and_then(Result::ok))).collect();
        let (shared, spans) = (std::mem::take(&mut low.shared), std::mem::take(&mut low.scratch.spans));
        let bearable = |cond: &Cond| !takes_too_long(&shared, &spans, cond);
        let all = |conds: &Vec<Cond>| conds.iter().all(bearable);
        let nevers = nevers.into_iter().map(|(never, conds)| (never, conds.filter(all))).collect();
        let each = |sees: &Sees| sees.masks.iter().all(|mask| bearable(&sees.any(mask)));
        let seen = seen.into_iter().map(|(what, sees)| (what, sees.filter(each))).collect();
        Apart { slots: low.scratch.slots.len(), sets: low.scratch.sets.len(), shared, nevers, seen }
    }

    /// How many numbers and how many sets it needs while it evaluates.
    pub fn room(&self) -> (usize, usize) {
        (self.slots, self.sets)
    }

    /// Whether the condition of a `never` holds.
    ///
    /// # Errors
    /// The explaining evaluator is to tell it.
    pub fn breaks(&self, never: ClauseId, scratch: &Scratch, bytes: &[u8]) -> Result<bool, Fallback> {
        let of = self.nevers.iter().find(|(clause, _)| *clause == never);
        let conds = of.and_then(|(_, conds)| conds.as_ref()).ok_or(Fallback::Form)?;
        let ev = self.ev(scratch, bytes);
        let holds = conds.iter().any(|cond| ev.cond(cond));
        if scratch.failed.get() { Err(Fallback::Failure) } else { Ok(holds) }
    }

    /// For each entry whether a seat sees it, or for each member whether it is known; none where no rule says when.
    ///
    /// # Errors
    /// The explaining evaluator is to tell it.
    pub fn sees(&self, what: SeenWhat, seat: u16, scratch: &Scratch, bytes: &[u8]) -> Result<Box<[bool]>, Fallback> {
        let ev = self.ev(scratch, bytes);
        let (mut seen, mut entries) = (Bits::NONE, 0);
        for (_, sees) in self.seen.iter().filter(|(of, _)| *of == what) {
            let sees = sees.as_ref().ok_or(Fallback::Form)?;
            entries = sees.entries;
            ev.bind(sees.seat, i32::from(seat));
            for mask in &sees.masks {
                let left = Bits::below(entries).minus(&seen);
                seen |= &ev.mask(mask, sees.entry, 0, left);
            }
            if scratch.failed.get() {
                return Err(Fallback::Failure);
            }
        }
        Ok((0..entries).map(|entry| seen.has(entry as u32)).collect())
    }

    fn ev<'s>(&'s self, scratch: &'s Scratch, bytes: &'s [u8]) -> Ev<'s> {
        Ev { bytes, shared: &self.shared, scratch, any_legal: None, winners: 0, program: None }
    }
}

impl Lower<'_> {
    fn never(&mut self, never: ClauseId) -> Low<Vec<Cond>> {
        self.for_holders(never, &Env::default())
    }

    fn sees(&mut self, seen: &Seen) -> Low<Sees> {
        let members = |kind: usize| self.model.kinds.get(kind).map_or(0, |kind| kind.members.len());
        let entries = match seen.what {
            SeenWhat::Member(kind) => members(kind.i()),
            SeenWhat::Var(var) => self.model.vars.get(var.i()).map_or(0, |var| var.place.count as usize),
        };
        let seats = members(PLAYER.i());
        let (entry, seat) = (self.slot_within(0, entries.max(1))?, self.slot_within(0, seats.max(1))?);
        let mut env = Env::default();
        env.set(0, Local::Slot(entry));
        env.set(1, Local::Slot(seat));
        let conds = if seen.nobody { Vec::new() } else { self.for_holders(seen.clause, &env)? };
        let masks = conds.iter().map(|cond| self.mask(cond, entry, 0, entries)).collect();
        Ok(Sees { entry, seat, entries, masks })
    }

    /// When a clause applies, for each of its holders.
    fn for_holders(&mut self, clause: ClauseId, env: &Env) -> Low<Vec<Cond>> {
        let of = |low: &mut Self, holder: Option<u16>| {
            low.applies(clause, holder.map(|h| Local::Const(i32::from(h))), &mut env.clone())
        };
        self.model.holders(clause).map(|holder| of(self, holder)).collect()
    }
}

/// Whether a clause depends on what is legal or on what follows from an action. Only the trees that play the game know
/// that.
fn looks_ahead(model: &Model, clause: ClauseId) -> bool {
    let mut looks = false;
    model.walk_clause(clause, &mut std::collections::BTreeSet::new(), &mut |asked| {
        looks |= matches!(asked, Asked::Expr(expr) if expr.kind.looks_ahead());
    });
    looks
}
