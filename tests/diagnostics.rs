//! What the checker says of small rule files with one planted fault each, and that it says nothing where there is none.
//!
//! A file `tests/check/CODE-situation.law` is a game by itself; a folder of that name with a `game.law` is one of several files. A line
//! `// with variant NAME` asks for a variant.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lawspeaker::check::{Checked, check_all_seats};
use lawspeaker::report;

use crate::common::files::{root, texts};

/// Checks the game that a file is, or that its folder is if it is called `game.law`.
fn checked(path: &Path) -> Checked {
    let mut files = Vec::new();
    let name = |p: &Path| p.file_name().unwrap().to_string_lossy().into_owned();
    if name(path) == "game.law" {
        files = texts(path.parent().unwrap());
    } else {
        files.push((name(path), fs::read_to_string(path).unwrap()));
    }
    let wanted = |line: &str| line.strip_prefix("// with variant ").map(str::to_owned);
    let variants: Vec<String> = files.iter().flat_map(|(_, text)| text.lines().filter_map(wanted)).collect();
    check_all_seats(&files, &variants)
}

/// The games under a folder of `tests/check`, by their names.
fn games(folder: &str) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("tests/check").join(folder)).unwrap().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.join("game.law").exists() {
            found.push((stem, path.join("game.law")));
        } else if path.extension().is_some_and(|e| e == "law") {
            found.push((stem, path));
        }
    }
    found.sort();
    found
}

/// Every code that the source names, without `law::`.
fn codes() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, text) in ["src/check", "src/syntax"].into_iter().flat_map(|part| texts(&root().join(part))) {
        let codes = text.split("\"law::").skip(1).filter_map(|rest| rest.split('"').next());
        found.extend(codes.map(str::to_owned));
    }
    found
}

#[cfg(feature = "cli")]
#[test]
fn reports() {
    insta::glob!("check/{*.law,*/game.law}", |path| {
        if path.parent().is_some_and(|p| p.ends_with("fine")) {
            return;
        }
        let found = checked(path);
        insta::assert_snapshot!(report::all(&found.diagnostics, &found.sources, false));
    });
}

#[test]
fn every_fixture_reports_the_code_it_is_named_after() {
    let codes = codes();
    for (name, path) in games("") {
        let fits = |c: &&String| name == **c || name.starts_with(&format!("{c}-"));
        let code = codes.iter().filter(fits).max_by_key(|c| c.len());
        let code = code.unwrap_or_else(|| panic!("{name} is not named after a code"));
        let found = checked(&path);
        let said: BTreeSet<&str> = found.diagnostics.iter().map(|d| d.code).collect();
        assert!(said.contains(format!("law::{code}").as_str()), "{name} reports {said:?}");
    }
}

#[test]
fn every_code_has_a_fixture() {
    let said: BTreeSet<String> = games("")
        .iter()
        .flat_map(|(_, path)| checked(path).diagnostics)
        .map(|d| d.code.trim_start_matches("law::").to_owned())
        .collect();
    let missing: Vec<String> = codes().difference(&said).cloned().collect();
    assert!(missing.is_empty(), "no fixture shows {missing:?}");
}

#[test]
fn every_code_is_on_the_page() {
    let page = fs::read_to_string(root().join("docs/diagnostics.md")).unwrap();
    for code in codes() {
        assert!(page.contains(&format!("`law::{code}`")), "docs/diagnostics.md does not explain law::{code}");
    }
}

#[test]
fn fine_rules_are_not_reported() {
    for (name, path) in games("fine") {
        let found = checked(&path);
        let said = report::all(&found.diagnostics, &found.sources, false);
        assert!(said.is_empty(), "{name}:\n{said}");
        assert!(found.model.is_some(), "{name} has no model");
    }
}
