//! Labels by which clauses refer to each other: exceptions, ranks, prohibitions set aside.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Checker;
use crate::check::Diagnostic;
use crate::model::{ActionId, ClauseId, DefId, Layer};
use crate::span::Span;
use crate::syntax::tree::{self, Mods};

/// A reference by label from one clause to another.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) by: ClauseId,
    pub(super) label: tree::Label,
    pub(super) how: How,
    pub(super) among: Among,
}

/// The kind of reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum How {
    Exception,
    Rank,
    Despite,
}

/// The maximum number of pairs of clauses of which one beats the other or sets it aside, directly or through others.
const MAX_PAIRS: usize = 4_000_000;

/// The maximum number of clauses named in one message.
const NAMED: usize = 10;

/// The clauses among which it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
                    "only an `instead` can be an exception",
                    label.span,
                    "not here",
                )
                .help(match among {
                    Among::Prohibitions(_) => "on a `may` write `despite \"LABEL\"`",
                    Among::Ends => "on an ending write `ranks above \"LABEL\"`",
                    Among::Def(_) => "remove it, or make the clause an `instead`",
                }),
            ),
            _ => {}
        }
    }

    /// Records the ranks of an ending.
    pub(super) fn want_ranks(&mut self, by: ClauseId, mods: &Mods) {
        self.want(by, mods, Among::Ends, None);
    }

    /// Resolves the labels, and records which clause beats which.
    pub(super) fn resolve_wanted(&mut self) {
        let mut beats: BTreeMap<ClauseId, Vec<(ClauseId, Span)>> = BTreeMap::new();
        let mut pools: HashMap<(Among, How), HashMap<String, Vec<ClauseId>>> = HashMap::new();
        let mut aside = 0;
        for w in std::mem::take(&mut self.wanted) {
            let by_label = pools.entry((w.among, w.how)).or_insert_with(|| self.by_label(w.among, w.how));
            let called = by_label.get(&w.label.text).map_or(&[][..], Vec::as_slice);
            let hits: Vec<ClauseId> = called.iter().copied().filter(|c| *c != w.by).collect();
            match (hits.as_slice(), w.how) {
                ([], How::Despite) => {
                    let pool = self.prohibitions_of_all(w.by);
                    if !pool.iter().any(|c| self.model.clauses[c.i()].label.text == w.label.text) {
                        self.dangling(&w, &pool);
                    }
                }
                ([], _) => self.dangling(&w, &self.pool(w.among, w.how)),
                ([one], How::Exception | How::Rank) => beats.entry(w.by).or_default().push((*one, w.label.span)),
                (many, How::Despite) => {
                    let Among::Prohibitions(a) = w.among else {
                        continue;
                    };
                    aside += many.len();
                    if aside > MAX_PAIRS {
                        self.too_many_pairs(w.label.span);
                        break;
                    }
                    if let Some(p) = self.model.actions[a.i()].may.iter_mut().find(|p| p.clause == w.by) {
                        p.despite.extend(many);
                    }
                }
                (many, _) => self.ambiguous(&w, many),
            }
        }
        self.close(&beats);
    }

    /// The prohibitions of all actions that a clause is about.
    fn prohibitions_of_all(&self, by: ClauseId) -> Vec<ClauseId> {
        let first = |id: ClauseId| self.model.clauses[id.i()].first.unwrap_or(id);
        let about = self.model.actions.iter().filter(|a| a.may.iter().any(|may| first(may.clause) == first(by)));
        about.flat_map(|a| &a.may_not).map(|not| not.clause).collect()
    }

    fn by_label(&self, among: Among, how: How) -> HashMap<String, Vec<ClauseId>> {
        let mut found: HashMap<String, Vec<ClauseId>> = HashMap::new();
        for clause in self.pool(among, how) {
            found.entry(self.model.clauses[clause.i()].label.text.clone()).or_default().push(clause);
        }
        found
    }

    fn too_many_pairs(&mut self, span: Span) {
        let message = format!("more than {MAX_PAIRS} pairs of clauses of which one beats the other");
        let help = "name one clause that stands for many, or write shorter chains of exceptions";
        self.report(Diagnostic::error("law::range", message, span, "this one is too many").help(help));
    }

    pub(super) fn pool(&self, among: Among, how: How) -> Vec<ClauseId> {
        match (among, how) {
            (Among::Def(d), _) => self.model.defs[d.i()].layer(Layer::Instead).iter().map(|c| c.clause).collect(),
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
            None => format!("the clauses it could mean are: {}", crate::spelling::list(&labels, 2 * NAMED)),
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
        for c in many.iter().take(NAMED) {
            d = d.and(self.model.clauses[c.i()].span, "this one");
        }
        self.report(d.help("give the clauses different labels"));
    }

    // Ranks are made transitive here, so that an evaluator need not follow them.
    pub(super) fn close(&mut self, beats: &BTreeMap<ClauseId, Vec<(ClauseId, Span)>>) {
        let mut rings: Vec<Vec<ClauseId>> = Vec::new();
        let mut in_rings: HashSet<ClauseId> = HashSet::new();
        let mut places: HashMap<ClauseId, (usize, usize)> = HashMap::new();
        for (d, def) in self.model.defs.iter().enumerate() {
            places.extend(def.clauses.iter().enumerate().map(|(i, c)| (c.clause, (d, i))));
        }
        for (from, direct) in beats {
            let mut reached: Vec<ClauseId> = Vec::new();
            let mut known: HashSet<ClauseId> = HashSet::new();
            // For each clause reached, the clause from which it was reached first.
            let mut path: HashMap<ClauseId, ClauseId> = HashMap::new();
            let mut todo = vec![*from];
            while let Some(c) = todo.pop() {
                for (next, _) in beats.get(&c).map_or(&[][..], Vec::as_slice) {
                    path.entry(*next).or_insert(c);
                    if next == from {
                        if !in_rings.contains(from) {
                            let ring = ring(&path, *from, c);
                            in_rings.extend(&ring);
                            rings.push(ring);
                        }
                    } else if known.insert(*next) {
                        reached.push(*next);
                        todo.push(*next);
                    }
                }
            }
            if self.ranks.len() + reached.len() > MAX_PAIRS {
                let span = direct.first().map_or(Span::default(), |(_, span)| *span);
                self.too_many_pairs(span);
                break;
            }
            if let Some((d, i)) = places.get(from) {
                self.model.defs[*d].clauses[*i].beats = reached.clone();
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
        let mut told: HashSet<ClauseId> = HashSet::new();
        for ring in rings {
            if ring.iter().any(|c| told.contains(c)) {
                continue;
            }
            let mut d: Option<Diagnostic> = None;
            for (i, c) in ring.iter().enumerate().take(NAMED) {
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
                self.report(d.help("remove one of the exceptions or ranks"));
            }
        }
    }
}

/// The path from the last clause of a ring back to the first.
fn ring(path: &HashMap<ClauseId, ClauseId>, from: ClauseId, last: ClauseId) -> Vec<ClauseId> {
    let mut ring = Vec::new();
    let mut at = last;
    while at != from && ring.len() <= path.len() {
        ring.push(at);
        at = path.get(&at).copied().unwrap_or(from);
    }
    ring.push(from);
    ring.reverse();
    ring
}
