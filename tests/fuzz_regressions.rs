//! Inputs that fuzzing found, and others that are odd, given to the same functions as the fuzz targets do.
#![allow(missing_docs)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use crate::common::files::root;
#[cfg(feature = "cli")]
use crate::common::session::program;

fn kept(target: &str) -> Vec<PathBuf> {
    let folder = root().join("fuzz/regressions").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}

#[test]
fn no_input_that_was_found_makes_a_panic() {
    for (target, run) in crate::inputs::TARGETS {
        for file in kept(target) {
            let data = std::fs::read(&file).unwrap();
            let done = catch_unwind(AssertUnwindSafe(|| run(&data)));
            assert!(done.is_ok(), "{}", file.display());
        }
    }
}

/// The words of a command line, one a line: it ends with an exit code of its own.
#[cfg(feature = "cli")]
#[test]
fn no_command_line_that_was_found_makes_a_panic() {
    for file in kept("command_line") {
        let words = std::fs::read_to_string(&file).unwrap();
        let words: Vec<&str> = words.split('\n').collect();
        let done = program(&root().join("fuzz/files"), &words).output().unwrap();
        let code = done.status.code();
        assert!(matches!(code, Some(0..=2)), "{}: {code:?}\n{}", file.display(), String::from_utf8_lossy(&done.stderr));
    }
}
