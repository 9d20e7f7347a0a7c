//! The stack of a position: its maximum depth, the codes that can be on it several times, and those that must be
//! counted.

use std::collections::BTreeSet;

use super::Checker;
use crate::check::Diagnostic;
use crate::model::{self, CodeId, Frames, InstrKind, MAX_ACTIVE_CODES, Target, VarOwner};
use crate::span::Span;

impl Checker {
    /// Computes what can be on the stack; reports unbounded recursion.
    pub(super) fn frames(&mut self) -> Frames {
        let calls = self.calls();
        let reach = reachability(&calls);
        self.rings(&reach);
        let play = self.model.play.i();
        let each_once = |_: &model::Code| 1;
        if self.longest((play, 0), &calls, &reach, &each_once, &mut vec![None; calls.len()]) > MAX_ACTIVE_CODES {
            self.too_deep(play, &calls);
        }
        let nested = |c: &model::Code| u32::from(c.nested);
        let depth = self.longest((play, 0), &calls, &reach, &nested, &mut vec![None; calls.len()]);
        let named = self.procedures.values().flat_map(|s| s.names.iter().map(|n| n.1)).collect();
        Frames { depth, counted: self.counted(), calls, named }
    }

    /// For each code, the codes that it can begin. The statements of an entry run on top of `play`.
    fn calls(&self) -> Vec<Vec<usize>> {
        let mut calls: Vec<Vec<usize>> = self.model.codes.iter().map(|c| self.callees(c)).collect();
        if let Some(play) = calls.get_mut(self.model.play.i()) {
            play.extend(self.model.entries.iter().map(|e| e.code.i()));
        }
        calls
    }

    /// Reports unbounded recursion; codes with a bound can be active that many times.
    fn rings(&mut self, reach: &[Vec<bool>]) {
        let n = reach.len();
        for (i, from) in reach.iter().enumerate() {
            let ring: Vec<usize> = (0..n).filter(|j| from[*j] && reach[*j][i]).collect();
            let procedures = ring.iter().filter(|j| self.model.codes[**j].kind == model::CodeKind::Procedure);
            if from[i] && ring.first() == Some(&i) && procedures.clone().all(|j| self.model.codes[*j].nested == 1) {
                let mut d: Option<Diagnostic> = None;
                for j in &ring {
                    let c = &self.model.codes[*j];
                    let (span, words) = self.way_on(*j, &ring);
                    d = Some(match d {
                        None => Diagnostic::error("law::recursion", format!("`{}` calls itself", c.name), span, words).help(
                            "remove one of the calls, or write how many can be active at a time: `procedure NAME(...) nested 3`",
                        ),
                        Some(d) => d.and(span, words),
                    });
                }
                if let Some(d) = d {
                    self.report(d);
                }
            } else if from[i] {
                let most = ring.iter().map(|j| self.model.codes[*j].nested).max().unwrap_or(1);
                self.model.codes[i].nested = self.model.codes[i].nested.max(most);
            }
        }
    }

    // The place where one code of a cycle calls the next.
    fn way_on(&self, from: usize, ring: &[usize]) -> (Span, String) {
        let c = &self.model.codes[from];
        for instr in &c.instrs {
            let Some(to) = self.done_by(&instr.kind).into_iter().find(|to| ring.contains(to)) else {
                continue;
            };
            let words = format!("`{}` calls `{}`", c.name, self.model.codes[to].name);
            let span = match &instr.kind {
                InstrKind::Call(..) => instr.span,
                _ => self.head(instr.span),
            };
            return (span, words);
        }
        (self.head(c.span), "through this".into())
    }

    /// The codes whose active instances a position counts: the rules ask for the number, or the stack does not
    /// determine it.
    fn counted(&self) -> BTreeSet<CodeId> {
        let mut counted = self.asked.clone();
        for (i, code) in self.model.codes.iter().enumerate() {
            let own = CodeId(i as u16);
            if code.nested > 1 {
                counted.insert(own);
            }
            for instr in &code.instrs {
                if let InstrKind::Finish(of) = &instr.kind {
                    counted.insert(*of);
                }
                let owners = written(&instr.kind).map(|t| self.model.vars[t.var.i()].owner);
                counted.extend(owners.filter_map(|o| match o {
                    VarOwner::Code(of) if of != own => Some(of),
                    _ => None,
                }));
            }
        }
        counted
    }

