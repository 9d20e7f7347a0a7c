//! Games that are not shipped in the program yet, through the binary: sound rules, cases that hold, lists and records that are legal.
#![allow(missing_docs)]

use std::path::Path;
use std::process::Command;

const MINIATURES: &str = "drafts/miniatures";

fn holds(args: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO_BIN_EXE_lawspeaker")).args(args).current_dir(root).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{text}");
}

#[test]
fn the_rules_are_sound_and_cite_every_clause() {
    holds(&["check", MINIATURES]);
    holds(&["clauses", MINIATURES, "--bare"]);
}

#[test]
fn every_case_holds() {
    holds(&["test", MINIATURES]);
}

#[test]
fn armies_and_records_are_legal() {
    for army in ["good_500", "evil_500", "good_1000", "evil_1000"] {
        holds(&["validate", MINIATURES, &format!("{MINIATURES}/armies/{army}.army")]);
    }
    holds(&["replay", &format!("{MINIATURES}/records"), "--game", MINIATURES]);
}
