//! The modules of the source and the arrows between them are those of `docs/architecture.md`.
//!
//! A module is a folder or a file right under `src`. Its arrows are read from the paths in its code: `crate::MODULE`, and
//! `lawspeaker::MODULE` in the command line. Files inside a folder are joined by `super::FILE` and `crate::MODULE::FILE`; what
//! the folder's `mod.rs` defines itself, all its files may use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::common::files::{root, under};

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The files of Rust code.
fn sources() -> Vec<PathBuf> {
    let mut files = under(&root().join("src"));
    files.retain(|path| path.extension().is_some_and(|e| e == "rs"));
    files
}

/// The code of a file without comments, texts and tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(|l| if l.trim_start().starts_with("//") { "" } else { l });
    let mut out = String::new();
    let mut quoted = false;
    for line in lines {
        let mut before = ' ';
        for c in line.chars() {
            quoted ^= c == '"' && before != '\\' && before != '\'';
            if !quoted {
                out.push(c);
            }
            before = if before == '\\' { ' ' } else { c };
        }
        out.push('\n');
    }
    out
}

/// The names that follow a path: `crate::a::B` of `crate::` gives `a`, `crate::{a, b::C}` gives `a` and `b`. With each
/// comes the name after it.
fn after(code: &str, path: &str) -> Vec<(String, String)> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let named = |text: &str| {
        let name = word(text);
        let next = text.get(name.len()..).and_then(|t| t.strip_prefix("::")).map_or(String::new(), word);
        (name, next)
    };
    let mut found = Vec::new();
    for (at, _) in code.match_indices(path) {
        let joined = code[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
        if joined {
            continue;
        }
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            None => found.push(named(rest)),
            Some(group) => {
                let (mut depth, mut start) = (1, 0);
                for (i, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 || depth == 1 && c == ',' {
                        found.push(named(group[start..i].trim()));
                        start = i + 1;
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    found.retain(|(name, _)| !name.is_empty());
    found
}

/// The module of a file.
fn module(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).unwrap();
    let first = inside.iter().next().unwrap().to_string_lossy();
    match first.trim_end_matches(".rs") {
        "main" => String::from("cli"),
        name => name.to_owned(),
    }
}

/// The arrows between the modules, as the code has them; all modules are among the keys.
fn modules() -> Arrows {
    let paths = sources();
    let mut arrows = Arrows::new();
    for path in paths.iter().filter(|p| !p.ends_with("src/lib.rs") && !is_test(p)) {
        let (from, code) = (module(path), code(path));
        let root = if from == "cli" { "lawspeaker::" } else { "crate::" };
        let to = after(&code, root).into_iter().map(|(name, _)| name).filter(|name| *name != from);
        arrows.entry(from.clone()).or_default().extend(to);
    }
    let known: BTreeSet<String> = arrows.keys().cloned().collect();
    let reexported = reexports(&root().join("src/lib.rs"));
    for targets in arrows.values_mut() {
        *targets = targets
            .iter()
            .map(|name| reexported.get(name).unwrap_or(name).clone())
            .filter(|name| known.contains(name))
            .collect();
    }
    for (from, targets) in &mut arrows {
        targets.remove(from);
    }
    arrows
}

fn is_test(path: &Path) -> bool {
    path.file_stem().is_some_and(|s| s == "test" || s == "tests")
}

/// The names that a file re-exports, with the module that each is from.
fn reexports(path: &Path) -> BTreeMap<String, String> {
    let text = code(path);
    let mut found = BTreeMap::new();
    for statement in text.split(';').map(str::trim) {
        let Some((_, path)) = statement.rsplit_once("use ") else { continue };
        let Some((module, names)) = path.split_once("::") else { continue };
        for name in names.trim_matches(['{', '}']).split(',') {
            let name = name.rsplit(" as ").next().unwrap_or(name).rsplit("::").next().unwrap_or(name).trim();
            found.insert(name.to_owned(), module.trim().to_owned());
        }
    }
    found
}

/// The arrows between the files of a folder, without its `mod.rs`.
fn inside(folder: &Path) -> Arrows {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.is_file() && p.extension().is_some_and(|e| e == "rs"));
    let stem = |p: &Path| p.file_stem().unwrap().to_string_lossy().into_owned();
    let names: BTreeSet<String> = paths.iter().map(|p| stem(p)).filter(|n| n != "mod").collect();
    let shared = reexports(&folder.join("mod.rs"));
    let below = folder.strip_prefix(root().join("src")).unwrap();
    let own = below.iter().fold(String::from("crate::"), |path, part| path + &part.to_string_lossy() + "::");
    let mut arrows = Arrows::new();
    for path in paths.iter().filter(|p| stem(p) != "mod" && !is_test(p)) {
        let code = code(path);
        let named = after(&code, "super::").into_iter().chain(after(&code, &own)).map(|(name, _)| name);
        let to = named.map(|name| shared.get(&name).cloned().unwrap_or(name));
        let to = to.filter(|name| names.contains(name) && *name != stem(path)).collect();
        arrows.insert(stem(path), to);
    }
    arrows
}

/// The cycles of a graph: each set of nodes that reach each other, sorted.
fn cycles(arrows: &Arrows) -> Vec<Vec<String>> {
    let reached = |from: &String| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
        while let Some(at) = todo.pop() {
            todo.extend(arrows.get(at).into_iter().flatten().filter(|to| seen.insert((*to).clone())));
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = arrows.keys().map(|from| (from, reached(from))).collect();
    let cycle = |of: &String| -> Vec<String> {
        let joined = |other: &&&String| all[of].contains(**other) && all[**other].contains(of);
        all.keys().filter(joined).map(|name| (*name).clone()).collect()
    };
    let mut found: Vec<Vec<String>> = all.keys().map(|of| cycle(of)).filter(|c| c.len() > 1).collect();
    found.sort();
    found.dedup();
    found
}

/// The names in backquotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The entries of the lists in a section of the document, each as one line without its dash.
fn entries(section: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let lines = text.lines().skip_while(|l| *l != format!("## {section}")).skip(1);
    let mut found: Vec<String> = Vec::new();
    for line in lines.take_while(|l| !l.starts_with("## ")) {
        if let Some(entry) = line.strip_prefix("- ") {
            found.push(entry.to_owned());
        } else if let (Some(more), Some(entry)) = (line.strip_prefix("  "), found.last_mut()) {
            *entry += " ";
            *entry += more;
        }
    }
    found
}

#[test]
fn the_arrows_between_modules_are_those_of_the_document() {
    let mut written = Arrows::new();
    for entry in entries("The modules") {
        let (what, uses) = entry.rsplit_once(" Uses ").unwrap_or_else(|| panic!("`Uses` is missing: {entry}"));
        let name = quoted(what).swap_remove(0);
        written.insert(name, quoted(uses).into_iter().collect());
    }
    let found = modules();
    let row = |(module, to): (&String, &BTreeSet<String>)| {
        let to: Vec<String> = to.iter().map(|t| format!("`{t}`")).collect();
        format!("{module}: {}", to.join(", "))
    };
    let (written, found): (Vec<String>, Vec<String>) =
        (written.iter().map(row).collect(), found.iter().map(row).collect());
    assert_eq!(written.join("\n"), found.join("\n"), "left: docs/architecture.md, right: the code");
}

#[test]
fn modules_form_no_cycle() {
    assert_eq!(cycles(&modules()), Vec::<Vec<String>>::new());
}

#[test]
fn cycles_of_files_are_named_in_the_document() {
    let mut folders = BTreeSet::new();
    let paths = sources();
    folders.extend(paths.iter().filter(|p| p.ends_with("mod.rs")).map(|p| p.parent().unwrap().to_path_buf()));
    let mut found = Vec::new();
    for folder in folders {
        let name = folder.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        found.extend(cycles(&inside(&folder)).into_iter().map(|cycle| format!("{name}: {}", cycle.join(" "))));
    }
    let written = entries("Cycles of files").into_iter().map(|entry| {
        let (files, _) = entry.split_once(" Reason: ").unwrap_or_else(|| panic!("a reason is missing: {entry}"));
        let names = quoted(files);
        format!("{}: {}", names[0], names[1..].join(" "))
    });
    let mut written: Vec<String> = written.collect();
    written.sort();
    found.sort();
    assert_eq!(written.join("\n"), found.join("\n"), "left: docs/architecture.md, right: the code");
}

#[test]
fn lines_are_short() {
    let mut wrong = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let wide = text.lines().zip(1..).filter(|(line, _)| line.chars().count() > 120);
        wrong.extend(wide.map(|(_, n)| format!("{}:{n}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_are_short() {
    for path in sources() {
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 620, "{} has {lines} lines", path.display());
    }
}
