//! `fmt`: rule files in the one layout.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use lawspeaker::layout::{self, Unformatted, WIDTH};
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::{self, Unusable};
use lawspeaker::report::Mistake;
use lawspeaker::writing;

use super::diff::diff;
use super::flags::LangArgs;
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, session};

/// Lay rule files out: indentation, spaces and line ends, in the one layout of all rules.
///
/// Words, signs, comments and empty lines stay. A line that you end before `=`, `where`, `log`, `cite`, `when` and the
/// like stays ended there, and a block stays on one line if you write it so and it fits. What comes out is read again
/// and must say the same; else the file is left as it is.
///
/// In Markdown files the blocks fenced as `law` are laid out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker fmt mygame\n  lawspeaker fmt mygame/battle.law\n  \
    lawspeaker fmt mygame --check")]
pub struct Args {
    /// Folders of .law files, files (.law, .md), or, with --check, names of shipped games.
    #[arg(required = true, value_name = "GAME|FILE")]
    paths: Vec<String>,
    /// Write nothing: show what would change, and exit with 1 if anything would.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    lang: LangArgs,
}

/// A text to lay out.
struct Text {
    name: String,
    text: String,
    /// Where it is; nothing: inside the program.
    file: Option<PathBuf>,
}

impl Text {
    fn read(file: PathBuf) -> Result<Text, Unusable> {
        Ok(Text { name: file.display().to_string(), text: library::read_text(&file)?, file: Some(file) })
    }

    fn laid(&self) -> Result<String, Unformatted> {
        match self.name.ends_with(".md") {
            true => Ok(layout::format_page(&self.text)),
            false => layout::format(&self.text, WIDTH),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let words = session::program_words(&args.lang.lang)?;
    let mut texts = Vec::new();
    for path in &args.paths {
        texts.extend(find(path, args.check, words)?);
    }
    let (mut changed, mut unread) = (0, 0);
    for text in &texts {
        match text.laid() {
            Err(fault) => {
                unread += 1;
                complain(text, &fault, words, screen)?;
            }
            Ok(laid) if laid == text.text => {}
            Ok(laid) => {
                changed += 1;
                change(text, &laid, args.check, words, screen)?;
            }
        }
    }
    let all = words.counts.of(Counted::Files, texts.len());
    let total = match (changed, args.check) {
        (0, _) => fill(words.layout.done, &[&all]),
        (n, true) => fill(words.layout.other, &[&n.to_string(), &all]),
        (n, false) => fill(words.layout.changed, &[&n.to_string(), &all]),
    };
    writeln!(screen, "{total}")?;
    Ok(match unread {
        0 => Answer::from(!args.check || changed == 0),
        _ => Answer::Unusable,
    })
}

/// The texts that an argument names.
fn find(path: &str, check: bool, words: &Words) -> Result<Vec<Text>, Unusable> {
    let place = Path::new(path);
    if place.is_dir() {
        let files = session::files_below(place, "law")?;
        if files.is_empty() {
            let message = format!("there are no .law files in {path}");
            return Err(Unusable::new(message, "name a folder of rule files, or a file"));
        }
        return files.into_iter().map(Text::read).collect();
    }
    if place.exists() {
        let known = place.extension().is_some_and(|e| e == "law" || e == "md");
        let help = "name a .law file, a .md file with blocks fenced as `law`, or a folder";
        return match known {
            true => Ok(vec![Text::read(place.to_owned())?]),
            false => Err(Unusable::new(format!("{path} is no rule file"), help)),
        };
    }
    if place.extension().is_some() {
        return Err(Unusable::new(format!("the file {path} does not exist"), "name a .law file or a folder"));
    }
    let folder = library::find(path)?;
    if !check {
        return Err(Unusable::new(fill(words.layout.shipped, &[&folder.name]), ""));
    }
    let law = folder.rules().into_iter().filter(|(name, _)| name.ends_with(".law"));
    Ok(law.map(|(name, text)| Text { name: format!("{}/{name}", folder.name), text, file: None }).collect())
}

/// Writes a text, or shows what would be written.
fn change(text: &Text, laid: &str, check: bool, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    match &text.file {
        Some(file) if !check => {
            writing::tidy(file);
            writing::replace(file, &text.text, laid)?;
            writeln!(screen, "{} {}", screen.styled(Style::Good, words.layout.laid), text.name)?;
        }
        _ => {
            writeln!(screen, "{}", screen.styled(Style::Bold, &text.name))?;
            diff(&text.text, laid, screen)?;
        }
    }
    Ok(())
}

/// Says why a text is left as it is.
fn complain(text: &Text, fault: &Unformatted, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    writeln!(screen, "{} {}", screen.styled(Style::Bad, words.layout.unread), text.name)?;
    let message = fault.to_string();
    let mistake = match fault {
        Unformatted::Changed { line } => Mistake { line: *line, column: 1, width: 0, message: &message },
        Unformatted::Unread(fault) => {
            let (start, end) = (fault.span.start as usize, fault.span.end as usize);
            let before = text.text.get(..start).unwrap_or("");
            let last = before.rsplit('\n').next().unwrap_or("");
            Mistake {
                line: before.matches('\n').count() + 1,
                column: last.chars().count() + 1,
                width: text.text.get(start..end).map_or(0, |t| t.chars().count()),
                message: &message,
            }
        }
    };
    Ok(screen.mistake(&text.name, &text.text, &mistake)?)
}
