//! A replay checker: are all plies of these records legal?
//!
//! `cargo run --example replay -- rules/confrontation/records/first-game.record`

use std::error::Error;
use std::process::ExitCode;

use lawspeaker::{ReplayEnd, Rules};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut all_legal = true;
    for file in std::env::args().skip(1) {
        let record = Rules::record(&std::fs::read_to_string(&file)?)?;
        let rules = Rules::open_with(&record.settings.game, &record.settings)?;
        let replay = rules.replay(&record);
        all_legal &= matches!(replay.end, ReplayEnd::Complete(_));
        println!("{file}: {}", replay.words(rules.explainer(), ""));
    }
    Ok(if all_legal { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
