//! `games`: what is shipped in the program.

use std::io::Write as _;

use lawspeaker::lexicon::Counted;
use lawspeaker::library::{self, Folder};
use serde_json::{Value as Json, json};

use super::flags::LangArgs;
use super::screen::{Screen, Style};
use super::{Answer, Run, session};

/// List the games that are shipped with the program.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker games\n  lawspeaker play tic-tac-toe\n  \
    lawspeaker new mygame --from tic-tac-toe")]
pub struct Args {
    #[command(flatten)]
    lang: LangArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let words = session::program_words(&args.lang.lang)?;
    let folders = library::shipped().iter().map(|name| library::find(name)).collect::<Result<Vec<Folder>, _>>()?;
    if args.json {
        let one = |f: &Folder| {
            let (casebooks, records) = (f.casebooks().count(), f.records().count());
            json!({ "name": f.name, "title": f.title(), "casebooks": casebooks, "records": records })
        };
        screen.json(&folders.iter().map(one).collect::<Json>())?;
        return Ok(Answer::Yes);
    }
    let width = folders.iter().map(|f| f.name.chars().count()).max().unwrap_or(0);
    for folder in &folders {
        let has = [(folder.casebooks().count(), Counted::Casebooks), (folder.records().count(), Counted::Records)];
        let has = has.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| words.counts.of(what, n));
        let has: Vec<String> = has.collect();
        let gap = " ".repeat(width - folder.name.chars().count());
        let title = screen.styled(Style::Bold, folder.title().unwrap_or_default());
        writeln!(screen, "{}{gap}  {title}{}{}", folder.name, words.colon, has.join(words.comma))?;
    }
    Ok(Answer::Yes)
}
