//! `book`: the rulebook as pages.

use std::io::Write as _;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::audit::{self, Suite};
use lawspeaker::book::{self, About, File};
use lawspeaker::compare::Side;
use lawspeaker::facts::Settings;
use lawspeaker::lexicon::{Words, fill, thousands};
use lawspeaker::library;
use lawspeaker::rules::Rulebook;
use lawspeaker::writing::{Folder, Policy};
use serde_json::{Value as Json, json};

use super::flags::RulesArgs;
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, session};

/// Write the rulebook as pages of HTML and one file of Markdown, for players: clauses with the rules that encode them,
/// exceptions, readings, members, cases and records, all linked.
///
/// The pages need no script and print well. What variants, preset and settings change is marked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker book confrontation --out confrontation-book\n  \
    lawspeaker book confrontation --out book-ja --lang ja --measured\n  \
    lawspeaker book confrontation --out rivers --variant open_river\n\n\
    The first page is FOLDER/index.html; FOLDER/book.md has the same as one file, without the plies of records.\n\n\
    With --measured, the exit code is 1 if a case or record does not hold.")]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// Write the pages into this folder.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Run the cases and records, and tell beside each rule in how many it decides something; of the largest games this
    /// takes more than a minute.
    #[arg(long)]
    measured: bool,
    /// Write into a folder that has files in it, over those that have the name of a page.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let into = Folder::new(&args.out, Policy::forced(args.force))?;
    let folder = library::find(&args.game)?;
    let settings = args.rules.settings();
    let side = Side::new(folder.clone(), settings.clone())?;
    let lang = session::language(side.rules.model(), args.rules.lang())?;
    let before =
        (settings != Settings::default()).then(|| Side::new(folder.clone(), Settings::default())).transpose()?;
    let Suite { all: suite, .. } = audit::suite(&folder, &side.rules.model().name, &Settings::default())?;
    let measured = args.measured.then(|| {
        let bar = ProgressBar::with_draw_target(Some(suite.len() as u64), ProgressDrawTarget::stderr());
        let measured = book::measure(side.rules.model(), &Rulebook::new(folder), &suite, &|| bar.inc(1));
        bar.finish_and_clear();
        measured
    });
    let about = About { side: &side, before: before.as_ref(), suite: &suite, measured: measured.as_ref(), lang: &lang };
    let files = book::book(&about);
    into.write(files.iter().map(|file| (file.name.as_str(), file.text.as_str())))?;
    let faults = measured.map(|measured| measured.faults).unwrap_or_default();
    let answer = Answer::from(faults.is_empty());
    if args.json {
        screen.json(&to_json(args, &files, &faults))?;
    } else {
        print(args, &files, &faults, Words::of(&lang), screen)?;
    }
    Ok(answer)
}

fn pages(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.name.ends_with(".html"))
}

fn print(
    args: &Args,
    files: &[File],
    faults: &[(String, String)],
    words: &Words,
    screen: &mut Screen,
) -> Result<(), Stop> {
    for (place, why) in faults {
        let said = fill(words.register.item_fails, &[place, why]);
        writeln!(screen, "{} {said}", screen.styled(Style::Bad, words.register.failed))?;
    }
    let kilobytes = |bytes: usize| thousands(bytes.div_ceil(1000) as u64);
    let (say, out) = (&words.book, args.out.display().to_string());
    let size: usize = files.iter().map(|file| file.text.len()).sum();
    let said = fill(say.written, &[&out, &pages(files).count().to_string(), &kilobytes(size)]);
    writeln!(screen, "{said}")?;
    // Of pages of one size the first.
    if let Some(largest) = pages(files).reduce(|a, b| if b.text.len() > a.text.len() { b } else { a }) {
        writeln!(screen, "{}", fill(say.largest, &[&largest.name, &kilobytes(largest.text.len())]))?;
    }
    let first = args.out.join("index.html").display().to_string();
    writeln!(screen, "{}", fill(say.open, &[&first]))?;
    Ok(())
}

fn to_json(args: &Args, files: &[File], faults: &[(String, String)]) -> Json {
    let file = |file: &File| json!({ "name": file.name, "bytes": file.text.len() });
    let fault = |(place, why): &(String, String)| json!({ "place": place, "why": why });
    json!({
        "folder": args.out.display().to_string(),
        "files": files.iter().map(file).collect::<Vec<Json>>(),
        "faults": faults.iter().map(fault).collect::<Vec<Json>>(),
    })
}
