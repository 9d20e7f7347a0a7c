//! Games on the way to being shipped: no errors, every case holds, every record is legal, and random games run in step.

use lawspeaker::casebook;
use lawspeaker::facts::Settings;
use lawspeaker::library::{self, Loaded};
use lawspeaker::rules::{Rulebook, Rules};
use rayon::prelude::*;

use crate::common::files::root;
use crate::in_step::{How, Pair, in_step};

/// The plies that are played in step, of which explaining one takes long.
const MAX_PLIES: u64 = 60;

fn slices() -> Vec<Loaded> {
    let entries = std::fs::read_dir(root().join("tests/slices")).expect("the slices are there");
    let mut folders: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    folders.sort();
    let open = |folder: &std::path::PathBuf| {
        let name = folder.to_string_lossy();
        library::open(&name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    folders.iter().map(open).collect()
}

#[test]
fn every_case_holds() {
    for game in slices() {
        let book = Rulebook::new(game.folder.clone());
        let load = |settings: &Settings| book.rules(settings).map(Rules::explaining).map_err(|e| e.brief());
        let mut all = Vec::new();
        for (name, text) in game.folder.casebooks() {
            let (cases, faults) = casebook::parse(name, text);
            assert!(faults.is_empty(), "{}", faults[0]);
            all.extend(cases);
        }
        assert!(all.len() > 50, "{}: only {} cases", game.folder.name, all.len());
        all.par_iter().for_each(|case| {
            let report = casebook::run(case, &load);
            let words: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
            assert!(report.passed, "{}: {}", game.folder.name, words.join("\n"));
        });
    }
}

/// Good lists are legal, and each bad one breaks the clause that it is kept for.
#[cfg(feature = "cli")]
#[test]
fn lists_are_judged() {
    let game = "tests/slices/middle-earth-ccg";
    for (folder, code) in [("good", 0), ("bad", 1)] {
        let entries = std::fs::read_dir(root().join(game).join("decks").join(folder)).expect("the lists are there");
        let mut files: Vec<_> = entries.flatten().map(|e| e.path().to_string_lossy().into_owned()).collect();
        files.sort();
        assert!(files.len() >= 15, "{folder}: only {}", files.len());
        let args: Vec<&str> = ["validate", game].into_iter().chain(files.iter().map(String::as_str)).collect();
        let judged = crate::common::session::program(root(), &args).output().expect("it is run");
        let text = crate::common::session::checked(&judged, code, &args);
        let told = |line: &&str| !line.starts_with("  keeps") && !line.starts_with("     ");
        let told: Vec<&str> = text.lines().filter(told).collect();
        insta::assert_snapshot!(format!("{folder}-lists"), told.join("\n").replace(&*root().to_string_lossy(), ""));
    }
}

#[test]
fn random_games_run_in_step() {
    for game in slices() {
        for (seed, how) in [(1, How::Trees), (2, How::Code)] {
            in_step(&Pair::new(&game, seed, how), seed, MAX_PLIES);
        }
    }
}
