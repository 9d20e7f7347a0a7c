//! Runs a case.

use super::expect::Bench;
use super::{Case, Expectation, Section, misspelt};
use crate::facts::parse::{curly, curly_words};
use crate::facts::{FactFault, Names, Settings, resolve};
use crate::model::ClauseId;
use crate::rules::Rules;
use std::collections::BTreeSet;
use std::fmt;

/// The result of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The case.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// What failed.
    pub failures: Vec<Failure>,
    /// The clauses the case says it is about.
    pub cites: Vec<String>,
    /// The citations of the clauses that decided something on the way.
    pub decided: BTreeSet<String>,
    /// Those clauses themselves, in the model the case was run under.
    pub clauses: BTreeSet<ClauseId>,
    /// The ruling of the last `ask`, as it is now.
    pub ruling: Option<String>,
}

/// What was expected, and what came instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The file.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The case.
    pub case: String,
    /// What was expected.
    pub expected: String,
    /// What came instead.
    pub got: String,
    /// Whether the rules themselves could not be loaded.
    pub of_rules: bool,
    /// A mistake in the text of the case, if nothing was tried because of it.
    pub mistake: Option<FactFault>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { file, line, column, case, expected, got, .. } = self;
        write!(f, "{file}:{line}:{column}: case \"{case}\": expected {expected}, but {got}")
    }
}

/// Runs a case; `load` loads the rules that its `given` line names.
pub fn run<E: fmt::Display>(case: &Case, load: &dyn Fn(&Settings) -> Result<Rules, E>) -> Report {
    let mut report = Report { name: case.name.clone(), cites: case.cites.clone(), ..Report::default() };
    match load(&case.scene.settings.rules()) {
        Ok(rules) => play(case, &rules, &mut report),
        Err(message) => {
            let of_rules = failure(case, case.scene.line, "the rules of the game", message.to_string());
            report.failures.push(Failure { of_rules: true, ..of_rules });
        }
    }
    report.passed = report.failures.is_empty();
    report
}

/// Makes sure that an expectation says something that can be true or false.
fn readable(rules: &Rules, names: &Names, what: &Expectation) -> Result<(), String> {
    match what {
        Expectation::Fact(piece) => resolve(rules.model(), names, &piece.text).map(|_| ()).map_err(|wrong| {
            if let Some((_, quote)) = curly(&piece.text) {
                return curly_words(quote);
            }
            let meant = misspelt::expectation(&piece.text);
            meant.map_or_else(
                || wrong.to_string(),
                |meant| format!("`{}` is not understood; did you mean `{meant}`?", piece.text),
            )
        }),
        Expectation::Holds(expr, _) => rules.condition(expr, "what stands after `holds`").map_err(|e| e.to_string()),
        _ => Ok(()),
    }
}

fn failure(case: &Case, line: usize, expected: &str, got: impl Into<String>) -> Failure {
    Failure {
        file: case.file.clone(),
        line,
        column: 1,
        case: case.name.clone(),
        expected: expected.to_owned(),
        got: got.into(),
        of_rules: false,
        mistake: None,
    }
}

/// A failure whose cause is the text of the case.
fn mistaken(case: &Case, expected: &str, fault: FactFault) -> Failure {
    let (column, got) = (fault.column, fault.message.clone());
    Failure { column, mistake: Some(fault.clone()), ..failure(case, fault.line, expected, got) }
}

fn play(case: &Case, rules: &Rules, report: &mut Report) {
    let model = rules.model();
    if !model.register.is_empty() {
        for id in &case.cites {
            if !model.register.iter().any(|r| r.id == *id) {
                let known = model.register.iter().map(|r| r.id.as_str());
                let near = crate::spelling::hint(&crate::spelling::nearest(id, known, 2));
                report.failures.push(failure(
                    case,
                    case.line,
                    &format!("`{id}` in the register of clauses"),
                    format!("it has no such clause{near}"),
                ));
            }
        }
    }
    let position = match case.scene.opening_by(rules.explainer(), rules.spelt()) {
        Ok(position) => position,
        Err(faults) => {
            let failures = faults.into_iter().map(|f| mistaken(case, "a position", f));
            report.failures.extend(failures);
            return;
        }
    };
    for label in case.scene.idle_waivers(rules.explainer(), &position) {
        let expected = format!("`given impossible \"{}\"`", label.text);
        report.failures.push(failure(case, label.line, &expected, "no `never` with that label rules out the position"));
    }
    let names = rules.spelt();
    let mut bench = Bench::new(rules, position, case.scene.settings.from_start);
    'case: for section in &case.sections {
        match section {
            Section::When(moves) => {
                for made in moves {
                    if let Err(message) = bench.play(made) {
                        let expected = format!("`{}: {}`", made.who, made.text);
                        let failure = failure(case, made.line, &expected, message.to_string());
                        report.failures.push(Failure { column: made.column, ..failure });
                        // The rest is about a position that was not reached.
                        break 'case;
                    }
                }
                bench.last = None;
            }
            Section::Then(expected) => {
                for one in expected {
                    let expected = format!("`{}`", one.text);
                    if let Err(message) = readable(rules, names, &one.what) {
                        let fault = FactFault::new(one.line, one.column, message).over(one.text.chars().count());
                        report.failures.push(mistaken(case, &expected, fault));
                    } else if let Err(got) = bench.expect(&one.what) {
                        let failure = failure(case, one.line, &expected, got.to_string());
                        report.failures.push(Failure { column: one.column, ..failure });
                    }
                }
            }
        }
    }
    report.ruling = bench.asked.take();
    report.clauses = std::mem::take(&mut bench.clauses);
    report.decided =
        report.clauses.iter().filter_map(|c| model.clause(*c)).flat_map(|c| c.cites.iter().cloned()).collect();
    if let Some(recorded) = &case.ruling {
        match &report.ruling {
            None if report.failures.is_empty() => report.failures.push(failure(
                case,
                recorded.line,
                "the recorded ruling",
                "nothing is asked in the case: add `ask \"...\"` to its `then`",
            )),
            Some(now) if now.trim_end() != recorded.text.replace('\r', "").trim_end() => {
                report.failures.push(failure(
                    case,
                    recorded.line,
                    "the recorded ruling",
                    format!("it is now:\n{}", now.trim_end()),
                ));
            }
            _ => {}
        }
    }
}
