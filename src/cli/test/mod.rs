//! `test`: casebooks are run.

mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lawspeaker::casebook::{self, Case, CaseFault, Report};
use lawspeaker::facts::{FactFault, Settings};
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::{self, Unusable};
use lawspeaker::plain::clip;
use lawspeaker::report::Mistake;
use lawspeaker::rules::Rules;
use lawspeaker::writing;
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::cache::{Home, NoRules, RulesCache, RulesCaches};
use super::diff::diff;
use super::flags::{LangArgs, SettingsArgs};
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, games, session};

/// Run casebooks: every case must come out as it says.
///
/// Each case names its own variants, options and readings. Those of the command line come on top: the cases on
/// which they change the ruling then fail.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker test confrontation\n  \
    lawspeaker test mygame/cases/battles.md\n  lawspeaker test mygame --accept\n  \
    lawspeaker test confrontation --variant open_river\n  lawspeaker test mygame --watch")]
pub struct Args {
    /// Casebooks (.md), folders with casebooks, or names of shipped games.
    #[arg(required = true)]
    paths: Vec<String>,
    #[command(flatten)]
    over: SettingsArgs,
    /// Show how recorded rulings have changed, and rewrite them.
    #[arg(long, conflicts_with_all = ["variant", "preset", "with"])]
    accept: bool,
    /// Run again whenever a file changes what cases depend on, first those that failed last, until interrupted.
    #[arg(long, conflicts_with_all = ["accept", "json"])]
    watch: bool,
    #[command(flatten)]
    lang: LangArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// A casebook to run.
struct Book {
    name: String,
    text: String,
    /// Where it is; nothing: inside the program.
    file: Option<PathBuf>,
    cache: Arc<RulesCache>,
    cases: Vec<Case>,
    faults: Vec<CaseFault>,
}

impl Book {
    fn new(name: String, text: String, file: Option<PathBuf>, cache: Arc<RulesCache>) -> Book {
        let (cases, faults) = casebook::parse(&name, &text);
        Book { name, text, file, cache, cases, faults }
    }

    /// Whether nothing in it is, or was meant to be, a case.
    fn is_bare(&self) -> bool {
        self.cases.is_empty() && self.faults.is_empty()
    }
}

/// Lines of one casebook that are told of as not understood.
const MAX_FAULTS: usize = 100;

/// Characters of what a case is called, expects and gets. What it quotes may be as long as a file.
const MAX_LINE_CHARACTERS: usize = 20_000;

/// What came of a casebook.
struct Tried<'b> {
    book: &'b Book,
    reports: Vec<Report>,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    if args.watch {
        return watch::keep_watch(args, screen);
    }
    let words = session::program_words(&args.lang.lang)?;
    let over = args.over.settings();
    let books = books_of(args, &over)?;
    if args.accept {
        return accept(&books, words, screen);
    }
    let tried: Vec<Tried<'_>> = books.par_iter().map(|book| try_book(book, &over)).collect();
    if args.json {
        screen.json(&to_json(&tried))?;
    } else {
        print(&tried, words, screen)?;
    }
    Ok(answer(&tried, &over))
}

/// The casebooks that were named.
fn books_of(args: &Args, over: &Settings) -> Result<Vec<Book>, Unusable> {
    let (mut books, mut caches) = (Vec::new(), RulesCaches::default());
    for path in &args.paths {
        books.extend(find(path, &mut caches)?);
    }
    match books.iter().find_map(|book| not_there(book, over)) {
        Some(error) => Err(error),
        None => Ok(books),
    }
}

