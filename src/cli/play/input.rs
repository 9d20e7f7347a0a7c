//! What a person types.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, StdinLock, Write as _};

use lawspeaker::plain;
use lawspeaker::rulings::Depth;
use rustyline::config::Config;
use rustyline::{DefaultEditor, error::ReadlineError};

use crate::cli::Stop;
use crate::cli::screen::Screen;

/// Bytes of a line. Longer lines are cut.
const MAX_LINE: usize = 10_000;

/// The standard input, line by line.
pub struct Input(Source);

/// Where the lines come from.
enum Source {
    /// A person at a terminal, who can edit the line and call back earlier ones.
    Person(Box<DefaultEditor>),
    /// A terminal that cannot be used for editing, or a pipe, whose lines are shown as if they were typed.
    Stream { stdin: StdinLock<'static>, echo: bool },
}

/// A command at the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Nothing.
    Empty,
    /// The option of that number, from 1.
    Number(usize),
    /// `? ACTION`, or `?? ACTION` for the whole derivation.
    Explain(String, Depth),
    /// `save FILE`, or `save --force FILE`; without a file it is empty.
    Save(String, bool),
    /// `board all`, or `board CELL`.
    Board(String),
    /// A single word that is a command.
    Word(Word),
    /// A move in the game's notation.
    Move(String),
}

/// The commands of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The map again.
    Board,
    /// The piles and variables.
    Hand,
    /// The options again.
    Options,
    /// All that the last plies led to.
    Happened,
    /// All plies.
    Log,
    /// Take back.
    Undo,
    /// Play again what was taken back.
    Redo,
    /// Give up.
    Resign,
    /// What can be typed.
    Help,
    /// Leave.
    Quit,
}

/// The words and what they mean.
pub const WORDS: [(&str, Word); 14] = [
    ("board", Word::Board),
    ("hand", Word::Hand),
    ("options", Word::Options),
    ("happened", Word::Happened),
    ("log", Word::Log),
    ("undo", Word::Undo),
    ("redo", Word::Redo),
    ("resign", Word::Resign),
    ("help", Word::Help),
    ("?", Word::Help),
    ("??", Word::Help),
    ("quit", Word::Quit),
    ("q", Word::Quit),
    ("exit", Word::Quit),
];

/// What a line means.
pub fn parse(line: &str) -> Typed {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Empty;
    }
    if let Some((_, word)) = WORDS.iter().find(|(w, _)| line.eq_ignore_ascii_case(w)) {
        return Typed::Word(*word);
    }
    if let Some(action) = line.strip_prefix('?') {
        let (depth, action) = match action.strip_prefix('?') {
            Some(action) => (Depth::Whole, action),
            None => (Depth::Short, action),
        };
        return Typed::Explain(action.trim().to_owned(), depth);
    }
    if line == "save" {
        return Typed::Save(String::new(), false);
    }
    if let Some(file) = line.strip_prefix("save ") {
        let file = file.trim();
        return match file.strip_prefix("--force ") {
            Some(file) => Typed::Save(file.trim().to_owned(), true),
            None => Typed::Save(file.to_owned(), false),
        };
    }
    if let Some(cell) = line.strip_prefix("board ") {
        return Typed::Board(cell.trim().to_owned());
    }
    match line.parse() {
        Ok(number) => Typed::Number(number),
        Err(_) => Typed::Move(line.to_owned()),
    }
}

impl Input {
    /// The standard input.
    pub fn new() -> Input {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let person = stdin.is_terminal() && stdout.is_terminal();
        match person.then(editor).flatten() {
            Some(editor) => Input(Source::Person(Box::new(editor))),
            None => Input(Source::Stream { echo: !stdin.is_terminal(), stdin: stdin.lock() }),
        }
    }

    /// Asks and gives the line. `None`: there will be no more, or a person would type without seeing anything.
    pub fn ask(&mut self, screen: &mut Screen, prompt: &str) -> Result<Option<String>, Stop> {
        match &mut self.0 {
            Source::Person(editor) => {
                screen.flush()?;
                Ok(if screen.closed() { None } else { edited(editor, prompt) })
            }
            Source::Stream { stdin, echo } => {
                write!(screen, "{prompt}")?;
                screen.flush()?;
                if screen.closed() && !*echo {
                    return Ok(None);
                }
                let line = read(stdin);
                match &line {
                    Some(line) if *echo => writeln!(screen, "{line}")?,
                    Some(_) => {}
                    None => writeln!(screen)?,
                }
                Ok(line)
            }
        }
    }

    /// Forgets the lines typed so far: another person comes to the screen.
    pub fn forget(&mut self) {
        if let Source::Person(editor) = &mut self.0 {
            // Only histories in files can fail.
            let _ = editor.clear_history();
        }
    }
}

/// An editor of lines, if the terminal allows it. Each pasted line counts as typed.
fn editor() -> Option<DefaultEditor> {
    let config = Config::builder().auto_add_history(true).bracketed_paste(false).build();
    DefaultEditor::with_config(config).ok()
}

/// A line of a person. `None` if they leave.
fn edited(editor: &mut DefaultEditor, prompt: &str) -> Option<String> {
    let prompt = plain::plain(prompt);
    loop {
        match editor.readline(&*prompt) {
            Ok(line) => return Some(typed(line.as_bytes())),
            // The size of the window changed.
            Err(ReadlineError::Signal(_)) => {}
            Err(_) => return None,
        }
    }
}

/// A line as text, cut if it is too long.
fn typed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..MAX_LINE).unwrap_or(bytes)).trim().to_owned()
}

/// A line of a stream. `None` at its end.
pub(super) fn read(stdin: &mut StdinLock<'static>) -> Option<String> {
    let mut bytes = Vec::new();
    match stdin.take(MAX_LINE as u64).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(typed(&bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(parse(" 12 "), Typed::Number(12));
        assert_eq!(parse("?"), Typed::Word(Word::Help));
        assert_eq!(parse("? Orcs to Rohan"), Typed::Explain("Orcs to Rohan".into(), Depth::Short));
        assert_eq!(parse("??Orcs to Rohan"), Typed::Explain("Orcs to Rohan".into(), Depth::Whole));
        assert_eq!(parse("UNDO"), Typed::Word(Word::Undo));
        assert_eq!(parse("save a b.txt"), Typed::Save("a b.txt".into(), false));
        assert_eq!(parse("save --force  a.txt"), Typed::Save("a.txt".into(), true));
        assert_eq!(parse("board  Old Forest"), Typed::Board("Old Forest".into()));
        assert_eq!(parse("boards ship"), Typed::Move("boards ship".into()));
        assert_eq!(parse("Orcs to Rohan"), Typed::Move("Orcs to Rohan".into()));
        assert_eq!(parse("\t"), Typed::Empty);
    }
}
