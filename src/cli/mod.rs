//! The commands: each parses its arguments, asks the library and prints.

// Objects of JSON are filled in by their keys.
#![allow(clippy::indexing_slicing)]

mod about;
mod ask;
mod book;
mod cache;
mod check;
mod clauses;
mod columns;
mod compare;
mod completions;
mod conflicts;
mod coverage;
mod diff;
mod document;
mod engine;
mod exceptions;
mod explore;
mod find;
mod flags;
mod fmt;
mod games;
mod interrupt;
mod lists;
mod lsp;
mod match_bots;
mod mutate;
mod new;
mod number;
mod odds;
mod opening;
mod page;
mod perft;
mod play;
mod random;
mod replay;
mod revision;
mod rewrite;
mod ruling_page;
mod screen;
mod session;
mod shipped;
mod simulate;
mod solve;
mod sources;
mod table;
mod test;
mod transcripts;
mod validate;
mod varied;
mod watch;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use lawspeaker::check::UnknownVariant;
use lawspeaker::library::{LoadError, Unusable};
use lawspeaker::rules::RulesError;
use lawspeaker::writing::Refusal;
use lawspeaker::{plain, report};

use screen::Screen;

/// Rulebooks of tabletop games, written as text that can be checked, played, explained and replayed.
#[derive(Debug, Parser)]
#[command(name = "lawspeaker", version, max_term_width = 100)]
#[command(
    after_help = "A GAME is the path of a folder of .law files, or the name of a shipped game (`lawspeaker games`).\n\
    Exit codes: 0 yes, 1 the answer is no, 2 the input cannot be used.\n\n\
    Example: lawspeaker play confrontation --seats Dark=random"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Play(play::Args),
    Ask(ask::Args),
    Odds(odds::Args),
    Solve(solve::Args),
    Find(find::Args),
    Test(test::Args),
    Validate(validate::Args),
    Replay(replay::Args),
    Clauses(clauses::Args),
    Mutate(mutate::Args),
    Exceptions(exceptions::Args),
    Compare(compare::Args),
    Book(book::Args),
    New(new::Args),
    Fmt(fmt::Args),
    Lsp(lsp::Args),
    Games(shipped::Args),
    Random(random::Args),
    Perft(perft::Args),
    Simulate(simulate::Args),
    Explore(explore::Args),
    Match(match_bots::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

/// What a command answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Exit code 0.
    Yes,
    /// Exit code 1.
    No,
    /// Exit code 2: part of the input cannot be used, which was told where the answer stands.
    Unusable,
    /// Exit code 130, as shells have it: Ctrl-C cut the answer off, which was told with what there is of it.
    Interrupted,
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Answer {
        if yes { Answer::Yes } else { Answer::No }
    }
}

/// Why a command stops before it has an answer.
#[derive(Debug)]
pub enum Stop {
    /// The input cannot be used.
    Unusable(Unusable),
    /// The rules of a game have errors.
    Load(Arc<LoadError>),
}

impl Stop {
    /// Because rules have errors, or have not the variant that was asked for.
    fn of(load: Arc<LoadError>) -> Stop {
        match &*load {
            LoadError::Rules { name, checked } => match &checked.unknown_variant {
                Some(variant) => no_variant(name, variant).into(),
                None => Stop::Load(load),
            },
            LoadError::Files(files) => Stop::Unusable(files.clone()),
        }
    }
}

/// That a game has not the variant that was asked for.
fn no_variant(game: &str, variant: &UnknownVariant) -> Unusable {
    Unusable::new(format!("{game} has no variant {}", variant.name), variant.help.as_str())
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        Stop::Unusable(Unusable::new(format!("cannot write: {error}"), ""))
    }
}

impl From<Unusable> for Stop {
    fn from(error: Unusable) -> Stop {
        Stop::Unusable(error)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Unusable(refusal.into())
    }
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Stop {
        match error {
            LoadError::Files(files) => Stop::Unusable(files),
            rules @ LoadError::Rules { .. } => Stop::of(Arc::new(rules)),
        }
    }
}

impl From<RulesError> for Stop {
    fn from(error: RulesError) -> Stop {
        match error {
            RulesError::Load(load) => match &*load {
                LoadError::Files(files) => Stop::Unusable(files.clone()),
                LoadError::Rules { .. } => Stop::of(load),
            },
            RulesError::Fault { words, .. } => session::of_rules(&words),
            other => Stop::Unusable(Unusable::new(other.to_string(), "")),
        }
    }
}

/// What running a command gives.
pub type Run = Result<Answer, Stop>;

/// Parses the arguments of the process and runs the command.
pub fn main() -> ExitCode {
    answer(std::env::args_os())
}

