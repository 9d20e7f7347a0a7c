//! A tiny game for cases and records.
#![allow(dead_code, missing_docs)]

use std::sync::LazyLock;

use lawspeaker::facts::Settings;
use lawspeaker::library::Folder;
use lawspeaker::rules::{Rulebook, Rules};

static TINY: LazyLock<Rulebook> = LazyLock::new(|| {
    let files = vec![(String::from("game.law"), String::from(include_str!("tiny.law")))];
    Rulebook::new(Folder { name: "tiny".into(), files, ..Folder::default() })
});

pub fn load(settings: &Settings) -> Result<Rules, String> {
    if settings.game != "tiny" {
        return Err(format!("there is no game `{}`", settings.game));
    }
    TINY.rules(settings).map(Rules::explaining).map_err(|e| e.brief())
}

pub fn tiny() -> Rules {
    load(&Settings { game: "tiny".into(), ..Settings::default() }).expect("the game of the tests")
}
