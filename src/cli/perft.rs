//! `perft`: how many positions lie so many plies ahead.

use std::io::Write as _;
use std::path::PathBuf;

use lawspeaker::library::{self, Unusable};
use lawspeaker::perft;
use serde_json::{Value as Json, json};

use super::desk::{Desk, RulesArgs};
use super::log;
use super::screen::Screen;
use super::{Answer, Run};

/// Count the positions that lie so many plies ahead.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker perft confrontation --at ford.position --depth 3\n  \
    lawspeaker perft mygame --depth 4 --divide\n\n\
    Outcomes of chance count like choices; a game that is over has no positions ahead.")]
pub struct Args {
    /// Folder of .law files, or a shipped game.
    game: String,
    /// A position (`given ...`) or a record; the start of the game if not given.
    #[arg(long, value_name = "FILE")]
    at: Option<PathBuf>,
    /// Of a record: the position before this ply; its end if not given.
    #[arg(long, value_name = "N", requires = "at")]
    ply: Option<usize>,
    /// How many plies ahead.
    #[arg(long, value_name = "N")]
    depth: u32,
    /// Count for each first choice by itself.
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    rules: RulesArgs,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let (desk, position) = match &args.at {
        None => {
            let desk = Desk::open(&args.game, &args.rules.settings(), "")?;
            let start = desk.start()?;
            (desk, start)
        }
        Some(path) => {
            let text = library::read_text(path)?;
            if log::is_record(&text) {
                log::at_ply(&args.game, path, args.ply, "")?
            } else {
                let (desk, opened) = log::at_scene(&args.game, path, &text, &args.rules.settings(), "", 0)?;
                let position = opened.last(&desk)?;
                (desk, position)
            }
        }
    };
    if args.divide && args.depth == 0 {
        return Err(Unusable::new("there is nothing to divide at depth 0", "give --depth 1 or more").into());
    }
    let engine = desk.engine();
    let counts = match args.divide {
        true => perft::divide(&engine, &position, args.depth),
        false => Ok(Vec::new()),
    };
    let counts = counts.map_err(|f| desk.fault(&f))?;
    let total = match args.divide {
        true => counts.iter().map(|(_, n)| n).sum(),
        false => perft::perft(&engine, &position, args.depth).map_err(|f| desk.fault(&f))?,
    };
    let said = counts.iter().map(|(choice, n)| (desk.say(&position, *choice), *n));
    if args.json {
        let said: Vec<Json> = said.map(|(choice, n)| json!({ "choice": choice, "positions": n })).collect();
        screen.json(&json!({ "depth": args.depth, "positions": total, "divide": said }))?;
    } else {
        for (choice, n) in said {
            writeln!(screen, "{n:>12}  {choice}")?;
        }
        writeln!(screen, "{total:>12}  positions at depth {}", args.depth)?;
    }
    Ok(Answer::Yes)
}
