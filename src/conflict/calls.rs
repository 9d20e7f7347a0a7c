//! Which procedures can be active together.

use crate::explain::partial::{Domain, Entry, Partial};
use crate::model::{CallGraph, CodeId, Model};

/// What begins what.
pub struct Calls {
    play: CodeId,
    graph: CallGraph,
    /// Whether one is on the stack wherever the other is.
    below: Vec<Vec<bool>>,
}

impl Calls {
    /// Of the rules.
    pub fn new(model: &Model) -> Calls {
        let graph = CallGraph::new(model);
        // One is always below another if the other cannot be reached around it.
        let around = |code| graph.reached(&[model.play], Some(code)).into_iter().map(|seen| !seen).collect();
        let below = graph.codes().map(around).collect();
        Calls { play: model.play, graph, below }
    }

    /// Whether one can begin the other, directly or through others.
    pub fn reaches(&self, from: CodeId, to: CodeId) -> bool {
        self.graph.reaches(from, to)
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
        let stack: Vec<CodeId> = self
            .graph
            .codes()
            .filter(|c| *c == self.play || on.contains(c) || on.iter().any(|o| self.is_below(*c, *o)))
            .collect();
        let mut order = stack.clone();
        // A code that reaches more of the others is below them.
        order.sort_by_key(|c| {
            let above = stack.iter().filter(|o| *o != c && self.reaches(*c, **o)).count();
            (*c != self.play, std::cmp::Reverse(above), c.0)
        });
        order
    }
}