    /// Whether a position is small enough; if not, the widest variable is reported.
    pub(super) fn fits_in_memory(&mut self) -> bool {
        let kinds = &self.model.kinds;
        let bytes = |v: &model::Var| {
            let count = v.index.map_or(1, |k| kinds.get(k.i()).map_or(1, |k| k.members.len() as u64));
            let levels = match v.owner {
                model::VarOwner::Code(c) => u64::from(self.model.codes.get(c.i()).map_or(1, |c| c.nested)),
                _ => 1,
            };
            u64::from(model::entry_width(&v.ty.base, kinds)) * count * levels * 32
        };
        let all: u64 = self.model.vars.iter().map(bytes).sum();
        if all <= LARGEST {
            return true;
        }
        if let Some(widest) = self.model.vars.iter().max_by_key(|v| bytes(v)) {
            let span = widest.span;
            self.report(
                Diagnostic::error("law::range", "a position would be too large", span, "this takes most of it")
                    .help("keep it for fewer members, or use a smaller type"),
            );
        }
        false
    }

    /// Reports that more codes can be active inside each other than a position has room for.
    fn too_deep(&mut self, play: usize, calls: &[Vec<usize>]) {
        // The first code that is one level too deep.
        let mut at = vec![play];
        for _ in 0..MAX_ACTIVE_CODES {
            let next: BTreeSet<usize> = at.iter().flat_map(|i| calls[*i].iter().copied()).collect();
            if next.is_empty() {
                break;
            }
            at = next.into_iter().collect();
        }
        let Some(c) = at.first().and_then(|i| self.model.codes.get(*i)) else { return };
        let (span, name) = (self.head(c.span), c.name.clone());
        self.report(
            Diagnostic::error(
                "law::range",
                format!("more than {MAX_ACTIVE_CODES} procedures, actions and hooks can be active inside each other"),
                span,
                format!("`{name}` is one too many"),
            )
            .help("combine several procedures that call each other"),
        );
    }

    /// The maximum depth of the stack from a code on, where `weight` gives the weight of each code. The search stops
    /// beyond the room there is.
    fn longest(
        &self,
        (i, above): (usize, u32),
        calls: &[Vec<usize>],
        reach: &[Vec<bool>],
        weight: &impl Fn(&model::Code) -> u32,
        memo: &mut Vec<Option<u32>>,
    ) -> u32 {
        match memo.get(i) {
            None => return 0,
            Some(Some(known)) => return *known,
            Some(None) if above > MAX_ACTIVE_CODES => return 0,
            Some(None) => {}
        }
        let ring: Vec<usize> = (0..calls.len()).filter(|j| *j == i || reach[i][*j] && reach[*j][i]).collect();
        let own: u32 = ring.iter().map(|j| weight(&self.model.codes[*j])).sum();
        let out: Vec<usize> =
            ring.iter().flat_map(|j| calls[*j].iter().copied()).filter(|k| !ring.contains(k)).collect();
        let next = |k| self.longest((k, above + 1), calls, reach, weight, memo);
        let below = out.into_iter().map(next).max().unwrap_or(0);
        memo[i] = Some(own + below);
        own + below
    }

    /// The codes that an instruction begins.
    fn done_by(&self, kind: &InstrKind) -> Vec<usize> {
        kind.begins(&self.model).into_iter().map(CodeId::i).collect()
    }

    fn callees(&self, code: &model::Code) -> Vec<usize> {
        let mut all: Vec<usize> = code.instrs.iter().flat_map(|i| self.done_by(&i.kind)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// What an instruction changes, except variables that only its own code can name.
fn written(kind: &InstrKind) -> impl Iterator<Item = &Target> {
    let (one, other) = match kind {
        InstrKind::Set(to, _) | InstrKind::Put(_, to) | InstrKind::Take(_, to) => (Some(to), None),
        InstrKind::MoveAll(from, to) => (Some(from), Some(to)),
        InstrKind::Bag(_, to, other) => (Some(to), other.as_ref()),
        InstrKind::Chance(c) => match &c.what {
            model::ChanceWhat::Shuffle { pile, .. } => (Some(pile), None),
            _ => (None, None),
        },
        _ => (None, None),
    };
    one.into_iter().chain(other)
}

/// The maximum size of a position in bytes, including the nesting that recursive procedures may add.
const LARGEST: u64 = 1 << 28;

fn reachability(calls: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let n = calls.len();
    (0..n)
        .map(|i| {
            let mut seen = vec![false; n];
            let mut todo = calls[i].clone();
            while let Some(j) = todo.pop() {
                if !std::mem::replace(&mut seen[j], true) {
                    todo.extend(&calls[j]);
                }
            }
            seen
        })
        .collect()
}
