//! Which procedures can be active together.

use crate::explain::partial::{Domain, Entry, Partial};
use crate::model::{CodeId, Model};

/// What begins what.
pub struct Calls {
    play: CodeId,
    /// Whether one can be on the stack above another.
    reach: Vec<Vec<bool>>,
    /// Whether one is on the stack wherever the other is.
    below: Vec<Vec<bool>>,
}

impl Calls {
    /// Of the rules.
    pub fn new(model: &Model) -> Calls {
        let mut calls: Vec<Vec<usize>> =
            model.codes.iter().map(|c| model.begun_by(c).into_iter().map(CodeId::i).collect()).collect();
        if let Some(play) = calls.get_mut(model.play.i()) {
            play.extend(model.entries.iter().map(|e| e.code.i()));
        }
        let n = calls.len();
        let reach: Vec<Vec<bool>> =
            (0..n).map(|i| reached(&calls, calls.get(i).map_or(&[], Vec::as_slice), None)).collect();
        // One is always below another if the other cannot be reached around it.
        let around: Vec<Vec<bool>> = (0..n).map(|i| reached(&calls, &[model.play.i()], Some(i))).collect();
        let below = around.into_iter().map(|seen| seen.into_iter().map(|seen| !seen).collect()).collect();
        Calls { play: model.play, reach, below }
    }

    /// Whether one can begin the other, directly or through others.
    pub fn reaches(&self, from: CodeId, to: CodeId) -> bool {
        self.reach.get(from.i()).and_then(|r| r.get(to.i())).copied().unwrap_or(false)
    }

    fn is_below(&self, one: CodeId, other: CodeId) -> bool {
        one != other && self.below.get(one.i()).and_then(|b| b.get(other.i())).copied().unwrap_or(false)
    }

    /// Whether a procedure is active, if that follows from others, of which `top` is the innermost if it is known.
    pub fn implied(&self, partial: &Partial, code: CodeId, top: Option<CodeId>) -> Option<bool> {
        if code == self.play || top == Some(code) {
            return Some(true);
        }
        if !self.reaches(self.play, code) {
            return Some(false);
        }
        if top.is_some_and(|top| self.is_below(code, top)) {
            return Some(true);
        }
        if top.is_some_and(|top| !self.reaches(code, top)) {
            return Some(false);
        }
        for (entry, domain) in partial.entries() {
            let Entry::On(other) = entry else { continue };
            if *domain == Domain::one(Some(1)) {
                if self.is_below(code, *other) {
                    return Some(true);
                }
                if *other != code && !self.reaches(code, *other) && !self.reaches(*other, code) {
                    return Some(false);
                }
            } else if self.is_below(*other, code) {
                return Some(false);
            }
        }
        None
    }

    /// These codes with all that are active whenever these are, the outermost first.
    pub fn stack(&self, on: &[CodeId]) -> Vec<CodeId> {
        let all = (0..self.reach.len()).map(|i| CodeId(i as u16));
        let stack: Vec<CodeId> =
            all.filter(|c| *c == self.play || on.contains(c) || on.iter().any(|o| self.is_below(*c, *o))).collect();
        let mut order = stack.clone();
        // A code that reaches more of the others is below them.
        order.sort_by_key(|c| {
            let above = stack.iter().filter(|o| *o != c && self.reaches(*c, **o)).count();
            (*c != self.play, std::cmp::Reverse(above), c.0)
        });
        order
    }
}

fn reached(calls: &[Vec<usize>], from: &[usize], without: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; calls.len()];
    let mut todo = from.to_vec();
    while let Some(i) = todo.pop() {
        if Some(i) == without || seen.get(i).is_none_or(|s| *s) {
            continue;
        }
        if let Some(place) = seen.get_mut(i) {
            *place = true;
        }
        todo.extend(calls.get(i).into_iter().flatten());
    }
    seen
}
