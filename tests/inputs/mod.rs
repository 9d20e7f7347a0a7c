//! What is done with a text of each kind, as far as the command goes that reads it, within bounds. Nothing here may
//! panic.
//!
//! The fuzz targets and the test of the inputs that they found both call these.
#![allow(dead_code, missing_docs)]

use std::sync::{Arc, LazyLock};

use lawspeaker::casebook;
use lawspeaker::check::{Severity, check};
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Scene, Settings};
use lawspeaker::game::{Evaluator, Position, Status};
use lawspeaker::library::{self, same_name};
use lawspeaker::list::{self, List};
use lawspeaker::model::{Config, Model};
use lawspeaker::notation;
use lawspeaker::players::Dice;
use lawspeaker::record;
use lawspeaker::report;
use lawspeaker::rules::{Evaluators, Rules};
use lawspeaker::rulings::{self, Depth, Sheet};

/// The name of a target and what it does with its input.
pub type Target = (&'static str, fn(&[u8]));

/// All targets that read files.
pub const TARGETS: [Target; 6] = [
    ("rules", rules),
    ("tables", tables),
    ("cases", cases),
    ("records", records),
    ("positions", positions),
    ("lists", lists),
];

/// A line that begins a file of a game made of several.
const FILE: &str = "==== ";

/// The small games that texts may be about.
const SMALL: [(&str, &str); 12] = [
    ("acts", include_str!("../rules/acts.law")),
    ("ahead", include_str!("../rules/ahead.law")),
    ("bags", include_str!("../rules/bags.law")),
    ("choices", include_str!("../rules/choices.law")),
    ("flow", include_str!("../rules/flow.law")),
    ("kinds", include_str!("../rules/kinds.law")),
    ("layers", include_str!("../rules/layers.law")),
    ("muster", include_str!("../rules/muster.law")),
    ("shots", include_str!("../rules/shots.law")),
    ("squares", include_str!("../rules/squares.law")),
    ("steps", include_str!("../rules/steps.law")),
    ("wording", include_str!("../rules/wording.law")),
];

/// The shipped games that are small enough.
const SHIPPED: [&str; 3] = ["classics/tic-tac-toe", "classics/leduc-holdem", "confrontation"];

type Games = Vec<(String, Result<Arc<Model>, String>)>;

static GAMES: LazyLock<Games> = LazyLock::new(|| {
    let small = SMALL.iter().map(|(name, text)| {
        let model = check(&[(String::from("game.law"), (*text).to_owned())], &[]).model;
        ((*name).to_owned(), model.map(Arc::new).ok_or_else(|| format!("the rules of {name} have errors")))
    });
    let shipped = SHIPPED.iter().map(|name| {
        let loaded = library::open(name, &[]);
        let short = name.rsplit('/').next().unwrap_or(name);
        (short.to_owned(), loaded.map(|l| l.model).map_err(|e| e.to_string()))
    });
    small.chain(shipped).collect()
});

/// The rules that a text names, without variants.
fn load(settings: &Settings) -> Result<Rules, String> {
    let found = GAMES.iter().find(|(name, _)| same_name(name, &settings.game) && settings.variants.is_empty());
    let model = found.ok_or("no such game")?.1.clone()?;
    Rules::of_model(model, settings).map(Rules::explaining).map_err(|e| e.to_string())
}

/// A text as the commands read it: UTF-8 or nothing.
fn text(data: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(data).ok()?;
    Some(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The files that a text holds: `==== NAME` begins one, what stands before the first is `game.law`.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files = vec![(String::from("game.law"), String::new())];
    for line in text.split_inclusive('\n') {
        match line.strip_prefix(FILE) {
            Some(name) => files.push((name.trim().to_owned(), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    files.retain(|(_, text)| !text.is_empty());
    files
}

/// `check`, then the beginning of a game by each evaluator.
pub fn rules(data: &[u8]) {
    if let Some(text) = text(data) {
        checked(&files(text));
    }
}

fn checked(files: &[(String, String)]) {
    let variants: Vec<String> = files
        .iter()
        .filter_map(|(name, _)| Some(name.strip_prefix("variants/")?.strip_suffix(".law")?.to_owned()))
        .take(2)
        .collect();
    let checked = check(files, &variants);
    let _ = report::all(&checked.diagnostics, &checked.sources, false);
    let _ = report::json(&checked.diagnostics, &checked.sources).to_string();
    let faulty = checked.diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert!(faulty || checked.model.is_some(), "no rules, and nothing is said about why");
    let Some(model) = checked.model.filter(|_| !faulty) else {
        return;
    };
    let model = Arc::new(model);
    let config = Config::defaults(&model);
    begin(&model, config, 20);
}

/// So many plies by chance, both evaluators in step.
fn begin(model: &Arc<Model>, config: Config, most: usize) {
    let e = Explainer::new(Arc::clone(model), config.clone());
    let fast = Evaluators::new(Arc::clone(model), config).as_trees();
    fast.compile();
    let mut dice = Dice::new(1);
    let (Ok(mut position), Ok(_)) = (e.start(), fast.start()) else {
        return;
    };
    for _ in 0..most {
        let options = fast.options(&position);
        assert_eq!(options, e.options(&position), "the options");
        let options = options.unwrap_or_default();
        let Some(choice) = options.get(dice.below(options.len())).copied() else {
            break;
        };
        let _ = e.say(&position, choice, "");
        let mut other = position.clone();
        let done = e.apply(&mut position, choice);
        assert_eq!(done, fast.apply(&mut other, choice), "what comes of {choice:?}");
        if done.is_err() {
            break;
        }
        assert_eq!(position.bytes(), other.bytes(), "the position after {choice:?}");
    }
    seen(&e, &position);
}

/// A position as it is shown, written and ruled on.
fn seen(e: &Explainer, position: &Position) {
    let view = e.view(position, 0);
    let _ = lawspeaker::map::board(e.model(), &view, &[], "");
    if let Some(text) = facts::write(e, position) {
        let _ = Scene::parse(&text);
    }
    let Ok(Status::Decision(question)) = e.status(position) else {
        return;
    };
    for choice in e.candidates(position).into_iter().take(3) {
        let ruling = e.judge(position, question.seat, choice);
        let sheet = Sheet::new(e, position, (question.seat, choice), &ruling, "");
        let _ = sheet.text(Depth::Whole);
        let said = e.say(position, choice, "");
        let _ = notation::read(e, position, &said);
    }
}

/// Tables, registers and sides beside rules that read them.
pub fn tables(data: &[u8]) {
    let Some(text) = text(data) else {
        return;
    };
    const RULES: &str = include_str!("tables.law");
    let mut all = vec![
        (String::from("game.law"), RULES.to_owned()),
        (String::from("hexes.csv"), String::from("id,row,column\nA1,1,1\nA2,1,2\n")),
        (String::from("sides.csv"), String::from("from,to,river\nA1,A2,yes\n")),
        (String::from("clauses.tsv"), String::from("id\tsection\na.1\ta\n")),
    ];
    for (name, text) in files(text) {
        if let Some(file) = all.iter_mut().skip(1).find(|(known, _)| *known == name) {
            file.1 = text;
        }
    }
    checked(&all);
}

/// A casebook: read, run, and its recorded rulings accepted.
pub fn cases(data: &[u8]) {
    let Some(text) = text(data) else {
        return;
    };
    let (cases, faults) = casebook::parse("cases/found.md", text);
    for fault in faults {
        let _ = fault.to_string();
    }
    for case in cases.iter().take(8) {
        let _ = casebook::run(case, &load);
    }
    let _ = casebook::accept("cases/found.md", text, &load);
}

/// A record: read, replayed, written again.
pub fn records(data: &[u8]) {
    let Some(read) = text(data).and_then(|t| record::parse(t).ok()) else {
        return;
    };
    let written = record::write(&read);
    assert!(record::parse(&written).is_ok(), "a record that is written is read again:\n{written}");
    let Ok(rules) = load(&read.settings) else {
        return;
    };
    let replay = record::replay(&read, rules.explainer());
    assert!(replay.plies.len() <= read.plies.len());
    let _ = replay.words(rules.explainer(), "");
    let engine = Evaluators::of(rules.explainer());
    let fast = record::Replayer::new(rules.model(), rules.config()).replay(&read, &engine, rules.explainer());
    assert_eq!(fast.plies.len(), replay.plies.len(), "both evaluators come as far");
}

/// A position: read, shown, ruled on, gone on with.
pub fn positions(data: &[u8]) {
    let Some(text) = text(data) else {
        return;
    };
    let Ok(given) = facts::read(text, &load) else {
        return;
    };
    let (e, position) = (given.referee.explainer(), &given.position);
    seen(e, position);
    let _ = given.scene.idle_waivers(e, position);
    let _ = e.nevers(position);
    let engine = Evaluators::of(e).as_trees();
    assert_eq!(e.status(position), engine.status(position), "the status");
    assert_eq!(e.options(position), engine.options(position), "the options");
}

/// A list that a seat brings.
pub fn lists(data: &[u8]) {
    let Some(read) = text(data).and_then(|t| List::parse(t).ok()) else {
        return;
    };
    let list_ruling = Settings { game: String::from("muster"), ..read.settings.clone() };
    let Ok(rules) = load(&list_ruling) else {
        return;
    };
    let bring = list::bring_named(rules.model(), &read.name.text).unwrap_or_default();
    for seat in 0..2 {
        match list::members(rules.explainer(), bring, seat, &read.lines) {
            Ok(list) => {
                if let Ok(list_ruling) = rules.explainer().list_ruling(bring, seat, &list) {
                    let _ = rulings::list_ruling_text(rules.explainer(), &list_ruling, rulings::Depth::Short, "");
                    let _ = rulings::list_ruling_json(rules.explainer(), &list_ruling, "").to_string();
                }
            }
            Err(faults) => faults.iter().for_each(|f| _ = f.to_string()),
        }
    }
}
