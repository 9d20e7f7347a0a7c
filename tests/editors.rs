//! The grammars and settings of editors: what is made of the words of the language is what these words give.

use std::path::Path;

use lawspeaker::syntax;
use serde_json::{Value as Json, json};

use crate::common::files::{root, under};

/// The words with which declarations and clauses begin.
const BEGINNINGS: &[&str] = &[
    "ability",
    "action",
    "after",
    "also",
    "at",
    "before",
    "board",
    "bring",
    "define",
    "edges",
    "ends",
    "entry",
    "except",
    "game",
    "grid",
    "instead",
    "kind",
    "links",
    "manners",
    "mark",
    "may",
    "must",
    "never",
    "note",
    "option",
    "ordered",
    "pile",
    "players",
    "plus",
    "preset",
    "procedure",
    "reading",
    "remove",
    "replace",
    "rounds",
    "score",
    "seen",
    "set",
    "silence",
    "source",
    "spare",
    "step",
    "table",
    "tell",
    "times",
    "var",
    "variant",
    "worth",
];

/// The words that are values.
const CONSTANTS: [&str; 3] = ["true", "false", "none"];

/// Holds a file to what is made; with `UPDATE_EDITORS` set it is written instead.
fn held(path: &Path, made: &Json) {
    let made = format!("{made:#}\n");
    if std::env::var_os("UPDATE_EDITORS").is_some() {
        std::fs::write(path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let how = "run the tests `editors` with UPDATE_EDITORS=1";
    assert_eq!(kept.replace("\r\n", "\n"), made, "{} is not what the words give; {how}", path.display());
}

#[test]
fn the_grammar_for_vs_code_has_the_words_of_the_language() {
    let words = syntax::keywords();
    assert!(BEGINNINGS.iter().all(|word| words.iter().any(|w| w == word)), "a beginning is no word of the language");
    let others = words.iter().map(String::as_str);
    let others: Vec<&str> = others.filter(|w| !BEGINNINGS.contains(w) && !CONSTANTS.contains(w)).collect();
    let scope = |name: &str| json!({ "name": format!("{name}.law") });
    let one = |name: &str, pattern: String| json!({ "name": format!("{name}.law"), "match": pattern });
    let id = "[A-Za-z0-9_]+(?:\\.[A-Za-z0-9_]+)*";
    let made = json!({
        "scopeName": "source.law",
        "name": "Law",
        "patterns": [
            one("comment.line.double-slash", String::from("//.*$")),
            {
                "name": "string.quoted.double.law", "begin": "\"", "end": "\"|$",
                "patterns": [
                    one("constant.character.escape", String::from("\\\\[\"\\\\n]")),
                    one("variable.other", String::from("\\{[^}\"]*\\}")),
                ],
            },
            {
                "match": format!("\\b(cite|note|manners)\\s+({id}(?:\\s*,\\s*{id})*)"),
                "captures": { "1": scope("keyword.other"), "2": scope("constant.other.citation") },
            },
            one("constant.language", format!("\\b(?:{})\\b", CONSTANTS.join("|"))),
            {
                "match": format!("^\\s*({})\\b", BEGINNINGS.join("|")),
                "captures": { "1": scope("keyword.declaration") },
            },
            one("keyword.control", format!("(?<!\\.)\\b(?:{})\\b", others.join("|"))),
            one("keyword.control", format!("(?<!\\.)\\b(?:{})\\b(?!\\s*\\()", BEGINNINGS.join("|"))),
            one("entity.name.type", String::from("\\b[A-Z][A-Za-z0-9_]*\\b")),
            one("entity.name.function", String::from("\\b[a-z][A-Za-z0-9_]*(?=\\()")),
            one("constant.numeric", String::from("\\b[0-9]+\\b")),
            one("keyword.operator", String::from(":=|\\+=|-=|==|!=|<=|>=|->|\\.\\.|[-+*/<>=?]")),
        ],
    });
    held(&root().join("editors/vscode/syntaxes/law.tmLanguage.json"), &made);
}

#[test]
fn the_tree_sitter_grammar_has_the_words_of_the_language() {
    held(&root().join("editors/tree-sitter/keywords.json"), &json!(syntax::keywords()));
}

#[test]
fn the_files_of_editors_can_be_read() {
    let files = under(&root().join("editors"));
    let kept = |path: &&std::path::PathBuf| !path.components().any(|part| part.as_os_str() == "node_modules");
    for path in files.iter().filter(kept).filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str::<Json>(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    // What the extension names is there.
    let folder = root().join("editors/vscode");
    let package: Json = serde_json::from_str(&std::fs::read_to_string(folder.join("package.json")).unwrap()).unwrap();
    let parts = ["grammars", "snippets"].iter().flat_map(|part| package["contributes"][part].as_array().unwrap());
    for part in parts {
        assert!(folder.join(part["path"].as_str().unwrap()).is_file(), "{part}");
    }
}
