//! The examples of the documentation, held true.
//!
//! A block fenced as `law` is rule text. An HTML comment before it, `<!-- with: bare, things -->`, names the files of `tests/docs` that complete it;
//! where one of them has a line `//> ...` the block stands there, else it is appended. `law error CODE` must be refused with that code. A block
//! that begins with `variant` is laid over what it is completed with. Blocks fenced as `csv NAME` and `tsv NAME` are files beside the
//! rules of the page; blocks `law file NAME` are together the file NAME of the game that the cases of the page are about. Blocks fenced as `case` and `record` are run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use lawspeaker::check::{Checked, Severity, check};
use lawspeaker::facts::Settings;
use lawspeaker::rules::Rules;
use lawspeaker::{casebook, library, record};

use crate::common::files::{root, texts};

type Files = Vec<(String, String)>;

/// A fenced block of a page.
#[derive(Debug)]
struct Block {
    page: &'static str,
    line: usize,
    info: Vec<String>,
    with: Vec<String>,
    text: String,
}

fn read(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn blocks(page: &'static str) -> Vec<Block> {
    let text = read(page);
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut with = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if let Some(block) = &mut open {
            if line.trim_end() == "```" {
                found.extend(open.take());
            } else {
                block.text += line;
                block.text.push('\n');
            }
        } else if let Some(info) = line.strip_prefix("```") {
            let info = info.split_whitespace().map(str::to_owned).collect();
            open = Some(Block { page, line: i + 1, info, with: std::mem::take(&mut with), text: String::new() });
        } else if let Some(names) = line.strip_prefix("<!-- with:") {
            let names = names.trim_end_matches("-->");
            with = names.split(',').map(|n| n.trim().to_owned()).collect();
        }
    }
    assert!(open.is_none(), "{page}: a block is not closed");
    found
}

impl Block {
    fn is(&self, kind: &str) -> bool {
        self.info.first().is_some_and(|i| i == kind)
    }

    /// The second word after the fence, and the third.
    fn word(&self, n: usize) -> &str {
        self.info.get(n).map_or("", String::as_str)
    }

    fn place(&self) -> String {
        format!("{}:{}", self.page, self.line)
    }

    /// The block as a game, completed with what it names.
    fn game(&self, beside: &Files) -> (Files, Vec<String>) {
        let mut text = String::new();
        for name in &self.with {
            text += &read(&format!("tests/docs/{name}.law"));
        }
        let mut files = beside.clone();
        let mut variants = Vec::new();
        if let Some(rest) = self.text.strip_prefix("variant ") {
            let name = rest.split_whitespace().next().unwrap().to_owned();
            files.push((format!("variants/{name}.law"), self.text.clone()));
            variants.push(name);
        } else if let Some(at) = text.find("//>") {
            let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
            let inside: String = self.text.lines().map(|l| format!("  {l}\n")).collect();
            text.replace_range(at..end, inside.trim_end());
        } else {
            text += "\n";
            text += &self.text;
        }
        files.push((String::from("game.law"), text));
        (files, variants)
    }
}

fn told(checked: &Checked) -> String {
    let errors = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let lines = errors.map(|d| {
        let (file, line, column) = d.labels.first().map_or(("", 0, 0), |l| checked.sources.place(l.0));
        let help = d.help.clone().unwrap_or_default();
        format!("  {} {} at {file}:{line}:{column} ({help})\n", d.code, d.message)
    });
    lines.collect()
}

