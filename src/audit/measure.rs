//! Coverage measured: which parts of the rules decided something, and how often.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::explain::{Coverage, Explainer, Mark};
use crate::game::{Evaluator as _, Fault};
use crate::model::{ClauseId, ClauseKind, CodeId, CodeKind, Config, InstrKind, Model};
use crate::rules::Evaluators;
use crate::simulate;
use crate::span::Span;

/// What the rules were run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Through {
    /// Cases.
    Cases,
    /// Records.
    Records,
    /// Games played at random.
    Games,
}

/// In how many cases, records or games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// It decided something.
    pub decided: usize,
    /// It was evaluated and decided nothing.
    pub considered: usize,
}

impl Tally {
    fn count(&mut self, mark: Mark) {
        match mark {
            Mark::Untouched => {}
            Mark::Considered => self.considered += 1,
            Mark::Decided => self.decided += 1,
        }
    }
}

/// A part of the rules that can decide something: a clause, a definition, an effect, a step, a decision or a chance
/// that cites the rulebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// `may move "forward"`, `step battle.cards`.
    pub what: String,
    /// The clauses of the register that it cites.
    pub cites: Vec<String>,
    /// Its file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// Of cases, records and games.
    pub tally: [Tally; 3],
}

impl Part {
    /// Whether it decided anything anywhere.
    #[must_use]
    pub fn decided(&self) -> bool {
        self.tally.iter().any(|t| t.decided > 0)
    }
}

/// What tells parts apart in the models of a game and its variants: file, first byte, name.
pub type PartKey = (String, u32, String);

/// The parts of the rules, with their coverage so far.
#[derive(Debug, Default)]
pub struct Measure {
    parts: Vec<Part>,
    index: HashMap<PartKey, usize>,
    ids: BTreeMap<String, [Tally; 3]>,
}

impl Measure {
    /// The parts of these rules, with nothing measured yet.
    #[must_use]
    pub fn new(model: &Model) -> Measure {
        let mut measure = Measure::default();
        for (source, _) in sources(model, &Coverage::default()) {
            measure.place(model, source);
        }
        measure
    }

    fn place(&mut self, model: &Model, source: Source) -> usize {
        let (file, line, _) = model.sources.place(source.span);
        let key = (file.to_owned(), source.span.start, source.what.clone());
        let Measure { parts, index, .. } = self;
        *index.entry(key).or_insert_with(|| {
            let Source { what, cites, .. } = source;
            parts.push(Part { what, cites, file: file.to_owned(), line, tally: Default::default() });
            parts.len() - 1
        })
    }

    /// Adds the coverage of one case, record or game. If the model has variants, their parts are added.
    pub fn add(&mut self, model: &Model, trace: &Coverage, through: Through) {
        let mut by_id: BTreeMap<String, Mark> = BTreeMap::new();
        for (source, mark) in sources(model, trace) {
            for id in &source.cites {
                let known = by_id.entry(id.clone()).or_default();
                *known = mark.max(*known);
            }
            let i = self.place(model, source);
            if let Some(part) = self.parts.get_mut(i) {
                count(&mut part.tally, through, mark);
            }
        }
        for (id, mark) in by_id {
            count(self.ids.entry(id).or_default(), through, mark);
        }
    }

    /// The parts, in the order of the rules; those of variants come last.
    #[must_use]
    pub fn parts(&self) -> Vec<&Part> {
        let mut all: Vec<&Part> = self.parts.iter().collect();
        all.sort_by_key(|p| (p.file.contains('/'), &p.file, p.line));
        all
    }

    /// The coverage of one part; `None` if there is no such part.
    #[must_use]
    pub fn part(&self, key: &PartKey) -> Option<&Part> {
        self.index.get(key).and_then(|i| self.parts.get(*i))
    }

    /// The combined coverage of the parts that cite a clause of the register; `None` if only data cites it, or nothing
    /// does.
    #[must_use]
    pub fn cited(&self, id: &str) -> Option<[Tally; 3]> {
        let measured = self.parts.iter().any(|p| p.cites.iter().any(|c| c == id));
        measured.then(|| self.ids.get(id).copied().unwrap_or_default())
    }
}

