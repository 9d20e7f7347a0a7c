//! What a person types.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, StdinLock, Write as _};

use lawspeaker::rulings::Depth;

use crate::cli::Stop;
use crate::cli::screen::Screen;

/// Longer lines are cut.
const MAX_LINE: u64 = 10_000;

/// The standard input, line by line.
pub struct Input {
    stdin: StdinLock<'static>,
    echo: bool,
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
    /// `save FILE`, or `save --force FILE`.
    Save(String, bool),
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
    /// Take back.
    Undo,
    /// What can be typed.
    Help,
    /// Leave.
    Quit,
}

/// The words and what they mean.
pub const WORDS: [(&str, Word); 9] = [
    ("board", Word::Board),
    ("hand", Word::Hand),
    ("options", Word::Options),
    ("undo", Word::Undo),
    ("help", Word::Help),
    ("?", Word::Help),
    ("??", Word::Help),
    ("quit", Word::Quit),
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
    if let Some(file) = line.strip_prefix("save ") {
        let file = file.trim();
        return match file.strip_prefix("--force ") {
            Some(file) => Typed::Save(file.trim().to_owned(), true),
            None => Typed::Save(file.to_owned(), false),
        };
    }
    match line.parse() {
        Ok(number) => Typed::Number(number),
        Err(_) => Typed::Move(line.to_owned()),
    }
}

impl Input {
    /// The standard input. What comes from a pipe is shown as if it were typed.
    pub fn new() -> Input {
        let stdin = io::stdin();
        Input { echo: !stdin.is_terminal(), stdin: stdin.lock() }
    }

    /// Asks and gives the line; nothing: there will be no more, or a person would type without seeing anything.
    pub fn ask(&mut self, screen: &mut Screen, prompt: &str) -> Result<Option<String>, Stop> {
        write!(screen, "{prompt}")?;
        screen.flush()?;
        if screen.closed() && !self.echo {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let read = (&mut self.stdin).take(MAX_LINE).read_until(b'\n', &mut bytes);
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        match read {
            Ok(0) | Err(_) => {
                writeln!(screen)?;
                Ok(None)
            }
            Ok(_) => {
                if self.echo {
                    writeln!(screen, "{line}")?;
                }
                Ok(Some(line))
            }
        }
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
        assert_eq!(parse("Orcs to Rohan"), Typed::Move("Orcs to Rohan".into()));
        assert_eq!(parse("\t"), Typed::Empty);
    }
}
