//! What several subjects use: a tiny game for cases and records, files of the checkout, and the program run in a folder.
#![allow(dead_code, missing_docs)]

pub mod files;
pub mod session;

use std::sync::LazyLock;

use lawspeaker::facts::Settings;
use lawspeaker::library::Folder;
use lawspeaker::rules::{Rulebook, Rules};
use proptest::test_runner::{Config, RngSeed};

/// How a property is tried: the same `cases` inputs in every run, or others, as many as `PROPTEST_CASES` says.
pub fn tried(cases: u32) -> Config {
    let usual = Config { failure_persistence: None, ..Config::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => usual,
        None => Config { cases, rng_seed: RngSeed::Fixed(1), ..usual },
    }
}

static TINY: LazyLock<Rulebook> = LazyLock::new(|| {
    let files = vec![(String::from("game.law"), String::from(include_str!("tiny.law")))];
    Rulebook::new(Folder { name: "tiny".into(), files, ..Folder::default() })
});

pub fn load(settings: &Settings) -> Result<Rules, String> {
    if settings.game != "tiny" {
        return Err(format!("no game is called `{}`", settings.game));
    }
    TINY.rules(settings).map(Rules::explaining).map_err(|e| e.brief())
}

pub fn tiny() -> Rules {
    load(&Settings { game: "tiny".into(), ..Settings::default() }).expect("the game of the tests")
}
