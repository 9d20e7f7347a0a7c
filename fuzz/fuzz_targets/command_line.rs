//! Command lines, one word a line: read, and carried out where the command only reads and comes to an end.
#![no_main]

#[allow(dead_code)]
#[path = "../../src/cli/mod.rs"]
mod cli;

use std::sync::Once;

/// The commands that are carried out on the files of `fuzz/files`; of the others only the words are looked at.
const READING: [&str; 7] = ["check", "ask", "test", "validate", "replay", "clauses", "exceptions"];

/// What writes, asks for a key or takes long.
const LEFT_OUT: [&str; 10] =
    ["--out", "--save", "--record", "--accept", "--rewrite", "--step", "--measured", "--conflicts", "--would", "--bare"];

static PLACE: Once = Once::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    PLACE.call_once(|| {
        let files = concat!(env!("CARGO_MANIFEST_DIR"), "/files");
        std::env::set_current_dir(files).expect("the files that the words name are there");
    });
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let words: Vec<&str> = text.split('\n').filter(|w| !w.contains('\0')).take(16).collect();
    // Nothing outside of the folder is opened.
    if words.iter().any(|w| w.contains("..") || w.contains('/')) {
        return;
    }
    let reads = words.first().is_some_and(|w| READING.contains(w));
    let left_out = |w: &&str| LEFT_OUT.iter().any(|o| w.starts_with(o) || w.len() > 2 && o.starts_with(w));
    let known = |w: &&str| {
        std::path::Path::new(w).exists() || lawspeaker::library::shipped_name(w).is_some() || *w == "new"
    };
    let harmless = match reads {
        true => !words.iter().any(left_out),
        false => !words.iter().any(|w| known(&w)),
    };
    if harmless {
        let all = std::iter::once("lawspeaker").chain(words);
        let _ = cli::answer(all.map(std::ffi::OsString::from));
    }
});
