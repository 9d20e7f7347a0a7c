//! The search for conflicts, as `check` tells it.

use std::io::Write as _;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::check::Checked;
use lawspeaker::conflict::{self, Answer, Finder, Pair};
use lawspeaker::lexicon::{Counted, Lexicon, fill};
use lawspeaker::model::{ClauseId, Config, Model};
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
        let is_open = |a: &Answer| matches!(a, Answer::Open(_));
        let open = self.count(is_open);
        let clash = self.count(|a| matches!(a, Answer::Conflict(_)));
        let apart = self.found.len() - open - clash;
        let lexicon = Lexicon::new(&self.model, &self.lang);
        let words = lexicon.words;
        let pairs = words.counts.of(Counted::Pairs, self.found.len());
        let numbers = [apart, clash, open].map(|n| n.to_string());
        writeln!(screen, "  {}", fill(words.pairs.total, &[&pairs, &numbers[0], &numbers[1], &numbers[2]]))?;
        for (pair, answer) in self.found.iter().filter(|(_, a)| is_open(a)) {
            let known = screen.styled(Style::Dim, &conflict::words(&lexicon, answer));
            let both = fill(words.tree.against, &[&place(&lexicon, pair.a), &place(&lexicon, pair.b)]);
            writeln!(screen, "    {both}{}{known}", words.colon)?;
        }
        Ok(())
    }

    /// For programs: every pair.
    pub fn json(&self) -> Json {
        self.found.iter().map(|(pair, answer)| pair_json(&self.model, pair, answer, &self.lang)).collect()
    }
}

/// A clause with its place.
fn place(lexicon: &Lexicon, clause: ClauseId) -> String {
    let span = lexicon.model.clause(clause).map(|c| c.span).unwrap_or_default();
    let (file, line, _) = lexicon.model.sources.place(span);
    lexicon.clause(clause) + &lexicon.words.bracketed(&format!("{file}:{line}"))
}

/// A pair with what is known about it.
pub fn pair_json(model: &Model, pair: &Pair, answer: &Answer, lang: &str) -> Json {
    let (known, example) = match answer {
        Answer::Apart(_) => ("apart", None),
        Answer::Conflict(example) => ("clash", Some(example)),
        Answer::Open(nearest) => ("not decided", nearest.as_ref()),
    };
    let lexicon = Lexicon::for_data(model, lang);
    let example = example.map(|e| {
        json!({
            "asked": e.asked(&lexicon),
            "detail": e.fault.seen(model),
            "facts": e.facts(&lexicon),
            "breaks": e.nevers.iter().map(|n| model.clause_title(*n, lang)).collect::<Vec<_>>(),
        })
    });
    json!({
        "clauses": [clause_json(model, pair.a, lang), clause_json(model, pair.b, lang)],
        "answer": known,
        "words": conflict::words(&lexicon, answer),
        "example": example,
    })
}

fn clause_json(model: &Model, id: ClauseId, lang: &str) -> Json {
    let span = model.clause(id).map(|c| c.span).unwrap_or_default();
    let (file, line, _) = model.sources.place(span);
    let cites = model.clause(id).map_or(&[][..], |c| &c.cites);
    json!({ "clause": model.clause_title(id, lang), "cites": cites, "file": file, "line": line })
}
