//! The tests of a game: its cases and records.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::casebook::{self, Case, Failure, Report};
use crate::explain::{Coverage, Mark};
use crate::facts::Settings;
use crate::library::{self, Folder, Unusable};
use crate::model::{ClauseId, CodeId, Model};
use crate::record::{self, Record, Replay, ReplayEnd};
use crate::rules::{Rulebook, Rules, RulesError};

/// A part of the rules by its place: file, first byte, and whether it is a code rather than a clause.
pub(super) type Place = (String, u32, bool);

/// The parts of the rules that a case or record reached, and those that decided something in it.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub any: BTreeSet<Place>,
    pub decided: BTreeSet<Place>,
}

impl Touched {
    fn of(model: &Model, trace: &Coverage) -> Touched {
        let mut found = Touched::default();
        for (place, mark) in marks(model, trace) {
            if mark >= Mark::Considered {
                found.any.insert(place.clone());
            }
            if mark == Mark::Decided {
                found.decided.insert(place);
            }
        }
        found
    }
}

/// All clauses and codes with their places and marks.
fn marks<'m>(model: &'m Model, trace: &'m Coverage) -> impl Iterator<Item = (Place, Mark)> + 'm {
    let place = |span: crate::span::Span, code: bool| {
        let file = model.sources.files.get(span.file as usize).map_or("", |f| &f.name);
        (file.to_owned(), span.start, code)
    };
    let clauses = model.clauses.iter().enumerate();
    let clauses = clauses.map(move |(i, c)| (place(c.span, false), trace.clause(ClauseId(i as u16))));
    let codes = model.codes.iter().enumerate();
    clauses.chain(codes.map(move |(i, c)| (place(c.span, true), trace.code(CodeId(i as u16)))))
}

/// The places of all clauses and codes.
pub(super) fn places(model: &Model) -> BTreeSet<Place> {
    marks(model, &Coverage::default()).map(|(place, _)| place).collect()
}

/// Why a case or record does not pass.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SuiteError {
    /// Its rules cannot be loaded.
    #[error("{}", .0.brief())]
    Rules(RulesError),
    /// The first failure of a case.
    #[error("{0}")]
    Case(Box<Failure>),
    /// A record that stops, in words.
    #[error("{0}")]
    Record(String),
    /// It needs no rules.
    #[error("it needs no rules")]
    NoRules,
}

/// The rules that something was run under, and their coverage.
pub type Traced = (Arc<Model>, Arc<Coverage>);

/// The content of a case or record.
enum What {
    Case(Box<Case>),
    Record(Box<Record>),
}

/// A case or record that passes under the unchanged rules.
pub struct SuiteItem {
    /// The case by its name, or the record by its file.
    pub name: String,
    /// The file and the line where it begins.
    pub place: String,
    /// The digest of its text.
    pub digest: u64,
    what: What,
}

impl SuiteItem {
    /// Whether it is a record.
    #[must_use]
    pub fn is_record(&self) -> bool {
        matches!(self.what, What::Record(_))
    }

    /// Whether it is a case that looks ahead, which takes long.
    #[must_use]
    pub fn looks_ahead(&self) -> bool {
        match &self.what {
            What::Case(case) => case.looks_ahead(),
            What::Record(_) => false,
        }
    }

    /// The case, if it is one.
    #[must_use]
    pub fn case(&self) -> Option<&Case> {
        match &self.what {
            What::Case(case) => Some(case),
            What::Record(_) => None,
        }
    }

    /// The record, if it is one.
    #[must_use]
    pub fn record(&self) -> Option<&Record> {
        match &self.what {
            What::Case(_) => None,
            What::Record(record) => Some(record),
        }
    }

    /// The clauses of the register that it cites.
    #[must_use]
    pub fn cites(&self) -> &[String] {
        match &self.what {
            What::Case(case) => &case.cites,
            What::Record(_) => &[],
        }
    }

    /// Whether it passes. In a record, the number of options at each ply counts too, if it is given; digests of
    /// positions do not, because they depend on the layout.
    ///
    /// # Errors
    /// What fails.
    pub fn holds(&self, rules: &Rulebook) -> Result<(), SuiteError> {
        match &self.what {
            What::Case(case) => {
                let load = |settings: &Settings| rules.rules(settings).map(Rules::explaining).map_err(|e| e.brief());
                let report = casebook::run(case, &load);
                report.failures.into_iter().next().map_or(Ok(()), |f| Err(SuiteError::Case(Box::new(f))))
            }
            What::Record(record) => {
                let rules = rules.rules(&record.settings).map_err(SuiteError::Rules)?;
                let replay = rules.replay(record);
                match replay.end {
                    ReplayEnd::Complete(_) => Ok(()),
                    ReplayEnd::Stopped { .. } => Err(SuiteError::Record(replay.words(rules.explainer(), ""))),
                }
            }
        }
    }

    /// What comes of a case under rules with some settings on top of its own, and its coverage; `None` if it is a
    /// record.
    #[must_use]
    pub fn report(&self, rules: &Rulebook, over: &Settings) -> Option<(Option<Traced>, Report)> {
        let What::Case(case) = &self.what else { return None };
        let kept = RefCell::new(None);
        let load = |settings: &Settings| {
            let mut settings = settings.clone();
            settings.lay_over(over);
            let rules = rules.rules(&settings).map_err(|e| e.brief())?;
            let trace = Arc::new(Coverage::new(rules.model()));
            kept.replace(Some((Arc::clone(&rules.loaded().model), Arc::clone(&trace))));
            Ok::<_, String>(rules.traced(trace))
        };
        let report = casebook::run(case, &load);
        Some((kept.into_inner(), report))
    }

