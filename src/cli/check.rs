//! `check`: what is wrong with a game's rules.

use std::io::Write as _;
use std::path::PathBuf;

use lawspeaker::check::{Checked, check};
use lawspeaker::library::{self, Folder, Unusable};
use lawspeaker::report;
use serde_json::json;

use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, watch};

/// Report every fault of a game's rules: conflicts, gaps, names, types, citations.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker check confrontation\n  \
    lawspeaker check ./mygame --variant open --watch")]
pub struct Args {
    /// Folder of .law files, or a shipped game.
    game: String,
    /// `watch` is the same as --watch.
    #[arg(value_parser = ["watch"], hide = true)]
    mode: Option<String>,
    /// Lay this variant over the game (may be given several times).
    #[arg(long, value_name = "NAME")]
    variant: Vec<String>,
    /// Check again whenever a file changes, until interrupted.
    #[arg(long)]
    watch: bool,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    if args.watch || args.mode.is_some() {
        return keep_watch(args, screen);
    }
    once(args, screen)
}

fn once(args: &Args, screen: &mut Screen) -> Run {
    let folder = library::find(&args.game)?;
    let checked = check(&folder.rules(), &args.variant);
    let (errors, _) = report::count(&checked.diagnostics);
    if args.json {
        screen.json(&json!({
            "game": folder.name,
            "ok": errors == 0 && checked.model.is_some(),
            "files": folder.law_files(),
            "clauses": clauses(&checked),
            "diagnostics": report::json(&checked.diagnostics, &checked.sources),
        }))?;
    } else {
        print(&folder, &checked, screen)?;
    }
    Ok(Answer::from(errors == 0 && checked.model.is_some()))
}

fn print(folder: &Folder, checked: &Checked, screen: &mut Screen) -> Result<(), Stop> {
    let faults = report::all(&checked.diagnostics, &checked.sources, screen.colour());
    if !faults.is_empty() {
        writeln!(screen, "{faults}")?;
    }
    let (errors, _) = report::count(&checked.diagnostics);
    let style = if errors == 0 { Style::Good } else { Style::Bad };
    let words = screen.styled(style, &report::count_words(&checked.diagnostics));
    let files = report::plural(folder.law_files(), "file");
    let clauses = match clauses(checked) {
        Some(n) => format!(", {}", report::plural(n, "clause")),
        None => String::new(),
    };
    writeln!(screen, "{}: {files}{clauses}, {words}", folder.name)?;
    Ok(())
}

fn clauses(checked: &Checked) -> Option<usize> {
    checked.model.as_ref().map(|m| m.clauses.len())
}

fn keep_watch(args: &Args, screen: &mut Screen) -> Run {
    let root = watched(&args.game)?;
    let mut state = watch::stamps(&root);
    loop {
        screen.clear()?;
        match once(args, screen) {
            Ok(_) => {}
            // A file may be half written, or gone for a moment: say so and go on.
            Err(Stop::Unusable(error)) => write!(screen, "{}", super::complaint(&error))?,
            Err(stop) => return Err(stop),
        }
        screen.flush()?;
        state = watch::wait(&root, &state);
    }
}

fn watched(game: &str) -> Result<PathBuf, Stop> {
    let path = PathBuf::from(game);
    if path.is_dir() {
        return Ok(path);
    }
    library::find(game)?;
    let help = "copy it with `lawspeaker new NAME --from GAME` and watch the copy";
    Err(Unusable::new(format!("{game} is inside the program and cannot change"), help).into())
}
