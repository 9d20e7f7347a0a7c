//! The search for conflicts, as `check` tells it.

use std::io::Write as _;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::check::Checked;
use lawspeaker::conflict::{self, Answer, Finder, Pair};
use lawspeaker::model::{ClauseId, Config, Model};
use lawspeaker::report::plural;
use serde_json::{Value as Json, json};

use super::Stop;
use super::screen::{Screen, Style};

/// What the search found beyond the certain conflicts.
pub struct Conflicts {
    model: Arc<Model>,
    lang: String,
    found: Vec<(Pair, Answer)>,
}

/// Searches rules without errors, and adds a warning for each pair that can conflict to the diagnostics of the checker.
pub fn search(checked: &mut Checked, config: Option<Config>, tries: u32, lang: &str) -> Option<Conflicts> {
    let model = Arc::new(checked.model.clone()?);
    let found = answers(&model, config, tries);
    checked.diagnostics.extend(conflict::diagnostics(&model, &found));
    Some(Conflicts { model, lang: lang.to_owned(), found })
}

/// What is known of all pairs of clauses that could disagree, with progress on a terminal.
fn answers(model: &Arc<Model>, config: Option<Config>, tries: u32) -> Vec<(Pair, Answer)> {
    let finder = Finder::new(model, config, tries);
    let bar = ProgressBar::with_draw_target(Some(finder.pairs().len() as u64), ProgressDrawTarget::stderr());
    let found = finder.all(&|| bar.inc(1));
    bar.finish_and_clear();
    found
}

impl Conflicts {
    fn count(&self, what: impl Fn(&Answer) -> bool) -> usize {
        self.found.iter().filter(|(_, a)| what(a)).count()
    }

    /// The number of pairs and what is known about them; undecided ones are listed one by one.
    pub fn print(&self, screen: &mut Screen) -> Result<(), Stop> {
        let open = self.count(|a| matches!(a, Answer::Open(_)));
        let clash = self.count(|a| matches!(a, Answer::Conflict(_)));
        let apart = self.found.len() - open - clash;
        let pairs = plural(self.found.len(), "pair");
        writeln!(
            screen,
            "  {pairs} of clauses that could disagree: {apart} never do, {clash} can, {open} not decided"
        )?;
        for (pair, answer) in self.found.iter().filter(|(_, a)| matches!(a, Answer::Open(_))) {
            let words = conflict::words(&self.model, answer, &self.lang);
            let words = screen.styled(Style::Dim, &words);
            writeln!(screen, "    {} against {}: {words}", self.place(pair.a), self.place(pair.b))?;
        }
        Ok(())
    }

    /// A clause with its place.
    fn place(&self, clause: ClauseId) -> String {
        let span = self.model.clause(clause).map(|c| c.span).unwrap_or_default();
        let (file, line, _) = self.model.sources.place(span);
        format!("{} ({file}:{line})", self.model.clause_title(clause, &self.lang))
    }

    /// For programs: every pair.
    pub fn json(&self) -> Json {
        self.found.iter().map(|(pair, answer)| pair_json(&self.model, pair, answer, &self.lang)).collect()
    }
}

/// A pair with what is known about it.
pub fn pair_json(model: &Model, pair: &Pair, answer: &Answer, lang: &str) -> Json {
    let (known, example) = match answer {
        Answer::Apart(_) => ("apart", None),
        Answer::Conflict(example) => ("clash", Some(example)),
        Answer::Open(nearest) => ("not decided", nearest.as_ref()),
    };
    let example = example.map(|e| {
        json!({
            "asked": e.asked(model, lang),
            "detail": e.fault.seen(model),
            "facts": e.facts(model, lang),
            "breaks": e.nevers.iter().map(|n| model.clause_title(*n, lang)).collect::<Vec<_>>(),
        })
    });
    json!({
        "clauses": [clause_json(model, pair.a, lang), clause_json(model, pair.b, lang)],
        "answer": known,
        "words": conflict::words(model, answer, lang),
        "example": example,
    })
}

fn clause_json(model: &Model, id: ClauseId, lang: &str) -> Json {
    let span = model.clause(id).map(|c| c.span).unwrap_or_default();
    let (file, line, _) = model.sources.place(span);
    let cites = model.clause(id).map_or(&[][..], |c| &c.cites);
    json!({ "clause": model.clause_title(id, lang), "cites": cites, "file": file, "line": line })
}
