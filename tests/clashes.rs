//! What the search for conflicts says of small rule files with planted pairs of clauses.
//!
//! A file `tests/clashes/clash-*.law` has a conflict that only certain positions show, `apart-*` looks alike and has none, `open-*` is beyond the search. A line
//! `// with variant NAME` asks for a variant.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lawspeaker::check::check;
use lawspeaker::conflict::{self, Answer, Finder, Pair};
use lawspeaker::explain::Explainer;
use lawspeaker::game::FaultKind;
use lawspeaker::library;
use lawspeaker::model::Model;
use lawspeaker::report;

use crate::common::files::root;

/// Fewer than usual, so that what is not decided is not decided soon.
const TRIES: u32 = 6000;

fn searched(path: &Path) -> (Arc<Model>, Vec<(Pair, Answer)>) {
    let text = fs::read_to_string(path).unwrap();
    let checked = check(&[("game.law".into(), text)], &[]);
    let faults = report::all(&checked.diagnostics, &checked.sources, false);
    let model = Arc::new(checked.model.unwrap_or_else(|| panic!("{}:\n{faults}", path.display())));
    let found = Finder::new(&model, None, TRIES).all(&|| {});
    (model, found)
}

fn named(start: &str) -> Vec<PathBuf> {
    let folder = root().join("tests/clashes");
    let all = fs::read_dir(folder).unwrap().flatten().map(|e| e.path());
    let mut all: Vec<PathBuf> = all.filter(|p| p.file_name().unwrap().to_string_lossy().starts_with(start)).collect();
    all.sort();
    all
}

#[cfg(feature = "cli")]
#[test]
fn reports() {
    insta::glob!("clashes/*.law", |path| {
        let (model, found) = searched(path);
        let mut text = String::new();
        for (pair, answer) in &found {
            let (a, b) = (model.clause_title(pair.a, ""), model.clause_title(pair.b, ""));
            text += &format!(
                "{a} against {b}: {}\n",
                conflict::words(&lawspeaker::lexicon::Lexicon::new(&model, ""), answer)
            );
        }
        let warnings = conflict::diagnostics(&model, &found);
        text += &format!("\n{}", report::all(&warnings, &model.sources, false));
        insta::assert_snapshot!(text);
    });
}

#[test]
fn what_is_planted_is_found() {
    for path in named("clash-") {
        let (_, found) = searched(&path);
        assert!(found.iter().any(|(_, a)| matches!(a, Answer::Conflict(_))), "{}", path.display());
    }
}

#[test]
fn what_looks_alike_is_proved_apart() {
    for path in named("apart-") {
        let (_, found) = searched(&path);
        assert!(!found.is_empty(), "{}", path.display());
        assert!(found.iter().all(|(_, a)| matches!(a, Answer::Apart(_))), "{}", path.display());
    }
}

#[test]
fn what_is_too_much_is_not_decided() {
    for path in named("open-") {
        let (_, found) = searched(&path);
        let open = |a: &Answer| matches!(a, Answer::Open(_));
        assert!(found.iter().any(|(_, a)| open(a)), "{}", path.display());
        assert!(!found.iter().any(|(_, a)| matches!(a, Answer::Conflict(_))), "{}", path.display());
    }
}

#[test]
fn play_meets_the_conflict_at_every_example_and_no_never_is_broken() {
    for path in named("clash-") {
        let (model, found) = searched(&path);
        for example in found.iter().filter_map(|(_, a)| if let Answer::Conflict(e) = a { Some(e) } else { None }) {
            assert_eq!(example.fault.kind, FaultKind::Conflict);
            let rules = Explainer::new(Arc::clone(&model), example.config.clone());
            assert!(rules.nevers(&example.position).unwrap().is_empty(), "{}", path.display());
        }
    }
}

/// Of games with more pairs than this, what can be said soon is asked.
const MANY_PAIRS: usize = 5_000;
const FEW_TRIES: u32 = 400;

/// All pairs are proved apart, but for those of the snapshot; the README of their game names them.
#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn no_two_clauses_of_the_shipped_games_clash() {
    let mut left = Vec::new();
    for game in library::shipped() {
        let folder = library::find(&game).unwrap();
        let mut tables = vec![Vec::new()];
        tables.extend(lawspeaker::check::variants(&folder.rules()).into_iter().map(|name| vec![name]));
        for variants in tables {
            let model = library::open(&game, &variants).unwrap().model;
            let mut finder = Finder::new(&model, None, conflict::TRIES);
            if finder.pairs().len() > MANY_PAIRS {
                finder = Finder::new(&model, None, FEW_TRIES);
            }
            let clause = |id| {
                let (file, ..) = model.sources.place(model.clause(id).unwrap().span);
                format!("{} ({file})", model.clause_title(id, ""))
            };
            let found = finder.all(&|| {}).into_iter().filter(|(_, a)| !matches!(a, Answer::Apart(_)));
            left.extend(found.map(|(pair, _)| format!("{game} {variants:?}: {}, {}", clause(pair.a), clause(pair.b))));
        }
    }
    insta::assert_snapshot!("not-apart", left.join("\n"));
}
