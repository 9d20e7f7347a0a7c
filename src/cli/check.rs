//! `check`: what is wrong with a game's rules.

use std::io::Write as _;
use std::path::PathBuf;

use lawspeaker::check::{Checked, Diagnostic, check, variants};
use lawspeaker::library::{self, Folder, Unusable};
use lawspeaker::report;
use serde_json::json;

use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, watch};

/// Report every fault of a game's rules: conflicts, gaps, names, types, citations.
///
/// Without --variant each variant of the game is checked too, laid over it by itself.
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
    let files = folder.rules();
    let checked = check(&files, &args.variant);
    let variants = match args.variant.is_empty() {
        true => each_variant(&files, &checked),
        false => Vec::new(),
    };
    let (errors, _) = report::count(&checked.diagnostics);
    let sound = |c: &Checked| c.model.is_some() && report::count(&c.diagnostics).0 == 0;
    let ok = sound(&checked) && variants.iter().all(|(_, c)| sound(c));
    if args.json {
        screen.json(&json!({
            "game": folder.name,
            "ok": ok,
            "errors": errors,
            "files": folder.law_files(),
            "clauses": clauses(&checked),
            "diagnostics": report::json(&checked.diagnostics, &checked.sources),
            "variants": variants.iter().map(|(name, c)| json!({
                "variant": name,
                "diagnostics": report::json(&c.diagnostics, &c.sources),
            })).collect::<Vec<_>>(),
        }))?;
    } else {
        print(&folder, &folder.name, &checked, screen)?;
        for (name, checked) in &variants {
            print(&folder, &format!("{} with variant {name}", folder.name), checked, screen)?;
        }
    }
    Ok(Answer::from(ok))
}

/// The variants of a sound game, each laid over it by itself, with the faults that are its own.
fn each_variant(files: &[(String, String)], base: &Checked) -> Vec<(String, Checked)> {
    if base.model.is_none() {
        return Vec::new();
    }
    let known = |d: &Diagnostic| base.diagnostics.iter().any(|b| b.code == d.code && b.message == d.message);
    let laid = |name: String| {
        let mut checked = check(files, std::slice::from_ref(&name));
        checked.diagnostics.retain(|d| !known(d));
        (name, checked)
    };
    variants(files).into_iter().map(laid).collect()
}

fn print(folder: &Folder, name: &str, checked: &Checked, screen: &mut Screen) -> Result<(), Stop> {
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
    writeln!(screen, "{name}: {files}{clauses}, {words}")?;
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