/// The parts that decided something.
#[must_use]
pub fn decided(model: &Model, trace: &Coverage) -> Vec<PartKey> {
    let all = sources(model, trace).into_iter().filter(|(_, mark)| *mark == Mark::Decided);
    let key = |source: Source| {
        let file = model.sources.files.get(source.span.file as usize).map_or("", |f| &f.name);
        (file.to_owned(), source.span.start, source.what)
    };
    all.map(|(source, _)| key(source)).collect()
}

/// A part with its place.
struct Source {
    what: String,
    cites: Vec<String>,
    span: Span,
}

/// The parts of a model, with their marks.
fn sources(model: &Model, trace: &Coverage) -> Vec<(Source, Mark)> {
    let mut found = Vec::new();
    for (i, clause) in model.clauses.iter().enumerate() {
        // Decisions that cite nothing are only how a clause asks.
        if clause.first.is_none() && (clause.kind != ClauseKind::Choice || !clause.cites.is_empty()) {
            let id = ClauseId(i as u16);
            let source = Source { what: clause_title(model, id), cites: clause.cites.clone(), span: clause.span };
            let mark = model.others(id).map(|other| trace.clause(other)).fold(trace.clause(id), Mark::max);
            found.push((source, mark));
        }
    }
    for (i, code) in model.codes.iter().enumerate() {
        let id = CodeId(i as u16);
        if code.kind == CodeKind::Procedure && !code.cites.is_empty() {
            let source =
                Source { what: format!("procedure {}", code.name), cites: code.cites.clone(), span: code.span };
            found.push((source, trace.code(id)));
        }
        for step in code.steps.iter().filter(|s| !s.cites.is_empty()) {
            // The condition of a step is its first instruction; it was evaluated even if the step was skipped.
            let first = code.instrs.get(usize::from(step.start)).map(|i| &i.kind);
            let guarded = matches!(first, Some(InstrKind::Unless(_, to)) if *to == step.end);
            let ran = (step.start + u16::from(guarded)..step.end).map(|pc| trace.instr(id, pc)).max();
            let asked = trace.instr(id, step.start).min(Mark::Considered);
            let what = format!("step {}.{}", code.name, step.name);
            let source = Source { what, cites: step.cites.clone(), span: step.span };
            found.push((source, ran.unwrap_or_default().max(asked)));
        }
        for (pc, instr) in code.instrs.iter().enumerate() {
            if let InstrKind::Chance(chance) = &instr.kind
                && !chance.cites.is_empty()
            {
                let source = Source { what: String::from("chance"), cites: chance.cites.clone(), span: instr.span };
                found.push((source, trace.instr(id, pc as u16)));
            }
        }
    }
    if let Some(span) = model.citations.iter().find(|c| c.by == "score").map(|c| c.span) {
        let source = Source { what: String::from("score"), cites: model.score_cites.clone(), span };
        found.push((source, trace.score()));
    }
    found
}

/// What a clause is called as a part, with its ability: `"At Frodo's side": instead strength`.
#[must_use]
pub fn clause_title(model: &Model, id: ClauseId) -> String {
    let title = model.whole_title(id);
    let ability = model.clause(id).and_then(|c| c.ability).and_then(|a| model.abilities.get(a.i()));
    match ability {
        Some(a) if !a.label.text.is_empty() => format!("\"{}\": {title}", a.label.text),
        _ => title,
    }
}

/// Counts a mark in the column of what it came through.
fn count(tally: &mut [Tally; 3], through: Through, mark: Mark) {
    if let Some(column) = tally.get_mut(through as usize) {
        column.count(mark);
    }
}

/// Plays one game at random under these options and readings, and records the coverage of the ruling on each ply and
/// of its effects.
///
/// # Errors
/// A fault of the rules.
pub fn game(model: &Arc<Model>, config: Config, seed: u64, most: usize) -> Result<Arc<Coverage>, Fault> {
    let played = simulate::one(&Evaluators::new(Arc::clone(model), config.clone()), seed, most);
    let trace = Arc::new(Coverage::new(model));
    let rules = Explainer::traced(Arc::clone(model), config, Arc::clone(&trace));
    let mut position = rules.start()?;
    for ply in &played.plies {
        if let Some(seat) = ply.seat {
            let _ = rules.judge(&position, seat, ply.choice);
        }
        rules.apply(&mut position, ply.choice)?;
    }
    rules.status(&position)?;
    Ok(trace)
}
