//! The work that takes a while: rules that are checked, cases that are run, records that are replayed. It is done apart
//! from the conversation, and given up when something changes meanwhile.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value as Json, json};

use super::place;
use crate::casebook::{self, Case, Failure};
use crate::check::{Checked, Memory, check_again};
use crate::facts::{FactFault, Settings};
use crate::library::{self, Folder, same_name};
use crate::record::{self, ReplayEnd, Stop, Trail};
use crate::rules::{Rulebook, Rules};

/// Work to do for a game.
#[derive(Debug)]
pub struct Job {
    pub(super) root: PathBuf,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) work: Work,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Work {
    /// Check the rules of a folder.
    Rules(Folder, Memory),
    /// Hold casebooks and records against the rules.
    Texts(Shelf, Vec<(String, String)>, Tried),
}

/// What came of a job, or of a part of it.
#[derive(Debug)]
pub struct Done {
    pub(super) root: PathBuf,
    /// Set where something has changed since.
    pub(super) stop: Arc<AtomicBool>,
    pub(super) found: Found,
}

/// What was found.
#[derive(Debug)]
pub(super) enum Found {
    /// All about the rules; the job is done.
    Rules(Box<Checked>, Memory),
    /// The diagnostics of a casebook or record.
    Text(String, Vec<Json>),
    /// All texts are done.
    Texts(Tried),
}

/// What came of cases and records under the rules as they are.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// What failed in cases, by their texts.
    cases: BTreeMap<String, Vec<Failure>>,
    /// The last replays of records, by the names of their files.
    records: BTreeMap<String, Trail>,
}

impl Job {
    /// Does the work; each part of it is given away as soon as it is done, at the end what ends the job.
    pub fn run(self, give: &mut dyn FnMut(Done)) {
        let Job { root, stop, work } = self;
        let mut give = |found| give(Done { root: root.clone(), stop: Arc::clone(&stop), found });
        match work {
            Work::Rules(folder, mut memory) => {
                let checked = check_again(&mut memory, &folder.rules(), &[]);
                give(Found::Rules(Box::new(checked), memory));
            }
            Work::Texts(shelf, texts, mut known) => {
                let mut tried = Tried::default();
                for (name, text) in &texts {
                    let is_record = name.ends_with(".record");
                    let check = if is_record { record } else { casebook };
                    check(&shelf, (name, text), &stop, (&mut known, &mut tried), &mut give);
                }
                if stop.load(Ordering::Relaxed) {
                    tried.cases.append(&mut known.cases);
                    tried.records.append(&mut known.records);
                }
                give(Found::Texts(tried));
            }
        }
    }
}

/// The rules that casebooks and records name.
#[derive(Clone, Debug)]
pub(super) struct Shelf {
    /// The name of the game in whose folder they are, and its rules; nothing while these have errors.
    pub own: Option<(String, Arc<Rulebook>)>,
}

impl Shelf {
    /// The rules under some settings.
    pub fn rules(&self, settings: &Settings) -> Result<Rules, String> {
        match &self.own {
            Some((name, book)) if settings.game.is_empty() || same_name(name, &settings.game) => {
                book.rules(settings).map_err(|e| e.to_string())
            }
            _ => {
                let folder = library::find(&settings.game).map_err(|e| e.to_string())?;
                Rules::of_folder(folder, settings).map_err(|e| e.to_string())
            }
        }
    }
}

/// What a case that was not understood, or that failed, is about.
fn told(text: &str, line: usize, column: usize, width: usize, message: &str) -> Json {
    json!({
        "range": place::written(text, line, column, width), "severity": 1, "source": "lawspeaker", "message": message,
    })
}

fn unread(text: &str, fault: &FactFault) -> Json {
    told(text, fault.line, fault.column, fault.width, &fault.message)
}

/// The lines of a case, and of the ruling after it: what its outcome depends on.
fn key(text: &str, case: &Case) -> String {
    let ruling = case.ruling.as_ref().map_or("", |r| r.text.as_str());
    format!("{}\n{ruling}", casebook::written(text, case))
}

/// How a case that failed is told of.
fn failed(text: &str, case: &Case, failure: &Failure) -> Json {
    let line = case.line + failure.line;
    match &failure.mistake {
        Some(fault) => told(text, line, fault.column, fault.width, &fault.message),
        None => {
            let rest = text.lines().nth(line.saturating_sub(1)).unwrap_or("");
            let width = rest.trim_end().chars().count().saturating_sub(failure.column - 1);
            told(text, line, failure.column, width, &format!("expected {}, but {}", failure.expected, failure.got))
        }
    }
}

fn casebook(
    shelf: &Shelf,
    (name, text): (&str, &str),
    stop: &AtomicBool,
    (known, tried): (&mut Tried, &mut Tried),
    give: &mut dyn FnMut(Found),
) {
    let (cases, faults) = casebook::parse(name, text);
    let mut found: Vec<Json> = faults.iter().map(|f| unread(text, &f.fault)).collect();
    // What looks ahead may take minutes; it is run where it is asked for.
    let quick = cases.iter().filter(|c| shelf.own.is_some() && !c.looks_ahead());
    let mut open = Vec::new();
    for case in quick {
        match known.cases.remove(&key(text, case)) {
            Some(failures) => {
                found.extend(failures.iter().map(|f| failed(text, case, f)));
                tried.cases.insert(key(text, case), failures);
            }
            None => open.push(case),
        }
    }
    if !open.is_empty() {
        give(Found::Text(name.to_owned(), found.clone()));
    }
    for case in open {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let load = |settings: &Settings| shelf.rules(settings);
        let mut failures = casebook::run(case, &load).failures;
        for failure in &mut failures {
            failure.line = failure.line.saturating_sub(case.line);
        }
        found.extend(failures.iter().map(|f| failed(text, case, f)));
        tried.cases.insert(key(text, case), failures);
    }
    give(Found::Text(name.to_owned(), found));
}

fn record(
    shelf: &Shelf,
    (name, text): (&str, &str),
    _: &AtomicBool,
    (known, tried): (&mut Tried, &mut Tried),
    give: &mut dyn FnMut(Found),
) {
    let trail = known.records.remove(name).unwrap_or_default();
    let trail = tried.records.entry(name.to_owned()).or_insert(trail);
    let found = match record::parse(text) {
        Err(faults) => faults.iter().map(|f| unread(text, f)).collect(),
        Ok(_) if shelf.own.is_none() => Vec::new(),
        Ok(record) => replayed(shelf, text, &record, trail),
    };
    give(Found::Text(name.to_owned(), found));
}

/// The ply of a record that cannot be played, if there is one.
fn replayed(shelf: &Shelf, text: &str, record: &record::Record, trail: &mut Trail) -> Vec<Json> {
    let rules = match shelf.rules(&record.settings) {
        Ok(rules) => rules,
        Err(message) => return vec![told(text, 1, 1, 0, &message)],
    };
    let replay = rules.replay_on(record, trail);
    match &replay.end {
        ReplayEnd::Complete(_) => Vec::new(),
        ReplayEnd::Stopped { reason: Stop::NoBeginning(faults), .. } => {
            faults.iter().map(|f| unread(text, f)).collect()
        }
        ReplayEnd::Stopped { line, .. } => {
            let whole = text.lines().nth(line.saturating_sub(1)).unwrap_or("").trim_end().chars().count();
            vec![told(text, (*line).max(1), 1, whole, replay.words(rules.explainer(), "").trim_end())]
        }
    }
}
