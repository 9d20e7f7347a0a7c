//! Labels by which clauses name each other: exceptions, ranks, prohibitions set aside.

use std::collections::BTreeMap;

use super::Checker;
use crate::check::Diagnostic;
use crate::model::{ActionId, ClauseId, DefId};
use crate::span::Span;
use crate::syntax::tree::{self, Mods};

/// A label that a clause names another by.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) by: ClauseId,
    pub(super) label: tree::Label,
    pub(super) how: How,
    pub(super) among: Among,
}

/// In which way it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Exception,
    Rank,
    Despite,
}

/// Among which clauses it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Among {
    Def(DefId),
    Prohibitions(ActionId),
    Ends,
}

impl Checker {
    pub(super) fn want(&mut self, by: ClauseId, mods: &Mods, among: Among, exceptions: Option<Among>) {
        for label in &mods.ranks_above {
            self.wanted.push(Wanted { by, label: label.clone(), how: How::Rank, among });
        }
        match (&mods.exception_to, exceptions) {
            (Some(label), Some(among)) => {
                self.wanted.push(Wanted { by, label: label.clone(), how: How::Exception, among })
            }
            (Some(label), None) => self.report(
                Diagnostic::error(
                    "law::dangling-exception",
                    "only an `instead` is an exception to another",
                    label.span,
                    "not here",
                )
                .help(match among {
                    Among::Prohibitions(_) => "on a `may` write `despite \"LABEL\"`",
                    Among::Ends => "on an ending write `ranks above \"LABEL\"`",
                    Among::Def(_) => "take it away, or make the clause an `instead`",
                }),
            ),
            _ => {}
        }
    }

    /// Notes the ranks of an ending.
    pub(super) fn want_ranks(&mut self, by: ClauseId, mods: &Mods) {
        self.want(by, mods, Among::Ends, None);
    }

    /// Finds the clauses that labels name, and what beats what.
    pub(super) fn resolve_wanted(&mut self) {
        let mut beats: BTreeMap<ClauseId, Vec<(ClauseId, Span)>> = BTreeMap::new();
        for w in std::mem::take(&mut self.wanted) {
            let pool = self.pool(w.among, w.how);
            let hits: Vec<ClauseId> = pool
                .iter()
                .copied()
                .filter(|c| *c != w.by && self.model.clauses[c.i()].label.text == w.label.text)
                .collect();
            match (hits.as_slice(), w.how) {
                ([], _) => self.dangling(&w, &pool),
                ([one], How::Exception | How::Rank) => beats.entry(w.by).or_default().push((*one, w.label.span)),
                (many, How::Despite) => {
                    let Among::Prohibitions(a) = w.among else {
                        continue;
                    };
                    if let Some(p) = self.model.actions[a.i()].may.iter_mut().find(|p| p.clause == w.by) {
                        p.despite.extend(many);
                    }
                }
                (many, _) => self.ambiguous(&w, many),
            }
        }
        self.close(&beats);
    }

    pub(super) fn pool(&self, among: Among, how: How) -> Vec<ClauseId> {
        match (among, how) {
            (Among::Def(d), _) => self.model.defs[d.i()].instead.iter().map(|c| c.clause).collect(),
            (Among::Prohibitions(a), How::Despite) => {
                self.model.actions[a.i()].may_not.iter().map(|c| c.clause).collect()
            }
            (Among::Prohibitions(_), _) => Vec::new(),
            (Among::Ends, _) => self.model.ends.iter().map(|e| e.clause).collect(),
        }
    }