/// Checks the `law` blocks of a page; how many there were.
fn hold(page: &'static str) -> usize {
    let all = blocks(page);
    let tables = all.iter().filter(|b| b.is("csv") || b.is("tsv"));
    let beside: Files = tables.map(|b| (b.word(1).to_owned(), b.text.clone())).collect();
    let mut wrong = String::new();
    let mut count = 0;
    for block in all {
        if !block.is("law") || matches!(block.word(1), "file" | "variant") {
            continue;
        }
        count += 1;
        let (files, variants) = block.game(&beside);
        let checked = check(&files, &variants);
        let found = told(&checked);
        match (block.word(1), block.word(2)) {
            ("error", code) => {
                if !checked.diagnostics.iter().any(|d| d.severity == Severity::Error && d.code == code) {
                    wrong += &format!("{}: expected {code}, found\n{found}", block.place());
                }
            }
            ("warning", code) => {
                if !found.is_empty() || !checked.diagnostics.iter().any(|d| d.code == code) {
                    wrong += &format!("{}: expected the warning {code}, found\n{found}", block.place());
                }
            }
            ("", _) if found.is_empty() => {}
            _ => wrong += &format!("{}:\n{found}", block.place()),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    count
}

#[test]
fn the_reference_is_true() {
    assert!(hold("docs/language.md") >= 38);
}

#[test]
fn every_code_of_the_checker_is_in_the_reference() {
    let mut all = Vec::new();
    for (_, text) in texts(&root().join("src/check")) {
        let found = text.split("\"law::").skip(1).filter_map(|rest| rest.split('"').next());
        all.extend(found.map(|code| format!("`law::{code}`")));
    }
    let page = read("docs/language.md");
    all.retain(|code| !page.contains(code));
    assert!(all.is_empty(), "{all:?}");
}

fn declares(files: &Files, game: &str) -> bool {
    files.iter().any(|(_, t)| t.lines().any(|l| l.split_whitespace().take(2).eq(["game", game])))
}

/// The games that the files of a page are: one, or one for each file that declares a game.
fn games(files: Files) -> Vec<Files> {
    let own = |f: &&(String, String)| f.1.lines().any(|l| l.starts_with("game "));
    let others: Files = files.iter().filter(|f| !own(f)).cloned().collect();
    let games: Vec<Files> = files.iter().filter(own).map(|f| [std::slice::from_ref(f), &others].concat()).collect();
    if games.is_empty() { vec![files] } else { games }
}

/// The rules that `files` and the shipped games give.
fn referee(files: &Files, settings: &Settings) -> Result<Rules, String> {
    let model = if declares(files, &settings.game) {
        let checked = check(files, &settings.variants);
        let errors = told(&checked);
        Arc::new(checked.model.ok_or(errors)?)
    } else {
        library::open(&settings.game, &settings.variants).map_err(|e| e.to_string())?.model
    };
    Rules::of_model(model, settings).map(Rules::explaining).map_err(|e| e.to_string())
}

/// Runs the cases and records of a page on the files it shows.
fn run_texts(page: &'static str) -> (usize, usize) {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = String::new();
    let (mut cases, mut records) = (0, 0);
    if page == "docs/cases.md" {
        files.insert(String::from("nim.law"), read("tests/docs/nim.law"));
    }
    for block in blocks(page).iter().filter(|b| matches!(b.word(0), "law" | "csv" | "tsv")) {
        match (block.word(0), block.word(1)) {
            ("law", "file") => *files.entry(block.word(2).to_owned()).or_default() += &block.text,
            ("law", "variant") => {
                files.insert(format!("variants/{}", block.word(2)), block.text.clone());
            }
            ("law", _) => {}
            (_, name) => *files.entry(name.to_owned()).or_default() = block.text.clone(),
        }
    }
    let games = games(files.into_iter().collect());
    let files = games.first().cloned().unwrap_or_default();
    let names = files.iter().filter_map(|(n, _)| Some(n.strip_prefix("variants/")?.strip_suffix(".law")?.to_owned()));
    for variants in std::iter::once(Vec::new()).chain(names.map(|n| vec![n])) {
        wrong += &told(&check(&files, &variants));
    }
    wrong.extend(games.iter().skip(1).map(|other| told(&check(other, &[]))));
    let load = |settings: &Settings| {
        let game = games.iter().find(|g| declares(g, &settings.game)).unwrap_or(&files);
        referee(game, settings)
    };
    let (found, faults) = casebook::parse(page, &read(page));
    for fault in faults {
        wrong += &format!("{fault}\n");
    }
    for case in &found {
        cases += 1;
        for failure in casebook::run(case, &load).failures {
            wrong += &format!("{failure}\n");
        }
    }
    for block in blocks(page).iter().filter(|b| b.is("record")) {
        records += 1;
        match record::parse(&block.text) {
            Err(faults) => wrong += &format!("{}: {faults:?}\n", block.place()),
            Ok(record) => {
                let referee = load(&record.settings.rules()).unwrap();
                let replay = referee.replay(&record);
                if let record::ReplayEnd::Stopped { .. } = replay.end {
                    wrong += &format!("{}: {:#?}\n", block.place(), replay.end);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    (cases, records)
}

#[test]
fn the_cases_page_is_true() {
    let (cases, records) = run_texts("docs/cases.md");
    assert!(cases >= 3 && records >= 1, "{cases} cases, {records} records");
}

#[test]
fn the_tutorial_is_true() {
    hold("docs/tutorial.md");
    let (cases, _) = run_texts("docs/tutorial.md");
    assert!(cases >= 3);
}

/// The pages that a reader sees, by path.
fn pages() -> Vec<String> {
    let mut found = vec![String::from("README.md"), String::from("fuzz/README.md")];
    for folder in ["docs", "rules", "rules/classics"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let page = if path.is_dir() { path.join("README.md") } else { path };
            if page.extension().is_some_and(|e| e == "md") && page.exists() {
                found.push(page.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found
}

/// The lines of a page outside of fenced blocks, with their numbers.
fn prose(page: &str) -> Vec<(usize, String)> {
    let mut fence = None;
    let mut found = Vec::new();
    for (i, line) in read(page).lines().enumerate() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            None => found.push((i + 1, line.to_owned())),
            Some(open) if ticks >= open && line.trim_matches('`').trim().is_empty() => fence = None,
            Some(_) => {}
        }
    }
    found
}

/// The name by which a heading is linked.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

fn anchors(page: &str) -> Vec<String> {
    let lines = prose(page);
    lines.iter().filter(|(_, l)| l.starts_with('#')).map(|(_, l)| anchor(l.trim_start_matches('#').trim())).collect()
}

/// Where the links of a page lead: a path, and perhaps a heading.
fn links(page: &str) -> Vec<(String, String)> {
    let text: Vec<String> = prose(page).into_iter().map(|(_, line)| line).collect();
    let text = text.join("\n");
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let ours = ends.filter(|link| !link.contains("://"));
    ours.map(|link| link.split_once('#').map_or((link.into(), String::new()), |(p, a)| (p.into(), a.into()))).collect()
}

#[test]
fn links_on_the_pages_lead_somewhere() {
    let mut wrong = Vec::new();
    for page in pages() {
        for (path, heading) in links(&page) {
            let beside = Path::new(&page).parent().unwrap().join(&path);
            let to = if path.is_empty() { page.clone() } else { beside.to_str().unwrap().to_owned() };
            if !root().join(&to).exists() {
                wrong.push(format!("{page}: there is no {path}"));
            } else if !heading.is_empty() && !anchors(&to).contains(&heading) {
                wrong.push(format!("{page}: {to} has no heading {heading}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Prose has at most 100 columns; tables and what is fenced, 120.
#[test]
fn lines_of_the_pages_are_short() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = read(&page);
        let wide = text.lines().enumerate().filter(|(_, line)| line.chars().count() > 120).map(|(i, _)| i + 1);
        let long = |line: &str| line.chars().count() > 100 && !line.starts_with('|');
        let long = prose(&page).into_iter().filter(|(_, line)| long(line)).map(|(n, _)| n);
        wrong.extend(wide.chain(long).map(|n| format!("{page}:{n}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_decision_is_in_the_index() {
    let page = "docs/decisions.md";
    let mut entries: Vec<String> = anchors(page).into_iter().skip(2).collect();
    let mut index: Vec<String> = links(page).into_iter().filter(|(path, _)| path.is_empty()).map(|(_, h)| h).collect();
    entries.sort();
    index.sort();
    assert_eq!(entries, index);
}

#[test]
fn the_glossary_is_in_order() {
    let lines = prose("docs/glossary.md");
    let terms: Vec<String> = lines
        .iter()
        .filter_map(|(_, l)| l.strip_prefix("**")?.split_once("**"))
        .map(|(term, _)| term.to_lowercase())
        .collect();
    assert!(terms.len() > 90, "{}", terms.len());
    assert!(terms.windows(2).all(|t| t[0] < t[1]), "{terms:?}");
}
