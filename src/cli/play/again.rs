//! How a game that was left goes on: what may be said beside its record, and the command that does it.

use std::path::PathBuf;

use lawspeaker::library::Unusable;

use super::{Args, Table};
use crate::cli::ruling_page::quoted;

/// Makes sure that nothing is asked for that the record has already.
pub(super) fn settled(args: &Args, seed: u64) -> Result<(), Unusable> {
    let settings = args.rules.settings();
    let said = [
        (!settings.variants.is_empty(), "--variant"),
        (settings.preset.is_some(), "--preset"),
        (!settings.options.is_empty(), "--with"),
    ];
    if let Some((_, flag)) = said.iter().find(|(said, _)| *said) {
        let message = format!("{flag} cannot be used with --resume: the record has the settings of its game");
        let help = "leave it out; to play on by other rules, save the position and use --at";
        return Err(Unusable::new(message, help));
    }
    match args.seed.seed {
        // In a match it is the seed of the games that follow.
        Some(other) if other != seed && !args.matched => {
            let message = format!("--seed {other} cannot be used with --resume: the seed of the record is {seed}");
            Err(Unusable::new(message, "leave it out"))
        }
        _ => Ok(()),
    }
}

/// The command with which a game goes on as it was begun; `before` are the records of the match before it.
pub(super) fn command(args: &Args, table: &Table<'_>, before: &[PathBuf]) -> String {
    let mut words = vec![String::from("lawspeaker play"), quoted(&table.session.rules.loaded().folder.name)];
    if args.matched {
        words.push(String::from("--match"));
    }
    for file in before.iter().map(PathBuf::as_path).chain([table.file()]) {
        words.push(format!("--resume {}", quoted(&file.display().to_string())));
    }
    for one in &args.seats.seats {
        let who = match &one.seat {
            Some(seat) => format!("{seat}={}", one.who),
            None => one.who.clone(),
        };
        words.push(format!("--seats {}", quoted(&who)));
    }
    if args.check {
        words.push(String::from("--check"));
    }
    if !args.rules.lang().is_empty() {
        words.push(format!("--lang {}", quoted(args.rules.lang())));
    }
    words.join(" ")
}