/// Parses arguments, of which the first is the name of the program, and runs the command.
pub fn answer(args: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            refuse(&error);
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let (answer, flushed) = match &cli.command {
        // It writes by itself, from another thread.
        Command::Lsp(args) => (lsp::run(args), Ok(())),
        command => {
            let mut screen = Screen::new();
            let answer = run(command, &mut screen);
            (answer, screen.flush().map_err(Stop::from))
        }
    };
    if let Some(what) = lawspeaker::engine::trouble() {
        let _ = std::io::stderr().lock().write_all(without_code(what).as_bytes());
    }
    match answer.and_then(|a| flushed.map(|()| a)) {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Unusable) => ExitCode::from(2),
        Ok(Answer::Interrupted) => ExitCode::from(interrupt::CODE),
        Err(stop) => {
            complain(&stop);
            ExitCode::from(2)
        }
    }
}

fn run(command: &Command, screen: &mut Screen) -> Run {
    match command {
        Command::Check(args) => check::run(args, screen),
        Command::Play(args) => play::run(args, screen),
        Command::Ask(args) => ask::run(args, screen),
        Command::Odds(args) => odds::run(args, screen),
        Command::Solve(args) => solve::run(args, screen),
        Command::Find(args) => find::run(args, screen),
        Command::Test(args) => test::run(args, screen),
        Command::Validate(args) => validate::run(args, screen),
        Command::Replay(args) => replay::run(args, screen),
        Command::Clauses(args) => clauses::run(args, screen),
        Command::Mutate(args) => mutate::run(args, screen),
        Command::Exceptions(args) => exceptions::run(args, screen),
        Command::Compare(args) => compare::run(args, screen),
        Command::Book(args) => book::run(args, screen),
        Command::New(args) => new::run(args, screen),
        Command::Fmt(args) => fmt::run(args, screen),
        Command::Lsp(args) => lsp::run(args),
        Command::Games(args) => shipped::run(args, screen),
        Command::Random(args) => random::run(args, screen),
        Command::Perft(args) => perft::run(args, screen),
        Command::Simulate(args) => simulate::run(args, screen),
        Command::Explore(args) => explore::run(args, screen),
        Command::Match(args) => match_bots::run(args, screen),
        Command::Completions(args) => completions::run(args, screen),
        Command::Man(args) => completions::man(args, screen),
    }
}

/// That the rules were played as trees because of something that is no matter of theirs, in one line.
fn without_code(what: &str) -> String {
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("note: no machine code could be made ({what}); the rules were played without it, which is slower\n")
}

/// Says what is wrong with the arguments. Help is an error here too; a closed pipe while it is printed is no matter.
fn refuse(error: &clap::Error) {
    let text = error.render().to_string();
    let _ = match plain::plain(&text) {
        Cow::Borrowed(_) => error.print(),
        // The arguments are repeated in it.
        Cow::Owned(text) => std::io::stderr().lock().write_all(text.as_bytes()),
    };
}

/// Says on the standard error why nothing came of it.
fn complain(stop: &Stop) {
    let text = match stop {
        Stop::Unusable(error) => complaint(error),
        Stop::Load(error) => match &**error {
            LoadError::Files(error) => complaint(error),
            LoadError::Rules { checked, .. } => {
                let colour = screen::colour(&std::io::stderr());
                let faults = report::all(&checked.diagnostics, &checked.sources, colour);
                format!("{faults}\nerror: {}\n", plain::plain(&error.to_string()))
            }
        },
    };
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Characters of a complaint. What it quotes may be as long as a file.
const MAX_LINE_CHARACTERS: usize = 20_000;

/// `error: ...` with its advice.
fn complaint(error: &Unusable) -> String {
    if let Some(report) = &error.report {
        // What it quotes is cut already, and control characters are written out.
        return report.clone();
    }
    let text = match &error.help {
        Some(help) => format!("error: {error}\n  help: {help}\n"),
        None => format!("error: {error}\n"),
    };
    plain::clip(&plain::plain(&text), MAX_LINE_CHARACTERS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_given_with_seat_or_seats() {
        for command in ["play hex", "simulate hex", "find hex draw"] {
            let read = |flag: &str| {
                let words = ["lawspeaker"].into_iter().chain(command.split(' '));
                let cli = Cli::try_parse_from(words.chain([flag, "White=greedy", flag, "random"]));
                format!("{:?}", cli.map_err(|error| error.to_string()).unwrap().command)
            };
            assert_eq!(read("--seat"), read("--seats"), "{command}");
            assert!(read("--seats").contains("White"), "{command}");
        }
    }

    #[test]
    fn what_went_wrong_with_machine_code_is_told_in_one_line() {
        let text = without_code("no memory:\n  it is full");
        assert!(text.starts_with("note: no machine code could be made (no memory: it is full);"), "{text}");
        assert_eq!(text.matches('\n').count(), 1);
    }
}