fn answer(tried: &[Tried<'_>], over: &Settings) -> Answer {
    let failed = tried.iter().any(|t| t.reports.iter().any(|r| !r.passed));
    let unread = tried.iter().any(|t| !t.book.faults.is_empty());
    // Rules that the settings of the command line spoil say nothing about the cases.
    let spoilt = |r: &Report| r.failures.iter().any(|f| f.of_rules);
    let spoilt = !over.list().is_empty() && tried.iter().any(|t| t.reports.iter().any(spoilt));
    if unread || spoilt { Answer::Unusable } else { Answer::from(!failed) }
}

/// Settings of the command line that the game of a casebook does not have.
fn not_there(book: &Book, over: &Settings) -> Option<Unusable> {
    if over.list().is_empty() {
        return None;
    }
    let own = book.cases.first()?.scene.settings.rules();
    let mut both = own.clone();
    both.lay_over(over);
    let wrong = match book.cache.rules(&both) {
        Err(wrong @ (NoRules::Variant(_) | NoRules::Setting(_))) => wrong,
        _ => return None,
    };
    book.cache.rules(&own).ok()?;
    Some(Unusable::new(format!("{wrong} (in {})", book.name), ""))
}

fn find(path: &str, caches: &mut RulesCaches) -> Result<Vec<Book>, Unusable> {
    let place = Path::new(path);
    if place.is_dir() {
        return in_folder(place, caches);
    }
    if place.exists() {
        let book = read_book(place, caches.of(Home::beside(place)))?;
        return if book.is_bare() { Err(no_cases(&book)) } else { Ok(vec![book]) };
    }
    if place.extension().is_some() {
        let message = format!("the file {path} does not exist");
        return Err(Unusable::new(message, "name a casebook (.md), a folder with casebooks, or a shipped game"));
    }
    let folder = library::find(path)?;
    let cache = caches.of(Home::given(path));
    let book =
        |(name, text): &(String, String)| Book::new(format!("{path}/{name}"), text.clone(), None, Arc::clone(&cache));
    Ok(folder.casebooks().map(book).filter(|book| !book.is_bare()).collect())
}

fn read_book(file: &Path, cache: Arc<RulesCache>) -> Result<Book, Unusable> {
    let text = library::read_text(file)?;
    Ok(Book::new(file.display().to_string(), text, Some(file.to_owned()), cache))
}

/// A file in which nothing is a case.
fn no_cases(book: &Book) -> Unusable {
    let name = &book.name;
    let help = if games::is_record(&book.text) {
        format!("this is a record: `lawspeaker replay {name}` plays it again")
    } else {
        String::from(
            "a casebook is a Markdown file with blocks like this one:\n    ```case\n    case \"its name\"\n    \
             given GAME from the start\n    then\n      SEAT may \"what it does\"\n    ```",
        )
    };
    Unusable::new(format!("there is no case in {name}"), help)
}

fn in_folder(folder: &Path, caches: &mut RulesCaches) -> Result<Vec<Book>, Unusable> {
    let files = session::files_below(folder, "md")?;
    let mut books = Vec::new();
    for file in files {
        let book = read_book(&file, caches.of(Home::beside(&file).within(folder)))?;
        if !book.is_bare() {
            books.push(book);
        }
    }
    if books.is_empty() {
        return Err(Unusable::new(
            format!("there are no casebooks in {}", folder.display()),
            "a casebook is a .md file with blocks that begin with ```case and end with ```",
        ));
    }
    Ok(books)
}

fn try_book<'b>(book: &'b Book, over: &Settings) -> Tried<'b> {
    Tried { book, reports: book.cases.par_iter().map(|case| run_case(book, case, over)).collect() }
}

fn run_case(book: &Book, case: &Case, over: &Settings) -> Report {
    let load = |settings: &Settings| {
        let mut settings = settings.clone();
        settings.lay_over(over);
        book.cache.rules(&settings).map(Rules::compiled).map_err(|e| e.to_string())
    };
    casebook::run(case, &load)
}

/// Shows a mistake in the text of a casebook with its place.
fn show(book: &Book, case: &str, fault: &FactFault, screen: &mut Screen) -> Result<(), Stop> {
    let of = if case.is_empty() { String::new() } else { format!(" (in the case \"{case}\")") };
    let message = format!("{}{of}", fault.message);
    let mistake = Mistake { line: fault.line, column: fault.column, width: fault.width, message: &message };
    Ok(screen.mistake(&book.name, &book.text, &mistake)?)
}

