//! What several subjects use: a tiny game for cases and records, files of the checkout, and the program run in a folder.
#![allow(dead_code, missing_docs)]

pub mod files;
pub mod session;

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
        return Err(format!("no game is called `{}`", settings.game));
    }
    TINY.rules(settings).map(Rules::explaining).map_err(|e| e.brief())
}

pub fn tiny() -> Rules {
    load(&Settings { game: "tiny".into(), ..Settings::default() }).expect("the game of the tests")
}
