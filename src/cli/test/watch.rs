//! `test --watch`: what a change can affect is run again, first what failed last.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::Path;

use lawspeaker::casebook::{self, Case, Expectation, Report, Section};
use lawspeaker::facts::{SeatList, Settings};
use lawspeaker::lexicon::{Counted, Words, fill};
use rayon::prelude::*;

use super::super::cache::Home;
use super::super::screen::Screen;
use super::super::watch;
use super::super::{Run, session};
use super::{Args, Book, Tried, answer, books_of, failures, of_rules, run_case, total, unread};

/// A case by its casebook, its name, and its number among those of that name.
type Key = (String, String, usize);

/// What came of a case, and what it was run on.
struct Known {
    mark: Option<u64>,
    report: Report,
}

/// Runs the cases now, and after every change.
pub fn keep_watch(args: &Args, screen: &mut Screen) -> Run {
    let words = session::program_words(&args.lang.lang)?;
    let mut places = Vec::new();
    for path in &args.paths {
        let place = watch::place(path)?;
        places.extend(Home::beside(Path::new(path)).folders().cloned());
        places.push(place);
    }
    let mut known = BTreeMap::new();
    watch::again(&places, screen, &mut |screen| round(args, &mut known, words, screen))
}

fn round(args: &Args, known: &mut BTreeMap<Key, Known>, words: &Words, screen: &mut Screen) -> Run {
    let over = args.over.settings();
    let books = books_of(args, &over)?;
    let keys: Vec<Vec<Key>> = books.iter().map(keys).collect();
    let marks: Vec<Vec<Option<u64>>> =
        books.par_iter().map(|book| book.cases.par_iter().map(|case| mark(book, case, &over)).collect()).collect();
    let all = || {
        let places = keys.iter().zip(&marks).enumerate();
        places.flat_map(|(b, (keys, marks))| keys.iter().zip(marks).enumerate().map(move |(c, of)| ((b, c), of)))
    };
    let failed = |key: &Key| known.get(key).is_some_and(|known| !known.report.passed);
    let first: Vec<(usize, usize)> = all().filter(|(_, (key, _))| failed(key)).map(|(at, _)| at).collect();
    let affected = |(key, mark): (&Key, &Option<u64>)| {
        !known.get(key).is_some_and(|known| known.report.passed && known.mark.is_some() && known.mark == *mark)
    };
    let then: Vec<(usize, usize)> = all().filter(|(_, of)| !failed(of.0) && affected(*of)).map(|(at, _)| at).collect();
    let run = |places: &[(usize, usize)]| -> BTreeMap<(usize, usize), Report> {
        let one = |(b, c): &(usize, usize)| {
            let book = books.get(*b)?;
            Some(((*b, *c), run_case(book, book.cases.get(*c)?, &over)))
        };
        places.par_iter().filter_map(one).collect()
    };
    let group = |reports: &BTreeMap<(usize, usize), Report>| -> Vec<Tried<'_>> {
        let tried = books.iter().enumerate().map(|(b, book)| {
            let own = reports.range((b, 0)..=(b, usize::MAX));
            Tried { book, reports: own.map(|(_, report)| report.clone()).collect() }
        });
        tried.collect()
    };
    let mut reports = run(&first);
    let tried = group(&reports);
    let mut alike = of_rules(&tried);
    let told: BTreeSet<String> = alike.keys().cloned().collect();
    for tried in &tried {
        failures(tried, &mut alike, words, screen)?;
    }
    screen.flush()?;
    let others = run(&then);
    let tried = group(&others);
    let mut alike = of_rules(&tried);
    alike.retain(|error, _| !told.contains(error));
    for tried in &tried {
        unread(tried.book, words, screen)?;
        failures(tried, &mut alike, words, screen)?;
    }
    reports.extend(others);
    let run = reports.len();
    for (at, (key, _)) in all() {
        if let Some(known) = known.get(key) {
            reports.entry(at).or_insert_with(|| known.report.clone());
        }
    }
    let now = all()
        .filter_map(|(at, (key, mark))| Some((key.clone(), Known { mark: *mark, report: reports.get(&at)?.clone() })));
    let (before, now) = (known.len(), now.collect());
    let tried = group(&reports);
    total(&tried, words, screen)?;
    if before > 0 {
        let counted = |n| words.counts.of(Counted::Cases, n);
        let text = fill(words.tests.again, &[&counted(run), &counted(reports.len() - run)]);
        writeln!(screen, "{text}")?;
    }
    let answer = answer(&tried, &over);
    *known = now;
    Ok(answer)
}

fn keys(book: &Book) -> Vec<Key> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let key = |case| {
        let case: &Case = case;
        let n = seen.entry(&case.name).or_default();
        *n += 1;
        (book.name.clone(), case.name.clone(), *n)
    };
    book.cases.iter().map(key).collect()
}

/// All that the result of a case depends on, as a number: its text with the ruling after it, its settings, and what the
/// rules say under them. Comments and layout of rules count only if there is a ruling after the case, which may quote
/// the rules. `None`: it reads another file, or the rules cannot be found.
fn mark(book: &Book, case: &Case, over: &Settings) -> Option<u64> {
    let mut settings = case.scene.settings.clone();
    settings.lay_over(over);
    if settings.lists.iter().any(|list| list.lines.is_none()) || names_a_file(case) {
        return None;
    }
    let ruling = case.ruling.as_ref().map(|ruling| &ruling.text);
    let rules = book.cache.mark(&settings.rules(), ruling.is_some())?;
    let mut hasher = DefaultHasher::new();
    (casebook::written(&book.text, case), ruling, settings, rules).hash(&mut hasher);
    Some(hasher.finish())
}

/// Whether a case expects something of a list in a file.
fn names_a_file(case: &Case) -> bool {
    let in_file = |list: &str| SeatList::quoted(String::new(), String::new(), list.to_owned(), (0, 0)).lines.is_none();
    case.sections.iter().any(|section| match section {
        Section::When(_) => false,
        Section::Then(all) => {
            all.iter().any(|one| matches!(&one.what, Expectation::Brings { list, .. } if in_file(list)))
        }
    })
}
