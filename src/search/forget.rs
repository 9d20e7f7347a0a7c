//! Positions without what nothing will read again, so that those which differ in nothing else are equal.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::Query;
use crate::game::Position;
use crate::model::{CodeId, Facts, Known, Liveness, Model, VarId, VarOwner};

/// Takes out of positions what nothing will read again: not the rules, and not the questions that are asked.
///
/// What a seat sees of a position is more than what will be read. So where views matter and something is hidden,
/// positions must stay as they are.
pub struct Forget<'a> {
    model: &'a Model,
    liveness: Mutex<Liveness<'a>>,
    /// The variables of each code, and those of the game, of which it matters what is known.
    tracked: Vec<Vec<VarId>>,
    game: Vec<VarId>,
    /// The entries of variables that are never nothing. What is dead there becomes the lowest value.
    always: Vec<Range<usize>>,
    /// By the stack and what is known of the variables of codes on it: the bytes that are dead.
    dead: RwLock<HashMap<Vec<u8>, Dead>>,
}

/// Bytes that nothing will read again.
type Dead = Arc<Vec<Range<usize>>>;

/// The maximum number of stacks that are kept.
const MAX_KEPT: usize = 100_000;

impl<'a> Forget<'a> {
    /// Under rules. With `views`, what decides who sees what is kept.
    #[must_use]
    pub fn new(model: &'a Model, views: bool) -> Forget<'a> {
        let liveness = Liveness::new(model, views);
        let tracked = (0..model.codes.len()).map(|c| liveness.tracked(CodeId(c as u16)).collect()).collect();
        let game = liveness.tracked_of_game().collect();
        let vars = model.vars.iter().zip(model.always_there()).enumerate().filter(|(_, (_, always))| *always);
        let entries = vars.flat_map(|(i, (v, _))| (0..v.place.count).map(move |index| (VarId(i as u16), index)));
        let always = entries.map(|(id, index)| bytes_of(model, id, Some(index))).collect();
        Forget { model, liveness: Mutex::new(liveness), tracked, game, always, dead: RwLock::default() }
    }

    /// The same, as exactly as can be, however long it takes.
    #[must_use]
    pub fn unbounded(mut self) -> Forget<'a> {
        self.liveness.get_mut().unwrap_or_else(PoisonError::into_inner).unbounded();
        self
    }

    /// What a question reads is kept.
    pub fn keep(&mut self, query: &'a Query) {
        let liveness = self.liveness.get_mut().unwrap_or_else(PoisonError::into_inner);
        query.expressions().for_each(|e| liveness.keep(e));
    }

    /// Takes out of a position what is dead there. A position in which the game is over stays as it is.
    pub fn forget(&self, position: &mut Position) {
        if position.ending(self.model).is_some() {
            return;
        }
        let dead = self.dead(position);
        if dead.is_empty() {
            return;
        }
        position.change(&self.model.layout, |bytes| {
            for range in dead.iter() {
                if let Some(bytes) = bytes.get_mut(range.clone()) {
                    bytes.fill(0);
                }
            }
            for entry in &self.always {
                let bytes = bytes.get_mut(entry.clone()).unwrap_or_default();
                if bytes.iter().all(|byte| *byte == 0) {
                    bytes.first_mut().into_iter().for_each(|lowest| *lowest = 1);
                }
            }
        });
    }

    /// The bytes of a position that nothing will read again.
    #[must_use]
    pub fn dead(&self, position: &Position) -> Dead {
        let key = self.key(position);
        let known = self.dead.read().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone);
        known.unwrap_or_else(|| self.find(position, key))
    }

    fn find(&self, position: &Position, key: Vec<u8>) -> Dead {
        let found = {
            let mut liveness = self.liveness.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::new(dead_bytes(self.model, position, &mut liveness))
        };
        let mut dead = self.dead.write().unwrap_or_else(PoisonError::into_inner);
        if dead.len() < MAX_KEPT {
            dead.insert(key, Arc::clone(&found));
        }
        found
    }

    /// What decides which bytes are dead: the stack, and what is known of variables.
    fn key(&self, position: &Position) -> Vec<u8> {
        let depth = position.depth(self.model);
        let stack = self.model.layout.stack as usize;
        let mut key = Vec::with_capacity(4 * depth + 64);
        let layout = &self.model.layout;
        key.extend_from_slice(&position.part(layout, stack..stack + 4 * depth));
        let frames = (0..depth).filter_map(|d| self.tracked.get(position.frame(self.model, d).0.i()));
        for var in frames.flatten().chain(&self.game) {
            key.extend_from_slice(&position.part(layout, bytes_of(self.model, *var, None)));
        }
        key
    }
}

/// Where a variable is, or one of its entries.
fn bytes_of(model: &Model, var: VarId, index: Option<u32>) -> Range<usize> {
    let place = model.vars.get(var.i()).map_or_else(Default::default, |v| v.place);
    let (start, count) = match index {
        Some(index) => (place.offset + index * place.width, 1),
        None => (place.offset, place.count),
    };
    start as usize..(start + count * place.width) as usize
}

fn dead_bytes(model: &Model, position: &Position, liveness: &mut Liveness<'_>) -> Vec<Range<usize>> {
    let fact = |var: VarId| {
        let base = model.vars.get(var.i()).map(|v| &v.ty.base);
        let known = base.and_then(|base| Known::value(base, &position.read(model, var, 0)));
        known.map(|known| (var, known))
    };
    let frames = (0..position.depth(model)).map(|d| position.frame(model, d));
    let frames: Vec<(CodeId, u16, Facts)> =
        frames.map(|(code, pc)| (code, pc, liveness.tracked(code).filter_map(fact).collect())).collect();
    let game: Facts = liveness.tracked_of_game().filter_map(fact).collect();
    let active: Vec<bool> = (0..model.codes.len()).map(|c| frames.iter().any(|(code, ..)| code.i() == c)).collect();
    let live = liveness.live(frames, &game);
    let mut dead: Vec<Range<usize>> = Vec::new();
    for (i, var) in model.vars.iter().enumerate() {
        // The memory of a code that is not active may be another's.
        if matches!(var.owner, VarOwner::Code(code) if active.get(code.i()) != Some(&true)) {
            continue;
        }
        let id = VarId(i as u16);
        for index in (0..var.place.count).filter(|index| !liveness.is_live(&live, id, *index as usize)) {
            let bytes = bytes_of(model, id, Some(index));
            match dead.last_mut().filter(|last| last.end == bytes.start) {
                Some(last) => last.end = bytes.end,
                None => dead.push(bytes),
            }
        }
    }
    dead
}
