//! The tests of the library and of the command line, in one program: a file is one subject.
//! Subjects that need the command line or machine code are there with the features `cli` and `jit` only.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::module_inception,
    clippy::panic,
    clippy::unwrap_used
)]

#[cfg(feature = "cli")]
mod architecture;
mod audit;
mod backgammon;
mod blocks;
mod book;
#[cfg(feature = "cli")]
mod bots;
mod casebook;
mod chance;
mod clashes;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_errors;
mod common;
mod compare;
mod copies;
#[cfg(feature = "cli")]
mod decks;
mod diagnostics;
mod docs;
mod duel;
#[cfg(feature = "cli")]
mod editors;
mod engine;
#[cfg(feature = "cli")]
mod exceptions;
#[cfg(feature = "cli")]
mod files;
mod fuzz_regressions;
mod games;
mod generated;
#[cfg(feature = "cli")]
mod half_written;
mod handle;
mod hidden;
mod history;
mod in_step;
mod inputs;
#[cfg(feature = "cli")]
mod kills;
#[cfg(feature = "cli")]
mod language_server;
mod layout;
mod leduc;
mod limits;
mod lists;
mod liveness;
#[cfg(feature = "jit")]
mod machine_code;
mod made_at_random;
mod manifest;
#[cfg(feature = "cli")]
mod many_games;
#[cfg(feature = "cli")]
mod messages;
mod mutated_texts;
mod mutations;
mod noninterference;
#[cfg(feature = "cli")]
mod notations;
mod outcomes;
mod pictures;
mod race;
mod reading;
#[cfg(feature = "cli")]
mod readme;
mod record;
#[cfg(feature = "cli")]
mod records;
#[cfg(feature = "cli")]
mod refusals;
mod rivals;
#[cfg(feature = "cli")]
mod rulings;
#[cfg(feature = "cli")]
mod rulings_in_play;
mod search;
#[cfg(feature = "jit")]
mod searches;
mod semantics;
mod sight;
mod syntax;
#[cfg(feature = "cli")]
mod watching;
mod words;
