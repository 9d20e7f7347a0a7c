//! The stack of a position: its maximum depth, the codes that can be on it several times, and those that must be
//! counted.

use std::collections::BTreeSet;

use super::Checker;
use crate::check::Diagnostic;
use crate::model::{self, CallGraph, CodeId, Frames, InstrKind, MAX_ACTIVE_CODES, VarOwner};
use crate::span::Span;

impl Checker {
    /// Computes what can be on the stack; reports unbounded recursion.
    pub(super) fn frames(&mut self) -> Frames {
        let calls = CallGraph::new(&self.model);
        let bounded = |c: &CodeId| self.model.codes[c.i()].nested > 1;
        let bounded: BTreeSet<CodeId> = calls.codes().filter(bounded).collect();
        self.rings(&calls);
        let play = self.model.play;
        let unknown = vec![None; self.model.codes.len()];
        let once = |ring: &[CodeId]| ring.len() as u32;
        if self.longest((play, 0), &calls, &once, &mut unknown.clone()) > MAX_ACTIVE_CODES {
            self.too_deep(&calls);
        }
        let deepest = |ring: &[CodeId]| self.deepest(ring, &calls, &bounded);
        let depth = self.longest((play, 0), &calls, &deepest, &mut unknown.clone());
        let named = self.procedures.values().flat_map(|s| s.names.iter().map(|n| n.1)).collect();
        Frames { depth, counted: self.counted(), calls, named }
    }

    /// Reports unbounded recursion; codes with a bound can be active that many times.
    fn rings(&mut self, calls: &CallGraph) {
        for from in calls.codes().filter(|c| calls.reaches(*c, *c)) {
            let ring = calls.ring(from);
            let mut procedures = ring.iter().filter(|c| self.model.codes[c.i()].kind == model::CodeKind::Procedure);
            if ring.first() == Some(&from) && procedures.all(|c| self.model.codes[c.i()].nested == 1) {
                self.endless_ring(&ring);
            } else {
                let most = ring.iter().map(|c| self.model.codes[c.i()].nested).max().unwrap_or(1);
                let code = &mut self.model.codes[from.i()];
                code.nested = code.nested.max(most);
            }
        }
    }

    fn endless_ring(&mut self, ring: &[CodeId]) {
        let mut d: Option<Diagnostic> = None;
        for code in ring {
            let (span, words) = self.way_on(*code, ring);
            d = Some(match d {
                None => {
                    let message = format!("`{}` calls itself", self.model.codes[code.i()].name);
                    Diagnostic::error("law::recursion", message, span, words).help(
                        "remove one of the calls, or write how many can be active at a time: `procedure NAME(...) \
                         nested 3`",
                    )
                }
                Some(d) => d.and(span, words),
            });
        }
        if let Some(d) = d {
            self.report(d);
        }
    }

    // The place where one code of a cycle calls the next.
    fn way_on(&self, from: CodeId, ring: &[CodeId]) -> (Span, String) {
        let c = &self.model.codes[from.i()];
        for instr in &c.instrs {
            let Some(to) = instr.kind.begins(&self.model).into_iter().find(|to| ring.contains(to)) else {
                continue;
            };
            let words = format!("`{}` calls `{}`", c.name, self.model.codes[to.i()].name);
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
                let owners = instr.kind.targets().into_iter().map(|t| self.model.vars[t.var.i()].owner);
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
    fn too_deep(&mut self, calls: &CallGraph) {
        // The first code that is one level too deep.
        let mut at = BTreeSet::from([self.model.play]);
        for _ in 0..MAX_ACTIVE_CODES {
            let next: BTreeSet<CodeId> = at.iter().flat_map(|c| calls.begins(*c)).copied().collect();
            if next.is_empty() {
                break;
            }
            at = next;
        }
        let Some(c) = at.first().and_then(|c| self.model.codes.get(c.i())) else { return };
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

    /// How many codes of a ring can be active inside each other. Where each way round leads through a code whose bound
    /// is written, the others are at most as deep between two of those as the longest way through them.
    fn deepest(&self, ring: &[CodeId], calls: &CallGraph, bounded: &BTreeSet<CodeId>) -> u32 {
        let nested = |c: &CodeId| u32::from(self.model.codes[c.i()].nested);
        let all = ring.iter().map(nested).sum();
        let (cuts, others): (Vec<CodeId>, Vec<CodeId>) = ring.iter().partition(|c| bounded.contains(c));
        let Some(between) = longest_way(&others, calls) else { return all };
        let cuts: u32 = cuts.iter().map(nested).sum();
        all.min(cuts.saturating_add((cuts + 1).saturating_mul(between)))
    }

    /// The maximum depth of the stack from a code on, where `weight` gives that within a ring. The search stops beyond
    /// the room there is.
    fn longest(
        &self,
        (from, above): (CodeId, u32),
        calls: &CallGraph,
        weight: &impl Fn(&[CodeId]) -> u32,
        memo: &mut Vec<Option<u32>>,
    ) -> u32 {
        match memo.get(from.i()) {
            None => return 0,
            Some(Some(known)) => return *known,
            Some(None) if above > MAX_ACTIVE_CODES => return 0,
            Some(None) => {}
        }
        let ring = calls.ring(from);
        let own = weight(&ring);
        let out: Vec<CodeId> =
            ring.iter().flat_map(|c| calls.begins(*c)).copied().filter(|c| !ring.contains(c)).collect();
        let next = |code| self.longest((code, above + 1), calls, weight, memo);
        let below = out.into_iter().map(next).max().unwrap_or(0);
        memo[from.i()] = Some(own + below);
        own + below
    }
}

/// The number of codes on the longest way through some; `None` if a way leads round.
fn longest_way(among: &[CodeId], calls: &CallGraph) -> Option<u32> {
    let mut left: BTreeSet<CodeId> = among.iter().copied().collect();
    let mut length = 0;
    while !left.is_empty() {
        // Those that nothing left begins come first.
        let begun: BTreeSet<CodeId> = left.iter().flat_map(|c| calls.begins(*c)).copied().collect();
        let before = left.len();
        left.retain(|c| begun.contains(c));
        if left.len() == before {
            return None;
        }
        length += 1;
    }
    Some(length)
}

/// The maximum size of a position in bytes, including the nesting that recursive procedures may add.
const LARGEST: u64 = 1 << 28;