    /// What comes of a record under rules with some settings on top of its own, taken as made under other rules:
    /// another number of options does not stop it. `None` if it is a case.
    #[must_use]
    pub fn replayed(&self, rules: &Rulebook, over: &Settings) -> Option<Result<(Rules, Replay), SuiteError>> {
        let What::Record(record) = &self.what else { return None };
        let mut settings = record.settings.clone();
        settings.lay_over(over);
        let rules = match rules.rules(&settings) {
            Ok(rules) => rules,
            Err(error) => return Some(Err(SuiteError::Rules(error))),
        };
        let replay = rules.replay(&Record { rules: Some(0), ..(**record).clone() });
        Some(Ok((rules, replay)))
    }

    /// The same with everything explained, and its coverage.
    ///
    /// # Errors
    /// What fails.
    pub fn traced(&self, rules: &Rulebook) -> Result<Traced, SuiteError> {
        let kept = RefCell::new(None);
        let load = |settings: &Settings| {
            let rules = rules.rules(settings)?;
            let trace = Arc::new(Coverage::new(rules.model()));
            kept.replace(Some((Arc::clone(&rules.loaded().model), Arc::clone(&trace))));
            Ok::<_, RulesError>(rules.traced(trace))
        };
        match &self.what {
            What::Case(case) => {
                let report = casebook::run(case, &|settings: &Settings| load(settings).map_err(|e| e.brief()));
                if let Some(failure) = report.failures.into_iter().next() {
                    return Err(SuiteError::Case(Box::new(failure)));
                }
            }
            What::Record(record) => {
                let rules = load(&record.settings).map_err(SuiteError::Rules)?;
                replay_traced(record, &rules)?;
            }
        }
        kept.into_inner().ok_or(SuiteError::NoRules)
    }

    pub(super) fn touched(&self, rules: &Rulebook) -> Result<Touched, SuiteError> {
        self.traced(rules).map(|(model, trace)| Touched::of(&model, &trace))
    }
}

/// Plays a record again with a ruling on each ply.
fn replay_traced(record: &Record, rules: &Rules) -> Result<(), SuiteError> {
    let replay = rules.replay(record);
    if let ReplayEnd::Stopped { .. } = replay.end {
        return Err(SuiteError::Record(replay.words(rules.explainer(), "")));
    }
    for (position, ply) in replay.positions(rules).zip(&replay.plies) {
        if let Some(seat) = ply.seat {
            let _ = rules.judge(&position, seat, ply.choice);
        }
    }
    Ok(())
}

/// The cases and the records of a game, each in the order of its files.
pub struct Suite {
    /// The cases, then the records.
    pub all: Vec<SuiteItem>,
    /// Cases and records that are left out because they are about other games or need digests.
    pub left_out: Vec<String>,
}

/// Reads the casebooks and records of a game's folder; `game` is the name that its rules give it, `over` are settings
/// that are put over those of each.
///
/// # Errors
/// A line that cannot be understood.
pub fn suite(folder: &Folder, game: &str, over: &Settings) -> Result<Suite, Unusable> {
    let list = over.list();
    let digest_of = |text: &str| match list.is_empty() {
        true => xxh3_64(text.as_bytes()),
        false => xxh3_64(format!("{text}\0{list}").as_bytes()),
    };
    let mut found = Suite { all: Vec::new(), left_out: Vec::new() };
    for (name, text) in folder.casebooks() {
        let (cases, faults) = casebook::parse(name, text);
        if let Some(fault) = faults.first() {
            return Err(Unusable::new(fault.to_string(), format!("`lawspeaker test {}` shows all", folder.name)));
        }
        for mut case in cases {
            let settings = &case.scene.settings;
            let place = format!("{name}:{}", case.line);
            if !settings.game.is_empty() && !library::same_name(&settings.game, game) {
                found.left_out.push(place);
                continue;
            }
            let digest = digest_of(&case_text(text, &case));
            case.scene.settings.lay_over(over);
            found.all.push(SuiteItem { name: case.name.clone(), place, digest, what: What::Case(Box::new(case)) });
        }
    }
    for (name, text) in folder.records().filter(|(name, _)| !is_broken(name)) {
        let mut record = record::parse(text).map_err(|faults| {
            let fault = faults.first().map_or_else(String::new, ToString::to_string);
            Unusable::new(format!("{name}:{fault}"), "fix the record, or remove it from the folder")
        })?;
        if !library::same_name(&record.settings.game, game) {
            found.left_out.push(name.clone());
            continue;
        }
        // Numbers of options are compared whatever the rules; digests depend on the layout.
        record.rules = None;
        record.plies.iter_mut().for_each(|p| p.digest = None);
        record.settings.lay_over(over);
        let (place, digest) = (name.clone(), digest_of(text));
        found.all.push(SuiteItem { name: name.clone(), place, digest, what: What::Record(Box::new(record)) });
    }
    Ok(found)
}

/// Whether a record is kept to show what is wrong in it: it lies in a folder `broken`.
fn is_broken(name: &str) -> bool {
    name.split('/').rev().skip(1).any(|folder| folder == "broken")
}

/// The text of a case, including the ruling recorded after it.
fn case_text(text: &str, case: &Case) -> String {
    let mut own = casebook::written(text, case);
    if let Some(ruling) = &case.ruling {
        own.push_str(&ruling.text);
    }
    own
}
