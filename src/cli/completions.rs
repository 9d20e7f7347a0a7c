//! `completions` and `man`: what shells and the system's manual are told about the commands.

use std::io::Write as _;
use std::path::PathBuf;

use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use lawspeaker::library::Unusable;
use lawspeaker::writing::{self, Policy};

use super::screen::Screen;
use super::{Answer, Cli, Run, Stop};

/// Print a script by which a shell completes commands and flags.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lawspeaker completions bash > ~/.local/share/bash-completion/completions/lawspeaker\n  \
    lawspeaker completions zsh > ~/.zfunc/_lawspeaker\n  \
    lawspeaker completions fish > ~/.config/fish/completions/lawspeaker.fish")]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Write manual pages, one for each command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lawspeaker man --out man1\n  man man1/lawspeaker-simulate.1")]
pub struct ManArgs {
    /// Write them into this folder.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Allow pages to replace files.
    #[arg(long)]
    force: bool,
}

/// Runs the command `completions`.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lawspeaker", &mut script);
    screen.script(&String::from_utf8_lossy(&script))?;
    Ok(Answer::Yes)
}

/// Runs the command `man`.
pub fn man(args: &ManArgs, screen: &mut Screen) -> Run {
    let cannot = |e| {
        let message = format!("cannot make {}: {e}", args.out.display());
        Unusable::new(message, "choose a place where you may write")
    };
    std::fs::create_dir_all(&args.out).map_err(cannot)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let pages = std::iter::once(command.clone()).chain(command.get_subcommands().cloned());
    let written = pages.map(|command| page(command, args)).collect::<Result<Vec<PathBuf>, Stop>>()?;
    for file in written {
        writeln!(screen, "{}", file.display())?;
    }
    Ok(Answer::Yes)
}

/// Writes the page of a command.
fn page(command: clap::Command, args: &ManArgs) -> Result<PathBuf, Stop> {
    let man = Man::new(command).manual("Lawspeaker");
    let file = args.out.join(man.get_filename());
    let mut text = Vec::new();
    man.render(&mut text)?;
    writing::write(&file, &String::from_utf8_lossy(&text), Policy::forced(args.force))?;
    Ok(file)
}