fn print(tried: &[Tried<'_>], words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let mut alike = of_rules(tried);
    for tried in tried {
        unread(tried.book, words, screen)?;
        failures(tried, &mut alike, words, screen)?;
    }
    total(tried, words, screen)
}

/// The errors in the rules because of which cases were not run, and how many cases each concerns.
fn of_rules(tried: &[Tried<'_>]) -> BTreeMap<String, usize> {
    let mut alike: BTreeMap<String, usize> = BTreeMap::new();
    for failure in tried.iter().flat_map(|t| &t.reports).flat_map(|r| &r.failures).filter(|f| f.of_rules) {
        *alike.entry(failure.got.clone()).or_default() += 1;
    }
    alike
}

/// Shows what in a casebook is not understood.
fn unread(book: &Book, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    for fault in book.faults.iter().take(MAX_FAULTS) {
        show(book, &fault.case, &fault.fault, screen)?;
    }
    if let Some(more) = book.faults.len().checked_sub(MAX_FAULTS).filter(|n| *n > 0) {
        let more = fill(words.tests.more_unread, &[&book.name, &more.to_string()]);
        writeln!(screen, "{} {more}", screen.styled(Style::Bad, words.tests.unread))?;
    }
    Ok(())
}

/// Shows what failed. Errors in the rules are reported at the first case that needs the rules, if they are in `alike`.
fn failures(
    tried: &Tried<'_>,
    alike: &mut BTreeMap<String, usize>,
    words: &Words,
    screen: &mut Screen,
) -> Result<(), Stop> {
    let tests = &words.tests;
    for failure in tried.reports.iter().flat_map(|r| &r.failures) {
        let alike = if failure.of_rules { alike.remove(&failure.got) } else { Some(1) };
        let Some(alike) = alike else { continue };
        let more = if alike > 1 { fill(tests.and_more, &[&(alike - 1).to_string()]) } else { String::new() };
        let case = clip(&failure.case, MAX_LINE_CHARACTERS);
        if let Some(fault) = &failure.mistake {
            show(tried.book, &case, fault, screen)?;
            continue;
        }
        let place = format!("{}:{}:{}", failure.file, failure.line, failure.column);
        let named = fill(tests.case, &[&place, &case, &more]);
        writeln!(screen, "{} {named}", screen.styled(Style::Bad, tests.failed))?;
        writeln!(screen, "  {}", fill(tests.expected, &[&clip(&failure.expected, MAX_LINE_CHARACTERS)]))?;
        let got = clip(failure.got.trim_end(), MAX_LINE_CHARACTERS).replace('\n', "\n    ");
        writeln!(screen, "  {}", fill(tests.but, &[&got]))?;
    }
    Ok(())
}

/// Counts what came of the cases.
fn total(tried: &[Tried<'_>], words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let tests = &words.tests;
    let all = || tried.iter().flat_map(|t| &t.reports);
    let failed = all().filter(|r| !r.passed).count();
    let unread: usize = tried.iter().map(|t| t.book.faults.len()).sum();
    let decided: BTreeSet<&String> = all().flat_map(|r| &r.decided).collect();
    let style = if failed + unread == 0 { Style::Good } else { Style::Bad };
    let passed = all().count() - failed;
    let mut outcome = fill(tests.outcome, &[&passed.to_string(), &failed.to_string()]);
    if unread > 0 {
        outcome += &fill(tests.not_understood, &[&words.counts.of(Counted::Lines, unread)]);
    }
    let books = words.counts.of(Counted::Casebooks, tried.len());
    let cases = words.counts.of(Counted::Cases, all().count());
    let decided = words.counts.of(Counted::Clauses, decided.len());
    writeln!(screen, "{}", fill(tests.total, &[&books, &cases, &screen.styled(style, &outcome), &decided]))?;
    Ok(())
}

fn to_json(tried: &[Tried<'_>]) -> Json {
    let book = |t: &Tried<'_>| {
        let case = |r: &Report| {
            let failure = |f: &casebook::Failure| {
                let (expected, got) = (&f.expected, &f.got);
                json!({ "line": f.line, "column": f.column, "expected": expected, "got": got })
            };
            json!({
                "name": r.name, "passed": r.passed, "cites": r.cites, "decided": r.decided,
                "failures": r.failures.iter().map(failure).collect::<Vec<Json>>(),
            })
        };
        let fault = |f: &CaseFault| {
            let at = &f.fault;
            json!({ "line": at.line, "column": at.column, "case": f.case, "message": at.message })
        };
        json!({
            "casebook": t.book.name,
            "cases": t.reports.iter().map(case).collect::<Vec<Json>>(),
            "faults": t.book.faults.iter().take(MAX_FAULTS).map(fault).collect::<Vec<Json>>(),
        })
    };
    let passed = tried.iter().all(|t| t.book.faults.is_empty() && t.reports.iter().all(|r| r.passed));
    json!({ "ok": passed, "casebooks": tried.iter().map(book).collect::<Vec<Json>>() })
}

fn accept(books: &[Book], words: &Words, screen: &mut Screen) -> Run {
    books.iter().filter_map(|b| b.file.as_ref()).for_each(|file| writing::tidy(file));
    let mut changed = 0;
    for book in books {
        let load = |settings: &Settings| book.cache.rules(settings).map(Rules::explaining).map_err(|e| e.to_string());
        let text = casebook::accept(&book.name, &book.text, &load);
        if text == book.text {
            continue;
        }
        changed += 1;
        writeln!(screen, "{}", screen.styled(Style::Bold, &book.name))?;
        diff(&book.text, &text, screen)?;
        match &book.file {
            Some(file) => writing::replace(file, &book.text, &text)?,
            None => writeln!(screen, "  {}", words.tests.not_written)?,
        }
    }
    let all = words.counts.of(Counted::Casebooks, books.len());
    writeln!(screen, "{}", fill(words.tests.changed, &[&changed.to_string(), &all]))?;
    Ok(Answer::Yes)
}