    pub(super) fn dangling(&mut self, w: &Wanted, pool: &[ClauseId]) {
        self.unclear.clauses.insert(w.by);
        let labels: Vec<String> =
            pool.iter().map(|c| self.model.clauses[c.i()].label.text.clone()).filter(|l| !l.is_empty()).collect();
        let help = match crate::spelling::closest(&w.label.text, labels.iter().map(String::as_str)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None if labels.is_empty() => {
                "no clause that it could mean has a label: give that clause one in quotes after its head".into()
            }
            None => format!(
                "the clauses it could mean are: {}",
                labels.iter().map(|l| format!("\"{l}\"")).collect::<Vec<_>>().join(", ")
            ),
        };
        let what = match w.how {
            How::Exception => "this is an exception to nothing",
            How::Rank => "this ranks above nothing",
            How::Despite => "this sets nothing aside",
        };
        self.report(
            Diagnostic::error("law::dangling-exception", what, w.label.span, "no clause has this label").help(help),
        );
    }

    pub(super) fn ambiguous(&mut self, w: &Wanted, many: &[ClauseId]) {
        self.unclear.clauses.insert(w.by);
        let mut d = Diagnostic::error(
            "law::ambiguous-exception",
            format!("\"{}\" could mean {} clauses", w.label.text, many.len()),
            w.label.span,
            "which one?",
        );
        for c in many {
            d = d.and(self.model.clauses[c.i()].span, "this one");
        }
        self.report(d.help("give the clauses different labels"));
    }

    // Ranks are followed all the way down, so that an evaluator need not.
    pub(super) fn close(&mut self, beats: &BTreeMap<ClauseId, Vec<(ClauseId, Span)>>) {
        let mut rings: Vec<Vec<ClauseId>> = Vec::new();
        for from in beats.keys() {
            let mut reached: Vec<ClauseId> = Vec::new();
            let mut path: Vec<(ClauseId, ClauseId)> = Vec::new();
            let mut todo = vec![*from];
            while let Some(c) = todo.pop() {
                for (next, _) in beats.get(&c).map_or(&[][..], Vec::as_slice) {
                    path.push((*next, c));
                    if next == from {
                        rings.push(ring(&path, *from));
                    } else if !reached.contains(next) {
                        reached.push(*next);
                        todo.push(*next);
                    }
                }
            }
            for def in &mut self.model.defs {
                if let Some(c) = def.instead.iter_mut().find(|c| c.clause == *from) {
                    c.beats = reached.clone();
                }
            }
            if let Some(e) = self.model.ends.iter_mut().find(|e| e.clause == *from) {
                e.beats = reached.clone();
            }
            self.ranks.extend(reached.iter().map(|r| (*from, *r)));
        }
        self.report_rings(rings, beats);
    }

    pub(super) fn report_rings(
        &mut self,
        rings: Vec<Vec<ClauseId>>,
        beats: &BTreeMap<ClauseId, Vec<(ClauseId, Span)>>,
    ) {
        let mut told: Vec<ClauseId> = Vec::new();
        for ring in rings {
            if ring.iter().any(|c| told.contains(c)) {
                continue;
            }
            let mut d: Option<Diagnostic> = None;
            for (i, c) in ring.iter().enumerate() {
                let next = ring[(i + 1) % ring.len()];
                let span = beats
                    .get(c)
                    .and_then(|b| b.iter().find(|(n, _)| *n == next))
                    .map_or(self.model.clauses[c.i()].span, |(_, s)| *s);
                let words =
                    format!("`{}` beats `{}`", self.model.clause_title(*c, ""), self.model.clause_title(next, ""));
                d = Some(match d {
                    None => {
                        Diagnostic::error("law::exception-ring", "these clauses beat each other in a ring", span, words)
                    }
                    Some(d) => d.and(span, words),
                });
            }
            told.extend(&ring);
            if let Some(d) = d {
                self.report(d.help("take one of the exceptions or ranks away"));
            }
        }
    }
}

/// The way back from the last step of a search to where it began.
fn ring(path: &[(ClauseId, ClauseId)], from: ClauseId) -> Vec<ClauseId> {
    let mut ring = Vec::new();
    let mut at = path.last().map_or(from, |(_, c)| *c);
    while at != from && ring.len() <= path.len() {
        ring.push(at);
        at = path.iter().find(|(n, _)| *n == at).map_or(from, |(_, c)| *c);
    }
    ring.push(from);
    ring.reverse();
    ring
}
