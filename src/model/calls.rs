//! Which codes begin which.

use std::collections::BTreeSet;

use super::{CodeId, InstrKind, Model};

/// What each code can begin, directly and through others.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    begins: Vec<Vec<CodeId>>,
    reach: Vec<Vec<bool>>,
}

impl CallGraph {
    /// Of the rules. What an entry sets is set on top of `play`.
    #[must_use]
    pub fn new(model: &Model) -> CallGraph {
        let mut begins: Vec<Vec<CodeId>> = model.codes.iter().map(|c| model.begun_by(c)).collect();
        if let Some(play) = begins.get_mut(model.play.i()) {
            play.extend(model.entries.iter().map(|e| e.code));
        }
        for codes in &mut begins {
            codes.sort_unstable();
            codes.dedup();
        }
        let mut graph = CallGraph { begins, reach: Vec::new() };
        graph.reach = graph.codes().map(|code| graph.reached(graph.begins(code), None)).collect();
        graph
    }

    /// All codes.
    pub fn codes(&self) -> impl Iterator<Item = CodeId> + use<> {
        (0..self.begins.len()).map(|i| CodeId(i as u16))
    }

    /// The codes that one begins itself, each once, in order.
    #[must_use]
    pub fn begins(&self, code: CodeId) -> &[CodeId] {
        self.begins.get(code.i()).map_or(&[], Vec::as_slice)
    }

    /// Whether one can begin the other, directly or through others.
    #[must_use]
    pub fn reaches(&self, from: CodeId, to: CodeId) -> bool {
        self.reach.get(from.i()).and_then(|r| r.get(to.i())).copied().unwrap_or(false)
    }

    /// The codes that are in a circle with one, itself among them, whether or not it begins itself again.
    #[must_use]
    pub fn ring(&self, of: CodeId) -> Vec<CodeId> {
        self.codes().filter(|c| *c == of || self.reaches(of, *c) && self.reaches(*c, of)).collect()
    }

    /// For each code whether it is come to from some codes, these included, without a step through another.
    #[must_use]
    pub fn reached(&self, from: &[CodeId], without: Option<CodeId>) -> Vec<bool> {
        let mut seen = vec![false; self.begins.len()];
        let mut todo = from.to_vec();
        while let Some(code) = todo.pop() {
            if Some(code) == without {
                continue;
            }
            if let Some(place) = seen.get_mut(code.i()).filter(|seen| !**seen) {
                *place = true;
                todo.extend(self.begins(code));
            }
        }
        seen
    }

    /// The codes in which a seat or chance decides, themselves or in what they begin.
    #[must_use]
    pub fn deciding(&self, model: &Model) -> BTreeSet<CodeId> {
        let own = |code: CodeId| model.codes.get(code.i()).is_some_and(|c| c.instrs.iter().any(|i| i.kind.decides()));
        let own: Vec<CodeId> = self.codes().filter(|c| own(*c)).collect();
        self.codes().filter(|c| own.iter().any(|o| o == c || self.reaches(*c, *o))).collect()
    }
}

impl InstrKind {
    /// Whether a seat or chance decides there.
    #[must_use]
    pub fn decides(&self) -> bool {
        matches!(self, InstrKind::Choose(_) | InstrKind::Chance(_))
    }

    /// Whether other rules run there: hooks, or endings are looked at.
    #[must_use]
    pub fn runs_rules(&self) -> bool {
        matches!(
            self,
            InstrKind::Hook(_)
                | InstrKind::Unranked(..)
                | InstrKind::NextHook(_)
                | InstrKind::HookAt(..)
                | InstrKind::Instead(..)
                | InstrKind::StepEnd(_)
        )
    }
}
